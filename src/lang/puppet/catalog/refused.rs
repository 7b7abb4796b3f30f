//! What Puppet's own resource types refuse: a value outside of the allowed ones, or two that exclude each other.

use super::{Resource, ral};
use crate::lang::puppet::value::Value;
use crate::lang::puppet::{convert, unknown};

const TWO: &[&str] = &["true", "false"];
const FLAG: &[&str] = &["true", "false", "yes", "no"];
const PRESENCE: &[&str] = &["present", "absent"];
const MEMBERSHIP: &[&str] = &["inclusive", "minimum"];

/// Parameters that are one of some words; `*` is every type.
const WORDS: &[(&str, &str, &[&str])] = &[
    ("*", "loglevel", &["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit", "verbose"]),
    ("*", "noop", TWO),
    ("file", "links", &["follow", "manage"]),
    ("file", "replace", FLAG),
    ("file", "show_diff", FLAG),
    ("file", "sourceselect", &["first", "all"]),
    ("file", "source_permissions", &["use", "use_when_creating", "ignore"]),
    ("exec", "refreshonly", TWO),
    ("exec", "logoutput", &["true", "false", "on_failure"]),
    ("notify", "withpath", TWO),
    ("service", "enable", &["true", "false", "manual", "mask", "delayed"]),
    ("service", "hasstatus", TWO),
    ("service", "hasrestart", TWO),
    ("package", "configfiles", &["keep", "replace"]),
    ("package", "allow_virtual", FLAG),
    ("package", "reinstall_on_refresh", TWO),
    ("package", "mark", &["hold", "none"]),
    ("user", "membership", MEMBERSHIP),
    ("user", "system", FLAG),
    ("user", "allowdupe", FLAG),
    ("group", "ensure", PRESENCE),
    ("group", "auth_membership", FLAG),
    ("group", "system", FLAG),
    ("group", "allowdupe", FLAG),
    ("host", "ensure", PRESENCE),
    ("cron", "ensure", PRESENCE),
    ("ssh_authorized_key", "ensure", PRESENCE),
    ("sshkey", "ensure", PRESENCE),
    ("mailalias", "ensure", PRESENCE),
    ("mount", "ensure", &["defined", "present", "unmounted", "absent", "mounted"]),
    ("schedule", "period", &["hourly", "daily", "weekly", "monthly", "never"]),
    ("schedule", "periodmatch", &["number", "distance"]),
    ("tidy", "rmdirs", FLAG),
    ("tidy", "type", &["atime", "mtime", "ctime"]),
];

/// The providers of the types that have few.
const PROVIDERS: &[(&str, &[&str])] = &[
    ("file", &["posix"]),
    ("exec", &["posix", "shell"]),
    (
        "user",
        &["useradd", "adduser", "aix", "directoryservice", "hpuxuseradd", "ldap", "openbsd", "pw", "user_role_add"],
    ),
    ("group", &["groupadd", "aix", "directoryservice", "ldap", "pw"]),
];

/// Why a type refuses a resource, as the text of the error.
pub(super) fn refused(resource: &Resource) -> Option<String> {
    let reference = resource.reference();
    let failed = |name: &str, why: String| format!("Parameter {name} failed on {reference}: {why}");
    let is_known = |value: &Value| !unknown::is_in(value);
    let provider = resource.parameter("provider").filter(|value| is_known(value)).map(convert::string);
    if let Some(provider) = provider
        && let Some((ty, known)) = PROVIDERS.iter().find(|(ty, _)| **ty == *resource.ty)
        && !known.contains(&&*provider)
    {
        return Some(failed("provider", format!("Invalid {ty} provider '{provider}'")));
    }
    for (name, parameter) in resource.parameters.iter().filter(|(_, parameter)| is_known(&parameter.value)) {
        if let Some(why) =
            words(&resource.ty, name, &parameter.value).or_else(|| value(resource, name, &parameter.value))
        {
            return Some(failed(name, why));
        }
    }
    if !resource.parameters.values().all(|parameter| is_known(&parameter.value)) {
        return None;
    }
    let title = ral::name_of(resource);
    match &*resource.ty {
        "file" | "tidy" if !resource.parameters.contains_key("path") && !title.starts_with('/') => {
            Some(failed("path", format!("File paths must be fully qualified, not '{title}'")))
        }
        _ => whole(resource).map(|why| format!("Validation of {reference} failed: {why}")),
    }
}

fn words(ty: &str, name: &str, value: &Value) -> Option<String> {
    let (_, _, known) = WORDS.iter().find(|(of, parameter, _)| (*of == ty || *of == "*") && *parameter == name)?;
    let text = match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) => convert::string(value),
        _ => return None,
    };
    (!known.contains(&&*text)).then(|| invalid(value, &format!("Valid values are {}.", known.join(", "))))
}

fn invalid(value: &Value, known: &str) -> String {
    format!("Invalid value {}. {known}", convert::ruby(value))
}

/// One value, or each of a list.
fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_octal(text: &str) -> bool {
    let digits = if text.len() > 4 { text.strip_prefix('0').unwrap_or(text) } else { text };
    (1..=4).contains(&digits.len()) && digits.bytes().all(|b| (b'0'..=b'7').contains(&b))
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Str(text) => text.trim().parse().ok(),
        Value::Array(list) => as_float(list.first()?),
        _ => None,
    }
}

fn value(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = || convert::string(value);
    match (&*resource.ty, name) {
        ("file", _) => file(name, value),
        ("exec", _) => exec(resource, name, value),
        ("user", _) => user(name, value),
        ("tidy", _) => tidy(resource, name, value),
        ("schedule", _) => schedule(name, value),
        ("service", "ensure") => {
            let known = ["stopped", "running", "true", "false"].contains(&&*text());
            (!known).then(|| invalid(value, "Valid values are stopped, running."))
        }
        ("package", "ensure") if text().is_empty() => {
            Some(invalid(value, "Valid values are present, absent, purged, disabled, latest. Valid values match /./."))
        }
        ("package", "name") if matches!(value, Value::Array(_)) => Some("Name must be a String not Array".into()),
        ("group", "gid") => match value {
            Value::Str(gid) if !is_digits(gid.trim_start_matches('-')) && !gid.is_empty() => {
                Some(format!("Invalid GID {gid}"))
            }
            _ => None,
        },
        ("filebucket", "path") => match value {
            Value::Str(path) if !path.starts_with('/') && !TWO.contains(&&**path) => {
                Some("Filebucket paths must be absolute".into())
            }
            _ => None,
        },
        ("resources", "purge") if !FLAG.contains(&&*text()) => Some(munging(name, value, "expected a boolean value")),
        ("resources", "unless_system_user") if !TWO.contains(&&*text()) && !is_digits(&text()) => {
            Some(invalid(value, "Valid values are true, false. Valid values match /^\\d+$/."))
        }
        ("resources", "unless_uid") => items(value).into_iter().find_map(|one| match one {
            Value::Str(uid) if uid.trim().parse::<i64>().is_err() => {
                Some(munging(name, one, &format!("invalid value for Integer(): {}", convert::ruby(one))))
            }
            _ => None,
        }),
        ("resources", "name") if !ral::is_builtin(&text()) => {
            Some(format!("Could not find resource type '{}'", text()))
        }
        _ => None,
    }
}

fn munging(name: &str, value: &Value, why: &str) -> String {
    format!("Munging failed for value {} in class {name}: {why}", convert::ruby(value))
}

fn file(name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "path" if !text.starts_with('/') => Some(format!("File paths must be fully qualified, not '{text}'")),
        "staging_location" if !text.starts_with('/') => {
            Some(format!("File paths must be fully qualified, not '{text}'"))
        }
        "mode" => match value {
            Value::Str(mode) if valid_mode(mode) => None,
            Value::Str(_) => Some(format!("The file mode specification is invalid: {}", convert::ruby(value))),
            Value::Int(_) | Value::Float(_) => Some(format!(
                "The file mode specification must be a string, not '{}'",
                if matches!(value, Value::Int(_)) { "Integer" } else { "Float" }
            )),
            _ => None,
        },
        "recurse" if !["true", "false", "remote"].contains(&&*text) => {
            Some(format!("Invalid recurse value {}", convert::ruby(value)))
        }
        "recurselimit" if !is_digits(&text) => Some(invalid(value, "Valid values match /^[0-9]+$/.")),
        "max_files" if !is_digits(&text) && text != "-1" => {
            Some(invalid(value, "Valid values match /^[0-9]+$/, /^-1$/."))
        }
        "content" => items(value).into_iter().find(|one| matches!(one, Value::Int(_) | Value::Float(_))).map(|one| {
            let class = if matches!(one, Value::Int(_)) { "Integer" } else { "Float" };
            munging(name, one, &format!("no implicit conversion of {class} into String"))
        }),
        "ignore" if !matches!(value, Value::Str(_) | Value::Array(_)) => {
            Some("Ignore must be a string or an Array".into())
        }
        "backup" if matches!(value, Value::Int(_)) => Some(format!("Invalid backup type {text}")),
        "ctime" | "mtime" | "type" => Some(format!("{name} is read-only")),
        "source" => items(value).into_iter().find_map(|one| {
            let source = convert::string(one);
            match source.split_once("://").or_else(|| source.split_once(':')) {
                _ if source.starts_with('/') => None,
                Some(("puppet" | "file" | "http" | "https", _)) => None,
                Some((scheme, _)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                    Some(format!("Cannot use URLs of type '{scheme}' as source for fileserving"))
                }
                _ => Some(format!("Cannot use relative URLs '{source}'")),
            }
        }),
        _ => None,
    }
}

fn valid_mode(mode: &str) -> bool {
    is_octal(mode)
        || !mode.is_empty()
            && mode.split(',').all(|part| {
                let rest = part.trim_start_matches(['u', 'g', 'o', 'a']);
                rest.starts_with(['+', '-', '=']) && rest[1..].chars().all(|c| "rwxXstugo+-=".contains(c))
            })
}

fn exec(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    let has_path = resource.parameters.contains_key("path");
    let is_shell = resource.parameter("provider").is_some_and(|p| convert::string(p) == "shell");
    match name {
        "command"
            if !matches!(value, Value::Str(_) | Value::Array(_)) && matches!(value, Value::Int(_) | Value::Bool(_)) =>
        {
            let class = if matches!(value, Value::Int(_)) { "Integer" } else { "Boolean" };
            Some(format!("Command must be a String or Array<String>, got value of class {class}"))
        }
        "onlyif" | "unless" | "refresh" if !has_path && !is_shell => {
            unqualified(value).map(|word| not_qualified(&word))
        }
        "cwd" if !text.starts_with('/') => Some("cwd must be a fully qualified path".into()),
        "creates" if items(value).iter().any(|one| !convert::string(one).starts_with('/')) => {
            Some("creates must be a fully qualified path".into())
        }
        "environment" => items(value).into_iter().map(convert::string).find_map(|setting| {
            let front = setting.split('=').next().unwrap_or_default();
            let is_setting = setting.contains('=') && front.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            (!is_setting).then(|| format!("Invalid environment setting '{setting}'"))
        }),
        "umask" if !matches!(value, Value::Str(umask) if is_octal(umask)) => {
            Some(format!("The umask specification is invalid: {}", convert::ruby(value)))
        }
        "timeout" if as_float(value).is_none() => Some(munging(name, value, "The timeout must be a number.")),
        "tries" => match as_float(value) {
            None => Some(munging(name, value, "Tries must be an integer")),
            Some(tries) if tries < 1.0 => Some(munging(name, value, "Tries must be an integer >= 1")),
            Some(_) => None,
        },
        "try_sleep" => match as_float(value) {
            None => Some(munging(name, value, "try_sleep must be a number")),
            Some(pause) if pause < 0.0 => Some(munging(name, value, "try_sleep cannot be a negative number")),
            Some(_) => None,
        },
        _ => None,
    }
}

fn not_qualified(command: &str) -> String {
    format!("'{command}' is not qualified and no path was specified. Please qualify the command or specify a path.")
}

/// The first command of a guard that is no absolute path.
fn unqualified(guard: &Value) -> Option<String> {
    let first = |command: &&Value| match command {
        Value::Array(words) => words.first().map(convert::string).unwrap_or_default(),
        other => convert::string(other),
    };
    let is_absolute = |command: &String| command.trim_start_matches(['"', '\'']).starts_with('/');
    items(guard).iter().map(first).find(|command| !is_absolute(command))
}

fn user(name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "ensure" if text == "role" => {
            Some("Provider useradd must have features 'manages_solaris_rbac' to set 'ensure' to 'role'".into())
        }
        "ensure" if !PRESENCE.contains(&&*text) => Some(invalid(value, "Valid values are present, absent, role.")),
        "managehome" | "forcelocal" if !FLAG.contains(&&*text) => {
            Some(munging(name, value, "expected a boolean value"))
        }
        "password" if text.contains(':') => Some("Passwords cannot include ':'".into()),
        "password_min_age" | "password_max_age" if !is_digits(text.trim_start_matches('-')) => {
            let which = if name == "password_min_age" { "minimum" } else { "maximum" };
            Some(format!("Password {which} age must be provided as a number."))
        }
        "expiry" if text != "absent" && !is_date(&text) => {
            Some("Expiry dates must be YYYY-MM-DD or the string \"absent\"".into())
        }
        "groups" => items(value).into_iter().map(convert::string).find_map(|group| match &*group {
            "" => {
                Some("Group names must not be empty. If you want to specify \"no groups\" pass an empty array".into())
            }
            group if is_digits(group) => Some("Group names must be provided, not GID numbers.".into()),
            group if group.contains(',') => {
                Some("Group names must be provided as an array, not a comma-separated list.".into())
            }
            _ => None,
        }),
        "purge_ssh_keys" => items(value).into_iter().map(convert::string).find_map(|path| {
            let is_known = TWO.contains(&&*path) || path.starts_with(['/', '~', '%']);
            (!is_known).then(|| format!("Paths to keyfiles must be absolute, not {path}"))
        }),
        _ => None,
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == 3 && parts.iter().zip([4, 2, 2]).all(|(part, length)| is_digits(part) && part.len() == length)
}

fn schedule(name: &str, value: &Value) -> Option<String> {
    const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let text = convert::string(value);
    match name {
        "range" => items(value).into_iter().find_map(|one| {
            let text = convert::string(one);
            let Some((from, to)) = text.split_once('-') else { return Some(format!("Invalid range value '{text}'")) };
            for end in [from.trim(), to.trim()] {
                for (part, what, most) in
                    end.split(':').zip([("hour", 24), ("minute", 60), ("second", 60)]).map(|(p, (w, m))| (p, w, m))
                {
                    if !is_digits(part) {
                        return Some(format!("Invalid range value '{text}'"));
                    }
                    if part.parse::<u32>().is_ok_and(|number| number > most || what != "hour" && number >= most) {
                        return Some(munging(name, one, &format!("Invalid {what} '{part}'")));
                    }
                }
            }
            None
        }),
        "repeat" if !matches!(value, Value::Int(_)) && !is_digits(&text) => Some("Repeat must be a number".into()),
        "weekday" => items(value).into_iter().map(convert::string).find_map(|day| {
            let lower = day.to_lowercase();
            let is_number = is_digits(&day) && day.parse::<u8>().is_ok_and(|number| number < 7);
            let is_name = lower.len() >= 3 && DAYS.iter().any(|name| lower.starts_with(name));
            (!is_number && !is_name).then(|| format!("{day} is not a valid day of the week"))
        }),
        _ => None,
    }
}

fn tidy(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "age" => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            match (&text[..digits], &text[digits..]) {
                ("", _) | (_, "") if !matches!(value, Value::Str(age) if is_digits(age)) => {
                    Some(format!("Invalid tidy age {text}"))
                }
                (_, "") => None,
                (_, unit) if unit.len() == 1 && !"smhdw".contains(&unit.to_lowercase()) => {
                    Some(format!("Invalid age unit '{unit}'"))
                }
                (_, unit) if unit.chars().count() > 1 && !unit.chars().all(char::is_alphabetic) => {
                    Some(format!("Invalid tidy age {text}"))
                }
                _ => None,
            }
        }
        "size" => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            (digits == 0 || matches!(value, Value::Int(_)))
                .then(|| munging(name, value, &format!("Invalid tidy size {text}")))
        }
        "recurse" if !TWO.contains(&&*text) && text != "inf" && !is_digits(&text) => {
            Some(munging(name, value, &format!("Invalid recurse value {}", convert::ruby(value))))
        }
        "matches" => {
            let recurse = resource.parameter("recurse").map(convert::string).unwrap_or_default();
            ["", "0", "false"]
                .contains(&&*recurse)
                .then(|| "Tidy can't use matches with recurse 0, false, or undef".into())
        }
        _ => None,
    }
}

/// What parameters exclude together.
fn whole(resource: &Resource) -> Option<String> {
    let has = |name: &str| resource.parameters.contains_key(name);
    let text = |name: &str| resource.parameter(name).map(convert::string);
    match &*resource.ty {
        "file" => {
            if ["content", "source", "target"].iter().filter(|name| has(name)).count() > 1 {
                return Some("You cannot specify more than one of content, source, target".into());
            }
            if text("recurse").as_deref() == Some("remote") && !has("source") {
                return Some("You cannot specify a remote recursion without a source".into());
            }
            let checksum = text("checksum").unwrap_or_else(|| "sha256".into());
            if checksum == "none" && has("source") {
                return Some("You cannot specify source when using checksum 'none'".into());
            }
            if ["none", "mtime", "ctime"].contains(&&*checksum) && has("content") {
                return Some(format!("You cannot specify content when using checksum '{checksum}'"));
            }
            let length = match checksum.trim_end_matches("lite") {
                "md5" => 32,
                "sha1" => 40,
                "sha224" => 56,
                "sha384" => 96,
                "sha512" => 128,
                "sha256" => 64,
                _ => return None,
            };
            let given = text("checksum_value")?;
            let is_sum = given.len() == length && given.bytes().all(|b| b.is_ascii_hexdigit());
            (!is_sum).then(|| format!("Checksum value '{given}' is not a valid checksum type {checksum}"))
        }
        "exec" => {
            let is_shell = text("provider").as_deref() == Some("shell");
            let command = match resource.parameter("command") {
                Some(Value::Array(list)) => list.first().map(convert::string).unwrap_or_default(),
                Some(other) => convert::string(other),
                None => resource.title.to_string(),
            };
            let word = command.trim_start_matches(['"', '\'']);
            (!is_shell && !word.starts_with('/') && !has("path")).then(|| not_qualified(&command))
        }
        _ => None,
    }
}
