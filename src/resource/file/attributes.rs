//! Mode, owner and group of a file: what is wanted, and what differs.

use std::path::Path;

use super::super::exec::account;
use super::super::kind::change;
use super::super::mode::{Mode, parse_mode, parse_mode_change};
use super::super::{Seen, Turn};
use crate::host::{HostError, Look, Operation, Owner, Stat};
use crate::plan::{Action, Change};

/// What is wanted; `None` leaves it as it is.
#[derive(Clone)]
pub(super) struct Attributes {
    pub mode: Option<Mode>,
    pub owner: Owner,
    /// The security label, without the zero byte at its end.
    pub label: Option<String>,
}

/// Where the kernel keeps the label, and what says that it keeps one at all.
const LABEL: &str = "security.selinux";
const SELINUX: &str = "/sys/fs/selinux/enforce";

impl Attributes {
    pub fn read(turn: &Turn, look: &dyn Look) -> Result<Self, HostError> {
        let label = turn.text("selinux")?.map(str::to_owned);
        if label.is_some() && look.stat(Path::new(SELINUX))?.is_none() {
            return Err(HostError::Refused("`selinux` is set, and this system has no SELinux".into()));
        }
        let mode = match turn.text("mode_change")? {
            Some(change) => Some(parse_mode_change(change)),
            None => turn.text("mode")?.map(parse_mode),
        };
        let mode = mode.transpose().map_err(HostError::Refused)?;
        let uid = account(turn.text("owner")?, "user", |name| look.uid(name))?;
        let gid = account(turn.text("group")?, "group", |name| look.gid(name))?;
        Ok(Self { mode, owner: Owner { uid, gid }, label })
    }

    /// The same of a folder.
    pub fn of_folder(mut self, turn: &Turn) -> Result<Self, HostError> {
        if turn.flag("folder_x")? {
            self.mode = self.mode.map(Mode::of_folder);
        }
        Ok(self)
    }

    /// The mode of something new: the usual one without what the mask takes, with what is wanted over it.
    pub fn mode_of_new(&self, usual: u32, look: &dyn Look) -> u32 {
        let usual = usual & !look.identity().umask;
        self.mode.map_or(usual, |mode| mode.over(usual))
    }

    /// A file that is put in the place of another keeps its owner, where nothing else is wanted.
    pub fn owner_over(&self, stat: &Stat) -> Owner {
        Owner { uid: self.owner.uid.or(Some(stat.uid)), gid: self.owner.gid.or(Some(stat.gid)) }
    }

    /// What is asked for of something new.
    pub fn of_new(&self, mode: u32, look: &dyn Look) -> Vec<Change> {
        let mode = self.mode.map(|_| change("mode", None, Some(octal(mode))));
        let owner = self.owner.uid.map(|uid| change("owner", None, Some(user(uid, look))));
        let group = self.owner.gid.map(|gid| change("group", None, Some(group(gid, look))));
        let label = self.label.clone().map(|label| change("selinux", None, Some(label)));
        [mode, owner, group, label].into_iter().flatten().collect()
    }

    /// What differs of something that is there, and how it is put right.
    pub fn differences(&self, path: &Path, stat: &Stat, look: &dyn Look) -> Result<Seen, HostError> {
        let mut seen = Seen::right();
        let to_mode = self.mode.map_or(stat.mode, |mode| mode.over(stat.mode));
        if to_mode != stat.mode {
            seen.changes.push(change("mode", Some(octal(stat.mode)), Some(octal(to_mode))));
        }
        let uid = self.owner.uid.filter(|uid| *uid != stat.uid);
        if let Some(uid) = uid {
            seen.changes.push(change("owner", Some(user(stat.uid, look)), Some(user(uid, look))));
        }
        let gid = self.owner.gid.filter(|gid| *gid != stat.gid);
        if let Some(gid) = gid {
            seen.changes.push(change("group", Some(group(stat.gid, look)), Some(group(gid, look))));
        }
        let owner = Owner { uid, gid };
        if owner != Owner::default() {
            seen.operations.push(Operation::SetOwner { path: path.into(), owner });
        }
        // A change of owner takes the set-user bits away, so they are set again.
        if to_mode != stat.mode || (owner != Owner::default() && to_mode & 0o6000 != 0) {
            seen.operations.push(Operation::SetMode { path: path.into(), mode: to_mode });
        }
        if let Some(wanted) = &self.label {
            let have = look.xattr(path, LABEL)?.map(label_text);
            if have.as_ref() != Some(wanted) {
                seen.changes.push(change("selinux", have, Some(wanted.clone())));
                seen.operations.extend(self.label_it(path));
            }
        }
        if !seen.changes.is_empty() {
            seen.action = Action::Change;
        }
        Ok(seen)
    }

    /// Gives something its label, where one is asked for.
    pub fn label_it(&self, path: &Path) -> Option<Operation> {
        let label = self.label.as_ref()?;
        // The kernel ends it with a zero byte, and so do the tools that read it.
        let value = [label.as_bytes(), b"\0"].concat();
        Some(Operation::SetXattr { path: path.into(), name: LABEL, value })
    }
}

fn label_text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

fn user(uid: u32, look: &dyn Look) -> String {
    look.user_name(uid).unwrap_or_else(|| uid.to_string())
}

fn group(gid: u32, look: &dyn Look) -> String {
    look.group_name(gid).unwrap_or_else(|| gid.to_string())
}
