//! A run over a graph on a host: `step()` does exactly one turn. Faces and engine exchange only messages.

pub mod message;
