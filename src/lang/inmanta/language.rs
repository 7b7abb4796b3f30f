//! Inmanta as one of the languages.

use ::std::path::{Path, PathBuf};
use ::std::sync::Arc;

use super::modules::Modules;
use super::project::Project;
use super::{
    Answer, Bounds, Context, Edition, Exported, Files, Input, Question, Request, StdNames, ended, format, here, model,
    own, tree,
};
use crate::diag::{Code, Diagnostic, Diagnostics, Level, LogEntry, Stage};
use crate::graph::ResourceId;
use crate::lang::{
    Artifact, Checked, Choices, CompileOptions, Compiled, Feature, Form, Here, Language, Names, Output, Report,
};
use crate::module::{EntryPoint, LanguageName, Layout, clean, load_text, shown};
use crate::source::{FileId, Place, Sources, Span};
use crate::world::{Interpreter, PathKind, Read, Sample, Stop, Stopped, World};

/// Models of Inmanta.
pub struct Inmanta;

/// How many instances a model may have, whatever the other limits allow.
const MOST_INSTANCES: u64 = 300_000;

impl Language for Inmanta {
    fn name(&self) -> LanguageName {
        LanguageName::Inmanta
    }

    fn sample(&self) -> &'static str {
        "import std\nentity A:\n    int a = 1\nend\nimplement A using std::none\nb = A()\n"
    }

    fn offers(&self) -> &'static [Feature] {
        &[Feature::Format, Feature::Explain, Feature::Tree, Feature::Model]
    }

    fn flags(&self) -> &'static [&'static str] {
        &["--no-std", "--edition", "--run-plugins"]
    }

    fn layout(&self) -> &dyn Layout {
        &Modules
    }

    fn compile(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
        let mut run = Run::new(world, entry, options);
        if let Some(file) = run.entry_file(entry) {
            if options.run.until <= Stage::Parse {
                run.tree(file, options);
            } else {
                let request = match options.run.until {
                    until if until <= Stage::Graph => Request::Checks,
                    _ => Request::Resources { host: world.hostname() },
                };
                let answer = run.model(file, entry, options, Vec::new(), request);
                return run.compiled(answer.unwrap_or_default(), options);
            }
        }
        run.compiled(Answer::default(), options)
    }

    fn check(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, own: &[PathBuf]) -> Checked {
        own::check(world, entry, options, own)
    }

    fn format(&self, file: FileId, text: &str, choices: &Choices, diagnostics: &mut Diagnostics) -> Option<String> {
        let edition = Edition::of(choices.inmanta.edition.as_deref());
        let edition = edition.map_err(|refused| diagnostics.push(refused)).ok()?;
        format(file, text, edition, diagnostics)
    }

    fn here(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        file: Option<&Path>,
        place: (u32, u32),
    ) -> Option<Here> {
        let mut run = Run::new(world, entry, options);
        let entry_file = run.entry_file(entry)?;
        let edition = run.edition(options)?;
        let question = Question { edition, with_std: !options.choices.inmanta.no_std, ..Question::default() };
        let input = run.outside.input(entry_file, entry, options);
        here(input, &question, &mut run.sources, file, place)
    }

    fn names(&self) -> &dyn Names {
        &StdNames
    }

    fn artifact(&self, world: &dyn World, entry: &EntryPoint, options: &CompileOptions, what: &Artifact) -> Output {
        let mut run = Run::new(world, entry, options);
        let file = run.entry_file(entry);
        let text = match (what, file) {
            (Artifact::Tree(form), Some(file)) => run.tree(file, options).map(|tree| match form {
                Form::Json => format!("{}\n", serde_json::json!({ "ast": tree })),
                Form::Text => tree.into_iter().map(|line| line + "\n").collect(),
            }),
            (Artifact::Model { form, explain: None }, Some(file)) => {
                let request = if *form == Form::Json { Request::Json } else { Request::Text };
                let answer = run.model(file, entry, options, Vec::new(), request);
                answer.map(|answer| match form {
                    Form::Json => answer.text + "\n",
                    Form::Text => answer.output + &answer.text,
                })
            }
            (Artifact::Model { form, explain: Some(attribute) }, Some(file)) => {
                let answer = run.model(file, entry, options, Vec::new(), Request::History(attribute.clone()));
                answer.map(|answer| match form {
                    Form::Json => format!("{}\n", serde_json::json!({ "history": answer.history })),
                    Form::Text => answer.history.into_iter().map(|line| line + "\n").collect(),
                })
            }
            (_, None) => None,
            _ => return Output::refused(self.name(), what),
        };
        Output { text, sources: run.sources, diagnostics: run.diagnostics, log: run.log }
    }

    fn explain(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        options: &CompileOptions,
        id: &ResourceId,
    ) -> Result<Vec<(Option<Place>, String)>, Box<Report>> {
        let mut run = Run::new(world, entry, options);
        let request = Request::Why { of: id.clone(), host: world.hostname() };
        let answer = run.entry_file(entry).and_then(|file| run.model(file, entry, options, Vec::new(), request));
        let Run { sources, diagnostics, .. } = run;
        match answer {
            Some(answer) => {
                let row = |(place, words): (Option<Span>, String)| (place.map(|place| sources.place(place)), words);
                Ok(answer.why.into_iter().map(row).collect())
            }
            None => Err(Box::new(Report { sources, diagnostics })),
        }
    }
}

/// One run of the compiler.
pub(super) struct Run<'a> {
    outside: Outside<'a>,
    pub(super) sources: Sources,
    diagnostics: Diagnostics,
    log: Vec<LogEntry>,
}

impl<'a> Run<'a> {
    pub(super) fn new(world: &'a dyn World, entry: &EntryPoint, options: &CompileOptions) -> Self {
        let outside = Outside { world, base: entry.base.clone(), stop: options.stop() };
        Run { outside, sources: Sources::default(), diagnostics: Diagnostics::new(Stage::Parse), log: Vec::new() }
    }

    /// The entry's own file among the sources.
    pub(super) fn entry_file(&mut self, entry: &EntryPoint) -> Option<FileId> {
        if let Some((name, text)) = &entry.code {
            return Some(self.sources.add(name.clone(), None, ended(text)));
        }
        let Some(path) = entry.file.as_ref().or_else(|| entry.roots.first()) else {
            self.diagnostics.push(
                Diagnostic::placeless(Code::NoEntryPoint)
                    .label(format!("`{}` has no model to start from", entry.shown))
                    .help("name a `.cf` file, or a folder with a `main.cf`"),
            );
            return None;
        };
        let file = load_text(self.outside.world, path, None, &mut self.sources, &mut self.diagnostics)?;
        let text = ended(&self.sources.file(file).text);
        Some(self.sources.add(shown(path), Some(path.clone()), text))
    }

    /// The name under which the model could import a file, if its module is on the module path.
    pub(super) fn importable(
        &self,
        path: &Path,
        file: FileId,
        entry: &EntryPoint,
        options: &CompileOptions,
    ) -> Option<String> {
        let (name, folder) = own::import_of(path)?;
        let input = self.outside.input(file, entry, options);
        let found = input.project().ok()?.find_module(name.split("::").next()?, input.files)?;
        (clean(&found) == folder).then_some(name)
    }

    /// A model that imports the entry, where that is a module that imports itself or has plugins: its names are those of
    /// the module.
    fn own_module(&mut self, file: FileId, entry: &EntryPoint) -> Option<FileId> {
        let is_model = self.sources.file(file).path.as_ref().is_some_and(|path| path.ends_with("model/_init.cf"));
        let (name, folder) = Project::read(&entry.base, &self.outside).ok()?.own.filter(|_| is_model)?;
        let has_plugins = ["plugins".to_owned(), format!("inmanta_plugins/{name}")]
            .iter()
            .any(|below| self.outside.is_folder(&folder.join(below)));
        let imports_itself = self.sources.file(file).text.lines().any(|line| {
            let import = line.strip_prefix("import ").map(str::trim);
            import.is_some_and(|import| import == name || import.starts_with(&format!("{name}::")))
        });
        let text = format!("import {name}\n");
        (has_plugins || imports_itself).then(|| self.sources.add(format!("<import {name}>"), None, text))
    }

    fn edition(&mut self, options: &CompileOptions) -> Option<Edition> {
        let edition = Edition::of(options.choices.inmanta.edition.as_deref());
        edition.map_err(|refused| self.diagnostics.push(refused)).ok()
    }

    fn tree(&mut self, file: FileId, options: &CompileOptions) -> Option<Vec<String>> {
        let edition = self.edition(options)?;
        let text = self.sources.file(file).text.clone();
        tree(&text, file, edition, &mut self.diagnostics)
    }

    /// Compiles the model; `also` is read without an import.
    pub(super) fn model(
        &mut self,
        file: FileId,
        entry: &EntryPoint,
        options: &CompileOptions,
        also: Vec<String>,
        request: Request,
    ) -> Option<Answer> {
        let edition = self.edition(options)?;
        let question = Question {
            edition,
            with_std: !options.choices.inmanta.no_std,
            checks_signatures: request == Request::Checks,
            also,
            request,
            draft: options.run.draft.clone(),
        };
        let file = self.own_module(file, entry).unwrap_or(file);
        let input = self.outside.input(file, entry, options);
        let answer = model(input, &question, &mut self.sources, &mut self.diagnostics);
        for plugin in answer.iter().flat_map(|answer| &answer.not_run) {
            let way = options.choices.way_to_run_plugins();
            self.warn(format!("the plugin {plugin} is Python and was not run: its result is unknown; {way}"), None);
        }
        for (place, message) in answer.iter().flat_map(|answer| &answer.open).take(MOST_OPEN) {
            self.warn(format!("unknown, because it may depend on a plugin that was not run: {message}"), *place);
        }
        for (package, place) in answer.iter().flat_map(|answer| &answer.missing) {
            self.warn(package.as_str(), *place);
        }
        answer
    }

    fn warn(&mut self, message: impl Into<String>, place: Option<Span>) {
        let note = LogEntry::new(Level::Warning, message, &self.diagnostics);
        self.log.push(match place {
            Some(place) => note.at(self.sources.place(place)),
            None => note,
        });
    }

    /// What a compilation gives: the resources, what the model printed, and what is worth a note.
    pub(super) fn compiled(mut self, answer: Answer, options: &CompileOptions) -> Compiled {
        let Answer { output, exported, .. } = answer;
        let Exported { mut graph, kinds, notes, not_run } = exported;
        for function in not_run {
            let way = options.choices.way_to_run_plugins();
            self.warn(format!("{function} is Python and was not run: its value is unknown; {way}"), None);
        }
        graph.mark_elsewhere();
        for line in output.lines() {
            self.log.push(LogEntry::new(Level::Notice, line, &self.diagnostics));
        }
        for (place, message) in notes {
            self.warn(message, place);
        }
        let Run { sources, diagnostics, log, .. } = self;
        Compiled { kinds, log, ..Compiled::new(graph, sources, diagnostics) }
    }
}

/// The number of incomplete values that are reported.
const MOST_OPEN: usize = 20;

/// What the compiler sees of the world.
struct Outside<'a> {
    world: &'a dyn World,
    base: PathBuf,
    stop: Stop,
}

impl Outside<'_> {
    fn input<'a>(&'a self, file: FileId, entry: &'a EntryPoint, options: &'a CompileOptions) -> Input<'a> {
        let limits = &options.run.limits;
        Input {
            entry: file,
            folder: &entry.base,
            module_path: &options.module_path,
            files: self,
            context: self,
            bounds: Bounds {
                steps: limits.steps,
                instances: limits.resources.min(MOST_INSTANCES) as usize,
                // What is counted is all that is held, also beside values.
                memory: limits.memory.saturating_mul(2 << 20),
            },
        }
    }
}

impl Files for Outside<'_> {
    fn text(&self, path: &Path) -> Option<Arc<str>> {
        let bytes = self.world.file(path).ok()?;
        String::from_utf8(bytes.to_vec()).ok().map(Into::into)
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.world.kind(path) == PathKind::Folder
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        match self.world.read(&Read::Folder(folder.into())) {
            Ok(Sample::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    fn shown(&self, path: &Path) -> String {
        shown(path)
    }
}

impl Context for Outside<'_> {
    fn environment(&self, name: &str) -> Option<String> {
        match self.world.read(&Read::Environment) {
            Ok(Sample::Pairs(pairs)) => pairs.get(name).cloned(),
            _ => None,
        }
    }

    fn file(&self, path: &Path) -> Option<Arc<str>> {
        self.text(path)
    }

    fn files(&self, folder: &Path) -> Vec<String> {
        let mut names = self.names(folder);
        names.retain(|name| self.world.kind(&folder.join(name)) == PathKind::File);
        names
    }

    fn project(&self) -> &Path {
        &self.base
    }

    fn now(&self) -> i64 {
        match self.world.read(&Read::Now) {
            Ok(Sample::Integer(now)) => now,
            _ => 0,
        }
    }

    fn plugin(&self, modules: &Arc<str>, request: &Arc<str>) -> Result<Option<String>, String> {
        let ask = || self.world.plugin(Interpreter::Python, modules, request);
        // The start of the worker has limits of its own.
        if request.is_empty() { self.stop.apart(ask) } else { ask() }
    }

    fn note(&self, sources: &Sources, span: Span) {
        self.world.note_at(sources, span);
    }

    fn stopped(&self) -> Option<(Code, String)> {
        Some(match self.stop.reached()? {
            Stopped::Cancelled => (Code::Cancelled, "stopped here".to_string()),
            Stopped::OutOfTime(time) => (Code::OutOfTime, format!("compilation took more than {} s", time.as_secs())),
        })
    }
}
