//! Edits of a file's present content, shared by kinds such as `line` and `json:edit`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::kind::change;
use super::{Checked, Turn};
use crate::graph::Value;
use crate::host::{FileImage, FileKind, HostError, Look, Operation, Owner, Stat};
use crate::plan::{Action, Change, unshown};

/// A file to edit.
pub(super) struct Edited {
    pub path: PathBuf,
    pub stat: Option<Stat>,
    /// `None`: known after apply. Empty if the file does not exist.
    pub content: Option<Arc<[u8]>>,
    /// The edit adds or removes a secret, so neither the old nor the new content is shown.
    pub is_secret: bool,
    /// Its mode makes it private, so only its size is shown.
    pub is_private: bool,
}

impl Edited {
    /// Inspects a file. A link is an error that names its target, because writing would replace the link.
    pub fn look(turn: &Turn, path: PathBuf, look: &dyn Look) -> Result<Self, HostError> {
        let stat = look.stat(&path)?;
        let content = match stat.map(|stat| stat.kind) {
            None => Some(Arc::default()),
            Some(FileKind::File) => look.read(&path)?,
            Some(found) => {
                let hint_text = if found == FileKind::Link { "use the file that it points to" } else { "" };
                let (found, wanted) = (found.words(), FileKind::File.words());
                return Err(HostError::WrongKind { path, found, wanted, hint_text });
            }
        };
        let is_secret = turn.params.iter().any(|(_, value)| value.holds_secret());
        let is_private = stat.is_some_and(|stat| stat.is_private());
        Ok(Self { path, stat, content, is_secret, is_private })
    }

    /// Whether the file exists.
    pub fn is_there(&self) -> bool {
        self.stat.is_some()
    }

    /// Returns the work that gives the file the content `wanted`; `None` if that is known after apply. An existing file
    /// keeps its mode and owner.
    pub fn turn_into(&self, wanted: Option<Vec<u8>>, mode_of_new: u32, owner_of_new: Owner) -> Checked {
        if let (Some(have), Some(wanted)) = (&self.content, &wanted)
            && self.is_there()
            && **have == **wanted
        {
            return Checked::right();
        }
        let mut seen = Checked::right();
        let shown = |content: Option<&[u8]>| match content {
            _ if self.is_secret => Value::Sensitive(Box::new(Value::Null)),
            Some(content) => unshown::shown(content, self.is_private),
            None => Value::Unknown,
        };
        let from = self.is_there().then(|| shown(self.content.as_deref()));
        let to = shown(wanted.as_deref());
        seen.action = match (self.is_there(), &wanted) {
            (false, _) => Action::Create,
            (true, Some(_)) => Action::Change,
            (true, None) => Action::Unknown,
        };
        if !self.is_there() {
            seen.changes.push(change("state", Some("absent".into()), Some("exists".into())));
        }
        seen.changes.push(Change { property: "content".into(), from, to: Some(to), sensitive: self.is_secret });
        let (mode, owner) = match &self.stat {
            Some(stat) => (stat.mode, Owner { uid: Some(stat.uid), gid: Some(stat.gid) }),
            None => (mode_of_new, owner_of_new),
        };
        let image = FileImage { content: wanted.map(Arc::from), mode, owner };
        seen.operations.push(Operation::WriteFile { path: self.path.clone(), image });
        seen
    }

    /// Returns a step that may change the file, with the details known after apply.
    pub fn unknown(&self) -> Checked {
        let mut seen = self.turn_into(None, 0o600, Owner::default());
        seen.note = "the content of the file is known after apply".into();
        seen
    }
}

/// Returns the mode of a new public file, reduced by the mask.
pub(super) fn usual_mode(look: &dyn Look) -> u32 {
    0o666 & !look.identity().umask
}

/// Expands `~/` and `~user/` at the start of a path.
pub(super) fn expand(path: &str, look: &dyn Look) -> Result<PathBuf, HostError> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(path.into()) };
    let (user, below) = rest.split_once('/').unwrap_or((rest, ""));
    let uid = look.identity().uid.to_string();
    let passwd = look.read(Path::new("/etc/passwd"))?.unwrap_or_default();
    let passwd = String::from_utf8_lossy(&passwd);
    let home = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let fits = if user.is_empty() { fields.get(2) == Some(&&*uid) } else { fields.first() == Some(&user) };
        fields.get(5).filter(|home| fits && home.starts_with('/')).map(|home| (*home).to_owned())
    });
    match home {
        Some(home) => Ok(Path::new(&home).join(below)),
        None => Err(HostError::NoAccount { what: "user", name: if user.is_empty() { uid } else { user.to_owned() } }),
    }
}

/// Returns the path in a parameter, or the name.
pub(super) fn path_of<'t>(turn: &'t Turn, param: &str) -> Result<&'t str, HostError> {
    Ok(turn.text(param)?.unwrap_or(turn.name))
}
