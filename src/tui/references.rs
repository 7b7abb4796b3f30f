//! References to the row or name under the cursor: imports of a module, and the edges of a resource.

use super::layer::picker::item::{Item, Target};
use super::{cx::Cx, front::Front, layer::picker, look::Role, program::Program, screen::ScreenId, widget::text};
use crate::graph::{Edge, NodeIndex, Reason};
use crate::session::{AsWritten, Here, LinkHere};
use crate::source::Place;
pub use crate::tui::screen::code::data::Around;
use crate::tui::screen::modules::data::State as Modules;

/// The references, the name that they are of, and the word for one.
pub fn list(front: Front<'_>) -> Option<(Vec<Item>, String, &'static str)> {
    if front.cx.screen == ScreenId::Modules {
        let name = front.modules.module()?.name.clone();
        return Some((imports(front.modules, &name), name, "import"));
    }
    let (node, program) = (front.resource()?, front.program()?);
    let items = ways(program, node).map(|way| way.item(program, false)).collect();
    Some((items, program.id(node).0.to_string(), "reference"))
}

/// Lists references in a picker.
pub fn show(cx: &mut Cx, items: Vec<Item>, name: &str, what: &str) {
    let name = text::safe(name);
    match items.len() {
        0 => {
            let verb = if what == "import" { "imports" } else { "refers to" };
            cx.show_notice(Role::Note, format!("nothing {verb} {name}"))
        }
        1 => picker::items(cx, format!("1 {what} of {name}"), items),
        many => picker::items(cx, format!("{many} {what}s of {name}"), items),
    }
}

/// The import statements that lead to a module.
fn imports(module_screen: &Modules, name: &str) -> Vec<Item> {
    let modules = || module_screen.tree().into_iter().flat_map(|tree| &tree.modules);
    let all = modules().flat_map(|module| module.imports.iter().map(move |import| (module, import)));
    let of_it = all.filter(|(_, import)| import.module.as_deref() == Some(name));
    let item = |(module, import): (&crate::module::Module, &crate::module::Import)| Item {
        shown: text::safe(&format!("{}  {}:{}", module.name, import.file.display(), import.line)),
        note: text::safe(&import.name),
        target: Target::File(module.path.join(&import.file), (import.line, 1)),
    };
    of_it.map(item).collect()
}

impl Around {
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

/// Collects it: from the graph, and the additional references in the text, such as in a branch that is not taken.
pub fn around(here: &Here, program: Option<&Program>, node: Option<NodeIndex>) -> Around {
    let Some(written) = &here.resource else { return Around::default() };
    let nodes = match (program, node) {
        (Some(_), Some(node)) => vec![node],
        (Some(program), None) => meant(program, here, written),
        (None, _) => vec![],
    };
    let mut found = Around { has_graph: program.is_some(), ..Around::default() };
    let mut is_listed = vec![false; written.links.len()];
    for (program, node) in program.iter().flat_map(|program| nodes.iter().map(move |node| (program, *node))) {
        found.resources.push(program.id(node).clone());
        found.declared = found.declared.or_else(|| program.graph.resource(node)?.source.clone());
        for way in ways(program, node) {
            *match (way.leads_away, way.edge.notify) {
                (false, true) => &mut found.notifiers,
                (false, false) => &mut found.needs,
                (true, true) => &mut found.refreshes,
                (true, false) => &mut found.dependents,
            } += 1;
            let link = written.links.iter().position(|link| way.is_of(program, link));
            link.iter().for_each(|at| is_listed[*at] = true);
            found.items.push(way.item(program, nodes.len() > 1));
        }
    }
    let unlisted = written.links.iter().zip(is_listed).filter(|(_, is_listed)| !is_listed);
    found.items.extend(unlisted.map(|(link, _)| only_written(link, found.has_graph)));
    found
}

/// Lists the collected items, after the declaration.
pub fn list_around(cx: &mut Cx, here: &Here, around: Around) {
    let mut items = around.items;
    if items.is_empty() {
        return show(cx, items, &here.name, "reference");
    }
    let count = items.len();
    if let Some(place) = &here.defined {
        let shown = text::safe(&format!("{}  declared here", here.name));
        items.insert(0, Item { shown, note: at(place), target: Target::Place(place.clone()) });
    }
    let plural = if count == 1 { "" } else { "s" };
    picker::items(cx, format!("{count} reference{plural} of {}", text::safe(&here.name)), items)
}

/// The nodes that a name refers to: by its text; else those declared there, or at that end of its edges.
fn meant(program: &Program, here: &Here, written: &AsWritten) -> Vec<NodeIndex> {
    let of_kind = || program.graph.resources().filter(|(_, resource)| *resource.shown().kind == *written.kind);
    let by_text = of_kind().filter(|(_, resource)| written.names.iter().any(|name| **name == *resource.shown().name));
    let mut nodes: Vec<_> = by_text.map(|(node, _)| node).collect();
    if nodes.is_empty()
        && let Some(place) = &here.defined
    {
        let is_there = |at: &Place| at.file == place.file && (at.line..=at.end_line).contains(&place.line);
        let declared = of_kind().filter(|(_, resource)| resource.source.as_ref().is_some_and(is_there));
        nodes.extend(declared.map(|(node, _)| node));
    }
    if nodes.is_empty() {
        for edge in program.graph.edges() {
            for link in written.links.iter().filter(|link| edge.source.as_ref() == Some(&link.place)) {
                let node = if link.leads_away { edge.from } else { edge.to };
                if program.graph.resource(node).is_some_and(|resource| *resource.shown().kind == *written.kind) {
                    nodes.push(node);
                }
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
    }
    nodes
}

/// An edge, seen from one of its ends.
struct Way<'a> {
    edge: &'a Edge,
    this: NodeIndex,
    other: NodeIndex,
    leads_away: bool,
}

/// The edges of a resource: what comes before it, then what comes after.
fn ways(program: &Program, node: NodeIndex) -> impl Iterator<Item = Way<'_>> {
    let edges = program.graph.edges();
    let of = move |positions: &'_ [u32]| positions.iter().filter_map(|at| edges.get(*at as usize)).collect::<Vec<_>>();
    // The begin and end of its own containers are no dependencies of a resource.
    let is_resource = program.graph.resource(node).is_some();
    let of = move |positions: &'_ [u32]| {
        let mut edges = of(positions);
        edges.retain(|edge| !is_resource || edge.reason != Reason::Containment);
        edges
    };
    let before = of(&program.ways.needs[node.0 as usize]).into_iter();
    let after = of(&program.ways.needed_by[node.0 as usize]).into_iter();
    let before = before.map(move |edge| Way { edge, this: node, other: edge.from, leads_away: false });
    before.chain(after.map(move |edge| Way { edge, this: node, other: edge.to, leads_away: true }))
}

impl Way<'_> {
    /// The item for the other end: its role, the rule behind the edge, and where that is declared.
    fn item(&self, program: &Program, names_both: bool) -> Item {
        let (edge, id) = (self.edge, program.id(self.other));
        let it = if names_both { program.id(self.this).to_string() } else { "it".into() };
        let word = match &edge.send {
            Some((field, param)) if self.leads_away => format!("receives {field} from {it} as {param}"),
            Some((field, param)) => format!("sends {field} to {it} as {param}"),
            None => relation(self.leads_away, edge.notify && edge.reason != Reason::Containment, &it),
        };
        let rule = edge.reason.rule();
        let own = || program.graph.resource(self.other).and_then(|resource| resource.source.clone());
        let place = edge.source.clone().or_else(own);
        Item {
            shown: text::safe(&format!("{id}  {word}")),
            note: place.as_ref().map_or(rule.into(), |place| format!("{}  {rule}", at(place))),
            target: place.map_or_else(|| Target::Resource(id.clone()), Target::Place),
        }
    }

    /// Whether this link of the text made the edge.
    fn is_of(&self, program: &Program, link: &LinkHere) -> bool {
        let kind = |node| program.graph.resource(node).map(|resource| &*resource.shown().kind);
        self.leads_away == link.leads_away
            && self.edge.source.as_ref() == Some(&link.place)
            && kind(self.other) == Some(&link.other_kind)
    }
}

fn relation(leads_away: bool, notify: bool, it: &str) -> String {
    match (leads_away, notify) {
        (false, false) => format!("runs before {it}"),
        (false, true) => format!("refreshes {it}"),
        (true, false) => format!("needs {it}"),
        (true, true) => format!("is refreshed by {it}"),
    }
}

/// A link without an edge in the graph.
fn only_written(link: &LinkHere, has_graph: bool) -> Item {
    let missing = if has_graph { ", not in the graph" } else { "" };
    Item {
        shown: text::safe(&format!("{}  {}", link.other, relation(link.leads_away, link.notify, "it"))),
        note: format!("{}  `{}`{missing}", at(&link.place), link.written),
        target: Target::Place(link.place.clone()),
    }
}

fn at(place: &Place) -> String {
    text::safe(&format!("{}:{}", place.file, place.line))
}
