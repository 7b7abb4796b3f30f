//! The parts of URIs, and how they are joined.

use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::Value;

/// The parts of a URI that it has.
pub fn uri_parts(text: &str) -> Vec<(Text, Value)> {
    let mut out = Vec::new();
    let (rest, fragment) = text.split_once('#').map_or((text, None), |(r, f)| (r, Some(f)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(r, q)| (r, Some(q)));
    let scheme = rest
        .split_once(':')
        .filter(|(s, _)| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)));
    let rest = match scheme {
        Some((scheme, rest)) => {
            out.push(("scheme".into(), Value::str(scheme.to_lowercase())));
            rest
        }
        None => rest,
    };
    match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.find('/').map_or((rest, ""), |i| rest.split_at(i));
            let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
            if let Some(user) = user {
                out.push(("userinfo".into(), Value::str(user)));
            }
            let (host, port) = host
                .rsplit_once(':')
                .and_then(|(h, p)| Some((h, p.parse::<i64>().ok()?)))
                .map_or((host, None), |(h, p)| (h, Some(p)));
            out.push(("host".into(), Value::str(host)));
            out.extend(port.map(|p| ("port".into(), Value::Int(p))));
            if !path.is_empty() {
                out.push(("path".into(), Value::str(path)));
            }
        }
        None if scheme.is_some() && !rest.starts_with('/') => out.push(("opaque".into(), Value::str(rest))),
        None if !rest.is_empty() => out.push(("path".into(), Value::str(rest))),
        None => {}
    }
    out.extend(query.map(|q| ("query".into(), Value::str(q))));
    out.extend(fragment.map(|f| ("fragment".into(), Value::str(f))));
    out
}

/// A relative reference against a base, as URIs are added.
pub fn join_uri(base: &str, more: &str) -> String {
    if more.contains("://") {
        return more.to_string();
    }
    let (head, path) = match base.find("://") {
        Some(at) => {
            let rest = &base[at + 3..];
            let slash = rest.find('/').map_or(base.len(), |i| at + 3 + i);
            base.split_at(slash)
        }
        None => ("", base),
    };
    if more.starts_with('/') {
        return format!("{head}{more}");
    }
    let folder = path.rfind('/').map_or("/", |i| &path[..=i]);
    let mut parts: Vec<&str> = Vec::new();
    let joined = format!("{folder}{more}");
    for part in joined.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{head}/{}", parts.join("/"))
}
