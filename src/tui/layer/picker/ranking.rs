//! Ranks the items that match the words, best first. Each word list is scored once; only its extensions reuse the
//! scores.

use std::{cmp::Reverse, sync::Arc};

use super::item::{Item, Items};
use crate::tui::layer::fuzzy::Fuzzy;

/// After this many items it checks whether the answer is still needed.
const STRIDE: usize = 512;

/// The sort key of an item: higher score first, then shorter, then earlier.
type Scored = (Reverse<u32>, u32, u32);

/// Items with their scores for the last words.
#[derive(Default)]
pub struct Ranking {
    items: Items,
    words: String,
    /// The matches, unsorted.
    scored: Vec<Scored>,
    /// How many items were scored for `scored`.
    upto: usize,
}

impl Ranking {
    pub fn add(&mut self, items: Arc<[Item]>) {
        self.items.add(items);
    }

    /// The positions of the matches, best first; `None` if all match in their order, `Err` if the answer is no longer
    /// needed.
    pub fn rank(&mut self, words: &str, is_stale: &dyn Fn() -> bool) -> Result<Option<Vec<u32>>, ()> {
        if words.trim().is_empty() {
            (self.words, self.scored, self.upto) = (String::new(), Vec::new(), 0);
            return Ok(None);
        }
        let known = std::mem::take(&mut self.scored);
        let upto = std::mem::take(&mut self.upto);
        let (mut scored, older) = match () {
            () if words == self.words => (known, Vec::new()),
            // An item that did not match fewer words cannot match more.
            () if upto > 0 && narrows(&self.words, words) => (Vec::new(), known),
            () => (Vec::new(), (0..upto as u32).map(|at| (Reverse(0), 0, at)).collect()),
        };
        let mut fuzzy = Fuzzy::of_paths(words);
        let todo = older.into_iter().map(|(.., at)| at).chain(upto as u32..self.items.len() as u32);
        for (count, at) in todo.enumerate() {
            if count % STRIDE == 0 && is_stale() {
                // The scores so far do not apply to the rest.
                self.words.clear();
                return Err(());
            }
            let Some(item) = self.items.get(at as usize) else { continue };
            if let Some(score) = item.with_line(|line| fuzzy.score(line)) {
                scored.push((Reverse(score), item.shown.len() as u32, at));
            }
        }
        scored.sort_unstable();
        let order = scored.iter().map(|(.., at)| *at).collect();
        (self.words, self.scored, self.upto) = (words.to_string(), scored, self.items.len());
        Ok(Some(order))
    }
}

/// Whether every match of the new words matches the old ones: not if a sign inverts the meaning of a word.
fn narrows(old: &str, new: &str) -> bool {
    let is_plain = |words: &str| !words.contains(['!', '^', '$', '\'', '\\', '|']);
    // A capital makes a word case-sensitive, which narrows it too.
    !old.is_empty() && new.starts_with(old) && is_plain(new)
}

#[cfg(test)]
mod tests {
    use super::super::item::Target;
    use super::*;

    fn items(names: &[&str]) -> Arc<[Item]> {
        let item = |name: &&str| Item {
            shown: name.to_string(),
            note: String::new(),
            target: Target::File(name.into(), (1, 1)),
        };
        names.iter().map(item).collect()
    }

    #[test]
    fn words_narrow_and_widen_while_items_come() {
        let mut ranking = Ranking::default();
        ranking.add(items(&["src/tui/state.rs", "src/main.rs", "Main.md"]));
        let never_cancelled = || false;
        assert_eq!(ranking.rank("", &never_cancelled), Ok(None));
        assert_eq!(ranking.rank("ma", &never_cancelled), Ok(Some(vec![2, 1])));
        assert_eq!(ranking.rank("main.r", &never_cancelled), Ok(Some(vec![1])));
        ranking.add(items(&["main.rs"]));
        assert_eq!(ranking.rank("main.r", &never_cancelled), Ok(Some(vec![3, 1])));
        assert_eq!(ranking.rank("main.rx", &|| true), Err(()));
        assert_eq!(ranking.rank("Ma", &never_cancelled), Ok(Some(vec![2])));
        assert_eq!(ranking.rank("s", &never_cancelled), Ok(Some(vec![1, 0, 3])));
    }
}
