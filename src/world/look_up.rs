//! Which look-ups of names of machines the resolver gets. The process that compiles checks them, and so does the parent,
//! because a process that runs hostile programs may send anything.

use std::net::IpAddr;

use serde_json::Value as Json;

/// How many names one compilation may look up.
pub const MOST_NAMES: usize = 2_000;

/// The longest name of a machine, with a dot at its end.
const LONGEST_NAME: usize = 255;

/// The longest request.
const LONGEST: usize = 16 << 10;

/// Whether a text is a request that the resolver answers: a question without anything else.
pub fn is_look_up(request: &str) -> bool {
    if request.len() > LONGEST {
        return false;
    }
    let Ok(Json::Object(request)) = serde_json::from_str(request) else { return false };
    request.len() == 1 && request.get("ask").and_then(Json::as_array).is_some_and(|parts| is_question(parts))
}

/// Whether these are the parts of a question: its name, and names of machines or settings of the look-up.
pub fn is_question(parts: &[Json]) -> bool {
    let [Json::String(what), words @ ..] = parts else { return false };
    let is_allowed = match (what.as_str(), words) {
        ("dns", [Json::String(_), Json::String(ty), servers, ..]) => {
            words.len() == 6 && is_type(ty) && is_servers(servers)
        }
        ("ipv6", words) => words.is_empty(),
        ("socket", [Json::String(method), _, ..]) => matches!(&**method, "getaddress" | "getaddrinfo" | "getnameinfo"),
        ("addresses", [_, ..]) => true,
        _ => false,
    };
    is_allowed && words.iter().all(is_plain)
}

/// Whether a part of a question is a name of a machine, or a setting of the look-up.
fn is_plain(part: &Json) -> bool {
    match part {
        Json::Null | Json::Bool(_) | Json::Number(_) => true,
        Json::String(text) => {
            (1..=LONGEST_NAME).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '*' | ':' | '%'))
        }
        Json::Array(list) => list.iter().all(is_plain),
        Json::Object(_) => false,
    }
}

/// Whether a text is a type of DNS records, such as `IN.A`.
fn is_type(text: &str) -> bool {
    let is_name = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase());
    text.split('.').count() <= 2
        && text.split('.').all(|part| is_name(part) && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether this is a list of name servers by their addresses, or none.
fn is_servers(servers: &Json) -> bool {
    let is_address = |text: &str| text.split('%').next().is_some_and(|address| address.parse::<IpAddr>().is_ok());
    match servers {
        Json::Null => true,
        Json::Array(list) => list.iter().all(|one| one.as_str().is_some_and(is_address)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_about_names_reach_the_resolver() {
        for right in [
            r#"{"ask":["dns","a.example.","IN.SRV",null,null,null,null]}"#,
            r#"{"ask":["dns","a.example","ANY",["192.0.2.1","fe80::1%eth0"],["example"],1,[2,3]]}"#,
            r#"{"ask":["ipv6"]}"#,
            r#"{"ask":["socket","getaddress","a.example"]}"#,
            r#"{"ask":["socket","getnameinfo",["AF_INET",80,"a.example","192.0.2.1"],0]}"#,
            r#"{"ask":["addresses","a.example",80,null,"STREAM"]}"#,
        ] {
            assert!(is_look_up(right), "{right}");
        }
        for wrong in [
            r#"{"load":[]}"#,
            r#"{"ask":["ipv6"],"load":[]}"#,
            r#"{"ask":["socket","open","a.example"]}"#,
            r#"{"ask":["socket","getaddress","a b"]}"#,
            r#"{"ask":["addresses",{"a":1}]}"#,
            r#"{"ask":["dns","a.example","IN.A",["localhost"],null,null,null]}"#,
            r#"{"ask":["dns","a.example","IN.A",null,null,null]}"#,
            r#"{"ask":["dns","a.example","IN.A.B",null,null,null,null]}"#,
            r#"{"ask":["dns","a.example","in",null,null,null,null]}"#,
            r#"{"ask":["exec","id"]}"#,
            r#"{"ask":[]}"#,
        ] {
            assert!(!is_look_up(wrong), "{wrong}");
        }
        let name = "a".repeat(LONGEST_NAME + 1);
        assert!(!is_look_up(&format!(r#"{{"ask":["socket","getaddress","{name}"]}}"#)));
        let many = vec![r#""a.example""#; LONGEST].join(",");
        assert!(!is_look_up(&format!(r#"{{"ask":["addresses",[{many}]]}}"#)));
    }
}
