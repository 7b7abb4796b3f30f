//! Checks the policies of the user and of the project against plans.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::graph::{Graph, ResourceId};
use crate::lang::own_name;
use crate::plan::Step;
use crate::plan::policy::{Policy, Rule, Violation, violations};
use crate::session::Session;
use crate::world::{Cancel, Read, Sample};

impl Session {
    /// The policies of the user and of the project.
    pub fn policies(&self) -> Vec<(Rule, Policy)> {
        self.options.config.policies()
    }

    /// The policies that some steps of a graph break.
    pub fn violations<'s>(&self, graph: &Graph, steps: impl IntoIterator<Item = &'s Step>) -> Vec<Violation> {
        violations(&self.policies(), graph, steps, self.today(), own_name)
    }

    /// The day in UTC, at which exceptions end.
    pub(super) fn today(&self) -> Date {
        let now = match self.world.read(&Read::Now) {
            Ok(Sample::Integer(seconds)) => Timestamp::from_second(seconds).ok(),
            _ => None,
        };
        // Without a clock no exception counts.
        now.map_or(Date::MAX, |now| now.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    /// The policies that forbid an apply of a graph, or of some of its resources.
    pub(super) fn denials(&self, graph: &std::sync::Arc<Graph>, only: Option<&BTreeSet<ResourceId>>) -> Vec<Violation> {
        if !self.policies().iter().any(|(rule, _)| *rule == Rule::Deny) {
            return Vec::new();
        }
        let plan = self.preview(graph, &Cancel::default(), &mut |_| ());
        let is_wanted = |step: &&Step| only.is_none_or(|only| only.contains(&step.resource));
        let mut found = self.violations(graph, plan.steps.iter().filter(is_wanted));
        found.retain(|violation| violation.rule == Rule::Deny);
        found
    }
}
