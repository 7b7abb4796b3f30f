//! Text in cells: cut to a width by graphemes, foreign text made safe, tabs widened.

use std::{borrow::Cow, time::Duration};

use ratatui::prelude::{Buffer, Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::source::{printable, unjoined};

/// Writes a line into at most `room` cells, as [`Buffer::set_line`] does; returns the column after it.
///
/// Nearly all text is ASCII, which needs no segmentation into graphemes.
pub fn draw(buf: &mut Buffer, x: u16, y: u16, line: &Line, room: u16) -> u16 {
    let end = x.saturating_add(room).min(buf.area.right());
    let mut x = x;
    for span in line {
        if x >= end {
            break;
        }
        if span.content.is_empty() {
            continue;
        }
        let style = line.style.patch(span.style);
        if span.content.bytes().all(|byte| matches!(byte, 0x20..0x7f)) {
            let count = span.content.len().min(usize::from(end - x));
            let from = buf.index_of(x, y);
            for (cell, at) in buf.content[from..from + count].iter_mut().zip(0..) {
                cell.set_symbol(&span.content[at..=at]).set_style(style);
            }
            x += count as u16;
        } else {
            x = buf.set_stringn(x, y, &span.content, usize::from(end - x), style).0;
        }
    }
    x
}

pub fn width(text: &str) -> usize {
    text.width()
}

/// Cuts a text to a width, with `mark` at the end.
pub fn fit<'a>(text: &'a str, room: usize, mark: &str) -> Cow<'a, str> {
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let keep = room.saturating_sub(mark.width());
    let mut out = String::with_capacity(room + 4);
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > keep {
            break;
        }
        out.push_str(grapheme);
    }
    if room >= mark.width() {
        out.push_str(mark);
    }
    Cow::Owned(out)
}

/// Cuts a name in its middle, because both its start and its end matter: a resource keeps its kind, and a path whole
/// parts.
pub fn fit_middle<'a>(text: &'a str, room: usize, mark: &str) -> Cow<'a, str> {
    /// Shorter titles show nothing beside their kind.
    const LEAST_TITLE: usize = 6;
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let keep = room.saturating_sub(mark.width());
    if let Some((kind, title)) = text.strip_suffix(']').and_then(|text| text.split_once('['))
        && let Some(room) = room.checked_sub(kind.width() + 2).filter(|room| *room >= LEAST_TITLE)
    {
        return Cow::Owned(format!("{kind}[{}]", fit_middle(title, room, mark)));
    }
    let is_path = text.contains('/') && !text.contains(['[', ' ', '\t', '\n']);
    if is_path && keep > 0 {
        return fit_path(text, room, mark).map_or_else(|| fit_end(text, room, mark), Cow::Owned);
    }
    let head = fit(text, keep / 3, "");
    let tail = fit_end(text, keep - head.width(), "");
    Cow::Owned(if room >= mark.width() { format!("{head}{mark}{tail}") } else { String::new() })
}

/// A path with as many of its last parts as fit, so that paths in one folder are cut alike; `None` if not even the last
/// part fits. A URL keeps its scheme and host.
fn fit_path(path: &str, room: usize, mark: &str) -> Option<String> {
    let root = if path.starts_with('/') { "/" } else { "" };
    let room = room.checked_sub(root.width() + mark.width())?;
    // A URL is not cut within its scheme and host.
    let begin = path.find("://").map_or(root.len(), |at| at + 3);
    let (mut used, mut end, mut from) = (0, path.len(), None);
    for (at, _) in path.rmatch_indices('/') {
        used += path[at..end].width();
        end = at;
        if used > room || at < begin {
            break;
        }
        // The slash at the end of a folder's path is not a part.
        from = (at + 1 < path.len()).then_some((at, used)).or(from);
    }
    let (from, used) = from?;
    let first = path[begin..]
        .find('/')
        .map(|at| &path[..=begin + at])
        .filter(|first| begin > root.len() && first.len() <= from);
    let first = first.filter(|first| first.width() + used <= room + root.width()).unwrap_or(root);
    Some(format!("{first}{mark}{}", &path[from..]))
}

/// Cuts a path or name at its start, because its end matters more.
pub fn fit_end<'a>(text: &'a str, room: usize, mark: &str) -> Cow<'a, str> {
    if text.width() <= room {
        return Cow::Borrowed(text);
    }
    let keep = room.saturating_sub(mark.width());
    let mut used = 0;
    let mut from = text.len();
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > keep {
            break;
        }
        from = at;
    }
    Cow::Owned(if room >= mark.width() { format!("{mark}{}", &text[from..]) } else { String::new() })
}

/// Fills a text with spaces up to a width.
pub fn pad(text: &str, room: usize) -> String {
    let mut out = text.to_string();
    out.extend(std::iter::repeat_n(' ', room.saturating_sub(text.width())));
    out
}

/// Foreign text as one safe line.
pub fn safe(text: &str) -> String {
    printable(text).to_string()
}

/// The same for a text of several lines, which stay separate.
pub fn safe_lines(text: &str) -> String {
    text.lines().map(safe).collect::<Vec<_>>().join("\n")
}

/// A line of a file's text, safe: joined emoji appear side by side.
pub fn content(text: &str) -> String {
    safe(&unjoined(text))
}

/// Source text between two columns, with tab stops at four: safe, and with its drawn width.
pub fn widen_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for grapheme in text.graphemes(true) {
        if grapheme == "\t" {
            let step = 4 - column % 4;
            out.extend(std::iter::repeat_n(' ', step));
            column += step;
        } else {
            column += grapheme.width();
            out.push_str(grapheme);
        }
    }
    Cow::Owned(out)
}

/// The part of a line right of a column; half a wide character becomes a space.
pub fn skip(line: &Line<'static>, columns: usize) -> Vec<Span<'static>> {
    if columns == 0 {
        return line.spans.clone();
    }
    let mut left = columns;
    let mut spans = Vec::new();
    for span in &line.spans {
        // Plain text has its length as width.
        if left == 0 || span.content.bytes().all(|byte| matches!(byte, 0x20..0x7f)) {
            let gone = left.min(span.content.len());
            left -= gone;
            spans.push(Span::styled(span.content[gone..].to_string(), span.style));
            continue;
        }
        let mut rest = String::new();
        for grapheme in span.content.graphemes(true) {
            let width = grapheme.width();
            if left == 0 {
                rest.push_str(grapheme);
            } else if width > left {
                rest.extend(std::iter::repeat_n(' ', width - left));
            }
            left = left.saturating_sub(width);
        }
        spans.push(Span::styled(rest, span.style));
    }
    spans
}

/// Breaks a text at spaces so that no line is wider than `room`.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && line.width() + 1 + word.width() > room {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        while word.width() > room {
            let cut = split_at_width(word, room);
            // A path breaks after one of its folders, unless that leaves most of the line empty.
            let folder = word[..cut].rfind('/').map(|at| at + 1).filter(|at| at * 2 >= cut);
            let cut = folder.unwrap_or(cut);
            lines.push(word[..cut].to_string());
            word = &word[cut..];
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A line of one style, wrapped like [`wrap`], with a hanging indent.
pub fn wrap_line(line: &Line, room: usize) -> Vec<Line<'static>> {
    let words: String = line.spans.iter().map(|span| &*span.content).collect();
    let style = line.spans.first().map_or(line.style, |span| line.style.patch(span.style));
    let indent = (words.len() - words.trim_start_matches(' ').len()).min(room / 2);
    let rows = wrap(words.trim_start_matches(' '), room.saturating_sub(indent));
    rows.into_iter().map(|row| Line::styled(format!("{:indent$}{row}", ""), style)).collect()
}

/// The byte at which at most `room` columns are filled; at least one grapheme, so that callers advance.
fn split_at_width(text: &str, room: usize) -> usize {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme.width();
        if used > room && at > 0 {
            return at;
        }
    }
    text.len()
}

/// Formats a duration, such as `420ms` or `2.5s`.
pub fn duration(took: Duration) -> String {
    match took.as_millis() {
        0 => "<1ms".into(),
        ms @ 1..1000 => format!("{ms}ms"),
        ms => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_width() {
        assert_eq!(fit("漢字漢字", 5, "…"), "漢字…");
        assert_eq!(fit("abc", 3, "…"), "abc");
        assert_eq!(fit("abcd", 0, "…"), "");
        assert_eq!(fit_end("/long/path/file", 6, "…"), "…/file");
        assert_eq!(fit_middle("file[/srv/web/nginx.conf]", 16, "…"), "file[…ginx.conf]");
        let cut = |text: &str, room| {
            let cut = fit_middle(text, room, "…").into_owned();
            assert!(cut.width() <= room, "{cut}");
            cut
        };
        let path = "file[/tmp/site/htdocs/index.html]";
        assert_eq!(cut(path, 33), path);
        assert_eq!(cut(path, 32), "file[/…/site/htdocs/index.html]", "what is near tells more than where all is");
        assert_eq!(cut(path, 29), "file[/…/htdocs/index.html]");
        assert_eq!(cut(path, 25), "file[/…/index.html]", "paths in one folder are cut alike");
        assert_eq!(cut(path, 16), "file[…ndex.html]");
        assert_eq!(cut("file[/tmp/workbench/site/conf/]", 24), "file[/…/site/conf/]", "a folder is a part");
        assert_eq!(cut("modules/mcl/demo/main.mcl", 18), "…/demo/main.mcl");
        assert_eq!(cut("mods/mcl/interpolated/lib/main.mcl", 20), "…/lib/main.mcl");
        assert_eq!(cut("https://example.org/a/long/way/base/", 17), "…/long/way/base/");
        assert_eq!(cut("exec[open the guest book]", 20), "exec[open…uest book]", "words are no path");
        assert_eq!(cut("exec[/bin/true a/b and more]", 20), "exec[/bin… and more]");
        assert_eq!((cut("file[/a/b]", 7), cut("a/b/c", 1), cut("a/b/c", 0)), ("fi…a/b]".into(), "…".into(), "".into()));
        cut(&"/".repeat(9), 4);
        cut("file[/漢字/漢字漢字/漢字]", 14);
        assert_eq!(widen_tabs("\ta\tb"), "    a   b");
        let shifted: String =
            skip(&Line::from(vec![Span::raw("a漢"), Span::raw("bc")]), 2).iter().map(|s| &*s.content).collect();
        assert_eq!(shifted, " bc");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("in /tmp/demo/main.mcl, twice", 17), ["in", "/tmp/demo/", "main.mcl, twice"]);
        assert_eq!(wrap("/a/bcdefghijkl", 8), ["/a/bcdef", "ghijkl"]);
        let broken: Vec<_> = wrap_line(&Line::raw(" 2 shows them"), 8).iter().map(ToString::to_string).collect();
        assert_eq!(broken, [" 2 shows", " them"]);
    }
}
