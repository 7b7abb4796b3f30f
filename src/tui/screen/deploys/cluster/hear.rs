//! What clusters tell: who answers, new deploys, what a push would change, and what came of one.

use super::view;
use super::{About, Flags, Order, Previewed, Reach, Told, Trouble, read};
use crate::session::target::{Heard, Published, is_nothing_new};
use crate::tui::effect::Effect;
use crate::tui::jobs;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::layer::login::Login;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update::log;
use crate::tui::widget::list::List;
use crate::tui::widget::text;

/// Takes in what a cluster told.
pub fn told(tui: &mut Tui, at: usize, told: Told) -> Vec<Effect> {
    let (words, is_shown) = (tui.deploys.words.clone(), tui.deploys.clusters.at == Some(at));
    if at >= tui.deploys.clusters.all.len() {
        return vec![];
    }
    let name = tui.deploys.clusters.all[at].name.clone();
    match told {
        Told::Asks { .. } if !tui.can_apply => vec![Effect::Cluster(at, Order::Login(None))],
        Told::Asks { user } => {
            let address = tui.deploys.clusters.all[at].place.address.clone();
            tui.layers.push(Layer::Login(Login::of_cluster(at, user, format!("{name}: {address}"))));
            vec![]
        }
        Told::Reached(result) => {
            tui.finish(Job::Cluster);
            tui.withdraw(|layer| matches!(layer, Layer::Login(login) if login.cluster() == Some(at)));
            let cluster = &mut tui.deploys.clusters.all[at];
            match result {
                Ok((facts, deploys)) => {
                    let kept = cluster.selected().map(|deploy| deploy.id);
                    // One that is not on show is not followed.
                    cluster.reach = if is_shown { Reach::There(facts) } else { Reach::Unasked };
                    cluster.deploys = deploys.into_iter().rev().collect();
                    cluster.relist(&words);
                    cluster.list.cursor = 0;
                    if let Some(kept) = kept {
                        cluster.select(kept);
                    }
                    if is_shown { read(tui) } else { vec![] }
                }
                Err(trouble) => {
                    away(tui, at, trouble);
                    vec![]
                }
            }
        }
        Told::Lost(trouble) => {
            away(tui, at, trouble);
            vec![]
        }
        Told::Came(deploy) => {
            let line = view::told(&deploy);
            let cluster = &mut tui.deploys.clusters.all[at];
            let is_new = cluster.deploys.iter().all(|there| there.id != deploy.id);
            let was_at_top = cluster.list.cursor == 0;
            cluster.take(*deploy, &words);
            if !is_new {
                return vec![];
            }
            log(tui, Source::Work, format!("{name}: {line}"));
            if is_shown {
                tui.say(Role::Note, format!("{name} runs {}", text::safe(&line)));
            }
            let cluster = &mut tui.deploys.clusters.all[at];
            if was_at_top && cluster.about != About::Push {
                cluster.list.cursor = 0;
                return if is_shown { read(tui) } else { vec![] };
            }
            vec![]
        }
        Told::Shown(id, result) => {
            tui.finish(Job::Cluster);
            let cluster = &mut tui.deploys.clusters.all[at];
            let lines = match result {
                Ok((deploy, tree)) => {
                    let lines = view::lines_of(&deploy, Some(&tree), &tui.look);
                    cluster.trees.insert(id, tree);
                    lines
                }
                Err(trouble) if trouble.was_stopped => return vec![],
                Err(trouble) => view::lines_of_trouble(&trouble.lines, &tui.look),
            };
            if cluster.about == About::Deploy(id) {
                cluster.lines = lines;
            }
            vec![]
        }
        Told::Previewed { asks, result } => {
            free(tui, at);
            previewed(tui, at, asks, result);
            vec![]
        }
        Told::Heard(heard) => {
            let (done, of) = match heard {
                Heard::Sent(done, of) | Heard::ReadBack(done, of) => (done, of),
                Heard::Raced(_) | Heard::Swept(_) => return vec![],
            };
            jobs::progress(tui, Job::Cluster, done, of);
            vec![]
        }
        Told::Pushed(result) => {
            let done = |deploy: &Published| format!("deploy {} is published on {name}, and read back", deploy.id);
            published(tui, at, "Not published", result, done)
        }
        Told::WentBack { to, result } => {
            let done =
                |deploy: &Published| format!("deploy {} is published on {name}: what deploy {to} was", deploy.id);
            published(tui, at, "Not published again", result, done)
        }
    }
}

/// Nothing is asked beside the list any more.
fn free(tui: &mut Tui, at: usize) {
    tui.finish(Job::Cluster);
    tui.deploys.clusters.all[at].is_busy = false;
}

/// What asked fell over.
pub fn failed(tui: &mut Tui) {
    for cluster in &mut tui.deploys.clusters.all {
        cluster.is_busy = false;
        if matches!(cluster.reach, Reach::Asking) {
            cluster.reach = Reach::Unasked;
        }
    }
}

fn away(tui: &mut Tui, at: usize, trouble: Trouble) {
    let cluster = &mut tui.deploys.clusters.all[at];
    // Whoever stopped it has said so, and may have asked again since.
    if trouble.was_stopped {
        return;
    }
    let words = format!("{}: {}", cluster.name, trouble.lines.join(" "));
    cluster.reach = Reach::Away(trouble.lines);
    log(tui, Source::Problem, words);
}

fn previewed(tui: &mut Tui, at: usize, asks: bool, result: Result<Box<Previewed>, Trouble>) {
    let is_shown = tui.deploys.clusters.at == Some(at) && tui.screen == ScreenId::Deploys;
    let cluster = &mut tui.deploys.clusters.all[at];
    let previewed = match result {
        Ok(previewed) => previewed,
        Err(trouble) => return refused(tui, at, "Nothing to publish", trouble),
    };
    cluster.lines = view::lines_of_push(&cluster.name, &previewed, &tui.look);
    (cluster.about, cluster.detail) = (About::Push, List::default());
    let is_new = !is_nothing_new(&previewed.comparison, &previewed.offered.offer);
    let name = cluster.name.clone();
    let lines = view::question(&name, cluster.open.as_deref(), &previewed);
    let live = previewed.comparison.live.as_ref().map_or(0, |live| live.id);
    cluster.previewed = Some(previewed);
    match (asks && is_shown && tui.layers.is_empty(), is_new) {
        (true, true) => {
            let (typed, action) = (String::new(), Action::Push);
            tui.layers.push(Layer::Typed { lines, word: name, other: None, typed, is_missed: false, action });
        }
        (true, false) => {
            let lines = vec![format!("Nothing differs from deploy {live}, which runs on {name}.")];
            let choices = vec![('f', "publish it again (--force)", Action::PushForced)];
            tui.layers.push(Layer::Choose { title: "Nothing new", lines, choices });
        }
        (false, true) => tui.say(Role::Note, format!("what a push to {name} would change is shown beside the list")),
        (false, false) => tui.say(Role::Note, format!("nothing differs from deploy {live}, which runs on {name}")),
    }
}

/// Says why nothing was published, and offers what would help.
fn refused(tui: &mut Tui, at: usize, title: &'static str, trouble: Trouble) {
    let Trouble { lines, was_stopped, helps } = trouble;
    if was_stopped {
        return tui.say(Role::Note, "stopped; nothing was published");
    }
    lines.iter().filter(|line| !line.is_empty()).for_each(|line| log(tui, Source::Problem, line.clone()));
    let is_shown = tui.deploys.clusters.at == Some(at) && tui.screen == ScreenId::Deploys;
    if !is_shown {
        return tui.say(Role::Error, text::safe(&lines.join(" ")));
    }
    let choices = [
        (helps.no_git, ('n', "without a commit (--no-git)", Action::PushNoGit)),
        (helps.force, ('f', "all the same (--force)", Action::PushForced)),
    ];
    let choices: Vec<_> = choices.into_iter().filter(|(helps, _)| *helps).map(|(_, choice)| choice).collect();
    tui.layers.push(match choices.is_empty() {
        true => Layer::Told { title: title.into(), lines },
        false => Layer::Choose { title, lines, choices },
    });
}

fn published(
    tui: &mut Tui,
    at: usize,
    title: &'static str,
    result: Result<Published, Trouble>,
    done: impl FnOnce(&Published) -> String,
) -> Vec<Effect> {
    free(tui, at);
    let words = tui.deploys.words.clone();
    match result {
        Ok(deploy) => {
            let (id, said) = (deploy.id, done(&deploy));
            log(tui, Source::Work, said.clone());
            tui.say(Role::Good, said);
            let cluster = &mut tui.deploys.clusters.all[at];
            cluster.previewed = None;
            cluster.take(deploy, &words);
            cluster.select(id);
            if tui.deploys.clusters.at == Some(at) { read(tui) } else { vec![] }
        }
        Err(trouble) => {
            // What would help a push is of no help to going back.
            let is_push = title == "Not published";
            let helps = if is_push { trouble.helps } else { Flags::default() };
            refused(tui, at, title, Trouble { helps, ..trouble });
            vec![]
        }
    }
}
