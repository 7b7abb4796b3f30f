//! Resource types of the program as kinds that `doc`, hovers and breakpoints know.

use super::ast::arm;
use super::eval::Evaluator;
use super::types::model::{Member, MemberType, Model};
use crate::lang::shared::words::comment_above;
use crate::lang::{DeclaredKind, DeclaredParam};
use crate::source::Span;

/// The kinds that a compilation declared.
pub fn kinds(e: &Evaluator<'_>) -> Vec<DeclaredKind> {
    e.program.arm.models().filter(|model| model.is_resource && !model.is_abstract).map(|model| kind(e, model)).collect()
}

fn kind(e: &Evaluator<'_>, model: &Model) -> DeclaredKind {
    let identity = model.identity();
    let members = model.members.iter().enumerate().filter(|(_, member)| member.is_setable());
    let params = members.map(|(at, member)| DeclaredParam {
        name: (&**member.name()).into(),
        ty: type_text(member),
        is_required: member.min > 0 && member.default.is_none() && identity != Some(at),
        doc: comment(e, member.feature.span),
    });
    DeclaredKind {
        name: model.name.to_lowercase().into(),
        params: params.collect(),
        doc: comment(e, model.definition.span),
        source: Some(e.inputs.sources.place(model.definition.span)),
    }
}

fn comment(e: &Evaluator<'_>, at: Span) -> String {
    comment_above(e.inputs.sources.file(at.file), at)
}

/// The type of a feature as a type of the language.
fn type_text(member: &Member) -> String {
    let one = match (&member.ty, &member.feature.ty) {
        (_, arm::Declared::Any) => "Variant[Integer, Float, String, Boolean]".to_owned(),
        (MemberType::Simple(ty), _) => ty.to_string(),
        (MemberType::Objects(_), arm::Declared::Named(name, _)) => name.to_string(),
        (MemberType::Objects(name), _) => name.to_string(),
    };
    if member.is_list() { format!("Array[{one}]") } else { one }
}
