//! Background work: what, since when, and how far. The jobs popup shows it, and the log reports long jobs.

use std::time::Duration;

use super::screen::{modules, step};
use super::{cx::Cx, effect::Effect, events, look::Role, message::Job, screen::log::Source, widget::text};
pub use crate::tui::parts::{Ended, Jobs, Running};
use crate::tui::screen::modules::data::State as Modules;
use crate::tui::screen::step::data::State as Step;

/// Shorter work is not worth a row.
pub const WORTH_A_ROW: Duration = Duration::from_millis(300);
/// How often the log reports a job that is still running.
const BEAT: Duration = Duration::from_secs(10);
/// How many ended jobs are remembered.
const MOST_ENDED: usize = 8;

impl Jobs {
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Returns the job that started first.
    pub fn first(&self) -> Option<Job> {
        self.running.first().map(|running| running.job)
    }

    pub fn has(&self, job: Job) -> bool {
        self.running.iter().any(|running| running.job == job)
    }

    /// The jobs that have run long enough to be shown, the oldest first.
    pub fn worth_a_row(&self) -> impl Iterator<Item = (&Running, Duration)> {
        let with_time = self.running.iter().map(|running| (running, self.clock.saturating_sub(running.since)));
        with_time.filter(|(_, time)| *time >= WORTH_A_ROW)
    }

    /// The ended jobs, the newest first.
    pub fn ended(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().rev()
    }

    pub fn start(&mut self, job: Job) {
        self.running.push(Running { job, since: self.clock, done: None, beats: 0 });
    }

    /// Removes a job. A long one is remembered with its duration and `now`, the time of its end as text.
    pub fn finish(&mut self, job: Job, now: &str) {
        let Some(at) = self.running.iter().position(|running| running.job == job) else { return };
        let took = self.clock.saturating_sub(self.running.remove(at).since);
        if took >= WORTH_A_ROW {
            if self.ended.len() == MOST_ENDED {
                self.ended.pop_front();
            }
            self.ended.push_back(Ended { job, took, at: now.into() });
        }
    }

    /// Follows a job whose start and end are known only from other state.
    fn follow(&mut self, job: Job, is_at_work: bool, now: &str) {
        match (self.has(job), is_at_work) {
            (false, true) => self.start(job),
            (true, false) => self.finish(job, now),
            _ => {}
        }
    }
}

/// Updates the jobs of runs and events after every message.
pub fn sync(step: &Step, cx: &mut Cx) {
    let (run, events) = (step.is_running(), cx.events.is_at_work());
    cx.jobs.follow(Job::Run, run, &cx.ticks.now);
    cx.jobs.follow(Job::Events, events, &cx.ticks.now);
}

pub fn progress(cx: &mut Cx, job: Job, done: usize, of: usize) {
    // The newest: an older job of the same kind is about to end.
    if let Some(running) = cx.jobs.running.iter_mut().rev().find(|running| running.job == job) {
        running.done = Some((done, of));
    }
}

/// Reports long jobs to the log.
pub fn beat(cx: &mut Cx) {
    let clock = cx.jobs.clock;
    let mut lines = Vec::new();
    for running in &mut cx.jobs.running {
        let time = clock.saturating_sub(running.since);
        if time >= BEAT * (running.beats + 1) {
            running.beats = (time.as_secs() / BEAT.as_secs()) as u32;
            let far = running.done.map(|(done, of)| format!(", {done} of {of}")).unwrap_or_default();
            lines.push(format!("{}: running for {}s{far}", running.job.word(), time.as_secs()));
        }
    }
    lines.into_iter().for_each(|line| cx.report(Source::Work, line));
}

/// A duration, to a tenth of a second.
pub fn time(time: Duration) -> String {
    match time.as_secs() {
        60.. => format!("{}m{:02}s", time.as_secs() / 60, time.as_secs() % 60),
        _ => text::duration(time),
    }
}

pub fn can_cancel(job: Job) -> bool {
    matches!(job, Job::Compile | Job::Plan | Job::LookUp | Job::Fetch | Job::Run | Job::Watch | Job::Events)
}

/// Stops a job; its partial result is dropped.
pub fn cancel(modules: &mut Modules, step: &mut Step, cx: &mut Cx, job: Job) {
    if !cx.jobs.has(job) {
        return;
    }
    match job {
        Job::Compile | Job::Plan | Job::LookUp => {
            cx.programs.plans_next &= job == Job::LookUp;
            cx.report(Source::Work, format!("{}: stopping", job.word()));
            cx.effect(Effect::Cancel(job))
        }
        Job::Fetch => modules::fetch::stop(modules, cx),
        Job::Run => step::stop(step, cx),
        Job::Watch | Job::Events => events::end(cx),
        Job::Modules | Job::Rails | Job::Read | Job::Paint | Job::Index | Job::History | Job::Export | Job::Diff => {
            cx.show_notice(Role::Note, format!("{}: cannot be stopped, and changes nothing", job.word()))
        }
    }
}
