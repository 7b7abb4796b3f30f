//! Names as numbers: each spelling is stored once.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A name in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(pub u32);

/// Every name of one compilation.
#[derive(Debug, Default)]
pub struct Names {
    list: Vec<Arc<str>>,
    /// Whether each holds `::`.
    paths: Vec<bool>,
    index: FxHashMap<Arc<str>, Sym>,
}

impl Names {
    /// Returns the number of a name; adds a new one.
    pub fn sym(&mut self, name: &str) -> Sym {
        if let Some(sym) = self.index.get(name) {
            return *sym;
        }
        let sym = Sym(self.list.len() as u32);
        let text: Arc<str> = name.into();
        self.list.push(text.clone());
        self.paths.push(name.contains("::"));
        self.index.insert(text, sym);
        sym
    }

    /// A name that no text has.
    pub fn fresh(&mut self) -> Sym {
        let nameless = self.sym("");
        self.list.push(self.shared(nameless));
        self.paths.push(false);
        Sym(self.list.len() as u32 - 1)
    }

    /// Returns the number of a name that is known already.
    pub fn find(&self, name: &str) -> Option<Sym> {
        self.index.get(name).copied()
    }

    /// Whether the name holds `::`.
    pub fn is_path(&self, sym: Sym) -> bool {
        self.paths[sym.0 as usize]
    }

    /// Returns the text of a name.
    pub fn text(&self, sym: Sym) -> &str {
        &self.list[sym.0 as usize]
    }

    /// Returns the text of a name, shared.
    pub fn shared(&self, sym: Sym) -> Arc<str> {
        self.list[sym.0 as usize].clone()
    }
}
