//! The form of an operation in a journal: enough to decide whether it was done, and no secrets.
//!
//! A new facet adds its variant here, defines in [`LoggedOperation::was_done`] how to recognise its result, and in
//! [`super::inverse::Inverse`] how to undo it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::blob::Digest;
use super::image::{Depth, Image};
use super::record::Completion;
use super::text::{self, Bytes};
use crate::host::{self, Operation, Owner, SystemChange};
use crate::source::printable;

/// A journalled operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
pub enum LoggedOperation {
    WriteFile {
        #[serde(with = "text::path")]
        path: PathBuf,
        /// `None`: secret, or known only after the copy.
        content: Option<Digest>,
        mode: u32,
        owner: Owner,
    },
    MakeDir {
        #[serde(with = "text::path")]
        path: PathBuf,
        mode: u32,
        owner: Owner,
    },
    MakeLink {
        #[serde(with = "text::path")]
        path: PathBuf,
        #[serde(with = "text::path")]
        target: PathBuf,
    },
    SetMode {
        #[serde(with = "text::path")]
        path: PathBuf,
        mode: u32,
    },
    SetOwner {
        #[serde(with = "text::path")]
        path: PathBuf,
        owner: Owner,
    },
    SetXattr {
        #[serde(with = "text::path")]
        path: PathBuf,
        name: String,
        value: Bytes,
    },
    /// A file, a link, an empty folder, or a folder with its contents.
    Remove {
        #[serde(with = "text::path")]
        path: PathBuf,
    },
    /// Restores the state of a path before another operation.
    #[serde(rename = "put_back")]
    Restore {
        #[serde(with = "text::path")]
        path: PathBuf,
        image: Image,
    },
    /// A user's command. The arguments are left out if they may be secret.
    Command { program: String, args: Option<Vec<String>> },
    /// A change of packages, services, accounts, mounts, the kernel or the network; left out if it may be secret.
    System {
        change: Option<SystemChange>,
        /// How to undo it, derived from the state before.
        inverse: Option<host::Inverse>,
    },
}

/// A list cuts a command at this length, in characters.
const COMMAND: usize = 200;

/// Formats a command as one shell line. Arguments that may be secret are only mentioned.
fn command_words(program: &str, args: Option<&[String]>) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    let quoted = |word: &str| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let Some(args) = args else { return format!("{} (arguments not shown)", printable(program)) };
    let all = std::iter::once(program).chain(args.iter().map(String::as_str)).map(quoted).collect::<Vec<_>>().join(" ");
    let shown = printable(&all).to_string();
    match shown.char_indices().nth(COMMAND) {
        Some((end, _)) => format!("{}...", &shown[..end]),
        None => shown,
    }
}

impl LoggedOperation {
    /// Returns the journal's form of an operation, and how much of the state before it must be stored. `hides`: the new
    /// content must not be recorded. `None` for an operation that does not concern one path.
    pub fn of(operation: &Operation, hides: bool) -> Option<(LoggedOperation, Depth)> {
        Some(match operation.clone() {
            Operation::WriteFile { path, image } => {
                let content = image.content.filter(|_| !hides).map(|content| Digest::of(&content));
                (LoggedOperation::WriteFile { path, content, mode: image.mode, owner: image.owner }, Depth::Content)
            }
            // The content is known only when it is read. Until then recovery cannot compare it.
            Operation::CopyFile { path, mode, owner, .. } => {
                (LoggedOperation::WriteFile { path, content: None, mode, owner }, Depth::Content)
            }
            Operation::MakeDir { path, mode, owner } => {
                (LoggedOperation::MakeDir { path, mode, owner }, Depth::Attributes)
            }
            Operation::MakeLink { path, target } => (LoggedOperation::MakeLink { path, target }, Depth::Content),
            Operation::SetMode { path, mode } => (LoggedOperation::SetMode { path, mode }, Depth::Attributes),
            Operation::SetOwner { path, owner } => (LoggedOperation::SetOwner { path, owner }, Depth::Attributes),
            Operation::SetXattr { path, name, value } => {
                (LoggedOperation::SetXattr { path, name: name.into(), value: Bytes(value) }, Depth::Attributes)
            }
            Operation::RemoveFile { path } => (LoggedOperation::Remove { path }, Depth::Content),
            Operation::RemoveDir { path } => (LoggedOperation::Remove { path }, Depth::Attributes),
            Operation::RemoveTree { path } => (LoggedOperation::Remove { path }, Depth::Tree),
            Operation::System(_) => return None,
        })
    }

    /// Returns the path that the operation changes.
    pub fn path(&self) -> Option<&Path> {
        match self {
            LoggedOperation::WriteFile { path, .. }
            | LoggedOperation::MakeDir { path, .. }
            | LoggedOperation::MakeLink { path, .. }
            | LoggedOperation::SetMode { path, .. }
            | LoggedOperation::SetOwner { path, .. }
            | LoggedOperation::SetXattr { path, .. }
            | LoggedOperation::Remove { path }
            | LoggedOperation::Restore { path, .. } => Some(path),
            LoggedOperation::Command { .. } | LoggedOperation::System { .. } => None,
        }
    }

    /// Whether this is a command. A failed command may have had unknown effects.
    pub fn is_command(&self) -> bool {
        matches!(self, LoggedOperation::Command { .. })
    }

    /// Describes the operation for lists.
    pub fn words(&self) -> String {
        let shown = |path: &Path| path.display().to_string();
        match self {
            LoggedOperation::WriteFile { path, .. } => format!("write {}", shown(path)),
            LoggedOperation::MakeDir { path, .. } => format!("create folder {}", shown(path)),
            LoggedOperation::MakeLink { path, target } => format!("link {} to {}", shown(path), shown(target)),
            LoggedOperation::SetMode { path, mode } => format!("set the mode of {} to {mode:04o}", shown(path)),
            LoggedOperation::SetOwner { path, .. } => format!("set the owner of {}", shown(path)),
            LoggedOperation::SetXattr { path, name, .. } => format!("set {name} of {}", shown(path)),
            LoggedOperation::Remove { path } => format!("remove {}", shown(path)),
            LoggedOperation::Restore { path, image: Image::Absent } => format!("remove {}", shown(path)),
            LoggedOperation::Restore { path, image } => format!("restore {} at {}", image.words(), shown(path)),
            LoggedOperation::Command { program, args } => format!("run {}", command_words(program, args.as_deref())),
            LoggedOperation::System { change: None, .. } => "change the system".into(),
            LoggedOperation::System { change: Some(change), .. } => change.words(),
        }
    }

    /// Decides from the present state of the path whether an interrupted operation was done.
    ///
    /// *Accepted*: a file with the intended hash and mode counts as ours, because another writer would have written the
    /// same. *Rejected*: a decision by times, which any tool may set.
    pub fn was_done(&self, before: &Image, now: &Image) -> Completion {
        let owned = |owner: &Owner, uid: u32, gid: u32| {
            owner.uid.is_none_or(|wanted| wanted == uid) && owner.gid.is_none_or(|wanted| wanted == gid)
        };
        let is_after = match (self, now) {
            (LoggedOperation::Command { .. } | LoggedOperation::System { .. }, _) => return Completion::Unknown,
            (
                LoggedOperation::WriteFile { content, mode, owner, .. },
                Image::File { content: there, attributes, .. },
            ) => {
                let same = match (content, there.digest()) {
                    (Some(wanted), Some(there)) => wanted == there,
                    // A secret, or an interrupted copy, has no hash to compare with.
                    _ => return Completion::Unknown,
                };
                same && attributes.mode == *mode && owned(owner, attributes.uid, attributes.gid)
            }
            (LoggedOperation::MakeDir { mode, owner, .. }, Image::Dir { attributes, .. }) => {
                // The set-group bit comes from the parent folder.
                attributes.mode & !0o2000 == mode & !0o2000 && owned(owner, attributes.uid, attributes.gid)
            }
            (LoggedOperation::MakeLink { target, .. }, Image::Link { target: there, .. }) => target == there,
            (LoggedOperation::SetMode { mode, .. }, Image::File { attributes, .. } | Image::Dir { attributes, .. }) => {
                attributes.mode == *mode
            }
            (LoggedOperation::SetMode { mode, .. }, Image::Other { mode: there }) => mode == there,
            (
                LoggedOperation::SetOwner { owner, .. },
                Image::File { attributes, .. } | Image::Dir { attributes, .. },
            ) => owned(owner, attributes.uid, attributes.gid),
            (LoggedOperation::SetOwner { owner, .. }, Image::Link { uid, gid, .. }) => owned(owner, *uid, *gid),
            (
                LoggedOperation::SetXattr { name, value, .. },
                Image::File { attributes, .. } | Image::Dir { attributes, .. },
            ) => attributes.xattrs.iter().any(|(have, there)| have.0 == name.as_bytes() && there == value),
            (LoggedOperation::Remove { .. }, Image::Absent) => true,
            (LoggedOperation::Restore { image, .. }, now) => image.agrees(now),
            _ => false,
        };
        match (is_after, before.agrees(now)) {
            (true, _) => Completion::After,
            (false, true) => Completion::Before,
            (false, false) => Completion::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LoggedOperation;

    #[test]
    fn a_command_is_named_with_its_words_on_one_line() {
        let words = |program: &str, args: Option<&[&str]>| {
            let args = args.map(|args| args.iter().map(|arg| (*arg).to_owned()).collect());
            LoggedOperation::Command { program: program.into(), args }.words()
        };
        assert_eq!(words("curl", Some(&["-s", "localhost"])), "run curl -s localhost");
        assert_eq!(words("/bin/sh", Some(&["-c", "echo 'a'\ntrue"])), "run /bin/sh -c 'echo '\\''a'\\''\\ntrue'");
        assert_eq!(words("\u{1b}[31mred", Some(&[""])), "run '\\x1b[31mred' ''");
        assert_eq!(words("curl", None), "run curl (arguments not shown)");
        let long = words("echo", Some(&["word"; 100]));
        assert!(long.len() < 220 && long.ends_with("..."), "{long}");
    }
}
