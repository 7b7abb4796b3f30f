//! What a Puppet manifest costs: parsing, evaluation, the catalog and a preview, by shape and number of resources.
//!
//! `cargo bench --bench puppet` takes a minute; `-- chain` takes one shape. With `puppet` on this machine the chain is also
//! compared with `puppet apply --noop`. `-- nodes` compiles a control repository of 10 modules and 4 levels of data for many
//! nodes in this process.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use workbench::diag::Stage;
use workbench::session::choices::PuppetChoices;
use workbench::session::{Cancel, Choices, Options, Session};

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
    if wanted.is_empty() || wanted.iter().any(|word| word == "nodes") {
        nodes(folder.path());
    }
}

/// Compiles a control repository for 1,000 nodes, and prints what the nodes took up to then.
fn nodes(folder: &Path) {
    let repository = folder.join("production");
    control_repository(&repository);
    println!("nodes     total   per node    memory  resources");
    let begun = Instant::now();
    let mut resources = 0;
    for at in 0..1_000 {
        let puppet = PuppetChoices {
            node: Some(format!("n{at}.example.com")),
            facts: Some(repository.join(format!("facts{}.yaml", at % 2))),
            ..PuppetChoices::default()
        };
        let options = Options { choices: Choices { puppet, ..Choices::default() }, ..Options::default() };
        let session = Session::open(repository.to_str(), options).expect("the repository is an entry");
        let compiled = session.compile(Stage::Compile, &Cancel::default());
        assert!(!compiled.diagnostics.has_errors(), "{:?}", compiled.diagnostics);
        resources += compiled.graph.resources().count();
        let count = at + 1;
        if [100, 250, 500, 1_000].contains(&count) {
            let took = begun.elapsed().as_secs_f64();
            let each = 1e3 * took / f64::from(count);
            println!("{count:5} {took:7.2} s {each:7.2} ms {:6} MB {resources:10}", memory_in_use() >> 10);
        }
    }
}

/// The memory of this process, in KiB.
fn memory_in_use() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// 10 modules with 5 parameters and 6 files each; the data of a node, its system, its family, and of all.
fn control_repository(folder: &Path) {
    const MODULES: usize = 10;
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be written");
        std::fs::write(path, text).expect("the folder can be written");
    };
    write("environment.conf", "modulepath = modules\n");
    let level = |name: &str, path: &str| format!("  - name: {name}\n    path: \"{path}\"\n");
    let levels = level("node", "nodes/%{trusted.certname}.yaml")
        + &level("system", "os/%{facts.os.name}.yaml")
        + &level("family", "family/%{facts.os.family}.yaml")
        + &level("common", "common.yaml");
    write("hiera.yaml", &format!("version: 5\nhierarchy:\n{levels}"));
    let (mut common, mut family, mut site) = (String::new(), String::new(), String::new());
    for at in 0..MODULES {
        let _ = writeln!(site, "include m{at}");
        let _ =
            writeln!(common, "m{at}::size: {at}\nm{at}::names: [a, b]\nm{at}::about: \"for %{{trusted.certname}}\"");
        let _ = writeln!(family, "m{at}::names: [c]\nm{at}::options: {{family: \"%{{facts.os.family}}\"}}");
        let files: String = (0..6)
            .map(|file| {
                format!(
                    "  file {{ '{ROOT}/m{at}-{file}': content => \"${{size}} ${{about}} ${{names}} ${{options}}\" }}\n"
                )
            })
            .collect();
        let class = format!(
            "class m{at}(Integer $size, Array[String] $names, String $about, Hash $options = {{}}, $more = undef) {{\n{files}}}\n"
        );
        write(&format!("modules/m{at}/manifests/init.pp"), &class);
    }
    common.push_str("lookup_options:\n  '^m.*::names':\n    merge: unique\n");
    write("manifests/site.pp", &site);
    write("data/common.yaml", &common);
    write("data/family/Debian.yaml", &family);
    for (at, name) in ["Debian", "Ubuntu"].into_iter().enumerate() {
        write(&format!("data/os/{name}.yaml"), &format!("m0::options: {{name: {name}}}\n"));
        write(&format!("facts{at}.yaml"), &format!("os: {{name: {name}, family: Debian}}\n"));
    }
    for at in 0..1_000 {
        write(&format!("data/nodes/n{at}.example.com.yaml"), &format!("m1::size: {at}\n"));
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
