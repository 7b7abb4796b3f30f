//! Parses URLs and addresses with ports, like Go.

/// The parts of a URL that programs see.
#[derive(Debug, PartialEq, Eq)]
pub struct Url {
    /// In lower case; empty if there is none.
    pub scheme: String,
    pub has_password: bool,
    /// With its port.
    pub host: String,
    /// Decoded.
    pub path: String,
    pub query: String,
}

impl Url {
    /// Returns the host and the port, without brackets and colon.
    pub fn host_and_port(&self) -> (&str, &str) {
        match self.host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.trim_start_matches(':')),
            None => self.host.rsplit_once(':').unwrap_or((&self.host, "")),
        }
    }
}

/// Parses a URL with a scheme.
pub fn parse(text: &str) -> Result<Url, &'static str> {
    let url = parse_any(text)?;
    if url.scheme.is_empty() { Err("has no scheme") } else { Ok(url) }
}

/// Parses a URL, which may be a path alone.
pub fn parse_any(text: &str) -> Result<Url, &'static str> {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    decode(fragment)?;
    without_fragment(text)
}

/// Parses a request's URL: it is not empty and has no fragment.
pub fn parse_request(text: &str) -> Result<Url, &'static str> {
    match text {
        "" => Err("is empty"),
        text => without_fragment(text),
    }
}

fn without_fragment(text: &str) -> Result<Url, &'static str> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("has a control character");
    }
    let (scheme, rest) = split_scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (mut has_password, mut at_host) = (false, String::new());
    let path = match rest.strip_prefix("//") {
        Some(after) if !scheme.is_empty() || !after.starts_with('/') => {
            let at = after.find('/').unwrap_or(after.len());
            let authority = &after[..at];
            has_password = authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'));
            at_host = host(authority)?;
            &after[at..]
        }
        _ if rest.starts_with('/') => rest,
        // Such as `mailto:someone`: the rest is not a path.
        _ if !scheme.is_empty() => "",
        _ if rest.split('/').next().is_some_and(|first| first.contains(':')) => {
            return Err("has a colon in the first part of its path");
        }
        _ => rest,
    };
    let scheme = scheme.to_lowercase();
    Ok(Url { scheme, has_password, host: at_host, path: decode(path)?, query: query.into() })
}

/// Returns a URL without its password.
pub fn without_password(text: &str) -> String {
    let after = text.find("://").map_or(0, |at| at + 3);
    let end = text[after..].find(['/', '?', '#']).map_or(text.len(), |at| after + at);
    let password = text[after..end].rfind('@').and_then(|at| Some((text[after..after + at].find(':')?, at)));
    match password {
        Some((colon, at)) => format!("{}***{}", &text[..=after + colon], &text[after + at..]),
        None => text.to_owned(),
    }
}

/// Splits off the scheme, which is empty if there is none.
fn split_scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("has no scheme before its colon"),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

/// Returns the host with its port, without the user name.
fn host(authority: &str) -> Result<String, &'static str> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = match host.strip_prefix('[') {
        Some(address) => match address.split_once(']') {
            Some((_, port)) => port,
            None => return Err("has no `]` after its host"),
        },
        None => host.rfind(':').map_or("", |at| &host[at..]),
    };
    let valid = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()));
    match valid {
        true if host.contains([' ', '<', '>', '"', '\\', '^', '`', '{', '|', '}']) => {
            Err("has a wrong character in its host")
        }
        true if escapes(host).any(|code| code.is_ascii()) && !host.starts_with('[') => {
            Err("has an escaped plain character in its host")
        }
        true => decode(host),
        false => Err("has a port that is not a number"),
    }
}

/// Returns the bytes of a text's escapes.
fn escapes(text: &str) -> impl Iterator<Item = u8> {
    text.split('%').skip(1).filter_map(|rest| u8::from_str_radix(rest.get(..2)?, 16).ok())
}

/// Decodes a percent-encoded text.
fn decode(text: &str) -> Result<String, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16)).ok_or("has an invalid escape");
        out.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(out).map_err(|_| "is not UTF-8 when decoded")
}

/// Splits an address into host and port.
pub fn split_hostport(text: &str) -> Result<(&str, &str), &'static str> {
    let at = text.rfind(':').ok_or("has no port")?;
    let (host, port) = (&text[..at], &text[at + 1..]);
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.find(']').ok_or("has no `]`")?;
        let (host, after) = (&rest[..end], &rest[end + 1..]);
        return match after.strip_prefix(':') {
            _ if host.contains('[') => Err("has a `[` too many"),
            None if after.is_empty() => Err("has no port"),
            Some(port) if port.contains([':', '[', ']']) => Err("has more than a port after its host"),
            Some(port) => Ok((host, port)),
            None => Err("has more than a port after its host"),
        };
    }
    match () {
        () if host.contains(':') => Err("has too many colons"),
        () if text.contains(['[', ']']) => Err("has a bracket too many"),
        () => Ok((host, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_any, parse_request, split_hostport, without_password};

    #[test]
    fn passwords_are_left_out() {
        for (text, want) in [
            ("ssh://u:p@w:h@h:22/x", "ssh://u:***@h:22/x"),
            ("u:p@h", "u:***@h"),
            ("ssh://u@h:22", "ssh://u@h:22"),
            ("ssh://h/a:b@c", "ssh://h/a:b@c"),
            ("", ""),
        ] {
            assert_eq!(without_password(text), want, "{text}");
        }
    }

    #[test]
    fn urls_may_be_paths_and_requests_may_not_be_empty() {
        assert_eq!(parse_any("a/b").map(|url| url.path).as_deref(), Ok("a/b"));
        assert_eq!(parse_any("a:b").map(|url| url.path).as_deref(), Ok(""));
        assert!(parse_any("1.2.3.4:80").is_err() && parse_request("").is_err());
        assert!(parse_request("http:///p").is_ok_and(|url| url.host.is_empty()));
        let url = parse_any("ssh://u:p@[::1]:22").expect("a URL");
        assert_eq!((url.has_password, url.host_and_port()), (true, ("::1", "22")));
    }

    #[test]
    fn urls_come_apart() {
        for (text, want) in [
            ("HTTP://u:p@h:1/a%2Fb?q#f", Ok(("http", "h:1", "/a/b", "q"))),
            ("/a/b", Err(())),
            ("//h/p", Err(())),
            ("h:/a//b", Ok(("h", "", "/a//b", ""))),
            ("http://%41/", Err(())),
            ("http://h/#%zz", Err(())),
            ("mailto:x@y", Ok(("mailto", "", "", ""))),
            ("http://[::1]:80", Ok(("http", "[::1]:80", "", ""))),
            ("", Err(())),
            (":x", Err(())),
            ("1a:b", Err(())),
            ("http://h:x/", Err(())),
            ("/%zz", Err(())),
            ("http://[::1", Err(())),
        ] {
            let got = parse(text);
            let got = got.as_ref().map(|u| (&*u.scheme, &*u.host, &*u.path, &*u.query)).map_err(|_| ());
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn addresses_come_apart() {
        assert_eq!(split_hostport("a:1"), Ok(("a", "1")));
        assert_eq!(split_hostport(":"), Ok(("", "")));
        assert_eq!(split_hostport("[::1]:http"), Ok(("::1", "http")));
        for wrong in ["a", "::1", "[::1]", "[::1]x:1", "[::1:1", "a]:1", "[[::1]:1"] {
            assert!(split_hostport(wrong).is_err(), "{wrong}");
        }
    }
}
