//! Names and addresses of machines, which Ruby looks up through the evaluation because it has no network.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::foreign::Worker;
use crate::world::{MOST_NAMES, is_question};

/// The answer to a question with these parts. What cannot be looked up is outside of Ruby, which gets no answer to use.
pub fn look_up(worker: &mut Worker, inputs: &Inputs<'_>, parts: &[Json]) -> Json {
    let name = name_in(parts).unwrap_or("an address");
    let outside = |why: &str| json!({ "outside": format!("the look-up of `{name}` ({why})") });
    if !is_question(parts) {
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
        _ => outside("its answer cannot be read"),
    }
}

/// The name or address of the machine in a question.
fn name_in(parts: &[Json]) -> Option<&str> {
    let words = match parts {
        // The method is before it.
        [Json::String(what), _, words @ ..] if what == "socket" => words,
        [_, words @ ..] => words,
        [] => return None,
    };
    match words.first()? {
        Json::String(name) => Some(name),
        Json::Array(address) => address.iter().rev().find_map(Json::as_str),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_machine() {
        for (parts, name) in [
            (json!(["dns", "a.example", "IN.A", null, null, null, null]), Some("a.example")),
            (json!(["socket", "getaddress", "b.example"]), Some("b.example")),
            (json!(["socket", "getnameinfo", ["AF_INET", 80, "192.0.2.1", "192.0.2.1"]]), Some("192.0.2.1")),
            (json!(["addresses", "c.example", "http"]), Some("c.example")),
            (json!(["ipv6"]), None),
        ] {
            assert_eq!(name_in(parts.as_array().map_or(&[], Vec::as_slice)), name);
        }
    }
}
