//! Which items fit the words, best first: scored once for each words, and again only where that can change.

use std::cmp::Reverse;
use std::sync::Arc;

use super::item::{Item, Items};
use crate::tui::layer::fuzzy::Fuzzy;

/// After so many items it is asked whether anybody still wants the answer.
const STRIDE: usize = 512;

/// What sorts an item: the better before the worse, the shorter before the longer, the earlier before the later.
type Scored = (Reverse<u32>, u32, u32);

/// Items and how they fit the last words that were asked for.
#[derive(Default)]
pub struct Ranking {
    items: Items,
    words: String,
    /// What fits, in no order that matters before it is sorted.
    scored: Vec<Scored>,
    /// How many items were looked at for `scored`.
    upto: usize,
}

impl Ranking {
    pub fn add(&mut self, items: Arc<[Item]>) {
        self.items.add(items);
    }

    /// The positions of what fits, best first; `None` where all fits as it stands, `Err` where nobody waits any more.
    pub fn rank(&mut self, words: &str, is_stale: &dyn Fn() -> bool) -> Result<Option<Vec<u32>>, ()> {
        if words.trim().is_empty() {
            (self.words, self.scored, self.upto) = (String::new(), Vec::new(), 0);
            return Ok(None);
        }
        let known = std::mem::take(&mut self.scored);
        let upto = std::mem::take(&mut self.upto);
        let (mut scored, older) = match () {
            () if words == self.words => (known, Vec::new()),
            // What did not fit less cannot fit more.
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

/// Whether all that fits the new words fits the old ones: not where a sign turns the meaning of a word around.
fn narrows(old: &str, new: &str) -> bool {
    let is_plain = |words: &str| !words.contains(['!', '^', '$', '\'', '\\', '|']);
    // A capital makes a word mind its case, which narrows it too.
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
        let goes_on = || false;
        assert_eq!(ranking.rank("", &goes_on), Ok(None));
        assert_eq!(ranking.rank("ma", &goes_on), Ok(Some(vec![2, 1])));
        assert_eq!(ranking.rank("main.r", &goes_on), Ok(Some(vec![1])));
        ranking.add(items(&["main.rs"]));
        assert_eq!(ranking.rank("main.r", &goes_on), Ok(Some(vec![3, 1])));
        assert_eq!(ranking.rank("main.rx", &|| true), Err(()));
        assert_eq!(ranking.rank("Ma", &goes_on), Ok(Some(vec![2])));
        assert_eq!(ranking.rank("s", &goes_on), Ok(Some(vec![1, 0, 3])));
    }
}
