//! Formatting changes only the layout, and is stable after one pass.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::format;
use super::generated::program;
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl::ast::Ast;
use crate::lang::mcl::lexer::{TokenKind, lex};
use crate::lang::mcl::parser::{self, MAX_DEPTH};
use crate::lang::mcl::tree::tree;
use crate::source::{FileId, Sources};

const FILE: FileId = FileId(0);

fn formatted(text: &str) -> Option<String> {
    format(FILE, text, &mut Diagnostics::new(Stage::Parse))
}

/// Everything but the layout: the tokens without line breaks, and the comments.
fn content(text: &str) -> (Vec<&str>, Vec<&str>) {
    let tokens = lex(FILE, text, &mut Vec::new());
    let words = tokens.list.iter().filter(|t| t.kind != TokenKind::Newline);
    (
        words.map(|t| &text[t.start as usize..t.end as usize]).collect(),
        tokens.comments.iter().map(|c| &text[c.range()]).collect(),
    )
}

/// A file's tree without its places; `None` if its syntax is wrong.
fn tree_of(text: &str) -> Option<String> {
    let (mut sources, mut ast) = (Sources::default(), Ast::default());
    let file = sources.add("main.mcl", None, text);
    let mut diags = Diagnostics::new(Stage::Parse);
    let parsed = parser::parse(&mut ast, file, text, &mut diags);
    if diags.has_errors() {
        return None;
    }
    let without_place = |line: &str| match line.rsplit_once("  ") {
        Some((node, place)) if place.starts_with(|c: char| c.is_ascii_digit()) => format!("{node}\n"),
        _ => format!("{line}\n"),
    };
    Some(tree(&ast, &parsed).to_text(&sources).lines().map(without_place).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layout_is_all_that_changes(text in program()) {
        let once = formatted(&text).expect("the generated program is right");
        prop_assert_eq!(content(&once), content(&text));
        prop_assert_eq!(tree_of(&once), tree_of(&text));
        prop_assert_eq!(formatted(&once), Some(once.clone()));
        prop_assert!(!once.contains("\n\n\n") && !once.starts_with('\n') && !once.ends_with("\n\n"));
    }
}

/// The property's scope: a form that no generated program has would not be tested.
#[test]
fn every_form_is_generated() {
    let mut runner = TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..400 {
        let text = program().new_tree(&mut runner).expect("nothing is filtered out").current();
        let tree = tree_of(&text).expect("the generated program is right");
        seen.extend(tree.lines().filter_map(|line| line.split_whitespace().next()).map(String::from));
    }
    let missing: Vec<_> = FORMS.split_whitespace().filter(|form| !seen.contains(*form)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}

/// The kinds of nodes in a parsed file.
const FORMS: &str = "
    bind if then else for forkv in body func param type class include as import panic resource collect edge end name
    field meta before depend notify listen when bool int float str list map pair struct call var lambda binary not index
    get get-or except paren";

#[test]
fn wrong_syntax_is_left_alone() {
    assert_eq!(formatted("$x = = 1\n"), None);
    assert_eq!(formatted("$x = 1\r\n"), None);
}

#[test]
fn an_empty_file_stays_empty() {
    assert_eq!(formatted("").as_deref(), Some(""));
    assert_eq!(formatted(" \n\n\t\n").as_deref(), Some(""));
}

#[test]
fn the_deepest_program_can_be_printed() {
    let depth = MAX_DEPTH as usize - 2;
    let expr = format!("$x = {}1{}\n", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(formatted(&expr).as_deref(), Some(expr.as_str()));
    let blocks = "if true {\n".repeat(depth) + &"}\n".repeat(depth);
    assert!(formatted(&blocks).is_some());
    let lambdas = format!("$x = {}1{}\n", "func() { ".repeat(depth), " }".repeat(depth));
    assert_eq!(formatted(&lambdas).as_deref(), Some(lambdas.as_str()));
}
