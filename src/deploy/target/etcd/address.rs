//! `etcd://HOST[:PORT][,HOST[:PORT]]`: the address of a cluster's key store.

use std::net::IpAddr;

use crate::deploy::target::TargetError;
use crate::source::printable;

const PORT: u16 = 2379;

/// One server of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
    pub is_encrypted: bool,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Endpoint {
    /// Returns the URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{self}{path}", if self.is_encrypted { "https" } else { "http" })
    }

    /// Whether the connection stays on this machine.
    pub fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// The address that the user typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// At least one.
    pub endpoints: Vec<Endpoint>,
    pub user: Option<String>,
}

impl Address {
    /// Parses an address. `tls`: another option asks for TLS.
    pub fn parse(text: &str, tls: bool) -> Result<Self, TargetError> {
        let refuse = |why| TargetError::Address(printable(&without_password(text)).to_string(), why);
        let (scheme, rest) = text.split_once("://").ok_or(refuse("it has no scheme"))?;
        let is_encrypted = match scheme {
            "etcd" => tls,
            "etcds" => true,
            _ => return Err(refuse("its scheme is not `etcd` or `etcds`")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, places) = match rest.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => {
                return Err(refuse("it contains a password that every user of this machine could read"));
            }
            Some(("", _)) => return Err(refuse("it has an empty user name")),
            Some((user, places)) => (Some(user.to_owned()), places),
            None => (None, rest),
        };
        let endpoints: Result<Vec<_>, _> =
            places.split(',').map(|place| endpoint(place, is_encrypted).map_err(refuse)).collect();
        Ok(Self { endpoints: endpoints?, user })
    }
}

/// Hides the password in an address for messages.
fn without_password(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((before, after)) => match before.split_once("://") {
            Some((scheme, user)) => {
                let name = user.split(':').next().unwrap_or_default();
                let hidden = if user.contains(':') { ":..." } else { "" };
                format!("{scheme}://{name}{hidden}@{after}")
            }
            None => format!("...@{after}"),
        },
        None => text.to_owned(),
    }
}

fn endpoint(place: &str, is_encrypted: bool) -> Result<Endpoint, &'static str> {
    let (host, port) = match place.rsplit_once(':') {
        // The colons of `[::1]` belong to the address.
        Some((host, port)) if !port.contains(']') => (host, port.parse().map_err(|_| "a port is not a number")?),
        _ => (place, PORT),
    };
    let is_v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    match host {
        "" => Err("an endpoint has no host"),
        host if is_v6 || host.chars().all(plain) => Ok(Endpoint { host: host.into(), port, is_encrypted }),
        _ => Err("an endpoint is not HOST:PORT; put IPv6 addresses in brackets, and nothing after the port"),
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn targets_are_hosts_with_ports() {
        let shown = |text: &str| {
            let address = Address::parse(text, false).map_err(|error| error.to_string())?;
            Ok::<_, String>(address.endpoints.iter().map(|e| e.url("/v3")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(shown("etcd://one").as_deref(), Ok("http://one:2379/v3"));
        assert_eq!(shown("etcds://a:1,[::1]:2/").as_deref(), Ok("https://a:1/v3 https://[::1]:2/v3"));
        assert_eq!(Address::parse("etcd://ann@one", false).map(|a| a.user), Ok(Some("ann".into())));
        for bad in ["one:2379", "http://one", "etcd://", "etcd://a,,b", "etcd://a:x", "etcd://a/b", "etcd://a b"] {
            assert!(shown(bad).is_err(), "{bad}");
        }
        let message = shown("etcd://ann:secret@one").expect_err("a password is refused");
        assert!(!message.contains("secret") && message.contains("ann:..."), "{message}");
    }

    #[test]
    fn what_stays_here_is_known() {
        for (text, is) in
            [("etcd://localhost", true), ("etcd://127.1.2.3:4", true), ("etcd://[::1]", true), ("etcd://db", false)]
        {
            let address = Address::parse(text, false).expect("it is a target");
            assert_eq!(address.endpoints[0].is_loopback(), is, "{text}");
        }
    }
}
