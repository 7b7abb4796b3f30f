//! Title patterns that a type in Ruby computes: the interpreter runs the method, with those that it calls in other files.

use std::path::Path;

use super::ast::Text;
use super::call::Call;
use super::environment::Inputs;
use super::eval::Evaluator;
use super::ids::TOP;
use super::ruby;
use super::value::Value;
use crate::lang::ruby::Function;
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

/// Files of methods that one method may lead to.
const MOST_FILES: usize = 8;

/// Patterns of titles with the attributes of their groups.
pub type Titles = Vec<(Regexp, Vec<Text>)>;

/// The patterns of a type with the attributes of their groups; nothing where they need Ruby that is not known.
pub fn computed(e: &mut Evaluator<'_>, ty: &str, span: Span) -> Option<Titles> {
    let text = e.inputs.ruby_file(&format!("lib/puppet/type/{ty}.rb"))?;
    let own = methods(&text).into_iter().find(|method| method.starts_with("def self.title_patterns"))?;
    let mut program = vec![own];
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(method) = program.get(at).cloned() {
        at += 1;
        for constant in receivers(&method) {
            if found.contains(&constant) || found.len() >= MOST_FILES {
                continue;
            }
            if let Some(text) = e.inputs.ruby_file(&file_of(&constant)) {
                program.extend(methods(&text));
                found.push(constant);
            }
        }
    }
    let mut program = program.join("\n").replace("def self.", "def ");
    // A longer name may begin with a shorter one.
    found.sort_by_key(|constant| std::cmp::Reverse(constant.len()));
    for constant in &found {
        program = program.replace(&format!("{constant}."), "");
    }
    let program = format!("Puppet::Functions.create_function(:title_patterns) do\n{program}\nend\n");
    let function = Function::read(&program)?;
    let call = Call { name: "title_patterns".into(), args: Vec::new(), block: None, scope: TOP, span };
    let Ok(Some(Value::Array(patterns))) = ruby::call(e, "title_patterns", &function, &call, &[]) else { return None };
    patterns.iter().map(pattern).collect()
}

/// `[/(.*):(.*)/, [[:name], [:port]]]`; a second part of an attribute would be code that changes the text.
fn pattern(value: &Value) -> Option<(Regexp, Vec<Text>)> {
    let Value::Array(parts) = value else { return None };
    let [Value::Regexp(regexp), Value::Array(names)] = &parts[..] else { return None };
    let name = |name: &Value| match name {
        Value::Array(parts) => match &parts[..] {
            [Value::Str(name)] => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    Some((Regexp::new(&*regexp.source), names.iter().map(name).collect::<Option<Vec<_>>>()?))
}

/// The methods of modules in a file, each as its text. An `end` is where its `def` is.
fn methods(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let method = line.trim_start();
        if !method.starts_with("def self.") {
            continue;
        }
        let end = format!("{}end", &line[..line.len() - method.len()]);
        let mut all = vec![method];
        all.extend(lines.by_ref().take_while(|line| line.trim_end() != end));
        all.push("end");
        found.push(all.join("\n"));
    }
    found
}

/// The modules whose methods a text calls, such as `A::B` of `A::B.method`.
fn receivers(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let words = text.split_inclusive(|c| !is_part(c)).filter_map(|word| word.strip_suffix('.'));
    words
        .filter(|word| word.contains("::") && word.starts_with(|c: char| c.is_ascii_uppercase()))
        .map(String::from)
        .collect()
}

/// The file of a module by its name: `lib/a/b_c.rb` of `A::BC`.
fn file_of(constant: &str) -> String {
    let mut path = String::from("lib/");
    let mut before = ':';
    for c in constant.replace("::", "/").chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            path.push('_');
        }
        path.push(c.to_ascii_lowercase());
        before = c;
    }
    path + ".rb"
}

impl Inputs<'_> {
    /// The text of the first file of this name in a module.
    fn ruby_file(&self, file: &str) -> Option<String> {
        let bytes = self.settings.module_path.iter().find_map(|path| {
            let root = if path.as_os_str().is_empty() { Path::new(".") } else { path };
            self.files.list(root).into_iter().find_map(|module| self.files.read(&path.join(module).join(file)))
        })?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
