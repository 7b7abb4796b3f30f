//! The source of a run that asks: where what failed is declared, and what an edit comes to.

use std::path::PathBuf;
use std::sync::Arc;

use super::drive::Drive;
use super::face::Face;
use crate::diag::{Severity, Stage};
use crate::engine::message::Request;
use crate::graph::delta::delta;
use crate::graph::{Graph, ResourceId};
use crate::plan::Step;
use crate::session::{Cancel, Edit, Edited, Keeping, Session, differing_lines, edited};

/// The source of a live run, for what failed to be edited.
pub struct Source<'a> {
    session: &'a Session,
    /// Where it is known who may act on this machine.
    keeping: Keeping,
}

/// What the source says now, beside what the run goes by.
pub enum Reread {
    /// It has errors, which were told.
    Broken,
    Same,
    /// What is wanted of the resource that failed differs.
    Within(Edit),
    /// That does not differ; what is wanted of others that failed does.
    Beside(Vec<ResourceId>),
    /// More differs: what, a line each.
    Otherwise(Vec<String>),
}

impl<'a> Source<'a> {
    /// Nothing where nobody can edit it: code that came as text, and a bundle.
    pub fn of(session: &'a Session, keeping: Keeping) -> Option<Self> {
        let is_editable = session.lies_at().is_some() && session.options().bundle.is_none();
        is_editable.then_some(Self { session, keeping })
    }

    /// The command line of the editor; nothing where none is set.
    pub fn editor(&self) -> Option<String> {
        crate::session::editor(self.session.options().config.editor())
    }

    /// Where a resource is declared, as the source is now; where that has errors, the first of them.
    pub fn place(&self, id: &ResourceId) -> Option<(PathBuf, u32)> {
        let compiled = self.session.compile(Stage::Eval, &Cancel::default());
        let mut errors = compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let place = match errors.find_map(|diagnostic| diagnostic.span) {
            Some(span) => compiled.sources.place(span),
            None => compiled.graph.resource(compiled.graph.find(id)?)?.source.clone()?,
        };
        let mut files = compiled.sources.iter().map(|(_, file)| file);
        let file = files.find(|file| *file.name == *place.file)?;
        Some((file.path.clone()?, place.line))
    }

    /// Reads it again, and tells what is wrong with it.
    pub fn read_again(&self, face: &Face, drive: &Drive, id: &ResourceId) -> Reread {
        let compiled = self.session.compile(Stage::Eval, &Cancel::default());
        face.compiled(&compiled);
        if compiled.diagnostics.has_errors() {
            return Reread::Broken;
        }
        let (goes_by, says) = (drive.graph(), self.session.ready(compiled.graph));
        let differing = delta(goes_by, &says);
        if differing.is_empty() {
            return Reread::Same;
        }
        match edited(goes_by, &says, &differing, |id| drive.all_failed().contains(id), id) {
            Edited::Within(edit) => Reread::Within(edit),
            Edited::Beside(others) => Reread::Beside(others),
            Edited::Otherwise => Reread::Otherwise(differing_lines(&differing)),
        }
    }

    /// What has the run want of a resource what a graph says of it.
    pub fn amend(&self, says: &Graph, id: &ResourceId, as_root: bool) -> Result<Request, String> {
        let keeping = Keeping { sudo: as_root, ..self.keeping.clone() };
        self.session.amend_request(says, id, &keeping)
    }

    /// What a resource would do now.
    pub fn look(&self, graph: &Arc<Graph>, id: &ResourceId) -> Option<Step> {
        let plan = self.session.preview_of(graph, &[id.clone()].into());
        plan.steps.into_iter().find(|step| step.resource == *id)
    }
}
