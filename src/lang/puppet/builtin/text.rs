//! Strings.

use std::sync::Arc;

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::{Function, Signatures, through_block};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::{At, Problem, Run};
use crate::lang::puppet::types::new::string::capital;
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::value::Value;
use crate::lang::puppet::{convert, format};
use crate::lang::ruby::regexp::Regexp;
use crate::source::hex;

macro_rules! each_text {
    ($name:literal, $doc:literal, $takes:expr, $example:expr, $change:expr) => {
        Function {
            name: $name,
            signature: concat!($name, "(Variant[String, Numeric, Iterable] value)"),
            doc: $doc,
            examples: &[$example],
            takes: $takes,
            is_pure: true,
            call: |_, c| over(c, c.arg(0), &$change),
            ..Function::PLAIN
        }
    };
}

/// Signatures of functions that change a text, or each of many.
const TEXTS: Signatures = &[
    ("Callable[Numeric]", "arg"),
    ("Callable[String]", "arg"),
    ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
];

/// They also change texts inside of lists and hashes.
const NESTED: Signatures = &[
    ("Callable[Numeric]", "arg"),
    ("Callable[String]", "arg"),
    ("Callable[Array[Variant[String, Numeric, Array, Hash]]]", "arg"),
    ("Callable[Hash[Variant[String, Numeric, Array, Hash], Variant[String, Numeric, Array, Hash]]]", "arg"),
];

pub(super) const FUNCTIONS: &[Function] = &[
    each_text!("upcase", "The text in upper case.", NESTED, ("upcase('abc')", "'ABC'"), |t: &str| t.to_uppercase()),
    each_text!("downcase", "The text in lower case.", NESTED, ("downcase('ABC')", "'abc'"), |t: &str| t.to_lowercase()),
    each_text!(
        "capitalize",
        "The first letter in upper case, the others in lower case.",
        TEXTS,
        ("capitalize('harbour')", "'Harbour'"),
        capital
    ),
    each_text!(
        "camelcase",
        "The text without underscores, each word capitalised.",
        TEXTS,
        ("camelcase('host_name')", "'HostName'"),
        camelcase
    ),
    each_text!("strip", "The text without blanks at both ends.", TEXTS, ("strip(' a ')", "'a'"), |t: &str| t
        .trim_matches(blank)
        .to_string()),
    each_text!("lstrip", "The text without blanks at its start.", TEXTS, ("lstrip('  a ')", "'a '"), |t: &str| t
        .trim_start_matches(blank)
        .to_string()),
    each_text!("rstrip", "The text without blanks at its end.", TEXTS, ("rstrip(' a  ')", "' a'"), |t: &str| t
        .trim_end_matches(blank)
        .to_string()),
    each_text!("chop", "The text without its last character.", TEXTS, ("chop('ab')", "'a'"), |t: &str| match t
        .strip_suffix("\r\n")
    {
        Some(t) => t.to_string(),
        None => {
            let mut t = t.to_string();
            t.pop();
            t
        }
    }),
    each_text!("chomp", "The text without its line break.", TEXTS, ("chomp(\"a\\n\")", "'a'"), |t: &str| t
        .strip_suffix("\r\n")
        .or_else(|| t.strip_suffix('\n'))
        .or_else(|| t.strip_suffix('\r'))
        .unwrap_or(t)
        .to_string()),
    Function {
        name: "split",
        signature: "split(String text, Variant[String, Regexp] pattern)",
        doc: "The parts of a text.",
        examples: &[("split('a,b', ',')", "['a', 'b']")],
        takes: &[
            ("Callable[String, String]", "str pattern"),
            ("Callable[String, Regexp]", "str pattern"),
            ("Callable[String, Type[Regexp]]", "str pattern"),
            ("Callable[Sensitive[String], String]", "sensitive pattern"),
            ("Callable[Sensitive[String], Regexp]", "sensitive pattern"),
            ("Callable[Sensitive[String], Type[Regexp]]", "sensitive pattern"),
        ],
        is_pure: true,
        call: split,
        ..Function::PLAIN
    },
    Function {
        name: "regsubst",
        signature: "regsubst(Variant[Array, String] text, Variant[String, Regexp] pattern, String by, Optional[String] flags)",
        doc: "The text with matches replaced.",
        examples: &[("regsubst('a.b', '\\.', '-')", "'a-b'")],
        takes: &[
            (
                "Callable[Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], String, Sensitive[String]], String, Variant[String, Hash[String, String]], Optional[Pattern[/^[GEIM]*$/]], Enum['E', 'N', 'S', 'U'], 3, 5]",
                "target pattern replacement flags encoding",
            ),
            (
                "Callable[Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], String, Sensitive[String]], Variant[Regexp, Type[Regexp]], Variant[String, Hash[String, String]], Pattern[/^G?$/], 3, 4]",
                "target pattern replacement flags",
            ),
        ],
        is_pure: true,
        call: regsubst,
        ..Function::PLAIN
    },
    Function {
        name: "match",
        signature: "match(Variant[Array, String] text, Variant[String, Regexp, Pattern] pattern)",
        doc: "The match and its groups.",
        examples: &[("match('v12', /(\\d)(\\d)/)", "['12', '1', '2']")],
        takes: &[
            ("Callable[String, Variant[Any, Type]]", "string pattern"),
            ("Callable[Array[String], Variant[Any, Type]]", "string pattern"),
        ],
        is_pure: true,
        call: |_, c| matched(c, c.arg(0)),
        ..Function::PLAIN
    },
    Function {
        name: "sprintf",
        signature: "sprintf(String format, Any *args)",
        doc: "The values in a format.",
        examples: &[("sprintf('%03d', 7)", "'007'")],
        is_pure: true,
        call: |e, c| {
            let f = c.text(0)?;
            format::sprintf(&f, &c.args[1..], e.output.room()).map(Value::str).at(c.span)
        },
        ..Function::PLAIN
    },
    Function {
        name: "strftime",
        signature: "strftime(Variant[Timestamp, Timespan] time, String format, Optional[String] zone)",
        doc: "A time in a format.",
        examples: &[("strftime(Timestamp(0), '%Y')", "'1970'")],
        takes: &[
            ("Callable[Timespan, String]", "time_object format"),
            ("Callable[Timestamp, String, String, 2, 3]", "time_object format timezone"),
            ("Callable[String, String, 1, 2]", "format timezone"),
        ],
        is_pure: true,
        call: strftime,
        ..Function::PLAIN
    },
    Function {
        name: "scanf",
        signature: "scanf(String text, String format)",
        doc: "The values that a format finds in a text.",
        takes: &[("Callable[String, String, Optional[Callable]]", "data format block")],
        is_pure: true,
        call: scanf,
        ..Function::PLAIN
    },
    Function {
        name: "md5",
        signature: "md5(String text)",
        doc: "The MD5 digest.",
        examples: &[("md5('a')", "'0cc175b9c0f1b6a831c399e269772661'")],
        call: |_, c| digest::<Md5>(c),
        ..Function::PLAIN
    },
    Function {
        name: "sha1",
        signature: "sha1(String text)",
        doc: "The SHA-1 digest.",
        examples: &[("sha1('a')", "'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8'")],
        call: |_, c| digest::<Sha1>(c),
        ..Function::PLAIN
    },
    Function {
        name: "sha256",
        signature: "sha256(String text)",
        doc: "The SHA-256 digest.",
        examples: &[("sha256('a')", "'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'")],
        call: |_, c| digest::<Sha256>(c),
        ..Function::PLAIN
    },
    Function {
        name: "digest",
        signature: "digest(String text)",
        doc: "The SHA-256 digest.",
        call: |_, c| digest::<Sha256>(c),
        ..Function::PLAIN
    },
    Function {
        name: "shellquote",
        signature: "shellquote(Any *values)",
        doc: "The values quoted for a shell.",
        examples: &[("shellquote('a b', 'c')", "'\"a b\" c'")],
        call: shellquote,
        ..Function::PLAIN
    },
];

fn blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

fn camelcase(text: &str) -> String {
    text.split('_').map(capital).collect()
}

fn digest<D: Digest>(call: &Call) -> Run {
    call.between(1, 1)?;
    Ok(Value::str(hex(&D::digest(convert::string(call.arg(0))))))
}

/// A function of one text over a text or all of a list.
fn over(call: &Call, value: &Value, change: &dyn Fn(&str) -> String) -> Run {
    Ok(match value {
        Value::Str(text) => Value::str(change(text)),
        Value::Int(_) | Value::Float(_) => value.clone(),
        Value::Array(list) => Value::array(list.iter().map(|v| nested(call, v, change)).collect::<Run<_>>()?),
        Value::Iterator(items) => {
            Value::array(items.items.iter().map(|v| nested(call, v, change)).collect::<Run<_>>()?)
        }
        Value::Hash(map) if matches!(&*call.name, "upcase" | "downcase") => {
            let pairs = map.iter().map(|(k, v)| Ok((nested(call, k, change)?, nested(call, v, change)?)));
            Value::hash(pairs.collect::<Run<_>>()?)
        }
        other => {
            return call.wrong_type(format!(
                "'{}' expects a String, Numeric or Iterable value, got {}",
                call.name,
                types::infer_generic(other)
            ));
        }
    })
}

fn nested(call: &Call, value: &Value, change: &dyn Fn(&str) -> String) -> Run {
    let is_deep = matches!(&*call.name, "upcase" | "downcase");
    match value {
        Value::Str(_) | Value::Int(_) | Value::Float(_) => over(call, value, change),
        Value::Array(_) | Value::Hash(_) if is_deep => over(call, value, change),
        _ if is_deep => Ok(value.clone()),
        _ => call.wrong_type(format!("'{}' expects strings", call.name)),
    }
}

/// A pattern argument as a regular expression.
fn pattern(call: &Call, value: &Value) -> Run<Arc<Regexp>> {
    let regexp = match value {
        Value::Regexp(regexp) => regexp.clone(),
        Value::Str(source) => Arc::new(Regexp::new(source.clone())),
        Value::Type(ty) => match &**ty {
            Type::Regexp(source) => Arc::new(Regexp::new(source.clone().unwrap_or_else(|| "".into()))),
            Type::Pattern(sources) => {
                Arc::new(Regexp::new(sources.iter().map(|s| format!("(?:{s})")).collect::<Vec<_>>().join("|")))
            }
            _ => return call.fail(format!("{}(): a pattern is expected", call.name)),
        },
        _ => return call.fail(format!("{}(): a pattern is expected", call.name)),
    };
    regexp.compiled().map(|_| ()).map_err(Problem::regexp).at(call.span)?;
    Ok(regexp)
}

fn split(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let (text, sensitive) = match call.arg(0) {
        Value::Str(text) => (text.clone(), false),
        Value::Sensitive(inner) => match &**inner {
            Value::Str(text) => (text.clone(), true),
            _ => return call.wrong_type("'split' expects a String value"),
        },
        _ => return call.wrong_type("'split' expects a String value"),
    };
    let regexp = pattern(call, call.arg(1))?;
    let mut parts: Vec<String> = Vec::new();
    if regexp.source.is_empty() {
        parts = text.chars().map(|c| c.to_string()).collect();
    } else if &*regexp.source == " " && matches!(call.arg(1), Value::Str(_)) {
        parts = text.split(' ').map(str::to_string).collect();
    } else {
        let compiled = regexp.compiled().map_err(Problem::regexp).at(call.span)?;
        let mut last = 0;
        for found in compiled.captures_iter(&*text) {
            let found = found.map_err(|e| e.to_string()).at(call.span)?;
            let Some(whole) = found.get(0) else { continue };
            if whole.as_str().is_empty() && (whole.start() == 0 || whole.start() >= text.len()) {
                continue;
            }
            parts.push(text[last..whole.start()].to_string());
            if !whole.as_str().is_empty() {
                parts.extend(found.iter().skip(1).flatten().map(|g| g.as_str().to_string()));
            }
            last = whole.end();
        }
        parts.push(text[last..].to_string());
    }
    while parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    let list = Value::array(parts.into_iter().map(Value::str).collect());
    Ok(if sensitive { Value::Sensitive(Arc::new(list)) } else { list })
}

fn regsubst(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let replacement = call.text(2)?;
    let flags = match call.args.get(3) {
        Some(Value::Str(flags)) => flags.to_string(),
        _ => String::new(),
    };
    if let Some(bad) = flags.chars().find(|c| !"GEIM".contains(*c)) {
        return call
            .wrong_type(format!("'regsubst' parameter 'flags' expects a match for Pattern[/^[GEIM]*$/], got '{bad}'"));
    }
    let source = pattern(call, call.arg(1))?.source.clone();
    let options: String =
        [('I', 'i'), ('E', 'x'), ('M', 'm')].iter().filter(|(f, _)| flags.contains(*f)).map(|(_, o)| *o).collect();
    let regexp = if options.is_empty() || matches!(call.arg(1), Value::Regexp(_)) {
        Regexp::new(source)
    } else {
        Regexp::new(format!("(?{options}:{source})"))
    };
    let by = Replacement { text: &replacement, all: flags.contains('G') };
    substituted(e, call, call.arg(0), &regexp, &by)
}

/// What comes in the place of a match.
struct Replacement<'t> {
    text: &'t str,
    /// Of each match, not of the first alone.
    all: bool,
}

fn substituted(e: &mut Evaluator<'_>, call: &Call, value: &Value, regexp: &Regexp, by: &Replacement<'_>) -> Run {
    match value {
        Value::Array(list) => {
            let items = list.iter().map(|item| substituted(e, call, item, regexp, by));
            Ok(Value::array(items.collect::<Run<_>>()?))
        }
        Value::Sensitive(inner) => Ok(Value::Sensitive(Arc::new(substituted(e, call, inner, regexp, by)?))),
        Value::Str(text) => {
            let compiled = regexp.compiled().map_err(Problem::regexp).at(call.span)?;
            e.output.spend_text(text.len(), call.span)?;
            let (mut out, mut last) = (String::new(), 0);
            for found in compiled.captures_iter(&**text) {
                let found = found.map_err(|e| e.to_string()).at(call.span)?;
                let Some(whole) = found.get(0) else { continue };
                out.push_str(&text[last..whole.start()]);
                let group = |index: usize| found.get(index).map_or("", |g| g.as_str());
                let mut chars = by.text.chars().peekable();
                while let Some(c) = chars.next() {
                    if c != '\\' {
                        out.push(c);
                        continue;
                    }
                    match chars.next() {
                        Some(d) if d.is_ascii_digit() => out.push_str(group(d as usize - '0' as usize)),
                        Some('&') => out.push_str(group(0)),
                        Some('k') if chars.peek() == Some(&'<') => {
                            let name: String = chars.by_ref().skip(1).take_while(|c| *c != '>').collect();
                            out.push_str(found.name(&name).map_or("", |g| g.as_str()));
                        }
                        Some('\\') => out.push('\\'),
                        Some(other) => out.extend(['\\', other]),
                        None => out.push('\\'),
                    }
                }
                last = whole.end();
                if out.len() > e.output.room() {
                    return e.output.build(out.len(), call.span).map(|()| Value::Undef);
                }
                e.output.spend(2, call.span)?;
                if !by.all {
                    break;
                }
            }
            out.push_str(&text[last..]);
            Ok(Value::str(out))
        }
        other => {
            call.wrong_type(format!("'regsubst' expects a String or Array value, got {}", types::infer_generic(other)))
        }
    }
}

fn matched(call: &Call, value: &Value) -> Run {
    match value {
        Value::Array(list) => Ok(Value::array(list.iter().map(|item| matched(call, item)).collect::<Run<_>>()?)),
        Value::Str(text) => {
            let patterns = match call.arg(1) {
                Value::Type(ty) => match &**ty {
                    Type::Pattern(sources) => sources.iter().map(|s| Arc::new(Regexp::new(s.clone()))).collect(),
                    _ => vec![pattern(call, call.arg(1))?],
                },
                other => vec![pattern(call, other)?],
            };
            for regexp in patterns {
                if let Some(groups) = regexp.captures(text).map_err(Problem::regexp).at(call.span)? {
                    let groups = groups.into_iter().map(|g| g.map_or(Value::Undef, Value::str));
                    return Ok(Value::array(groups.collect()));
                }
            }
            Ok(Value::Undef)
        }
        other => {
            call.wrong_type(format!("'match' expects a String or Array value, got {}", types::infer_generic(other)))
        }
    }
}

fn strftime(e: &mut Evaluator<'_>, call: &Call) -> Run {
    // The old form: the current time.
    let is_old = matches!(call.arg(0), Value::Str(_)) && call.args.len() == 1;
    let Value::Str(text) = call.arg(usize::from(!is_old)) else {
        return call.wrong_type("'strftime' expects a format");
    };
    if types::is_too_wide(text) {
        return call.fail("a width of more than 1000 in a format of time");
    }
    if is_old {
        return Ok(Value::str(types::format_timestamp(text, e.inputs.settings.now, 0, "UTC")));
    }
    e.output.build(types::width(text), call.span)?;
    match call.arg(0) {
        Value::Timespan(value) => Ok(Value::str(types::format_timespan(text, *value))),
        Value::Timestamp(value) => {
            let zone = match call.args.get(2) {
                Some(Value::Str(zone)) => zone.clone(),
                _ => "UTC".into(),
            };
            let offset = types::zone(&zone);
            let Some(offset) = offset else { return call.fail(format!("Illegal timezone '{zone}'")) };
            let name = if zone.starts_with(['+', '-']) { "" } else { &*zone };
            Ok(Value::str(types::format_timestamp(text, *value, offset, name)))
        }
        other => call.wrong_type(format!(
            "'strftime' expects a Timestamp or Timespan value, got {}",
            types::infer_generic(other)
        )),
    }
}

fn scanf(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (text, format) = (call.text(0)?, call.text(1)?);
    let mut rest: &str = &text;
    let mut out = Vec::new();
    let mut chars = format.chars().peekable();
    'all: while let Some(c) = chars.next() {
        if c.is_whitespace() {
            rest = rest.trim_start();
        } else if c == '%' {
            let width: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)).collect();
            let most = width.parse().unwrap_or(usize::MAX);
            let kind = chars.next().unwrap_or('%');
            if kind != 'c' {
                rest = rest.trim_start();
            }
            let signed = |t: &str, ok: &dyn Fn(char) -> bool| {
                t.char_indices().take(most).take_while(|(i, c)| ok(*c) || *i == 0 && matches!(c, '-' | '+')).count()
            };
            let taken = match kind {
                'd' | 'u' | 'i' => signed(rest, &|c| c.is_ascii_digit()),
                'x' | 'X' => signed(rest, &|c| c.is_ascii_hexdigit() || c == 'x'),
                'o' => signed(rest, &|c| c.is_digit(8)),
                'f' | 'g' | 'e' => signed(rest, &|c| c.is_ascii_digit() || ".eE-".contains(c)),
                's' => rest.chars().take(most).take_while(|c| !c.is_whitespace()).map(char::len_utf8).sum(),
                'c' => rest.chars().take(if most == usize::MAX { 1 } else { most }).map(char::len_utf8).sum(),
                '%' if rest.starts_with('%') => {
                    rest = &rest[1..];
                    continue;
                }
                _ => 0,
            };
            if taken == 0 {
                break 'all;
            }
            let piece = &rest[..taken];
            rest = &rest[taken..];
            out.push(match kind {
                's' | 'c' => Value::str(piece),
                'f' | 'g' | 'e' => piece.parse().map_or(Value::Undef, Value::Float),
                'x' | 'X' => i64::from_str_radix(&piece.replace("0x", ""), 16).map_or(Value::Undef, Value::Int),
                'o' => i64::from_str_radix(piece, 8).map_or(Value::Undef, Value::Int),
                _ => crate::lang::puppet::number::parse(piece).unwrap_or(Value::Undef),
            });
        } else {
            match rest.strip_prefix(c) {
                Some(next) => rest = next,
                None => break,
            }
        }
    }
    through_block(e, call, Value::array(out))
}

fn shellquote(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let flat = super::collection::flatten(&call.args);
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "@%_+=:,./-".contains(c);
    let quoted = flat.iter().map(|value| {
        let text = convert::string(value);
        if !text.is_empty() && text.chars().all(is_safe) {
            text
        } else if !text.contains(|c| "!\\\"`$".contains(c)) {
            format!("\"{text}\"")
        } else if !text.contains('\'') {
            format!("'{text}'")
        } else {
            let mut out = String::from("\"");
            for c in text.chars() {
                if "\\\"`$".contains(c) {
                    out.push('\\');
                }
                out.push(c);
            }
            out.push('"');
            out
        }
    });
    Ok(Value::str(quoted.collect::<Vec<_>>().join(" ")))
}
