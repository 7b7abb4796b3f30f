//! Bundles: a program with its modules and files in one archive that can be copied, validated and stored.
//!
//! A bundle is a gzipped tar that identifies itself in its first bytes. It holds `manifest.toml` and then exactly the
//! files of the manifest, in its order, each with its size and SHA-256. Nothing depends on the time, place or user, so
//! the same inputs give the same bytes. There is one way to write each entry. Any other form is refused.
//!
//! Input: files, from `session`, which knows what the compiler used. Output: an [`OpenBundle`]. The whole bundle is
//! validated before its first byte is written: signature, limits, names, hashes, expiry, and a counter that never
//! decreases. The unpacked files are stored in the state folder by hash, checked again on each use, and removed when
//! unused for long.
//!
//! A bundle's hash is that of its manifest, which holds the hashes of all files. Approvals refer to it. Deliberately
//! absent: signing. `minisign -Sm FILE` makes the signature file next to a bundle.

mod archive;
mod counter;
mod error;
mod kept;
mod manifest;
mod signature;
mod unpacked;

pub use archive::{is_bundle, read_manifest, write_bundle};
pub use counter::remember_counter;
pub use error::BundleError;
pub use kept::{OpenBundle, open_bundle, read_file, signer};
pub use manifest::{Content, FileLine, Manifest};
pub use signature::{Signer, signature_path};
pub use unpacked::{FolderLock, is_unpacked, prune_unpacked};
