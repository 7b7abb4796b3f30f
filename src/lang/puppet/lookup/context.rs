//! What a function that provides data gets as its context: a cache, interpolation, and the way to say that there is nothing.

use std::sync::Arc;

use super::{At, Search};
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types::{ObjectType, Ty, Type};
use crate::lang::puppet::value::{Map, Object, Value};
use crate::source::Span;

/// The name of the context's type.
pub const NAME: &str = "Puppet::LookupContext";

/// The text that a function ends with if it has nothing.
pub const NOT_FOUND: &str = "\u{0}not found";

/// The type of contexts.
pub fn ty() -> Ty {
    Type::Object(Some(Arc::new(ObjectType::opaque(NAME.into(), None, None)))).into()
}

impl dyn Search<'_> + '_ {
    /// A value with everything in it interpolated, as that of a data file.
    pub fn interpolate_data(&mut self, value: &Value, span: Span) -> Run {
        self.interpolated(value, true, At { scope: TOP, span })
    }
}

impl Data<'_, '_> {
    /// A new context for a module.
    pub fn lookup_context(&mut self, module: Value) -> Value {
        self.hiera.caches.push(Map::default());
        let index = Value::Int(self.hiera.caches.len() as i64 - 1);
        let environment = Value::str(self.inputs.settings.environment_name.as_str());
        let attributes = vec![
            ("environment_name".into(), environment),
            ("module_name".into(), module),
            ("cache_index".into(), index),
        ];
        Value::Object(Arc::new(Object::new(ty(), attributes)))
    }
}
