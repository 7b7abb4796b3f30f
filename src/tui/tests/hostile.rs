//! Hostile text on every screen (G16): only letters and drawing sequences reach the terminal.

use std::sync::Arc;

use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use serde_json::json;

use super::stage::{self, Play, id};
use super::{many, matrix::SCREENS};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::engine::message::{Event, TurnState};
use crate::graph::{Declaration, Edge, Graph, Mapping, Node, NodeIndex, Params, Reason, Resource, Value};
use crate::highlight::Theme;
use crate::lang::Compiled;
use crate::plan::{Change, Plan};
use crate::session::history::{Amended, Begin, Deploy, Outcome, Prediction, Summary};
use crate::source::{Place, Sources, Span, is_hostile};
use crate::tui::look::{Look, UNICODE};
use crate::tui::message::{Job, Message};
use crate::tui::{program::Program, screen::deploys};

/// Makes strings with terminal sequences, and counts them.
struct Forge {
    seed: u64,
    made: usize,
}

impl Forge {
    fn below(&mut self, end: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % end
    }

    fn text(&mut self) -> String {
        #[rustfmt::skip]
        const PARTS: &[&str] = &[
            "\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://evil.example\x1b\\",
            "\x1b_Gf=24\x1b\\", "\x1b[8m", "\x1b[?1049l", "\x1bc", "\x1b[6n", "\x1bP+q544e\x1b\\", "\u{9b}31m",
            "\u{9d}0;x\u{9c}", "\x07", "\x08\x08", "\r", "\n", "\t", "\0", "\x7f", "\x0e", "\u{202e}",
            "\u{2066}", "\u{200b}", "\u{feff}", "\u{ad}", "e\u{301}\u{301}\u{301}\u{301}", "漢字", "👩‍👩‍👧",
            "\u{e0041}", "a", "[31m", "%s", "\u{fffd}", "🇩🇪", "\u{1f3fb}", "ﷺ", "\u{85}", "\u{2028}",
        ];
        self.made += 1;
        (0..1 + self.below(4)).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    fn texts(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.text()).collect()
    }
}

/// Allows only drawing: positions, colours, and the cursor's visibility.
fn only_draws(bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        let (before, sequence) = rest.split_at(at);
        no_controls(before)?;
        let after = sequence.strip_prefix("\x1b[").ok_or_else(|| format!("{:?}", head(sequence)))?;
        let end = after.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?')).ok_or("a sequence without an end")?;
        let (params, last) = (&after[..end], &after[end..=end]);
        let allowed = match last {
            "H" | "m" => !params.contains('?'),
            "h" | "l" => params == "?25",
            _ => false,
        };
        if !allowed {
            return Err(format!("{:?}", head(sequence)));
        }
        rest = &after[end + 1..];
    }
    no_controls(rest)
}

fn no_controls(text: &str) -> Result<(), String> {
    match text.chars().find(|c| is_hostile(*c)) {
        Some(c) => Err(format!("U+{:04X} in {:?}", c as u32, head(text))),
        None => Ok(()),
    }
}

fn head(text: &str) -> String {
    text.chars().take(40).collect()
}

fn resource(forge: &mut Forge, at: usize) -> Node {
    let params: Params =
        (0..3).map(|n| (Arc::from(format!("{n}{}", forge.text())), Value::from(forge.text().as_str()))).collect();
    let name = forge.text();
    let place = Place { file: forge.text().into(), line: 3, column: 1, end_line: 3, end_column: 4 };
    let id = id(&format!("file[{at}{name}]"));
    let declared = Declaration { kind: forge.text().into(), name: name.into(), params };
    let mut resource = Resource::declare(id, declared, Mapping::Same);
    resource.container = vec![forge.text().into()];
    resource.source = Some(place);
    resource.target = Some(forge.text().into());
    Node::Resource(resource)
}

/// A program in which all foreign text is hostile.
fn program(forge: &mut Forge) -> Arc<Program> {
    let mut graph = Graph::default();
    for at in 0..5 {
        let node = resource(forge, at);
        graph.add(node).expect("each id once");
    }
    for to in 1..5 {
        let (from, to) = (NodeIndex(to - 1), NodeIndex(to));
        graph.connect(Edge { from, to, notify: true, reason: Reason::Declared, send: None, source: None });
    }
    let mut sources = Sources::default();
    let code = forge.texts(12).join("\n");
    let file = sources.add(format!("{}.mcl", forge.text()), Some("/m/x.mcl".into()), code);
    let mut diagnostics = Diagnostics::new(Stage::Eval);
    for _ in 0..3 {
        let printed = Diagnostic::warning(Code::UnknownVariable, Span::new(file, 0, 1));
        diagnostics.push(printed.label(forge.text()).help(forge.text()));
    }
    Arc::new(Program::new(Compiled::new(graph, sources, diagnostics)))
}

fn plan(forge: &mut Forge, program: &Program) -> Arc<Plan> {
    let mut plan = (*stage::plan()).clone();
    plan.entry = forge.text();
    for (step, node) in plan.steps.iter_mut().zip(program.ways.order.iter()) {
        step.resource = program.id(*node).clone();
        step.note = forge.text();
        step.error = (forge.below(2) == 0).then(|| forge.text());
        step.because = vec![id(&forge.text())];
        step.notifies = vec![id(&forge.text())];
        let change = |forge: &mut Forge| Change {
            property: forge.text(),
            from: Some(Value::from(forge.text().as_str())),
            to: Some(Value::from(forge.texts(3).join("\n").as_str())),
            sensitive: false,
        };
        step.changes = vec![change(forge), change(forge)];
    }
    Arc::new(plan)
}

fn deploy(forge: &mut Forge, number: u64) -> Deploy {
    let begin = Begin {
        deploy: number,
        time: "2026-11-21T12:03:11Z".into(),
        user: forge.text(),
        behind: Some(forge.text()),
        program: forge.text(),
        entry: forge.text(),
        ..Begin::default()
    };
    let outcome = |forge: &mut Forge| Outcome {
        resource: id(&forge.text()),
        state: "failed".into(),
        action: "change".into(),
        changes: vec![json!({"property": forge.text(), "from": forge.text(), "to": forge.text()})],
        note: forge.text(),
        error: Some(forge.text()),
        elapsed_ms: 4,
        time: String::new(),
        planned: Some(Prediction { action: forge.text(), certainty: forge.text() }),
    };
    let outcomes = vec![outcome(forge), outcome(forge)];
    let change = json!({"property": forge.text(), "from": forge.text(), "to": forge.text()});
    let (resource, time, graph) = (id(&forge.text()), forge.text(), forge.text());
    let amended = vec![Amended { resource, changes: vec![change], time, graph, at: 1 }];
    Deploy { begin, steps: vec![], outcomes, amended, end: None, fault: None, recovered: None }
}

/// Goes to a screen on which everything is hostile, and returns the bytes that draw it.
fn drawn(forge: &mut Forge, keys: &str) -> Vec<u8> {
    let program = program(forge);
    let (title, entry, host) = (forge.text(), forge.text(), forge.text());
    let mut play = Play::prepared(110, 36, &UNICODE, program.clone(), |state| {
        state.cx.look = Look::new(Theme::built_in("night").expect("compiled in"), &UNICODE);
        // As `tui::show` makes them printable.
        let safe = |text: &str| crate::source::printable(text).to_string();
        (state.cx.project.title, state.cx.project.entry, state.cx.project.host) =
            (safe(&title), safe(&entry), safe(&host));
    });
    let mut tree = stage::modules();
    for module in &mut tree.modules {
        module.name = forge.text();
        module.license = Some(forge.text());
        module.revision = Some(forge.text());
        module.used_by = vec![forge.text()];
        module.files = forge.texts(4).into_iter().map(Into::into).collect();
    }
    let readme = tree.modules[0].path.join("README.md");
    play.deploys =
        (1..4).map(|number| Summary { deploy: number, begin: Some(deploy(forge, number).begin), end: None }).collect();
    play.send(Message::Modules(tree, vec![], vec![]));
    play.send(Message::Readme { path: readme, text: Some(forge.texts(8).join("\n")) });
    play.press(keys);
    let plan = plan(forge, &program);
    let turn = play.state.cx.programs.turn;
    play.send(Message::Planned { program: program.clone(), plan: plan.clone(), turn, took: Default::default() });
    let run = play.step().run;
    let step = plan.steps.get(1).cloned();
    let of = step.as_ref().map(|step| step.resource.clone()).unwrap_or_else(|| id("x"));
    let state = TurnState::Failed { error: forge.text(), is_undone: false };
    play.send(Message::Run { run, event: Event::Turn { resource: of.clone(), state, step, elapsed_ms: 3 } });
    play.send(Message::Run { run, event: Event::Output { resource: of, line: forge.text() } });
    for number in 1..4 {
        let read = Ok(Box::new(deploy(forge, number)));
        play.send(Message::Deploys(deploys::Notice::Read(number, read)));
    }
    play.send(Message::Failed { job: Job::Read, words: forge.text() });
    play.send(Message::Paste(forge.text()));
    let frame = play.buffer();
    let mut sent = Vec::new();
    let blank = Buffer::empty(frame.area);
    CrosstermBackend::new(&mut sent).draw(blank.diff(&frame).into_iter()).expect("memory takes all of it");
    sent
}

#[test]
fn hostile_text_only_draws() {
    let wanted = many(4_000, 100_000);
    let mut forge = Forge { seed: 16, made: 0 };
    let mut frames = 0;
    while forge.made < wanted {
        for (name, keys) in SCREENS {
            // The first file of the hostile program, and a live run that starts.
            let keys = if *name == "code" { "2" } else { keys };
            let bytes = drawn(&mut forge, keys);
            if let Err(why) = only_draws(&bytes) {
                panic!("{name}: {why}");
            }
            frames += 1;
        }
    }
    println!(
        "G16: {} hostile strings in {frames} frames of {} screens: none reached the terminal",
        forge.made,
        SCREENS.len()
    );
}

#[test]
fn the_judge_sees_every_field() {
    assert!(only_draws("\x1b[2;3Hab\x1b[38;2;1;2;3m漢\x1b[?25l".as_bytes()).is_ok());
    for raw in ["\x1b[2J", "\x1b]0;x\x07", "\x1bc", "a\x07", "\u{9b}31m", "\x1b[?1049l", "\u{202e}", "\x1b[6n"] {
        assert!(only_draws(raw.as_bytes()).is_err(), "{raw:?}");
    }
}
