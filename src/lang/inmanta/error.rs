//! What goes wrong: one value with the reference's class name, a place and its causes.

use std::path::{Path, PathBuf};

use super::context::Files;
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::source::{Sources, Span};

/// The reference's exception classes that this front end raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Parser,
    InvalidNamespaceAccess,
    Compiler,
    Runtime,
    /// The reference has the class of `Runtime` for it.
    WrongValue,
    Hyphen,
    TypeNotFound,
    MissingImport,
    AmbiguousType,
    NotFound,
    Typing,
    Duplicate,
    Cycle,
    DirectExecute,
    IndexAttributeMissing,
    Index,
    IndexCollision,
    DoubleSet,
    ModifiedAfterFreeze,
    Unset,
    OptionalValue,
    Key,
    External,
    ExplicitPlugin,
    Wrapping,
    Attribute,
    PluginType,
    ModuleLoading,
    Multi,
    InvalidPrecedenceRule,
    PrecedenceCycle,
    InvalidMetadata,
    Resource,
    DependencyCycle,
    /// An error that the reference does not catch.
    Internal,
}

impl Class {
    /// The name of the class in the reference.
    pub fn name(self) -> &'static str {
        match self {
            Class::Parser => "ParserException",
            Class::InvalidNamespaceAccess => "InvalidNamespaceAccess",
            Class::Compiler => "CompilerException",
            Class::Runtime | Class::WrongValue => "RuntimeException",
            Class::Hyphen => "HyphenException",
            Class::TypeNotFound => "TypeNotFoundException",
            Class::MissingImport => "MissingImportException",
            Class::AmbiguousType => "AmbiguousTypeException",
            Class::NotFound => "NotFoundException",
            Class::Typing => "TypingException",
            Class::Duplicate => "DuplicateException",
            Class::Cycle => "CycleException",
            Class::DirectExecute => "DirectExecuteException",
            Class::IndexAttributeMissing => "IndexAttributeMissingInConstructorException",
            Class::Index => "IndexException",
            Class::IndexCollision => "IndexCollisionException",
            Class::DoubleSet => "DoubleSetException",
            Class::ModifiedAfterFreeze => "ModifiedAfterFreezeException",
            Class::Unset => "UnsetException",
            Class::OptionalValue => "OptionalValueException",
            Class::Key => "KeyException",
            Class::External => "ExternalException",
            Class::ExplicitPlugin => "ExplicitPluginException",
            Class::Wrapping => "WrappingRuntimeException",
            Class::Attribute => "AttributeException",
            Class::PluginType => "PluginTypeException",
            Class::ModuleLoading => "ModuleLoadingException",
            Class::Multi => "MultiException",
            Class::InvalidPrecedenceRule => "InvalidRelationPrecedenceRuleError",
            Class::PrecedenceCycle => "CycleInRelationPrecedencePolicyError",
            Class::InvalidMetadata => "InvalidMetadata",
            Class::Resource => "ResourceException",
            Class::DependencyCycle => "DependencyCycleException",
            Class::Internal => "Exception",
        }
    }

    /// Whether the class is caught as a `RuntimeException`.
    pub fn is_runtime(self) -> bool {
        !matches!(
            self,
            Class::Parser
                | Class::InvalidNamespaceAccess
                | Class::Compiler
                | Class::Multi
                | Class::InvalidPrecedenceRule
                | Class::PrecedenceCycle
                | Class::InvalidMetadata
                | Class::Resource
                | Class::DependencyCycle
                | Class::Internal
        )
    }

    /// The order in which a list of errors is shown: small numbers first.
    fn importance(self) -> u32 {
        match self {
            Class::Typing | Class::Index | Class::IndexCollision | Class::IndexAttributeMissing | Class::Cycle => 10,
            Class::DirectExecute => 11,
            Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType | Class::NotFound => 20,
            Class::Duplicate => 40,
            Class::ModifiedAfterFreeze => 50,
            Class::DoubleSet => 51,
            Class::External | Class::ExplicitPlugin => 60,
            Class::OptionalValue => 61,
            Class::Key => 70,
            _ => 100,
        }
    }

    /// What to do about it, where the error itself has no better advice.
    fn way_out(self) -> &'static str {
        match self {
            Class::Parser | Class::InvalidNamespaceAccess => "compare the statement with the examples of the manual",
            Class::Hyphen => "write `_` in place of `-`",
            Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType => {
                "define the type, or import the module that has it"
            }
            Class::NotFound => "define it, or correct its name",
            Class::Duplicate => "remove or rename one of the two",
            Class::Cycle => "remove one of these `extends`",
            Class::DirectExecute => "use only literals, operators and plugins in the condition of a type",
            Class::IndexAttributeMissing => "pass each attribute of the index to the constructor",
            Class::Index | Class::IndexCollision => "compare the attributes with the `index` statements of the entity",
            Class::DoubleSet => "set it once, or to the same value each time",
            Class::ModifiedAfterFreeze => "add all values before the list is read as a whole",
            Class::Unset => "set the attribute, or give it a default",
            Class::OptionalValue => "ask `is defined` before the value is read",
            Class::Key => "use a key of the dictionary, or ask `is defined` first",
            Class::External | Class::ExplicitPlugin => "check the arguments of the call, and the plugin",
            Class::ModuleLoading => "add the module to the module path, or correct the import",
            Class::InvalidPrecedenceRule | Class::PrecedenceCycle | Class::InvalidMetadata => {
                "correct `relation_precedence_policy` in project.yml"
            }
            Class::Resource => "correct the attributes that name the resource",
            Class::DependencyCycle => "remove one of these `requires` or `provides`",
            Class::Typing | Class::PluginType => "compare the value with the declared type",
            Class::Compiler => "change the file that is named",
            Class::Internal => "change the value, or the statement that uses it",
            Class::Runtime | Class::WrongValue | Class::Wrapping | Class::Attribute | Class::Multi => {
                "change the value, or the statement that uses it"
            }
        }
    }

    fn code(self) -> Code {
        match self {
            Class::Parser | Class::InvalidNamespaceAccess => Code::UnexpectedToken,
            Class::Hyphen => Code::InvalidName,
            Class::TypeNotFound | Class::MissingImport => Code::UnknownType,
            Class::AmbiguousType => Code::InvalidType,
            Class::NotFound => Code::UnknownVariable,
            Class::Duplicate => Code::DuplicateName,
            Class::ModuleLoading => Code::UnknownImport,
            Class::Typing | Class::PluginType | Class::WrongValue => Code::TypeMismatch,
            Class::Cycle => Code::InheritanceCycle,
            Class::DirectExecute => Code::Misplaced,
            Class::IndexAttributeMissing | Class::Unset => Code::MissingParameter,
            Class::Index | Class::IndexCollision => Code::InvalidReference,
            Class::DoubleSet => Code::AssignedTwice,
            Class::ModifiedAfterFreeze => Code::LateValue,
            Class::OptionalValue => Code::UndefinedValue,
            Class::Key => Code::UnknownKey,
            Class::External => Code::FunctionFailed,
            Class::ExplicitPlugin => Code::PluginFailed,
            Class::InvalidPrecedenceRule | Class::PrecedenceCycle | Class::InvalidMetadata => Code::InvalidMetadata,
            Class::Resource => Code::InvalidParameter,
            Class::DependencyCycle => Code::DependencyCycle,
            Class::Compiler => Code::InvalidMetadata,
            Class::Runtime | Class::Wrapping | Class::Attribute | Class::Multi | Class::Internal => Code::InvalidValue,
        }
    }
}

/// One error on its way to the user.
#[derive(Clone, Debug)]
pub struct Raise {
    pub class: Class,
    pub message: String,
    /// Where it is reported.
    pub place: Option<Span>,
    /// The place of the statement that it belongs to; `None` until a statement takes it.
    pub statement: Option<Span>,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
    pub causes: Vec<Raise>,
    /// A code of our own where the class alone says too little.
    pub code: Option<Code>,
    /// The place to edit, where it is not that of the reference.
    pub edit: Option<Span>,
    /// The place to edit in a file that is no model.
    pub elsewhere: Option<Box<Elsewhere>>,
    /// Our words, where those of the reference explain less.
    pub label: Option<String>,
    /// What to write in place of a refused value: the help of the statement that has it.
    pub remedy: Option<String>,
}

/// A line of a file that is no model: a template, or metadata.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    pub path: PathBuf,
    pub shown: String,
    pub text: String,
    pub line: usize,
}

impl Elsewhere {
    /// A line of a file, from 1.
    pub fn new(path: &Path, text: &str, line: usize, files: &dyn Files) -> Self {
        Elsewhere { path: path.to_path_buf(), shown: files.shown(path), text: text.to_string(), line }
    }
}

/// The result of an operation that can fail with an error of the model.
pub type Result<T, E = Box<Raise>> = std::result::Result<T, E>;

impl Raise {
    /// An error without a place; a statement around it gives the place.
    pub fn new(class: Class, message: impl Into<String>) -> Box<Raise> {
        Box::new(Raise {
            class,
            message: message.into(),
            place: None,
            statement: None,
            related: Vec::new(),
            help: None,
            causes: Vec::new(),
            code: None,
            edit: None,
            elsewhere: None,
            label: None,
            remedy: None,
        })
    }

    /// An error of a statement.
    pub fn at(class: Class, statement: Span, message: impl Into<String>) -> Box<Raise> {
        let mut raise = Raise::new(class, message);
        raise.place = Some(statement);
        raise.statement = Some(statement);
        raise
    }

    /// An error at a place that is not a statement, as the parser reports them.
    pub fn placed(class: Class, place: Span, message: impl Into<String>) -> Box<Raise> {
        let mut raise = Raise::new(class, message);
        raise.place = Some(place);
        raise
    }

    /// Adds a place that explains the error, with a message.
    pub fn with_related(mut self: Box<Self>, place: Span, message: impl Into<String>) -> Box<Self> {
        self.related.push((place, message.into()));
        self
    }

    /// Sets the help text.
    pub fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Sets what to write in place of the refused value.
    pub fn with_remedy(mut self: Box<Self>, remedy: String) -> Box<Self> {
        self.remedy = Some(remedy);
        self
    }

    /// Adds to the advice of the error, or of the cause that has one.
    pub fn advise(&mut self, advice: &str) {
        match self.causes.first_mut() {
            Some(cause) if self.help.is_none() => cause.advise(advice),
            _ => {
                let before = self.help.take().map(|help| format!("{help}; or: ")).unwrap_or_default();
                self.help = Some(format!("{before}{advice}"));
            }
        }
    }

    /// Adds an error that caused this one.
    pub fn with_cause(mut self: Box<Self>, cause: Box<Raise>) -> Box<Self> {
        self.causes.push(*cause);
        self
    }

    /// The place to edit.
    pub fn with_edit(mut self: Box<Self>, place: Span) -> Box<Self> {
        self.edit = Some(place);
        self
    }

    /// A line of another file is to be edited.
    pub fn with_elsewhere(mut self: Box<Self>, elsewhere: Elsewhere) -> Box<Self> {
        self.elsewhere = Some(Box::new(elsewhere));
        self
    }

    /// Sets the text of the marked place, which replaces the message of the reference.
    pub fn with_label(mut self: Box<Self>, label: impl Into<String>) -> Box<Self> {
        self.label = Some(label.into());
        self
    }

    /// Gives what is in other files its place among the sources.
    pub fn locate(&mut self, sources: &mut Sources) {
        if let Some(elsewhere) = self.elsewhere.take() {
            let Elsewhere { path, shown, text, line } = *elsewhere;
            let file = sources.add(shown, Some(path), text.as_str());
            let range = sources.file(file).line_range(line.max(1) as u32);
            let written = sources.file(file).text.get(range.clone()).unwrap_or_default();
            let blanks = written.len() - written.trim_start().len();
            let end = range.start + written.trim_end().len();
            self.edit = Some(Span::new(file, range.start + blanks.min(end - range.start), end));
        }
        self.causes.iter_mut().for_each(|cause| cause.locate(sources));
    }

    /// Sets the code of the diagnostic.
    pub fn with_code(mut self: Box<Self>, code: Code) -> Box<Self> {
        self.code = Some(code);
        self
    }

    /// Gives the error, and its causes, a statement. Without `replace` only those that have none take it.
    pub fn set_statement(&mut self, statement: Span, replace: bool) {
        if !self.class.is_runtime() {
            return;
        }
        for cause in &mut self.causes {
            cause.set_statement(statement, replace);
        }
        if replace || self.statement.is_none() {
            if self.place.is_none() || (self.statement.is_some() && self.place == self.statement) {
                self.place = Some(statement);
            }
            self.statement = Some(statement);
        }
    }

    /// The same for an error that is passed on.
    pub fn with_statement(mut self: Box<Self>, statement: Span, replace: bool) -> Box<Self> {
        self.set_statement(statement, replace);
        self
    }

    fn importance(&self) -> u32 {
        match self.class {
            Class::Attribute | Class::Wrapping | Class::PluginType | Class::ModuleLoading => {
                self.causes.first().map_or(100, |cause| cause.importance() + 1)
            }
            class => class.importance(),
        }
    }

    /// The code of the class; none for classes that many causes share.
    fn own_code(&self) -> Option<Code> {
        match self.class {
            Class::Compiler | Class::Runtime | Class::Internal | Class::Attribute | Class::Wrapping | Class::Multi => {
                None
            }
            Class::ModuleLoading | Class::PluginType => None,
            class => Some(class.code()),
        }
    }

    /// Several errors of the end as one, the most telling first.
    pub fn multi(mut errors: Vec<Raise>) -> Option<Box<Raise>> {
        if errors.len() <= 1 {
            return errors.pop().map(Box::new);
        }
        errors.sort_by_key(|error| (error.importance(), error.place.map(|place| (place.file, place.start))));
        let mut raise = Raise::new(Class::Multi, format!("Reported {} errors", errors.len()));
        raise.place = errors.first().and_then(|error| error.place);
        raise.causes = errors;
        Some(raise)
    }

    /// Tells the user: one diagnostic, with the causes as related places.
    pub fn report(&self, diagnostics: &mut Diagnostics) {
        if self.class == Class::Multi {
            for cause in &self.causes {
                cause.report(diagnostics);
            }
            return;
        }
        // The first cause knows more than what is around it.
        let inner = std::iter::successors(Some(self), |raise| raise.causes.first());
        let chain: Vec<&Raise> = inner.collect();
        let code = chain.iter().rev().find_map(|raise| raise.code.or_else(|| raise.own_code()));
        let code = code.unwrap_or_else(|| self.class.code());
        let place = chain.iter().rev().find_map(|raise| raise.edit).or(self.place);
        let mut diagnostic = match place {
            Some(place) => Diagnostic::error(code, place),
            None => Diagnostic::placeless(code),
        };
        diagnostic.label = self.message.clone();
        diagnostic.error = Some(self.class.name().to_string());
        diagnostic.related = self.related.clone();
        diagnostic.help = self.help.clone();
        let stage = if matches!(self.class, Class::Parser | Class::InvalidNamespaceAccess) {
            Stage::Parse
        } else {
            Stage::Compile
        };
        if let (Some(place), Some(own)) = (place, self.place)
            && place.file != own.file
        {
            diagnostic.related.push((own, "used here".to_string()));
        }
        let mut below: Vec<&Raise> = self.causes.iter().collect();
        while let Some(cause) = below.pop() {
            // A cause that repeats what is around it adds nothing.
            if !diagnostic.label.contains(cause.message.trim_end()) {
                diagnostic.label.push_str(&format!(": {}", cause.message.trim_end()));
            }
            if let Some(at) = cause.place.or(cause.statement)
                && Some(at) != place
                && Some(at) != self.place
            {
                diagnostic.related.push((at, cause.message.trim_end().to_string()));
            }
            diagnostic.related.extend(cause.related.iter().cloned());
            if diagnostic.help.is_none() {
                diagnostic.help = cause.help.clone();
            }
            below.extend(&cause.causes);
        }
        if let Some(label) = chain.iter().find_map(|raise| raise.label.clone()) {
            diagnostic.label = label;
        }
        if diagnostic.help.is_none() {
            diagnostic.help = chain.iter().find_map(|raise| raise.remedy.clone());
        }
        if diagnostic.help.is_none() {
            let last = self.causes.first().map_or(self.class, |cause| cause.class);
            diagnostic.help = Some(last.way_out().to_string());
        }
        diagnostics.push(diagnostic.stage(stage));
    }
}
