//! The kind `file`: manages a file, a folder or a symbolic link.
//!
//! The path of a folder ends in a slash. Nothing is created unless `state` is `exists`. An existing file gets its
//! content, mode and owner even without it, all three in one rename. If a link is in place of a file or folder, it is
//! not followed, and not replaced without `force`: in a folder that others may write to, it can lead anywhere.

mod attributes;
mod content;
mod params;
mod reverse;
mod tree;

use std::path::{Path, PathBuf};

use super::kind::change;
use super::{Checked, Kind, Reader, Schema, Turn, Typed, schema};
use crate::graph::Params;
use crate::host::{FileKind, HostError, Look, Operation, Stat};
use crate::plan::{Action, Change, Reversible};

use attributes::Attributes;
use content::Declared;
use params::FileParams;
pub use params::file_path;

/// The kind `file`, which manages a file, a folder or a symbolic link.
pub struct File;

impl Kind for File {
    fn schema(&self) -> &'static Schema {
        schema("file").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        FileParams::read(given).map(Typed::new)
    }

    fn mostly_waits(&self, name: &str, params: &Params) -> bool {
        // These can be any amount of work.
        let is_work = ["fragments", "recurse", "purge", "force"].iter().any(|param| params.get(param).is_some());
        let is_copied_folder = || params.get("source").is_some() && file_path(name, params).ends_with('/');
        !is_work && !is_copied_folder()
    }

    fn reversed(&self, turn: &Turn, look: &dyn Look) -> Result<Option<Params>, HostError> {
        reverse::reversed(turn, look)
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let mut target = Target::read(turn)?;
        let source = turn.typed.get::<FileParams>()?.source.get()?;
        if let Some(source) = source.filter(|source| !target.is_link && !source.starts_with('/')) {
            return Err(HostError::Refused(format!("`source` is `{source}`, which is not an absolute path")));
        }
        let there = match look.stat(&target.path) {
            Err(error) if error.is_unknown() && is_replaced(turn, &target) => {
                let made = there_or_made(turn, &target, look, None)?;
                return Ok(made.with_note("an earlier step may create it"));
            }
            Err(error) if error.is_absent_so_far() => None,
            there => there?,
        };
        if let Some(stat) = there.filter(|_| target.keep_kind) {
            if matches!(stat.kind, FileKind::Link | FileKind::Other) {
                return Ok(Checked::right().with_note(format!("it is {}, which stays as it is", stat.kind.words())));
            }
            target.is_dir = stat.kind == FileKind::Dir;
        }
        match target.state {
            State::Absent => absent(&target, look, there),
            State::AsItIs if there.is_none() => {
                Ok(Checked::right().with_note("does not exist, and is not created without `state`"))
            }
            State::Exists | State::AsItIs => there_or_made(turn, &target, look, there),
        }
    }

    fn only_reads(&self) -> bool {
        true
    }
}

fn there_or_made(turn: &Turn, target: &Target, look: &dyn Look, there: Option<Stat>) -> Result<Checked, HostError> {
    match target {
        Target { is_link: true, .. } => link(turn, target, look, there),
        Target { is_dir: true, .. } => folder(turn, target, look, there),
        _ => plain(turn, target, look, there),
    }
}

/// Whether the final state of the path is known regardless of its present state.
fn is_replaced(turn: &Turn, target: &Target) -> bool {
    let has_content = || ["content", "source", "fragments"].iter().any(|param| turn.params.get(param).is_some());
    target.state == State::Exists && (target.is_link || target.is_dir || has_content())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Exists,
    Absent,
    AsItIs,
}

/// The target of the resource, without its content.
struct Target {
    /// Without the final slash.
    path: PathBuf,
    is_dir: bool,
    is_link: bool,
    state: State,
    recurse: bool,
    force: bool,
    /// A file or link may be replaced without `force`.
    swap: bool,
    keep_kind: bool,
}

impl Target {
    fn read(turn: &Turn) -> Result<Self, HostError> {
        let params: &FileParams = turn.typed.get()?;
        let path = params.path()?;
        let state = params.state.get()?.copied().unwrap_or(State::AsItIs);
        Ok(Self {
            is_dir: path.ends_with('/'),
            path: PathBuf::from(if path.len() > 1 { path.trim_end_matches('/') } else { path }),
            is_link: params.symlink.flag()?,
            state,
            recurse: params.recurse.flag()?,
            force: params.force.flag()?,
            swap: params.swap.flag()?,
            keep_kind: params.keep_kind.flag()? && state != State::Absent,
        })
    }

    /// Whether an existing file of another type may be replaced.
    fn replaces(&self, found: FileKind) -> bool {
        self.force || (self.swap && matches!(found, FileKind::File | FileKind::Link))
    }

    fn wrong_kind(&self, found: FileKind, wanted: FileKind, hint_text: &'static str) -> HostError {
        HostError::WrongKind { path: self.path.clone(), found: found.words(), wanted: wanted.words(), hint_text }
    }
}

/// The new value of a file that a copied folder changes.
pub const AS_IN_SOURCE: &str = "as in the source";
/// Begins the new value of a link in a copied folder.
pub const LINK_TO: &str = "→ ";
const FORCE: &str = "`force => true` replaces it";

fn seen(action: Action, changes: Vec<Change>, operations: Vec<Operation>) -> Checked {
    Checked { action, changes, operations, ..Checked::right() }
}

fn appears() -> Change {
    change("state", Some("absent".into()), Some("exists".into()))
}

fn absent(target: &Target, look: &dyn Look, there: Option<Stat>) -> Result<Checked, HostError> {
    let Some(there) = there else { return Ok(Checked::right()) };
    let path = target.path.clone();
    if path == Path::new("/") {
        return Err(HostError::BadPath { path, why: "it is the root folder" });
    }
    let gone = vec![change("state", Some("exists".into()), Some("absent".into()))];
    if there.kind != FileKind::Dir {
        if target.is_dir && there.kind != FileKind::Link && !target.force {
            return Err(target.wrong_kind(there.kind, FileKind::Dir, "`force => true` removes it anyway"));
        }
        return Ok(seen(Action::Remove, gone, vec![Operation::RemoveFile { path }]));
    }
    if !target.is_dir && !target.force {
        return Err(target.wrong_kind(there.kind, FileKind::File, "`force => true` removes it anyway"));
    }
    if look.list(&path)?.is_empty() {
        return Ok(seen(Action::Remove, gone, vec![Operation::RemoveDir { path }]));
    }
    if !target.recurse && !target.force {
        let hint_text = "`recurse => true` removes it with its contents";
        return Err(HostError::WrongKind { path, found: "a folder that is not empty", wanted: "empty", hint_text });
    }
    let removal = seen(Action::Remove, gone, vec![Operation::RemoveTree { path }]);
    Ok(Checked { reversible: Reversible::Partly, ..removal.with_note("with its contents") })
}

fn link(turn: &Turn, target: &Target, look: &dyn Look, there: Option<Stat>) -> Result<Checked, HostError> {
    let to = turn.typed.get::<FileParams>()?.source.get()?;
    let to = to.ok_or_else(|| HostError::Refused("a symbolic link needs `source`".into()))?.as_str();
    let path = target.path.clone();
    let make = Operation::MakeLink { path: path.clone(), target: to.into() };
    match there.map(|stat| stat.kind) {
        None => {
            let mut operations = folders(target, look)?;
            operations.push(make);
            Ok(seen(Action::Create, vec![appears(), change("source", None, Some(to.into()))], operations))
        }
        Some(FileKind::Link) => {
            let have = look.read_link(&path)?;
            if have == Path::new(to) {
                return Ok(Checked::right());
            }
            let have = have.to_string_lossy().into_owned();
            Ok(seen(Action::Change, vec![change("source", Some(have), Some(to.into()))], vec![make]))
        }
        Some(found) if !target.replaces(found) => Err(target.wrong_kind(found, FileKind::Link, FORCE)),
        Some(found) => Ok(replaced(target, found, FileKind::Link, make)),
    }
}

/// Returns the work that replaces one type of file by another.
fn replaced(target: &Target, found: FileKind, wanted: FileKind, make: Operation) -> Checked {
    let path = target.path.clone();
    let mut operations = Vec::new();
    match found {
        FileKind::Dir => operations.push(Operation::RemoveTree { path }),
        // Writing a file or link replaces a file or link atomically. Only a folder needs a free path.
        _ if wanted == FileKind::Dir => operations.push(Operation::RemoveFile { path }),
        _ => {}
    }
    operations.push(make);
    let changes = vec![change("type", Some(found.words().into()), Some(wanted.words().into()))];
    let reversible = if found == FileKind::Dir { Reversible::Partly } else { Reversible::Yes };
    Checked { reversible, ..seen(Action::Replace, changes, operations) }
}

fn folder(turn: &Turn, target: &Target, look: &dyn Look, there: Option<Stat>) -> Result<Checked, HostError> {
    let attributes = Attributes::read(turn, look)?.of_folder(turn)?;
    let mode = attributes.mode_of_new(0o777, look);
    let make = Operation::MakeDir { path: target.path.clone(), mode, owner: attributes.owner };
    let mut seen = match there {
        None => {
            let mut operations = folders(target, look)?;
            operations.push(make);
            let mut made = seen(Action::Create, vec![appears()], operations);
            made.changes.extend(attributes.of_new(mode, look));
            made.operations.extend(attributes.label_it(&target.path));
            made
        }
        Some(stat) if stat.kind == FileKind::Dir => attributes.differences(&target.path, &stat, look)?,
        Some(stat) if stat.kind == FileKind::Link && !target.swap && leads_to_folder(target, look)? => {
            let target_stat = look.stat_target(&target.path)?.unwrap_or(stat);
            if !attributes.differences(&target.path, &target_stat, look)?.changes.is_empty() {
                return Err(target.wrong_kind(stat.kind, FileKind::Dir, "use the folder that it points to"));
            }
            Checked::right().with_note("is a symbolic link to a folder")
        }
        Some(stat) if !target.replaces(stat.kind) => return Err(target.wrong_kind(stat.kind, FileKind::Dir, FORCE)),
        Some(stat) => replaced(target, stat.kind, FileKind::Dir, make),
    };
    let is_new = matches!(seen.action, Action::Create | Action::Replace);
    tree::sync(turn, target, look, is_new, &mut seen)?;
    Ok(seen)
}

fn leads_to_folder(target: &Target, look: &dyn Look) -> Result<bool, HostError> {
    Ok(look.stat_target(&target.path)?.is_some_and(|stat| stat.kind == FileKind::Dir))
}

fn plain(turn: &Turn, target: &Target, look: &dyn Look, there: Option<Stat>) -> Result<Checked, HostError> {
    let attributes = Attributes::read(turn, look)?;
    let declared = Declared::read(turn, look)?;
    match there {
        Some(stat) if stat.kind == FileKind::File => rewritten(turn, target, look, &attributes, declared, &stat),
        Some(stat) if !target.replaces(stat.kind) || stat.kind == FileKind::Other => {
            Err(target.wrong_kind(stat.kind, FileKind::File, if stat.kind == FileKind::Other { "" } else { FORCE }))
        }
        found => {
            let wanted = declared.load(look)?;
            let mode = attributes.mode_of_new(0o666, look);
            let write = wanted.write(&target.path, mode, attributes.owner);
            let mut made = match found {
                Some(stat) => replaced(target, stat.kind, FileKind::File, write),
                None => {
                    let mut operations = folders(target, look)?;
                    operations.push(write);
                    seen(Action::Create, vec![appears()], operations)
                }
            };
            made.changes.extend(wanted.change(None, false, turn.is_sensitive("content")));
            made.changes.extend(attributes.of_new(mode, look));
            made.operations.extend(attributes.label_it(&target.path));
            Ok(made)
        }
    }
}

/// Returns the work that replaces the content of an existing file. Mode and owner stay unless they are declared.
fn rewritten(
    turn: &Turn,
    target: &Target,
    look: &dyn Look,
    attributes: &Attributes,
    declared: Declared,
    stat: &Stat,
) -> Result<Checked, HostError> {
    let mut seen = attributes.differences(&target.path, stat, look)?;
    if turn.typed.get::<FileParams>()?.keep_content.flag()? || declared.is_in(&target.path, look)? {
        return Ok(seen);
    }
    let wanted = declared.load(look)?;
    let have = match wanted.differs(&target.path, stat, look)? {
        content::Difference::None => return Ok(seen),
        content::Difference::Unknown(have) => {
            seen.action = Action::Unknown;
            seen.note = "its content is known after apply".into();
            have
        }
        content::Difference::Yes(have) => {
            seen.action = Action::Change;
            have
        }
    };
    let mode = attributes.mode.as_ref().map_or(stat.mode, |mode| mode.over(stat.mode));
    // A replaced file keeps its label, so only a change of it remains.
    seen.operations.retain(|operation| matches!(operation, Operation::SetXattr { .. }));
    seen.operations.insert(0, wanted.write(&target.path, mode, attributes.owner_over(stat)));
    seen.changes.splice(0..0, wanted.change(Some(&have), stat.is_private(), turn.is_sensitive("content")));
    Ok(seen)
}

/// Returns the operations that make the missing parent folders, if `recurse` is set. Without it the parent must exist.
fn folders(target: &Target, look: &dyn Look) -> Result<Vec<Operation>, HostError> {
    let mut missing = Vec::new();
    let mut at = target.path.parent();
    while let Some(path) = at {
        match look.stat_target(path) {
            // If it is unknown whether a folder exists, an earlier step is expected to make it.
            Err(error) if error.is_unknown() => break,
            there => match there? {
                Some(stat) if stat.kind == FileKind::Dir => break,
                Some(stat) => {
                    let (found, wanted) = (stat.kind.words(), FileKind::Dir.words());
                    return Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "" });
                }
                None if !target.recurse => return Err(HostError::Missing { path: path.into() }),
                None => missing.push(path.to_path_buf()),
            },
        }
        at = path.parent();
    }
    let mode = 0o777 & !look.identity().umask;
    let make = |path| Operation::MakeDir { path, mode, owner: Default::default() };
    Ok(missing.into_iter().rev().map(make).collect())
}
