//! Opens files: from a path, a place or a compilation.

use super::State;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::doc::{Doc, Paint, Spot};
use super::fold::Folds;
use crate::source::Place;
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::state::State as Tui;
use crate::tui::widget::list::List;
use crate::tui::widget::text;

/// Shows a file: at once if it is open, else after it has been read.
pub fn open(tui: &mut Tui, path: PathBuf, spot: Spot) -> Vec<Effect> {
    let there = tui.screens.code.docs.values().find(|doc| doc.path.as_ref() == Some(&path)).map(|doc| doc.name.clone());
    if let Some(name) = there {
        show(tui, name, spot);
        return vec![];
    }
    tui.screens.code.wanted = Some((path.clone(), spot));
    tui.cx.start(Job::Read);
    vec![Effect::ReadFile { path }]
}

/// Shows a place of the program.
pub fn open_place(tui: &mut Tui, place: &Place) -> Vec<Effect> {
    let spot = (place.line, place.column);
    if tui.screens.code.docs.contains_key(&place.file) {
        show(tui, place.file.clone(), spot);
        return vec![];
    }
    if let Some(path) = tui.cx.path_of(place) {
        return open(tui, path, spot);
    }
    // A data file is not part of the program; its name is a path.
    let is_source = tui.cx.programs.newest.as_ref().is_some_and(|program| program.file(&place.file).is_some());
    if is_source { open_source(tui, place.file.clone(), spot) } else { open(tui, PathBuf::from(&*place.file), spot) }
}

/// Shows a text that has no file, such as code given as an argument.
fn open_source(tui: &mut Tui, name: Arc<str>, spot: Spot) -> Vec<Effect> {
    let Some(file) = tui.cx.programs.newest.as_ref().and_then(|program| program.file(&name)) else {
        tui.cx.show_notice(Role::Warning, format!("{} is not loaded", text::safe(&name)));
        return vec![];
    };
    let text = file.text.clone();
    tui.screens.code.wanted = Some((PathBuf::from(&*name), spot));
    tui.cx.start(Job::Paint);
    vec![Effect::Paint { name, path: None, text }]
}

/// Shows an open file.
pub fn show(tui: &mut Tui, name: Arc<str>, spot: Spot) {
    if !tui.screens.code.docs.contains_key(&name) {
        return;
    }
    tui.screens.code.current = Some(name);
    tui.screens.code.wanted = None;
    (tui.screens.code.outline, tui.screens.code.outlined) = (List::default(), None);
    if let Some(doc) = tui.screens.code.doc_mut() {
        doc.go_to(spot);
    }
}

/// A file was read: a worker parses it next, under the name that the program's places use.
pub fn read(tui: &mut Tui, asked: &Path, path: PathBuf, name: Arc<str>, text: Result<Arc<str>, String>) -> Vec<Effect> {
    match text {
        Ok(text) if is_as_shown(&mut tui.screens.code, &path, &text) => vec![],
        Ok(text) => {
            let name = tui.cx.programs.newest.as_ref().and_then(|program| program.name_of(&path)).unwrap_or(name);
            if let Some((wanted, _)) = tui.screens.code.wanted.as_mut().filter(|(wanted, _)| wanted == asked) {
                wanted.clone_from(&path);
            }
            tui.cx.start(Job::Paint);
            vec![Effect::Paint { name, path: Some(path), text }]
        }
        // An open file keeps its text.
        Err(words) if tui.screens.code.docs().any(|doc| doc.path.as_ref() == Some(&path)) => {
            went(tui, &path, words);
            vec![]
        }
        Err(words) => {
            tui.screens.code.trouble = Some(format!("{}: {words}", path.display()));
            tui.cx.show_notice(
                Role::Error,
                format!("cannot read {}: {}", text::safe(&path.to_string_lossy()), text::safe(&words)),
            );
            vec![]
        }
    }
}

/// Whether an open file was read again without a change. It exists again then.
fn is_as_shown(code: &mut State, path: &Path, text: &str) -> bool {
    let is_wanted = code.wanted.is_some();
    let there = code.docs.values_mut().find(|doc| doc.path.as_deref() == Some(path));
    let Some(doc) = there.filter(|doc| !is_wanted && doc.document.text() == text) else { return false };
    doc.gone = None;
    true
}

/// An open file cannot be read any more: keeps its text and marks it.
fn went(tui: &mut Tui, path: &Path, words: String) {
    let Some(doc) = tui.screens.code.docs.values_mut().find(|doc| doc.path.as_deref() == Some(path)) else { return };
    if doc.gone.replace(words.clone()).is_none() {
        tui.cx.show_notice(Role::Warning, format!("{}; showing the last version", text::safe(&words)));
    }
}

/// A file was parsed.
pub fn painted(tui: &mut Tui, name: Arc<str>, path: Option<PathBuf>, paint: Paint) {
    // The program may have been compiled since the file was read.
    let named = path.as_ref().and_then(|path| tui.cx.programs.newest.as_ref()?.name_of(path));
    let name = named.unwrap_or(name);
    let before = tui.screens.code.docs.get(&name);
    let position = before.map(|doc| doc.position).unwrap_or_default();
    let before = tui.screens.code.docs.get(&name);
    let closed = before.map(|doc| doc.folds.closed().clone()).unwrap_or_default();
    let Paint { document, outline, folds } = paint;
    let folds = Folds::new(folds, &closed);
    let (found, painted, anchor, gone) = Default::default();
    let doc = Doc {
        name: name.clone(),
        path: path.clone(),
        document,
        gone,
        outline,
        position,
        folds,
        anchor,
        found,
        painted,
    };
    tui.screens.code.docs.insert(name.clone(), doc);
    tui.screens.code.trouble = None;
    let wanted = path.unwrap_or_else(|| PathBuf::from(&*name));
    match tui.screens.code.wanted.take() {
        Some((path, spot)) if path == wanted => show(tui, name, spot),
        other => {
            tui.screens.code.wanted = other;
            tui.screens.code.current.get_or_insert(name);
        }
    }
}

/// After a compilation: colours changed files again, and opens the entry's file the first time.
pub fn compiled(tui: &mut Tui) -> Vec<Effect> {
    let Some(program) = tui.cx.programs.newest.clone() else { return vec![] };
    tui.screens.code.rename(&program);
    let mut effects = Vec::new();
    for (_, file) in program.sources.iter() {
        let name = Arc::clone(&file.name);
        let changed = tui.screens.code.docs.get(&name).is_some_and(|doc| doc.document.text() != &*file.text);
        let first = !tui.screens.code.is_open() && effects.is_empty();
        if (changed || first) && !file.name.ends_with(".yaml") {
            effects.push(Effect::Paint { name, path: file.path.clone(), text: file.text.clone() });
        }
    }
    for _ in &effects {
        tui.cx.start(Job::Paint);
    }
    // Files that the program does not read may also have changed or been deleted.
    let is_beyond = |doc: &&Doc| program.file(&doc.name).is_none();
    let beyond: Vec<PathBuf> = tui.screens.code.docs().filter(is_beyond).filter_map(|doc| doc.path.clone()).collect();
    for path in beyond {
        tui.cx.start(Job::Read);
        effects.push(Effect::ReadFile { path });
    }
    // The files that it reads exist.
    for doc in tui.screens.code.docs.values_mut().filter(|doc| program.file(&doc.name).is_some()) {
        doc.gone = None;
    }
    effects
}
