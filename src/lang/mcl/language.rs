//! mcl as one of the languages.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::builtin::{Function, VARIABLES, functions, modules, names_in};
use super::eval::reactive::Reactive;
use super::modules::Modules;
use super::tree::tree;
use super::{emit, evaluate, format, handoff, here, imports, migrate, react, scope};
use crate::diag::{Diagnostic, Diagnostics, Stage};
use crate::graph::{Graph, Value};
use crate::lang::{
    Answer, Artifact, Checked, Choices, CompileOptions, Compiled, Event, Feature, Following, Form, Here, ImportEdit,
    Language, Migrated, Names, NewImport, Outcome, Output, Report, Variable, Work, Written, names,
};
use crate::module::{EntryPoint, LanguageName, Layout};
use crate::source::{FileId, Sources};
use crate::world::{Read, World};

/// The language of mgmt.
pub struct Mcl;

impl Language for Mcl {
    fn name(&self) -> LanguageName {
        LanguageName::Mcl
    }

    fn sample(&self) -> &'static str {
        r#"file "/a" { content => "${1}", Depend => File["/b"], } file "/b" {}"#
    }

    fn layout(&self) -> &dyn Layout {
        &Modules
    }

    fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        super::compile(world, entry, options)
    }

    fn check(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
        super::check::check(world, entry, options, own)
    }

    fn offers(&self) -> &'static [Feature] {
        use Feature::{Begin, Cluster, Emit, Format, Migrate, PlanImport, Tree, Value};
        &[Format, Migrate, Emit, PlanImport, Begin, Cluster, Tree, Value]
    }

    fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        match what {
            Artifact::Tree(form) => syntax(world, entry, options, *form),
            Artifact::Value(form) => value(world, entry, options, *form),
            Artifact::Model { .. } | Artifact::Catalog | Artifact::Types | Artifact::Lookup { .. } => {
                Output::refused(self.name(), what)
            }
        }
    }

    fn here(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        file: Option<&Path>,
        place: (u32, u32),
    ) -> Option<Here> {
        here::here(world, entry, options, file, place)
    }

    fn names(&self) -> &dyn Names {
        &BuiltIn
    }

    /// Evaluates only what an event changes.
    fn follow(
        &self,
        files: &dyn World,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        now: u64,
        work: Work<'_>,
    ) -> Result<(), Box<Compiled>> {
        react(files, entry, options, now, world, |reactive, first, sources| {
            work(&mut Followed { reactive, sources }, first);
        })
    }

    fn emit(&self, graph: &Graph, sources: &Sources) -> Result<Written, Diagnostics> {
        handoff::handoff(graph, sources)
    }

    fn format(&self, file: FileId, text: &str, _choices: &Choices, diagnostics: &mut Diagnostics) -> Option<String> {
        format::format(file, text, diagnostics)
    }

    fn migrate(&self, file: FileId, text: &str) -> Result<Migrated, Diagnostic> {
        Ok(migrate::migrate(file, text))
    }

    fn plan_import(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        wanted: &NewImport,
    ) -> Result<ImportEdit, Box<Report>> {
        imports::plan_import(world, entry, wanted)
    }

    fn begin(&self, import: &str) -> Result<(&'static str, String), String> {
        imports::judge(import).map_err(|(why, help)| format!("`{import}`: {why}; {help}"))?;
        Ok(("main.mcl", format!("import \"{import}\"\n")))
    }
}

/// The entry's own file, without its imports.
fn syntax(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, form: Form) -> Output {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    let program = scope::load(world, entry, &options.stop(), &mut diagnostics);
    let root = program.files.first().filter(|_| !diagnostics.has_errors());
    let text = root.map(|file| {
        let root = tree(&program.ast, &file.tree);
        match form {
            Form::Text => root.to_text(&program.sources),
            Form::Json => format!("{}\n", root.to_json(&program.sources)),
        }
    });
    Output { text, sources: program.sources, diagnostics, log: Vec::new() }
}

fn value(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, form: Form) -> Output {
    let done = evaluate::evaluate(world, entry, options);
    let text = done.value.map(|(ty, value)| match form {
        Form::Text => {
            format!("{}\n", emit::expression(&value).unwrap_or_else(|| without_code(&value, &ty.to_string())))
        }
        Form::Json => format!("{}\n", json!({ "type": ty.to_string(), "value": value.to_json() })),
    });
    Output { text, sources: done.sources, diagnostics: done.diagnostics, log: Vec::new() }
}

/// A value without a literal: a function is shown by its type, bytes that are not UTF-8 as in JSON.
fn without_code(value: &Value, ty: &str) -> String {
    if ty.contains("func(") { ty.to_owned() } else { value.to_json().to_string() }
}

struct Followed<'a, 's> {
    reactive: Reactive<'a>,
    sources: &'s Sources,
}

impl Following for Followed<'_, '_> {
    fn event(&mut self, event: &Event) -> Outcome {
        self.reactive.event(event)
    }

    fn graph(&self) -> &Graph {
        self.reactive.graph()
    }

    fn sources(&self) -> &Sources {
        self.sources
    }

    fn inputs(&self) -> Vec<(Read, Answer)> {
        self.reactive.inputs()
    }

    fn next_wake(&self) -> Option<u64> {
        self.reactive.next_wake()
    }
}

/// The functions and variables of the language.
struct BuiltIn;

impl Names for BuiltIn {
    fn functions(&self) -> Vec<names::Function> {
        functions().iter().map(plain).collect()
    }

    fn function(&self, name: &str) -> Option<names::Function> {
        functions().iter().find(|function| function.full_name() == name).map(plain)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        let variable = VARIABLES.iter().find(|variable| variable.name == name)?;
        Some(Variable { name: variable.name.into(), ty: variable.ty.into(), doc: variable.doc.into() })
    }

    fn module(&self, name: &str) -> Option<Vec<String>> {
        let module = modules().find(|module| !module.is_empty() && *module == name)?;
        Some(names_in(module).map(Into::into).collect())
    }
}

fn plain(function: &'static Function) -> names::Function {
    names::Function {
        name: function.full_name(),
        signatures: function.forms().collect(),
        doc: function.doc.into(),
        examples: function.examples.iter().map(|(call, gives)| ((*call).into(), (*gives).into())).collect(),
    }
}
