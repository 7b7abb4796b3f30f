//! The types. A [`Ty`] is cheap to clone and compares by structure.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::model::Hooks;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::Value;

/// A type, shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ty(Arc<Type>);

impl Deref for Ty {
    type Target = Type;
    fn deref(&self) -> &Type {
        &self.0
    }
}

impl From<Type> for Ty {
    fn from(ty: Type) -> Self {
        Self(Arc::new(ty))
    }
}

/// From and to how many; `i64::MAX` is no upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    pub from: i64,
    pub to: i64,
}

impl Size {
    /// Any number.
    pub const ANY: Size = Size { from: 0, to: i64::MAX };

    /// Makes a size that is one number.
    pub fn exactly(count: usize) -> Self {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Self { from: count, to: count }
    }
}

/// A type of the language, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Any,
    Unit,
    Undef,
    Default,
    Scalar,
    ScalarData,
    Numeric,
    Data,
    RichData,
    RichDataKey,
    /// `i64::MIN` and `i64::MAX` are no bounds.
    Integer(i64, i64),
    /// Bits of the bounds; infinities are no bounds.
    Float(Bound, Bound),
    /// `String[from, to]`.
    String(Size),
    /// `String['x']`.
    Literal(Text),
    Boolean(Option<bool>),
    Enum {
        values: Vec<Text>,
        ignores_case: bool,
    },
    /// Sources of regular expressions.
    Pattern(Vec<Text>),
    Regexp(Option<Text>),
    /// Nanoseconds; the extremes of `i128` are no bounds.
    Timespan(i128, i128),
    Timestamp(i128, i128),
    /// Texts of ranges.
    SemVer(Vec<Text>),
    SemVerRange,
    Binary,
    /// Parts that have to match, by name.
    Uri(Vec<(Text, Value)>),
    Collection(Size),
    Array(Ty, Size),
    Tuple(Vec<Ty>, Option<Size>),
    Hash(Ty, Ty, Size),
    Struct(Vec<Member>),
    Iterable(Ty),
    Iterator(Ty),
    Variant(Vec<Ty>),
    Optional(Ty),
    NotUndef(Ty),
    /// `Type[T]`.
    Meta(Ty),
    Callable(Option<Callable>),
    Sensitive(Ty),
    Init(Option<Ty>, Vec<Value>),
    /// Without an object type: `Object` itself.
    Object(Option<Arc<ObjectType>>),
    TypeSet(Option<Arc<TypeSet>>),
    Reference(Text),
    Alias(Arc<TypeAlias>),
    Runtime(Option<Text>, Option<Text>),
    CatalogEntry,
    /// The type's name in lower case, and a title.
    Resource(Option<Text>, Option<Text>),
    Class(Option<Text>),
    Deferred,
    Error,
}

impl Type {
    /// The types that it is directly made of. An alias and an object have none.
    pub fn inner(&self) -> impl Iterator<Item = &Ty> {
        let (types, members, others): (&[Ty], &[Member], [Option<&Ty>; 2]) = match self {
            Type::Tuple(types, _) | Type::Variant(types) => (types, &[], [None; 2]),
            Type::Struct(members) => (&[], members, [None; 2]),
            Type::Hash(key, item, _) => (&[], &[], [Some(key), Some(item)]),
            Type::Array(inner, _)
            | Type::Iterable(inner)
            | Type::Iterator(inner)
            | Type::Optional(inner)
            | Type::NotUndef(inner)
            | Type::Meta(inner)
            | Type::Sensitive(inner)
            | Type::Init(Some(inner), _) => (&[], &[], [Some(inner), None]),
            Type::Callable(Some(Callable { params, block, returns, .. })) => {
                (params, &[], [block.as_ref(), returns.as_ref()])
            }
            _ => (&[], &[], [None; 2]),
        };
        types.iter().chain(members.iter().map(|member| &member.ty)).chain(others.into_iter().flatten())
    }
}

/// A float as a bound, compared by its bits.
#[derive(Clone, Copy, Debug)]
pub struct Bound(pub f64);

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Bound {}

impl Hash for Bound {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A member of a Struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub name: Text,
    pub is_optional: bool,
    /// Written as `NotUndef['name']`.
    pub is_not_undef: bool,
    pub ty: Ty,
}

/// The parameters of a Callable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Callable {
    /// The parameters as a tuple.
    pub params: Vec<Ty>,
    pub size: Option<Size>,
    pub block: Option<Ty>,
    pub returns: Option<Ty>,
}

/// A named type that is resolved when it is used.
#[derive(Debug)]
pub struct TypeAlias {
    pub name: Text,
    /// Empty until it is resolved.
    pub resolved: OnceLock<Ty>,
}

impl PartialEq for TypeAlias {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TypeAlias {}

impl Hash for TypeAlias {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The kind of an attribute of an Object type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeKind {
    Normal,
    Constant,
    Derived,
    GivenOrDerived,
    Reference,
}

/// An attribute of an Object type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    pub name: Text,
    pub ty: Ty,
    pub kind: AttributeKind,
    pub value: Option<Value>,
    pub is_final: bool,
    pub overrides: bool,
}

impl Attribute {
    /// One that every object has a value of its own for.
    pub fn plain(name: Text, ty: Ty) -> Self {
        Self { name, ty, kind: AttributeKind::Normal, value: None, is_final: false, overrides: false }
    }
}

/// An Object type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectType {
    pub name: Option<Text>,
    pub parent: Option<Ty>,
    pub type_parameters: Vec<(Text, Value)>,
    /// The type parameters that are set, as in `T['x']`.
    pub params: Vec<(Text, Value)>,
    pub attributes: Vec<Attribute>,
    pub functions: Vec<(Text, Ty)>,
    pub equality: Option<Vec<Text>>,
    pub equality_includes_type: bool,
    /// The init hash as written, for printing.
    pub init: Vec<(Text, Value)>,
    /// Of a type with features, its model.
    pub arm: Option<Hooks>,
}

impl ObjectType {
    /// A type whose objects are made by the compiler only.
    pub fn opaque(name: Text, parent: Option<Ty>, arm: Option<Hooks>) -> Self {
        Self {
            name: Some(name),
            parent,
            type_parameters: Vec::new(),
            params: Vec::new(),
            attributes: Vec::new(),
            functions: Vec::new(),
            equality: None,
            equality_includes_type: true,
            init: Vec::new(),
            arm,
        }
    }
}

/// A TypeSet: named types with a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeSet {
    pub name: Option<Text>,
    pub version: Text,
    pub types: Vec<(Text, Ty)>,
    pub init: Vec<(Text, Value)>,
}

/// The name under which an object prints.
pub fn object_name(ty: &Ty) -> Text {
    match &**ty {
        Type::Object(Some(object)) => object.name.clone().unwrap_or_else(|| ty.to_string().into()),
        _ => ty.to_string().into(),
    }
}
