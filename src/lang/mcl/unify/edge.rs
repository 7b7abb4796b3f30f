//! Checks edge statements: both ends, and the sends between them.

use super::Solver;
use super::frame::FrameId;
use crate::diag::{Code, Diagnostic, nearest};
use crate::lang::mcl::ast::{EdgeHalf, Name};
use crate::resource::{FieldType, Parameter, Schema, schema};
use crate::source::Span;

impl Solver<'_> {
    pub(super) fn check_edge(&mut self, halves: &[EdgeHalf], span: Span, frame: FrameId) {
        if halves.len() < 2 {
            self.report(
                Diagnostic::error(Code::HalfEdge, span)
                    .label("an edge needs two resources")
                    .help("write both ends: `File[\"/a\"] -> File[\"/b\"]`"),
            );
        }
        for half in halves {
            self.check_name(half.name, half.span, frame);
        }
        if let [EdgeHalf { kind: from, field: Some(sent), .. }, EdgeHalf { kind: to, field: Some(received), .. }] =
            halves
        {
            self.check_sending((from, sent), (to, received), span);
        }
    }

    fn check_sending(&mut self, (from, sent): (&Name, &Name), (to, received): (&Name, &Name), span: Span) {
        let (Some(sender), Some(receiver)) = (schema(&from.text), schema(&to.text)) else {
            for kind in [from, to] {
                if schema(&kind.text).is_none() {
                    self.unknown_kind(kind);
                }
            }
            return;
        };
        let Some(out) = sender.sends.iter().find(|(name, _)| *name == sent.text) else {
            return self.cannot_send(sender, sent, span);
        };
        let Some(into) = receiver.param(&received.text).filter(|_| receiver.receives) else {
            return self.cannot_receive(receiver, received, span);
        };
        let by_value = is_sent_by_value(sender, out.0);
        let fits = if by_value { is_int(into) } else { fits_into(&out.1, &into.ty) };
        if !fits {
            let label = format!(
                "`{}` of `{}` is {}, but `{}` of `{}` is {}",
                out.0,
                sender.kind,
                shape(&out.1),
                into.name,
                receiver.kind,
                shape(&into.ty)
            );
            let mismatch = match by_value {
                true => Diagnostic::error(Code::TypeMismatch, span).help(
                    "this field is not converted: send it to an optional parameter, or to one that takes any type",
                ),
                false => Diagnostic::warning(Code::TypeMismatch, span)
                    .help("it would fail during apply: send to a parameter of the same type"),
            };
            self.report(
                mismatch.label(label).related(sent.span, "the sent value").related(received.span, "the receiver"),
            );
        }
    }

    fn cannot_send(&mut self, sender: &Schema, sent: &Name, span: Span) {
        let names: Vec<_> = sender.sends.iter().map(|(name, _)| *name).collect();
        let (label, help) = match names[..] {
            [] => (
                format!("`{}` sends nothing", sender.kind),
                "for order only, omit the fields: `A[\"a\"] -> B[\"b\"]`; `workbench doc KIND` lists the sent fields"
                    .to_string(),
            ),
            _ => (
                format!("`{}` sends no `{}`", sender.kind, sent.text),
                match nearest(&sent.text, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it sends {}", names.join(", ")),
                },
            ),
        };
        self.report(
            Diagnostic::error(Code::CannotSend, span).label(label).related(sent.span, "sent from here").help(help),
        );
    }

    fn cannot_receive(&mut self, receiver: &Schema, received: &Name, span: Span) {
        let label = match receiver.receives {
            true => format!("`{}` has no parameter `{}`", receiver.kind, received.text),
            false => format!("`{}` cannot receive values", receiver.kind),
        };
        let near = nearest(&received.text, receiver.params.iter().map(|p| p.name));
        let help = match near {
            _ if !receiver.receives => "`workbench doc KIND` shows whether a kind can receive values".to_string(),
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let names: Vec<String> = receiver.params.iter().take(8).map(|p| format!("`{}`", p.name)).collect();
                format!("its parameters are {}; `workbench doc {}` lists them", names.join(", "), receiver.kind)
            }
        };
        self.report(
            Diagnostic::error(Code::CannotReceive, span)
                .label(label)
                .related(received.span, "received here")
                .help(help),
        );
    }
}

/// Whether a sent value may go into a parameter; its range is checked when it arrives.
fn fits_into(sent: &FieldType, into: &FieldType) -> bool {
    match (sent, into) {
        (FieldType::Any, _) | (_, FieldType::Any) => true,
        (FieldType::Bool, FieldType::Bool)
        | (FieldType::Str, FieldType::Str)
        | (FieldType::Int { .. }, FieldType::Int { .. })
        | (FieldType::Float, FieldType::Float) => true,
        (FieldType::List(a), FieldType::List(b)) => fits_into(a, b),
        (FieldType::Map(k, v), FieldType::Map(l, w)) => fits_into(k, l) && fits_into(v, w),
        (FieldType::Struct(a), FieldType::Struct(b)) => {
            a.len() == b.len() && std::iter::zip(*a, *b).all(|((n, x), (m, y))| n == m && fits_into(x, y))
        }
        _ => false,
    }
}

/// Whether a sent field is checked against the parameter's type before there is a value. The reference does so for the
/// one field that is not a pointer; all others are checked when they arrive.
fn is_sent_by_value(sender: &Schema, field: &str) -> bool {
    sender.kind == "test" && field == "answer"
}

/// Whether the reference stores a parameter as a plain `int`, or in a form that takes any.
fn is_int(into: &Parameter) -> bool {
    into.optional
        || match into.ty {
            FieldType::Any => true,
            FieldType::Int { .. } => into.ty == FieldType::INT && !matches!(into.name, "int64" | "waitforerror"),
            _ => false,
        }
}

/// A field's type in a word.
fn shape(ty: &FieldType) -> &'static str {
    match ty {
        FieldType::Bool => "a bool",
        FieldType::Str => "a str",
        FieldType::Int { .. } => "an int",
        FieldType::Float => "a float",
        FieldType::List(_) => "a list",
        FieldType::Map(..) => "a map",
        FieldType::Struct(_) => "a struct",
        FieldType::Func(..) => "a func",
        FieldType::Any => "anything",
    }
}
