//! Parses tokens to a tree, by recursive descent; it continues after a problem, so that one run reports several.
//!
//! Input: a file's text. Output: its [`File`] in the [`Ast`], as far as it could be parsed, and diagnostics in order of
//! position. A problem is at the first token that no program could have there, which is where the reference's
//! table-driven parser stops as well. Trees never get deeper than [`MAX_DEPTH`], so later stages may recurse.
//!
//! Deliberately absent: meaning. Escapes stay as written, names are not resolved, `class a:b` is not nested yet.

mod asked;
mod expr;
mod form;
mod habit;
mod list;
mod resource;
mod stmt;
mod types;

#[cfg(test)]
mod tests;

pub use asked::{ASKED, import_used, load_asked};

use std::collections::HashSet;

use super::ast::{Ast, Block, Dotted, Expr, ExprId, ExprKind, File, Mark, Name, StmtId};
use super::lexer::{Token, TokenKind as T, lex_until};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lang::shared::words::conflict_mark;
use crate::lang::stopped;
use crate::source::{FileId, Span};
use crate::world::{Stop, Stopped};

/// How deep expressions, blocks and types may nest; a chain of operators counts as one level for each.
pub const MAX_DEPTH: u32 = 256;

/// After this many problems the rest of a file is not parsed.
const MAX_PROBLEMS: usize = 100;

/// Tokens between two checks for cancellation.
const LOOK_EVERY: usize = 1 << 13;

/// The whole stage `parse`: reads a file, and if its syntax is right validates it, decodes its texts and nests its
/// classes.
pub fn load(ast: &mut Ast, file: FileId, text: &str, stop: &Stop, diags: &mut Diagnostics) -> File {
    load_with(ast, file, text, stop, diags, |parser| parser.file())
}

fn load_with(
    ast: &mut Ast,
    file: FileId,
    text: &str,
    stop: &Stop,
    diags: &mut Diagnostics,
    read: impl FnOnce(&mut Parser<'_>) -> Vec<StmtId>,
) -> File {
    let before = diags.error_count();
    let new = Mark::of(ast);
    let parsed = parse_with(ast, file, text, stop, diags, read);
    if diags.error_count() == before {
        super::validate::validate(ast, new, diags);
    }
    if diags.error_count() == before {
        super::interpolate::interpolate(ast, new, &parsed, diags);
    }
    parsed
}

/// Parses a file's text into `ast`, as far as possible.
pub fn parse(ast: &mut Ast, file: FileId, text: &str, diags: &mut Diagnostics) -> File {
    parse_with(ast, file, text, &Stop::default(), diags, |parser| parser.file())
}

fn parse_with(
    ast: &mut Ast,
    file: FileId,
    text: &str,
    stop: &Stop,
    diags: &mut Diagnostics,
    read: impl FnOnce(&mut Parser<'_>) -> Vec<StmtId>,
) -> File {
    let mut lexical = Vec::new();
    let tokens = lex_until(file, text, stop, &mut lexical);
    let mut parser = Parser::new(ast, file, text, &tokens.list, stop);
    let lexical_count = lexical.len();
    parser.problems.extend(lexical.into_iter().map(|problem| (Rank::Syntax, problem)));
    let stmts = read(&mut parser);
    // Also if the tokens ended early: their end looks like the file's.
    parser.look();
    let mut problems = std::mem::take(&mut parser.problems);
    if parser.quote_is_open {
        // The parser knows where the string begins; the lexer only that its last quote has no partner.
        let mut at = 0;
        problems.retain(|(_, problem)| {
            at += 1;
            at > lexical_count || problem.code != Code::UnterminatedString
        });
    }
    if let Some((why, at)) = parser.stopped {
        problems = vec![(Rank::Syntax, stopped(why, at))];
    }
    problems.sort_by_key(|(rank, problem)| (*rank, problem.span.map(|s| s.start)));
    problems.into_iter().for_each(|(_, problem)| diags.push(problem));
    let body = ast.blocks.alloc(Block { stmts, span: Span::new(file, 0, text.len()) });
    stop.release(tokens.list);
    File { file, body, comments: tokens.comments }
}

/// A part could not be parsed; it has been reported. Its statement is given up.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The order of problems: the reference stops at bad syntax before it reports an impossible type, and checks the
/// contents of bodies after all of that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Syntax,
    Type,
    Body,
}

struct Parser<'a> {
    ast: &'a mut Ast,
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// Levels that the parser itself is in.
    depth: u32,
    /// Open brackets and braces, to find the end of a statement that was given up.
    brackets: i32,
    braces: i32,
    /// The depth of the tree under each expression of this file.
    heights: Vec<u32>,
    first_expr: usize,
    problems: Vec<(Rank, Diagnostic)>,
    /// The place of the last syntax error: one place has one.
    last_problem: Option<u32>,
    /// The token where the last expression starts; and the statement that shows its value.
    asked: Option<usize>,
    shown: Option<ExprId>,
    /// A text was probably left open, so that all quotes after it are inverted.
    quote_is_open: bool,
    stop: &'a Stop,
    /// Why and where parsing was cancelled; later problems do not count.
    stopped: Option<(Stopped, Span)>,
}

impl<'a> Parser<'a> {
    fn new(ast: &'a mut Ast, file: FileId, text: &'a str, tokens: &'a [Token], stop: &'a Stop) -> Self {
        let first_expr = ast.exprs.len();
        Self {
            ast,
            file,
            text,
            tokens,
            at: 0,
            depth: 0,
            brackets: 0,
            braces: 0,
            heights: Vec::new(),
            first_expr,
            problems: Vec::new(),
            last_problem: None,
            asked: None,
            shown: None,
            quote_is_open: false,
            stop,
            stopped: None,
        }
    }

    // Tokens.

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> T {
        self.tokens[self.at].kind
    }

    /// The kind of a token ahead; `End` beyond the last.
    fn peek(&self, ahead: usize) -> T {
        self.tokens.get(self.at + ahead).map_or(T::End, |t| t.kind)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        match token.kind {
            T::OpenParen | T::OpenBrack => self.brackets += 1,
            T::CloseParen | T::CloseBrack => self.brackets -= 1,
            T::OpenCurly => self.braces += 1,
            T::CloseCurly => self.braces -= 1,
            _ => {}
        }
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        if self.at.is_multiple_of(LOOK_EVERY) {
            self.look();
        }
        token
    }

    /// Goes to the end of the file on a cancellation.
    #[cold]
    fn look(&mut self) {
        if self.stopped.is_none()
            && let Some(why) = self.stop.reached()
        {
            self.stopped = Some((why, self.span(self.last())));
            self.at = self.tokens.len() - 1;
        }
    }

    fn eat(&mut self, kind: T) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: T, expected: &str) -> Parsed<Token> {
        if self.kind() == kind { Ok(self.bump()) } else { Err(self.unexpected(expected)) }
    }

    fn skip_newlines(&mut self) {
        while self.kind() == T::Newline {
            self.bump();
        }
    }

    fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// From a token to the last one read.
    fn since(&self, start: Token) -> Span {
        Span { file: self.file, start: start.start, end: self.last().end.max(start.end) }
    }

    fn last(&self) -> Token {
        self.tokens[self.at.saturating_sub(1)]
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    // Names.

    /// An identifier, or `map` or `collect`.
    fn name(&mut self, expected: &str) -> Parsed<Name> {
        if !self.kind().is_name() {
            return Err(self.unexpected(expected));
        }
        let token = self.bump();
        Ok(Name { text: self.slice(token).into(), span: self.span(token) })
    }

    fn ident(&mut self, expected: &str) -> Parsed<Name> {
        let token = self.expect(T::Ident, expected)?;
        Ok(Name { text: self.slice(token).into(), span: self.span(token) })
    }

    /// `$name`; the dollar is in the span.
    fn var_name(&mut self, expected: &str) -> Parsed<Name> {
        let dollar = self.expect(T::Dollar, expected)?;
        let name = self.name("a variable's name")?;
        Ok(Name { text: name.text, span: self.since(dollar) })
    }

    /// `a.b.c`; `start` is where its span starts.
    fn dotted(&mut self, start: Token, expected: &str) -> Parsed<Dotted> {
        let first = self.name(expected)?;
        if self.kind() != T::Dot {
            return Ok(Dotted { text: first.text, span: self.since(start) });
        }
        let mut text = first.text.to_string();
        while self.eat(T::Dot) {
            text.push('.');
            text.push_str(&self.name("a name after the dot")?.text);
        }
        Ok(Dotted { text: text.into(), span: self.since(start) })
    }

    // Depth.

    /// Goes one level deeper; the caller must call [`Parser::leave`] unless the statement is given up.
    fn enter(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.token()));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Adds an expression to the tree, unless it would get too deep.
    fn alloc(&mut self, kind: ExprKind, start: Token) -> Parsed<ExprId> {
        let span = self.since(start);
        self.alloc_at(kind, span)
    }

    fn alloc_at(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let mut height = 0;
        kind.each_child(|child| height = height.max(self.height(child) + 1));
        if height > MAX_DEPTH {
            return Err(self.too_deep(self.last()));
        }
        self.heights.push(height);
        Ok(self.ast.exprs.alloc(Expr { kind, span }))
    }

    fn height(&self, expr: ExprId) -> u32 {
        let index = u32::from(expr.into_raw()) as usize;
        self.heights.get(index - self.first_expr).copied().unwrap_or(0)
    }

    // Problems.

    #[cold]
    fn report(&mut self, rank: Rank, problem: Diagnostic) {
        self.problems.push((rank, problem));
        if self.problems.len() >= MAX_PROBLEMS {
            self.at = self.tokens.len() - 1;
        }
    }

    /// Reports a syntax error at the current token, unless there is one at this place already.
    #[cold]
    fn syntax(&mut self, code: Code, label: String, help: Option<String>, related: Option<(Span, &str)>) -> Failed {
        let token = self.token();
        if token.kind != T::Unknown && self.last_problem != Some(token.start) {
            self.last_problem = Some(token.start);
            let mut problem = Diagnostic::error(code, self.span(token)).label(label);
            problem.help = help;
            problem.related.extend(related.map(|(span, message)| (span, message.to_string())));
            if let Some(brace) = self.brace_above_else() {
                problem.span = Some(self.span(brace));
                problem.related.push((self.span(token), "`else` is here".to_string()));
            }
            if let Some(open) = self.open_quote() {
                self.quote_is_open = true;
                let here = self.span(token);
                problem = Diagnostic::error(Code::UnterminatedString, open)
                    .label("the string that begins here has no closing quote on its line")
                    .help("add `\"` where the text ends; a string can span several lines");
                problem.related.push((here, "the text after the next quote is read as code".to_string()));
            }
            if let Some((mark, label, help)) = conflict_mark(self.text, token.start as usize) {
                let place = Span { start: mark.start as u32, end: mark.end as u32, ..self.span(token) };
                problem = Diagnostic::error(Code::MergeConflict, place).label(label).help(help);
            }
            self.report(Rank::Syntax, problem);
        }
        Failed
    }

    #[cold]
    fn unexpected(&mut self, expected: &str) -> Failed {
        let help = self.habit();
        self.unexpected_help(expected, help.as_deref())
    }

    #[cold]
    fn unexpected_help(&mut self, expected: &str, help: Option<&str>) -> Failed {
        let label = format!("expected {expected}, found {}", self.found());
        let help = help.map_or_else(|| self.form(expected), str::to_string);
        self.syntax(Code::UnexpectedToken, label, Some(help), None)
    }

    /// Like `unexpected`, with the place of the opening bracket if that is on another line.
    #[cold]
    fn unclosed(&mut self, expected: &str, open: Token) -> Failed {
        let label = format!("expected {expected}, found {}", self.found());
        let between = &self.text[open.end as usize..self.token().start as usize];
        let related = between.contains('\n').then(|| (self.span(open), "opened here"));
        let is_slice = self.slice(open) == "[" && self.kind() == T::Colon;
        let help = match is_slice {
            true => Some(
                "`[1]` selects one element; use `strings.substr` for part of a string, `iter.filter` for part of a list"
                    .into(),
            ),
            false => self.habit().or_else(|| Some(format!("is the closing bracket of `{}` missing?", self.slice(open)))),
        };
        let help = self.not_a_call(open).or(help);
        let is_too_deep = self.problems.iter().any(|(_, problem)| problem.code == Code::NestedTooDeep);
        if self.kind() == T::End && related.is_some() && !is_too_deep && self.last_problem != Some(self.token().start) {
            self.last_problem = Some(self.token().start);
            if let Some(problem) = self.swallowing_string() {
                self.quote_is_open = true;
                self.report(Rank::Syntax, problem);
                return Failed;
            }
            let alone = self.foreign_ends();
            if let Some((open, word, _)) = alone.first().copied() {
                // Such a word was read as a value: its problem has the same cause.
                let ends: HashSet<u32> = alone.iter().flat_map(|(_, word, end)| [word.start, end.start]).collect();
                self.problems.retain(|(_, problem)| problem.span.is_none_or(|span| !ends.contains(&span.start)));
                let problem = Diagnostic::error(Code::ForeignWord, self.span(word))
                    .label(format!("`{}` closes no block in mcl", self.slice(word)))
                    .related(self.span(open), "this is not closed")
                    .help("write `}`");
                self.report(Rank::Syntax, problem);
                return Failed;
            }
            let bracket = self.slice(open).to_string();
            let line = self.text[..open.start as usize].matches('\n').count() + 1;
            let problem = Diagnostic::error(Code::UnclosedBracket, self.span(open))
                .label(format!("this `{bracket}` is not closed: {label}"))
                .help(format!("add its closing bracket after the last line that belongs to line {line}"));
            self.report(Rank::Syntax, problem);
            return Failed;
        }
        self.syntax(Code::UnexpectedToken, label, help, related)
    }

    /// The words that close a block in other languages, each alone on its line: the bracket that is open there and not
    /// closed, the word, and the line's end.
    #[cold]
    fn foreign_ends(&self) -> Vec<(Token, Token, Token)> {
        let (mut open, mut found) = (Vec::<Token>::new(), Vec::new());
        for three in self.tokens.windows(3) {
            match three[1].kind {
                T::OpenCurly | T::OpenParen | T::OpenBrack => open.push(three[1]),
                T::CloseCurly | T::CloseParen | T::CloseBrack => {
                    open.pop();
                }
                T::Ident if three[0].kind == T::Newline && three[2].kind == T::Newline => {
                    let is_end = matches!(self.slice(three[1]), "end" | "endif" | "done" | "fi" | "endfor");
                    found.extend(open.last().filter(|_| is_end).map(|open| (*open, three[1], three[2])));
                }
                _ => {}
            }
        }
        let unclosed: HashSet<u32> = open.iter().map(|bracket| bracket.start).collect();
        found.retain(|(open, ..)| unclosed.contains(&open.start));
        found
    }

    #[cold]
    fn older(&mut self, label: &str, help: String) -> Failed {
        self.syntax(Code::OlderSyntax, label.to_string(), Some(help), None)
    }

    #[cold]
    fn too_deep(&mut self, at: Token) -> Failed {
        if self.last_problem != Some(at.start) {
            self.last_problem = Some(at.start);
            let problem = Diagnostic::error(Code::NestedTooDeep, self.span(at))
                .label(format!("nested more than {MAX_DEPTH} levels deep"))
                .help("move parts of it to variables: `$part = ...`");
            self.report(Rank::Syntax, problem);
        }
        Failed
    }

    /// The current token in words.
    fn found(&self) -> String {
        let token = self.token();
        let text = self.slice(token);
        let short: String = text.chars().take(40).collect();
        let short = if short.len() < text.len() { format!("{short}…") } else { short };
        match token.kind {
            T::Newline if text.is_empty() => "the end of the file".into(),
            T::Newline => "the end of the line".into(),
            T::End => "the end of the file".into(),
            T::Str => format!("the string {short}"),
            kind if kind.is_keyword() => format!("the reserved word `{short}`"),
            _ => format!("`{short}`"),
        }
    }
}
