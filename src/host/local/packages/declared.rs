//! What packages declare to be made when they come: accounts and files, which systemd's programs make for them.

use crate::host::{FileKind, Packed};

/// Where the files lie that declare accounts, and those that declare files.
const FOLDERS: [&str; 2] = ["/usr/lib/sysusers.d", "/usr/lib/tmpfiles.d"];

/// Whether a file of a package declares accounts or files.
pub(super) fn declares(packed: &Packed) -> bool {
    packed.kind != FileKind::Dir && FOLDERS.iter().any(|folder| packed.path.starts_with(folder))
}
