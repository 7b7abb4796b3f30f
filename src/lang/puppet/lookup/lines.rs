//! The lines of values in files of data.

/// The line of a part of a value in YAML: a key of a hash below the line, or an element of a list by its number.
pub fn nested_line(text: &str, line: usize, keys: &[String]) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let (mut at, mut limit) = (line, lines.len());
    let mut is_element = false;
    for key in keys {
        let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let Some(own) =
            lines.get(at.saturating_sub(1)).map(|line| if is_element { blanks(line) } else { indent(line) })
        else {
            break;
        };
        // The first key of an element is on its line.
        if is_element && lines.get(at - 1).is_some_and(|line| is_key(line.trim_start().trim_start_matches("- "), key)) {
            is_element = false;
            continue;
        }
        let end = (at..limit).find(|next| {
            let line = lines[*next];
            !line.trim().is_empty() && indent(line) <= own && !line.trim_start().starts_with('-')
        });
        limit = end.unwrap_or(limit);
        let number: Option<usize> = key.parse().ok();
        let mut elements = 0;
        let found = (at..limit).find(|next| {
            let line = lines[*next].trim_start();
            let is_element = line.starts_with("- ") || line == "-";
            elements += usize::from(is_element);
            let line = line.trim_start_matches("- ");
            is_key(line, key) || number.is_some_and(|number| is_element && elements == number + 1)
        });
        match found {
            Some(found) => at = found + 1,
            None => break,
        }
        is_element = number.is_some() && lines.get(at - 1).is_some_and(|line| line.trim_start().starts_with('-'));
    }
    at
}

/// Whether a line begins with a key of YAML.
fn is_key(line: &str, key: &str) -> bool {
    ["", "'", "\""].iter().any(|quote| {
        line.strip_prefix(quote)
            .and_then(|line| line.strip_prefix(key))
            .and_then(|line| line.strip_prefix(quote))
            .is_some_and(|line| line.trim_start().starts_with(':'))
    })
}
