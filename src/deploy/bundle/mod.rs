//! Bundles: a program with its modules and files in one archive that can be carried, judged, and kept here.
//!
//! A bundle is a gzipped tar that says what it is in its first bytes: `manifest.toml`, then exactly the files that this
//! lists, in its order, each with its size and SHA-256. Nothing depends on when, where or by whom it was made, so the same
//! inputs are the same bytes; and there is one way to write each entry, so whatever is written otherwise is refused.
//!
//! Comes in: files, from `session`, which knows what the compiler used. Goes out: an [`OpenBundle`], which was judged whole
//! before its first byte was written: signature, limits, names, hashes, expiry, and a counter that never goes back. What
//! was judged is kept in the state folder by its hash, judged again whenever it is used, and removed when it is not for long.
//!
//! A bundle's hash is that of its manifest, which holds those of all files. It is what an approval is given for.
//! Deliberately absent: signing. `minisign -Sm FILE` makes the signature that lies beside a bundle.

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
pub use unpacked::{Held, is_unpacked, prune_unpacked};
