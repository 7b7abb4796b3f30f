//! Functions over texts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use super::{Function, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;
use crate::lang::shared::address::Cidr;

macro_rules! each_text {
    ($name:literal, $doc:literal, $example:expr, $change:expr) => {
        Function {
            name: $name,
            signature: concat!($name, "(Variant[String, Array] value)"),
            doc: $doc,
            call: |_, c| {
                c.between(1, usize::MAX)?;
                each_text(c, &$change)
            },
            examples: &[$example],
            ..Function::PLAIN
        }
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    each_text!(
        "uriescape",
        "The text with the characters escaped that a URI cannot have.",
        ("uriescape('a b')", "'a%20b'"),
        uri_escape
    ),
    Function {
        name: "stdlib::xml_encode",
        signature: "stdlib::xml_encode(String text, Optional[Enum['text','attr']] type)",
        doc: "The text as XML writes it, or as the value of an attribute in quotes.",
        examples: &[("stdlib::xml_encode('a<b')", "'a&lt;b'")],
        call: xml_encode,
        ..Function::PLAIN
    },
    Function {
        name: "base64",
        signature: "base64(Enum[encode, decode] action, String text, Optional[Enum[default, strict, urlsafe]] method)",
        doc: "The text in base64, or what such a text holds.",
        examples: &[("base64('encode', 'thestring')", "\"dGhlc3RyaW5n\\n\"")],
        call: base64,
        ..Function::PLAIN
    },
    Function {
        name: "enclose_ipv6",
        signature: "enclose_ipv6(Variant[String, Array] addresses)",
        doc: "The addresses as an array, those of IPv6 in brackets.",
        examples: &[("enclose_ipv6(['::1', '127.0.0.1'])", "['[::1]', '127.0.0.1']")],
        call: enclose_ipv6,
        ..Function::PLAIN
    },
    old_name!("validate_domain_name", "Any *names"),
    Function {
        name: "stdlib::validate_domain_name",
        signature: "stdlib::validate_domain_name(Variant[Stdlib::Fqdn, Stdlib::Dns::Zone] *names)",
        doc: "Fails unless all texts are names of domains.",
        call: |_, c| c.between(1, usize::MAX).map(|()| Value::Undef),
        ..Function::PLAIN
    },
    old_name!("validate_email_address", "Any *addresses"),
    Function {
        name: "stdlib::validate_email_address",
        signature: "stdlib::validate_email_address(Stdlib::Email *addresses)",
        doc: "Fails unless all texts are addresses of mail.",
        call: |_, c| c.between(1, usize::MAX).map(|()| Value::Undef),
        ..Function::PLAIN
    },
];

fn each_text(call: &Call, change: &dyn Fn(&str) -> String) -> Run {
    match call.arg(0) {
        Value::Str(text) => Ok(Value::str(change(text))),
        Value::Array(list) => {
            let changed = list.iter().map(|v| match v {
                Value::Str(text) => Value::str(change(text)),
                other => other.clone(),
            });
            Ok(Value::array(changed.collect()))
        }
        other => wrong(call, 0, "a String or an Array", other),
    }
}

fn uri_escape(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let c = byte as char;
        if byte.is_ascii_alphanumeric() || byte.is_ascii() && "-_.!~*'();/?:@&=+$,[]".contains(c) {
            out.push(c);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn xml_encode(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let is_attribute = call.arg(1).as_str() == Some("attr");
    let mut out = String::new();
    for c in call.text(0)?.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    Ok(Value::str(if is_attribute { format!("\"{out}\"") } else { out }))
}

fn base64(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, usize::MAX)?;
    let (action, text) = (call.text(0)?, call.text(1)?);
    let method = if call.args.len() > 2 { call.text(2)? } else { "default".into() };
    let strict = GeneralPurpose::new(&alphabet::STANDARD, GeneralPurposeConfig::new());
    let url = GeneralPurpose::new(&alphabet::URL_SAFE, GeneralPurposeConfig::new());
    let lenient = GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let decoded = match (&*action, &*method) {
        ("encode", "default") => {
            let line = |chunk: &[u8]| format!("{}\n", strict.encode(chunk));
            return Ok(Value::str(text.as_bytes().chunks(45).map(line).collect::<String>()));
        }
        ("encode", "strict") => return Ok(Value::str(strict.encode(text.as_bytes()))),
        ("encode", "urlsafe") => return Ok(Value::str(url.encode(text.as_bytes()))),
        ("decode", "default") => {
            let plain: String = text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/')).collect();
            let whole = plain.len() - usize::from(plain.len() % 4 == 1);
            GeneralPurpose::new(&alphabet::STANDARD, lenient).decode(&plain[..whole])
        }
        ("decode", "strict") => strict.decode(text.as_bytes()),
        ("decode", "urlsafe") => GeneralPurpose::new(&alphabet::URL_SAFE, lenient).decode(text.as_bytes()),
        ("encode" | "decode", other) => return call.fail(format!("base64(): '{other}' is not a method")),
        (other, _) => return call.fail(format!("base64(): '{other}' is neither encode nor decode")),
    };
    match decoded.map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Value::str(text)),
        Ok(Err(_)) => call.fail("base64(): what the text holds is not UTF-8"),
        Err(problem) => call.fail(format!("base64(): {problem}")),
    }
}

/// An address, also with the length of a prefix, which leaves only those bits.
fn address(text: &str) -> Option<IpAddr> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let address = address.strip_prefix('[').and_then(|a| a.strip_suffix(']')).unwrap_or(address);
    let whole = Cidr::of(address.parse().ok()?);
    let length = match length {
        None => whole.prefix,
        Some(length) => match length.parse::<u8>() {
            Ok(length) => length.into(),
            Err(_) => mask_length(length.parse().ok()?)?,
        },
    };
    whole.with_prefix(length).map(Cidr::network)
}

/// The length of a prefix that is written as a mask, such as 255.255.0.0.
fn mask_length(mask: IpAddr) -> Option<u32> {
    let whole = Cidr::of(mask);
    (0..=whole.prefix).find(|length| whole.with_prefix(*length).is_some_and(|network| network.mask() == mask))
}

fn enclose_ipv6(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    if !matches!(call.arg(0), Value::Str(_) | Value::Array(_)) {
        return wrong(call, 0, "a String or an Array", call.arg(0));
    }
    let mut out: Vec<Value> = Vec::new();
    for value in super::super::collection::flatten(&call.args).iter().filter(|v| !matches!(v, Value::Undef)) {
        let text = ruby::text(value);
        let enclosed = match address(&text) {
            _ if text == "*" => value.clone(),
            Some(IpAddr::V6(ip)) => Value::str(format!("[{}]", v6(ip))),
            Some(_) => value.clone(),
            None => return call.fail(format!("enclose_ipv6(): {text} is not an address")),
        };
        if !out.contains(&enclosed) {
            out.push(enclosed);
        }
    }
    Ok(Value::array(out))
}

/// An address of IPv6; one that holds an address of IPv4 ends as such a one.
fn v6(ip: Ipv6Addr) -> String {
    let segments = ip.segments();
    if segments[..6].iter().all(|s| *s == 0) && segments[6] != 0 {
        return format!("::{}", Ipv4Addr::from_bits(ip.to_bits() as u32));
    }
    ip.to_string()
}
