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
    while let Some(at) = rest.find("<%") {
        let (before, tag) = rest.split_at(at);
        open.push_str(before);
        line += count(before);
        if let Some(after) = tag.strip_prefix("<%%") {
            open.push_str("<%");
            rest = after;
            continue;
        }
        let body = &tag[2..];
        let (sort, body) = match body.chars().next() {
            Some(c @ ('=' | '#' | '-')) => (c, &body[1..]),
            _ => (' ', body),
        };
        let head = &text[..text.len() - tag.len()];
        let margin = head.trim_end_matches([' ', '\t']);
        // Only blanks that begin a line.
        if sort == '-' && (margin.is_empty() || margin.ends_with('\n')) {
            open.truncate(open.trim_end_matches([' ', '\t']).len());
        }
        let Some((code, after)) = closed(body) else {
            return Err(Fault::new(line, "a tag without an end"));
        };
        if !open.is_empty() {
            push(&mut out, Tok::Text(open.as_str().into()), line);
            open.clear();
        }
        let (code, trims) = match code.strip_suffix('-') {
            Some(code) => (code, true),
            None => (code, false),
        };
        match sort {
            '#' => {}
            '=' => {
                push(&mut out, Tok::Output, line);
                out.extend(lexer::tokens(&code.replace("%%>", "%>"), line)?);
                push(&mut out, Tok::OutputEnd, line);
            }
            _ => {
                push(&mut out, Tok::Newline, line);
                out.extend(lexer::tokens(&code.replace("%%>", "%>"), line)?);
                push(&mut out, Tok::Newline, line);
            }
        }
        line += count(code);
        rest = after;
        if trims && let Some(next) = rest.strip_prefix('\n') {
            rest = next;
            line += 1;
        }
    }
    open.push_str(rest);
    if !open.is_empty() {
        push(&mut out, Tok::Text(open.as_str().into()), line);
    }
    Ok(out)
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
    }

    #[test]
    fn lines_are_counted_through_tags() {
        let fault = program("a\n<%# b\n-%>\n<%= c( %>").expect_err("it is not closed");
        assert_eq!(fault.line, 4);
        assert!(program("a\n<% b").is_err());
    }
}
