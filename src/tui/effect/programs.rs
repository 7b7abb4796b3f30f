//! Longer, cancellable work on a program: compiling, previewing, looking up a name, and fetching package contents.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;

use super::Graphed;
use crate::diag::Stage;
use crate::engine::message::{Event, TurnState};
use crate::plan::{CompiledFor, Plan};
use crate::session::{Cancel, FileWatch, Session, load_plan, moved_words, needs_root};
use crate::tui::message::{Job, Message};
use crate::tui::screen::code::{Answer, Spot};
use crate::tui::screen::step::saved::{Next, Opened, Reopened};
use crate::tui::{keymap::Asked, program::Program, screen::step::live::Notice, screen::step::observe::Looked};

/// Compiles, and watches the files that were read.
pub fn compile(session: &Session, turn: u64, cancel: &Cancel, watch: &FileWatch) -> Message {
    let begin = Instant::now();
    let (mut compiled, files) = session.compile_noting_files(Stage::Eval, cancel);
    if cancel.is_cancelled() {
        return Message::Cancelled(Job::Compile);
    }
    watch.follow(files);
    // If the program has errors, it is unknown which resources it no longer has.
    if !compiled.diagnostics.has_errors() {
        compiled.graph = session.ready(compiled.graph);
    }
    let mut program = Program::new(compiled);
    program.node_without_facts = session.node_without_facts();
    let program = Arc::new(program);
    Message::Compiled { program, turn, took: begin.elapsed() }
}

/// Previews. Also reports the progress, the steps that need root, the modules without approval, and the packages that
/// would make the plan more precise.
pub fn plan(
    session: &Session,
    state: Option<&PathBuf>,
    program: Arc<Program>,
    turn: u64,
    cancel: &Cancel,
    messages: &UnboundedSender<Message>,
) -> Message {
    let begin = Instant::now();
    match previewed(session, state, &program, cancel, messages) {
        Some(plan) => Message::Planned { program, plan, turn, took: begin.elapsed() },
        None => Message::Cancelled(Job::Plan),
    }
}

/// `None` if it was cancelled.
fn previewed(
    session: &Session,
    state: Option<&PathBuf>,
    program: &Program,
    cancel: &Cancel,
    messages: &UnboundedSender<Message>,
) -> Option<Arc<Plan>> {
    let mut far = Far::new(messages, program.graph.len());
    let mut plan = session.preview(&program.graph, cancel, &mut |event| far.on_event(event));
    plan.reads = program.reads.to_vec();
    let plan = Arc::new(plan);
    if cancel.is_cancelled() {
        return None;
    }
    let needs = needs_root(&program.graph, &plan);
    // If that is unknown, an apply refuses with the reason.
    let strangers = session.strangers(&program.graph, state).unwrap_or_default();
    // The loop has ended: there is no receiver.
    let _ = messages.send(Message::Live(Notice::NeedsRoot(needs)));
    let _ = messages.send(Message::Live(Notice::Strangers(strangers)));
    let _ = messages.send(Message::Live(Notice::Applied(session.may_have_last_deploy(state))));
    Some(plan)
}

/// Re-checks some resources of a plan and their dependents.
pub fn look_again(session: &Session, asked: Looked, cancel: &Cancel, messages: &UnboundedSender<Message>) -> Message {
    let Looked { program, plan, looked: wanted, .. } = &asked;
    let mut far = Far::new(messages, program.graph.len());
    let (plan, looked) = session.look_again(&program.graph, plan, wanted, cancel, &mut |event| far.on_event(event));
    if cancel.is_cancelled() {
        return Message::Cancelled(Job::Plan);
    }
    // The loop has ended: there is no receiver.
    let _ = messages.send(Message::Live(Notice::NeedsRoot(needs_root(&program.graph, &plan))));
    Message::Looked(Box::new(Looked { plan: Arc::new(plan), looked, ..asked }))
}

/// Opens the entry for what a saved plan was compiled for; `None` if it is compiled for that already.
pub fn adopted(session: &Session, file: &Path) -> Option<Message> {
    let saved = load_plan(file).ok().filter(|saved| session.has_made(saved))?;
    let then = saved.compiled_for.as_ref().filter(|then| !then.has_options_of(&session.compiled_for()))?;
    let failed = |words: String| Some(Message::PlanOpened { file: file.to_owned(), result: Err(words) });
    if let Err(missing) = session.options().permits(&saved) {
        let missing = missing.join(" and ");
        return failed(format!("not saved by this user on this machine, and it needs {missing}"));
    }
    match session.reopened("the plan", then) {
        Ok(session) => Some(Message::Reopened(Reopened::new(session, then, Next::Plan(file.to_owned())))),
        Err(words) => failed(words.join("; ")),
    }
}

/// Opens the entry for what an interrupted deploy was compiled for.
pub fn reopen(session: &Session, deploy: u64, then: &CompiledFor) -> Message {
    match session.reopened(&format!("deploy {deploy}"), then) {
        Ok(session) => Message::Reopened(Reopened::new(session, then, Next::Resume)),
        Err(words) => Message::Failed { job: Job::Plan, words: words.join("; ") },
    }
}

/// Compares a saved plan with the plan that the program has now.
pub fn open_plan(
    session: &Session,
    state: Option<&PathBuf>,
    file: PathBuf,
    program: Arc<Program>,
    turn: u64,
    cancel: &Cancel,
    messages: &UnboundedSender<Message>,
) -> Message {
    let saved = match load_plan(&file) {
        Ok(saved) => saved,
        Err(error) => return Message::PlanOpened { file, result: Err(error.to_string()) },
    };
    if !session.has_made(&saved) {
        let words = format!("a plan of another module: open that with `workbench {}`", saved.entry);
        return Message::PlanOpened { file, result: Err(words) };
    }
    let Some(plan) = previewed(session, state, &program, cancel, messages) else {
        return Message::Cancelled(Job::Plan);
    };
    let now = session.freeze(&plan, &program.graph, &program.sources);
    let moved = session.moved(&saved, &now).iter().map(moved_words).collect();
    Message::PlanOpened { file, result: Ok(Box::new(Opened { program, plan, turn, moved })) }
}

/// Reports the progress of a preview at intervals.
struct Far<'a> {
    messages: &'a UnboundedSender<Message>,
    done: usize,
    of: usize,
    reported: Instant,
}

impl<'a> Far<'a> {
    fn new(messages: &'a UnboundedSender<Message>, of: usize) -> Self {
        Self { messages, done: 0, of, reported: Instant::now() }
    }

    fn on_event(&mut self, event: &Event) {
        const PACE: Duration = Duration::from_millis(200);
        let Event::Turn { state, .. } = event else { return };
        self.done += usize::from(!matches!(state, TurnState::Waiting | TurnState::Running));
        if self.reported.elapsed() >= PACE {
            self.reported = Instant::now();
            // The loop has ended: there is no receiver.
            let _ = self.messages.send(Message::Progress { job: Job::Plan, done: self.done, of: self.of });
        }
    }
}

pub fn look_up(
    session: &Session,
    path: Option<&Path>,
    (name, spot): (Arc<str>, Spot),
    asked: Asked,
    graphed: Graphed,
    cancel: &Cancel,
) -> Message {
    let selected = graphed.as_ref().and_then(|(program, node)| Some(program.id((*node)?).clone()));
    let mut here = session.here(path, spot, cancel).map(|here| Box::new(Answer::new(here, graphed)));
    if asked == Asked::Hover
        && let Some(answer) = &mut here
        && let Some(subject) = selected.or_else(|| answer.subject())
    {
        answer.why = session.explain(&subject, cancel);
    }
    if cancel.is_cancelled() {
        return Message::Cancelled(Job::LookUp);
    }
    Message::LookedUp { name, spot, asked, here }
}
