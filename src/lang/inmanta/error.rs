//! What goes wrong: one value with the reference's class name, a place and its causes.

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::source::Span;

/// The reference's exception classes that this front end raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Parser,
    InvalidNamespaceAccess,
    Compiler,
    Runtime,
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
            Class::Runtime => "RuntimeException",
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
            Class::Parser | Class::InvalidNamespaceAccess => "correct the syntax at this place",
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
            Class::Compiler | Class::Internal => "correct the project or the module that is named",
            Class::Runtime | Class::Wrapping | Class::Attribute | Class::Multi => "correct the statement at this place",
        }
    }

    fn code(self) -> Code {
        match self {
            Class::Parser | Class::InvalidNamespaceAccess => Code::UnexpectedToken,
            Class::Hyphen => Code::InvalidName,
            Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType => Code::InvalidType,
            Class::NotFound => Code::UnknownVariable,
            Class::Duplicate => Code::DuplicateName,
            Class::ModuleLoading => Code::UnknownImport,
            Class::Typing | Class::PluginType => Code::TypeMismatch,
            _ => Code::EvaluationFailed,
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
}

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

    pub fn with_related(mut self: Box<Self>, place: Span, message: impl Into<String>) -> Box<Self> {
        self.related.push((place, message.into()));
        self
    }

    pub fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
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

    #[expect(clippy::boxed_local, reason = "errors travel in boxes")]
    pub fn with_cause(mut self: Box<Self>, cause: Box<Raise>) -> Box<Self> {
        self.causes.push(*cause);
        self
    }

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

    fn importance(&self) -> u32 {
        match self.class {
            Class::Attribute | Class::Wrapping | Class::PluginType | Class::ModuleLoading => {
                self.causes.first().map_or(100, |cause| cause.importance() + 1)
            }
            class => class.importance(),
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
        let code = self.code.unwrap_or_else(|| self.class.code());
        let mut diagnostic = match self.place {
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
        let mut below: Vec<&Raise> = self.causes.iter().collect();
        while let Some(cause) = below.pop() {
            diagnostic.label.push_str(&format!(": {}", cause.message.trim_end()));
            if let Some(place) = cause.place.or(cause.statement) {
                diagnostic.related.push((place, format!("{}: {}", cause.class.name(), cause.message.trim_end())));
            }
            diagnostic.related.extend(cause.related.iter().cloned());
            if diagnostic.help.is_none() {
                diagnostic.help = cause.help.clone();
            }
            below.extend(&cause.causes);
        }
        if diagnostic.help.is_none() {
            let last = self.causes.first().map_or(self.class, |cause| cause.class);
            diagnostic.help = Some(last.way_out().to_string());
        }
        diagnostics.push(diagnostic.stage(stage));
    }
}
