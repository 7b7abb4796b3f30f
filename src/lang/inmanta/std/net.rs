//! Functions on addresses.

use std::net::IpAddr;

use super::super::value::Value;
use super::{Call, CallResult, Default, Fail, Native, fail, function};
use crate::lang::shared::address::{Cidr, all, number, of_number};

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
    function("prefixlen", INTERFACE, "int", |call| Ok(Value::Int(i64::from(interface(&call.text(0))?.prefix)))),
    function("netmask", INTERFACE, "std::ipv_any_address", |call| {
        Ok(Value::str(interface(&call.text(0))?.mask().to_string()))
    }),
    function("network_address", INTERFACE, "std::ipv_any_address", |call| {
        Ok(Value::str(interface(&call.text(0))?.network().to_string()))
    }),
    function("prefixlength_to_netmask", &[("prefixlen", "int", None)], "std::ipv4_address", |call| {
        let prefix = u32::try_from(call.int(0)?).ok();
        match prefix.and_then(|prefix| Cidr::of(IpAddr::from([0, 0, 0, 0])).with_prefix(prefix)) {
            Some(cidr) => Ok(Value::str(cidr.mask().to_string())),
            None => fail(format!("'{}' is not a valid netmask", call.int(0)?)),
        }
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
        |call| Ok(Value::str(interface(&call.text(0))?.address.to_string())),
    ),
];

fn moved(address: IpAddr, by: i64) -> Result<IpAddr, Fail> {
    let start = number(address);
    let end = if by < 0 { start.checked_sub(u128::from(by.unsigned_abs())) } else { start.checked_add(by as u128) };
    match end {
        Some(end) if end <= all(address) => Ok(of_number(address, end)),
        _ => fail("the address is out of range"),
    }
}

/// An address with the length of its prefix: a number, or a mask of IPv4.
pub(super) fn parse_interface(text: &str) -> Option<Cidr> {
    let Some((address, prefix)) = text.split_once('/') else { return Some(Cidr::of(text.parse().ok()?)) };
    let whole = Cidr::of(address.parse().ok()?);
    if !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit()) {
        return whole.with_prefix(prefix.parse().ok()?);
    }
    let IpAddr::V4(written) = prefix.parse().ok()? else { return None };
    let written = u32::from(written);
    // A mask has its ones in front; its complement is also understood.
    let ones = if written.leading_ones() > 0 || written == 0 { written } else { !written };
    let is_mask = ones.leading_ones() + ones.trailing_zeros().min(32) >= 32;
    if whole.address.is_ipv4() && is_mask { whole.with_prefix(ones.leading_ones()) } else { None }
}

/// A network: its address has no bits beyond the prefix.
pub(super) fn parse_network(text: &str) -> Option<Cidr> {
    parse_interface(text).filter(|cidr| cidr.network() == cidr.address)
}

fn interface(text: &str) -> Result<Cidr, Fail> {
    parse_interface(text).map_or_else(|| fail(format!("'{text}' is not an address")), Ok)
}

fn ipindex(call: &mut Call) -> CallResult {
    let text = call.text(0);
    let Some(network) = parse_network(&text) else { return fail(format!("'{text}' is not a network")) };
    let last = network.host_mask();
    let at = call.int(1)?;
    let offset = if at < 0 { last.checked_sub(u128::from(at.unsigned_abs()) - 1) } else { Some(at as u128) };
    let Some(offset) = offset.filter(|offset| *offset <= last) else { return fail("address out of range") };
    let found = of_number(network.address, number(network.address) + offset);
    Ok(Value::str(if call.bool(2) { format!("{found}/{}", network.prefix) } else { found.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::{parse_interface, parse_network};

    #[test]
    fn prefixes_are_numbers_or_masks() {
        assert_eq!(parse_interface("10.0.0.1/255.255.255.0").map(|cidr| cidr.prefix), Some(24));
        assert_eq!(parse_interface("10.0.0.1").map(|cidr| cidr.prefix), Some(32));
        assert!(parse_interface("10.0.0.1/33").is_none() && parse_interface("10.0.0.1/255.0.255.0").is_none());
        assert!(parse_network("10.0.0.1/24").is_none() && parse_network("fe80::/10").is_some());
    }
}
