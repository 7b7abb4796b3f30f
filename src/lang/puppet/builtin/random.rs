//! Numbers that look random and are always the same: MD5 as a seed of Ruby's generator.

use md5::{Digest, Md5};

use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::{Help, Run};
use crate::lang::puppet::value::Value;

pub(super) fn fqdn_rand(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if call.args.is_empty() {
        return call.fail("fqdn_rand(): Wrong number of arguments given (0 for minimum 1)");
    }
    let max = match call.arg(0) {
        Value::Int(max) => *max,
        Value::Str(text) => match super::stdlib::leading_integer(text) {
            Some(max) => max,
            None => return call.fail(format!("fqdn_rand(): {text} is outside of 64 bits")),
        },
        Value::Float(max) => match crate::lang::ruby::number::whole(*max) {
            Some(max) => max,
            None => return call.fail(format!("fqdn_rand(): {max} is outside of 64 bits")),
        },
        Value::Undef => 0,
        other => return call.fail(format!("fqdn_rand(): {} is not a number", convert::string(other))),
    };
    if max < 1 {
        return call
            .fail(format!("invalid argument - {max}"))
            .help("the first argument of `fqdn_rand` is a number from 1: the random number is below it");
    }
    let networking = e.inputs.settings.facts.get("networking").and_then(|n| n.get("fqdn")).cloned();
    let fqdn = networking.map_or(e.inputs.settings.node.clone(), |v| convert::string(&v));
    let is_lower = !matches!(call.arg(2), Value::Undef | Value::Bool(false));
    let mut seed = vec![if is_lower { fqdn.to_lowercase() } else { fqdn }, max.to_string()];
    let rest = super::collection::flatten(std::slice::from_ref(call.arg(1)));
    seed.extend(rest.iter().map(convert::string));
    let number = Twister::seeded(&Md5::digest(seed.join(":"))).below(max as u64);
    Ok(Value::Int(number as i64))
}

/// The Mersenne twister that Ruby uses.
pub(super) struct Twister {
    state: Vec<u32>,
    at: usize,
}

const N: usize = 624;

impl Twister {
    /// Begins with a digest as one large number.
    pub(super) fn seeded(digest: &[u8]) -> Self {
        let words = digest.rchunks(4).map(|word| word.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)));
        let key: Vec<u32> = words.collect();
        let used = key.iter().rposition(|w| *w != 0).map_or(1, |i| i + 1);
        Self::new(&key[..used])
    }

    fn new(key: &[u32]) -> Self {
        let mut s = vec![0u32; N];
        s[0] = 19_650_218;
        for i in 1..N {
            s[i] = 1_812_433_253u32.wrapping_mul(s[i - 1] ^ (s[i - 1] >> 30)).wrapping_add(i as u32);
        }
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            s[i] = (s[i] ^ (s[i - 1] ^ (s[i - 1] >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            i += 1;
            j += 1;
            if i >= N {
                s[0] = s[N - 1];
                i = 1;
            }
            if j >= key.len() {
                j = 0;
            }
        }
        for _ in 0..N - 1 {
            s[i] = (s[i] ^ (s[i - 1] ^ (s[i - 1] >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            i += 1;
            if i >= N {
                s[0] = s[N - 1];
                i = 1;
            }
        }
        s[0] = 0x8000_0000;
        Self { state: s, at: N }
    }

    fn next(&mut self) -> u32 {
        if self.at >= N {
            for i in 0..N {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
                let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % N] ^ (y >> 1) ^ twist;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A number below a limit, drawn with a mask until it fits.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        let limit = limit - 1;
        if limit == 0 {
            return 0;
        }
        let mut mask = limit;
        for shift in [1, 2, 4, 8, 16, 32] {
            mask |= mask >> shift;
        }
        'again: loop {
            let mut value = 0u64;
            for i in [1u32, 0] {
                if (mask >> (i * 32)) & 0xffff_ffff != 0 {
                    value |= u64::from(self.next()) << (i * 32);
                    value &= mask;
                    if limit < value {
                        continue 'again;
                    }
                }
            }
            return value;
        }
    }
}
