//! The plain form of the workbench: the preview, then its dry run step by step, with numbered choices at each stop.
//!
//! It only prints lines, and replaces the colours and signs of the screens with words.

use std::io::{self, Write};

use super::step::{Scene, StepCommand, parse_verb};
use crate::cli::args::Global;
use crate::cli::choices::{Answer, Answers, Choice, asks_for_help, chosen, in_lines, list_numbered, write_help};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::next_step::write_next_step;
use crate::cli::paint::Role;
use crate::cli::plan_text::{action_words, certainty_words, write_overview};
use crate::engine::message::{Pause, TurnState};
use crate::graph::ResourceId;
use crate::session::Mode;

/// The choices at a stop, with the letters of scripts and screens.
const CHOICES: [Choice<'static>; 10] = [
    choice("s", "step", "", "Simulate the next step"),
    choice("o", "over", "", "Run the rest of the class of the next step"),
    choice("c", "continue", "", "Run to a breakpoint, a failure or the end"),
    choice("t", "to", "RESOURCE", "Run to just before a resource"),
    choice("b", "break", "WHERE", "Set or clear a breakpoint"),
    choice("x", "skip", "", "Skip the next step"),
    choice("r", "retry", "", "Make what failed or was skipped next again"),
    choice("Z", "back", "", "Step back"),
    choice("l", "list", "", "List all resources"),
    choice("q", "quit", "", "Quit"),
];

const fn choice(letter: &'static str, name: &'static str, wants: &'static str, does: &'static str) -> Choice<'static> {
    Choice { letter, name, does, wants }
}

/// Previews, and asks at each stop until the user is done.
pub fn run(face: &mut Face, global: &Global, step: &StepCommand) -> io::Result<Exit> {
    let mut scene = match Scene::open(face, global, step, false)? {
        Ok(scene) => scene,
        Err(exit) => return Ok(exit),
    };
    let plan = scene.plan();
    if scene.interrupts.count() > 0 {
        return Ok(Exit::Stopped);
    }
    // Code that was given as text cannot be named again.
    let live = match scene.shown() {
        code if code.starts_with('<') => String::new(),
        shown => format!("; `workbench --plain apply --step {shown}` applies in the same way"),
    };
    writeln!(face.out, "DRY  {}  nothing is written or executed{}", scene.shown(), crate::source::printable(&live))?;
    write_overview(face, &plan)?;
    let mut answers = Answers::default();
    let mut is_new = true;
    let stopped = loop {
        if std::mem::take(&mut is_new) {
            show_stop(face, &mut scene)?;
        }
        match answers.ask(face, "dry> ", &scene.interrupts)? {
            Answer::End | Answer::Gone | Answer::Late => break false,
            Answer::Interrupted => break true,
            Answer::Line(line) => match perform(face, &mut scene, &mut answers, &line)? {
                Next::Stop => is_new = true,
                Next::Ask => show_choices(face, &scene)?,
                Next::Quit => break false,
            },
        }
        if scene.drive.interrupted {
            break true;
        }
    };
    let counts = scene.drive.counts();
    writeln!(face.out, "{counts}")?;
    Ok(match stopped {
        true => Exit::Stopped,
        false if counts.failed + counts.unable > 0 => Exit::Failed,
        false => Exit::Done,
    })
}

/// What follows an answer.
enum Next {
    /// The run is at another stop, or the stop has changed.
    Stop,
    Ask,
    Quit,
}

fn perform(face: &mut Face, scene: &mut Scene, answers: &mut Answers, line: &str) -> io::Result<Next> {
    if line.is_empty() {
        return Ok(Next::Ask);
    }
    let choices = choices(scene);
    if asks_for_help(line) {
        write_help(face, &choices)?;
        return Ok(Next::Ask);
    }
    let line = match chosen(&choices, line) {
        None => line.to_owned(),
        Some((choice, _)) if choice.letter == "q" => return Ok(Next::Quit),
        Some((choice, _)) if choice.letter == "l" => {
            list(face, scene)?;
            return Ok(Next::Ask);
        }
        // One of several must be chosen.
        Some((choice, "")) if choice.letter == "r" && scene.drive.to_retry().len() > 1 => {
            list_numbered(face, &scene.drive.to_retry())?;
            match answers.ask(face, "retry RESOURCE: ", &scene.interrupts)? {
                Answer::Line(rest) if !rest.is_empty() => format!("r {rest}"),
                _ => return Ok(Next::Ask),
            }
        }
        Some((choice, "")) if !choice.wants.is_empty() => {
            let question = format!("{} {}: ", choice.name, choice.wants);
            match answers.ask(face, &question, &scene.interrupts)? {
                Answer::Line(rest) if !rest.is_empty() => format!("{} {rest}", choice.letter),
                _ => return Ok(Next::Ask),
            }
        }
        Some((choice, rest)) => format!("{} {rest}", choice.letter),
    };
    let verb = match parse_verb(line.trim()) {
        Ok(verb) => verb,
        Err(why) => {
            write_line(face, &why)?;
            return Ok(Next::Ask);
        }
    };
    if verb.is_of_events() && !scene.has_events() {
        write_line(face, "events need --replay FILE, or a script")?;
        return Ok(Next::Ask);
    }
    let is_break = verb.sets_a_breakpoint();
    // A refusal is already reported.
    let is_refused = reporting_all(face, |face| scene.perform(face, verb))?.is_some();
    if is_break && !is_refused {
        write_line(face, if scene.drive.is_break(line[1..].trim()) { "breakpoint set" } else { "breakpoint cleared" })?;
    }
    Ok(if is_refused { Next::Ask } else { Next::Stop })
}

/// Reports every step, also unchanged ones, because there is no screen that shows them.
fn reporting_all<T>(face: &mut Face, work: impl FnOnce(&mut Face) -> T) -> T {
    let was = std::mem::replace(&mut face.verbose, true);
    let done = work(face);
    face.verbose = was;
    done
}

fn write_line(face: &mut Face, words: &str) -> io::Result<()> {
    writeln!(face.out, "{}", crate::source::printable(words))
}

/// The current stop: the progress, the next step, why it waits there, and its effect.
fn show_stop(face: &mut Face, scene: &mut Scene) -> io::Result<()> {
    let counts = scene.drive.counts();
    let why = match scene.drive.why {
        Pause::Breakpoint => "  stopped at a breakpoint",
        Pause::Cursor => "  stopped at the target",
        Pause::Failure => "  stopped by a failure",
        Pause::SteppedBack => "  one step back",
        Pause::Stopped => "  stopped",
        Pause::Start | Pause::Stepped | Pause::End => "",
    };
    writeln!(face.out)?;
    let head = face.paint.role(Role::Title, format!("DRY  {}{why}", scene.drive.how_far())).to_string();
    match scene.drive.next.clone() {
        Some(next) => {
            let plan = scene.plan();
            let step = plan.steps.iter().find(|step| step.resource == next);
            let name = face.paint.role(Role::Name, &next).to_string();
            writeln!(face.out, "{head}  next: {name}{}", stop_word(scene, &next))?;
            step.map_or(Ok(()), |step| write_next_step(face, Mode::Dry, &scene.drive, step))?;
        }
        None => writeln!(face.out, "{head}  the end: {counts}")?,
    }
    show_choices(face, scene)
}

fn stop_word(scene: &Scene, id: &ResourceId) -> &'static str {
    if scene.drive.stops_at(id) { "  breakpoint" } else { "" }
}

fn show_choices(face: &mut Face, scene: &Scene) -> io::Result<()> {
    writeln!(face.out, "{}", in_lines(&choices(scene)))
}

/// The available choices.
fn choices(scene: &Scene) -> Vec<Choice<'static>> {
    let is_over = scene.drive.next.is_none();
    let can = |choice: &&Choice<'_>| match choice.letter {
        "s" | "o" | "c" | "t" | "x" => !is_over,
        "r" => scene.drive.may_retry(),
        "Z" => scene.drive.turned() > 0,
        _ => true,
    };
    CHOICES.iter().filter(can).copied().collect()
}

/// Every resource in order, with its status.
fn list(face: &mut Face, scene: &mut Scene) -> io::Result<()> {
    let plan = scene.plan();
    for step in &plan.steps {
        let id = &step.resource;
        let state = match scene.drive.state(id) {
            _ if scene.drive.next.as_ref() == Some(id) => "next",
            Some(TurnState::Running) => "running",
            Some(TurnState::Done) => "done",
            Some(TurnState::Failed { .. }) => "failed",
            Some(TurnState::Skipped) => "skipped",
            Some(TurnState::Blocked { .. }) => "blocked",
            Some(TurnState::Waiting) | None => "waiting",
        };
        let left_out = if scene.drive.is_left_out(id) { "  will be skipped" } else { "" };
        let name = face.paint.role(Role::Name, id).to_string();
        let (action, certainty) = (action_words(step), certainty_words(step));
        writeln!(face.out, "{state:<8} {action}{certainty}  {name}{}{left_out}", stop_word(scene, id))?;
    }
    Ok(())
}
