//! The options of a compilation: the user's choices for the program, and the limits of this run.

use std::path::PathBuf;

use super::{Choices, Limits};
use crate::diag::Stage;
use crate::graph::Draft;
use crate::world::{Cancel, Stop};

/// The input of a language besides the world and the entry.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Where imported modules may be, best first.
    pub module_path: Vec<PathBuf>,
    pub choices: Choices,
    pub run: RunLimits,
}

impl CompileOptions {
    /// Stops this compilation from outside.
    pub fn stop(&self) -> Stop {
        Stop::new(self.run.cancel.clone(), self.run.limits.duration()).last(self.run.is_last)
    }
}

/// The stages and limits of one run. A bundle or another process does not get these.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// The last stage to run; see [`Stage`] for the order of each language's stages.
    pub until: Stage,
    /// Set from outside to end the work.
    pub cancel: Cancel,
    pub limits: Limits,
    /// The process ends after this: the compilation need not free its memory.
    pub is_last: bool,
    /// Receives the graph before it is complete.
    pub draft: Draft,
}

impl RunLimits {
    /// Makes limits for a compilation up to a stage, with the default limits.
    pub fn until(until: Stage) -> Self {
        let (cancel, limits, draft) = Default::default();
        Self { until, cancel, limits, is_last: false, draft }
    }
}
