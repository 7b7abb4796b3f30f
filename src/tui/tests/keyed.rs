//! Keys in, state out.

use std::{collections::BTreeSet, sync::Arc};

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::stage::{Play, broken, id, modules};
use crate::session::Here;
use crate::source::Place;
use crate::tui::keymap::{Entry, Keymap, TABLE};
use crate::tui::keys::{self, Key};
use crate::tui::layer::{Layer, question};
use crate::tui::screen::code::{Answer, Asked};
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::update::{begin, update};
use crate::tui::{effect::Effect, look::UNICODE, message::Message, state::State, tutor::Tutor, widget::text};

/// A shell command with options is typed without them here.
#[test]
fn options_are_for_a_shell() {
    let mut play = super::stage::Play::new(120, 40);
    play.press(":  p r e v i e w space - - o u t space F enter").shows("use a shell: workbench preview --out F");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
}

#[test]
fn numbers_and_tab_move_about() {
    let mut play = Play::new(120, 40);
    for (keys, screen, focus) in [
        ("2", ScreenId::Code, Pane::Text),
        ("tab", ScreenId::Code, Pane::Outline),
        ("shift-tab", ScreenId::Code, Pane::Text),
        ("3", ScreenId::Graph, Pane::Rails),
        ("tab", ScreenId::Graph, Pane::Node),
        ("6", ScreenId::Log, Pane::Log),
        ("5", ScreenId::Deploys, Pane::Deploys),
        ("tab", ScreenId::Deploys, Pane::Deploy),
        ("4", ScreenId::Modules, Pane::Tree),
    ] {
        play.press(keys);
        assert_eq!((play.screen(), play.state.cx.focus()), (screen, focus), "{keys}");
    }
}

/// The quit hint shows the bound key; without one, the command.
#[test]
fn how_to_quit_is_reported_with_the_key_in_force() {
    for (key, said) in [(Some("q"), "q quits"), (Some("ctrl-x"), "Ctrl-x quits"), (None, ":quit quits")] {
        let mut play = super::stage::Play::new(120, 40);
        let mut keymap = Keymap::built_in();
        keymap.bound.retain(|bound| bound.entry.id != "quit" || key.is_some());
        for bound in keymap.bound.iter_mut().filter(|bound| bound.entry.id == "quit") {
            bound.keys = keys::parse(key.unwrap_or_default()).expect("a key");
        }
        play.state.cx.keymap = Arc::new(keymap);
        play.press("3  ctrl-c");
        assert_eq!(play.draw().lines().last().map(str::trim), Some(said));
    }
}

/// Relative line numbers make digits counts; elsewhere a digit is a screen, or nothing.
#[test]
fn digits_count_where_lines_are_numbered_for_it() {
    let mut play = Play::new(120, 40);
    let line = |play: &Play| play.line();
    play.press("2  7  j");
    assert_eq!((play.screen(), line(&play)), (ScreenId::Code, Some(2)));
    play.press("5");
    assert_eq!(play.screen(), ScreenId::Deploys);
    play.state.screens.code.counts_from_cursor = true;
    play.press("2  5  k");
    assert_eq!((play.screen(), line(&play)), (ScreenId::Code, Some(1)));
    play.press("1  0  j");
    assert_eq!((play.screen(), line(&play)), (ScreenId::Code, Some(11)));
    for (keys, there) in
        [("1  1  G", 11), ("4  g  g", 4), ("1  2  g  g", 12), ("1  G", 1), ("9  9  9  G", 27), ("g  g", 1)]
    {
        play.press(keys);
        assert_eq!((play.screen(), line(&play)), (ScreenId::Code, Some(there)), "{keys}");
    }
    // A key without a count works on the digit's screen, also if it starts like one with a count.
    play.press("3  g  t");
    assert_eq!(play.screen(), ScreenId::Graph);
    play.shows("Dependencies");
    play.press("2  1  2  g  d");
    assert_eq!(play.screen(), ScreenId::Code);
    play.shows("12: a count must be followed");
    play.press("3");
    play.send(Message::PendingDue);
    assert_eq!(play.screen(), ScreenId::Graph);
}

#[test]
fn modules_fold_like_all_trees() {
    let mut play = Play::new(120, 40);
    let rows = |play: &Play| play.draw().lines().nth(play.state.cx.window.height as usize - 2).map(str::to_string);
    let foot = |play: &Play, words: &str| rows(play).is_some_and(|row| row.contains(words));
    play.press("z  M");
    assert!(foot(&play, "─1 of 2─"), "{:?}", rows(&play));
    play.press("z  R  j  z  a");
    assert!(foot(&play, "─1 of "), "the cursor goes to the module that hides it: {:?}", rows(&play));
}

/// The keys after a prefix are all shown, in columns if the window is too low.
#[test]
fn all_that_may_follow_is_shown() {
    let mut play = Play::new(60, 16);
    play.press("space").send(Message::PendingDue);
    insta::assert_snapshot!("which-key-60x16", play.draw());
}

/// They are whole also in the smallest window; tutor keys are listed only in the tutor.
#[test]
fn names_that_follow_are_whole() {
    let mut play = Play::new(60, 16);
    for screen in ScreenId::ALL {
        for prefix in ["space", "g", "z"] {
            play.state.cx.screen = screen;
            play.press(prefix).send(Message::PendingDue);
            let drawn = play.draw();
            let pressed = keys::parse(prefix).expect("a key");
            let all: Vec<_> = play.state.cx.keymap.on(screen).filter(|(keys, _)| keys[0] == pressed[0]).collect();
            for (_, entry) in all.iter().filter(|(keys, _)| keys.len() > 1) {
                let is_named = drawn.contains(entry.name()) || drawn.contains(&format!(" {} ", entry.id));
                assert_eq!(is_named, entry.id != "next-task", "{}: {drawn}", entry.id);
            }
            play.press("esc");
        }
    }
    play.state.cx.tutor = Some(Tutor::at(0));
    play.press("space").send(Message::PendingDue);
    play.shows(" next-task ");
}

/// A whole title can be read: beside its keys in a wide window, below the list in another.
#[test]
fn titles_are_whole_in_the_palette() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut seen = BTreeSet::new();
        for screen in ScreenId::ALL {
            let mut play = Play::new(width, height);
            play.state.cx.screen = screen;
            play.press("?");
            for _ in TABLE.iter().filter(|entry| entry.works_on(screen)) {
                let drawn = play.draw();
                let text = drawn.lines().map(|line| line.trim_matches(['│', ' '])).collect::<Vec<_>>().join(" ");
                let is_shown = |entry: &&Entry| entry.works_on(screen) && text.contains(entry.title);
                seen.extend(TABLE.iter().filter(is_shown).map(|entry| entry.id));
                play.press("down");
            }
        }
        let cut: Vec<_> = TABLE.iter().filter(|entry| !seen.contains(entry.id)).map(|entry| entry.title).collect();
        assert!(cut.is_empty(), "{width}x{height}: {cut:?}");
    }
}

/// The parameters of a kind are shown on any of its resources.
#[test]
fn k_shows_the_kind_on_lists() {
    for keys in ["3  j  K", "p  j  K"] {
        let mut play = Play::after(keys);
        play.shows("resource file[/srv/web/nginx.conf]").shows("Octal such as");
        play.press("esc");
        assert!(!play.draw().contains("Octal such as"), "{keys}");
    }
}

/// The references to a resource are listed at its declaration: those of the graph, and those only in the text.
#[test]
fn a_declaration_lists_who_refers_to_it() {
    let mut play = Play::sized(160, 40, "2  j  j  j  j  j  j  j  j  j  j  l  g  r");
    play.shows_all([
        "4 references of file[/srv/web/nginx.conf]",
        "file[/srv/web/nginx.conf]  declared here  web/main.mcl:11",
        "pkg[nginx]  runs before it",
        "svc[nginx]  is refreshed by it",
        "explicit dependency",
        "`Depend`, not in",
    ]);
    play.press("esc  K");
    play.shows_all(["1 refreshed by it; 1 other dependency", "web/main.mcl:11", "Octal such as"]);
}

#[test]
fn steps_forth_and_back() {
    let mut play = Play::after("p");
    for (keys, next) in [
        ("s", Some("file[/srv/web/nginx.conf]")),
        ("s", Some("file[/srv/web/index.html]")),
        ("Z", Some("file[/srv/web/nginx.conf]")),
        ("j  j  t", Some("svc[nginx]")),
        ("c", None),
        ("Z", Some("exec[warm the cache]")),
    ] {
        play.press(keys);
        assert_eq!(play.step().next_id().cloned(), next.map(id), "{keys}");
    }
}

#[test]
fn skipping_a_dependency_asks_first() {
    let mut play = Play::new(80, 24);
    play.press("p  s  x").shows("This blocks 2 dependents");
    play.press("n");
    assert_eq!(play.step().next_id().cloned(), Some(id("file[/srv/web/nginx.conf]")));
    play.press("x  y");
    assert_eq!(play.step().next_id().cloned(), Some(id("file[/srv/web/index.html]")));
    assert_eq!(play.asked.last().map(String::as_str), Some("Skip"));
}

#[test]
fn source_and_resource_lead_to_each_other() {
    let mut play = Play::after("3  j  enter");
    assert_eq!(play.screen(), ScreenId::Code);
    assert_eq!(play.line(), Some(11));
    play.press("b");
    assert!(play.step().breaks.breakpoints.contains(&id("file[/srv/web/nginx.conf]")));
    play.press("enter");
    assert_eq!(play.screen(), ScreenId::Graph);
    play.press("ctrl-o");
    assert_eq!(play.screen(), ScreenId::Code);
    play.press("ctrl-o");
    assert_eq!(play.screen(), ScreenId::Graph);
}

#[test]
fn a_filter_is_typed_kept_and_cleared() {
    let mut play = Play::new(80, 24);
    play.press("3  /  e  x  e  c").shows("1 of 1");
    play.press("enter  esc").shows("of 5");
    play.press("/  z  z").shows("hides 5 resources");
    play.press("esc  /  a  c  t  :  !").shows("p makes one");
    play.press("esc").shows("of 5");
}

#[test]
fn a_search_goes_from_match_to_match() {
    let mut play = Play::after("2  /  n  g  i  n  x  enter");
    let mut lines = vec![];
    for _ in 0..4 {
        lines.push(play.state.screens.code.doc().map_or(0, |doc| doc.line()));
        play.press("n");
    }
    assert_eq!(lines, [7, 11, 15, 18]);
    play.press("N  N");
    assert_eq!(play.line(), Some(15));
}

/// The column is kept over shorter lines, at every size, and after a return from another screen.
#[test]
fn the_cursor_has_a_column() {
    let mut play = Play::after("2");
    for (keys, spot) in [
        ("ctrl-right  ctrl-right", (1, 9)),
        ("ctrl-right", (1, 12)),
        ("ctrl-right", (3, 1)),
        ("ctrl-left", (1, 12)),
        ("g  g  h", (1, 11)),
        ("j", (2, 1)),
        ("j", (3, 11)),
        ("j  j", (5, 1)),
        ("j  j", (7, 8)),
        ("ctrl-left", (7, 7)),
        ("ctrl-left", (7, 6)),
        ("ctrl-left", (7, 2)),
        ("3  2", (7, 2)),
    ] {
        play.press(keys);
        let seen = play.spot();
        assert_eq!((play.screen(), seen), (ScreenId::Code, Some(spot)), "{keys}");
    }
    for (width, height) in [(80, 24), (20, 8), (1, 1), (120, 40)] {
        play.send(Message::Resize(width, height));
        play.draw();
    }
    assert_eq!(play.spot(), Some((7, 2)));
}

#[test]
fn a_click_puts_the_cursor_on_a_character() {
    let mut play = Play::sized(80, 24, "2");
    // Line 7 is `\tpkg "nginx" {`, its tab four wide; seven columns of margin and a border are left of it.
    for (column, row, spot) in [(12, 8, (7, 2)), (13, 8, (7, 3)), (9, 8, (7, 1)), (2, 8, (7, 1)), (70, 8, (7, 14))] {
        play.send(Message::Mouse(left_click(column, row)));
        assert_eq!(play.spot(), Some(spot), "{column}");
    }
}

/// A click on a hint in the footer, on an answer of a question, or on a row of a popup acts as its key.
#[test]
fn what_is_drawn_reacts_to_a_click() {
    let mut play = Play::new(120, 40);
    let click = |play: &mut Play, words: &str| {
        let page = play.draw();
        let found = page.lines().enumerate().find_map(|(row, line)| Some((line.split_once(words)?.0.to_owned(), row)));
        let (before, row) = found.unwrap_or_else(|| panic!("no `{words}`: {page}"));
        play.send(Message::Mouse(left_click(text::width(&before) as u16, row as u16)));
    };
    click(&mut play, "? keys");
    assert!(matches!(play.state.cx.layers.open[..], [Layer::Palette(_)]), "{}", play.draw());
    click(&mut play, "Fold all");
    play.shows("Enter run");
    play.press("esc  p  A");
    assert!(
        play.asks(|answer| matches!(answer, question::Answer::Word { .. } | question::Answer::Yes(_))),
        "{}",
        play.draw()
    );
    play.press("esc  E");
    click(&mut play, "3 Graph");
    assert_eq!(play.screen(), ScreenId::Graph);
}

/// Goes to the definition, also in another file, and back and forth.
#[test]
fn a_name_leads_to_its_definition_and_uses() {
    let mut play = Play::after("2");
    let at = |play: &Play| {
        play.state.screens.code.doc().map(|doc| (doc.name.to_string(), doc.spot())).expect("a file is open")
    };
    let to_23 = "g  g".to_string() + &"  j".repeat(22);
    for (keys, file, spot) in [
        ("g  g  j  j  j  j  j  j  j  j  j  j  ctrl-right  ctrl-right  ctrl-right", "web/main.mcl", (11, 8)),
        ("g  d", "web/main.mcl", (4, 1)),
        ("ctrl-o", "web/main.mcl", (11, 8)),
        ("alt-o", "web/main.mcl", (4, 1)),
        ("g  r  down  enter", "web/main.mcl", (11, 8)),
        ("ctrl-o  ctrl-o", "web/main.mcl", (11, 8)),
        (&*to_23, "web/main.mcl", (23, 11)),
        ("g  d", "web/layout.mcl", (6, 7)),
        ("ctrl-o", "web/main.mcl", (23, 11)),
        ("ctrl-i", "web/layout.mcl", (6, 7)),
    ] {
        play.press(keys);
        assert_eq!(at(&play), (file.to_string(), spot), "{keys}");
        assert!(play.has_no_layer(), "{keys}");
    }
}

#[test]
fn what_has_no_source_shows_it() {
    let mut play = Play::after("2  g  g");
    for (keys, words) in [
        ("K", "no symbol under the cursor"),
        ("j  j  j  g  d", "this is where $root is defined"),
        ("j  j  j  j  j  j  j  j  j  K", "function fmt.printf"),
        ("g  d", "`fmt.printf` is built in"),
    ] {
        play.press(keys).shows(words);
    }
}

/// The popup scrolls, and closes with the next key, which still acts; so does a click.
#[test]
fn a_hover_hides_nothing_in_use() {
    let mut play = Play::new(80, 24);
    play.press("2  j  j  j  j  j  j  j  j  j  j  j  j  K").shows("Ctrl-d more");
    play.press("ctrl-d  ctrl-d  ctrl-d  ctrl-d").shows("built in, no source");
    for (keys, line) in [("j", 14), ("k  K  esc", 13), ("K  K", 13), ("K  3  2", 13)] {
        play.press(keys);
        assert!(play.has_no_layer(), "{keys}");
        assert_eq!(play.line(), Some(line), "{keys}");
    }
    play.press("K");
    play.send(Message::Mouse(left_click(12, 3)));
    assert!(play.has_no_layer());
}

/// A change on disk is compiled automatically; the last good graph stays, marked as old.
#[test]
fn changed_files_are_read_again() {
    let mut play = Play::after("3  j  j  2  j  j  j  l");
    let spot = play.spot();
    let turn = play.state.cx.programs.turn;
    play.change(broken());
    assert_eq!(play.state.cx.programs.turn, turn + 1);
    assert_eq!(play.spot(), spot);
    play.shows("1E 0W");
    play.press("3").shows("stale: last good graph").shows("3 of 5");
    play.change(super::stage::program());
    play.hides("stale");
}

/// An answer for a place that the cursor has left is not shown.
#[test]
fn late_answers_are_dropped() {
    let mut play = Play::sized(80, 24, "2  j  j  j");
    let late = update(&mut play.state, Message::Key(Key::char('K')));
    play.press("j");
    for effect in late {
        assert!(matches!(effect, Effect::LookUp { .. }));
        let (name, here) = (play.state.screens.code.doc().expect("a file is open").name.clone(), None);
        play.send(Message::LookedUp { name, spot: (4, 1), asked: Asked::Hover, here });
    }
    assert!(play.has_no_layer() && play.state.cx.notices.notice.is_none() && play.state.cx.jobs.is_empty());
}

/// A language's explanation of a value: sentences below their places.
#[test]
fn a_description_shows_why() {
    let mut play = Play::sized(80, 24, "2  j  j  j");
    let place = |line| Place { file: "web/main.mcl".into(), line, column: 1, end_line: line, end_column: 2 };
    let here = Here { what: "attribute".into(), name: "pages".into(), place: place(4), ..Here::default() };
    let mut answer = Box::new(Answer::new(here, None));
    assert_eq!(answer.subject().map(|subject| subject.to_string()), Some("pages".to_string()));
    let (adds, waits, closes) = ("pages: adds a value", "pages: waits for the whole list", "pages: closes it");
    answer.why = vec![(Some(place(7)), adds.into()), (Some(place(7)), waits.into()), (None, closes.into())];
    let name = play.state.screens.code.doc().expect("a file is open").name.clone();
    play.send(Message::LookedUp { name, spot: (4, 1), asked: Asked::Hover, here: Some(answer) });
    let frame = play.draw();
    assert!([" why", adds, waits, closes].iter().all(|words| frame.contains(words)), "{frame}");
    assert_eq!(frame.matches("web/main.mcl:7").count(), 1, "{frame}");
}

/// A line longer than the pane scrolls, so that the cursor stays in view.
#[test]
fn long_lines_move_aside() {
    let mut play = Play::new(24, 12);
    play.press("2  j  j").press(&vec!["l"; 40].join("  ")).shows("its own.").hides("import");
    play.press(&vec!["h"; 40].join("  ")).shows("import");
}

fn left_click(column: u16, row: u16) -> MouseEvent {
    let kind = MouseEventKind::Down(MouseButton::Left);
    MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
}

#[test]
fn disabled_actions_show_the_reason() {
    let mut play = Play::with(80, 24, &UNICODE, broken());
    for (keys, words) in [
        ("5  u", "no deploys yet"),
        ("p", "Cannot plan"),
        ("p", "1 error: web/main.mcl:"),
        ("s", "1 error: web/main.mcl:"),
        ("A", "1 error: web/main.mcl:"),
        ("u", "nothing applied in this session"),
        ("R", "no deploy is interrupted"),
        ("Z", "no step has run yet"),
    ] {
        play.press(keys).shows(words);
    }
}

/// Files may change after they were compiled, also during a run.
#[test]
fn planning_reads_everything_again() {
    let mut play = Play::new(120, 40);
    for keys in ["p", "s  p", "4  p"] {
        let before = (play.state.cx.programs.turn, play.step().run);
        play.press(keys);
        assert_eq!((play.state.cx.programs.turn, play.step().run), (before.0 + 1, before.1 + 1), "{keys}");
        assert!(play.step().shows_summary() && !play.step().has_turned(), "{keys}");
    }
}

/// Another module's `main.mcl` in the same folder is not opened instead.
#[test]
fn code_opens_at_the_entry() {
    let mut play = Play::new(120, 40);
    assert_eq!(play.state.screens.code.doc().and_then(|doc| doc.path.clone()), Some("/m/web/main.mcl".into()));
    let mut state = State::new(80, 24, play.state.cx.look.clone(), "web".into(), "layout.mcl".into());
    state.cx.project.entry_file = Some("/m/web/layout.mcl".into());
    begin(&mut state);
    let effects = update(&mut state, Message::Modules(modules(), vec![], vec![]));
    let asks = |effect: &Effect| matches!(effect, Effect::ReadFile { path } if path.ends_with("layout.mcl"));
    assert!(effects.iter().any(asks), "{effects:?}");
    play.press("q");
}

#[test]
fn escape_never_quits_and_q_does() {
    let mut play = Play::sized(80, 24, "esc  esc  esc  ?  esc  /  esc  ctrl-c");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
    play.press("q");
    assert_eq!(play.asked, ["Quit"]);
}

#[test]
fn the_palette_runs_its_matches() {
    let mut play = Play::sized(80, 24, "?  r  e  p  a  i  n  t  enter");
    play.press("?");
    play.send(Message::Paste("quit\nmore".into()));
    play.press("enter");
    assert_eq!(play.asked, ["Repaint", "Quit"]);
}

/// Each action can run on each of its screens, in every state of the plan, without a panic.
#[test]
fn every_action_everywhere() {
    for before in ["", "p", "p  s", "p  c"] {
        for entry in TABLE {
            for screen in ["4", "2", "3", "1", "5", "6"] {
                let mut play = Play::new(80, 24);
                if !before.is_empty() {
                    play.press(before);
                }
                play.press(screen);
                play.send(Message::PendingDue);
                play.press(entry.keys[0]);
                play.draw();
            }
        }
    }
}

#[test]
fn a_plan_that_cannot_be_made_leads_to_the_error() {
    for keys in ["enter", "g  d", "]  d"] {
        let mut play = Play::with(120, 40, &UNICODE, broken());
        play.press("1").shows("Errors").shows(" --> web/main.mcl:");
        play.press(keys);
        assert_eq!(play.screen(), ScreenId::Code, "{keys}");
        let line = play.state.cx.programs.newest.as_ref().and_then(|program| Some(program.first_error_place()?.line));
        assert_eq!(play.line(), line, "{keys}: {}", play.draw());
    }
    let mut play = Play::with(120, 40, &UNICODE, broken());
    play.press("1  e");
    let line = play.state.cx.programs.newest.as_ref().and_then(|program| Some(program.first_error_place()?.line));
    let edit = format!("main.mcl\", line: {} }}", line.expect("the error has a place"));
    assert!(
        matches!(&play.asked[..], [asked] if asked.starts_with("Edit {") && asked.ends_with(&edit)),
        "{:?}",
        play.asked
    );
}

/// A row whose place in the text is not a symbol shows its resource.
#[test]
fn a_row_without_a_symbol_shows_its_kind() {
    let play = Play::after("p  j  j  j  K");
    play.shows("resource svc[nginx]").hides("no symbol");
}
