//! An address with the length of its prefix, as in `192.0.2.7/24`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    pub address: IpAddr,
    pub prefix: u32,
}

impl Cidr {
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let plain = !prefix.is_empty() && prefix.len() <= 3 && prefix.bytes().all(|b| b.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|prefix| plain && *prefix <= bits(address))?;
        Some(Self { address, prefix })
    }

    pub fn mask(self) -> IpAddr {
        self.of_number(self.mask_number())
    }

    pub fn network(self) -> IpAddr {
        self.of_number(self.network_number())
    }

    /// The first address for a host: after the network's own, where there are more than two.
    pub fn first(self) -> IpAddr {
        self.of_number(self.network_number() + u128::from(self.has_ends()))
    }

    /// The last address for a host: before the broadcast address, where there are more than two.
    pub fn last(self) -> IpAddr {
        let all = if bits(self.address) == 32 { u128::from(u32::MAX) } else { u128::MAX };
        let end = self.network_number() | (all & !self.mask_number());
        self.of_number(end - u128::from(self.has_ends()))
    }

    pub fn contains(self, address: IpAddr) -> bool {
        bits(address) == bits(self.address) && number(address) & self.mask_number() == self.network_number()
    }

    fn has_ends(self) -> bool {
        bits(self.address) - self.prefix > 1
    }

    fn network_number(self) -> u128 {
        number(self.address) & self.mask_number()
    }

    fn mask_number(self) -> u128 {
        let bits = bits(self.address);
        let all = if bits == 32 { u128::from(u32::MAX) } else { u128::MAX };
        // Shifting by all the bits there are would be too far.
        if self.prefix == 0 { 0 } else { all & (u128::MAX << (bits - self.prefix)) }
    }

    /// A number as an address of this one's family.
    fn of_number(self, number: u128) -> IpAddr {
        match self.address {
            IpAddr::V4(_) => Ipv4Addr::from(number as u32).into(),
            IpAddr::V6(_) => Ipv6Addr::from(number).into(),
        }
    }
}

fn bits(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u32::from(address).into(),
        IpAddr::V6(address) => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::Cidr;

    #[test]
    fn every_prefix_has_its_ends() {
        for (text, first, last) in [
            ("0.0.0.0/0", "0.0.0.1", "255.255.255.254"),
            ("192.0.2.7/31", "192.0.2.6", "192.0.2.7"),
            ("192.0.2.7/32", "192.0.2.7", "192.0.2.7"),
            ("::/0", "::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"),
            ("2001:db8::1/128", "2001:db8::1", "2001:db8::1"),
        ] {
            let cidr = Cidr::parse(text).unwrap();
            assert_eq!((cidr.first().to_string(), cidr.last().to_string()), (first.into(), last.into()), "{text}");
        }
        for wrong in ["192.0.2.7", "192.0.2.7/33", "192.0.2.7/+1", "192.0.2.7/", "192.0.2/24", "::/129", "/24"] {
            assert_eq!(Cidr::parse(wrong), None, "{wrong}");
        }
    }
}
