//! Functions that quote texts for shells, and take command lines apart.

use super::{Function, array, ruby};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "shell_escape",
        signature: "shell_escape(Any value)",
        doc: "The same as stdlib::shell_escape.",
        call: super::catalog::renamed,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::shell_escape",
        signature: "stdlib::shell_escape(Any value)",
        doc: "A text as one word of a shell's command line.",
        examples: &[("stdlib::shell_escape('a b')", "'a\\\\ b'")],
        call: |_, c| Ok(Value::str(escape(&ruby::text(c.arg(0))))),
        ..Function::PLAIN
    },
    Function {
        name: "shell_join",
        signature: "shell_join(Array words)",
        doc: "A shell's command line of words.",
        examples: &[("shell_join(['a b', 'c'])", "'a\\\\ b c'")],
        call: |_, c| {
            c.between(1, 1)?;
            let words: Vec<String> = array(c, 0)?.iter().map(|v| escape(&ruby::text(v))).collect();
            Ok(Value::str(words.join(" ")))
        },
        ..Function::PLAIN
    },
    Function {
        name: "shell_split",
        signature: "shell_split(String line)",
        doc: "The words of a shell's command line.",
        examples: &[("shell_split('a \"b c\"')", "['a', 'b c']")],
        call: split,
        ..Function::PLAIN
    },
];

fn escape(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            c => out.extend(['\\', c]),
        }
    }
    out
}

fn split(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let line = ruby::text(call.arg(0));
    let (mut words, mut word, mut is_open) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => {
                if is_open {
                    words.push(Value::str(std::mem::take(&mut word)));
                }
                is_open = false;
                continue;
            }
            '\'' => match quoted(&mut chars, '\'') {
                Some(text) => word.push_str(&text),
                None => return call.fail(format!("{}(): a quote is not closed in: {line}", call.name)),
            },
            '"' => match quoted(&mut chars, '"') {
                Some(text) => word.push_str(&text),
                None => return call.fail(format!("{}(): a quote is not closed in: {line}", call.name)),
            },
            '\\' => match chars.next() {
                Some(c) => word.push(c),
                None => word.push('\\'),
            },
            c => word.push(c),
        }
        is_open = true;
    }
    if is_open {
        words.push(Value::str(word));
    }
    Ok(Value::array(words))
}

/// The text up to a quote; `None` where it is not closed.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char) -> Option<String> {
    let mut out = String::new();
    loop {
        match chars.next()? {
            c if c == quote => return Some(out),
            '\\' if quote == '"' => match chars.next()? {
                c @ ('$' | '`' | '"' | '\\' | '\n') => out.push(c),
                c => out.extend(['\\', c]),
            },
            c => out.push(c),
        }
    }
}
