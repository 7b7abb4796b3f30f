//! The symbol under the cursor: a worker looks it up, then it is shown, opened, or listed.

use std::sync::Arc;

use super::doc::Spot;
use crate::graph::{NodeIndex, ResourceId};
use crate::session::{AsWritten, Here};
use crate::source::Place;
use crate::tui::cx::{Cx, Request};
use crate::tui::effect::{Effect, Graphed};
pub use crate::tui::keymap::action::Asked;
use crate::tui::layer::{Layer, picker};
use crate::tui::references::{self};
pub use crate::tui::screen::code::data::Answer;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::step::data::State as Step;
use crate::tui::{front::Front, layer::hover::Hover, look::Role, message::Job, screen::ScreenId, widget::text};

impl Answer {
    /// Adds the data of the graph; of one node, if it is unambiguous.
    pub fn new(mut here: Here, graphed: Graphed) -> Self {
        let around = here.resource.is_some().then(|| {
            let (program, node) = graphed.map_or((None, None), |(program, node)| (Some(program), node));
            references::around(&here, program.as_deref(), node)
        });
        // The text alone does not tell where a computed name is declared.
        here.defined = here.defined.or_else(|| around.as_ref()?.declared.clone());
        if let Some([one]) = around.as_ref().map(|around| &*around.resources) {
            here.name = one.0.to_string();
        }
        Self { here, around, why: Vec::new() }
    }
}

impl Answer {
    /// The object of an explanation: the one resource, or a named symbol.
    pub fn subject(&self) -> Option<ResourceId> {
        match self.around.as_ref().map(|around| &*around.resources) {
            Some([one]) => Some(one.clone()),
            Some(_) => None,
            None if self.here.what == "value" => None,
            None => Some(ResourceId(self.here.name.as_str().into())),
        }
    }
}

pub(super) fn ask(code: &Code, cx: &mut Cx, asked: Asked) {
    let Some(doc) = code.doc() else { return };
    let graphed = cx.graphed().cloned().map(|program| (program, None));
    ask_at(cx, (doc.name.clone(), doc.spot()), asked, graphed)
}

/// Looks up the selected resource of a list, and its kind.
pub fn ask_kind(step: &Step, cx: &mut Cx, place: &Place, node: Option<NodeIndex>) {
    let graphed = cx.program_on_show(step).cloned().map(|program| (program, node));
    ask_at(cx, spot_of(place), Asked::Hover, graphed)
}

fn spot_of(place: &Place) -> (Arc<str>, Spot) {
    (Arc::from(&*place.file), (place.line, place.column))
}

fn ask_at(cx: &mut Cx, (name, spot): (Arc<str>, Spot), asked: Asked, graphed: Graphed) {
    let Some(program) = &cx.programs.newest else {
        return cx.show_notice(Role::Note, "still compiling: try again in a moment");
    };
    let Some(file) = program.file(&name) else {
        return cx.show_notice(Role::Warning, format!("{} is not part of the program", text::safe(&name)));
    };
    let path = file.path.clone();
    let graphed = graphed.filter(|(program, _)| !program.graph.is_empty());
    cx.start(Job::LookUp);
    cx.effect(Effect::LookUp { path, name, spot, asked, graphed })
}

/// Whether the cursor is still where something was looked up.
pub fn is_at(front: Front<'_>, code: &Code, name: &Arc<str>, spot: Spot) -> bool {
    match front.cx.screen {
        ScreenId::Code => code.doc().is_some_and(|doc| doc.name == *name && doc.spot() == spot),
        _ => front.place().is_some_and(|place| spot_of(&place) == (name.clone(), spot)),
    }
}

pub fn looked_up(cx: &mut Cx, asked: Asked, here: Option<Box<Answer>>) {
    let Some(here) = here else {
        return cx.show_notice(Role::Note, "no symbol under the cursor");
    };
    match asked {
        Asked::Hover => cx.layers.open.push(Layer::Hover(Hover::new(here))),
        Asked::Definition => define(cx, &here.here),
        Asked::Uses => match here.around {
            Some(around) => references::list_around(cx, &here.here, around),
            None => list(cx, &here.here),
        },
    }
}

/// The selected resource of a list by its kind, if the text at its place is not a symbol, such as a title.
pub fn of_resource(front: Front<'_>) -> Option<Box<Answer>> {
    if front.cx.screen == ScreenId::Code {
        return None;
    }
    let program = Arc::clone(front.cx.program_on_show(front.step)?);
    let node = front.resource()?;
    let resource = program.graph.resource(node)?;
    let (place, shown) = (resource.source.clone()?, resource.shown());
    let written = AsWritten { kind: shown.kind.to_string(), names: vec![shown.name.to_string()], links: vec![] };
    let here = Here {
        what: "resource".into(),
        name: resource.id.to_string(),
        place: place.clone(),
        defined: Some(place),
        resource: Some(written),
        ..Here::default()
    };
    Some(Box::new(Answer::new(here, Some((program, Some(node))))))
}

/// Goes to the definition of a symbol, or shows why there is none.
fn define(cx: &mut Cx, here: &Here) {
    let name = text::safe(&here.name);
    let (role, words) = match &here.defined {
        Some(place) if *place == here.place && here.data.is_empty() => {
            (Role::Note, format!("this is where {} is defined; gr lists its uses", named(here)))
        }
        Some(place) => {
            let place = here.data.first().filter(|_| *place == here.place).map_or(place, |data| &data.place);
            return cx.request(Request::Place(place.clone()));
        }
        None if here.what == "value" => (Role::Note, "a literal value; K shows its type".into()),
        None if here.undefined.is_some() => (Role::Warning, here.undefined.clone().unwrap_or_default()),
        None if here.resource.is_some() => (Role::Warning, format!("{name} is not declared")),
        None => {
            let words = format!("{} `{name}` is built in and has no source; K shows its documentation", here.what);
            (Role::Note, words)
        }
    };
    cx.show_notice(role, words);
}

fn list(cx: &mut Cx, here: &Here) {
    if here.uses.is_empty() {
        return cx.show_notice(Role::Note, format!("{} is not used", named(here)));
    }
    let line_of = |place: &Place| {
        let file = cx.programs.newest.as_ref().and_then(|program| program.file(&place.file));
        file.map(|file| text::safe(file.line(place.line).trim())).unwrap_or_default()
    };
    let item = |place: &Place, is_definition: bool| {
        let note = if is_definition { "  (definition)" } else { "" };
        let shown = format!("{}:{}:{}{note}", text::safe(&place.file), place.line, place.column);
        (shown, line_of(place), place.clone())
    };
    let definition = here.defined.iter().map(|place| item(place, true));
    let items: Vec<_> = definition.chain(here.uses.iter().map(|place| item(place, false))).collect();
    let at = items.iter().position(|(.., place)| *place == here.place).unwrap_or(0);
    let times = if here.uses.len() == 1 { "1 use".into() } else { format!("{} uses", here.uses.len()) };
    picker::places(cx, format!("{times} of {}", named(here)), items, at)
}

/// What the symbol is, and its name; a variable as written.
fn named(here: &Here) -> String {
    let name = text::safe(&here.name);
    if here.what == "variable" { format!("${name}") } else { format!("{} {name}", here.what) }
}
