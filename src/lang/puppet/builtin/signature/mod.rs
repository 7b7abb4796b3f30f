//! What the functions take: the signatures of each, tried in their order before a call.

mod table;

use super::Function;
use crate::lang::puppet::eval::stop::Run;
use crate::lang::puppet::eval::{Call, Evaluator};
use crate::lang::puppet::types::{self, Callable, Ty, Type};
use crate::lang::puppet::value::Value;
use table::SIGNATURES;

/// A signature whose types are resolved.
#[derive(Debug)]
pub struct Signature {
    callable: Callable,
    names: Vec<&'static str>,
}

/// Why one signature does not take a call.
enum Refused {
    Count(usize, usize),
    Argument(usize, Ty),
    Block(String),
}

impl Signature {
    fn bounds(&self) -> (usize, usize) {
        let count = self.callable.params.len();
        let bound = |size: i64| usize::try_from(size).unwrap_or(0);
        match self.callable.size {
            Some(size) if size.to == i64::MAX => (bound(size.from), usize::MAX),
            Some(size) => (bound(size.from), bound(size.to)),
            None => (count, count),
        }
    }

    fn parameter(&self, index: usize) -> Option<(&'static str, &Ty)> {
        let at = index.min(self.callable.params.len().checked_sub(1)?);
        Some((self.names.get(at).copied().unwrap_or_default(), self.callable.params.get(at)?))
    }

    fn arguments(&self, args: &[Value]) -> Option<Refused> {
        let (least, most) = self.bounds();
        if args.len() < least || args.len() > most {
            return Some(Refused::Count(least, most));
        }
        args.iter().enumerate().find_map(|(i, arg)| {
            let (_, ty) = self.parameter(i)?;
            (!types::is_instance(ty, arg)).then(|| Refused::Argument(i, ty.clone()))
        })
    }

    fn block(&self, call: &Call) -> Option<Refused> {
        let (is_optional, wanted) = match self.callable.block.as_deref() {
            None => return call.block.as_ref().map(|_| Refused::Block("does not expect a block".into())),
            Some(Type::Optional(inner)) => (true, &**inner),
            Some(wanted) => (false, wanted),
        };
        let Some(block) = &call.block else {
            return (!is_optional).then(|| Refused::Block("expects a block".into()));
        };
        let Type::Callable(Some(wanted)) = wanted else { return None };
        let given = Signature { callable: wanted.clone(), names: Vec::new() }.bounds().0;
        let (least, most) = block.arity();
        (given < least || given > most)
            .then(|| Refused::Block(format!("block {}", types::count_mismatch(least, most, given))))
    }

    /// `Numeric a, String b?, Callable[1, 1] block`.
    fn shown(&self) -> String {
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

    fn describe(&self, refused: &Refused, args: &[Value]) -> Vec<String> {
        match refused {
            Refused::Count(least, most) => vec![types::count_mismatch(*least, *most, args.len())],
            Refused::Block(text) => vec![text.clone()],
            Refused::Argument(index, ty) => {
                let name = self.parameter(*index).map_or("", |(name, _)| name);
                args.get(*index).map(|arg| types::argument_mismatch(name, ty, arg)).unwrap_or_default()
            }
        }
    }
}

impl Evaluator<'_> {
    /// Fails for a call that none of a function's signatures takes.
    pub fn check_signature(&mut self, function: &Function, call: &Call) -> Run<()> {
        let Ok(at) = SIGNATURES.binary_search_by_key(&function.name, |row| row.0) else { return Ok(()) };
        let (name, rows) = SIGNATURES[at];
        if !self.signatures.contains_key(name) {
            let mut made = Vec::new();
            for (text, names) in rows {
                if let Type::Callable(Some(callable)) = &*self.type_from_text(text, call.span)? {
                    made.push(Signature { callable: callable.clone(), names: names.split(' ').collect() });
                }
            }
            self.signatures.insert(name, made.into());
        }
        let Some(signatures) = self.signatures.get(name).cloned() else { return Ok(()) };
        let arguments: Vec<Option<Refused>> = signatures.iter().map(|s| s.arguments(&call.args)).collect();
        let fits =
            |(signature, refused): (&Signature, &Option<Refused>)| refused.is_none() && signature.block(call).is_none();
        if signatures.iter().zip(&arguments).any(fits) {
            return Ok(());
        }
        let blocks: Vec<Option<Refused>> = signatures.iter().map(|s| s.block(call)).collect();
        let skips_arguments = arguments.iter().any(Option::is_none) && blocks.iter().all(Option::is_some);
        let refused: Vec<Refused> = arguments
            .into_iter()
            .zip(blocks)
            .filter_map(|(argument, block)| if skips_arguments { block } else { argument.or(block) })
            .collect();
        call.fail(message(name, &signatures, &refused, &call.args))
    }
}

fn message(name: &str, signatures: &[Signature], refused: &[Refused], args: &[Value]) -> String {
    let lines: Vec<Vec<String>> = signatures.iter().zip(refused).map(|(s, r)| s.describe(r, args)).collect();
    if let Some(only) = common(signatures, refused, &lines, args) {
        return format!("'{name}' {only}");
    }
    let mut out = match signatures {
        [one] => vec![format!("'{name}' expects ({})", one.shown())],
        _ => vec![format!("The function '{name}' was called with arguments it does not accept. It expects one of:")],
    };
    let margin = if signatures.len() == 1 { "" } else { "  " };
    for (signature, lines) in signatures.iter().zip(lines) {
        if signatures.len() > 1 {
            out.push(format!("  ({})", signature.shown()));
        }
        out.extend(lines.iter().map(|line| format!("{margin}  rejected: {line}")));
    }
    out.join("\n")
}

/// One text for all signatures, if they refuse a call for the same reason.
fn common(signatures: &[Signature], refused: &[Refused], lines: &[Vec<String>], args: &[Value]) -> Option<String> {
    let counts: Vec<(usize, usize)> =
        refused.iter().filter_map(|r| if let Refused::Count(a, b) = r { Some((*a, *b)) } else { None }).collect();
    if counts.len() == refused.len() {
        let (least, most) = (counts.iter().map(|c| c.0).min()?, counts.iter().map(|c| c.1).max()?);
        return Some(types::count_mismatch(least, most, args.len()));
    }
    let mut flat: Vec<&String> = lines.iter().flatten().collect();
    flat.dedup();
    if let [only] = flat[..] {
        return Some(only.clone());
    }
    let mut wanted = Vec::new();
    let mut place = None;
    for (signature, refused) in signatures.iter().zip(refused) {
        let Refused::Argument(index, ty) = refused else { return None };
        let name = signature.parameter(*index)?.0;
        if *place.get_or_insert((*index, name)) != (*index, name) {
            return None;
        }
        wanted.push(ty.clone());
    }
    let (index, name) = place?;
    match &types::argument_mismatch(name, &Type::Variant(wanted).into(), args.get(index)?)[..] {
        [only] => Some(only.clone()),
        _ => None,
    }
}
