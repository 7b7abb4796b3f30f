//! A small program, plan and module tree, and a face that plays the worker itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::events::FakeWatch;
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::message::{Event, Pause, Request, TurnState};
use crate::graph::{Declaration, Edge, Graph, Mapping, Node, NodeIndex, Params, Reason, Resource, ResourceId, Value};
use crate::highlight::Theme;
use crate::lang::Compiled;
use crate::module::{Import, Module, ModuleState, ModuleTree};
use crate::plan::{Action, Certainty, Change, Plan, Reversible, Step, Summary};
use crate::session::against::against;
use crate::session::history;
use crate::session::operations::Operations;
use crate::session::replay::Replay;
use crate::session::{AsWritten, Drift, Fetched, Here, Hit, LinkHere, Wanted};
use crate::source::{Place, Sources, Span};
use crate::tui::effect::Effect;
use crate::tui::finder::Order;
use crate::tui::keys;
use crate::tui::layer::picker::item::{Item, Target};
use crate::tui::layer::picker::ranking::Ranking;
use crate::tui::layer::picker::{Preview, Source, Told as Finds, files, resources, symbols};
use crate::tui::look::{Glyphs, Look, UNICODE};
use crate::tui::message::Message;
use crate::tui::program::Program;
use crate::tui::screen::code::{Answer, Paint, Spot};
use crate::tui::screen::step::conflict::Conflict;
use crate::tui::screen::step::live::{Refusal, Told};
use crate::tui::screen::step::observe::Looked;
use crate::tui::screen::step::past::Past;
use crate::tui::screen::{deploys, graph};
use crate::tui::state::State;
use crate::tui::update::{begin, update};
use crate::tui::view::view;
use crate::tui::widget::diff::Diff;

pub const CODE: &str = "\
import \"fmt\"

# A web server below a folder of its own.
$root = \"/srv/web\"

class web($port) {
\tpkg \"nginx\" {
\t\tstate => \"installed\",
\t}

\tfile \"${root}/nginx.conf\" {
\t\tstate => \"exists\",
\t\tcontent => fmt.printf(\"listen %d;\\n\", $port),

\t\tNotify => Svc[\"nginx\"],
\t}

\tsvc \"nginx\" {
\t\tstate => \"running\",
\t}
}

include web(80)

exec \"warm the cache\" {
\tcmd => \"curl -s localhost\",
}
";

pub fn id(text: &str) -> ResourceId {
    ResourceId(text.into())
}

fn place(line: u32) -> Option<Place> {
    Some(Place { file: "web/main.mcl".into(), line, column: 2, end_line: line, end_column: 9 })
}

fn resource(kind: &str, name: &str, line: u32, params: &[(&str, &str)]) -> Node {
    let params: Params = params.iter().map(|(name, value)| (Arc::from(*name), Value::from(*value))).collect();
    Node::Resource(Resource {
        id: id(&format!("{kind}[{name}]")),
        declared: Declaration { kind: kind.into(), name: name.into(), params },
        mapped: Mapping::Same,
        meta: Params::default(),
        container: vec!["class web".into()],
        source: place(line),
        target: None,
        is_virtual: false,
        exported: false,
    })
}

/// Package before file before service, and a command after it; another file on its own.
pub fn graph() -> Graph {
    let mut graph = Graph::default();
    let nodes = [
        resource("pkg", "nginx", 7, &[("state", "installed")]),
        resource("file", "/srv/web/nginx.conf", 11, &[("state", "exists"), ("content", "listen 80;\nworkers 4;\n")]),
        resource("file", "/srv/web/index.html", 11, &[("state", "exists")]),
        resource("svc", "nginx", 18, &[("state", "running")]),
        resource("exec", "warm the cache", 25, &[("cmd", "curl -s localhost")]),
    ];
    for node in nodes {
        graph.add(node).expect("each id once");
    }
    for (from, to, notify) in [(0, 1, false), (0, 2, false), (1, 3, true), (2, 3, false), (3, 4, false)] {
        let edge = Edge {
            from: NodeIndex(from),
            to: NodeIndex(to),
            notify,
            reason: Reason::Declared,
            send: None,
            source: None,
        };
        graph.connect(edge);
    }
    graph
}

pub fn program() -> Arc<Program> {
    let mut sources = Sources::default();
    sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    sources.add("web/layout.mcl", Some("/m/web/layout.mcl".into()), CODE);
    Arc::new(Program::new(Compiled { graph: graph(), sources, diagnostics: Diagnostics::new(Stage::Eval) }))
}

/// The same code with a misspelt name in it.
pub fn broken() -> Arc<Program> {
    let mut sources = Sources::default();
    let file = sources.add("web/main.mcl", Some("/m/web/main.mcl".into()), CODE);
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    let at = CODE.find("$port)").expect("it is in there");
    let problem = Diagnostic::error(Code::UnknownVariable, Span::new(file, at, at + 5));
    diagnostics.push(problem.label("`$prot` is not defined here").help("did you mean `$port`?"));
    Arc::new(Program::new(Compiled { graph: Graph::default(), sources, diagnostics }))
}

/// What stands at a place of [`CODE`]: a variable, a function of the language, and a class of another file.
fn here(spot: Spot) -> Option<Here> {
    let place = |file: &str, (line, column): Spot| Place {
        file: file.into(),
        line,
        column,
        end_line: line,
        end_column: column + 4,
    };
    let main = |spot| place("web/main.mcl", spot);
    let here = |what, name: &str, ty: &str, doc: &str, defined, uses| Here {
        what,
        name: name.into(),
        ty: Some(ty.into()),
        doc: doc.into(),
        place: main(spot),
        defined,
        uses,
        resource: None,
        undefined: None,
    };
    match spot {
        (4, 1) | (11, 8) => {
            let doc = "A web server below a folder of its own.";
            Some(here("variable", "root", "str", doc, Some(main((4, 1))), vec![main((11, 8))]))
        }
        (11, _) => {
            let name = "file[/srv/web/nginx.conf]";
            let found = here("resource", name, "", "Keeps a file.", Some(main((11, 2))), vec![main((14, 3))]);
            let other = |other: &str, written, line| LinkHere {
                other: format!("{other}[nginx]"),
                other_kind: other.into(),
                leads_away: written == "Notify",
                notify: written == "Notify",
                written,
                place: main((line, 3)),
            };
            let links = vec![other("svc", "Notify", 15), other("pkg", "Depend", 16)];
            let resource = Some(AsWritten { kind: "file".into(), names: vec!["/srv/web/nginx.conf".into()], links });
            Some(Here { ty: None, resource, ..found })
        }
        (13, _) => {
            let doc = "Formats values after a format string.\n\n".to_string() + &"Verbs are those of Go. ".repeat(60);
            Some(here("function", "fmt.printf", "func(str, ...) str", &doc, None, vec![main((13, 14))]))
        }
        (21, _) => {
            let found = here("variable", "prot", "", "", None, vec![main((21, 1)), main((23, 13))]);
            let undefined = Some("`$prot` is not defined here; did you mean `$port`?".into());
            Some(Here { ty: None, undefined, ..found })
        }
        (23, _) => {
            let defined = Some(place("web/layout.mcl", (6, 7)));
            Some(here("class", "web", "class web($port)", "", defined, vec![main((23, 9))]))
        }
        _ => None,
    }
}

pub fn plan() -> Arc<Plan> {
    let change = |property: &str, from: Option<&str>, to: &str| Change {
        property: property.into(),
        from: from.map(Value::from),
        to: Some(Value::from(to)),
        sensitive: false,
    };
    let step = |index: u32, resource: &str, action: Action, line: u32| Step {
        index,
        resource: id(resource),
        action,
        refresh: false,
        certainty: Certainty::Known,
        changes: vec![],
        because: vec![],
        notifies: vec![],
        reversible: Reversible::Yes,
        source: place(line),
        note: String::new(),
        only_told: false,
        binds_what_is: false,
        seal: None,
        error: None,
        blocked_by: None,
    };
    let mut steps = vec![
        step(1, "pkg[nginx]", Action::None, 7),
        step(2, "file[/srv/web/nginx.conf]", Action::Change, 11),
        step(3, "file[/srv/web/index.html]", Action::Create, 11),
        step(4, "svc[nginx]", Action::None, 18),
        step(5, "exec[warm the cache]", Action::Run, 25),
    ];
    steps[1].changes = vec![
        change("mode", Some("0600"), "0644"),
        change("content", Some("listen 80;\nworkers 2;\n"), "listen 80;\nworkers 4;\n"),
    ];
    steps[1].because = vec![id("pkg[nginx]")];
    steps[1].notifies = vec![id("svc[nginx]")];
    steps[2].changes = vec![change("state", None, "exists")];
    steps[2].because = vec![id("pkg[nginx]")];
    steps[2].certainty = Certainty::Predicted;
    steps[3].because = vec![id("file[/srv/web/nginx.conf]"), id("file[/srv/web/index.html]")];
    steps[3].refresh = true;
    steps[4].because = vec![id("svc[nginx]")];
    steps[4].certainty = Certainty::Unknown;
    steps[4].reversible = Reversible::No;
    let summary = Summary { change: 1, create: 1, run: 1, none: 2, refresh: 1, ..Summary::default() };
    Arc::new(Plan { version: 1, plan: "7f3a9c21d0".into(), entry: "web".into(), steps, summary })
}

pub fn modules() -> ModuleTree {
    let import = |name: &str, line: u32, module: Option<&str>| Import {
        name: name.into(),
        file: "main.mcl".into(),
        line,
        module: module.map(Into::into),
        lies_at: None,
    };
    let web = Module {
        name: "web".into(),
        path: "/m/web".into(),
        state: ModuleState::Present,
        revision: Some("8c1f02e4aa17".into()),
        license: Some("MIT".into()),
        files: vec![PathBuf::from("layout.mcl"), PathBuf::from("main.mcl")],
        imports: vec![
            import("fmt", 1, None),
            import("https://example.org/base/", 2, Some("https://example.org/base/")),
        ],
        used_by: vec![],
    };
    let base = Module {
        name: "https://example.org/base/".into(),
        path: "/m/modules/base".into(),
        state: ModuleState::Missing,
        revision: None,
        license: None,
        files: vec![],
        imports: vec![],
        used_by: vec!["web".into()],
    };
    ModuleTree { modules: vec![web, base] }
}

/// A face whose effects are done at once, by what stands in this file.
pub struct Play {
    pub state: State,
    program: Arc<Program>,
    pub run: FakeRun,
    /// A deploy that is gone through, in the place of the run.
    replay: Option<Replay>,
    pub watch: FakeWatch,
    /// Effects that only a terminal can do, and requests, as they came.
    pub asked: Vec<String>,
    /// How often all was planned.
    pub plans: usize,
    /// What went to the clipboard.
    pub copied: Vec<String>,
    /// What the next live run is refused for.
    pub refuses: Option<Refusal>,
    /// What the next undo is in conflict with.
    pub conflict: Option<Conflict>,
    /// The history, newest first.
    pub deploys: Vec<history::Summary>,
    /// What was done beside them, oldest first.
    pub operations: Operations,
    /// The plans that were noted.
    pub noted: Vec<String>,
    /// The newest watch over a plan, and whether it goes on.
    pub watched_plans: u64,
    pub watches_plan: bool,
    /// What was fetched, from the next look on.
    pub fetched: Vec<Fetched>,
    /// Whether the entry was applied before.
    pub was_applied: bool,
    /// Keys, parted by a space, that come before the next dry run tells that it waits.
    pub hasty: &'static str,
    /// The same for the next live run, which takes the lock first.
    pub hasty_live: &'static str,
    /// What the next question about an undo is told by a look at the machine.
    pub foreseen: Option<Vec<history::UndoStep>>,
    /// The next undo goes on for long.
    pub is_slow_back: bool,
    finds: FakeFinder,
}

/// Finds at once what the pickers ask for; the files are those of [`modules`], all with [`CODE`] in them.
#[derive(Default)]
struct FakeFinder {
    ranking: Ranking,
    pick: u64,
    searches: bool,
}

impl FakeFinder {
    fn hear(&mut self, order: Order) -> Vec<Finds> {
        let paths = || ["/m/web/layout.mcl", "/m/web/main.mcl"].map(PathBuf::from).to_vec();
        let pick = self.pick;
        match order {
            Order::Begin { pick, source } => {
                *self = Self { pick, searches: matches!(source, Source::Lines), ..Self::default() };
                let items = match source {
                    Source::Items(items) => items,
                    Source::Resources(program) => resources(&program),
                    Source::Symbols(texts) => texts.iter().flat_map(|(name, text)| symbols(name, text)).collect(),
                    Source::Files => files(paths(), Path::new("/m")),
                    Source::Lines => vec![],
                };
                let items: Arc<[Item]> = items.into();
                self.ranking.add(items.clone());
                let ranked = Finds::Ranked { pick, turn: 0, order: None, is_done: true };
                vec![Finds::Items { pick, turn: 0, items }, ranked]
            }
            Order::Words { turn, words } if self.searches => {
                let hits = Wanted::new(&words).hits(CODE.as_bytes(), 100);
                let path = PathBuf::from("/m/web/main.mcl");
                let item = |hit: Hit| Item {
                    shown: format!("/m/web/main.mcl:{}", hit.line),
                    note: hit.text,
                    target: Target::File(path.clone(), (hit.line, hit.column)),
                };
                let items = hits.into_iter().map(item).collect();
                let ranked = Finds::Ranked { pick, turn, order: None, is_done: true };
                vec![Finds::Items { pick, turn, items }, ranked]
            }
            Order::Words { turn, words } => {
                let order = self.ranking.rank(&words, &|| false).expect("nobody stops it");
                vec![Finds::Ranked { pick, turn, order, is_done: true }]
            }
            Order::Preview(wish) => {
                let document = Preview::document(&wish, CODE);
                vec![Finds::Preview { pick, preview: Preview::of(*wish, Ok(&document)) }]
            }
            Order::End => vec![],
        }
    }
}

/// Steps through the plan in its order.
#[derive(Default)]
pub struct FakeRun {
    at: usize,
    /// What was picked, for as long as it is next.
    picked: Option<ResourceId>,
    done: Vec<(ResourceId, TurnState)>,
    is_live: bool,
    /// Fails instead of being done.
    pub fails: Option<ResourceId>,
    /// A request to go on is taken, and what comes of it is for the test to tell.
    pub is_slow: bool,
}

impl Play {
    pub fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, &UNICODE, program())
    }

    pub fn with(width: u16, height: u16, glyphs: &'static Glyphs, program: Arc<Program>) -> Self {
        Self::prepared(width, height, glyphs, program, |_| {})
    }

    /// The same, with more done before it begins.
    pub fn prepared(
        width: u16,
        height: u16,
        glyphs: &'static Glyphs,
        program: Arc<Program>,
        prepare: impl FnOnce(&mut State),
    ) -> Self {
        let look = Look::new(Theme::built_in("mono").expect("compiled in"), glyphs);
        let mut state = State::new(width, height, look, "web".into(), "web".into());
        state.host = "web1".into();
        prepare(&mut state);
        let todo = begin(&mut state);
        let (run, watch) = (FakeRun::default(), FakeWatch::default());
        let (asked, fetched, deploys) = (vec![], vec![], vec![]);
        let finds = FakeFinder::default();
        let mut play = Self {
            state,
            program,
            run,
            replay: None,
            watch,
            asked,
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
            foreseen: None,
            is_slow_back: false,
            finds,
        };
        play.work(todo);
        play
    }

    /// Another program lies on disk from now on.
    pub fn change(&mut self, program: Arc<Program>) {
        self.program = program;
        self.tell(Message::FilesChanged(vec![]));
    }

    /// Presses keys, written as in the keymap, parted by two spaces.
    pub fn press(&mut self, words: &str) -> &mut Self {
        for key in words.split("  ").flat_map(|word| keys::parse(word).expect("a key")) {
            self.tell(Message::Key(key));
        }
        self
    }

    pub fn tell(&mut self, message: Message) {
        let todo = update(&mut self.state, message);
        self.work(todo);
    }

    fn work(&mut self, todo: Vec<Effect>) {
        for effect in todo {
            for message in self.answer(effect) {
                self.tell(message);
            }
        }
    }

    fn answer(&mut self, effect: Effect) -> Vec<Message> {
        if let Some(messages) = self.watch.hear(&effect) {
            return messages;
        }
        match effect {
            Effect::LoadModules => vec![Message::Modules(modules(), self.fetched.clone(), vec![])],
            Effect::Compile { turn } => {
                vec![Message::Compiled { program: self.program.clone(), turn, took: Duration::from_millis(48) }]
            }
            Effect::Copy(words) => {
                self.copied.push(words.clone());
                self.asked.push(format!("{:?}", Effect::Copy(words)));
                vec![]
            }
            Effect::Draw { program, ask, number } => {
                vec![Message::Drawn { picture: graph::draw(&program, &ask), number }]
            }
            Effect::ReadFile { path } => {
                let name = path.display().to_string().into();
                vec![Message::Read { asked: path.clone(), path, name, text: Ok(CODE.into()) }]
            }
            Effect::ReadReadme(path) => {
                vec![Message::Readme { path, text: Some("# Web\n\nA web server of its own.\n".into()) }]
            }
            Effect::Paint { name, path, text } => {
                let paint = Paint::new(text, &name);
                vec![Message::Painted { name, path, paint }]
            }
            Effect::LookUp { name, spot, asked, graphed, .. } => {
                let here = here(spot).map(|here| Box::new(Answer::new(here, graphed)));
                vec![Message::LookedUp { name, spot, asked, here }]
            }
            Effect::Plan { program, turn } => {
                self.plans += 1;
                let applied = Message::Live(Told::Applied(self.was_applied));
                vec![applied, Message::Planned { program, plan: plan(), turn, took: Duration::from_millis(3) }]
            }
            Effect::LookAgain(asked) => {
                let looked: Vec<_> = asked.looked.iter().map(ToString::to_string).collect();
                self.asked.push(format!("LookAgain({})", looked.join(" ")));
                let mut found = Plan::clone(&asked.plan);
                for step in found.steps.iter_mut().filter(|step| asked.looked.contains(&step.resource)) {
                    (step.action, step.changes) = (Action::None, vec![]);
                }
                vec![Message::Looked(Box::new(Looked { plan: Arc::new(found), ..*asked }))]
            }
            Effect::StartRun { run, .. } => {
                self.replay = None;
                self.run = FakeRun::default();
                let keys = typed(std::mem::take(&mut self.hasty));
                keys.chain([self.run.pause(run, Pause::Start)]).collect()
            }
            Effect::Arm { run, .. } | Effect::Resume { run, .. } => {
                self.asked.push(match &effect {
                    Effect::Resume { decided: Some(decided), .. } => format!("Resume({:?})", decided.on_conflict),
                    Effect::Arm { as_root: true, .. } => "Arm as root".into(),
                    _ => "Arm".into(),
                });
                if let Some(why) = self.refuses.take() {
                    let refused = Message::Live(Told::Refused { run, why });
                    return typed(std::mem::take(&mut self.hasty_live)).chain([refused]).collect();
                }
                self.run = FakeRun { is_live: true, ..FakeRun::default() };
                let first = Some(self.run.paused(Pause::Start));
                let begun = Message::Live(Told::Begun { run, deploy: 8, first });
                typed(std::mem::take(&mut self.hasty_live)).chain([begun]).collect()
            }
            Effect::ForeseeBack { deploy, run } => {
                let steps = self.foreseen.take();
                steps.map(|steps| Message::Live(Told::Foreseen { run, deploy, steps })).into_iter().collect()
            }
            Effect::TakeBack { deploy, decided, as_root, .. } => {
                let how = decided.map(|decided| format!(", {:?}", decided.on_conflict)).unwrap_or_default();
                let who = if as_root { " as root" } else { "" };
                self.asked.push(format!("TakeBack({deploy}{how}){who}"));
                if let Some(conflict) = self.conflict.take() {
                    return vec![Message::Live(Told::Conflict(Box::new(conflict)))];
                }
                if self.is_slow_back {
                    return vec![];
                }
                let lines = vec![format!("Deploy 9 took back deploy {deploy}: 2 taken back.")];
                vec![Message::Live(Told::TakenBack { deploy, result: Ok(lines) })]
            }
            Effect::ListDeploys => {
                let (deploys, operations) = (self.deploys.clone(), self.operations.clone());
                let listed = deploys::Listed { deploys, operations, unread: None, at_work: None };
                vec![Message::Deploys(deploys::Told::Listed(Ok(listed)))]
            }
            Effect::FollowSettings | Effect::EndDrift(_) => vec![],
            Effect::WatchPlan { run, .. } => {
                (self.watched_plans, self.watches_plan) = (run, true);
                vec![]
            }
            Effect::EndPlanWatch => {
                self.watches_plan = false;
                vec![]
            }
            Effect::WatchDrift { graph, run } => {
                let watching = Drift::Watching { watched: 2, of: graph.len() };
                vec![Message::Drift { run, drift: watching }]
            }
            Effect::NotePlan(plan) => {
                self.noted.push(plan.plan.clone());
                vec![]
            }
            Effect::ReadDeploy(deploy) => {
                vec![Message::Deploys(deploys::Told::Read(deploy, Ok(Box::new(super::deploys::whole(deploy)))))]
            }
            Effect::Find(order) => self.finds.hear(order).into_iter().map(Message::Found).collect(),
            Effect::ReadPast { deploy, program } => {
                vec![Message::Replayed(Ok(Box::new(Past::new(super::deploys::whole(deploy), program))))]
            }
            Effect::Replay { past, run } => {
                let replay = Replay::new(&past);
                let mut events = vec![];
                replay.start(&mut |event| events.push(event));
                self.replay = Some(replay);
                events.into_iter().map(|event| Message::Run { run, event }).collect()
            }
            Effect::LookBack { .. } => vec![],
            Effect::CompareWithLast { plan, run } => {
                let against = against(&plan, &super::deploys::whole(7));
                vec![Message::Against { run, result: Ok(self.was_applied.then_some(against)) }]
            }
            Effect::Diff { from, to } => vec![Message::Diffed(Arc::new(Diff::new(from, to)))],
            Effect::Attach { guest, .. } => {
                self.asked.push(format!("Attach({guest:?})"));
                self.run = FakeRun { is_live: true, at: 1, ..FakeRun::default() };
                vec![]
            }
            Effect::Send(request) => {
                self.asked.push(format!("{request:?}"));
                if let Some(replay) = &mut self.replay {
                    let (run, mut events) = (self.state.step.run, vec![]);
                    replay.handle(request, &mut |event| events.push(event));
                    return events.into_iter().map(|event| Message::Run { run, event }).collect();
                }
                self.run.hear(self.state.step.run, &request)
            }
            other => {
                self.asked.push(format!("{other:?}"));
                vec![]
            }
        }
    }

    /// The frame as text, one line a row.
    pub fn draw(&self) -> String {
        let mut terminal =
            Terminal::new(TestBackend::new(self.state.width, self.state.height)).expect("a test backend cannot fail");
        terminal.draw(|frame| _ = view(&self.state, frame.buffer_mut(), None)).expect("a test backend cannot fail");
        let buffer = terminal.backend().buffer();
        let rows = (0..buffer.area.height).map(|y| {
            let row: String = (0..buffer.area.width).filter_map(|x| Some(buffer.cell((x, y))?.symbol())).collect();
            format!("{}\n", row.trim_end())
        });
        rows.collect()
    }
}

/// Keys, parted by a space, as messages.
fn typed(keys: &'static str) -> impl Iterator<Item = Message> {
    keys.split_whitespace().flat_map(|word| keys::parse(word).expect("a key")).map(Message::Key)
}

impl FakeRun {
    fn pause(&self, run: u64, why: Pause) -> Message {
        Message::Run { run, event: self.paused(why) }
    }

    fn paused(&self, why: Pause) -> Event {
        let next = self.picked.clone().or_else(|| plan().steps.get(self.at).map(|step| step.resource.clone()));
        let ready = next.iter().cloned().collect();
        Event::Paused { next, ready, why }
    }

    fn turn(&mut self, run: u64, state: TurnState) -> Message {
        self.picked = None;
        let step = plan().steps[self.at].clone();
        let fails = self.fails.take_if(|id| *id == step.resource).is_some();
        let state =
            if fails { TurnState::Failed { error: "no space left on device".into(), is_undone: false } } else { state };
        self.at += 1;
        self.done.push((step.resource.clone(), state.clone()));
        let resource = step.resource.clone();
        Message::Run { run, event: Event::Turn { resource, state, step: Some(step), elapsed_ms: 4 } }
    }

    /// The end of a live run; a dry one is left open, so that steps can be taken back.
    fn finished(&self, run: u64) -> Option<Message> {
        let count = |is: fn(&TurnState) -> bool| self.done.iter().filter(|(_, state)| is(state)).count() as u32;
        let (done, skipped) = (count(|state| *state == TurnState::Done), count(|state| *state == TurnState::Skipped));
        let failed = count(|state| matches!(state, TurnState::Failed { .. }));
        let event = Event::Finished { done, changed: 3, failed, skipped, blocked: 0 };
        (self.is_live && self.at == plan().steps.len()).then_some(Message::Run { run, event })
    }

    fn hear(&mut self, run: u64, request: &Request) -> Vec<Message> {
        let end = plan().steps.len();
        match request {
            Request::Step if self.at < end => {
                let turn = self.turn(run, TurnState::Done);
                let mut messages =
                    vec![turn, self.pause(run, if self.at == end { Pause::End } else { Pause::Stepped })];
                messages.extend(self.finished(run));
                messages
            }
            Request::Continue { .. } if self.is_slow => vec![],
            Request::Continue { until } => {
                let mut messages = vec![];
                while self.at < end && plan().steps.get(self.at).map(|step| &step.resource) != until.as_ref() {
                    let turn = self.turn(run, TurnState::Done);
                    let fails = matches!(
                        &turn,
                        Message::Run { event: Event::Turn { state: TurnState::Failed { .. }, .. }, .. }
                    );
                    messages.push(turn);
                    if fails {
                        messages.push(self.pause(run, Pause::Failure));
                        return messages;
                    }
                }
                messages.push(self.pause(run, if self.at == end { Pause::End } else { Pause::Cursor }));
                messages.extend(self.finished(run));
                messages
            }
            Request::Pick { resource } => {
                self.picked = Some(resource.clone());
                vec![self.pause(run, Pause::Stepped)]
            }
            Request::Over { .. } => {
                let mut messages = vec![];
                while self.at < end {
                    messages.push(self.turn(run, TurnState::Done));
                }
                messages.push(self.pause(run, Pause::End));
                messages
            }
            Request::Skip if self.at < end => {
                let turn = self.turn(run, TurnState::Skipped);
                vec![turn, self.pause(run, Pause::Stepped)]
            }
            Request::Back => {
                let Some((resource, _)) = self.done.pop() else { return vec![] };
                self.at -= 1;
                let event = Event::Turn { resource, state: TurnState::Waiting, step: None, elapsed_ms: 0 };
                vec![Message::Run { run, event }, self.pause(run, Pause::SteppedBack)]
            }
            _ => vec![],
        }
    }
}
