//! Holds the inside of rooms in order: folders use each other in one direction, and functions stay short.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::house::{paths, sources};

/// Cycles of folders that are known, by room. Only shorten this list.
const CYCLES: &[(&str, &str)] = &[
    ("host", "journal local"),
    ("lang/inmanta", "define plugin run std template"),
    ("lang/mcl", "builtin eval graph parser scope unify"),
    ("lang/puppet", "arm builtin catalog eval validate"),
    ("tui", "applier command effect keymap layer screen tutor update"),
];

/// The most files of a room that form one knot: each uses each other, directly or through others. Only lower these numbers.
const KNOTS: &[(&str, usize)] = &[("lang/inmanta", 6), ("lang/mcl", 9), ("lang/puppet", 10), ("tui", 11)];

/// The most lines of a function.
const MOST: usize = 120;

/// Functions that are longer, each in its file. Only shorten this list.
const LONG: &[(&str, &str)] = &[
    ("cli/command/apply.rs", "attempt"),
    ("lang/puppet/eval/expr.rs", "eval"),
    ("lang/puppet/pn/mod.rs", "expr"),
    ("lang/puppet/types/assign.rs", "plain"),
    ("tui/effect/runner.rs", "start"),
    ("tui/event_loop.rs", "turns"),
    ("tui/update.rs", "update"),
    ("tui/update/run.rs", "run"),
];

/// The most fields of a struct of the screens.
const FIELDS: usize = 20;

/// Structs of the screens with more fields, each in its file. Only shorten this list.
const WIDE: &[(&str, &str)] = &[("tui/look.rs", "Glyphs")];

/// How many functions of the screens take the whole state. Only lower this number.
const WHOLE: usize = 34;

/// Files of the screens that still use the whole state. Only shorten this list.
const SEES_ALL: &[(&str, &str)] = &[];

/// How many methods of Puppet's evaluator need all of its owners. Only lower this number: a method of one owner, or of an
/// owner and an argument, belongs to that owner.
const EVALUATOR: usize = 130;

#[test]
fn few_methods_need_the_whole_evaluator() {
    let mut count = 0;
    for (_, text) in sources().into_iter().filter(|(file, _)| file.starts_with("src/lang/puppet") && !is_tests(file)) {
        for part in blank(&production(&text)).split("\nimpl").skip(1) {
            let (head, body) = part.split_once('{').unwrap_or_default();
            let is_evaluator = head.contains("Evaluator<") && !head.contains(" for ");
            let body = body.split("\n}").next().unwrap_or_default();
            count += if is_evaluator { body.lines().filter(|line| is_method(line)).count() } else { 0 };
        }
    }
    assert!(count <= EVALUATOR, "{count} methods of the evaluator, {EVALUATOR} before: take the owner that they need");
}

#[test]
fn structs_of_the_screens_have_few_fields() {
    let mut found = BTreeSet::new();
    for (file, text) in screens() {
        for part in text.split("struct ").skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some((head, body)) = part.split_once('{').filter(|(head, _)| !head.contains([';', '('])) else {
                continue;
            };
            let body = body.split("\n}").next().unwrap_or_default();
            let is_field = |line: &&str| {
                let field = line.strip_prefix("    ").filter(|rest| !rest.starts_with(' ')).unwrap_or_default();
                let field = field.rsplit(") ").next().unwrap_or_default().trim_start_matches("pub ");
                field.split_once(": ").is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
            };
            if !head.is_empty() && body.lines().filter(is_field).count() > FIELDS {
                found.insert((file.strip_prefix("src").expect("it is there").display().to_string(), name));
            }
        }
    }
    compare(&found, WIDE, "a struct of more than 20 fields: group what belongs together");
}

#[test]
fn few_functions_take_the_whole_state() {
    let mut count = 0;
    for (_, text) in screens() {
        let uses: String = text.split_inclusive(';').filter(|part| part.trim_start().starts_with("use ")).collect();
        let is_state = |rest: &str| match rest.strip_prefix('{') {
            Some(inner) => inner.split('}').next().is_some_and(|names| names.contains("State")),
            None => rest.starts_with("State"),
        };
        let name = match uses.split("state::").skip(1).any(is_state) {
            true if uses.contains("state::State as Tui") => "Tui",
            true => "State",
            false => continue,
        };
        for part in text.split("fn ").skip(1) {
            let params = part.split(['{', ';']).next().unwrap_or_default();
            let takes = |start: &str| {
                let ends = |at: usize| params[at..].starts_with([',', ')', '\n']);
                params.match_indices(start).any(|(at, _)| ends(at + start.len()))
            };
            count += usize::from(takes(&format!(": &{name}")) || takes(&format!(": &mut {name}")));
        }
    }
    assert!(count <= WHOLE, "{count} functions take the whole state, {WHOLE} before: take what they need");
}

#[test]
fn no_screen_sees_the_whole_state() {
    let mut found = BTreeSet::new();
    for (file, text) in screens().into_iter().filter(|(file, _)| file.starts_with("src/tui/screen")) {
        let uses_state = paths(&text).iter().any(|path| path.starts_with("tui::state"));
        if uses_state || text.contains("super::state::") {
            let (folder, name) = (file.parent().expect("a folder"), file.file_name().expect("a name"));
            let folder = folder.strip_prefix("src").expect("it is there").display().to_string();
            found.insert((folder, name.to_string_lossy().into_owned()));
        }
    }
    compare(&found, SEES_ALL, "a screen that uses the whole state: take the context, and request other screens");
}

/// Whether a line begins a method of a block that is not nested.
fn is_method(line: &str) -> bool {
    let line = line.strip_prefix("    ").filter(|line| !line.starts_with(' ')).unwrap_or_default();
    line.starts_with("fn ") || line.starts_with("pub") && line.contains(" fn ")
}

/// The production code of the screens, without comments and literals.
fn screens() -> Vec<(PathBuf, String)> {
    let all = sources().into_iter().filter(|(file, _)| file.starts_with("src/tui") && !is_tests(file));
    all.map(|(file, text)| (file, blank(&production(&text)))).collect()
}

#[test]
fn folders_of_a_room_use_each_other_in_one_direction() {
    let files: Vec<Source> = sources().into_iter().filter_map(Source::of).collect();
    let folders: BTreeSet<Vec<String>> =
        files.iter().flat_map(|file| (1..=file.folder).map(|depth| file.module[..depth].to_vec())).collect();
    let modules: BTreeSet<&[String]> = files.iter().map(|file| &file.module[..]).collect();
    let mut uses: BTreeMap<Vec<String>, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    let front: BTreeMap<&[String], BTreeMap<String, String>> =
        files.iter().map(|file| (&file.module[..], file.exports())).collect();
    for file in &files {
        for path in file.paths(&modules) {
            for depth in rooms(&path).filter(|depth| file.module.get(..*depth) == Some(&path[..*depth])) {
                let (room, own) = (&path[..depth], file.module.get(depth));
                // An item that the room's front page exports comes from one of its folders.
                let exported = path.get(depth).and_then(|name| front.get(room)?.get(name));
                let other = exported.or(path.get(depth));
                let is_folder = |name: &String| folders.contains(&[room, std::slice::from_ref(name)].concat());
                if let (Some(own), Some(other)) = (own.filter(|own| is_folder(own)), other.filter(|one| is_folder(one)))
                    && own != other
                {
                    let uses = uses.entry(room.to_vec()).or_default().entry(own.clone()).or_default();
                    uses.insert(other.clone());
                }
            }
        }
    }
    let found: BTreeSet<(String, String)> = uses
        .iter()
        .flat_map(|(room, uses)| cycles(uses).into_iter().map(|cycle| (room.join("/"), cycle.join(" "))))
        .collect();
    compare(&found, CYCLES, "a cycle of folders: let one side use the other");
}

#[test]
fn files_form_small_knots() {
    let files: Vec<Source> = sources().into_iter().filter_map(Source::of).collect();
    let modules: BTreeSet<&[String]> = files.iter().map(|file| &file.module[..]).collect();
    let exports: BTreeMap<&[String], BTreeMap<String, Vec<String>>> =
        files.iter().map(|file| (&file.module[..], file.origins(&modules))).collect();
    for (room, most) in KNOTS {
        let is_inside =
            |module: &[String]| module.join("/").strip_prefix(room).is_some_and(|rest| !rest.starts_with('_'));
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_inside(&file.module)) {
            let used = file.needs(&modules).into_iter().map(|path| defining_module(path, &exports));
            let used = used.filter(|other| is_inside(other) && *other != file.module).map(|other| other.join("::"));
            uses.insert(file.module.join("::"), used.collect());
        }
        let knot = cycles(&uses).into_iter().max_by_key(Vec::len).unwrap_or_default();
        let found = knot.len();
        assert_eq!(found, *most, "files of the largest knot of {room} (left: found, right: known): {knot:#?}");
    }
}

/// The module that defines the item of a path: exports of other modules are followed.
fn defining_module(mut path: Vec<String>, exports: &BTreeMap<&[String], BTreeMap<String, Vec<String>>>) -> Vec<String> {
    for _ in 0..8 {
        let depth = (0..=path.len()).rev().find(|depth| exports.contains_key(&path[..*depth])).unwrap_or_default();
        let origin = path.get(depth).and_then(|name| exports.get(&path[..depth])?.get(name));
        let Some(origin) = origin.filter(|origin| !path.starts_with(origin)) else {
            path.truncate(depth);
            break;
        };
        path = [&origin[..], &path[depth + 1..]].concat();
    }
    path
}

#[test]
fn functions_are_short() {
    let mut found = BTreeSet::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| !is_tests(file)) {
        let code = blank(&production(&text));
        for (name, lines) in functions(&code) {
            if lines > MOST {
                found.insert((file.strip_prefix("src").expect("it is there").display().to_string(), name));
            }
        }
    }
    compare(&found, LONG, "a function of more than 120 lines: split it");
}

/// Everything found is known, and everything known is still found.
fn compare(found: &BTreeSet<(String, String)>, known: &[(&str, &str)], wrong: &str) {
    let known: BTreeSet<(String, String)> =
        known.iter().map(|(place, what)| ((*place).to_owned(), (*what).to_owned())).collect();
    let new: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(found).collect();
    assert!(new.is_empty() && gone.is_empty(), "{wrong}: {new:#?}\nexceptions to remove from the list: {gone:#?}");
}

/// The depths at which a path is in a room: a language is one within `lang`.
fn rooms(path: &[String]) -> impl Iterator<Item = usize> {
    let is_language = path.first().is_some_and(|room| room == "lang") && path.len() > 1;
    [1].into_iter().chain(is_language.then_some(2))
}

/// A file of the production code, with its place among the modules.
struct Source {
    module: Vec<String>,
    /// How many parts of the module are folders.
    folder: usize,
    code: String,
}

impl Source {
    fn of((file, text): (PathBuf, String)) -> Option<Self> {
        let inside = file.strip_prefix("src").ok()?;
        if is_tests(&file) || inside.components().count() < 2 {
            return None;
        }
        let mut module: Vec<String> = inside
            .with_extension("")
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        let folder = module.len() - 1;
        module.retain(|part| part != "mod");
        let code = production(&text);
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        Some(Self { module, folder, code: lines.collect::<Vec<_>>().join("\n") })
    }

    /// The full paths that it uses.
    fn paths(&self, modules: &BTreeSet<&[String]>) -> Vec<Vec<String>> {
        self.full_paths(&self.code, modules)
    }

    /// The same without exports, which need nothing themselves.
    fn needs(&self, modules: &BTreeSet<&[String]>) -> Vec<Vec<String>> {
        let mut in_use = false;
        let code = self.code.lines().filter(|line| {
            let line = line.trim_start();
            let begins =
                line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
            let is_use = in_use || begins.starts_with("use ");
            in_use = is_use && !line.contains(';');
            !is_use
        });
        self.full_paths(&code.collect::<Vec<_>>().join("\n"), modules)
    }

    /// The paths of `use` that are not exported, and those in `code`.
    fn full_paths(&self, code: &str, modules: &BTreeSet<&[String]>) -> Vec<Vec<String>> {
        let statements = self.uses().filter(|(is_public, _)| !is_public).map(|(_, path)| path);
        let inline = ["crate::", "super::"].into_iter().flat_map(|start| {
            let starts = code.match_indices(start);
            starts.map(|(at, _)| {
                let rest = &code[at..];
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
                rest[..end].trim_end_matches(':').to_owned()
            })
        });
        statements.chain(inline).filter_map(|path| self.full(&path, modules)).collect()
    }

    /// The path from the crate on; nothing for one of another crate.
    fn full(&self, path: &str, modules: &BTreeSet<&[String]>) -> Option<Vec<String>> {
        let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
        let mut base = self.module.clone();
        match parts.first().map(String::as_str) {
            Some("crate") => base.clear(),
            Some("self" | "super") => {}
            Some(first) => {
                let child = [&base[..], &[first.to_owned()]].concat();
                let next = modules.range(&child[..]..).next();
                return next.is_some_and(|module| module.starts_with(&child)).then(|| [base, parts].concat());
            }
            None => return None,
        }
        while parts.first().is_some_and(|part| matches!(part.as_str(), "super" | "self" | "crate")) {
            if parts.remove(0) == "super" {
                base.pop();
            }
        }
        Some([base, parts].concat())
    }

    /// The paths of `use`, braces taken apart, and whether they are public.
    fn uses(&self) -> impl Iterator<Item = (bool, String)> {
        let mut start = 0;
        let starts = self.code.split_inclusive('\n').map(move |line| {
            start += line.len();
            start - line.len()
        });
        starts.flat_map(|start| {
            let line = self.code[start..].trim_start();
            let (is_public, rest) = match line.strip_prefix("pub") {
                Some(rest) => (true, rest.split_once(' ').map_or("", |(_, rest)| rest)),
                None => (false, line),
            };
            let statement = rest.strip_prefix("use ").and_then(|rest| rest.split(';').next());
            statement.map(expand).unwrap_or_default().into_iter().map(move |path| (is_public, path))
        })
    }

    /// The names that it exports, with the full path of each.
    fn origins(&self, modules: &BTreeSet<&[String]>) -> BTreeMap<String, Vec<String>> {
        let public = self.uses().filter(|(is_public, _)| *is_public).filter_map(|(_, path)| self.full(&path, modules));
        public.filter_map(|path| Some((path.last()?.clone(), path))).collect()
    }

    /// The names that it exports from its folders, with the folder of each.
    fn exports(&self) -> BTreeMap<String, String> {
        let public = self.uses().filter(|(is_public, _)| *is_public).filter_map(|(_, path)| {
            let parts: Vec<&str> = path.split("::").collect();
            let folder = *parts.first().filter(|first| !matches!(**first, "crate" | "super" | "self"))?;
            Some(((*parts.last()?).to_owned(), folder.to_owned()))
        });
        public.collect()
    }
}

/// `a::{b, c::{d, self}}` as `a::b`, `a::c::d`, `a::c`.
fn expand(text: &str) -> Vec<String> {
    let text = text.trim();
    let Some(open) = text.find('{') else {
        let path = text.split(" as ").next().unwrap_or_default().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let (before, inner) = (&text[..open], text[open + 1..].rsplit_once('}').map_or("", |(inner, _)| inner));
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inner[start..at].trim();
                start = (at + 1).min(inner.len());
                if !part.is_empty() {
                    found.extend(expand(part).into_iter().map(|part| format!("{before}{part}")));
                }
            }
            _ => {}
        }
    }
    found.into_iter().map(|path| path.split_whitespace().collect::<String>()).collect()
}

/// Groups of folders of which each reaches each other.
fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(folder) = open.pop() {
            for next in uses.get(folder).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&String, BTreeSet<String>> = uses.keys().map(|folder| (folder, reached(folder))).collect();
    let mut found = BTreeSet::new();
    for (folder, reach) in &all {
        if reach.contains(*folder) {
            let group = reach.iter().filter(|other| all.get(other).is_some_and(|back| back.contains(*folder)));
            found.insert(group.cloned().collect::<Vec<_>>());
        }
    }
    found.into_iter().collect()
}

pub fn is_tests(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with("tests.rs")
        || name.ends_with("testing.rs")
        || file.components().any(|part| part.as_os_str() == "tests")
}

/// The text before the unit tests.
pub fn production(text: &str) -> String {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// The code with blanks in place of what is in comments and in quotes.
pub fn blank(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let end = token_end(rest, out.chars().next_back());
        let (token, after) = rest.split_at(end.unwrap_or(c.len_utf8()));
        match end {
            Some(_) => out.extend(token.chars().map(|c| if c == '\n' { c } else { ' ' })),
            None => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// Where a comment or a literal ends that begins here.
fn token_end(rest: &str, before: Option<char>) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |at| at + 2));
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'));
    if let Some(raw) = raw.filter(|_| !before.is_some_and(|c| c.is_alphanumeric() || c == '_')) {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        if let Some(text) = raw[marks..].strip_prefix('"') {
            let close = format!("\"{}", "#".repeat(marks));
            let begins = rest.len() - text.len();
            return Some(text.find(&close).map_or(rest.len(), |at| begins + at + close.len()));
        }
    }
    let mut letters = rest.char_indices().skip(1);
    match rest.chars().next()? {
        '"' => {
            while let Some((at, c)) = letters.next() {
                match c {
                    '\\' => drop(letters.next()),
                    '"' => return Some(at + 1),
                    _ => {}
                }
            }
            Some(rest.len())
        }
        // A character, and not a lifetime.
        '\'' => match letters.next()?.1 {
            '\\' => rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 3),
            c => rest[1 + c.len_utf8()..].starts_with('\'').then(|| 2 + c.len_utf8()),
        },
        _ => None,
    }
}

/// Every function with a body, and how many lines it has.
fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + 3..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let (mut round, mut curly, mut end) = (0_i32, 0_i32, None);
        for (at, c) in rest.char_indices() {
            match c {
                '(' | '[' => round += 1,
                ')' | ']' => round -= 1,
                ';' if round == 0 && curly == 0 => break,
                '{' => curly += 1,
                '}' => {
                    curly -= 1;
                    if curly == 0 {
                        end = Some(at);
                        break;
                    }
                }
                _ => {}
            }
        }
        if let Some(end) = end.filter(|_| !name.is_empty()) {
            found.push((name, rest[..end].matches('\n').count() + 1));
        }
    }
    found
}

#[test]
fn functions_are_measured() {
    let code =
        "fn a() {\n    let x = \"}\"; // }\n    let y = '}';\n}\nfn b<'a>(x: &'a str) -> [u8; 2] {\n    r#\"}\"#;\n}\n";
    let measured = functions(&blank(code));
    assert_eq!(measured, [("a".to_owned(), 4), ("b".to_owned(), 3)]);
    assert_eq!(expand("crate::{a::{b, c as d}, e}"), ["crate::a::b", "crate::a::c", "crate::e"]);
}
