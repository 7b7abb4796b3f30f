//! What texts look like: the checks behind std's types.

use num_bigint::{BigInt, Sign};

use super::super::pattern::Pattern;
use super::super::pystr;
use super::super::value::{Value, compare};
use super::net::{parse_interface, parse_network};
use super::{Call, CallResult, Default, Native, fail, function};

pub(super) const NATIVES: &[Native] = &[
    function(
        "validate_type",
        &[
            ("fq_type_name", "string", None),
            ("value", "any", None),
            ("validation_parameters", "dict?", Some(Default::Null)),
        ],
        "bool",
        validate_type,
    ),
    function("is_base64_encoded", &[("s", "string", None)], "bool", |call| Ok(Value::Bool(is_base64(&call.text(0))))),
];

fn validate_type(call: &mut Call) -> CallResult {
    let name = call.text(0);
    let value = call.arg(1);
    let text = match value {
        Value::Str(text) => Some(&**text),
        _ => None,
    };
    let is = |check: fn(&str) -> bool| text.is_some_and(check);
    let order = number_of(value, name.ends_with("Int")).and_then(|number| compare(&number, &Value::Int(0)));
    let fits = match &*name {
        "datetime.date" => is(is_date),
        "datetime.time" => is(is_time),
        "datetime.datetime" => is(is_datetime),
        "ipaddress.IPv4Address" => is(|text| text.parse::<std::net::Ipv4Addr>().is_ok()),
        "ipaddress.IPv6Address" => is(|text| text.parse::<std::net::Ipv6Addr>().is_ok()),
        "pydantic.IPvAnyAddress" => is(|text| text.parse::<std::net::IpAddr>().is_ok()),
        "ipaddress.IPv4Interface" => is(|text| parse_interface(text).is_some_and(|cidr| cidr.address.is_ipv4())),
        "ipaddress.IPv6Interface" => is(|text| parse_interface(text).is_some_and(|cidr| cidr.address.is_ipv6())),
        "pydantic.IPvAnyInterface" => is(|text| parse_interface(text).is_some()),
        "ipaddress.IPv4Network" => is(|text| parse_network(text).is_some_and(|cidr| cidr.address.is_ipv4())),
        "ipaddress.IPv6Network" => is(|text| parse_network(text).is_some_and(|cidr| cidr.address.is_ipv6())),
        "pydantic.IPvAnyNetwork" => is(|text| parse_network(text).is_some()),
        "uuid.UUID" => is(is_uuid),
        "pydantic.EmailStr" => is(is_email),
        "pydantic.NameEmail" => is(|text| match text.rsplit_once('<') {
            Some((_, address)) => address.strip_suffix('>').is_some_and(is_email),
            None => is_email(text),
        }),
        "pydantic.AnyUrl" => is(|text| is_url(text, &[])),
        "pydantic.AnyHttpUrl" => is(|text| is_url(text, &["http", "https"])),
        "pydantic.HttpUrl" => is(|text| text.len() <= 2083 && is_url(text, &["http", "https"])),
        "pydantic.NegativeFloat" | "pydantic.NegativeInt" => order == Some(std::cmp::Ordering::Less),
        "pydantic.PositiveFloat" | "pydantic.PositiveInt" => order == Some(std::cmp::Ordering::Greater),
        "pydantic.constr" => return constrained_text(call),
        "pydantic.conint" => return constrained_number(call, true),
        "pydantic.confloat" => return constrained_number(call, false),
        "pydantic.condecimal" => return constrained_decimal(call),
        _ => return fail(format!("Unknown fq_type_name: {name}")),
    };
    Ok(Value::Bool(fits))
}

fn parameter<'c>(call: &'c Call, names: &[&str]) -> Option<&'c Value> {
    let Value::Dict(dict) = call.arg(2) else { return None };
    names.iter().find_map(|name| dict.get(name)).filter(|value| !matches!(value, Value::Null))
}

fn constrained_text(call: &Call) -> CallResult {
    let Value::Str(text) = call.arg(1) else { return Ok(Value::Bool(false)) };
    let count = Value::Int(text.chars().count() as i64);
    let least = parameter(call, &["min_length"]).is_none_or(|least| compare(&count, least).is_some_and(|o| o.is_ge()));
    let most = parameter(call, &["max_length"]).is_none_or(|most| compare(&count, most).is_some_and(|o| o.is_le()));
    let matched = match parameter(call, &["regex", "pattern"]) {
        Some(Value::Str(pattern)) => match Pattern::new(pattern).and_then(|pattern| pattern.matches(text)) {
            Ok(matched) => matched,
            Err(reason) => return fail(reason),
        },
        _ => true,
    };
    Ok(Value::Bool(least && most && matched))
}

/// A value as a number, as pydantic reads it: texts of numbers count, and so do bools.
fn number_of(value: &Value, is_whole: bool) -> Option<Value> {
    match value {
        Value::Bool(flag) => Some(Value::Int(i64::from(*flag))),
        Value::Float(number) if is_whole => (number.fract() == 0.0).then(|| value.clone()),
        Value::Str(text) => {
            let text = text.trim();
            let (digits, zeros) = match text.split_once('.') {
                Some((digits, zeros)) if is_whole => (digits, Some(zeros)),
                _ => (text, None),
            };
            let has_zeros = zeros.is_none_or(|zeros| !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0'));
            let is_joined = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
            if text.len() > EXPONENT as usize || is_joined || !has_zeros || !is_number(text) {
                return None;
            }
            let digits = digits.replace('_', "");
            match is_whole {
                true => digits.parse::<BigInt>().ok().map(Value::integer),
                false => digits.parse::<f64>().ok().map(Value::Float),
            }
        }
        value => value.is_number().then(|| value.clone()),
    }
}

fn constrained_number(call: &Call, is_whole: bool) -> CallResult {
    let Some(value) = number_of(call.arg(1), is_whole) else { return Ok(Value::Bool(false)) };
    let holds = |name: &str, check: fn(std::cmp::Ordering) -> bool| {
        parameter(call, &[name]).is_none_or(|bound| compare(&value, bound).is_some_and(check))
    };
    let fits = holds("gt", std::cmp::Ordering::is_gt)
        && holds("ge", std::cmp::Ordering::is_ge)
        && holds("lt", std::cmp::Ordering::is_lt)
        && holds("le", std::cmp::Ordering::is_le)
        && parameter(call, &["multiple_of"]).is_none_or(|of| match (value.as_float(), of.as_float()) {
            (Some(value), Some(of)) if of != 0.0 => value % of == 0.0,
            _ => false,
        });
    Ok(Value::Bool(fits))
}

/// A decimal number: `mantissa` divided by ten `scale` times, without zeros at its end.
struct Decimal {
    mantissa: BigInt,
    scale: i64,
}

/// The largest exponent of a decimal number, and the most digits of one.
const EXPONENT: i64 = 1000;

/// The most bits of a whole number that is looked at as a decimal one: its text takes long to write.
const BITS: u64 = 40_000;

impl Decimal {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(Self::new(BigInt::from(*number), 0)),
            Value::Big(number) if number.bits() > BITS => None,
            Value::Big(number) => Some(Self::new((**number).clone(), 0)),
            Value::Float(number) => Self::parse(&pystr::float(*number)),
            Value::Str(text) => Self::parse(text),
            _ => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().replace('_', "");
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((&text, "0"));
        let exponent: i64 = exponent.parse().ok().filter(|exponent: &i64| exponent.abs() <= EXPONENT)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let plain = digits.strip_prefix(['+', '-']).unwrap_or(&digits);
        if plain.is_empty() || plain.len() > EXPONENT as usize || !is_digits(plain) || !is_digits(fraction) {
            return None;
        }
        Some(Self::new(digits.parse().ok()?, fraction.len() as i64 - exponent))
    }

    fn new(mantissa: BigInt, scale: i64) -> Self {
        if mantissa.sign() == Sign::NoSign {
            return Decimal { mantissa, scale: 0 };
        }
        let text = mantissa.to_string();
        let zeros = text.len() - text.trim_end_matches('0').len();
        if zeros == 0 {
            return Decimal { mantissa, scale };
        }
        Decimal { mantissa: mantissa / BigInt::from(10).pow(zeros as u32), scale: scale - zeros as i64 }
    }

    /// How many digits it has, and how many of them are behind the point.
    fn digits(&self) -> (i64, i64) {
        let written = self.mantissa.magnitude().to_string().len() as i64;
        match self.scale {
            behind if behind > 0 => (written.max(behind), behind),
            before => (written - before, 0),
        }
    }

    /// Two numbers as whole ones of the same scale.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt) {
        let scale = self.scale.max(other.scale);
        let raised = |one: &Self| &one.mantissa * BigInt::from(10).pow((scale - one.scale) as u32);
        (raised(self), raised(other))
    }
}

/// Whether a text has the characters of a decimal number only.
fn is_number(text: &str) -> bool {
    text.trim().bytes().all(|byte| byte.is_ascii_digit() || b"+-._eE".contains(&byte))
}

fn constrained_decimal(call: &Call) -> CallResult {
    let is_long = match call.arg(1) {
        Value::Str(text) => text.len() > EXPONENT as usize && is_number(text),
        Value::Big(number) => number.bits() > BITS,
        _ => false,
    };
    if is_long {
        return fail(format!("a decimal number of more than {EXPONENT} digits is not compared"));
    }
    let Some(value) = Decimal::of(call.arg(1)) else { return Ok(Value::Bool(false)) };
    let bound = |name: &str| parameter(call, &[name]).map(Decimal::of);
    let holds = |name: &str, check: fn(std::cmp::Ordering) -> bool| match bound(name) {
        Some(Some(bound)) => {
            let (value, bound) = value.aligned(&bound);
            check(value.cmp(&bound))
        }
        Some(None) => false,
        None => true,
    };
    let count = |name: &str| match parameter(call, &[name]) {
        Some(Value::Int(count)) => Some(*count),
        _ => None,
    };
    let (digits, behind) = value.digits();
    let (most, places) = (count("max_digits"), count("decimal_places"));
    let fits = holds("gt", std::cmp::Ordering::is_gt)
        && holds("ge", std::cmp::Ordering::is_ge)
        && holds("lt", std::cmp::Ordering::is_lt)
        && holds("le", std::cmp::Ordering::is_le)
        && most.is_none_or(|most| digits <= most)
        && places.is_none_or(|places| behind <= places)
        && most.zip(places).is_none_or(|(most, places)| digits - behind <= most - places)
        && bound("multiple_of").is_none_or(|of| {
            of.is_some_and(|of| {
                let (value, of) = value.aligned(&of);
                of.sign() != Sign::NoSign && (value % of).sign() == Sign::NoSign
            })
        });
    Ok(Value::Bool(fits))
}

fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=last).contains(&day)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at(zone);
    let zone_fits = match zone.strip_prefix(['+', '-']) {
        Some(offset) => {
            let offset = offset.replace(':', "");
            let hours = offset.get(..2).and_then(|hours| number(hours, 2));
            let minutes = if offset.len() == 2 { Some(0) } else { offset.get(2..).and_then(|m| number(m, 2)) };
            hours.is_some_and(|hours| hours < 24) && minutes.is_some_and(|minutes| minutes < 60)
        }
        None => zone.is_empty() || zone.eq_ignore_ascii_case("z"),
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let parts: Vec<&str> = clock.split(':').collect();
    let fits = match parts[..] {
        [hour, minute] => number(hour, 2).is_some_and(|h| h < 24) && number(minute, 2).is_some_and(|m| m < 60),
        [hour, minute, second] => {
            number(hour, 2).is_some_and(|h| h < 24)
                && number(minute, 2).is_some_and(|m| m < 60)
                && number(second, 2).is_some_and(|s| s < 60)
        }
        _ => false,
    };
    zone_fits && fits && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_datetime(text: &str) -> bool {
    match text.get(10..11) {
        Some("T" | "t" | " " | "_") => is_date(&text[..10]) && is_time(&text[11..]),
        None => is_date(text),
        _ => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let digits = text.bytes().filter(|byte| *byte != b'-').collect::<Vec<_>>();
    let marks = text.len() - digits.len();
    digits.len() == 32 && digits.iter().all(u8::is_ascii_hexdigit) && (marks == 0 || marks == 4)
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.trim().rsplit_once('@') else { return false };
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte) || byte >= 0x80;
    let local_fits = !local.is_empty()
        && local.len() <= 64
        && local.bytes().all(is_atom)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    local_fits
        && domain.contains('.')
        && is_domain(domain)
        && !domain.rsplit('.').all(|part| part.parse::<u32>().is_ok())
}

fn is_domain(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|label| {
            let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte >= 0x80;
            !label.is_empty()
                && label.len() <= 63
                && label.bytes().all(is_part)
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

/// A URL; one of a web scheme needs a host.
fn is_url(text: &str, schemes: &[&str]) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else { return false };
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    if !is_scheme || (!schemes.is_empty() && !schemes.contains(&&*scheme)) {
        return false;
    }
    let needs_host = ["http", "https", "ftp", "ws", "wss"].contains(&&*scheme);
    if !needs_host {
        return true;
    }
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = match host.strip_prefix('[').and_then(|host| host.split_once(']')) {
        Some((address, port)) => {
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return false;
            }
            ("", port.strip_prefix(':'))
        }
        None => host.split_once(':').map_or((host, None), |(name, port)| (name, Some(port))),
    };
    let port_fits = port.is_none_or(|port| port.is_empty() || port.parse::<u16>().is_ok());
    let is_forbidden = |c: char| c.is_whitespace() || "<>^|%".contains(c);
    port_fits && (host.starts_with('[') || (!name.is_empty() && !name.contains(is_forbidden)))
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len().is_multiple_of(4) && padding <= 2 && body.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::{is_base64, is_date, is_datetime, is_email, is_time, is_url, is_uuid};

    #[test]
    fn texts_are_recognised() {
        assert!(is_date("2024-02-29") && !is_date("2023-02-29") && !is_date("2024-1-1"));
        assert!(is_time("12:30") && is_time("12:30:01.5+02:00") && !is_time("24:00"));
        assert!(is_datetime("2024-02-29T12:30:00Z") && !is_datetime("2024-02-29T25:00"));
        assert!(is_email("a.b@example.com") && !is_email("a@b") && !is_email("a..b@example.com"));
        assert!(is_url("http://example.com:80/x", &["http"]) && !is_url("http://", &["http"]) && !is_url("x", &[]));
        assert!(is_uuid("12345678-1234-5678-1234-567812345678") && !is_uuid("1234"));
        assert!(is_base64("dGVzdA==") && !is_base64("dGVzdA") && is_base64(""));
    }
}
