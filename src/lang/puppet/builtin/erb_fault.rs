//! Why Ruby refuses an ERB template, found in its text: open tags and blocks, brackets, `do` in the wrong place.
//!
//! Deliberately absent: faults of templates that Ruby reads, which show when they are rendered (`template.rs`).

use crate::diag::nearest;
use crate::lang::ruby::read_template;

/// A line from 1, the reason, and what to write.
type Fault = (usize, String, String);

/// Returns what the parser refuses in a template, and its line; `None` if it reads the template.
pub(super) fn refusal(text: &str) -> Option<(String, usize)> {
    match read_template(text) {
        Err(fault) => Some((fault.what.to_string(), fault.line as usize)),
        // This reader takes them, and Ruby does not.
        Ok(_) => bare_parameters(text).map(|(line, _)| (String::new(), line)),
    }
}

/// Explains a refusal at a line; `None` if the cause is not found.
pub(super) fn explain(text: &str, what: &str, line: usize) -> Option<Fault> {
    if let Some((line, parameters)) = bare_parameters(text) {
        let label = "the parameters of a block follow `do` or `{`".to_string();
        return Some((line, label, format!("write `do {parameters}`")));
    }
    if let Some(line) = open_tag(text) {
        let label = "the tag that begins here is not closed".to_string();
        return Some((line, label, "close it with `%>`".to_string()));
    }
    if what.starts_with("the end of the text") {
        let (line, word) = open_block(text)?;
        let help = format!("add `<% end -%>` after the last line that belongs to line {line}");
        return Some((line, format!("`{word}` has no `end`"), help));
    }
    if let Some((line, parameters)) = late_do(text, line) {
        let label = "`do` belongs before the parameters of the block".to_string();
        return Some((line, label, format!("write `do {parameters}`")));
    }
    surplus_end(text).or_else(|| unbalanced(text)).or_else(|| slip_of_condition(text))
}

/// A tag that ends in the parameters of a block, without the `do` before them: its line and the parameters.
fn bare_parameters(text: &str) -> Option<(usize, &str)> {
    for Tag { line, inside, .. } in tags(text).take_while(|tag| tag.is_closed) {
        let code = inside.trim_end_matches('-').trim_end();
        let Some((head, _)) = code.strip_suffix('|').and_then(|inside| inside.rsplit_once('|')) else { continue };
        let parameters = &code[head.len()..];
        let is_plain =
            parameters.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ' | '|' | '(' | ')' | '*'));
        let words = head.trim_end();
        if is_plain
            && words.contains('.')
            && !words.ends_with(" do")
            && !words.ends_with('{')
            && !code.starts_with('%')
            && !code.trim_start().starts_with('#')
        {
            return Some((line, parameters));
        }
    }
    None
}

/// Words that begin a block of Ruby.
const BLOCKS: [&str; 7] = ["if", "unless", "case", "while", "until", "for", "begin"];

/// A tag of a template: `<%`, its code, `%>`.
struct Tag<'t> {
    line: usize,
    /// The text from the `<%` to the `%>`.
    inside: &'t str,
    /// The same with its sign (`=`, `#`, `%`), without blanks and `-` around it.
    code: &'t str,
    is_closed: bool,
}

/// Returns the tags of a template, in order.
fn tags(text: &str) -> impl Iterator<Item = Tag<'_>> {
    let (mut at, mut line) = (0, 1);
    std::iter::from_fn(move || {
        let start = at + text[at..].find("<%")?;
        line += text[at..start].matches('\n').count();
        let rest = &text[start + 2..];
        let end = rest.find("%>");
        let inside = &rest[..end.unwrap_or(rest.len())];
        let tag = Tag { line, inside, code: inside.trim_matches(['-', ' ', '\n', '\t']), is_closed: end.is_some() };
        line += inside.matches('\n').count();
        at = end.map_or(text.len(), |end| start + 2 + end + 2);
        Some(tag)
    })
}

/// Returns the tags that print nothing and are no comment.
fn statements(text: &str) -> impl Iterator<Item = Tag<'_>> {
    tags(text).filter(|tag| !tag.code.starts_with(['=', '#', '%']))
}

fn first_word(code: &str) -> &str {
    code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// Whether the code ends with the `do` of a block, parameters aside.
fn has_do(code: &str) -> bool {
    code.split('|').next().is_some_and(|head| head.trim_end().ends_with(" do"))
}

/// A condition with a sign of another language: its line, what is wrong, what to do.
fn slip_of_condition(text: &str) -> Option<Fault> {
    statements(text).filter(|tag| matches!(first_word(tag.code), "if" | "elsif" | "unless" | "while")).find_map(|tag| {
        let last = tag.code.chars().last().filter(|sign| matches!(sign, ':' | '{'));
        let is_pair = tag.code.contains(" => ") && !tag.code.contains(['(', '{', '[']);
        match last {
            Some(sign) => {
                let label = format!("`{sign}` does not end a condition of Ruby");
                Some((tag.line, label, format!("remove `{sign}`; the block ends with `<% end %>`")))
            }
            None => {
                is_pair.then(|| (tag.line, "`=>` does not compare two values".into(), "write `>=`, or `==`".into()))
            }
        }
    })
}

/// An `end` of a template that closes nothing, because a word before it has a slip: its line, what is wrong, what to do.
fn surplus_end(text: &str) -> Option<Fault> {
    let (mut open, mut slip) = (0_usize, None);
    for Tag { line, code, .. } in statements(text) {
        let first = first_word(code);
        if BLOCKS.contains(&first) || has_do(code) {
            open += 1;
        } else if first == "end" && open == 0 {
            return Some(match slip {
                Some((line, word, near)) => {
                    (line, format!("`{word}` is not a word of Ruby"), format!("did you mean `{near}`?"))
                }
                None => {
                    (line, "this `end` closes nothing".into(), "remove it, or add the `if` or `do` of its block".into())
                }
            });
        } else if first == "end" {
            open -= 1;
        } else if first.len() > 1 && !matches!(first, "else" | "elsif" | "when" | "rescue" | "ensure") {
            slip = nearest(first, BLOCKS).map(|near| (line, first.to_string(), near)).or(slip);
        }
    }
    None
}

/// An expression between `<%=` and `%>` whose quotes or brackets are not closed: its line, what is wrong, what to do.
fn unbalanced(text: &str) -> Option<Fault> {
    let closed = tags(text).take_while(|tag| tag.is_closed);
    'tags: for Tag { line, code, .. } in closed.filter(|tag| !tag.code.starts_with(['#', '%'])) {
        // A block begins in one tag and ends in another one, but a parenthesis does not.
        let is_value = code.starts_with('=');
        let (mut open, mut quote, mut is_escaped, mut before) = (Vec::new(), None, false, ' ');
        for c in code.trim_start_matches('=').chars() {
            let is_name = std::mem::replace(&mut before, c).is_alphanumeric();
            match (quote, c) {
                _ if is_escaped => is_escaped = false,
                (Some(_), '\\') => is_escaped = true,
                (Some(end), _) => quote = Some(end).filter(|end| *end != c),
                (None, '"' | '\'' | '`') => quote = Some(c),
                // A regular expression, a character or a comment may have any of them.
                (None, '?') if is_name => {}
                (None, '/' | '?' | '#') => continue 'tags,
                (None, '{' | '}') if !is_value => {}
                (None, '(') => open.push(')'),
                (None, '[') => open.push(']'),
                (None, '{') => open.push('}'),
                (None, ')' | ']' | '}') => match open.pop() {
                    Some(wanted) if wanted == c => {}
                    Some(wanted) => {
                        return Some((
                            line,
                            format!("found `{c}` before `{wanted}`"),
                            format!("add `{wanted}` before `{c}`"),
                        ));
                    }
                    None => return Some((line, format!("this `{c}` closes nothing"), format!("remove `{c}`"))),
                },
                _ => {}
            }
        }
        if let Some(quote) = quote {
            return Some((
                line,
                format!("a string in this tag has no closing {quote}"),
                format!("add {quote} where the text ends"),
            ));
        }
        if let Some(wanted) = open.pop() {
            return Some((
                line,
                format!("a bracket of this tag is not closed: its `{wanted}` is missing"),
                format!("add `{wanted}`"),
            ));
        }
    }
    None
}

/// `|x| do` in a line of a template: Ruby writes `do |x|`.
fn late_do(text: &str, line: usize) -> Option<(usize, &str)> {
    let before = text.lines().nth(line.checked_sub(1)?)?.split(" do").next()?.trim_end();
    let start = before.strip_suffix('|')?.rfind('|')?;
    Some((line, &before[start..]))
}

/// The line of the first tag that another one begins in, or that has no end.
fn open_tag(text: &str) -> Option<usize> {
    // In `<%>`, the sign of the end belongs to the second tag.
    let holds_another = |inside: &str| inside.contains("<%") || inside.ends_with('<');
    tags(text).find(|tag| !tag.is_closed || holds_another(tag.inside)).map(|tag| tag.line)
}

/// The innermost block of a template that is open at its end: its line and its word.
fn open_block(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    for Tag { line, code, .. } in statements(text) {
        let first = first_word(code);
        if BLOCKS.contains(&first) || has_do(code) {
            open.push((line, if has_do(code) { "do".into() } else { first.to_string() }));
        } else if first == "end" {
            open.pop();
        }
    }
    open.pop()
}
