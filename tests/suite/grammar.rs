//! The grammar for the eye: its corpus, and that it agrees with the compiler about what is a syntax error.

use std::fs;
use std::path::{Path, PathBuf};

use workbench::diag::{Code, Diagnostics, Stage};
use workbench::highlight::{Document, Grammar};
use workbench::lang::mcl::{ast::Ast, parser};
use workbench::source::Sources;

/// What a lexer or parser says that a grammar can say too. Numbers out of range, fields named twice in a type and the depth
/// that the compiler allows are beyond a grammar.
const SYNTAX: &[Code] = &[
    Code::UnexpectedToken,
    Code::UnknownCharacter,
    Code::CarriageReturn,
    Code::UnterminatedString,
    Code::MissingComma,
    Code::ExtraComma,
    Code::OlderSyntax,
];

#[test]
fn corpus() {
    let folder = root().join("tree-sitter-grammar/mcl/test/corpus");
    let mut count = 0;
    for path in files(&folder, "txt") {
        let text = fs::read_to_string(&path).expect("the corpus is text");
        for case in corpus_cases(&text) {
            let document = Document::new(case.code, Some(Grammar::Mcl));
            assert_eq!(document.has_error(), case.error, "{}: {}", path.display(), case.title);
            if !case.error {
                let expected = case.tree.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
                assert_eq!(without_fields(&document.s_expression()), expected, "{}: {}", path.display(), case.title);
            }
            count += 1;
        }
    }
    assert!(count >= 50, "only {count} cases were found");
}

#[test]
fn agrees_with_the_compiler() {
    let mut programs: Vec<(String, String)> = Vec::new();
    for path in files(&root().join("modules/mcl"), "mcl") {
        let text = fs::read_to_string(&path).expect("modules are text");
        programs.push((path.display().to_string(), text));
    }
    for path in files(&root().join("tests/cases"), "case") {
        let text = fs::read_to_string(&path).expect("cases are text");
        programs.extend(mcl_parts(&text).map(|(name, part)| (format!("{}: {name}", path.display()), part)));
    }
    for path in files(&root().join("tree-sitter-grammar/mcl/test/corpus"), "txt") {
        let text = fs::read_to_string(&path).expect("the corpus is text");
        for case in corpus_cases(&text) {
            programs.push((format!("{}: {}", path.display(), case.title), case.code.to_string()));
        }
    }
    let differing: Vec<_> = programs.iter().filter(|(_, text)| differs(text)).map(|(name, _)| name).collect();
    assert!(differing.is_empty(), "of {} programs these are an error to only one: {differing:#?}", programs.len());
}

fn differs(text: &str) -> bool {
    let mut sources = Sources::default();
    let file = sources.add("main.mcl", None, text);
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    parser::parse(&mut Ast::default(), file, text, &mut diagnostics);
    let compiler = diagnostics.iter().any(|diagnostic| SYNTAX.contains(&diagnostic.code));
    let other = diagnostics.iter().any(|diagnostic| !SYNTAX.contains(&diagnostic.code));
    let grammar = Document::new(text, Some(Grammar::Mcl)).has_error();
    // After another kind of error the compiler may have stopped before the syntax error that the grammar sees.
    compiler != grammar && !(grammar && other)
}

struct Case<'a> {
    title: &'a str,
    code: &'a str,
    tree: &'a str,
    error: bool,
}

/// tree-sitter's own format: a title between two rules of `=`, the code, a rule of `-`, the tree.
fn corpus_cases(text: &str) -> Vec<Case<'_>> {
    let rule = "=".repeat(80);
    let parts: Vec<&str> = text.split(&format!("{rule}\n")).collect();
    parts[1..]
        .chunks(2)
        .map(|pair| {
            let [head, body] = pair else { panic!("a case has a head and a body: {pair:?}") };
            let (code, tree) = body.split_once(&format!("\n{}\n", "-".repeat(80))).expect("a rule before the tree");
            let title = head.lines().next().expect("a title");
            Case { title, code: code.trim_start_matches('\n'), tree, error: head.contains("\n:error") }
        })
        .collect()
}

/// A tree as the corpus writes it: `(bind name: (binding))` becomes `(bind (binding))`.
fn without_fields(tree: &str) -> String {
    tree.split(' ').filter(|word| !word.ends_with(':')).collect::<Vec<_>>().join(" ")
}

/// The parts of a case that are mcl, with their names.
fn mcl_parts(case: &str) -> impl Iterator<Item = (String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in case.split_inclusive('\n') {
        match line.strip_prefix("-- ").and_then(|rest| rest.trim_end().strip_suffix(" --")) {
            Some(name) => parts.push((name.to_string(), String::new())),
            None => {
                if let Some((_, text)) = parts.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    parts.into_iter().filter(|(name, _)| name.ends_with(".mcl"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a kind at any depth, in order; none where there is no such folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("the repository can be read").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
