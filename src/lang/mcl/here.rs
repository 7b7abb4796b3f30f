//! The symbol at a place of a program: its kind, type and documentation, its definition, and its uses.
//!
//! Uses the results of the stages even if they found errors: names without types are better than nothing.

use std::path::Path;

use super::ast::{Param, StmtId, StmtKind};
use super::habit::near_kind;
use super::links::{Link, Named, links};
use super::scope::{self, Resolved};
use super::words::{Symbol, Word, words};
use super::{builtin, unify};
use crate::diag::{Code, Diagnostics, Stage, nearest};
use crate::lang::shared::words::{comment_above, offset, smallest};
use crate::lang::{AsWritten, CompileOptions, Here, LinkHere};
use crate::module::EntryPoint;
use crate::resource::{META, meta_parameter, schema};
use crate::source::{FileId, Span};
use crate::world::World;

/// The symbol at a line and column, both from 1, of a file of the program; `file` is the entry's own if it is `None`.
pub fn here(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    file: Option<&Path>,
    (line, column): (u32, u32),
) -> Option<Here> {
    let stop = options.stop();
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    let resolved = scope::resolve_anyway(world, entry, &options.module_path, &stop, &mut diagnostics);
    let file = match file {
        Some(path) => resolved.sources.by_path(path)?,
        None => resolved.files.first()?.tree.file,
    };
    let at = offset(resolved.sources.file(file), (line, column))?;
    let all = words(&resolved);
    let word = smallest(all.iter(), |word| word.span, file, at)
        .cloned()
        .or_else(|| value_at(&resolved, file, at))
        .or_else(|| named_on(&resolved, &all, file, line))?;
    let mut here = here_of(&resolved, options, &word, &all);
    here.undefined = undefined(&word, &diagnostics);
    Some(here)
}

/// The text of the diagnostic for an undefined name.
fn undefined(word: &Word, diagnostics: &Diagnostics) -> Option<String> {
    let code = match &word.symbol {
        Symbol::Undefined("variable", _) => Code::UnknownVariable,
        Symbol::Undefined("function", _) => Code::UnknownFunction,
        Symbol::Undefined(..) => Code::UnknownClass,
        Symbol::Field(kind, name) => {
            let schema = schema(kind)?;
            return schema.param(name).is_none().then(|| {
                let near = nearest(name, schema.params.iter().map(|param| param.name));
                with_help(&format!("`{kind}` has no parameter `{name}`"), near.map(did_you_mean).as_deref())
            });
        }
        Symbol::Resource(named) => {
            let kind = &named.kind;
            return schema(kind)
                .is_none()
                .then(|| with_help(&format!("no resource kind `{kind}`"), Some(&near_kind(kind))));
        }
        Symbol::Meta(name) => {
            return meta_parameter(name).is_none().then(|| {
                let near = nearest(name, META.iter().map(|meta| meta.name));
                with_help(&format!("unknown meta parameter `{name}`"), near.map(did_you_mean).as_deref())
            });
        }
        _ => return None,
    };
    let around =
        |span: &Span| span.file == word.span.file && span.start <= word.span.start && word.span.end <= span.end;
    // For a call in a call: the diagnostic of the inner one is around both words, but not the other way round.
    let described =
        diagnostics.iter().filter(|described| described.code == code && described.span.as_ref().is_some_and(around));
    let described = described.min_by_key(|described| described.span.map(|span| span.end - span.start));
    Some(
        described
            .map_or("no definition found".into(), |described| with_help(&described.label, described.help.as_deref())),
    )
}

fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

fn with_help(label: &str, help: Option<&str>) -> String {
    help.map_or(label.into(), |help| format!("{label}; {help}"))
}

/// The smallest expression around a place that is not a word.
fn value_at(resolved: &Resolved, file: FileId, at: usize) -> Option<Word> {
    let (expr, found) = smallest(resolved.ast.exprs.iter(), |(_, expr)| expr.span, file, at)?;
    Some(Word { span: found.span, symbol: Symbol::Value(expr), expr: Some(expr), defines: false, note: None })
}

/// The resource that is declared on the line, or else named there, if the cursor is beside its words.
fn named_on(resolved: &Resolved, all: &[Word], file: FileId, line: u32) -> Option<Word> {
    let text = resolved.sources.file(file);
    let begins_here = |word: &&Word| word.span.file == file && text.line_at(word.span.start) == line;
    let named = all.iter().filter(|word| matches!(word.symbol, Symbol::Resource(_))).filter(begins_here);
    named.min_by_key(|word| (!word.defines, word.span.start)).cloned()
}

fn here_of(resolved: &Resolved, options: &CompileOptions, word: &Word, all: &[Word]) -> Here {
    let sources = &resolved.sources;
    let definition = all.iter().find(|other| other.defines && other.symbol == word.symbol);
    let uses: Vec<&Word> = all.iter().filter(|other| !other.defines && other.symbol == word.symbol).collect();
    let text = sources.text(word.span);
    let name = text.trim_start_matches("${").trim_end_matches('}').trim_start_matches('$').to_string();
    let defined = definition.map(|there| there.span);
    let uses_at = uses.iter().map(|there| there.span);
    let mut here = Here::of(what(resolved, &word.symbol), name, word.span, defined, uses_at, sources);
    here.doc = defined.map(|there| comment_above(sources.file(there.file), there)).unwrap_or_default();
    match &word.symbol {
        Symbol::Function(function) => {
            here.ty = Some(function.forms().collect::<Vec<_>>().join(" or "));
            here.doc = function.doc.to_string();
        }
        Symbol::Global(variable) => {
            here.ty = Some(variable.ty.to_string());
            here.doc = variable.doc.to_string();
        }
        Symbol::Resource(named) => {
            here.name = named.shown(resolved);
            let kind = schema(&named.kind).map(|schema| schema.about()).unwrap_or_default();
            let described = std::mem::take(&mut here.doc);
            here.doc =
                [&*described, &*kind].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n\n");
            here.resource = Some(as_written(resolved, named));
        }
        Symbol::Field(kind, name) => {
            if let Some(param) = schema(kind).and_then(|schema| schema.param(name)) {
                here.ty = Some(param.ty.to_string());
                here.doc = param.doc.to_string();
            }
        }
        Symbol::Meta(name) => {
            if let Some(meta) = meta_parameter(name) {
                here.ty = Some(meta.ty.to_string());
                here.doc = meta.doc.to_string();
            }
        }
        Symbol::Undefined(..) => {}
        Symbol::Module(name) => here.doc = builtin::names_in(name).collect::<Vec<_>>().join(", "),
        Symbol::Stmt(stmt) => here.ty = type_of_stmt(resolved, options, *stmt, definition),
        Symbol::Param(..) => {
            here.ty = definition.and_then(|there| there.note.clone()).or_else(|| {
                let used = word.expr.or_else(|| uses.iter().find_map(|there| there.expr))?;
                type_of(resolved, options, unify::Subject::Expr(used))
            });
        }
        Symbol::Value(expr) => here.ty = type_of(resolved, options, unify::Subject::Expr(*expr)),
    }
    here
}

fn as_written(resolved: &Resolved, named: &Named) -> AsWritten {
    let seen_from = |link: &Link, other: &Named, leads_away: bool| LinkHere {
        other: other.shown(resolved),
        other_kind: other.kind.to_string(),
        leads_away,
        notify: link.notify,
        written: link.written.into(),
        place: resolved.sources.place(link.span),
    };
    let mut found = Vec::new();
    for link in links(resolved) {
        if link.to.means(named) {
            found.push(seen_from(&link, &link.from, false));
        }
        if link.from.means(named) {
            found.push(seen_from(&link, &link.to, true));
        }
    }
    let names = named.texts().map(ToString::to_string).collect();
    AsWritten { kind: named.kind.to_string(), names, links: found }
}

fn what(resolved: &Resolved, symbol: &Symbol) -> &'static str {
    match symbol {
        Symbol::Stmt(stmt) => match resolved.ast.stmts[*stmt].kind {
            StmtKind::Func { .. } => "function",
            StmtKind::Class { .. } => "class",
            _ => "variable",
        },
        Symbol::Param(..) | Symbol::Global(_) => "variable",
        Symbol::Function(_) => "function",
        Symbol::Resource(_) => "resource",
        Symbol::Field(..) => "parameter",
        Symbol::Meta(_) => "meta parameter",
        Symbol::Module(_) => "module",
        Symbol::Undefined(what, _) => what,
        Symbol::Value(_) => "value",
    }
}

fn type_of_stmt(resolved: &Resolved, options: &CompileOptions, stmt: StmtId, name: Option<&Word>) -> Option<String> {
    match &resolved.ast.stmts[stmt].kind {
        StmtKind::Bind { note: Some(note), .. } => Some(note.ty.to_string()),
        StmtKind::Bind { value, .. } => type_of(resolved, options, unify::Subject::Expr(*value)),
        StmtKind::Func { .. } => type_of(resolved, options, unify::Subject::Func(stmt)),
        StmtKind::Class { params, .. } => Some(format!("class {}", heading(resolved, params, name?.span))),
        _ => None,
    }
}

/// A class's name and parameters as written.
fn heading(resolved: &Resolved, params: &[Param], name: Span) -> String {
    let params: Vec<_> = params.iter().map(|param| resolved.sources.text(param.span)).collect();
    format!("{}({})", resolved.sources.text(name), params.join(", "))
}

fn type_of(resolved: &Resolved, options: &CompileOptions, asked: unify::Subject) -> Option<String> {
    let stop = options.stop();
    let limits = unify::Limits { stop, ..unify::Limits::of(&options.run.limits) };
    let described = unify::describe(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, asked);
    // The result of an error, which is reported at the error.
    described.filter(|described| described != "_")
}
