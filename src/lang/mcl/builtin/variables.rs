//! The built-in variables of every program.

use super::Variable;
use super::os::{Family, family};
use crate::lang::mcl::value::Value;
use crate::world::World;

/// Sorted by name.
pub static VARIABLES: &[Variable] = &[
    text("const.res.file.state.absent", "The state of a file that does not exist.", |_| Value::str("absent")),
    text("const.res.file.state.exists", "The state of a file that exists.", |_| Value::str("exists")),
    text("const.res.file.state.undefined", "No state: the file may exist or not.", |_| Value::str("")),
    text("const.res.firewalld.state.absent", "The state of a closed service or port.", |_| Value::str("absent")),
    text("const.res.firewalld.state.exists", "The state of an open service or port.", |_| Value::str("exists")),
    text("const.res.firewalld.state.undefined", "No state of a service or port.", |_| Value::str("")),
    int("const.res.gzip.level.best_compression", "The smallest result.", |_| Value::Int(9)),
    int("const.res.gzip.level.best_speed", "The fastest work.", |_| Value::Int(1)),
    int("const.res.gzip.level.default_compression", "Between speed and size.", |_| Value::Int(-1)),
    int("const.res.gzip.level.huffman_only", "Entropy coding without a search for repeats.", |_| Value::Int(-2)),
    int("const.res.gzip.level.no_compression", "No compression.", |_| Value::Int(0)),
    text("const.res.net.state.down", "The state of an interface that is off.", |_| Value::str("down")),
    text("const.res.net.state.undefined", "No state of an interface.", |_| Value::str("")),
    text("const.res.net.state.up", "The state of an interface that is on.", |_| Value::str("up")),
    int("const.res.tar.format.gnu", "The archive format of GNU tar.", |_| Value::Int(8)),
    int("const.res.tar.format.pax", "The archive format of POSIX 2001.", |_| Value::Int(4)),
    int("const.res.tar.format.unknown", "Any suitable format.", |_| Value::Int(0)),
    int("const.res.tar.format.ustar", "The archive format of POSIX 1988.", |_| Value::Int(2)),
    text("embedded/provisioner.http_suffix", "The part of the folder that is served by HTTP.", |_| Value::str("http/")),
    text("embedded/provisioner.ipxe_autoexec_filename", "The script that iPXE runs first.", |_| {
        Value::str("autoexec.ipxe")
    }),
    text("embedded/provisioner.ipxe_efi_x86_64_default", "The download of the loader for UEFI.", |_| {
        Value::str("https://boot.ipxe.org/x86_64-efi/ipxe.efi")
    }),
    text("embedded/provisioner.ipxe_efi_x86_64_filename", "The file name of the loader for UEFI.", |_| {
        Value::str("ipxe.x86_64.efi")
    }),
    text("embedded/provisioner.ipxe_iso_default", "The download of the boot image.", |_| {
        Value::str("https://boot.ipxe.org/ipxe.iso")
    }),
    text("embedded/provisioner.ipxe_iso_filename", "The file name of the boot image.", |_| Value::str("ipxe.iso")),
    text("embedded/provisioner.kickstart_suffix", "The part of the folder with the answers for installers.", |_| {
        Value::str("kickstart/")
    }),
    text("embedded/provisioner.tftp_suffix", "The part of the folder that is served by TFTP.", |_| Value::str("tftp/")),
    text("embedded/provisioner.uefi_suffix", "The part of the folder with loaders for UEFI.", |_| Value::str("uefi/")),
    int("example.test1", "An example of a variable in a module.", |_| Value::Int(13)),
    text("hostname", "The name of this host.", |world| Value::str(world.hostname())),
    truth("os.family_archlinux", "Whether this host runs Arch Linux or a derivative.", |world| {
        Value::Bool(family(world) == Some(Family::Archlinux))
    }),
    truth("os.family_debian", "Whether this host runs Debian or a derivative.", |world| {
        Value::Bool(family(world) == Some(Family::Debian))
    }),
    truth("os.family_redhat", "Whether this host runs Fedora, Red Hat or a derivative.", |world| {
        Value::Bool(family(world) == Some(Family::Redhat))
    }),
    text("purpleidea", "A greeting.", |_| Value::str("hello world!")),
];

const fn text(name: &'static str, doc: &'static str, value: fn(&dyn World) -> Value) -> Variable {
    Variable { name, ty: "str", doc, value }
}

const fn int(name: &'static str, doc: &'static str, value: fn(&dyn World) -> Value) -> Variable {
    Variable { name, ty: "int", doc, value }
}

const fn truth(name: &'static str, doc: &'static str, value: fn(&dyn World) -> Value) -> Variable {
    Variable { name, ty: "bool", doc, value }
}
