//! A private bus with a stand-in for systemd that gives right and wrong answers.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::super::watch;
use super::*;
use crate::host::local::follow::Followed;
use crate::host::{Active, Presence, Startup, Unit};
use crate::world::Cancel;

/// A private bus, killed on drop.
struct Daemon(Child, String);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn daemon() -> Option<Daemon> {
    let started = Command::new("dbus-daemon")
        .args(["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:tmpdir=/tmp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        crate::host::skip::skip("dbus", "dbus-daemon is not installed");
        return None;
    };
    let mut address = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut address).expect("it tells where it is");
    Some(Daemon(child, address.trim().to_owned()))
}

/// How the stand-in answers.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Right,
    /// Jobs fail.
    Fails,
    /// Jobs never end.
    Hangs,
    /// Every answer is of another type.
    Nonsense,
    /// Every answer is an error with a text full of control characters.
    Rude,
    /// It leaves the bus at the first change request.
    Leaves,
}

/// Serves `org.freedesktop.systemd1` until the daemon ends. Sends each request to the receiver.
fn serve(address: &str, manner: Manner) -> Receiver<String> {
    let (report, requests) = channel();
    let (ready, is_ready) = channel();
    let bus = Bus::At(address.to_owned());
    std::thread::spawn(move || {
        let _: Result<(), Failure> = apart(|| async {
            let connection = bus.connect().await.expect("the daemon is there");
            let mut calls = MessageStream::from(connection.clone());
            connection.request_name(SYSTEMD).await.expect("nobody else has it");
            ready.send(()).expect("somebody waits");
            let mut is_active = false;
            while let Some(Ok(message)) = next(&mut calls).await {
                if message.message_type() == Type::MethodCall
                    && !answer(&connection, &message, manner, &report, &mut is_active).await
                {
                    break;
                }
            }
            Ok(())
        });
    });
    is_ready.recv_timeout(Duration::from_secs(20)).expect("it comes up");
    requests
}

/// Answers one call. Returns whether it stays on the bus.
async fn answer(
    connection: &Connection,
    call: &Message,
    manner: Manner,
    report: &Sender<String>,
    is_active: &mut bool,
) -> bool {
    let header = call.header();
    let method = header.member().map(|member| member.to_string()).unwrap_or_default();
    let _ = report.send(method.clone());
    let changes = !matches!(method.as_str(), "LoadUnit" | "GetAll" | "Subscribe");
    match manner {
        Manner::Nonsense => return connection.reply(&header, &(7_u8, vec![1.5_f64])).await.is_ok(),
        Manner::Rude => {
            let text = format!("\u{1b}]0;x\u{7}{}", "long ".repeat(1000));
            return connection.reply_error(&header, "org.example.Rude", &(text,)).await.is_ok();
        }
        Manner::Leaves if changes => return false,
        _ => {}
    }
    let path = |path: &str| OwnedObjectPath::try_from(path.to_owned()).expect("is a path");
    let unit = path("/org/freedesktop/systemd1/unit/x_2eservice");
    let job = path("/org/freedesktop/systemd1/job/4");
    let done = match method.as_str() {
        "LoadUnit" => connection.reply(&header, &unit).await,
        "GetAll" => {
            let active = if *is_active { "active" } else { "inactive" };
            let text = |text: &str| OwnedVariant::from(zbus::Str::from(text.to_owned()));
            let values = HashMap::from([
                ("LoadState", text("loaded")),
                ("ActiveState", text(active)),
                ("UnitFileState", text("enabled")),
                ("NeedDaemonReload", OwnedVariant::from(true)),
            ]);
            connection.reply(&header, &values).await
        }
        "StartUnit" | "StopUnit" => {
            *is_active = method == "StartUnit";
            connection.reply(&header, &job).await.expect("the daemon is there");
            let result = if manner == Manner::Fails { "failed\u{1b}[2J" } else { "done" };
            if manner != Manner::Hangs {
                // First the end of another job.
                let other = path("/org/freedesktop/systemd1/job/3");
                for (job, result) in [(other, "failed"), (job, result)] {
                    let body = (1_u32, job, "x.service", result);
                    connection.emit_signal(None::<&str>, ROOT, MANAGER, "JobRemoved", &body).await.expect("goes out");
                }
            }
            let changed = (UNIT, HashMap::<&str, OwnedVariant>::new(), Vec::<&str>::new());
            connection.emit_signal(None::<&str>, &unit, PROPERTIES, "PropertiesChanged", &changed).await
        }
        "EnableUnitFiles" => connection.reply(&header, &(true, Vec::<(&str, &str, &str)>::new())).await,
        "DisableUnitFiles" => connection.reply(&header, &Vec::<(&str, &str, &str)>::new()).await,
        _ => connection.reply(&header, &()).await,
    };
    done.is_ok()
}

fn verb(verb: Verb) -> ServiceChange {
    ServiceChange { unit: Unit { name: "x.service".into(), session: false }, verb }
}

#[test]
fn units_are_queried_and_controlled() {
    let Some(daemon) = daemon() else { return };
    let requests = serve(&daemon.1, Manner::Right);
    let bus = Bus::At(daemon.1.clone());
    let seen = look(&bus, "x.service").expect("has an answer");
    assert_eq!((seen.presence, seen.active, seen.startup), (Presence::There, Active::Stopped, Startup::Enabled));
    assert!(seen.stale);
    for requested in [Verb::Start, Verb::Enable, Verb::Disable, Verb::ReadUnits] {
        change(&bus, &verb(requested), &Within::default()).expect("goes well");
    }
    assert_eq!(look(&bus, "x.service").expect("has an answer").active, Active::Running);
    let asked: Vec<String> =
        requests.try_iter().filter(|method| !matches!(method.as_str(), "LoadUnit" | "GetAll")).collect();
    assert_eq!(asked, ["Subscribe", "StartUnit", "EnableUnitFiles", "Reload", "DisableUnitFiles", "Reload", "Reload"]);
}

#[test]
fn unit_changes_are_reported() {
    let Some(daemon) = daemon() else { return };
    let _said = serve(&daemon.1, Manner::Right);
    let bus = Bus::At(daemon.1.clone());
    let (report, events) = channel();
    let following = watch::follow(bus.clone(), "x.service".into(), move |followed| drop(report.send(followed)));
    let next = || events.recv_timeout(Duration::from_secs(20));
    assert_eq!(next(), Ok(Followed::Line), "it listens now");
    change(&bus, &verb(Verb::Start), &Within::default()).expect("goes well");
    assert_eq!(next(), Ok(Followed::Line), "it has started");
    drop(following);
    assert!(next().is_err(), "no message follows");
}

#[test]
fn failing_and_hanging_jobs_are_reported() {
    for (manner, words) in [(Manner::Fails, "ended as `failed"), (Manner::Hangs, "systemd's job for x.service")] {
        let Some(daemon) = daemon() else { return };
        let _said = serve(&daemon.1, manner);
        let within = Within { timeout: Some(Duration::from_millis(400)), ..Within::default() };
        let failed = change(&Bus::At(daemon.1.clone()), &verb(Verb::Start), &within);
        let Err(Failure::Refused(error)) = failed else { panic!("{failed:?}") };
        assert!(error.to_string().contains(words) && !error.to_string().contains('\u{1b}'), "{error}");
    }
    let Some(daemon) = daemon() else { return };
    let _said = serve(&daemon.1, Manner::Hangs);
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = change(&Bus::At(daemon.1.clone()), &verb(Verb::Stop), &Within { cancel, ..Within::default() });
    assert!(matches!(stopped, Err(Failure::Refused(HostError::Cancelled { .. }))), "{stopped:?}");
}

#[test]
fn whatever_the_bus_answers_is_survived() {
    let absent = Bus::At("unix:path=/nonexistent/bus".into());
    assert!(matches!(look(&absent, "x.service"), Err(Failure::Away(_))));
    assert!(matches!(change(&absent, &verb(Verb::Start), &Within::default()), Err(Failure::Away(_))));
    let Some(empty) = daemon() else { return };
    let empty_bus = Bus::At(empty.1.clone());
    assert!(matches!(look(&empty_bus, "x.service"), Err(Failure::Away(_))));
    assert!(matches!(change(&empty_bus, &verb(Verb::Start), &Within::default()), Err(Failure::Away(_))));
    for manner in [Manner::Nonsense, Manner::Rude, Manner::Leaves] {
        let Some(daemon) = daemon() else { return };
        let _said = serve(&daemon.1, manner);
        let bus = Bus::At(daemon.1.clone());
        if manner != Manner::Leaves {
            assert!(matches!(look(&bus, "x.service"), Err(Failure::Away(_))));
        }
        for requested in [Verb::Start, Verb::Enable, Verb::ReadUnits] {
            let within = Within { timeout: Some(Duration::from_secs(2)), ..Within::default() };
            if let Err(Failure::Refused(error)) =
                change(&bus, &verb(requested), &within).map_err(|failure| match failure {
                    Failure::Refused(error) => Failure::Refused(error),
                    Failure::Away(why) => Failure::Refused(HostError::Refused(why)),
                })
            {
                assert!(!error.to_string().contains('\u{1b}') && error.to_string().len() < 1500, "{error}");
            }
        }
    }
}
