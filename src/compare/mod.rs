//! Compares programs without a machine: two graphs of one language, the same over many nodes, and footprints of steps.
//!
//! Input: graphs, plans and diagnostics of both sides. Output: plain data (`Difference`, `FindingAt`, `Comparison`) that
//! faces print. A change of a resource is one row for each parameter, edge or container. Over many nodes each distinct
//! row is listed once with its nodes, so the output grows with the changes and not with the nodes. *Accepted as equal*:
//! an array of one and its item, a number and its text, the content of an absent file. *Not equal*: two arrays in
//! another order, which some resources act on. Deliberately absent: opening sides and compiling (`session`).

mod edges;
mod fault;
mod graphs;
mod json;
mod meaning;
mod missing;
mod names;
mod nodes;
pub mod report;
mod steps;
mod values;

pub use edges::comes_after;
pub use fault::Fault;
pub use graphs::{Difference, What, differences, is_same_mode, unknown_on_both};
pub use meaning::{Meaning, Runs, Unknown, Verdict, judge};
pub use missing::{Missing, missing_edges};
pub use names::ranges;
pub use nodes::{Collector, Comparison, Finding, FindingAt, Outcome};
pub use steps::{Turn, compare_turns};
pub use values::{changed_lines, is_same};
