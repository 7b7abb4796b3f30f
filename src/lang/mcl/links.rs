//! How a program's text names its resources, and the links between them in the text.
//!
//! Names are compared as written: texts, and the definitions of their variables. The graph has the values of computed
//! names.

use smol_str::SmolStr;

use super::ast::{EdgeHalf, ExprId, ExprKind, ItemKind, Name, Relation, StmtKind};
use super::scope::{Resolved, SlotKind, VarTarget};
use super::words::Symbol;
use crate::source::Span;

/// A resource as named at one place: its kind, and a name, or each of a list of names.
#[derive(Clone, Debug)]
pub struct Named {
    pub kind: SmolStr,
    names: Vec<Vec<Part>>,
    /// From the kind to the end of the name.
    pub span: Span,
    name: Span,
}

/// A piece of a name.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(SmolStr),
    Of(Symbol),
    /// An expression that equals no other.
    Only(ExprId),
}

impl Named {
    /// Reads the names of a resource from an expression: one, or each item of a list literal.
    pub fn of(resolved: &Resolved, kind: &Name, name: ExprId) -> Self {
        let ast = &resolved.ast;
        let names = match &ast.exprs[name].kind {
            ExprKind::List(items) => items.iter().map(|item| parts(resolved, *item)).collect(),
            _ => vec![parts(resolved, name)],
        };
        let name = ast.exprs[name].span;
        Self { kind: kind.text.clone(), names, span: Span { end: name.end, ..kind.span }, name }
    }

    /// Whether both may name one resource.
    pub fn means(&self, other: &Named) -> bool {
        self.kind == other.kind && self.names.iter().any(|name| other.names.contains(name))
    }

    /// The names that are plain text.
    pub fn texts(&self) -> impl Iterator<Item = &SmolStr> {
        self.names.iter().filter_map(|parts| match &**parts {
            [Part::Text(text)] => Some(text),
            _ => None,
        })
    }

    /// `svc[nginx]`; a computed name is shown as written.
    pub fn shown(&self, resolved: &Resolved) -> String {
        let texts: Vec<_> = self.texts().map(SmolStr::as_str).collect();
        if texts.len() == self.names.len() {
            return format!("{}[{}]", self.kind, texts.join(", "));
        }
        let written = resolved.sources.text(self.name);
        let bare = written.strip_prefix(['"', '[']).and_then(|text| text.strip_suffix(['"', ']'])).unwrap_or(written);
        format!("{}[{bare}]", self.kind)
    }
}

fn parts(resolved: &Resolved, name: ExprId) -> Vec<Part> {
    match &resolved.ast.exprs[name].kind {
        ExprKind::Str(text) => vec![Part::Text(text.clone())],
        ExprKind::Interpolated(pieces) => pieces.iter().flat_map(|piece| parts(resolved, *piece)).collect(),
        ExprKind::Var(_) => match resolved.scopes.vars.get(name) {
            Some(VarTarget::Global(variable)) => vec![Part::Of(Symbol::Global(variable))],
            Some(VarTarget::Slot { scope, slot, .. }) => {
                match resolved.scopes.scopes[*scope].slots[*slot as usize].kind {
                    SlotKind::Bind(stmt) => vec![Part::Of(Symbol::Stmt(stmt))],
                    _ => vec![Part::Of(Symbol::Param(*scope, *slot))],
                }
            }
            None => vec![Part::Only(name)],
        },
        _ => vec![Part::Only(name)],
    }
}

/// A link in the text: `from` comes before `to`.
#[derive(Clone, Debug)]
pub struct Link {
    pub from: Named,
    pub to: Named,
    /// As written: `->`, or one of `Before`, `Depend`, `Notify` and `Listen`.
    pub written: &'static str,
    pub notify: bool,
    /// The place that the graph's edges have.
    pub span: Span,
}

/// All links of all files, in order of place.
pub fn links(resolved: &Resolved) -> Vec<Link> {
    let mut links = Vec::new();
    let of = |half: &EdgeHalf| Named::of(resolved, &half.kind, half.name);
    for (_, stmt) in resolved.ast.stmts.iter() {
        match &stmt.kind {
            StmtKind::Edge { halves } => {
                let link = |pair: &[EdgeHalf]| Link {
                    from: of(&pair[0]),
                    to: of(&pair[1]),
                    written: "->",
                    notify: false,
                    span: stmt.span,
                };
                links.extend(halves.windows(2).map(link));
            }
            StmtKind::Resource(resource) | StmtKind::Collect(resource) => {
                for item in &resource.items {
                    let ItemKind::Edge { relation, half } = &item.kind else { continue };
                    let this = Named::of(resolved, &resource.kind, resource.name);
                    let (written, comes_first, notify) = match relation {
                        Relation::Before => ("Before", true, false),
                        Relation::Depend => ("Depend", false, false),
                        Relation::Notify => ("Notify", true, true),
                        Relation::Listen => ("Listen", false, true),
                    };
                    let (from, to) = if comes_first { (this, of(half)) } else { (of(half), this) };
                    links.push(Link { from, to, written, notify, span: item.span });
                }
            }
            _ => {}
        }
    }
    links.sort_by_key(|link| link.span);
    links
}
