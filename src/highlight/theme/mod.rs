//! Themes: map the scope of an element on the screen to its style.
//!
//! The files are helix's (`palette`, `inherits`, scopes, `ui.*`, `diff.*`, `diagnostic.*`), so any of its themes can be
//! used as it is. Our own scopes are derived if a theme does not set them; [`DERIVED`] is the whole list:
//!
//! | scope | for |
//! | --- | --- |
//! | `plan.create change replace remove run refresh unknown none` | the effect of a step |
//! | `state.running done waiting skipped blocked failed` | the status of a resource in a run |
//! | `mode.dry live` | whether the machine is being changed |
//! | `graph.edge.0` .. `graph.edge.5`, `graph.shared` | rails of the graph |
//! | `ui.key`, `ui.window.focus`, `ui.hostile`, `ui.title` | keys in a footer, the border in focus, hostile text made
//! visible, titles |

mod color;
mod load;

use std::collections::HashMap;

#[cfg(test)]
use ratatui::style::Color;
use ratatui::style::{Modifier, Style};

use crate::diag::{Diagnostics, Stage};
use crate::source::Sources;

pub use color::Depth;
pub(super) use color::{ansi_index, rgb};
pub use load::load_theme;

/// The built-in themes: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("night", include_str!("../../../themes/night.toml")),
    ("day", include_str!("../../../themes/day.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    ("night-safe", include_str!("../../../themes/night-safe.toml")),
    ("day-safe", include_str!("../../../themes/day-safe.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// Styles by scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theme {
    pub name: String,
    styles: HashMap<String, Style>,
}

/// Our own scopes with their substitutes, best first.
const DERIVED: &[(&str, &[&str])] = &[
    ("plan.create", &["diff.plus", "string"]),
    ("plan.change", &["diff.delta", "warning", "constant"]),
    ("plan.replace", &["diff.delta.moved", "keyword"]),
    ("plan.remove", &["diff.minus", "error"]),
    ("plan.run", &["info", "function"]),
    ("plan.refresh", &["hint", "type"]),
    ("plan.unknown", &["warning", "constant"]),
    ("plan.none", &["ui.text.inactive", "comment"]),
    ("state.running", &["info", "function"]),
    ("state.done", &["diff.plus", "string"]),
    ("state.waiting", &["ui.text.inactive", "comment"]),
    ("state.skipped", &["ui.text.inactive", "comment"]),
    ("state.blocked", &["warning", "constant"]),
    ("state.failed", &["error", "diff.minus"]),
    ("mode.dry", &["info", "function"]),
    ("mode.live", &["error", "diff.minus"]),
    ("graph.edge.0", &["function"]),
    ("graph.edge.1", &["string"]),
    ("graph.edge.2", &["keyword"]),
    ("graph.edge.3", &["constant"]),
    ("graph.edge.4", &["type"]),
    ("graph.edge.5", &["variable.other.member", "variable"]),
    ("graph.shared", &["ui.text.inactive", "comment"]),
    ("ui.debug.breakpoint", &["error"]),
    ("ui.debug.active", &["warning"]),
    ("ui.key", &["ui.text.focus", "keyword"]),
    ("ui.window.focus", &["ui.text.focus", "function"]),
    ("ui.title", &["markup.heading", "ui.text.focus"]),
    ("ui.hostile", &["diagnostic.error", "error"]),
    ("ui.text.inactive", &["comment"]),
    ("info", &["diagnostic.info", "function"]),
    ("hint", &["diagnostic.hint", "type"]),
    ("warning", &["diagnostic.warning", "constant"]),
    ("error", &["diagnostic.error", "diff.minus"]),
    ("attribute", &["variable.other.member"]),
];

impl Theme {
    /// A built-in theme; `None` if there is none of that name.
    pub fn built_in(name: &str) -> Option<Self> {
        let mut diagnostics = Diagnostics::new(Stage::Module);
        load_theme(name, &|_| None, &mut Sources::default(), &mut diagnostics)
    }

    /// The style of a scope: its own, else that of its substitute, else that of its longest known prefix.
    pub fn style(&self, scope: &str) -> Style {
        self.find(scope, 0).unwrap_or_default()
    }

    /// The theme for a terminal with fewer colours. Without any, the built-in `mono` theme replaces it, which uses
    /// weight and underline instead of colour.
    pub fn at_depth(self, depth: Depth) -> Theme {
        match depth {
            Depth::True => self,
            Depth::Mono => Theme::built_in("mono").expect("it is compiled in and tested"),
            Depth::Indexed | Depth::Ansi => {
                let mut styles = self.styles;
                for (scope, style) in &mut styles {
                    *style = color::reduce(scope, *style, depth);
                }
                Theme { name: self.name, styles }
            }
        }
    }

    /// Whether it is for a light background; `None` if it leaves the background to the terminal.
    pub fn is_light(&self) -> Option<bool> {
        let (r, g, b) = rgb(self.style("ui.background").bg?)?;
        Some(299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) > 127_500)
    }

    fn find(&self, scope: &str, derived: usize) -> Option<Style> {
        if let Some(style) = self.styles.get(scope) {
            return Some(*style);
        }
        // No chain of substitutes is longer; a mistake in the list must not loop for ever.
        if derived < 4
            && let Some((_, stand_ins)) = DERIVED.iter().find(|(name, _)| *name == scope)
            && let Some(style) = stand_ins.iter().find_map(|stand_in| self.find(stand_in, derived + 1))
        {
            return Some(adapted(scope, style));
        }
        let (shorter, _) = scope.rsplit_once('.')?;
        self.find(shorter, derived)
    }
}

/// The changes of a derived scope to its substitute's style.
fn adapted(scope: &str, style: Style) -> Style {
    match scope {
        "mode.live" => style.add_modifier(Modifier::BOLD | Modifier::REVERSED),
        "ui.hostile" => style.add_modifier(Modifier::REVERSED),
        "state.running" | "ui.key" => style.add_modifier(Modifier::BOLD),
        "state.skipped" => style.add_modifier(Modifier::CROSSED_OUT),
        // A background, or the underline of a diagnostic, would be noise if only the colour is borrowed.
        _ => Style { bg: None, ..style }.remove_modifier(Modifier::UNDERLINED),
    }
}

/// The WCAG contrast of two colours, from 1 to 21; `None` for the terminal's own.
#[cfg(test)]
pub fn contrast(one: Color, other: Color) -> Option<f64> {
    let luminance = |color| {
        let (r, g, b) = rgb(color)?;
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
    };
    let (one, other) = (luminance(one)?, luminance(other)?);
    Some((one.max(other) + 0.05) / (one.min(other) + 0.05))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNTAX: &[&str] = &[
        "comment",
        "string",
        "string.special.path",
        "constant.character.escape",
        "constant.numeric.integer",
        "constant.numeric.float",
        "constant.builtin.boolean",
        "constant",
        "keyword",
        "keyword.function",
        "keyword.operator",
        "keyword.directive",
        "keyword.control.conditional",
        "keyword.control.import",
        "operator",
        "punctuation.bracket",
        "punctuation.delimiter",
        "type",
        "type.builtin",
        "variable",
        "variable.builtin",
        "variable.parameter",
        "variable.other.member",
        "function",
        "function.builtin",
        "constructor",
        "namespace",
        "attribute",
    ];
    const ROLES: &[&str] = &[
        "plan.create",
        "plan.change",
        "plan.replace",
        "plan.remove",
        "plan.run",
        "plan.refresh",
        "plan.unknown",
        "plan.none",
        "state.running",
        "state.done",
        "state.waiting",
        "state.skipped",
        "state.blocked",
        "state.failed",
        "mode.dry",
        "mode.live",
        "graph.edge.0",
        "graph.edge.1",
        "graph.edge.2",
        "graph.edge.3",
        "graph.edge.4",
        "graph.edge.5",
        "graph.shared",
        "ui.text",
        "ui.text.focus",
        "ui.text.inactive",
        "ui.key",
        "ui.title",
        "ui.hostile",
        "ui.linenr",
        "ui.linenr.selected",
        "error",
        "warning",
        "info",
        "hint",
        "diff.plus",
        "diff.minus",
        "diff.delta",
        "diagnostic.error",
        "diagnostic.warning",
        "ui.statusline",
        "ui.popup",
        "ui.menu.selected",
    ];
    /// The backgrounds of text.
    const GROUNDS: &[&str] =
        &["ui.background", "ui.cursorline.primary", "ui.selection", "ui.popup", "ui.statusline", "ui.menu.selected"];

    fn colored() -> impl Iterator<Item = Theme> {
        BUILT_IN.iter().filter(|(name, _)| *name != "mono").map(|(name, _)| Theme::built_in(name).expect("built in"))
    }

    #[test]
    fn built_in_themes_have_no_problems() {
        for (name, _) in BUILT_IN {
            let mut diagnostics = Diagnostics::new(Stage::Module);
            let theme = load_theme(name, &|_| None, &mut Sources::default(), &mut diagnostics);
            assert!(theme.is_some() && diagnostics.is_empty(), "{name}: {diagnostics:?}");
        }
    }

    #[test]
    fn text_is_out() {
        for theme in colored() {
            let page = theme.style("ui.background");
            for scope in SYNTAX.iter().chain(ROLES) {
                let style = theme.style(scope);
                let text = style.fg.or(theme.style("ui.text").fg).expect("text has a colour");
                let grounds: Vec<Color> = match style.bg {
                    Some(own) => vec![own],
                    None if style.add_modifier.contains(Modifier::REVERSED) => page.bg.into_iter().collect(),
                    None => GROUNDS.iter().filter_map(|ground| theme.style(ground).bg).collect(),
                };
                assert!(!grounds.is_empty());
                for ground in grounds {
                    let contrast = contrast(text, ground).expect("colours of a theme that sets all of them");
                    assert!(contrast >= 4.5, "{}: {scope} {text:?} on {ground:?}: {contrast:.2}", theme.name);
                }
            }
        }
    }

    #[test]
    fn without_colour_roles_still_differ() {
        let mono = Theme::built_in("mono").expect("built in");
        for group in ["plan.", "state.", "mode."] {
            let roles: Vec<_> = ROLES.iter().filter(|role| role.starts_with(group)).collect();
            for (at, one) in roles.iter().enumerate() {
                for other in &roles[at + 1..] {
                    assert_ne!(mono.style(one), mono.style(other), "{one} and {other}");
                }
            }
        }
        for scope in SYNTAX.iter().chain(ROLES) {
            let style = mono.style(scope);
            assert!(style.fg.is_none() && style.bg.is_none(), "{scope}");
        }
    }

    #[test]
    fn sixteen_colours_never_hide_text() {
        for theme in colored().map(|theme| theme.at_depth(Depth::Ansi)) {
            for scope in SYNTAX.iter().chain(ROLES) {
                let style = theme.style(scope);
                for ground in GROUNDS.iter().map(|ground| theme.style(ground)) {
                    assert!(style.fg.is_none() || style.fg != style.bg.or(ground.bg), "{}: {scope}", theme.name);
                }
            }
        }
    }
}
