//! Texts that must not be shown or stored, and their replacement wherever they appear.

use super::{Graph, Params, Value};

/// The replacement of a secret.
pub const HIDDEN: &str = "(secret)";

/// A line of a secret with at least this many bytes is itself a secret.
const LINE: usize = 12;

/// A text with a secret of this many bytes does not contain it by chance.
const LONG: usize = 6;

/// Texts that must not be shown or stored.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Returns the secrets that a graph declares.
    pub fn of(graph: &Graph) -> Self {
        let params = graph.resources().flat_map(|(_, resource)| {
            [Some(&resource.shown().params), resource.mapping().map(|wanted| &wanted.params)].into_iter().flatten()
        });
        Self::in_all(params)
    }

    /// Returns the secrets of one resource, including received ones.
    pub fn in_params(params: &Params) -> Self {
        Self::in_all(std::iter::once(params))
    }

    /// Returns some texts as secrets.
    pub fn in_texts(texts: impl IntoIterator<Item = String>) -> Self {
        Self::sorted(texts.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// Returns a text about an input that holds these secrets, without them. `blind` is the text about the same input
    /// with [`HIDDEN`] in the place of each secret. `None` if the text depends on a secret in any other way than by
    /// quoting it: then no part of it may be shown.
    pub fn redact(&self, text: &str, blind: Option<&str>) -> Option<String> {
        let hidden = self.hide(text);
        (blind == Some(&*hidden)).then_some(hidden)
    }

    /// Adds the secrets in some parameters.
    pub fn learn(&mut self, params: &Params) {
        *self = Self::sorted(std::mem::take(&mut self.0).into_iter().chain(Self::in_params(params).0).collect());
    }

    fn in_all<'p>(params: impl Iterator<Item = &'p Params>) -> Self {
        let mut texts = Vec::new();
        params.flat_map(Params::iter).for_each(|(_, value)| collect(value, false, &mut texts));
        texts.retain(|text| !text.trim().is_empty());
        Self::sorted(texts)
    }

    /// Longer ones first, so that a secret that contains another is replaced as a whole.
    fn sorted(mut texts: Vec<String>) -> Self {
        texts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        texts.dedup();
        Secrets(texts)
    }

    /// Whether a text contains a secret.
    pub fn are_in(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text.contains(secret.as_str()))
    }

    /// Whether a text is a secret, or contains one that is too long to be there by chance.
    pub fn are_shown_by(&self, text: &str) -> bool {
        self.0.iter().any(|secret| text == secret || secret.len() >= LONG && text.contains(secret.as_str()))
    }

    /// Whether a value, or a part of it, is a text with a secret.
    pub fn are_within(&self, value: &Value) -> bool {
        match value {
            Value::Str(text) => self.are_in(text),
            Value::Bytes(bytes) => self.are_in(&String::from_utf8_lossy(bytes)),
            Value::List(items) => items.iter().any(|item| self.are_within(item)),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| self.are_within(key) || self.are_within(value)),
            Value::Struct(fields) => fields.iter().any(|(_, value)| self.are_within(value)),
            _ => false,
        }
    }

    /// Replaces each secret in a text by a placeholder.
    pub fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), HIDDEN) } else { text }
        })
    }
}

fn collect(value: &Value, hidden: bool, texts: &mut Vec<String>) {
    match value {
        Value::Sensitive(inner) => collect(inner, true, texts),
        Value::Str(text) if hidden => {
            // Command output arrives in lines. A short line is likely to match text that is not secret.
            texts.extend(text.lines().map(str::trim).filter(|line| line.len() >= LINE).map(str::to_owned));
            texts.push(text.trim().to_owned());
            texts.push(text.to_string());
        }
        // A short number is likely to match one that is not secret.
        Value::Int(number) if hidden && number.abs() > 9999 => texts.push(number.to_string()),
        Value::List(items) => items.iter().for_each(|item| collect(item, hidden, texts)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            collect(key, hidden, texts);
            collect(value, hidden, texts);
        }),
        Value::Struct(fields) => fields.iter().for_each(|(_, value)| collect(value, hidden, texts)),
        _ => {}
    }
}
