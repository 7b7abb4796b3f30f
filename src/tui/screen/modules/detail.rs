//! The details of the selected module.

use super::{State, failed, fetch, state_words};
use std::path::Path;

use ratatui::text::{Line, Span};

use crate::module::{Import, Module, ModuleState, ModuleTree};
use crate::session::{Beyond, RemoteState, about_file, beyond};
use crate::tui::look::{Look, Role};
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::{cx::Cx, widget::field::Fields, widget::text};

/// The text for a remote without news.
fn same_words(seen: &RemoteState) -> String {
    let looked = seen.looked.as_ref().map_or(String::new(), |looked| format!(" (checked {looked})"));
    format!("up to date{looked}")
}

pub fn lines(modules: &Modules, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let (look, fields) = (&cx.look, fields(cx, width));
    let fetch = modules.fetch.as_ref();
    let mut lines = fetch.map(|fetch| fetch::lines(fetch, look, width)).unwrap_or_default();
    if let Some(failed) = &modules.failed {
        lines.extend(failed::lines(failed, look, width));
    }
    let Some(module) = modules.module() else { return lines };
    lines.extend(file(modules, cx, width));
    let (glyph, word, role) = state_words(look, module.state);
    let word = if word.is_empty() { "present" } else { word };
    lines.push(fields.line("state", vec![Span::styled(format!("{glyph} {word}"), look.style(role))]));
    let is_entry = modules.tree().and_then(|tree| tree.modules.first()).is_some_and(|first| first == module);
    if let Some(program) = cx.programs.newest.as_ref().filter(|program| is_entry && program.has_errors()) {
        let words = program.errors_words();
        lines.push(fields.line("problems", vec![Span::styled(words, look.style(Role::Error))]));
    }
    // The entry itself cannot be fetched.
    if module.state == ModuleState::Missing && !module.used_by.is_empty() {
        lines.push(Line::styled("         f fetches missing modules", look.style(Role::Dim)));
    }
    lines.push(fields.line("path", vec![Span::raw(path_words(&module.path, width.saturating_sub(9), look))]));
    if let Some(version) = &module.version {
        lines.push(fields.line("version", vec![Span::raw(text::safe(version))]));
    }
    let seen = modules.seen.iter().find(|seen| seen.path == module.path);
    let fetched = modules.fetched_as(module);
    if let Some(revision) = &module.revision {
        let short: String = revision.chars().take(12).collect();
        match fetched.filter(|fetched| fetched.path == module.path) {
            Some(fetched) => {
                let reference = seen.and_then(|seen| seen.reference.as_ref());
                let reference = reference.map(|reference| format!("  ref {reference}")).unwrap_or_default();
                let what = if fetched.commit.is_some() { "git" } else { "archive" };
                let words = format!("{what}  {}{reference} {} {short}", fetched.name, look.glyphs.arrow);
                lines.extend(fields.text("source", &text::safe(&words), look.style(Role::Text)));
            }
            None => lines.push(fields.line("commit", vec![Span::raw(text::safe(&short))])),
        }
    }
    if let Some(seen) = seen {
        let role = if seen.found.is_behind() { Role::Warning } else { Role::Dim };
        let words = text::safe(&seen.words().unwrap_or_else(|| same_words(seen)));
        lines.extend(fields.text("remote", &words, look.style(role)));
    }
    if let Some(fetched) = fetched {
        let (words, role) = match fetched.is_approved {
            true => ("approved", Role::Good),
            false => ("not approved: preview only", Role::Warning),
        };
        lines.extend(fields.text("approve", words, look.style(role)));
    }
    if let Some(license) = &module.license {
        lines.push(fields.line("licence", vec![Span::raw(text::safe(license))]));
    }
    if !module.used_by.is_empty() {
        let names: Vec<_> = module.used_by.iter().map(|name| text::safe(name)).collect();
        lines.extend(fields.text("used by", &names.join(", "), look.style(Role::Text)));
    }
    imports(modules, cx, module, width, &mut lines);
    if let Some(Some(readme)) = modules.readmes.get(&module.path.join("README.md")) {
        lines.push(Line::raw(""));
        lines.push(Line::styled(format!("{0}{0} README", look.glyphs.horizontal), look.style(Role::Dim)));
        lines.extend(readme_lines(readme, width, look));
    }
    lines
}

/// The pane's title: the file under the cursor and its module, or the module.
pub fn title(modules: &Modules) -> String {
    let Some(module) = modules.module() else { return "Module".into() };
    let name = text::safe(&module.name);
    match modules.file_in_module() {
        Some(file) => format!("{} of {name}", text::safe(&file.display().to_string())),
        None => name,
    }
}

/// The details of the file under the cursor, above those of its module.
fn file(modules: &Modules, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let (look, state, fields) = (&cx.look, modules, fields(cx, width));
    let (Some(module), Some(inside), Some(path)) = (state.module(), state.file_in_module(), state.file()) else {
        return vec![];
    };
    let mut lines = vec![
        fields.line("file", vec![Span::raw(path_words(&path, width.saturating_sub(9), look))]),
        fields.line("what", vec![Span::raw(kind_words(modules, &inside))]),
    ];
    if let Some(program) = &cx.programs.newest {
        let is_compiled = program.sources.iter().any(|(_, source)| source.path.as_deref() == Some(&*path));
        let (words, role) = match is_compiled {
            true => ("source", Role::Good),
            false => ("not part of the program", Role::Dim),
        };
        lines.push(fields.line("used", vec![Span::styled(words, look.style(role))]));
    }
    let heading = format!("{0}{0} module: {1}", look.glyphs.horizontal, text::safe(&module.name));
    lines.extend([Line::raw(""), Line::styled(heading, look.style(Role::Dim))]);
    lines
}

fn kind_words(modules: &State, file: &Path) -> String {
    let language = modules.tree().map(|tree| tree.language).unwrap_or_default();
    let is_text = file.extension().is_some_and(|end| end == "md");
    about_file(language, file).unwrap_or_else(|| if is_text { "text" } else { "a file" }.into())
}

fn fields(cx: &Cx, width: usize) -> Fields<'_> {
    Fields { look: &cx.look, names: 9, width }
}

fn path_words(path: &Path, room: usize, look: &Look) -> String {
    let shown = text::safe(&path.to_string_lossy());
    let shown = if shown.is_empty() { ".".to_string() } else { shown };
    text::fit_end(&shown, room, look.glyphs.cut).into_owned()
}

fn imports(modules: &Modules, cx: &Cx, module: &Module, width: usize, lines: &mut Vec<Line<'static>>) {
    let (look, tree, fields) = (&cx.look, modules.tree(), fields(cx, width));
    for (at, import) in module.imports.iter().enumerate() {
        let (mark, role) = mark(tree, module, import, look);
        let place = format!("{}:{}", text::safe(&import.file.to_string_lossy()), import.line);
        let room = width.saturating_sub(9 + text::width(&mark) + text::width(&place) + 4);
        let range = import.need.as_ref().map(|need| format!(" {}", need.range)).unwrap_or_default();
        let words = format!("{}{range}", import.name);
        let safe = text::safe(words.trim_end());
        let name = text::pad(&text::fit_end(&safe, room, look.glyphs.cut), room.min(34));
        lines.push(fields.line(
            heading(module, at),
            vec![
                Span::raw(name),
                Span::raw("  "),
                Span::styled(mark, look.style(role)),
                Span::raw("  "),
                Span::styled(place, look.style(Role::Dim)),
            ],
        ));
    }
}

/// The heading before an import: requirements of the metadata come first.
fn heading(module: &Module, at: usize) -> &'static str {
    let is_need = |at: usize| module.imports.get(at).map(|import| import.need.is_some());
    let is_same = at > 0 && is_need(at) == is_need(at - 1);
    match is_need(at) {
        _ if is_same => "",
        Some(true) => "requires",
        _ => "imports",
    }
}

/// The state of an import, in a word.
fn mark(tree: Option<&ModuleTree>, module: &Module, import: &Import, look: &Look) -> (String, Role) {
    let found = tree.and_then(|tree| {
        let name = import.module.as_ref()?;
        tree.modules.iter().find(|module| module.name == *name)
    });
    match (found, &import.module) {
        (Some(module), _) if module.state == ModuleState::Missing => {
            (format!("{} not fetched", look.glyphs.failed), Role::Error)
        }
        (Some(Module { version: Some(version), .. }), _) if import.is_unfit => {
            (format!("{} {} is there", look.glyphs.replace, text::safe(version)), Role::Warning)
        }
        (_, Some(_)) => (look.glyphs.done.to_string(), Role::Good),
        (_, None) if import.need.is_some() => ("built in".to_string(), Role::Dim),
        (_, None) if module.files.iter().any(|file| file.as_os_str() == import.name.as_str()) => {
            (format!("{} this module", look.glyphs.done), Role::Good)
        }
        (_, None) => match beyond(tree.map(|tree| tree.language).unwrap_or_default(), &import.name) {
            Beyond::BuiltIn => ("built in".to_string(), Role::Dim),
            Beyond::File => ("a file".to_string(), Role::Dim),
            Beyond::Nothing(why) => (format!("{} {why}", look.glyphs.failed), Role::Error),
        },
    }
}

/// A README's text, wrapped; headings and blocks of code are highlighted, without marks.
fn readme_lines(readme: &str, width: usize, look: &Look) -> Vec<Line<'static>> {
    const MOST: usize = 400;
    let (mut lines, mut is_code) = (Vec::new(), false);
    for line in readme.lines().take(MOST) {
        let role = if line.starts_with('#') && !is_code { Role::Strong } else { Role::Text };
        let shown = text::safe(&text::widen_tabs(line));
        let shown = if role == Role::Strong { shown.trim_start_matches('#').trim_start() } else { &shown };
        if shown.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let role = if is_code { Role::Key } else { role };
        let shown = if is_code { shown.to_owned() } else { shown.replace('`', "") };
        lines.extend(text::wrap_line(&Line::styled(shown, look.style(role)), width));
    }
    lines
}
