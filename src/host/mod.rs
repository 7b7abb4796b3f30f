//! The machine as typed facets, and the hosts that stand in for it: local, overlay, memory.
