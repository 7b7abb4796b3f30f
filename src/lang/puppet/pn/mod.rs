//! Puppet's own notation of a tree, as `puppet parser dump` prints it.

mod arm;
mod source;

use std::fmt::Write;

use super::ast::*;

pub use arm::{invariant, logic};
pub use source::to_source;

/// Prints a program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { out: String::new() };
    printer.expr(&program.body);
    printer.out
}

/// One element of a map or a call: prints itself.
type Part<'a> = Box<dyn FnOnce(&mut Printer) + 'a>;

struct Printer {
    out: String,
}

impl Printer {
    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                c if (c as u32) < 0x20 => {
                    let _ = write!(self.out, "\\o{:03o}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn call(&mut self, name: &str, args: &[&Expr]) {
        let _ = write!(self.out, "({name}");
        for arg in args {
            self.out.push(' ');
            self.expr(arg);
        }
        self.out.push(')');
    }

    fn named(&mut self, name: &str, text: &str) {
        let _ = write!(self.out, "({name} ");
        self.string(text);
        self.out.push(')');
    }

    fn list(&mut self, list: &[Expr]) {
        self.out.push('[');
        for (i, expr) in list.iter().enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            self.expr(expr);
        }
        self.out.push(']');
    }

    fn map(&mut self, parts: Vec<(&str, Part<'_>)>) {
        self.out.push('{');
        for (i, (name, part)) in parts.into_iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            let _ = write!(self.out, "{space}:{name} ");
            part(self);
        }
        self.out.push('}');
    }

    fn call_map(&mut self, name: &str, parts: Vec<(&str, Part<'_>)>) {
        let _ = write!(self.out, "({name} ");
        self.map(parts);
        self.out.push(')');
    }

    fn entry(&mut self, key: &Expr, value: &Expr) {
        self.call("=>", &[key, value]);
    }

    fn params(&mut self, params: &[Parameter]) {
        self.out.push('{');
        for (i, param) in params.iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            let _ = write!(self.out, "{space}:{} ", param.name);
            let mut parts: Vec<(&str, Part<'_>)> = Vec::new();
            if let Some(ty) = &param.ty {
                parts.push(("type", Box::new(|p| p.expr(ty))));
            }
            if param.captures_rest {
                parts.push(("splat", Box::new(|p| p.out.push_str("true"))));
            }
            if let Some(value) = &param.value {
                parts.push(("value", Box::new(|p| p.expr(value))));
            }
            self.map(parts);
        }
        self.out.push('}');
    }

    /// The statements of a body as a list.
    fn body<'a>(expr: &'a Expr) -> Part<'a> {
        Box::new(move |p| match &expr.kind {
            Kind::Block(list) => p.list(list),
            _ => p.list(std::slice::from_ref(expr)),
        })
    }

    fn definition(&mut self, what: &str, definition: &Definition) {
        let mut parts: Vec<(&str, Part<'_>)> = vec![("name", Box::new(|p| p.string(&definition.name)))];
        if let Some(parent) = &definition.parent {
            parts.push(("parent", Box::new(move |p| p.string(parent))));
        }
        if !definition.params.is_empty() {
            parts.push(("params", Box::new(|p| p.params(&definition.params))));
        }
        if !matches!(definition.body.kind, Kind::Nop) {
            parts.push(("body", Self::body(&definition.body)));
        }
        self.call_map(what, parts);
    }

    fn lambda(&mut self, lambda: &Lambda) {
        let mut parts: Vec<(&str, Part<'_>)> = Vec::new();
        if !lambda.params.is_empty() {
            parts.push(("params", Box::new(|p| p.params(&lambda.params))));
        }
        if let Some(returns) = &lambda.returns {
            parts.push(("returns", Box::new(|p| p.expr(returns))));
        }
        if !matches!(lambda.body.kind, Kind::Nop) {
            parts.push(("body", Self::body(&lambda.body)));
        }
        self.call_map("lambda", parts);
    }

    fn attributes(&mut self, ops: &[Attribute]) {
        self.out.push('[');
        for (i, op) in ops.iter().enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            match &op.kind {
                AttributeKind::Splat => self.call("splat-hash", &[&op.value]),
                AttributeKind::Set(name) | AttributeKind::Append(name) => {
                    let sign = if matches!(op.kind, AttributeKind::Set(_)) { "=>" } else { "+>" };
                    let _ = write!(self.out, "({sign} ");
                    self.string(name);
                    self.out.push(' ');
                    self.expr(&op.value);
                    self.out.push(')');
                }
            }
        }
        self.out.push(']');
    }

    fn form(form: Form) -> Vec<(&'static str, Part<'static>)> {
        let name = match form {
            Form::Regular => return Vec::new(),
            Form::Virtual => "virtual",
            Form::Exported => "exported",
        };
        vec![("form", Box::new(move |p| p.string(name)))]
    }

    fn relation(&mut self, first: &Expr, rest: &[(RelationOp, crate::source::Span, Expr)]) {
        for (op, ..) in rest.iter().rev() {
            let _ = write!(self.out, "({} ", op.as_str());
        }
        self.expr(first);
        for (_, _, right) in rest {
            self.out.push(' ');
            self.expr(right);
            self.out.push(')');
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Nop => self.out.push_str("(nop)"),
            Kind::Undef => self.out.push_str("nil"),
            Kind::Default => self.out.push_str("(default)"),
            Kind::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Kind::Int { value, radix: 10 } => {
                let _ = write!(self.out, "{value}");
            }
            Kind::Int { value, radix } => {
                let _ = write!(self.out, "(int {{:radix {radix} :value {value}}})");
            }
            Kind::Float(value) => self.out.push_str(&crate::lang::ruby::number::float(*value)),
            Kind::Str(text) => self.string(text),
            Kind::Regex(source) => self.named("regexp", source),
            Kind::Name(name) => self.named("qn", name),
            Kind::Ref(name) => self.named("qr", name),
            Kind::Reserved(name) => self.named("reserved", name),
            Kind::Var(name) => self.named("var", name),
            Kind::Concat(parts) => self.call("concat", &parts.iter().collect::<Vec<_>>()),
            Kind::Text(inner) => self.call("str", &[inner]),
            Kind::Heredoc { syntax, text } => {
                let mut parts: Vec<(&str, Part<'_>)> = Vec::new();
                if !syntax.is_empty() {
                    parts.push(("syntax", Box::new(|p| p.string(syntax))));
                }
                parts.push(("text", Box::new(|p| p.expr(text))));
                self.call_map("heredoc", parts);
            }
            Kind::Array(list) => self.call("array", &list.iter().collect::<Vec<_>>()),
            Kind::Hash(entries) => {
                self.out.push_str("(hash");
                for entry in entries {
                    self.out.push(' ');
                    self.entry(&entry.key, &entry.value);
                }
                self.out.push(')');
            }
            Kind::Paren(inner) => self.call("paren", &[inner]),
            Kind::Not(inner) => self.call("!", &[inner]),
            Kind::Negate(inner) => match inner.kind {
                Kind::Int { value, radix: 10 } => {
                    let _ = write!(self.out, "{}", -value);
                }
                Kind::Float(value) => self.out.push_str(&crate::lang::ruby::number::float(-value)),
                _ => self.call("-", &[inner]),
            },
            Kind::Unfold(inner) => self.call("unfold", &[inner]),
            Kind::Binary(op, left, right) => self.call(op.as_str(), &[left, right]),
            Kind::And(left, right) => self.call("and", &[left, right]),
            Kind::Or(left, right) => self.call("or", &[left, right]),
            Kind::Assign(op, left, right) => self.call(op.as_str(), &[left, right]),
            Kind::Relation { first, rest } => self.relation(first, rest),
            Kind::Access(left, keys) => {
                let args: Vec<&Expr> = std::iter::once(&**left).chain(keys).collect();
                self.call("access", &args);
            }
            Kind::Member(left, name) => self.call(".", &[left, name]),
            Kind::Call(call) => {
                let name = match (call.is_method, call.is_value) {
                    (true, _) => "call-method",
                    (false, true) => "call",
                    (false, false) => "invoke",
                };
                let mut parts: Vec<(&str, Part<'_>)> =
                    vec![("functor", Box::new(|p| p.expr(&call.functor))), ("args", Box::new(|p| p.list(&call.args)))];
                if let Some(lambda) = &call.lambda {
                    parts.push(("block", Box::new(move |p| p.lambda(lambda))));
                }
                self.call_map(name, parts);
            }
            Kind::Selector(left, entries) => {
                self.out.push_str("(? ");
                self.expr(left);
                self.out.push_str(" [");
                for (i, entry) in entries.iter().enumerate() {
                    if i > 0 {
                        self.out.push(' ');
                    }
                    self.entry(&entry.key, &entry.value);
                }
                self.out.push_str("])");
            }
            Kind::If { unless, test, then, other } => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![("test", Box::new(|p| p.expr(test)))];
                if !matches!(then.kind, Kind::Nop) {
                    parts.push(("then", Self::body(then)));
                }
                if !matches!(other.kind, Kind::Nop) {
                    parts.push(("else", Self::body(other)));
                }
                self.call_map(if *unless { "unless" } else { "if" }, parts);
            }
            Kind::Case(test, choices) => {
                self.out.push_str("(case ");
                self.expr(test);
                self.out.push_str(" [");
                for (i, choice) in choices.iter().enumerate() {
                    if i > 0 {
                        self.out.push(' ');
                    }
                    self.map(vec![
                        ("when", Box::new(|p: &mut Printer| p.list(&choice.values))),
                        ("then", Self::body(&choice.then)),
                    ]);
                }
                self.out.push_str("])");
            }
            Kind::Block(list) => self.call("block", &list.iter().collect::<Vec<_>>()),
            Kind::Lambda(lambda) => self.lambda(lambda),
            Kind::Class(definition) => self.definition("class", definition),
            Kind::Define(definition) => self.definition("define", definition),
            Kind::Node(node) => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![("matches", Box::new(|p| p.list(&node.matches)))];
                if let Some(parent) = &node.parent {
                    parts.push(("parent", Box::new(move |p| p.expr(parent))));
                }
                if !matches!(node.body.kind, Kind::Nop) {
                    parts.push(("body", Self::body(&node.body)));
                }
                self.call_map("node", parts);
            }
            Kind::Function(function) => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![("name", Box::new(|p| p.string(&function.name)))];
                if !function.params.is_empty() {
                    parts.push(("params", Box::new(|p| p.params(&function.params))));
                }
                if !matches!(function.body.kind, Kind::Nop) {
                    parts.push(("body", Self::body(&function.body)));
                }
                if let Some(returns) = &function.returns {
                    parts.push(("returns", Box::new(move |p| p.expr(returns))));
                }
                self.call_map("function", parts);
            }
            Kind::TypeAlias(alias) => {
                self.out.push_str("(type-alias ");
                self.string(&alias.name);
                self.out.push(' ');
                self.expr(&alias.ty);
                self.out.push(')');
            }
            Kind::TypeMapping(left, right) => self.call("type-mapping", &[left, right]),
            Kind::TypeDefinition(definition) => {
                self.out.push_str("(type-definition ");
                self.string(&definition.name);
                self.out.push_str(" \"\" ");
                self.expr(&definition.body);
                self.out.push(')');
            }
            Kind::ArmType(definition) => self.arm_type(definition),
            Kind::Resource(resource) => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![("type", Box::new(|p| p.expr(&resource.ty)))];
                parts.push((
                    "bodies",
                    Box::new(|p| {
                        p.out.push('[');
                        for (i, body) in resource.bodies.iter().enumerate() {
                            if i > 0 {
                                p.out.push(' ');
                            }
                            p.map(vec![
                                ("title", Box::new(|p: &mut Printer| p.expr(&body.title))),
                                ("ops", Box::new(|p: &mut Printer| p.attributes(&body.ops))),
                            ]);
                        }
                        p.out.push(']');
                    }),
                ));
                parts.extend(Self::form(resource.form));
                self.call_map("resource", parts);
            }
            Kind::Defaults(defaults) => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![
                    ("type", Box::new(|p| p.expr(&defaults.target))),
                    ("ops", Box::new(|p| p.attributes(&defaults.ops))),
                ];
                parts.extend(Self::form(defaults.form));
                self.call_map("resource-defaults", parts);
            }
            Kind::Override(defaults) => {
                let mut parts: Vec<(&str, Part<'_>)> = vec![
                    ("resources", Box::new(|p| p.expr(&defaults.target))),
                    ("ops", Box::new(|p| p.attributes(&defaults.ops))),
                ];
                parts.extend(Self::form(defaults.form));
                self.call_map("resource-override", parts);
            }
            Kind::Collect(collect) => {
                let name = if collect.exported { "exported-query" } else { "virtual-query" };
                let mut parts: Vec<(&str, Part<'_>)> = vec![
                    ("type", Box::new(|p| p.expr(&collect.ty))),
                    ("query", Box::new(move |p| p.call(name, &collect.query.iter().collect::<Vec<_>>()))),
                ];
                if !collect.ops.is_empty() {
                    parts.push(("ops", Box::new(|p| p.attributes(&collect.ops))));
                }
                self.call_map("collect", parts);
            }
            Kind::Epp(epp) => {
                let mut parts: Vec<(&str, Part<'_>)> = Vec::new();
                if !epp.params.is_empty() {
                    parts.push(("params", Box::new(|p| p.params(&epp.params))));
                }
                parts.push((
                    "body",
                    Box::new(|p| {
                        p.out.push('[');
                        p.call("epp", &epp.body.statements().iter().collect::<Vec<_>>());
                        p.out.push(']');
                    }),
                ));
                self.call_map("lambda", parts);
            }
            Kind::Render(inner) => self.call("render", &[inner]),
            Kind::RenderText(text) => self.named("render-s", text),
        }
    }
}
