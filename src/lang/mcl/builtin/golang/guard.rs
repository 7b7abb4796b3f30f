//! Makes a template safe to run, from its text: deep ones are refused, and each call of a named one becomes a step that
//! is counted. The reader of templates recurses over `else if` without a limit, and a template that calls another twice,
//! which calls a third twice, and so on, would never end.

/// Far more than people write, far less than a thread's stack holds.
const DEPTH: usize = 100;

/// The function that counts; no name that a program could use.
pub const STEP: &str = "workbench_step";

/// The template with a step at the start of each body that can be called by name; nothing if blocks or parentheses are
/// nested too deep.
pub fn guarded(template: &str) -> Option<String> {
    // For each open block how many levels it is: an `else if` nests in what it continues.
    let mut blocks: Vec<usize> = Vec::new();
    let mut out = String::with_capacity(template.len());
    let (bytes, mut at, mut copied) = (template.as_bytes(), 0, 0);
    while let Some(start) = bytes[at..].windows(2).position(|pair| pair == b"{{") {
        at += start + 2;
        let action = Action::read(&bytes[at..]);
        at += action.length;
        match action.word {
            b"if" | b"range" | b"with" | b"block" | b"define" => blocks.push(1),
            b"end" => drop(blocks.pop()),
            b"else" => blocks.last_mut().into_iter().for_each(|levels| *levels += 1),
            _ => {}
        }
        if action.parentheses > DEPTH || blocks.iter().sum::<usize>() > DEPTH {
            return None;
        }
        if matches!(action.word, b"block" | b"define") && bytes[at..].starts_with(b"}}") {
            out.push_str(&template[copied..at + 2]);
            // A dash takes white space away on both sides of the step, as it did before.
            let dash = if bytes[..at].ends_with(b"-") { " -" } else { "" };
            out.push_str(&format!("{{{{{STEP}{dash}}}}}"));
            copied = at + 2;
        }
    }
    out.push_str(&template[copied..]);
    Some(out)
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
    use super::guarded;

    #[test]
    fn depth_is_told_from_the_text() {
        let is_shallow = |template: &str| guarded(template).is_some();
        let nested = |n: usize| "{{ if . }}".repeat(n) + &"{{ end }}".repeat(n);
        assert!(is_shallow(&nested(100)) && !is_shallow(&nested(101)));
        assert!(is_shallow(&"{{if .}}{{else}}{{end}}".repeat(1000)));
        assert!(!is_shallow(&format!("{{{{{}1{}}}}}", "(".repeat(1000), ")".repeat(1000))));
        assert!(!is_shallow(&"{{if .}}{{\"{{end}}\"}}{{/* {{end}} */}}{{`{{end}}`}}".repeat(1000)));
        assert!(!is_shallow(&format!("{{{{if .}}}}{}{{{{end}}}}", "{{- else if .}}".repeat(1000))));
    }

    #[test]
    fn bodies_begin_with_a_step() {
        let with = |text: &str| guarded(text).unwrap_or_default();
        assert_eq!(with("a{{define \"x\" -}} b{{end}}"), "a{{define \"x\" -}}{{workbench_step -}} b{{end}}");
        assert_eq!(with("é{{ block \"x\" . }}b{{end}}{{"), "é{{ block \"x\" . }}{{workbench_step}}b{{end}}{{");
        assert_eq!(with("{{/* define */}}{{ .define }}"), "{{/* define */}}{{ .define }}");
    }
}
