//! Hostile text through every command (G16): a terminal gets letters, line breaks and our own colours, and nothing else.
//!
//! The commands are those of `docs/commands.md`, which is made from the definition of the command line: a new command
//! without a row here fails the test.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use workbench::source::is_hostile;

use crate::download::Place;
use crate::promises::figure;
use crate::skip::skip;
use crate::terminal::PROGRAM;

/// What no data may do to a terminal.
pub const PAYLOADS: [&str; 20] = [
    "\x1b[2J",
    "\x1b[8mhidden",
    "\x1b[?1049h",
    "\x1b[6n",
    "\x1bc",
    "\x1b]0;title\x07",
    "\x1b]8;;http://evil.example\x1b\\link",
    "\x1b]52;c;ZXZpbA==\x07",
    "\x1bP+q544e\x1b\\",
    "\x1b_Gf=24\x1b\\",
    "\u{9b}2J",
    "\u{9d}0;x\u{9c}",
    "a\x08\x08b",
    "\x0e",
    "\x7f",
    "\u{202e}evil\u{202c}",
    "\u{2066}x\u{2069}",
    "\u{200b}\u{200d}\u{feff}",
    "\u{2028}\u{2029}\u{85}",
    "\u{e0041}\u{ad}",
];

/// All of them in one text.
fn all() -> String {
    PAYLOADS.concat()
}

/// A text in double quotes, with every hostile character as an escape.
fn escaped(escape: impl Fn(char) -> String) -> String {
    all().chars().map(|c| if is_hostile(c) || c == '\\' { escape(c) } else { c.to_string() }).collect()
}

/// Programs in three languages with the payloads wherever a text may be.
fn programs(place: &Place) {
    let raw = all();
    let puppet = escaped(|c| format!("\\u{{{:x}}}", c as u32));
    let python = escaped(|c| match c as u32 {
        code @ 0..=0xff => format!("\\x{code:02x}"),
        code => format!("\\U{code:08x}"),
    });
    let inner = raw.replace(['\x1b', '\\', '"'], "");
    place.write("work/own/metadata.yaml", &format!("license: \"{python}\"\n"));
    place.write(
        "work/own/main.mcl",
        &format!("# {raw}\nprint \"p\" {{\n\tmsg => \"{inner}\",\n}}\nfile \"$ROOT/made/{inner}\" {{\n\tstate => \"exists\",\n\tcontent => \"{inner}\",\n}}\n"),
    );
    place.write("work/bad.mcl", &format!("$x = \"{raw}\" + 1 # {raw}\n$y = $no{inner}\n"));
    place.write(
        "work/site.pp",
        &format!(
            "# @summary {raw}\n# @param name {raw}\ndefine shown($a = \"{puppet}\") {{ notify {{ \"${{title}}-${{a}}\": }} }}\n\
             shown {{ \"{puppet}\": }}\nnotice(\"{puppet}\")\nwarning(\"{puppet}\")\n\
             file {{ \"$ROOT/made/x\": content => \"{puppet}\", mode => '0644' }}\n\"{puppet}\"\n"
        ),
    );
    place.write("work/bad.pp", &format!("fail(\"{puppet}\")\n"));
    place.write("work/worse.pp", &format!("# {raw}\n$x = '{raw}' {raw}\n"));
    place.write(
        "work/main.cf",
        &format!("\"\"\" {inner} \"\"\"\nentity A:\n    \"\"\" {inner} \"\"\"\n    string a = \"{python}\"\nend\nimplement A using std::none\nx = A()\ny = \"{python}\"\nstd::print(y)\n"),
    );
    place.write("work/bad.cf", &format!("x = \"{python}\"\nx = 2\n# {raw}\n"));
    place.write("work/env/hiera.yaml", "version: 5\nhierarchy:\n  - name: \"one\"\n    path: common.yaml\n");
    place.write("work/env/data/common.yaml", &format!("key: \"{python}\"\nother: 1\n"));
    place.write("work/env/environment.conf", "\n");
    place.write("work/env/manifests/site.pp", "notify { lookup('key'): }\n");
    place.write("work/type.rb", &format!("Puppet::Type.newtype(:shown) do\n  @doc = '{inner}'\n  newparam(:name) do\n    desc '{inner}'\n  end\nend\n"));
    // The other theme has the name of its file.
    place.write("work/bad.toml", &format!("theme = \"{inner}\"\n"));
    place.write("config/config.toml", "theme = \"night\"\n");
    place.write(&format!("work/{}.mcl", inner.replace('/', "")), "print \"x\" {}\n");
}

/// The arguments of a command, with a `+` if it must succeed. `$BAD` is replaced by the payloads that an argument can hold.
const ROWS: &[(&str, &[&str])] = &[
    ("", &["--bad$BAD", "--theme $BAD --screenshot x.svg own"]),
    ("parse", &["+own", "bad.mcl", "+site.pp", "worse.pp", "main.cf", "bad.cf", "$BAD"]),
    ("check", &["own", "bad.mcl", "site.pp", "bad.pp", "worse.pp", "main.cf", "bad.cf", "$BAD"]),
    (
        "graph",
        &[
            "+own",
            "+site.pp",
            "+main.cf",
            "+--format dot site.pp",
            "+--format mermaid site.pp",
            "+--format rails site.pp",
            "+--format json site.pp",
            "+--format mcl site.pp",
            "+--format mgmt-yaml own",
            "+--format puppet-catalog site.pp",
            "bad.pp",
        ],
    ),
    ("model", &["+main.cf", "+--format json main.cf", "--explain-freeze $BAD main.cf", "bad.cf"]),
    ("lookup", &["+key env --lang puppet", "+--explain key env --lang puppet", "$BAD env --lang puppet"]),
    ("eval", &["+--file site.pp", "+--format json --file site.pp", "--lang mcl $BAD", "--file bad.pp"]),
    (
        "diff",
        &["own own", "own site.pp", "site.pp main.cf", "$BAD own", "own site.pp --only $BAD", "own own --nodes $BAD"],
    ),
    ("test", &["own", "bad.toml", "$BAD"]),
    ("preview", &["own", "+site.pp", "+main.cf", "--format json own", "--only $BAD own", "$BAD"]),
    ("apply", &["+--yes site.pp", "--yes own", "bad.pp", "--yes --only $BAD own", "--plan $BAD"]),
    ("attach", &["--stop"]),
    ("deploy", &["--help"]),
    ("deploy bundle", &["--output $BAD.bundle own", "+--output own.bundle own", "--output x.bundle $BAD"]),
    ("deploy push", &["own --target $BAD", "$BAD --target etcd://127.0.0.1:1"]),
    ("deploy list", &["+", "+--format json", "--target $BAD"]),
    ("deploy show", &["+1", "+2", "+1 --format json", "$BAD"]),
    ("deploy diff", &["+1 2", "$BAD 1"]),
    ("deploy undo", &["--yes", "$BAD"]),
    ("deploy resume", &["$BAD", ""]),
    ("deploy prune", &["--keep $BAD", "--keep 100 --yes"]),
    ("log", &["+", "+-v", "+--format json", "$BAD"]),
    ("run", &["+--once --yes site.pp", "--once --noop own", "--once --yes bad.pp"]),
    ("step", &["+own --script s", "+site.pp --script c", "own --script $BAD"]),
    ("modules", &["+own", "own --why $BAD", "+own --format json", "$BAD"]),
    ("modules add", &["$BAD own", "https://127.0.0.1:1/$BAD own --yes"]),
    ("modules prune", &["own", "$BAD"]),
    ("download", &["own", "own --update=$BAD", "$BAD", "bad.mcl"]),
    ("fmt", &["+--stdout own/main.mcl", "--check bad.mcl", "+--stdout main.cf", "$BAD"]),
    ("highlight", &["+own/main.mcl", "+site.pp", "+main.cf", "+worse.pp", "--format html site.pp", "$BAD"]),
    ("doc", &["+site.pp:3:8", "+main.cf:2:8", "+--ruby-type type.rb", "$BAD"]),
    ("tutor", &["--list", "$BAD"]),
    ("keys", &["", "$BAD"]),
    ("themes", &["", "$BAD"]),
    ("config", &["--help"]),
    ("config check", &["$BAD", "+", "--config bad.toml"]),
    ("config explain", &["theme", "$BAD"]),
    ("config schema", &["", "$BAD"]),
    ("completions", &["bash", "$BAD"]),
    ("man", &["made/man", "/dev/null/$BAD"]),
];

/// The bytes that a command sends to its terminal, and its exit code.
fn in_terminal(place: &Place, words: &[String]) -> (Vec<u8>, u32) {
    const DEADLINE: Duration = Duration::from_secs(60);
    let size = PtySize { rows: 40, cols: 100, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(words);
    command.cwd(place.root.join("work"));
    command.env_clear();
    for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("PATH", "/usr/bin:/bin")] {
        command.env(name, value);
    }
    command.env("HOME", &place.root);
    command.env("WORKBENCH_CONFIG", place.root.join("config/config.toml"));
    command.env("WORKBENCH_STATE", place.root.join("state"));
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut output = pair.master.try_clone_reader().expect("a reader");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut part) {
            bytes.extend_from_slice(&part[..count]);
        }
        bytes
    });
    // Whoever asks gets no answer.
    drop(pair.master.take_writer());
    let begun = Instant::now();
    let code = loop {
        if let Some(status) = child.try_wait().expect("our own child") {
            break status.exit_code();
        }
        assert!(begun.elapsed() < DEADLINE, "{words:?} does not end");
        std::thread::sleep(Duration::from_millis(2));
    };
    drop(pair.master);
    (reader.join().expect("it only reads"), code)
}

/// Whether these are colours and weights of ours: nothing that hides or blinks.
fn is_color(params: &str) -> bool {
    let mut params = params.split(';');
    while let Some(param) = params.next() {
        let rest = match param {
            "38" | "48" if params.next() == Some("2") => 3,
            "38" | "48" => 1,
            "5" | "6" | "8" => return false,
            _ => 0,
        };
        for _ in 0..rest {
            params.next();
        }
    }
    true
}

/// What is wrong with the bytes that a terminal got.
fn fault(bytes: &[u8]) -> Option<String> {
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Some(error.to_string()),
    };
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| is_hostile(c) && !matches!(c, '\n' | '\t')) {
        let bad = &rest[at..];
        let head: String = bad.chars().take(30).collect();
        // The end of a line, and the line that a progress report draws again.
        let own = ["\r\n", "\r\x1b[K", "\r\x1b[2K", "\r"].into_iter().find(|own| bad.starts_with(own));
        let length = own.map(str::len).or_else(|| {
            let params = bad.strip_prefix("\x1b[")?;
            let end =
                params.find(|c: char| !matches!(c, '0'..='9' | ';')).filter(|end| params[*end..].starts_with('m'))?;
            is_color(&params[..end]).then_some(end + 3)
        });
        match length {
            Some(length) => rest = &bad[length..],
            None => return Some(format!("{head:?}")),
        }
    }
    None
}

fn commands() -> Vec<String> {
    let text = fs::read_to_string("docs/commands.md").expect("it is there");
    let titles = text.lines().filter_map(|line| line.strip_prefix("## workbench"));
    titles.map(|title| title.trim().to_owned()).collect()
}

fn words_of(command: &str, row: &str) -> Vec<String> {
    let bad: String = all().chars().filter(|c| *c != '\0').collect();
    let words = command.split(' ').chain(row.split(' ')).filter(|word| !word.is_empty());
    words.map(|word| word.replace("$BAD", &bad)).collect()
}

#[test]
fn no_command_lets_hostile_text_act_on_a_terminal() {
    let place = Place::empty();
    programs(&place);
    fs::create_dir_all(place.root.join("made")).expect("it can be made");
    let commands = commands();
    assert!(commands.len() > 30, "{commands:?}");
    let (mut faults, mut runs, mut shown) = (Vec::new(), 0, 0);
    for command in &commands {
        let Some((_, rows)) = ROWS.iter().find(|(name, _)| name == command) else {
            panic!("`workbench {command}` has no row here");
        };
        for row in *rows {
            // A row with a mark must get to its end.
            let (row, ends_well) = row.strip_prefix('+').map_or((*row, false), |row| (row, true));
            let (bytes, code) = in_terminal(&place, &words_of(command, row));
            runs += 1;
            let text = String::from_utf8_lossy(&bytes);
            shown += usize::from(text.contains("x1b") || text.contains("202e") || text.contains("200b"));
            assert!(code != 101 && code != 134, "`{command} {row}` panicked: {text}");
            assert!(!ends_well || code == 0, "`{command} {row}` failed: {text}");
            faults.extend(fault(&bytes).map(|fault| format!("`{command} {row}` ({code}): {fault}")));
        }
    }
    assert!(faults.is_empty(), "{} of {runs}:\n{}", faults.len(), faults.join("\n"));
    assert!(shown > 60, "the payloads are shown as escapes: {shown} of {runs}");
    figure("G16 (commands)", format_args!("{runs} runs of {} commands, {shown} with payloads, 0 raw", commands.len()));
}

/// Texts for people are visible in a pipe too; data for programs is as it is.
#[test]
fn a_pipe_gets_raw_text_only_as_data() {
    let place = Place::empty();
    programs(&place);
    let raw = |words: &str| {
        let output = std::process::Command::new(PROGRAM)
            .args(words_of("", words))
            .current_dir(place.root.join("work"))
            .env_clear()
            .env("HOME", &place.root)
            .env("PATH", "/usr/bin:/bin")
            .env("WORKBENCH_STATE", place.root.join("state"))
            .output()
            .expect("the program starts");
        (fault(&output.stdout), fault(&output.stderr))
    };
    fs::create_dir_all(place.root.join("made")).expect("it can be made");
    for words in [
        "parse bad.mcl",
        "check bad.mcl",
        "check worse.pp",
        "graph site.pp",
        "graph own",
        "model main.cf",
        "preview own",
        "preview site.pp",
        "apply --yes site.pp",
        "log",
        "deploy list",
        "deploy show 1",
        "lookup --explain key env --lang puppet",
        "modules own",
        "doc site.pp:3:8",
        "doc main.cf:2:8",
        "step site.pp --script c",
        "run --once --yes site.pp",
    ] {
        assert_eq!(raw(words), (None, None), "{words}");
    }
    for words in ["fmt --stdout own/main.mcl", "graph --format dot site.pp"] {
        assert_eq!(raw(words).1, None, "{words}");
    }
    let text = fs::read_to_string(place.root.join("work/own/main.mcl")).expect("it was just written");
    let file = place.root.join("work/own/main.mcl");
    let output = std::process::Command::new(PROGRAM).args(["fmt", "--stdout"]).arg(file).output();
    let output = output.expect("the program starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("\u{202e}") && text.contains("\u{202e}"));
}

#[test]
fn an_output_that_cannot_be_written_has_its_own_exit_code() {
    let full = || fs::File::options().write(true).open("/dev/full");
    if full().is_err() {
        return skip("/dev/full", "/dev/full is missing");
    }
    let place = Place::empty();
    programs(&place);
    for words in
        ["keys", "--help", "--version", "graph site.pp", "parse own", "eval --file site.pp", "graph --format json own"]
    {
        let output = std::process::Command::new(PROGRAM)
            .args(words.split(' '))
            .current_dir(place.root.join("work"))
            .stdout(full().expect("it was there"))
            .output()
            .expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(74), "{words}: {message}");
        assert!(message.contains("error: cannot write the output: "), "{words}: {message}");
    }
    // A reader that has enough is no error.
    let mut child = std::process::Command::new(PROGRAM)
        .arg("keys")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

/// What the applier keeps is the user's alone, whatever their umask; what it manages has the modes that the umask gives.
#[test]
fn state_is_private_and_managed_files_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    for (umask, file, folder) in [("000", 0o666, 0o777), ("022", 0o644, 0o755), ("077", 0o600, 0o700)] {
        let place = Place::empty();
        let code = "file \"$ROOT/made/\" { state => \"exists\", }\nfile \"$ROOT/made/f\" { state => \"exists\", content => \"x\", }\n\
                    exec \"touch\" { cmd => \"/usr/bin/touch $ROOT/made/g\", shell => \"/bin/sh\", creates => \"$ROOT/made/g\", Depend => File[\"$ROOT/made/\"], }\n";
        place.write("work/main.mcl", code);
        let command =
            format!("umask {umask}; exec {PROGRAM} --state-dir {}/state apply --yes main.mcl", place.root.display());
        let output = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(place.root.join("work"))
            .env("HOME", &place.root)
            .output()
            .expect("a shell starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mode = |path: &Path| fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o777;
        let made = |name: &str| mode(&place.root.join("made").join(name));
        assert_eq!((made("f"), made("g"), made("")), (file, file, folder), "umask {umask}");
        let mut folders = vec![place.root.join("state")];
        while let Some(folder) = folders.pop() {
            assert_eq!(mode(&folder) & 0o077, 0, "umask {umask}: {}", folder.display());
            for entry in fs::read_dir(&folder).expect("it is ours").flatten() {
                let path = entry.path();
                match entry.file_type().expect("it is there") {
                    kind if kind.is_dir() => folders.push(path),
                    kind if kind.is_symlink() => {}
                    _ => assert_eq!(mode(&path) & 0o077, 0, "umask {umask}: {}", path.display()),
                }
            }
        }
    }
}
