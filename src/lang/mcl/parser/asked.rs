//! Programs that end in an expression, whose value is requested.
//!
//! The expression becomes a variable that no name reaches, and a `value` resource with that variable, so that every
//! later stage sees an ordinary program.

use super::{Parsed, Parser, load_with};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lang::mcl::ast::{
    Ast, Dotted, Expr, ExprId, ExprKind, File, ImportAlias, ItemKind, Name, Resource, ResourceItem, Stmt, StmtId,
    StmtKind,
};
use crate::lang::mcl::lexer::TokenKind as T;
use crate::source::{FileId, Span};
use crate::world::Stop;

/// The name of that resource, and of the variable: one that cannot be written.
pub const ASKED: &str = " ";

/// Stage `parse` of a program that ends in an expression. Returns the variable with the requested value.
pub fn load_asked(
    ast: &mut Ast,
    file: FileId,
    text: &str,
    stop: &Stop,
    diags: &mut Diagnostics,
) -> (File, Option<ExprId>) {
    let mut shown = None;
    let before = diags.error_count();
    let loaded = load_with(ast, file, text, stop, diags, |parser| {
        parser.asked = parser.last_expression();
        let stmts = parser.file();
        shown = parser.shown;
        stmts
    });
    if shown.is_none() && diags.error_count() == before {
        let end = text.trim_end().len();
        diags.push(
            Diagnostic::error(Code::UnexpectedToken, Span::new(file, end, end))
                .label("expected an expression on the last line")
                .help("end with an expression such as `1 + 2`"),
        );
    }
    (loaded, shown)
}

impl Parser<'_> {
    /// The start of the last line outside of brackets, unless it is a statement.
    fn last_expression(&self) -> Option<usize> {
        let mut depth = 0;
        let mut start = None;
        let mut fresh = true;
        for (at, token) in self.tokens.iter().enumerate() {
            match token.kind {
                T::OpenParen | T::OpenBrack | T::OpenCurly => depth += 1,
                T::CloseParen | T::CloseBrack | T::CloseCurly => depth -= 1,
                _ => {}
            }
            match token.kind {
                T::Newline if depth <= 0 => fresh = true,
                T::Newline | T::End => {}
                _ => {
                    start = if fresh { Some(at) } else { start };
                    fresh = false;
                }
            }
        }
        start.filter(|start| self.reads_as_expression(*start) || !self.begins_statement(*start))
    }

    /// Whether everything from a token on is one expression.
    fn reads_as_expression(&self, start: usize) -> bool {
        let mut scratch = Ast::default();
        let mut parser = Parser::new(&mut scratch, self.file, self.text, self.tokens, self.stop);
        parser.at = start;
        let read = parser.expr().is_ok();
        parser.skip_newlines();
        read && parser.kind() == T::End && parser.problems.is_empty()
    }

    fn begins_statement(&self, start: usize) -> bool {
        let kind = |ahead: usize| self.tokens.get(start + ahead).map_or(T::End, |token| token.kind);
        match kind(0) {
            T::Dollar => kind(1).is_name() && (kind(2) == T::Equals || kind(3) == T::Equals),
            T::For | T::ForKv | T::Class | T::Include | T::Import | T::Panic | T::Collect | T::Capitalized => true,
            T::If => true,
            T::Func => kind(1).is_name(),
            T::Ident => matches!(kind(1), T::Str | T::Colon | T::OpenBrack | T::Dollar),
            _ => false,
        }
    }

    /// The expression at the end, as its two statements.
    pub(super) fn asked_line(&mut self, stmts: &mut Vec<StmtId>) -> Parsed<()> {
        let start = self.token();
        let value = self.expr()?;
        let span = self.since(start);
        if !matches!(self.kind(), T::Newline | T::End) {
            return Err(self.unexpected("the end of the expression"));
        }
        let name = Name { text: ASKED.into(), span };
        let bind = StmtKind::Bind { name, note: None, value };
        stmts.push(self.ast.stmts.alloc(Stmt { kind: bind, span }));
        let variable = self.alloc_at(ExprKind::Var(Dotted { text: ASKED.into(), span }), span)?;
        let title = self.alloc_at(ExprKind::Str(ASKED.into()), span)?;
        let field = ItemKind::Field { name: Name { text: "any".into(), span }, value: variable };
        let resource = Resource {
            kind: Name { text: "value".into(), span },
            name: title,
            items: vec![ResourceItem { kind: field, condition: None, span }],
        };
        stmts.push(self.ast.stmts.alloc(Stmt { kind: StmtKind::Resource(resource), span }));
        self.shown = Some(variable);
        Ok(())
    }
}

/// Adds imports of system modules that a program uses by their own names without importing them.
pub fn import_used(
    ast: &mut Ast,
    file: &File,
    is_module: impl Fn(&str) -> bool,
    alias: impl Fn(&str) -> Option<String>,
) {
    let mut known: Vec<String> = Vec::new();
    for stmt in &ast.blocks[file.body].stmts {
        match &ast.stmts[*stmt].kind {
            StmtKind::Import { name, alias: given, .. } => match given {
                ImportAlias::As(name) => known.push(name.text.to_string()),
                ImportAlias::None => known.extend(alias(name)),
                ImportAlias::Star => {}
            },
            StmtKind::Include { alias: Some(name), .. } => known.push(name.text.to_string()),
            _ => {}
        }
    }
    let mut wanted: Vec<(String, Span)> = Vec::new();
    for (_, Expr { kind, span }) in ast.exprs.iter() {
        let (ExprKind::Call { func: name, .. } | ExprKind::Var(name)) = kind else { continue };
        let Some((head, _)) = name.text.split_once('.') else { continue };
        if is_module(head) && !known.iter().any(|known| known == head) {
            known.push(head.to_string());
            wanted.push((head.to_string(), *span));
        }
    }
    for (module, span) in wanted {
        let kind = StmtKind::Import { name: module.into(), name_span: span, alias: ImportAlias::None };
        let stmt = ast.stmts.alloc(Stmt { kind, span });
        ast.blocks[file.body].stmts.push(stmt);
    }
}
