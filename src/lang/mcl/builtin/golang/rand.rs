//! `golang/math/rand`: random numbers, repeatable in a frozen world.

use super::super::Function;
use super::super::call::{Call, Failure};
use crate::lang::mcl::value::Value;

/// The functions of the module `golang/math/rand`.
pub static FUNCTIONS: &[Function] = &[
    function("exp_float_64", &["func() float"], "A random float above 0, exponentially distributed.", |call| {
        Ok(Value::Float(-unit(call, 0)?.ln()))
    }),
    function("float_64", &["func() float"], "A random float from 0 to before 1.", |call| {
        Ok(Value::Float(1.0 - unit(call, 0)?))
    }),
    function("int", &["func() int"], "A random number that is not negative.", |call| Ok(Value::Int(whole(call, 0)?))),
    function("int_63", &["func() int"], "A random number that is not negative.", |call| {
        Ok(Value::Int(whole(call, 0)?))
    }),
    function("int_63_n", &["func(n int) int"], "A random number from 0 to before `n`.", below),
    function("intn", &["func(n int) int"], "A random number from 0 to before `n`.", below),
    function("norm_float_64", &["func() float"], "A random float, normally distributed around 0.", |call| {
        let (length, turn) = (unit(call, 0)?, unit(call, 1)?);
        Ok(Value::Float((-2.0 * length.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()))
    }),
    function("read", &["func(p str) int"], "How many bytes a text has: as many random ones would be made.", |call| {
        Ok(Value::Int(call.bytes(0)?.len() as i64))
    }),
];

const fn function(
    name: &'static str,
    signatures: &'static [&'static str],
    doc: &'static str,
    call: fn(&mut Call) -> Result<Value, Failure>,
) -> Function {
    Function::new(name, signatures, doc, &[], call)
}

/// Sixty-three random bits.
fn whole(call: &Call, draw: u32) -> Result<i64, Failure> {
    let bytes = call.random("rand", draw, 8)?;
    let number = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    Ok((number >> 1) as i64)
}

/// Above 0 and up to 1.
fn unit(call: &Call, draw: u32) -> Result<f64, Failure> {
    let bits = whole(call, draw)? >> 10;
    Ok((bits + 1) as f64 / (1_i64 << 53) as f64)
}

fn below(call: &mut Call) -> Result<Value, Failure> {
    let end = call.int(0)?;
    if end <= 0 {
        return Err(Failure::fatal(format!("no random number below {end}")));
    }
    Ok(Value::Int(whole(call, 0)? % end))
}
