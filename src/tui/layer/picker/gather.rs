//! The items of pickers: the program's resources and symbols, its modules, the files around it, and known places.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::item::{Item, Target};
use super::{Picker, What};
use crate::highlight::{Document, Grammar, OutlineKind, outline};
use crate::module::LanguageName;
use crate::source::Place;
pub use crate::tui::layer::picker::data::Source;
use crate::tui::{cx::Cx, effect::Effect, finder::Order, layer::Layer, program::Program, widget::text};

/// Opens a picker, and starts its workers.
pub fn open(cx: &mut Cx, what: What) {
    let (title, source) = match what {
        What::Files => ("Files", Some(Source::Files)),
        What::Lines => ("Lines of files", Some(Source::Lines)),
        What::Resources => ("Resources", cx.graphed().cloned().map(Source::Resources)),
        What::Symbols => ("Classes, functions, variables", Some(Source::Symbols(texts(cx), cx.project.language))),
        What::Places => ("Places", None),
    };
    source.into_iter().for_each(|source| begin(cx, what, title.into(), source, 0));
}

/// Opens a picker on known places, each with its text.
pub fn places(cx: &mut Cx, title: String, places: Vec<(String, String, Place)>, at: usize) {
    let item = |(shown, note, place): (String, String, Place)| Item { shown, note, target: Target::Place(place) };
    let items = places.into_iter().map(item).collect();
    begin(cx, What::Places, title, Source::Items(items), at)
}

pub fn items(cx: &mut Cx, title: String, items: Vec<Item>) {
    begin(cx, What::Places, title, Source::Items(items), 0)
}

fn begin(cx: &mut Cx, what: What, title: String, source: Source, at: usize) {
    cx.layers.picks += 1;
    let picker = Picker::new(cx.layers.picks, what, title, at);
    cx.layers.open.push(Layer::Picker(Box::new(picker)));
    cx.effect(Effect::Find(Order::Begin { pick: cx.layers.picks, source }))
}

/// The texts of the program. If it has errors, also those of the last good one, so that their symbols stay findable.
fn texts(cx: &Cx) -> Vec<(Arc<str>, Arc<str>)> {
    let mut texts: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    for program in [&cx.programs.newest, &cx.programs.good].into_iter().flatten() {
        for (_, file) in program.sources.iter() {
            if !texts.iter().any(|(name, _)| **name == *file.name) {
                texts.push((file.name.clone(), file.text.clone()));
            }
        }
    }
    texts
}

/// The resources of a program in apply order, each with where it is declared.
pub fn resources(program: &Program) -> Vec<Item> {
    let item = |node: &crate::graph::NodeIndex| {
        let resource = program.graph.resource(*node)?;
        let note = resource.source.as_ref().map(|place| text::safe(&format!("{}:{}", place.file, place.line)));
        let target = Target::Resource(resource.id.clone());
        Some(Item { shown: resource.id.to_string(), note: note.unwrap_or_default(), target })
    };
    program.ways.order.iter().filter_map(item).collect()
}

/// The definitions in a text.
pub fn symbols(name: &Arc<str>, text: &Arc<str>, language: LanguageName) -> Vec<Item> {
    let unnamed = || Grammar::of_language(language).filter(|_| !name.contains('.'));
    let Some(grammar) = Grammar::of_file_name(name).or_else(unnamed) else { return vec![] };
    let document = Document::new(text.clone(), Some(grammar));
    let items = outline(&document).into_iter().filter_map(|item| {
        let word = match item.kind {
            OutlineKind::Function => "func",
            OutlineKind::Bind => "var",
            OutlineKind::Resource | OutlineKind::Import | OutlineKind::Include | OutlineKind::Index => return None,
            kind => kind.as_str(),
        };
        let before = &document.text()[document.line_range(item.line).start..item.range.start];
        let (line, column) = (item.line as u32 + 1, before.chars().count() as u32 + 1);
        let place = Place { file: name.clone(), line, column, end_line: line, end_column: column };
        let note = self::text::safe(&format!("{word}  {name}:{line}"));
        Some(Item { shown: item.name, note, target: Target::Place(place) })
    });
    items.collect()
}

/// A path relative to the folder of the entry, if it is inside it.
pub fn shown(path: &Path, base: &Path) -> String {
    let below = path.strip_prefix(base).unwrap_or(path).to_string_lossy();
    text::safe(below.strip_prefix("./").unwrap_or(&below))
}

/// Files as they are found.
pub fn files(paths: Vec<PathBuf>, base: &Path) -> Vec<Item> {
    let item = |path: PathBuf| {
        let shown = shown(&path, base);
        Item { shown, note: String::new(), target: Target::File(path, (1, 1)) }
    };
    paths.into_iter().map(item).collect()
}
