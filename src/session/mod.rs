//! The one API over all rooms: open, compile, plan, step.
