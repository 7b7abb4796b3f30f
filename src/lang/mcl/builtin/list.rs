//! `list`: lists as they are.

use super::call::{Call, Failure};
use super::global::list_lookup;
use super::{Function, Typing};
use crate::lang::mcl::value::Value;

/// The functions of the module `list`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "concat",
        &["func(list []?1, more []?1) []?1"],
        "The items of all arguments in one list.",
        &[("list.concat([1], [2, 3], [4])", "[1, 2, 3, 4]"), ("list.concat([\"a\"])", "[\"a\"]")],
        concat,
    )
    .typed(Typing::Variadic),
    Function::new(
        "lookup",
        &["func(list []?1, index int) ?1"],
        "The item at an index, from 0; the same as `list[index]`.",
        &[("list.lookup([\"a\", \"b\"], 1)", "\"b\""), ("list.lookup([\"a\"], -1) <|> \"none\"", "\"none\"")],
        list_lookup,
    ),
];

fn concat(call: &mut Call) -> Result<Value, Failure> {
    let lists = (0..call.args.len()).map(|at| call.list(at)).collect::<Result<Vec<_>, _>>()?;
    call.items_fit(lists.iter().map(|list| list.len()).sum())?;
    Ok(Value::list(lists.concat()))
}
