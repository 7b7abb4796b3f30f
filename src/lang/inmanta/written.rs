//! Expressions as messages show them, each operator in parentheses.

use super::ast::{Arguments, Kind, NodeId, Operator};
use super::define::Program;
use super::pystr::{self, NoInstances};
use super::token::Compare;

impl Program {
    /// An expression in one line.
    pub fn written(&self, node: NodeId) -> String {
        let of = |node: &NodeId| self.written(*node);
        let all = |nodes: &[NodeId]| nodes.iter().map(of).collect::<Vec<_>>().join(", ");
        match self.ast.kind(node) {
            Kind::Name(sym) => self.text(*sym).to_string(),
            Kind::Attribute { of: instance, name } => format!("{}.{}", of(instance), self.text(name.sym)),
            Kind::Lookup { map, key } => format!("{}[{}]", of(map), of(key)),
            Kind::Literal(value) => pystr::repr(value, &NoInstances),
            Kind::List(items) => format!("[{}]", all(items)),
            Kind::Regex { pattern, .. } => format!("/{pattern}/"),
            Kind::And(left, right) => format!("({} and {})", of(left), of(right)),
            Kind::Or(left, right) => format!("({} or {})", of(left), of(right)),
            Kind::Not(inner) => format!("(not {})", of(inner)),
            Kind::Binary { operator, left, right } => format!("({} {} {})", of(left), sign(*operator), of(right)),
            Kind::Conditional { condition, yes, no } => format!("{} ? {} : {}", of(condition), of(yes), of(no)),
            Kind::Comprehension { element, variable, list, guard } => {
                let guard = guard.map(|guard| format!(" if {}", of(&guard))).unwrap_or_default();
                format!("[{} for {} in {}{guard}]", of(element), self.text(*variable), of(list))
            }
            Kind::Call { name, positional, arguments } => {
                format!("{}({})", self.text(name.sym), self.listed(positional, arguments))
            }
            Kind::New { class, arguments } => format!("{}({})", self.text(class.sym), self.listed(&[], arguments)),
            Kind::IsDefined { of: instance, name } => {
                let path = instance.map(|instance| format!("{}.", of(&instance))).unwrap_or_default();
                format!("{path}{} is defined", self.text(*name))
            }
            Kind::Format { text, .. } | Kind::FormatStr { text, .. } => format!("'{text}'"),
            _ => "…".to_string(),
        }
    }

    fn listed(&self, positional: &[NodeId], arguments: &Arguments) -> String {
        let named =
            arguments.named.iter().map(|(word, value)| format!("{}={}", self.text(word.sym), self.written(*value)));
        positional.iter().map(|value| self.written(*value)).chain(named).collect::<Vec<_>>().join(",")
    }
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Compare(Compare::Equal) => "==",
        Operator::Compare(Compare::NotEqual) => "!=",
        Operator::Compare(Compare::Less) => "<",
        Operator::Compare(Compare::Greater) => ">",
        Operator::Compare(Compare::LessOrEqual) => "<=",
        Operator::Compare(Compare::GreaterOrEqual) => ">=",
        Operator::In => "in",
        Operator::Plus => "+",
        Operator::Minus => "-",
        Operator::Times => "*",
        Operator::Divide => "/",
        Operator::Modulo => "%",
        Operator::Power => "**",
    }
}
