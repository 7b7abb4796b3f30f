//! Inmanta: reads a model, runs it with the reference's scheduler, and shows its variables and instances.

mod ast;
mod check;
mod context;
mod define;
mod environment;
mod error;
mod escape;
mod explain;
mod export;
mod format;
mod here;
mod jinja;
mod language;
mod lexer;
mod library;
mod load;
mod model;
mod modules;
mod names;
mod needs;
mod operators;
mod own;
mod parser;
mod pattern;
mod plugin;
mod project;
mod property;
mod pystr;
mod python;
mod run;
mod sexpr;
mod std;
mod template;
mod token;
mod trace;
mod types;
mod value;
mod walk;
mod written;

use ::std::path::Path;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Draft, ResourceId};
use crate::source::{FileId, Sources, Span};

pub use context::{Context, Files};
pub use export::Exported;
pub use format::format;
pub use here::here;
pub use language::Inmanta;
pub use load::ended;
pub use run::Bounds;
pub use std::StdNames;

/// Which syntax a program is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    #[default]
    Today,
    /// The syntax of inmanta-core 4.0.0.
    V4,
}

impl Edition {
    /// The edition of a version, today's where none is named.
    pub fn of(version: Option<&str>) -> Result<Self, Diagnostic> {
        match version {
            None => Ok(Edition::Today),
            Some("4.0.0" | "4") => Ok(Edition::V4),
            Some(other) => Err(Diagnostic::placeless(Code::UnsupportedLanguage)
                .label(format!("there is no edition `{other}`"))
                .help("write `--edition 4.0.0` for the older syntax")),
        }
    }
}

/// The syntax tree of one file as s-expressions; nothing where it has an error.
pub fn tree(text: &str, file: FileId, edition: Edition, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    diagnostics.enter(Stage::Parse);
    let mut names = names::Names::default();
    let mut ast = ast::Ast::default();
    match parser::parse(text, file, ast::NsId(0), edition, &mut names, &mut ast) {
        Ok(tops) => Some(sexpr::print(&tops, &ast, &names)),
        Err(raise) => {
            raise.report(diagnostics);
            None
        }
    }
}

/// The imports of a file, each with its line.
pub fn imports(file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
    let text = ended(&sources.file(file).text);
    let mut names = names::Names::default();
    let mut ast = ast::Ast::default();
    match parser::parse(&text, file, ast::NsId(0), Edition::Today, &mut names, &mut ast) {
        Ok(tops) => tops
            .iter()
            .filter_map(|top| match top {
                ast::Top::Import(import) => {
                    let line = sources.file(file).line_at(import.span.start);
                    Some((names.text(import.name.sym).to_string(), line))
                }
                _ => None,
            })
            .collect(),
        Err(raise) => {
            raise.report(diagnostics);
            Vec::new()
        }
    }
}

/// How a model is compiled, and for what.
#[derive(Clone, Debug, Default)]
pub struct Question {
    pub edition: Edition,
    /// Whether `std` is there without an import.
    pub with_std: bool,
    /// Modules and parts of modules that are read also without an import.
    pub also: Vec<String>,
    /// Whether the types in the signatures of plugins must exist, also where no plugin may run.
    pub checks_signatures: bool,
    pub request: Request,
    /// Receives the graph of the resources before it is complete.
    pub draft: Draft,
}

/// The requested output of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Request {
    /// Stops before the first statement runs.
    #[default]
    Checks,
    /// The variables and the instances, for programs.
    Json,
    /// The same for people.
    Text,
    /// The history of a list: `attribute`, or `namespace::Entity.attribute`.
    History(String),
    /// Its resources, as they are on this host.
    Resources { host: String },
    /// The history of the lists of a resource, or of an attribute as in `History`.
    Why { of: ResourceId, host: String },
}

/// The result of a compilation.
#[derive(Debug, Default)]
pub struct Answer {
    /// The model in the requested form.
    pub text: String,
    /// What the model printed, also where it has an error.
    pub output: String,
    pub history: Vec<String>,
    /// What happened to lists, in order, each with its place.
    pub why: Vec<(Option<Span>, String)>,
    pub exported: Exported,
    /// Plugins that were not run.
    pub not_run: Vec<String>,
    /// What is not complete, and may be so because a plugin did not run.
    pub open: Vec<(Option<Span>, String)>,
    /// Missing packages of Python that only deploying needs, each with the place of its import.
    pub missing: Vec<(String, Option<Span>)>,
    /// Implementations that ran for no instance.
    pub idle: Vec<(String, Span)>,
}

/// Where a model is, and what it may use.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The entry's file among the sources.
    pub entry: FileId,
    /// The folder of the project.
    pub folder: &'a Path,
    /// Where modules may be, best first; what the project says where it is empty.
    pub module_path: &'a [::std::path::PathBuf],
    pub files: &'a dyn Files,
    pub context: &'a dyn Context,
    pub bounds: Bounds,
}

impl Input<'_> {
    fn project(&self) -> error::Result<project::Project> {
        let mut project = project::Project::read(self.folder, self.files)?;
        if !self.module_path.is_empty() {
            project.module_path = self.module_path.to_vec();
        }
        Ok(project)
    }
}

/// Compiles a model.
pub fn model(
    input: Input,
    question: &Question,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Answer> {
    diagnostics.enter(Stage::Compile);
    let mut answer = Answer::default();
    match compile(input, question, sources, &mut answer, diagnostics) {
        Ok(()) => Some(answer),
        Err(mut raise) => {
            raise.locate(sources);
            raise.report(diagnostics);
            None
        }
    }
}

fn compile(
    input: Input,
    question: &Question,
    sources: &mut Sources,
    answer: &mut Answer,
    diagnostics: &mut Diagnostics,
) -> error::Result<()> {
    let Input { entry, folder, files, context, bounds, .. } = input;
    let project = input.project()?;
    let options = load::Options {
        edition: question.edition,
        with_std: question.with_std,
        also: question.also.clone(),
        built_in: std::built_in(),
    };
    let mut loaded = load::load(entry, files, &project, &options, sources)?;
    project.odd_setting(files, sources).into_iter().for_each(|warning| diagnostics.push(warning));
    let around = plugin::Surroundings {
        project: folder.to_path_buf(),
        path: project.module_path.clone(),
        environment: environment::Environment::find(folder, files),
    };
    loaded.describe(&around, context, sources, diagnostics)?;
    let written = if question.checks_signatures { loaded.written_types(sources) } else { Vec::new() };
    let modules: Vec<_> = loaded.modules.iter().map(|(name, root)| (name.clone(), root.clone())).collect();
    let defined = define::Program::define(loaded, std::call_direct);
    let mut program = defined.map_err(|raise| load::with_part(raise, modules, files))?;
    for (ns, place, ty) in written {
        plugin::ty(&ty, ns, place, &mut program)?;
    }
    if question.request == Request::Checks {
        return Ok(());
    }
    let at_rule = |(at, raise): (usize, _)| project.at_rule(raise, project.precedence.get(at), files);
    let rules = program.set_precedence(&project.precedence).map_err(at_rule)?;
    let mut machine = run::Machine::new(&program, sources, context, bounds);
    machine.trace.is_on = matches!(question.request, Request::History(_) | Request::Why { .. });
    let ordered = machine.set_precedence(&rules);
    ordered.map_err(|raise| project.at_rule(raise, project.precedence.last(), files))?;
    if let Err(raise) = machine.run() {
        let is_late = machine.late.is_some() && machine.steps() < EXPLAINED;
        drop(machine);
        return Err(if is_late { explained(raise, &mut program, &rules, sources, input) } else { raise });
    }
    match &question.request {
        Request::Checks => {}
        Request::Json => answer.text = model::ModelView::of(&machine).json(&machine),
        Request::Text => answer.text = model::ModelView::of(&machine).text(&machine),
        Request::History(written) => {
            answer.history =
                machine.history(written).map_err(|reason| error::Raise::new(error::Class::Compiler, reason))?;
        }
        Request::Resources { host } => {
            let model = export::Finished::of(&machine);
            answer.exported = export::export(model, &program.classes, host, &question.draft, diagnostics)?
        }
        Request::Why { of, host } => {
            let instance = export::instance_of(export::Finished::of(&machine), &program.classes, host, of)?;
            answer.why = machine.why(of, instance);
        }
    }
    answer.missing.clone_from(&program.described.missing);
    answer.output = machine.output.clone();
    answer.idle = machine.idle_implementations();
    answer.not_run = machine.not_run.borrow().iter().map(|(plugin, _)| program.plugin_name(*plugin)).collect();
    answer.open = machine.open;
    for mut gap in machine.gaps.take() {
        gap.locate(sources);
        if let Some(place) = gap.edit {
            let warning = Diagnostic::warning(Code::UnknownField, place).label(gap.message);
            diagnostics.push(warning.help(gap.help.unwrap_or_default()));
        }
    }
    Ok(())
}

/// A run of more tasks than this is not repeated to explain its error.
const EXPLAINED: u64 = 200_000;

/// Runs a failed model again with its history, and looks for a rule that lets it compile. A run is the same each time.
fn explained(
    first: Box<error::Raise>,
    program: &mut define::Program,
    rules: &[(define::AttributeId, define::AttributeId)],
    sources: &Sources,
    input: Input,
) -> Box<error::Raise> {
    let Input { context, bounds, .. } = input;
    let (mut raise, late, candidates) = {
        let mut machine = run::Machine::new(program, sources, context, bounds);
        machine.trace.is_on = true;
        let ran = machine.set_precedence(rules).and_then(|()| machine.run());
        let (Err(raise), Some(late)) = (ran, machine.late) else { return first };
        let candidates = machine.freeze_first(late);
        (raise, late, candidates)
    };
    for candidate in candidates {
        let mut rules = rules.to_vec();
        rules.push((candidate, late));
        program.set_before(candidate, late, true);
        let mut machine = run::Machine::new(program, sources, context, bounds);
        let is_enough = machine.set_precedence(&rules).and_then(|()| machine.run()).is_ok();
        let rule = machine.rule(candidate, late);
        drop(machine);
        program.set_before(candidate, late, false);
        if is_enough {
            let advice =
                format!("the model compiles with this line in project.yml: `relation_precedence_policy: [\"{rule}\"]`");
            raise.advise(&advice);
            break;
        }
    }
    raise
}
