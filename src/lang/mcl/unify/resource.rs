//! Checks resources against the schema of their kind: name, parameters, meta parameters, edges.

use super::Solver;
use super::explain::{Reason, Why};
use super::frame::FrameId;
use super::task::Task;
use super::term::{Origin, Term, Ty};
use crate::diag::{Code, Diagnostic, nearest};
use crate::lang::mcl::ast::{ExprId, ExprKind, ItemKind, Name, Resource, ResourceItem, StmtKind};
use crate::lang::mcl::habit::{self, near_kind};
use crate::resource::{FieldType, META, Schema, meta_parameter, schema};
use crate::source::Span;

impl Solver<'_> {
    /// A resource, or the arguments of a `collect`.
    pub(super) fn check_resource(&mut self, resource: &Resource, span: Span, frame: FrameId, collects: bool) {
        let head = Span { end: self.ast.exprs[resource.name].span.end, ..span };
        if collects {
            self.check_collect_name(resource.name, head, frame);
        } else {
            self.check_name(resource.name, head, frame);
        }
        let found = schema(&resource.kind.text);
        // An unknown kind without a used parameter is reported when the resource is made.
        let asked = collects || resource.items.iter().any(|item| matches!(item.kind, ItemKind::Field { .. }));
        if found.is_none() && asked {
            self.unknown_kind(&resource.kind);
        }
        for item in &resource.items {
            self.check_item(resource, item, found, frame);
        }
        self.find_twice(resource, head);
    }

    fn check_item(&mut self, resource: &Resource, item: &ResourceItem, found: Option<&'static Schema>, frame: FrameId) {
        if let Some(condition) = item.condition {
            self.check_condition(condition, frame);
        }
        match &item.kind {
            ItemKind::Field { name, value } => {
                let ty = self.check_expr(*value, frame);
                if self.limits.asked == Some(*value) {
                    self.results.push((self.frames.get(frame).instance, *value, ty));
                }
                let Some(schema) = found else { return };
                match schema.param(&name.text) {
                    Some(param) => {
                        let reason = Reason::Parameter { kind: schema.kind, name: param.name };
                        self.demand_field(ty, &param.ty, item.span, reason);
                    }
                    None => self.unknown_parameter(schema, name, &resource.items),
                }
            }
            ItemKind::Edge { half, .. } => self.check_name(half.name, half.span, frame),
            ItemKind::Meta { param, value } => {
                let ty = self.check_expr(*value, frame);
                // The parser refuses unknown ones.
                if let Some(meta) = meta_parameter(&param.text) {
                    self.demand_field(ty, &meta.ty, item.span, Reason::Meta(meta.name));
                }
            }
            ItemKind::MetaStruct { value } => {
                let ty = self.check_expr(*value, frame);
                let origin = self.spots.origin(item.span, Why::Needed);
                let names: Vec<_> = META.iter().map(|meta| meta.name.into()).collect();
                let types: Vec<Ty> = META.iter().map(|meta| self.field_type(&meta.ty, origin)).collect();
                let wanted = self.terms.structure(&names, &types, origin);
                self.demand(ty, wanted, item.span, Reason::MetaStruct);
            }
        }
    }

    /// The name of a resource or of an edge's end: an expression that is known to be text is one `str`, any other a
    /// list.
    pub(super) fn check_name(&mut self, name: ExprId, blame: Span, frame: FrameId) {
        if let Some((name, found)) = self.check_text_name(name, blame, frame) {
            let wanted = self.list_of_names(blame);
            self.demand(found, wanted, blame, Reason::Name(name));
        }
    }

    fn check_collect_name(&mut self, name: ExprId, blame: Span, frame: FrameId) {
        if let Some((name, found)) = self.check_text_name(name, blame, frame) {
            self.attempt(Task::CollectName { expr: name, ty: found });
        }
    }

    /// A name that is known to be one text. `Some` with its type if it is another expression.
    fn check_text_name(&mut self, name: ExprId, blame: Span, frame: FrameId) -> Option<(ExprId, Ty)> {
        let name = self.ast.inner(name);
        if self.check_quoted(name, blame, frame) {
            return None;
        }
        let is_text = self.is_text(name, frame);
        let found = self.check_expr(name, frame);
        if is_text {
            self.demand_plain(found, Term::Str, blame, Reason::NameText);
            return None;
        }
        Some((name, found))
    }

    /// A name written as text with variables: their type errors are reported at the resource.
    fn check_quoted(&mut self, name: ExprId, blame: Span, frame: FrameId) -> bool {
        let ExprKind::Interpolated(parts) = &self.ast.exprs[name].kind else { return false };
        self.check_interpolated(name, parts, frame, blame);
        true
    }

    fn list_of_names(&mut self, blame: Span) -> Ty {
        let origin = self.spots.origin(blame, Why::Needed);
        let item = self.terms.plain(Term::Str, origin);
        self.terms.list(item, origin)
    }

    /// `[]str`, or `[]struct{name str; host str}` as `collect.res` gives it.
    pub(super) fn solve_collect(&mut self, expr: ExprId, ty: Ty) -> Vec<Ty> {
        let span = self.ast.exprs[expr].span;
        let item = match self.terms.term(ty) {
            Term::Var => return vec![ty],
            Term::Refused => return vec![],
            Term::List(item) => item,
            _ => {
                let wanted = self.list_of_names(span);
                self.demand(ty, wanted, span, Reason::Name(expr));
                return vec![];
            }
        };
        let origin = self.spots.origin(span, Why::Needed);
        let text = self.terms.plain(Term::Str, origin);
        let wanted = match self.terms.term(item) {
            Term::Var => return vec![item],
            Term::Struct { .. } => self.terms.structure(&["name".into(), "host".into()], &[text, text], origin),
            _ => text,
        };
        self.demand(item, wanted, span, Reason::Name(expr));
        vec![]
    }

    pub(super) fn demand_field(&mut self, found: Ty, wanted: &FieldType, span: Span, reason: Reason) {
        let plain = match wanted {
            FieldType::Any => return,
            FieldType::Bool => Term::Bool,
            FieldType::Str => Term::Str,
            FieldType::Int { .. } => Term::Int,
            FieldType::Float => Term::Float,
            _ => {
                let origin = self.spots.origin(span, Why::Needed);
                let wanted = self.field_type(wanted, origin);
                self.demand(found, wanted, span, reason);
                return;
            }
        };
        self.demand_plain(found, plain, span, reason);
    }

    fn field_type(&mut self, ty: &FieldType, origin: Origin) -> Ty {
        match ty {
            FieldType::Bool => self.terms.plain(Term::Bool, origin),
            FieldType::Str => self.terms.plain(Term::Str, origin),
            FieldType::Int { .. } => self.terms.plain(Term::Int, origin),
            FieldType::Float => self.terms.plain(Term::Float, origin),
            FieldType::Any => self.terms.var(origin),
            FieldType::List(item) => {
                let item = self.field_type(item, origin);
                self.terms.list(item, origin)
            }
            FieldType::Map(key, value) => {
                let (key, value) = (self.field_type(key, origin), self.field_type(value, origin));
                self.terms.map(key, value, origin)
            }
            FieldType::Struct(fields) => {
                let names: Vec<_> = fields.iter().map(|(name, _)| (*name).into()).collect();
                let types: Vec<Ty> = fields.iter().map(|(_, ty)| self.field_type(ty, origin)).collect();
                self.terms.structure(&names, &types, origin)
            }
            FieldType::Func(params, result) => {
                let params: Vec<Ty> = params.iter().map(|ty| self.field_type(ty, origin)).collect();
                let result = self.field_type(result, origin);
                self.terms.func(&params, result, origin)
            }
        }
    }

    pub(super) fn unknown_kind(&mut self, kind: &Name) {
        let mut diagnostic =
            Diagnostic::error(Code::UnknownKind, kind.span).label(format!("no resource kind `{}`", kind.text));
        let class = self.ast.stmts.iter().find_map(|(_, stmt)| match &stmt.kind {
            StmtKind::Class { path, .. } => path.last().filter(|name| name.text == kind.text),
            _ => None,
        });
        // A word of another tool means the kind, unless this file has a class of that name.
        let is_kind = crate::lang::mcl::habit::kind(&kind.text).is_some();
        diagnostic = match class.filter(|class| !is_kind || class.span.file == kind.span.file) {
            Some(class) => {
                diagnostic.related(class.span, "this is a class").help(format!("use `include {}(...)`", kind.text))
            }
            None => diagnostic.help(near_kind(&kind.text)),
        };
        self.report(diagnostic);
    }

    fn unknown_parameter(&mut self, schema: &Schema, name: &Name, items: &[ResourceItem]) {
        let given = |param: &str| {
            items.iter().any(|item| matches!(&item.kind, ItemKind::Field { name, .. } if name.text == param))
        };
        let names = || schema.params.iter().map(|param| param.name);
        let foreign = habit::params(&name.text).iter().copied().find(|param| schema.param(param).is_some());
        let help = match foreign.or_else(|| nearest(&name.text, names())) {
            Some(near) => format!("did you mean `{near}`?"),
            None if meta_parameter(&name.text).is_some() => {
                format!("it is a meta parameter: `Meta:{} => ...`", name.text)
            }
            None if habit::relation(&name.text).is_some() => {
                let relation = habit::relation(&name.text).unwrap_or_default();
                format!("set the order with `{relation} => Kind[\"name\"],`")
            }
            None => {
                let rest: Vec<_> = names().filter(|param| !given(param)).take(12).collect();
                match rest[..] {
                    [] => format!("`{}` takes no parameters", schema.kind),
                    _ => format!("`{}` also has {}", schema.kind, rest.join(", ")),
                }
            }
        };
        self.report(
            Diagnostic::error(Code::UnknownParameter, name.span)
                .label(format!("`{}` has no parameter `{}`", schema.kind, name.text))
                .help(help),
        );
    }

    /// A meta parameter that is set both by itself and in a `Meta` struct, which the function graph refuses.
    fn find_twice(&mut self, resource: &Resource, head: Span) {
        let whole = |item: &&ResourceItem| matches!(item.kind, ItemKind::MetaStruct { .. });
        let mut structs = resource.items.iter().filter(whole);
        let Some(first) = structs.next() else { return };
        let again = structs.next().or_else(|| resource.items.iter().find(|i| matches!(i.kind, ItemKind::Meta { .. })));
        if let Some(again) = again {
            self.twice.push(
                Diagnostic::error(Code::DuplicateMeta, head)
                    .label("sets a meta parameter twice")
                    .related(first.span, "all meta parameters are set here")
                    .related(again.span, "set again here")
                    .help("remove one of the two")
                    .stage(crate::diag::Stage::Graph),
            );
        }
    }
}
