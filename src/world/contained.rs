//! Foreign code in a process without access of its own: this program again, which gives up its rights and becomes the
//! foreign program.
//!
//! Landlock leaves it the folders in [`Bounds`], seccomp leaves it no network (or name servers), no other processes and no change of a
//! file's owner or mode, and limits bound its memory, processor time and files. Each is missing where the kernel has
//! none. Visible through both: whether a path exists, its size, owner and times.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, Scope,
};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

/// The process name before the foreign program starts.
const NAME: &str = "workbench-contained";

/// Whether this program handles [`NAME`], so that it may be started again.
static ABLE: AtomicBool = AtomicBool::new(false);

/// The accesses of a contained process.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Folders and files to read, besides the system's libraries.
    pub read: Vec<PathBuf>,
    /// The one folder to write.
    pub write: PathBuf,
    /// The address space in bytes.
    pub memory: u64,
    /// Processor time in seconds.
    pub processor: u64,
    /// Whether it may look up names: with any machine by UDP, and by TCP at the port of name servers.
    pub has_network: bool,
}

/// The port of name servers.
const NAME_SERVER: u16 = 53;

/// The families of addresses that a look-up of names uses. The last one lists the addresses of this machine.
const FAMILIES: [i32; 3] = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The system calls of a look-up of names.
const NETWORK_CALLS: [libc::c_long; 9] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_setsockopt,
];

/// The system's libraries, and the public files that they read.
const SYSTEM: [&str; 14] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/usr/share/zoneinfo",
    "/dev/urandom",
    "/dev/zero",
];

/// Variables of the environment that a contained process keeps, besides `LC_*`.
const VARIABLES: [&str; 4] = ["LANG", "LANGUAGE", "PATH", "TZ"];

/// The size limit of a file: 16 MiB.
const FILE: u64 = 16 << 20;

/// The limit on open files.
const FILES: u64 = 64;

/// Becomes the foreign program if this process was started for one. `main` calls this first.
pub fn contain() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    if words.next().is_none_or(|name| name != NAME) {
        ABLE.store(true, Ordering::Relaxed);
        return None;
    }
    // The error is not reported; the caller sees that the process ended.
    let _ = start(words);
    Some(ExitCode::FAILURE)
}

/// A command for a foreign program within bounds. `None` if this program cannot be started again.
///
/// The process ends with the thread that starts it.
pub fn contained(program: &Path, bounds: &Bounds) -> Option<Command> {
    let bounds = serde_json::to_string(bounds).ok().filter(|_| ABLE.load(Ordering::Relaxed))?;
    let mut command = Command::new("/proc/self/exe");
    command.arg0(NAME).arg(bounds).arg(program).env_clear();
    command.envs(
        std::env::vars_os()
            .filter(|(name, _)| VARIABLES.iter().any(|kept| name == kept) || name.as_bytes().starts_with(b"LC_")),
    );
    Some(command)
}

fn start(mut words: impl Iterator<Item = OsString>) -> Option<()> {
    let bounds: Bounds = serde_json::from_str(words.next()?.to_str()?).ok()?;
    let mut command = Command::new(words.next()?);
    command.args(words).env("HOME", &bounds.write).env("TMPDIR", &bounds.write);
    // No terminal to type into.
    let _ = rustix::process::setsid();
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    close_on_start();
    // A kernel without Landlock is no error here: `config explain` reports it. Any other fault ends the process.
    landlock(&bounds).ok()?;
    for (resource, limit) in [(Resource::Core, 0), (Resource::Fsize, FILE), (Resource::Nofile, FILES)] {
        let _ = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
    }
    if bounds.has_network {
        drop_network_rights();
    }
    let filters = filters(std::process::id().into(), bounds.has_network);
    for (resource, limit) in [(Resource::Cpu, bounds.processor), (Resource::As, bounds.memory)] {
        let _ = setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
    }
    for filter in filters.iter().flatten() {
        let _ = seccompiler::apply_filter(filter);
    }
    let _ = command.exec();
    None
}

/// Files that whoever started this program left open are not for the foreign one.
#[allow(unsafe_code, reason = "only the system can mark all open files at once")]
fn close_on_start() {
    // The plain system call: older C libraries have no function for it.
    // SAFETY: it only sets close-on-exec for descriptors of this program.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// The administrator could change the network of this machine, or send and receive anything.
#[allow(unsafe_code, reason = "the crates in use have no function for it")]
fn drop_network_rights() {
    const NET_ADMIN: libc::c_ulong = 12;
    const NET_RAW: libc::c_ulong = 13;
    for right in [NET_ADMIN, NET_RAW] {
        // SAFETY: it only takes a right from programs that this process becomes. Without rights it does nothing.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, right, 0, 0, 0) };
    }
}

fn landlock(bounds: &Bounds) -> Result<(), landlock::RulesetError> {
    let abi = ABI::V6;
    let read = AccessFs::from_read(abi);
    let write = AccessFs::from_all(abi) & !(AccessFs::MakeSock | AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    let readable = SYSTEM.iter().map(Path::new).chain(bounds.read.iter().map(PathBuf::as_path));
    let writable = [(bounds.write.as_path(), write), (Path::new("/dev/null"), read | AccessFs::WriteFile)];
    for (path, access) in readable.map(|path| (path, read)).chain(writable) {
        // A path that does not exist needs no rule.
        let Ok(opened) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(abi) };
        rules = rules.add_rule(PathBeneath::new(opened, access))?;
    }
    if bounds.has_network {
        rules = rules.add_rule(NetPort::new(NAME_SERVER, AccessNet::ConnectTcp))?;
    }
    rules.restrict_self().map(drop)
}

/// Refused as not permitted: programs report these.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_ptrace,
    libc::SYS_mount,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_memfd_create,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
];

/// The system calls of a program that computes and reads files. The rules below have more conditions. All others do
/// not exist.
const CALLS: &[libc::c_long] = &[
    // Files.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_flock,
    libc::SYS_fcntl,
    libc::SYS_ioctl,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_umask,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    // Waiting.
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    libc::SYS_recvfrom,
    libc::SYS_shutdown,
    libc::SYS_getsockopt,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_wait4,
    libc::SYS_waitid,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_membarrier,
    // This process and its threads.
    libc::SYS_execve,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_set_tid_address,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getcpu,
    libc::SYS_seccomp,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Signals and timers of this process.
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_setitimer,
    libc::SYS_getitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete,
    // Time, chance and facts.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_getrandom,
    libc::SYS_sysinfo,
    libc::SYS_uname,
];

/// The same under the older names of one architecture.
#[cfg(target_arch = "x86_64")]
const OLDER_CALLS: &[libc::c_long] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_arch_prctl,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER_CALLS: &[libc::c_long] = &[];

type Rules = std::collections::BTreeMap<i64, Vec<SeccompRule>>;

/// Only the system calls of [`CALLS`]. Of two refusals, the later filter's counts.
fn filters(pid: u64, has_network: bool) -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let missing =
        program(allowed(pid, has_network)?, SeccompAction::Errno(libc::ENOSYS.unsigned_abs()), SeccompAction::Allow)?;
    let refused =
        program(refused(pid, has_network)?, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM.unsigned_abs()))?;
    Ok([missing, refused])
}

fn program(rules: Rules, others: SeccompAction, these: SeccompAction) -> Result<BpfProgram, seccompiler::BackendError> {
    SeccompFilter::new(rules, others, these, std::env::consts::ARCH.try_into()?)?.try_into()
}

/// A rule about one argument.
fn when(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)?])
}

fn allowed(pid: u64, has_network: bool) -> Result<Rules, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq};
    let mut rules: Rules = CALLS.iter().chain(OLDER_CALLS).map(|call| (*call, Vec::new())).collect();
    let (thread, name) = (u64::from(libc::CLONE_THREAD.unsigned_abs()), u64::from(libc::PR_SET_NAME.unsigned_abs()));
    rules.insert(libc::SYS_clone, vec![when(0, MaskedEq(thread), thread)?]);
    rules.insert(libc::SYS_tgkill, vec![when(0, Eq, pid)?]);
    rules.insert(libc::SYS_kill, vec![when(0, Eq, pid)?]);
    let privileges = u64::from(libc::PR_SET_NO_NEW_PRIVS.unsigned_abs());
    rules.insert(libc::SYS_prctl, vec![when(0, Eq, name)?, when(0, Eq, privileges)?]);
    // A pair is a pipe. Its ends may not be used for another address.
    rules.insert(libc::SYS_socketpair, vec![when(0, Eq, libc::AF_UNIX.unsigned_abs().into())?]);
    let nowhere = SeccompCondition::new(4, SeccompCmpArgLen::Qword, Eq, 0)?;
    rules.insert(libc::SYS_sendto, vec![SeccompRule::new(vec![nowhere])?]);
    if has_network {
        rules.extend(NETWORK_CALLS.map(|call| (call, Vec::new())));
    }
    // Limits are read, never set.
    let read = SeccompCondition::new(2, SeccompCmpArgLen::Qword, Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![read])?]);
    Ok(rules)
}

fn refused(pid: u64, has_network: bool) -> Result<Rules, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    if has_network {
        rules.retain(|call, _| !NETWORK_CALLS.contains(call));
        let other = |family: i32| SeccompCondition::new(0, SeccompCmpArgLen::Dword, Ne, family.unsigned_abs().into());
        let others = FAMILIES.map(other).into_iter().collect::<Result<_, _>>()?;
        rules.insert(libc::SYS_socket, vec![SeccompRule::new(others)?]);
    }
    rules.insert(libc::SYS_clone, vec![when(0, MaskedEq(libc::CLONE_THREAD.unsigned_abs().into()), 0)?]);
    rules.insert(libc::SYS_kill, vec![when(0, Ne, pid)?]);
    // Both send signals to other processes.
    let commands = [libc::F_SETOWN, F_SETOWN_EX, F_SETSIG].map(|command| when(1, Eq, command.unsigned_abs().into()));
    rules.insert(libc::SYS_fcntl, commands.into_iter().collect::<Result<_, _>>()?);
    let requests = [FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX].map(|request| when(1, Eq, request));
    rules.insert(libc::SYS_ioctl, requests.into_iter().collect::<Result<_, _>>()?);
    Ok(rules)
}

const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;
const FIOSETOWN: u64 = 0x8901;
const SIOCSPGRP: u64 = 0x8902;
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541C;
