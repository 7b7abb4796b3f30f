//! Functions of the module apache.

use base64::Engine;
use sha1::{Digest, Sha1};

use super::{Function, catalog, ruby};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "bool2httpd",
        signature: "bool2httpd(Any *args)",
        doc: "The same as apache::bool2httpd.",
        call: |e, c| renamed(e, c, "apache::bool2httpd"),
        ..Function::PLAIN
    },
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
    Function {
        name: "apache::apache_pw_hash",
        signature: "apache::apache_pw_hash(Any *args)",
        doc: "The same as apache::pw_hash.",
        call: |e, c| renamed(e, c, "apache::pw_hash"),
        ..Function::PLAIN
    },
    Function {
        name: "apache_pw_hash",
        signature: "apache_pw_hash(Any *args)",
        doc: "The same as apache::pw_hash.",
        call: |e, c| renamed(e, c, "apache::pw_hash"),
        ..Function::PLAIN
    },
    Function {
        name: "apache::authz_core_config",
        signature: "apache::authz_core_config(Hash config)",
        doc: "The lines of directives such as `Require` in blocks such as `RequireAll`.",
        examples: &[(
            "apache::authz_core_config({'require_all' => {'require' => ['all granted']}})",
            "['  <RequireAll>', '    Require all granted', '  </RequireAll>']",
        )],
        call: |_, c| {
            let mut lines = Vec::new();
            if let Value::Hash(config) = c.arg(0) {
                directives(config, 1, &mut lines);
            }
            Ok(Value::array(lines))
        },
        ..Function::PLAIN
    },
];

/// Blocks are not written deeper.
const DEPTH: usize = 100;

pub(super) fn renamed(e: &mut Evaluator<'_>, call: &Call, name: &str) -> Run {
    let message = format!("`{}` is deprecated; use `{name}`", call.name);
    catalog::deprecated(e, call, &call.name, &message, true)?;
    let (args, block) = (call.args.clone(), call.block.clone());
    e.call(Call { name: name.into(), args, block, scope: call.scope, span: call.span })
}

fn directives(config: &Map, depth: usize, lines: &mut Vec<Value>) {
    let margin = "  ".repeat(depth);
    for (key, value) in config {
        let capitalised = |part: &str| {
            let mut chars = part.chars();
            chars
                .next()
                .map_or(String::new(), |c| c.to_uppercase().collect::<String>() + &chars.as_str().to_lowercase())
        };
        let name: String = ruby::text(key).split('_').map(capitalised).collect();
        match value {
            Value::Hash(inner) if depth < DEPTH => {
                lines.push(Value::str(format!("{margin}<{name}>")));
                directives(inner, depth + 1, lines);
                lines.push(Value::str(format!("{margin}</{name}>")));
            }
            Value::Array(list) => {
                lines.extend(list.iter().map(|v| Value::str(format!("{margin}{name} {}", ruby::text(v)))));
            }
            other => lines.push(Value::str(format!("{margin}{name} {}", ruby::text(other)))),
        }
    }
}
