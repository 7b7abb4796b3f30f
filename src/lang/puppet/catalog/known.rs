//! What the catalog knows of a resource type: of Puppet's own by a table, of a module's by its Ruby file.

use std::sync::Arc;

use crate::lang::puppet::arm::Described;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::catalog::{Resource, ral};
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::program::Program;
use crate::lang::ruby::describe::{self, RubyType};
use crate::lang::ruby::regexp::Regexp;

impl Inputs<'_> {
    /// The description of the type that a module on the module path declares in Ruby.
    pub fn described_in_ruby(&self, name: &str) -> Option<Described> {
        let file = format!("lib/puppet/type/{name}.rb");
        let (folder, bytes) =
            self.modules().find_map(|(folder, _)| self.files.read(&folder.join(&file)).map(|bytes| (folder, bytes)))?;
        let text = String::from_utf8_lossy(&bytes);
        let ty = match describe::types(&text).map(|types| types.into_iter().find(|ty| ty.name == name)) {
            Ok(Some(ty)) => ty,
            // A file that declares the type in a way that is not literal: its attributes are not known.
            Ok(None) | Err(_) => {
                RubyType { name: name.into(), is_open: true, is_isomorphic: true, ..RubyType::default() }
            }
        };
        let mut parameters: Vec<_> = ty.attributes.iter().map(|attribute| attribute.name.as_str().into()).collect();
        parameters.push("name".into());
        if !self.files.list(&folder.join("lib/puppet/provider").join(name)).is_empty() {
            parameters.push("provider".into());
        }
        let namevar = ty.namevar().map(Into::into);
        let keys: Vec<Text> =
            ty.attributes.iter().filter(|one| one.is_namevar).map(|one| one.name.as_str().into()).collect();
        let keys = if keys.len() > 1 { keys } else { Vec::new() };
        let texts = |names: Vec<String>| names.into_iter().map(Text::from).collect();
        let titles =
            ty.titles.map(|all| all.into_iter().map(|(one, names)| (Regexp::new(one), texts(names))).collect());
        let (is_open, is_isomorphic, relations) = (ty.is_open, ty.is_isomorphic, ty.relations);
        Some(Described {
            parameters,
            namevar,
            is_open,
            is_isomorphic,
            relations,
            changes_attributes: ty.changes_attributes,
            attributes: ty.attributes,
            keys,
            titles,
        })
    }
}

impl Program {
    /// The description of a type that was declared already.
    pub fn known_description(&self, name: &str) -> Option<&Arc<Described>> {
        self.arm.description(name)
    }

    /// The parameter that names the resources of a type that is not written in the language.
    pub fn namevar(&self, ty: &str) -> Option<&str> {
        ral::namevar(ty).or_else(|| self.known_description(ty)?.namevar.as_deref())
    }

    /// Whether a type that is not written in the language has a parameter; true if its parameters are unknown.
    pub fn has_parameter(&self, ty: &str, name: &str) -> bool {
        match self.known_description(ty) {
            Some(known) => known.is_open || known.parameters.iter().any(|have| &**have == name),
            None => ral::has_parameter(ty, name),
        }
    }

    /// Whether all parameters of a resource type of Puppet itself are known.
    pub fn has_fixed_parameters(&self, ty: &str) -> bool {
        ral::is_builtin(ty) && !self.accepts_any(ty)
    }

    /// Whether the attributes of a type are not listed completely.
    pub fn accepts_any(&self, ty: &str) -> bool {
        self.known_description(ty).map_or_else(|| ral::accepts_any(ty), |known| known.is_open)
    }

    /// The name of a resource: its name parameter or its title.
    pub fn name_of(&self, resource: &Resource) -> String {
        let name = self.namevar(&resource.ty).and_then(|name| resource.parameter(name));
        name.map_or_else(|| resource.title.to_string(), convert::string)
    }

    /// Whether two resources with one name are the same thing.
    pub fn is_isomorphic(&self, ty: &str) -> bool {
        self.known_description(ty).map_or_else(|| ral::is_isomorphic(ty), |known| known.is_isomorphic)
    }
}
