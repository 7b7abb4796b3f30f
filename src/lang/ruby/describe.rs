//! What a Ruby file declares of a resource type. The file is read, not run: only what is written literally is known.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Block, Call, Expr, Kind, Lambda};
use super::{changes, parser, token};
use crate::lang::ruby::Text;

/// A resource type as its file declares it.
#[derive(Debug, Default)]
pub struct RubyType {
    pub name: String,
    pub doc: String,
    pub attributes: Vec<Attribute>,
    /// Patterns that divide a title into attributes.
    pub title_patterns: Vec<String>,
    /// The same with the attributes of their groups, where the file has all of it literally.
    pub titles: Option<Vec<(String, Vec<String>)>>,
    /// Attributes may exist that the file computes.
    pub is_open: bool,
    /// Two resources of one name are the same thing.
    pub is_isomorphic: bool,
    pub relations: Vec<Relation>,
    /// Its code may give resources other attributes than the program does.
    pub changes_attributes: bool,
    /// Parts that only Ruby can carry out, with their lines.
    pub rest: Vec<(u32, String)>,
}

/// Resources that those of a type depend on without a declaration, such as `autorequire(:package) { 'a' }`.
#[derive(Clone, Debug)]
pub struct Relation {
    /// `autorequire`, `autobefore`, `autonotify` or `autosubscribe`.
    pub word: String,
    pub ty: String,
    /// `None` where the code has to run.
    pub targets: Option<Vec<Target>>,
    pub code: Option<Arc<Lambda>>,
    pub line: u32,
}

/// A title, or the attribute whose values are titles.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Title(String),
    Attribute(String),
}

/// A parameter or property of a resource type.
#[derive(Debug, Default)]
pub struct Attribute {
    pub name: String,
    pub is_namevar: bool,
    pub is_boolean: bool,
    /// The whole list is its value.
    pub takes_list: bool,
    pub doc: String,
    pub values: Vec<Allowed>,
    pub default: Option<Literal>,
    /// The default is a symbol.
    pub has_symbol: bool,
    /// A value has a second name.
    pub has_alias: bool,
    /// The type of a type of the Resource API, as Puppet writes it.
    pub ty: Option<String>,
    pub rest: Vec<(u32, String)>,
}

/// A value that an attribute accepts: a word or a pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum Allowed {
    Word(String),
    Pattern(String),
}

/// A value that is written literally in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Text(String),
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl RubyType {
    /// The attribute that names a resource, where it is one.
    pub fn namevar(&self) -> Option<&str> {
        let mut all = self.attributes.iter().filter(|attribute| attribute.is_namevar);
        match (all.next(), all.next()) {
            (Some(one), None) => Some(&one.name),
            _ => None,
        }
    }
}

/// The types that a text declares. `Err` where it is no Ruby that we can read.
pub fn types(text: &str) -> Result<Vec<RubyType>, token::Fault> {
    let tokens = super::lexer::tokens(text, 1)?;
    let program = parser::program(&tokens, true)?;
    let mut found = Vec::new();
    for statement in program.statements() {
        find(statement, &mut found, 0);
    }
    Ok(found)
}

/// Types can be declared inside of a condition or a module, but not deep.
const NESTED: usize = 4;

fn find(expr: &Expr, found: &mut Vec<RubyType>, depth: usize) {
    if depth > NESTED {
        return;
    }
    match &expr.kind {
        Kind::Block(list) => list.iter().for_each(|expr| find(expr, found, depth + 1)),
        Kind::If(_, yes, no) => {
            find(yes, found, depth + 1);
            find(no, found, depth + 1);
        }
        Kind::Assign(_, value) => find(value, found, depth + 1),
        Kind::Call(call) => match (&*call.name, receiver(call)) {
            ("newtype", Some("Puppet::Type" | "Type")) => found.extend(newtype(call)),
            ("register_type", Some("Puppet::ResourceApi")) => found.extend(registered(call)),
            _ => {
                if let Some(receiver) = &call.receiver {
                    find(receiver, found, depth + 1);
                }
            }
        },
        _ => {}
    }
}

fn receiver(call: &Call) -> Option<&str> {
    match &call.receiver.as_ref()?.kind {
        Kind::Const(name) => Some(name),
        _ => None,
    }
}

fn body(call: &Call) -> &[Expr] {
    match &call.block {
        Some(Block::Code(lambda)) => lambda.body.statements(),
        _ => &[],
    }
}

fn newtype(call: &Call) -> Option<RubyType> {
    let name = call.args.first()?.literal()?.to_string();
    let mut ty = RubyType { name, is_isomorphic: true, ..RubyType::default() };
    for statement in body(call) {
        declare(&mut ty, statement, None);
    }
    ty.changes_attributes = body(call).iter().any(changes::in_type);
    if !ty.attributes.iter().any(|attribute| attribute.is_namevar)
        && let Some(name) = ty.attributes.iter_mut().find(|attribute| attribute.name == "name")
    {
        name.is_namevar = true;
    }
    // A later block for the same type replaces the first one.
    let mut seen: FxHashSet<(String, String)> = FxHashSet::default();
    ty.relations.reverse();
    ty.relations.retain(|one| one.ty.is_empty() || seen.insert((one.word.clone(), one.ty.clone())));
    ty.relations.reverse();
    // An attribute that Ruby changes has another value than the program gives it.
    let mut same: FxHashMap<&str, bool> = FxHashMap::default();
    for one in &ty.attributes {
        let is_same = one.default.is_none() && one.rest.iter().all(|(_, what)| what.starts_with("validate"));
        *same.entry(one.name.as_str()).or_insert(true) &= is_same;
    }
    for relation in &mut ty.relations {
        let is_changed = |name: &str| ty.changes_attributes || !same.get(name).copied().unwrap_or_default();
        let changed = |target: &Target| matches!(target, Target::Attribute(name) if is_changed(name));
        relation.targets.take_if(|targets| targets.iter().any(changed));
    }
    Some(ty)
}

/// What is called in the body of a type and declares no attribute.
const OTHER: &str = "\
    feature validate apply_to_device apply_to_host apply_to_all attr_accessor attr_reader attr_writer private \
    protected public require require_relative include raise fail private_class_method";

/// One statement of a type's body. `each` is a block's parameter with the name that it stands for.
fn declare(ty: &mut RubyType, statement: &Expr, each: Option<(&str, &str)>) {
    let line = statement.line;
    match &statement.kind {
        Kind::Assign(place, value) => match (&place.kind, &value.kind) {
            (Kind::Ivar(name), _) if &**name == "doc" => ty.doc = text_of(value),
            (Kind::Ivar(name), Kind::Bool(false)) if &**name == "isomorphic" => ty.is_isomorphic = false,
            _ => {}
        },
        Kind::TitlePatterns(patterns) => {
            patterns_in(patterns, &mut ty.title_patterns, 0);
            ty.titles = titles_in(patterns);
            if ty.title_patterns.is_empty() {
                ty.rest.push((line, "title_patterns".into()));
            }
        }
        Kind::Unread(what) => ty.rest.push((line, what.clone())),
        Kind::Name(name) if &**name == "ensurable" => ty.attributes.push(ensurable(&[])),
        Kind::Call(call) if call.receiver.is_none() => match &*call.name {
            "desc" => ty.doc = call.args.first().map(text_of).unwrap_or_default(),
            "ensurable" => ty.attributes.push(ensurable(body(call))),
            "newparam" | "newproperty" | "newcheck" => match attribute(call, each) {
                Some(attribute) => {
                    ty.attributes.retain(|have| have.name != attribute.name);
                    ty.attributes.push(attribute);
                }
                None => open(ty, line, &call.name),
            },
            "newmetaparam" => {}
            "autorequire" | "autobefore" | "autonotify" | "autosubscribe" => {
                ty.rest.push((line, described(call)));
                let other = call.args.first().and_then(Expr::literal).map(|name| name.to_lowercase());
                let targets = match body(call) {
                    [one] => targets(one).filter(|_| other.is_some()),
                    _ => None,
                };
                let ty_name = other.unwrap_or_default();
                // A class is of no resource type, so Puppet does not find it.
                if ty_name != "class" {
                    let code = match &call.block {
                        Some(Block::Code(lambda)) => Some(lambda.clone()),
                        _ => None,
                    };
                    ty.relations.push(Relation { word: call.name.to_string(), ty: ty_name, targets, code, line });
                }
            }
            name if OTHER.split(' ').any(|other| other == name) => ty.rest.push((line, described(call))),
            name => open(ty, line, name),
        },
        Kind::Call(call) => {
            let is_harmless = |call| receiver(call).is_some_and(|name| name.starts_with("Puppet"));
            let is_known = each_of(ty, call) || is_harmless(call);
            if !is_known {
                open(ty, line, &call.name);
            }
        }
        Kind::If(..) | Kind::Case(..) | Kind::While(..) | Kind::For(..) => open(ty, line, "a condition or loop"),
        _ => {}
    }
}

/// What a block gives that is written literally: a title, `self[:attribute]`, or a list of them.
fn targets(value: &Expr) -> Option<Vec<Target>> {
    match &value.kind {
        Kind::Array(list) => list.iter().map(targets).collect::<Option<Vec<_>>>().map(|lists| lists.concat()),
        Kind::Call(call) if &*call.name == "[]" => {
            match (call.receiver.as_ref().map(|one| &one.kind), &call.args[..]) {
                (Some(Kind::Myself), [name]) => Some(vec![Target::Attribute(name.literal()?.to_string())]),
                _ => None,
            }
        }
        _ => Some(vec![Target::Title(value.literal()?.to_string())]),
    }
}

/// Attributes may be hidden behind this.
fn open(ty: &mut RubyType, line: u32, what: &str) {
    ty.is_open = true;
    ty.rest.push((line, what.to_owned()));
}

/// `[:a, :b].each do |name| newparam(name) … end`
fn each_of(ty: &mut RubyType, call: &Call) -> bool {
    let Some(Kind::Array(list)) = call.receiver.as_ref().map(|receiver| &receiver.kind) else { return false };
    let Some(Block::Code(lambda)) = call.block.as_ref().filter(|_| &*call.name == "each") else { return false };
    let [super::ast::Param::Name(param)] = &lambda.params[..] else { return false };
    let names: Option<Vec<&Text>> = list.iter().map(Expr::literal).collect();
    let Some(names) = names else { return false };
    for name in names {
        for statement in lambda.body.statements() {
            declare(ty, statement, Some((param, name)));
        }
    }
    true
}

fn option<'e>(call: &'e Call, name: &str) -> Option<&'e Expr> {
    let Kind::Hash(pairs) = &call.args.last()?.kind else { return None };
    entry(pairs, name)
}

fn attribute(call: &Call, each: Option<(&str, &str)>) -> Option<Attribute> {
    let first = call.args.first()?;
    let name = match (&first.kind, each) {
        (Kind::Name(name), Some((param, value))) if &**name == param => value.to_owned(),
        _ => first.literal()?.to_string(),
    };
    let is_true = |name| option(call, name).is_some_and(|value| matches!(value.kind, Kind::Bool(true)));
    let mut made = Attribute {
        name,
        is_namevar: is_true("namevar"),
        is_boolean: is_true("boolean"),
        takes_list: option(call, "array_matching").and_then(Expr::literal).is_some_and(|value| &**value == "all"),
        ..Attribute::default()
    };
    if let Some(parent) = option(call, "parent") {
        match &parent.kind {
            Kind::Const(name) if name.ends_with("::Boolean") => made.is_boolean = true,
            Kind::Const(name) => made.rest.push((parent.line, format!("what it inherits from {name}"))),
            _ => made.rest.push((parent.line, "its parent".into())),
        }
    }
    for statement in body(call) {
        describe(&mut made, statement);
    }
    let words: Vec<&str> =
        made.values.iter().map(|value| if let Allowed::Word(word) = value { word } else { "" }).collect();
    if words.len() == 2 && words.contains(&"true") && words.contains(&"false") {
        made.is_boolean = true;
    }
    Some(made)
}

fn ensurable(statements: &[Expr]) -> Attribute {
    let mut made = Attribute { name: "ensure".into(), ..Attribute::default() };
    for statement in statements {
        describe(&mut made, statement);
    }
    if made.values.is_empty() {
        made.values = ["present", "absent"].map(|word| Allowed::Word(word.into())).into();
    }
    made
}

/// One statement of an attribute's body.
fn describe(made: &mut Attribute, statement: &Expr) {
    let line = statement.line;
    match &statement.kind {
        Kind::Name(name) if &**name == "isnamevar" => made.is_namevar = true,
        Kind::Name(name) if &**name == "defaultvalues" => {
            made.values.extend(["present", "absent"].map(|word| Allowed::Word(word.into())));
        }
        Kind::Name(_) => {}
        Kind::Call(call) if call.receiver.is_none() => match &*call.name {
            "desc" => made.doc = call.args.first().map(text_of).unwrap_or_default(),
            "newvalues" | "newvalue" => {
                for value in &call.args {
                    match allowed(value) {
                        Some(value) => made.values.push(value),
                        None if matches!(value.kind, Kind::Hash(_)) => {}
                        None => made.rest.push((value.line, format!("a computed value of {}", call.name))),
                    }
                }
                if call.block.is_some() {
                    made.rest.push((line, described(call)));
                }
            }
            "aliasvalue" => {
                made.has_alias = true;
                made.values.extend(call.args.first().and_then(allowed));
            }
            "defaultto" => {
                let value = call.args.first().or(match body(call) {
                    [one] => Some(one),
                    _ => None,
                });
                made.has_symbol = value.is_some_and(|value| matches!(value.kind, Kind::Symbol(_)));
                match value.map(literal) {
                    Some(Some(value)) => made.default = Some(value),
                    Some(None) if value.is_some_and(|value| matches!(value.kind, Kind::Nil)) => {}
                    _ => made.rest.push((line, "a computed default".into())),
                }
            }
            _ => made.rest.push((line, described(call))),
        },
        Kind::Call(call) => made.rest.push((line, described(call))),
        Kind::Unread(what) => made.rest.push((line, what.clone())),
        Kind::Assign(..) | Kind::Change(..) => made.rest.push((line, "an assignment".into())),
        _ => made.rest.push((line, "code".into())),
    }
}

/// A call as a note names it: its name and its first literal argument.
fn described(call: &Call) -> String {
    match call.args.first().and_then(Expr::literal) {
        Some(first) => format!("{} {first}", call.name),
        None => call.name.to_string(),
    }
}

fn allowed(value: &Expr) -> Option<Allowed> {
    match &value.kind {
        Kind::Regexp(parts, _) => match &parts[..] {
            [] => Some(Allowed::Pattern(String::new())),
            [one] => one.literal().map(|text| Allowed::Pattern(text.to_string())),
            _ => None,
        },
        _ => literal(value).map(|value| {
            Allowed::Word(match value {
                Literal::Text(text) => text,
                Literal::Bool(value) => value.to_string(),
                Literal::Int(number) => number.to_string(),
                Literal::Float(number) => number.to_string(),
            })
        }),
    }
}

fn literal(value: &Expr) -> Option<Literal> {
    Some(match &value.kind {
        Kind::Bool(value) => Literal::Bool(*value),
        Kind::Int(number) => Literal::Int(*number),
        Kind::Float(number) => Literal::Float(*number),
        _ => Literal::Text(value.literal()?.to_string()),
    })
}

/// A text without its margin; what is interpolated is left out.
fn text_of(value: &Expr) -> String {
    let text = match &value.kind {
        Kind::Interpolated(parts) => parts.iter().filter_map(Expr::literal).map(|text| &**text).collect(),
        Kind::Call(call) => match &call.receiver {
            Some(receiver) => return text_of(receiver),
            None => call.args.first().and_then(Expr::literal).map(|text| text.to_string()).unwrap_or_default(),
        },
        _ => value.literal().map(|text| text.to_string()).unwrap_or_default(),
    };
    // The first line has no margin where the text begins behind its quote.
    let (first, rest) = match text.split_once('\n') {
        Some((first, rest)) if !first.starts_with(' ') => (first.to_owned() + "\n", rest.to_owned()),
        _ => (String::new(), text),
    };
    (first + &super::literal::without_margin(&rest)).trim().to_owned()
}

fn patterns_in(expr: &Expr, out: &mut Vec<String>, depth: usize) {
    match &expr.kind {
        Kind::Array(list) | Kind::Block(list) if depth < NESTED => {
            list.iter().for_each(|item| patterns_in(item, out, depth + 1));
        }
        Kind::Regexp(parts, _) => {
            if let [one] = &parts[..] {
                out.extend(one.literal().map(|text| text.to_string()));
            }
        }
        _ => {}
    }
}

/// Title patterns with the attributes of their groups: `[[/(.*):(.*)/, [[:name], [:port]]]]`.
fn titles_in(expr: &Expr) -> Option<Vec<(String, Vec<String>)>> {
    let [Expr { kind: Kind::Array(list), .. }] = expr.statements() else { return None };
    let one = |item: &Expr| {
        let Kind::Array(parts) = &item.kind else { return None };
        let [Expr { kind: Kind::Regexp(pattern, options), .. }, Expr { kind: Kind::Array(names), .. }] = &parts[..]
        else {
            return None;
        };
        let [pattern] = &pattern[..] else { return None };
        let pattern = match &**options {
            "" => pattern.literal()?.to_string(),
            options if options.bytes().all(|one| matches!(one, b'i' | b'm' | b'x')) => {
                format!("(?{options}:{})", pattern.literal()?)
            }
            _ => return None,
        };
        // A second part would be code that changes the text.
        let name = |name: &Expr| match &name.kind {
            Kind::Array(list) => match &list[..] {
                [name] => name.literal().map(|name| name.to_string()),
                _ => None,
            },
            _ => None,
        };
        Some((pattern, names.iter().map(name).collect::<Option<Vec<_>>>()?))
    };
    list.iter().map(one).collect()
}

fn entry<'e>(pairs: &'e [(Expr, Expr)], name: &str) -> Option<&'e Expr> {
    pairs.iter().find(|(key, _)| key.literal().is_some_and(|key| &**key == name)).map(|(_, value)| value)
}

/// `Puppet::ResourceApi.register_type(name: …, attributes: { … })`
fn registered(call: &Call) -> Option<RubyType> {
    let Kind::Hash(pairs) = &call.args.first()?.kind else { return None };
    let name = entry(pairs, "name")?.literal()?.to_string();
    let doc = entry(pairs, "docs").or_else(|| entry(pairs, "desc")).map(text_of).unwrap_or_default();
    let mut ty = RubyType { name, doc, is_isomorphic: true, ..RubyType::default() };
    match entry(pairs, "attributes").map(|attributes| &attributes.kind) {
        Some(Kind::Hash(attributes)) => {
            for (key, value) in attributes {
                match (key.literal(), &value.kind) {
                    (Some(name), Kind::Hash(settings)) => ty.attributes.push(api_attribute(name, settings)),
                    _ => open(&mut ty, key.line, "an attribute"),
                }
            }
        }
        _ => open(&mut ty, call.args.first()?.line, "attributes"),
    }
    if let Some(Kind::Array(list)) = entry(pairs, "title_patterns").map(|patterns| &patterns.kind) {
        for item in list {
            if let Kind::Hash(pairs) = &item.kind
                && let Some(pattern) = entry(pairs, "pattern")
            {
                patterns_in(pattern, &mut ty.title_patterns, 0);
            }
        }
    }
    Some(ty)
}

fn api_attribute(name: &str, settings: &[(Expr, Expr)]) -> Attribute {
    let behaviour = entry(settings, "behaviour").or_else(|| entry(settings, "behavior")).and_then(Expr::literal);
    let behaviour = behaviour.map(|word| &**word).unwrap_or_default();
    Attribute {
        name: name.to_owned(),
        is_namevar: behaviour == "namevar",
        doc: entry(settings, "desc").map(text_of).unwrap_or_default(),
        ty: entry(settings, "type").map(text_of),
        default: entry(settings, "default").and_then(literal),
        ..Attribute::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(body: &str) -> RubyType {
        let text = format!("Puppet::Type.newtype(:x) do\n{body}\nend\n");
        types(&text).expect("it can be read").pop().expect("it declares a type")
    }

    #[test]
    fn unreadable_statements_are_skipped() {
        let ty =
            one("def a(b)\n  if c =~ %r{d/e} then f else g end\n  h ? i[:j] : %w[k l]\n  class << self; end\nend\n\
                      newparam(:name, namevar: true) { munge { |v| v = 1 if v; @w ||= <<-E.strip\n  x\n  E\n } }\n\
                      newproperty(:y) { newvalue(/^a/) ; newvalues :b, 'c' }");
        assert_eq!(ty.namevar(), Some("name"));
        let values = [Allowed::Pattern("^a".into()), Allowed::Word("b".into()), Allowed::Word("c".into())];
        assert_eq!(ty.attributes.iter().find(|one| one.name == "y").map(|y| &y.values[..]), Some(&values[..]));
        assert!(!ty.is_open);
    }

    #[test]
    fn computed_attributes_open_a_type() {
        assert!(one("newparam(NAME)").is_open);
        assert!(one("LIST.each { |a| newparam(a) }").is_open);
        assert!(!one("[:a, :b].each { |a| newparam(a) }").is_open);
    }

    #[test]
    fn deep_and_broken_texts_are_refused_or_passed_over() {
        for text in
            ["(".repeat(100_000), "[1,".repeat(50_000), "a.b".repeat(50_000), "x = <<E\n".into(), "\"#{".repeat(1000)]
        {
            let _ = types(&text);
            let _ = types(&format!("Puppet::Type.newtype(:x) do\n{text}\nend"));
        }
        assert!(types("Puppet::Type.newtype(:x) do\n  desc \"").is_err());
    }
}
