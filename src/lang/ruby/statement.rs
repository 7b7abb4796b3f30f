//! Statements of Ruby, and the values that an expression begins with.

use std::sync::Arc;

use super::ast::{Expr, Kind, Lambda, Param};
use super::parser::{Parser, Read};
use super::token::{Fault, Part, Tok};

impl Parser<'_> {
    /// Statements up to a word or sign that ends them.
    pub(super) fn statements(&mut self) -> Read {
        let line = self.line();
        let mut list = Vec::new();
        loop {
            self.newlines();
            let ends = matches!(
                self.kind(),
                Tok::Eof
                    | Tok::Word("end" | "else" | "elsif" | "when" | "in" | "rescue" | "ensure")
                    | Tok::Op("}" | ")")
                    | Tok::OutputEnd
            );
            if ends {
                break;
            }
            let start = self.at;
            match self.statement() {
                Ok(statement) => list.push(statement),
                Err(fault) if !self.is_lenient => return Err(fault),
                Err(fault) => {
                    self.at = start;
                    self.pass_over();
                    if self.at == start {
                        return Err(fault);
                    }
                    list.push(self.node(fault.line, Kind::Unread(fault.what))?);
                }
            }
            let may_follow = matches!(self.kind(), Tok::Newline | Tok::Text(_) | Tok::Output | Tok::Eof)
                || matches!(self.before(), Some(Tok::Text(_) | Tok::OutputEnd | Tok::Newline));
            let ends = matches!(self.kind(), Tok::Word(_) | Tok::Op("}" | ")") | Tok::OutputEnd);
            if !may_follow && !ends {
                if !self.is_lenient {
                    return Err(self.unexpected());
                }
                let start = self.at;
                self.pass_over();
                if self.at == start {
                    self.at += 1;
                }
            }
        }
        match list.len() {
            1 => Ok(list.remove(0)),
            _ => self.node(line, Kind::Block(list)),
        }
    }

    /// Passes over one statement that cannot be read: up to the end of its line outside of all that it opens.
    fn pass_over(&mut self) {
        let mut open = 0usize;
        let mut loop_line = None;
        loop {
            match self.kind() {
                Tok::Eof => return,
                Tok::Newline if open == 0 => return,
                Tok::Op("(" | "[" | "{") => open += 1,
                Tok::Op(")" | "]" | "}") | Tok::Word("end") if open == 0 => return,
                Tok::Op(")" | "]" | "}") | Tok::Word("end") => open -= 1,
                Tok::Word("do") if loop_line == Some(self.line()) => loop_line = None,
                Tok::Word("do" | "class" | "module" | "begin" | "case") => open += 1,
                Tok::Word("def") if !self.is_short_definition(2) => open += 1,
                Tok::Word(word @ ("if" | "unless" | "while" | "until" | "for")) if self.begins_statement() => {
                    open += 1;
                    if matches!(*word, "while" | "until" | "for") {
                        loop_line = Some(self.line());
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Whether `if` and the like open a block here, and are not behind a statement.
    fn begins_statement(&self) -> bool {
        match self.before() {
            None | Some(Tok::Newline | Tok::Text(_)) => true,
            Some(Tok::Op(op)) => !matches!(*op, ")" | "]" | "}"),
            Some(Tok::Word(word)) => {
                !matches!(*word, "end" | "self" | "nil" | "true" | "false" | "return" | "next" | "break")
            }
            _ => false,
        }
    }

    /// `def a = 1`, `def a(b) = 1`
    fn is_short_definition(&self, behind: usize) -> bool {
        let mut at = behind;
        while matches!(self.ahead(at).kind, Tok::Op(".") | Tok::Ident(_)) {
            at += 1;
        }
        if matches!(self.ahead(at).kind, Tok::Op("(")) {
            while !matches!(self.ahead(at).kind, Tok::Op(")") | Tok::Newline | Tok::Eof) {
                at += 1;
            }
            at += 1;
        }
        matches!(self.ahead(at).kind, Tok::Op("=")) && self.ahead(at).spaced
    }

    /// One statement with what is behind it: `… if a`, `… while b`, `… rescue c`.
    fn statement(&mut self) -> Read {
        let line = self.line();
        let mut left = self.several()?;
        loop {
            let Tok::Word(word @ ("if" | "unless" | "while" | "until" | "rescue")) = self.kind() else {
                return Ok(left);
            };
            self.at += 1;
            let condition = Box::new(self.several()?);
            let body = Box::new(left);
            let nothing = Box::new(self.node(line, Kind::Nil)?);
            left = match *word {
                "if" => self.node(line, Kind::If(condition, body, nothing))?,
                "unless" => self.node(line, Kind::If(condition, nothing, body))?,
                "while" => self.node(line, Kind::While(condition, body, false))?,
                "until" => self.node(line, Kind::While(condition, body, true))?,
                _ => self.node(line, Kind::Rescue(body, condition))?,
            };
        }
    }

    /// `a and b or not c`
    fn several(&mut self) -> Read {
        let line = self.line();
        let mut left = self.negated()?;
        loop {
            let is_and = self.is_word("and");
            if !is_and && !self.is_word("or") {
                return Ok(left);
            }
            self.at += 1;
            self.newlines();
            let right = Box::new(self.negated()?);
            let kind = if is_and { Kind::And(Box::new(left), right) } else { Kind::Or(Box::new(left), right) };
            left = self.node(line, kind)?;
        }
    }

    fn negated(&mut self) -> Read {
        let line = self.line();
        if self.eat_word("not") {
            let value = self.deeper(Self::negated)?;
            return self.node(line, Kind::Not(Box::new(value)));
        }
        match self.spread()? {
            Some(spread) => Ok(spread),
            None => self.expression(),
        }
    }

    /// `a, b = c`
    fn spread(&mut self) -> Read<Option<Expr>> {
        let is_list = matches!(self.kind(), Tok::Ident(_) | Tok::Ivar(_)) && matches!(self.ahead(1).kind, Tok::Op(","));
        if !is_list {
            return Ok(None);
        }
        let (line, start) = (self.line(), self.at);
        let mut places = Vec::new();
        loop {
            let at = self.line();
            let kind = match self.kind() {
                Tok::Ident(name) => Kind::Name(name.clone()),
                Tok::Ivar(name) => Kind::Ivar(name.clone()),
                _ => break,
            };
            self.at += 1;
            places.push(self.node(at, kind)?);
            if !self.eat_op(",") {
                break;
            }
        }
        if !self.eat_op("=") {
            self.at = start;
            return Ok(None);
        }
        places.iter().for_each(|place| self.declare(place));
        let mut values = vec![self.splat_or_expression()?];
        while self.eat_op(",") {
            values.push(self.splat_or_expression()?);
        }
        let is_one = matches!(&values[..], [value] if !matches!(value.kind, Kind::Splat(_)));
        let value = if is_one { values.remove(0) } else { self.node(line, Kind::Array(values))? };
        self.node(line, Kind::Spread(places, Box::new(value))).map(Some)
    }

    /// Parameters between bars or parentheses; the closing sign is read too.
    pub(super) fn params(&mut self, ends: fn(&Self) -> bool) -> Read<Vec<Param>> {
        let mut out = Vec::new();
        loop {
            self.newlines();
            if ends(self) {
                self.at += 1;
                return Ok(out);
            }
            match self.kind() {
                Tok::Op("(") => {
                    self.at += 1;
                    let group = self.deeper(|p| p.params(|p| p.is_op(")")))?;
                    out.push(Param::Group(group));
                }
                Tok::Op(sign @ ("*" | "&" | "**")) => {
                    self.at += 1;
                    let name = match self.kind() {
                        Tok::Ident(name) => {
                            self.at += 1;
                            name.clone()
                        }
                        _ => "".into(),
                    };
                    self.locals.insert(name.clone());
                    out.push(if *sign == "&" { Param::Block(name) } else { Param::Rest(name) });
                }
                Tok::Ident(name) => {
                    self.at += 1;
                    self.locals.insert(name.clone());
                    let default = if self.eat_op("=") { Some(self.deeper(Self::primary)?) } else { None };
                    out.push(match default {
                        Some(default) => Param::Optional(name.clone(), default),
                        None => Param::Name(name.clone()),
                    });
                }
                _ => return Err(self.unexpected()),
            }
            self.eat_op(",");
        }
    }

    /// What an expression begins with.
    pub(super) fn primary(&mut self) -> Read {
        let line = self.line();
        let token = self.token();
        self.at += 1;
        let kind = match &token.kind {
            Tok::Int(value) => Kind::Int(*value),
            Tok::Float(value) => Kind::Float(*value),
            Tok::Str(parts) => {
                let mut parts = parts.clone();
                while let Tok::Str(more) = self.kind() {
                    parts.extend(more.iter().cloned());
                    self.at += 1;
                }
                match &parts[..] {
                    [] => Kind::Str("".into()),
                    [Part::Text(text)] => Kind::Str(text.as_str().into()),
                    parts => Kind::Interpolated(self.pieces(parts)?),
                }
            }
            Tok::Symbol(parts) => match &parts[..] {
                [Part::Text(text)] => Kind::Symbol(text.as_str().into()),
                parts => Kind::SymbolOf(self.pieces(parts)?),
            },
            Tok::Regexp(parts, flags) => Kind::Regexp(self.pieces(parts)?, flags.clone()),
            Tok::Words(words, are_symbols) => {
                let mut list = Vec::new();
                for word in words {
                    let kind = match (&word[..], are_symbols) {
                        ([Part::Text(text)], true) => Kind::Symbol(text.as_str().into()),
                        ([Part::Text(text)], false) => Kind::Str(text.as_str().into()),
                        (parts, _) => Kind::Interpolated(self.pieces(parts)?),
                    };
                    list.push(self.node(line, kind)?);
                }
                Kind::Array(list)
            }
            Tok::Ivar(name) => Kind::Ivar(name.clone()),
            Tok::Gvar(name) => Kind::Gvar(name.clone()),
            Tok::Const(name) => {
                let is_call = self.is_op("(") && !self.token().spaced;
                let converts = matches!(&**name, "Integer" | "Float" | "String" | "Array");
                let has_argument =
                    matches!(self.kind(), Tok::Str(_)) || converts && matches!(self.kind(), Tok::Ident(_));
                if is_call || has_argument && self.token().spaced {
                    return self.method(line, None, name.clone(), false);
                }
                Kind::Const(name.clone())
            }
            Tok::Ident(name) => return self.name(line, name),
            Tok::Text(text) => Kind::Text(text.clone()),
            Tok::Output => return self.output(line),
            Tok::Op("(") => {
                let inner = self.deeper(|p| p.with_do(false, |p| p.statements()))?;
                self.newlines();
                self.need_op(")")?;
                return Ok(inner);
            }
            Tok::Op("[") => Kind::Array(self.with_do(false, |p| p.args("]"))?.0),
            Tok::Op("{") => return self.with_do(false, |p| p.hash(line)),
            Tok::Op("->") => return self.arrow(line),
            Tok::Op("::") => match self.kind() {
                Tok::Const(name) => {
                    self.at += 1;
                    Kind::Const(name.clone())
                }
                _ => return Err(self.unexpected()),
            },
            Tok::Op(".." | "...") => {
                let to = Box::new(self.expression()?);
                Kind::Range { from: None, to: Some(to), excludes_end: false }
            }
            Tok::Word(word) => return self.deeper(|p| p.word(line, word)),
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        self.node(line, kind)
    }

    fn name(&mut self, line: u32, name: &crate::lang::ruby::Text) -> Read {
        let has_args = self.is_op("(") && !self.token().spaced;
        let has_block = self.is_op("{") || self.is_word("do") && !self.no_do;
        let is_local = self.locals.contains(name);
        if has_args || !is_local && (has_block || self.begins_argument(name)) {
            return self.method(line, None, name.clone(), false);
        }
        self.node(line, Kind::Name(name.clone()))
    }

    fn output(&mut self, line: u32) -> Read {
        let value = self.deeper(Self::statements)?;
        if !matches!(self.kind(), Tok::OutputEnd) {
            return Err(self.unexpected());
        }
        self.at += 1;
        self.node(line, Kind::Output(Box::new(value)))
    }

    fn hash(&mut self, line: u32) -> Read {
        let mut pairs = Vec::new();
        loop {
            self.newlines();
            if self.eat_op("}") {
                return self.node(line, Kind::Hash(pairs));
            }
            if matches!(self.kind(), Tok::Label(_) | Tok::StrLabel(_)) {
                pairs.push(self.labelled()?);
            } else {
                let key = self.expression()?;
                self.newlines();
                self.need_op("=>")?;
                self.newlines();
                pairs.push((key, self.expression()?));
            }
            self.newlines();
            if !self.eat_op(",") && !self.is_op("}") {
                return Err(self.unexpected());
            }
        }
    }

    /// `->(a) { … }`
    fn arrow(&mut self, line: u32) -> Read {
        let mut params = Vec::new();
        if self.eat_op("(") {
            params = self.params(|p| p.is_op(")"))?;
        } else if matches!(self.kind(), Tok::Ident(_)) {
            params = self.params(|p| p.is_op("{") || p.is_word("do"))?;
            self.at -= 1;
        }
        let close = match self.kind() {
            Tok::Op("{") => None,
            Tok::Word("do") => Some("end"),
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        let lambda: Lambda = self.lambda_body(params, close)?;
        self.node(line, Kind::Lambda(Arc::new(lambda)))
    }

    /// An expression that begins with a reserved word, which is read already.
    fn word(&mut self, line: u32, word: &'static str) -> Read {
        let kind = match word {
            "nil" => Kind::Nil,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "self" => Kind::Myself,
            "if" | "unless" => return self.condition(line, word == "unless"),
            "while" | "until" => {
                let condition = self.with_do(true, |p| p.several())?;
                self.eat_word("do");
                let body = self.with_do(false, |p| p.statements())?;
                self.end()?;
                Kind::While(Box::new(condition), Box::new(body), word == "until")
            }
            "for" => {
                let params = self.params(|p| p.is_word("in"))?;
                let list = self.with_do(true, |p| p.expression())?;
                self.eat_word("do");
                let body = self.with_do(false, |p| p.statements())?;
                self.end()?;
                Kind::For(params, Box::new(list), Box::new(body))
            }
            "case" => return self.case(line),
            "begin" => {
                let body = self.with_do(false, |p| p.statements())?;
                if self.eat_word("end") {
                    return Ok(body);
                }
                match self.rescue()? {
                    Some(handler) => Kind::Rescue(Box::new(body), Box::new(handler)),
                    None => return self.unread(line, "begin", 1),
                }
            }
            "break" | "next" | "return" => {
                let ends = matches!(
                    self.kind(),
                    Tok::Eof
                        | Tok::Newline
                        | Tok::OutputEnd
                        | Tok::Text(_)
                        | Tok::Op("}" | ")")
                        | Tok::Word("if" | "unless" | "end")
                );
                let value = if ends { None } else { Some(Box::new(self.expression()?)) };
                match word {
                    "break" => Kind::Break(value),
                    "next" => Kind::Next(value),
                    _ => Kind::Return(value),
                }
            }
            "module" => {
                while matches!(self.kind(), Tok::Const(_) | Tok::Op("::")) {
                    self.at += 1;
                }
                let body = self.statements()?;
                self.end()?;
                return Ok(body);
            }
            "def" if !self.is_lenient && matches!(self.kind(), Tok::Ident(_)) && !self.is_short_definition(1) => {
                return self.definition(line);
            }
            "def" | "class" => return self.unread(line, word, 0),
            _ => {
                self.at -= 1;
                return Err(self.unexpected());
            }
        };
        self.node(line, kind)
    }

    /// `def name(params) … end`, whose `def` is read already.
    fn definition(&mut self, line: u32) -> Read {
        let Tok::Ident(name) = self.kind() else { return Err(self.unexpected()) };
        let outer = std::mem::take(&mut self.locals);
        self.at += 1;
        let params = if self.eat_op("(") {
            self.params(|p| p.is_op(")"))?
        } else if matches!(self.kind(), Tok::Newline) {
            Vec::new()
        } else {
            return self.unread(line, "def", 1);
        };
        let body = self.deeper(|p| p.with_do(false, |p| p.statements()))?;
        let body = if self.eat_word("end") {
            body
        } else {
            match self.rescue()? {
                Some(handler) => self.node(line, Kind::Rescue(Box::new(body), Box::new(handler)))?,
                None => return Err(self.unexpected()),
            }
        };
        self.locals = outer;
        self.node(line, Kind::Def(name.clone(), Arc::new(Lambda { params, body })))
    }

    /// Passes over what a word opened, where `open` counts whether its beginning is behind us.
    fn unread(&mut self, line: u32, word: &'static str, open: usize) -> Read {
        if open == 0 {
            self.at -= 1;
        } else {
            // Inside of it: up to its end.
            while !matches!(self.kind(), Tok::Eof | Tok::Word("end")) {
                self.pass_over();
                if !matches!(self.kind(), Tok::Eof | Tok::Word("end")) {
                    self.at += 1;
                }
            }
            self.end()?;
            return self.node(line, Kind::Unread(format!("`{word}`")));
        }
        let is_own = matches!(&self.ahead(1).kind, Tok::Ident(name) if &**name == "self");
        if is_own && matches!(&self.ahead(3).kind, Tok::Ident(name) if &**name == "title_patterns") {
            self.at += 4;
            if self.eat_op("(") {
                self.need_op(")")?;
            }
            let body = self.statements()?;
            self.end()?;
            return self.node(line, Kind::TitlePatterns(Box::new(body)));
        }
        let name = match (word, &self.ahead(1).kind) {
            ("def", Tok::Ident(own)) if is_own && matches!(self.ahead(2).kind, Tok::Op(".")) => {
                match &self.ahead(3).kind {
                    Tok::Ident(name) => format!("def {own}.{name}"),
                    _ => "def".into(),
                }
            }
            ("def", Tok::Ident(name) | Tok::Const(name)) => format!("def {name}"),
            ("class" | "module", Tok::Const(name)) => format!("{word} {name}"),
            _ => word.to_owned(),
        };
        self.pass_over();
        self.node(line, Kind::Unread(name))
    }

    /// What a plain `rescue` does instead, up to its `end`. Nothing where it is more than that.
    fn rescue(&mut self) -> Read<Option<Expr>> {
        let start = self.at;
        if !self.eat_word("rescue") {
            return Ok(None);
        }
        while matches!(self.kind(), Tok::Const(_) | Tok::Op("," | "::")) {
            self.at += 1;
        }
        if self.eat_op("=>")
            && let Tok::Ident(name) = self.kind()
        {
            self.locals.insert(name.clone());
            self.at += 1;
        }
        if matches!(self.kind(), Tok::Newline | Tok::Word("then")) {
            self.eat_word("then");
            let handler = self.with_do(false, |p| p.statements())?;
            if self.eat_word("end") {
                return Ok(Some(handler));
            }
        }
        self.at = start;
        Ok(None)
    }

    fn end(&mut self) -> Read<()> {
        if self.eat_word("end") { Ok(()) } else { Err(self.unexpected()) }
    }

    fn condition(&mut self, line: u32, is_unless: bool) -> Read {
        let condition = Box::new(self.with_do(false, |p| p.several())?);
        self.newlines();
        self.eat_word("then");
        let body = Box::new(self.with_do(false, |p| p.statements())?);
        let at = self.line();
        let other = if !is_unless && self.eat_word("elsif") {
            self.deeper(|p| p.condition(at, false))?
        } else {
            let other = if self.eat_word("else") {
                self.with_do(false, |p| p.statements())?
            } else {
                self.node(at, Kind::Nil)?
            };
            self.end()?;
            other
        };
        let other = Box::new(other);
        let (yes, no) = if is_unless { (other, body) } else { (body, other) };
        self.node(line, Kind::If(condition, yes, no))
    }

    fn case(&mut self, line: u32) -> Read {
        let has_subject = !matches!(self.kind(), Tok::Newline | Tok::Text(_));
        let subject = if has_subject { Some(Box::new(self.with_do(false, |p| p.several())?)) } else { None };
        loop {
            match self.kind() {
                Tok::Newline => self.at += 1,
                // Only blanks can be between `case` and `when`.
                Tok::Text(text) if text.trim().is_empty() => self.at += 1,
                _ => break,
            }
        }
        let mut arms = Vec::new();
        while self.eat_word("when") {
            let mut values = Vec::new();
            loop {
                self.newlines();
                values.push(self.with_do(false, |p| p.splat_or_expression())?);
                if !self.eat_op(",") {
                    break;
                }
            }
            self.eat_word("then");
            arms.push((values, self.with_do(false, |p| p.statements())?));
        }
        if arms.is_empty() {
            return Err(Fault::new(line, "a `case` without `when`"));
        }
        let at = self.line();
        let other =
            if self.eat_word("else") { self.with_do(false, |p| p.statements())? } else { self.node(at, Kind::Nil)? };
        self.end()?;
        self.node(line, Kind::Case(subject, arms, Box::new(other)))
    }
}
