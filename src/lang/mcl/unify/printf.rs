//! `fmt.printf` and `golang.template`: calls whose first argument is a format.

use super::Solver;
use super::call::count;
use super::explain::Reason;
use super::frame::FrameId;
use super::known::StaticValue;
use super::term::{Term, Ty};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{ExprId, ExprKind, StmtKind};
use crate::lang::mcl::builtin::fmt::{InvalidFormat, Piece, Verb, pieces};
use crate::lang::mcl::scope::SlotKind;
use crate::source::Span;

/// A format's requirement for one argument: `None` takes anything.
type ArgumentType = Option<Term>;

impl Solver<'_> {
    pub(super) fn check_printf(&mut self, expr: ExprId, args: &[ExprId], frame: FrameId) -> Ty {
        let span = self.ast.exprs[expr].span;
        for arg in args {
            self.check_annotation(*arg, frame);
        }
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let (Some(format), Some(text)) = (args.first(), found.first()) else {
            let how = "as in `fmt.printf(\"%s has %d\", $name, $count)`";
            self.wrong_count(span, "fmt.printf", "a format and its values", 0, how);
            return self.plain_at(expr, Term::Str);
        };
        let place = self.ast.exprs[*format].span;
        self.demand_plain(
            *text,
            Term::Str,
            span,
            Reason::Argument { function: "fmt.printf", index: 0, name: "format", place },
        );
        // A format that is only known while evaluating is checked against its arguments there.
        if let Some(StaticValue::Str(Some(text))) = self.known(*format, frame) {
            match verbs(&text) {
                Ok(verbs) => self.check_verbs(expr, &verbs, &args[1..], &found[1..]),
                Err((at, verb)) => {
                    let label = format!("unknown verb `{verb}` at byte {at} of the format");
                    let help = "use %s %d %f %t %q %v %T without widths, and `%%` for a percent sign; \
                    `strings.left_pad` pads";
                    self.report(Diagnostic::error(Code::InvalidFormat, span).label(label).help(help));
                }
            }
        }
        self.plain_at(expr, Term::Str)
    }

    fn check_verbs(&mut self, expr: ExprId, verbs: &[(char, ArgumentType)], args: &[ExprId], found: &[Ty]) {
        let span = self.ast.exprs[expr].span;
        if verbs.len() != args.len() {
            let (wants, gets) = (count(verbs.len()), args.len());
            let follow = if gets == 1 { "follows" } else { "follow" };
            self.report(
                Diagnostic::error(Code::ArgumentCount, span)
                    .label(format!("the format shows {wants}, but {gets} {follow} it"))
                    .help("each of `%s %d %f %t %q %v %T` prints one argument; `%%` is a percent sign"),
            );
            return;
        }
        for (i, ((verb, wanted), ty)) in std::iter::zip(verbs, found).enumerate() {
            let Some(wanted) = wanted else { continue };
            let place = self.ast.exprs[args[i]].span;
            self.demand_plain(*ty, *wanted, span, Reason::Verb { verb: *verb, index: i + 1, place });
        }
    }

    /// A variable whose annotation contradicts its value is reported at the call that prints it, as in the reference.
    fn check_annotation(&mut self, arg: ExprId, frame: FrameId) {
        let ast = self.ast;
        let arg = ast.inner(arg);
        if !matches!(ast.exprs[arg].kind, ExprKind::Var(_)) {
            return;
        }
        let Some((home, slot)) = self.slot_of(arg, frame).filter(|(home, slot)| !self.is_typed(*home, *slot)) else {
            return;
        };
        let SlotKind::Bind(stmt) = self.scopes.scopes[self.frames.get(home).scope].slots[slot as usize].kind else {
            return;
        };
        let StmtKind::Bind { note: Some(note), value, name } = &ast.stmts[stmt].kind else { return };
        let Some(known) = self.known(*value, home) else { return };
        if known.kind() != note.ty.kind() {
            let label = format!("`${}` is declared as `{}`, but its value is a {}", name.text, note.ty, known.kind());
            self.report(
                Diagnostic::error(Code::TypeMismatch, ast.exprs[arg].span)
                    .label(label)
                    .related(note.span, "because of this annotation")
                    .related(ast.exprs[*value].span, "the value is here")
                    .help("change the value or its declared type"),
            );
        }
    }

    /// `golang.template(text)` or `golang.template(text, values)`.
    pub(super) fn check_template(&mut self, expr: ExprId, args: &[ExprId], frame: FrameId) -> Ty {
        let span = self.ast.exprs[expr].span;
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        match found[..] {
            [text] | [text, _] => {
                let place = self.ast.exprs[args[0]].span;
                let reason = Reason::Argument { function: "golang.template", index: 0, name: "template", place };
                self.demand_plain(text, Term::Str, span, reason);
            }
            _ => self.wrong_count(
                span,
                "golang.template",
                "a string and optional values",
                found.len(),
                "as in `golang.template(\"hello {{ .name }}\", struct{name => $name})`",
            ),
        }
        self.plain_at(expr, Term::Str)
    }

    pub(super) fn invalid_format(&mut self, span: Span, label: &str) {
        let help = "write the type as in mcl: `[]str`, `map{str: int}`, `struct{name str; port int}`";
        self.report(Diagnostic::error(Code::InvalidFormat, span).label(label).help(help));
    }
}

/// The verbs of a format in order; an error has the byte of a percent sign and the text after it.
fn verbs(format: &str) -> Result<Vec<(char, ArgumentType)>, (usize, String)> {
    let pieces = pieces(format).map_err(|InvalidFormat(at)| (at, format[at..].chars().take(2).collect()))?;
    let verb = |piece| match piece {
        Piece::Verb(verb) => Some((verb.letter(), wanted(verb))),
        Piece::Text(_) => None,
    };
    Ok(pieces.into_iter().filter_map(verb).collect())
}

fn wanted(verb: Verb) -> ArgumentType {
    match verb {
        Verb::Bool => Some(Term::Bool),
        Verb::Str | Verb::Quoted => Some(Term::Str),
        Verb::Int => Some(Term::Int),
        Verb::Float => Some(Term::Float),
        Verb::Any | Verb::Type => None,
    }
}

#[cfg(test)]
mod tests {
    use super::verbs;

    #[test]
    fn verbs_are_found_in_order() {
        let found = verbs("%d of %s: 100%% %v").expect("a format");
        assert_eq!(found.iter().map(|(verb, _)| *verb).collect::<String>(), "dsv");
        assert!(found[2].1.is_none());
        assert_eq!(verbs("é %5d").err(), Some((3, "%5".into())));
        assert_eq!(verbs("50%").map(|verbs| verbs.len()), Ok(0));
    }
}
