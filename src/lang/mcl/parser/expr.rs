//! Expressions, by precedence climbing.

use super::{Parsed, Parser};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{BinaryOp, ExprId, ExprKind, Name};
use crate::lang::mcl::lexer::{Keyword, Kind};
use crate::source::Span;

/// Levels of binding, loosest first; the postfix forms bind tighter than all of them.
const EXCEPT: u8 = 1;
const TIGHTER_THAN_EXCEPT: u8 = 2;
const COMPARISON: u8 = 4;

/// The level of an operator between two operands.
fn level(kind: Kind) -> Option<(u8, Option<BinaryOp>)> {
    Some(match kind {
        Kind::Except => (EXCEPT, None),
        Kind::Keyword(Keyword::Or) => (2, Some(BinaryOp::Or)),
        Kind::Keyword(Keyword::And) => (3, Some(BinaryOp::And)),
        Kind::Lt => (COMPARISON, Some(BinaryOp::Lt)),
        Kind::Gt => (COMPARISON, Some(BinaryOp::Gt)),
        Kind::Le => (COMPARISON, Some(BinaryOp::Le)),
        Kind::Ge => (COMPARISON, Some(BinaryOp::Ge)),
        Kind::Eq => (COMPARISON, Some(BinaryOp::Eq)),
        Kind::Ne => (COMPARISON, Some(BinaryOp::Ne)),
        Kind::Keyword(Keyword::In) => (COMPARISON, Some(BinaryOp::In)),
        Kind::Plus => (5, Some(BinaryOp::Add)),
        Kind::Minus => (5, Some(BinaryOp::Sub)),
        Kind::Star => (6, Some(BinaryOp::Mul)),
        Kind::Slash => (6, Some(BinaryOp::Div)),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.deeper(|this| this.binary(EXCEPT))
    }

    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let start = self.span();
        let mut left = self.unary()?;
        let mut compared = None;
        while let Some((level, op)) = level(self.kind()).filter(|(level, _)| *level >= least) {
            let op_span = self.span();
            if level == COMPARISON && compared.replace(op_span).is_some() {
                let wrong = self.wrong("the end of the comparison");
                return self.refuse(wrong.help("comparisons do not chain; use parentheses or `and`"));
            }
            self.at += 1;
            let right = self.binary(level + 1)?;
            let kind = match op {
                Some(op) => ExprKind::Binary { op, op_span, left, right },
                None => ExprKind::Except { value: left, default: right },
            };
            left = self.expr_node(kind, start);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        if self.is(Keyword::Not) {
            self.at += 1;
            let inner = self.deeper(Self::unary)?;
            return Ok(self.expr_node(ExprKind::Not(inner), start));
        }
        let primary = self.primary()?;
        self.postfix(primary, start)
    }

    /// `value[index]` and `value->field`, as often as they come.
    fn postfix(&mut self, mut value: ExprId, start: Span) -> Parsed<ExprId> {
        loop {
            if self.take(Kind::OpenBracket) {
                let index = self.expr()?;
                self.expect(Kind::CloseBracket)?;
                value = self.expr_node(ExprKind::Index { value, index }, start);
            } else if self.take(Kind::Arrow) {
                let field = self.identifier("the name of a field")?;
                let kind = match self.take(Kind::Except) {
                    true => ExprKind::FieldOr {
                        value,
                        field,
                        default: self.deeper(|this| this.binary(TIGHTER_THAN_EXCEPT))?,
                    },
                    false => ExprKind::Field { value, field },
                };
                value = self.expr_node(kind, start);
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let kind = match self.kind() {
            Kind::Keyword(Keyword::True | Keyword::False) => {
                let value = self.is(Keyword::True);
                self.at += 1;
                ExprKind::Bool(value)
            }
            Kind::Integer => self.integer()?,
            Kind::Float => {
                let value = self.word().parse().unwrap_or(f64::INFINITY);
                self.at += 1;
                ExprKind::Float(value)
            }
            Kind::String => {
                let raw = &self.text[start.start as usize + 1..start.end as usize - 1];
                self.at += 1;
                ExprKind::Str(raw.into())
            }
            Kind::OpenBracket => {
                self.at += 1;
                ExprKind::List(self.list(Kind::CloseBracket, "an element", Self::expr)?)
            }
            Kind::OpenCurly => {
                self.at += 1;
                ExprKind::Map(self.list(Kind::CloseCurly, "a key", |this| {
                    let key = this.expr()?;
                    this.expect(Kind::Rocket)?;
                    Ok((key, this.expr()?))
                })?)
            }
            Kind::Keyword(Keyword::Struct) => {
                self.at += 1;
                self.expect(Kind::OpenCurly)?;
                ExprKind::Struct(self.list(Kind::CloseCurly, "a field", Self::struct_field)?)
            }
            Kind::OpenParen => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(Kind::CloseParen)?;
                ExprKind::Paren(inner)
            }
            Kind::Dollar => self.variable()?,
            Kind::Keyword(Keyword::If) => self.if_expr()?,
            Kind::Keyword(Keyword::Func) => return self.lambda(),
            Kind::Identifier | Kind::Keyword(Keyword::Map | Keyword::Collect) => self.call()?,
            _ => return self.no_expression(),
        };
        Ok(self.expr_node(kind, start))
    }

    fn integer(&mut self) -> Parsed<ExprKind> {
        let Ok(value) = self.word().parse() else {
            let span = self.span();
            let wrong = Diagnostic::error(Code::NumberOverflow, span)
                .label("whole numbers lie between -9223372036854775808 and 9223372036854775807")
                .help("use a float, or a text");
            return self.refuse(wrong);
        };
        self.at += 1;
        Ok(ExprKind::Int(value))
    }

    fn struct_field(&mut self) -> Parsed<(Name, ExprId)> {
        let name = match self.kind() {
            Kind::Identifier => self.identifier("the name of a field")?,
            _ => return self.unexpected("the name of a field"),
        };
        self.expect(Kind::Rocket)?;
        Ok((name, self.expr()?))
    }

    /// `$a.b`, or a call of the function in it.
    fn variable(&mut self) -> Parsed<ExprKind> {
        let start = self.expect(Kind::Dollar)?;
        let mut name = self.dotted("the name of a variable")?;
        name.span = self.since(start);
        if self.take(Kind::OpenParen) {
            return Ok(ExprKind::CallVar { func: name, args: self.args()? });
        }
        Ok(ExprKind::Var(name))
    }

    /// `a.b(args)`
    fn call(&mut self) -> Parsed<ExprKind> {
        let func = self.dotted("the name of a function")?;
        if self.kind() != Kind::OpenParen {
            let wrong = self.wrong("`(`");
            return self.refuse(
                wrong.help(format!("a variable is written `${0}`, a text `\"{0}\"`, a call `{0}()`", func.text)),
            );
        }
        self.at += 1;
        Ok(ExprKind::Call { func, args: self.args()? })
    }

    pub(super) fn args(&mut self) -> Parsed<Vec<ExprId>> {
        self.list(Kind::CloseParen, "an argument", Self::expr)
    }

    /// `if c { a } else { b }`
    fn if_expr(&mut self) -> Parsed<ExprKind> {
        self.at += 1;
        let condition = self.expr()?;
        let then = self.braced()?;
        if !self.is(Keyword::Else) {
            let wrong = self.wrong("`else`");
            return self.refuse(wrong.help(
                "an `if` that gives a value needs both branches: `if c { a } else { b }`, with `} else {` on one line",
            ));
        }
        self.at += 1;
        let otherwise = self.braced()?;
        Ok(ExprKind::If { condition, then, otherwise })
    }

    /// `{ expr }`; line breaks may stand around the expression.
    pub(super) fn braced(&mut self) -> Parsed<ExprId> {
        self.expect(Kind::OpenCurly)?;
        self.newlines();
        let inner = self.expr()?;
        self.newlines();
        self.expect(Kind::CloseCurly)?;
        Ok(inner)
    }

    /// `func(params) [type] { body }`, called at once where `(` follows.
    fn lambda(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        self.at += 1;
        let params = self.params()?;
        let returns = self.note()?;
        let body = self.braced()?;
        let func = self.expr_node(ExprKind::Lambda { params, returns, body }, start);
        if !self.take(Kind::OpenParen) {
            return Ok(func);
        }
        let args = self.args()?;
        Ok(self.expr_node(ExprKind::CallLambda { func, args }, start))
    }

    fn no_expression(&mut self) -> Parsed<ExprId> {
        let wrong = self.wrong("an expression");
        let wrong = match self.kind() {
            Kind::Minus => wrong.help("a sign belongs to a number without a space; for others write `0 - $x`"),
            Kind::Newline => {
                wrong.help("an expression goes on over lines only inside brackets that open before a line break")
            }
            Kind::Capitalized => wrong.help("names in expressions are lower case"),
            _ => wrong,
        };
        self.refuse(wrong)
    }
}
