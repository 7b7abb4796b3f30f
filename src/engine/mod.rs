//! A run over a graph on a host. Faces and engine exchange only messages.
//!
//! [`Run`] advances by [`message::Request`]s, takes exactly one turn per `Step`, and reports everything as
//! [`message::Event`]s. The next turn is the first declared one that waits for nothing, so two dry runs of a graph take
//! the same order. In a live run, `Continue` and `Finish` take turns concurrently along the graph. They begin in that
//! same order, and each is reported when it ends. None after a place where the run may stop begins before all earlier
//! ones are finished. When the run waits there, it predicts the next step again if the plan could not. A preview is the
//! same run on an overlay host. Deliberately absent: threads and pauses of faces (`session`), and how any kind works
//! (`resource`).

pub mod message;
pub mod run_view;

mod footprints;
mod predict;
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
pub use preview::{look_again, preview, preview_both, preview_of};
pub use run::{Options, Run, amendment};
pub use watching::{Watching, takers, watching};
