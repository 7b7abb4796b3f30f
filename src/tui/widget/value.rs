//! A value of the graph as lines: short ones after their name, multi-line texts below it.

use ratatui::text::{Line, Span};

use super::text;
use crate::graph::{Value, escaped};
use crate::tui::look::{Look, Role};

/// Longer values are cut.
const MOST_LINES: usize = 200;
const MOST_BYTES: usize = 64 * 1024;

/// A named value, indented by two.
pub fn lines(look: &Look, name: &str, value: &Value, width: usize) -> Vec<Line<'static>> {
    let name = text::safe(name);
    if let Some(words) = several_lines(value) {
        let mut lines = vec![Line::from(vec![
            Span::styled(format!("  {name}  "), look.style(Role::Dim)),
            Span::styled(format!("{} lines", words.lines().count()), look.style(Role::Dim)),
        ])];
        let cut = words.lines().count() > MOST_LINES;
        lines.extend(
            words
                .lines()
                .take(MOST_LINES)
                .map(|line| Line::raw(format!("    {}", text::content(&text::widen_tabs(line))))),
        );
        if cut {
            lines.push(Line::styled(format!("    {}", look.glyphs.cut), look.style(Role::Dim)));
        }
        return lines;
    }
    let shown = short(value);
    let head = format!("  {name:<9} ");
    let room = width.saturating_sub(text::width(&head)).max(8);
    let style =
        look.style(if matches!(value, Value::Unknown | Value::Deferred(_)) { Role::Unknown } else { Role::Text });
    let mut wrapped = text::wrap(&shown, room).into_iter();
    let mut lines = vec![Line::from(vec![
        Span::styled(head.clone(), look.style(Role::Dim)),
        Span::styled(wrapped.next().unwrap_or_default(), style),
    ])];
    let indent = text::width(&head);
    lines.extend(wrapped.take(MOST_LINES).map(|line| Line::styled(format!("{:indent$}{line}", ""), style)));
    lines
}

/// The text, if it has several lines and may be shown.
pub fn several_lines(value: &Value) -> Option<&str> {
    match value {
        Value::Str(words) if words.trim_end_matches('\n').contains('\n') && words.len() <= MOST_BYTES => Some(words),
        _ => None,
    }
}

pub fn short(value: &Value) -> String {
    drawn(value, text::content)
}

/// The same with every invisible character shown.
pub fn exact(value: &Value) -> String {
    drawn(value, text::safe)
}

fn drawn(value: &Value, safe: fn(&str) -> String) -> String {
    match value {
        Value::Unknown => "known after apply".into(),
        Value::Sensitive(_) => "(secret)".into(),
        Value::Deferred(_) => "known after apply".into(),
        Value::Ref(id) => id.to_string(),
        Value::Str(words) if words.len() > MOST_BYTES => format!("text of {} bytes", words.len()),
        Value::Str(words) => format!("\"{}\"", safe(words)),
        Value::Bytes(bytes) if bytes.len() > MOST_BYTES => format!("{} bytes (binary)", bytes.len()),
        Value::Bytes(bytes) => format!("\"{}\"", safe(&escaped(bytes))),
        other => safe(&other.to_json().to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_escapes_stay_hidden() {
        assert_eq!(short(&Value::Sensitive(Box::new(Value::from("pw")))), "(secret)");
        assert_eq!(short(&Value::from("a\x1b[2J")), "\"a\\x1b[2J\"");
        assert_eq!(short(&Value::Unknown), "known after apply");
    }
}
