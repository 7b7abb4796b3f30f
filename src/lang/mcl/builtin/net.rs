//! `net` and `net/http`: addresses and network responses.

use std::net::IpAddr;

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::lang::shared::address::Cidr;
use crate::resource::validate::url;
use crate::world::{Interface, Read, ReadError, Sample};

/// The functions of the module `net`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "cidr_to_first",
        &["func(cidr str) str"],
        "The next address; for a network address this is its first host.",
        &[
            ("net.cidr_to_first(\"192.0.2.0/24\")", "\"192.0.2.1\""),
            ("net.cidr_to_first(\"192.0.2.7/32\") <|> \"none\"", "\"none\""),
        ],
        |call| match cidr(call, 0)?.first() {
            Some(first) => Ok(Value::str(first.to_string())),
            None => Err(Failure::catchable("no next address in this network")),
        },
    ),
    Function::new(
        "cidr_to_ip",
        &["func(cidr str) str"],
        "The address without its prefix length.",
        &[("net.cidr_to_ip(\"192.0.2.7/24\")", "\"192.0.2.7\""), ("net.cidr_to_ip(\"x\") <|> \"none\"", "\"none\"")],
        |call| Ok(Value::str(blank_cidr(call)?.address.to_canonical().to_string())),
    ),
    Function::new(
        "cidr_to_last",
        &["func(cidr str) str"],
        "The last address of a network (IPv4: its broadcast address).",
        &[("net.cidr_to_last(\"192.0.2.7/24\")", "\"192.0.2.255\"")],
        |call| Ok(Value::str(cidr(call, 0)?.last().to_string())),
    ),
    Function::new(
        "cidr_to_mask",
        &["func(cidr str) str"],
        "The prefix as a mask.",
        &[("net.cidr_to_mask(\"192.0.2.7/24\")", "\"255.255.255.0\"")],
        |call| Ok(Value::str(blank_cidr(call)?.mask().to_string())),
    ),
    Function::new(
        "cidr_to_network",
        &["func(cidr str) str"],
        "The network address with its prefix length.",
        &[
            ("net.cidr_to_network(\"192.0.2.7/24\")", "\"192.0.2.0/24\""),
            ("net.cidr_to_network(\"2001:db8::7/32\")", "\"2001:db8::/32\""),
        ],
        |call| {
            let cidr = blank_cidr(call)?;
            Ok(Value::str(format!("{}/{}", cidr.network(), cidr.prefix)))
        },
    ),
    Function::new(
        "cidr_to_prefix",
        &["func(cidr str) str"],
        "The prefix length.",
        &[("net.cidr_to_prefix(\"192.0.2.7/24\")", "\"24\"")],
        |call| Ok(Value::str(blank_cidr(call)?.prefix.to_string())),
    ),
    Function::new(
        "interface_cidr",
        &["func(interface str) str"],
        "The first global IPv4 address of an interface of this host, with its prefix length.",
        &[],
        |call| {
            let name = call.str(0)?;
            let found = interfaces(call)?.into_iter().find(|interface| interface.name == name);
            let Some(interface) = found else {
                return Err(Failure::fatal(format!("no interface {}", Quoted(name))));
            };
            let address = interface.addresses.into_iter().find(|text| is_global(text));
            let none = || Failure::fatal(format!("the interface {} has no IPv4 address", Quoted(name)));
            Ok(Value::str(address.ok_or_else(none)?))
        },
    ),
    Function::new(
        "ip_in_cidr",
        &["func(ip str, cidr str) bool"],
        "Whether a network has an address.",
        &[
            ("net.ip_in_cidr(\"192.0.2.9\", \"192.0.2.0/24\")", "true"),
            ("net.ip_in_cidr(\"::1\", \"192.0.2.0/24\")", "false"),
        ],
        |call| {
            let text = call.str(0)?;
            let ip = text.parse().map_err(|_| Failure::catchable(format!("{} is not an address", Quoted(text))))?;
            Ok(Value::Bool(cidr(call, 1)?.contains(ip)))
        },
    ),
    Function::new(
        "is_mac",
        &["func(mac str) bool"],
        "Whether a string is a hardware address as `macfmt` writes it.",
        &[("net.is_mac(\"00:00:5e:00:53:01\")", "true"), ("net.is_mac(\"00-00-5E-00-53-01\")", "false")],
        |call| {
            let text = call.str(0)?;
            Ok(Value::Bool(pairs(text).is_some_and(|mac| mac == text)))
        },
    ),
    Function::new(
        "macfmt",
        &["func(mac str) str"],
        "A hardware address in lower case with colons.",
        &[
            ("net.macfmt(\"00-00-5e-00-53-01\")", "\"00:00:5e:00:53:01\""),
            ("net.macfmt(\"x\") <|> \"none\"", "\"none\""),
        ],
        |call| Ok(Value::str(mac(call)?)),
    ),
    Function::new("macs", &["func() []str"], "The hardware addresses of this host, sorted.", &[], |call| {
        let mut macs: Vec<_> = interfaces(call)?.into_iter().map(|interface| interface.mac).collect();
        macs.retain(|mac| pairs(mac).is_some() && mac != "00:00:00:00:00:00");
        macs.sort_unstable();
        Ok(texts(macs))
    }),
    Function::new(
        "oldmacfmt",
        &["func(mac str) str"],
        "A hardware address with dashes.",
        &[("net.oldmacfmt(\"00:00:5e:00:53:01\")", "\"00-00-5e-00-53-01\"")],
        |call| Ok(Value::str(mac(call)?.replace(':', "-"))),
    ),
    Function::new(
        "split_hostport",
        &["func(address str) struct{host str; port str}"],
        "The host and the port of `host:port` or `[ipv6]:port`.",
        &[("net.split_hostport(\"[::1]:80\")", "struct{host => \"::1\", port => \"80\"}")],
        |call| {
            let text = call.str(0)?;
            let (host, port) = url::split_hostport(text)
                .map_err(|why| Failure::catchable(format!("the address {}: {why}", Quoted(text))))?;
            Ok(fields([("host", Value::str(host)), ("port", Value::str(port))]))
        },
    ),
    Function::new(
        "url_parser",
        &["func(url str) struct{scheme str; host str; path str; raw_query str}"],
        "The parts of a URL.",
        &[(
            "net.url_parser(\"https://example.com:8080/a%20b?x=1#top\")",
            "struct{scheme => \"https\", host => \"example.com:8080\", path => \"/a b\", raw_query => \"x=1\"}",
        )],
        |call| {
            let text = call.str(0)?;
            let url = url::parse(text).map_err(|why| Failure::catchable(format!("the URL {}: {why}", Quoted(text))))?;
            Ok(fields([
                ("scheme", Value::str(url.scheme)),
                ("host", Value::str(url.host)),
                ("path", Value::str(url.path)),
                ("raw_query", Value::str(url.query)),
            ]))
        },
    ),
    Function::new("wired_interface", &["func() str"], "The name of this host's first wired interface.", &[], |call| {
        match interfaces(call)?.into_iter().find(|interface| interface.wired) {
            Some(wired) => Ok(Value::str(wired.name)),
            None => Err(Failure::fatal("this host has no wired interface")),
        }
    }),
];

/// The functions of the module `net/http`.
pub static HTTP: &[Function] = &[Function::new(
    "response",
    &["func(uid str) struct{status int; output str}"],
    "The response of the http:client resource with that name; status 0 before it ran.",
    &[],
    |call| {
        let (status, body) = match call.world.read(&Read::Response(call.str(0)?.into())) {
            Ok(Sample::Response { status, body }) => (status, body),
            Ok(other) => return Err(unexpected(&other)),
            Err(ReadError::Unknown(_)) => (0, String::new()),
            Err(error) => return Err(error.into()),
        };
        Ok(fields([("status", Value::Int(status)), ("output", Value::str(body))]))
    },
)];

fn cidr(call: &Call, at: usize) -> Result<Cidr, Failure> {
    let text = call.str(at)?;
    Cidr::parse(text).ok_or_else(|| Failure::catchable(format!("{} is not an address with a prefix", Quoted(text))))
}

/// The same with blanks around it.
fn blank_cidr(call: &Call) -> Result<Cidr, Failure> {
    let text = call.str(0)?;
    Cidr::parse(text.trim()).map_or_else(|| cidr(call, 0), Ok)
}

/// Whether `192.0.2.7/24` is an address that others can reach.
fn is_global(text: &str) -> bool {
    let Some(Cidr { address: IpAddr::V4(address), .. }) = Cidr::parse(text) else { return false };
    let is_own = address.is_loopback() || address.is_link_local() || address.is_unspecified();
    !(is_own || address.is_multicast() || address.is_broadcast())
}

fn interfaces(call: &Call) -> Result<Vec<Interface>, Failure> {
    match call.world.read(&Read::Interfaces)? {
        Sample::Interfaces(interfaces) => Ok(interfaces),
        other => Err(unexpected(&other)),
    }
}

/// The first argument as a hardware address, if it is one.
fn mac(call: &Call) -> Result<String, Failure> {
    let text = call.str(0)?;
    pairs(text).ok_or_else(|| Failure::catchable(format!("{} is not a hardware address", Quoted(text))))
}

/// Six pairs of digits with colons or dashes between them, in lower case with colons.
fn pairs(text: &str) -> Option<String> {
    let separator = text.chars().nth(2).filter(|separator| matches!(separator, ':' | '-'))?;
    let pairs: Vec<&str> = text.split(separator).collect();
    let are_right = pairs.iter().all(|pair| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit()));
    (pairs.len() == 6 && are_right).then(|| pairs.join(":").to_ascii_lowercase())
}
