//! Deploys of this machine: one journal per deploy, the applier lock, recovery and undo; and the archives that carry
//! programs.
//!
//! [`StateFolder`] is the folder that stores all of it. [`Lock`] admits one applier at a time. [`History`] reads
//! deploys. [`Recording`] writes one, and `counts` summarises it. [`recover`] resolves an interrupted deploy, [`undo`]
//! undoes one.
//!
//! [`bundle`] is a program with its modules and files in one archive, to be applied on another machine.
//!
//! There is no database beside the journals. A second store would have to agree with them after every crash. A list
//! needs only the first and last entry of a journal. Each journal names the last hash of the previous one, so the whole
//! history is one chain, which is verified as it is read. [`Operations`] records what has no journal because nothing
//! was applied: plans and fetches. Deliberately absent: how an entry is compiled and run (`session`).

mod approvals;
pub mod bundle;
pub mod target;
mod counts;
mod describe;
mod history;
mod lock;
mod numbers;
mod operations;
mod pending;
mod place;
mod prune;
mod record;
mod recover;
mod repeats;
mod restoring;
mod since;
mod state;
mod undo;
mod undo_rounds;

pub use crate::host::journal::Undone;
pub use approvals::{Approvals, Approved};
pub use describe::{
    already_undone_words, amended_words, applied_words, change_words, ending_words, outcome_time, outcome_words,
    purpose_words, resources, status_words, tries, undone_by_words, undone_words, unfinished_words, what_words,
};
pub use history::{Deploy, History, Share, Step, Summary, UndoneBy, undone_deploys};
pub use lock::{Holder, Lock, LockError, is_held};
pub use numbers::store_numbers;
pub use operations::{Fetch, MadePlan, Operation, Operations, What, note, operations};
pub use pending::{pending_after, pending_behind, pending_refreshes};
pub use place::{entry_words, place_words, short_entry};
pub use prune::{Pruned, make_room, prunable, prune};
pub use record::{Recording, before, graph_hash, now};
pub use recover::{Finding, OnConflict, Recovered, has_lost, recover};
pub use repeats::Repeats;
pub use restoring::{restoring, restoring_cut_off};
pub use since::Since;
pub use state::{StateError, StateFolder};
pub use undo::{Holding, UndoStep, UndoSummary, Verdict, has_operations, plan_undo, plan_undo_since};
pub use undo_rounds::{UndoRounds, Undoing, perform_undo};
