//! Functions that a model can call.

use super::ast::NsId;
use super::names::Sym;
use super::std::Native;

/// A function under its name in a namespace.
#[derive(Debug)]
pub struct PluginDef {
    pub ns: NsId,
    pub name: Sym,
    pub body: Body,
}

#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// One of std's, built in.
    Native(&'static Native),
    /// One in Python, of a module.
    Python,
}
