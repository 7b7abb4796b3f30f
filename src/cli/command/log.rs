//! `workbench log`: the changes of earlier runs, resource by resource.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::cli::args::{Format, Global, duration};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::plan::CompiledFor;
use crate::session::history::{self, Deploy, Outcome};
use crate::session::recorded_in_own_words;
use crate::source::{headline, printable};

/// Show the changes in the history of deploys, oldest first (-v: unchanged resources too)
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench log --since 2h\n  workbench log --failed\n  \
    workbench log --resource 'file[/etc/' --since 2026-01-31\n  workbench log --format json | jq -r .resource")]
pub struct Log {
    /// Only deploys since a date such as `2026-01-31` (UTC), or within the last `30m`, `12h`
    #[arg(long, value_name = "WHEN", value_parser = since)]
    since: Option<String>,
    /// Only resources whose name contains this text
    #[arg(long, value_name = "TEXT", add = complete::resources())]
    resource: Option<String>,
    /// Only failed and blocked resources
    #[arg(long)]
    failed: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The same as a journal time, or the start of one.
fn since(text: &str) -> Result<String, String> {
    if let Ok(ago) = duration(text) {
        return history::time_before(ago).ok_or_else(|| "not a valid date".into());
    }
    let is_date = text.len() >= "2026-01-31".len() && text.bytes().take(4).all(|byte| byte.is_ascii_digit());
    is_date
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a time such as 2026-01-31, 2026-01-31T10:00, 30m, 12h".into())
}

impl Log {
    /// Prints the recorded changes, oldest deploy first. An unreadable deploy is reported and skipped.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let runs = match history::deploys(state) {
            Ok(runs) => runs,
            Err(error) => return Ok(super::deploy::unreadable(face, &error)),
        };
        let is_recent = |time: &str| self.since.as_ref().is_none_or(|since| time >= since.as_str());
        let (mut exit, mut written) = (Exit::Done, 0);
        for run in runs.iter().rev().filter(|run| run.begin.as_ref().is_none_or(|begin| is_recent(&begin.time))) {
            // An unreadable deploy does not hide others.
            match history::deploy(state, Some(run.deploy)) {
                Ok(deploy) => written += self.write_report(face, &deploy)?,
                Err(error) => exit = super::deploy::unreadable(face, &error),
            }
        }
        if written == 0 && self.format == Format::Text {
            face.note("no matching log entries; `workbench deploy list` lists every run");
        }
        Ok(exit)
    }

    fn fits(&self, outcome: &Outcome, verbose: bool) -> bool {
        let went_wrong = matches!(outcome.state.as_str(), "failed" | "blocked");
        let happened = went_wrong || !matches!(outcome.action.as_str(), "" | "none");
        (if self.failed { went_wrong } else { happened || verbose })
            && self.resource.as_ref().is_none_or(|text| outcome.resource.0.contains(text.as_str()))
    }

    fn write_report(&self, face: &mut Face, deploy: &Deploy) -> io::Result<usize> {
        let fitting: Vec<_> = deploy.outcomes.iter().filter(|outcome| self.fits(outcome, face.verbose)).collect();
        for outcome in &fitting {
            match self.format {
                Format::Json => {
                    let mut line = json!({"deploy": deploy.begin.deploy, "began": deploy.begin.time});
                    if let (Some(line), Some(compiled_for)) = (line.as_object_mut(), &deploy.begin.compiled_for) {
                        line.insert("for".into(), json!(compiled_for));
                    }
                    if let (Some(line), Ok(serde_json::Value::Object(fields))) =
                        (line.as_object_mut(), serde_json::to_value(outcome))
                    {
                        line.extend(fields);
                    }
                    writeln!(face.out, "{line}")?;
                }
                Format::Text => text_line(face, deploy, outcome)?,
            }
        }
        Ok(fitting.len())
    }
}

fn text_line(face: &mut Face, deploy: &Deploy, outcome: &Outcome) -> io::Result<()> {
    let changes = recorded_in_own_words(&outcome.resource, &outcome.changes);
    let properties: Vec<_> = changes.iter().filter_map(|change| change["property"].as_str()).collect();
    let (role, words) = match (&outcome.error, outcome.state.as_str()) {
        (Some(error), "failed") => (Role::Error, format!("failed: {}", headline(error))),
        (Some(error), state) => (Role::Warning, format!("{state}: {}", headline(error))),
        (None, "done") if properties.is_empty() => (Role::Quiet, outcome.action.clone()),
        (None, "done") => (Role::Change, format!("{} {}", outcome.action, properties.join(", "))),
        (None, state) => (Role::Quiet, state.to_owned()),
    };
    let paint = face.paint;
    let node = deploy.begin.compiled_for.as_deref().map(CompiledFor::node_words).unwrap_or_default();
    writeln!(
        face.out,
        "{} {}  {}  {}{}",
        paint.role(Role::Quiet, history::outcome_time(deploy, outcome)),
        paint.role(Role::Title, format!("{:>4}", deploy.begin.deploy)),
        paint.role(Role::Name, &outcome.resource),
        paint.role(role, printable(&words)),
        paint.role(Role::Quiet, printable(&node)),
    )?;
    let further = outcome.error.iter().flat_map(|error| error.lines().skip(1));
    further.into_iter().try_for_each(|line| writeln!(face.out, "    {}", printable(line)))
}
