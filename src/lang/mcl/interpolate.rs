//! Decodes strings, `\n` and `${name}`, and moves nested classes.
//!
//! Source: mgmt `lang/interpolate/parse.rl`.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::ast::{Ast, BlockId, Dotted, Expr, ExprId, ExprKind, File, Mark, Name, StmtId, StmtKind};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;

/// Decodes the texts that were added to the tree since a mark, and moves `class a:b` of the file into `class a`.
pub fn interpolate(ast: &mut Ast, new: Mark, file: &File, diags: &mut Diagnostics) {
    let literals: Vec<(ExprId, SmolStr, Span)> = new
        .exprs(ast)
        .filter_map(|id| match &ast.exprs[id].kind {
            ExprKind::Str(raw) if raw.contains(['\\', '$']) => Some((id, raw.clone(), ast.exprs[id].span)),
            _ => None,
        })
        .collect();
    for (id, raw, span) in literals {
        match decode(&raw, span) {
            Ok(parts) => replace(ast, id, parts),
            Err(diagnostic) => diags.push(*diagnostic),
        }
    }
    nest_classes(ast, file.body, diags);
}

/// A piece of a string, with its bytes in the source.
enum Part {
    Text(String, Span),
    Variable(SmolStr, Span),
}

fn replace(ast: &mut Ast, id: ExprId, mut parts: Vec<Part>) {
    ast.exprs[id].kind = match (parts.len(), parts.pop()) {
        (0, _) | (_, None) => ExprKind::Str(SmolStr::default()),
        (1, Some(Part::Text(text, _))) => ExprKind::Str(text.into()),
        (_, Some(last)) => {
            parts.push(last);
            let pieces = parts.into_iter().map(|part| match part {
                Part::Text(text, span) => Expr { kind: ExprKind::Str(text.into()), span },
                Part::Variable(text, span) => Expr { kind: ExprKind::Var(Dotted { text, span }), span },
            });
            ExprKind::Interpolated(pieces.map(|piece| ast.exprs.alloc(piece)).collect())
        }
    };
}

/// What to write in place of what is inside of `${`.
fn inside(inner: &str) -> String {
    let line = inner.lines().next().unwrap_or_default();
    let written = line.split('}').next().unwrap_or_default();
    let plain = written.trim().trim_start_matches('$');
    let name: &str = &line[..line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(line.len())];
    match line.contains('}') {
        true if is_variable(plain) => format!("write `${{{plain}}}`, with nothing but the name inside"),
        true if !plain.is_empty() && plain.len() < 60 => format!(
            "only variables are allowed in a string: assign the value to one first, as in `$value = {}`, and write \
             `${{value}}`; write `\\${{` for the characters",
            written.trim()
        ),
        false if is_variable(name) => format!("close it behind the name: `${{{name}}}`"),
        _ => "only variables are allowed in a string: assign the value to one first; write `\\${` for the characters"
            .into(),
    }
}

/// Splits the raw text of a literal at its variables and decodes its escapes.
fn decode(raw: &str, span: Span) -> Result<Vec<Part>, Box<Diagnostic>> {
    let at =
        |from: usize, to: usize| Span::new(span.file, span.start as usize + 1 + from, span.start as usize + 1 + to);
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut text_start = 0;
    let mut rest = raw.char_indices().peekable();
    while let Some((here, c)) = rest.next() {
        match c {
            '\\' => {
                // There is none at the end, if the lexer took the last quote of a file although a backslash precedes
                // it.
                let escaped = rest.next().map_or('"', |(_, c)| c);
                let Some(decoded) = escape(escaped).filter(|_| here + 1 < raw.len()) else {
                    return Err(Box::new(
                        Diagnostic::error(Code::UnknownEscape, span)
                            .label(format!("`\\{escaped}` is not an escape sequence"))
                            .related(at(here, here + 1 + escaped.len_utf8()), "here")
                            .help("the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" and \\$; use `\\\\` for a backslash"),
                    ));
                };
                text.push(decoded);
            }
            '$' if rest.peek().is_some_and(|(_, next)| *next == '{') => {
                let inner = &raw[here + 2..];
                let length = inner.find('}').filter(|len| is_variable(&inner[..*len]));
                let Some(length) = length else {
                    return Err(Box::new(
                        Diagnostic::error(Code::InvalidInterpolation, span)
                            .label("`${` here is not followed by a variable and `}`")
                            .related(at(here, here + 2), "here")
                            .help(inside(inner)),
                    ));
                };
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text), at(text_start, here)));
                }
                let end = here + 2 + length + 1;
                parts.push(Part::Variable(inner[..length].into(), at(here, end)));
                while rest.peek().is_some_and(|(next, _)| *next < end) {
                    rest.next();
                }
                text_start = end;
            }
            c => text.push(c),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text, at(text_start, raw.len())));
    }
    Ok(parts)
}

fn escape(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '"' | '$' => c,
        _ => return None,
    })
}

/// `[a-z]([a-z0-9_]|[._][a-z0-9_])*`
fn is_variable(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_lowercase)
        && bytes.iter().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.'))
        && !name.ends_with('.')
        && !name.contains("..")
}

/// Moves `class a:b` into the body of `class a` of the same block, outer blocks first. Without a `class a`, it stays as
/// a class that no `include` can name.
fn nest_classes(ast: &mut Ast, body: BlockId, diags: &mut Diagnostics) {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        let stmts = std::mem::take(&mut ast.blocks[block].stmts);
        refuse_twins(ast, &stmts, diags);
        let nested = stmts.iter().any(|stmt| class_path(ast, *stmt).is_some_and(|path| path > 1));
        let bodies = if nested { class_bodies(ast, &stmts) } else { FxHashMap::default() };
        let kept: Vec<StmtId> = stmts.into_iter().filter(|stmt| !move_inside(ast, *stmt, &bodies)).collect();
        for stmt in &kept {
            match &ast.stmts[*stmt].kind {
                StmtKind::Class { body, .. } | StmtKind::For { body, .. } | StmtKind::ForKv { body, .. } => {
                    blocks.push(*body)
                }
                StmtKind::If { then, else_part, .. } => blocks.extend(std::iter::once(*then).chain(*else_part)),
                _ => {}
            }
        }
        ast.blocks[block].stmts = kept;
    }
}

/// How many parts a class's name has.
fn class_path(ast: &Ast, stmt: StmtId) -> Option<usize> {
    match &ast.stmts[stmt].kind {
        StmtKind::Class { path, .. } => Some(path.len()),
        _ => None,
    }
}

fn refuse_twins(ast: &Ast, stmts: &[StmtId], diags: &mut Diagnostics) {
    let mut seen = FxHashMap::default();
    for stmt in stmts {
        let StmtKind::Class { path, .. } = &ast.stmts[*stmt].kind else { continue };
        let name = path.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(":");
        if let Some(before) = seen.insert(name.clone(), path[0].span) {
            diags.push(
                Diagnostic::error(Code::DuplicateClass, ast.stmts[*stmt].span)
                    .label(format!("class `{name}` is defined again"))
                    .related(before, "first defined here")
                    .help("rename one of them"),
            );
        }
    }
}

/// The body of each class with a plain name; of twins the first.
fn class_bodies(ast: &Ast, stmts: &[StmtId]) -> FxHashMap<SmolStr, BlockId> {
    let mut bodies = FxHashMap::default();
    for stmt in stmts {
        if let StmtKind::Class { path, body, .. } = &ast.stmts[*stmt].kind
            && let [name] = &path[..]
        {
            bodies.entry(name.text.clone()).or_insert(*body);
        }
    }
    bodies
}

/// Moves a class whose first part names one of these classes; returns whether it did.
fn move_inside(ast: &mut Ast, stmt: StmtId, bodies: &FxHashMap<SmolStr, BlockId>) -> bool {
    let StmtKind::Class { path, .. } = &mut ast.stmts[stmt].kind else { return false };
    if path.len() < 2 {
        return false;
    }
    let Some(body) = bodies.get(&path[0].text) else {
        let text = path.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(":");
        let span = path[0].span.to(path[path.len() - 1].span);
        *path = vec![Name { text: text.into(), span }];
        return false;
    };
    path.remove(0);
    ast.blocks[*body].stmts.push(stmt);
    true
}
