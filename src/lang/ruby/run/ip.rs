//! Addresses of the Internet, as `IPAddr` has them.

use std::cmp::Ordering;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::Machine;
use super::call::Tried;
use super::value::Ruby;

/// An address, or the first one of a network.
#[derive(Clone, Debug)]
pub struct Ip {
    bits: u128,
    is_v6: bool,
    prefix: u32,
    /// It is the number of the address, which has more than 64 bits.
    pub is_number: bool,
}

impl PartialEq for Ip {
    fn eq(&self, other: &Self) -> bool {
        self.order(other) == Some(Ordering::Equal)
    }
}

impl Ip {
    /// `10.0.0.1`, `10.0.0.0/8`, `fe80::/64`, `[::1]`
    pub fn read(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let inner = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let v4 = address.parse::<Ipv4Addr>().ok().map(|v4| u128::from(u32::from(v4)));
        let (bits, is_v6) = match v4 {
            Some(bits) => (bits, false),
            None => (u128::from(inner.unwrap_or(address).parse::<Ipv6Addr>().ok()?), true),
        };
        let width = if is_v6 { 128 } else { 32 };
        let prefix = match prefix {
            None => width,
            Some(mask) if !is_v6 && mask.contains('.') => u32::from(mask.parse::<Ipv4Addr>().ok()?).leading_ones(),
            Some(prefix) => prefix.parse().ok().filter(|prefix| *prefix <= width)?,
        };
        let free = width - prefix;
        let bits = if free >= 128 { 0 } else { bits >> free << free };
        Some(Self { bits, is_v6, prefix, is_number: false })
    }

    /// The order of two addresses of one kind. Networks compare by their first addresses.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        let is_comparable = (self.is_v6, self.is_number) == (other.is_v6, other.is_number);
        is_comparable.then(|| self.bits.cmp(&other.bits))
    }

    pub fn inspect(&self) -> String {
        let mask = |width: u32| u128::MAX.checked_shl(width - self.prefix).unwrap_or_default();
        let groups = |bits: u128| Ipv6Addr::from(bits).segments().map(|group| format!("{group:04x}")).join(":");
        match (self.is_number, self.is_v6) {
            (true, _) => self.to_string(),
            (false, true) => format!("#<IPAddr: IPv6:{}/{}>", groups(self.bits), groups(mask(128))),
            (false, false) => format!("#<IPAddr: IPv4:{self}/{}>", Ipv4Addr::from(mask(32) as u32)),
        }
    }

    fn has(&self, other: &Self) -> bool {
        let free = if self.is_v6 { 128 } else { 32 } - self.prefix;
        self.is_v6 == other.is_v6
            && self.prefix <= other.prefix
            && (free >= 128 || self.bits >> free == other.bits >> free)
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match u32::try_from(self.bits) {
            _ if self.is_number => write!(f, "{}", self.bits),
            Ok(bits) if !self.is_v6 => write!(f, "{}", Ipv4Addr::from(bits)),
            _ => write!(f, "{}", Ipv6Addr::from(self.bits)),
        }
    }
}

impl Machine<'_, '_> {
    pub fn ip_method(&mut self, line: u32, ip: &Ip, name: &str, args: &[Ruby]) -> Tried {
        Ok(Some(match (name, args) {
            ("to_i", []) => {
                i64::try_from(ip.bits).map_or_else(|_| Ruby::Ip(Ip { is_number: true, ..ip.clone() }), Ruby::Int)
            }
            ("to_s", []) => self.string(ip.to_string())?,
            _ if ip.is_number => return Ok(None),
            ("ipv4?", []) => Ruby::Bool(!ip.is_v6),
            ("ipv6?", []) => Ruby::Bool(ip.is_v6),
            ("prefix", []) => Ruby::Int(i64::from(ip.prefix)),
            ("include?" | "===", [Ruby::Ip(other)]) => Ruby::Bool(ip.has(other)),
            ("include?" | "===", [other]) => {
                let text = self.text(line, other)?;
                match Ip::read(&text) {
                    Some(other) => Ruby::Bool(ip.has(&other)),
                    None => return self.fail(line, format!("invalid address: {text}")),
                }
            }
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Ip;

    #[test]
    fn networks_are_masked_and_hold_their_addresses() {
        let read = |text: &str| Ip::read(text).expect("is an address");
        assert_eq!(read("10.1.2.3/8").to_string(), "10.0.0.0");
        assert_eq!(read("10.1.2.3/255.255.0.0").to_string(), "10.1.0.0");
        assert_eq!(read("::/0").bits, 0);
        assert!(read("fe80::/64").has(&read("[fe80::1]")) && !read("10.0.0.0/8").has(&read("11.0.0.1")));
        assert_eq!((Ip::read("10.0.0"), Ip::read("10.0.0.0/33")), (None, None));
    }
}
