//! The one table of actions: it makes key dispatch, footers, the palette and the documentation.

mod action;
mod enabled;

use super::keys::{self, Key};
use super::layer::picker::{self, What};
use super::rebind::Bound;
use super::screen::ScreenId;
use super::screen::code::{Along, Asked, Folding};
use super::state::State;
pub use action::{Action, GoWhere};
pub use enabled::Enabled;
#[allow(clippy::wildcard_imports, reason = "the table names them all")]
use enabled::*;

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Entry {
    pub action: Action,
    /// Its stable name, for configuration and documentation.
    pub id: &'static str,
    /// The screens where it works; empty means all.
    pub screens: &'static [ScreenId],
    pub keys: &'static [&'static str],
    pub title: &'static str,
    /// The word in the footer; empty keeps it out.
    pub hint: &'static str,
    /// A lower rank comes earlier in the footer.
    pub rank: u8,
    pub enabled: fn(&State) -> Enabled,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl Entry {
    /// Whether a number before its key repeats it. A number never repeats an action that writes.
    pub fn takes_count(&self) -> bool {
        matches!(self.action, Action::Go(_) | Action::NextMatch | Action::PreviousMatch)
    }

    /// Whether its key continues a run.
    pub fn drives(&self) -> bool {
        use Action::{Continue, Over, Retry, Skip, Step, ToCursor};
        matches!(self.action, Step | Continue | Over | ToCursor | Skip | Retry)
    }

    pub fn works_on(&self, screen: ScreenId) -> bool {
        self.screens.is_empty() || self.screens.contains(&screen)
    }

    /// The screens where it works, for a refusal on another screen.
    pub fn elsewhere(&self) -> String {
        let screens: Vec<_> = self.screens.iter().map(|screen| screen.title()).collect();
        format!("is only available on {}", screens.join(", "))
    }

    /// Whether it is enabled here and now; else why not.
    pub fn available(&self, state: &State) -> Result<(), String> {
        if self.works_on(state.screen) { (self.enabled)(state) } else { Err(self.elsewhere()) }
    }

    /// The part of its title before the first colon or semicolon that is followed by a space.
    pub fn name(&self) -> &'static str {
        [": ", "; "].iter().fold(self.title, |name, mark| name.split_once(mark).map_or(name, |(name, _)| name))
    }

    /// Whether its object does not exist: a reason would promise that it becomes possible later.
    pub fn is_moot(&self, state: &State) -> bool {
        self.action == Action::NextTask && state.tutor.is_none()
    }
}

use GoWhere as W;
use ScreenId::{Code, Deploys, Graph, Log, Modules, Step};

const EVERYWHERE: &[ScreenId] = &[];
const RUNS: &[ScreenId] = &[Step];
/// Where texts are compared.
const COMPARE: &[ScreenId] = DEPLOYS;
/// All screens. The palette lists these before the actions without a screen.
const EACH: &[ScreenId] = &ScreenId::ALL;
/// The screens whose rows are not text.
const ROWS: &[ScreenId] = &[Modules, Graph, Step, Deploys, Log];
const EVENTS: &[ScreenId] = &[Step, Graph];
/// Where breakpoints are set.
const STOPS: &[ScreenId] = &[Step, Graph, Code];
/// Where a deploy can be undone or resumed.
const DEPLOYS: &[ScreenId] = &[Step, Deploys];

/// Shortens the table's rows.
const fn row(
    action: Action,
    id: &'static str,
    screens: &'static [ScreenId],
    keys: &'static [&'static str],
    title: &'static str,
    hint: (&'static str, u8),
    enabled: fn(&State) -> Enabled,
) -> Entry {
    Entry { action, id, screens, keys, title, hint: hint.0, rank: hint.1, enabled }
}

const NO_HINT: (&str, u8) = ("", u8::MAX);

/// Every action.
#[rustfmt::skip]
pub static TABLE: &[Entry] = &[
    row(Action::Step, "step", RUNS, &["s", "f11"], "Run the next step (DRY: simulate it)", ("step", 1), can_step_once),
    row(Action::Continue, "continue", RUNS, &["c", "f5"], "Run to a breakpoint, a failure or the end", ("continue", 2), can_step),
    row(Action::ToCursor, "to-cursor", RUNS, &["t"], "Run to just before the selected step", ("to cursor", 3), can_reach_cursor),
    row(Action::Breakpoint, "breakpoint", STOPS, &["b", "f9"], "Set or clear a breakpoint", ("break", 4), has_resource),
    row(Action::Over, "over", RUNS, &["o", "f10"], "Run the rest of the class of the next step", ("rest of class", 9), can_step),
    row(Action::Breakpoints, "breakpoints", STOPS, &["B"], "List breakpoints, set conditions", NO_HINT, always),
    row(Action::SideBySide, "side-by-side", COMPARE, &["d"], "Show diffs side by side, or in one column", ("side by side", 10), has_diff),
    row(Action::LeaveOut, "leave-out", &[Code, Graph, Log], &["x"], "Skip the resource, or include it again", ("skip", 16), can_leave_out),
    row(Action::Skip, "skip", RUNS, &["x"], "Skip the resource, or include it again", ("skip", 5), can_skip),
    row(Action::Retry, "retry", RUNS, &["r"], "Make a failed or skipped step next again", ("retry", 6), can_retry),
    row(Action::Observe, "observe", EVENTS, &["ctrl-r"], "Re-check the resource and its dependents", NO_HINT, can_observe),
    row(Action::StepBack, "step-back", RUNS, &["Z"], "Step back", ("back", 7), can_step_back),
    row(Action::Arm, "arm", RUNS, &["A"], "Apply the plan to this machine", ("apply", 8), can_arm),
    row(Action::RollBack, "roll-back", RUNS, &["u"], "Undo a deploy", ("undo", 3), can_roll_back),
    row(Action::UndoDeploy, "undo-deploy", &[Deploys], &["u"], "Undo a deploy", ("undo", 1), can_undo_deploy),
    row(Action::Save, "save", &[Graph, Deploys, Log], &["S"], "Save this view to a file: dot, JSON, text", ("save", 17), can_save),
    row(Action::Compare, "compare", DEPLOYS, &["="], "Compare with the previous deploy", ("compare", 14), can_compare),
    row(Action::Resume, "resume", DEPLOYS, &["R"], "Resume an interrupted deploy", ("resume", 0), can_resume),
    row(Action::Inspect, "inspect", DEPLOYS, &["I"], "Inspect an interrupted deploy", NO_HINT, has_cut),
    row(Action::Watch, "watch", EVENTS, &["w"], "Start or pause watching (only reports)", ("watch", 8), can_watch),
    row(Action::Attach, "attach", DEPLOYS, &["a"], "Attach to a detached deploy", ("attach", 0), has_detached),
    row(Action::EndDetached, "end-parked", DEPLOYS, &["E"], "Stop a detached deploy after its current step", NO_HINT, has_detached),
    row(Action::Fetch, "fetch", &[Modules], &["f"], "Fetch missing modules", ("fetch", 1), can_fetch),
    row(Action::Update, "update", &[Modules], &["F"], "Update all modules", ("update all", 2), can_update),
    row(Action::Bump, "bump", &[Modules], &["^"], "Update the selected module", ("update", 2), can_bump),
    row(Action::RetryFetch, "retry-fetch", &[Modules], &["r"], "Retry the failed fetch", ("retry", 0), has_failed_fetch),
    row(Action::Approve, "approve", &[Modules], &["space a"], "Approve the selected module", ("approve", 3), can_approve),
    row(Action::Look, "look", &[Modules], &["space u"], "Check for updates", ("check updates", 4), can_look),
    row(Action::AddImport, "add-import", &[Modules], &["space i"], "Add an import to the program", ("add", 5), can_add),
    row(Action::PruneModules, "remove-unused", &[Modules], &["space x"], "Remove unused modules", ("remove unused", 40), can_prune),
    row(Action::Stop, "stop", EVERYWHERE, &["ctrl-c"], "Stop what is running", ("stop", 0), always),
    row(Action::Plan, "plan", EVERYWHERE, &["p"], "Make a new plan", ("plan", 12), can_plan),
    row(Action::Open, "open", EVERYWHERE, &["enter"], "Open or unfold the selected row", ("open", 8), can_open),
    row(Action::LookUp(Asked::Definition), "definition", &[Code], &["g d"], "Go to the definition or source", ("definition", 1), has_text),
    row(Action::LookUp(Asked::Uses), "uses", &[Code], &["g r"], "List references to the selection", ("references", 2), has_text),
    row(Action::LookUp(Asked::Hover), "hover", &[Code], &["K"], "Describe the selection", ("describe", 3), has_text),
    row(Action::LookUp(Asked::Hover), "hover-kind", ROWS, &["K"], "Describe the selection", NO_HINT, has_kind),
    row(Action::LookUp(Asked::Uses), "references", ROWS, &["g r"], "List references to the selection", NO_HINT, has_references),
    row(Action::Right, "right", EVERYWHERE, &["l", "right"], "Unfold or go right", NO_HINT, can_go_right),
    row(Action::Close, "close", EVERYWHERE, &["h", "left"], "Fold or go left", NO_HINT, always),
    row(Action::Along(Along::Word), "word", &[Code], &["ctrl-right"], "Go to the next word", NO_HINT, has_text),
    row(Action::Along(Along::WordBack), "word-back", &[Code], &["ctrl-left"], "Go to the previous word", NO_HINT, has_text),
    row(Action::NextProblem, "next-problem", &[Step, Code], &["] d"], "Go to the next problem", ("next problem", 2), has_problems),
    row(Action::PreviousProblem, "previous-problem", &[Step, Code], &["[ d"], "Go to the previous problem", NO_HINT, has_problems),
    row(Action::ToSource, "to-source", &[Graph, Step], &["g d"], "Go to the definition or source", ("source", 9), has_source),
    row(Action::ToSource, "to-file", &[Modules, Deploys, Log], &["g d"], "Go to the definition or source", NO_HINT, has_definition),
    row(Action::ToGraph, "to-graph", &[Code, Step, Log], &["space g"], "Show the resource on Graph", NO_HINT, has_resource),
    row(Action::ToStep, "to-plan", &[Code, Graph, Log], &["space p"], "Show the resource on Plan", NO_HINT, has_planned_resource),
    row(Action::MakeNext, "make-next", RUNS, &["m"], "Make the selected step next", ("make next", 9), can_make_next),
    row(Action::Summary, "summary", RUNS, &["i"], "Show the plan summary", ("summary", 9), has_plan),
    row(Action::WholeDiff, "diff", RUNS, &["P"], "Show the whole plan as one diff", ("diff", 9), has_plan),
    row(Action::NextChange, "next-change", EVENTS, &["] c"], "Go to the next change", NO_HINT, has_plan),
    row(Action::PreviousChange, "previous-change", EVENTS, &["[ c"], "Go to the previous change", NO_HINT, has_plan),
    row(Action::OnlyThis, "only-related", EACH, &["."], "Show only rows related to the selection, or all", NO_HINT, can_show_related),
    row(Action::FirstNeed, "first-need", EVENTS, &["("], "Go to a dependency", NO_HINT, has_need),
    row(Action::FirstDependent, "first-dependent", EVENTS, &[")"], "Go to a dependent", NO_HINT, has_dependent),
    row(Action::Pick(What::Files), "find-file", EVERYWHERE, &["space f"], "Find a file", NO_HINT, always),
    row(Action::Pick(What::Resources), "find-resource", EVERYWHERE, &["space r"], "Find a resource", NO_HINT, |state| picker::enabled(state, What::Resources)),
    row(Action::Pick(What::Symbols), "find-symbol", EVERYWHERE, &["space s"], "Find a symbol", NO_HINT, |state| picker::enabled(state, What::Symbols)),
    row(Action::Pick(What::Lines), "grep", EVERYWHERE, &["space /"], "Search the lines of all files", NO_HINT, always),
    row(Action::View, "view", &[Graph], &["g t"], "Switch between order and tree", ("order or tree", 8), always),
    row(Action::Jobs, "jobs", EVERYWHERE, &["space j"], "List running jobs", NO_HINT, always),
    row(Action::Filter, "filter", EVERYWHERE, &["/"], "Filter the list or search the text", ("filter", 10), always),
    row(Action::NextMatch, "next-match", EVERYWHERE, &["n"], "Go to the next match", NO_HINT, has_search),
    row(Action::PreviousMatch, "previous-match", EVERYWHERE, &["N"], "Go to the previous match", NO_HINT, has_search),
    row(Action::Fold(Folding::Toggle), "fold", EACH, &["z a"], "Fold or unfold", ("fold", 15), can_fold),
    row(Action::Fold(Folding::CloseAll), "fold-all", EACH, &["z M"], "Fold all", NO_HINT, can_fold),
    row(Action::Fold(Folding::OpenAll), "unfold-all", EACH, &["z R"], "Unfold all", NO_HINT, can_fold),
    row(Action::Edit, "edit", EVERYWHERE, &["e"], "Edit the source", ("edit", 11), can_edit),
    row(Action::Copy, "copy", EVERYWHERE, &["y"], "Copy the name or selected text", NO_HINT, always),
    row(Action::CopyPlace, "copy-place", EVERYWHERE, &["Y"], "Copy the place", NO_HINT, has_copied_place),
    row(Action::Range, "select", &[Code], &["v"], "Select text", NO_HINT, has_text),
    row(Action::JumpBack, "jump-back", EVERYWHERE, &["ctrl-o"], "Go back in the jump list", NO_HINT, has_jump),
    row(Action::JumpForward, "jump-forward", EVERYWHERE, &["alt-o", "ctrl-i"], "Go forward in the jump list", NO_HINT, has_jump_forward),
    row(Action::Go(W::Down), "down", EVERYWHERE, &["j", "down"], "Move down", NO_HINT, always),
    row(Action::Go(W::Up), "up", EVERYWHERE, &["k", "up"], "Move up", NO_HINT, always),
    row(Action::Go(W::HalfDown), "half-down", EVERYWHERE, &["ctrl-d", "pagedown"], "Move half a page down", NO_HINT, always),
    row(Action::Go(W::HalfUp), "half-up", EVERYWHERE, &["ctrl-u", "pageup"], "Move half a page up", NO_HINT, always),
    row(Action::Go(W::Top), "top", EVERYWHERE, &["g g", "home"], "Go to the top", NO_HINT, always),
    row(Action::Go(W::Bottom), "bottom", EVERYWHERE, &["G", "end"], "Go to the end", NO_HINT, always),
    row(Action::Screen(Step), "plan-screen", EVERYWHERE, &["1"], "Show Plan", NO_HINT, always),
    row(Action::Screen(Code), "code", EVERYWHERE, &["2"], "Show Code", NO_HINT, always),
    row(Action::Screen(Graph), "graph", EVERYWHERE, &["3"], "Show Graph", NO_HINT, always),
    row(Action::Screen(Modules), "modules", EVERYWHERE, &["4"], "Show Modules", NO_HINT, always),
    row(Action::Screen(Deploys), "history", EVERYWHERE, &["5"], "Show History", NO_HINT, always),
    row(Action::Screen(Log), "log", EVERYWHERE, &["6"], "Show Log, the messages of this session", NO_HINT, always),
    row(Action::NextPane, "next-pane", EVERYWHERE, &["tab"], "Focus the next pane", ("next pane", 50), has_panes),
    row(Action::PreviousPane, "previous-pane", EVERYWHERE, &["shift-tab"], "Focus the previous pane", NO_HINT, has_panes),
    row(Action::Zoom, "zoom", EVERYWHERE, &["+"], "Zoom the focused pane, or restore it", NO_HINT, has_panes),
    row(Action::Back, "back", EVERYWHERE, &["esc"], "Close the top layer, never quit", NO_HINT, always),
    row(Action::Palette, "palette", EVERYWHERE, &["?", "ctrl-p", "f1"], "List all actions", NO_HINT, always),
    row(Action::CommandLine, "command", EVERYWHERE, &[":"], "Run a command by name", NO_HINT, always),
    row(Action::Suspend, "suspend", EVERYWHERE, &["ctrl-z"], "Suspend the program", NO_HINT, can_suspend),
    row(Action::Repaint, "repaint", EVERYWHERE, &["ctrl-l"], "Redraw the screen", NO_HINT, always),
    row(Action::NextTask, "next-task", EVERYWHERE, &["space n"], "Skip this task", NO_HINT, is_taught),
    row(Action::Quit, "quit", EVERYWHERE, &["q"], "Quit", ("quit", 90), always),
];

/// The bindings in force: the table's, overridden by the user's.
#[derive(Clone, Debug)]
pub struct Keymap {
    pub bound: Vec<Bound>,
}

/// The meaning of a key sequence so far.
#[derive(Debug)]
pub enum Found {
    Action(&'static Entry),
    /// A longer sequence starts with it.
    Prefix,
    Nothing,
}

impl Keymap {
    pub fn built_in() -> Self {
        let bound = TABLE.iter().flat_map(|entry| entry.keys.iter().map(move |words| (words, entry)));
        let bound = bound.map(|(words, entry)| Bound {
            keys: keys::parse(words).expect("the table's keys are valid; a test reads them all"),
            entry,
            screens: ScreenId::ALL.into_iter().filter(|screen| entry.works_on(*screen)).collect(),
            yours: None,
        });
        Self { bound: bound.collect() }
    }

    pub fn find(&self, screen: ScreenId, pressed: &[Key]) -> Found {
        let mut found = Found::Nothing;
        for (keys, entry) in self.on(screen) {
            if keys == pressed {
                return Found::Action(entry);
            }
            if keys.starts_with(pressed) {
                found = Found::Prefix;
            }
        }
        found
    }

    /// The bindings of a screen.
    pub fn on(&self, screen: ScreenId) -> impl Iterator<Item = (&[Key], &'static Entry)> {
        self.bound.iter().filter(move |one| one.screens.contains(&screen)).map(|one| (&one.keys[..], one.entry))
    }

    /// The first key of an action on a screen, as shown; else its key on another screen.
    pub fn key_of(&self, entry: &Entry, screen: ScreenId) -> String {
        let mut all = self.bound.iter().filter(|one| one.entry.id == entry.id);
        let here = all.clone().find(|one| one.screens.contains(&screen)).or_else(|| all.next());
        here.map(|one| keys::show(&one.keys)).unwrap_or_default()
    }

    /// All keys of an action, as shown.
    pub fn keys_of(&self, entry: &Entry) -> String {
        let all = self.bound.iter().filter(|one| one.entry.id == entry.id);
        all.map(|one| keys::show(&one.keys)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On no screen do two actions share a sequence, and no sequence starts another.
    #[test]
    fn keys_do_not_clash() {
        let keymap = Keymap::built_in();
        for screen in ScreenId::ALL {
            let all: Vec<_> = keymap.on(screen).collect();
            for (at, (keys, entry)) in all.iter().enumerate() {
                for (others, other) in &all[at + 1..] {
                    let clash = keys.starts_with(others) || others.starts_with(keys);
                    assert!(!clash, "{screen:?}: {} and {} clash", entry.id, other.id);
                }
            }
        }
    }

    /// An action counts once however many screens it works on, and so does each group of moves.
    #[test]
    fn there_are_at_most_ninety_actions() {
        let group = |action: &Action| match action {
            Action::Go(_) | Action::Right | Action::Close => "moves".to_string(),
            Action::NextPane | Action::PreviousPane | Action::Zoom => "panes".into(),
            Action::Pick(_) => "pickers".into(),
            Action::Screen(_) => "screens".into(),
            Action::Along(_) => "text motions".into(),
            action => format!("{action:?}"),
        };
        let groups: std::collections::BTreeSet<_> = TABLE.iter().map(|entry| group(&entry.action)).collect();
        assert!(groups.len() <= 90, "{} actions: {groups:?}", groups.len());
    }

    #[test]
    fn ids_are_unique_and_titles_reported() {
        for (at, entry) in TABLE.iter().enumerate() {
            assert!(!entry.title.is_empty() && !entry.keys.is_empty());
            assert!(TABLE[at + 1..].iter().all(|other| other.id != entry.id), "{}", entry.id);
        }
    }
}
