//! Writes stored in memory over a read-only machine, so that later turns see the effects of earlier ones.
//!
//! The layer holds an entry for each changed path, by the path without links in its folders. A tombstone hides the
//! machine's files below it. Each turn logs what it replaced, so that it can be undone exactly. *Accepted*: a file in a
//! folder that an earlier turn would make. *Unknown*: the same below a path that an unknown step may make, because
//! "missing" would be a guess. An answer leans on an earlier turn if the effects of that turn are uncertain: because
//! that turn leaned itself, or because a package or a command has undeclared effects. An exact consequence of the
//! machine's state and of turns that do not lean is as certain as the machine's state.

mod act;
mod layer;
mod look;
mod packages;
mod place;
mod system;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{Act, ActCommands, Command, Host, HostError, Look, LookCommands, Operation, Output, PackageChange, Within};
use layer::{Layer, Replaced};

/// A machine that predicts.
pub struct Overlay {
    base: Arc<dyn Look>,
    layer: Mutex<Layer>,
}

impl Overlay {
    /// Makes an empty layer over a machine.
    pub fn new(base: Arc<dyn Look>) -> Self {
        Self { base, layer: Mutex::default() }
    }

    fn layer(&self) -> MutexGuard<'_, Layer> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Overlay {
    fn turn(&self) -> Box<dyn Act + '_> {
        self.layer().turns.push(Replaced::default());
        Box::new(OverlayTurn {
            overlay: self,
            leaned: AtomicBool::new(false),
            scripts: OnceLock::new(),
            predicted: Mutex::default(),
        })
    }

    fn expect(&self, changes: Vec<PackageChange>) {
        self.base.expect(changes);
    }

    fn is_dry(&self) -> bool {
        true
    }

    fn turns(&self) -> usize {
        self.layer().turns.len()
    }

    fn back_to(&self, turns: usize) -> bool {
        let mut layer = self.layer();
        while layer.turns.len() > turns {
            let turn = layer.turns.pop().unwrap_or_default();
            if let Some(system) = turn.system {
                layer.system = system;
            }
            for (path, before, was_guess) in turn.entries.into_iter().rev() {
                match was_guess {
                    true => layer.guesses.insert(path.clone()),
                    false => layer.guesses.remove(&path),
                };
                match before {
                    Some(entry) => layer.entries.insert(path, entry),
                    None => layer.entries.remove(&path),
                };
            }
        }
        layer.folders.clear();
        true
    }
}

/// The overlay during one turn.
struct OverlayTurn<'a> {
    overlay: &'a Overlay,
    leaned: AtomicBool,
    /// The first package whose scripts an answer depended on.
    scripts: OnceLock<String>,
    predicted: Mutex<Option<packages::Predicted>>,
}

impl OverlayTurn<'_> {
    fn base(&self) -> &dyn Look {
        &*self.overlay.base
    }

    /// Marks an answer as dependent on uncertain state.
    fn lean(&self) {
        self.leaned.store(true, Ordering::Relaxed);
    }

    fn lean_if(&self, guess: bool) {
        if guess {
            self.lean();
        }
    }

    /// Marks an answer as dependent on the maintainer scripts of a package.
    fn lean_on_scripts(&self, package: Option<&str>) {
        if let Some(package) = package {
            self.lean();
            self.scripts.get_or_init(|| package.to_owned());
        }
    }
}

impl crate::host::LookWeb for OverlayTurn<'_> {}

impl LookCommands for OverlayTurn<'_> {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        // The guard sees the machine as it is now, without the predicted changes of earlier turns.
        if !self.overlay.layer().entries.is_empty() {
            self.lean();
        }
        self.base().probe(command)
    }
}

impl ActCommands for OverlayTurn<'_> {
    fn run(&self, _command: &Command) -> Result<Option<Output>, HostError> {
        Ok(None)
    }
}

impl Act for OverlayTurn<'_> {
    fn perform_within(&self, operation: &Operation, within: &Within) -> Result<Vec<String>, HostError> {
        self.write(operation, within)
    }

    fn may_create(&self, path: &Path) {
        self.create_unknown(path);
    }

    fn leaned(&self) -> bool {
        self.leaned.load(Ordering::Relaxed)
    }

    fn scripting_package(&self) -> Option<String> {
        self.scripts.get().cloned()
    }

    fn predicts(&self) -> bool {
        true
    }

    fn assume(&self) {
        self.lean();
    }
}
