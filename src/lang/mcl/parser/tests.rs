//! Inputs made to break a parser, and the trees that it accepts.

use super::{MAX_DEPTH, load};
use crate::diag::{Code, Diagnostics, Stage};
use crate::lang::mcl::ast::Ast;
use crate::lang::mcl::tree::tree;
use crate::source::Sources;
use crate::world::Stop;

/// The codes of all problems in a text, after making and walking its tree.
fn problems(text: &str) -> Vec<Code> {
    let mut sources = Sources::default();
    let file = sources.add("main.mcl", None, text);
    let mut ast = Ast::default();
    let mut diags = Diagnostics::new(Stage::Parse);
    let parsed = load(&mut ast, file, text, &Stop::default(), &mut diags);
    drop(tree(&ast, &parsed).to_text(&sources));
    diags.iter().map(|d| d.code).collect()
}

#[test]
fn nesting_ends_in_one_diagnostic() {
    let openers = [
        ("$x = ", "["),
        ("$x = ", "("),
        ("$x = ", "{"),
        ("$x = ", "{1 => "),
        ("$x = ", "struct{a => "),
        ("$x = ", "not "),
        ("$x = ", "f("),
        ("$x = ", "$f("),
        ("$x = ", "$a["),
        ("$x = ", "func() { "),
        ("$x = ", "if true { "),
        ("$x = ", "if "),
        ("$x = ", "$s->f <|> "),
        ("$x ", "[]"),
        ("$x ", "map{str: "),
        ("$x ", "map{"),
        ("$x ", "struct{a "),
        ("$x ", "func("),
        ("$x ", "func() "),
        ("$x = func() ", "[]"),
        ("", "if true {\n"),
        ("", "if true {\n} else {\n"),
        ("", "class a {\n"),
        ("", "for $i, $v in $l {\n"),
        ("test ", "["),
        ("Test[\"a\"] -> Test", "["),
        ("test \"a\" {\n\tfield => ", "["),
        ("test \"a\" {\n\tBefore => ", "["),
    ];
    for (start, opener) in openers {
        let found = problems(&format!("{start}{}", opener.repeat(10_000)));
        assert_eq!(found.first(), Some(&Code::NestedTooDeep), "{start}{opener}");
        assert!(found.len() <= 2, "{start}{opener}: {found:?}");
    }
}

#[test]
fn chains_count_as_nesting() {
    let links = [" + 1", " and true", " <|> 1", "[0]", "->a", " * $b->c <|> 1", "[$a + $a]"];
    for link in links {
        let text = format!("$x = $a{}\n", link.repeat(20_000));
        assert_eq!(problems(&text), [Code::NestedTooDeep], "{link}");
    }
}

#[test]
fn the_depth_limit_is_exact() {
    let depth = MAX_DEPTH as usize - 2;
    let nested = |open: &str, close: &str| format!("$x = {}1{}\n", open.repeat(depth), close.repeat(depth));
    assert_eq!(problems(&nested("[", "]")), []);
    assert_eq!(problems(&nested("(", ")")), []);
    assert_eq!(problems(&format!("$x = 1{}\n", " + 1".repeat(depth))), []);
    let blocks = "if true {\n".repeat(depth) + &"}\n".repeat(depth);
    assert_eq!(problems(&blocks), []);
}

#[test]
fn the_parser_recovers_from_errors() {
    let text =
        "$a = = 1\n$b = [1, 2\n$c = 3\nclass c {\n\t$d 4\n\t$e = 5\n}\n}\nfile \"x\" {\n\tmode => ,\n}\n$f = $in\n";
    assert_eq!(problems(text), [Code::UnexpectedToken; 6]);
}

#[test]
fn older_forms_are_reported_as_such() {
    for text in [
        "$x = [1, 2,]\n",
        "$x = {\"a\" => 1,}\n",
        "$x = f(1,)\n",
        "$x = $s->a || 1\n",
        "$x = $s->a | 1\n",
        "$x {str: int} = $y\n",
        "$x [str] = $y\n",
        "import fmt\n",
    ] {
        assert_eq!(problems(text), [Code::OlderSyntax], "{text}");
    }
}

#[test]
fn noise_has_an_end() {
    for text in
        ["\r", "$x = 1\r\n", "\"", "\"\\", "'", "\u{feff}", "\0", "_", "é", "}", ")", "$", "-", "99999999999999999999"]
    {
        for text in [text.to_string(), text.repeat(5_000), format!("$x = {text}"), format!("class a {{\n{text}\n=\n")] {
            let found = problems(&text);
            assert!(!found.is_empty() && found.len() <= 100, "{text:.20}: {}", found.len());
        }
    }
}
