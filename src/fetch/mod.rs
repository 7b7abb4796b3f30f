//! Modules from git and from indexes of archives: fetched into the cache, judged, hashed, and put in place whole or not at
//! all.
//!
//! Comes in: the remote modules of a module tree, and where each may come from. Goes out: modules in the module path, and `workbench.lock`. A URL is
//! judged before anything happens ([`url`]); fetches run in processes of their own with limits ([`process`]); a tree is
//! judged before it is written ([`tree`]); what is written is put in place by renames ([`place`]), and modules that
//! are no longer imported are removed the same way ([`prune`]). [`homes`] finds the fetched module around a file.
//! Deliberately absent: what modules mean, and who asked for them (`session` walks the imports).

mod archive;
mod bring;
mod download;
mod error;
#[cfg(test)]
mod generated;
mod hash;
mod homes;
mod hosts;
mod index;
mod inside;
mod known;
mod lock;
mod login;
mod look;
mod many;
mod mark;
mod mirror;
mod permit;
mod place;
mod process;
mod prune;
mod refusal;
mod release;
mod review;
mod revision;
mod serve;
mod submodule;
#[expect(clippy::disallowed_methods, reason = "the network's settings come from this process's own environment")]
mod transport;
mod tree;
mod unpack;
mod url;
mod verify;

pub use download::{AskAnyTime, Download, FetchEvent, ImportPlace, NeededModule, Staged, Summary, Update, download};
pub use error::FetchError;
pub use hash::{Entry as HashedFile, Hex, TreeHash};
pub use homes::{Home, Homes};
pub use inside::Roots;
pub use known::{CachedLatest, remember, remembered};
pub use lock::{LOCK_FILE, Lock, LockError, Locked, nested};
pub use look::{Latest, Remote, remotes};
pub use mirror::{Progress, in_bytes};
pub use permit::{Permit, shapes, transports};
pub use process::{COMMAND, Fetched, Looked};
pub use prune::{Removal, Unused, prune, unused};
pub use refusal::{Refusal, Refused};
pub use review::{Review, Subject, review, short as short_commit};
pub use revision::{Revision, RevisionError};
pub use serve::serve;
pub use transport::{Login, Patience};
pub use tree::{Offence, TreeLimits, is_portable_name};
pub use url::{Allowed, GitUrl, Transport, UrlError};
pub use verify::{Verified, altered, found, place_of, real, verify};
