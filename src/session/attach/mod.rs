//! An applier in a separate process, and its connection to a face.
//!
//! A live run or an undo must not end in the middle because a terminal closed. Therefore a face starts this program
//! again in a separate session, sends it an order ([`ApplierRequest`]: the graph, the approved steps, the history folder), and
//! drives it from then on with the same [`Request`](crate::engine::message::Request)s and
//! [`Event`](crate::engine::message::Event)s as a run on a thread, as lines of JSON. The applier holds the lock and
//! writes the journal. The face only sends requests.
//!
//! When the connection breaks, because the face was killed or its terminal closed, the applier finishes the current
//! turns and detaches: no new turn begins without a face, even during a `Continue`. It listens on a socket in the state
//! folder. A face that attaches receives all events so far and then drives. Only one face drives at a time, and only
//! the same user or root may attach. A run that did nothing yet, or is at its end, ends instead of detaching.
//!
//! Failures: while a face drives, failed resources can be retried at the end, and the deploy stays open until the face
//! ends it. Without a face the deploy ends with its present results, because a waiting applier holds the lock. The next
//! plan includes the failed resources. If the face leaves during a retry, the run is not at its end and detaches.
//!
//! Accepted: `{"Ask":{"request":{"request":"step"}}}` from the driver. Rejected, by closing the connection: a line of
//! another form or beyond the size limit, anything before a `Hello`, and every other user according to the kernel.
//! Deliberately absent: anything that another user could make the applier do, except end.

use std::time::Duration;

pub(super) mod applier;
pub(super) mod keeper;
pub(super) mod stepper;
pub mod undo;
pub(super) mod amend;
pub(super) mod resume;
pub(super) mod interrupt;
mod events;
mod guests;
mod handoff;
mod link;
mod order;
mod peer;
mod serve;
mod wire;

pub(super) use handoff::{cut_off_of_root, start_as_root};
pub(super) use link::{Link, Started, start};
pub(super) use order::{ApplierRequest, Order, UndoOrder, Where, Work};

pub use handoff::take_over;
pub use link::{AttachError, Attached, attach, look_in};
pub use serve::{COMMAND, serve};
pub(super) use wire::ASKED_CAP;
pub use wire::{ApplierStatus, Guest};

/// A face that drives a live run leaves it after this time without user input, because the run keeps all other appliers
/// out.
pub const LEFT_ALONE: Duration = Duration::from_secs(15 * 60);
