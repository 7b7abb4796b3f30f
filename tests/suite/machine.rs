//! The real tools of this machine: a package comes and goes, so do a user and a group, a parameter, a mount.
//!
//! Only as root, and only where no service manager runs (a container, as in continuous integration) or with
//! `WORKBENCH_MACHINE=1`. Each test leaves the machine as it was, also when it fails; what cannot be tried says why.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use workbench::diag::Stage;
use workbench::engine::message::Event;
use workbench::engine::{self, Run, preview};
use workbench::graph::Graph;
use workbench::host::{
    AccountChange, Host, KernelChange, Local, LocalLook, LookAccounts, NewUser, Operation, SystemChange,
};
use workbench::plan::{Action, Certainty, CompiledFor, Plan};
use workbench::session::{Cancel, Options, Session};

use crate::skip::skip;

/// One test at a time: they share the machine.
static MACHINE: Mutex<()> = Mutex::new(());

/// The machine for one test, or nothing where it may not be touched.
pub fn machine(needs: &[&str]) -> Option<MutexGuard<'static, ()>> {
    let skip = |why: &str| {
        crate::skip::skip("machine", why);
        None
    };
    if !rustix_is_root() {
        return skip("not root");
    }
    let allowed = std::env::var_os("WORKBENCH_MACHINE").is_some_and(|value| value == "1");
    if Path::new("/run/systemd/system").exists() && !allowed {
        return skip("a service manager runs here; WORKBENCH_MACHINE=1 lets the tests change this machine");
    }
    if let Some(missing) = needs.iter().find(|tool| !has(tool)) {
        return skip(&format!("`{missing}` is missing"));
    }
    Some(MACHINE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn rustix_is_root() -> bool {
    LocalLook::new(false).identity().uid == 0
}

fn has(tool: &str) -> bool {
    ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].iter().any(|folder| Path::new(folder).join(tool).exists())
}

/// Does something when the test ends, however it ends.
pub struct After<F: FnMut()>(pub F);

impl<F: FnMut()> Drop for After<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

pub fn quietly(program: &str, args: &[&str]) {
    let _ = Command::new(program).args(args).env("DEBIAN_FRONTEND", "noninteractive").output();
}

fn compile(code: &str) -> Arc<Graph> {
    let session = Session::open(Some(code), Options::default()).expect("code is an entry");
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    assert!(!compiled.diagnostics.has_errors(), "{code}: {:?}", compiled.diagnostics);
    Arc::new(compiled.graph)
}

pub fn dry(code: &str) -> Plan {
    preview(compile(code), Arc::new(LocalLook::new(false)), "test", engine::Options::default(), &mut |_| ())
}

/// Applies. Gives what each step did, and what was said.
pub fn apply(code: &str) -> (Plan, Vec<String>) {
    let mut lines = Vec::new();
    let mut run = Run::new(compile(code), Box::<Local>::default(), engine::Options::default());
    run.run_to_end(&mut |event| {
        if let Event::Output { line, .. } = event {
            lines.push(line);
        }
    });
    (Plan::new("test", CompiledFor::default(), run.steps()), lines)
}

pub fn errors(plan: &Plan) -> Vec<String> {
    plan.steps.iter().filter_map(|step| Some(format!("{}: {}", step.resource, step.error.as_ref()?))).collect()
}

fn actions(plan: &Plan) -> Vec<Action> {
    plan.steps.iter().map(|step| step.action).collect()
}

/// Holds preview, apply and second preview against each other; `None` where the machine forbids it.
fn holds(code: &str, expected: &[Action]) -> Option<Vec<String>> {
    holds_with(code, expected, || {})
}

/// The same; `meanwhile` begins when the apply does.
fn holds_with(code: &str, expected: &[Action], meanwhile: impl FnOnce()) -> Option<Vec<String>> {
    let said = dry(code);
    assert_eq!((errors(&said), actions(&said)), (Vec::new(), expected.to_vec()), "{code}");
    meanwhile();
    let (done, lines) = apply(code);
    let failed = errors(&done);
    let forbidden = ["not permitted", "permission denied", "read-only", "Failed to fetch", "Temporary failure"];
    if let Some(why) = failed.iter().find(|error| forbidden.iter().any(|word| error.contains(word))) {
        skip("packages", why);
        return None;
    }
    assert_eq!((failed, actions(&done)), (Vec::new(), expected.to_vec()), "{code}");
    for (said, done) in said.steps.iter().zip(&done.steps) {
        if said.certainty == Certainty::Known {
            assert_eq!(said.changes, done.changes, "{}", said.resource);
        }
    }
    let again = dry(code);
    assert!(actions(&again).iter().all(|action| *action == Action::None), "{code}: {again:#?}");
    Some(lines)
}

#[test]
fn a_package_comes_and_goes_while_another_holds_the_lock() {
    const NAME: &str = "sl";
    let Some(_machine) = machine(&["apt-get", "dpkg"]) else { return };
    let install = format!(r#"pkg "{NAME}" {{ state => "installed", }}"#);
    let before = dry(&install);
    if !errors(&before).is_empty() || actions(&before) != [Action::Create] {
        skip("packages", format_args!("{NAME} cannot be fetched, or is here already: {:?}", errors(&before)));
        return;
    }
    let _after = After(|| quietly("apt-get", &["-y", "purge", NAME]));
    let lock = std::fs::OpenOptions::new().read(true).write(true).open("/var/lib/dpkg/lock-frontend");
    let lock = lock.expect("dpkg has its lock");
    rustix::fs::fcntl_lock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive).expect("nobody else holds it");
    let mut holder = None;
    let lines = holds_with(&install, &[Action::Create], || {
        holder = Some(std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(30));
            drop(lock);
        }));
    });
    holder.expect("the apply began").join().expect("it only sleeps");
    let Some(lines) = lines else { return };
    let waited = lines.iter().any(|line| line.starts_with("waited ") && line.contains("(process "));
    assert!(waited, "the holder of the lock is told: {lines:?}");
    holds(&format!(r#"pkg "{NAME}" {{ state => "uninstalled", }}"#), &[Action::Remove]);
    let unknown = dry(r#"pkg "no-such-package-anywhere" { state => "installed", }"#);
    assert!(errors(&unknown)[0].contains("no package"), "{:?}", errors(&unknown));
}

#[test]
fn users_and_groups_come_and_go() {
    let Some(_machine) = machine(&["useradd", "usermod", "userdel", "groupadd", "groupdel"]) else { return };
    let _after = After(|| {
        quietly("userdel", &["wbtestuser"]);
        quietly("groupdel", &["wbtestgroup"]);
    });
    holds(
        r#"group "wbtestgroup" { state => "exists", }
           user "wbtestuser" { state => "exists", groups => ["wbtestgroup"], shell => "/bin/sh", homedir => "/nonexistent/", }"#,
        &[Action::Create, Action::Create],
    );
    holds(r#"user "wbtestuser" { state => "exists", groups => [], shell => "/bin/false", }"#, &[Action::Change]);
    holds(
        r#"user "wbtestuser" { state => "absent", }
           group "wbtestgroup" { state => "absent", }"#,
        &[Action::Remove, Action::Remove],
    );
}

#[test]
fn account_changes_are_undone() {
    let Some(_machine) = machine(&["useradd", "usermod", "userdel", "groupadd", "groupmod", "groupdel"]) else {
        return;
    };
    let _after = After(|| {
        quietly("userdel", &["wbtestuser"]);
        quietly("groupdel", &["wbtestgroup"]);
    });
    let host = Local::default();
    let name = || "wbtestgroup".to_owned();
    let user = NewUser { name: "wbtestuser".into(), groups: vec![name()], ..NewUser::default() };
    let set = AccountChange::SetUser {
        name: "wbtestuser".into(),
        uid: None,
        gid: None,
        groups: Some(Vec::new()),
        home: Some("/nonexistent".into()),
        shell: Some("/bin/false".into()),
        comment: None,
        shares_uid: false,
    };
    let changes = [
        AccountChange::AddGroup { name: name(), gid: None },
        AccountChange::AddUser(user),
        set,
        AccountChange::SetGroup { name: name(), gid: 54321 },
        AccountChange::RemoveUser { name: "wbtestuser".into() },
        AccountChange::RemoveGroup { name: name() },
    ];
    let sorted = || {
        let mut accounts = host.turn().accounts().expect("can be read");
        accounts.users.sort_by(|a, b| a.name.cmp(&b.name));
        accounts.groups.sort_by(|a, b| a.name.cmp(&b.name));
        accounts
    };
    let mut undo = Vec::new();
    for change in changes {
        let change = SystemChange::Account(change);
        undo.push((sorted(), change.inverse(&*host.turn()).expect("is known")));
        // What is predicted is what comes.
        let mut predicted = host.turn().accounts().expect("can be read");
        let SystemChange::Account(account) = &change else { continue };
        predicted.change(account).expect("can be predicted");
        host.turn().perform(&Operation::System(change.clone())).expect("can be done");
        predicted.users.sort_by(|a, b| a.name.cmp(&b.name));
        predicted.groups.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(predicted, sorted(), "{change:?}");
    }
    while let Some((before, inverse)) = undo.pop() {
        for change in &inverse.changes {
            host.turn().perform(&Operation::System(change.clone())).expect("can be taken back");
        }
        assert_eq!(before, sorted(), "{inverse:?}");
    }
}

#[test]
fn a_parameter_of_the_kernel_is_set() {
    const KEY: &str = "kernel.domainname";
    let Some(_machine) = machine(&[]) else { return };
    let path = Path::new("/proc/sys/kernel/domainname");
    let Ok(before) = std::fs::read_to_string(path) else {
        return skip("kernel setting", format_args!("there is no {KEY}"));
    };
    let _after = After(|| drop(std::fs::write(path, &before)));
    let set = |value: &str| SystemChange::Kernel(KernelChange { key: KEY.into(), value: value.into() });
    assert!(
        set("x").inverse(&*Local::default().turn()).is_ok_and(|inverse| inverse.changes == [set(before.trim_end())])
    );
    holds(&format!(r#"sysctl "{KEY}" {{ value => "wb.test", persist => false, }}"#), &[Action::Change]);
}

#[test]
fn a_file_system_is_mounted_and_unmounted() {
    let Some(_machine) = machine(&["mount", "umount"]) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let target = folder.path().to_str().expect("its name is plain").to_owned();
    let table = std::fs::read("/etc/fstab").ok();
    let _after = After(|| {
        quietly("umount", &[&target]);
        match &table {
            Some(table) => drop(std::fs::write("/etc/fstab", table)),
            None => drop(std::fs::remove_file("/etc/fstab")),
        }
    });
    let options = r#"{"size" => "1m", "nosuid" => "", "noauto" => ""}"#;
    let code = format!(
        r#"mount "{target}" {{ state => "exists", device => "tmpfs", type => "tmpfs", options => {options}, }}"#
    );
    if holds(&code, &[Action::Create]).is_none() {
        return;
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").expect("can be read");
    assert!(mounts.lines().any(|line| line.contains(&target) && line.contains("nosuid")), "{mounts}");
    holds(&format!(r#"mount "{target}" {{ state => "absent", }}"#), &[Action::Remove]);
    assert_eq!(std::fs::read("/etc/fstab").unwrap_or_default(), table.clone().unwrap_or_default());
}

#[test]
fn services_and_timers_report_a_missing_manager() {
    if Path::new("/run/systemd/system").exists() {
        return skip("no systemd", "systemd runs here");
    }
    for code in
        [r#"svc "cron" { state => "running", }"#, r#"cron "tick" { trigger => "OnCalendar", time => "daily", }"#]
    {
        let said = errors(&dry(code));
        assert!(said[0].contains("no service manager"), "{said:?}");
    }
}
