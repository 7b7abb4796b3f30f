//! Addresses of the Internet with the length of a prefix, as in `192.0.2.7/24`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address with the length of its network prefix, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    pub address: IpAddr,
    pub prefix: u32,
}

impl Cidr {
    /// An address without a prefix, with the length of the whole address.
    pub fn of(address: IpAddr) -> Self {
        Self { address, prefix: width(address) }
    }

    /// An address with a prefix of at most three digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let plain = !prefix.is_empty() && prefix.len() <= 3 && prefix.bytes().all(|b| b.is_ascii_digit());
        Self::of(address.parse().ok()?).with_prefix(prefix.parse().ok().filter(|_| plain)?)
    }

    /// The same address with another prefix, if that is not longer than the address.
    pub fn with_prefix(self, prefix: u32) -> Option<Self> {
        (prefix <= width(self.address)).then_some(Self { prefix, ..self })
    }

    /// Returns the netmask.
    pub fn mask(self) -> IpAddr {
        self.of_number(self.mask_number())
    }

    /// Returns the first address of the network.
    pub fn network(self) -> IpAddr {
        self.of_number(self.network_number())
    }

    /// The address after this one, if it is in the network.
    pub fn first(self) -> Option<IpAddr> {
        let next = number(self.address).checked_add(1).filter(|next| *next <= all(self.address))?;
        (next & self.mask_number() == self.network_number()).then(|| self.of_number(next))
    }

    /// The last address of the network, in IPv4 the broadcast address.
    pub fn last(self) -> IpAddr {
        self.of_number(self.network_number() | self.host_mask())
    }

    /// The bits of an address that the prefix leaves free.
    pub fn host_mask(self) -> u128 {
        all(self.address) & !self.mask_number()
    }

    /// An IPv4 address within IPv6 counts as IPv4.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address.to_canonical(), address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(address)) => {
                let prefix = if self.address.is_ipv4() { self.prefix } else { self.prefix.saturating_sub(96) };
                let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
                let is_narrow = self.address.is_ipv4() || self.prefix >= 96;
                is_narrow && u32::from(address) & mask == u32::from(own) & mask
            }
            (IpAddr::V6(_), IpAddr::V6(address)) => u128::from(address) & self.mask_number() == self.network_number(),
            _ => false,
        }
    }

    fn network_number(self) -> u128 {
        number(self.address) & self.mask_number()
    }

    fn mask_number(self) -> u128 {
        // Shifting by the full width would overflow.
        let mask = if self.prefix == 0 { 0 } else { u128::MAX << (width(self.address) - self.prefix) };
        all(self.address) & mask
    }

    /// A number as an address of this one's family.
    fn of_number(self, number: u128) -> IpAddr {
        of_number(self.address, number)
    }
}

/// How many bits an address of this family has.
fn width(like: IpAddr) -> u32 {
    if like.is_ipv4() { 32 } else { 128 }
}

/// The number of the last address of a family.
pub fn all(like: IpAddr) -> u128 {
    if like.is_ipv4() { u128::from(u32::MAX) } else { u128::MAX }
}

/// Returns the address as a number.
pub fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => address.into(),
    }
}

/// A number as an address of the family of another one.
pub fn of_number(like: IpAddr, number: u128) -> IpAddr {
    match like {
        IpAddr::V4(_) => Ipv4Addr::from(number as u32).into(),
        IpAddr::V6(_) => Ipv6Addr::from(number).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::Cidr;

    #[test]
    fn every_prefix_has_its_ends() {
        for (text, first, last) in [
            ("0.0.0.0/0", Some("0.0.0.1"), "255.255.255.255"),
            ("192.0.2.6/31", Some("192.0.2.7"), "192.0.2.7"),
            ("192.0.2.7/31", None, "192.0.2.7"),
            ("192.0.2.7/24", Some("192.0.2.8"), "192.0.2.255"),
            ("255.255.255.255/0", None, "255.255.255.255"),
            ("::/0", Some("::1"), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            ("2001:db8::1/128", None, "2001:db8::1"),
        ] {
            let cidr = Cidr::parse(text).unwrap();
            let first = first.map(str::to_owned);
            assert_eq!((cidr.first().map(|a| a.to_string()), cidr.last().to_string()), (first, last.into()), "{text}");
        }
        for (ip, network, within) in [
            ("::ffff:10.0.0.1", "10.0.0.0/8", true),
            ("10.0.0.1", "::ffff:10.0.0.0/104", true),
            ("::ffff:10.0.0.1", "::/0", false),
            ("::1", "::/0", true),
        ] {
            assert_eq!(
                Cidr::parse(network).expect("a network").contains(ip.parse().expect("an address")),
                within,
                "{ip} in {network}"
            );
        }
        for wrong in ["192.0.2.7", "192.0.2.7/33", "192.0.2.7/+1", "192.0.2.7/", "192.0.2/24", "::/129", "/24"] {
            assert_eq!(Cidr::parse(wrong), None, "{wrong}");
        }
    }
}
