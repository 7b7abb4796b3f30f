//! Packages of the Red Hat and SUSE families: read by `rpm`, changed by `dnf`.

use std::path::{Path, PathBuf};

use super::{declared, run};
use crate::host::local::{LocalLook, tool};
use crate::host::{
    Contents, FileKind, HostError, Installed, LookFiles, PackageChange, Packed, Within, compare_versions,
};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    installed_in(&[], name)
}

/// `scope`: options that select another root folder, for tests.
fn installed_in(scope: &[&str], name: &str) -> Result<Option<Installed>, HostError> {
    let format = "--queryformat=%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n";
    let output = tool::ask("rpm", &[scope, &["--query", format, "--", name]].concat(), &[])?;
    // Several versions of one package may be installed, as with kernels. The newest is last.
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

/// The folders of archives that `dnf` fetched: a folder for each repository, and one for packages in it.
const FETCHED: &[&str] = &["/var/cache/dnf", "/var/cache/libdnf5", "/var/cache/yum"];

/// The scripts that run at installation, and those of the installed version that run on an upgrade.
const OWN: &[&str] = &["PRETRANS", "PREIN", "POSTIN", "POSTTRANS"];
const OLD: &[&str] = &["PREUN", "POSTUN"];

/// The fields of each file: mode, owner, group, size, name and link target.
const FILE: &str =
    "[%{FILEMODES:octal}\\t%{FILEUSERNAME}\\t%{FILEGROUPNAME}\\t%{FILESIZES}\\t%{FILENAMES}\\t%{FILELINKTOS}\\n]";

pub(super) fn contents(look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    contents_in(FETCHED, &[], look, name, version)
}

fn contents_in(
    fetched: &[&str],
    scope: &[&str],
    look: &LocalLook,
    name: &str,
    version: &str,
) -> Result<Option<Contents>, HostError> {
    let Some(archive) = archive(fetched, look, name, version)? else { return Ok(None) };
    let archive = archive.to_string_lossy();
    let ask = |format: &str| {
        let format = format!("--queryformat={format}");
        tool::ask_of_archive(
            "rpm",
            &["--query", "--package", "--nosignature", &format, "--", &archive],
            false,
            super::LIST_CAP,
        )
    };
    let listed = ask(FILE)?;
    if !listed.succeeded() || listed.truncated {
        return Ok(None);
    }
    let Some(entries) = tool::lines(&listed).iter().map(|line| packed(line)).collect::<Option<Vec<Packed>>>() else {
        return Ok(None);
    };
    let mut has_scripts = entries.iter().any(declared::declares);
    for own in OWN {
        let answer = ask(&script_format(own))?;
        has_scripts |= is_script(answer.succeeded() && !answer.truncated, &answer.stdout);
    }
    if installed_in(scope, name)?.is_some() {
        for old in OLD {
            let format = format!("--queryformat={}", script_format(old));
            let answer = tool::ask("rpm", &[scope, &["--query", &format, "--", name]].concat(), &[])?;
            has_scripts |= is_script(answer.succeeded() && !answer.truncated, &answer.stdout);
        }
    }
    Ok(Some(Contents { entries, has_scripts }))
}

/// The query for a script and its interpreter.
fn script_format(tag: &str) -> String {
    format!("[%{{{tag}PROG}} ]\\n%{{{tag}}}\\n")
}

/// Whether an answer names a script. Its first line is the interpreter. `ldconfig` alone does not count.
fn is_script(is_whole: bool, answer: &[u8]) -> bool {
    let answer = String::from_utf8_lossy(answer);
    let (program, text) = answer.split_once('\n').unwrap_or_default();
    let is_none = |text: &str| ["", "(none)"].contains(&text.trim());
    let is_cache = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].contains(&program.trim());
    !(is_whole && is_none(text) && (is_none(program) || is_cache))
}

/// Returns the fetched archive of a version, if it is complete.
fn archive(fetched: &[&str], look: &LocalLook, name: &str, version: &str) -> Result<Option<PathBuf>, HostError> {
    let plain = version.split_once(':').map_or(version, |(_, plain)| plain);
    let begin = format!("{name}-{plain}.");
    let mut found = Vec::new();
    for folder in fetched.iter().map(Path::new) {
        // A missing or unreadable folder has no archives.
        for repository in look.list(folder).unwrap_or_default() {
            let packages = folder.join(repository).join("packages");
            let names = look.list(&packages).unwrap_or_default();
            let is_own = |file: &str| file.starts_with(&begin) && file.ends_with(".rpm");
            found.extend(names.iter().filter(|file| file.to_str().is_some_and(is_own)).map(|file| packages.join(file)));
        }
    }
    // With two archives the right one is unknown.
    let [only] = found.as_slice() else { return Ok(None) };
    let text = only.to_string_lossy();
    let format = "--queryformat=%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE}";
    let ask = |args: &[&str]| tool::ask_of_archive("rpm", args, false, super::LIST_CAP);
    let answer = ask(&["--query", "--package", "--nosignature", format, "--", &text])?;
    let own = String::from_utf8_lossy(&answer.stdout).into_owned();
    let is_meant = own.split_once(' ').is_some_and(|(own, at)| own == name && without_epoch(at) == version);
    let is_whole = || Ok::<_, HostError>(ask(&["--checksig", "--nosignature", "--", &text])?.succeeded());
    Ok(if is_meant && is_whole()? { Some(only.clone()) } else { None })
}

/// Parses a line with tabs: the mode in octal, owner, group, size, name, and link target.
fn packed(line: &str) -> Option<Packed> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [mode, user, group, size, path, target] = parts[..] else { return None };
    let mode = u32::from_str_radix(mode, 8).ok()?;
    let kind = FileKind::from_raw_mode(mode);
    let target = (kind == FileKind::Link).then(|| PathBuf::from(target));
    let (user, group, size) = (user.to_owned(), group.to_owned(), size.parse().ok()?);
    path.starts_with('/').then(|| Packed {
        path: path.into(),
        kind,
        mode: mode & 0o7777,
        user,
        group,
        size,
        target,
        text: None,
    })
}

/// `dnf` omits a zero epoch.
fn without_epoch(version: &str) -> String {
    version.strip_prefix("0:").unwrap_or(version).to_owned()
}

fn dnf() -> Result<&'static str, HostError> {
    let programs = ["dnf", "yum"];
    let why = "`dnf` is missing".to_owned();
    let found = programs.into_iter().find(|program| tool::has(program));
    found.ok_or(HostError::NoManager { what: "tool to change packages", why })
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    offered_in(&[], name)
}

fn offered_in(scope: &[&str], name: &str) -> Result<Vec<String>, HostError> {
    // `-C` answers from the cache, without the network and without writing.
    let args = [&["-q", "-C"], scope, &["list", "--showduplicates", "--", name]].concat();
    let output = tool::ask(dnf()?, &args, &[])?;
    Ok(listed(&tool::lines(&output), name))
}

/// Parses `dnf list`: lines of name with architecture, version and repository. The installed version is first, however
/// old.
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

/// Returns the packages of a change with their expected versions. Without a version `dnf` does not upgrade an installed
/// package. With one it installs exactly that version, newer or older.
fn versioned(change: &PackageChange) -> Vec<String> {
    match change {
        PackageChange::Remove { packages, .. } => packages.clone(),
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

    /// With the real tools, in a separate root folder.
    #[test]
    fn a_real_package_comes_changes_and_goes() {
        let needs = ["rpm", "rpmbuild", "dnf", "createrepo_c"];
        if let Some(missing) = needs.iter().find(|program| !tool::has(program)) {
            return crate::host::skip::skip("rpm", format_args!("{missing} is not installed"));
        }
        if !rustix::process::geteuid().is_root() {
            return crate::host::skip::skip("root", "only root may install packages");
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
            return crate::host::skip::skip(
                "rpm",
                format_args!("dnf does not take the repository: {}", String::from_utf8_lossy(&made.stderr)),
            );
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
        change(&PackageChange::Remove { packages: vec!["wbtest".into()], purge: false });
        assert_eq!((version(), files_in(&rpm, "wbtest")), (None, Ok(None)));
        change(&install(None));
        assert_eq!(version().as_deref(), Some("2.0-1"));
    }

    /// With the real tools, on our own package.
    #[test]
    fn fetched_archives_are_parsed() {
        if let Some(missing) = ["rpm", "rpmbuild"].into_iter().find(|program| !tool::has(program)) {
            return crate::host::skip::skip("rpm", format_args!("{missing} is not installed"));
        }
        let folder = tempfile::tempdir().expect("can be made");
        // The tool runs as the user nobody, who must be able to enter the folder.
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let spec = "Name: wbtest-read\nVersion: 1.0\nRelease: 1\nEpoch: 2\nSummary: test\nLicense: MIT\nBuildArch: noarch\n\
            %description\ntest\n%install\nmkdir -p %{buildroot}/etc/wbtest.d\necho x > '%{buildroot}/etc/wbtest.d/a b'\n\
            ln -s wbtest.d %{buildroot}/etc/wbtest\n%post\nsystemctl daemon-reload\nmkdir -p /etc/wbtest.d/made\n%files\n\
            %attr(0750, root, root) /etc/wbtest.d\n/etc/wbtest\n";
        std::fs::write(at("wbtest.spec"), spec).expect("can be written");
        let packages = at("cache/t-1/packages");
        let defines = [
            format!("_rpmdir {packages}"),
            format!("_topdir {}", at("top")),
            "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm".to_owned(),
        ];
        let defines = defines.iter().flat_map(|define| ["--define", define.as_str()]);
        let args: Vec<&str> = ["--quiet", "-bb"].into_iter().chain(defines).collect();
        let built = tool::ask("rpmbuild", &[&args[..], &[&at("wbtest.spec")]].concat(), &[]).expect("is here");
        assert!(built.succeeded(), "{}", String::from_utf8_lossy(&built.stderr));
        let (cache, look) = (at("cache"), LocalLook::new(false));
        let root = at("root");
        let read = |version: &str| {
            contents_in(&[&cache], &["--root", &root], &look, "wbtest-read", version).expect("can be asked")
        };
        let contents = read("2:1.0-1").expect("is there");
        let shown: Vec<String> =
            contents.entries.iter().map(|packed| format!("{} {:o}", packed.path.display(), packed.mode)).collect();
        assert_eq!(shown, ["/etc/wbtest 777", "/etc/wbtest.d 750", "/etc/wbtest.d/a b 750"]);
        assert_eq!(contents.entries[0].target, Some("wbtest.d".into()));
        assert!(contents.has_scripts);
        assert_eq!((read("1.0-1"), read("2:1.0-2")), (None, None));
        let archive = Path::new(&packages).join("wbtest-read-1.0-1.noarch.rpm");
        let mut bytes = std::fs::read(&archive).expect("is there");
        let middle = bytes.len() - 40;
        bytes[middle] ^= 1;
        std::fs::write(&archive, bytes).expect("can be written");
        assert_eq!(read("2:1.0-1"), None, "a broken one tells nothing");
    }

    #[test]
    fn scripts_are_recognised() {
        for none in ["(none) \n(none)\n", "\n(none)\n", "/sbin/ldconfig \n(none)\n"] {
            assert!(!is_script(true, none.as_bytes()), "{none}");
        }
        for some in ["<lua> \nposix.mkdir('/etc/x')\n", "/bin/sh \nx-setup\n", "/usr/bin/x \n(none)\n"] {
            assert!(is_script(true, some.as_bytes()), "{some}");
        }
        assert!(is_script(false, b""));
    }
}
