//! Packages, services, accounts and their like on a machine that is a table: already right, needs change, cannot.

use std::sync::Arc;

use workbench::diag::Stage;
use workbench::engine::{self, preview};
use workbench::graph::Graph;
use workbench::host::{Active, Interface, Memory, Presence, Service, Startup, User};
use workbench::plan::{Certainty, Plan, Step};
use workbench::resource::packaged;
use workbench::session::{Cancel, Options, Session};

fn compile(code: &str) -> Arc<Graph> {
    let session = Session::open(Some(code), Options::default()).expect("code is an entry");
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    assert!(!compiled.diagnostics.has_errors(), "{code}: {:?}", compiled.diagnostics);
    Arc::new(compiled.graph)
}

fn plan(code: &str, machine: Memory) -> Plan {
    preview(compile(code), Arc::new(machine), "test", engine::Options::default(), &mut |_| ())
}

fn unit(active: Active, startup: Startup) -> Service {
    Service { presence: Presence::There, active, startup, stale: false }
}

/// A machine with something of each facet.
fn machine() -> Memory {
    let ann = User {
        name: "ann".into(),
        uid: 1000,
        gid: 1000,
        home: "/home/ann".into(),
        shell: "/bin/bash".into(),
        ..User::default()
    };
    let eth0 = Interface { up: true, addresses: vec!["192.0.2.7/24".into()], gateways: vec!["192.0.2.1".into()] };
    let folders = ["/etc", "/etc/sysctl.d", "/etc/systemd", "/etc/systemd/network", "/etc/systemd/system"];
    let folders = folders.iter().chain(&["/bin", "/mnt", "/usr", "/srv", "/home", "/home/ann"]);
    folders
        .fold(Memory::default(), |machine, folder| machine.dir(folder, 0o755))
        .package("hello", None, &["2.12", "2.10"], &[])
        .package("there", Some("1.0"), &["1.1", "1.0", "0.9"], &[])
        .package("latest", Some("3.0"), &["3.0"], &[])
        .package("web", None, &["1.22"], &["web-common"])
        .package("web-common", None, &["1.22"], &[])
        .service("up.service", unit(Active::Running, Startup::Enabled))
        .service("down.service", unit(Active::Stopped, Startup::Disabled))
        .service("static.service", unit(Active::Stopped, Startup::Static))
        .service("masked.service", Service::not_there(Presence::Masked))
        .user(ann)
        .group("ann", 1000, &[])
        .group("staff", 50, &["ann"])
        .group("audio", 29, &[])
        .file("/etc/fstab", "# kept\ntmpfs /mnt tmpfs size=1m 0 0\n", 0o644)
        .mounted("tmpfs", "/mnt", "tmpfs", &["rw", "size=1024k"])
        .parameter("vm.swappiness", "60")
        .parameter("net.ipv4.tcp_rmem", "4096\t131072\t6291456")
        .parameter("kernel.hostname", "old")
        .file("/etc/hostname", "old\n", 0o644)
        .file("/etc/sysctl.d/99-vm.swappiness.conf", "vm.swappiness = 60\n", 0o644)
        .interface("eth0", eth0)
}

/// One step on one line: action, how sure, how far it can be taken back, what changes; or why it fails.
fn told(step: &Step) -> String {
    if let Some(error) = &step.error {
        return format!("fails: {error}");
    }
    let shown = |value: &Option<workbench::graph::Value>| match value {
        None => "-".to_owned(),
        Some(value) => value.as_str().unwrap_or("?").trim_end().replace('\n', "|"),
    };
    let changes = step.changes.iter();
    let changes =
        changes.map(|change| format!(" {}: {} > {};", change.property, shown(&change.from), shown(&change.to)));
    let words = format!("{:?} {:?} {:?}", step.action, step.certainty, step.reversible).to_lowercase();
    words + &changes.collect::<String>()
}

/// Previews each program alone, and holds its last step against what is expected.
fn hold(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (code, expected) in cases {
        let plan = plan(code, machine());
        let have = plan.steps.last().map(told).unwrap_or_default();
        if have != *expected {
            wrong.push(format!("{code}\n  expected {expected}\n  have     {have}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn packages() {
    hold(&[
        (r#"pkg "there" { state => "installed", }"#, "none known yes"),
        (r#"pkg "latest" { state => "newest", }"#, "none known yes"),
        (r#"pkg "there" { state => "1.0", }"#, "none known yes"),
        (r#"pkg "hello" { state => "uninstalled", }"#, "none known yes"),
        (
            r#"pkg "hello" { state => "installed", }"#,
            "create known partly state: uninstalled > installed; version: - > 2.12;",
        ),
        (
            r#"pkg "hello" { state => "2.10", }"#,
            "create known partly state: uninstalled > installed; version: - > 2.10;",
        ),
        (r#"pkg "there" { state => "newest", }"#, "change known partly version: 1.0 > 1.1;"),
        (
            r#"pkg "web" { state => "installed", }"#,
            "create known partly state: uninstalled > installed; version: - > 1.22; along: - > web-common 1.22;",
        ),
        (
            r#"pkg "there" { state => "uninstalled", }"#,
            "remove known partly state: installed > uninstalled; version: 1.0 > -;",
        ),
        (
            r#"pkg "there" { state => "0.9", }"#,
            "fails: a newer version is installed; set `allowdowngrade => true` to replace it",
        ),
        (r#"pkg "there" { state => "0.9", allowdowngrade => true, }"#, "change known partly version: 1.0 > 0.9;"),
        (r#"pkg "there" { state => "7", }"#, "fails: version `7` is not available; available: `1.1`, `1.0`, `0.9`"),
        (
            r#"pkg "nowhere" { state => "installed", }"#,
            "fails: no package `nowhere` is available; the name may be different here, or the package lists may be outdated",
        ),
    ]);
}

/// Previews a manifest alone.
fn of_manifest(code: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let entry = folder.path().join("main.pp");
    std::fs::write(&entry, code).expect("can be written");
    let session = Session::open(entry.to_str(), Options::default()).expect("is an entry");
    let compiled = session.compile(Stage::Eval, &Cancel::default());
    assert!(!compiled.diagnostics.has_errors(), "{code}: {:?}", compiled.diagnostics);
    let graph = Arc::new(compiled.graph);
    let plan = preview(graph, Arc::new(machine()), "test", engine::Options::default(), &mut |_| ());
    plan.steps.last().map(told).unwrap_or_default()
}

#[test]
fn packages_are_purged_and_held() {
    let table = [
        ("ensure => purged", "remove known partly state: installed > uninstalled; version: 1.0 > -;"),
        ("mark => hold", "change known yes hold: no > yes;"),
        ("mark => none", "none known yes"),
        ("ensure => latest, mark => hold", "change known partly version: 1.0 > 1.1; hold: no > yes;"),
    ];
    for (set, expected) in table {
        assert_eq!(of_manifest(&format!("package {{ 'there': {set} }}")), expected, "{set}");
    }
    let held = of_manifest("package { 'hello': ensure => held }");
    assert_eq!(held, "create known partly state: uninstalled > installed; version: - > 2.12; hold: no > yes;");
}

#[test]
fn services() {
    hold(&[
        (r#"svc "up" { state => "running", startup => "enabled", }"#, "none known yes"),
        (r#"svc "down" { state => "stopped", startup => "disabled", }"#, "none known yes"),
        (r#"svc "static" { startup => "disabled", }"#, "none known yes"),
        (
            r#"svc "down" { state => "running", startup => "enabled", }"#,
            "change known yes startup: disabled > enabled; state: stopped > running;",
        ),
        (r#"svc "up" { state => "stopped", }"#, "change known yes state: running > stopped;"),
        (r#"svc "nowhere" { state => "running", }"#, "fails: no unit `nowhere.service`"),
        (
            r#"svc "masked" { state => "running", }"#,
            "fails: `masked.service` is masked; use `systemctl unmask` to allow it",
        ),
        (
            r#"svc "static" { startup => "enabled", }"#,
            "fails: `static.service` has no install section, so it cannot be enabled",
        ),
        // A refresh reloads what runs; one that starts anyway needs none.
        (
            r#"file "/etc/a" { state => "exists", content => "x", Notify => Svc["up"], }
               svc "up" { state => "running", }"#,
            "run known no refresh: - > reloaded;",
        ),
        (
            r#"file "/etc/a" { state => "exists", content => "x", Notify => Svc["down"], }
               svc "down" { state => "running", }"#,
            "change known yes state: stopped > running;",
        ),
        // A unit that an earlier step puts in place is known whole.
        (
            r#"file "/etc/systemd/system/mine.service" { state => "exists", content => "[Install]\n", }
               svc "mine" { state => "running", startup => "enabled", }"#,
            "change known yes startup: disabled > enabled; state: stopped > running;",
        ),
    ]);
    let alone = plan(r#"svc "up" { state => "running", }"#, machine().without_service_manager());
    assert_eq!(told(&alone.steps[0]), "fails: no service manager: none is running");
}

#[test]
fn accounts() {
    hold(&[
        (r#"group "staff" { state => "exists", }"#, "none known yes"),
        (r#"group "staff" { state => "exists", gid => 50, }"#, "none known yes"),
        (r#"group "nobodys" { state => "absent", }"#, "none known yes"),
        (r#"group "new" { state => "exists", }"#, "create known yes state: absent > exists; gid: - > 1001;"),
        (r#"group "staff" { state => "exists", gid => 77, }"#, "change known yes gid: 50 > 77;"),
        (r#"group "staff" { state => "absent", }"#, "remove known yes state: exists > absent;"),
        (r#"group "new" { state => "exists", gid => 50, }"#, "fails: the number 50 belongs to the group `staff`"),
        (r#"group "ann" { state => "absent", }"#, "fails: it is the main group of the user `ann`"),
        (r#"user "ann" { state => "exists", }"#, "none known yes"),
        (
            r#"user "ann" { state => "exists", homedir => "/home/ann/", groups => ["staff"], shell => "/bin/bash", }"#,
            "none known yes",
        ),
        (r#"user "bob" { state => "absent", }"#, "none known yes"),
        (r#"user "bob" { state => "exists", }"#, "create known partly state: absent > exists; uid: - > 1001;"),
        (
            r#"user "ann" { state => "exists", groups => ["audio", "staff"], shell => "/bin/sh", }"#,
            "change known yes groups: staff > audio, staff; shell: /bin/bash > /bin/sh;",
        ),
        (r#"user "ann" { state => "absent", }"#, "remove known partly state: exists > absent;"),
        (r#"user "bob" { state => "exists", uid => 1000, }"#, "fails: the number 1000 belongs to the user `ann`"),
        (
            r#"user "bob" { state => "exists", uid => 1000, allowduplicateuid => true, }"#,
            "create known partly state: absent > exists; uid: - > 1000;",
        ),
        (r#"user "bob" { state => "exists", group => "none", }"#, "fails: no group `none`"),
        // What earlier steps would make can be used by later ones.
        (
            r#"group "ops" { state => "exists", }
               user "bob" { state => "exists", groups => ["ops"], }"#,
            "create known partly state: absent > exists; uid: - > 1001; groups: - > ops;",
        ),
        (
            r#"user "bob" { state => "exists", }
               file "/srv/bob" { state => "exists", content => "x", owner => "bob", mode => "0600",
                   Depend => User["bob"], }"#,
            "create known yes state: absent > exists; content: - > x; mode: - > 0600; owner: - > bob;",
        ),
    ]);
}

#[test]
fn settings() {
    hold(&[
        (r#"sysctl "vm.swappiness" { value => "60", }"#, "none known yes"),
        (r#"sysctl "net.ipv4.tcp_rmem" { value => "4096 131072 6291456", persist => false, }"#, "none known yes"),
        (
            r#"sysctl "vm.swappiness" { value => "10", }"#,
            "change known yes stored: vm.swappiness = 60 > vm.swappiness = 10; value: 60 > 10;",
        ),
        (r#"sysctl "no.such" { value => "1", }"#, "fails: this kernel has no parameter `no.such`"),
        (r#"hostname "old" { pretty_hostname => "", }"#, "none known yes"),
        (
            r#"hostname "new" { }"#,
            "change known yes static_hostname: old > new; pretty_hostname: - > PRETTY_HOSTNAME=\"new\"; \
             transient_hostname: old > new;",
        ),
        (r#"hostname "a b" { }"#, "fails: `a b` is not a valid host name"),
        (
            r#"mount "/mnt" { state => "exists", device => "tmpfs", type => "tmpfs", options => {"size" => "1m"}, }"#,
            "none known yes",
        ),
        (r#"mount "/srv" { state => "absent", }"#, "none known yes"),
        (
            r#"mount "/srv" { state => "exists", device => "tmpfs", type => "tmpfs", }"#,
            "create known yes table: # kept|tmpfs /mnt tmpfs size=1m 0 0 > # kept|tmpfs /mnt tmpfs size=1m 0 0|tmpfs /srv \
             tmpfs defaults 0 0; mounted: - > tmpfs on /srv;",
        ),
        (
            r#"mount "/mnt" { state => "absent", }"#,
            "remove known no mounted: tmpfs on /mnt (tmpfs) > -; table: # kept|tmpfs /mnt tmpfs size=1m 0 0 > # kept;",
        ),
        (
            r#"mount "/nowhere" { state => "exists", device => "tmpfs", type => "tmpfs", }"#,
            "fails: /nowhere does not exist",
        ),
        (r#"net "eth0" { addrs => ["192.0.2.7/24"], gateway => "192.0.2.1", }"#, "none known yes"),
        (r#"net "eth0" { addrs => ["192.0.2.8/24"], }"#, "change known yes addrs: 192.0.2.7/24 > 192.0.2.8/24;"),
        (r#"net "eth1" { state => "up", }"#, "fails: no interface `eth1`"),
        (
            r#"cron "tick" { trigger => "OnCalendar", time => "daily", }"#,
            "create known yes unit: - > [Unit]|Description=timer kept by workbench||[Timer]|OnCalendar=daily||[Install]|\
             WantedBy=timers.target; startup: disabled > enabled; state: stopped > running;",
        ),
        (r#"cron "tick" { state => "absent", }"#, "none known yes"),
    ]);
}

/// What follows a package: its folder is expected, its unit may come and may run, its user may come.
#[test]
fn files_of_a_package_are_unknown() {
    let plan = plan(
        r#"pkg "web" { state => "installed", }
           pkg "web-common" { state => "installed", Depend => Pkg["web"], }
           file "/etc/web/site.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/web/default" { state => "absent", Depend => Pkg["web"], }
           file "/srv/own" { state => "exists", content => "x", owner => "www", Depend => Pkg["web"], }
           file "/home/ann/x" { state => "exists", content => "x", Depend => Pkg["web"], }
           svc "web" { state => "running", startup => "enabled", Depend => File["/etc/web/site.conf"], }"#,
        machine(),
    );
    let told: Vec<String> = plan.steps.iter().map(|step| format!("{} {}", step.resource, told(step))).collect();
    let find = |id: &str| told.iter().find_map(|line| line.strip_prefix(id)).unwrap_or_default().trim();
    assert_eq!(find("pkg[web-common]"), "none known yes", "{told:#?}");
    assert_eq!(find("file[/etc/web/site.conf]"), "create predicted yes state: absent > exists; content: - > x;");
    assert_eq!(find("file[/etc/web/default]"), "unknown unknown no");
    assert_eq!(find("file[/srv/own]"), "unknown unknown no");
    assert!(find("file[/home/ann/x]").starts_with("create "));
    assert_eq!(find("svc[web]"), "change predicted no startup: - > enabled; state: - > running;");
}

/// The lists of packages order what they bring behind them, where nothing orders it otherwise.
#[test]
fn packages_precede_their_files() {
    let machine = machine().brings(
        "web",
        &["/etc", "/etc/web", "/etc/web/site.conf", "/lib/systemd/system/web.service", "/usr/bin/webctl"],
    );
    let code = r#"file "/etc/web/site.conf" { state => "exists", content => "x", }
        file "/etc/web/first" { state => "exists", Before => Pkg["web"], }
        file "/etc/web/" { state => "exists", }
        svc "web" { state => "running", }
        exec "/bin/webctl reload" { }
        exec "other" { cmd => "/bin/other", }
        pkg "web" { state => "installed", }
        pkg "hello" { state => "installed", }
        pkg "there" { state => "uninstalled", }"#;
    let mut graph = Graph::clone(&compile(code));
    packaged::add(&mut graph, &machine, &mut packaged::Lists::new());
    let name = |at| graph.node(at).id().to_string();
    let edges = graph.edges().iter().filter(|edge| name(edge.from) == "pkg[web]").map(|edge| name(edge.to));
    let mut behind: Vec<String> = edges.collect();
    behind.sort_unstable();
    // The folder comes before the first file, and so before the package.
    assert_eq!(behind, ["exec[/bin/webctl reload]", "file[/etc/web/site.conf]", "svc[web]"]);
    let before = graph.edges().len();
    packaged::add(&mut graph, &machine, &mut packaged::Lists::new());
    assert_eq!(graph.edges().len(), before, "what is ordered stays as it is");
}

/// A new file system hides what lay there; what lies in it is known where it comes empty.
#[test]
fn mounts_hide_the_files_below() {
    let plan = plan(
        r#"mount "/home" { state => "exists", device => "tmpfs", type => "tmpfs", }
           file "/home/ann/" { state => "exists", Depend => Mount["/home"], }
           mount "/srv" { state => "exists", device => "/dev/vdb", type => "ext4", }
           file "/srv/data" { state => "absent", Depend => Mount["/srv"], }"#,
        machine().file("/srv/data", "x", 0o644),
    );
    let told: Vec<String> = plan.steps.iter().map(|step| format!("{} {}", step.resource, told(step))).collect();
    assert!(told.contains(&"file[/home/ann/] create known yes state: absent > exists;".to_owned()), "{told:#?}");
    assert!(told.contains(&"file[/srv/data] unknown unknown no".to_owned()), "{told:#?}");
}

/// Programs such as people write: a package, its settings, its service, with what belongs around them.
const CORPUS: &[&str] = &[
    r#"pkg "web" { state => "installed", }
       file "/etc/web/site.conf" { state => "exists", content => "x", Depend => Pkg["web"], Notify => Svc["web"], }
       file "/etc/web/old.conf" { state => "absent", Depend => Pkg["web"], }
       svc "web" { state => "running", startup => "enabled", }"#,
    r#"pkg ["web", "hello", "there"] { state => "installed", }
       file "/etc/web/" { state => "exists", Depend => Pkg["web"], }
       file "/etc/web/a" { state => "exists", content => "a", mode => "0600", }
       file "/etc/web/b" { state => "exists", content => "b", owner => "root", }
       svc "web" { state => "running", Depend => File["/etc/web/a"], Depend => File["/etc/web/b"], }"#,
    r#"group "ops" { state => "exists", }
       user "bob" { state => "exists", groups => ["ops"], shell => "/bin/bash", }
       file "/srv/bob/" { state => "exists", owner => "bob", group => "ops", mode => "0750", Depend => User["bob"], }
       file "/srv/bob/notes" { state => "exists", content => "n", owner => "bob", }"#,
    r#"pkg "web" { state => "installed", }
       user "www" { state => "exists", Depend => Pkg["web"], }
       file "/srv/www/" { state => "exists", owner => "www", Depend => User["www"], }
       svc "web" { state => "running", Depend => File["/srv/www/"], }
       cron "rotate" { trigger => "OnCalendar", time => "daily", Depend => Svc["web"], }"#,
    r#"sysctl "vm.swappiness" { value => "10", }
       hostname "new" { }
       mount "/srv" { state => "exists", device => "tmpfs", type => "tmpfs", }
       exec "/bin/reload" { shell => "/bin/sh", creates => "/srv/done", }"#,
    r#"pkg "there" { state => "newest", }
       file "/etc/there.conf" { state => "exists", content => "x", Depend => Pkg["there"], Notify => Svc["up"], }
       svc "up" { state => "running", }
       pkg "latest" { state => "uninstalled", }"#,
];

#[test]
fn most_steps_after_a_package_are_known() {
    // Of a package that is not here yet, nobody knows what it brings.
    let (known, predicted, all) = certainties("not fetched", &machine);
    assert!(known * 100 >= all * 55 && (known + predicted) * 100 >= all * 80);
    let (known, _, all) = certainties("fetched", &|| fetched(false));
    assert!(known * 100 >= all * 80);
    let (known, predicted, all) = certainties("fetched, one with scripts", &|| fetched(true));
    assert!(known * 100 >= all * 55 && (known + predicted) * 100 >= all * 80);
}

/// The machine after the packages were fetched, so that their archives can be read. `has_scripts`: of `web`.
fn fetched(has_scripts: bool) -> Memory {
    let web = ["/etc/web/", "/etc/web/web.conf", "/usr/sbin/", "/usr/sbin/web", "/usr/lib/systemd/system/web.service"];
    machine()
        .fetched("web", &web, has_scripts)
        .fetched("web-common", &["/usr/share/", "/usr/share/web/", "/usr/share/web/page"], false)
        .fetched("hello", &["/usr/bin/", "/usr/bin/hello"], false)
        .fetched("there", &["/etc/there.d/", "/etc/there.d/0"], false)
        .brings("there", &["/etc/there.d", "/etc/there.d/0"])
}

/// How many steps of the programs are known, how many predicted, and how many there are.
fn certainties(machine_is: &str, machine: &dyn Fn() -> Memory) -> (usize, usize, usize) {
    let steps: Vec<Step> =
        CORPUS.iter().flat_map(|code| plan(code, machine().file("/bin/sh", "", 0o755)).steps).collect();
    let count = |certainty| steps.iter().filter(|step| step.certainty == certainty).count();
    let failed: Vec<String> = steps.iter().filter(|step| step.error.is_some()).map(told).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    let (known, predicted, unknown) = (count(Certainty::Known), count(Certainty::Predicted), count(Certainty::Unknown));
    crate::promises::figure(
        "G6 (package, file, service)",
        format_args!(
            "packages {machine_is}: {known} known, {predicted} predicted, {unknown} unknown of {}",
            steps.len()
        ),
    );
    (known, predicted, steps.len())
}

/// What a fetched package holds is known as far as only it can be meant, and no further.
#[test]
fn files_of_a_fetched_package_are_known() {
    let plan = plan(
        r#"pkg "web" { state => "installed", }
           pkg "hello" { state => "installed", Depend => Pkg["web"], }
           file "/etc/web/" { state => "exists", Depend => Pkg["web"], }
           file "/etc/web/site.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/web/default" { state => "absent", Depend => Pkg["web"], }
           file "/etc/web/web.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/ssl.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/usr/share/mine" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/systemd/system/mine.service" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/systemd/system/mine.timer" { state => "exists", content => "x", Depend => Pkg["web"], }
           user "www" { state => "exists", Depend => Pkg["web"], }
           svc "web" { state => "running", Depend => Pkg["web"], }
           pkg "there" { state => "newest", Depend => Pkg["hello"], }
           file "/etc/there.d/0" { state => "exists", content => "x", Depend => Pkg["there"], }"#,
        fetched(false).dir("/etc/there.d", 0o755).file("/etc/there.d/0", "x", 0o644),
    );
    let told: Vec<String> = plan.steps.iter().map(|step| format!("{} {}", step.resource, told(step))).collect();
    let find = |id: &str| told.iter().find_map(|line| line.strip_prefix(id)).unwrap_or_default().trim();
    let made = "state: absent > exists; content: - > x;";
    assert!(find("pkg[hello]").starts_with("create known"), "{told:#?}");
    assert_eq!(find("file[/etc/web/]"), "none known yes");
    assert_eq!(find("file[/etc/web/site.conf]"), format!("create known yes {made}"));
    assert_eq!(find("file[/etc/web/default]"), "none known yes");
    assert_eq!(find("file[/etc/web/web.conf]"), "change known yes content: packaged > x;");
    assert_eq!(find("file[/etc/ssl.conf]"), format!("create known yes {made}"));
    assert_eq!(find("file[/usr/share/mine]"), format!("create predicted yes {made}"));
    assert_eq!(find("file[/etc/systemd/system/mine.service]"), format!("create known yes {made}"));
    assert_eq!(find("file[/etc/systemd/system/mine.timer]"), format!("create known yes {made}"));
    assert!(find("user[www]").starts_with("create known"));
    assert_eq!(find("svc[web]"), "change predicted no state: - > running;");
    assert!(find("pkg[there]").starts_with("change known"));
    assert_eq!(find("file[/etc/there.d/0]"), "none predicted yes");
}

/// The files of a package with maintainer scripts are known. What its scripts may change is predicted, and its name is the reason.
#[test]
fn what_scripts_may_change_is_predicted() {
    let plan = plan(
        r#"pkg "web" { state => "installed", }
           file "/etc/web/" { state => "exists", Depend => Pkg["web"], }
           file "/etc/web/web.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/web/site.conf" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/etc/there" { state => "exists", content => "x", Depend => Pkg["web"], }
           file "/var/there" { state => "absent", Depend => Pkg["web"], }
           file "/srv/there" { state => "exists", content => "x", Depend => Pkg["web"], }
           user "www" { state => "exists", Depend => Pkg["web"], }
           svc "up" { state => "running", Depend => Pkg["web"], }"#,
        fetched(true).file("/etc/there", "x", 0o644).dir("/srv", 0o755).file("/srv/there", "x", 0o644),
    );
    let step = |id: &str| plan.steps.iter().find(|step| &*step.resource.0 == id).expect("is in the plan");
    for id in ["pkg[web]", "file[/etc/web/]", "file[/etc/web/web.conf]", "file[/srv/there]"] {
        assert_eq!(step(id).certainty, Certainty::Known, "{}", told(step(id)));
    }
    for id in ["file[/etc/web/site.conf]", "file[/etc/there]", "file[/var/there]", "user[www]", "svc[up]"] {
        assert_eq!(step(id).certainty, Certainty::Predicted, "{id}: {}", told(step(id)));
        assert!(step(id).note.contains("`web`"), "{id}: {:?}", step(id).note);
    }
}
