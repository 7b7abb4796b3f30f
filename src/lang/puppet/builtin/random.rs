//! Numbers that look random and are always the same: MD5 as a seed of Ruby's generator.

use crate::lang::puppet::eval::stop::Run;
use crate::lang::puppet::eval::{Call, Evaluator, convert};
use crate::lang::puppet::value::Value;

pub(super) fn fqdn_rand(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if call.args.is_empty() {
        return call.fail("fqdn_rand(): Wrong number of arguments given (0 for minimum 1)");
    }
    let max = match call.arg(0) {
        Value::Int(max) => *max,
        Value::Str(text) => leading_integer(text),
        Value::Float(max) => *max as i64,
        Value::Undef => 0,
        other => return call.fail(format!("fqdn_rand(): {} is not a number", convert::string(other))),
    };
    if max < 1 {
        return call.fail(format!("invalid argument - {max}"));
    }
    let networking = e.settings.facts.get("networking").and_then(|n| n.get("fqdn")).cloned();
    let mut fqdn = networking.map_or(e.settings.node.clone(), |v| convert::string(&v));
    if !matches!(call.arg(2), Value::Undef | Value::Bool(false)) {
        fqdn = fqdn.to_lowercase();
    }
    let mut flat = Vec::new();
    crate::lang::puppet::catalog::flatten(call.arg(1), &mut flat);
    let extra: Vec<String> = flat.iter().map(convert::string).collect();
    let seed = format!("{fqdn}:{max}:{}", extra.join(":"));
    Ok(Value::Int(Twister::seeded(&md5(seed.as_bytes())).below(max as u64) as i64))
}

/// The digits at the front, as Ruby's `to_i` reads them.
fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let end = text.char_indices().find(|(i, c)| !(c.is_ascii_digit() || *i == 0 && "+-".contains(*c)));
    text[..end.map_or(text.len(), |(i, _)| i)].parse().unwrap_or(0)
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

/// MD5, for seeds and for `md5()`.
pub fn md5(data: &[u8]) -> [u8; 16] {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((data.len() as u64).wrapping_mul(8).to_le_bytes());
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for chunk in message.chunks(64) {
        let word = |i: usize| u32::from_le_bytes([chunk[i * 4], chunk[i * 4 + 1], chunk[i * 4 + 2], chunk[i * 4 + 3]]);
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64usize {
            let (f, g) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            let constant = (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(f).wrapping_add(constant).wrapping_add(word(g));
            a = d;
            d = c;
            c = b;
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (s, v) in state.iter_mut().zip([a, b, c, d]) {
            *s = s.wrapping_add(v);
        }
    }
    let mut out = [0u8; 16];
    for (i, word) in state.iter().enumerate() {
        out[i * 4..i * 4 + 4].copy_from_slice(&word.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::md5;

    #[test]
    fn md5_of_known_texts() {
        let hex = |data: &[u8]| md5(data).iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
    }
}
