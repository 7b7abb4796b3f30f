//! A check of a program: evaluation, the source files that nothing imports, and the classes that nothing includes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::ast::{StmtId, StmtKind};
use super::compile_noting;
use super::scope::{CallTarget, Resolved};
use crate::diag::{Diagnostic, Diagnostics, Stage};
use crate::lang::check::{Checked, Noted, Noting, Unchecked};
use crate::lang::{CompileOptions, RunLimits};
use crate::module::{EntryPoint, clean, parse_metadata};
use crate::source::Span;
use crate::world::{Read, World};

/// The name of a machine that has none.
const STAND_IN: &str = "localhost";

/// Compiles the program, then checks each of `own` that it does not import by itself.
///
/// `own` are the source files that belong to the user. If the machine has no name, the program is checked for
/// `localhost`.
pub fn check(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
    let noting = Noting::new(world).named(STAND_IN);
    let known: BTreeSet<PathBuf> = own.iter().cloned().chain(entry.roots.iter().map(|root| clean(root))).collect();
    let is_own = |path: &Path| known.contains(&clean(path));
    let mut idle = Vec::new();
    let compiled = compile_noting(&noting, entry, options, &mut |resolved| idle = unused(resolved, &is_own));
    let mut checked = Checked::of(compiled);
    let noted = noting.noted();
    except_machine(&mut checked, entry, &noted);
    idle.into_iter().for_each(|unchecked| checked.note(unchecked));
    checked.read = own.iter().filter(|path| noted.files.contains(*path)).cloned().collect();
    let imported: BTreeSet<PathBuf> =
        checked.compiled.sources.iter().filter_map(|(_, file)| file.path.as_deref().map(clean)).collect();
    for path in own.iter().filter(|path| !imported.contains(*path)) {
        match path.extension().and_then(|end| end.to_str()) {
            Some("mcl") => alone(world, entry, options, path, &mut checked),
            Some("yaml") if path.ends_with("metadata.yaml") => metadata(world, path, &mut checked),
            _ => {}
        }
    }
    checked
}

/// Checks the types of a file that the entry does not import.
fn alone(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, path: &Path, checked: &mut Checked) {
    let run = RunLimits { until: Stage::Graph, ..options.run.clone() };
    let options = CompileOptions { run, ..options.clone() };
    let entry = EntryPoint { file: Some(path.into()), roots: vec![path.into()], ..entry.clone() };
    let compiled = super::compile(world, &entry, &options);
    let place = compiled.sources.by_path(path).map(|file| compiled.sources.place(Span::new(file, 0, 0)));
    let unchecked = Unchecked::new("values of this file", "the entry does not import it");
    checked.note(place.into_iter().fold(unchecked, Unchecked::at));
    checked.absorb(compiled);
}

/// Checks the metadata of a module that is not the entry.
fn metadata(world: &dyn World, path: &Path, checked: &mut Checked) {
    if let Some(file) = checked.file(world, path) {
        checked.compiled.diagnostics.enter(Stage::Module);
        let mut diagnostics = Diagnostics::new(Stage::Module);
        parse_metadata(&checked.compiled.sources, file, &mut diagnostics);
        checked.compiled.diagnostics.extend(diagnostics);
    }
}

/// The classes that the entry does not include and the functions that it does not call: their bodies have no types.
fn unused(resolved: &Resolved, is_own: &dyn Fn(&Path) -> bool) -> Vec<Unchecked> {
    let Resolved { ast, sources, scopes, .. } = resolved;
    let number = |id: StmtId| id.into_raw().into_u32();
    let calls = scopes.calls.iter().filter_map(|(_, target)| match target {
        CallTarget::Func { func, .. } => Some(number(*func)),
        CallTarget::Builtin(_) => None,
    });
    let includes = scopes.includes.iter().map(|(_, target)| number(target.class));
    let used: BTreeSet<u32> = calls.chain(includes).collect();
    let own = ast.stmts.iter().filter(|(_, stmt)| sources.file(stmt.span.file).path.as_deref().is_some_and(is_own));
    let unused = own.filter_map(|(id, stmt)| match &stmt.kind {
        StmtKind::Class { path, .. } if !used.contains(&number(id)) => {
            let name: Vec<&str> = path.iter().map(|name| name.text.as_str()).collect();
            Some((stmt.span, format!("class `{}`", name.join(":")), "the entry does not include it"))
        }
        StmtKind::Func { name, .. } if !used.contains(&number(id)) => {
            Some((stmt.span, format!("function `{}`", name.text), "the entry does not call it"))
        }
        _ => None,
    });
    unused.map(|(span, what, why)| Unchecked::new(what, why).at(sources.place(span))).collect()
}

/// Takes out the errors that are about this machine and not about the program: a file of the machine that cannot be read,
/// a command that was not run.
fn except_machine(checked: &mut Checked, entry: &EntryPoint, noted: &Noted) {
    let is_of_machine = |diagnostic: &Diagnostic| match noted.failed.get(&diagnostic.label) {
        Some(Read::File(path) | Read::Folder(path)) => path.is_absolute() && !path.starts_with(root(entry)),
        Some(_) => true,
        None => false,
    };
    let mut kept = Diagnostics::new(Stage::Eval);
    let mut unchecked = Vec::new();
    for diagnostic in checked.compiled.diagnostics.iter() {
        match diagnostic.span {
            Some(span) if is_of_machine(diagnostic) => {
                let what = format!("a value of this machine, and what depends on it: {}", diagnostic.label);
                let why = "it was not read";
                unchecked.push(Unchecked::new(what, why).at(checked.compiled.sources.place(span)));
            }
            _ => kept.push(diagnostic.clone()),
        }
    }
    checked.compiled.diagnostics = kept;
    unchecked.into_iter().for_each(|one| checked.note(one));
    if noted.is_nameless {
        let why = format!("this machine has no name; the program was checked for `{STAND_IN}`");
        checked.note(Unchecked::new("values that depend on the host name", why));
    }
}

/// The absolute path of the entry's folder.
fn root(entry: &EntryPoint) -> PathBuf {
    let base = if entry.base.as_os_str().is_empty() { Path::new(".") } else { &entry.base };
    std::path::absolute(base).unwrap_or_else(|_| base.to_path_buf())
}
