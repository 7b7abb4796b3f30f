//! Values as they leave evaluation: plain data that fits the type of a resource's parameter.

use std::sync::Arc;

use crate::graph;
use crate::lang::mcl::value::Value;
use crate::resource::FieldType;

/// Why a value cannot be in a graph.
#[derive(Debug, PartialEq)]
pub enum Unfit {
    /// The parameter does not take it.
    Range(String),
    /// It holds more than the budget: values share their parts while evaluating, a graph writes each of them out.
    TooLarge,
}

/// Converts a value for a parameter, taking one off the budget for each value in it.
pub fn convert(value: &Value, ty: &FieldType, budget: &mut u64) -> Result<graph::Value, Unfit> {
    *budget = budget.checked_sub(1).ok_or(Unfit::TooLarge)?;
    Ok(match (value, ty) {
        (Value::Bool(value), _) => graph::Value::Bool(*value),
        (Value::Int(value), FieldType::Int { min, max }) => {
            let fits =
                value >= min && u64::try_from(*value).is_ok_and(|value| value <= *max) || (*min..0).contains(value);
            if !fits {
                return Err(Unfit::Range(format!("{value} is not between {min} and {max}")));
            }
            graph::Value::Int(*value)
        }
        (Value::Int(value), _) => graph::Value::Int(*value),
        (Value::Float(value), _) => graph::Value::Float(*value),
        (Value::Str(text), _) => graph::Value::Str(Arc::from(&**text)),
        (Value::List(items), ty) => {
            let item_ty = if let FieldType::List(item) = ty { item } else { &FieldType::Any };
            let items = items.iter().map(|item| convert(item, item_ty, budget));
            graph::Value::List(items.collect::<Result<_, _>>()?)
        }
        (Value::Map(pairs), ty) => {
            let (key_ty, value_ty) =
                if let FieldType::Map(key, value) = ty { (*key, *value) } else { (&FieldType::Any, &FieldType::Any) };
            let mut converted = Vec::with_capacity(pairs.len());
            for (key, value) in pairs.iter() {
                converted.push((convert(key, key_ty, budget)?, convert(value, value_ty, budget)?));
            }
            graph::Value::Map(converted)
        }
        (Value::Struct(fields), ty) => {
            let known: &[(&str, FieldType)] = if let FieldType::Struct(fields) = ty { fields } else { &[] };
            let mut converted = Vec::with_capacity(fields.len());
            for (name, value) in fields.iter() {
                let ty = known.iter().find(|(have, _)| have == name).map_or(&FieldType::Any, |(_, ty)| ty);
                converted.push((Arc::from(name.as_str()), convert(value, ty, budget)?));
            }
            graph::Value::Struct(converted)
        }
        // A function cannot leave evaluation; the mark says that there is one.
        (Value::Func(_), _) => graph::Value::Deferred(Box::new("func".into())),
    })
}
