//! The program as s-expressions, one for each statement of the top level. A block is printed last statement first.

use std::fmt::Write;

use super::ast::{Arguments, Ast, BlockId, Bounds, Kind, NodeId, Operator, RelationSide, Top, TypeName};
use super::names::{Names, Sym};
use super::pystr;
use super::token::Compare;
use super::value::Value;

/// One s-expression a statement.
pub fn print(tops: &[Top], ast: &Ast, names: &Names) -> Vec<String> {
    tops.iter()
        .map(|top| {
            let mut printer = Printer { ast, names, out: String::new() };
            printer.top(top);
            printer.out
        })
        .collect()
}

struct Printer<'a> {
    ast: &'a Ast,
    names: &'a Names,
    out: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, sym: Sym) {
        self.out.push_str(self.names.text(sym));
    }

    fn json(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                ' '..='~' => self.out.push(character),
                _ => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        // Writing to a string cannot fail.
                        let _ = write!(self.out, "\\u{unit:04x}");
                    }
                }
            }
        }
        self.out.push('"');
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.put("null"),
            Value::Bool(flag) => self.put(if *flag { "true" } else { "false" }),
            Value::Str(text) => self.json(text),
            Value::List(items) => {
                self.put("[");
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.value(item);
                }
                self.put("]");
            }
            Value::Dict(dict) => {
                self.put("{");
                for (at, (key, item)) in dict.items.iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.json(key);
                    self.put(":");
                    self.value(item);
                }
                self.put("}");
            }
            _ => {
                let text = pystr::repr(value, &pystr::NoInstances);
                self.put(&text);
            }
        }
    }

    fn nodes(&mut self, nodes: &[NodeId]) {
        for node in nodes {
            self.put(" ");
            self.node(*node);
        }
    }

    /// Named arguments, and what is spread.
    fn arguments(&mut self, arguments: &Arguments, is_query: bool) {
        for (word, node) in &arguments.named {
            self.put(if is_query { " (" } else { " " });
            self.name(word.sym);
            self.put(if is_query { " " } else { "=" });
            self.node(*node);
            if is_query {
                self.put(")");
            }
        }
        for node in &arguments.spread {
            self.put(" ");
            self.node(*node);
        }
    }

    fn block(&mut self, block: BlockId) {
        self.put("(");
        for (at, statement) in self.ast.block(block).statements.iter().enumerate() {
            if at > 0 {
                self.put(" ");
            }
            self.node(*statement);
        }
        self.put(")");
    }

    /// `(word` and the nodes after it.
    fn form(&mut self, word: &str, nodes: &[NodeId]) {
        self.put("(");
        self.put(word);
        self.nodes(nodes);
        self.put(")");
    }

    fn node(&mut self, node: NodeId) {
        match self.ast.kind(node) {
            Kind::Name(sym) => {
                self.put("(ref ");
                self.name(*sym);
                self.put(")");
            }
            Kind::Attribute { of, name } => {
                self.put("(attr ");
                self.node(*of);
                self.put(" ");
                self.name(name.sym);
                self.put(")");
            }
            Kind::Lookup { map, key } => self.form("lookup", &[*map, *key]),
            Kind::IndexLookup { class, query } => {
                self.put("(index-lookup ");
                self.name(class.sym);
                self.arguments(query, true);
                self.put(")");
            }
            Kind::ShortIndexLookup { of, relation, query } => {
                self.put("(short-index ");
                self.node(*of);
                self.put(".");
                self.name(relation.sym);
                self.arguments(query, true);
                self.put(")");
            }
            Kind::IsDefined { of, name } => {
                self.put("(is-defined ");
                if let Some(of) = of {
                    self.node(*of);
                    self.put(" ");
                }
                self.name(*name);
                self.put(")");
            }
            Kind::Literal(value) => self.value(value),
            Kind::List(items) => self.form("list", items),
            Kind::Dict(items) => {
                self.put("(dict");
                for (key, item) in items {
                    self.put(" (");
                    self.json(key);
                    self.put(" ");
                    self.node(*item);
                    self.put(")");
                }
                self.put(")");
            }
            Kind::Format { text, .. } => self.quoted("format", text),
            Kind::FormatStr { text, .. } => self.quoted("fstring", text),
            Kind::Regex { pattern, .. } => self.quoted("regex", pattern),
            Kind::And(left, right) => self.form("And", &[*left, *right]),
            Kind::Or(left, right) => self.form("Or", &[*left, *right]),
            Kind::Binary { operator, left, right } => self.form(operator_name(*operator), &[*left, *right]),
            Kind::Not(inner) => self.form("Not", &[*inner]),
            Kind::Conditional { condition, yes, no } => self.form("cond", &[*condition, *yes, *no]),
            Kind::Comprehension { element, variable, list, guard } => {
                self.put("(comprehension ");
                self.node(*element);
                self.put(" ");
                self.name(*variable);
                self.put(" ");
                self.node(*list);
                self.put(" ");
                match guard {
                    Some(guard) => self.node(*guard),
                    None => self.put("none"),
                }
                self.put(")");
            }
            Kind::Call { name, positional, arguments } => {
                self.put("(call ");
                self.name(name.sym);
                self.nodes(positional);
                self.arguments(arguments, false);
                self.put(")");
            }
            Kind::New { class, arguments } => {
                self.put("(new ");
                self.name(class.sym);
                self.arguments(arguments, false);
                self.put(")");
            }
            Kind::Spread(inner) => {
                self.put("**");
                self.node(*inner);
            }
            other => self.statement(other),
        }
    }

    /// `(word "text")`
    fn quoted(&mut self, word: &str, text: &str) {
        self.put("(");
        self.put(word);
        self.put(" ");
        self.json(text);
        self.put(")");
    }

    fn statement(&mut self, kind: &Kind) {
        match kind {
            Kind::Assign { name, value } => {
                self.put("(assign ");
                self.name(name.sym);
                self.nodes(&[*value]);
                self.put(")");
            }
            Kind::SetAttribute { of, name, value, extends } => {
                self.put(if *extends { "(extend " } else { "(set " });
                self.node(*of);
                self.put(" ");
                self.name(*name);
                self.nodes(&[*value]);
                self.put(")");
            }
            Kind::For { variable, list, body } => {
                self.put("(for ");
                self.name(variable.sym);
                self.nodes(&[*list]);
                self.put(" ");
                self.block(*body);
                self.put(")");
            }
            Kind::If { condition, yes, no } => {
                self.put("(if ");
                self.node(*condition);
                self.put(" ");
                self.block(*yes);
                self.put(" ");
                self.block(*no);
                self.put(")");
            }
            _ => {}
        }
    }

    fn type_name(&mut self, declared: &TypeName) {
        self.name(declared.base.sym);
        self.put(if declared.is_list { "[]" } else { "" });
        self.put(if declared.is_nullable { "?" } else { "" });
    }

    fn side(&mut self, side: &RelationSide) {
        self.put("(");
        self.name(side.class.sym);
        match side.attribute {
            Some((name, bounds)) => {
                self.put(" ");
                self.name(name.sym);
                self.put(" ");
                self.bounds(bounds);
            }
            None => self.put(" None none"),
        }
        self.put(")");
    }

    fn bounds(&mut self, bounds: Bounds) {
        let high = bounds.high.map(|high| high.to_string()).unwrap_or_default();
        self.put(&format!("{}:{high}", bounds.low));
    }

    fn top(&mut self, top: &Top) {
        match top {
            Top::Statement(node) => self.node(*node),
            Top::Doc(text) => self.json(text),
            Top::Import(import) => {
                self.put("(import ");
                self.name(import.name.sym);
                self.put(" ");
                self.name(import.alias.sym);
                self.put(")");
            }
            Top::Entity(entity) => {
                self.put("(entity ");
                self.name(entity.name.sym);
                self.put(" (");
                if entity.parents.is_empty() {
                    self.put("std::Entity");
                }
                for (at, parent) in entity.parents.iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.name(parent.sym);
                }
                self.put(")");
                for attribute in &entity.attributes {
                    self.put(" (");
                    self.type_name(&attribute.declared);
                    self.put(" ");
                    self.name(attribute.name.sym);
                    self.put(" =");
                    match attribute.default {
                        Some(default) => self.node(default),
                        None => self.put("undef"),
                    }
                    self.put(")");
                }
                self.put(")");
            }
            Top::Implementation(implementation) => {
                self.put("(implementation ");
                self.name(implementation.name.sym);
                self.put(" ");
                self.name(implementation.class.sym);
                self.put(" ");
                self.block(implementation.body);
                self.put(")");
            }
            Top::Implement(implement) => {
                self.put("(implement ");
                self.name(implement.class.sym);
                self.put(if implement.with_parents { " parents (" } else { " (" });
                for (at, word) in implement.implementations.iter().enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.name(word.sym);
                }
                self.put(") ");
                self.node(implement.condition);
                self.put(")");
            }
            Top::Relation(relation) => {
                self.put("(relation ");
                self.side(&relation.left);
                self.put(" ");
                self.side(&relation.right);
                self.nodes(&relation.annotations);
                self.put(")");
            }
            Top::Typedef(typedef) => {
                self.put("(typedef ");
                self.name(typedef.name.sym);
                self.put(" ");
                self.name(typedef.base.sym);
                self.nodes(&[typedef.condition]);
                self.put(")");
            }
            Top::Defaults(defaults) => {
                self.put("(typedef ");
                self.name(defaults.name.sym);
                self.nodes(&[defaults.constructor]);
                self.put(")");
            }
            Top::Index(index) => {
                self.put("(index ");
                self.name(index.class.sym);
                for attribute in &index.attributes {
                    self.put(" ");
                    self.name(attribute.sym);
                }
                self.put(")");
            }
        }
    }
}

fn operator_name(operator: Operator) -> &'static str {
    match operator {
        Operator::Compare(Compare::Equal) => "Equals",
        Operator::Compare(Compare::NotEqual) => "NotEqual",
        Operator::Compare(Compare::Less) => "LessThan",
        Operator::Compare(Compare::Greater) => "GreaterThan",
        Operator::Compare(Compare::LessOrEqual) => "LessThanOrEqual",
        Operator::Compare(Compare::GreaterOrEqual) => "GreaterThanOrEqual",
        Operator::In => "In",
        Operator::Plus => "Plus",
        Operator::Minus => "Minus",
        Operator::Times => "Multiplication",
        Operator::Divide => "Division",
        Operator::Modulo => "Modulo",
        Operator::Power => "Exponentiation",
    }
}
