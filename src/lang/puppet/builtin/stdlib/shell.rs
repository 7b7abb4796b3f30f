//! Functions that quote texts for shells, and take command lines apart.

use super::{Function, array, ruby};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::shell;

pub(super) const FUNCTIONS: &[Function] = &[
    old_name!("shell_escape", "Any value"),
    Function {
        name: "stdlib::shell_escape",
        signature: "stdlib::shell_escape(Any value)",
        doc: "A text as one word of a shell's command line.",
        examples: &[("stdlib::shell_escape('a b')", "'a\\\\ b'")],
        call: |_, c| Ok(Value::str(shell::escape(&ruby::text(c.arg(0))))),
        ..Function::PLAIN
    },
    Function {
        name: "shell_join",
        signature: "shell_join(Array words)",
        doc: "A shell's command line of words.",
        examples: &[("shell_join(['a b', 'c'])", "'a\\\\ b c'")],
        call: |_, c| {
            c.between(1, 1)?;
            let words: Vec<String> = array(c, 0)?.iter().map(|v| shell::escape(&ruby::text(v))).collect();
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

fn split(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let line = ruby::text(call.arg(0));
    match shell::split(&line) {
        Some(words) => Ok(Value::array(words.into_iter().map(Value::str).collect())),
        None => call.fail(format!("{}(): a quote is not closed in: {line}", call.name)),
    }
}
