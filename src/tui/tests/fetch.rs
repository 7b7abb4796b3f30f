//! Fetching modules, with logins and approvals.

use std::time::Duration;

use super::stage::{Play, program};
use crate::module::{Import, ModuleState, Need};
use crate::session::{Downloaded, FetchEvent, Fetched, ImportEdit, Permit, Progress, Pruning, RemoteNews, RemoteState};
use crate::tui::screen::modules::fetch::{Notice, Refusals};
use crate::tui::{look::UNICODE, message::Message, screen::ScreenId};

const BASE: &str = "https://example.org/base/";

fn refusal(line: &str) -> Refusals {
    Refusals { lines: vec![line.into()], ..Refusals::default() }
}

fn progress(play: &mut Play, event: FetchEvent) {
    play.send(Message::Fetch(Notice::Progress { event, elapsed: Duration::from_secs(2) }));
}

/// A download at its second module.
fn fetching(width: u16, height: u16) -> Play {
    let mut play = Play::sized(width, height, "j  f");
    progress(&mut play, FetchEvent::Round { wanted: 2, fetching: 2 });
    progress(&mut play, FetchEvent::Begun { name: "https://example.org/ntp/".into() });
    progress(&mut play, FetchEvent::Fetched { name: "https://example.org/ntp/".into(), files: 3, bytes: 900 });
    progress(&mut play, FetchEvent::Begun { name: BASE.into() });
    let now = Progress { bytes: 4_000_000, objects: 61, of_objects: 100, silent: 0 };
    progress(&mut play, FetchEvent::Progress { name: BASE.into(), progress: now });
    play
}

/// A module that was fetched, with an entry in the lock file.
pub fn fetched(is_approved: bool) -> Fetched {
    Fetched {
        is_locked: true,
        commit: None,
        locked_approval: None,
        name: BASE.into(),
        path: "/m/modules/base".into(),
        hash: "1f2e3d".into(),
        is_approved,
        holds: vec![],
    }
}

/// Only built-in modules of the language are called built in.
#[test]
fn a_missing_import_and_a_built_in_one_are_reported_apart() {
    let mut play = Play::after("4");
    let imports = play.state.screens.modules.list.rows.tree.as_mut().and_then(|tree| tree.modules.first_mut());
    let imports = &mut imports.expect("it has modules").imports;
    let mut nope = imports[0].clone();
    (nope.name, nope.line) = ("nope".into(), 3);
    imports.push(nope);
    let frame = play.draw();
    let row = |name: &str| frame.lines().find(|line| line.contains(name)).unwrap_or_default().to_string();
    assert!(row("nope  ").contains("no such built-in module") && row("fmt  ").contains("built in"), "{frame}");
}

/// Requirements of the metadata are shown with their range and state.
#[test]
fn requirements_are_reported_with_versions() {
    let mut play = Play::after("4");
    let tree = play.state.screens.modules.list.rows.tree.as_mut().expect("it has modules");
    let need = |name: &str, range: &str, module: Option<&str>, is_unfit| {
        let (name, need) = (name.to_owned(), Need { range: range.into(), ..Need::default() });
        let (file, need) = ("metadata.json".into(), Some(Box::new(need)));
        Import { name, file, line: 9, module: module.map(Into::into), need, is_unfit, ..Import::default() }
    };
    tree.modules[1].version = Some("9.7.0".into());
    tree.modules[0].imports = vec![
        need("acme/base", ">= 9", Some(BASE), false),
        need("std", "", None, false),
        tree.modules[0].imports[0].clone(),
    ];
    let row = |play: &mut Play, name: &str| {
        let frame = play.draw();
        frame.lines().find(|line| line.contains(name)).unwrap_or_default().to_string()
    };
    let printed = row(&mut play, "acme/base >= 9");
    assert!(
        printed.contains("requires") && printed.contains("not fetched") && printed.contains("metadata.json:9"),
        "{printed}"
    );
    assert!(row(&mut play, " std ").contains("built in"));
    assert!(row(&mut play, " fmt ").contains("imports"));
    let tree = play.state.screens.modules.list.rows.tree.as_mut().expect("it has modules");
    tree.modules[1].state = ModuleState::Present;
    tree.modules[0].imports[0].is_unfit = true;
    assert!(row(&mut play, "acme/base >= 9").contains("9.7.0 is there"));
    assert!(row(&mut play, " 9.7.0").contains("example.org/base"), "{}", play.draw());
}

#[test]
fn running_fetches_are_drawn() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        insta::assert_snapshot!(format!("fetching-{width}x{height}"), fetching(width, height).draw());
    }
}

#[test]
fn what_came_is_read() {
    let mut play = fetching(120, 40);
    assert_eq!(play.asked, ["Download { wanted: Missing, permits: {} }"]);
    play.press("f").shows("modules are being fetched (Ctrl-C stops it)");
    let turn = play.state.cx.programs.turn;
    let summary = Downloaded { came: vec![(BASE.into(), "8c1f02e4aa17".into())], ..Downloaded::default() };
    play.send(Message::Fetch(Notice::Ended(Ok(summary))));
    play.shows("1 module fetched, 0 updated, 0 unchanged");
    assert_eq!(play.state.cx.programs.turn, turn + 1, "it is compiled again");
    assert!(play.state.screens.modules.fetch.is_none() && play.state.cx.jobs.is_empty());
    play.press("6").shows("workbench download web").shows("fetched  https://example.org/base/  8c1f02e4aa");
}

#[test]
fn a_refusal_shows_why_and_where() {
    let mut play = fetching(120, 40);
    let line = "main.mcl:2:8: cannot be fetched: `https://example.org/base/`: no such repository; see the URL";
    play.send(Message::Fetch(Notice::Ended(Err(refusal(line)))));
    play.shows("no such repository");
    play.press("esc  6").shows("no such repository");
}

/// The page of a failed fetch shows the remote, the ref and the last lines; it offers a retry and the log.
#[test]
fn what_failed_is_tried_again_and_read() {
    let play = Play::after("r");
    play.shows("no fetch has failed: Space u checks for updates");
    let refusals = || Refusals {
        lines: (1..6).map(|at| format!("main.mcl:{at}:8: cannot be fetched: reason {at}")).collect(),
        remotes: vec!["https://example.org/base/?ref=v9".into(), "git://example.org/\u{1b}[31mntp".into()],
        permits: Default::default(),
    };
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = fetching(width, height);
        play.send(Message::Fetch(Notice::Ended(Err(refusals()))));
        insta::assert_snapshot!(format!("fetch-failed-asks-{width}x{height}"), play.draw());
        play.press("esc");
        insta::assert_snapshot!(format!("fetch-failed-{width}x{height}"), play.draw());
        play.press("r");
        assert_eq!(play.asked, ["Download { wanted: Missing, permits: {} }"; 2]);
        play.hides("reason 5");
        play.send(Message::Fetch(Notice::Ended(Err(refusals()))));
        play.press("E");
        assert_eq!(play.screen(), ScreenId::Log);
        let words = play.state.front().copy().unwrap_or_default();
        assert_eq!(words, "workbench download web", "{}", play.draw());
        play.shows("reason 1");
        // A new fetch removes the page of the failure.
        play.press("4  r");
        play.send(Message::Fetch(Notice::Ended(Ok(Downloaded::default()))));
        play.press("r").shows("no fetch has failed");
    }
}

#[test]
fn control_c_stops_it() {
    {
        let key = "ctrl-c";
        let mut play = fetching(120, 40);
        play.press(key);
        assert_eq!(play.asked, ["Download { wanted: Missing, permits: {} }", "StopDownload"], "{key}");
        play.shows("stopping");
        play.send(Message::Fetch(Notice::Ended(Err(refusal("cancelled")))));
        play.shows("stopped; nothing was changed");
    }
    let play = Play::after("ctrl-c");
    play.shows("q quits");
}

#[test]
fn a_login_is_asked_for_and_never_shown() {
    let mut play = fetching(120, 40);
    play.send(Message::Fetch(Notice::Asks("https://example.org/base".into())));
    insta::assert_snapshot!("login-120x40", play.draw());
    play.press("m  e  enter  s  3  c  r  e  t").shows("******").hides("s3cret");
    assert!(!format!("{:?}", play.state).contains("s3cret"));
    play.press("enter");
    assert_eq!(play.asked.last().map(String::as_str), Some("Login(Some(Login { user: \"me\", .. }))"));
    // It asks again: the login was refused.
    play.send(Message::Fetch(Notice::Asks("https://example.org/base".into())));
    play.shows("Login refused for me");
    play.press("o  t  h  e  r  enter");
    assert_eq!(play.asked.last().map(String::as_str), Some("Login(Some(Login { user: \"me\", .. }))"));
    play.send(Message::Fetch(Notice::Asks("https://example.org/base".into())));
    play.press("esc");
    assert_eq!(play.asked.last().map(String::as_str), Some("Login(None)"));
    // The end of a download removes its question.
    play.send(Message::Fetch(Notice::Asks("https://example.org/base".into())));
    play.send(Message::Fetch(Notice::Ended(Ok(Downloaded::default()))));
    assert!(play.has_no_layer());
    // Also while it waits for another layer to close.
    for ends in [true, false] {
        let mut play = fetching(120, 40);
        play.press("?");
        play.send(Message::Fetch(Notice::Asks("https://example.org/base".into())));
        if ends {
            play.send(Message::Fetch(Notice::Ended(Ok(Downloaded::default()))));
        }
        assert_eq!(play.state.cx.layers.open.len(), 1, "{}", play.draw());
        play.press("esc");
        assert_eq!(play.has_no_layer(), ends, "{}", play.draw());
    }
}

#[test]
fn fetched_modules_are_trusted_by_hand() {
    let mut play = Play::after("G  space a");
    play.shows("only fetched modules need approval");
    let base = fetched(false);
    play.fetched = vec![base.clone()];
    // The modules are read again.
    play.change(program());
    play.press("space a");
    // The changes are in the question.
    play.shows("1f2e3d").shows("+the whole tree");
    play.press("n");
    assert!(play.asked.is_empty(), "{:?}", play.asked);
    let drawn = play.draw();
    let beside: Vec<&str> = drawn.lines().filter_map(|line| line.rsplit('│').nth(1)).map(str::trim).collect();
    let beside = beside.join(" ");
    assert!(beside.contains("not approved: preview only"), "{drawn}");
    play.press("space a  y");
    assert!(play.asked[0].starts_with("Approve("), "{:?}", play.asked);
    play.fetched[0].is_approved = true;
    play.send(Message::Fetch(Notice::Approved(Ok(vec![base]))));
    play.shows("approved this version of");
    play.press("space a").shows("already approved");
}

#[test]
fn a_refusal_can_be_allowed_once() {
    let mut play = fetching(120, 40);
    let mut refusals = refusal("main.mcl:2:8: URL refused: `http` is not allowed by default");
    refusals.permits.insert(Permit::Http);
    play.send(Message::Fetch(Notice::Ended(Err(refusals))));
    insta::assert_snapshot!("refused-120x40", play.draw());
    play.press("y");
    let asked = ["Download { wanted: Missing, permits: {} }", "Download { wanted: Missing, permits: {Http} }"];
    assert_eq!(play.asked, asked);
    play.press("6").shows("workbench download web --allow http");
}

#[test]
fn outdated_modules_are_marked_until_updated() {
    let mut play = Play::new(120, 40);
    let name = "https://example.org/ntp/";
    play.fetched = vec![Fetched { name: name.into(), path: "/m/modules/ntp".into(), ..fetched(true) }];
    play.change(program());
    play.press("space u");
    assert_eq!(play.asked, ["Download { wanted: Look, permits: {} }"]);
    let module = play.state.screens.modules.list.rows.tree.as_mut().and_then(|tree| tree.modules.get_mut(1));
    let path = module.map(|module| {
        module.state = ModuleState::Present;
        module.path.clone()
    });
    let found =
        RemoteNews::Behind { now: "8c1f02e4aa17".into(), commits: Some(3), subject: "ntp: two servers more".into() };
    let path = path.expect("the program imports a module");
    let seen = RemoteState { name: name.trim_end_matches('/').into(), path, reference: None, found, looked: None };
    play.send(Message::Fetch(Notice::Seen(Ok(vec![seen]))));
    play.press("G");
    insta::assert_snapshot!("behind-120x40", play.draw());
    let moved = vec![(name.into(), "1".repeat(40), "2".repeat(40))];
    play.send(Message::Fetch(Notice::Ended(Ok(Downloaded { moved, ..Downloaded::default() }))));
    play.hides("behind by");
}

/// Updating one module reports both versions; a module without a newer commit reports that.
#[test]
fn the_pin_of_one_module_is_bumped() {
    let mut play = Play::after("G  ^");
    play.shows("it is missing: f fetches it");
    play.press("g  g  ^").shows("not a fetched module");
    play.fetched = vec![fetched(true)];
    play.change(program());
    play.press("G");
    if let Some(module) = play.state.screens.modules.list.rows.tree.as_mut().and_then(|tree| tree.modules.get_mut(1)) {
        module.state = ModuleState::Behind;
    }
    play.press("^");
    assert_eq!(play.asked, [format!("Download {{ wanted: Bump(\"{BASE}\"), permits: {{}} }}")]);
    let moved = vec![(BASE.trim_end_matches('/').into(), "1".repeat(40), "2".repeat(40))];
    play.send(Message::Fetch(Notice::Ended(Ok(Downloaded { moved, ..Downloaded::default() }))));
    play.shows("1111111111 → 2222222222");
    play.press("6").shows(format!("workbench download --update={BASE} web"));
    play.press("4");
    if let Some(module) = play.state.screens.modules.list.rows.tree.as_mut().and_then(|tree| tree.modules.get_mut(1)) {
        module.state = ModuleState::Present;
    }
    play.press("G  ^");
    play.send(Message::Fetch(Notice::Ended(Ok(Downloaded::default()))));
    play.shows("is up to date");
}

#[test]
fn an_import_is_typed_checked_and_added() {
    let mut play =
        Play::prepared(80, 24, &UNICODE, program(), |state| state.cx.project.entry_file = Some("/m/main.mcl".into()));
    play.press("space i");
    play.send(Message::Paste("https://example.org/time/ as clock".into()));
    insta::assert_snapshot!("add-80x24", play.draw());
    play.press("enter");
    assert!(play.asked[0].contains("name: \"https://example.org/time/\", file: None, alias: Some(\"clock\")"));
    let edit = ImportEdit {
        name: "https://example.org/time/".into(),
        path: "/m/main.mcl".into(),
        line: 2,
        statement: "import \"https://example.org/time/\" as clock".into(),
        before: "import \"fmt\"\n".into(),
        after: "import \"fmt\"\nimport \"https://example.org/time/\" as clock\n".into(),
    };
    play.send(Message::Fetch(Notice::Import(Ok(Box::new(edit)))));
    insta::assert_snapshot!("add-asked-80x24", play.draw());
    play.press("n");
    assert_eq!(play.asked.len(), 1);
    play.press("space i");
    play.press("esc");
    assert!(play.has_no_layer());
    play.send(Message::Fetch(Notice::Import(Err(vec!["import not added: it has no `://`".into()]))));
    play.shows("it has no `://`");
}

/// An import that does not pin a module is reported before it is fetched.
#[test]
fn an_import_that_pins_nothing_is_reported_before_it_is_agreed_to() {
    for (name, warning) in [("https://h/ntp/?tag=v9", "Warning: `tag` "), ("https://h/ntp/?ref=v9", "")] {
        let mut play = Play::prepared(80, 24, &UNICODE, program(), |state| {
            state.cx.project.entry_file = Some("/m/main.mcl".into())
        });
        let statement = format!("import \"{name}\"");
        let (before, after) = (String::new(), statement.clone() + "\n");
        let edit = ImportEdit { name: name.into(), path: "/m/main.mcl".into(), line: 1, statement, before, after };
        play.send(Message::Fetch(Notice::Import(Ok(Box::new(edit)))));
        play.shows(warning);
        assert_eq!(play.draw().contains("Warning"), !warning.is_empty(), "{}", play.draw());
    }
}

#[test]
fn unused_modules_are_checked_and_removed() {
    let mut play = Play::after("space x");
    play.shows("no fetched modules yet");
    play.fetched = vec![fetched(true)];
    play.change(program());
    play.press("space x");
    assert_eq!(play.asked, ["PlanPruning"]);
    let pruning = Pruning { unused: Vec::new(), foreign: vec!["/m/modules/mine".into()] };
    play.send(Message::Fetch(Notice::Pruning(Ok(pruning))));
    play.shows("/m/modules/mine, not downloaded by workbench");
    play.press("esc");
    play.send(Message::Fetch(Notice::Pruned(Ok(2))));
    play.shows("2 modules removed");
}

#[test]
fn a_silent_server_is_reported() {
    let mut play = fetching(120, 40);
    let now = Progress { bytes: 4_000_000, objects: 61, of_objects: 100, silent: 7 };
    progress(&mut play, FetchEvent::Progress { name: BASE.into(), progress: now });
    play.shows("no data for 7 s");
}
