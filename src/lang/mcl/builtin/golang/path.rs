//! `golang/path` and `golang/path/filepath`: file names, mostly without file access.

mod pattern;

use super::super::Function;
use super::super::call::{Call, Failure, unexpected};
use super::super::strings::join;
use super::os::working_folder;
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{PathKind, Read, ReadError, Sample};

/// The functions of the module `golang/path`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "base",
        &["func(path str) str"],
        "The last part of a path.",
        &[("path.base(\"/a/b.c\")", "\"b.c\"")],
        |call| text(base(call.str(0)?)),
    ),
    Function::new(
        "clean",
        &["func(path str) str"],
        "The shortest equivalent path.",
        &[("path.clean(\"a//b/../c/.\")", "\"a/c\"")],
        |call| text(clean(call.str(0)?)),
    ),
    Function::new(
        "dir",
        &["func(path str) str"],
        "A path without its last part.",
        &[("path.dir(\"/a/b.c\")", "\"/a\"")],
        |call| text(dir(call.str(0)?)),
    ),
    Function::new(
        "ext",
        &["func(path str) str"],
        "The last dot of the last part and what follows it.",
        &[("path.ext(\"/a/b.tar.gz\")", "\".gz\"")],
        |call| text(ext(call.str(0)?)),
    ),
    Function::new(
        "is_abs",
        &["func(path str) bool"],
        "Whether a path begins with a slash.",
        &[("path.is_abs(\"/a\")", "true")],
        is_abs,
    ),
    Function::new(
        "join",
        &["func(elem []str) str"],
        "The parts that are not empty with slashes between them, cleaned.",
        &[("path.join([\"a\", \"\", \"../b\"])", "\"b\"")],
        joined,
    ),
    Function::new(
        "match",
        &["func(pattern str, name str) bool"],
        "Whether a whole name matches a pattern of `*`, `?`, `[a-z]` and `\\\\`.",
        &[("path.match(\"*.conf\", \"a.conf\")", "true"), ("path.match(\"*\", \"a/b\")", "false")],
        matches,
    ),
];

/// The functions of the module `golang/path/filepath`.
pub static FILEPATH: &[Function] = &[
    Function::new(
        "abs",
        &["func(path str) str"],
        "A path from the root, by the current folder.",
        &[("filepath.abs(\"/a/../b\")", "\"/b\"")],
        |call| {
            let path = call.str(0)?;
            match path.starts_with('/') {
                true => text(clean(path)),
                false => text(clean(&format!("{}/{path}", working_folder(call)?))),
            }
        },
    ),
    Function::new(
        "base",
        &["func(path str) str"],
        "The last part of a path.",
        &[("filepath.base(\"/a/b.c\")", "\"b.c\"")],
        |call| text(base(call.str(0)?)),
    ),
    Function::new(
        "clean",
        &["func(path str) str"],
        "The shortest equivalent path.",
        &[("filepath.clean(\"a//b/../c/.\")", "\"a/c\"")],
        |call| text(clean(call.str(0)?)),
    ),
    Function::new(
        "dir",
        &["func(path str) str"],
        "A path without its last part.",
        &[("filepath.dir(\"/a/b.c\")", "\"/a\"")],
        |call| text(dir(call.str(0)?)),
    ),
    Function::new(
        "eval_symlinks",
        &["func(path str) str"],
        "A path with every symbolic link in it followed.",
        &[],
        |call| text(follow(call, call.str(0)?)?),
    ),
    Function::new(
        "ext",
        &["func(path str) str"],
        "The last dot of the last part and what follows it.",
        &[("filepath.ext(\"/a/b.tar.gz\")", "\".gz\"")],
        |call| text(ext(call.str(0)?)),
    ),
    Function::new(
        "from_slash",
        &["func(path str) str"],
        "A path with this system's separators: the same.",
        &[("filepath.from_slash(\"a/b\")", "\"a/b\"")],
        |call| text(call.str(0)?),
    ),
    Function::new(
        "has_prefix",
        &["func(p str, prefix str) bool"],
        "Whether a path begins with a string, also within a part.",
        &[("filepath.has_prefix(\"/ab\", \"/a\")", "true")],
        |call| Ok(Value::Bool(call.str(0)?.starts_with(call.str(1)?))),
    ),
    Function::new(
        "is_abs",
        &["func(path str) bool"],
        "Whether a path begins with a slash.",
        &[("filepath.is_abs(\"/a\")", "true")],
        is_abs,
    ),
    Function::new(
        "is_local",
        &["func(path str) bool"],
        "Whether a path stays below the folder it starts from.",
        &[("filepath.is_local(\"a/../b\")", "true"), ("filepath.is_local(\"../b\")", "false")],
        |call| {
            let path = call.str(0)?;
            let cleaned = clean(path);
            Ok(Value::Bool(
                !path.is_empty() && !path.starts_with('/') && cleaned != ".." && !cleaned.starts_with("../"),
            ))
        },
    ),
    Function::new(
        "join",
        &["func(elem []str) str"],
        "The parts that are not empty with slashes between them, cleaned.",
        &[("filepath.join([\"a\", \"\", \"../b\"])", "\"b\"")],
        joined,
    ),
    Function::new(
        "localize",
        &["func(path str) str"],
        "A path below a folder as this system has it; an error for any other.",
        &[("filepath.localize(\"a/b\")", "\"a/b\"")],
        |call| {
            let path = call.str(0)?;
            let parts = path == "." || path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            match parts && !path.contains('\0') {
                true => text(path),
                false => Err(Failure::fatal(format!("{} is not a path below a folder", Quoted(path)))),
            }
        },
    ),
    Function::new(
        "match",
        &["func(pattern str, name str) bool"],
        "Whether a whole name matches a pattern of `*`, `?`, `[a-z]` and `\\\\`.",
        &[("filepath.match(\"*.conf\", \"a.conf\")", "true")],
        matches,
    ),
    Function::new(
        "rel",
        &["func(basepath str, targpath str) str"],
        "The relative path from one path to another.",
        &[("filepath.rel(\"/a/b\", \"/a/c/d\")", "\"../c/d\"")],
        relative,
    ),
    Function::new(
        "to_slash",
        &["func(path str) str"],
        "A path with slashes: the same.",
        &[("filepath.to_slash(\"a/b\")", "\"a/b\"")],
        |call| text(call.str(0)?),
    ),
    Function::new(
        "volume_name",
        &["func(path str) str"],
        "The name of a path's volume: empty on this system.",
        &[("filepath.volume_name(\"/a\")", "\"\"")],
        |_| text(""),
    ),
];

fn text(value: impl Into<std::rc::Rc<str>>) -> Result<Value, Failure> {
    Ok(Value::str(value))
}

fn is_abs(call: &mut Call) -> Result<Value, Failure> {
    Ok(Value::Bool(call.str(0)?.starts_with('/')))
}

fn joined(call: &mut Call) -> Result<Value, Failure> {
    let parts: Vec<_> = call.strs(0)?.into_iter().map(str::as_bytes).filter(|part| !part.is_empty()).collect();
    match join(&parts, b"/")? {
        Value::Str(path) if !parts.is_empty() => text(clean(&path)),
        empty => Ok(empty),
    }
}

fn matches(call: &mut Call) -> Result<Value, Failure> {
    let (pattern, name) = (call.str(0)?, call.str(1)?);
    call.budget.spend(pattern.len() as u64)?;
    call.budget.has_room(pattern.len().saturating_mul(size_of::<pattern::Part>()))?;
    call.budget.has_room(name.len().saturating_mul(size_of::<char>()))?;
    let parsed =
        pattern::parse(pattern).ok_or_else(|| Failure::fatal(format!("the pattern {} is invalid", Quoted(pattern))))?;
    Ok(Value::Bool(pattern::matches(&parsed, name, &|steps| call.budget.spend(steps))?))
}

/// The shortest equivalent path, from the text alone.
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".into(),
        (false, false) => parts.join("/"),
    }
}

fn base(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".",
        "" => "/",
        trimmed => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

fn dir(path: &str) -> String {
    clean(path.rfind('/').map_or("", |at| &path[..=at]))
}

fn ext(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.rfind('.').map_or("", |at| &last[at..])
}

fn relative(call: &mut Call) -> Result<Value, Failure> {
    let (from, to) = (clean(call.str(0)?), clean(call.str(1)?));
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect()
    };
    let (from_parts, to_parts) = (parts(&from), parts(&to));
    let same = from_parts.iter().zip(&to_parts).take_while(|(a, b)| a == b).count();
    let up = &from_parts[same..];
    if from.starts_with('/') != to.starts_with('/') || up.iter().any(|part| part == "..") {
        return Err(Failure::fatal(format!("no relative path from {} to {}", Quoted(&from), Quoted(&to))));
    }
    let way: Vec<_> = up.iter().map(|_| "..").chain(to_parts[same..].iter().map(String::as_str)).collect();
    text(if way.is_empty() { ".".into() } else { way.join("/") })
}

/// Follows links part by part, with a limit like the kernel's.
fn follow(call: &Call, path: &str) -> Result<String, Failure> {
    let mut waiting: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut done = if path.starts_with('/') { "/".to_owned() } else { String::new() };
    let mut links = 0;
    while let Some(part) = waiting.pop() {
        if matches!(&*part, "" | ".") {
            continue;
        }
        let next = match done.as_str() {
            "" => part,
            "/" => format!("/{part}"),
            done => format!("{done}/{part}"),
        };
        match call.world.read(&Read::Link(next.as_str().into())) {
            Ok(Sample::Path(target)) => {
                links += 1;
                if links > 255 {
                    return Err(Failure::fatal(format!("{path}: too many links")));
                }
                let target = target.display().to_string();
                waiting.extend(target.split('/').rev().map(str::to_owned));
                if target.starts_with('/') {
                    done = "/".into();
                }
            }
            Ok(other) => return Err(unexpected(&other)),
            Err(ReadError::NotFound(_)) => return Err(Failure::fatal(format!("{next}: not found"))),
            // An existing part that is not a link stays.
            Err(_) if call.world.kind(next.as_ref()) != PathKind::Missing => done = clean(&next),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(clean(&done))
}

#[cfg(test)]
mod tests {
    use super::{base, clean, dir, ext};

    #[test]
    fn paths_are_taken_apart_as_go_does() {
        for (path, want) in
            [("", "."), ("/..", "/"), ("../a/..", ".."), ("a/../../b", "../b"), ("//a//", "/a"), ("...", "...")]
        {
            assert_eq!(clean(path), want, "{path}");
        }
        assert_eq!((base(""), base("//"), base("a/b/")), (".", "/", "b"));
        assert_eq!(
            (dir("").as_str(), dir("/").as_str(), dir("a/b/").as_str(), dir("a").as_str()),
            (".", "/", "a/b", ".")
        );
        assert_eq!((ext("a.b/c"), ext("x."), ext(".x")), ("", ".", ".x"));
    }
}
