//! What the parts of a program that are left out may declare, as far as their text shows it.
//!
//! A condition that is unknown leaves out its branches. Without this, every question about the catalog behind it would be
//! unknown too. The text of a branch shows the types, the titles that are written out, and the classes, defines and
//! functions that it uses, whose texts are read in turn. What it computes (a class by a variable, Ruby that declares) may
//! be anything.

use std::path::Path;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::Evaluator;
use super::unknown::returns;
use crate::lang::puppet::ast::{self, AttributeKind, Definition, Expr, Form, Kind, Op, Text};
use crate::lang::puppet::builtin;
use crate::lang::puppet::call::Call;
use crate::lang::puppet::catalog::{Attribute, Catalog, OTHERS, Sort};
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::parser;
use crate::lang::puppet::stop::{Run, Stop};
use crate::lang::puppet::types::{Ty, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// As many starts of titles are distinguished.
const MOST_STARTS: usize = 64;

/// What was left out may have declared this.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// A container may have more tags.
    has_tags: bool,
    is_open: bool,
    /// Types of which a resource with any title may be declared.
    types: FxHashSet<Text>,
    /// Types and titles.
    resources: FxHashSet<(Text, Text)>,
    /// Types and the starts of titles.
    starts: FxHashSet<(Text, Text)>,
    /// A class with an unknown name is left out.
    is_any_class: bool,
    /// Classes, defines and functions that were read.
    read: FxHashSet<Text>,
    /// Parts that were read, and whether each is the body of a call.
    parts: FxHashSet<(Span, bool)>,
    /// Attributes that may be set on resources, also on those that are declared later, by type and title; nothing in
    /// one of them for any.
    changes: Changes,
    /// Types of which virtual resources may be realized; nothing in one for any type.
    realized: FxHashSet<Option<Text>>,
}

/// The changes of all parts, by type and title.
pub type Changes = IndexMap<(Option<Text>, Option<Text>), Changed, FxBuildHasher>;

/// What all parts may set on the same resources.
#[derive(Debug)]
pub struct Changed {
    /// The names of the attributes; nothing for any.
    pub names: Option<IndexSet<Text, FxBuildHasher>>,
    pub span: Span,
}

/// Attributes that a part may set.
#[derive(Clone, Debug)]
pub struct Change {
    /// The type of the resources; nothing for any.
    pub ty: Option<Text>,
    /// The titles of the resources; nothing for any.
    pub titles: Option<Vec<Text>>,
    /// The names of the attributes; nothing for any.
    pub names: Option<Vec<Text>>,
    pub span: Span,
}

impl Change {
    /// A change by attributes whose values are evaluated.
    pub fn new(ty: Option<Text>, titles: Option<Vec<Text>>, attributes: &[Attribute], span: Span) -> Self {
        let name = |attribute: &Attribute| (&*attribute.name != OTHERS).then(|| attribute.name.clone());
        Self { ty, titles, names: attributes.iter().map(name).collect(), span }
    }

    /// A change by attributes as they are written.
    fn written(ty: Option<Text>, titles: Option<Vec<Text>>, ops: &[ast::Attribute], span: Span) -> Self {
        let name = |op: &ast::Attribute| match &op.kind {
            AttributeKind::Set(name) | AttributeKind::Append(name) => Some(name.clone()),
            AttributeKind::Splat => None,
        };
        Self { ty, titles, names: ops.iter().map(name).collect(), span }
    }

    /// A change by a collector as it is written.
    fn collected(ty: Option<Text>, collector: &ast::Collect, span: Span) -> Self {
        let title = |query: &Expr| match &query.kind {
            Kind::Binary(Op::Equal, name, title) if matches!(&name.kind, Kind::Name(name) | Kind::Str(name) if &**name == "title") => {
                literals(title)
            }
            _ => None,
        };
        Self::written(ty, collector.query.as_ref().and_then(title), &collector.ops, span)
    }

    fn places(&self) -> Vec<(Option<Text>, Option<Text>)> {
        match &self.titles {
            None => vec![(self.ty.clone(), None)],
            Some(titles) => titles.iter().map(|title| (self.ty.clone(), Some(bare(title)))).collect(),
        }
    }
}

impl LeftOut {
    /// Whether a resource or a class may be declared in a part that was left out.
    pub fn may_declare(&self, ty: &str, title: &str) -> bool {
        let is_start =
            |(of, start): &(Text, Text)| **of == *ty && (title.starts_with(&**start) || *bare(start) == *bare(title));
        if self.is_open || self.types.contains(ty) || self.starts.iter().any(is_start) {
            return true;
        }
        if self.resources.is_empty() {
            return false;
        }
        let title = if ty == "class" { title.trim_start_matches("::").to_lowercase().into() } else { bare(title) };
        self.resources.contains(&(ty.into(), title))
    }

    /// Whether what a reference names may be declared in a part that was left out.
    pub fn may_declare_type(&self, ty: &Ty) -> bool {
        match &**ty {
            Type::Resource(Some(ty), Some(title)) => self.may_declare(ty, title),
            Type::Class(Some(name)) => self.may_declare("class", name),
            _ => self.is_open || !self.types.is_empty() || !self.resources.is_empty() || !self.starts.is_empty(),
        }
    }

    /// Whether a class or define may have more tags.
    pub fn may_tag(&self) -> bool {
        self.is_open || self.has_tags
    }

    /// Whether a class may be declared before by a part that was left out, which it then gets more tags from.
    pub fn may_contain(&self, class: &Text) -> bool {
        self.is_open || self.resources.contains(&("class".into(), class.clone()))
    }

    /// Whether virtual resources of a type may be realized.
    pub fn may_realize(&self, ty: &Text) -> bool {
        self.is_open || self.realized.contains(&None) || self.realized.contains(&Some(ty.clone()))
    }

    /// Takes what may be set on resources; it is to be put back.
    pub fn take_changes(&mut self) -> Changes {
        std::mem::take(&mut self.changes)
    }

    /// Puts back what may be set on resources.
    pub fn put_changes(&mut self, changes: Changes) {
        self.changes = changes;
    }

    /// A resource of a type with a title may be declared.
    pub fn add(&mut self, ty: &Text, title: &str) {
        self.resources.insert((ty.clone(), bare(title)));
    }

    /// A resource of a type may have any title.
    pub fn add_any(&mut self, ty: &Text) {
        self.types.insert(ty.clone());
    }

    /// Remembers a change.
    fn add_change(&mut self, change: &Change) {
        for place in change.places() {
            let changed = self
                .changes
                .entry(place)
                .or_insert_with(|| Changed { names: Some(IndexSet::default()), span: change.span });
            match (&mut changed.names, &change.names) {
                (Some(all), Some(names)) => all.extend(names.iter().cloned()),
                _ => changed.names = None,
            }
        }
    }

    /// What is left out may declare anything.
    pub fn open(&mut self) {
        self.is_open = true;
    }
}

/// A title as the catalog finds it: a path may end in a slash.
pub fn bare(title: &str) -> Text {
    if title.len() > 1 { title.trim_end_matches('/').into() } else { title.into() }
}

/// The definitions that a part uses and that are to be read, and the place that the part is left out for.
struct Used {
    at: Span,
    open: Vec<Part>,
}

enum Part {
    Definition(Arc<Definition>),
    Function(Arc<ast::Function>),
}

/// Words of Ruby code that declares resources.
const DECLARES: [&str; 6] =
    ["create_resources", "function_", "add_resource", "evaluate_classes", "Parser::Resource", "newresource"];

/// Reads what parts may declare: with the definitions, and with what is declared already.
pub struct LeftOutReader<'e, 'w> {
    loader: Loader<'e, 'w>,
    catalog: &'e mut Catalog,
}

impl<'w> Evaluator<'w> {
    /// Returns the owners that parts which are left out are read with.
    pub fn left_out_reader(&mut self) -> LeftOutReader<'_, 'w> {
        let Self { program, inputs, output, catalog, .. } = self;
        LeftOutReader { loader: Loader { program, inputs, output }, catalog }
    }
}

impl LeftOutReader<'_, '_> {
    /// Reads what parts that are left out may declare. `at` is the place that they are left out for.
    pub fn read_left_out(&mut self, at: Span, parts: &[&Expr]) -> Run<()> {
        if !self.loader.output.left_out.parts.insert((at, false)) {
            return Ok(());
        }
        let mut used = Used { at, open: Vec::new() };
        for part in parts {
            self.read_part(part, &mut used)?;
        }
        self.read_used(used)
    }

    /// Attributes that are set or not set are unknown, also on resources that are declared later.
    pub fn leave_out_change(&mut self, mut change: Change) -> Run<()> {
        if let (Some(ty), Some(names)) = (&change.ty, &mut change.names)
            && self.loader.program.has_fixed_parameters(ty)
        {
            names.retain(|name| self.loader.program.takes(ty, name));
        }
        if change.names.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        self.loader.output.spend(self.catalog.resources.len() as u64 / 2 + 1, change.span)?;
        let ids: Vec<_> = match (&change.ty, &change.titles) {
            (Some(ty), Some(titles)) => titles.iter().filter_map(|title| self.catalog.lookup(ty, title)).collect(),
            (ty, _) => {
                self.catalog.ids().filter(|id| ty.as_ref().is_none_or(|ty| self.catalog.get(*id).ty == *ty)).collect()
            }
        };
        self.loader.output.left_out.add_change(&change);
        let changed = Changed { names: change.names.map(|names| names.into_iter().collect()), span: change.span };
        for id in ids {
            self.catalog.forget_attributes(self.loader.program, self.loader.output, id, &changed)?;
        }
        Ok(())
    }

    /// Virtual resources of a type, or of any, may be realized.
    pub fn realize_left_out(&mut self, ty: Option<Text>, at: Span) -> Run<()> {
        let mut used = Used { at, open: Vec::new() };
        self.read_realized(ty, &mut used);
        self.read_used(used)
    }

    fn read_realized(&mut self, ty: Option<Text>, used: &mut Used) {
        if !self.loader.output.left_out.realized.insert(ty.clone()) {
            return;
        }
        // Instances of defines declare more.
        let types: FxHashSet<Text> = match ty {
            Some(ty) => [ty].into_iter().collect(),
            None => {
                let resources = self.catalog.resources.iter();
                let waiting = resources.filter(|one| one.sort == Sort::Define && one.form != Form::Regular);
                waiting.map(|one| one.ty.clone()).collect()
            }
        };
        for ty in types {
            self.read_define(&ty, used);
        }
    }

    /// Reads what a virtual resource declares that was just declared, if it may be realized.
    pub fn read_virtual(&mut self, ty: &Text, at: Span) -> Run<()> {
        if !self.loader.output.left_out.realized.contains(&None) {
            return Ok(());
        }
        let mut used = Used { at, open: Vec::new() };
        self.read_define(ty, &mut used);
        self.read_used(used)
    }

    /// Reads what a call may declare that is not decided. Its lambda may end the function around it.
    pub fn read_call_left_out(&mut self, name: &str, call: &Call) -> Run<()> {
        let at = call.span;
        let body = call.block.as_ref().map(|block| &block.lambda.body);
        let mut used = Used { at, open: Vec::new() };
        match (name, call.args.first()) {
            ("include" | "contain" | "require" | "hiera_include", _) => self.leave_out_any_class(at)?,
            ("create_resources" | "ensure_resource" | "ensure_resources", Some(Value::Str(ty))) => {
                let ty = lowered(ty);
                self.read_any_title(&ty, &mut used)?;
            }
            ("create_resources" | "ensure_resource" | "ensure_resources", Some(Value::Type(ty))) => match &**ty {
                Type::Resource(Some(ty), None) => self.read_any_title(ty, &mut used)?,
                _ => self.loader.output.left_out.open(),
            },
            ("create_resources" | "ensure_resource" | "ensure_resources", _) => self.loader.output.left_out.open(),
            ("ensure_packages" | "stdlib::ensure_packages", _) => self.read_any_title(&"package".into(), &mut used)?,
            ("realize", _) => self.read_realized(None, &mut used),
            _ => self.read_function_left_out(name, &mut used),
        }
        match body {
            Some(body) if self.loader.output.left_out.parts.insert((at, true)) => self.read_part(body, &mut used)?,
            _ => {}
        }
        self.read_used(used)?;
        if body.is_some_and(returns) {
            self.loader.output.left_out.open();
            return Err(Stop::Return(Value::Unknown(None), at));
        }
        Ok(())
    }

    /// A resource of a type is left out whose title is unknown but for its start.
    pub fn read_title_left_out(&mut self, ty: &Text, start: &str, at: Span) -> Run<()> {
        if &**ty == "class" {
            return self.leave_out_any_class(at);
        }
        let mut used = Used { at, open: Vec::new() };
        if start.is_empty() || self.loader.output.left_out.starts.len() >= MOST_STARTS {
            self.read_any_title(ty, &mut used)?;
        } else {
            self.loader.output.left_out.starts.insert((ty.clone(), start.into()));
            self.read_define(ty, &mut used);
        }
        self.read_used(used)
    }

    /// A class is left out, and is any for a title that is unknown. It may be included later, and has its attributes then.
    pub fn leave_out_class_title(&mut self, title: &Value, attributes: &[Attribute], span: Span) {
        if !attributes.is_empty() {
            let names = titles(title);
            self.loader.output.left_out.add_change(&Change::new(Some("class".into()), names, attributes, span));
        }
    }

    /// A class whose name is unknown is left out: it may be any class of the program and of its modules. Those that
    /// inherit, and collectors, may change what is declared; those that declare classes may set their parameters.
    pub fn leave_out_any_class(&mut self, at: Span) -> Run<()> {
        if std::mem::replace(&mut self.loader.output.left_out.is_any_class, true) {
            return Ok(());
        }
        self.loader.output.left_out.open();
        let mut definitions: Vec<_> =
            self.loader.program.classes.values().chain(self.loader.program.defines.values()).cloned().collect();
        definitions.sort_by_key(|definition| (definition.span.file, definition.span.start));
        for definition in definitions {
            self.read_changes(&definition.body, definition.parent.is_some())?;
        }
        let mut functions: Vec<_> =
            self.loader.program.functions.iter().map(|(name, f)| (name.clone(), Arc::clone(f))).collect();
        functions.sort_by(|(left, _), (right, _)| left.cmp(right));
        for (_, function) in functions {
            self.read_changes(&function.body, false)?;
        }
        let files = ["manifests", "functions"].map(|folder| self.loader.inputs.module_files(folder, ".pp"));
        for path in files.concat() {
            if !self.loader.program.loaded.contains_key(&path) {
                self.read_file_of_changes(&path, at)?;
            }
        }
        Ok(())
    }

    /// Reads the changes that a file of definitions may make. One that cannot be read makes none.
    fn read_file_of_changes(&mut self, path: &Path, at: Span) -> Run<()> {
        let Some(Ok(text)) = self.loader.inputs.files.read(path).map(String::from_utf8) else { return Ok(()) };
        self.loader.output.spend_text(text.len(), at)?;
        let has_block = |rest: &str| rest.trim_start().starts_with('{');
        let collects = text.split("|>").skip(1).any(has_block);
        let declares = text.split("class").skip(1).any(has_block);
        let overrides = text.contains("inherits") && text.split(']').skip(1).any(has_block);
        let calls = text.contains("create_resources") || text.contains("ensure_resource");
        if !collects && !declares && !overrides && !calls {
            return Ok(());
        }
        let shown = self.loader.inputs.shown(path);
        let file = self.loader.inputs.sources.add(shown, Some(path.to_path_buf()), text.as_str());
        match parser::parse(file, &text, false, &mut Vec::new()) {
            Ok(program) => self.read_changes(&program.body, false),
            Err(_) => Ok(()),
        }
    }

    /// Reads the collectors and classes with attributes, and the overrides of classes that inherit.
    fn read_changes(&mut self, body: &Expr, inherits: bool) -> Run<()> {
        let mut open = vec![(body, inherits)];
        while let Some((expr, mut inherits)) = open.pop() {
            self.loader.output.spend(1, expr.span)?;
            match &expr.kind {
                Kind::Class(definition) => inherits = definition.parent.is_some(),
                Kind::Override(change) if inherits => self.read_override(change, expr.span)?,
                Kind::Resource(resource) if may_be_class(&resource.ty) => {
                    resource.bodies.iter().for_each(|body| self.add_class_change(body));
                }
                Kind::Call(call) => self.read_class_call(call),
                Kind::Collect(collector) if !collector.ops.is_empty() => {
                    self.leave_out_change(Change::collected(collected_type(collector), collector, expr.span))?;
                }
                _ => {}
            }
            open.extend(expr.inside().into_iter().map(|inner| (inner, inherits)));
        }
        Ok(())
    }

    /// Remembers that a call of `create_resources('class', …)` or the like sets attributes of classes, which may be
    /// included later. A first argument that is computed may be `class`.
    fn read_class_call(&mut self, call: &ast::Call) {
        const DECLARES: [&str; 3] = ["create_resources", "ensure_resource", "ensure_resources"];
        let Some((name, receiver)) = call.named() else { return };
        let mut args = receiver.into_iter().chain(&call.args);
        let mut name = Some(Text::from(name.trim_start_matches("::")));
        if name.as_deref() == Some("call") {
            name = args.next().and_then(literals).and_then(|names| names.first().cloned());
        }
        let ty = args.next().and_then(literals);
        let is_class = ty.is_none_or(|names| names.iter().any(|name| &*lowered(name) == "class"));
        if name.is_none_or(|name| DECLARES.contains(&&*name)) && is_class {
            let change = Change { ty: Some("class".into()), titles: None, names: None, span: call.functor.span };
            self.loader.output.left_out.add_change(&change);
        }
    }

    /// Remembers the attributes that a class gets where it is declared: it may be included later.
    fn add_class_change(&mut self, body: &ast::Body) {
        let names = literals(&body.title).map(|names| names.iter().map(|name| lowered(name)).collect());
        let change = Change::written(Some("class".into()), names, &body.ops, body.title.span);
        if change.names.as_ref().is_none_or(|names| !names.is_empty()) {
            self.loader.output.left_out.add_change(&change);
        }
    }

    fn read_override(&mut self, change: &ast::Defaults, span: Span) -> Run<()> {
        let (ty, titles) = reference(&change.target).map_or((None, None), |(ty, titles)| (Some(ty), titles));
        self.leave_out_change(Change::written(ty, titles, &change.ops, span))
    }

    /// Reads the definitions that parts use, and those that these use.
    fn read_used(&mut self, mut used: Used) -> Run<()> {
        while let Some(part) = used.open.pop() {
            match part {
                Part::Definition(definition) => {
                    let defaults = definition.params.iter().filter_map(|param| param.value.as_ref());
                    for expr in defaults.chain([&definition.body]) {
                        self.read_part(expr, &mut used)?;
                    }
                    if let Some(parent) = &definition.parent {
                        self.read_class(parent, &mut used);
                    }
                }
                Part::Function(function) => self.read_part(&function.body, &mut used)?,
            }
        }
        Ok(())
    }

    fn read_part(&mut self, part: &Expr, used: &mut Used) -> Run<()> {
        for expr in part.all_inside() {
            self.loader.output.spend(1, expr.span)?;
            match &expr.kind {
                Kind::Resource(resource) => self.read_resource(resource, used)?,
                Kind::Call(call) => self.read_call(call, used)?,
                Kind::Override(change) => self.read_override(change, expr.span)?,
                Kind::Collect(collector) => {
                    let ty = collected_type(collector);
                    self.read_realized(ty.clone(), used);
                    self.leave_out_change(Change::collected(ty, collector, expr.span))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_resource(&mut self, resource: &ast::Resource, used: &mut Used) -> Run<()> {
        let ty = match &resource.ty.kind {
            Kind::Name(name) | Kind::Ref(name) => lowered(name),
            _ => {
                self.loader.output.left_out.open();
                if may_be_class(&resource.ty) {
                    resource.bodies.iter().for_each(|body| self.add_class_change(body));
                }
                return Ok(());
            }
        };
        if &*ty == "class" {
            for body in &resource.bodies {
                self.read_classes(&body.title, used)?;
                self.add_class_change(body);
            }
            return Ok(());
        }
        let is_plain = |op: &ast::Attribute| match &op.kind {
            AttributeKind::Set(name) => !matches!(&**name, "alias" | "name" | "path"),
            AttributeKind::Append(_) | AttributeKind::Splat => false,
        };
        let titles: Option<Vec<Vec<Text>>> = resource
            .bodies
            .iter()
            .filter(|body| !matches!(body.title.kind, Kind::Default))
            .map(|body| literals(&body.title).filter(|_| body.ops.iter().all(is_plain)))
            .collect();
        match titles {
            Some(titles) => {
                let found = titles.into_iter().flatten().map(|title| (ty.clone(), bare(&title)));
                self.loader.output.left_out.resources.extend(found);
                self.read_define(&ty, used);
            }
            None => self.read_any_title(&ty, used)?,
        }
        Ok(())
    }

    fn read_call(&mut self, call: &ast::Call, used: &mut Used) -> Run<()> {
        let Some((name, receiver)) = call.named() else { return Ok(()) };
        let mut args = receiver.into_iter().chain(&call.args);
        match name.trim_start_matches("::") {
            "include" | "contain" | "require" => {
                for arg in args {
                    self.read_classes(arg, used)?;
                }
            }
            "create_resources" | "ensure_resource" | "ensure_resources" => match args.next().and_then(literals) {
                Some(names) => {
                    for name in names {
                        self.read_any_title(&lowered(&name), used)?;
                    }
                }
                None => self.loader.output.left_out.open(),
            },
            "ensure_packages" | "stdlib::ensure_packages" => self.read_any_title(&"package".into(), used)?,
            "hiera_include" => self.leave_out_any_class(call.functor.span)?,
            "call" => {
                self.read_class_call(call);
                self.loader.output.left_out.open();
            }
            "stdlib::manage" | "epp" | "inline_epp" | "template" | "inline_template" => {
                self.loader.output.left_out.open()
            }
            "tag" => self.loader.output.left_out.has_tags = true,
            "realize" => {
                for arg in args {
                    self.read_realized(reference(arg).map(|(ty, _)| ty), used);
                }
            }
            name => self.read_function_left_out(name, used),
        }
        Ok(())
    }

    fn read_function_left_out(&mut self, name: &str, used: &mut Used) {
        if builtin::find(name).is_some() || builtin::stdlib::find(name).is_some() {
            return;
        }
        if !self.loader.output.left_out.read.insert(format!("function {name}").into()) {
            return;
        }
        let known: Text = name.into();
        if !self.loader.program.functions.contains_key(&known) && self.loader.load_function(name, used.at).is_err() {
            return self.loader.output.left_out.open();
        }
        if let Some(function) = self.loader.program.functions.get(&known) {
            return used.open.push(Part::Function(Arc::clone(function)));
        }
        let Some(file) = self.loader.ruby_function(name) else { return };
        let bytes = self.loader.inputs.files.read(&file.path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        if DECLARES.iter().any(|word| text.contains(word)) {
            return self.loader.output.left_out.open();
        }
        for rest in text.split("call_function").skip(1) {
            let rest = rest.trim_start_matches(['(', ' ', ':']);
            let quoted = rest.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
            match quoted {
                None | Some("include" | "contain" | "require" | "hiera_include" | "call" | "epp" | "inline_epp") => {
                    return self.loader.output.left_out.open();
                }
                Some(inner) if inner.contains("ensure_") || inner.contains("template") => {
                    return self.loader.output.left_out.open();
                }
                Some(inner) => self.read_function_left_out(inner, used),
            }
        }
    }

    /// Reads the classes that an expression names; any class where one is computed.
    fn read_classes(&mut self, names: &Expr, used: &mut Used) -> Run<()> {
        match literals(names) {
            Some(all) => all.iter().for_each(|name| self.read_class(name, used)),
            None => self.leave_out_any_class(names.span)?,
        }
        Ok(())
    }

    fn read_class(&mut self, name: &str, used: &mut Used) {
        let name = lowered(name);
        if self.catalog.lookup("class", &name).is_some() {
            return;
        }
        if !self.loader.output.left_out.resources.insert(("class".into(), name.clone())) {
            return;
        }
        match self.loader.find_class(&name, used.at) {
            Ok(Some(class)) => used.open.push(Part::Definition(class)),
            Ok(None) => {}
            Err(_) => self.loader.output.left_out.open(),
        }
    }

    fn read_any_title(&mut self, ty: &Text, used: &mut Used) -> Run<()> {
        if &**ty == "class" {
            let change = Change { ty: Some(ty.clone()), titles: None, names: None, span: used.at };
            self.loader.output.left_out.add_change(&change);
            return self.leave_out_any_class(used.at);
        }
        self.loader.output.left_out.types.insert(ty.clone());
        self.read_define(ty, used);
        Ok(())
    }

    fn read_define(&mut self, ty: &Text, used: &mut Used) {
        if !self.loader.output.left_out.read.insert(ty.clone()) {
            return;
        }
        if !self.loader.program.defines.contains_key(ty) && self.loader.sort_of(ty, used.at).is_err() {
            return;
        }
        if let Some(define) = self.loader.program.defines.get(ty) {
            used.open.push(Part::Definition(Arc::clone(define)));
        }
    }
}

/// Whether resources of a type may be classes: it is `class`, `Resource['class']`, or computed.
fn may_be_class(ty: &Expr) -> bool {
    let is_class = |name: &Text| &*lowered(name) == "class";
    match &ty.kind {
        Kind::Name(name) | Kind::Ref(name) => is_class(name),
        Kind::Access(_, names) => names.iter().any(|name| literals(name).is_none_or(|all| all.iter().any(is_class))),
        _ => true,
    }
}

/// The type of a collector that is written out.
fn collected_type(collector: &ast::Collect) -> Option<Text> {
    if let Kind::Ref(ty) = &collector.ty.kind { Some(lowered(ty)) } else { None }
}

/// The type of a reference that is written out, and its titles; nothing in them where one is computed.
pub fn reference(expr: &Expr) -> Option<(Text, Option<Vec<Text>>)> {
    let Kind::Access(ty, titles) = &expr.kind else { return None };
    let Kind::Ref(ty) = &ty.kind else { return None };
    let titles = titles.iter().map(literals).collect::<Option<Vec<_>>>();
    Some((lowered(ty), titles.map(|all| all.concat())))
}

/// The names of classes in a value; nothing where one is unknown.
fn titles(value: &Value) -> Option<Vec<Text>> {
    match value {
        Value::Str(name) => Some(vec![lowered(name)]),
        Value::Array(list) => Some(list.iter().map(titles).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}

/// The name of a type or class as the catalog has it.
fn lowered(name: &str) -> Text {
    name.trim_start_matches('@').trim_start_matches("::").to_lowercase().into()
}

/// The texts that an expression writes out, also in a list; nothing where one is computed.
fn literals(expr: &Expr) -> Option<Vec<Text>> {
    match &expr.kind {
        Kind::Str(text) | Kind::Name(text) => Some(vec![text.clone()]),
        Kind::Paren(inner) => literals(inner),
        Kind::Array(list) => Some(list.iter().map(literals).collect::<Option<Vec<_>>>()?.concat()),
        _ => None,
    }
}
