//! Expressions to values.

use std::sync::Arc;

use super::Evaluator;
use super::operator;
use crate::diag::Code;
use crate::lang::puppet::ast::*;
use crate::lang::puppet::conf::Setting;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::ids::{ScopeId, TOP};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::legacy_facts;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::scope::{Groups, Owner};
use crate::lang::puppet::semver::{Range, Version};
use crate::lang::puppet::stop::{About, At, AtPart, Help, Problem, Run, Stop, fail, runtime};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value};
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

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
                let list = Value::array(self.unfolded(list, scope)?);
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

    /// Evaluates a type in which a name may be that of no type.
    pub fn with_any_name<V>(&mut self, work: impl FnOnce(&mut Self) -> V) -> V {
        let around = std::mem::replace(&mut self.takes_any_name, true);
        let done = work(self);
        self.takes_any_name = around;
        done
    }

    /// Refuses the name of no type.
    fn refuse_unknown_type(&mut self, expr: &Expr, value: &Value) -> Run<()> {
        if let (Kind::Ref(name), Value::Type(ty)) = (&expr.kind, value)
            && let Type::Resource(Some(ty), None) = &**ty
            && !matches!(&**ty, "class" | "node" | "stage")
            && self.loader().sort_of(ty, expr.span).is_err()
        {
            // A word such as `None` is the name of a type, as data types are.
            let help = match &**name {
                "None" | "Null" | "Nil" | "NULL" => "write `undef`".into(),
                "True" | "False" | "TRUE" | "FALSE" => format!("write `{}`", name.to_lowercase()).into(),
                _ => self.loader().unknown_resource_type(name),
            };
            return fail(expr.span, IssueName::UnknownResourceType, format!("Resource type not found: {name}"))
                .help(help);
        }
        Ok(())
    }

    /// Runs something after which the match variables are as before.
    pub fn guarded(&mut self, scope: ScopeId, work: impl FnOnce(&mut Self) -> Run) -> Run {
        let groups = self.scopes.get(scope).groups.clone();
        let done = work(self);
        self.scopes.get_mut(scope).groups = groups;
        done
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
        match name {
            "caller_module_name" | "module_name" | "title" | "name" if scope == TOP => return Ok(Value::Undef),
            "module_name" | "caller_module_name" => return Ok(Value::Undef),
            _ => {}
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
        // A class that was left out may have it.
        if let Some((class, _)) = name.trim_start_matches("::").rsplit_once("::")
            && !self.scopes.classes.contains_key(class)
            && self.output.left_out.may_declare("class", class)
        {
            return Ok(Value::Unknown(None));
        }
        if self.inputs.settings.strict == crate::lang::puppet::validate::Strict::Off {
            return Ok(Value::Undef);
        }
        if !self.inputs.settings.conf.strict_variables() {
            let place = self.inputs.sources.place(span);
            self.output.warn_once(format!("{}:{}: Unknown variable: '{name}'.", place.file, place.line));
            return Ok(Value::Undef);
        }
        let help = self.scopes.unknown_variable(scope, name);
        fail(span, IssueName::UnknownVariable, format!("Unknown variable: '{name}'.")).help(help)
    }

    fn assignment(&mut self, op: AssignOp, left: &Expr, right: &Expr, scope: ScopeId) -> Run {
        if let Some(value) = self.assign_feature(op, left, right, scope)? {
            return Ok(value);
        }
        let value = self.eval(right, scope)?;
        self.refuse_unknown_type(right, &value)?;
        // The place of an assignment is its sign.
        let between = Span::new(left.span.file, left.span.range().end, right.span.range().start);
        let text = self.inputs.sources.file(between.file).text.get(between.range()).unwrap_or_default();
        let sign = text.find('=').map(|at| between.range().start + at);
        let sign = sign.map_or(left.span, |at| Span::new(between.file, at, at + 1));
        self.scopes.assign(&self.inputs, left, value, scope, sign)
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
            other => {
                let place = |about: About| if about == About::Number { whole } else { inner.span };
                operator::arithmetic(Op::Subtract, &Value::Int(0), &other).at_part(place)
            }
        }
    }

    fn binary(&mut self, op: Op, left: &Expr, right: &Expr, scope: ScopeId, span: Span) -> Run {
        let a = self.eval(left, scope)?;
        let b = self.eval(right, scope)?;
        if self.output.meets_unknown(&[&a, &b]) && !arranges(op, &a, &b) {
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
                    let texts: Vec<Text> = match &b {
                        Value::Str(text) => vec![text.clone()],
                        Value::Array(list) => list
                            .iter()
                            .filter_map(|v| if let Value::Str(t) = v { Some(t.clone()) } else { None })
                            .collect(),
                        Value::Hash(map) => map
                            .keys()
                            .filter_map(|v| if let Value::Str(t) = v { Some(t.clone()) } else { None })
                            .collect(),
                        _ => Vec::new(),
                    };
                    for text in texts {
                        if self.scopes.match_text(regexp, &text, scope, span)? {
                            return Ok(Value::Bool(true));
                        }
                    }
                    return Ok(Value::Bool(false));
                }
                Value::Bool(operator::includes(&a, &b).at(span)?)
            }
            Op::Match => Value::Bool(self.scopes.matches(&a, &b, scope, left.span, right.span)?),
            Op::NoMatch => Value::Bool(!self.scopes.matches(&a, &b, scope, left.span, right.span)?),
            _ => {
                let place = |about: About| if about == About::Whole { span } else { left.span };
                let made = operator::arithmetic(op, &a, &b).at_part(place);
                let made = match (op, &a, &b) {
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
            if matches!(operand.kind, Kind::Var(_) | Kind::Access(..))
                && let Ok(Value::Undef) = self.eval(operand, scope)
                && let Some((place, why, help)) = self.why_undef(operand, scope)
            {
                let help = help.unwrap_or_else(|| "give it a value before".into());
                return done.code(Code::UndefinedValue).edit(place).label(why).help(help);
            }
        }
        done
    }

    fn selector(&mut self, left: &Expr, entries: &[Entry], scope: ScopeId, span: Span) -> Run {
        self.guarded(scope, |e| {
            let value = e.eval(left, scope)?;
            if matches!(value, Value::Unknown(_)) {
                return Ok(Value::Unknown(None));
            }
            e.output.read(&value, span)?;
            let mut default = None;
            for entry in entries {
                if matches!(unparenthesised(&entry.key).kind, Kind::Default) {
                    default = Some(&entry.value);
                    continue;
                }
                let options = match &entry.key.kind {
                    Kind::Unfold(inner) => {
                        let value = e.eval(inner, scope)?;
                        e.output.elements(value, entry.key.span)?
                    }
                    _ => vec![e.eval(&entry.key, scope)?],
                };
                for option in options {
                    if matches!(option, Value::Default) {
                        default = Some(&entry.value);
                    } else if e.output.has_unknown && is_open_option(&value, &option) {
                        return Ok(Value::Unknown(None));
                    } else if e.scopes.option_matches(&mut e.output, &value, &option, scope, entry.key.span)? {
                        return e.eval(&entry.value, scope);
                    }
                }
            }
            match default {
                Some(value) => e.eval(value, scope),
                None => {
                    let shown = convert::string(&value);
                    let message = format!("No matching entry for selector parameter with value '{shown}'");
                    fail(span, IssueName::UnmatchedSelector, message)
                        .edit(e.inputs.first_line(span))
                        .help(format!("add an entry `'{shown}' => VALUE` or `default => VALUE`"))
                }
            }
        })
    }

    fn case(&mut self, test: &Expr, choices: &[Choice], scope: ScopeId) -> Run {
        let value = self.eval(test, scope)?;
        if matches!(value, Value::Unknown(_)) {
            let branches: Vec<&Expr> = choices.iter().map(|choice| &choice.then).collect();
            return self.undecided_branches("this case", test.span, &branches, scope);
        }
        let mut default = None;
        for choice in choices {
            for option in &choice.values {
                if matches!(unparenthesised(option).kind, Kind::Default) {
                    default = Some(&choice.then);
                    continue;
                }
                let options = match &option.kind {
                    Kind::Unfold(inner) => {
                        let value = self.eval(inner, scope)?;
                        self.output.elements(value, option.span)?
                    }
                    _ => vec![self.eval(option, scope)?],
                };
                for candidate in options {
                    if matches!(candidate, Value::Default) {
                        default = Some(&choice.then);
                    } else if self.output.has_unknown && is_open_option(&value, &candidate) {
                        let branches: Vec<&Expr> = choices.iter().map(|choice| &choice.then).collect();
                        return self.undecided_branches("this case", option.span, &branches, scope);
                    } else if self.scopes.option_matches(&mut self.output, &value, &candidate, scope, option.span)? {
                        return self.eval(&choice.then, scope);
                    }
                }
            }
        }
        default.map_or(Ok(Value::Undef), |then| self.eval(then, scope))
    }

    /// A type by its name: a core type, an alias, or a resource type.
    pub fn named_type(&mut self, name: &str, span: Span) -> Run {
        let name = name.trim_start_matches("::");
        if let Some(ty) = types::named(name) {
            return Ok(Value::Type(ty));
        }
        if name.eq_ignore_ascii_case(crate::lang::puppet::lookup::context::NAME) {
            return Ok(Value::Type(crate::lang::puppet::lookup::context::ty()));
        }
        const KNOWN: [(&str, &str); 3] = [
            ("Puppet::LookupKey", r#"Pattern[/\A\w[\w:.'"-]*\z/]"#),
            ("Puppet::LookupValue", "Variant[Scalar, Undef, Sensitive, Type, Hash, Array]"),
            ("Pcore::MemberName", r"Pattern[/\A[a-z_]\w*\z/]"),
        ];
        if let Some((known, text)) = KNOWN.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            let resolved = self.type_from_text(text, span)?.into();
            return Ok(Value::Type(Type::Alias(Arc::new(types::TypeAlias { name: (*known).into(), resolved })).into()));
        }
        if let Some(ty) = types::known_object(name) {
            return Ok(Value::Type(ty));
        }
        if let Some(ty) = self.alias(name, span)? {
            return Ok(Value::Type(ty));
        }
        if let Some(ty) = self.loader().arm_named(name, span)? {
            return Ok(Value::Type(ty));
        }
        let lower = name.to_lowercase();
        Ok(Value::Type(Type::Resource(Some(lower.into()), None).into()))
    }

    /// A type alias, resolved.
    pub fn alias(&mut self, name: &str, span: Span) -> Run<Option<types::Ty>> {
        let key: Text = name.to_lowercase().into();
        if !self.program.aliases.contains_key(&key) {
            self.loader().load_alias(&key, span)?;
        }
        let Some(alias) = self.program.aliases.get_mut(&key) else { return Ok(None) };
        if let Some(ty) = &alias.ty {
            return Ok(Some(ty.clone()));
        }
        let definition = alias.definition.clone();
        if let Some(variable) = variable_in(&definition.ty) {
            let text = self.inputs.sources.file(variable.file).text[variable.range()].to_string();
            return runtime(span, format!("The expression <{text}> is not a valid type specification."))
                .help("write a type or a reference, such as `Integer` or `File['/x']`");
        }
        let shell = Arc::new(types::TypeAlias { name: definition.name.clone(), resolved: std::sync::OnceLock::new() });
        alias.ty = Some(Type::Alias(shell.clone()).into());
        let ty = if let Kind::Hash(_) = definition.ty.kind {
            let init = self.with_any_name(|e| e.eval(&definition.ty, TOP))?;
            types::object(Some(definition.name.clone()), &init).at(definition.ty.span)?
        } else {
            let ty = match self.with_any_name(|e| e.type_set(&definition.name, &definition.ty)) {
                Some(set) => set?,
                None => self.with_any_name(|e| e.eval(&definition.ty, TOP))?,
            };
            match ty {
                Value::Type(ty) => types::with_name(&ty, &definition.name),
                _ => return fail(definition.ty.span, IssueName::IllegalExpression, "a type alias names a type"),
            }
        };
        if matches!(&*ty, Type::Object(_) | Type::TypeSet(_)) {
            if let Some(alias) = self.program.aliases.get_mut(&key) {
                alias.ty = Some(ty.clone());
            }
            self.program.define_types_of(&ty);
            let _ = shell.resolved.set(ty.clone());
            return Ok(Some(ty));
        }
        if types::is_only_itself(&definition.name, &ty) {
            return fail(
                span,
                IssueName::RuntimeError,
                format!("Type alias '{}' cannot be resolved to a real type", definition.name),
            )
            .edit(definition.ty.span)
            .help("write a real data type here, such as `Integer` or `String`");
        }
        let _ = shell.resolved.set(ty);
        Ok(Some(Type::Alias(shell).into()))
    }

    /// Evaluates the body of a class, a define or a node; `return` ends it.
    pub fn body(&mut self, body: &Expr, scope: ScopeId) -> Run<()> {
        self.inputs.files.note(&self.inputs.sources, body.span);
        match self.eval(body, scope) {
            Ok(_) | Err(Stop::Return(..) | Stop::Next(_)) => Ok(()),
            Err(Stop::Break(span)) => fail(span, IssueName::RuntimeError, "break() from context where this is illegal")
                .code(Code::Misplaced)
                .help("use it only inside a function, a class, a define or a lambda"),
            Err(stop) => Err(stop),
        }
    }
}

impl Scopes {
    /// Whether a value matches an option, match variables included.
    fn option_matches(
        &mut self,
        output: &mut Output<'_>,
        value: &Value,
        option: &Value,
        scope: ScopeId,
        span: Span,
    ) -> Run<bool> {
        output.read(option, span)?;
        if let Value::Type(ty) = option {
            output.pay_instance(ty, value, span)?;
        }
        if let (Value::Str(text), Value::Regexp(regexp)) = (value, option) {
            return self.match_text(regexp, text, scope, span);
        }
        operator::matches(value, option).at(span)
    }

    fn assign(&mut self, inputs: &Inputs<'_>, left: &Expr, value: Value, scope: ScopeId, sign: Span) -> Run {
        match &left.kind {
            Kind::Var(name) => {
                self.set_variable(inputs, name, value.clone(), scope, (left.span, sign))?;
                Ok(value)
            }
            Kind::Array(targets) => self.assign_many(inputs, targets, value, scope, sign),
            _ => {
                fail(left.span, IssueName::IllegalAssignment, "Illegal attempt to assign. Not an assignable reference")
            }
        }
    }

    fn assign_many(&mut self, inputs: &Inputs<'_>, targets: &[Expr], value: Value, scope: ScopeId, sign: Span) -> Run {
        if let Value::Type(ty) = &value
            && let Type::Class(Some(class)) = &**ty
        {
            let class = class.clone();
            for target in targets {
                if let Kind::Var(name) = &target.kind {
                    let found = self.lookup(scope, &format!("{class}::{name}"));
                    let Some(found) = found else {
                        return fail(
                            target.span,
                            IssueName::MissingMultiAssignmentVariable,
                            format!(
                                "No value for required variable '${name}' in assignment to variables from class reference"
                            ),
                        );
                    };
                    self.set_variable(inputs, name, found, scope, (target.span, sign))?;
                }
            }
            return Ok(value);
        }
        if let Value::Hash(map) = &value {
            for target in targets {
                match &target.kind {
                    Kind::Var(name) => {
                        let Some(found) = map.get(&Value::Str(name.clone())) else {
                            return fail(
                                target.span,
                                IssueName::MissingMultiAssignmentKey,
                                format!("No value for required key '{name}' in assignment to variables from hash"),
                            );
                        };
                        self.set_variable(inputs, name, found.clone(), scope, (target.span, sign))?;
                    }
                    Kind::Array(_) => return self.assign(inputs, target, value.clone(), scope, sign),
                    _ => return fail(target.span, IssueName::IllegalAssignment, "Not an assignable reference"),
                }
            }
            return Ok(value);
        }
        let list = match &value {
            Value::Array(list) => list.to_vec(),
            Value::Unknown(_) => vec![Value::Unknown(None); targets.len()],
            other => vec![other.clone()],
        };
        if list.len() != targets.len() {
            return fail(
                sign,
                IssueName::IllegalMultiAssignmentSize,
                format!(
                    "Mismatched number of assignable entries and values, expected {}, got {}",
                    targets.len(),
                    list.len()
                ),
            );
        }
        for (target, value) in targets.iter().zip(list) {
            self.assign(inputs, target, value, scope, sign)?;
        }
        Ok(value)
    }

    /// Sets a variable. Its name is at one place, the sign of the assignment at another.
    fn set_variable(
        &mut self,
        inputs: &Inputs<'_>,
        name: &Text,
        value: Value,
        scope: ScopeId,
        (span, sign): (Span, Span),
    ) -> Run<()> {
        if matches!(&**name, "trusted" | "facts" | "server_facts") {
            return fail(
                span,
                IssueName::IllegalReservedAssignment,
                format!("Attempt to assign to a reserved variable name: '${name}'"),
            );
        }
        let variables = &mut self.get_mut(scope).variables;
        if variables.contains_key(name) {
            let refused = fail(sign, IssueName::IllegalReassignment, format!("Cannot reassign variable '${name}'"));
            let first = inputs.first_assignment(name, span);
            return match first {
                Some(first) => refused.related(first, "it has its value from here"),
                None => refused,
            };
        }
        variables.insert(name.clone(), value);
        Ok(())
    }
}

impl Output<'_> {
    /// The elements of `*value`. Each is paid before it is copied.
    fn elements(&mut self, value: Value, span: Span) -> Run<Vec<Value>> {
        let count = match &value {
            Value::Array(list) => list.len(),
            Value::Hash(map) => map.len(),
            Value::Iterator(items) => items.items.len(),
            _ => 1,
        };
        self.spend(count as u64, span)?;
        Ok(unfold(value))
    }
}

impl Scopes {
    /// Matches and sets the match variables.
    pub fn match_text(&mut self, regexp: &Regexp, text: &str, scope: ScopeId, span: Span) -> Run<bool> {
        let found = regexp.captures(text).map_err(Problem::regexp).at(span)?;
        let matched = found.is_some();
        if let Some(groups) = found {
            self.get_mut(scope).groups = Some(Groups::new(groups));
        }
        Ok(matched)
    }

    fn matches(&mut self, a: &Value, b: &Value, scope: ScopeId, left: Span, right: Span) -> Run<bool> {
        match b {
            Value::Type(ty) => Ok(types::is_instance(ty, a)),
            Value::SemVerRange(range) => in_range(a, range, left),
            Value::SemVer(version) => Ok(match a {
                Value::SemVer(a) => a.compare(version).is_eq(),
                Value::Str(text) => Version::parse(text).is_some_and(|v| v.compare(version).is_eq()),
                _ => false,
            }),
            Value::Regexp(_) | Value::Str(_) => {
                let Value::Str(text) = a else {
                    return fail(
                        left,
                        IssueName::MatchNotString,
                        format!(
                            "Left match operand must result in a String value. Got {}.",
                            crate::lang::puppet::words::article(&types::infer_generic(a).to_string())
                        ),
                    );
                };
                let regexp = match b {
                    Value::Regexp(regexp) => regexp.clone(),
                    Value::Str(source) => Arc::new(Regexp::new(source.clone())),
                    _ => return Ok(false),
                };
                if let Err(detail) = regexp.compiled() {
                    return fail(
                        right,
                        IssueName::MatchNotRegexp,
                        format!("Can not convert right match operand to a regular expression. Caused by '{detail}'."),
                    );
                }
                self.match_text(&regexp, text, scope, left)
            }
            _ => fail(
                right,
                IssueName::MatchNotRegexp,
                "Can not convert right match operand to a regular expression. Caused by 'no implicit conversion into String'.",
            ),
        }
    }

    /// Returns the owner of a scope.
    pub fn owner(&self, scope: ScopeId) -> &Owner {
        &self.get(scope).owner
    }
}

fn in_range(a: &Value, range: &Range, left: Span) -> Run<bool> {
    match a {
        Value::SemVer(version) => Ok(range.includes(version)),
        Value::Str(text) => Ok(Version::parse(text).is_some_and(|v| range.includes(&v))),
        _ => fail(left, IssueName::MatchNotString, "Left match operand must result in a String value."),
    }
}

impl Inputs<'_> {
    /// Where a variable got its value, in the text before its second assignment.
    fn first_assignment(&self, name: &str, second: Span) -> Option<Span> {
        let text = self.sources.file(second.file).text.get(..second.range().start)?;
        let wanted = format!("${name}");
        let mut places = text.match_indices(&wanted).filter(|(at, _)| {
            let behind = text[at + wanted.len()..].trim_start_matches([' ', '\t']);
            let is_whole = !text[at + wanted.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_set = behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=~");
            is_whole && (is_set || behind.starts_with([',', '\n', ')']) && !text[..*at].ends_with(['=', '(', '{', '[']))
        });
        let (at, _) = places.next()?;
        Some(Span::new(second.file, at, at + wanted.len()))
    }
}

impl Program {
    /// The types of a type set are found below its name.
    fn define_types_of(&mut self, ty: &types::Ty) {
        let Type::TypeSet(Some(set)) = &**ty else { return };
        for (name, member) in &set.types {
            let full = match &set.name {
                Some(set) => format!("{set}::{name}"),
                None => name.to_string(),
            };
            let dummy = Arc::new(TypeAlias {
                span: Span::new(crate::source::FileId(0), 0, 0),
                name: full.clone().into(),
                ty: Expr::new(Span::new(crate::source::FileId(0), 0, 0), Kind::Nop),
            });
            self.aliases.insert(
                full.to_lowercase().into(),
                crate::lang::puppet::program::Alias { definition: dummy, ty: Some(member.clone()) },
            );
        }
    }
}

/// What `*value` stands for.
pub fn unfold(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list.to_vec(),
        Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
        Value::Undef => Vec::new(),
        Value::Iterator(items) => items.items.clone(),
        other => vec![other],
    }
}

/// Removes the parentheses around an expression.
pub fn unparenthesised(expr: &Expr) -> &Expr {
    match &expr.kind {
        Kind::Paren(inner) => unparenthesised(inner),
        _ => expr,
    }
}

/// What a type is made of is known without evaluating: the outermost expression that reads a variable, if one does.
fn variable_in(ty: &Expr) -> Option<Span> {
    let mut open = vec![ty];
    while let Some(expr) = open.pop() {
        let mut left = expr;
        while let Kind::Access(inner, _) = &left.kind {
            left = inner;
        }
        if matches!(left.kind, Kind::Var(_)) {
            return Some(expr.span);
        }
        open.extend(expr.children());
    }
    None
}

/// The expression of a part of a text, which is appended as it is.
fn embedded(part: &Expr) -> &Expr {
    if let Kind::Text(inner) = &part.kind { inner } else { part }
}

/// Whether it is unknown if an option takes a value.
fn is_open_option(value: &Value, option: &Value) -> bool {
    match (value, option) {
        (_, option) if unknown::is_in(option) => true,
        (value, _) if !unknown::is_in(value) => false,
        (value, Value::Type(ty)) => types::known_instance(ty, value).is_none(),
        (Value::Array(_) | Value::Hash(_), option) => matches!(option, Value::Array(_) | Value::Hash(_)),
        _ => true,
    }
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
