//! ERB: text with Ruby between `<%` and `%>`, as one sequence of tokens. A `-` at a tag removes the blanks before it, or
//! the line end behind it.

use super::ast::Expr;
use super::token::{Fault, Tok, Token};
use super::{lexer, parser};

/// The tree of a template.
pub fn program(text: &str) -> Result<Expr, Fault> {
    parser::program(&tokens(text)?, false)
}

fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut line = 1;
    let mut open = String::new();
    // The code of a tag ended in a comment, which goes on to the next line end.
    let mut in_comment = false;
    while let Some(at) = rest.find("<%") {
        let (before, tag) = rest.split_at(at);
        if let Some(after) = tag.strip_prefix("<%%") {
            open.push_str(before);
            open.push_str("<%");
            line += count(before);
            rest = after;
            continue;
        }
        let body = &tag[2..];
        let (sort, body) = match body.chars().next() {
            Some(c @ ('=' | '#' | '-')) => (c, &body[1..]),
            _ => (' ', body),
        };
        // Blanks that begin a line, or follow a tag, go with a `<%-`.
        let margin = before.trim_end_matches([' ', '\t']);
        let is_margin = margin.is_empty() || margin.ends_with('\n');
        open.push_str(if sort == '-' && is_margin { margin } else { before });
        line += count(before);
        let Some((code, after)) = closed(body) else {
            return Err(Fault::new(line, "a tag without an end"));
        };
        let is_hidden = flush(&mut out, &mut open, &mut in_comment, line);
        let (code, trims) = match code.strip_suffix('-') {
            Some(code) => (code, true),
            None => (code, false),
        };
        let shown = code.replace("%%>", "%>");
        match sort {
            '#' => {}
            // The comment hides this code too.
            _ if is_hidden && shown.contains('\n') => return Err(Fault::new(line, "code that begins in a comment")),
            _ if is_hidden => {}
            '=' if lexer::ends_in_comment(&shown) => {
                return Err(Fault::new(line, "a comment at the end of `<%=`"));
            }
            '=' => {
                push(&mut out, Tok::Output, line);
                out.extend(lexer::tokens(&shown, line)?);
                push(&mut out, Tok::OutputEnd, line);
            }
            _ => {
                push(&mut out, Tok::Newline, line);
                out.extend(lexer::tokens(&shown, line)?);
                push(&mut out, Tok::Newline, line);
                in_comment = lexer::ends_in_comment(&shown);
            }
        }
        line += count(code);
        rest = after;
        if trims && let Some(next) = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n")) {
            rest = next;
            line += 1;
            in_comment = false;
        }
    }
    open.push_str(rest);
    flush(&mut out, &mut open, &mut in_comment, line);
    Ok(out)
}

/// Ends a text. After a comment it is hidden, and the line ends in it end the comment. Whether the comment goes on.
fn flush(out: &mut Vec<Token>, open: &mut String, in_comment: &mut bool, line: u32) -> bool {
    let text = std::mem::take(open);
    if *in_comment {
        *in_comment = !text.contains('\n');
    } else if !text.is_empty() {
        push(out, Tok::Text(text.as_str().into()), line);
    }
    *in_comment
}

fn count(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

fn push(out: &mut Vec<Token>, kind: Tok, line: u32) {
    out.push(Token { kind, line, spaced: true });
}

/// The code up to the end of its tag, and what is behind it. `%%>` is no end.
fn closed(body: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = body[from..].find("%>")? + from;
        if at > 0 && body.as_bytes().get(at - 1) == Some(&b'%') {
            from = at + 2;
            continue;
        }
        return Some((&body[..at], &body[at + 2..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of a template between its tags.
    fn texts(template: &str) -> String {
        let tokens = tokens(template).expect("the test has a template");
        let texts = tokens.iter().filter_map(|token| match &token.kind {
            Tok::Text(text) => Some(&**text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn a_minus_removes_blanks_before_and_the_line_end_behind() {
        assert_eq!(texts("a\n  <%- b -%>\nc"), "a\n|c");
        assert_eq!(texts("a <%- b %>\nc"), "a |\nc");
        assert_eq!(texts("  <% b -%> c"), "  | c");
        assert_eq!(texts("a<%% b %>"), "a<% b %>");
        assert_eq!(texts("a<%# b -%>\n  <%- c -%>\nd"), "a|d");
        assert_eq!(texts("a<% b %>  <%- c %>d"), "a|d");
        assert_eq!(texts("<%%  <%- c %>|"), "<%||");
    }

    #[test]
    fn lines_are_counted_through_tags() {
        let fault = program("a\n<%# b\n-%>\n<%= c( %>").expect_err("it is not closed");
        assert_eq!(fault.line, 4);
        assert!(program("a\n<% b").is_err());
    }
}
