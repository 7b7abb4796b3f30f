//! The facet of the kernel's parameters, as they are now; what they are after the next start is kept in files.

use serde::{Deserialize, Serialize};

use super::HostError;

/// Asking the kernel.
pub trait LookKernel {
    /// The value of a parameter such as `net.ipv4.ip_forward`, without the line end. `None` where it does not exist.
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError>;
}

/// Sets a parameter now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelChange {
    pub key: String,
    pub value: String,
}

/// Whether a text can be the key of a parameter: its parts become the names of folders.
pub fn is_kernel_key(key: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_:@".contains(c);
    !key.is_empty() && key.len() <= 200 && key.split('.').all(|part| !part.is_empty() && part.chars().all(plain))
}
