//! The facet of users and groups: so far only looked up, to own files and run commands.

use super::HostError;

/// Who we are, which decides what new files look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub uid: u32,
    pub gid: u32,
    pub umask: u32,
}

/// Names and numbers of accounts.
pub trait LookAccounts {
    fn identity(&self) -> Identity;

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError>;

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError>;

    /// For showing: `None` where the number has no name.
    fn user_name(&self, uid: u32) -> Option<String>;

    /// For showing: `None` where the number has no name.
    fn group_name(&self, gid: u32) -> Option<String>;
}
