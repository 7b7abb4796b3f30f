//! The choices of the user for the face.

use crate::highlight::{Depth, Theme};
use crate::session::{ApplierStatus, Guest};
use crate::tui::keymap::Keymap;
use std::{path::PathBuf, sync::Arc};

/// The user's choices for the face.
#[derive(Clone, Debug)]
pub struct Options {
    pub theme: Theme,
    pub depth: Depth,
    /// No line drawing and no symbols beyond ASCII.
    pub ascii: bool,
    pub mouse: bool,
    /// The themes for a dark and for a light background, if the terminal decides.
    pub(super) by_ground: Option<Box<[Theme; 2]>>,
    /// Restores the last session.
    pub(super) restores: bool,
    pub(super) relative_numbers: bool,
    pub(super) keymap: Arc<Keymap>,
    pub(super) editor: Option<String>,
    /// The problems of the settings, one line each.
    pub(super) problems: Vec<String>,
    /// The state folder, if the user named one.
    pub state_dir: Option<PathBuf>,
    /// Attaches to an applier at the start.
    pub attaches: Option<(Guest, ApplierStatus)>,
    /// The first notice, until a key is pressed.
    pub greeting: Option<String>,
}
