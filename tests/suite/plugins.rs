//! Hostile Python plugins: each ends with a diagnostic and a place, and reaches no file, process, socket or secret.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::terminal::PROGRAM;

const CANARY: &str = "canary-4711";

/// Bodies of plugins, each with a word of its diagnostic; `""` for any.
const CALLS: &[(&str, &str)] = &[
    ("return open('$HOME/.ssh/id_rsa').read()", "PermissionError"),
    ("return str(os.listdir('$HOME'))", "PermissionError"),
    ("return open('/etc/passwd').read()", "PermissionError"),
    ("return open(f'/proc/{os.getppid()}/environ').read()", "PermissionError"),
    ("return open('/proc/self/environ').read()", "PermissionError"),
    ("open('$HOME/written', 'w').write('x'); return ''", "PermissionError"),
    ("open('$LIBS/bad/written', 'w').write('x'); return ''", "PermissionError"),
    ("os.chmod('$HOME/.ssh/id_rsa', 0o777); return ''", "PermissionError"),
    ("os.utime('$HOME/.ssh/id_rsa', (0, 0)); return ''", "PermissionError"),
    ("os.unlink('$HOME/.ssh/id_rsa'); return ''", "PermissionError"),
    ("os.rename('$HOME/.ssh', '$HOME/ssh'); return ''", "PermissionError"),
    (
        "os.symlink('$HOME', os.environ['TMPDIR'] + '/h'); return open(os.environ['TMPDIR'] + '/h/.ssh/id_rsa').read()",
        "PermissionError",
    ),
    ("s = socket.socket(socket.AF_UNIX); s.connect('$SOCKET'); s.send(b'x'); return ''", "PermissionError"),
    ("a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.connect('$SOCKET'); return ''", "PermissionError"),
    ("a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', '$SOCKET'); return ''", "OSError"),
    ("socket.create_connection(('127.0.0.1', 22)); return ''", "PermissionError"),
    ("\n    while True: os.fork()", "PermissionError"),
    (
        "return subprocess.run(['/bin/cat', '$HOME/.ssh/id_rsa'], capture_output=True).stdout.decode()",
        "PermissionError",
    ),
    ("return os.popen('id').read()", "PermissionError"),
    ("os.kill(os.getppid(), 9); return ''", "PermissionError"),
    ("os.kill(-1, 9); return ''", "PermissionError"),
    ("resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); return ''", "OSError"),
    ("return 'x' * (4 << 30)", "MemoryError"),
    ("pid = os.fork(); data = None if pid else bytearray(4 << 30); return ''", "PermissionError"),
    ("return str(os.memfd_create('x'))", "PermissionError"),
    (
        "\n    with open(os.environ['TMPDIR'] + '/big', 'wb') as f:\n        for _ in range(64): f.write(bytes(1 << 20))\n    return ''",
        "OSError",
    ),
    (
        "\n    for at in range(100000):\n        with open(f\"{os.environ['TMPDIR']}/{at}\", 'wb') as f: f.write(bytes(8 << 20))",
        "temporary folder",
    ),
    ("\n    held = [open('/dev/null') for _ in range(1000)]", "OSError"),
    ("\n    while True: pass", "plugins/__init__.py:"),
    ("time.sleep(1000); return ''", "plugins/__init__.py:"),
    ("ctypes.string_at(0); return ''", "plugins/__init__.py:"),
    ("os._exit(3)", "ended"),
    ("os.abort()", "plugins/__init__.py:"),
    ("\n    def loop(): loop()\n    loop()", "RecursionError"),
    ("raise KeyError(os.environ['SECRET'])", "KeyError"),
    ("raise KeyError(sorted(os.environ))", "KeyError"),
];

/// What a module does while it is loaded, with its line.
const IMPORTS: &[(&str, u32)] = &[
    ("import time\n\nwhile True: pass\n", 3),
    ("import os\nx = 1\nos.abort()\n", 3),
    ("import os\nopen('$HOME/.ssh/id_rsa')\n", 2),
    ("import os\n\n\nos.fork()\n", 4),
    ("import ctypes\nctypes.string_at(0)\n", 2),
    ("import os\nos._exit(0)\n", 1),
    ("x = bytearray(4 << 30)\n", 1),
];

/// Runs a model within the home of a user with secrets.
fn run(home: &Path, entry: &Path) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["--error-format", "json", "model", "--run-plugins"]).arg(entry);
    command.env("HOME", home).env("SECRET", CANARY).env("WORKBENCH_STATE", home.join("state"));
    command.stdin(Stdio::null()).output().expect("the program starts")
}

/// The first diagnostic of an entry that must fail in time, without the canary.
fn refused(home: &Path, entry: &Path, what: &str) -> Value {
    let begin = Instant::now();
    let output = run(home, entry);
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{what}: {out}{errors}");
    assert!(begin.elapsed() < Duration::from_secs(90), "{what} took {:?}", begin.elapsed());
    assert!(!out.contains(CANARY) && !errors.contains(CANARY), "{what}: {out}{errors}");
    let first = errors.lines().next().unwrap_or_default();
    serde_json::from_str(first).unwrap_or_else(|error| panic!("{what}: {error}: {errors}"))
}

#[test]
fn hostile_plugins_reach_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    let (libs, secret, socket) = (work.join("libs"), home.join(".ssh/id_rsa"), home.join("socket"));
    fs::create_dir_all(home.join(".ssh")).expect("a folder");
    fs::write(&secret, CANARY).expect("a file");
    let listener = UnixListener::bind(&socket).expect("a socket");
    listener.set_nonblocking(true).expect("it is a socket");
    let text = |path: &Path| path.to_str().expect("is text").to_owned();
    let filled = |body: &str| {
        body.replace("$HOME", &text(&home)).replace("$LIBS", &text(&libs)).replace("$SOCKET", &text(&socket))
    };
    let module = |name: &str, python: &str| {
        fs::create_dir_all(libs.join(name).join("model")).expect("a folder");
        fs::create_dir_all(libs.join(name).join("plugins")).expect("a folder");
        fs::write(libs.join(name).join("module.yml"), format!("name: {name}\nversion: 1.0.0\n")).expect("a file");
        fs::write(libs.join(name).join("model/_init.cf"), "").expect("a file");
        fs::write(libs.join(name).join("plugins/__init__.py"), python).expect("a file");
    };
    let mut python = String::from(
        "import ctypes\nimport os\nimport resource\nimport socket\nimport subprocess\nimport time\n\
         from inmanta.plugins import plugin\n",
    );
    for (at, (body, _)) in CALLS.iter().enumerate() {
        python += &format!("\n@plugin\ndef f{at}() -> \"string\":\n    {}\n", filled(body).trim_start());
    }
    // One that works, in the same process as the others.
    python += "\n@plugin\ndef fine() -> \"string\":\n    import json, tempfile, threading, zoneinfo\n    \
               t = threading.Thread(target=lambda: None); t.start(); t.join()\n    \
               with tempfile.TemporaryFile() as f: f.write(b'x')\n    \
               return open(os.path.dirname(__file__) + '/../model/_init.cf').read() + 'fine'\n";
    module("bad", &python);
    let begin = Instant::now();
    let entry = work.join("fine.cf");
    fs::write(&entry, "import bad\nstd::print(bad::fine())\n").expect("a file");
    let output = run(&home, &entry);
    assert!(String::from_utf8_lossy(&output.stdout).contains("fine"), "{output:?}");
    for (at, (body, word)) in CALLS.iter().enumerate() {
        let entry = work.join(format!("f{at}.cf"));
        fs::write(&entry, format!("import bad\nstd::print(bad::f{at}())\n")).expect("a file");
        let first = refused(&home, &entry, body);
        assert_eq!(first["file"], text(&entry), "{body}: {first}");
        assert_eq!(first["line"], 2, "{body}: {first}");
        assert!(first["label"].as_str().is_some_and(|label| label.contains(word)), "{body}: {first}");
    }
    for (at, (body, line)) in IMPORTS.iter().enumerate() {
        module(&format!("m{at}"), &filled(body));
        let entry = work.join(format!("m{at}.cf"));
        fs::write(&entry, format!("import m{at}\n")).expect("a file");
        let first = refused(&home, &entry, body);
        assert_eq!(first["file"], text(&libs.join(format!("m{at}/plugins/__init__.py"))), "{body}: {first}");
        assert_eq!(first["line"], *line, "{body}: {first}");
    }
    println!("{} plugins in {:?}", CALLS.len() + IMPORTS.len(), begin.elapsed());
    assert_eq!(fs::read_to_string(&secret).expect("is a file"), CANARY);
    assert_eq!(fs::metadata(&secret).expect("is a file").permissions().mode() & 0o111, 0);
    assert!(!home.join("written").exists() && !libs.join("bad/written").exists());
    assert!(listener.accept().is_err(), "a plugin connected");
}
