//! The facet of the kernel's current parameters. Files hold the values for the next boot.

use serde::{Deserialize, Serialize};

use super::HostError;

/// Reading kernel parameters.
pub trait LookKernel {
    /// Returns the value of a parameter such as `net.ipv4.ip_forward`, without the line end. `None` if it does not
    /// exist.
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError>;
}

/// Sets the current value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelChange {
    pub key: String,
    pub value: String,
}

/// Whether a text is a valid parameter key. Its parts become path components.
pub fn is_kernel_key(key: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_:@".contains(c);
    !key.is_empty() && key.len() <= 200 && key.split('.').all(|part| !part.is_empty() && part.chars().all(plain))
}
