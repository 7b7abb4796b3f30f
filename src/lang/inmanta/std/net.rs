//! Functions on addresses.

use std::net::IpAddr;

use super::super::value::Value;
use super::{Call, Default, Fail, Made, Native, fail, function};

const INTERFACE: &[super::Argument] = &[("addr", "std::ipv_any_interface", None)];

pub(super) const NATIVES: &[Native] = &[
    function(
        "ipindex",
        &[
            ("addr", "std::ipv_any_network", None),
            ("position", "int", None),
            ("keep_prefix", "bool", Some(Default::Bool(false))),
        ],
        "string",
        ipindex,
    ),
    function("prefixlen", INTERFACE, "int", |call| Ok(Value::Int(i64::from(interface(&call.text(0))?.1)))),
    function("netmask", INTERFACE, "std::ipv_any_address", |call| {
        let (address, prefix) = interface(&call.text(0))?;
        Ok(Value::str(mask(address, prefix).to_string()))
    }),
    function("network_address", INTERFACE, "std::ipv_any_address", |call| {
        let (address, prefix) = interface(&call.text(0))?;
        Ok(Value::str(network(address, prefix).to_string()))
    }),
    function("prefixlength_to_netmask", &[("prefixlen", "int", None)], "std::ipv4_address", |call| match u8::try_from(
        call.int(0)?,
    ) {
        Ok(prefix @ 0..=32) => Ok(Value::str(mask(IpAddr::from([0, 0, 0, 0]), prefix).to_string())),
        _ => fail(format!("'{}' is not a valid netmask", call.int(0)?)),
    }),
    function(
        "add_to_ip",
        &[("addr", "std::ipv_any_address", None), ("n", "int", None)],
        "std::ipv_any_address",
        |call| {
            let text = call.text(0);
            let Ok(address) = text.parse::<IpAddr>() else { return fail(format!("'{text}' is not an address")) };
            moved(address, call.int(1)?).map(|address| Value::str(address.to_string()))
        },
    ),
    function(
        "ip_address_from_interface",
        &[("ip_interface", "std::ipv_any_interface", None)],
        "std::ipv_any_address",
        |call| Ok(Value::str(interface(&call.text(0))?.0.to_string())),
    ),
];

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

/// An address of the same family.
fn with_bits(like: IpAddr, bits: u128) -> IpAddr {
    match like {
        IpAddr::V4(_) => IpAddr::from((bits as u32).to_be_bytes()),
        IpAddr::V6(_) => IpAddr::from(bits.to_be_bytes()),
    }
}

fn mask_bits(width: u8, prefix: u8) -> u128 {
    let all = if width == 32 { u128::from(u32::MAX) } else { u128::MAX };
    let host = u32::from(width - prefix.min(width));
    if host == 128 { 0 } else { all >> host << host }
}

fn mask(like: IpAddr, prefix: u8) -> IpAddr {
    with_bits(like, mask_bits(width(like), prefix))
}

fn network(address: IpAddr, prefix: u8) -> IpAddr {
    with_bits(address, bits(address) & mask_bits(width(address), prefix))
}

fn moved(address: IpAddr, by: i64) -> Result<IpAddr, Fail> {
    let start = bits(address);
    let end = if by < 0 { start.checked_sub(u128::from(by.unsigned_abs())) } else { start.checked_add(by as u128) };
    match end {
        Some(end) if width(address) == 128 || end <= u128::from(u32::MAX) => Ok(with_bits(address, end)),
        _ => fail("the address is out of range"),
    }
}

/// An address with the length of its prefix: a number, or a mask of IPv4.
pub(super) fn parse_interface(text: &str) -> Option<(IpAddr, u8)> {
    let Some((address, prefix)) = text.split_once('/') else {
        let address: IpAddr = text.parse().ok()?;
        return Some((address, width(address)));
    };
    let address: IpAddr = address.parse().ok()?;
    if !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        let prefix: u8 = prefix.parse().ok()?;
        return (prefix <= width(address)).then_some((address, prefix));
    }
    let IpAddr::V4(written) = prefix.parse().ok()? else { return None };
    let written = u32::from(written);
    // A mask has its ones in front; its complement is also understood.
    let ones = if written.leading_ones() > 0 || written == 0 { written } else { !written };
    let is_mask = ones.leading_ones() + ones.trailing_zeros().min(32) >= 32;
    (address.is_ipv4() && is_mask).then(|| (address, ones.leading_ones() as u8))
}

/// A network: its address has no bits beyond the prefix.
pub(super) fn parse_network(text: &str) -> Option<(IpAddr, u8)> {
    parse_interface(text).filter(|(address, prefix)| network(*address, *prefix) == *address)
}

fn interface(text: &str) -> Result<(IpAddr, u8), Fail> {
    parse_interface(text).map_or_else(|| fail(format!("'{text}' is not an address")), Ok)
}

fn ipindex(call: &mut Call) -> Made {
    let text = call.text(0);
    let Some((address, prefix)) = parse_network(&text) else { return fail(format!("'{text}' is not a network")) };
    let host = u32::from(width(address) - prefix);
    let last = if host == 128 { u128::MAX } else { (1_u128 << host) - 1 };
    let at = call.int(1)?;
    let offset = if at < 0 { last.checked_sub(u128::from(at.unsigned_abs()) - 1) } else { Some(at as u128) };
    let Some(offset) = offset.filter(|offset| *offset <= last) else { return fail("address out of range") };
    let found = with_bits(address, bits(address) + offset);
    Ok(Value::str(if call.bool(2) { format!("{found}/{prefix}") } else { found.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::{parse_interface, parse_network};

    #[test]
    fn prefixes_are_numbers_or_masks() {
        assert_eq!(parse_interface("10.0.0.1/255.255.255.0").map(|(_, prefix)| prefix), Some(24));
        assert_eq!(parse_interface("10.0.0.1").map(|(_, prefix)| prefix), Some(32));
        assert!(parse_interface("10.0.0.1/33").is_none() && parse_interface("10.0.0.1/255.0.255.0").is_none());
        assert!(parse_network("10.0.0.1/24").is_none() && parse_network("fe80::/10").is_some());
    }
}
