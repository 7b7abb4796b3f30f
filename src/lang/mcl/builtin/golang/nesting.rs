//! How deep a template is nested, told from its text: the reader of templates recurses over `else if` without a limit.

/// Far more than people write, far less than a thread's stack holds.
const DEPTH: usize = 100;

/// Whether neither blocks nor parentheses are nested too deep.
pub fn is_shallow(template: &str) -> bool {
    // For each open block how many levels it is: an `else if` nests in what it continues.
    let mut blocks: Vec<usize> = Vec::new();
    let mut rest = template.as_bytes();
    while let Some(at) = rest.windows(2).position(|pair| pair == b"{{") {
        rest = &rest[at + 2..];
        let action = Action::read(rest);
        match action.word {
            b"if" | b"range" | b"with" | b"block" | b"define" => blocks.push(1),
            b"end" => drop(blocks.pop()),
            b"else" => blocks.last_mut().into_iter().for_each(|levels| *levels += 1),
            _ => {}
        }
        if action.parentheses > DEPTH || blocks.iter().sum::<usize>() > DEPTH {
            return false;
        }
        rest = &rest[action.length..];
    }
    true
}

/// What stands between two pairs of braces.
struct Action<'a> {
    word: &'a [u8],
    /// The most that are open at once.
    parentheses: usize,
    length: usize,
}

impl<'a> Action<'a> {
    /// Quoted braces do not end it, and quoted words do not count.
    fn read(text: &'a [u8]) -> Self {
        let body = text.strip_prefix(b"-").unwrap_or(text).trim_ascii_start();
        if body.starts_with(b"/*") {
            let end = body.windows(2).skip(2).position(|pair| pair == b"*/").map_or(body.len(), |at| at + 4);
            return Self { word: b"", parentheses: 0, length: text.len() - body.len() + end };
        }
        let letters = body.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let (mut at, mut open, mut parentheses) = (0, 0_usize, 0);
        while at < text.len() && !text[at..].starts_with(b"}}") {
            match text[at] {
                quote @ (b'"' | b'\'' | b'`') => at = end_of_quoted(text, at, quote),
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                _ => {}
            }
            parentheses = parentheses.max(open);
            at += 1;
        }
        Self { word: &body[..letters], parentheses, length: at.min(text.len()) }
    }
}

/// Where a quoted text ends that begins at a byte.
fn end_of_quoted(text: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < text.len() && text[at] != quote {
        at += if text[at] == b'\\' && quote != b'`' { 2 } else { 1 };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::is_shallow;

    #[test]
    fn depth_is_told_from_the_text() {
        let nested = |n: usize| "{{ if . }}".repeat(n) + &"{{ end }}".repeat(n);
        assert!(is_shallow(&nested(100)) && !is_shallow(&nested(101)));
        assert!(is_shallow(&"{{if .}}{{else}}{{end}}".repeat(1000)));
        assert!(!is_shallow(&format!("{{{{{}1{}}}}}", "(".repeat(1000), ")".repeat(1000))));
        assert!(!is_shallow(&"{{if .}}{{\"{{end}}\"}}{{/* {{end}} */}}{{`{{end}}`}}".repeat(1000)));
        assert!(!is_shallow(&format!("{{{{if .}}}}{}{{{{end}}}}", "{{- else if .}}".repeat(1000))));
    }
}
