//! What languages can do besides compiling: a face asks before it offers a command.

/// Something that not every language does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Formats a text.
    Format,
    /// Rewrites older syntax.
    Migrate,
    /// Writes a graph as a program.
    Emit,
    /// Adds an import to a program.
    PlanImport,
    /// Begins a new module.
    Begin,
    /// Explains a resource or a value.
    Explain,
    /// A cluster runs it without this program.
    Cluster,
    /// Reads type definitions of a foreign language.
    ForeignTypes,
    Tree,
    Value,
    Model,
    Catalog,
    Types,
    Lookup,
}

impl Feature {
    /// Its name in a refusal.
    pub fn title(self) -> &'static str {
        match self {
            Feature::Format => "formatting",
            Feature::Migrate => "rewriting of old syntax",
            Feature::Emit => "a graph as a program",
            Feature::PlanImport => "adding an import",
            Feature::Begin => "creating a module",
            Feature::Explain => "explaining a value",
            Feature::Cluster => "clusters",
            Feature::ForeignTypes => "foreign types",
            Feature::Tree => "a syntax tree",
            Feature::Value => "the value of an expression",
            Feature::Model => "a model of instances",
            Feature::Catalog => "a catalog",
            Feature::Types => "declared types as Ecore",
            Feature::Lookup => "a search in data",
        }
    }
}
