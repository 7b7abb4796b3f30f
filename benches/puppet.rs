//! What a Puppet manifest costs: parsing, evaluation, the catalog and a preview, by shape and number of resources.
//!
//! `cargo bench --bench puppet` takes a minute; `-- chain` takes one shape. With `puppet` on this machine the chain is also
//! compared with `puppet apply --noop`.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Writes a manifest of so many resources.
type Shape = fn(usize) -> String;

const SHAPES: [(&str, Shape); 5] =
    [("chain", chain), ("flat", flat), ("tree", tree), ("define", define), ("virtual", virtual_files)];
const ROOT: &str = "/nonexistent/bench";

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    println!("shape    resources     parse       eval    catalog    preview");
    for (name, shape) in SHAPES {
        if !(wanted.is_empty() || wanted.iter().any(|word| word == name)) {
            continue;
        }
        for size in SIZES {
            let file = folder.path().join(format!("{name}-{size}.pp"));
            std::fs::write(&file, shape(size)).expect("the folder can be written");
            let times = ["parse", "eval", "graph", "preview"].map(|what| time(&mut workbench(what, &file)));
            let [parse, eval, catalog, preview] = times.map(|time| time.as_secs_f64() * 1e3);
            println!("{name:8} {size:9} {parse:7.0} ms {eval:7.0} ms {catalog:7.0} ms {preview:7.0} ms");
        }
    }
    if wanted.is_empty() || wanted.iter().any(|word| word == "chain") {
        beside_puppet(folder.path());
    }
}

fn workbench(what: &str, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.arg(what);
    match what {
        "eval" => command.args(["--lang", "puppet", "--file"]).arg(file),
        "graph" => command.args(["--format", "puppet-catalog"]).arg(file),
        _ => command.arg(file),
    };
    command
}

/// The best of three.
fn time(command: &mut Command) -> Duration {
    let run = |_| {
        let begun = Instant::now();
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it can be started");
        // A preview of files in a missing folder names what is wrong with each.
        assert!(done.code().is_some(), "{command:?} was killed");
        begun.elapsed()
    };
    (0..3).map(run).min().unwrap_or_default()
}

/// The same chain below an empty folder, by both programs.
fn beside_puppet(folder: &Path) {
    let root = folder.join("files");
    std::fs::create_dir(&root).expect("the folder can be written");
    let file: PathBuf = folder.join("site.pp");
    let text = chain(10_000).replace(ROOT, &root.display().to_string());
    std::fs::write(&file, text).expect("the folder can be written");
    let ours = time(&mut workbench("preview", &file));
    let mut puppet = Command::new("puppet");
    puppet.args(["apply", "--noop"]).arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let Ok(done) = puppet.status() else {
        println!("10,000 files in a chain: {} ms; `puppet` is not installed", ours.as_millis());
        return;
    };
    let theirs = begun.elapsed();
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!(
        "10,000 files in a chain: {} ms, puppet {} ms ({done}), {ratio:.0}x",
        ours.as_millis(),
        theirs.as_millis()
    );
}

fn file(text: &mut String, at: usize, more: &str) {
    let _ = writeln!(
        text,
        "file {{ '{ROOT}/f{at}':\n  ensure  => file,\n  content => \"line {at}\\n\",\n  mode    => '0644',{more}\n}}"
    );
}

fn chain(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        let before = at.checked_sub(1).map(|before| format!("\n  require => File['{ROOT}/f{before}'],"));
        file(&mut text, at, &before.unwrap_or_default());
        text
    })
}

fn flat(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        file(&mut text, at, "");
        text
    })
}

fn tree(count: usize) -> String {
    let classes = count.div_ceil(100);
    let mut text = String::new();
    for class in 0..classes {
        let _ = writeln!(text, "class c{class} {{");
        for at in 0..100.min(count - 100 * class) {
            let _ =
                writeln!(text, "  file {{ '{ROOT}/c{class}_{at}': ensure => file, content => \"${{title}} {at}\" }}");
        }
        let _ = writeln!(text, "}}\ninclude c{class}");
    }
    for class in 1..classes {
        let _ = writeln!(text, "Class['c{}'] -> Class['c{class}']", class - 1);
    }
    text
}

fn define(count: usize) -> String {
    format!(
        "define pair(Integer $n, String $text = \"t${{n}}\") {{\n  file {{ \"{ROOT}/${{title}}.a\": content => $text }}\n  \
        -> file {{ \"{ROOT}/${{title}}.b\": content => $text }}\n}}\n\
        Integer[1, {}].each |$i| {{ pair {{ \"p${{i}}\": n => $i }} }}\n",
        count / 2
    )
}

fn virtual_files(count: usize) -> String {
    let mut text = format!(
        "Integer[1, {count}].each |$i| {{ @file {{ \"{ROOT}/v${{i}}\": ensure => file, tag => \"g${{$i % 10}}\" }} }}\n"
    );
    for group in 0..10 {
        let _ = writeln!(text, "File<| tag == 'g{group}' |> {{ mode => '0600' }}");
    }
    text
}
