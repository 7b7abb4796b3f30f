//! Parses statements and blocks, and recovers after a statement that was given up.

use super::{Failed, Parsed, Parser};
use crate::lang::mcl::ast::{Block, BlockId, ImportAlias, Name, Stmt, StmtId, StmtKind};
use crate::lang::mcl::habit;
use crate::lang::mcl::lexer::TokenKind as T;

impl Parser<'_> {
    /// All statements of the file.
    pub(super) fn file(&mut self) -> Vec<StmtId> {
        let mut stmts = Vec::new();
        loop {
            self.stmts(&mut stmts);
            if self.kind() == T::End {
                return stmts;
            }
            self.surplus_brace();
            self.bump();
            self.braces = 0;
        }
    }

    /// Reports a closing brace without partner: at the one that is indented more than the line which it closes.
    fn surplus_brace(&mut self) {
        let before = self.problems.len();
        // The search takes long, and later problems follow from the first one.
        let deeper = if before == 0 { self.deeper_brace() } else { None };
        let (surplus, here) = (deeper.map(|brace| self.span(brace)), self.span(self.token()));
        if self.quote_is_open {
            return;
        }
        self.unexpected_help("a statement", Some("it closes nothing: remove it, or add the opening brace"));
        if let (Some(place), Some((_, problem))) = (surplus, self.problems[before..].last_mut()) {
            problem.span = Some(place);
            problem.label = "there is one `}` too many here".into();
            problem.help = Some("remove this `}`".into());
            if place != here {
                problem.related.push((here, "so that this `}` closes nothing".to_string()));
            }
        }
    }

    /// Statements up to a closing brace or the end of the file.
    fn stmts(&mut self, stmts: &mut Vec<StmtId>) {
        loop {
            self.skip_newlines();
            if matches!(self.kind(), T::CloseCurly | T::End) {
                return;
            }
            let (brackets, braces, depth) = (self.brackets, self.braces, self.depth);
            let (start, before) = (self.token(), self.problems.len());
            let asked = self.asked == Some(self.at);
            if if asked { self.asked_line(stmts) } else { self.stmt_line(stmts) }.is_err() {
                self.blame_first_word(start, before);
                self.recover(brackets, braces);
                self.skip_deeper(start);
                (self.brackets, self.braces, self.depth) = (brackets, braces, depth);
            }
        }
    }

    fn stmt_line(&mut self, stmts: &mut Vec<StmtId>) -> Parsed<()> {
        let start = self.token();
        let kind = self.stmt()?;
        let span = self.since(start);
        stmts.push(self.ast.stmts.alloc(Stmt { kind, span }));
        match self.kind() {
            T::Newline => {
                self.bump();
                Ok(())
            }
            T::Comma | T::Semicolon => {
                Err(self.unexpected_help("the end of the line", Some("remove it: a statement ends with its line")))
            }
            T::CloseCurly => {
                let help = "a statement ends at the end of the line: put the brace on the next line";
                Err(self.unexpected_help("the end of the line", Some(help)))
            }
            _ => Err(self.unexpected("the end of the line")),
        }
    }

    /// Goes to the start of the next statement: after the line break that ends this one, or at the brace that closes
    /// the block. Starts from the brackets that were open before the statement.
    fn recover(&mut self, brackets: i32, braces: i32) {
        loop {
            match self.kind() {
                T::End => return,
                T::CloseCurly if self.braces <= braces => return,
                T::Newline if self.braces <= braces && (self.brackets <= brackets || self.stmt_follows()) => {
                    self.bump();
                    return;
                }
                _ => self.bump(),
            };
        }
    }

    /// Whether a statement must follow the line break, so that a bracket was left open.
    fn stmt_follows(&self) -> bool {
        match self.peek(1) {
            T::Class | T::Include | T::Import | T::For | T::ForKv | T::Panic => true,
            T::Func => self.peek(2).is_name(),
            T::Dollar => self.peek(2).is_name() && self.peek(3) == T::Equals,
            _ => false,
        }
    }

    pub(super) fn block(&mut self) -> Parsed<BlockId> {
        let open = self.expect(T::OpenCurly, "`{`")?;
        self.enter()?;
        let mut stmts = Vec::new();
        self.stmts(&mut stmts);
        if !self.eat(T::CloseCurly) {
            return Err(self.unclosed("`}`", open));
        }
        self.leave();
        let span = self.since(open);
        Ok(self.ast.blocks.alloc(Block { stmts, span }))
    }

    fn stmt(&mut self) -> Parsed<StmtKind> {
        match self.kind() {
            T::Dollar => self.bind(),
            T::If => self.if_stmt(),
            T::For => self.for_stmt(),
            T::ForKv => self.forkv_stmt(),
            T::Func => self.func_stmt(),
            T::Class => self.class(),
            T::Include => self.include(),
            T::Import => self.import(),
            T::Panic => {
                self.bump();
                Ok(StmtKind::Panic { args: self.args()? })
            }
            T::Ident => Ok(StmtKind::Resource(self.resource()?)),
            T::Collect => {
                self.bump();
                Ok(StmtKind::Collect(self.resource()?))
            }
            T::Capitalized => self.edge(),
            T::Str | T::Int | T::Float => {
                let name = self.slice(self.token());
                let help = match self.peek(1) {
                    T::Arrow => {
                        format!("an edge names the kinds: `Kind[{name}] -> Kind[\"other\"]`, such as `Svc[{name}]`")
                    }
                    _ => "start with a declaration such as `$name = ...` or `file \"/tmp/hello\" { ... }`".to_string(),
                };
                Err(self.unexpected_help("a statement", Some(&help)))
            }
            _ => Err(self.unexpected("a statement")),
        }
    }

    fn bind(&mut self) -> Parsed<StmtKind> {
        let name = self.var_name("a variable")?;
        let note = if self.at_type() { Some(self.type_note()?) } else { None };
        match self.kind() {
            T::Equals => {}
            T::Eq => {
                let help = Some("use one `=` to define a variable");
                return Err(self.unexpected_help("`=`", help));
            }
            T::Colon if self.peek(1) == T::Equals => return Err(self.unexpected("a type or `=`")),
            T::Colon | T::Ident if note.is_none() => {
                let foreign = if self.kind() == T::Ident { self.token() } else { self.tokens[self.at + 1] };
                let ty = habit::ty(self.slice(foreign)).unwrap_or("str");
                let help = format!("the type comes before `=`, without a colon: `${} {ty} = ...`", name.text);
                return Err(self.unexpected_help("a type or `=`", Some(&help)));
            }
            T::Newline if note.is_none() => {
                let help = Some("define a variable with `$name = value`");
                return Err(self.unexpected_help("a type or `=`", help));
            }
            T::Plus | T::Minus if self.peek(1) == T::Equals => {
                let (name, op) = (&name.text, self.slice(self.token()));
                let help = format!("variables cannot change: define a new one, `$new = ${name} {op} ...`");
                return Err(self.unexpected_help("`=`", Some(&help)));
            }
            _ if note.is_none() => return Err(self.unexpected("a type or `=`")),
            _ => return Err(self.unexpected("`=`")),
        }
        self.bump();
        let value = self.expr()?;
        if let Some(note) = &note {
            self.check_note(note, value);
        }
        Ok(StmtKind::Bind { name, note, value })
    }

    fn if_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.expr()?;
        let then = self.block()?;
        if !self.eat(T::Else) {
            return Ok(StmtKind::If { condition, then, else_part: None });
        }
        if self.kind() == T::If {
            return Err(self.else_if());
        }
        let else_part = Some(self.block()?);
        Ok(StmtKind::If { condition, then, else_part })
    }

    #[cold]
    pub(super) fn else_if(&mut self) -> Failed {
        self.unexpected_help("`{`", Some(habit::ELSE_IF))
    }

    fn for_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let (index, value) = self.loop_names("`$index, $value in list`")?;
        let list = self.expr()?;
        let body = self.block()?;
        Ok(StmtKind::For { index, value, list, body })
    }

    fn forkv_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let (key, value) = self.loop_names("`$key, $value in map`")?;
        let map = self.expr()?;
        let body = self.block()?;
        Ok(StmtKind::ForKv { key, value, map, body })
    }

    /// `$a, $b in`
    fn loop_names(&mut self, form: &str) -> Parsed<(Name, Name)> {
        if self.kind().is_name() {
            let help = format!("variables start with a dollar: {form}");
            return Err(self.unexpected_help("two variables", Some(&help)));
        }
        let first = self.var_name(form)?;
        if self.kind() == T::In {
            let (word, other) = if form.contains("map") { ("forkv", "key") } else { ("for", "index") };
            let help = format!("a loop needs two variables: `{word} ${other}, ${} in … {{`", first.text);
            return Err(self.unexpected_help("a comma and the value variable", Some(&help)));
        }
        self.expect(T::Comma, "a comma")?;
        let second = self.var_name("a variable such as `$value`")?;
        self.expect(T::In, "`in`")?;
        Ok((first, second))
    }

    fn func_stmt(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.ident("a function's name")?;
        let params = self.params()?;
        let (returns, body) = self.function()?;
        Ok(StmtKind::Func { name, params, returns, body })
    }

    fn class(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut path = vec![self.ident("a class's name")?];
        while self.eat(T::Colon) {
            path.push(self.ident("a class's name after the colon")?);
        }
        let params = if self.kind() == T::OpenParen { self.params()? } else { Vec::new() };
        let body = self.block()?;
        Ok(StmtKind::Class { path, params, body })
    }

    fn include(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let start = self.token();
        if start.kind == T::Str {
            let name = self.slice(start);
            let help = if name.contains(['.', '/']) {
                format!("import the file with `import {name}`, then include its classes by name")
            } else {
                format!("remove the quotes: `include {}`", name.trim_matches('"'))
            };
            return Err(self.unexpected_help("a class's name", Some(&help)));
        }
        let class = self.dotted(start, "a class's name")?;
        let is_class =
            self.tokens.windows(2).any(|pair| pair[0].kind == T::Class && self.slice(pair[1]) == class.text.as_str());
        if self.kind() == T::Colon && self.peek(1) == T::Colon && !is_class {
            let name = self.tokens.get(self.at + 2).map_or("CLASS", |token| self.slice(*token));
            let help = format!("`::` is written `.`: `include {}.{name}`", class.text);
            return Err(self.unexpected_help("the end of the line", Some(&help)));
        }
        if self.kind() == T::Colon {
            let help = format!(
                "to use the contents of a class, name it: `include {} as x`, then `include x.inner`",
                class.text
            );
            return Err(self.unexpected_help("the end of the line", Some(&help)));
        }
        let args = if self.kind() == T::OpenParen { self.args()? } else { Vec::new() };
        let alias = if self.eat(T::As) { Some(self.ident("a name")?) } else { None };
        Ok(StmtKind::Include { class, args, alias })
    }

    fn import(&mut self) -> Parsed<StmtKind> {
        self.bump();
        if self.kind() == T::Ident {
            let name = self.slice(self.token());
            if self.peek(1) == T::OpenParen {
                let help = format!("a class is used with `include {name}(...)`; an import is `import \"fmt\"`");
                return Err(self.unexpected_help("an import name in quotes", Some(&help)));
            }
            let help = format!("write `import \"{name}\"`");
            return Err(self.older("put the import in quotes", help));
        }
        if self.kind() == T::OpenParen {
            let help = "use one line per import: `import \"fmt\"`";
            return Err(self.unexpected_help("an import name in quotes", Some(help)));
        }
        let token = self.expect(T::Str, "an import name in quotes")?;
        let text = self.slice(token);
        let alias = if !self.eat(T::As) {
            ImportAlias::None
        } else if self.eat(T::Multiply) {
            ImportAlias::Star
        } else {
            ImportAlias::As(self.ident("a name or `*`")?)
        };
        Ok(StmtKind::Import { name: text[1..text.len() - 1].into(), name_span: self.span(token), alias })
    }

    /// `Kind["a"] -> Kind["b"] -> ...`, or one `Kind["a"].field -> Kind["b"].field`.
    fn edge(&mut self) -> Parsed<StmtKind> {
        let mut halves = vec![self.edge_half()?];
        if self.eat(T::Dot) {
            halves[0].field = Some(self.ident("a field's name")?);
            halves[0].span = halves[0].span.to(self.span(self.last()));
            self.expect(T::Arrow, "`->`")?;
            let mut receiver = self.edge_half()?;
            let help = "a sent value needs a receiving field: `Exec[\"a\"].stdout -> File[\"b\"].content`";
            if self.kind() != T::Dot {
                return Err(self.unexpected_help("`.` and a field", Some(help)));
            }
            self.bump();
            receiver.field = Some(self.ident("a field's name")?);
            receiver.span = receiver.span.to(self.span(self.last()));
            halves.push(receiver);
            return Ok(StmtKind::Edge { halves });
        }
        while self.eat(T::Arrow) {
            halves.push(self.edge_half()?);
        }
        Ok(StmtKind::Edge { halves })
    }

    /// `a:b`, joined; `kind` is the sort of word.
    pub(super) fn kind_name(&mut self, kind: T, expected: &str) -> Parsed<Name> {
        let start = self.expect(kind, expected)?;
        let mut text = self.slice(start).to_ascii_lowercase();
        while self.eat(T::Colon) {
            if self.kind() == T::OpenBrack {
                let help = format!("remove the colon before the bracket: `{}[\"...\"]`", self.slice(start));
                return Err(self.unexpected_help("the next part of the kind", Some(&help)));
            }
            let part = self.expect(kind, "the next part of the kind")?;
            text.push(':');
            text.push_str(&self.slice(part).to_ascii_lowercase());
        }
        let span = self.since(start);
        Ok(Name { text: text.into(), span })
    }
}
