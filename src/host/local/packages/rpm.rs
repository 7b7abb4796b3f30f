//! Packages of the Red Hat and SUSE families: read by `rpm`, changed by `dnf`.

use std::path::PathBuf;

use super::{named, run};
use crate::host::local::tool;
use crate::host::{HostError, Installed, PackageChange, Within};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    let format = "--queryformat=%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n";
    let output = tool::ask("rpm", &["--query", format, "--", name], &[])?;
    // Several versions of one package may be there, as with kernels; the newest is listed last.
    let version = tool::lines(&output).pop().filter(|_| output.succeeded());
    Ok(version.map(|version| Installed { version: without_epoch(&version), held: false }))
}

pub(super) fn files(name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    let output = tool::ask("rpm", &["--query", "--list", "--", name], &[])?;
    let paths = tool::lines(&output).into_iter().filter(|line| line.starts_with('/')).map(PathBuf::from);
    Ok(output.succeeded().then(|| paths.collect()))
}

/// An epoch of nought is not written.
fn without_epoch(version: &str) -> String {
    version.strip_prefix("0:").unwrap_or(version).to_owned()
}

fn dnf() -> Result<&'static str, HostError> {
    let programs = ["dnf", "yum"];
    let why = "`dnf` is missing".to_owned();
    let found = programs.into_iter().find(|program| tool::has(program));
    found.ok_or(HostError::NoManager { what: "way to change packages", why })
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    // `-C` answers from what was fetched before, so that asking neither waits for a network nor writes.
    let args = ["-q", "-C", "list", "--showduplicates", "--", name];
    let output = tool::ask(dnf()?, &args, &[])?;
    Ok(listed(&tool::lines(&output), name))
}

/// Reads `dnf list`: lines of name with architecture, version and repository, the newest last.
fn listed(lines: &[String], name: &str) -> Vec<String> {
    let mut versions = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [package, version, _] = words[..] else { continue };
        let plain = package.rsplit_once('.').map_or(package, |(plain, _)| plain);
        let version = without_epoch(version);
        if (plain == name || package == name) && !versions.contains(&version) {
            versions.insert(0, version);
        }
    }
    versions
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let mut args = vec!["-y", "-q"];
    match change {
        PackageChange::Remove { .. } => args.push("remove"),
        PackageChange::Install { allow_downgrade, allow_untrusted, packages } => {
            args.extend(allow_untrusted.then_some("--nogpgcheck"));
            let has_exact = packages.iter().any(|package| package.exact);
            args.push(if *allow_downgrade && has_exact { "downgrade" } else { "install" });
        }
    }
    args.push("--");
    run(dnf()?, &args, &named(change, "-"), &[], within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dnf_lists_is_read() {
        let text = "Installed Packages\nhello.x86_64 2.9-1.fc40 @fedora\nAvailable Packages\nhello.x86_64 0:2.12-1.fc40 \
            fedora\nhello-doc.noarch 1-1 fedora\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(listed(&lines, "hello"), ["2.12-1.fc40", "2.9-1.fc40"]);
        assert_eq!((without_epoch("0:1-2"), without_epoch("1:1-2")), ("1-2".into(), "1:1-2".into()));
    }
}
