//! The journal under the host: before each operation, its intent and the state before it are durable.
//!
//! [`Journalled`] is this machine with a [`Journal`]. For each operation it takes the before-image through the folder
//! handle that the write will use, appends an intent, waits until it is durable, acts, and appends the final image.
//! Concurrent turns share one sync. A batch of turns does each stage at once for all. For turns in sequence, the
//! preparations (intents and contents) are written at once for all.
//!
//! A failed operation also records its final image if that changed, so that an undo can restore it. If another program
//! changes the path between the before-image and the operation, the operation fails.
//!
//! Tests with these names check: (I1) no write without a durable intent; (I2) a managed file is always old or new; (I3)
//! the valid prefix of a journal is enough to resume or undo; (I7) no acknowledged entry is ever lost. *Accepted*:
//! losing the entry `done` in a crash, because the operation is recognised by hash. *Rejected*: one entry after the
//! operation. A crash between the two would lose the before-image too. Deliberately absent: where journals are stored
//! and which of them count (`deploy`).

mod batch;
mod blob;
mod operation;
mod frame;
mod host;
mod image;
mod inverse;
mod log;
mod record;
mod text;

pub use batch::UndoTarget;
pub use blob::{Blobs, Digest, Keep};
pub use frame::{Fault, Hash, Scan, scan};
pub use host::{Journalled, foretell, look};
pub use image::{Attributes, Content, Depth, Entry, Image, Tree, set_xattrs};
pub use inverse::{Inverse, UndoAction};
pub use log::{Journal, UNREADABLE, ends, has_entries, read, records, sync_folder};
pub use operation::LoggedOperation;
pub use record::{
    Amended, Begin, Completion, End, Ending, Failure, Intent, Module, Outcome, Prediction, Purpose, Record, Sums,
    Undone,
};
