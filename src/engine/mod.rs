//! A run over a graph on a host. Faces and engine exchange only messages.
//!
//! [`Run`] advances by [`message::Request`]s, takes exactly one turn per `Step`, and tells everything by
//! [`message::Event`]s. The next turn is the first declared of all that wait for nothing, so two dry runs of one graph take
//! the same order. On a machine that is acted on, `Continue` and `Finish` take turns side by side along the graph: begun in
//! that same order, told as each ends, and none behind a place where it may stop before all ahead of that are over. Where it
//! waits there, what is next is looked at once more if the plan could not tell it. A preview is the same run on an overlay host.
//! Deliberately absent: threads and pauses of faces (`session`), and how any kind works (`resource`).

pub mod message;

mod footprints;
mod foresee;
mod gate;
mod links;
mod meta;
mod preview;
mod run;
mod semas;
mod side_by_side;
mod state;
mod turn;
mod watching;

pub use meta::Tries;
pub use preview::{look_again, preview, preview_of};
pub use run::{Options, Run, amendment};
pub use watching::{Watching, takers, watching};
