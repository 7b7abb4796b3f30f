//! The place of a computation in a program, with its loop iterations and calls: stable between evaluations.
//!
//! The state of functions is stored by it. It does not depend on how often and in which order a program is evaluated.

use la_arena::Idx;

use crate::lang::mcl::value::Value;

/// A spot; computed from the enclosing one and the step inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spot(pub u64);

impl Spot {
    /// The spot of a part of the program (an expression, a statement, a scope) within this one.
    pub fn within<T>(self, part: Idx<T>) -> Self {
        self.nth(u64::from(part.into_raw().into_u32()))
    }

    /// The n-th spot within this one. Spreads all bits (a step of SplitMix64), because equal spots would share their
    /// state.
    pub fn nth(self, n: u64) -> Self {
        let mut bits =
            self.0.rotate_left(23) ^ n.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Spot(bits ^ (bits >> 31))
    }

    /// The spot of a loop's iteration for a key: an index, or any value that can be a key of a map.
    pub fn keyed(self, key: &Value) -> Self {
        match key {
            Value::Bool(value) => self.nth(u64::from(*value)),
            Value::Int(value) => self.nth(value.cast_unsigned()),
            Value::Float(value) => self.nth(value.to_bits()),
            Value::Str(text) => self.keyed_by(text.as_bytes()),
            Value::Bytes(bytes) => self.keyed_by(bytes),
            Value::Struct(fields) => {
                fields.iter().fold(self.nth(fields.len() as u64), |spot, (_, value)| spot.keyed(value))
            }
            // Such a value cannot be a key; all of them share a spot.
            Value::List(_) | Value::Map(_) | Value::Func(_) => self,
        }
    }

    fn keyed_by(self, text: &[u8]) -> Self {
        text.chunks(8).fold(self.nth(text.len() as u64), |spot, chunk| {
            spot.nth(chunk.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
        })
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;

    #[test]
    fn spots_differ() {
        let inner = |outer: u64| (0..300).map(move |at| Spot::default().nth(outer).nth(at));
        let all: FxHashSet<Spot> = (0..300).flat_map(inner).collect();
        assert_eq!(all.len(), 300 * 300);
        let key = |text: &str| Spot::default().keyed(&Value::str(text));
        assert!(key("ab") != key("ba") && key("") != key("\0") && key("12345678") != key("123456780"));
    }
}
