//! Mode, owner and group of a file: the desired values and the differences.

use std::path::Path;

use super::super::exec::account;
use super::super::kind::change;
use super::super::mode::Mode;
use super::super::{Checked, Turn};
use super::params::FileParams;
use crate::host::{HostError, Look, Operation, Owner, Stat};
use crate::plan::{Action, Change};

/// The desired values; `None` leaves a value unchanged.
#[derive(Clone)]
pub(super) struct Attributes {
    pub mode: Option<Mode>,
    pub owner: Owner,
    /// The security label, without the final zero byte.
    pub label: Option<String>,
}

/// The extended attribute of the label.
const LABEL: &str = "security.selinux";
const SELINUX: &str = "/sys/fs/selinux/enforce";

impl Attributes {
    /// Reads the desired mode, owner, group and SELinux label. It fails if the label is set on a system without
    /// SELinux.
    pub fn read(turn: &Turn, look: &dyn Look) -> Result<Self, HostError> {
        let params: &FileParams = turn.typed.get()?;
        let label = params.selinux.get()?.cloned();
        if label.is_some() && look.stat(Path::new(SELINUX))?.is_none() {
            return Err(HostError::Refused("`selinux` is set, and this system has no SELinux".into()));
        }
        let uid = account(params.owner.get()?.map(String::as_str), "user", |name| look.uid(name))?;
        let gid = account(params.group.get()?.map(String::as_str), "group", |name| look.gid(name))?;
        Ok(Self { mode: params.mode.get()?.cloned(), owner: Owner { uid, gid }, label })
    }

    /// The same for a folder.
    pub fn of_folder(mut self, turn: &Turn) -> Result<Self, HostError> {
        let is_entered = turn.typed.get::<FileParams>()?.folder_x.flag()?;
        let of_folder = if is_entered { Mode::of_folder } else { Mode::change_of_folder };
        self.mode = self.mode.as_ref().map(of_folder);
        Ok(self)
    }

    /// Returns the mode of a new file: the usual one reduced by the mask, with the desired bits over it.
    pub fn mode_of_new(&self, usual: u32, look: &dyn Look) -> u32 {
        let usual = usual & !look.identity().umask;
        self.mode.as_ref().map_or(usual, |mode| mode.over(usual))
    }

    /// Returns the owner of a replacing file, which by default is the old owner.
    pub fn owner_over(&self, stat: &Stat) -> Owner {
        Owner { uid: self.owner.uid.or(Some(stat.uid)), gid: self.owner.gid.or(Some(stat.gid)) }
    }

    /// Returns the changes of a new file.
    pub fn of_new(&self, mode: u32, look: &dyn Look) -> Vec<Change> {
        let mode = self.mode.as_ref().map(|_| change("mode", None, Some(octal(mode))));
        let owner = self.owner.uid.map(|uid| change("owner", None, Some(user(uid, look))));
        let group = self.owner.gid.map(|gid| change("group", None, Some(group(gid, look))));
        let label = self.label.clone().map(|label| change("selinux", None, Some(label)));
        [mode, owner, group, label].into_iter().flatten().collect()
    }

    /// Returns the differences of an existing file, with the operations that correct them.
    pub fn differences(&self, path: &Path, stat: &Stat, look: &dyn Look) -> Result<Checked, HostError> {
        let mut seen = Checked::right();
        let to_mode = self.mode.as_ref().map_or(stat.mode, |mode| mode.over(stat.mode));
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
        // A change of owner clears the set-user bits, so they are set again.
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

    /// Returns the operation that sets the label, if one is declared.
    pub fn label_it(&self, path: &Path) -> Option<Operation> {
        let label = self.label.as_ref()?;
        // The kernel and its tools expect a final zero byte.
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
