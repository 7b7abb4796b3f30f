//! Parses the types of built-in functions and variables: mcl's types, with `?1` for type variables.

use smol_str::SmolStr;

use super::call::count;
use super::term::{Clash, Origin, Term, Terms, Ty};

/// A type in a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    Bool,
    Str,
    Int,
    Float,
    List(Box<Pattern>),
    Map(Box<Pattern>, Box<Pattern>),
    Struct(Vec<(SmolStr, Pattern)>),
    Func(Vec<Pattern>, Box<Pattern>),
    /// The same number means the same type.
    Hole(usize),
}

/// One way to call a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Names may be empty.
    pub params: Vec<(SmolStr, Pattern)>,
    /// The last parameter may be repeated or omitted.
    pub variadic: bool,
    pub result: Pattern,
}

/// The types of a signature's holes at one call.
#[derive(Debug, Default)]
pub struct Holes(Vec<Option<Ty>>);

impl Signature {
    /// Whether it can be called with this many arguments.
    pub fn takes(&self, count: usize) -> bool {
        if self.variadic { count + 1 >= self.params.len() } else { count == self.params.len() }
    }

    /// How many arguments it takes, in words.
    pub fn count(&self) -> String {
        match self.variadic {
            true => format!("{} or more", count(self.params.len().saturating_sub(1))),
            false => count(self.params.len()),
        }
    }

    /// The n-th parameter.
    pub fn param(&self, index: usize) -> Option<&(SmolStr, Pattern)> {
        self.params.get(index).or_else(|| self.params.last().filter(|_| self.variadic))
    }
}

impl Pattern {
    /// Unifies a type with the pattern.
    pub fn meet(&self, ty: Ty, holes: &mut Holes, terms: &mut Terms, origin: Origin) -> Result<(), Clash> {
        if let Pattern::Hole(n) = self {
            return match holes.get(*n) {
                Some(known) => terms.unify(known, ty),
                None => {
                    holes.set(*n, ty);
                    Ok(())
                }
            };
        }
        match (self, terms.term(ty)) {
            (_, Term::Refused)
            | (Pattern::Bool, Term::Bool)
            | (Pattern::Str, Term::Str)
            | (Pattern::Int, Term::Int)
            | (Pattern::Float, Term::Float) => Ok(()),
            (Pattern::List(item), Term::List(ty)) => item.meet(ty, holes, terms, origin),
            (Pattern::Map(key, value), Term::Map(k, v)) => {
                key.meet(k, holes, terms, origin)?;
                value.meet(v, holes, terms, origin)
            }
            (Pattern::Func(params, result), Term::Func { at, params: count }) if params.len() == count as usize => {
                for (i, param) in params.iter().enumerate() {
                    param.meet(terms.part(at, i as u32), holes, terms, origin)?;
                }
                result.meet(terms.part(at, count), holes, terms, origin)
            }
            _ => {
                let wanted = self.make(holes, terms, origin);
                terms.unify(wanted, ty)
            }
        }
    }

    /// A type of this pattern; unassigned holes become variables.
    pub fn make(&self, holes: &mut Holes, terms: &mut Terms, origin: Origin) -> Ty {
        match self {
            Pattern::Bool => terms.plain(Term::Bool, origin),
            Pattern::Str => terms.plain(Term::Str, origin),
            Pattern::Int => terms.plain(Term::Int, origin),
            Pattern::Float => terms.plain(Term::Float, origin),
            Pattern::List(item) => {
                let item = item.make(holes, terms, origin);
                terms.list(item, origin)
            }
            Pattern::Map(key, value) => {
                let (key, value) = (key.make(holes, terms, origin), value.make(holes, terms, origin));
                terms.map(key, value, origin)
            }
            Pattern::Struct(fields) => {
                let names: Vec<_> = fields.iter().map(|(name, _)| name.clone()).collect();
                let types: Vec<_> = fields.iter().map(|(_, ty)| ty.make(holes, terms, origin)).collect();
                terms.structure(&names, &types, origin)
            }
            Pattern::Func(params, result) => {
                let params: Vec<_> = params.iter().map(|ty| ty.make(holes, terms, origin)).collect();
                let result = result.make(holes, terms, origin);
                terms.func(&params, result, origin)
            }
            Pattern::Hole(n) => match holes.get(*n) {
                Some(ty) => ty,
                None => {
                    let ty = terms.var(origin);
                    holes.set(*n, ty);
                    ty
                }
            },
        }
    }

    /// Whether it has no holes.
    pub fn is_complete(&self) -> bool {
        match self {
            Pattern::Bool | Pattern::Str | Pattern::Int | Pattern::Float => true,
            Pattern::List(item) => item.is_complete(),
            Pattern::Map(key, value) => key.is_complete() && value.is_complete(),
            Pattern::Struct(fields) => fields.iter().all(|(_, ty)| ty.is_complete()),
            Pattern::Func(params, result) => params.iter().all(Pattern::is_complete) && result.is_complete(),
            Pattern::Hole(_) => false,
        }
    }

    /// The term of a pattern without parts.
    pub fn plain(&self) -> Option<Term> {
        match self {
            Pattern::Bool => Some(Term::Bool),
            Pattern::Str => Some(Term::Str),
            Pattern::Int => Some(Term::Int),
            Pattern::Float => Some(Term::Float),
            _ => None,
        }
    }
}

impl Holes {
    fn get(&self, n: usize) -> Option<Ty> {
        self.0.get(n).copied().flatten()
    }

    fn set(&mut self, n: usize, ty: Ty) {
        if self.0.len() <= n {
            self.0.resize(n + 1, None);
        }
        self.0[n] = Some(ty);
    }
}

/// Parses `func(a str, b ?1) ?1`. `None` if it is not a signature, which only a mistake in our tables can cause.
pub fn signature(text: &str) -> Option<Signature> {
    let mut reader = Reader { rest: text };
    reader.take("func");
    let (params, result) = reader.signature()?;
    reader.end().then_some(Signature { params, variadic: false, result })
}

/// Parses a type.
pub fn pattern(text: &str) -> Option<Pattern> {
    let mut reader = Reader { rest: text };
    let pattern = reader.pattern()?;
    reader.end().then_some(pattern)
}

/// Parameters with their names, and the result.
type Parts = (Vec<(SmolStr, Pattern)>, Pattern);

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn end(&mut self) -> bool {
        self.rest.trim().is_empty()
    }

    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    fn signature(&mut self) -> Option<Parts> {
        let mut params = Vec::new();
        if !self.take("(") {
            return None;
        }
        while !self.take(")") {
            if !params.is_empty() && !self.take(",") {
                return None;
            }
            params.push(self.param()?);
        }
        Some((params, self.pattern()?))
    }

    /// `$name type`, `name type`, or a type alone.
    fn param(&mut self) -> Option<(SmolStr, Pattern)> {
        let dollar = self.take("$");
        let before = self.rest;
        let name = self.word();
        let alone = self.rest.trim_start().starts_with([',', ')', '(', '{']);
        if name.is_empty() || alone && !dollar {
            self.rest = before;
            return Some((SmolStr::default(), self.pattern()?));
        }
        Some((name.into(), self.pattern()?))
    }

    fn pattern(&mut self) -> Option<Pattern> {
        if self.take("[]") {
            return Some(Pattern::List(Box::new(self.pattern()?)));
        }
        if self.take("?") {
            return self.word().parse().ok().map(Pattern::Hole);
        }
        match self.word() {
            "bool" => Some(Pattern::Bool),
            "str" => Some(Pattern::Str),
            "int" => Some(Pattern::Int),
            "float" => Some(Pattern::Float),
            "map" => {
                let (open, key) = (self.take("{"), self.pattern()?);
                let (colon, value) = (self.take(":"), self.pattern()?);
                (open && colon && self.take("}")).then(|| Pattern::Map(Box::new(key), Box::new(value)))
            }
            "struct" => {
                let mut fields = Vec::new();
                if !self.take("{") {
                    return None;
                }
                while !self.take("}") {
                    fields.push((self.word().into(), self.pattern()?));
                    self.take(";");
                }
                Some(Pattern::Struct(fields))
            }
            "func" => {
                let (params, result) = self.signature()?;
                Some(Pattern::Func(params.into_iter().map(|(_, p)| p).collect(), Box::new(result)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_holes() {
        let read = signature("func(function func(?1) ?2, items []?1) map{str: ?2}").expect("a signature");
        assert_eq!(read.params[0].0, "function");
        assert_eq!(read.params[0].1, Pattern::Func(vec![Pattern::Hole(1)], Box::new(Pattern::Hole(2))));
        assert_eq!(read.params[1], ("items".into(), Pattern::List(Box::new(Pattern::Hole(1)))));
        assert!(read.takes(2) && !read.takes(1));
        let many = Signature { variadic: true, ..read.clone() };
        assert!(many.takes(5) && many.takes(1) && !many.takes(0));
        assert_eq!(read.result, Pattern::Map(Box::new(Pattern::Str), Box::new(Pattern::Hole(2))));
    }

    #[test]
    fn reads_types_without_names() {
        let read = signature("func(str, []int) struct{x1 float; ready bool}").expect("a signature");
        assert_eq!(
            read.params,
            [(SmolStr::default(), Pattern::Str), (SmolStr::default(), Pattern::List(Box::new(Pattern::Int)))]
        );
        assert_eq!(signature("func() nothing"), None);
        assert_eq!(pattern("[]str junk"), None);
    }

    #[test]
    fn a_call_fills_the_holes() {
        let (mut terms, mut holes, here) = (Terms::default(), Holes::default(), Origin::Spot(0));
        let read = signature("func(map{?1: ?2}, ?1) ?2").expect("a signature");
        let (str_, int) = (terms.plain(Term::Str, here), terms.plain(Term::Int, here));
        let map = terms.map(str_, int, here);
        let key = terms.var(here);
        read.params[0].1.meet(map, &mut holes, &mut terms, here).expect("a map");
        read.params[1].1.meet(key, &mut holes, &mut terms, here).expect("a key");
        let result = read.result.make(&mut holes, &mut terms, here);
        assert_eq!((terms.show(key), terms.show(result)), ("str".into(), "int".into()));
    }
}
