//! A check of a project: the model, and every own file that the model does not read.

use ::std::collections::BTreeSet;
use ::std::path::{Path, PathBuf};

use super::language::Run;
use super::{Edition, Request, names, parser};
use crate::diag::{Code, Severity, Stage};
use crate::lang::check::{Checked, Fault, Noting, Unchecked, data, yaml};
use crate::lang::{CompileOptions, Compiled};
use crate::module::{EntryPoint, clean};
use crate::source::Span;
use crate::world::World;

/// Metadata of projects and modules.
const METADATA: [&str; 2] = ["project.yml", "module.yml"];

/// Compiles the model, then checks each of `own` that it does not read.
///
/// `own` are the source files that belong to the user. Parts that did not run, such as unused implementations and
/// plugins in Python, are reported as unchecked.
pub fn check(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
    let noting = Noting::new(world);
    let mut run = Run::new(&noting, entry, options);
    let Some(file) = run.entry_file(entry) else { return Checked::of(run.compiled(Default::default(), options)) };
    let request = Request::Resources { host: world.hostname() };
    let answer = run.model(file, entry, options, Vec::new(), request).unwrap_or_default();
    let known: BTreeSet<PathBuf> = own.iter().cloned().chain(entry.roots.iter().map(|root| clean(root))).collect();
    let is_own = |path: &Path| known.contains(&clean(path));
    let idle: Vec<Unchecked> = answer
        .idle
        .iter()
        .filter(|(_, span)| run.sources.file(span.file).path.as_deref().is_some_and(is_own))
        .map(|(name, span)| {
            let what = format!("implementation `{name}`");
            Unchecked::new(what, "it ran for no instance").at(run.sources.place(*span))
        })
        .collect();
    let not_run = answer.not_run.clone();
    let mut checked = Checked::of(run.compiled(answer, options));
    idle.into_iter().for_each(|one| checked.note(one));
    for plugin in not_run {
        let what = format!("the value of `{plugin}`");
        let why = format!("a plugin in Python; {}", options.choices.way_to_run_plugins());
        checked.note(Unchecked::new(what, why));
    }
    let read = noting.noted().files;
    checked.read = own.iter().filter(|path| read.contains(*path)).cloned().collect();
    let unread: Vec<&PathBuf> = own.iter().filter(|path| !read.contains(*path)).collect();
    others(world, entry, options, &unread, &mut checked);
    for path in own {
        let is_read = read.contains(path);
        let is_in = |folder: &str| path.components().any(|part| part.as_os_str() == folder);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".cf") && !is_read {
            model_file(world, options, path, &mut checked);
        } else if (name.ends_with(".j2") || name.ends_with(".tmpl")) && is_in("templates") && !is_read {
            template(world, path, &mut checked);
        } else if METADATA.contains(&name) {
            metadata(world, path, &mut checked);
        } else if name.ends_with(".py")
            && (is_in("plugins") || is_in("inmanta_plugins"))
            && !options.choices.run_plugins
        {
            let held = "approve the module with `workbench modules ENTRY --approve`";
            let way = if options.choices.plugins_held { held } else { "`--run-plugins` runs its plugins" };
            note_file(world, path, "Python code", way, &mut checked);
        }
    }
    checked
}

/// Checks the names and types of the modules and parts of modules that the model does not import, and the types in the
/// signatures of plugins.
fn others(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, unread: &[&PathBuf], checked: &mut Checked) {
    let mut run = Run::new(world, entry, options);
    let Some(file) = run.entry_file(entry) else { return };
    let also: BTreeSet<String> = unread.iter().filter_map(|path| run.importable(path, file, entry, options)).collect();
    let has_python = checked.compiled.sources.iter().any(|(_, file)| file.name.ends_with(".py"));
    if (also.is_empty() && !has_python) || checked.compiled.diagnostics.has_errors() {
        return;
    }
    run.model(file, entry, options, also.into_iter().collect(), Request::Checks);
    let compiled = run.compiled(Default::default(), options);
    checked.absorb(Compiled { log: Vec::new(), ..compiled });
}

/// The name under which a file of a module is imported, and the folder of the module.
pub(super) fn import_of(path: &Path) -> Option<(String, PathBuf)> {
    let parts: Vec<&str> = path.components().filter_map(|part| part.as_os_str().to_str()).collect();
    let at = parts.iter().rposition(|part| *part == "model")?;
    let module = parts.get(at.checked_sub(1)?)?;
    let folder: PathBuf = path.components().take(at).collect();
    let mut names = vec![(*module).to_owned()];
    let (last, folders) = parts.get(at + 1..)?.split_last()?;
    names.extend(folders.iter().map(|part| (*part).to_owned()));
    let last = last.strip_suffix(".cf")?;
    if last != "_init" {
        names.push(last.to_owned());
    }
    Some((names.join("::"), folder))
}

/// Checks the syntax of a file that the model does not import.
fn model_file(world: &dyn World, options: &CompileOptions, path: &Path, checked: &mut Checked) {
    let Some(file) = checked.file(world, path) else { return };
    let Ok(edition) = Edition::of(options.choices.inmanta.edition.as_deref()) else { return };
    let text = super::ended(&checked.compiled.sources.file(file).text);
    let (mut names, mut ast) = (names::Names::default(), super::ast::Ast::default());
    match parser::parse(&text, file, super::ast::NsId(0), edition, &mut names, &mut ast) {
        Ok(_) => note_file(world, path, "values of this file", "the model does not import it", checked),
        Err(raise) => {
            checked.compiled.diagnostics.enter(Stage::Compile);
            raise.report(&mut checked.compiled.diagnostics);
        }
    }
}

/// Checks the syntax of a template that nothing renders.
fn template(world: &dyn World, path: &Path, checked: &mut Checked) {
    let Some(file) = checked.file(world, path) else { return };
    let Compiled { sources, diagnostics, .. } = &mut checked.compiled;
    let before = diagnostics.error_count();
    diagnostics.enter(Stage::Compile);
    data(file, sources, diagnostics, |text| {
        let help = "correct this line: `{{ … }}` is a value, `{% … %}` a statement of Jinja".into();
        super::template::syntax(text).map_err(|(line, column, why)| Fault {
            code: Code::UnexpectedToken,
            line,
            column,
            why,
            help,
        })
    });
    if diagnostics.error_count() == before {
        note_file(world, path, "a template", "nothing renders it", checked);
    }
}

fn metadata(world: &dyn World, path: &Path, checked: &mut Checked) {
    if let Some(file) = checked.file(world, path) {
        let Compiled { sources, diagnostics, .. } = &mut checked.compiled;
        // The compilation may have read it, and reports its fault with advice.
        let mut errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
        if errors.any(|one| one.span.is_some_and(|span| span.file == file)) {
            return;
        }
        diagnostics.enter(Stage::Module);
        data(file, sources, diagnostics, yaml);
    }
}

/// Adds a file that was not checked, with its place.
fn note_file(world: &dyn World, path: &Path, what: &str, why: &str, checked: &mut Checked) {
    if let Some(file) = checked.file(world, path) {
        let place = checked.compiled.sources.place(Span::new(file, 0, 0));
        checked.note(Unchecked::new(what, why).at(place));
    }
}
