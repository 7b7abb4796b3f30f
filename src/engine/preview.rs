//! A dry run from begin to end: the run that an apply makes, on an overlay.

use std::sync::Arc;

use crate::graph::Graph;
use crate::host::{Look, Overlay};
use crate::plan::Plan;

use super::message::Event;
use super::{Options, Run};

/// What an apply would do, in order. Reads the machine through `look`, and cannot write to it.
pub fn preview(
    graph: Arc<Graph>,
    look: Arc<dyn Look>,
    entry: &str,
    options: Options,
    emit: &mut dyn FnMut(Event),
) -> Plan {
    let options = Options { one_way: true, ..options };
    let mut run = Run::new(graph, Box::new(Overlay::new(look)), options);
    run.run_to_end(emit);
    Plan::new(entry, run.into_steps())
}
