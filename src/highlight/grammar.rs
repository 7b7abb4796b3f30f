//! The grammars compiled in, each with its queries; the only place that speaks to their C.

use std::sync::LazyLock;

use tree_sitter::{Language, Query};
use tree_sitter_language::LanguageFn;

use crate::module::LanguageName;

/// A language that can be highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grammar {
    Mcl,
}

impl Grammar {
    /// The grammar for a file of this name; `None` where there is none.
    pub fn of_file_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "mcl" => Some(Grammar::Mcl),
            _ => None,
        }
    }

    /// The grammar of a language's own files.
    pub fn of_language(name: LanguageName) -> Option<Self> {
        name.extensions().iter().find_map(|extension| Self::of_file_name(&format!("x.{extension}")))
    }

    pub fn name(self) -> &'static str {
        match self {
            Grammar::Mcl => "mcl",
        }
    }

    pub(super) fn parts(self) -> &'static Parts {
        match self {
            Grammar::Mcl => &MCL,
        }
    }
}

/// A compiled grammar with its queries.
pub(super) struct Parts {
    pub language: Language,
    pub highlights_source: &'static str,
    pub highlights: Query,
    pub outline: Query,
    pub folds: Query,
}

impl Parts {
    fn new(language: LanguageFn, highlights: &'static str, outline: &str, folds: &str) -> Self {
        let language = Language::new(language);
        let query = |text| Query::new(&language, text).expect("queries are compiled in and tested");
        Self {
            highlights_source: highlights,
            highlights: query(highlights),
            outline: query(outline),
            folds: query(folds),
            language,
        }
    }
}

unsafe extern "C" {
    fn tree_sitter_mcl() -> *const ();
}

static MCL: LazyLock<Parts> = LazyLock::new(|| {
    // SAFETY: the function is the one that `tree-sitter generate` wrote for this grammar, compiled by our build script; it
    // takes nothing and returns a pointer to a constant table, which is what `LanguageFn` asks for.
    let language = unsafe { LanguageFn::from_raw(tree_sitter_mcl) };
    Parts::new(
        language,
        include_str!("../../tree-sitter-grammar/mcl/queries/highlights.scm"),
        include_str!("../../tree-sitter-grammar/mcl/queries/outline.scm"),
        include_str!("../../tree-sitter-grammar/mcl/queries/folds.scm"),
    )
});
