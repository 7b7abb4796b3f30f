//! What packages declare to be made when they come: accounts and files, which systemd's programs make for them.

use std::path::Path;

use crate::host::{FileKind, Packed, Scripts};

/// Where files make accounts that lie there, and others make files.
const ACCOUNTS: &str = "/usr/lib/sysusers.d";
pub(super) const FILES: &str = "/usr/lib/tmpfiles.d";

/// Whether a file declares accounts.
pub(super) fn is_account(packed: &Packed) -> bool {
    packed.kind != FileKind::Dir && packed.path.starts_with(ACCOUNTS)
}

/// Whether a file declares files.
pub(super) fn is_file(packed: &Packed) -> bool {
    packed.kind != FileKind::Dir && packed.path.starts_with(FILES)
}

/// What a file declares to be made or changed. Source: `tmpfiles.d(5)`.
pub(super) fn files(text: &str) -> Scripts {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut scripts = Scripts::default();
    for path in lines.filter_map(|line| line.split_whitespace().nth(1)) {
        // What is not known before begins with a per cent sign, and patterns stand for names.
        let known = path.split(['%', '*', '?', '[', '"', '\\']).next().unwrap_or_default();
        let known =
            if known.len() < path.len() { known.rsplit_once('/').map_or("", |(folder, _)| folder) } else { known };
        if !known.starts_with('/') || known.contains("/../") {
            return Scripts::anything();
        }
        scripts.trees.insert(Path::new(known).components().collect());
    }
    scripts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_files_declare_is_told() {
        let scripts = files("# a\nd /run/x 0755 root root\nf+ /etc/x.d/%b - - - -\n\nr! /tmp/x*\n");
        let trees: Vec<&str> = scripts.trees.iter().filter_map(|path| path.to_str()).collect();
        assert_eq!((scripts.any, trees), (false, vec!["/etc/x.d", "/run/x", "/tmp"]));
        assert!(files("d relative").any && files("d %t/x").any);
    }
}
