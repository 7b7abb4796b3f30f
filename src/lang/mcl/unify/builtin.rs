//! Types calls of built-in functions by their signatures, and built-in variables.

use std::sync::Arc;

use super::Solver;
use super::explain::Reason;
use super::frame::FrameId;
use super::known::StaticValue;
use super::signature::{Holes, Pattern, Signature, pattern, signature};
use super::task::Task;
use super::term::{Origin, Term, Ty};
use crate::lang::mcl::ast::ExprId;
use crate::lang::mcl::builtin::{Function, Typing, Variable};

/// The full name by which a program calls a function.
pub fn full_name(function: &Function) -> String {
    match function.module.rsplit('/').next() {
        Some(module) if !module.is_empty() => format!("{module}.{}", function.name),
        _ => function.name.to_string(),
    }
}

impl Solver<'_> {
    pub(super) fn check_builtin(
        &mut self,
        expr: ExprId,
        function: &'static Function,
        args: &[ExprId],
        frame: FrameId,
    ) -> Ty {
        match function.typing {
            Typing::Format => self.check_printf(expr, args, frame),
            Typing::Template => self.check_template(expr, args, frame),
            _ => self.check_by_signature(expr, function, args, frame),
        }
    }

    fn check_by_signature(&mut self, expr: ExprId, function: &'static Function, args: &[ExprId], frame: FrameId) -> Ty {
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let signatures = self.signatures(function);
        let Some(form) = signatures.iter().find(|form| form.takes(found.len())) else {
            let counts: Vec<_> = signatures.iter().map(Signature::count).collect();
            let span = self.ast.exprs[expr].span;
            let name = full_name(function);
            let how: Vec<_> =
                function.forms().map(|text| format!("`{name}{}`", text.trim_start_matches("func"))).collect();
            let how = format!("it is {}", how.join(" or "));
            self.wrong_count(span, &name, &counts.join(" or "), found.len(), &how);
            return self.refused(expr);
        };
        let origin = Origin::Expr(expr);
        let mut holes = Holes::default();
        let mut fits = true;
        for (i, ty) in found.iter().enumerate() {
            let Some((name, wanted)) = form.param(i) else { continue };
            if let Err(clash) = wanted.meet(*ty, &mut holes, &mut self.terms, origin) {
                fits = false;
                let wanted = wanted.make(&mut holes, &mut self.terms, origin);
                self.wrong_argument(expr, args[i], *ty, wanted, clash, (&full_name(function), i, name));
            }
        }
        if !fits {
            return self.refused(expr);
        }
        if !function.kinds.is_empty() {
            let ty = Pattern::Hole(1).make(&mut holes, &mut self.terms, origin);
            self.attempt(Task::Kinds { expr, function, ty });
        }
        let result = match form.result.plain() {
            Some(term) => self.plain_at(expr, term),
            None => form.result.make(&mut holes, &mut self.terms, origin),
        };
        if matches!(function.typing, Typing::ByResult | Typing::ByResultOrText) {
            self.result_by_text(expr, function, args, result, frame);
            self.results.push((self.frames.get(frame).instance, expr, result));
        }
        result
    }

    /// A function such as `encoding.decode_json(data, "[]str")`: its second argument may name the type of the result.
    fn result_by_text(&mut self, expr: ExprId, function: &Function, args: &[ExprId], result: Ty, frame: FrameId) {
        let (Typing::ByResultOrText, Some(type_text)) = (function.typing, args.get(1)) else { return };
        let Some(StaticValue::Str(Some(text))) = self.known(*type_text, frame) else { return };
        let span = self.ast.exprs[*type_text].span;
        let Some(wanted) = pattern(&text).filter(Pattern::is_complete) else {
            self.invalid_format(span, "this is not a type");
            return;
        };
        let wanted = wanted.make(&mut Holes::default(), &mut self.terms, Origin::Expr(*type_text));
        let span = self.ast.exprs[expr].span;
        self.demand(result, wanted, span, Reason::Annotation);
    }

    /// A variable of the language.
    pub(super) fn variable(&mut self, expr: ExprId, variable: &'static Variable) -> Ty {
        let known = self.variables.entry(variable.name).or_insert_with(|| pattern(variable.ty)).clone();
        match known {
            Some(known) => match known.plain() {
                Some(term) => self.plain_at(expr, term),
                None => known.make(&mut Holes::default(), &mut self.terms, Origin::Expr(expr)),
            },
            // A mistake in our table, which a test finds.
            None => self.terms.plain(Term::Refused, Origin::Expr(expr)),
        }
    }

    fn signatures(&mut self, function: &'static Function) -> Arc<[Signature]> {
        let key = std::ptr::from_ref(function).addr();
        let read = || {
            function
                .signatures
                .iter()
                .filter_map(|text| signature(text))
                .map(|form| Signature { variadic: function.typing == Typing::Variadic, ..form })
        };
        self.signatures.entry(key).or_insert_with(|| read().collect()).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{pattern, signature};
    use crate::lang::mcl::builtin::{VARIABLES, functions};

    #[test]
    fn every_table_entry_can_be_read() {
        for function in functions().iter() {
            for text in function.signatures {
                assert!(signature(text).is_some(), "{}.{}: {text}", function.module, function.name);
            }
        }
        for variable in VARIABLES {
            assert!(pattern(variable.ty).is_some(), "{}: {}", variable.name, variable.ty);
        }
    }
}
