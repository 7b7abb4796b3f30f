//! Calls: of functions of the language, of built-in ones, of lambdas, of types.

use std::sync::Arc;

use super::Evaluator;
use crate::diag::{Code, Stage};
use crate::lang::puppet::ast::{self, Expr, Function, Kind, Parameter, Text};
use crate::lang::puppet::builtin;
use crate::lang::puppet::call::{Block, Call, arity};
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::ids::{ScopeId, TOP};
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::scope::{Owner, Scope};
use crate::lang::puppet::stop::{Help, Problem, Run, Stop, fail};
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// Loops and functions that an exhausted limit names.
const LOOPS: usize = 3;

/// Steps of calling a lambda, besides those of its body.
const CALL: u64 = 4;

impl Evaluator<'_> {
    pub(super) fn call_expr(&mut self, call: &ast::Call, scope: ScopeId, span: Span) -> Run {
        let block = call.lambda.as_ref().map(|lambda| Block { lambda: lambda.clone(), scope, of_ruby: None });
        match &call.functor.kind {
            Kind::Name(name) => {
                if &**name == "new"
                    && let [first, rest @ ..] = &call.args[..]
                    && !matches!(first.kind, Kind::Unfold(_))
                {
                    let ty = self.eval(first, scope)?;
                    if self.program.is_arm_type(&ty) {
                        return self.construct_call(&ty, rest, call.lambda.as_ref(), scope, span);
                    }
                    let mut args = vec![ty];
                    args.extend(self.unfolded(rest, scope)?);
                    return self.call(Call { name: name.clone(), args, block, scope, span });
                }
                let args = self.unfolded(&call.args, scope)?;
                if super::unknown::lost_count(&self.output, &call.args, &args) {
                    return self.undecided(name, &Call { name: name.clone(), args, block, scope, span });
                }
                let undef = args.iter().position(|value| *value == Value::Undef);
                let done = self.call(Call { name: name.clone(), args, block, scope, span });
                match undef.and_then(|index| call.args.get(index)) {
                    Some(arg) => self.about_undef(done, arg, scope),
                    None => done,
                }
            }
            Kind::Member(target, name) => {
                let word = name.span;
                let Kind::Name(name) = &name.kind else {
                    return fail(span, IssueName::IllegalExpression, "a function's name is expected");
                };
                let (whole, span) = (span, self.inputs.method_place(target.span, word, span));
                let mut args = self.unfolded(std::slice::from_ref(&**target), scope)?;
                if let [ty] = &args[..]
                    && &**name == "new"
                    && self.program.is_arm_type(ty)
                {
                    return self.construct_call(ty, &call.args, call.lambda.as_ref(), scope, whole);
                }
                if let Some(Value::Object(object)) = args.first() {
                    if let Some(instance) = &object.arm
                        && call.args.is_empty()
                        && call.lambda.is_none()
                        && let Some(index) = instance.model.find(name)
                    {
                        return self.read_feature(object, index, whole);
                    }
                    if call.args.is_empty()
                        && let Some((_, value)) = object.attributes.iter().find(|(n, _)| n == name)
                    {
                        return Ok(value.clone());
                    }
                    if *types::object_name(&object.ty) == *crate::lang::puppet::lookup::context::NAME {
                        let args = self.unfolded(&call.args, scope)?;
                        return self.context_method(object, name, &args, block.as_ref(), span);
                    }
                }
                if let Some(Value::Uri(text)) = args.first()
                    && call.args.is_empty()
                    && matches!(
                        &**name,
                        "scheme" | "userinfo" | "host" | "port" | "path" | "query" | "fragment" | "opaque"
                    )
                {
                    let found = types::uri_parts(text).into_iter().find(|(n, _)| n == name);
                    return Ok(found.map_or(Value::Undef, |(_, v)| v));
                }
                args.extend(self.unfolded(&call.args, scope)?);
                if super::unknown::lost_count(&self.output, &call.args, &args) {
                    return self.undecided(name, &Call { name: name.clone(), args, block, scope, span });
                }
                let is_undef = args.first() == Some(&Value::Undef);
                let word = match args.first() {
                    Some(Value::Str(word)) if matches!(target.kind, Kind::Name(_)) => Some(word.clone()),
                    _ => None,
                };
                let is_key = matches!(args.first(), Some(value @ Value::Hash(_)) if value.get(name).is_some());
                let done = self.call(Call { name: name.clone(), args, block, scope, span });
                let done = match word {
                    Some(word) => about_dotted_name(done, &word, name),
                    None if is_key
                        && matches!(&done, Err(Stop::Fail(issue)) if issue.code() == Code::UnknownFunction) =>
                    {
                        done.help(format!("a value of a hash is read in brackets: write `['{name}']` for `.{name}`"))
                    }
                    None => done,
                };
                if is_undef { self.about_undef(done, target, scope) } else { done }
            }
            Kind::Ref(_) | Kind::Access(..) => {
                let ty = self.eval(&call.functor, scope)?;
                if self.program.is_arm_type(&ty) {
                    return self.construct_call(&ty, &call.args, call.lambda.as_ref(), scope, span);
                }
                let mut args = vec![ty];
                args.extend(self.unfolded(&call.args, scope)?);
                self.call(Call { name: "new".into(), args, block, scope, span })
            }
            _ => fail(
                span,
                IssueName::IllegalExpression,
                "Illegal expression. It is unacceptable as function name in a Function Call",
            ),
        }
    }

    /// Calls a function by name.
    pub fn call(&mut self, call: Call) -> Run {
        let name = call.name.strip_prefix("::").unwrap_or(&call.name).to_string();
        let in_body = self.scopes.body_around(&self.program, call.scope).is_some();
        if in_body && let Some(done) = self.function_of_body(&name, &call) {
            return done;
        }
        if !name.contains("::")
            && let Some(function) = builtin::find(&name)
        {
            return match self.call_of_unknown(&name, &call)? {
                Some(value) => Ok(value),
                None => {
                    call.args.iter().try_for_each(|arg| self.output.visit(function, arg, call.span))?;
                    self.check_signature(function, &call)?;
                    let outer = std::mem::take(&mut self.output.has_open_break);
                    let value = self.deeper(call.span, |e| (function.call)(e, &call))?;
                    let inner = std::mem::replace(&mut self.output.has_open_break, outer);
                    if inner && call.block.is_some() {
                        return Ok(Value::Unknown(None));
                    }
                    self.output.has_open_break |= inner;
                    self.output.given(function, value, call.span)
                }
            };
        }
        if in_body {
            return fail(
                call.span,
                IssueName::ArmIllegalFunction,
                format!("The function '{name}' cannot be called here"),
            );
        }
        let key: Text = name.as_str().into();
        if !self.program.functions.contains_key(&key) {
            self.loader().load_function(&name, call.span)?;
        }
        if let Some(function) = self.program.functions.get(&key).cloned() {
            let done = self.deeper(call.span, |e| e.call_function(&function, &call));
            return self.inputs.about_recursion(done, &function);
        }
        if let Some(file) = self.loader().ruby_function(&name) {
            return self.call_of_module(&name, &file, call);
        }
        let help = self.loader().unknown_function(&name);
        fail(call.span, IssueName::UnknownFunction, format!("Unknown function: '{name}'.")).help(help)
    }

    fn call_function(&mut self, function: &Arc<Function>, call: &Call) -> Run {
        // What a function declares belongs to the top, wherever the call is.
        let mut scope = Scope::new(Owner::Function, Some(TOP), Some(TOP));
        scope.resource = self.scopes.get(TOP).resource;
        scope.module = Some(crate::lang::puppet::names::module_of(&function.name));
        let kept = self.catalog.keeps();
        let scope = self.scopes.add(scope);
        self.bind(&function.name, &function.params, &call.args, scope, call.span)?;
        if let Some(block) = &call.block {
            return fail(
                block.lambda.span,
                IssueName::WrongCount,
                format!("'{}' does not expect a block", function.name),
            )
            .related(function.span, "the function is defined here")
            .help("remove the block");
        }
        let value = match self.eval(&function.body, scope) {
            Err(Stop::Return(value, _) | Stop::Next(value)) => value,
            done => done?,
        };
        self.check_returned(&function.name, function.returns.as_ref(), (&value, &function.body), scope, call.span)?;
        self.leave(scope, kept);
        Ok(value)
    }

    fn check_returned(
        &mut self,
        name: &str,
        returns: Option<&Expr>,
        (value, body): (&Value, &Expr),
        scope: ScopeId,
        span: Span,
    ) -> Run<()> {
        let Some(returns) = returns else { return Ok(()) };
        let ty = self.type_of(returns, scope)?;
        if self.output.check_instance(&ty, value, span)? {
            return Ok(());
        }
        let got = types::describe_mismatch(&ty, value);
        let message = format!("value returned from function '{name}' has wrong type, {got}");
        let help = match value {
            Value::Undef => {
                format!("end the function with a value of type {ty}, or declare `>> Optional[{ty}]`").into()
            }
            _ => crate::lang::puppet::wrong_value::value_help(&ty, value),
        };
        let place = last_value(body);
        fail(span, IssueName::WrongType, message)
            .edit(place)
            .related(returns.span, "the type that it returns is declared here")
            .related(span, "called here")
            .help(help)
    }

    /// A type expression as a type.
    pub fn type_of(&mut self, expr: &Expr, scope: ScopeId) -> Run<Ty> {
        let done = self.eval(expr, scope);
        match self.about_unknown_type(done, expr)? {
            Value::Type(ty) => Ok(ty),
            _ => fail(expr.span, IssueName::RuntimeError, "a type is expected here")
                .code(Code::InvalidType)
                .help("write a type, such as `String` or `Integer`"),
        }
    }

    /// Gives parameters their arguments, defaults and the rest.
    fn bind(&mut self, name: &str, params: &[Parameter], args: &[Value], scope: ScopeId, span: Span) -> Run<()> {
        let mut has_optional = false;
        for param in params {
            if param.value.is_some() {
                has_optional = true;
            } else if has_optional && !param.captures_rest {
                return fail(
                    param.span,
                    IssueName::RequiredParameterAfterOptional,
                    format!("Parameter ${} is required but appears after optional parameters", param.name),
                );
            }
        }
        let (least, most) = arity(params);
        // A lambda does not see what it has no parameter for.
        let args = if name == "lambda" { &args[..args.len().min(most)] } else { args };
        if args.len() < least || args.len() > most {
            let missing = params.get(args.len()).filter(|p| p.value.is_none());
            let message = match missing {
                Some(param) if args.len() < least => format!("{name}: expects a value for parameter '{}'", param.name),
                _ => format!("'{name}' {}", types::count_mismatch(least, most, args.len())),
            };
            let names: Vec<String> = params.iter().map(|param| format!("${}", param.name)).collect();
            let help = match name {
                "lambda" => "write as many parameters as the function passes: one or two between `|`".to_string(),
                _ => format!("call it as `{name}({})`", names.join(", ")),
            };
            let declared = missing.filter(|_| args.len() < least).or(params.last()).map(|param| param.span);
            let code =
                if args.len() < least && missing.is_some() { Code::MissingParameter } else { Code::ArgumentCount };
            let issue = if name == "lambda" && args.len() < least {
                IssueName::MissingRequiredParameter
            } else {
                IssueName::RuntimeError
            };
            let place = missing.filter(|_| issue != IssueName::RuntimeError).map_or(span, |param| param.span);
            let refused = fail(place, issue, message).code(code).help(help);
            return match declared.filter(|declared| *declared != place) {
                Some(declared) => refused.related(declared, "the parameter is declared here"),
                None => refused,
            };
        }
        for (i, param) in params.iter().enumerate() {
            let value = if param.captures_rest {
                let rest: Vec<Value> = args.get(i..).unwrap_or_default().to_vec();
                match (rest.is_empty(), &param.value) {
                    (true, Some(default)) => match self.eval(default, scope)? {
                        list @ Value::Array(_) => list,
                        other => Value::array(vec![other]),
                    },
                    _ => Value::array(rest),
                }
            } else {
                match (args.get(i), &param.value) {
                    (Some(value), _) => value.clone(),
                    (None, Some(default)) => self.eval(default, scope)?,
                    (None, None) => Value::Undef,
                }
            };
            self.check_parameter(name, param, &value, scope, span)?;
            self.scopes.get_mut(scope).variables.insert(param.name.clone(), value);
        }
        Ok(())
    }

    fn check_parameter(&mut self, name: &str, param: &Parameter, value: &Value, scope: ScopeId, span: Span) -> Run<()> {
        let Some(ty) = &param.ty else { return Ok(()) };
        let ty = self.type_of(ty, scope)?;
        if param.captures_rest {
            self.output.pay_instance(&ty, value, span)?;
        }
        let fits = match value {
            Value::Array(list) if param.captures_rest => match &*ty {
                Type::Array(..) | Type::Tuple(..) => types::is_instance(&ty, value),
                _ => list.iter().all(|v| types::is_instance(&ty, v)),
            },
            _ => self.output.check_instance(&ty, value, span)?,
        };
        if fits {
            return Ok(());
        }
        let message = types::parameter_mismatch(name, &param.name, &ty, value);
        if let Some((place, unknown)) = param.ty.as_ref().and_then(|ty| self.unknown_type_in(ty)) {
            let help = self.loader().unknown_data_type(&unknown);
            let label = format!("there is no type `{unknown}`");
            return fail(span, IssueName::RuntimeError, message)
                .code(Code::UnknownType)
                .edit(place)
                .label(label)
                .help(help);
        }
        let help = crate::lang::puppet::wrong_value::value_help(&ty, value);
        let declared = format!("`${}` is declared here", param.name);
        fail(span, IssueName::of_argument(value), message).related(param.span, declared).help(help)
    }

    /// Adds to a refused call why one of its arguments has no value.
    fn about_undef(&mut self, done: Run, arg: &Expr, scope: ScopeId) -> Run {
        let Err(Stop::Fail(issue)) = &done else { return done };
        if issue.name != IssueName::UndefArgument {
            return done;
        }
        match self.why_undef(arg, scope) {
            Some((place, why, help)) => {
                let lines: Vec<&str> = issue.message.lines().collect();
                let message = if let [only] = lines[..] { format!("{why}: {only}") } else { why };
                let done = done.code(Code::UndefinedValue).edit(place).label(message);
                done.help(help.unwrap_or_else(|| "check it before: `if $x { … }`, or give it a value".into()))
            }
            None => done,
        }
    }

    /// Which part of an expression is undef, and the name that was probably meant.
    pub(super) fn why_undef(&mut self, expr: &Expr, scope: ScopeId) -> Option<(Span, String, Option<String>)> {
        let source = |e: &Self, expr: &Expr| {
            let text = e.inputs.sources.file(expr.span.file).text.get(expr.span.range()).unwrap_or_default();
            text.lines().next().unwrap_or_default().chars().take(60).collect::<String>()
        };
        match &expr.kind {
            Kind::Paren(inner) | Kind::Text(inner) => self.why_undef(inner, scope),
            Kind::Var(name) => {
                // Its value is where it is set: a key that is missing there is the cause.
                if let Some(definition) = self.program.definition_around(expr.span)
                    && let Some(value) = assigned(&definition.body, name, expr)
                    && (matches!(value.kind, Kind::Access(..)) || is_dig(value))
                    && let Some((place, why, Some(help))) = self.why_undef(value, scope)
                {
                    return Some((place, format!("{why}, and `${name}` as well"), Some(help)));
                }
                Some((expr.span, format!("`${name}` is undef"), None))
            }
            Kind::Call(_) if is_dig(expr) => why_dig_undef(self, expr, scope),
            Kind::Access(base, keys) => {
                // A call would have its effects twice.
                if !matches!(base.kind, Kind::Var(_) | Kind::Access(..)) {
                    return None;
                }
                let value = self.eval(base, scope).ok()?;
                if value == Value::Undef {
                    return self.why_undef(base, scope);
                }
                let [key] = &keys[..] else { return None };
                let name = self.eval(key, scope).ok()?;
                let (Value::Hash(map), Value::Str(name)) = (&value, &name) else {
                    return Some((expr.span, format!("`{}` is undef", source(self, expr)), None));
                };
                if map.contains_key(&Value::Str(name.clone())) {
                    return Some((expr.span, format!("`{}` is undef", source(self, expr)), None));
                }
                let of = source(self, base);
                let help = crate::lang::puppet::suggestion::unknown_hash_key(map, name);
                let help = match &*of {
                    "$facts" => help
                        .filter(|help| help.starts_with("did"))
                        .or(Some(format!("this machine has no fact `{name}`; `--facts FILE` gives other facts"))),
                    _ => help,
                };
                Some((key.span, format!("`{of}` has no key `{name}`, so this is undef"), help))
            }
            Kind::Undef => Some((expr.span, "this is undef".into(), None)),
            _ => None,
        }
    }

    /// Calls a lambda. `next` is its value.
    pub fn apply(&mut self, block: &Block, args: &[Value], span: Span) -> Run {
        self.deeper(span, |e| {
            e.output.spend(CALL, span)?;
            if let Some(outer) = &block.of_ruby {
                return e.block_in_worker(outer, block, args, span);
            }
            let kept = e.catalog.keeps();
            let scope = e.scopes.local_scope(block.scope);
            e.bind("lambda", &block.lambda.params, args, scope, span)?;
            let value = match e.eval(&block.lambda.body, scope) {
                Err(Stop::Next(value)) => value,
                Err(Stop::Fail(issue)) if issue.code() == Code::EvaluationLimit => {
                    return Err(e.inputs.in_loop(Stop::Fail(issue), block.lambda.span));
                }
                done => done?,
            };
            e.check_returned("lambda", block.lambda.returns.as_ref(), (&value, &block.lambda.body), scope, span)?;
            e.leave(scope, kept);
            Ok(value)
        })
    }

    /// A type as text would write it, such as `Notify[b]`, or a problem.
    pub fn type_from_text(&mut self, text: &str, span: Span) -> Run<Ty> {
        let refused = || {
            Problem::runtime(format!("The expression <{text}> is not a valid type specification."))
                .help("write a type or a reference, such as `Integer` or `File['/x']`")
                .at(span)
        };
        let mut warnings = Vec::new();
        let program =
            crate::lang::puppet::parser::parse(span.file, text, false, &mut warnings).map_err(|_| refused())?;
        let expr = &program.body;
        let is_type = match &expr.kind {
            Kind::Ref(_) => true,
            Kind::Access(left, _) => matches!(left.kind, Kind::Ref(_)),
            _ => false,
        };
        if !is_type {
            return Err(refused());
        }
        match self.with_any_name(|e| e.eval(expr, TOP)) {
            Ok(Value::Type(ty)) => Ok(ty),
            Ok(_) => Err(refused()),
            Err(Stop::Fail(issue)) => {
                Err(Stop::Fail(Box::new(Issue { span: Some(span), stage: Stage::Eval, ..*issue })))
            }
            Err(stop) => Err(stop),
        }
    }
}

/// Calls a lambda with each list of arguments until it breaks, or until `goes_on` is false for its value.
pub fn apply_each(
    e: &mut Evaluator<'_>,
    block: &Block,
    lists: impl IntoIterator<Item = Vec<Value>>,
    span: Span,
    mut goes_on: impl FnMut(Value) -> bool,
) -> Run<()> {
    for args in lists {
        match e.apply(block, &args, span) {
            Err(Stop::Break(_)) => break,
            value => {
                if !goes_on(value?) {
                    break;
                }
            }
        }
    }
    Ok(())
}

impl Inputs<'_> {
    /// The place of a method call: its parenthesis, or the point where it has none.
    fn method_place(&self, receiver: Span, word: Span, call: Span) -> Span {
        let text = &self.sources.file(word.file).text;
        let one = |at: usize| Span::new(word.file, at, at + 1);
        let behind = text.get(word.range().end..).unwrap_or_default();
        if behind.starts_with('(') {
            return one(word.range().end);
        }
        let between = receiver.range().end..word.range().start;
        let point = text.get(between.clone()).and_then(|text| text.rfind('.'));
        point.map_or(call, |at| one(between.start + at))
    }

    /// Names the function whose calls never end.
    fn about_recursion(&self, done: Run, function: &Function) -> Run {
        match &done {
            Err(Stop::Fail(issue)) if issue.code() == Code::EvaluationLimit && issue.advice.related.len() < LOOPS => {
                let label = format!("inside the function `{}`", function.name);
                done.related(self.first_line(function.span), label)
            }
            Err(Stop::Fail(issue)) if issue.code() == Code::NestedTooDeep && issue.advice.related.is_empty() => {
                let label = format!("the function `{}` calls itself without end", function.name);
                let place = self.first_line(function.span);
                let own = self_call(&function.body, &function.name);
                let done = done.related(place, "it is defined here").label(label);
                match own {
                    Some(own) => done.edit(own),
                    None => done,
                }
            }
            _ => done,
        }
    }

    /// Names the loop that an exhausted limit is in, the inner ones first.
    fn in_loop(&self, stop: Stop, lambda: Span) -> Stop {
        match &stop {
            Stop::Fail(issue) if issue.advice.related.len() < LOOPS => {
                let text = match issue.advice.related.is_empty() {
                    true => "the loop that does not end in time",
                    false => "inside this loop",
                };
                stop.related(self.first_line(lambda), text)
            }
            _ => stop,
        }
    }

    /// The first line of something that may be long.
    pub fn first_line(&self, span: Span) -> Span {
        let text = self.sources.file(span.file).text.get(span.range()).unwrap_or_default();
        let length = text.lines().next().unwrap_or_default().trim_end_matches([' ', '{']).len();
        Span { end: span.start + length as u32, ..span }
    }
}

/// `a::b.pp` and `package.nginx`: a name with a point is the call of a function.
fn about_dotted_name(done: Run, word: &str, name: &str) -> Run {
    if !matches!(&done, Err(Stop::Fail(issue)) if issue.code() == Code::UnknownFunction) {
        return done;
    }
    if crate::lang::puppet::catalog::ral::is_builtin(word) {
        let reference = crate::lang::puppet::names::capitalised(word);
        return done.help(format!("a reference to a resource is written `{reference}['{name}']`"));
    }
    match name {
        "pp" | "rb" | "epp" | "erb" | "yaml" => done.help(format!("write the name without the ending: `{word}`")),
        _ => done,
    }
}

/// Whether an expression is a part of another.
fn has(whole: &Expr, part: &Expr) -> bool {
    whole.all_inside().any(|next| std::ptr::eq(next, part))
}

/// The value that a body gives a variable before an expression, if it does so once.
fn assigned<'b>(body: &'b Expr, name: &str, expr: &Expr) -> Option<&'b Expr> {
    let mut found = None;
    for next in body.all_inside() {
        if let Kind::Assign(_, left, right) = &next.kind
            && matches!(&left.kind, Kind::Var(left) if &**left == name)
            && next.span.end <= expr.span.start
            && !has(right, expr)
            && found.replace(&**right).is_some()
        {
            return None;
        }
    }
    found
}

/// Where a body calls the function that it belongs to.
fn self_call(body: &Expr, name: &str) -> Option<Span> {
    let is_own = |call: &ast::Call| call.named().is_some_and(|(called, _)| &**called == name);
    body.all_inside().find(|next| matches!(&next.kind, Kind::Call(call) if is_own(call))).map(|call| call.span)
}

/// The key of a `dig` that is missing.
fn why_dig_undef(e: &mut Evaluator<'_>, expr: &Expr, scope: ScopeId) -> Option<(Span, String, Option<String>)> {
    let Kind::Call(call) = &expr.kind else { return None };
    let (base, keys) = match &call.functor.kind {
        Kind::Member(base, _) => (&**base, &call.args[..]),
        _ => call.args.split_first()?,
    };
    let mut value = e.eval(base, scope).ok()?;
    for key in keys {
        let name = e.eval(key, scope).ok()?;
        let Value::Hash(map) = &value else { return None };
        match map.get(&name) {
            Some(inner) => value = inner.clone(),
            None => {
                let Value::Str(name) = &name else { return None };
                let help = crate::lang::puppet::suggestion::unknown_hash_key(map, name);
                return Some((key.span, format!("there is no key `{name}`, so this is undef"), help));
            }
        }
    }
    None
}

/// Whether an expression digs with `dig`, in variables only: it may be evaluated again.
pub(super) fn is_dig(expr: &Expr) -> bool {
    let Kind::Call(call) = &expr.kind else { return false };
    let is_plain = |expr: &Expr| matches!(expr.kind, Kind::Var(_) | Kind::Str(_));
    let has_name = call.named().is_some_and(|(name, base)| &**name == "dig" && base.is_none_or(is_plain));
    has_name && call.lambda.is_none() && call.args.iter().all(is_plain)
}

/// The expression that gives a body its value.
fn last_value(body: &Expr) -> Span {
    match &body.kind {
        Kind::Block(list) => list.last().map_or(body.span, last_value),
        _ => body.span,
    }
}
