//! Draws a row of the tree: a module with its commit and state, or one of its files.

use ratatui::text::{Line, Span};

use super::{Row, State};
use crate::module::{Module, ModuleState, ModuleTree};
use crate::session::RemoteNews;
use crate::tui::look::{Look, Role};
use crate::tui::widget::{list, text};

/// The glyph, word and role of a module's state.
pub fn state_words(look: &Look, state: ModuleState) -> (&'static str, &'static str, Role) {
    match state {
        ModuleState::Present => (look.glyphs.done, "", Role::Good),
        ModuleState::Missing => (look.glyphs.failed, "missing", Role::Error),
        ModuleState::Edited => (look.glyphs.replace, "edited", Role::Warning),
        ModuleState::Behind => (look.glyphs.above, "behind", Role::Warning),
        ModuleState::Unused => (look.glyphs.waiting, "unused", Role::Dim),
    }
}

/// The glyph, text and role of a module's most important fact.
fn status_words(state: &State, look: &Look, module: &Module) -> (String, Role) {
    let (glyph, word, role) = match state.fetched_as(module) {
        Some(fetched) if !fetched.is_approved && module.state == ModuleState::Present => {
            (look.glyphs.paused, "new", Role::Warning)
        }
        _ => state_words(look, module.state),
    };
    match state.commits_behind(module) {
        Some(commits) => (behind_words(look, commits), role),
        None => (format!("{glyph} {word}"), role),
    }
}

/// The width of these texts in the list; names have the rest.
pub fn state_width(state: &State, tree: &ModuleTree, look: &Look) -> usize {
    let words = |state| {
        let (glyph, word, _) = state_words(look, state);
        text::width(format!("{glyph} {word}").trim_end())
    };
    let new = state.fetched.iter().any(|fetched| !fetched.is_approved).then(|| text::width(look.glyphs.paused) + 4);
    let behind = state.seen.iter().filter_map(|seen| match seen.found {
        RemoteNews::Behind { commits: Some(commits), .. } => Some(text::width(&behind_words(look, commits))),
        _ => None,
    });
    tree.modules.iter().map(|module| words(module.state)).chain(new).chain(behind).max().unwrap_or(0)
}

fn behind_words(look: &Look, commits: usize) -> String {
    format!("{}{commits} behind", look.glyphs.above)
}

/// The version of a module, or its commit, if there is room.
fn commit_words(module: &Module, width: usize) -> String {
    const ROOM: usize = 46;
    if let Some(version) = module.version.as_deref().filter(|_| width >= ROOM) {
        return format!(" {}", text::safe(version));
    }
    let short = module.revision.as_deref().filter(|_| width >= ROOM).map(|revision| revision.chars().take(7));
    short.map_or_else(String::new, |short| format!(" @{}", text::safe(&short.collect::<String>())))
}

pub fn row_line<'a>(
    state: &State,
    tree: &'a ModuleTree,
    look: &Look,
    row: Row,
    (width, words): (usize, usize),
) -> list::Row<'a> {
    match row {
        Row::Module(at) => {
            let module = &tree.modules[at];
            let fold = match (module.files.is_empty(), state.list.rows.open.contains(&module.name)) {
                (true, _) => " ",
                (_, true) => look.glyphs.open,
                (_, false) => look.glyphs.shut,
            };
            let (word, role) = status_words(state, look, module);
            let tail = format!("{:>4}  {}", module.files.len(), text::pad(&word, words));
            let commit = commit_words(module, width);
            let room = width.saturating_sub(text::width(&tail) + text::width(&commit) + 3);
            let safe = text::safe(&module.name);
            let name = text::fit_end(&safe, room, look.glyphs.cut);
            let line = Line::from(vec![
                Span::raw(fold),
                Span::raw(" "),
                Span::styled(text::pad(&name, room), look.style(Role::Strong)),
                Span::raw(" "),
                Span::styled(commit, look.style(Role::Dim)),
                Span::styled(tail, look.style(role)),
            ]);
            list::Row::marked(line, 2..2 + room)
        }
        Row::File(at, file) => {
            const INDENT: usize = 4;
            let name = text::safe(&tree.modules[at].files[file].to_string_lossy());
            let name = text::fit_end(&name, width.saturating_sub(INDENT), look.glyphs.cut);
            list::Row::marked(Line::raw(format!("{:INDENT$}{name}", "")), INDENT..width)
        }
    }
}
