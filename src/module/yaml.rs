//! What to do about a text that is no YAML, from the line at which a parser gave up.

/// What is wrong, in words, and what to write.
pub fn advice(text: &str, line: usize, message: &str) -> (String, String) {
    let lines: Vec<&str> = text.lines().collect();
    let own = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    let before = lines[..line.saturating_sub(1).min(lines.len())].iter().rev().find(|line| !is_blank(line)).copied();
    let blanks = &own[..own.len() - own.trim_start_matches([' ', '\t']).len()];
    let (key, value) = entry(own);
    let value = value.unwrap_or_default();
    let give = |label: &str, help: String| (label.to_string(), help);
    if is_conflict(own) {
        let help = "keep one of the two versions, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`";
        return give("this line is the mark of a merge with conflicts", help.into());
    }
    if blanks.contains('\t') {
        return give("a tab indents this line", "indent with spaces: YAML allows no tabs".into());
    }
    if let Some(first) = value.chars().next()
        && (matches!(first, '%' | '@' | '`') || matches!(first, '*' | '&' | '!') && message.contains("anchor"))
    {
        let label = format!("a value cannot begin with `{first}`");
        return (label, format!("put the value into quotes: `{key}: \"{value}\"`"));
    }
    let quotes = ['"', '\''].into_iter().find(|quote| value.contains(*quote));
    if let Some(quote) = quotes.filter(|quote| value.starts_with([*quote, '[', '{']))
        && value.matches(quote).count() % 2 == 1
    {
        return (format!("this text has no closing quote, {quote}"), format!("add {quote} at the end of the value"));
    }
    let open = value.matches(['[', '{']).count();
    if open > value.matches([']', '}']).count() && value.starts_with(['[', '{']) {
        let close = if value.starts_with('[') { ']' } else { '}' };
        return (format!("this list or hash has no closing `{close}`"), format!("add `{close}` at the end"));
    }
    if value.contains(": ") && !value.starts_with(['"', '\'', '{', '[']) {
        let help = format!("put the value into quotes: `{key}: \"{value}\"`");
        return give("a second colon, `: `, is inside this value", help);
    }
    if let Some(item) =
        own.trim_start().strip_prefix('-').filter(|item| item.starts_with(|c: char| c.is_alphanumeric()))
    {
        return give("an item of a list has a space behind its `-`", format!("write `- {item}`"));
    }
    if let Some(before) = before
        && indent(own) > indent(before)
        && entry(before).1.is_some_and(|value| !value.is_empty())
    {
        let label = "this line is indented more than the line before, which has a value already";
        if let Some((key, Some(value))) = Some(entry(before)).filter(|_| own.trim_start().starts_with("- ")) {
            return give(label, format!("write `{value}` as the first item below `{key}:`: `- {value}`"));
        }
        return give(label, format!("indent it like the line before: {} spaces", indent(before)));
    }
    let trimmed = own.trim().trim_start_matches("- ");
    // `::` belongs to the key.
    let colon = trimmed.match_indices(':').find(|(at, _)| {
        let is_other = |byte: Option<&u8>| byte == Some(&b':');
        !is_other(trimmed.as_bytes().get(at + 1)) && (*at == 0 || !is_other(trimmed.as_bytes().get(at - 1)))
    });
    if let Some((name, value)) = trimmed.split_once('=')
        && colon.is_none()
        && is_key(name.trim_end())
    {
        let (name, value) = (name.trim_end(), value.trim_start_matches('>').trim());
        return give("`=` gives a key no value", format!("write `{name}: {value}`"));
    }
    if let Some((name, rest)) = colon.map(|(at, _)| (&trimmed[..at], &trimmed[at + 1..]))
        && !rest.is_empty()
        && !rest.starts_with(' ')
        && !rest.starts_with(':')
        && !name.contains(' ')
    {
        return give("the colon has no space behind it", format!("write a space after the colon: `{name}: {rest}`"));
    }
    if !trimmed.is_empty() && !trimmed.contains(':') && !trimmed.starts_with('-') {
        let (name, rest) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
        let wanted = format!("{name}: {rest}");
        return give("this line has no colon, `:`, between key and value", format!("write `{}`", wanted.trim_end()));
    }
    if let Some(before) = before
        && indent(own) < indent(before)
        && !lines.iter().take(line.saturating_sub(1)).any(|line| !is_blank(line) && indent(line) == indent(own))
    {
        return give("the indentation of this line fits no line above", "indent it like its neighbours".into());
    }
    if message.contains("did not find expected '-' indicator") {
        let help = "write each line of this level with `- `, or each as `KEY:`".to_string();
        return give("this level has a list above, and this line is a key", help);
    }
    let reason = message.split(" at line ").next().unwrap_or(message);
    (reason.to_string(), "compare its indentation, colons and quotes with the lines around it".into())
}

/// The line of the cause: the one before, where that is not complete and the parser gave up behind it.
pub fn cause_line(text: &str, line: usize) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let before = (0..line.saturating_sub(1).min(lines.len())).rev().find(|at| !is_blank(lines[*at]));
    if let Some(mark) = lines.iter().take(line).position(|line| is_conflict(line)) {
        return mark + 1;
    }
    let Some(before) = before else { return line };
    if is_in_block_text(&lines, before) {
        return line;
    }
    // `-host: nas1`.
    let item = lines[before].trim_start().strip_prefix('-').and_then(|item| item.split_once(':'));
    if item.is_some_and(|(key, rest)| is_key(key) && (rest.is_empty() || rest.starts_with(' '))) {
        return before + 1;
    }
    let plain = lines[before].split(" #").next().unwrap_or_default().trim();
    let value = entry(plain).1.unwrap_or(plain);
    let opens =
        |value: &str, quote: char| value.matches(quote).count() % 2 == 1 && value.starts_with([quote, '[', '{']);
    // A text without its closing quote takes in lines up to the next quote.
    const MOST: usize = 20;
    let far = (before.saturating_sub(MOST)..before)
        .rev()
        .find(|at| entry(lines[*at]).1.is_some_and(|value| opens(value, '"')));
    if let Some(far) = far.filter(|_| {
        lines[before].contains('"') || lines.get(line.saturating_sub(1)).is_some_and(|own| own.contains('"'))
    }) {
        return far + 1;
    }
    // `- role` or `- role = x` before another key of the same element.
    let item = lines[before].trim_start().strip_prefix("- ").map(str::trim).unwrap_or_default();
    let own = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    let is_half = !item.is_empty()
        && entry(item).1.is_none()
        && item.split(' ').next().is_some_and(is_key)
        && margin(lines[before]) == indent(own)
        && !own.trim_start().starts_with('-');
    if is_half && entry(own).1.is_some() {
        return before + 1;
    }
    let is_open = |quote: char| opens(value, quote);
    let has_open_list =
        value.starts_with(['[', '{']) && value.matches(['[', '{']).count() > value.matches([']', '}']).count();
    let has_colon = plain.ends_with(':') || plain.contains(": ") || plain.starts_with(['-', '{', '[', '}', ']', '?']);
    let is_text = value.starts_with(['|', '>', '"', '\'']);
    let lacks_colon = !has_colon
        && !is_text
        && plain.split(' ').next().is_some_and(is_key)
        && !continues_text(&lines, before, line.saturating_sub(1));
    if is_open('"') || is_open('\'') && !value.contains('"') || has_open_list || lacks_colon {
        before + 1
    } else {
        line
    }
}

/// Whether a line may belong to a plain text that begins above it, since no key above has its margin.
fn continues_text(lines: &[&str], at: usize, failed: usize) -> bool {
    let own = indent(lines[at]);
    let is_deeper = lines.get(failed).is_some_and(|failed| indent(failed) < own);
    let above = lines[..at].iter().rev().filter(|line| !is_blank(line));
    let mut siblings = above.take_while(|line| margin(line) >= own);
    let has_key = siblings.any(|line| margin(line) == own && entry(line).1.is_some());
    is_deeper && !has_key
}

/// Whether a line belongs to a text that begins with `|` or `>`.
fn is_in_block_text(lines: &[&str], at: usize) -> bool {
    let mut least = indent(lines[at]);
    lines[..at].iter().rev().filter(|line| !is_blank(line)).any(|line| {
        let is_around = indent(line) < least;
        least = least.min(indent(line));
        let value = entry(line).1.unwrap_or_else(|| line.trim().trim_start_matches("- "));
        is_around && value.starts_with(['|', '>'])
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The column of a line's content; that of an item's content behind its `-`.
fn margin(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}

/// Whether a word may be a key, with a colon in it or none.
fn is_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic()) && word.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

/// The line that a parser of YAML names in a message: that of the cause where it has two.
pub fn line_of(message: &str) -> usize {
    let number = |part: &str| part.split(' ').next().and_then(|word| word.trim_end_matches(',').parse().ok());
    let lines: Vec<usize> = message.split(" at line ").skip(1).filter_map(number).collect();
    // "could not find expected ':' at line 5, while scanning a simple key at line 4": the key is the cause.
    let is_key = message.contains("simple key") || message.contains("quoted scalar");
    let found = if is_key { lines.last() } else { lines.first() };
    found.copied().unwrap_or(1)
}

/// Whether a line is a mark of a merge with conflicts.
fn is_conflict(line: &str) -> bool {
    ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|mark| line.starts_with(mark)) || line.trim_end() == "======="
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#') || line.trim() == "---"
}

/// The key and the value of a line; no value where it has no `: `.
fn entry(line: &str) -> (&str, Option<&str>) {
    let line = line.trim().trim_start_matches("- ");
    match line.split_once(": ") {
        Some((key, value)) => (key, Some(value.trim())),
        None => match line.strip_suffix(':') {
            Some(key) => (key, Some("")),
            None => (line, None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::advice;

    #[test]
    fn each_cause_has_its_advice() {
        let help = |text: &str, line| advice(text, line, "no").1;
        assert_eq!(help("a:\n\tb: 1\n", 2), "indent with spaces: YAML allows no tabs");
        assert_eq!(help("a: b: c\n", 1), "put the value into quotes: `a: \"b: c\"`");
        assert_eq!(help("a: 1\n b: 2\n", 2), "indent it like the line before: 0 spaces");
        assert_eq!(help("a: x\n  - y\n", 2), "write `x` as the first item below `a:`: `- x`");
        assert_eq!(help("a:1\n", 1), "write a space after the colon: `a: 1`");
        assert_eq!(help("a: %{b}\n", 1), "put the value into quotes: `a: \"%{b}\"`");
        assert_eq!(help("a::b:1\n", 1), "write a space after the colon: `a::b: 1`");
        assert_eq!(help("a::b = 1\n", 1), "write `a::b: 1`");
        assert_eq!(help("a 1\n", 1), "write `a: 1`");
        assert_eq!(help("a: \"b\n", 1), "add \" at the end of the value");
        assert_eq!(help("", 7), "compare its indentation, colons and quotes with the lines around it");
    }
}
