//! Runs one test file: compiles its program and compares the result with each expectation.

use std::path::Path;
use std::sync::Arc;

use similar::TextDiff;

use super::file::{self, Expect, TestFile, What};
use super::{TestFault, TestResult};
use crate::compare::{comes_after, is_same, is_same_mode};
use crate::diag::{self, Severity, Stage};
use crate::engine;
use crate::graph::{Graph, Resource, ResourceId, Value};
use crate::host::Look;
use crate::lang::{Compiled, Report, own_name};
use crate::plan::stop::named;
use crate::plan::{Action, Change, Plan};
use crate::session::compare::{compare_meaning, empty, test_side};
use crate::session::{Options, Session, write_new_file};
use crate::source::printable;
use crate::world::{Cancel, Live, World};

/// A text of several lines in a snapshot has at most this many.
const LONGEST: usize = 200;

pub(super) fn run(path: &Path, options: &Options) -> TestResult {
    let mut result = TestResult { file: path.display().to_string(), ..TestResult::default() };
    match load(path).and_then(|test| Test::compile(path, test, options)) {
        Ok(test) => test.check(&mut result),
        Err(fault) => result.faults.push(*fault),
    }
    result
}

fn load(path: &Path) -> Result<TestFile, Box<TestFault>> {
    let fault =
        |message: String| Box::new(TestFault { file: path.display().to_string(), message, ..TestFault::default() });
    let bytes = (&Live::new() as &dyn World).file(path).map_err(|error| fault(error.to_string()))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| fault("not UTF-8".into()))?;
    Ok(file::read(path, text)?)
}

/// A test with its compiled program.
struct Test<'o> {
    file: String,
    test: TestFile,
    options: &'o Options,
    session: Session,
    compiled: Compiled,
}

impl<'o> Test<'o> {
    fn compile(path: &Path, test: TestFile, options: &'o Options) -> Result<Self, Box<TestFault>> {
        let file = path.display().to_string();
        let session = open(&test, test.entry.as_deref(), path, options).map_err(|report| {
            let lines = lines(&report.diagnostics, &report.sources);
            Box::new(TestFault {
                file: file.clone(),
                message: "the entry has errors".into(),
                lines,
                ..TestFault::default()
            })
        })?;
        let compiled = session.compile(Stage::Eval, &Cancel::default());
        Ok(Self { file, test, options, session, compiled })
    }

    fn check(self, result: &mut TestResult) {
        let test = &self.test;
        result.checks = test.expect.len()
            + test.verdicts.len()
            + usize::from(test.snapshot.is_some())
            + usize::from(test.fails.is_some());
        let errors = self.compiled.diagnostics.has_errors();
        if let Some((code, line)) = &test.fails {
            result.faults.extend(self.check_failure(code, *line));
            return;
        }
        if errors {
            let lines = lines(&self.compiled.diagnostics, &self.compiled.sources);
            result.faults.push(TestFault { lines, ..self.fault(0, "it does not compile".into()) });
            return;
        }
        let graph = Arc::new(self.compiled.graph.clone());
        let look: Arc<dyn Look> = Arc::new(empty(&[Arc::clone(&graph), Arc::clone(&graph)]));
        let plan = engine::preview(
            Arc::clone(&graph),
            look,
            &self.session.entry().shown,
            engine::Options::default(),
            &mut |_| (),
        );
        for expect in &test.expect {
            self.check_expectation(expect, &graph, &plan, &mut result.faults);
        }
        for verdict in &test.verdicts {
            result.faults.extend(self.check_verdict(verdict, &graph));
        }
        if let Some(path) = &test.snapshot {
            match self.check_snapshot(path, &plan) {
                Ok(is_written) => result.written = is_written.then(|| path.display().to_string()),
                Err(fault) => result.faults.push(*fault),
            }
        }
    }

    fn check_failure(&self, code: &str, line: u32) -> Option<TestFault> {
        let first = self.compiled.diagnostics.iter().find(|one| one.severity == Severity::Error);
        match first {
            Some(first) if first.code.as_str() == code => None,
            Some(first) => {
                let message = format!("expected the error `{code}`, got `{}`", first.code.as_str());
                let lines = lines(&self.compiled.diagnostics, &self.compiled.sources);
                Some(TestFault { lines, ..self.fault(line, message) })
            }
            None => Some(self.fault(line, format!("expected the error `{code}`, but it compiles"))),
        }
    }

    fn check_expectation(&self, expect: &Expect, graph: &Graph, plan: &Plan, faults: &mut Vec<TestFault>) {
        match &expect.what {
            What::Matching { when, stop, count } => {
                let step_of = |id: &ResourceId| plan.steps.iter().find(|step| step.resource == *id);
                let found = match stop.places(graph, step_of, own_name) {
                    Ok(found) => found,
                    Err(why) => return faults.push(self.fault(expect.line, why)),
                };
                let is_right = count.map_or(!found.is_empty(), |count| found.len() == count);
                if !is_right {
                    let expected = count.map_or("at least 1".into(), |count| count.to_string());
                    let message = format!("`{when}` matches {} resources, expected {expected}", found.len());
                    let lines = found.iter().map(ToString::to_string).collect();
                    faults.push(TestFault { lines, ..self.fault(expect.line, message) });
                }
            }
            What::Resource { id, absent: true, .. } => {
                if let Some(resource) = graph.find(&ResourceId(id.as_str().into())).and_then(|at| graph.resource(at)) {
                    let fault = self.fault(expect.line, format!("{id} is declared"));
                    faults.push(TestFault { place: resource.source.clone(), ..fault });
                }
            }
            What::Resource { id, params, after, refreshed_by, .. } => {
                let found = named(id, graph).map(|id| graph.find(&id).and_then(|at| graph.resource(at)));
                let resource = match found {
                    Ok(Some(resource)) => resource,
                    Ok(None) => return faults.push(self.fault(expect.line, format!("{id} is not a resource"))),
                    Err(why) => return faults.push(self.fault(expect.line, why)),
                };
                for (name, (wanted, line)) in params {
                    if let Some(message) = differs(resource, name, wanted) {
                        let fault = self.fault(*line, format!("{}: {message}", resource.id));
                        faults.push(TestFault { place: resource.source.clone(), ..fault });
                    }
                }
                for (others, refreshes) in [(after, false), (refreshed_by, true)] {
                    for other in others {
                        let message = match named(other, graph) {
                            Ok(other) if comes_after(graph, &other, &resource.id, refreshes) => continue,
                            Ok(other) if refreshes => format!("{} is not refreshed by {other}", resource.id),
                            Ok(other) => format!("{} does not come after {other}", resource.id),
                            Err(why) => why,
                        };
                        let fault = self.fault(expect.line, message);
                        faults.push(TestFault { place: resource.source.clone(), ..fault });
                    }
                }
            }
        }
    }

    fn check_verdict(&self, verdict: &file::Verdict, graph: &Graph) -> Option<TestFault> {
        let path = Path::new(&self.file);
        let other = match open(&self.test, Some(&verdict.with), path, self.options) {
            Ok(other) => other,
            Err(report) => {
                let lines = lines(&report.diagnostics, &report.sources);
                let message = format!("{} has errors", verdict.with);
                return Some(TestFault { lines, ..self.fault(verdict.line, message) });
            }
        };
        let compiled = other.compile(Stage::Eval, &Cancel::default());
        if compiled.diagnostics.has_errors() {
            let lines = lines(&compiled.diagnostics, &compiled.sources);
            let message = format!("{} does not compile", verdict.with);
            return Some(TestFault { lines, ..self.fault(verdict.line, message) });
        }
        let meaning = compare_meaning([&self.session, &other], [graph.clone(), compiled.graph]);
        if meaning.verdict.word() == verdict.is {
            return None;
        }
        let mut lines: Vec<String> = meaning
            .rows
            .iter()
            .map(|row| match &row.what {
                crate::compare::What::Parameter(change) => format!("{} {}", row.resource, change_words(change)),
                what => format!("{} {}", row.resource, what.words()),
            })
            .collect();
        lines.extend(meaning.unknown.iter().map(|unknown| format!("? {}: {}", unknown.resource, unknown.why)));
        let message = format!("expected the verdict `{}`, got `{}`", verdict.is, meaning.verdict.word());
        Some(TestFault { lines, ..self.fault(verdict.line, message) })
    }

    /// Compares the plan with its snapshot. Returns whether the snapshot was written.
    fn check_snapshot(&self, path: &Path, plan: &Plan) -> Result<bool, Box<TestFault>> {
        let text = snapshot(plan);
        let world: &dyn World = &Live::new();
        let Ok(bytes) = world.file(path) else {
            return match write_new_file(path, &text) {
                Ok(()) => Ok(true),
                Err(error) => Err(Box::new(self.fault(0, format!("cannot write {}: {error}", path.display())))),
            };
        };
        let saved = String::from_utf8_lossy(&bytes);
        if saved == text {
            return Ok(false);
        }
        let diff = TextDiff::from_lines(&*saved, &text).unified_diff().context_radius(2).to_string();
        let lines = diff.lines().map(str::to_owned).collect();
        let first = saved.lines().zip(text.lines()).take_while(|(one, other)| one == other).count();
        Err(Box::new(TestFault {
            file: path.display().to_string(),
            line: u32::try_from(first + 1).unwrap_or(u32::MAX),
            message: "the plan differs from this snapshot; delete the file to write it again".into(),
            lines,
            place: None,
        }))
    }

    fn fault(&self, line: u32, message: String) -> TestFault {
        TestFault { file: self.file.clone(), line, message, ..TestFault::default() }
    }
}

/// Opens the program of a test, or another one under the same conditions.
fn open(test: &TestFile, entry: Option<&str>, path: &Path, options: &Options) -> Result<Session, Box<Report>> {
    let mut options = options.clone();
    options.module_path.splice(0..0, test.module_path.iter().cloned());
    options.language = test.lang.or(options.language);
    options.choices.compile_in(test.environment.clone(), &test.set);
    let above = path.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let entry = entry.map_or_else(|| above.to_string_lossy().into_owned(), str::to_owned);
    test_side(&entry, test.node.as_deref(), test.facts.as_deref(), &options)
}

/// The errors of a program as text.
fn lines(diagnostics: &diag::Diagnostics, sources: &crate::source::Sources) -> Vec<String> {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error).take(3);
    let text: Vec<String> = errors.map(|one| diag::text(one, sources, false)).collect();
    text.join("\n\n").lines().map(str::to_owned).collect()
}

/// Why a parameter has not the expected value; `None` if it has. A secret is compared and not shown.
fn differs(resource: &Resource, name: &str, wanted: &Value) -> Option<String> {
    let mapped = || resource.mapping().and_then(|mapped| mapped.params.get(name));
    let Some(value) = resource.shown().params.get(name).or_else(mapped) else {
        return Some(format!("{name} is not set, expected {}", shown(wanted)));
    };
    let plain = match value {
        Value::Sensitive(inner) => inner,
        value => value,
    };
    let as_map = match plain {
        Value::Struct(fields) => {
            Value::Map(fields.iter().map(|(name, value)| (Value::from(&**name), value.clone())).collect())
        }
        value => value.clone(),
    };
    let digits = match wanted {
        Value::Int(digits) => Value::from(&*digits.to_string()),
        wanted => wanted.clone(),
    };
    if is_same(&as_map, wanted) || name == "mode" && is_same_mode(Some(&as_map), Some(&digits)) {
        return None;
    }
    let is = if value.holds_secret() { "another secret".into() } else { shown(value) };
    Some(format!("{name} is {is}, expected {}", shown(wanted)))
}

fn shown(value: &Value) -> String {
    printable(&value.to_json().to_string()).to_string()
}

/// A plan as text, one line for each step and change.
fn snapshot(plan: &Plan) -> String {
    let mut text = String::new();
    for step in &plan.steps {
        let sign = match step.action {
            _ if step.error.is_some() => "x",
            Action::Create => "+",
            Action::Change => "~",
            Action::Replace => "±",
            Action::Remove => "-",
            Action::Run => "!",
            Action::None => "=",
            Action::Unknown => "?",
        };
        let refresh = if step.refresh { "  refresh" } else { "" };
        text.push_str(&format!("{sign} {}{refresh}\n", step.resource));
        for change in &step.changes {
            text.push_str(&format!("    {}\n", change_words(change)));
        }
        for (word, ids) in [("after", &step.because), ("refreshes", &step.notifies)] {
            if !ids.is_empty() {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                text.push_str(&format!("    {word} {}\n", ids.join(", ")));
            }
        }
    }
    text
}

fn change_words(change: &Change) -> String {
    let side = |value: &Option<Value>| match value {
        None => "(none)".to_owned(),
        Some(value) if change.sensitive || value.holds_secret() => "(sensitive)".into(),
        Some(value) => {
            let text = shown(value);
            let cut: String = text.chars().take(LONGEST).collect();
            if cut.len() < text.len() {
                let hash = crate::plan::hash_text(text.as_bytes());
                format!("{cut}… {}", &hash[..hash.len().min(12)])
            } else {
                text
            }
        }
    };
    match &change.from {
        None => format!("{}: {}", printable(&change.property), side(&change.to)),
        from => format!("{}: {} -> {}", printable(&change.property), side(from), side(&change.to)),
    }
}
