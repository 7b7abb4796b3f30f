//! Words of other languages and their mcl equivalents, for help texts.

use crate::diag::nearest;
use crate::resource::SCHEMAS;

/// The help for an unknown kind.
pub fn near_kind(word: &str) -> String {
    match kind(word).or_else(|| nearest(word, SCHEMAS.iter().map(|schema| schema.kind))) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "`workbench doc` lists every kind".to_string(),
    }
}

/// The kind for another tool's word.
pub fn kind(word: &str) -> Option<&'static str> {
    Some(match word {
        "service" | "systemd" | "unit" => "svc",
        "package" | "packages" | "apt" | "dnf" | "yum" | "rpm" => "pkg",
        "directory" | "dir" | "folder" | "symlink" | "link" | "template" | "copy" | "concat" => "file",
        "command" | "cmd" | "shell" | "script" | "run" | "bash" => "exec",
        "notify" | "echo" | "println" | "log" | "debug" => "print",
        "users" | "usr" | "account" => "user",
        "groups" | "grp" => "group",
        "container" | "docker" => "docker:container",
        "firewall" => "firewalld",
        "network" => "net",
        "vm" => "virt",
        "ssh" | "sshkey" => "ssh:authorized_key",
        "lineinfile" | "file_line" => "line",
        _ => return None,
    })
}

/// The parameters of a kind for another tool's word, if the kind has them.
pub fn params(word: &str) -> &'static [&'static str] {
    match word {
        "ensure" | "status" | "present" => &["state"],
        "command" => &["cmd"],
        "enable" | "enabled" | "onboot" => &["startup"],
        "unless" => &["nifcmd"],
        "onlyif" | "only_if" => &["ifcmd"],
        "dest" | "target" | "filename" => &["path"],
        "text" | "body" | "data" | "message" => &["content", "msg"],
        "permissions" | "perms" => &["mode"],
        "environment" => &["env"],
        "password_hash" => &["password"],
        "user" | "username" => &["owner", "user"],
        "recursive" => &["recurse"],
        _ => &[],
    }
}

/// The relation for a word, whatever its capitals and its tool.
pub fn relation(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "before" => "Before",
        "depend" | "depends" | "depends_on" | "require" | "requires" | "after" | "requisite" => "Depend",
        "notify" | "notifies" => "Notify",
        "listen" | "subscribe" | "subscribes" => "Listen",
        _ => return None,
    })
}

/// The type for another language's name.
pub fn ty(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "string" | "text" | "char" => "str",
        "integer" | "number" | "long" | "uint" | "int64" | "i64" => "int",
        "boolean" => "bool",
        "double" | "float64" | "f64" => "float",
        "list" | "array" | "vec" | "slice" | "set" => "[]str",
        "dict" | "hash" | "object" | "hashmap" => "map{str: str}",
        _ => return None,
    })
}

/// The type for another language's name, or for one with capital letters.
pub fn plain_type(word: &str) -> Option<&'static str> {
    let own = ["bool", "str", "int", "float"].into_iter().find(|ty| *ty != word && ty.eq_ignore_ascii_case(word));
    own.or_else(|| ty(word))
}

/// The equivalent of another language's word for a value.
pub fn value(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "null" | "nil" | "none" | "undef" | "undefined" => {
            "mcl has no such value: omit the parameter, or set it with a condition, `$c ?: value`"
        }
        "yes" | "on" | "enable" | "enabled" => "write `true`",
        "no" | "off" | "disable" | "disabled" => "write `false`",
        "true" => "write `true` in lower case",
        "false" => "write `false` in lower case",
        "lambda" | "fn" | "function" => "write `func($x) { ... }`",
        "return" => "there is no `return`: a function returns the expression in its body",
        "new" | "await" | "let" | "var" => "not a word of mcl; write only the value",
        "switch" | "match" | "case" => {
            "use a map lookup, as in `{\"a\" => 1, \"b\" => 2,}[$x]`, or nested `if` and `else`"
        }
        _ => return None,
    })
}

/// The equivalent of a statement that starts with another language's word.
pub fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "until" | "loop" | "foreach" => "loop over a list: `for $index, $value in $list { ... }`",
        "unless" => "write `if not ... { ... }`",
        "elif" | "elsif" | "elseif" => ELSE_IF,
        "case" | "switch" | "match" | "select" => {
            "use `if` and `else`, or a map lookup: `{\"a\" => 1, \"b\" => 2,}[$x]`"
        }
        "def" | "fn" | "function" | "fun" => "a function is `func name($x) { ... }`, with one expression as its body",
        "define" | "module" | "role" => "use `class name($x) { ... }`, and `include name(...)` to use it",
        "node" => "for different hosts, use `if $hostname == \"...\" { ... }`",
        "let" | "var" | "const" | "local" | "set" | "export" => "define a variable with `$name = value`",
        "return" | "yield" => "a function returns the expression in its body",
        "from" | "use" | "using" | "require" => "write `import \"fmt\"`, then call `fmt.printf(...)`",
        "resource" | "declare" => "a resource starts with its kind and one name: `file \"/tmp/hello\" { ... }`",
        "notice" | "echo" | "puts" | "println" | "printf" => "to print a message, declare `print \"hello\" {}`",
        "fail" | "throw" | "raise" | "assert" | "error" => "write `panic(\"why\")`, or `panic(condition)`",
        "try" | "catch" => "use `value <|> default`: the default is used if the value fails",
        "type" | "enum" | "interface" => "types have no names: repeat `struct{name str; port int}` where you need it",
        _ => return None,
    })
}

/// The help text for an `else if`, which mcl does not have.
pub const ELSE_IF: &str = "there is no `else if`: use `} else {` with another `if` inside";

/// The name in mcl's form: `maxWorkers`, `Max-Workers` and `_max_workers` become `max_workers`.
pub fn plain_name(word: &str) -> String {
    let mut out = String::new();
    let mut was_small = false;
    for c in word.chars() {
        if c.is_ascii_uppercase() {
            if was_small {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(if c == '-' { '_' } else { c });
        }
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    out.trim_matches('_').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::schema;

    #[test]
    fn suggestions_exist() {
        let words = ["service", "package", "directory", "command", "notify", "users", "groups", "container"];
        for word in words.iter().chain(&["firewall", "network", "vm", "sshkey", "file_line"]) {
            let known = kind(word).expect("the word is in the table");
            assert!(schema(known).is_some(), "{word}: {known}");
            assert!(schema(word).is_none(), "{word} is a kind");
        }
        for word in ["ensure", "command", "enable", "unless", "onlyif", "dest", "text", "permissions", "environment"] {
            let has = |name: &&str| SCHEMAS.iter().any(|schema| schema.param(name).is_some());
            assert!(!params(word).is_empty() && params(word).iter().all(has), "{word}");
        }
    }

    #[test]
    fn names_become_small() {
        for (word, name) in [
            ("maxWorkers", "max_workers"),
            ("ToUpper", "to_upper"),
            ("max-workers", "max_workers"),
            ("HTTP", "http"),
            ("_a", "a"),
        ] {
            assert_eq!(plain_name(word), name);
        }
    }
}
