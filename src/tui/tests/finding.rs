//! Pickers, filters, the command line: keys in, state and frames out.

use std::sync::Arc;

use super::stage::{Play, id};
use crate::engine::message::{Event, TurnState};
use crate::module::LanguageName;
use crate::tui::look::{ASCII, UNICODE};
use crate::tui::screen::{Pane, ScreenId};
use crate::tui::{layer::Layer, layer::picker::Notice, message::Message};

fn shown(play: &Play) -> Option<String> {
    match play.state.cx.layers.open.last() {
        Some(Layer::Picker(picker)) => picker.selected().map(|item| item.shown.clone()),
        _ => None,
    }
}

#[test]
fn pickers_find_and_go_there() {
    let mut play = Play::new(120, 40);
    for (keys, selected) in [
        ("space  f", "web/layout.mcl"),
        ("m  a  i  n", "web/main.mcl"),
        ("esc  space  r", "pkg[nginx]"),
        ("i  n  d  e  x", "file[/srv/web/index.html]"),
        ("ctrl-u  down  down", "file[/srv/web/index.html]"),
        ("esc  space  s  w  e  b", "web"),
        ("esc  space  /  s  t  a  t  e", "/m/web/main.mcl:8"),
        ("down  down", "/m/web/main.mcl:19"),
    ] {
        play.press(keys);
        assert_eq!(shown(&play).as_deref(), Some(selected), "{keys}");
    }
    play.press("enter");
    assert_eq!(play.spot(), Some((19, 3)));
    assert_eq!((play.screen(), play.state.cx.focus()), (ScreenId::Code, Pane::Text));
    play.press("space  r  s  v  c  enter");
    let node = play.state.front().resource().expect("it is on the graph");
    assert_eq!(play.state.cx.graphed().map(|program| program.id(node).clone()), Some(id("svc[nginx]")));
    play.press("4  ctrl-o");
    assert_eq!(play.screen(), ScreenId::Code, "from there the picker led away");
    play.press("3  space  s  r  o  o  t  enter");
    assert_eq!((play.screen(), play.line()), (ScreenId::Code, Some(4)));
}

/// A closed picker gets no results, and results for an older one are dropped.
#[test]
fn a_picker_that_is_left_ends_its_workers() {
    let mut play = Play::after("space  f");
    assert_eq!(play.state.cx.layers.finding, Some(1));
    play.press("esc");
    assert_eq!(play.state.cx.layers.finding, None);
    play.press("space  f  z  z  z");
    assert_eq!(shown(&play), None);
    play.press("enter").shows("No match.");
    play.press("esc");
    assert!(play.has_no_layer());
}

#[test]
fn pickers_are_drawn_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 16), (40, 12)] {
        for (name, keys) in [("files", "space  f  m"), ("grep", "space  /  n  g  i  n  x"), ("symbols", "space  s")] {
            let play = Play::sized(width, height, keys);
            insta::assert_snapshot!(format!("picker-{name}-{width}x{height}"), play.draw());
        }
    }
    let mut play = Play::with(120, 40, &ASCII, super::stage::program());
    play.press("space  /  n  g  i  n  x");
    assert!(play.draw().is_ascii(), "{}", play.draw());
}

/// Later results may rank higher: the best one is selected, or the one that the user moved to.
#[test]
fn the_selection_stays_while_results_arrive() {
    let found = |play: &mut Play, names: &[&str], order: &[u32]| {
        let (pick, turn) = (play.state.cx.layers.picks, 1);
        let paths = names.iter().map(Into::into).collect();
        let items = crate::tui::layer::picker::files(paths, std::path::Path::new("/m")).into();
        let order = Some(order.to_vec());
        play.send(Message::Found(Notice::Items { pick, turn: 0, items }));
        play.send(Message::Found(Notice::Ranked { pick, turn, order, is_done: false }));
    };
    let mut play = Play::after("space  f  m");
    found(&mut play, &["/m/m"], &[2, 0, 1]);
    assert_eq!(shown(&play).as_deref(), Some("m"), "nobody moved yet");
    play.press("down");
    assert_eq!(shown(&play).as_deref(), Some("web/layout.mcl"));
    found(&mut play, &["/m/m1", "/m/m2"], &[2, 3, 4, 0, 1]);
    assert_eq!(shown(&play).as_deref(), Some("web/layout.mcl"));
    play.press("up");
    assert_eq!(shown(&play).as_deref(), Some("m2"));
    // Other words select the best one again.
    play.press("a");
    assert_eq!(shown(&play).as_deref(), Some("web/main.mcl"));
}

/// A long list is a window: drawing and moving cost the same at its end.
#[test]
fn hostile_names_are_named() {
    let mut play = Play::with(120, 40, &UNICODE, super::stage::program());
    let name = "/m/\u{1b}[31mred\u{202e}lru\u{200b}漢字";
    let items = crate::tui::layer::picker::files(vec![name.into()], std::path::Path::new("/m"));
    play.press("space  f");
    let pick = play.state.cx.layers.picks;
    let printed = crate::tui::layer::picker::Notice::Items { pick, turn: 0, items: Arc::from(items) };
    play.send(crate::tui::message::Message::Found(printed));
    play.press("down  down");
    let frame = play.draw();
    assert!(!frame.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{frame}");
    assert!(shown(&play).is_some_and(|shown| shown.contains("red")), "{frame}");
}

#[test]
fn jumps_open_folds() {
    let mut play = Play::after("2  g  g");
    for (keys, line) in [
        // To the class, which closes, and past it.
        ("j  j  j  j  j  z  a  j", 22),
        ("k  z  a  j", 7),
        ("z  M", 6),
        ("j  j", 23),
        ("k  k", 6),
        // A hidden match is unfolded.
        ("/  r  u  n  n  i  n  g  enter  esc", 19),
        ("z  R  g  g  j  j  j  j  j  j  j  z  a", 7),
        ("j", 10),
        ("k  z  a  j", 8),
    ] {
        play.press(keys);
        assert_eq!(play.line(), Some(line), "{keys}");
    }
    for (width, height) in [(120, 40), (60, 16)] {
        let mut play = Play::with(width, height, &UNICODE, super::stage::broken());
        play.press("2  j  j  j  j  j  z  M");
        insta::assert_snapshot!(format!("folded-{width}x{height}"), play.draw());
    }
}

/// The same words as those of `--only`, in every list; an invalid word is reported, and not kept.
#[test]
fn filters_take_the_words_of_only() {
    let mut play = Play::after("p  s  s  space  g");
    for (keys, shown) in [
        ("/  k  i  n  d  :  f  i", " of 2─"),
        ("enter  esc  /  a  c  t  :  c", " of 2─"),
        ("enter  esc  /  s  t  a  t  e  :  d  o  n  e  enter", " of 2─"),
        ("esc  /  !  n  g  i  n  x  enter", " of 2─"),
        ("esc  /  N  G", "hides 5 resources"),
        ("esc  4  /  l  a  y  enter", " of 2─"),
        // A refreshed resource is not unchanged.
        ("esc  1  /  a  c  t  :  n  enter", "  /act:n─"),
        ("esc  H", "  /!act:none─"),
        ("H  G", " of 5─"),
    ] {
        play.press(keys).shows(shown);
    }
    play.press("esc  space  g  /  a  c  t  :  z  z  enter").shows("`zz` is not a valid action; use one of: create");
    play.press("esc").shows("of 5");
}

#[test]
fn a_search_counts() {
    let mut play = Play::after("2  /  s  t  a  t  e  enter");
    play.shows("1 of 3  line 8 of 27, column 3");
    play.press("n  n").shows("3 of 3  line 19 of 27, column 3");
    play.press("n  N").shows("3 of 3");
    play.press("esc  /  S  T").shows("not found");
}

/// One line may be the whole file, and a character whose lower case is longer keeps its position.
#[test]
fn a_search_goes_through_a_long_line_once() {
    let mut play = Play::sized(80, 24, "2");
    let text = format!("# {}\n# \u{130}\u{e9}e\u{301} LAST\n", "ab ".repeat(60_000));
    let path = play.state.screens.code.doc().and_then(|doc| doc.path.clone()).expect("it is open");
    let name = path.display().to_string().into();
    play.send(Message::Read { asked: path.clone(), path, name, text: Ok(text.into()) });
    play.press("/  b  enter").shows("1 of 60000  line 1 of");
    play.press("N").shows("60000 of 60000  line 1 of");
    play.press("esc  /  l  a  s  t  enter").shows("1 of 1  line 2 of");
}

fn commands(play: &Play) -> Vec<String> {
    match play.state.cx.layers.open.last() {
        Some(Layer::Command(line)) => vec![line.line.clone()],
        _ => vec![],
    }
}

#[test]
fn commands_are_typed_completed_and_remembered() {
    let mut play = Play::after("3");
    for (keys, line) in [
        (":  g  r  tab", "grep "),
        ("tab", "graph"),
        ("shift-tab  shift-tab", "gr"),
        ("ctrl-u  o  n  l  y  space  k  i  n  d  :  s  tab", "only kind:svc"),
        ("ctrl-u  g  o  t  o  space  l  a  y  o  tab", "goto web/layout.mcl"),
        ("ctrl-u  t  h  e  m  e  space  n  i  tab", "theme night"),
    ] {
        play.press(keys);
        assert_eq!(commands(&play), [line], "{keys}");
    }
    play.press("ctrl-u  g  r  a  p  h  enter");
    assert_eq!((play.screen(), commands(&play).len()), (ScreenId::Graph, 0));
    play.press(":  o  n  l  y  space  k  i  n  d  :  f  i  l  e  enter").shows("/kind:file");
    play.press("esc  :  up");
    assert_eq!(commands(&play), ["only kind:file"]);
    play.press("up");
    assert_eq!(commands(&play), ["graph"]);
    play.press("down  down");
    assert_eq!(commands(&play), [""]);
    play.press("backspace");
    assert!(play.has_no_layer());
    for (keys, said) in [
        (":  q  u  i  r  enter", "unknown command `quir`; did you mean `quit`?"),
        (":  f  m  t  enter", "`workbench fmt` only works in a shell"),
        (":  s  k  i  p  enter", "`skip` is only available on Plan"),
        (":  s  t  e  p  space  z  enter", "unknown command `step z`; use s [N], o, c"),
        (":  s  t  e  p  space  b  space  f  enter", "no `f` in the plan"),
        (":  d  e  p  l  o  y  space  p  u  s  h  enter", "unknown command `deploy push`; use list, show N"),
        (":  j  u  m  p  -  f  o  r  w  a  r  d  enter", "no later place in the jump list"),
        (":  o  n  l  y  space  a  c  t  :  q  enter", "`q` is not a valid action"),
        (":  s  e  t  space  w  r  a  b  enter", "unknown option `wrab`"),
    ] {
        play.press(keys).shows(said);
    }
    play.press(":  g  o  t  o  space  s  v  c  enter");
    assert_eq!(play.state.front().copy().as_deref(), Some("svc[nginx]"));
    play.press(":  g  o  t  o  space  w  e  b  /  m  a  i  n  .  m  c  l  :  1  3  :  4  enter");
    assert_eq!(play.spot(), Some((13, 4)));
    play.press(":  7  enter");
    assert_eq!(play.line(), Some(7));
    play.press(":  g  r  e  p  space  n  g  i  n  x  enter");
    assert_eq!(shown(&play).as_deref(), Some("/m/web/main.mcl:7"));
}

#[test]
fn a_node_is_picked_for_puppet_only() {
    let mut play = Play::new(120, 40);
    let line = ":  n  o  d  e  space  W  1  enter";
    let turn = play.state.cx.programs.turn;
    play.press(line);
    assert_eq!(play.state.cx.programs.turn, turn, "mcl is not compiled for a node");
    play.state.cx.project.language = LanguageName::Puppet;
    play.press(line);
    assert_eq!(play.state.cx.programs.turn, turn + 1);
    assert!(play.log().contains("workbench graph web --node w1"));
    play.press("1").shows("compiles for node w1, ");
}

#[test]
fn the_command_line_is_drawn() {
    for (width, height) in [(120, 40), (60, 16)] {
        let play = Play::sized(width, height, "p  :  s  t");
        insta::assert_snapshot!(format!("command-{width}x{height}"), play.draw());
    }
}

#[test]
fn the_log_is_filtered_by_level_and_resource() {
    let mut play = Play::after("p  s  s  s  space  g  6");
    let lines = |play: &Play| play.draw().lines().filter(|line| line.contains("00:00:00")).count();
    let all = lines(&play);
    play.press("/  l e v e l : i n f o enter");
    let info = lines(&play);
    assert!(info < all && info > 0, "{}", play.draw());
    play.press("esc  .");
    let frame = play.draw();
    assert!(frame.contains("/file[/srv/web/") && lines(&play) < info, "{frame}");
    play.press("esc  g  g  enter").shows("any key closes");
    play.press("esc  S");
    assert_eq!(commands(&play), ["save workbench.log"]);
    play.press("enter");
    assert!(play.asked.iter().any(|asked| asked.starts_with("SaveLog")), "{:?}", play.asked);
    let mut narrow = Play::new(40, 12);
    narrow.press("6  g  g");
    insta::assert_snapshot!("log-wrapped-40x12", narrow.draw());
}

/// A failure in a run is a problem, with its last output, and so are the blocked resources.
#[test]
fn failures_of_a_run_are_problems() {
    let mut play = Play::after("p  s");
    let (failed, blocked) = (id("file[/srv/web/nginx.conf]"), id("svc[nginx]"));
    let by = failed.clone();
    let error = "the command exited with code 7: last words\nline 1\nlast words".into();
    for (resource, state) in
        [(failed, TurnState::Failed { error, is_undone: false }), (blocked, TurnState::Blocked { by })]
    {
        let event = Event::Turn { resource, state, step: None, elapsed_ms: 0 };
        play.send(Message::Run { run: play.step().run, event });
    }
    play.press("6  /  l e v e l : p r o b l e m s enter");
    let frame = play.draw();
    let printed = [
        "nginx.conf]  failed: the command exited with code 7: last words ",
        "nginx.conf]: line 1 ",
        "svc[nginx]  blocked",
    ];
    assert!(printed.iter().all(|words| frame.contains(words)), "{frame}");
    assert!(!frame.contains("pkg[nginx]"), "{frame}");
}

/// Every action names its equivalent command, or the reason why there is none.
#[test]
fn actions_log_their_commands() {
    let play = Play::after("3  j  b  2  6");
    let frame = play.draw();
    for command in ["workbench graph web", "--script 'b file[/srv/web/nginx.conf]'"] {
        assert!(frame.contains(command), "{command}: {frame}");
    }
}

/// The shell's commands with arguments do the same as the keys.
#[test]
fn the_command_line_takes_the_verbs_of_the_shell() {
    let typed = |line: &str| {
        let mut play = Play::new(120, 40);
        play.deploys = super::deploys::history();
        play.press("p");
        for letter in line.chars() {
            play.press(&if letter == ' ' { "space".to_string() } else { letter.to_string() });
        }
        play.press("enter");
        play
    };
    for (line, keys) in [
        (":step", "p  s"),
        (":step 2", "p  s  s"),
        (":step s 3", "p  s  s  s"),
        (":step c", "p  c"),
        (":step b svc[nginx]", "p  j  j  j  b"),
        (":step t svc[nginx]", "p  j  j  j  t"),
        (":deploy list", "p  3  /  esc  5"),
        (":deploy", "p  3  /  esc  5"),
        (":deploy show 2", "p  3  /  esc  5  j  j"),
    ] {
        let mut wanted = Play::new(120, 40);
        wanted.deploys = super::deploys::history();
        wanted.press(keys);
        assert_eq!(typed(line).draw(), wanted.draw(), "{line}");
    }
    for (line, shown) in [
        (":deploy undo 2", "any other key no"),
        (":deploy undo 1", "deploy 1 is already undone by deploy 3"),
        (":deploy undo 9", "no deploy 9 in the history"),
        (":deploy diff 2", "#1 → #2"),
        (":deploy diff 4 1", "#1 → #4"),
        (":deploy diff 4 9", "no deploy 9 in the history"),
        (":deploy diff 1 2 3", "unknown command `"),
    ] {
        let frame = typed(line).draw();
        assert!(frame.contains(shown), "{line}: {frame}");
    }
}

/// An action about the whole plan or all modules switches to its screen.
#[test]
fn commands_go_where_they_are_done() {
    for (line, keys) in [(":  a p p l y", "p  A"), (":  c o n t i n u e", "p  c")] {
        let (mut play, mut wanted) = (Play::new(120, 40), Play::new(120, 40));
        play.press("p  2").press(line).press("enter");
        wanted.press(keys);
        let body = |play: &Play| play.draw().lines().take(39).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(body(&play), body(&wanted), "{line}");
    }
    // Without a plan, it makes one.
    let play = Play::after("2  :  a p p l y  enter");
    play.shows("Nothing is written until");
    let fetched = Play::after("2  :  d o w n l o a d  enter");
    assert_eq!(fetched.screen(), ScreenId::Modules);
}

/// A refusal quotes the typed words.
#[test]
fn refusals_name_the_input() {
    let play = Play::after("p  2  :  a p p l y  space  w e b  enter");
    play.shows("`apply` only takes a count");
}
