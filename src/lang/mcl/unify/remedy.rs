//! The way out of common type errors, by why two types met and which kinds they are.

use super::explain::Reason;
use crate::lang::mcl::ast::BinaryOp;

/// What to do about a value of kind `found` where one of kind `wanted` belongs.
pub fn remedy(reason: Reason, (found, wanted): (&str, &str)) -> String {
    let known = by_reason(reason, (found, wanted)).or_else(|| conversion(reason, found, wanted));
    known.map_or_else(|| general(reason, wanted), str::to_string)
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
        (Reason::Parameter { .. }, ("float" | "bool", "str")) => "write it in quotes, or use `fmt.printf(\"%v\", ...)`",
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
    let is_one_value = matches!(
        reason,
        Reason::Argument { .. }
            | Reason::Annotation
            | Reason::Returns
            | Reason::Verb { .. }
            | Reason::Parameter { .. }
            | Reason::Meta(_)
            | Reason::MapKey
            | Reason::Panic
    );
    if !is_one_value {
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

/// The way out where no mistake is known that people make there.
fn general(reason: Reason, wanted: &str) -> String {
    let text = match reason {
        Reason::Annotation => "change the value, or the type that is said for it",
        Reason::Returns => "the body's value is what the function gives: change it, or the type after the parentheses",
        Reason::Condition | Reason::Logic(_) => "compare it with something: `==`, `!=`, `<`, `>`",
        Reason::Branches => "both branches give values of one type",
        Reason::Element => "all elements of a list have one type; for several there is `struct{a => ..., b => ...}`",
        Reason::Key | Reason::MapKey => "all keys of a map have one type",
        Reason::Value => "all values of a map have one type; for several there is `struct{a => ..., b => ...}`",
        Reason::Loop => "a list is `[\"a\", \"b\"]`; a map is gone over by `forkv $key, $value in ...`",
        Reason::LoopMap => "a map is `{\"a\" => 1,}`; a list is gone over by `for $index, $value in ...`",
        Reason::ListIndex => "elements are counted from 0: `$list[0]`",
        Reason::Default => "the other value must have the same type as what it stands in for",
        Reason::Interpolated | Reason::NameText => {
            "use `fmt.printf(\"%v\", ...)`, with `import \"fmt\"`, to make text of any value"
        }
        Reason::Panic => {
            "`panic` takes a condition and, if you like, a text after it: `panic($x == \"\", \"no name\")`"
        }
        Reason::Operands(_) => "both sides have one type, and nothing is converted by itself: change one of them",
        Reason::In => "the left side is what the list on the right has: `\"a\" in [\"a\", \"b\"]`",
        Reason::Found(_) => "change what is looked up, or what is done with it",
        Reason::Argument { function, .. } => {
            return format!("`workbench doc {function}` says what it takes");
        }
        Reason::Verb { .. } => "`%v` shows a value of any type",
        Reason::Called(_) => "only functions can be called",
        Reason::Parameter { kind, name } => {
            return format!(
                "give it {wanted_a}; `workbench doc {kind}` says what `{name}` is for",
                wanted_a = article(wanted)
            );
        }
        Reason::Meta(_) | Reason::MetaStruct => "`workbench doc noop` lists the meta parameters with their types",
        Reason::Name(_) => "a name is a text in quotes, or a list of texts for several resources",
    };
    text.to_string()
}

fn article(kind: &str) -> String {
    format!("{} `{kind}`", if kind == "int" { "an" } else { "a" })
}
