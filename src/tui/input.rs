//! Input from the terminal: keys, the mouse, pasted text, and answers to queries.
//!
//! Terminals send answers on the same line as keys. A reader that only knows keys would type such an answer into the
//! screens. So termina's parser reads the bytes, because it knows both: the background colour (OSC 11), the change
//! between light and dark (mode 2031), and the end of all answers (DA1). Two things are our own: an unfinished sequence
//! is dropped after a moment, and events are converted to crossterm's types, which all screens use.

use std::os::fd::{AsFd, BorrowedFd};
use std::{io, time::Duration};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use termina::escape::csi::{Csi, Device, Mode, ThemeMode};
use termina::escape::osc::{ColorOrQuery, DynamicColorNumber, Osc};
use termina::event as sent;
use termina::style::RgbColor;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::keys::Key;

pub const ASK_GROUND: &str = "\x1b]11;?\x1b\\";
/// Asks for a report when the background changes between light and dark.
pub const TELL: &str = "\x1b[?2031h";
/// A query that every terminal answers, after its other answers.
pub const END_OF_QUESTIONS: &str = "\x1b[c";

/// Ends the reports of [`TELL`].
pub const NO_MORE_TOLD: &str = "\x1b[?2031l";

/// How long the rest of a sequence may take: Alt and `]` start one that never ends.
const PATIENCE: Duration = Duration::from_millis(50);
/// A longer unfinished sequence is dropped, also a paste: it goes into one line of text.
const LONGEST: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// The terminal reports that a key is held down.
    Held(Key),
    Paste(String),
    Mouse(MouseEvent),
    /// The terminal's background is light or dark.
    Ground {
        light: bool,
    },
    /// The terminal has answered all queries that it knows.
    Answered,
}

/// Standard input while the terminal is ours.
pub struct Reader {
    stdin: AsyncFd<io::Stdin>,
    decoder: Decoder,
}

impl Reader {
    /// Needs a runtime.
    pub fn new() -> io::Result<Self> {
        #[expect(deprecated, reason = "standard input stays open and the same for as long as the program runs")]
        let stdin = AsyncFd::with_interest(io::stdin(), Interest::READABLE)?;
        Ok(Self { stdin, decoder: Decoder::default() })
    }

    /// Waits for input. `None` at its end: the terminal is gone.
    pub async fn next(&mut self) -> io::Result<Option<Vec<Input>>> {
        loop {
            let readable = self.stdin.readable();
            let mut ready = if self.decoder.waits_for_more() {
                match tokio::time::timeout(PATIENCE, readable).await {
                    Ok(ready) => ready?,
                    Err(_) => match self.decoder.give_up() {
                        Some(input) => return Ok(Some(vec![input])),
                        None => continue,
                    },
                }
            } else {
                readable.await?
            };
            let mut bytes = [0; 4096];
            // Another reader may have taken the bytes, and a read would block: our standard input is blocking, because
            // the parent process shares it.
            if !is_waiting(self.stdin.get_ref().as_fd(), 0)? {
                ready.clear_ready();
                continue;
            }
            let count = match rustix::io::read(self.stdin.get_ref().as_fd(), &mut bytes) {
                Ok(0) => return Ok(None),
                Ok(count) => count,
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                Err(error) => return Err(error.into()),
            };
            let has_more = is_waiting(self.stdin.get_ref().as_fd(), 0)?;
            let inputs = self.decoder.feed(&bytes[..count], has_more);
            if !inputs.is_empty() {
                return Ok(Some(inputs));
            }
        }
    }

    /// Reads the terminal's outstanding answers, at most this long: they must not reach the shell as typed text.
    pub fn drain(&mut self, mut milliseconds: u32) {
        while milliseconds > 0 {
            let step = milliseconds.min(10);
            milliseconds -= step;
            let stdin = self.stdin.get_ref().as_fd();
            let mut bytes = [0; 4096];
            if !is_waiting(stdin, step).unwrap_or(false) {
                continue;
            }
            let Ok(count @ 1..) = rustix::io::read(stdin, &mut bytes) else { return };
            if self.decoder.feed(&bytes[..count], false).contains(&Input::Answered) {
                return;
            }
        }
    }
}

fn is_waiting(stdin: BorrowedFd, milliseconds: u32) -> io::Result<bool> {
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(milliseconds) * 1_000_000 };
    match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Converts bytes to input; buffers an unfinished sequence.
#[derive(Debug, Default)]
struct Decoder {
    parser: termina::Parser,
    /// The bytes since the last complete input.
    since: Vec<u8>,
}

impl Decoder {
    /// `has_more`: further bytes are waiting, so an escape is not a key yet.
    fn feed(&mut self, bytes: &[u8], has_more: bool) -> Vec<Input> {
        let mut inputs = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            // The parser takes two of them for one key; the second may start a sequence.
            if (*byte, self.since.as_slice()) == (0x1b, &[0x1b]) {
                self.parser.parse(&[], false);
                self.take(&mut inputs);
            }
            self.since.push(*byte);
            self.parser.parse(&[*byte], has_more || index + 1 < bytes.len());
            self.take(&mut inputs);
            if self.since.len() > LONGEST {
                self.give_up();
            }
        }
        inputs
    }

    fn take(&mut self, inputs: &mut Vec<Input>) {
        while let Some(event) = self.parser.pop() {
            self.since.clear();
            inputs.extend(input(event));
        }
    }

    /// Whether an unfinished sequence should time out. A paste should not: its rest would be typed.
    fn waits_for_more(&self) -> bool {
        const PASTE: &[u8] = b"\x1b[200~";
        !self.since.is_empty() && !self.since.windows(PASTE.len()).any(|window| window == PASTE)
    }

    /// Ends an unfinished sequence: it was a key pressed with Alt, or nothing.
    fn give_up(&mut self) -> Option<Input> {
        self.parser = termina::Parser::default();
        match std::mem::take(&mut self.since).as_slice() {
            [0x1b, key @ (b'[' | b']' | b'O' | b'P')] => {
                Some(Input::Key(Key { code: KeyCode::Char(char::from(*key)), mods: KeyModifiers::ALT }))
            }
            _ => None,
        }
    }
}

/// `None` for events that the screens do not use.
fn input(event: termina::Event) -> Option<Input> {
    Some(match event {
        termina::Event::Key(key) if key.kind != sent::KeyEventKind::Release => {
            let is_held = key.kind == sent::KeyEventKind::Repeat;
            let key = KeyEvent::new(code(key.code)?, modifiers(key.modifiers)).into();
            if is_held { Input::Held(key) } else { Input::Key(key) }
        }
        termina::Event::Mouse(mouse) => Input::Mouse(MouseEvent {
            kind: mouse_kind(mouse.kind),
            column: mouse.column,
            row: mouse.row,
            modifiers: modifiers(mouse.modifiers),
        }),
        // Terminals send line ends as Enter would.
        termina::Event::Paste(text) => Input::Paste(text.replace("\r\n", "\n").replace('\r', "\n")),
        termina::Event::Csi(Csi::Mode(Mode::ReportTheme(theme))) => Input::Ground { light: theme == ThemeMode::Light },
        termina::Event::Csi(Csi::Device(Device::DeviceAttributes(()))) => Input::Answered,
        termina::Event::Osc(Osc::ChangeDynamicColors(DynamicColorNumber::TextBackgroundColor, colors)) => {
            match colors.first()? {
                ColorOrQuery::Color(color) => Input::Ground { light: is_light(*color) },
                ColorOrQuery::Query => return None,
            }
        }
        _ => return None,
    })
}

fn code(code: sent::KeyCode) -> Option<KeyCode> {
    Some(match code {
        sent::KeyCode::Char(c) => KeyCode::Char(c),
        sent::KeyCode::Enter => KeyCode::Enter,
        sent::KeyCode::Backspace => KeyCode::Backspace,
        sent::KeyCode::Tab => KeyCode::Tab,
        sent::KeyCode::BackTab => KeyCode::BackTab,
        sent::KeyCode::Escape => KeyCode::Esc,
        sent::KeyCode::Left => KeyCode::Left,
        sent::KeyCode::Right => KeyCode::Right,
        sent::KeyCode::Up => KeyCode::Up,
        sent::KeyCode::Down => KeyCode::Down,
        sent::KeyCode::Home => KeyCode::Home,
        sent::KeyCode::End => KeyCode::End,
        sent::KeyCode::PageUp => KeyCode::PageUp,
        sent::KeyCode::PageDown => KeyCode::PageDown,
        sent::KeyCode::Insert => KeyCode::Insert,
        sent::KeyCode::Delete => KeyCode::Delete,
        sent::KeyCode::Function(number) => KeyCode::F(number),
        _ => return None,
    })
}

fn modifiers(bits: sent::Modifiers) -> KeyModifiers {
    [
        (sent::Modifiers::SHIFT, KeyModifiers::SHIFT),
        (sent::Modifiers::ALT, KeyModifiers::ALT),
        (sent::Modifiers::CONTROL, KeyModifiers::CONTROL),
    ]
    .into_iter()
    .filter(|(bit, _)| bits.contains(*bit))
    .map(|(_, modifier)| modifier)
    .collect()
}

fn mouse_kind(kind: sent::MouseEventKind) -> MouseEventKind {
    let named = |button| match button {
        sent::MouseButton::Left => MouseButton::Left,
        sent::MouseButton::Right => MouseButton::Right,
        sent::MouseButton::Middle => MouseButton::Middle,
    };
    match kind {
        sent::MouseEventKind::Down(button) => MouseEventKind::Down(named(button)),
        sent::MouseEventKind::Up(button) => MouseEventKind::Up(named(button)),
        sent::MouseEventKind::Drag(button) => MouseEventKind::Drag(named(button)),
        sent::MouseEventKind::Moved => MouseEventKind::Moved,
        sent::MouseEventKind::ScrollDown => MouseEventKind::ScrollDown,
        sent::MouseEventKind::ScrollUp => MouseEventKind::ScrollUp,
        sent::MouseEventKind::ScrollLeft => MouseEventKind::ScrollLeft,
        sent::MouseEventKind::ScrollRight => MouseEventKind::ScrollRight,
    }
}

/// By its luma, as ITU-R BT.601 weighs the three.
fn is_light(color: RgbColor) -> bool {
    299 * u32::from(color.red) + 587 * u32::from(color.green) + 114 * u32::from(color.blue) > 1000 * 255 / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::keys;

    /// As shown, separated by commas.
    fn read(bytes: &[u8]) -> String {
        words(&Decoder::default().feed(bytes, false))
    }

    fn words(inputs: &[Input]) -> String {
        let word = |input: &Input| match input {
            Input::Key(key) => keys::write(&[*key]),
            Input::Held(key) => format!("held {}", keys::write(&[*key])),
            Input::Paste(text) => format!("paste {text:?}"),
            Input::Mouse(mouse) => format!("{:?} {} {}", mouse.kind, mouse.column, mouse.row),
            Input::Ground { light } => if *light { "light" } else { "dark" }.into(),
            Input::Answered => "answered".into(),
        };
        inputs.iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn keys_are_read_as_terminals_send_them() {
        for (bytes, expected) in [
            (&b"jG\x04\r\t\x7f "[..], "j, G, ctrl-d, enter, tab, backspace, space"),
            (b"\x1b", "esc"),
            (b"\x1b\x1b[A", "esc, up"),
            (b"\x1bo\x1b\x04", "alt-o, ctrl-alt-d"),
            (b"\x1b[A\x1bOB\x1b[1;5C\x1b[5~\x1b[Z", "up, down, ctrl-right, pageup, shift-tab"),
            (b"\x1bOP\x1b[15~\x1b[24~\x1b[[A\x1b[1;2P", "f1, f5, f12, f1, shift-f1"),
            ("ä漢\u{1f600}".as_bytes(), "ä, 漢, \u{1f600}"),
            (b"\x1b[105;5u\x1b[27u\x1b[97;2u", "ctrl-i, esc, A"),
            (b"\x1b[115;1:1u\x1b[115;1:2u\x1b[115;1:3u", "s, held s"),
            (b"\x1b[I\x1b[999~\xff\x1b[12;3", ""),
        ] {
            assert_eq!(read(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn unfinished_sequences_are_dropped() {
        for (bytes, expected) in [
            (&b"\x1b]"[..], "alt-]"),
            (b"\x1b[", "alt-["),
            (b"\x1bO", "alt-O"),
            (b"\x1bP", "alt-P"),
            (b"\x1b]11;rgb", ""),
        ] {
            let mut decoder = Decoder::default();
            assert_eq!(words(&decoder.feed(bytes, false)), "");
            assert!(decoder.waits_for_more());
            assert_eq!(words(&Vec::from_iter(decoder.give_up())), expected, "{bytes:?}");
            assert_eq!(words(&decoder.feed(b"j", false)), "j");
        }
        let mut decoder = Decoder::default();
        decoder.feed(b"\x1b[200~half a paste", false);
        assert!(!decoder.waits_for_more(), "the other half would be typed");
    }

    #[test]
    fn the_mouse_and_pastes() {
        assert_eq!(read(b"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<65;1;1M"), "Down(Left) 2 3, Up(Left) 2 3, ScrollDown 0 0");
        assert_eq!(read(b"\x1b[M !!"), "Down(Left) 0 0");
        assert_eq!(read(b"\x1b[200~a\rb\x1b[A\x1b[201~q"), "paste \"a\\nb\\u{1b}[A\", q");
    }

    #[test]
    fn answers_are_never_typed() {
        assert_eq!(read(b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?64;1;9cj"), "dark, answered, j");
        assert_eq!(read(b"\x1b]11;rgb:ff/fa/f0\x07k\x1b[?997;1n\x1b[?997;2n"), "light, k, dark, light");
        assert_eq!(read(b"\x1b[?69;2$yj\x1b[?69;1$y\x1b[?69;0$y\x1b[?69;4$y\x1b[?7;1$yk"), "j, k");
        assert_eq!(read(b"\x1b[200~\x1b[?69;2$y\x1b[201~"), "paste \"\\u{1b}[?69;2$y\"");
        assert_eq!(read(b"\x1b]11;nonsense\x07\x1b]4;1;rgb:00/00/00\x1b\\"), "");
    }

    proptest! {
        /// Any input ends, and its split into pieces only changes a lone escape.
        #[test]
        fn pieces_make_no_difference(
            words in prop::collection::vec(prop::sample::select(vec![
                "\x1b[A", "\x1b]11;rgb:00/00/00\x1b\\", "\x1b[<0;3;4M", "j", "ä", "\x1b[200~x\x1b[201~", "\x1bOP", "\x1b[?64c", "\x1b[?69;2$y",
            ]), 0..12),
            cuts in prop::collection::vec(1usize..7, 1..40),
        ) {
            let bytes = words.concat().into_bytes();
            let whole = Decoder::default().feed(&bytes, false);
            let (mut parser, mut pieces, mut at) = (Decoder::default(), Vec::new(), 0);
            for cut in cuts.iter().cycle() {
                if at >= bytes.len() {
                    break;
                }
                let end = (at + cut).min(bytes.len());
                pieces.extend(parser.feed(&bytes[at..end], end < bytes.len()));
                at = end;
            }
            prop_assert_eq!(whole, pieces);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let mut parser = Decoder::default();
            parser.feed(&bytes, false);
            prop_assert!(parser.since.len() <= bytes.len());
        }
    }
}
