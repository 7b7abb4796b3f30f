//! What the name in an `import` statement means: a system module, a local file or folder, or a git repository.
//!
//! Source: mgmt `lang/util/util.go`, `ParseImportName`.

use std::path::{Component, Path, PathBuf};

/// A parsed import name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportName {
    pub kind: ImportKind,
    /// The default name of its contents.
    pub alias: String,
}

/// A parsed import name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// Built-in functions, such as `golang/strings`.
    System(String),
    /// Relative to the folder of the importing file.
    LocalFile(PathBuf),
    /// The same; a module of its own.
    LocalFolder(PathBuf),
    /// `path` is its place below a module path: `host/path/`; `url` is what to fetch.
    Remote { url: String, path: PathBuf },
}

/// Parses an import's name. `Err` has the problem.
pub fn parse_import(name: &str) -> Result<ImportName, &'static str> {
    if name.is_empty() {
        return Err("the name is empty");
    }
    if name.chars().any(|c| c.is_control()) {
        return Err("control characters are not allowed");
    }
    if let Some((scheme, rest)) = name.split_once("://") {
        return parse_remote(scheme, rest);
    }
    if name.starts_with('/') {
        return Err("the path is absolute: write it relative to the module");
    }
    if name.ends_with(".mcl") {
        check_clean(name)?;
        return Ok(ImportName { kind: ImportKind::LocalFile(name.into()), alias: alias(name)? });
    }
    if name.ends_with('/') {
        check_clean(name)?;
        return Ok(ImportName { kind: ImportKind::LocalFolder(name.into()), alias: alias(name)? });
    }
    check_clean(name)?;
    Ok(ImportName { kind: ImportKind::System(name.into()), alias: alias(name)? })
}

fn parse_remote(scheme: &str, rest: &str) -> Result<ImportName, &'static str> {
    if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
        return Err("the URL has no valid scheme");
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host =
        host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |(h, _)| h);
    let path = path.trim_matches('/');
    if path.is_empty() {
        return Err("the URL has no path");
    }
    let module_folder = if host.is_empty() { format!("{path}/") } else { format!("{host}/{path}/") };
    if host.starts_with('-') || Path::new(&module_folder).components().any(|c| !matches!(c, Component::Normal(_))) {
        return Err("the URL points outside the module path");
    }
    Ok(ImportName {
        kind: ImportKind::Remote { url: format!("{scheme}://{rest}"), path: module_folder.into() },
        alias: alias(path)?,
    })
}

/// A suffix of a URL's path that is ignored, although it may be meant to pin the module; and what to write instead.
///
/// The reference ignores it too, so it is not an error.
pub fn unused_url_parts(name: &str) -> Option<(String, &'static str)> {
    let (_, rest) = name.split_once("://")?;
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let (mut refs, mut words) = (0, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("ref", _)) => refs += 1,
            None if pair == "ref" => words.push("`ref` has no value".to_owned()),
            Some((key, _)) => words.push(format!("`{key}` is unknown")),
            None => words.push(format!("`{pair}` is unknown")),
        }
    }
    if refs > 1 {
        words.push("only the first `ref` is used".into());
    }
    if !fragment.is_empty() {
        words.push(format!("`#{fragment}` is unknown"));
    }
    if words.is_empty() {
        return None;
    }
    let (comes, help) = match refs {
        0 => (
            "the default branch is fetched",
            "set a branch, tag or commit with `?ref=`, as in `https://host/path/?ref=v1`",
        ),
        _ => ("`ref` is fetched", "remove the rest: only `?ref=` has a meaning after the path"),
    };
    Some((format!("{}: {comes}", words.join(", ")), help))
}

/// `./x/`, `a//b` and `a/../b` are refused, a leading `../` is not.
fn check_clean(name: &str) -> Result<(), &'static str> {
    let parts: Vec<_> = name.strip_suffix('/').unwrap_or(name).split('/').collect();
    let climbs = parts.iter().take_while(|part| **part == "..").count();
    let clean = parts[climbs..].iter().all(|part| !part.is_empty() && *part != "." && *part != "..");
    if clean && climbs < parts.len() { Ok(()) } else { Err("the path contains `.`, `..` or empty parts") }
}

/// A path without `.` and, if the name alone allows it, without `..`: one place has one name.
pub fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The last part of a name, as an identifier.
fn alias(name: &str) -> Result<String, &'static str> {
    let name = name.trim_end_matches('/');
    let last = name.rsplit('/').next().unwrap_or(name);
    let last = last.strip_suffix(".mcl").unwrap_or(last);
    let last = last.strip_prefix("mgmt-").filter(|rest| !rest.is_empty()).unwrap_or(last);
    let alias = last.replace('-', "_").to_lowercase();
    if alias.is_empty() || alias.starts_with('_') || alias.ends_with('_') {
        return Err("its last part cannot be used as a name");
    }
    Ok(alias)
}

#[cfg(test)]
mod tests {
    use super::{ImportKind, parse_import, unused_url_parts};

    #[test]
    fn names_are_distinguished() {
        let kind = |name| parse_import(name).map(|i| (i.kind, i.alias));
        assert_eq!(kind("golang/strings"), Ok((ImportKind::System("golang/strings".into()), "strings".into())));
        assert_eq!(kind("../a/B-c.mcl"), Ok((ImportKind::LocalFile("../a/B-c.mcl".into()), "b_c".into())));
        assert_eq!(kind("mod/"), Ok((ImportKind::LocalFolder("mod/".into()), "mod".into())));
        let remote = |url: &str, path: &str| ImportKind::Remote { url: url.into(), path: path.into() };
        assert_eq!(
            kind("https://u@host.example:8443/x/mgmt-site/?ref=v1"),
            Ok((remote("https://u@host.example:8443/x/mgmt-site/", "host.example/x/mgmt-site/"), "site".into()))
        );
        assert_eq!(kind("git:///srv/mod/"), Ok((remote("git:///srv/mod/", "srv/mod/"), "mod".into())));
    }

    #[test]
    fn bad_names_are_refused() {
        for name in ["", "/", "/x/", "./x/", "a//b/", "a/../b/", "..", "git://", "git://h/../x/", "x\n", "a/_b/"] {
            assert!(parse_import(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn unhandled_messages_are_reported() {
        let parts = |name| unused_url_parts(name).map(|(words, _)| words);
        for name in ["fmt", "x/", "https://h/x/", "https://h/x/?ref=v1", "https://h/x/?", "https://h/x/#", "a?b=c/"] {
            assert_eq!(parts(name), None, "{name}");
        }
        let branch = |words: &str| Some(format!("{words}: the default branch is fetched"));
        assert_eq!(parts("git://h/x?tag=v9"), branch("`tag` is unknown"));
        assert_eq!(parts("https://h/x/?reff=v1&x=y"), branch("`reff` is unknown, `x` is unknown"));
        assert_eq!(parts("https://h/x/?ref"), branch("`ref` has no value"));
        assert_eq!(parts("https://h/x/#v1"), branch("`#v1` is unknown"));
        assert_eq!(parts("https://h/x/?v1"), branch("`v1` is unknown"));
        let named = |words: &str| Some(format!("{words}: `ref` is fetched"));
        assert_eq!(parts("https://h/x/?ref=a&ref=b"), named("only the first `ref` is used"));
        assert_eq!(parts("https://h/x/?depth=1&ref=b"), named("`depth` is unknown"));
    }
}
