//! What a fetched Debian package holds, read from its archive before anything is unpacked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::apt::{FETCHED, LISTS};
use crate::host::local::{LocalLook, tool};
use crate::host::{Contents, FileKind, HostError, LookFiles, Packed, Scripts};

/// The scripts that run when a package comes, or a newer version of it.
const OWN: &[&str] = &["preinst", "postinst", "config", "prerm", "postrm"];

/// Those of the version that is here, which run when a newer one comes.
const OLD: &[&str] = &["prerm", "postrm"];

/// Whose generated parts of scripts only deal with the services that a package brings.
const SERVICES: &[&str] = &["dh_installsystemd", "dh_systemd_enable", "dh_systemd_start", "dh_installinit"];

/// What makes accounts or files when it is there, whoever reads it.
const DECLARED: &[&str] = &["/usr/lib/sysusers.d", "/usr/lib/tmpfiles.d"];

pub(super) fn contents(look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    let Some(archive) = archive(look, name, version)? else { return Ok(None) };
    let archive = archive.to_string_lossy();
    let listed = tool::ask_as_nobody("dpkg-deb", &["--contents", &archive], &[])?;
    let entries: Vec<Packed> = tool::lines(&listed).iter().filter_map(|line| packed(line)).collect();
    if !listed.succeeded() || entries.is_empty() {
        return Ok(None);
    }
    let mut scripts = if entries.iter().any(declares) { Scripts::Any } else { Scripts::None };
    for script in OWN {
        let output = tool::ask_as_nobody("dpkg-deb", &["--info", &archive, script], &[])?;
        // One that is not there is an error of the tool, and one that cannot be read would be one too: the list tells.
        if output.succeeded() {
            scripts = scripts.max(reach(&String::from_utf8_lossy(&output.stdout)));
        }
    }
    for script in OLD {
        let path = Path::new(LISTS).join(format!("{name}.{script}"));
        if look.stat(&path)?.is_some() {
            let text = look.read(&path)?.unwrap_or_default();
            scripts = scripts.max(reach(&String::from_utf8_lossy(&text)));
        }
    }
    Ok(Some(Contents { entries, scripts }))
}

fn declares(packed: &Packed) -> bool {
    packed.kind != FileKind::Dir && DECLARED.iter().any(|folder| packed.path.starts_with(folder))
}

/// The archive that the manager fetched of a version, if it is whole: then it takes that one.
fn archive(look: &LocalLook, name: &str, version: &str) -> Result<Option<PathBuf>, HostError> {
    let plain = name.split(':').next().unwrap_or(name);
    let begin = format!("{plain}_{}_", version.replace(':', "%3a"));
    if look.stat_target(Path::new(FETCHED))?.is_none() {
        return Ok(None);
    }
    let is_own = |file: &OsString| file.to_str().is_some_and(|file| file.starts_with(&begin) && file.ends_with(".deb"));
    // A folder that may not be listed tells nothing; of two architectures it is not known which is meant.
    let fetched: Vec<OsString> = look.list(Path::new(FETCHED)).unwrap_or_default().into_iter().filter(is_own).collect();
    let [only] = fetched.as_slice() else { return Ok(None) };
    let path = Path::new(FETCHED).join(only);
    let wanted = tool::ask_as_nobody("apt-cache", &["show", "--", &format!("{plain}={version}")], &[])?;
    let wanted: Vec<String> = tool::lines(&wanted);
    let Some(bytes) = look.read(&path)? else { return Ok(None) };
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(wanted.iter().any(|line| line.strip_prefix("SHA256: ") == Some(hash.as_str())).then_some(path))
}

/// How far a script reaches: no further than services where it is made of nothing but generated parts for them.
fn reach(script: &str) -> Scripts {
    let mut reach = Scripts::None;
    let mut is_inside = false;
    for line in script.lines().map(str::trim) {
        if let Some(by) = line.strip_prefix("# Automatically added by ") {
            let by = by.split('/').next().unwrap_or_default();
            if is_inside || !SERVICES.contains(&by) {
                return Scripts::Any;
            }
            (is_inside, reach) = (true, Scripts::Services);
        } else if line == "# End automatically added section" {
            is_inside = false;
        } else if !(is_inside || line.is_empty() || line.starts_with('#') || IDLE.contains(&line)) {
            return Scripts::Any;
        }
    }
    reach
}

/// Lines that do nothing.
const IDLE: &[&str] = &["set -e", "set -eu", "exit 0", ":"];

/// Reads a line such as `-rw-r--r-- root/root 26 2022-12-26 08:00 ./usr/bin/hello`; a link tells where it leads.
fn packed(line: &str) -> Option<Packed> {
    let mut words = line.split_whitespace();
    let (letters, owner, size) = (words.next()?, words.next()?, words.next()?);
    let path = &line[line.find(" ./")? + 1..];
    let (path, target) = match path.split_once(" -> ") {
        Some((path, target)) => (path, Some(PathBuf::from(target))),
        None => (path, None),
    };
    let path = path.strip_prefix('.')?.trim_end_matches('/');
    let (user, group) = owner.split_once('/')?;
    let kind = match letters.chars().next()? {
        'd' => FileKind::Dir,
        'l' => FileKind::Link,
        // The second name of a file is told with ` link to `, and is a file all the same.
        '-' | 'h' => FileKind::File,
        _ => FileKind::Other,
    };
    let path = path.split(" link to ").next().filter(|path| path.len() > 1)?.into();
    let (user, group) = (user.to_owned(), group.to_owned());
    Some(Packed { path, kind, mode: mode(letters)?, user, group, size: size.parse().ok()?, target })
}

/// Reads `rwxr-xr-x` behind the letter of the kind.
fn mode(letters: &str) -> Option<u32> {
    let letters: Vec<char> = letters.chars().skip(1).take(9).collect();
    let mut mode = 0;
    for (at, letter) in letters.iter().enumerate() {
        let (bit, special) = (1 << (8 - at), 0o4000 >> (at / 3));
        mode |= match letter {
            '-' => 0,
            'r' | 'w' | 'x' => bit,
            's' | 't' => bit | special,
            'S' | 'T' => special,
            _ => return None,
        };
    }
    (letters.len() == 9).then_some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_archive_holds_is_read() {
        let read = |line| packed(line).expect("is an entry");
        let dir = read("drwxr-xr-x root/root         0 2022-12-26 08:00 ./etc/web/");
        assert_eq!((dir.path, dir.kind, dir.mode), ("/etc/web".into(), FileKind::Dir, 0o755));
        let file = read("-rwsr-x--- root/ssl-cert  26936 2022-12-26 08:00 ./usr/bin/a b");
        assert_eq!((file.path, file.mode, file.size), ("/usr/bin/a b".into(), 0o4750, 26936));
        assert_eq!((file.user.as_str(), file.group.as_str()), ("root", "ssl-cert"));
        let link = read("lrwxrwxrwx root/root         0 2022-12-26 08:00 ./usr/bin/link -> ../hello");
        assert_eq!((link.kind, link.target), (FileKind::Link, Some("../hello".into())));
        assert_eq!(read("drwxrwxrwt root/root 0 2022-12-26 08:00 ./tmp/x/").mode, 0o1777);
        for broken in ["", "drwxr-xr-x root/root 0 2022-12-26 08:00 ./", "d root/root 0 d t ./x", "? ? ? ./", "a ./b"] {
            assert!(packed(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn generated_scripts_reach_no_further_than_services() {
        let part = |by: &str| {
            format!("# Automatically added by {by}/13.11.4\nsystemctl x\n# End automatically added section\n")
        };
        let script = |middle: &str| format!("#!/bin/sh\nset -e\n{middle}\nexit 0\n");
        assert_eq!(reach(&script("")), Scripts::None);
        assert_eq!(reach(&script(&part("dh_installsystemd"))), Scripts::Services);
        assert_eq!(reach(&script(&(part("dh_installsystemd") + &part("dh_installinit")))), Scripts::Services);
        assert_eq!(reach(&script(&part("dh_installsysusers"))), Scripts::Any);
        assert_eq!(reach(&script("adduser www")), Scripts::Any);
        assert_eq!(reach("#!/usr/bin/perl\nuse x;"), Scripts::Any);
    }
}
