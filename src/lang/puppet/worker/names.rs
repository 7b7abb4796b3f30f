//! Names and addresses of machines, which Ruby looks up through the evaluation because it has no network.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::foreign::Worker;

/// How many names one compilation may look up.
const MOST_NAMES: usize = 2_000;

/// The longest name of a machine, with a dot at its end.
const LONGEST: usize = 255;

/// The answer to a question with these parts. What cannot be looked up is outside of Ruby, which gets no answer to use.
pub fn look_up(worker: &mut Worker, inputs: &Inputs<'_>, parts: &[Json]) -> Json {
    let name = parts.iter().skip(1).find_map(Json::as_str).unwrap_or("an address");
    let outside = |why: &str| json!({ "outside": format!("the look-up of `{name}` ({why})") });
    if !parts.iter().all(is_plain) {
        return json!({ "outside": "a look-up of a text that is not a host name" });
    }
    let request: Arc<str> = json!({ "ask": parts }).to_string().into();
    worker.names.insert(Arc::clone(&request));
    if worker.names.len() > MOST_NAMES {
        return outside("this program looks up too many names");
    }
    let Some(modules) = &worker.modules else { return outside("no module asks for it") };
    let answer = match inputs.files.look_up(modules, &request) {
        Ok(Some(answer)) => answer,
        Ok(None) => return outside("it was not looked up when this was recorded"),
        Err(why) => return outside(&why),
    };
    match serde_json::from_str::<Json>(&answer) {
        Ok(answer) if answer.get("value").is_some() => answer,
        Ok(answer) if answer.get("late").is_some() => outside("the name servers do not answer in time"),
        _ => outside("its answer cannot be read"),
    }
}

/// Whether a part of a question is a name of a machine, or a setting of the look-up.
fn is_plain(part: &Json) -> bool {
    match part {
        Json::Null | Json::Bool(_) | Json::Number(_) => true,
        Json::String(text) => {
            (1..=LONGEST).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '*' | ':' | '%'))
        }
        Json::Array(list) => list.iter().all(is_plain),
        Json::Object(_) => false,
    }
}
