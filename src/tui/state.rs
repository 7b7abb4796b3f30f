//! The whole state of the screens, as plain data. Only `update` changes it.

use super::cx::Cx;
use super::look::Look;
use super::screen::code::data::State as Code;
use super::screen::deploys::data::State as Deploys;
use super::screen::graph::data::State as Graph;
use super::screen::modules::data::State as Modules;
use super::screen::step::data::State as Step;

/// What each screen owns.
#[derive(Debug, Default)]
pub struct Screens {
    pub step: Step,
    pub code: Code,
    pub graph: Graph,
    pub modules: Modules,
    pub deploys: Deploys,
}

/// The whole state of the face.
#[derive(Debug)]
pub struct State {
    pub cx: Cx,
    pub screens: Screens,
}

impl State {
    /// Makes the first state for a terminal of this size. Nothing is compiled yet.
    pub fn new(width: u16, height: u16, look: Look, title: String, entry: String) -> Self {
        Self { cx: Cx::new((width, height), look, title, entry), screens: Screens::default() }
    }
}
