//! `test`: functions that show how evaluation works.

use std::rc::Rc;

use super::Function;
use super::call::{Call, Failure, texts};
use crate::lang::mcl::value::Value;

/// The functions of the module `test`.
pub static FUNCTIONS: &[Function] = &[
    Function::new("fastcount", &["func() int"], "A counter that changes as fast as it can.", &[], |_| {
        Ok(Value::Int(0))
    }),
    Function::new("forkvloop", &["func() map{str: str}"], "A map that changes over time.", &[], |_| {
        Ok(Value::Map(Rc::default()))
    }),
    Function::new("forloop", &["func() []str"], "A list that changes over time.", &[], |_| Ok(texts::<&str>([]))),
    one_instance("one_instance_a", |call| hello(call, "one_instance_a")),
    one_instance("one_instance_b", |call| hello(call, "one_instance_b")),
    one_instance("one_instance_c", |call| hello(call, "one_instance_c")),
    one_instance("one_instance_d", |call| hello(call, "one_instance_d")),
    one_instance("one_instance_e", |call| hello(call, "one_instance_e")),
    one_instance("one_instance_f", |call| hello(call, "one_instance_f")),
    one_instance("one_instance_g", |call| hello(call, "one_instance_g")),
    one_instance("one_instance_h", |call| hello(call, "one_instance_h")),
    Function::new(
        "one_stream",
        &["func(count int) str"],
        "The letter x repeated; an error for a second, different number.",
        &[("test.one_stream(3)", "\"xxx\"")],
        |call| {
            let count = usize::try_from(call.int(0)?).map_err(|_| Failure::fatal("a count cannot be negative"))?;
            call.text_fits(count)?;
            Ok(Value::str("x".repeat(count)))
        },
    ),
    Function::new(
        "slow_string",
        &["func() str"],
        "A string that mgmt computes in five seconds; immediate here.",
        &[("test.slow_string()", "\"five seconds has elapsed\"")],
        |_| Ok(Value::str("five seconds has elapsed")),
    ),
];

const fn one_instance(name: &'static str, call: fn(&mut Call) -> Result<Value, Failure>) -> Function {
    Function::new(name, &["func() str"], "A greeting; an error if it is computed twice in a run.", &[], call)
}

fn hello(call: &mut Call, name: &'static str) -> Result<Value, Failure> {
    match call.cells.is_only_spot(name, call.spot) {
        true => Ok(Value::str("hello")),
        false => Err(Failure::fatal(format!("{name} was computed twice"))),
    }
}
