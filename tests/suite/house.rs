//! Holds the rooms of `src/` in order: a room uses only rooms before it, a face only the session and plain data.

use std::fs;
use std::path::{Path, PathBuf};

use crate::inside::{blank, is_tests, production};

/// Upstream first. A plan is data about a graph, and kinds tell what they would change in its words, so it stands early.
const ROOMS: [&str; 18] = [
    "source",
    "diag",
    "world",
    "module",
    "fetch",
    "highlight",
    "graph",
    "plan",
    "host",
    "resource",
    "lang",
    "config",
    "engine",
    "deploy",
    "compare",
    "session",
    "tui",
    "cli",
];

/// What a face may name of the rooms before `session`: data that it reads, and text that it shows.
const FOR_FACES: [&str; 12] = [
    "source",
    "diag",
    "module",
    "highlight",
    "graph",
    "plan",
    "engine::message",
    "engine::run_view",
    "lang::Compiled",
    "config",
    "compare",
    "session",
];

#[test]
fn rooms_use_only_rooms_before_them() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room_of(&file) else { continue };
        let at =
            ROOMS.iter().position(|r| *r == room).unwrap_or_else(|| panic!("`{room}` is not in the list of rooms"));
        for path in paths(&text) {
            let used = path.split("::").next().expect("split gives at least one part");
            let Some(used_at) = ROOMS.iter().position(|r| *r == used) else { continue };
            if used_at > at && !(room == "cli" && used == "tui") {
                wrong.push(format!("{}: `{room}` stands before `{used}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `super` would lead around the test above.
#[test]
fn no_room_imports_a_higher_room() {
    for (file, text) in sources() {
        let parts = file.strip_prefix("src").expect("all are below src/").components().count();
        let depth = parts - usize::from(file.ends_with("mod.rs"));
        let most = depth - 1 + usize::from(text.contains("mod tests {"));
        assert!(!text.contains(&"super::".repeat(most + 1)), "{}: write `crate::` where a path leaves", file.display());
    }
}

#[test]
fn faces_use_the_session_and_plain_data() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room_of(&file).filter(|room| matches!(room.as_str(), "cli" | "tui")) else { continue };
        for path in paths(&text) {
            let own = path.split("::").next() == Some(&room);
            // Only the command line may pick the other face.
            let picks = room == "cli" && path.starts_with("tui");
            let allowed = FOR_FACES.iter().any(|data| path == *data || path.starts_with(&format!("{data}::")));
            if !own && !picks && !allowed {
                wrong.push(format!("{}: crate::{path}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "a face goes through `session`:\n{}", wrong.join("\n"));
}

/// The state, the messages and the effects of the TUI are data: with one function of a screen among them, every file
/// would depend on every other.
#[test]
fn the_data_of_screens_uses_no_function_of_them() {
    let is_data = |file: &Path| {
        file.starts_with("src/tui")
            && ["data.rs", "kinds.rs", "parts.rs", "pane.rs"].iter().any(|name| file.ends_with(name))
    };
    let mut wrong = Vec::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| is_data(file)) {
        let uses =
            |path: &String| ["tui::state", "tui::update", "tui::jumps"].iter().any(|room| path.starts_with(room));
        wrong.extend(paths(&text).into_iter().filter(uses).map(|path| format!("{}: {path}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A language is one trait object: nobody else knows which there are.
#[test]
fn languages_are_named_in_their_room_only() {
    let own = ["mcl", "puppet", "inmanta", "toy"];
    let mut wrong = Vec::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| !file.starts_with("src/lang")) {
        let names_module = |path: &String| {
            own.iter().any(|name| *path == format!("lang::{name}") || path.starts_with(&format!("lang::{name}::")))
        };
        wrong.extend(paths(&text).into_iter().filter(names_module).map(|path| format!("{}: {path}", file.display())));
    }
    assert!(wrong.is_empty(), "use `lang::language`:\n{}", wrong.join("\n"));
}

/// Ruby is a room that languages use: it knows them only as its host.
#[test]
fn ruby_uses_no_language() {
    let mut wrong = Vec::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| file.starts_with("src/lang/ruby")) {
        let own = ["lang::ruby", "lang::shared", "lang::Budget"];
        let leads_out = |path: &String| path.starts_with("lang::") && !own.iter().any(|own| path.starts_with(own));
        wrong.extend(paths(&text).into_iter().filter(leads_out).map(|path| format!("{}: {path}", file.display())));
    }
    assert!(wrong.is_empty(), "add to `Host` what Ruby needs:\n{}", wrong.join("\n"));
}

/// The session and the readers of modules ask a language for what it offers. The names are in one table.
#[test]
fn session_and_module_name_no_language() {
    let names = ["mcl", "puppet", "inmanta"];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let is_held = file.starts_with("src/session") || file.starts_with("src/module");
        if !is_held || is_tests(&file) || file.ends_with("module/language.rs") {
            continue;
        }
        let code = blank(&production(&text)).to_lowercase();
        let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let named = words.filter(|word| names.iter().any(|name| word.contains(name)));
        wrong.extend(named.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(
        wrong.is_empty(),
        "ask the language (`lang::Feature`, `lang::choices`, `module::Layout`):\n{}",
        wrong.join("\n")
    );
}

/// The faces ask what languages there are, and what their files are called.
#[test]
fn faces_name_no_language_and_no_file_of_one() {
    let names = ["mcl", "puppet", "inmanta", "toy", "epp"];
    let endings = [".pp", ".cf", "metadata.yaml", "metadata.json", "project.yml", "module.yml", "environment.conf"];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let is_face = file.starts_with("src/tui") || file.starts_with("src/cli");
        let teaches = ["src/cli/args.rs", "src/tui/tests", "src/tui/tutor"].iter().any(|own| file.starts_with(own));
        if !is_face || teaches {
            continue;
        }
        for words in texts(&text).into_iter().map(|words| words.to_lowercase()) {
            let parts = words.split(|c: char| !c.is_alphanumeric());
            if parts.into_iter().any(|part| names.contains(&part)) || endings.iter().any(|end| words.contains(end)) {
                wrong.push(format!("{}: {words:?}", file.display()));
            }
        }
        let variants =
            ["LanguageName::", "Grammar::"].iter().flat_map(|of| text.match_indices(of).map(|(at, of)| at + of.len()));
        let variants = variants.map(|at| path_at(&text[at..])).filter(|name| names.contains(&&*name.to_lowercase()));
        wrong.extend(variants.map(|name| format!("{}: {name}", file.display())));
    }
    assert!(wrong.is_empty(), "ask `module` or `session`:\n{}", wrong.join("\n"));
}

/// The texts in quotes of the code of a face: not those of its tests, nor of attributes, which are the help of its arguments.
fn texts(text: &str) -> Vec<String> {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let (mut found, mut depth, mut in_attribute) = (Vec::new(), 0, false);
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        in_attribute |= line.trim_start().starts_with("#[");
        let mut quoted: Option<String> = None;
        let mut letters = line.chars();
        while let Some(c) = letters.next() {
            match (c, &mut quoted) {
                ('"', Some(_)) => found.extend(quoted.take().filter(|_| !in_attribute)),
                ('"', None) => quoted = Some(String::new()),
                ('\\', Some(text)) => text.extend(letters.next()),
                (c, Some(text)) => text.push(c),
                ('[', None) if in_attribute => depth += 1,
                (']', None) if in_attribute => depth -= 1,
                _ => {}
            }
        }
        // A text that goes on in the next line is looked at line by line.
        found.extend(quoted.filter(|_| !in_attribute));
        in_attribute &= depth > 0;
    }
    found
}

#[test]
fn files_begin_with_their_purpose() {
    for (file, text) in sources() {
        assert!(text.starts_with("//! "), "{} does not open with `//!`", file.display());
    }
}

/// Every Rust file below `src/`, with its text.
pub fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("src/ can be read") {
        let path = entry.expect("src/ can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push((path.clone(), fs::read_to_string(&path).expect("sources are UTF-8")));
        }
    }
}

/// The folder below `src/`; nothing for `lib.rs` and `main.rs`, which are the map and not a room.
fn room_of(file: &Path) -> Option<String> {
    let mut parts = file.strip_prefix("src").ok()?.components();
    let room = parts.next()?.as_os_str().to_str()?.to_string();
    parts.next().is_some().then_some(room)
}

/// What stands behind every `crate::` in the code, braces taken apart, comments left out.
pub fn paths(text: &str) -> Vec<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let before_is_name = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if before_is_name {
            continue;
        }
        match rest.strip_prefix('{') {
            Some(inner) => found.extend(group(inner)),
            None => {
                let path = path_at(rest);
                match rest[path.len()..].strip_prefix("::{") {
                    Some(inner) => found.extend(group(inner).iter().map(|name| format!("{path}::{name}"))),
                    None => found.push(path),
                }
            }
        }
    }
    found
}

fn path_at(text: &str) -> String {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    text[..end].trim_end_matches(':').to_string()
}

/// The first parts of `a::b, c::{d, e}}`.
fn group(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut start = 0;
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(path_at(text[start..at].trim()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(path_at(text[start..at].trim()));
                start = at + 1;
            }
            _ => {}
        }
    }
    // A comma may end the list.
    found.retain(|path| !path.is_empty());
    found
}

/// What makes a value of a size that a program chooses. It is made where the size is bounded or paid for before.
const SIZED: [&str; 7] = [".repeat(", "repeat_n(", "iter::repeat(", "$}", "$e}", ".cycle()", ".resize("];

/// Where programs are evaluated.
const EVALUATION: [&str; 5] =
    ["src/lang/inmanta", "src/lang/mcl", "src/lang/puppet", "src/lang/ruby", "src/lang/shared"];

/// How many lines of a file may, and what bounds them.
const BOUNDED: [(&str, usize, &str); 26] = [
    ("src/lang/inmanta/define/normalise.rs", 3, "nodes of the program"),
    ("src/lang/inmanta/format.rs", 1, "blocks nest less deep than the parser allows"),
    ("src/lang/inmanta/jinja.rs", 1, "widths are bounded by the longest text"),
    ("src/lang/inmanta/pystr.rs", 3, "widths and precisions are checked before"),
    ("src/lang/inmanta/template/percent.rs", 1, "widths are bounded by the longest text"),
    ("src/lang/mcl/builtin/datetime/layout.rs", 1, "digits of a second"),
    ("src/lang/mcl/builtin/golang/format/number.rs", 3, "widths are below a million, and the text is capped"),
    ("src/lang/mcl/builtin/golang/strings.rs", 2, "paid with `Call::text_fits`"),
    ("src/lang/mcl/builtin/regexp/syntax.rs", 3, "a method of the reader"),
    ("src/lang/mcl/builtin/strings.rs", 1, "paid with `Call::text_fits`"),
    ("src/lang/mcl/builtin/test.rs", 1, "for tests of functions"),
    ("src/lang/mcl/eval/frame.rs", 1, "slots of a scope"),
    ("src/lang/mcl/tree.rs", 1, "an indent of 60 levels at most"),
    ("src/lang/mcl/unify/signature.rs", 1, "type variables of a signature of ours"),
    ("src/lang/puppet/arm/ecore/mod.rs", 2, "types nest less deep than the parser allows"),
    ("src/lang/puppet/builtin/iterate.rs", 1, "as many parameters as a lambda has"),
    ("src/lang/puppet/builtin/stdlib/data.rs", 1, "values nest 250 deep, and the margin is short"),
    ("src/lang/puppet/builtin/stdlib/digest.rs", 5, "passwords are short"),
    ("src/lang/puppet/builtin/stdlib/ruby.rs", 1, "paid with the limit of a range"),
    ("src/lang/puppet/format.rs", 5, "widths are checked before"),
    ("src/lang/puppet/graph.rs", 1, "nodes of the graph"),
    ("src/lang/ruby/run/array.rs", 3, "paid with the heap, or below a million"),
    ("src/lang/ruby/run/expr.rs", 1, "a method that runs a loop"),
    ("src/lang/ruby/run/string.rs", 3, "paid with the heap"),
    ("src/lang/shared/printf.rs", 5, "widths and precisions are checked by the callers"),
    ("src/lang/puppet/types", 6, "widths are checked, trees are bounded, and values nest 250 deep"),
];

#[test]
fn evaluation_pays_before_it_makes_large_values() {
    let mut wrong = Vec::new();
    let mut counts = [0; BOUNDED.len()];
    for (file, text) in sources() {
        let is_tests = file.file_name().is_some_and(|name| name == "tests.rs" || name == "testing.rs");
        if is_tests || !EVALUATION.iter().any(|folder| file.starts_with(folder)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines.filter(|line| SIZED.iter().any(|sign| line.contains(sign))) {
            match BOUNDED.iter().position(|(place, ..)| file.starts_with(place)) {
                Some(at) => counts[at] += 1,
                None => wrong.push(format!("{}: {}", file.display(), line.trim())),
            }
        }
    }
    for ((place, most, bound), count) in BOUNDED.iter().zip(counts) {
        if count > *most {
            wrong.push(format!("{place}: {count} lines make a value of some size, {most} are known ({bound})"));
        }
    }
    assert!(wrong.is_empty(), "pay for these with the budget, or bound them and say so here:\n{}", wrong.join("\n"));
}
