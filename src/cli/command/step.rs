//! `workbench step`: the stepper without a terminal, driven by the keys of the Step screen.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;

use crate::cli::args::{Entry, Global};
use crate::cli::drive::{Counts, Drive};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::compile;
use crate::cli::tell::tell_text;
use crate::diag::Stage;
use crate::engine::message::{Pause, Request};
use crate::graph::ResourceId;
use crate::session::{Interrupts, Mode};

/// Step through a dry run by a script
#[derive(Args, Debug)]
#[command(after_help = "Verbs, separated by `;` or line breaks:\n  \
    s [N]        one turn, or N\n  \
    o            over: the rest of the class that the next resource is in\n  \
    f            finish: out of the class around that\n  \
    c            continue to a breakpoint, a failure or the end\n  \
    t ID         continue to a resource\n  \
    b ID         set or clear a breakpoint\n  \
    x            leave the next resource out\n  \
    r            try again what failed or was left out\n  \
    Z            take the last turn back\n  \
    assert EXPR  such as `changes == 2 && failed == 0`; over done, changes, failed, skipped, blocked, waiting\n\n\
    Examples:\n  workbench step modules/mcl/demo --script 's 3; assert done == 3'\n  \
    workbench step site/ --script @steps.txt")]
pub struct StepCommand {
    #[command(flatten)]
    pub entry: Entry,
    /// What to do; `@FILE` reads it
    #[arg(long, value_name = "SCRIPT")]
    pub script: String,
}

impl StepCommand {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let script = match self.script.strip_prefix('@') {
            None => self.script.clone(),
            Some(file) => match crate::session::read_source(file) {
                Ok(text) => text,
                Err(report) => return Ok(face.report(&report)),
            },
        };
        let verbs = match script.split([';', '\n']).map(str::trim).filter(|v| !v.is_empty()).map(parse_verb).collect() {
            Ok::<Vec<Verb>, String>(verbs) => verbs,
            Err(reason) => return Ok(face.refuse(&reason, "`workbench step --help` lists the verbs")),
        };
        let (session, compiled) = match compile(face, global, &self.entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        let graph = Arc::new(compiled.graph);
        let (stepper, events) = session.stepper(Arc::clone(&graph));
        let mut drive = Drive::new(stepper, events, Interrupts::catch()?, graph, face.aside());
        drive.hear(&mut |_| Ok(()))?;
        for verb in verbs {
            if let Some(exit) = perform(face, &mut drive, verb)? {
                return Ok(exit);
            }
            if drive.interrupted {
                return Ok(Exit::Stopped);
            }
        }
        let counts = drive.counts();
        writeln!(face.out, "{counts}")?;
        if let Some(next) = &drive.next {
            writeln!(face.out, "next: {next}")?;
        }
        Ok(if counts.failed > 0 { Exit::Failed } else { Exit::Done })
    }
}

#[derive(Debug)]
enum Verb {
    Step(u32),
    Over,
    Finish,
    Continue,
    To(String),
    Break(String),
    Skip,
    Retry,
    Back,
    Assert(String),
}

fn parse_verb(text: &str) -> Result<Verb, String> {
    let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
    let with_id = |verb: fn(String) -> Verb| match rest {
        "" => Err(format!("`{word}` needs a resource")),
        id => Ok(verb(id.to_string())),
    };
    let verb = match word {
        "s" if rest.is_empty() => Verb::Step(1),
        "s" => return rest.parse().map(Verb::Step).map_err(|_| format!("`s` takes a number, not `{rest}`")),
        "t" => return with_id(Verb::To),
        "b" => return with_id(Verb::Break),
        "assert" => {
            check(rest, &Counts::default())?;
            return Ok(Verb::Assert(rest.to_string()));
        }
        "o" => Verb::Over,
        "f" => Verb::Finish,
        "c" => Verb::Continue,
        "x" => Verb::Skip,
        "r" => Verb::Retry,
        "Z" => Verb::Back,
        _ => return Err(format!("`{word}` is no verb")),
    };
    if rest.is_empty() { Ok(verb) } else { Err(format!("`{word}` takes nothing behind it")) }
}

/// Does one verb; an exit code where the script ends with it.
fn perform(face: &mut Face, drive: &mut Drive, verb: Verb) -> io::Result<Option<Exit>> {
    let mut ask = |drive: &mut Drive, request| drive.ask(request, &mut |event| tell_text(face, Mode::Dry, event));
    match verb {
        Verb::Step(times) => {
            for _ in 0..times {
                if drive.is_over() || drive.interrupted {
                    break;
                }
                ask(drive, Request::Step)?;
            }
        }
        Verb::Over | Verb::Finish => {
            let depth_less = usize::from(matches!(verb, Verb::Finish));
            let Some(next) = drive.next.clone() else { return Ok(None) };
            let around = drive.containers(&next).to_vec();
            let around = &around[..around.len().saturating_sub(depth_less)];
            // A resource outside any class is stepped over alone; finishing there is going on to the end.
            let alone = around.is_empty() && depth_less == 0;
            loop {
                ask(drive, Request::Step)?;
                let inside = |id: &ResourceId| drive.containers(id).starts_with(around);
                let stop = alone || drive.is_over() || drive.interrupted || drive.why == Pause::Failure;
                if stop || !drive.next.as_ref().is_some_and(inside) {
                    break;
                }
            }
        }
        Verb::Continue => ask(drive, Request::Continue { until: None })?,
        Verb::Skip => ask(drive, Request::Skip)?,
        Verb::Back => ask(drive, Request::Back)?,
        Verb::Retry => match drive.to_retry() {
            Some(resource) => ask(drive, Request::Retry { resource })?,
            None => return Ok(Some(face.refuse("nothing failed or was left out", "`r` tries such a resource again"))),
        },
        Verb::To(ref id) | Verb::Break(ref id) => match drive.named(id) {
            Err(reason) => return Ok(Some(face.refuse(&reason, "name a resource as `workbench graph` shows it"))),
            Ok(resource) if matches!(verb, Verb::To(_)) => {
                ask(drive, Request::Continue { until: Some(resource) })?;
            }
            Ok(resource) => drive.toggle_break(resource),
        },
        Verb::Assert(expression) => {
            let holds = check(&expression, &drive.counts());
            if holds != Ok(true) {
                let counts = drive.counts().to_string();
                return Ok(Some(
                    face.refuse(&format!("assert {expression}: it is not so"), &format!("there are {counts}")),
                ));
            }
        }
    }
    Ok(None)
}

/// `changes == 2 && failed == 0`
fn check(expression: &str, counts: &Counts) -> Result<bool, String> {
    expression.split("&&").map(|part| comparison(part.trim(), counts)).try_fold(true, |all, one| Ok(all && one?))
}

/// How two counts are compared.
type Holds = fn(&usize, &usize) -> bool;

fn comparison(text: &str, counts: &Counts) -> Result<bool, String> {
    const OPERATORS: [(&str, Holds); 6] = [
        ("==", usize::eq),
        ("!=", usize::ne),
        (">=", usize::ge),
        ("<=", usize::le),
        (">", usize::gt),
        ("<", usize::lt),
    ];
    let found =
        OPERATORS.iter().find_map(|(sign, holds)| text.split_once(sign).map(|(a, b)| (a.trim(), *holds, b.trim())));
    let (name, holds, number) = found.ok_or_else(|| format!("`{text}` compares nothing; write `changes == 2`"))?;
    let have = match name.strip_prefix("state.").unwrap_or(name) {
        "changes" | "changed" => counts.changed,
        "done" => counts.done,
        "failed" => counts.failed,
        "skipped" => counts.skipped,
        "blocked" => counts.blocked,
        "waiting" => counts.waiting,
        other => {
            return Err(format!(
                "`{other}` is not counted; these are: done, changes, failed, skipped, blocked, waiting"
            ));
        }
    };
    let number: usize = number.parse().map_err(|_| format!("`{number}` is no number"))?;
    Ok(holds(&have, &number))
}
