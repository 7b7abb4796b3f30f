//! Words of a shell's command line, as Ruby's `shellwords` quotes and divides them.

/// A text as one word.
pub fn escape(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            c if c.is_ascii_alphanumeric() || "_-.,:+/@".contains(c) => out.push(c),
            c => out.extend(['\\', c]),
        }
    }
    out
}

/// The words of a shell's command line; `None` where a quote is not closed.
pub fn split(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_open) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_ascii_whitespace() => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
                continue;
            }
            '\'' => word.push_str(&quoted(&mut chars, '\'')?),
            '"' => word.push_str(&quoted(&mut chars, '"')?),
            '\\' => match chars.next() {
                Some(c) => word.push(c),
                None => word.push('\\'),
            },
            c => word.push(c),
        }
        is_open = true;
    }
    if is_open {
        words.push(word);
    }
    Some(words)
}

/// The text up to a quote; `None` where it is not closed.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, quote: char) -> Option<String> {
    let mut out = String::new();
    loop {
        match chars.next()? {
            c if c == quote => return Some(out),
            '\\' if quote == '"' => match chars.next()? {
                c @ ('$' | '`' | '"' | '\\' | '\n') => out.push(c),
                c => out.extend(['\\', c]),
            },
            c => out.push(c),
        }
    }
}
