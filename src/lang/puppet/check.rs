//! A check of a program: compiling for each of its nodes, and every own file that no compilation reads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ast::{Expr, Kind, NodeDefinition, Program};
use super::conf::Strict;
use super::eval::Evaluator;
use super::language::{FACTS_ENDINGS, Puppet, build, chosen, environment, evaluate, read, strict};
use super::lookup::{NO_HASH, fault, yaml};
use super::modules::Modules;
use super::nodes::node_for;
use super::{facts, parser, validate};
use crate::diag::{Code, Diagnostics, Stage};
use crate::graph::{Draft, Graph};
use crate::lang::check::{Checked, Fault, Noting, Unchecked, data, json};
use crate::lang::choices;
use crate::lang::ruby;
use crate::lang::{CompileOptions, Compiled, Language as _};
use crate::module::{EntryPoint, Layout};
use crate::source::{FileId, Place, Sources, Span};
use crate::world::{Read, Sample, World};

/// Folders whose files are no part of a catalog.
const ELSEWHERE: [&str; 4] = ["spec", "plans", "tasks", "vendor"];

/// Folders whose files are delivered as they are.
const DELIVERED: [&str; 2] = ["files", "templates"];

/// Compiles the program for each of its nodes, then checks each of `own` that no compilation reads.
///
/// `own` are the source files that belong to the user.
pub fn check(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
    let noting = Noting::new(world);
    let mut options = options.clone();
    options.choices.puppet.strict = Some(match strict(world, entry, &options) {
        Strict::Error => choices::Strict::Error,
        Strict::Warning => choices::Strict::Warning,
        Strict::Off => choices::Strict::Off,
    });
    let options = &options;
    let mut used = Used::default();
    let mut checked = for_nodes(&noting, entry, options, &mut used);
    used.files = noting.noted().files;
    checked.read = own.iter().filter(|path| used.files.contains(*path)).cloned().collect();
    let root = environment(entry, &options.choices);
    let folders = folders_of_data(world, own);
    let is_in = |path: &Path, folders: &[&str]| {
        let below = path.strip_prefix(&root).unwrap_or(path);
        below.components().any(|part| folders.iter().any(|name| part.as_os_str() == *name))
    };
    for path in own.iter().filter(|path| !is_in(path, &ELSEWHERE)) {
        match path.extension().and_then(|end| end.to_str()).unwrap_or_default() {
            "pp" => manifest(world, options, path, &used, &mut checked),
            "epp" => template(world, options, path, &used, &mut checked),
            "erb" => ruby_template(world, path, &used, &mut checked),
            "rb" if is_in(path, &["lib"]) && !used.files.contains(path) => {
                note_file(world, path, "Ruby code", "Ruby is not run here", &mut checked);
            }
            "yaml" | "yml" | "eyaml" if !is_in(path, &DELIVERED) => {
                let is_data = folders.iter().any(|folder| path.starts_with(folder));
                hiera(world, options, path, is_data, &used, &mut checked);
            }
            "json" if !is_in(path, &DELIVERED) => {
                if let Some(file) = checked.file(world, path) {
                    let Compiled { sources, diagnostics, .. } = &mut checked.compiled;
                    // A compilation that read it has reported its fault.
                    let is_reported = diagnostics.iter().any(|one| one.span.is_some_and(|span| span.file == file));
                    if !is_reported {
                        diagnostics.enter(Stage::Module);
                        data(file, sources, diagnostics, json);
                    }
                }
            }
            _ => {}
        }
    }
    if !own.is_empty() {
        puppetfile(world, entry, &mut checked);
    }
    checked
}

/// Checks the list of other people's modules. Ruby code in it is no fault of the program.
fn puppetfile(world: &dyn World, entry: &EntryPoint, checked: &mut Checked) {
    let (mut sources, mut found) = (Sources::default(), Diagnostics::new(Stage::Module));
    Modules.needs(world, &entry.base, Some(entry), &mut sources, &mut found);
    let mut diagnostics = Diagnostics::new(Stage::Module);
    for diagnostic in found.iter() {
        match diagnostic.span {
            Some(span) if diagnostic.label.contains("Ruby code") => {
                checked.note(Unchecked::new("a list of modules", &*diagnostic.label).at(sources.place(span)));
            }
            _ => diagnostics.push(diagnostic.clone()),
        }
    }
    checked.absorb(Compiled::new(Graph::default(), sources, diagnostics));
}

/// What compilations have used.
#[derive(Debug, Default)]
struct Used {
    /// Classes, and types of resources, in lower case.
    names: BTreeSet<String>,
    files: BTreeSet<PathBuf>,
    /// What only Ruby could compute, in words.
    unknown: BTreeSet<String>,
}

impl Used {
    fn note(&mut self, e: &Evaluator<'_>) {
        self.names.extend(e.catalog.classes.iter().map(|name| name.to_lowercase()));
        self.names.extend(e.catalog.ids().map(|id| e.catalog.get(id).ty.to_string()));
        let is_unknown = |text: &&String| text.contains("unknown") || text.ends_with("is left out");
        self.unknown.extend(e.output.warned.iter().filter(is_unknown).cloned());
    }
}

/// Compiles for the chosen node, or else for each node that the program or a file of facts names.
fn for_nodes(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, used: &mut Used) -> Checked {
    let plain = |compiled| Checked::of(compiled);
    let read = match read(world, entry, options) {
        Ok(read) => read,
        Err(read) => {
            let compiled = Compiled::new(Graph::default(), read.sources, read.diagnostics);
            return plain(Compiled { log: read.log, ..compiled });
        }
    };
    if entry.include.is_some() && entry.file.is_none() {
        // A module without a class of its name has parts for other programs only.
        return plain(Compiled::new(Graph::default(), read.sources, read.diagnostics));
    }
    let nodes = Nodes::of(&read.programs);
    let folder = environment(entry, &options.choices).join("facts");
    let here = facts::fqdn(world).to_lowercase();
    let plan = nodes.plan(options.choices.puppet.node.as_deref(), &here, names_of_facts(world, &folder));
    let mut checked: Option<Checked> = None;
    for node in &plan {
        let mut options = options.clone();
        if let Some(node) = node {
            let choices = &mut options.choices;
            choices.puppet.node = Some(node.clone());
            if choices.puppet.facts.is_none() {
                choices.puppet.facts = Puppet.facts_of_node(world, entry, choices);
            }
        }
        let compiled = for_node(world, entry, &options, used);
        match &mut checked {
            None => checked = Some(Checked::of(compiled)),
            Some(checked) => checked.absorb(compiled),
        }
    }
    let mut checked = checked.unwrap_or_else(|| {
        Checked::of(Compiled::new(Graph::default(), Sources::default(), Diagnostics::new(Stage::Eval)))
    });
    checked.nodes = plan.into_iter().map(|node| node.unwrap_or_else(|| here.clone())).collect();
    nodes.note_left_out(&mut checked, &read.sources);
    if entry.include.is_some() {
        except_parameters(&mut checked);
    }
    for text in std::mem::take(&mut used.unknown) {
        checked.note(Unchecked::new("a value", text));
    }
    checked
}

fn for_node(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, used: &mut Used) -> Compiled {
    let read = match read(world, entry, options) {
        Ok(read) => read,
        Err(read) => return Compiled::new(Graph::default(), read.sources, read.diagnostics),
    };
    let done = evaluate(world, entry, options, read, |e, value, diagnostics, log| {
        used.note(e);
        build(e, value, diagnostics, log, &Draft::default())
    });
    let graph = if done.diagnostics.has_errors() { Graph::default() } else { done.graph };
    let compiled = Compiled::new(graph, done.sources, done.diagnostics);
    Compiled { log: done.log, kinds: done.kinds, ..compiled }
}

/// The `node` statements of the entry.
struct Nodes(Vec<Arc<NodeDefinition>>);

impl Nodes {
    fn of(programs: &[Arc<Program>]) -> Self {
        let statements = programs.iter().flat_map(|program| program.body.statements());
        let node =
            |statement: &Expr| if let Kind::Node(node) = &statement.kind { Some(Arc::clone(node)) } else { None };
        Self(statements.filter_map(node).collect())
    }

    /// The nodes to compile for; `None` is this machine.
    fn plan(&self, chosen: Option<&str>, here: &str, with_facts: Vec<String>) -> Vec<Option<String>> {
        if self.0.is_empty() || chosen.is_some() {
            return vec![chosen.map(str::to_owned)];
        }
        let mut plan = Vec::new();
        let mut known = BTreeSet::from([here.to_owned()]);
        if node_for(&self.0, here).is_some() {
            plan.push(None);
        }
        let hosts = self.0.iter().flat_map(|node| &node.matches);
        let named =
            hosts.filter_map(|host| if let Kind::Str(name) = &host.kind { Some(name.to_lowercase()) } else { None });
        for name in with_facts.into_iter().chain(named) {
            if known.insert(name.to_lowercase()) {
                plan.push(Some(name));
            }
        }
        // Without a node for it, compiling reports that.
        if plan.is_empty() { vec![None] } else { plan }
    }

    fn note_left_out(&self, checked: &mut Checked, sources: &Sources) {
        let compiled = checked.nodes.iter().filter_map(|name| node_for(&self.0, &name.to_lowercase()));
        let compiled: BTreeSet<Place> = compiled.map(|(_, host)| sources.place(host.span)).collect();
        for host in self.0.iter().flat_map(|node| &node.matches) {
            let place = sources.place(host.span);
            let what = match &host.kind {
                _ if compiled.contains(&place) => continue,
                Kind::Str(name) => format!("node `{name}`"),
                Kind::Regex(pattern) => format!("node `/{pattern}/`"),
                Kind::Default => "node `default`".to_owned(),
                _ => continue,
            };
            checked.note(Unchecked::new(what, "not compiled; use `--node NAME`").at(place));
        }
    }
}

/// The nodes with a file of facts.
fn names_of_facts(world: &dyn World, folder: &Path) -> Vec<String> {
    let Ok(Sample::Names(names)) = world.read(&Read::Folder(folder.into())) else { return Vec::new() };
    let name = |file: String| {
        let (name, ending) = file.rsplit_once('.')?;
        (FACTS_ENDINGS.contains(&ending) && !name.is_empty() && !name.starts_with('.')).then(|| name.to_owned())
    };
    names.into_iter().filter_map(name).collect()
}

/// Takes out the error that a module's class has parameters for which only its users have values.
fn except_parameters(checked: &mut Checked) {
    let mut kept = Diagnostics::new(Stage::Eval);
    let mut unchecked = Vec::new();
    for diagnostic in checked.compiled.diagnostics.iter() {
        let is_included =
            diagnostic.span.is_some_and(|span| *checked.compiled.sources.file(span.file).name == *"<include>");
        if is_included && diagnostic.code == Code::MissingParameter {
            unchecked.push(Unchecked::new("the class of the module", diagnostic.label.replace('\n', " ")));
        } else {
            kept.push(diagnostic.clone());
        }
    }
    checked.compiled.diagnostics = kept;
    unchecked.into_iter().for_each(|one| checked.note(one));
}

/// Adds a file that was not checked, with its place.
fn note_file(world: &dyn World, path: &Path, what: &str, why: &str, checked: &mut Checked) {
    if let Some(file) = checked.file(world, path) {
        let place = checked.compiled.sources.place(Span::new(file, 0, 0));
        checked.note(Unchecked::new(what, why).at(place));
    }
}

/// Parses and validates a file; `None` after an error.
fn parsed(options: &CompileOptions, file: FileId, is_template: bool, checked: &mut Checked) -> Option<Program> {
    let Compiled { sources, diagnostics, .. } = &mut checked.compiled;
    let source = sources.file(file);
    diagnostics.enter(Stage::Parse);
    match parser::parse(file, &source.text, is_template, &mut Vec::new()) {
        Ok(program) => {
            diagnostics.enter(Stage::Validate);
            for issue in validate::validate(&program, &source.name, chosen(options)) {
                diagnostics.push(issue.diagnostic());
            }
            Some(program)
        }
        Err(issue) => {
            diagnostics.push(issue.diagnostic());
            None
        }
    }
}

/// Checks a manifest that no compilation read, and lists what none evaluated.
fn manifest(world: &dyn World, options: &CompileOptions, path: &Path, used: &Used, checked: &mut Checked) {
    let is_read = used.files.contains(path);
    let Some(file) = checked.file(world, path) else { return };
    let program = if is_read {
        let text = Arc::clone(&checked.compiled.sources.file(file).text);
        // The compilation that read it has reported its errors.
        parser::parse(file, &text, false, &mut Vec::new()).ok()
    } else {
        parsed(options, file, false, checked)
    };
    let Some(program) = program else { return };
    let mut open = vec![&program.body];
    while let Some(body) = open.pop() {
        for statement in body.statements() {
            let (what, why) = match &statement.kind {
                Kind::Class(class) => {
                    open.push(&class.body);
                    if used.names.contains(&class.name.to_lowercase()) {
                        continue;
                    }
                    (format!("class `{}`", class.name), "nothing declares it")
                }
                Kind::Define(define) if !used.names.contains(&define.name.to_lowercase()) => {
                    (format!("define `{}`", define.name), "nothing declares one")
                }
                Kind::Function(function) if !is_read => (format!("function `{}`", function.name), "nothing calls it"),
                Kind::TypeAlias(alias) if !is_read => (format!("type `{}`", alias.name), "nothing uses it"),
                _ if !is_read && !is_definition(statement) => {
                    note_file(world, path, "a manifest", "the entry does not read it", checked);
                    continue;
                }
                _ => continue,
            };
            let place = checked.compiled.sources.place(head(statement));
            checked.note(Unchecked::new(what, why).at(place));
        }
    }
}

fn is_definition(statement: &Expr) -> bool {
    matches!(
        statement.kind,
        Kind::Class(_) | Kind::Define(_) | Kind::Function(_) | Kind::TypeAlias(_) | Kind::ArmType(_) | Kind::Nop
    )
}

/// The beginning of a statement.
fn head(statement: &Expr) -> Span {
    Span { end: statement.span.start, ..statement.span }
}

fn template(world: &dyn World, options: &CompileOptions, path: &Path, used: &Used, checked: &mut Checked) {
    if used.files.contains(path) {
        return;
    }
    let Some(file) = checked.file(world, path) else { return };
    if parsed(options, file, true, checked).is_some() {
        note_file(world, path, "a template", "nothing renders it", checked);
    }
}

fn ruby_template(world: &dyn World, path: &Path, used: &Used, checked: &mut Checked) {
    if used.files.contains(path) {
        return;
    }
    let Some(file) = checked.file(world, path) else { return };
    let source = checked.compiled.sources.file(file);
    let (line, why) = match ruby::read_template(&source.text) {
        Ok(()) => (1, "nothing renders it".to_owned()),
        Err(fault) => (fault.line, format!("{} is {}", fault.what, super::unknown::OUTSIDE)),
    };
    let start = source.line_range(line).start;
    let place = checked.compiled.sources.place(Span::new(file, start, start));
    checked.note(Unchecked::new("a template", why).at(place));
}

/// The folders with data: those that a `hiera.yaml` names, or the one that Hiera takes without.
fn folders_of_data(world: &dyn World, own: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for config in own.iter().filter(|path| path.ends_with("hiera.yaml")) {
        let folder = config.parent().unwrap_or(Path::new(""));
        folders.push(folder.join("data"));
        let text = world.file(config).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let named = text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("datadir:"));
        folders.extend(named.map(|name| folder.join(name.trim().trim_matches(['"', '\'']))));
    }
    folders
}

/// Checks a file of YAML; data must be a hash.
fn hiera(world: &dyn World, options: &CompileOptions, path: &Path, is_data: bool, used: &Used, checked: &mut Checked) {
    if used.files.contains(path) {
        // The compilation that read it has reported its errors.
        return;
    }
    let Some(file) = checked.file(world, path) else { return };
    let Compiled { sources, diagnostics, .. } = &mut checked.compiled;
    let before = diagnostics.error_count();
    diagnostics.enter(Stage::Eval);
    let (shown, strict) = (sources.file(file).name.clone(), chosen(options) == Strict::Error);
    data(file, sources, diagnostics, |text| match yaml::read(text) {
        Err(wrong) => Err(fault(text, &wrong)),
        Ok(document) if is_data && strict && !document.is_hash_or_empty() => Err(Fault {
            code: Code::InvalidData,
            line: 1,
            column: 1,
            why: format!("{shown}: file does not contain a valid yaml hash"),
            help: NO_HASH.into(),
        }),
        Ok(_) => Ok(()),
    });
    if is_data && diagnostics.error_count() == before {
        note_file(world, path, "values of this data", "no compiled node reads it", checked);
    }
}
