//! Arch's packages, through `pacman`. It offers one version of each package only.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::mtree::entries;
use super::{declared, run};
use crate::host::local::{LocalLook, stream, tool};
use crate::host::{Contents, HostError, Installed, LookFiles, PackageChange, PackageEffect, Within};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    installed_in(&[], name)
}

/// `scope`: options that select another root folder, for tests.
fn installed_in(scope: &[&str], name: &str) -> Result<Option<Installed>, HostError> {
    let output = tool::ask("pacman", &[scope, &["-Q", "--", name]].concat(), &[])?;
    let version = tool::lines(&output).iter().find_map(|line| Some(line.split_once(' ')?.1.trim().to_owned()));
    Ok(version.filter(|_| output.succeeded()).map(|version| Installed { version, held: false }))
}

pub(super) fn files(name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    files_in(&[], name)
}

fn files_in(scope: &[&str], name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    let output = tool::ask("pacman", &[scope, &["-Q", "--list", "--", name]].concat(), &[])?;
    let path = |line: &String| {
        let (_, path) = line.split_once(' ')?;
        path.starts_with('/').then(|| PathBuf::from(path.trim_end_matches('/')))
    };
    Ok(output.succeeded().then(|| tool::lines(&output).iter().filter_map(path).collect()))
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    offered_in(&[], name)
}

fn offered_in(scope: &[&str], name: &str) -> Result<Vec<String>, HostError> {
    let output = tool::ask("pacman", &[scope, &["-S", "--info", "--", name]].concat(), &[])?;
    Ok(version(&tool::lines(&output)).into_iter().collect())
}

/// Parses `pacman -Si`: fields with a colon.
fn version(lines: &[String]) -> Option<String> {
    let field = |line: &String| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "Version").then(|| value.trim().to_owned())
    };
    lines.iter().find_map(field)
}

/// Simulates changes with `pacman`. `None` if it cannot simulate them in one transaction.
pub(super) fn effects(changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
    effects_in(&[], changes)
}

fn effects_in(scope: &[&str], changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
    let is_install = |change: &PackageChange| matches!(change, PackageChange::Install { .. });
    let verb: &[&str] = match changes {
        [PackageChange::Remove { .. }] => &["-R"],
        _ if changes.iter().all(is_install) => &["-S", "--needed"],
        _ => return Ok(None),
    };
    let print = ["--noconfirm", "--print", "--print-format", "%n %v", "--"];
    let names = changes.iter().flat_map(PackageChange::names);
    let args: Vec<&str> = verb.iter().copied().chain(scope.iter().copied()).chain(print).chain(names).collect();
    let output = tool::ask("pacman", &args, &[])?;
    if !output.succeeded() {
        return Err(tool::failure("pacman", &output));
    }
    let mut effects = Vec::new();
    for line in tool::lines(&output) {
        let Some((name, version)) = line.split_once(' ').filter(|(name, _)| super::is_package_name(name)) else {
            continue;
        };
        let from = installed_in(scope, name)?.map(|installed| installed.version);
        let to = (verb[0] == "-S").then(|| version.to_owned());
        effects.push(PackageEffect { name: name.to_owned(), from, to });
    }
    Ok(Some(effects))
}

/// The folders of `pacman`'s archives and database.
struct Places {
    cache: PathBuf,
    sync: PathBuf,
    hooks: PathBuf,
}

pub(super) fn contents(look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    let places = Places {
        cache: "/var/cache/pacman/pkg".into(),
        sync: "/var/lib/pacman/sync".into(),
        hooks: "/etc/pacman.d/hooks".into(),
    };
    contents_in(&places, look, name, version)
}

fn contents_in(places: &Places, look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    // `bsdtar` comes with the library that `pacman` itself uses for its archives.
    if !tool::has("bsdtar") {
        return Ok(None);
    }
    let Some(archive) = archive(places, look, name, version)? else { return Ok(None) };
    let archive = archive.to_string_lossy();
    let list = ["--format=mtree", "--options=!all,type,uname,gname,mode,size,link", "-cf", "-", &format!("@{archive}")];
    let listed = tool::ask_of_archive("bsdtar", &list, false, super::LIST_CAP)?;
    if !listed.succeeded() || listed.truncated {
        return Ok(None);
    }
    let Some(entries) = entries(&String::from_utf8_lossy(&listed.stdout)) else { return Ok(None) };
    // Top-level files with a dot are metadata for `pacman`.
    let is_own = |path: &Path| path.parent() == Some(Path::new("/")) && path.to_string_lossy().starts_with("/.");
    let has_install = entries.iter().any(|packed| packed.path == Path::new("/.INSTALL"));
    // The administrator's hooks may run for any package.
    let has_hooks = look.list(&places.hooks).is_ok_and(|hooks| !hooks.is_empty());
    let has_scripts = has_install || has_hooks || entries.iter().any(declared::declares);
    let entries: Vec<_> = entries.into_iter().filter(|packed| !is_own(&packed.path)).collect();
    Ok((!entries.is_empty()).then_some(Contents { entries, has_scripts }))
}

/// Returns the fetched archive of a version, if a repository offers the same one.
fn archive(places: &Places, look: &LocalLook, name: &str, version: &str) -> Result<Option<PathBuf>, HostError> {
    if look.stat_target(&places.sync)?.is_none() || look.stat_target(&places.cache)?.is_none() {
        return Ok(None);
    }
    for list in look.list(&places.sync)?.into_iter().filter(|list| ends_with(list, ".db")) {
        let list = places.sync.join(list);
        let entry = format!("{name}-{version}/desc");
        let answer =
            tool::ask_of_archive("bsdtar", &["-xOf", &list.to_string_lossy(), "--", &entry], false, super::LIST_CAP)?;
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        let field = |key: &str| answer.lines().skip_while(|line| *line != key).nth(1).map(str::trim).map(str::to_owned);
        let (Some(file), Some(hash)) = (field("%FILENAME%"), field("%SHA256SUM%")) else { continue };
        let path = places.cache.join(&file);
        if !file.contains('/') && look.stat_target(&path)?.is_some() && stream::sha256(&path)? == hash {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn ends_with(name: &OsString, ending: &str) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(ending))
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let args: &[&str] = match change {
        PackageChange::Remove { purge: true, .. } => &["-R", "--nosave", "--noconfirm", "--"],
        PackageChange::Remove { .. } => &["-R", "--noconfirm", "--"],
        PackageChange::Install { .. } => &["-S", "--noconfirm", "--needed", "--"],
    };
    // A version cannot be requested. The kind accepts only the offered one.
    let names: Vec<String> = change.names().into_iter().map(str::to_owned).collect();
    run("pacman", args, &names, &[], within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pacman_output_is_parsed() {
        let lines: Vec<String> = "Repository : extra\nVersion         : 2:1.2-1\n".lines().map(str::to_owned).collect();
        assert_eq!(version(&lines), Some("2:1.2-1".into()));
        assert_eq!(version(&[]), None);
    }

    /// With the real tool, on a database in a folder.
    #[test]
    fn a_real_database_is_asked() {
        if !tool::has("pacman") {
            return crate::host::skip::skip("pacman", "pacman is not installed");
        }
        let folder = tempfile::tempdir().expect("can be made");
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str, text: &str| {
            std::fs::create_dir_all(at(name).parent().expect("is in the folder")).expect("can be made");
            std::fs::write(at(name), text).expect("can be written");
        };
        let entry = |version: &str| format!("%NAME%\nhello\n\n%VERSION%\n{version}\n\n%ARCH%\nany\n\n");
        put("db/local/ALPM_DB_VERSION", "9\n");
        put("db/local/hello-2:1.2-1/desc", &entry("2:1.2-1"));
        put("db/local/hello-2:1.2-1/files", "%FILES%\nusr/\nusr/bin/\nusr/bin/hello\n");
        put("pacman.conf", "[options]\nArchitecture = auto\nSigLevel = Never\n[t]\nServer = file:///nonexistent\n");
        let desc = format!("%FILENAME%\nhello.pkg.tar\n\n{}%CSIZE%\n1\n\n%ISIZE%\n1\n\n", entry("2:1.3-1"));
        std::fs::create_dir_all(at("db/sync")).expect("can be made");
        let mut list = tar::Builder::new(std::fs::File::create(at("db/sync/t.db")).expect("can be made"));
        let mut header = tar::Header::new_ustar();
        header.set_size(desc.len() as u64);
        header.set_mode(0o644);
        list.append_data(&mut header, "hello-2:1.3-1/desc", desc.as_bytes()).expect("can be written");
        list.finish().expect("can be written");
        let (config, database) = (at("pacman.conf").display().to_string(), at("db").display().to_string());
        let scope = ["--config", config.as_str(), "--dbpath", database.as_str()];
        let version = installed_in(&scope, "hello").expect("can be asked").map(|installed| installed.version);
        assert_eq!(version.as_deref(), Some("2:1.2-1"));
        assert_eq!((installed_in(&scope, "nosuch"), files_in(&scope, "nosuch")), (Ok(None), Ok(None)));
        let files = ["/usr", "/usr/bin", "/usr/bin/hello"].map(PathBuf::from);
        assert_eq!(files_in(&scope, "hello"), Ok(Some(files.into())));
        assert_eq!(offered_in(&scope, "hello"), Ok(vec!["2:1.3-1".into()]));
        assert_eq!(offered_in(&scope, "nosuch"), Ok(Vec::new()));
    }

    /// With the real tools, on our own archive and repository.
    #[test]
    fn fetched_archives_are_parsed() {
        if let Some(missing) = ["bsdtar", "pacman"].into_iter().find(|program| !tool::has(program)) {
            return crate::host::skip::skip("pacman", format_args!("{missing} is not installed"));
        }
        // The tool runs as the user nobody, who must be able to enter the folder.
        let folder = tempfile::tempdir().expect("can be made");
        std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
        let at = |name: &str| folder.path().join(name);
        for made in ["cache", "db/sync", "db/local", "hooks"] {
            std::fs::create_dir_all(at(made)).expect("can be made");
        }
        let put = |into: &mut tar::Builder<Vec<u8>>, name: &str, mode: u32, text: Option<&str>| {
            let mut header = tar::Header::new_ustar();
            header.set_mode(mode);
            header.set_username("root").expect("is short");
            header.set_groupname("http").expect("is short");
            header.set_entry_type(if text.is_some() { tar::EntryType::Regular } else { tar::EntryType::Directory });
            header.set_size(text.unwrap_or_default().len() as u64);
            into.append_data(&mut header, name, text.unwrap_or_default().as_bytes()).expect("can be written");
        };
        let mut packed = tar::Builder::new(Vec::new());
        put(&mut packed, ".PKGINFO", 0o644, Some("pkgname = web\npkgver = 1:1.0-1\n"));
        let install = "post_install() {\n  systemctl daemon-reload\n  install -dm750 /etc/web/made\n}\n";
        put(&mut packed, ".INSTALL", 0o644, Some(install));
        put(&mut packed, "etc/web/", 0o750, None);
        put(&mut packed, "etc/web/a b", 0o640, Some("one"));
        put(&mut packed, "usr/lib/tmpfiles.d/web.conf", 0o644, Some("d /run/web 0755\n"));
        let packed = packed.into_inner().expect("can be written");
        let file = "web-1:1.0-1-any.pkg.tar";
        std::fs::write(at("cache").join(file), &packed).expect("can be written");
        let hash = stream::sha256(&at("cache").join(file)).expect("is there");
        let list = |hash: &str| {
            let entry = |name: &str, file: &str, needs: &str| {
                format!(
                    "%FILENAME%\n{file}\n\n%NAME%\n{name}\n\n%VERSION%\n1:1.0-1\n\n%CSIZE%\n1\n\n%ISIZE%\n1\n\n\
                     %SHA256SUM%\n{hash}\n\n%ARCH%\nany\n\n{needs}"
                )
            };
            let mut list = tar::Builder::new(Vec::new());
            put(&mut list, "web-1:1.0-1/desc", 0o644, Some(&entry("web", file, "%DEPENDS%\nneeded\n\n")));
            put(&mut list, "needed-1:1.0-1/desc", 0o644, Some(&entry("needed", "needed.pkg.tar", "")));
            std::fs::write(at("db/sync/t.db"), list.into_inner().expect("can be written")).expect("can be written");
        };
        list(&hash);
        let places = Places { cache: at("cache"), sync: at("db/sync"), hooks: at("hooks") };
        let look = LocalLook::new(false);
        let contents = || contents_in(&places, &look, "web", "1:1.0-1").expect("can be asked");
        let read = contents().expect("is there");
        let shown: Vec<String> = read
            .entries
            .iter()
            .map(|packed| format!("{} {:o} {}", packed.path.display(), packed.mode, packed.group))
            .collect();
        assert_eq!(shown, ["/etc/web 750 http", "/etc/web/a b 640 http", "/usr/lib/tmpfiles.d/web.conf 644 http"]);
        assert!(read.has_scripts);
        // `pacman` would reject an archive that differs from the repository's.
        list("00");
        assert_eq!((contents(), contents_in(&places, &look, "web", "2").expect("can be asked")), (None, None));
        // Dependencies are reported.
        std::fs::write(at("db/local/ALPM_DB_VERSION"), "9\n").expect("can be written");
        let conf = "[options]\nArchitecture = auto\nSigLevel = Never\n[t]\nServer = file:///nonexistent\n";
        std::fs::write(at("pacman.conf"), conf).expect("can be written");
        let (config, database) = (at("pacman.conf").display().to_string(), at("db").display().to_string());
        let scope = ["--config", config.as_str(), "--dbpath", database.as_str()];
        let install = |name: &str| PackageChange::Install {
            packages: vec![crate::host::WantedPackage { name: name.into(), version: None, exact: false }],
            allow_downgrade: false,
            allow_untrusted: false,
        };
        let answer = effects_in(&scope, &[install("web")]).expect("can be asked").expect("has an answer");
        let answer: Vec<_> = answer.into_iter().map(|effect| (effect.name, effect.from, effect.to)).collect();
        let comes = |name: &str| (name.to_owned(), None, Some("1:1.0-1".to_owned()));
        assert_eq!(answer, [comes("needed"), comes("web")]);
        assert!(matches!(effects_in(&scope, &[install("nosuch")]), Err(HostError::Refused(_))));
    }
}
