//! Schemas of the kinds that manage packages, services, accounts and settings of the machine.

use super::FieldType::{Any, Bool, Str};
use super::{FieldType, Schema, more, optional, param};

pub(super) const CRON: Schema = Schema::new(
    "cron",
    "Manages a systemd timer unit.",
    &[
        param("unit", Str, "The unit that the timer starts (default: `NAME.service`)."),
        param("state", Str, "`exists` (the default) or `absent`.").default("\"exists\""),
        param("startup", Str, "`enabled` (the default) or `disabled`.").default("\"enabled\""),
        param("session", Bool, "A timer of the user's session."),
        param("trigger", Str, "What the time is relative to, such as `OnCalendar` or `OnBootSec`."),
        param("time", Str, "When it starts."),
        param("accuracysec", Str, "The maximum delay."),
        param("randomizeddelaysec", Str, "The random delay."),
        param("persistent", Bool, "Runs a missed start later."),
        param("wakesystem", Bool, "Wakes the machine."),
        param("remainafterelapse", Bool, "Stays loaded after it has elapsed.").default("true"),
        optional("description", Str, "The description of the unit."),
    ],
)
.autoedge()
.receives()
.refresh();

pub(super) const FIREWALLD: Schema = Schema::new(
    "firewalld",
    "Opens services and ports in a zone of firewalld.",
    &[
        param("zone", Str, "The zone (default: the default zone)."),
        param("state", Str, "`exists` or `absent`."),
        param("services", FieldType::STRS, "Services by name."),
        param("ports", FieldType::STRS, "Ports such as `80/tcp`."),
    ],
);

pub(super) const FWATTR: Schema = Schema::new(
    "fwattr",
    "Manages a firmware setting.",
    &[
        param("driver", Str, "The driver that offers the settings."),
        param("key", Str, "The setting (default: the name)."),
        param("value", Str, "Its value."),
        param("check", Bool, "Refuses values that the driver does not list.").default("true"),
        param("strict", Bool, "Fails if the setting does not exist."),
        param("skip", Bool, "Does nothing on a machine without the driver."),
    ],
);

pub(super) const FWUPD_DEVICE: Schema = Schema::new(
    "fwupd:device",
    "Manages the firmware version of a device.",
    &[
        param("device", Str, "The device (default: the name)."),
        param("version", Str, "The version."),
        param("allow_downgrade", Bool, "Allows an older version."),
    ],
)
.autoedge();

pub(super) const FWUPD_REMOTE: Schema = Schema::new(
    "fwupd:remote",
    "Manages a firmware source.",
    &[optional("enabled", Bool, "On or off."), param("refresh_age", Str, "How old its metadata may be.")],
)
.autoedge();

pub(super) const FWUPD_SYSTEM: Schema = Schema::new(
    "fwupd:system",
    "Keeps all firmware up to date.",
    &[param("state", Str, "`newest` or empty."), param("exclude", FieldType::STRS, "Devices to ignore.")],
)
.autoedge();

pub(super) const GROUP: Schema = Schema::new(
    "group",
    "Manages a user group.",
    &[param("state", Str, "`exists` or `absent`; required."), optional("gid", FieldType::U32, "The group's number.")],
)
.autoedge();

pub(super) const GSETTINGS: Schema = Schema::new(
    "gsettings",
    "Manages a desktop setting of a user.",
    &[
        param("schema", Str, "The schema of the setting."),
        param("key", Str, "The setting."),
        param("type", Str, "The type that the value is written as."),
        param("value", Any, "The value."),
        param("user", Str, "Whose setting it is."),
        param("group", Str, "The group to act as."),
    ],
);

pub(super) const HOSTNAME: Schema = Schema::new(
    "hostname",
    "Manages the host name. A name that is set but empty is not changed.",
    &[
        param("hostname", Str, "Default for the three names (default: the name of the resource)."),
        optional("pretty_hostname", Str, "The pretty name."),
        optional("static_hostname", Str, "The static name."),
        optional("transient_hostname", Str, "The transient name of the kernel."),
    ],
);

pub(super) const NET: Schema = Schema::new(
    "net",
    "Manages a network interface, its addresses and gateway: now with `ip`, and for the next boot in a file for \
    networkd.",
    &[
        param("state", Str, "`up` or `down`."),
        param("addrs", FieldType::STRS, "Addresses with the length of their prefix."),
        param("gateway", Str, "The default gateway."),
        optional("ip_forward", Bool, "Forwards packets."),
    ],
)
.reverse();

pub(super) const PKG: Schema = Schema::new(
    "pkg",
    "Manages a package with apt, dnf, pacman or apk. A preview lists the packages that change with it. Waits for the lock \
    of other package managers. Undo is partial: configuration and data are kept.",
    &[
        param("state", Str, "`installed` (any version), `uninstalled`, `newest` or a version.").default("\"installed\""),
        param("allowdowngrade", Bool, "Allows replacing a newer version with an older one."),
        param("allowuntrusted", Bool, "Allows an unsigned package."),
        param("allownonfree", Bool, "Accepted without effect; the sources of the package manager decide."),
        param("allowunsupported", Bool, "Accepted without effect; the sources of the package manager decide."),
    ],
)
.more(more::PKG)
.autoedge()
.autogroup();

pub(super) const SVC: Schema = Schema::new(
    "svc",
    "Manages a systemd unit, now and at boot. The name is a service unless it ends in `.timer`, `.socket` or similar. \
    A refresh reloads it, or restarts it if it cannot reload.",
    &[
        param("state", Str, "`running`, `stopped`, or empty to keep its state."),
        param("startup", Str, "`enabled`, `disabled`, or empty to keep its state."),
        param("session", Bool, "A service of the user's session."),
    ],
)
.more(more::SVC)
.autoedge()
.autogroup()
.refresh();

pub(super) const SYSCTL: Schema = Schema::new(
    "sysctl",
    "Manages a kernel parameter, such as `vm.swappiness`, now and at boot.",
    &[
        param("value", Str, "Its value."),
        param("runtime", Bool, "Sets it now (default: true).").default("true"),
        param("persist", Bool, "Sets it at boot (default: true).").default("true"),
        param("path", Str, "The file for boot (default: `/etc/sysctl.d/99-NAME.conf`)."),
    ],
);

pub(super) const USER: Schema = Schema::new(
    "user",
    "Manages a user account. Without `uid` it gets the next free number, shown in the preview. Does not change passwords, and \
    keeps the home folder of a removed account.",
    &[
        param("state", Str, "`exists` or `absent`."),
        optional("uid", FieldType::U32, "The user's number."),
        optional("gid", FieldType::U32, "The number of the main group; not together with `group`."),
        optional("group", Str, "The name of the main group."),
        param("groups", FieldType::STRS, "All other groups; not set keeps them, an empty list removes all."),
        optional("homedir", Str, "The home folder, with a slash at the end."),
        optional("shell", Str, "The login shell."),
        param("allowduplicateuid", Bool, "Allows two users with the same number."),
    ],
)
.more(more::USER)
.autoedge();
