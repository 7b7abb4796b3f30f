//! `workbench tutor`: nine tasks on a copy of the demo, on the screens, or as a list of commands.

use std::io::{self, IsTerminal, Write};

use clap::Args;

use crate::cli::args::{Color, Entry, Global, Work};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, is_dumb};
use crate::cli::open::open_anyway;
use crate::cli::paint::Role;
use crate::session::keepsakes::{keep, recall};
use crate::session::{Lesson, Session};
use crate::tui;

/// Learn the TUI in nine tasks, on a temporary copy of the demo
///
/// The tasks write only to a temporary folder, which has its own history.
///
/// Quit at any time with `q`; the next `workbench tutor` continues with the same task. Without a terminal, or with
/// --plain, lists the tasks with the equivalent commands.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench tutor\n  workbench tutor --from 4\n  workbench tutor --list")]
pub struct TutorCommand {
    /// Start with this task, 1 to 9 [default: the task where you quit]
    #[arg(long, value_name = "TASK", value_parser = clap::value_parser!(u8).range(1..=9))]
    pub from: Option<u8>,
    /// List the tasks with the equivalent commands
    #[arg(long)]
    pub list: bool,
}

/// The name under which the progress is saved.
const KEPT: &str = "tutor";

/// The options with the lesson's history instead of the user's.
pub fn of_lesson(global: &Global, lesson: &Lesson) -> Global {
    Global { state_dir: Some(lesson.state()), ..global.clone() }
}

/// Opens a lesson's copy of the demo.
pub fn open_lesson(face: &Face, global: &Global, lesson: &Lesson) -> Result<Session, Exit> {
    let entry = Entry { entry: Some(lesson.entry().display().to_string()), work: Work::default(), ..Entry::default() };
    open_anyway(face, global, &entry)
}

impl TutorCommand {
    /// Opens the lessons on the screens, or prints them without a terminal. It saves the progress.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let has_screen = io::stdin().is_terminal() && io::stdout().is_terminal();
        if self.list || global.plain || !has_screen || is_dumb() {
            return list(face);
        }
        let state = global.state_dir.as_ref();
        let left = || recall(state, KEPT).ok().flatten().and_then(|text| text.trim().parse().ok());
        let at = self.from.map(|task| usize::from(task) - 1).or_else(left).unwrap_or(0);
        let lesson = Lesson::begin()?;
        let session = match open_lesson(face, &of_lesson(global, &lesson), &lesson) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let config = session.options().config.clone();
        let mut options = tui::Options::of_terminal(config, global.color != Color::Never);
        options.state_dir = Some(lesson.state());
        let (ended, at) = tui::teach(std::sync::Arc::new(session), options, at)?;
        let count = tui::tasks().count();
        let text = if at < count { at.to_string() } else { String::new() };
        if let Err(why) = keep(state, KEPT, &text) {
            face.note(format!("your progress could not be saved: {why}"));
        }
        if at < count {
            face.note(format!("tutor: {at} of {count} done; `workbench tutor` continues"));
        } else {
            face.note(format!("tutor: all {count} done; now try `workbench` on your own module"));
        }
        Ok(match ended {
            tui::Ended::Left => Exit::Done,
            tui::Ended::Signal(number) => Exit::Signal(number),
        })
    }
}

fn list(face: &mut Face) -> io::Result<Exit> {
    for (at, (title, command)) in tui::tasks().enumerate() {
        let title = face.paint.role(Role::Name, format!("{title:8}"));
        writeln!(face.out, "{} {title} workbench {command}", at + 1)?;
    }
    Ok(Exit::Done)
}
