//! Debian's packages: read from dpkg's own database, changed by `apt-get`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{deb, named, run};
use crate::host::local::{LocalLook, tool};
use crate::host::{HostError, Installed, LookFiles, PackageChange, PackageEffect, PackageHold, Within};

/// dpkg's database.
pub(super) const STATUS: &str = "/var/lib/dpkg/status";

/// The lock files of dpkg and apt.
pub(super) const LOCKS: &[&str] =
    &["/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock"];

/// No questions: a changed configuration file is kept.
const QUIET: &[&str] = &[
    "-y",
    "-q",
    "-o",
    "DPkg::Options::=--force-confdef",
    "-o",
    "DPkg::Options::=--force-confold",
    "-o",
    "DPkg::Lock::Timeout=60",
];

/// Simulates without the lock of the database.
const SIMULATE: &[&str] = &["-s", "-o", "Debug::NoLocking=1"];

const ENV: &[(&str, &str)] =
    &[("DEBIAN_FRONTEND", "noninteractive"), ("APT_LISTCHANGES_FRONTEND", "none"), ("NEEDRESTART_MODE", "l")];

pub(super) fn installed(look: &LocalLook, name: &str) -> Result<Option<Installed>, HostError> {
    let text = look.read(Path::new(STATUS))?.unwrap_or_default();
    Ok(find(&text, name))
}

/// Whether a removed package left its configuration.
pub(super) fn left_settings(look: &LocalLook, name: &str) -> Result<bool, HostError> {
    let text = look.read(Path::new(STATUS))?.unwrap_or_default();
    Ok(entry(&text, name, "config-files", |_| Some(())).is_some())
}

pub(super) fn hold(hold: &PackageHold, within: &Within) -> Result<(), HostError> {
    let verb = if hold.held { "hold" } else { "unhold" };
    run("apt-mark", &[verb, "--"], std::slice::from_ref(&hold.name), ENV, within)
}

fn find(text: &[u8], name: &str) -> Option<Installed> {
    entry(text, name, "installed", |field| {
        let held = field("Status").unwrap_or_default().starts_with("hold ");
        Some(Installed { version: field("Version")?.to_owned(), held })
    })
}

type Field<'e> = dyn Fn(&str) -> Option<&'e str> + 'e;

/// Finds a package with a state in dpkg's database, whose entries are separated by empty lines, and reads its fields.
fn entry<R>(text: &[u8], name: &str, state: &str, read: impl Fn(&Field<'_>) -> Option<R>) -> Option<R> {
    let (name, arch) = match name.split_once(':') {
        Some((name, arch)) => (name, Some(arch)),
        None => (name, None),
    };
    let head = format!("Package: {name}\n");
    let mut at = 0;
    while let Some(found) = memmem(&text[at..], head.as_bytes()) {
        let start = at + found;
        at = start + head.len();
        if start > 0 && text[start - 1] != b'\n' {
            continue;
        }
        let end = memmem(&text[start..], b"\n\n").map_or(text.len(), |end| start + end);
        let entry = String::from_utf8_lossy(&text[start..end]);
        let field = |key: &str| entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        let is_arch = arch.is_none_or(|arch| field("Architecture").is_some_and(|own| own == arch || own == "all"));
        let own = field("Status").unwrap_or_default().rsplit(' ').next();
        if is_arch && own == Some(state) {
            return read(&field);
        }
    }
    None
}

fn memmem(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.iter().position(|byte| *byte == first) {
        at += found;
        if text[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// dpkg's lists of each package's files, and apt's cache of fetched packages.
pub(super) const LISTS: &str = "/var/lib/dpkg/info";
pub(super) const FETCHED: &str = "/var/cache/apt/archives";

pub(super) fn files(look: &LocalLook, name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    let plain = name.split(':').next().unwrap_or(name);
    let arch = name.split_once(':').map_or("", |(_, arch)| arch);
    let own = [
        format!("{name}.list"),
        format!("{plain}:{arch}.list"),
        format!("{plain}:amd64.list"),
        format!("{plain}:arm64.list"),
    ];
    for list in own {
        let path = Path::new(LISTS).join(list);
        if look.stat(&path)?.is_some() {
            let text = look.read(&path)?.unwrap_or_default();
            return Ok(Some(listed(&String::from_utf8_lossy(&text))));
        }
    }
    let begin = format!("{plain}_");
    let is_own = |file: &&std::ffi::OsString| {
        file.to_str().is_some_and(|file| file.starts_with(&begin) && file.ends_with(".deb"))
    };
    for (folder, is_private) in deb::folders(look) {
        // A missing or unreadable folder has no archives.
        let fetched = look.list(&folder).unwrap_or_default();
        let Some(package) = fetched.iter().rfind(is_own) else { continue };
        let package = folder.join(package);
        let args = ["--contents", &package.to_string_lossy()];
        let output = tool::ask_of_archive("dpkg-deb", &args, is_private, super::LIST_CAP)?;
        if output.succeeded() && !output.truncated {
            return Ok(Some(tool::lines(&output).iter().filter_map(|line| content(line)).collect()));
        }
    }
    Ok(None)
}

/// Parses one of dpkg's lists: a path on each line, the root folder first.
fn listed(text: &str) -> Vec<PathBuf> {
    text.lines().filter(|line| line.len() > 2 && line.starts_with('/')).map(PathBuf::from).collect()
}

/// Parses a line such as `-rw-r--r-- root/root 26 2022-12-26 08:00 ./usr/bin/hello`. A link also has its target.
fn content(line: &str) -> Option<PathBuf> {
    let path = &line[line.find(" ./")? + 1..];
    let path = path.split(" -> ").next()?.strip_prefix('.')?.trim_end_matches('/');
    (path.len() > 1).then(|| path.into())
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    let output = tool::ask_as_nobody("apt-cache", &["policy", "--", name], &[])?;
    Ok(policy(&tool::lines(&output)))
}

/// The same for several packages, by name.
pub(super) fn offered_of(names: &[&str]) -> Result<BTreeMap<String, Vec<String>>, HostError> {
    let args: Vec<&str> = ["policy", "--"].iter().chain(names).copied().collect();
    let output = tool::ask_for_much("apt-cache", &args, &[], super::LIST_CAP)?;
    Ok(policies(&tool::lines(&output)))
}

/// Splits `apt-cache policy` at its lines such as `hello:`.
fn policies(lines: &[String]) -> BTreeMap<String, Vec<String>> {
    let name = |line: &String| line.strip_suffix(':').filter(|head| !head.starts_with(' ')).map(str::to_owned);
    let parts = lines.chunk_by(|_, next| name(next).is_none());
    parts.filter_map(|part| Some((name(part.first()?)?, policy(part)))).collect()
}

/// Parses `apt-cache policy`: the candidate, then the other versions.
fn policy(lines: &[String]) -> Vec<String> {
    let candidate = lines.iter().find_map(|line| line.trim().strip_prefix("Candidate: ")).filter(|v| *v != "(none)");
    let mut versions: Vec<String> = candidate.map(str::to_owned).into_iter().collect();
    let table = lines.iter().skip_while(|line| line.trim() != "Version table:").skip(1);
    // A version is indented by five columns (`***` marks the installed one), its sources by more.
    for line in table.filter(|line| !line.starts_with("        ")) {
        let words: Vec<&str> = line.trim_start_matches(" ***").split_whitespace().collect();
        if let Some(version) = words.first().filter(|version| versions.iter().all(|there| there != *version)) {
            versions.push((*version).to_owned());
        }
    }
    versions
}

/// Simulates changes with `apt-get`.
pub(super) fn effects(changes: &[PackageChange]) -> Result<Vec<PackageEffect>, HostError> {
    let mut args = [SIMULATE, QUIET].concat();
    let is_install = |change: &&PackageChange| matches!(change, PackageChange::Install { .. });
    let named: Vec<String> = match changes {
        [only] => {
            args.extend(verb(only));
            named(only, "=")
        }
        _ => {
            args.extend(["--no-install-recommends", "--allow-downgrades", "--allow-unauthenticated", "install"]);
            // `apt-get` removes a package whose name ends with a minus.
            let marked = |change: &PackageChange| {
                let mark = if is_install(&change) { "" } else { "-" };
                named(change, "=").into_iter().map(move |name| name + mark).collect::<Vec<_>>()
            };
            changes.iter().flat_map(marked).collect()
        }
    };
    args.extend(named.iter().map(String::as_str));
    ask_effects(&args)
}

/// Simulates installations with the same permissions, in one transaction.
pub(super) fn simulate<'a>(
    changes: impl IntoIterator<Item = &'a PackageChange>,
) -> Result<Vec<PackageEffect>, HostError> {
    let mut changes = changes.into_iter().peekable();
    let mut args = [SIMULATE, QUIET].concat();
    args.extend(changes.peek().map(|change| verb(change)).unwrap_or_default());
    let named: Vec<String> = changes.flat_map(|change| named(change, "=")).collect();
    args.extend(named.iter().map(String::as_str));
    ask_effects(&args)
}

fn ask_effects(args: &[&str]) -> Result<Vec<PackageEffect>, HostError> {
    let output = tool::ask_for_much("apt-get", args, ENV, super::LIST_CAP)?;
    if !output.succeeded() {
        return Err(tool::failure("apt-get", &output));
    }
    Ok(tool::lines(&output).iter().filter_map(|line| effect(line)).collect())
}

/// Parses a line such as `Inst nginx [1.2] (1.4 Debian:12/stable [amd64])` or `Remv nginx [1.2]`.
fn effect(line: &str) -> Option<PackageEffect> {
    let mut words = line.split(' ');
    let verb = words.next()?;
    let name = words.next()?.to_owned();
    let bracketed = |open: char| line.split_once(open).map(|(_, rest)| rest);
    let from = bracketed('[').and_then(|rest| rest.split([']', ' ']).next()).map(str::to_owned);
    match verb {
        "Inst" => {
            let to = bracketed('(')?.split(' ').next()?.to_owned();
            // Without an old version, the first bracket holds the architecture.
            let has_old = line.find('[').is_some_and(|old| line.find('(').is_some_and(|new| old < new));
            Some(PackageEffect { name, from: from.filter(|_| has_old), to: Some(to) })
        }
        "Remv" | "Purg" => Some(PackageEffect { name, from, to: None }),
        _ => None,
    }
}

fn verb(change: &PackageChange) -> Vec<&'static str> {
    match change {
        PackageChange::Remove { purge: true, .. } => vec!["purge"],
        PackageChange::Remove { .. } => vec!["remove"],
        PackageChange::Install { allow_downgrade, allow_untrusted, .. } => {
            let mut verb = vec!["--no-install-recommends"];
            verb.extend(allow_downgrade.then_some("--allow-downgrades"));
            verb.extend(allow_untrusted.then_some("--allow-unauthenticated"));
            verb.push("install");
            verb
        }
    }
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let args: Vec<&str> = QUIET.iter().copied().chain(verb(change)).collect();
    run("apt-get", &args, &named(change, "="), ENV, within)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATABASE: &str = "Package: nginx-common\nStatus: install ok installed\nVersion: 1.0\n\nPackage: nginx\nStatus: \
        hold ok installed\nArchitecture: amd64\nVersion: 1:1.2-3\nDescription: web\n Package: hello\n\nPackage: \
        gone\nStatus: deinstall ok config-files\nVersion: 2\n";

    #[test]
    fn the_database_of_dpkg_is_read() {
        let find = |name| find(DATABASE.as_bytes(), name);
        assert_eq!(find("nginx"), Some(Installed { version: "1:1.2-3".into(), held: true }));
        assert_eq!(find("nginx-common").map(|package| package.version), Some("1.0".into()));
        assert!(find("nginx:amd64").is_some() && find("nginx:i386").is_none());
        assert_eq!((find("gone"), find("hello"), find("ngin")), (None, None, None));
        let left = |name| entry(DATABASE.as_bytes(), name, "config-files", |_| Some(())).is_some();
        assert_eq!((left("gone"), left("nginx"), left("nowhere")), (true, false, false));
    }

    #[test]
    fn what_apt_would_do_is_read() {
        let new = effect("Inst nginx (1.22.1-9 Debian:12.5/stable [amd64])").expect("is an effect");
        assert_eq!((new.name.as_str(), new.from, new.to.as_deref()), ("nginx", None, Some("1.22.1-9")));
        let newer = effect("Inst libc6 [2.36-9] (2.36-10 Debian:12 [amd64]) []").expect("is an effect");
        assert_eq!((newer.from.as_deref(), newer.to.as_deref()), (Some("2.36-9"), Some("2.36-10")));
        let gone = effect("Remv hello [2.10-3]").expect("is an effect");
        assert_eq!((gone.from.as_deref(), gone.to), (Some("2.10-3"), None));
        assert!(effect("Conf nginx (1.22.1-9 Debian:12.5/stable [amd64])").is_none() && effect("").is_none());
    }

    #[test]
    fn package_contents_are_parsed() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(listed("/.\n/usr\n/usr/bin\n/usr/bin/hello\n"), paths(&["/usr", "/usr/bin", "/usr/bin/hello"]));
        let lines = [
            "drwxr-xr-x root/root         0 2022-12-26 08:00 ./",
            "drwxr-xr-x root/root         0 2022-12-26 08:00 ./usr/bin/",
            "-rwxr-xr-x root/root     26936 2022-12-26 08:00 ./usr/bin/a b",
            "lrwxrwxrwx root/root         0 2022-12-26 08:00 ./usr/bin/link -> hello",
        ];
        let read: Vec<PathBuf> = lines.iter().filter_map(|line| content(line)).collect();
        assert_eq!(read, paths(&["/usr/bin", "/usr/bin/a b", "/usr/bin/link"]));
    }

    #[test]
    fn offered_versions_are_parsed() {
        let text = "hello:\n  Installed: 2.9\n  Candidate: 2.10-3\n  Version table:\n     2.10-3 500\n        500 \
            http://x main\n *** 2.9 100\n        100 /var/lib/dpkg/status\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(policy(&lines), ["2.10-3", "2.9"]);
        assert!(policy(&["  Candidate: (none)".into()]).is_empty() && policy(&[]).is_empty());
        let two = [lines, vec!["gone:".into(), "  Candidate: (none)".into()]].concat();
        let both = policies(&two);
        assert_eq!((both["hello"].len(), both["gone"].len(), both.len()), (2, 0, 2));
    }
}
