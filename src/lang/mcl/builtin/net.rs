//! `net` and `net/http`: addresses and what the network said.

mod cidr;
mod url;

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Interface, Read, ReadError, Sample};
use cidr::Cidr;

pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "net",
        "cidr_to_first",
        &["func(cidr str) str"],
        "The first address of a network that a host may have.",
        &[("net.cidr_to_first(\"192.0.2.7/24\")", "\"192.0.2.1\"")],
        |call| Ok(Value::str(cidr(call, 0)?.first().to_string())),
    ),
    Function::new(
        "net",
        "cidr_to_ip",
        &["func(cidr str) str"],
        "The address, without the length of the prefix.",
        &[("net.cidr_to_ip(\"192.0.2.7/24\")", "\"192.0.2.7\""), ("net.cidr_to_ip(\"x\") <|> \"none\"", "\"none\"")],
        |call| Ok(Value::str(cidr(call, 0)?.address.to_string())),
    ),
    Function::new(
        "net",
        "cidr_to_last",
        &["func(cidr str) str"],
        "The last address of a network that a host may have.",
        &[("net.cidr_to_last(\"192.0.2.7/24\")", "\"192.0.2.254\"")],
        |call| Ok(Value::str(cidr(call, 0)?.last().to_string())),
    ),
    Function::new(
        "net",
        "cidr_to_mask",
        &["func(cidr str) str"],
        "The prefix as a mask.",
        &[("net.cidr_to_mask(\"192.0.2.7/24\")", "\"255.255.255.0\"")],
        |call| Ok(Value::str(cidr(call, 0)?.mask().to_string())),
    ),
    Function::new(
        "net",
        "cidr_to_network",
        &["func(cidr str) str"],
        "The address of the network.",
        &[
            ("net.cidr_to_network(\"192.0.2.7/24\")", "\"192.0.2.0\""),
            ("net.cidr_to_network(\"2001:db8::7/32\")", "\"2001:db8::\""),
        ],
        |call| Ok(Value::str(cidr(call, 0)?.network().to_string())),
    ),
    Function::new(
        "net",
        "cidr_to_prefix",
        &["func(cidr str) str"],
        "The length of the prefix.",
        &[("net.cidr_to_prefix(\"192.0.2.7/24\")", "\"24\"")],
        |call| Ok(Value::str(cidr(call, 0)?.prefix.to_string())),
    ),
    Function::new(
        "net",
        "interface_cidr",
        &["func(interface str) str"],
        "The first address of an interface of this host with the length of its prefix; empty without one.",
        &[],
        |call| {
            let name = call.str(0)?;
            let found = interfaces(call)?.into_iter().find(|interface| interface.name == name);
            Ok(Value::str(found.and_then(|interface| interface.addresses.into_iter().next()).unwrap_or_default()))
        },
    ),
    Function::new(
        "net",
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
        "net",
        "is_mac",
        &["func(mac str) bool"],
        "Whether a text is a hardware address.",
        &[("net.is_mac(\"00:00:5e:00:53:01\")", "true"), ("net.is_mac(\"00:00\")", "false")],
        |call| Ok(Value::Bool(is_mac(call.str(0)?))),
    ),
    Function::new(
        "net",
        "macfmt",
        &["func(mac str) str"],
        "A hardware address with colons.",
        &[
            ("net.macfmt(\"00-00-5e-00-53-01\")", "\"00:00:5e:00:53:01\""),
            ("net.macfmt(\"x\") <|> \"none\"", "\"none\""),
        ],
        |call| Ok(Value::str(mac(call)?.replace('-', ":"))),
    ),
    Function::new("net", "macs", &["func() []str"], "The hardware addresses of this host, sorted.", &[], |call| {
        let mut macs: Vec<_> = interfaces(call)?.into_iter().map(|interface| interface.mac).collect();
        macs.retain(|mac| is_mac(mac) && mac != "00:00:00:00:00:00");
        macs.sort_unstable();
        Ok(texts(macs))
    }),
    Function::new(
        "net",
        "oldmacfmt",
        &["func(mac str) str"],
        "A hardware address with dashes.",
        &[("net.oldmacfmt(\"00:00:5e:00:53:01\")", "\"00-00-5e-00-53-01\"")],
        |call| Ok(Value::str(mac(call)?.replace(':', "-"))),
    ),
    Function::new(
        "net",
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
        "net",
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
    Function::new(
        "net",
        "wired_interface",
        &["func() str"],
        "The name of this host's first interface with a cable; empty without one.",
        &[],
        |call| {
            let wired = interfaces(call)?.into_iter().find(|interface| interface.wired);
            Ok(Value::str(wired.map(|interface| interface.name).unwrap_or_default()))
        },
    ),
];

pub static HTTP: &[Function] = &[Function::new(
    "net/http",
    "response",
    &["func(uid str) struct{status int; output str}"],
    "What the HTTP client resource of that name got; before that status 0 and nothing.",
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

fn interfaces(call: &Call) -> Result<Vec<Interface>, Failure> {
    match call.world.read(&Read::Interfaces)? {
        Sample::Interfaces(interfaces) => Ok(interfaces),
        other => Err(unexpected(&other)),
    }
}

/// The first argument, if it is six pairs of digits with colons or dashes.
fn mac<'a>(call: &Call<'a>) -> Result<&'a str, Failure> {
    let text = call.str(0)?;
    match text.len() == 17 && is_mac(text) {
        true => Ok(text),
        false => Err(Failure::catchable(format!("{} is not a hardware address", Quoted(text)))),
    }
}

/// 6, 8 or 20 bytes, in pairs of digits with colons or dashes between them, or in fours with dots.
fn is_mac(text: &str) -> bool {
    let groups = |separator: char, digits: usize, counts: [usize; 3]| {
        let groups: Vec<_> = text.split(separator).collect();
        counts.contains(&groups.len())
            && groups.iter().all(|group| group.len() == digits && group.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    groups(':', 2, [6, 8, 20]) || groups('-', 2, [6, 8, 20]) || groups('.', 4, [3, 4, 10])
}
