//! Syntax alone: the entry's own file as a tree, printed.

use super::{Session, job, panicked};
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl::scope;
use crate::lang::mcl::tree::tree;
use crate::source::Sources;
use crate::world::{Cancel, Stop};

/// How a tree is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// One line for each node.
    Text,
    Json,
}

/// The tree of one file, printed; empty where it has errors.
#[derive(Debug)]
pub struct Parsed {
    pub tree: String,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
}

impl Session {
    /// Reads the entry's syntax, without what it imports.
    pub fn parse(&self, form: TreeForm) -> Parsed {
        // Printed on the deep stack too: a tree is as deep as its text.
        job::run(|| self.parse_here(form)).unwrap_or_else(|bug| Parsed {
            tree: String::new(),
            sources: Sources::default(),
            diagnostics: panicked(&bug, Stage::Parse),
        })
    }

    fn parse_here(&self, form: TreeForm) -> Parsed {
        let mut diagnostics = Diagnostics::new(Stage::Parse);
        let stop = Stop::new(Cancel::default(), self.options.limits.duration());
        let program = scope::load(&*self.world, &self.entry, &stop, &mut diagnostics);
        let root = program.files.first().filter(|_| !diagnostics.has_errors());
        let printed = root.map(|file| {
            let root = tree(&program.ast, &file.tree);
            match form {
                TreeForm::Text => root.to_text(&program.sources),
                TreeForm::Json => format!("{}\n", root.to_json(&program.sources)),
            }
        });
        Parsed { tree: printed.unwrap_or_default(), sources: program.sources, diagnostics }
    }
}
