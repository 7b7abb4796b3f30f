//! Facts by their old names, such as `$osfamily`: what the structured facts have.

use crate::lang::puppet::value::Value;

/// Old names with their places in the structured facts.
const PLACES: [(&str, &str); 36] = [
    ("architecture", "os.architecture"),
    ("augeasversion", "augeas.version"),
    ("bios_vendor", "dmi.bios.vendor"),
    ("bios_version", "dmi.bios.version"),
    ("boardmanufacturer", "dmi.board.manufacturer"),
    ("boardproductname", "dmi.board.product"),
    ("dhcp_servers", "networking.dhcp"),
    ("domain", "networking.domain"),
    ("fqdn", "networking.fqdn"),
    ("gid", "identity.group"),
    ("hardwareisa", "processors.isa"),
    ("hardwaremodel", "os.hardware"),
    ("hostname", "networking.hostname"),
    ("id", "identity.user"),
    ("ipaddress", "networking.ip"),
    ("ipaddress6", "networking.ip6"),
    ("lsbdistcodename", "os.distro.codename"),
    ("lsbdistdescription", "os.distro.description"),
    ("lsbdistid", "os.distro.id"),
    ("lsbdistrelease", "os.distro.release.full"),
    ("lsbmajdistrelease", "os.distro.release.major"),
    ("macaddress", "networking.mac"),
    ("manufacturer", "dmi.manufacturer"),
    ("memorysize", "memory.system.total"),
    ("netmask", "networking.netmask"),
    ("network", "networking.network"),
    ("operatingsystem", "os.name"),
    ("operatingsystemmajrelease", "os.release.major"),
    ("operatingsystemrelease", "os.release.full"),
    ("osfamily", "os.family"),
    ("physicalprocessorcount", "processors.physicalcount"),
    ("processorcount", "processors.count"),
    ("productname", "dmi.product.name"),
    ("rubyversion", "ruby.version"),
    ("selinux", "os.selinux.enabled"),
    ("uptime", "system_uptime.uptime"),
];

/// Old names of one interface.
const OF_INTERFACE: [(&str, &str); 6] = [
    ("ipaddress6", "ip6"),
    ("ipaddress", "ip"),
    ("macaddress", "mac"),
    ("netmask", "netmask"),
    ("network", "network"),
    ("mtu", "mtu"),
];

/// The old name of a fact that was probably meant, and its place in `$facts`, such as `['os']['family']`.
pub fn near(name: &str) -> Option<(&'static str, String)> {
    let old = crate::diag::nearest(name, PLACES.iter().map(|(old, _)| *old))?;
    let (old, path) = PLACES.iter().find(|(known, _)| *known == old)?;
    Some((old, path.split('.').map(|part| format!("['{part}']")).collect()))
}

/// A fact by an old name.
pub fn find(facts: &Value, name: &str) -> Option<Value> {
    let inside = |path: &str| path.split('.').try_fold(facts, |value, part| value.get(part)).cloned();
    if let Ok(at) = PLACES.binary_search_by_key(&name, |(old, _)| old) {
        return inside(PLACES[at].1);
    }
    if name == "memorysize_mb" {
        return match inside("memory.system.total_bytes")? {
            Value::Int(bytes) => Some(Value::Float((bytes as f64 / 1_048_576.0 * 100.0).round() / 100.0)),
            _ => None,
        };
    }
    let Value::Hash(interfaces) = inside("networking.interfaces")? else { return None };
    if name == "interfaces" {
        let names: Vec<&str> = interfaces.keys().filter_map(Value::as_str).collect();
        return Some(Value::str(names.join(",")));
    }
    OF_INTERFACE.iter().find_map(|(old, new)| {
        let wanted = name.strip_prefix(old)?.strip_prefix('_')?;
        // Signs in the name of an interface became underlines.
        let is_it = |key: &&Value| key.as_str().is_some_and(|key| key.replace(['.', ':', '-'], "_") == wanted);
        interfaces.get(interfaces.keys().find(is_it)?)?.get(new).cloned()
    })
}

#[cfg(test)]
mod tests {
    use super::{PLACES, find};
    use crate::lang::puppet::convert;

    #[test]
    fn old_names_are_places_of_structured_facts() {
        assert!(PLACES.is_sorted_by_key(|(old, _)| *old));
        let facts = serde_json::json!({"os": {"family": "Debian"}, "networking": {"interfaces": {"eth0.1": {"ip": "192.0.2.1"}}}});
        let facts = convert::from_json(&facts);
        let text = |name: &str| find(&facts, name).map(|value| convert::string(&value));
        assert_eq!((text("osfamily").as_deref(), text("interfaces").as_deref()), (Some("Debian"), Some("eth0.1")));
        assert_eq!((text("ipaddress_eth0_1").as_deref(), text("nope")), (Some("192.0.2.1"), None));
    }
}
