//! Checks of types with features: names, settings, and what their code may do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Checker, Level};
use crate::lang::puppet::arm::body::assignments;
use crate::lang::puppet::arm::{converted, literal, simple};
use crate::lang::puppet::ast::arm::{Declared, Definition, Feature, Form, Logic, Setting, Statement};
use crate::lang::puppet::ast::*;
use crate::lang::puppet::builtin;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::words::capital;
use crate::source::Span;

/// Names that `arm-functions/1` has beside the pure functions.
const MORE_FUNCTIONS: [&str; 3] = ["collect", "reject", "select"];

/// Names that code gives a meaning of its own.
const RESERVED: [&str; 2] = ["it", "meta"];

/// What the checks of one file know.
#[derive(Default)]
pub(super) struct Context {
    /// The types that the file defines so far, in lower case, and whether they have features.
    types: FxHashMap<String, bool>,
    functions: FxHashSet<Text>,
    /// The parameters of the lambdas around, and which of them are objects under construction.
    objects: Vec<(Text, bool)>,
    /// The next lambda is that of a construction.
    constructs: bool,
    /// In the code of `set`: the features that can be appended to, and whether there are inherited ones.
    appendable: Option<(FxHashSet<Text>, bool)>,
}

impl Context {
    pub(super) fn new(body: &Expr) -> Self {
        let functions = body.statements().iter().filter_map(|statement| match &statement.kind {
            Kind::Function(function) => Some(function.name.clone()),
            _ => None,
        });
        Self { functions: functions.collect(), ..Self::default() }
    }

    pub(super) fn before_lambda(&mut self, call: &Call) {
        let is_new = call.named().is_some_and(|(name, _)| &**name == "new");
        self.constructs = is_new || matches!(call.functor.kind, Kind::Ref(_) | Kind::Access(..));
    }

    /// Enters a lambda; gives what [`Self::leave`] needs.
    pub(super) fn enter(&mut self, params: &[Parameter]) -> usize {
        let before = self.objects.len();
        let constructs = std::mem::take(&mut self.constructs);
        self.objects.extend(params.iter().enumerate().map(|(i, param)| (param.name.clone(), constructs && i == 0)));
        before
    }

    pub(super) fn leave(&mut self, before: usize) {
        self.objects.truncate(before);
    }

    /// Whether a left side sets a feature in a way that nothing else can be set.
    pub(super) fn may_set(&self, op: AssignOp, left: &Expr) -> bool {
        match &left.kind {
            Kind::Access(target, keys) if keys.len() == 1 && op != AssignOp::Delete => match &target.kind {
                Kind::Var(name) => self.objects.iter().rfind(|(known, _)| known == name).is_some_and(|(_, is)| *is),
                _ => false,
            },
            Kind::Var(name) if op == AssignOp::Append => {
                self.appendable.as_ref().is_some_and(|(own, inherits)| *inherits || own.contains(name))
            }
            _ => false,
        }
    }
}

impl Checker {
    /// Whether the file defines the name already; remembers it.
    pub(super) fn again(&mut self, span: Span, name: &str, has_features: bool) {
        let before = self.arm.types.insert(name.to_lowercase(), has_features);
        if before.is_some_and(|before| before || has_features) {
            self.push(span, IssueName::ArmDuplicateType, format!("The type {name} is defined in this file already"));
        }
    }

    pub(super) fn arm_type(&mut self, expr: &Expr, definition: &Definition, level: Level) {
        self.absolute_top(expr, level);
        self.name(expr, &definition.name, true);
        if definition.name.eq_ignore_ascii_case(crate::lang::puppet::arm::RESOURCE) {
            let message = format!("The name: '{}' is already defined by Puppet", definition.name);
            self.push(expr.span, IssueName::ReservedTypeName, message);
        }
        self.location(expr, &definition.name);
        self.again(expr.span, &definition.name, true);
        let own: FxHashSet<Text> = definition.features().map(|feature| feature.name.clone()).collect();
        let mut seen = FxHashSet::default();
        for statement in &definition.statements {
            match statement {
                Statement::Abstract | Statement::Implementation(_) => {}
                Statement::Feature(feature) => {
                    if RESERVED.contains(&&*feature.name) {
                        let message = format!("A feature cannot have the name '{}'", feature.name);
                        self.push(feature.span, IssueName::ArmReservedFeatureName, message);
                    }
                    if !seen.insert(feature.name.clone()) {
                        let message = format!("The feature '{}' is declared already", feature.name);
                        self.push(feature.span, IssueName::ArmDuplicateFeature, message);
                    }
                    self.feature(feature, &own, definition.parent.is_some());
                }
                Statement::Invariant(invariant) => {
                    self.exprs(&invariant.title);
                    if let Some(title) = &invariant.title {
                        self.code(title);
                    }
                    self.arm_logic(&invariant.check, 1, &own, None);
                }
                Statement::Other(expr) => self.expr(expr, Level::Definition),
            }
        }
    }

    fn feature(&mut self, feature: &Feature, own: &FxHashSet<Text>, inherits: bool) {
        if let Declared::Enum(values) = &feature.ty {
            let mut seen = FxHashSet::default();
            for (value, span) in values {
                if !seen.insert(value) {
                    let message = format!("The value '{value}' is listed more than once");
                    self.push(*span, IssueName::ArmDuplicateEnumValue, message);
                }
            }
        }
        for (i, setting) in feature.settings.iter().enumerate() {
            let before = &feature.settings[..i];
            if !is_setting(&setting.name, feature.is_reference) {
                let message = format!("There is no setting '{}' here", setting.name);
                self.push(setting.span, IssueName::ArmUnknownSetting, message);
                continue;
            }
            if before.iter().any(|other| other.name == setting.name) {
                let message = format!("The setting '{}' is written already", setting.name);
                self.push(setting.span, IssueName::ArmDuplicateSetting, message);
            }
            if let Some(other) = before.iter().find(|other| conflict(other, setting) || conflict(setting, other)) {
                let message = format!("The settings '{}' and '{}' contradict each other", other.name, setting.name);
                self.push(setting.span, IssueName::ArmConflictingSettings, message);
            }
            self.setting(feature, setting, own, inherits);
        }
        self.bounds(feature);
    }

    fn bounds(&mut self, feature: &Feature) {
        let given = |name: &str| feature.setting(name).and_then(|setting| setting.value.integer());
        let is_wrong = given("max").is_some_and(|max| max < 1 || max < feature.min());
        let first = feature.settings.iter().find(|setting| matches!(&*setting.name, "min" | "max"));
        if let Some(first) = first.filter(|_| is_wrong) {
            let message = "The upper bound is at least 1 and not below the lower bound";
            self.push(first.span, IssueName::ArmIllegalBounds, message);
        }
    }

    fn setting(&mut self, feature: &Feature, setting: &Setting, own: &FxHashSet<Text>, inherits: bool) {
        let value = &setting.value;
        let form = &value.form;
        let fits = match &*setting.name {
            "min" => value.integer().is_some(),
            "max" => {
                let is_word = matches!(form, Form::Value(Expr { kind: Kind::Name(word), .. }) if &**word == "unbound");
                is_word || value.integer().is_some()
            }
            "unsettable" | "transient" | "setable" | "containment" => {
                matches!(form, Form::Value(Expr { kind: Kind::Bool(_), .. }))
            }
            "default" => {
                let is_literal = literal(form).is_some();
                if let Some(ty) = simple(&feature.ty).filter(|_| is_literal)
                    && converted(&ty, form).is_none()
                {
                    let message = format!("The default of '{}' is no value of its type", feature.name);
                    self.push(value.span, IssueName::ArmIllegalDefault, message);
                }
                is_literal
            }
            name @ ("derived" | "set" | "get") => {
                let appendable = (name == "set").then(|| (own.clone(), inherits));
                let is_lambda = matches!(form, Form::Lambda(_));
                is_lambda && self.arm_logic(value, usize::from(name != "derived"), own, appendable)
            }
            _ => self.arm_logic(value, 1, own, None),
        };
        if !fits {
            let message = format!("The setting '{}' cannot have this value", setting.name);
            self.push(value.span, IssueName::ArmIllegalSettingValue, message);
        }
    }

    /// Checks code that gets a number of values. Whether it takes as many; that is reported here for an invariant.
    fn arm_logic(
        &mut self,
        logic: &Logic,
        values: usize,
        own: &FxHashSet<Text>,
        appendable: Option<(FxHashSet<Text>, bool)>,
    ) -> bool {
        if appendable.is_none() {
            let mut found = Vec::new();
            assignments(logic, &mut found);
            for (_, left, name) in found.into_iter().filter(|(_, _, name)| own.contains(name)) {
                let message = format!("The feature '{name}' cannot be assigned here");
                self.push(left.span, IssueName::ArmIllegalAssignment, message);
            }
        }
        self.code(logic.body());
        let before = std::mem::replace(&mut self.arm.appendable, appendable);
        match &logic.form {
            Form::Lambda(lambda) => self.lambda(lambda),
            Form::Value(body) | Form::Block(body) => {
                self.value(body);
                self.expr(body, Level::Inner);
            }
        }
        self.arm.appendable = before;
        let required = logic.params().iter().filter(|param| param.value.is_none() && !param.captures_rest).count();
        required <= values
    }

    /// Refuses what code of a type may not do.
    fn code(&mut self, body: &Expr) {
        let mut open = vec![body];
        while let Some(expr) = open.pop() {
            if is_illegal(expr) {
                let place = match &expr.kind {
                    Kind::Relation { first, .. } => first.span,
                    _ => expr.span,
                };
                let message = format!("{} is not allowed in the code of a type", capital(expr));
                self.push(place, IssueName::ArmIllegalExpression, message);
                continue;
            }
            let mut inner = expr.children();
            if let Kind::Call(call) = &expr.kind {
                self.arm_function(expr, call);
                if let Some(lambda) = &call.lambda {
                    inner.extend(lambda.params.iter().filter_map(|param| param.value.as_ref()));
                    inner.push(&lambda.body);
                }
            }
            open.extend(inner.into_iter().rev());
        }
    }

    fn arm_function(&mut self, expr: &Expr, call: &Call) {
        let Some((name, receiver)) = call.named() else { return };
        let plain = name.strip_prefix("::").unwrap_or(name);
        let function = builtin::find(plain);
        let is_other = function.is_some() || self.arm.functions.contains(plain);
        if !function.is_some_and(|function| function.is_pure)
            && !MORE_FUNCTIONS.contains(&plain)
            && (receiver.is_none() || is_other)
        {
            let message = format!("The function '{name}' cannot be called in the code of a type");
            self.push(expr.span, IssueName::ArmIllegalFunction, message);
        }
    }
}

fn is_setting(name: &str, is_reference: bool) -> bool {
    match name {
        "min" | "max" | "unsettable" | "transient" | "setable" | "derived" | "validate" => true,
        "containment" => is_reference,
        "default" | "check" | "set" | "get" => !is_reference,
        _ => false,
    }
}

/// What `derived` cannot be combined with.
fn conflict(derived: &Setting, other: &Setting) -> bool {
    let is_false = matches!(other.value.form, Form::Value(Expr { kind: Kind::Bool(false), .. }));
    &*derived.name == "derived" && (&*other.name == "default" || &*other.name == "transient" && is_false)
}

fn is_illegal(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        Kind::Resource(_)
            | Kind::Defaults(_)
            | Kind::Override(_)
            | Kind::Collect(_)
            | Kind::Relation { .. }
            | Kind::Class(_)
            | Kind::Define(_)
            | Kind::Node(_)
            | Kind::Function(_)
            | Kind::TypeAlias(_)
            | Kind::TypeMapping(..)
            | Kind::TypeDefinition(_)
            | Kind::ArmType(_)
            | Kind::Epp(_)
            | Kind::Render(_)
            | Kind::RenderText(_)
    )
}
