//! Live runs that need root: the offer, the request, and its duration.

use super::fetch::fetched;
use super::live::{ARM, cut, requests};
use super::stage::{Play, id, modules};
use crate::session::Stranger;
use crate::tui::message::Message;
use crate::tui::screen::step::live::{Cut, Notice, Refusal};

/// Root is offered if a step needs it, with another word than the host name; the settings may require it.
#[test]
fn root_is_offered_where_a_step_needs_it() {
    let needs = || Message::Live(Notice::NeedsRoot(vec![id("file[/srv/web/nginx.conf]")]));
    let play = Play::after("p  A  s  u  d  o  space  w  e  b  1  enter");
    assert!(requests(&play).is_empty(), "nobody needs it: {}", play.draw());
    for (keys, asked) in [("w  e  b  1", "Arm"), ("s  u  d  o  space  w  e  b  1", "Arm as root")] {
        let mut play = Play::after("p");
        play.send(needs());
        play.press("A").shows("1 resource needs root:");
        play.press(keys).press("enter");
        assert_eq!(requests(&play), [asked]);
    }
    let mut play = Play::new(120, 40);
    play.state.cx.project.is_sudo = true;
    play.press("p").press(ARM);
    assert_eq!(requests(&play), ["Arm as root"]);
    // Root's deploy is undone by root.
    play.press("s  c  esc  u").shows("Undo deploy 8?");
    play.press("y");
    assert_eq!(requests(&play).last(), Some(&"Undo(8) as root"));
}

/// A password is requested once, on the terminal itself.
#[test]
fn a_password_is_asked_for_once() {
    let mut play = Play::new(120, 40);
    play.state.cx.project.is_sudo = true;
    play.refuses = Some(Refusal::Password);
    play.press("p").press(ARM);
    let run = play.step().run;
    assert_eq!(requests(&play), ["Arm as root".to_owned(), format!("AskSudo {{ run: {run} }}")]);
    play.send(Message::Live(Notice::MayBeRoot { run, result: Ok(()) }));
    assert_eq!(play.step().phase.name(), "live");

    let mut play = Play::new(120, 40);
    play.state.cx.project.is_sudo = true;
    play.refuses = Some(Refusal::Password);
    play.press("p").press(ARM);
    let run = play.step().run;
    play.send(Message::Live(Notice::MayBeRoot { run, result: Err("sudo refused.".into()) }));
    assert_eq!(play.step().phase.name(), "dry");
    play.shows("sudo refused");
}

/// Root's interrupted deploy is resumed as root: `sudo` asks once, on the terminal, for both actions.
#[test]
fn what_root_left_is_resumed_by_way_of_sudo() {
    let cut = Cut { as_root: true, operations: vec![], ..cut() };
    let mut play = Play::new(120, 40);
    play.send(Message::Live(Notice::CutOff(cut.clone())));
    play.press("esc  p").shows("Root's deploy 7 was interrupted and needs a decision.");
    play.refuses = Some(Refusal::Password);
    play.press("r  w  e  b  1  enter");
    let run = play.step().run;
    assert_eq!(play.asked.last().cloned(), Some(format!("AskSudo {{ run: {run} }}")), "{:?}", play.asked);
    play.asked.clear();
    play.send(Message::Live(Notice::MayBeRoot { run, result: Ok(()) }));
    assert_eq!(requests(&play)[0], "Arm", "the same is begun again");
    assert_eq!(play.step().phase.deploy(), Some(8));
    play.press("6").send(Message::PendingDue);
    play.shows("workbench deploy resume 7 --sudo");

    let mut play = Play::new(120, 40);
    play.send(Message::Live(Notice::CutOff(cut)));
    play.is_slow_back = true;
    play.press("u  y");
    assert_eq!(requests(&play), ["Undo(7) as root"]);
    play.send(Message::Live(Notice::UndoNeedsPassword { deploy: 7 }));
    let run = play.step().run;
    assert_eq!(play.asked.last().cloned(), Some(format!("AskSudo {{ run: {run} }}")));
    play.send(Message::Live(Notice::MayBeRoot { run, result: Err("Not applied as root: no.".into()) }));
    play.shows("Not applied as root: no.");
    play.press("esc  6").send(Message::PendingDue);
    play.shows("workbench deploy undo 7 --sudo");
}

/// Known before any question; and a late report does not undo a dry step.
#[test]
fn who_may_not_act_is_reported_before_the_name_is_asked() {
    let mut play = Play::after("p");
    let stranger = Stranger { module: fetched(false), kinds: vec!["exec".into()] };
    play.send(Message::Live(Notice::Strangers(vec![stranger])));
    // Beside the plan it is shown whole, without the hint to go live.
    let printed = play.press("esc").draw().replace(['│', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!printed.contains("A applies"), "{printed}");
    for words in ["Cannot apply:", "base/ was fetched", "(4),"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    play.press("s  s  A");
    assert!(play.has_no_layer(), "{}", play.draw());
    let printed = play.notice();
    assert!(
        printed.contains("base/ was fetched but not approved") && printed.contains("Space a approves"),
        "{printed}"
    );
    assert_eq!(play.step().turned(), 2);
    // As when the modules are read again after `Space a` on Modules.
    play.fetched = vec![fetched(true)];
    play.send(Message::Modules(modules(), play.fetched.clone(), vec![]));
    play.refuses = Some(Refusal::Other(vec!["a file of it was edited meanwhile".into()]));
    play.press(ARM).press("esc");
    let shown = |play: &Play| (play.step().phase.name(), play.step().turned(), play.step().next_id().cloned());
    assert_eq!(shown(&play), ("dry", 2, Some(id("file[/srv/web/index.html]"))));
    // The same for a deploy that is resumed.
    play.send(Message::Live(Notice::CutOff(cut())));
    play.refuses = Some(Refusal::Other(vec!["the program says something else".into()]));
    play.press("r  w  e  b  1  enter  esc");
    assert_eq!(shown(&play), ("dry", 2, Some(id("file[/srv/web/index.html]"))));
}
