//! A cache of recent diffs, so that no frame repeats a comparison.

use std::sync::Arc;

use super::{AT_ONCE, Diff};

/// The size of the cache.
const KEPT: usize = 16;

#[derive(Debug)]
struct Made {
    texts: (Arc<str>, Arc<str>),
    diff: Option<Arc<Diff>>,
}

#[derive(Debug, Default)]
pub struct Cache {
    made: Vec<Made>,
    /// The texts that no worker compares yet.
    due: Vec<(Arc<str>, Arc<str>)>,
}

impl Cache {
    /// Makes sure that two texts are compared: at once, or by a worker.
    pub fn want(&mut self, from: &Arc<str>, to: &Arc<str>) {
        if self.position(from, to).is_some() {
            return;
        }
        if self.made.len() >= KEPT {
            self.made.remove(0);
        }
        let texts = (from.clone(), to.clone());
        let diff = if from.len().max(to.len()) > AT_ONCE {
            self.due.push(texts.clone());
            None
        } else {
            Some(Arc::new(Diff::new(from.clone(), to.clone())))
        };
        self.made.push(Made { texts, diff });
    }

    /// The texts for workers.
    pub fn take_due(&mut self) -> Vec<(Arc<str>, Arc<str>)> {
        std::mem::take(&mut self.due)
    }

    /// A worker has compared two texts.
    pub fn put(&mut self, diff: Arc<Diff>) {
        if let Some(at) = self.position(&diff.from.text, &diff.to.text) {
            self.made[at].diff = Some(diff);
        }
    }

    /// The diff of two texts, once it is ready.
    pub fn find(&self, from: &Arc<str>, to: &Arc<str>) -> Option<&Arc<Diff>> {
        self.made[self.position(from, to)?].diff.as_ref()
    }

    fn position(&self, from: &Arc<str>, to: &Arc<str>) -> Option<usize> {
        let is = |one: &Arc<str>, other: &Arc<str>| Arc::ptr_eq(one, other) || one == other;
        self.made.iter().rposition(|made| is(&made.texts.0, from) && is(&made.texts.1, to))
    }
}
