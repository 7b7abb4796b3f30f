//! A file's tree as plain nodes, for `parse` and for tests, with the place of each part.

use serde_json::{Value as Json, json};

use super::ast::*;
use crate::source::{Sources, Span, printable};

/// One part of a program: its kind, its text, and its parts.
#[derive(Debug)]
pub struct TreeNode {
    kind: &'static str,
    text: String,
    span: Option<Span>,
    children: Vec<TreeNode>,
}

/// The tree of one file.
pub fn tree(ast: &Ast, file: &File) -> TreeNode {
    block(ast, "file", file.body)
}

impl TreeNode {
    /// Returns the node and everything below it as JSON; `at` has the lines and columns from 1.
    pub fn to_json(&self, sources: &Sources) -> Json {
        let mut object = json!({"kind": self.kind});
        if !self.text.is_empty() {
            object["text"] = json!(self.text);
        }
        if let Some(span) = self.span {
            let place = sources.place(span);
            object["at"] = json!([place.line, place.column, place.end_line, place.end_column]);
        }
        if !self.children.is_empty() {
            object["children"] = self.children.iter().map(|child| child.to_json(sources)).collect();
        }
        object
    }

    /// One line for each node, indented by depth.
    pub fn to_text(&self, sources: &Sources) -> String {
        let mut text = String::new();
        self.write(sources, 0, &mut text);
        text
    }

    fn write(&self, sources: &Sources, depth: usize, out: &mut String) {
        // Deep trees are shown by their depth only: blanks would be most of the output.
        let indent = if depth <= 60 { "  ".repeat(depth) } else { format!("{}[{depth}] ", "  ".repeat(60)) };
        out.push_str(&indent);
        out.push_str(self.kind);
        if !self.text.is_empty() {
            out.push(' ');
            out.push_str(printable(&self.text).as_str());
        }
        if let Some(span) = self.span {
            let place = sources.place(span);
            out.push_str(&format!("  {}:{}", place.line, place.column));
        }
        out.push('\n');
        for child in &self.children {
            child.write(sources, depth + 1, out);
        }
    }

    fn new(kind: &'static str, text: impl Into<String>, span: Span) -> Self {
        Self { kind, text: text.into(), span: Some(span), children: Vec::new() }
    }

    fn with(mut self, children: impl IntoIterator<Item = TreeNode>) -> Self {
        self.children.extend(children);
        self
    }

    /// A part by its role, such as the `then` of an `if`; it has the place of its content.
    fn role(kind: &'static str, inner: TreeNode) -> Self {
        Self { kind, text: String::new(), span: None, children: vec![inner] }
    }
}

fn block(ast: &Ast, kind: &'static str, id: BlockId) -> TreeNode {
    let block = &ast.blocks[id];
    TreeNode::new(kind, "", block.span).with(block.stmts.iter().map(|id| stmt(ast, *id)))
}

fn stmt(ast: &Ast, id: StmtId) -> TreeNode {
    let Stmt { kind, span } = &ast.stmts[id];
    let node = |kind, text: String| TreeNode::new(kind, text, *span);
    match kind {
        StmtKind::Bind { name, note: ty, value } => {
            node("bind", format!("${}", name.text)).with(note(ty)).with([expr(ast, *value)])
        }
        StmtKind::If { condition, then, else_part } => node("if", String::new())
            .with([TreeNode::role("condition", expr(ast, *condition)), block(ast, "then", *then)])
            .with(else_part.map(|else_part| block(ast, "else", else_part))),
        StmtKind::For { index, value, list, body } => {
            looping(ast, node("for", format!("${}, ${}", index.text, value.text)), *list, *body)
        }
        StmtKind::ForKv { key, value, map, body } => {
            looping(ast, node("forkv", format!("${}, ${}", key.text, value.text)), *map, *body)
        }
        StmtKind::Func { name, params: list, returns, body } => {
            node("func", name.text.to_string()).with(params(list)).with(note(returns)).with([expr(ast, *body)])
        }
        StmtKind::Class { path, params: list, body } => {
            let name: Vec<_> = path.iter().map(|part| part.text.as_str()).collect();
            node("class", name.join(":")).with(params(list)).with([block(ast, "body", *body)])
        }
        StmtKind::Include { class, args, alias } => node("include", class.text.to_string())
            .with(args.iter().map(|arg| expr(ast, *arg)))
            .with(alias.as_ref().map(|alias| TreeNode::new("as", alias.text.to_string(), alias.span))),
        StmtKind::Import { name, name_span: _, alias } => node("import", format!("{name:?}")).with(match alias {
            ImportAlias::None => None,
            ImportAlias::As(name) => Some(TreeNode::new("as", name.text.to_string(), name.span)),
            ImportAlias::Star => Some(TreeNode::new("as", "*", *span)),
        }),
        StmtKind::Panic { args } => node("panic", String::new()).with(args.iter().map(|arg| expr(ast, *arg))),
        StmtKind::Resource(inner) => resource(ast, node("resource", inner.kind.text.to_string()), inner),
        StmtKind::Collect(inner) => resource(ast, node("collect", inner.kind.text.to_string()), inner),
        StmtKind::Edge { halves } => node("edge", String::new()).with(halves.iter().map(|half| edge_half(ast, half))),
    }
}

fn looping(ast: &Ast, node: TreeNode, over: ExprId, body: BlockId) -> TreeNode {
    node.with([TreeNode::role("in", expr(ast, over)), block(ast, "body", body)])
}

fn params(params: &[Param]) -> impl Iterator<Item = TreeNode> {
    params
        .iter()
        .map(|param| TreeNode::new("param", format!("${}", param.name.text), param.span).with(note(&param.note)))
}

fn note(ty: &Option<TypeNote>) -> Option<TreeNode> {
    ty.as_ref().map(|note| TreeNode::new("type", note.ty.to_string(), note.span))
}

fn resource(ast: &Ast, node: TreeNode, resource: &Resource) -> TreeNode {
    node.with([TreeNode::role("name", expr(ast, resource.name))])
        .with(resource.items.iter().map(|inner| item(ast, inner)))
}

fn item(ast: &Ast, item: &ResourceItem) -> TreeNode {
    let node = |kind, text: String| TreeNode::new(kind, text, item.span);
    let inner = match &item.kind {
        ItemKind::Field { name, value } => node("field", name.text.to_string()).with([expr(ast, *value)]),
        ItemKind::Meta { param, value } => node("meta", param.text.to_string()).with([expr(ast, *value)]),
        ItemKind::MetaStruct { value } => node("meta", String::new()).with([expr(ast, *value)]),
        ItemKind::Edge { relation, half } => {
            let relation = match relation {
                Relation::Before => "before",
                Relation::Depend => "depend",
                Relation::Notify => "notify",
                Relation::Listen => "listen",
            };
            node(relation, String::new()).with([edge_half(ast, half)])
        }
    };
    inner.with(item.condition.map(|condition| TreeNode::role("when", expr(ast, condition))))
}

fn edge_half(ast: &Ast, half: &EdgeHalf) -> TreeNode {
    let field = half.field.as_ref().map_or(String::new(), |field| format!(".{}", field.text));
    TreeNode::new("end", format!("{}{field}", half.kind.text), half.span).with([expr(ast, half.name)])
}

fn expr(ast: &Ast, id: ExprId) -> TreeNode {
    let Expr { kind, span } = &ast.exprs[id];
    let node = |kind, text: String| TreeNode::new(kind, text, *span);
    let all = |ids: &[ExprId]| ids.iter().map(|id| expr(ast, *id)).collect::<Vec<_>>();
    match kind {
        ExprKind::Bool(value) => node("bool", value.to_string()),
        ExprKind::Int(value) => node("int", value.to_string()),
        ExprKind::Float(value) => node("float", format!("{value:?}")),
        ExprKind::Str(text) => node("str", format!("{text:?}")),
        ExprKind::Interpolated(parts) => node("interpolated", String::new()).with(all(parts)),
        ExprKind::List(items) => node("list", String::new()).with(all(items)),
        ExprKind::Map(pairs) => node("map", String::new()).with(pairs.iter().map(|(key, value)| TreeNode {
            kind: "pair",
            text: String::new(),
            span: None,
            children: vec![expr(ast, *key), expr(ast, *value)],
        })),
        ExprKind::Struct(fields) => {
            node("struct", String::new()).with(fields.iter().map(|(name, value)| {
                TreeNode::new("field", name.text.to_string(), name.span).with([expr(ast, *value)])
            }))
        }
        ExprKind::Call { func, args } => node("call", func.text.to_string()).with(all(args)),
        ExprKind::CallVar { func, args } => node("call", format!("${}", func.text)).with(all(args)),
        ExprKind::CallLambda { func, args } => node("call", String::new()).with([expr(ast, *func)]).with(all(args)),
        ExprKind::Var(name) => node("var", format!("${}", name.text)),
        ExprKind::Lambda { params: list, returns, body } => {
            node("lambda", String::new()).with(params(list)).with(note(returns)).with([expr(ast, *body)])
        }
        ExprKind::If { condition, then, else_part } => node("if", String::new()).with([
            TreeNode::role("condition", expr(ast, *condition)),
            TreeNode::role("then", expr(ast, *then)),
            TreeNode::role("else", expr(ast, *else_part)),
        ]),
        ExprKind::Binary { op, op_span: _, left, right } => {
            node("binary", op.as_str().to_string()).with([expr(ast, *left), expr(ast, *right)])
        }
        ExprKind::Not(inner) => node("not", String::new()).with([expr(ast, *inner)]),
        ExprKind::Index { value, index } => node("index", String::new()).with([expr(ast, *value), expr(ast, *index)]),
        ExprKind::Field { value, field } => node("get", field.text.to_string()).with([expr(ast, *value)]),
        ExprKind::FieldOr { value, field, default } => {
            node("get-or", field.text.to_string()).with([expr(ast, *value), expr(ast, *default)])
        }
        ExprKind::Except { value, default } => {
            node("except", String::new()).with([expr(ast, *value), expr(ast, *default)])
        }
        ExprKind::Paren(inner) => node("paren", String::new()).with([expr(ast, *inner)]),
        ExprKind::Broken => node("broken", String::new()),
    }
}
