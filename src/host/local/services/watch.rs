//! Watches a unit for changes: by systemd's signals on the bus, or by polling if no bus answers.

use std::time::{Duration, Instant};

use zbus::message::Type;
use zbus::{Connection, MatchRule, MessageStream, OwnedObjectPath};

use super::bus::{Bus, Failure, MANAGER, PROPERTIES, ROOT, apart, ask_manager, next};
use super::session_folder;
use crate::host::Unit;
use crate::host::local::follow::{Followed, Following};
use crate::world::Cancel;

/// The polling interval.
const ASKED: Duration = Duration::from_secs(5);

/// Changes within this time are reported once.
const GATHER: Duration = Duration::from_millis(100);

/// How often to check for cancellation.
const LOOK: Duration = Duration::from_millis(200);

/// Follows a unit. `tell` receives [`Followed::Line`], on another thread, whenever the unit may have changed.
pub fn follow_unit(unit: Unit, tell: impl Fn(Followed) + Send + Sync + 'static) -> Following {
    let bus = if unit.session { Bus::of(Some(&session_folder())) } else { Bus::Machine };
    follow(bus, unit.name, tell)
}

pub(super) fn follow(bus: Bus, name: String, tell: impl Fn(Followed) + Send + Sync + 'static) -> Following {
    Following::on_thread(move |cancel| {
        while !cancel.is_cancelled() {
            // This returns only when the bus fails or the watch is cancelled.
            let _: Result<(), Failure> = apart(|| listen(&bus, &name, cancel, &tell));
            let begun = Instant::now();
            while begun.elapsed() < ASKED && !cancel.is_cancelled() {
                std::thread::sleep(LOOK);
            }
            if !cancel.is_cancelled() {
                tell(Followed::Line);
            }
        }
    })
}

async fn listen(bus: &Bus, name: &str, cancel: &Cancel, tell: &(dyn Fn(Followed) + Sync)) -> Result<(), Failure> {
    let away = |error: zbus::Error| Failure::Away(error.to_string());
    let connection = bus.connect().await.map_err(away)?;
    let (mut unit, mut files) = subscribe(&connection, name).await.map_err(away)?;
    // There may have been changes before the subscription.
    tell(Followed::Line);
    while !cancel.is_cancelled() {
        let heard = tokio::select! {
            heard = next(&mut unit) => heard,
            heard = next(&mut files) => heard,
            () = tokio::time::sleep(LOOK) => continue,
        };
        if !matches!(heard, Some(Ok(_))) {
            return Ok(());
        }
        tokio::time::sleep(GATHER).await;
        while let Ok(Some(Ok(_))) = tokio::time::timeout(Duration::ZERO, next(&mut unit)).await {}
        while let Ok(Some(Ok(_))) = tokio::time::timeout(Duration::ZERO, next(&mut files)).await {}
        tell(Followed::Line);
    }
    Ok(())
}

/// Subscribes to changes of the unit itself, and of the set of enabled units.
async fn subscribe(connection: &Connection, name: &str) -> zbus::Result<(MessageStream, MessageStream)> {
    let path: OwnedObjectPath = ask_manager(connection, "LoadUnit", &(name,)).await?.body().deserialize()?;
    let signal = || MatchRule::builder().msg_type(Type::Signal);
    let unit = signal().path(path).interface(PROPERTIES).member("PropertiesChanged").build()?;
    let files = signal().path(ROOT).interface(MANAGER).member("UnitFilesChanged").build()?;
    let unit = MessageStream::for_match_rule(unit, connection, None).await?;
    let files = MessageStream::for_match_rule(files, connection, None).await?;
    ask_manager(connection, "Subscribe", &()).await?;
    Ok((unit, files))
}
