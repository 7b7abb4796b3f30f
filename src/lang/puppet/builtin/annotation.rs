//! `annotate`: what is attached to types and objects.

use super::Function;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::{At, Run};
use crate::lang::puppet::types::{self, Ty};
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "annotate",
    signature: "annotate(Type[Annotation] annotation, Any value, Optional[Variant[Enum[clear], Hash[String, Any]]] content)",
    doc: "The annotation of a value. A hash replaces it, `clear` removes it, and a lambda gives one where there is none.",
    call: annotate,
    ..Function::PLAIN
}];

fn annotate(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 3)?;
    let Value::Type(ty) = call.arg(0).clone() else {
        let got = types::infer_generic(call.arg(0));
        return call.wrong_type(format!("'annotate' parameter 'type' expects a Type[Annotation] value, got {got}"));
    };
    if !types::is_annotation(&ty) {
        return call
            .wrong_type(format!("'annotate' parameter 'type' expects a Type[Annotation] value, got Type[{ty}]"));
    }
    let of = call.arg(1).clone();
    let declared = match &of {
        Value::Type(of) => types::declared_annotation(of, &ty),
        Value::Object(object) => types::declared_annotation(&object.ty, &ty),
        _ => None,
    };
    let Some(content) = call.args.get(2) else {
        if let Some(found) = e.annotations.iter().find(|there| there.is(&ty, &of)) {
            return Ok(found.value.clone());
        }
        let content = match (declared, &call.block) {
            (Some(content), _) => content,
            (None, Some(block)) => e.apply(&block.clone(), &[], call.span)?,
            (None, None) => Value::Undef,
        };
        return if content == Value::Undef { Ok(content) } else { attach(e, call, &ty, of, content) };
    };
    let clears = content.as_str() == Some("clear");
    if declared.is_some() {
        let (verb, of) = (if clears { "clear" } else { "redefine" }, label(&of));
        return call.fail(format!("attempt to {verb} {ty} annotation declared on {of}"));
    }
    let before = e.annotations.iter().position(|there| there.is(&ty, &of)).map(|at| e.annotations.remove(at).value);
    if clears {
        return Ok(before.unwrap_or(Value::Undef));
    }
    attach(e, call, &ty, of, content.clone())
}

fn attach(e: &mut Evaluator<'_>, call: &Call, ty: &Ty, of: Value, content: Value) -> Run {
    let value = types::new::new(ty, &[content]).at(call.span)?;
    e.annotations.push(types::Annotation { of, value: value.clone() });
    Ok(value)
}

fn label(of: &Value) -> String {
    match of {
        Value::Type(ty) => ty.to_string(),
        Value::Object(object) => format!("instance of {}", types::object_name(&object.ty)),
        other => types::infer_generic(other).to_string(),
    }
}
