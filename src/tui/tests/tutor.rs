//! The tutor: its data is complete, and a task is done when its goal is reached.

use super::stage::{Play, program};
use crate::tui::tutor::{TASKS, Tutor};
use crate::tui::{keymap::TABLE, look::UNICODE};

/// Every key in the text is in the table, and every task has an end.
#[test]
fn the_tasks_are_whole() {
    assert_eq!(TASKS.len(), 9);
    for task in TASKS.iter() {
        let named = task.text.split('{').skip(1).map(|part| part.split('}').next().unwrap_or_default());
        for id in named {
            assert!(TABLE.iter().any(|entry| entry.id == id), "{}: {id}", task.id);
        }
        assert!(!task.command.is_empty() && task.text.matches('{').count() == task.text.matches('}').count());
    }
}

#[test]
fn each_task_is_done_by_doing_it() {
    let mut play = Play::prepared(120, 40, &UNICODE, program(), |state| {
        state.cx.tutor = Some(Tutor::at(0));
    });
    let at = |play: &Play| play.state.cx.tutor.map(|tutor| tutor.at);
    for (task, keys) in [(0, "j  enter"), (1, "j  j  j  K"), (3, "esc  p"), (4, "s  s  s")] {
        if task == 3 {
            // The stage does not have the demo's resource.
            play.press("esc").press("space  n");
        }
        assert_eq!(at(&play), Some(task), "before {keys}");
        play.press(keys);
        assert_eq!(at(&play), Some(task + 1), "after {keys}");
    }
}

/// Other actions than the task's: the box leads back, and early results count.
#[test]
fn a_slip_leads_back_onto_the_path() {
    let mut play = Play::prepared(80, 24, &UNICODE, program(), |state| state.cx.tutor = Some(Tutor::at(0)));
    let at = |play: &Play| play.state.cx.tutor.map(|tutor| tutor.at);
    for (keys, task, words) in [
        // Another file, then the right one.
        ("j  j  enter", 0, "This is another file: 4 goes back to Modules."),
        ("3", 0, "4 goes back to Modules."),
        ("4  g  g  j  enter", 1, "and press K"),
        // A lookup on a blank, and the rest of the task without an answer.
        ("K", 1, "No symbol there. `:11` and Enter go to line 11"),
        ("1", 1, "2 goes back to the text."),
        ("p", 1, "(task 4 is done already)"),
        ("s  s  s", 1, "(tasks 4, 5 are done already)"),
        ("G  b  t", 1, "(tasks 4, 5, 6 are done already)"),
        ("2", 1, "No symbol there"),
        (":  1  1  enter  K", 2, "Tutor 3 of 9: Graph  (tasks 4, 5, 6 are done already)"),
        ("esc  space  n", 6, "Tutor 7 of 9: Apply"),
        ("3", 6, "1 goes back to Plan."),
        ("p  A  w  e  b  1  enter", 6, "This is LIVE: c continues."),
        ("c", 7, "u undoes the deploy"),
        ("p", 7, "u undoes the deploy"),
        ("5  1", 7, "u undoes the deploy"),
    ] {
        play.press(keys);
        play.send(crate::tui::message::Message::PendingDue);
        let drawn = play.draw();
        let said: String = drawn.lines().map(|line| line.trim_matches([' ', '│'])).collect::<Vec<_>>().join(" ");
        assert_eq!(at(&play), Some(task), "{keys}: {drawn}");
        assert!(said.contains(words), "{keys}: {words}\n{drawn}");
    }
}

/// A breakpoint that cannot be reached shows why.
#[test]
fn a_stop_behind_or_a_run_at_its_end_is_reported() {
    let mut play = Play::prepared(80, 24, &UNICODE, program(), |state| state.cx.tutor = Some(Tutor::at(5)));
    for (keys, words) in [
        ("p  c", "This run has ended: p starts again."),
        ("p  s  s  g  g  b", "The run has passed the breakpoint"),
        ("j  j  b", "The breakpoint is on the next step: set one on a"),
        ("G  b", "Breakpoint set: c runs to it."),
    ] {
        play.press(keys);
        play.shows(words);
    }
    play.press("t");
    assert_eq!(play.state.cx.tutor.map(|tutor| tutor.at), Some(6));
}
