//! The grammars for the eye: their corpora, and that each agrees with its compiler about what is a syntax error.

use std::fs;
use std::path::{Path, PathBuf};

use workbench::diag::{Code, Diagnostics, Stage};
use workbench::highlight::{Document, Grammar};
use workbench::lang::inmanta::{self, Edition};
use workbench::lang::mcl::{ast::Ast, parser as mcl_parser};
use workbench::lang::puppet::parser as puppet_parser;
use workbench::source::Sources;

/// A language with what the test needs of it.
struct Tongue {
    name: &'static str,
    grammar: Grammar,
    extension: &'static str,
    judge: fn(&str) -> Verdict,
}

/// What the compiler's own parser finds in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    /// Wrong in a way that a grammar can see too.
    Wrong,
    /// Wrong in another way; the parser may have stopped before an error that the grammar sees.
    Otherwise,
}

const TONGUES: &[Tongue] = &[
    Tongue { name: "mcl", grammar: Grammar::Mcl, extension: "mcl", judge: mcl },
    Tongue { name: "puppet", grammar: Grammar::Puppet, extension: "pp", judge: puppet },
    Tongue { name: "inmanta", grammar: Grammar::Inmanta, extension: "cf", judge: inmanta },
];

#[test]
fn corpus() {
    for tongue in TONGUES {
        let mut count = 0;
        for path in files(&tongue.corpus(), "txt") {
            let text = fs::read_to_string(&path).expect("the corpus is text");
            for case in corpus_cases(&text) {
                let document = Document::new(case.code, Some(tongue.grammar));
                assert_eq!(document.has_error(), case.error, "{}: {}", path.display(), case.title);
                if !case.error {
                    let expected = case.tree.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
                    assert_eq!(
                        without_fields(&document.s_expression()),
                        expected,
                        "{}: {}",
                        path.display(),
                        case.title
                    );
                }
                count += 1;
            }
        }
        assert!(count >= 15, "only {count} cases of {} were found", tongue.name);
    }
}

/// Every program of the repository, and every one of the conformance cases where they are beside it.
#[test]
fn agrees_with_the_compiler() {
    // The compiler parses on a thread with much room; deep programs of the cases need it.
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(compare_with_the_compiler);
    thread.expect("a thread can be started").join().expect("both agree");
}

fn compare_with_the_compiler() {
    for tongue in TONGUES {
        let programs = tongue.programs();
        let found = |text: &str| ((tongue.judge)(text), Document::new(text, Some(tongue.grammar)).has_error());
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        let mut rights = 0;
        for (name, text) in &programs {
            match found(text) {
                (Verdict::Right, has_error) => {
                    rights += 1;
                    accepted.extend(has_error.then_some(name));
                }
                (Verdict::Wrong, false) => refused.push(name),
                (Verdict::Wrong | Verdict::Otherwise, _) => {}
            }
        }
        let name = tongue.name;
        println!("{name}: {} programs, {rights} of them right", programs.len());
        assert!(
            accepted.is_empty(),
            "of {rights} right programs in {name} these are an error to the grammar: {accepted:#?}"
        );
        assert!(
            refused.is_empty(),
            "of {} programs in {name} the grammar sees no error in these: {refused:#?}",
            programs.len()
        );
    }
}

/// A whole text is highlighted by `tree-sitter-highlight`, and a part of it by our own code: every program and template of
/// the repository looks the same with both.
#[test]
fn whole_texts_look_as_their_parts_do() {
    let template = Tongue { name: "puppet", grammar: Grammar::Epp, extension: "epp", judge: puppet };
    let mut counts = Vec::new();
    for tongue in TONGUES.iter().chain([&template]) {
        let programs = tongue.programs();
        let mut spans = 0;
        for (name, text) in &programs {
            let document = Document::new(text.as_str(), Some(tongue.grammar));
            let (whole, parts) = (document.whole(), document.spans(0..text.len()));
            let differs = std::iter::zip(&whole, &parts).find(|(whole, part)| whole != part);
            assert_eq!(differs, None, "{name}: {}", document.s_expression());
            assert_eq!(whole.len(), parts.len(), "{name}");
            spans += whole.len();
        }
        counts.push((tongue.grammar, programs.len(), spans));
    }
    println!("{counts:?}");
    assert!(counts.iter().all(|(_, programs, spans)| *programs >= 3 && *spans > 20), "too few were found: {counts:?}");
}

impl Tongue {
    fn corpus(&self) -> PathBuf {
        root().join("tree-sitter-grammar").join(self.name).join("test/corpus")
    }

    fn programs(&self) -> Vec<(String, String)> {
        let mut programs: Vec<(String, String)> = Vec::new();
        for path in files(&root().join("modules").join(self.name), self.extension) {
            let text = fs::read_to_string(&path).expect("modules are text");
            programs.push((path.display().to_string(), text));
        }
        for path in files(&root().join("tests/cases"), "case") {
            let text = fs::read_to_string(&path).expect("cases are text");
            programs
                .extend(parts(&text, self.extension).map(|(name, part)| (format!("{}: {name}", path.display()), part)));
        }
        // What the code of a template may begin with is wrong in a program.
        let is_program = |path: &PathBuf| path.file_stem().is_none_or(|name| name != "templates");
        for path in files(&self.corpus(), "txt").into_iter().filter(is_program) {
            let text = fs::read_to_string(&path).expect("the corpus is text");
            for case in corpus_cases(&text) {
                programs.push((format!("{}: {}", path.display(), case.title), case.code.to_string()));
            }
        }
        let kept = root().join("../shared/conformance").join(format!("{}.jsonl", self.name));
        for line in fs::read_to_string(kept).unwrap_or_default().lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("each line is a case");
            // The older edition of a language is another language.
            let files = case["files"].as_object().filter(|_| case.get("edition").is_none());
            for (name, text) in files.into_iter().flatten() {
                if let Some(text) = text.as_str().filter(|_| name.ends_with(&format!(".{}", self.extension))) {
                    programs.push((format!("{}: {name}", case["id"]), text.to_string()));
                }
            }
        }
        programs
    }
}

/// Numbers out of range, fields named twice in a type and the depth that the compiler allows are beyond a grammar.
fn mcl(text: &str) -> Verdict {
    let mut sources = Sources::default();
    let file = sources.add("main.mcl", None, text);
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    mcl_parser::parse(&mut Ast::default(), file, text, &mut diagnostics);
    let is_syntax = |code| {
        matches!(
            code,
            Code::UnexpectedToken
                | Code::UnknownCharacter
                | Code::CarriageReturn
                | Code::UnterminatedString
                | Code::MissingComma
                | Code::ExtraComma
                | Code::OlderSyntax
        )
    };
    match diagnostics.iter().find(|diagnostic| is_syntax(diagnostic.code)).or(diagnostics.iter().next()) {
        None => Verdict::Right,
        Some(first) if is_syntax(first.code) => Verdict::Wrong,
        Some(_) => Verdict::Otherwise,
    }
}

/// Puppet's parser also judges what a list of expressions and a brace mean; that is no matter of grammar. Nor is a variable
/// without a name, which is refused behind the parser.
fn puppet(text: &str) -> Verdict {
    let mut sources = Sources::default();
    let file = sources.add("main.pp", None, text);
    match puppet_parser::parse(file, text, false, &mut Vec::new()) {
        Ok(_) if ["= $ ", "= $("].iter().any(|nameless| text.contains(nameless)) => Verdict::Otherwise,
        Ok(_) => Verdict::Right,
        Err(issue) if issue.name.as_str() == "SYNTAX_ERROR" => Verdict::Wrong,
        Err(issue) if issue.name.as_str().starts_with("UNCLOSED_") || issue.name.as_str().starts_with("HEREDOC_") => {
            Verdict::Wrong
        }
        Err(_) => Verdict::Otherwise,
    }
}

/// Whether a pattern is one, how long a number and how deep a text is, and that no `not in` follows a `not` are beyond a
/// grammar.
fn inmanta(text: &str) -> Verdict {
    let mut sources = Sources::default();
    let text = inmanta::ended(text);
    let file = sources.add("main.cf", None, text.as_str());
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    if inmanta::tree(&text, file, Edition::Today, &mut diagnostics).is_some() {
        return Verdict::Right;
    }
    let is_syntax = diagnostics.iter().all(|diagnostic| {
        diagnostic.label.starts_with("Syntax error") && !NO_SYNTAX.iter().any(|words| diagnostic.label.contains(words))
    });
    if is_syntax { Verdict::Wrong } else { Verdict::Otherwise }
}

/// `from a import b` is two names and an import to the grammar.
const NO_SYNTAX: [&str; 5] =
    ["Regex error", "nested more than", "4300 digits", "not is a reserved keyword", "`from … import` is no statement"];

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

/// The parts of a case that are files of a kind, with their names.
fn parts(case: &str, extension: &str) -> impl Iterator<Item = (String, String)> {
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
    let ending = format!(".{extension}");
    parts.into_iter().filter(move |(name, _)| name.ends_with(&ending))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a kind at any depth, in order; none if the folder is missing.
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
