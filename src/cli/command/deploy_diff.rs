//! `workbench deploy diff`: the differences between the results of two deploys.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Value as Json, json};

use super::deploy::unreadable;
use crate::cli::args::{Format, Global};
use crate::cli::complete;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::cli::plan_text::write_change;
use crate::plan::Change;
use crate::session::ends::{Apart, Ends, ends, pair};
use crate::session::history::{self, Deploy, Module, Purpose, what_words};
use crate::session::in_own_words;
use crate::source::printable;

/// Compare two deploys: resources that only one has, and properties that differ
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench deploy diff            the newest, with the one before it of the same entry\n  \
    workbench deploy diff 5          deploy 5, with the one before it\n  workbench deploy diff 3 5\n  \
    workbench deploy diff 3 5 --format json | jq .ends"
)]
pub struct Diff {
    /// Deploy to compare [default: the newest deploy]
    #[arg(add = complete::deploys())]
    one: Option<u64>,
    /// Deploy to compare ONE with [default: the one before ONE, of the same entry]
    #[arg(add = complete::deploys())]
    other: Option<u64>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Diff {
    /// Prints the differences between two deploys.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let (one, other) = match self.one.zip(self.other) {
            Some(both) => both,
            None => match pair(state, self.one) {
                Ok(Some(both)) => both,
                Ok(None) => {
                    let help =
                        "name two deploys: `workbench deploy diff 3 5`; `workbench deploy list` shows their numbers";
                    return Ok(face.refuse("no earlier deploy of this entry to compare with", help));
                }
                Err(error) => return Ok(unreadable(face, &error)),
            },
        };
        let read = |id| history::deploy(state, Some(id));
        let (ends, one, other) = match (ends(state, one, other), read(one), read(other)) {
            (Ok(ends), Ok(one), Ok(other)) => (ends, one, other),
            (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => return Ok(unreadable(face, &error)),
        };
        match self.format {
            Format::Json => writeln!(face.out, "{}", as_json(&ends, &one, &other))?,
            Format::Text => write_text(face, &ends, &one, &other)?,
        }
        Ok(Exit::Done)
    }
}

fn as_json(ends: &Ends, one: &Deploy, other: &Deploy) -> Json {
    let differences = history::differences(one, other);
    let did = |row: &history::Difference| json!({ "resource": row.resource, "one": row.one, "other": row.other });
    let row = |row: &Apart| {
        let changes: Vec<Json> = row.changes.iter().map(Change::to_json).collect();
        json!({ "resource": row.resource, "only": row.only, "turns": row.turns, "changes": changes })
    };
    json!({
        "one": one.begin.deploy, "other": other.begin.deploy, "entries": [one.begin.entry, other.begin.entry],
        "for": [&one.begin.compiled_for, &other.begin.compiled_for],
        "graphs": [one.graph(), other.graph()], "modules": [&one.begin.modules, &other.begin.modules],
        "ends": ends.rows.iter().map(row).collect::<Vec<_>>(), "same": ends.same,
        "resources": differences.iter().map(did).collect::<Vec<_>>(),
    })
}

fn write_text(face: &mut Face, ends: &Ends, one: &Deploy, other: &Deploy) -> io::Result<()> {
    let paint = face.paint;
    for (sign, role, deploy) in [("-", Role::Remove, one), ("+", Role::Create, other)] {
        let begin = &deploy.begin;
        let what = format!("{sign}{sign}{sign} deploy {}  {}  {}", begin.deploy, begin.time, what_words(begin));
        writeln!(face.out, "{}", paint.role(role, printable(&what)))?;
    }
    if let (Some(then), Some(now)) = (one.begin.made_for(), other.begin.made_for()) {
        for words in then.differences(&format!("deploy {}", one.begin.deploy), &now) {
            writeln!(face.out, "{} {}", paint.role(Role::Change, "~"), printable(&words))?;
        }
    }
    // An undo has no program.
    let both_of_programs = [one, other].iter().all(|deploy| !matches!(deploy.begin.purpose, Purpose::Undo { .. }));
    let sides = [("-", Role::Remove, one, other), ("+", Role::Create, other, one)];
    for (sign, role, these, those) in sides.into_iter().filter(|_| both_of_programs) {
        // A folder without a commit is known only by its files, whose effects are shown below.
        let is_known = |module: &&Module| module.commit.is_some() && !those.begin.modules.contains(module);
        for module in these.begin.modules.iter().filter(is_known) {
            let commit = module.commit.as_deref().unwrap_or_default();
            let edited = if module.edited { ", edited" } else { "" };
            let line = format!("{sign} module {} ({commit}{edited})", module.path);
            writeln!(face.out, "{}", paint.role(role, printable(&line)))?;
        }
    }
    for row in &ends.rows {
        write_row(face, row, one.begin.deploy)?;
    }
    let only = |deploy: u64| ends.rows.iter().filter(|row| row.only == Some(deploy)).count();
    let mut sums = vec![(ends.rows.iter().filter(|row| row.only.is_none()).count(), "changed".to_owned())];
    for deploy in [one, other] {
        sums.push((only(deploy.begin.deploy), format!("only in {}", deploy.begin.deploy)));
    }
    let sums: Vec<_> = sums.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{n} {words}")).collect();
    let same = count(ends.same, "resource");
    match sums.is_empty() {
        true => writeln!(face.out, "{} {same} unchanged.", paint.role(Role::Good, "No differences:")),
        false => writeln!(face.out, "{} {}; {same} unchanged.", paint.role(Role::Title, "Differs:"), sums.join(", ")),
    }
}

fn write_row(face: &mut Face, row: &Apart, one: u64) -> io::Result<()> {
    let (sign, role) = match row.only {
        Some(deploy) if deploy == one => ("-", Role::Remove),
        Some(_) => ("+", Role::Create),
        None => ("~", Role::Change),
    };
    let only = row.only.map(|deploy| format!("only in {deploy}"));
    let words: Vec<String> = only.into_iter().chain(row.turns.clone()).collect();
    let words = if words.is_empty() { String::new() } else { format!("  {}", printable(&words.join(", "))) };
    writeln!(face.out, "{} {}{words}", face.paint.role(role, sign), face.paint.role(Role::Name, &row.resource))?;
    let changes = in_own_words(&row.resource, &row.changes);
    let width = changes.iter().map(|change| change.property.chars().count()).max().unwrap_or_default();
    changes.iter().try_for_each(|change| write_change(face, change, width))
}
