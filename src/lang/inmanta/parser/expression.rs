//! Expressions.

use std::sync::Arc;

use super::super::ast::{Arguments, Kind, NodeId, Operator, Word};
use super::super::error::{Class, Raise, Result};
use super::super::names::Sym;
use super::super::token::{Compare, Keyword, Tok};
use super::super::value::Value;
use super::Parser;
use crate::diag::Code;
use crate::source::Span;

// How tightly operators bind, loosest first.
const CONDITIONAL: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const POWER: u8 = 7;
const NOT: u8 = 8;
const IN: u8 = 9;

/// What parses a variable, an attribute or a path of names.
enum Path {
    Variable(Word),
    Class(Word),
}

impl Parser<'_> {
    pub(super) fn starts_expression(&self) -> bool {
        match self.tok() {
            Tok::Id(_)
            | Tok::Class(_)
            | Tok::Int(_)
            | Tok::BigInt(_)
            | Tok::Float(_)
            | Tok::Str(_)
            | Tok::RawStr(_)
            | Tok::FormatStr(_)
            | Tok::LongStr(_)
            | Tok::Regex(_) => true,
            Tok::Char(byte) => matches!(byte, b'(' | b'[' | b'{'),
            Tok::Keyword(keyword) => {
                matches!(keyword, Keyword::Null | Keyword::True | Keyword::False | Keyword::Not)
            }
            _ => false,
        }
    }

    /// An expression whose operators bind at least this tightly.
    pub(super) fn expression(&mut self, tightest: u8) -> Result<NodeId> {
        self.deeper(|parser| {
            let (left, _) = parser.primary()?;
            parser.infix(left, tightest)
        })
    }

    /// What follows an operand.
    pub(super) fn infix(&mut self, mut left: NodeId, tightest: u8) -> Result<NodeId> {
        loop {
            let (level, operator) = match self.tok() {
                Tok::Char(b'?') => (CONDITIONAL, None),
                Tok::Keyword(Keyword::Or) => (OR, None),
                Tok::Keyword(Keyword::And) => (AND, None),
                Tok::Compare(compare) => (COMPARE, Some(Operator::Compare(*compare))),
                Tok::Plus => (SUM, Some(Operator::Plus)),
                Tok::Minus => (SUM, Some(Operator::Minus)),
                Tok::Char(b'*') => (PRODUCT, Some(Operator::Times)),
                Tok::Slash => (PRODUCT, Some(Operator::Divide)),
                Tok::Char(b'%') => (PRODUCT, Some(Operator::Modulo)),
                Tok::DoubleStar => (POWER, Some(Operator::Power)),
                Tok::Keyword(Keyword::Not) => (NOT, None),
                Tok::Keyword(Keyword::In) => (IN, Some(Operator::In)),
                _ => return Ok(left),
            };
            if level == NOT && tightest == IN {
                // The operand of a `not` cannot be followed by another `not`.
                return Err(self.unexpected());
            }
            if level < tightest {
                return Ok(left);
            }
            let mark = self.take();
            let span = self.joined(self.ast.span(left), mark);
            left = match operator {
                Some(operator) => {
                    let right = self.expression(level + 1)?;
                    self.add(Kind::Binary { operator, left, right }, span, &[left, right])?
                }
                None if level == NOT => {
                    self.expect_keyword(Keyword::In)?;
                    let right = self.expression(IN + 1)?;
                    let inner = Kind::Binary { operator: Operator::In, left, right };
                    let inner = self.add(inner, span, &[left, right])?;
                    self.add(Kind::Not(inner), span, &[inner])?
                }
                None if level == CONDITIONAL => {
                    let yes = self.expression(0)?;
                    self.expect_char(b':')?;
                    let no = self.expression(0)?;
                    let condition = left;
                    let span = self.ast.span(condition);
                    self.add(Kind::Conditional { condition, yes, no }, span, &[condition, yes, no])?
                }
                None => {
                    let right = self.expression(level + 1)?;
                    let kind = if level == OR { Kind::Or(left, right) } else { Kind::And(left, right) };
                    self.add(kind, span, &[left, right])?
                }
            };
        }
    }

    /// An operand, and whether it is a variable or an attribute that can be assigned to.
    pub(super) fn primary(&mut self) -> Result<(NodeId, bool)> {
        let span = self.span();
        let value = match self.tok().clone() {
            Tok::Id(_) | Tok::Class(_) => {
                return match self.path()? {
                    Path::Variable(word) => self.after_variable(word),
                    Path::Class(word) => Ok((self.after_class(word)?, false)),
                };
            }
            Tok::Keyword(Keyword::Not) => {
                self.take();
                let operand = self.expression(IN)?;
                return Ok((self.add(Kind::Not(operand), span, &[operand])?, false));
            }
            Tok::Char(b'(') => {
                self.take();
                let inner = self.expression(0)?;
                self.expect_char(b')')?;
                return Ok((inner, false));
            }
            Tok::Char(b'[') => return Ok((self.deeper(Self::list)?, false)),
            Tok::Char(b'{') => return Ok((self.deeper(Self::dict)?, false)),
            Tok::Str(_) | Tok::LongStr(_) | Tok::FormatStr(_) | Tok::RawStr(_) | Tok::Regex(_) => {
                return Ok((self.constant()?, false));
            }
            Tok::Int(number) => Value::Int(number),
            Tok::BigInt(number) => Value::Big(number),
            Tok::Float(number) => Value::Float(number),
            Tok::Keyword(Keyword::Null) => Value::Null,
            Tok::Keyword(Keyword::True) => Value::Bool(true),
            Tok::Keyword(Keyword::False) => Value::Bool(false),
            _ => return Err(self.unexpected()),
        };
        self.take();
        Ok((self.add(Kind::Literal(value), span, &[])?, false))
    }

    /// A constant of the grammar: a number, a string, a pattern or a keyword.
    pub(super) fn constant(&mut self) -> Result<NodeId> {
        let span = self.span();
        match self.tok().clone() {
            Tok::Str(text) => {
                self.take();
                self.string(text, span, 1)
            }
            Tok::LongStr(text) => {
                self.take();
                self.string(text, span, 3)
            }
            Tok::FormatStr(text) => {
                self.take();
                self.format_string(text, span)
            }
            Tok::RawStr(text) => {
                self.take();
                self.add(Kind::Literal(Value::Str(text)), span, &[])
            }
            Tok::Regex(pattern) => {
                self.take();
                self.regex(pattern, span)
            }
            Tok::Int(_)
            | Tok::BigInt(_)
            | Tok::Float(_)
            | Tok::Keyword(Keyword::Null | Keyword::True | Keyword::False) => Ok(self.primary()?.0),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn regex(&mut self, pattern: Arc<str>, span: Span) -> Result<NodeId> {
        let name = self.names.sym("self");
        let of = self.add(Kind::Name(name), span, &[])?;
        self.add(Kind::Regex { pattern, of }, span, &[of])
    }

    /// Names joined by `::`; the last may be a class.
    fn path(&mut self) -> Result<Path> {
        let first = match *self.tok() {
            Tok::Class(sym) => return Ok(Path::Class(Word { sym, span: self.take() })),
            _ => self.expect_id()?,
        };
        let (mut joined, mut word) = (String::new(), first);
        while matches!(self.tok(), Tok::Separator) {
            self.take();
            let (part, is_class) = match *self.tok() {
                Tok::Id(sym) => (sym, false),
                Tok::Class(sym) => (sym, true),
                _ => return Err(self.unexpected()),
            };
            let span = first.span.to(self.take());
            self.join(&mut joined, first.sym, part);
            word.span = span;
            if is_class {
                word.sym = self.names.sym(&joined);
                return Ok(Path::Class(word));
            }
        }
        if !joined.is_empty() {
            word.sym = self.names.sym(&joined);
        }
        Ok(Path::Variable(word))
    }

    /// A name of a plugin, an implementation, a module or a primitive type.
    pub(super) fn plain_path(&mut self) -> Result<Word> {
        if !matches!(self.tok(), Tok::Id(_)) {
            return Err(self.unexpected());
        }
        let first = self.expect_id()?;
        let (mut joined, mut span) = (String::new(), first.span);
        while matches!(self.tok(), Tok::Separator) {
            self.take();
            let part = self.expect_id()?;
            span = first.span.to(part.span);
            self.join(&mut joined, first.sym, part.sym);
        }
        Ok(Word { sym: if joined.is_empty() { first.sym } else { self.names.sym(&joined) }, span })
    }

    /// Adds a part to a path, which is interned as a whole: each of its beginnings would take as much again.
    fn join(&self, joined: &mut String, first: Sym, part: Sym) {
        if joined.is_empty() {
            joined.push_str(self.names.text(first));
        }
        joined.push_str("::");
        joined.push_str(self.names.text(part));
    }

    /// The name of a class. A variable there is an error of its own; `None` says that one was found.
    pub(super) fn class_path(&mut self) -> Result<Option<Word>> {
        if !matches!(self.tok(), Tok::Id(_) | Tok::Class(_)) {
            return Err(self.unexpected());
        }
        match self.path()? {
            Path::Class(word) => Ok(Some(word)),
            Path::Variable(word) => {
                let mut span = word.span;
                while self.is_char(b'.') {
                    self.take();
                    self.attribute_name(&mut span)?;
                }
                Ok(None)
            }
        }
    }

    pub(super) fn expect_class(&mut self) -> Result<Word> {
        match self.class_path()? {
            Some(word) => Ok(word),
            None => Err(self.unexpected()),
        }
    }

    /// The name after a dot; a class there is refused.
    fn attribute_name(&mut self, span: &mut Span) -> Result<Word> {
        let (sym, is_class) = match *self.tok() {
            Tok::Id(sym) => (sym, false),
            Tok::Class(sym) => (sym, true),
            _ => return Err(self.unexpected()),
        };
        let name = Word { sym, span: self.take() };
        *span = span.to(name.span);
        if is_class { Err(self.wrong_access(*span)) } else { Ok(name) }
    }

    /// Whether the text has an assignment to a variable, or a loop with it.
    fn assigns(&self, name: &str) -> bool {
        let name = name.split('.').next().unwrap_or(name);
        name == "self"
            || self.text.lines().any(|line| {
                let rest = line.trim_start();
                let rest = rest.strip_prefix("for ").unwrap_or(rest).strip_prefix(name);
                rest.is_some_and(|rest| rest.trim_start().starts_with('=') || rest.starts_with(" in "))
            })
    }

    fn wrong_access(&self, span: Span) -> Box<Raise> {
        let written = self.text.get(span.range()).unwrap_or_default();
        let text: String = written.chars().filter(|character| !character.is_whitespace()).collect();
        let better = text.replace('.', "::");
        let raise = Raise::placed(
            Class::InvalidNamespaceAccess,
            span,
            format!("Syntax error: invalid namespace access `{text}`: namespaces are joined with `::`, not with `.`"),
        );
        match text.rsplit_once('.') {
            // A lower-case name with arguments: a function of a module, or what other languages call a method.
            Some((value, method)) if self.text[span.range().end..].trim_start().starts_with('(') => {
                let instead = in_place_of_method(value, method);
                if value.contains('.') || self.assigns(value) {
                    let label = format!("`{value}` has no method `{method}`: a value has no methods in Inmanta");
                    return raise.with_code(Code::ForeignWord).with_label(label).with_help(instead);
                }
                raise.with_help(format!("write `{better}(…)`; a value has no methods: {instead}"))
            }
            // A variable of this file, with an attribute.
            Some((value, name)) if value.starts_with(char::is_lowercase) && self.assigns(value) => {
                let lower: String =
                    name.chars().take(1).flat_map(char::to_lowercase).chain(name.chars().skip(1)).collect();
                raise.with_help(format!("attributes begin with a small letter: write `{value}.{lower}`"))
            }
            _ => raise.with_help(format!("write `{better}`")),
        }
    }

    fn after_variable(&mut self, word: Word) -> Result<(NodeId, bool)> {
        if self.is_char(b'(') {
            return Ok((self.call(word)?, false));
        }
        let is_single = !self.names.is_path(word.sym);
        if is_single && self.is_keyword(Keyword::Is) {
            self.take();
            self.expect_keyword(Keyword::Defined)?;
            return Ok((self.add(Kind::IsDefined { of: None, name: word.sym }, word.span, &[])?, false));
        }
        let mut span = word.span;
        let mut node = self.add(Kind::Name(word.sym), word.span, &[])?;
        let mut last: Option<(NodeId, Word)> = None;
        while self.is_char(b'.') {
            let dot = self.take();
            let name = self.attribute_name(&mut span)?;
            let place = self.joined(dot, name.span);
            if self.take_keyword(Keyword::Is).is_some() {
                self.expect_keyword(Keyword::Defined)?;
                let kind = Kind::IsDefined { of: Some(node), name: name.sym };
                return Ok((self.add(kind, place, &[node])?, false));
            }
            let of = node;
            node = self.add(Kind::Attribute { of, name }, if place == name.span { dot } else { place }, &[of])?;
            last = Some((of, name));
        }
        if self.is_char(b'(') && last.is_some() {
            self.take();
            self.arguments(true)?;
            return Err(if self.may_follow_expression() { self.wrong_access(span) } else { self.unexpected() });
        }
        if !self.is_char(b'[') {
            return Ok((node, true));
        }
        if let Some((of, relation)) = last
            && self.starts_query()
        {
            let bracket = self.take();
            let (_, query) = self.arguments_until(b']', false)?;
            let children: Vec<_> = query.named.iter().map(|(_, node)| *node).chain(query.spread.clone()).collect();
            let span = self.joined(span, bracket);
            let node = self.add(Kind::ShortIndexLookup { of, relation, query: query.into() }, span, &children)?;
            return Ok((node, false));
        }
        let mut is_looked_up = false;
        while self.is_char(b'[') {
            self.take();
            let key = self.expression(0)?;
            self.expect_char(b']')?;
            let map = node;
            let span = self.start_of(map);
            node = self.add(Kind::Lookup { map, key }, span, &[map, key])?;
            is_looked_up = true;
        }
        if is_looked_up && self.is_keyword(Keyword::Is) {
            let place = self.take();
            self.expect_keyword(Keyword::Defined)?;
            return Ok((self.key_is_defined(node, place)?, false));
        }
        Ok((node, false))
    }

    /// `d["k"] is defined`: the key is there, and its value is neither null nor an empty list.
    fn key_is_defined(&mut self, lookup: NodeId, place: Span) -> Result<NodeId> {
        let Kind::Lookup { map, key } = *self.ast.kind(lookup) else { return Ok(lookup) };
        let kind = Kind::Binary { operator: Operator::In, left: key, right: map };
        let has_key = self.add(kind, place, &[key, map])?;
        let different = Operator::Compare(Compare::NotEqual);
        let null = self.add(Kind::Literal(Value::Null), place, &[])?;
        let kind = Kind::Binary { operator: different, left: lookup, right: null };
        let not_null = self.add(kind, place, &[lookup])?;
        let empty = self.add(Kind::List(Vec::new()), place, &[])?;
        let kind = Kind::Binary { operator: different, left: lookup, right: empty };
        let not_empty = self.add(kind, place, &[lookup])?;
        let both = self.add(Kind::And(has_key, not_null), place, &[has_key, not_null])?;
        self.add(Kind::And(both, not_empty), place, &[both, not_empty])
    }

    fn after_class(&mut self, class: Word) -> Result<NodeId> {
        let is_lookup = self.is_char(b'[');
        if !is_lookup && !self.is_char(b'(') {
            return Err(self.unexpected());
        }
        let open = self.take();
        let (_, arguments) = self.arguments_until(if is_lookup { b']' } else { b')' }, false)?;
        let span = self.joined(class.span, open);
        let children: Vec<_> =
            arguments.named.iter().map(|(_, node)| *node).chain(arguments.spread.iter().copied()).collect();
        if is_lookup {
            return self.add(Kind::IndexLookup { class, query: arguments.into() }, span, &children);
        }
        for (at, (word, _)) in arguments.named.iter().enumerate() {
            if arguments.named[..at].iter().any(|(other, _)| other.sym == word.sym) {
                let message = format!(
                    "The attribute {} in the constructor call of {} is already set.",
                    self.names.text(word.sym),
                    self.names.text(class.sym)
                );
                let first = arguments.named[..at].iter().find(|(other, _)| other.sym == word.sym);
                let mut raise = Raise::at(Class::Runtime, span, message).with_code(Code::DuplicateField);
                raise.edit = Some(word.span);
                raise.related.extend(first.map(|(first, _)| (first.span, "first set here".to_string())));
                return Err(raise.with_help("remove one of the two"));
            }
        }
        self.add(Kind::New { class, arguments: arguments.into() }, span, &children)
    }

    fn call(&mut self, name: Word) -> Result<NodeId> {
        self.take();
        let (positional, arguments) = self.arguments(true)?;
        for (at, (word, _)) in arguments.named.iter().enumerate() {
            if arguments.named[..at].iter().any(|(other, _)| other.sym == word.sym) {
                let (argument, function) = (self.names.text(word.sym), self.names.text(name.sym));
                let message = format!("Keyword argument {argument} repeated in function call {function}()");
                return Err(Raise::at(Class::Runtime, name.span, message)
                    .with_code(Code::DuplicateField)
                    .with_edit(word.span)
                    .with_help("remove one of the two"));
            }
        }
        let mut children = positional.clone();
        children.extend(arguments.named.iter().map(|(_, node)| *node));
        children.extend(&arguments.spread);
        self.add(Kind::Call { name, positional, arguments: arguments.into() }, name.span, &children)
    }

    fn arguments(&mut self, with_positional: bool) -> Result<(Vec<NodeId>, Arguments)> {
        self.arguments_until(b')', with_positional)
    }

    /// Whether a bracket after an attribute opens a look-up by index.
    fn starts_query(&self) -> bool {
        match self.next_tok() {
            Tok::DoubleStar | Tok::Char(b']') => true,
            Tok::Id(_) => matches!(self.tokens.get(self.at + 2).map(|token| &token.tok), Some(Tok::Char(b'='))),
            _ => false,
        }
    }

    fn arguments_until(&mut self, close: u8, with_positional: bool) -> Result<(Vec<NodeId>, Arguments)> {
        let mut positional = Vec::new();
        let mut arguments = Arguments::default();
        loop {
            if self.take_char(close).is_some() {
                return Ok((positional, arguments));
            }
            match *self.tok() {
                Tok::DoubleStar => {
                    let mark = self.take();
                    let inner = self.expression(0)?;
                    arguments.spread.push(self.add(Kind::Spread(inner), mark, &[inner])?);
                }
                Tok::Id(sym) if !with_positional || matches!(self.next_tok(), Tok::Char(b'=')) => {
                    let word = Word { sym, span: self.take() };
                    self.expect_char(b'=')?;
                    arguments.named.push((word, self.expression(0)?));
                }
                _ if with_positional => positional.push(self.expression(0)?),
                _ => return Err(self.unexpected()),
            }
            if self.take_char(b',').is_none() {
                self.expect_char(close)?;
                return Ok((positional, arguments));
            }
        }
    }

    fn list(&mut self) -> Result<NodeId> {
        let open = self.take();
        let mut items = Vec::new();
        while !self.is_char(b']') {
            let item = self.expression(0)?;
            if items.is_empty() && self.is_keyword(Keyword::For) && self.edition != super::Edition::V4 {
                return self.comprehension(item, open);
            }
            items.push(item);
            if self.take_char(b',').is_none() {
                break;
            }
        }
        self.expect_char(b']')?;
        self.list_of(items, open)
    }

    /// A list of constants is a constant.
    fn list_of(&mut self, items: Vec<NodeId>, span: Span) -> Result<NodeId> {
        let mut values = Vec::with_capacity(items.len());
        for item in &items {
            match self.ast.kind(*item) {
                Kind::Literal(Value::List(list)) => values.extend(list.iter().cloned()),
                Kind::Literal(value) => values.push(value.clone()),
                _ => {
                    let children = items.clone();
                    return self.add(Kind::List(items), span, &children);
                }
            }
        }
        self.add(Kind::Literal(Value::List(Arc::new(values))), span, &items)
    }

    fn comprehension(&mut self, element: NodeId, open: Span) -> Result<NodeId> {
        let mut loops = Vec::new();
        while self.take_keyword(Keyword::For).is_some() {
            let variable = self.expect_id()?;
            self.expect_keyword(Keyword::In)?;
            loops.push((variable.sym, self.expression(0)?));
        }
        let mut guards = Vec::new();
        while let Some(place) = self.take_keyword(Keyword::If) {
            guards.push((place, self.expression(0)?));
        }
        self.expect_char(b']')?;
        let mut guard = None;
        while let Some((place, condition)) = guards.pop() {
            guard = Some(match guard {
                None => condition,
                Some(rest) => self.add(Kind::And(condition, rest), place, &[condition, rest])?,
            });
        }
        let mut made = element;
        while let Some((variable, list)) = loops.pop() {
            let element = made;
            let guard = guard.take();
            let mut children = vec![element, list];
            children.extend(guard);
            made = self.add(Kind::Comprehension { element, variable, list, guard }, open, &children)?;
        }
        Ok(made)
    }

    pub(super) fn dict(&mut self) -> Result<NodeId> {
        let open = self.expect_char(b'{')?;
        let mut items: Vec<(Arc<str>, NodeId)> = Vec::new();
        while !self.is_char(b'}') {
            let key = match self.tok().clone() {
                Tok::RawStr(key) => key,
                Tok::Str(key) => {
                    if super::text::interpolations(&key).next().is_some() {
                        let message = "String interpolation is not supported in dictionary keys. Use raw string to use \
                                       a key containing double curly brackets";
                        return Err(self.syntax_error(self.span(), message));
                    }
                    key
                }
                _ => return Err(self.unexpected()),
            };
            self.take();
            self.expect_char(b':')?;
            items.push((key, self.expression(0)?));
            if self.take_char(b',').is_none() {
                break;
            }
        }
        self.expect_char(b'}')?;
        self.dict_of(items, open)
    }

    fn dict_of(&mut self, items: Vec<(Arc<str>, NodeId)>, span: Span) -> Result<NodeId> {
        let mut seen = rustc_hash::FxHashMap::default();
        for (key, node) in &items {
            if let Some(first) = seen.insert(key.clone(), *node) {
                let message = format!("duplicate key in dict {key}");
                let raise = Raise::at(Class::Duplicate, self.ast.span(*node), message);
                return Err(raise.with_related(self.ast.span(first), "the key is here already"));
            }
        }
        let children: Vec<_> = items.iter().map(|(_, node)| *node).collect();
        let constants: Option<Vec<(Arc<str>, Value)>> = items
            .iter()
            .map(|(key, node)| match self.ast.kind(*node) {
                Kind::Literal(value) => Some((key.clone(), value.clone())),
                _ => None,
            })
            .collect();
        let kind = match constants {
            Some(constants) => Kind::Literal(Value::dict(constants)),
            None => Kind::Dict(items),
        };
        self.add(kind, span, &children)
    }
}

/// What Inmanta has in place of a method of a value.
fn in_place_of_method(value: &str, method: &str) -> String {
    match method {
        "append" | "add" | "push" | "extend" | "insert" | "update" if !value.contains('.') => {
            format!("a variable has one value: write `NEXT = [{value}, VALUE]`")
        }
        "append" | "add" | "push" | "extend" | "insert" | "update" => {
            format!("write `{value} += VALUE` for a relation; other values are written whole")
        }
        "get" | "fetch" => {
            format!("write `{value}[\"KEY\"]`, and ask `{value}[\"KEY\"] is defined` where it may be missing")
        }
        "items" | "keys" | "values" => format!("write `std::dict_keys({value})`, and `{value}[KEY]`"),
        "each" | "map" | "forEach" | "foreach" | "filter" => {
            format!("write `for NAME in {value}:`, or `[VALUE for NAME in {value} if CONDITION]`")
        }
        "contains" | "includes" | "include" | "has" | "has_key" => format!("write `VALUE in {value}`"),
        "size" | "length" | "len" | "count" => format!("write `std::count({value})`"),
        "format" => "write `f\"{NAME}\"`, or `std::format(TEXT, VALUE)`".into(),
        "first" | "last" | "pop" => format!("write `std::at({value}, NUMBER)`, from 0"),
        "to_s" | "toString" | "str" => format!("write `string({value})`"),
        "to_i" | "toInt" | "int" => format!("write `int({value})`"),
        _ if super::super::std::built_in().iter().any(|function| function.name == method) => {
            format!("write `std::{method}({value})`")
        }
        _ => format!("write a plugin in Python, and call it: `MODULE::{method}({value})`"),
    }
}
