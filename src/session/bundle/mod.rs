//! Opens bundles: recognises their first bytes, validates them, and enters the unpacked files.

pub(super) mod pack;
pub mod target;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::deploy::bundle::{
    self, BundleError, is_bundle, is_unpacked, open_bundle, read_file, read_manifest, remember_counter, signer,
};
use crate::deploy::{Approvals, StateFolder};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::Lock;
use crate::host::HostError;
use crate::plan::{CompiledFor, Hidden};
use crate::session::open::compiled_for::{carry_limits, described};
use crate::session::{ApplyError, Fetched, Options, Report, Session, StateError, state_path};
use crate::source::{Sources, printable};
use crate::world::{Live, Read, Sample, World};

pub use crate::deploy::bundle::{Manifest, OpenBundle, Signer};

/// The properties of a bundle, and its status on this machine.
#[derive(Clone, Debug)]
pub struct BundleStatus {
    pub hash: String,
    pub manifest: Manifest,
    pub signer: Signer,
    pub is_approved: bool,
    /// Why it would be refused here now.
    pub refused: Option<BundleError>,
    /// What it compiles for on any machine.
    pub compiled_for: CompiledFor,
    /// The modules that were fetched for it.
    pub modules: Vec<(String, String, String)>,
}

/// Whether a path leads to a bundle on this machine.
pub fn leads_to_bundle(path: &Path) -> bool {
    const START: u64 = 64;
    let world: &dyn World = &Live::new();
    if world.kind(path) != crate::world::PathKind::File {
        return false;
    }
    let mut start = Vec::new();
    #[expect(clippy::disallowed_methods, reason = "the type of an entry is needed before there is a world")]
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && is_bundle(&start)
}

/// Validates a bundle, and returns its properties.
pub fn show(path: &Path, options: &Options) -> Result<BundleStatus, Box<Report>> {
    let refuse = |error: BundleError| refusal(path, &error);
    let packed = read_file(path).map_err(refuse)?;
    let manifest = read_manifest(&packed).map_err(refuse)?;
    let keys = options.config.trusted_keys();
    let opened = state_path(options.state.as_ref())
        .map_err(|error| BundleError::Unkept(error.to_string()))
        .and_then(|state| Ok((open_bundle(path, &state, keys, now())?, state)));
    let signer = signer(path, &packed, keys).map_err(refuse)?;
    let (mut is_approved, mut modules, mut refused) = (false, Vec::new(), None);
    match opened {
        Ok((bundle, state)) => {
            let approvals = Approvals::read(&StateFolder::at(&state)).unwrap_or_default();
            is_approved = bundle.is_signed() || approvals.has(&bundle.hash);
            let base = manifest.lock.as_ref().and_then(|lock| Some(bundle.root.join(lock).parent()?.to_path_buf()));
            let lock = base.and_then(|base| Lock::read(&base).ok()).unwrap_or_default();
            modules = lock.modules.into_iter().map(|m| (m.import.clone(), m.revision().to_owned(), m.hash.0)).collect();
        }
        // These errors do not concern the contents.
        Err(error @ (BundleError::Expired(_) | BundleError::Older { .. } | BundleError::Unkept(_))) => {
            refused = Some(error);
        }
        Err(error) => return Err(refuse(error)),
    }
    let compiled_for = compiled_for(&manifest);
    Ok(BundleStatus { hash: manifest.hash(), manifest, compiled_for, signer, is_approved, refused, modules })
}

/// What a bundle is compiled for. Its facts are in it, or they are those of the machine that applies it.
fn compiled_for(manifest: &Manifest) -> CompiledFor {
    let options = Options { run_guards: manifest.run_guards, ..Options::default() };
    let choices = &manifest.choices;
    let inside = |path: &Path| path.display().to_string();
    let mut all = described(&options, choices, choices.allow_unknown, manifest.limits.clone(), &inside);
    all.options.set.extend(manifest.set.iter().map(|key| (key.clone(), Hidden::default())));
    let file = manifest.files.iter().find(|file| Some(&*file.path) == all.facts.file());
    all.facts.sha256 = file.map(|file| file.sha256.clone());
    all
}

/// Removes the unpacked folders of bundles, except those used today or in use. Returns their number.
pub fn prune_unpacked(state: Option<&PathBuf>) -> Result<usize, StateError> {
    let state = state_path(state)?;
    Ok(bundle::prune_unpacked(&StateFolder::at(&state), now()))
}

impl Options {
    /// If the entry is a bundle, returns the file to enter in it, and options with the bundle.
    pub(in crate::session) fn enter_bundle(
        mut self,
        entry: Option<&str>,
    ) -> Result<(Option<String>, Self), Box<Report>> {
        let Some(path) = entry.map(Path::new).filter(|path| leads_to_bundle(path)) else { return Ok((None, self)) };
        let refuse = |error: BundleError| refusal(path, &error);
        let state = state_path(self.state.as_ref()).map_err(|e| refuse(BundleError::Unkept(e.to_string())))?;
        // Reports contain paths below it, and a program may change the current folder.
        let state = std::path::absolute(&state).unwrap_or(state);
        let named = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let bundle = open_bundle(&named, &state, self.config.trusted_keys(), now()).map_err(refuse)?;
        let carries = compiled_for(&bundle.manifest);
        let disagreements = self.typed().disagreements_with_bundle(&carries);
        if !disagreements.is_empty() {
            return Err(refuse(BundleError::OtherOptions(disagreements)));
        }
        let inside = bundle.entry().to_string_lossy().into_owned();
        let carried = bundle.manifest.choices.clone().at(|path| bundle.root.join(path));
        self.choices = self.choices.or(&carried);
        self.run_guards |= bundle.manifest.run_guards;
        let is_approved = || Approvals::read(&StateFolder::at(&state)).is_ok_and(|all| all.has(&bundle.hash));
        let may_raise = bundle.is_signed() || is_approved();
        carry_limits(&mut self.config, &bundle.manifest.limits, may_raise);
        self.bundle = Some(Arc::new(bundle));
        Ok((Some(inside), self))
    }
}

impl Session {
    /// Refuses to compile a bundle without the values that it does not carry.
    pub(in crate::session) fn check_set_values(&self) -> Result<(), Report> {
        let Some(bundle) = &self.options.bundle else { return Ok(()) };
        let missing = bundle.manifest.set.iter().filter(|key| !self.options.choices.sets(key));
        let missing: Vec<String> = missing.map(|key| format!("`--set {}`", printable(key))).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(*refusal(&bundle.path, &BundleError::NeedsValues(missing))),
        }
    }

    /// Refuses an entry inside an unpacked bundle: as an ordinary folder it would need no approval.
    pub(in crate::session) fn check_no_unpacked(&self) -> Result<(), Box<Report>> {
        let Ok(state) = state_path(self.options.state.as_ref()) else { return Ok(()) };
        if self.options.bundle.is_some() || !is_unpacked(&self.entry.base, &state) {
            return Ok(());
        }
        let mut diagnostics = Diagnostics::new(Stage::Module);
        diagnostics.push(
            Diagnostic::placeless(Code::BundleRefused)
                .label(format!("{} is the folder of an unpacked bundle", self.entry.base.display()))
                .help("use the bundle file itself"),
        );
        Err(Box::new(Report { sources: Sources::default(), diagnostics }))
    }

    /// Returns the bundle as a fetched module, which may act only after approval.
    pub(in crate::session) fn as_fetched(&self, approvals: &Approvals) -> Result<Option<Fetched>, BundleError> {
        let Some(bundle) = &self.options.bundle else { return Ok(None) };
        // The files may have changed since the bundle was opened.
        bundle.check_files()?;
        Ok(Some(Fetched {
            is_locked: true,
            commit: None,
            locked_approval: None,
            name: self.entry.shown.clone(),
            path: bundle.root.clone(),
            hash: bundle.hash.clone(),
            is_approved: bundle.is_signed() || approvals.has(&bundle.hash),
            holds: Vec::new(),
        }))
    }

    /// Stores the bundle's counter, so that no older bundle may act here.
    pub(in crate::session) fn remember_bundle(&self, state: &StateFolder) -> Result<(), ApplyError> {
        let Some(bundle) = &self.options.bundle else { return Ok(()) };
        let refused = |error: BundleError| StateError::from(HostError::Refused(error.to_string()));
        let state = StateFolder::open(state.path())?;
        Ok(remember_counter(&state, &bundle.manifest, &bundle.signer).map_err(refused)?)
    }
}

fn now() -> jiff::Timestamp {
    match Live::new().read(&Read::Now) {
        Ok(Sample::Integer(seconds)) => jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX),
        _ => jiff::Timestamp::MAX,
    }
}

pub(in crate::session) fn refusal(path: &Path, error: &BundleError) -> Box<Report> {
    let mut diagnostics = Diagnostics::new(Stage::Module);
    let path = PathBuf::from(path);
    diagnostics.push(
        Diagnostic::placeless(Code::BundleRefused).label(format!("{}: {error}", path.display())).help(error.help()),
    );
    Box::new(Report { sources: Sources::default(), diagnostics })
}
