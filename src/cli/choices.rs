//! Numbered choices at a stop, and their answers.
//!
//! Unavailable choices are left out, and the numbers of the others have no gaps. Letters and names work too; the
//! letters are those of the screens.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::face::Face;
use super::paint::Role;
use crate::graph::ResourceId;
use crate::plan::stop::named_among;
use crate::session::Interrupts;

/// How often interrupts are checked while nothing is typed.
const LOOK: Duration = Duration::from_millis(50);
/// The longest answer.
const LONGEST: usize = 64 << 10;

/// One choice.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// The letter in scripts and on the screens.
    pub letter: &'static str,
    pub name: &'static str,
    /// Its effect, for `help`.
    pub does: &'static str,
    /// Its argument, if it needs one.
    pub wants: &'a str,
}

/// `1 step  2 over  5 to RESOURCE`, wrapped between choices.
pub fn in_lines<'a>(choices: impl IntoIterator<Item = &'a Choice<'a>>) -> String {
    const WIDTH: usize = 78;
    let mut lines = vec![String::new()];
    for (number, Choice { name, wants, .. }) in (1..).zip(choices) {
        let one = format!("{number} {name} {wants}");
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(one.trim_end()),
            Some(line) if line.len() + 2 + one.len() <= WIDTH => line.extend(["  ", one.trim_end()]),
            _ => lines.push(one.trim_end().to_owned()),
        }
    }
    lines.join("\n")
}

/// The choice at the start of an answer, by number, letter or name, in either case, and the rest of the answer.
pub fn chosen<'a, 'b>(choices: &'a [Choice<'a>], answer: &'b str) -> Option<(&'a Choice<'a>, &'b str)> {
    let answer = answer.trim();
    let (word, rest) = answer.split_once(char::is_whitespace).unwrap_or((answer, ""));
    let is_it = |(number, one): &(usize, &Choice<'_>)| {
        one.letter.eq_ignore_ascii_case(word) || one.name.eq_ignore_ascii_case(word) || word.parse() == Ok(*number)
    };
    Some(((1..).zip(choices).find(is_it)?.1, rest.trim()))
}

/// Whether an answer asks for help.
pub fn asks_for_help(answer: &str) -> bool {
    matches!(answer.trim(), "?" | "h" | "help")
}

/// Writes each choice with its number, letter and effect.
pub fn write_help(face: &mut Face, choices: &[Choice<'_>]) -> io::Result<()> {
    for (number, Choice { letter, name, does, .. }) in (1..).zip(choices) {
        writeln!(face.out, "  {number:>2}  {letter}  {name:<9} {does}")?;
    }
    writeln!(face.out, "      ?  {:<9} List these", "help")
}

/// Longer lists are cut.
const MOST: usize = 20;

/// Writes the numbers by which an answer can name resources.
pub fn list_numbered(face: &mut Face, ids: &BTreeSet<&ResourceId>) -> io::Result<()> {
    for (number, id) in (1..).zip(ids.iter().take(MOST)) {
        writeln!(face.out, "  {number} {id}")?;
    }
    match ids.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => writeln!(face.out, "  and {more} more, by their names"),
    }
}

/// The resource that an answer names: by number, name, or a part of its name.
pub fn find_named(word: &str, ids: &BTreeSet<&ResourceId>) -> Result<ResourceId, String> {
    let numbered = word.parse().ok().and_then(|number: usize| ids.iter().nth(number.checked_sub(1)?));
    numbered.map_or_else(|| named_among(word, || ids.iter().copied()), |id| Ok(ResourceId::clone(id)))
}

/// The result of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Line(String),
    /// There is no more input: Ctrl-D, or the end of a pipe.
    End,
    /// The terminal is gone; this is not an answer.
    Gone,
    /// Ctrl-C.
    Interrupted,
    /// No answer in time.
    Late,
}

/// Lines of standard input; waiting for one ends with Ctrl-C.
#[derive(Debug, Default)]
pub struct Answers {
    read: Vec<u8>,
    /// Why there is no more input.
    over: Option<Answer>,
}

impl Answers {
    /// As if this had been typed ahead.
    #[cfg(test)]
    pub fn typed(text: &str) -> Self {
        Self { read: text.into(), ..Self::default() }
    }

    /// Asks, and waits for a line.
    pub fn ask(&mut self, face: &mut Face, question: &str, interrupts: &Interrupts) -> io::Result<Answer> {
        self.ask_until(face, question, interrupts, None)
    }

    /// The same, with a time limit.
    pub fn ask_within(
        &mut self,
        face: &mut Face,
        question: &str,
        interrupts: &Interrupts,
        patience: Duration,
    ) -> io::Result<Answer> {
        self.ask_until(face, question, interrupts, Instant::now().checked_add(patience))
    }

    fn ask_until(
        &mut self,
        face: &mut Face,
        question: &str,
        interrupts: &Interrupts,
        until: Option<Instant>,
    ) -> io::Result<Answer> {
        write!(face.out, "{}", face.paint.role(Role::Title, question))?;
        face.out.flush()?;
        let answer = self.line(interrupts, until)?;
        if !matches!(answer, Answer::Line(_) | Answer::Gone) {
            // These have no line break of their own.
            writeln!(face.out)?;
            face.out.flush()?;
        }
        Ok(answer)
    }

    fn line(&mut self, interrupts: &Interrupts, until: Option<Instant>) -> io::Result<Answer> {
        loop {
            if interrupts.count() > 0 {
                return Ok(Answer::Interrupted);
            }
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Ok(Answer::Line(String::from_utf8_lossy(&line).trim().to_owned()));
            }
            if self.over == Some(Answer::Gone) {
                return Ok(Answer::Gone);
            }
            if self.over.is_some() || self.read.len() > LONGEST {
                // A last line without an end counts, as it does for a shell.
                let rest = std::mem::take(&mut self.read);
                let rest = String::from_utf8_lossy(&rest).trim().to_owned();
                return Ok(if rest.is_empty() { Answer::End } else { Answer::Line(rest) });
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(Answer::Late);
            }
            self.fill()?;
        }
    }

    /// Reads the available input, or waits a moment for it.
    fn fill(&mut self) -> io::Result<()> {
        let stdin = io::stdin();
        let moment = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&moment)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 4096];
        match rustix::io::read(&stdin, &mut bytes) {
            Ok(0) => self.over = Some(if is_hung_up(&stdin) { Answer::Gone } else { Answer::End }),
            Ok(count) => self.read.extend_from_slice(&bytes[..count]),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(rustix::io::Errno::IO) => self.over = Some(Answer::Gone),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// The error of a terminal that is gone.
pub fn terminal_gone() -> io::Error {
    rustix::io::Errno::IO.into()
}

/// Whether an error is that one.
pub fn is_terminal_gone(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::IO)
}

/// Reading from a terminal that was hung up looks like Ctrl-D. A pipe is not a terminal, so it is not hung up.
fn is_hung_up(stdin: &io::Stdin) -> bool {
    matches!(rustix::termios::tcgetattr(stdin), Err(rustix::io::Errno::IO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_before_the_deadline_counts() {
        let (interrupts, over) = (Interrupts::default(), Some(Instant::now()));
        let mut answers = Answers::typed("retry\nski");
        assert_eq!(answers.line(&interrupts, over).ok(), Some(Answer::Line("retry".into())));
        assert_eq!(answers.line(&interrupts, over).ok(), Some(Answer::Late));
        assert_eq!(answers.read, b"ski");
    }
}
