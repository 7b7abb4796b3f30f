//! Values that look random and are always the same for a seed.

use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::{Function, ruby};
use crate::lang::puppet::builtin::random::Twister;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;
use crate::source::hex;

pub(super) const FUNCTIONS: &[Function] = &[
    old_name!("fqdn_rand_string"),
    Function {
        name: "stdlib::fqdn_rand_string",
        signature: "stdlib::fqdn_rand_string(Integer[1] length, Optional[String] characters, Any *seed)",
        doc: "A text that is always the same for one node and seed.",
        call: fqdn_rand_string,
        ..Function::PLAIN
    },
    old_name!("fqdn_rotate"),
    Function {
        name: "stdlib::fqdn_rotate",
        signature: "stdlib::fqdn_rotate(Variant[String, Array] value, Variant[Integer, String] *seed)",
        doc: "The elements rotated by a number that is always the same for one node and seed.",
        call: fqdn_rotate,
        ..Function::PLAIN
    },
    old_name!("seeded_rand"),
    Function {
        name: "stdlib::seeded_rand",
        signature: "stdlib::seeded_rand(Integer[1] max, String seed)",
        doc: "A number below max that is always the same for one seed.",
        examples: &[("stdlib::seeded_rand(100, 'seed')", "73")],
        call: |_, c| {
            let seed = Md5::digest(c.text(1)?.as_bytes());
            let most = ruby::integer(c.arg(0)).unwrap_or(1).max(1);
            Ok(Value::Int(Twister::seeded(&seed).below(most as u64) as i64))
        },
        ..Function::PLAIN
    },
    old_name!("seeded_rand_string"),
    Function {
        name: "stdlib::seeded_rand_string",
        signature: "stdlib::seeded_rand_string(Integer[1] length, String seed, Optional[String[2]] characters)",
        doc: "A text that is always the same for one seed.",
        call: seeded_rand_string,
        ..Function::PLAIN
    },
    Function {
        name: "fqdn_uuid",
        signature: "fqdn_uuid(String name)",
        doc: "The UUID of a name of the domain name system.",
        examples: &[("fqdn_uuid('puppetlabs.com')", "'9c70320f-6815-5fc5-ab0f-debe68bf764c'")],
        call: fqdn_uuid,
        ..Function::PLAIN
    },
];

/// As long as one text may be.
const MOST: i64 = 100_000;

fn fqdn(e: &Evaluator<'_>) -> String {
    let found = e.inputs.settings.facts.get("networking").and_then(|networking| networking.get("fqdn"));
    found.map_or_else(|| e.inputs.settings.node.clone(), ruby::text)
}

fn length(call: &Call) -> Run<i64> {
    match ruby::integer(call.arg(0)) {
        Some(length) if length <= MOST => Ok(length),
        _ => call.fail(format!("{}(): a length above {MOST} is not supported", call.name)),
    }
}

fn joined(values: &[Value]) -> Vec<String> {
    super::super::collection::flatten(values).iter().map(ruby::text).collect()
}

fn fqdn_rand_string(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let charset: Vec<char> = match call.arg(1).as_str() {
        Some(text) if !text.is_empty() => text.chars().collect(),
        _ => ('0'..='9').chain('A'..='Z').chain('a'..='z').collect(),
    };
    let (fqdn, mut out) = (fqdn(e), String::new());
    let seed = joined(call.args.get(2..).unwrap_or_default());
    for i in 1..=length(call)? {
        let mut seed = seed.clone();
        seed.push(i.to_string());
        let text = format!("{fqdn}:{}:{}", charset.len(), seed.join(":"));
        let at = Twister::seeded(&Md5::digest(&text)).below(charset.len() as u64);
        out.extend(charset.get(at as usize));
    }
    Ok(Value::str(out))
}

fn fqdn_rotate(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut seed = vec![fqdn(e)];
    let more = joined(call.args.get(1..).unwrap_or_default());
    seed.push(more.join(":"));
    let offset = |size: usize| {
        let draw = || Twister::seeded(&Md5::digest(seed.join(":"))).below(size as u64) as usize;
        if size > 1 { draw() } else { 0 }
    };
    match call.arg(0) {
        Value::Str(text) => {
            let mut chars: Vec<char> = text.chars().collect();
            let at = offset(chars.len());
            chars.rotate_left(at);
            Ok(Value::str(chars.into_iter().collect::<String>()))
        }
        Value::Array(list) => {
            let mut list = list.to_vec();
            let at = offset(list.len());
            list.rotate_left(at);
            Ok(Value::array(list))
        }
        other => super::wrong(call, 0, "a String or an Array", other),
    }
}

fn seeded_rand_string(_: &mut Evaluator<'_>, call: &Call) -> Run {
    const LETTERS: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let charset: Vec<char> = call.arg(2).as_str().unwrap_or(LETTERS).chars().collect();
    let mut generator = Twister::seeded(&Sha256::digest(call.text(1)?.as_bytes()));
    let mut out = String::new();
    for _ in 0..length(call)? {
        out.extend(charset.get(generator.below(charset.len() as u64) as usize));
    }
    Ok(Value::str(out))
}

fn fqdn_uuid(_: &mut Evaluator<'_>, call: &Call) -> Run {
    const DOMAINS: [u8; 16] = [107, 167, 184, 16, 157, 173, 17, 209, 128, 180, 0, 192, 79, 212, 48, 200];
    call.between(1, 1)?;
    let mut bytes = Sha1::digest([&DOMAINS[..], call.text(0)?.as_bytes()].concat());
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes[..16]);
    let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
    Ok(Value::str(parts.join("-")))
}
