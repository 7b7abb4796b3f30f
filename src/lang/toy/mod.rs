//! A language of a few line forms that exists for tests alone: it uses all that a language may hand over.
//!
//! ```text
//! # a comment
//! kind link to: where it leads          declares a kind
//! log notice hello                      a message of the program
//! use web                               web/main.toy on the module path, or beside the entry
//! begin class web                       a container, until `end`
//! file /tmp/x text=hi tag=a noop        a resource with parameters, tags and meta parameters
//! note hello text=hi onrefresh          maps to `print`; `ghost x` and declared kinds map to nothing
//! order File[/tmp/x] ~> Note[hello]     `->` only orders; ids of containers are `Class[web]`
//! send Run[x].output -> File[/tmp/x].content
//! end
//! ```
//! A value is text, `@PATH` for a file's content, `?` for unknown, or `!TEXT` for a secret.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{
    Artifact, AsWritten, CompileOptions, Compiled, DeclaredKind, DeclaredParam, Feature, Form, Here, Language, Output,
    stopped,
};
use crate::diag::{Code, Diagnostic, Diagnostics, Level, LogEntry, Stage};
use crate::graph::{
    Anchor, Declaration, Edge, Graph, Mapping, Meta, Node, NodeIndex, Params, Period, Reason, Resource, ResourceId,
    Schedule, Value,
};
use crate::module::{EntryPoint, LanguageName, Layout, Leads, Manifest, SearchFolder, load_text};
use crate::source::{FileId, Place, Sources, Span};
use crate::world::{PathKind, Stop, World};

/// The language of the tests.
pub struct Toy;

/// Deeper imports and containers are a fault of the program.
const DEEPEST: usize = 50;

impl Language for Toy {
    fn name(&self) -> LanguageName {
        LanguageName::Toy
    }

    fn sample(&self) -> &'static str {
        ""
    }

    fn offers(&self) -> &'static [Feature] {
        &[Feature::Model]
    }

    fn flags(&self) -> &'static [&'static str] {
        &["--node"]
    }

    fn layout(&self) -> &dyn Layout {
        &Modules
    }

    fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        let mut program = Program::new(world, options, options.stop());
        program.read_entry(entry);
        if options.run.until >= Stage::Eval && !program.diagnostics.has_errors() {
            program.connect_links();
        }
        program.compiled(options.run.until >= Stage::Eval)
    }

    fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        let Artifact::Model { form, .. } = what else { return Output::refused(self.name(), what) };
        let Compiled { graph, sources, diagnostics, log, .. } = self.compile(world, entry, options);
        let names: Vec<&str> = graph.resources().map(|(_, resource)| &*resource.id.0).collect();
        let text = match form {
            Form::Text => names.join("\n") + "\n",
            Form::Json => format!("{}\n", json!({ "instances": names })),
        };
        Output { text: Some(text).filter(|_| !diagnostics.has_errors()), sources, diagnostics, log }
    }

    /// A line is about its first two words.
    fn here(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        file: Option<&Path>,
        (line, _): (u32, u32),
    ) -> Option<Here> {
        let mut options = options.clone();
        options.run.until = Stage::Eval;
        let Compiled { graph, sources, kinds, .. } = self.compile(world, entry, &options);
        let root = file.or(entry.file.as_deref());
        let (id, source) = sources.iter().find(|(_, source)| source.path.as_deref() == root)?;
        let start = source.text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let text = source.text[start..].lines().next()?;
        let mut words = text.split_whitespace();
        let (kind, name) = (words.next()?, words.next()?);
        let place = sources.place(Span::new(id, start, start + text.trim_end().len()));
        let known = graph.resources().any(|(_, resource)| &*resource.shown().kind == kind);
        let declared = kinds.into_iter().find(|declared| *declared.name == *kind);
        Some(Here {
            what: if known { "resource" } else { "line" }.into(),
            name: format!("{kind} {name}"),
            ty: None,
            doc: declared.as_ref().map(|kind| kind.doc.clone()).unwrap_or_default(),
            place,
            defined: declared.and_then(|kind| kind.source),
            uses: Vec::new(),
            resource: known.then(|| AsWritten { kind: kind.into(), names: vec![name.into()], links: Vec::new() }),
            undefined: None,
            data: Vec::new(),
            merged: None,
        })
    }
}

/// A container that is open.
struct Open {
    begin: NodeIndex,
    end: Anchor,
    title: Arc<str>,
    members: Vec<NodeIndex>,
}

struct Program<'a> {
    world: &'a dyn World,
    options: &'a CompileOptions,
    stop: Stop,
    graph: Graph,
    sources: Sources,
    diagnostics: Diagnostics,
    log: Vec<LogEntry>,
    kinds: Vec<DeclaredKind>,
    open: Vec<Open>,
    links: Vec<(String, Span)>,
    depth: usize,
}

impl<'a> Program<'a> {
    fn new(world: &'a dyn World, options: &'a CompileOptions, stop: Stop) -> Self {
        let diagnostics = Diagnostics::new(Stage::Parse);
        let (graph, sources, log, kinds, open, links) = Default::default();
        Self { world, options, stop, graph, sources, diagnostics, log, kinds, open, links, depth: 0 }
    }

    fn compiled(self, is_whole: bool) -> Compiled {
        let is_right = is_whole && !self.diagnostics.has_errors();
        let mut graph = if is_right { self.graph } else { Graph::default() };
        graph.mark_elsewhere();
        let Self { sources, diagnostics, log, kinds, .. } = self;
        Compiled { log, kinds, ..Compiled::new(graph, sources, diagnostics) }
    }

    fn read_entry(&mut self, entry: &EntryPoint) {
        if let Some((name, code)) = &entry.code {
            let file = self.sources.add(name.clone(), None, &**code);
            return self.read(file);
        }
        for root in &entry.roots {
            if let Some(file) = load_text(self.world, root, None, &mut self.sources, &mut self.diagnostics) {
                self.read(file);
            }
        }
    }

    fn read(&mut self, file: FileId) {
        let text = Arc::clone(&self.sources.file(file).text);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let span = Span::new(file, start, start + line.trim_end().len());
            start += line.len();
            if let Some(why) = self.stop.reached() {
                return self.diagnostics.push(stopped(why, span));
            }
            if !line.trim().is_empty() && !line.starts_with('#') {
                self.line(line.trim(), span);
            }
        }
    }

    fn refuse(&mut self, span: Span, code: Code, error: &str, label: String) {
        let mut diagnostic = Diagnostic::error(code, span).label(label).help("see the head of `lang/toy`");
        diagnostic.error = Some(error.into());
        self.diagnostics.push(diagnostic);
    }

    fn line(&mut self, line: &str, span: Span) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "log" => self.say(rest, span),
            "kind" => self.declare_kind(rest, span),
            "use" => self.import(rest.trim(), span),
            "begin" if self.open.len() < DEEPEST => self.begin(rest, span),
            "end" => self.end(span),
            "order" | "send" => self.links.push((line.into(), span)),
            "file" | "note" | "run" | "ghost" => self.resource(word, rest, span),
            kind if self.kinds.iter().any(|declared| *declared.name == *kind) => self.resource(kind, rest, span),
            _ => self.refuse(span, Code::UnknownKind, "NoSuchLine", format!("`{word}` begins no line")),
        }
    }

    fn say(&mut self, rest: &str, span: Span) {
        let (level, message) = rest.split_once(' ').unwrap_or(("notice", rest));
        let levels = [Level::Debug, Level::Info, Level::Notice, Level::Warning, Level::Err];
        let level = levels.into_iter().find(|known| known.as_str() == level).unwrap_or(Level::Notice);
        let entry = LogEntry::new(level, message, &self.diagnostics).at(self.sources.place(span));
        self.log.push(entry);
        if level == Level::Warning {
            self.diagnostics.push(Diagnostic::warning(Code::OlderSyntax, span).label("this line warns"));
        }
    }

    fn declare_kind(&mut self, rest: &str, span: Span) {
        let mut words = rest.splitn(2, ' ');
        let name = words.next().unwrap_or_default();
        let (param, doc) = words.next().and_then(|rest| rest.split_once(": ")).unwrap_or(("name", ""));
        let param = DeclaredParam { name: param.into(), ty: "text".into(), is_required: true, doc: doc.into() };
        let (params, source) = (vec![param], Some(self.sources.place(span)));
        self.kinds.push(DeclaredKind { name: name.into(), params, doc: "Declared by the program.".into(), source });
    }

    fn import(&mut self, name: &str, span: Span) {
        let below = Path::new(name).join("main.toy");
        let mut folders = self.options.module_path.iter().map(|folder| folder.join(&below));
        let found = folders.find(|path| self.world.kind(path) == PathKind::File);
        let Some(path) = found.filter(|_| self.depth < DEEPEST) else {
            return self.refuse(span, Code::MissingModule, "NoSuchModule", format!("no module `{name}` was found"));
        };
        if let Some(file) = load_text(self.world, &path, Some(span), &mut self.sources, &mut self.diagnostics) {
            self.depth += 1;
            self.read(file);
            self.depth -= 1;
        }
    }

    fn begin(&mut self, rest: &str, span: Span) {
        let (kind, name) = rest.split_once(' ').unwrap_or(("class", rest));
        let id = format!("{}[{name}]", capital(kind));
        let source = Some(self.sources.place(span));
        let rank = self.graph.len() as u32;
        let anchor = |id: String, begin| Anchor {
            id: ResourceId(id.into()),
            kind: kind.into(),
            name: name.into(),
            begin,
            rank,
            source: source.clone(),
        };
        let Ok(at) = self.graph.add(Node::Anchor(anchor(id.clone(), true))) else {
            return self.refuse(span, Code::DuplicateClass, "Twice", format!("`{id}` is there already"));
        };
        self.contain(at);
        let title = format!("{kind} {name}").into();
        self.open.push(Open { begin: at, end: anchor(format!("{id}/end"), false), title, members: Vec::new() });
    }

    fn end(&mut self, span: Span) {
        let Some(Open { begin, end, members, .. }) = self.open.pop() else {
            return self.refuse(span, Code::UnexpectedToken, "NothingOpen", "no container is open".into());
        };
        // The begin was new, so the end is.
        let Ok(at) = self.graph.add(Node::Anchor(end)) else { return };
        // A container without members passes no refresh on.
        self.connect(begin, at, false, Reason::Containment, None, None);
        for member in members {
            let last = self.last_of(member);
            self.connect(last, at, true, Reason::Containment, None, None);
        }
    }

    /// What is through when a resource or a container is.
    fn last_of(&self, at: NodeIndex) -> NodeIndex {
        match self.graph.node(at) {
            Node::Anchor(anchor) if anchor.begin => {
                self.graph.find(&ResourceId(format!("{}/end", anchor.id.0).into())).unwrap_or(at)
            }
            _ => at,
        }
    }

    /// Makes a node a member of the container that is open.
    fn contain(&mut self, at: NodeIndex) {
        if let Some(open) = self.open.last_mut() {
            open.members.push(at);
            let begin = open.begin;
            self.connect(begin, at, true, Reason::Containment, None, None);
        }
    }

    fn connect(
        &mut self,
        from: NodeIndex,
        to: NodeIndex,
        notify: bool,
        reason: Reason,
        send: Option<(Arc<str>, Arc<str>)>,
        source: Option<Place>,
    ) {
        self.graph.connect(Edge { from, to, notify, reason, send, source });
    }

    fn resource(&mut self, kind: &str, rest: &str, span: Span) {
        let mut words = rest.split_whitespace();
        let Some(name) = words.next() else {
            return self.refuse(span, Code::UnexpectedToken, "NoName", format!("a `{kind}` needs a name"));
        };
        let (mut params, mut meta, mut tags, mut target, mut is_virtual) =
            (Params::default(), Meta::default(), Vec::new(), None, false);
        for word in words {
            match word.split_once('=') {
                Some(("tag", tag)) => tags.push(tag.into()),
                Some(("target", name)) => target = Some(name.into()),
                Some(("schedule", name)) => {
                    let (is_never, period) = (name == "never", Period::named(name));
                    meta.set_schedule(&Schedule { name: name.into(), is_never, period, ..Schedule::default() });
                }
                Some((name, value)) => params.set(name, self.value(value)),
                None => match word {
                    "noop" => meta.set_noop(),
                    "audit" => meta.set_audit(),
                    "virtual" => is_virtual = true,
                    flag => params.set(flag, Value::Bool(true)),
                },
            }
        }
        let mapped = mapped(kind, name, &params);
        let declared = Declaration { kind: kind.into(), name: name.into(), params };
        let id = ResourceId(format!("{}[{name}]", capital(kind)).into());
        let mut resource = Resource::declare(id, declared, mapped);
        // Order and groups are as the program says.
        resource.meta = meta.as_declared();
        (resource.tags, resource.target, resource.is_virtual) = (tags, target, is_virtual);
        resource.container = self.open.iter().map(|open| Arc::clone(&open.title)).collect();
        resource.source = Some(self.sources.place(span));
        match self.graph.add(Node::Resource(resource)) {
            Ok(at) => self.contain(at),
            Err(_) => {
                let label = format!("`{}[{name}]` is declared twice", capital(kind));
                self.refuse(span, Code::DuplicateResource, "DeclaredTwice", label);
            }
        }
    }

    fn value(&mut self, text: &str) -> Value {
        match (text, text.strip_prefix('@'), text.strip_prefix('!')) {
            ("?", ..) => Value::Unknown,
            (_, Some(path), _) => match self.world.file(Path::new(path)) {
                Ok(bytes) => Value::from(&*String::from_utf8_lossy(&bytes)),
                Err(_) => Value::from(""),
            },
            (.., Some(secret)) => Value::Sensitive(Box::new(Value::from(secret))),
            _ => Value::from(text),
        }
    }

    /// Edges that the program writes down, once all that they name is there.
    fn connect_links(&mut self) {
        self.diagnostics.enter(Stage::Eval);
        for (line, span) in std::mem::take(&mut self.links) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [verb, from, arrow, to] = words[..] else {
                self.refuse(span, Code::HalfEdge, "HalfEdge", "write `order A -> B`".into());
                continue;
            };
            let part = |text: &str| text.rsplit_once("].").map(|(id, field)| (format!("{id}]"), Arc::from(field)));
            let (from, to, send) = match (verb, part(from), part(to)) {
                ("send", Some((from, field)), Some((to, param))) => (from, to, Some((field, param))),
                _ => (from.to_string(), to.to_string(), None),
            };
            let find = |id: &String| self.graph.find(&ResourceId(id.as_str().into()));
            match (find(&from), find(&to)) {
                (Some(from), Some(to)) => {
                    let reason = if send.is_some() { Reason::Send } else { Reason::Declared };
                    let (from, source) = (self.last_of(from), self.sources.place(span));
                    self.connect(from, to, arrow == "~>", reason, send, Some(source));
                }
                (from_there, _) => {
                    let missing = if from_there.is_none() { from } else { to };
                    self.refuse(span, Code::UnknownResource, "NoSuchEnd", format!("`{missing}` is not there"));
                }
            }
        }
    }
}

/// What a resource is in our words.
fn mapped(kind: &str, name: &str, params: &Params) -> Mapping {
    let take = |pairs: &[(&str, &str)]| {
        let pair = |(theirs, ours): &(&str, &str)| Some((Arc::from(*ours), params.get(theirs)?.clone()));
        pairs.iter().filter_map(pair).collect::<Params>()
    };
    let (kind, params) = match kind {
        "file" => {
            let mut wanted = take(&[("text", "content"), ("mode", "mode")]);
            wanted.set("state", Value::from("exists"));
            ("file", wanted)
        }
        "note" => ("print", take(&[("text", "msg"), ("onrefresh", "refresh_only")])),
        "run" => {
            let mut wanted = take(&[("do", "cmd"), ("creates", "creates")]);
            wanted.set("shell", Value::from("/bin/sh"));
            ("exec", wanted)
        }
        _ => return Mapping::None,
    };
    Mapping::To(Declaration { kind: kind.into(), name: name.into(), params })
}

fn capital(kind: &str) -> String {
    let mut letters = kind.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

struct Modules;

impl Layout for Modules {
    fn imports(&self, file: FileId, sources: &Sources, _diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
        let lines = sources.file(file).text.lines().zip(1..);
        lines.filter_map(|(line, at)| Some((line.strip_prefix("use ")?.trim().to_owned(), at))).collect()
    }

    fn leads(&self, import: &str) -> Result<Leads, &'static str> {
        Ok(Leads::Module { url: None, path: import.into() })
    }

    fn manifest(&self, _world: &dyn World, _folder: &Path) -> Manifest {
        Manifest { main: "main.toy".into(), ..Manifest::default() }
    }

    fn is_source(&self, name: &str) -> bool {
        name.ends_with(".toy")
    }

    fn is_module(&self, world: &dyn World, folder: &Path) -> bool {
        world.kind(&folder.join("main.toy")) == PathKind::File
    }

    /// Modules also lie beside the entry.
    fn candidates(&self, _world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        vec![SearchFolder::of_project(entry.base.clone(), "beside the entry")]
    }
}
