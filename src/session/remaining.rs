//! How long the rest of some work takes, by how it went so far.

use std::time::Duration;

/// Sooner nothing is told: what takes no longer needs no word, and the first moments say little.
const SOON: Duration = Duration::from_secs(2);

/// How long the rest takes, where what is done says something of it: three turns, or half of fewer, that went on for a while.
/// Nothing else is known of what a turn takes; the first of many may be a download.
pub fn remaining(took: Duration, done: usize, of: usize) -> Option<Duration> {
    let rest = of.saturating_sub(done);
    let tells = done >= 3 || (done > 0 && done >= rest);
    (tells && took >= SOON).then(|| took.mul_f64(rest as f64 / done as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_turns_tell_where_they_are_half_of_all() {
        let left = |took, done, of| remaining(Duration::from_secs(took), done, of).map(|left| left.as_secs());
        assert_eq!(left(40, 1, 2), Some(40));
        assert_eq!(left(40, 2, 4), Some(40));
        assert_eq!(left(40, 1, 3), None, "one says little of two");
        assert_eq!(left(40, 2, 5), None);
        assert_eq!(left(30, 3, 1000), Some(9970));
        assert_eq!(left(1, 3, 4), None, "it is over soon anyway");
        assert_eq!((left(40, 0, 0), left(40, 0, 9)), (None, None));
        assert_eq!(left(40, 2, 2), Some(0));
    }
}
