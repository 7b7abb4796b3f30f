//! Theme files in helix's TOML; reports errors with file and place.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{BUILT_IN, Theme};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span};

/// Finds the text of a user's theme: its path, as shown, and its text.
pub type Find<'a> = &'a dyn Fn(&str) -> Option<(String, Arc<str>)>;

/// Reads a theme with all it inherits from.
///
/// `find` knows the user's own; any other name is searched for among the built-in ones, so a file of the user's called
/// `night` may inherit from `night`. Faulty entries are reported and ignored, and the rest counts. `None` if there is
/// no such theme or it is not TOML.
pub fn load_theme(name: &str, find: Find<'_>, sources: &mut Sources, diags: &mut Diagnostics) -> Option<Theme> {
    let files = inheritance(name, find, sources, diags)?;
    let mut theme = Theme { name: name.to_string(), styles: HashMap::new() };
    // From the oldest down: the palette is shared, so that a child may change the colours of its parent.
    let mut palette: HashMap<String, Color> = HashMap::new();
    let tables: Vec<(FileId, Spanned<DeTable<'_>>)> = files
        .iter()
        .rev()
        .filter_map(|(file, text)| Some((*file, DeTable::parse(text).map_err(|e| syntax(*file, &e, diags)).ok()?)))
        .collect();
    if tables.len() < files.len() {
        return None;
    }
    for (file, table) in &tables {
        read_palette(*file, table.get_ref(), &mut palette, diags);
    }
    for (file, table) in &tables {
        let mut reader = Reader { file: *file, palette: &palette, diags };
        for (scope, value) in table.get_ref().iter() {
            if !matches!(scope.get_ref().as_ref(), "palette" | "inherits" | "rainbow") {
                theme.styles.insert(scope.get_ref().to_string(), reader.style(value));
            }
        }
    }
    Some(theme)
}

/// The theme's file and those it inherits from, youngest first.
fn inheritance(
    name: &str,
    find: Find<'_>,
    sources: &mut Sources,
    diags: &mut Diagnostics,
) -> Option<Vec<(FileId, Arc<str>)>> {
    let mut files: Vec<(FileId, Arc<str>)> = Vec::new();
    let mut seen: Vec<(String, bool)> = Vec::new();
    let mut next = Some((name.to_string(), None));
    while let Some((name, asked_at)) = next {
        // A user's file that inherits from its own name means the built-in one.
        let own = if seen.iter().any(|(other, _)| *other == name) { None } else { find(&name) };
        let is_own = own.is_some();
        let Some((shown, text)) = own.or_else(|| built_in(&name)) else {
            diags.push(unknown(&name, asked_at));
            return None;
        };
        if seen.contains(&(name.clone(), is_own)) {
            diags.push(inherits_itself(&name, asked_at));
            return None;
        }
        let file = sources.add(shown, None, text.clone());
        next = inherits(file, &text, diags);
        seen.push((name, is_own));
        files.push((file, text));
    }
    Some(files)
}

fn built_in(name: &str) -> Option<(String, Arc<str>)> {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    Some((format!("<theme {name}>"), Arc::from(*text)))
}

fn inherits(file: FileId, text: &str, diags: &mut Diagnostics) -> Option<(String, Option<Span>)> {
    // Broken TOML is reported once, when the file is read.
    let table = DeTable::parse(text).ok()?;
    let value = table.get_ref().get("inherits")?;
    match value.get_ref() {
        DeValue::String(name) => Some((name.to_string(), Some(at(file, value.span())))),
        _ => {
            diags.push(invalid(at(file, value.span()), "expected a name").help("for example inherits = \"night\""));
            None
        }
    }
}

fn read_palette(file: FileId, table: &DeTable<'_>, palette: &mut HashMap<String, Color>, diags: &mut Diagnostics) {
    let Some(value) = table.get("palette") else { return };
    let DeValue::Table(entries) = value.get_ref() else {
        return diags.push(invalid(at(file, value.span()), "expected a table").help("write [palette]"));
    };
    for (name, value) in entries.iter() {
        let color = match value.get_ref() {
            DeValue::String(text) => parse_color(text),
            _ => None,
        };
        match color {
            Some(color) => drop(palette.insert(name.get_ref().to_string(), color)),
            None => diags.push(invalid(at(file, value.span()), "not a colour").help(COLOR_HELP)),
        }
    }
}

/// Reads the scopes of one file.
struct Reader<'a> {
    file: FileId,
    palette: &'a HashMap<String, Color>,
    diags: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// `"color"` or `{ fg, bg, underline, modifiers }`.
    fn style(&mut self, value: &Spanned<DeValue<'_>>) -> Style {
        let mut style = Style::new();
        let DeValue::Table(table) = value.get_ref() else {
            style.fg = self.color(value);
            return style;
        };
        for (key, value) in table.iter() {
            match key.get_ref().as_ref() {
                "fg" => style.fg = self.color(value),
                "bg" => style.bg = self.color(value),
                "underline" => style = self.underline(style, value),
                "modifiers" => style = self.modifiers(style, value),
                _ => self.report(key.span(), "unknown key", "the keys are fg, bg, underline, modifiers"),
            }
        }
        style
    }

    fn color(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Color> {
        let color = match value.get_ref() {
            DeValue::String(name) => self.palette.get(name.as_ref()).copied().or_else(|| parse_color(name)),
            _ => None,
        };
        if color.is_none() {
            self.report(value.span(), "not a colour or a name of the palette", COLOR_HELP);
        }
        color
    }

    /// `{ color, style }`; every style is drawn as a plain line, which all terminals support.
    fn underline(&mut self, mut style: Style, value: &Spanned<DeValue<'_>>) -> Style {
        let DeValue::Table(table) = value.get_ref() else {
            self.report(value.span(), "expected a table", "write { color = \"red\", style = \"curl\" }");
            return style;
        };
        if let Some(color) = table.get("color") {
            style.underline_color = self.color(color);
        }
        style.add_modifier(Modifier::UNDERLINED)
    }

    fn modifiers(&mut self, style: Style, value: &Spanned<DeValue<'_>>) -> Style {
        let DeValue::Array(names) = value.get_ref() else {
            self.report(value.span(), "expected a list", "write [\"bold\", \"italic\"]");
            return style;
        };
        names.iter().fold(style, |style, name| match name.get_ref().as_str().and_then(modifier) {
            Some(modifier) => style.add_modifier(modifier),
            None => {
                self.report(name.span(), "unknown modifier", MODIFIER_HELP);
                style
            }
        })
    }

    fn report(&mut self, span: Range<usize>, label: &str, help: &str) {
        self.diags.push(invalid(at(self.file, span), label).help(help));
    }
}

const COLOR_HELP: &str = "use \"#rrggbb\", a number from 0 to 255 in quotes, a terminal colour such as \"light-red\", \
or a name of [palette]";
const MODIFIER_HELP: &str =
    "the modifiers are bold, dim, italic, underlined, slow_blink, rapid_blink, reversed, hidden, crossed_out";

/// `#rrggbb`, a number of the 256, or a terminal's own name in helix's spelling.
fn parse_color(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let digits = |range: Range<usize>| u8::from_str_radix(hex.get(range)?, 16).ok();
        let plain = hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit());
        return if plain { Some(Color::Rgb(digits(0..2)?, digits(2..4)?, digits(4..6)?)) } else { None };
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    Some(match text {
        "default" => Color::Reset,
        "black" => Color::Black,
        "red" => Color::Red,
        "green" => Color::Green,
        "yellow" => Color::Yellow,
        "blue" => Color::Blue,
        "magenta" => Color::Magenta,
        "cyan" => Color::Cyan,
        "gray" => Color::DarkGray,
        "light-red" => Color::LightRed,
        "light-green" => Color::LightGreen,
        "light-yellow" => Color::LightYellow,
        "light-blue" => Color::LightBlue,
        "light-magenta" => Color::LightMagenta,
        "light-cyan" => Color::LightCyan,
        "light-gray" => Color::Gray,
        "white" => Color::White,
        _ => return None,
    })
}

fn modifier(name: &str) -> Option<Modifier> {
    Some(match name {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underlined" => Modifier::UNDERLINED,
        "slow_blink" => Modifier::SLOW_BLINK,
        "rapid_blink" => Modifier::RAPID_BLINK,
        "reversed" => Modifier::REVERSED,
        "hidden" => Modifier::HIDDEN,
        "crossed_out" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}

fn at(file: FileId, range: Range<usize>) -> Span {
    Span::new(file, range.start, range.end)
}

fn invalid(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::InvalidTheme, span).label(label)
}

fn syntax(file: FileId, error: &toml::de::Error, diags: &mut Diagnostics) {
    diags.push(invalid(at(file, error.span().unwrap_or(0..0)), error.message()));
}

fn unknown(name: &str, asked_at: Option<Span>) -> Diagnostic {
    let known: Vec<_> = BUILT_IN.iter().map(|(known, _)| *known).collect();
    let diagnostic = match asked_at {
        Some(span) => Diagnostic::error(Code::UnknownTheme, span),
        None => Diagnostic::placeless(Code::UnknownTheme),
    };
    diagnostic.label(format!("`{name}`")).help(format!("the built-in themes are {}", known.join(", ")))
}

fn inherits_itself(name: &str, asked_at: Option<Span>) -> Diagnostic {
    let label = format!("`{name}` would inherit from itself");
    match asked_at {
        Some(span) => invalid(span, &label),
        None => Diagnostic::placeless(Code::InvalidTheme).label(label),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Stage;

    fn load(files: &'static [(&str, &str)], name: &str) -> (Option<Theme>, Vec<String>) {
        let mut sources = Sources::default();
        let mut diags = Diagnostics::new(Stage::Module);
        let find = |name: &str| {
            let (name, text) = files.iter().find(|(known, _)| *known == name)?;
            Some((format!("{name}.toml"), Arc::from(*text)))
        };
        let theme = load_theme(name, &find, &mut sources, &mut diags);
        let found = diags.iter().map(|d| match d.span {
            Some(span) => format!("{} {}", sources.place(span), d.code.as_str()),
            None => d.code.as_str().to_string(),
        });
        (theme, found.collect())
    }

    #[test]
    fn problems_have_a_place_and_the_rest_holds() {
        let text = "keyword = \"fog\"\n\"ui.text\" = { fg = \"#12345\", bg = \"red\", size = 3 }\nstring = { modifiers = [\"loud\"] }\n\
                    type = { underline = { color = \"7\", style = \"curl\" } }\n";
        let files: &'static [(&str, &str)] = Box::leak(Box::new([("a", &*text.to_string().leak())]));
        let (theme, found) = load(files, "a");
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[0], "a.toml:1:11 invalid-theme");
        let theme = theme.expect("what is right holds");
        assert_eq!(theme.style("ui.text.focus").bg, Some(Color::Red));
        assert!(theme.style("type.builtin").add_modifier.contains(Modifier::UNDERLINED));
    }

    #[test]
    fn a_child_repaints_its_parent() {
        let files = &[
            ("parent", "keyword = \"main\"\nstring = \"main\"\n[palette]\nmain = \"red\"\n"),
            ("child", "inherits = \"parent\"\nstring = \"light-gray\"\n[palette]\nmain = \"blue\"\n"),
        ];
        let (theme, found) = load(files, "child");
        assert_eq!(found, Vec::<String>::new());
        let theme = theme.expect("it is whole");
        assert_eq!(theme.style("keyword.control").fg, Some(Color::Blue));
        assert_eq!(theme.style("string").fg, Some(Color::Gray));
    }

    #[test]
    fn inheritance_ends() {
        let (theme, found) = load(&[("a", "inherits = \"b\""), ("b", "inherits = \"a\"")], "a");
        assert!(theme.is_none());
        assert_eq!(found, ["b.toml:1:12 unknown-theme"]);
        let (theme, found) = load(&[("night", "inherits = \"night\"\nkeyword = \"light-red\"")], "night");
        assert_eq!(found, Vec::<String>::new());
        assert_eq!(theme.expect("it replaces the built-in one").style("keyword").fg, Some(Color::LightRed));
        assert_eq!(load(&[], "fog").1, ["unknown-theme"]);
        assert_eq!(load(&[("x", "a = [")], "x").1, ["x.toml:1:6 invalid-theme"]);
    }
}
