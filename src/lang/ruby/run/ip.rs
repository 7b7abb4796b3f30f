//! Addresses of the Internet, as `IPAddr` has them.

use std::cmp::Ordering;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::call::MethodResult;
use super::value::Ruby;
use super::{Machine, Ran};
use crate::lang::shared::address::{Cidr, number};

/// An address, or the first one of a network.
#[derive(Clone, Debug)]
pub struct Ip {
    cidr: Cidr,
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
        let inner = address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(address);
        let v4 = address.parse::<Ipv4Addr>().ok().map(IpAddr::V4);
        let whole = Cidr::of(v4.or_else(|| inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6))?);
        let cidr = match prefix {
            None => whole,
            Some(mask) if v4.is_some() && mask.contains('.') => {
                let mask = u32::from(mask.parse::<Ipv4Addr>().ok()?);
                if mask.leading_ones() + mask.trailing_zeros() < 32 {
                    return None;
                }
                whole.with_prefix(mask.leading_ones())?
            }
            Some(prefix) => whole.with_prefix(prefix.parse().ok()?)?,
        };
        Some(Self { cidr: Cidr { address: cidr.network(), ..cidr }, is_number: false })
    }

    /// The order of two addresses of one kind. Networks compare by their first addresses.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        let kind = |ip: &Self| (ip.cidr.address.is_ipv4(), ip.is_number);
        (kind(self) == kind(other)).then(|| self.cidr.address.cmp(&other.cidr.address))
    }

    /// Returns the text that Ruby's `inspect` shows.
    pub fn inspect(&self) -> String {
        let groups = |address: Ipv6Addr| address.segments().map(|group| format!("{group:04x}")).join(":");
        match (self.cidr.address, self.cidr.mask()) {
            _ if self.is_number => self.to_string(),
            (IpAddr::V6(address), IpAddr::V6(mask)) => format!("#<IPAddr: IPv6:{}/{}>", groups(address), groups(mask)),
            (address, mask) => format!("#<IPAddr: IPv4:{address}/{mask}>"),
        }
    }

    fn has(&self, other: &Self) -> bool {
        let (own, other) = (self.cidr, other.cidr);
        own.address.is_ipv4() == other.address.is_ipv4()
            && own.prefix <= other.prefix
            && Cidr { prefix: own.prefix, ..other }.network() == own.address
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_number { write!(f, "{}", number(self.cidr.address)) } else { write!(f, "{}", self.cidr.address) }
    }
}

impl Machine<'_> {
    /// Calls a method of an address; `None` if it has no such method.
    pub fn ip_method(&mut self, line: u32, ip: &Ip, name: &str, args: &[Ruby]) -> MethodResult {
        Ok(Some(match (name, args) {
            ("to_i", []) => i64::try_from(number(ip.cidr.address))
                .map_or_else(|_| Ruby::Ip(Ip { is_number: true, ..ip.clone() }), Ruby::Int),
            ("to_s", [_, ..]) => return self.outside(line, "the base of a large number"),
            ("to_s", []) => self.string(ip.to_string())?,
            _ if ip.is_number => return Ok(None),
            ("ipv4?", []) => Ruby::Bool(ip.cidr.address.is_ipv4()),
            ("ipv6?", []) => Ruby::Bool(ip.cidr.address.is_ipv6()),
            ("prefix", []) => Ruby::Int(i64::from(ip.cidr.prefix)),
            ("include?" | "===", [Ruby::Ip(other)]) => Ruby::Bool(ip.has(other)),
            ("include?" | "===", [other]) => Ruby::Bool(ip.has(&self.ip(line, other)?)),
            _ => return Ok(None),
        }))
    }

    /// Reads an address from a text. Fails if it is none.
    pub fn ip(&self, line: u32, text: &Ruby) -> Ran<Ip> {
        let text = self.text(line, text)?;
        Ip::read(&text).map_or_else(|| self.fail(line, format!("invalid address: {text}")), Ok)
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
        assert_eq!(read("::/0").to_string(), "::");
        assert!(read("fe80::/64").has(&read("[fe80::1]")) && !read("10.0.0.0/8").has(&read("11.0.0.1")));
        assert_eq!((Ip::read("10.0.0"), Ip::read("10.0.0.0/33")), (None, None));
    }
}
