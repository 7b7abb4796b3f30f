//! From a compiled graph to its preview, with the package archives that the preview reads.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use super::drive::is_refusal;
use super::exit::Exit;
use super::face::{Face, count};
use super::progress::CLEAR;
use crate::graph::Graph;
use crate::plan::{Certainty, Plan};
use crate::session::{Cancel, Interrupts, Session, Within, in_bytes};
use crate::source::printable;

/// Prepares a graph for this machine and previews it. `fetches`: first downloads the archives of new packages.
pub fn preview(face: &Face, session: &Session, graph: Graph, fetches: bool) -> Result<(Arc<Graph>, Plan), Exit> {
    let previewed = preview_fetching(face, session, graph, fetches)?;
    let is_refused = |error: &String| is_refusal(error);
    let refused = previewed.1.steps.iter().filter(|step| step.error.as_ref().is_some_and(is_refused)).count();
    if refused > 0 && !rustix::process::geteuid().is_root() {
        face.note(format_args!(
            "note: your user cannot inspect {}; use `sudo workbench preview`, or `workbench apply --sudo`, which \
            inspects again as root",
            count(refused, "step"),
        ));
    }
    Ok(previewed)
}

fn preview_fetching(face: &Face, session: &Session, graph: Graph, fetches: bool) -> Result<(Arc<Graph>, Plan), Exit> {
    let compiled = fetches.then(|| graph.clone());
    let graph = Arc::new(session.ready(graph));
    let (plan, missing) = session.preview_and_missing(&graph, &Cancel::default(), &mut |_| ());
    if missing.is_empty() {
        return Ok((graph, plan));
    }
    let Some(compiled) = compiled else {
        let open = plan.steps.iter().filter(|step| step.certainty != Certainty::Known && step.error.is_none()).count();
        if open > 0 {
            face.note(format_args!(
                "note: {} not downloaded, so {} only predicted; `--fetch-packages` downloads them without installing",
                are(missing.len(), "package archive", "package archives"),
                are(open, "step", "steps"),
            ));
        }
        return Ok((graph, plan));
    };
    let cancel = Cancel::default();
    let interrupts = Interrupts::catch_for(cancel.clone())
        .map_err(|error| face.refuse(&format!("signals cannot be caught: {error}"), "try again"))?;
    let is_live = io::stderr().is_terminal() && !face.plain && !face.quiet;
    let tell = move |line: &str| {
        if is_live {
            let _ = write!(io::stderr(), "{CLEAR}fetching {}", printable(line));
        }
    };
    let fetched =
        session.fetch_archives(&missing, &Within { cancel, progress: Some(Arc::new(tell)), ..Within::default() });
    if is_live {
        let _ = write!(io::stderr(), "{CLEAR}");
    }
    match fetched {
        Ok(fetched) => face.note(format_args!(
            "fetched {}, {}, to the state folder",
            count(fetched.archives, "archive"),
            in_bytes(fetched.size)
        )),
        Err(_) if interrupts.count() > 0 => {
            face.note("stopped; nothing was fetched");
            return Err(Exit::Stopped);
        }
        Err(error) => {
            face.note(format_args!("note: package archives were not fetched: {error}"));
            return Ok((graph, plan));
        }
    }
    // The preview then includes the contents of packages.
    let graph = Arc::new(session.ready(compiled));
    let plan = session.preview(&graph, &Cancel::default(), &mut |_| ());
    Ok((graph, plan))
}

/// `1 step is`, `2 steps are`.
fn are(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one} is") } else { format!("{number} {many} are") }
}
