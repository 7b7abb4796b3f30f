//! Messages in, frames out: the face without a terminal, a session or a clock.

mod deploys;
mod drawn;
mod events;
mod finding;
mod fetch;
mod keyed;
mod live;
mod parked;
mod sizes;
mod stage;
mod tutor;
