//! Writes a resource graph as mcl: plain resources, their meta parameters and edges, which compile to the same graph.
//!
//! There are no variables, loops or classes in the output. Automatic edges are omitted, because they are added again.
//! The graph is in mgmt's words, and every value has a literal: see `handoff`.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::print::Decimal;
use crate::graph::{Edge, Graph, NodeIndex, Params, Reason, Resource, Value};
use crate::resource::{FieldType, schema};

/// Writes a graph in mcl's kinds as a program.
pub fn emit(graph: &Graph) -> String {
    let mut emitter = Emitter::default();
    let mut orders: FxHashMap<NodeIndex, Vec<&Edge>> = FxHashMap::default();
    for edge in graph.edges().iter().filter(|edge| edge.reason == Reason::Declared) {
        orders.entry(edge.from).or_default().push(edge);
    }
    for (at, resource) in graph.resources() {
        emitter.resource(graph, resource, orders.get(&at).map(Vec::as_slice).unwrap_or_default());
    }
    for edge in graph.edges() {
        emitter.edge(graph, edge);
    }
    let imports = [(emitter.strings, "strings"), (emitter.math, "math")];
    let imports: String = imports
        .iter()
        .filter(|(used, _)| *used)
        .map(|(_, module)| format!("import \"golang/{module}\" as golang_{module}\n"))
        .collect();
    format!("{imports}{}", emitter.out)
}

/// A value as an expression; `None` if it contains something that has no literal.
pub fn expression(value: &Value) -> Option<String> {
    let mut emitter = Emitter::default();
    emitter.value(value)?;
    Some(emitter.out)
}

#[derive(Default)]
struct Emitter {
    out: String,
    /// Whether `golang/strings` and `golang/math` are needed.
    strings: bool,
    math: bool,
    binds: usize,
}

impl Emitter {
    fn resource(&mut self, graph: &Graph, resource: &Resource, before: &[&Edge]) {
        let declared = resource.meant();
        let takes = |name: &str| schema(&declared.kind).and_then(|s| s.param(name)).map(|p| p.ty);
        // An empty list or map of an unknown type needs a type annotation, which only a variable can have.
        let binds: Vec<Option<String>> = declared
            .params
            .iter()
            .map(|(name, value)| {
                let untold = takes(name) == Some(FieldType::Any) && holds_empty(value);
                untold.then(|| self.bind(value)).flatten()
            })
            .collect();
        self.out.push_str(&declared.kind);
        self.out.push(' ');
        self.name(&declared.name);
        self.out.push_str(" {");
        let start = self.out.len();
        for ((name, value), bind) in std::iter::zip(declared.params.iter(), binds) {
            match bind {
                Some(bind) => self.line(&format!("{name} => ${bind},")),
                None => self.item(name, value),
            }
        }
        self.meta(&resource.meta);
        for edge in before {
            if let Some(to) = graph.resource(edge.to) {
                self.out.push_str(if edge.notify { "\n\tNotify => " } else { "\n\tBefore => " });
                self.half(to);
                self.out.push(',');
            }
        }
        self.out.push_str(if self.out.len() > start { "\n}\n" } else { "}\n" });
    }

    fn meta(&mut self, meta: &Params) {
        for (name, value) in meta.iter() {
            self.item(&format!("Meta:{name}"), value);
        }
    }

    /// `name => value,` on its own line.
    fn item(&mut self, name: &str, value: &Value) {
        let mark = self.out.len();
        let _ = write!(self.out, "\n\t{name} => ");
        match self.value(value) {
            Some(()) => self.out.push(','),
            None => self.out.truncate(mark),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = write!(self.out, "\n\t{text}");
    }

    fn bind(&mut self, value: &Value) -> Option<String> {
        let mark = self.out.len();
        let name = format!("value{}", self.binds);
        let _ = write!(self.out, "${name} {} = ", written_type(&[value]));
        if self.value(value).is_none() {
            self.out.truncate(mark);
            return None;
        }
        self.out.push('\n');
        self.binds += 1;
        Some(name)
    }

    /// Sends; edges that only order are in the bodies.
    fn edge(&mut self, graph: &Graph, edge: &Edge) {
        let (Some(from), Some(to), Some((sent, received))) =
            (graph.resource(edge.from), graph.resource(edge.to), edge.send.as_ref())
        else {
            return;
        };
        self.half(from);
        let _ = write!(self.out, ".{sent} -> ");
        self.half(to);
        let _ = writeln!(self.out, ".{received}");
    }

    /// `Http:Server["name"]`
    fn half(&mut self, resource: &Resource) {
        for (i, part) in resource.meant().kind.split(':').enumerate() {
            self.out.push_str(if i > 0 { ":" } else { "" });
            let mut letters = part.chars();
            self.out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            self.out.push_str(letters.as_str());
        }
        self.out.push('[');
        self.name(&resource.meant().name);
        self.out.push(']');
    }

    /// Only a plain text is known as a name before evaluation; any other name is written as a list of one.
    fn name(&mut self, name: &str) {
        let plain = !name.ends_with('\\');
        self.out.push_str(if plain { "" } else { "[" });
        self.text(name);
        self.out.push_str(if plain { "" } else { "]" });
    }

    fn value(&mut self, value: &Value) -> Option<()> {
        match value {
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Int(value) => self.out.push_str(&value.to_string()),
            Value::Float(value) => self.float(*value),
            Value::Str(text) => self.text(text),
            Value::List(items) => {
                self.out.push('[');
                self.all(items.iter(), |this, item| this.value(item))?;
                self.out.push(']');
            }
            Value::Map(pairs) => {
                self.out.push('{');
                self.all(pairs.iter(), |this, (key, value)| {
                    this.value(key)?;
                    this.out.push_str(" => ");
                    this.value(value)
                })?;
                self.out.push('}');
            }
            Value::Struct(fields) => {
                self.out.push_str("struct{");
                self.all(fields.iter(), |this, (name, value)| {
                    let _ = write!(this.out, "{name} => ");
                    this.value(value)
                })?;
                self.out.push('}');
            }
            Value::Null
            | Value::Bytes(_)
            | Value::Unknown
            | Value::Sensitive(_)
            | Value::Deferred(_)
            | Value::Ref(_) => return None,
        }
        Some(())
    }

    fn all<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut each: impl FnMut(&mut Self, T) -> Option<()>,
    ) -> Option<()> {
        for (i, item) in items.enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            each(self, item)?;
        }
        Some(())
    }

    /// A literal has a point and no exponent, and NaN has no literal.
    fn float(&mut self, value: f64) {
        if value.is_finite() {
            let text = Decimal(value).to_string();
            self.out.push_str(&text);
            self.out.push_str(if text.contains('.') { "" } else { ".0" });
        } else {
            self.math = true;
            self.out.push_str(match value {
                value if value.is_nan() => "golang_math.na_n()",
                value if value > 0.0 => "golang_math.inf(1)",
                _ => "golang_math.inf(-1)",
            });
        }
    }

    /// A text in quotes. One that ends in a backslash has no literal, because that would reach to the next quote.
    fn text(&mut self, text: &str) {
        let open = text.ends_with('\\');
        if open {
            self.strings = true;
            self.out.push_str("golang_strings.trim_suffix(");
        }
        self.out.push('"');
        let mut letters = text.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '\x07' => self.out.push_str("\\a"),
                '\x08' => self.out.push_str("\\b"),
                '\x0c' => self.out.push_str("\\f"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\x0b' => self.out.push_str("\\v"),
                '\\' | '"' => self.out.extend(['\\', c]),
                '$' if letters.peek() == Some(&'{') => self.out.push_str("\\$"),
                c => self.out.push(c),
            }
        }
        self.out.push_str(if open { ".\", \".\")" } else { "\"" });
    }
}

fn holds_empty(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty() || items.iter().any(holds_empty),
        Value::Map(pairs) => pairs.is_empty() || pairs.iter().any(|(_, value)| holds_empty(value)),
        Value::Struct(fields) => fields.iter().any(|(_, value)| holds_empty(value)),
        _ => false,
    }
}

/// The type of some values, as far as they show it; an unknown part becomes text.
pub fn written_type(values: &[&Value]) -> String {
    match values.first() {
        Some(Value::Bool(_)) => "bool".into(),
        Some(Value::Int(_)) => "int".into(),
        Some(Value::Float(_)) => "float".into(),
        Some(Value::List(_)) => {
            let items: Vec<&Value> = values.iter().filter_map(|value| value.as_list()).flatten().collect();
            format!("[]{}", written_type(&items))
        }
        Some(Value::Map(_)) => {
            let pairs = || values.iter().filter_map(|v| if let Value::Map(pairs) = v { Some(pairs) } else { None });
            let keys: Vec<&Value> = pairs().flatten().map(|(key, _)| key).collect();
            let inner: Vec<&Value> = pairs().flatten().map(|(_, value)| value).collect();
            format!("map{{{}: {}}}", written_type(&keys), written_type(&inner))
        }
        Some(Value::Struct(first)) => {
            let field = |at: usize| -> Vec<&Value> {
                let structs = values.iter().filter_map(|v| if let Value::Struct(f) = v { f.get(at) } else { None });
                structs.map(|(_, value)| value).collect()
            };
            let fields = first.iter().enumerate().map(|(at, (name, _))| format!("{name} {}", written_type(&field(at))));
            format!("struct{{{}}}", fields.collect::<Vec<_>>().join("; "))
        }
        _ => "str".into(),
    }
}
