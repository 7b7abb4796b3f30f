//! Why a live run did not start, and what the screens show of an interrupted deploy.

use super::Applier;
use crate::session::history::{self, Begin, CutOff, Deploy};
use crate::session::{self, ApplyError, Session};
use crate::tui::screen::step::live::{Cut, Refusal};

impl Applier {
    pub(super) fn refusal(&self, error: ApplyError, as_root: bool) -> Refusal {
        match error {
            ApplyError::Unfinished(deploy) if as_root => match session::to_resume(&self.keeping_as(true)) {
                Ok(Some(cut)) => Refusal::Unfinished(Box::new(interrupted_as_root(&self.session, &cut))),
                _ => Refusal::Other(vec![
                    format!("Root's deploy {deploy} was interrupted and needs a decision."),
                    format!("workbench deploy resume {deploy} --sudo resumes it; undo instead undoes it"),
                ]),
            },
            ApplyError::Held(holder) => {
                let status = session::look_in(self.state.as_ref()).ok();
                match status.filter(|status| status.pid == holder.pid && status.is_parked()) {
                    Some(status) => Refusal::Parked(Box::new(status)),
                    None => Refusal::Held(holder),
                }
            }
            ApplyError::Unfinished(deploy) => match history::deploy(self.state.as_ref(), Some(deploy)) {
                Ok(cut) => Refusal::Unfinished(Box::new(interrupted_deploy(&self.session, &cut))),
                Err(error) => Refusal::Other(vec![error.to_string()]),
            },
            ApplyError::Strangers(_) => {
                let way = "read them on Modules (4), Space a approves a module".to_string();
                Refusal::Other(vec![error.to_string(), way])
            }
            ApplyError::SudoAsks => Refusal::Password,
            ApplyError::AlreadyEnded(_)
            | ApplyError::Altered(_)
            | ApplyError::Denied(_)
            | ApplyError::NotForHere(_)
            | ApplyError::State(_)
            | ApplyError::Applier(_)
            | ApplyError::Sudo(_) => Refusal::Other(vec![error.to_string()]),
        }
    }
}

/// What the screens of an entry show of an interrupted deploy.
pub(super) fn interrupted_deploy(session: &Session, deploy: &Deploy) -> Cut {
    let operations = deploy.steps.iter().filter(|step| !step.is_own).map(|step| {
        let how = match (step.is_open(), step.was_done(), &step.error) {
            (true, ..) => "was interrupted",
            (_, true, _) if step.intent.operation.is_command() => "was run",
            (_, true, _) => "was done",
            (.., Some(_)) => "failed",
            _ => "was not done",
        };
        format!("{}: {}: {how}", step.intent.resource, step.intent.operation.words())
    });
    let commands = deploy.open_steps().filter(|step| step.intent.operation.path().is_none());
    let commands = commands.map(|step| format!("{}: {}", step.intent.resource, step.intent.operation.words()));
    Cut {
        operations: operations.collect(),
        commands: commands.collect(),
        ran: history::ran(deploy),
        graph: deploy.graph().into(),
        ..begun(session, &deploy.begin)
    }
}

/// The same for root's deploy, as far as it is readable.
pub(super) fn interrupted_as_root(session: &Session, cut: &CutOff) -> Cut {
    let commands: Vec<String> = cut.commands.iter().map(|(resource, words)| format!("{resource}: {words}")).collect();
    let operations = commands.iter().map(|command| format!("{command}: interrupted")).collect();
    Cut { operations, commands, ran: cut.ran.clone(), as_root: true, ..begun(session, &cut.begin) }
}

/// A deploy that was interrupted before its first change.
fn begun(session: &Session, begin: &Begin) -> Cut {
    let undoes = match begin.purpose {
        history::Purpose::Undo { deploy } => Some(deploy),
        history::Purpose::Apply | history::Purpose::Resume { .. } => None,
    };
    let then = begin.made_for();
    let now = session.compiled_for();
    let differs = then.as_ref().map(|then| then.differences(&format!("deploy {}", begin.deploy), &now));
    let is_other = !session.is_of(begin);
    Cut {
        deploy: begin.deploy,
        differs: differs.unwrap_or_default(),
        adopts: then.filter(|then| !is_other && !then.has_options_of(&now)).map(Box::new),
        time: begin.time.clone(),
        entry: history::place_words(begin),
        is_other,
        graph: begin.graph.clone(),
        undoes,
        ..Cut::default()
    }
}
