//! `workbench check`: everything that can be found without reading the state of the machine.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::cli::args::{Entry, ErrorFormat, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::open_last;
use crate::cli::paint::Role;
use crate::compare::Missing;
use crate::diag::{Level, LogEntry};
use crate::session::{Cancel, Unchecked};
use crate::source::printable;

/// Check every file of a module, and compile it
///
/// Compiles as `preview` does, without reading the state of this machine, and checks each file of the entry and of its own
/// modules. Prints `ok` if everything was checked, or else what was not, by name.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench check modules/mcl/demo\n  workbench check 'print \"hi\" {}'\n  \
                        workbench --error-format json check site/main.mcl")]
pub struct Check {
    #[command(flatten)]
    pub entry: Entry,
    /// Also report steps that touch the same file, user, package or service without an order between them
    #[arg(long)]
    pub order: bool,
}

impl Check {
    /// Checks the entry, and prints the problems and the extent of the check.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open_last(face, global, &self.entry.allowing_unknown()) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let mut checked = session.check(&Cancel::default());
        if face.error_format == ErrorFormat::Json && !checked.compiled.diagnostics.has_errors() {
            for unchecked in &checked.unchecked {
                let entry = LogEntry::new(Level::Notice, line(unchecked), &checked.compiled.diagnostics);
                checked.compiled.log.push(entry);
            }
        }
        match face.compiled(&checked.compiled) {
            Exit::Done => {}
            refused => return Ok(refused),
        }
        let missing = match self.order {
            true => session.missing_edges(&checked.compiled.graph),
            false => Vec::new(),
        };
        for edge in &missing {
            write_missing(face, edge)?;
        }
        if !missing.is_empty() {
            face.out.flush()?;
            face.note(count(missing.len(), "missing edge"));
            return Ok(Exit::Refused);
        }
        if face.quiet {
            return Ok(Exit::Done);
        }
        let shown = printable(&session.entry().shown);
        let mut extent = count(checked.files().max(1), "file");
        if checked.nodes.len() > 1 {
            extent += &format!(", {}", count(checked.nodes.len(), "node"));
        }
        if checked.unchecked.is_empty() {
            let ok = face.paint.role(Role::Good, "ok");
            writeln!(face.out, "{ok} {shown} ({extent}): compiled, every file checked")?;
            return Ok(Exit::Done);
        }
        writeln!(face.out, "no errors in {shown} ({extent}), but not everything was checked")?;
        for unchecked in &checked.unchecked {
            writeln!(face.out, "{}", printable(&line(unchecked)))?;
        }
        Ok(Exit::Done)
    }
}

/// Writes a missing edge: both resources with their places, the reason, and the edge that fixes it.
fn write_missing(face: &mut Face, edge: &Missing) -> io::Result<()> {
    if face.error_format == ErrorFormat::Json {
        let place = |at: usize| {
            edge.places[at]
                .as_ref()
                .map(|place| json!({ "file": &*place.file, "line": place.line, "column": place.column }))
        };
        let object = json!({
            "missing": { "from": edge.from, "to": edge.to }, "why": edge.why,
            "source": { "from": place(0), "to": place(1) },
        });
        return writeln!(face.out, "{object}");
    }
    let place = |at: usize| edge.places[at].as_ref().map_or(String::new(), |place| format!(" ({place})"));
    let (paint, arrow) = (face.paint, if face.plain { "->" } else { "→" });
    let (from, to) = (paint.role(Role::Name, &edge.from).to_string(), paint.role(Role::Name, &edge.to).to_string());
    writeln!(face.out, "{} no order between {from}{} and {to}{}", paint.role(Role::Warning, "!"), place(0), place(1))?;
    writeln!(face.out, "    {}; add the edge {} {arrow} {}", printable(&edge.why), edge.from, edge.to)
}

fn line(unchecked: &Unchecked) -> String {
    let Unchecked { place, what, why } = unchecked;
    let place = place.as_ref().map_or(String::new(), |place| format!(" ({}:{})", place.file, place.line));
    format!("not checked: {what}{place}: {why}")
}
