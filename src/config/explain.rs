//! Explains a setting's value: every source that was tried, with its value.

use super::{Assignment, Config, Origin, Projects, Setting, Value};
use crate::source::Place;

/// A setting with its value and the sources of it.
#[derive(Clone, Debug)]
pub struct Explained {
    pub setting: &'static Setting,
    /// The value in force; the default's text if no source has one.
    pub value: Option<Value>,
    pub origin: Origin,
    /// Every source in order of precedence, also those without a value.
    pub tried: Vec<SourceValue>,
}

/// The value of one source.
#[derive(Clone, Debug)]
pub struct SourceValue {
    pub origin: Origin,
    /// The flag, variable or file.
    pub by: String,
    pub value: Option<Value>,
    pub place: Option<Place>,
    pub counts: bool,
    pub refused: Option<String>,
}

impl Config {
    /// Returns a setting with every source that was tried, the one with the highest priority first.
    pub fn explain(&self, setting: &'static Setting) -> Explained {
        let winner = self.winner(setting.name);
        let tried = |given: &Assignment| SourceValue {
            origin: given.origin,
            by: given.by.clone(),
            value: Some(given.value.clone()),
            place: given.span.map(|span| self.sources.place(span)),
            counts: winner.is_some_and(|winner| std::ptr::eq(winner, given))
                || (setting.projects == Projects::Added && given.refused.is_none()),
            refused: given.refused.clone(),
        };
        let silent =
            |origin, by: String| SourceValue { origin, by, value: None, place: None, counts: false, refused: None };
        let all = self.all(setting.name);
        let from = |origin| all.iter().filter(move |given| given.origin == origin);
        let mut list = Vec::new();
        list.extend(from(Origin::Flag).map(|given| tried(given)));
        if let Some(flag) = setting.flag.filter(|_| list.is_empty()) {
            list.push(silent(Origin::Flag, flag.into()));
        }
        for name in setting.variables {
            match from(Origin::Environment).find(|given| given.by == *name) {
                Some(given) => list.push(tried(given)),
                None => list.push(silent(Origin::Environment, (*name).into())),
            }
        }
        for (origin, by) in [(Origin::Project, super::PROJECT_FILE.into()), (Origin::User, self.users_file())] {
            match from(origin).next() {
                Some(given) => list.push(tried(given)),
                None => list.push(silent(origin, by)),
            }
        }
        list.push(SourceValue {
            counts: winner.is_none(),
            value: setting.default_value(),
            ..silent(Origin::Default, setting.default.into())
        });
        let mut value = winner.map(|given| given.value.clone()).or_else(|| setting.default_value());
        if let Some(Value::Policies(all)) = &mut value {
            all.clear();
            for given in self.all(setting.name) {
                if let Value::Policies(policies) = &given.value {
                    all.extend(policies.iter().cloned());
                }
            }
        }
        Explained { setting, value, origin: winner.map_or(Origin::Default, |given| given.origin), tried: list }
    }

    fn users_file(&self) -> String {
        self.file.as_ref().map_or("config.toml".into(), |file| file.display().to_string())
    }
}
