//! Work that `update` asks for: done on worker threads, coming back as messages.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::applier::Applier;
use super::clusters::Clusters;
use super::fetcher::Fetcher;
use super::finder::{Finder, Order};
use super::message::{Job, Message};
use super::program::Program;
use super::screen::code::{Asked, Paint, Spot};
use super::screen::deploys;
use super::screen::graph::{self, export::Export};
use super::screen::modules::fetch::Wanted;
use super::screen::step::archives;
use super::screen::step::conflict::Decided;
use super::screen::step::live::{Cut, Told};
use super::screen::step::past::Past;
use super::widget::diff::Diff;
use super::{around, terminal};
use crate::config::Config;
use crate::diag::{Stage, nearest};
use crate::engine::message::{Event, Request, TurnState};
use crate::graph::ResourceId;
use crate::highlight::{BUILT_IN, Theme};
use crate::plan::Plan;
use crate::session::against::against;
use crate::session::history::{self, Deploy};
use crate::session::keepsakes;
use crate::session::live::{self, EventSource, News, Watched};
use crate::session::moment::Moment;
use crate::session::replay::Replay;
use crate::session::{
    self, Archive, Cancel, Fetched, FileWatch, Guest, Login, NewImport, Permit, Pruning, Session, Stepper, Within,
    needs_root, write_new_file,
};

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The next five need the terminal: the loop does them itself.
    Quit,
    Suspend,
    Repaint,
    Edit {
        path: PathBuf,
        line: u32,
    },
    /// Asks `sudo` whether the user may be root; it may want a password.
    AskSudo {
        run: u64,
    },
    /// Text for the clipboard, through the terminal.
    Copy(String),
    /// Reads where one stood the last time.
    Recall,
    /// Loads the theme after the one of this name.
    NextTheme(String),
    /// Loads a theme by its name.
    Theme(String),
    /// Writes what the log shows to a new file.
    SaveLog {
        path: PathBuf,
        text: String,
    },
    LoadModules,
    /// What pickers ask for.
    Find(Order),
    /// Fetches, or looks; with what is allowed beside what the settings say.
    Download {
        wanted: Wanted,
        permits: BTreeSet<Permit>,
    },
    /// Fetches what packages bring, for looking only.
    FetchArchives(Vec<Archive>),
    PlanImport(NewImport),
    PlanPruning,
    PruneModules(Pruning),
    StopDownload,
    /// The answer to a question for a login.
    Login(Option<Login>),
    Approve(Vec<Fetched>),
    Compile {
        turn: u64,
    },
    /// Ends a job that can be ended; what it has done so far is dropped.
    Cancel(Job),
    /// Draws the graph.
    Draw {
        program: Arc<Program>,
        ask: Box<graph::Ask>,
        number: u64,
    },
    /// Writes the graph down.
    Export(Box<Export>),
    /// Starts to watch the program's inputs, or to replay a record.
    Watch {
        source: EventSource,
        run: u64,
    },
    Order(live::Order),
    EndWatch,
    /// Indexes the graph of a moment.
    Index {
        moment: Arc<Moment>,
        run: u64,
    },
    ReadFile {
        path: PathBuf,
    },
    ReadReadme(PathBuf),
    Paint {
        name: Arc<str>,
        path: Option<PathBuf>,
        text: Arc<str>,
    },
    /// `path` is none for code that came as text.
    LookUp {
        path: Option<PathBuf>,
        name: Arc<str>,
        spot: Spot,
        asked: Asked,
    },
    Plan {
        program: Arc<Program>,
        turn: u64,
    },
    StartRun {
        program: Arc<Program>,
        run: u64,
    },
    Send(Request),
    /// Begins a live run of what was planned.
    Arm {
        program: Arc<Program>,
        plan: Arc<Plan>,
        left_out: BTreeSet<ResourceId>,
        run: u64,
        as_root: bool,
    },
    /// Goes on with a deploy that was cut off.
    Resume {
        program: Arc<Program>,
        cut: Cut,
        decided: Option<Decided>,
        run: u64,
    },
    /// Ends the command of the live run that is at work.
    Abort,
    /// Leaves the live run to itself.
    LetGo,
    /// Ends the live run and gives its lock back.
    EndLive,
    /// Comes back to an applier.
    Attach {
        run: u64,
        guest: Guest,
    },
    /// Ends an applier that nobody drives.
    EndParked,
    /// Takes a deploy back.
    TakeBack {
        deploy: u64,
        decided: Option<Decided>,
        as_root: bool,
    },
    ListDeploys,
    /// Asks a cluster of the settings, by its place among them.
    Cluster(usize, deploys::cluster::Order),
    ReadDeploy(u64),
    /// Reads a deploy to go through it; `program` may be what it applied.
    ReadPast {
        deploy: u64,
        program: Option<Arc<Program>>,
    },
    /// Goes through a deploy of the past.
    Replay {
        past: Arc<Deploy>,
        run: u64,
    },
    CompareDeploys(u64, u64),
    /// Compares a plan with the last deploy of the entry.
    CompareWithLast {
        plan: Arc<Plan>,
        run: u64,
    },
    /// Compares two texts that are too long to do so at once.
    Diff {
        from: Arc<str>,
        to: Arc<str>,
    },
    /// Looks for a deploy that was cut off; in root's history too, where `sudo` asks for nothing.
    LookBack {
        as_root: bool,
    },
}

/// Longer READMEs are cut: they stand in a side pane.
const README_BYTES: usize = 256 * 1024;

/// The theme after one, of those compiled in and the user's own; faulty ones are passed over.
fn next_theme(config: &mut Config, name: &str) -> Option<Theme> {
    let own = session::own_themes(config);
    let mut names: Vec<_> = BUILT_IN.iter().map(|(name, _)| String::from(*name)).collect();
    names.extend(own.into_iter().filter(|own| BUILT_IN.iter().all(|(name, _)| name != own)));
    let at = names.iter().position(|known| known == name).map_or(0, |at| at + 1) % names.len();
    names.rotate_left(at);
    names.iter().find_map(|name| session::theme_named(config, name))
}

/// Tells how far a preview is, now and then.
struct Far<'a> {
    messages: &'a UnboundedSender<Message>,
    done: usize,
    of: usize,
    told: Instant,
}

impl<'a> Far<'a> {
    fn new(messages: &'a UnboundedSender<Message>, of: usize) -> Self {
        Self { messages, done: 0, of, told: Instant::now() }
    }

    fn hear(&mut self, event: &Event) {
        const PACE: Duration = Duration::from_millis(200);
        let Event::Turn { state, .. } = event else { return };
        self.done += usize::from(!matches!(state, TurnState::Waiting | TurnState::Running));
        if self.told.elapsed() >= PACE {
            self.told = Instant::now();
            // The loop has ended: nobody is left to tell.
            let _ = self.messages.send(Message::Progress { job: Job::Plan, done: self.done, of: self.of });
        }
    }
}

/// Does effects for one session.
pub struct Runner {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    /// The dry run.
    stepper: Option<Stepper>,
    applier: Applier,
    fetcher: Fetcher,
    clusters: Clusters,
    finder: Finder,
    /// The folder for state that the user named.
    state: Option<PathBuf>,
    watched: Option<Watched>,
    /// Ends the compilation at work when a newer one starts.
    compiling: Cancel,
    planning: Cancel,
    looking: Cancel,
    fetching: Cancel,
    /// Tells when the files of the newest compilation change.
    watch: Arc<FileWatch>,
}

impl Runner {
    /// `state` is the folder for state that the user named.
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        let applier = Applier::new(session.clone(), messages.clone(), state.clone());
        let fetcher = Fetcher::new(session.clone(), messages.clone(), state.clone());
        let finder = Finder::new(session.clone(), messages.clone());
        let clusters = Clusters::new(session.clone(), messages.clone());
        let (compiling, planning, looking) = (Cancel::default(), Cancel::default(), Cancel::default());
        let changes = messages.clone();
        let watch = Arc::new(session.watch_files(move |reads| {
            // The loop has ended: nobody is left to tell.
            let _ = changes.send(Message::FilesChanged(reads));
        }));
        Self {
            session,
            messages,
            stepper: None,
            applier,
            fetcher,
            clusters,
            finder,
            state,
            watched: None,
            compiling,
            planning,
            looking,
            fetching: Cancel::default(),
            watch,
        }
    }

    /// Starts an effect. Those that need the terminal are the loop's.
    pub fn start(&mut self, effect: Effect) {
        let session = self.session.clone();
        match effect {
            Effect::Quit
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Edit { .. }
            | Effect::AskSudo { .. }
            | Effect::Copy(_) => {}
            Effect::Recall => {
                let state = self.state.clone();
                self.work(Job::Read, move || {
                    let kept = session.keepsake().map_or(Ok(None), |name| keepsakes::recall(state.as_ref(), &name));
                    Message::Recalled(kept)
                });
            }
            Effect::NextTheme(name) => self.work(Job::Read, move || {
                let theme = next_theme(&mut session.options().config.clone(), &name);
                theme.map_or(Message::Failed { job: Job::Read, words: "no theme can be read".into() }, |theme| {
                    Message::Theme(Box::new(theme))
                })
            }),
            Effect::Theme(name) => self.work(Job::Read, move || {
                let mut config = session.options().config.clone();
                match session::theme_named(&mut config, &name) {
                    Some(theme) => Message::Theme(Box::new(theme)),
                    None => {
                        let own = session::own_themes(&config);
                        let names: Vec<&str> =
                            BUILT_IN.iter().map(|(name, _)| *name).chain(own.iter().map(String::as_str)).collect();
                        let help = match nearest(&name, names.iter().copied()) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => format!("there are {}", names.join(", ")),
                        };
                        Message::Failed { job: Job::Read, words: format!("no theme `{name}`; {help}") }
                    }
                }
            }),
            Effect::SaveLog { path, text } => self.work(Job::Read, move || {
                let result = session::write_new_file(&path, &text).map_err(|error| error.to_string());
                Message::Saved { path, result }
            }),
            Effect::LoadModules => {
                let fetched = self.fetcher.fetched();
                self.work(Job::Modules, move || {
                    let tree = session.modules();
                    let fetched = fetched(&tree);
                    let remembered = session.remembered(&tree);
                    Message::Modules(tree, fetched, remembered)
                });
            }
            Effect::Find(order) => self.finder.order(order),
            Effect::Download { wanted, permits } => self.fetcher.download(wanted, permits),
            Effect::FetchArchives(missing) => {
                std::mem::take(&mut self.fetching).cancel();
                let cancel = self.fetching.clone();
                self.work(Job::Archives, move || {
                    let within = Within { cancel: cancel.clone(), ..Within::default() };
                    let came = session.fetch_archives(&missing, &within).map_err(|error| error.to_string());
                    Message::Archives(archives::Told::Came((!cancel.is_cancelled()).then_some(came)))
                });
            }
            Effect::PlanImport(wanted) => self.fetcher.plan_import(wanted),
            Effect::PlanPruning => self.fetcher.plan_pruning(),
            Effect::PruneModules(pruning) => self.fetcher.prune(pruning),
            Effect::StopDownload => self.fetcher.stop(),
            Effect::Cluster(at, order) => self.clusters.order(at, order),
            Effect::ListDeploys => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let listed = history::deploys(state.as_ref()).map_err(|error| error.to_string());
                    Message::Deploys(deploys::Told::Listed(listed))
                });
            }
            Effect::ReadDeploy(deploy) => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let read = history::deploy(state.as_ref(), Some(deploy)).map(Box::new);
                    Message::Deploys(deploys::Told::Read(deploy, read.map_err(|error| error.to_string())))
                });
            }
            Effect::ReadPast { deploy, program } => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let read = history::deploy(state.as_ref(), Some(deploy)).map_err(|error| error.to_string());
                    Message::Replayed(read.map(|deploy| Box::new(Past::new(deploy, program))))
                });
            }
            Effect::Replay { past, run } => {
                let (stepper, events) = Stepper::of_past(Replay::new(&past));
                self.hand_on(stepper, events, run);
            }
            Effect::CompareDeploys(one, other) => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let read = |deploy| history::deploy(state.as_ref(), Some(deploy));
                    let both = read(one).and_then(|one| Ok(history::differences(&one, &read(other)?)));
                    Message::Deploys(deploys::Told::Compared(one, other, both.map_err(|error| error.to_string())))
                });
            }
            Effect::CompareWithLast { plan, run } => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let last = session.last_deploy(state.as_ref()).map_err(|error| error.to_string());
                    Message::Against { run, result: last.map(|last| last.map(|deploy| against(&plan, &deploy))) }
                });
            }
            Effect::Diff { from, to } => {
                self.work(Job::Diff, move || Message::Diffed(Arc::new(Diff::new(from, to))));
            }
            Effect::Login(login) => self.fetcher.login(login),
            Effect::Approve(modules) => self.fetcher.approve(modules),
            Effect::Compile { turn } => {
                std::mem::take(&mut self.compiling).cancel();
                let (cancel, watch) = (self.compiling.clone(), Arc::clone(&self.watch));
                self.work(Job::Compile, move || {
                    let begin = Instant::now();
                    let (mut compiled, files) = session.compile_noting_files(Stage::Eval, &cancel);
                    if cancel.is_cancelled() {
                        return Message::Cancelled(Job::Compile);
                    }
                    watch.follow(files);
                    // Of a program with errors nobody knows what has left it.
                    if !compiled.diagnostics.has_errors() {
                        compiled.graph = session.ready(compiled.graph);
                    }
                    let program = Arc::new(Program::new(compiled));
                    Message::Compiled { program, turn, took: begin.elapsed() }
                });
            }
            Effect::Cancel(Job::Compile) => self.compiling.cancel(),
            Effect::Cancel(Job::Plan) => self.planning.cancel(),
            Effect::Cancel(Job::LookUp) => self.looking.cancel(),
            Effect::Cancel(Job::Archives) => self.fetching.cancel(),
            Effect::Cancel(_) => {}
            Effect::Draw { program, ask, number } => self.work(Job::Rails, move || {
                let picture = graph::draw(&program, &ask);
                Message::Drawn { picture, number }
            }),
            Effect::Export(export) => self.work(Job::Export, move || {
                let text = export.text().and_then(|text| match &export.file {
                    Some(file) => match write_new_file(file, &text) {
                        Ok(()) => Ok(text),
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                            Err("there is such a file already; give it another name".into())
                        }
                        Err(error) => Err(error.to_string()),
                    },
                    None => Ok(text),
                });
                Message::Exported(export, text)
            }),
            Effect::Watch { source, run } => self.watch_inputs(source, run),
            Effect::Order(order) => {
                if let Some(watched) = &self.watched {
                    watched.order(order);
                }
            }
            Effect::EndWatch => self.watched = None,
            Effect::Index { moment, run } => {
                self.work(Job::Index, move || Message::Indexed { run, program: Arc::new(Program::of_moment(&moment)) });
            }
            Effect::ReadFile { path } => self.work(Job::Read, move || {
                let text = session.text(&path).map(Into::into).map_err(|error| error.to_string());
                let settled = around::settled(&path);
                Message::Read { name: around::shown(&settled).into(), asked: path, path: settled, text }
            }),
            Effect::ReadReadme(path) => self.work(Job::Read, move || {
                let text = session.text(&path).ok().map(|mut text| {
                    text.truncate(text.floor_char_boundary(README_BYTES));
                    text
                });
                Message::Readme { path, text }
            }),
            Effect::Paint { name, path, text } => self.work(Job::Paint, move || {
                let paint = Paint::new(text, &name);
                Message::Painted { name, path, paint }
            }),
            Effect::LookUp { path, name, spot, asked } => {
                std::mem::take(&mut self.looking).cancel();
                let cancel = self.looking.clone();
                self.work(Job::LookUp, move || {
                    let here = session.here(path.as_deref(), spot, &cancel).map(Box::new);
                    if cancel.is_cancelled() {
                        return Message::Cancelled(Job::LookUp);
                    }
                    Message::LookedUp { name, spot, asked, here }
                });
            }
            Effect::Plan { program, turn } => {
                std::mem::take(&mut self.planning).cancel();
                let (cancel, messages) = (self.planning.clone(), self.messages.clone());
                self.work(Job::Plan, move || {
                    let begin = Instant::now();
                    let mut far = Far::new(&messages, program.graph.len());
                    let (plan, missing) =
                        session.preview_and_missing(&program.graph, &cancel, &mut |event| far.hear(event));
                    let plan = Arc::new(plan);
                    if cancel.is_cancelled() {
                        return Message::Cancelled(Job::Plan);
                    }
                    let needs = needs_root(&program.graph, &plan);
                    // The loop has ended: nobody is left to tell.
                    let _ = messages.send(Message::Live(Told::NeedsRoot(needs)));
                    let _ = messages.send(Message::Archives(archives::Told::Missing(missing)));
                    Message::Planned { program, plan, turn, took: begin.elapsed() }
                });
            }
            Effect::StartRun { program, run } => self.start_run(program, run),
            Effect::Send(request) => {
                if let (Some(request), Some(stepper)) = (self.applier.send(request), &self.stepper) {
                    stepper.send(request);
                }
            }
            Effect::Arm { program, plan, left_out, run, as_root } => {
                self.stepper = None;
                self.applier.arm(program, plan, left_out, run, as_root);
            }
            Effect::Resume { program, cut, decided, run } => {
                self.stepper = None;
                self.applier.resume(program, cut, decided, run);
            }
            Effect::Attach { run, guest } => {
                self.stepper = None;
                self.applier.attach(run, guest);
            }
            Effect::EndParked => self.applier.end_parked(),
            Effect::Abort => self.applier.abort(),
            Effect::LetGo => self.applier.let_go(),
            Effect::EndLive => self.applier.end(),
            Effect::TakeBack { deploy, decided, as_root } => self.applier.take_back(deploy, decided, as_root),
            Effect::LookBack { as_root } => self.applier.look_back(as_root),
        }
    }

    /// Starts a run and a thread that hands on what it tells.
    fn start_run(&mut self, program: Arc<Program>, run: u64) {
        let (stepper, events) = self.session.stepper(program.graph.clone());
        self.hand_on(stepper, events, run);
    }

    /// Keeps a run, and hands on what it tells.
    fn hand_on(&mut self, stepper: Stepper, events: Receiver<Event>, run: u64) {
        self.stepper = Some(stepper);
        let messages = self.messages.clone();
        spawn_blocking(move || {
            for event in events {
                if messages.send(Message::Run { run, event }).is_err() {
                    return;
                }
            }
        });
    }

    /// Watches the program's inputs; what is told comes from a thread of the watch.
    fn watch_inputs(&mut self, source: EventSource, run: u64) {
        let messages = self.messages.clone();
        let tell = move |news: News| {
            let at = match &news {
                News::Moment(moment) => moment.at,
                News::Waits(pending) => pending.event.at,
                News::Joined | News::Broke(_) => 0,
            };
            // The loop has ended: nobody is left to tell.
            let _ = messages.send(Message::Watched { run, time: around::time_of(at), news });
        };
        self.watched = Some(self.session.watch_inputs(source, tell));
    }

    /// Works on a thread; a panic there becomes a message and not the end.
    fn work(&self, job: Job, work: impl FnOnce() -> Message + Send + 'static) {
        let messages = self.messages.clone();
        tokio::spawn(async move {
            let message = match spawn_blocking(work).await {
                Ok(message) => message,
                Err(_) => Message::Failed { job, words: terminal::take_last_words().unwrap_or_default() },
            };
            // The loop has ended: nobody is left to tell.
            let _ = messages.send(message);
        });
    }

    /// Waits until a live run has done what is at work, and has written its end down.
    pub fn finish(&self) {
        self.applier.finish();
    }

    /// Leaves a live run to itself: whoever comes next can come back to it.
    pub fn leave(&self) {
        self.applier.leave();
    }

    /// Tells all work to end.
    pub fn cancel(&mut self) {
        self.watched = None;
        self.fetcher.stop();
        self.clusters.end();
        self.finder.end();
        self.applier.send(Request::Quit);
        self.compiling.cancel();
        self.planning.cancel();
        self.looking.cancel();
        if let Some(stepper) = &self.stepper {
            stepper.send(Request::Quit);
        }
    }
}
