//! `workbench` without a module: a page with nearby modules, a path, an import, the demo, the tutor.

use std::io;
use std::path::Path;

use super::tutor::{TutorCommand, of_lesson, open_lesson};
use super::workbench::show;
use crate::cli::args::{Color, Entry, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::open_unreported;
use crate::module::entry_files;
use crate::session::{Lesson, Report, begin_module, nearby};
use crate::tui::{self, Choice, Ended, Options, Start};

/// Shows the page until something can be opened or the user quits.
pub fn run(face: &mut Face, global: &Global, entry: &Entry) -> io::Result<Exit> {
    let typed = entry.entry.as_deref().filter(|typed| *typed != ".");
    let name = typed.map_or("the current folder".to_string(), |folder| format!("`{folder}`"));
    let reason = format!("No module in {name} (none of {}).", entry_files());
    let near = nearby(Path::new(typed.unwrap_or(".")));
    let mut page = Start::new(reason, &near, typed.is_none());
    let options = Options::of_terminal(face.config.clone(), global.color != Color::Never);
    let open = |face: &Face, path: Option<&str>| {
        let entry = Entry { entry: path.map(Into::into), work: entry.work.clone(), ..Entry::default() };
        open_unreported(face, global, &entry, false)
    };
    // Below a module's root, that module is opened, as with other tools; but not if there are others to choose from. A
    // typed entry is taken as typed.
    if let Some(around) = near.around.as_deref().filter(|_| typed.is_none() && near.below.is_empty())
        && let Ok(Ok(session)) = open(face, Some(around))
    {
        let greeting = format!("opened {around}, the module that contains this folder");
        return show(global, session, None, Some(greeting));
    }
    loop {
        let (path, greeting) = match tui::start(&mut page, &options)? {
            Choice::Ended(Ended::Left) => return Ok(Exit::Done),
            Choice::Ended(Ended::Signal(number)) => return Ok(Exit::Signal(number)),
            Choice::Demo => return demo(face, global),
            Choice::Tutor => return TutorCommand { from: None, list: false }.run(face, global),
            Choice::Open(path) => (Some(path), None),
            Choice::Begin(import) => match begin_module(&import) {
                Ok(file) => (None, Some(format!("{file} created: f on Modules (4) fetches its imports"))),
                Err(why) => {
                    page.refuse(why);
                    continue;
                }
            },
        };
        match open(face, path.as_deref()) {
            Ok(Ok(session)) => return show(global, session, None, greeting),
            Ok(Err(report)) => page.refuse(one_line(&report)),
            Err(exit) => return Ok(exit),
        }
    }
}

/// The error, in one line.
fn one_line(report: &Report) -> String {
    let first = report.diagnostics.iter().next();
    let words = first.map(|one| {
        let help = one.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{}: {}{help}", one.code.summary(), one.label)
    });
    words.unwrap_or_else(|| "cannot be opened".into())
}

/// Opens the screens on a copy of the demo, with its own history; both are deleted at the end.
fn demo(face: &Face, global: &Global) -> io::Result<Exit> {
    let lesson = Lesson::begin()?;
    let global = of_lesson(global, &lesson);
    let session = match open_lesson(face, &global, &lesson) {
        Ok(session) => session,
        Err(exit) => return Ok(exit),
    };
    let greeting = format!("a copy of the demo in {}, deleted on exit", lesson.entry().display());
    show(&global, session, None, Some(greeting))
}
