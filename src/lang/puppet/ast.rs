//! The tree of a Puppet manifest, close to Puppet's own model so that its rules can be followed name by name.

pub mod arm;

use std::sync::Arc;

use crate::source::Span;

/// A name or a text; shared, because values take it over.
pub type Text = Arc<str>;

/// One expression with the place that Puppet reports for it (a binary operator's place is its operator).
#[derive(Debug)]
pub struct Expr {
    pub span: Span,
    pub kind: Kind,
}

impl Expr {
    /// Makes an expression.
    pub fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// The statements of a block; one expression is a block of one.
    pub fn statements(&self) -> &[Expr] {
        match &self.kind {
            Kind::Block(list) => list,
            Kind::Nop => &[],
            _ => std::slice::from_ref(self),
        }
    }
}

/// The form of an expression.
#[derive(Debug)]
pub enum Kind {
    Nop,
    Undef,
    Default,
    Bool(bool),
    /// The value as written; a value outside of 64 bits is refused by `validate`.
    Int {
        value: i128,
        radix: u8,
    },
    Float(f64),
    Str(Text),
    /// The source between the slashes.
    Regex(Text),
    /// `a::b`, Puppet's QualifiedName.
    Name(Text),
    /// `A::B`, Puppet's QualifiedReference, as written.
    Ref(Text),
    /// `attr` or `private` used as a value.
    Reserved(Text),
    /// Without the dollar.
    Var(Text),
    /// `"a ${b}"`: strings and [`Kind::Text`] in turn.
    Concat(Vec<Expr>),
    /// An interpolated expression.
    Text(Box<Expr>),
    Heredoc {
        syntax: Text,
        text: Box<Expr>,
    },
    Array(Vec<Expr>),
    Hash(Vec<Entry>),
    Paren(Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Unfold(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Assign(AssignOp, Box<Expr>, Box<Expr>),
    /// `a -> b ~> c`: left-associative, flat because chains are long.
    Relation {
        first: Box<Expr>,
        rest: Vec<(RelationOp, Span, Expr)>,
    },
    Access(Box<Expr>, Vec<Expr>),
    /// `a.b` before it becomes a method call.
    Member(Box<Expr>, Box<Expr>),
    Call(Box<Call>),
    Selector(Box<Expr>, Vec<Entry>),
    If {
        unless: bool,
        test: Box<Expr>,
        then: Box<Expr>,
        other: Box<Expr>,
    },
    Case(Box<Expr>, Vec<Choice>),
    Block(Vec<Expr>),
    Lambda(Arc<Lambda>),
    Class(Arc<Definition>),
    Define(Arc<Definition>),
    Node(Arc<NodeDefinition>),
    Function(Arc<Function>),
    TypeAlias(Arc<TypeAlias>),
    TypeMapping(Box<Expr>, Box<Expr>),
    TypeDefinition(Arc<TypeDefinition>),
    ArmType(Arc<arm::Definition>),
    Resource(Box<Resource>),
    Defaults(Box<Defaults>),
    Override(Box<Defaults>),
    Collect(Box<Collect>),
    Epp(Box<Epp>),
    Render(Box<Expr>),
    RenderText(Text),
}

/// `key => value` of a hash or a selector.
#[derive(Debug)]
pub struct Entry {
    pub span: Span,
    pub key: Expr,
    pub value: Expr,
}

/// An operator with a left and a right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    In,
    Match,
    NoMatch,
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    LeftShift,
    RightShift,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Op {
    /// Returns the operator as it is written in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Op::In => "in",
            Op::Match => "=~",
            Op::NoMatch => "!~",
            Op::Multiply => "*",
            Op::Divide => "/",
            Op::Modulo => "%",
            Op::Add => "+",
            Op::Subtract => "-",
            Op::LeftShift => "<<",
            Op::RightShift => ">>",
            Op::Equal => "==",
            Op::NotEqual => "!=",
            Op::Less => "<",
            Op::LessEqual => "<=",
            Op::Greater => ">",
            Op::GreaterEqual => ">=",
        }
    }
}

/// An operator that assigns to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignOp {
    Set,
    Append,
    Delete,
}

impl AssignOp {
    /// Returns the operator as it is written in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            AssignOp::Set => "=",
            AssignOp::Append => "+=",
            AssignOp::Delete => "-=",
        }
    }
}

/// An arrow between resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationOp {
    Before,
    Notify,
    Require,
    Subscribe,
}

impl RelationOp {
    /// Returns the arrow as it is written in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            RelationOp::Before => "->",
            RelationOp::Notify => "~>",
            RelationOp::Require => "<-",
            RelationOp::Subscribe => "<~",
        }
    }
}

/// `f(args) |params| { }` or `receiver.f(args) |params| { }`; of a method, the functor is a [`Kind::Member`].
#[derive(Debug)]
pub struct Call {
    pub functor: Expr,
    pub args: Vec<Expr>,
    pub lambda: Option<Arc<Lambda>>,
    pub lambda_span: Span,
    pub is_method: bool,
    /// Its value is used: not a statement.
    pub is_value: bool,
}

/// An option of a `case` or a selector: its values, and the expression for a match.
#[derive(Debug)]
pub struct Choice {
    pub span: Span,
    pub values: Vec<Expr>,
    pub then: Expr,
}

/// A parameter of a class, define, function or lambda.
#[derive(Debug)]
pub struct Parameter {
    pub span: Span,
    pub name: Text,
    pub ty: Option<Expr>,
    pub value: Option<Expr>,
    pub captures_rest: bool,
}

/// A lambda: `|params| >> returns { body }`.
#[derive(Debug)]
pub struct Lambda {
    pub span: Span,
    pub params: Vec<Parameter>,
    pub returns: Option<Expr>,
    pub body: Expr,
}

/// A class or a define.
#[derive(Debug)]
pub struct Definition {
    pub span: Span,
    pub name: Text,
    pub params: Vec<Parameter>,
    pub parent: Option<Text>,
    pub body: Expr,
}

/// A `node` statement, with the names or patterns of its nodes.
#[derive(Debug)]
pub struct NodeDefinition {
    pub span: Span,
    pub matches: Vec<Expr>,
    pub parent: Option<Expr>,
    pub body: Expr,
}

/// A definition of a function in the language.
#[derive(Debug)]
pub struct Function {
    pub span: Span,
    pub name: Text,
    pub params: Vec<Parameter>,
    pub returns: Option<Expr>,
    pub body: Expr,
}

/// A definition of a type alias: `type name = ty`.
#[derive(Debug)]
pub struct TypeAlias {
    pub span: Span,
    pub name: Text,
    pub ty: Expr,
}

/// `type A { … }` without features, which Puppet refuses.
#[derive(Debug)]
pub struct TypeDefinition {
    pub span: Span,
    pub name: Text,
    pub body: Expr,
}

/// The mark before a resource expression: none, `@` or `@@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Regular,
    Virtual,
    Exported,
}

impl Form {
    /// The form that the mark before the name of a type asks for, and the name itself.
    pub fn of_type(name: &str) -> (Self, Text) {
        let (form, bare) = match (name.strip_prefix("@@"), name.strip_prefix('@')) {
            (Some(bare), _) => (Form::Exported, bare),
            (None, Some(bare)) => (Form::Virtual, bare),
            (None, None) => (Form::Regular, name),
        };
        (form, bare.trim_start_matches("::").into())
    }
}

/// A resource expression: a type with one or more bodies.
#[derive(Debug)]
pub struct Resource {
    pub form: Form,
    pub ty: Expr,
    pub bodies: Vec<Body>,
}

/// A title with its attributes.
#[derive(Debug)]
pub struct Body {
    pub span: Span,
    pub title: Expr,
    pub ops: Vec<Attribute>,
}

/// An attribute operation in a body, a default or an override.
#[derive(Debug)]
pub struct Attribute {
    pub span: Span,
    pub kind: AttributeKind,
    pub value: Expr,
}

/// The form of an attribute operation, with the attribute's name: `=>`, `+>` or `* =>`.
#[derive(Debug)]
pub enum AttributeKind {
    Set(Text),
    Append(Text),
    /// `* => hash`.
    Splat,
}

/// `Type { … }` or `Type[title] { … }`.
#[derive(Debug)]
pub struct Defaults {
    pub form: Form,
    pub target: Expr,
    pub ops: Vec<Attribute>,
}

/// A collector, `Type <| query |>`, with the attributes that it sets.
#[derive(Debug)]
pub struct Collect {
    pub ty: Expr,
    pub exported: bool,
    pub query: Option<Expr>,
    pub ops: Vec<Attribute>,
}

/// A whole EPP template.
#[derive(Debug)]
pub struct Epp {
    pub params: Vec<Parameter>,
    /// It has a parameter list, perhaps an empty one.
    pub has_params: bool,
    pub body: Expr,
}

/// One parsed file.
#[derive(Debug)]
pub struct Program {
    pub body: Expr,
}

impl Expr {
    /// The expression without the parentheses around it.
    pub fn unparenthesised(&self) -> &Expr {
        match &self.kind {
            Kind::Paren(inner) => inner.unparenthesised(),
            _ => self,
        }
    }

    /// This expression and all inside of it, also in lambdas and definitions.
    pub fn all_inside(&self) -> impl Iterator<Item = &Expr> {
        walk(self, Expr::inside)
    }

    /// This expression and all inside of it, without the bodies of lambdas and definitions.
    pub fn all_children(&self) -> impl Iterator<Item = &Expr> {
        walk(self, Expr::children)
    }

    /// The expressions directly inside of one, without the bodies of lambdas.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Concat(list) | Kind::Array(list) | Kind::Block(list) => list.iter().collect(),
            Kind::Text(e) | Kind::Paren(e) | Kind::Not(e) | Kind::Negate(e) | Kind::Unfold(e) | Kind::Render(e) => {
                vec![e]
            }
            Kind::Heredoc { text, .. } => vec![text],
            Kind::Hash(entries) => entries.iter().flat_map(|e| [&e.key, &e.value]).collect(),
            Kind::Binary(_, l, r) | Kind::And(l, r) | Kind::Or(l, r) | Kind::Assign(_, l, r) => vec![l, r],
            Kind::Relation { first, rest } => std::iter::once(&**first).chain(rest.iter().map(|(_, _, e)| e)).collect(),
            Kind::Access(left, keys) => std::iter::once(&**left).chain(keys).collect(),
            Kind::Member(left, _) => vec![left],
            Kind::Call(call) => std::iter::once(&call.functor).chain(&call.args).collect(),
            Kind::Selector(left, entries) => {
                std::iter::once(&**left).chain(entries.iter().flat_map(|e| [&e.key, &e.value])).collect()
            }
            Kind::If { test, then, other, .. } => vec![test, then, other],
            Kind::Case(test, choices) => std::iter::once(&**test)
                .chain(choices.iter().flat_map(|c| c.values.iter().chain(std::iter::once(&c.then))))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// All expressions directly inside of this one, also those of bodies and parameters.
    pub fn inside(&self) -> Vec<&Expr> {
        let mut out = self.children();
        match &self.kind {
            Kind::Class(definition) | Kind::Define(definition) => {
                of_parameters(&definition.params, &mut out);
                out.push(&definition.body);
            }
            Kind::Node(node) => {
                out.extend(&node.matches);
                out.push(&node.body);
            }
            Kind::Function(function) => {
                of_parameters(&function.params, &mut out);
                out.extend(&function.returns);
                out.push(&function.body);
            }
            Kind::TypeAlias(alias) => out.push(&alias.ty),
            Kind::ArmType(definition) => out.extend(definition.inside()),
            Kind::Lambda(lambda) => of_lambda(lambda, &mut out),
            Kind::Call(call) => call.lambda.iter().for_each(|lambda| of_lambda(lambda, &mut out)),
            Kind::Resource(resource) => {
                for body in &resource.bodies {
                    out.push(&body.title);
                    out.extend(body.ops.iter().map(|op| &op.value));
                }
            }
            Kind::Defaults(defaults) | Kind::Override(defaults) => {
                out.push(&defaults.target);
                out.extend(defaults.ops.iter().map(|op| &op.value));
            }
            Kind::Collect(collect) => {
                out.push(&collect.ty);
                out.extend(&collect.query);
                out.extend(collect.ops.iter().map(|op| &op.value));
            }
            Kind::Epp(epp) => {
                of_parameters(&epp.params, &mut out);
                out.push(&epp.body);
            }
            _ => {}
        }
        out
    }
}

impl Call {
    /// The name of the function, if it is written out, and the receiver of a method call.
    pub fn named(&self) -> Option<(&Text, Option<&Expr>)> {
        let (functor, receiver) = match &self.functor.kind {
            Kind::Member(receiver, name) => (&**name, Some(&**receiver)),
            _ => (&self.functor, None),
        };
        if let Kind::Name(name) = &functor.kind { Some((name, receiver)) } else { None }
    }
}

/// An expression and all that `inside` finds below it, the last ones first.
fn walk<'e>(expr: &'e Expr, inside: fn(&'e Expr) -> Vec<&'e Expr>) -> impl Iterator<Item = &'e Expr> {
    let mut open = vec![expr];
    std::iter::from_fn(move || {
        let expr = open.pop()?;
        open.extend(inside(expr));
        Some(expr)
    })
}

fn of_parameters<'e>(params: &'e [Parameter], out: &mut Vec<&'e Expr>) {
    out.extend(params.iter().flat_map(|param| param.ty.iter().chain(&param.value)));
}

fn of_lambda<'e>(lambda: &'e Lambda, out: &mut Vec<&'e Expr>) {
    of_parameters(&lambda.params, out);
    out.extend(&lambda.returns);
    out.push(&lambda.body);
}
