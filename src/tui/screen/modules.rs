//! Modules: the entry's modules with their state and files; missing ones can be fetched.

mod front;
pub mod change;
mod detail;
pub mod failed;
pub mod fetch;
mod rows;
pub mod data;

use std::path::PathBuf;

use ratatui::prelude::{Buffer, Line, Rect};

use super::{Beside, Pane, Screen, code};
use crate::module::{Module, ModuleState, ModuleTree};
use crate::plan::{Offered, Query};
use crate::session::{Fetched, RemoteNews, RemoteState, mark_behind};
use crate::tui::cx::{Cx, Request};
use crate::tui::keymap::{Action, Folding};
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::{effect::Effect, filter, front::Front, list::Rows, look::Role, message::Job};

pub use crate::tui::screen::modules::data::{Key, Row, State, Tree};
use fetch::Task;
use rows::{row_line, state_width, state_words};

impl State {
    fn row(&self) -> Option<Row> {
        self.list.rows.rows.get(self.list.cursor()).copied()
    }

    /// The module of the selected row, also of a file's row.
    pub fn module(&self) -> Option<&Module> {
        self.list.rows.module(self.list.cursor())
    }

    pub fn tree(&self) -> Option<&ModuleTree> {
        self.list.rows.tree.as_ref()
    }

    fn modules(&self) -> impl Iterator<Item = &Module> {
        self.tree().into_iter().flat_map(|tree| &tree.modules)
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
            RemoteNews::Behind { commits, .. } => commits.filter(|_| module.state == ModuleState::Behind),
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
        let missing =
            self.modules().filter(|module| module.state == ModuleState::Missing && !module.used_by.is_empty());
        let behind = self.modules().filter(|module| module.state == ModuleState::Behind);
        let strange = self.fetched.iter().filter(|fetched| !fetched.is_approved);
        let looked = self.seen.iter().find_map(|seen| seen.looked.as_deref());
        ([missing.count(), behind.count(), strange.count()], looked)
    }

    pub fn lacks_some(&self) -> bool {
        self.modules().any(|module| module.state == ModuleState::Missing && !module.used_by.is_empty())
    }

    /// Whether a fetched module is approved in its current version.
    pub fn is_approved(&self, module: &Fetched) -> bool {
        self.fetched.iter().any(|fetched| fetched.is_approved && fetched.hash == module.hash)
    }

    pub fn has_fetched(&self) -> bool {
        !self.fetched.is_empty()
    }

    /// The file under the cursor; of a module, its first readable one.
    pub fn file(&self) -> Option<PathBuf> {
        let module = self.module()?;
        let file = match self.row()? {
            Row::File(_, at) => module.files.get(at)?,
            Row::Module(_) => module.main.as_ref().or(module.files.first())?,
        };
        Some(module.path.join(file))
    }

    /// The path of the file under the cursor in its module; `None` on a module.
    fn file_in_module(&self) -> Option<PathBuf> {
        self.list.selected()?.file
    }

    pub fn name(&self) -> Option<String> {
        match self.row()? {
            Row::Module(_) => self.module().map(|module| module.name.clone()),
            Row::File(..) => self.file().map(|file| file.display().to_string()),
        }
    }
}

impl Tree {
    fn module(&self, row: usize) -> Option<&Module> {
        let (Row::Module(at) | Row::File(at, _)) = *self.rows.get(row)?;
        self.tree.as_ref()?.modules.get(at)
    }

    fn filter(&mut self, words: &str) {
        self.words = words.to_owned();
        self.relist();
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

impl Rows for Tree {
    type Key = Key;

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key(&self, at: usize) -> Option<Key> {
        let module = self.module(at)?;
        let file = match *self.rows.get(at)? {
            Row::File(_, file) => Some(module.files.get(file)?.clone()),
            Row::Module(_) => None,
        };
        Some(Key { module: module.name.clone(), file })
    }

    /// One module, with the cursor on it then, or all.
    fn fold(&mut self, how: Folding, at: usize) -> Option<Key> {
        let module = self.module(at)?.name.clone();
        match how {
            Folding::OpenAll => {
                self.open = self.tree.iter().flat_map(|tree| &tree.modules).map(|module| module.name.clone()).collect();
            }
            Folding::CloseAll => self.open.clear(),
            Folding::Toggle if self.open.remove(&module) => {}
            Folding::Toggle => _ = self.open.insert(module.clone()),
        }
        self.relist();
        Some(Key { module, file: None })
    }

    /// A file that was found is not folded away.
    fn reveal(&mut self, key: &Key) {
        if key.file.is_some() {
            self.open.insert(key.module.clone());
        }
    }
}

/// Takes a new tree; unfolds the entry's own module the first time.
pub fn loaded(
    modules: &mut Modules,
    code: &mut Code,
    cx: &mut Cx,
    mut tree: ModuleTree,
    fetched: Vec<Fetched>,
    remembered: Vec<RemoteState>,
) {
    let state = &mut *modules;
    // The last check of this session also has failures.
    let is_new = |seen: &RemoteState| !state.seen.iter().any(|known| known.path == seen.path);
    let remembered: Vec<RemoteState> = remembered.into_iter().filter(is_new).collect();
    state.seen.extend(remembered);
    mark_behind(&mut tree, &state.seen);
    let is_first = state.tree().is_none();
    state.list.renew(|rows| {
        if is_first {
            rows.open.extend(tree.modules.first().map(|module| module.name.clone()));
        }
        rows.tree = Some(tree);
        rows.relist();
    });
    state.fetched = fetched;
    state.readmes.clear();
    readme(modules, cx);
    // Code shows a file before the program is compiled.
    let first_file = || cx.project.entry_file.clone().or_else(|| modules.file());
    if is_first
        && !code.is_open()
        && let Some(path) = first_file()
    {
        code::open(code, cx, path, (1, 1));
    }
}

pub fn readme_read(modules: &mut State, path: PathBuf, text: Option<String>) {
    modules.readmes.insert(path, text);
}

fn readme(modules: &mut Modules, cx: &mut Cx) {
    let Some(module) = modules.module() else { return };
    let path = module.path.join("README.md");
    if module.state == ModuleState::Missing || modules.readmes.contains_key(&path) {
        return;
    }
    modules.readmes.insert(path.clone(), None);
    cx.start(Job::Read);
    cx.effect(Effect::ReadReadme(path))
}

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, pane: Pane, area: Rect) {
        let focused = front.cx.focus() == pane;
        let height = usize::from(area.height.saturating_sub(2));
        if pane == Pane::Module {
            let lines = detail::lines(self, front.cx, usize::from(area.width.saturating_sub(2)));
            let title = detail::title(self);
            let scroll = self.detail.extent(lines.len(), height);
            let inner =
                frame::draw(buf, area, &front.cx.look, &Frame { title: &title, focused, scroll, ..Frame::default() });
            list::draw_cut(buf, inner, &front.cx.look, self.detail.offset, &lines);
            return;
        }
        let title = self.list.titled("Modules");
        let foot = self.list.foot();
        let scroll = self.list.extent(height);
        let inner = frame::draw(buf, area, &front.cx.look, &Frame { title: &title, foot: &foot, focused, scroll });
        let Some(tree) = self.tree() else {
            let words = if front.cx.is_working(Job::Modules) { " reading modules…" } else { "" };
            return list::draw_words(buf, inner, &[Line::styled(words, front.cx.look.style(Role::Dim))]);
        };
        if self.list.is_empty() {
            return list::draw_words(buf, inner, &empty(self, front.cx));
        }
        let room = (usize::from(inner.width), state_width(self, tree, &front.cx.look));
        list::draw(buf, inner, &front.cx.look, &self.list.at, self.list.len(), focused, |at| {
            let row = self.list.rows.rows[at];
            row_line(self, tree, &front.cx.look, row, room)
        });
    }

    fn go(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, step: Move, count: usize) {
        let (width, height) = cx.room(pane);
        if pane == Pane::Tree {
            if self.list.go(step, count, height) {
                self.detail = List::default();
            }
            return readme(self, cx);
        }
        let len = detail::lines(self, cx, width).len();
        self.detail.scroll(step, count, len, height);
    }

    fn click(&mut self, cx: &mut Cx, beside: Beside<'_>, pane: Pane, (row, _): (usize, usize)) {
        match (pane == Pane::Tree).then(|| self.list.click(row)).flatten() {
            Some(true) => self.act(cx, beside, Action::Open, 1),
            Some(false) => {
                self.detail = List::default();
                readme(self, cx)
            }
            None => {}
        }
    }

    fn act(&mut self, cx: &mut Cx, _: Beside<'_>, action: Action, _: usize) {
        match (action, self.row()) {
            (Action::Fetch, _) => fetch::begin(self, cx, Task::Missing),
            (Action::Update, _) => fetch::begin(self, cx, Task::Update),
            (Action::Bump, _) => {
                let name = self.fetched().map(|fetched| fetched.name.clone());
                name.into_iter().for_each(|name| fetch::begin(self, cx, Task::Bump(name)));
            }
            (Action::Look, _) => fetch::begin(self, cx, Task::Look),
            (Action::AddImport, _) => change::ask_import(cx),
            (Action::PruneModules, _) => cx.effect(Effect::PlanPruning),
            (Action::RetryFetch, _) => failed::retry(self, cx),
            (Action::Approve, _) => fetch::ask(self, cx),
            (Action::Open, Some(Row::Module(_))) => self.list.fold(Folding::Toggle),
            (Action::Fold(how), _) => {
                self.list.fold(how);
                readme(self, cx)
            }
            (Action::Open, Some(Row::File(..))) => {
                let Some(path) = self.file() else { return };
                cx.request(Request::File(path));
            }
            (Action::Close, Some(_)) => {
                if self.module().is_some_and(|module| self.list.rows.open.contains(&module.name)) {
                    self.list.fold(Folding::Toggle);
                } else if let Some(key) = self.list.selected() {
                    self.list.select(&Key { file: None, ..key });
                }
            }
            _ => {}
        }
    }

    fn clamp(&mut self, cx: &mut Cx, _: Beside<'_>) {
        let (_, height) = cx.room(Pane::Tree);
        self.list.clamp(height);
        let (width, height) = cx.room(Pane::Module);
        let len = detail::lines(self, cx, width).len();
        self.detail.clamp_text(len, height);
    }

    fn filter(&mut self, _: &mut Cx, _: Beside<'_>, words: &str) {
        self.list.filter(words, Tree::filter);
    }
}

fn empty(modules: &Modules, cx: &Cx) -> Vec<Line<'static>> {
    let dim = cx.look.style(Role::Dim);
    let all = modules.tree().map_or(0, |tree| tree.modules.len());
    if modules.list.words().is_empty() {
        vec![Line::raw(" No modules here."), Line::styled(" Start workbench on a module folder.", dim)]
    } else {
        filter::hides_all(cx, modules, modules.list.words(), (all, "module", "modules"))
    }
}
