//! A stable sort by a comparison that may fail, or that may be of no order.

use std::cmp::Ordering;

/// The items in order, those that are equal as they were. Ends at the first comparison that fails.
pub fn sorted<T, E>(items: Vec<T>, mut compare: impl FnMut(&T, &T) -> Result<Ordering, E>) -> Result<Vec<T>, E> {
    let mut from: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let mut width = 1;
    while width < from.len() {
        let mut to = Vec::with_capacity(from.len());
        for start in (0..from.len()).step_by(width.saturating_mul(2)) {
            let middle = (start + width).min(from.len());
            let end = middle.saturating_add(width).min(from.len());
            let (mut left, mut right) = (start, middle);
            while left < middle || right < end {
                let takes_left = match (&from[left.min(end - 1)], from.get(right).filter(|_| right < end)) {
                    (Some(a), Some(Some(b))) if left < middle => compare(a, b)?.is_le(),
                    _ => left < middle,
                };
                let next = if takes_left { &mut left } else { &mut right };
                to.push(from[*next].take());
                *next += 1;
            }
        }
        from = to;
        width = width.saturating_mul(2);
    }
    Ok(from.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::sorted;

    #[test]
    fn items_are_sorted_and_equal_ones_stay_in_order() {
        for length in 0..70_u32 {
            let items: Vec<(u32, u32)> = (0..length).map(|at| (at * 7 % 5, at)).collect();
            let mut wanted = items.clone();
            wanted.sort_by_key(|item| item.0);
            assert_eq!(sorted(items, |a, b| Ok::<_, ()>(a.0.cmp(&b.0))), Ok(wanted));
        }
        assert_eq!(sorted(vec![2, 1], |_, _| Err::<std::cmp::Ordering, _>("no")), Err("no"));
    }
}
