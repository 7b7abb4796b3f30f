//! Several fetches at once: a queue, some threads, and one thread that receives their reports.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};

use super::download::FetchEvent;

/// The channel for the progress of a worker.
pub struct Reporter<'a, R>(&'a Sender<Message<R>>);

enum Message<R> {
    Event(FetchEvent),
    Ended(R),
}

impl<R> Reporter<'_, R> {
    /// Sends an event to the thread that collects them.
    pub fn report(&self, event: FetchEvent) {
        // The receiver is gone only while the download ends.
        let _ = self.0.send(Message::Event(event));
    }
}

/// Works on all items, at most `jobs` at once. Each worker has what `begin` gives, of its own, until it ends. `report` and
/// `took` are called here, in turn.
pub fn work<T: Send, W, R: Send>(
    jobs: usize,
    items: Vec<T>,
    begin: impl Fn() -> W + Sync,
    work: impl Fn(T, &mut W, &Reporter<'_, R>) -> R + Sync,
    report: &mut dyn FnMut(FetchEvent),
    mut took: impl FnMut(R, &mut dyn FnMut(FetchEvent)),
) {
    let workers = jobs.clamp(1, items.len().max(1));
    let queue = Mutex::new(items.into_iter());
    let (sender, messages) = mpsc::channel();
    let (begin, work, queue) = (&begin, &work, &queue);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut own = begin();
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(item) = next else { break };
                    let ended = work(item, &mut own, &Reporter(&sender));
                    if sender.send(Message::Ended(ended)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for message in messages {
            match message {
                Message::Event(event) => report(event),
                Message::Ended(ended) => took(ended, report),
            }
        }
    });
}
