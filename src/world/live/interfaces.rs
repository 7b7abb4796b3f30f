//! Network interfaces with their addresses, from /sys and /proc.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;

use super::{names, read_file};
use crate::world::{Interface, ReadError};

/// Returns every interface in the order of the names.
pub fn read() -> Result<Vec<Interface>, ReadError> {
    let folder = Path::new("/sys/class/net");
    let ipv4 = ipv4_addresses();
    let ipv6 = text("/proc/net/if_inet6");
    let interfaces = names(folder)?.into_iter().filter(|name| folder.join(name).is_dir()).map(|name| Interface {
        mac: text(&format!("/sys/class/net/{name}/address")).trim().to_owned(),
        addresses: of_interface(&ipv4, &name).chain(ipv6_addresses(&ipv6, &name)).collect(),
        wired: is_wired(&folder.join(&name)),
        name,
    });
    Ok(interfaces.collect())
}

fn text(path: &str) -> String {
    String::from_utf8_lossy(&read_file(Path::new(path)).unwrap_or_default()).into_owned()
}

/// Hardware has a device entry, and Ethernet is type 1.
fn is_wired(folder: &Path) -> bool {
    let ethernet = text(&folder.join("type").display().to_string()).trim() == "1";
    ethernet && folder.join("device").exists() && !folder.join("wireless").exists()
}

fn of_interface<'a>(all: &'a [(String, String)], name: &'a str) -> impl Iterator<Item = String> + 'a {
    all.iter().filter(move |(interface, _)| interface == name).map(|(_, address)| address.clone())
}

/// Returns local addresses, each with the interface whose connected network contains it.
fn ipv4_addresses() -> Vec<(String, String)> {
    let routes = text("/proc/net/route");
    let networks: Vec<_> = routes.lines().skip(1).filter_map(connected_network).collect();
    let mut found = Vec::new();
    for address in local_ipv4(&text("/proc/net/fib_trie")) {
        let number = u32::from(address);
        let best = networks.iter().filter(|(_, to, mask)| number & mask == *to).max_by_key(|(_, _, mask)| *mask);
        match best {
            Some((name, _, mask)) => found.push((name.clone(), format!("{address}/{}", mask.count_ones()))),
            None if address.is_loopback() => found.push(("lo".into(), format!("{address}/8"))),
            None => {}
        }
    }
    found
}

/// Parses a line of /proc/net/route without a gateway: name, network and mask.
fn connected_network(line: &str) -> Option<(String, u32, u32)> {
    let words: Vec<_> = line.split_whitespace().collect();
    // The kernel prints them in memory order.
    let number = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok().map(u32::from_be);
    let (to, gateway, mask) = (number(1)?, number(2)?, number(7)?);
    (gateway == 0 && mask != 0).then(|| (words[0].to_owned(), to, mask))
}

/// Returns the machine's own addresses in /proc/net/fib_trie, sorted.
fn local_ipv4(trie: &str) -> Vec<Ipv4Addr> {
    let mut found = Vec::new();
    let mut last: Option<Ipv4Addr> = None;
    for line in trie.lines() {
        if let Some(address) = line.trim().strip_prefix("|-- ") {
            last = address.parse().ok();
        } else if line.contains("/32 host LOCAL") {
            found.extend(last);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Parses lines of /proc/net/if_inet6: address, index, prefix length, scope, flags, name.
fn ipv6_addresses(table: &str, name: &str) -> Vec<String> {
    let address = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let address = Ipv6Addr::from(u128::from_str_radix(words.first()?, 16).ok()?);
        let prefix = u8::from_str_radix(words.get(2)?, 16).ok()?;
        (words.get(5) == Some(&name)).then(|| format!("{address}/{prefix}"))
    };
    table.lines().filter_map(address).collect()
}

#[cfg(test)]
mod tests {
    use super::{connected_network, ipv6_addresses, local_ipv4};

    #[test]
    fn reads_the_kernels_tables() {
        let line = "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0";
        assert_eq!(connected_network(line), Some(("eth0".into(), 0xc000_0200, 0xffff_ff00)));
        let trie = "Local:\n  |-- 192.0.2.7\n     /32 host LOCAL\n  |-- 192.0.2.255\n     /32 link BROADCAST\n";
        assert_eq!(local_ipv4(trie), ["192.0.2.7".parse::<std::net::Ipv4Addr>().unwrap()]);
        let table = "20010db8000000000000000000000001 02 40 00 80     eth0\n";
        assert_eq!(ipv6_addresses(table, "eth0"), ["2001:db8::1/64"]);
    }
}
