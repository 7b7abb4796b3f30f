//! Title patterns that a type in Ruby computes: the interpreter runs the method, with those that it calls in other files.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::ast::Text;
use super::call::Call;
use super::eval::Evaluator;
use super::ids::TOP;
use super::ruby;
use super::stop::Run;
use super::value::Value;
use crate::lang::ruby::Function;
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

/// Names of modules that one method may lead to, with those that have no file.
const MOST_MODULES: usize = 32;

/// The steps of looking for a file in a module.
const LOOK: u64 = 100;

/// Patterns of titles with the attributes of their groups.
pub type Titles = Vec<(Regexp, Vec<Text>)>;

/// The patterns of a type with the attributes of their groups; nothing where they need Ruby that is not known.
pub fn computed(e: &mut Evaluator<'_>, ty: &str, span: Span) -> Run<Option<Titles>> {
    let Some(text) = ruby_file(e, &format!("lib/puppet/type/{ty}.rb"), span)? else { return Ok(None) };
    let Some(own) = methods(&text).into_iter().find(|method| name_of(method) == "title_patterns") else {
        return Ok(None);
    };
    let mut program = vec![own];
    let mut asked: FxHashSet<String> = FxHashSet::default();
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(method) = program.get(at).cloned() {
        at += 1;
        e.output.spend_text(method.len(), span)?;
        for constant in receivers(&method) {
            if asked.contains(constant) {
                continue;
            }
            if asked.len() >= MOST_MODULES {
                return Ok(None);
            }
            asked.insert(constant.to_owned());
            if let Some(text) = ruby_file(e, &file_of(constant), span)? {
                program.extend(methods(&text));
                found.push(constant.to_owned());
            }
        }
    }
    // The methods become those of one object: two of the same name would be one there.
    let mut names = FxHashSet::default();
    if !program.iter().all(|method| names.insert(name_of(method))) {
        return Ok(None);
    }
    let mut program = program.join("\n").replace("def self.", "def ");
    // A longer name may begin with a shorter one.
    found.sort_by_key(|constant| std::cmp::Reverse(constant.len()));
    for constant in &found {
        e.output.spend_text(program.len(), span)?;
        program = program.replace(&format!("{constant}."), "");
    }
    let program = format!("Puppet::Functions.create_function(:title_patterns) do\n{program}\nend\n");
    e.output.spend_text(program.len(), span)?;
    let Some(function) = Function::read(&program) else { return Ok(None) };
    let call = Call { name: "title_patterns".into(), args: Vec::new(), block: None, scope: TOP, span };
    let Ok(Some(Value::Array(patterns))) = ruby::call(e, "title_patterns", &function, &call, &[]) else {
        return Ok(None);
    };
    Ok(patterns.iter().map(pattern).collect())
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

/// The name of a method by its text.
fn name_of(method: &str) -> &str {
    let name = method.trim_start_matches("def self.");
    name.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '?' | '!' | '=')).next().unwrap_or_default()
}

/// The modules whose methods a text calls, such as `A::B` of `A::B.method`.
fn receivers(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let words = text.split_inclusive(move |c| !is_part(c)).filter_map(|word| word.strip_suffix('.'));
    words.filter(|word| word.contains("::") && word.starts_with(|c: char| c.is_ascii_uppercase()))
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

/// The text of the first file of this name in a module.
fn ruby_file(e: &mut Evaluator<'_>, file: &str, span: Span) -> Run<Option<String>> {
    for at in 0..e.inputs.settings.module_path.len() {
        let Some(path) = e.inputs.settings.module_path.get(at) else { break };
        let root = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let modules = e.inputs.files.list(root);
        let found = modules.iter().find_map(|module| e.inputs.files.read(&path.join(module).join(file)));
        e.output.spend(modules.len() as u64 * LOOK, span)?;
        if let Some(bytes) = found {
            e.output.spend_text(bytes.len(), span)?;
            return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(None)
}
