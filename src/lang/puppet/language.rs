//! Puppet as one of the languages.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::ast::Program;
use super::catalog::ral;
use super::conf::Conf;
use super::conf::Strict;
use super::convert;
use super::environment::{Files, Settings};
use super::eval::Evaluator;
use super::issue::{Issue, IssueName};
use super::modules::{Modules, warn_of_module_path};
use super::program::Trees;
use super::stop::Stop as Ended;
use super::validate;
use super::value::Value;
use super::{arm, builtin, check, declared, facts, graph, here, parser, pn, search, types};
use crate::diag::{Code, Diagnostic, Diagnostics, Level, LogEntry, Severity, Stage};
use crate::graph::{Draft, Graph};
use crate::lang::{
    self, Artifact, Checked, Choices, CompileOptions, Compiled, DeclaredKind, Feature, Form, Here, Language, Names,
    Output, Property, Variable, names,
};
use crate::module::{EntryPoint, LanguageName, Layout, add_text, load_text};
use crate::resource::export::kind_of;
use crate::source::{FileId, Sources, Span, printable};
use crate::world::{Export, Interpreter, PathKind, Read, ReadError, Sample, Stop, World};

/// The language of Puppet.
pub struct Puppet;

impl Language for Puppet {
    fn name(&self) -> LanguageName {
        LanguageName::Puppet
    }

    fn sample(&self) -> &'static str {
        "$a = 1\nfile { '/a': content => \"${a}\", require => File['/b'] }\nfile { '/b': mode => '0644' }"
    }

    fn offers(&self) -> &'static [Feature] {
        use Feature::{Catalog, ForeignTypes, Lookup, Tree, Types, Value};
        &[Tree, Value, Catalog, Types, Lookup, ForeignTypes]
    }

    fn flags(&self) -> &'static [&'static str] {
        &["--node", "--facts", "--environment", "--strict", "--set", "--allow-unknown", "--run-plugins"]
    }

    fn layout(&self) -> &dyn Layout {
        &Modules
    }

    fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        let done = match read(world, entry, options) {
            Ok(read) if options.run.until >= Stage::Eval => {
                evaluate(world, entry, options, read, |e, value, diagnostics, log| {
                    build(e, value, diagnostics, log, &options.run.draft)
                })
            }
            Ok(read) => Evaluated::unfinished(resolve(world, entry, options, read)),
            Err(read) => Evaluated::unfinished(read),
        };
        done.into()
    }

    fn compile_node(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        parsed: &mut Option<Box<dyn Any + Send>>,
    ) -> Compiled {
        let before = parsed.take().and_then(|parsed| parsed.downcast::<Parsed>().ok());
        let mut files = before.map_or_else(Parsed::default, |parsed| *parsed);
        let read = match files.loaded(world, entry, options) {
            Ok(read) => read,
            Err(read) => {
                let Loaded { sources, diagnostics, log, .. } = read;
                return Compiled { log, ..Compiled::new(Graph::default(), sources, diagnostics) };
            }
        };
        let build = |e: &mut Evaluator<'_>, value: &Value, diagnostics: &mut Diagnostics, log: &mut Vec<LogEntry>| {
            build(e, value, diagnostics, log, &options.run.draft)
        };
        let done = evaluate_with(world, entry, options, read, build, Some(&mut files));
        *parsed = Some(Box::new(files));
        done.into()
    }

    fn check(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
        check::check(world, entry, options, own)
    }

    fn host(&self, world: &dyn World, choices: &Choices) -> String {
        let chosen = choices.puppet.node.as_ref().map(|node| node.to_lowercase());
        chosen.filter(|node| *node != world.hostname().to_lowercase()).unwrap_or_else(|| facts::fqdn(world))
    }

    fn other_node(&self, world: &dyn World, choices: &Choices) -> Option<String> {
        choices.puppet.node.clone().filter(|node| is_other_node(world, node))
    }

    fn facts_of_node(&self, world: &dyn World, entry: &EntryPoint, choices: &Choices) -> Option<PathBuf> {
        let node = self.other_node(world, choices)?;
        // A name is one part of a path.
        if node.contains(['/', '\0']) || node.starts_with('.') {
            return None;
        }
        let folder = environment(entry, choices).join("facts");
        let lower = node.to_lowercase();
        let names = [node.as_str(), &lower].map(|name| FACTS_ENDINGS.map(|ending| format!("{name}.{ending}")));
        let mut files = names.iter().flatten().map(|name| folder.join(name));
        files.find(|file| world.kind(file) == PathKind::File)
    }

    fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        if let Artifact::Lookup { key, merge, explain, form } = what {
            return search::made(
                world,
                entry,
                options,
                &search::LookupRequest { key, merge: merge.as_deref(), explain: *explain, form: *form },
            );
        }
        let made = |read: Loaded, text: &dyn Fn(&mut Evaluator<'_>, &Value) -> String| {
            let done = evaluate(world, entry, options, read, |e, value, _, _| (text(e, value), Graph::default()));
            Output { text: done.text, sources: done.sources, diagnostics: done.diagnostics, log: done.log }
        };
        let read = match read(world, entry, options) {
            Ok(read) => read,
            Err(Loaded { sources, diagnostics, log, .. }) => return Output { text: None, sources, diagnostics, log },
        };
        match what {
            Artifact::Tree(form) => {
                let is_document = entry.file.as_ref().is_some_and(|file| file.to_string_lossy().ends_with(ECORE));
                let text = read.programs.first().map(|program| {
                    if is_document && *form == Form::Text {
                        return read.sources.file(read.first).text.to_string();
                    }
                    let text = pn::print(program);
                    if *form == Form::Json { format!("{}\n", json!({ "pn": text })) } else { format!("{text}\n") }
                });
                Output { text, sources: read.sources, diagnostics: read.diagnostics, log: read.log }
            }
            Artifact::Value(Form::Json) => {
                made(read, &|_, value| format!("{}\n", super::catalog::compiler::answer(value)))
            }
            Artifact::Value(Form::Text) => made(read, &|_, value| format!("{}\n", convert::inspect(value))),
            Artifact::Catalog => made(read, &|e, _| e.finished().catalog_json() + "\n"),
            Artifact::Types => {
                made(read, &|e, _| arm::ecore::print(&e.program.arm.models().cloned().collect::<Vec<_>>()))
            }
            Artifact::Model { .. } | Artifact::Lookup { .. } => Output::refused(self.name(), what),
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
        let file = file.or(entry.file.as_deref()).or(entry.roots.first().map(PathBuf::as_path))?;
        let mut module_path = options.module_path.clone();
        // A manifest may be in a folder of its environment.
        let base = around(entry);
        module_path.extend(base.ancestors().take(2).map(|folder| folder.join("modules")));
        let mut found = here::here(world, file, &module_path, place)?;
        if let Some((class, param)) = found.1 {
            (found.0.data, found.0.merged) = search::origins(world, entry, options, &format!("{class}::{param}"));
        }
        Some(found.0)
    }

    fn foreign_types(&self, file: &str, text: &str) -> Result<String, (u32, String)> {
        arm::ruby::translate(text, file).map_err(|fault| (fault.line, format!("{} cannot be read", fault.what)))
    }

    fn names(&self) -> &dyn Names {
        &BuiltIn
    }
}

/// The endings of files of facts.
pub(super) const FACTS_ENDINGS: [&str; 2] = ["yaml", "json"];

/// The ending of documents of types.
const ECORE: &str = ".ecore";

/// The entry's programs, checked.
pub(super) struct Loaded {
    pub(super) programs: Vec<Arc<Program>>,
    pub(super) first: FileId,
    pub(super) sources: Sources,
    pub(super) diagnostics: Diagnostics,
    pub(super) log: Vec<LogEntry>,
}

/// What was parsed for the nodes before. The trees point into these sources.
#[derive(Default)]
struct Parsed {
    entry: Option<(Vec<Arc<Program>>, FileId)>,
    trees: Trees,
    sources: Sources,
}

impl Parsed {
    /// The entry's programs, read for the first node.
    #[allow(clippy::result_large_err, reason = "once for each node")]
    fn loaded(&mut self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Result<Loaded, Loaded> {
        if let Some((programs, first)) = &self.entry {
            let (programs, first, sources) = (programs.clone(), *first, self.sources.clone());
            let diagnostics = Diagnostics::new(Stage::Validate);
            return Ok(Loaded { programs, first, sources, diagnostics, log: Vec::new() });
        }
        let read = read(world, entry, options)?;
        self.entry = Some((read.programs.clone(), read.first));
        self.sources = read.sources.clone();
        Ok(read)
    }
}

pub(super) struct Evaluated {
    pub(super) text: Option<String>,
    pub(super) graph: Graph,
    pub(super) sources: Sources,
    pub(super) diagnostics: Diagnostics,
    pub(super) log: Vec<LogEntry>,
    pub(super) kinds: Vec<DeclaredKind>,
    pub(super) facts: Option<String>,
}

impl From<Evaluated> for Compiled {
    fn from(Evaluated { sources, mut diagnostics, log, graph, kinds, facts, .. }: Evaluated) -> Self {
        let graph = if diagnostics.has_errors() { Graph::default() } else { graph };
        diagnostics.enter(Stage::Eval);
        Compiled { log, kinds, facts, ..Compiled::new(graph, sources, diagnostics) }
    }
}

impl Evaluated {
    fn unfinished(read: Loaded) -> Self {
        let Loaded { sources, diagnostics, log, .. } = read;
        Self { text: None, graph: Graph::default(), sources, diagnostics, log, kinds: Vec::new(), facts: None }
    }
}

/// How questionable code is reported: as the flag says, or `puppet.conf`.
pub(super) fn strict(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Strict {
    match options.choices.puppet.strict {
        Some(_) => chosen(options),
        None => Conf::read(world, &environment(entry, &options.choices)).strict().unwrap_or(Strict::Error),
    }
}

/// How questionable code is reported, as the flag says.
pub(super) fn chosen(options: &CompileOptions) -> Strict {
    match options.choices.puppet.strict.unwrap_or_default() {
        lang::choices::Strict::Error => Strict::Error,
        lang::choices::Strict::Warning => Strict::Warning,
        lang::choices::Strict::Off => Strict::Off,
    }
}

/// Reads and checks every file of the entry. `Err` with an error among the diagnostics.
#[allow(clippy::result_large_err, reason = "once for each program")]
pub(super) fn read(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Result<Loaded, Loaded> {
    let mut sources = Sources::default();
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    let mut files = Vec::new();
    if let Some((name, code)) = &entry.code {
        files.extend(add_text(code.as_bytes(), name.as_str(), None, &mut sources, &mut diagnostics));
    }
    let mut roots = entry.roots.clone();
    if roots.is_empty() && entry.code.is_none() && entry.include.is_none() {
        roots.extend(entry.file.clone());
    }
    for root in &roots {
        files.extend(load_text(world, root, None, &mut sources, &mut diagnostics));
    }
    if let Some(module) = &entry.include {
        files.push(sources.add("<include>", None, format!("include {module}\n")));
    }
    let first = files.first().copied().unwrap_or(FileId(0));
    let mut loaded = Loaded { programs: Vec::new(), first, sources, diagnostics, log: Vec::new() };
    for mut file in files {
        if loaded.sources.file(file).name.ends_with(ECORE) {
            let Some(types) = types_of(file, &mut loaded) else { continue };
            file = types;
        }
        let (text, name) = (loaded.sources.file(file).text.clone(), loaded.sources.file(file).name.clone());
        let mut warnings = Vec::new();
        match parser::parse(file, &text, name.ends_with(".epp"), &mut warnings) {
            Err(issue) => loaded.diagnostics.push(issue.diagnostic()),
            Ok(program) => {
                loaded.diagnostics.enter(Stage::Validate);
                for issue in validate::validate(&program, &name, strict(world, entry, options)) {
                    loaded.diagnostics.push(issue.diagnostic());
                }
                loaded.programs.push(Arc::new(program));
            }
        }
        for (span, message) in warnings {
            let entry = LogEntry::new(Level::Warning, message, &loaded.diagnostics).at(loaded.sources.place(span));
            loaded.log.push(entry);
        }
    }
    if loaded.diagnostics.has_errors() { Err(loaded) } else { Ok(loaded) }
}

/// The types of an Ecore document as a program, in a file of their own.
fn types_of(file: FileId, loaded: &mut Loaded) -> Option<FileId> {
    let source = loaded.sources.file(file);
    let (text, name) = (source.text.clone(), source.name.clone());
    match arm::ecore::source(&text) {
        Ok(types) => {
            let made = loaded.sources.add(format!("{name} as types"), None, types);
            if loaded.first == file {
                loaded.first = made;
            }
            Some(made)
        }
        Err((at, why)) => {
            let at = at.min(text.len());
            let help = "write the document again: `workbench graph --format ecore ENTRY`";
            loaded
                .diagnostics
                .push(Issue::parse(Span::new(file, at, at), IssueName::Unnamed, why).diagnostic().help(help));
            None
        }
    }
}

/// The graph of a catalog. What a type refuses and what has no order is an error here, since the graph is to be run.
pub(super) fn build(
    e: &mut Evaluator<'_>,
    _value: &Value,
    diagnostics: &mut Diagnostics,
    log: &mut Vec<LogEntry>,
    draft: &Draft,
) -> (String, Graph) {
    if let Some((why, span, help)) = ral::refusal(&e.finished()) {
        diagnostics.push(Diagnostic::error(Code::InvalidParameter, span).label(why).help(help));
        return (String::new(), Graph::default());
    }
    let graph::Built { mut graph, notes, declared } = graph::graph(&e.finished(), draft);
    // The automatic edges are Puppet's own.
    let places = graph::InCatalog { catalog: &e.catalog, declared: &declared };
    lang::finish(&mut graph, &places, |_| Ok(()), draft, diagnostics);
    if diagnostics.has_errors() {
        return (String::new(), Graph::default());
    }
    if !e.inputs.settings.exported
        && (e.catalog.resources.iter().any(|r| r.is_exported) || e.catalog.collects_exported())
    {
        let text = "exported resources are not shared; `puppet.exported = true` in config.toml shares them";
        log.push(LogEntry::new(Level::Warning, text, diagnostics));
    }
    for (text, place) in notes {
        let text = format!("{}:{}: {text}", place.file, place.line);
        log.push(LogEntry::new(Level::Warning, text, diagnostics).at(place));
    }
    (String::new(), graph)
}

/// Compiles for the node and makes something of the result.
pub(super) fn evaluate(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    read: Loaded,
    make: impl FnOnce(&mut Evaluator<'_>, &Value, &mut Diagnostics, &mut Vec<LogEntry>) -> (String, Graph),
) -> Evaluated {
    evaluate_with(world, entry, options, read, make, None)
}

/// The same with files that were parsed for other nodes.
fn evaluate_with(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    read: Loaded,
    make: impl FnOnce(&mut Evaluator<'_>, &Value, &mut Diagnostics, &mut Vec<LogEntry>) -> (String, Graph),
    mut parsed: Option<&mut Parsed>,
) -> Evaluated {
    let Loaded { programs, first, mut sources, mut diagnostics, mut log } = read;
    diagnostics.enter(Stage::Eval);
    let stop = options.stop();
    let through = Through { world, stop: &stop, host: Puppet.host(world, &options.choices) };
    let Some(settings) = settings(world, entry, options, &mut sources, &mut diagnostics) else {
        return Evaluated::unfinished(Loaded { programs, first, sources, diagnostics, log });
    };
    let facts = Some(settings.facts_sha256.clone());
    let mut evaluator = Evaluator::new(&through, settings);
    evaluator.inputs.sources = sources;
    evaluator.program.parsed = parsed.as_mut().map(|parsed| std::mem::take(&mut parsed.trees));
    let known = evaluator.program.parsed.as_ref().map_or(0, Trees::len);
    let done = match options.choices.puppet.facts {
        None => evaluator.facts_in_worker(Span::new(first, 0, 0)),
        Some(_) => Ok(()),
    };
    let done = done.and_then(|()| evaluator.compile(&programs, first));
    // The graph takes the place of the tree.
    drop(programs);
    for entry in &evaluator.output.logs {
        let message = evaluator.hiera.without_secrets(&entry.message);
        log.push(LogEntry::new(level(entry.level), message, &diagnostics));
    }
    let (mut text, mut graph) = (None, Graph::default());
    match done {
        Ok(value) => {
            let (made, built) = make(&mut evaluator, &value, &mut diagnostics, &mut log);
            text = Some(made);
            graph = built;
        }
        Err(Ended::Fail(issue)) => {
            let issue = issue.map_texts(|text| evaluator.hiera.without_secrets(text));
            let stopped = stop.reached();
            match (stopped, issue.span) {
                (Some(why), Some(span)) => diagnostics.push(lang::stopped(why, span)),
                _ => diagnostics.push(issue.diagnostic()),
            }
            let rest = std::mem::take(&mut evaluator.output.issues);
            rest.iter().filter(|i| i.severity == Severity::Error).for_each(|i| diagnostics.push(i.diagnostic()));
        }
        Err(_) => diagnostics.push(Diagnostic::placeless(Code::EvaluationFailed).label("the program ended early")),
    }
    let kinds = declared::kinds(&evaluator);
    let sources = std::mem::take(&mut evaluator.inputs.sources);
    if let (Some(parsed), Some(trees)) = (parsed, evaluator.program.parsed.take()) {
        if trees.len() > known {
            parsed.sources = sources.clone();
        }
        parsed.trees = trees;
    }
    stop.finish(evaluator);
    Evaluated { text, graph, sources, diagnostics, log, kinds, facts }
}

/// Resolves the types that the program defines, and evaluates nothing.
fn resolve(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, read: Loaded) -> Loaded {
    let Loaded { programs, first, mut sources, mut diagnostics, log } = read;
    let has_types = programs.iter().any(|program| program.body.statements().iter().any(is_type_with_features));
    if !has_types {
        return Loaded { programs, first, sources, diagnostics, log };
    }
    diagnostics.enter(Stage::Eval);
    let stop = options.stop();
    let through = Through { world, stop: &stop, host: Puppet.host(world, &options.choices) };
    let Some(settings) = settings(world, entry, options, &mut sources, &mut diagnostics) else {
        return Loaded { programs, first, sources, diagnostics, log };
    };
    let mut evaluator = Evaluator::new(&through, settings);
    evaluator.inputs.sources = sources;
    let done = programs.iter().try_for_each(|program| evaluator.loader().define(program));
    if let Err(Ended::Fail(issue)) = done.and_then(|()| evaluator.loader().resolve_arm_types()) {
        diagnostics.push(issue.diagnostic());
    }
    let sources = std::mem::take(&mut evaluator.inputs.sources);
    Loaded { programs, first, sources, diagnostics, log }
}

fn is_type_with_features(statement: &super::ast::Expr) -> bool {
    matches!(statement.kind, super::ast::Kind::ArmType(_))
}

pub(super) fn level(name: &str) -> Level {
    match name {
        "debug" => Level::Debug,
        "info" => Level::Info,
        "warning" => Level::Warning,
        "err" => Level::Err,
        "alert" => Level::Alert,
        "crit" => Level::Crit,
        "emerg" => Level::Emerg,
        _ => Level::Notice,
    }
}

/// What the compilation is for. `None` with a diagnostic where a file of the user's cannot be used.
fn settings(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Settings> {
    let choices = &options.choices.puppet;
    let environment = environment(entry, &options.choices);
    let name = match (environment.file_name(), world.read(&Read::WorkingFolder)) {
        (Some(name), _) => name.to_string_lossy().into_owned(),
        (None, Ok(Sample::Path(path))) => {
            path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
        }
        (None, _) => "production".into(),
    };
    let node = choices.node.clone().unwrap_or_else(|| facts::fqdn(world));
    let working_folder = match world.read(&Read::WorkingFolder) {
        Ok(Sample::Path(path)) => path,
        _ => PathBuf::new(),
    };
    let now = match world.read(&Read::Now) {
        Ok(Sample::Integer(seconds)) => i128::from(seconds) * 1_000_000_000,
        _ => 0,
    };
    warn_of_module_path(world, entry, sources, diagnostics);
    let mut module_path = options.module_path.clone();
    let own = environment.join("modules");
    if !module_path.contains(&own) {
        module_path.push(own);
    }
    if entry.include.is_some()
        && let Some(beside) = entry.base.parent()
    {
        module_path.push(beside.to_path_buf());
    }
    let (facts, facts_sha256) = match &choices.facts {
        Some(path) => facts::from_file(world, path, sources, diagnostics)?,
        None => {
            let facts = facts::of_machine(world, &module_path, diagnostics);
            let sha256 = facts::lasting_sha256(&facts);
            (facts, sha256)
        }
    };
    let conf = Conf::read(world, &environment);
    let mut overrides = Vec::new();
    for (key, text) in &choices.set {
        let file = sources.add(format!("--set {key}"), None, text.as_str());
        let mut warnings = Vec::new();
        match parser::parse(file, text, false, &mut warnings) {
            Ok(program) => overrides.push((key.clone(), literal(&program.body))),
            // The value may be a secret, so it is not shown.
            Err(issue) => {
                let Diagnostic { code, stage, .. } = issue.diagnostic();
                let mut diagnostic = Diagnostic::placeless(code)
                    .label(format!("the value of `--set {}` is not a Puppet value", printable(key)))
                    .help("quote a text for Puppet and for the shell: `--set KEY=\"'some text'\"`");
                diagnostic.stage = stage;
                diagnostics.push(diagnostic);
                return None;
            }
        }
    }
    Some(Settings {
        is_other_node: is_other_node(world, &node),
        working_folder,
        node,
        facts,
        facts_sha256,
        environment,
        environment_name: name,
        module_path,
        strict: strict(world, entry, options),
        conf,
        allow_unknown: options.choices.allow_unknown,
        runs_plugins: options.choices.runs_plugins(),
        exported: choices.exported,
        overrides,
        steps: options.run.limits.steps,
        memory: options.run.limits.memory << 20,
        resources: options.run.limits.resources,
        now,
    })
}

/// The environment's folder.
pub(super) fn environment(entry: &EntryPoint, choices: &Choices) -> PathBuf {
    choices.puppet.environment.clone().or_else(|| entry.environment.clone()).unwrap_or_else(|| around(entry))
}

/// Whether a node is another machine than this one.
fn is_other_node(world: &dyn World, node: &str) -> bool {
    let node = node.to_lowercase();
    world.hostname().to_lowercase() != node && facts::fqdn(world) != node
}

/// The folder of the entry, which holds its modules.
pub(super) fn around(entry: &EntryPoint) -> PathBuf {
    if entry.base.as_os_str().is_empty() { PathBuf::from(".") } else { entry.base.clone() }
}

/// A value written as a literal; anything that would have to be evaluated is undef.
pub(super) fn literal(expr: &super::ast::Expr) -> Value {
    use super::ast::Kind;
    match &expr.kind {
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Int { value, .. } => i64::try_from(*value).map_or(Value::Undef, Value::Int),
        Kind::Float(value) => Value::Float(*value),
        Kind::Str(text) | Kind::Name(text) => Value::Str(text.clone()),
        Kind::Array(list) => Value::array(list.iter().map(literal).collect()),
        Kind::Hash(entries) => Value::hash(entries.iter().map(|e| (literal(&e.key), literal(&e.value))).collect()),
        _ => Value::Undef,
    }
}

/// Files through the world.
struct Through<'w> {
    world: &'w dyn World,
    stop: &'w Stop,
    /// The node, as it exports.
    host: String,
}

impl Files for Through<'_> {
    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        self.world.file(path).ok().map(|bytes| bytes.to_vec())
    }

    fn list(&self, path: &Path) -> Vec<String> {
        match self.world.read(&Read::Folder(path.into())) {
            Ok(Sample::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.world.kind(path) == PathKind::Folder
    }

    fn exists(&self, path: &Path) -> bool {
        self.world.kind(path) != PathKind::Missing
    }

    fn exported(&self, ty: &str) -> Result<Vec<Export>, ReadError> {
        let mut exports = self.world.exports(&kind_of(LanguageName::Puppet.as_str(), ty))?;
        exports.retain(|export| export.host != self.host);
        Ok(exports)
    }

    fn plugin(&self, modules: &Arc<str>, request: &Arc<str>) -> Result<Option<String>, String> {
        self.stop.during(|| self.world.plugin(Interpreter::Ruby, modules, request))
    }

    fn look_up(&self, modules: &Arc<str>, request: &Arc<str>) -> Result<Option<String>, String> {
        self.stop.during(|| self.world.plugin(Interpreter::Resolver, modules, request))
    }

    fn note(&self, sources: &Sources, span: Span) {
        self.world.note_at(sources, span);
    }

    fn is_stopped(&self) -> bool {
        self.stop.reached().is_some()
    }
}

/// The functions and variables of the language.
struct BuiltIn;

impl Names for BuiltIn {
    fn functions(&self) -> Vec<names::Function> {
        builtin::all().map(plain).collect()
    }

    fn function(&self, name: &str) -> Option<names::Function> {
        builtin::find(name).or_else(|| builtin::stdlib::find(name)).map(plain)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        const KNOWN: [(&str, &str, &str); 5] = [
            ("facts", "Hash", "The facts of the node."),
            ("trusted", "Hash", "What is certain about the node: its name."),
            ("environment", "String", "The name of the environment."),
            ("title", "String", "The title of this class or resource."),
            ("name", "String", "The name of this class or resource."),
        ];
        let (name, ty, doc) = KNOWN.iter().find(|(known, ..)| *known == name)?;
        Some(Variable { name: (*name).into(), ty: (*ty).into(), doc: (*doc).into() })
    }

    fn module(&self, _name: &str) -> Option<Vec<String>> {
        None
    }

    fn properties(&self) -> &'static [Property] {
        super::property::PROPERTIES
    }

    fn declared_names(&self) -> Vec<&'static str> {
        ral::names().filter(|name| !["whit", "component"].contains(name)).chain(types::described()).collect()
    }

    fn declared(&self, name: &str) -> Option<DeclaredKind> {
        let of_values = || {
            let (written, doc) = types::doc(name)?;
            Some(DeclaredKind { name: written.into(), params: Vec::new(), doc: doc.into(), source: None })
        };
        super::catalog::kinds::doc(name).or_else(of_values)
    }
}

fn plain(function: &'static builtin::Function) -> names::Function {
    names::Function {
        name: function.name.into(),
        signatures: vec![function.signature.into()],
        doc: function.doc.into(),
        examples: function.examples.iter().map(|(call, value)| ((*call).into(), (*value).into())).collect(),
    }
}
