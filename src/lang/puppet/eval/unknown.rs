//! Values that are not known while compiling. What is made of one is unknown too, and nothing is decided by it.

use std::path::Path;

use super::Evaluator;
use crate::lang::puppet::ast::{self, AttributeKind, Expr, Kind, Text};
use crate::lang::puppet::builtin::{self, Unknown};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::catalog::{Attribute, Catalog, OTHERS};
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::ids::ScopeId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::RubyFile;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, help, runtime};
use crate::lang::puppet::types::Type;
use crate::lang::puppet::unknown::{OUTSIDE, RUBY, SHOWN, is_in};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// Reads what a call may do that is not decided.
pub fn leave_out_call(e: &mut Evaluator<'_>, name: &str, call: &Call) -> Run<()> {
    if let Some(block) = &call.block {
        Forgetter::of(e).forget_set(&block.lambda.body, call.scope)?;
    }
    e.left_out_reader().read_call_left_out(name, call)
}

impl Evaluator<'_> {
    /// Reports a call that cannot be decided, and gives its value.
    pub(super) fn undecided(&mut self, name: &str, call: &Call) -> Run {
        self.output.leave_out(&self.inputs, &format!("`{name}`"), call.span);
        leave_out_call(self, name, call)?;
        Ok(Value::Unknown(None))
    }

    /// Reports branches of which one is taken, but not known which, and gives their value. The variables that they set
    /// are unknown, and so is what follows where one of them ends the body around.
    pub fn undecided_branches(&mut self, what: &str, span: Span, branches: &[&Expr], scope: ScopeId) -> Run {
        self.output.leave_out(&self.inputs, what, span);
        self.leave_out_parts(span, branches, scope)
    }

    /// The same without a report.
    pub(super) fn leave_out_parts(&mut self, span: Span, branches: &[&Expr], scope: ScopeId) -> Run {
        self.left_out_reader().read_left_out(span, branches)?;
        let (mut returns, mut skips, mut breaks) = (false, false, false);
        let mut forgetter = Forgetter::of(self);
        for branch in branches {
            returns |= forgetter.forget_set(branch, scope)?;
        }
        for branch in branches {
            let (has_next, has_break) = forgetter.forget_assigned(branch, scope)?;
            skips |= has_next;
            breaks |= has_break;
        }
        // What comes behind the end of the body is left out too.
        if returns || skips || breaks {
            self.output.left_out.open();
        }
        self.output.has_open_break |= breaks;
        match (returns, skips || breaks) {
            (true, _) => Err(Stop::Return(Value::Unknown(None), span)),
            (_, true) => Err(Stop::Next(Value::Unknown(None))),
            _ => Ok(Value::Unknown(None)),
        }
    }

    /// Reports resources of a type whose titles are unknown.
    pub fn leave_out_title(&mut self, ty: &Text, title: &Value, span: Span) -> Run<()> {
        self.output.leave_out(&self.inputs, "a title", span);
        let start = match title {
            Value::Unknown(Some(shown)) => shown.split(SHOWN).next().unwrap_or_default(),
            _ => "",
        };
        self.left_out_reader().read_title_left_out(ty, start, span)
    }

    /// What a built-in function gives for unknown arguments; nothing where it may run.
    pub fn call_of_unknown(&mut self, name: &str, call: &Call) -> Run<Option<Value>> {
        if !self.output.has_unknown {
            return Ok(None);
        }
        let policy = builtin::policy(name);
        let is_known = match policy {
            Unknown::Shows | Unknown::Chooses => true,
            Unknown::ActsOnParts => !call.args.iter().any(|arg| matches!(arg, Value::Unknown(_))),
            // A key that is unknown may be one of the others.
            Unknown::Arranges => !call.args.iter().any(|arg| match arg {
                Value::Hash(map) => map.keys().any(is_in),
                Value::Sensitive(inner) => is_in(inner),
                other => matches!(other, Value::Unknown(_)),
            }),
            Unknown::Spreads | Unknown::Acts => !call.args.iter().any(is_in),
        };
        // What is marked as sensitive stays so.
        let is_sensitive =
            name == "new" && matches!(call.args.first(), Some(Value::Type(ty)) if matches!(**ty, Type::Sensitive(_)));
        if is_known || is_sensitive {
            return Ok(None);
        }
        if matches!(policy, Unknown::Acts | Unknown::ActsOnParts) || call.block.is_some() {
            return self.undecided(name, call).map(Some);
        }
        // The start of a format is known.
        if name == "sprintf"
            && let Some(Value::Str(format)) = call.args.first()
        {
            let start = format.split('%').next().unwrap_or_default();
            return Ok(Some(Value::Unknown(Some(format!("{start}{SHOWN}").into()))));
        }
        Ok(Some(Value::Unknown(None)))
    }
}

impl Output<'_> {
    /// The value of something that Ruby would compute: unknown where that is allowed.
    pub fn ruby(&mut self, inputs: &Inputs<'_>, what: &str, span: Span) -> Run {
        self.not_known(inputs, format!("{what} is {RUBY}"), span)
    }

    /// The value of a template that uses a construct, at its place, which is not known here.
    pub fn outside(&mut self, inputs: &Inputs<'_>, what: &str, span: Span) -> Run {
        self.not_known(inputs, format!("{what} is {OUTSIDE}"), span)
    }

    /// The value of Ruby that needs what the worker does not have.
    pub fn lacking(&mut self, inputs: &Inputs<'_>, what: &str, needs: &str, span: Span) -> Run {
        self.not_known(inputs, format!("{what} needs {needs}, which is not available to Ruby here"), span)
    }

    /// A value that no switch makes known while compiling.
    pub fn never_known(&mut self, inputs: &Inputs<'_>, why: String, span: Span) -> Run {
        if !inputs.settings.allow_unknown {
            return fail(span, IssueName::RuntimeError, why).help(help::UNKNOWN_HERE);
        }
        self.has_unknown = true;
        self.warn_once(format!("{why}; its result is unknown"));
        Ok(Value::Unknown(None))
    }

    fn not_known(&mut self, inputs: &Inputs<'_>, why: String, span: Span) -> Run {
        let runs = inputs.has_worker();
        if !inputs.settings.allow_unknown {
            let help = if runs { help::UNKNOWN_HERE } else { help::UNKNOWN };
            return fail(span, IssueName::RuntimeError, why).code(crate::diag::Code::UnknownValue).help(help);
        }
        self.has_unknown = true;
        let switch = if runs { "" } else { " without `--run-plugins`" };
        self.warn_once(format!("{why}; its result is unknown{switch}"));
        Ok(Value::Unknown(None))
    }

    /// Reports a part of the program that is left out.
    pub fn leave_out(&mut self, inputs: &Inputs<'_>, what: &str, span: Span) {
        let place = inputs.sources.place(span);
        self.warn_once(format!("{}:{}: {what} depends on an unknown value and is left out", place.file, place.line));
    }

    /// Reports attributes whose names are not known.
    pub fn warn_of_attributes(&mut self, inputs: &Inputs<'_>, span: Span) {
        let place = inputs.sources.place(span);
        self.warn_once(format!(
            "{}:{}: the names of these attributes depend on an unknown value; all attributes of the resource that are \
             not set beside them are unknown",
            place.file, place.line
        ));
    }

    /// Warns of one thing, only the first time.
    pub fn warn_once(&mut self, text: String) {
        if self.warned.insert(text.clone()) {
            self.log("warning", text);
        }
    }

    /// Whether any of these is unknown. Costs nothing as long as there is no unknown value.
    pub fn meets_unknown(&self, values: &[&Value]) -> bool {
        self.has_unknown && values.iter().any(|value| is_in(value))
    }
}

/// Whether it is unknown how many values a list with `*value` has.
pub(super) fn lost_count(output: &Output, list: &[Expr], values: &[Value]) -> bool {
    output.has_unknown
        && list.iter().any(|expr| matches!(expr.kind, Kind::Unfold(_)))
        && values.iter().any(|value| matches!(value, Value::Unknown(_)))
}

/// Forgets what a left-out part sets: variables, defaults and tags.
struct Forgetter<'e, 'w> {
    output: &'e mut Output<'w>,
    scopes: &'e mut Scopes,
    catalog: &'e mut Catalog,
}

impl<'e, 'w> Forgetter<'e, 'w> {
    fn of(e: &'e mut Evaluator<'w>) -> Self {
        Self { output: &mut e.output, scopes: &mut e.scopes, catalog: &mut e.catalog }
    }

    /// Forgets the defaults and tags that the part sets. Whether it may end the function around it.
    fn forget_set(&mut self, part: &Expr, scope: ScopeId) -> Run<bool> {
        let mut returns = false;
        for expr in part.all_inside() {
            self.output.spend(1, expr.span)?;
            match &expr.kind {
                Kind::Defaults(defaults) => self.scopes.forget_own_defaults(defaults, scope),
                Kind::Call(call) => match called(call) {
                    Some("return") => returns = true,
                    Some("tag") => forget_tags(self.scopes, self.catalog, scope),
                    _ => {}
                },
                _ => {}
            }
        }
        Ok(returns)
    }

    /// Forgets the variables of a scope that the part sets. Whether it has a `next` and a `break`.
    fn forget_assigned(&mut self, part: &Expr, scope: ScopeId) -> Run<(bool, bool)> {
        let (mut skips, mut breaks) = (false, false);
        for expr in part.all_children() {
            self.output.spend(1, expr.span)?;
            match &expr.kind {
                Kind::Assign(_, left, _) => self.scopes.forget_variables(left, scope),
                Kind::Call(call) => match called(call) {
                    Some("next") => skips = true,
                    Some("break") => breaks = true,
                    _ => {}
                },
                _ => {}
            }
        }
        Ok((skips, breaks))
    }
}

/// The class or define of a scope may have more tags.
pub fn forget_tags(scopes: &mut Scopes, catalog: &mut Catalog, scope: ScopeId) {
    let at = scopes.declaring(scope);
    let scope = scopes.get_mut(at);
    scope.tags.may_have_more = true;
    if let Some(own) = scope.resource {
        catalog.get_mut(own).tags.may_have_more = true;
    }
}

impl Scopes {
    fn forget_own_defaults(&mut self, defaults: &ast::Defaults, scope: ScopeId) {
        let Kind::Ref(ty) = &defaults.target.kind else { return };
        let at = self.declaring(scope);
        let ty = ty.trim_start_matches("::").to_lowercase().into();
        let own = self.get_mut(at).defaults.entry(ty).or_default();
        for op in &defaults.ops {
            let name = match &op.kind {
                AttributeKind::Set(name) | AttributeKind::Append(name) => name.clone(),
                AttributeKind::Splat => OTHERS.into(),
            };
            if own.iter().all(|one| one.name != name) {
                let value = Value::Unknown(None);
                own.push(Attribute { name, value, appends: false, span: op.span });
            }
        }
    }

    /// Variables that are set in a part that is left out.
    fn forget_variables(&mut self, left: &Expr, scope: ScopeId) {
        match &left.kind {
            Kind::Var(name) => {
                let variables = &mut self.get_mut(scope).variables;
                variables.entry(name.clone()).or_insert(Value::Unknown(None));
            }
            Kind::Array(list) => list.iter().for_each(|target| self.forget_variables(target, scope)),
            _ => {}
        }
    }
}

/// A title has to be known.
pub fn unknown_title<V>(span: Span) -> Run<V> {
    runtime(span, "the title depends on a value that is not known while compiling")
}

/// Where modules have functions in Ruby, and whether these have the form of the third version of Puppet.
const FORMS: [(&str, bool); 2] = [("lib/puppet/functions", false), ("lib/puppet/parser/functions", true)];

impl Loader<'_, '_> {
    /// The Ruby file of a module that has a function of this name.
    pub fn ruby_function(&mut self, name: &str) -> Option<RubyFile> {
        self.ruby_file(name, name, &FORMS)
    }

    /// The file of a function in the form of the third version of Puppet. One of the newer form can be there too.
    pub fn old_ruby_function(&mut self, name: &str) -> Option<RubyFile> {
        self.ruby_file(&format!("function_{name}"), name, &FORMS[1..])
    }

    /// The file of a function in one of these forms, searched once for each key.
    fn ruby_file(&mut self, key: &str, name: &str, forms: &[(&str, bool)]) -> Option<RubyFile> {
        if let Some(known) = self.program.ruby_files.get(key) {
            return known.clone();
        }
        let found = self.inputs.find_ruby_function(name, forms);
        self.program.ruby_files.insert(key.into(), found.clone());
        found
    }

    /// Whether a function of this name can be called.
    pub fn is_function(&mut self, name: &str, span: Span) -> Run<bool> {
        let name = name.trim_start_matches("::");
        if builtin::find(name).is_some() || self.ruby_function(name).is_some() {
            return Ok(true);
        }
        self.load_function(name, span)?;
        Ok(self.program.functions.contains_key(name))
    }
}

impl Inputs<'_> {
    fn find_ruby_function(&self, name: &str, forms: &[(&str, bool)]) -> Option<RubyFile> {
        let file = format!("{}.rb", name.replace("::", "/"));
        let in_module = |folder: &Path, module: &str| {
            forms.iter().find_map(|(functions, is_old)| {
                let path = folder.join(functions).join(&file);
                self.files.exists(&path).then(|| RubyFile {
                    module: module.into(),
                    path,
                    is_old: *is_old,
                    function: std::sync::Arc::default(),
                })
            })
        };
        if let Some((module, _)) = name.split_once("::") {
            return in_module(&self.module_dir(module)?, module);
        }
        self.modules().find_map(|(folder, module)| in_module(&folder, &module))
    }
}

/// Whether an expression has a `return`, also inside of lambdas.
pub(super) fn returns(expr: &Expr) -> bool {
    expr.all_inside().any(|expr| matches!(&expr.kind, Kind::Call(call) if called(call) == Some("return")))
}

/// The name of the function that a call names.
fn called(call: &ast::Call) -> Option<&str> {
    call.named().map(|(name, _)| &**name)
}
