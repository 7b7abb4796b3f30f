//! The kinds of layers, with their data.

use std::borrow::Cow;

use crate::tui::screen::code::Answer as Symbol;
use crate::tui::{
    keymap::Action, layer::picker::data::Picker, list::ListPane, screen::step::conflict::Conflict, widget::list::List,
};

#[derive(Clone, Debug)]
pub enum Layer {
    Palette(Palette),
    /// The selection.
    Hover(Hover),
    /// A list of places.
    Picker(Box<Picker>),
    Command(Box<CommandLine>),
    /// A name and a password.
    Login(Login),
    /// The filter or search line, and what was there before it.
    Prompt {
        words: String,
        before: String,
    },
    Question(Box<Question>),
    Jobs(Jobs),
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

#[derive(Clone, Debug)]
pub struct Question {
    pub title: Cow<'static, str>,
    /// What it affects, and what cannot be undone; it may be longer than the screen.
    pub lines: Vec<String>,
    pub answer: Answer,
    /// How many lines are scrolled out of view.
    pub(super) from: usize,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// There is nothing to decide: any key closes it.
    Read,
    /// The text is not complete yet: the question replaces this.
    Loading(Action),
    /// `y`; any other key declines.
    Yes(Action),
    /// Only a fully typed word confirms.
    Word { word: String, other: Option<String>, typed: String, is_missed: bool, action: Action },
    /// Any text; Enter accepts it. `error`: what is wrong with the typed text.
    Text { typed: String, error: Option<String>, purpose: Purpose },
    /// Keys, each with its action; any other key does nothing.
    Keys(Vec<(char, &'static str, Action)>),
}

/// The use of a typed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A file to write the graph to.
    SaveGraph,
    /// A file to write the deploy of this number to.
    SaveDeploy(u64),
    /// A condition for a breakpoint; it replaces the breakpoint at this position.
    Breakpoint(Option<usize>),
    Import,
}

impl Question {
    fn new(title: impl Into<Cow<'static, str>>, lines: Vec<String>, answer: Answer) -> Self {
        Self { title: title.into(), lines, answer, from: 0 }
    }

    pub fn report(title: impl Into<Cow<'static, str>>, lines: Vec<String>) -> Self {
        Self::new(title, lines, Answer::Read)
    }

    pub fn loading(lines: Vec<String>, action: Action) -> Self {
        Self::new(matter(action), lines, Answer::Loading(action))
    }

    pub fn yes(lines: Vec<String>, action: Action) -> Self {
        Self::new(matter(action), lines, Answer::Yes(action))
    }

    /// `other`: another word that confirms.
    pub fn word(lines: Vec<String>, word: String, other: Option<String>, action: Action) -> Self {
        let answer = Answer::Word { word, other, typed: String::new(), is_missed: false, action };
        Self::new(matter(action), lines, answer)
    }

    pub fn text(title: &'static str, lines: Vec<String>, typed: String, why: Option<String>, purpose: Purpose) -> Self {
        Self::new(title, lines, Answer::Text { typed, error: why, purpose })
    }

    pub fn keys(title: &'static str, lines: Vec<String>, keys: Vec<(char, &'static str, Action)>) -> Self {
        Self::new(title, lines, Answer::Keys(keys))
    }

    /// The action that it confirms.
    pub fn confirms(&self) -> Option<Action> {
        match self.answer {
            Answer::Yes(action) | Answer::Word { action, .. } => Some(action),
            _ => None,
        }
    }

    /// The action whose question is loading.
    pub fn loads(&self) -> Option<Action> {
        match self.answer {
            Answer::Loading(action) => Some(action),
            _ => None,
        }
    }

    pub fn paste(&mut self, words: &str) {
        match &mut self.answer {
            Answer::Word { typed, is_missed, .. } => {
                typed.push_str(words);
                *is_missed = false;
            }
            Answer::Text { typed, .. } => typed.push_str(words),
            _ => {}
        }
    }
}

/// The title of a question.
fn matter(action: Action) -> &'static str {
    match action {
        Action::AddImport => "Add an import",
        Action::PruneModules => "Remove fetched modules",
        Action::Approve => "Approve modules",
        Action::UndoDeploy | Action::RollBack => "Undo",
        Action::LeaveOut | Action::Skip => "Skip",
        Action::Mend => "Use the edit",
        Action::Arm => "Apply?",
        Action::Attach => "Attach?",
        Action::Resume | Action::RunAgain => "Resume?",
        // The lock was held.
        Action::ArmAgain => "Not applied",
        Action::Stop => "End deploy",
        Action::Quit => "Quit",
        _ => "Sure?",
    }
}

#[derive(Clone, Debug, Default)]
pub struct Palette {
    pub(super) words: String,
    /// Positions in the table, best first.
    pub(super) list: ListPane<Vec<usize>>,
}

/// The answer and its scroll position.
#[derive(Clone, Debug)]
pub struct Hover {
    pub(super) answer: Box<Symbol>,
    pub(super) offset: usize,
}

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
