//! Several fetches at once: a queue, some threads, and one that hears all of them.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};

use super::download::Heard;

/// The channel for the progress of a worker.
pub struct Teller<'a, R>(&'a Sender<Told<R>>);

enum Told<R> {
    Heard(Heard),
    Ended(R),
}

impl<R> Teller<'_, R> {
    pub fn tell(&self, heard: Heard) {
        // Nobody hears it only when everybody is leaving.
        let _ = self.0.send(Told::Heard(heard));
    }
}

/// Works on all items, at most `jobs` at once. Each worker has what `begin` gives, of its own, until it ends. `hear` and
/// `took` are called here, in turn.
pub fn work<T: Send, W, R: Send>(
    jobs: usize,
    items: Vec<T>,
    begin: impl Fn() -> W + Sync,
    work: impl Fn(T, &mut W, &Teller<'_, R>) -> R + Sync,
    hear: &mut dyn FnMut(Heard),
    mut took: impl FnMut(R, &mut dyn FnMut(Heard)),
) {
    let workers = jobs.clamp(1, items.len().max(1));
    let queue = Mutex::new(items.into_iter());
    let (tell, told) = mpsc::channel();
    let (begin, work, queue) = (&begin, &work, &queue);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let tell = tell.clone();
            scope.spawn(move || {
                let mut own = begin();
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(item) = next else { break };
                    let ended = work(item, &mut own, &Teller(&tell));
                    if tell.send(Told::Ended(ended)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        for word in told {
            match word {
                Told::Heard(heard) => hear(heard),
                Told::Ended(ended) => took(ended, hear),
            }
        }
    });
}
