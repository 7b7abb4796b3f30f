//! The real machine, read and never written.

mod command;
mod foreign;
mod hardware;
mod interfaces;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use uzers::os::unix::UserExt;

use foreign::Foreign;

use super::exported::{export_folder, exports_of};
use super::store::{key_of, stored_by_host, stored_path};
use super::{Account, Answers, Export, PathKind, ProcessNumber, Read, ReadError, Sample, World};

/// Larger files are refused: 64 MiB, above the size of a program with 100,000 resources.
const FILE_LIMIT: u64 = 64 << 20;

/// The machine that this program runs on.
#[derive(Clone, Debug, Default)]
pub struct Live {
    commands: bool,
    /// The runner of the foreign code of modules, if it may run.
    plugins: Option<Arc<Foreign>>,
    /// The answers of plugins in a bundle.
    answers: Arc<Answers>,
    /// The folder for state, if it is not the default.
    state: Option<PathBuf>,
}

impl Live {
    /// Makes a world that may run no command and no foreign code.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows the user's commands.
    pub fn with_commands(self) -> Self {
        Self { commands: true, ..self }
    }

    /// Allows the foreign code of modules.
    pub fn with_plugins(self) -> Self {
        Self { plugins: Some(Arc::default()), ..self }
    }

    /// Uses recorded answers of plugins.
    pub fn with_answers(self, answers: Answers) -> Self {
        Self { answers: Arc::new(answers), ..self }
    }

    /// Uses another folder for state.
    pub fn with_state(self, state: PathBuf) -> Self {
        Self { state: Some(state), ..self }
    }

    fn state(&self) -> Result<PathBuf, ReadError> {
        self.state.clone().map_or_else(state_folder, Ok)
    }
}

impl World for Live {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        match what {
            Read::File(path) => read_file(path).map(|bytes| Sample::Bytes(bytes.into())),
            Read::Kind(path) => kind(path).map(Sample::Kind),
            Read::Folder(path) => names(path).map(Sample::Names),
            Read::Link(path) => std::fs::read_link(path).map(Sample::Path).map_err(|error| failed(path, &error)),
            Read::Hostname => Ok(Sample::Text(hostname())),
            Read::Now => Ok(Sample::Integer(jiff::Timestamp::now().as_second())),
            Read::Environment => Ok(Sample::Pairs(environment())),
            Read::Arguments => Ok(Sample::Names(std::env::args_os().map(|word| word.display().to_string()).collect())),
            Read::Executable => {
                std::env::current_exe().map(Sample::Path).map_err(|e| failed(Path::new("/proc/self/exe"), &e))
            }
            Read::WorkingFolder => {
                std::env::current_dir().map(Sample::Path).map_err(|error| failed(Path::new("."), &error))
            }
            Read::StateFolder => self.state().map(Sample::Path),
            Read::Account(name) => account(name),
            Read::AccountById(id) => account_by_id(*id).map(Sample::Text),
            Read::Machine => Ok(Sample::Pairs(machine())),
            Read::Hardware => Ok(Sample::Pairs(hardware::read())),
            Read::Space(path) => space(path).map(Sample::Pairs),
            Read::Locale => Ok(Sample::Text(locale())),
            Read::Process(number) => Ok(Sample::Integer(process(*number))),
            Read::Uptime => number_in("/proc/uptime", 0).map(|seconds| Sample::Integer(seconds as i64)),
            Read::Load => load(),
            Read::CpuCount => Ok(Sample::Integer(std::thread::available_parallelism().map_or(1, |n| n.get() as i64))),
            Read::KernelModules => kernel_modules().map(Sample::Names),
            Read::Interfaces => interfaces::read().map(Sample::Interfaces),
            Read::Virtual => Ok(Sample::Flag(is_virtual())),
            Read::Random { id: _, len } => random(*len).map(|bytes| Sample::Bytes(bytes.into())),
            Read::Command(text) if self.commands => command::run(text).map(Sample::Text),
            Read::Command(text) => Err(ReadError::NotAllowed(text.clone())),
            Read::Plugin(call) => match (self.answers.find(call), &self.plugins) {
                (Some(answer), _) => Ok(Sample::Text(answer.to_owned())),
                (None, Some(plugins)) => plugins.ask(call).map(Sample::Text),
                (None, None) => Err(ReadError::NotAllowed("a plugin".into())),
            },
            // fwupd answers over D-Bus, which is not supported here. A host without fwupd never needs a reboot for it.
            Read::RebootNeeded => Ok(Sample::Flag(false)),
            // Only a running cluster or a finished apply has these.
            Read::Stored(key) => {
                read_file(&stored_path(&self.state()?, key, None)).map(|bytes| Sample::Text(text(&bytes)))
            }
            Read::StoredByHost(key) => stored(&stored_by_host(&self.state()?, key)).map(Sample::Pairs),
            Read::Exported(kind) => exported(&export_folder(&self.state()?), kind).map(Sample::Exports),
            Read::Scheduled(_) | Read::Held(_) | Read::Response(_) => Err(ReadError::Unknown(format!("{what:?}"))),
        }
    }
}

fn failed(path: &Path, error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound(path.into()),
        _ => ReadError::Failed { path: path.into(), reason: error.to_string() },
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let refused = |reason: &str| ReadError::Failed { path: path.into(), reason: reason.into() };
    // Check the type first: opening a pipe would wait for a writer.
    let about = std::fs::metadata(path).map_err(|error| failed(path, &error))?;
    if about.is_dir() {
        return Err(refused("is a folder"));
    }
    if !about.is_file() {
        return Err(refused("is not a regular file"));
    }
    // Some of the kernel's files, such as /proc/kmsg, wait for data. Without blocking they give an error.
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = opened.map_err(|error| failed(path, &error))?;
    let mut bytes = Vec::with_capacity(about.len().min(FILE_LIMIT) as usize + 1);
    // `metadata` gives the size zero below /proc, so the limit applies to the bytes read.
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(|error| failed(path, &error))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(ReadError::TooLarge { path: path.into(), limit: FILE_LIMIT });
    }
    Ok(bytes)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the value that each host stored.
fn stored(folder: &Path) -> Result<std::collections::BTreeMap<String, String>, ReadError> {
    let mut pairs = std::collections::BTreeMap::new();
    for name in names(folder)? {
        if let Some(host) = key_of(&name) {
            pairs.insert(host, text(&read_file(&folder.join(&name))?));
        }
    }
    Ok(pairs)
}

/// Returns the exports of this machine's programs to it.
fn exported(folder: &Path, kind: &str) -> Result<Vec<Export>, ReadError> {
    match names(folder) {
        Err(ReadError::NotFound(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
        Ok(names) => exports_of(folder, names, kind, &hostname(), read_file),
    }
}

fn kind(path: &Path) -> Result<PathKind, ReadError> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(PathKind::File),
        Ok(about) if about.is_dir() => Ok(PathKind::Folder),
        Ok(_) => Ok(PathKind::Other),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(PathKind::Missing)
        }
        Err(error) => Err(failed(path, &error)),
    }
}

fn names(path: &Path) -> Result<Vec<String>, ReadError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path).map_err(|error| failed(path, &error))? {
        let entry = entry.map_err(|error| failed(path, &error))?;
        names.push(entry.file_name().display().to_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns `WORKBENCH_HOSTNAME` if set, even if empty; else the kernel's name up to its first dot.
pub fn hostname() -> String {
    if let Some(name) = std::env::var_os("WORKBENCH_HOSTNAME") {
        return name.display().to_string();
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn environment() -> std::collections::BTreeMap<String, String> {
    std::env::vars_os().map(|(name, value)| (name.display().to_string(), value.display().to_string())).collect()
}

/// Returns `WORKBENCH_STATE` if set; else the platform's folder.
fn state_folder() -> Result<PathBuf, ReadError> {
    if let Some(path) = std::env::var_os("WORKBENCH_STATE").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let places = directories::ProjectDirs::from("", "", "workbench");
    match places.as_ref().and_then(|places| places.state_dir()) {
        Some(path) => Ok(path.into()),
        None => Err(ReadError::Unknown("state folder: this user has no home folder".into())),
    }
}

fn account(name: &str) -> Result<Sample, ReadError> {
    let user = uzers::get_user_by_name(name).ok_or_else(|| ReadError::Unknown(format!("user {name}")))?;
    Ok(Sample::Account(Account {
        uid: user.uid(),
        gid: user.primary_group_id(),
        home: user.home_dir().into(),
        shell: user.shell().into(),
    }))
}

fn account_by_id(id: u32) -> Result<String, ReadError> {
    let user = uzers::get_user_by_uid(id).ok_or_else(|| ReadError::Unknown(format!("user of number {id}")))?;
    Ok(user.name().to_string_lossy().into_owned())
}

fn machine() -> BTreeMap<String, String> {
    let uname = rustix::system::uname();
    let fields = [
        ("sysname", uname.sysname()),
        ("nodename", uname.nodename()),
        ("release", uname.release()),
        ("version", uname.version()),
        ("machine", uname.machine()),
    ];
    fields.into_iter().map(|(name, text)| (name.to_owned(), text.to_string_lossy().into_owned())).collect()
}

fn space(path: &Path) -> Result<BTreeMap<String, String>, ReadError> {
    let stat = rustix::fs::statvfs(path).map_err(|error| failed(path, &error.into()))?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize).to_string();
    let sizes = [("size", stat.f_blocks), ("free", stat.f_bfree), ("available", stat.f_bavail)];
    Ok(sizes.into_iter().map(|(name, blocks)| (name.to_owned(), bytes(blocks))).collect())
}

/// Returns the locale from its variables, in order of precedence.
fn locale() -> String {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default()
}

fn process(number: ProcessNumber) -> i64 {
    match number {
        ProcessNumber::User => rustix::process::getuid().as_raw().into(),
        ProcessNumber::EffectiveUser => rustix::process::geteuid().as_raw().into(),
        ProcessNumber::Group => rustix::process::getgid().as_raw().into(),
        ProcessNumber::EffectiveGroup => rustix::process::getegid().as_raw().into(),
        ProcessNumber::Id => std::process::id().into(),
        ProcessNumber::Parent => std::os::unix::process::parent_id().into(),
        // The size on nearly every machine. Asking the kernel needs another crate feature for no gain.
        ProcessNumber::PageSize => 4096,
    }
}

/// Parses the n-th word of a kernel file as a number.
fn number_in(path: &str, word: usize) -> Result<f64, ReadError> {
    let text = String::from_utf8_lossy(&read_file(Path::new(path))?).into_owned();
    let number = text.split_whitespace().nth(word).and_then(|word| word.parse().ok());
    number.ok_or_else(|| ReadError::Failed { path: path.into(), reason: "contains no number where expected".into() })
}

fn load() -> Result<Sample, ReadError> {
    // The kernel counts in parts of 1/65536. Its text in /proc has only two digits.
    let loads = rustix::system::sysinfo().loads;
    Ok(Sample::Load(loads.map(|load| load as f64 / 65_536.0)))
}

fn kernel_modules() -> Result<Vec<String>, ReadError> {
    let text = read_file(Path::new("/proc/modules"))?;
    let mut names: Vec<_> = String::from_utf8_lossy(&text)
        .lines()
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// A hypervisor is visible in the processor's flags, or in the machine's vendor.
fn is_virtual() -> bool {
    const MAKERS: [&str; 8] =
        ["QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Amazon EC2", "Google Compute Engine"];
    let text = |path: &str| String::from_utf8_lossy(&read_file(Path::new(path)).unwrap_or_default()).into_owned();
    let flagged = text("/proc/cpuinfo").lines().any(|line| {
        (line.starts_with("flags") || line.starts_with("Features")) && line.split(' ').any(|flag| flag == "hypervisor")
    });
    let made = text("/sys/class/dmi/id/sys_vendor") + &text("/sys/class/dmi/id/product_name");
    flagged || MAKERS.iter().any(|maker| made.contains(maker))
}

fn random(len: u32) -> Result<Vec<u8>, ReadError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = vec![0; len.min(FILE_LIMIT as u32) as usize];
    File::open(path).and_then(|mut file| file.read_exact(&mut bytes)).map_err(|error| failed(path, &error))?;
    Ok(bytes)
}
