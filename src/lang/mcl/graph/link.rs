//! Edges: resolves kinds and names to nodes, each edge once, with its sends.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Builder, Link, id};
use crate::diag::{Code, Diagnostic, nearest};
use crate::graph::{Edge, NodeIndex, Reason};
use crate::lang::mcl::habit;
use crate::source::Span;

/// Longer names are not typos, and take long to compare.
const LONG_NAME: usize = 100;

/// The sender to a parameter: the node, its field, and the place.
type Received<'l> = FxHashMap<(NodeIndex, &'l str), (NodeIndex, &'l str, Span)>;

impl Builder<'_> {
    /// Adds every edge; the same edge declared again only adds its notification.
    pub(super) fn add_links(&mut self, links: &[Link]) {
        let mut plain: FxHashMap<(NodeIndex, NodeIndex), usize> = FxHashMap::default();
        let mut received = Received::default();
        for link in links {
            if self.has_to_stop(link.span) {
                return;
            }
            let (Some(from), Some(to)) = (self.end(&link.from, link.span), self.end(&link.to, link.span)) else {
                continue;
            };
            self.add_link(link, from, to, &mut plain, &mut received);
            for (from, to) in self.also(link, from, to) {
                self.add_link(link, from, to, &mut plain, &mut received);
            }
        }
    }

    /// The additional edges of a link: to and from hidden resources of the same names.
    fn also(&self, link: &Link, from: NodeIndex, to: NodeIndex) -> Vec<(NodeIndex, NodeIndex)> {
        if self.aside.is_empty() {
            return Vec::new();
        }
        let all = |first: NodeIndex, (kind, name): &(Arc<str>, Arc<str>)| {
            let others = self.aside.get(&id(kind, name)).into_iter().flatten().copied();
            std::iter::once(first).chain(others).collect::<Vec<_>>()
        };
        let tos = all(to, &link.to);
        let pairs = all(from, &link.from).into_iter().flat_map(|from| tos.iter().map(move |to| (from, *to)));
        pairs.skip(1).collect()
    }

    fn add_link<'l>(
        &mut self,
        link: &'l Link,
        from: NodeIndex,
        to: NodeIndex,
        plain: &mut FxHashMap<(NodeIndex, NodeIndex), usize>,
        received: &mut Received<'l>,
    ) {
        match &link.send {
            None => {
                if let Some(at) = plain.get(&(from, to)) {
                    self.graph.edges_mut()[*at].notify |= link.notify;
                    return;
                }
                plain.insert((from, to), self.graph.edges().len());
            }
            Some((field, param)) => {
                if let Some((sender, sent, first)) = received.get(&(to, param)) {
                    if (*sender, *sent) != (from, field) {
                        self.refuse_second_sender(link, *first);
                    }
                    return;
                }
                if !self.may_send(from, link) {
                    return;
                }
                received.insert((to, param), (from, field, link.span));
            }
        }
        self.add_edge(from, to, link);
    }

    fn add_edge(&mut self, from: NodeIndex, to: NodeIndex, link: &Link) {
        let reason = if link.send.is_some() { Reason::Send } else { Reason::Declared };
        let source = Some(self.place(link.span));
        self.graph.connect(Edge { from, to, notify: link.notify, reason, send: link.send.clone(), source });
        self.edge_spans.push(link.span);
    }

    /// The node that an end names.
    fn end(&mut self, (kind, name): &(Arc<str>, Arc<str>), span: Span) -> Option<NodeIndex> {
        let found = self.graph.find(&id(kind, name));
        if found.is_none() {
            let help = match self.near(kind, name) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it, or check the condition around its declaration".to_owned(),
            };
            let label = format!("`{kind}[{name}]` is not in the graph");
            let fault = Diagnostic::error(Code::UnknownResource, span).label(label).help(help);
            // A path without its first slash is the mistake, not the edge.
            let relative = name.strip_prefix('/').filter(|_| &**kind == "file");
            let relative = relative
                .and_then(|name| self.graph.find(&id(kind, name)))
                .and_then(|at| self.spans.get(at.0 as usize).copied());
            self.diags.push(match relative {
                Some(place) => Diagnostic::error(Code::InvalidParameter, place)
                    .label(format!("the path has no slash at its beginning, and `{name}` is used in an edge"))
                    .related(span, "used here".to_string())
                    .help(format!("write `file \"{name}\"`")),
                None => fault,
            });
        }
        found
    }

    /// The name of that kind which was probably meant; searched only a few times, because each search compares all
    /// names.
    fn near(&self, kind: &str, name: &str) -> Option<String> {
        if self.diags.error_count() >= 10 || name.len() > LONG_NAME {
            return None;
        }
        let declared = || self.graph.resources().map(|(_, resource)| resource.shown());
        let names = declared().filter(|declared| &*declared.kind == kind && declared.name.len() <= LONG_NAME);
        let near = nearest(name, names.map(|declared| &*declared.name).take(10_000)).map(str::to_owned);
        near.or_else(|| {
            // The same name of another kind.
            let kinds = declared().filter(|declared| &*declared.name == name).map(|declared| &*declared.kind);
            let near = habit::kind(kind).or_else(|| nearest(kind, kinds.take(10_000)))?;
            let capital: String =
                near.chars().take(1).flat_map(char::to_uppercase).chain(near.chars().skip(1)).collect();
            Some(format!("{capital}[\"{name}\"]"))
        })
    }

    fn refuse_second_sender(&mut self, link: &Link, first: Span) {
        let (kind, name) = &link.to;
        let param = link.send.as_ref().map_or("", |(_, param)| param);
        self.diags.push(
            Diagnostic::error(Code::DuplicateReceive, link.span)
                .label(format!("`{param}` of `{kind}[{name}]` receives a second value"))
                .related(first, "the first value is received here")
                .help("remove one of the two senders"),
        );
    }

    fn may_send(&mut self, from: NodeIndex, link: &Link) -> bool {
        let hidden = self.graph.resource(from).is_some_and(|resource| resource.is_virtual);
        if hidden {
            let (kind, name) = &link.from;
            self.diags.push(
                Diagnostic::error(Code::CannotSend, link.span)
                    .label(format!("`{kind}[{name}]` is hidden, so it never sends a value"))
                    .help("remove its `Meta:hidden`, or send from another resource"),
            );
        }
        !hidden
    }
}
