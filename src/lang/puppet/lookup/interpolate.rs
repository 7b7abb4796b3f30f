//! `%{…}` in data and in `hiera.yaml`: variables, and the methods `lookup`, `hiera`, `alias`, `literal` and `scope`.

use super::explain::What;
use super::{At, Search, key};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{Help, Run, fail, runtime};
use crate::lang::puppet::unknown::{Rendering, SHOWN};
use crate::lang::puppet::value::{Map, Value};

/// Values inside of one another.
const MAX_DEPTH: usize = 250;

impl dyn Search<'_> + '_ {
    /// A value with everything in it interpolated. `methods` may be called in data, not in `hiera.yaml`.
    pub(super) fn interpolated(&mut self, value: &Value, methods: bool, at: At) -> Run {
        self.interpolated_in(value, methods, at, 0)
    }

    fn interpolated_in(&mut self, value: &Value, methods: bool, at: At, depth: usize) -> Run {
        if depth > MAX_DEPTH {
            return runtime(at.span, format!("data is nested more than {MAX_DEPTH} deep"))
                .help("use fewer levels of lists and hashes");
        }
        Ok(match value {
            Value::Str(text) if text.contains("%{") => self.interpolated_text(text, methods, at)?,
            Value::Array(list) if has_text(value, 0) => {
                let items = list.iter().map(|item| self.interpolated_in(item, methods, at, depth + 1));
                let list = Value::array(items.collect::<Run<Vec<Value>>>()?);
                self.data().output.measured(list, at.span)?
            }
            Value::Hash(map) if has_text(value, 0) => {
                let mut out = Map::default();
                for (key, item) in map.iter() {
                    let key = self.interpolated_in(key, methods, at, depth + 1)?;
                    let item = self.interpolated_in(item, methods, at, depth + 1)?;
                    out.insert(key, item);
                }
                self.data().output.measured(Value::hash(out), at.span)?
            }
            other => other.clone(),
        })
    }

    /// A text of `hiera.yaml`. `Err` with what is known of it where it depends on an unknown value.
    pub(super) fn interpolated_path(&mut self, text: &str, at: At) -> Run<Result<String, Text>> {
        if !text.contains("%{") {
            return Ok(Ok(text.to_string()));
        }
        Ok(match self.interpolated_text(text, false, at)? {
            Value::Unknown(shown) => Err(shown.unwrap_or_else(|| SHOWN.into())),
            value if self.data().output.meets_unknown(&[&value]) => Err(SHOWN.into()),
            value => Ok(convert::string(&value)),
        })
    }

    fn interpolated_text(&mut self, text: &str, methods: bool, at: At) -> Run {
        self.data().output.step(at.span)?;
        self.data().output.spend_text(text.len(), at.span)?;
        self.explained(What::Interpolation(text.into()), |e| {
            let mut out = Rendering::default();
            let mut rest = text;
            while let Some((before, behind)) = rest.split_once("%{") {
                let Some((inner, after)) = behind.split_once('}') else { break };
                out.text.push_str(before);
                let is_whole = out.text.is_empty() && after.is_empty();
                rest = after;
                if let Some(whole) = e.expression(inner.trim(), text, is_whole, methods, at, &mut out)? {
                    return Ok(whole);
                }
            }
            out.text.push_str(rest);
            Ok(out.into_value())
        })
    }

    /// Appends what an expression gives. An alias is the whole value instead.
    fn expression(
        &mut self,
        inner: &str,
        subject: &str,
        is_whole: bool,
        methods: bool,
        at: At,
        out: &mut Rendering,
    ) -> Run<Option<Value>> {
        if ["", "::", "\"\"", "''", "\"::\"", "'::'"].contains(&inner) {
            return Ok(None);
        }
        let (method, argument) = match method(inner) {
            Some(_) if !methods => {
                let name = IssueName::HieraInterpolationMethodSyntaxNotAllowed;
                return fail(at.span, name, "Interpolation using method syntax is not allowed in this context");
            }
            Some(call) => call,
            None => ("scope", inner),
        };
        let value = match method {
            "literal" => {
                out.text.push_str(argument);
                return Ok(None);
            }
            "alias" if !is_whole => {
                let message = "'alias' interpolation is only permitted if the expression is equal to the entire string";
                return fail(at.span, IssueName::HieraInterpolationAliasNotEntireString, message);
            }
            "lookup" | "hiera" | "alias" => {
                let (overrides, defaults) = self.data().hiera.given.clone();
                let found = match overrides.get(argument) {
                    Some(found) => Some(found.clone()),
                    None => self.find_data(argument, None, at.scope, at.span)?,
                };
                let found = found.or_else(|| defaults.get(argument).cloned()).unwrap_or_else(|| {
                    self.data().warn_of_near_key(argument, subject);
                    Value::str("")
                });
                if method == "alias" {
                    return Ok(Some(found));
                }
                found
            }
            "scope" => self.scope_value(argument, subject, at)?.unwrap_or(Value::Undef),
            other => {
                let message = format!("Unknown interpolation method '{other}'");
                return fail(at.span, IssueName::HieraInterpolationUnknownInterpolationMethod, message);
            }
        };
        let name = if method == "scope" { format!("scope:{argument}") } else { argument.to_string() };
        let value =
            if has_text(&value, 0) { self.within(name, at, |e| e.interpolated(&value, methods, at))? } else { value };
        out.is_unknown |= self.data().output.meets_unknown(&[&value]);
        out.text.push_str(&self.data().output.joined(std::iter::once(&value), "", at.span)?);
        Ok(None)
    }

    /// A variable by its name, which may have dots.
    pub(super) fn scope_value(&mut self, name: &str, subject: &str, at: At) -> Run<Option<Value>> {
        let Some(mut parts) = key::split(name).filter(|parts| !parts.is_empty()) else {
            return runtime(at.span, format!("Syntax error in string: {subject}")).help(
                match name.contains('(') && !name.contains(')') {
                    true => format!("write `)` before the `}}`: `%{{{name})}}`"),
                    false => "put a part with a dot in quotes: `%{facts.'a.b'}`".into(),
                },
            );
        };
        let root = convert::string(&parts.remove(0));
        let found = self.explained(What::Scope("Global Scope".into()), |e| {
            if let Some(found) = e.data().hiera.given.0.get(&root).cloned() {
                if let Some(explainer) = &mut e.data().hiera.explainer {
                    explainer.found_in_overrides(&root, &found);
                }
                return Ok(Some(found));
            }
            let found = e.data().scopes.lookup(at.scope, &root);
            if let Some(found) = &found {
                e.data().hiera.report_found(&root, found);
            }
            Ok(found.or_else(|| e.data().hiera.given.1.get(&root).cloned()))
        })?;
        if found.is_none() && self.data().output.warned.insert(format!("interpolation {root}")) {
            self.data().output.log(
                "warning",
                format!(
                    "Interpolation failed with '{root}', but compilation continuing; \n   (file & line not available)"
                ),
            );
        }
        let value = match found {
            Some(Value::Undef) | None => None,
            Some(value) => self.dig(name, &parts, value, at)?,
        };
        if name.starts_with("::")
            && let (Some(memory), Some(value)) = (&mut self.data().hiera.memory, &value)
        {
            memory.push((name.to_string(), value.clone()));
        }
        Ok(value)
    }
}

impl Data<'_, '_> {
    /// A key without a value, with a name that is nearly that of another one.
    fn warn_of_near_key(&mut self, key: &str, subject: &str) {
        let Some((near, path, _)) = self.nearly_key(key) else { return };
        let subject: String = subject.lines().next().unwrap_or_default().chars().take(80).collect();
        self.output.warn_once(format!(
            "`{subject}`: no data has the key `{key}`, so that the text there is empty; did you mean `{near}` ({path})?"
        ));
    }
}

/// Whether there may be something to interpolate in a value.
fn has_text(value: &Value, depth: usize) -> bool {
    match value {
        Value::Str(text) => text.contains("%{"),
        Value::Array(list) => depth > MAX_DEPTH || list.iter().any(|item| has_text(item, depth + 1)),
        Value::Hash(map) => {
            depth > MAX_DEPTH || map.iter().any(|(k, v)| has_text(k, depth + 1) || has_text(v, depth + 1))
        }
        _ => false,
    }
}

/// `name('argument')`.
fn method(inner: &str) -> Option<(&str, &str)> {
    let (name, rest) = inner.split_once('(')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let rest = rest.strip_suffix(')')?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let argument = rest.get(1..)?.strip_suffix(quote)?;
    (is_name && !argument.is_empty() && !argument.contains(quote)).then_some((name, argument))
}
