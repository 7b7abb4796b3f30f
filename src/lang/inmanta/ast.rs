//! The program as read: nodes in one arena, shared by every file of a compilation.

use std::sync::Arc;

use super::names::Sym;
use super::token::Compare;
use super::value::Value;
use crate::source::Span;

/// A statement or an expression in [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A list of statements in [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId(pub u32);

/// A namespace; the program numbers them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NsId(pub u32);

/// A name with its place.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub sym: Sym,
    pub span: Span,
}

/// An operator with a left and a right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Compare(Compare),
    In,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

/// Named arguments, and what is spread with `**`.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    pub named: Vec<(Word, NodeId)>,
    pub spread: Vec<NodeId>,
}

/// The form of an expression or statement.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A variable, perhaps with its namespace: `a` or `b::a`.
    Name(Sym),
    Attribute {
        of: NodeId,
        name: Word,
    },
    Lookup {
        map: NodeId,
        key: NodeId,
    },
    IndexLookup {
        class: Word,
        query: Arc<Arguments>,
    },
    ShortIndexLookup {
        of: NodeId,
        relation: Word,
        query: Arc<Arguments>,
    },
    IsDefined {
        of: Option<NodeId>,
        name: Sym,
    },
    Literal(Value),
    List(Vec<NodeId>),
    Dict(Vec<(Arc<str>, NodeId)>),
    /// A string with `{{name}}`: each name, and the text that it replaces.
    Format {
        text: Arc<str>,
        parts: Vec<(NodeId, Arc<str>)>,
    },
    /// An f-string: each name, and the field as it is written.
    FormatStr {
        text: Arc<str>,
        parts: Vec<(NodeId, Arc<str>)>,
    },
    Regex {
        pattern: Arc<str>,
        of: NodeId,
    },
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Binary {
        operator: Operator,
        left: NodeId,
        right: NodeId,
    },
    Not(NodeId),
    Conditional {
        condition: NodeId,
        yes: NodeId,
        no: NodeId,
    },
    Comprehension {
        element: NodeId,
        variable: Sym,
        list: NodeId,
        guard: Option<NodeId>,
    },
    Call {
        name: Word,
        positional: Vec<NodeId>,
        arguments: Arc<Arguments>,
    },
    New {
        class: Word,
        arguments: Arc<Arguments>,
    },
    Spread(NodeId),
    Assign {
        name: Word,
        value: NodeId,
    },
    SetAttribute {
        of: NodeId,
        name: Sym,
        value: NodeId,
        extends: bool,
    },
    For {
        variable: Word,
        list: NodeId,
        body: BlockId,
    },
    If {
        condition: NodeId,
        yes: BlockId,
        no: BlockId,
    },
    /// One `implement` of an entity, run for each instance. Made by the definition stage.
    Implement(u32),
    /// An element that a comprehension's guard leaves out. Made by the definition stage.
    Skipped,
    /// The element of a comprehension, passed on as it is. Made by the definition stage.
    Element(Sym),
}

/// An expression or statement, with its place and the namespace in which its names are resolved.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub span: Span,
    pub ns: NsId,
}

/// Statements in the order in which they are emitted: a nested block is stored last statement first.
#[derive(Clone, Debug)]
pub struct Block {
    pub ns: NsId,
    pub statements: Vec<NodeId>,
}

/// A type as written: a name, perhaps as a list, perhaps nullable.
#[derive(Clone, Debug)]
pub struct TypeName {
    pub base: Word,
    pub is_list: bool,
    pub is_nullable: bool,
}

/// An attribute in the definition of an entity.
#[derive(Clone, Debug)]
pub struct AttributeDef {
    pub declared: TypeName,
    pub name: Word,
    pub default: Option<NodeId>,
}

/// A definition of an entity.
#[derive(Clone, Debug)]
pub struct EntityDef {
    pub name: Word,
    pub parents: Vec<Word>,
    pub attributes: Vec<AttributeDef>,
    pub doc: Option<Arc<str>>,
    pub span: Span,
}

/// A definition of an implementation: a body for the instances of a class.
#[derive(Clone, Debug)]
pub struct ImplementationDef {
    pub name: Word,
    pub class: Word,
    pub body: BlockId,
    pub doc: Option<Arc<str>>,
}

/// An `implement` statement: the implementations of a class, with the condition for them.
#[derive(Clone, Debug)]
pub struct ImplementDef {
    pub class: Word,
    pub implementations: Vec<Word>,
    pub with_parents: bool,
    pub condition: NodeId,
}

/// How many values a relation may hold; no upper bound is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub low: i64,
    pub high: Option<i64>,
}

/// One side of a relation: the class, and the attribute that the *other* class gets for it.
#[derive(Clone, Debug)]
pub struct RelationSide {
    pub class: Word,
    pub attribute: Option<(Word, Bounds)>,
}

/// A definition of a relation between two classes.
#[derive(Clone, Debug)]
pub struct RelationDef {
    pub left: RelationSide,
    pub right: RelationSide,
    pub annotations: Vec<NodeId>,
    pub doc: Option<Arc<str>>,
}

/// A definition of a type: a base type with a condition that its values must meet.
#[derive(Clone, Debug)]
pub struct TypedefDef {
    pub name: Word,
    pub base: Word,
    pub condition: NodeId,
    pub doc: Option<Arc<str>>,
}

/// `typedef Web as Service(port=8080)` of edition 4.
#[derive(Clone, Debug)]
pub struct DefaultsDef {
    pub name: Word,
    pub constructor: NodeId,
}

/// An `index` statement: the attributes that identify an instance of a class.
#[derive(Clone, Debug)]
pub struct IndexDef {
    pub class: Word,
    pub attributes: Vec<Word>,
    pub span: Span,
}

/// An `import` statement, with the name under which the namespace is visible.
#[derive(Clone, Debug)]
pub struct ImportDef {
    pub name: Word,
    pub alias: Word,
    pub span: Span,
}

/// A statement of the top level of a file.
#[derive(Clone, Debug)]
pub enum Top {
    Statement(NodeId),
    Doc(Arc<str>),
    Entity(EntityDef),
    Implementation(ImplementationDef),
    Implement(ImplementDef),
    Relation(RelationDef),
    Typedef(TypedefDef),
    Defaults(DefaultsDef),
    Index(IndexDef),
    Import(ImportDef),
}

/// The nodes and blocks of all files of a compilation.
#[derive(Debug, Default)]
pub struct Ast {
    nodes: Vec<Node>,
    blocks: Vec<Block>,
}

impl Ast {
    /// Adds a node, and returns its id.
    pub fn add(&mut self, kind: Kind, span: Span, ns: NsId) -> NodeId {
        self.nodes.push(Node { kind, span, ns });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a block, and returns its id.
    pub fn add_block(&mut self, ns: NsId, statements: Vec<NodeId>) -> BlockId {
        self.blocks.push(Block { ns, statements });
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Returns a node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Returns the form of a node.
    pub fn kind(&self, id: NodeId) -> &Kind {
        &self.nodes[id.0 as usize].kind
    }

    /// Returns the place of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// Returns a block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// Returns the number of nodes in all files.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of blocks in all files.
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }
}
