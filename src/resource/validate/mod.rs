//! Validates the parameters of kinds that have only a schema, and what several kinds share: addresses, keys, durations.
//!
//! Source: what mgmt's kinds refuse before they do anything (`engine/resources`, `Validate`).

mod address;
mod duration;
mod guests;
pub(super) mod key;
mod machine;
pub(super) mod serve;
pub mod url;

use super::reader::{Reader, absolute};

/// Refuses parameters of a kind without an implementation.
pub(super) fn refused(kind: &str, given: &Reader) -> Result<(), String> {
    match kind {
        "augeas" => machine::augeas(given),
        "aws:ec2" => guests::ec2(given),
        "bmc:firmware" => guests::firmware(given),
        "bmc:power" => guests::power(given),
        "consul:kv" => serve::consul(given),
        "dhcp:host" | "virt:network:host" => address::lease(given),
        "dhcp:range" => serve::dhcp_range(given),
        "dhcp:server" => serve::dhcp_server(given),
        "docker:container" => guests::container(given),
        "docker:image" => guests::image(given),
        "firewalld" => serve::firewalld(given),
        "fwupd:device" => given.needs("version"),
        "fwupd:remote" => machine::firmware_source(given),
        "fwupd:system" => machine::firmware(given),
        "gsettings" => machine::gsettings(given),
        "hetzner:vm" => guests::hetzner(given),
        "http:server:ui" => serve::form(given),
        "http:server:ui:input" => given.not_both("value", "store"),
        "nspawn" => guests::nspawn(given),
        "remote" => serve::remote(given),
        "schedule" => machine::schedule(given),
        "virt" => guests::virt(given),
        "virt:builder" => guests::builder(given),
        "virt:network" => guests::network(given),
        "virt:network:range" => guests::range(given),
        _ => Ok(()),
    }
}
