//! The state that is restored in the next session: breakpoints, skips and the unfinished dry run.
//!
//! A worker reads it after the first frame. The screens themselves always open in the same way.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{cx::Cx, look::Role, screen::log::Source, screen::step, screen::step::redo::Unfinished};
use crate::graph::ResourceId;
use crate::tui::screen::step::data::State as Step;

/// The version of the file's layout.
const VERSION: u32 = 1;
/// More breakpoints than this are not restored.
const MOST: usize = 500;

/// The file's contents. Fields of older versions are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Saved {
    version: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    breakpoints: Vec<String>,
    /// Breakpoints with conditions, as they were typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stops: Vec<String>,
    /// Breakpoints of either kind that are off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    muted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stops_off: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// The unfinished dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Unfinished>,
}

/// The saved part of a state, as text.
pub fn to_text(step: &Step, cx: &Cx) -> String {
    let names = |ids: &BTreeSet<ResourceId>| ids.iter().take(MOST).map(|id| id.0.to_string()).collect();
    let stops = |is_on| {
        let whens = step.breaks.whens.iter().filter(|when| when.is_on == is_on);
        whens.take(MOST).map(|when| when.text.clone()).collect()
    };
    let saved = Saved {
        version: VERSION,
        stops: stops(true),
        stops_off: stops(false),
        breakpoints: names(&step.breaks.breakpoints),
        muted: names(&step.breaks.muted),
        left_out: names(&step.skips.left_out),
        run: Unfinished::of(step).or_else(|| cx.saved.unfinished.clone()),
    };
    serde_json::to_string(&saved).expect("plain data can always be written")
}

/// Restores the saved state. If there is a plan already, its run is updated.
pub fn on_read(step: &mut Step, cx: &mut Cx, text: Result<Option<String>, String>) {
    cx.saved.keeps = cx.saved.restores;
    let read = text.and_then(|text| match text {
        None => Ok(None),
        Some(text) => match serde_json::from_str::<Saved>(&text) {
            Ok(saved) if saved.version == VERSION => Ok(Some(saved)),
            Ok(saved) => Err(format!("version {} is not supported", saved.version)),
            Err(error) => Err(error.to_string()),
        },
    });
    let saved = match read {
        Ok(Some(saved)) => saved,
        Ok(None) => return,
        Err(why) => {
            let words = "Could not restore breakpoints, skips and the dry run";
            cx.report(Source::Work, format!("{words}: {why}"));
            return cx.show_notice(Role::Note, words);
        }
    };
    let ids = |names: Vec<String>| names.into_iter().map(|id| ResourceId(id.into()));
    step.breaks.breakpoints.extend(ids(saved.breakpoints));
    step.breaks.muted.extend(ids(saved.muted));
    step.skips.left_out.extend(ids(saved.left_out));
    for (stops, is_on) in [(saved.stops, true), (saved.stops_off, false)] {
        step.breaks.whens.extend(stops.into_iter().filter_map(|text| step::breaks::When::read(text, is_on)));
    }
    step::breaks::see(step, cx);
    cx.saved.unfinished = saved.run;
    step::restored(step, cx)
}
