//! Checks of definitions: where they may be, their names, their parameters.

use super::{Checker, Level, idem};
use crate::lang::puppet::ast::*;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::words::{a, capital, label};

/// The names of Puppet's own types, which nothing else may have.
const RESERVED: &str = "type any unit scalar boolean numeric integer float collection array hash tuple struct variant \
    optional enum regexp pattern runtime init object sensitive semver semverrange string timestamp timespan typeset";

fn word(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn lower_name(name: &str) -> bool {
    name.split("::").all(|part| part.starts_with(|c: char| c.is_ascii_lowercase()) && word(part))
}

fn upper_name(name: &str) -> bool {
    name.split("::").all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()) && word(part))
}

impl Checker {
    fn top(&mut self, expr: &Expr, level: Level) {
        if matches!(level, Level::Inner | Level::Definition) {
            let message = "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
            self.push(expr.span, IssueName::NotTopLevel, message);
        }
    }

    pub(super) fn absolute_top(&mut self, expr: &Expr, level: Level) {
        if level == Level::Inner {
            self.top(expr, level);
        } else if level != Level::Top {
            let message = format!("{} may only appear at toplevel", capital(expr));
            self.push(expr.span, IssueName::NotAbsoluteTopLevel, message);
        }
    }

    pub(super) fn name(&mut self, expr: &Expr, name: &str, fits: bool) {
        if !fits {
            let message = format!("Unacceptable name. The name '{name}' is unacceptable as the name of {}", a(expr));
            self.push(expr.span, IssueName::IllegalDefinitionName, message);
            let ours = name.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != ':', "_");
            self.advise(format!("a name has lower-case letters, digits and `_`: write `{ours}`"));
        }
        let lower = name.to_lowercase();
        if RESERVED.split(' ').any(|reserved| reserved == lower) {
            let message = format!(
                "The name: '{name}' is already defined by Puppet and can not be used as the name of {}.",
                a(expr)
            );
            self.push(expr.span, IssueName::ReservedTypeName, message);
        }
    }

    pub(super) fn location(&mut self, expr: &Expr, name: &str) {
        let Some(namespace) = self.namespace.clone() else { return };
        let name = name.to_lowercase();
        let is_below = name.strip_prefix(&*namespace).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        if !is_below {
            let message = format!(
                "The {} is unacceptable in this location: '{name}' does not belong to '{namespace}'",
                label(expr)
            );
            self.push(expr.span, IssueName::IllegalDefinitionLocation, message);
            let is_type = matches!(expr.kind, Kind::TypeAlias(_) | Kind::TypeDefinition(_));
            let ours = if is_type { capitalised(&namespace) } else { namespace };
            self.advise(format!(
                "name it `{ours}` as this file wants, or move it to the file that belongs to its name"
            ));
        }
    }

    fn no_captures(&mut self, expr: &Expr, params: &[Parameter]) {
        for param in params.iter().filter(|p| p.captures_rest) {
            let message = format!("Parameter ${} has 'captures rest' - not supported in {}", param.name, a(expr));
            self.push(param.span, IssueName::CapturesRestNotSupported, message);
        }
    }

    fn reserved_params(&mut self, expr: &Expr, params: &[Parameter]) {
        for param in params.iter().filter(|p| matches!(&*p.name, "name" | "title")) {
            let message = format!("The parameter ${} redefines a built in parameter in {}", param.name, the(expr));
            self.push(param.span, IssueName::ReservedParameter, message);
        }
    }

    fn captures_last(&mut self, params: &[Parameter]) {
        for param in params.iter().rev().skip(1).filter(|p| p.captures_rest) {
            let message = format!("Parameter ${} is not last, and has 'captures rest'", param.name);
            self.push(param.span, IssueName::CapturesRestNotLast, message);
        }
    }

    fn unique_params(&mut self, params: &[Parameter]) {
        let mut seen = std::collections::HashSet::new();
        for param in params {
            if !seen.insert(&param.name) {
                let message =
                    format!("The parameter '{}' is declared more than once in the parameter list", param.name);
                self.push(param.span, IssueName::DuplicateParameter, message);
            }
        }
    }

    pub(super) fn parameters(&mut self, params: &[Parameter]) {
        for param in params {
            let name = &*param.name;
            let digits = name.strip_prefix("0x").unwrap_or(name);
            if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
                let message = format!(
                    "The numeric parameter name '${name}' cannot be used (clashes with numeric match result variables)"
                );
                self.push(param.span, IssueName::IllegalNumericParameter, message);
            }
            let fits = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && word(name);
            if !fits {
                let message = format!(
                    "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
                );
                self.push(param.span, IssueName::IllegalParamName, message);
            }
            if let Some(value) = &param.value {
                self.no_assignment(value);
            }
            self.exprs(param.ty.iter().chain(&param.value));
        }
    }

    /// Default values assign nothing, save inside of lambdas.
    fn no_assignment(&mut self, expr: &Expr) {
        if let Kind::Assign(..) = expr.kind {
            self.push(expr.span, IssueName::IllegalAssignmentContext, "Assignment not allowed here");
            return;
        }
        for inner in expr.children() {
            self.no_assignment(inner);
        }
    }

    fn no_value_last(&mut self, expr: &Expr, body: &Expr) {
        if let Some(last) = idem::ends_idem(body) {
            let message = format!(
                "This {} has no effect. {} can not end with a value-producing expression without other effect",
                label(last),
                capital(expr)
            );
            self.push(last.span, IssueName::IdemNotAllowedLast, message);
            // `inlcude a`: the word before it is no function.
            let before = body.statements().iter().rev().nth(1);
            if let (Kind::Name(_), Some(before)) = (&last.kind, before)
                && matches!(&before.kind, Kind::Name(_))
                && before.span.end + 1 == last.span.start
            {
                self.explain_idem(before);
            }
        }
    }

    fn definition(&mut self, expr: &Expr, definition: &Definition, level: Level) {
        self.top(expr, level);
        self.name(expr, &definition.name, lower_name(&definition.name));
        if level == Level::Top {
            self.location(expr, &definition.name);
        }
        self.no_captures(expr, &definition.params);
        self.reserved_params(expr, &definition.params);
        self.unique_params(&definition.params);
        self.no_value_last(expr, &definition.body);
        self.parameters(&definition.params);
    }

    pub(super) fn class(&mut self, expr: &Expr, definition: &Definition, level: Level) {
        self.definition(expr, definition, level);
        self.expr(&definition.body, Level::Class);
    }

    pub(super) fn define(&mut self, expr: &Expr, definition: &Definition, level: Level) {
        self.definition(expr, definition, level);
        self.expr(&definition.body, Level::Definition);
    }

    pub(super) fn node(&mut self, expr: &Expr, node: &NodeDefinition, level: Level) {
        for host in &node.matches {
            match &host.kind {
                Kind::Str(name) if name.chars().any(|c| !(c.is_alphanumeric() || "_-.".contains(c))) => {
                    let message = format!(
                        "The hostname '{name}' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)"
                    );
                    self.push(host.span, IssueName::IllegalHostnameChars, message);
                }
                Kind::Concat(_) => {
                    let message = "An interpolated expression is not allowed in a hostname of a node";
                    self.push(host.span, IssueName::IllegalHostnameInterpolation, message);
                }
                _ => {}
            }
        }
        self.top(expr, level);
        self.no_value_last(expr, &node.body);
        if let Some(parent) = &node.parent {
            let message = "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";
            self.push(parent.span, IssueName::IllegalNodeInheritance, message);
        }
        self.expr(&node.body, Level::Definition);
    }

    pub(super) fn function(&mut self, expr: &Expr, function: &Function, level: Level) {
        self.absolute_top(expr, level);
        self.name(expr, &function.name, lower_name(&function.name));
        self.location(expr, &function.name);
        self.captures_last(&function.params);
        self.unique_params(&function.params);
        self.parameters(&function.params);
        self.exprs(&function.returns);
        self.expr(&function.body, Level::Definition);
    }

    pub(super) fn lambda(&mut self, lambda: &Lambda) {
        self.captures_last(&lambda.params);
        self.unique_params(&lambda.params);
        self.parameters(&lambda.params);
        self.exprs(&lambda.returns);
        let outer = self.arm.enter(&lambda.params);
        self.expr(&lambda.body, Level::Inner);
        self.arm.leave(outer);
    }

    pub(super) fn type_alias(&mut self, expr: &Expr, alias: &TypeAlias, level: Level) {
        self.absolute_top(expr, level);
        self.name(expr, &alias.name, upper_name(&alias.name));
        self.location(expr, &alias.name);
        self.again(expr.span, &alias.name, false);
        let ty = match &alias.ty.kind {
            Kind::Access(left, _) => left,
            _ => &alias.ty,
        };
        if !matches!(ty.kind, Kind::Ref(_) | Kind::Hash(_)) {
            let message = format!("Illegal expression. {} is unacceptable as type in {}", capital(&alias.ty), a(expr));
            self.push(alias.ty.span, IssueName::IllegalExpression, message);
        }
        self.expr(&alias.ty, Level::Inner);
    }

    pub(super) fn type_mapping(&mut self, expr: &Expr, left: &Expr, right: &Expr, level: Level) {
        self.absolute_top(expr, level);
        let runtime = match &left.kind {
            Kind::Access(name, keys) if matches!(&name.kind, Kind::Ref(n) if &**n == "Runtime") => Some(keys),
            _ => None,
        };
        let replaces = |e: &Expr| match &e.kind {
            Kind::Array(list) => {
                list.len() == 2 && matches!(list[0].kind, Kind::Regex(_)) && matches!(list[1].kind, Kind::Str(_))
            }
            _ => false,
        };
        let is_type = |e: &Expr| match &e.kind {
            Kind::Ref(_) => true,
            Kind::Access(left, _) => matches!(left.kind, Kind::Ref(_)),
            _ => false,
        };
        match runtime {
            None => self.unsupported(expr),
            Some(keys) => {
                let by_pattern = keys.len() == 2 && replaces(&keys[1]);
                let fits = if by_pattern { replaces(right) } else { is_type(right) };
                if !fits {
                    let message =
                        format!("Illegal type mapping. Expected a Type on the left side, got {}", capital(expr));
                    self.push(left.span, IssueName::IllegalTypeMapping, message);
                }
            }
        }
        self.exprs([left, right]);
    }

    fn unsupported(&mut self, expr: &Expr) {
        let message = format!("Expressions of type {} are not supported in this version of Puppet", a(expr));
        self.push(expr.span, IssueName::UnsupportedExpression, message);
    }

    pub(super) fn type_definition(&mut self, expr: &Expr, definition: &TypeDefinition, level: Level) {
        self.absolute_top(expr, level);
        self.unsupported(expr);
        self.expr(&definition.body, Level::Definition);
    }
}

fn the(expr: &Expr) -> String {
    format!("the {}", label(expr))
}
