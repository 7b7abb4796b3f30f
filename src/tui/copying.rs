//! Copies text to the clipboard.

use super::{clipboard::MOST, cx::Cx, effect::Effect, look::Role, widget::text};

/// Hands a text to the terminal, if it accepts one.
pub fn copy(cx: &mut Cx, words: String) {
    if words.len() > MOST {
        let (size, most) = (words.len() / 1000, MOST / 1000);
        return cx.show_notice(
            Role::Warning,
            format!("{size} kB are too much for the terminal clipboard (limit {most} kB)"),
        );
    }
    let first = words.lines().next().unwrap_or_default();
    let more = words.lines().count().saturating_sub(1);
    let more =
        if more > 0 { format!(" and {more} more line{}", if more == 1 { "" } else { "s" }) } else { String::new() };
    cx.show_notice(Role::Note, format!("copied {}{more}", text::safe(first)));
    cx.effect(Effect::Copy(words))
}
