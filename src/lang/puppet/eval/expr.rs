//! Expressions to values.

use std::sync::Arc;

use super::Evaluator;
use super::operator;
use crate::diag::Code;
use crate::lang::puppet::ast::*;
use crate::lang::puppet::conf::Setting;
use crate::lang::puppet::ids::{ScopeId, TOP};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::legacy_facts;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::{Owner, Scopes};
use crate::lang::puppet::stop::{About, At, AtPart, Help, Problem, Run, Stop, fail, misplaced};
use crate::lang::puppet::types;
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value};
use crate::lang::ruby::regexp::Regexp;
use crate::source::{Sources, Span};

impl Evaluator<'_> {
    /// Evaluates an expression in a scope.
    pub fn eval(&mut self, expr: &Expr, scope: ScopeId) -> Run {
        self.output.step(expr.span)?;
        match &expr.kind {
            Kind::Nop | Kind::Undef => Ok(Value::Undef),
            Kind::Default => Ok(Value::Default),
            Kind::Bool(value) => Ok(Value::Bool(*value)),
            Kind::Int { value, .. } => match i64::try_from(*value) {
                Ok(value) => Ok(Value::Int(value)),
                Err(_) => fail(expr.span, IssueName::NumericOverflow, "the number is outside of the range of integers"),
            },
            Kind::Float(value) => Ok(Value::Float(*value)),
            Kind::Str(text) | Kind::Name(text) | Kind::Reserved(text) => Ok(Value::Str(text.clone())),
            Kind::Regex(source) => {
                let regexp = Regexp::new(source.clone());
                regexp.compiled().map(|_| ()).map_err(Problem::regexp).at(expr.span)?;
                Ok(Value::Regexp(Arc::new(regexp)))
            }
            Kind::Ref(name) => {
                let value = self.named_type(name, expr.span)?;
                if !self.takes_any_name {
                    self.refuse_unknown_type(expr, &value)?;
                }
                Ok(value)
            }
            Kind::Var(name) => self.variable(name, scope, expr.span),
            Kind::Concat(parts) => {
                let values = parts.iter().map(|part| self.eval(embedded(part), scope)).collect::<Run<Vec<_>>>()?;
                let length: usize =
                    values.iter().map(|value| if let Value::Str(text) = value { text.len() } else { 0 }).sum();
                // While it is built a text exists twice.
                if length > self.output.room() / 2 {
                    self.output.build(2 * length, expr.span)?;
                }
                let text = self.output.joined(values.iter(), "", expr.span)?;
                let is_unknown = self.output.has_unknown && values.iter().any(unknown::is_in);
                Ok(unknown::text(text, is_unknown))
            }
            Kind::Text(inner) => {
                let value = self.eval(inner, scope)?;
                let is_unknown = self.output.meets_unknown(&[&value]);
                Ok(unknown::text(self.output.joined(std::iter::once(&value), "", expr.span)?, is_unknown))
            }
            Kind::Heredoc { text, .. } => self.eval(text, scope),
            Kind::Array(list) => {
                let values = self.unfolded(list, scope)?;
                if super::unknown::lost_count(&self.output, list, &values) {
                    return Ok(Value::Unknown(None));
                }
                let list = Value::array(values);
                self.output.measured(list, expr.span)
            }
            Kind::Hash(entries) => {
                let mut map = Map::default();
                for entry in entries {
                    let key = self.eval(&entry.key, scope)?;
                    let value = self.eval(&entry.value, scope)?;
                    map.insert(key, value);
                }
                self.output.measured(Value::hash(map), expr.span)
            }
            Kind::Paren(inner) => self.eval(inner, scope),
            Kind::Not(inner) => {
                let value = self.eval(inner, scope)?;
                Ok(if value.is_open() { Value::Unknown(None) } else { Value::Bool(!value.is_true()) })
            }
            Kind::Negate(inner) => self.negate(inner, scope, expr.span),
            Kind::Unfold(inner) => {
                let value = self.eval(inner, scope)?;
                Ok(Value::array(self.output.elements(value, expr.span)?))
            }
            Kind::Binary(op, left, right) => self.binary(*op, left, right, scope, expr.span),
            Kind::And(left, right) | Kind::Or(left, right) => {
                let stops_at = matches!(expr.kind, Kind::Or(..));
                let mut value = self.eval(left, scope)?;
                if !value.is_open() && value.is_true() != stops_at {
                    value = self.eval(right, scope)?;
                } else if value.is_open() {
                    if has_match(right) {
                        self.scopes.get_mut(scope).groups = Some(None);
                    }
                    self.leave_out_parts(right.span, &[right], scope)?;
                }
                Ok(if value.is_open() { Value::Unknown(None) } else { Value::Bool(value.is_true()) })
            }
            Kind::Assign(op, left, right) => self.assignment(*op, left, right, scope),
            Kind::Relation { first, rest } => self.relation(first, rest, scope),
            Kind::Access(left, keys) => self.access(expr, left, keys, scope),
            Kind::Member(left, _) => self.eval(left, scope),
            Kind::Call(call) => self.call_expr(call, scope, expr.span),
            Kind::Selector(left, entries) => self.selector(left, entries, scope, expr.span),
            Kind::If { unless, test, then, other } => self.guarded(scope, |e| {
                let value = e.eval(test, scope)?;
                if value.is_open() {
                    return e.undecided_branches("this condition", test.span, &[then, other], scope);
                }
                let holds = value.is_true() != *unless;
                e.eval(if holds { then } else { other }, scope)
            }),
            Kind::Case(test, choices) => self.guarded(scope, |e| e.case(test, choices, scope)),
            Kind::Block(list) => {
                let mut last = Value::Undef;
                for statement in list {
                    self.inputs.files.note(&self.inputs.sources, statement.span);
                    last = self.eval(statement, scope)?;
                }
                Ok(last)
            }
            Kind::Lambda(_) => Ok(Value::Undef),
            Kind::Class(_) | Kind::Define(_) | Kind::Node(_) | Kind::Function(_) => Ok(Value::Undef),
            Kind::TypeAlias(_) | Kind::TypeMapping(..) | Kind::TypeDefinition(_) | Kind::ArmType(_) => Ok(Value::Undef),
            Kind::Resource(resource) => self.resource(resource, scope, expr.span),
            Kind::Defaults(defaults) => self.set_defaults(defaults, scope, expr.span),
            Kind::Override(defaults) => self.override_resources(defaults, scope, expr.span),
            Kind::Collect(collect) => self.collect(collect, scope, expr.span),
            Kind::Epp(epp) => self.eval(&epp.body, scope),
            Kind::Render(inner) => {
                let value = self.eval(inner, scope)?;
                let is_unknown = self.output.meets_unknown(&[&value]);
                let shown = if let Value::Sensitive(inner) = &value { &**inner } else { &value };
                let text = self.output.joined(std::iter::once(shown), "", expr.span)?;
                if let Some(out) = self.rendered.last_mut() {
                    out.is_unknown |= is_unknown;
                    out.is_sensitive |= matches!(value, Value::Sensitive(_));
                    out.text.push_str(&text);
                }
                Ok(Value::Undef)
            }
            Kind::RenderText(text) => {
                self.output.build(text.len(), expr.span)?;
                if let Some(out) = self.rendered.last_mut() {
                    out.text.push_str(text);
                }
                Ok(Value::Undef)
            }
        }
    }

    /// Values of expressions; `*list` stands for its elements.
    pub fn unfolded(&mut self, list: &[Expr], scope: ScopeId) -> Run<Vec<Value>> {
        let mut out = Vec::with_capacity(list.len());
        for expr in list {
            match &expr.kind {
                Kind::Unfold(inner) => {
                    let value = self.eval(inner, scope)?;
                    out.extend(self.output.elements(value, expr.span)?);
                }
                _ => out.push(self.eval(expr, scope)?),
            }
        }
        Ok(out)
    }

    /// Returns the value of a variable by its name without the dollar. Fails for an unknown one if `strict_variables`
    /// is set.
    pub fn variable(&mut self, name: &str, scope: ScopeId, span: Span) -> Run {
        if name.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(name.parse().map_or(Value::Undef, |index| self.scopes.group(scope, index)));
        }
        if let Some(body) = self.scopes.body_around(&self.program, scope) {
            return self.body_variable(body, name, scope, span);
        }
        if let Some(value) = self.scopes.lookup(scope, name) {
            return Ok(value);
        }
        let is_title_of_top = scope == TOP && matches!(name, "title" | "name");
        if is_title_of_top || matches!(name, "module_name" | "caller_module_name") {
            return Ok(Value::Undef);
        }
        if let Some(setting) = name.trim_start_matches("::").strip_prefix("settings::") {
            match self.inputs.settings.conf.setting(setting) {
                Setting::Value(value) => return Ok(value),
                Setting::Unknown => {
                    return self.output.never_known(
                        &self.inputs,
                        format!("`$settings::{setting}` depends on the server"),
                        span,
                    );
                }
                Setting::None => {}
            }
        }
        let bare = name.strip_prefix("::").unwrap_or(name);
        if !bare.contains("::")
            && let Some(fact) = legacy_facts::find(&self.inputs.settings.facts, bare)
        {
            return Ok(fact);
        }
        if let Some(unknown) = self.loader().ruby_fact(bare) {
            return Ok(unknown);
        }
        if matches!(bare, "servername" | "serverip" | "serverip6") {
            let why = format!("`${bare}` depends on the server");
            return self.output.never_known(&self.inputs, why, span);
        }
        // A class that was left out may have it.
        if let Some((class, _)) = name.trim_start_matches("::").rsplit_once("::")
            && self.output.left_out.may_declare("class", class)
        {
            return Ok(Value::Unknown(None));
        }
        if self.inputs.settings.strict == crate::lang::puppet::conf::Strict::Off {
            return Ok(Value::Undef);
        }
        if !self.inputs.settings.conf.strict_variables() {
            let place = self.inputs.sources.place(span);
            self.output.warn_once(format!("{}:{}: Unknown variable: '{name}'.", place.file, place.line));
            return Ok(Value::Undef);
        }
        let mut help = self.scopes.unknown_variable(scope, name);
        let text = &self.inputs.sources.file(span.file).text;
        let behind = text.get(span.range().end..).unwrap_or_default().trim_start();
        let before = text.get(..span.range().start).unwrap_or_default().trim_end();
        if behind.starts_with("=>") && before.ends_with('(') {
            help = format!("a block has its parameters between bars: `… |${name}| {{ … }}`").into();
        }
        let refused = fail(span, IssueName::UnknownVariable, format!("Unknown variable: '{name}'."));
        match set_before(&self.inputs.sources, &self.program, name, span) {
            Some(place) if !help.starts_with("did you mean") => refused
                .related(place, "it is set here, in a block that ends before, or in a branch that is not taken")
                .help(format!(
                    "set it in each branch, or use the value of the block: `${name} = if … {{ … }} else {{ … }}`, or `.map` \
                     and `.reduce` of a list"
                )),
            _ => refused.help(help),
        }
    }

    fn negate(&mut self, inner: &Expr, scope: ScopeId, whole: Span) -> Run {
        if let Kind::Int { value, .. } = inner.kind
            && let Ok(value) = i64::try_from(-value)
        {
            return Ok(Value::Int(value));
        }
        let value = self.eval(inner, scope)?;
        match value {
            Value::Int(value) => value.checked_neg().map(Value::Int).ok_or_else(|| {
                Problem::new(IssueName::NumericOverflow, "the result is outside of the range of integers")
                    .at(inner.span)
            }),
            Value::Float(value) => Ok(Value::Float(-value)),
            Value::Timespan(value) => Ok(Value::Timespan(-value)),
            Value::Unknown(_) => Ok(Value::Unknown(None)),
            other => {
                let place = |about: About| if about == About::Number { whole } else { inner.span };
                operator::arithmetic(Op::Subtract, &Value::Int(0), &other).at_part(place)
            }
        }
    }

    fn binary(&mut self, op: Op, left: &Expr, right: &Expr, scope: ScopeId, span: Span) -> Run {
        let a = self.eval(left, scope)?;
        let b = self.eval(right, scope)?;
        let has_unknown = self.output.meets_unknown(&[&a, &b]);
        if has_unknown && let Value::Type(ty) = &b {
            self.output.pay_instance(ty, &a, span)?;
        }
        if has_unknown && !arranges(op, &a, &b) {
            if sets_groups(op, &a) {
                self.scopes.get_mut(scope).groups = Some(None);
            }
            return Ok(Value::Unknown(None));
        }
        self.output.read(&a, span)?;
        self.output.read(&b, span)?;
        match (op, &a, &b) {
            (Op::Equal | Op::NotEqual, _, Value::Type(ty)) => self.output.read_type(ty, span)?,
            (Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual, Value::Str(_), Value::Str(_)) => {
                self.output.pay_order(&a, &b, span)?;
            }
            (_, value, Value::Type(ty)) | (Op::In, Value::Type(ty), value) => {
                self.output.pay_instance(ty, value, span)?
            }
            _ => {}
        }
        if matches!(op, Op::Equal | Op::NotEqual) {
            self.refuse_unknown_type(left, &a)?;
            self.refuse_unknown_type(right, &b)?;
        }
        Ok(match op {
            Op::Equal => Value::Bool(operator::equals(&a, &b)),
            Op::NotEqual => Value::Bool(!operator::equals(&a, &b)),
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                let done = operator::ordered(op, &a, &b).at(span);
                Value::Bool(self.about_words(done, [left, right], scope)?)
            }
            Op::In => {
                if let Value::Regexp(regexp) = &a {
                    let texts: Vec<&str> = match &b {
                        Value::Str(text) => vec![text],
                        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                        Value::Hash(map) => map.keys().filter_map(Value::as_str).collect(),
                        _ => Vec::new(),
                    };
                    for text in texts {
                        if self.scopes.match_text(regexp, text, scope, span)? {
                            return Ok(Value::Bool(true));
                        }
                    }
                    return Ok(Value::Bool(false));
                }
                Value::Bool(operator::includes(&a, &b).at(span)?)
            }
            Op::Match | Op::NoMatch => {
                let done = self.scopes.matches(&a, &b, scope, left.span, right.span);
                Value::Bool(self.about_words(done, [left, left], scope)? == (op == Op::Match))
            }
            _ => {
                let place = |about: About| if about == About::Whole { span } else { left.span };
                let made = operator::arithmetic(op, &a, &b).at_part(place);
                let made = match (op, &a, &b) {
                    (Op::Divide, Value::Str(a), Value::Str(b))
                        if matches!((&left.kind, &right.kind), (Kind::Name(_), Kind::Name(_))) =>
                    {
                        made.help(format!("the parts of a name have `::` between them: `{a}::{b}`"))
                    }
                    (Op::Add, Value::Str(_), _) | (Op::Add, _, Value::Str(_)) => {
                        made.help("join texts inside one text: `\"${a}${b}\"`")
                    }
                    _ => made,
                };
                let made = self.about_words(made, [left, right], scope)?;
                return self.output.combined(made, &b, span);
            }
        })
    }

    /// Explains a refused operand: a word that is the name of a variable, or an undefined value.
    fn about_words<V>(&mut self, done: Run<V>, operands: [&Expr; 2], scope: ScopeId) -> Run<V> {
        let Err(Stop::Fail(_)) = &done else { return done };
        for operand in operands {
            if let Kind::Name(name) = &operand.kind
                && self.scopes.is_variable(scope, name)
            {
                let label = format!("`{name}` is a text, not the variable `${name}`");
                return done.edit(operand.span).label(label).help(format!("write `${name}`"));
            }
        }
        for operand in operands {
            let is_pure = matches!(operand.kind, Kind::Var(_) | Kind::Access(..)) || super::call::is_dig(operand);
            if is_pure
                && let Ok(Value::Undef) = self.eval(operand, scope)
                && let Some((place, why, help)) = self.why_undef(operand, scope)
            {
                let help = help.unwrap_or_else(|| "give it a value before".into());
                return done.code(Code::UndefinedValue).edit(place).label(why).help(help);
            }
        }
        done
    }

    /// Evaluates the body of a class, a define or a node; `return` ends it.
    pub fn body(&mut self, body: &Expr, scope: ScopeId) -> Run<()> {
        self.inputs.files.note(&self.inputs.sources, body.span);
        match self.eval(body, scope) {
            Ok(_) | Err(Stop::Return(..) | Stop::Next(_)) => Ok(()),
            Err(Stop::Break(span)) => misplaced(span, "break"),
            Err(stop) => Err(stop),
        }
    }
}

impl Scopes {
    /// Returns the owner of a scope.
    pub fn owner(&self, scope: ScopeId) -> &Owner {
        &self.get(scope).owner
    }
}

/// The expression of a part of a text, which is appended as it is.
fn embedded(part: &Expr) -> &Expr {
    if let Kind::Text(inner) = &part.kind { inner } else { part }
}

/// Whether an operator may set the match variables, by its left operand.
fn sets_groups(op: Op, left: &Value) -> bool {
    match op {
        Op::Match | Op::NoMatch => true,
        Op::In => matches!(left, Value::Regexp(_) | Value::Unknown(_)),
        _ => false,
    }
}

/// Whether an expression has an operator that may set the match variables around it.
fn has_match(expr: &Expr) -> bool {
    expr.all_children().any(|expr| matches!(expr.kind, Kind::Binary(Op::Match | Op::NoMatch | Op::In, ..)))
}

/// Whether an operator gives a known value for parts that are unknown.
fn arranges(op: Op, a: &Value, b: &Value) -> bool {
    match (op, a, b) {
        (Op::Add, Value::Array(_), Value::Array(_)) => true,
        (Op::LeftShift, Value::Array(_), b) => !matches!(b, Value::Unknown(_)),
        (Op::Add, Value::Hash(a), Value::Hash(b)) => !a.keys().chain(b.keys()).any(unknown::is_in),
        (Op::Match | Op::NoMatch, value, Value::Type(ty)) => types::known_instance(ty, value).is_some(),
        _ => false,
    }
}

/// Where the same class or file sets a variable that is not visible any more.
fn set_before(sources: &Sources, program: &Program, name: &str, span: Span) -> Option<Span> {
    const MOST: usize = 16 << 10;
    let text = &sources.file(span.file).text;
    let before = text.get(..span.range().start)?;
    // A part that is too far behind begins at a line.
    let first = before.len().saturating_sub(MOST);
    let first = if first == 0 { 0 } else { first + before.as_bytes()[first..].iter().position(|b| *b == b'\n')? + 1 };
    let written = format!("${name}");
    let (mut quote, mut in_comment, mut is_escaped) = (None, false, false);
    let place = before.get(first..)?.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            _ if std::mem::take(&mut is_escaped) => {}
            (_, '\n') if in_comment => in_comment = false,
            _ if in_comment => {}
            (Some(_), '\\') => is_escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') => in_comment = true,
            (None, '$') => {
                let at = first + at;
                let behind = before[at..].strip_prefix(&written)?.trim_start_matches([' ', '\t']);
                let is_set = behind.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '~', '>']));
                return is_set.then(|| Span::new(span.file, at, at + written.len()));
            }
            _ => {}
        }
        None
    })?;
    let around = |span| program.definition_around(span).map(|definition| definition.span);
    (around(place) == around(span)).then_some(place)
}
