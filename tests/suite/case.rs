//! A case as a file: what it shows, the files it starts from, what is run, and what must come out.
//!
//! ```text
//! What the case shows.
//! -- main.mcl --                  a file; `$DIR` in it is the folder that the case runs in
//! -- data.bin escaped --          a file with \xNN, \n, \r and \\ in it, lines joined
//! -- deep.mcl repeat 10000 --     a file; what stands behind its first `*` is repeated
//! -- huge.mcl made --             a file; a line `@1..40 $x{i} = $x{i-1}\n` stands for its text, once for each number,
//!                                 without a line break of its own; `\` at the end of any other line joins it to the next
//! -- stdin --                     what the next command reads
//! -- args --                      a command line, words split at blanks, 'a b' is one word
//! -- STDOUT --                    outputs of the command above, checked where they stand
//! ```
//!
//! Without `args`, `graph` runs on the case's folder, or on `main.mcl` where there is no module. Outputs: `GRAPH`
//! (the mapped side, then the edges), `MAPPED` (without edges), `DIAGNOSTICS`, `FIRST` (its first line), `STDOUT`, `STDERR`, `EXIT`
//! (left out: 1 with errors, else 0) and `FILES`, which lists what the command left in the folder beside the case's own
//! files. `CATALOG` is `graph --format puppet-catalog` with a line for each resource and each relationship, and `MODEL` is
//! `model --format json` with a line for each variable and each instance. `TOLD` is alone: what a person reads of `graph`
//! on standard error.

use std::path::{Path, PathBuf};

/// One case, read.
#[derive(Debug, Default)]
pub struct Case {
    pub about: String,
    pub files: Vec<(String, Vec<u8>)>,
    pub runs: Vec<Run>,
    /// The text up to the first run, kept to the byte for `UPDATE=1`.
    head: String,
}

/// One command with what must come out.
#[derive(Debug, Default)]
pub struct Run {
    /// Without a program; `None` for `graph` on the case's folder.
    pub args: Option<Vec<String>>,
    pub stdin: Option<Vec<u8>>,
    /// Name and text, in order.
    pub outputs: Vec<(String, String)>,
    /// The part as it stands in the file, without outputs.
    head: String,
}

impl Run {
    pub fn output(&self, name: &str) -> Option<&str> {
        self.outputs.iter().find(|(have, _)| have == name).map(|(_, text)| text.as_str())
    }
}

/// Reads a case; a mistake in it is a failed test.
pub fn parse(text: &str) -> Case {
    let mut case = Case::default();
    let mut stdin = None;
    let mut pending = String::new();
    for (header, body) in parts(text) {
        let Some(header) = header else {
            case.about = body.to_string();
            case.head.push_str(body);
            continue;
        };
        let raw = format!("-- {header} --\n{body}");
        let words: Vec<&str> = header.split(' ').collect();
        match words.as_slice() {
            ["stdin"] => {
                stdin = Some(body.as_bytes().to_vec());
                pending.push_str(&raw);
            }
            ["args"] => {
                pending.push_str(&raw);
                let head = std::mem::take(&mut pending);
                case.runs.push(Run { args: Some(split(body)), stdin: stdin.take(), outputs: Vec::new(), head });
            }
            [name] if name.chars().all(|c| c.is_ascii_uppercase()) => {
                if case.runs.is_empty() {
                    case.runs.push(Run::default());
                }
                let run = case.runs.last_mut().expect("one was pushed just now");
                run.outputs.push((name.to_string(), body.to_string()));
            }
            [name, how @ ..] => {
                assert!(case.runs.is_empty(), "files stand before the first command: {name}");
                case.files.push((name.to_string(), content(body, how)));
                case.head.push_str(&raw);
            }
            [] => unreachable!("split gives at least one part"),
        }
    }
    if case.runs.is_empty() {
        case.runs.push(Run::default());
    }
    case
}

/// The case's text with new outputs.
pub fn print(case: &Case) -> String {
    let mut text = case.head.clone();
    for run in &case.runs {
        text.push_str(&run.head);
        for (name, output) in &run.outputs {
            let newline = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
            text.push_str(&format!("-- {name} --\n{output}{newline}"));
        }
    }
    text
}

/// Headers with the text below them; the first one has none.
fn parts(text: &str) -> Vec<(Option<&str>, &str)> {
    let mut parts = Vec::new();
    let (mut header, mut start, mut at) = (None, 0, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(name) = line.trim_end().strip_prefix("-- ").and_then(|rest| rest.strip_suffix(" --")) {
            parts.push((header, &text[start..at]));
            (header, start) = (Some(name), end);
        }
        at = end;
    }
    parts.push((header, &text[start..]));
    parts
}

fn content(body: &str, how: &[&str]) -> Vec<u8> {
    match how {
        [] => body.as_bytes().to_vec(),
        ["escaped"] => unescape(&body.replace('\n', "")),
        ["repeat", times] => {
            let times = times.parse().expect("`repeat` takes a number");
            let body = body.strip_suffix('\n').unwrap_or(body);
            let (head, rest) = body.split_once('*').unwrap_or(("", body));
            format!("{head}{}\n", rest.repeat(times)).into_bytes()
        }
        ["made"] => body.lines().map(made).collect::<String>().into_bytes(),
        other => panic!("a file may be `escaped`, `made` or `repeat N`, not {other:?}"),
    }
}

fn made(line: &str) -> String {
    let Some((range, text)) = line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) else {
        return line.strip_suffix('\\').map_or_else(|| format!("{line}\n"), str::to_string);
    };
    let (from, to) = range.split_once("..").expect("numbers stand as `@FROM..TO`");
    let number = |text: &str| text.parse::<u32>().expect("FROM and TO are numbers");
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    let one = |at: u32| {
        text.replace("{i}", &at.to_string())
            .replace("{i-1}", &at.wrapping_sub(1).to_string())
            .replace("{i+1}", &(at + 1).to_string())
    };
    (number(from)..number(to)).map(one).collect()
}

fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (byte, taken) = match (bytes[at], bytes.get(at + 1)) {
            (b'\\', Some(b'x')) => {
                let digits = text.get(at + 2..at + 4).expect("two digits stand behind \\x");
                (u8::from_str_radix(digits, 16).expect("the digits are hexadecimal"), 4)
            }
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            (b'\\', Some(b'\\')) => (b'\\', 2),
            (byte, _) => (byte, 1),
        };
        out.push(byte);
        at += taken;
    }
    out
}

/// Words at blanks; single quotes keep blanks and line breaks together.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in text.trim_end().chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            c if c.is_whitespace() && !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Every case below a folder, sorted.
pub fn find(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("the cases can be listed").path();
        if path.is_dir() {
            found.extend(find(&path));
        } else if path.extension().is_some_and(|e| e == "case") {
            found.push(path);
        }
    }
    found.sort();
    found
}
