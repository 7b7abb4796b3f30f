//! The tutor: its data is whole, and a task is done when the screens have come there.

use super::stage::{Play, program};
use crate::tui::keymap::TABLE;
use crate::tui::look::UNICODE;
use crate::tui::tutor::{TASKS, Tutor};

/// Every key that the text names is one of the table, and every task has its end.
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
        state.tutor = Some(Tutor::at(0));
    });
    let at = |play: &Play| play.state.tutor.map(|tutor| tutor.at);
    for (task, keys) in [(0, "j  enter"), (1, "j  j  j  K"), (3, "esc  p"), (4, "s  s  s")] {
        if task == 3 {
            // The stage has no such resource as the demo.
            play.press("esc").press("space  n");
        }
        assert_eq!(at(&play), Some(task), "before {keys}");
        play.press(keys);
        assert_eq!(at(&play), Some(task + 1), "after {keys}");
    }
}
