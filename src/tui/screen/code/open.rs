//! Opens files: from a path, a place or a compilation.

use super::{State, fold::Folds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::doc::{Doc, Paint, Spot};
use crate::source::Place;
use crate::tui::screen::code::data::State as Code;
use crate::tui::{cx::Cx, effect::Effect, look::Role, message::Job, widget::list::List, widget::text};

/// Shows a file: at once if it is open, else after it has been read.
pub fn open(code: &mut Code, cx: &mut Cx, path: PathBuf, spot: Spot) {
    let there = code.docs.values().find(|doc| doc.path.as_ref() == Some(&path)).map(|doc| doc.name.clone());
    if let Some(name) = there {
        show(code, name, spot);
        return;
    }
    code.wanted = Some((path.clone(), spot));
    cx.start(Job::Read);
    cx.effect(Effect::ReadFile { path })
}

/// Shows a place of the program.
pub fn open_place(code: &mut Code, cx: &mut Cx, place: &Place) {
    let spot = (place.line, place.column);
    if code.docs.contains_key(&place.file) {
        show(code, place.file.clone(), spot);
        return;
    }
    if let Some(path) = cx.path_of(place) {
        return open(code, cx, path, spot);
    }
    // A data file is not part of the program; its name is a path.
    let is_source = cx.programs.newest.as_ref().is_some_and(|program| program.file(&place.file).is_some());
    if is_source {
        open_source(code, cx, place.file.clone(), spot)
    } else {
        open(code, cx, PathBuf::from(&*place.file), spot)
    }
}

/// Shows a text that has no file, such as code given as an argument.
fn open_source(code: &mut Code, cx: &mut Cx, name: Arc<str>, spot: Spot) {
    let Some(file) = cx.programs.newest.as_ref().and_then(|program| program.file(&name)) else {
        return cx.show_notice(Role::Warning, format!("{} is not loaded", text::safe(&name)));
    };
    let text = file.text.clone();
    code.wanted = Some((PathBuf::from(&*name), spot));
    cx.start(Job::Paint);
    cx.effect(Effect::Paint { name, path: None, text })
}

pub fn show(code: &mut Code, name: Arc<str>, spot: Spot) {
    if !code.docs.contains_key(&name) {
        return;
    }
    code.current = Some(name);
    code.wanted = None;
    (code.outline, code.outlined) = (List::default(), None);
    if let Some(doc) = code.doc_mut() {
        doc.go_to(spot);
    }
}

/// A file was read: a worker parses it next, under the name that the program's places use.
pub fn read(code: &mut Code, cx: &mut Cx, asked: &Path, path: PathBuf, name: Arc<str>, text: Result<Arc<str>, String>) {
    match text {
        Ok(text) if is_as_shown(code, &path, &text) => {}
        Ok(text) => {
            let name = cx.programs.newest.as_ref().and_then(|program| program.name_of(&path)).unwrap_or(name);
            if let Some((wanted, _)) = code.wanted.as_mut().filter(|(wanted, _)| wanted == asked) {
                wanted.clone_from(&path);
            }
            cx.start(Job::Paint);
            cx.effect(Effect::Paint { name, path: Some(path), text })
        }
        // An open file keeps its text.
        Err(words) if code.docs().any(|doc| doc.path.as_ref() == Some(&path)) => went(code, cx, &path, words),
        Err(words) => {
            code.trouble = Some(format!("{}: {words}", path.display()));
            cx.show_notice(
                Role::Error,
                format!("cannot read {}: {}", text::safe(&path.to_string_lossy()), text::safe(&words)),
            )
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
fn went(code: &mut Code, cx: &mut Cx, path: &Path, words: String) {
    let Some(doc) = code.docs.values_mut().find(|doc| doc.path.as_deref() == Some(path)) else { return };
    if doc.gone.replace(words.clone()).is_none() {
        cx.show_notice(Role::Warning, format!("{}; showing the last version", text::safe(&words)));
    }
}

pub fn painted(code: &mut Code, cx: &Cx, name: Arc<str>, path: Option<PathBuf>, paint: Paint) {
    // The program may have been compiled since the file was read.
    let named = path.as_ref().and_then(|path| cx.programs.newest.as_ref()?.name_of(path));
    let name = named.unwrap_or(name);
    let before = code.docs.get(&name);
    let position = before.map(|doc| doc.position).unwrap_or_default();
    let before = code.docs.get(&name);
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
    code.docs.insert(name.clone(), doc);
    code.trouble = None;
    let wanted = path.unwrap_or_else(|| PathBuf::from(&*name));
    match code.wanted.take() {
        Some((path, spot)) if path == wanted => show(code, name, spot),
        other => {
            code.wanted = other;
            code.current.get_or_insert(name);
        }
    }
}

/// After a compilation: colours changed files again, and opens the entry's file the first time.
pub fn compiled(code: &mut Code, cx: &mut Cx) {
    let Some(program) = cx.programs.newest.clone() else { return };
    code.rename(&program);
    let mut is_open = code.is_open();
    for (_, file) in program.sources.iter() {
        let name = Arc::clone(&file.name);
        let changed = code.docs.get(&name).is_some_and(|doc| doc.document.text() != &*file.text);
        if (changed || !is_open) && !file.name.ends_with(".yaml") {
            is_open = true;
            cx.start(Job::Paint);
            cx.effect(Effect::Paint { name, path: file.path.clone(), text: file.text.clone() });
        }
    }
    // Files that the program does not read may also have changed or been deleted.
    let is_beyond = |doc: &&Doc| program.file(&doc.name).is_none();
    let beyond: Vec<PathBuf> = code.docs().filter(is_beyond).filter_map(|doc| doc.path.clone()).collect();
    for path in beyond {
        cx.start(Job::Read);
        cx.effect(Effect::ReadFile { path });
    }
    // The files that it reads exist.
    for doc in code.docs.values_mut().filter(|doc| program.file(&doc.name).is_some()) {
        doc.gone = None;
    }
}
