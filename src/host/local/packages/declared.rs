//! The accounts and files that packages declare in files for systemd's programs, which create them at installation.

use crate::host::{FileKind, Packed};

/// The folders of files that declare accounts, and of files that declare files.
const FOLDERS: [&str; 2] = ["/usr/lib/sysusers.d", "/usr/lib/tmpfiles.d"];

/// Whether a file of a package declares accounts or files.
pub(super) fn declares(packed: &Packed) -> bool {
    packed.kind != FileKind::Dir && FOLDERS.iter().any(|folder| packed.path.starts_with(folder))
}
