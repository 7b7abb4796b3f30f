//! What the history of this machine is asked.

use std::path::PathBuf;
use std::sync::Arc;

use crate::plan::Plan;
use crate::session::against::against;
use crate::session::history::{self, Deploy, StateError};
use crate::session::{Session, keepsakes};
use crate::tui::message::Message;
use crate::tui::program::Program;
use crate::tui::screen::deploys::Told;
use crate::tui::screen::step::past::Past;

/// The folder for state that the user named.
type State = Option<PathBuf>;

fn read(state: &State, deploy: u64) -> Result<Deploy, StateError> {
    history::deploy(state.as_ref(), Some(deploy))
}

fn words<T>(result: Result<T, StateError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// Where one stood the last time.
pub fn recall(session: &Session, state: &State) -> Message {
    Message::Recalled(session.keepsake().map_or(Ok(None), |name| keepsakes::recall(state.as_ref(), &name)))
}

pub fn list(state: &State) -> Message {
    Message::Deploys(Told::Listed(words(history::deploys(state.as_ref()))))
}

pub fn one(state: &State, deploy: u64) -> Message {
    Message::Deploys(Told::Read(deploy, words(read(state, deploy)).map(Box::new)))
}

pub fn past(state: &State, deploy: u64, program: Option<Arc<Program>>) -> Message {
    Message::Replayed(words(read(state, deploy)).map(|deploy| Box::new(Past::new(deploy, program))))
}

pub fn compare(state: &State, one: u64, other: u64) -> Message {
    let both = read(state, one).and_then(|one| Ok(history::differences(&one, &read(state, other)?)));
    Message::Deploys(Told::Compared(one, other, words(both)))
}

pub fn compare_with_last(session: &Session, state: &State, plan: &Plan, run: u64) -> Message {
    let last = words(session.last_deploy(state.as_ref()));
    Message::Against { run, result: last.map(|last| last.map(|deploy| against(plan, &deploy))) }
}
