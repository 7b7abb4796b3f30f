//! What the built-in functions and types state about themselves: for `doc`, for hovers and for completion.

use ::std::path::Path;

use super::super::ast::{NsId, Top};
use super::super::context::Files;
use super::super::define::{AttributeId, Program};
use super::super::load::{self, Options};
use super::super::project::Project;
use super::super::property::PROPERTIES;
use super::super::types::Ty;
use super::super::{Edition, library};
use super::{Default, Native, built_in, call_direct, natives, signature_type};
use crate::lang::{DeclaredKind, DeclaredParam, Function, Names, Property};
use crate::source::Sources;

/// What each function does.
const DOCS: &[(&str, &str)] = &[
    ("add_to_ip", "An IP address with a number added to it."),
    ("assert", "Stops the compilation with a message if the expression is false."),
    ("at", "The element of a list at an index, from 0."),
    ("attr", "The value of an attribute by its name."),
    ("capitalize", "A text with its first letter in upper case and the others in lower case."),
    ("contains", "Whether a dictionary has a key. Deprecated: use `in`."),
    ("count", "How many elements a list has. Elements that are not known count too."),
    ("create_environment_reference", "An environment variable of the agent. Not known while compiling."),
    ("create_fact_reference", "A fact that the agent reads. Not known while compiling."),
    ("create_int_reference", "A reference as an integer. Not known while compiling."),
    ("dict_get", "The value of a key of a dictionary, as a string. Deprecated: use `dct[key]`."),
    ("dict_keys", "The keys of a dictionary, in order."),
    ("environment", "The id of the orchestrator's environment. There is none here, so a call is an error."),
    ("environment_name", "The name of the orchestrator's environment. There is none here, so a call is an error."),
    ("environment_server", "The address of the orchestrator: `localhost` here."),
    ("equals", "Compares two values and stops the compilation if they differ. Deprecated: use `==`."),
    ("familyof", "Whether an operating system belongs to a family of systems."),
    ("file", "The address of a file below `files/` of a module, for agents that fetch it."),
    ("filter", "The elements of a list that are not one instance. Deprecated: use a comprehension."),
    ("flatten", "A list of lists as one list."),
    ("format", "A text with `{}` and `{name}` replaced by the other arguments, by Python's rules."),
    ("generate_password", "A password that was made before. Not known if there is none: a compilation writes nothing."),
    ("get_env", "An environment variable. Not known if it is not set and there is no default."),
    ("get_env_int", "An environment variable as an integer. Deprecated: use `get_env`."),
    ("getattr", "The value of an attribute by its name, or a default if it has none."),
    ("getfact", "A fact of a resource. Not known here without a default."),
    ("hostname", "The first part of a domain name."),
    ("inlineif", "One of two values, by a condition. Deprecated: use `condition ? a : b`."),
    ("invert", "The opposite of a bool. Deprecated: use `not`."),
    ("ip_address_from_interface", "The address of an interface such as `192.0.2.1/24`."),
    ("ipindex", "The address at an index of a network, from 0."),
    ("is_base64_encoded", "Whether a text is valid base64."),
    ("is_instance", "Whether a value is of a type, given by its name."),
    ("is_unknown", "Whether a value is not known yet."),
    ("isset", "Whether a value is not null."),
    ("item", "Element number `index` of each list in a list."),
    ("json_dumps", "A value as JSON."),
    ("json_loads", "The value of a JSON text."),
    ("key_sort", "Instances or dictionaries sorted by an attribute or key, or by several."),
    ("len", "How many elements a list has. Not known while one of them is not known."),
    ("length", "How many characters a text has."),
    ("limit", "The first characters of a text."),
    ("list_files", "The names of the files in a folder below `files/` of a module."),
    ("lower", "A text in lower case."),
    ("netmask", "The netmask of an interface such as `192.0.2.1/24`."),
    ("network_address", "The address of the network of an interface."),
    ("objid", "A text that identifies an instance."),
    ("password", "A password that was made before, by its id."),
    ("prefixlen", "The length of the network prefix of an interface."),
    ("prefixlength_to_netmask", "The IPv4 netmask of a prefix length."),
    ("print", "Prints a value while the model compiles."),
    ("replace", "A text with one part replaced by another wherever it occurs."),
    ("select", "The value of an attribute of each instance. Deprecated: use a comprehension."),
    ("sequence", "The integers from `start`, as many as `i`, as texts."),
    ("server_ca", "The CA certificate of the orchestrator: empty here."),
    ("server_port", "The port of the orchestrator: 8888 here."),
    ("server_ssl", "Whether the orchestrator uses TLS: false here."),
    ("server_token", "A token for the orchestrator: empty here."),
    ("source", "The text of a file below `files/` of a module."),
    ("split", "The parts of a text between delimiters."),
    (
        "template",
        "A Jinja2 template of a module's `templates/`, rendered with the variables at the call or with the named \
                  arguments.",
    ),
    ("timestamp", "The time of the compilation in seconds since 1970."),
    ("type", "The type of a value. A call is an error, as in inmanta-core 20.1."),
    ("unique", "Whether no value is in a list twice."),
    ("unique_file", "A file name with the MD5 hash of a text in it."),
    ("upper", "A text in upper case."),
    ("validate_type", "Whether a value is valid for a type of pydantic, by the name of that type."),
];

impl Native {
    /// The arguments and the result.
    pub fn signature(&self) -> String {
        let mut arguments: Vec<String> = Vec::new();
        for (name, ty, default) in self.arguments {
            let default = match default {
                None => String::new(),
                Some(Default::Null) => " = null".to_string(),
                Some(Default::Int(number)) => format!(" = {number}"),
                Some(Default::Bool(flag)) => format!(" = {flag}"),
                Some(Default::Str(text)) => format!(" = {text:?}"),
                Some(Default::Agent) => " = [\"agent\"]".to_string(),
            };
            arguments.push(format!("{name}: {ty}{default}"));
        }
        arguments.extend(self.takes_more.then(|| "*any".to_string()));
        arguments.extend(self.takes_named.then(|| "**any".to_string()));
        format!("({}) -> {}", arguments.join(", "), self.returns)
    }

    /// Returns the documentation of the function; empty if there is none.
    pub fn doc(&self) -> &'static str {
        DOCS.iter().find(|(name, _)| *name == self.name).map_or("", |(_, doc)| doc)
    }

    /// The type of the result.
    pub fn result(&self, program: &Program) -> Ty {
        signature_type(program, self.returns)
    }
}

/// The functions and types that need no module folder.
pub struct StdNames;

impl Names for StdNames {
    fn properties(&self) -> &'static [Property] {
        PROPERTIES
    }

    fn functions(&self) -> Vec<Function> {
        let mut functions: Vec<Function> = natives()
            .map(|native| Function {
                name: format!("std::{}", native.name),
                signatures: vec![native.signature()],
                doc: native.doc().to_string(),
                examples: Vec::new(),
            })
            .collect();
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        functions
    }

    fn declared(&self, name: &str) -> Option<DeclaredKind> {
        let module = name.split("::").next().filter(|module| *module != name)?;
        library::text(module)?;
        let mut sources = Sources::default();
        let entry = sources.add("<import>", None, format!("import {module}\nimport std::testing\n"));
        let options = Options { edition: Edition::Today, with_std: true, also: Vec::new(), built_in: built_in() };
        let loaded = load::load(entry, &NoFiles, &Project::default(), &options, &mut sources).ok()?;
        let files: Vec<(NsId, Vec<Top>)> = loaded.files.iter().map(|file| (file.ns, file.tops.clone())).collect();
        let program = Program::define(loaded, call_direct).ok()?;
        let (ns, short) = name.rsplit_once("::")?;
        let (ns, short) = (program.find_ns(ns)?, program.names.find(short)?);
        let tops = || files.iter().filter(|(other, _)| *other == ns).flat_map(|(_, tops)| tops);
        if let Some(entity) = program.find_entity(name) {
            let doc = tops().find_map(|top| match top {
                Top::Entity(def) if def.name.sym == short => def.doc.clone(),
                _ => None,
            });
            let params = program.entity(entity).all.iter().map(|(_, id)| param(&program, *id)).collect();
            let doc = doc.as_deref().unwrap_or_default().trim().to_string();
            return Some(DeclaredKind { name: name.into(), params, doc, source: None });
        }
        tops().find_map(|top| match top {
            Top::Typedef(def) if def.name.sym == short => {
                // The text from the base on: `int matching self >= 0`.
                let text = &sources.file(def.name.span.file).text;
                let line = text.get(def.base.span.start as usize..)?.lines().next().unwrap_or_default();
                Some(DeclaredKind { name: name.into(), params: Vec::new(), doc: line.to_string(), source: None })
            }
            _ => None,
        })
    }
}

fn param(program: &Program, id: AttributeId) -> DeclaredParam {
    let attribute = program.attribute(id);
    let entity = program.entity(attribute.entity);
    let ty = program.type_text(&attribute.ty);
    let (ty, is_required) = match &attribute.relation {
        None => (ty, !entity.defaults.iter().any(|(name, _)| *name == attribute.name)),
        Some(relation) => {
            let high = relation.bounds.high.map(|high| high.to_string()).unwrap_or_default();
            (format!("{ty} [{}:{high}]", relation.bounds.low), relation.bounds.low > 0)
        }
    };
    DeclaredParam { name: program.names.shared(attribute.name), ty, is_required, doc: String::new() }
}

/// No files at all: what is built in needs none.
struct NoFiles;

impl Files for NoFiles {
    fn text(&self, _: &Path) -> Option<::std::sync::Arc<str>> {
        None
    }

    fn is_folder(&self, _: &Path) -> bool {
        false
    }

    fn names(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }

    fn shown(&self, path: &Path) -> String {
        path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_documentation() {
        let missing: Vec<_> = natives().filter(|native| native.doc().is_empty()).map(|native| native.name).collect();
        assert_eq!(missing, Vec::<&str>::new());
        assert_eq!(DOCS.len(), natives().count());
    }
}
