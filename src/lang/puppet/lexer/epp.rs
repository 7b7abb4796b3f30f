//! EPP templates: text outside of `<% %>`, code inside.

use super::{Lexed, Lexer, T};
use crate::lang::puppet::issue::IssueName;

impl Lexer<'_> {
    /// Reads text up to the next piece of code; afterwards the lexer is in code, or at the end.
    pub(super) fn epp_text(&mut self, is_first: bool) -> Lexed {
        if is_first {
            self.push(T::EppStart, 0, 0);
        }
        let start = self.at;
        let mut text = String::new();
        let mut is_leading = is_first;
        loop {
            let rest = self.rest();
            let Some(open) =
                rest.find("<%").map(|i| (i, true)).into_iter().chain(rest.find("%%>").map(|i| (i, false))).min()
            else {
                text.push_str(rest);
                self.at = self.text.len();
                self.render(text, start);
                return Ok(());
            };
            let (offset, is_open) = open;
            text.push_str(&rest[..offset]);
            self.at += offset;
            if !is_open {
                text.push_str("%>");
                self.at += 3;
                continue;
            }
            match (self.byte(2), self.byte(3)) {
                (b'%', _) => {
                    text.push_str("<%");
                    self.at += 3;
                }
                (b'#', b'-') => {
                    trim_blanks(&mut text);
                    self.comment()?;
                }
                (b'#', _) => self.comment()?,
                (b'-', b'#') => {
                    trim_blanks(&mut text);
                    self.comment()?;
                }
                (b'=', _) => {
                    self.render(text, start);
                    self.take(T::RenderExpr, 3);
                    self.renders = true;
                    return self.code();
                }
                (b'-', _) => {
                    trim_blanks(&mut text);
                    // Blanks before a first `<%-` are no text: parameters may follow.
                    if !(is_leading && text.trim().is_empty()) {
                        self.render(text, start);
                    }
                    self.at += 3;
                    return self.code();
                }
                _ => {
                    self.render(text, start);
                    self.at += 2;
                    return self.code();
                }
            }
            is_leading = is_leading && text.trim().is_empty();
        }
    }

    fn code(&mut self) -> Lexed {
        if self.text[self.at..].contains("%>") {
            return Ok(());
        }
        self.fail(self.at, IssueName::EppUnbalancedTag, "Unbalanced epp tag, reached <eof> without closing tag.")
    }

    fn comment(&mut self) -> Lexed {
        let rest = self.rest();
        let mut from = 3;
        loop {
            let Some(end) = rest.get(from..).and_then(|r| r.find("%>")).map(|i| i + from) else {
                return self.fail(
                    self.at,
                    IssueName::EppUnbalancedComment,
                    "Reaching end after opening <%# without seeing %>",
                );
            };
            if rest[..end].ends_with('%') {
                from = end + 2;
                continue;
            }
            let trims = rest[..end].ends_with('-');
            self.at += end + 2;
            if trims {
                self.at += self.trimmed_line();
            }
            return Ok(());
        }
    }

    fn render(&mut self, text: String, start: usize) {
        if !text.is_empty() {
            self.push(T::RenderText(text.into()), start, self.at);
        }
    }

    /// How many blanks and one line break follow.
    pub(super) fn trimmed_line(&self) -> usize {
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        match &rest[blanks..] {
            r if r.starts_with("\r\n") => blanks + 2,
            r if r.starts_with('\n') => blanks + 1,
            _ => blanks,
        }
    }
}

fn trim_blanks(text: &mut String) {
    text.truncate(text.trim_end_matches([' ', '\t']).len());
}
