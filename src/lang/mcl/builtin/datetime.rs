//! `datetime`: points in time, in seconds since 1970, shown in the machine's zone.

mod layout;

use std::path::{Path, PathBuf};

use jiff::civil::Weekday;
use jiff::{Timestamp, Zoned, tz::TimeZone};

use super::Function;
use super::call::{Call, Failure, unexpected};
use crate::lang::mcl::value::Value;
use crate::lang::shared::calendar::DAYS;
use crate::world::{Read, Sample};

/// The functions of the module `datetime`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "format",
        &["func(time int, layout str) str"],
        "Formats a time. The layout shows how the reference time 2006-01-02 15:04:05 (a Monday) should look.",
        &[
            ("datetime.format(0, \"2006-01-02 15:04:05\")", "\"1970-01-01 00:00:00\""),
            ("datetime.format(1700000000, \"Mon Jan _2 3PM 06\")", "\"Tue Nov 14 10PM 23\""),
            ("datetime.format(253402300800, \"Mon 2006\")", "\"Sat 10000\""),
        ],
        |call| Ok(Value::str(layout::format(&local(call, call.int(0)?)?, call.str(1)?))),
    ),
    Function::new(
        "hour",
        &["func(time int) int"],
        "The hour of the day, 0 to 23.",
        &[("datetime.hour(3600)", "1"), ("datetime.hour(9223372036854775807)", "15")],
        |call| Ok(Value::Int(local(call, call.int(0)?)?.hour().into())),
    ),
    Function::new("now", &["func() int"], "The current time.", &[], |call| Ok(Value::Int(now(call)?))),
    Function::new(
        "print",
        &["func(time int) str"],
        "A time with its date and zone.",
        &[("datetime.print(86399)", "\"1970-01-01 23:59:59 +0000 UTC\"")],
        |call| print(call, call.int(0)?),
    ),
    Function::new("str_now", &["func() str"], "The current time as a string.", &[], |call| {
        Ok(Value::str(now(call)?.to_string()))
    }),
    Function::new(
        "weekday",
        &["func(time int) str"],
        "The day of the week, in lower case.",
        &[("datetime.weekday(0)", "\"thursday\"")],
        |call| weekday(call, call.int(0)?),
    ),
    Function::new("weekday_fast", &["func() str"], "The day of the week now, in lower case.", &[], |call| {
        weekday(call, now(call)?)
    }),
];

fn now(call: &Call) -> Result<i64, Failure> {
    match call.world.read(&Read::Now)? {
        Sample::Integer(seconds) => Ok(seconds),
        other => Err(unexpected(&other)),
    }
}

/// The folders of zone files, in Go's search order.
const ZONES: [&str; 4] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"];

/// The zone in `TZ`, else the machine's; UTC if there is none, or it cannot be read.
fn zone(call: &Call) -> TimeZone {
    let named = match call.world.read(&Read::Environment) {
        Ok(Sample::Pairs(environment)) => environment.get("TZ").cloned(),
        _ => None,
    };
    let paths: Vec<PathBuf> = match named.as_deref().map(|name| name.strip_prefix(':').unwrap_or(name)) {
        None => vec!["/etc/localtime".into()],
        Some("" | "UTC") => vec![],
        Some(name) if name.starts_with('/') => vec![name.into()],
        // A name must not lead out of those folders.
        Some(name) if name.split('/').any(|part| part == "..") => vec![],
        Some(name) => ZONES.iter().map(|folder| Path::new(folder).join(name)).collect(),
    };
    let bytes = paths.iter().find_map(|path| call.world.file(path).ok());
    bytes.and_then(|bytes| TimeZone::tzif("", &bytes).ok()).unwrap_or(TimeZone::UTC)
}

/// A point in time. The calendar repeats every 400 years to the second, so that times after the year 9999, which no
/// [`Zoned`] can represent, are mapped to an earlier cycle.
struct Moment {
    time: Zoned,
    rounds: i64,
}

impl Moment {
    fn year(&self) -> i64 {
        i64::from(self.time.year()) + 400 * self.rounds
    }
}

impl std::ops::Deref for Moment {
    type Target = Zoned;

    fn deref(&self) -> &Zoned {
        &self.time
    }
}

fn local(call: &Call, seconds: i64) -> Result<Moment, Failure> {
    /// Seconds in 400 years.
    const ROUND: i64 = 146_097 * 86_400;
    /// In the year 9575: one cycle later is still before the year 10000.
    const LAST: i64 = 240_000_000_000;
    if seconds < 0 {
        return Err(Failure::fatal(format!("{seconds} seconds are before 1970")));
    }
    let rounds = if seconds < LAST { 0 } else { (seconds - LAST) / ROUND };
    let time = Timestamp::from_second(seconds - rounds * ROUND).map_err(|error| Failure::fatal(error.to_string()))?;
    Ok(Moment { time: time.to_zoned(zone(call)), rounds })
}

fn print(call: &Call, seconds: i64) -> Result<Value, Failure> {
    Ok(Value::str(layout::format(&local(call, seconds)?, "2006-01-02 15:04:05 -0700 MST")))
}

fn weekday(call: &Call, seconds: i64) -> Result<Value, Failure> {
    Ok(Value::str(weekday_name(local(call, seconds)?.weekday()).to_lowercase()))
}

fn weekday_name(day: Weekday) -> &'static str {
    DAYS[usize::from(day.to_sunday_zero_offset().unsigned_abs()) % 7]
}
