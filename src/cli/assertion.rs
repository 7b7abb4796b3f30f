//! The assertions of a script: comparisons of counts with numbers, and of parameters with values, joined by `&&`.

use crate::graph::Value;

/// The names of the counts.
pub const COUNTED: &str =
    "done, changes, failed, skipped, blocked, waiting, event, events, held, resources, emitted, added, removed";

/// A comparison of two counts.
type Holds = fn(&usize, &usize) -> bool;

const OPERATORS: [(&str, Holds); 6] =
    [("==", usize::eq), ("!=", usize::ne), (">=", usize::ge), ("<=", usize::le), (">", usize::gt), ("<", usize::lt)];

/// One parsed comparison.
struct Comparison<'a> {
    name: &'a str,
    sign: &'static str,
    holds: Holds,
    with: &'a str,
}

/// Reports a syntax error, without evaluating anything.
pub fn check(expression: &str) -> Result<(), String> {
    for comparison in comparisons(expression) {
        let Comparison { name, sign, with, .. } = comparison?;
        if !is_parameter(name) {
            if !COUNTED.split(", ").chain(["changed"]).any(|known| known == counted(name)) {
                return Err(format!("unknown count `{name}`; the counts are: {COUNTED}"));
            }
            with.parse::<usize>().map_err(|_| format!("`{with}` is not a number"))?;
        } else if !matches!(sign, "==" | "!=") {
            return Err(format!("`{name}` is compared with `==` or `!=`, not `{sign}`"));
        }
    }
    Ok(())
}

/// `changes == 2 && print[x].msg == "hello"`; false if `count` or `param` does not know a name.
pub fn holds<'v>(
    expression: &str,
    count: &dyn Fn(&str) -> Option<usize>,
    param: &dyn Fn(&str) -> Option<&'v Value>,
) -> Result<bool, String> {
    comparisons(expression).try_fold(true, |all, comparison| {
        let Comparison { name, sign, holds, with } = comparison?;
        let one = if is_parameter(name) {
            let is_same = param(name).is_some_and(|value| equals(value, with));
            is_same == (sign == "==")
        } else {
            let number = with.parse().map_err(|_| format!("`{with}` is not a number"))?;
            count(counted(name)).is_some_and(|have| holds(&have, &number))
        };
        Ok(all && one)
    })
}

fn comparisons(expression: &str) -> impl Iterator<Item = Result<Comparison<'_>, String>> {
    expression.split("&&").map(|part| {
        let part = part.trim();
        // A resource's name may contain operators.
        let from = part.rfind("].").unwrap_or(0);
        let found = OPERATORS.iter().find_map(|(sign, holds)| {
            let at = from + part[from..].find(sign)?;
            Some(Comparison { name: part[..at].trim(), sign, holds: *holds, with: part[at + sign.len()..].trim() })
        });
        found.ok_or_else(|| format!("`{part}` is not a comparison; write for example `changes == 2`"))
    })
}

/// A name without its optional prefix.
fn counted(name: &str) -> &str {
    name.strip_prefix("state.").unwrap_or(name)
}

fn is_parameter(name: &str) -> bool {
    name.contains("].")
}

/// Whether a value equals the written one: as JSON, or as plain text.
fn equals(value: &Value, written: &str) -> bool {
    let json = value.to_json();
    json.as_str() == Some(written)
        || serde_json::from_str::<serde_json::Value>(written).is_ok_and(|other| other == json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_parameters() {
        let value = Value::from("a > b");
        let ask = |expression: &str| {
            let param = |name: &str| (name == "file[/x==y].content").then_some(&value);
            check(expression).and_then(|()| holds(expression, &|name| (name == "done").then_some(3), &param))
        };
        for (expression, wanted) in [
            ("done == 3", true),
            ("state.done >= 4", false),
            ("file[/x==y].content == a > b && done != 2", true),
            ("file[/x==y].content == \"a > b\"", true),
            ("file[/x==y].content != other", true),
            ("file[gone].content == x", false),
        ] {
            assert_eq!(ask(expression), Ok(wanted), "{expression}");
        }
        for wrong in ["done", "nothing == 1", "done == many", "file[x].content < 3"] {
            assert!(ask(wrong).is_err(), "{wrong}");
        }
    }
}
