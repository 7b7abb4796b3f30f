//! Names of types: built in, aliases and resource types.

use std::sync::Arc;

use super::Evaluator;
use crate::diag::Code;
use crate::lang::puppet::ast::*;
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::stop::{At, Help, Run, Stop, fail, runtime};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

impl Evaluator<'_> {
    /// Evaluates a type in which a name may be that of no type.
    pub fn with_any_name<V>(&mut self, work: impl FnOnce(&mut Self) -> V) -> V {
        let around = std::mem::replace(&mut self.takes_any_name, true);
        let done = work(self);
        self.takes_any_name = around;
        done
    }

    /// Refuses the name of no type.
    pub(super) fn refuse_unknown_type(&mut self, expr: &Expr, value: &Value) -> Run<()> {
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

    /// Names the type that there is not in an expression that makes no type.
    pub(super) fn about_unknown_type(&mut self, done: Run, expr: &Expr) -> Run {
        if !matches!(&done, Err(Stop::Fail(issue)) if issue.code() == Code::InvalidType) {
            return done;
        }
        let Some((place, name)) = self.unknown_type_in(expr) else { return done };
        let near = self.loader().unknown_data_type(&name);
        let help = match near.starts_with("did you mean") {
            true => near,
            false => {
                format!("a text has quotes: write `'{}'`, with the letters as they are meant", name.to_lowercase())
                    .into()
            }
        };
        done.edit(place).label(format!("there is no type `{name}`")).help(help)
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
                None => {
                    let done = self.with_any_name(|e| e.eval(&definition.ty, TOP));
                    self.about_unknown_type(done, &definition.ty)?
                }
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

/// What a type is made of is known without evaluating: the outermost expression that reads a variable, if one does.
fn variable_in(ty: &Expr) -> Option<Span> {
    let reads = |expr: &&Expr| {
        let mut left = *expr;
        while let Kind::Access(inner, _) = &left.kind {
            left = inner;
        }
        matches!(left.kind, Kind::Var(_))
    };
    ty.all_children().find(reads).map(|expr| expr.span)
}
