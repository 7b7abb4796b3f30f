//! Methods of numbers.

use super::call::MethodResult;
use super::expr::Block;
use super::value::Ruby;
use super::{Machine, Ran};

impl Machine<'_> {
    /// Calls a method of a number; `None` if it has no such method.
    pub fn number_method(
        &mut self,
        line: u32,
        on: &Ruby,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        if let [other] = args
            && matches!(name, "+" | "-" | "*" | "/" | "%" | "**" | "modulo" | "div" | "fdiv" | "<" | "<=" | ">" | ">=")
        {
            return self.arithmetic(line, on, name, other);
        }
        match on {
            Ruby::Int(number) => self.int_method(line, *number, name, args, block),
            Ruby::Float(number) => self.float_method(line, *number, name, args),
            _ => Ok(None),
        }
    }

    fn arithmetic(&mut self, line: u32, on: &Ruby, name: &str, other: &Ruby) -> MethodResult {
        let value = match (on, other) {
            (Ruby::Int(a), Ruby::Int(b)) => {
                let (a, b) = (*a, *b);
                if b == 0 && matches!(name, "/" | "%" | "modulo" | "div") {
                    return self.fail(line, "divided by 0");
                }
                let made = match name {
                    "+" => a.checked_add(b),
                    "-" => a.checked_sub(b),
                    "*" => a.checked_mul(b),
                    "/" | "div" => a.checked_div_euclid(b).map(|_| floor_div(a, b)),
                    "%" | "modulo" => {
                        a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
                    }
                    "**" if b < 0 => return self.outside(line, "a fraction"),
                    "**" => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
                    "fdiv" => return Ok(Some(Ruby::Float(a as f64 / b as f64))),
                    _ => return Ok(Some(Ruby::Bool(compared(name, a.cmp(&b))))),
                };
                self.int_or_outside(line, made)?
            }
            (Ruby::Int(_) | Ruby::Float(_), Ruby::Int(_) | Ruby::Float(_)) => {
                let (a, b) = (float(on), float(other));
                match name {
                    "+" => Ruby::Float(a + b),
                    "-" => Ruby::Float(a - b),
                    "*" => Ruby::Float(a * b),
                    "/" | "fdiv" => Ruby::Float(a / b),
                    "div" if b == 0.0 => return self.fail(line, "divided by 0"),
                    "div" => self.whole(line, (a / b).floor())?,
                    "%" | "modulo" => Ruby::Float(a - b * (a / b).floor()),
                    "**" => Ruby::Float(a.powf(b)),
                    _ => Ruby::Bool(a.partial_cmp(&b).is_some_and(|order| compared(name, order))),
                }
            }
            _ if name.starts_with(['<', '>']) => {
                let why = format!("comparison of {} with {} failed", on.class(), self.heap.inspect(other));
                return self.fail(line, why);
            }
            _ => return self.fail(line, format!("{} can't be coerced into {}", other.class(), on.class())),
        };
        Ok(Some(value))
    }

    fn int_method(&mut self, line: u32, number: i64, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        Ok(Some(match (name, args) {
            ("to_i" | "to_int" | "floor" | "ceil" | "round" | "truncate" | "ord", []) => Ruby::Int(number),
            ("to_f", []) => Ruby::Float(number as f64),
            ("to_s" | "inspect", [Ruby::Int(radix @ 2..=36)]) => self.string(in_radix(number, *radix as u64))?,
            ("-@", []) => self.int_or_outside(line, number.checked_neg())?,
            ("abs", []) => self.int_or_outside(line, number.checked_abs())?,
            ("zero?", []) => Ruby::Bool(number == 0),
            ("positive?", []) => Ruby::Bool(number > 0),
            ("negative?", []) => Ruby::Bool(number < 0),
            ("even?", []) => Ruby::Bool(number % 2 == 0),
            ("odd?", []) => Ruby::Bool(number % 2 != 0),
            ("succ" | "next", []) => return self.arithmetic(line, &Ruby::Int(number), "+", &Ruby::Int(1)),
            ("pred", []) => return self.arithmetic(line, &Ruby::Int(number), "-", &Ruby::Int(1)),
            ("chr", []) => match u8::try_from(number) {
                Ok(byte) if byte.is_ascii() => self.string(char::from(byte))?,
                Ok(_) => return self.outside(line, "a byte that is no character"),
                Err(_) => return self.fail(line, format!("{number} out of char range")),
            },
            ("&", [Ruby::Int(other)]) => Ruby::Int(number & other),
            ("|", [Ruby::Int(other)]) => Ruby::Int(number | other),
            ("^", [Ruby::Int(other)]) => Ruby::Int(number ^ other),
            ("<<" | ">>", [Ruby::Int(by @ 0..=62)]) => {
                self.int_or_outside(line, if name == ">>" { Some(number >> by) } else { number.checked_mul(1 << by) })?
            }
            ("divmod", [other]) => {
                let parts = ["/", "%"].map(|name| self.arithmetic(line, &Ruby::Int(number), name, other));
                let parts = parts.into_iter().collect::<Ran<Vec<_>>>()?.into_iter().flatten().collect();
                self.heap.array(parts)?
            }
            ("between?", [Ruby::Int(low), Ruby::Int(high)]) => Ruby::Bool((low..=high).contains(&&number)),
            ("clamp", [Ruby::Int(low), Ruby::Int(high)]) => Ruby::Int(number.max(*low).min(*high)),
            ("times" | "upto" | "downto" | "step", _) => return self.counted(line, number, name, args, block),
            _ => return Ok(None),
        }))
    }

    fn counted(&mut self, line: u32, number: i64, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let to = args.first().map(|to| self.int(line, to)).transpose()?;
        let (low, high) = match (name, to) {
            ("times", None) => (0, number.saturating_sub(1)),
            ("upto", Some(to)) => (number, to),
            ("downto", Some(to)) => (to, number),
            _ => return Ok(None),
        };
        if high.saturating_sub(low) > 1_000_000 {
            return self.outside(line, "a loop over more than a million numbers");
        }
        let mut numbers: Vec<i64> = (low..=high).collect();
        if name == "downto" {
            numbers.reverse();
        }
        self.heap.use_up(numbers.len() * 8)?;
        let Some(block) = block else {
            let list = numbers.into_iter().map(Ruby::Int).collect();
            return self.heap.array(list).map(Some);
        };
        for number in numbers {
            self.yields(line, block, &[Ruby::Int(number)])?;
        }
        Ok(Some(Ruby::Int(number)))
    }

    fn float_method(&mut self, line: u32, number: f64, name: &str, args: &[Ruby]) -> MethodResult {
        Ok(Some(match (name, args) {
            ("to_f", []) => Ruby::Float(number),
            ("to_i" | "to_int" | "truncate", []) => self.whole(line, number.trunc())?,
            ("floor", []) => self.whole(line, number.floor())?,
            ("ceil", []) => self.whole(line, number.ceil())?,
            ("round", []) => self.whole(line, number.round())?,
            ("round" | "floor" | "ceil", [Ruby::Int(digits @ 1..=15)]) => {
                let scale = 10f64.powi(*digits as i32);
                let scaled = number * scale;
                if !scaled.is_finite() || scaled.abs() >= 1e15 {
                    // No digit is behind that place.
                    return Ok(Some(Ruby::Float(number)));
                }
                let made = match name {
                    "floor" => scaled.floor(),
                    "ceil" => scaled.ceil(),
                    _ => scaled.round(),
                };
                Ruby::Float(made / scale)
            }
            ("abs", []) => Ruby::Float(number.abs()),
            ("-@", []) => Ruby::Float(-number),
            ("zero?", []) => Ruby::Bool(number == 0.0),
            ("nan?", []) => Ruby::Bool(number.is_nan()),
            _ => return Ok(None),
        }))
    }

    /// Converts a float to an integer, without its fraction. Fails if the result does not fit into 64 bits.
    pub fn whole(&self, line: u32, number: f64) -> Ran {
        self.int_or_outside(line, crate::lang::ruby::number::whole(number))
    }

    /// Makes an integer. Fails for `None`: it does not fit into 64 bits.
    pub fn int_or_outside(&self, line: u32, number: Option<i64>) -> Ran {
        number.map(Ruby::Int).map_or_else(|| self.outside(line, "a number outside of 64 bits"), Ok)
    }
}

fn float(value: &Ruby) -> f64 {
    match value {
        Ruby::Int(number) => *number as f64,
        Ruby::Float(number) => *number,
        _ => 0.0,
    }
}

fn floor_div(a: i64, b: i64) -> i64 {
    let whole = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { whole - 1 } else { whole }
}

/// Whether an order is what an operator asks for.
pub fn compared(name: &str, order: std::cmp::Ordering) -> bool {
    match name {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn in_radix(number: i64, radix: u64) -> String {
    let mut rest = number.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % radix) as u32, radix as u32).unwrap_or('0'));
        rest /= radix;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        digits.push('-');
    }
    digits.into_iter().rev().collect()
}
