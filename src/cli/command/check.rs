//! `workbench check`: everything that can be found without reading the state of the machine.

use std::io::{self, Write};

use clap::Args;

use crate::cli::args::{Entry, ErrorFormat, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::open_last;
use crate::cli::paint::Role;
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
}

impl Check {
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

fn line(unchecked: &Unchecked) -> String {
    let Unchecked { place, what, why } = unchecked;
    let place = place.as_ref().map_or(String::new(), |place| format!(" ({}:{})", place.file, place.line));
    format!("not checked: {what}{place}: {why}")
}
