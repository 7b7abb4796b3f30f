//! The words of the language.

use std::sync::Arc;

use num_bigint::BigInt;

use super::error::Raise;
use super::names::Sym;
use crate::source::Span;

macro_rules! keywords {
    ($($variant:ident $name:literal)*) => {
        /// A word that cannot be a name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Keyword { $($variant),* }

        impl Keyword {
            /// Finds a keyword by its text.
            pub fn find(name: &str) -> Option<Self> {
                match name { $($name => Some(Keyword::$variant),)* _ => None }
            }

            /// Returns the text of the keyword.
            pub fn name(self) -> &'static str {
                match self { $(Keyword::$variant => $name),* }
            }
        }
    };
}

keywords! {
    Typedef "typedef"
    As "as"
    Entity "entity"
    Extends "extends"
    End "end"
    In "in"
    Implementation "implementation"
    For "for"
    Matching "matching"
    Index "index"
    Implement "implement"
    Using "using"
    When "when"
    And "and"
    Or "or"
    Not "not"
    True "true"
    False "false"
    Import "import"
    Is "is"
    Defined "defined"
    Dict "dict"
    Null "null"
    Undef "undef"
    Parents "parents"
    If "if"
    Else "else"
    Elif "elif"
}

impl Keyword {
    /// Whether the word begins a definition.
    pub fn begins(self) -> bool {
        matches!(
            self,
            Keyword::Entity
                | Keyword::Implement
                | Keyword::Implementation
                | Keyword::Typedef
                | Keyword::Index
                | Keyword::Import
        )
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Equal,
    NotEqual,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

/// The kind of a token, with its value.
#[derive(Clone, Debug)]
pub enum Tok {
    Id(Sym),
    /// A name that starts with a capital letter.
    Class(Sym),
    Keyword(Keyword),
    Int(i64),
    BigInt(Arc<BigInt>),
    Float(f64),
    Str(Arc<str>),
    RawStr(Arc<str>),
    FormatStr(Arc<str>),
    LongStr(Arc<str>),
    /// A pattern between slashes.
    Regex(Arc<str>),
    /// `::`
    Separator,
    /// `--`, `->` or `<-`
    Relation,
    Compare(Compare),
    /// `+=`
    Extend,
    Plus,
    Minus,
    Slash,
    DoubleStar,
    /// A character that stands for itself.
    Char(u8),
    End,
    /// What cannot be read; the parser reports it when it gets there.
    Bad(Box<Raise>),
}

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Token {
    pub tok: Tok,
    pub span: Span,
}
