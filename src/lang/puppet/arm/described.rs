//! Resource types by the descriptions that `puppet generate types` writes, or by the Ruby file of a module: names of
//! parameters, and which one names a resource. Values are not checked, as in the reference.

use std::sync::Arc;

use crate::lang::puppet::ast::{Expr, Kind, Text};
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::parser;
use crate::lang::ruby::describe::{Attribute, Relation};
use crate::lang::ruby::regexp::Regexp;

/// The parameters of a type, properties first.
pub struct Described {
    pub parameters: Vec<Text>,
    pub namevar: Option<Text>,
    /// It may have more parameters, which Ruby computes.
    pub is_open: bool,
    /// Two resources of one name are the same thing.
    pub is_isomorphic: bool,
    /// What its resources depend on without a declaration.
    pub relations: Vec<Relation>,
    /// Its code may give resources other attributes than the program does.
    pub changes_attributes: bool,
    /// The attributes as its Ruby file has them.
    pub attributes: Vec<Attribute>,
    /// The attributes that name a resource, where these are several.
    pub keys: Vec<Text>,
    /// Patterns of titles with the attributes of their groups; `None` where only Ruby has them.
    pub titles: Option<Vec<(Regexp, Vec<Text>)>>,
}

impl Loader<'_, '_> {
    /// The description of a type, if the environment has one.
    pub fn described(&mut self, name: &str) -> Option<Arc<Described>> {
        if let Some(known) = self.program.arm.described.get(name) {
            return known.clone();
        }
        let folder = self.inputs.settings.environment.join(".resource_types");
        let is_plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let bytes = if is_plain { self.inputs.files.read(&folder.join(name).with_extension("pp")) } else { None };
        let found = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).and_then(|text| {
            let shown = self.inputs.shown(&folder.join(name).with_extension("pp"));
            let file = self.inputs.sources.add(shown, None, text.as_str());
            let program = parser::parse(file, &text, false, &mut Vec::new()).ok()?;
            read(&program.body)
        });
        let found = found.or_else(|| if is_plain { self.inputs.described_in_ruby(name) } else { None }).map(Arc::new);
        self.program.arm.described.insert(name.into(), found.clone());
        found
    }
}

/// `Puppet::Resource::ResourceType3.new('name', [properties], [parameters], …)`.
fn read(expr: &Expr) -> Option<Described> {
    let Kind::Call(call) = &expr.kind else { return None };
    let mut described = Described {
        parameters: Vec::new(),
        namevar: None,
        is_open: false,
        is_isomorphic: true,
        relations: Vec::new(),
        changes_attributes: false,
        attributes: Vec::new(),
        keys: Vec::new(),
        titles: None,
    };
    for list in call.args.iter().skip(1).take(2) {
        let Kind::Array(list) = &list.kind else { return None };
        for param in list {
            let Kind::Call(param) = &param.kind else { return None };
            let Some(Expr { kind: Kind::Str(name), .. }) = param.args.get(1) else { return None };
            let names = matches!(param.args.get(2), Some(Expr { kind: Kind::Bool(true), .. }));
            if names && described.namevar.is_none() {
                described.namevar = Some(name.clone());
            }
            described.parameters.push(name.clone());
        }
    }
    Some(described)
}
