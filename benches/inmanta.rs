//! What an Inmanta model costs, by its number of instances: an empty one, parsing, the checks, the whole model, and its memory.
//!
//! `cargo bench --bench inmanta` takes a minute. Services hang off hosts and parts off services, all of them in indexes; the
//! implementations loop, look up, and wait for whole lists. With `inmanta` on this machine 10,000 instances are also compared
//! with `inmanta compile`.

#![allow(clippy::disallowed_methods, reason = "benches lay out folders and run programs")]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

const MODEL: &str = r#"
entity Rack:
    string name
    int used
end
index Rack(name)
entity Unit:
    string name
    int slot = 1
    bool spare = false
    string label
end
index Unit(rack, name)
entity Cable:
    string kind
    string path
end
index Cable(unit, kind)
Rack.units [0:] -- Unit.rack [1]
Unit.cables [0:] -- Cable.unit [1]
Unit.twin [0:1] -- Unit.twin_of [0:]
implementation rack for Rack:
    self.used = std::count(self.units)
end
implementation unit for Unit:
    for kind in ["power", "data", "console", "earth"]:
        Cable(unit=self, kind=kind, path="/{{ self.rack.name }}/{{ self.name }}/{{ kind }}")
    end
    self.label = f"{self.name} in {self.rack.name}:{self.slot}"
end
implementation spare for Unit:
    self.cables += Cable[unit=self, kind="power"]
end
implementation cable for Cable:
    if self.kind == "power":
        self.requires += Cable[unit=self.unit, kind="earth"]
    end
end
implement Rack using rack
implement Unit using unit
implement Unit using spare when self.spare and self.slot > 0
implement Cable using cable
"#;

/// A model that ends with so many instances: one rack for each 50, and four cables for each unit.
fn model(instances: usize) -> String {
    let (units, racks) = (instances / 5, (instances / 50).max(1));
    let mut text = MODEL.to_string();
    for rack in 0..racks {
        let _ = writeln!(text, "r{rack} = Rack(name=\"rack{rack}\")");
    }
    for unit in 0..units {
        let twin = if unit % 3 == 1 { format!(", twin=u{}", unit - 1) } else { String::new() };
        let (rack, slot, spare) = (unit % racks, unit % 40, unit % 10 == 0);
        let _ = writeln!(text, "u{unit} = Unit(rack=r{rack}, name=\"u{unit}\", slot={slot}, spare={spare}{twin})");
    }
    let all: Vec<String> = (0..racks).map(|rack| format!("r{rack}")).collect();
    let _ = writeln!(text, "paths = [c.path for r in [{}] for u in r.units for c in u.cables]", all.join(", "));
    text.push_str("total = std::count(paths)\n");
    text
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    println!("instances     parse     check     model     peak");
    for size in [0].into_iter().chain(SIZES) {
        let place = folder.path().join(size.to_string());
        std::fs::create_dir(&place).expect("the folder can be written");
        std::fs::write(place.join("project.yml"), "name: bench\nmodulepath: libs\ndownloadpath: libs\n")
            .expect("the folder can be written");
        let file = place.join("main.cf");
        let text = if size == 0 { "x = 1\n".to_string() } else { model(size) };
        std::fs::write(&file, text).expect("the folder can be written");
        let [parse, check, whole] =
            ["parse", "check", "model"].map(|what| time(workbench(what, &file)).as_secs_f64() * 1e3);
        let peak = peak(&file).map_or("?".to_string(), |peak| format!("{} MiB", peak >> 10));
        println!("{size:9} {parse:6.0} ms {check:6.0} ms {whole:6.0} ms {peak:>8}");
    }
    beside_inmanta(&folder.path().join("10000"));
}

fn workbench(what: &str, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workbench"));
    command.arg(what).arg(file);
    if what == "model" {
        command.args(["--format", "json"]);
    }
    command
}

/// The best of five.
fn time(mut command: Command) -> Duration {
    let run = |_| {
        let begun = Instant::now();
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it can be started");
        assert!(done.success(), "{command:?} ended with {done}");
        begun.elapsed()
    };
    (0..5).map(run).min().unwrap_or_default()
}

/// The peak of memory in KiB, where GNU time can tell it.
fn peak(file: &Path) -> Option<u64> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M", env!("CARGO_BIN_EXE_workbench"), "model", "--format", "json"]).arg(file);
    let output = command.stdout(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&output.stderr).lines().last()?.trim().parse().ok()
}

/// The same model by both programs.
fn beside_inmanta(folder: &Path) {
    let ours = time(workbench("model", &folder.join("main.cf")));
    let begun = Instant::now();
    let mut inmanta = Command::new("inmanta");
    inmanta.arg("compile").current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(done) = inmanta.status() else {
        println!("10,000 instances: {} ms; `inmanta` is not installed", ours.as_millis());
        return;
    };
    let theirs = begun.elapsed();
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!("10,000 instances: {} ms, inmanta {} ms ({done}), {ratio:.0}x", ours.as_millis(), theirs.as_millis());
}
