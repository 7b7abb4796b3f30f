//! Modules: the entry's modules with their state and files; missing ones can be fetched.

pub mod change;
mod detail;
pub mod failed;
pub mod fetch;
mod rows;
pub mod data;

use std::path::{Path, PathBuf};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::code::Folding;
use super::{Pane, code};
use crate::module::{Module, ModuleState, ModuleTree};
use crate::plan::{Offered, Query};
use crate::session::{Fetched, Found, Seen, mark_behind};
use crate::tui::effect::Effect;
use crate::tui::filter;
use crate::tui::keymap::Action;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

pub use crate::tui::screen::modules::data::{Row, State};
use fetch::Task;
use rows::{row_line, state_width, state_words};

impl State {
    fn row(&self) -> Option<Row> {
        self.rows.get(self.list.cursor).copied()
    }

    fn module(&self) -> Option<&Module> {
        self.module_at(self.list.cursor)
    }

    fn module_at(&self, row: usize) -> Option<&Module> {
        let (Row::Module(at) | Row::File(at, _)) = *self.rows.get(row)?;
        self.tree.as_ref()?.modules.get(at)
    }

    /// The data of the selected module, if it was fetched.
    pub fn fetched(&self) -> Option<&Fetched> {
        self.fetched_as(self.module()?)
    }

    fn fetched_as(&self, module: &Module) -> Option<&Fetched> {
        self.fetched.iter().find(|fetched| fetched.is(module))
    }

    /// How many commits its ref has more, if known.
    fn commits_behind(&self, module: &Module) -> Option<usize> {
        let seen = self.seen.iter().find(|seen| seen.path == module.path)?;
        match seen.found {
            Found::Behind { commits, .. } => commits.filter(|_| module.state == ModuleState::Behind),
            _ => None,
        }
    }

    /// Why the selected module cannot be updated.
    pub fn why_not_bumped(&self) -> Option<&'static str> {
        let module = self.module()?;
        match (self.fetched_as(module), module.state) {
            (_, ModuleState::Missing) => Some("it is missing: f fetches it"),
            (None, _) => Some("not a fetched module"),
            (Some(_), ModuleState::Edited) => Some("its files were edited: commit and push them first"),
            (Some(_), ModuleState::Unused) => Some("no longer imported: Space x removes it"),
            (Some(_), ModuleState::Present | ModuleState::Behind) => None,
        }
    }

    /// How many modules are missing, behind as of the last check, and not approved; and when that check was.
    pub fn needs(&self) -> ([usize; 3], Option<&str>) {
        let all = || self.tree.iter().flat_map(|tree| &tree.modules);
        let missing = all().filter(|module| module.state == ModuleState::Missing && !module.used_by.is_empty());
        let behind = all().filter(|module| module.state == ModuleState::Behind);
        let strange = self.fetched.iter().filter(|fetched| !fetched.is_approved);
        let looked = self.seen.iter().find_map(|seen| seen.looked.as_deref());
        ([missing.count(), behind.count(), strange.count()], looked)
    }

    /// Whether a module is missing.
    pub fn lacks_some(&self) -> bool {
        let mut modules = self.tree.iter().flat_map(|tree| &tree.modules);
        modules.any(|module| module.state == ModuleState::Missing && !module.used_by.is_empty())
    }

    /// Whether a fetched module is approved in its current version.
    pub fn is_approved(&self, module: &Fetched) -> bool {
        self.fetched.iter().any(|fetched| fetched.is_approved && fetched.hash == module.hash)
    }

    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Folds or unfolds one module or all; the cursor stays on its row, or goes to the module that hides it.
    fn fold(&mut self, how: Folding) {
        let Some(Row::Module(at) | Row::File(at, _)) = self.row() else { return };
        let before = self.row();
        let Some(modules) = self.tree.as_ref().map(|tree| &tree.modules) else { return };
        match how {
            Folding::OpenAll => self.open.extend(modules.iter().map(|module| module.name.clone())),
            Folding::CloseAll => self.open.clear(),
            Folding::Toggle => {
                let Some(name) = modules.get(at).map(|module| module.name.clone()) else { return };
                let was_open = self.open.remove(&name);
                if !was_open {
                    self.open.insert(name);
                }
            }
        }
        self.relist();
        let place = |wanted: Row| self.rows.iter().position(|row| *row == wanted);
        self.list.cursor = before.and_then(place).or(place(Row::Module(at))).unwrap_or(0);
    }

    pub fn has_fetched(&self) -> bool {
        !self.fetched.is_empty()
    }

    /// The file under the cursor; of a module, its first readable one.
    pub fn file(&self) -> Option<PathBuf> {
        self.file_at(self.list.cursor)
    }

    fn file_at(&self, row: usize) -> Option<PathBuf> {
        let module = self.module_at(row)?;
        let file = match *self.rows.get(row)? {
            Row::File(_, at) => module.files.get(at)?,
            Row::Module(_) => module.main.as_ref().or(module.files.first())?,
        };
        Some(module.path.join(file))
    }

    /// The path of the file under the cursor in its module; `None` on a module.
    fn file_in_module(&self) -> Option<&Path> {
        match self.row()? {
            Row::File(_, at) => self.module()?.files.get(at).map(PathBuf::as_path),
            Row::Module(_) => None,
        }
    }

    /// The name to copy.
    pub fn name(&self) -> Option<String> {
        self.name_at(self.list.cursor)
    }

    fn name_at(&self, row: usize) -> Option<String> {
        match self.rows.get(row)? {
            Row::Module(_) => self.module_at(row).map(|module| module.name.clone()),
            Row::File(..) => self.file_at(row).map(|file| file.display().to_string()),
        }
    }

    /// The module of the selected row, also of a file's row.
    pub fn module_of_row(&self) -> Option<&Module> {
        self.module()
    }

    fn go_to_name(&mut self, name: &str) {
        let at = (0..self.rows.len()).find(|at| {
            self.list.cursor = *at;
            self.name().is_some_and(|other| other == name)
        });
        self.list.cursor = at.unwrap_or(0);
    }

    fn relist(&mut self) {
        let Some(tree) = &self.tree else { return };
        let words = &self.words;
        let query = Query::typed(words).unwrap_or_default();
        let fits = |name: &str| words.is_empty() || query.fits(&Offered { file: Some(name), ..Offered::text(name) });
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

/// Takes a new tree; unfolds the entry's own module the first time.
pub fn loaded(tui: &mut Tui, mut tree: ModuleTree, fetched: Vec<Fetched>, remembered: Vec<Seen>) -> Vec<Effect> {
    let state = &mut tui.modules;
    // The last check of this session also has failures.
    let is_new = |seen: &Seen| !state.seen.iter().any(|known| known.path == seen.path);
    let remembered: Vec<Seen> = remembered.into_iter().filter(is_new).collect();
    state.seen.extend(remembered);
    mark_behind(&mut tree, &state.seen);
    let kept = state.name();
    let is_first = state.tree.is_none();
    if is_first {
        state.open.extend(tree.modules.first().map(|module| module.name.clone()));
    }
    state.tree = Some(tree);
    state.fetched = fetched;
    state.readmes.clear();
    state.relist();
    if let Some(name) = kept {
        state.go_to_name(&name);
    }
    let mut effects = readme(tui);
    // Code shows a file before the program is compiled.
    let first_file = || tui.project.entry_file.clone().or_else(|| tui.modules.file());
    if is_first
        && !tui.code.is_open()
        && let Some(path) = first_file()
    {
        effects.extend(code::open(tui, path, (1, 1)));
    }
    effects
}

/// Stores a README.
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
        tui.modules.start = None;
        tui.modules.list.go(step, count, len, height);
        if tui.modules.list.cursor != before {
            tui.modules.detail = List::default();
        }
        return readme(tui);
    }
    let len = detail::lines(tui, width).len();
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
        (Action::Fetch, _) => fetch::begin(tui, Task::Missing),
        (Action::Update, _) => fetch::begin(tui, Task::Update),
        (Action::Bump, _) => match state.fetched().map(|fetched| fetched.name.clone()) {
            Some(name) => fetch::begin(tui, Task::Bump(name)),
            None => vec![],
        },
        (Action::Look, _) => fetch::begin(tui, Task::Look),
        (Action::AddImport, _) => change::ask_import(tui),
        (Action::PruneModules, _) => vec![Effect::PlanPruning],
        (Action::RetryFetch, _) => failed::retry(tui),
        (Action::Approve, _) => fetch::ask(tui),
        (Action::Open, Some(Row::Module(_))) => {
            state.fold(Folding::Toggle);
            vec![]
        }
        (Action::Fold(how), _) => {
            state.fold(how);
            readme(tui)
        }
        (Action::Open, Some(Row::File(..))) => {
            let Some(path) = state.file() else { return vec![] };
            crate::tui::jumps::open_file(tui, path, (1, 1))
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

/// The cursor stays on its row, as long as it is visible; a file that was found is not folded away.
pub fn filter(tui: &mut Tui, words: &str) {
    let state = &mut tui.modules;
    let here = state.row();
    if state.words.is_empty() {
        state.start = here;
    }
    if words.is_empty()
        && let Some(Row::File(..)) = here
        && let Some(name) = state.module().map(|module| module.name.clone())
    {
        state.open.insert(name);
    }
    let before = std::mem::replace(&mut state.words, words.to_string());
    state.relist();
    let place = |wanted: &Row| state.rows.iter().position(|row| row == wanted);
    state.list.cursor = filter::stays((&before, words), state.start, here, place);
}

pub fn clamp(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Tree);
    let len = tui.modules.rows.len();
    tui.modules.list.clamp(len, height);
    let (width, height) = tui.room(Pane::Module);
    let len = detail::lines(tui, width).len();
    tui.modules.detail.clamp_text(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    let focused = tui.focus() == pane;
    let state = &tui.modules;
    let height = usize::from(area.height.saturating_sub(2));
    if pane == Pane::Module {
        let lines = detail::lines(tui, usize::from(area.width.saturating_sub(2)));
        let title = detail::title(tui);
        let scroll = state.detail.extent(lines.len(), height);
        let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
        list::draw_cut(buf, inner, &tui.look, state.detail.offset, &lines);
        return;
    }
    let title =
        if state.words.is_empty() { "Modules".to_string() } else { format!("Modules  /{}", text::safe(&state.words)) };
    let foot = state.list.foot(state.rows.len());
    let scroll = state.list.extent(state.rows.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, foot: &foot, focused, scroll });
    let Some(tree) = &state.tree else {
        let words = if tui.is_working(Job::Modules) { " reading modules…" } else { "" };
        return list::draw_words(buf, inner, &[Line::styled(words, tui.look.style(Role::Dim))]);
    };
    if state.rows.is_empty() {
        return list::draw_words(buf, inner, &empty(tui));
    }
    let room = (usize::from(inner.width), state_width(state, tree, &tui.look));
    list::draw(buf, inner, &tui.look, &state.list, state.rows.len(), focused, |at| {
        let row = state.rows[at];
        row_line(state, tree, &tui.look, row, room)
    });
}

fn empty(tui: &Tui) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    let all = tui.modules.tree.as_ref().map_or(0, |tree| tree.modules.len());
    if tui.modules.words.is_empty() {
        vec![Line::raw(" No modules here."), Line::styled(" Start workbench on a module folder.", dim)]
    } else {
        filter::hides_all(tui, &tui.modules.words, (all, "module", "modules"))
    }
}
