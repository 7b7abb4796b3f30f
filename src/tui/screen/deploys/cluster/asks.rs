//! What the cluster on show is asked: who it is, what a push would change, the push, and the way back.

use std::sync::Arc;

use super::kept::Reach;
use super::{Flags, Order, Previewed, view};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::message::Job;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update::{log, log_command};

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
    tui.withdraw(|layer| matches!(layer, Layer::Login(login) if login.cluster().is_some()));
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
pub(super) fn ask(tui: &mut Tui, order: Order) -> Vec<Effect> {
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
