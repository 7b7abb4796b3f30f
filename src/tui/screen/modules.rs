//! Modules: what the entry needs, what is there, and the files of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Pane, code};
use crate::module::{Module, ModuleState, ModuleTree};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::look::{Look, Role};
use crate::tui::message::Job;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

/// A visible row of the tree, as positions in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Module(usize),
    File(usize, usize),
}

/// What the screen remembers.
#[derive(Debug, Default)]
pub struct State {
    /// `None` until the first answer.
    pub tree: Option<ModuleTree>,
    open: BTreeSet<String>,
    rows: Vec<Row>,
    list: List,
    detail: List,
    pub words: String,
    /// READMEs that were looked for, and their text.
    readmes: BTreeMap<PathBuf, Option<String>>,
}

impl State {
    fn row(&self) -> Option<Row> {
        self.rows.get(self.list.cursor).copied()
    }

    fn module(&self) -> Option<&Module> {
        let (Row::Module(at) | Row::File(at, _)) = self.row()?;
        self.tree.as_ref()?.modules.get(at)
    }

    /// The file under the cursor: of a module, the first that can be read.
    pub fn file(&self) -> Option<PathBuf> {
        let module = self.module()?;
        let file = match self.row()? {
            Row::File(_, at) => module.files.get(at)?,
            Row::Module(_) => module.files.iter().find(|file| file.ends_with("main.mcl")).or(module.files.first())?,
        };
        Some(module.path.join(file))
    }

    /// The name to copy.
    pub fn name(&self) -> Option<String> {
        match self.row()? {
            Row::Module(_) => self.module().map(|module| module.name.clone()),
            Row::File(..) => self.file().map(|file| file.display().to_string()),
        }
    }

    fn relist(&mut self) {
        let Some(tree) = &self.tree else { return };
        let words = self.words.to_lowercase();
        let fits = |name: &str| words.is_empty() || name.to_lowercase().contains(&words);
        self.rows.clear();
        for (at, module) in tree.modules.iter().enumerate() {
            let files: Vec<_> =
                module.files.iter().enumerate().filter(|(_, file)| fits(&file.to_string_lossy())).collect();
            let module_fits = fits(&module.name);
            if !words.is_empty() && !module_fits && files.is_empty() {
                continue;
            }
            self.rows.push(Row::Module(at));
            if self.open.contains(&module.name) || (!words.is_empty() && !module_fits) {
                self.rows.extend(files.into_iter().map(|(file, _)| Row::File(at, file)));
            }
        }
    }
}

/// Takes a new tree; the entry's own module is unfolded the first time.
pub fn loaded(tui: &mut Tui, tree: ModuleTree) -> Vec<Effect> {
    let state = &mut tui.modules;
    let kept = state.name();
    let is_first = state.tree.is_none();
    if is_first {
        state.open.extend(tree.modules.first().map(|module| module.name.clone()));
    }
    state.tree = Some(tree);
    state.readmes.clear();
    state.relist();
    if let Some(name) = kept {
        let at = (0..state.rows.len()).find(|at| {
            state.list.cursor = *at;
            state.name().as_ref() == Some(&name)
        });
        state.list.cursor = at.unwrap_or(0);
    }
    let mut effects = readme(tui);
    // There is something to read on Code before the program is compiled.
    let first_file = || tui.entry_file.clone().or_else(|| tui.modules.file());
    if is_first
        && !tui.code.is_open()
        && let Some(path) = first_file()
    {
        effects.extend(code::open(tui, path, (1, 1)));
    }
    effects
}

/// Keeps a README that was read.
pub fn readme_read(tui: &mut Tui, path: PathBuf, text: Option<String>) {
    tui.modules.readmes.insert(path, text);
}

fn readme(tui: &mut Tui) -> Vec<Effect> {
    let Some(module) = tui.modules.module() else { return vec![] };
    let path = module.path.join("README.md");
    if module.state == ModuleState::Missing || tui.modules.readmes.contains_key(&path) {
        return vec![];
    }
    tui.modules.readmes.insert(path.clone(), None);
    tui.start(Job::Read);
    vec![Effect::ReadReadme(path)]
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (width, height) = tui.room(pane);
    if pane == Pane::Tree {
        let len = tui.modules.rows.len();
        let before = tui.modules.list.cursor;
        tui.modules.list.go(step, count, len, height);
        if tui.modules.list.cursor != before {
            tui.modules.detail = List::default();
        }
        return readme(tui);
    }
    let len = detail(tui, width).len();
    tui.modules.detail.scroll(step, count, len, height);
    vec![]
}

pub fn select(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let at = tui.modules.list.offset + row;
    if at >= tui.modules.rows.len() {
        return vec![];
    }
    if at == tui.modules.list.cursor {
        return act(tui, Action::Open);
    }
    tui.modules.list.cursor = at;
    tui.modules.detail = List::default();
    readme(tui)
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    let state = &mut tui.modules;
    match (action, state.row()) {
        (Action::Open, Some(Row::Module(at))) => {
            let Some(name) =
                state.tree.as_ref().and_then(|tree| tree.modules.get(at)).map(|module| module.name.clone())
            else {
                return vec![];
            };
            if !state.open.remove(&name) {
                state.open.insert(name);
            }
            state.relist();
            vec![]
        }
        (Action::Open, Some(Row::File(..))) => {
            let Some(path) = state.file() else { return vec![] };
            crate::tui::update::open_file(tui, path, 1)
        }
        (Action::Close, Some(Row::Module(at) | Row::File(at, _))) => {
            if let Some(name) =
                state.tree.as_ref().and_then(|tree| tree.modules.get(at)).map(|module| module.name.clone())
            {
                state.open.remove(&name);
                state.relist();
                state.list.cursor = state.rows.iter().position(|row| *row == Row::Module(at)).unwrap_or(0);
            }
            vec![]
        }
        _ => vec![],
    }
}

pub fn filter(tui: &mut Tui, words: &str) {
    tui.modules.words = words.to_string();
    tui.modules.relist();
}

pub fn settle(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Tree);
    let len = tui.modules.rows.len();
    tui.modules.list.settle(len, height);
    let (width, height) = tui.room(Pane::Module);
    let len = detail(tui, width).len();
    tui.modules.detail.settle_text(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    let focused = tui.focus() == pane;
    let state = &tui.modules;
    let height = usize::from(area.height.saturating_sub(2));
    if pane == Pane::Module {
        let lines = detail(tui, usize::from(area.width.saturating_sub(2)));
        let title = state.module().map_or("Module".into(), |module| text::safe(&module.name));
        let scroll = state.detail.extent(lines.len(), height);
        let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
        list::draw_text(buf, inner, state.detail.offset, &lines);
        return;
    }
    let title =
        if state.words.is_empty() { "Modules".to_string() } else { format!("Modules  /{}", text::safe(&state.words)) };
    let foot = state.list.foot(state.rows.len());
    let scroll = state.list.extent(state.rows.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, foot: &foot, focused, scroll });
    let Some(tree) = &state.tree else {
        let words = if tui.is_working(Job::Modules) { " looking for modules…" } else { "" };
        return list::draw_text(buf, inner, 0, &[Line::styled(words, tui.look.style(Role::Dim))]);
    };
    if state.rows.is_empty() {
        return list::draw_text(buf, inner, 0, &empty(tui));
    }
    list::draw(buf, inner, &tui.look, &state.list, state.rows.len(), focused, |at| {
        row_line(state, tree, &tui.look, state.rows[at], usize::from(inner.width))
    });
}

fn empty(tui: &Tui) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    let all = tui.modules.tree.as_ref().map_or(0, |tree| tree.modules.len());
    if tui.modules.words.is_empty() {
        vec![
            Line::raw(" No modules here."),
            Line::styled(" Start workbench on a folder with a main.mcl or metadata.yaml.", dim),
        ]
    } else {
        vec![
            Line::raw(format!(" Filter `{}` hides {all} modules.", text::safe(&tui.modules.words))),
            Line::styled(" Esc clears it.", dim),
        ]
    }
}

/// The glyph, word and role of a module's state.
fn state_words(look: &Look, state: ModuleState) -> (&'static str, &'static str, Role) {
    match state {
        ModuleState::Present => (look.glyphs.done, "", Role::Good),
        ModuleState::Missing => (look.glyphs.failed, "missing", Role::Error),
        ModuleState::Edited => (look.glyphs.replace, "edited", Role::Warning),
        ModuleState::Behind => ("<", "behind", Role::Warning),
        ModuleState::Unused => (look.glyphs.waiting, "unused", Role::Dim),
    }
}

fn row_line<'a>(state: &State, tree: &'a ModuleTree, look: &Look, row: Row, width: usize) -> Line<'a> {
    match row {
        Row::Module(at) => {
            let module = &tree.modules[at];
            let (glyph, word, role) = state_words(look, module.state);
            let fold = match (module.files.is_empty(), state.open.contains(&module.name)) {
                (true, _) => " ",
                (_, true) => look.glyphs.open,
                (_, false) => look.glyphs.shut,
            };
            let tail = format!("{:>4}  {glyph} {word:<8}", module.files.len());
            let room = width.saturating_sub(text::width(&tail) + 3);
            let safe = text::safe(&module.name);
            let name = text::fit_end(&safe, room, look.glyphs.cut);
            Line::from(vec![
                Span::raw(format!("{fold} ")),
                Span::styled(text::pad(&name, room), look.style(Role::Strong)),
                Span::raw(" "),
                Span::styled(tail, look.style(role)),
            ])
        }
        Row::File(at, file) => {
            let name = text::safe(&tree.modules[at].files[file].to_string_lossy());
            Line::raw(format!("    {}", text::fit_end(&name, width.saturating_sub(4), look.glyphs.cut)))
        }
    }
}

/// The lines of the detail pane.
fn detail(tui: &Tui, width: usize) -> Vec<Line<'static>> {
    let look = &tui.look;
    let Some(module) = tui.modules.module() else { return vec![] };
    let mut lines = Vec::new();
    let (glyph, word, role) = state_words(look, module.state);
    let word = if word.is_empty() { "present" } else { word };
    lines.push(field(look, "state", vec![Span::styled(format!("{glyph} {word}"), look.style(role))]));
    if module.state == ModuleState::Missing {
        let how = format!("         fetch it with: workbench download {}", text::safe(&tui.entry));
        lines.push(Line::styled(how, look.style(Role::Dim)));
    }
    lines.push(field(look, "path", vec![Span::raw(path_words(&module.path, width.saturating_sub(9), look))]));
    if let Some(revision) = &module.revision {
        let short: String = revision.chars().take(12).collect();
        lines.push(field(look, "commit", vec![Span::raw(text::safe(&short))]));
    }
    if let Some(license) = &module.license {
        lines.push(field(look, "licence", vec![Span::raw(text::safe(license))]));
    }
    if !module.used_by.is_empty() {
        let names: Vec<_> = module.used_by.iter().map(|name| text::safe(name)).collect();
        for (at, line) in text::wrap(&names.join(", "), width.saturating_sub(9)).into_iter().enumerate() {
            lines.push(field(look, if at == 0 { "used by" } else { "" }, vec![Span::raw(line)]));
        }
    }
    imports(tui, module, width, &mut lines);
    if let Some(Some(readme)) = tui.modules.readmes.get(&module.path.join("README.md")) {
        lines.push(Line::raw(""));
        lines.push(Line::styled(format!("{0}{0} README", look.glyphs.horizontal), look.style(Role::Dim)));
        lines.extend(readme_lines(readme, width, look));
    }
    lines
}

fn field(look: &Look, name: &str, mut value: Vec<Span<'static>>) -> Line<'static> {
    value.insert(0, Span::styled(format!("{name:<9}"), look.style(Role::Dim)));
    Line::from(value)
}

fn path_words(path: &Path, room: usize, look: &Look) -> String {
    let shown = text::safe(&path.to_string_lossy());
    let shown = if shown.is_empty() { ".".to_string() } else { shown };
    text::fit_end(&shown, room, look.glyphs.cut).into_owned()
}

fn imports(tui: &Tui, module: &Module, width: usize, lines: &mut Vec<Line<'static>>) {
    let look = &tui.look;
    let tree = tui.modules.tree.as_ref();
    for (at, import) in module.imports.iter().enumerate() {
        let found = import
            .module
            .as_ref()
            .map(|name| tree.and_then(|tree| tree.modules.iter().find(|module| module.name == *name)).map(|m| m.state));
        let (mark, role) = match found {
            None if module.files.iter().any(|file| file.as_os_str() == import.name.as_str()) => {
                (format!("{} this module", look.glyphs.done), Role::Good)
            }
            None => ("built in".to_string(), Role::Dim),
            Some(Some(ModuleState::Missing)) => (format!("{} not fetched", look.glyphs.failed), Role::Error),
            Some(_) => (look.glyphs.done.to_string(), Role::Good),
        };
        let place = format!("{}:{}", text::safe(&import.file.to_string_lossy()), import.line);
        let room = width.saturating_sub(9 + text::width(&mark) + text::width(&place) + 4);
        let safe = text::safe(&import.name);
        let name = text::pad(&text::fit_end(&safe, room, look.glyphs.cut), room.min(34));
        lines.push(field(
            look,
            if at == 0 { "imports" } else { "" },
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

/// A README's text, wrapped; headings stand out, the rest is shown as it was written.
fn readme_lines(readme: &str, width: usize, look: &Look) -> Vec<Line<'static>> {
    const MOST: usize = 400;
    let mut lines = Vec::new();
    for line in readme.lines().take(MOST) {
        let role = if line.starts_with('#') { Role::Strong } else { Role::Text };
        let shown = text::safe(&text::widen_tabs(line));
        let shown = shown.trim_start_matches('#');
        let shown = if role == Role::Strong { shown.trim_start() } else { shown };
        lines.extend(text::wrap(shown, width).into_iter().map(|line| Line::styled(line, look.style(role))));
    }
    lines
}
