//! The kinds of layers, with their data.

use crate::tui::keymap::Action;
use crate::tui::layer::picker::data::Picker;
use crate::tui::layer::question::Question;
use crate::tui::list::ListPane;
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
    /// A question or a report.
    Question(Box<Question>),
    /// The running jobs.
    Jobs(Jobs),
    /// The breakpoints.
    Breaks(Breaks),
    /// A question about someone else's change.
    Conflict(Box<Difference>),
}

impl From<Question> for Layer {
    fn from(question: Question) -> Self {
        Layer::Question(Box::new(question))
    }
}

impl Layer {
    /// The question, if it is one.
    pub fn question(&self) -> Option<&Question> {
        match self {
            Layer::Question(question) => Some(question),
            _ => None,
        }
    }

    /// The action that its question confirms.
    pub fn confirms(&self) -> Option<Action> {
        self.question()?.confirms()
    }

    /// The action whose question is loading.
    pub fn loads(&self) -> Option<Action> {
        self.question()?.loads()
    }
}

/// The state of the palette.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    pub(super) words: String,
    /// Positions in the table, best first.
    pub(super) list: ListPane<Vec<usize>>,
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
    pub(super) list: List,
}

/// The cursor in the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaks {
    pub(super) list: List,
}

/// The conflict and the scroll position.
#[derive(Clone, Debug)]
pub struct Difference {
    pub conflict: Conflict,
    pub(super) offset: usize,
}
