//! What a function takes, and why it does not take a call.

use super::call::Call;
use super::types::{self, Callable, Ty, Type};
use super::value::Value;

/// A signature whose types are resolved.
#[derive(Debug)]
pub struct Signature {
    pub callable: Callable,
    pub names: Vec<&'static str>,
}

/// Why one signature does not take a call.
pub enum Refused {
    Count(usize, usize),
    Argument(usize, Ty),
    /// A block is missing.
    NoBlock,
    /// A block is not expected.
    Block,
    /// A block with the arity of the first two numbers would get the third number of arguments.
    BlockCount(usize, usize, usize),
}

impl Signature {
    /// Returns the smallest and the largest number of arguments; `usize::MAX` is unbounded.
    pub fn bounds(&self) -> (usize, usize) {
        let count = self.callable.params.len();
        let bound = |size: i64| usize::try_from(size).unwrap_or(0);
        match self.callable.size {
            Some(size) if size.to == i64::MAX => (bound(size.from), usize::MAX),
            Some(size) => (bound(size.from), bound(size.to)),
            None => (count, count),
        }
    }

    /// Returns the name and type for the argument at an index; the last parameter also takes all further ones.
    pub fn parameter(&self, index: usize) -> Option<(&'static str, &Ty)> {
        let at = index.min(self.callable.params.len().checked_sub(1)?);
        Some((self.names.get(at).copied().unwrap_or_default(), self.callable.params.get(at)?))
    }

    /// Returns the reason why the signature does not accept these arguments, if there is one.
    pub fn arguments(&self, args: &[Value]) -> Option<Refused> {
        let (least, most) = self.bounds();
        if args.len() < least || args.len() > most {
            return Some(Refused::Count(least, most));
        }
        args.iter().enumerate().find_map(|(i, arg)| {
            let (_, ty) = self.parameter(i)?;
            (!types::is_instance(ty, arg)).then(|| Refused::Argument(i, ty.clone()))
        })
    }

    /// Returns the reason why the signature does not accept the block of a call, or its absence, if there is one.
    pub fn block(&self, call: &Call) -> Option<Refused> {
        let (is_optional, wanted) = match self.callable.block.as_deref() {
            None => return call.block.as_ref().map(|_| Refused::Block),
            Some(Type::Optional(inner)) => (true, &**inner),
            Some(wanted) => (false, wanted),
        };
        let Some(block) = &call.block else {
            return (!is_optional).then(|| Refused::NoBlock);
        };
        let Type::Callable(Some(wanted)) = wanted else { return None };
        let given = Signature { callable: wanted.clone(), names: Vec::new() }.bounds().0;
        let (least, most) = block.arity();
        (given < least || given > most).then(|| Refused::BlockCount(least, most, given))
    }

    /// `Numeric a, String b?, Callable[1, 1] block`.
    pub fn shown(&self) -> String {
        let (least, most) = self.bounds();
        let count = self.callable.params.len();
        let mut parts = Vec::new();
        for (i, (ty, name)) in self.callable.params.iter().zip(&self.names).enumerate() {
            let (ty, sign) = match &**ty {
                _ if most == usize::MAX && i + 1 == count => (ty, if least == count { "+" } else { "*" }),
                Type::Optional(inner) if i >= least => (inner, "?"),
                _ if i >= least => (ty, "?"),
                _ => (ty, ""),
            };
            parts.push(format!("{ty} {name}{sign}"));
        }
        let block = self.names.get(count).copied().unwrap_or("block");
        if let Some(wanted) = &self.callable.block {
            parts.push(match &**wanted {
                Type::Optional(inner) => format!("{inner} {block}?"),
                _ => format!("{wanted} {block}"),
            });
        }
        parts.join(", ")
    }

    /// Returns the messages for a refused call, in the words of the reference.
    pub fn describe(&self, refused: &Refused, args: &[Value]) -> Vec<String> {
        match refused {
            Refused::Count(least, most) => vec![types::count_mismatch(*least, *most, args.len())],
            Refused::NoBlock => vec!["expects a block".into()],
            Refused::Block => vec!["does not expect a block".into()],
            Refused::BlockCount(least, most, given) => {
                vec![format!("block {}", types::count_mismatch(*least, *most, *given))]
            }
            Refused::Argument(index, ty) => {
                let name = self.parameter(*index).map_or("", |(name, _)| name);
                args.get(*index).map(|arg| types::argument_mismatch(name, ty, arg)).unwrap_or_default()
            }
        }
    }
}
