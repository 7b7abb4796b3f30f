//! Archives in the cache: downloaded once, named by their SHA-256, and held to what their index promised.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::FetchError;
use super::hash::Hex;
use super::release::Digest;
use super::transport::{Job, get};
use super::url::{GitUrl, Transport};

/// Opens an archive in the cache, and gives its SHA-256. One that is not there is downloaded first.
pub fn open(
    cache: &Path,
    url: &str,
    digest: Option<&Digest>,
    job: &Job,
    progress: &mut dyn FnMut(u64),
) -> Result<(File, String), FetchError> {
    let folder = cache.join("archives");
    fs::create_dir_all(&folder).map_err(|error| FetchError::disk(&folder, error))?;
    if let Some(Digest::Sha256(wanted)) = digest
        && let Ok(mut file) = File::open(folder.join(wanted))
        && sum(&mut file).is_ok_and(|sha256| sha256 == *wanted)
    {
        return Ok((file, wanted.clone()));
    }
    if digest == Some(&Digest::Md5) {
        let reason = "it lists only an MD5 checksum for this file, which proves nothing".into();
        return Err(FetchError::Index { url: url.into(), reason });
    }
    let failed = |error: io::Error| FetchError::disk(&folder, error);
    let mut came = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
    let is_here = bring(url, job, came.as_file_mut(), progress)?;
    let sha256 = came.reopen().and_then(|mut file| sum(&mut file)).map_err(failed)?;
    match digest {
        Some(Digest::Sha256(wanted)) if *wanted != sha256 => {
            let (wanted, found) = (format!("sha256:{wanted}"), format!("sha256:{sha256}"));
            return Err(FetchError::Checksum { url: url.into(), wanted, found });
        }
        None if !is_here => {
            return Err(FetchError::Index { url: url.into(), reason: "it lists no checksum for this file".into() });
        }
        _ => {}
    }
    let file = came.persist(folder.join(&sha256)).map_err(|error| failed(error.error))?;
    Ok((file, sha256))
}

/// Writes what a URL has; `true` for a file on this machine.
fn bring(url: &str, job: &Job, out: &mut File, progress: &mut dyn FnMut(u64)) -> Result<bool, FetchError> {
    let refused = |reason: String| FetchError::Refused { url: url.to_owned(), reason };
    let parsed = GitUrl::parse(url.split(['?', '#']).next().unwrap_or(url)).map_err(|e| refused(e.to_string()))?;
    if parsed.transport != Transport::File {
        get(job, url, "*/*", out, progress)?;
        return Ok(false);
    }
    parsed.check_allowed(job.allowed).map_err(|error| refused(error.to_string()))?;
    let path = Path::new(&parsed.path);
    let failed = |error: io::Error| FetchError::disk(path, error);
    let mut file = File::open(path).map_err(failed)?.take(job.cap.saturating_add(1));
    match io::copy(&mut file, out).map_err(failed)? {
        bytes if bytes > job.cap => Err(FetchError::TooLarge { limit: job.cap }),
        _ => Ok(true),
    }
}

/// The SHA-256 of a file, as hexadecimal digits.
fn sum(file: &mut File) -> io::Result<String> {
    struct Hasher(Sha256);
    impl Write for Hasher {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hasher = Hasher(Sha256::new());
    io::copy(file, &mut hasher)?;
    Ok(Hex(hasher.0.finalize().into()).to_string())
}
