//! Finding things for the pickers: workers that gather, rank, search and preview, and stop as soon as one goes on typing.
//!
//! One thread ranks or searches and one reads previews; a third walks the folders. They end with their picker. What is
//! asked for is numbered, so that an older question is dropped in the middle of its answer.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::layer::picker::item::{Item, Target};
use super::layer::picker::ranking::Ranking;
use super::layer::picker::{Preview, PreviewText, Source, Told, Wish, files, resources, shown, symbols};
use super::message::Message;
use super::widget::text;
use crate::highlight::Document;
use crate::session::{Cancel, Session, Wanted, find_lines};

/// More lines than this are not listed: more words find fewer.
const MOST_LINES: usize = 10_000;
/// Lines of one file beyond this are left out.
const MOST_IN_A_FILE: usize = 1_000;
/// What was found is told at least this often.
const OFTEN: Duration = Duration::from_millis(20);

/// A cursor that stays for this long rests; one that goes on gets a preview now and then.
const REST: Duration = Duration::from_millis(40);
const PATIENCE: Duration = Duration::from_millis(400);

/// What the pickers ask for.
#[derive(Clone, Debug)]
pub enum Order {
    Begin { pick: u64, source: Source },
    Words { turn: u64, words: String },
    Preview(Box<Wish>),
    End,
}

/// What the ranking or searching thread hears.
enum Heard {
    Items(Vec<Item>),
    /// Files to be searched.
    Paths(Vec<PathBuf>),
    Words {
        turn: u64,
        words: String,
    },
    /// All has come.
    Complete,
}

/// Finds for one session; one picker at a time.
pub struct Finder {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    heard: Option<Sender<Heard>>,
    previews: Option<Sender<Wish>>,
    /// The turn asked for last.
    newest: Arc<AtomicU64>,
    cancel: Cancel,
}

impl Finder {
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>) -> Self {
        let (newest, cancel) = (Arc::default(), Cancel::default());
        Self { session, messages, heard: None, previews: None, newest, cancel }
    }

    pub fn order(&mut self, order: Order) {
        match order {
            Order::Begin { pick, source } => self.begin(pick, source),
            Order::Words { turn, words } => {
                self.newest.store(turn, Ordering::Relaxed);
                // A thread that ended has told so.
                let _ = self.heard.as_ref().map(|heard| heard.send(Heard::Words { turn, words }));
            }
            Order::Preview(wish) => self.preview(*wish),
            Order::End => self.end(),
        }
    }

    /// Ends all threads.
    pub fn end(&mut self) {
        std::mem::take(&mut self.cancel).cancel();
        // So that what is at work drops its answer.
        self.newest.store(u64::MAX, Ordering::Relaxed);
        (self.heard, self.previews) = (None, None);
    }

    fn begin(&mut self, pick: u64, source: Source) {
        self.end();
        self.newest = Arc::default();
        let (sender, heard) = channel();
        let (messages, newest) = (self.messages.clone(), Arc::clone(&self.newest));
        // The loop has ended: there is no receiver.
        let tell = move |told: Told| drop(messages.send(Message::Found(told)));
        let searches = matches!(source, Source::Lines);
        let base = self.session.entry().base.clone();
        spawn_blocking(move || {
            if searches { search(pick, &base, &heard, &newest, &tell) } else { rank(pick, &heard, &newest, &tell) }
        });
        let (session, cancel, gathered) = (Arc::clone(&self.session), self.cancel.clone(), sender.clone());
        spawn_blocking(move || gather(&session, source, &cancel, &gathered));
        self.heard = Some(sender);
    }

    fn preview(&mut self, wish: Wish) {
        let previews = self.previews.get_or_insert_with(|| {
            let (sender, wishes) = channel();
            let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
            spawn_blocking(move || preview(&session, &wishes, &messages));
            sender
        });
        // A thread that ended shows no more.
        let _ = previews.send(wish);
    }
}

/// Hands on what there is to choose from.
fn gather(session: &Session, source: Source, cancel: &Cancel, gathered: &Sender<Heard>) {
    // Whoever asked has left: there is nobody to tell.
    let tell = |heard| drop(gathered.send(heard));
    match source {
        Source::Items(items) => tell(Heard::Items(items)),
        Source::Resources(program) => tell(Heard::Items(resources(&program))),
        Source::Symbols(texts, language) => {
            for (name, text) in texts {
                if cancel.is_cancelled() {
                    return;
                }
                tell(Heard::Items(symbols(&name, &text, language)));
            }
        }
        Source::Files => {
            session.find_files(cancel, &mut |paths| tell(Heard::Items(files(paths, &session.entry().base))))
        }
        Source::Lines => session.find_files(cancel, &mut |paths| tell(Heard::Paths(paths))),
    }
    tell(Heard::Complete);
}

/// Ranks what comes by the newest words.
fn rank(pick: u64, heard: &Receiver<Heard>, newest: &AtomicU64, tell: &dyn Fn(Told)) {
    let mut ranking = Ranking::default();
    let (mut turn, mut words, mut is_done) = (0, String::new(), false);
    while let Ok(first) = heard.recv() {
        for one in std::iter::once(first).chain(heard.try_iter()) {
            match one {
                Heard::Items(items) => {
                    let items: Arc<[Item]> = items.into();
                    ranking.add(Arc::clone(&items));
                    tell(Told::Items { pick, turn: 0, items });
                }
                Heard::Words { turn: newer, words: typed } => (turn, words) = (newer, typed),
                Heard::Complete => is_done = true,
                Heard::Paths(_) => {}
            }
        }
        let is_stale = || newest.load(Ordering::Relaxed) > turn;
        if let Ok(order) = ranking.rank(&words, &is_stale) {
            tell(Told::Ranked { pick, turn, order, is_done });
        }
    }
}

/// Searches files for the newest words.
fn search(pick: u64, base: &Path, heard: &Receiver<Heard>, newest: &AtomicU64, tell: &dyn Fn(Told)) {
    let mut paths = Vec::new();
    let mut search = Search::default();
    let (mut turn, mut is_complete) = (0, false);
    loop {
        let waits = search.is_over(&paths);
        if waits {
            search.flush(pick, turn, tell);
            tell(Told::Ranked { pick, turn, order: None, is_done: is_complete || search.is_full() });
        }
        let first = if waits { heard.recv().ok() } else { heard.try_recv().ok() };
        if waits && first.is_none() {
            return;
        }
        for one in first.into_iter().chain(heard.try_iter()) {
            match one {
                Heard::Paths(more) => paths.extend(more),
                Heard::Words { turn: newer, words } => (turn, search) = (newer, Search::new(&words)),
                Heard::Complete => is_complete = true,
                Heard::Items(_) => {}
            }
        }
        if newest.load(Ordering::Relaxed) == u64::MAX {
            return;
        }
        search.next(&paths, base);
        if search.since.is_none_or(|since| since.elapsed() >= OFTEN) {
            search.flush(pick, turn, tell);
        }
    }
}

/// A search on its way through the files.
#[derive(Default)]
struct Search {
    /// Nothing is looked for without words.
    wanted: Option<Wanted>,
    /// The next file.
    at: usize,
    found: usize,
    untold: Vec<Item>,
    since: Option<Instant>,
}

impl Search {
    fn new(words: &str) -> Self {
        Self { wanted: (!words.trim().is_empty()).then(|| Wanted::new(words)), ..Self::default() }
    }

    fn is_full(&self) -> bool {
        self.found >= MOST_LINES
    }

    /// Whether nothing is left to do for now.
    fn is_over(&self, paths: &[PathBuf]) -> bool {
        self.wanted.is_none() || self.is_full() || self.at >= paths.len()
    }

    fn next(&mut self, paths: &[PathBuf], base: &Path) {
        let (Some(wanted), Some(path)) = (&self.wanted, paths.get(self.at)) else { return };
        self.at += 1;
        let hits = find_lines(path, wanted, MOST_IN_A_FILE.min(MOST_LINES - self.found));
        self.found += hits.len();
        let shown = shown(path, base);
        self.untold.extend(hits.into_iter().map(|hit| Item {
            shown: format!("{shown}:{}", hit.line),
            note: text::safe(&hit.text),
            target: Target::File(path.clone(), (hit.line, hit.column)),
        }));
    }

    fn flush(&mut self, pick: u64, turn: u64, tell: &dyn Fn(Told)) {
        self.since = Some(Instant::now());
        if !self.untold.is_empty() {
            let items = std::mem::take(&mut self.untold).into();
            tell(Told::Items { pick, turn, items });
        }
    }
}

/// Makes previews, once the cursor rests: a held key would send a screen of text for each row it passes. The last texts
/// are kept, as one often comes back to them.
fn preview(session: &Session, wishes: &Receiver<Wish>, messages: &UnboundedSender<Message>) {
    const KEPT: usize = 4;
    let mut kept: VecDeque<(String, Document)> = VecDeque::new();
    while let Ok(first) = wishes.recv() {
        let (mut wish, begun) = (first, Instant::now());
        while begun.elapsed() < PATIENCE
            && let Ok(newer) = wishes.recv_timeout(REST)
        {
            wish = newer;
        }
        let pick = wish.pick;
        let preview = match kept.iter().find(|(name, _)| *name == wish.name) {
            Some((_, document)) => Preview::of(wish, Ok(document)),
            None => match read(session, &wish) {
                Err(words) => Preview::of(wish, Err(words)),
                Ok(document) => {
                    kept.truncate(KEPT - 1);
                    kept.push_front((wish.name.clone(), document));
                    Preview::of(wish, Ok(&kept[0].1))
                }
            },
        };
        // The loop has ended: there is no receiver.
        let _ = messages.send(Message::Found(Told::Preview { pick, preview }));
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
