//! Parses expressions: operators by precedence, suffixes of a value (`[i]`, `->field`), and values.

use super::{Parsed, Parser};
use crate::lang::mcl::ast::{BinaryOp, ExprId, ExprKind, Name, Param, TypeNote};
use crate::lang::mcl::habit;
use crate::lang::mcl::lexer::{Token, TokenKind as T};

/// How tightly operators bind, loosest first. `not` and suffixes bind tighter than all of these.
const EXCEPT: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 4;
const ADD: u8 = 5;
const MULTIPLY: u8 = 6;

/// The operator of a token, `None` for `<|>`, and how tightly it binds.
fn operator(kind: T) -> Option<(Option<BinaryOp>, u8)> {
    Some(match kind {
        T::Default => (None, EXCEPT),
        T::Or => (Some(BinaryOp::Or), OR),
        T::And => (Some(BinaryOp::And), AND),
        T::Eq => (Some(BinaryOp::Eq), COMPARE),
        T::Ne => (Some(BinaryOp::Ne), COMPARE),
        T::Lt => (Some(BinaryOp::Lt), COMPARE),
        T::Gt => (Some(BinaryOp::Gt), COMPARE),
        T::Le => (Some(BinaryOp::Le), COMPARE),
        T::Ge => (Some(BinaryOp::Ge), COMPARE),
        T::In => (Some(BinaryOp::In), COMPARE),
        T::Plus => (Some(BinaryOp::Add), ADD),
        T::Minus => (Some(BinaryOp::Sub), ADD),
        T::Multiply => (Some(BinaryOp::Mul), MULTIPLY),
        T::Divide => (Some(BinaryOp::Div), MULTIPLY),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.binary(EXCEPT)
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        self.enter()?;
        let start = self.token();
        let mut left = self.unary()?;
        let mut compared = false;
        while let Some((op, binds)) = operator(self.kind()) {
            if binds < least {
                break;
            }
            if binds == COMPARE && compared {
                let help = Some("comparisons cannot be chained: use parentheses, or combine two with `and`");
                return Err(self.unexpected_help("the end of the expression", help));
            }
            compared = binds == COMPARE;
            let op_token = self.bump();
            let right = self.binary(binds + 1)?;
            left = self.joined(op, op_token, left, right, start)?;
        }
        self.leave();
        Ok(left)
    }

    fn joined(
        &mut self,
        op: Option<BinaryOp>,
        op_token: Token,
        left: ExprId,
        right: ExprId,
        start: Token,
    ) -> Parsed<ExprId> {
        let kind = match op {
            Some(op) => ExprKind::Binary { op, op_span: self.span(op_token), left, right },
            None => ExprKind::Except { value: left, default: right },
        };
        self.alloc(kind, start)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        if self.kind() != T::Not {
            return self.postfix();
        }
        self.enter()?;
        let start = self.bump();
        let value = self.unary()?;
        self.leave();
        self.alloc(ExprKind::Not(value), start)
    }

    /// A value and the lookups into it.
    fn postfix(&mut self) -> Parsed<ExprId> {
        let start = self.token();
        let mut value = self.value()?;
        loop {
            let kind = match self.kind() {
                T::OpenBrack => self.index(value)?,
                T::Arrow => self.field(value)?,
                _ => return Ok(value),
            };
            value = self.alloc(kind, start)?;
        }
    }

    fn index(&mut self, value: ExprId) -> Parsed<ExprKind> {
        let open = self.bump();
        let index = self.expr()?;
        if !self.eat(T::CloseBrack) {
            return Err(self.unclosed("`]`", open));
        }
        Ok(ExprKind::Index { value, index })
    }

    /// `->field`, and its default with everything that binds tighter than `<|>`.
    fn field(&mut self, value: ExprId) -> Parsed<ExprKind> {
        self.bump();
        let field = self.ident("a field's name")?;
        if !self.eat(T::Default) {
            return Ok(ExprKind::Field { value, field });
        }
        let default = self.binary(EXCEPT + 1)?;
        Ok(ExprKind::FieldOr { value, field, default })
    }

    fn value(&mut self) -> Parsed<ExprId> {
        let start = self.token();
        let kind = match start.kind {
            T::True | T::False | T::Int | T::Float | T::Str => self.literal(),
            T::OpenBrack => {
                self.bump();
                ExprKind::List(self.list(start, T::CloseBrack, "`]`", Self::expr)?)
            }
            T::OpenCurly => {
                self.bump();
                ExprKind::Map(self.list(start, T::CloseCurly, "`}`", Self::map_entry)?)
            }
            T::Struct => {
                self.bump();
                let open = self.expect(T::OpenCurly, "`{`")?;
                ExprKind::Struct(self.list(open, T::CloseCurly, "`}`", Self::struct_entry)?)
            }
            T::Dollar => self.variable()?,
            T::Func => return self.lambda(),
            T::If => self.if_else()?,
            T::OpenParen => self.paren()?,
            kind if kind.is_name() => self.call()?,
            _ => return Err(self.unexpected("a value")),
        };
        self.alloc(kind, start)
    }

    fn literal(&mut self) -> ExprKind {
        let token = self.bump();
        let text = self.slice(token);
        match token.kind {
            T::True => ExprKind::Bool(true),
            T::False => ExprKind::Bool(false),
            // A number out of range has been reported.
            T::Int => ExprKind::Int(text.parse().unwrap_or(0)),
            T::Float => ExprKind::Float(text.parse().unwrap_or(0.0)),
            _ => ExprKind::Str(text[1..text.len() - 1].into()),
        }
    }

    fn map_entry(&mut self) -> Parsed<(ExprId, ExprId)> {
        let key = self.expr()?;
        if matches!(self.kind(), T::Colon | T::Equals) {
            return Err(self.unexpected_help("`=>`", Some("a map entry is `key => value`")));
        }
        self.expect(T::Rocket, "`=>`")?;
        Ok((key, self.expr()?))
    }

    fn struct_entry(&mut self) -> Parsed<(Name, ExprId)> {
        if self.kind() == T::Str {
            let name = self.slice(self.token()).trim_matches('"');
            let help = format!("struct fields have no quotes, `struct{{{name} => ...}}`; map keys do");
            return Err(self.unexpected_help("a field's name", Some(&help)));
        }
        let field = self.ident("a field's name")?;
        if matches!(self.kind(), T::Colon | T::Equals) {
            let help = format!("a struct field is `{} => value`", field.text);
            return Err(self.unexpected_help("`=>`", Some(&help)));
        }
        self.expect(T::Rocket, "`=>`")?;
        Ok((field, self.expr()?))
    }

    fn paren(&mut self) -> Parsed<ExprKind> {
        let open = self.bump();
        let inner = self.expr()?;
        if !self.eat(T::CloseParen) {
            return Err(self.unclosed("`)`", open));
        }
        Ok(ExprKind::Paren(inner))
    }

    fn variable(&mut self) -> Parsed<ExprKind> {
        let start = self.bump();
        let name = self.dotted(start, "a variable's name")?;
        if self.kind() != T::OpenParen {
            return Ok(ExprKind::Var(name));
        }
        Ok(ExprKind::CallVar { func: name, args: self.args()? })
    }

    fn call(&mut self) -> Parsed<ExprKind> {
        let start = self.token();
        let func = self.dotted(start, "a function's name")?;
        if self.kind() != T::OpenParen {
            return Err(self.bare_word(&func.text));
        }
        Ok(ExprKind::Call { func, args: self.args()? })
    }

    /// `(a, b)`, as in a call.
    pub(super) fn args(&mut self) -> Parsed<Vec<ExprId>> {
        let open = self.expect(T::OpenParen, "`(`")?;
        self.list(open, T::CloseParen, "`)`", Self::expr)
    }

    /// `func(params) [type] { body }`, called at once if arguments follow.
    fn lambda(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let params = self.params()?;
        let (returns, body) = self.function()?;
        let func = self.alloc(ExprKind::Lambda { params, returns, body }, start)?;
        if self.kind() != T::OpenParen {
            return Ok(func);
        }
        let args = self.args()?;
        self.alloc(ExprKind::CallLambda { func, args }, start)
    }

    /// `($a, $b int)`, as in a definition.
    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        let open = self.expect(T::OpenParen, "`(`")?;
        self.list(open, T::CloseParen, "`)`", Self::param)
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.token();
        if self.peek(1) == T::Dollar
            && let Some(ty) = habit::ty(self.slice(start))
        {
            let name = self.tokens.get(self.at + 2).map_or("name", |name| self.slice(*name));
            let help = format!("a type follows its name: `${name} {ty}`");
            return Err(self.unexpected_help("an argument such as `$name`, or `)`", Some(&help)));
        }
        if start.kind.is_name() {
            let help = format!("a parameter starts with a dollar: `${}`", self.slice(start));
            return Err(self.unexpected_help("an argument such as `$name`, or `)`", Some(&help)));
        }
        let name = self.var_name("an argument such as `$name`, or `)`")?;
        let note = if self.at_type() { Some(self.type_note()?) } else { None };
        if note.is_none()
            && self.kind().is_name()
            && let Some(ty) = habit::ty(self.slice(self.token()))
        {
            let help = format!("the type is `{ty}`: `${} {ty}`", name.text);
            return Err(self.unexpected_help("a type", Some(&help)));
        }
        Ok(Param { name, note, span: self.since(start) })
    }

    /// `[type] { body }`: what follows a function's arguments.
    pub(super) fn function(&mut self) -> Parsed<(Option<TypeNote>, ExprId)> {
        let returns = if self.at_type() && self.kind() != T::OpenCurly { Some(self.type_note()?) } else { None };
        if self.kind() == T::Arrow || self.kind() == T::Colon {
            let help = "the return type follows the parentheses, without a sign: `func name($x int) int { ... }`";
            return Err(self.unexpected_help("`{`", Some(help)));
        }
        let body = self.braced("a function body is one expression")?;
        Ok((returns, body))
    }

    fn if_else(&mut self) -> Parsed<ExprKind> {
        self.bump();
        let condition = self.expr()?;
        let then = self.braced("a branch is one expression here")?;
        if self.kind() == T::Ident {
            return Err(self.unexpected("`else`"));
        }
        if self.kind() != T::Else {
            let help = "an `if` expression needs both branches: `if c { a } else { b }`";
            return Err(self.unexpected_help("`else`", Some(help)));
        }
        self.bump();
        if self.kind() == T::If {
            return Err(self.else_if());
        }
        let else_part = self.braced("a branch is one expression here")?;
        Ok(ExprKind::If { condition, then, else_part })
    }

    /// `{ expr }`, with optional line breaks.
    fn braced(&mut self, rule: &str) -> Parsed<ExprId> {
        let open = self.expect(T::OpenCurly, "`{`")?;
        self.skip_newlines();
        if self.kind() == T::CloseCurly {
            return Err(self.unexpected_help("a value", Some(rule)));
        }
        let value = self.expr()?;
        let ended = self.kind() == T::Newline;
        self.skip_newlines();
        if self.eat(T::CloseCurly) {
            return Ok(value);
        }
        if ended || self.kind() == T::Equals {
            return Err(self.unexpected_help("`}`", Some(rule)));
        }
        Err(self.unclosed("`}`", open))
    }
}
