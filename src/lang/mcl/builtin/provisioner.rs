//! `embedded/provisioner`: the options of a provisioner's command line, which this program does not have.
//!
//! A program that uses them is checked like any other; reading one of their values fails. Its classes are in `native`.
//!
//! Source: mgmt `lang/core/embedded/provisioner`, names and types only.

use super::Function;
use super::call::Failure;

/// The functions of the module `embedded/provisioner`.
pub static FUNCTIONS: &[Function] = &[
    option("cli_arch", &["func() str"], "The architecture to provision."),
    option("cli_bios", &["func() bool"], "Whether the host starts by BIOS instead of UEFI."),
    option("cli_bmc_uri", &["func() str"], "Where the host's management controller is."),
    option("cli_distro", &["func() str"], "The distribution to provision."),
    option("cli_dns", &["func() []str"], "The name servers for the hosts."),
    option("cli_firewalld", &["func() bool"], "Whether ports are opened in firewalld."),
    option("cli_flavour", &["func() str"], "The distribution's flavour."),
    option("cli_handoff_code", &["func() str"], "The code for a new host."),
    option("cli_handoff_exec", &["func() str"], "The command that a new host runs first."),
    option("cli_handoff_hostname", &["func() str"], "The name of a new host."),
    option("cli_handoff_module_path", &["func() str"], "The modules for a new host."),
    option("cli_interface", &["func() str"], "The network interface to provision from."),
    option("cli_ip", &["func() str"], "The address of the host, with its prefix length."),
    option("cli_luks", &["func() bool"], "Whether disks are encrypted."),
    option("cli_mac", &["func() str"], "The hardware address of the host."),
    option("cli_mirror", &["func() str"], "The mirror that packages are proxied from."),
    option("cli_network", &["func() str"], "The network to provision in, with its prefix length."),
    option("cli_packages", &["func() []str"], "Additional packages."),
    option("cli_part", &["func() str"], "The disk partitioning."),
    option("cli_password", &["func() str"], "The hash of the password of root."),
    option("cli_prefix", &["func() str"], "The download folder."),
    option("cli_router", &["func() str"], "The address of this machine, with its prefix length."),
    option("cli_rsync", &["func() str"], "The mirror that packages are copied from."),
    option("cli_version", &["func() str"], "The version of the distribution."),
];

const fn option(name: &'static str, signatures: &'static [&'static str], doc: &'static str) -> Function {
    Function::new(name, signatures, doc, &[], |_| {
        Err(Failure::fatal("the provisioner and its options are not available"))
    })
}
