//! G17: the terminal is given back whatever ends the screens: 500 exits in a real pseudo-terminal.

use rustix::process::{Pid, Signal, kill_process};

use crate::promises::{count, figure};
use crate::terminal::{PROGRAM, Terminal};

/// What ends the screens.
#[derive(Clone, Copy, Debug)]
enum End {
    Quit,
    /// And the code that a shell sees.
    Signal(Signal, u32),
    /// A panic while that screen is drawn.
    Panic(&'static str),
    /// Stopped and continued first, by signals that no shell sent.
    Stopped,
    /// Ended before anything is there.
    AtOnce(Signal, u32),
}

const ENDS: &[End] = &[
    End::Quit,
    End::Signal(Signal::TERM, 143),
    End::Signal(Signal::HUP, 129),
    End::Signal(Signal::INT, 130),
    End::Signal(Signal::QUIT, 131),
    End::Panic("modules"),
    End::Panic("code"),
    End::Panic("graph"),
    End::Panic("plan"),
    End::Panic("history"),
    End::Panic("log"),
    End::Stopped,
    End::AtOnce(Signal::TERM, 143),
    End::AtOnce(Signal::INT, 130),
];

/// The keys to the screens, by their names.
const KEYS: [(&str, &str); 6] =
    [("plan", "1"), ("code", "2"), ("graph", "3"), ("modules", "4"), ("history", "5"), ("log", "6")];

#[test]
fn the_terminal_is_given_back_at_every_end() {
    let wanted = count(14, 500);
    for (run, end) in ENDS.iter().cycle().take(wanted).enumerate() {
        ends(*end, KEYS[run / ENDS.len() % KEYS.len()].1, run);
    }
    figure("G17", format_args!("{wanted} of {wanted} exits gave the terminal back, by {} ways", ENDS.len()));
}

fn ends(end: End, key: &str, run: usize) {
    let panics = if let End::Panic(screen) = end { screen } else { "" };
    let state = tempfile::tempdir().expect("a folder");
    let command = format!(
        "RUST_BACKTRACE=0 WORKBENCH_PANICS_ON={panics} exec {PROGRAM} --config /dev/null --state-dir {} modules/mcl/demo",
        state.path().display()
    );
    let (width, height) = if run.is_multiple_of(2) { (120, 40) } else { (40, 12) };
    let mut terminal = Terminal::start(&["sh", "-c", &command], width, height);
    if !matches!(end, End::Panic("plan") | End::AtOnce(..)) {
        terminal.until_shows("[1 ");
    }
    let id = terminal.child.process_id().and_then(|id| Pid::from_raw(id as i32)).expect("it runs");
    let code = match end {
        End::Quit => {
            terminal.press(key);
            terminal.press("q");
            0
        }
        End::Signal(signal, code) => {
            terminal.press(key);
            kill_process(id, signal).expect("it is ours");
            code
        }
        End::Panic(screen) => {
            let key = KEYS.iter().find(|(name, _)| *name == screen).map_or("", |(_, key)| key);
            terminal.press(key);
            101
        }
        End::Stopped => {
            for signal in [Signal::STOP, Signal::CONT] {
                kill_process(id, signal).expect("it is ours");
            }
            terminal.press("q");
            0
        }
        End::AtOnce(signal, code) => {
            terminal.until("the modes", |terminal| !terminal.is_given_back());
            kill_process(id, signal).expect("it is ours");
            code
        }
    };
    let ended = terminal.ended();
    terminal.until(&format!("the terminal to be given back after {end:?}"), Terminal::is_given_back);
    assert_eq!(ended, code, "{end:?}");
    if let End::Panic(_) = end {
        let words = |terminal: &Terminal| terminal.screen().screen().contents().replace('\n', "");
        terminal.until("its words, for the shell", |terminal| words(terminal).contains("a panic was requested"));
        terminal.until("where it is written down", |terminal| words(terminal).contains("/panic.txt"));
        let report = state.path().join("screens/panic.txt");
        assert!(std::fs::read_to_string(report).is_ok_and(|told| told.contains("a panic was requested")), "{end:?}");
    }
}
