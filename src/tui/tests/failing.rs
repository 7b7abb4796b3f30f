//! Why a resource failed, or would, stands wherever the resource does.

use std::sync::Arc;
use std::time::Duration;

use super::stage::{Play, id, plan, program};
use crate::plan::{Action, Certainty, Plan, Step};
use crate::tui::message::Message;

const PAGE: &str = "file[/srv/web/index.html]";
const WHY: &str = "/srv/web/pages/of/the/town/that/nobody/made is not there, and /srv/web is a file that somebody left";

/// The plan where one of its steps would fail.
fn failing() -> Arc<Plan> {
    let mut plan = Plan::clone(&plan());
    let step = plan.steps.iter_mut().find(|step| step.resource == id(PAGE)).expect("it is planned");
    let unknown = Step { action: Action::Unknown, certainty: Certainty::Unknown, changes: vec![], ..step.clone() };
    *step = Step { error: Some(WHY.into()), ..unknown };
    Arc::new(plan)
}

fn without_blanks(words: &str) -> String {
    words.split_whitespace().collect()
}

/// What stands in the panes on the right, without blanks, so that words are found however their lines are broken.
fn beside(play: &Play) -> String {
    let drawn = play.draw();
    without_blanks(&drawn.lines().filter_map(|line| line.rsplit('│').nth(1)).collect::<String>())
}

fn with_failing(width: u16, height: u16) -> Play {
    let mut play = Play::new(width, height);
    play.press("p");
    let planned = Message::Planned { program: program(), plan: failing(), turn: play.state.turn, took: Duration::ZERO };
    play.tell(planned);
    play
}

#[test]
fn what_would_fail_says_why_and_nothing_of_what_cannot_be() {
    for (width, height, look) in [(200, 50, "k"), (120, 40, "k"), (80, 30, "k"), (50, 30, "tab")] {
        let mut play = with_failing(width, height);
        play.press("j  j  j").press(look);
        if look == "tab" {
            play.press("shift-tab  k  tab");
        } else if width > 80 {
            assert!(play.draw().contains("✗ fails"), "{}", play.draw());
        }
        assert_eq!(play.state.step.cursor_id(), Some(&id(PAGE)));
        let told = beside(&play);
        assert!(told.contains(&format!("wouldfail{}", without_blanks(WHY))), "{width}: {told}\n{}", play.draw());
        for wrong in ["reversible", "atapply", "knownatapply"] {
            assert!(!told.contains(wrong), "{wrong} at {width}: {}", play.draw());
        }
    }
}

/// The summary tells of it once, with the reason whole, and counts it as nothing else.
#[test]
fn the_summary_tells_of_it_once() {
    let play = with_failing(120, 40);
    let told = beside(&play);
    assert!(told.contains(&format!("{PAGE}wouldfail:{}", without_blanks(WHY))), "{}", play.draw());
    assert_eq!(told.matches("index.html").count(), 1, "{}", play.draw());
    assert!(told.contains("1atapply"), "the command alone: {}", play.draw());
}

#[test]
fn the_graph_tells_why_a_resource_failed_or_would() {
    let mut play = with_failing(120, 40);
    play.press("j  j  space  g");
    assert!(beside(&play).contains(&format!("wouldfail{}", without_blanks(WHY))), "{}", play.draw());

    let mut play = Play::new(120, 40);
    play.press("p");
    play.run.fails = Some(id(PAGE));
    play.press("s  s  s  k  space  g");
    assert!(beside(&play).contains("failednospaceleftondevice"), "{}", play.draw());
}
