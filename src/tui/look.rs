//! A style for every role, and the glyphs. No meaning depends on colour alone.

use std::sync::Arc;

use ratatui::prelude::{Modifier, Span, Style};

use crate::engine::message::TurnState;
use crate::highlight::Theme;
use crate::plan::{Action, Certainty};

/// The role of a piece of text; the theme styles it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Text,
    Dim,
    Strong,
    Page,
    Border,
    BorderFocused,
    Title,
    Selection,
    CursorLine,
    Bar,
    Dry,
    Live,
    Key,
    Match,
    LineNumber,
    LineNumberHere,
    Error,
    Warning,
    Note,
    Good,
    Waiting,
    Skipped,
    Blocked,
    Failed,
    Active,
    Breakpoint,
    InSync,
    Create,
    Change,
    Replace,
    Remove,
    Run,
    Refresh,
    Unknown,
    Gone,
    New,
    Popup,
    Rail,
}

/// The theme scope of every role, in the order of [`Role`].
const SCOPES: &[(Role, &str)] = &[
    (Role::Text, "ui.text"),
    (Role::Dim, "ui.text.inactive"),
    (Role::Strong, "ui.text.focus"),
    (Role::Page, "ui.background"),
    (Role::Border, "ui.window"),
    (Role::BorderFocused, "ui.window.focus"),
    (Role::Title, "ui.title"),
    (Role::Selection, "ui.menu.selected"),
    (Role::CursorLine, "ui.cursorline.primary"),
    (Role::Bar, "ui.statusline"),
    (Role::Dry, "mode.dry"),
    (Role::Live, "mode.live"),
    (Role::Key, "ui.key"),
    (Role::Match, "ui.cursor.match"),
    (Role::LineNumber, "ui.linenr"),
    (Role::LineNumberHere, "ui.linenr.selected"),
    (Role::Error, "error"),
    (Role::Warning, "warning"),
    (Role::Note, "hint"),
    (Role::Good, "state.done"),
    (Role::Waiting, "state.waiting"),
    (Role::Skipped, "state.skipped"),
    (Role::Blocked, "state.blocked"),
    (Role::Failed, "state.failed"),
    (Role::Active, "state.running"),
    (Role::Breakpoint, "ui.debug.breakpoint"),
    (Role::InSync, "plan.none"),
    (Role::Create, "plan.create"),
    (Role::Change, "plan.change"),
    (Role::Replace, "plan.replace"),
    (Role::Remove, "plan.remove"),
    (Role::Run, "plan.run"),
    (Role::Refresh, "plan.refresh"),
    (Role::Unknown, "plan.unknown"),
    (Role::Gone, "diff.minus"),
    (Role::New, "diff.plus"),
    (Role::Popup, "ui.popup"),
    (Role::Rail, "graph.edge.0"),
];

/// The line drawing and state glyphs of one set.
#[derive(Debug, PartialEq, Eq)]
pub struct Glyphs {
    pub corners: [&'static str; 4],
    pub horizontal: &'static str,
    pub vertical: &'static str,
    /// A box within a pane: four corners, a horizontal and a vertical line, and a horizontal line with a branch down.
    pub single: [&'static str; 7],
    /// The same for an emphasized box.
    pub double: [&'static str; 7],
    pub thumb: &'static str,
    pub open: &'static str,
    pub shut: &'static str,
    pub arrow: &'static str,
    pub cut: &'static str,
    pub done: &'static str,
    pub next: &'static str,
    pub waiting: &'static str,
    pub breakpoint: &'static str,
    pub skipped: &'static str,
    pub blocked: &'static str,
    pub failed: &'static str,
    pub running: &'static str,
    pub replace: &'static str,
    pub refresh: &'static str,
    pub known: &'static str,
    pub predicted: &'static str,
    pub declared: &'static str,
    pub inline: &'static str,
    pub dash: &'static str,
    pub times: &'static str,
    pub paused: &'static str,
    pub past: &'static str,
    /// More rows above, and below.
    pub above: &'static str,
    pub below: &'static str,
    /// More to the left, and to the right.
    pub before: &'static str,
    pub after: &'static str,
    pub bar: &'static str,
    pub spinner: &'static [&'static str],
}

/// Glyphs for a terminal that shows Unicode.
pub static UNICODE: Glyphs = Glyphs {
    corners: ["╭", "╮", "╰", "╯"],
    horizontal: "─",
    vertical: "│",
    single: ["╭", "╮", "╰", "╯", "─", "│", "┬"],
    double: ["╔", "╗", "╚", "╝", "═", "║", "╤"],
    thumb: "┃",
    open: "▾",
    shut: "▸",
    arrow: "→",
    cut: "…",
    done: "✓",
    next: "▶",
    waiting: "○",
    breakpoint: "●",
    skipped: "⊘",
    blocked: "┊",
    failed: "✗",
    running: "…",
    replace: "±",
    refresh: "↻",
    known: "●",
    predicted: "◐",
    declared: "·",
    inline: "╰─",
    dash: "—",
    times: "×",
    paused: "‖",
    past: "◂",
    above: "↑",
    below: "↓",
    before: "‹",
    after: "›",
    bar: "━",
    spinner: &["∙∙∙", "●∙∙", "∙●∙", "∙∙●"],
};

/// Glyphs for a terminal that shows only ASCII.
pub static ASCII: Glyphs = Glyphs {
    corners: ["+", "+", "+", "+"],
    horizontal: "-",
    vertical: "|",
    single: ["+", "+", "+", "+", "-", "|", "+"],
    double: ["#", "#", "#", "#", "=", "#", "+"],
    thumb: "#",
    open: "v",
    shut: ">",
    arrow: "->",
    cut: "~",
    done: "v",
    next: ">",
    waiting: "o",
    breakpoint: "*",
    skipped: "s",
    blocked: "|",
    failed: "x",
    running: ".",
    replace: "%",
    refresh: "@",
    known: "k",
    predicted: "p",
    declared: ".",
    inline: "`-",
    dash: "-",
    times: "x",
    paused: "=",
    past: "<",
    above: "^",
    below: "v",
    before: "<",
    after: ">",
    bar: "=",
    spinner: &["...", "o..", ".o.", "..o"],
};

/// The styles and glyphs in use.
#[derive(Clone, Debug)]
pub struct Look {
    /// For source text, which has its own scopes.
    pub theme: Arc<Theme>,
    styles: Vec<Style>,
    pub glyphs: &'static Glyphs,
    /// This machine may be changed: every border shows it.
    pub is_live: bool,
}

impl Look {
    pub fn new(theme: Theme, glyphs: &'static Glyphs) -> Self {
        let mut styles: Vec<Style> = SCOPES.iter().map(|(_, scope)| theme.style(scope)).collect();
        // Reversed text on a reversed bar would be less visible than plain text.
        let bar = &mut styles[Role::Bar as usize];
        bar.add_modifier.remove(Modifier::REVERSED);
        Self { theme: Arc::new(theme), styles, glyphs, is_live: false }
    }

    /// The badge of the mode: LIVE has a background or is reversed, DRY is plain.
    pub fn badge(&self, is_live: bool) -> Style {
        let style = self.style(if is_live { Role::Live } else { Role::Dry });
        let style = style.add_modifier(Modifier::BOLD);
        match is_live {
            false => Style { bg: None, ..style }.remove_modifier(Modifier::REVERSED),
            true if style.bg.is_none() => style.add_modifier(Modifier::REVERSED),
            true => style,
        }
    }

    /// The border of a pane: four corners, a horizontal and a vertical line, and their style.
    pub fn border(&self, focused: bool) -> ([&'static str; 4], [&'static str; 2], Style) {
        let style = self.style(if focused { Role::BorderFocused } else { Role::Border });
        if !self.is_live {
            return (self.glyphs.corners, [self.glyphs.horizontal, self.glyphs.vertical], style);
        }
        let [a, b, c, d, level, upright, _] = self.glyphs.double;
        let badge = self.badge(true);
        // The background of the badge, unless the badge is reversed.
        let color = if badge.add_modifier.contains(Modifier::REVERSED) { badge.fg } else { badge.bg };
        let style =
            Style { fg: color.or(style.fg), ..style }.remove_modifier(Modifier::DIM).add_modifier(Modifier::BOLD);
        ([a, b, c, d], [level, upright], style)
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    pub fn is_ascii(&self) -> bool {
        *self.glyphs == ASCII
    }

    /// The words that differ within a changed line.
    pub fn changed_word(&self, role: Role) -> Style {
        self.style(role).add_modifier(Modifier::REVERSED)
    }

    /// The selected row of a pane; dimmed without the focus.
    pub fn selection(&self, focused: bool) -> Style {
        match self.style(if focused { Role::Selection } else { Role::CursorLine }) {
            // Always visible, whatever the theme: the user must see the cursor.
            style if style.bg.is_none() && style.add_modifier.is_empty() => {
                style.add_modifier(if focused { Modifier::REVERSED } else { Modifier::UNDERLINED })
            }
            style => style,
        }
    }

    /// The refresh mark; a blank of the same width without a refresh.
    pub fn refresh_mark(&self, is_refreshed: bool) -> Span<'static> {
        if is_refreshed { Span::styled(self.glyphs.refresh, self.style(Role::Refresh)) } else { Span::raw(" ") }
    }

    /// The letter of an action and its style.
    pub fn action(&self, action: Action) -> (&'static str, Style) {
        let (letter, role) = match action {
            Action::None => ("=", Role::InSync),
            Action::Create => ("+", Role::Create),
            Action::Change => ("~", Role::Change),
            Action::Replace => (self.glyphs.replace, Role::Replace),
            Action::Remove => ("-", Role::Remove),
            Action::Run => ("!", Role::Run),
            Action::Unknown => ("?", Role::Unknown),
        };
        (letter, self.style(role))
    }

    /// The glyph of a resource's state, and its style.
    pub fn turn(&self, state: &TurnState) -> (&'static str, Style) {
        let (glyph, role) = match state {
            TurnState::Waiting => (self.glyphs.waiting, Role::Waiting),
            TurnState::Running => (self.glyphs.running, Role::Active),
            TurnState::Done => (self.glyphs.done, Role::Good),
            TurnState::Failed { .. } => (self.glyphs.failed, Role::Failed),
            TurnState::Skipped => (self.glyphs.skipped, Role::Skipped),
            TurnState::Blocked { .. } => (self.glyphs.blocked, Role::Blocked),
        };
        (glyph, self.style(role))
    }

    /// The mark and word for how certain a prediction is.
    pub fn certainty(&self, certainty: Certainty) -> (&'static str, &'static str, Style) {
        match certainty {
            Certainty::Known => (self.glyphs.known, "known", self.style(Role::Good)),
            Certainty::Predicted => (self.glyphs.predicted, "predicted", self.style(Role::Note)),
            Certainty::Unknown => ("?", "known after apply", self.style(Role::Unknown)),
        }
    }
}

pub fn action_word(action: Action) -> &'static str {
    action.verb()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_in_order() {
        for (index, (role, _)) in SCOPES.iter().enumerate() {
            assert_eq!(*role as usize, index);
        }
    }

    /// Without colour every action and every state still differs.
    #[test]
    fn letters_distinguish_all() {
        for glyphs in [&UNICODE, &ASCII] {
            let look = Look::new(Theme::built_in("mono").expect("compiled in"), glyphs);
            let actions = [Action::None, Action::Create, Action::Change, Action::Replace, Action::Remove, Action::Run];
            let mut letters: Vec<_> = actions.iter().map(|action| look.action(*action).0).collect();
            letters.push(look.action(Action::Unknown).0);
            letters.push(glyphs.refresh);
            let count = letters.len();
            letters.sort_unstable();
            letters.dedup();
            assert_eq!(letters.len(), count);
        }
    }
}
