//! The top of the window beside the tabs.

use super::stage::Play;

fn header(play: &Play) -> String {
    play.draw().lines().next().unwrap_or_default().trim_end().to_string()
}

/// Plan and target are shown as long as there is a plan; less important parts go first.
#[test]
fn the_plan_and_its_target_are_reported() {
    for keys in ["p", "p  s", "p  s  s  tab", "p  9  s", "p  A  w  e  b  1  enter  s"] {
        for ((width, height), title, words) in [
            ((120, 40), "web", "plan 7f3a9c21  target web1  ✓ compiled 48ms"),
            ((120, 40), "infra-production-eu", "plan 7f3a9c21  target web1  ✓"),
            ((80, 24), "web", "✓"),
        ] {
            let mut play = Play::new(width, height);
            play.state.cx.project.title = title.into();
            play.press(keys);
            assert!(header(&play).ends_with(words), "{keys}: {}", header(&play));
        }
    }
    // Not on other screens, nor before there is a plan.
    for keys in ["4", "p  6  /", "p  3  /"] {
        let play = Play::after(keys);
        assert!(!header(&play).contains("7f3a9c21"), "{keys}: {}", header(&play));
    }
}

/// A long name is cut, and one that does not fit leaves room for the problems.
#[test]
fn a_long_name_of_a_machine_leaves_room() {
    for (width, words) in [(120, "plan 7f3a9c21  target ip-10-0-0-12.eu-central…  ✓"), (80, "✓"), (60, "✓")] {
        let mut play = Play::new(width, 24);
        play.state.cx.project.host = "ip-10-0-0-12.eu-central-1.compute.internal".into();
        play.press("p  s");
        assert!(header(&play).ends_with(words), "{}", header(&play));
    }
}
