//! The place of a template's error, and what to write there.

use std::path::Path;

use minijinja::ErrorKind;

use super::super::error::{Elsewhere, Raise};
use super::super::jinja;

/// Whether a tag on a line has a string without an end.
fn has_open_string(line: &str) -> bool {
    const TAGS: [(&str, &str); 2] = [("{%", "%}"), ("{{", "}}")];
    let mut rest = line;
    while let Some((at, end)) = TAGS.into_iter().filter_map(|(open, end)| Some((rest.find(open)?, end))).min() {
        let tag = &rest[at + 2..];
        let (inside, behind) = tag.split_once(end).unwrap_or((tag, ""));
        let (mut quote, mut is_escaped): (Option<char>, bool) = (None, false);
        for c in inside.chars() {
            match quote {
                _ if is_escaped => is_escaped = false,
                Some(_) if c == '\\' => is_escaped = true,
                Some(open) if c == open => quote = None,
                None if matches!(c, '"' | '\'') => quote = Some(c),
                _ => {}
            }
        }
        if quote.is_some() {
            return true;
        }
        rest = behind;
    }
    false
}

/// Words that begin a tag.
const WORDS: [&str; 14] = [
    "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "macro", "endmacro", "include", "block",
    "endblock", "raw",
];

/// Filters of Jinja.
const FILTERS: &str = "\
    abs batch bool capitalize default dictsort escape first float indent int items join last length list lower \
    map replace reverse round sort title upper";

/// Tests of Jinja.
const TESTS: &str = "\
    defined undefined none string number mapping iterable sequence boolean true false odd even divisibleby in \
    sameas";

/// The word of a tag that was probably meant.
fn meant_word(word: &str, text: &str, line: usize) -> Option<String> {
    match word {
        "end" => {
            let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
            open_block(&text[..before]).map(|(_, word)| format!("end{word}"))
        }
        "elseif" | "elsif" => Some("elif".into()),
        // `edif` and `endfi` end the block that is open.
        word => {
            let open = open_block(text).map(|(_, word)| format!("end{word}"));
            let open = open.filter(|end| crate::diag::nearest(word, [end.as_str()]).is_some());
            open.or_else(|| crate::diag::nearest(word, WORDS).map(str::to_string))
        }
    }
}

/// An error of a template at its line, with what to do there.
pub fn located(
    raise: Box<Raise>,
    error: &minijinja::Error,
    text: &str,
    file: Option<&Path>,
    names: &[String],
) -> Box<Raise> {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let mut line = error.line().unwrap_or(1);
    let (mut label, mut help) = (detail.clone(), "compare the tag with the manual of Jinja".to_string());
    let own = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let quoted = |from: &str| from.split('`').nth(1).map(str::to_string);
    if detail.contains("end of string") {
        if let Some(at) = text.lines().position(has_open_string) {
            line = at + 1;
            label = "a string in this tag has no closing quote".into();
        }
        help = "add `\"` or `'` where the text ends".into();
    } else if detail.contains("end of input") || detail.contains("unexpected end") {
        if let Some((open, word)) = open_block(text) {
            line = open;
            label = format!("`{{% {word} %}}` has no `{{% end{word} %}}`");
            help = format!("add `{{% end{word} %}}` after the last line that belongs to line {open}");
        }
    } else if let Some(name) = quoted(&detail).filter(|_| detail.contains("undefined")) {
        help = match crate::diag::nearest(&name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("set `{name}` where the template is rendered, or correct the name"),
        };
    } else if let Some(word) = detail.strip_prefix("unknown statement ") {
        let near = meant_word(word, text, line);
        help = near.map_or("write `if`, `for`, `set` or another tag of Jinja".into(), |near| {
            format!("did you mean `{near}`?")
        });
    } else if let Some(name) = detail.strip_prefix("filter ").and_then(|rest| rest.split(' ').next()) {
        let begins = |filter: &&str| name.starts_with(*filter) || filter.starts_with(name);
        let near = crate::diag::nearest(name, FILTERS.split(' ')).or_else(|| FILTERS.split(' ').find(begins));
        help = near.map_or("use a filter of Jinja".into(), |near| format!("did you mean `{near}`?"));
    } else if let Some(name) = detail.strip_prefix("test ").and_then(|rest| rest.split(' ').next()) {
        let near = crate::diag::nearest(name, TESTS.split(' ')).filter(|_| detail.contains("unknown"));
        help = near.map_or("use a test of Jinja, such as `defined`".into(), |near| format!("did you mean `{near}`?"));
    } else if let Some((kind, name)) = detail.split_once(" has no method ") {
        let (name, known) = (name.trim_matches('`'), jinja::methods(kind));
        help = match crate::diag::nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "use a filter of Jinja, such as `{{ value | length }}`".into(),
        };
    } else if detail.ends_with("is not supported here") {
        help = "use a filter of Jinja, such as `{{ value | length }}`, or a plugin".into();
    } else if matches!(error.kind(), ErrorKind::TemplateNotFound | ErrorKind::BadInclude) {
        help =
            "write the path with its module: `MODULE/FILE`, for a file in the folder `templates` of the module".into();
    } else if detail.contains("format spec") || detail.contains("format string") {
        help = "write `%s` for a text and `%d` for a whole number, or convert the value: `| int`, `| string`".into();
    } else if let Some(at) = text.lines().take(line.saturating_sub(1)).position(has_open_string) {
        line = at + 1;
        label = "a string in this tag has no closing quote".into();
        help = "add `\"` or `'` where the text ends".into();
    } else if detail.starts_with("unexpected `=`") {
        help = "write `==` to compare two values".into();
    } else if detail.contains("expected assignment operator") {
        label = "`set` has no `=` between the name and the value".into();
        help = "write `{% set NAME = VALUE %}`".into();
    } else if let Some((before, _)) = own.split_once("else if ") {
        if before.trim_end().ends_with("{%") || before.trim_end().ends_with("{%-") {
            label = "`else if` is written `elif` in Jinja".into();
            help = "write `{% elif CONDITION %}`".into();
        }
    } else if own.matches("{{").count() > own.matches("}}").count() {
        label = "the `{{` of this line has no `}}`".into();
        help = "close it with `}}`".into();
    } else if own.matches("{%").count() > own.matches("%}").count() {
        label = "the `{%` of this line has no `%}`".into();
        help = "close it with `%}`".into();
    } else if let Some((found, expected)) = detail.split_once(", expected ") {
        help = format!("write {expected} where there is {}", found.trim_start_matches("unexpected "));
    }
    let raise = raise.with_help(help).with_label(label);
    in_file(raise, file, text, line)
}

/// An error at a line of a template.
pub fn in_file(raise: Box<Raise>, file: Option<&Path>, text: &str, line: usize) -> Box<Raise> {
    match file {
        Some(path) => raise.with_elsewhere(Elsewhere {
            path: path.to_path_buf(),
            shown: path.to_string_lossy().into_owned(),
            text: text.to_string(),
            line,
        }),
        None => raise,
    }
}

/// The names that `for` and `set` of a template define.
pub fn own_names(text: &str) -> Vec<String> {
    let tags = text.split("{%").skip(1).map(|tag| tag.trim_start_matches('-').trim_start());
    let lists = tags.filter_map(|tag| match tag.split_once(' ')? {
        ("for", rest) => rest.split_once(" in ").map(|(names, _)| names),
        ("set", rest) => rest.split_once('=').map(|(names, _)| names),
        _ => None,
    });
    lists.flat_map(|names| names.split(',')).map(|name| name.trim().to_string()).collect()
}

/// The innermost block that is open at the end of a template: its line and its word.
fn open_block(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for (at, _) in text.match_indices("{%") {
        line += text[counted..at].matches('\n').count();
        counted = at;
        let code = text[at + 2..].trim_start_matches('-').trim_start();
        let word = code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        match word {
            "if" | "for" | "macro" | "block" | "filter" | "call" => open.push((line, word.to_string())),
            _ if word.starts_with("end") => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}
