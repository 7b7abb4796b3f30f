//! Types with features in Puppet's notation, and their logic on its own.

use super::{Part, Printer};
use crate::lang::puppet::ast::arm::{Declared, Definition, Feature, Form, Implementation, Invariant, Logic, Statement};
use crate::lang::puppet::ast::{Expr, Kind, Text};

/// A block, a lambda or an expression.
pub fn logic(logic: &Logic) -> String {
    let mut printer = Printer { out: String::new() };
    printer.arm_logic(logic);
    printer.out
}

/// A whole invariant.
pub fn invariant(invariant: &Invariant) -> String {
    let mut printer = Printer { out: String::new() };
    printer.arm_invariant(invariant);
    printer.out
}

impl Printer {
    pub(super) fn arm_type(&mut self, definition: &Definition) {
        let mut parts: Vec<(&str, Part<'_>)> = vec![("name", Box::new(|p| p.string(&definition.name)))];
        if let Some((parent, _)) = &definition.parent {
            parts.push(("parent", Box::new(move |p| p.string(parent))));
        }
        let statements = &definition.statements;
        if !statements.is_empty() {
            parts.push(("body", Box::new(move |p| p.spaced('[', ']', statements.iter(), Self::arm_statement))));
        }
        self.call_map("type-definition", parts);
    }

    fn spaced<I>(&mut self, open: char, close: char, items: impl Iterator<Item = I>, print: fn(&mut Self, I)) {
        self.out.push(open);
        for (i, item) in items.enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            print(self, item);
        }
        self.out.push(close);
    }

    fn arm_statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Abstract => self.out.push_str("(abstract)"),
            Statement::Feature(feature) => self.arm_feature(feature),
            Statement::Invariant(invariant) => self.arm_invariant(invariant),
            Statement::Implementation(implementation) => self.arm_implementation(implementation),
            Statement::Other(expr) => self.expr(expr),
        }
    }

    fn arm_feature(&mut self, feature: &Feature) {
        let mut parts: Vec<(&str, Part<'_>)> = vec![("name", Box::new(|p| p.string(&feature.name)))];
        match &feature.ty {
            Declared::Any => {}
            Declared::Named(name, _) => parts.push(("type", Box::new(move |p| p.named("qr", name)))),
            Declared::Enum(values) => parts.push((
                "type",
                Box::new(move |p| {
                    p.out.push_str("(enum");
                    values.iter().for_each(|(value, _)| {
                        p.out.push(' ');
                        p.string(value);
                    });
                    p.out.push(')');
                }),
            )),
        }
        if !feature.settings.is_empty() {
            parts.push((
                "settings",
                Box::new(|p| {
                    p.spaced('[', ']', feature.settings.iter(), |p, setting| {
                        p.out.push_str("(=> ");
                        p.string(&setting.name);
                        p.out.push(' ');
                        match &setting.value.form {
                            Form::Value(Expr { kind: Kind::Name(word), .. }) if &*setting.name == "default" => {
                                p.string(word);
                            }
                            _ => p.arm_logic(&setting.value),
                        }
                        p.out.push(')');
                    });
                }),
            ));
        }
        self.call_map(if feature.is_reference { "has" } else { "attr" }, parts);
    }

    fn arm_logic(&mut self, logic: &Logic) {
        match &logic.form {
            Form::Value(expr) | Form::Block(expr) => self.expr(expr),
            Form::Lambda(lambda) => self.lambda(lambda),
        }
    }

    fn arm_invariant(&mut self, invariant: &Invariant) {
        let mut parts: Vec<(&str, Part<'_>)> = Vec::new();
        if let Some(title) = &invariant.title {
            parts.push(("title", Box::new(move |p| p.expr(title))));
        }
        parts.push(("check", Box::new(|p| p.arm_logic(&invariant.check))));
        self.call_map("invariant", parts);
    }

    fn arm_implementation(&mut self, implementation: &Implementation) {
        let kind: &Text = &implementation.kind;
        let parts: Vec<(&str, Part<'_>)> = vec![
            ("kind", Box::new(|p| p.string(kind))),
            (
                "params",
                Box::new(|p| {
                    p.spaced('[', ']', implementation.params.iter(), |p, ((param, _), (feature, _))| {
                        p.out.push_str("(=> ");
                        p.string(param);
                        p.out.push(' ');
                        p.string(feature);
                        p.out.push(')');
                    });
                }),
            ),
        ];
        self.call_map("implemented-by", parts);
    }
}
