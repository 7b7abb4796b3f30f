//! The rate limit of a resource's events: a token bucket.

use std::time::{Duration, Instant};

/// Longer than any run.
pub(super) const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The tokens for events. An event without a token waits until there is one, and later events wait longer.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    limit: f64,
    burst: f64,
    tokens: f64,
    at: Instant,
}

impl Pace {
    /// Starts full: `limit` events per second, `burst` at once.
    pub fn new(limit: f64, burst: f64, now: Instant) -> Self {
        Self { limit, burst, tokens: burst, at: now }
    }

    /// Takes a token for an event now. Returns how long the event must wait.
    pub fn take(&mut self, now: Instant) -> Duration {
        if self.limit == f64::INFINITY {
            return Duration::ZERO;
        }
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens = (self.tokens + passed * self.limit).min(self.burst) - 1.0;
        self.at = now;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-self.tokens / self.limit).map_or(NEVER, |wait| wait.min(NEVER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_lets_a_burst_through_and_then_its_rate() {
        let now = Instant::now();
        let mut pace = Pace::new(2.0, 3.0, now);
        let waits: Vec<u128> = (0..5).map(|_| pace.take(now).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 500, 1000]);
        // Two tokens are missing; after two seconds there are two.
        let later = now + Duration::from_secs(2);
        assert_eq!([0, 0, 500].map(|_: u128| pace.take(later).as_millis()), [0, 0, 500]);
        // After a long pause there is no more than a burst.
        let much_later = now + Duration::from_secs(3600);
        assert_eq!([(); 4].map(|()| pace.take(much_later).as_millis()), [0, 0, 0, 500]);
    }

    #[test]
    fn without_a_limit_nothing_waits_and_without_a_rate_all_that_is_no_burst_does() {
        let now = Instant::now();
        let mut free = Pace::new(f64::INFINITY, 0.0, now);
        assert!((0..100).all(|_| free.take(now).is_zero()));
        let mut shut = Pace::new(0.0, 1.0, now);
        assert!(shut.take(now).is_zero());
        assert_eq!(shut.take(now + Duration::from_secs(60)), NEVER);
    }
}
