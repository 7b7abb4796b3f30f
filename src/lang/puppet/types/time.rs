//! Points in time and durations: reading and printing them.

use std::fmt::Write;

use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::shared::calendar::{DAYS, MONTHS};

const NANOS: i128 = 1_000_000_000;

/// `D-HH:MM:SS.F`.
pub fn timespan_text(value: i128) -> String {
    format_timespan("%D-%H:%M:%S.%-N", value)
}

/// `YYYY-MM-DDTHH:MM:SS.N UTC`.
pub fn timestamp_text(value: i128) -> String {
    format_timestamp("%Y-%m-%dT%H:%M:%S.%9N UTC", value, 0, "UTC")
}

/// One directive of a format: `%-5N`.
struct Directive {
    flags: String,
    width: Option<usize>,
    letter: char,
}

enum Piece {
    Text(char),
    Directive(Directive),
}

fn pieces(format: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(Piece::Text(c));
            continue;
        }
        let (mut flags, mut width) = (String::new(), String::new());
        while let Some(c) = chars.peek() {
            if "-0^#_:".contains(*c) && width.is_empty() {
                flags.push(*c);
            } else if c.is_ascii_digit() {
                width.push(*c);
            } else {
                break;
            }
            chars.next();
        }
        match chars.next() {
            Some('%') => out.push(Piece::Text('%')),
            Some(letter) => out.push(Piece::Directive(Directive {
                flags,
                width: (!width.is_empty()).then(|| width.parse().unwrap_or(usize::MAX)),
                letter,
            })),
            None => out.push(Piece::Text('%')),
        }
    }
    out
}

fn number(out: &mut String, directive: &Directive, value: i128, width: usize) {
    let width = directive.width.unwrap_or(width);
    let _ = if directive.flags.contains('-') {
        write!(out, "{value}")
    } else if directive.flags.contains('_') {
        write!(out, "{value:width$}")
    } else {
        write!(out, "{value:0width$}")
    };
}

/// Whether a format has a width that nothing is filled up to.
pub fn is_too_wide(format: &str) -> bool {
    pieces(format).iter().any(|piece| matches!(piece, Piece::Directive(d) if d.width.is_some_and(|width| width > 1000)))
}

/// How many bytes a format can make.
pub fn width(format: &str) -> usize {
    let size =
        |piece: &Piece| if let Piece::Directive(d) = piece { d.width.unwrap_or(0).saturating_add(64) } else { 4 };
    pieces(format).iter().map(size).fold(0, usize::saturating_add)
}

/// A duration by a format; the largest unit in the format takes what is above it.
pub fn format_timespan(format: &str, value: i128) -> String {
    let pieces = pieces(format);
    let has = |letters: &str| pieces.iter().any(|p| matches!(p, Piece::Directive(d) if letters.contains(d.letter)));
    let mut rest = value.abs();
    let mut out = String::new();
    if value < 0 {
        out.push('-');
    }
    let mut take = |is_used: bool, unit: i128| {
        if !is_used {
            return 0;
        }
        let count = rest / unit;
        rest %= unit;
        count
    };
    let days = take(has("D"), 86_400 * NANOS);
    let hours = take(has("H"), 3_600 * NANOS);
    let minutes = take(has("M"), 60 * NANOS);
    let seconds = take(has("S"), NANOS);
    for piece in &pieces {
        match piece {
            Piece::Text(c) => out.push(*c),
            Piece::Directive(d) => match d.letter {
                'D' => number(&mut out, d, days, if d.width.is_some() { 2 } else { 1 }),
                'H' => number(&mut out, d, hours, 2),
                'M' => number(&mut out, d, minutes, 2),
                'S' => number(&mut out, d, seconds, 2),
                'L' => fraction(&mut out, d, rest, d.width.unwrap_or(3), has("S")),
                'N' => fraction(&mut out, d, rest, d.width.unwrap_or(9), has("S")),
                other => out.extend(['%', other]),
            },
        }
    }
    out
}

fn fraction(out: &mut String, d: &Directive, nanos: i128, digits: usize, below_a_second: bool) {
    let has = |flag: char| d.flags.contains(flag);
    if !below_a_second {
        // A count, which is filled up behind it.
        let count = (nanos / 10i128.pow(9u32.saturating_sub(digits.min(9) as u32))).to_string();
        out.push_str(&if has('-') { count } else { format!("{count:<digits$}") });
        return;
    }
    let text = format!("{nanos:09}");
    let mut text = text.chars().take(digits).collect::<String>();
    if has('-') || has('_') {
        text = text.trim_end_matches('0').to_string();
        if text.is_empty() {
            text.push('0');
        }
    }
    out.push_str(&if has('_') { format!("{text:<digits$}") } else { text });
}

/// A duration as text; formats that fit are tried in turn.
pub fn parse_timespan(text: &str, formats: &[String]) -> Computed<i128> {
    const DEFAULTS: [&str; 8] =
        ["%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"];
    let refused = || Problem::runtime(format!("Unable to parse '{text}' using any of the formats"));
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let found = if formats.is_empty() {
        DEFAULTS.iter().find_map(|f| read_timespan(digits, f))
    } else {
        formats.iter().find_map(|f| read_timespan(digits, f))
    };
    found.map(|v| v * sign).ok_or_else(refused)
}

fn read_timespan(text: &str, format: &str) -> Option<i128> {
    let mut rest = text;
    let mut total = 0i128;
    let pieces = pieces(format);
    for piece in &pieces {
        match piece {
            Piece::Text(c) => rest = rest.strip_prefix(*c)?,
            Piece::Directive(d) => {
                let rest_trimmed = if d.flags.contains('_') { rest.trim_start() } else { rest };
                let most = match d.letter {
                    'D' => 18,
                    'N' => d.width.unwrap_or(9),
                    'L' => 3,
                    _ => d.width.unwrap_or(2),
                };
                let count = rest_trimmed.bytes().take(most).take_while(u8::is_ascii_digit).count();
                let digits = &rest_trimmed[..count];
                let value: i128 = digits.parse().ok()?;
                rest = &rest_trimmed[count..];
                let unit = match d.letter {
                    'D' => 86_400 * NANOS,
                    'H' => 3_600 * NANOS,
                    'M' => 60 * NANOS,
                    'S' => NANOS,
                    'L' | 'N' if count <= 9 => 10i128.pow(9 - count as u32),
                    _ => return None,
                };
                total = value.checked_mul(unit).and_then(|value| total.checked_add(value))?;
            }
        }
    }
    rest.is_empty().then_some(total)
}

/// Days since 1970 of a date; months and days may run over.
fn days_from(year: i128, month: i128, day: i128) -> i128 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y - era * 400;
    let mp = (month + 9) % 12;
    let doy = (153 * mp + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    era * 146_097 + doe - 719_468
}

fn date_of(days: i128) -> (i128, i128, i128) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z - era * 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i128::from(month <= 2), month, day)
}

/// Seconds east of UTC of a zone: `UTC`, `Z`, `+02:00`, `PST`.
pub fn zone(text: &str) -> Option<i64> {
    const NAMED: [(&str, i64); 12] = [
        ("UTC", 0),
        ("GMT", 0),
        ("Z", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
        ("CET", 1),
    ];
    if let Some((_, hours)) = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(hours * 3600);
    }
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) || !matches!(digits.len(), 2 | 4) {
        return None;
    }
    let hours: i64 = digits[..2].parse().ok()?;
    let minutes: i64 = digits.get(2..).unwrap_or("0").parse().unwrap_or(0);
    Some(sign * (hours * 3600 + minutes * 60))
}

/// A point in time by a format, in a zone.
pub fn format_timestamp(format: &str, value: i128, offset: i64, zone_name: &str) -> String {
    let local = value + i128::from(offset) * NANOS;
    let (seconds, nanos) = (local.div_euclid(NANOS), local.rem_euclid(NANOS));
    let (days, second_of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    let weekday = (days + 4).rem_euclid(7);
    let year_day = days - days_from(year, 1, 1) + 1;
    let mut out = String::new();
    let nested = |f: &str| format_timestamp(f, value, offset, zone_name);
    for piece in pieces(format) {
        let d = match piece {
            Piece::Text(c) => {
                out.push(c);
                continue;
            }
            Piece::Directive(d) => d,
        };
        let mut text = String::new();
        match d.letter {
            'Y' => number(&mut text, &d, year, 4),
            'C' => number(&mut text, &d, year / 100, 2),
            'y' => number(&mut text, &d, year % 100, 2),
            'm' => number(&mut text, &d, month, 2),
            'B' => text.push_str(MONTHS[(month - 1) as usize]),
            'b' | 'h' => text.push_str(&MONTHS[(month - 1) as usize][..3]),
            'd' => number(&mut text, &d, day, 2),
            'e' => text = format!("{day:2}"),
            'j' => number(&mut text, &d, year_day, 3),
            'H' => number(&mut text, &d, hour, 2),
            'k' => text = format!("{hour:2}"),
            'I' => number(&mut text, &d, (hour + 11) % 12 + 1, 2),
            'l' => text = format!("{:2}", (hour + 11) % 12 + 1),
            'P' => text.push_str(if hour < 12 { "am" } else { "pm" }),
            'p' if d.flags.contains('#') => text.push_str(if hour < 12 { "am" } else { "pm" }),
            'p' => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            'M' => number(&mut text, &d, minute, 2),
            'S' => number(&mut text, &d, second, 2),
            'L' => fraction(&mut text, &d, nanos, d.width.unwrap_or(3), true),
            'N' => fraction(&mut text, &d, nanos, d.width.unwrap_or(9), true),
            'z' => {
                let colon = if d.flags.contains(':') { ":" } else { "" };
                let sign = if offset < 0 { '-' } else { '+' };
                let size = offset.abs();
                text = format!("{sign}{:02}{colon}{:02}", size / 3600, size / 60 % 60);
            }
            'Z' => text.push_str(zone_name),
            'A' => text.push_str(DAYS[weekday as usize]),
            'a' => text.push_str(&DAYS[weekday as usize][..3]),
            'u' => number(&mut text, &d, (weekday + 6) % 7 + 1, 1),
            'w' => number(&mut text, &d, weekday, 1),
            'G' | 'V' => {
                let thursday = days - (weekday + 6) % 7 + 3;
                let (iso_year, ..) = date_of(thursday);
                let week = (thursday - days_from(iso_year, 1, 1)) / 7 + 1;
                if d.letter == 'G' { number(&mut text, &d, iso_year, 4) } else { number(&mut text, &d, week, 2) }
            }
            'U' => number(&mut text, &d, (year_day + 6 - weekday) / 7, 2),
            'W' => number(&mut text, &d, (year_day + 6 - (weekday + 6) % 7) / 7, 2),
            's' => text = value.div_euclid(NANOS).to_string(),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'c' => text = nested("%a %b %e %H:%M:%S %Y"),
            'D' | 'x' => text = nested("%m/%d/%y"),
            'F' => text = nested("%Y-%m-%d"),
            'v' => text = nested("%e-%^b-%Y"),
            'T' | 'X' => text = nested("%H:%M:%S"),
            'R' => text = nested("%H:%M"),
            'r' => text = nested("%I:%M:%S %p"),
            '+' => text = nested("%a %b %e %H:%M:%S %Z %Y"),
            other => text.extend(['%', other]),
        }
        if d.flags.contains('^') {
            text = text.to_uppercase();
        }
        out.push_str(&text);
    }
    out
}

/// A point in time as text; formats that fit are tried in turn, in a zone where the text names none.
pub fn parse_timestamp(text: &str, formats: &[String], in_zone: Option<i64>) -> Computed<i128> {
    const DEFAULTS: [&str; 9] = [
        "%Y-%m-%dT%H:%M:%S.%N %Z",
        "%Y-%m-%dT%H:%M:%S %Z",
        "%Y-%m-%d %H:%M:%S.%N %Z",
        "%Y-%m-%d %H:%M:%S %Z",
        "%Y-%m-%dT%H:%M:%S.%N",
        "%Y-%m-%dT%H:%M:%S",
        "%Y-%m-%d %H:%M:%S.%N",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%d",
    ];
    let found = if formats.is_empty() {
        DEFAULTS.iter().find_map(|f| read_timestamp(text, f, in_zone))
    } else {
        formats.iter().find_map(|f| read_timestamp(text, f, in_zone))
    };
    found.ok_or_else(|| Problem::runtime(format!("Unable to parse '{text}' using any of the formats")))
}

/// A format without the directives that stand for several.
fn expanded(format: &str) -> String {
    const LONG: [(&str, &str); 9] = [
        ("%c", "%a %b %e %H:%M:%S %Y"),
        ("%r", "%I:%M:%S %p"),
        ("%x", "%m/%d/%y"),
        ("%X", "%H:%M:%S"),
        ("%F", "%Y-%m-%d"),
        ("%T", "%H:%M:%S"),
        ("%R", "%H:%M"),
        ("%D", "%m/%d/%y"),
        ("%v", "%e-%b-%Y"),
    ];
    LONG.iter().fold(format.to_string(), |text, (short, long)| text.replace(short, long))
}

fn read_timestamp(text: &str, format: &str, in_zone: Option<i64>) -> Option<i128> {
    let mut rest = text;
    let (mut year, mut month, mut day, mut hour, mut minute, mut second, mut nanos) =
        (1970i128, 1i128, 1i128, 0i128, 0i128, 0i128, 0i128);
    let (mut offset, mut afternoon, mut year_day, mut epoch) = (None, None, None, None);
    let expanded = expanded(format);
    for piece in pieces(&expanded) {
        let d = match piece {
            Piece::Text(' ') => {
                rest = rest.trim_start();
                continue;
            }
            Piece::Text(c) => {
                rest = rest.strip_prefix(c)?;
                continue;
            }
            Piece::Directive(d) => d,
        };
        let mut digits = |most: usize| -> Option<(i128, usize)> {
            let text = rest.trim_start_matches(' ');
            let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
            let value = text[..count].parse().ok()?;
            rest = &text[count..];
            Some((value, count))
        };
        match d.letter {
            'Y' => year = digits(4)?.0,
            'y' => {
                let short = digits(2)?.0;
                year = if short < 69 { 2000 + short } else { 1900 + short };
            }
            'm' => month = digits(2)?.0,
            'd' | 'e' => day = digits(2)?.0,
            'j' => year_day = Some(digits(3)?.0),
            'H' | 'k' | 'I' | 'l' => hour = digits(2)?.0,
            'M' => minute = digits(2)?.0,
            'S' => second = digits(2)?.0,
            's' => epoch = Some(digits(18)?.0),
            'N' | 'L' => {
                let (value, count) = digits(9)?;
                nanos = value * 10i128.pow(9 - count as u32);
            }
            'z' | 'Z' => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-:".contains(c))).unwrap_or(rest.len());
                offset = Some(zone(&rest[..end])?);
                rest = &rest[end..];
            }
            'b' | 'B' | 'h' => {
                let index =
                    MONTHS.iter().position(|m| rest.get(..3).is_some_and(|r| r.eq_ignore_ascii_case(&m[..3])))?;
                let name = MONTHS[index];
                let full = rest.get(..name.len()).is_some_and(|r| r.eq_ignore_ascii_case(name));
                rest = &rest[if full { name.len() } else { 3 }..];
                month = index as i128 + 1;
            }
            'a' | 'A' => {
                let name = DAYS.iter().find(|m| rest.get(..3).is_some_and(|r| r.eq_ignore_ascii_case(&m[..3])))?;
                let full = rest.get(..name.len()).is_some_and(|r| r.eq_ignore_ascii_case(name));
                rest = &rest[if full { name.len() } else { 3 }..];
            }
            'p' | 'P' => {
                let is_afternoon = rest.get(..2)?.eq_ignore_ascii_case("pm");
                afternoon = Some(is_afternoon);
                rest = &rest[2..];
            }
            _ => return None,
        }
    }
    if !rest.is_empty()
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 24
        || minute > 59
        || second > 60
    {
        return None;
    }
    if let Some(epoch) = epoch {
        return Some(epoch * NANOS + nanos);
    }
    if let Some(is_afternoon) = afternoon {
        hour = hour % 12 + if is_afternoon { 12 } else { 0 };
    }
    let days = match year_day {
        Some(n) => days_from(year, 1, 1) + n - 1,
        None => days_from(year, month, day),
    };
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - i128::from(offset.or(in_zone).unwrap_or(0));
    Some(seconds * NANOS + nanos)
}
