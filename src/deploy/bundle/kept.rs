//! A validated bundle, unpacked once into the state folder and validated again on each use.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::archive::{self, SIZE_LIMIT};
use super::counter::check_counter;
use super::signature::check_signature;
use super::unpacked::{self, FolderLock, NAME};
use super::{BundleError, Manifest, Signer, signature_path};
use crate::deploy::StateFolder;
use crate::fetch::TreeHash;

/// A larger file is not a signature.
const SIGNATURE_LIMIT: u64 = 64 << 10;

/// A validated bundle whose program can be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenBundle {
    /// As the user named it.
    pub path: PathBuf,
    /// The hash that an approval refers to.
    pub hash: String,
    pub manifest: Manifest,
    pub signer: Signer,
    /// The folder of its files.
    pub root: PathBuf,
    /// Keeps the folder in place while this value lives.
    pub held: FolderLock,
}

impl OpenBundle {
    /// Returns the path of the entry point in the unpacked folder.
    pub fn entry(&self) -> PathBuf {
        self.root.join(&self.manifest.entry)
    }

    /// Whether a trusted key signed the bundle.
    pub fn is_signed(&self) -> bool {
        matches!(self.signer, Signer::Trusted(_))
    }

    /// Refuses the bundle if its unpacked files have changed.
    pub fn check_files(&self) -> Result<(), BundleError> {
        let edited = || BundleError::Edited(self.root.display().to_string());
        match TreeHash::of_folder(&self.root, &[]) {
            Ok(hash) if hash == self.manifest.tree() => Ok(()),
            _ => Err(edited()),
        }
    }
}

/// Reads a file, up to the size limit of bundles.
pub fn read_file(path: &Path) -> Result<Vec<u8>, BundleError> {
    read_up_to(path, SIZE_LIMIT)
}

/// Validates a bundle, and unpacks it if necessary.
pub fn open_bundle(
    path: &Path,
    state: &Path,
    trusted: &[String],
    now: jiff::Timestamp,
) -> Result<OpenBundle, BundleError> {
    let packed = read_file(path)?;
    let signer = check_signature(&packed, signature(path)?.as_deref(), trusted)?;
    let manifest = archive::verify(&packed)?;
    if let Some(expiry) = manifest.expiry()?.filter(|expiry| *expiry <= now) {
        return Err(BundleError::Expired(expiry.to_string()));
    }
    check_counter(&StateFolder::at(state), &manifest, &signer)?;
    let state = StateFolder::open(state).map_err(|error| BundleError::unkept(state, error))?;
    let hash = manifest.hash();
    // The path is shown often, so it is short. Two bundles with the same first digits replace each other.
    let name = hash.trim_start_matches("sha256:").get(..NAME).unwrap_or_default();
    let folder = unpacked::folder(state.path());
    fs::create_dir_all(&folder).map_err(|error| BundleError::unkept(&folder, error))?;
    let root = folder.join(name);
    let held = unpacked::hold(&folder, name, now).map_err(|error| BundleError::unkept(&folder, error))?;
    unpacked::sweep_old(&state, now);
    let bundle = OpenBundle { path: path.into(), hash, manifest, signer, root, held };
    if bundle.check_files().is_err() {
        unpack(&packed, &folder, &bundle)?;
        bundle.check_files()?;
    }
    Ok(bundle)
}

/// Returns the signer of a bundle without reading its contents.
pub fn signer(path: &Path, packed: &[u8], trusted: &[String]) -> Result<Signer, BundleError> {
    check_signature(packed, signature(path)?.as_deref(), trusted)
}

/// Reads the signature file next to a bundle.
fn signature(bundle: &Path) -> Result<Option<String>, BundleError> {
    let path = signature_path(bundle);
    if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let bytes = read_up_to(&path, SIGNATURE_LIMIT).map_err(|error| BundleError::BadSignature(error.to_string()))?;
    String::from_utf8(bytes).map(Some).map_err(|_| BundleError::BadSignature("not text".into()))
}

fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, BundleError> {
    let unreadable = |error: std::io::Error| BundleError::Unreadable(error.to_string());
    // Opening a pipe must not wait for a writer.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(BundleError::Unreadable("not a file".into()));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(BundleError::TooLarge(limit));
    }
    Ok(bytes)
}

/// Writes all files to a temporary folder, then renames it to its place.
fn unpack(packed: &[u8], folder: &Path, bundle: &OpenBundle) -> Result<(), BundleError> {
    let failed = |error: std::io::Error| BundleError::unkept(folder, error);
    // `tempdir_in` makes it private, and deletes it if something fails.
    let stage = tempfile::Builder::new().prefix(".new-").tempdir_in(folder).map_err(failed)?;
    let fresh = stage.path().join("new");
    fs::create_dir(&fresh).map_err(failed)?;
    archive::unpack(packed, &mut |line, bytes| {
        let path = fresh.join(&line.path);
        let above = path.parent().unwrap_or(&fresh);
        fs::create_dir_all(above).map_err(failed)?;
        let mode = if line.executable { 0o755 } else { 0o644 };
        // The folder is new and private, so an existing file means that the bundle has two files of that name.
        let mut file = File::options().write(true).create_new(true).mode(mode).open(&path).map_err(failed)?;
        file.write_all(bytes).map_err(failed)
    })?;
    if fs::symlink_metadata(&bundle.root).is_ok() {
        // The unpacked files differ from the bundle, or the check would have passed.
        fs::rename(&bundle.root, stage.path().join("old")).map_err(failed)?;
    }
    match fs::rename(&fresh, &bundle.root) {
        // Another process was faster. Its files are checked like ours.
        Err(error) if !matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
            Err(failed(error))
        }
        _ => Ok(()),
    }
}
