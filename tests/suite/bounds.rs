//! Compiling ends when it is told to, at whatever stage it is, and never with a part of a graph.

use std::time::Duration;

use workbench::diag::{Code, Diagnostics, Stage};
use workbench::lang::mcl::{self, eval, scope, unify};
use workbench::lang::{Choices, CompileOptions, RunLimits};
use workbench::module::{EntryPoint, LanguageName};
use workbench::world::{Cancel, Memory, Stop};

/// Work for every stage: many names, types, values, resources and edges.
fn program() -> String {
    let mut text = String::from("import \"fmt\"\nfunc id($x) {\n\t$x\n}\n$v0 = id(0)\n");
    for at in 1..20_000 {
        let before = at - 1;
        text += &format!("$v{at} = id($v{before})\nprint \"p{at}\" {{\n\tmsg => fmt.printf(\"%d\", $v{at}),\n}}\n");
        if at > 1 {
            text += &format!("Print[\"p{before}\"] -> Print[\"p{at}\"]\n");
        }
    }
    text
}

fn entry(text: &str) -> EntryPoint {
    EntryPoint {
        language: LanguageName::Mcl,
        file: None,
        code: Some(("<argument>".into(), text.into())),
        base: "/".into(),
        shown: "bounds".into(),
        ..EntryPoint::default()
    }
}

fn cancelled() -> Stop {
    let cancel = Cancel::default();
    cancel.cancel();
    Stop::new(cancel, None)
}

fn codes(diagnostics: &Diagnostics) -> Vec<Code> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn each_stage_obeys_a_cancel() {
    let (entry, world) = (entry(&program()), Memory::default());
    let fresh = || Diagnostics::new(Stage::Parse);

    let mut told = fresh();
    scope::load(&world, &entry, &cancelled(), &mut told);
    assert_eq!(codes(&told), [Code::Cancelled]);

    let mut told = fresh();
    let resolved = scope::resolve(&world, &entry, &[], &Stop::default(), &mut told);
    let limits = unify::Limits { stop: cancelled(), ..unify::Limits::default() };
    unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, &mut told);
    assert_eq!(codes(&told), [Code::Cancelled]);

    let mut told = fresh();
    let types = unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &unify::Limits::default(), &mut told);
    let limits = eval::Limits { stop: cancelled(), ..eval::Limits::default() };
    let graph = eval::run(&resolved, &types, &world, &limits, &mut told);
    assert_eq!(codes(&told), [Code::Cancelled]);
    assert!(graph.is_empty());
}

#[test]
fn a_cancel_at_any_moment_gives_all_or_nothing() {
    let (entry, world) = (entry(&program()), Memory::default());
    let compile = |after: Option<Duration>| {
        let cancel = Cancel::default();
        let run = RunLimits { cancel: cancel.clone(), ..RunLimits::until(Stage::Eval) };
        let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
        std::thread::scope(|scope| {
            if let Some(after) = after {
                scope.spawn(move || {
                    std::thread::sleep(after);
                    cancel.cancel();
                });
            }
            mcl::compile(&world, &entry, &options)
        })
    };
    let whole = compile(None);
    assert!(!whole.diagnostics.has_errors());
    let mut delay = Duration::ZERO;
    loop {
        let ended = compile(Some(delay));
        if !ended.diagnostics.has_errors() {
            assert_eq!(ended.graph, whole.graph);
            break;
        }
        assert_eq!(codes(&ended.diagnostics), [Code::Cancelled], "after {delay:?}");
        assert!(ended.graph.is_empty() && ended.diagnostics.iter().all(|diagnostic| diagnostic.span.is_some()));
        delay += Duration::from_millis(5) + delay / 10;
    }
}
