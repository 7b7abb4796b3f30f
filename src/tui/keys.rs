//! Keys as people write them (`ctrl-d`, `] d`, `space f`) and as the terminal sends them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// One key press, free of what terminals add (shift on letters, key kinds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

impl Key {
    /// A plain character key.
    pub fn char(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: KeyModifiers::NONE }
    }

    /// The digit it stands for in a count.
    pub fn digit(self) -> Option<u32> {
        match self.code {
            KeyCode::Char(c) if self.mods.is_empty() => c.to_digit(10),
            _ => None,
        }
    }
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        let mut mods = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            // A shifted character is the character itself: terminals disagree on whether they report the shift.
            KeyCode::Char(c) => {
                mods -= KeyModifiers::SHIFT;
                KeyCode::Char(if mods.contains(KeyModifiers::CONTROL) { c.to_ascii_lowercase() } else { c })
            }
            KeyCode::BackTab => {
                mods -= KeyModifiers::SHIFT;
                KeyCode::BackTab
            }
            other => other,
        };
        Self { code, mods }
    }
}

/// Reads a sequence of keys parted by spaces; `None` where a word is no key.
pub fn parse(text: &str) -> Option<Vec<Key>> {
    text.split(' ').map(parse_one).collect()
}

fn parse_one(word: &str) -> Option<Key> {
    let mut mods = KeyModifiers::NONE;
    let mut rest = word;
    loop {
        let (bit, tail) = if let Some(tail) = rest.strip_prefix("ctrl-") {
            (KeyModifiers::CONTROL, tail)
        } else if let Some(tail) = rest.strip_prefix("alt-") {
            (KeyModifiers::ALT, tail)
        } else if let Some(tail) = rest.strip_prefix("shift-") {
            (KeyModifiers::SHIFT, tail)
        } else {
            break;
        };
        mods |= bit;
        rest = tail;
    }
    let code = match rest {
        "esc" => KeyCode::Esc,
        "enter" => KeyCode::Enter,
        "space" => KeyCode::Char(' '),
        "tab" if mods == KeyModifiers::SHIFT => return Some(Key { code: KeyCode::BackTab, mods: KeyModifiers::NONE }),
        "tab" => KeyCode::Tab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pageup" => KeyCode::PageUp,
        "pagedown" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        _ => {
            let mut chars = rest.chars();
            match (chars.next(), chars.as_str()) {
                (Some(c), "") => KeyCode::Char(c),
                (Some('f'), number) => KeyCode::F(number.parse().ok()?),
                _ => return None,
            }
        }
    };
    Some(Key { code, mods })
}

/// A sequence as footers and help print it: `gg`, `]d`, `Ctrl-d`, `Space f`.
pub fn show(keys: &[Key]) -> String {
    let words: Vec<String> = keys.iter().map(|key| show_one(*key)).collect();
    let plain = words.iter().all(|word| word.chars().count() == 1);
    words.join(if plain { "" } else { " " })
}

fn show_one(key: Key) -> String {
    let mut out = String::new();
    for (bit, name) in [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-"), (KeyModifiers::SHIFT, "S-")] {
        if key.mods.contains(bit) {
            out.push_str(name);
        }
    }
    match key.code {
        KeyCode::Char(' ') => out.push_str("Space"),
        KeyCode::Char(c) => out.push(c),
        KeyCode::Esc => out.push_str("Esc"),
        KeyCode::Enter => out.push_str("Enter"),
        KeyCode::Tab => out.push_str("Tab"),
        KeyCode::BackTab => out.push_str("S-Tab"),
        KeyCode::Up => out.push('↑'),
        KeyCode::Down => out.push('↓'),
        KeyCode::Left => out.push('←'),
        KeyCode::Right => out.push('→'),
        KeyCode::Home => out.push_str("Home"),
        KeyCode::End => out.push_str("End"),
        KeyCode::PageUp => out.push_str("PgUp"),
        KeyCode::PageDown => out.push_str("PgDn"),
        KeyCode::Backspace => out.push_str("Backspace"),
        KeyCode::F(n) => out.push_str(&format!("F{n}")),
        _ => out.push('?'),
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_keys_agree() {
        for (written, shown) in [
            ("g g", "gg"),
            ("ctrl-d", "Ctrl-d"),
            ("space f", "Space f"),
            ("shift-tab", "S-Tab"),
            ("f10", "F10"),
            ("]", "]"),
        ] {
            assert_eq!(show(&parse(written).expect("a key")), shown);
        }
        assert_eq!(parse("nokey"), None);
        let shifted = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(Key::from(shifted), Key::char('G'));
    }
}
