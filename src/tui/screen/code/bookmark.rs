//! Lines that somebody wants to come back to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::tui::effect::Effect;
use crate::tui::layer::picker;
use crate::tui::layer::picker::item::{Item, Target};
use crate::tui::look::Role;
use crate::tui::state::State as Tui;
use crate::tui::widget::text;

/// More are not kept.
const MOST: usize = 500;

/// A line of a file, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    pub path: PathBuf,
    pub line: u32,
}

/// Sets a bookmark on the cursor's line, or takes it away.
pub(super) fn toggle(tui: &mut Tui) {
    let Some((path, line)) = tui.code.doc().and_then(|doc| Some((doc.path.clone()?, doc.line()))) else { return };
    let bookmark = Bookmark { path, line };
    let all = &mut tui.code.bookmarks;
    match all.iter().position(|there| *there == bookmark) {
        Some(at) => drop(all.remove(at)),
        None if all.len() < MOST => all.push(bookmark),
        None => tui.say(Role::Warning, format!("there are {MOST} bookmarks; take some away first")),
    }
}

/// Lists the bookmarks, to go to one.
pub fn list(tui: &mut Tui) -> Vec<Effect> {
    let item = |bookmark: &Bookmark| {
        let doc = tui.code.docs.values().find(|doc| doc.path.as_ref() == Some(&bookmark.path));
        let line = (bookmark.line as usize).saturating_sub(1);
        let note = doc.filter(|doc| line < doc.len()).map(|doc| text::safe(doc.line_text(line).trim()));
        let base = tui.entry_file.as_ref().and_then(|file| file.parent()).unwrap_or_else(|| "".as_ref());
        Item {
            shown: format!("{}:{}", picker::shown(&bookmark.path, base), bookmark.line),
            note: note.unwrap_or_default(),
            target: Target::File(bookmark.path.clone(), (bookmark.line, 1)),
        }
    };
    let items = tui.code.bookmarks.iter().map(item).collect();
    picker::items(tui, "Bookmarks".into(), items)
}
