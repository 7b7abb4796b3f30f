//! What fits where: `assignable(a, b)` is whether every value of `b` is one of `a`.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use super::instance::{in_ranges, part_matches};
use super::{Callable, Member, Size, Ty, Type, is_instance};
use crate::lang::puppet::semver::{Range, Version};
use crate::lang::puppet::value::Value;
use crate::lang::ruby::regexp::Regexp;

/// Deeper types fit nowhere.
pub(super) const MAX_DEPTH: usize = 120;

/// Whether every value of `b` is a value of `a`.
pub fn assignable(a: &Ty, b: &Ty) -> bool {
    Check::default().fits(a, b)
}

/// Whether an alias is nothing but itself.
pub fn is_only_itself(name: &str, ty: &Ty) -> bool {
    let mut left = 1_000;
    only_itself(name, ty, &mut left)
}

/// After so many aliases none will lead to a type.
fn only_itself(name: &str, ty: &Ty, left: &mut u32) -> bool {
    let Some(rest) = left.checked_sub(1) else { return true };
    *left = rest;
    match &**ty {
        Type::Alias(alias) => match alias.resolved.get() {
            None => *alias.name == *name,
            Some(ty) => only_itself(name, ty, left),
        },
        Type::Variant(types) => !types.is_empty() && types.iter().all(|ty| only_itself(name, ty, left)),
        Type::Optional(inner) | Type::NotUndef(inner) => only_itself(name, inner, left),
        _ => false,
    }
}

pub(super) fn within(size: Size, count: usize) -> bool {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    size.from <= count && count <= size.to
}

/// Whether a size allows every number that another one does.
pub(super) fn holds(a: Size, b: Size) -> bool {
    a.from <= b.from && b.to <= a.to
}

/// One comparison of two types. Each pair is compared once: types share their parts, and aliases may name themselves.
#[derive(Default)]
struct Check {
    depth: usize,
    /// What is known of a pair, by its addresses. A pair that is being compared holds until the opposite is found.
    known: FxHashMap<(usize, usize), bool>,
    /// The pairs in order of their comparison, with the types so that no address is used again.
    order: Vec<(Ty, Ty)>,
}

fn pair(a: &Ty, b: &Ty) -> (usize, usize) {
    (std::ptr::from_ref::<Type>(a).addr(), std::ptr::from_ref::<Type>(b).addr())
}

/// Whether a type is made of others.
fn is_made(ty: &Type) -> bool {
    use Type::*;
    let is_by_name = matches!(ty, Alias(_) | Data | RichData | Object(Some(_)));
    let is_collection = matches!(ty, Array(..) | Tuple(..) | Hash(..) | Struct(_) | Iterable(_) | Iterator(_));
    let is_around = matches!(ty, Variant(_) | Optional(_) | NotUndef(_) | Meta(_) | Sensitive(_) | Init(..));
    is_by_name || is_collection || is_around || matches!(ty, Callable(Some(_)))
}

impl Check {
    fn fits(&mut self, a: &Ty, b: &Ty) -> bool {
        if a == b {
            return true;
        }
        if self.depth > MAX_DEPTH {
            return false;
        }
        if !is_made(a) && !is_made(b) {
            return self.compare(a, b);
        }
        if let Some(known) = self.known.get(&pair(a, b)) {
            return *known;
        }
        let before = self.order.len();
        self.known.insert(pair(a, b), true);
        self.order.push((a.clone(), b.clone()));
        self.depth += 1;
        let fits = self.compare(a, b);
        self.depth -= 1;
        if !fits {
            // What holds only because this pair was taken to hold is open again.
            for (a, b) in &self.order[before + 1..] {
                if self.known.get(&pair(a, b)) == Some(&true) {
                    self.known.remove(&pair(a, b));
                }
            }
            self.known.insert(pair(a, b), false);
        }
        fits
    }

    fn compare(&mut self, a: &Ty, b: &Ty) -> bool {
        match &**b {
            Type::Alias(alias) => return alias.resolved.get().is_some_and(|ty| self.fits(a, ty)),
            Type::Unit => return true,
            Type::Variant(types) if !types.is_empty() => {
                return types.iter().all(|t| self.fits(a, t)) || self.variant_in(a, b);
            }
            Type::Optional(inner) if !matches!(**a, Type::Optional(_)) => {
                return self.fits(a, &Type::Undef.into()) && self.fits(a, inner);
            }
            Type::NotUndef(inner) if !matches!(**a, Type::NotUndef(_) | Type::Any | Type::Variant(_)) => {
                let inner = without_undef(inner);
                return self.fits(a, &inner) && !matches!(*inner, Type::Any);
            }
            Type::Data if !matches!(**a, Type::Data | Type::RichData | Type::Any) => {
                return self.fits(a, &data_type(false));
            }
            Type::RichData if !matches!(**a, Type::RichData | Type::Any) => return self.fits(a, &data_type(true)),
            Type::ScalarData if matches!(**a, Type::Variant(_)) => {
                return scalars().iter().all(|t| self.fits(a, t));
            }
            Type::Numeric if matches!(**a, Type::Variant(_)) => {
                return [int(), float()].iter().all(|t| self.fits(a, t));
            }
            _ => {}
        }
        match &**a {
            Type::Any | Type::Unit => true,
            Type::Alias(alias) => alias.resolved.get().is_some_and(|ty| self.fits(ty, b)),
            Type::Variant(types) => types.iter().any(|t| self.fits(t, b)) || self.enum_in(types, b),
            Type::Optional(inner) => match &**b {
                Type::Undef => true,
                Type::Optional(other) => self.fits(inner, other) || self.fits(a, other),
                _ => self.fits(inner, b),
            },
            Type::NotUndef(inner) => {
                let takes_undef = self.fits(b, &Type::Undef.into());
                match &**b {
                    Type::NotUndef(other) => self.fits(inner, other),
                    _ => !takes_undef && self.fits(inner, b),
                }
            }
            _ => self.plain(a, b),
        }
    }

    fn variant_in(&mut self, a: &Ty, b: &Ty) -> bool {
        match &**a {
            Type::Variant(types) => types.iter().any(|t| self.fits(t, b)),
            _ => false,
        }
    }

    /// `Variant[Enum[a], Enum[b]]` holds `Enum[a, b]`; `Variant[Integer, Float]` holds `Numeric`.
    fn enum_in(&mut self, types: &[Ty], b: &Ty) -> bool {
        match &**b {
            Type::Enum { values, ignores_case: false } if values.len() > 1 => {
                values.iter().all(|v| types.iter().any(|t| self.fits(t, &Type::Literal(v.clone()).into())))
            }
            _ => false,
        }
    }

    fn plain(&mut self, a: &Ty, b: &Ty) -> bool {
        use Type::*;
        match (&**a, &**b) {
            (Scalar, Scalar | Regexp(_) | Timespan(..) | Timestamp(..) | SemVer(_)) => true,
            (Scalar | ScalarData, b) => {
                let is_number = matches!(b, Numeric | Integer(..) | Float(..));
                is_number || matches!(b, ScalarData | String(_) | Literal(_) | Boolean(_) | Enum { .. } | Pattern(_))
            }
            (Numeric, b) => matches!(b, Numeric | Integer(..) | Float(..)),
            (Integer(a, b), Integer(c, d)) => a <= c && d <= b,
            (Float(a, b), Float(c, d)) => a.0 <= c.0 && d.0 <= b.0,
            (Timespan(a, b), Timespan(c, d)) | (Timestamp(a, b), Timestamp(c, d)) => a <= c && d <= b,
            (Boolean(a), Boolean(b)) => a.is_none() || a == b,
            (String(size), String(other)) => holds(*size, *other),
            (String(size), Literal(text)) => within(*size, text.chars().count()),
            (String(size), Enum { values, .. }) => {
                *size == Size::ANY || !values.is_empty() && values.iter().all(|v| within(*size, v.chars().count()))
            }
            (String(size), Pattern(_)) => *size == Size::ANY,
            (Literal(a), Literal(b)) => a == b,
            (Literal(a), Enum { values, .. }) => values.len() == 1 && values[0] == *a,
            (Enum { values, .. }, b) if values.is_empty() => {
                matches!(b, String(_) | Literal(_) | Enum { .. } | Pattern(_))
            }
            (Enum { values, ignores_case }, Literal(text)) => in_enum(values, *ignores_case, text),
            (Enum { values, ignores_case }, Enum { values: others, ignores_case: other_case }) => {
                !others.is_empty()
                    && (*ignores_case || !*other_case)
                    && others.iter().all(|v| in_enum(values, *ignores_case, v))
            }
            (Pattern(sources), Literal(text)) => sources.is_empty() || any_match(sources, text),
            (Pattern(sources), Enum { values, .. }) => {
                sources.is_empty() || !values.is_empty() && values.iter().all(|v| any_match(sources, v))
            }
            (Pattern(sources), Pattern(others)) => {
                sources.is_empty() || !others.is_empty() && others.iter().all(|o| sources.contains(o))
            }
            (Pattern(sources), String(_)) => sources.is_empty(),
            (Regexp(a), Regexp(b)) => a.is_none() || a == b,
            (SemVer(a), SemVer(b)) => {
                a.is_empty()
                    || !b.is_empty()
                        && b.iter().all(|v| {
                            let covers = |range: &Arc<str>| {
                                Range::parse(range).zip(Range::parse(v)).is_some_and(|(a, b)| a.covers(&b))
                            };
                            a.contains(v) || Version::parse(v).is_some_and(|v| in_ranges(a, &v)) || a.iter().any(covers)
                        })
            }
            (Binary, Binary) | (SemVerRange, SemVerRange) => true,
            (Uri(a), Uri(b)) => a.iter().all(|(name, wanted)| {
                let found = b.iter().find(|(n, _)| n == name).map(|(_, v)| v);
                found == Some(wanted) || part_matches(wanted, found)
            }),
            (Collection(size), b) => size_of(b).is_some_and(|other| holds(*size, other)),
            (Array(inner, size), Array(other, other_size)) => {
                holds(*size, *other_size) && (other_size.to == 0 || self.fits(inner, other))
            }
            (Array(inner, size), Tuple(types, _)) => {
                size_of(b).is_some_and(|other| holds(*size, other)) && types.iter().all(|t| self.fits(inner, t))
            }
            (Tuple(types, _), Array(inner, other)) => {
                let size = size_of(a).unwrap_or(Size::ANY);
                holds(size, *other) && (other.to == 0 || types.iter().all(|t| self.fits(t, inner)))
            }
            (Tuple(types, _), Tuple(others, _)) => {
                let (Some(size), Some(other)) = (size_of(a), size_of(b)) else { return false };
                if !holds(size, other) {
                    return false;
                }
                if types.is_empty() {
                    return true;
                }
                let most = types.len().max(others.len());
                (0..most).all(|i| match (types.get(i).or(types.last()), others.get(i).or(others.last())) {
                    (Some(a), Some(b)) => self.fits(a, b),
                    _ => true,
                })
            }
            (Hash(key, item, size), Hash(other_key, other_item, other)) => {
                holds(*size, *other) && (other.to == 0 || self.fits(key, other_key) && self.fits(item, other_item))
            }
            (Hash(key, item, size), Struct(members)) => {
                size_of(b).is_some_and(|other| holds(*size, other))
                    && members.iter().all(|m| self.fits(key, &Literal(m.name.clone()).into()) && self.fits(item, &m.ty))
            }
            (Struct(members), Hash(key, item, size)) => {
                let required = members.iter().filter(|m| !optional(m)).count() as i64;
                let all = members.len() as i64;
                size.from >= required
                    && size.to <= all
                    && (size.to == 0
                        || self.fits(&Type::String(Size { from: 1, to: i64::MAX }).into(), key)
                            && members.iter().all(|m| self.fits(&m.ty, item)))
            }
            (Struct(members), Struct(others)) => {
                let mut found = 0;
                for member in members {
                    match others.iter().find(|o| o.name == member.name) {
                        Some(other) => {
                            found += 1;
                            if !self.fits(&member.ty, &other.ty) || !optional(member) && other.is_optional {
                                return false;
                            }
                        }
                        None if optional(member) => {}
                        None => return false,
                    }
                }
                found == others.len()
            }
            (Iterable(inner), b) => match b {
                Array(other, _) | Iterable(other) | Iterator(other) => self.fits(inner, other),
                Tuple(types, _) => types.iter().all(|t| self.fits(inner, t)),
                Hash(key, item, _) => {
                    let pair = Tuple(vec![key.clone(), item.clone()], None).into();
                    self.fits(inner, &pair)
                }
                Struct(members) => members.iter().all(|m| {
                    let pair = Tuple(vec![Literal(m.name.clone()).into(), m.ty.clone()], None).into();
                    self.fits(inner, &pair)
                }),
                Integer(from, to) => {
                    *from != i64::MIN && *to != i64::MAX && self.fits(inner, &Integer(*from, *to).into())
                }
                String(_) | Literal(_) | Enum { .. } | Pattern(_) => {
                    self.fits(inner, &String(Size { from: 1, to: 1 }).into())
                }
                Meta(other) => match &**other {
                    Integer(from, to) if *from != i64::MIN && *to != i64::MAX => self.fits(inner, other),
                    Enum { values, .. } => values.iter().all(|v| self.fits(inner, &Literal(v.clone()).into())),
                    _ => false,
                },
                Binary => self.fits(inner, &Integer(0, 255).into()),
                _ => false,
            },
            (Iterator(inner), Iterator(other)) => self.fits(inner, other),
            (Meta(inner), Meta(other)) => self.fits(inner, other),
            (Sensitive(inner), Sensitive(other)) => self.fits(inner, other),
            (Callable(None), Callable(_)) => true,
            (Callable(Some(a)), Callable(Some(b))) => self.callable(a, b),
            (Runtime(a, b), Runtime(c, d)) => (a.is_none() || a == c) && (b.is_none() || b == d),
            (CatalogEntry, b) => matches!(b, CatalogEntry | Resource(..) | Class(_)),
            (Resource(name, title), Resource(other, other_title)) => {
                (name.is_none() || name == other) && (title.is_none() || title == other_title)
            }
            (Class(a), Class(b)) => a.is_none() || a == b,
            (Object(None), Object(_)) => true,
            (Object(Some(a)), Object(Some(b))) => {
                let mut at = Some(b.clone());
                let holds = a.params.iter().all(|(name, wanted)| {
                    b.params
                        .iter()
                        .find(|(n, _)| n == name)
                        .is_some_and(|(_, found)| super::object::param_fits(wanted, found))
                });
                if !holds {
                    return false;
                }
                while let Some(object) = at {
                    if object.name == a.name && (a.name.is_some() || object == *a) {
                        return true;
                    }
                    at = object.parent.as_ref().and_then(|p| match &**p {
                        Object(Some(parent)) => Some(parent.clone()),
                        _ => None,
                    });
                }
                false
            }
            (Object(None), Error | Deferred) => true,
            (TypeSet(None), TypeSet(_)) => true,
            (Data, b) => self.data(b, false),
            (RichData, b) => self.data(b, true),
            (RichDataKey, b) => {
                matches!(b, String(_) | Literal(_) | Enum { .. } | Pattern(_) | Integer(..) | Float(..) | Numeric)
            }
            (Init(None, _), b) => !matches!(b, Runtime(..)),
            (Init(Some(inner), _), Init(Some(other), _)) => self.fits(inner, other),
            (Init(Some(inner), args), _) => {
                // A string is made of anything, a number of other numbers and of text.
                self.fits(inner, b)
                    || args.is_empty()
                        && match &**inner {
                            String(_) => !matches!(&**b, Init(..)),
                            Integer(..) | Float(..) | Numeric => {
                                matches!(&**b, Numeric | Integer(..) | Float(..) | Boolean(_))
                            }
                            _ => false,
                        }
            }
            _ => false,
        }
    }

    fn data(&mut self, b: &Type, rich: bool) -> bool {
        let this: Ty = if rich { Type::RichData.into() } else { Type::Data.into() };
        match b {
            Type::Data | Type::Undef => true,
            Type::RichData => rich,
            Type::Array(inner, size) => size.to == 0 || self.fits(&this, inner),
            Type::Tuple(types, _) => types.iter().all(|t| self.fits(&this, t)),
            Type::Hash(key, item, size) => {
                let key_type: Ty = if rich { Type::RichDataKey.into() } else { Type::String(Size::ANY).into() };
                size.to == 0 || self.fits(&key_type, key) && self.fits(&this, item)
            }
            Type::Struct(members) => members.iter().all(|m| self.fits(&this, &m.ty)),
            Type::Default
            | Type::Binary
            | Type::Meta(_)
            | Type::TypeSet(_)
            | Type::Sensitive(_)
            | Type::SemVerRange
            | Type::Uri(_)
            | Type::Object(_) => rich,
            _ => {
                let scalar: Ty = if rich { Type::Scalar.into() } else { Type::ScalarData.into() };
                self.fits(&scalar, &b.clone().into())
            }
        }
    }

    /// Parameters the other way round, the result straight.
    fn callable(&mut self, a: &Callable, b: &Callable) -> bool {
        if let Some(returns) = &a.returns
            && !matches!(**returns, Type::Any)
        {
            let any = Type::Any.into();
            let other = b.returns.as_ref().unwrap_or(&any);
            if !self.fits(returns, other) {
                return false;
            }
        }
        let tuple = |c: &Callable| -> Ty { Type::Tuple(c.params.clone(), c.size).into() };
        let takes_nothing = b.params.is_empty() && b.size.is_none() && a.params.is_empty();
        if !takes_nothing && !self.fits(&tuple(b), &tuple(a)) {
            return false;
        }
        match (&b.block, &a.block) {
            (None, None) => true,
            (None, Some(other)) => matches!(**other, Type::Optional(_)),
            (Some(block), Some(other)) => self.fits(block, other),
            (Some(block), None) => matches!(**block, Type::Optional(_)),
        }
    }
}

fn optional(member: &Member) -> bool {
    member.is_optional || !member.is_not_undef && is_instance(&member.ty, &Value::Undef)
}

fn in_enum(values: &[Arc<str>], ignores_case: bool, text: &str) -> bool {
    if !ignores_case {
        return values.iter().any(|value| **value == *text);
    }
    let text = text.to_lowercase();
    values.iter().any(|value| value.to_lowercase() == text)
}

fn any_match(sources: &[Arc<str>], text: &str) -> bool {
    sources.iter().any(|source| Regexp::new(source.clone()).is_match(text).unwrap_or(false))
}

pub(super) fn size_of(ty: &Type) -> Option<Size> {
    match ty {
        Type::Array(_, size) | Type::Hash(_, _, size) | Type::Collection(size) => Some(*size),
        Type::Tuple(types, size) => Some(size.unwrap_or(Size::exactly(types.len()))),
        Type::Struct(members) => {
            Some(Size { from: members.iter().filter(|m| !optional(m)).count() as i64, to: members.len() as i64 })
        }
        _ => None,
    }
}

fn without_undef(ty: &Ty) -> Ty {
    match &**ty {
        Type::Optional(inner) => without_undef(inner),
        Type::Variant(types) => {
            Type::Variant(types.iter().filter(|t| !matches!(***t, Type::Undef)).map(without_undef).collect()).into()
        }
        _ => ty.clone(),
    }
}

fn int() -> Ty {
    Type::Integer(i64::MIN, i64::MAX).into()
}

fn float() -> Ty {
    Type::Float(super::Bound(f64::NEG_INFINITY), super::Bound(f64::INFINITY)).into()
}

fn scalars() -> [Ty; 4] {
    [int(), float(), Type::String(Size::ANY).into(), Type::Boolean(None).into()]
}

/// What `Data` and `RichData` are, one level deep.
fn data_type(rich: bool) -> Ty {
    static PLAIN: LazyLock<Ty> = LazyLock::new(|| made_data_type(false));
    static RICH: LazyLock<Ty> = LazyLock::new(|| made_data_type(true));
    if rich { RICH.clone() } else { PLAIN.clone() }
}

fn made_data_type(rich: bool) -> Ty {
    let this: Ty = if rich { Type::RichData.into() } else { Type::Data.into() };
    let key: Ty = if rich { Type::RichDataKey.into() } else { Type::String(Size::ANY).into() };
    let mut types: Vec<Ty> = vec![
        if rich { Type::Scalar.into() } else { Type::ScalarData.into() },
        Type::Undef.into(),
        Type::Hash(key, this.clone(), Size::ANY).into(),
        Type::Array(this, Size::ANY).into(),
    ];
    if rich {
        types.extend([
            Type::Binary.into(),
            Type::Default.into(),
            Type::Meta(Type::Any.into()).into(),
            Type::SemVerRange.into(),
        ]);
    }
    Type::Variant(types).into()
}
