//! Values of settings, and how they are displayed.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::policies::PolicySetting;
use super::targets::TargetSetting;
use crate::source::Span;

/// The value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Flag(bool),
    Number(u64),
    Folders(Vec<PathBuf>),
    Words(Vec<String>),
    Theme(ThemeChoice),
    Keys(Arc<[Binding]>),
    Targets(Vec<TargetSetting>),
    Policies(Vec<PolicySetting>),
}

/// The theme of the screens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// A built-in one for light terminals, and one for dark ones.
    Auto,
    Named(Written),
    ByTerminal {
        light: Written,
        dark: Written,
    },
}

/// Text with its place, if it comes from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    pub span: Option<Span>,
}

/// Keys and their action, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The screen; `None` for all.
    pub screen: Option<Written>,
    pub keys: Written,
    pub action: Written,
}

impl Value {
    /// Returns the value as JSON.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Text(text) => json!(text),
            Value::Flag(on) => json!(on),
            Value::Number(number) => json!(number),
            Value::Folders(folders) => folders.iter().map(|folder| folder.display().to_string()).collect(),
            Value::Words(words) => json!(words),
            Value::Theme(ThemeChoice::Auto) => json!("auto"),
            Value::Theme(ThemeChoice::Named(name)) => json!(name.text),
            Value::Theme(ThemeChoice::ByTerminal { light, dark }) => json!({"light": light.text, "dark": dark.text}),
            Value::Keys(bindings) => {
                let binding = |b: &Binding| {
                    let screen = b.screen.as_ref().map(|screen| &screen.text);
                    json!({"screen": screen, "keys": b.keys.text, "action": b.action.text})
                };
                bindings.iter().map(binding).collect()
            }
            Value::Targets(targets) => {
                let target = |t: &TargetSetting| {
                    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
                    json!({
                        "name": t.name.text, "address": t.address, "ca": path(&t.ca), "cert": path(&t.cert),
                        "key": path(&t.key), "user": t.user, "password_file": path(&t.password_file),
                        "password_command": t.password_command,
                    })
                };
                targets.iter().map(target).collect()
            }
            Value::Policies(policies) => {
                let policy = |PolicySetting { policy, .. }: &PolicySetting| {
                    let except = policy.exceptions.iter();
                    let except = except.map(|one| json!({"resource": one.resource, "until": one.until.to_string()}));
                    json!({"when": policy.when, "message": policy.message, "except": except.collect::<Vec<_>>()})
                };
                policies.iter().map(policy).collect()
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Flag(on) => write!(f, "{on}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Folders(folders) => {
                let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
                f.write_str(&folders.join(":"))
            }
            Value::Words(words) => f.write_str(&words.join(" ")),
            Value::Theme(ThemeChoice::Auto) => f.write_str("auto"),
            Value::Theme(ThemeChoice::Named(name)) => f.write_str(&name.text),
            Value::Theme(ThemeChoice::ByTerminal { light, dark }) => {
                write!(f, "{} where light, {} where dark", light.text, dark.text)
            }
            Value::Keys(bindings) => write!(f, "{} of your own", bindings.len()),
            Value::Targets(targets) => {
                let targets: Vec<_> = targets.iter().map(|t| format!("{} ({})", t.name.text, t.address)).collect();
                f.write_str(&targets.join(", "))
            }
            Value::Policies(policies) => {
                let policies: Vec<_> = policies.iter().map(|one| format!("`{}`", one.policy.when)).collect();
                f.write_str(&policies.join(", "))
            }
        }
    }
}
