//! The journal under the host: what is about to be done is durable before it is done, with what was there before.
//!
//! [`Journalled`] is this machine with a [`Journal`]. For each operation it takes the before-image through the folder
//! handle that the write will use, appends an intent, waits until that is durable, acts, and appends what lies there
//! then. Turns that wait at the same time share one sync; turns that are taken together do each of these at once for all.
//! Of turns that follow one another, what changes nothing yet is done at once for all: their intents and contents.
//!
//! A deed that fails tells what it left all the same, if anything, so that an undo takes that back. What somebody changed
//! between the before-image and the deed is nobody's to replace: the deed fails.
//!
//! Held by tests of these names: (I1) no write without a durable intent; (I2) a managed file is always old or new; (I3)
//! the valid prefix of a journal is enough to resume or undo; (I7) no entry that was acknowledged is ever lost.
//! *Accepted*: losing the entry `done` in a crash, since the deed is recognised by hash. *Rejected*: one entry after the
//! deed, which a crash between the two would lose together with the before-image.
//! Deliberately absent: where journals lie and which of them count (`deploy`).

mod batch;
mod blob;
mod deed;
mod frame;
mod host;
mod image;
mod inverse;
mod log;
mod look;
mod record;
mod text;

pub use batch::TakenBack;
pub use blob::{Blobs, Digest, Keep};
pub use deed::Deed;
pub use frame::{Fault, Hash, Scan, scan};
pub use host::{Journalled, foretell, look};
pub use image::{Attributes, Content, Depth, Entry, Image, Tree, set_xattrs};
pub use inverse::{Back, Inverse};
pub use log::{Journal, UNREADABLE, ends, has_entries, read, records, sync_folder};
pub use record::{
    Amended, Begin, End, Ending, Failure, Foretold, Intent, Module, Outcome, Purpose, Record, Settled, Sums, Undone,
};
pub use text::hex;
