//! The screens. Each has its state, its part of update, and a view that decides nothing.

pub mod code;
pub mod comparing;
pub mod deploys;
pub mod graph;
pub mod log;
pub mod modules;
pub mod step;
pub mod pane;

use std::path::PathBuf;

use ratatui::prelude::{Buffer, Position, Rect};

use super::keymap::{Action, Enabled, When};
use super::list::{ListPane, Rows};
use super::{cx::Cx, front::Front, program::Program, widget::list::Move};
use crate::graph::{Node, NodeIndex};
use crate::plan::RESOURCE_KEYS;
use crate::source::Place;
pub use crate::tui::screen::pane::{Pane, ScreenId};
use crate::tui::screen::step::data::State as Step;

/// What each screen owns.
#[derive(Debug, Default)]
pub struct Screens {
    pub step: Step,
    pub code: code::State,
    pub graph: graph::State,
    pub modules: modules::State,
    pub deploys: deploys::State,
    pub log: log::State,
}

/// What a list offers to a screen that filters it.
pub trait Listed {
    fn words(&self) -> &str;

    fn is_empty(&self) -> bool;
}

impl<R: Rows> Listed for ListPane<R> {
    fn words(&self) -> &str {
        self.words()
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// What is under the cursor of a screen.
pub trait Selection {
    /// Its list; `None` if it shows text.
    fn list(&self) -> Option<&dyn Listed>;

    fn words(&self) -> &str {
        self.list().map_or("", Listed::words)
    }

    /// The keys that the words may start with.
    fn filter_keys(&self) -> &'static [&'static str] {
        &RESOURCE_KEYS
    }

    /// Example words, shown while none are typed.
    fn filter_example(&self) -> &'static str {
        "words, kind:file, act:create, state:failed, !nginx"
    }

    /// Whether its list has a row.
    fn has_rows(&self) -> bool {
        self.list().is_none_or(|list| !list.is_empty())
    }

    /// Whether text is selected, even if only one character.
    fn is_selecting(&self) -> bool {
        false
    }

    /// The position of the terminal's cursor; `None` on screens with lists.
    fn cursor(&self, _: &Cx) -> Option<Position> {
        None
    }

    fn resources(&self, _: Front<'_>) -> Vec<NodeIndex> {
        vec![]
    }

    /// Why there is none.
    fn no_resource(&self) -> &'static str {
        "no resource here"
    }

    /// The name under the cursor, as a search text; text screens have their own.
    fn name(&self, front: Front<'_>) -> Option<String> {
        Some(bare(front.program()?, front.resource()?))
    }

    /// Where the resource under the cursor is declared.
    fn place(&self, front: Front<'_>) -> Option<Place> {
        front.program()?.graph.resource(front.resource()?)?.source.clone()
    }

    /// The file and line for an editor.
    fn file(&self, front: Front<'_>) -> Option<(PathBuf, u32)> {
        let place = self.place(front)?;
        Some((front.cx.path_of(&place)?, place.line))
    }

    /// Why there is none.
    fn no_file(&self) -> &'static str {
        "no file here"
    }

    /// The text that `y` copies.
    fn copy(&self, front: Front<'_>) -> Option<String>;

    /// The text that `gy` copies.
    fn copied_place(&self, front: Front<'_>) -> Option<String> {
        self.place(front).map(|place| format!("{}:{}", place.file, place.line))
    }

    /// On a list of deploys, the one under the cursor and the one to compare it with.
    fn deploys(&self) -> Option<[Option<u64>; 2]> {
        None
    }

    /// Whether one of its own actions is enabled.
    fn enabled(&self, when: When, front: Front<'_>) -> Enabled;
}

/// The plan, for all screens but Plan itself.
#[derive(Clone, Copy)]
pub struct Beside<'a>(Option<&'a Step>);

impl<'a> Beside<'a> {
    pub fn plan(self) -> &'a Step {
        self.0.expect("only Plan itself has no plan beside it")
    }
}

/// A screen: it draws its panes, and handles the keys and clicks in them.
pub trait Screen: Selection {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect);

    fn go(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, step: Move, count: usize);

    fn act(&mut self, cx: &mut Cx, beside: Beside<'_>, action: Action, count: usize);

    /// Clamps the scroll positions to the cursors after a change.
    fn clamp(&mut self, cx: &mut Cx, beside: Beside<'_>);

    /// Applies the filter or search line while it is typed.
    fn filter(&mut self, cx: &mut Cx, beside: Beside<'_>, words: &str);

    /// Selects what is under the mouse; row and column are counted inside the pane.
    fn click(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, at: (usize, usize));
}

impl Screens {
    /// One screen, and the plan if that is another one.
    pub fn get_mut(&mut self, id: ScreenId) -> (&mut dyn Screen, Beside<'_>) {
        let Screens { step, code, graph, modules, deploys, log } = self;
        let screen: &mut dyn Screen = match id {
            ScreenId::Step => return (step, Beside(None)),
            ScreenId::Code => code,
            ScreenId::Graph => graph,
            ScreenId::Modules => modules,
            ScreenId::Deploys => deploys,
            ScreenId::Log => log,
        };
        (screen, Beside(Some(step)))
    }
}

/// The name of a node without its kind.
fn bare(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.shown().name.to_string(),
        Node::Anchor(_) => program.id(node).0.to_string(),
    }
}
