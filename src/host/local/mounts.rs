//! Mounts of this machine: read from the kernel's table, changed by `mount` and `umount`, which read the mount table.

use std::path::Path;

use super::{LocalLook, tool};
use crate::host::{HostError, LookFiles, MountChange, Mounted, Within};

pub(super) fn read(look: &LocalLook) -> Result<Vec<Mounted>, HostError> {
    let text = look.read(Path::new("/proc/self/mountinfo"))?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&text).lines().filter_map(mounted).collect())
}

/// Parses a line of the kernel's table: fields, a dash, then type, device and the options of the whole file system.
fn mounted(line: &str) -> Option<Mounted> {
    let (fields, rest) = line.split_once(" - ")?;
    let fields: Vec<&str> = fields.split(' ').collect();
    let rest: Vec<&str> = rest.split(' ').collect();
    let options = fields.get(5)?.split(',').chain(rest.get(2).copied().unwrap_or_default().split(','));
    let mut options: Vec<String> = options.filter(|option| !option.is_empty()).map(str::to_owned).collect();
    options.sort_unstable();
    options.dedup();
    // A read-only mount of a writable file system is read-only.
    if options.iter().any(|option| option == "ro") {
        options.retain(|option| option != "rw");
    }
    Some(Mounted {
        device: unescaped(rest.get(1)?),
        target: unescaped(fields.get(4)?),
        kind: (*rest.first()?).to_owned(),
        options,
    })
}

/// Blanks and backslashes are written as three octal digits.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                bytes.push(byte);
                rest = &others[3..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn change(change: &MountChange, within: &Within) -> Result<(), HostError> {
    let (program, args): (_, &[&str]) = match change {
        MountChange::Mount(Mounted { target, .. }) => ("mount", &["--", target]),
        MountChange::Remount(Mounted { target, .. }) => ("mount", &["-o", "remount", "--", target]),
        MountChange::Unmount { target } => ("umount", &["--", target]),
    };
    if !tool::has(program) {
        return Err(HostError::NoManager { what: "tool to mount", why: format!("`{program}` is missing") });
    }
    tool::change(program, args, &[], within).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel_are_read() {
        let line = r"36 35 98:0 /root /mnt/a\040b ro,noatime master:1 - ext4 /dev/sda1 rw,errors=continue";
        let mounted = mounted(line).expect("is a mount");
        assert_eq!((mounted.target.as_str(), mounted.device.as_str()), ("/mnt/a b", "/dev/sda1"));
        assert_eq!(mounted.options, ["errors=continue", "noatime", "ro"]);
        assert!(super::mounted("").is_none() && super::mounted("1 2 3 - ").is_none());
    }
}
