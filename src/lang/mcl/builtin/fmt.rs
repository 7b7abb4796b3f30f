//! `fmt`: text from a format and values.

use std::fmt::Write;

use super::call::{Call, Failure};
use super::{Function, Typing, limits};
use crate::lang::mcl::print::{Decimal, Quoted, TypeOf};
use crate::lang::mcl::value::Value;

/// The functions of the module `fmt`.
pub static FUNCTIONS: &[Function] = &[Function::new(
    "printf",
    &["func(format str) str"],
    "Formats values: `%d` (int), `%s` (str), `%q` (str, quoted), `%f` (float), `%t` (bool), \
     `%v` (any value), `%T` (the type of any value); `%%` is a percent sign.",
    &[
        ("fmt.printf(\"%s has %d\", \"web\", 2)", "\"web has 2\""),
        ("fmt.printf(\"%v %f%%\", [1, 2], 2.50)", "\"[1, 2] 2.5%\""),
        ("fmt.printf(\"%T\", struct{a => [1]})", "\"struct{a []int}\""),
        ("fmt.printf(\"%q\", \"a\\\"b\")", "\"\\\"a\\\\\\\"b\\\"\""),
    ],
    printf,
)
.typed(Typing::Format)];

/// A piece of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Verb(Verb),
}

/// A verb, with the kinds of values that it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Bool,
    Str,
    Quoted,
    Int,
    Float,
    Any,
    Type,
}

impl Verb {
    const ALL: [Verb; 7] = [Verb::Bool, Verb::Str, Verb::Quoted, Verb::Int, Verb::Float, Verb::Any, Verb::Type];

    fn of_letter(letter: u8) -> Option<Verb> {
        Self::ALL.into_iter().find(|verb| verb.letter() == char::from(letter))
    }

    /// The letter after the percent sign.
    pub fn letter(self) -> char {
        match self {
            Verb::Bool => 't',
            Verb::Str => 's',
            Verb::Quoted => 'q',
            Verb::Int => 'd',
            Verb::Float => 'f',
            Verb::Any => 'v',
            Verb::Type => 'T',
        }
    }

    /// The kind that the value must have; `None` for any.
    pub fn kind(self) -> Option<&'static str> {
        match self {
            Verb::Bool => Some("bool"),
            Verb::Str | Verb::Quoted => Some("str"),
            Verb::Int => Some("int"),
            Verb::Float => Some("float"),
            Verb::Any | Verb::Type => None,
        }
    }
}

/// A percent sign without a known verb; the byte of the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFormat(pub usize);

/// Parses a format.
pub fn pieces(format: &str) -> Result<Vec<Piece<'_>>, InvalidFormat> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let invalid = InvalidFormat(format.len() - rest.len() + at);
        pieces.push(match rest.as_bytes().get(at + 1) {
            Some(b'%') => Piece::Text("%"),
            Some(letter) => Piece::Verb(Verb::of_letter(*letter).ok_or(invalid)?),
            // A percent sign at the end is dropped.
            None => {
                rest = "";
                break;
            }
        });
        rest = &rest[at + 2..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

fn printf(call: &mut Call) -> Result<Value, Failure> {
    let format = call.str(0)?;
    let pieces = pieces(format)
        .map_err(|InvalidFormat(at)| Failure::fatal(format!("the format {} is invalid at {at}", Quoted(format))))?;
    let mut out = limits::CappedBytes(Vec::with_capacity(format.len()));
    let mut values = call.args.iter().skip(1);
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.write_str(text).map_err(too_long)?,
            Piece::Verb(verb) => {
                let value = values.next().ok_or_else(|| Failure::fatal("the format needs more values"))?;
                write_value(&mut out, verb, value)?;
            }
        }
    }
    // Extra values are refused if the format is known before evaluation, and ignored if it is not.
    Ok(Value::text(out.0))
}

fn too_long(_: std::fmt::Error) -> Failure {
    Failure::fatal(format!("the text would be longer than {} bytes", limits::TEXT))
}

fn write_value(out: &mut limits::CappedBytes, verb: Verb, value: &Value) -> Result<(), Failure> {
    let wrote = match (verb, value) {
        (Verb::Bool, Value::Bool(value)) => write!(out, "{value}"),
        (Verb::Int, Value::Int(value)) => write!(out, "{value}"),
        (Verb::Float, Value::Float(value)) => write!(out, "{}", Decimal(*value)),
        (Verb::Str | Verb::Any, Value::Str(text)) => out.write_str(text),
        (Verb::Str | Verb::Any, Value::Bytes(bytes)) => out.push(bytes),
        (Verb::Quoted, Value::Str(text)) => write!(out, "{}", Quoted(text)),
        (Verb::Quoted, Value::Bytes(_)) => write!(out, "{value}"),
        (Verb::Any, value) => write!(out, "{value}"),
        (Verb::Type, value) => write!(out, "{}", TypeOf(value)),
        (verb, value) => {
            let wanted = verb.kind().unwrap_or("any value");
            return Err(Failure::fatal(format!("the format needs {wanted}, but got a {}", value.kind())));
        }
    };
    wrote.map_err(too_long)
}

#[cfg(test)]
mod tests {
    use super::{InvalidFormat, Piece, Verb, pieces};

    #[test]
    fn formats_come_apart() {
        let want = [Piece::Text("a "), Piece::Verb(Verb::Int), Piece::Text("%"), Piece::Verb(Verb::Type)];
        assert_eq!(pieces("a %d%%%T").unwrap(), want);
        assert_eq!(pieces("é%5d"), Err(InvalidFormat(2)));
        assert_eq!(pieces("%"), Ok(Vec::new()));
        assert_eq!(pieces("100%").expect("a format"), [Piece::Text("100")]);
    }
}
