//! Functions of the module apache.

use base64::Engine;
use sha1::{Digest, Sha1};

use super::{Function, ruby};
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "apache::bool2httpd",
        signature: "apache::bool2httpd(Any arg)",
        doc: "`On` or `Off` for a boolean or a text with one in it; anything else as text.",
        examples: &[("apache::bool2httpd(true)", "'On'"), ("apache::bool2httpd('EMail')", "'EMail'")],
        call: |_, c| {
            let text = ruby::text(c.arg(0));
            let lower = if matches!(c.arg(0), Value::Str(_)) { text.to_lowercase() } else { String::new() };
            Ok(match c.arg(0) {
                Value::Undef | Value::Bool(false) => Value::str("Off"),
                _ if lower.contains("false") => Value::str("Off"),
                Value::Bool(true) => Value::str("On"),
                _ if lower.contains("true") => Value::str("On"),
                _ => Value::str(text),
            })
        },
        ..Function::PLAIN
    },
    Function {
        name: "apache::pw_hash",
        signature: "apache::pw_hash(String[1] password)",
        doc: "The hash of a password, as `htpasswd -s` writes it.",
        examples: &[("apache::pw_hash('test')", "'{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M='")],
        call: |_, c| {
            let sum = Sha1::digest(c.text(0)?.as_bytes());
            Ok(Value::str(format!("{{SHA}}{}", base64::engine::general_purpose::STANDARD.encode(sum))))
        },
        ..Function::PLAIN
    },
];
