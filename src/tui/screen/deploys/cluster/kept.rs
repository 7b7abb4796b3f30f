//! What is remembered of the clusters of the settings: whether each answers, and what it told.

use std::collections::HashMap;

use ratatui::text::Line;

use super::{Flags, HERE, Previewed, view};
use crate::plan::{Offered as Narrowed, Query};
use crate::session::target::{Facts, Place, Published, Tree, open_endpoint};
use crate::tui::widget::list::List;

/// Whether it answers.
#[derive(Debug, Default)]
pub enum Reach {
    #[default]
    Unasked,
    Asking,
    There(Facts),
    Away(Vec<String>),
}

/// What the pane beside the list is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    #[default]
    Nothing,
    Deploy(u64),
    /// A push of the open program.
    Push,
}

/// One cluster of the settings.
#[derive(Debug, Default)]
pub struct Cluster {
    pub(super) name: String,
    pub(super) place: Place,
    /// An endpoint that others can read along with.
    pub(super) open: Option<String>,
    pub(super) reach: Reach,
    /// Something is asked beside that.
    pub(super) is_busy: bool,
    /// Newest first.
    pub(super) deploys: Vec<Published>,
    /// Positions among them that fit the filter.
    pub(super) rows: Vec<usize>,
    /// What never changes is asked for once.
    pub(super) trees: HashMap<u64, Tree>,
    pub(super) list: List,
    pub(super) detail: List,
    pub(super) about: About,
    pub(super) lines: Vec<Line<'static>>,
    pub(super) previewed: Option<Box<Previewed>>,
    /// The deploy to go back to, and the one that ran when that was asked.
    pub(super) back: Option<(u64, u64)>,
    /// With what a push was looked at last.
    pub(super) flags: Flags,
}

impl Cluster {
    pub(super) fn newest(&self) -> Option<&Published> {
        self.deploys.first()
    }

    pub(super) fn selected(&self) -> Option<&Published> {
        self.deploys.get(*self.rows.get(self.list.cursor)?)
    }

    /// What going back from the row under the cursor leads to.
    pub(super) fn older(&self) -> Option<&Published> {
        let selected = self.selected()?;
        if Some(selected.id) == self.newest().map(|newest| newest.id) { self.deploys.get(1) } else { Some(selected) }
    }

    pub(super) fn relist(&mut self, words: &str) {
        let query = Query::typed(words).unwrap_or_default();
        let fits = |deploy: &Published| words.is_empty() || query.fits(&Narrowed::text(&view::told(deploy)));
        self.rows = (0..self.deploys.len()).filter(|at| fits(&self.deploys[*at])).collect();
    }

    /// Puts the cursor on a deploy, where it is listed.
    pub(super) fn select(&mut self, id: u64) {
        if let Some(at) = self.rows.iter().position(|row| self.deploys[*row].id == id) {
            self.list.cursor = at;
        }
    }

    /// Takes a deploy in, where it is new.
    pub(super) fn take(&mut self, deploy: Published, words: &str) {
        if self.deploys.iter().any(|there| there.id == deploy.id) {
            return;
        }
        let kept = self.selected().map(|deploy| deploy.id);
        let at = self.deploys.iter().position(|there| there.id < deploy.id).unwrap_or(self.deploys.len());
        self.deploys.insert(at, deploy);
        self.relist(words);
        if let Some(kept) = kept {
            self.select(kept);
        }
    }
}

/// The clusters of the settings, and which of them is on show.
#[derive(Debug, Default)]
pub struct Clusters {
    pub(super) all: Vec<Cluster>,
    /// This machine's own history where none is.
    pub(super) at: Option<usize>,
}

impl Clusters {
    /// By name, with how each is reached.
    pub fn new(places: impl IntoIterator<Item = (String, Place)>) -> Self {
        let cluster = |(name, place): (String, Place)| {
            // An address that is wrong is told once it is asked.
            let open = open_endpoint(&place).ok().flatten();
            Cluster { name, place, open, ..Cluster::default() }
        };
        Self { all: places.into_iter().map(cluster).collect(), at: None }
    }

    pub fn is_shown(&self) -> bool {
        self.at.is_some()
    }

    /// The name of the one that is shown.
    pub fn name(&self) -> Option<&str> {
        self.shown().map(|cluster| &*cluster.name)
    }

    pub(super) fn shown(&self) -> Option<&Cluster> {
        self.all.get(self.at?)
    }

    pub(super) fn shown_mut(&mut self) -> Option<&mut Cluster> {
        self.all.get_mut(self.at?)
    }

    /// The number of the deploy under the cursor.
    pub fn selected(&self) -> Option<u64> {
        self.shown()?.selected().map(|deploy| deploy.id)
    }

    /// All that the list tells of it.
    pub fn selected_line(&self) -> Option<String> {
        self.shown()?.selected().map(view::told)
    }

    /// All that can be shown.
    pub fn names(&self) -> Vec<String> {
        self.all.iter().map(|cluster| cluster.name.clone()).chain([HERE.into()]).collect()
    }

    /// Whether there are others to go to.
    pub fn can_turn(&self) -> Result<(), String> {
        if self.all.is_empty() {
            return Err("no cluster is set: `targets.NAME` in your config.toml names one".into());
        }
        Ok(())
    }

    /// Whether a cluster can be asked again.
    pub fn can_ask(&self) -> Result<(), String> {
        self.can_turn()?;
        let Some(cluster) = self.shown() else { return Err("this is this machine: ] goes to a cluster".into()) };
        if cluster.is_busy || matches!(cluster.reach, Reach::Asking) {
            return Err(format!("{} is being asked: x stops that", cluster.name));
        }
        Ok(())
    }

    /// Whether it answered, and so can be given something.
    pub fn can_give(&self) -> Result<(), String> {
        self.can_ask()?;
        match self.shown() {
            Some(Cluster { reach: Reach::There(_), .. }) => Ok(()),
            _ => Err("it does not answer: f asks it again".into()),
        }
    }

    pub fn can_go_back(&self) -> Result<(), String> {
        self.can_give()?;
        match self.shown().and_then(Cluster::older) {
            Some(_) => Ok(()),
            None => Err("there is no older deploy to go back to".into()),
        }
    }
}
