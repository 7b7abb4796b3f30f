//! Live runs that root is needed for: when that is offered, asked for, and what of it stays.

use super::live::{ARM, cut, requests};
use super::stage::{Play, id, modules};
use crate::session::{Fetched, Stranger};
use crate::tui::message::Message;
use crate::tui::screen::step::live::{Cut, Phase, Refusal, Told};

/// Root is offered where a step needs it, by another word than one's own machine; the settings may say it for all.
#[test]
fn root_is_offered_where_a_step_needs_it() {
    let needs = || Message::Live(Told::NeedsRoot(vec![id("file[/srv/web/nginx.conf]")]));
    let mut play = Play::new(120, 40);
    play.press("p  A  s  u  d  o  space  w  e  b  1  enter");
    assert!(requests(&play).is_empty(), "nobody needs it: {}", play.draw());
    for (keys, asked) in [("w  e  b  1", "Arm"), ("s  u  d  o  space  w  e  b  1", "Arm as root")] {
        let mut play = Play::new(120, 40);
        play.press("p");
        play.tell(needs());
        play.press("A");
        assert!(play.draw().contains("1 resource needs root:"), "{}", play.draw());
        play.press(keys).press("enter");
        assert_eq!(requests(&play), [asked]);
    }
    let mut play = Play::new(120, 40);
    play.state.is_sudo = true;
    play.press("p").press(ARM);
    assert_eq!(requests(&play), ["Arm as root"]);
    // What root did is taken back by root.
    play.press("s  c  esc  u");
    assert!(play.draw().contains("Undo deploy 8?"), "{}", play.draw());
    play.press("y");
    assert_eq!(requests(&play).last(), Some(&"TakeBack(8) as root"));
}

/// A password is asked for once, on the terminal itself.
#[test]
fn a_password_is_asked_for_once() {
    let mut play = Play::new(120, 40);
    play.state.is_sudo = true;
    play.refuses = Some(Refusal::Password);
    play.press("p").press(ARM);
    let run = play.state.step.run;
    assert_eq!(requests(&play), ["Arm as root".to_owned(), format!("AskSudo {{ run: {run} }}")]);
    play.tell(Message::Live(Told::MayBeRoot { run, result: Ok(()) }));
    assert_eq!(play.state.step.live.phase, Phase::Live);

    let mut play = Play::new(120, 40);
    play.state.is_sudo = true;
    play.refuses = Some(Refusal::Password);
    play.press("p").press(ARM);
    let run = play.state.step.run;
    play.tell(Message::Live(Told::MayBeRoot { run, result: Err("sudo refused.".into()) }));
    assert_eq!(play.state.step.live.phase, Phase::Dry);
    assert!(play.draw().contains("sudo refused"), "{}", play.draw());
}

/// What root left is root's to go on with: `sudo` is asked once, on the terminal, and both ways back lead through it.
#[test]
fn what_root_left_is_gone_on_with_by_way_of_sudo() {
    let cut = Cut { as_root: true, deeds: vec![], ..cut() };
    let mut play = Play::new(120, 40);
    play.tell(Message::Live(Told::CutOff(cut.clone())));
    play.press("esc  p");
    assert!(play.draw().contains("Root's deploy 7 was interrupted and needs a decision."), "{}", play.draw());
    play.refuses = Some(Refusal::Password);
    play.press("r  w  e  b  1  enter");
    let run = play.state.step.run;
    assert_eq!(play.asked.last().cloned(), Some(format!("AskSudo {{ run: {run} }}")), "{:?}", play.asked);
    play.asked.clear();
    play.tell(Message::Live(Told::MayBeRoot { run, result: Ok(()) }));
    assert_eq!(requests(&play)[0], "Arm", "the same is begun again");
    assert_eq!(play.state.step.live.deploy, Some(8));
    play.press("6").tell(Message::PendingDue);
    assert!(play.draw().contains("workbench deploy resume 7 --sudo"), "{}", play.draw());

    let mut play = Play::new(120, 40);
    play.tell(Message::Live(Told::CutOff(cut)));
    play.press("u  y");
    assert_eq!(requests(&play), ["TakeBack(7) as root"]);
    play.press("esc");
    play.tell(Message::Live(Told::BackWantsPassword { deploy: 7 }));
    let run = play.state.step.run;
    assert_eq!(play.asked.last().cloned(), Some(format!("AskSudo {{ run: {run} }}")));
    play.tell(Message::Live(Told::MayBeRoot { run, result: Err("Not applied as root: no.".into()) }));
    assert!(play.draw().contains("Not applied as root: no."), "{}", play.draw());
    play.press("esc  6").tell(Message::PendingDue);
    assert!(play.draw().contains("workbench deploy undo 7 --sudo"), "{}", play.draw());
}

/// Known before anything is asked; and what turns out only then takes no dry step away.
#[test]
fn who_may_not_act_is_told_before_the_name_is_asked() {
    let fetched = |is_approved| Fetched {
        commit: None,
        locked_approval: None,
        name: "https://example.org/base/".into(),
        path: "/m/modules/base".into(),
        hash: "5e1f".into(),
        is_approved,
        holds: vec![],
    };
    let mut play = Play::new(120, 40);
    play.press("p");
    let stranger = Stranger { module: fetched(false), kinds: vec!["exec".into()] };
    play.tell(Message::Live(Told::Strangers(vec![stranger])));
    // Beside the plan it is told whole, and that it goes live is not said.
    let told = play.press("esc").draw().replace(['│', '\n'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!told.contains("A applies"), "{told}");
    for words in ["Cannot apply:", "base/ was fetched", "(4),"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    play.press("s  s  A");
    assert!(play.state.layers.is_empty(), "{}", play.draw());
    let told = play.state.notice.as_ref().map(|(_, words)| words.clone()).unwrap_or_default();
    assert!(told.contains("base/ was fetched but not approved") && told.contains("Space a approves"), "{told}");
    assert_eq!(play.state.step.turned(), 2);
    // As it is when the modules are read again after `Space a` on Modules.
    play.fetched = vec![fetched(true)];
    play.tell(Message::Modules(modules(), play.fetched.clone(), vec![]));
    play.refuses = Some(Refusal::Other(vec!["a file of it was edited meanwhile".into()]));
    play.press(ARM).press("esc");
    let stands = |play: &Play| (play.state.step.live.phase, play.state.step.turned(), play.state.step.next.clone());
    assert_eq!(stands(&play), (Phase::Dry, 2, Some(id("file[/srv/web/index.html]"))));
    // The same of a deploy that is to be gone on with.
    play.tell(Message::Live(Told::CutOff(cut())));
    play.refuses = Some(Refusal::Other(vec!["the program says something else".into()]));
    play.press("r  w  e  b  1  enter  esc");
    assert_eq!(stands(&play), (Phase::Dry, 2, Some(id("file[/srv/web/index.html]"))));
}
