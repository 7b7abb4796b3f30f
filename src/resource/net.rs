//! The kind `net`: manages the state of a network interface, its addresses and its gateway.

use std::net::IpAddr;
use std::path::PathBuf;

use super::reader::{Param, Reader, Typed};
use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::{Params, Value};
use crate::host::{
    HostError, Interface, InterfaceChange, InterfaceVerb, Look, Operation, SystemChange, is_interface_name,
};
use crate::plan::Action;
use crate::source::printable;

/// The kind `net`, which manages the state, the addresses and the gateway of a network interface.
pub struct Net;

impl Kind for Net {
    fn schema(&self) -> &'static Schema {
        schema("net").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        given.may_be("state", &["up", "down"])?;
        let addrs = given.texts_param("addrs");
        let gateway = given.filled_param("gateway");
        Ok(Typed::new(NetParams {
            addrs: addrs.parse("addrs", |addrs| addrs.iter().map(|text| network(text)).collect())?,
            gateway: gateway.parse("gateway", |text| match text.parse::<IpAddr>() {
                Ok(address) => Ok(address.to_string()),
                Err(_) => Err(format!("`{text}` is not an address")),
            })?,
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        if !is_interface_name(turn.name) {
            return Err(HostError::Refused(format!("`{}` is not a valid interface name", printable(turn.name))));
        }
        let params: &NetParams = turn.typed.get()?;
        let addresses = params.addrs.get()?;
        let gateway = params.gateway.get()?.cloned();
        let there = look.interface(turn.name)?;
        let there = there.ok_or_else(|| HostError::Refused(format!("no interface `{}`", turn.name)))?;
        let mut steps = Steps::default();
        let state = turn.text("state")?;
        stored(turn, look, state, addresses.map(Vec::as_slice), &mut steps)?;
        now(turn, look, state, &there, &mut steps)?;
        if state != Some("down") {
            if let Some(wanted) = addresses {
                address(turn, look, &there, wanted, &mut steps)?;
            }
            if let Some(gateway) = gateway.filter(|gateway| there.gateways != [gateway.clone()]) {
                steps.differs("gateway", there.gateways.first().cloned(), Some(gateway.clone()));
                change_interface(turn, look, InterfaceVerb::SetGateway(gateway), &mut steps)?;
            }
        }
        Ok(steps.seen(Action::Change))
    }

    fn reversed(&self, turn: &Turn, _look: &dyn Look) -> Result<Option<Params>, HostError> {
        reversed(turn)
    }
}

/// Up becomes down and down becomes up, with or without the file for the next boot.
fn reversed(turn: &Turn) -> Result<Option<Params>, HostError> {
    let state = match turn.text("state")? {
        Some("up") => "down",
        Some("down") => "up",
        _ => return Ok(None),
    };
    let mut params = turn.params.clone();
    params.set("state", state.into());
    Ok(Some(params))
}

/// Returns the desired addresses; `None` leaves them unchanged.
/// The addresses as the system shows them.
struct NetParams {
    addrs: Param<Vec<String>>,
    gateway: Param<String>,
}

/// Parses `192.0.2.4/24`, and returns it as the system shows it.
fn network(text: &str) -> Result<String, String> {
    let parsed = text.split_once('/').and_then(|(address, length)| {
        let is_number = length.len() <= 3 && length.bytes().all(|digit| digit.is_ascii_digit());
        let address: IpAddr = address.parse().ok()?;
        let length: u8 = length.parse().ok().filter(|_| is_number)?;
        (length <= if address.is_ipv4() { 32 } else { 128 }).then(|| format!("{address}/{length}"))
    });
    parsed.ok_or_else(|| format!("`{text}` is not an address with a prefix length, such as `192.0.2.4/24`"))
}

fn change_interface(turn: &Turn, look: &dyn Look, verb: InterfaceVerb, steps: &mut Steps) -> Result<(), HostError> {
    steps.change(SystemChange::Interface(InterfaceChange { name: turn.name.to_owned(), verb }), look)
}

fn now(
    turn: &Turn,
    look: &dyn Look,
    state: Option<&str>,
    there: &Interface,
    steps: &mut Steps,
) -> Result<(), HostError> {
    let verb = match state {
        Some("up") if !there.up => InterfaceVerb::Up,
        Some("down") if there.up => InterfaceVerb::Down,
        _ => return Ok(()),
    };
    let word = |up: bool| Some(if up { "up" } else { "down" }.to_owned());
    steps.differs("state", word(there.up), word(!there.up));
    change_interface(turn, look, verb, steps)
}

/// Old addresses are removed after new ones are added, so that the machine stays reachable.
fn address(
    turn: &Turn,
    look: &dyn Look,
    there: &Interface,
    wanted: &[String],
    steps: &mut Steps,
) -> Result<(), HostError> {
    let new: Vec<&String> = wanted.iter().filter(|address| !there.addresses.contains(address)).collect();
    let old: Vec<&String> = there.addresses.iter().filter(|address| !wanted.contains(address)).collect();
    if new.is_empty() && old.is_empty() {
        return Ok(());
    }
    steps.differs("addrs", Some(there.addresses.join(", ")), Some(wanted.join(", ")));
    for address in new {
        change_interface(turn, look, InterfaceVerb::AddAddress(address.clone()), steps)?;
    }
    for address in old {
        change_interface(turn, look, InterfaceVerb::RemoveAddress(address.clone()), steps)?;
    }
    Ok(())
}

/// The settings for the next boot, in networkd's format. The file has mgmt's name for it, so that an interface has only
/// one such file.
fn stored(
    turn: &Turn,
    look: &dyn Look,
    state: Option<&str>,
    addresses: Option<&[String]>,
    steps: &mut Steps,
) -> Result<(), HostError> {
    let path = PathBuf::from(format!("/etc/systemd/network/mgmt-{}.network", turn.name));
    match state {
        Some("up") => {
            let mut lines = vec!["[Match]".to_owned(), format!("Name={}", turn.name), "[Network]".to_owned()];
            lines.extend(addresses.unwrap_or_default().iter().map(|address| format!("Address={address}")));
            lines.extend(turn.text("gateway")?.map(|gateway| format!("Gateway={gateway}")));
            if !matches!(turn.params.get("ip_forward"), None | Some(Value::Null)) {
                lines.push(format!("IPForward={}", turn.flag("ip_forward")?));
            }
            let file = WholeFile { path, mode: 0o644, content: lines.join("\n") };
            file.differs(look, "stored", steps).map(drop)
        }
        Some("down") if look.stat(&path)?.is_some() => {
            steps.differs("stored", Some("exists".into()), Some("absent".into()));
            steps.file(Operation::RemoveFile { path });
            Ok(())
        }
        _ => Ok(()),
    }
}
