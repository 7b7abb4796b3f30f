//! `map`: maps as they are.

use super::Function;
use super::global::map_lookup;
use crate::lang::mcl::value::Value;

/// The functions of the module `map`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "keys",
        &["func(map map{?1: ?2}) []?1"],
        "The keys, sorted.",
        &[("map.keys({\"b\" => 1, \"a\" => 2})", "[\"a\", \"b\"]")],
        |call| Ok(Value::list(call.map(0)?.keys().cloned().collect())),
    ),
    Function::new(
        "lookup",
        &["func(map map{?1: ?2}, key ?1) ?2"],
        "The value of a key; the same as `map[key]`.",
        &[("map.lookup({\"a\" => 1}, \"a\")", "1"), ("map.lookup({\"a\" => 1}, \"b\") <|> 0", "0")],
        map_lookup,
    ),
    Function::new(
        "values",
        &["func(map map{?1: ?2}) []?2"],
        "The values, in the order of their keys.",
        &[("map.values({\"b\" => 1, \"a\" => 2})", "[2, 1]")],
        |call| Ok(Value::list(call.map(0)?.values().cloned().collect())),
    ),
];
