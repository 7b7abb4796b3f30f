//! URLs and addresses with ports, taken apart as Go does.

/// The parts of a URL that programs see.
#[derive(Debug, PartialEq, Eq)]
pub struct Url {
    pub scheme: String,
    pub host: String,
    /// Decoded.
    pub path: String,
    pub query: String,
}

/// Takes a URL apart, or says what is wrong with it.
pub fn parse(text: &str) -> Result<Url, &'static str> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("has a control character");
    }
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    decode(fragment)?;
    let (scheme, rest) = split_scheme(text)?;
    if scheme.is_empty() {
        return Err("has no scheme");
    }
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = match rest.strip_prefix("//") {
        Some(after) => {
            let at = after.find('/').unwrap_or(after.len());
            (host(&after[..at])?, &after[at..])
        }
        // Such as `mailto:someone`: what follows is not a path.
        None if !rest.starts_with('/') => (String::new(), ""),
        None => (String::new(), rest),
    };
    Ok(Url { scheme: scheme.to_lowercase(), host, path: decode(path)?, query: query.into() })
}

/// The scheme, empty without one, and what follows its colon.
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

/// The host with its port, without a user's name.
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
            Err("has an escape in its host that stands for a plain sign")
        }
        true => decode(host),
        false => Err("has a port that is not a number"),
    }
}

/// What the escapes of a text stand for.
fn escapes(text: &str) -> impl Iterator<Item = u8> {
    text.split('%').skip(1).filter_map(|rest| u8::from_str_radix(rest.get(..2)?, 16).ok())
}

/// Text with `%20` and the like made plain.
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

/// The host and the port of an address.
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
    use super::{parse, split_hostport};

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
