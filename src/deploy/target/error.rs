//! The errors of a target, and the help for each.

use crate::diag::Code;

/// What can fail between this machine and a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("`{0}` is not a valid target: {1}")]
    Address(String, &'static str),
    #[error("`{path}` cannot be used for TLS: {why}")]
    TlsFile { path: String, why: String },
    #[error("cannot read the password: {0}")]
    PasswordFile(String),
    #[error("password-command: {0}")]
    PasswordCommand(String),
    #[error("password-command: killed after {0} s (timeout)")]
    PasswordCommandSlow(u64),
    #[error("no target `{name}` in your settings")]
    NoSuchTarget { name: String, known: Vec<String> },
    #[error("no password for user `{0}`")]
    NoPassword(String),
    #[error("no endpoint responds: {}", .0.iter().map(|(at, why)| format!("{at} ({why})")).collect::<Vec<_>>().join(", "))]
    Unreachable(Vec<(String, String)>),
    #[error("the identity of {at} cannot be verified: {why}")]
    Tls { at: String, why: String },
    #[error("{at} requires a client certificate")]
    WantsCertificate { at: String },
    #[error("{at} uses TLS")]
    SpeaksTls { at: String },
    #[error("{at} does not use TLS")]
    SpeaksNoTls { at: String },
    #[error("{at} responds, but is not a known etcd: {why}")]
    NotEtcd { at: String, why: String },
    #[error("{at} is etcd {version}; the oldest supported version is 3.4")]
    TooOld { at: String, version: String },
    #[error("{at} is etcd with its JSON gateway turned off")]
    NoGateway { at: String },
    #[error("it requires a user and a password")]
    NeedsLogin,
    #[error("wrong password for user `{0}`")]
    BadLogin(String),
    #[error("authentication is off, but user `{0}` was given")]
    KnowsNoUsers(String),
    #[error("{} has no permission for this", .0.as_ref().map_or("a client without user".into(), |user| format!("user `{user}`")))]
    Denied(Option<String>),
    #[error("its storage is full")]
    Full,
    #[error("the request is too large for it")]
    RequestTooLarge,
    #[error("its answer would be too large")]
    AnswerTooLarge,
    #[error("it refuses: {0}")]
    Refused(String),
    #[error("invalid answer: {0}")]
    BadAnswer(String),
    #[error("{what} in the cluster is damaged: {why}")]
    Damaged { what: String, why: String },
    #[error("no deploys in this cluster yet")]
    Empty,
    #[error("no deploy {0} in this cluster")]
    NoSuchDeploy(u64),
    #[error("deploy {0} has no files that could be published again")]
    NoTree(u64),
    #[error("deploy {0} is not the newest one, so it is not running")]
    NotNewest(u64),
    #[error("deploy {0} is the first one of this cluster")]
    NothingBefore(u64),
    #[error("deploy {0} is already the newest one")]
    AlreadyNewest(u64),
    #[error("{} larger than the etcd limit of {} bytes: {}", if .files.len() == 1 { "a file is" } else { "files are" }, .limit, some(.files))]
    LargeFiles { files: Vec<String>, limit: usize },
    #[error("the list of its {files} files has {size} bytes; the etcd limit is {limit}")]
    LargeTree { files: usize, size: usize, limit: usize },
    #[error("files outside the module folder: {}", some(.0))]
    Outside(Vec<String>),
    #[error("`{0}` has two sources with different contents")]
    TwoPlaces(String),
    #[error("`{0}` would be a file and a folder")]
    FileAndFolder(String),
    #[error("not approved: {}", .0.join(", "))]
    Strangers(Vec<String>),
    #[error("cannot read the approvals: {0}")]
    Trust(String),
    #[error("the cluster uses another version of mgmt's format: {0}")]
    OtherVersion(String),
    #[error("someone else published deploy {id} first{}", .by.as_ref().map_or(String::new(), |by| format!(", by {by}")))]
    Raced { id: u64, by: Option<String> },
    #[error("the work tree of `{0}` has uncommitted changes")]
    Dirty(String),
    #[error("git cannot determine the commit: {0}")]
    Git(String),
    #[error("commit {0} is already running")]
    SameCommit(String),
    #[error("deploy {id} has commit {there}, but the parent of yours is {}", .parent.as_ref().map_or("none", |parent| parent))]
    OtherCommit { id: u64, there: String, parent: Option<String> },
    #[error("deploy {id} has commit {there}, but yours has no commit")]
    NoCommit { id: u64, there: String },
    #[error("unknown whether deploy {0} was published: the connection was lost")]
    Unsure(u64),
    #[error("stopped")]
    Cancelled,
}

/// Formats the first names of a long list.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=SHOWN => shown,
        all => format!("{shown} and {} more", all - SHOWN),
    }
}

impl TargetError {
    /// Returns the diagnostic code of the error.
    pub fn code(&self) -> Code {
        match self {
            TargetError::Address(..)
            | TargetError::TlsFile { .. }
            | TargetError::PasswordFile(_)
            | TargetError::PasswordCommand(_)
            | TargetError::PasswordCommandSlow(_)
            | TargetError::NoSuchTarget { .. }
            | TargetError::NoPassword(_) => Code::InvalidTarget,
            TargetError::Unreachable(_)
            | TargetError::Tls { .. }
            | TargetError::WantsCertificate { .. }
            | TargetError::SpeaksTls { .. }
            | TargetError::SpeaksNoTls { .. }
            | TargetError::NotEtcd { .. }
            | TargetError::TooOld { .. }
            | TargetError::NoGateway { .. }
            | TargetError::Unsure(_) => Code::TargetUnreachable,
            TargetError::LargeFiles { .. }
            | TargetError::LargeTree { .. }
            | TargetError::Outside(_)
            | TargetError::TwoPlaces(_)
            | TargetError::FileAndFolder(_)
            | TargetError::Strangers(_)
            | TargetError::Trust(_)
            | TargetError::OtherVersion(_)
            | TargetError::Raced { .. }
            | TargetError::Dirty(_)
            | TargetError::Git(_)
            | TargetError::SameCommit(_)
            | TargetError::OtherCommit { .. }
            | TargetError::NoCommit { .. }
            | TargetError::Cancelled => Code::NotPublished,
            _ => Code::TargetRefused,
        }
    }

    /// Returns what the user can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            TargetError::Address(_, why) if why.contains("password") => {
                "remove it: use the prompt, `--password-file` or WORKBENCH_ETCD_PASSWORD"
            }
            TargetError::Address(..) => "for example `etcd://one:2379,two:2379`, or `etcds://one:2379` with TLS",
            TargetError::TlsFile { .. } => "use a readable file in PEM format",
            TargetError::PasswordFile(_) => "use a file with the password in its first line",
            TargetError::PasswordCommand(_) => "run it by hand: its first line must be the password",
            TargetError::PasswordCommandSlow(_) => {
                "run it by hand: it cannot prompt here; or use `--password-file` or WORKBENCH_ETCD_PASSWORD"
            }
            TargetError::NoSuchTarget { known, .. } if known.is_empty() => {
                "use an address such as `etcd://localhost:2379`, or set `targets.NAME` in your config.toml"
            }
            TargetError::NoSuchTarget { .. } => "`workbench config explain targets` lists them",
            TargetError::NoPassword(_) => "use `--password-file FILE`, or set WORKBENCH_ETCD_PASSWORD",
            TargetError::Unreachable(_) => {
                "check that it is running and not behind a firewall; mgmt's own etcd listens on loopback: use `ssh -L 2379:localhost:2379 HOST`"
            }
            TargetError::Tls { .. } => "set the CA with `--ca FILE`, and use the host name of the certificate",
            TargetError::WantsCertificate { .. } => "use `--cert FILE --key FILE`",
            TargetError::SpeaksTls { .. } => "use `etcds://`",
            TargetError::SpeaksNoTls { .. } => "use `etcd://` without `--ca`, `--cert` and `--key`",
            TargetError::NotEtcd { .. } => "use the client port of etcd (default: 2379)",
            TargetError::TooOld { .. } => "use a newer etcd",
            TargetError::NoGateway { .. } => "start it with `--enable-grpc-gateway`, which is the default",
            TargetError::NeedsLogin => "set a user with `--user` or `etcd://USER@HOST`",
            TargetError::BadLogin(_) => "check the user name and the password",
            TargetError::KnowsNoUsers(_) => "remove the user",
            TargetError::Denied(_) => "the user needs a role that can read and write keys below `/_mgmt/`",
            TargetError::Full => "compact and defragment it, or raise its quota; mgmt never deletes files",
            TargetError::RequestTooLarge => "raise its `--max-request-bytes`, or make the files smaller",
            TargetError::Damaged { .. } => "check the key with `etcdctl get`",
            TargetError::Empty => "`workbench deploy push` publishes the first one",
            TargetError::NoSuchDeploy(_) | TargetError::NoTree(_) => {
                "`workbench deploy list --target` lists the deploys"
            }
            TargetError::NotNewest(_) => "to run an older one again, use `workbench deploy undo --to ID --target ...`",
            TargetError::NothingBefore(_) => "push another module",
            TargetError::AlreadyNewest(_) => "there is nothing to do",
            TargetError::LargeFiles { .. } => "make them smaller, or let the machines fetch them from elsewhere",
            TargetError::LargeTree { .. } => "remove files, or shorten their paths",
            TargetError::Outside(_) => "move it below the entry's folder, or push the graph alone: `--as mcl`",
            TargetError::TwoPlaces(_) => "remove one of the two from the module path",
            TargetError::FileAndFolder(_) => "rename one of the two",
            TargetError::Strangers(_) => "review them, then run `workbench modules ENTRY --approve`",
            TargetError::Trust(_) => "use another folder with `--state-dir`",
            TargetError::OtherVersion(_) => "its mgmt version is unknown; `--force` publishes anyway",
            TargetError::Raced { .. } => {
                "check it with `workbench deploy show --target`, then retry; `--retries N` retries automatically"
            }
            TargetError::Dirty(_) => "commit or stash them, or use `--no-git`",
            TargetError::Git(_) => "use `--no-git` to publish without a commit",
            TargetError::SameCommit(_) => "commit a change, or use `--force` to publish it again",
            TargetError::OtherCommit { .. } => "merge the two in git first, or use `--force` to skip this check",
            TargetError::NoCommit { .. } => "push from a git repository, or use `--no-git`",
            TargetError::Unsure(_) => "check with `workbench deploy list --target`; a publish is complete or absent",
            TargetError::Cancelled => "nothing published",
            TargetError::Refused(_) | TargetError::BadAnswer(_) | TargetError::AnswerTooLarge => {
                "check the log of etcd"
            }
        }
    }
}
