//! Equal texts share one allocation.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::graph::{Params, Value};

/// The texts that are shared.
#[derive(Debug, Default)]
pub struct Texts(FxHashSet<Arc<str>>);

impl Texts {
    /// Longer values seldom repeat.
    const SHORT: usize = 16;

    pub fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }

    /// Shares the names and the short values of parameters.
    pub fn share_params(&mut self, params: &mut Params) {
        for (name, value) in params.iter_mut() {
            *name = self.share(name);
            match value {
                Value::Str(text) if text.len() <= Self::SHORT => *text = self.share(text),
                _ => {}
            }
        }
    }
}
