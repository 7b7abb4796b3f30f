//! Finds things for the pickers: workers gather, rank, search and preview, and stop as soon as the user types on.
//!
//! One thread ranks or searches, one reads previews, and one walks the folders. They end with their picker. Requests
//! are numbered, so that a newer request cancels an older one.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use std::{collections::VecDeque, sync::Arc};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::layer::picker::item::{Item, Target};
use super::layer::picker::{Notice, Preview, PreviewText, Source, Wish, files, resources, shown, symbols};
use super::{layer::picker::ranking::Ranking, message::Message, widget::text};
use crate::highlight::Document;
use crate::session::{Cancel, SearchPattern, Session, find_lines};
pub use crate::tui::parts::Order;

/// More lines than this are not listed.
const MOST_LINES: usize = 10_000;
/// Further lines of one file are skipped.
const MOST_IN_A_FILE: usize = 1_000;
/// Results are reported at least this often.
const OFTEN: Duration = Duration::from_millis(20);

/// A cursor that has not moved for this time gets a preview at once; a moving one gets a preview now and then.
const REST: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_millis(400);

/// Input of the ranking or searching thread.
enum Input {
    Items(Vec<Item>),
    /// Files to be searched.
    Paths(Vec<PathBuf>),
    Words {
        turn: u64,
        words: String,
    },
    /// There are no more items.
    Complete,
}

/// Finds for one session; one picker at a time.
pub struct Finder {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    inputs: Option<Sender<Input>>,
    previews: Option<Sender<Wish>>,
    /// The latest requested turn.
    newest: Arc<AtomicU64>,
    cancel: Cancel,
}

impl Finder {
    /// Replaces the session for later searches.
    pub fn use_session(&mut self, session: Arc<Session>) {
        self.session = session;
    }

    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>) -> Self {
        let (newest, cancel) = (Arc::default(), Cancel::default());
        Self { session, messages, inputs: None, previews: None, newest, cancel }
    }

    /// Starts, changes or ends a search. A newer request cancels an older one.
    pub fn order(&mut self, order: Order) {
        match order {
            Order::Begin { pick, source } => self.begin(pick, source),
            Order::Words { turn, words } => {
                self.newest.store(turn, Ordering::Relaxed);
                // A thread that has ended sent its last report.
                let _ = self.inputs.as_ref().map(|inputs| inputs.send(Input::Words { turn, words }));
            }
            Order::Preview(wish) => self.preview(*wish),
            Order::End => self.end(),
        }
    }

    pub fn end(&mut self) {
        std::mem::take(&mut self.cancel).cancel();
        // Makes running work drop its answer.
        self.newest.store(u64::MAX, Ordering::Relaxed);
        (self.inputs, self.previews) = (None, None);
    }

    fn begin(&mut self, pick: u64, source: Source) {
        self.end();
        self.newest = Arc::default();
        let (sender, inputs) = channel();
        let (messages, newest) = (self.messages.clone(), Arc::clone(&self.newest));
        // The loop has ended: there is no receiver.
        let send = move |notice: Notice| drop(messages.send(Message::Found(notice)));
        let searches = matches!(source, Source::Lines);
        let base = self.session.entry().base.clone();
        spawn_blocking(move || {
            if searches { search(pick, &base, &inputs, &newest, &send) } else { rank(pick, &inputs, &newest, &send) }
        });
        let (session, cancel, gathered) = (Arc::clone(&self.session), self.cancel.clone(), sender.clone());
        spawn_blocking(move || gather(&session, source, &cancel, &gathered));
        self.inputs = Some(sender);
    }

    fn preview(&mut self, wish: Wish) {
        let previews = self.previews.get_or_insert_with(|| {
            let (sender, wishes) = channel();
            let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
            spawn_blocking(move || preview(&session, &wishes, &messages));
            sender
        });
        // A thread that has ended shows no more previews.
        let _ = previews.send(wish);
    }
}

/// Sends the items to choose from.
fn gather(session: &Session, source: Source, cancel: &Cancel, gathered: &Sender<Input>) {
    // The picker was closed: there may be no receiver.
    let send = |inputs| drop(gathered.send(inputs));
    match source {
        Source::Items(items) => send(Input::Items(items)),
        Source::Resources(program) => send(Input::Items(resources(&program))),
        Source::Symbols(texts, language) => {
            for (name, text) in texts {
                if cancel.is_cancelled() {
                    return;
                }
                send(Input::Items(symbols(&name, &text, language)));
            }
        }
        Source::Files => {
            session.find_files(cancel, &mut |paths| send(Input::Items(files(paths, &session.entry().base))))
        }
        Source::Lines => session.find_files(cancel, &mut |paths| send(Input::Paths(paths))),
    }
    send(Input::Complete);
}

/// Ranks the items by the newest words.
fn rank(pick: u64, inputs: &Receiver<Input>, newest: &AtomicU64, send: &dyn Fn(Notice)) {
    let mut ranking = Ranking::default();
    let (mut turn, mut words, mut is_done) = (0, String::new(), false);
    while let Ok(first) = inputs.recv() {
        for one in std::iter::once(first).chain(inputs.try_iter()) {
            match one {
                Input::Items(items) => {
                    let items: Arc<[Item]> = items.into();
                    ranking.add(Arc::clone(&items));
                    send(Notice::Items { pick, turn: 0, items });
                }
                Input::Words { turn: newer, words: typed } => (turn, words) = (newer, typed),
                Input::Complete => is_done = true,
                Input::Paths(_) => {}
            }
        }
        let is_stale = || newest.load(Ordering::Relaxed) > turn;
        if let Ok(order) = ranking.rank(&words, &is_stale) {
            send(Notice::Ranked { pick, turn, order, is_done });
        }
    }
}

/// Searches files for the newest words.
fn search(pick: u64, base: &Path, inputs: &Receiver<Input>, newest: &AtomicU64, send: &dyn Fn(Notice)) {
    let mut paths = Vec::new();
    let mut search = Search::default();
    let (mut turn, mut is_complete) = (0, false);
    loop {
        let waits = search.is_over(&paths);
        if waits {
            search.flush(pick, turn, send);
            send(Notice::Ranked { pick, turn, order: None, is_done: is_complete || search.is_full() });
        }
        let first = if waits { inputs.recv().ok() } else { inputs.try_recv().ok() };
        if waits && first.is_none() {
            return;
        }
        for one in first.into_iter().chain(inputs.try_iter()) {
            match one {
                Input::Paths(more) => paths.extend(more),
                Input::Words { turn: newer, words } => (turn, search) = (newer, Search::new(&words)),
                Input::Complete => is_complete = true,
                Input::Items(_) => {}
            }
        }
        if newest.load(Ordering::Relaxed) == u64::MAX {
            return;
        }
        search.next(&paths, base);
        if search.since.is_none_or(|since| since.elapsed() >= OFTEN) {
            search.flush(pick, turn, send);
        }
    }
}

#[derive(Default)]
struct Search {
    /// Without words, nothing is searched.
    wanted: Option<SearchPattern>,
    /// The next file.
    at: usize,
    found: usize,
    unsent: Vec<Item>,
    since: Option<Instant>,
}

impl Search {
    fn new(words: &str) -> Self {
        Self { wanted: (!words.trim().is_empty()).then(|| SearchPattern::new(words)), ..Self::default() }
    }

    fn is_full(&self) -> bool {
        self.found >= MOST_LINES
    }

    fn is_over(&self, paths: &[PathBuf]) -> bool {
        self.wanted.is_none() || self.is_full() || self.at >= paths.len()
    }

    fn next(&mut self, paths: &[PathBuf], base: &Path) {
        let (Some(wanted), Some(path)) = (&self.wanted, paths.get(self.at)) else { return };
        self.at += 1;
        let hits = find_lines(path, wanted, MOST_IN_A_FILE.min(MOST_LINES - self.found));
        self.found += hits.len();
        let shown = shown(path, base);
        self.unsent.extend(hits.into_iter().map(|hit| Item {
            shown: format!("{shown}:{}", hit.line),
            note: text::safe(&hit.text),
            target: Target::File(path.clone(), (hit.line, hit.column)),
        }));
    }

    fn flush(&mut self, pick: u64, turn: u64, send: &dyn Fn(Notice)) {
        self.since = Some(Instant::now());
        if !self.unsent.is_empty() {
            let items = std::mem::take(&mut self.unsent).into();
            send(Notice::Items { pick, turn, items });
        }
    }
}

/// Makes previews once the cursor rests: a held key would send a screen of text for each row. The last texts are
/// cached, because users often go back to them.
fn preview(session: &Session, wishes: &Receiver<Wish>, messages: &UnboundedSender<Message>) {
    const KEPT: usize = 4;
    let mut cached: VecDeque<(String, Document)> = VecDeque::new();
    while let Ok(first) = wishes.recv() {
        let (mut wish, begun) = (first, Instant::now());
        while begun.elapsed() < PATIENCE
            && let Ok(newer) = wishes.recv_timeout(REST)
        {
            wish = newer;
        }
        let pick = wish.pick;
        let preview = match cached.iter().find(|(name, _)| *name == wish.name) {
            Some((_, document)) => Preview::of(wish, Ok(document)),
            None => match read(session, &wish) {
                Err(words) => Preview::of(wish, Err(words)),
                Ok(document) => {
                    cached.truncate(KEPT - 1);
                    cached.push_front((wish.name.clone(), document));
                    Preview::of(wish, Ok(&cached[0].1))
                }
            },
        };
        // The loop has ended: there is no receiver.
        let _ = messages.send(Message::Found(Notice::Preview { pick, preview }));
    }
}

fn read(session: &Session, wish: &Wish) -> Result<Document, String> {
    match &wish.text {
        PreviewText::AtHand(text) => Ok(Preview::document(wish, text.clone())),
        PreviewText::File(path) => {
            let text = session.text(path).map_err(|error| error.to_string())?;
            let is_bytes = text[..text.floor_char_boundary(8 << 10)].contains('\0');
            if is_bytes { Err("not text".into()) } else { Ok(Preview::document(wish, text)) }
        }
    }
}
