//! The terminal face: screens, one loop, state, update, view.
