//! `example` and `example/nested`: example modules of functions. A class and a variable are in `native`.

use super::Function;
use super::call::Failure;
use crate::lang::mcl::value::Value;

/// The functions of the module `example`.
pub static FUNCTIONS: &[Function] = &[
    Function::new("answer", &["func() int"], "42.", &[("example.answer()", "42")], |_| Ok(Value::Int(42))),
    Function::new(
        "errorbool",
        &["func(fails bool) str"],
        "A string, or an error when the argument is true.",
        &[("len(example.errorbool(false))", "38")],
        |call| match call.bool(0)? {
            true => Err(Failure::fatal("requested error")),
            false => Ok(Value::str("set input to true to generate an error")),
        },
    ),
    Function::new("flipflop", &["func() bool"], "A bool that changes over time.", &[], |_| Ok(Value::Bool(false))),
    Function::new(
        "int2str",
        &["func(value int) str"],
        "A number in decimal.",
        &[("example.int2str(7)", "\"7\"")],
        |call| Ok(Value::str(call.int(0)?.to_string())),
    ),
    Function::new("nativeanswer", &["func() int"], "42.", &[("example.nativeanswer()", "42")], |_| Ok(Value::Int(42))),
    Function::new(
        "plus",
        &["func(first str, second str) str"],
        "Joins two strings.",
        &[("example.plus(\"a\", \"b\")", "\"ab\"")],
        |call| {
            let (first, second) = (call.bytes(0)?, call.bytes(1)?);
            call.text_fits(first.len() + second.len())?;
            Ok(Value::text([first, second].concat()))
        },
    ),
    Function::new(
        "str2int",
        &["func(text str) int"],
        "Reads a number in decimal; 0 for anything else.",
        &[("example.str2int(\"7\")", "7"), ("example.str2int(\"x\")", "0")],
        |call| Ok(Value::Int(call.str(0)?.parse().unwrap_or_default())),
    ),
    Function::new("test1", &["func() int"], "42.", &[("example.test1()", "42")], |_| Ok(Value::Int(42))),
    Function::new(
        "vumeter",
        &["func(symbol str, multiplier int, peak float) str"],
        "A volume bar; always silent here.",
        &[("example.vumeter(\"=\", 10, 0.9)", "\"\"")],
        |_| Ok(Value::str("")),
    ),
];

/// The functions of the module `example/nested`.
pub static NESTED: &[Function] =
    &[Function::new("hello", &["func() str"], "A greeting.", &[("nested.hello()", "\"Hello!\"")], |_| {
        Ok(Value::str("Hello!"))
    })];
