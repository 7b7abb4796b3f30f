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
        let heading = match &step.what {
            What::InvalidKey(key) => format!("Invalid key \"{key}\""),
            What::MergeSource(source) => format!("Using merge options from \"{source}\" hash"),
            What::ModuleNotFound(name) => format!("Module \"{name}\" not found"),
            What::ModuleWithoutData(name) => format!("Module data provider for module \"{name}\" not found"),
            What::Key(key) => format!("Searching for \"{key}\""),
            What::Interpolation(text) => format!("Interpolation on \"{text}\""),
            What::Merge { .. } if step.steps.len() < 2 => return inside(out, indent),
            What::Merge { strategy, .. } => format!("Merge strategy {strategy}"),
            What::Segment => return outcome(step, indent, out),
            What::Layer { name, .. } | What::Scope(name) => name.clone(),
            What::Level(name) => format!("Hierarchy entry \"{name}\""),
            What::Location { kind, shown, .. } => format!("{kind} \"{shown}\""),
            What::SubKey(key) => format!("Sub key: \"{key}\""),
        };
        line(out, indent, &heading);
        match &step.what {
            What::Merge { options: Some(options), .. } => {
                line(out, &deeper, &format!("Options: {}", value(options, &deeper)));
            }
            What::Layer { config: Some(path), .. } => line(out, &deeper, &format!("Using configuration \"{path}\"")),
            What::Location { kind, original, .. } => {
                let plain = if *kind == "Path" { "path" } else { "uri" };
                line(out, &deeper, &format!("Original {plain}: \"{original}\""));
            }
            _ => {}
        }
        inside(out, &deeper);
        match (&step.what, &step.outcome) {
            (What::Merge { .. }, Outcome::Result(result)) => {
                line(out, &deeper, &format!("Merged result: {}", value(result, &deeper)));
            }
            (What::Location { kind, .. }, Outcome::LocationNotFound) => {
                line(out, &deeper, &format!("{kind} not found"))
            }
            _ => {}
        }
        match &step.what {
            What::Layer { .. } | What::Level(_) | What::Location { .. } | What::SubKey(_) | What::Scope(_) => {
                outcome(step, &deeper, out);
            }
            _ => {}
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
