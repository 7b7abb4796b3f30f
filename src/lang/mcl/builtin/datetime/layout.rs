//! Times in Go's layouts: a layout is the reference time 2006-01-02 15:04:05 -0700 in the wanted format.

use std::fmt::Write;

use super::{Moment, weekday_name};
use crate::lang::shared::calendar::MONTHS;

/// The parts of a layout, the longest spelling first if one starts with another.
const PARTS: &[(&str, Part)] = &[
    ("January", |t| month_name(t).to_owned()),
    ("Jan", |t| month_name(t)[..3].to_owned()),
    ("Monday", |t| weekday_name(t.weekday()).to_owned()),
    ("Mon", |t| weekday_name(t.weekday())[..3].to_owned()),
    ("MST", |t| t.time_zone().to_offset_info(t.timestamp()).abbreviation().to_owned()),
    ("01", |t| format!("{:02}", t.month())),
    ("02", |t| format!("{:02}", t.day())),
    ("03", |t| format!("{:02}", hour12(t))),
    ("04", |t| format!("{:02}", t.minute())),
    ("05", |t| format!("{:02}", t.second())),
    ("06", |t| format!("{:02}", t.year() % 100)),
    ("002", |t| format!("{:03}", t.day_of_year())),
    ("15", |t| format!("{:02}", t.hour())),
    ("1", |t| t.month().to_string()),
    ("2006", year),
    ("2", |t| t.day().to_string()),
    ("_2006", |t| format!("_{}", year(t))),
    ("__2", |t| format!("{:>3}", t.day_of_year())),
    ("_2", |t| format!("{:>2}", t.day())),
    ("3", |t| hour12(t).to_string()),
    ("4", |t| t.minute().to_string()),
    ("5", |t| t.second().to_string()),
    ("PM", |t| if t.hour() < 12 { "AM" } else { "PM" }.to_owned()),
    ("pm", |t| if t.hour() < 12 { "am" } else { "pm" }.to_owned()),
    ("-07:00:00", |t| offset(t, ":", 3)),
    ("-070000", |t| offset(t, "", 3)),
    ("-07:00", |t| offset(t, ":", 2)),
    ("-0700", |t| offset(t, "", 2)),
    ("-07", |t| offset(t, "", 1)),
    ("Z07:00:00", |t| offset_or_z(t, ":", 3)),
    ("Z070000", |t| offset_or_z(t, "", 3)),
    ("Z07:00", |t| offset_or_z(t, ":", 2)),
    ("Z0700", |t| offset_or_z(t, "", 2)),
    ("Z07", |t| offset_or_z(t, "", 1)),
];

type Part = fn(&Moment) -> String;

/// A time in a layout; other text is unchanged.
pub fn format(time: &Moment, layout: &str) -> String {
    let mut out = String::with_capacity(layout.len() + 8);
    let mut rest = layout;
    while let Some(c) = rest.chars().next() {
        let known = PARTS.iter().find(|(spelling, _)| rest.starts_with(spelling) && is_separate_word(spelling, rest));
        let taken = if let Some((spelling, part)) = known {
            out.push_str(&part(time));
            spelling.len()
        } else if let Some(digits) = fraction(rest) {
            // Times are whole seconds: zeros are shown, nines are omitted.
            if rest[1..].starts_with('0') {
                let _ = write!(out, "{c}{:0<1$}", "", digits);
            }
            1 + digits
        } else {
            out.push(c);
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    out
}

/// The offset of the zone from UTC: hours, minutes and seconds, as many as requested.
fn offset(time: &Moment, between: &str, parts: usize) -> String {
    let seconds = time.offset().seconds();
    let sign = if seconds < 0 { "-" } else { "+" };
    let seconds = seconds.unsigned_abs();
    let all = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|part| format!("{part:02}"));
    format!("{sign}{}", all[..parts].join(between))
}

fn offset_or_z(time: &Moment, between: &str, parts: usize) -> String {
    if time.offset().is_zero() { "Z".to_owned() } else { offset(time, between, parts) }
}

/// At least four digits.
fn year(time: &Moment) -> String {
    format!("{:04}", time.year())
}

/// `Jan` and `Mon` within a longer lower-case word are a part of that word.
fn is_separate_word(spelling: &str, rest: &str) -> bool {
    !matches!(spelling, "Jan" | "Mon") || !rest[3..].starts_with(|c: char| c.is_ascii_lowercase())
}

/// How many digits a fraction of a second has: `.000` or `,999` not followed by another digit.
fn fraction(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix(['.', ','])?;
    let digit = digits.chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let count = digits.len() - digits.trim_start_matches(digit).len();
    let ends = !digits[count..].starts_with(|c: char| c.is_ascii_digit());
    ends.then_some(count)
}

fn month_name(time: &Moment) -> &'static str {
    MONTHS[usize::from(time.month().unsigned_abs() - 1) % 12]
}

fn hour12(time: &Moment) -> i8 {
    match time.hour() % 12 {
        0 => 12,
        hour => hour,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::{Moment, format};

    fn at(zone: TimeZone) -> Moment {
        let time = jiff::civil::datetime(2023, 11, 4, 22, 13, 20, 0);
        Moment { time: time.to_zoned(zone).expect("it is there in every zone"), rounds: 0 }
    }

    #[test]
    fn zones_show_how_far_they_are() {
        for (rule, want) in [
            ("XYZ4:30", "22:13 -0430 -04:30 -04:30:00 -04 -0430 XYZ"),
            ("CET-1CEST,M3.5.0,M11.2.0/3", "22:13 +0200 +02:00 +02:00:00 +02 +0200 CEST"),
            ("UTC0", "22:13 +0000 +00:00 +00:00:00 +00 Z UTC"),
        ] {
            let time = at(TimeZone::posix(rule).expect("a rule"));
            assert_eq!(format(&time, "15:04 -0700 -07:00 -07:00:00 -07 Z0700 MST"), want, "{rule}");
        }
    }

    #[test]
    fn layouts_show_how_a_time_looks() {
        let time = at(TimeZone::UTC);
        for (layout, want) in [
            ("Mon, 02 Jan 2006 15:04:05 -0700", "Sat, 04 Nov 2023 22:13:20 +0000"),
            ("Monday January _2 3:04PM 06", "Saturday November  4 10:13PM 23"),
            ("2006-01-02T15:04:05.000Z07:00", "2023-11-04T22:13:20.000Z"),
            ("15:04:05.999 002 MST é", "22:13:20 308 UTC é"),
            ("Janus 1/2 .01", "Janus 11/4 .11"),
            ("Month Mon5 Monday", "Month Sat20 Saturday"),
            ("__2 _2 _2006 pm -07 -07:00 -07:00:00 Z07", "308  4 _2023 pm +00 +00:00 +00:00:00 Z"),
            (".0 ,000 .999 .09", ".0 ,000  .09"),
            ("", ""),
        ] {
            assert_eq!(format(&time, layout), want, "{layout}");
        }
    }
}
