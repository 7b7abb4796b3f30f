//! The tree of an mcl program: arenas of statements and expressions, addressed by small ids, each with its span.
//!
//! One [`Ast`] contains every file of a program, so that an id is unique in the program and later stages store their
//! results in side tables. Dropping a tree needs no stack, however deep it is.

use std::sync::Arc;

use la_arena::{Arena, Idx, RawIdx};
use smol_str::SmolStr;

use super::types::Type;
use crate::source::{FileId, Span};

/// The id of an expression, unique in the program.
pub type ExprId = Idx<Expr>;
/// The id of a statement, unique in the program.
pub type StmtId = Idx<Stmt>;
/// The id of a block, unique in the program.
pub type BlockId = Idx<Block>;

/// All trees of a program.
#[derive(Debug, Default)]
pub struct Ast {
    pub exprs: Arena<Expr>,
    pub stmts: Arena<Stmt>,
    pub blocks: Arena<Block>,
}

/// A parsed file.
#[derive(Clone, Debug)]
pub struct File {
    pub file: FileId,
    pub body: BlockId,
    /// In order of position; `#` included, line break not.
    pub comments: Vec<Span>,
}

/// Statements between braces, or a whole file.
#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<StmtId>,
    pub span: Span,
}

/// A name with its place; a variable's `$` is in the span and not in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: SmolStr,
    pub span: Span,
}

/// A type as written, with its place.
#[derive(Clone, Debug)]
pub struct TypeNote {
    pub ty: Arc<Type>,
    pub span: Span,
}

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The form of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `$name [type] = expr`
    Bind {
        name: Name,
        note: Option<TypeNote>,
        value: ExprId,
    },
    /// `if cond { then } [else { otherwise }]`
    If {
        condition: ExprId,
        then: BlockId,
        else_part: Option<BlockId>,
    },
    /// `for $index, $value in list { body }`
    For {
        index: Name,
        value: Name,
        list: ExprId,
        body: BlockId,
    },
    /// `forkv $key, $value in map { body }`
    ForKv {
        key: Name,
        value: Name,
        map: ExprId,
        body: BlockId,
    },
    /// `func name(params) [type] { body }`
    Func {
        name: Name,
        params: Vec<Param>,
        returns: Option<TypeNote>,
        body: ExprId,
    },
    /// `class name[:inner] [(params)] { body }`. `path` holds every part of the name; after `interpolate` has nested
    /// `class a:b` into `class a` it has one.
    Class {
        path: Vec<Name>,
        params: Vec<Param>,
        body: BlockId,
    },
    /// `include name[(args)] [as alias]`
    Include {
        class: Dotted,
        args: Vec<ExprId>,
        alias: Option<Name>,
    },
    /// `import "name" [as alias | as *]`
    Import {
        name: SmolStr,
        name_span: Span,
        alias: ImportAlias,
    },
    /// `panic(args)`
    Panic {
        args: Vec<ExprId>,
    },
    Resource(Resource),
    /// `collect kind name { overrides }`
    Collect(Resource),
    /// `Kind["a"] -> Kind["b"] -> ...`
    Edge {
        halves: Vec<EdgeHalf>,
    },
}

/// How an import's names are reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportAlias {
    /// By the last part of its name.
    None,
    As(Name),
    /// `as *`
    Star,
}

/// `$name [type]` in a definition.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub note: Option<TypeNote>,
    pub span: Span,
}

/// `a.b.c`, as written in calls, variables and includes; `text` is joined with dots. A variable's `$` is in the span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dotted {
    pub text: SmolStr,
    pub span: Span,
}

/// A resource statement: `kind name { items }`.
#[derive(Clone, Debug)]
pub struct Resource {
    /// `a:b` joined with colons.
    pub kind: Name,
    pub name: ExprId,
    pub items: Vec<ResourceItem>,
}

/// An item of a resource's body, with its condition and place.
#[derive(Clone, Debug)]
pub struct ResourceItem {
    pub kind: ItemKind,
    /// `cond ?: ...`: the item counts only if this is true.
    pub condition: Option<ExprId>,
    pub span: Span,
}

/// The form of an item in a resource's body.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `field => value`
    Field { name: Name, value: ExprId },
    /// `Before|Depend|Notify|Listen => Kind["name"]`
    Edge { relation: Relation, half: EdgeHalf },
    /// `Meta:param => value`
    Meta { param: Name, value: ExprId },
    /// `Meta => struct{...}`
    MetaStruct { value: ExprId },
}

/// The word of an edge between two resources: `Before`, `Depend`, `Notify` or `Listen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Before,
    Depend,
    Notify,
    Listen,
}

/// `Kind["name"]` or `Kind["name"].field`
#[derive(Clone, Debug)]
pub struct EdgeHalf {
    /// In lower case, joined with colons.
    pub kind: Name,
    pub name: ExprId,
    pub field: Option<Name>,
    pub span: Span,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// The form of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A literal. Right after parsing it is the raw text between the quotes; `interpolate` decodes its escapes, and
    /// turns one with variables into [`ExprKind::Interpolated`].
    Str(SmolStr),
    /// `"text ${name} text"`: parts in order, each a [`ExprKind::Str`] or a [`ExprKind::Var`]. Always a `str`; each
    /// part must be one.
    Interpolated(Vec<ExprId>),
    List(Vec<ExprId>),
    Map(Vec<(ExprId, ExprId)>),
    Struct(Vec<(Name, ExprId)>),
    /// `name(args)`, a function by name.
    Call {
        func: Dotted,
        args: Vec<ExprId>,
    },
    /// `$name(args)`, a function in a variable.
    CallVar {
        func: Dotted,
        args: Vec<ExprId>,
    },
    /// `func(params) {..}(args)`: `func` is an [`ExprKind::Lambda`].
    CallLambda {
        func: ExprId,
        args: Vec<ExprId>,
    },
    /// `$a.b`
    Var(Dotted),
    /// `func(params) [type] { body }`
    Lambda {
        params: Vec<Param>,
        returns: Option<TypeNote>,
        body: ExprId,
    },
    If {
        condition: ExprId,
        then: ExprId,
        else_part: ExprId,
    },
    Binary {
        op: BinaryOp,
        op_span: Span,
        left: ExprId,
        right: ExprId,
    },
    Not(ExprId),
    /// `list[index]`, `map[key]`
    Index {
        value: ExprId,
        index: ExprId,
    },
    /// `value->field`
    Field {
        value: ExprId,
        field: Name,
    },
    /// `value->field <|> default`: the type decides, not a failure.
    FieldOr {
        value: ExprId,
        field: Name,
        default: ExprId,
    },
    /// `value <|> default`: the default if the value fails.
    Except {
        value: ExprId,
        default: ExprId,
    },
    /// `( inner )`; kept for the formatter, ignored by every other stage.
    Paren(ExprId),
    /// Replaces something that could not be parsed; a diagnostic has been given.
    Broken,
}

/// An operator with a left and a right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
    In,
}

impl ExprKind {
    /// Calls `each` with every direct child, in order of position.
    pub fn each_child(&self, mut each: impl FnMut(ExprId)) {
        match self {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::Broken => {}
            ExprKind::Interpolated(items) | ExprKind::List(items) => items.iter().copied().for_each(each),
            ExprKind::Call { args, .. } | ExprKind::CallVar { args, .. } => args.iter().copied().for_each(each),
            ExprKind::Map(entries) => entries.iter().for_each(|(key, value)| {
                each(*key);
                each(*value);
            }),
            ExprKind::Struct(fields) => fields.iter().for_each(|(_, value)| each(*value)),
            ExprKind::CallLambda { func, args } => std::iter::once(func).chain(args).copied().for_each(each),
            ExprKind::Lambda { body: inner, .. }
            | ExprKind::Not(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Field { value: inner, .. } => each(*inner),
            ExprKind::If { condition, then, else_part } => [*condition, *then, *else_part].into_iter().for_each(each),
            ExprKind::Binary { left, right, .. } => [*left, *right].into_iter().for_each(each),
            ExprKind::Index { value, index } => [*value, *index].into_iter().for_each(each),
            ExprKind::FieldOr { value, default, .. } | ExprKind::Except { value, default } => {
                [*value, *default].into_iter().for_each(each)
            }
        }
    }
}

impl BinaryOp {
    /// Returns the operator as it is written in a program.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::In => "in",
        }
    }
}

impl Ast {
    /// Skips parentheses.
    pub fn inner(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self.exprs[expr].kind {
            expr = inner;
        }
        expr
    }
}

/// A point in the construction of a tree: later nodes can be walked without walking all earlier files.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    exprs: u32,
    stmts: u32,
}

impl Mark {
    /// Marks the current end of the tree.
    pub fn of(ast: &Ast) -> Self {
        Self { exprs: ast.exprs.len() as u32, stmts: ast.stmts.len() as u32 }
    }

    /// Returns the expressions that were added after the mark.
    pub fn exprs(self, ast: &Ast) -> impl Iterator<Item = ExprId> + use<> {
        (self.exprs..ast.exprs.len() as u32).map(|raw| Idx::from_raw(RawIdx::from(raw)))
    }

    /// Returns the statements that were added after the mark.
    pub fn stmts(self, ast: &Ast) -> impl Iterator<Item = StmtId> + use<> {
        (self.stmts..ast.stmts.len() as u32).map(|raw| Idx::from_raw(RawIdx::from(raw)))
    }
}
