//! Schemas of the kinds that manage machines: containers, virtual and rented ones, and their consoles.

use super::FieldType::{Bool, List, Map, Str, Struct};
use super::{FieldType, Schema, optional, param};

const AUTH: FieldType = Struct(&[("username", Str), ("password", Str)]);

pub(super) const AWS_EC2: Schema = Schema::new(
    "aws:ec2",
    "Manages an Amazon EC2 instance.",
    &[
        param("state", Str, "`running`, `stopped` or `terminated`."),
        param("region", Str, "The region."),
        param("type", Str, "The type of the instance."),
        param("imageid", Str, "The image it is made from."),
        param("watchendpoint", Str, "The public address that events are sent to."),
        param("watchlistenaddr", Str, "Listen address for events."),
        param("erroronmalformedpost", Bool, "Fails on an event that cannot be read."),
        param("userdata", Str, "User data for the first boot."),
    ],
);

pub(super) const BMC_FIRMWARE: Schema = Schema::new(
    "bmc:firmware",
    "Manages the firmware version of a machine through its management controller.",
    &[
        param("hostname", Str, "The controller (default: from the name)."),
        param("port", FieldType::INT, "Its port."),
        param("username", Str, "User name."),
        param("password", Str, "Password."),
        param("insecure_password", Bool, "Allows a password in the name."),
        param("provider", Str, "The provider to use."),
        param("file", Str, "The firmware."),
        param("hash", Str, "The required hash of the file."),
        param("version", Str, "The version in the file."),
        param("block", Str, "A version to keep."),
    ],
);

pub(super) const BMC_POWER: Schema = Schema::new(
    "bmc:power",
    "Manages the power of a machine through its management controller.",
    &[
        param("hostname", Str, "The controller (default: from the name)."),
        param("port", FieldType::INT, "Its port."),
        param("username", Str, "User name."),
        param("password", Str, "Password."),
        param("insecure_password", Bool, "Allows a password in the name."),
        param("driver", Str, "The driver to use."),
        param("state", Str, "`on` or `off`."),
    ],
);

pub(super) const DOCKER_CONTAINER: Schema = Schema::new(
    "docker:container",
    "Manages a Docker container.",
    &[
        param("state", Str, "`running`, `stopped` or `removed`.").default("\"running\""),
        param("image", Str, "The image it is made from."),
        param("cmd", FieldType::STRS, "The command to run."),
        param("env", FieldType::STRS, "Its environment, each as `NAME=value`."),
        param("ports", Map(&Str, &Map(&FieldType::INT, &FieldType::INT)), "Host and container ports, by protocol."),
        param("apiversion", Str, "The API version."),
        param("force", Bool, "Replaces a container that was created differently."),
    ],
)
.autoedge();

pub(super) const DOCKER_IMAGE: Schema = Schema::new(
    "docker:image",
    "Manages a Docker image.",
    &[param("state", Str, "`exists` or `absent`.").default("\"exists\""), param("apiversion", Str, "The API version.")],
)
.autoedge();

pub(super) const HETZNER_VM: Schema = Schema::new(
    "hetzner:vm",
    "Manages a Hetzner Cloud server.",
    &[
        param("apitoken", Str, "The API token."),
        param("state", Str, "`running`, `off` or `absent`."),
        param("allowrebuild", Str, "When a server may be rebuilt."),
        param("servertype", Str, "The type of the server."),
        param("datacenter", Str, "The data center."),
        param("image", Str, "The image it is made from."),
        param("userdata", Str, "User data for the first boot."),
        param("serverrescuemode", Str, "The rescue system to start."),
        param("serverrescuekeys", FieldType::STRS, "SSH keys for the rescue system."),
        param("waitinterval", FieldType::U32, "Seconds between two polls.").default("5"),
        param("waittimeout", FieldType::U32, "Timeout in seconds.").default("300"),
    ],
);

pub(super) const NSPAWN: Schema = Schema::new(
    "nspawn",
    "Manages a systemd-nspawn container.",
    &[param("state", Str, "`running` or `stopped`.").default("\"running\"")],
)
.refresh();

pub(super) const REMOTE: Schema = Schema::new(
    "remote",
    "Copies the program to another machine and runs it there.",
    &[
        param("remote", Str, "The machine as an ssh address."),
        param("hostname", Str, "The host name."),
        param("state", Str, "The desired state.").default("\"running\""),
        optional("ssh_id", Str, "The SSH key."),
        param("hostkey", Str, "The host key."),
        param("interactive", Bool, "Allows password prompts."),
        param("interactive_timeout", FieldType::U64, "Timeout of a password prompt."),
        param("max_password_tries", FieldType::INT, "Number of password attempts."),
        param("allow_cleartext_password", Bool, "Allows a password in the address."),
        param("caching", Bool, "Keeps the copied program.").default("true"),
        param("transient", Bool, "Removes everything afterwards.").default("true"),
        param("tunnelled", Bool, "Tunnels through the connection.").default("true"),
        param("tunnel_addr", Str, "The other end of it."),
        param("install_deps", Bool, "Installs what the program needs."),
        optional("converger_timeout", FieldType::INT, "Seconds without changes after which it is done."),
    ],
);

pub(super) const VIRT: Schema = Schema::new(
    "virt",
    "Manages a libvirt virtual machine.",
    &[
        param("uri", Str, "The connection to libvirt."),
        param("state", Str, "`running`, `paused` or `shutoff`."),
        param("startup", Str, "Whether it starts with the machine."),
        param("transient", Bool, "Deleted when it stops."),
        param("cpus", FieldType::U64, "Number of CPUs."),
        param("maxcpus", FieldType::U64, "Maximum number of CPUs.").default("32"),
        param("hotcpus", Bool, "Allows adding CPUs while it runs.").default("true"),
        param("memory", FieldType::U64, "Memory in kibibytes."),
        param("osinit", Str, "The init program in a container."),
        param("boot", FieldType::STRS, "Boot devices in order."),
        param("disk", List(&Struct(&[("source", Str), ("type", Str)])), "Its disks."),
        param("cdrom", List(&Struct(&[("source", Str), ("type", Str)])), "Its optical drives."),
        param("network", List(&Struct(&[("name", Str), ("mac", Str)])), "Its network cards."),
        param(
            "filesystem",
            List(&Struct(&[("access", Str), ("source", Str), ("target", Str), ("read_only", Bool)])),
            "Folders passed to it.",
        ),
        param("auth", AUTH, "Credentials for the connection."),
        param("restartondiverge", Str, "When a difference restarts it.").default("\"error\""),
        param("restartonrefresh", Bool, "Restarts when notified."),
    ],
)
.refresh();

pub(super) const VIRT_BUILDER: Schema = Schema::new(
    "virt:builder",
    "Manages a virt-builder image.",
    &[
        param("output", Str, "The image (default: the name)."),
        param("os_version", Str, "The system in it."),
        param("arch", Str, "Its architecture."),
        param("hostname", Str, "Its name."),
        param("format", Str, "`qcow2` or `raw`."),
        param("size", FieldType::INT, "Bytes."),
        param("packages", FieldType::STRS, "Packages to put in."),
        param("update", Bool, "Updates its packages.").default("true"),
        param("selinux_relabel", Bool, "Relabels files for SELinux.").default("true"),
        param("no_setup", Bool, "Omits the self-management setup."),
        param(
            "ssh_keys",
            List(&Struct(&[("user", Str), ("type", Str), ("key", Str), ("comment", Str)])),
            "SSH keys for login.",
        ),
        param("root_ssh_inject", Bool, "Allows root of this machine to log in.").default("true"),
        param("root_password_selector", Str, "Where root's password comes from.").default("\"disabled\""),
        param("bootstrap", Bool, "Installs what it needs on this machine.").default("true"),
        param("seeds", FieldType::STRS, "Servers to contact at first boot."),
        param("mkdir", FieldType::STRS, "Folders to create in it."),
        param("copy_in", List(&Struct(&[("path", Str), ("dest", Str)])), "Files to copy into it."),
        param("run_cmd", FieldType::STRS, "Commands to run in it."),
        param("firstboot_cmd", FieldType::STRS, "Commands to run at first boot."),
        param("log_output", Bool, "Shows the output.").default("true"),
        param("tweaks", Bool, "Applies workarounds for known system bugs.").default("true"),
    ],
);

pub(super) const VIRT_NETWORK: Schema = Schema::new(
    "virt:network",
    "Manages a libvirt network.",
    &[
        param("uri", Str, "The connection to libvirt."),
        param("state", Str, "`exists` or `absent`."),
        param("transient", Bool, "Deleted when it stops."),
        param("startup", Str, "Whether it starts with the machine."),
        param("uuid", Str, "Its identity."),
        param("device", Str, "The bridge."),
        param("mode", Str, "How it is connected, such as `nat`."),
        param("mac", Str, "The bridge's hardware address."),
        param("ip", Str, "The bridge's address with the length of its prefix."),
        param("purge_hosts", Bool, "Removes entries that are not managed."),
        param("purge_ranges", Bool, "Removes pools that are not managed."),
        param("auth", AUTH, "Credentials for the connection."),
    ],
)
.autoedge()
.autogroup();

pub(super) const VIRT_NETWORK_HOST: Schema = Schema::new(
    "virt:network:host",
    "A fixed address in a virt:network.",
    &[
        param("network", Str, "The network by name (default: any)."),
        param("hostname", Str, "The host (default: the name)."),
        param("mac", Str, "Its hardware address."),
        param("ip", Str, "Its address."),
    ],
)
.autogroup();

pub(super) const VIRT_NETWORK_RANGE: Schema = Schema::new(
    "virt:network:range",
    "A pool of addresses in a virt:network.",
    &[
        param("network", Str, "The network by name (default: any)."),
        param("start", Str, "The first address."),
        param("end", Str, "The last address."),
    ],
)
.autogroup();
