//! The loop: handles one message at a time, draws a frame only after a change, and never blocks.

use std::io::{self, Write};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::effect::{Effect, Runner};
use super::input::{Input, Reader};
use super::screen::step::live::{Notice, suspend};
use super::terminal::{Display, Guard, size};
use super::update::{begin, update};
use super::{
    Ended, HANGUP, INTERRUPT, QUIT, around, clipboard, cx::Cx, message::Message, restore, state::State, suspend,
    view::view,
};
use crate::session::LEFT_ALONE;
use crate::tui::screen::step::data::State as Step;

/// The minimum time between frames for events. After an idle time, an event is drawn at once.
const FRAME: Duration = Duration::from_millis(33);
/// The spinner's pace.
const TICK: Duration = Duration::from_millis(120);
/// A prefix shows what may follow after this.
const POPUP: Duration = Duration::from_millis(300);
/// A lone digit where counts are possible means its screen after this.
const DIGIT: Duration = Duration::from_millis(250);
/// The most messages that are handled before a frame, so that a flood of events does not freeze the screen.
const BATCH: usize = 2_000;

/// Saves the state after this time without a key, so that a panic loses little.
const SETTLED: Duration = Duration::from_millis(500);

/// A terminal that has not answered after this time never answers.
const ANSWERS: Duration = Duration::from_secs(1);
/// How long the first frame waits for an answer.
const FIRST_ANSWER: Duration = Duration::from_millis(12);
/// How long an exit waits for an outstanding answer, in milliseconds.
const LAST_ANSWER: u32 = 150;

/// The signals that end or stop the process. They are caught as soon as this exists.
pub struct Signals {
    /// Each with its number.
    pub(super) ends: [(u8, Signal); 4],
    pub(super) resumed: Signal,
    pub(super) stop: Signal,
    pub(super) resized: Signal,
}

impl Signals {
    /// Starts to catch them; needs a runtime.
    pub fn new() -> io::Result<Self> {
        let end = |kind: SignalKind| Ok::<_, io::Error>((kind.as_raw_value() as u8, signal(kind)?));
        Ok(Self {
            ends: [
                end(SignalKind::terminate())?,
                end(SignalKind::hangup())?,
                end(SignalKind::interrupt())?,
                end(SignalKind::quit())?,
            ],
            resumed: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// Discards signals from terminal keys that arrived while another program had the terminal: they were meant for it.
    pub(super) async fn forget_keys(&mut self) {
        // Signals are only delivered while something waits for them.
        const TOLD: Duration = Duration::from_millis(1);
        let keys = self.ends.iter_mut().filter(|(number, _)| is_key(*number)).map(|(_, signal)| signal);
        for signal in keys.chain([&mut self.stop]) {
            while timeout(TOLD, signal.recv()).await.is_ok() {}
        }
    }

    /// The number of the signal, while another program has the keyboard.
    pub(super) async fn ended_but_by_key(&mut self) -> u8 {
        loop {
            let number = Self::ended(&mut self.ends).await;
            if !is_key(number) {
                return number;
            }
        }
    }

    /// The number of the signal that arrived.
    pub(super) async fn ended(ends: &mut [(u8, Signal); 4]) -> u8 {
        let [a, b, c, d] = ends;
        tokio::select! {
            _ = a.1.recv() => a.0,
            _ = b.1.recv() => b.0,
            _ = c.1.recv() => c.0,
            _ = d.1.recv() => d.0,
        }
    }
}

/// Whether a terminal key sends it.
fn is_key(number: u8) -> bool {
    [INTERRUPT, QUIT].contains(&number)
}

/// Shows the session until it ends. Draws the first frame before other work starts. Only the background colour is
/// queried first, with a short wait, so that the frame need not be drawn twice.
pub async fn run(
    state: &mut State,
    guard: &Guard,
    screen: &mut Display,
    runner: &mut Runner,
    messages: &mut UnboundedReceiver<Message>,
    mut signals: Signals,
) -> io::Result<Ended> {
    let mut input = Reader::new()?;
    let follows = state.cx.follows_ground();
    let mut asked = around::answers().then(|| guard.ask(follows).map(|()| Instant::now())).transpose()?;
    let (mut todo, typed) =
        if follows { detect_background(state, &mut input, &mut asked).await? } else { Default::default() };
    todo.extend(draw(state, screen)?);
    set_time(&mut state.cx);
    todo.extend(begin(state));
    if !typed.is_empty() {
        todo.extend(typed.into_iter().flat_map(|message| update(state, message)).collect::<Vec<_>>());
        todo.extend(draw(state, screen)?);
    }
    let end = turns(state, guard, screen, runner, messages, &mut signals, &mut input, &mut asked, todo).await;
    if asked.is_some_and(|asked| asked.elapsed() < ANSWERS) {
        input.drain(LAST_ANSWER);
    }
    end
}

/// Reads the terminal's background colour, if the answer comes in time; keeps the keys that were typed before it.
async fn detect_background(
    state: &mut State,
    input: &mut Reader,
    asked: &mut Option<Instant>,
) -> io::Result<(Vec<Effect>, Vec<Message>)> {
    let (mut todo, mut typed) = (Vec::new(), Vec::new());
    let Some(begin) = *asked else { return Ok((todo, typed)) };
    while asked.is_some() {
        // If the terminal is gone, the loop notices.
        let Ok(Ok(Some(inputs))) = timeout_at(begin + FIRST_ANSWER, input.next()).await else { break };
        for one in inputs {
            match message_of(one, asked) {
                Some(message @ Message::Ground { .. }) => todo.extend(update(state, message)),
                Some(message) => typed.push(message),
                None => {}
            }
        }
    }
    Ok((todo, typed))
}

/// The loop itself. `asked` is when the terminal was queried, until it answers.
#[expect(clippy::too_many_arguments, reason = "what the loop turns around")]
async fn turns(
    state: &mut State,
    guard: &Guard,
    screen: &mut Display,
    runner: &mut Runner,
    messages: &mut UnboundedReceiver<Message>,
    signals: &mut Signals,
    input: &mut Reader,
    asked: &mut Option<Instant>,
    mut todo: Vec<Effect>,
) -> io::Result<Ended> {
    let mut frames = Frames { due: None, drawn: Instant::now() };
    let mut ticked = Instant::now();
    let mut moved: Option<Instant> = None;
    loop {
        for effect in std::mem::take(&mut todo) {
            match effect {
                Effect::Quit => return Ok(Ended::Left),
                Effect::Suspend => {
                    guard.suspend()?;
                    set_time(&mut state.cx);
                    screen.forget();
                    frames.at_once();
                }
                Effect::Repaint => {
                    screen.forget();
                    frames.at_once();
                }
                Effect::Edit { path, line } => {
                    let set = state.cx.project.editor.clone();
                    let edits =
                        move |is_wanted: &dyn Fn() -> bool| suspend::edit(set.as_deref(), &path, line, is_wanted);
                    let result = match suspend::suspended(guard, signals, edits).await? {
                        Ok(result) => result,
                        Err(number) => return Ok(Ended::Signal(number)),
                    };
                    screen.forget();
                    // Work that starts now started after the editor.
                    set_time(&mut state.cx);
                    todo.extend(update(state, Message::Edited(result)));
                    frames.at_once();
                }
                Effect::AskSudo { run } => {
                    let result = match suspend::suspended(guard, signals, suspend::ask_sudo).await? {
                        Ok(result) => result,
                        Err(number) => return Ok(Ended::Signal(number)),
                    };
                    screen.forget();
                    set_time(&mut state.cx);
                    todo.extend(update(state, Message::Live(Notice::MayBeRoot { run, result })));
                    frames.at_once();
                }
                Effect::Copy(words) => {
                    let mut out = io::stdout();
                    out.write_all(clipboard::sequence(&words, around::is_tmux()).as_bytes())?;
                    out.flush()?;
                }
                effect => runner.start(effect),
            }
        }
        if !todo.is_empty() {
            continue;
        }
        // Also while other messages arrive, because a run may send them faster than a tick.
        if state.cx.is_spinning(&state.screens.step) && ticked.elapsed() >= TICK {
            ticked = Instant::now();
            set_time(&mut state.cx);
            todo.extend(update(state, Message::Tick));
            frames.soon();
        }
        if frames.due.is_some_and(|at| at <= Instant::now()) {
            todo.extend(draw(state, screen)?);
            frames = Frames { due: None, drawn: Instant::now() };
            if !todo.is_empty() {
                continue;
            }
        }
        if moved.is_some_and(|moved| moved.elapsed() >= SETTLED) {
            moved = None;
            runner.keep(restore::to_text(&state.screens.step, &state.cx));
        }
        let keeps = moved.map(|moved| (moved + SETTLED, None));
        let waits =
            wake(&state.screens.step, &state.cx, &frames, ticked).into_iter().chain(keeps).min_by_key(|(at, _)| *at);
        tokio::select! {
            biased;
            number = Signals::ended(&mut signals.ends) => return Ok(Ended::Signal(number)),
            _ = signals.stop.recv() => {
                suspend(&mut state.screens.step, &mut state.cx);
                todo.append(&mut state.cx.typing.effects);
            }
            _ = signals.resumed.recv() => {
                guard.retake()?;
                todo.push(Effect::Repaint);
            }
            _ = signals.resized.recv() => frames.at_once(),
            inputs = input.next() => match inputs {
                Ok(Some(inputs)) => {
                    set_time(&mut state.cx);
                    moved = Some(Instant::now()).filter(|_| state.cx.saved.keeps);
                    for input in inputs {
                        state.cx.typing.presses.is_repeat = matches!(input, Input::Held(_));
                        let Some(message) = message_of(input, asked) else { continue };
                        frames.at_once();
                        todo.extend(update(state, message));
                    }
                }
                Ok(None) | Err(_) => return Ok(Ended::Signal(HANGUP)),
            },
            Some(message) = messages.recv() => {
                set_time(&mut state.cx);
                todo.extend(update(state, message));
                for _ in 1..BATCH {
                    let Ok(message) = messages.try_recv() else { break };
                    todo.extend(update(state, message));
                }
                frames.soon();
            }
            () = sleep_until(waits.as_ref().map_or_else(Instant::now, |(at, _)| *at)), if waits.is_some() => {
                if let Some((_, Some(message))) = waits {
                    set_time(&mut state.cx);
                    todo.extend(update(state, message));
                    frames.at_once();
                }
            }
        }
    }
}

/// When the next frame is due.
struct Frames {
    due: Option<Instant>,
    drawn: Instant,
}

impl Frames {
    /// The user waits for it.
    fn at_once(&mut self) {
        self.due = Some(self.drawn);
    }

    /// An event changed something.
    fn soon(&mut self) {
        self.due = Some(self.due.map_or(self.drawn + FRAME, |due| due.min(self.drawn + FRAME)));
    }
}

/// When to wake up without a message, and what for; never if nothing is pending.
fn wake(step: &Step, cx: &Cx, frames: &Frames, ticked: Instant) -> Option<(Instant, Option<Message>)> {
    if let Some(at) = frames.due {
        return Some((at, None));
    }
    let drawn = frames.drawn;
    if !cx.typing.pending.popup && !cx.typing.pending.keys.is_empty() && cx.layers.open.is_empty() {
        return Some((drawn + POPUP, Some(Message::PendingDue)));
    }
    if cx.typing.pending.keys.is_empty() && cx.typing.pending.count.is_some_and(|count| count < 10) {
        return Some((drawn + DIGIT, Some(Message::PendingDue)));
    }
    if cx.is_spinning(step) {
        // The loop ticks whenever it runs after that time.
        return Some((ticked + TICK, None));
    }
    step.phase.is_live().then(|| (drawn + LEFT_ALONE, Some(Message::Idle)))
}

fn set_time(cx: &mut Cx) {
    cx.ticks.now = around::time();
    cx.jobs.clock = around::running_for();
}

/// Converts input to a message; `None` if it only affects drawing.
fn message_of(input: Input, asked: &mut Option<Instant>) -> Option<Message> {
    match input {
        Input::Key(key) | Input::Held(key) => Some(Message::Key(key)),
        Input::Mouse(mouse) => Some(Message::Mouse(mouse)),
        Input::Paste(words) => Some(Message::Paste(words)),
        Input::Ground { light } => Some(Message::Ground { light }),
        Input::Answered => {
            *asked = None;
            None
        }
    }
}

/// Draws one frame as one synchronized update; returns the effects of a changed size.
fn draw(state: &mut State, screen: &mut Display) -> io::Result<Vec<Effect>> {
    let mut todo = Vec::new();
    // The terminal may have changed its size since the last message.
    let size = size()?;
    if (size.width, size.height) != (state.cx.window.width, state.cx.window.height) {
        todo = update(state, Message::Resize(size.width, size.height));
    }
    // Lets a test check what a panic leaves behind. Release builds do not have it.
    #[cfg(debug_assertions)]
    assert!(
        around::variable("WORKBENCH_PANICS_ON").as_deref() != Some(state.cx.screen.name()),
        "a panic was requested"
    );
    screen.draw(size, |buf| view(state, buf))?;
    state.cx.typing.presses.drawn(state.screens.step.is_running());
    Ok(todo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_waits_for_no_frame_of_events() {
        let mut frames = Frames { due: None, drawn: Instant::now() };
        frames.soon();
        frames.soon();
        assert_eq!(frames.due, Some(frames.drawn + FRAME));
        frames.at_once();
        frames.soon();
        assert_eq!(frames.due, Some(frames.drawn));
    }
}
