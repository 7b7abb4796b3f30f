//! Addresses of networks and cards, and leases.

use std::net::{IpAddr, Ipv4Addr};

use super::Reader;
use super::serve::boot_program;

pub(super) fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

/// `192.0.2.4/24`
fn is_network(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let is_number = !bits.is_empty() && bits.len() <= 3 && bits.bytes().all(|digit| digit.is_ascii_digit());
    match address.parse::<IpAddr>() {
        Ok(address) if is_number => {
            bits.parse::<u32>().is_ok_and(|bits| bits <= if address.is_ipv4() { 32 } else { 128 })
        }
        _ => false,
    }
}

/// Parses an address and a prefix length, written without leading zeros.
pub(super) fn prefix(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let is_plain = !bits.starts_with('+') && (bits == "0" || !bits.starts_with('0'));
    let bits: u8 = bits.parse().ok().filter(|_| is_plain)?;
    (bits <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, bits))
}

/// Whether a text is a hardware address in the usual form: pairs of lower-case hexadecimal digits separated by colons.
pub(super) fn is_mac(text: &str) -> bool {
    let pairs: Vec<&str> = text.split(':').collect();
    let is_pair = |pair: &&str| pair.len() == 2 && pair.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    matches!(pairs.len(), 6 | 8 | 20) && pairs.iter().all(is_pair)
}

/// Validates an address that is reserved for one card.
pub(super) fn lease(given: &Reader) -> Result<(), String> {
    card(given)?;
    boot_program(given)
}

/// Validates a card and its address.
pub(super) fn card(given: &Reader) -> Result<(), String> {
    given.needs("mac")?;
    if let Some(mac) = given.text("mac").filter(|mac| !is_mac(mac)) {
        return Err(format!("`mac` is `{mac}`; expected for example `52:54:00:ab:cd:ef`"));
    }
    given.needs("ip")?;
    match given.text("ip") {
        Some(ip) if !is_network(ip) || ip.contains("::") || !ip.contains('.') => {
            Err(format!("`ip` is `{ip}`; expected for example `192.0.2.4/24`"))
        }
        _ => Ok(()),
    }
}
