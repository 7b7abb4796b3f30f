//! `workbench diff`: what differs between two programs, for one node or for many.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::deploy::unreadable;
use crate::cli::args::{DiffWork, Global, ReportFormat};
use crate::cli::compare_text::{write_comparison, write_meaning};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::progress::Counter;
use crate::cli::report::write_report;
use crate::compare::{Comparison, Verdict, ranges};
use crate::diag::Stage;
use crate::session::compare::{
    Filter, NotRecorded, Side, SideError, Sides, compare_meaning, compare_nodes, compare_once, open_sides, read_nodes,
    recorded,
};
use crate::session::{Cancel, Session};
use crate::source::printable;

/// Compare two programs: entries, revisions, bundles, saved plans or deploys
///
/// A and B are entries, bundles, `REV:PATH` in the git repository around the current folder, saved plans, or `deploy:N`.
/// Without B, A is compared with itself as committed in HEAD. Programs of different languages are compared by their end
/// states, from the state of this machine and from an empty one. Nothing is changed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench diff HEAD~1:site site/\n  workbench diff --rev main..HEAD\n  \
        workbench diff --rev main..HEAD --nodes facts/       every node, each change once\n  \
        workbench diff --rev v1..v2 --node web1 --node db1 --only 'kind:file param:content'\n\n\
        Exit codes with --detailed-exitcode: 0 equal; 2 different; 6 undecided, or a side does not compile; 1 if a policy denies it.")]
pub struct Diff {
    /// The first side; with --rev the path inside the repository
    #[arg(value_name = "A")]
    a: Option<String>,
    /// The second side [default: A, compared with HEAD:A]
    #[arg(value_name = "B", conflicts_with = "rev")]
    b: Option<String>,
    /// Compare two revisions of A, by default of the module or environment at the root of the repository
    #[arg(long, value_name = "A..B")]
    rev: Option<String>,
    /// Compile for each node: a folder with a file of facts for each, a file of facts by node, or a list of names
    #[arg(long, value_name = "PATH")]
    nodes: Option<PathBuf>,
    /// Compile for this node; repeat for several
    #[arg(long, value_name = "NAME")]
    node: Vec<String>,
    /// Show only matching changes: part of a name, `kind:file`, `param:mode`, `act:create`, class `tag:web`; `!` negates
    #[arg(long, value_name = "QUERY")]
    only: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
    /// Exit with 2 if the sides differ, and with 6 if that is undecided or a side does not compile
    #[arg(long)]
    detailed_exitcode: bool,
    #[command(flatten)]
    work: DiffWork,
}

impl Diff {
    /// Compares the two sides.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let filter = match Filter::parse(self.only.as_deref().unwrap_or_default()) {
            Ok(filter) => filter,
            Err(why) => {
                face.refuse(&why, "use words such as `kind:file`, `param:mode`, `nginx`, `!kind:exec`");
                return Ok(Exit::Usage);
            }
        };
        let (a, b) = match self.named() {
            Ok(named) => named,
            Err(why) => {
                face.refuse(&why, "name two sides: `workbench diff HEAD:site site`, or `--rev main..HEAD`");
                return Ok(Exit::Usage);
            }
        };
        let options = self.work.options(global, &face.config);
        let Sides { sides, shown } = match open_sides([&a, &b], &options) {
            Ok(sides) => sides,
            Err(SideError::Entry(report)) => return Ok(failed(face.report(&report))),
            Err(error) => return Ok(face.refuse(&error.to_string(), error.help())),
        };
        let [Side::Program(a), Side::Program(b)] = &sides else {
            return self.recorded(face, global, &sides, &shown);
        };
        for session in [a, b] {
            let config = &session.options().config;
            if face.diagnostics(config.project_diagnostics(), config.sources()) != Exit::Done {
                return Ok(Exit::Refused);
            }
        }
        self.programs(face, [a, b], &shown, &filter)
    }

    /// The sides by their names.
    fn named(&self) -> Result<(String, String), String> {
        if let Some(rev) = &self.rev {
            let (from, to) = rev.split_once("..").ok_or("`--rev` takes two revisions, such as main..HEAD")?;
            let name = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
            let path = self.a.as_deref().unwrap_or_default();
            return Ok((format!("{}:{path}", name(from)), format!("{}:{path}", name(to.trim_start_matches('.')))));
        }
        match (&self.a, &self.b) {
            (Some(a), Some(b)) => Ok((a.clone(), b.clone())),
            (Some(a), None) if a.starts_with('/') => Ok((format!("HEAD:{a}"), a.clone())),
            (Some(a), None) => Ok((format!("HEAD:./{}", a.trim_start_matches("./")), a.clone())),
            (None, _) => Err("nothing to compare".into()),
        }
    }

    fn programs(
        &self,
        face: &mut Face,
        sides: [&Session; 2],
        shown: &[String; 2],
        filter: &Filter,
    ) -> io::Result<Exit> {
        let [a, b] = sides;
        if a.entry().language != b.entry().language {
            return self.meaning(face, sides, shown);
        }
        let cancel = Cancel::default();
        let is_over_nodes = self.nodes.is_some() || !self.node.is_empty();
        let comparison = if is_over_nodes {
            let nodes = match read_nodes(self.nodes.as_deref(), &self.node) {
                Ok(nodes) => nodes,
                Err(error) => {
                    let help = "name a folder with a file of facts for each node, as `facter --json` prints them";
                    return Ok(face.refuse(&error.to_string(), help));
                }
            };
            let bare = b.nodes_without_facts(&nodes);
            if !bare.is_empty() {
                let names = ranges(bare.iter().copied());
                let more = if names.len() > 4 { " and others" } else { "" };
                let names = names[..names.len().min(4)].join(" ");
                let names = printable(&names).to_string();
                face.note(format_args!("note: without facts of their own, this machine's are used: {names}{more}"));
            }
            let counter = Counter::new(face, self.format.plain(), "nodes", nodes.len());
            let comparison = compare_nodes(sides, &nodes, filter, &cancel, &|done| counter.report(done));
            counter.clear();
            comparison
        } else {
            let (comparison, compiled) = compare_once(sides, filter, &cancel);
            // Without nodes, a side that does not compile has its whole diagnostics.
            for (side, name) in compiled.iter().zip(shown) {
                if face.diagnostics(&side.diagnostics, &side.sources) != Exit::Done {
                    face.note(format_args!("{} does not compile", printable(name)));
                }
            }
            comparison
        };
        match self.format {
            ReportFormat::Json => {
                let side = |at: usize| json!({ "name": shown[at], "language": sides[at].entry().language.as_str() });
                writeln!(face.out, "{}", comparison.to_json(&[side(0), side(1)], is_over_nodes))?;
            }
            ReportFormat::Text => write_comparison(face, &comparison, is_over_nodes)?,
            format => write_report(face, &comparison.document(shown, is_over_nodes), format)?,
        }
        Ok(self.exit(&comparison, is_over_nodes))
    }

    /// Compares the end states of programs in different languages.
    fn meaning(&self, face: &mut Face, sides: [&Session; 2], shown: &[String; 2]) -> io::Result<Exit> {
        if self.nodes.is_some() || !self.node.is_empty() || self.only.is_some() {
            face.refuse(
                "`--nodes`, `--node` and `--only` need programs of one language",
                "remove them: programs of different languages are compared by their end states",
            );
            return Ok(Exit::Usage);
        }
        let mut graphs = Vec::new();
        for (session, name) in sides.iter().zip(shown) {
            let compiled = session.compile(Stage::Eval, &Cancel::default());
            if face.diagnostics(&compiled.diagnostics, &compiled.sources) != Exit::Done {
                face.note(format_args!("{} does not compile", printable(name)));
                return Ok(Exit::ChangesAndFailed);
            }
            graphs.push(compiled.graph);
        }
        let Ok(graphs) = <[_; 2]>::try_from(graphs) else { return Ok(Exit::Refused) };
        let meaning = compare_meaning(sides, graphs);
        match self.format {
            ReportFormat::Json => {
                let side = |at: usize| json!({ "name": shown[at], "language": sides[at].entry().language.as_str() });
                writeln!(face.out, "{}", meaning.to_json(&[side(0), side(1)]))?;
            }
            ReportFormat::Text => write_meaning(face, &meaning, shown)?,
            format => write_report(face, &meaning.document(shown), format)?,
        }
        Ok(match meaning.verdict {
            _ if !self.detailed_exitcode => Exit::Done,
            Verdict::Equal => Exit::Done,
            Verdict::EqualButOrder | Verdict::Different => Exit::Changes,
            Verdict::Undecided => Exit::ChangesAndFailed,
        })
    }

    fn exit(&self, comparison: &Comparison, is_over_nodes: bool) -> Exit {
        match comparison {
            // A failing node does not stop the others, and alone is no refusal.
            all if all.is_denied() && all.failing == 0 => Exit::Refused,
            all if all.failing > 0 && (self.detailed_exitcode || !is_over_nodes) => Exit::ChangesAndFailed,
            all if self.detailed_exitcode && !all.is_equal() => Exit::Changes,
            all if self.detailed_exitcode && all.unknown > 0 => Exit::ChangesAndFailed,
            _ => Exit::Done,
        }
    }

    /// Compares what was planned or applied.
    fn recorded(&self, face: &mut Face, global: &Global, sides: &[Side; 2], shown: &[String; 2]) -> io::Result<Exit> {
        let steps = match recorded(sides, global.state_dir.as_ref()) {
            Ok(steps) => steps,
            Err(NotRecorded::State(error)) => return Ok(unreadable(face, &error)),
            Err(NotRecorded::Program(side, compiled)) => {
                face.compiled(&compiled);
                face.note(format_args!("{} does not compile", printable(&shown[side])));
                return Ok(Exit::ChangesAndFailed);
            }
        };
        match self.format {
            ReportFormat::Json => {
                let side = |at: usize| json!({ "name": shown[at] });
                writeln!(face.out, "{}", steps.to_json(&[side(0), side(1)], false))?;
            }
            ReportFormat::Text => write_comparison(face, &steps, false)?,
            format => write_report(face, &steps.document(shown, false), format)?,
        }
        Ok(self.exit(&steps, false))
    }
}

/// A side that cannot be opened does not compile.
fn failed(exit: Exit) -> Exit {
    if exit == Exit::Refused { Exit::ChangesAndFailed } else { exit }
}
