//! A cluster of the settings on the Deploys screen: its deploys, what a push of the open program would change there, and back.
//!
//! [`kept`] is what is remembered, [`asks`] what is asked, [`hear`] what comes of it, and [`view`] draws it. Here is what goes
//! to and fro, and what keys do.

mod asks;
mod hear;
mod kept;
mod view;

use std::sync::Arc;

use super::Pane;
use crate::session::target::{Comparison, Facts, Heard, Offered, Place, Published, Tree};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::screen::ScreenId;
use crate::tui::state::State as Tui;
use crate::tui::update::log_command;
use crate::tui::widget::list::{List, Move};
use asks::ask;
pub use asks::{ask_back, go_back, preview, preview_with_help, push, reach, stop};
pub use hear::{failed, told};
pub use kept::Clusters;
use kept::{About, Cluster, Reach};
pub use view::{title, view};

/// This machine, where clusters have names.
pub const HERE: &str = "here";

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
        let kept = cluster.selected().map(|deploy| deploy.id);
        cluster.relist(&words);
        cluster.list = List::default();
        kept.into_iter().for_each(|kept| cluster.select(kept));
    }
}

pub fn settle(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Deploys);
    let (_, beside) = tui.room(Pane::Deploy);
    let head = view::head(tui).len();
    let height = height.saturating_sub(head);
    let stride = tui.stride(height);
    let Some(cluster) = tui.deploys.clusters.shown_mut() else { return };
    cluster.list.follow(cluster.rows.len(), height, stride);
    cluster.detail.settle_text(cluster.lines.len(), beside);
}
