//! Keys as people write them (`ctrl-d`, `] d`, `space f`) and as the terminal sends them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::diag::nearest;

/// One key press, without what terminals add (shift on letters, key kinds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

impl Key {
    pub fn char(c: char) -> Self {
        Self { code: KeyCode::Char(c), mods: KeyModifiers::NONE }
    }

    /// Its digit in a count.
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
                let shifted = mods.contains(KeyModifiers::SHIFT);
                mods -= KeyModifiers::SHIFT;
                KeyCode::Char(match mods.contains(KeyModifiers::CONTROL) {
                    true => c.to_ascii_lowercase(),
                    false if shifted => c.to_ascii_uppercase(),
                    false => c,
                })
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

/// Parses a sequence of keys separated by spaces; `None` if a word is not a key.
pub fn parse(text: &str) -> Option<Vec<Key>> {
    text.split(' ').map(parse_one).collect()
}

/// The modifiers before a key: as written, as footers show them, and as helix writes them.
const BITS: [(&str, KeyModifiers); 9] = [
    ("ctrl-", KeyModifiers::CONTROL),
    ("Ctrl-", KeyModifiers::CONTROL),
    ("C-", KeyModifiers::CONTROL),
    ("alt-", KeyModifiers::ALT),
    ("Alt-", KeyModifiers::ALT),
    ("A-", KeyModifiers::ALT),
    ("shift-", KeyModifiers::SHIFT),
    ("Shift-", KeyModifiers::SHIFT),
    ("S-", KeyModifiers::SHIFT),
];

/// Keys that have names; the first name of a key is how it is written.
const NAMES: [(&str, KeyCode); 17] = [
    ("esc", KeyCode::Esc),
    ("enter", KeyCode::Enter),
    ("ret", KeyCode::Enter),
    ("space", KeyCode::Char(' ')),
    ("tab", KeyCode::Tab),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pgup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("pgdn", KeyCode::PageDown),
    ("backspace", KeyCode::Backspace),
    ("minus", KeyCode::Char('-')),
];

fn parse_one(word: &str) -> Option<Key> {
    let (mut mods, rest) = bits(word);
    let mut chars = rest.chars();
    let code = match (chars.next()?, chars.as_str()) {
        (c, "") => KeyCode::Char(c),
        _ => {
            let lower = rest.to_lowercase();
            let number = || lower.strip_prefix('f')?.parse().ok().filter(|n| (1..=24).contains(n)).map(KeyCode::F);
            NAMES.iter().find(|(name, _)| *name == lower).map(|(_, code)| *code).or_else(number)?
        }
    };
    // Normalised to what terminals send.
    let code = match code {
        KeyCode::Tab if mods == KeyModifiers::SHIFT => {
            mods = KeyModifiers::NONE;
            KeyCode::BackTab
        }
        KeyCode::Char(c) if mods.contains(KeyModifiers::CONTROL) => {
            mods -= KeyModifiers::SHIFT;
            KeyCode::Char(c.to_ascii_lowercase())
        }
        KeyCode::Char(c) if mods.contains(KeyModifiers::SHIFT) => {
            mods -= KeyModifiers::SHIFT;
            KeyCode::Char(c.to_ascii_uppercase())
        }
        other => other,
    };
    Some(Key { code, mods })
}

fn bits(word: &str) -> (KeyModifiers, &str) {
    let (mut mods, mut rest) = (KeyModifiers::NONE, word);
    while let Some((tail, bit)) = BITS.iter().find_map(|(name, bit)| Some((rest.strip_prefix(name)?, *bit))) {
        if tail.is_empty() {
            break;
        }
        mods |= bit;
        rest = tail;
    }
    (mods, rest)
}

/// A suggestion for a word that is not a key.
pub fn near(word: &str) -> Option<String> {
    if let Some((bit, key)) = word.split_once('-').filter(|(_, key)| parse_one(key).is_some()) {
        return nearest(bit, ["ctrl", "alt", "shift"]).map(|bit| format!("{bit}-{key}"));
    }
    let (_, rest) = bits(word);
    let near = nearest(rest, NAMES.map(|(name, _)| name))?;
    Some(format!("{}{near}", &word[..word.len() - rest.len()]))
}

/// A sequence in the form of settings files.
pub fn write(keys: &[Key]) -> String {
    keys.iter().map(|key| write_one(*key)).collect::<Vec<_>>().join(" ")
}

fn write_one(key: Key) -> String {
    let mut out = String::new();
    for (bit, name) in [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
    {
        if key.mods.contains(bit) {
            out.push_str(name);
        }
    }
    match (key.code, NAMES.iter().find(|(_, code)| *code == key.code)) {
        (KeyCode::Char(c), _) if c != ' ' => out.push(c),
        (KeyCode::BackTab, _) => out.push_str("shift-tab"),
        (KeyCode::F(n), _) => out.push_str(&format!("f{n}")),
        (_, Some((name, _))) => out.push_str(name),
        _ => out.push('?'),
    }
    out
}

/// A sequence in the form of footers and help: `gg`, `]d`, `Ctrl-d`, `Space f`.
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
        KeyCode::Up => out.push_str("Up"),
        KeyCode::Down => out.push_str("Down"),
        KeyCode::Left => out.push_str("Left"),
        KeyCode::Right => out.push_str("Right"),
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
        assert_eq!(parse("f99"), None);
        assert_eq!(parse("Ctrl-D"), parse("ctrl-d"));
        assert_eq!(parse("C-d"), parse("ctrl-d"));
        assert_eq!(parse("shift-g"), parse("G"));
        for written in ["ctrl-d", "g g", "shift-tab", "f10", "space f", "pageup", "alt-enter", "-", "ctrl--"] {
            assert_eq!(write(&parse(written).expect("a key")), written);
        }
        assert_eq!(near("crtl-d"), Some("ctrl-d".into()));
        assert_eq!(near("ctrl-entr"), Some("ctrl-enter".into()));
        let shifted = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
        assert_eq!(Key::from(shifted), Key::char('G'));
    }
}
