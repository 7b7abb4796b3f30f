//! What Puppet checks of a parsed tree before it evaluates anything, in the order of the tree.

mod arm;
mod definition;
mod idem;
mod place;

use std::collections::HashSet;

use super::ast::*;
use super::conf::Strict;
use super::issue::{Advice, Issue, IssueName};
use super::words::{COMMON_TYPES, a, capital};
use crate::diag::{Code, Severity, nearest};
use crate::source::Span;

pub use place::expected_namespace;

/// The most problems that are reported for one file.
const MOST_ISSUES: usize = 100;

/// Operators that are words elsewhere.
const WORDS_OF_SIGNS: [(&str, &str); 4] = [("mod", "%"), ("div", "/"), ("plus", "+"), ("minus", "-")];

/// Where in the tree a check is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The outermost block.
    Top,
    /// The body of a class at the top.
    Class,
    /// Directly in the body of another definition.
    Definition,
    Inner,
}

/// Checks a program. `file` is the path as shown, which names the module that the file belongs to.
pub fn validate(program: &Program, file: &str, strict: Strict) -> Vec<Issue> {
    let arm = arm::Context::new(&program.body);
    let mut checker =
        Checker { issues: Vec::new(), strict, namespace: expected_namespace(file), arm, slips: HashSet::new() };
    let is_module_file = checker.namespace.is_some();
    if is_module_file {
        checker.top_constructs(&program.body);
    }
    checker.expr(&program.body, Level::Top);
    checker.issues
}

struct Checker {
    issues: Vec<Issue>,
    strict: Strict,
    /// The names that the file may define: this one and those below.
    namespace: Option<String>,
    /// What is known of types with features.
    arm: arm::Context,
    /// Where the names of definitions begin whose word has a slip: they look like resources without a title.
    slips: HashSet<u32>,
}

impl Checker {
    fn push(&mut self, span: Span, name: IssueName, message: impl Into<String>) {
        if self.issues.len() >= MOST_ISSUES {
            return;
        }
        self.issues.push(Issue::validate(span, name, message));
    }

    /// Adds help to the newest issue.
    fn advise(&mut self, help: String) {
        if let Some(issue) = self.issues.last_mut() {
            issue.advice.help = Some(help.into());
        }
    }

    fn untitled(&mut self, name: &str) {
        if let Some(issue) = self.issues.last_mut() {
            issue.advice = Advice {
                code: Some(Code::MissingTitle),
                label: Some(format!("this `{name}` has no title before its parameters")),
                help: Some(format!("write `{name} {{ 'TITLE': … }}`").into()),
                ..Advice::default()
            };
        }
    }

    /// Why a statement without effect is probably there: a resource without a title, or a word of another language.
    fn explain_idem(&mut self, statement: &Expr) {
        if let Some(name) = idem::resource_without_title(statement) {
            return self.untitled(&name.clone());
        }
        if let Kind::Name(name) = &statement.kind {
            let other = super::words::FOREIGN_STATEMENTS.iter().find(|(word, _)| *word == &**name);
            if let (Some((word, ours)), Some(issue)) = (other, self.issues.last_mut()) {
                issue.advice = Advice {
                    code: Some(Code::ForeignWord),
                    label: Some(format!("`{word}` is not a word of Puppet")),
                    help: Some(format!("write `{ours}`").into()),
                    ..Advice::default()
                };
                return;
            }
            if let (Some(near), Some(issue)) = (nearest(name, super::parser::STATEMENT_CALLS), self.issues.last_mut()) {
                issue.advice = Advice {
                    code: Some(Code::UnknownFunction),
                    label: Some(format!("`{name}` is no function")),
                    help: Some(super::suggestion::did_you_mean(near).into()),
                    ..Advice::default()
                };
                return;
            }
            self.advise(format!(
                "remove `{name}`: a word of its own does nothing; a call has parentheses: `{name}(…)`"
            ));
        }
    }

    fn doubtful(&mut self, span: Span, name: IssueName, message: String) {
        let mut issue = Issue::validate(span, name, message);
        match self.strict {
            Strict::Off => return,
            Strict::Warning => issue.severity = Severity::Warning,
            Strict::Error => {}
        }
        self.issues.push(issue);
    }

    /// Module files hold definitions only.
    fn top_constructs(&mut self, body: &Expr) {
        for statement in body.statements() {
            let is_definition = matches!(
                statement.kind,
                Kind::Class(_)
                    | Kind::Define(_)
                    | Kind::Function(_)
                    | Kind::TypeAlias(_)
                    | Kind::TypeDefinition(_)
                    | Kind::ArmType(_)
                    | Kind::TypeMapping(..)
                    | Kind::Node(_)
                    | Kind::Nop
                    | Kind::Epp(_)
            );
            if !is_definition {
                let what = capital(statement);
                self.push(
                    statement.span,
                    IssueName::IllegalTopConstructLocation,
                    format!("{what} cannot appear as a top-level construct in a module file"),
                );
                if let Kind::Name(word) = &statement.kind
                    && let Some(keyword) = crate::lang::puppet::words::definition_word(word)
                {
                    self.advise(format!("`{word}` is not a word of Puppet: write `{keyword}`"));
                }
            }
        }
    }

    fn exprs<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        for expr in list {
            self.expr(expr, Level::Inner);
        }
    }

    /// Checks one expression, then what it holds.
    fn expr(&mut self, expr: &Expr, level: Level) {
        let inner = Level::Inner;
        match &expr.kind {
            Kind::Nop
            | Kind::Undef
            | Kind::Default
            | Kind::Bool(_)
            | Kind::Float(_)
            | Kind::Str(_)
            | Kind::Regex(_)
            | Kind::Name(_)
            | Kind::Ref(_)
            | Kind::RenderText(_) => {}
            Kind::Int { value, .. } => self.integer(expr.span, *value),
            Kind::Reserved(name) => self.push(
                expr.span,
                IssueName::ReservedWord,
                format!("Use of reserved word: {name}, must be quoted if intended to be a String value"),
            ),
            Kind::Var(name) => self.variable(expr.span, name),
            Kind::Concat(parts) => self.exprs(parts),
            Kind::Text(value) | Kind::Not(value) | Kind::Negate(value) | Kind::Unfold(value) => {
                self.value(value);
                if let (Kind::Negate(_), Kind::Int { value, .. }) = (&expr.kind, &value.kind)
                    && *value == i128::from(i64::MAX) + 1
                {
                    return;
                }
                self.expr(value, inner);
            }
            Kind::Paren(value) | Kind::Render(value) => self.expr(value, inner),
            Kind::Heredoc { syntax, text } => {
                self.heredoc(expr.span, syntax, text);
                self.expr(text, inner);
            }
            Kind::Array(list) => {
                list.iter().for_each(|e| self.value(e));
                self.exprs(list);
            }
            Kind::Hash(entries) => {
                self.unique_keys(entries);
                self.entries(entries);
            }
            Kind::Binary(_, left, right) | Kind::And(left, right) | Kind::Or(left, right) => {
                self.value(left);
                self.value(right);
                self.expr(left, inner);
                self.expr(right, inner);
            }
            Kind::Assign(op, left, right) => {
                self.assignment(expr.span, *op, left, right);
                self.expr(left, inner);
                self.expr(right, inner);
            }
            Kind::Relation { first, rest } => {
                self.expr(first, inner);
                rest.iter().for_each(|(_, _, e)| self.expr(e, inner));
            }
            Kind::Access(left, keys) => {
                keys.iter().for_each(|e| self.value(e));
                self.expr(left, inner);
                self.exprs(keys);
            }
            Kind::Member(left, _) => self.expr(left, inner),
            Kind::Call(call) => self.call(expr, call),
            Kind::Selector(left, entries) => {
                self.value(left);
                self.one_default(expr, entries.iter().map(|e| &e.key));
                self.expr(left, inner);
                self.entries(entries);
            }
            Kind::If { test, then, other, .. } => {
                self.value(test);
                self.exprs([&**test, then, other]);
            }
            Kind::Case(test, choices) => {
                self.value(test);
                self.one_default(expr, choices.iter().flat_map(|c| &c.values));
                self.expr(test, inner);
                for choice in choices {
                    choice.values.iter().for_each(|e| self.value(e));
                    self.exprs(&choice.values);
                    self.expr(&choice.then, inner);
                }
            }
            Kind::Block(list) => {
                self.block(expr, list);
                list.iter().for_each(|e| self.expr(e, level));
            }
            Kind::Lambda(lambda) => self.lambda(lambda),
            Kind::Class(definition) => self.class(expr, definition, level),
            Kind::Define(definition) => self.define(expr, definition, level),
            Kind::Node(node) => self.node(expr, node, level),
            Kind::Function(function) => self.function(expr, function, level),
            Kind::TypeAlias(alias) => self.type_alias(expr, alias, level),
            Kind::TypeMapping(left, right) => self.type_mapping(expr, left, right, level),
            Kind::TypeDefinition(definition) => self.type_definition(expr, definition, level),
            Kind::ArmType(definition) => self.arm_type(expr, definition, level),
            Kind::Resource(resource) => self.resource(expr, resource),
            Kind::Defaults(defaults) | Kind::Override(defaults) => {
                if defaults.form != Form::Regular {
                    self.push(expr.span, IssueName::NotVirtualizable, "Resource Defaults are not virtualizable");
                }
                let words = if matches!(expr.kind, Kind::Defaults(_)) { Some(a(expr)) } else { None };
                self.expr(&defaults.target, inner);
                self.attributes(&defaults.ops, words.as_deref());
            }
            Kind::Collect(collect) => self.collect(expr, collect),
            Kind::Epp(epp) => {
                self.parameters(&epp.params);
                self.expr(&epp.body, inner);
            }
        }
    }

    fn integer(&mut self, span: Span, value: i128) {
        if i64::try_from(value).is_err() {
            let sign = if value < 0 { "-" } else { "+" };
            self.push(
                span,
                IssueName::NumericOverflow,
                format!(
                    "A Literal Integer resulted in a value outside of Puppet Integer {} range, got '{sign}{:#x}'",
                    if value < 0 { "min" } else { "max" },
                    value.unsigned_abs()
                ),
            );
        }
    }

    fn variable(&mut self, span: Span, name: &str) {
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            let is_decimal = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
            if !is_decimal {
                let message = format!(
                    "Illegal numeric variable name, The given name '{name}' must be a decimal value if it starts with a digit 0-9"
                );
                self.push(span, IssueName::IllegalNumericVarName, message);
            }
            return;
        }
        let parts: Vec<&str> = name.strip_prefix("::").unwrap_or(name).split("::").collect();
        let last = parts.len() - 1;
        let fits = parts
            .iter()
            .enumerate()
            .all(|(i, part)| part.starts_with(|c: char| c.is_ascii_lowercase() || i == last && c == '_'));
        if !fits {
            let message = format!(
                "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
            );
            self.push(span, IssueName::IllegalVarName, message);
            let lower = |part: &&str| {
                let mut chars = part.chars();
                chars.next().map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
            };
            let ours: Vec<String> = parts.iter().map(lower).collect();
            if name.is_empty() {
                return self.advise("write the name of a variable behind `$`, or `'$'` for the character".into());
            }
            self.advise(format!("a variable begins with a lower-case letter: write `${}`", ours.join("::")));
        }
    }

    /// The expression has to produce a value.
    fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Collect(_)
            | Kind::Class(_)
            | Kind::Define(_)
            | Kind::Node(_)
            | Kind::Function(_)
            | Kind::TypeAlias(_)
            | Kind::TypeDefinition(_)
            | Kind::ArmType(_)
            | Kind::TypeMapping(..) => {
                let message = format!("Invalid use of expression. {} does not produce a value", capital(expr));
                self.push(expr.span, IssueName::NotRvalue, message);
            }
            Kind::Not(inner) | Kind::Negate(inner) | Kind::Unfold(inner) => self.value(inner),
            _ => {}
        }
    }

    fn entries(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.value(&entry.key);
            self.value(&entry.value);
            self.exprs([&entry.key, &entry.value]);
        }
    }

    fn unique_keys(&mut self, entries: &[Entry]) {
        let mut seen = HashSet::new();
        for entry in entries {
            if let Some(key) = literal(&entry.key)
                && !seen.insert(key)
            {
                let shown = match &entry.key.kind {
                    Kind::Str(text) | Kind::Name(text) => text.to_string(),
                    Kind::Int { value, .. } => value.to_string(),
                    _ => String::new(),
                };
                let message = format!("The key '{shown}' is declared more than once");
                self.doubtful(entry.span, IssueName::DuplicateKey, message);
            }
        }
    }

    fn one_default<'e>(&mut self, of: &Expr, values: impl Iterator<Item = &'e Expr>) {
        let mut defaults = values.filter(|e| matches!(e.unparenthesised().kind, Kind::Default));
        if defaults.next().is_some()
            && let Some(again) = defaults.next()
        {
            let what = super::words::label(of);
            let message = format!("This {what} already has a 'default' entry - this is a duplicate");
            self.push(again.span, IssueName::DuplicateDefault, message);
        }
    }

    fn assignment(&mut self, span: Span, op: AssignOp, left: &Expr, right: &Expr) {
        match op {
            _ if self.arm.may_set(op, left) => {}
            AssignOp::Set => self.assign(left),
            AssignOp::Append | AssignOp::Delete => {
                let op = op.as_str();
                let message = format!(
                    "The operator '{op}' is no longer supported. See http://links.puppet.com/remove-plus-equals"
                );
                self.push(span, IssueName::AppendsDeletesNoLongerSupported, message);
            }
        }
        self.value(right);
    }

    fn assign(&mut self, left: &Expr) {
        match &left.kind {
            Kind::Var(name) if name.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty() => {
                let message = format!(
                    "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
                );
                self.push(left.span, IssueName::IllegalNumericAssignment, message);
            }
            Kind::Var(name) if name.contains("::") => {
                let message =
                    format!("Illegal attempt to assign to '${name}'. Cannot assign to variables in other namespaces");
                self.push(left.span, IssueName::CrossScopeAssignment, message);
            }
            Kind::Var(_) => {}
            Kind::Access(..) => {
                let message = "Illegal attempt to assign via [index/key]. Not an assignable reference";
                self.push(left.span, IssueName::IllegalIndexedAssignment, message);
            }
            Kind::Array(list) => list.iter().for_each(|e| self.assign(e)),
            _ => {
                let what = a(left);
                let message = format!("Illegal attempt to assign to '{what}'. Not an assignable reference");
                self.push(left.span, IssueName::IllegalAssignment, message);
                if let Kind::Binary(Op::Subtract, first, second) = &left.kind
                    && let (Kind::Var(first), Kind::Name(second)) = (&first.kind, &second.kind)
                {
                    self.advise(format!("a name has `_` in place of `-`: `${first}_{second}`"));
                }
                if let (Kind::Name(name), Some(issue)) = (&left.kind, self.issues.last_mut()) {
                    issue.advice.help = Some(format!("a variable begins with `$`: write `${name} = …`").into());
                }
            }
        }
    }

    fn call(&mut self, expr: &Expr, call: &Call) {
        let is_name = match &call.functor.kind {
            Kind::Name(_) | Kind::Ref(_) | Kind::Member(..) => true,
            Kind::Access(left, _) => matches!(left.kind, Kind::Ref(_)),
            _ => false,
        };
        if !is_name {
            let what = capital(&call.functor);
            let message = format!("Illegal expression. {what} is unacceptable as function name in {}", a(expr));
            self.push(call.functor.span, IssueName::IllegalExpression, message);
            if let (Kind::Var(name), Some(issue)) = (&call.functor.kind, self.issues.last_mut()) {
                let (label, help) = match name.is_empty() {
                    true => (
                        "`$(…)` runs no command in Puppet".to_string(),
                        "the output of a command is `generate('/bin/NAME', 'ARGUMENT')`".to_string(),
                    ),
                    false => (format!("the name of the function `{name}` has a `$`"), format!("write `{name}(…)`")),
                };
                issue.advice = Advice { label: Some(label), ..Advice::default() }.help(help);
            }
        }
        // A name that is not there is no second fault.
        if !matches!(&call.functor.kind, Kind::Var(name) if name.is_empty()) {
            self.expr(&call.functor, Level::Inner);
        }
        call.args.iter().for_each(|e| self.value(e));
        self.exprs(&call.args);
        if let Some(lambda) = &call.lambda {
            self.arm.before_lambda(call);
            self.lambda(lambda);
        }
    }

    fn block(&mut self, expr: &Expr, list: &[Expr]) {
        if let Some(name) = idem::resource_without_title(expr) {
            if self.slips.contains(&expr.span.start) {
                return;
            }
            let message =
                format!("This expression is invalid. Did you try declaring a '{name}' resource without a title?");
            let name = name.clone();
            self.push(expr.span, IssueName::ResourceWithoutTitle, message);
            return self.untitled(&name);
        }
        for (at, statement) in list.iter().enumerate().rev().skip(1).rev() {
            if idem::is_idem(statement) && !self.slips.contains(&statement.span.start) {
                let what = super::words::label(statement);
                let message = format!(
                    "This {what} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)"
                );
                self.push(statement.span, IssueName::IdemExpressionNotLast, message);
                self.explain_idem(statement);
                let before = at.checked_sub(1).and_then(|at| list.get(at));
                self.explain_capital(before, statement);
                self.explain_beside(before, statement, list.get(at + 1));
                // `clas b { }`.
                if let (Kind::Name(word), Some(next)) = (&statement.kind, list.get(at + 1))
                    && idem::resource_without_title(next).is_some()
                    && let Some(keyword) = crate::lang::puppet::words::definition_word(word)
                {
                    self.advise(format!("`{word}` is not a word of Puppet: write `{keyword}`"));
                    self.slips.insert(next.span.start);
                }
                // `include a b`.
                if let (Kind::Name(name), Some(Kind::Call(call))) = (&statement.kind, before.map(|before| &before.kind))
                    && let (Kind::Name(word), [.., last]) = (&call.functor.kind, &call.args[..])
                    && matches!(&**word, "include" | "contain" | "require")
                    && let Kind::Name(last) = &last.kind
                {
                    self.advise(format!("write a comma: `{word} {last}, {name}`"));
                }
            }
        }
    }

    /// A value that only a blank separates from the statement before or behind it: a sign is missing there.
    fn explain_beside(&mut self, before: Option<&Expr>, statement: &Expr, next: Option<&Expr>) {
        let is_beside = |left: &Expr, right: &Expr| left.span.end + 1 == right.span.start;
        let advice = match (&statement.kind, before.map(|before| &before.kind), next) {
            (Kind::Regex(text), ..) if text.is_empty() => {
                let label = "`//` begins no comment in Puppet".to_string();
                Advice { code: Some(Code::ForeignWord), label: Some(label), ..Advice::default() }.help("write `#`")
            }
            (Kind::Var(name), Some(Kind::Assign(_, _, right)), _) if is_beside(right, statement) => {
                let Kind::Name(function) = &right.kind else { return };
                let label = format!("the arguments of `{function}` have no parentheses");
                let help = format!("write `{function}(${name})`");
                Advice { code: Some(Code::MissingSign), label: Some(label), ..Advice::default() }.help(help)
            }
            (Kind::Var(name), _, Some(next)) if !name.is_empty() && is_beside(statement, next) => {
                let label = format!("`${name}` and the value behind it have no sign between them");
                let help = format!("write `${name} = …` to set it, or an operator between the two");
                Advice { code: Some(Code::MissingSign), label: Some(label), ..Advice::default() }.help(help)
            }
            (Kind::Name(ty), _, Some(next))
                if matches!(next.kind, Kind::Str(_) | Kind::Concat(_))
                    && is_beside(statement, next)
                    && COMMON_TYPES.contains(&&**ty) =>
            {
                let label = format!("`{ty}` has no braces around its title and parameters");
                let title = if let Kind::Str(title) = &next.kind { &**title } else { "TITLE" };
                let title = if title.contains(['\'', '\\']) { "TITLE" } else { title };
                let help = format!("write `{ty} {{ '{title}': … }}`");
                Advice { code: Some(Code::MissingSign), label: Some(label), ..Advice::default() }.help(help)
            }
            (Kind::Ref(ty), _, Some(next)) if matches!(&next.kind, Kind::Assign(_, left, _) if matches!(left.kind, Kind::Var(_)) && is_beside(statement, left)) =>
            {
                let label = "a variable has no type before its name".to_string();
                let help = format!("remove `{ty}`, or check the value: `assert_type({ty}, VALUE)`");
                Advice { code: Some(Code::ForeignWord), label: Some(label), ..Advice::default() }.help(help)
            }
            (Kind::Name(word), Some(_), Some(next))
                if WORDS_OF_SIGNS.iter().any(|(other, _)| *other == &**word) && is_beside(statement, next) =>
            {
                let sign = WORDS_OF_SIGNS.iter().find(|(other, _)| *other == &**word).map_or("", |(_, sign)| sign);
                let label = format!("`{word}` is not an operator of Puppet");
                Advice { code: Some(Code::ForeignWord), label: Some(label), ..Advice::default() }
                    .help(format!("write `{sign}`"))
            }
            (Kind::Var(name), ..) if name.is_empty() => {
                let label = "this `$` has no name".to_string();
                let help = "write the name of a variable, or remove it: the prompt of a shell is not part of a program";
                Advice { code: Some(Code::MissingSign), label: Some(label), ..Advice::default() }.help(help)
            }
            _ => return,
        };
        if let Some(issue) = self.issues.last_mut() {
            issue.advice = advice;
        }
    }

    /// `include a::B`: the name ends before the part with the capital letter.
    fn explain_capital(&mut self, before: Option<&Expr>, statement: &Expr) {
        if let (Kind::Ref(name), Some(before)) = (&statement.kind, before)
            && name.starts_with("::")
            && before.span.end == statement.span.start
            && let Some(issue) = self.issues.last_mut()
        {
            let first = match &before.kind {
                Kind::Call(call) => call.args.last(),
                _ => Some(before),
            };
            let first = match first.map(|first| &first.kind) {
                Some(Kind::Name(first)) => first,
                _ => "…",
            };
            issue.advice = Advice {
                code: Some(Code::InvalidName),
                label: Some(format!("`{name}` has a capital letter, so the name ends before it")),
                help: Some(format!("write `{first}{}`", name.to_lowercase()).into()),
                ..Advice::default()
            };
        }
    }

    fn resource(&mut self, expr: &Expr, resource: &Resource) {
        let is_class = matches!(&resource.ty.kind, Kind::Name(name) if &**name == "class");
        if is_class && resource.form != Form::Regular {
            self.push(expr.span, IssueName::ClassNotVirtualizable, "Classes are not virtualizable");
        }
        self.expr(&resource.ty, Level::Inner);
        for body in &resource.bodies {
            let mut splats = body.ops.iter().filter(|op| matches!(op.kind, AttributeKind::Splat));
            if let Some(again) = splats.nth(1) {
                let message = "Unfolding of attributes from Hash can only be used once per resource body";
                self.push(again.span, IssueName::MultipleAttributesUnfold, message);
            }
            self.expr(&body.title, Level::Inner);
            self.attributes(&body.ops, Some("a Resource Instance Definition"));
        }
    }

    /// Attributes; `appending` names what holds them where `+>` is refused there.
    fn attributes(&mut self, ops: &[Attribute], appending: Option<&str>) {
        for op in ops {
            if let (AttributeKind::Append(name), Some(words)) = (&op.kind, appending) {
                let message =
                    format!("Illegal +> operation on attribute {name}. This operator can not be used in {words}");
                self.push(op.span, IssueName::IllegalAttributeAppend, message);
            }
            self.value(&op.value);
            self.expr(&op.value, Level::Inner);
        }
    }

    fn collect(&mut self, expr: &Expr, collect: &Collect) {
        if !matches!(collect.ty.kind, Kind::Ref(_)) {
            let message =
                format!("Illegal expression. {} is unacceptable as type name in {}", capital(&collect.ty), a(expr));
            self.push(collect.ty.span, IssueName::IllegalExpression, message);
            if let Kind::Name(name) = &collect.ty.kind {
                let ours = super::names::capitalised(name);
                self.advise(format!("a collector begins with a capital letter: write `{ours} <| … |>`"));
            }
        }
        if let Some(query) = &collect.query {
            self.query(query);
            self.expr(query, Level::Inner);
        }
        self.attributes(&collect.ops, None);
    }

    fn query(&mut self, query: &Expr) {
        match &query.kind {
            Kind::And(left, right) | Kind::Or(left, right) => {
                self.query(left);
                self.query(right);
            }
            Kind::Paren(inner) => self.query(inner),
            Kind::Binary(Op::Equal | Op::NotEqual, ..)
            | Kind::Var(_)
            | Kind::Name(_)
            | Kind::Int { .. }
            | Kind::Float(_)
            | Kind::Str(_)
            | Kind::Bool(_) => {}
            _ => {
                let message = format!("Illegal query expression. {} cannot be used in a query", capital(query));
                self.push(query.span, IssueName::IllegalQueryExpression, message);
            }
        }
    }

    fn heredoc(&mut self, span: Span, syntax: &str, text: &Expr) {
        let Kind::Str(text) = &text.kind else { return };
        let problem = match syntax {
            "json" => serde_json::from_str::<serde::de::IgnoredAny>(text).err().map(|e| e.to_string()),
            "base64" => {
                use base64::Engine;
                let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                base64::engine::general_purpose::STANDARD.decode(plain).err().map(|e| e.to_string())
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let message = format!("Invalid produced text having syntax: '{syntax}'. {problem}");
            self.push(span, IssueName::InvalidSyntax, message);
        }
    }
}

/// A key that can be compared before evaluation.
fn literal(expr: &Expr) -> Option<String> {
    Some(match &expr.unparenthesised().kind {
        Kind::Str(text) | Kind::Name(text) => format!("s{text}"),
        Kind::Int { value, .. } => format!("i{value}"),
        Kind::Float(value) => format!("f{value}"),
        Kind::Bool(value) => format!("b{value}"),
        Kind::Undef => "u".into(),
        Kind::Default => "d".into(),
        Kind::Regex(source) => format!("r{source}"),
        Kind::Ref(name) => format!("t{name}"),
        _ => return None,
    })
}
