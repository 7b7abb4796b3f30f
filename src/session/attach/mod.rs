//! An applier in a process of its own, and the line between it and a face.
//!
//! A live run, or an undo, should not end in the middle because a terminal did. So a face starts this program once more, in a session
//! of its own, hands it an order ([`Asked`]: the graph, what was approved, where the history lies), and drives it
//! from then on by the same [`Request`](crate::engine::message::Request)s and
//! [`Event`](crate::engine::message::Event)s that a run on a thread takes and tells, as lines of JSON. The applier holds
//! the lock and writes the journal; the face only asks.
//!
//! When the line breaks, because the face was killed or its terminal went, the applier does the turns that are at work to
//! their end and then parks: nothing new is begun while nobody watches, also where it was told to go on. It listens on a
//! socket in the state folder. Who comes there is told all that happened so far and drives from then on; one face at a
//! time, and only the same user or root. A run that did nothing yet, or is at its end, has nothing to park and ends.
//!
//! Also where something failed: while somebody drives, what failed at the end can be tried again, and the deploy is open for as long as
//! they do not end it. Without anybody it ends with the tally that it has, for an applier that waits holds the lock; what failed is
//! planned anew by whoever comes. One that was asked to try it again, and left then, is in the middle of its run and parks.
//!
//! Accepted: `{"Ask":{"request":{"request":"step"}}}` from the one who drives. Rejected, by closing the line: a line that
//! is no such object or longer than a request can be, anything before a `Hello`, and everybody whom the kernel calls
//! another user. Deliberately absent: anything that a stranger could make the applier do but end.

use std::time::Duration;

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
pub(super) use order::{Asked, Order, UndoOrder, Where, Work};

pub use handoff::take_over;
pub use link::{AttachError, Attached, attach, look_in};
pub use serve::{COMMAND, serve};
pub(super) use wire::ASKED_CAP;
pub use wire::{Guest, Standing};

/// A face that drives a live run and hears nothing from its user for so long leaves it: who is at work keeps all others out.
pub const LEFT_ALONE: Duration = Duration::from_secs(15 * 60);
