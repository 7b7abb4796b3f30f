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
use crate::lang::{AsWritten, CompileOptions, Here, LinkHere};
use crate::module::EntryPoint;
use crate::resource::{META, meta_parameter, schema};
use crate::source::{FileId, SourceFile, Span};
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
    let at = offset(resolved.sources.file(file), line, column)?;
    let all = words(&resolved);
    let word = all
        .iter()
        .filter(|word| is_at(word.span, file, at))
        .min_by_key(|word| word.span.end - word.span.start)
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

fn is_at(span: Span, file: FileId, at: u32) -> bool {
    span.file == file && span.start <= at && at < span.end
}

/// The byte of a line and column; `None` after the end of the line.
fn offset(file: &SourceFile, line: u32, column: u32) -> Option<u32> {
    if line == 0 || line > file.line_count() {
        return None;
    }
    let range = file.line_range(line);
    let before = file.text[range.clone()].char_indices().nth((column as usize).checked_sub(1)?)?.0;
    Some((range.start + before) as u32)
}

/// The smallest expression around a place that is not a word.
fn value_at(resolved: &Resolved, file: FileId, at: u32) -> Option<Word> {
    let exprs = resolved.ast.exprs.iter().filter(|(_, expr)| is_at(expr.span, file, at));
    let (expr, found) = exprs.min_by_key(|(_, expr)| expr.span.end - expr.span.start)?;
    Some(Word { span: found.span, symbol: Symbol::Value(expr), expr: Some(expr), defines: false, note: None })
}

/// The resource that is declared on the line, or else named there, if the cursor is beside its words.
fn named_on(resolved: &Resolved, all: &[Word], file: FileId, line: u32) -> Option<Word> {
    let text = resolved.sources.file(file);
    let begins_here = |word: &&Word| word.span.file == file && text.line_column(word.span.start).0 == line;
    let named = all.iter().filter(|word| matches!(word.symbol, Symbol::Resource(_))).filter(begins_here);
    named.min_by_key(|word| (!word.defines, word.span.start)).cloned()
}

fn here_of(resolved: &Resolved, options: &CompileOptions, word: &Word, all: &[Word]) -> Here {
    let sources = &resolved.sources;
    let definition = all.iter().find(|other| other.defines && other.symbol == word.symbol);
    let uses: Vec<&Word> = all.iter().filter(|other| !other.defines && other.symbol == word.symbol).collect();
    let text = sources.text(word.span);
    let mut here = Here {
        what: what(resolved, &word.symbol).into(),
        name: text.trim_start_matches("${").trim_end_matches('}').trim_start_matches('$').to_string(),
        ty: None,
        doc: definition.map(|there| comment_above(sources.file(there.span.file), there.span)).unwrap_or_default(),
        place: sources.place(word.span),
        defined: definition.map(|there| sources.place(there.span)),
        uses: uses.iter().map(|there| sources.place(there.span)).collect(),
        resource: None,
        undefined: None,
        data: None,
    };
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
                type_of(resolved, options, unify::Asked::Expr(used))
            });
        }
        Symbol::Value(expr) => here.ty = type_of(resolved, options, unify::Asked::Expr(*expr)),
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
        StmtKind::Bind { value, .. } => type_of(resolved, options, unify::Asked::Expr(*value)),
        StmtKind::Func { .. } => type_of(resolved, options, unify::Asked::Func(stmt)),
        StmtKind::Class { params, .. } => Some(format!("class {}", heading(resolved, params, name?.span))),
        _ => None,
    }
}

/// A class's name and parameters as written.
fn heading(resolved: &Resolved, params: &[Param], name: Span) -> String {
    let params: Vec<_> = params.iter().map(|param| resolved.sources.text(param.span)).collect();
    format!("{}({})", resolved.sources.text(name), params.join(", "))
}

fn type_of(resolved: &Resolved, options: &CompileOptions, asked: unify::Asked) -> Option<String> {
    let stop = options.stop();
    let limits = unify::Limits { stop, ..unify::Limits::of(&options.run.limits) };
    let described = unify::describe(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, asked);
    // The result of an error, which is reported at the error.
    described.filter(|described| described != "_")
}

/// The comment lines right above a definition, without their signs.
fn comment_above(file: &SourceFile, name: Span) -> String {
    let mut lines = Vec::new();
    let mut line = file.line_column(name.start).0;
    while line > 1 {
        line -= 1;
        let Some(text) = file.line(line).trim().strip_prefix('#') else { break };
        lines.push(text.strip_prefix(' ').unwrap_or(text).to_string());
    }
    lines.reverse();
    lines.join("\n")
}
