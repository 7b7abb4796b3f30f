//! Trees to values: one walk over the tree, with everything that a compilation knows.

mod access;
mod assign;
mod budget;
mod call;
mod choice;
mod data;
mod expr;
pub mod left_out;
pub mod operator;
mod type_name;
mod type_set;
pub mod unknown;

use std::rc::Rc;

pub use call::apply_each;

use super::ast::{Expr, Text};
use super::catalog::Catalog;
use super::environment::{Files, Inputs, Settings};
use super::ids::ScopeId;
use super::lookup::Hiera;
use super::output::{Log, Output};
use super::program::{Alias, Program};
use super::scope::{Owner, Scope, Scopes};
use super::stop::{self, Run, Stop, runtime};
use crate::lang::Budget;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::stop::Help;
use crate::source::{Sources, Span};

/// Bytes of a scope.
const SCOPE: usize = 200;

/// Calls inside of one another.
const MAX_CALLS: usize = 400;

/// Everything that one compilation knows.
pub struct Evaluator<'w> {
    pub inputs: Inputs<'w>,
    pub scopes: Scopes,
    pub catalog: Catalog,
    pub program: Program,
    pub hiera: Hiera,
    pub annotations: Vec<super::types::Annotation>,
    /// What the templates that are open have used.
    pub ruby: crate::lang::ruby::Used,
    /// The worker that runs Ruby code of modules.
    pub worker: super::foreign::Worker,
    depth: usize,
    /// The name of no type is taken for that of a resource type.
    pub takes_any_name: bool,
    pub output: Output<'w>,
    /// What the open templates have rendered.
    pub rendered: Vec<super::unknown::Rendering>,
}

impl<'w> Evaluator<'w> {
    /// Makes an evaluator with an empty catalog and the top scope.
    pub fn new(files: &'w dyn Files, settings: Settings) -> Self {
        let mut scopes = Scopes::default();
        scopes.add(Scope::new(Owner::Top, None, None));
        let budget = Rc::new(Budget::new(settings.steps, settings.memory));
        Self {
            inputs: Inputs { files, settings, sources: Sources::default() },
            scopes,
            catalog: Catalog::default(),
            program: Program::default(),
            hiera: Hiera::default(),
            annotations: Vec::new(),
            ruby: crate::lang::ruby::Used::default(),
            worker: super::foreign::Worker::default(),
            depth: 0,
            takes_any_name: false,
            output: Output::new(budget, files),
            rendered: Vec::new(),
        }
    }

    /// Runs one level deeper in calls.
    pub fn deeper<V>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Run<V>) -> Run<V> {
        if self.depth >= MAX_CALLS {
            return stop::fail(span, IssueName::RuntimeError, format!("calls are nested more than {MAX_CALLS} deep"))
                .code(crate::diag::Code::NestedTooDeep)
                .help("end the recursion with a condition, or use `each`, `map` or `reduce`");
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// Leaves a scope. It is freed where nothing that was declared meanwhile can refer to it.
    pub fn leave(&mut self, scope: ScopeId, kept: [usize; 4]) {
        if self.catalog.keeps() != kept || !self.scopes.forget(scope) {
            self.output.note(SCOPE);
        }
    }
}

impl Output<'_> {
    /// Records a message of the program with its level.
    pub fn log(&mut self, level: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.note(message.len() + 64);
        self.logs.push(Log { level, message });
    }
}

/// What is the same for two hosts of `node` that are the same.
fn host_key(host: &Expr) -> String {
    match &host.kind {
        super::ast::Kind::Str(name) if !name.eq_ignore_ascii_case("default") => format!("'{}'", name.to_lowercase()),
        super::ast::Kind::Regex(source) => format!("/{source}/"),
        _ => "default".to_string(),
    }
}

impl Loader<'_, '_> {
    /// Registers what a program defines, wherever it is in classes.
    pub fn define(&mut self, program: &super::ast::Program) -> Result<(), Stop> {
        self.define_in(&program.body)
    }

    /// Fails for a node that is there already.
    fn check_new_node(&self, host: &Expr) -> Result<(), Stop> {
        let key = host_key(host);
        match self.program.hosts.get(&key) {
            None => Ok(()),
            Some(other) => {
                let name = key.trim_matches('\'');
                let place = self.inputs.sources.place(*other);
                let (file, line) = (&place.file, place.line);
                let message =
                    format!("Node '{name}' is already defined at (file: {file}, line: {line}); cannot redefine");
                runtime(host.span, message)
                    .code(crate::diag::Code::DuplicateName)
                    .related(*other, "first defined here")
                    .help("remove one of the two, or give it another name")
            }
        }
    }

    /// Fails for a class or define whose name is taken.
    fn check_new_name(&self, name: &str, span: Span, what: &str) -> Result<(), Stop> {
        let key = name.to_lowercase();
        let class = self.program.classes.get(&*key).map(|other| (other.span, "class"));
        let define = || self.program.defines.get(&*key).map(|other| (other.span, "definition"));
        let Some((other, sort)) = class.or_else(define).filter(|(other, _)| !self.inputs.is_same_place(*other, span))
        else {
            return Ok(());
        };
        let place = self.inputs.sources.place(other);
        let at = format!("(file: {}, line: {})", place.file, place.line);
        let message = if sort == what && what == "class" {
            format!("Class '{key}' is already defined {at}; cannot redefine")
        } else {
            format!("'{key}' is already defined {at} as a {sort}; cannot redefine as a {what}")
        };
        runtime(span, message)
            .code(crate::diag::Code::DuplicateName)
            .related(other, "first defined here")
            .help("give one of the two another name, or remove it")
    }

    fn define_in(&mut self, body: &Expr) -> Result<(), Stop> {
        use super::ast::Kind;
        for statement in body.statements() {
            match &statement.kind {
                Kind::Class(class) => {
                    self.check_new_name(&class.name, class.span, "class")?;
                    self.program.classes.insert(class.name.to_lowercase().into(), class.clone());
                    self.define_in(&class.body)?;
                }
                Kind::Define(define) => {
                    self.check_new_name(&define.name, define.span, "definition")?;
                    self.program.defines.insert(define.name.to_lowercase().into(), define.clone());
                }
                Kind::Node(node) => {
                    for host in &node.matches {
                        self.check_new_node(host)?;
                    }
                    self.program.hosts.extend(node.matches.iter().map(|host| (host_key(host), host.span)));
                    self.program.nodes.push(node.clone());
                }
                Kind::Function(function) => {
                    let other = self.program.functions.get(&function.name).map(|other| other.span);
                    self.inputs.check_new_entity("function", &function.name, function.span, other)?;
                    self.program.functions.insert(function.name.clone(), function.clone());
                }
                Kind::TypeAlias(alias) => {
                    let key: Text = alias.name.to_lowercase().into();
                    let other = self.program.aliases.get(&key).map(|other| other.definition.span);
                    self.inputs.check_new_entity("type", &alias.name, alias.span, other)?;
                    self.program.aliases.insert(key, Alias { definition: alias.clone(), ty: None });
                }
                Kind::ArmType(definition) => self.program.arm.declare(definition.clone()),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Inputs<'_> {
    /// Fails for a function or type whose name is taken.
    fn check_new_entity(&self, what: &str, name: &str, span: Span, other: Option<Span>) -> Result<(), Stop> {
        let Some(other) = other.filter(|other| !self.is_same_place(*other, span)) else { return Ok(()) };
        let place = self.sources.place(other);
        let message = format!("The {what} '{name}' is already defined at (file: {}, line: {})", place.file, place.line);
        runtime(span, message)
            .code(crate::diag::Code::DuplicateName)
            .related(other, "first defined here")
            .help("give one of the two another name, or remove it")
    }

    /// Whether two places are one, in a file that was read twice.
    fn is_same_place(&self, one: Span, other: Span) -> bool {
        let path = |span: Span| self.sources.file(span.file).path.clone();
        one.range() == other.range() && (one.file == other.file || path(one).is_some() && path(one) == path(other))
    }
}

impl Scopes {
    /// Makes a local scope, as for the body of a lambda.
    pub fn local_scope(&mut self, parent: ScopeId) -> ScopeId {
        let mut scope = Scope::new(Owner::Local, Some(parent), Some(parent));
        scope.resource = self.get(parent).resource;
        scope.module = self.get(parent).module.clone();
        self.add(scope)
    }
}
