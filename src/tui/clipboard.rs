//! Text for the clipboard, handed to the terminal: OSC 52, which reaches over ssh.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The limit of terminals for one text, in bytes: xterm accepts 100,000 bytes of base64.
pub const MOST: usize = 74_000;

/// The sequence that makes the terminal take a text.
///
/// Depending on its settings, tmux takes it or drops it. So tmux is also asked to pass it on, which it may refuse.
pub fn sequence(words: &str, is_tmux: bool) -> String {
    let plain = format!("\x1b]52;c;{}\x07", STANDARD.encode(words));
    if !is_tmux {
        return plain;
    }
    let through = format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"));
    plain + &through
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_is_asked_to_hand_it_on() {
        assert_eq!(sequence("a\x1b", false), "\x1b]52;c;YRs=\x07");
        assert_eq!(sequence("ab", true), "\x1b]52;c;YWI=\x07\x1bPtmux;\x1b\x1b]52;c;YWI=\x07\x1b\\");
    }
}
