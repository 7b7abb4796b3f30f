//! What the screens say of themselves: titles, hints, what is empty and why.

use super::stage::Play;

/// Where nothing defines a name so much is told, and nothing about what it would be.
#[test]
fn a_name_that_nothing_defines_says_so() {
    let mut play = Play::new(120, 40);
    play.press("2  G  k  k  k  k  k  k  K");
    let drawn = play.draw();
    assert!(drawn.contains("`$prot` is not defined here; did you mean `$port`?"), "{drawn}");
    assert!(!drawn.contains("built in"), "{drawn}");
    play.press("esc  g d");
    assert!(play.draw().contains("`$prot` is not defined here; did you mean `$port`?"), "{}", play.draw());
    play.press("g r");
    assert!(play.draw().contains("2 uses of $prot"), "{}", play.draw());
}
