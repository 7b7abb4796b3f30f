//! `workbench preview`: a dry run, which writes nothing.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use crate::cli::args::{Entry, Global, ReportFormat};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::only::selected;
use crate::cli::open::{compile, note_facts, parse_query};
use crate::cli::plan_text::write_plan;
use crate::cli::previewed;
use crate::cli::report::write_report;
use crate::compare::report;
use crate::diag::Stage;
use crate::plan::Summary;
use crate::plan::policy::{Rule, Violation};
use crate::session::against::{Against, against};
use crate::session::history::graph_hash;
use crate::session::{Mode, save_plan};
use crate::source::printable;

/// Show what apply would change, without changing anything
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench preview modules/mcl/demo\n  workbench preview --only 'kind:file act:create' site/\n  \
                        workbench preview --fetch-packages site/   also shows the files of new packages\n  \
                        workbench preview --detailed-exitcode site/; test $? = 2 && echo 'would change'"
)]
pub struct Preview {
    #[command(flatten)]
    pub entry: Entry,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Show only matching resources: part of a name, `kind:file`, `act:create`, class `tag:web`, module `mod:site`,
    /// source file `file:web.mcl`; `!` negates
    #[arg(long, value_name = "QUERY", add = complete::query())]
    pub only: Option<String>,
    /// Save the whole plan for `apply --plan FILE`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show what differs from the last deploy of this entry, and why
    #[arg(long, conflicts_with = "format")]
    pub against_last: bool,
    /// Download new packages, to show which files they would install; nothing is installed
    #[arg(long)]
    pub fetch_packages: bool,
    /// Exit with 2 if there is something to change
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Refuse what `apply --as-this-host` refuses: a program for several hosts
    #[arg(long)]
    pub as_this_host: bool,
}

impl Preview {
    /// Prints a dry run, and saves it as a plan with `--out`.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let query = match parse_query(face, self.only.as_deref()) {
            Ok(query) => query,
            Err(exit) => return Ok(exit),
        };
        let entry = self.entry.allowing_unknown().as_this_host(self.as_this_host);
        let (session, compiled) = match compile(face, global, &entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        if let Err(why) = session.check_hosts(&compiled.graph, Mode::Dry) {
            return Ok(face.refuse(&why.to_string(), &why.help()));
        }
        note_facts(face, &session);
        if let Some(Err(error)) = self.out.as_ref().map(|_| session.seal_plans()) {
            face.note(format_args!("note: private file contents are recorded by size only: {error}"));
        }
        let (sources, kinds, outside) = (compiled.sources, compiled.kinds, compiled.outside);
        let fetches = self.fetch_packages || session.options().config.fetches_packages();
        let (graph, mut plan) = match previewed::preview(face, &session, compiled.graph, fetches) {
            Ok(previewed) => previewed,
            Err(exit) => return Ok(exit),
        };
        plan.reads = outside.into_iter().map(|read| read.path).collect();
        let shown = match selected(face, (&plan, &graph, &kinds), &query, self.only.as_deref()) {
            Ok(shown) => shown,
            Err(exit) => return Ok(exit),
        };
        if let Some(file) = &self.out {
            let frozen = session.freeze(&plan, &graph, &sources);
            if let Err(error) = save_plan(file, &frozen) {
                let message = format!("cannot save the plan as {}: {error}", file.display());
                return Ok(face.refuse(&message, "name a file in a writable folder"));
            }
            session.note_plan(&plan, Some((&frozen, file)));
            face.note(format_args!("saved plan {} as {}", &frozen.plan[..12], file.display()));
        }
        match self.format {
            ReportFormat::Text => write_plan(face, &plan, &shown)?,
            ReportFormat::Html | ReportFormat::Markdown => {
                let file = self.out.as_ref().map(|file| printable(&file.to_string_lossy()).to_string());
                let apply = file.map(|file| format!("workbench apply --plan {file} {}", printable(&plan.entry)));
                write_report(face, &report::of_plan(&plan, &shown, apply.as_deref()), self.format)?;
            }
            ReportFormat::Json => {
                plan.write_json(&shown, &mut face.out)?;
                writeln!(face.out)?;
            }
        }
        if self.against_last {
            match session.last_deploy(global.state_dir.as_ref()) {
                Ok(Some(last)) => {
                    let graph = graph_hash(&graph);
                    write_against(face, &against(&plan, Some(&graph), &last))?;
                }
                Ok(None) => face.note(format_args!("note: no earlier deploy of this entry to compare with")),
                Err(error) => {
                    return Ok(face.refuse(&error.to_string(), "`workbench deploy list` shows the history"));
                }
            }
        }
        if let Some(refused) = refuse_denied(face, &plan.violations) {
            return Ok(refused);
        }
        let fails = plan.steps.iter().any(|step| step.error.is_some());
        // A step that would fail is not a pending change.
        let certain = Summary { fail: 0, ..plan.summary };
        Ok(match (fails, self.detailed_exitcode && is_pending(&certain)) {
            (false, false) => Exit::Done,
            (false, true) => Exit::Changes,
            (true, false) => Exit::Failed,
            (true, true) => Exit::ChangesAndFailed,
        })
    }
}

/// Refuses a plan that a policy forbids.
pub fn refuse_denied(face: &Face, violations: &[Violation]) -> Option<Exit> {
    let denied: Vec<String> = violations
        .iter()
        .filter(|violation| violation.rule == Rule::Deny)
        .map(|violation| {
            let first: Vec<String> = violation.resources.iter().take(4).map(ToString::to_string).collect();
            let more = violation.resources.len().saturating_sub(4);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{} (`{}`, {}): {}{more}", violation.message, violation.when, violation.by, first.join(", "))
        })
        .collect();
    let help = "change the program, or add an exception with a date to the policy";
    (!denied.is_empty()).then(|| face.refuse_in_lines("denied by policy:", &denied, help))
}

/// The differences from a deploy's result.
fn write_against(face: &mut Face, against: &Against) -> io::Result<()> {
    writeln!(face.out, "\nSince {}: {} unchanged", against.words(), against.kept)?;
    for difference in &against.differences {
        writeln!(face.out, "  {}: {}", printable(&difference.resource.0), difference.why.words())?;
        for (property, cause) in &difference.because {
            writeln!(face.out, "    {}: {}", printable(property), cause.words())?;
        }
    }
    Ok(())
}

/// Whether an apply has something to do: an unknown step could change something, and a failing one is tried.
pub fn is_pending(summary: &Summary) -> bool {
    let Summary { create, change, replace, remove, run, refresh, none: _, unknown, fail, blocked: _ } = *summary;
    create + change + replace + remove + run + refresh + unknown + fail > 0
}
