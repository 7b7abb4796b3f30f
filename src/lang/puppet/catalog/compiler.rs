//! The phases of one compilation, in their order.

use std::sync::Arc;

use super::{Finished, Parameter, Resource, Sort};
use crate::diag::Code;
use crate::lang::puppet::ast::{Form, Kind, Program, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::conf::Strict;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::facts::VERSION;
use crate::lang::puppet::ids::{ResourceId, TOP};
use crate::lang::puppet::nodes::node_and_unread;
use crate::lang::puppet::scope::{Owner, Scope, Scopes};
use crate::lang::puppet::stop::{At, Help, Problem, Run, Stop, misplaced, runtime};
use crate::lang::puppet::value::{Map, Value};
use crate::lang::ruby::regexp::{Regexp, has_open_bracket};
use crate::source::{FileId, Span};

/// Rounds of collecting and evaluating after which a program is taken to be endless.
const MAX_ROUNDS: usize = 1_000;

impl Evaluator<'_> {
    /// What is read after the compilation.
    pub fn finished(&self) -> Finished<'_> {
        Finished {
            catalog: &self.catalog,
            scopes: &self.scopes,
            program: &self.program,
            hiera: &self.hiera,
            inputs: &self.inputs,
        }
    }

    /// Compiles programs for the node; the value is that of the last expression of the last program.
    pub fn compile(&mut self, programs: &[Arc<Program>], file: FileId) -> Run {
        let start = Span::new(file, 0, 0);
        self.scopes.set_top_variables(&self.inputs);
        let stage = self.catalog.add_container("stage", "main", Sort::Stage, start);
        let main = self.catalog.add_container("class", "main", Sort::Class, start);
        self.catalog.edges.push((stage, main));
        self.scopes.get_mut(TOP).resource = Some(main);
        self.scopes.classes.insert("main".into(), TOP);
        for program in programs {
            self.loader().define(program)?;
        }
        self.loader().resolve_arm_types()?;
        let mut value = Value::Undef;
        for program in programs {
            value = match self.eval(&program.body, TOP) {
                Err(Stop::Return(_, span)) => return misplaced(span, "return"),
                Err(Stop::Next(_)) => return misplaced(program.body.span, "next"),
                Err(Stop::Break(span)) => return misplaced(span, "break"),
                done => done?,
            };
        }
        self.evaluate_node(start)?;
        self.run_generators(start)?;
        self.finish(start)?;
        Ok(value)
    }

    /// The node's own definition: by its name, by a pattern, or the default one.
    fn evaluate_node(&mut self, start: Span) -> Run<()> {
        if self.program.nodes.is_empty() {
            return Ok(());
        }
        let name = self.inputs.settings.node.to_lowercase();
        let nodes = self.program.nodes.clone();
        for host in nodes.iter().flat_map(|node| &node.matches) {
            if let Kind::Regex(source) = &host.kind
                && has_open_bracket(source)
            {
                Regexp::new(Arc::clone(source)).compiled().map(|_| ()).map_err(Problem::regexp).at(host.span)?;
            }
        }
        let mut unread = Vec::new();
        let found = node_and_unread(&nodes, &name, &mut |host, why| unread.push((host, why)));
        for (host, why) in unread {
            let place = self.inputs.sources.place(host.span);
            let (file, line) = (place.file, place.line);
            self.output
                .warn_once(format!("{file}:{line}: this pattern cannot be read here and matches no node: {why}"));
        }
        let Some((node, host)) = found else {
            let place = nodes.first().and_then(|node| node.matches.first()).map_or(start, |host| host.span);
            return runtime(start, format!("Could not find node statement with name 'default' or '{name}'"))
                .code(Code::UnknownNode)
                .edit(place)
                .help("add `node default { … }`, or choose a node with `--node`");
        };
        let title = match &host.kind {
            Kind::Regex(source) => {
                let words: String = source.chars().filter(|c| c.is_alphanumeric() || "_.-".contains(*c)).collect();
                format!("__node_regexp__{}", words.to_lowercase().trim_start_matches('.'))
            }
            Kind::Default => "default".into(),
            _ => name.clone(),
        };
        let id = self.catalog.add_container("node", &title, Sort::Node, node.span);
        let main = self.catalog.lookup("class", "main");
        let resource = self.catalog.get_mut(id);
        resource.parameters.clear();
        resource.add_tag(title.as_str());
        resource.add_tag("class");
        if let Some(main) = main {
            self.catalog.edges.push((main, id));
        }
        let mut scope = Scope::new(Owner::Node, Some(TOP), Some(TOP));
        scope.resource = Some(id);
        let scope = self.scopes.add(scope);
        self.scopes.node = Some(scope);
        self.catalog.classes.push(title.into());
        for host in &node.matches {
            if let Kind::Regex(source) = &host.kind {
                let regexp = Regexp::new(source.clone());
                if regexp.compiled().is_ok() {
                    self.scopes.match_text(&regexp, &name, scope, node.span)?;
                }
            }
        }
        let body = node.clone();
        self.body(&body.body, scope)
    }

    /// Collects and evaluates defines until nothing changes.
    fn run_generators(&mut self, start: Span) -> Run<()> {
        let mut place = start;
        for _ in 0..MAX_ROUNDS {
            let mut any = self.run_collectors()?;
            let waiting: Vec<ResourceId> = self
                .catalog
                .ids()
                .filter(|id| {
                    let resource = self.catalog.get(*id);
                    !resource.is_evaluated && resource.form == Form::Regular
                })
                .collect();
            place = waiting.first().map_or(place, |id| self.catalog.get(*id).span);
            for id in waiting {
                self.catalog.apply_waiting_overrides(&self.program, &mut self.output, &self.scopes, id)?;
                self.evaluate_define(id)?;
                any = true;
            }
            self.catalog.realize();
            if !any {
                return Ok(());
            }
        }
        runtime(place, "Somehow looped more than 1000 times while evaluating host catalog")
            .code(Code::EvaluationLimit)
            .help("a define declares itself without end: add a condition that ends it")
    }
}

impl Scopes {
    fn set_top_variables(&mut self, inputs: &Inputs<'_>) {
        let facts = inputs.settings.facts.clone();
        let mut variables: Vec<(Text, Value)> = Vec::new();
        if let Value::Hash(map) = &facts {
            let named = |(name, value): (&Value, &Value)| Some((name.as_str()?.into(), value.clone()));
            variables.extend(map.iter().filter_map(named));
        }
        let text = |text: &str| Value::str(text);
        let node = inputs.settings.node.clone();
        let (host, domain) = node.split_once('.').unwrap_or((&node, ""));
        let mut trusted = Map::default();
        trusted.insert(text("authenticated"), text("local"));
        trusted.insert(text("certname"), text(&node));
        trusted.insert(text("extensions"), Value::hash(Map::default()));
        trusted.insert(text("hostname"), text(host));
        trusted.insert(text("domain"), if domain.is_empty() { Value::Undef } else { text(domain) });
        trusted.insert(text("external"), Value::hash(Map::default()));
        let mut server = Map::default();
        server.insert(text("serverversion"), text(VERSION));
        if !variables.iter().any(|(name, _)| &**name == "serverversion") {
            variables.push(("serverversion".into(), text(VERSION)));
        }
        server.insert(text("environment"), text(&inputs.settings.environment_name));
        variables.push(("facts".into(), facts));
        variables.push(("trusted".into(), Value::hash(trusted)));
        variables.push(("server_facts".into(), Value::hash(server)));
        variables.push(("environment".into(), text(&inputs.settings.environment_name)));
        variables.push(("clientcert".into(), text(&node)));
        variables.push(("module_name".into(), text("")));
        variables.push(("title".into(), text("main")));
        variables.push(("name".into(), text("main")));
        self.get_mut(TOP).variables.extend(variables);
        let mut settings = Scope::new(Owner::Class("settings".into()), None, None);
        settings.variables.insert("environment".into(), text(&inputs.settings.environment_name));
        let strict = match inputs.settings.strict {
            Strict::Error => "error",
            Strict::Warning => "warning",
            Strict::Off => "off",
        };
        settings.variables.insert("strict".into(), text(strict));
        settings.variables.insert("strict_variables".into(), Value::Bool(inputs.settings.conf.strict_variables()));
        let id = self.add(settings);
        self.classes.insert("settings".into(), id);
    }
}

impl Catalog {
    fn add_container(&mut self, ty: &str, title: &str, sort: Sort, span: Span) -> ResourceId {
        let mut resource = Resource { is_evaluated: true, ..Resource::new(ty.into(), title.into(), sort, TOP, span) };
        resource.add_tag(ty);
        resource.parameters.insert("name".into(), Parameter::explicit(Value::str(title), span));
        self.add(resource)
    }

    /// Realizes what `realize` named so far.
    fn realize(&mut self) {
        for (ty, title, _) in self.realized.clone() {
            if let Some(id) = self.lookup(&ty, &title) {
                self.get_mut(id).form = Form::Regular;
            }
        }
    }
}

/// The value of a program as the `eval` command prints it.
pub fn answer(value: &Value) -> serde_json::Value {
    let ty = crate::lang::puppet::types::infer_generic(value).to_string();
    serde_json::json!({"type": ty, "value": convert::json(value)})
}
