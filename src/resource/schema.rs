//! What a kind takes, sends and receives, as data: the source of type checks, `doc` and completion.

/// The type of a parameter or of a sent field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldType {
    Bool,
    Str,
    /// A whole number between two bounds, both included.
    Int {
        min: i64,
        max: u64,
    },
    Float,
    List(&'static FieldType),
    Map(&'static FieldType, &'static FieldType),
    Struct(&'static [(&'static str, FieldType)]),
    Func(&'static [FieldType], &'static FieldType),
    /// Any type; checked when the value is there.
    Any,
}

impl FieldType {
    pub const INT: FieldType = FieldType::Int { min: i64::MIN, max: i64::MAX as u64 };
    pub const I8: FieldType = FieldType::Int { min: i8::MIN as i64, max: i8::MAX as u64 };
    pub const I16: FieldType = FieldType::Int { min: i16::MIN as i64, max: i16::MAX as u64 };
    pub const I32: FieldType = FieldType::Int { min: i32::MIN as i64, max: i32::MAX as u64 };
    pub const U8: FieldType = FieldType::Int { min: 0, max: u8::MAX as u64 };
    pub const U16: FieldType = FieldType::Int { min: 0, max: u16::MAX as u64 };
    pub const U32: FieldType = FieldType::Int { min: 0, max: u32::MAX as u64 };
    pub const U64: FieldType = FieldType::Int { min: 0, max: u64::MAX };
}

/// One parameter of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub ty: FieldType,
    /// Unset differs from the zero value.
    pub optional: bool,
    pub doc: &'static str,
}

/// One kind of resource.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    pub kind: &'static str,
    pub doc: &'static str,
    pub params: &'static [Parameter],
    /// The fields it sends, for send/recv edges.
    pub sends: &'static [(&'static str, FieldType)],
    /// Whether its parameters may receive.
    pub receives: bool,
    pub autoedge: bool,
    pub autogroup: bool,
    /// Whether it can act on a refresh.
    pub refresh: bool,
    pub reverse: bool,
}

impl Schema {
    pub fn param(&self, name: &str) -> Option<&'static Parameter> {
        self.params.iter().find(|p| p.name == name)
    }
}

/// Every kind that is known by name, sorted; the ones with an implementation and the others.
pub static SCHEMAS: &[Schema] = &[];

/// The schema of a kind.
pub fn schema(kind: &str) -> Option<&'static Schema> {
    SCHEMAS.binary_search_by_key(&kind, |s| s.kind).ok().map(|at| &SCHEMAS[at])
}
