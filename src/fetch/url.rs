//! What may be fetched: an import's URL, taken apart and judged before any connection or process is made.
//!
//! Accepted: `https://host/path/`, `ssh://git@host:2222/path/`, `git://host/path/?ref=v1` (tried as https first). Rejected
//! with a reason: helpers (`ext::`), passwords, white space, `%00`, and anything that a program could take for an option.
//! `http`, plain `git` and paths on this machine need the user's word.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a repository is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    Https,
    Ssh,
    Git,
    Http,
    File,
}

impl Transport {
    /// As URLs spell it.
    pub fn scheme(self) -> &'static str {
        match self {
            Transport::Https => "https",
            Transport::Ssh => "ssh",
            Transport::Git => "git",
            Transport::Http => "http",
            Transport::File => "file",
        }
    }
}

/// The transports that the user allowed beside https and ssh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed {
    pub git: bool,
    pub http: bool,
    pub file: bool,
}

impl Allowed {
    /// Whether a transport may be used. https and ssh always may.
    pub fn permits(self, transport: Transport) -> bool {
        match transport {
            Transport::Https | Transport::Ssh => true,
            Transport::Git => self.git,
            Transport::Http => self.http,
            Transport::File => self.file,
        }
    }
}

/// A repository URL with the requested ref.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GitUrl {
    pub transport: Transport,
    pub user: Option<String>,
    /// Empty for a path on this machine.
    pub host: String,
    pub port: Option<u16>,
    /// Begins with a slash and does not end with one.
    pub path: String,
    /// A branch, a tag or a commit; `None` for the default branch.
    pub reference: Option<String>,
}

/// Why a URL is not fetched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("it names a helper program (`{0}`)")]
    Helper(String),
    #[error("`{0}` is not a transport for modules")]
    Scheme(String),
    #[error("it contains {0}")]
    Characters(&'static str),
    #[error("it contains a password")]
    Password,
    #[error("{0} starts with `-` and could be read as an option")]
    Option(&'static str),
    #[error("{0}")]
    Shape(&'static str),
    #[error("`{0}` is not allowed by default")]
    NotAllowed(&'static str),
}

impl UrlError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            UrlError::Helper(_) | UrlError::Scheme(_) => "use https:// or ssh://",
            UrlError::Characters(_) | UrlError::Shape(_) => "use the form `https://host/path/`",
            UrlError::Password => "use a git credential helper, or ssh://",
            UrlError::Option(_) => "remove the `-` at the start",
            UrlError::NotAllowed("file") => "`--allow file` allows paths on this machine",
            UrlError::NotAllowed("http") => "`--allow http` allows unencrypted http",
            UrlError::NotAllowed(_) => "`--allow git` allows unencrypted git",
        }
    }
}

impl GitUrl {
    /// Takes an import's name apart. Judges everything but whether its transport is allowed.
    pub fn parse(name: &str) -> Result<Self, UrlError> {
        check_characters(name)?;
        let (scheme, rest) = name.split_once("://").ok_or(UrlError::Shape("it has no `://`"))?;
        if let Some((helper, _)) = scheme.split_once("::") {
            return Err(UrlError::Helper(helper.into()));
        }
        let transport = match scheme {
            "https" => Transport::Https,
            "ssh" | "git+ssh" | "ssh+git" => Transport::Ssh,
            "git" => Transport::Git,
            "http" => Transport::Http,
            "file" => Transport::File,
            other => return Err(UrlError::Scheme(other.into())),
        };
        let (rest, _fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').ok_or(UrlError::Shape("it has no path"))?;
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user_name(user)?), place),
            None => (None, authority),
        };
        let (host, port) = host_and_port(place)?;
        let path = format!("/{}", path.trim_end_matches('/'));
        check_path(&path)?;
        // mgmt writes a path on this machine as `git:///path/`.
        let transport = match (transport, host.is_empty()) {
            (Transport::Git | Transport::File, true) => Transport::File,
            (Transport::File, false) => return Err(UrlError::Shape("a path on this machine has no host")),
            (_, true) => return Err(UrlError::Shape("it has no host")),
            (transport, false) => transport,
        };
        Ok(Self { transport, user, host, port, path, reference: reference(query)? })
    }

    /// Whether the user lets this be fetched; `git://` counts as https, which is tried first.
    pub fn check_allowed(&self, allowed: Allowed) -> Result<(), UrlError> {
        match self.transport {
            Transport::Git => Ok(()),
            transport if allowed.permits(transport) => Ok(()),
            transport => Err(UrlError::NotAllowed(transport.scheme())),
        }
    }

    /// The same repository with a branch, a tag or a commit that is wanted of it.
    pub fn at(self, reference: &str) -> Result<Self, UrlError> {
        Ok(Self { reference: Some(checked_reference(reference)?), ..self })
    }

    /// The same repository by another transport, on that one's own port.
    pub fn by(&self, transport: Transport) -> Self {
        Self { transport, port: None, ..self.clone() }
    }

    /// Its folder below the module path: `host/path`.
    pub fn module_folder(&self) -> String {
        format!("{}{}", self.host, self.path).trim_start_matches('/').to_owned()
    }
}

/// The URL without the ref.
impl fmt::Display for GitUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.transport.scheme())?;
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        f.write_str(&self.host)?;
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(&self.path)
    }
}

fn check_characters(text: &str) -> Result<(), UrlError> {
    const LONGEST: usize = 2_000;
    if text.len() > LONGEST {
        return Err(UrlError::Shape("it is longer than 2000 characters"));
    }
    for c in text.chars() {
        if c.is_control() {
            return Err(UrlError::Characters("control characters"));
        }
        if c.is_whitespace() {
            return Err(UrlError::Characters("white space"));
        }
        if !c.is_ascii() {
            // Letters of other alphabets look like those of well-known hosts.
            return Err(UrlError::Characters("characters beyond ASCII"));
        }
        if matches!(c, '\\' | '"' | '\'' | '`' | '<' | '>' | '|' | '^' | '{' | '}' | '$' | ';' | '*' | '!') {
            return Err(UrlError::Characters("characters with a special meaning for shells or git"));
        }
    }
    // `%` could bring back everything refused above.
    if text.contains('%') { Err(UrlError::Characters("`%` escapes")) } else { Ok(()) }
}

fn user_name(user: &str) -> Result<String, UrlError> {
    if user.contains(':') {
        return Err(UrlError::Password);
    }
    if user.is_empty() || user.contains('@') {
        return Err(UrlError::Shape("its user is not a name"));
    }
    no_option(user, "the user")?;
    Ok(user.into())
}

fn host_and_port(place: &str) -> Result<(String, Option<u16>), UrlError> {
    const NOT_A_HOST: UrlError = UrlError::Shape("its host is not a name or an address");
    let (host, port) = match place.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']')) {
        Some((host, port)) => {
            let port = port.parse().ok().filter(|port| *port > 0);
            (host, Some(port.ok_or(UrlError::Shape("its port is not a number"))?))
        }
        None => (place, None),
    };
    no_option(host, "the host")?;
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match inner {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')),
    };
    let climbs = host.split('.').any(str::is_empty) && !host.is_empty();
    if !is_host || climbs || host.len() > 253 {
        return Err(NOT_A_HOST);
    }
    Ok((host.to_ascii_lowercase(), port))
}

fn check_path(path: &str) -> Result<(), UrlError> {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    if parts == [""] {
        return Err(UrlError::Shape("it has no path"));
    }
    for part in parts {
        if matches!(part, "" | "." | "..") {
            return Err(UrlError::Shape("its path contains `.`, `..` or empty parts"));
        }
        if part.contains(':') {
            return Err(UrlError::Characters("`:` in the path"));
        }
        no_option(part, "a part of the path")?;
    }
    Ok(())
}

fn reference(query: &str) -> Result<Option<String>, UrlError> {
    let wanted = query.split('&').find_map(|pair| pair.strip_prefix("ref="));
    wanted.map(checked_reference).transpose()
}

fn checked_reference(wanted: &str) -> Result<String, UrlError> {
    check_characters(wanted)?;
    no_option(wanted, "the ref")?;
    if wanted == "HEAD" || !git2::Reference::is_valid_name(&format!("refs/heads/{wanted}")) {
        return Err(UrlError::Shape("its ref is not a valid branch, tag or commit"));
    }
    Ok(wanted.into())
}

fn no_option(text: &str, what: &'static str) -> Result<(), UrlError> {
    if text.starts_with('-') { Err(UrlError::Option(what)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_apart() {
        let url = GitUrl::parse("https://me@Host.example:8443/x/mgmt-site/?ref=v1.2#part").expect("it is well formed");
        assert_eq!(url.to_string(), "https://me@host.example:8443/x/mgmt-site");
        assert_eq!(
            (url.reference.as_deref(), url.module_folder().as_str()),
            (Some("v1.2"), "host.example/x/mgmt-site")
        );
        let local = GitUrl::parse("git:///srv/mod/").expect("it is a path");
        assert_eq!((local.transport, local.module_folder().as_str()), (Transport::File, "srv/mod"));
        assert!(local.check_allowed(Allowed::default()).is_err());
    }

    #[test]
    fn nothing_that_could_become_an_option_or_a_program_passes() {
        let hostile = [
            "ext::sh -c x://h/p",
            "ext::sh://h/p",
            "fd::17://h/p",
            "https://u:p@h/p/",
            "ssh://-oProxyCommand=x/p/",
            "ssh://u@-oX/p/",
            "ssh://-u@h/p/",
            "https://h/-p/",
            "https://h/p/?ref=--upload-pack=x",
            "https://h/p%00/",
            "https://h/p\n/",
            "https://h/../p/",
            "https://h//p/",
            "https://h/",
            "https://h",
            "file://h/p/",
            "foo://h/p/",
            "https://h:0/p/",
            "https://h:99999/p/",
            "https://h..x/p/",
            "https://./p/",
            "https://h/a:b/",
            "https://h/p/?ref=a..b",
            "https://h/p/?ref=HEAD",
            "ssh:///p/",
            "https://[::1/p/",
            "https://h\u{430}/p/",
            "https://h/`x`/",
            "https://a@b@h/p/",
            "https://h/p/?ref=a b",
        ];
        for url in hostile {
            assert!(GitUrl::parse(url).is_err(), "{url:?}");
        }
    }
}
