//! Text to styled spans, outline and folds, by tree-sitter grammars and themes.
