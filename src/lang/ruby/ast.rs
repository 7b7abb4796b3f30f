//! The tree of Ruby's text, as far as it is read.

use std::sync::Arc;

use crate::lang::ruby::Text;

/// An expression or statement with its line, from 1.
#[derive(Debug)]
pub struct Expr {
    pub line: u32,
    /// How deep it is nested, itself included.
    pub height: u16,
    pub kind: Kind,
}

/// The form of an expression or statement.
#[derive(Debug)]
pub enum Kind {
    Nil,
    Bool(bool),
    Myself,
    Int(i64),
    Float(f64),
    Str(Text),
    Symbol(Text),
    /// A text with interpolation.
    Interpolated(Vec<Expr>),
    SymbolOf(Vec<Expr>),
    /// A pattern and its options.
    Regexp(Vec<Expr>, Text),
    Array(Vec<Expr>),
    Hash(Vec<(Expr, Expr)>),
    Range {
        from: Option<Box<Expr>>,
        to: Option<Box<Expr>>,
        excludes_end: bool,
    },
    /// A local variable, or a method without arguments.
    Name(Text),
    Ivar(Text),
    Gvar(Text),
    /// `A::B`
    Const(Text),
    Assign(Box<Expr>, Box<Expr>),
    /// `a += 1`, `a ||= 1`
    Change(&'static str, Box<Expr>, Box<Expr>),
    /// `a, b = c`
    Spread(Vec<Expr>, Box<Expr>),
    Call(Box<Call>),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Defined(Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The condition, the body; with `true` it runs until the condition holds.
    While(Box<Expr>, Box<Expr>, bool),
    Case(Option<Box<Expr>>, Vec<(Vec<Expr>, Expr)>, Box<Expr>),
    /// What is tried, and what is done where it fails.
    Rescue(Box<Expr>, Box<Expr>),
    For(Vec<Param>, Box<Expr>, Box<Expr>),
    Block(Vec<Expr>),
    /// `*a` among arguments.
    Splat(Box<Expr>),
    Lambda(Arc<Lambda>),
    Break(Option<Box<Expr>>),
    Next(Option<Box<Expr>>),
    Return(Option<Box<Expr>>),
    /// Text of a template.
    Text(Text),
    /// `<%= … %>`
    Output(Box<Expr>),
    /// `def self.title_patterns`: what it gives.
    TitlePatterns(Box<Expr>),
    /// `def a(b) … end`
    Def(Text, Arc<Lambda>),
    /// What is passed over: a definition, or something that is no Ruby we know.
    Unread(String),
}

/// A call of a method, with or without a receiver.
#[derive(Debug)]
pub struct Call {
    pub receiver: Option<Expr>,
    pub name: Text,
    pub args: Vec<Expr>,
    pub block: Option<Block>,
    /// `&.`
    pub is_safe: bool,
}

/// The block of a call.
#[derive(Debug)]
pub enum Block {
    Code(Arc<Lambda>),
    /// `&:name`, `&value`
    Pass(Expr),
}

/// Code with parameters: the body of a block, a lambda or a method.
#[derive(Debug)]
pub struct Lambda {
    pub params: Vec<Param>,
    pub body: Expr,
}

/// A parameter of a block, a lambda or a method.
#[derive(Debug)]
pub enum Param {
    Name(Text),
    Group(Vec<Param>),
    Rest(Text),
    Optional(Text, Expr),
    /// `&a`
    Block(Text),
}

impl Expr {
    /// The expressions of a sequence; one expression is a sequence of one.
    pub fn statements(&self) -> &[Expr] {
        match &self.kind {
            Kind::Block(list) => list,
            _ => std::slice::from_ref(self),
        }
    }

    /// A text or symbol without interpolation.
    pub fn literal(&self) -> Option<&Text> {
        match &self.kind {
            Kind::Str(text) | Kind::Symbol(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the call, if the expression is one.
    pub fn as_call(&self) -> Option<&Call> {
        match &self.kind {
            Kind::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl Kind {
    /// How deep the parts are nested.
    pub fn height(&self) -> u16 {
        let mut most = 0;
        self.each_part(&mut |part| most = most.max(part.height));
        most
    }

    /// Gives each part to a function.
    pub fn each_part<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        match self {
            Kind::Interpolated(list) | Kind::SymbolOf(list) | Kind::Regexp(list, _) | Kind::Array(list) => {
                list.iter().for_each(see);
            }
            Kind::Block(list) => list.iter().for_each(see),
            Kind::Hash(pairs) => pairs.iter().for_each(|(key, value)| {
                see(key);
                see(value);
            }),
            Kind::Range { from, to, .. } => from.iter().chain(to).for_each(|expr| see(expr)),
            Kind::Assign(a, b)
            | Kind::Change(_, a, b)
            | Kind::Rescue(a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::While(a, b, _) => {
                see(a);
                see(b);
            }
            Kind::Spread(list, value) => {
                list.iter().for_each(&mut *see);
                see(value);
            }
            Kind::Call(call) => {
                call.receiver.iter().chain(&call.args).for_each(&mut *see);
                match &call.block {
                    Some(Block::Code(lambda)) => see(&lambda.body),
                    Some(Block::Pass(expr)) => see(expr),
                    None => {}
                }
            }
            Kind::Not(expr) | Kind::Defined(expr) | Kind::Splat(expr) => see(expr),
            Kind::Output(expr) | Kind::TitlePatterns(expr) => see(expr),
            Kind::If(a, b, c) => [a, b, c].into_iter().for_each(|expr| see(expr)),
            Kind::Case(subject, arms, other) => {
                subject.iter().for_each(|expr| see(expr));
                for (values, body) in arms {
                    values.iter().for_each(&mut *see);
                    see(body);
                }
                see(other);
            }
            Kind::For(_, list, body) => {
                see(list);
                see(body);
            }
            Kind::Lambda(lambda) | Kind::Def(_, lambda) => see(&lambda.body),
            Kind::Break(value) | Kind::Next(value) | Kind::Return(value) => value.iter().for_each(|expr| see(expr)),
            _ => {}
        }
    }
}
