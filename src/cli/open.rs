//! Opens the session for ENTRY on the command line, or returns the exit code of a refusal.

use std::io::{self, Read};

use super::args::{Entry, Global};
use super::exit::Exit;
use super::face::Face;
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::plan::Query;
use crate::session::{Artifact, Cancel, Form, Report, Session};
use crate::source::printable;

/// The limit for standard input: the same as for a file.
const STDIN_LIMIT: u64 = 64 << 20;

/// Opens the entry. Errors of it, or of its project's settings, are already reported if this returns an exit code.
pub fn open(face: &Face, global: &Global, entry: &Entry) -> Result<Session, Exit> {
    checked(face, open_for(face, global, entry, false)?)
}

/// The same for a process that ends after the first compilation.
pub fn open_last(face: &Face, global: &Global, entry: &Entry) -> Result<Session, Exit> {
    checked(face, open_for(face, global, entry, true)?)
}

fn checked(face: &Face, session: Session) -> Result<Session, Exit> {
    let config = &session.options().config;
    if let [first, others @ ..] = session.guards_held_by() {
        let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let what = if session.options().choices.plugins_held { "guards and plugins" } else { "guards" };
        face.note(format_args!(
            "{what} are not run: {first}{more} not approved; approve with `workbench modules ENTRY --approve`"
        ));
    }
    match face.diagnostics(config.project_diagnostics(), config.sources()) {
        Exit::Done => Ok(session),
        refused => Err(refused),
    }
}

/// The same, even if the project's settings have errors.
pub fn open_anyway(face: &Face, global: &Global, entry: &Entry) -> Result<Session, Exit> {
    open_for(face, global, entry, false)
}

/// `is_last`: the process ends if compiling is cancelled.
fn open_for(face: &Face, global: &Global, entry: &Entry, is_last: bool) -> Result<Session, Exit> {
    open_unreported(face, global, entry, is_last)?.map_err(|report| face.report(&report))
}

/// The same; the caller reports errors of the entry.
pub fn open_unreported(
    face: &Face,
    global: &Global,
    entry: &Entry,
    is_last: bool,
) -> Result<Result<Session, Box<Report>>, Exit> {
    let mut options = entry.work.options(global, &face.config);
    if let Some((made, then)) = &entry.continues {
        options = options.compile_for(made, then).map_err(|disagreements| {
            let help = |options: &str| format!("remove {options} to use what {made} was made with");
            match disagreements.as_slice() {
                [one] => face.refuse(one, &help("this option")),
                all => {
                    face.refuse_in_lines(&format!("these options disagree with {made}"), all, &help("these options"))
                }
            }
        })?;
    }
    if entry.entry.as_deref() == Some("-") {
        options.stdin = Some(read_stdin(face)?);
    }
    options.is_last = is_last;
    Ok(Session::open(entry.entry.as_deref(), options))
}

/// All of standard input.
pub fn read_stdin(face: &Face) -> Result<Vec<u8>, Exit> {
    let mut text = Vec::new();
    if let Err(error) = std::io::stdin().take(STDIN_LIMIT + 1).read_to_end(&mut text) {
        return Err(face.refuse(&format!("cannot read standard input: {error}"), "pipe the code to workbench"));
    }
    if text.len() as u64 > STDIN_LIMIT {
        // A truncated program would be another program.
        let message = format!("standard input is larger than {} MiB", STDIN_LIMIT >> 20);
        return Err(face.refuse(&message, "split the code into modules"));
    }
    Ok(text)
}

/// Opens and compiles the entry, and reports its diagnostics. Returns an exit code if there was an error.
pub fn compile(face: &Face, global: &Global, entry: &Entry, until: Stage) -> Result<(Session, Compiled), Exit> {
    let session = checked(face, open_for(face, global, entry, true)?)?;
    let compiled = session.compile(until, &Cancel::default());
    match face.compiled(&compiled) {
        Exit::Done => Ok((session, compiled)),
        refused => Err(refused),
    }
}

/// Reports that the facts of this machine are used for another node.
pub fn note_facts(face: &Face, session: &Session) {
    if let Some(node) = session.node_without_facts() {
        let node = printable(&node).to_string();
        // A name is one part of a path.
        let file = match node.contains('/') || node.starts_with('.') {
            true => String::new(),
            false => format!(" or a file facts/{node}.yaml in the environment"),
        };
        face.note(format_args!(
            "note: the facts of this machine are used for node {node}; `--facts FILE`{file} gives the node's own facts"
        ));
    }
}

/// Opens the entry and prints an artifact of its language other than the graph.
pub fn artifact(face: &mut Face, global: &Global, entry: &Entry, what: &Artifact) -> io::Result<Exit> {
    let session = match open_for(face, global, entry, true).and_then(|session| checked(face, session)) {
        Ok(session) => session,
        Err(exit) => return Ok(exit),
    };
    let is_for_people = matches!(
        what,
        Artifact::Tree(Form::Text)
            | Artifact::Model { form: Form::Text, .. }
            | Artifact::Lookup { explain: true, form: Form::Text, .. }
    );
    face.made(&session.artifact(what, &Cancel::default()), !is_for_people)
}

/// `--only`; everything if it is not given.
pub fn parse_query(face: &Face, only: Option<&str>) -> Result<Query, Exit> {
    Query::parse(only.unwrap_or_default())
        .map_err(|reason| face.refuse(&reason, "use words such as `kind:file`, `act:create`, `nginx`, `!kind:exec`"))
}
