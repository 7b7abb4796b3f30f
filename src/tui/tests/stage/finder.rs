//! A finder that answers at once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::sample::CODE;
use crate::session::{Hit, SearchPattern};
use crate::tui::layer::picker::item::{Item, Target};
use crate::tui::layer::picker::{Notice as Finds, Preview, Source, files, resources, symbols};
use crate::tui::{finder::Order, layer::picker::ranking::Ranking};

/// Answers requests of pickers at once; the files are those of [`modules`], each with [`CODE`].
#[derive(Default)]
pub(super) struct FakeFinder {
    ranking: Ranking,
    pick: u64,
    searches: bool,
}

impl FakeFinder {
    pub fn on_key(&mut self, order: Order) -> Vec<Finds> {
        let paths = || ["/m/web/layout.mcl", "/m/web/main.mcl"].map(PathBuf::from).to_vec();
        let pick = self.pick;
        match order {
            Order::Begin { pick, source } => {
                *self = Self { pick, searches: matches!(source, Source::Lines), ..Self::default() };
                let items = match source {
                    Source::Items(items) => items,
                    Source::Resources(program) => resources(&program),
                    Source::Symbols(texts, language) => {
                        texts.iter().flat_map(|(name, text)| symbols(name, text, language)).collect()
                    }
                    Source::Files => files(paths(), Path::new("/m")),
                    Source::Lines => vec![],
                };
                let items: Arc<[Item]> = items.into();
                self.ranking.add(items.clone());
                let ranked = Finds::Ranked { pick, turn: 0, order: None, is_done: true };
                vec![Finds::Items { pick, turn: 0, items }, ranked]
            }
            Order::Words { turn, words } if self.searches => {
                let hits = SearchPattern::new(&words).hits(CODE.as_bytes(), 100);
                let path = PathBuf::from("/m/web/main.mcl");
                let item = |hit: Hit| Item {
                    shown: format!("/m/web/main.mcl:{}", hit.line),
                    note: hit.text,
                    target: Target::File(path.clone(), (hit.line, hit.column)),
                };
                let items = hits.into_iter().map(item).collect();
                let ranked = Finds::Ranked { pick, turn, order: None, is_done: true };
                vec![Finds::Items { pick, turn, items }, ranked]
            }
            Order::Words { turn, words } => {
                let order = self.ranking.rank(&words, &|| false).expect("nobody stops it");
                vec![Finds::Ranked { pick, turn, order, is_done: true }]
            }
            Order::Preview(wish) => {
                let document = Preview::document(&wish, CODE);
                vec![Finds::Preview { pick, preview: Preview::of(*wish, Ok(&document)) }]
            }
            Order::End => vec![],
        }
    }
}
