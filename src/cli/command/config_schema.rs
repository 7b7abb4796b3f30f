//! `workbench config schema`: the settings as a JSON Schema, made from their one table, for editors that complete and
//! check.

use std::io::{self, Write};

use clap::Args;
use serde_json::{Map, Value as Json, json};

use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::config::{SETTINGS, Setting, Type};
use crate::tui::key_rows;

/// Print a JSON Schema of config.toml, for editors
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench config schema > ~/.config/workbench/config.schema.json\n  \
                  # then in config.toml: #:schema ./config.schema.json")]
pub struct Schema {}

impl Schema {
    /// Prints the schema.
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let ids = key_rows(&mut face.config).into_iter().map(|row| row.id);
        let schema = schema(ids.chain(["none"]).collect());
        writeln!(face.out, "{}", serde_json::to_string_pretty(&schema)?)?;
        Ok(Exit::Done)
    }
}

/// `actions`: the actions that keys can be bound to.
fn schema(actions: Vec<&str>) -> Json {
    let mut properties = Map::new();
    for setting in SETTINGS {
        let mut property = of_type(setting.ty);
        property["description"] = setting.doc.into();
        property["examples"] = json!([setting.example]);
        if let Some(default) = default(setting) {
            property["default"] = default;
        }
        // A dot separates a table from its keys.
        match setting.name.split_once('.') {
            None => drop(properties.insert(setting.name.into(), property)),
            Some((table, name)) => {
                let table = properties.entry(table).or_insert_with(|| table_of(json!({})));
                table["properties"][name] = property;
            }
        }
    }
    let mut schema = table_of(properties.into());
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "config.toml of workbench".into();
    schema["$defs"] = json!({ "action": { "enum": actions } });
    schema
}

fn table_of(properties: Json) -> Json {
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn of_type(ty: Type) -> Json {
    let text = || json!({ "type": "string" });
    match ty {
        Type::Text => text(),
        Type::Flag => json!({ "type": "boolean" }),
        Type::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Type::Folders | Type::Words => json!({ "anyOf": [text(), { "type": "array", "items": text() }] }),
        Type::Choices(words) => json!({ "type": "array", "items": { "enum": words } }),
        Type::Theme => json!({ "oneOf": [text(), table_of(json!({ "light": text(), "dark": text() }))] }),
        Type::Keys => {
            let action = json!({ "$ref": "#/$defs/action" });
            let on_a_screen = json!({ "type": "object", "additionalProperties": action });
            json!({ "type": "object", "additionalProperties": { "oneOf": [action, on_a_screen] } })
        }
        Type::Targets => {
            let names = ["address", "ca", "cert", "key", "user", "password-file", "password-command"];
            let target: Map<String, Json> = names.into_iter().map(|name| (name.into(), text())).collect();
            json!({ "type": "object", "additionalProperties": table_of(target.into()) })
        }
        Type::Policies => {
            let day = json!({ "anyOf": [{ "type": "string", "format": "date" }, {}] });
            let exception = table_of(json!({ "resource": text(), "until": day }));
            let except = json!({ "type": "array", "items": exception });
            let mut policy = table_of(json!({ "when": text(), "message": text(), "except": except }));
            policy["required"] = json!(["when", "message"]);
            json!({ "type": "array", "items": policy })
        }
    }
}

/// The default, if it is a value and not a description.
fn default(setting: &Setting) -> Option<Json> {
    match setting.ty {
        Type::Flag => setting.default.parse::<bool>().ok().map(Json::from),
        Type::Number(..) => setting.default.parse::<u64>().ok().map(Json::from),
        Type::Theme => Some(setting.default.into()),
        _ => None,
    }
}
