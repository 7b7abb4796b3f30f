//! Everything that evaluation may read: files, facts, environment, clock, shared store. There is one call, and every
//! read is data.
//!
//! A [`Read`] is a request, and a [`Sample`] its answer. Therefore a world can be recorded, frozen, replayed and
//! watched independent of the reader; a [`Watcher`] reads again what may have changed. Deliberately absent: writing,
//! and the user's commands (they are samples that need permission).

mod answers;
mod cancel;
#[allow(clippy::disallowed_methods, reason = "it starts the foreign code of `live`")]
mod contained;
mod describe;
mod exported;
mod fenced;
mod frozen;
#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the machine for everybody else")]
mod live;
mod look_up;
mod memory;
mod redirected;
mod store;
mod replayed;
#[allow(clippy::disallowed_methods, reason = "it looks for folders to watch on this machine")]
mod watcher;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::source::{Sources, Span};

pub use answers::Answers;
pub use cancel::{Cancel, Stop, Stopped};
pub use contained::{Bounds, contain, contained};
pub use describe::{brief, parse_sample, text_of};
pub use exported::{EXPORT_FORM, OwnExports, StoredExport, export_folder, export_name, exporter, exporter_of};
pub use fenced::{Fenced, Judged, Outside};
pub use frozen::Frozen;
pub use live::{Live, hostname as own_hostname};
pub use look_up::{MOST_NAMES, is_question};
pub use memory::Memory;
pub use redirected::Redirected;
pub use replayed::Replayed;
pub use store::{SECRET_MODE, is_secret_mode, pool_path, store_folder, stored_path};
pub use watcher::{Nudge, Watcher, WorldChanges};

/// A request to the machine. Built-in functions add variants. Keep it plain data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Read {
    /// The whole content of a file.
    File(PathBuf),
    /// The type of a path, following links.
    Kind(PathBuf),
    /// The names in a folder, sorted.
    Folder(PathBuf),
    Hostname,
    /// The time, in whole seconds since 1970.
    Now,
    Environment,
    /// The target of a symbolic link, not followed further.
    Link(PathBuf),
    /// The arguments of this program, its own name first.
    Arguments,
    /// The path of this program.
    Executable,
    /// The current folder.
    WorkingFolder,
    /// The folder for persistent state of this program.
    StateFolder,
    /// A user account by name.
    Account(String),
    /// A number of this process: see [`ProcessNumber`].
    Process(ProcessNumber),
    /// Seconds since the machine started.
    Uptime,
    /// The load averages over 1, 5 and 15 minutes.
    Load,
    CpuCount,
    /// The names of loaded kernel modules, sorted.
    KernelModules,
    /// Network interfaces in the order of their names.
    Interfaces,
    /// Whether the machine is virtual.
    Virtual,
    /// Whether a firmware update requires a reboot.
    RebootNeeded,
    /// This many random bytes. The id distinguishes two such reads.
    Random {
        id: String,
        len: u32,
    },
    /// The value of a key in the shared store.
    Stored(String),
    /// The value that each host stored under a key.
    StoredByHost(String),
    /// The hosts that a scheduler chose, by its namespace.
    Scheduled(String),
    /// The resources of a kind that hosts export to this one.
    Exported(String),
    /// The value of the `value` resource with that name, as JSON.
    Held(String),
    /// The response to the HTTP client resource with that name: the status and the body.
    Response(String),
    /// The output of a user's command, if allowed.
    Command(String),
    /// The answer of the foreign code of modules, if allowed.
    Plugin(PluginCall),
    /// The fields of `uname`: `sysname`, `nodename`, `release`, `version`, `machine`.
    Machine,
    /// The name of the account with a number.
    AccountById(u32),
    /// The file system of a path: `size`, `free` and `available`, in bytes.
    Space(PathBuf),
    /// The machine's memory and processors now: sizes in bytes, counts, and models.
    Hardware,
    /// The locale of this process, such as `en_US.UTF-8`; empty if none is set.
    Locale,
}

/// A request to the foreign code of modules. Both texts are JSON.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PluginCall {
    pub interpreter: Interpreter,
    /// The modules with their folders and files, and the hash of these files.
    pub modules: Arc<str>,
    /// A call with its arguments; empty for the declarations of the modules.
    pub request: Arc<str>,
}

/// A program that runs foreign code, or looks up names for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Interpreter {
    #[default]
    Python,
    Ruby,
    /// Looks up names and addresses of machines for Ruby, which has no network.
    Resolver,
}

/// The numbers of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProcessNumber {
    User,
    EffectiveUser,
    Group,
    EffectiveGroup,
    Id,
    Parent,
    PageSize,
}

/// The answer to a read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Sample {
    /// In JSON as text if they are UTF-8.
    Bytes(#[serde(with = "bytes")] Arc<[u8]>),
    Kind(PathKind),
    Names(Vec<String>),
    Text(String),
    Integer(i64),
    Pairs(BTreeMap<String, String>),
    Flag(bool),
    Path(PathBuf),
    Load([f64; 3]),
    Account(Account),
    Interfaces(Vec<Interface>),
    Exports(Vec<Export>),
    Response {
        status: i64,
        body: String,
    },
}

/// Bytes in JSON: a text, or numbers if they are not UTF-8. Other formats have bytes.
mod bytes {
    use std::sync::Arc;

    use serde::de::Visitor;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Text(String),
        Numbers(Vec<u8>),
    }

    struct Plain;

    impl Visitor<'_> for Plain {
        type Value = Arc<[u8]>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(bytes.into())
        }
    }

    /// Writes bytes: as bytes in a binary format, else as text, else as a list of numbers.
    pub fn serialize<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            _ if !serializer.is_human_readable() => serializer.serialize_bytes(bytes),
            Ok(text) => serializer.serialize_str(text),
            Err(_) => bytes.serialize(serializer),
        }
    }

    /// Reads bytes that `serialize` wrote in the same format.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[u8]>, D::Error> {
        if !deserializer.is_human_readable() {
            return deserializer.deserialize_byte_buf(Plain);
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Text(text) => text.into_bytes().into(),
            Form::Numbers(numbers) => numbers.into(),
        })
    }
}

/// A user account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub uid: u32,
    pub gid: u32,
    pub home: PathBuf,
    pub shell: PathBuf,
}

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    pub name: String,
    /// Its hardware address, in lower case with colons; empty if it has none.
    pub mac: String,
    /// Its addresses with their prefix lengths, such as `192.0.2.7/24`.
    pub addresses: Vec<String>,
    /// Whether it is hardware with a cable: neither wireless nor virtual.
    pub wired: bool,
}

/// A resource that a host exports.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Export {
    pub name: String,
    pub host: String,
    /// The program that exports it, for display.
    #[serde(default)]
    pub program: String,
    /// The description of the resource, as JSON.
    #[serde(default)]
    pub resource: String,
    /// Its file in the store.
    #[serde(default)]
    pub file: PathBuf,
    /// Whether the reading program exports it itself.
    #[serde(default)]
    pub is_own: bool,
}

/// The type of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathKind {
    Missing,
    File,
    Folder,
    Other,
}

/// Why a read failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ReadError {
    #[error("{}: not found", .0.display())]
    NotFound(PathBuf),
    #[error("{}: {reason}", .path.display())]
    Failed { path: PathBuf, reason: String },
    #[error("{}: larger than {limit} bytes", .path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("unknown: {0}")]
    Unknown(String),
    /// A path outside of what a program with these unapproved modules may read.
    #[error("{}: not read for the unapproved module {}", .path.display(), .modules.first().map_or("", String::as_str))]
    Refused { path: PathBuf, modules: Vec<String> },
    /// A command that is not allowed; the text is the command.
    #[error("command not run without --run-guards: {0}")]
    NotAllowed(String),
}

/// The readable side of a machine.
pub trait World: Send + Sync {
    fn read(&self, what: &Read) -> Result<Sample, ReadError>;

    /// Reads several things.
    fn read_all(&self, what: &[Read]) -> Vec<Result<Sample, ReadError>> {
        what.iter().map(|what| self.read(what)).collect()
    }

    /// Announces reads that follow in any case: a world that is slow to reach may be asked for all of them at once.
    fn announce(&self, reads: &[Read]) {
        let _ = reads;
    }

    /// Notes where the evaluation is, in case that this process dies there.
    fn note(&self, file: &str, line: u32) {
        let _ = (file, line);
    }
}

impl<W: World + ?Sized> World for &W {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        (**self).read(what)
    }

    fn read_all(&self, what: &[Read]) -> Vec<Result<Sample, ReadError>> {
        (**self).read_all(what)
    }

    fn announce(&self, reads: &[Read]) {
        (**self).announce(reads);
    }

    fn note(&self, file: &str, line: u32) {
        (**self).note(file, line);
    }
}

impl<W: World + ?Sized> World for Arc<W> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        (**self).read(what)
    }

    fn read_all(&self, what: &[Read]) -> Vec<Result<Sample, ReadError>> {
        (**self).read_all(what)
    }

    fn announce(&self, reads: &[Read]) {
        (**self).announce(reads);
    }

    fn note(&self, file: &str, line: u32) {
        (**self).note(file, line);
    }
}

impl dyn World + '_ {
    /// Notes the start of a span; see [`World::note`].
    pub fn note_at(&self, sources: &Sources, span: Span) {
        let file = sources.file(span.file);
        self.note(&file.name, file.line_at(span.start));
    }

    /// Returns the bytes of a file.
    pub fn file(&self, path: &Path) -> Result<Arc<[u8]>, ReadError> {
        match self.read(&Read::File(path.into()))? {
            Sample::Bytes(bytes) => Ok(bytes),
            _ => Err(ReadError::Unknown(format!("content of {}", path.display()))),
        }
    }

    /// Returns the type of a path. An unreadable one counts as missing.
    pub fn kind(&self, path: &Path) -> PathKind {
        match self.read(&Read::Kind(path.into())) {
            Ok(Sample::Kind(kind)) => kind,
            _ => PathKind::Missing,
        }
    }

    /// The resources of a kind that may be collected on this host; none where there is no store.
    pub fn exports(&self, kind: &str) -> Result<Vec<Export>, ReadError> {
        match self.read(&Read::Exported(kind.into())) {
            Ok(Sample::Exports(exports)) => Ok(exports),
            Ok(_) | Err(ReadError::Unknown(_) | ReadError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Runs code of a module, and returns its answer; `Ok(None)` where it may not run, `Err` with the reason of a failure.
    pub fn plugin(
        &self,
        interpreter: Interpreter,
        modules: &Arc<str>,
        request: &Arc<str>,
    ) -> Result<Option<String>, String> {
        let call = PluginCall { interpreter, modules: Arc::clone(modules), request: Arc::clone(request) };
        match self.read(&Read::Plugin(call)) {
            Ok(Sample::Text(answer)) => Ok(Some(answer)),
            Err(ReadError::NotAllowed(_)) => Ok(None),
            Err(ReadError::Failed { reason, .. }) => Err(reason),
            Err(error) => Err(error.to_string()),
            Ok(_) => Err("its answer is no text".to_string()),
        }
    }

    /// Returns the host name that programs see; empty if it is set to that.
    pub fn hostname(&self) -> String {
        match self.read(&Read::Hostname) {
            Ok(Sample::Text(name)) => name,
            _ => String::new(),
        }
    }
}
