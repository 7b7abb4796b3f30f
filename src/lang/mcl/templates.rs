//! The place of a fault in a template that a program reads from a file: the template, not the call.

use std::path::PathBuf;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::source::{FileId, Sources, Span};
use crate::world::World;

/// How the message of such a fault begins.
const BEGIN: &str = "the template, at ";

/// Keywords and functions that a template may call, for words that are nearly one of them.
const WORDS: [&str; 17] = [
    "if", "else", "end", "range", "with", "define", "template", "printf", "print", "len", "index", "eq", "ne", "lt",
    "gt", "and", "or",
];

/// Moves the faults of templates to the files that hold them. `bases` are the folders of the program's files.
pub fn place(
    diagnostics: Diagnostics,
    bases: &[(FileId, PathBuf)],
    sources: &mut Sources,
    world: &dyn World,
) -> Diagnostics {
    if !diagnostics.iter().any(|one| one.code == Code::TemplateFailed) {
        return diagnostics;
    }
    let mut placed = Diagnostics::new(Stage::Eval);
    for one in diagnostics.iter() {
        let moved = moved(one, bases, sources, world);
        placed.push(moved.unwrap_or_else(|| one.clone()));
    }
    placed
}

fn moved(
    one: &Diagnostic,
    bases: &[(FileId, PathBuf)],
    sources: &mut Sources,
    world: &dyn World,
) -> Option<Diagnostic> {
    let call = one.span.filter(|_| one.code == Code::TemplateFailed)?;
    let (place, message) = one.label.strip_prefix(BEGIN)?.split_once(": ")?;
    let (line, column) = place.split_once(':')?;
    let (line, column) = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
    let path = path_of(call, bases, sources)?;
    let text = String::from_utf8(world.file(&path).ok()?.to_vec()).ok()?;
    let mut start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
    let own = text.get(start..)?.lines().next().unwrap_or_default();
    let within = own.char_indices().nth(column.saturating_sub(1)).map_or(own.len(), |(at, _)| at);
    let (mut message, mut help) = (message.to_owned(), advice(message, own, &text));
    let mut len = own[within..].split(|c: char| c.is_whitespace() || c == '}').next().map_or(0, str::len).max(1);
    start += within;
    if message.contains("`{{ end }}` is missing")
        && let Some((at, word)) = open_block(&text)
    {
        (start, len) = (at, word.len() + 3);
        message = format!("this `{word}` has no `{{{{ end }}}}`");
        help = Some("add `{{ end }}` after the last line that belongs to it".into());
    } else if own.matches("{{").count() > own.matches("}}").count() {
        start = start - within + own.rfind("{{").unwrap_or(0);
        len = 2;
        message = "this `{{` has no `}}` on its line".into();
        help = Some("close it with `}}`".into());
    }
    let end = (start + len).min(text.len());
    let file = sources.by_path(&path);
    let file = file.unwrap_or_else(|| sources.add(crate::module::shown(&path), Some(path.clone()), &*text));
    let mut moved = one.clone();
    moved.span = Some(Span::new(file, start.min(end), end));
    moved.label = message;
    moved.related.push((call, "the template is used here".into()));
    moved.help = help.or(moved.help);
    Some(moved)
}

/// The file whose text is the first argument of a call, or of the variable there.
fn path_of(call: Span, bases: &[(FileId, PathBuf)], sources: &Sources) -> Option<PathBuf> {
    let whole = &sources.file(call.file).text;
    let argument = sources.text(call).split_once('(')?.1.trim_start();
    let read = match argument.strip_prefix('$') {
        Some(rest) => {
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
            let set = whole.lines().find_map(|line| line.trim_start().strip_prefix(&format!("${name} ")));
            set?.trim_start_matches(|c: char| c != '=').trim_start_matches(['=', ' '])
        }
        None => argument,
    };
    let (from_root, rest) = match (read.strip_prefix("deploy.readfileabs("), read.strip_prefix("deploy.readfile(")) {
        (Some(rest), _) => (true, rest),
        (None, rest) => (false, rest?),
    };
    let written = rest.trim_start().strip_prefix('"')?.split('"').next()?;
    let base = if from_root { bases.first() } else { bases.iter().find(|(file, _)| *file == call.file) };
    Some(base?.1.join(written.strip_prefix('/')?))
}

/// The word of the innermost block that is open at the end, with its place.
fn open_block(text: &str) -> Option<(usize, &str)> {
    let mut open = Vec::new();
    for (at, _) in text.match_indices("{{") {
        let code = text[at + 2..].trim_start_matches('-').trim_start();
        match code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default() {
            word @ ("if" | "range" | "with" | "define" | "block") => open.push((at, word)),
            "end" => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// What to write in place of the fault.
fn advice(message: &str, line: &str, text: &str) -> Option<String> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if message.contains("but there is") {
        return Some(format!("write `.{}`", quoted.last()?));
    }
    if message.contains("no field") {
        let known = message.split_once("; there ").map(|(_, known)| format!(": there {known}"));
        return Some(format!(
            "correct its name{}, or add the field to the struct of the call",
            known.unwrap_or_else(|| ", which begins with a capital letter".into())
        ));
    }
    if let Some((sign, _)) = message.split_once(" is not allowed in") {
        const SIGNS: [(&str, &str); 9] = [
            (">=", "ge"),
            ("<=", "le"),
            ("==", "eq"),
            ("!=", "ne"),
            ("=", "eq"),
            (">", "gt"),
            ("<", "lt"),
            ("&&", "and"),
            ("||", "or"),
        ];
        let sign = sign.trim_matches('`');
        if let Some((_, word)) = SIGNS.iter().find(|(other, _)| *other == sign) {
            return Some(format!("write `{word} A B` in place of `A {sign} B`"));
        }
    }
    if message.contains("can only set variables") {
        return Some("write `{{ range $i, $x := .List }}`".into());
    }
    if message.contains("escape that is unknown") && line.contains('\'') {
        return Some("put the text into double quotes: `\"…\"`".into());
    }
    if message.contains("a parenthesis is not closed") {
        return Some("add `)`".into());
    }
    if let Some((_, rest)) = message.split_once("the variable ")
        && let Some((name, _)) = rest.split_once(" is not defined")
    {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let names = text.split('$').skip(1).map(|rest| rest.split(|c: char| !is_name(c)).next().unwrap_or_default());
        let near = nearest(name.trim_start_matches('$'), names.filter(|other| Some(*other) != name.strip_prefix('$')));
        return Some(match near {
            Some(near) => format!("did you mean `${near}`?"),
            None => format!("define it before: `{{{{ {name} := … }}}}`"),
        });
    }
    let word = quoted.first().filter(|_| message.starts_with("no function"))?;
    Some(match *word {
        "elif" | "elsif" | "elseif" => "write `{{ else if … }}`".into(),
        "length" | "size" | "count" => "did you mean `len`?".into(),
        "done" | "fi" => "write `{{ end }}`".into(),
        word if word.starts_with("end") => "write `{{ end }}`".into(),
        "for" | "foreach" | "each" => "write `{{ range $i, $x := .List }} … {{ end }}`".into(),
        word if line.contains(&format!("{{{{ {word} }}}}")) && nearest(word, WORDS).is_none() => {
            let name: String = word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
            format!("a field has a point before its name: `{{{{ .{name} }}}}`")
        }
        word => match nearest(word, WORDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "call a function of Go's templates, or pass the value in the struct of the call".into(),
        },
    })
}
