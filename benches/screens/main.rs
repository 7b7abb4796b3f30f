//! What the screens cost in a real pseudo-terminal: first paint, keys, bytes, sizes, idleness, memory.
//!
//! `cargo bench --bench screens` takes some minutes; `-- start`, `-- keys`, `-- busy`, `-- size`, `-- idle`, `-- plan` or
//! `-- files` takes one part of it. `-- peer PROGRAM ARG...` takes the same figures of another program, in its own words:
//! start, `j` and `k`, sizes, idleness. Figures are medians of one run on one machine; compare only what one run printed.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

#[allow(dead_code, reason = "one shape says enough here")]
#[path = "../inputs/mod.rs"]
mod inputs;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/suite/git_http.rs"]
mod git_http;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../tests/suite/skip.rs"]
mod skip;
mod remote;
mod terminal;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use inputs::{Shape, program};
use remote::Remote;
use terminal::Terminal;

const WIDE: (u16, u16) = (120, 40);
const DEMO: &str = "modules/mcl/demo";

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [part, repos] = args.as_slice()
        && part == remote::SERVE
    {
        return Remote::serve(Path::new(repos));
    }
    let bench = Bench::new();
    if args.first().is_some_and(|part| part == "peer") {
        return bench.peer(&args.split_off(1));
    }
    let parts: [Part; 7] = [
        ("start", Bench::start),
        ("keys", Bench::keys),
        ("busy", Bench::busy),
        ("size", Bench::sizes),
        ("idle", Bench::idle),
        ("plan", Bench::plan),
        ("files", Bench::files),
    ];
    for (name, part) in parts {
        if args.is_empty() || args.iter().any(|wanted| wanted == name) {
            part(&bench);
        }
    }
}

/// A part by its name.
type Part = (&'static str, fn(&Bench));

/// Folders of its own, and the demo.
struct Bench {
    root: PathBuf,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

impl Bench {
    fn new() -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("screens-{}", std::process::id()));
        std::fs::create_dir_all(&root).expect("can be made");
        Self { root }
    }

    fn module(&self, name: &str, code: &str) -> PathBuf {
        let folder = self.root.join(name);
        std::fs::create_dir_all(&folder).expect("can be made");
        std::fs::write(folder.join("main.mcl"), code).expect("can be written");
        folder.join("main.mcl")
    }

    fn open(&self, entry: &Path) -> Terminal {
        let words = [env!("CARGO_BIN_EXE_workbench").to_owned(), entry.display().to_string()];
        let env = [
            ("WORKBENCH_STATE", self.root.join("state")),
            ("WORKBENCH_CACHE", self.root.join("cache")),
            ("WORKBENCH_FETCH_ALLOW", "http".into()),
            ("WORKBENCH_RESTORE", "false".into()),
        ];
        let env = env.each_ref().map(|(name, value)| (*name, value.as_path()));
        Terminal::start(&words, Path::new(env!("CARGO_MANIFEST_DIR")), &env, WIDE)
    }

    fn demo(&self) -> Terminal {
        self.open(Path::new(DEMO))
    }

    /// The demo with its plan made, on a screen.
    fn settled(&self, screen: &str) -> Terminal {
        let mut terminal = self.demo();
        terminal.until_shows("compiled");
        terminal.until_shows("[1 Plan]");
        terminal.until_shows("would change");
        if screen != "1" {
            terminal.write(screen);
            terminal.until_shows(&format!("[{screen}"));
        }
        terminal.settle();
        terminal
    }

    fn start(&self) {
        let (mut painted, mut usable) = (Vec::new(), Vec::new());
        for _ in 0..25 {
            let mut terminal = self.demo();
            let start = terminal.started;
            painted.push(terminal.until("a first paint", |screen| !screen.trim().is_empty()) - start);
            usable.push(terminal.until_shows("would change") - start);
        }
        told("first paint", &painted);
        told("usable: the plan is shown", &usable);
    }

    fn keys(&self) {
        let flat = self.module("flat", &program(Shape::Flat, 10_000));
        let mut terminal = self.open(&flat);
        terminal.until_shows("compiled");
        for (screen, name) in [("1", "Plan"), ("3", "Graph")] {
            terminal.write(screen);
            terminal.until_shows("10000");
            terminal.settle();
            moves(&mut terminal, &format!("{name}, 10,000 resources"), 200);
        }
        moves(&mut self.settled("4"), "Modules", 80);
        moves(&mut self.settled("1"), "Plan, within the page", 11);
        moves(&mut self.settled("3"), "Graph, within the page", 11);
        let site = self.module("site", &site(220));
        let mut terminal = self.open(&site);
        terminal.until_shows("compiled");
        for (screen, name) in [("1", "Plan"), ("3", "Graph"), ("2", "Code")] {
            terminal.write(screen);
            terminal.until_shows(&format!("[{screen} {name}]"));
            terminal.settle();
            moves(&mut terminal, &format!("{name}, scrolling"), 100);
        }
        let mut picker = self.settled("2");
        picker.press(" ");
        picker.press("f");
        picker.settle();
        let picked: Vec<_> = (0..4).flat_map(|_| ["\x1b[B", "\x1b[A"]).map(|key| picker.press(key)).collect();
        answered("picker of files, with preview", &picked);
    }

    /// Keys while something else goes on.
    fn busy(&self) {
        let class = self.module("class", &program(Shape::Class, 10_000));
        let mut terminal = self.open(&class);
        terminal.until("a first paint", |screen| !screen.trim().is_empty());
        let mut taps = Vec::new();
        while !terminal.shows("compiled") && taps.len() < 2000 {
            taps.extend(terminal.tap(if taps.len() % 2 == 0 { "2" } else { "1" }));
        }
        told("keys while 20,000 resources compile and are previewed", &taps);

        let runs = |name: &str, remote: bool| {
            let mut taps = Vec::new();
            for run in 0..3 {
                let name = format!("{name}{run}");
                let remote = remote
                    .then(|| Remote::start(&self.root.join(format!("{name}-repos")), &self.root.join("cache")))
                    .flatten();
                taps.extend(self.applied(&name, remote.as_ref()));
            }
            taps
        };
        told("keys while 1,000 resources are applied", &runs("apply", false));
        told("keys while 1,000 resources are applied and a module is fetched", &runs("both", true));
    }

    /// Keys while new files come, and perhaps a module of 30 MiB.
    fn applied(&self, name: &str, remote: Option<&Remote>) -> Vec<Duration> {
        const FILES: usize = 1000;
        let folder = self.root.join(format!("{name}-applied"));
        std::fs::create_dir_all(&folder).expect("can be made");
        let mut code = remote.map(|remote| remote.import.clone()).unwrap_or_default();
        for number in 0..FILES {
            let path = folder.join(format!("f{number:04}"));
            writeln!(code, "file \"{}\" {{ state => \"exists\", content => \"{number}\", }}", path.display())
                .expect("fits");
        }
        let entry = self.module(name, &code);
        if let Some(remote) = remote {
            remote.fetch_for(entry.parent().expect("it is in a folder"));
            remote.grow();
        }
        let mut terminal = self.open(&entry);
        terminal.until_shows("compiled");
        terminal.until_shows("would change");
        terminal.settle();
        terminal.write("A");
        terminal.until_shows("y yes");
        terminal.write("y");
        terminal.until_shows("LIVE: deploy");
        if remote.is_some() {
            terminal.write("4");
            terminal.until_shows("[4 Modules]");
            terminal.write("F");
            terminal.until_shows("x stop");
            terminal.write("1");
            terminal.until_shows("[1 Plan]");
        }
        terminal.write("c");
        let is_done = || std::fs::read_dir(&folder).is_ok_and(|files| files.count() == FILES);
        let mut taps = Vec::new();
        while !is_done() && (remote.is_none() || terminal.shows(" fetch")) && taps.len() < 5000 {
            taps.extend(terminal.tap(if taps.len() % 2 == 0 { "j" } else { "k" }));
        }
        // Or it waits for a face, and the next one cannot begin.
        terminal.until_shows("end of deploy");
        taps
    }

    fn sizes(&self) {
        resized(&mut self.settled("1"));
    }

    fn idle(&self) {
        left_alone(&mut self.settled("1"));
    }

    /// A plan of 10,000 resources comes into sight.
    fn plan(&self) {
        let flat = self.module("flat", &program(Shape::Flat, 10_000));
        let mut terminal = self.open(&flat);
        terminal.until_shows("compiled");
        let shown = terminal.until_shows("would change");
        println!("10,000 resources: read, compiled, previewed and shown after {:.0?}", shown - terminal.started);
        let mut opened = |key: &str, what: &str| {
            let mut times = Vec::new();
            for _ in 0..20 {
                terminal.write("4");
                terminal.until_shows("[4 Modules]");
                terminal.settle();
                let begin = Instant::now();
                terminal.write(key);
                times.push(terminal.until_shows(what).saturating_duration_since(begin));
            }
            times
        };
        told("a plan of 10,000 resources is opened", &opened("1", "would change"));
        told("the rails of 10,000 resources are opened", &opened("3", "Apply order"));
        println!("memory with 10,000 resources: {:.1} MiB", terminal.resident() as f64 / 1024.0);
    }

    /// The picker over 60,000 files.
    fn files(&self) {
        let entry = self.module("many", "print \"many\" { }\n");
        let folder = self.root.join("many/files");
        std::fs::create_dir_all(&folder).expect("can be made");
        for number in 0..60_000 {
            std::fs::write(folder.join(format!("file-{number:05}.txt")), "").expect("can be written");
        }
        let mut terminal = self.open(&entry);
        terminal.until_shows("compiled");
        terminal.settle();
        terminal.write(" ");
        terminal.settle();
        let begin = Instant::now();
        terminal.write("f");
        let first = terminal.until("a first row", |screen| screen.contains("file-"));
        println!("picker over 60,000 files: first rows after {:.1?}", first.saturating_duration_since(begin));
        let all = terminal.until("all of them", |screen| screen.contains("60001") || screen.contains("60,001"));
        println!("picker over 60,000 files: all after {:.1?}", all.saturating_duration_since(begin));
        let mut taps = Vec::new();
        for key in "file123".chars().chain("\x7f\x7f\x7f999".chars()) {
            taps.extend(terminal.tap(&key.to_string()));
            terminal.settle();
        }
        told("keys in the picker over 60,000 files", &taps);
        println!("memory with the picker over 60,000 files: {:.1} MiB", terminal.resident() as f64 / 1024.0);
    }

    /// The same figures of another program in the working folder.
    fn peer(&self, words: &[String]) {
        let folder = std::env::current_dir().expect("there is one");
        let open = || Terminal::start(words, &folder, &[], WIDE);
        let mut painted = Vec::new();
        for _ in 0..9 {
            let mut terminal = open();
            let start = terminal.started;
            painted.push(terminal.until("a first paint", |screen| !screen.trim().is_empty()) - start);
        }
        told("first paint", &painted);
        let mut terminal = open();
        terminal.until("a first paint", |screen| !screen.trim().is_empty());
        std::thread::sleep(Duration::from_secs(3));
        terminal.settle();
        moves(&mut terminal, "its first list", 80);
        resized(&mut terminal);
        left_alone(&mut terminal);
    }
}

/// So many resources of three kinds, each with words of its own.
fn site(count: usize) -> String {
    let mut out = String::new();
    let mut word = {
        let mut state = 7_u32;
        move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("{:x}", state >> (4 + state % 16))
        }
    };
    for at in 0..count {
        let (name, words) = (format!("{}-{at}", word()), [word(), word(), word()].join(" "));
        let written = match at % 3 {
            0 => writeln!(
                out,
                "file \"/tmp/bench/{name}\" {{\n\tstate => \"exists\",\n\tcontent => \"{words}\\n\",\n}}\n"
            ),
            1 => writeln!(out, "exec \"{name}\" {{\n\tcmd => \"echo {words}\",\n\tshell => \"/bin/sh\",\n}}\n"),
            _ => writeln!(out, "print \"{name}\" {{\n\tmsg => \"{words}\",\n}}\n"),
        };
        written.expect("a string takes everything");
    }
    out
}

/// `j` as a held key repeats it; then `k` now and then, with all that follows once the hand rests.
fn moves(terminal: &mut Terminal, what: &str, count: usize) {
    let down: Vec<_> = (0..count).map(|_| terminal.press("j")).collect();
    terminal.rest();
    answered(&format!("{what}, j"), &down);
    let up: Vec<_> = (0..count.min(20)).map(|_| terminal.press("k").bytes + terminal.rest()).collect();
    println!("{:60} and with all that follows at rest: {}", "", spread(up));
}

/// The middle, the mean and the most of what was more than nothing.
fn spread(mut bytes: Vec<usize>) -> String {
    bytes.retain(|bytes| *bytes > 0);
    bytes.sort_unstable();
    let (middle, most) = (bytes.get(bytes.len() / 2).unwrap_or(&0), bytes.last().unwrap_or(&0));
    format!("bytes: median {middle}, mean {}, most {most}", bytes.iter().sum::<usize>() / bytes.len().max(1))
}

fn answered(what: &str, answers: &[terminal::Answer]) {
    let times: Vec<Duration> = answers.iter().filter_map(|answer| answer.first).collect();
    told(what, &times);
    println!("{:60} {}", "", spread(answers.iter().map(|answer| answer.bytes).collect()));
}

fn resized(terminal: &mut Terminal) {
    let mut times = Vec::new();
    for step in 0..60_u16 {
        // A walk that visits tiny, narrow and wide sizes in turn.
        let (width, height) = (1 + step * 131 % 400, 1 + step * 37 % 100);
        times.push(terminal.resize(width, height).last);
    }
    told("a new size, until its last byte", &times);
    terminal.resize(WIDE.0, WIDE.1);
}

fn left_alone(terminal: &mut Terminal) {
    terminal.settle();
    std::thread::sleep(Duration::from_secs(2));
    terminal.settle();
    let before = terminal.used();
    let bytes = terminal.unasked(Duration::from_secs(2));
    let after = terminal.used();
    println!(
        "idle for 2 s: {bytes} bytes, {} wake-ups, {} ms of processor; memory {:.1} MiB",
        after.wakes - before.wakes,
        (after.ticks - before.ticks) * 10,
        terminal.resident() as f64 / 1024.0
    );
}

/// One line of figures.
fn told(what: &str, times: &[Duration]) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = |percent: usize| sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)));
    let ms = |time: Option<&Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0);
    println!(
        "{what:60} p50 {:7.2} p99 {:7.2} max {:7.2} ms of {}",
        ms(at(50)),
        ms(at(99)),
        ms(sorted.last()),
        sorted.len()
    );
}
