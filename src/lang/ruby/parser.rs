//! Tokens to a tree: operators, calls and literals. Statements are in `statement`.

use std::collections::HashSet;
use std::sync::Arc;

use super::ast::{Block, Call, Expr, Kind, Lambda};
use super::token::{Fault, Part, Tok, Token};
use crate::lang::ruby::Text;

/// Expressions inside of one another.
const DEPTH: u16 = 120;

pub(super) type Read<V = Expr> = Result<V, Fault>;

pub(super) struct Parser<'t> {
    tokens: &'t [Token],
    pub(super) at: usize,
    depth: u16,
    /// What cannot be read is passed over.
    pub(super) is_lenient: bool,
    /// Names that were assigned: they begin no call.
    pub(super) locals: HashSet<Text>,
    /// A `do` here belongs to what is around.
    pub(super) no_do: bool,
}

/// The tree of a text.
pub fn program(tokens: &[Token], is_lenient: bool) -> Read {
    let mut parser = Parser { tokens, at: 0, depth: 0, is_lenient, locals: HashSet::new(), no_do: false };
    let body = parser.statements()?;
    match parser.kind() {
        Tok::Eof => Ok(body),
        _ => Err(parser.unexpected()),
    }
}

const END: Token = Token { kind: Tok::Eof, line: 0, spaced: true };

/// Binary operators by how tightly they bind.
fn power(op: &str) -> Option<(u8, bool)> {
    Some(match op {
        ".." | "..." => (2, false),
        "||" => (3, false),
        "&&" => (4, false),
        "<=>" | "==" | "===" | "!=" | "=~" | "!~" => (6, false),
        "<" | "<=" | ">" | ">=" => (7, false),
        "|" | "^" => (8, false),
        "&" => (9, false),
        "<<" | ">>" => (10, false),
        "+" | "-" => (11, false),
        "*" | "/" | "%" => (12, false),
        "**" => (14, true),
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    pub(super) fn token(&self) -> &'t Token {
        self.tokens.get(self.at).unwrap_or(&END)
    }

    pub(super) fn kind(&self) -> &'t Tok {
        &self.token().kind
    }

    pub(super) fn ahead(&self, count: usize) -> &'t Token {
        self.tokens.get(self.at + count).unwrap_or(&END)
    }

    pub(super) fn before(&self) -> Option<&'t Tok> {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| &token.kind)
    }

    pub(super) fn line(&self) -> u32 {
        match self.tokens.get(self.at) {
            Some(token) => token.line,
            None => self.tokens.last().map_or(1, |token| token.line),
        }
    }

    pub(super) fn is_op(&self, op: &str) -> bool {
        matches!(self.kind(), Tok::Op(have) if *have == op)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Tok::Word(have) if *have == word)
    }

    pub(super) fn eat_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        self.at += usize::from(found);
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn need_op(&mut self, op: &str) -> Read<()> {
        if self.eat_op(op) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn newlines(&mut self) {
        while matches!(self.kind(), Tok::Newline) {
            self.at += 1;
        }
    }

    pub(super) fn unexpected(&self) -> Fault {
        let what = match self.kind() {
            Tok::Eof => "the end of the text, where more is expected,".to_owned(),
            Tok::Newline => "the end of the line, where more is expected,".into(),
            Tok::Op(text) | Tok::Word(text) => format!("`{text}` at this place"),
            Tok::Ident(text) | Tok::Const(text) | Tok::Label(text) => format!("`{text}` at this place"),
            Tok::Text(_) | Tok::Output | Tok::OutputEnd => "a tag of the template inside of an expression".into(),
            _ => "a literal at this place".into(),
        };
        Fault::new(self.line(), what)
    }

    pub(super) fn node(&self, line: u32, kind: Kind) -> Read {
        let height = kind.height() + 1;
        if height > 2 * DEPTH {
            return Err(Fault::new(line, "an expression that is nested too deep"));
        }
        Ok(Expr { line, height, kind })
    }

    pub(super) fn deeper<V>(&mut self, work: impl FnOnce(&mut Self) -> Read<V>) -> Read<V> {
        if self.depth >= DEPTH {
            return Err(Fault::new(self.line(), "an expression that is nested too deep"));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    /// With `do` for this part, as between parentheses.
    pub(super) fn with_do<V>(&mut self, no_do: bool, work: impl FnOnce(&mut Self) -> Read<V>) -> Read<V> {
        let outer = std::mem::replace(&mut self.no_do, no_do);
        let done = work(self);
        self.no_do = outer;
        done
    }

    /// An assignment, or what binds tighter.
    pub(super) fn expression(&mut self) -> Read {
        self.deeper(|p| {
            let line = p.line();
            let left = p.ternary()?;
            let Tok::Op(op) = p.kind() else { return Ok(left) };
            let known = ["+", "-", "*", "/", "%", "**", "||", "&&", "<<", "|", "&"];
            let change = op.strip_suffix('=').and_then(|change| known.into_iter().find(|known| *known == change));
            if !is_place(&left.kind) || (*op != "=" && change.is_none()) {
                return Ok(left);
            }
            p.at += 1;
            p.newlines();
            p.declare(&left);
            let (place, value) = (Box::new(left), Box::new(p.assigned()?));
            match change {
                Some(change) => p.node(line, Kind::Change(change, place, value)),
                None => p.node(line, Kind::Assign(place, value)),
            }
        })
    }

    /// The right side of an assignment.
    pub(super) fn assigned(&mut self) -> Read {
        let line = self.line();
        let value = self.splat_or_expression()?;
        match value.kind {
            Kind::Splat(_) => self.node(line, Kind::Array(vec![value])),
            _ => Ok(value),
        }
    }

    pub(super) fn splat_or_expression(&mut self) -> Read {
        let line = self.line();
        if self.eat_op("*") {
            let list = self.expression()?;
            return self.node(line, Kind::Splat(Box::new(list)));
        }
        self.expression()
    }

    pub(super) fn declare(&mut self, place: &Expr) {
        if let Kind::Name(name) = &place.kind {
            self.locals.insert(name.clone());
        }
    }

    fn ternary(&mut self) -> Read {
        let line = self.line();
        let condition = self.binary(0)?;
        if !self.is_op("?") {
            return Ok(condition);
        }
        self.at += 1;
        self.newlines();
        let yes = self.expression()?;
        self.newlines();
        // `a ? b :c` reads `:c` as a symbol.
        let no = match self.kind() {
            Tok::Symbol(parts) => {
                let [Part::Text(name)] = &parts[..] else { return Err(self.unexpected()) };
                self.at += 1;
                self.node(line, Kind::Name(name.as_str().into()))?
            }
            _ => {
                self.need_op(":")?;
                self.newlines();
                self.expression()?
            }
        };
        self.node(line, Kind::If(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn binary(&mut self, least: u8) -> Read {
        let line = self.line();
        let mut left = self.unary()?;
        while let Tok::Op(op) = self.kind() {
            let Some((power, is_right)) = power(op).filter(|(power, _)| *power >= least) else { break };
            self.at += 1;
            if power == 2 && self.ends_here() {
                let range = Kind::Range { from: Some(Box::new(left)), to: None, excludes_end: *op == "..." };
                return self.node(line, range);
            }
            self.newlines();
            let right = self.deeper(|p| p.binary(if is_right { power } else { power + 1 }))?;
            left = self.operation(line, op, left, right)?;
        }
        Ok(left)
    }

    /// Whether no value follows.
    fn ends_here(&self) -> bool {
        matches!(
            self.kind(),
            Tok::Eof | Tok::Newline | Tok::OutputEnd | Tok::Op(")" | "]" | "," | "}") | Tok::Word("then")
        )
    }

    fn operation(&self, line: u32, op: &'static str, left: Expr, right: Expr) -> Read {
        let kind = match op {
            "&&" => Kind::And(Box::new(left), Box::new(right)),
            "||" => Kind::Or(Box::new(left), Box::new(right)),
            ".." | "..." => {
                let (from, to) = (Some(Box::new(left)), Some(Box::new(right)));
                Kind::Range { from, to, excludes_end: op == "..." }
            }
            "!=" | "!~" => {
                let name = if op == "!=" { "==" } else { "=~" };
                let same = self.operation(line, name, left, right)?;
                Kind::Not(Box::new(same))
            }
            name => return self.call_node(line, Some(left), name, vec![right]),
        };
        self.node(line, kind)
    }

    fn unary(&mut self) -> Read {
        let line = self.line();
        match self.kind() {
            Tok::Op("!") => {
                self.at += 1;
                let value = self.deeper(Self::unary)?;
                self.node(line, Kind::Not(Box::new(value)))
            }
            Tok::Op("-") => {
                self.at += 1;
                let value = self.deeper(|p| p.binary(13))?;
                match value.kind {
                    // No number that was read is below 0.
                    Kind::Int(number) => self.node(line, Kind::Int(-number)),
                    Kind::Float(number) => self.node(line, Kind::Float(-number)),
                    _ => self.call_node(line, Some(value), "-@", Vec::new()),
                }
            }
            Tok::Op("+") => {
                self.at += 1;
                self.deeper(Self::unary)
            }
            Tok::Word("defined?") => {
                self.at += 1;
                let value = self.deeper(Self::unary)?;
                self.node(line, Kind::Defined(Box::new(value)))
            }
            Tok::Word("not") => {
                self.at += 1;
                let value = self.deeper(Self::expression)?;
                self.node(line, Kind::Not(Box::new(value)))
            }
            _ => self.postfix(),
        }
    }

    pub(super) fn call_node(&self, line: u32, receiver: Option<Expr>, name: &str, args: Vec<Expr>) -> Read {
        let call = Call { receiver, name: name.into(), args, block: None, is_safe: false };
        self.node(line, Kind::Call(Box::new(call)))
    }

    /// A value with what follows it: methods, indexes, blocks.
    fn postfix(&mut self) -> Read {
        let mut left = self.primary()?;
        loop {
            let line = self.line();
            match self.kind() {
                Tok::Op(op @ ("." | "&.")) => {
                    self.at += 1;
                    self.newlines();
                    let name: Text = match self.kind() {
                        Tok::Ident(name) | Tok::Const(name) => name.clone(),
                        Tok::Op("(") => {
                            left = self.method(line, Some(left), "call".into(), *op == "&.")?;
                            continue;
                        }
                        Tok::Word(word) => (*word).into(),
                        _ => return Err(self.unexpected()),
                    };
                    self.at += 1;
                    left = self.method(line, Some(left), name, *op == "&.")?;
                }
                Tok::Op("::") if !self.token().spaced => {
                    self.at += 1;
                    left = match (self.kind(), &left.kind) {
                        (Tok::Const(name), Kind::Const(outer)) if !self.opens_call() => {
                            let full = format!("{outer}::{name}");
                            self.at += 1;
                            self.node(line, Kind::Const(full.into()))?
                        }
                        (Tok::Ident(name) | Tok::Const(name), _) => {
                            self.at += 1;
                            self.method(line, Some(left), name.clone(), false)?
                        }
                        _ => return Err(self.unexpected()),
                    };
                }
                Tok::Op("[") if !self.token().spaced || !matches!(left.kind, Kind::Call(_)) => {
                    if self.token().spaced && !matches!(left.kind, Kind::Name(_) | Kind::Ivar(_)) {
                        break;
                    }
                    self.at += 1;
                    let args = self.with_do(false, |p| p.args("]"))?;
                    left = self.call_node(line, Some(left), "[]", args.0)?;
                }
                _ => break,
            }
        }
        Ok(left)
    }

    fn opens_call(&self) -> bool {
        let next = self.ahead(1);
        matches!(next.kind, Tok::Op("(")) && !next.spaced
    }

    /// A call whose name is read already.
    pub(super) fn method(&mut self, line: u32, receiver: Option<Expr>, name: Text, is_safe: bool) -> Read {
        let mut args = Vec::new();
        let mut block = None;
        if self.is_op("(") && !self.token().spaced {
            self.at += 1;
            (args, block) = self.with_do(false, |p| p.args(")"))?;
        } else if self.begins_argument(&name) {
            (args, block) = self.with_do(true, |p| p.deeper(|p| p.arg_list(|_| false)))?;
        }
        if block.is_none() {
            block = self.block()?;
        }
        let call = Call { receiver, name, args, block, is_safe };
        self.node(line, Kind::Call(Box::new(call)))
    }

    /// Whether an argument without parentheses follows a name.
    pub(super) fn begins_argument(&self, name: &str) -> bool {
        let token = self.token();
        if !(token.spaced || name.ends_with(['?', '!']) && matches!(token.kind, Tok::Ident(_))) {
            return false;
        }
        let next_is_spaced = self.ahead(1).spaced;
        match &token.kind {
            Tok::Ident(_) | Tok::Const(_) | Tok::Ivar(_) | Tok::Gvar(_) | Tok::Label(_) | Tok::StrLabel(_) => true,
            Tok::Int(_) | Tok::Float(_) | Tok::Str(_) | Tok::Symbol(_) | Tok::Regexp(..) | Tok::Words(..) => true,
            Tok::Word(word) => {
                matches!(*word, "nil" | "true" | "false" | "self" | "not" | "defined?" | "case" | "proc" | "yield")
            }
            Tok::Op("->" | "!") => true,
            Tok::Op("[" | "*" | "&" | "-" | "::" | "**") => !next_is_spaced,
            Tok::Op("(") => true,
            _ => false,
        }
    }

    /// Arguments up to a closing sign, which is read too.
    pub(super) fn args(&mut self, close: &'static str) -> Read<(Vec<Expr>, Option<Block>)> {
        self.newlines();
        if self.eat_op(close) {
            return Ok((Vec::new(), None));
        }
        let found = self.deeper(|p| p.arg_list(|p| p.is_op(close)))?;
        self.newlines();
        self.need_op(close)?;
        Ok(found)
    }

    fn arg_list(&mut self, ends: impl Fn(&Self) -> bool) -> Read<(Vec<Expr>, Option<Block>)> {
        let line = self.line();
        let (mut args, mut pairs, mut block) = (Vec::new(), Vec::new(), None);
        loop {
            match self.kind() {
                Tok::Op("*") => args.push(self.splat_or_expression()?),
                Tok::Op("&") => {
                    self.at += 1;
                    block = Some(Block::Pass(self.expression()?));
                }
                Tok::Label(_) | Tok::StrLabel(_) => pairs.push(self.labelled()?),
                _ => {
                    let value = self.expression()?;
                    if self.eat_op("=>") {
                        self.newlines();
                        pairs.push((value, self.expression()?));
                    } else {
                        args.push(value);
                    }
                }
            }
            let mark = self.at;
            self.newlines();
            if !self.eat_op(",") {
                self.at = mark;
                break;
            }
            self.newlines();
            if ends(self) {
                break;
            }
        }
        if !pairs.is_empty() {
            args.push(self.node(line, Kind::Hash(pairs))?);
        }
        Ok((args, block))
    }

    /// `a: value`, or `a:` for the value of the name `a`.
    pub(super) fn labelled(&mut self) -> Read<(Expr, Expr)> {
        let line = self.line();
        let key = match self.kind() {
            Tok::Label(name) => Kind::Symbol(name.clone()),
            Tok::StrLabel(parts) => match &parts[..] {
                [Part::Text(text)] => Kind::Symbol(text.as_str().into()),
                parts => Kind::SymbolOf(self.pieces(parts)?),
            },
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        // `a:,` is the value of that name.
        if let Kind::Symbol(name) = &key
            && [",", ")", "}", "]"].iter().any(|end| self.is_op(end))
        {
            let value = match self.locals.contains(name) {
                true => self.node(line, Kind::Name(name.clone()))?,
                false => self.call_node(line, None, name, Vec::new())?,
            };
            return Ok((self.node(line, key)?, value));
        }
        self.newlines();
        let name = match &key {
            Kind::Symbol(name) if matches!(self.kind(), Tok::Op("," | ")" | "}")) => Some(name.clone()),
            _ => None,
        };
        let key = self.node(line, key)?;
        let value = match name {
            Some(name) => self.node(line, Kind::Name(name))?,
            None => self.expression()?,
        };
        Ok((key, value))
    }

    /// `{ |a| … }` or `do |a| … end`, if there is one.
    pub(super) fn block(&mut self) -> Read<Option<Block>> {
        let close = match self.kind() {
            Tok::Op("{") => None,
            Tok::Word("do") if !self.no_do => Some("end"),
            _ => return Ok(None),
        };
        self.at += 1;
        let params = if self.eat_op("|") {
            self.params(|p| p.is_op("|"))?
        } else {
            self.eat_op("||");
            Vec::new()
        };
        let lambda = self.lambda_body(params, close)?;
        Ok(Some(Block::Code(Arc::new(lambda))))
    }

    pub(super) fn lambda_body(&mut self, params: Vec<super::ast::Param>, close: Option<&'static str>) -> Read<Lambda> {
        let body = self.deeper(|p| p.with_do(false, |p| p.statements()))?;
        let is_closed = match close {
            Some(word) => self.eat_word(word),
            None => self.eat_op("}"),
        };
        if is_closed { Ok(Lambda { params, body }) } else { Err(self.unexpected()) }
    }

    /// The pieces of a text with interpolation.
    pub(super) fn pieces(&mut self, parts: &[Part]) -> Read<Vec<Expr>> {
        let line = self.line();
        let mut out = Vec::new();
        for part in parts {
            out.push(match part {
                Part::Text(text) => self.node(line, Kind::Str(text.as_str().into()))?,
                Part::Code(tokens) => self.deeper(|p| {
                    let mut inner = Parser {
                        tokens,
                        at: 0,
                        depth: p.depth,
                        is_lenient: p.is_lenient,
                        locals: std::mem::take(&mut p.locals),
                        no_do: false,
                    };
                    let done = inner.statements();
                    let is_end = matches!(inner.kind(), Tok::Eof);
                    let fault = inner.unexpected();
                    p.locals = inner.locals;
                    if is_end { done } else { Err(fault) }
                })?,
            });
        }
        Ok(out)
    }
}

fn is_place(kind: &Kind) -> bool {
    match kind {
        Kind::Name(_) | Kind::Ivar(_) | Kind::Gvar(_) | Kind::Const(_) => true,
        Kind::Call(call) => {
            &*call.name == "[]" || call.args.is_empty() && call.block.is_none() && call.receiver.is_some()
        }
        _ => false,
    }
}
