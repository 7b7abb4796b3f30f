//! The live half of Step: armed by hand, on this machine, under the lock, written down, and taken back.

mod back;

use rustc_hash::FxHashSet;

use super::conflict::{self, Conflict, Decided};
use super::mend;
use crate::engine::message::{Request, TurnState};
use crate::graph::ResourceId;
use crate::plan::{Action as Plans, Reversible};
use crate::session::{Holder, Standing};
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::look::Role;
use crate::tui::screen::ScreenId;
use crate::tui::screen::log::Source;
use crate::tui::state::State as Tui;
use crate::tui::update;
pub use back::{ask_back, begin_back, take_back};

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
    /// The deploy that the run on show goes on with: it is taken back with it.
    resumed: Option<Cut>,
    /// The steps of the plan on show that only root can take here.
    needs_root: Vec<ResourceId>,
    /// Root acts, by way of `sudo`, and root's history tells of it.
    pub(super) as_root: bool,
    /// A password was asked for already.
    has_asked: bool,
    /// Waits for `sudo` to let us in, to be taken back.
    waits_for_root: Option<u64>,
    /// What failed, while its source is edited; then while one is asked; and what a new deploy is to go on from.
    pub(super) mends: Option<ResourceId>,
    pub(super) asks_of: Option<ResourceId>,
    pub(super) mended: Option<ResourceId>,
    /// How often it was asked to stop since it went on.
    stops: u8,
}

/// A deploy that was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub deploy: u64,
    pub time: String,
    pub entry: String,
    /// The hash of what was applied.
    pub graph: String,
    /// The deploy that it was taking back.
    pub takes_back: Option<u64>,
    /// Each deed and what became of it.
    pub deeds: Vec<String>,
    /// A command was cut off, and nobody knows how far it came.
    pub command_cut: bool,
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
    Other(Vec<String>),
}

/// What the applier tells beside the events of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    Begun {
        run: u64,
        deploy: u64,
    },
    Refused {
        run: u64,
        why: Refusal,
    },
    CutOff(Cut),
    /// The steps of a plan that is about to be shown which only root can take.
    NeedsRoot(Vec<ResourceId>),
    /// `sudo` was asked; else why it lets nobody in.
    MayBeRoot {
        run: u64,
        result: Result<(), String>,
    },
    /// Nothing was taken back: `sudo` wants a password.
    BackWantsPassword {
        deploy: u64,
    },
    /// Nothing was taken back: somebody else was there.
    Conflict(Box<Conflict>),
    /// Well: what was done. Otherwise nothing was, and why.
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

    /// What comes next is about our own history.
    pub fn is_ours(&mut self) {
        self.as_root = false;
    }

    pub fn has_changed(&self) -> bool {
        !self.changed.is_empty() || self.resumed.is_some()
    }

    /// A dry run is on show; what was cut off or waits still is.
    pub(super) fn disarm(&mut self) {
        let (needs_root, mended) = (std::mem::take(&mut self.needs_root), self.mended.take());
        *self = State { cut: self.cut.take(), parked: self.parked.take(), needs_root, mended, ..State::default() };
    }

    /// A live run waits for its first request.
    pub(super) fn begun(&mut self, deploy: u64) {
        let resumed = self.resumed.take();
        let (needs_root, as_root) = (std::mem::take(&mut self.needs_root), self.as_root);
        *self = State { phase: Phase::Live, deploy: Some(deploy), resumed, needs_root, as_root, ..State::default() };
    }

    /// Hears of a turn.
    pub(super) fn turned(&mut self, id: &ResourceId, state: &TurnState, action: Option<Plans>) {
        let is_change = action.is_some_and(|action| action != Plans::None);
        let counts = matches!(state, TurnState::Done | TurnState::Failed { .. }) && is_change;
        if self.phase == Phase::Live && counts && self.changed_ids.insert(id.clone()) {
            self.changed.push(id.clone());
        }
    }

    pub(super) fn paused(&mut self) {
        self.stops = 0;
    }
}

/// The longest list in a question.
const MOST: usize = 6;

fn listed(lines: &mut Vec<String>, heading: String, names: Vec<String>) {
    if names.is_empty() {
        return;
    }
    lines.push(heading);
    lines.extend(names.iter().take(MOST).map(|name| format!("  {name}")));
    if names.len() > MOST {
        lines.push(format!("  and {} more", names.len() - MOST));
    }
}

/// Asks for a live run: what is destroyed and what cannot be taken back stands first.
pub fn ask(tui: &mut Tui) -> Vec<Effect> {
    let Some(plan) = tui.step.plan.clone() else { return vec![] };
    let look = &tui.look;
    let (mut destroys, mut lost, mut failing) = (vec![], vec![], vec![]);
    for step in plan.steps.iter().filter(|step| !tui.step.left_out.contains(&step.resource)) {
        let name = format!("{} {}", look.action(step.action).0, step.resource);
        match (step.action, step.reversible) {
            _ if step.error.is_some() => failing.push(name),
            (Plans::None, _) => {}
            (Plans::Remove | Plans::Replace, Reversible::No) => destroys.push(format!("{name}  for good")),
            (Plans::Remove | Plans::Replace, _) => destroys.push(name),
            (_, Reversible::No) => lost.push(name),
            (_, Reversible::Partly) => lost.push(format!("{name}  in part")),
            (_, Reversible::Yes) => {}
        }
    }
    let sums = super::counts(look, &tui.step.rows.summary).into_iter().map(|(words, _)| words);
    let sums = sums.collect::<Vec<_>>().join(" ");
    let mut lines = vec![format!("Apply plan {} to this machine for real:  {sums}", short(&plan.plan))];
    listed(&mut lines, format!("{} destroyed:", destroys.len()), destroys);
    listed(&mut lines, format!("{} cannot be taken back:", lost.len()), lost);
    listed(&mut lines, format!("{} would fail:", failing.len()), failing);
    let left_out: Vec<String> = tui.step.left_out.iter().map(ToString::to_string).collect();
    listed(&mut lines, format!("{} left out:", left_out.len()), left_out);
    let needs_root = &tui.step.live.needs_root;
    let other = (!needs_root.is_empty() && !tui.is_sudo).then(|| format!("sudo {}", tui.host));
    if other.is_some() {
        let names = needs_root.iter().map(ResourceId::to_string).collect();
        listed(&mut lines, format!("{} would be refused to you, and not to root:", needs_root.len()), names);
    }
    lines.push("Nothing is written before the first s or c.".into());
    lines.push(match (&other, tui.is_sudo) {
        (Some(_), _) => "To go live, type the name of this machine and Enter; with sudo in front, root acts.".into(),
        (None, true) => "To go live as root, by way of sudo, type the name of this machine and Enter.".into(),
        (None, false) => "To go live, type the name of this machine and Enter.".into(),
    });
    let word = tui.host.clone();
    tui.layers.push(Layer::Typed { lines, word, other, typed: String::new(), action: Action::Arm });
    vec![]
}

/// Another plan stands now than the one that was asked about.
pub(super) fn withdraw(tui: &mut Tui) {
    let before = tui.layers.len();
    tui.layers.retain(|layer| !matches!(layer, Layer::Typed { action: Action::Arm, .. }));
    if tui.layers.len() < before {
        tui.say(Role::Warning, "the plan is another now: A asks again");
    }
}

fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

/// Begins the live run that was agreed to.
///
/// `as_root`: by way of `sudo`, which the settings may say as well.
pub fn begin(tui: &mut Tui, as_root: bool) -> Vec<Effect> {
    let as_root = as_root || tui.is_sudo;
    update::log_command(tui, command(tui, if as_root { "apply --step --sudo" } else { "apply --step" }));
    renew(tui);
    (tui.step.live.as_root, tui.step.live.has_asked) = (as_root, false);
    arm(tui)
}

fn arm(tui: &mut Tui) -> Vec<Effect> {
    let (Some(program), Some(plan)) = (tui.step.program.clone(), tui.step.plan.clone()) else { return vec![] };
    let left_out = tui.step.left_out.clone();
    vec![Effect::Arm { program, plan, left_out, run: tui.step.run, as_root: tui.step.live.as_root }]
}

/// The rows as before the first turn, for a run that is about to begin.
fn renew(tui: &mut Tui) {
    super::reset(&mut tui.step);
    let live = &mut tui.step.live;
    live.phase = Phase::Beginning;
    (live.deploy, live.resumed, live.stops) = (None, None, 0);
    (live.changed, live.changed_ids) = Default::default();
}

/// A command line for this entry.
fn command(tui: &Tui, verb: &str) -> String {
    format!("workbench {verb} {}", tui.entry)
}

/// Logs the answer that does the same where the command line asks at each resource.
pub(super) fn log_answer(tui: &mut Tui, request: &Request) {
    let answer = match request {
        Request::Step => "a",
        Request::Skip => "s",
        Request::Continue { until: None } => "c",
        _ => return,
    };
    update::log_command(tui, format!("{}  # answer {answer}", command(tui, "apply --step")));
}

/// Hears the applier.
pub fn told(tui: &mut Tui, told: Told) -> Vec<Effect> {
    match told {
        Told::Begun { run, .. } | Told::Refused { run, .. } | Told::MayBeRoot { run, .. } if run != tui.step.run => {
            vec![]
        }
        Told::NeedsRoot(needs_root) => {
            tui.step.live.needs_root = needs_root;
            vec![]
        }
        // The password is asked for on the terminal itself, once.
        Told::Refused { run, why: Refusal::Password } if !tui.step.live.has_asked => {
            tui.step.live.has_asked = true;
            vec![Effect::AskSudo { run }]
        }
        Told::MayBeRoot { result, .. } => may_be_root(tui, result),
        Told::BackWantsPassword { deploy } if tui.step.live.has_asked => {
            let why = "Nothing was taken back: sudo keeps no password.".into();
            back::taken_back(
                tui,
                deploy,
                Err(vec![why, format!("sudo workbench deploy undo {deploy} does it as root")]),
            )
        }
        Told::BackWantsPassword { deploy } => {
            (tui.step.live.has_asked, tui.step.live.waits_for_root) = (true, Some(deploy));
            vec![Effect::AskSudo { run: tui.step.run }]
        }
        Told::Begun { deploy, .. } => {
            let mended = tui.step.live.mended.take();
            tui.step.live.begun(deploy);
            let mut effects = super::breaks::renew(tui);
            if let Some(id) = mended {
                effects.extend(mend::begun(tui, id, deploy));
                return effects;
            }
            let words = format!("LIVE: deploy {deploy} waits for s or c; Ctrl-C stops, u takes back");
            log(tui, words.clone());
            tui.say(Role::Warning, words);
            effects
        }
        Told::Refused { why, .. } => refused(tui, why),
        Told::CutOff(cut) => {
            let whose = if cut.as_root { "root's " } else { "" };
            let words =
                format!("{whose}deploy {} was cut off: on Step, R goes on, u takes back, I looks into it", cut.deploy);
            log(tui, words.clone());
            tui.say(Role::Warning, words);
            tui.step.live.cut = Some(cut);
            if tui.step.is_loaded() {
                offer(tui);
            }
            vec![]
        }
        Told::Conflict(conflict) => conflict::ask(tui, *conflict),
        Told::TakenBack { deploy, result } => back::taken_back(tui, deploy, result),
    }
}

/// `sudo` was asked: what wanted root goes on, or says why not.
fn may_be_root(tui: &mut Tui, result: Result<(), String>) -> Vec<Effect> {
    let (back, run) = (tui.step.live.waits_for_root.take(), tui.step.run);
    let resumed = tui.step.live.resumed.clone().filter(|cut| cut.as_root);
    match (result, back, resumed) {
        (Ok(()), Some(deploy), _) => vec![Effect::TakeBack { deploy, decided: None, as_root: true }],
        (Ok(()), None, Some(cut)) => match tui.step.program.clone() {
            Some(program) => vec![Effect::Resume { program, cut, decided: None, run }],
            None => vec![],
        },
        (Ok(()), None, None) => arm(tui),
        (Err(why), Some(deploy), _) => back::taken_back(tui, deploy, Err(vec![why])),
        (Err(why), None, _) => refused(tui, Refusal::Other(vec![why])),
    }
}

pub(super) fn log(tui: &mut Tui, words: String) {
    let now = tui.now.clone();
    tui.log.push(&now, Source::Run, words);
}

/// The dry run that was on show comes back.
pub(super) fn back_to_dry(tui: &mut Tui) -> Vec<Effect> {
    let state = &mut tui.step;
    state.live.disarm();
    match (state.program.clone(), state.plan.clone()) {
        (Some(program), Some(plan)) => super::planned(tui, program, plan, tui.step.turn),
        _ => {
            state.running = false;
            vec![]
        }
    }
}

fn refused(tui: &mut Tui, why: Refusal) -> Vec<Effect> {
    let was_root = tui.step.live.as_root;
    let effects = back_to_dry(tui);
    match why {
        Refusal::Parked(standing) => {
            log(tui, format!("not applied: {standing} waits for a face"));
            tui.step.live.parked = Some(*standing);
            offer(tui);
        }
        Refusal::Held(holder) => {
            log(tui, format!("not applied: another applier is at work: {holder}"));
            let lines = vec![
                "Another applier is at work; nothing was done.".into(),
                format!("  process {}, since {}", holder.pid, holder.since),
                format!("  {}", holder.command),
            ];
            let lines =
                lines.into_iter().chain(was_root.then(|| "If it waits for somebody: sudo workbench attach".into()));
            let lines = lines.chain(["Try again?".into()]).collect();
            tui.layers.push(Layer::confirm(lines, Action::Arm));
        }
        Refusal::Unfinished(cut) => {
            log(tui, format!("not applied: deploy {} was cut off and is not settled", cut.deploy));
            tui.step.live.cut = Some(*cut);
            offer(tui);
        }
        Refusal::Password => {
            let words = "sudo keeps no password; sudo workbench apply does all of it as root";
            log(tui, format!("not applied: {words}"));
            tui.layers.push(Layer::Told { title: "Nothing was applied".into(), lines: vec![words.into()] });
        }
        Refusal::Conflict(conflict) => drop(conflict::ask(tui, *conflict)),
        Refusal::Other(lines) => {
            log(tui, format!("not applied: {}", lines.join(" ")));
            tui.layers.push(Layer::Told { title: "Nothing was applied".into(), lines });
        }
    }
    effects
}

/// Offers what can be done about a deploy that was cut off.
pub(super) fn offer(tui: &mut Tui) {
    super::parked::offer(tui);
    let Some(cut) = &tui.step.live.cut else { return };
    if tui.screen != ScreenId::Step || !tui.layers.is_empty() || tui.step.live.is_live() {
        return;
    }
    let count = cut.deeds.len();
    let lines = match cut.as_root {
        true => vec![
            format!("Root's deploy {} was cut off and is not settled.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            "  Root goes on with it, or takes it back, by way of sudo.".into(),
        ],
        false => vec![
            format!("Deploy {} was cut off and is not settled.", cut.deploy),
            format!("  {}  {}", cut.time, cut.entry),
            format!("  {count} deed{} begun", if count == 1 { "" } else { "s" }),
        ],
    };
    let choices = vec![
        ('r', "go on with it", Action::Resume),
        ('u', "take it back", Action::RollBack),
        ('i', "look into it", Action::Inspect),
    ];
    tui.layers.push(Layer::Choose { title: "Cut off", lines, choices });
}

/// Shows what a deploy that was cut off had done.
pub fn inspect(tui: &mut Tui) -> Vec<Effect> {
    let Some(cut) = tui.step.live.cut.clone() else { return vec![] };
    const MOST: usize = 30;
    offer(tui);
    let mut lines: Vec<String> = cut.deeds.iter().rev().take(MOST).rev().cloned().collect();
    if cut.deeds.len() > MOST {
        lines.insert(0, format!("{} more before these", cut.deeds.len() - MOST));
    }
    let command = format!("{}workbench deploy show {}", if cut.as_root { "sudo " } else { "" }, cut.deploy);
    lines.push(format!("All of it: {command}"));
    update::log_command(tui, command);
    tui.layers.push(Layer::Told { title: format!("Deploy {}", cut.deploy), lines });
    vec![]
}

/// Goes on with a deploy that was cut off.
pub fn resume(tui: &mut Tui) -> Vec<Effect> {
    let (Some(_), Some(cut)) = (&tui.step.program, tui.step.live.cut.clone()) else { return vec![] };
    let refusal = match cut.takes_back {
        Some(deploy) => Some(format!("it was taking back deploy {deploy}: u goes on with that")),
        None if cut.command_cut => Some(format!(
            "a command was cut off: workbench deploy resume {}{} --again",
            cut.deploy,
            by_sudo(cut.as_root)
        )),
        None => None,
    };
    if let Some(words) = refusal {
        tui.say(Role::Warning, words);
        return vec![];
    }
    update::log_command(tui, format!("workbench deploy resume {}{}", cut.deploy, by_sudo(cut.as_root)));
    go_on(tui, cut, None)
}

fn by_sudo(as_root: bool) -> &'static str {
    if as_root { " --sudo" } else { "" }
}

/// Goes on with it, as was decided where that was asked.
pub(super) fn go_on(tui: &mut Tui, cut: Cut, decided: Option<Decided>) -> Vec<Effect> {
    let Some(program) = tui.step.program.clone() else { return vec![] };
    renew(tui);
    (tui.step.live.as_root, tui.step.live.has_asked) = (cut.as_root, false);
    tui.step.live.resumed = Some(cut.clone());
    vec![Effect::Resume { program, cut, decided, run: tui.step.run }]
}

/// The run came to its end. Where something can be tried again it stays armed; else the lock is given back.
pub(super) fn finished(tui: &mut Tui, is_well: bool) -> Vec<Effect> {
    if tui.step.live.phase != Phase::Live || !is_well {
        return vec![];
    }
    tui.step.live.phase = Phase::Over;
    vec![Effect::EndLive]
}

/// Falls back to dry; what was not reached stays as it is.
pub fn leave(tui: &mut Tui, why: &str) -> Vec<Effect> {
    if tui.step.live.phase != Phase::Live || tui.step.running {
        return vec![];
    }
    let waiting = tui.step.rows.total() - tui.step.rows.turned();
    let words = format!("LIVE was left {why}: {waiting} not reached; p plans what is left");
    log(tui, words.clone());
    tui.say(Role::Note, words);
    (tui.step.live.phase, tui.step.next) = (Phase::Over, None);
    tui.step.ready.clear();
    tui.step.summary = true;
    vec![Effect::EndLive]
}

/// First asks the run to stop after this resource; then ends the command at work; then leaves it to itself.
pub(super) fn stop(tui: &mut Tui) -> Vec<Effect> {
    let live = &mut tui.step.live;
    if live.phase == Phase::Beginning {
        return vec![];
    }
    live.stops = live.stops.saturating_add(1);
    match (live.phase, live.stops) {
        (Phase::TakingBack, 1) => {
            tui.say(Role::Note, "stops after what is at work, half taken back; Ctrl-C again leaves it to itself");
            vec![Effect::Send(Request::Stop)]
        }
        (_, 1) => {
            tui.say(Role::Note, "stops after this resource; Ctrl-C again ends its command");
            vec![Effect::Send(Request::Stop)]
        }
        (Phase::TakingBack, _) | (_, 3..) => {
            tui.say(Role::Warning, "left to itself: it ends what it is at, and waits");
            vec![Effect::LetGo]
        }
        (_, _) => {
            tui.say(Role::Warning, "the command at work is ended; Ctrl-C again leaves it to itself");
            vec![Effect::Abort]
        }
    }
}

/// Asks before a live run that is not at its end is left.
pub fn quit(tui: &mut Tui) -> Vec<Effect> {
    let state = &tui.step;
    if !state.live.is_live() || (!state.running && state.next.is_none()) {
        return vec![Effect::Quit];
    }
    let waiting = state.rows.total() - state.rows.turned();
    let what = match state.live.phase {
        Phase::TakingBack => "A deploy is being taken back, and that is not done.".into(),
        _ => format!("This machine is being changed, and {waiting} resources are not done."),
    };
    let lines = vec![what, "Quit? What is at work is finished first; the rest is left as it is.".into()];
    tui.layers.push(Layer::confirm(lines, Action::Quit));
    vec![]
}

/// The lines under the end of a live run: what can be done now.
pub(super) fn hints(tui: &Tui) -> Vec<String> {
    let live = &tui.step.live;
    let Some(deploy) = live.deploy else { return vec!["p plans anew.".into()] };
    let mut lines = Vec::new();
    let sudo = if live.as_root { "sudo " } else { "" };
    if live.has_changed() {
        lines.push("u takes it back, p plans what is left; or with:".to_string());
        lines.push(format!("  {sudo}workbench deploy undo {deploy}"));
    } else {
        lines.push("Nothing was changed. p plans anew; more is told by:".into());
    }
    lines.push(format!("  {sudo}workbench deploy show {deploy}"));
    lines
}
