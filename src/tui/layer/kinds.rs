//! The kinds of layers, with their data.

use crate::tui::keymap::Action;
use crate::tui::layer::picker::data::Picker;
use crate::tui::screen::code::Answer;
use crate::tui::screen::step::conflict::Conflict;
use crate::tui::widget::list::List;

/// One layer.
#[derive(Clone, Debug)]
pub enum Layer {
    Palette(Palette),
    /// The selection.
    Hover(Hover),
    /// A list of places.
    Picker(Box<Picker>),
    /// The command line.
    Command(Box<CommandLine>),
    /// A name and a password.
    Login(Login),
    /// The filter or search line, and what was there before it.
    Prompt {
        words: String,
        before: String,
    },
    /// A question; the default does nothing.
    Confirm {
        lines: Vec<String>,
        action: Action,
    },
    /// A question whose answer is loading: the question replaces this.
    Reading {
        lines: Vec<String>,
        action: Action,
    },
    /// A question that only a fully typed word confirms.
    Typed {
        lines: Vec<String>,
        word: String,
        /// Another word that confirms.
        other: Option<String>,
        typed: String,
        /// Enter was pressed on a text that is neither.
        is_missed: bool,
        action: Action,
    },
    /// A question that is answered with text; Enter accepts it.
    Words {
        title: &'static str,
        lines: Vec<String>,
        typed: String,
        action: Action,
    },
    /// A question with several answers, each a key; the default does nothing.
    Choose {
        title: &'static str,
        lines: Vec<String>,
        choices: Vec<(char, &'static str, Action)>,
    },
    /// The running jobs.
    Jobs(Jobs),
    /// The breakpoints.
    Breaks(Breaks),
    /// A question that is answered with one line.
    Line(Box<Line>),
    /// A question about someone else's change.
    Conflict(Box<Question>),
    /// A text to read.
    Notice {
        title: String,
        lines: Vec<String>,
    },
}

impl Layer {
    pub fn confirm(lines: Vec<String>, action: Action) -> Self {
        Layer::Confirm { lines, action }
    }

    /// Why nothing can be undone.
    pub fn undo_notice(lines: Vec<String>) -> Self {
        Layer::Notice { title: "Undo".into(), lines }
    }

    /// The text of a question or a report; it may be longer than the screen.
    pub fn text(&self) -> Option<&[String]> {
        match self {
            Layer::Confirm { lines, .. }
            | Layer::Reading { lines, .. }
            | Layer::Typed { lines, .. }
            | Layer::Words { lines, .. }
            | Layer::Choose { lines, .. }
            | Layer::Notice { lines, .. } => Some(lines),
            Layer::Line(line) => Some(&line.lines),
            _ => None,
        }
    }
}

/// The state of the palette.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    pub(super) words: String,
    /// Positions in the table, best first.
    pub(super) shown: Vec<usize>,
    pub(super) list: List,
}

/// The answer and its scroll position.
#[derive(Clone, Debug)]
pub struct Hover {
    pub(super) answer: Box<Answer>,
    pub(super) offset: usize,
}

/// The state of the line.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    pub line: String,
    /// The position in the history, from 1; 0 is the typed text.
    pub(super) back: usize,
    /// The typed text before the user went back in the history.
    pub(super) draft: String,
    pub(super) candidates: Vec<Candidate>,
    /// The candidate that Tab inserted, and the line before it.
    pub(super) picked: Option<(usize, String)>,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line with the completion.
    pub line: String,
    /// The part of the line that it completes.
    pub shown: String,
    pub title: String,
    /// Why it cannot run now.
    pub why_not: Option<String>,
}

/// The typed text so far.
#[derive(Clone, Default)]
pub struct Login {
    pub(super) url: String,
    /// The user name that was refused before.
    pub(super) refused: Option<String>,
    pub(super) user: String,
    pub(super) password: String,
    pub(super) at_password: bool,
}

/// Which row is selected.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jobs {
    pub(super) cursor: usize,
}

/// The cursor in the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaks {
    pub(super) list: List,
}

/// The use of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A file to write the graph to.
    SaveGraph,
    /// A file to write the deploy of this number to.
    SaveDeploy(u64),
    /// A condition for a breakpoint; it replaces the breakpoint at this position.
    Breakpoint(Option<usize>),
}

/// The line and the question.
#[derive(Clone, Debug)]
pub struct Line {
    pub title: String,
    pub lines: Vec<String>,
    pub words: String,
    /// What is wrong with the typed text.
    pub error: Option<String>,
    pub keys: Vec<(&'static str, &'static str)>,
    pub purpose: Purpose,
}

/// The conflict and the scroll position.
#[derive(Clone, Debug)]
pub struct Question {
    pub conflict: Conflict,
    pub(super) offset: usize,
}
