//! What a program defines, and the files that were read for it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::arm::Store;
use super::ast::{Definition, Function, NodeDefinition, Text, TypeAlias};
use super::signature::Signature;
use super::types::Ty;
use crate::lang::ruby;
use crate::source::Span;

/// The definitions of a program and of the modules that it uses.
#[derive(Default)]
pub struct Program {
    pub classes: FxHashMap<Text, Arc<Definition>>,
    pub defines: FxHashMap<Text, Arc<Definition>>,
    pub nodes: Vec<Arc<NodeDefinition>>,
    /// Where each host of these is written, by its key.
    pub hosts: FxHashMap<String, Span>,
    pub functions: FxHashMap<Text, Arc<Function>>,
    pub aliases: FxHashMap<Text, Alias>,
    /// The names whose files of aliases were looked for already.
    pub sought: FxHashSet<Text>,
    /// Types with features.
    pub arm: Store,
    /// Files that were looked for already.
    pub loaded: FxHashMap<PathBuf, bool>,
    /// The trees of files of definitions, where they are used again for other nodes.
    pub parsed: Option<Trees>,
    /// The Ruby files of functions, by the names that were called.
    pub ruby_files: FxHashMap<Text, Option<RubyFile>>,
    /// Facts that Ruby of modules computes and that are not known, with their modules.
    pub ruby_facts: FxHashMap<Text, String>,
    /// What functions take, by name, as soon as one is called.
    pub signatures: FxHashMap<&'static str, Arc<[Signature]>>,
}

impl Program {
    /// The class or define whose source a place is in.
    pub fn definition_around(&self, place: Span) -> Option<Arc<Definition>> {
        let has = |definition: &&Arc<Definition>| {
            let span = definition.span;
            span.file == place.file && span.start <= place.start && place.end <= span.end
        };
        self.classes
            .values()
            .chain(self.defines.values())
            .filter(has)
            .min_by_key(|found| found.span.end - found.span.start)
            .cloned()
    }
}

/// Trees of files without problems, by path.
pub type Trees = FxHashMap<PathBuf, Arc<super::ast::Program>>;

/// A type alias: its expression, and the type as soon as it is resolved.
#[derive(Clone)]
pub struct Alias {
    pub definition: Arc<TypeAlias>,
    pub ty: Option<Ty>,
}

/// The file of a function, and its module.
#[derive(Clone, Debug)]
pub struct RubyFile {
    pub module: String,
    pub path: PathBuf,
    /// It takes its arguments as the third version of Puppet gave them.
    pub is_old: bool,
    /// What the file says, as soon as it is read; nothing where its Ruby is not known.
    pub function: Arc<OnceLock<Option<ruby::Function>>>,
}
