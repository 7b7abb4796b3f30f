//! A run over a graph on a host. Faces and engine exchange only messages.
//!
//! [`Run`] advances by [`message::Request`]s, takes exactly one turn per `Step`, and tells everything by
//! [`message::Event`]s. The next turn is the first declared of all that wait for nothing, so two runs of one graph take the
//! same order. A preview is the same run on an overlay host.
//! Deliberately absent: threads and pauses of faces (`session`), and how any kind works (`resource`).

pub mod message;

mod links;
mod preview;
mod run;
mod state;
mod turn;

pub use preview::preview;
pub use run::{Options, Run};
