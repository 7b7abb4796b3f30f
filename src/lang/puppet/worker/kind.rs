//! Resource types of modules in Ruby: the values that they refuse, and the relationships that they add.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value as Json, json};

use super::super::ast::{Form, Text};
use super::super::catalog::{Parameter, Sort, ral};
use super::super::eval::Evaluator;
use super::super::foreign::From;
use super::super::ids::ResourceId;
use super::super::ruby;
use super::super::stop::{Run, Stop};
use super::super::titles::{self, Titles};
use super::super::value::Value;
use super::{Answer, sent};
use crate::graph::HIDDEN;
use crate::lang::puppet::arm::Described;
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::output::Output;
use crate::lang::ruby::describe::{Relation, Target};
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

impl Evaluator<'_> {
    /// Lets the types of modules validate their resources and name what these depend on.
    pub fn types_in_worker(&mut self) -> Run<()> {
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
        if types.is_empty() {
            return Ok(());
        }
        let present: FxHashSet<Text> = self.catalog.ids().map(|id| self.catalog.get(id).ty.clone()).collect();
        for (ty, ids) in types {
            match self.inputs.has_worker() {
                true => self.type_in_worker(&ty, &ids)?,
                false => self.type_as_read(&ty, &ids, &present)?,
            }
        }
        Ok(())
    }

    /// Adds the relationships that the file of a type has literally, where Ruby does not run. `present` are the types
    /// of all resources.
    fn type_as_read(&mut self, ty: &str, ids: &[ResourceId], present: &FxHashSet<Text>) -> Run<()> {
        let Some(known) = self.program.known_description(ty).cloned() else { return Ok(()) };
        if let (false, Some(first)) = (known.keys.is_empty(), ids.first()) {
            let span = self.catalog.get(*first).span;
            let computed = if known.titles.is_none() { titles::computed(self, ty, span)? } else { None };
            let titles = known.titles.as_ref().or(computed.as_ref());
            self.catalog.titles_as_read(&mut self.output, &known.keys, titles, (ty, ids))?;
        }
        for relation in &known.relations {
            let (word, other, line) = (&relation.word, &relation.ty, relation.line);
            if other.is_empty() {
                self.output.warn_once(format!(
                    "`{word}` of the type `{ty}` (line {line}) is Ruby: the order of its resources is unknown without \
                     `--run-plugins`"
                ));
                continue;
            }
            if !present.contains(other.as_str()) {
                continue;
            }
            let Some(targets) = &relation.targets else {
                if !relate_by_code(self, &known, relation, ids) {
                    self.output.warn_once(format!(
                        "`{word}` of the type `{ty}` (line {line}) is Ruby: the order relative to resources of the \
                         type `{other}` is unknown without `--run-plugins`"
                    ));
                }
                continue;
            };
            for id in ids {
                let mut titles = Vec::new();
                let mut is_known = true;
                for target in targets {
                    match target {
                        Target::Title(title) => titles.push(title.clone()),
                        Target::Attribute(name) => {
                            is_known &= self.catalog.titles_in(*id, name, known.namevar.as_deref(), &mut titles);
                        }
                    }
                }
                if !is_known {
                    self.output.warn_once(format!(
                        "`{word}` of the type `{ty}` (line {line}) needs a value that is unknown: the order relative \
                         to resources of the type `{other}` is unknown"
                    ));
                }
                for title in titles {
                    if let Some(found) = self.catalog.named_by_type(other, &title) {
                        self.catalog.relate(*id, found, word);
                    }
                }
            }
        }
        Ok(())
    }

    fn type_in_worker(&mut self, ty: &str, ids: &[ResourceId]) -> Run<()> {
        let Some(module) = self.inputs.module_of_file(&format!("lib/puppet/type/{ty}.rb")) else { return Ok(()) };
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
                self.output
                    .warn_once(format!("{shown} needs {what}, which is not available to Ruby here; it checks nothing"));
                return Ok(());
            }
            Err(Stop::Fail(issue)) => {
                self.output.warn_once(format!("{shown} checks nothing: {}", issue.message));
                return Ok(());
            }
            Err(stop) => return Err(stop),
        };
        let made = answer.get("resources").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut keys: FxHashMap<Vec<&str>, ResourceId> = FxHashMap::default();
        for (id, one) in asked.iter().zip(made) {
            self.take_from_type(*id, one, &shown)?;
            let key = one.get("key").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            let key: Vec<&str> = key.iter().filter_map(Json::as_str).collect();
            if key.is_empty() {
                continue;
            }
            if let Some(first) = keys.get(&key) {
                let (own, other) = (self.catalog.get(*id), self.catalog.get(*first).reference());
                let why = format!("Cannot alias {} to {key:?}; resource {other} already declared", own.reference());
                let span = own.span;
                self.catalog.refused.get_or_insert((why, span));
            } else {
                keys.insert(key, *id);
            }
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
                let parameter = Parameter::explicit(value.clone(), span);
                self.catalog.get_mut(id).parameters.entry(name.clone()).or_insert(parameter);
            }
        }
        let text = |json: Option<&Json>| json.and_then(Json::as_str).unwrap_or_default().to_owned();
        let outside = made.get("outside");
        if let Some(what) = outside.or_else(|| made.get("unread")) {
            let what = text(Some(what));
            self.output.warn_once(format!("{shown} needs {what}, which is not available to Ruby here"));
        }
        if outside.is_some() {
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
            let is_named = |found: &ResourceId| match other.strip_prefix("Package[") {
                Some(title) => self.catalog.has_title(*found, title.trim_end_matches(']')),
                None => true,
            };
            if let Some(found) = self.catalog.reference(other).filter(is_named) {
                self.catalog.relate(id, found, kind);
            }
        }
        Ok(())
    }
}

/// Adds the relationships that the code of a type gives. `false` where some of them cannot be known.
fn relate_by_code(e: &mut Evaluator<'_>, known: &Described, relation: &Relation, ids: &[ResourceId]) -> bool {
    let mut is_known = true;
    for id in ids {
        let Some(titles) = ruby::related(e, *id, known, relation) else {
            is_known = false;
            continue;
        };
        for title in titles {
            if let Some(found) = e.catalog.named_by_type(&relation.ty, &title) {
                e.catalog.relate(*id, found, &relation.word);
            }
        }
    }
    is_known
}

impl Catalog {
    /// Adds the parameters that are part of a title; one that only Ruby has is unknown.
    fn titles_as_read(
        &mut self,
        output: &mut Output<'_>,
        keys: &[Text],
        titles: Option<&Titles>,
        (ty, ids): (&str, &[ResourceId]),
    ) -> Run<()> {
        for id in ids {
            let (title, span) = (self.get(*id).title.clone(), self.get(*id).span);
            let found = match titles {
                Some(titles) => output.parts_of_title(titles, &title, span)?,
                None => None,
            };
            let found: Vec<(Text, Value)> = match found {
                Some(found) => found,
                None => keys.iter().map(|name| (name.clone(), Value::Unknown(None))).collect(),
            };
            for (name, value) in found {
                if self.get(*id).parameter(&name).is_some() {
                    continue;
                }
                if matches!(value, Value::Unknown(_)) {
                    output.has_unknown = true;
                    output.warn_once(format!(
                        "the type `{ty}` divides titles into parameters in Ruby; those are unknown without `--run-plugins`"
                    ));
                }
                self.get_mut(*id).parameters.entry(name).or_insert(Parameter::explicit(value, span));
            }
        }
        Ok(())
    }

    /// Adds the texts of a parameter, which may be the title. `false` where its value is unknown.
    fn titles_in(&self, id: ResourceId, name: &str, namevar: Option<&str>, titles: &mut Vec<String>) -> bool {
        let resource = self.get(id);
        let is_unknown = |value: &Value| matches!(value, Value::Unknown(_));
        match resource.parameter(name) {
            Some(Value::Array(list)) => {
                titles.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
                return !list.iter().any(is_unknown);
            }
            Some(value) if is_unknown(value) => return false,
            Some(value) => titles.extend(value.as_str().map(str::to_owned)),
            None if namevar == Some(name) => titles.push(resource.title.to_string()),
            None => {}
        }
        true
    }

    /// The resource that a type names. A package is not found by its name, because its provider is part of the key.
    fn named_by_type(&self, ty: &str, title: &str) -> Option<ResourceId> {
        self.lookup(ty, title).filter(|id| ty != "package" || self.has_title(*id, title))
    }

    /// Whether a text is the title or an alias of a resource.
    fn has_title(&self, id: ResourceId, text: &str) -> bool {
        let resource = self.get(id);
        let is_alias = match resource.parameter("alias") {
            Some(Value::Array(list)) => list.iter().any(|one| one.as_str() == Some(text)),
            Some(one) => one.as_str() == Some(text),
            None => false,
        };
        is_alias || *resource.title == *text
    }

    fn relate(&mut self, id: ResourceId, other: ResourceId, word: &str) {
        if other == id || self.get(other).form != Form::Regular {
            return;
        }
        self.automatic.push(match word {
            "autobefore" => (id, other, false),
            "autonotify" => (id, other, true),
            "autosubscribe" => (other, id, true),
            _ => (other, id, false),
        });
    }
}

impl Output<'_> {
    /// The parameters in a title; `None` where a pattern is not one that we can match.
    fn parts_of_title(
        &mut self,
        titles: &[(Regexp, Vec<Text>)],
        title: &str,
        span: Span,
    ) -> Run<Option<Vec<(Text, Value)>>> {
        for (pattern, names) in titles {
            self.spend(1 + title.len() as u64, span)?;
            let groups = match pattern.captures(title) {
                Ok(Some(groups)) => groups,
                Ok(None) => continue,
                Err(_) => return Ok(None),
            };
            let texts = groups.into_iter().skip(1).map(|text| text.map_or(Value::Undef, Value::str));
            let mut found: Vec<(Text, Value)> = names.iter().cloned().zip(texts).collect();
            if found.first().is_some_and(|(_, first)| first.as_str() == Some(title)) {
                found.remove(0);
            }
            found.retain(|(_, value)| *value != Value::Undef);
            return Ok(Some(found));
        }
        Ok(Some(Vec::new()))
    }
}
