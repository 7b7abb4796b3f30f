//! `iter`: functions over lists.

use super::call::{Call, Failure};
use super::{Function, limits};
use crate::lang::mcl::value::Value;

/// The functions of the module `iter`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "filter",
        &["func(list []?1, fn func(?1) bool) []?1"],
        "The items for which a function returns true.",
        &[("iter.filter([1, 5, 2], func($x) { $x > 1 })", "[5, 2]")],
        filter,
    ),
    Function::new(
        "flatten",
        &["func(lists [][]?1) []?1"],
        "The items of all lists in one.",
        &[("iter.flatten([[1], [], [2, 3]])", "[1, 2, 3]")],
        flatten,
    ),
    Function::new(
        "map",
        &["func(list []?1, fn func(?1) ?2) []?2"],
        "The results of a function for each item.",
        &[("iter.map([1, 2], func($x) { $x + 10 })", "[11, 12]")],
        |call| {
            let mapped: Result<_, _> =
                call.list(0)?.iter().map(|item| (call.apply)(&call.args[1], std::slice::from_ref(item))).collect();
            Ok(Value::list(mapped?))
        },
    ),
    Function::new(
        "range",
        &["func(stop int) []int", "func(start int, stop int) []int", "func(start int, stop int, step int) []int"],
        "The numbers from `start` (default 0) to before `stop`, by `step` (default 1).",
        &[("iter.range(3)", "[0, 1, 2]"), ("iter.range(5, 0, -2)", "[5, 3, 1]")],
        range,
    ),
    Function::new(
        "reduce",
        &["func(list []?1, fn func(?1, ?1) ?1) ?1", "func(init ?1, list []?1, fn func(?1, ?1) ?1) ?1"],
        "Combines all items with a function of the previous result and the next item.",
        &[
            ("iter.reduce([1, 2, 3], func($so_far, $x) { $so_far + $x })", "6"),
            ("iter.reduce(10, [1, 2], func($so_far, $x) { $so_far - $x })", "7"),
        ],
        reduce,
    ),
    Function::new(
        "zip",
        &["func(first []?1, second []?2, fn func(?1, ?2) ?3) []?3"],
        "The results of a function for each pair of items at the same position; stops with the shorter list.",
        &[("iter.zip([1, 2, 3], [10, 20], func($x, $y) { $x + $y })", "[11, 22]")],
        |call| {
            let pairs = call.list(0)?.iter().zip(call.list(1)?);
            let zipped: Result<_, _> =
                pairs.map(|(x, y)| (call.apply)(&call.args[2], &[x.clone(), y.clone()])).collect();
            Ok(Value::list(zipped?))
        },
    ),
];

fn filter(call: &mut Call) -> Result<Value, Failure> {
    let mut kept = Vec::new();
    for item in call.list(0)? {
        match (call.apply)(&call.args[1], std::slice::from_ref(item))? {
            Value::Bool(true) => kept.push(item.clone()),
            Value::Bool(false) => {}
            other => return Err(Failure::fatal(format!("the function returned a {}, expected a bool", other.kind()))),
        }
    }
    Ok(Value::list(kept))
}

fn flatten(call: &mut Call) -> Result<Value, Failure> {
    let mut flat = Vec::new();
    for list in call.list(0)? {
        match list {
            Value::List(items) => flat.extend_from_slice(items),
            other => return Err(Failure::fatal(format!("flatten needs lists, not a {}", other.kind()))),
        }
        limits::items(flat.len())?;
    }
    Ok(Value::list(flat))
}

fn range(call: &mut Call) -> Result<Value, Failure> {
    let (start, stop, step) = match call.args.len() {
        1 => (0, call.int(0)?, 1),
        2 => (call.int(0)?, call.int(1)?, 1),
        _ => (call.int(0)?, call.int(1)?, call.int(2)?),
    };
    let span = if step > 0 { stop as i128 - start as i128 } else { start as i128 - stop as i128 };
    let count = match step {
        0 => return Err(Failure::fatal("the step must not be 0")),
        step if span > 0 => (span as u128).div_ceil(step.unsigned_abs().into()),
        _ => 0,
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    call.items_fit(count)?;
    // Every number is between start and stop, so none of the sums can overflow.
    Ok(Value::list((0..count as i64).map(|n| Value::Int(start + n * step)).collect()))
}

fn reduce(call: &mut Call) -> Result<Value, Failure> {
    let (first, items) = match call.args.len() {
        2 => match call.list(0)?.split_first() {
            Some((first, rest)) => (first.clone(), rest),
            None => return Err(Failure::fatal("an empty list cannot be reduced without a first value")),
        },
        _ => (call.arg(0)?.clone(), call.list(1)?),
    };
    let function = call.arg(call.args.len() - 1)?;
    items.iter().try_fold(first, |so_far, item| (call.apply)(function, &[so_far, item.clone()]))
}
