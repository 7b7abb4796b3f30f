//! Finds the code of a template.

use tree_sitter::{Point, Range};

/// The pieces of code between `<%` and `%>`, without comments and without the signs that trim or print; an empty one at
/// the end if there are none.
pub(super) fn code(text: &str, point: &dyn Fn(usize) -> Point) -> Vec<Range> {
    let range = |start: usize, end: usize| Range {
        start_byte: start,
        end_byte: end,
        start_point: point(start),
        end_point: point(end),
    };
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("<%") {
        let open = at + found + 2;
        let rest = &text[open..];
        if let Some(rest) = rest.strip_prefix('%') {
            at = text.len() - rest.len();
            continue;
        }
        let is_comment = rest.starts_with('#') || rest.starts_with("-#");
        let start = open + usize::from(rest.starts_with(['-', '=']));
        let Some(close) = text[start..].find("%>").map(|close| start + close) else {
            if !is_comment {
                ranges.push(range(start, text.len()));
            }
            break;
        };
        let end = if text[start..close].ends_with('-') { close - 1 } else { close };
        if !is_comment {
            ranges.push(range(start, end));
        }
        at = close + 2;
    }
    if ranges.is_empty() {
        ranges.push(range(text.len(), text.len()));
    }
    ranges
}

/// The code alone: all other bytes are spaces or line breaks, so that its offsets stay.
pub(super) fn masked(text: &str) -> Vec<u8> {
    let mut out: Vec<u8> = text.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    for range in code(text, &|_| Point::default()) {
        out[range.start_byte..range.end_byte].copy_from_slice(&text.as_bytes()[range.start_byte..range.end_byte]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_between_tags_is_code() {
        let text = "a <%% b <%# c %><%- | $x | -%>\n<%= $x %> <% if $x { -%> é <% } %>";
        let pieces = |text: &str| -> Vec<String> {
            let ranges = code(text, &|offset| Point::new(0, offset));
            ranges.iter().map(|range| text[range.start_byte..range.end_byte].to_string()).collect()
        };
        assert_eq!(pieces(text), [" | $x | ", " $x ", " if $x { ", " } "]);
        assert_eq!(pieces("no code"), [""]);
        assert_eq!(pieces("<%= $x"), [" $x"]);
        assert_eq!(pieces("<%-%>"), [""]);
    }
}
