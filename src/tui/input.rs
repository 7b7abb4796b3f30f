//! What the terminal sends, byte by byte: keys, the mouse, pasted text, and its answers to what was asked.
//!
//! Terminals answer on the same line that keys come on. A reader that knows keys alone would type such an answer into the
//! screens, so this one knows both: what colour the ground has (OSC 11), that the user turned it light or dark (mode 2031),
//! and that the terminal has answered all (DA1). What is neither is dropped, however long or wrong it is.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::keys::Key;

/// Asks which colour the ground has and to be told when it changes, and marks the end of the answers.
pub const QUESTIONS: &str = "\x1b]11;?\x1b\\\x1b[?2031h\x1b[c";

/// Takes back what [`QUESTIONS`] asked to be told of.
pub const NO_MORE_TOLD: &str = "\x1b[?2031l";

/// Longer answers than this are none of ours.
const LONGEST_ANSWER: usize = 256;
/// What is pasted beyond this is left out: it goes into one line of words.
const LONGEST_PASTE: usize = 1 << 20;

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    Paste(String),
    Mouse(MouseEvent),
    /// The terminal's ground is light, or dark.
    Ground {
        light: bool,
    },
    /// The terminal has answered whatever it knows an answer to.
    Answered,
}

/// Standard input while the terminal is ours.
pub struct Reader {
    stdin: AsyncFd<io::Stdin>,
    parser: Parser,
}

impl Reader {
    /// Inside a runtime.
    pub fn new() -> io::Result<Self> {
        #[expect(deprecated, reason = "standard input stays open and the same for as long as the program runs")]
        let stdin = AsyncFd::with_interest(io::stdin(), Interest::READABLE)?;
        Ok(Self { stdin, parser: Parser::default() })
    }

    /// Waits for input. None at the end of it: the terminal is gone.
    pub async fn next(&mut self) -> io::Result<Option<Vec<Input>>> {
        loop {
            let mut ready = self.stdin.readable().await?;
            let mut bytes = [0; 4096];
            // Others may have taken what was told of, and a read would wait then: our standard input is blocking, as it is
            // shared with whoever started us.
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
            let inputs = self.parser.feed(&bytes[..count], has_more);
            if !inputs.is_empty() {
                return Ok(Some(inputs));
            }
        }
    }

    /// Takes in what the terminal still answers, at most for so long: it must not reach the shell as if it were typed.
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
            if self.parser.feed(&bytes[..count], false).contains(&Input::Answered) {
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

/// What came so far of something that is not whole yet.
#[derive(Debug, Default)]
struct Parser {
    held: Vec<u8>,
    /// Within pasted text.
    paste: Option<Vec<u8>>,
}

/// What the beginning of the bytes is, and how many of them.
enum Found {
    Whole(usize, Option<Input>),
    Paste(usize),
    /// More has to come.
    Part,
}

impl Parser {
    /// `has_more`: further bytes wait already, so a sequence that is not whole is not over.
    fn feed(&mut self, bytes: &[u8], has_more: bool) -> Vec<Input> {
        self.held.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        let mut at = 0;
        while at < self.held.len() {
            if self.paste.is_some() {
                match self.pasted(&mut at) {
                    Some(text) => inputs.push(text),
                    None => break,
                }
                continue;
            }
            match one(&self.held[at..], has_more) {
                Found::Whole(length, input) => {
                    at += length;
                    inputs.extend(input);
                }
                Found::Paste(length) => {
                    at += length;
                    self.paste = Some(Vec::new());
                }
                Found::Part => break,
            }
        }
        self.held.drain(..at);
        inputs
    }

    /// Takes in pasted text up to its end; what may be the beginning of the end is left.
    fn pasted(&mut self, at: &mut usize) -> Option<Input> {
        const END: &[u8] = b"\x1b[201~";
        let (rest, paste) = (&self.held[*at..], self.paste.as_mut()?);
        let end = rest.windows(END.len()).position(|window| window == END);
        let upto = end.unwrap_or_else(|| rest.len().saturating_sub(END.len() - 1));
        let room = LONGEST_PASTE.saturating_sub(paste.len());
        paste.extend_from_slice(&rest[..upto.min(room)]);
        *at += upto;
        end?;
        *at += END.len();
        let text = self.paste.take()?;
        // Terminals send line ends as Enter would.
        Some(Input::Paste(String::from_utf8_lossy(&text).replace("\r\n", "\n").replace('\r', "\n")))
    }
}

/// The first thing in the bytes, of which there is one at least.
fn one(bytes: &[u8], has_more: bool) -> Found {
    let key = |length, code| Found::Whole(length, Some(Input::Key(Key { code, mods: KeyModifiers::NONE })));
    match bytes {
        [0x1b] if has_more => Found::Part,
        [0x1b] | [0x1b, 0x1b, ..] => key(1, KeyCode::Esc),
        [0x1b, b'[' | b'O' | b']'] if has_more => Found::Part,
        [0x1b, b'[', _, ..] => csi(bytes),
        [0x1b, b'O', code, ..] => Found::Whole(3, ss3(*code)),
        [0x1b, b']', b'0'..=b'9', ..] => osc(bytes),
        [0x1b, rest @ ..] => match one(rest, has_more) {
            Found::Whole(length, Some(Input::Key(key))) => {
                Found::Whole(length + 1, Some(Input::Key(Key { mods: key.mods | KeyModifiers::ALT, ..key })))
            }
            other => other,
        },
        [b'\r', ..] => key(1, KeyCode::Enter),
        [b'\t', ..] => key(1, KeyCode::Tab),
        [0x7f, ..] => key(1, KeyCode::Backspace),
        [control @ 0..0x20, ..] => {
            let letter = match control {
                0 => b' ',
                1..=0x1a => control - 1 + b'a',
                _ => control - 0x1c + b'4',
            };
            let pressed = Key { code: KeyCode::Char(char::from(letter)), mods: KeyModifiers::CONTROL };
            Found::Whole(1, Some(Input::Key(pressed)))
        }
        _ => character(bytes),
    }
}

/// A character of UTF-8; a byte that begins none is dropped.
fn character(bytes: &[u8]) -> Found {
    let length = match bytes[0] {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return Found::Whole(1, None),
    };
    let there = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(there) {
        Ok(text) => Found::Whole(length, text.chars().next().map(|c| Input::Key(Key::char(c)))),
        Err(error) if error.error_len().is_none() => Found::Part,
        Err(_) => Found::Whole(1, None),
    }
}

/// The keys that send `ESC O` and a letter.
fn ss3(code: u8) -> Option<Input> {
    let code = match code {
        b'M' => KeyCode::Enter,
        code => letter_key(code)?,
    };
    Some(Input::Key(Key { code, mods: KeyModifiers::NONE }))
}

fn letter_key(code: u8) -> Option<KeyCode> {
    Some(match code {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(code - b'P' + 1),
        _ => return None,
    })
}

/// The keys that send `ESC [`, a number and a tilde.
fn numbered_key(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

/// `ESC [`, parameters, and the letter that ends it.
fn csi(bytes: &[u8]) -> Found {
    // The console of Linux sends its first five function keys so.
    if bytes[2] == b'[' {
        let Some(code) = bytes.get(3) else { return Found::Part };
        let number = code.wrapping_sub(b'A').wrapping_add(1);
        let key = (1..=5).contains(&number).then_some(Key { code: KeyCode::F(number), mods: KeyModifiers::NONE });
        return Found::Whole(4, key.map(Input::Key));
    }
    let Some(end) = bytes[2..].iter().position(|byte| !matches!(byte, 0x20..0x40)) else {
        return if bytes.len() > LONGEST_ANSWER { Found::Whole(bytes.len(), None) } else { Found::Part };
    };
    let (params, last, length) = (&bytes[2..2 + end], bytes[2 + end], end + 3);
    // Something else begins within: what came so far was nothing.
    if !(0x40..0x7f).contains(&last) {
        return Found::Whole(length - 1, None);
    }
    // The oldest way to tell of the mouse: three bytes follow.
    if last == b'M' && params.is_empty() {
        return match bytes.get(3..6) {
            Some(&[button, x, y]) => Found::Whole(6, old_mouse(button, x, y).map(Input::Mouse)),
            _ => Found::Part,
        };
    }
    let text = std::str::from_utf8(params).unwrap_or_default();
    if let (Some(rest), b'M' | b'm') = (text.strip_prefix('<'), last) {
        return Found::Whole(length, mouse(&numbers(rest), last == b'm').map(Input::Mouse));
    }
    if let Some(rest) = text.strip_prefix('?') {
        let answer = match (numbers(rest).as_slice(), last) {
            ([997, 1], b'n') => Some(Input::Ground { light: false }),
            ([997, 2], b'n') => Some(Input::Ground { light: true }),
            (_, b'c') => Some(Input::Answered),
            _ => None,
        };
        return Found::Whole(length, answer);
    }
    let numbers = numbers(text);
    let (first, mods) = (numbers.first().copied().unwrap_or(1), modifiers(numbers.get(1).copied()));
    let code = match last {
        b'~' if first == 200 => return Found::Paste(length),
        b'~' => numbered_key(first),
        b'Z' => Some(KeyCode::BackTab),
        b'u' => named(first),
        letter => letter_key(letter),
    };
    Found::Whole(length, code.map(|code| Input::Key(as_pressed(code, mods))))
}

/// A key told by its number in Unicode.
fn named(number: u32) -> Option<KeyCode> {
    Some(match number {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        number => KeyCode::Char(char::from_u32(number).filter(|c| !c.is_control())?),
    })
}

/// As the keymap has it.
fn as_pressed(code: KeyCode, mods: KeyModifiers) -> Key {
    let event = match code {
        KeyCode::Tab if mods == KeyModifiers::SHIFT => crossterm::event::KeyEvent::new(KeyCode::BackTab, mods),
        KeyCode::Char(c) if mods == KeyModifiers::SHIFT => {
            crossterm::event::KeyEvent::new(KeyCode::Char(c.to_ascii_uppercase()), mods)
        }
        code => crossterm::event::KeyEvent::new(code, mods),
    };
    event.into()
}

/// Parameters, those that are left out as 1.
fn numbers(text: &str) -> Vec<u32> {
    if text.is_empty() {
        return Vec::new();
    }
    // What stands behind a colon refines a parameter in ways that nothing here uses.
    text.split(';').map(|part| part.split(':').next().and_then(|part| part.parse().ok()).unwrap_or(1)).collect()
}

fn modifiers(param: Option<u32>) -> KeyModifiers {
    let bits = param.unwrap_or(1).saturating_sub(1);
    let mut mods = KeyModifiers::NONE;
    for (bit, modifier) in [(1, KeyModifiers::SHIFT), (2, KeyModifiers::ALT), (4, KeyModifiers::CONTROL)] {
        if bits & bit != 0 {
            mods |= modifier;
        }
    }
    mods
}

fn old_mouse(button: u8, x: u8, y: u8) -> Option<MouseEvent> {
    let place = |byte: u8| u32::from(byte).saturating_sub(32);
    mouse(&[place(button), place(x), place(y)], button & 3 == 3)
}

fn mouse(numbers: &[u32], released: bool) -> Option<MouseEvent> {
    let &[bits, x, y] = numbers else { return None };
    let button = match bits & 3 {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    };
    let kind = match bits & 0b1110_0011 {
        64 => MouseEventKind::ScrollUp,
        65 => MouseEventKind::ScrollDown,
        66 => MouseEventKind::ScrollLeft,
        67 => MouseEventKind::ScrollRight,
        35 => MouseEventKind::Moved,
        32..=34 => MouseEventKind::Drag(button),
        0..=3 if released => MouseEventKind::Up(button),
        0..=2 => MouseEventKind::Down(button),
        _ => return None,
    };
    let mut mods = KeyModifiers::NONE;
    for (bit, modifier) in [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)] {
        if bits & bit != 0 {
            mods |= modifier;
        }
    }
    let cell = |place: u32| u16::try_from(place.saturating_sub(1)).unwrap_or(u16::MAX);
    Some(MouseEvent { kind, column: cell(x), row: cell(y), modifiers: mods })
}

/// `ESC ]`, text, and what ends it: BEL or `ESC \`.
fn osc(bytes: &[u8]) -> Found {
    let Some(end) = bytes[2..].iter().position(|byte| matches!(byte, 0x07 | 0x1b)) else {
        return if bytes.len() > LONGEST_ANSWER { Found::Whole(bytes.len(), None) } else { Found::Part };
    };
    let length = match (bytes[2 + end], bytes.get(3 + end)) {
        (0x07, _) => end + 3,
        (_, Some(b'\\')) => end + 4,
        (_, None) => return Found::Part,
        // Something else begins within.
        _ => return Found::Whole(end + 2, None),
    };
    let text = std::str::from_utf8(&bytes[2..2 + end]).unwrap_or_default();
    let light = text.strip_prefix("11;").and_then(is_light);
    Found::Whole(length, light.map(|light| Input::Ground { light }))
}

/// Whether a colour such as `rgb:1e1e/1e1e/2e2e` is a light one.
fn is_light(color: &str) -> Option<bool> {
    let (_, parts) = color.split_once(':')?;
    let mut shares = parts.split('/').take(3).map(|part| {
        let most = 16u32.checked_pow(part.len() as u32)?.checked_sub(1).filter(|most| *most > 0)?;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(most))
    });
    let (r, g, b) = (shares.next()??, shares.next()??, shares.next()??);
    Some(0.299 * r + 0.587 * g + 0.114 * b > 0.5)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::keys;

    /// As they are shown, parted by commas.
    fn read(bytes: &[u8]) -> String {
        words(&Parser::default().feed(bytes, false))
    }

    fn words(inputs: &[Input]) -> String {
        let word = |input: &Input| match input {
            Input::Key(key) => keys::write(&[*key]),
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
            (b"\x1b]\x1b[", "alt-], alt-["),
            (b"\x1b[I\x1b[999~\xff\x1b[12;3", ""),
        ] {
            assert_eq!(read(bytes), expected, "{bytes:?}");
        }
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
        assert_eq!(read(b"\x1b]11;nonsense\x07\x1b]4;1;rgb:00/00/00\x1b\\"), "");
    }

    proptest! {
        /// Whatever comes: it ends, and how it is cut into pieces changes nothing but a lone escape.
        #[test]
        fn pieces_make_no_difference(
            words in prop::collection::vec(prop::sample::select(vec![
                "\x1b[A", "\x1b]11;rgb:00/00/00\x1b\\", "\x1b[<0;3;4M", "j", "ä", "\x1b[200~x\x1b[201~", "\x1bOP", "\x1b[?64c",
            ]), 0..12),
            cuts in prop::collection::vec(1usize..7, 1..40),
        ) {
            let bytes = words.concat().into_bytes();
            let whole = Parser::default().feed(&bytes, false);
            let (mut parser, mut pieces, mut at) = (Parser::default(), Vec::new(), 0);
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
            let mut parser = Parser::default();
            parser.feed(&bytes, false);
            prop_assert!(parser.held.len() <= LONGEST_ANSWER + 8);
        }
    }
}
