//! The tree of a search, printed as `puppet lookup --explain` prints it.

use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

/// What a step of a search is.
#[derive(Clone, Debug)]
pub enum What {
    /// A key: `Searching for "KEY"`.
    Key(String),
    InvalidKey(String),
    MergeSource(&'static str),
    ModuleNotFound(String),
    ModuleWithoutData(String),
    Interpolation(String),
    Merge {
        strategy: &'static str,
        options: Option<Value>,
    },
    /// A layer, with its `hiera.yaml`.
    Layer {
        name: String,
        config: Option<String>,
    },
    /// A level of a hierarchy.
    Level(String),
    Location {
        kind: &'static str,
        shown: String,
        original: String,
    },
    SubKey(String),
    Segment,
    /// A heading with what is below it.
    Scope(String),
}

#[derive(Clone, Debug)]
enum Outcome {
    None,
    Found { key: String, value: Value, beside: &'static str },
    Result(Value),
    NotFound(String),
    LocationNotFound,
}

#[derive(Debug)]
struct Step {
    what: What,
    outcome: Outcome,
    texts: Vec<String>,
    steps: Vec<usize>,
    around: Option<usize>,
}

/// Takes down a search.
#[derive(Debug, Default)]
pub struct Explainer {
    all: Vec<Step>,
    top: Vec<usize>,
    /// The innermost step that is not complete.
    at: Option<usize>,
    texts: Vec<String>,
}

impl Explainer {
    /// Opens a step inside of the current one.
    pub fn push(&mut self, what: What) {
        let index = self.all.len();
        self.all.push(Step { what, outcome: Outcome::None, texts: Vec::new(), steps: Vec::new(), around: self.at });
        match self.at.and_then(|at| self.all.get_mut(at)) {
            Some(around) => around.steps.push(index),
            None => self.top.push(index),
        }
        self.at = Some(index);
    }

    /// Closes the current step.
    pub fn pop(&mut self) {
        self.at = self.at.and_then(|at| self.all.get(at)).and_then(|step| step.around);
    }

    fn end(&mut self, outcome: Outcome) {
        if let Some(step) = self.at.and_then(|at| self.all.get_mut(at)) {
            step.outcome = outcome;
        }
    }

    /// Records for the current step that a key was found, with its value.
    pub fn found(&mut self, key: &str, value: &Value) {
        self.end(Outcome::Found { key: key.into(), value: value.clone(), beside: "" });
    }

    /// Records for the current step that a key was found in the overrides, with its value.
    pub fn found_in_overrides(&mut self, key: &str, value: &Value) {
        self.end(Outcome::Found { key: key.into(), value: value.clone(), beside: " in overrides" });
    }

    /// Records the merged value of the current step.
    pub fn result(&mut self, value: &Value) {
        self.end(Outcome::Result(value.clone()));
    }

    /// Records for the current step that a key was not found.
    pub fn not_found(&mut self, key: &str) {
        self.end(Outcome::NotFound(key.into()));
    }

    /// Records for the current step that its file or address does not exist.
    pub fn location_not_found(&mut self) {
        self.end(Outcome::LocationNotFound);
    }

    /// Adds a line to the current step.
    pub fn text(&mut self, text: String) {
        match self.at.and_then(|at| self.all.get_mut(at)) {
            Some(step) => step.texts.push(text),
            None => self.texts.push(text),
        }
    }

    /// The whole search.
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.top.iter().for_each(|step| self.step(*step, "", &mut out));
        self.texts.iter().for_each(|text| line(&mut out, "", text));
        out
    }

    fn step(&self, index: usize, indent: &str, out: &mut String) {
        let Some(step) = self.all.get(index) else { return };
        let deeper = format!("{indent}  ");
        let inside =
            |out: &mut String, indent: &str| step.steps.iter().for_each(|inner| self.step(*inner, indent, out));
        match &step.what {
            What::InvalidKey(key) => line(out, indent, &format!("Invalid key \"{key}\"")),
            What::MergeSource(source) => line(out, indent, &format!("Using merge options from \"{source}\" hash")),
            What::ModuleNotFound(name) => line(out, indent, &format!("Module \"{name}\" not found")),
            What::ModuleWithoutData(name) => {
                line(out, indent, &format!("Module data provider for module \"{name}\" not found"));
            }
            What::Key(key) => {
                line(out, indent, &format!("Searching for \"{key}\""));
                inside(out, &deeper);
            }
            What::Interpolation(text) => {
                line(out, indent, &format!("Interpolation on \"{text}\""));
                inside(out, &deeper);
            }
            What::Merge { .. } if step.steps.len() < 2 => inside(out, indent),
            What::Merge { strategy, options } => {
                line(out, indent, &format!("Merge strategy {strategy}"));
                if let Some(options) = options {
                    line(out, &deeper, &format!("Options: {}", value(options, &deeper)));
                }
                inside(out, &deeper);
                if let Outcome::Result(result) = &step.outcome {
                    line(out, &deeper, &format!("Merged result: {}", value(result, &deeper)));
                }
            }
            What::Segment => outcome(step, indent, out),
            What::Layer { name, config } => {
                line(out, indent, name);
                if let Some(path) = config {
                    line(out, &deeper, &format!("Using configuration \"{path}\""));
                }
                inside(out, &deeper);
                outcome(step, &deeper, out);
            }
            What::Level(name) => {
                line(out, indent, &format!("Hierarchy entry \"{name}\""));
                inside(out, &deeper);
                outcome(step, &deeper, out);
            }
            What::Location { kind, shown, original } => {
                line(out, indent, &format!("{kind} \"{shown}\""));
                let plain = if *kind == "Path" { "path" } else { "uri" };
                line(out, &deeper, &format!("Original {plain}: \"{original}\""));
                inside(out, &deeper);
                if matches!(step.outcome, Outcome::LocationNotFound) {
                    line(out, &deeper, &format!("{kind} not found"));
                }
                outcome(step, &deeper, out);
            }
            What::SubKey(key) => {
                line(out, indent, &format!("Sub key: \"{key}\""));
                inside(out, &deeper);
                outcome(step, &deeper, out);
            }
            What::Scope(name) => {
                line(out, indent, name);
                inside(out, &deeper);
                outcome(step, &deeper, out);
            }
        }
    }
}

fn line(out: &mut String, indent: &str, text: &str) {
    out.push_str(indent);
    out.push_str(text);
    out.push('\n');
}

fn outcome(step: &Step, indent: &str, out: &mut String) {
    match &step.outcome {
        Outcome::NotFound(key) => line(out, indent, &format!("No such key: \"{key}\"")),
        Outcome::Found { key, value: found, beside } => {
            line(out, indent, &format!("Found key: \"{key}\" value: {}{beside}", value(found, indent)));
        }
        _ => {}
    }
    step.texts.iter().for_each(|text| line(out, indent, text));
}

/// Hashes and arrays on lines of their own, anything else as Ruby inspects it.
fn value(shown: &Value, indent: &str) -> String {
    let deeper = format!("{indent}  ");
    let rows = |rows: Vec<String>, open: char, close: char| {
        if rows.is_empty() {
            return format!("{open}{close}");
        }
        format!("{open}\n{deeper}{}\n{indent}{close}", rows.join(&format!(",\n{deeper}")))
    };
    match shown {
        Value::Hash(map) => {
            let pair = |(key, item): (&Value, &Value)| format!("{} => {}", value(key, &deeper), value(item, &deeper));
            rows(map.iter().map(pair).collect(), '{', '}')
        }
        Value::Array(list) => rows(list.iter().map(|item| value(item, &deeper)).collect(), '[', ']'),
        Value::Sensitive(_) => "#<Sensitive [value redacted]>".into(),
        other => convert::ruby(other),
    }
}
