//! Programs broken in one place: what `preview` refuses, `check` refuses too, with the same error at the same place.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::cases::execute;

/// A program of `tests/cases/check`, and its faults.
struct Program {
    name: String,
    entry: String,
    files: Vec<(String, String)>,
    faults: Vec<toml::Table>,
}

impl Program {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the program can be read");
        let table: toml::Table = text.parse().expect("the program is TOML");
        let files = table["files"].as_table().expect("it has files");
        let faults = table["fault"].as_array().expect("it has faults");
        Self {
            name: path.file_stem().expect("it has a name").to_string_lossy().into_owned(),
            entry: text_of(&table, "entry").expect("it has an entry").to_owned(),
            files: files.iter().map(|(name, text)| (name.clone(), text.as_str().expect("a text").to_owned())).collect(),
            faults: faults.iter().map(|fault| fault.as_table().expect("a table").clone()).collect(),
        }
    }

    /// Runs `check` and `preview` on the program, with a fault in it.
    fn run(&self, fault: Option<&toml::Table>) -> [Output; 2] {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let work = folder.path().canonicalize().expect("the folder was just made").join("work");
        let mut files = self.files.clone();
        let also = fault.and_then(|fault| fault.get("also")).and_then(toml::Value::as_table);
        for edit in fault.into_iter().chain(also) {
            apply(edit, &mut files);
        }
        for (name, text) in files {
            let path = work.join(name);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder can be written");
            fs::write(path, text).expect("the folder can be written");
        }
        ["check", "preview"].map(|command| {
            let args = ["--error-format", "json", command, &self.entry].map(str::to_owned);
            execute(&args, None, &work)
        })
    }
}

fn text_of<'t>(table: &'t toml::Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(toml::Value::as_str)
}

/// Replaces the only occurrence of `old` in a file, or adds the file.
fn apply(edit: &toml::Table, files: &mut Vec<(String, String)>) {
    let (name, new) = (text_of(edit, "file").expect("a file"), text_of(edit, "new").expect("a text"));
    match text_of(edit, "old") {
        None => files.push((name.to_owned(), new.to_owned())),
        Some(old) => {
            let (_, text) = files.iter_mut().find(|(other, _)| other == name).expect("the file is there");
            assert_eq!(text.matches(old).count(), 1, "{name} has `{old}` once");
            *text = text.replace(old, new);
        }
    }
}

/// The first error: its code and place.
fn first(output: &Output) -> Option<(String, Value)> {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let objects = stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let error = objects.into_iter().find(|object| object["severity"] == "error")?;
    let shown = format!(
        "{} {}:{}",
        error["code"].as_str().unwrap_or_default(),
        error["file"].as_str().unwrap_or("-"),
        error["line"]
    );
    Some((shown, error["column"].clone()))
}

/// What is wrong with the answers to a fault.
fn judge(fault: &toml::Table, [check, preview]: &[Output; 2]) -> Option<String> {
    let is_alone = text_of(fault, "check") == Some("alone");
    let (checked, previewed) = (first(check), first(preview));
    if check.status.code() != Some(1) {
        return Some(format!("`check` accepts it: {}", String::from_utf8_lossy(&check.stdout)));
    }
    if is_alone != (preview.status.code() != Some(1)) {
        return Some(format!("`preview` exits with {:?}", preview.status.code()));
    }
    if !is_alone && checked != previewed {
        return Some(format!("`check` reports {checked:?}, `preview` {previewed:?}"));
    }
    let at = checked.map(|(shown, _)| shown);
    (at.as_deref() != text_of(fault, "at")).then(|| format!("it is reported as {at:?}"))
}

#[test]
fn check_refuses_what_preview_refuses() {
    let programs =
        ["puppet", "mcl", "inmanta"].map(|name| Path::new("tests/cases/check").join(name).with_extension("toml"));
    let programs = programs.map(|path| Program::read(&path));
    let mut wrong = Vec::new();
    for program in &programs {
        let [check, preview] = program.run(None);
        let (stdout, stderr) = (String::from_utf8_lossy(&check.stdout), String::from_utf8_lossy(&check.stderr));
        if !check.status.success() || !stdout.starts_with("ok ") || preview.status.code() == Some(1) {
            wrong.push(format!("{}: not right without a fault: {stdout}{stderr}", program.name));
        }
        for fault in &program.faults {
            if let Some(why) = judge(fault, &program.run(Some(fault))) {
                wrong.push(format!("{}: {}: {why}", program.name, text_of(fault, "name").unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let both = |fault: &&toml::Table| text_of(fault, "check").is_none();
    let count = programs.iter().flat_map(|program| &program.faults).filter(both).count();
    assert!(count >= 40, "only {count} programs that both refuse");
}
