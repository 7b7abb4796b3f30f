//! The tutor and what is kept of the screens, in a real terminal: nine tasks by keys, left and gone on with.

use std::path::Path;

use crate::terminal::{PROGRAM, Terminal};

/// How many folders of tutors there are.
fn lessons(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("the folder is ours");
    entries.filter(|entry| entry.as_ref().is_ok_and(|e| e.file_name().to_string_lossy().contains("tutor"))).count()
}

#[test]
fn nine_tasks_are_done_by_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let (state, temporary) = (folder.path().join("state"), folder.path().join("tmp"));
    std::fs::create_dir(&temporary).expect("a folder");
    let command = format!(
        "TMPDIR={} exec {PROGRAM} --config /dev/null --state-dir {} tutor",
        temporary.display(),
        state.display()
    );
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 44);
    terminal.until_shows("Tutor 1 of 9: Open");
    terminal.press("4");
    terminal.until_shows("metadata.yaml");
    assert_eq!(lessons(&temporary), 1);
    terminal.press("jj");
    terminal.press("\r");
    terminal.until_shows("Tutor 2 of 9: Read");
    terminal.press("/readfile\r");
    terminal.press("K");
    terminal.until_shows("Tutor 3 of 9: Graph");
    // Left, and gone on with on a fresh copy.
    terminal.press("\x1b");
    terminal.until("the hover to go", |terminal| !terminal.shows("built in"));
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until_shows("2 of 9 done");
    assert_eq!(lessons(&temporary), 0, "the copy is gone");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 44);
    terminal.until_shows("Tutor 3 of 9: Graph");
    terminal.until_shows("compiled");
    terminal.press("3");
    // The rows are laid out beside the loop: their count shows that they are there.
    terminal.until_shows("1 of 13");
    terminal.press("jjjjjjjjj");
    // The screens open with a preview: the task is done where that came first.
    terminal.until("the next task", |terminal| terminal.shows("Tutor 4 of 9") || terminal.shows("Tutor 5 of 9"));
    terminal.press("p");
    terminal.until_shows("Tutor 5 of 9: Step");
    terminal.press("sss");
    terminal.until_shows("Tutor 6 of 9: Break");
    terminal.press("Gbc");
    terminal.until_shows("Tutor 7 of 9: Apply");
    terminal.goes_live(1);
    terminal.press("c");
    terminal.until_shows("stopped at a breakpoint");
    terminal.press_again("c");
    terminal.until_shows("Tutor 8 of 9: Undo");
    terminal.press("u");
    terminal.until_shows("Undo deploy 1?");
    terminal.press("y");
    terminal.until_shows("Tutor 9 of 9: Find");
    terminal.press("q");
    terminal.until("the answer to go", |terminal| !terminal.shows("any key closes"));
    terminal.press("/tides\r");
    terminal.until_shows("all 9 done");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
    terminal.until_shows("all 9 done");
    assert_eq!(lessons(&temporary), 0, "the copy is gone");
}

/// Breakpoints are restored, and the screens open on the plan. A file that cannot be read is named and ignored.
#[test]
fn breakpoints_are_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().display();
    let command =
        format!("WORKBENCH_RESTORE=true exec {PROGRAM} --config /dev/null --state-dir {state} modules/mcl/demo");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("would change");
    terminal.press("Gkb");
    terminal.until_shows("● value[motto]");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
    terminal.until_shows("[1 Plan]");
    terminal.until_shows("● value[motto]");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    for kept in std::fs::read_dir(folder.path().join("screens")).expect("something is kept") {
        std::fs::write(kept.expect("an entry").path(), "{\"version\": 1, \"screen\": 7").expect("a file");
    }
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 40);
    terminal.until_shows("Could not restore");
    terminal.until_shows("[1 Plan]");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
}

/// What the terminal answers is not typed, and a light ground gets the light theme, now and when it changes.
#[test]
fn the_theme_follows_the_ground() {
    let mut terminal = Terminal::start(&[PROGRAM, "--config", "/dev/null", "modules/mcl/demo"], 120, 40);
    terminal.until_shows("compiled");
    // The frame is whole once its last row is there.
    terminal.until_shows("? keys");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let ground = |terminal: &Terminal| terminal.screen().screen().cell(20, 100).map(|cell| cell.bgcolor());
    let dark = ground(&terminal);
    terminal.press("\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b[?62;22c");
    terminal.until("a light ground", |terminal| ground(terminal) != dark);
    terminal.press("\x1b[?997;1n");
    terminal.until("a dark ground", |terminal| ground(terminal) == dark);
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
}
