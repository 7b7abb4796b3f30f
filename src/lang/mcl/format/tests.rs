//! Layout is all that formatting changes, and it settles at once.

use proptest::prelude::*;

use super::format;
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl::lexer::{TokenKind, lex};
use crate::lang::mcl::parser::MAX_DEPTH;
use crate::source::FileId;

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

/// A way to write something.
type Source = BoxedStrategy<String>;

/// Some blanks, perhaps none.
fn blank() -> Source {
    "[ \t]{0,2}".boxed()
}

/// The end of a line, with what may follow it: blank lines, comments, indentation of any sort.
fn line_end() -> Source {
    "[ ]?(#[ a-z\"{}]{0,6})?\n([ \t]{0,2}\n){0,2}([\t]{0,2}#é?\n\n?)?[ \t]{0,3}".boxed()
}

/// Parts between brackets, in either of the two forms.
fn list(part: Source) -> Source {
    let line = (blank(), prop::collection::vec((part.clone(), blank()), 0..4)).prop_map(|(first, parts)| {
        let parts: Vec<_> = parts.into_iter().map(|(part, blank)| format!("{part}{blank}")).collect();
        first + &parts.join(",")
    });
    let lines = (line_end(), prop::collection::vec((part, blank(), line_end()), 0..4)).prop_map(|(first, parts)| {
        parts.into_iter().fold(first, |text, (part, blank, end)| format!("{text}{part}{blank},{end}"))
    });
    prop_oneof![line, lines].boxed()
}

fn braced(body: Source) -> Source {
    let line = (blank(), body.clone()).prop_map(|(blank, body)| format!("{{{blank}{body}{blank}}}"));
    let lines = (line_end(), body, line_end()).prop_map(|(before, body, after)| format!("{{{before}{body}{after}}}"));
    prop_oneof![line, lines].boxed()
}

fn a_type() -> Source {
    let leaf = prop::sample::select(vec!["str", "int", "bool", "float", "variant"]).prop_map(String::from);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| format!("[ ]{ty}")),
            (inner.clone(), inner.clone()).prop_map(|(k, v)| format!("map {{{k}:{v} }}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("struct{{a {a};b  {b}}}")),
            (inner.clone(), inner.clone()).prop_map(|(arg, returns)| format!("func( $map  {arg} ){returns}")),
            (list(inner.clone()), inner).prop_map(|(args, returns)| format!("func({args}){returns}")),
        ]
    })
    .boxed()
}

fn expr() -> Source {
    let leaf = prop::sample::select(vec!["true", "-7", "007", "1.50", "\"a\\n\"", "\"two\n\tlines\"", "$x", "$ a . b"]);
    leaf.prop_map(String::from)
        .prop_recursive(4, 24, 3, |inner| {
            let entry = (inner.clone(), blank(), inner.clone()).prop_map(|(k, blank, v)| format!("({k}){blank}=>{v}"));
            let field = (inner.clone(), blank()).prop_map(|(value, blank)| format!("name{blank}=>{value}"));
            let param = prop_oneof![Just("$a".to_string()), a_type().prop_map(|ty| format!("$b {ty}"))];
            prop_oneof![
                list(inner.clone()).prop_map(|items| format!("[{items}]")),
                list(entry.boxed()).prop_map(|items| format!("{{{items}}}")),
                list(field.boxed()).prop_map(|items| format!("struct {{{items}}}")),
                list(inner.clone()).prop_map(|args| format!("fmt.f ({args})")),
                list(inner.clone()).prop_map(|args| format!("$f({args})")),
                (list(param.boxed()), braced(inner.clone()), list(inner.clone()))
                    .prop_map(|(params, body, args)| format!("func({params}) int{body}({args})")),
                (inner.clone(), braced(inner.clone()), braced(inner.clone()))
                    .prop_map(|(c, a, b)| format!("if ({c}){a}else{b}")),
                (inner.clone(), "[+*/]|<\\|>| and | - ", inner.clone())
                    .prop_map(|(a, op, b)| format!("({a}){op}({b})")),
                inner.clone().prop_map(|a| format!("not({a})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("$l [{a}] -> f<|>({b})")),
            ]
        })
        .boxed()
}

fn stmts() -> Source {
    let item = prop_oneof![
        expr().prop_map(|value| format!("mode=>{value} ,")),
        expr().prop_map(|c| format!("Before => ({c})?:File[\"a\"],")),
        expr().prop_map(|value| format!("Meta : noop=>{value},")),
    ];
    let end = prop_oneof![line_end(), Just(String::new())].boxed();
    let items = (end.clone(), prop::collection::vec((item, end), 0..3))
        .prop_map(|(first, items)| items.into_iter().fold(first, |text, (item, end)| text + &item + &end));
    let leaf = prop_oneof![
        expr().prop_map(|value| format!("$x={value}")),
        // An annotation that contradicts the literal behind it is a syntax error; a call has any type.
        (a_type(), expr()).prop_map(|(ty, value)| format!("$x {ty}=f({value})")),
        (expr(), items).prop_map(|(name, items)| format!("http : server ({name}) {{{items}}}")),
        list(expr()).prop_map(|args| format!("include a . b ({args})as  c")),
        list(expr()).prop_map(|args| format!("panic({args})")),
        braced(expr()).prop_map(|body| format!("func f( ){body}")),
        expr().prop_map(|name| format!("File [{name}].a->Exec[{name}] . b")),
        Just("import \"a\"as*".to_string()),
        Just("class a : b( )  {  }".to_string()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let block = (line_end(), prop::collection::vec((inner, line_end()), 0..4))
            .prop_map(|(first, stmts)| stmts.into_iter().fold(first, |text, (stmt, end)| text + &stmt + &end))
            .boxed();
        prop_oneof![
            (expr(), block.clone(), block.clone()).prop_map(|(c, a, b)| format!("if({c}){{{a}}}else {{{b}}}")),
            (expr(), block.clone()).prop_map(|(list, body)| format!("for $i,$v in({list}){{{body}}}")),
            block.prop_map(|body| format!("class c{{{body}}}")),
        ]
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn layout_is_all_that_changes(parts in prop::collection::vec((stmts(), line_end()), 0..4)) {
        let text = parts.into_iter().fold(String::new(), |text, (stmt, end)| text + &stmt + &end);
        let once = formatted(&text).expect("the generated program is right");
        prop_assert_eq!(content(&once), content(&text));
        prop_assert_eq!(formatted(&once), Some(once.clone()));
        prop_assert!(!once.contains("\n\n\n") && !once.starts_with('\n') && !once.ends_with("\n\n"));
    }
}

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
