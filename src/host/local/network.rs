//! Network interfaces of this machine, through `ip`.

use super::tool;
use crate::host::{HostError, Interface, InterfaceChange, InterfaceVerb, Within, is_interface_name};

fn has_ip() -> Result<(), HostError> {
    let why = "`ip` is missing".to_owned();
    if tool::has("ip") { Ok(()) } else { Err(HostError::NoManager { what: "tool to read the network", why }) }
}

fn checked(name: &str) -> Result<(), HostError> {
    if is_interface_name(name) {
        return has_ip();
    }
    Err(HostError::Refused(format!("`{}` is not a valid interface name", crate::source::printable(name))))
}

pub(super) fn read(name: &str) -> Result<Option<Interface>, HostError> {
    checked(name)?;
    let output = tool::ask("ip", &["-json", "address", "show", "dev", name], &[])?;
    if !output.succeeded() {
        return Ok(None);
    }
    let Some(mut interface) = interface(&output.stdout) else { return Ok(None) };
    let routes = tool::ask("ip", &["-json", "route", "show", "default", "dev", name], &[])?;
    interface.gateways = gateways(&routes.stdout);
    Ok(Some(interface))
}

/// Parses the output of `ip -json address` for one interface.
fn interface(text: &[u8]) -> Option<Interface> {
    let parsed: serde_json::Value = serde_json::from_slice(text).ok()?;
    // Older versions write an empty object in place of a filtered interface.
    let one = parsed.as_array()?.iter().find(|one| one.get("ifname").is_some())?;
    let up = one["flags"].as_array()?.iter().any(|flag| flag == "UP");
    let addresses = one["addr_info"].as_array()?.iter().filter(|info| info["scope"] != "link").filter_map(|info| {
        let address = info["local"].as_str()?;
        Some(format!("{address}/{}", info["prefixlen"].as_u64()?))
    });
    Some(Interface { up, addresses: addresses.collect(), gateways: Vec::new() })
}

fn gateways(text: &[u8]) -> Vec<String> {
    let parsed: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
    let routes = parsed.as_array().cloned().unwrap_or_default();
    routes.iter().filter_map(|route| route["gateway"].as_str()).map(str::to_owned).collect()
}

pub(super) fn change(change: &InterfaceChange, within: &Within) -> Result<(), HostError> {
    let name = change.name.as_str();
    checked(name)?;
    let args: &[&str] = match &change.verb {
        InterfaceVerb::Up => &["link", "set", "dev", name, "up"],
        InterfaceVerb::Down => &["link", "set", "dev", name, "down"],
        InterfaceVerb::AddAddress(address) => &["address", "add", address, "dev", name],
        InterfaceVerb::RemoveAddress(address) => &["address", "del", address, "dev", name],
        InterfaceVerb::SetGateway(gateway) => {
            &["route", "replace", "default", "via", gateway, "dev", name, "proto", "static"]
        }
        InterfaceVerb::RemoveGateway(gateway) => &["route", "del", "default", "via", gateway, "dev", name],
    };
    tool::change("ip", args, &[], within).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_output_is_parsed() {
        let text = br#"[{},{"ifname":"eth0","flags":["BROADCAST","UP"],"addr_info":[
            {"family":"inet","local":"192.0.2.7","prefixlen":24,"scope":"global"},
            {"family":"inet6","local":"fe80::1","prefixlen":64,"scope":"link"}]}]"#;
        let eth0 = interface(text).expect("is an interface");
        assert_eq!((eth0.up, eth0.addresses), (true, vec!["192.0.2.7/24".to_owned()]));
        assert_eq!(gateways(br#"[{"dst":"default","gateway":"192.0.2.1","dev":"eth0"}]"#), ["192.0.2.1"]);
        assert!(interface(b"[]").is_none() && interface(b"garbage").is_none() && gateways(b"").is_empty());
    }
}
