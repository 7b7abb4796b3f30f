//! The kind `user`: manages a user account. Passwords stay unchanged, and a new account has no valid one.

use super::group::{is_kept_elsewhere, next, number};
use super::reader::{Reader, account_name};
use super::steps::Steps;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::Value;
use crate::host::{AccountChange, Accounts, HostError, Look, NewUser, SystemChange, User as Record};
use crate::plan::Action;
use crate::source::printable;

/// The kind `user`, which manages a user account.
pub struct User;

impl Kind for User {
    fn schema(&self) -> &'static Schema {
        schema("user").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        account_name("the name", given.name)?;
        given.must_be("state", &["exists", "absent"])?;
        if given.is_set("gid") && given.is_set("group") {
            return Err("`gid` and `group` cannot both be set".into());
        }
        if let Some(group) = given.text("group") {
            account_name("`group`", group)?;
        }
        for group in given.list("groups") {
            account_name("`groups`", group)?;
            // Puppet may add the user to a group with its own name.
            let is_own = given.name == group && !given.is_set("more_groups");
            if given.text("group") == Some(group) || is_own {
                return Err(format!("`groups` contains the main group `{group}`"));
            }
        }
        match given.text("homedir") {
            Some(home) if !home.ends_with('/') => Err("`homedir` must end in a slash".into()),
            _ => Ok(()),
        }
    }

    fn shares(&self) -> Option<&'static str> {
        Some("the accounts")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let accounts = look.accounts()?;
        let there = accounts.user(turn.name);
        match (turn.text("state")?, there) {
            (Some("absent"), None) => Ok(Checked::right()),
            (Some("absent"), Some(_)) => {
                let mut steps = Steps::default();
                steps.differs("state", Some("exists".into()), Some("absent".into()));
                steps.note("the home folder is kept");
                let name = turn.name.to_owned();
                steps.change(SystemChange::Account(AccountChange::RemoveUser { name }), look)?;
                Ok(steps.seen(Action::Remove))
            }
            (Some("exists"), there) => {
                let wanted = DesiredAccount::read(turn, look, &accounts)?;
                match there {
                    Some(there) => changed(turn, look, &accounts, there, wanted),
                    None if is_kept_elsewhere(look.uid(turn.name))? => {
                        Ok(Checked::right().with_note("it is managed by a directory service"))
                    }
                    None => added(turn, look, &accounts, wanted),
                }
            }
            _ => Err(HostError::Refused("unknown `state`: use `exists` or `absent`".into())),
        }
    }
}

/// The desired account, with names resolved to numbers. `None`: unchanged.
struct DesiredAccount {
    uid: Option<u32>,
    gid: Option<u32>,
    /// Sorted.
    groups: Option<Vec<String>>,
    home: Option<String>,
    shell: Option<String>,
    comment: Option<String>,
    shares_uid: bool,
}

impl DesiredAccount {
    fn read(turn: &Turn, look: &dyn Look, accounts: &Accounts) -> Result<Self, HostError> {
        let shares_uid = turn.flag("allowduplicateuid")?;
        let uid = number(turn, "uid")?;
        if let Some(uid) = uid
            && let Some(other) = accounts.user_by_id(uid).filter(|other| other.name != turn.name)
            && !shares_uid
        {
            let other = printable(&other.name).to_string();
            return Err(HostError::Refused(format!("the number {uid} belongs to the user `{other}`")));
        }
        let gid = match (number(turn, "gid")?, turn.text("group")?) {
            (Some(gid), _) => {
                if accounts.group_by_id(gid).is_none() && look.group_name(gid).is_none() {
                    return Err(HostError::NoAccount { what: "group with the number", name: gid.to_string() });
                }
                Some(gid)
            }
            (None, Some(name)) => Some(gid_of(look, name)?),
            (None, None) => None,
        };
        Ok(Self {
            uid,
            gid,
            groups: groups(turn, look, accounts)?,
            home: turn.text("homedir")?.map(|home| trimmed(home).to_owned()),
            shell: turn.text("shell")?.map(str::to_owned),
            comment: comment(turn)?,
            shares_uid,
        })
    }
}

fn gid_of(look: &dyn Look, name: &str) -> Result<u32, HostError> {
    look.gid(name)?.ok_or_else(|| HostError::NoAccount { what: "group", name: name.to_owned() })
}

/// Returns the supplementary groups; `None` if the list is unset, which differs from an empty list.
fn groups(turn: &Turn, look: &dyn Look, accounts: &Accounts) -> Result<Option<Vec<String>>, HostError> {
    if matches!(turn.params.get("groups"), None | Some(Value::Null)) {
        return Ok(None);
    }
    let mut groups: Vec<String> = turn.texts("groups")?.into_iter().map(str::to_owned).collect();
    if turn.flag("more_groups")? {
        groups.extend(accounts.groups_of(turn.name));
    }
    groups.sort_unstable();
    groups.dedup();
    for group in &groups {
        gid_of(look, group)?;
    }
    Ok(Some(groups))
}

/// Returns a comment that cannot break the table of accounts.
fn comment(turn: &Turn) -> Result<Option<String>, HostError> {
    let comment = turn.any_text("comment")?;
    if comment.is_some_and(|text| text.contains(|c: char| c == ':' || c.is_control())) {
        return Err(HostError::Refused("`comment` contains a colon or a control character".into()));
    }
    Ok(comment.map(str::to_owned))
}

/// Removes the final slash of the parameter.
fn trimmed(home: &str) -> &str {
    let trimmed = home.trim_end_matches('/');
    if trimmed.is_empty() { "/" } else { trimmed }
}

fn added(turn: &Turn, look: &dyn Look, accounts: &Accounts, wanted: DesiredAccount) -> Result<Checked, HostError> {
    let mut steps = Steps::default();
    let uid = match wanted.uid {
        Some(uid) => Some(uid),
        // The tool picks from a range that is unknown here.
        None if turn.flag("system")? => None,
        None => next(accounts.next_uid(), |uid| look.user_name(uid).is_some()),
    };
    steps.differs("state", Some("absent".into()), Some("exists".into()));
    if let Some(uid) = uid {
        steps.differs("uid", None, Some(uid.to_string()));
    }
    if let Some(gid) = wanted.gid {
        steps.differs("group", None, Some(group_shown(look, gid)));
    }
    let groups = wanted.groups.unwrap_or_default();
    if !groups.is_empty() {
        steps.differs("groups", None, Some(groups.join(", ")));
    }
    for (property, value) in [("homedir", &wanted.home), ("shell", &wanted.shell), ("comment", &wanted.comment)] {
        if value.is_some() {
            steps.differs(property, None, value.clone());
        }
    }
    let user = NewUser {
        name: turn.name.to_owned(),
        uid,
        gid: wanted.gid,
        groups,
        comment: wanted.comment,
        makes_home: turn.flag("makes_home")?,
        is_system: turn.flag("system")?,
        home: wanted.home,
        shell: wanted.shell,
        shares_uid: wanted.shares_uid,
    };
    steps.change(SystemChange::Account(AccountChange::AddUser(user)), look)?;
    Ok(steps.seen(Action::Create))
}

fn changed(
    turn: &Turn,
    look: &dyn Look,
    accounts: &Accounts,
    there: &Record,
    wanted: DesiredAccount,
) -> Result<Checked, HostError> {
    let mut steps = Steps::default();
    let uid = wanted.uid.filter(|uid| *uid != there.uid);
    let gid = wanted.gid.filter(|gid| *gid != there.gid);
    let listed = accounts.groups_of(turn.name);
    let groups = wanted.groups.filter(|groups| *groups != listed);
    let home = wanted.home.filter(|home| home != trimmed(&there.home));
    let shell = wanted.shell.filter(|shell| *shell != there.shell);
    let comment = wanted.comment.filter(|comment| *comment != there.comment);
    if let Some(uid) = uid {
        steps.differs("uid", Some(there.uid.to_string()), Some(uid.to_string()));
        steps.note("existing files outside the home folder keep the old number");
    }
    if let Some(gid) = gid {
        steps.differs("group", Some(group_shown(look, there.gid)), Some(group_shown(look, gid)));
    }
    if let Some(groups) = &groups {
        steps.differs("groups", Some(listed.join(", ")), Some(groups.join(", ")));
    }
    let texts =
        [("homedir", &there.home, &home), ("shell", &there.shell, &shell), ("comment", &there.comment, &comment)];
    for (property, from, to) in texts {
        if to.is_some() {
            steps.differs(property, Some(from.clone()), to.clone());
        }
    }
    let is_right = uid.is_none() && gid.is_none() && groups.is_none();
    if is_right && home.is_none() && shell.is_none() && comment.is_none() {
        return Ok(Checked::right());
    }
    let (name, shares_uid) = (turn.name.to_owned(), wanted.shares_uid);
    let change = AccountChange::SetUser { name, uid, gid, groups, home, shell, comment, shares_uid };
    steps.change(SystemChange::Account(change), look)?;
    Ok(steps.seen(Action::Change))
}

fn group_shown(look: &dyn Look, gid: u32) -> String {
    look.group_name(gid).unwrap_or_else(|| gid.to_string())
}
