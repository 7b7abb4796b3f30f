//! How far a package's own script reaches, told by reading it.
//!
//! Nothing runs. A script is known where each of its commands is one of a list, by which it only looks, deals with
//! services, makes accounts, or writes at paths that stand in the script; whatever else it says, it may do anything.
//! Conditions are not weighed: what stands in any branch counts, but for those of `case "$1"` that are for other occasions.
//! *Known*: `[ -e /etc/x.conf ] || cp /usr/share/x/x.conf /etc/x.conf`, and so with names from variables that the script sets.
//! *Anything*: `. /usr/share/x/functions`, `x-setup`, `rm -rf "$(x --print-folder)"`, or a script in Perl.
//! Names that globs and variables stand for are taken to stay in the folder that they begin with.

mod commands;
mod words;

use std::collections::BTreeMap;

use crate::host::Scripts;
use words::{Part, Token, Word};

/// Longer scripts are not read.
const CAP: usize = 256 << 10;

/// As many values of one word are followed, and as deep.
const VALUES: usize = 64;
const DEPTH: usize = 8;

/// How far a script reaches that is called with one of these as its first argument.
pub(super) fn reach(script: &str, occasions: &[&str]) -> Scripts {
    // The first line of a shell's script; everything else is another language.
    let is_shell = script.lines().next().is_some_and(|first| {
        let interpreter =
            first.strip_prefix("#!").and_then(|first| first.split_whitespace().next()).unwrap_or_default();
        ["/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/sh", "/usr/bin/bash"].contains(&interpreter)
    });
    if !is_shell || script.len() > CAP {
        return Scripts::anything();
    }
    reach_of_shell(script, occasions)
}

/// The same of a shell's text that has no first line which says so.
pub(super) fn reach_of_shell(script: &str, occasions: &[&str]) -> Scripts {
    read(script, occasions).unwrap_or_else(Scripts::anything)
}

fn read(script: &str, occasions: &[&str]) -> Option<Scripts> {
    let mut texts = vec![script.to_owned()];
    let mut read = Vec::new();
    // Commands within words hold commands themselves.
    while let Some(text) = texts.pop() {
        let is_first = read.is_empty();
        let tokens = words::tokens(&text, &mut texts)?;
        read.push(commands_in(&tokens, if is_first { occasions } else { &[] })?);
        if read.len() > CAP >> 8 {
            return None;
        }
    }
    let all: Vec<Simple> = read.into_iter().flatten().collect();
    let mut script = Script::default();
    all.iter().for_each(|simple| script.learn(simple));
    let mut scripts = Scripts::default();
    for simple in &all {
        script.reach(simple, &mut scripts)?;
    }
    Some(scripts)
}

/// One command with its words, or what stands like one.
#[derive(Clone, Debug, Default)]
struct Simple {
    words: Vec<Word>,
    /// Where its output goes.
    into: Vec<Word>,
    /// `for NAME in …`, told of the words that follow.
    is_loop: bool,
    defines: bool,
}

/// Words that only order commands.
const ORDERING: &[&str] = &["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "esac"];

/// Parts what was read into commands. Branches of `case "$1"` that are not for these occasions are left out.
fn commands_in(tokens: &[Token], occasions: &[&str]) -> Option<Vec<Simple>> {
    let mut commands = Vec::new();
    let mut simple = Simple::default();
    // Whether each `case` that is open is about the first argument of the script.
    let mut cases: Vec<bool> = Vec::new();
    let mut functions = 0_usize;
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    let mut is_left_out = None;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::End | Token::Open | Token::Close | Token::BranchEnd => {
                if !simple.words.is_empty() || !simple.into.is_empty() {
                    commands.push(std::mem::take(&mut simple));
                }
                if *token == Token::BranchEnd {
                    if is_left_out == Some(cases.len()) {
                        is_left_out = None;
                    }
                    at = branch(tokens, at, &mut cases, occasions, &mut is_left_out)?;
                }
            }
            _ if is_left_out.is_some() => {
                // Only cases within are of interest there.
                if let (Token::Word(word), true) = (token, simple.words.is_empty()) {
                    match word.text().as_deref() {
                        Some("case") => return None,
                        Some("esac") => {
                            is_left_out = None;
                            cases.pop()?;
                        }
                        _ => {}
                    }
                }
            }
            Token::From => {}
            Token::Into(word) => simple.into.push(word.clone()),
            Token::Word(word) if simple.words.is_empty() => match word.text().as_deref() {
                Some("case") => {
                    let about = tokens.get(at)?;
                    let is_first = matches!(about, Token::Word(word) if is_first_argument(word)) && functions == 0;
                    let is_in =
                        matches!(tokens.get(at + 1), Some(Token::Word(word)) if word.text().as_deref() == Some("in"));
                    if !is_in {
                        return None;
                    }
                    cases.push(is_first);
                    at = branch(tokens, at + 2, &mut cases, occasions, &mut is_left_out)?;
                }
                Some("esac") => drop(cases.pop()?),
                Some("for") => {
                    let Some(Token::Word(name)) = tokens.get(at) else { return None };
                    at += 1;
                    simple = Simple { words: vec![name.clone()], is_loop: true, ..Simple::default() };
                    if matches!(tokens.get(at), Some(Token::Word(word)) if word.text().as_deref() == Some("in")) {
                        at += 1;
                    } else {
                        // All arguments.
                        simple.words.push(Word { parts: vec![Part::Opaque] });
                    }
                }
                Some("function" | "select" | "[[" | "time" | "coproc") => return None,
                Some("{") => braces.push(false),
                Some("}") => {
                    if braces.pop()? {
                        functions -= 1;
                    }
                }
                Some(word) if ORDERING.contains(&word) => {}
                // A function: its body is read where it stands.
                Some(_) if matches!((tokens.get(at), tokens.get(at + 1)), (Some(Token::Open), Some(Token::Close))) => {
                    commands.push(Simple { words: vec![word.clone()], defines: true, ..Simple::default() });
                    at += 2;
                    while tokens.get(at) == Some(&Token::End) {
                        at += 1;
                    }
                    // Only with braces is it told where it ends.
                    match tokens.get(at) {
                        Some(Token::Word(word)) if word.text().as_deref() == Some("{") => at += 1,
                        _ => return None,
                    }
                    functions += 1;
                    braces.push(true);
                }
                _ => simple.words.push(word.clone()),
            },
            Token::Word(word) => simple.words.push(word.clone()),
        }
    }
    if !simple.words.is_empty() || !simple.into.is_empty() {
        commands.push(simple);
    }
    (cases.is_empty() && braces.is_empty()).then_some(commands)
}

fn is_first_argument(word: &Word) -> bool {
    let parts: Vec<&Part> = word.parts.iter().filter(|part| **part != Part::Text(String::new())).collect();
    matches!(parts[..], [Part::Variable(name)] if name == "1")
}

/// Reads the patterns of the next branch of a case, or its end. Gives where what follows begins.
fn branch(
    tokens: &[Token],
    mut at: usize,
    cases: &mut Vec<bool>,
    occasions: &[&str],
    is_left_out: &mut Option<usize>,
) -> Option<usize> {
    while matches!(tokens.get(at)?, Token::End | Token::Open) {
        at += 1;
    }
    let mut patterns = Vec::new();
    loop {
        match tokens.get(at)? {
            Token::Word(word) if patterns.is_empty() && word.text().as_deref() == Some("esac") => {
                cases.pop()?;
                return Some(at + 1);
            }
            Token::Word(word) => patterns.push(word),
            // Between patterns.
            Token::End => {}
            Token::Close => break,
            _ => return None,
        }
        at += 1;
    }
    let is_plain = |word: &&Word| word.text().is_some();
    let is_meant = |word: &&Word| occasions.contains(&word.text().unwrap_or_default().as_str());
    let is_about_first = *cases.last()? && !occasions.is_empty();
    if is_about_first && is_left_out.is_none() && patterns.iter().all(is_plain) && !patterns.iter().any(is_meant) {
        *is_left_out = Some(cases.len());
    }
    Some(at + 1)
}

/// What a script says of itself, wherever in it.
#[derive(Default)]
struct Script {
    /// All that a variable is ever set to; `None` where something sets it that is not known.
    values: BTreeMap<String, Option<Vec<Word>>>,
    functions: Vec<String>,
}

/// A text that a word may stand for, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Value {
    text: String,
    /// Whether more may follow.
    is_open: bool,
}

/// Splits `NAME=value` in front of a command.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(first)) = word.parts.first() else { return None };
    let (name, rest) = first.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(is_name) {
        return None;
    }
    let mut parts = vec![Part::Text(rest.to_owned())];
    parts.extend(word.parts[1..].iter().cloned());
    Some((name.to_owned(), Word { parts }))
}

impl Script {
    fn learn(&mut self, simple: &Simple) {
        if simple.defines {
            self.functions.extend(simple.words[0].text());
            return;
        }
        if simple.is_loop {
            let Some(name) = simple.words[0].text() else { return };
            for word in &simple.words[1..] {
                self.set(&name, Some(word.clone()));
            }
            return;
        }
        let first = simple.words.first().and_then(Word::text);
        let declares = matches!(first.as_deref(), Some("local" | "export" | "readonly"));
        for word in simple.words.iter().skip(usize::from(declares)) {
            match assignment(word) {
                Some((name, value)) => self.set(&name, Some(value)),
                None if declares => {}
                None => break,
            }
        }
        match first.as_deref() {
            Some("read" | "getopts") => {
                for name in simple.words[1..].iter().filter_map(Word::text) {
                    self.set(&name, None);
                }
            }
            Some("unset") => {}
            _ => {}
        }
    }

    fn set(&mut self, name: &str, value: Option<Word>) {
        let values = self.values.entry(name.to_owned()).or_insert_with(|| Some(Vec::new()));
        match (values, value) {
            (Some(values), Some(value)) if values.len() < VALUES => values.push(value),
            (values, _) => *values = None,
        }
    }

    /// All texts that a word may stand for.
    fn expand(&self, word: &Word, depth: usize) -> Vec<Value> {
        let mut texts = vec![Value::default()];
        for part in &word.parts {
            let next: Vec<Value> = match part {
                Part::Text(text) => vec![Value { text: text.clone(), is_open: false }],
                Part::Glob | Part::Opaque => vec![Value { text: String::new(), is_open: true }],
                Part::Variable(name) => self.value(name, depth),
                Part::Output(command) => self.output(command, depth),
            };
            let joined = texts.iter().flat_map(|before| {
                next.iter().map(move |next| match before.is_open {
                    true => before.clone(),
                    false => Value { text: format!("{}{}", before.text, next.text), is_open: next.is_open },
                })
            });
            texts = joined.collect();
            texts.dedup();
            if texts.len() > VALUES {
                return vec![Value { text: String::new(), is_open: true }];
            }
        }
        // A variable with spaces may be several words, or one in quotes.
        if word.parts.iter().any(|part| matches!(part, Part::Variable(_))) {
            let parted = texts.iter().filter(|value| value.text.contains(char::is_whitespace)).flat_map(|value| {
                let words: Vec<&str> = value.text.split_whitespace().collect();
                let last = words.len();
                let part =
                    move |(word, at): (&str, usize)| Value { text: word.into(), is_open: value.is_open && at == last };
                words.into_iter().zip(1..).map(part).collect::<Vec<_>>()
            });
            let parted: Vec<Value> = parted.collect();
            texts.extend(parted);
        }
        texts
    }

    /// What a command within a word writes, where that is told by its words alone.
    fn output(&self, command: &str, depth: usize) -> Vec<Value> {
        let unknown = || vec![Value { text: String::new(), is_open: true }];
        let Some(tokens) = words::tokens(command, &mut Vec::new()).filter(|_| depth < DEPTH) else { return unknown() };
        let [Token::Word(name), Token::Word(path)] = &tokens[..] else { return unknown() };
        if name.text().as_deref() != Some("dirname") {
            return unknown();
        }
        let folder = |value: Value| match value.text.trim_end_matches('/').rsplit_once('/') {
            Some((folder, _)) if !value.is_open && value.text.starts_with('/') => {
                Value { text: format!("{folder}/"), is_open: false }
            }
            _ => Value { text: String::new(), is_open: true },
        };
        self.expand(path, depth + 1).into_iter().map(folder).collect()
    }

    fn value(&self, name: &str, depth: usize) -> Vec<Value> {
        let unknown = || vec![Value { text: String::new(), is_open: true }];
        match self.values.get(name) {
            Some(Some(words)) if depth < DEPTH => {
                // It may be that none of them was set yet.
                words.iter().flat_map(|word| self.expand(word, depth + 1)).collect()
            }
            None if name == "DPKG_ROOT" => vec![Value::default()],
            _ => unknown(),
        }
    }

    /// Adds how far a command reaches. `None` where it may do anything.
    fn reach(&self, simple: &Simple, scripts: &mut Scripts) -> Option<()> {
        if simple.defines || simple.is_loop {
            return Some(());
        }
        for target in &simple.into {
            for value in self.expand(target, 0) {
                commands::writes(&value, commands::Writes::Path, scripts)?;
            }
        }
        let words: Vec<&Word> = simple.words.iter().skip_while(|word| assignment(word).is_some()).collect();
        self.command(&words, scripts)
    }

    fn command(&self, words: &[&Word], scripts: &mut Scripts) -> Option<()> {
        let Some((name, args)) = words.split_first() else { return Some(()) };
        let args: Vec<Value> = args.iter().flat_map(|word| self.expand(word, 0)).collect();
        for name in self.expand(name, 0) {
            if name.is_open {
                return None;
            }
            if !self.functions.contains(&name.text) {
                commands::reach(&name.text, &args, scripts)?;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(script: &str) -> Option<String> {
        let scripts = reach(&format!("#!/bin/sh\nset -e\n{script}\n"), &["configure"]);
        let shown = |path: &std::path::PathBuf| path.display().to_string();
        let folders = scripts.folders.iter().map(|path| shown(path) + "/");
        let all = scripts.paths.iter().map(shown).chain(folders);
        let all = all.chain(scripts.trees.iter().map(|path| shown(path) + "/…"));
        let mut all: Vec<String> = all.collect();
        all.extend(scripts.services.then(|| "services".into()));
        all.extend(scripts.accounts.then(|| "accounts".into()));
        (!scripts.any).then(|| all.join(" "))
    }

    #[test]
    fn what_a_script_writes_is_told() {
        for (script, expected) in [
            ("", ""),
            ("[ -d /etc/x ] && echo yes >&2 || true", ""),
            ("if [ \"$1\" = configure ]; then mkdir -p /etc/x; fi", "/etc/x/"),
            ("[ -e /etc/x.conf ] || cp /usr/share/x/x.conf /etc/x.conf", "/etc/x.conf/… /usr/share/x/x.conf/…"),
            ("A=/var/log/x\nfor f in a b; do touch \"$A/$f\"; done", "/var/log/x/a /var/log/x/b"),
            ("A=/var/log\nB=\"$A/y\"\nchown root:adm $B", "/root:adm /var/log/y"),
            ("echo \"x # no remark\" > /etc/x # a remark", "/etc/x"),
            ("cat > /etc/x <<EOF\nrm -rf /etc/y\nEOF\ntrue", "/etc/x"),
            ("rm -f /etc/x.d/*.conf", "/etc/x.d/…"),
            ("chmod 0640 \"/etc/x.d/$2\"", "/0640 /etc/x.d/…"),
            ("case \"$1\" in\nconfigure) touch /a ;;\npurge|remove) rm -rf /b ;;\n*) exit 1 ;;\nesac", "/a"),
            ("f() {\ncase \"$1\" in\nx) touch /a ;;\nesac\n}\nf x", "/a"),
            ("case \"$2\" in (x) touch /a;; *) touch /b;; esac", "/a /b"),
            ("if dpkg --compare-versions \"$2\" lt 1; then rm -f /etc/x; fi", "/etc/x/…"),
            ("deb-systemd-helper enable 'x.service' >/dev/null || true", "services"),
            ("sed -i s/a/b/ /etc/x", "/etc/x/… /s/a/b/…"),
            ("A=/etc/x/y\nmkdir -p `dirname \"$A\"`", "/etc/x/"),
            ("touch '/etc/a b'", "/etc/a b"),
            ("A='/a /b'\nrm $A", "/a/… /a /b/… /b/…"),
            ("mkdir -p $(x)", "anything"),
        ] {
            let expected = (expected != "anything").then(|| expected.to_owned());
            assert_eq!(paths(script), expected, "{script}");
        }
        let accounts = paths("adduser --system --home /var/lib/x --no-create-home x").expect("is known");
        assert!(!accounts.contains("/home") && paths("adduser x").is_some_and(|told| told.contains("/home/…")));
        assert!(accounts.ends_with("accounts") && accounts.contains("/var/lib/x"), "{accounts}");
    }

    #[test]
    fn what_cannot_be_told_may_be_anything() {
        for script in [
            "x-setup",
            ". /usr/share/x/functions",
            "eval \"$2\"",
            "rm -rf \"$2\"",
            "rm -rf \"$(x)\"",
            "touch \"$UNSET\"",
            "A=$(x-config)\ntouch $A",
            "$2 --now",
            "echo x | sh",
            "find /etc/x -exec rm {} +",
            "read A\ntouch $A",
            "cat <<EOF\n$(x)\nEOF",
            "command x-setup",
            "case x",
            "echo 'x",
            "touch /etc/x > \"$2\"",
            "xargs rm < /etc/list",
            "cd /etc/x && touch y",
            "cp /a ../etc/x",
            "touch /etc/x/../y",
            "trap 'rm /etc/x' EXIT",
            "awk '{print > \"/etc/x\"}' /a",
        ] {
            assert_eq!(paths(script), None, "{script}");
        }
        for other in
            ["#!/usr/bin/perl\nuse x;", "", "touch /a", "#!/bin/sh -e\n\u{0}`", "#!/bin/sh\n{", "#!/bin/sh\n;;"]
        {
            assert!(reach(other, &[]).any, "{other}");
        }
    }
}
