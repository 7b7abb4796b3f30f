//! `golang/math`: Go's functions for floats.

use super::super::Function;
use super::super::call::{Call, Failure};
use crate::lang::mcl::value::Value;

/// The functions of the module `golang/math`.
pub static FUNCTIONS: &[Function] = &[
    f1("abs", "The number without its sign.", &[("math.abs(-2.5)", "2.5")], |c| un(c, f64::abs)),
    f1("acos", "The arc cosine, in radians.", &[("math.acos(1.0)", "0.0")], |c| un(c, f64::acos)),
    f1("acosh", "The inverse hyperbolic cosine.", &[("math.acosh(1.0)", "0.0")], |c| un(c, f64::acosh)),
    f1("asin", "The arc sine, in radians.", &[("math.asin(0.0)", "0.0")], |c| un(c, f64::asin)),
    f1("asinh", "The inverse hyperbolic sine.", &[("math.asinh(0.0)", "0.0")], |c| un(c, f64::asinh)),
    f1("atan", "The arc tangent, in radians.", &[("math.atan(0.0)", "0.0")], |c| un(c, f64::atan)),
    f2("atan_2", "The angle of the point (`y`, `x`), in radians.", &[("math.atan_2(0.0, 1.0)", "0.0")], |c| {
        bin(c, f64::atan2)
    }),
    f1("atanh", "The inverse hyperbolic tangent.", &[("math.atanh(0.0)", "0.0")], |c| un(c, f64::atanh)),
    f1("cbrt", "The cube root.", &[("math.cbrt(27.0)", "3.0")], |c| un(c, f64::cbrt)),
    f1("ceil", "The least whole number that is not less.", &[("math.ceil(1.2)", "2.0")], |c| un(c, f64::ceil)),
    f2("copysign", "The first number with the sign of the second.", &[("math.copysign(3.0, -1.0)", "-3.0")], |c| {
        bin(c, f64::copysign)
    }),
    f1("cos", "The cosine of an angle in radians.", &[("math.cos(0.0)", "1.0")], |c| un(c, f64::cos)),
    f1("cosh", "The hyperbolic cosine.", &[("math.cosh(0.0)", "1.0")], |c| un(c, f64::cosh)),
    f2(
        "dim",
        "How much the first number is larger than the second; 0 if it is not.",
        &[("math.dim(4.0, 1.0)", "3.0"), ("math.dim(1.0, 4.0)", "0.0")],
        |c| bin(c, |x, y| if x - y <= 0.0 { 0.0 } else { x - y }),
    ),
    f1("erf", "The error function.", &[("math.erf(0.0)", "0.0")], |c| un(c, libm::erf)),
    f1("erfc", "1 less the error function.", &[("math.erfc(0.0)", "1.0")], |c| un(c, libm::erfc)),
    f1("erfcinv", "The inverse of `erfc`.", &[("math.erfcinv(1.0)", "0.0")], |c| un(c, |x| erfinv(1.0 - x))),
    f1("erfinv", "The inverse of `erf`.", &[("math.erfinv(0.0)", "0.0")], |c| un(c, erfinv)),
    f1("exp", "e to the power of a number.", &[("math.exp(0.0)", "1.0")], |c| un(c, f64::exp)),
    f1("exp_2", "2 to the power of a number.", &[("math.exp_2(3.0)", "8.0")], |c| un(c, f64::exp2)),
    f1("expm_1", "e to the power of a number, less 1; exact for small numbers.", &[("math.expm_1(0.0)", "0.0")], |c| {
        un(c, f64::exp_m1)
    }),
    f1("floor", "The greatest whole number that is not more.", &[("math.floor(-1.2)", "-2.0")], |c| un(c, f64::floor)),
    Function::new(
        "fma",
        &["func(x float, y float, z float) float"],
        "`x * y + z`, rounded once.",
        &[("math.fma(2.0, 3.0, 1.0)", "7.0")],
        |c| Ok(Value::Float(c.float(0)?.mul_add(c.float(1)?, c.float(2)?))),
    ),
    f1("gamma", "The gamma function.", &[("math.gamma(5.0)", "24.0")], |c| un(c, libm::tgamma)),
    f2("hypot", "The length of the hypotenuse.", &[("math.hypot(3.0, 4.0)", "5.0")], |c| bin(c, f64::hypot)),
    Function::new("ilogb", &["func(x float) int"], "The binary exponent, whole.", &[("math.ilogb(8.0)", "3")], |c| {
        let exponent = logb(c.float(0)?);
        Ok(Value::Int(match exponent {
            // As in Go: the limits of 32 bits.
            exponent if exponent == f64::NEG_INFINITY => i32::MIN.into(),
            exponent if exponent.is_finite() => exponent as i64,
            _ => i32::MAX.into(),
        }))
    }),
    Function::new(
        "inf",
        &["func(sign int) float"],
        "Infinity, negative for a negative sign.",
        &[("math.is_inf(math.inf(-1), -1)", "true")],
        |c| Ok(Value::Float(if c.int(0)? >= 0 { f64::INFINITY } else { f64::NEG_INFINITY })),
    ),
    Function::new(
        "is_inf",
        &["func(f float, sign int) bool"],
        "Whether a number is infinite, of the sign's side, or of either for 0.",
        &[("math.is_inf(1.0, 0)", "false")],
        |c| {
            let (number, sign) = (c.float(0)?, c.int(1)?);
            Ok(Value::Bool((sign >= 0 && number == f64::INFINITY) || (sign <= 0 && number == f64::NEG_INFINITY)))
        },
    ),
    Function::new(
        "is_na_n",
        &["func(f float) bool"],
        "Whether a float is not a number.",
        &[("math.is_na_n(math.na_n())", "true")],
        |c| Ok(Value::Bool(c.float(0)?.is_nan())),
    ),
    f1("j_0", "The Bessel function of the first kind, of order 0.", &[("math.j_0(0.0)", "1.0")], |c| un(c, libm::j0)),
    f1("j_1", "The Bessel function of the first kind, of order 1.", &[("math.j_1(0.0)", "0.0")], |c| un(c, libm::j1)),
    Function::new(
        "jn",
        &["func(n int, x float) float"],
        "The Bessel function of the first kind, of order `n`.",
        &[("math.jn(2, 0.0)", "0.0")],
        |c| Ok(Value::Float(libm::jn(order(c)?, c.float(1)?))),
    ),
    Function::new(
        "ldexp",
        &["func(frac float, exp int) float"],
        "`frac` times 2 to the power of `exp`.",
        &[("math.ldexp(0.5, 4)", "8.0")],
        |c| Ok(Value::Float(libm::ldexp(c.float(0)?, c.int(1)?.clamp(-5000, 5000) as i32))),
    ),
    f1("log", "The natural logarithm.", &[("math.log(1.0)", "0.0")], |c| un(c, f64::ln)),
    f1("log_10", "The decimal logarithm.", &[("math.log_10(100.0)", "2.0")], |c| un(c, f64::log10)),
    f1(
        "log_1_p",
        "The natural logarithm of a number and 1; exact for small numbers.",
        &[("math.log_1_p(0.0)", "0.0")],
        |c| un(c, f64::ln_1p),
    ),
    f1("log_2", "The binary logarithm.", &[("math.log_2(8.0)", "3.0")], |c| un(c, f64::log2)),
    f1("logb", "The binary exponent.", &[("math.logb(8.0)", "3.0")], |c| un(c, logb)),
    f2("max", "The larger number.", &[("math.max(1.0, 2.0)", "2.0")], |c| {
        bin(c, |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) })
    }),
    f2("min", "The smaller number.", &[("math.min(1.0, 2.0)", "1.0")], |c| {
        bin(c, |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { x.min(y) })
    }),
    f2(
        "mod",
        "The remainder of a division, with the sign of the first number.",
        &[("math.mod(7.5, 2.0)", "1.5")],
        |c| bin(c, |x, y| x % y),
    ),
    Function::new("na_n", &["func() float"], "NaN (not a number).", &[("math.is_na_n(math.na_n())", "true")], |_| {
        Ok(Value::Float(f64::NAN))
    }),
    f2(
        "nextafter",
        "The next float from the first number towards the second.",
        &[("math.nextafter(1.0, 1.0)", "1.0")],
        |c| bin(c, libm::nextafter),
    ),
    f2("pow", "The first number to the power of the second.", &[("math.pow(2.0, 10.0)", "1024.0")], |c| {
        bin(c, f64::powf)
    }),
    Function::new("pow_10", &["func(n int) float"], "10 to the power of `n`.", &[("math.pow_10(2)", "100.0")], |c| {
        let text = format!("1e{}", c.int(0)?.clamp(-400, 400));
        Ok(Value::Float(text.parse().unwrap_or(f64::NAN)))
    }),
    f2(
        "remainder",
        "The remainder of the division with the nearest whole result.",
        &[("math.remainder(5.0, 3.0)", "-1.0")],
        |c| bin(c, libm::remainder),
    ),
    f1("round", "The nearest whole number; halves go away from 0.", &[("math.round(2.5)", "3.0")], |c| {
        un(c, f64::round)
    }),
    f1(
        "round_to_even",
        "The nearest whole number; halves go to the even one.",
        &[("math.round_to_even(2.5)", "2.0")],
        |c| un(c, f64::round_ties_even),
    ),
    Function::new(
        "signbit",
        &["func(x float) bool"],
        "Whether a number is negative, or negative zero.",
        &[("math.signbit(-1.0)", "true")],
        |c| Ok(Value::Bool(c.float(0)?.is_sign_negative())),
    ),
    f1("sin", "The sine of an angle in radians.", &[("math.sin(0.0)", "0.0")], |c| un(c, f64::sin)),
    f1("sinh", "The hyperbolic sine.", &[("math.sinh(0.0)", "0.0")], |c| un(c, f64::sinh)),
    f1("sqrt", "The square root.", &[("math.sqrt(9.0)", "3.0")], |c| un(c, f64::sqrt)),
    f1("tan", "The tangent of an angle in radians.", &[("math.tan(0.0)", "0.0")], |c| un(c, f64::tan)),
    f1("tanh", "The hyperbolic tangent.", &[("math.tanh(0.0)", "0.0")], |c| un(c, f64::tanh)),
    f1("trunc", "A number without its fraction.", &[("math.trunc(-1.7)", "-1.0")], |c| un(c, f64::trunc)),
    f1(
        "y_0",
        "The Bessel function of the second kind, of order 0.",
        &[("math.is_inf(math.y_0(0.0), -1)", "true")],
        |c| un(c, libm::y0),
    ),
    f1(
        "y_1",
        "The Bessel function of the second kind, of order 1.",
        &[("math.is_inf(math.y_1(0.0), -1)", "true")],
        |c| un(c, libm::y1),
    ),
    Function::new(
        "yn",
        &["func(n int, x float) float"],
        "The Bessel function of the second kind, of order `n`.",
        &[("math.is_inf(math.yn(2, 0.0), -1)", "true")],
        |c| Ok(Value::Float(libm::yn(order(c)?, c.float(1)?))),
    ),
];

type Examples = &'static [(&'static str, &'static str)];
type Body = fn(&mut Call) -> Result<Value, Failure>;

const fn f1(name: &'static str, doc: &'static str, examples: Examples, call: Body) -> Function {
    Function::new(name, &["func(x float) float"], doc, examples, call)
}

const fn f2(name: &'static str, doc: &'static str, examples: Examples, call: Body) -> Function {
    Function::new(name, &["func(x float, y float) float"], doc, examples, call)
}

fn un(call: &Call, function: fn(f64) -> f64) -> Result<Value, Failure> {
    Ok(Value::Float(function(call.float(0)?)))
}

fn bin(call: &Call, function: fn(f64, f64) -> f64) -> Result<Value, Failure> {
    Ok(Value::Float(function(call.float(0)?, call.float(1)?)))
}

/// The order of a Bessel function, limited because its cost grows with it.
fn order(call: &Call) -> Result<i32, Failure> {
    let order = call.int(0)?;
    match i32::try_from(order) {
        Ok(order) if order.abs() <= 1_000_000 => Ok(order),
        _ => Err(Failure::fatal(format!("the order must be within a million of 0, not {order}"))),
    }
}

fn logb(x: f64) -> f64 {
    match x {
        0.0 => f64::NEG_INFINITY,
        x if x.is_infinite() => f64::INFINITY,
        x if x.is_nan() => x,
        x => f64::from(libm::frexp(x).1 - 1),
    }
}

/// A close estimate, then Newton's steps, each of which doubles the correct digits.
fn erfinv(y: f64) -> f64 {
    match y {
        y if y.is_nan() || y.abs() > 1.0 => return f64::NAN,
        y if y.abs() == 1.0 => return y * f64::INFINITY,
        0.0 => return y,
        _ => {}
    }
    let log = (-y * y).ln_1p();
    let a = 0.147;
    let half = 2.0 / (std::f64::consts::PI * a) + log / 2.0;
    let mut x = ((half * half - log / a).sqrt() - half).sqrt().copysign(y);
    for _ in 0..4 {
        // Near the ends the complement keeps the digits that 1 - y would lose.
        let error = if x > 0.5 { (1.0 - y) - libm::erfc(x) } else { libm::erf(x) - y };
        x -= error / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
    }
    x
}

#[cfg(test)]
mod tests {
    use super::{erfinv, logb};

    #[test]
    fn own_functions_are_close() {
        for x in [0.01, 0.3, 1.0, 2.0, 3.0] {
            assert!((erfinv(libm::erf(x)) - x).abs() < 1e-9, "{x}");
            assert!((erfinv(libm::erf(-x)) + x).abs() < 1e-9, "{x}");
        }
        assert_eq!((logb(0.75), logb(-8.0)), (-1.0, 3.0));
    }
}
