//! From ENTRY on the command line to an open session, or to the exit code of a refusal.

use std::io::Read;

use super::args::{Entry, Global, Work};
use super::exit::Exit;
use super::face::Face;
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::plan::Query;
use crate::session::{Cancel, Limits, Session};

/// The most that is read from standard input: the same as from a file.
const STDIN_LIMIT: u64 = 64 << 20;

/// Opens the entry; what is wrong with it has been told when this gives an exit code.
pub fn open(face: &Face, global: &Global, entry: &Entry) -> Result<Session, Exit> {
    let mut options = entry.work.options(global);
    options.limits = limits(face, &entry.work)?;
    if entry.entry.as_deref() == Some("-") {
        options.stdin = Some(read_stdin(face)?);
    }
    Session::open(entry.entry.as_deref(), options).map_err(|report| face.report(&report))
}

/// What compiling may cost: as the flags say, else as the environment says.
#[expect(clippy::disallowed_methods, reason = "this is about us, and nothing that programs see")]
fn limits(face: &Face, work: &Work) -> Result<Limits, Exit> {
    let mut limits = Limits::default();
    let environment = std::env::var_os("WORKBENCH_LIMITS").unwrap_or_default();
    let environment = environment.to_string_lossy();
    let given = environment.split(',').filter(|written| !written.trim().is_empty());
    for written in given {
        let wrong =
            |why: String| face.refuse(&format!("WORKBENCH_LIMITS: {why}"), "write such as `steps=1000000,time=5`");
        limits.set(written).map_err(wrong)?;
    }
    for written in &work.limit {
        limits.set(written).expect("clap has looked at each by setting it");
    }
    Ok(limits)
}

/// All of standard input.
pub fn read_stdin(face: &Face) -> Result<Vec<u8>, Exit> {
    let mut text = Vec::new();
    if let Err(error) = std::io::stdin().take(STDIN_LIMIT + 1).read_to_end(&mut text) {
        return Err(face.refuse(&format!("standard input cannot be read: {error}"), "pipe the code in"));
    }
    if text.len() as u64 > STDIN_LIMIT {
        // The front of a program is another program.
        let message = format!("standard input holds more than {} MiB", STDIN_LIMIT >> 20);
        return Err(face.refuse(&message, "split the code into modules"));
    }
    Ok(text)
}

/// Opens and compiles the entry, and tells its diagnostics. An exit code when there was an error.
pub fn compile(face: &Face, global: &Global, entry: &Entry, until: Stage) -> Result<(Session, Compiled), Exit> {
    let session = open(face, global, entry)?;
    let compiled = session.compile(until, &Cancel::default());
    match face.diagnostics(&compiled.diagnostics, &compiled.sources) {
        Exit::Done => Ok((session, compiled)),
        refused => Err(refused),
    }
}

/// `--only`; everything when it is not given.
pub fn parse_query(face: &Face, only: Option<&str>) -> Result<Query, Exit> {
    Query::parse(only.unwrap_or_default())
        .map_err(|reason| face.refuse(&reason, "write words such as `kind:file`, `act:create`, `nginx`, `!kind:exec`"))
}
