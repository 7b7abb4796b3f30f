//! The parameters of one resource, for the reader of its kind: without any machine, and with unknown values left open.

use std::any::Any;
use std::sync::Arc;

use super::kind::plain;
use crate::graph::{Params, Value};
use crate::host::HostError;

/// What a kind's reader made of the parameters, if it needs more than to refuse them.
#[derive(Clone, Default)]
pub struct Typed(Option<Arc<dyn Any + Send + Sync>>);

impl Typed {
    /// Stores the parameters in the form that the kind's reader produced.
    pub fn new(params: impl Any + Send + Sync) -> Self {
        Typed(Some(Arc::new(params)))
    }

    /// Returns the parameters, as the same kind made them.
    pub fn get<T: Any>(&self) -> Result<&T, HostError> {
        let typed = self.0.as_deref().and_then(|params| params.downcast_ref());
        typed.ok_or_else(|| HostError::Refused("the parameters are those of another kind".into()))
    }
}

/// A parameter as it was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Param<T> {
    #[default]
    Unset,
    Known(T),
    /// Known while applying, with its name.
    Unknown(&'static str),
}

impl<T> Param<T> {
    /// Returns the value in a turn, which needs it.
    #[inline]
    pub fn get(&self) -> Result<Option<&T>, HostError> {
        match self {
            Param::Unset => Ok(None),
            Param::Known(value) => Ok(Some(value)),
            Param::Unknown(param) => Err(HostError::UnknownValue { param: (*param).to_owned() }),
        }
    }

    /// Parses the value. An error begins with the name of the parameter.
    pub fn parse<U>(self, param: &str, parse: impl FnOnce(T) -> Result<U, String>) -> Result<Param<U>, String> {
        self.parse_whole(|value| parse(value).map_err(|why| format!("`{param}`: {why}")))
    }

    /// Parses the value. The error stays as it is.
    pub fn parse_whole<U>(self, parse: impl FnOnce(T) -> Result<U, String>) -> Result<Param<U>, String> {
        match self {
            Param::Unset => Ok(Param::Unset),
            Param::Unknown(param) => Ok(Param::Unknown(param)),
            Param::Known(value) => parse(value).map(Param::Known),
        }
    }

    /// Returns the name of a parameter that is known while applying.
    pub fn unknown(&self) -> Option<&'static str> {
        if let Param::Unknown(param) = self { Some(param) } else { None }
    }

    /// The value of this one, or of another one if this is not set.
    pub fn or(self, other: Param<T>) -> Param<T> {
        if matches!(self, Param::Unset) { other } else { self }
    }
}

impl Param<Vec<String>> {
    /// Returns the texts in a turn; none if it is unset.
    pub fn list(&self) -> Result<&[String], HostError> {
        Ok(self.get()?.map(Vec::as_slice).unwrap_or_default())
    }
}

impl Param<bool> {
    /// Returns the flag in a turn. Unset is off.
    pub fn flag(&self) -> Result<bool, HostError> {
        Ok(self.get()? == Some(&true))
    }
}

/// The parameters with the name, which is the default of some of them, and the meta parameters.
pub struct Reader<'a> {
    pub name: &'a str,
    pub params: &'a Params,
    pub meta: &'a Params,
    /// One bit for each name that may be among the parameters: a kind asks for many that are not.
    names: u64,
}

impl<'a> Reader<'a> {
    /// Makes the reader of a resource.
    pub fn new(name: &'a str, params: &'a Params, meta: &'a Params) -> Self {
        let names = params.iter().fold(0, |names, (param, _)| names | Self::bit(param));
        Self { name, params, meta, names }
    }

    /// Returns a parameter.
    pub fn get(&self, param: &str) -> Option<&'a Value> {
        if self.names & Self::bit(param) == 0 { None } else { self.params.get(param) }
    }

    #[inline]
    fn bit(param: &str) -> u64 {
        let first = param.as_bytes().first().copied().unwrap_or_default();
        1 << ((param.len() + 5 * usize::from(first)) % 64)
    }

    /// Returns a text that is not empty.
    #[inline]
    pub fn filled_param(&self, param: &'static str) -> Param<String> {
        self.param(param, |value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// The same, where only its meaning is kept.
    #[inline]
    pub fn filled_word(&self, param: &'static str) -> Param<&'a str> {
        self.param(param, |value| value.as_str().filter(|text| !text.is_empty()))
    }

    /// Returns a text, empty or not.
    #[inline]
    pub fn text_param(&self, param: &'static str) -> Param<String> {
        self.param(param, |value| value.as_str().map(str::to_owned))
    }

    /// Returns a boolean.
    #[inline]
    pub fn flag_param(&self, param: &'static str) -> Param<bool> {
        self.param(param, Value::as_bool)
    }

    /// Returns a list of strings. It is unknown if an element is.
    pub fn texts_param(&self, param: &'static str) -> Param<Vec<String>> {
        let items = match plain(self.get(param), param) {
            Ok(value) => value.and_then(Value::as_list),
            Err(_) => return Param::Unknown(param),
        };
        let Some(items) = items else { return Param::Unset };
        let texts: Option<_> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.map_or(Param::Unknown(param), Param::Known)
    }

    /// Returns a map of strings as pairs in their order. It is unknown if a key or value is.
    pub fn pairs_param(&self, param: &'static str) -> Param<Vec<(String, String)>> {
        let pairs = match plain(self.get(param), param) {
            Ok(Some(Value::Map(pairs))) => pairs,
            Ok(_) => return Param::Unset,
            Err(_) => return Param::Unknown(param),
        };
        let texts: Option<_> =
            pairs.iter().map(|(key, value)| Some((key.as_str()?.to_owned(), value.as_str()?.to_owned()))).collect();
        texts.map_or(Param::Unknown(param), Param::Known)
    }

    /// Whether a parameter's value must never be shown.
    pub fn is_sensitive(&self, param: &str) -> bool {
        matches!(self.get(param), Some(Value::Sensitive(_)))
    }

    #[inline]
    fn param<T>(&self, param: &'static str, read: impl FnOnce(&'a Value) -> Option<T>) -> Param<T> {
        match plain(self.get(param), param) {
            Ok(None) => Param::Unset,
            Ok(Some(value)) => read(value).map_or(Param::Unset, Param::Known),
            Err(_) => Param::Unknown(param),
        }
    }

    /// Returns a parameter as text, if it is set and known.
    #[inline]
    pub fn text(&self, param: &str) -> Option<&'a str> {
        self.get(param).and_then(Value::as_str)
    }

    /// Whether a parameter has a value: not null and not an empty list. An unknown value counts.
    #[inline]
    pub fn is_set(&self, param: &str) -> bool {
        match self.get(param) {
            None | Some(Value::Null) => false,
            Some(Value::List(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }

    /// Whether a parameter is set. An empty text counts as unset if the parameter has no other way to be unset.
    pub fn is_filled(&self, param: &str) -> bool {
        self.is_set(param) && self.text(param) != Some("")
    }

    /// Whether a parameter is known to be `true`.
    #[inline]
    pub fn is_true(&self, param: &str) -> bool {
        self.get(param).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the known strings of a list; none if the parameter is not a list.
    pub fn list(&self, param: &str) -> impl Iterator<Item = &'a str> {
        self.get(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    /// Returns a parameter as text, if it is not empty.
    pub fn filled(&self, param: &str) -> Option<&'a str> {
        self.text(param).filter(|text| !text.is_empty())
    }

    /// Returns a parameter, or the name if it is unset.
    pub fn or_name(&self, param: &str) -> &'a str {
        self.filled(param).unwrap_or(self.name)
    }

    /// Returns a parameter as an integer, if it is set and known.
    pub fn int(&self, param: &str) -> Option<i64> {
        self.get(param).and_then(Value::as_int)
    }

    /// Returns an error if a parameter is unset or an empty text.
    pub fn needs(&self, param: &str) -> Result<(), String> {
        if self.is_filled(param) { Ok(()) } else { Err(format!("`{param}` must be set")) }
    }

    /// Returns an error if both parameters are set.
    pub fn not_both(&self, one: &str, other: &str) -> Result<(), String> {
        let both = self.is_filled(one) && self.is_filled(other);
        if both { Err(format!("`{one}` and `{other}` cannot both be set")) } else { Ok(()) }
    }

    /// Returns an error if a parameter is set to a text that is not one of `words`.
    pub fn may_be(&self, param: &str, words: &[&str]) -> Result<(), String> {
        match self.text(param) {
            None | Some("") => Ok(()),
            Some(word) if words.contains(&word) => Ok(()),
            Some(word) => Err(format!("`{param}` is `{word}`; it must be {}", either(words))),
        }
    }

    /// Checks that a parameter is one of the words. Unset means the first one, and an empty text is invalid.
    pub fn is_one_of(&self, param: &str, words: &[&str]) -> Result<(), String> {
        match self.text(param) {
            Some("") => Err(format!("`{param}` is empty; it must be {}", either(words))),
            _ => self.may_be(param, words),
        }
    }

    /// Returns an error if a parameter is unset, or set to a text that is not one of `words`.
    pub fn must_be(&self, param: &str, words: &[&str]) -> Result<(), String> {
        if self.is_filled(param) {
            self.may_be(param, words)
        } else {
            Err(format!("`{param}` must be {}", either(words)))
        }
    }
}

/// Lists words for a message: each in backticks, separated by `or`.
pub fn either(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
}

/// Returns an error if `path` is not absolute or contains a zero byte.
pub fn absolute(param: &str, path: &str) -> Result<(), String> {
    if path.contains('\0') {
        return Err(format!("`{param}` contains a zero byte"));
    }
    if path.starts_with('/') { Ok(()) } else { Err(format!("`{param}` is `{path}`, which is not an absolute path")) }
}

/// Validates the name of a user or a group.
pub fn account_name(what: &str, name: &str) -> Result<(), String> {
    let is_part = |sign: char| sign == '_' || sign == '-' || sign.is_ascii_alphanumeric();
    let begins = name.starts_with(|first: char| is_part(first) && first != '-' && !first.is_ascii_digit());
    if begins && name.chars().all(is_part) && name.len() <= 31 {
        return Ok(());
    }
    Err(format!("{what} is `{name}`: up to 31 letters, digits, `_` and `-`, the first a letter or `_`"))
}

/// Validates the path of a file to write, not a folder.
pub fn written(param: &str, path: &str) -> Result<(), String> {
    absolute(param, path)?;
    if path.ends_with('/') { Err(format!("`{param}` ends in a slash, so it would be a folder")) } else { Ok(()) }
}
