//! Help for common type errors, by the reason and the kinds of the types.

use super::explain::Reason;
use crate::lang::mcl::ast::BinaryOp;
use crate::resource::schema;

/// The help for a value of kind `found` in place of one of kind `wanted`.
pub fn remedy(reason: Reason, (found, wanted): (&str, &str)) -> String {
    if let Reason::Parameter { kind, name } = reason
        && let ("bool" | "int", "str") = (found, wanted)
        && let Some(words) = words_of(kind, name)
    {
        return format!("it is a word in quotes: {words}");
    }
    let known = by_reason(reason, (found, wanted)).or_else(|| conversion(reason, found, wanted));
    known.map_or_else(|| general(reason, wanted), str::to_string)
}

/// The possible states of a kind, in words.
fn words_of(kind: &str, name: &str) -> Option<String> {
    let doc = schema(kind)?.param(name).filter(|_| name == "state" || name == "startup")?.doc;
    let words: Vec<String> = doc.split('`').skip(1).step_by(2).map(|word| format!("`\"{word}\"`")).collect();
    (!words.is_empty()).then(|| words.join(" or "))
}

fn by_reason(reason: Reason, kinds: (&str, &str)) -> Option<&'static str> {
    Some(match (reason, kinds) {
        (Reason::Interpolated | Reason::NameText, ("list", _)) => {
            "write a list of names without quotes: `$names`, or `[\"a\", \"b\"]`"
        }
        (Reason::Interpolated | Reason::NameText, ("int", _)) => {
            "convert an int to a string with `fmt.printf(\"%d\", ...)` and `import \"fmt\"`"
        }
        (Reason::Interpolated | Reason::NameText, ("float", _)) => {
            "convert a float to a string with `fmt.printf(\"%f\", ...)` and `import \"fmt\"`"
        }
        (Reason::Interpolated | Reason::NameText, _) => {
            "convert any value to a string with `fmt.printf(\"%v\", ...)` and `import \"fmt\"`"
        }
        (Reason::Loop, ("map", _)) => "loop over a map with `forkv $key, $value in ...`",
        (Reason::Loop, ("int", _)) => {
            "to repeat N times, use `for $index, $value in iter.range(...)` with `import \"iter\"`"
        }
        (Reason::LoopMap, ("list", _)) => "loop over a list with `for $index, $value in ...`",
        (Reason::Called(_), ("func", "func")) => {
            "a function in a variable has one type for all calls; a `func name(...)` statement has one per call"
        }
        (Reason::Called(_), _) => "only functions can be called",
        (Reason::Logic("not"), ("int" | "float", _)) => {
            "a number is not a bool: compare it in parentheses, as in `not ($n == 0)`"
        }
        (Reason::Condition | Reason::Logic(_), ("int" | "float", _)) => {
            "a number is not a bool: compare it, as in `$n > 0`"
        }
        (Reason::Condition | Reason::Logic(_), ("str", _)) => {
            "a string is not a bool: compare it, as in `$text != \"\"`"
        }
        (Reason::Condition | Reason::Logic(_), ("list" | "map", _)) => {
            "to test that it is not empty, use `len(...) > 0`"
        }
        (Reason::Condition | Reason::Logic(_), ("struct", _)) => "use one of its fields: `$s->field`",
        (Reason::Verb { .. }, ("float", _)) => "write `%f` for a float, or `%v` for any value",
        (Reason::Verb { .. }, ("str", _)) => "write `%s` for a string, or `%v` for any value",
        (Reason::Verb { .. }, ("list" | "map" | "struct", _)) => "write `%v` for any value",
        (Reason::Verb { .. }, ("bool", _)) => "write `%t` for a bool, or `%v` for any value",
        (Reason::Branches, _) => "both branches must have the same type",
        (
            Reason::Element | Reason::Value | Reason::Key,
            ("int" | "float" | "bool" | "str", "int" | "float" | "bool" | "str"),
        ) => "all elements must have the same type; for several types use `struct{name => ..., port => ...}`",
        (Reason::Default, _) => "the default must have the same type as the value",
        (Reason::ListIndex, ("str", _)) => "only maps and structs have named values: `$map[\"key\"]`, `$struct->field`",
        (Reason::Operands(BinaryOp::Add), ("list", "list")) => "join lists with `list.concat`",
        (Reason::Parameter { .. }, ("str", "list")) => "use brackets for a list of one: `[\"...\"]`",
        (Reason::Meta(_) | Reason::Parameter { .. }, ("str", "int" | "float")) => "write the number without quotes",
        (Reason::Meta(_) | Reason::Parameter { .. }, ("str", "bool")) => "write `true` or `false` without quotes",
        (Reason::Parameter { .. }, ("int", "str")) => "use quotes, or `fmt.printf(\"%d\", ...)`",
        (Reason::Parameter { .. }, ("float" | "bool", "str")) => "use quotes, or `fmt.printf(\"%v\", ...)`",
        (Reason::Parameter { .. } | Reason::Meta(_) | Reason::Annotation, ("int", "float")) => {
            "write it with a point, as in `2.0`, or use `convert.to_float(...)`, with `import \"convert\"`"
        }
        (_, ("float", "int")) if !matches!(reason, Reason::Operands(_)) => {
            "use `convert.to_int(...)` with `import \"convert\"` (drops the fraction); `/` always returns a float"
        }
        (Reason::Operands(_), ("int", "float") | ("float", "int")) => {
            "there are no implicit conversions: use `convert.to_float` or `convert.to_int`, or write `2.0` for `2`"
        }
        (Reason::Operands(BinaryOp::Add), ("str", _) | (_, "str")) => {
            "there are no implicit conversions: use `fmt.printf` with `import \"fmt\"` to get a string"
        }
        (Reason::Operands(_), ("str", "int") | ("int", "str")) => {
            "numbers have no quotes; convert with `convert.int_to_str` and `convert.str_to_int`"
        }
        (Reason::Operands(_), ("str", "bool") | ("bool", "str")) => "`true` and `false` have no quotes",
        (Reason::In, (_, "list")) => "the list, or the string to search, is on the right: `$x in $list`",
        _ => return None,
    })
}

/// A function that converts between the kinds, if a single value is meant.
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
        ("int", "str") if matches!(reason, Reason::Verb { .. }) => {
            "write `%d`, or convert it with `convert.int_to_str(...)` and `import \"convert\"`"
        }
        ("int", "str") => "convert it with `convert.int_to_str(...)` and `import \"convert\"`",
        ("float" | "bool" | "list" | "map" | "struct", "str") => {
            "convert it with `fmt.printf(\"%v\", ...)` and `import \"fmt\"`"
        }
        ("str", "int") => "numbers have no quotes; convert a string with `convert.str_to_int(...)`",
        ("str", "float") => "numbers have no quotes; convert a string with `convert.str_to_float(...)`",
        ("str", "bool") => "`true` and `false` have no quotes",
        ("int", "float") => "write it with a point, as in `2.0`, or use `convert.to_float(...)`",
        ("str" | "int" | "float" | "bool" | "struct", "list") => "use brackets for a list of one",
        _ => return None,
    })
}

/// The help without a known mistake.
fn general(reason: Reason, wanted: &str) -> String {
    let text = match reason {
        Reason::Annotation => "change the value or its declared type",
        Reason::Returns => "change the body, or the return type after the parentheses",
        Reason::Condition | Reason::Logic(_) => "compare it with something: `==`, `!=`, `<`, `>`",
        Reason::Branches => "both branches must have the same type",
        Reason::Element => {
            "all elements of a list must have the same type; for several types use `struct{a => ..., b => ...}`"
        }
        Reason::Key | Reason::MapKey => "all keys of a map must have the same type",
        Reason::Value => {
            "all values of a map must have the same type; for several types use `struct{a => ..., b => ...}`"
        }
        Reason::Loop => "a list is `[\"a\", \"b\"]`; loop over a map with `forkv $key, $value in ...`",
        Reason::LoopMap => "a map is `{\"a\" => 1,}`; loop over a list with `for $index, $value in ...`",
        Reason::ListIndex => "an index counts from 0: `$list[0]`",
        Reason::Default => "the default must have the same type as the value",
        Reason::Interpolated | Reason::NameText => {
            "convert any value to a string with `fmt.printf(\"%v\", ...)` and `import \"fmt\"`"
        }
        Reason::Panic => "`panic` takes a condition and an optional message: `panic($x == \"\", \"no name\")`",
        Reason::Operands(_) => "both sides must have the same type, without implicit conversions: change one of them",
        Reason::In => "the left side must have the element type of the list: `\"a\" in [\"a\", \"b\"]`",
        Reason::Found(_) => "change the lookup, or the use of its value",
        Reason::Argument { function, .. } => {
            return format!("see `workbench doc {function}`");
        }
        Reason::Verb { .. } => "`%v` prints a value of any type",
        Reason::Called(_) => "only functions can be called",
        Reason::Parameter { kind, name } => {
            return format!("use {wanted_a}; `workbench doc {kind}` describes `{name}`", wanted_a = article(wanted));
        }
        Reason::Meta(_) | Reason::MetaStruct => "`workbench doc noop` lists the meta parameters with their types",
        Reason::Name(_) => "a name is a string in quotes, or a list of strings for several resources",
    };
    text.to_string()
}

fn article(kind: &str) -> String {
    format!("{} `{kind}`", if kind == "int" { "an" } else { "a" })
}
