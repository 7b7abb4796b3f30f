//! `math`: numbers.

use super::call::{Call, Failure};
use super::{Function, Typing};
use crate::lang::mcl::types::Type;
use crate::lang::mcl::value::Value;

/// The functions of the module `math`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "fortytwo",
        &["func() ?1"],
        "42 as an int or a float, depending on its use.",
        &[("math.fortytwo() + 1", "43"), ("math.fortytwo() + 0.5", "42.5")],
        |call| match call.result {
            Some(Type::Int) => Ok(Value::Int(42)),
            Some(Type::Float) => Ok(Value::Float(42.0)),
            _ => Err(Failure::fatal("42 is either an int or a float")),
        },
    )
    .typed(Typing::ByResult)
    .of_kinds(&["int", "float"]),
    Function::new("minus1", &["func(x int) int"], "One less.", &[("math.minus1(3)", "2")], |call| {
        Ok(Value::Int(call.int(0)?.wrapping_sub(1)))
    }),
    Function::new(
        "mod",
        &["func(dividend ?1, divisor ?1) ?1"],
        "The remainder of a division, with the sign of the dividend.",
        &[
            ("math.mod(7, 3)", "1"),
            ("math.mod(-7, 3)", "-1"),
            ("math.mod(5.5, 2.0)", "1.5"),
            ("math.mod(1, 0) <|> 9", "9"),
        ],
        modulo,
    )
    .of_kinds(&["int", "float"]),
    Function::new(
        "pow",
        &["func(x float, y float) float"],
        "`x` to the power of `y`.",
        &[("math.pow(2.0, 3.0)", "8.0"), ("math.pow(-1.0, 0.5) <|> 0.0", "0.0")],
        |call| number(call.float(0)?.powf(call.float(1)?)),
    ),
    Function::new(
        "sqrt",
        &["func(x float) float"],
        "The square root.",
        &[("math.sqrt(9.0)", "3.0"), ("math.sqrt(-1.0) <|> 0.0", "0.0")],
        |call| number(call.float(0)?.sqrt()),
    ),
];

fn modulo(call: &mut Call) -> Result<Value, Failure> {
    match (call.arg(0)?, call.arg(1)?) {
        (Value::Int(_), Value::Int(0)) => Err(Failure::catchable("cannot divide by zero")),
        // As floats, which represent whole numbers exactly only up to 2^53.
        (Value::Int(x), Value::Int(y)) => Ok(Value::Int((*x as f64 % *y as f64) as i64)),
        (Value::Float(_), Value::Float(0.0)) => Err(Failure::catchable("cannot divide by zero")),
        (Value::Float(x), Value::Float(y)) => number(x % y),
        (x, _) => Err(Failure::fatal(format!("mod needs two numbers of one kind, not a {}", x.kind()))),
    }
}

fn number(value: f64) -> Result<Value, Failure> {
    match value {
        value if value.is_nan() => Err(Failure::catchable("the result is not a number")),
        value if value.is_infinite() => Err(Failure::catchable("the result is infinite")),
        value => Ok(Value::Float(value)),
    }
}
