//! Rewrites older syntax to the current one.
//!
//! First what no longer parses: `&&`, `||` and `!`, map types without `map`, commas of lists; a `||` after a lookup was
//! its default and is `<|>` now. Then functions that were removed or moved: `iter.xmap`, the `..._default` lookups,
//! `os.readfilewait`, `sys.defaultenv`, `template` and `printf` without a module.
//!
//! Source: the history of mgmt's `lang/parser` and `lang/core`.

use std::ops::Range;

use super::ast::{Ast, ExprId, ExprKind, ImportAlias, StmtKind};
use super::lexer::{Token, TokenKind as T, lex};
use super::parser;
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::lang::Migrated;
use crate::source::FileId;

/// How often a file is read again: each round understands more of it.
const ROUNDS: usize = 100;

struct Edit {
    range: Range<usize>,
    new: String,
    what: &'static str,
}

/// Rewrites a file's text; other errors stay.
pub fn migrate(file: FileId, text: &str) -> Migrated {
    let mut done = Migrated { text: text.to_string(), rewrites: Vec::new() };
    let mut modules = Vec::new();
    for _ in 0..ROUNDS {
        let edits = edits(file, &done.text, &mut modules);
        if !apply(&mut done, edits) {
            break;
        }
    }
    // Last, so that lines are those of the original file.
    let imports = imports(file, &done.text, modules);
    apply(&mut done, imports);
    done.rewrites.sort();
    done
}

/// Also returns the modules that the new forms need.
fn edits(file: FileId, text: &str, modules: &mut Vec<&'static str>) -> Vec<Edit> {
    let mut diags = Diagnostics::new(Stage::Parse);
    let mut ast = Ast::default();
    parser::parse(&mut ast, file, text, &mut diags);
    let tokens = lex(file, text, &mut Vec::new()).list;
    match diags.has_errors() {
        true => diags.iter().filter_map(|problem| syntax(text, &tokens, problem)).collect(),
        false => functions(&ast, text, modules),
    }
}

/// Applies edits that do not overlap; `false` if there was nothing to do.
fn apply(done: &mut Migrated, mut edits: Vec<Edit>) -> bool {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut free = 0;
    edits.retain(|edit| {
        let fits = edit.range.start >= free;
        free = if fits { edit.range.end.max(edit.range.start + 1) } else { free };
        fits
    });
    let (mut text, mut at, mut line) = (String::with_capacity(done.text.len()), 0, 1);
    for edit in &edits {
        let before = &done.text[at..edit.range.start];
        line += before.matches('\n').count();
        done.rewrites.push((line, edit.what.to_string()));
        text.extend([before, &edit.new]);
        line += done.text[edit.range.clone()].matches('\n').count();
        at = edit.range.end;
    }
    text.push_str(&done.text[at..]);
    done.text = text;
    !edits.is_empty()
}

/// The edit for a problem of an older form.
fn syntax(text: &str, tokens: &[Token], problem: &Diagnostic) -> Option<Edit> {
    let span = problem.span?.range();
    let rest = &text[span.start..];
    let before = tokens[..tokens.partition_point(|t| (t.start as usize) < span.start)].iter();
    let before: Vec<&Token> = before.rev().filter(|t| t.kind != T::Newline).take(2).collect();
    let edit = |range: Range<usize>, new: &str, what| Some(Edit { range, new: new.into(), what });
    let wide = |new: &str, what| edit(span.start..span.start + 2, &spaced(text, span.start, 2, new), what);
    match problem.code {
        Code::UnknownCharacter if rest.starts_with("&&") => wide("and", "`&&` is now `and`"),
        Code::UnknownCharacter | Code::OlderSyntax if rest.starts_with("||") => {
            let lookup = match before[..] {
                [last, ..] if last.kind == T::CloseBrack => true,
                [last, arrow] => last.kind == T::Ident && arrow.kind == T::Arrow,
                _ => false,
            };
            if lookup {
                wide("<|>", "the default of a lookup now follows `<|>`")
            } else {
                wide("or", "`||` is now `or`")
            }
        }
        Code::UnknownCharacter if rest.starts_with('!') => edit(span.start..span.start + 1, "not ", "`!` is now `not`"),
        Code::OlderSyntax if rest.starts_with('{') => {
            edit(span.start..span.start, "map", "a map type starts with `map`")
        }
        Code::OlderSyntax if before.first().is_some_and(|t| t.kind == T::Comma) => {
            let comma = before[0].start as usize;
            edit(comma..comma + 1, "", "a list on one line has no trailing comma")
        }
        Code::OlderSyntax if before.first().is_some_and(|t| t.kind == T::Import) => {
            edit(span.clone(), &format!("\"{}\"", &text[span]), "an import is in quotes")
        }
        Code::MissingComma => {
            let at = if text[span.clone()].trim().is_empty() { before.first()?.end as usize } else { span.end };
            edit(at..at, ",", "each line of a list ends in a comma")
        }
        _ => None,
    }
}

/// A word in place of operators, with a blank on each side that has none.
fn spaced(text: &str, start: usize, length: usize, word: &str) -> String {
    let open = |c: Option<char>| c.is_none_or(|c| !c.is_whitespace());
    let left = if open(text[..start].chars().next_back()) { " " } else { "" };
    let right = if open(text[start + length..].chars().next()) { " " } else { "" };
    format!("{left}{word}{right}")
}

/// The new form of a call: parts of text and the arguments between them.
struct Old {
    name: &'static str,
    /// The module for the new form, by its import name; empty for none.
    module: &'static str,
    args: usize,
    new: &'static [&'static str],
    what: &'static str,
}

const DEFAULT: &[&str] = &["(", "[", "] <|> ", ")"];

const OLD: &[Old] = &[
    Old {
        name: "lookup_default",
        module: "",
        args: 3,
        new: DEFAULT,
        what: "`lookup_default` is now a lookup with `<|>`",
    },
    Old {
        name: "list_lookup_default",
        module: "",
        args: 3,
        new: DEFAULT,
        what: "`list_lookup_default` is now a lookup with `<|>`",
    },
    Old {
        name: "map_lookup_default",
        module: "",
        args: 3,
        new: DEFAULT,
        what: "`map_lookup_default` is now a lookup with `<|>`",
    },
    Old {
        name: "os.readfilewait",
        module: "os",
        args: 1,
        new: &["(os.readfile(", ") <|> \"\")"],
        what: "`os.readfilewait` is now `os.readfile` with `<|>`",
    },
    Old {
        name: "sys.defaultenv",
        module: "sys",
        args: 2,
        new: &["(sys.getenv(", ") <|> ", ")"],
        what: "`sys.defaultenv` is now `sys.getenv` with `<|>`",
    },
];

/// Renamed functions; their arguments are the same.
const RENAMED: &[(&str, &str, &str, &str)] = &[
    ("iter.xmap", "iter.map", "iter", "`iter.xmap` is now `iter.map`"),
    ("template", "golang.template", "golang", "`template` is now in the module `golang`"),
    ("printf", "fmt.printf", "fmt", "`printf` is now in the module `fmt`"),
];

fn functions(ast: &Ast, text: &str, modules: &mut Vec<&'static str>) -> Vec<Edit> {
    let defined = |name: &str| {
        ast.stmts.iter().any(|(_, stmt)| match &stmt.kind {
            StmtKind::Func { name: own, .. } => own.text == name,
            // Its contents are unknown here.
            StmtKind::Import { alias, .. } => *alias == ImportAlias::Star,
            _ => false,
        })
    };
    let mut edits = Vec::new();
    for (_, expr) in ast.exprs.iter() {
        let ExprKind::Call { func, args } = &expr.kind else { continue };
        let own = !func.text.contains('.') && defined(&func.text);
        if let Some((_, new, module, what)) = RENAMED.iter().find(|(old, ..)| *old == func.text).filter(|_| !own) {
            edits.push(Edit { range: func.span.range(), new: (*new).into(), what });
            modules.push(module);
        } else if let Some(old) = OLD.iter().find(|old| old.name == func.text && old.args == args.len() && !own) {
            // Arguments are moved as written: those that contain older forms are rewritten first.
            let inner = |arg: &ExprId| text[ast.exprs[*arg].span.range()].to_string();
            let mut new = old.new[0].to_string();
            for (at, arg) in args.iter().enumerate() {
                let simple =
                    matches!(ast.exprs[*arg].kind, ExprKind::Var(_) | ExprKind::Call { .. } | ExprKind::Str(_));
                let wrap = at == 0 && old.module.is_empty() && !simple;
                new.push_str(&if wrap { format!("({})", inner(arg)) } else { inner(arg) });
                new.push_str(old.new[at + 1]);
            }
            let comments = text[expr.span.range()].contains(['#', '\n']);
            if !comments {
                edits.push(Edit { range: expr.span.range(), new, what: old.what });
            }
        }
    }
    // In nested calls the inner ones come first, and the outer ones in the next round.
    let ranges: Vec<_> = edits.iter().map(|edit| edit.range.clone()).collect();
    let holds = |outer: &Range<usize>| {
        ranges.iter().any(|inner| inner != outer && outer.start <= inner.start && inner.end <= outer.end)
    };
    edits.retain(|edit| !holds(&edit.range));
    edits
}

/// The missing imports of a file's modules: before the first statement, after the comment at the top of the file.
fn imports(file: FileId, text: &str, mut modules: Vec<&'static str>) -> Vec<Edit> {
    let mut ast = Ast::default();
    let tree = parser::parse(&mut ast, file, text, &mut Diagnostics::new(Stage::Parse));
    let stmts = || ast.blocks[tree.body].stmts.iter().map(|stmt| &ast.stmts[*stmt]);
    let imported = |module: &str| {
        stmts().any(|stmt| match &stmt.kind {
            StmtKind::Import { name, alias: ImportAlias::None, .. } => name.rsplit('/').next() == Some(module),
            StmtKind::Import { alias: ImportAlias::As(alias), .. } => alias.text == module,
            _ => false,
        })
    };
    modules.sort_unstable();
    modules.dedup();
    modules.retain(|module| !imported(module));
    let new: String = modules.iter().map(|module| format!("import \"{module}\"\n")).collect();
    let first = stmts().map(|stmt| stmt.span.start as usize).min().unwrap_or(0);
    let what = if modules.len() > 1 { "modules are imported" } else { "a module is imported" };
    if new.is_empty() { Vec::new() } else { vec![Edit { range: first..first, new, what }] }
}
