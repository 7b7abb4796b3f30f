//! Files on Code that changed under the screens: deleted files, copies, and reports of a compilation.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::stage::{Play, broken, program};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::Graph;
use crate::lang::Compiled;
use crate::source::{Sources, Span};
use crate::tui::{look::UNICODE, message::Message, program::Program, screen::code, state::State};

/// A program with files of one name, and an error in the last of them.
fn twins() -> Arc<Program> {
    let mut sources = Sources::default();
    sources.add("g1/main.mcl", Some("g1/main.mcl".into()), "import \"../g3/\"\n");
    let last = sources.add("g3/main.mcl", Some("g3/main.mcl".into()), "import \"../g1/\"\n");
    let mut diagnostics = Diagnostics::new(Stage::Scope);
    let label = "`../g1/` leads back to this very file, by way of all the words that a narrow pane has no room for";
    diagnostics.push(Diagnostic::error(Code::ImportCycle, Span::new(last, 0, 6)).label(label));
    Arc::new(Program::new(Compiled::new(Graph::default(), sources, diagnostics)))
}

#[test]
fn files_of_one_name_are_distinguished_and_problems_whole() {
    let mut play = Play::with(120, 40, &UNICODE, twins());
    play.press("2");
    play.shows("│E g3/main.mcl:1 `").shows("│g3/main.mcl:1:1").shows("│no room for  ");
}

#[test]
fn a_file_that_went_keeps_its_text_and_shows_it() {
    let mut play = Play::after("2");
    let read = |text: Result<&str, &str>| {
        let path = PathBuf::from("/m/notes.md");
        let text = text.map(Arc::from).map_err(String::from);
        Message::Read { asked: path.clone(), path, name: "notes.md".into(), text }
    };
    play.send(read(Ok("kept words\n")));
    let shows = |play: &mut Play| {
        let State { cx, screens } = &mut play.state;
        code::open(&mut screens.code, cx, "/m/notes.md".into(), (1, 1));
        assert!(cx.typing.effects.is_empty(), "it is open: {:?}", cx.typing.effects);
        play.draw()
    };
    assert!(!shows(&mut play).contains("deleted"), "{}", play.draw());
    play.send(read(Err("no such file")));
    play.shows("no such file; showing the last version");
    let drawn = shows(&mut play);
    assert!(drawn.contains("deleted: showing the las") && drawn.contains("kept words"), "{drawn}");
    play.send(read(Ok("kept words\n")));
    assert!(!shows(&mut play).contains("deleted"), "{}", play.draw());
}

#[test]
fn a_copy_out_of_a_bundle_is_not_edited() {
    let mut play = Play::after("2");
    let (path, _) = play.state.front().file().expect("a file is open");
    for (root, refused) in [(path.parent().map(PathBuf::from), true), (Some("/elsewhere".into()), false)] {
        play.state.cx.project.unpacked = root;
        play.press("e");
        assert_eq!(play.draw().contains("files of a bundle cannot be edited"), refused, "{}", play.draw());
        play.press("esc");
    }
}

/// An automatic compilation only goes to the log; a refused theme is reported.
#[test]
fn automatic_compilations_go_to_the_log() {
    for (program, words) in [(program(), "compiled 5 resources in 48ms"), (broken(), "compiled in 48ms: 1 error")] {
        let mut play = Play::with(120, 40, &UNICODE, program.clone());
        play.press("2");
        let turn = play.state.cx.programs.turn;
        play.send(Message::Compiled { program, turn, took: Duration::from_millis(48) });
        play.hides(words);
        assert!(play.log().contains(words), "{}", play.log());
    }
    let mut play = Play::new(120, 40);
    play.send(Message::NoTheme("no theme `foo`; did you mean `fog`?".into()));
    play.shows("no theme `foo`").hides("read:");
}
