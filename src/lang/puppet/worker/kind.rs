//! Resource types of modules in Ruby: the values that they refuse, and the relationships that they add.

use serde_json::{Value as Json, json};

use super::super::ast::{Form, Text};
use super::super::catalog::{Parameter, Sort, ral};
use super::super::eval::Evaluator;
use super::super::foreign::From;
use super::super::ids::ResourceId;
use super::super::stop::{Run, Stop};
use super::super::value::Value;
use super::{Answer, sent};
use crate::graph::HIDDEN;

impl Evaluator<'_> {
    /// Lets the types of modules validate their resources and name what these depend on.
    pub fn types_in_worker(&mut self) -> Run<()> {
        if !self.has_worker() {
            return Ok(());
        }
        let mut types: Vec<(Text, Vec<ResourceId>)> = Vec::new();
        for id in self.catalog.ids() {
            let resource = self.catalog.get(id);
            if resource.sort != Sort::Builtin || resource.form != Form::Regular || ral::is_known(&resource.ty) {
                continue;
            }
            match types.iter_mut().find(|(ty, _)| *ty == resource.ty) {
                Some((_, ids)) => ids.push(id),
                None => types.push((resource.ty.clone(), vec![id])),
            }
        }
        for (ty, ids) in types {
            self.type_in_worker(&ty, &ids)?;
        }
        Ok(())
    }

    fn type_in_worker(&mut self, ty: &str, ids: &[ResourceId]) -> Run<()> {
        let Some(module) = self.module_of_file(&format!("lib/puppet/type/{ty}.rb")) else { return Ok(()) };
        let Some(first) = ids.first() else { return Ok(()) };
        let (mut held, mut asked, mut resources) = (Vec::new(), Vec::new(), Vec::new());
        for id in ids {
            let resource = self.catalog.get(*id);
            let parameters = resource
                .parameters
                .iter()
                .filter(|(name, one)| !ral::is_metaparameter(name) && one.value != Value::Undef);
            let pairs = parameters.map(|(name, one)| Some(json!([&**name, sent::to_json(&one.value, &mut held)?])));
            // The values of a resource that are not known cannot be checked.
            let Some(pairs) = pairs.collect::<Option<Vec<Json>>>() else { continue };
            resources.push(json!({ "title": &*resource.title, "parameters": { "$hash": pairs } }));
            asked.push(*id);
        }
        let from = From { scope: self.catalog.get(*first).scope, span: self.catalog.get(*first).span, block: None };
        let file = json!([module, format!("lib/puppet/type/{ty}.rb")]);
        let request = json!({ "do": "type", "name": ty, "file": file, "resources": resources });
        let shown = format!("the type `{ty}` of the module `{module}`");
        let answer = match self.ask_worker(request, from, &mut held) {
            Ok(Answer::Done(answer)) => answer,
            Ok(Answer::Unknown) => return Ok(()),
            Ok(Answer::Outside(what)) => {
                self.warn_once(format!("{shown} needs {what}, which is not available to Ruby here; it checks nothing"));
                return Ok(());
            }
            Err(Stop::Fail(issue)) => {
                self.warn_once(format!("{shown} checks nothing: {}", issue.message));
                return Ok(());
            }
            Err(stop) => return Err(stop),
        };
        let made = answer.get("resources").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        for (id, one) in asked.iter().zip(made) {
            self.take_from_type(*id, one, &shown)?;
        }
        Ok(())
    }

    fn take_from_type(&mut self, id: ResourceId, made: &Json, shown: &str) -> Run<()> {
        let (title, span) = (self.catalog.get(id).title.clone(), self.catalog.get(id).span);
        if let Some(parts) = made.get("title")
            && let Value::Hash(parts) = self.value_of(Some(parts), &[], span)?
        {
            for (at, (name, value)) in parts.iter().enumerate() {
                let is_title = at == 0 && value.as_str() == Some(&*title);
                let (Value::Str(name), false) = (name, is_title || *value == Value::Undef) else { continue };
                let parameter = Parameter { value: value.clone(), is_default: false, span };
                self.catalog.get_mut(id).parameters.entry(name.clone()).or_insert(parameter);
            }
        }
        let text = |json: Option<&Json>| json.and_then(Json::as_str).unwrap_or_default().to_owned();
        if let Some(what) = made.get("outside") {
            let what = text(Some(what));
            self.warn_once(format!("{shown} needs {what}, which is not available to Ruby here"));
            return Ok(());
        }
        if let Some(raised) = made.get("raised") {
            let resource = self.catalog.get(id);
            let why = match resource.sensitive.is_empty() && self.hiera.secrets.is_empty() {
                true => text(raised.get("text")),
                false => format!("a value of {} is not allowed: {HIDDEN}", resource.reference()),
            };
            self.catalog.refused.get_or_insert((why, span));
            return Ok(());
        }
        for relation in made.get("relations").and_then(Json::as_array).into_iter().flatten() {
            let [Json::String(kind), Json::String(other)] = relation.as_array().map(Vec::as_slice).unwrap_or_default()
            else {
                continue;
            };
            let Some(other) = self.catalog.reference(other).filter(|other| *other != id) else { continue };
            if self.catalog.get(other).form != Form::Regular {
                continue;
            }
            let edge = match kind.as_str() {
                "autobefore" => (id, other, false),
                "autonotify" => (id, other, true),
                "autosubscribe" => (other, id, true),
                _ => (other, id, false),
            };
            self.catalog.automatic.push(edge);
        }
        Ok(())
    }

    /// The first module that has a file.
    fn module_of_file(&self, file: &str) -> Option<String> {
        self.settings.module_path.iter().find_map(|path| {
            let root = if path.as_os_str().is_empty() { std::path::Path::new(".") } else { path };
            self.files.list(root).into_iter().find(|module| self.files.exists(&path.join(module).join(file)))
        })
    }
}
