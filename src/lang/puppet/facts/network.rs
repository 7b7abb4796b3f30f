//! The names of this machine, and its interfaces with their addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Facts, Known, hash, known};
use crate::lang::puppet::value::{Map, Value};
use crate::world::{Interface, Read, Sample, World};

/// An address with its network.
struct Binding {
    address: IpAddr,
    netmask: IpAddr,
    network: IpAddr,
}

/// What is read in any case.
pub(super) const READS: &[Known] = &[|| Read::Hostname, || Read::Interfaces, || Read::File("/proc/net/route".into())];

/// Adds the facts about the names of the machine and its network.
pub fn add(facts: &mut Facts<'_>) {
    let fqdn = fqdn(facts.world);
    let (host, domain) = fqdn.split_once('.').unwrap_or((&fqdn, ""));
    let interfaces = match facts.world.read(&Read::Interfaces) {
        Ok(Sample::Interfaces(interfaces)) => interfaces,
        _ => Vec::new(),
    };
    let primary = primary(&facts.text("/proc/net/route"), &interfaces);
    facts.announce(interfaces.iter().map(|interface| Read::File(mtu(interface).into())));
    let mut all = Map::default();
    let mut first = Map::default();
    for interface in &interfaces {
        let about = described(facts, interface);
        if primary.as_deref() == Some(&*interface.name) {
            first = about.clone();
        }
        all.insert(Value::str(interface.name.as_str()), Value::hash(about));
    }
    let mut networking = Map::default();
    let mut set = |name: &str, value: Value| {
        if value != Value::Undef {
            networking.insert(Value::str(name), value);
        }
    };
    set("domain", known(domain));
    set("fqdn", known(&fqdn));
    set("hostname", known(host));
    set("interfaces", Value::hash(all));
    for name in ["ip", "ip6", "mac", "mtu", "netmask", "netmask6", "network", "network6"] {
        set(name, first.get(&Value::str(name)).cloned().unwrap_or(Value::Undef));
    }
    set("primary", primary.as_deref().map_or(Value::Undef, Value::str));
    set("scope6", first.get(&Value::str("scope6")).cloned().unwrap_or(Value::Undef));
    facts.set("networking", Value::hash(networking));
}

/// The whole name of this machine: with the domain that `/etc/hosts` or the resolver gives it.
pub fn fqdn(world: &dyn World) -> String {
    let host = world.hostname().to_lowercase();
    if host.is_empty() || host.contains('.') {
        return host;
    }
    let text = |path: &str| {
        let bytes = world.file(std::path::Path::new(path)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let begin = format!("{host}.");
    let hosts = text("/etc/hosts");
    let lines = hosts.lines().map(|line| line.split('#').next().unwrap_or_default());
    let named = lines.flat_map(|line| line.split_whitespace().skip(1)).find(|name| name.starts_with(&begin));
    if let Some(name) = named {
        return name.to_lowercase();
    }
    let resolver = text("/etc/resolv.conf");
    let domain = |word: &str| {
        let line = resolver.lines().find_map(|line| line.trim().strip_prefix(word));
        line.and_then(|rest| rest.split_whitespace().next()).map(|domain| domain.trim_matches('.').to_string())
    };
    match domain("domain ").or_else(|| domain("search ")).filter(|domain| !domain.is_empty()) {
        Some(domain) => format!("{host}.{domain}"),
        None => host,
    }
}

/// The interface of the default route, or the first one with an address that others can reach.
fn primary(routes: &str, interfaces: &[Interface]) -> Option<String> {
    let default = routes.lines().skip(1).find_map(|line| {
        let mut words = line.split_whitespace();
        let (name, to) = (words.next()?, words.next()?);
        (to == "00000000").then(|| name.to_string())
    });
    let is_local = |address: &String| address.starts_with("127.") || address.contains(':');
    let reachable = || interfaces.iter().find(|one| one.addresses.iter().any(|address| !is_local(address)));
    default.or_else(|| reachable().map(|one| one.name.clone()))
}

fn mtu(interface: &Interface) -> String {
    format!("/sys/class/net/{}/mtu", interface.name)
}

fn described(facts: &Facts<'_>, interface: &Interface) -> Map {
    let bindings: Vec<Binding> = interface.addresses.iter().filter_map(|address| binding(address)).collect();
    let (v4, v6): (Vec<&Binding>, Vec<&Binding>) = bindings.iter().partition(|binding| binding.address.is_ipv4());
    let is_usable = |binding: &&&Binding| match binding.address {
        IpAddr::V4(address) => !address.is_link_local(),
        IpAddr::V6(address) => !is_link(address),
    };
    let list = |bindings: &[&Binding]| Value::array(bindings.iter().map(|binding| shown(binding)).collect());
    let mut about = Map::default();
    let mut set = |name: &str, value: Value| {
        if value != Value::Undef {
            about.insert(Value::str(name), value);
        }
    };
    if !v4.is_empty() {
        set("bindings", list(&v4));
    }
    if !v6.is_empty() {
        set("bindings6", list(&v6));
    }
    let best4 = v4.iter().find(is_usable).or(v4.first());
    let best6 = v6.iter().find(is_usable).or(v6.first());
    set("ip", best4.map_or(Value::Undef, |one| one.address.to_string().into()));
    set("ip6", best6.map_or(Value::Undef, |one| one.address.to_string().into()));
    if interface.mac.bytes().any(|digit| digit != b'0' && digit != b':') {
        set("mac", known(&interface.mac));
    }
    let mtu = facts.text(mtu(interface)).parse();
    set("mtu", mtu.map_or(Value::Undef, Value::Int));
    set("netmask", best4.map_or(Value::Undef, |one| one.netmask.to_string().into()));
    set("netmask6", best6.map_or(Value::Undef, |one| one.netmask.to_string().into()));
    set("network", best4.map_or(Value::Undef, |one| one.network.to_string().into()));
    set("network6", best6.map_or(Value::Undef, |one| one.network.to_string().into()));
    set("scope6", best6.map_or(Value::Undef, |one| scope(one.address).into()));
    about
}

fn shown(binding: &Binding) -> Value {
    let scope = if binding.address.is_ipv6() { scope(binding.address).into() } else { Value::Undef };
    hash([
        ("address", binding.address.to_string().into()),
        ("netmask", binding.netmask.to_string().into()),
        ("network", binding.network.to_string().into()),
        ("scope6", scope),
    ])
}

/// `192.0.2.7/24`
fn binding(text: &str) -> Option<Binding> {
    let (address, prefix) = text.split_once('/')?;
    let (address, prefix): (IpAddr, u32) = (address.parse().ok()?, prefix.parse().ok()?);
    let (netmask, network) = match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32_u32.checked_sub(prefix)?).unwrap_or(0);
            (Ipv4Addr::from(mask).into(), Ipv4Addr::from(u32::from(address) & mask).into())
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128_u32.checked_sub(prefix)?).unwrap_or(0);
            (Ipv6Addr::from(mask).into(), Ipv6Addr::from(u128::from(address) & mask).into())
        }
    };
    Some(Binding { address, netmask, network })
}

fn is_link(address: Ipv6Addr) -> bool {
    address.segments()[0] & 0xffc0 == 0xfe80
}

fn scope(address: IpAddr) -> &'static str {
    match address {
        IpAddr::V6(address) if address.is_loopback() => "host",
        IpAddr::V6(address) if is_link(address) => "link",
        IpAddr::V6(address) if address.segments()[0] & 0xffc0 == 0xfec0 => "site",
        _ => "global",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_networks() {
        let of = |text: &str| {
            let one = binding(text).expect("it is an address");
            (one.netmask.to_string(), one.network.to_string())
        };
        assert_eq!(of("192.0.2.7/24"), ("255.255.255.0".into(), "192.0.2.0".into()));
        assert_eq!(of("fd00::2/64"), ("ffff:ffff:ffff:ffff::".into(), "fd00::".into()));
        assert_eq!(of("::1/128").1, "::1");
        assert!(binding("192.0.2.7/33").is_none());
        assert_eq!(scope("fe80::1".parse().expect("it is an address")), "link");
    }
}
