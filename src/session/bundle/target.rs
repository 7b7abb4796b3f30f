//! Targets: the user's choice of a cluster, and the offer of a program to it.

mod password;

use std::path::PathBuf;

use crate::config::{Config, is_target_name};
use crate::deploy::bundle::{BundleError, Content, read_file};
use crate::deploy::target::etcd::{Address, Login, TlsFiles};
use crate::deploy::target::mgmt::Mgmt;
use crate::deploy::target::{flat_tree, origin, program_tree, yaml_tree};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Graph, export};
use crate::lang::{Compiled, Feature, language_with};
use crate::module::LanguageName;
use crate::session::bundle::pack::Gathered;
use crate::session::keeping::who;
use crate::session::{PackOptions, Report, Session, as_program, job, offers, panicked};
use crate::source::{Sources, printable};
use crate::world::{Cancel, Live, Read, Sample, World};

pub use crate::deploy::target::{
    Choices, Comparison, Facts, Frontend, Leaf, Offer, Origin, PublishEvent, Published, Record, Target, TargetError,
    Tree, Writer,
};

/// A target as the user names it.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub address: String,
    /// PEM files: the authority of the endpoints' certificates, the client certificate, and its key.
    pub authority: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    /// Overrides the user in the address.
    pub user: Option<String>,
    /// A file with the user's password.
    pub password_file: Option<PathBuf>,
    /// A command that prints it.
    pub password_command: Option<String>,
}

/// Parses a target: an address, or the name of one in the settings.
pub fn place(text: &str, config: &Config) -> Result<Place, TargetError> {
    if !is_target_name(text) {
        return Ok(Place { address: text.into(), ..Place::default() });
    }
    let targets = config.targets();
    match targets.iter().find(|target| target.name.text == text) {
        Some(target) => Ok(Place {
            address: target.address.clone(),
            authority: target.ca.clone(),
            certificate: target.cert.clone(),
            key: target.key.clone(),
            user: target.user.clone(),
            password_file: target.password_file.clone(),
            password_command: target.password_command.clone(),
        }),
        None => Err(TargetError::NoSuchTarget {
            name: printable(text).to_string(),
            known: targets.iter().map(|target| target.name.text.clone()).collect(),
        }),
    }
}

/// Returns an endpoint of a target whose connection others can read and forge.
pub fn open_endpoint(place: &Place) -> Result<Option<String>, TargetError> {
    let endpoints = address(place)?.endpoints;
    let open = endpoints.iter().find(|endpoint| !endpoint.is_encrypted && !endpoint.is_loopback());
    Ok(open.map(ToString::to_string))
}

fn address(place: &Place) -> Result<Address, TargetError> {
    Address::parse(&place.address, place.authority.is_some() || place.certificate.is_some())
}

/// Returns the target, ready for requests. `ask` provides a user's password if neither a file, the environment nor a
/// command does.
pub fn target(
    place: &Place,
    ask: &mut dyn FnMut(&str) -> Option<String>,
    cancel: &Cancel,
) -> Result<Box<dyn Target>, TargetError> {
    let own = place.certificate.clone().zip(place.key.clone());
    let tls = TlsFiles { authority: place.authority.clone(), own };
    let address = address(place)?;
    let login = match place.user.clone().or_else(|| address.user.clone()) {
        None => None,
        Some(user) => {
            let password = password::password(place, cancel)?
                .or_else(|| ask(&user))
                .ok_or_else(|| TargetError::NoPassword(user.clone()))?;
            Some(Login { user, password })
        }
    };
    Ok(Box::new(Mgmt::new(&address, &tls, login)?))
}

/// Returns a target's error as a report.
pub fn as_report(error: &TargetError) -> Report {
    let mut diagnostics = Diagnostics::new(Stage::Module);
    diagnostics.push(Diagnostic::placeless(error.code()).label(error.to_string()).help(error.help()));
    Report { sources: Sources::default(), diagnostics }
}

/// The form of a published program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Its files: each machine evaluates them.
    #[default]
    Program,
    /// Its graph as compiled here, as one mcl program.
    Graph,
    /// The same as mgmt's yaml.
    Yaml,
}

/// The options of an offer.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfferOptions {
    pub form: Form,
    pub choices: Choices,
    /// Git is not asked for a commit.
    pub no_git: bool,
    pub force: bool,
}

/// An offer, with information for the user.
#[derive(Clone, Debug)]
pub struct Offered {
    pub offer: Offer,
    /// The program's inputs that are not among its files, as text.
    pub reads: Vec<String>,
    /// The cases in which a published graph acts differently.
    pub notes: Vec<String>,
}

/// Returns the publisher: this user, on this machine, now.
pub fn writer(entry: &str) -> Writer {
    let begin = who();
    let host = match Live::new().read(&Read::Hostname) {
        Ok(Sample::Text(name)) => name,
        _ => String::new(),
    };
    Writer {
        user: begin.behind.unwrap_or(begin.user),
        host,
        program: begin.program,
        time: begin.time,
        entry: entry.into(),
        back_to: None,
    }
}

/// The language of programs that a cluster runs without this program.
fn cluster_language() -> LanguageName {
    language_with(Feature::Cluster).map_or_else(LanguageName::default, |language| language.name())
}

impl Session {
    /// Makes the offer. Compiles everything first, and sends nothing.
    pub fn offer(&self, options: &OfferOptions, cancel: &Cancel) -> Result<Offered, Box<Report>> {
        job::run(|| self.offer_here(options, cancel)).unwrap_or_else(|bug| {
            Err(Box::new(Report { sources: Sources::default(), diagnostics: panicked(&bug, Stage::Module) }))
        })
    }

    fn offer_here(&self, options: &OfferOptions, cancel: &Cancel) -> Result<Offered, Box<Report>> {
        let refuse = |error: TargetError| Box::new(as_report(&error));
        let (files, reads, notes) = match options.form {
            Form::Program => {
                if !offers(self.entry.language, Feature::Cluster) {
                    let title = self.entry.language.title();
                    let label = format!("a cluster of mgmt runs {}, and this is {title}", cluster_language().title());
                    let refused = Diagnostic::placeless(Code::NotInLanguage).label(label);
                    return Err(Box::new(Report::of(refused.help(self.way_to_mgmt(cancel)))));
                }
                let Gathered { manifest, files, graph } = self.gathered(cancel)?;
                self.knows_all(&graph)?;
                let own_path = self.own_path();
                let reads = manifest.missing.clone();
                (program_tree(&manifest, files, &own_path).map_err(refuse)?, reads, Vec::new())
            }
            Form::Graph | Form::Yaml => {
                let compiled = self.compiled(cancel)?;
                self.knows_all(&compiled.graph)?;
                let written = as_program(cluster_language().as_str(), &compiled)?;
                let files = match options.form {
                    Form::Yaml => {
                        let mut yaml = Vec::new();
                        export::write_yaml(&mut yaml, &written.graph, &self.entry.shown)
                            .expect("memory takes all of it");
                        yaml_tree(yaml)
                    }
                    _ => flat_tree(written.text),
                };
                (files, Vec::new(), written.notes)
            }
        };
        let origin = match (options.no_git, &self.options.bundle) {
            (true, _) => Origin::Unasked,
            (false, Some(_)) => Origin::Untracked,
            (false, None) => {
                let base = &self.entry.base;
                let base = if base.as_os_str().is_empty() { std::path::Path::new(".") } else { base };
                origin(base).map_err(refuse)?
            }
        };
        let frontend = if options.form == Form::Yaml { Frontend::Yaml } else { Frontend::Lang };
        let writer = writer(&self.entry.shown);
        let offer = Offer { frontend, choices: options.choices, files, origin, is_forced: options.force, writer };
        Ok(Offered { offer, reads, notes })
    }

    /// Returns all files of the program, as in a bundle.
    fn gathered(&self, cancel: &Cancel) -> Result<Gathered, Box<Report>> {
        let Some(bundle) = &self.options.bundle else { return self.gather(&PackOptions::default(), cancel) };
        let graph = self.compiled(cancel)?.graph;
        let taken = || -> Result<Vec<Content>, BundleError> {
            bundle.check_files()?;
            let file = |line: &crate::deploy::bundle::FileLine| {
                let bytes = read_file(&bundle.root.join(&line.path))?;
                Ok(Content { path: line.path.clone(), executable: line.executable, bytes })
            };
            bundle.manifest.files.iter().map(file).collect()
        };
        let refuse = |error: BundleError| crate::session::bundle::refusal(&bundle.path, &error);
        let files = taken().map_err(refuse)?;
        // The manifest was validated when the bundle was opened.
        let mut manifest = bundle.manifest.clone();
        manifest.list(&files).map_err(refuse)?;
        if manifest.hash() != bundle.hash {
            return Err(refuse(BundleError::Edited(bundle.root.display().to_string())));
        }
        Ok(Gathered { manifest, files, graph })
    }

    /// Returns the folder of modules in the entry's metadata.
    fn own_path(&self) -> String {
        let described = self.entry.metadata.is_some();
        let manifest = described.then(|| self.language().layout().manifest(&*self.world, &self.entry.base));
        manifest.and_then(|manifest| manifest.module_path.into_iter().next()).unwrap_or_default()
    }

    fn compiled(&self, cancel: &Cancel) -> Result<Compiled, Box<Report>> {
        let compiled = self.compile(Stage::Eval, cancel);
        if compiled.diagnostics.has_errors() {
            return Err(Box::new(Report { sources: compiled.sources, diagnostics: compiled.diagnostics }));
        }
        Ok(compiled)
    }

    /// Returns what to do with a program that a cluster of mgmt cannot run: only what works.
    fn way_to_mgmt(&self, cancel: &Cancel) -> &'static str {
        match self.compiled(cancel).map(|compiled| as_program(cluster_language().as_str(), &compiled)) {
            Ok(Ok(_)) => "publish its graph: `--as mcl`",
            Ok(Err(_)) => "its graph has no form in mcl either: `workbench graph --format mcl` names the parts",
            Err(_) => "it does not compile: `workbench check` shows why",
        }
    }

    /// Refuses unapproved modules: what may not act here must not be published to act elsewhere.
    fn knows_all(&self, graph: &Graph) -> Result<(), Box<Report>> {
        let strangers = self.strangers(graph, self.options.state.as_ref());
        let strangers = strangers.map_err(|error| Box::new(as_report(&TargetError::Trust(error.to_string()))))?;
        if strangers.is_empty() {
            return Ok(());
        }
        let names: Vec<String> =
            strangers.iter().map(|stranger| printable(&stranger.to_string()).to_string()).collect();
        Err(Box::new(as_report(&TargetError::Strangers(names))))
    }
}

/// Describes how a deploy is run, if not in the default way.
pub fn choice_words(choices: Choices) -> Vec<String> {
    let sema = choices.sema.filter(|sema| *sema > 0).map(|sema| format!("at most {sema} resources in parallel"));
    let mut words: Vec<String> = sema.into_iter().collect();
    words.extend(choices.noop.then(|| "noop: report changes only".into()));
    words.extend(choices.no_auto_edges.then(|| "no automatic edges".into()));
    words.extend(choices.no_auto_group.then(|| "no automatic groups".into()));
    words
}

/// Whether the offer has the same files and settings as the running deploy, and no commit.
pub fn is_nothing_new(comparison: &Comparison, offer: &Offer) -> bool {
    let changes = comparison.added.len() + comparison.changed.len() + comparison.removed.len();
    let Some(Ok(record)) = comparison.live.as_ref().map(|live| &live.record) else { return false };
    let is_same = record.frontend == offer.frontend.as_str() && record.choices == offer.choices;
    let is_commit = matches!(offer.origin, Origin::Commit { .. });
    changes == 0 && is_same && comparison.unread.is_none() && !is_commit && !offer.is_forced
}
