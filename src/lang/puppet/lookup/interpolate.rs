//! `%{…}` in data: variables, and the functions `lookup`, `alias`, `literal` and `scope`.

use super::merge;
use crate::lang::puppet::eval::stop::{Run, fail};
use crate::lang::puppet::eval::{Evaluator, convert};
use crate::lang::puppet::scope::ScopeId;
use crate::lang::puppet::value::Value;
use crate::source::Span;

impl Evaluator<'_> {
    /// A value with everything in it interpolated.
    pub(super) fn interpolated(&mut self, value: &Value, scope: ScopeId, span: Span) -> Run {
        Ok(match value {
            Value::Str(text) if text.contains("%{") => self.interpolated_text(text, scope, span)?,
            Value::Array(list) => {
                let mut out = Vec::with_capacity(list.len());
                for item in list.iter() {
                    out.push(self.interpolated(item, scope, span)?);
                }
                Value::array(out)
            }
            Value::Hash(map) => {
                let mut out = crate::lang::puppet::value::Map::default();
                for (key, item) in map.iter() {
                    let key = self.interpolated(key, scope, span)?;
                    let item = self.interpolated(item, scope, span)?;
                    out.insert(key, item);
                }
                Value::hash(out)
            }
            other => other.clone(),
        })
    }

    pub(super) fn interpolate_text(&mut self, text: &str, scope: ScopeId, span: Span) -> Run<String> {
        if !text.contains("%{") {
            return Ok(text.to_string());
        }
        Ok(convert::string(&self.interpolated_text(text, scope, span)?))
    }

    fn interpolated_text(&mut self, text: &str, scope: ScopeId, span: Span) -> Run {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("%{") {
            out.push_str(&rest[..start]);
            let Some(end) = rest[start..].find('}') else { break };
            let inner = rest[start + 2..start + end].trim();
            rest = &rest[start + end + 1..];
            let call = inner
                .split_once('(')
                .and_then(|(name, arg)| Some((name.trim(), arg.trim_end().strip_suffix(')')?.trim())));
            match call {
                Some((name, argument)) => {
                    let argument = argument.trim_matches(['\'', '"']).to_string();
                    match name {
                        "literal" => out.push_str(&argument),
                        "lookup" | "hiera" => {
                            let found = self.find_data(&argument, None, scope, span)?;
                            convert::append(&mut out, &found.unwrap_or(Value::Undef));
                        }
                        "scope" => {
                            let found = self.interpolation_value(&argument, scope, span)?;
                            convert::append(&mut out, &found.unwrap_or(Value::Undef));
                        }
                        "alias" => {
                            if !(text.trim_start().starts_with("%{") && out.is_empty() && rest.is_empty()) {
                                return fail(
                                    span,
                                    "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                                    "'alias' interpolation is only permitted if the expression is equal to the entire string",
                                );
                            }
                            return Ok(self.find_data(&argument, None, scope, span)?.unwrap_or(Value::Undef));
                        }
                        other => {
                            return fail(
                                span,
                                "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD",
                                format!("Unknown interpolation method '{other}'"),
                            );
                        }
                    }
                }
                None if inner.is_empty() || inner == "::" || inner == "''" || inner == "\"\"" => {}
                None => {
                    let found = self.interpolation_value(inner, scope, span)?;
                    convert::append(&mut out, &found.unwrap_or(Value::Undef));
                }
            }
        }
        out.push_str(rest);
        Ok(Value::str(out))
    }

    /// A variable by its name with dots.
    pub(super) fn interpolation_value(&mut self, name: &str, scope: ScopeId, span: Span) -> Run<Option<Value>> {
        let Ok((root, rest)) = merge::key_parts(name) else {
            return self.runtime(span, format!("Syntax error in string: %{{{name}}}"));
        };
        let found = self.scopes.lookup(scope, &root);
        if found.is_none() && self.warned.insert(format!("interpolation {root}")) {
            self.log(
                "warning",
                format!(
                    "Interpolation failed with '{root}', but compilation continuing; \n   (file & line not available)"
                ),
            );
        }
        Ok(found.and_then(|v| merge::dig(&v, &rest)))
    }
}
