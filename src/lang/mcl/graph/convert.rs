//! Converts evaluated values to plain data that fits the type of a resource's parameter.

use std::sync::Arc;

use crate::graph;
use crate::lang::mcl::value::Value;
use crate::resource::FieldType;

/// Why a value cannot be in a graph.
#[derive(Debug, PartialEq)]
pub enum Unfit {
    /// The parameter does not accept it.
    Range(String),
    /// It exceeds the budget: values share their parts while evaluating, but a graph contains each of them.
    TooLarge,
    /// JSON readers fail soon after this depth.
    TooDeep,
}

/// The nesting limit for lists, maps and structs in a graph.
pub const DEPTH: u32 = 100;
/// Bytes of a value in a graph, with its share of the container.
const COST: u64 = 128;

/// Converts a value for a parameter, and spends its bytes.
pub fn convert(value: &Value, ty: &FieldType, budget: &mut u64) -> Result<graph::Value, Unfit> {
    convert_at(DEPTH, value, ty, budget)
}

fn convert_at(depth: u32, value: &Value, ty: &FieldType, budget: &mut u64) -> Result<graph::Value, Unfit> {
    let text = value.as_bytes().map_or(0, |text| text.len() as u64);
    *budget = budget.checked_sub(COST + text).ok_or(Unfit::TooLarge)?;
    let depth = depth.checked_sub(1).ok_or(Unfit::TooDeep)?;
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
        (Value::Bytes(bytes), _) => graph::Value::Bytes(Arc::from(&**bytes)),
        (Value::List(items), ty) => {
            let item_ty = if let FieldType::List(item) = ty { item } else { &FieldType::Any };
            let mut converted = Vec::with_capacity(items.len().min(*budget as usize));
            for item in items.iter() {
                converted.push(convert_at(depth, item, item_ty, budget)?);
            }
            graph::Value::List(converted)
        }
        (Value::Map(pairs), ty) => {
            let (key_ty, value_ty) =
                if let FieldType::Map(key, value) = ty { (*key, *value) } else { (&FieldType::Any, &FieldType::Any) };
            let mut converted = Vec::with_capacity(pairs.len());
            for (key, value) in pairs.iter() {
                converted.push((convert_at(depth, key, key_ty, budget)?, convert_at(depth, value, value_ty, budget)?));
            }
            graph::Value::Map(converted)
        }
        (Value::Struct(fields), ty) => {
            let known: &[(&str, FieldType)] = if let FieldType::Struct(fields) = ty { fields } else { &[] };
            let mut converted = Vec::with_capacity(fields.len());
            for (name, value) in fields.iter() {
                let ty = known.iter().find(|(have, _)| have == name).map_or(&FieldType::Any, |(_, ty)| ty);
                converted.push((Arc::from(name.as_str()), convert_at(depth, value, ty, budget)?));
            }
            graph::Value::Struct(converted)
        }
        // A function cannot leave evaluation; a mark replaces it.
        (Value::Func(_), _) => graph::Value::Deferred(Box::new("func".into())),
    })
}
