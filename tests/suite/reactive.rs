//! Reactive evaluation equals evaluation from the beginning, after any events, for any program that comes out of a tape.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use workbench::diag::{Diagnostics, Stage};
use workbench::lang::mcl::eval::reactive::Reactive;
use workbench::lang::mcl::react;
use workbench::lang::{Choices, CompileOptions, Event, RunLimits};
use workbench::module::{EntryPoint, LanguageName};
use workbench::session::moment::{Pending, Taker, What};
use workbench::session::{Options, Session};
use workbench::world::{Cancel, Memory, PathKind, Read, ReadError, Sample};

/// Decisions, one byte each; nothing but zeros once it is used up.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    fn pick(&mut self, of: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % of
    }
}

const FILES: usize = 3;

/// A program with inputs of every kind, and names that come from them in every way.
struct Program<'a> {
    tape: Tape<'a>,
    text: String,
    /// Names in scope, by type.
    ints: Vec<String>,
    lists: Vec<String>,
    bools: Vec<String>,
    made: usize,
}

const HEAD: &str = r#"import "os"
import "fmt"
import "iter"
import "math"
import "value"
import "convert"
import "strings"
import "datetime"
$f0 = convert.str_to_int(os.readfile("/in/0")) <|> 0 - 1
$f1 = convert.str_to_int(os.readfile("/in/1")) <|> 0
$l0 = strings.split(os.readfile("/in/2") <|> "", ",")
$b0 = os.file_exists("/in/1")
$b1 = value.get_bool("flag")->value
$v0 = value.get_int("number")->value
$t0 = math.mod(datetime.now(), 3)
func add($a, $b) {
	$a + $b
}
func pick($c, $a, $b) {
	if $c { $a } else { $b }
}
class part($name, $n, $on) {
	$twice = $n + $n
	print ["part ${name}"] {
		msg => fmt.printf("%d", pick($on, $twice, $n)),
	}
	if $on {
		print ["on ${name}"] {
			msg => fmt.printf("%d", history($twice, 1500)),
		}
	}
}
"#;

impl Program<'_> {
    fn int(&mut self, depth: usize) -> String {
        let choice = if depth == 0 { self.tape.pick(3) } else { self.tape.pick(12) };
        let name = self.ints[self.tape.pick(self.ints.len())].clone();
        match choice {
            0 => self.tape.pick(4).to_string(),
            1 | 2 => name,
            3 => format!("add({}, {})", self.int(depth - 1), self.int(depth - 1)),
            4 => format!("pick({}, {}, {})", self.bool(depth - 1), self.int(depth - 1), self.int(depth - 1)),
            5 => format!("(if {} {{ {} }} else {{ {name} }})", self.bool(depth - 1), self.int(depth - 1)),
            6 => format!("history({}, {})", self.int(depth - 1), [0, 700, 1000, 2500][self.tape.pick(4)]),
            7 => format!("len({})", self.list(depth - 1)),
            8 => format!("(len({}[{}]) <|> {name})", self.list(0), self.int(0)),
            9 => {
                format!("iter.reduce(0, iter.range(math.mod({}, 4)), func($a, $b) {{ $a + $b + {name} }})", self.int(0))
            }
            10 => format!("({} - {name})", self.int(depth - 1)),
            _ => format!("math.mod({}, 5)", self.int(depth - 1)),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        let name = self.bools[self.tape.pick(self.bools.len())].clone();
        match if depth == 0 { 0 } else { self.tape.pick(4) } {
            0 => name,
            1 => format!("({} < {})", self.int(depth - 1), self.int(depth - 1)),
            2 => format!("not {name}"),
            _ => format!("(len({}) > {})", self.list(0), self.int(0)),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        let name = self.lists[self.tape.pick(self.lists.len())].clone();
        match if depth == 0 { 0 } else { self.tape.pick(4) } {
            0 => name,
            1 => format!("iter.map({name}, func($s) {{ $s + fmt.printf(\"%d\", {}) }})", self.int(0)),
            2 => format!("iter.filter({name}, func($s) {{ len($s) < {} }})", self.int(0)),
            _ => format!(
                "iter.map(iter.range(math.mod({}, 4)), func($n) {{ fmt.printf(\"%d\", $n + {}) }})",
                self.int(0),
                self.int(0)
            ),
        }
    }

    fn block(&mut self, depth: usize, label: &str, indent: usize) {
        let (ints, lists, bools) = (self.ints.len(), self.lists.len(), self.bools.len());
        for _ in 0..=self.tape.pick(4) {
            self.statement(depth, label, indent);
        }
        self.ints.truncate(ints);
        self.lists.truncate(lists);
        self.bools.truncate(bools);
    }

    fn line(&mut self, indent: usize, text: &str) {
        writeln!(self.text, "{}{text}", "\t".repeat(indent)).expect("a string takes everything");
    }

    /// A statement; `label` is an expression that differs between the turns of the loops around it.
    fn statement(&mut self, depth: usize, label: &str, indent: usize) {
        self.made += 1;
        let n = self.made;
        match self.tape.pick(if depth == 0 { 5 } else { 9 }) {
            0 => {
                let value = self.int(2);
                self.line(indent, &format!("$i{n} = {value}"));
                self.ints.push(format!("$i{n}"));
            }
            1 => {
                let value = self.list(2);
                self.line(indent, &format!("$l{n} = {value}"));
                self.lists.push(format!("$l{n}"));
            }
            2 => {
                let value = self.bool(2);
                self.line(indent, &format!("$b{n} = {value}"));
                self.bools.push(format!("$b{n}"));
            }
            3 => {
                let value = self.int(2);
                self.line(indent, &format!("print [\"p{n}\" + {label}] {{\n\tmsg => fmt.printf(\"%d\", {value}),\n}}"));
            }
            4 => self.ordered(n, label, indent),
            5 => {
                let condition = self.bool(2);
                self.line(indent, &format!("if {condition} {{"));
                self.block(depth - 1, label, indent + 1);
                self.line(indent, "} else {");
                self.block(depth - 1, label, indent + 1);
                self.line(indent, "}");
            }
            6 => {
                let list = self.list(1);
                self.line(indent, &format!("for $k{n}, $s{n} in {list} {{"));
                self.line(indent + 1, &format!("$n{n} = len($s{n}) + $k{n}"));
                self.ints.push(format!("$n{n}"));
                self.block(depth - 1, &format!("{label} + fmt.printf(\".%d\", $k{n})"), indent + 1);
                self.ints.pop();
                self.line(indent, "}");
            }
            7 => {
                let (one, two) = (self.int(1), self.int(1));
                self.line(
                    indent,
                    &format!("forkv $k{n}, $w{n} in {{\"a\" => {one}, \"b\" => {two},}} {{").replace(",}", "}"),
                );
                self.ints.push(format!("$w{n}"));
                self.block(depth - 1, &format!("{label} + \".\" + $k{n}"), indent + 1);
                self.ints.pop();
                self.line(indent, "}");
            }
            _ => {
                let (value, on) = (self.int(1), self.bool(1));
                self.line(indent, &format!("include part(\"c{n}\" + {label}, {value}, {on})"));
            }
        }
    }
}

impl Program<'_> {
    /// Resources with edges between them, written and automatic.
    fn ordered(&mut self, n: usize, label: &str, indent: usize) {
        let name = format!("\"n{n}\" + {label}");
        let folder = ["\"/in\"", "\"/in/deep\"", "\"/out\""][self.tape.pick(3)];
        match self.tape.pick(4) {
            0 => self.line(indent, &format!("file [{folder} + \"/{n}\" + {label} + \"/\"] {{ state => \"exists\", }}")),
            1 => self.line(indent, &format!("file [{folder} + \"/{n}\" + {label}] {{ state => \"exists\", }}")),
            2 => {
                self.line(indent, &format!("noop [{name}] {{}}"));
                self.line(indent, &format!("noop [{name} + \"b\"] {{}}"));
                self.line(indent, &format!("Noop[[{name}]] -> Noop[[{name} + \"b\"]]"));
            }
            _ => {
                self.line(indent, &format!("print [{name} + \"c\"] {{ msg => \"c\", Notify => Noop[[{name}]], }}"));
                self.line(indent, &format!("noop [{name}] {{}}"));
            }
        }
    }
}

fn program(tape: &[u8]) -> String {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut program = Program {
        tape: Tape(tape.iter()),
        text: HEAD.to_string(),
        ints: names(&["$f0", "$f1", "$v0", "$t0"]),
        lists: names(&["$l0"]),
        bools: names(&["$b0", "$b1"]),
        made: 10,
    };
    for _ in 0..4 {
        program.statement(3, "\"\"", 0);
    }
    program.text
}

fn path(number: usize) -> PathBuf {
    format!("/in/{number}").into()
}

/// Events: time goes on, files change and go, values are set. An event may bring several changes.
fn events(tape: &mut Tape, count: usize) -> Vec<Event> {
    let mut at = 10_000;
    let change = |tape: &mut Tape| match tape.pick(5) {
        0 => (Read::Held("flag".into()), Ok(Sample::Text((tape.pick(2) == 0).to_string()))),
        1 => (Read::Held("number".into()), Ok(Sample::Text(tape.pick(4).to_string()))),
        2 => (Read::Kind(path(1)), Ok(Sample::Kind([PathKind::File, PathKind::Missing][tape.pick(2)]))),
        _ => {
            let number = tape.pick(FILES);
            let texts = if number == 2 { ["", "a", "a,bb", "bb,a,ccc"] } else { ["1", "2", "x", "3"] };
            let answer = match tape.pick(5) {
                4 => Err(ReadError::NotFound(path(number))),
                text => Ok(Sample::Bytes(texts[text].as_bytes().into())),
            };
            (Read::File(path(number)), answer)
        }
    };
    let mut event = |tape: &mut Tape| {
        at += [0, 400, 1000, 3000][tape.pick(4)];
        let mut changes: Vec<_> = (0..tape.pick(3)).map(|_| change(tape)).collect();
        changes.push((Read::Now, Ok(Sample::Integer(at as i64 / 1000))));
        Event { at, changes }
    };
    (0..count).map(|_| event(tape)).collect()
}

fn entry(text: &str) -> EntryPoint {
    EntryPoint {
        language: LanguageName::Mcl,
        file: None,
        code: Some(("<argument>".into(), text.into())),
        base: "/".into(),
        shown: "program".into(),
        ..EntryPoint::default()
    }
}

fn world() -> Memory {
    Memory::default()
        .with(Read::Now, Sample::Integer(10))
        .with(Read::File(path(0)), Sample::Bytes((*b"1").into()))
        .with(Read::File(path(2)), Sample::Bytes((*b"a,bb").into()))
}

/// The graph as JSON text, which tells apart all that a reader of it could, with what is wrong.
fn told(graph: &workbench::graph::Graph, diags: &Diagnostics) -> String {
    let mut nodes = String::new();
    for (_, resource) in graph.resources() {
        writeln!(nodes, "{} {} {}", resource.id, resource.shown().params.to_json(), resource.meta.to_json())
            .expect("text");
    }
    let edges: String = graph
        .edges()
        .iter()
        .map(|edge| {
            let end = |at| graph.node(at).id();
            format!("{} -> {} {} {:?}\n", end(edge.from), end(edge.to), edge.notify, edge.reason)
        })
        .collect();
    let problems: Vec<_> = diags.iter().map(|d| format!("{} {}", d.code.as_str(), d.label)).collect();
    format!("{nodes}{edges}{}", problems.join("\n"))
}

fn holds(text: &str, events: &[Event]) -> Result<usize, String> {
    let options =
        CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Eval) };
    let world = world();
    react(&world, &entry(text), &options, 10_000, &world, |mut reactive: Reactive, first, _| {
        let mut made = first.resources.len();
        let mut outcome = first;
        for (number, event) in events.iter().enumerate() {
            let mut diags = Diagnostics::new(Stage::Eval);
            let again = reactive.evaluate_again(&mut diags);
            let now = if outcome.diagnostics.has_errors() { Default::default() } else { reactive.graph().clone() };
            let (got, wanted) = (told(&now, &outcome.diagnostics), told(&again, &diags));
            if got != wanted {
                return Err(format!(
                    "before event {number}:\n{}",
                    similar::TextDiff::from_lines(&wanted, &got).unified_diff()
                ));
            }
            outcome = reactive.event(event);
            made += outcome.resources.len();
        }
        Ok(made)
    })
    .unwrap_or_else(|compiled| Err(format!("does not compile: {:?}", compiled.diagnostics)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn events_lead_where_evaluation_does(tape in prop::collection::vec(any::<u8>(), 0..400), happens in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = program(&tape);
        let events = events(&mut Tape(happens.iter()), 20);
        if let Err(difference) = holds(&text, &events) {
            prop_assert!(false, "{text}\n{events:?}\n{difference}");
        }
    }
}

/// Programs without a past: what they remember is not among their inputs.
fn forgetful(tape: &[u8]) -> String {
    program(tape).replace("history(", "now_of(") + "func now_of($value, $age) {\n\t$value\n}\n"
}

/// The graph of every moment, looked at once all of them are there, equals a fresh evaluation of the inputs at that moment.
fn replays(text: &str, events: &[Event]) -> Result<(), String> {
    let session = |world: Memory| Session::open_in(Arc::new(world), Some(text), Options::default());
    let followed = session(world()).map_err(|report| format!("{:?}", report.diagnostics))?;
    let start = Event { at: 10_000, changes: Vec::new() };
    let (mut taker, first) =
        Taker::start(&followed, 10_000, Some(&start), &Cancel::default()).ok_or("it cannot be followed")?;
    let mut moments = vec![first];
    for event in events {
        let pending = Pending { event: event.clone(), what: What::Inputs };
        moments.push(taker.take(pending).ok_or("it cannot be followed any longer")?);
    }
    let mut good = workbench::graph::Graph::default();
    for (number, moment) in moments.iter().enumerate() {
        let changes = events[..number].iter().flat_map(|event| event.changes.clone());
        let world = changes.fold(world(), |world, (read, answer)| world.with_answer(read, answer));
        let fresh = session(world).map_err(|report| format!("{:?}", report.diagnostics))?;
        let compiled = fresh.compile(Stage::Eval, &Cancel::default());
        if !compiled.diagnostics.has_errors() {
            good = compiled.graph;
        }
        let none = Diagnostics::new(Stage::Eval);
        let (got, wanted) = (told(&moment.graph, &none), told(&good, &none));
        let problems = (moment.diagnostics.has_errors(), compiled.diagnostics.has_errors());
        if got != wanted || problems.0 != problems.1 {
            return Err(format!(
                "at moment {number}, errors {problems:?}:\n{}",
                similar::TextDiff::from_lines(&wanted, &got).unified_diff()
            ));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_moment_matches_its_inputs(tape in prop::collection::vec(any::<u8>(), 0..300), happens in prop::collection::vec(any::<u8>(), 0..100)) {
        let text = forgetful(&tape);
        let events = events(&mut Tape(happens.iter()), 8);
        if let Err(difference) = replays(&text, &events) {
            prop_assert!(false, "{text}\n{events:?}\n{difference}");
        }
    }
}

/// The property above is about programs that do something.
#[test]
fn tapes_give_programs_that_react() {
    let mut random = 1_u64;
    let mut reemitted = BTreeMap::new();
    for seed in 0..40_u64 {
        let mut bytes = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed + 1);
            (random >> 33) as u8
        };
        let tape: Vec<u8> = (0..300).map(|_| bytes()).collect();
        let events = events(&mut Tape(tape.iter()), 20);
        let text = program(&tape);
        let made = holds(&text, &events).unwrap_or_else(|difference| panic!("{text}\n{events:#?}\n{difference}"));
        reemitted.insert(seed, made);
    }
    let lively = reemitted.values().filter(|count| **count > 20).count();
    assert!(lively > 20, "only {lively} programs of 40 emit more than 20 resources: {reemitted:?}");
}
