//! Confines a worker: no files, network or processes of its own, no core dumps, and limits on memory and time.
//!
//! Landlock and seccomp each deny opening files and connecting; either may be missing from a kernel. What is denied
//! fails in the worker as if it did not exist.

use std::time::Duration;

use landlock::{ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope};
use rustix::process::{DumpableBehavior, Resource, Rlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::workplace::Workplace;
use crate::lang::Limits;

/// How far this kernel confines a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    pub landlock: bool,
    pub seccomp: bool,
}

impl Confinement {
    /// What the kernel lacks, as a sentence; `None` if it lacks nothing.
    pub fn lack(self) -> Option<&'static str> {
        match (self.landlock, self.seccomp) {
            (true, true) => None,
            (true, false) => {
                Some("the kernel has no seccomp: only Landlock confines the processes that compile and run plugins")
            }
            (false, true) => Some(
                "the kernel has no Landlock: plugins can read and write your files, and the process that compiles is confined by seccomp only",
            ),
            (false, false) => Some(
                "the kernel has neither Landlock nor seccomp: the processes that compile and run plugins are not confined",
            ),
        }
    }
}

/// Returns how far this kernel confines a worker; `None` if none can be started.
pub fn confinement() -> Option<Confinement> {
    Workplace::workers().confinement()
}

/// Confines this process as far as the kernel can. The job's own limits come later.
pub fn confine() -> Confinement {
    // Neither fails on Linux. Without a dump, secrets of a program do not reach the disk.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    Confinement { landlock: landlock(), seccomp: seccomp() }
}

/// The room of this program in the address space: its code, its stacks, and the GiB that the allocator reserves at its
/// start and uses first.
const OWN: u64 = 1536 << 20;

/// More for each MiB of `--limit memory`, which counts only the values of a program.
const PER_MIB: u64 = 2 << 20;

/// Limits the memory of this process for a job.
pub fn limit_memory(limits: &Limits) {
    let room = OWN.saturating_add(limits.memory.saturating_mul(PER_MIB));
    let _ = setrlimit(Resource::As, Rlimit { current: Some(room), maximum: Some(room) });
}

/// Limits the processor time of this process for a job.
pub fn limit_time(limits: &Limits) {
    if let Some(time) = limits.duration() {
        // The program's own limit comes first and names a place.
        let seconds = time.saturating_mul(2).saturating_add(Duration::from_secs(10)).as_secs();
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds) });
    }
}

/// No access to any path or port.
fn landlock() -> bool {
    let abi = ABI::V6;
    let restricted = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    restricted.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// The system calls of a process that computes, and exchanges messages on open descriptors. All others fail.
const CALLS: &[libc::c_long] = &[
    // Messages.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_pread64,
    libc::SYS_writev,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_ppoll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    // Threads of this process; `clone` has a rule of its own.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_membarrier,
    libc::SYS_sigaltstack,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_tgkill,
    libc::SYS_tkill,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Limits, time and chance.
    libc::SYS_setrlimit,
    libc::SYS_prlimit64,
    libc::SYS_getrusage,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
];

/// Only the system calls that computing needs.
fn seccomp() -> bool {
    filter().is_ok_and(|program| seccompiler::apply_filter(&program).is_ok())
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        CALLS.iter().map(|call| (*call, Vec::new())).collect();
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let is_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), thread)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_thread])?]);
    let name_thread = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Eq,
        u64::from(libc::PR_SET_NAME.unsigned_abs()),
    )?;
    rules.insert(libc::SYS_prctl, vec![SeccompRule::new(vec![name_thread])?]);
    // The C library then starts threads by `clone`, whose flags a filter can read.
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(rules, missing, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?.try_into()
}
