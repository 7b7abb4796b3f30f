//! Bundles that somebody made to do harm, each with the words that it is refused with.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{EntryType, Header};

/// One entry of an archive, with all that can be wrong about it.
#[derive(Clone)]
pub struct Piece {
    pub path: String,
    pub bytes: Vec<u8>,
    pub kind: EntryType,
    pub tune: fn(&mut Header),
}

impl Piece {
    fn file(path: &str, text: &str) -> Self {
        Self { path: path.into(), bytes: text.into(), kind: EntryType::Regular, tune: |_| {} }
    }
}

/// What is in an archive, before it is packed.
#[derive(Clone)]
pub struct Pieces {
    /// Left out where it is empty.
    manifest: String,
    files: Vec<Piece>,
}

/// Name, words, bytes.
pub type Hostile = (&'static str, &'static str, fn() -> Vec<u8>);

const MAIN: &str = "print \"a\" {}\n";

/// A program that is fine.
pub fn plain() -> Pieces {
    with(&["main.mcl"])
}

/// A program with such files, all of one content.
fn with(paths: &[&str]) -> Pieces {
    let lines: Vec<String> = paths.iter().map(|path| line(path, MAIN)).collect();
    Pieces {
        manifest: format!("version = 1\nentry = \"main.mcl\"\n\n{}", lines.join("\n")),
        files: paths.iter().map(|path| Piece::file(path, MAIN)).collect(),
    }
}

fn line(path: &str, text: &str) -> String {
    let hash: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    let quoted = serde_json::to_string(path).expect("a string is JSON");
    format!("[[file]]\npath = {quoted}\nsize = {}\nsha256 = \"{hash}\"\n", text.len())
}

fn changed(change: impl Fn(&mut Pieces)) -> Vec<u8> {
    let mut pieces = plain();
    change(&mut pieces);
    pack(&pieces)
}

fn manifest(from: &str, to: &str) -> Vec<u8> {
    changed(|pieces| pieces.manifest = pieces.manifest.replace(from, to))
}

fn kind(kind: EntryType) -> Vec<u8> {
    changed(|pieces| pieces.files[0].kind = kind)
}

fn tuned(tune: fn(&mut Header)) -> Vec<u8> {
    changed(|pieces| pieces.files[0].tune = tune)
}

pub fn tar(pieces: &Pieces) -> Vec<u8> {
    let mut out = Vec::new();
    let manifest = Piece::file("manifest.toml", &pieces.manifest);
    let first = Some(manifest).filter(|manifest| !manifest.bytes.is_empty());
    for piece in first.iter().chain(&pieces.files) {
        let mut header = Header::new_ustar();
        // `set_path` would refuse what is wanted here.
        let name = piece.path.as_bytes();
        let name = &name[..name.len().min(100)];
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.set_entry_type(piece.kind);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(piece.bytes.len() as u64);
        (piece.tune)(&mut header);
        header.set_cksum();
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(&piece.bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

pub fn pack(pieces: &Pieces) -> Vec<u8> {
    gzip(&tar(pieces))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let builder = GzBuilder::new().comment("workbench bundle 1").operating_system(255);
    let mut out = builder.write(Vec::new(), Compression::default());
    out.write_all(bytes).expect("memory takes it");
    out.finish().expect("memory takes it")
}

/// A bundle put together by chance from what harms; the same one for the same number.
pub fn generated(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut chance = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    const PATHS: [&str; 24] = [
        "main.mcl",
        "a",
        "A",
        "a/b",
        "lib/x.mcl",
        "../x",
        "/etc/cron.d/x",
        "a/../b",
        "a//b",
        "./main.mcl",
        "-rf",
        "a\\b",
        "",
        ".git/config",
        "GIT~1/x",
        "a\u{1b}]0;x",
        "a\u{202e}b",
        "a.",
        "a ",
        "c:x",
        "manifest.toml",
        "é",
        "a/main.mcl/b",
        "b",
    ];
    const KINDS: [EntryType; 8] = [
        EntryType::Regular,
        EntryType::Regular,
        EntryType::Regular,
        EntryType::Symlink,
        EntryType::Link,
        EntryType::Directory,
        EntryType::Fifo,
        EntryType::XHeader,
    ];
    const TUNES: [fn(&mut Header); 6] = [
        |_| {},
        |_| {},
        |header| header.set_mode(0o4755),
        |header| header.set_uid(1000),
        |header| header.set_size(1 << 33),
        |header| header.set_mtime(9),
    ];
    let mut paths = vec!["main.mcl"];
    for _ in 0..chance(4) {
        paths.push(PATHS[chance(PATHS.len())]);
    }
    if chance(2) == 0 {
        paths.sort_unstable();
    }
    if chance(2) == 0 {
        paths.dedup();
    }
    let mut pieces = with(&paths);
    for piece in &mut pieces.files {
        if chance(4) == 0 {
            piece.kind = KINDS[chance(KINDS.len())];
            piece.tune = TUNES[chance(TUNES.len())];
        }
        if chance(9) == 0 {
            piece.path = PATHS[chance(PATHS.len())].into();
        }
        if chance(9) == 0 {
            piece.bytes.truncate(chance(9));
        }
    }
    match chance(12) {
        0 => drop(pieces.files.pop()),
        1 => pieces.files.push(Piece::file(PATHS[chance(PATHS.len())], MAIN)),
        2 => pieces.manifest = pieces.manifest.replacen("size = ", "size = -", 1),
        3 => pieces.manifest.truncate(chance(200)),
        4 => pieces.manifest.push_str("\n[[file]]\n"),
        _ => {}
    }
    let mut bytes = match chance(8) {
        0 => {
            let mut tar = tar(&pieces);
            let at = chance(tar.len());
            tar[at] ^= 1 << chance(8);
            gzip(&tar)
        }
        1 => gzip(&tar(&pieces)[..chance(2_000)]),
        2 => [pack(&pieces), pack(&plain())].concat(),
        _ => pack(&pieces),
    };
    match chance(8) {
        0 => bytes.truncate(chance(bytes.len())),
        1 => {
            let at = chance(bytes.len());
            bytes[at] ^= 1 << chance(8);
        }
        _ => {}
    }
    bytes
}

pub const HOSTILE: &[Hostile] = &[
    ("no manifest", "its first entry is not a manifest", || changed(|pieces| pieces.manifest.clear())),
    ("manifest of nonsense", "invalid manifest", || manifest("version", "<version>")),
    ("unknown words in it", "unknown field", || manifest("entry =", "run = \"rm\"\nentry =")),
    ("a newer form", "made by a newer workbench", || manifest("version = 1", "version = 5")),
    ("written otherwise", "not written by workbench", || manifest("version = 1", "version   = 1")),
    ("an absolute path", "`/etc/cron.d/x` is not a plain path", || pack(&with(&["/etc/cron.d/x", "main.mcl"]))),
    ("a path that leads out", "`../../x` is not a plain path", || pack(&with(&["../../x", "main.mcl"]))),
    ("out and in again", "`a/../main.mcl` is not a plain path", || pack(&with(&["a/../main.mcl", "main.mcl"]))),
    ("an empty part", "`a//b` is not a plain path", || pack(&with(&["a//b", "main.mcl"]))),
    ("a dot", "`./main.mcl` is not a plain path", || pack(&with(&["./main.mcl", "main.mcl"]))),
    ("a backslash", "is not a plain path", || pack(&with(&["a\\..\\b", "main.mcl"]))),
    ("an option", "`-rf` is not a plain path", || pack(&with(&["-rf", "main.mcl"]))),
    ("an escape sequence", "is not a plain path", || pack(&with(&["a\u{1b}]0;x\u{7}", "main.mcl"]))),
    ("a direction mark", "is not a plain path", || pack(&with(&["a\u{202e}lcm.b", "main.mcl"]))),
    ("a zero byte", "is not a plain path", || pack(&with(&["a\0b", "main.mcl"]))),
    ("git's own", "`.git/hooks/post-checkout` is not a plain path", || {
        pack(&with(&[".git/hooks/post-checkout", "main.mcl"]))
    }),
    ("git's own, disguised", "is not a plain path", || pack(&with(&["GIT~1/config", "main.mcl"]))),
    ("a name twice", "is listed twice", || pack(&with(&["main.mcl", "main.mcl"]))),
    ("case clash", "only differ in case", || pack(&with(&["Main.mcl", "main.mcl"]))),
    ("case clash of folders", "only differ in case", || pack(&with(&["A/x", "a/y", "main.mcl"]))),
    ("a file and a folder", "is a file and a folder", || pack(&with(&["a", "a/b", "main.mcl"]))),
    ("no order", "not in the order of paths", || pack(&with(&["z", "main.mcl"]))),
    ("deep", "is nested too deep", || {
        pack(&with(&[&"a/".repeat(80).replace("//", "/"), "main.mcl"].map(|p| p.trim_end_matches('/'))))
    }),
    ("entry elsewhere", "`/etc/passwd` is not one of its files", || {
        manifest("entry = \"main.mcl\"", "entry = \"/etc/passwd\"")
    }),
    ("module path elsewhere", "`/root` is not one of its files", || {
        manifest("entry = \"main.mcl\"", "entry = \"main.mcl\"\nsearch = [\"/root\"]")
    }),
    ("lock elsewhere", "is not one of its files", || {
        manifest("entry = \"main.mcl\"", "entry = \"main.mcl\"\nlock = \"../workbench.lock\"")
    }),
    ("a counter of nothing", "a counter needs a name", || manifest("entry =", "counter = 1\nentry =")),
    ("a name with more", "is not a plain name", || manifest("entry =", "name = \"a b\\nc\"\nentry =")),
    ("no time", "is not a time such as", || manifest("entry =", "expires = \"soon\"\nentry =")),
    ("a hard link", "is a hard link", || kind(EntryType::Link)),
    ("a symbolic link", "is a symbolic link", || kind(EntryType::Symlink)),
    ("a device", "is a device", || kind(EntryType::Block)),
    ("a pipe", "is a pipe", || kind(EntryType::Fifo)),
    ("a folder", "is a folder", || kind(EntryType::Directory)),
    ("holes", "is a file with holes", || kind(EntryType::GNUSparse)),
    ("a long name to come", "is an archive extension", || kind(EntryType::GNULongName)),
    ("attributes to come", "is an archive extension", || kind(EntryType::XHeader)),
    ("a kind of no form", "is of an unknown kind", || kind(EntryType::new(b'Z'))),
    ("setuid", "has an owner, time or mode", || tuned(|header| header.set_mode(0o4755))),
    ("an owner", "has an owner, time or mode", || tuned(|header| header.set_uid(1000))),
    ("a time", "has an owner, time or mode", || tuned(|header| header.set_mtime(1))),
    ("a user's name", "has an owner, time or mode", || {
        tuned(|header| header.set_username("root").expect("it is short"))
    }),
    ("another name than listed", "`/etc/passwd` instead of `main.mcl` in the manifest", || {
        changed(|pieces| pieces.files[0].path = "/etc/passwd".into())
    }),
    ("more than listed", "`../more` is not in the manifest", || {
        changed(|pieces| pieces.files.push(Piece::file("../more", "x")))
    }),
    ("a link more than listed", "is a symbolic link", || {
        changed(|pieces| pieces.files.push(Piece { kind: EntryType::Symlink, ..Piece::file("more", "") }))
    }),
    ("less than listed", "is missing", || changed(|pieces| pieces.files.clear())),
    ("another content", "differs from the manifest", || changed(|pieces| pieces.files[0].bytes[7] = b'b')),
    ("another size", "the size of", || changed(|pieces| pieces.files[0].bytes.push(b'\n'))),
    ("a size that is a lie", "the size of", || tuned(|header| header.set_size(u64::MAX >> 1))),
    ("a file too large", "is larger than 64 MiB", || manifest("size = 13", "size = 67108865")),
    ("too large in all", "unpacks to more than 256 MiB", || {
        let lines: String = (0..5).map(|n| line(&format!("f{n}"), MAIN).replace("= 13", "= 67108864")).collect();
        changed(|pieces| pieces.manifest = format!("version = 1\nentry = \"f0\"\n\n{lines}"))
    }),
    ("too many files", "lists more than 50000 files", || {
        let lines: Vec<String> = (0..50_001).map(|n| line(&format!("f{n:06}"), MAIN)).collect();
        changed(|pieces| pieces.manifest = format!("version = 1\nentry = \"f0\"\n\n{}", lines.join("\n")))
    }),
    ("a bomb", "unpacks to more than 200 times its size", || {
        let zeros = "\0".repeat(40 << 20);
        let lines = line("main.mcl", &zeros);
        pack(&Pieces {
            manifest: format!("version = 1\nentry = \"main.mcl\"\n\n{lines}"),
            files: vec![Piece::file("main.mcl", &zeros)],
        })
    }),
    ("a bomb of a manifest", "its first entry is not a manifest", || {
        changed(|pieces| pieces.manifest = "#".repeat(17 << 20))
    }),
    ("cut off", "is truncated", || {
        let mut bytes = pack(&plain());
        bytes.truncate(bytes.len() - 30);
        bytes
    }),
    ("cut off at once", "is truncated", || pack(&plain())[..40].to_vec()),
    ("a damaged sum", "is damaged", || {
        let mut bytes = pack(&plain());
        let at = bytes.len() - 8;
        bytes[at] ^= 1;
        bytes
    }),
    ("something behind it", "extra data after its end", || {
        let mut bytes = pack(&plain());
        bytes.extend_from_slice(b"#!/bin/sh\n");
        bytes
    }),
    ("another archive behind it", "extra data after its end", || [pack(&plain()), pack(&plain())].concat()),
    ("something behind the end inside", "extra data after its end", || {
        let mut bytes = tar(&plain());
        bytes.extend_from_slice(&[7; 512]);
        gzip(&bytes)
    }),
    ("padding that is none", "extra data after its end", || {
        let mut bytes = tar(&plain());
        let end = bytes.len() - 1024 - 1;
        bytes[end] = 7;
        gzip(&bytes)
    }),
    ("when it was packed", "contains a time or a system", || {
        let mut bytes = pack(&plain());
        bytes[4] = 1;
        bytes
    }),
    ("a later form of archive", "made by a newer workbench", || {
        let mut bytes = pack(&plain());
        bytes[27] = b'2';
        bytes
    }),
];
