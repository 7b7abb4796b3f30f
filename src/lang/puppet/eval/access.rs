//! `value[key, …]`: of strings, arrays, hashes, types and resources.

use super::Evaluator;
use crate::diag::Code;
use crate::lang::puppet::arm;
use crate::lang::puppet::ast::{Expr, Kind, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lexer::is_name;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::{About, At, AtPart, Computed, Help, Problem, Run, fail};
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Value, flattened};
use crate::lang::puppet::words::article;
use crate::source::Span;

/// The places of an access and of its keys.
#[derive(Clone, Copy)]
struct Places {
    whole: Span,
    first: Span,
    second: Span,
    /// The first key that is not an index.
    odd: Span,
}

impl Places {
    fn of(expr: &Expr, keys: &[Expr]) -> Self {
        let first = keys.first().map_or(expr.span, |key| key.span);
        let is_index = |key: &&Expr| matches!(key.kind, Kind::Int { .. } | Kind::Negate(_));
        let odd = keys.iter().find(|key| !is_index(key)).map_or(first, |key| key.span);
        Self { whole: expr.span, first, second: keys.get(1).map_or(first, |key| key.span), odd }
    }

    fn of_part(self, about: About) -> Span {
        match about {
            About::Key(0) => self.first,
            About::Key(_) => self.second,
            About::Index => self.odd,
            About::Whole | About::Number | About::Operand => self.whole,
        }
    }
}

impl Evaluator<'_> {
    pub(super) fn access(&mut self, expr: &Expr, left: &Expr, keys: &[Expr], scope: ScopeId) -> Run {
        let places = Places::of(expr, keys);
        // The name of an alias is parameterised as the type that it stands for; `TypeReference` by its own rules.
        let value = self.eval(left, scope)?;
        let of_class = matches!(&left.kind, Kind::Ref(name) if name.eq_ignore_ascii_case("class"));
        let keys =
            if of_class { self.with_any_name(|e| e.unfolded(keys, scope))? } else { self.unfolded(keys, scope)? };
        let at = expr.span;
        let part = |about| places.of_part(about);
        if self.output.has_unknown && (matches!(value, Value::Unknown(_)) || keys.iter().any(unknown::is_in)) {
            return Ok(Value::Unknown(None));
        }
        match &value {
            Value::Str(text) => {
                // The characters are counted from the start.
                self.output.spend_text(text.len(), expr.span)?;
                let found = slice_text(text, &flattened(&keys)).at_part(part);
                match &left.kind {
                    // `package['x']` for `Package['x']`.
                    Kind::Name(name) if found.is_err() => {
                        let title = keys.first().map(crate::lang::puppet::convert::string).unwrap_or_default();
                        let label = format!("`{name}` is a text; a reference begins with a capital letter");
                        let (label, help) = match self.scopes.is_variable(scope, name) {
                            true => {
                                (format!("the variable `{name}` has no `$`"), format!("write `${name}['{title}']`"))
                            }
                            false => {
                                let ours = crate::lang::puppet::names::capitalised(name);
                                (label, format!("write `{ours}['{title}']`"))
                            }
                        };
                        found.code(Code::InvalidReference).edit(left.span).label(label).help(help)
                    }
                    _ => found,
                }
            }
            Value::Array(list) => slice(list, &flattened(&keys)).at_part(part),
            Value::Binary(bytes) => {
                let list: Vec<Value> = bytes.iter().map(|b| Value::Int(i64::from(*b))).collect();
                match slice(&list, &keys).at_part(part)? {
                    Value::Array(list) => Ok(Value::Binary(
                        list.iter()
                            .filter_map(|v| if let Value::Int(b) = v { u8::try_from(*b).ok() } else { None })
                            .collect(),
                    )),
                    Value::Int(byte) => Ok(Value::Binary(vec![byte as u8].into())),
                    other => Ok(other),
                }
            }
            // An unknown key may be this one.
            Value::Hash(map) if self.output.has_unknown && map.keys().any(unknown::is_in) => Ok(Value::Unknown(None)),
            Value::Hash(map) => Ok(match &keys[..] {
                [key] => match map.get(key) {
                    Some(found) => found.clone(),
                    None => match (&left.kind, key) {
                        (Kind::Var(name), Value::Str(key)) if matches!(&**name, "facts" | "::facts") => {
                            self.loader().ruby_fact(key).unwrap_or(Value::Undef)
                        }
                        _ => Value::Undef,
                    },
                },
                _ => Value::array(
                    keys.iter().filter_map(|k| map.get(k).cloned()).filter(|v| *v != Value::Undef).collect(),
                ),
            }),
            Value::Type(ty) => self.access_type(left, ty, &keys, places),
            Value::Undef => {
                let refused = fail(
                    left.span,
                    IssueName::OperatorNotApplicable,
                    "Operator '[]' is not applicable to an Undef Value.",
                );
                let refused = refused.code(Code::UndefinedValue);
                match self.why_undef(left, scope) {
                    Some((place, why, help)) => {
                        let help = help.unwrap_or_else(|| "check it before, or use `dig` or `get`".into());
                        refused.edit(place).label(format!("{why}: `[]` needs a value")).help(help)
                    }
                    None => refused.help("check the value before, or use `dig` or `get`"),
                }
            }
            Value::Object(object) => match &keys[..] {
                [Value::Str(name)] if object.arm.is_some() => self.read_named(object, name, at),
                [Value::Str(name)] => {
                    Ok(object.attributes.iter().find(|(n, _)| n == name).map_or(Value::Undef, |(_, v)| v.clone()))
                }
                _ => fail(at, IssueName::OperatorNotApplicable, "Operator '[]' is not applicable to an Object."),
            },
            other => {
                let class = types::infer_generic(other).to_string();
                fail(
                    left.span,
                    IssueName::OperatorNotApplicable,
                    format!("Operator '[]' is not applicable to {}.", article(&class)),
                )
                .help(format!(
                    "remove the `[…]`: {} has no elements",
                    article(class.split('[').next().unwrap_or_default())
                ))
            }
        }
    }

    fn access_type(&mut self, left: &Expr, ty: &Ty, keys: &[Value], places: Places) -> Run {
        let at = places.whole;
        // A type with features may have the name of a resource type, whose resources keep their references.
        if let (Kind::Ref(_), Some(model)) = (&left.kind, arm::of(ty)) {
            let name: Text = model.name.to_lowercase().into();
            if self.loader().sort_of(&name, left.span).is_ok() {
                return self.access_type(left, &Type::Resource(Some(name), None).into(), keys, places);
            }
        }
        if let Some(name) = arm::body::name_of_type(ty, keys) {
            return Ok(name);
        }
        match &**ty {
            // An attribute: `File['x']['mode']`.
            Type::Resource(Some(_), Some(_)) | Type::Class(Some(_))
                if !(keys.is_empty() && matches!(&**ty, Type::Class(_))) =>
            {
                // The resource may be declared in a part that was left out.
                if self.catalog.find(ty).is_none() && self.output.left_out.may_declare_type(ty) {
                    self.output.leave_out(&self.inputs, &format!("an attribute of {ty}"), at);
                    return Ok(Value::Unknown(None));
                }
                return self.catalog.resource_parameters(&self.program, &self.scopes, ty, keys, places);
            }
            Type::Resource(Some(name), None) => {
                self.loader().known_resource_type(name, left)?;
                return references(name, keys, places.first);
            }
            Type::Resource(None, None) => {
                let Some((first, rest)) = keys.split_first() else { return Ok(Value::Type(ty.clone())) };
                let refused = |got: &str| {
                    let message = format!("First argument to Resource[] must be a resource type or a String.{got}");
                    fail(places.first, IssueName::IllegalResourceSpecialization, message)
                };
                let name: Text = match first {
                    Value::Str(name) => name.to_lowercase().trim_start_matches("::").into(),
                    Value::Type(inner) => match &**inner {
                        Type::Resource(Some(name), None) => name.clone(),
                        _ => return refused(""),
                    },
                    _ => return refused(" Got Integer."),
                };
                if name.is_empty() || name.contains(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
                    return fail(
                        at,
                        IssueName::IllegalResourceType,
                        format!("A Resource[] type name was expected, got '{name}'"),
                    );
                }
                if rest.is_empty() {
                    return Ok(Value::Type(Type::Resource(Some(name), None).into()));
                }
                return references(&name, rest, places.first);
            }
            Type::Class(None) => {
                let bad = |v: &Value| match v {
                    Value::Type(ty) => !matches!(**ty, Type::Class(Some(_)) | Type::Resource(Some(_), None)),
                    other => !matches!(other, Value::Str(_) | Value::Array(_)),
                };
                let mut is_bad = keys.iter().any(bad);
                for key in keys {
                    if let Value::Type(ty) = key
                        && let Type::Resource(Some(name), None) = &**ty
                    {
                        is_bad |= self.loader().sort_of(name, at).is_err();
                    }
                }
                if is_bad {
                    return fail(
                        places.first,
                        IssueName::IllegalHostclassName,
                        "Illegal Class name in class reference. A String is expected",
                    );
                }
                return classes(keys, places.first);
            }
            _ => {}
        }
        let name = match &left.kind {
            Kind::Ref(name) => name.trim_start_matches("::").to_string(),
            _ => ty.to_string(),
        };
        self.output.pay_union(ty, keys.len(), at)?;
        let made = types::parameterise(ty, &name, keys).at_part(|about| places.of_part(about))?;
        self.output.measured_type(made, at).map(Value::Type)
    }
}

impl Catalog {
    /// `File['x'][mode]`: what is set on a resource so far.
    fn resource_parameters(
        &mut self,
        program: &Program,
        scopes: &Scopes,
        ty: &Ty,
        keys: &[Value],
        places: Places,
    ) -> Run {
        let at = places.whole;
        let Some(id) = self.find(ty) else {
            return fail(at, IssueName::UnknownResource, format!("Resource not found: {ty}"));
        };
        let mut found = Vec::new();
        for key in keys {
            let Value::Str(name) = key else {
                return fail(places.first, IssueName::BadTypeSliceType, "a parameter's name is a string");
            };
            let resource = self.get(id);
            let value = match resource.parameter(name) {
                Some(value) => value.clone(),
                None if matches!(&**name, "title") => Value::Str(resource.title.clone()),
                None => {
                    if !self.is_parameter(program, id, name) {
                        return fail(
                            at,
                            IssueName::UnknownResourceParameter,
                            format!("The resource {ty} does not have a parameter called '{name}'"),
                        );
                    }
                    self.default_of(scopes, id, name)
                }
            };
            found.push(value);
        }
        Ok(if found.len() == 1 { found.remove(0) } else { Value::array(found) })
    }
}

/// References to resources of a type by their titles.
fn references(ty: &Text, keys: &[Value], at: Span) -> Run {
    let reference = |title| Value::Type(Type::Resource(Some(ty.clone()), Some(title)).into());
    Ok(one_or_many(titles(keys).at(at)?.into_iter().map(reference).collect(), keys))
}

/// References to classes by their names.
fn classes(keys: &[Value], at: Span) -> Run {
    let mut made = Vec::new();
    for title in titles(keys).at(at)? {
        let name = title.trim_start_matches("::").to_lowercase();
        if !is_name(&name) {
            return fail(
                at,
                IssueName::IllegalName,
                format!(
                    "Illegal name. The given name '{title}' does not conform to the naming rule /^((::)?[a-z]\\w*)(::[a-z]\\w*)*$/"
                ),
            );
        }
        made.push(Value::Type(Type::Class(Some(name.into())).into()));
    }
    Ok(one_or_many(made, keys))
}

fn one_or_many(mut made: Vec<Value>, keys: &[Value]) -> Value {
    match keys {
        [Value::Array(_)] | [_, _, ..] => Value::array(made),
        _ => made.pop().unwrap_or(Value::Undef),
    }
}

/// Titles as keys of a reference.
fn titles(keys: &[Value]) -> Computed<Vec<Text>> {
    let mut out = Vec::new();
    for key in keys {
        match key {
            Value::Str(text) => out.push(text.clone()),
            Value::Array(list) => out.extend(titles(list)?),
            Value::Undef => {}
            other => {
                return Err(Problem::new(
                    IssueName::BadTypeSpecialization,
                    format!("Cannot use {} where a resource title String is expected", types::infer_generic(other)),
                ));
            }
        }
    }
    Ok(out)
}

/// An index or a slice: from where, how many; `None` where nothing is there.
fn range(length: usize, keys: &[Value], what: &str) -> Computed<Option<(usize, usize)>> {
    let odd = |value: &Value| {
        Problem::new(
            if what == "String" { IssueName::BadStringSliceKeyType } else { IssueName::BadSliceKeyType },
            format!("{what}-Type cannot be indexed by {}", types::infer_generic(value)),
        )
        .code(Code::InvalidOperand)
        .help(match what {
            "String" => "the value is a text, which has no keys: remove the index, or make the value a Hash",
            _ => "the value is a list: index it with a number, or make it a Hash",
        })
        .about(About::Index)
    };
    let integer = |value: &Value| match value {
        Value::Int(value) => Ok(*value),
        Value::Str(text) if what == "String" => match crate::lang::puppet::number::parse(text) {
            Some(Value::Int(value)) => Ok(value),
            _ => Err(odd(value)),
        },
        other if what == "String" => Err(odd(other)),
        other => match super::operator::number(other)? {
            Value::Int(value) => Ok(value),
            _ => Err(odd(other)),
        },
    };
    let size = i64::try_from(length).unwrap_or(i64::MAX);
    let from = |key: i64| if key < 0 { key.saturating_add(size) } else { key };
    match keys {
        [key] => {
            let at = from(integer(key)?);
            Ok((0..size).contains(&at).then_some((at as usize, 1)))
        }
        [key, count] => {
            let (start, count) = (from(integer(key)?), integer(count)?);
            let end = if count < 0 { (count + size).saturating_add(1) } else { start.saturating_add(count) };
            let (start, end) = (start.max(0), end.min(size));
            Ok((start < end).then_some((start as usize, (end - start) as usize)))
        }
        _ => Err(Problem::new(
            if what == "String" { IssueName::BadStringSliceArity } else { IssueName::BadArraySliceArity },
            format!("{what} supports [] with one or two arguments. Got {}", keys.len()),
        )),
    }
}

fn slice_text(text: &str, keys: &[Value]) -> Computed {
    let length = text.chars().count();
    Ok(match range(length, keys, "String")? {
        Some((start, count)) => Value::str(text.chars().skip(start).take(count).collect::<String>()),
        None => Value::str(""),
    })
}

fn slice(list: &[Value], keys: &[Value]) -> Computed {
    let found = range(list.len(), keys, "Array")?;
    Ok(match (found, keys.len()) {
        (Some((start, _)), 1) => list[start].clone(),
        (Some((start, count)), _) => Value::array(list[start..start + count].to_vec()),
        (None, 1) => Value::Undef,
        (None, _) => Value::array(Vec::new()),
    })
}
