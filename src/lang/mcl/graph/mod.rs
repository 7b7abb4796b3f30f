//! Builds the one resource graph from a program's declarations: merges twins, resolves edges, adds automatic edges.
//!
//! Input: [`Declared`], the declarations of every statement that ran, in that order. Output: a graph in which every
//! edge has two ends and no resource comes before itself, or diagnostics. Deliberately absent: values and expressions
//! (`eval`), and the behaviour of a kind.

mod collect;
pub mod convert;
mod duplicate;
mod link;
mod written;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::builtin::own_home;
use super::scope::Resolved;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::graph::{
    Declaration, Draft, Edge, Graph, Mapping, Node, NodeIndex, Params, Reason, Resource, ResourceId, Value,
};
use crate::lang::shared::texts::Texts;
use crate::lang::{Places, finish, stopped};
use crate::resource::validate::url::without_password;
use crate::resource::{Schema, autoedge, validate, validate_meta};
use crate::source::{Place, Sources, Span};
use crate::world::{Stop, World};

use written::Written;

/// Everything that a program declares.
#[derive(Debug, Default)]
pub struct Declared {
    pub resources: Vec<Decl>,
    pub links: Vec<Link>,
    pub collects: Vec<Collect>,
    words: Texts,
}

/// A resource as declared.
#[derive(Clone, Debug)]
pub struct Decl {
    pub kind: Arc<str>,
    pub name: Arc<str>,
    pub schema: &'static Schema,
    pub params: Params,
    /// The values that differ from the default.
    pub meta: Params,
    pub container: Rc<Vec<Arc<str>>>,
    pub span: Span,
}

/// An edge as declared, between kinds and names.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub from: (Arc<str>, Arc<str>),
    pub to: (Arc<str>, Arc<str>),
    pub notify: bool,
    /// The field sent and the parameter that receives it.
    pub send: Option<(Arc<str>, Arc<str>)>,
    pub span: Span,
}

/// A request for an exported resource.
#[derive(Clone, Debug)]
pub struct Collect {
    /// Kind and name of the resource, and its overlay, including defaults.
    pub overlay: Decl,
    /// The exporting host, if it matters.
    pub host: Option<Arc<str>>,
}

impl Declared {
    /// Equal words share one allocation.
    pub fn intern(&mut self, word: &str) -> Arc<str> {
        self.words.share(word)
    }

    /// Empties the lists; the words stay interned.
    pub fn take(&mut self) -> Declared {
        let words = std::mem::take(&mut self.words);
        std::mem::replace(self, Declared { words, ..Declared::default() })
    }

    /// How many resources and edges there are.
    pub fn len(&self) -> usize {
        self.resources.len() + self.links.len() + self.collects.len()
    }

    /// Whether there are no resources, edges or collectors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Decl {
    /// Returns the id of the declared resource: `kind[name]`.
    pub fn id(&self) -> ResourceId {
        id(&self.kind, &self.name)
    }

    fn flag(&self, meta: &str) -> bool {
        self.meta.get(meta) == Some(&Value::Bool(true))
    }
}

/// The displayed name of a resource: a password in an address must not get into plans and logs.
pub fn public_name(kind: &str, name: &str) -> Arc<str> {
    if kind == "remote" { without_password(name).into() } else { name.into() }
}

/// The id of a resource: `kind[name]`.
fn id(kind: &str, name: &str) -> ResourceId {
    ResourceId([kind, "[", name, "]"].concat().into())
}

/// The resource of a declaration.
fn resource(id: ResourceId, decl: Decl, source: Place, is_virtual: bool) -> Resource {
    let exported = decl.meta.get("export").is_some();
    let declared = Declaration { kind: decl.kind, name: decl.name, params: decl.params };
    let mut resource = Resource::declare(id, declared, Mapping::Same);
    resource.meta = decl.meta.into();
    resource.container = decl.container.to_vec();
    resource.source = Some(source);
    (resource.is_virtual, resource.exported) = (is_virtual, exported);
    resource
}

/// The node of a single declaration; `None` if it needs a diagnostic.
pub fn node(sources: &Sources, decl: &Decl) -> Option<Node> {
    let Decl { name, params, schema, meta, .. } = decl;
    let is_right = validate(schema.kind, name, params, meta).is_ok() && validate_meta(schema.kind, meta).is_ok();
    let is_named = !name.starts_with('$') || meta.get("dollar") == Some(&Value::Bool(true));
    let place = sources.place(decl.span);
    (is_right && is_named).then(|| Node::Resource(resource(decl.id(), decl.clone(), place, false)))
}

/// The edge of a link without a send; `None` if an end is missing.
pub fn edge(graph: &Graph, sources: &Sources, link: &Link) -> Option<Edge> {
    let end = |(kind, name): &(Arc<str>, Arc<str>)| graph.find(&id(kind, name));
    let (from, to) = (end(&link.from)?, end(&link.to)?);
    let source = Some(sources.place(link.span));
    Some(Edge { from, to, notify: link.notify, reason: Reason::Declared, send: None, source })
}

/// Steps between two checks for cancellation.
const LOOK_EVERY: usize = 1 << 11;

/// The graph under construction.
struct Builder<'a> {
    graph: Graph,
    program: &'a Resolved,
    diags: &'a mut Diagnostics,
    /// Hidden resources with the name of another one.
    aside: FxHashMap<ResourceId, Vec<NodeIndex>>,
    /// The place of each node's declaration.
    spans: Vec<Span>,
    /// The place of each edge's declaration; automatic ones come after these.
    edge_spans: Vec<Span>,
    stop: &'a Stop,
    draft: &'a Draft,
    /// How many resources and edges were processed.
    built: usize,
    /// It was cancelled; errors about missing parts do not count from then on.
    stopped: bool,
}

/// Builds the graph. With errors it is empty: a part would be mistaken for the whole.
pub fn build(
    program: &Resolved,
    mut declared: Declared,
    world: &dyn World,
    stop: &Stop,
    draft: &Draft,
    diags: &mut Diagnostics,
) -> Graph {
    let errors = diags.error_count();
    collect::resolve(&mut declared, world, diags);
    let mut builder = Builder {
        graph: Graph::default(),
        program,
        diags,
        aside: FxHashMap::default(),
        spans: Vec::new(),
        edge_spans: Vec::new(),
        stop,
        draft,
        built: 0,
        stopped: false,
    };
    builder.add_resources(declared.resources);
    if !builder.stopped {
        builder.add_links(&declared.links);
    }
    if !builder.stopped {
        builder.refuse_dollars();
        builder.finish(world);
    }
    let graph = builder.graph;
    if diags.error_count() > errors {
        stop.release((graph, declared.links));
        return Graph::default();
    }
    graph
}

impl Builder<'_> {
    /// Counts a step, and checks for cancellation at intervals; reports it.
    fn has_to_stop(&mut self, at: Span) -> bool {
        self.built += 1;
        let why = if self.built.is_multiple_of(LOOK_EVERY) { self.stop.reached() } else { None };
        if let Some(why) = why
            && !self.stopped
        {
            self.diags.push(stopped(why, at));
            self.stopped = true;
        }
        self.stopped
    }

    fn place(&self, span: Span) -> Place {
        self.program.sources.place(span)
    }

    /// Adds every resource once; a hidden one beside its twin unless the two are equal.
    fn add_resources(&mut self, decls: Vec<Decl>) {
        let mut exports = duplicate::Exports::default();
        let visible = duplicate::visible(&decls);
        let mut decls = decls.into_iter();
        while let Some(decl) = decls.next() {
            if self.has_to_stop(decl.span) {
                self.stop.release(decls);
                return;
            }
            if let Err(diagnostic) = exports.note(&decl) {
                self.diags.push(diagnostic);
                continue;
            }
            let id = decl.id();
            match (decl.flag("hidden"), self.graph.find(&id)) {
                (true, there) => self.add_hidden(id, there, visible.contains(&decl.id()), decl),
                (false, Some(there)) => self.merge(there, &decl),
                (false, None) => self.add_node(id, decl, false),
            }
        }
    }

    /// Adds a hidden resource, under its own id if the usual one is taken.
    fn add_hidden(&mut self, id: ResourceId, there: Option<NodeIndex>, is_beside: bool, decl: Decl) {
        let aside = self.aside.get(&id).and_then(|twins| twins.last().copied());
        let last = aside.or(there.filter(|_| !is_beside));
        if last.is_some_and(|last| self.is_twin(last, &decl)) {
            return;
        }
        if there.is_none() && !is_beside {
            return self.add_node(id, decl, true);
        }
        let at = NodeIndex(self.graph.len() as u32);
        self.add_node(ResourceId(format!("{id} hidden {}", at.0).into()), decl, true);
        self.aside.entry(id).or_default().push(at);
    }

    /// Whether a declaration equals an existing node.
    fn is_twin(&self, there: NodeIndex, again: &Decl) -> bool {
        self.graph.resource(there).is_some_and(|first| duplicate::differing(first, again).is_empty())
    }

    fn add_node(&mut self, id: ResourceId, decl: Decl, hidden: bool) {
        let (source, span) = (self.place(decl.span), decl.span);
        if self.graph.add(Node::Resource(resource(id, decl, source, hidden))).is_ok() {
            self.spans.push(span);
            self.draft.on_nodes(&self.graph);
        }
    }

    /// Merges a twin into the existing one, or reports the differences.
    fn merge(&mut self, there: NodeIndex, again: &Decl) {
        let first = self.spans[there.0 as usize];
        let Node::Resource(resource) = self.graph.node_mut(there) else { return };
        if let Err(differs) = duplicate::merge(resource, again) {
            self.diags.push(
                Diagnostic::error(Code::DuplicateResource, again.span)
                    .label(format!("`{}` is declared again, and {differs}", again.id().0))
                    .related(first, "first declared here")
                    .help("make them equal, or rename one of them"),
            );
        }
    }

    /// Refuses names that are a variable without its braces.
    fn refuse_dollars(&mut self) {
        for ((_, resource), span) in self.graph.resources().zip(&self.spans) {
            let name = &resource.shown().name;
            if name.starts_with('$') && resource.meta.get("dollar") != Some(&Value::Bool(true)) {
                self.diags.push(
                    Diagnostic::error(Code::InvalidName, *span)
                        .label(format!("the name `{name}` starts with a dollar sign"))
                        .help(format!(
                            "use `\"${{{}}}\"` for the variable, or set `Meta:dollar`",
                            name.trim_matches(['$', '{', '}'])
                        )),
                );
            }
        }
    }

    fn finish(&mut self, world: &dyn World) {
        let places =
            Declarations { written: Written::new(&self.program.ast), nodes: &self.spans, edges: &self.edge_spans };
        let stop = self.stop;
        let automatic = |graph: &mut Graph| {
            let home = autoedge::needs_home(graph).then(|| own_home(world).ok()).flatten();
            autoedge::add(graph, home.as_ref().and_then(|home| home.to_str()), stop)
        };
        finish(&mut self.graph, &places, automatic, self.draft, self.diags);
    }
}

/// The declarations of a graph's parts.
struct Declarations<'a> {
    written: Written<'a>,
    nodes: &'a [Span],
    edges: &'a [Span],
}

impl Places for Declarations<'_> {
    fn node(&self, at: NodeIndex) -> Option<Span> {
        self.nodes.get(at.0 as usize).copied()
    }

    fn parameter(&self, at: NodeIndex, param: &str) -> Option<Span> {
        self.written.parameter(self.node(at)?, param)
    }

    fn edge(&self, edge: usize) -> Option<Span> {
        self.edges.get(edge).copied()
    }
}
