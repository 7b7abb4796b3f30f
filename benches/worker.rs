//! What it costs to compile in a worker instead of in this process, by language and number of resources.
//!
//! `cargo bench --bench worker` takes a minute; `-- puppet` takes one language. Each row has medians of pairs: this process,
//! a worker that waits, a worker that is started for the program, and the difference of a waiting worker. In these pairs,
//! this process has the memory of the compilations before. The columns "new process" are the first compilation of a new
//! process that does it itself, and of one whose worker waits. The last columns are a whole command, which opens the entry,
//! compiles and exits.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use workbench::diag::Stage;
use workbench::session::{Cancel, Options, Session, WORKER_COMMAND, Workplace, serve_worker};

/// As in the program itself.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Makes this program compile one entry and exit: in its own process, or in a worker.
const ONCE: &str = "once";

/// The same after a pause, in which a worker can start. Prints how long the compilation takes.
const FIRST: &str = "first";

const SIZES: [usize; 4] = [1, 100, 1_000, 10_000];

/// A worker that was just started is not a waiting one.
const START: Duration = Duration::from_millis(40);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [WORKER_COMMAND] => return if serve_worker() { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        [ONCE, place, entry] => {
            compile(entry, workplace(place == "worker"), true);
            signal_hook::low_level::exit(0)
        }
        [FIRST, place, entry] => {
            let workplace = workplace(place == "worker");
            std::thread::sleep(START);
            println!("{}", time(|| compile(entry, workplace, true)));
            signal_hook::low_level::exit(0)
        }
        _ => {}
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    println!(
        "language  resources   in process    waiting     started   waiting - in process   new process: own    waiting   waiting - own      command: own     worker"
    );
    for (language, program) in [("pp", puppet as fn(usize) -> String), ("mcl", mcl), ("cf", inmanta)] {
        if !(wanted.is_empty() || wanted.iter().any(|word| *word == language)) {
            continue;
        }
        for size in SIZES {
            let folder = folder.path().join(format!("{language}-{size}"));
            std::fs::create_dir(&folder).expect("the folder can be written");
            let file = folder.join(format!("main.{language}"));
            std::fs::write(&file, program(size)).expect("the folder can be written");
            row(language, size, &file);
        }
    }
    ExitCode::SUCCESS
}

fn row(language: &str, size: usize, file: &Path) {
    let entry = file.to_str().expect("the name is plain");
    let rounds = if size >= 10_000 { 15 } else { 25 };
    let mut times: [Vec<f64>; 7] = Default::default();
    let warm = Workplace::workers();
    warm.keep_warm();
    for _ in 0..rounds {
        times[0].push(time(|| compile(entry, workplace(false), false)));
        std::thread::sleep(START);
        times[1].push(time(|| compile(entry, warm.clone(), false)));
        times[2].push(time(|| compile(entry, workplace(true), true)));
        for (at, place) in ["own", "worker"].into_iter().enumerate() {
            times[3 + at].push(first(place, entry));
            times[5 + at].push(time(|| assert!(this(ONCE, place, entry).status().expect("it starts").success())));
        }
    }
    let (warm_more, warm_share) = difference(&times[1], &times[0]);
    let (new_more, new_share) = difference(&times[4], &times[3]);
    let [own, waiting, started, new_own, new_waiting, own_command, worker_command] =
        times.map(|mut times| median(&mut times));
    println!(
        "{language:8} {size:10} {own:9.2} ms {waiting:7.2} ms {started:8.2} ms {warm_more:9.2} ms, {warm_share:6.1} % \
         {new_own:12.2} ms {new_waiting:7.2} ms {new_more:7.2} ms, {new_share:6.1} % {own_command:8.2} ms {worker_command:7.2} ms",
    );
}

/// The median difference of pairs, and its share of the second ones in percent.
fn difference(some: &[f64], base: &[f64]) -> (f64, f64) {
    let mut between: Vec<f64> = some.iter().zip(base).map(|(one, other)| one - other).collect();
    let more = median(&mut between);
    (more, 100.0 * more / median(&mut base.to_vec()))
}

/// This program in another mode.
fn this(mode: &str, place: &str, entry: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    command.args([mode, place, entry]).stdin(Stdio::null());
    command
}

/// How long the first compilation of a new process takes.
fn first(place: &str, entry: &str) -> f64 {
    let output = this(FIRST, place, entry).output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("it prints a time")
}

fn workplace(is_worker: bool) -> Workplace {
    if is_worker { Workplace::workers() } else { Workplace::Own }
}

fn compile(entry: &str, workplace: Workplace, is_last: bool) {
    let session = Session::open(Some(entry), Options { workplace, is_last, ..Options::default() });
    let session = session.unwrap_or_else(|report| panic!("{:?}", report.diagnostics));
    let compiled = session.compile(Stage::Compile, &Cancel::default());
    assert!(!compiled.diagnostics.has_errors(), "{:?}", compiled.diagnostics);
    assert!(compiled.graph.resources().next().is_some());
}

fn time(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Files, each after the one before it.
fn puppet(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let after = if at > 0 { format!("  require => File['/tmp/b/{}'],\n", at - 1) } else { String::new() };
        let _ = write!(
            text,
            "file {{ '/tmp/b/{at}':\n  ensure => file,\n  content => \"line {at}\\n\",\n  mode => '0644',\n{after}}}\n"
        );
    }
    text
}

fn mcl(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        let after = if at > 0 { format!("\tDepend => File[\"/tmp/b/{}\"],\n", at - 1) } else { String::new() };
        let _ = write!(
            text,
            "file \"/tmp/b/{at}\" {{\n\tstate => \"exists\",\n\tcontent => \"line {at}\\n\",\n\tmode => \"0644\",\n{after}}}\n"
        );
    }
    text
}

fn inmanta(count: usize) -> String {
    let mut text = "import std\nimport fs\nhost = std::Host(name=\"localhost\", os=std::linux)\n".to_owned();
    for at in 0..count {
        let after = if at > 0 { format!(", requires=f{}", at - 1) } else { String::new() };
        let _ = writeln!(
            text,
            "f{at} = fs::File(host=host, mode=644, path=\"/tmp/b/{at}\", content=\"line {at}\\n\"{after})"
        );
    }
    text
}
