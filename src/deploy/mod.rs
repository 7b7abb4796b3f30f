//! Deploys: bundles, history, targets.
