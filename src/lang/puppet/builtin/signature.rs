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
            call.wrong_count(message).edit(place).help(of_block(name, &signatures))
        } else {
            call.wrong_count(message)
        }
    }
}

/// What to write for a block with parameters that the function does not give.
fn of_block(name: &str, signatures: &[Signature]) -> String {
    match name {
        "reduce" => "write two parameters: `|$memo, $value|`".into(),
        _ if signatures.len() > 1 => {
            "write one or two parameters: `|$value|`, or `|$index, $value|` and `|$key, $value|`".into()
        }
        _ => "write as many parameters as the function gives".into(),
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
