//! Classes and defines: declared once, with parameters from data and defaults, and evaluated.

use std::path::Path;
use std::sync::Arc;

use super::ral;
use super::{Attribute, OTHERS, Parameter, Resource, Sort};
use crate::diag::{Code, nearest};
use crate::lang::puppet::ast::{self, Definition, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::{ResourceId, ScopeId, TOP};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::lookup::{Hiera, Search};
use crate::lang::puppet::names::{capitalised, module_of};
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::{Owner, Scope, Scopes};
use crate::lang::puppet::stop::{Help, Run, fail, runtime};
use crate::lang::puppet::suggestion::{closest, did_you_mean};
use crate::lang::puppet::unknown::is_in;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::wrong_value::Source;
use crate::source::Span;

impl Evaluator<'_> {
    /// A class, its parameters given or looked up; evaluates it at once.
    pub fn declare_class(
        &mut self,
        name: &Text,
        attributes: Option<&[Attribute]>,
        scope: ScopeId,
        span: Span,
    ) -> Run<ResourceId> {
        let id = match (self.catalog.lookup("class", name), attributes) {
            (Some(id), Some(_)) => {
                return self.catalog.duplicate(&self.scopes, &self.inputs, "class", &capitalised(name), id, span);
            }
            (Some(id), None) => id,
            (None, _) => self.add_class(name, attributes, scope, span)?,
        };
        let given_undef: Vec<Text> =
            attributes.unwrap_or_default().iter().filter(|a| a.value == Value::Undef).map(|a| a.name.clone()).collect();
        self.evaluate_declared(id, &given_undef, span)?;
        Ok(id)
    }

    /// Classes of one list: all are in the catalog before the first of them is evaluated.
    pub fn declare_classes(&mut self, names: &[Text], scope: ScopeId, span: Span) -> Run<Vec<ResourceId>> {
        let mut ids = Vec::new();
        for name in names {
            ids.push(match self.catalog.lookup("class", name) {
                Some(id) => id,
                None => self.add_class(name, None, scope, span)?,
            });
        }
        for id in &ids {
            self.evaluate_declared(*id, &[], span)?;
        }
        Ok(ids)
    }

    /// Puts a class into the catalog, behind the classes that it inherits. They are evaluated later.
    fn add_class(
        &mut self,
        name: &Text,
        attributes: Option<&[Attribute]>,
        scope: ScopeId,
        span: Span,
    ) -> Run<ResourceId> {
        let Some(definition) = self.loader().find_class(name, span)? else {
            let help = self.loader().unknown_class(name);
            return runtime(span, format!("Could not find class {name}")).code(Code::UnknownClass).help(help);
        };
        let declaring = self.scopes.declaring(scope);
        if let Some(parent) = self.loader().parent_class(name, &definition, span)? {
            let parent: Text = parent.name.to_lowercase().into();
            if self.catalog.lookup("class", &parent).is_none() {
                self.deeper(span, |e| e.add_class(&parent, None, declaring, span))?;
            }
        }
        let container = self.scopes.get(declaring).resource;
        let mut resource = Resource::new("class".into(), name.clone(), Sort::Class, declaring, span);
        resource.add_tag("class");
        resource.add_tag(name.clone());
        for attribute in attributes.unwrap_or_default() {
            let known = ral::is_metaparameter(&attribute.name)
                || &*attribute.name == OTHERS
                || &*attribute.name == "stage"
                || definition.params.iter().any(|p| p.name == attribute.name);
            if !known {
                let message = format!("Class[{}]: has no parameter named '{}'", capitalised(name), attribute.name);
                let help = unknown_parameter(&definition, &attribute.name);
                return fail(span, IssueName::UnknownArgument, message).edit(attribute.span).help(help);
            }
            if attribute.value != Value::Undef || !definition.params.iter().any(|p| p.name == attribute.name) {
                let parameter = Parameter::explicit(attribute.value.clone(), attribute.span);
                resource.parameters.insert(attribute.name.clone(), parameter);
            }
        }
        let id = self.catalog.add(resource);
        // A part that is left out may have declared it; a second declaration with attributes is refused then.
        if attributes.is_none() {
            self.catalog.forget_declared(&self.program, &mut self.output, id)?;
        }
        self.catalog.inherit_tags(&self.scopes, id, container, declaring);
        self.catalog.get_mut(id).tags.may_have_more |= self.output.left_out.may_contain(name);
        self.catalog.tag_by_parameter(id);
        self.catalog.classes.push(name.clone());
        Ok(id)
    }

    fn evaluate_declared(&mut self, id: ResourceId, given_undef: &[Text], span: Span) -> Run<()> {
        if std::mem::replace(&mut self.catalog.get_mut(id).is_evaluated, true) {
            return Ok(());
        }
        let (name, declaring) = (self.catalog.get(id).title.clone(), self.catalog.get(id).scope);
        let Some(definition) = self.loader().find_class(&name, span)? else { return Ok(()) };
        self.deeper(span, |e| e.evaluate_class(id, &definition, given_undef, declaring, span))
    }

    fn evaluate_class(
        &mut self,
        id: ResourceId,
        definition: &Arc<Definition>,
        given_undef: &[Text],
        dynamic: ScopeId,
        span: Span,
    ) -> Run<()> {
        let name: Text = definition.name.to_lowercase().into();
        let mut parent = self.scopes.node.unwrap_or(TOP);
        let mut parent_dynamic = dynamic;
        if let Some(found) = self.loader().parent_class(&name, definition, span)? {
            let parent_name: Text = found.name.to_lowercase().into();
            if let Some(id) = self.catalog.lookup("class", &parent_name) {
                self.deeper(span, |e| e.evaluate_declared(id, &[], span))?;
            }
            if let Some(scope) = self.scopes.classes.get(&parent_name) {
                parent = *scope;
                parent_dynamic = *scope;
            }
        }
        let mut scope = Scope::new(Owner::Class(name.clone()), Some(parent), Some(parent_dynamic));
        scope.resource = Some(id);
        let module = self.inputs.module_with(definition);
        scope.module.clone_from(&module);
        let scope = self.scopes.add(scope);
        self.scopes.classes.insert(name.clone(), scope);
        let label: Text = format!("Class[{}]", capitalised(&name)).into();
        let around = if definition.parent.is_some() { parent } else { self.scopes.declaring(dynamic) };
        let caller = self.scopes.get(around).module.clone();
        let variables = &mut self.scopes.get_mut(scope).variables;
        variables.insert("caller_module_name".into(), caller.map_or(Value::str(""), Value::Str));
        variables.insert("title".into(), Value::Str(name.clone()));
        variables.insert("name".into(), Value::Str(name.clone()));
        variables.insert("module_name".into(), module.map_or(Value::str(""), Value::Str));
        self.set_parameters(id, &definition.params, &label, Some(&name), given_undef, scope, span)?;
        enter_stage(self, id, dynamic, &name, span)?;
        self.body(&definition.body, scope)
    }

    /// Gives the parameters of a class or define their values, in the scope and on the resource.
    #[allow(clippy::too_many_arguments, reason = "all of it is one declaration")]
    fn set_parameters(
        &mut self,
        id: ResourceId,
        params: &[ast::Parameter],
        label: &Text,
        class: Option<&Text>,
        given_undef: &[Text],
        scope: ScopeId,
        span: Span,
    ) -> Run<()> {
        let mut missing: Vec<&Text> = Vec::new();
        self.scopes.set_given(&self.catalog, id, scope);
        for param in params {
            let given = self.catalog.get(id).parameter(&param.name).cloned();
            let given = given.or_else(|| self.catalog.get(id).parameter(OTHERS).cloned());
            let own = self.catalog.get(id).parameters.get(&param.name).map(|parameter| parameter.span);
            let data = match (&given, class) {
                (None, Some(class)) => {
                    self.search().find_data(&format!("{class}::{}", param.name), None, scope, span)?
                }
                _ => None,
            };
            let source = match (own.filter(|_| given.is_some()), &data, &param.value) {
                (Some(place), ..) => Source::Given(place),
                (None, Some(_), _) => Source::Data(self.hiera.origins.first().cloned()),
                (None, None, Some(default)) => Source::Default(default.span),
                // An attribute that is undef is on no resource.
                (None, None, None) => Source::Given(
                    given_undef
                        .contains(&param.name)
                        .then(|| self.inputs.attribute_after(span, &param.name))
                        .flatten()
                        .unwrap_or(span),
                ),
            };
            let value = match (given.or(data), &param.value) {
                (Some(value), _) => value,
                // It may need one that is missing.
                (None, Some(_)) if !missing.is_empty() => continue,
                (None, Some(default)) => self.eval(default, scope)?,
                (None, None) if given_undef.contains(&param.name) => Value::Undef,
                (None, None) => {
                    missing.push(&param.name);
                    continue;
                }
            };
            if let Some(ty) = &param.ty {
                let ty = self.type_of(ty, scope)?;
                if !self.output.check_instance(&ty, &value, span)? {
                    let title = self.catalog.get(id).title.clone();
                    return self.refuse_value((label, &title), param, (&ty, &value), source, span);
                }
            }
            if value != Value::Undef {
                let parameter = Parameter::explicit(value.clone(), span);
                self.catalog.get_mut(id).parameters.insert(param.name.clone(), parameter);
            }
            self.scopes.get_mut(scope).variables.insert(param.name.clone(), value);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = missing.iter().map(|name| format!("expects a value for parameter '{name}'")).collect();
        let message = match &lines[..] {
            [one] => format!("{label}: {one}"),
            several => format!("{label}:\n  {}", several.join("\n  ")),
        };
        let declared = params.iter().filter(|param| missing.contains(&&param.name));
        let declared: Vec<_> =
            declared.map(|param| (param.span, format!("`{}` is declared here", param.name))).collect();
        let mut refused = fail(span, IssueName::MissingArgument, message);
        for (place, text) in declared {
            refused = refused.related(place, text);
        }
        let names: Vec<String> = missing.iter().map(|name| format!("`{name} => …`")).collect();
        let Some(class) = class else { return refused.help(format!("add {}", names.join(" and "))) };
        let keys: Vec<String> = missing.iter().map(|name| format!("{class}::{name}")).collect();
        let is_own = |key: &str| {
            let own = key.strip_prefix(&**class).and_then(|rest| rest.strip_prefix("::"));
            own.is_some_and(|own| params.iter().any(|param| *param.name == *own))
        };
        if let Some((key, (near, path, line))) =
            keys.iter().find_map(|key| Some((key, self.hiera.nearly_key(key, &is_own)?)))
        {
            let place = self.inputs.line_in_data(&path, line, &[]);
            return refused
                .edit(place)
                .related(span, format!("class `{class}` is declared here"))
                .help(format!("the data has `{near}` here: did you mean `{key}`?"));
        }
        if let Some((place, label, help)) = self.inputs.level_without_file(&self.hiera) {
            return refused
                .edit(place)
                .label(label)
                .related(span, format!("class `{class}` is declared here"))
                .help(help);
        }
        let flags: Vec<String> = keys.iter().map(|key| format!("`--set {key}=VALUE`")).collect();
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}: …`")).collect();
        refused.help(format!("add {} to the data, or set it with {}", keys.join(" and "), flags.join(" ")))
    }

    /// Runs the body of a define for one of its instances.
    pub(super) fn evaluate_define(&mut self, id: ResourceId) -> Run<()> {
        let resource = self.catalog.get_mut(id);
        resource.is_evaluated = true;
        let (ty, title, declaring, span) = (resource.ty.clone(), resource.title.clone(), resource.scope, resource.span);
        let label: Text = resource.reference().into();
        let Some(definition) = self.program.defines.get(&ty).cloned() else { return Ok(()) };
        let is_known = |name: &Text| {
            matches!(&**name, "name" | OTHERS)
                || ral::is_metaparameter(name)
                || definition.params.iter().any(|p| p.name == *name)
        };
        let resource = self.catalog.get(id);
        if let Some(name) = resource.parameters.keys().chain(&resource.given_undef).find(|name| !is_known(name)) {
            let place = resource.parameters.get(name).map_or(span, |parameter| parameter.span);
            let help = unknown_parameter(&definition, name);
            let (name, value) = (name.clone(), resource.parameter(name).cloned());
            let refused = fail(span, IssueName::UnknownArgument, format!("{label}: has no parameter named '{name}'"));
            return match value
                .and_then(|value| place_in_data(&mut self.inputs, &mut self.hiera, place, (&title, &name, &value)))
            {
                Some(data) => refused.edit(data).related(place, "used here").help(help),
                None => refused.edit(self.inputs.key_after(place, &name)).help(help),
            };
        }
        let parent = self.scopes.node.unwrap_or(TOP);
        let mut scope = Scope::new(Owner::Define, Some(parent), Some(declaring));
        scope.resource = Some(id);
        let module = self.inputs.module_with(&definition);
        scope.module.clone_from(&module);
        let caller = self.scopes.get(self.scopes.declaring(declaring)).module.clone();
        let scope = self.scopes.add(scope);
        let variables = &mut self.scopes.get_mut(scope).variables;
        variables.insert("title".into(), Value::Str(title.clone()));
        variables.insert("name".into(), Value::Str(title));
        variables.insert("module_name".into(), module.map_or(Value::str(""), Value::Str));
        variables.insert("caller_module_name".into(), caller.map_or(Value::str(""), Value::Str));
        let given_undef = std::mem::take(&mut self.catalog.get_mut(id).given_undef);
        self.set_parameters(id, &definition.params, &label, None, &given_undef, scope, span)?;
        self.body(&definition.body, scope)
    }
}

impl Scopes {
    /// What a class or define is declared with are variables of it, metaparameters too; defaults see all of them.
    fn set_given(&mut self, catalog: &Catalog, id: ResourceId, scope: ScopeId) {
        let of_resource = catalog.get(id).parameters.iter();
        let given = of_resource.filter(|(name, _)| !matches!(&***name, "name" | "title" | OTHERS));
        let given: Vec<_> = given.map(|(name, parameter)| (name.clone(), parameter.value.clone())).collect();
        self.get_mut(scope).variables.extend(given);
    }
}

impl Loader<'_, '_> {
    /// The class that another one inherits.
    fn parent_class(&mut self, name: &Text, definition: &Definition, span: Span) -> Run<Option<Arc<Definition>>> {
        let Some(parent) = &definition.parent else { return Ok(None) };
        let parent: Text = parent.trim_start_matches("::").to_lowercase().into();
        if parent == *name {
            return runtime(span, format!("Could not find parent resource type '{parent}' of type hostclass"))
                .code(Code::InheritanceCycle)
                .edit(self.inputs.inherits_place(definition))
                .label(format!("class `{name}` inherits itself"))
                .help("remove `inherits`, or name another class");
        }
        let Some(found) = self.find_class(&parent, span)? else {
            let environment = &self.inputs.settings.environment_name;
            let message = format!("Could not find parent resource type '{parent}' of type hostclass in {environment}");
            let (place, help) = (self.inputs.inherits_place(definition), self.unknown_class(&parent));
            return runtime(span, message)
                .code(Code::UnknownClass)
                .edit(place)
                .label(format!("Could not find class {parent}, which `{name}` inherits"))
                .help(help);
        };
        let chain = self.program.inherits_chain(name);
        if chain.ends_with(&format!(" inherits {name}")) {
            return runtime(span, format!("Class[{}] inherits itself: {chain}", capitalised(name)))
                .code(Code::InheritanceCycle)
                .edit(self.inputs.inherits_place(definition))
                .help("remove one `inherits`, or move what both need into a third class");
        }
        Ok(Some(found))
    }

    /// Returns the definition of a class, if there is one; loads its file if necessary. Fails if the file has errors.
    pub fn find_class(&mut self, name: &Text, span: Span) -> Run<Option<Arc<Definition>>> {
        if !self.program.classes.contains_key(name) {
            self.load_class_or_define(name, span)?;
        }
        Ok(self.program.classes.get(name).cloned())
    }
}

impl Inputs<'_> {
    /// The module whose file a class or define is in; none for those of the site's own manifests.
    fn module_with(&self, definition: &Definition) -> Option<Text> {
        let module = module_of(&definition.name.to_lowercase());
        let path = self.sources.file(definition.span.file).path.as_deref()?;
        let mut folders = path.ancestors().filter(|folder| folder.ends_with("manifests"));
        let is_of_module = |folder: &Path| {
            let name = folder.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            name.is_empty() || name == *module || name.ends_with(&format!("-{module}"))
        };
        folders.any(is_of_module).then_some(module)
    }

    /// The name of an attribute in the lines from a place on.
    fn attribute_after(&self, span: Span, name: &str) -> Option<Span> {
        const LINES: usize = 60;
        let text = self.sources.file(span.file).text.get(span.range().start..)?;
        let mut start = span.range().start;
        for line in text.split_inclusive('\n').take(LINES) {
            let found = line.match_indices(name).find(|(at, _)| {
                let is_whole = !line[..*at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'));
                is_whole && line[at + name.len()..].trim_start().starts_with("=>")
            });
            if let Some((at, _)) = found {
                return Some(Span::new(span.file, start + at, start + at + name.len()));
            }
            start += line.len();
        }
        None
    }

    /// The name behind `inherits`.
    fn inherits_place(&self, definition: &Definition) -> Span {
        let Span { file, .. } = definition.span;
        let text = self.sources.file(file).text.get(definition.span.range()).unwrap_or_default();
        let Some(parent) = &definition.parent else { return definition.span };
        let found = text.find("inherits").and_then(|at| Some(at + text[at..].find(&**parent)?));
        let start = definition.span.range().start;
        found.map_or(definition.span, |at| Span::new(file, start + at, start + at + parent.len()))
    }
}

impl Program {
    /// `a inherits b, b inherits a`.
    fn inherits_chain(&self, first: &Text) -> String {
        let parent = |name: &Text| -> Option<Text> {
            let parent = self.classes.get(name)?.parent.as_ref()?;
            Some(parent.trim_start_matches("::").to_lowercase().into())
        };
        let mut links: Vec<String> = Vec::new();
        let mut at = first.clone();
        while let Some(next) = parent(&at).filter(|_| links.len() < 20) {
            links.push(format!("{at} inherits {next}"));
            if next == *first {
                break;
            }
            at = next;
        }
        links.join(", ")
    }
}

impl Catalog {
    /// A sensitive value as an attribute is unwrapped and remembered.
    pub(super) fn unwrap_sensitive(&mut self, id: ResourceId) {
        let resource = self.get_mut(id);
        for (name, parameter) in &mut resource.parameters {
            if let Value::Sensitive(inner) = &parameter.value {
                parameter.value = (**inner).clone();
                resource.sensitive.push(name.clone());
            }
        }
    }
}

/// What to do about a parameter that a class or define does not have.
pub(super) fn unknown_parameter(definition: &Definition, name: &str) -> String {
    let own = definition.params.iter().map(|param| &*param.name);
    match closest(name, own.chain(ral::metaparameters().map(|name| -> &str { name }))) {
        Some(near) => did_you_mean(near),
        None if definition.params.is_empty() => "remove it: it takes no parameters".into(),
        None => {
            let names: Vec<String> = definition.params.iter().map(|param| format!("`{}`", param.name)).collect();
            format!("its parameters are {}", names.join(", "))
        }
    }
}

/// Where data has an attribute that `* => $hash` or `create_resources` gives to a resource: its title, name and value.
pub(super) fn place_in_data(
    inputs: &mut Inputs,
    hiera: &mut Hiera,
    place: Span,
    (title, name, value): (&str, &str, &Value),
) -> Option<Span> {
    let written = inputs.sources.file(place.file).text.get(place.range()).unwrap_or_default();
    if written == name {
        return None;
    }
    let (file, line, keys) = hiera.holds(title, name, value)?;
    Some(inputs.line_in_data(&file, line, &keys))
}

/// Puts a class that has its parameters below its stage.
fn enter_stage(e: &mut Evaluator<'_>, id: ResourceId, declaring: ScopeId, name: &str, span: Span) -> Run<()> {
    let container = e.scopes.get(declaring).resource;
    let stage = |id: ResourceId| e.catalog.get(id).parameter("stage");
    if [Some(id), container].into_iter().flatten().any(|id| stage(id).is_some_and(is_in)) {
        e.output.leave_out(&e.inputs, "the stage of this class", span);
    }
    let is_set = |stage: &&Value| !is_in(stage) && **stage != Value::Undef;
    let stage_of = |id: ResourceId| stage(id).filter(is_set).map(convert::string);
    let own = stage_of(id);
    let is_own = own.is_some();
    let stage = own.or_else(|| container.and_then(stage_of)).unwrap_or_else(|| "main".to_string());
    let Some(stage_id) = e.catalog.lookup("stage", &stage) else {
        let place = e.catalog.get(id).parameters.get("stage").map_or(span, |parameter| parameter.span);
        let stages: Vec<Text> = e
            .catalog
            .ids()
            .map(|id| e.catalog.get(id))
            .filter(|resource| &*resource.ty == "stage")
            .map(|resource| resource.title.clone())
            .collect();
        let help = match nearest(&stage, stages.iter().map(|title| &**title)) {
            Some(near) => did_you_mean(near),
            None => format!("declare it: `stage {{ '{stage}': }}`"),
        };
        return runtime(span, format!("Could not find stage {stage} specified by Class[{}]", capitalised(name)))
            .code(Code::UnknownResource)
            .edit(place)
            .help(help);
    };
    e.catalog.edges.push((stage_id, id));
    // A stage of the surrounding class is not a parameter of this one.
    if stage != "main" && !is_own {
        e.catalog.get_mut(id).parameters.insert("stage".into(), Parameter::explicit(Value::str(stage), span));
    }
    Ok(())
}
