//! systemd over D-Bus: the properties of a unit, and jobs with a wait for their end.
//!
//! Each request has its own connection, thread and time limit, so that a bus that hangs or sends invalid answers has no
//! lasting effect. *Away*: no valid answer from systemd, and no change was requested yet. *Told*: systemd refused, or
//! the job failed.

use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_core::Stream;
use serde::Serialize;
use zbus::connection::Builder;
use zbus::message::Type;
use zbus::{Connection, DynamicType, MatchRule, Message, MessageStream, OwnedObjectPath, OwnedVariant, Variant, fdo};

use super::service;
use crate::host::{HostError, Service, ServiceChange, Verb, Within};
use crate::source::printable;

const SYSTEMD: &str = "org.freedesktop.systemd1";
pub(super) const MANAGER: &str = "org.freedesktop.systemd1.Manager";
pub(super) const ROOT: &str = "/org/freedesktop/systemd1";
const UNIT: &str = "org.freedesktop.systemd1.Unit";
pub(super) const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// The time limit of one answer.
const ANSWER: Duration = Duration::from_secs(30);

/// The time limit of a job without a deadline.
const JOB: Duration = Duration::from_secs(3600);

/// How often to check whether a job is cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// A bus that may have a systemd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bus {
    Machine,
    /// The user's own bus, in the runtime folder of the session.
    Session(PathBuf),
    #[cfg(test)]
    At(String),
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// No answer, or none from systemd, with the reason.
    Away(String),
    Told(HostError),
}

impl Bus {
    pub fn of(session: Option<&Path>) -> Self {
        session.map_or(Bus::Machine, |folder| Bus::Session(folder.into()))
    }

    pub async fn connect(&self) -> zbus::Result<Connection> {
        let builder = match self {
            Bus::Machine => Builder::system(),
            Bus::Session(folder) => Builder::address(format!("unix:path={}/bus", folder.display()).as_str()),
            #[cfg(test)]
            Bus::At(address) => Builder::address(address.as_str()),
        };
        builder.method_timeout(ANSWER).build().await
    }
}

/// Runs work on a separate thread, where it may wait or panic.
pub(super) fn apart<T, F>(work: impl FnOnce() -> F + Send) -> Result<T, Failure>
where
    T: Send,
    F: Future<Output = Result<T, Failure>>,
{
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::Away(error.to_string()))?;
        runtime.block_on(work())
    };
    let ended = std::thread::scope(|scope| scope.spawn(run).join());
    ended.unwrap_or_else(|_| Err(Failure::Away("invalid response".into())))
}

pub(super) fn look(bus: &Bus, name: &str) -> Result<Service, Failure> {
    apart(|| async {
        let asked = tokio::time::timeout(ANSWER, async {
            let connection = bus.connect().await?;
            properties(&connection, name).await
        });
        match asked.await {
            Ok(Ok(values)) => read(&values),
            // `systemctl` may succeed.
            Ok(Err(error)) => Err(Failure::Away(words(&error))),
            Err(_) => Err(Failure::Away("timeout".into())),
        }
    })
}

async fn properties(connection: &Connection, name: &str) -> zbus::Result<HashMap<String, OwnedVariant>> {
    let unit: OwnedObjectPath = call(connection, ROOT, MANAGER, "LoadUnit", &(name,)).await?.body().deserialize()?;
    call(connection, unit.as_str(), PROPERTIES, "GetAll", &(UNIT,)).await?.body().deserialize()
}

fn read(values: &HashMap<String, OwnedVariant>) -> Result<Service, Failure> {
    let value = |key: &str| match values.get(key).map(|value| &**value) {
        Some(Variant::Str(text)) => text.as_str(),
        Some(Variant::Bool(true)) => "yes",
        _ => "",
    };
    if value("LoadState").is_empty() || value("ActiveState").is_empty() {
        return Err(Failure::Away("it does not report the state of the unit".into()));
    }
    Ok(service(value))
}

async fn call<B: Serialize + DynamicType>(
    connection: &Connection,
    path: &str,
    interface: &str,
    method: &str,
    body: &B,
) -> zbus::Result<Message> {
    connection.call_method(Some(SYSTEMD), path, Some(interface), method, body).await
}

pub(super) async fn ask_manager<B: Serialize + DynamicType>(
    connection: &Connection,
    method: &str,
    body: &B,
) -> zbus::Result<Message> {
    call(connection, ROOT, MANAGER, method, body).await
}

pub(super) fn change(bus: &Bus, change: &ServiceChange, within: &Within) -> Result<(), Failure> {
    let name = change.unit.name.as_str();
    apart(|| async {
        let connection = tokio::time::timeout(ANSWER, bus.connect()).await;
        let connection = connection.map_err(|_| Failure::Away("timeout".into()))?;
        let connection = connection.map_err(|error| Failure::Away(words(&error)))?;
        let asked = async |method: &str, files: bool| {
            let files_of = [name];
            let done = match method {
                "EnableUnitFiles" => ask_manager(&connection, method, &(&files_of[..], false, files)).await,
                "DisableUnitFiles" => ask_manager(&connection, method, &(&files_of[..], false)).await,
                _ => ask_manager(&connection, method, &()).await,
            };
            done.map(drop).map_err(|error| refused(name, &error))
        };
        match change.verb {
            Verb::Start => job(&connection, "StartUnit", name, within).await,
            Verb::Stop => job(&connection, "StopUnit", name, within).await,
            Verb::Restart => job(&connection, "RestartUnit", name, within).await,
            Verb::Reload => job(&connection, "ReloadOrTryRestartUnit", name, within).await,
            Verb::Enable => {
                asked("EnableUnitFiles", true).await?;
                asked("Reload", false).await.map_err(told)
            }
            Verb::Disable => {
                asked("DisableUnitFiles", false).await?;
                asked("Reload", false).await.map_err(told)
            }
            Verb::ReadUnits => asked("Reload", false).await,
        }
    })
}

/// After a change was requested, `systemctl` must not request it again.
fn told(failure: Failure) -> Failure {
    match failure {
        Failure::Away(why) => Failure::Told(HostError::Refused(format!("systemd no longer responds: {why}"))),
        told => told,
    }
}

/// Starts a systemd job and waits for its end.
async fn job(connection: &Connection, method: &str, name: &str, within: &Within) -> Result<(), Failure> {
    let away = |error: zbus::Error| Failure::Away(words(&error));
    let rule =
        MatchRule::builder().msg_type(Type::Signal).interface(MANAGER).member("JobRemoved").build().map_err(away)?;
    // Subscribe before the job starts, or its end could be missed.
    let mut ends = MessageStream::for_match_rule(rule, connection, None).await.map_err(away)?;
    ask_manager(connection, "Subscribe", &()).await.map_err(away)?;
    let begun = ask_manager(connection, method, &(name, "replace")).await.map_err(|error| refused(name, &error))?;
    let job: OwnedObjectPath = begun.body().deserialize().map_err(|error| told(away(error)))?;
    let (since, limit) = (Instant::now(), within.timeout.unwrap_or(JOB));
    let program = || format!("systemd's job for {name}");
    loop {
        match tokio::time::timeout(LOOK, next(&mut ends)).await {
            Ok(Some(Ok(message))) => {
                // Ends of other jobs and other signals are skipped.
                let end: Result<(u32, OwnedObjectPath, String, String), _> = message.body().deserialize();
                if let Ok((_, ended, _, result)) = end
                    && ended == job
                {
                    return over(name, &result);
                }
            }
            Ok(Some(Err(_)) | None) => return Err(told(Failure::Away("its bus disconnected".into()))),
            Err(_) => {}
        }
        let late = since.elapsed() >= limit;
        if late || within.cancel.is_cancelled() {
            // The job may have ended already.
            let _ = call(connection, job.as_str(), "org.freedesktop.systemd1.Job", "Cancel", &()).await;
            let error = match late {
                true => HostError::Deadline { program: program(), after: limit },
                false => HostError::Cancelled { program: program() },
            };
            return Err(Failure::Told(error));
        }
    }
}

fn over(name: &str, result: &str) -> Result<(), Failure> {
    match result {
        "done" | "skipped" => Ok(()),
        _ => Err(Failure::Told(HostError::Refused(format!(
            "the systemd job for `{name}` ended as `{}`; see `systemctl status {name}`",
            printable(&short(result))
        )))),
    }
}

/// Returns the next message; `None` if the bus is gone.
pub(super) async fn next(stream: &mut MessageStream) -> Option<zbus::Result<Message>> {
    std::future::poll_fn(|context| std::pin::Pin::new(&mut *stream).poll_next(context)).await
}

/// Maps an error reply to a change request.
fn refused(name: &str, error: &zbus::Error) -> Failure {
    match error {
        zbus::Error::MethodError(kind, _, _) if kind.as_str() == "org.freedesktop.systemd1.NoSuchUnit" => {
            Failure::Told(HostError::NoUnit { name: name.to_owned() })
        }
        // The request did not reach systemd.
        zbus::Error::FDO(error) if matches!(**error, fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_)) => {
            Failure::Away(error.to_string())
        }
        error => Failure::Told(HostError::Refused(format!("systemd refuses: {}", words(error)))),
    }
}

/// Describes an error briefly, escaped for display.
fn words(error: &zbus::Error) -> String {
    let text = match error {
        zbus::Error::MethodError(_, Some(text), _) => text.clone(),
        zbus::Error::MethodError(kind, None, _) => kind.to_string(),
        error => error.to_string(),
    };
    printable(&short(&text)).to_string()
}

fn short(text: &str) -> String {
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests;
