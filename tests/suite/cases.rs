//! Runs every case below `tests/cases/` with the real binary; `UPDATE=1` writes down what came out instead.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::case::{Case, Run, find, parse, print};
use crate::{peak, same};

/// What a hostile program may take, in KiB; what is wrong with it is told with a place.
const MOST_MEMORY: u64 = 256 << 10;

#[test]
fn cases_hold() {
    let update = std::env::var_os("UPDATE").is_some();
    let all = find(Path::new("tests/cases"));
    let next = std::sync::atomic::AtomicUsize::new(0);
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get()) {
            scope.spawn(|| {
                while let Some(path) = all.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let is_same = path.starts_with("tests/cases/same");
                    let tried = if is_same { same::try_case(path, update) } else { try_case(path, update) };
                    if let Err(difference) = tried {
                        wrong.lock().expect("no thread panics while it holds this").push((path, difference));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("all threads have ended");
    wrong.sort();
    let told: Vec<_> = wrong.iter().map(|(path, difference)| format!("{}\n{difference}", path.display())).collect();
    assert!(told.is_empty(), "{} of {} cases differ:\n\n{}", told.len(), all.len(), told.join("\n\n"));
}

fn try_case(path: &Path, update: bool) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut case = parse(&text);
    assert!(!case.about.trim().is_empty(), "{} does not say what it shows", path.display());
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // A name without links, as programs see it.
    let folder = folder.path().canonicalize().expect("the folder was just made");
    let work = folder.join("work");
    lay_out(&case, &work);
    let files: BTreeSet<String> = case.files.iter().map(|(name, _)| name.clone()).collect();
    let graph_of = if files.contains("metadata.yaml") { "." } else { "main.mcl" };
    let bounds = path.starts_with("tests/cases/hostile").then_some(MOST_MEMORY);
    let mut differences = Vec::new();
    for run in &mut case.runs {
        let outputs = outcome(run, &work, graph_of, &files, bounds);
        if outputs != run.outputs {
            differences.push(difference(&run.outputs, &outputs));
        }
        run.outputs = outputs;
    }
    let _ = fs::remove_dir_all(&folder);
    match differences.is_empty() {
        true => Ok(()),
        false if update => fs::write(path, print(&case)).map_err(|e| e.to_string()),
        false => Err(differences.join("\n")),
    }
}

pub fn lay_out(case: &Case, work: &Path) {
    fs::create_dir_all(work).expect("the temporary folder can be written");
    for (name, content) in &case.files {
        let path = work.join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the temporary folder can be written");
        let content = match std::str::from_utf8(content) {
            Ok(text) => text.replace("$DIR", &work.display().to_string()).into_bytes(),
            Err(_) => content.clone(),
        };
        fs::write(path, content).expect("the temporary folder can be written");
    }
}

/// What a command gives, in the parts that the case has, or that it should have when it has none.
fn outcome(
    run: &Run,
    work: &Path,
    graph_of: &str,
    files: &BTreeSet<String>,
    bounds: Option<u64>,
) -> Vec<(String, String)> {
    let by_default = run.args.is_none();
    let told_in_words = by_default && run.output("TOLD").is_some();
    let json_errors =
        !told_in_words && (by_default || ["DIAGNOSTICS", "FIRST"].iter().any(|name| run.output(name).is_some()));
    let mut args: Vec<String> = match &run.args {
        Some(args) => args.clone(),
        None => ["graph", "--format", "json", graph_of].map(Into::into).into(),
    };
    if json_errors {
        args.splice(0..0, ["--error-format".into(), "json".into()]);
    }
    let (output, peak) = execute_watched(&args, run.stdin.as_deref(), work);
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(&work.display().to_string(), "$DIR");
        without_times(&without_hashes(&without_global_data(&text)))
    };
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if told_in_words {
        let told = stderr.split("error[").skip(1);
        assert!(told.clone().all(|error| error.contains("= help: ")), "{args:?} is told without a way out:\n{stderr}");
        return vec![("TOLD".to_string(), stderr)];
    }
    let exit = output.status.code().map_or("killed".to_string(), |code| code.to_string());
    let diagnostics = if json_errors { diagnostics(&stderr) } else { String::new() };
    let failed = diagnostics.lines().any(|line| !line.starts_with(' ') && line.contains(" error "));
    if let Some(most) = bounds {
        assert!(peak <= most, "{args:?} took {} MiB", peak >> 10);
        let placed = |line: &str| line.split(' ').next().is_some_and(|place| place.matches(':').count() >= 2);
        assert!(!failed || diagnostics.lines().next().is_some_and(placed), "{args:?} is told without a place");
        assert!(!failed || stdout.is_empty(), "{args:?} shows a part");
    }
    let expected_exit = if failed { "1" } else { "0" };

    let mut outputs = Vec::new();
    let mut put = |name: &str, text: String, wanted: bool| {
        if wanted {
            outputs.push((name.to_string(), text));
        }
    };
    let fresh = run.outputs.is_empty();
    let graph = if by_default || run.output("GRAPH").is_some() { graph(&stdout) } else { String::new() };
    put("MAPPED", mapped(&stdout), run.output("MAPPED").is_some());
    put("GRAPH", graph.clone(), !graph.is_empty() || run.output("GRAPH").is_some());
    put("CATALOG", catalog(&stdout), run.output("CATALOG").is_some());
    put("MODEL", model(&stdout), run.output("MODEL").is_some());
    let first = diagnostics.lines().next().map_or(String::new(), |line| format!("{line}\n"));
    put("FIRST", first, run.output("FIRST").is_some());
    put(
        "DIAGNOSTICS",
        diagnostics.clone(),
        (!diagnostics.is_empty() && run.output("FIRST").is_none()) || run.output("DIAGNOSTICS").is_some(),
    );
    put("STDOUT", stdout, run.output("STDOUT").is_some() || (fresh && !by_default));
    put("STDERR", stderr, run.output("STDERR").is_some());
    put("FILES", listing(work, work, files), run.output("FILES").is_some());
    put("EXIT", exit.clone() + "\n", exit != expected_exit || run.output("EXIT").is_some());
    // The case's own order stays, so that updating changes nothing but texts.
    let order = |name: &str| run.outputs.iter().position(|(have, _)| have == name).unwrap_or(usize::MAX);
    outputs.sort_by_key(|(name, _)| order(name));
    outputs
}

/// A plan's hash covers paths, and the folder of a case has a name of its own each time.
fn without_hashes(text: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(['"', '`']) {
        let is_hash = part.len() == 65 && part.bytes().take(64).all(|b| b.is_ascii_hexdigit());
        if is_hash {
            out.push_str("$HASH");
            out.push_str(&part[64..]);
        } else {
            out.push_str(part);
        }
    }
    out
}

/// Leaves out what `lookup --explain` prints of the machine's own `hiera.yaml`.
fn without_global_data(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut inside = None;
    let is_left = |line: &&str| {
        if inside.is_some_and(|outer| indent(line) > outer) {
            return false;
        }
        inside = line.trim_start().starts_with("Global Data Provider").then(|| indent(line));
        inside.is_none()
    };
    text.split_inclusive('\n').filter(is_left).collect()
}

/// How long a step took stands behind it where that is worth telling, and depends on how busy the machine is.
fn without_times(text: &str) -> String {
    let is_time = |tail: &str| {
        let number = tail.strip_suffix(" s").unwrap_or_default();
        number.contains('.') && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let line = |line: &str| match line.trim_end_matches('\n').rsplit_once("  ") {
        Some((head, tail)) if is_time(tail) => format!("{head}\n"),
        _ => line.to_owned(),
    };
    // In events that are JSON the same says how long it took by then.
    let event = |line: String| match line.split_once("\"time\":") {
        Some((head, tail)) if line.starts_with("{\"event\":") => {
            let rest = tail.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            format!("{head}\"time\":0.0{rest}")
        }
        _ => line,
    };
    text.split_inclusive('\n').map(line).map(event).collect()
}

/// Runs the binary with nothing of this machine in sight.
pub fn execute(args: &[String], stdin: Option<&[u8]>, work: &Path) -> Output {
    execute_watched(args, stdin, work).0
}

/// The same, with its peak of memory in KiB.
fn execute_watched(args: &[String], stdin: Option<&[u8]>, work: &Path) -> (Output, u64) {
    let home = work.parent().expect("the work folder lies in another");
    let mut child = Command::new(env!("CARGO_BIN_EXE_workbench"))
        .args(args)
        .current_dir(work)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("TZ", "UTC")
        .env("WORKBENCH_HOSTNAME", "host.example")
        // What is told as it ends has one order only when one thing is done at a time.
        .env("WORKBENCH_JOBS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let watch = peak::watch(child.id());
    // A command that reads nothing may have gone by now.
    let _ = child.stdin.take().expect("it is piped").write_all(stdin.unwrap_or_default());
    let output = child.wait_with_output().expect("the binary ends");
    (output, watch.join().expect("the watch has ended with the child"))
}

/// One line for a resource, on the mapped side, then one for an edge.
fn graph(stdout: &str) -> String {
    let Ok(graph) = serde_json::from_str::<Value>(stdout) else { return String::new() };
    let mut text = mapped(stdout);
    for edge in graph["edges"].as_array().into_iter().flatten() {
        let arrow = if edge["notify"] == true { "~>" } else { "->" };
        text.push_str(&format!("{} {arrow} {}", plain(&edge["from"]), plain(&edge["to"])));
        if !edge["send"].is_null() {
            text.push_str(&format!(" ({} to {})", plain(&edge["send"]), plain(&edge["recv"])));
        }
        text.push('\n');
    }
    text
}

/// One line for a resource, on the mapped side.
fn mapped(stdout: &str) -> String {
    let Ok(graph) = serde_json::from_str::<Value>(stdout) else { return String::new() };
    let mut text = String::new();
    for resource in graph["resources"].as_array().into_iter().flatten() {
        let side = if resource["mapped"].is_object() { &resource["mapped"] } else { resource };
        text.push_str(&format!("{}[{}]", plain(&side["kind"]), plain(&side["name"])));
        for (prefix, values) in [("", &side["params"]), ("Meta:", &resource["meta"])] {
            for (name, value) in values.as_object().into_iter().flatten() {
                text.push_str(&format!(" {prefix}{name}={value}"));
            }
        }
        text.push('\n');
    }
    text
}

/// One line for a resource of a Puppet catalog, then one for a relationship.
fn catalog(stdout: &str) -> String {
    let Ok(catalog) = serde_json::from_str::<Value>(stdout) else { return String::new() };
    let list = |name: &str| catalog[name].as_array().cloned().unwrap_or_default();
    let mut text = String::new();
    for resource in list("resources") {
        let id = format!("{}[{}]", plain(&resource["type"]), plain(&resource["title"]));
        if ["Stage[main]", "Class[main]"].contains(&id.as_str()) {
            continue;
        }
        let mark = match (resource["exported"] == true, resource["virtual"] == true) {
            (true, _) => "@@",
            (false, true) => "@",
            (false, false) => "",
        };
        text.push_str(&format!("{mark}{id}{}\n", fields(&resource["parameters"])));
    }
    for edge in list("relationships") {
        let arrow = if edge["refresh"] == true { "~>" } else { "->" };
        let auto = if edge["auto"] == true { " (auto)" } else { "" };
        text.push_str(&format!("{} {arrow} {}{auto}\n", plain(&edge["source"]), plain(&edge["target"])));
    }
    text
}

/// One line for a variable of an Inmanta model, then one for an instance, then what it printed.
fn model(stdout: &str) -> String {
    let Ok(model) = serde_json::from_str::<Value>(stdout) else { return String::new() };
    let mut text = String::new();
    for (name, value) in model["variables"].as_object().into_iter().flatten() {
        text.push_str(&format!("{name} = {}\n", with_names(value)));
    }
    for instance in model["instances"].as_array().into_iter().flatten() {
        let [attributes, relations] = ["attributes", "relations"].map(|part| fields(&instance[part]));
        text.push_str(&format!("{}{attributes}{relations}\n", plain(&instance["id"])));
    }
    for line in model["output"].as_str().unwrap_or_default().lines() {
        text.push_str(&format!("> {line}\n"));
    }
    text
}

fn fields(object: &Value) -> String {
    let field = |(name, value): (&String, &Value)| format!(" {name}={}", with_names(value));
    object.as_object().into_iter().flatten().map(field).collect()
}

/// The value as JSON, with instances as their names.
fn with_names(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(with_names).collect::<Vec<_>>().join(",")),
        Value::Object(object) => match object.get("$ref").and_then(Value::as_str) {
            Some(name) if object.len() == 1 => name.to_string(),
            _ => {
                let one =
                    |(name, value): (&String, &Value)| format!("{}:{}", Value::from(name.as_str()), with_names(value));
                format!("{{{}}}", object.iter().map(one).collect::<Vec<_>>().join(","))
            }
        },
        value => value.to_string(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToString::to_string)
}

/// `file:line:col-col severity code`, related places indented below.
pub fn diagnostics(stderr: &str) -> String {
    let mut text = String::new();
    for line in stderr.lines() {
        let Ok(object) = serde_json::from_str::<Value>(line) else {
            text.push_str(&format!("not JSON: {line}\n"));
            continue;
        };
        if object["log"].is_object() {
            continue;
        }
        let place = match (object["file"].as_str(), object["line"].as_u64() == object["end_line"].as_u64()) {
            (None, _) => "-".to_string(),
            (Some(file), true) => {
                format!("{file}:{}:{}-{}", object["line"], object["column"], object["end_column"])
            }
            (Some(file), false) => format!(
                "{file}:{}:{}-{}:{}",
                object["line"], object["column"], object["end_line"], object["end_column"]
            ),
        };
        text.push_str(&format!("{place} {} {}\n", plain(&object["severity"]), plain(&object["code"])));
        // An error without a way out differs from every case.
        if object["severity"] == "error" && object["help"].as_str().is_none_or(str::is_empty) {
            text.push_str(&format!("  without a way out: {}\n", plain(&object["label"])));
        }
        for related in object["related"].as_array().into_iter().flatten() {
            let message = plain(&related["message"]);
            text.push_str(&format!(
                "  {}:{}:{} {message}\n",
                plain(&related["file"]),
                related["line"],
                related["column"]
            ));
        }
    }
    text
}

/// Everything below the folder that is not the case's own, with mode and content.
fn listing(folder: &Path, work: &Path, own: &BTreeSet<String>) -> String {
    let mut entries: Vec<_> =
        fs::read_dir(folder).map(|dir| dir.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    entries.sort();
    let mut text = String::new();
    for path in entries {
        let name = path.strip_prefix(work).expect("it lies below").display().to_string();
        let about = fs::symlink_metadata(&path).expect("it was just listed");
        if about.is_symlink() {
            let target = fs::read_link(&path).expect("it is a link").display().to_string();
            text.push_str(&format!("{name} -> {}\n", target.replace(&work.display().to_string(), "$DIR")));
        } else if about.is_dir() {
            let inner = listing(&path, work, own);
            let of_case = own.iter().any(|file| file.starts_with(&format!("{name}/")));
            if !of_case {
                text.push_str(&format!("{name}/ {:04o}\n", about.permissions().mode() & 0o7777));
            }
            text.push_str(&inner);
        } else if !own.contains(&name) {
            let content = fs::read(&path).unwrap_or_default();
            let content = String::from_utf8_lossy(&content).replace(&work.display().to_string(), "$DIR");
            text.push_str(&format!("{name} {:04o} {content:?}\n", about.permissions().mode() & 0o7777));
        }
    }
    text
}

pub fn difference(wanted: &[(String, String)], got: &[(String, String)]) -> String {
    let text = |parts: &[(String, String)]| -> String {
        parts.iter().map(|(name, text)| format!("-- {name} --\n{text}")).collect()
    };
    let (wanted, got) = (text(wanted), text(got));
    similar::TextDiff::from_lines(&wanted, &got).unified_diff().header("wanted", "got").to_string()
}
