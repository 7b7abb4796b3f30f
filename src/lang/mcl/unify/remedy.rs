//! The way out of common type errors, by why two types met and which kinds they are.

use super::explain::Reason;
use crate::lang::mcl::ast::BinaryOp;

/// What to do about a value of kind `found` where one of kind `wanted` belongs.
pub fn remedy(reason: Reason, (found, wanted): (&str, &str)) -> Option<String> {
    by_reason(reason, (found, wanted)).or_else(|| conversion(reason, found, wanted)).map(str::to_string)
}

fn by_reason(reason: Reason, kinds: (&str, &str)) -> Option<&'static str> {
    Some(match (reason, kinds) {
        (Reason::Interpolated | Reason::NameText, ("list", _)) => {
            "a list of names stands without quotes: `$names`, or `[\"a\", \"b\"]`"
        }
        (Reason::Interpolated | Reason::NameText, ("int", _)) => {
            "use `fmt.printf(\"%d\", ...)`, with `import \"fmt\"`, to make text of an int"
        }
        (Reason::Interpolated | Reason::NameText, ("float", _)) => {
            "use `fmt.printf(\"%f\", ...)`, with `import \"fmt\"`, to make text of a float"
        }
        (Reason::Interpolated | Reason::NameText, _) => {
            "use `fmt.printf(\"%v\", ...)`, with `import \"fmt\"`, to make text of any value"
        }
        (Reason::Loop, ("map", _)) => "a map is gone over by `forkv $key, $value in ...`",
        (Reason::Loop, ("int", _)) => {
            "so many times is `for $index, $value in iter.range(...)`, with `import \"iter\"`"
        }
        (Reason::LoopMap, ("list", _)) => "a list is gone over by `for $index, $value in ...`",
        (Reason::Called(_), ("func", "func")) => {
            "all calls of a function in a variable share its one type; a `func name(...)` statement has its own for each"
        }
        (Reason::Called(_), _) => "only functions can be called",
        (Reason::Condition | Reason::Logic(_), ("int" | "float", _)) => {
            "numbers are neither true nor false: compare it, as in `$n > 0`"
        }
        (Reason::Condition | Reason::Logic(_), ("str", _)) => {
            "texts are neither true nor false: compare it, as in `$text != \"\"`"
        }
        (Reason::Condition | Reason::Logic(_), ("list" | "map", _)) => {
            "whether there is anything in it is `len(...) > 0`"
        }
        (Reason::Condition | Reason::Logic(_), ("struct", _)) => "look at one of its fields: `$s->field`",
        (Reason::Branches, _) => "both branches give values of one type",
        (
            Reason::Element | Reason::Value | Reason::Key,
            ("int" | "float" | "bool" | "str", "int" | "float" | "bool" | "str"),
        ) => "all of them have one type; values of several types together are a `struct{name => ..., port => ...}`",
        (Reason::Default, _) => "the other value must have the same type as what it stands in for",
        (Reason::ListIndex, ("str", _)) => "only maps and structs have names inside: `$map[\"key\"]`, `$struct->field`",
        (Reason::Operands(BinaryOp::Add), ("list", "list")) => "lists of one type are joined by `list.concat`",
        (Reason::Parameter { .. }, ("str", "list")) => "put it in brackets for a list of one: `[\"...\"]`",
        (Reason::Meta(_) | Reason::Parameter { .. }, ("str", "int" | "float")) => "write the number without quotes",
        (Reason::Meta(_) | Reason::Parameter { .. }, ("str", "bool")) => "write `true` or `false` without quotes",
        (Reason::Parameter { .. }, ("int", "str")) => "write it in quotes, or use `fmt.printf(\"%d\", ...)`",
        (Reason::Parameter { .. } | Reason::Meta(_) | Reason::Annotation, ("int", "float")) => {
            "write it with a point, as in `2.0`, or use `convert.to_float(...)`, with `import \"convert\"`"
        }
        (_, ("float", "int")) if !matches!(reason, Reason::Operands(_)) => {
            "use `convert.to_int(...)`, with `import \"convert\"`, which leaves out the fraction; `/` always gives a float"
        }
        (Reason::Operands(_), ("int", "float") | ("float", "int")) => {
            "nothing is converted by itself: use `convert.to_float` or `convert.to_int`, or write `2.0` for `2`"
        }
        (Reason::Operands(BinaryOp::Add), ("str", _) | (_, "str")) => {
            "nothing is converted by itself: use `fmt.printf`, with `import \"fmt\"`, to make text of a value"
        }
        (Reason::Operands(_), ("str", "int") | ("int", "str")) => {
            "a number stands without quotes; `convert.int_to_str` and `convert.str_to_int` make one of the other"
        }
        (Reason::Operands(_), ("str", "bool") | ("bool", "str")) => "`true` and `false` stand without quotes",
        (Reason::In, (_, "list")) => "the list, or the text to look into, stands on the right: `$x in $list`",
        _ => return None,
    })
}

/// A function that makes the one of the other, where a single value is meant.
fn conversion(reason: Reason, found: &str, wanted: &str) -> Option<&'static str> {
    if !matches!(reason, Reason::Argument { .. } | Reason::Annotation | Reason::Returns | Reason::Verb { .. }) {
        return None;
    }
    Some(match (found, wanted) {
        ("int", "str") => "`convert.int_to_str(...)` makes text of it, with `import \"convert\"`",
        ("float" | "bool" | "list" | "map" | "struct", "str") => {
            "`fmt.printf(\"%v\", ...)` makes text of it, with `import \"fmt\"`"
        }
        ("str", "int") => "a number stands without quotes; of a text, `convert.str_to_int(...)` makes one",
        ("str", "float") => "a number stands without quotes; of a text, `convert.str_to_float(...)` makes one",
        ("str", "bool") => "`true` and `false` stand without quotes",
        ("int", "float") => "write it with a point, as in `2.0`, or use `convert.to_float(...)`",
        ("str" | "int" | "float" | "bool" | "struct", "list") => "put it in brackets for a list of one",
        _ => return None,
    })
}
