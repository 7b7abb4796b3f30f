//! Why an evaluation ends early: an error, or `next`, `break` and `return`, which are values and no errors.

use crate::diag::{Code, Stage};
use crate::lang::puppet::issue::{Advice, Issue, IssueName, Text};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// The reason why an evaluation ends early.
#[derive(Debug)]
pub enum Stop {
    Fail(Box<Issue>),
    Next(Value),
    Break(Span),
    Return(Value, Span),
}

/// The result of an evaluation at a known place.
pub type Run<V = Value> = Result<V, Stop>;

/// What is wrong, without a place.
#[derive(Debug)]
pub struct Problem {
    pub name: IssueName,
    pub message: String,
    pub code: Option<Code>,
    pub help: Option<Text>,
    pub about: About,
}

/// What a problem is about, so that its place can be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    #[default]
    Whole,
    /// An operand that is no number.
    Number,
    /// An operand that an operator does not take.
    Operand,
    /// The key of an access, by its index.
    Key(usize),
    /// A key that is not an index.
    Index,
}

/// The result of an operation that does not know its place in the program.
pub type Computed<V = Value> = Result<V, Problem>;

impl Problem {
    /// Makes a problem with the reference's code and message.
    pub fn new(name: IssueName, message: impl Into<String>) -> Self {
        Self { name, message: message.into(), code: None, help: None, about: About::Whole }
    }

    /// A problem for which Puppet has no name of its own.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new(IssueName::RuntimeError, message)
    }

    /// A value of another type than the expected one.
    pub fn wrong_type(message: impl Into<String>) -> Self {
        Self::new(IssueName::WrongType, message)
    }

    /// A number of arguments that the callee does not take.
    pub fn wrong_count(message: impl Into<String>) -> Self {
        Self::new(IssueName::WrongCount, message)
    }

    /// A problem with a regular expression, in the words of the library that compiles it.
    pub fn regexp(message: String) -> Self {
        let help = match message.split_once(" regex") {
            Some(("Error compiling", _)) => "use a smaller expression: repetitions inside repetitions multiply",
            Some(("Error executing", _)) => "avoid repetitions inside repetitions, such as `(a*)*`",
            _ if message.contains("Opening parenthesis without closing") => {
                "add the `)` that closes the group, or write `\\(` for the character"
            }
            _ if message.contains("Closing parenthesis without opening") => {
                "remove the `)`, or write `\\)` for the character"
            }
            _ => "close each `(` and `[`, and write `\\` before a bracket that is text",
        };
        Self::runtime(message).code(Code::InvalidRegexp).help(help)
    }

    /// Sets the part of the expression that the problem is about.
    pub fn about(self, about: About) -> Self {
        Self { about, ..self }
    }

    /// Sets our code, which decides the title.
    pub fn code(self, code: Code) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Sets the help text.
    pub fn help(self, help: impl Into<Text>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Converts the problem to a failure of the evaluation at a place.
    pub fn at(self, span: Span) -> Stop {
        let issue = Issue::new(self.name, Stage::Eval, Some(span), self.message);
        let advice = Advice { code: self.code, help: self.help, ..Advice::default() };
        Stop::Fail(Box::new(Issue { advice, ..issue }))
    }
}

/// Gives a problem its place.
pub trait At<V> {
    fn at(self, span: Span) -> Run<V>;
}

/// Gives a problem the place of what it is about.
pub trait AtPart<V> {
    fn at_part(self, place: impl FnOnce(About) -> Span) -> Run<V>;
}

impl<V> AtPart<V> for Computed<V> {
    fn at_part(self, place: impl FnOnce(About) -> Span) -> Run<V> {
        self.map_err(|problem| {
            let span = place(problem.about);
            problem.at(span)
        })
    }
}

impl<V> At<V> for Computed<V> {
    fn at(self, span: Span) -> Run<V> {
        self.map_err(|problem| problem.at(span))
    }
}

impl<V> At<V> for Result<V, String> {
    fn at(self, span: Span) -> Run<V> {
        self.map_err(|message| Problem::runtime(message).at(span))
    }
}

/// Fails at a place, with the reference's code and message.
pub fn fail<V>(span: Span, name: IssueName, message: impl Into<String>) -> Run<V> {
    Err(Problem::new(name, message).at(span))
}

/// Fails at a place with a problem for which Puppet has no name of its own.
pub fn runtime<V>(span: Span, message: impl Into<String>) -> Run<V> {
    fail(span, IssueName::RuntimeError, message)
}

/// Fails for a function such as `return` where nothing around it can end.
pub fn misplaced<V>(span: Span, function: &str) -> Run<V> {
    runtime(span, format!("{function}() from context where this is illegal"))
        .code(Code::Misplaced)
        .help("use it only inside a function, a class, a define or a lambda")
}

/// Details of a problem, given where it is raised.
pub trait Help: Sized {
    fn advise(self, change: impl FnOnce(Advice) -> Advice) -> Self;

    /// What to do about it.
    fn help(self, help: impl Into<Text>) -> Self {
        self.advise(|advice| advice.help(help))
    }

    /// Our code, which decides the title.
    fn code(self, code: Code) -> Self {
        self.advise(|advice| Advice { code: Some(code), ..advice })
    }

    /// The place to edit, where it is not that of the reference.
    fn edit(self, place: Span) -> Self {
        self.advise(|advice| Advice { place: Some(place), ..advice })
    }

    /// Our words, where those of the reference explain less.
    fn label(self, label: impl Into<String>) -> Self {
        self.advise(|advice| Advice { label: Some(label.into()), ..advice })
    }

    fn related(self, place: Span, message: impl Into<String>) -> Self {
        self.advise(|advice| advice.related(place, message))
    }
}

impl Help for Stop {
    fn advise(self, change: impl FnOnce(Advice) -> Advice) -> Self {
        match self {
            Stop::Fail(mut issue) => {
                issue.advice = change(std::mem::take(&mut issue.advice));
                Stop::Fail(issue)
            }
            stop => stop,
        }
    }
}

impl<V> Help for Run<V> {
    fn advise(self, change: impl FnOnce(Advice) -> Advice) -> Self {
        self.map_err(|stop| stop.advise(change))
    }
}

/// Help that many problems share.
pub mod help {
    /// The help for a wrong number of arguments.
    pub const COUNT: &str = "give as many arguments as it takes";
    /// The help for a value of another type than the expected one.
    pub const EXPECTED: &str = "change the value, or the type that is expected";
    /// The help for an unknown result of Ruby that may run with `--run-plugins`.
    pub const UNKNOWN: &str = "use `--run-plugins` to run it, or `--allow-unknown` to go on without its result";
    /// The help for an unknown result that no plugin can provide.
    pub const UNKNOWN_HERE: &str = "use `--allow-unknown` to go on without its result";
    /// The help for a parameter without a value.
    pub const VALUE: &str = "give the parameter a value, or a default";
}
