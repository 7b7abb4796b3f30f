//! A machine in memory for tests: files, answers of guards, packages, services and accounts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    Accounts, Command, Contents, FileKind, Group, HostError, Identity, Installed, Interface, LookAccounts,
    LookCommands, LookFiles, LookKernel, LookMounts, LookNetwork, LookPackages, LookServices, Mounted, Output,
    PackageChange, PackageEffect, Packed, Presence, SETTINGS, Service, Stat, Unit, User,
};

/// An entry of the table.
#[derive(Clone, Debug)]
enum Entry {
    File(Arc<[u8]>, u32),
    Dir(u32),
    Link(PathBuf),
}

/// A machine in memory, read-only like any other `Look`. An overlay over it accepts writes.
#[derive(Clone, Debug)]
pub struct Memory {
    entries: BTreeMap<PathBuf, Entry>,
    probes: Vec<(OsString, Output)>,
    accounts: Accounts,
    packages: BTreeMap<String, Package>,
    /// The files of packages, if known.
    brings: BTreeMap<String, Vec<PathBuf>>,
    /// The contents of packages that were fetched and are not installed.
    fetched: BTreeMap<String, Contents>,
    /// `None`: the machine has no service manager.
    services: Option<BTreeMap<String, Service>>,
    mounts: Vec<Mounted>,
    parameters: BTreeMap<String, String>,
    interfaces: BTreeMap<String, Interface>,
}

/// A package of the table.
#[derive(Clone, Debug)]
struct Package {
    installed: Option<Installed>,
    offered: Vec<String>,
    needs: Vec<String>,
}

impl Default for Memory {
    fn default() -> Self {
        let root = User { name: "root".into(), home: "/root".into(), shell: "/bin/sh".into(), ..User::default() };
        let wheel = Group { name: "root".into(), ..Group::default() };
        Self {
            entries: BTreeMap::from([(PathBuf::from("/"), Entry::Dir(0o755))]),
            probes: Vec::new(),
            accounts: Accounts { users: vec![root], groups: vec![wheel], ..Accounts::default() },
            packages: BTreeMap::new(),
            brings: BTreeMap::new(),
            fetched: BTreeMap::new(),
            services: Some(BTreeMap::new()),
            mounts: Vec::new(),
            parameters: BTreeMap::new(),
            interfaces: BTreeMap::new(),
        }
    }
}

impl Memory {
    /// Adds a file. Its folders must be added separately.
    pub fn file(mut self, path: &str, content: &str, mode: u32) -> Self {
        self.entries.insert(path.into(), Entry::File(content.as_bytes().into(), mode));
        self
    }

    /// Adds a folder.
    pub fn dir(mut self, path: &str, mode: u32) -> Self {
        self.entries.insert(path.into(), Entry::Dir(mode));
        self
    }

    /// Adds a symbolic link.
    pub fn link(mut self, path: &str, target: &str) -> Self {
        self.entries.insert(path.into(), Entry::Link(target.into()));
        self
    }

    /// Sets the answer of a guard, by its program. Other guards are unknown.
    pub fn probe(mut self, program: &str, code: i32, stdout: &str) -> Self {
        let (stdout, combined) = (stdout.as_bytes().to_vec(), stdout.as_bytes().to_vec());
        self.probes.push((program.into(), Output { code: Some(code), stdout, combined, ..Output::default() }));
        self
    }

    /// Adds a user.
    pub fn user(mut self, user: User) -> Self {
        self.accounts.users.push(user);
        self
    }

    /// Adds a group with its members.
    pub fn group(mut self, name: &str, gid: u32, members: &[&str]) -> Self {
        let members = members.iter().map(|member| (*member).to_owned()).collect();
        self.accounts.groups.push(Group { name: name.into(), gid, members });
        self
    }

    /// Adds a package with its offered versions, the preferred one first, and its dependencies.
    pub fn package(mut self, name: &str, installed: Option<&str>, offered: &[&str], needs: &[&str]) -> Self {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let installed = installed.map(|version| Installed { version: version.into(), held: false });
        self.packages.insert(name.into(), Package { installed, offered: own(offered), needs: own(needs) });
        self
    }

    /// Sets the files of a package.
    pub fn brings(mut self, package: &str, files: &[&str]) -> Self {
        self.brings.insert(package.into(), files.iter().map(PathBuf::from).collect());
        self
    }

    /// Adds a fetched package: its paths, with a slash at the end of folders, and whether it has scripts. Its
    /// configuration files contain "packaged".
    pub fn fetched(mut self, package: &str, paths: &[&str], has_scripts: bool) -> Self {
        let packed = |path: &&str| {
            let (kind, mode) = if path.ends_with('/') { (FileKind::Dir, 0o755) } else { (FileKind::File, 0o644) };
            let path = PathBuf::from(path.trim_end_matches('/'));
            let text = path.starts_with(SETTINGS).then(|| Arc::from(*b"packaged"));
            Packed { path, kind, mode, user: "root".into(), group: "root".into(), size: 1, target: None, text }
        };
        self.fetched.insert(package.into(), Contents { entries: paths.iter().map(packed).collect(), has_scripts });
        self
    }

    /// Adds a service.
    pub fn service(mut self, name: &str, service: Service) -> Self {
        self.services.get_or_insert_default().insert(name.into(), service);
        self
    }

    /// Removes the service manager.
    pub fn without_service_manager(mut self) -> Self {
        self.services = None;
        self
    }

    /// Adds a mounted file system.
    pub fn mounted(mut self, device: &str, target: &str, kind: &str, options: &[&str]) -> Self {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        self.mounts.push(Mounted { device: device.into(), target: target.into(), kind: kind.into(), options });
        self
    }

    /// Sets a kernel parameter.
    pub fn parameter(mut self, key: &str, value: &str) -> Self {
        self.parameters.insert(key.into(), value.into());
        self
    }

    /// Adds a network interface.
    pub fn interface(mut self, name: &str, interface: Interface) -> Self {
        self.interfaces.insert(name.into(), interface);
        self
    }

    /// Follows links along the whole path.
    fn follow(&self, path: &Path) -> Option<&Entry> {
        let mut path = path.to_path_buf();
        for _ in 0..40 {
            match self.entries.get(&path)? {
                Entry::Link(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
                entry => return Some(entry),
            }
        }
        None
    }
}

fn to_stat(entry: &Entry) -> Stat {
    let (kind, mode, size) = match entry {
        Entry::File(content, mode) => (FileKind::File, *mode, content.len() as u64),
        Entry::Dir(mode) => (FileKind::Dir, *mode, 0),
        Entry::Link(target) => (FileKind::Link, 0o777, target.as_os_str().len() as u64),
    };
    Stat { kind, mode, uid: 0, gid: 0, size }
}

impl LookFiles for Memory {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        Ok(self.entries.get(path).map(to_stat))
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        Ok(self.follow(path).map(to_stat))
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        match self.follow(path) {
            Some(Entry::File(content, _)) => Ok(Some(Arc::clone(content))),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        match self.entries.get(path) {
            Some(Entry::Link(target)) => Ok(target.clone()),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        let below = self.entries.keys().filter(|there| there.parent() == Some(path));
        Ok(below.filter_map(|there| there.file_name()).map(OsString::from).collect())
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        let there = self.follow(path).map(|_| Some(0));
        there.ok_or_else(|| HostError::Missing { path: path.into() })
    }

    fn xattr(&self, _path: &Path, _name: &str) -> Result<Option<Vec<u8>>, HostError> {
        Ok(None)
    }
}

impl LookAccounts for Memory {
    fn identity(&self) -> Identity {
        Identity { uid: 0, gid: 0, umask: 0o022 }
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        Ok(self.accounts.user(name).map(|user| user.uid))
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        Ok(self.accounts.group(name).map(|group| group.gid))
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        self.accounts.user_by_id(uid).map(|user| user.name.clone())
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        self.accounts.group_by_id(gid).map(|group| group.name.clone())
    }

    fn accounts(&self) -> Result<Accounts, HostError> {
        Ok(self.accounts.clone())
    }
}

impl LookPackages for Memory {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError> {
        Ok(self.packages.get(name).and_then(|package| package.installed.clone()))
    }

    fn offered(&self, name: &str) -> Result<Vec<String>, HostError> {
        Ok(self.packages.get(name).map(|package| package.offered.clone()).unwrap_or_default())
    }

    fn files(&self, name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
        Ok(self.brings.get(name).cloned())
    }

    fn contents(&self, name: &str, _version: &str) -> Result<Option<Contents>, HostError> {
        Ok(self.fetched.get(name).cloned())
    }

    fn effects_together(&self, changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
        let mut together: BTreeMap<String, PackageEffect> = BTreeMap::new();
        for change in changes {
            let effects = self.effects(change)?.unwrap_or_default();
            together.extend(effects.into_iter().map(|effect| (effect.name.clone(), effect)));
        }
        Ok(Some(together.into_values().filter(|effect| effect.from != effect.to).collect()))
    }

    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        let version = |name: &str| {
            let package = self.packages.get(name)?;
            package.installed.as_ref().map(|installed| installed.version.clone())
        };
        let mut effects: Vec<PackageEffect> = Vec::new();
        match change {
            PackageChange::Remove { packages, .. } => {
                let gone = packages.iter().map(|name| (name.clone(), version(name)));
                effects.extend(gone.map(|(name, from)| PackageEffect { name, from, to: None }));
            }
            PackageChange::Install { packages, .. } => {
                for wanted in packages {
                    let Some(package) = self.packages.get(&wanted.name) else { continue };
                    let missing = package.needs.iter().filter(|need| version(need).is_none());
                    effects.extend(missing.map(|need| PackageEffect {
                        name: need.clone(),
                        from: None,
                        to: self.packages.get(need).and_then(|package| package.offered.first().cloned()),
                    }));
                    let to = wanted.version.clone().or_else(|| package.offered.first().cloned());
                    effects.push(PackageEffect { name: wanted.name.clone(), from: version(&wanted.name), to });
                }
            }
        }
        Ok(Some(effects))
    }
}

impl LookServices for Memory {
    fn service(&self, unit: &Unit) -> Result<Service, HostError> {
        let Some(services) = &self.services else {
            return Err(HostError::NoManager { what: "service manager", why: "none is running".into() });
        };
        Ok(services.get(&unit.name).copied().unwrap_or_else(|| Service::not_there(Presence::Missing)))
    }
}

impl LookMounts for Memory {
    fn mounts(&self) -> Result<Vec<Mounted>, HostError> {
        Ok(self.mounts.clone())
    }
}

impl LookKernel for Memory {
    fn parameter(&self, key: &str) -> Result<Option<String>, HostError> {
        Ok(self.parameters.get(key).cloned())
    }
}

impl LookNetwork for Memory {
    fn interface(&self, name: &str) -> Result<Option<Interface>, HostError> {
        Ok(self.interfaces.get(name).cloned())
    }
}

impl crate::host::LookWeb for Memory {}

impl LookCommands for Memory {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        Ok(self.probes.iter().find(|(program, _)| *program == command.program).map(|(_, output)| output.clone()))
    }
}
