//! The user's limits for one compilation.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::diag::{Code, Diagnostic, nearest};
use crate::source::Span;
use crate::world::Stopped;

/// The defaults are far above the needs of honest programs, and far below what hurts a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Steps of evaluation; unification takes a quarter of it.
    pub steps: u64,
    /// How many values may wait for one another.
    pub depth: u64,
    /// MiB of created values and frames, approximately, freed or not.
    pub memory: u64,
    /// Resources and edges declared.
    pub resources: u64,
    /// Seconds from the first file to the graph; 0 is no limit.
    pub time: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20_000_000, depth: 2_000_000, memory: 128, resources: 500_000, time: 60 }
    }
}

/// Every limit, with what it counts.
pub const LIMITS: [(&str, &str); 5] = [
    ("steps", "steps of evaluation"),
    ("depth", "values that wait for one another"),
    ("memory", "MiB of values"),
    ("resources", "resources and edges"),
    ("time", "seconds to compile, 0 for no end"),
];

impl Limits {
    /// Sets one limit from text, `steps=1000`; `Err` has the problem.
    pub fn set(&mut self, written: &str) -> Result<(), String> {
        let (name, value) =
            written.split_once('=').ok_or_else(|| format!("`{written}` is not of the form NAME=NUMBER"))?;
        let (name, value) = (name.trim(), value.trim());
        let Some(limit) = self.limit(name) else {
            let names = LIMITS.map(|(name, _)| name);
            return Err(match nearest(name, names) {
                Some(near) => format!("unknown limit `{name}`; did you mean `{near}`?"),
                None => format!("unknown limit `{name}`; the limits are: {}", names.join(", ")),
            });
        };
        *limit = match value.replace('_', "").parse() {
            Ok(0) if name != "time" => return Err(format!("`{name}` is 1 at least")),
            Ok(number) => number,
            Err(_) => return Err(format!("`{value}` is not a whole number; for example `{name}=1000`")),
        };
        Ok(())
    }

    /// Returns one limit; 0 for an unknown name.
    pub fn get(&self, name: &str) -> u64 {
        self.clone().limit(name).copied().unwrap_or_default()
    }

    fn limit(&mut self, name: &str) -> Option<&mut u64> {
        Some(match name {
            "steps" => &mut self.steps,
            "depth" => &mut self.depth,
            "memory" => &mut self.memory,
            "resources" => &mut self.resources,
            "time" => &mut self.time,
            _ => return None,
        })
    }

    /// Returns the time limit; `None` if there is none.
    pub fn duration(&self) -> Option<Duration> {
        (self.time > 0).then(|| Duration::from_secs(self.time))
    }
}

/// Reports that a compilation was stopped, with its place.
pub fn stopped(why: Stopped, at: Span) -> Diagnostic {
    match why {
        Stopped::Cancelled => Diagnostic::error(Code::Cancelled, at).label("stopped here"),
        Stopped::OutOfTime(time) => Diagnostic::error(Code::OutOfTime, at)
            .label(format!("compilation took more than {} s", time.as_secs()))
            .help("simplify the program, or raise the limit: `--limit time=SECONDS`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMITS, Limits};

    #[test]
    fn every_limit_can_be_set_and_wrong_ones_are_named() {
        for (name, _) in LIMITS {
            let mut limits = Limits::default();
            limits.set(&format!("{name}=1_001")).expect("it is there");
            assert_ne!(limits, Limits::default());
        }
        let wrong = |written: &str| Limits::default().set(written).expect_err(written);
        assert!(wrong("step=1").contains("did you mean `steps`"));
        assert!(wrong("steps").contains("NAME=NUMBER"));
        assert!(wrong("steps=0").contains("at least"));
        assert!(wrong("memory=1.5").contains("whole number"));
    }
}
