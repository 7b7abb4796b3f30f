//! `workbench check`: everything before evaluation.

use std::io::{self, Write};

use clap::Args;

use crate::cli::args::{Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::compile;
use crate::cli::paint::Role;
use crate::diag::Stage;

/// Check a module and its imports: syntax, imports, names, types
///
/// Values are not evaluated. `workbench graph ENTRY` also reports errors that depend on them, such as dependency
/// cycles.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench check modules/mcl/demo\n  workbench check 'print \"hi\" {}'\n  \
                        workbench --error-format json check site/main.mcl")]
pub struct Check {
    #[command(flatten)]
    pub entry: Entry,
}

impl Check {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let (session, compiled) = match compile(face, global, &self.entry, Stage::Graph) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        if !face.quiet {
            let files = count(compiled.sources.iter().count(), "file");
            let ok = face.paint.role(Role::Good, "ok");
            let shown = crate::source::printable(&session.entry().shown);
            let rest = "`workbench preview` checks the rest";
            writeln!(face.out, "{ok} {shown} ({files}): syntax, imports, names, types; {rest}")?;
        }
        Ok(Exit::Done)
    }
}
