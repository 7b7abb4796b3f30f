//! What refers to the row under the cursor: imports of a module, and the ways that lead to and from a resource.

use super::effect::Effect;
use super::layer::picker;
use super::layer::picker::item::{Item, Target};
use super::look::Role;
use super::screen::ScreenId;
use super::state::State;
use super::widget::text;
use crate::graph::{Edge, NodeIndex};
use crate::source::Place;
use crate::tui::program::Program;

/// Lists it, to go to one of them.
pub fn list(state: &mut State) -> Vec<Effect> {
    let found = match state.screen {
        ScreenId::Modules => state.modules.module_of_row().map(|module| {
            let name = module.name.clone();
            (imports(state, &name), name, "import")
        }),
        _ => state.selected_resource().zip(state.program_on_show()).map(|(node, program)| {
            let name = program.id(node).0.to_string();
            (ways(program, node), name, "reference")
        }),
    };
    let Some((items, name, what)) = found else { return vec![] };
    let name = text::safe(&name);
    match items.len() {
        0 => {
            let verb = if what == "import" { "imports" } else { "refers to" };
            state.say(Role::Note, format!("nothing {verb} {name}"));
            vec![]
        }
        1 => picker::items(state, format!("1 {what} of {name}"), items),
        many => picker::items(state, format!("{many} {what}s of {name}"), items),
    }
}

/// The import statements that lead to a module.
fn imports(state: &State, name: &str) -> Vec<Item> {
    let modules = || state.modules.tree.iter().flat_map(|tree| &tree.modules);
    let all = modules().flat_map(|module| module.imports.iter().map(move |import| (module, import)));
    let of_it = all.filter(|(_, import)| import.module.as_deref() == Some(name));
    let item = |(module, import): (&crate::module::Module, &crate::module::Import)| Item {
        shown: text::safe(&format!("{}  {}:{}", module.name, import.file.display(), import.line)),
        note: text::safe(&import.name),
        target: Target::File(module.path.join(&import.file), (import.line, 1)),
    };
    of_it.map(item).collect()
}

/// The edges of a resource: what comes before it, then what comes after.
fn ways(program: &Program, node: NodeIndex) -> Vec<Item> {
    let edges = program.graph.edges();
    let of = |positions: &[u32]| positions.iter().filter_map(|at| edges.get(*at as usize)).collect::<Vec<_>>();
    let before = of(&program.needs[node.0 as usize]);
    let after = of(&program.needed_by[node.0 as usize]);
    let before = before.into_iter().map(|edge| way(program, edge, edge.from, "comes before it", "refreshes it"));
    let after = after.into_iter().map(|edge| way(program, edge, edge.to, "needs it", "is refreshed by it"));
    before.chain(after).collect()
}

fn way(program: &Program, edge: &Edge, other: NodeIndex, orders: &str, refreshes: &str) -> Item {
    let id = program.id(other);
    let word = match &edge.send {
        Some((field, param)) if other == edge.to => format!("takes {field} from it as {param}"),
        Some((field, param)) => format!("gives it {field} as {param}"),
        None if edge.notify => refreshes.into(),
        None => orders.into(),
    };
    let own = || program.graph.resource(other).and_then(|resource| resource.source.clone());
    let place = edge.source.clone().or_else(own);
    let at = |place: &Place| text::safe(&format!("{}:{}", place.file, place.line));
    Item {
        shown: text::safe(&format!("{id}  {word}")),
        note: place.as_ref().map(at).unwrap_or_default(),
        target: place.map_or_else(|| Target::Resource(id.clone()), Target::Place),
    }
}
