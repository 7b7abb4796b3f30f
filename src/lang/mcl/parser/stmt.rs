//! Statements: definitions, branches, loops, includes, imports and edges.

use smol_str::SmolStr;

use super::{Parsed, Parser};
use crate::lang::mcl::ast::{Block, BlockId, EdgeHalf, ImportAlias, Name, StmtId, StmtKind};
use crate::lang::mcl::lexer::{Keyword, Kind};
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn statement(&mut self) -> Parsed<StmtId> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Dollar => self.bind()?,
            Kind::Keyword(Keyword::If) => self.if_stmt()?,
            Kind::Keyword(Keyword::For) => self.for_stmt()?,
            Kind::Keyword(Keyword::ForKv) => self.forkv_stmt()?,
            Kind::Keyword(Keyword::Func) => self.func_stmt()?,
            Kind::Keyword(Keyword::Class) => self.class()?,
            Kind::Keyword(Keyword::Include) => self.include()?,
            Kind::Keyword(Keyword::Import) => self.import()?,
            Kind::Keyword(Keyword::Panic) => {
                self.at += 1;
                self.expect(Kind::OpenParen)?;
                StmtKind::Panic { args: self.args()? }
            }
            Kind::Keyword(Keyword::Collect) => {
                self.at += 1;
                StmtKind::Collect(self.resource()?)
            }
            Kind::Identifier => StmtKind::Resource(self.resource()?),
            Kind::Capitalized => StmtKind::Edge { halves: self.edge()? },
            _ => return self.unexpected("a statement"),
        };
        Ok(self.stmt_node(kind, start))
    }

    /// `$name [type] = expr`
    fn bind(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let name = self.identifier("the name of a variable")?;
        let note = self.note()?;
        self.expect(Kind::Equals)?;
        if self.kind() == Kind::Equals {
            let wrong = self.wrong("an expression");
            return self.refuse(wrong.help("a bind has one `=`; comparing is written `==`"));
        }
        Ok(StmtKind::Bind { name, note, value: self.expr()? })
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let condition = self.expr()?;
        let then = self.block()?;
        let otherwise = match self.is(Keyword::Else) {
            true => {
                self.at += 1;
                if self.is(Keyword::If) {
                    let wrong = self.wrong("`{`");
                    return self
                        .refuse(wrong.help("there is no `else if`; put the second `if` into the braces of `else`"));
                }
                Some(self.block()?)
            }
            false => None,
        };
        Ok(StmtKind::If { condition, then, otherwise })
    }

    /// `for $index, $value in list { body }`
    fn for_stmt(&mut self) -> Parsed<StmtKind> {
        let (index, value, list, body) = self.loop_parts()?;
        Ok(StmtKind::For { index, value, list, body })
    }

    /// `forkv $key, $value in map { body }`
    fn forkv_stmt(&mut self) -> Parsed<StmtKind> {
        let (key, value, map, body) = self.loop_parts()?;
        Ok(StmtKind::ForKv { key, value, map, body })
    }

    fn loop_parts(&mut self) -> Parsed<(Name, Name, crate::lang::mcl::ast::ExprId, BlockId)> {
        self.at += 1;
        self.expect(Kind::Dollar)?;
        let first = self.identifier("the name of a variable")?;
        if self.is(Keyword::In) {
            let wrong = self.wrong("a comma");
            return self.refuse(
                wrong.help(
                    "a loop has two variables: `for $index, $value in $list {` or `forkv $key, $value in $map {`",
                ),
            );
        }
        self.expect(Kind::Comma)?;
        self.expect(Kind::Dollar)?;
        let second = self.identifier("the name of a variable")?;
        self.expect(Kind::Keyword(Keyword::In))?;
        let over = self.expr()?;
        Ok((first, second, over, self.block()?))
    }

    /// `func name(params) [type] { body }`
    fn func_stmt(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let name = self.identifier("the name of a function")?;
        let params = self.params()?;
        let returns = self.note()?;
        let body = self.braced()?;
        Ok(StmtKind::Func { name, params, returns, body })
    }

    /// `class a[:b] [(params)] { body }`
    fn class(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let mut path = vec![self.plain_identifier("the name of a class")?];
        while self.take(Kind::Colon) {
            path.push(self.plain_identifier("the name of a class")?);
        }
        let params = match self.kind() {
            Kind::OpenParen => self.params()?,
            _ => Vec::new(),
        };
        Ok(StmtKind::Class { path, params, body: self.block()? })
    }

    /// `include a.b[(args)] [as c]`
    fn include(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let class = self.dotted("the name of a class")?;
        let args = match self.take(Kind::OpenParen) {
            true => self.args()?,
            false => Vec::new(),
        };
        let alias = match self.is(Keyword::As) {
            true => {
                self.at += 1;
                if self.kind() == Kind::Star {
                    let wrong = self.wrong("a name");
                    return self.refuse(wrong.help("only an import can be taken `as *`"));
                }
                Some(self.plain_identifier("a name")?)
            }
            false => None,
        };
        Ok(StmtKind::Include { class, args, alias })
    }

    /// `import "name" [as c | as *]`
    fn import(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let name_span = self.span();
        if self.kind() != Kind::String {
            let word = self.word();
            let wrong = self.wrong("a text in quotes");
            let wrong = match self.kind() {
                Kind::Identifier => wrong.help(format!("write `import \"{word}\"`")),
                _ => wrong,
            };
            return self.refuse(wrong);
        }
        let name = SmolStr::new(&self.text[name_span.start as usize + 1..name_span.end as usize - 1]);
        self.at += 1;
        let alias = match self.is(Keyword::As) {
            true => {
                self.at += 1;
                match self.take(Kind::Star) {
                    true => ImportAlias::Star,
                    false => ImportAlias::As(self.plain_identifier("a name or `*`")?),
                }
            }
            false => ImportAlias::None,
        };
        Ok(StmtKind::Import { name, name_span, alias })
    }

    /// An identifier that is no word of the language at all.
    pub(super) fn plain_identifier(&mut self, what: &str) -> Parsed<Name> {
        match self.kind() {
            Kind::Identifier => self.identifier(what),
            _ => self.unexpected(what),
        }
    }

    /// `{ statements }`
    pub(super) fn block(&mut self) -> Parsed<BlockId> {
        self.deeper(|this| {
            let start = this.expect(Kind::OpenCurly)?;
            let stmts = this.statements();
            this.expect(Kind::CloseCurly)?;
            let span = this.since(start);
            Ok(this.ast.blocks.alloc(Block { stmts, span }))
        })
    }

    /// `Kind["a"] -> Kind["b"] -> ...`, or `Kind["a"].field -> Kind["b"].field`.
    fn edge(&mut self) -> Parsed<Vec<EdgeHalf>> {
        let first = self.half()?;
        let sends = first.field.is_some();
        let mut halves = vec![first];
        while self.kind() == Kind::Arrow && !(sends && halves.len() == 2) {
            self.at += 1;
            let half = self.half()?;
            if half.field.is_some() != sends {
                self.at -= 1;
                let wrong = self.wrong(if sends { "a field on both ends" } else { "no field, or one on both ends" });
                return self.refuse(
                    wrong.help("a value is sent from a field to a field: `Exec[\"a\"].output -> File[\"/b\"].content`"),
                );
            }
            halves.push(half);
        }
        Ok(halves)
    }

    /// `Kind["name"]`, with a field or without.
    pub(super) fn half(&mut self) -> Parsed<EdgeHalf> {
        let start = self.span();
        let kind = self.capitalized_kind()?;
        self.expect(Kind::OpenBracket)?;
        let name = self.expr()?;
        self.expect(Kind::CloseBracket)?;
        let field = match self.take(Kind::Dot) {
            true => Some(self.identifier("the name of a field")?),
            false => None,
        };
        Ok(EdgeHalf { kind, name, field, span: self.since(start) })
    }

    /// `Http:Server`, in lower case.
    fn capitalized_kind(&mut self) -> Parsed<Name> {
        let start: Span = self.span();
        let mut text = String::new();
        loop {
            if self.kind() != Kind::Capitalized {
                return self.unexpected("a kind with a capital letter");
            }
            text.push_str(&self.word().to_lowercase());
            self.at += 1;
            if !self.take(Kind::Colon) {
                return Ok(Name { text: text.into(), span: self.since(start) });
            }
            text.push(':');
        }
    }
}
