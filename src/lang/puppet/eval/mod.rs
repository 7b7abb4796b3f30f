//! Trees to values: one walk over the tree, with everything that a compilation knows.

mod access;
mod budget;
mod call;
pub mod convert;
mod expr;
pub mod format;
pub mod string_new;
pub mod operator;
pub mod stop;
mod type_set;
pub mod unknown;

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{Definition, Expr, Function, NodeDefinition, Program, Text};
use super::catalog::Catalog;
use super::issue::Issue;
use super::lookup::Hiera;
use super::scope::{Owner, Scope, ScopeId, Scopes};
use super::types::Ty;
use super::validate::Strict;
use super::value::Value;
use crate::lang::Budget;
use crate::source::{Sources, Span};
use crate::world::{Export, ReadError};
use stop::{Run, Stop};

pub use call::{Block, Call};

/// A message of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    pub level: &'static str,
    pub message: String,
}

/// Reads the files of an environment, and what other nodes export.
pub trait Files {
    fn read(&self, path: &std::path::Path) -> Option<Vec<u8>>;
    /// The names in a folder, sorted.
    fn list(&self, path: &std::path::Path) -> Vec<String>;
    fn is_dir(&self, path: &std::path::Path) -> bool;
    fn exists(&self, path: &std::path::Path) -> bool;
    /// The resources of a type that other nodes export.
    fn exported(&self, _ty: &str) -> Result<Vec<Export>, ReadError> {
        Ok(Vec::new())
    }
    /// Notes where the evaluation is, in case that this process dies there.
    fn note(&self, _sources: &Sources, _span: Span) {}
    /// Whether the compilation has to end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What a compilation is for.
pub struct Settings {
    pub node: String,
    /// The node is not this host.
    pub is_other_node: bool,
    pub facts: Value,
    /// Of the facts file, or of the machine's facts that last.
    pub facts_sha256: String,
    /// The folder with `modules/`, `hiera.yaml` and `environment.conf`.
    pub environment: PathBuf,
    pub environment_name: String,
    /// What paths of the program are relative to.
    pub working_folder: PathBuf,
    pub module_path: Vec<PathBuf>,
    pub strict: Strict,
    /// What only Ruby could compute is unknown, and no error.
    pub allow_unknown: bool,
    /// Exported resources go to the shared store and come from there.
    pub exported: bool,
    /// Values that come before all data.
    pub overrides: Vec<(String, Value)>,
    /// Steps of evaluation.
    pub steps: u64,
    /// Bytes of values that may be built.
    pub memory: u64,
    /// How many resources may be declared.
    pub resources: u64,
    pub now: i128,
}

/// Bytes of a scope.
const SCOPE: usize = 200;

/// Calls inside of one another.
const MAX_CALLS: usize = 400;

/// Everything that one compilation knows.
pub struct Evaluator<'w> {
    pub files: &'w dyn Files,
    pub settings: Settings,
    pub sources: Sources,
    pub logs: Vec<Log>,
    /// Problems of files that were loaded later.
    pub issues: Vec<Issue>,
    pub scopes: Scopes,
    pub catalog: Catalog,
    pub classes: FxHashMap<Text, Arc<Definition>>,
    pub defines: FxHashMap<Text, Arc<Definition>>,
    pub nodes: Vec<Arc<NodeDefinition>>,
    pub functions: FxHashMap<Text, Arc<Function>>,
    pub aliases: FxHashMap<Text, Alias>,
    /// Types with features.
    pub arm: super::arm::Store,
    /// Files that were looked for already.
    pub loaded: FxHashMap<PathBuf, bool>,
    pub hiera: Hiera,
    /// The caches of contexts of functions that provide data.
    pub caches: Vec<super::value::Map>,
    pub annotations: Vec<super::builtin::Annotation>,
    /// The Ruby files of functions, by the names that were called.
    pub ruby_files: FxHashMap<Text, Option<super::builtin::stdlib::RubyFile>>,
    /// What functions take, by name, as soon as one is called.
    pub signatures: FxHashMap<&'static str, Arc<[super::builtin::Signature]>>,
    /// What the templates that are open have used.
    pub ruby: crate::lang::ruby::Used,
    /// Warnings that are given once.
    pub warned: std::collections::BTreeSet<String>,
    depth: usize,
    /// What the compilation may still spend.
    pub budget: Rc<Budget>,
    /// What the open templates have rendered.
    pub rendered: Vec<Rendering>,
    /// Some value is unknown.
    pub has_unknown: bool,
}

/// What a template has rendered so far, and what is known of its parts.
#[derive(Default)]
pub struct Rendering {
    pub text: String,
    pub is_sensitive: bool,
    pub is_unknown: bool,
}

impl Rendering {
    /// The finished text as a value.
    pub fn into_value(self) -> super::value::Value {
        let text = unknown::text(self.text, self.is_unknown);
        if self.is_sensitive { super::value::Value::Sensitive(Arc::new(text)) } else { text }
    }
}

/// A type alias: its expression, and the type as soon as it is resolved.
#[derive(Clone)]
pub struct Alias {
    pub definition: Arc<super::ast::TypeAlias>,
    pub ty: Option<Ty>,
}

impl<'w> Evaluator<'w> {
    pub fn new(files: &'w dyn Files, settings: Settings) -> Self {
        let mut scopes = Scopes::default();
        scopes.add(Scope::new(Owner::Top, None, None));
        let budget = Rc::new(Budget::new(settings.steps, settings.memory));
        Self {
            files,
            settings,
            sources: Sources::default(),
            logs: Vec::new(),
            issues: Vec::new(),
            scopes,
            catalog: Catalog::default(),
            classes: FxHashMap::default(),
            defines: FxHashMap::default(),
            nodes: Vec::new(),
            functions: FxHashMap::default(),
            aliases: FxHashMap::default(),
            arm: super::arm::Store::default(),
            loaded: FxHashMap::default(),
            hiera: Hiera::default(),
            caches: Vec::new(),
            annotations: Vec::new(),
            ruby_files: FxHashMap::default(),
            signatures: FxHashMap::default(),
            ruby: crate::lang::ruby::Used::default(),
            warned: std::collections::BTreeSet::new(),
            depth: 0,
            budget,
            rendered: Vec::new(),
            has_unknown: false,
        }
    }

    pub fn log(&mut self, level: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.note(message.len() + 64);
        self.logs.push(Log { level, message });
    }

    /// Runs one level deeper in calls.
    pub fn deeper<V>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Run<V>) -> Run<V> {
        if self.depth >= MAX_CALLS {
            return stop::fail(span, "RUNTIME_ERROR", format!("calls are nested more than {MAX_CALLS} deep"));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// Registers what a program defines, wherever it is in classes.
    pub fn define(&mut self, program: &Program) -> Result<(), Stop> {
        self.define_in(&program.body)
    }

    /// Fails for a node that is there already.
    fn check_new_node(&self, host: &Expr) -> Result<(), Stop> {
        use super::ast::Kind;
        let is_same = |other: &Expr| match (&host.kind, &other.kind) {
            (Kind::Default, Kind::Default) => true,
            (Kind::Str(a), Kind::Str(b)) => a.eq_ignore_ascii_case(b),
            (Kind::Regex(a), Kind::Regex(b)) => a == b,
            _ => false,
        };
        let name = match &host.kind {
            Kind::Str(name) => name.to_lowercase(),
            Kind::Regex(source) => format!("/{source}/"),
            _ => "default".to_string(),
        };
        match self.nodes.iter().flat_map(|node| &node.matches).find(|other| is_same(other)) {
            None => Ok(()),
            Some(other) => {
                let place = self.sources.place(other.span);
                self.runtime(
                    host.span,
                    format!(
                        "Node '{name}' is already defined at (file: {}, line: {}); cannot redefine",
                        place.file, place.line
                    ),
                )
            }
        }
    }

    fn define_in(&mut self, body: &Expr) -> Result<(), Stop> {
        use super::ast::Kind;
        for statement in body.statements() {
            match &statement.kind {
                Kind::Class(class) => {
                    self.classes.insert(class.name.to_lowercase().into(), class.clone());
                    self.define_in(&class.body)?;
                }
                Kind::Define(define) => {
                    self.defines.insert(define.name.to_lowercase().into(), define.clone());
                }
                Kind::Node(node) => {
                    for host in &node.matches {
                        self.check_new_node(host)?;
                    }
                    self.nodes.push(node.clone());
                }
                Kind::Function(function) => {
                    self.functions.insert(function.name.clone(), function.clone());
                }
                Kind::TypeAlias(alias) => {
                    let key: Text = alias.name.to_lowercase().into();
                    self.aliases.insert(key, Alias { definition: alias.clone(), ty: None });
                }
                Kind::ArmType(definition) => self.arm.declare(definition.clone()),
                _ => {}
            }
        }
        Ok(())
    }

    /// The module that a class or define of this name belongs to.
    pub fn module_of(name: &str) -> Text {
        name.split("::").next().unwrap_or_default().into()
    }

    /// Leaves a scope. It is freed where nothing that was declared meanwhile can refer to it.
    pub fn leave(&mut self, scope: ScopeId, kept: [usize; 4]) {
        if self.catalog.keeps() != kept || !self.scopes.forget(scope) {
            self.note(SCOPE);
        }
    }

    pub fn local_scope(&mut self, parent: ScopeId) -> ScopeId {
        let mut scope = Scope::new(Owner::Local, Some(parent), Some(parent));
        scope.resource = self.scopes.get(parent).resource;
        scope.module = self.scopes.get(parent).module.clone();
        self.scopes.add(scope)
    }
}
