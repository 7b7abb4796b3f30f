//! The built-in grammars, each with its queries; the only place that calls their C code.

use std::sync::{LazyLock, OnceLock};

use tree_sitter::{Language, Query};
use tree_sitter_highlight::HighlightConfiguration;
use tree_sitter_language::LanguageFn;

use crate::module::LanguageName;

/// A language that can be highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grammar {
    Mcl,
    Puppet,
    /// Text with Puppet between `<%` and `%>`.
    Epp,
    Inmanta,
}

impl Grammar {
    /// The grammar for a file of this name; `None` if there is none.
    pub fn of_file_name(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "mcl" => Some(Grammar::Mcl),
            "pp" => Some(Grammar::Puppet),
            "epp" => Some(Grammar::Epp),
            "cf" => Some(Grammar::Inmanta),
            _ => None,
        }
    }

    /// The grammar of a language's own files.
    pub fn of_language(name: LanguageName) -> Option<Self> {
        name.extensions().iter().find_map(|extension| Self::of_file_name(&format!("x.{extension}")))
    }

    /// Returns the name of the grammar.
    pub fn name(self) -> &'static str {
        match self {
            Grammar::Mcl => "mcl",
            Grammar::Puppet => "puppet",
            Grammar::Epp => "epp",
            Grammar::Inmanta => "inmanta",
        }
    }

    pub(super) fn parts(self) -> &'static Parts {
        match self {
            Grammar::Mcl => &MCL,
            Grammar::Puppet | Grammar::Epp => &PUPPET,
            Grammar::Inmanta => &INMANTA,
        }
    }
}

/// A compiled grammar with its queries.
pub(super) struct Parts {
    pub language: Language,
    pub highlights: Query,
    pub outline: Query,
    pub folds: Query,
    /// The text of `highlights`, and the same for a whole text at once.
    text: &'static str,
    whole: OnceLock<HighlightConfiguration>,
}

impl Parts {
    fn new(language: LanguageFn, highlights: &'static str, outline: &str, folds: &str) -> Self {
        let language = Language::new(language);
        let query = |text| Query::new(&language, text).expect("queries are compiled in and tested");
        let (text, whole) = (highlights, OnceLock::new());
        Self { highlights: query(highlights), outline: query(outline), folds: query(folds), language, text, whole }
    }

    /// The highlights for `tree-sitter-highlight`, which numbers them as in its `names`.
    pub fn whole(&self) -> &HighlightConfiguration {
        self.whole.get_or_init(|| {
            let mut whole = HighlightConfiguration::new(self.language.clone(), "", self.text, "", "")
                .expect("queries are compiled in and tested");
            whole.configure(self.highlights.capture_names());
            whole
        })
    }
}

unsafe extern "C" {
    fn tree_sitter_mcl() -> *const ();
    fn tree_sitter_puppet() -> *const ();
    fn tree_sitter_inmanta() -> *const ();
}

macro_rules! parts {
    ($folder:literal, $function:ident) => {
        LazyLock::new(|| {
            // SAFETY: the function is the one that `tree-sitter generate` wrote for this grammar, compiled by our build
            // script; it takes nothing and returns a pointer to a constant table, which is what `LanguageFn` asks for.
            let language = unsafe { LanguageFn::from_raw($function) };
            Parts::new(
                language,
                include_str!(concat!("../../tree-sitter-grammar/", $folder, "/queries/highlights.scm")),
                include_str!(concat!("../../tree-sitter-grammar/", $folder, "/queries/outline.scm")),
                include_str!(concat!("../../tree-sitter-grammar/", $folder, "/queries/folds.scm")),
            )
        })
    };
}

static MCL: LazyLock<Parts> = parts!("mcl", tree_sitter_mcl);
static PUPPET: LazyLock<Parts> = parts!("puppet", tree_sitter_puppet);
static INMANTA: LazyLock<Parts> = parts!("inmanta", tree_sitter_inmanta);
