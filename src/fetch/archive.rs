//! Archives in the cache: downloaded once, named by their SHA-256, and held to what their index promised.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use md5::Md5;
use sha2::{Digest as _, Sha256};

use super::FetchError;
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
        && sums(&mut file).is_ok_and(|(sha256, _)| sha256 == *wanted)
    {
        return Ok((file, wanted.clone()));
    }
    let failed = |error: io::Error| FetchError::disk(&folder, error);
    let mut came = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
    let is_here = bring(url, job, came.as_file_mut(), progress)?;
    let (sha256, md5) = came.reopen().and_then(|mut file| sums(&mut file)).map_err(failed)?;
    let found = match digest {
        Some(Digest::Sha256(_)) => Some(Digest::Sha256(sha256.clone())),
        Some(Digest::Md5(_)) => Some(Digest::Md5(md5)),
        None if is_here => None,
        None => return Err(FetchError::Index { url: url.into(), reason: "it lists no checksum for this file".into() }),
    };
    if let (Some(found), Some(wanted)) = (found, digest)
        && found != *wanted
    {
        return Err(FetchError::Checksum { url: url.into(), wanted: wanted.to_string(), found: found.to_string() });
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

/// The SHA-256 and the MD5 of a file, as hexadecimal digits.
fn sums(file: &mut File) -> io::Result<(String, String)> {
    struct Both(Sha256, Md5);
    impl Write for Both {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            self.1.update(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut both = Both(Sha256::new(), Md5::new());
    io::copy(file, &mut both)?;
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Ok((hex(&both.0.finalize()), hex(&both.1.finalize())))
}
