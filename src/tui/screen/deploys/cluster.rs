//! A cluster of the settings on the Deploys screen: its deploys, what a push of the open program would change there, and back.

mod hear;
mod view;

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::text::Line;

use super::Pane;
use crate::plan::{Offered as Narrowed, Query};
use crate::session::target::{Comparison, Facts, Heard, Offered, Place, Published, Tree, open_endpoint};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update::{log, log_command};
use crate::tui::widget::list::{List, Move};
pub use hear::{failed, told};
pub use view::{title, view};

/// This machine, where clusters have names.
const HERE: &str = "here";

/// What a cluster is asked.
#[derive(Clone, Debug)]
pub enum Order {
    /// Who it is, and all its deploys; then every new one.
    Reach(Place),
    /// It is not on show any more: the way to it, and its new deploys, are of no interest.
    Leave,
    /// What is asked now is of no interest any more.
    Stop,
    /// The answer to a question for a password.
    Login(Option<crate::session::Login>),
    Show(u64),
    /// `asks`: whether it is to be published then, once the user has agreed.
    Preview {
        flags: Flags,
        asks: bool,
    },
    /// Over the deploy that was looked at.
    Push {
        offered: Arc<Offered>,
        over: u64,
    },
    GoBack {
        to: u64,
        over: u64,
        entry: String,
    },
}

/// What a push is told beside the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub no_git: bool,
    pub force: bool,
}

impl Flags {
    /// Those that a help names.
    pub fn named(help: &str) -> Self {
        Self { no_git: help.contains("`--no-git`"), force: help.contains("`--force`") }
    }

    fn and(self, other: Self) -> Self {
        Self { no_git: self.no_git || other.no_git, force: self.force || other.force }
    }

    fn words(self) -> String {
        let words = [(self.no_git, " --no-git"), (self.force, " --force")];
        words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
    }
}

/// Why a cluster does not do what was asked: what happened, and the way out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trouble {
    pub lines: Vec<String>,
    /// The user had enough.
    pub was_stopped: bool,
    /// What would help.
    pub helps: Flags,
}

/// What a push would change.
#[derive(Clone, Debug)]
pub struct Previewed {
    pub offered: Arc<Offered>,
    pub comparison: Comparison,
    pub flags: Flags,
}

/// What a cluster told.
#[derive(Debug)]
pub enum Told {
    /// It wants to know the password of a user.
    Asks {
        user: String,
    },
    /// Deploys are told oldest first.
    Reached(Result<(Facts, Vec<Published>), Trouble>),
    /// A new one.
    Came(Box<Published>),
    /// The connection broke.
    Lost(Trouble),
    Shown(u64, Result<(Published, Tree), Trouble>),
    Previewed {
        asks: bool,
        result: Result<Box<Previewed>, Trouble>,
    },
    /// How far publishing is.
    Heard(Heard),
    Pushed(Result<Published, Trouble>),
    WentBack {
        to: u64,
        result: Result<Published, Trouble>,
    },
}

/// Whether it answers.
#[derive(Debug, Default)]
enum Reach {
    #[default]
    Unasked,
    Asking,
    There(Facts),
    Away(Vec<String>),
}

/// What the pane beside the list is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum About {
    #[default]
    Nothing,
    Deploy(u64),
    /// A push of the open program.
    Push,
}

/// One cluster of the settings.
#[derive(Debug, Default)]
pub struct Cluster {
    name: String,
    place: Place,
    /// An endpoint that others can read along with.
    open: Option<String>,
    reach: Reach,
    /// Something is asked beside that.
    is_busy: bool,
    /// Newest first.
    deploys: Vec<Published>,
    /// Positions among them that fit the filter.
    rows: Vec<usize>,
    /// What never changes is asked for once.
    trees: HashMap<u64, Tree>,
    list: List,
    detail: List,
    about: About,
    lines: Vec<Line<'static>>,
    previewed: Option<Box<Previewed>>,
    /// The deploy to go back to, and the one that ran when that was asked.
    back: Option<(u64, u64)>,
    /// With what a push was looked at last.
    flags: Flags,
}

impl Cluster {
    fn newest(&self) -> Option<&Published> {
        self.deploys.first()
    }

    fn selected(&self) -> Option<&Published> {
        self.deploys.get(*self.rows.get(self.list.cursor)?)
    }

    /// What going back from the row under the cursor leads to.
    fn older(&self) -> Option<&Published> {
        let selected = self.selected()?;
        if Some(selected.id) == self.newest().map(|newest| newest.id) { self.deploys.get(1) } else { Some(selected) }
    }

    fn relist(&mut self, words: &str) {
        let query = Query::typed(words).unwrap_or_default();
        let fits = |deploy: &Published| words.is_empty() || query.fits(&Narrowed::text(&view::told(deploy)));
        self.rows = (0..self.deploys.len()).filter(|at| fits(&self.deploys[*at])).collect();
    }

    /// Puts the cursor on a deploy, where it is listed.
    fn select(&mut self, id: u64) {
        if let Some(at) = self.rows.iter().position(|row| self.deploys[*row].id == id) {
            self.list.cursor = at;
        }
    }

    /// Takes a deploy in, where it is new.
    fn take(&mut self, deploy: Published, words: &str) {
        if self.deploys.iter().any(|there| there.id == deploy.id) {
            return;
        }
        let kept = self.selected().map(|deploy| deploy.id);
        let at = self.deploys.iter().position(|there| there.id < deploy.id).unwrap_or(self.deploys.len());
        self.deploys.insert(at, deploy);
        self.relist(words);
        if let Some(kept) = kept {
            self.select(kept);
        }
    }
}

/// The clusters of the settings, and which of them is on show.
#[derive(Debug, Default)]
pub struct Clusters {
    all: Vec<Cluster>,
    /// This machine's own history where none is.
    at: Option<usize>,
}

impl Clusters {
    /// By name, with how each is reached.
    pub fn new(places: impl IntoIterator<Item = (String, Place)>) -> Self {
        let cluster = |(name, place): (String, Place)| {
            // An address that is wrong is told once it is asked.
            let open = open_endpoint(&place).ok().flatten();
            Cluster { name, place, open, ..Cluster::default() }
        };
        Self { all: places.into_iter().map(cluster).collect(), at: None }
    }

    pub fn is_shown(&self) -> bool {
        self.at.is_some()
    }

    fn shown(&self) -> Option<&Cluster> {
        self.all.get(self.at?)
    }

    fn shown_mut(&mut self) -> Option<&mut Cluster> {
        self.all.get_mut(self.at?)
    }

    /// The number of the deploy under the cursor.
    pub fn selected(&self) -> Option<u64> {
        self.shown()?.selected().map(|deploy| deploy.id)
    }

    /// All that the list tells of it.
    pub fn selected_line(&self) -> Option<String> {
        self.shown()?.selected().map(view::told)
    }

    /// All that can be shown.
    pub fn names(&self) -> Vec<String> {
        self.all.iter().map(|cluster| cluster.name.clone()).chain([HERE.into()]).collect()
    }

    /// Whether there are others to go to.
    pub fn can_turn(&self) -> Result<(), String> {
        if self.all.is_empty() {
            return Err("no cluster is set: `targets.NAME` in your config.toml names one".into());
        }
        Ok(())
    }

    /// Whether a cluster can be asked again.
    pub fn can_ask(&self) -> Result<(), String> {
        self.can_turn()?;
        let Some(cluster) = self.shown() else { return Err("this is this machine: ] goes to a cluster".into()) };
        if cluster.is_busy || matches!(cluster.reach, Reach::Asking) {
            return Err(format!("{} is being asked: x stops that", cluster.name));
        }
        Ok(())
    }

    /// Whether it answered, and so can be given something.
    pub fn can_give(&self) -> Result<(), String> {
        self.can_ask()?;
        match self.shown() {
            Some(Cluster { reach: Reach::There(_), .. }) => Ok(()),
            _ => Err("it does not answer: f asks it again".into()),
        }
    }

    pub fn can_go_back(&self) -> Result<(), String> {
        self.can_give()?;
        match self.shown().and_then(Cluster::older) {
            Some(_) => Ok(()),
            None => Err("there is no older deploy to go back to".into()),
        }
    }
}

/// Shows the next of this machine and all clusters, or the one before.
pub fn turn(tui: &mut Tui, forth: bool) -> Vec<Effect> {
    let clusters = &mut tui.deploys.clusters;
    let count = clusters.all.len() + 1;
    let at = clusters.at.map_or(0, |at| at + 1);
    let next = (at + if forth { 1 } else { count - 1 }) % count;
    switch(tui, next.checked_sub(1))
}

/// Shows the cluster of that name; `here` is this machine. Nothing where there is none.
pub fn show(tui: &mut Tui, name: &str) -> Option<Vec<Effect>> {
    let at = tui.deploys.clusters.all.iter().position(|cluster| cluster.name == name);
    if at.is_none() && name != HERE {
        return None;
    }
    tui.screen = ScreenId::Deploys;
    Some(switch(tui, at))
}

fn switch(tui: &mut Tui, at: Option<usize>) -> Vec<Effect> {
    let clusters = &mut tui.deploys.clusters;
    let mut effects = clusters.at.map_or_else(Vec::new, |at| vec![Effect::Cluster(at, Order::Leave)]);
    if let Some(cluster) = clusters.shown_mut().filter(|cluster| !matches!(cluster.reach, Reach::Away(_))) {
        cluster.reach = Reach::Unasked;
    }
    clusters.at = at;
    tui.set_focus(Pane::Deploys);
    effects.extend(super::entered(tui));
    effects
}

/// The screen is shown again.
pub fn entered(tui: &mut Tui) -> Vec<Effect> {
    let words = tui.deploys.words.clone();
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    cluster.relist(&words);
    match cluster.reach {
        // It tells of new ones by itself.
        Reach::There(_) | Reach::Asking => vec![],
        Reach::Unasked | Reach::Away(_) => reach(tui),
    }
}

/// Asks it who it is, and for its deploys.
pub fn reach(tui: &mut Tui) -> Vec<Effect> {
    let Some(at) = tui.deploys.clusters.at else { return vec![] };
    let cluster = &mut tui.deploys.clusters.all[at];
    cluster.reach = Reach::Asking;
    let (place, command) = (cluster.place.clone(), format!("workbench deploy list --target {}", cluster.name));
    log_command(tui, command);
    tui.start(Job::Cluster);
    vec![Effect::Cluster(at, Order::Reach(place))]
}

/// What is asked now is left.
pub fn stop(tui: &mut Tui) -> Vec<Effect> {
    tui.layers.retain(|layer| !matches!(layer, Layer::Login(login) if login.cluster().is_some()));
    log(tui, Source::Work, "cluster: told to stop".into());
    let at = tui.deploys.clusters.at.unwrap_or_default();
    let mut effects = vec![Effect::Cluster(at, Order::Stop)];
    if let Some(cluster) = tui.deploys.clusters.shown_mut().filter(|cluster| matches!(cluster.reach, Reach::Asking)) {
        cluster.reach = Reach::Unasked;
        effects.push(Effect::Cluster(at, Order::Leave));
    }
    effects
}

/// Asks beside the list.
fn ask(tui: &mut Tui, order: Order) -> Vec<Effect> {
    let Some(at) = tui.deploys.clusters.at else { return vec![] };
    // A look at one deploy keeps nobody from anything.
    tui.deploys.clusters.all[at].is_busy |= !matches!(order, Order::Show(_));
    tui.start(Job::Cluster);
    vec![Effect::Cluster(at, order)]
}

/// Looks what a push would change; `asks`: and asks then whether to.
pub fn preview(tui: &mut Tui, flags: Flags, asks: bool) -> Vec<Effect> {
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    cluster.flags = flags;
    let command = format!("workbench deploy push {} --target {} --preview{}", tui.entry, cluster.name, flags.words());
    log_command(tui, command);
    ask(tui, Order::Preview { flags, asks })
}

/// The same with what was refused allowed.
pub fn preview_with_help(tui: &mut Tui, more: Flags) -> Vec<Effect> {
    let Some(cluster) = tui.deploys.clusters.shown() else { return vec![] };
    let flags = cluster.flags.and(more);
    preview(tui, flags, true)
}

/// Publishes what was looked at, as was agreed to.
pub fn push(tui: &mut Tui) -> Vec<Effect> {
    let Some(cluster) = tui.deploys.clusters.shown() else { return vec![] };
    let Some(Previewed { offered, comparison, flags }) = cluster.previewed.as_deref() else { return vec![] };
    let over = comparison.live.as_ref().map_or(0, |live| live.id);
    let order = Order::Push { offered: Arc::clone(offered), over };
    let command = format!("workbench deploy push {} --target {} --yes{}", tui.entry, cluster.name, flags.words());
    log_command(tui, command);
    ask(tui, order)
}

/// Asks whether an older deploy is to run again.
pub fn ask_back(tui: &mut Tui) {
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return };
    let (Some(live), Some(to)) = (cluster.newest(), cluster.older()) else { return };
    let lines = vec![
        format!("Publish deploy {} again on {}, as a new one?", to.id, cluster.name),
        format!("  runs now  {}", view::told(live)),
        format!("  then      {}", view::told(to)),
        "Every machine of the cluster runs it then. No deploy is removed.".into(),
    ];
    cluster.back = Some((to.id, live.id));
    tui.layers.push(Layer::confirm(lines, Action::UndoDeploy));
}

/// Publishes the older one again, as was agreed to.
pub fn go_back(tui: &mut Tui) -> Vec<Effect> {
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    let Some((to, over)) = cluster.back.take() else { return vec![] };
    let writer = cluster.deploys.iter().find(|deploy| deploy.id == to).and_then(|deploy| deploy.writer.as_ref());
    let entry = writer.map_or(String::new(), |writer| writer.entry.clone());
    let command = format!("workbench deploy undo --to {to} --target {} --yes", cluster.name);
    log_command(tui, command);
    ask(tui, Order::GoBack { to, over, entry })
}

/// Asks for what the cursor stands on.
fn read(tui: &mut Tui) -> Vec<Effect> {
    let look = tui.look.clone();
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    let Some(deploy) = cluster.selected().cloned() else {
        (cluster.about, cluster.lines) = (About::Nothing, vec![]);
        return vec![];
    };
    if cluster.about == About::Deploy(deploy.id) {
        return vec![];
    }
    (cluster.about, cluster.detail) = (About::Deploy(deploy.id), List::default());
    let tree = cluster.trees.get(&deploy.id);
    cluster.lines = view::lines_of(&deploy, tree, &look);
    let is_told = tree.is_some() || deploy.record.is_err() || !matches!(cluster.reach, Reach::There(_));
    if is_told { vec![] } else { ask(tui, Order::Show(deploy.id)) }
}

pub fn go(tui: &mut Tui, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.room(pane);
    let head = view::head(tui).len();
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    if pane == Pane::Deploy {
        cluster.detail.scroll(step, count, cluster.lines.len(), height);
        return vec![];
    }
    cluster.list.go(step, count, cluster.rows.len(), height.saturating_sub(head));
    read(tui)
}

/// A row of the pane was clicked.
pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let head = view::head(tui).len();
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return vec![] };
    let Some(at) = row.checked_sub(head).map(|row| cluster.list.offset + row) else { return vec![] };
    if at >= cluster.rows.len() {
        return vec![];
    }
    cluster.list.cursor = at;
    read(tui)
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::Open => {
            tui.set_focus(Pane::Deploy);
            let Some(cluster) = tui.deploys.clusters.shown() else { return vec![] };
            if let Some(deploy) = cluster.selected() {
                let command = format!("workbench deploy show {} --target {}", deploy.id, cluster.name);
                log_command(tui, command);
            }
            read(tui)
        }
        Action::Close => {
            tui.set_focus(Pane::Deploys);
            read(tui)
        }
        Action::AskCluster => reach(tui),
        Action::StopCluster => stop(tui),
        Action::PreviewPush => preview(tui, Flags::default(), false),
        Action::Push => preview(tui, Flags::default(), true),
        Action::UndoDeploy => {
            ask_back(tui);
            vec![]
        }
        _ => vec![],
    }
}

pub fn filter(tui: &mut Tui) {
    let words = tui.deploys.words.clone();
    if let Some(cluster) = tui.deploys.clusters.shown_mut() {
        cluster.relist(&words);
        cluster.list = List::default();
    }
}

pub fn settle(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Deploys);
    let (_, beside) = tui.room(Pane::Deploy);
    let head = view::head(tui).len();
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return };
    cluster.list.settle(cluster.rows.len(), height.saturating_sub(head));
    cluster.detail.settle_text(cluster.lines.len(), beside);
}
