//! The program as s-expressions, one for each statement of the top level. A block is printed last statement first.

use std::fmt::{self, Display, Formatter};

use super::ast::{Arguments, Ast, BlockId, Kind, NodeId, Operator, RelationSide, Top, TypeName, Word};
use super::names::{Names, Sym};
use super::pystr;
use super::token::Compare;
use super::value::Value;

/// One s-expression a statement.
pub fn print(tops: &[Top], ast: &Ast, names: &Names) -> Vec<String> {
    let printer = Printer { ast, names };
    tops.iter().map(|top| Shown(|f: &mut Formatter<'_>| printer.write_top(top, f)).to_string()).collect()
}

#[derive(Clone, Copy)]
struct Printer<'a> {
    ast: &'a Ast,
    names: &'a Names,
}

/// A part of the program that is written where it is used.
struct Shown<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Shown<F> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// A text in double quotes, as JSON and in ASCII.
struct Quoted<'t>(&'t str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        super::std::write_json_text(self.0, &mut out);
        f.write_str(&out)
    }
}

/// Parts with a blank between two.
fn joined<T: Display>(parts: impl Iterator<Item = T>, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, part) in parts.enumerate() {
        write!(f, "{}{part}", if at > 0 { " " } else { "" })?;
    }
    Ok(())
}

impl<'a> Printer<'a> {
    fn name(self, sym: Sym) -> &'a str {
        self.names.text(sym)
    }

    fn node(self, node: NodeId) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| self.write_node(node, f))
    }

    /// Each after a blank.
    fn nodes(self, nodes: &[NodeId]) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| nodes.iter().try_for_each(|node| write!(f, " {}", self.node(*node))))
    }

    fn words(self, words: &[Word]) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| joined(words.iter().map(|word| self.name(word.sym)), f))
    }

    fn value(self, value: &Value) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| self.write_value(value, f))
    }

    fn write_value(self, value: &Value, f: &mut Formatter<'_>) -> fmt::Result {
        match value {
            Value::Null => f.write_str("null"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Str(text) => write!(f, "{}", Quoted(text)),
            Value::List(items) => {
                f.write_str("[")?;
                joined(items.iter().map(|item| self.value(item)), f)?;
                f.write_str("]")
            }
            Value::Dict(dict) => {
                let entries = dict.items.iter().map(|(key, item)| {
                    Shown(move |f: &mut Formatter<'_>| write!(f, "{}:{}", Quoted(key), self.value(item)))
                });
                f.write_str("{")?;
                joined(entries, f)?;
                f.write_str("}")
            }
            _ => f.write_str(&pystr::repr(value, &pystr::NoInstances)),
        }
    }

    /// Named arguments, and what is spread.
    fn arguments(self, arguments: &Arguments) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            for (word, node) in &arguments.named {
                write!(f, " {}={}", self.name(word.sym), self.node(*node))?;
            }
            write!(f, "{}", self.nodes(&arguments.spread))
        })
    }

    /// The same for a look-up in an index.
    fn query(self, query: &Arguments) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            for (word, node) in &query.named {
                write!(f, " ({} {})", self.name(word.sym), self.node(*node))?;
            }
            write!(f, "{}", self.nodes(&query.spread))
        })
    }

    fn block(self, block: BlockId) -> impl Display {
        Shown(move |f: &mut Formatter<'_>| {
            f.write_str("(")?;
            joined(self.ast.block(block).statements.iter().map(|statement| self.node(*statement)), f)?;
            f.write_str(")")
        })
    }

    fn write_node(self, node: NodeId, f: &mut Formatter<'_>) -> fmt::Result {
        // `(word` and the nodes after it.
        let form = |f: &mut Formatter<'_>, word: &str, nodes: &[NodeId]| write!(f, "({word}{})", self.nodes(nodes));
        match self.ast.kind(node) {
            Kind::Name(sym) => write!(f, "(ref {})", self.name(*sym)),
            Kind::Attribute { of, name } => write!(f, "(attr {} {})", self.node(*of), self.name(name.sym)),
            Kind::Lookup { map, key } => form(f, "lookup", &[*map, *key]),
            Kind::IndexLookup { class, query } => {
                write!(f, "(index-lookup {}{})", self.name(class.sym), self.query(query))
            }
            Kind::ShortIndexLookup { of, relation, query } => {
                write!(f, "(short-index {}.{}{})", self.node(*of), self.name(relation.sym), self.query(query))
            }
            Kind::IsDefined { of: Some(of), name } => {
                write!(f, "(is-defined {} {})", self.node(*of), self.name(*name))
            }
            Kind::IsDefined { of: None, name } => write!(f, "(is-defined {})", self.name(*name)),
            Kind::Literal(value) => self.write_value(value, f),
            Kind::List(items) => form(f, "list", items),
            Kind::Dict(items) => {
                f.write_str("(dict")?;
                for (key, item) in items {
                    write!(f, " ({} {})", Quoted(key), self.node(*item))?;
                }
                f.write_str(")")
            }
            Kind::Format { text, .. } => write!(f, "(format {})", Quoted(text)),
            Kind::FormatStr { text, .. } => write!(f, "(fstring {})", Quoted(text)),
            Kind::Regex { pattern, .. } => write!(f, "(regex {})", Quoted(pattern)),
            Kind::And(left, right) => form(f, "And", &[*left, *right]),
            Kind::Or(left, right) => form(f, "Or", &[*left, *right]),
            Kind::Binary { operator, left, right } => form(f, operator_name(*operator), &[*left, *right]),
            Kind::Not(inner) => form(f, "Not", &[*inner]),
            Kind::Conditional { condition, yes, no } => form(f, "cond", &[*condition, *yes, *no]),
            Kind::Comprehension { element, variable, list, guard } => {
                let variable = self.name(*variable);
                write!(f, "(comprehension {} {variable} {} ", self.node(*element), self.node(*list))?;
                match guard {
                    Some(guard) => write!(f, "{})", self.node(*guard)),
                    None => f.write_str("none)"),
                }
            }
            Kind::Call { name, positional, arguments } => {
                let (name, arguments) = (self.name(name.sym), self.arguments(arguments));
                write!(f, "(call {name}{}{arguments})", self.nodes(positional))
            }
            Kind::New { class, arguments } => {
                write!(f, "(new {}{})", self.name(class.sym), self.arguments(arguments))
            }
            Kind::Spread(inner) => write!(f, "**{}", self.node(*inner)),
            Kind::Assign { name, value } => write!(f, "(assign {} {})", self.name(name.sym), self.node(*value)),
            Kind::SetAttribute { of, name, value, extends } => {
                let word = if *extends { "extend" } else { "set" };
                write!(f, "({word} {} {} {})", self.node(*of), self.name(*name), self.node(*value))
            }
            Kind::For { variable, list, body } => {
                write!(f, "(for {} {} {})", self.name(variable.sym), self.node(*list), self.block(*body))
            }
            Kind::If { condition, yes, no } => {
                write!(f, "(if {} {} {})", self.node(*condition), self.block(*yes), self.block(*no))
            }
            _ => Ok(()),
        }
    }

    fn type_name(self, declared: &TypeName) -> impl Display {
        let list = if declared.is_list { "[]" } else { "" };
        let nullable = if declared.is_nullable { "?" } else { "" };
        format!("{}{list}{nullable}", self.name(declared.base.sym))
    }

    fn side(self, side: &RelationSide) -> impl Display {
        let class = self.name(side.class.sym);
        match side.attribute {
            Some((name, bounds)) => {
                let high = bounds.high.map(|high| high.to_string()).unwrap_or_default();
                format!("({class} {} {}:{high})", self.name(name.sym), bounds.low)
            }
            None => format!("({class} None none)"),
        }
    }

    fn write_top(self, top: &Top, f: &mut Formatter<'_>) -> fmt::Result {
        match top {
            Top::Statement(node) => self.write_node(*node, f),
            Top::Doc(text) => write!(f, "{}", Quoted(text)),
            Top::Import(import) => {
                write!(f, "(import {} {})", self.name(import.name.sym), self.name(import.alias.sym))
            }
            Top::Entity(entity) => {
                write!(f, "(entity {} (", self.name(entity.name.sym))?;
                match entity.parents.is_empty() {
                    true => f.write_str("std::Entity)")?,
                    false => write!(f, "{})", self.words(&entity.parents))?,
                }
                for attribute in &entity.attributes {
                    write!(f, " ({} {} =", self.type_name(&attribute.declared), self.name(attribute.name.sym))?;
                    match attribute.default {
                        Some(default) => write!(f, "{})", self.node(default))?,
                        None => f.write_str("undef)")?,
                    }
                }
                f.write_str(")")
            }
            Top::Implementation(implementation) => {
                let (name, class) = (self.name(implementation.name.sym), self.name(implementation.class.sym));
                write!(f, "(implementation {name} {class} {})", self.block(implementation.body))
            }
            Top::Implement(implement) => {
                let parents = if implement.with_parents { " parents" } else { "" };
                let words = self.words(&implement.implementations);
                let class = self.name(implement.class.sym);
                write!(f, "(implement {class}{parents} ({words}) {})", self.node(implement.condition))
            }
            Top::Relation(relation) => {
                let annotations = self.nodes(&relation.annotations);
                write!(f, "(relation {} {}{annotations})", self.side(&relation.left), self.side(&relation.right))
            }
            Top::Typedef(typedef) => {
                let (name, base) = (self.name(typedef.name.sym), self.name(typedef.base.sym));
                write!(f, "(typedef {name} {base} {})", self.node(typedef.condition))
            }
            Top::Defaults(defaults) => {
                write!(f, "(typedef {} {})", self.name(defaults.name.sym), self.node(defaults.constructor))
            }
            Top::Index(index) => {
                write!(f, "(index {}", self.name(index.class.sym))?;
                index.attributes.iter().try_for_each(|word| write!(f, " {}", self.name(word.sym)))?;
                f.write_str(")")
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
