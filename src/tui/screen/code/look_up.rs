//! The symbol under the cursor: a worker looks it up, then it is shown, opened, or listed.

use std::sync::Arc;

use super::doc::Spot;
use super::open;
use crate::graph::{NodeIndex, ResourceId};
use crate::session::{AsWritten, Here};
use crate::source::Place;
use crate::tui::cx::Cx;
use crate::tui::effect::Effect;
use crate::tui::front::Front;
use crate::tui::jumps;
pub use crate::tui::keymap::action::Asked;
use crate::tui::layer::Layer;
use crate::tui::layer::hover::Hover;
use crate::tui::layer::picker;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::program::Program;
use crate::tui::references::{self};
use crate::tui::screen::ScreenId;
pub use crate::tui::screen::code::data::Answer;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::graph::data::State as Graph;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::text;

impl Answer {
    /// Adds the data of the graph; of one node, if it is unambiguous.
    pub fn new(mut here: Here, graphed: Option<(Arc<Program>, Option<NodeIndex>)>) -> Self {
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

/// Looks up the symbol under the cursor.
pub(super) fn ask(code: &Code, step: &Step, cx: &mut Cx, asked: Asked) -> Vec<Effect> {
    let Some((name, spot)) = code.doc().map(|doc| (doc.name.clone(), doc.spot())) else { return vec![] };
    ask_at(step, cx, name, spot, asked, None)
}

/// Looks up the selected resource of a list, and its kind.
pub fn ask_kind(step: &Step, cx: &mut Cx, place: &Place, node: Option<NodeIndex>) -> Vec<Effect> {
    let (name, spot) = spot_of(place);
    ask_at(step, cx, name, spot, Asked::Hover, node)
}

fn spot_of(place: &Place) -> (Arc<str>, Spot) {
    (Arc::from(&*place.file), (place.line, place.column))
}

fn ask_at(step: &Step, cx: &mut Cx, name: Arc<str>, spot: Spot, asked: Asked, node: Option<NodeIndex>) -> Vec<Effect> {
    let Some(program) = &cx.programs.newest else {
        cx.show_notice(Role::Note, "still compiling: try again in a moment");
        return vec![];
    };
    let Some(file) = program.file(&name) else {
        cx.show_notice(Role::Warning, format!("{} is not part of the program", text::safe(&name)));
        return vec![];
    };
    let path = file.path.clone();
    let graphed = cx.program_on_show(step).filter(|program| !program.graph.is_empty()).cloned();
    let graphed = graphed.map(|program| (program, node));
    cx.start(Job::LookUp);
    vec![Effect::LookUp { path, name, spot, asked, graphed }]
}

/// Whether the cursor is still where something was looked up.
pub fn is_at(front: Front<'_>, code: &Code, name: &Arc<str>, spot: Spot) -> bool {
    match front.cx.screen {
        ScreenId::Code => code.doc().is_some_and(|doc| doc.name == *name && doc.spot() == spot),
        _ => front.place().is_some_and(|place| spot_of(&place) == (name.clone(), spot)),
    }
}

/// Handles the answer.
pub fn looked_up(graph: &Graph, code: &mut Code, cx: &mut Cx, asked: Asked, here: Option<Box<Answer>>) -> Vec<Effect> {
    let Some(here) = here else {
        cx.show_notice(Role::Note, "no symbol under the cursor");
        return vec![];
    };
    match asked {
        Asked::Hover => {
            cx.layers.open.push(Layer::Hover(Hover::new(here)));
            vec![]
        }
        Asked::Definition => define(graph, code, cx, &here.here),
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
        ty: None,
        doc: String::new(),
        place: place.clone(),
        defined: Some(place),
        uses: vec![],
        resource: Some(written),
        undefined: None,
        data: vec![],
        merged: None,
    };
    Some(Box::new(Answer::new(here, Some((program, Some(node))))))
}

fn define(graph: &Graph, code: &mut Code, cx: &mut Cx, here: &Here) -> Vec<Effect> {
    let name = text::safe(&here.name);
    match &here.defined {
        Some(place) if *place == here.place && !here.data.is_empty() => go_to(graph, code, cx, &here.data[0].place),
        Some(place) if *place == here.place => {
            cx.show_notice(Role::Note, format!("this is where {} is defined; gr lists its uses", named(here)));
            vec![]
        }
        Some(place) => go_to(graph, code, cx, place),
        None if here.what == "value" => {
            cx.show_notice(Role::Note, "a literal value; K shows its type");
            vec![]
        }
        None if here.undefined.is_some() => {
            let words = here.undefined.as_deref().unwrap_or_default();
            cx.show_notice(Role::Warning, words);
            vec![]
        }
        None if here.resource.is_some() => {
            cx.show_notice(Role::Warning, format!("{name} is not declared"));
            vec![]
        }
        None => {
            cx.show_notice(
                Role::Note,
                format!("{} `{name}` is built in and has no source; K shows its documentation", here.what),
            );
            vec![]
        }
    }
}

/// Goes to a place, and adds the old one to the jump list.
pub fn go_to(graph: &Graph, code: &mut Code, cx: &mut Cx, place: &Place) -> Vec<Effect> {
    jumps::remember(graph, code, cx);
    open::open_place(code, cx, place)
}

fn list(cx: &mut Cx, here: &Here) -> Vec<Effect> {
    if here.uses.is_empty() {
        cx.show_notice(Role::Note, format!("{} is not used", named(here)));
        return vec![];
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
