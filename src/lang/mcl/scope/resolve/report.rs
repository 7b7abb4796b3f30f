//! Reports errors in the order in which a reader can fix them.

use rustc_hash::FxHashSet;

use super::Resolver;
use crate::diag::{Diagnostic, Diagnostics};

impl Resolver<'_> {
    /// Reports errors: imported files first, then recursion, then names, then the included classes.
    pub(super) fn report(&self, unit: usize, diags: &mut Diagnostics) {
        let mut cycles = self.references.cycles(self.declarations);
        let mut done = FxHashSet::default();
        self.report_unit(unit, &mut cycles, &mut done, diags);
        cycles.into_iter().for_each(|cycle| diags.push(cycle));
    }

    fn report_unit(
        &self,
        unit: usize,
        cycles: &mut Vec<Diagnostic>,
        done: &mut FxHashSet<usize>,
        diags: &mut Diagnostics,
    ) {
        let mut todo = vec![unit];
        while let Some(unit) = todo.pop() {
            if !done.insert(unit) {
                continue;
            }
            // Imports nest no deeper than `IMPORT_DEPTH`.
            for file in &self.units[unit].files {
                self.report_unit(*file, cycles, done, diags);
            }
            self.units[unit].early.iter().for_each(|d| diags.push(d.clone()));
            if let Some((file, _)) = self.file_units.iter().find(|(_, of)| *of == unit) {
                let id = self.files.loaded[*file].tree.file;
                let (mine, others) =
                    std::mem::take(cycles).into_iter().partition(|c| c.span.is_some_and(|s| s.file == id));
                *cycles = others;
                Vec::into_iter(mine).for_each(|cycle| diags.push(cycle));
            }
            self.units[unit].late.iter().for_each(|d| diags.push(d.clone()));
            todo.extend(self.units[unit].classes.iter().rev().filter_map(|class| self.class_units.get(class)));
        }
    }
}
