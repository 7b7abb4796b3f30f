//! G18: a terminal that is pulled about all through an apply: no panic, the apply ends right, the terminal is given back.

use std::time::{Duration, Instant};

use crate::generated::Dice;
use crate::promises::{count, figure, folder};
use crate::terminal::{PROGRAM, Terminal};

/// So many resources are done while it is pulled about; the last one waits until it is left alone.
const RESOURCES: usize = 120;

#[test]
fn a_resize_storm_during_an_apply() {
    let wanted = count(400, 10_000);
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let shown = folder.path().display();
    let mut code = format!("file \"{shown}/made/\" {{ state => \"exists\", }}\n");
    for number in 0..RESOURCES {
        code += &match number % 4 {
            // What is written while it is drawn: wide, long and of several lines.
            0 => format!(
                "exec \"e{number}\" {{ cmd => \"echo 本語 é {number}; seq 30; sleep 0.02; touch {shown}/made/{number}\", \
                 shell => \"/bin/sh\", creates => \"{shown}/made/{number}\", }}\n"
            ),
            _ => format!(
                "file \"{shown}/made/{number}\" {{ state => \"exists\", content => \"{}\", }}\n",
                "a line\\n".repeat(number)
            ),
        };
    }
    code += &format!(
        "exec \"gate\" {{ cmd => \"touch {shown}/at-gate; while [ ! -e {shown}/go ]; do sleep 0.02; done\", shell => \
         \"/bin/sh\", }}\n"
    );
    std::fs::write(path("m.mcl"), code).expect("a module");
    let (entry, state) = (path("m.mcl").display().to_string(), path("state").display().to_string());
    let mut terminal = Terminal::start(&[PROGRAM, "--state-dir", &state, "--config", "/dev/null", &entry], 120, 40);
    terminal.until_shows("[1 Plan]");
    terminal.press("p");
    terminal.until_shows("would change");
    terminal.goes_live(1);
    terminal.press("c");
    let (mut dice, begun) = (Dice::new(18), Instant::now());
    for number in 0..wanted {
        match number % 50 {
            49 => terminal.resize_to_nothing(),
            // The ends of what there is, and all between.
            0 => terminal.resize(1, 1),
            25 => terminal.resize(400, 100),
            _ => terminal.resize(1 + dice.below(400) as u16, 1 + dice.below(100) as u16),
        }
        if number % 20 == 0 {
            terminal.press(["j", "k", "\t", "5", "4", "G", "g", "3", "4", "?", "\x1b"][dice.below(11) as usize]);
        }
        // Some are seen one by one, others come faster than anything is drawn.
        std::thread::sleep(Duration::from_micros([0, 0, 200, 2000][dice.below(4) as usize]));
        assert!(terminal.child.try_wait().expect("our own child").is_none(), "it is there after {number} sizes");
    }
    let took = begun.elapsed();
    assert!(!path("go").exists(), "it was at work all the time");
    terminal.resize(120, 40);
    terminal.until("the gate", |_| path("at-gate").exists());
    std::fs::write(path("go"), "").expect("the folder is ours");
    // Whatever the keys opened is closed, and nothing is asked any more.
    for _layer in 0..3 {
        terminal.press("\x1b");
        // A key that follows at once would be one with Alt.
        std::thread::sleep(Duration::from_millis(100));
    }
    terminal.until("the plain screens", |terminal| !terminal.shows("Actions on"));
    let begun = Instant::now();
    while !terminal.shows("[1 Plan]") {
        assert!(begun.elapsed() < Duration::from_secs(30), "a key is heard");
        // Where the machine is busy, even this one is read together with the Esc before it.
        terminal.press("1");
        std::thread::sleep(Duration::from_secs(1));
    }
    terminal.until_shows("End of deploy 1");
    for number in 0..RESOURCES {
        assert!(path(&format!("made/{number}")).exists(), "{number} was made");
    }
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    terminal.until("the terminal to be given back", Terminal::is_given_back);
    figure(
        "G18",
        format_args!("{wanted} sizes from 0x0 to 400x100 amid an apply in {took:.1?}, 0 panics, all was made"),
    );
}
