//! Runs work on a thread with a deep stack, and returns its panic as an error.

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, Once};

/// Limits on recursion over user input apply long before this. It makes room for them and does not replace them.
const STACK: usize = 256 << 20;

/// A panic: a bug in workbench, with data for a report.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message} ({place})")]
pub struct Panicked {
    pub message: String,
    pub place: String,
}

const THREAD: &str = "workbench-job";

/// The place of a job whose thread cannot be started, which is no bug.
pub const STARTING: &str = "starting a thread";

/// The last panic of a job. Only the panic hook writes it.
static LAST: Mutex<Option<Panicked>> = Mutex::new(None);

/// Runs `work` and returns its result.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Panicked> {
    catch_panics_of_jobs();
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name(THREAD.into())
            .stack_size(STACK)
            .spawn_scoped(scope, || std::panic::catch_unwind(AssertUnwindSafe(work)))
            .map_err(|error| Panicked { message: error.to_string(), place: STARTING.into() })?
            .join()
            .unwrap_or_else(Err)
            .map_err(|_| {
                let last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
                last.unwrap_or(Panicked { message: "a job ended early".into(), place: "unknown".into() })
            })
    })
}

/// A panic is reported as a diagnostic. It must not write to the terminal under the screens.
fn catch_panics_of_jobs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD) {
                return before(info);
            }
            let payload = info.payload();
            let message = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            let place = info.location().map_or_else(|| "unknown".into(), ToString::to_string);
            *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Panicked { message, place });
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn a_panic_is_an_answer() {
        let panicked = run(|| -> u32 { panic!("no {}", 1) }).expect_err("the job panics");
        assert_eq!(panicked.message, "no 1");
        assert!(panicked.place.contains("job.rs"));
        assert_eq!(run(|| 7).expect("nothing panics"), 7);
    }
}
