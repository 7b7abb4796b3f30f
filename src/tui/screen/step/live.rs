//! The live half of Step: armed by hand, on this machine, under the lock, written down, and taken back.
//!
//! [`arm`] asks for a live run and begins it, [`hear`] takes in what the applier tells, [`end`] stops and leaves it, [`back`]
//! takes a deploy back, [`open`] is about one at whose end something failed, [`cut_off`] is about one that came to no end. Here is
//! what they all share: the phase, and what is remembered.

mod arm;
mod back;
mod cut_off;
mod end;
mod hear;
pub mod open;

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::conflict::Conflict;
use super::mend::Mending;
use super::redo::Redo;
use crate::engine::message::{Event, Request, TurnState};
use crate::graph::ResourceId;
use crate::plan::Action as Plans;
use crate::session::history::UndoStep;
use crate::session::{Holder, Standing, Stranger};
use crate::tui::look::Role;
use crate::tui::parity;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;
use crate::tui::widget::text;
pub(super) use arm::withdraw;
pub use arm::{ask, begin};
use back::PutInPlace;
pub(super) use back::as_before;
pub use back::{ask_back, begin_back, give_up, read_first, take_back, tell_foreseen, undoing};
pub(super) use cut_off::{DETACHED, comes_first, go_on, offer, withdraw as withdraw_offer};
pub use cut_off::{
    chosen, due, in_the_way, inspect, look_again, offer_once, otherwise, resume, resumed, run_again, stays, unanswered,
};
pub(super) use end::{back_to_dry, finished, hints, stop};
pub use end::{leave, quit, suspend};
pub use hear::told;

/// Which machine the run on show acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The overlay.
    #[default]
    Dry,
    /// A live run was agreed to; it takes the lock.
    Beginning,
    /// This machine.
    Live,
    /// It was this machine; the lock is given back, and the rows tell what was done.
    Over,
    /// A deploy is being taken back.
    TakingBack,
}

/// What the live half remembers.
#[derive(Debug, Default)]
pub struct State {
    pub phase: Phase,
    /// The number in the history of the run on show, until it is taken back.
    pub deploy: Option<u64>,
    /// What the run on show changed, oldest first, and the same to look things up in.
    changed: Vec<ResourceId>,
    changed_ids: FxHashSet<ResourceId>,
    /// A deploy that was cut off and is not settled.
    pub cut: Option<Cut>,
    /// An applier that waits for a face.
    pub parked: Option<Standing>,
    /// One of these was told of just now, and is to be offered wherever one stands.
    pub(super) is_news: bool,
    /// Whether to go on with that one is asked once a plan of what is so now is there.
    pub(super) asks_to_resume: bool,
    /// The deploy that the run on show goes on with: it is taken back with it.
    resumed: Option<Cut>,
    /// The steps of the plan on show that only root can take here.
    needs_root: Vec<ResourceId>,
    /// Fetched modules that the plan on show would let act, and that nobody had approved when it was made.
    strangers: Vec<Stranger>,
    /// Nothing was applied from here that stands.
    pub(super) is_first: bool,
    /// The dry run that was left for a live one, to come back to where that does not begin.
    left: Option<Redo>,
    /// Root acts, by way of `sudo`, and root's history tells of it.
    pub(super) as_root: bool,
    /// A password was asked for already.
    has_asked: bool,
    /// What the program reads was followed before a deploy was to be taken back.
    was_followed: bool,
    /// Where the rows stood before a deploy was to be taken back.
    came_from: Phase,
    /// What this machine, or the record of a deploy, is looked at for, before anything is done; it can be given up.
    pub(super) looks: Option<Looks>,
    /// What was put in place and stands, to be taken back also while other rows are on show.
    pub(super) put: Option<PutInPlace>,
    /// How often it was asked whether to take a deploy back: the answer to an earlier question is ignored.
    pub ask: u64,
    /// Waits for `sudo` to let us in, to be taken back.
    waits_for_root: Option<u64>,
    /// How far one is with mending what failed.
    pub(super) mending: Mending,
    /// The entry that the run on show is of, where that is another than these screens': what is left of it is planned there.
    pub of_other: Option<String>,
    /// The turn of the source of which one failure is tried so, while others that were edited with it are to be asked about.
    pub(super) tries_part_of: Option<u64>,
    /// The deploy that was left for this one, which goes on from there.
    pub(super) earlier: Option<Earlier>,
    /// How often it was asked to stop since it went on.
    stops: u8,
    /// What it goes on with once one is back from the shell.
    pub(super) suspended: Option<Request>,
    /// How far taking back is.
    far: Option<Far>,
}

/// How many deeds of how many an undo has come to.
#[derive(Clone, Copy, Debug)]
struct Far {
    done: usize,
    of: usize,
}

/// What was done by deploys that another one goes on from, each with the deploy that did it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier(BTreeMap<ResourceId, u64>);

impl Earlier {
    /// What was found right by one that went on from others is what they had done.
    pub fn and(
        mut self,
        deploy: u64,
        done: impl Iterator<Item = ResourceId>,
        has_changed: impl Fn(&ResourceId) -> bool,
    ) -> Self {
        for id in done {
            let before = self.by(&id).filter(|_| !has_changed(&id));
            self.0.insert(id, before.unwrap_or(deploy));
        }
        self
    }

    /// The deploy that did a resource.
    pub fn by(&self, id: &ResourceId) -> Option<u64> {
        self.0.get(id).copied()
    }

    /// Without what is not done any more.
    pub fn still(mut self, is_done: impl Fn(&ResourceId) -> bool) -> Self {
        self.0.retain(|id, _| is_done(id));
        self
    }
}

/// A deploy that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub deploy: u64,
    pub time: String,
    /// Where what it applied lies.
    pub entry: String,
    /// The hash of what was applied.
    pub graph: String,
    /// The deploy that it was taking back.
    pub takes_back: Option<u64>,
    /// Each deed and what became of it.
    pub deeds: Vec<String>,
    /// The commands that were cut off: nobody knows how far they came.
    pub commands: Vec<String>,
    /// Whose commands ran to their end, and well.
    pub ran: Vec<ResourceId>,
    /// It is of another entry than the one on show, which cannot go on with it.
    pub is_other: bool,
    /// It is one of root's history, and gone on with by way of `sudo`.
    pub as_root: bool,
}

/// Why a live run did not begin. Nothing was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Held(Holder),
    Unfinished(Box<Cut>),
    /// `sudo` wants a password.
    Password,
    /// It waits for a face.
    Parked(Box<Standing>),
    /// Somebody else was there.
    Conflict(Box<Conflict>),
    /// By the user.
    GivenUp,
    Other(Vec<String>),
}

/// What is under way before a live run, or an undo, does anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// At what a deploy left, to take it back.
    Back(u64),
    /// At where a deploy was cut off, to go on with it.
    Resume(u64),
}

/// What the applier tells beside the events of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// It began, and where it stands: in one, or keys between the two would find a run that waits for nothing.
    Begun {
        run: u64,
        deploy: u64,
        first: Option<Event>,
    },
    Refused {
        run: u64,
        why: Refusal,
    },
    /// What was edited is not tried within the deploy, and why.
    NotAmended {
        run: u64,
        resource: ResourceId,
        why: String,
    },
    CutOff(Cut),
    /// Nothing is cut off or waits in our history, or in root's.
    Settled {
        as_root: bool,
    },
    /// Whether that is so could not be found out, and why.
    NotKnown {
        as_root: bool,
        why: String,
    },
    /// The steps of a plan that is about to be shown which only root can take.
    NeedsRoot(Vec<ResourceId>),
    /// The fetched modules that it would let act, and that nobody approved.
    Strangers(Vec<Stranger>),
    /// Whether something was applied from here before that stands, or may.
    Applied(bool),
    /// `sudo` was asked; else why it lets nobody in.
    MayBeRoot {
        run: u64,
        result: Result<(), String>,
    },
    /// Nothing was taken back: the user gave it up before that.
    BackGivenUp,
    /// Nothing was taken back: `sudo` wants a password.
    BackWantsPassword {
        deploy: u64,
    },
    /// Nothing was taken back: somebody else was there.
    Conflict(Box<Conflict>),
    /// Nothing was taken back, and why.
    NotTakenBack {
        deploy: u64,
        why: Vec<String>,
    },
    /// What taking a deploy back would do now, newest deed first; with what it went on with.
    Foreseen {
        /// Which question this is for.
        ask: u64,
        deploy: u64,
        steps: Result<Vec<UndoStep>, String>,
    },
    /// All was looked at: an undo is at work, and has come to so many of its deeds.
    TakesBack {
        run: u64,
        done: usize,
        of: usize,
    },
    /// Well: what was done. Otherwise not all of it was, and why.
    TakenBack {
        deploy: u64,
        result: Result<Vec<String>, Vec<String>>,
    },
}

impl State {
    /// Whether something may be written to this machine now.
    pub fn is_live(&self) -> bool {
        matches!(self.phase, Phase::Beginning | Phase::Live | Phase::TakingBack)
    }

    /// Whether the rows tell of this machine and not of the overlay.
    pub fn shows_live(&self) -> bool {
        self.phase != Phase::Dry
    }

    /// What the run on show changed or began to change, oldest first.
    pub(super) fn changed(&self) -> &[ResourceId] {
        &self.changed
    }

    /// Whether something was applied from here that stands, for all that is known.
    pub fn may_be_compared(&self) -> bool {
        !self.is_first
    }

    /// What comes next is about our own history.
    pub fn is_ours(&mut self) {
        self.as_root = false;
    }

    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty() || self.resumed.is_some()
    }

    /// Whether a deploy that was interrupted was resumed, and left with nothing done.
    pub fn left_idle(&self, has_turned: bool) -> bool {
        self.phase == Phase::Over && self.resumed.is_some() && !has_turned
    }

    /// The deploy before this one that had done a resource.
    pub(super) fn done_before(&self, id: &ResourceId) -> Option<u64> {
        self.earlier.as_ref()?.by(id)
    }

    /// Whether the run on show changed this one.
    pub(super) fn changes(&self, id: &ResourceId) -> bool {
        self.changed_ids.contains(id)
    }

    /// A dry run is on show; what was cut off or waits still is.
    pub(super) fn disarm(&mut self) {
        let needs_root = std::mem::take(&mut self.needs_root);
        let mending = std::mem::take(&mut self.mending).of_another();
        let (cut, parked, strangers) = (self.cut.take(), self.parked.take(), std::mem::take(&mut self.strangers));
        let (is_first, put, is_news, ask) = (self.is_first, self.put.take(), self.is_news, self.ask);
        let earlier = self.earlier.take().filter(|_| mending != Mending::Not);
        let kept = State { cut, parked, needs_root, strangers, earlier, ..State::default() };
        *self = State { is_first, is_news, mending, put, ask, ..kept };
    }

    /// A live run waits for its first request.
    pub(super) fn begun(&mut self, deploy: u64) {
        let resumed = self.resumed.take();
        let (needs_root, as_root, earlier) = (std::mem::take(&mut self.needs_root), self.as_root, self.earlier.take());
        let run = State { phase: Phase::Live, deploy: Some(deploy), earlier, ask: self.ask, ..State::default() };
        *self = State { resumed, needs_root, as_root, ..run };
    }

    /// Hears of a turn.
    pub(super) fn turned(&mut self, id: &ResourceId, state: &TurnState, action: Option<Plans>) {
        let is_change = action.is_some_and(|action| action != Plans::None);
        let counts = matches!(state, TurnState::Done | TurnState::Failed { .. }) && is_change;
        if self.phase == Phase::Live && counts && self.changed_ids.insert(id.clone()) {
            self.changed.push(id.clone());
        }
    }

    /// Whether it was asked to stop from here since it went on.
    pub(super) fn was_stopped(&self) -> bool {
        self.stops > 0
    }

    pub(super) fn paused(&mut self) {
        self.stops = 0;
    }
}

/// Why nothing of the plan on show may act here: it has fetched modules that nobody approved, also since it was made.
pub fn strange(tui: &Tui) -> Option<String> {
    let strangers = &tui.step.live.strangers;
    let mut open = strangers.iter().filter(|stranger| !tui.modules.is_approved(&stranger.module));
    let (first, more) = (text::safe(&open.next()?.module.name), open.count());
    let (who, was) = match more {
        0 => (first, "was"),
        1 => (format!("{first} and 1 more"), "were"),
        more => (format!("{first} and {more} more"), "were"),
    };
    Some(format!("{who} {was} fetched but not approved: read it on Modules (4), Space a approves it"))
}

/// A command line for this entry.
fn command(tui: &Tui, verb: &str) -> String {
    format!("workbench {verb} {}", parity::entry_words(tui))
}

/// Logs the answer that does the same where the command line asks at each resource.
pub(super) fn log_answer(tui: &mut Tui, request: &Request) {
    let answer = match request {
        Request::Step => "s",
        Request::Skip => "x",
        Request::Continue { until: None } => "c",
        Request::Retry { resource } => {
            let only = super::observe::shown(resource);
            return update::log_command(tui, format!("{} --only {only}", command(tui, "apply --step")));
        }
        _ => return,
    };
    update::log_command(tui, format!("{}  # answer {answer}", command(tui, "apply --step")));
}

/// Says why nothing was done. A dialog tells it too, which any key closes, also one that was meant for something else: so it
/// stands on the status line until the key after that one.
fn say_why(tui: &mut Tui, words: String) {
    tui.say_until_key(words.clone());
    tui.say(Role::Error, words);
}

pub(super) fn log(tui: &mut Tui, words: String) {
    let now = tui.now.clone();
    tui.log.push(&now, Source::Run, words);
}
