//! Regular expressions in Ruby's syntax, with a budget for backtracking.

use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use crate::lang::ruby::Text;

/// Steps of backtracking that one match may take.
const BUDGET: usize = 1_000_000;

/// As many compiled expressions are kept for the next use of the same text, and as many of those that may be large.
const KEPT: usize = 2_000;
const KEPT_LARGE: usize = 200;

/// How many bytes an expression may have, and what is made of one.
const SOURCE: usize = 64 << 10;
const COMPILED: usize = 2 << 20;

thread_local! {
    /// Expressions that this thread compiled and nobody has paid.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Returns how many expressions this thread compiled since the last call: for an evaluation, which pays for each.
pub fn take_compiled() -> u64 {
    COUNT.take()
}

type Compiled = Arc<Result<fancy_regex::Regex, String>>;

/// A regular expression, compiled on first use.
#[derive(Debug)]
pub struct Regexp {
    /// As between the slashes.
    pub source: Text,
    compiled: OnceLock<Compiled>,
}

impl Regexp {
    /// Makes an expression from its source; an invalid one fails on first use.
    pub fn new(source: impl Into<Text>) -> Self {
        Self { source: source.into(), compiled: OnceLock::new() }
    }

    /// The compiled expression; `Err` says what is wrong with it.
    pub fn compiled(&self) -> Result<&fancy_regex::Regex, String> {
        let compiled = self.compiled.get_or_init(|| {
            static KNOWN: Mutex<Option<(FxHashMap<Text, Compiled>, usize)>> = Mutex::new(None);
            let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            let (known, large) = known.get_or_insert_default();
            if let Some(compiled) = known.get(&self.source) {
                return compiled.clone();
            }
            let is_large =
                self.source.len() > 256 || ["{", "\\w", "\\W", "\\p"].iter().any(|part| self.source.contains(part));
            *large += usize::from(is_large);
            if known.len() >= KEPT || *large > KEPT_LARGE {
                known.clear();
                *large = usize::from(is_large);
            }
            let compiled = Arc::new(compile(&self.source));
            COUNT.set(COUNT.get() + 1);
            known.insert(self.source.clone(), compiled.clone());
            compiled
        });
        (**compiled).as_ref().map_err(Clone::clone)
    }

    /// The groups of the first match, the whole first.
    pub fn captures(&self, text: &str) -> Result<Option<Vec<Option<String>>>, String> {
        let found = self.compiled()?.captures(text).map_err(|e| e.to_string())?;
        Ok(found.map(|c| c.iter().map(|g| g.map(|g| g.as_str().to_string())).collect()))
    }

    /// Whether a part of the text matches. Fails if the expression is invalid or needs too much backtracking.
    pub fn is_match(&self, text: &str) -> Result<bool, String> {
        self.compiled()?.is_match(text).map_err(|e| e.to_string())
    }
}

/// Whether a group or class has only one of its two brackets, which no engine reads.
pub fn has_open_bracket(source: &str) -> bool {
    // Comments of an extended expression, and classes in classes, are left to the engine.
    let (mut groups, mut in_class, mut begins) = (0_usize, false, false);
    let mut chars = source.char_indices();
    while let Some((at, c)) = chars.next() {
        let first = std::mem::take(&mut begins);
        match c {
            '\\' if chars.next().is_none() => return true,
            '[' if in_class => return false,
            '^' if first && source[..at].ends_with('[') => begins = true,
            ']' if in_class && !first => in_class = false,
            _ if in_class => {}
            '[' => (in_class, begins) = (true, true),
            '(' if source[at..].starts_with("(?#") || source[at..].starts_with("(?x") => return false,
            '(' => groups += 1,
            ')' if groups == 0 => return true,
            ')' => groups -= 1,
            _ => {}
        }
    }
    groups > 0 || in_class
}

fn compile(source: &str) -> Result<fancy_regex::Regex, String> {
    if source.len() > SOURCE {
        return Err(format!("it has more than {} KiB", SOURCE >> 10));
    }
    fancy_regex::RegexBuilder::new(&translate(source))
        .oniguruma_mode(true)
        .multi_line(true)
        .backtrack_limit(BUDGET)
        .delegate_size_limit(COMPILED)
        .delegate_dfa_size_limit(COMPILED)
        .build()
        .map_err(|e| e.to_string())
}

/// A pattern in the syntax of our engine. Ruby's `m` is what others call `s`; `\Z`, `\h` and `\0` have their own meaning.
pub fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    let mut chars = source.char_indices().peekable();
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, 'Z')) => out.push_str(r"(?=\n?\z)"),
                Some((_, 'h')) => out.push_str("[0-9a-fA-F]"),
                Some((_, 'H')) => out.push_str("[^0-9a-fA-F]"),
                Some((_, '0')) => out.push_str(r"\x00"),
                Some((_, c)) => out.extend(['\\', c]),
                None => out.push('\\'),
            },
            '(' if source[i..].starts_with("(?") => {
                out.push('(');
                // Options up to `)` or `:`.
                let rest = &source[i + 2..];
                let length = rest.bytes().take_while(|b| b.is_ascii_lowercase() || *b == b'-').count();
                if length > 0 && matches!(rest.as_bytes().get(length), Some(b')' | b':')) {
                    let flags = &rest[..length];
                    out.push('?');
                    // Of `-mix` with nothing set, `^` and `$` stay per line.
                    out.push_str(&flags.replace('m', "s"));
                    for _ in 0..=length {
                        chars.next();
                    }
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Regexp;

    #[test]
    fn ruby_syntax_is_parsed() {
        let found = |source: &str, text: &str| Regexp::new(source).is_match(text);
        assert_eq!(found("(?m)a.b", "a\nb"), Ok(true));
        assert_eq!(found("a.b", "a\nb"), Ok(false));
        assert_eq!(found("(?-mix:a)", "a"), Ok(true));
        assert_eq!(found("^b$", "a\nb\nc"), Ok(true));
        assert_eq!(found(r"\Ab\z", "a\nb"), Ok(false));
        assert_eq!(found(r"\h+\Z", "ff\n"), Ok(true));
        assert_eq!(found(r"\A[^\0]+\z", "a\0"), Ok(false));
        assert!(found("(a", "a").is_err());
        assert!(["(a", "a)", "[a", "[]a", "(a))", "a\\"].iter().all(|source| super::has_open_bracket(source)));
        let complete = [r"\X(?~a)", r"\(", "[(]", "[]a]", "[^]a]", "[a[b]]", "(?x) # (", "(a)|(?<n>b)"];
        assert!(!complete.iter().any(|source| super::has_open_bracket(source)));
        assert!(found("(?=x)(a*)*b", &"a".repeat(40)).is_ok());
    }
}
