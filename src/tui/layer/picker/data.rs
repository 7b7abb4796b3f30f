//! The data of a picker, and what its workers are asked and report.

use crate::highlight::Theme;
use crate::module::LanguageName;
use crate::tui::layer::picker::item::{Item, Items, Target};
use crate::tui::{keymap::action::What, list::ListPane, program::Program};
use ratatui::text::Line;
use std::{path::PathBuf, sync::Arc};

/// Reports of workers to a picker; `pick` identifies it, so that reports to an older one are ignored.
#[derive(Debug)]
pub enum Notice {
    /// More items. Those of a newer turn replace all earlier ones.
    Items { pick: u64, turn: u64, items: Arc<[Item]> },
    /// The matches for the words of a turn, best first; `None` if all match.
    Ranked { pick: u64, turn: u64, order: Option<Vec<u32>>, is_done: bool },
    /// The preview of the selected item.
    Preview { pick: u64, preview: Preview },
}

/// The found items, and the matches among them, best first; `None` if all match.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub(super) items: Items,
    pub(super) order: Option<Vec<u32>>,
}

#[derive(Clone, Debug)]
pub struct Picker {
    pub pick: u64,
    pub(super) what: What,
    pub(super) title: String,
    pub(super) words: String,
    /// Counts the changes of the words.
    pub(super) turn: u64,
    /// The turn of the items. Only lines are searched again in each turn.
    pub(super) items_turn: u64,
    /// The turn of the order. While more items arrive for its words, a cursor that was moved stays on its item.
    pub(super) ranked: u64,
    pub(crate) list: ListPane<Found>,
    /// The workers have reported all results for the words.
    pub(super) is_done: bool,
    /// The latest words that were sent to the workers.
    pub(super) asked: Option<String>,
    /// The item of the latest requested preview.
    pub(super) wished: Option<Target>,
    pub(super) preview: Option<Preview>,
}

/// Where a worker takes items from.
#[derive(Clone, Debug)]
pub enum Source {
    Items(Vec<Item>),
    Resources(Arc<Program>),
    /// The texts of the program: name and text of each, and the language for a name that does not show it.
    Symbols(Vec<(Arc<str>, Arc<str>)>, LanguageName),
    Files,
    Lines,
}

/// Where the text of a request is.
#[derive(Clone, Debug)]
pub enum PreviewText {
    AtHand(Arc<str>),
    File(PathBuf),
}

#[derive(Clone, Debug)]
pub struct Wish {
    pub pick: u64,
    pub target: Target,
    pub name: String,
    pub text: PreviewText,
    /// The selected line, from 1.
    pub line: u32,
    pub theme: Arc<Theme>,
}

/// A piece of text around a line.
#[derive(Clone, Debug)]
pub struct Preview {
    pub target: Target,
    pub(super) name: String,
    /// The first line, from 0, and the selected one.
    pub(super) first: usize,
    pub(super) line: usize,
    pub(super) lines: Vec<Line<'static>>,
}
