//! YAML as Ruby reads it, with the lines of the top keys. Aliases are shared, and what they expand to is limited.

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, Tag};
use rustc_hash::FxHashMap;

use super::scalar::{self, Scalar};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::{Map, Value};

/// Collections inside of one another.
const MAX_DEPTH: usize = 200;

/// Values of one document, counted as often as aliases repeat them.
const MAX_VALUES: usize = 1_000_000;

/// A document.
#[derive(Debug, Default)]
pub struct Document {
    pub value: Value,
    /// The line of each key of the outermost hash.
    pub lines: FxHashMap<Text, u32>,
    /// Keys of the outermost hash with a symbol in their value, which is no data.
    pub symbols: Vec<Text>,
    /// Keys of the outermost hash with an integer of more than 64 bits in their value.
    pub large: Vec<Text>,
}

impl Document {
    /// Whether it can be data: a hash, or nothing.
    pub fn is_hash_or_empty(&self) -> bool {
        matches!(self.value, Value::Hash(_) | Value::Undef | Value::Bool(false))
    }
}

/// Help for a class of Ruby in data.
const CLASS: &str = "remove the Ruby tag: data holds strings, numbers, lists and hashes";

/// What is wrong with a text, and where: line and column from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub line: u32,
    pub column: u32,
    /// What to do about it, if more than the syntax is wrong.
    pub help: Option<&'static str>,
}

impl Wrong {
    fn at(span: Span, message: impl Into<String>) -> Self {
        let (line, column) = (span.start.line(), span.start.col() + 1);
        Self { message: message.into(), line: line as u32, column: column as u32, help: None }
    }

    fn help(self, help: &'static str) -> Self {
        Self { help: Some(help), ..self }
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

/// A value with what it expands to.
#[derive(Clone, Debug)]
struct Composed {
    value: Value,
    weight: usize,
    has_symbol: bool,
    is_large: bool,
}

/// A collection that is not complete yet.
struct Open {
    anchor: usize,
    span: Span,
    is_hash: bool,
    list: Vec<Value>,
    map: Map,
    key: Option<(Value, u32, bool)>,
    weight: usize,
    has_symbol: bool,
    is_large: bool,
}

#[derive(Default)]
struct Composer {
    open: Vec<Open>,
    anchors: FxHashMap<usize, Composed>,
    document: Document,
    is_done: bool,
}

/// The first document of a text; an empty text is undef.
pub fn read(text: &str) -> Result<Document, Wrong> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut composer = Composer::default();
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| Wrong {
            message: error.info(),
            line: error.marker().line() as u32,
            column: error.marker().col() as u32 + 1,
            help: None,
        })?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        composer.event(event, span)?;
    }
    Ok(composer.document)
}

impl Composer {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Wrong> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let made = scalar_value(&text, style, tag.as_deref(), span)?;
                self.add(made, anchor, span)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(false, anchor, span),
            Event::MappingStart(_, anchor, _) => self.begin(true, anchor, span),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(made) => self.add(made, 0, span),
                None => Err(Wrong::at(span, "an alias inside its own value")
                    .help("remove the alias: a value cannot contain itself")),
            },
            _ => Ok(()),
        }
    }

    fn begin(&mut self, is_hash: bool, anchor: usize, span: Span) -> Result<(), Wrong> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Wrong::at(span, format!("collections are nested more than {MAX_DEPTH} deep"))
                .help("use fewer levels of lists and hashes"));
        }
        let (list, map) = (Vec::new(), Map::default());
        self.open.push(Open {
            anchor,
            span,
            is_hash,
            list,
            map,
            key: None,
            weight: 1,
            has_symbol: false,
            is_large: false,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Wrong> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let value = if open.is_hash { Value::hash(open.map) } else { Value::array(open.list) };
        self.add(
            Composed { value, weight: open.weight, has_symbol: open.has_symbol, is_large: open.is_large },
            open.anchor,
            open.span,
        )
    }

    /// Puts a value where it belongs.
    fn add(&mut self, made: Composed, anchor: usize, span: Span) -> Result<(), Wrong> {
        if anchor != 0 {
            self.anchors.insert(anchor, made.clone());
        }
        let is_top = self.open.len() == 1;
        let Some(open) = self.open.last_mut() else {
            if !self.is_done {
                self.is_done = true;
                self.document.value = made.value;
            }
            return Ok(());
        };
        open.weight = open.weight.saturating_add(made.weight);
        if open.weight > MAX_VALUES {
            return Err(Wrong::at(span, format!("aliases expand to more than {MAX_VALUES} values"))
                .help("use fewer aliases, or write the values where they are used"));
        }
        if !open.is_hash {
            open.has_symbol |= made.has_symbol;
            open.is_large |= made.is_large;
            open.list.push(made.value);
            return Ok(());
        }
        let Some((key, line, is_merge)) = open.key.take() else {
            let is_merge = matches!(&made.value, Value::Str(text) if &**text == "<<");
            open.key = Some((made.value, span.start.line() as u32, is_merge));
            return Ok(());
        };
        if is_merge && merge(&mut open.map, &made.value) {
            return Ok(());
        }
        open.has_symbol |= made.has_symbol;
        open.is_large |= made.is_large;
        if is_top && let Value::Str(name) = &key {
            self.document.lines.insert(name.clone(), line);
            if made.has_symbol {
                self.document.symbols.push(name.clone());
            }
            if made.is_large {
                self.document.large.push(name.clone());
            }
        }
        open.map.insert(key, made.value);
        Ok(())
    }
}

/// Takes in the hashes that `<<` names. `false` where they are none.
fn merge(map: &mut Map, value: &Value) -> bool {
    match value {
        Value::Hash(other) => {
            map.extend(other.iter().map(|(k, v)| (k.clone(), v.clone())));
            true
        }
        Value::Array(list) if list.iter().all(|item| matches!(item, Value::Hash(_))) => {
            list.iter().rev().all(|item| merge(map, item))
        }
        _ => false,
    }
}

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Result<Composed, Wrong> {
    let plain = style == ScalarStyle::Plain;
    let name = tag.map(|tag| (tag.handle(), tag.suffix()));
    let scalar = match name {
        Some((handle, suffix)) if handle.ends_with("yaml.org,2002:") || handle == "!!" => match suffix {
            "str" => Scalar::Value(Value::str(text)),
            "binary" => scalar::binary(text),
            _ => scalar::resolve(text),
        },
        Some((handle, suffix)) if handle.starts_with("!ruby") || suffix.starts_with("ruby/") => {
            return Err(Wrong::at(span, format!("Computed to load unspecified class: {handle}{suffix}")).help(CLASS));
        }
        Some(_) => Scalar::Value(Value::str(text)),
        None if plain => scalar::resolve(text),
        None => Scalar::Value(Value::str(text)),
    };
    match scalar {
        Scalar::Value(value) => Ok(Composed {
            is_large: plain && matches!(value, Value::Str(_)) && scalar::is_integer(text),
            value,
            weight: 1,
            has_symbol: false,
        }),
        Scalar::Symbol(name) => Ok(Composed { value: Value::str(name), weight: 1, has_symbol: true, is_large: false }),
        Scalar::Class(class) => {
            Err(Wrong::at(span, format!("Computed to load unspecified class: {class}")).help(CLASS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::puppet::convert;

    fn inspected(text: &str) -> String {
        convert::inspect(&read(text).expect("it is YAML").value)
    }

    #[test]
    fn scalars_match_rubys_yaml() {
        let text = "[yes, Off, 010, 0x1f, 1_000, '010', ~, null, .5, 1e3, 12:30, \"on\", 1.5, -7, a b, 0b11]";
        let expected = "[true, false, 8, 31, 1000, '010', undef, undef, 0.5, '1e3', 45000, 'on', 1.5, -7, 'a b', 3]";
        assert_eq!(inspected(text), expected);
    }

    #[test]
    fn merge_keys_and_symbols() {
        assert_eq!(
            inspected("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n:c: d\n"),
            "{'a' => {'x' => 1, 'y' => 2}, 'b' => {'x' => 1, 'y' => 3}, 'c' => 'd'}"
        );
        let document = read("a: 1\n\nb: :x\n").expect("it is YAML");
        assert_eq!(document.lines.get("b"), Some(&3));
        assert_eq!(document.symbols, [Text::from("b")]);
    }

    #[test]
    fn bombs_and_knots_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..10 {
            let before = level - 1;
            let refs = vec![format!("*a{before}"); 10].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{refs}]\n"));
        }
        let wrong = read(&bomb).expect_err("it is a bomb");
        assert!(wrong.message.contains("expand to more than"), "{wrong}");
        assert!(read("a: &a [*a]\n").is_err());
        assert!(read(&"[".repeat(5000)).is_err());
        assert!(read("a: 2001-01-01\n").is_err());
        assert!(read("a: @b\n").is_err());
    }
}
