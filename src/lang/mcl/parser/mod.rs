//! Tokens to trees, by recursive descent: exact to the reference, and able to go on after a mistake.
//!
//! Comes in: the text of a file. Goes out: a [`File`] in the program's [`Ast`], whole or with holes, and diagnostics.
//! After a mistake the parser goes on behind the statement that holds it, so that one run tells several. Nesting is
//! capped, so that no text can blow the stack. `[1, 2]` is a list; `[1, 2,]` is not: on one line no comma may trail.
//!
//! Source: mgmt `lang/parser/parser.y`.

mod expr;
mod list;
mod resource;
mod stmt;
mod types;

use smol_str::SmolStr;

use super::ast::{Ast, Block, Dotted, Expr, ExprId, ExprKind, File, Mark, Name, Stmt, StmtId, StmtKind};
use super::lexer::{Keyword, Kind, Token, lex};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

pub use types::parse_type;

/// How deep brackets and blocks may nest.
const DEPTH: u32 = 256;

/// After this many mistakes in one file the rest is most likely not mcl.
const MISTAKES: usize = 20;

/// Marks that a diagnostic has been given and the statement at work is lost.
#[derive(Debug)]
struct Lost;

type Parsed<T> = Result<T, Lost>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    ast: &'a mut Ast,
    diags: &'a mut Diagnostics,
    depth: u32,
    mistakes: usize,
}

/// Parses a file; checks and interpolates it where the syntax is right.
pub fn load(ast: &mut Ast, file: FileId, text: &str, diags: &mut Diagnostics) -> File {
    let before = diags.error_count();
    let new = Mark::of(ast);
    let parsed = parse(ast, file, text, diags);
    if diags.error_count() == before {
        super::validate::validate(ast, new, diags);
    }
    if diags.error_count() == before {
        super::interpolate::interpolate(ast, new, &parsed, diags);
    }
    parsed
}

/// Parses a file.
pub fn parse(ast: &mut Ast, file: FileId, text: &str, diags: &mut Diagnostics) -> File {
    let tokens = lex(file, text, diags);
    let mut parser = Parser { text, tokens: tokens.list, at: 0, ast, diags, depth: 0, mistakes: 0 };
    let stmts = parser.program();
    let body = parser.ast.blocks.alloc(Block { stmts, span: Span::new(file, 0, text.len()) });
    File { file, body, comments: tokens.comments }
}

impl Parser<'_> {
    fn program(&mut self) -> Vec<StmtId> {
        let mut stmts = self.statements();
        while self.kind() != Kind::End && self.mistakes < MISTAKES {
            let wrong = self.wrong("a statement");
            self.diags.push(wrong);
            self.mistakes += 1;
            self.at += 1;
            stmts.extend(self.statements());
        }
        stmts
    }

    /// Statements up to a closing brace or the end.
    fn statements(&mut self) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        loop {
            self.newlines();
            if matches!(self.kind(), Kind::CloseCurly | Kind::End) || self.mistakes >= MISTAKES {
                return stmts;
            }
            let start = self.at;
            match self.statement().and_then(|stmt| self.end_of_line().map(|()| stmt)) {
                Ok(stmt) => stmts.push(stmt),
                Err(Lost) => self.recover(start),
            }
        }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        match self.kind() {
            Kind::Newline => {
                self.at += 1;
                Ok(())
            }
            Kind::End => Ok(()),
            _ => self.unexpected("the end of the line"),
        }
    }

    /// Goes on behind the statement that started at a token: to the first line break outside its brackets.
    fn recover(&mut self, start: usize) {
        self.mistakes += 1;
        let mut open = 0u32;
        for token in &self.tokens[start..self.at] {
            open = depth_after(open, token.kind).unwrap_or(0);
        }
        while self.kind() != Kind::End {
            if self.kind() == Kind::Newline && open == 0 {
                return;
            }
            match depth_after(open, self.kind()) {
                Some(depth) => open = depth,
                // It closes the block around the statement.
                None if self.kind() == Kind::CloseCurly => return,
                None => {}
            }
            self.at += 1;
        }
    }

    // Tokens

    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    /// The kind of the token that comes `n` after the one at hand.
    fn ahead(&self, n: usize) -> Kind {
        self.tokens.get(self.at + n).map_or(Kind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From a token to the last one taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn word(&self) -> SmolStr {
        SmolStr::new(&self.text[self.span().range()])
    }

    fn is(&self, keyword: Keyword) -> bool {
        self.kind() == Kind::Keyword(keyword)
    }

    fn take(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        self.at += usize::from(found && kind != Kind::End);
        found
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Span> {
        let span = self.span();
        if self.take(kind) { Ok(span) } else { self.unexpected(name(kind)) }
    }

    fn newlines(&mut self) {
        while self.take(Kind::Newline) {}
    }

    /// An identifier; `map` and `collect` may be one.
    fn identifier(&mut self, what: &str) -> Parsed<Name> {
        match self.kind() {
            Kind::Identifier | Kind::Keyword(Keyword::Map | Keyword::Collect) => {
                let name = Name { text: self.word(), span: self.span() };
                self.at += 1;
                Ok(name)
            }
            Kind::Keyword(_) => {
                let word = self.word();
                let wrong = self.wrong(what);
                self.refuse(
                    wrong.help(format!("`{word}` is a word of the language and cannot be a name; use another one")),
                )
            }
            _ => self.unexpected(what),
        }
    }

    /// `a.b.c`
    fn dotted(&mut self, what: &str) -> Parsed<Dotted> {
        let first = self.identifier(what)?;
        if self.kind() != Kind::Dot {
            return Ok(Dotted { text: first.text, span: first.span });
        }
        let mut text = first.text.to_string();
        while self.take(Kind::Dot) {
            text.push('.');
            text.push_str(&self.identifier("a name")?.text);
        }
        Ok(Dotted { text: text.into(), span: self.since(first.span) })
    }

    // Mistakes

    fn wrong(&self, expected: &str) -> Diagnostic {
        let found = match self.kind() {
            Kind::Newline => "the end of the line".to_string(),
            Kind::End => "the end of the file".to_string(),
            _ => format!("`{}`", self.word()),
        };
        // A line break is blamed where it stands; a caret needs something to stand under.
        Diagnostic::error(Code::UnexpectedToken, self.span()).label(format!("expected {expected}, found {found}"))
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        let wrong = self.wrong(expected);
        self.refuse(wrong)
    }

    fn refuse<T>(&mut self, diagnostic: Diagnostic) -> Parsed<T> {
        self.diags.push(diagnostic);
        Err(Lost)
    }

    /// Runs a part that nests, or says that it nests too deep.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            let deep = Diagnostic::error(Code::NestedTooDeep, self.span())
                .label(format!("more than {DEPTH} levels of brackets and blocks"))
                .help("give inner parts a name: `$part = ...`");
            self.mistakes = MISTAKES;
            return self.refuse(deep);
        }
        self.depth += 1;
        let done = part(self);
        self.depth -= 1;
        done
    }

    // Nodes

    fn expr_node(&mut self, kind: ExprKind, start: Span) -> ExprId {
        let span = self.since(start);
        self.ast.exprs.alloc(Expr { kind, span })
    }

    fn stmt_node(&mut self, kind: StmtKind, start: Span) -> StmtId {
        let span = self.since(start);
        self.ast.stmts.alloc(Stmt { kind, span })
    }
}

/// How many brackets are open after a token; `None` when it closes one too many.
fn depth_after(open: u32, kind: Kind) -> Option<u32> {
    match kind {
        Kind::OpenCurly | Kind::OpenParen | Kind::OpenBracket => Some(open + 1),
        Kind::CloseCurly | Kind::CloseParen | Kind::CloseBracket => open.checked_sub(1),
        _ => Some(open),
    }
}

/// A kind of token in words.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Newline => "the end of the line",
        Kind::Identifier => "a name",
        Kind::Capitalized => "a capitalized name",
        Kind::Integer | Kind::Float => "a number",
        Kind::String => "a text in quotes",
        Kind::Keyword(Keyword::Else) => "`else`",
        Kind::Keyword(Keyword::In) => "`in`",
        Kind::Keyword(_) => "a keyword",
        Kind::OpenCurly => "`{`",
        Kind::CloseCurly => "`}`",
        Kind::OpenParen => "`(`",
        Kind::CloseParen => "`)`",
        Kind::OpenBracket => "`[`",
        Kind::CloseBracket => "`]`",
        Kind::Elvis => "`?:`",
        Kind::Rocket => "`=>`",
        Kind::Comma => "a comma",
        Kind::Colon => "`:`",
        Kind::Semicolon => "`;`",
        Kind::Equals => "`=`",
        Kind::Arrow => "`->`",
        Kind::Dot => "`.`",
        Kind::Dollar => "`$`",
        Kind::End => "the end of the file",
        _ => "an operator",
    }
}
