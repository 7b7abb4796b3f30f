//! The entry at hand of a command without a deploy number: which deploys are of it, and its refused applies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::deploy::{History, StateError, StateFolder, has_operations, note, place_words};
use crate::diag::{Diagnostics, Stage};
use crate::host::journal::{Begin, End};
use crate::module::{LanguageName, Typed, resolve_entry};
use crate::session::Session;
use crate::session::history::against::start_of;
use crate::session::history::operations::{Operation, What, operations};
use crate::session::keeping::{state_path, who};
use crate::source::Sources;
use crate::world::{Live, PathKind, World};

/// The entry at hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtHand {
    place: Place,
    /// The newest apply that was refused, of any entry: an undo after it may be meant for it.
    pub refused: Option<Refused>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Place {
    /// An entry, by its start file.
    Entry(PathBuf),
    /// A folder that is not a module: each file in it is an entry.
    Folder(PathBuf),
    /// Code, which has no place to compare.
    Code,
}

/// An apply or a resume that was refused before any change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub time: String,
    pub entry: String,
    /// The newest deploy at that time.
    after: u64,
    /// The history that counts those deploys.
    state: PathBuf,
}

impl Refused {
    /// Whether it came after a deploy. Another user's history counts its deploys differently, so there the time decides.
    fn is_after(&self, deploy: u64, begin: &Begin, state: &Path) -> bool {
        if self.state == state { self.after >= deploy } else { self.time >= begin.time }
    }
}

impl AtHand {
    /// Returns the entry that the user named, by default that of the current folder.
    pub fn of(
        entry: Option<&str>,
        language: Option<LanguageName>,
        state: Option<&PathBuf>,
    ) -> Result<Self, StateError> {
        let state = state_path(state)?;
        // An unreadable log of operations leaves out a warning, and nothing else.
        let all = operations(Some(&state)).unwrap_or_default().all;
        let refused = all.into_iter().rev().find_map(|Operation { time, entry, what, .. }| match what {
            What::Refused { after } => Some(Refused { time, entry, after, state: state.clone() }),
            What::Plan(_) | What::Fetch(_) => None,
        });
        Ok(Self { place: Place::of(entry, language), refused })
    }

    /// Records that an apply of this entry was refused. `after` is the newest deploy before it.
    pub fn note_refused(&self, state: Option<&PathBuf>, after: u64) -> Result<(), StateError> {
        let state = state_path(state)?;
        let entry = match &self.place {
            Place::Entry(path) | Place::Folder(path) => path.display().to_string(),
            Place::Code => "code".to_owned(),
        };
        let who = who();
        let user = who.behind.unwrap_or(who.user);
        note(&state, Operation { time: who.time, user, entry, what: What::Refused { after } })
    }

    /// Returns the deploy to undo: the newest one of this entry that changed something and was not undone, or was
    /// interrupted.
    ///
    /// If the user is not asked (`is_sure`), it must also be the newest one on the machine, and no refused apply may have
    /// come after it. One that failed before its first change counts then.
    pub(in crate::session) fn newest(&self, history: &History, state: &Path, is_sure: bool) -> Result<u64, StateError> {
        let cut = history.unfinished()?;
        let mut other: Option<(u64, String)> = None;
        let mut idle = None;
        let mut known = BTreeMap::new();
        for summary in history.applied()? {
            let summary = summary?;
            let deploy = summary.deploy;
            let Some(begin) = &summary.begin else { continue };
            let place = place_words(begin);
            let is_here = *known
                .entry(place.clone())
                .or_insert_with_key(|place| self.place.holds(Path::new(place), LanguageName::named(&begin.language)));
            // Only the newest deploy of another entry counts, so the journals of the others are not read.
            if !is_here && other.is_some() {
                continue;
            }
            let has_failed = |end: &End| end.failed + end.blocked > 0;
            let is_first = is_sure && idle.is_none() && summary.end.as_ref().is_some_and(has_failed);
            if !(cut == Some(deploy) || has_operations(&history.read_chain(deploy)?) || (is_here && is_first)) {
                idle = idle.or(Some(deploy).filter(|_| is_here));
                continue;
            }
            if !is_here {
                other = other.or(Some((deploy, place)));
                continue;
            }
            let refused = self.refused.as_ref().filter(|refused| refused.is_after(deploy, begin, state));
            return match (refused, other) {
                (Some(refused), _) if is_sure => Err(StateError::RefusedSince { deploy, entry: refused.entry.clone() }),
                (_, Some((newest, newest_place))) if is_sure => {
                    Err(StateError::NewestElsewhere { deploy, newest, place: newest_place })
                }
                _ => Ok(deploy),
            };
        }
        match (history.last()?, other, idle) {
            (None, ..) => Err(StateError::Empty),
            (_, Some((newest, place)), _) => Err(StateError::NoneHere { newest, place }),
            (Some(last), None, Some(idle)) if idle == last => Ok(idle),
            (Some(_), None, _) => Err(StateError::NothingToUndo),
        }
    }

    /// Returns the refused apply that came after a deploy of this user's history.
    pub fn refused_after(&self, deploy: u64) -> Option<&Refused> {
        self.refused.as_ref().filter(|refused| refused.after >= deploy)
    }
}

impl Session {
    /// Records that an apply of this entry was refused. Without the record, `deploy undo` only lacks a warning.
    pub fn note_refused(&self, state: Option<&PathBuf>) {
        let Ok(Some(before)) = state_path(state).and_then(|state| History::new(&StateFolder::at(&state)).last()) else {
            return;
        };
        let entry = if self.entry().code.is_some() { "-".into() } else { self.place() };
        let _ = AtHand::of(Some(&entry), Some(self.entry().language), state)
            .and_then(|entry| entry.note_refused(state, before));
    }
}

impl Place {
    fn of(entry: Option<&str>, language: Option<LanguageName>) -> Self {
        let world: &dyn World = &Live::new();
        let typed = Typed { entry, language, ..Typed::default() };
        let mut ignored = (Sources::default(), Diagnostics::new(Stage::Module));
        let found = resolve_entry(world, typed, &mut ignored.0, &mut ignored.1);
        let path = Path::new(entry.unwrap_or("."));
        match found {
            Some(found) if found.code.is_some() => Place::Code,
            None if entry == Some("-") => Place::Code,
            None if world.kind(path) == PathKind::Folder => Place::Folder(start_of(world, path, language)),
            _ => Place::Entry(start_of(world, path, language)),
        }
    }

    /// Whether a path of the history leads to this entry.
    fn holds(&self, path: &Path, language: Option<LanguageName>) -> bool {
        let start = || start_of(&Live::new(), path, language);
        match self {
            Place::Entry(here) => start() == *here,
            Place::Folder(here) => start().parent() == Some(here.as_path()),
            Place::Code => false,
        }
    }
}
