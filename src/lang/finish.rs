//! The last stage of every language: validates what a program maps to, adds automatic edges, refuses cycles.
//!
//! Input: a graph with each resource mapped and each declared edge, and where its parts are in the source. Output: the
//! same graph, or diagnostics at these places. So `check`, `graph`, `preview` and the editor refuse the same programs in
//! all languages. Deliberately absent: refusals that a reference defines with its own words, which the language reports
//! before this stage.
//!
//! `file[/d/f]` after `file[/d/]` is automatic; with `file[/d/f] -> file[/d/]` it is a cycle of two edges, and each is
//! shown with its reason and place. `file[/d/f]` and `file[/d/g]` have no order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::stopped;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::graph::order::order;
use crate::graph::{Draft, Edge, Graph, Mapping, Node, NodeIndex, Reason, Resource};
use crate::resource::autoedge::folders_above;
use crate::resource::{fits, validate, validate_meta};
use crate::source::Span;
use crate::world::Stopped;

/// Where the parts of a graph are in the source.
pub trait Places {
    /// The declaration of a node.
    fn node(&self, at: NodeIndex) -> Option<Span>;

    /// The text that sets a parameter of the mapped side.
    fn parameter(&self, at: NodeIndex, param: &str) -> Option<Span>;

    /// The text of a declared edge, by its position in the graph; `None` for an automatic one.
    fn edge(&self, edge: usize) -> Option<Span>;
}

/// How many edges of a cycle are shown beside the first.
const CYCLE_SHOWN: usize = 20;

/// Completes a graph; `automatic` adds the edges that no program writes. `draft` gets the graph before that. With errors
/// the graph is incomplete.
pub fn finish(
    graph: &mut Graph,
    places: &dyn Places,
    automatic: impl FnOnce(&mut Graph) -> Result<(), Stopped>,
    draft: &Draft,
    diags: &mut Diagnostics,
) {
    draft.on_edges(graph);
    validate_mapped(graph, places, diags);
    if diags.has_errors() {
        return;
    }
    match automatic(graph) {
        Ok(()) => refuse_cycles(graph, places, diags),
        Err(why) => {
            if let Some(span) = places.node(NodeIndex(0)) {
                diags.push(stopped(why, span));
            }
        }
    }
}

/// Validates each resource on its own, for every host. A virtual one may lack parameters that are added later.
fn validate_mapped(graph: &Graph, places: &dyn Places, diags: &mut Diagnostics) {
    for (at, resource) in graph.resources() {
        if let Err(why) = validated(resource) {
            let kind = &resource.meant().kind;
            let mut named = why.split('`').skip(1).step_by(2).filter_map(|name| places.parameter(at, name));
            let mut fault = match named.next().or_else(|| places.node(at)) {
                Some(span) => Diagnostic::error(Code::InvalidParameter, span),
                None => Diagnostic::placeless(Code::InvalidParameter),
            };
            for other in named {
                fault = fault.related(other, "and this one");
            }
            let range =
                why.split_once("of the type `int ").and_then(|(_, rest)| rest.split('`').next()?.split_once(".."));
            let help = match range {
                Some((low, "")) => format!("write a whole number from {low}"),
                Some((low, high)) => format!("write a whole number from {low} to {high}"),
                None => format!("`workbench doc {kind}` lists the allowed values"),
            };
            diags.push(fault.label(why).help(help));
        }
    }
}

fn validated(resource: &Resource) -> Result<(), String> {
    let Some(wanted) = resource.mapping() else { return Ok(()) };
    if wanted.name.is_empty() {
        return Err("the name is empty".into());
    }
    validate_meta(&wanted.kind, &resource.meta)?;
    if resource.is_virtual {
        return Ok(());
    }
    // What is declared in our own words has the types of the schema.
    if matches!(resource.mapped, Mapping::To(_)) {
        fits(&wanted.kind, &wanted.params)?;
    }
    validate(&wanted.kind, &wanted.name, &wanted.params, &resource.meta)
}

/// Reports every cycle, with the reason and the place of each of its edges.
fn refuse_cycles(graph: &Graph, places: &dyn Places, diags: &mut Diagnostics) {
    for mut cycle in order(graph).cycles {
        // Declared edges come first, because the user can change them.
        let written = cycle.iter().position(|at| places.edge(*at).is_some()).unwrap_or_default();
        cycle.rotate_left(written);
        let edge = |at: usize| &graph.edges()[at];
        let span = |at: usize| {
            let Edge { from, to, .. } = *edge(at);
            places.edge(at).or_else(|| places.node(to)).or_else(|| places.node(from))
        };
        let Some((first, rest)) = cycle.split_first() else { continue };
        let mut diagnostic = match span(*first) {
            Some(span) => Diagnostic::error(Code::DependencyCycle, span),
            None => Diagnostic::placeless(Code::DependencyCycle),
        };
        diagnostic = diagnostic.label(reason(graph, edge(*first)));
        for at in rest.iter().take(CYCLE_SHOWN) {
            if let Some(span) = span(*at) {
                diagnostic = diagnostic.related(span, reason(graph, edge(*at)));
            }
        }
        let more = rest.len().saturating_sub(CYCLE_SHOWN);
        let more = if more > 0 { format!(", or of the {more} more") } else { String::new() };
        diags.push(diagnostic.help(format!("remove one of these edges{more}")));
    }
}

/// Why one node comes before another.
fn reason(graph: &Graph, edge: &Edge) -> String {
    let id = |at: NodeIndex| match graph.node(at) {
        // Both ends of a container have the name of its begin.
        Node::Anchor(anchor) if !anchor.begin && (anchor.rank as usize) < graph.len() => {
            graph.node(NodeIndex(anchor.rank)).id()
        }
        node => node.id(),
    };
    let (from, to) = (id(edge.from), id(edge.to));
    match edge.reason {
        Reason::Auto => format!("`{from}` before `{to}` (automatic)"),
        Reason::Containment if from == to => format!("`{from}` begins before it ends"),
        Reason::Containment if matches!(graph.node(edge.to), Node::Anchor(to) if !to.begin) => {
            format!("`{to}` ends after `{from}`, which is inside it")
        }
        Reason::Containment => format!("`{from}` begins before `{to}`, which is inside it"),
        _ => format!("`{from}` before `{to}`"),
    }
}

/// Orders each file after the nearest folder above it for the same host, unless there is an edge in that direction.
pub fn after_folders(graph: &mut Graph) {
    let mut files = Vec::new();
    for (at, resource) in graph.resources() {
        if let Some(wanted) = resource.mapping().filter(|wanted| &*wanted.kind == "file") {
            files.push((at, resource.target.as_deref(), &*wanted.name));
        }
    }
    let is_folder = |(_, _, path): &&(NodeIndex, Option<&str>, &str)| path.ends_with('/');
    let folders: FxHashMap<_, _> =
        files.iter().filter(is_folder).map(|(at, target, path)| ((*target, *path), *at)).collect();
    let mut there: FxHashSet<_> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let mut edges = Vec::new();
    for (to, target, path) in &files {
        let nearest = folders_above(path).find_map(|folder| folders.get(&(*target, folder)).copied());
        if let Some(from) = nearest.filter(|from| there.insert((*from, *to))) {
            edges.push(Edge { from, to: *to, notify: false, reason: Reason::Auto, send: None, source: None });
        }
    }
    edges.into_iter().for_each(|edge| graph.connect(edge));
}
