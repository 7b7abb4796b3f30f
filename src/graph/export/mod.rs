//! The graph as text for other programs and for people: JSON, dot, mermaid, rails, mgmt's YAML.

mod dot;
mod json;
mod mermaid;
mod rails;
mod yaml;

pub use dot::write_dot;
pub use json::{edge_json, resource_json, write_grouped_json, write_json};
pub use mermaid::write_mermaid;
pub use rails::write_rails;
pub use yaml::write_yaml;
