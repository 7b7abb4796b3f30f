//! A face that plays the worker itself, over a small program.

mod finder;
mod run;
mod sample;

use std::{sync::Arc, time::Duration};

use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::prelude::{Buffer, Rect};

use self::finder::FakeFinder;
pub use self::run::FakeRun;
use self::sample::here;
pub use self::sample::{CODE, broken, compiled, graph, id, modules, plan, program};
use super::undo::{gone, undo_step};
use super::{events::FakeWatch, live::ARM};
use crate::engine::message::{Event, Pause};
use crate::highlight::Theme;
use crate::plan::{Action, Change, Plan};
use crate::session::against::{Last, against};
use crate::session::operations::Operations;
use crate::session::{Drift, Fetched, history};
use crate::tui::layer::{Layer, question};
use crate::tui::look::{Glyphs, Look, UNICODE};
use crate::tui::screen::code::{Answer, Paint, Spot};
use crate::tui::screen::step::data::State as Step;
use crate::tui::screen::step::live::{Notice, Refusal};
use crate::tui::screen::{ScreenId, deploys, graph as drawing};
use crate::tui::update::{begin, update};
use crate::tui::{
    effect::Effect, keys, message::Message, program::Program, screen::modules::fetch, screen::step::conflict::Conflict,
    screen::step::observe::Looked, state::State, view::view, widget::diff::Diff,
};

/// A face whose effects are done at once, from the data in this file.
pub struct Play {
    pub state: State,
    program: Arc<Program>,
    pub run: FakeRun,
    pub watch: FakeWatch,
    /// Effects that need a terminal, and requests, in order.
    pub asked: Vec<String>,
    /// The answer to the next request for a comparison.
    pub comparison: Option<crate::compare::report::Document>,
    /// How many plans were made.
    pub plans: usize,
    /// The clipboard.
    pub copied: Vec<String>,
    /// The refusal of the next live run.
    pub refuses: Option<Refusal>,
    /// The conflict of the next undo.
    pub conflict: Option<Conflict>,
    /// The history, newest first.
    pub deploys: Vec<history::Summary>,
    /// The other operations, oldest first.
    pub operations: Operations,
    /// The recorded plans.
    pub noted: Vec<String>,
    /// The newest watch of a plan, and whether it continues.
    pub watched_plans: u64,
    pub watches_plan: bool,
    /// The fetched modules, from the next check on.
    pub fetched: Vec<Fetched>,
    /// Whether the entry was applied before.
    pub was_applied: bool,
    /// Keys, separated by a space, that arrive before the next dry run reports that it waits.
    pub hasty: &'static str,
    /// The same for the next live run, which takes the lock first.
    pub hasty_live: &'static str,
    /// The undo plan for the next question.
    pub predicted: Option<Vec<history::UndoStep>>,
    /// The undo plan is still being made.
    pub is_unread: bool,
    /// The result of the next check.
    pub found_back: Option<Message>,
    /// The history is watched.
    pub follows_history: bool,
    /// The next undo takes long.
    pub is_slow_back: bool,
    /// Why an edit cannot be used within the deploy.
    pub cannot_amend: Option<String>,
    finds: FakeFinder,
}

impl Play {
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, &UNICODE, program())
    }

    /// A wide face after these keys.
    pub fn after(keys: &str) -> Self {
        Self::sized(120, 40, keys)
    }

    /// The same in another size.
    pub fn sized(width: u16, height: u16, keys: &str) -> Self {
        let mut play = Self::new(width, height);
        play.press(keys);
        play
    }

    /// A live run that waits before its first step.
    pub fn armed() -> Self {
        Self::after(&format!("p  {ARM}"))
    }

    pub fn with(width: u16, height: u16, glyphs: &'static Glyphs, program: Arc<Program>) -> Self {
        Self::prepared(width, height, glyphs, program, |_| {})
    }

    /// The same, with a preparation.
    pub fn prepared(
        width: u16,
        height: u16,
        glyphs: &'static Glyphs,
        program: Arc<Program>,
        prepare: impl FnOnce(&mut State),
    ) -> Self {
        let look = Look::new(Theme::built_in("mono").expect("compiled in"), glyphs);
        let mut state = State::new(width, height, look, "web".into(), "web".into());
        state.cx.project.host = "web1".into();
        // Most tests start beside Plan, which makes a plan by itself.
        state.cx.screen = ScreenId::Modules;
        prepare(&mut state);
        let todo = begin(&mut state);
        let (run, watch) = (FakeRun::default(), FakeWatch::default());
        let (asked, fetched, deploys) = (vec![], vec![], vec![]);
        let finds = FakeFinder::default();
        let mut play = Self {
            state,
            program,
            run,
            watch,
            asked,
            comparison: None,
            copied: vec![],
            plans: 0,
            refuses: None,
            conflict: None,
            fetched,
            deploys,
            operations: Operations::default(),
            noted: vec![],
            watched_plans: 0,
            watches_plan: false,
            was_applied: true,
            hasty: "",
            hasty_live: "",
            predicted: None,
            is_unread: false,
            found_back: None,
            follows_history: false,
            is_slow_back: false,
            cannot_amend: None,
            finds,
        };
        play.work(todo);
        play
    }

    /// Another plan of the program is ready.
    pub fn planned(&mut self, plan: impl Into<Arc<Plan>>) {
        let turn = self.state.cx.programs.turn;
        self.send(Message::Planned { program: program(), plan: plan.into(), turn, took: Duration::ZERO });
    }

    /// Moves or presses the mouse.
    pub fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        self.send(Message::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    /// Replaces the program on disk.
    pub fn change(&mut self, program: Arc<Program>) {
        self.program = program;
        self.send(Message::FilesChanged(vec![]));
    }

    /// Presses keys, written as in the keymap, separated by two spaces.
    pub fn press(&mut self, words: &str) -> &mut Self {
        for key in words.split("  ").flat_map(|word| keys::parse(word).expect("a key")) {
            // The result of a key is seen before the next one.
            self.wait();
            self.send(Message::Key(key));
        }
        self
    }

    /// Everything is drawn, and a moment passes.
    pub fn wait(&mut self) {
        self.state.cx.typing.presses.drawn(self.step().is_running());
        self.state.cx.jobs.clock += std::time::Duration::from_millis(800);
    }

    pub fn send(&mut self, message: Message) {
        let todo = update(&mut self.state, message);
        self.work(todo);
    }

    fn work(&mut self, todo: Vec<Effect>) {
        todo.into_iter().for_each(|effect| self.answer(effect));
    }

    fn send_all(&mut self, messages: impl IntoIterator<Item = Message>) {
        messages.into_iter().for_each(|message| self.send(message));
    }

    fn answer(&mut self, effect: Effect) {
        if let Some(messages) = self.watch.on_key(&effect) {
            return self.send_all(messages);
        }
        match effect {
            Effect::LoadModules => self.send(Message::Modules(modules(), self.fetched.clone(), vec![])),
            Effect::Compile { turn } => {
                self.send(Message::Compiled { program: self.program.clone(), turn, took: Duration::from_millis(48) })
            }
            Effect::Copy(words) => {
                self.copied.push(words.clone());
                self.asked.push(format!("{:?}", Effect::Copy(words)));
            }
            Effect::Draw { program, ask, number } => {
                self.send(Message::Drawn { picture: drawing::draw(&program, &ask), number })
            }
            Effect::ReadFile { path } => {
                let name = path.display().to_string().into();
                self.send(Message::Read { asked: path.clone(), path, name, text: Ok(CODE.into()) });
            }
            Effect::ReadReadme(path) => {
                self.send(Message::Readme { path, text: Some("# Web\n\nA web server of its own.\n".into()) })
            }
            Effect::Paint { name, path, text } => {
                let paint = Paint::new(text, &name);
                self.send(Message::Painted { name, path, paint });
            }
            Effect::LookUp { name, spot, asked, graphed, .. } => {
                let here = here(spot).map(|here| Box::new(Answer::new(here, graphed)));
                self.send(Message::LookedUp { name, spot, asked, here });
            }
            Effect::Plan { program, turn } => {
                self.plans += 1;
                let applied = Message::Live(Notice::Applied(self.was_applied));
                self.send(applied);
                self.send(Message::Planned { program, plan: plan(), turn, took: Duration::from_millis(3) });
            }
            Effect::LookAgain(asked) => {
                let looked: Vec<_> = asked.looked.iter().map(ToString::to_string).collect();
                self.asked.push(format!("LookAgain({})", looked.join(" ")));
                let mut found = Plan::clone(&asked.plan);
                for step in found.steps.iter_mut().filter(|step| asked.looked.contains(&step.resource)) {
                    (step.action, step.changes) = (Action::None, vec![]);
                }
                self.send(Message::Looked(Box::new(Looked { plan: Arc::new(found), ..*asked })));
            }
            Effect::StartRun { run, .. } => {
                self.run = FakeRun::default();
                let keys = typed(std::mem::take(&mut self.hasty));
                let paused = self.run.pause(run, Pause::Start);
                self.send_all(keys.chain([paused]))
            }
            Effect::Arm { run, .. } | Effect::Resume { run, .. } => {
                self.asked.push(match &effect {
                    Effect::Resume { decided: Some(decided), .. } => format!("Resume({:?})", decided.on_conflict),
                    Effect::Arm { as_root: true, .. } => "Arm as root".into(),
                    _ => "Arm".into(),
                });
                if let Some(why) = self.refuses.take() {
                    let refused = Message::Live(Notice::Refused { run, why });
                    let keys = typed(std::mem::take(&mut self.hasty_live));
                    return self.send_all(keys.chain([refused]));
                }
                self.run = FakeRun::live(0);
                let first = Some(self.run.paused(Pause::Start));
                let begun = Message::Live(Notice::Begun { run, deploy: 8, first });
                let keys = typed(std::mem::take(&mut self.hasty_live));
                self.send_all(keys.chain([begun]))
            }
            Effect::PlanUndo { .. } if self.is_unread => {}
            Effect::PlanUndo { deploy, ask } => {
                let steps = self.predicted.take().unwrap_or_else(|| {
                    vec![undo_step(deploy, 2, "file[/srv/web/index.html]", gone("/srv/web/index.html"))]
                });
                self.send(Message::Live(Notice::UndoPlanned { ask, deploy, steps: Ok(steps) }));
            }
            Effect::Undo { deploy, decided, as_root, .. } => {
                let how = decided.map(|decided| format!(", {:?}", decided.on_conflict)).unwrap_or_default();
                let who = if as_root { " as root" } else { "" };
                self.asked.push(format!("Undo({deploy}{how}){who}"));
                if let Some(conflict) = self.conflict.take() {
                    return self.send(Message::Live(Notice::Conflict(Box::new(conflict))));
                }
                if self.is_slow_back {
                    return;
                }
                let lines = vec![format!("Deploy {deploy} undone (recorded as deploy 9): 2 undone.")];
                self.send(Message::Live(Notice::Undone { deploy, result: Ok(lines) }));
            }
            Effect::ListDeploys => {
                let (deploys, operations) = (self.deploys.clone(), self.operations.clone());
                let listed = deploys::Listed { deploys, operations, unread: None, at_work: None };
                self.send(Message::Deploys(deploys::Notice::Listed(Ok(listed))));
            }
            Effect::FollowSettings | Effect::EndDrift(_) | Effect::UseSession(_) => {}
            Effect::NoteRefused => self.noted.push("refused".into()),
            Effect::WatchPlan { run, .. } => (self.watched_plans, self.watches_plan) = (run, true),
            Effect::EndPlanWatch => self.watches_plan = false,
            Effect::WatchDrift { graph, run } => {
                let watching = Drift::Watching { watched: 2, of: graph.len() };
                self.send(Message::Drift { run, drift: watching });
            }
            Effect::NotePlan(plan) => self.noted.push(plan.plan.clone()),
            Effect::ReadDeploy(deploy) => {
                self.send(Message::Deploys(deploys::Notice::Read(deploy, Ok(Box::new(super::deploys::whole(deploy))))))
            }
            Effect::Find(order) => {
                let found = self.finds.on_key(order);
                self.send_all(found.into_iter().map(Message::Found))
            }
            Effect::FollowHistory(is_wanted) => self.follows_history = is_wanted,
            Effect::Inspect { .. } => {
                let found = self.found_back.take();
                self.send_all(found)
            }
            Effect::CompareWithLast { plan, run, .. } => {
                let against = against(&plan, None, &Last::of(super::deploys::whole(7)));
                self.send(Message::Against { run, result: Ok(self.was_applied.then_some(against)) });
            }
            Effect::Compare { ask, run } => {
                self.asked.push(format!("Compare({ask:?})"));
                let result = self.comparison.take().ok_or_else(|| "no revision".to_owned()).map(Box::new);
                self.send(Message::Compared { run, result });
            }
            Effect::Diff { from, to } => self.send(Message::Diffed(Arc::new(Diff::new(from, to)))),
            Effect::Amend { program, resource, run } => {
                self.asked.push(format!("Amend({resource})"));
                let node = program.graph.find(&resource).and_then(|at| program.graph.resource(at)).cloned();
                let Some(resource) = node.filter(|_| self.cannot_amend.is_none()) else {
                    let why = self.cannot_amend.take().unwrap_or_default();
                    return self.send(Message::Live(Notice::NotAmended { run, resource, why }));
                };
                let change = Change { property: "state".into(), from: None, to: None, sensitive: false };
                let id = resource.id.clone();
                let (resource, changes) = (Box::new(resource), vec![change]);
                let event = Event::Amended { resource, changes, graph: "77ac".into() };
                let mut messages = vec![Message::Run { run, event }];
                messages.extend(self.run.again(run, &id));
                self.send_all(messages)
            }
            Effect::Review(module) => {
                let lines = vec!["+the whole tree".into()];
                self.send(Message::Fetch(fetch::Notice::Reviewed(Box::new(module), lines)));
            }
            Effect::Attach { guest, .. } => {
                self.asked.push(format!("Attach({guest:?})"));
                self.run = FakeRun::live(1);
            }
            Effect::Rehearse(request) => self.answer(Effect::Send(request.into())),
            Effect::Send(request) => {
                self.asked.push(format!("{request:?}"));
                let messages = self.run.on_key(self.step().run, &request);
                self.send_all(messages)
            }
            other => self.asked.push(format!("{other:?}")),
        }
    }

    /// The state of Plan.
    pub fn step(&self) -> &Step {
        &self.state.screens.step
    }

    pub fn screen(&self) -> ScreenId {
        self.state.cx.screen
    }

    /// The cursor of Code.
    pub fn spot(&self) -> Option<Spot> {
        self.state.screens.code.doc().map(|doc| doc.spot())
    }

    pub fn line(&self) -> Option<u32> {
        self.spot().map(|(line, _)| line)
    }

    pub fn has_no_layer(&self) -> bool {
        self.state.cx.layers.open.is_empty()
    }

    pub fn log(&self) -> String {
        self.state.cx.log.text()
    }

    /// The notice, or an empty text.
    pub fn notice(&self) -> String {
        self.state.cx.notices.notice.as_ref().map(|(_, words)| words.clone()).unwrap_or_default()
    }

    /// The frame has these words.
    #[track_caller]
    pub fn shows(&self, words: impl AsRef<str>) -> &Self {
        let (words, page) = (words.as_ref(), self.draw());
        assert!(page.contains(words), "`{words}` is missing:\n{page}");
        self
    }

    /// The frame has all of them.
    #[track_caller]
    pub fn shows_all<const N: usize>(&self, all: [&str; N]) {
        all.iter().for_each(|words| _ = self.shows(words));
    }

    /// The frame does not have them.
    #[track_caller]
    pub fn hides(&self, words: impl AsRef<str>) -> &Self {
        let (words, page) = (words.as_ref(), self.draw());
        assert!(!page.contains(words), "`{words}` is shown:\n{page}");
        self
    }

    /// Whether the top layer is a question with such an answer.
    pub fn asks(&self, is_such: impl Fn(&question::Answer) -> bool) -> bool {
        let question = self.state.cx.layers.open.last().and_then(Layer::question);
        question.is_some_and(|question| is_such(&question.answer))
    }

    /// The frame.
    pub fn buffer(&self) -> Buffer {
        let mut buf = Buffer::empty(Rect::new(0, 0, self.state.cx.window.width, self.state.cx.window.height));
        view(&self.state, &mut buf);
        buf
    }

    /// The frame as text, one line per row.
    pub fn draw(&self) -> String {
        rows(&self.buffer()).into_iter().map(|row| row + "\n").collect()
    }
}

/// The rows of a frame as text.
pub fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |y| (0..buffer.area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect::<String>();
    (0..buffer.area.height).map(|y| row(y).trim_end().to_string()).collect()
}

/// Keys, separated by a space, as messages.
fn typed(keys: &'static str) -> impl Iterator<Item = Message> {
    keys.split_whitespace().flat_map(|word| keys::parse(word).expect("a key")).map(Message::Key)
}
