//! The kind `group`: manages a group of users.

use super::reader::{Reader, account_name};
use super::steps::Steps;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::host::{AccountChange, Accounts, HostError, Look, SystemChange};
use crate::plan::Action;
use crate::source::printable;

/// The kind `group`, which manages a group of users.
pub struct Group;

impl Kind for Group {
    fn schema(&self) -> &'static Schema {
        schema("group").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        given.must_be("state", &["exists", "absent"])?;
        account_name("the name", given.name)
    }

    fn shares(&self) -> Option<&'static str> {
        Some("the accounts")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let accounts = look.accounts()?;
        let there = accounts.group(turn.name);
        let mut steps = Steps::default();
        match (turn.text("state")?, there) {
            (Some("absent"), None) => Ok(Checked::right()),
            (Some("absent"), Some(_)) => {
                let name = turn.name.to_owned();
                // Predicts the tool's errors.
                accounts.clone().change(&AccountChange::RemoveGroup { name: name.clone() })?;
                steps.differs("state", Some("exists".into()), Some("absent".into()));
                steps.change(SystemChange::Account(AccountChange::RemoveGroup { name }), look)?;
                Ok(steps.seen(Action::Remove))
            }
            (Some("exists"), there) => {
                let wanted = number(turn, "gid")?;
                let name = turn.name.to_owned();
                if let Some(gid) = wanted {
                    is_free(&accounts, gid, turn.name)?;
                }
                match there {
                    None if is_kept_elsewhere(look.gid(turn.name))? => {
                        Ok(Checked::right().with_note("it is managed by a directory service"))
                    }
                    None => {
                        let gid = match wanted {
                            Some(gid) => Some(gid),
                            None => next(accounts.next_gid(), |gid| look.group_name(gid).is_some()),
                        };
                        steps.differs("state", Some("absent".into()), Some("exists".into()));
                        steps.differs("gid", None, gid.map(|gid| gid.to_string()));
                        steps.change(SystemChange::Account(AccountChange::AddGroup { name, gid }), look)?;
                        Ok(steps.seen(Action::Create))
                    }
                    Some(group) => {
                        if let Some(gid) = wanted.filter(|gid| *gid != group.gid) {
                            steps.differs("gid", Some(group.gid.to_string()), Some(gid.to_string()));
                            steps.note("existing files keep the old number");
                            steps.change(SystemChange::Account(AccountChange::SetGroup { name, gid }), look)?;
                        }
                        Ok(steps.seen(Action::Change))
                    }
                }
            }
            _ => Err(HostError::Refused("unknown `state`: use `exists` or `absent`".into())),
        }
    }
}

fn is_free(accounts: &Accounts, gid: u32, name: &str) -> Result<(), HostError> {
    match accounts.group_by_id(gid).filter(|group| group.name != name) {
        None => Ok(()),
        Some(other) => {
            Err(HostError::Refused(format!("the number {gid} belongs to the group `{}`", printable(&other.name))))
        }
    }
}

/// Whether a directory service has a name. An unknown answer, from a step that may create the name, counts as no.
pub(super) fn is_kept_elsewhere(number: Result<Option<u32>, HostError>) -> Result<bool, HostError> {
    match number {
        Err(error) if error.is_unknown() => Ok(false),
        number => Ok(number?.is_some()),
    }
}

/// Returns a parameter with the number of an account.
pub(super) fn number(turn: &Turn, param: &str) -> Result<Option<u32>, HostError> {
    let bad = || HostError::Refused(format!("`{param}` is not a valid account number"));
    match turn.int(param)? {
        None => Ok(None),
        // The highest number means "none" in the system calls.
        Some(number) => u32::try_from(number).ok().filter(|number| *number != u32::MAX).map(Some).ok_or_else(bad),
    }
}

/// Returns the next free number, including those of a directory service.
pub(super) fn next(first: Option<u32>, is_taken: impl Fn(u32) -> bool) -> Option<u32> {
    const TRIES: u32 = 1000;
    let first = first?;
    (first..first.saturating_add(TRIES)).find(|number| !is_taken(*number))
}
