//! Files of any size: compared and copied in pieces, with the extended attributes that a copy keeps.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::XattrFlags;
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::look::open_file;
use crate::host::HostError;
use crate::source::hex;

/// Two buffers of this size are compared at a time: larger than most managed files, and small enough for the cache.
const PIECE: usize = 64 << 10;

/// Linux allows no longer attribute values.
const XATTR_CAP: usize = 64 << 10;

/// Attributes that depend on the old content: capabilities and the kernel's measurements.
const OF_CONTENT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// Whether two files have the same bytes, following links.
pub(super) fn same(one: &Path, other: &Path) -> Result<bool, HostError> {
    let (mut one_file, one_stat) = open_file(one)?;
    let (mut other_file, other_stat) = open_file(other)?;
    if one_stat.size != other_stat.size {
        return Ok(false);
    }
    let piece = PIECE.min(one_stat.size as usize + 1);
    let (mut ours, mut others) = (vec![0; piece], vec![0; piece]);
    loop {
        let have = fill(&mut one_file, &mut ours).map_err(|error| HostError::std("read", one, &error))?;
        let want = fill(&mut other_file, &mut others).map_err(|error| HostError::std("read", other, &error))?;
        if ours[..have] != others[..want] {
            return Ok(false);
        }
        if have < piece {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the hash of a file's bytes, following links.
pub(super) fn sha256(path: &Path) -> Result<String, HostError> {
    let (mut file, _) = open_file(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        let have = fill(&mut file, &mut piece).map_err(|error| HostError::std("read", path, &error))?;
        hash.update(&piece[..have]);
        if have < piece.len() {
            return Ok(hex(&hash.finalize()));
        }
    }
}

/// Copies a file's bytes into an open one.
pub(super) fn copy(from: &Path, into: &mut File, path: &Path) -> Result<(), HostError> {
    let (mut file, _) = open_file(from)?;
    io::copy(&mut file, into).map_err(|error| HostError::std("write", path, &error))?;
    Ok(())
}

/// Returns an extended attribute, without following a final link.
pub(super) fn xattr(path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError> {
    let mut value = vec![0; XATTR_CAP];
    match rustix::fs::lgetxattr(path, name, &mut value) {
        Ok(length) => {
            value.truncate(length);
            Ok(Some(value))
        }
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(HostError::io("read the attributes of", path, errno)),
    }
}

/// Copies the extended attributes of the replaced file to the new one.
pub(super) fn keep_xattrs(old: impl AsFd, new: impl AsFd, path: &Path) -> Result<(), HostError> {
    let failed = |errno| HostError::io("copy the attributes of", path, errno);
    let mut names = vec![0; XATTR_CAP];
    let length = match rustix::fs::flistxattr(&old, &mut names) {
        Ok(length) => length,
        // The file system has no attributes.
        Err(Errno::NOTSUP) => return Ok(()),
        Err(errno) => return Err(failed(errno)),
    };
    let names = names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut value = Vec::new();
    for name in names.filter(|name| !OF_CONTENT.contains(name)) {
        value.resize(XATTR_CAP, 0);
        let length = match rustix::fs::fgetxattr(&old, name, &mut value) {
            Ok(length) => length,
            Err(Errno::NODATA) => continue,
            Err(errno) => return Err(failed(errno)),
        };
        match rustix::fs::fsetxattr(&new, name, &value[..length], XattrFlags::empty()) {
            // Trusted and security attributes need privileges. The system gives the new file its own.
            Ok(()) | Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => {}
            Err(errno) => return Err(failed(errno)),
        }
    }
    Ok(())
}
