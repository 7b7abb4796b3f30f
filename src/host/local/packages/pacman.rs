//! Arch's packages, through `pacman`. It offers one version of each package only.

use std::path::PathBuf;

use super::run;
use crate::host::local::tool;
use crate::host::{HostError, Installed, PackageChange, Within};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    installed_in(&[], name)
}

/// `scope`: options that lead to another machine's folder, for tests.
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

/// Reads `pacman -Si`: fields with a colon.
fn version(lines: &[String]) -> Option<String> {
    let field = |line: &String| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "Version").then(|| value.trim().to_owned())
    };
    lines.iter().find_map(field)
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let args: &[&str] = match change {
        PackageChange::Remove { .. } => &["-R", "--noconfirm", "--"],
        PackageChange::Install { .. } => &["-S", "--noconfirm", "--needed", "--"],
    };
    // A version cannot be asked for; the kind has refused any but the one that is offered.
    let names: Vec<String> = change.names().into_iter().map(str::to_owned).collect();
    run("pacman", args, &names, &[], within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pacman_tells_is_read() {
        let lines: Vec<String> = "Repository : extra\nVersion         : 2:1.2-1\n".lines().map(str::to_owned).collect();
        assert_eq!(version(&lines), Some("2:1.2-1".into()));
        assert_eq!(version(&[]), None);
    }

    /// With the real tool, on a database in a folder.
    #[test]
    fn a_real_database_is_asked() {
        if !tool::has("pacman") {
            return println!("skipped: pacman is not installed");
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
}
