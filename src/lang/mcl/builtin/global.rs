//! Functions that need no import.

use super::Function;
use super::call::{Call, Failure};
use crate::lang::mcl::eval::operator;
use crate::lang::mcl::value::Value;

/// The functions without a module, such as `len` and `panic`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "concat",
        &["func(first str, second str) str"],
        "Joins two strings.",
        &[("concat(\"web\", \"1\")", "\"web1\"")],
        |call| {
            let (first, second) = (call.bytes(0)?, call.bytes(1)?);
            call.text_fits(first.len() + second.len())?;
            Ok(Value::text([first, second].concat()))
        },
    ),
    Function::new(
        "contains",
        &["func(needle ?1, list []?1) bool"],
        "Whether a list has an item.",
        &[("contains(2, [1, 2, 3])", "true"), ("contains(\"x\", [])", "false")],
        |call| {
            let (needle, items) = (call.arg(0)?, call.list(1)?);
            operator::contains(items, needle, call.budget).map(Value::Bool).ok_or_else(too_large)
        },
    ),
    Function::new(
        "history",
        &["func(value ?1, ms int) ?1"],
        "The value from the given number of milliseconds ago; at the start of a run the current value.",
        &[("history(\"up\", 1000)", "\"up\"")],
        |call| match call.int(1)? {
            ..0 => Err(Failure::fatal("history needs a time that is not negative")),
            age => Ok(call.cells.past.value(call.spot, call.arg(0)?, age.unsigned_abs())),
        },
    ),
    Function::new(
        "len",
        &["func(value ?1) int"],
        "The number of bytes of a string, items of a list, or keys of a map.",
        &[("len(\"héllo\")", "6"), ("len([1, 2])", "2"), ("len({\"a\" => 1})", "1")],
        |call| match call.arg(0)? {
            Value::Str(text) => Ok(Value::Int(text.len() as i64)),
            Value::Bytes(bytes) => Ok(Value::Int(bytes.len() as i64)),
            Value::List(items) => Ok(Value::Int(items.len() as i64)),
            Value::Map(pairs) => Ok(Value::Int(pairs.len() as i64)),
            other => Err(Failure::fatal(format!("a {} has no length", other.kind()))),
        },
    )
    .of_kinds(&["str", "list", "map"]),
    Function::new(
        "list_lookup",
        &["func(list []?1, index int) ?1"],
        "The item at an index, from 0; the same as `list[index]`.",
        &[("list_lookup([\"a\", \"b\"], 1)", "\"b\""), ("list_lookup([\"a\"], 4) <|> \"none\"", "\"none\"")],
        list_lookup,
    ),
    Function::new(
        "map_lookup",
        &["func(map map{?1: ?2}, key ?1) ?2"],
        "The value of a key; the same as `map[key]`.",
        &[("map_lookup({\"a\" => 1}, \"a\")", "1"), ("map_lookup({\"a\" => 1}, \"b\") <|> 0", "0")],
        map_lookup,
    ),
    Function::new(
        "panic",
        &["func(reason ?1) bool"],
        "Stops the evaluation if the argument is true or a string that is not empty.",
        &[],
        |call| match call.arg(0)? {
            Value::Bool(true) => Err(Failure::fatal("the program panicked")),
            Value::Str(reason) if !reason.is_empty() => Err(Failure::fatal(&**reason)),
            Value::Bytes(_) => Err(Failure::fatal(call.arg(0)?.to_string())),
            _ => Ok(Value::Bool(false)),
        },
    )
    .of_kinds(&["bool", "str"]),
    Function::new(
        "panic_debug",
        &["func(panics bool, reason str) bool"],
        "Stops the evaluation with a reason if the first argument is true.",
        &[],
        |call| match call.bool(0)? {
            true => Err(Failure::fatal(call.str(1)?)),
            false => Ok(Value::Bool(false)),
        },
    ),
    Function::new(
        "random1",
        &["func(length int) str"],
        "Random letters and digits, the same during one run.",
        &[],
        random1,
    ),
];

/// Also `list.lookup` and `list[index]`.
pub fn list_lookup(call: &mut Call) -> Result<Value, Failure> {
    let (items, index) = (call.list(0)?, call.int(1)?);
    let item = usize::try_from(index).ok().and_then(|at| items.get(at));
    item.cloned()
        .ok_or_else(|| Failure::catchable(format!("index {index} is out of range: the list has {} items", items.len())))
}

/// Also `map.lookup` and `map[key]`.
pub fn map_lookup(call: &mut Call) -> Result<Value, Failure> {
    let (pairs, key) = (call.map(0)?, call.arg(1)?);
    operator::measure(key, call.budget).ok_or_else(too_large)?;
    let missing = || Failure::catchable(format!("the map has no key {}", operator::brief(key)));
    pairs.get(key).cloned().ok_or_else(missing)
}

fn too_large() -> Failure {
    Failure { spent: true, ..Failure::fatal("too large to compare") }
}

fn random1(call: &mut Call) -> Result<Value, Failure> {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let length = call.int(0)?;
    let Some(length) = u32::try_from(length).ok().filter(|length| *length < 1 << 16) else {
        return Err(Failure::fatal(format!("random1 returns 0 to 65535 letters, not {length}")));
    };
    // Two bytes per letter make the first letters of the table more likely by less than one in a thousand.
    let bytes = call.random("random1", 0, length * 2)?;
    let letter = |pair: &[u8]| {
        let number = pair.iter().fold(0, |number, byte| number << 8 | usize::from(*byte));
        char::from(LETTERS[number % LETTERS.len()])
    };
    Ok(Value::str(bytes.chunks(2).map(letter).collect::<String>()))
}
