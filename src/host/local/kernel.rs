//! The kernel's parameters on this machine, through the files under /proc/sys.

use std::io::Write;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::LocalLook;
use crate::host::{HostError, KernelChange, LookFiles, is_kernel_key};

fn path(key: &str) -> Result<PathBuf, HostError> {
    if !is_kernel_key(key) {
        return Err(HostError::Refused(format!("`{key}` is not a valid kernel parameter")));
    }
    Ok(PathBuf::from(format!("/proc/sys/{}", key.replace('.', "/"))))
}

pub(super) fn read(look: &LocalLook, key: &str) -> Result<Option<String>, HostError> {
    match look.read(&path(key)?) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
            Ok(Some(text.strip_suffix('\n').map_or(text.clone(), str::to_owned)))
        }
        Err(HostError::Missing { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// One write: the kernel takes each write as a whole value.
pub(super) fn change(change: &KernelChange) -> Result<(), HostError> {
    let path = path(&change.key)?;
    let failed = |errno| HostError::io("write", &path, errno);
    let fd = rustix::fs::openat(CWD, &path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
    let text = format!("{}\n", change.value);
    std::fs::File::from(fd)
        .write_all(text.as_bytes())
        .map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::INVAL)))
}
