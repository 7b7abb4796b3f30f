//! The terminal's modes: set once, and restored once, however the program ends.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock};
use std::{backtrace::Backtrace, cell::Cell, path::PathBuf};
use std::{mem, panic, thread};

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue, style};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::prelude::{Buffer, Position, Rect, Size};

use super::input::{ASK_GROUND, END_OF_QUESTIONS, NO_MORE_TOLD, TELL};
use crate::session::{self, keepsakes};

/// Whether the modes are set. The panic hook has no other way to know.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The message of a panicking worker; a panic there ends a job and must not draw over the screen.
static LAST_WORDS: Mutex<Option<String>> = Mutex::new(None);

/// The state folder, if the user named one; panic reports go there.
static STATE: OnceLock<Option<PathBuf>> = OnceLock::new();

/// The terminal while the screens use it; dropping it restores the modes.
pub struct Guard {
    mouse: bool,
    /// The terminal reports its background.
    tells: Cell<bool>,
}

impl Guard {
    /// Enters the alternate screen and raw mode.
    pub fn take(mouse: bool) -> io::Result<Self> {
        install_panic_hook();
        let guard = Self { mouse, tells: Cell::new(false) };
        guard.enter()?;
        Ok(guard)
    }

    /// Sets the modes, again after [`Guard::leave`].
    pub fn enter(&self) -> io::Result<()> {
        terminal::enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let mut out = io::stdout();
        queue!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        if self.mouse {
            queue!(out, EnableMouseCapture)?;
        }
        if self.tells.get() {
            out.write_all(TELL.as_bytes())?;
        }
        out.flush()
    }

    /// Queries the terminal, and its background if the theme depends on it.
    pub fn ask(&self, ground: bool) -> io::Result<()> {
        self.tells.set(ground);
        let mut out = io::stdout();
        let ground = if ground { [ASK_GROUND, TELL] } else { [""; 2] };
        // Some terminals print an unknown query; the first frame, which clears everything, follows it.
        let questions = [&ground.concat(), END_OF_QUESTIONS].concat();
        out.write_all(questions.as_bytes())?;
        out.flush()
    }

    /// Restores the modes; a second call does nothing.
    pub fn leave(&self) {
        give_back();
    }

    /// Stops the whole job as a shell expects, and sets the modes again once it continues.
    pub fn suspend(&self) -> io::Result<()> {
        self.leave();
        let stopped = session::stop_job();
        self.enter()?;
        stopped
    }

    /// After another process continued us: the shell may have changed the modes.
    pub fn retake(&self) -> io::Result<()> {
        self.leave();
        self.enter()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.leave();
    }
}

pub fn size() -> io::Result<Size> {
    match rustix::termios::tcgetwinsize(rustix::stdio::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Ok(Size { width: size.ws_col, height: size.ws_row }),
        // A terminal that does not report it in this way may do so in another.
        _ => terminal::size().map(|(width, height)| Size { width, height }),
    }
}

/// The size of the write buffer of a frame.
const FRAME: usize = 64 << 10;

/// Draws frames, and writes nothing if a frame equals the last one.
pub struct Display {
    backend: CrosstermBackend<BufWriter<Stdout>>,
    /// The last frame and its text cursor; `None` if another program drew since.
    shown: Option<(Buffer, Option<Position>)>,
    /// The memory of the frame before.
    spare: Buffer,
}

impl Display {
    /// Makes the display of this process's stdout. It draws nothing yet.
    pub fn new() -> Self {
        // The theme's depth limits the colours.
        style::force_color_output(true);
        let backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME, io::stdout()));
        Self { backend, shown: None, spare: Buffer::default() }
    }

    /// Another program drew: the next frame is drawn whole.
    pub fn forget(&mut self) {
        self.shown = None;
    }

    /// Draws a frame of this size. `draw` gets a blank page, and returns the position of the text cursor.
    pub fn draw(&mut self, size: Size, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
        let mut page = mem::take(&mut self.spare);
        page.resize(area);
        page.reset();
        let cursor = draw(&mut page);
        let before = self.shown.take().filter(|(shown, _)| shown.area == area);
        let is_new = before.is_none();
        let (shown, at) = before.unwrap_or_else(|| (Buffer::empty(area), None));
        let mut changed = shown.diff_iter(&page).peekable();
        if is_new || at != cursor || changed.peek().is_some() {
            let out = &mut self.backend;
            queue!(out, BeginSynchronizedUpdate)?;
            if is_new {
                queue!(out, ResetColor, Clear(ClearType::All), cursor::Hide)?;
            }
            out.draw(changed)?;
            match cursor {
                Some(Position { x, y }) => queue!(out, cursor::MoveTo(x, y), cursor::Show)?,
                None if at.is_some() => queue!(out, cursor::Hide)?,
                None => {}
            }
            execute!(out, EndSynchronizedUpdate)?;
        }
        (self.shown, self.spare) = (Some((page, cursor)), shown);
        Ok(())
    }
}

/// Writes panics of the screens to the state folder: the named one, or the platform's.
pub fn report_into(state: Option<PathBuf>) {
    // Only the first call counts: there is one terminal.
    let _ = STATE.set(state);
}

/// Writes the last panic to a file, replacing an earlier report; returns its path.
fn report(words: &str) -> Option<PathBuf> {
    const NAME: &str = "panic.txt";
    let state = STATE.get()?.as_ref();
    let (version, trace) = (env!("CARGO_PKG_VERSION"), Backtrace::force_capture());
    let mut text = format!("workbench {version}\n{words}\n\n{trace}\n");
    text.truncate(text.floor_char_boundary(keepsakes::LONGEST));
    keepsakes::keep(state, NAME, &text).ok()?;
    keepsakes::path(state, NAME).ok()
}

/// Whether a parent shell could continue a stopped job.
///
/// A shell with job control gives each job a process group; without one the process is in the group that leads the
/// session. Read from `/proc`, because both numbers are 0 where `nsenter` started the process from another namespace,
/// and `rustix` has no process 0.
#[expect(clippy::disallowed_methods, reason = "about this process, not about a program that it compiles")]
pub fn can_suspend() -> bool {
    std::fs::read_to_string("/proc/self/stat").is_ok_and(|stat| is_job(&stat))
}

/// Whether a line of `/proc/PID/stat` has a process group other than the session. The name in brackets may hold
/// anything.
fn is_job(stat: &str) -> bool {
    let numbers = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let mut numbers = numbers.split_ascii_whitespace().skip(2);
    matches!((numbers.next(), numbers.next()), (Some(group), Some(session)) if group != session)
}

/// The message of the last worker panic.
pub fn take_last_words() -> Option<String> {
    LAST_WORDS.lock().unwrap_or_else(|broken| broken.into_inner()).take()
}

fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // A failure here cannot be handled: the terminal may be gone.
    let mut out = io::stdout();
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        Print(NO_MORE_TOLD),
        ResetColor,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = terminal::disable_raw_mode();
}

/// A panic on the loop's thread restores the terminal before its message; one on a worker is stored for the job's row.
fn install_panic_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loop_thread = thread::current().id();
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !TAKEN.load(Ordering::SeqCst) || thread::current().id() == loop_thread {
                give_back();
                before(info);
                if let Some(path) = report(&info.to_string()) {
                    eprintln!(
                        "workbench crashed. This is a bug; the report is in {}. The next start restores breakpoints, skips and the dry run (not with --no-restore). `workbench attach` attaches to a running apply",
                        path.display()
                    );
                }
            } else {
                let words = LAST_WORDS.lock();
                *words.unwrap_or_else(|broken| broken.into_inner()) = Some(info.to_string());
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::is_job;

    #[test]
    fn a_job_has_a_group_other_than_the_session() {
        assert!(is_job("42 (work) bench) S 40 42 40 34816 42"));
        assert!(!is_job("40 (bash) S 1 40 40 34816 42"));
        assert!(!is_job("7 (nsenter) S 0 0 0 34816 0"), "started from another namespace");
        assert!(!is_job(""));
    }
}
