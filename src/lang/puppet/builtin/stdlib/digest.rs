//! Digests, checksums and hashes of passwords.

use super::{Function, ruby};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;
use md5::Md5;
use sha2::{Digest, Sha256, Sha512};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "stdlib::crc32",
        signature: "stdlib::crc32(Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] value)",
        doc: "The CRC-32 of a value as text.",
        examples: &[("stdlib::crc32('my string')", "'18fbd270'")],
        call: |_, c| Ok(Value::str(format!("{:x}", crc32fast::hash(ruby::open_text(c.arg(0)).as_bytes())))),
        ..Function::PLAIN
    },
    Function {
        name: "pw_hash",
        signature: "pw_hash(Variant[String, Sensitive[String]] password, String[1] method, String salt)",
        doc: "The hash of a password, as `/etc/shadow` has it.",
        examples: &[("pw_hash('test', 'SHA-256', 'salt')", "'$5$salt$lNwM/2EW94.5e484ZZwetUClB7.Z/Z3buPmQvXdPEj4'")],
        call: pw_hash,
        ..Function::PLAIN
    },
];

/// As long as the C library takes one.
const LONGEST: usize = 511;

/// Steps of the hash of a password.
const PRICE: u64 = 20_000;

fn pw_hash(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(3, 3)?;
    let opened = |index: usize| match call.arg(index) {
        Value::Sensitive(inner) => (**inner).clone(),
        other => other.clone(),
    };
    let (Value::Str(password), Value::Str(method), Value::Str(salt)) = (opened(0), opened(1), opened(2)) else {
        return call.fail("pw_hash(): the password, the method and the salt have to be Strings");
    };
    let method = method.to_lowercase();
    if method.starts_with("bcrypt") {
        return e.output.ruby(&e.inputs, "bcrypt, a method of `pw_hash`,", call.span);
    }
    if !matches!(&*method, "md5" | "sha-256" | "sha-512") {
        return call.fail(format!("pw_hash(): '{method}' is not a method"));
    }
    if salt.is_empty() || !salt.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '/')) {
        return call.fail("pw_hash(): the salt has to consist of the characters a-z, A-Z, 0-9, `.` and `/`");
    }
    if password.is_empty() {
        return Ok(Value::Undef);
    }
    if password.len() > LONGEST {
        return call.fail(format!("pw_hash(): a password of more than {LONGEST} bytes"));
    }
    // Each of these hashes the password thousands of times.
    e.output.spend(PRICE + password.len() as u64 * 80, call.span)?;
    let (password, salt) = (password.as_bytes(), &*salt);
    Ok(Value::str(match &*method {
        "md5" => md5_crypt(password, &salt[..salt.len().min(8)]),
        "sha-256" => sha_crypt::<Sha256>(password, &salt[..salt.len().min(16)], "5"),
        _ => sha_crypt::<Sha512>(password, &salt[..salt.len().min(16)], "6"),
    }))
}

/// Bits as the characters of crypt, least ones first.
fn letters(out: &mut String, mut bits: u32, count: usize) {
    const LETTERS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for _ in 0..count {
        out.push(LETTERS[(bits & 63) as usize] as char);
        bits >>= 6;
    }
}

fn md5_crypt(password: &[u8], salt: &str) -> String {
    let salted = Md5::digest([password, salt.as_bytes(), password].concat());
    let mut start = [password, b"$1$", salt.as_bytes()].concat();
    start.extend(salted.iter().cycle().take(password.len()));
    let mut length = password.len();
    while length > 0 {
        start.push(if length & 1 == 1 { 0 } else { password[0] });
        length >>= 1;
    }
    let mut sum = Md5::digest(&start);
    for round in 0..1000 {
        let mut next = if round % 2 == 1 { password.to_vec() } else { sum.to_vec() };
        if round % 3 != 0 {
            next.extend(salt.as_bytes());
        }
        if round % 7 != 0 {
            next.extend(password);
        }
        next.extend(if round % 2 == 1 { &sum[..] } else { password });
        sum = Md5::digest(&next);
    }
    let mut out = format!("$1${salt}$");
    for [a, b, c] in [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5]] {
        letters(&mut out, u32::from(sum[a]) << 16 | u32::from(sum[b]) << 8 | u32::from(sum[c]), 4);
    }
    letters(&mut out, u32::from(sum[11]), 2);
    out
}

/// The order in which the bytes of a sum are written: three at a time, one of each third.
fn order(size: usize) -> impl Iterator<Item = [usize; 3]> {
    let third = size / 3;
    (0..third).map(move |at| {
        let mut bytes = [at, at + third, at + 2 * third];
        // The third that comes first changes from row to row.
        if size == 32 {
            bytes.rotate_right(at % 3)
        } else {
            bytes.rotate_left(at % 3)
        }
        bytes
    })
}

fn sha_crypt<D: Digest>(password: &[u8], salt: &str, mark: &str) -> String {
    let salt = salt.as_bytes();
    let salted = D::digest([password, salt, password].concat());
    let mut start = [password, salt].concat();
    start.extend(salted.iter().cycle().take(password.len()));
    let mut length = password.len();
    while length > 0 {
        if length & 1 == 1 {
            start.extend(salted.iter());
        } else {
            start.extend(password);
        }
        length >>= 1;
    }
    let mut sum = D::digest(&start);
    let filled = |digest: &[u8], length: usize| digest.iter().copied().cycle().take(length).collect::<Vec<u8>>();
    let p = filled(&D::digest(password.repeat(password.len())), password.len());
    let s = filled(&D::digest(salt.repeat(16 + usize::from(sum[0]))), salt.len());
    for round in 0..5000 {
        let mut next = if round % 2 == 1 { p.clone() } else { sum.to_vec() };
        if round % 3 != 0 {
            next.extend(&s);
        }
        if round % 7 != 0 {
            next.extend(&p);
        }
        next.extend(if round % 2 == 1 { &sum[..] } else { &p[..] });
        sum = D::digest(&next);
    }
    let mut out = format!("${mark}${}$", String::from_utf8_lossy(salt));
    for [a, b, c] in order(sum.len()) {
        letters(&mut out, u32::from(sum[a]) << 16 | u32::from(sum[b]) << 8 | u32::from(sum[c]), 4);
    }
    if sum.len() == 32 {
        letters(&mut out, u32::from(sum[31]) << 8 | u32::from(sum[30]), 3);
    } else {
        letters(&mut out, u32::from(sum[63]), 2);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Sha256, Sha512, md5_crypt, sha_crypt};

    /// What crypt(3) of the GNU C library gives.
    #[test]
    fn passwords_are_hashed_as_crypt_does() {
        assert_eq!(md5_crypt(b"test", ""), "$1$$whuMjZj.HMFoaTaZRRtkO0");
        assert_eq!(
            sha_crypt::<Sha256>(b"Hello world!", "saltstring", "5"),
            "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"
        );
        assert_eq!(
            sha_crypt::<Sha512>(b"Hello world!", "saltstring", "6"),
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
        );
    }
}
