//! What the functions take: the signatures of each, tried in their order before a call.

use super::Function;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::signature::{Refused, Signature};
use crate::lang::puppet::stop::{Help, Run};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::value::Value;

impl Evaluator<'_> {
    /// Fails for a call that none of a function's signatures takes.
    pub fn check_signature(&mut self, function: &Function, call: &Call) -> Run<()> {
        let name = function.name;
        if function.takes.is_empty() {
            return Ok(());
        }
        if !self.program.signatures.contains_key(name) {
            let mut made = Vec::new();
            for (text, names) in function.takes {
                if let Type::Callable(Some(callable)) = &*self.type_from_text(text, call.span)? {
                    made.push(Signature { callable: callable.clone(), names: names.split(' ').collect() });
                }
            }
            self.program.signatures.insert(name, made.into());
        }
        let Some(signatures) = self.program.signatures.get(name).cloned() else { return Ok(()) };
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
        let message = message(name, &signatures, &refused, &call.args);
        let is_type = |refused: &Refused| matches!(refused, Refused::Argument(..) | Refused::NoBlock);
        let is_undef = |refused: &Refused| matches!(refused, Refused::Argument(at, _) if call.args.get(*at) == Some(&Value::Undef));
        if refused.iter().any(is_undef) {
            call.wrong_argument(&Value::Undef, message)
        } else if refused.iter().all(is_type) {
            call.wrong_type(message)
        } else if let (Some(block), true) = (&call.block, message.contains("block expects")) {
            let place = block.lambda.params.first().map_or(call.span, |first| first.span);
            let help = of_block(&message);
            call.wrong_count(message).edit(place).help(help)
        } else {
            call.wrong_count(message)
        }
    }
}

/// The numbers of parameters that the signatures give to a block, from the message that refuses one.
fn of_block(message: &str) -> String {
    let mut counts: Vec<usize> = message
        .split("got ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect();
    counts.sort_unstable();
    counts.dedup();
    let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
    match counts.is_empty() {
        true => "write a block without parameters: `|| { … }`".into(),
        false => format!("write a block with {} parameters", counts.join(" or ")),
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
