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
            let help = remedy(&why, kind);
            diags.push(fault.label(why).help(help));
        }
    }
}

/// What to write in place of a refused value, by the reason.
fn remedy(why: &str, kind: &str) -> String {
    let quoted: Vec<&str> = why.split('`').skip(1).step_by(2).collect();
    let first = quoted.first().copied().unwrap_or_default();
    let range = why.split_once("of the type `int ").and_then(|(_, rest)| rest.split('`').next()?.split_once(".."));
    if let Some((low, high)) = range {
        return match high {
            "" => format!("write a whole number from {low}"),
            _ => format!("write a whole number from {low} to {high}"),
        };
    }
    if let Some((_, near)) = why.split_once("did you mean `") {
        return format!("write `{}`", near.split('`').next().unwrap_or_default());
    }
    let words = why.split_once("must be `").map(|(_, rest)| rest.split(';').next().unwrap_or_default());
    let words: Vec<&str> = words.unwrap_or_default().split('`').step_by(2).filter(|word| !word.is_empty()).collect();
    if words.len() > 1 {
        const OTHERS: [(&str, &str); 6] = [
            ("present", "exists"),
            ("started", "running"),
            ("enable", "enabled"),
            ("disable", "disabled"),
            ("true", "enabled"),
            ("false", "disabled"),
        ];
        let written = quoted.get(1).copied().filter(|_| why.contains("; it must be")).unwrap_or_default();
        let other = OTHERS.iter().find(|(other, ours)| *other == written && words.contains(ours));
        let near = other.map(|(_, ours)| *ours).or_else(|| crate::diag::nearest(written, words.iter().copied()));
        return match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write `{}`", words.join("` or `")),
        };
    }
    let example = ["expected for example `", "; it is like `", "such as `", "; use `"];
    if let Some(example) = example.iter().find_map(|before| why.split_once(before)?.1.split('`').next()) {
        return format!("write it as in `{example}`");
    }
    if why.contains("cannot both be set") {
        return format!("remove one of the two, `{}`", quoted.join("` or `"));
    }
    if let Some((before, with)) = why.split_once(" cannot be set with ") {
        return format!("remove {before}, or {with}");
    }
    if why.contains("cannot be set for") {
        return format!("remove `{first}`");
    }
    if why.contains("end in a slash") && why.contains("must") {
        return format!("write `/` at the end of `{first}`");
    }
    if let Some((_, value)) = why.split_once(" is `").filter(|_| why.contains("not an absolute path")) {
        let path = value.split('`').next().unwrap_or_default();
        return format!("begin it with a slash, as in `/{}`", path.trim_start_matches(['.', '/']));
    }
    if why.contains("start with a slash") {
        return "begin it with a slash".to_string();
    }
    if why.ends_with("must be set") && quoted.len() == 1 {
        return format!("set `{first}`");
    }
    if let ["groups", group] = quoted[..] {
        return format!("remove `{group}` from `groups`");
    }
    if let Some((_, bounds)) = why.split_once("must be from ") {
        return format!("write a number from {bounds}");
    }
    if why.contains("octal") {
        return "write octal digits, as in `0644`, or letters, as in `u=rw,go=r`".to_string();
    }
    format!("`workbench doc {kind}` lists the allowed values")
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
    if folders.is_empty() {
        return;
    }
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
