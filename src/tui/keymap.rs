//! The one table of actions: it makes key dispatch, footers, the palette and the documentation.

pub mod action;
mod enabled;
mod when;

use super::keys::{self, Key};
use super::{rebind::Bound, screen::pane::ScreenId};
pub use action::{Action, Along, Asked, Folding, GoWhere, What};
pub use enabled::{Enabled, has_file, has_modules, has_plan, has_problems, has_resource, has_source, when};
pub use when::When;

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
    pub when: When,
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

    /// Whether the action exists on a screen. An entry without screens works on every one.
    pub fn works_on(&self, screen: ScreenId) -> bool {
        self.screens.is_empty() || self.screens.contains(&screen)
    }

    /// The screens where it works, for a refusal on another screen.
    pub fn elsewhere(&self) -> String {
        let screens: Vec<_> = self.screens.iter().map(|screen| screen.title()).collect();
        format!("only available on {}", screens.join(", "))
    }

    /// The part of its title before the first colon or semicolon that is followed by a space.
    pub fn name(&self) -> &'static str {
        [": ", "; "].iter().fold(self.title, |name, mark| name.split_once(mark).map_or(name, |(name, _)| name))
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
    when: When,
) -> Entry {
    Entry { action, id, screens, keys, title, hint: hint.0, rank: hint.1, when }
}

const NO_HINT: (&str, u8) = ("", u8::MAX);

#[rustfmt::skip]
pub static TABLE: &[Entry] = &[
    row(Action::Step, "step", RUNS, &["s", "f11"], "Run the next step (DRY: simulate it)", ("step", 1), When::CanStepOnce),
    row(Action::Continue, "continue", RUNS, &["c", "f5"], "Run to a breakpoint, a failure or the end", ("continue", 2), When::CanStep),
    row(Action::ToCursor, "to-cursor", RUNS, &["t"], "Run to just before the selected step", ("to cursor", 3), When::CanReachCursor),
    row(Action::Breakpoint, "breakpoint", STOPS, &["b", "f9"], "Set or clear a breakpoint", ("break", 4), When::HasResource),
    row(Action::Over, "rest-of-class", RUNS, &["o", "f10"], "Run the rest of the class of the next step", ("rest of class", 9), When::CanStep),
    row(Action::Breakpoints, "breakpoints", STOPS, &["B"], "List breakpoints, set conditions", NO_HINT, When::Always),
    row(Action::SideBySide, "side-by-side", COMPARE, &["d"], "Show diffs side by side, or in one column", ("side by side", 10), When::HasDiff),
    row(Action::LeaveOut, "skip-resource", &[Code, Graph, Log], &["x"], "Skip the resource, or include it again", ("skip", 16), When::CanLeaveOut),
    row(Action::Skip, "skip", RUNS, &["x"], "Skip the resource, or include it again", ("skip", 5), When::CanSkip),
    row(Action::Retry, "retry", RUNS, &["r"], "Make a failed or skipped step next again", ("retry", 6), When::CanRetry),
    row(Action::Observe, "re-check", EVENTS, &["ctrl-r"], "Re-check the resource and its dependents", NO_HINT, When::CanObserve),
    row(Action::StepBack, "step-back", RUNS, &["Z"], "Step back", ("back", 7), When::CanStepBack),
    row(Action::Arm, "apply", RUNS, &["A"], "Apply the plan to this machine", ("apply", 8), When::CanArm),
    row(Action::RollBack, "undo-apply", RUNS, &["u"], "Undo a deploy", ("undo", 3), When::CanRollBack),
    row(Action::UndoDeploy, "undo-deploy", &[Deploys], &["u"], "Undo a deploy", ("undo", 1), When::CanUndoDeploy),
    row(Action::Save, "save", &[Graph, Deploys, Log], &["S"], "Save this view to a file: dot, JSON, text", ("save", 17), When::CanSave),
    row(Action::Compare, "compare", DEPLOYS, &["="], "Compare with the previous deploy", ("compare", 14), When::CanCompare),
    row(Action::Resume, "resume", DEPLOYS, &["R"], "Resume an interrupted deploy", ("resume", 0), When::CanResume),
    row(Action::Inspect, "inspect", DEPLOYS, &["I"], "Inspect an interrupted deploy", NO_HINT, When::HasCut),
    row(Action::Watch, "watch", EVENTS, &["w"], "Start or pause watching (only reports)", ("watch", 8), When::CanWatch),
    row(Action::Attach, "attach", DEPLOYS, &["a"], "Attach to a detached deploy", ("attach", 0), When::HasDetached),
    row(Action::EndDetached, "end-detached", DEPLOYS, &["E"], "Stop a detached deploy after its current step", NO_HINT, When::HasDetached),
    row(Action::Fetch, "fetch", &[Modules], &["f"], "Fetch missing modules", ("fetch", 1), When::CanFetch),
    row(Action::Update, "update", &[Modules], &["F"], "Update all modules", ("update all", 2), When::CanUpdate),
    row(Action::Bump, "bump", &[Modules], &["^"], "Update the selected module", ("update", 2), When::CanBump),
    row(Action::RetryFetch, "retry-fetch", &[Modules], &["r"], "Retry the failed fetch", ("retry", 0), When::HasFailedFetch),
    row(Action::Approve, "approve", &[Modules], &["space a"], "Approve the selected module", ("approve", 3), When::CanApprove),
    row(Action::Look, "look", &[Modules], &["space u"], "Check for updates", ("check updates", 4), When::CanLook),
    row(Action::AddImport, "add-import", &[Modules], &["space i"], "Add an import to the program", ("add", 5), When::CanAdd),
    row(Action::PruneModules, "remove-unused", &[Modules], &["space x"], "Remove unused modules", ("remove unused", 40), When::CanPrune),
    row(Action::Stop, "stop", EVERYWHERE, &["ctrl-c"], "Stop what is running", ("stop", 0), When::Always),
    row(Action::Plan, "plan", EVERYWHERE, &["p"], "Make a new plan", ("plan", 12), When::CanPlan),
    row(Action::Open, "open", EVERYWHERE, &["enter"], "Open or unfold the selected row", ("open", 8), When::CanOpen),
    row(Action::LookUp(Asked::Definition), "definition", &[Code], &["g d"], "Go to the definition or source", ("definition", 1), When::HasText),
    row(Action::LookUp(Asked::Uses), "uses", &[Code], &["g r"], "List references to the selection", ("references", 2), When::HasText),
    row(Action::LookUp(Asked::Hover), "hover", &[Code], &["K"], "Describe the selection", ("describe", 3), When::HasText),
    row(Action::LookUp(Asked::Hover), "hover-kind", ROWS, &["K"], "Describe the selection", NO_HINT, When::HasKind),
    row(Action::LookUp(Asked::Uses), "references", ROWS, &["g r"], "List references to the selection", NO_HINT, When::HasReferences),
    row(Action::Right, "right", EVERYWHERE, &["l", "right"], "Unfold or go right", NO_HINT, When::CanGoRight),
    row(Action::Close, "close", EVERYWHERE, &["h", "left"], "Fold or go left", NO_HINT, When::Always),
    row(Action::Along(Along::Word), "word", &[Code], &["ctrl-right"], "Go to the next word", NO_HINT, When::HasText),
    row(Action::Along(Along::WordBack), "word-back", &[Code], &["ctrl-left"], "Go to the previous word", NO_HINT, When::HasText),
    row(Action::NextProblem, "next-problem", &[Step, Code], &["] d"], "Go to the next problem", ("next problem", 2), When::HasProblems),
    row(Action::PreviousProblem, "previous-problem", &[Step, Code], &["[ d"], "Go to the previous problem", NO_HINT, When::HasProblems),
    row(Action::ToSource, "to-source", &[Graph, Step], &["g d"], "Go to the definition or source", ("source", 9), When::HasSource),
    row(Action::ToSource, "to-file", &[Modules, Deploys, Log], &["g d"], "Go to the definition or source", NO_HINT, When::HasDefinition),
    row(Action::ToGraph, "to-graph", &[Code, Step, Log], &["space g"], "Show the resource on Graph", NO_HINT, When::HasResource),
    row(Action::ToStep, "to-plan", &[Code, Graph, Log], &["space p"], "Show the resource on Plan", NO_HINT, When::HasPlannedResource),
    row(Action::MakeNext, "make-next", RUNS, &["m"], "Make the selected step next", ("make next", 9), When::CanMakeNext),
    row(Action::Summary, "summary", RUNS, &["i"], "Show the plan summary", ("summary", 9), When::HasPlan),
    row(Action::WholeDiff, "diff", RUNS, &["P"], "Show the whole plan as one diff", ("diff", 9), When::HasPlan),
    row(Action::NextChange, "next-change", EVENTS, &["] c"], "Go to the next change", NO_HINT, When::HasPlan),
    row(Action::PreviousChange, "previous-change", EVENTS, &["[ c"], "Go to the previous change", NO_HINT, When::HasPlan),
    row(Action::OnlyThis, "only-related", EACH, &["."], "Show only rows related to the selection, or all", NO_HINT, When::CanShowRelated),
    row(Action::OnlyChanges, "only-changes", EVENTS, &["H"], "Show only what changes, or all rows", NO_HINT, When::HasPlan),
    row(Action::FirstNeed, "first-need", EVENTS, &["("], "Go to a dependency", NO_HINT, When::HasNeed),
    row(Action::FirstDependent, "first-dependent", EVENTS, &[")"], "Go to a dependent", NO_HINT, When::HasDependent),
    row(Action::Pick(What::Files), "find-file", EVERYWHERE, &["space f"], "Find a file", NO_HINT, When::Always),
    row(Action::Pick(What::Resources), "find-resource", EVERYWHERE, &["space r"], "Find a resource", NO_HINT, When::CanPick(What::Resources)),
    row(Action::Pick(What::Symbols), "find-symbol", EVERYWHERE, &["space s"], "Find a symbol", NO_HINT, When::CanPick(What::Symbols)),
    row(Action::Pick(What::Lines), "grep", EVERYWHERE, &["space /"], "Search the lines of all files", NO_HINT, When::Always),
    row(Action::View, "order-or-tree", &[Graph], &["g t"], "Switch between order and tree", ("order or tree", 8), When::Always),
    row(Action::Jobs, "jobs", EVERYWHERE, &["space j"], "List running jobs", NO_HINT, When::Always),
    row(Action::Filter, "filter", EVERYWHERE, &["/"], "Filter the list or search the text", ("filter", 10), When::Always),
    row(Action::NextMatch, "next-match", EVERYWHERE, &["n"], "Go to the next match", NO_HINT, When::HasSearch),
    row(Action::PreviousMatch, "previous-match", EVERYWHERE, &["N"], "Go to the previous match", NO_HINT, When::HasSearch),
    row(Action::Fold(Folding::Toggle), "fold", EACH, &["z a"], "Fold or unfold", ("fold", 15), When::CanFold),
    row(Action::Fold(Folding::CloseAll), "fold-all", EACH, &["z M"], "Fold all", NO_HINT, When::CanFold),
    row(Action::Fold(Folding::OpenAll), "unfold-all", EACH, &["z R"], "Unfold all", NO_HINT, When::CanFold),
    row(Action::Edit, "edit", EVERYWHERE, &["e"], "Edit the source", ("edit", 11), When::CanEdit),
    row(Action::Copy, "copy", EVERYWHERE, &["y"], "Copy the name or selected text", NO_HINT, When::Always),
    row(Action::CopyPlace, "copy-place", EVERYWHERE, &["Y"], "Copy the place", NO_HINT, When::HasCopiedPlace),
    row(Action::Range, "select", &[Code], &["v"], "Select text", NO_HINT, When::HasText),
    row(Action::JumpBack, "jump-back", EVERYWHERE, &["ctrl-o"], "Go back in the jump list", NO_HINT, When::HasJump),
    row(Action::JumpForward, "jump-forward", EVERYWHERE, &["alt-o", "ctrl-i"], "Go forward in the jump list", NO_HINT, When::HasJumpForward),
    row(Action::Go(W::Down), "down", EVERYWHERE, &["j", "down"], "Move down", NO_HINT, When::Always),
    row(Action::Go(W::Up), "up", EVERYWHERE, &["k", "up"], "Move up", NO_HINT, When::Always),
    row(Action::Go(W::HalfDown), "half-down", EVERYWHERE, &["ctrl-d", "pagedown"], "Move half a page down", NO_HINT, When::Always),
    row(Action::Go(W::HalfUp), "half-up", EVERYWHERE, &["ctrl-u", "pageup"], "Move half a page up", NO_HINT, When::Always),
    row(Action::Go(W::Top), "top", EVERYWHERE, &["g g", "home"], "Go to the top", NO_HINT, When::Always),
    row(Action::Go(W::Bottom), "bottom", EVERYWHERE, &["G", "end"], "Go to the end", NO_HINT, When::Always),
    row(Action::Screen(Step), "plan-screen", EVERYWHERE, &["1"], "Show Plan", NO_HINT, When::Always),
    row(Action::Screen(Code), "code", EVERYWHERE, &["2"], "Show Code", NO_HINT, When::Always),
    row(Action::Screen(Graph), "graph", EVERYWHERE, &["3"], "Show Graph", NO_HINT, When::Always),
    row(Action::Screen(Modules), "modules", EVERYWHERE, &["4"], "Show Modules", NO_HINT, When::Always),
    row(Action::Screen(Deploys), "history", EVERYWHERE, &["5"], "Show History", NO_HINT, When::Always),
    row(Action::Screen(Log), "log", EVERYWHERE, &["6"], "Show Log, the messages of this session", NO_HINT, When::Always),
    row(Action::NextPane, "next-pane", EVERYWHERE, &["tab"], "Focus the next pane", ("next pane", 50), When::HasPanes),
    row(Action::PreviousPane, "previous-pane", EVERYWHERE, &["shift-tab"], "Focus the previous pane", NO_HINT, When::HasPanes),
    row(Action::Zoom, "zoom", EVERYWHERE, &["+"], "Zoom the focused pane, or restore it", NO_HINT, When::HasPanes),
    row(Action::Back, "back", EVERYWHERE, &["esc"], "Close the top layer, never quit", NO_HINT, When::Always),
    row(Action::Palette, "palette", EVERYWHERE, &["?", "ctrl-p", "f1"], "List all actions", NO_HINT, When::Always),
    row(Action::CommandLine, "command", EVERYWHERE, &[":"], "Run a command by name", NO_HINT, When::Always),
    row(Action::Suspend, "suspend", EVERYWHERE, &["ctrl-z"], "Suspend the program", NO_HINT, When::CanSuspend),
    row(Action::Repaint, "repaint", EVERYWHERE, &["ctrl-l"], "Redraw the screen", NO_HINT, When::Always),
    row(Action::NextTask, "next-task", EVERYWHERE, &["space n"], "Skip this task", NO_HINT, When::IsTaught),
    row(Action::Quit, "quit", EVERYWHERE, &["q"], "Quit", ("quit", 90), When::Always),
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
    /// Makes the bindings of the table, without the user's.
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

    /// Returns the action of a key sequence on a screen, or whether the sequence is incomplete.
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
