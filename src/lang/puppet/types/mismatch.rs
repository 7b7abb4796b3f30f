//! Why a value does not fit a type.

use super::{Ty, Type, infer, infer_generic, is_instance};
use crate::lang::puppet::value::Value;

/// `expects an Integer value, got String`.
pub fn describe_mismatch(ty: &Ty, value: &Value) -> String {
    let names = |ty: &Ty| -> String {
        match &**ty {
            Type::Optional(inner) => format!("value of type Undef or {}", simple(inner)),
            Type::Variant(types) => {
                let all: Vec<String> = types.iter().map(simple).collect();
                format!("value of type {}", all.join(" or "))
            }
            Type::Enum { .. } | Type::Pattern(_) if matches!(value, Value::Str(_)) => format!("match for {ty}"),
            _ => format!("{ty} value"),
        }
    };
    match (&**ty, value) {
        (Type::Struct(members), Value::Hash(map)) => {
            for member in members {
                match map.get(&Value::Str(member.name.clone())) {
                    None if !member.is_optional && !is_instance(&member.ty, &Value::Undef) => {
                        return format!("expects a value for key '{}'", member.name);
                    }
                    Some(value) if !is_instance(&member.ty, value) => {
                        return format!("entry '{}' {}", member.name, describe_mismatch(&member.ty, value));
                    }
                    _ => {}
                }
            }
            for key in map.keys() {
                if let Value::Str(key) = key
                    && !members.iter().any(|m| m.name == *key)
                {
                    return format!("unrecognized key '{key}'");
                }
            }
        }
        (Type::Array(inner, _), Value::Array(list)) => {
            for (i, item) in list.iter().enumerate() {
                if !is_instance(inner, item) {
                    return format!("index {i} {}", describe_mismatch(inner, item));
                }
            }
            return format!("expects size to be different, got {}", list.len());
        }
        _ => {}
    }
    let expected = names(ty);
    let got = match (&**ty, value) {
        (Type::Enum { .. } | Type::Pattern(_), Value::Str(text)) => format!("'{text}'"),
        (Type::Integer(..) | Type::Float(..), Value::Int(_) | Value::Float(_)) => infer(value).to_string(),
        _ => {
            let text = infer_generic(value).to_string();
            text.split('[').next().unwrap_or_default().to_string()
        }
    };
    format!("expects {}, got {got}", crate::lang::puppet::words::article(&expected))
}

fn simple(ty: &Ty) -> String {
    ty.to_string()
}
