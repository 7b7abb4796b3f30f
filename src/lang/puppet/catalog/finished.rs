//! A finished catalog, and what is read beside it.

use std::path::PathBuf;

use super::{Catalog, Resource};
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::lookup::Hiera;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::Scopes;

/// What comes after a compilation reads only this.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    pub catalog: &'a Catalog,
    pub scopes: &'a Scopes,
    pub program: &'a Program,
    pub hiera: &'a Hiera,
    pub inputs: &'a Inputs<'a>,
}

impl Finished<'_> {
    /// The name of a resource: its name parameter or its title.
    pub fn name_of(&self, resource: &Resource) -> String {
        self.program.name_of(resource)
    }

    /// The folder of a module on the module path.
    pub fn module_dir(&self, module: &str) -> Option<PathBuf> {
        self.inputs.module_dir(module)
    }
}
