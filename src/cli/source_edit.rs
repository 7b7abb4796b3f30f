//! The source of a run that asks: finds a failed resource, and evaluates an edit.

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

/// The editable source of a live run.
pub struct Source<'a> {
    session: &'a Session,
    /// Has the approvals for this machine.
    keeping: Keeping,
}

/// The result of reading the source again, compared with the run's program.
pub enum Reread {
    /// It has errors, which are already reported.
    Broken,
    Same,
    /// Only the failed resource differs.
    Within(Edit),
    /// Only other failed resources differ.
    Beside(Vec<ResourceId>),
    /// More differs: one line per difference.
    More(Vec<String>),
}

impl<'a> Source<'a> {
    /// `None` if the source cannot be edited: code that was given as text, or a bundle.
    pub fn of(session: &'a Session, keeping: Keeping) -> Option<Self> {
        let is_editable = session.entry_path().is_some() && session.options().bundle.is_none();
        is_editable.then_some(Self { session, keeping })
    }

    /// The command line of the editor; `None` if none is set.
    pub fn editor(&self) -> Option<String> {
        crate::session::editor(self.session.options().config.editor())
    }

    /// Where a resource is declared in the current source; if that has errors, the place of the first one.
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

    /// Reads it again, and reports its errors.
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
        match edited(goes_by, &says, &differing, |id| drive.all_failed().contains(&id), id) {
            Edited::Within(edit) => Reread::Within(edit),
            Edited::Beside(others) => Reread::Beside(others),
            Edited::Otherwise => Reread::More(differing_lines(&differing)),
        }
    }

    /// The request to use a graph's declaration of a resource in the run.
    pub fn amend(&self, says: &Graph, id: &ResourceId, as_root: bool) -> Result<Request, String> {
        let keeping = Keeping { sudo: as_root, ..self.keeping.clone() };
        self.session.amend_request(says, id, &keeping)
    }

    /// The current preview of a resource.
    pub fn look(&self, graph: &Arc<Graph>, id: &ResourceId) -> Option<Step> {
        let plan = self.session.preview_of(graph, &[id.clone()].into());
        plan.steps.into_iter().find(|step| step.resource == *id)
    }
}
