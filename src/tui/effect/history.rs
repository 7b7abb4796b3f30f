//! Queries of this machine's history.

use std::path::PathBuf;

use super::files::written;
use crate::graph::Graph;
use crate::plan::Plan;
use crate::session::against::against;
use crate::session::history::{self, Deploy, StateError, Summary};
use crate::session::operations::{Operations, operations};
use crate::session::{Session, keepsakes};
use crate::tui::message::Message;
use crate::tui::screen::deploys::{Listed, Notice};

/// The state folder that the user named.
type State = Option<PathBuf>;

fn read(state: &State, deploy: u64) -> Result<Deploy, StateError> {
    history::deploy(state.as_ref(), Some(deploy))
}

fn words<T>(result: Result<T, StateError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// The saved state of the last session.
pub fn recall(session: &Session, state: &State) -> Message {
    Message::Recalled(session.keepsake().map_or(Ok(None), |name| keepsakes::recall(state.as_ref(), &name)))
}

/// This many fill any window, and can be read at once.
const NEWEST: usize = 200;

/// The newest deploys, if there are so many that reading all of them takes a while.
pub fn newest(state: &State) -> Option<Message> {
    let deploys = history::newest_first(state.as_ref()).ok()?.filter_map(Result::ok);
    let mut deploys: Vec<_> = deploys.take(NEWEST + 1).collect();
    let oldest = deploys.pop().filter(|_| deploys.len() == NEWEST)?.begin?.time;
    let mut operations = operations(state.as_ref()).unwrap_or_default();
    operations.all.retain(|operation| operation.time > oldest);
    let at_work = is_at_work(state, &deploys);
    Some(Message::Deploys(Notice::Newest(Listed { deploys, operations, unread: None, at_work })))
}

fn is_at_work(state: &State, deploys: &[Summary]) -> Option<bool> {
    let is_open = deploys.first().is_some_and(|newest| newest.end.is_none());
    if is_open { history::at_work(state.as_ref()) } else { Some(false) }
}

/// Lists the deploys, plans and fetches. An error becomes part of the message.
pub fn list(state: &State) -> Message {
    let foreign = history::check_owner(state.as_ref()).err();
    let listed = history::deploys(state.as_ref()).and_then(|deploys| match &foreign {
        // This user cannot have written anything there.
        Some(foreign) if deploys.is_empty() => Err(foreign.clone()),
        _ => Ok(deploys),
    });
    let listed = words(listed).map(|deploys| {
        let (operations, unread) = match operations(state.as_ref()) {
            Ok(operations) => (operations, None),
            Err(error) => (Operations::default(), Some(format!("cannot read plans and fetches: {error}"))),
        };
        let unread =
            unread.or_else(|| foreign.map(|foreign| format!("{foreign}: nothing can be applied or recorded there")));
        let at_work = is_at_work(state, &deploys);
        Listed { deploys, operations, unread, at_work }
    });
    Message::Deploys(Notice::Listed(listed))
}

/// Writes a deploy to a new file, as `workbench deploy show --format json` prints it.
pub fn export(state: &State, deploy: u64, file: PathBuf) -> Message {
    let result = words(read(state, deploy)).and_then(|deploy| {
        let text = format!("{}\n", history::as_json(&deploy));
        written(&file, &text).map(|()| text.len())
    });
    Message::DeployExported { deploy, file, result }
}

pub fn one(state: &State, deploy: u64) -> Message {
    Message::Deploys(Notice::Read(deploy, words(read(state, deploy)).map(Box::new)))
}

pub fn compare(state: &State, one: u64, other: u64) -> Message {
    let both = read(state, one).and_then(|one| Ok(history::differences(&one, &read(state, other)?)));
    Message::Deploys(Notice::Compared(one, other, words(both)))
}

/// Compares a plan with the last deploy of its entry. `run` identifies the request.
pub fn compare_with_last(session: &Session, state: &State, plan: &Plan, graph: Option<&Graph>, run: u64) -> Message {
    let last = words(session.last_deploy(state.as_ref()));
    let hash = graph.map(history::graph_hash);
    Message::Against { run, result: last.map(|last| last.map(|last| against(plan, hash.as_deref(), &last))) }
}
