//! Instructions to the engine about a resource, other than its desired state, in the same form for all languages.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use jiff::Zoned;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Params, Value};

/// Meta parameters that differ from their defaults. Each language sets the ones that it has. A language's own names for
/// them stay among the declared parameters. Serialised as parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(Params);

/// Marks a resource that reverses one that has left the program.
const REVERSES: &str = "reversal";

impl Meta {
    /// Whether the resource is only checked and never changed.
    pub fn noop(&self) -> bool {
        self.flag("noop")
    }

    /// Check and report, but never change.
    pub fn audit(&self) -> bool {
        self.flag("audit")
    }

    /// When the resource may change; by default at any time.
    pub fn schedule(&self) -> Option<Schedule> {
        Schedule::read(self.get("schedule")?)
    }

    /// The number of retries after a failure; -1 for no limit.
    pub fn retry(&self) -> i64 {
        self.int("retry").unwrap_or_default()
    }

    /// The pause between two attempts.
    pub fn delay(&self) -> Duration {
        self.millis("delay").unwrap_or_default()
    }

    /// The time limit of one attempt.
    pub fn timeout(&self) -> Option<Duration> {
        self.millis("timeout")
    }

    /// The polling interval in seconds; below 0 for a single check.
    pub fn poll(&self) -> i64 {
        self.int("poll").unwrap_or_default()
    }

    /// The number of events per second.
    pub fn limit(&self) -> f64 {
        match self.get("limit") {
            Some(Value::Float(limit)) => *limit,
            _ => f64::INFINITY,
        }
    }

    /// The number of events at once that `limit` permits.
    pub fn burst(&self) -> i64 {
        self.int("burst").unwrap_or_default()
    }

    /// Whether a success restores the full number of retries.
    pub fn retryreset(&self) -> bool {
        self.flag("retryreset")
    }

    /// Whether the retry count resets when the parameters change.
    pub fn reset(&self) -> bool {
        self.flag("reset")
    }

    /// Whether a permanently failed resource is retried with the next graph.
    pub fn rewatch(&self) -> bool {
        self.flag("rewatch")
    }

    /// Semaphores, as declared.
    pub fn semas(&self) -> impl Iterator<Item = &str> {
        self.texts("sema")
    }

    /// Whether the resource is not applied here. It can still be exported.
    pub fn hidden(&self) -> bool {
        self.flag("hidden")
    }

    /// The hosts that it is exported to.
    pub fn export(&self) -> impl Iterator<Item = &str> {
        self.texts("export")
    }

    /// Exports it to every host.
    pub fn set_exported(&mut self) {
        self.0.set("export", Value::List(vec![Value::from("*")]));
    }

    /// Whether it is reversed when it leaves the program.
    pub fn reverse(&self) -> bool {
        self.flag("reverse")
    }

    /// Whether it reverses another resource.
    pub fn reverses(&self) -> bool {
        self.get(REVERSES).is_some()
    }

    /// The meta parameters of a reversal: once, and not watched afterwards.
    pub fn reversal() -> Self {
        Self(Params::from_iter([("poll".into(), Value::Int(-1)), (REVERSES.into(), Value::Bool(true))]))
    }

    /// Whether automatic orderings apply to it.
    pub fn autoedge(&self) -> bool {
        self.get("autoedge") != Some(&Value::Bool(false))
    }

    /// Whether it may be grouped with others.
    pub fn autogroup(&self) -> bool {
        self.get("autogroup") != Some(&Value::Bool(false))
    }

    /// Without automatic orderings and groups, for languages that do not have them.
    #[must_use]
    pub fn as_declared(mut self) -> Self {
        self.0.set("autoedge", Value::Bool(false));
        self.0.set("autogroup", Value::Bool(false));
        self
    }

    /// Sets `noop`.
    pub fn set_noop(&mut self) {
        self.0.set("noop", Value::Bool(true));
    }

    /// Sets `audit`.
    pub fn set_audit(&mut self) {
        self.0.set("audit", Value::Bool(true));
    }

    /// Sets the times at which the resource may change.
    pub fn set_schedule(&mut self, schedule: &Schedule) {
        self.0.set("schedule", schedule.to_value());
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool) == Some(true)
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Value::as_int)
    }

    fn millis(&self, name: &str) -> Option<Duration> {
        u64::try_from(self.int(name)?).ok().filter(|millis| *millis > 0).map(Duration::from_millis)
    }

    fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.get(name).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
    }
}

impl From<Params> for Meta {
    fn from(params: Params) -> Self {
        Self(params)
    }
}

impl Deref for Meta {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.0
    }
}

impl DerefMut for Meta {
    fn deref_mut(&mut self) -> &mut Params {
        &mut self.0
    }
}

/// When a resource may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    pub name: Arc<str>,
    /// Start and end in minutes of the day. An end below the start is on the next day. Empty means the whole day.
    pub ranges: Vec<(u16, u16)>,
    /// Monday is 1, Sunday is 7. Empty means every day.
    pub weekdays: Vec<u8>,
    /// It never changes.
    pub is_never: bool,
    /// How long it stays unchanged after a change; `None` for no limit.
    pub period: Option<Period>,
    /// The number of changes per period, evenly spread; 0 counts as 1.
    pub repeat: u32,
    /// A period begins with the hour, day, week or month instead of the last change.
    pub by_calendar: bool,
}

/// The periods of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    Hourly,
    Daily,
    Weekly,
    Monthly,
}

impl Period {
    const ALL: [Self; 4] = [Self::Hourly, Self::Daily, Self::Weekly, Self::Monthly];

    /// Returns the period as programs spell it, such as `daily`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }

    /// Returns the period with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == name)
    }

    fn seconds(self) -> i64 {
        let days = match self {
            Self::Hourly => return 3_600,
            Self::Daily => 1,
            Self::Weekly => 7,
            Self::Monthly => 30,
        };
        days * 86_400
    }

    /// Returns equal numbers for times in one hour, day, week or month of the calendar.
    fn number(self, time: &Zoned) -> (i16, i16, i8) {
        let week = time.date().iso_week_date();
        match self {
            Self::Hourly => (time.year(), time.day_of_year(), time.hour()),
            Self::Daily => (time.year(), time.day_of_year(), 0),
            Self::Weekly => (week.year(), i16::from(week.week()), 0),
            Self::Monthly => (time.year(), i16::from(time.month()), 0),
        }
    }
}

impl Schedule {
    /// Whether the last change is too recent for another one.
    pub fn is_too_soon(&self, last: &Zoned, now: &Zoned) -> bool {
        self.period.is_some_and(|period| match self.by_calendar {
            true => period.number(last) == period.number(now),
            false => {
                now.timestamp().as_second() - last.timestamp().as_second()
                    < period.seconds() / i64::from(self.repeat.max(1))
            }
        })
    }

    /// Whether a change may be made on a weekday, at a minute of the day.
    pub fn allows(&self, weekday: u8, minute: u16) -> bool {
        let before = if weekday == 1 { 7 } else { weekday - 1 };
        let on = |day: u8| self.weekdays.is_empty() || self.weekdays.contains(&day);
        let within = |(from, to): &(u16, u16)| match from <= to {
            true => on(weekday) && (*from..=*to).contains(&minute),
            // After midnight the previous day's window is still open.
            false => (on(weekday) && minute >= *from) || (on(before) && minute <= *to),
        };
        !self.is_never && if self.ranges.is_empty() { on(weekday) } else { self.ranges.iter().any(within) }
    }

    fn to_value(&self) -> Value {
        let numbers = |numbers: &mut dyn Iterator<Item = i64>| Value::List(numbers.map(Value::Int).collect());
        let ranges = self.ranges.iter().map(|(from, to)| numbers(&mut [*from, *to].into_iter().map(i64::from)));
        let mut fields = vec![
            ("name".into(), Value::Str(Arc::clone(&self.name))),
            ("ranges".into(), Value::List(ranges.collect())),
            ("weekdays".into(), numbers(&mut self.weekdays.iter().map(|day| i64::from(*day)))),
            ("never".into(), Value::Bool(self.is_never)),
        ];
        if let Some(period) = self.period {
            fields.push(("period".into(), Value::from(period.as_str())));
            fields.push(("repeat".into(), Value::Int(i64::from(self.repeat))));
            fields.push(("calendar".into(), Value::Bool(self.by_calendar)));
        }
        Value::Struct(fields)
    }

    fn read(value: &Value) -> Option<Self> {
        let fields = match value {
            Value::Sensitive(inner) => return Self::read(inner),
            Value::Struct(fields) => fields,
            _ => return None,
        };
        let field = |name: &str| fields.iter().find(|(have, _)| **have == *name).map(|(_, value)| value);
        let list = |name: &str| field(name).and_then(Value::as_list).unwrap_or_default();
        let range = |range: &Value| {
            let [from, to] = range.as_list()? else { return None };
            Some((u16::try_from(from.as_int()?).ok()?, u16::try_from(to.as_int()?).ok()?))
        };
        Some(Self {
            name: field("name").and_then(Value::as_str).unwrap_or_default().into(),
            ranges: list("ranges").iter().filter_map(range).collect(),
            weekdays: list("weekdays").iter().filter_map(|day| u8::try_from(day.as_int()?).ok()).collect(),
            is_never: field("never").and_then(Value::as_bool) == Some(true),
            period: field("period").and_then(Value::as_str).and_then(Period::named),
            repeat: field("repeat").and_then(Value::as_int).and_then(|times| u32::try_from(times).ok()).unwrap_or(0),
            by_calendar: field("calendar").and_then(Value::as_bool) == Some(true),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_it_begins_on() {
        let nights = Schedule {
            name: "nights".into(),
            ranges: vec![(22 * 60, 4 * 60)],
            weekdays: vec![5],
            period: Some(Period::Daily),
            repeat: 2,
            ..Schedule::default()
        };
        let mut meta = Meta::default();
        meta.set_schedule(&nights);
        assert_eq!(meta.schedule().as_ref(), Some(&nights), "it is read as it was set");
        assert!(nights.allows(5, 23 * 60) && nights.allows(6, 3 * 60));
        assert!(!nights.allows(5, 3 * 60) && !nights.allows(6, 23 * 60) && !nights.allows(5, 12 * 60));
        assert!(Schedule::default().allows(1, 0));
        assert!(!Schedule { is_never: true, ..Schedule::default() }.allows(1, 0));
        let sundays = Schedule { weekdays: vec![7], ..Schedule::default() };
        assert!(sundays.allows(7, 100) && !sundays.allows(1, 100));
    }

    #[test]
    fn a_period_begins_with_the_last_change_or_with_the_calendar() {
        let at = |time: &str| time.parse::<Zoned>().expect("a time");
        let (before, after) = (at("2026-03-01T23:50:00[UTC]"), at("2026-03-02T00:10:00[UTC]"));
        let schedule = |period, repeat, by_calendar| Schedule { period, repeat, by_calendar, ..Schedule::default() };
        for (period, repeat, by_calendar, expected) in [
            (None, 1, false, false),
            (Some(Period::Hourly), 0, false, true),
            (Some(Period::Hourly), 3, false, false),
            (Some(Period::Daily), 1, false, true),
            (Some(Period::Hourly), 1, true, false),
            (Some(Period::Daily), 1, true, false),
            (Some(Period::Weekly), 1, true, false),
            (Some(Period::Monthly), 1, true, true),
        ] {
            let is_too_soon = schedule(period, repeat, by_calendar).is_too_soon(&before, &after);
            assert_eq!(is_too_soon, expected, "{period:?} {repeat} {by_calendar}");
        }
    }
}
