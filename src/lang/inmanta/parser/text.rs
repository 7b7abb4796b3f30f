//! Strings with names in them.

use std::sync::Arc;

use super::super::ast::{Kind, NodeId, Word};
use super::super::error::Result;
use super::super::pystr::pieces;
use super::super::value::Value;
use super::Parser;
use crate::source::Span;

/// A `{{ name }}` in a string: where the whole is, and where the name is.
pub(super) struct Interpolation {
    pub whole: std::ops::Range<usize>,
    pub name: std::ops::Range<usize>,
}

/// Every `{{ name }}`, in order. Names hold letters, digits, `_`, `-` and dots.
pub(super) fn interpolations(text: &str) -> impl Iterator<Item = Interpolation> + '_ {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text.get(from..).and_then(|rest| rest.find("{{")) {
            let start = from + found;
            let name = start + 2 + (text[start + 2..].len() - text[start + 2..].trim_start().len());
            let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let end = name + bytes[name..].iter().take_while(is_part).count();
            let close = end + (text[end..].len() - text[end..].trim_start().len());
            if end > name && text[close..].starts_with("}}") {
                from = close + 2;
                return Some(Interpolation { whole: start..from, name: name..end });
            }
            from = start + 1;
        }
        None
    })
}

impl Parser<'_> {
    /// A string, perhaps with names in it. `quotes` is how long its quotes are.
    pub(super) fn string(&mut self, text: Arc<str>, span: Span, quotes: usize) -> Result<NodeId> {
        let found: Vec<_> = interpolations(&text).collect();
        if found.is_empty() {
            return self.add(Kind::Literal(Value::Str(text)), span, &[]);
        }
        // Without escapes the text is the text in the file, so every name has its own place.
        let inner = span.start as usize + quotes;
        let is_plain = self.text.get(inner..inner + text.len()) == Some(&*text);
        let mut parts = Vec::with_capacity(found.len());
        for Interpolation { whole, name } in found {
            let place = if is_plain { Span::new(span.file, inner + name.start, inner + name.end) } else { span };
            let node = self.reference(&text[name], place)?;
            parts.push((node, Arc::from(&text[whole])));
        }
        let children: Vec<_> = parts.iter().map(|(node, _)| *node).collect();
        self.add(Kind::Format { text, parts }, span, &children)
    }

    /// An f-string. As in the reference, names after a doubled brace are not seen here and fail when it runs.
    pub(super) fn format_string(&mut self, text: Arc<str>, span: Span) -> Result<NodeId> {
        let invalid = |parser: &Self, reason: String| {
            let help = match reason.contains("Single") {
                true => "write `{{` and `}}` for braces of the text, and `{NAME}` for a value",
                false => "close the field of a value with `}`, as in `{NAME}`; a brace of the text is `{{` or `}}`",
            };
            parser.syntax_error(span, format!("Invalid f-string: {reason}")).with_help(help)
        };
        let top = pieces(&text).map_err(|reason| invalid(self, reason))?;
        let mut fields = Vec::new();
        for piece in top {
            let Some(field) = piece.field.filter(|field| !field.name.is_empty()) else { break };
            fields.push(field.name);
            if field.spec.is_empty() {
                continue;
            }
            for inner in pieces(&field.spec).map_err(|reason| invalid(self, reason))? {
                let Some(inner) = inner.field.filter(|field| !field.name.is_empty()) else { break };
                fields.push(inner.name);
            }
        }
        let mut parts = Vec::with_capacity(fields.len());
        for field in fields {
            parts.push((self.reference(&field, span)?, Arc::from(field)));
        }
        let children: Vec<_> = parts.iter().map(|(node, _)| *node).collect();
        self.add(Kind::FormatStr { text, parts }, span, &children)
    }

    /// `a.b.c` in a string.
    fn reference(&mut self, written: &str, place: Span) -> Result<NodeId> {
        let mut parts = written.split('.');
        let root = self.names.sym(parts.next().unwrap_or_default().trim());
        let mut node = self.add(Kind::Name(root), place, &[])?;
        for part in parts {
            let name = Word { sym: self.names.sym(part.trim()), span: place };
            node = self.add(Kind::Attribute { of: node, name }, place, &[node])?;
        }
        Ok(node)
    }
}
