//! What Puppet calls an expression in its messages.

use super::ast::{Expr, Form, Kind};

/// Words that begin a statement elsewhere, and what Puppet writes.
pub const FOREIGN_STATEMENTS: [(&str, &str); 14] = [
    ("foreach", "$list.each |$item| { … }"),
    ("for", "$list.each |$item| { … }"),
    ("while", "$list.each |$item| { … }"),
    ("until", "$list.each |$item| { … }"),
    ("def", "function NAME(TYPE $parameter) { … }"),
    ("func", "function NAME(TYPE $parameter) { … }"),
    ("fn", "function NAME(TYPE $parameter) { … }"),
    ("let", "$name = VALUE"),
    ("var", "$name = VALUE"),
    ("const", "$name = VALUE"),
    ("local", "$name = VALUE"),
    ("resource", "TYPE { 'TITLE': … }"),
    ("import", "include CLASS"),
    ("role", "class NAME { … }"),
];

/// Resource types that users often write, for advice on syntax.
pub const COMMON_TYPES: [&str; 14] = [
    "augeas", "cron", "exec", "file", "group", "host", "mount", "notify", "package", "service", "sshkey", "user",
    "yumrepo", "zone",
];

/// The label of an expression, without an article.
pub fn label(expr: &Expr) -> String {
    match &expr.kind {
        Kind::Nop => "Nop Expression",
        Kind::Undef => "'undef' value",
        Kind::Default => "'default' expression",
        Kind::Bool(_) => "Boolean",
        Kind::Int { .. } => "Literal Integer",
        Kind::Float(_) => "Literal Float",
        Kind::Str(_) => "String",
        Kind::Regex(_) => "Regular Expression",
        Kind::Name(_) => "Name",
        Kind::Ref(_) => "Type-Name",
        Kind::Reserved(name) => return format!("Reserved Word '{name}'"),
        Kind::Var(_) => "Variable",
        Kind::Concat(_) => "Double Quoted String",
        Kind::Text(_) => "expression in an interpolated string",
        Kind::Heredoc { .. } => "Heredoc",
        Kind::Array(_) => "Array Expression",
        Kind::Hash(_) => "Hash Expression",
        Kind::Paren(_) => "Parenthesized Expression",
        Kind::Not(_) => "'not' expression",
        Kind::Negate(_) => "Unary Minus",
        Kind::Unfold(_) => "Unfold",
        Kind::Binary(op, ..) => return format!("'{}' expression", op.as_str()),
        Kind::And(..) => "'and' expression",
        Kind::Or(..) => "'or' expression",
        Kind::Assign(op, ..) => return format!("'{}' expression", op.as_str()),
        Kind::Relation { rest, .. } => {
            return format!("'{}' expression", rest.last().map_or("->", |(op, ..)| op.as_str()));
        }
        Kind::Access(..) => "'[]' expression",
        Kind::Member(..) => "'.' expression",
        Kind::Call(call) if call.is_method => "Method call",
        Kind::Call(_) => "Function Call",
        Kind::Selector(..) => "Selector Expression",
        Kind::If { unless: false, .. } => "'if' statement",
        Kind::If { .. } => "'unless' Statement",
        Kind::Case(..) => "'case' statement",
        Kind::Block(_) => "Block Expression",
        Kind::Lambda(_) => "Lambda",
        Kind::Class(_) => "Host Class Definition",
        Kind::Define(_) => "'define' expression",
        Kind::Node(_) => "Node Definition",
        Kind::Function(_) => "Function Definition",
        Kind::TypeAlias(_) => "Type Alias",
        Kind::TypeMapping(..) => "Type Mapping",
        Kind::TypeDefinition(_) | Kind::ArmType(_) => "Type Definition",
        Kind::Resource(resource) => match resource.form {
            Form::Regular => "Resource Statement",
            Form::Virtual => "Virtual Resource Statement",
            Form::Exported => "Exported Resource Statement",
        },
        Kind::Defaults(_) => "Resource Defaults Expression",
        Kind::Override(_) => "Resource Override",
        Kind::Collect(collect) if collect.exported => "Exported Query",
        Kind::Collect(_) => "Virtual Query",
        Kind::Epp(_) => "Epp Template",
        Kind::Render(_) => "Epp Interpolated Expression",
        Kind::RenderText(_) => "Epp Text",
    }
    .into()
}

/// The label with its article.
pub fn a(expr: &Expr) -> String {
    article(&label(expr))
}

/// A text with `a` or `an` before it.
pub fn article(text: &str) -> String {
    let first = text.trim_start_matches(['\'', '"']).chars().next().unwrap_or('x').to_ascii_lowercase();
    format!("{} {text}", if "aeiou".contains(first) { "an" } else { "a" })
}

/// The same at the start of a sentence.
pub fn capital(expr: &Expr) -> String {
    let text = a(expr);
    format!("A{}", &text[1..])
}

/// The keyword of a definition that a word was probably meant to be: one with a slip, or that of another language.
pub fn definition_word(word: &str) -> Option<&'static str> {
    const OTHERS: [(&str, &str); 13] = [
        ("typedef", "type"),
        ("alias", "type"),
        ("defined", "define"),
        ("definition", "define"),
        ("resource", "define"),
        ("func", "function"),
        ("def", "function"),
        ("fn", "function"),
        ("fun", "function"),
        ("role", "class"),
        ("profile", "class"),
        ("module", "class"),
        ("host", "node"),
    ];
    let other = OTHERS.iter().find(|(other, _)| *other == word).map(|(_, ours)| *ours);
    other.or_else(|| crate::diag::nearest(word, ["class", "define", "function", "type", "node"]))
}
