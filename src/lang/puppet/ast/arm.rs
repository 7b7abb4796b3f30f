//! The tree of `type NAME inherits PARENT { … }`, as written.

use std::sync::Arc;

use crate::lang::puppet::ast::{Expr, Kind, Lambda, Parameter, Text};
use crate::source::Span;

/// One definition of a type.
#[derive(Debug)]
pub struct Definition {
    /// The whole definition.
    pub span: Span,
    /// Each segment capitalised.
    pub name: Text,
    pub name_span: Span,
    pub parent: Option<(Text, Span)>,
    pub statements: Vec<Statement>,
}

/// A statement in the body of a type.
#[derive(Debug)]
pub enum Statement {
    Abstract,
    Feature(Arc<Feature>),
    Invariant(Arc<Invariant>),
    Implementation(Arc<Implementation>),
    /// A definition, which is refused here.
    Other(Expr),
}

/// `attr` or `has`.
#[derive(Debug)]
pub struct Feature {
    /// The word that begins the statement.
    pub span: Span,
    pub is_reference: bool,
    pub name: Text,
    pub ty: Declared,
    pub settings: Vec<Setting>,
}

/// The type as written.
#[derive(Debug)]
pub enum Declared {
    /// None: any simple value.
    Any,
    Named(Text, Span),
    Enum(Vec<(Text, Span)>),
}

/// An option of a feature: `name => value`.
#[derive(Debug)]
pub struct Setting {
    pub span: Span,
    pub name: Text,
    pub value: Logic,
}

/// What is written behind `=>`, and the body of an invariant.
#[derive(Debug)]
pub struct Logic {
    pub span: Span,
    pub form: Form,
}

/// The form of the logic: an expression, a block, or a lambda.
#[derive(Debug)]
pub enum Form {
    Value(Expr),
    Block(Expr),
    Lambda(Arc<Lambda>),
}

/// A condition that every object of the type must meet.
#[derive(Debug)]
pub struct Invariant {
    pub span: Span,
    pub title: Option<Expr>,
    pub check: Logic,
}

/// `implemented_by KIND { parameter => feature }`.
#[derive(Debug)]
pub struct Implementation {
    pub span: Span,
    pub kind: Text,
    /// Parameters of the kind with their features, each with its place.
    pub params: Vec<((Text, Span), (Text, Span))>,
}

impl Definition {
    /// Returns the features that the type declares itself, in order.
    pub fn features(&self) -> impl Iterator<Item = &Arc<Feature>> {
        self.statements.iter().filter_map(|statement| match statement {
            Statement::Feature(feature) => Some(feature),
            _ => None,
        })
    }

    /// Everything in it that is an expression, with the parameters of lambdas.
    pub fn inside(&self) -> Vec<&Expr> {
        let mut out = Vec::new();
        for statement in &self.statements {
            match statement {
                Statement::Feature(feature) => {
                    feature.settings.iter().for_each(|setting| setting.value.inside(&mut out))
                }
                Statement::Invariant(invariant) => {
                    out.extend(&invariant.title);
                    invariant.check.inside(&mut out);
                }
                Statement::Other(expr) => out.push(expr),
                Statement::Abstract | Statement::Implementation(_) => {}
            }
        }
        out
    }
}

impl Feature {
    /// Finds an option of the feature.
    pub fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| &*setting.name == name)
    }

    /// A setting that is true or false.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match &self.setting(name)?.value.form {
            Form::Value(Expr { kind: Kind::Bool(value), .. }) => Some(*value),
            _ => None,
        }
    }

    /// A setting that is code.
    pub fn logic(&self, name: &str) -> Option<&Logic> {
        self.setting(name).map(|setting| &setting.value)
    }

    /// `min`, at least 0.
    pub fn min(&self) -> usize {
        self.setting("min").and_then(|setting| setting.value.integer()).unwrap_or(0)
    }

    /// `max`; `None` without a bound.
    pub fn max(&self) -> Option<usize> {
        match self.setting("max") {
            Some(setting) => setting.value.integer(),
            None if self.min() > 1 => None,
            None => Some(1),
        }
    }
}

impl Logic {
    /// The code that runs.
    pub fn body(&self) -> &Expr {
        match &self.form {
            Form::Value(expr) | Form::Block(expr) => expr,
            Form::Lambda(lambda) => &lambda.body,
        }
    }

    /// Returns the parameters of a lambda; an expression or a block has none.
    pub fn params(&self) -> &[Parameter] {
        match &self.form {
            Form::Lambda(lambda) => &lambda.params,
            _ => &[],
        }
    }

    /// A number from 0 on.
    pub fn integer(&self) -> Option<usize> {
        match &self.form {
            Form::Value(Expr { kind: Kind::Int { value, .. }, .. }) => usize::try_from(*value).ok(),
            _ => None,
        }
    }

    fn inside<'e>(&'e self, out: &mut Vec<&'e Expr>) {
        out.extend(self.params().iter().flat_map(|param| param.ty.iter().chain(&param.value)));
        out.push(self.body());
    }
}
