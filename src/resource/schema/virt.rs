//! Schemas of the kinds that keep machines: containers, virtual and rented ones, and their consoles.

use super::FieldType::{Bool, List, Map, Str, Struct};
use super::{FieldType, Schema, optional, param};

const AUTH: FieldType = Struct(&[("username", Str), ("password", Str)]);

pub(super) const AWS_EC2: Schema = Schema::new(
    "aws:ec2",
    "Keeps an instance in Amazon's cloud.",
    &[
        param("state", Str, "`running`, `stopped` or `terminated`."),
        param("region", Str, "The region."),
        param("type", Str, "The type of the instance."),
        param("imageid", Str, "The image it is made from."),
        param("watchendpoint", Str, "The public address that events are sent to."),
        param("watchlistenaddr", Str, "Where events are listened for."),
        param("erroronmalformedpost", Bool, "Fails on an event that cannot be read."),
        param("userdata", Str, "What the instance gets at its first start."),
    ],
);

pub(super) const BMC_FIRMWARE: Schema = Schema::new(
    "bmc:firmware",
    "Keeps the firmware of a machine at a version, through its management controller.",
    &[
        param("hostname", Str, "The controller; from the name, if not set."),
        param("port", FieldType::INT, "Its port."),
        param("username", Str, "Who logs in."),
        param("password", Str, "With what."),
        param("insecure_password", Bool, "Lets the password stand in the name."),
        param("provider", Str, "The provider to use."),
        param("file", Str, "The firmware."),
        param("hash", Str, "The hash that the file must have."),
        param("version", Str, "The version it brings."),
        param("block", Str, "A version that is not replaced."),
    ],
);

pub(super) const BMC_POWER: Schema = Schema::new(
    "bmc:power",
    "Keeps a machine on or off, through its management controller.",
    &[
        param("hostname", Str, "The controller; from the name, if not set."),
        param("port", FieldType::INT, "Its port."),
        param("username", Str, "Who logs in."),
        param("password", Str, "With what."),
        param("insecure_password", Bool, "Lets the password stand in the name."),
        param("driver", Str, "The driver to use."),
        param("state", Str, "`on` or `off`."),
    ],
);

pub(super) const DOCKER_CONTAINER: Schema = Schema::new(
    "docker:container",
    "Keeps a container running, stopped or removed.",
    &[
        param("state", Str, "`running`, `stopped` or `removed`.").default("\"running\""),
        param("image", Str, "The image it is made from."),
        param("cmd", FieldType::STRS, "What runs in it."),
        param("env", FieldType::STRS, "Its environment, each as `NAME=value`."),
        param("ports", Map(&Str, &Map(&FieldType::INT, &FieldType::INT)), "By protocol: ports outside and inside."),
        param("apiversion", Str, "The version of the interface to speak."),
        param("force", Bool, "Replaces a container that was made otherwise."),
    ],
)
.autoedge();

pub(super) const DOCKER_IMAGE: Schema = Schema::new(
    "docker:image",
    "Keeps an image of containers.",
    &[
        param("state", Str, "`exists` or `absent`.").default("\"exists\""),
        param("apiversion", Str, "The version of the interface to speak."),
    ],
)
.autoedge();

pub(super) const HETZNER_VM: Schema = Schema::new(
    "hetzner:vm",
    "Keeps a server in Hetzner's cloud.",
    &[
        param("apitoken", Str, "What grants access."),
        param("state", Str, "`running`, `off` or `absent`."),
        param("allowrebuild", Str, "When a server may be built anew."),
        param("servertype", Str, "The type of the server."),
        param("datacenter", Str, "Where it stands."),
        param("image", Str, "The image it is made from."),
        param("userdata", Str, "What it gets at its first start."),
        param("serverrescuemode", Str, "The rescue system to start."),
        param("serverrescuekeys", FieldType::STRS, "Keys that may log in to the rescue system."),
        param("waitinterval", FieldType::U32, "Seconds between two questions.").default("5"),
        param("waittimeout", FieldType::U32, "Seconds after which it gives up.").default("300"),
    ],
);

pub(super) const NSPAWN: Schema = Schema::new(
    "nspawn",
    "Keeps a container of systemd-nspawn.",
    &[param("state", Str, "`running` or `stopped`.").default("\"running\"")],
)
.refresh();

pub(super) const REMOTE: Schema = Schema::new(
    "remote",
    "Copies the program to another machine and runs it there.",
    &[
        param("remote", Str, "The machine as an ssh address."),
        param("hostname", Str, "The name it gets."),
        param("state", Str, "The state asked for.").default("\"running\""),
        optional("ssh_id", Str, "The key that logs in."),
        param("hostkey", Str, "The machine's key."),
        param("interactive", Bool, "Lets it ask for passwords."),
        param("interactive_timeout", FieldType::U64, "Seconds it waits for one."),
        param("max_password_tries", FieldType::INT, "How often it asks."),
        param("allow_cleartext_password", Bool, "Lets a password stand in the address."),
        param("caching", Bool, "Keeps the copied program.").default("true"),
        param("transient", Bool, "Removes everything afterwards.").default("true"),
        param("tunnelled", Bool, "Speaks through the connection.").default("true"),
        param("tunnel_addr", Str, "The other end of it."),
        param("install_deps", Bool, "Installs what the program needs."),
        optional("converger_timeout", FieldType::INT, "Seconds of rest after which it is done."),
    ],
);

pub(super) const VIRT: Schema = Schema::new(
    "virt",
    "Keeps a virtual machine of libvirt.",
    &[
        param("uri", Str, "The connection to libvirt."),
        param("state", Str, "`running`, `paused` or `shutoff`."),
        param("startup", Str, "Whether it starts with the machine."),
        param("transient", Bool, "Is gone when it stops."),
        param("cpus", FieldType::U64, "How many processors."),
        param("maxcpus", FieldType::U64, "How many at most.").default("32"),
        param("hotcpus", Bool, "Lets processors be added while it runs.").default("true"),
        param("memory", FieldType::U64, "Memory in kibibytes."),
        param("osinit", Str, "What starts in a container."),
        param("boot", FieldType::STRS, "Boot devices in order."),
        param("disk", List(&Struct(&[("source", Str), ("type", Str)])), "Its disks."),
        param("cdrom", List(&Struct(&[("source", Str), ("type", Str)])), "Its optical drives."),
        param("network", List(&Struct(&[("name", Str), ("mac", Str)])), "Its network cards."),
        param(
            "filesystem",
            List(&Struct(&[("access", Str), ("source", Str), ("target", Str), ("read_only", Bool)])),
            "Folders that are passed in.",
        ),
        param("auth", AUTH, "Who connects, and with what."),
        param("restartondiverge", Str, "When a difference makes it start anew.").default("\"error\""),
        param("restartonrefresh", Bool, "Starts anew when it is notified."),
    ],
)
.refresh();

pub(super) const VIRT_BUILDER: Schema = Schema::new(
    "virt:builder",
    "Keeps an image that virt-builder makes.",
    &[
        param("output", Str, "The image; the name, if not set."),
        param("os_version", Str, "The system in it."),
        param("arch", Str, "Its architecture."),
        param("hostname", Str, "Its name."),
        param("format", Str, "`qcow2` or `raw`."),
        param("size", FieldType::INT, "Bytes."),
        param("packages", FieldType::STRS, "Packages to put in."),
        param("update", Bool, "Brings its packages up to date.").default("true"),
        param("selinux_relabel", Bool, "Sets security labels anew.").default("true"),
        param("no_setup", Bool, "Leaves out what makes it manage itself."),
        param(
            "ssh_keys",
            List(&Struct(&[("user", Str), ("type", Str), ("key", Str), ("comment", Str)])),
            "Keys that may log in.",
        ),
        param("root_ssh_inject", Bool, "Lets this machine's root log in.").default("true"),
        param("root_password_selector", Str, "Where root's password comes from.").default("\"disabled\""),
        param("bootstrap", Bool, "Installs what it needs on this machine.").default("true"),
        param("seeds", FieldType::STRS, "Whom it asks at its first start."),
        param("mkdir", FieldType::STRS, "Folders to make in it."),
        param("copy_in", List(&Struct(&[("path", Str), ("dest", Str)])), "What to copy in."),
        param("run_cmd", FieldType::STRS, "Commands to run in it."),
        param("firstboot_cmd", FieldType::STRS, "Commands to run at its first start."),
        param("log_output", Bool, "Passes the output on.").default("true"),
        param("tweaks", Bool, "Puts known faults of systems right.").default("true"),
    ],
);

pub(super) const VIRT_NETWORK: Schema = Schema::new(
    "virt:network",
    "Keeps a network of libvirt.",
    &[
        param("uri", Str, "The connection to libvirt."),
        param("state", Str, "`exists` or `absent`."),
        param("transient", Bool, "Is gone when it stops."),
        param("startup", Str, "Whether it starts with the machine."),
        param("uuid", Str, "Its identity."),
        param("device", Str, "The bridge."),
        param("mode", Str, "How it is connected, such as `nat`."),
        param("mac", Str, "The bridge's hardware address."),
        param("ip", Str, "The bridge's address with the length of its prefix."),
        param("purge_hosts", Bool, "Removes entries that are not managed."),
        param("purge_ranges", Bool, "Removes pools that are not managed."),
        param("auth", AUTH, "Who connects, and with what."),
    ],
)
.autoedge()
.autogroup();

pub(super) const VIRT_NETWORK_HOST: Schema = Schema::new(
    "virt:network:host",
    "A fixed address in a virt:network.",
    &[
        param("network", Str, "The network by name; any, if not set."),
        param("hostname", Str, "The host; the name, if not set."),
        param("mac", Str, "Its hardware address."),
        param("ip", Str, "Its address."),
    ],
)
.autogroup();

pub(super) const VIRT_NETWORK_RANGE: Schema = Schema::new(
    "virt:network:range",
    "A pool of addresses in a virt:network.",
    &[
        param("network", Str, "The network by name; any, if not set."),
        param("start", Str, "The first address."),
        param("end", Str, "The last address."),
    ],
)
.autogroup();
