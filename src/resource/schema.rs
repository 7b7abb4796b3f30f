//! The parameters, sent fields and received values of a kind, as data: the source of type checks, `doc` and completion.

mod commands;
pub mod example;
mod files;
mod machine;
mod more;
mod serve;
mod store;
mod test;
mod virt;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::graph::Value;

pub(super) use more::{CRONTAB, ENTRY};
pub(super) use store::EXPORT;

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
    /// Any type, checked when the value is known.
    Any,
}

impl FieldType {
    /// A signed integer of 64 bits.
    pub const INT: FieldType = FieldType::Int { min: i64::MIN, max: i64::MAX as u64 };
    /// A signed integer of 8 bits.
    pub const I8: FieldType = FieldType::Int { min: i8::MIN as i64, max: i8::MAX as u64 };
    /// A signed integer of 16 bits.
    pub const I16: FieldType = FieldType::Int { min: i16::MIN as i64, max: i16::MAX as u64 };
    /// A signed integer of 32 bits.
    pub const I32: FieldType = FieldType::Int { min: i32::MIN as i64, max: i32::MAX as u64 };
    /// An unsigned integer of 8 bits.
    pub const U8: FieldType = FieldType::Int { min: 0, max: u8::MAX as u64 };
    /// An unsigned integer of 16 bits.
    pub const U16: FieldType = FieldType::Int { min: 0, max: u16::MAX as u64 };
    /// An unsigned integer of 32 bits.
    pub const U32: FieldType = FieldType::Int { min: 0, max: u32::MAX as u64 };
    /// An unsigned integer of 64 bits.
    pub const U64: FieldType = FieldType::Int { min: 0, max: u64::MAX };
    /// A list of strings.
    pub const STRS: FieldType = FieldType::List(&FieldType::Str);
    /// A map from strings to strings.
    pub const STR_MAP: FieldType = FieldType::Map(&FieldType::Str, &FieldType::Str);

    /// Whether a plain value is of this type.
    pub fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (FieldType::Any, Value::Unknown | Value::Sensitive(_) | Value::Deferred(_) | Value::Ref(_)) => false,
            (FieldType::Any, Value::List(items)) => items.iter().all(|item| self.takes(item)),
            (FieldType::Any, Value::Map(pairs)) => {
                pairs.iter().all(|(key, value)| self.takes(key) && self.takes(value))
            }
            (FieldType::Any, Value::Struct(fields)) => fields.iter().all(|(_, value)| self.takes(value)),
            (FieldType::Any, _)
            | (FieldType::Bool, Value::Bool(_))
            | (FieldType::Str, Value::Str(_) | Value::Bytes(_))
            | (FieldType::Float, Value::Float(_)) => true,
            (FieldType::Int { min, max }, Value::Int(value)) => {
                value >= min && u64::try_from(*value).map_or(true, |value| value <= *max)
            }
            (FieldType::List(item), Value::List(items)) => items.iter().all(|value| item.takes(value)),
            (FieldType::Map(key, item), Value::Map(pairs)) => {
                pairs.iter().all(|(name, value)| key.takes(name) && item.takes(value))
            }
            (FieldType::Struct(fields), Value::Struct(values)) => {
                let is_alike = |((name, ty), (have, value)): (&(&str, FieldType), &(Arc<str>, Value))| {
                    *name == &**have && ty.takes(value)
                };
                fields.len() == values.len() && fields.iter().zip(values).all(is_alike)
            }
            _ => false,
        }
    }
}

/// In mcl's syntax, with the bounds of whole numbers.
impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldType::Bool => f.write_str("bool"),
            FieldType::Str => f.write_str("str"),
            FieldType::Int { min, max } if (*min, *max) == (i64::MIN, i64::MAX as u64) => f.write_str("int"),
            FieldType::Int { min, max } => write!(f, "int {min}..{max}"),
            FieldType::Float => f.write_str("float"),
            FieldType::List(item) => write!(f, "[]{item}"),
            FieldType::Map(key, value) => write!(f, "map{{{key}: {value}}}"),
            FieldType::Struct(fields) => {
                f.write_str("struct{")?;
                for (at, (name, ty)) in fields.iter().enumerate() {
                    write!(f, "{}{name} {ty}", if at > 0 { "; " } else { "" })?;
                }
                f.write_str("}")
            }
            FieldType::Func(args, result) => {
                f.write_str("func(")?;
                for (at, ty) in args.iter().enumerate() {
                    write!(f, "{}{ty}", if at > 0 { ", " } else { "" })?;
                }
                write!(f, ") {result}")
            }
            FieldType::Any => f.write_str("any"),
        }
    }
}

/// One parameter of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub ty: FieldType,
    /// Unset differs from the zero value.
    pub optional: bool,
    /// The default in mcl's syntax, if it is not the zero value.
    pub default: Option<&'static str>,
    pub doc: &'static str,
}

impl Parameter {
    const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }
}

/// The first sentence about a kind without an implementation.
const SCHEMA_ONLY: &str = "No implementation here: it is compiled and shown, but not applied.";

/// One kind of resource.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    pub kind: &'static str,
    pub doc: &'static str,
    pub params: &'static [Parameter],
    /// Parameters that only languages other than mcl set.
    pub more: &'static [Parameter],
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
    const fn new(kind: &'static str, doc: &'static str, params: &'static [Parameter]) -> Self {
        Self {
            kind,
            doc,
            params,
            more: &[],
            sends: &[],
            receives: false,
            autoedge: false,
            autogroup: false,
            refresh: false,
            reverse: false,
        }
    }

    const fn more(mut self, params: &'static [Parameter]) -> Self {
        self.more = params;
        self
    }

    const fn sends(mut self, fields: &'static [(&'static str, FieldType)]) -> Self {
        self.sends = fields;
        self
    }

    const fn receives(mut self) -> Self {
        self.receives = true;
        self
    }

    const fn autoedge(mut self) -> Self {
        self.autoedge = true;
        self
    }

    const fn autogroup(mut self) -> Self {
        self.autogroup = true;
        self
    }

    const fn refresh(mut self) -> Self {
        self.refresh = true;
        self
    }

    const fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Returns the parameter with this name.
    pub fn param(&self, name: &str) -> Option<&'static Parameter> {
        self.params.iter().find(|p| p.name == name)
    }

    /// Whether this version can check and apply it. Without, a program that uses it compiles and is shown.
    pub fn is_implemented(&self) -> bool {
        super::kind(self.kind).is_some()
    }

    /// Returns its documentation. The first sentence reports a missing implementation.
    pub fn about(&self) -> Cow<'static, str> {
        match self.is_implemented() {
            true => self.doc.into(),
            false => format!("{SCHEMA_ONLY} {}", self.doc).into(),
        }
    }

    /// Returns a parameter of any language.
    pub fn any_param(&self, name: &str) -> Option<&'static Parameter> {
        self.params.iter().chain(self.more).find(|p| p.name == name)
    }
}

/// A parameter whose zero value means "not set".
const fn param(name: &'static str, ty: FieldType, doc: &'static str) -> Parameter {
    Parameter { name, ty, optional: false, default: None, doc }
}

/// A parameter with a difference between unset and the zero value.
const fn optional(name: &'static str, ty: FieldType, doc: &'static str) -> Parameter {
    Parameter { name, ty, optional: true, default: None, doc }
}

/// Every known kind, sorted, with or without an implementation.
pub static SCHEMAS: &[Schema] = &[
    files::AUGEAS,
    virt::AWS_EC2,
    virt::BMC_FIRMWARE,
    virt::BMC_POWER,
    store::CONSUL_KV,
    machine::CRON,
    files::DEPLOY_TAR,
    serve::DHCP_HOST,
    serve::DHCP_RANGE,
    serve::DHCP_SERVER,
    virt::DOCKER_CONTAINER,
    virt::DOCKER_IMAGE,
    commands::EXEC,
    commands::EXIT,
    files::FILE,
    machine::FIREWALLD,
    machine::FWATTR,
    machine::FWUPD_DEVICE,
    machine::FWUPD_REMOTE,
    machine::FWUPD_SYSTEM,
    machine::GROUP,
    machine::GSETTINGS,
    files::GZIP,
    virt::HETZNER_VM,
    machine::HOSTNAME,
    serve::HTTP_CLIENT,
    serve::HTTP_SERVER,
    serve::HTTP_SERVER_FILE,
    serve::HTTP_SERVER_FLAG,
    serve::HTTP_SERVER_PROXY,
    serve::HTTP_SERVER_UI,
    serve::HTTP_SERVER_UI_INPUT,
    files::JSON_EDIT,
    store::KV,
    files::LINE,
    files::MOUNT,
    commands::MSG,
    machine::NET,
    commands::NOOP,
    virt::NSPAWN,
    store::PASSWORD,
    machine::PKG,
    commands::PRINT,
    virt::REMOTE,
    store::SCHEDULE,
    files::SSH_AUTHORIZED_KEY,
    machine::SVC,
    machine::SYSCTL,
    files::TAR,
    test::TEST,
    serve::TFTP_FILE,
    serve::TFTP_SERVER,
    commands::TIMER,
    machine::USER,
    store::VALUE,
    virt::VIRT,
    virt::VIRT_BUILDER,
    virt::VIRT_NETWORK,
    virt::VIRT_NETWORK_HOST,
    virt::VIRT_NETWORK_RANGE,
];

/// Returns the schema of a kind.
pub fn schema(kind: &str) -> Option<&'static Schema> {
    static BY_KIND: LazyLock<FxHashMap<&str, &Schema>> =
        LazyLock::new(|| SCHEMAS.iter().map(|schema| (schema.kind, schema)).collect());
    BY_KIND.get(kind).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_every_one_is_found() {
        for pair in SCHEMAS.windows(2) {
            assert!(pair[0].kind < pair[1].kind, "{} is sorted before {}", pair[0].kind, pair[1].kind);
        }
        for known in SCHEMAS {
            assert_eq!(schema(known.kind).map(|s| s.kind), Some(known.kind));
        }
        assert!(schema("file ").is_none());
    }

    #[test]
    fn every_kind_and_parameter_is_documented_once() {
        for known in SCHEMAS {
            assert!(!known.doc.is_empty(), "{} has no doc", known.kind);
            let all: Vec<_> = known.params.iter().chain(known.more).collect();
            for (at, parameter) in all.iter().enumerate() {
                assert!(!parameter.doc.is_empty(), "{}.{} has no doc", known.kind, parameter.name);
                assert!(all[..at].iter().all(|p| p.name != parameter.name), "{}", parameter.name);
            }
        }
    }
}
