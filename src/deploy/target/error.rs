//! Why a target does not do what was asked, in words, and what to do about it.

use crate::diag::Code;

/// Everything that can go wrong between here and a cluster.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("`{0}` is no target: {1}")]
    Address(String, &'static str),
    #[error("`{path}` is of no use for TLS: {why}")]
    TlsFile { path: String, why: String },
    #[error("the password cannot be read: {0}")]
    PasswordFile(String),
    #[error("the command for the password: {0}")]
    PasswordCommand(String),
    #[error("the command for the password: it did not end within {0} s, and was ended")]
    PasswordCommandSlow(u64),
    #[error("there is no target `{name}` in your settings")]
    NoSuchTarget { name: String, known: Vec<String> },
    #[error("there is no password for user `{0}`")]
    NoPassword(String),
    #[error("no endpoint answers: {}", .0.iter().map(|(at, why)| format!("{at} ({why})")).collect::<Vec<_>>().join(", "))]
    Unreachable(Vec<(String, String)>),
    #[error("{at} is not who it should be: {why}")]
    Tls { at: String, why: String },
    #[error("{at} takes no one without a certificate that it knows")]
    WantsCertificate { at: String },
    #[error("{at} speaks TLS")]
    SpeaksTls { at: String },
    #[error("{at} does not speak TLS")]
    SpeaksNoTls { at: String },
    #[error("{at} answers, and is no etcd that is known: {why}")]
    NotEtcd { at: String, why: String },
    #[error("{at} is etcd {version}; 3.4 is the oldest that is spoken to")]
    TooOld { at: String, version: String },
    #[error("{at} is etcd, and has its JSON gateway switched off")]
    NoGateway { at: String },
    #[error("it wants a user and a password")]
    NeedsLogin,
    #[error("it does not take this password of user `{0}`")]
    BadLogin(String),
    #[error("it knows no users, and was given `{0}`")]
    KnowsNoUsers(String),
    #[error("{} may not do this there", .0.as_ref().map_or("whoever has no user".into(), |user| format!("user `{user}`")))]
    Denied(Option<String>),
    #[error("its store is full")]
    Full,
    #[error("it takes no request as large as this one")]
    RequestTooLarge,
    #[error("its answer would be larger than it gives")]
    AnswerTooLarge,
    #[error("it refuses: {0}")]
    Refused(String),
    #[error("its answer does not read: {0}")]
    BadAnswer(String),
    #[error("{what} there is damaged: {why}")]
    Damaged { what: String, why: String },
    #[error("nothing was ever deployed there")]
    Empty,
    #[error("there is no deploy {0} there")]
    NoSuchDeploy(u64),
    #[error("deploy {0} there has no tree that could be published again")]
    NoTree(u64),
    #[error("deploy {0} is not the newest one there, so it is not running")]
    NotNewest(u64),
    #[error("deploy {0} is the first one there: there is none before it")]
    NothingBefore(u64),
    #[error("deploy {0} is the newest one there already")]
    AlreadyNewest(u64),
    #[error("{} larger than the {} bytes that etcd takes: {}", if .files.len() == 1 { "a file is" } else { "files are" }, .limit, some(.files))]
    LargeFiles { files: Vec<String>, limit: usize },
    #[error("the list of its {files} files takes {size} bytes, and etcd takes {limit}")]
    LargeTree { files: usize, size: usize, limit: usize },
    #[error("it has no place below the program's folder: {}", some(.0))]
    Outside(Vec<String>),
    #[error("`{0}` would come from two places with different contents")]
    TwoPlaces(String),
    #[error("`{0}` would be a file and a folder")]
    FileAndFolder(String),
    #[error("fetched and never approved: {}", .0.join(", "))]
    Strangers(Vec<String>),
    #[error("what was approved cannot be read: {0}")]
    Trust(String),
    #[error("the graph alone does not say {}", some(.0))]
    OpenGraph(Vec<String>),
    #[error("mgmt's own words there are others: {0}")]
    OtherVersion(String),
    #[error("somebody was quicker: deploy {id} is there now{}", .by.as_ref().map_or(String::new(), |by| format!(", by {by}")))]
    Raced { id: u64, by: Option<String> },
    #[error("the working tree of `{0}` has changes that are in no commit")]
    Dirty(String),
    #[error("git cannot say which commit this is: {0}")]
    Git(String),
    #[error("commit {0} is what runs there already")]
    SameCommit(String),
    #[error("deploy {id} there is of commit {there}, and the one before yours is {}", .parent.as_ref().map_or("none", |parent| parent))]
    OtherCommit { id: u64, there: String, parent: Option<String> },
    #[error("deploy {id} there is of commit {there}, and yours is of none")]
    NoCommit { id: u64, there: String },
    #[error("whether deploy {0} was published is not known: the connection was lost as it was")]
    Unsure(u64),
    #[error("stopped")]
    Cancelled,
}

/// The first of many; nobody reads a thousand names.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=SHOWN => shown,
        all => format!("{shown} and {} more", all - SHOWN),
    }
}

impl TargetError {
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
            | TargetError::OpenGraph(_)
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

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            TargetError::Address(_, why) if why.contains("password") => {
                "leave it out: it is asked for, or read from `--password-file` or WORKBENCH_ETCD_PASSWORD"
            }
            TargetError::Address(..) => "write such as `etcd://one:2379,two:2379`, with TLS `etcds://one:2379`",
            TargetError::TlsFile { .. } => "name a file in PEM form that you may read",
            TargetError::PasswordFile(_) => "name a file whose first line is the password",
            TargetError::PasswordCommand(_) => "try it by hand: its first line is taken for the password",
            TargetError::PasswordCommandSlow(_) => {
                "try it by hand: it cannot ask on this terminal; a file (`--password-file`) or WORKBENCH_ETCD_PASSWORD can hold the password instead"
            }
            TargetError::NoSuchTarget { known, .. } if known.is_empty() => {
                "name an address such as `etcd://localhost:2379`, or set `targets.NAME` in your config.toml"
            }
            TargetError::NoSuchTarget { .. } => "`workbench config explain targets` lists them",
            TargetError::NoPassword(_) => "name a file with it: `--password-file FILE`, or set WORKBENCH_ETCD_PASSWORD",
            TargetError::Unreachable(_) => {
                "look whether it runs, and whether a firewall stands between; mgmt's own etcd listens on loopback: `ssh -L 2379:localhost:2379 HOST` leads there"
            }
            TargetError::Tls { .. } => {
                "name the authority that signed it with `--ca FILE`, and the host as its certificate does"
            }
            TargetError::WantsCertificate { .. } => "name yours: `--cert FILE --key FILE`",
            TargetError::SpeaksTls { .. } => "write `etcds://`",
            TargetError::SpeaksNoTls { .. } => "write `etcd://`, and leave out `--ca`, `--cert` and `--key`",
            TargetError::NotEtcd { .. } => "name the client port of etcd, by default 2379",
            TargetError::TooOld { .. } => "take a newer etcd",
            TargetError::NoGateway { .. } => "start it with `--enable-grpc-gateway`, which is the default",
            TargetError::NeedsLogin => "name a user with `--user` or `etcd://USER@HOST`",
            TargetError::BadLogin(_) => "look at the user's name, and at the password",
            TargetError::KnowsNoUsers(_) => "leave the user out; authentication is switched off there",
            TargetError::Denied(_) => "the user needs a role that may read and write keys below `/_mgmt/`",
            TargetError::Full => "compact and defragment it, or raise its quota; mgmt never forgets a file",
            TargetError::RequestTooLarge => "raise its `--max-request-bytes`, or make the files smaller",
            TargetError::Damaged { .. } => {
                "a cluster that mgmt can read has no such thing; look at the key with `etcdctl get`"
            }
            TargetError::Empty => "`workbench deploy push` makes the first one",
            TargetError::NoSuchDeploy(_) | TargetError::NoTree(_) => {
                "`workbench deploy list --target` names those that there are"
            }
            TargetError::NotNewest(_) => "to run an older one again, say `workbench deploy undo --to ID --target ...`",
            TargetError::NothingBefore(_) => "push another program",
            TargetError::AlreadyNewest(_) => "there is nothing to do",
            TargetError::LargeFiles { .. } => "let the machines fetch them from elsewhere, or make them smaller",
            TargetError::LargeTree { .. } => "leave files out, or shorten their paths",
            TargetError::Outside(_) => "move it below the entry's folder, or push the graph alone: `--as mcl`",
            TargetError::TwoPlaces(_) => "keep one of the two in the module path",
            TargetError::FileAndFolder(_) => "rename one of the two",
            TargetError::Strangers(_) => "look at them, then let them act: `workbench modules ENTRY --approve`",
            TargetError::Trust(_) => "name another folder with `--state-dir`",
            TargetError::OpenGraph(_) => "push the program itself: leave `--as` out",
            TargetError::OtherVersion(_) => {
                "its mgmt is of a version that is not known here; `--force` publishes all the same"
            }
            TargetError::Raced { .. } => {
                "look at what they published with `workbench deploy show --target`, then try again; `--retries N` takes the next number at once"
            }
            TargetError::Dirty(_) => "commit or stash them, or say `--no-git`",
            TargetError::Git(_) => "say `--no-git` to publish without a commit",
            TargetError::SameCommit(_) => "commit something new, or say `--force` to publish it again",
            TargetError::OtherCommit { .. } => {
                "bring the two together in git first, or say `--force` to leave the chain"
            }
            TargetError::NoCommit { .. } => "push from a git repository, or say `--no-git` to leave the chain",
            TargetError::Unsure(_) => {
                "`workbench deploy list --target` tells once it answers; what was published is whole"
            }
            TargetError::Cancelled => "nothing was published",
            TargetError::Refused(_) | TargetError::BadAnswer(_) | TargetError::AnswerTooLarge => {
                "look at the log of etcd"
            }
        }
    }
}
