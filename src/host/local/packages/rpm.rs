//! Packages of the Red Hat and SUSE families: read by `rpm`, changed by `dnf`.

use std::path::PathBuf;

use super::run;
use crate::host::local::tool;
use crate::host::{HostError, Installed, PackageChange, Within, compare_versions};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    installed_in(&[], name)
}

/// `scope`: options that lead to another machine's folder, for tests.
fn installed_in(scope: &[&str], name: &str) -> Result<Option<Installed>, HostError> {
    let format = "--queryformat=%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n";
    let output = tool::ask("rpm", &[scope, &["--query", format, "--", name]].concat(), &[])?;
    // Several versions of one package may be there, as with kernels; the newest is listed last.
    let version = tool::lines(&output).pop().filter(|_| output.succeeded());
    Ok(version.map(|version| Installed { version: without_epoch(&version), held: false }))
}

pub(super) fn files(name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    files_in(&[], name)
}

fn files_in(scope: &[&str], name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    let output = tool::ask("rpm", &[scope, &["--query", "--list", "--", name]].concat(), &[])?;
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
    offered_in(&[], name)
}

fn offered_in(scope: &[&str], name: &str) -> Result<Vec<String>, HostError> {
    // `-C` answers from what was fetched before, so that asking neither waits for a network nor writes.
    let args = [&["-q", "-C"], scope, &["list", "--showduplicates", "--", name]].concat();
    let output = tool::ask(dnf()?, &args, &[])?;
    Ok(listed(&tool::lines(&output), name))
}

/// Reads `dnf list`: lines of name with architecture, version and repository. What is installed stands first there, however
/// old it is.
fn listed(lines: &[String], name: &str) -> Vec<String> {
    let mut versions = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [package, version, _] = words[..] else { continue };
        let plain = package.rsplit_once('.').map_or(package, |(plain, _)| plain);
        let version = without_epoch(version);
        if (plain == name || package == name) && !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions.sort_by(|a, b| compare_versions(b, a));
    versions
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    change_in(&[], change, within)
}

fn change_in(scope: &[&str], change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let mut args = [&["-y", "-q"], scope].concat();
    match change {
        PackageChange::Remove { .. } => args.push("remove"),
        PackageChange::Install { allow_untrusted, .. } => {
            args.extend(allow_untrusted.then_some("--nogpgcheck"));
            args.push("install");
        }
    }
    args.push("--");
    run(dnf()?, &args, &versioned(change), &[], within)
}

/// The packages of a change, with the versions that are expected: by its name alone, `dnf` leaves an older one as it is.
/// A version that is named it installs, be it newer or older.
fn versioned(change: &PackageChange) -> Vec<String> {
    match change {
        PackageChange::Remove { packages } => packages.clone(),
        PackageChange::Install { packages, .. } => packages
            .iter()
            .map(|package| match &package.version {
                Some(version) => format!("{}-{version}", package.name),
                None => package.name.clone(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::WantedPackage;

    #[test]
    fn what_dnf_lists_is_read() {
        let text = "Installed Packages\nhello.x86_64 2.9-1.fc40 @fedora\nAvailable Packages\nhello.x86_64 0:2.12-1.fc40 \
            fedora\nhello-doc.noarch 1-1 fedora\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(listed(&lines, "hello"), ["2.12-1.fc40", "2.9-1.fc40"]);
        assert_eq!((without_epoch("0:1-2"), without_epoch("1:1-2")), ("1-2".into(), "1:1-2".into()));
    }

    #[test]
    fn a_newer_version_that_is_here_comes_first() {
        let lines = ["Installed Packages", "x.noarch 3-1 @t", "Available Packages", "x.noarch 1-1 t", "x.noarch 2-1 t"];
        assert_eq!(listed(&lines.map(str::to_owned), "x"), ["3-1", "2-1", "1-1"]);
    }

    /// With the real tools, in a folder that stands for a machine of its own.
    #[test]
    fn a_real_package_comes_changes_and_goes() {
        let needs = ["rpm", "rpmbuild", "dnf", "createrepo_c"];
        if let Some(missing) = needs.iter().find(|program| !tool::has(program)) {
            return println!("skipped: {missing} is not installed");
        }
        if !rustix::process::geteuid().is_root() {
            return println!("skipped: not root");
        }
        let folder = tempfile::tempdir().expect("can be made");
        let at = |name: &str| folder.path().join(name).display().to_string();
        for version in ["1.0", "2.0"] {
            let spec = format!(
                "Name: wbtest\nVersion: {version}\nRelease: 1\nSummary: test\nLicense: MIT\nBuildArch: noarch\n%description\n\
                 test\n%install\nmkdir -p %{{buildroot}}/etc/wbtest.d\necho x > %{{buildroot}}/etc/wbtest.d/x\n%files\n\
                 /etc/wbtest.d\n"
            );
            std::fs::write(at("wbtest.spec"), spec).expect("can be written");
            let defines = [format!("_rpmdir {}", at("repo")), format!("_topdir {}", at("top"))];
            let args = ["--quiet", "-bb", "--define", &defines[0], "--define", &defines[1], &at("wbtest.spec")];
            let built = tool::ask("rpmbuild", &args, &[]).expect("is here");
            assert!(built.succeeded(), "{}", String::from_utf8_lossy(&built.stderr));
        }
        assert!(tool::ask("createrepo_c", &["-q", &at("repo")], &[]).expect("is here").succeeded());
        let root = at("root");
        let own = [
            format!("--installroot={root}"),
            format!("--repofrompath=t,file://{}", at("repo")),
            format!("--setopt=cachedir={}", at("cache")),
        ];
        let plain = ["--releasever=1", "--repo=t", "--nogpgcheck", "--setopt=module_platform_id=platform:x"];
        let reposdir = "--setopt=reposdir=/nonexistent";
        let dnf: Vec<&str> = own.iter().map(String::as_str).chain(plain).chain([reposdir]).collect();
        let rpm = ["--root", root.as_str()];
        let made = tool::ask("dnf", &[dnf.as_slice(), &["-q", "makecache"]].concat(), &[]).expect("is here");
        if !made.succeeded() {
            return println!("skipped: dnf does not take the repository: {}", String::from_utf8_lossy(&made.stderr));
        }
        let version = || installed_in(&rpm, "wbtest").expect("can be asked").map(|installed| installed.version);
        let install = |version: Option<&str>| PackageChange::Install {
            packages: vec![WantedPackage { name: "wbtest".into(), version: version.map(str::to_owned), exact: false }],
            allow_downgrade: true,
            allow_untrusted: true,
        };
        let change = |change: &PackageChange| change_in(&dnf, change, &Within::default()).expect("goes well");
        assert_eq!((version(), offered_in(&dnf, "wbtest")), (None, Ok(vec!["2.0-1".into(), "1.0-1".into()])));
        assert_eq!(offered_in(&dnf, "nosuch"), Ok(Vec::new()));
        for wanted in ["1.0-1", "2.0-1", "1.0-1"] {
            change(&install(Some(wanted)));
            assert_eq!(version().as_deref(), Some(wanted));
        }
        let listed = files_in(&rpm, "wbtest").expect("can be asked");
        assert_eq!(listed, Some(vec!["/etc/wbtest.d".into(), "/etc/wbtest.d/x".into()]));
        change(&PackageChange::Remove { packages: vec!["wbtest".into()] });
        assert_eq!((version(), files_in(&rpm, "wbtest")), (None, Ok(None)));
        change(&install(None));
        assert_eq!(version().as_deref(), Some("2.0-1"));
    }
}
