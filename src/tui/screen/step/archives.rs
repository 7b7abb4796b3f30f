//! Archives of packages that a plan misses: fetched when one asks, for looking only, and all is planned anew.

use std::collections::BTreeSet;

use crate::session::{Archive, FetchedArchives, in_bytes};
use crate::tui::effect::Effect;
use crate::tui::look::Role;
use crate::tui::message::Job;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update::{self, log, log_command};

/// What is known of them.
#[derive(Debug, Default)]
pub struct State {
    /// Those that the newest plan missed.
    missing: BTreeSet<Archive>,
    /// Those that were asked for already: what does not come is not asked for again by itself.
    asked: BTreeSet<Archive>,
    /// The settings say that they are fetched without being asked for.
    pub by_itself: bool,
}

impl State {
    pub fn lacks_some(&self) -> bool {
        !self.missing.is_empty()
    }
}

/// What comes of them.
#[derive(Debug)]
pub enum Told {
    /// What the plan that follows missed.
    Missing(Vec<Archive>),
    /// They are here, or why they are not; nothing where one had enough.
    Came(Option<Result<FetchedArchives, String>>),
}

/// Fetches them.
pub fn fetch(tui: &mut Tui) -> Vec<Effect> {
    let archives = &mut tui.step.archives;
    let missing: Vec<Archive> = archives.missing.iter().cloned().collect();
    archives.asked.extend(missing.iter().cloned());
    let entry = tui.entry.clone();
    log_command(tui, format!("workbench preview --fetch-packages {entry}"));
    tui.start(Job::Archives);
    vec![Effect::FetchArchives(missing)]
}

pub fn told(tui: &mut Tui, told: Told) -> Vec<Effect> {
    let result = match told {
        Told::Missing(missing) => return missed(tui, missing),
        Told::Came(result) => result,
    };
    tui.finish(Job::Archives);
    match result {
        None => {
            tui.say(Role::Note, "stopped; nothing of the packages was kept".to_string());
            vec![]
        }
        Some(Err(why)) => {
            tui.say(Role::Warning, format!("the archives of packages were not fetched: {why}"));
            vec![]
        }
        Some(Ok(FetchedArchives { archives, size })) => {
            log(tui, Source::Work, format!("fetched {}, {}, for looking only", in_words(archives), in_bytes(size)));
            if tui.step.is_under_way() {
                tui.say(Role::Note, "what packages bring is here now: p plans anew with it".to_string());
                return vec![];
            }
            // What they bring comes behind them, which is an order of the graph.
            tui.plans_next = true;
            update::recompile(tui)
        }
    }
}

fn missed(tui: &mut Tui, missing: Vec<Archive>) -> Vec<Effect> {
    let archives = &mut tui.step.archives;
    archives.missing = missing.into_iter().collect();
    let is_new = archives.missing.iter().any(|archive| !archives.asked.contains(archive));
    if !is_new || tui.step.live.is_live() {
        return vec![];
    }
    if archives.by_itself && !tui.jobs.has(Job::Archives) {
        return fetch(tui);
    }
    let words = format!(
        "{} not here, so nobody knows what they bring: F fetches them, for looking only",
        match archives.missing.len() {
            1 => "an archive of a package is".to_string(),
            many => format!("{many} archives of packages are"),
        }
    );
    tui.say(Role::Note, words);
    vec![]
}

fn in_words(archives: usize) -> String {
    if archives == 1 { "an archive of a package".into() } else { format!("{archives} archives of packages") }
}
