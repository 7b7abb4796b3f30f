//! Schemas of the kinds that keep packages, services, accounts and settings of the machine.

use super::FieldType::{Any, Bool, Str};
use super::{FieldType, Schema, optional, param};

pub(super) const CRON: Schema = Schema::new(
    "cron",
    "Keeps a timer unit of systemd, which starts a service when its time comes.",
    &[
        param("unit", Str, "The unit that the timer starts; `NAME.service`, if not set."),
        param("state", Str, "`exists` (the default) or `absent`.").default("\"exists\""),
        param("startup", Str, "`enabled` (the default) or `disabled`.").default("\"enabled\""),
        param("session", Bool, "A timer of the user's session."),
        param("trigger", Str, "What the time is relative to, such as `OnCalendar` or `OnBootSec`."),
        param("time", Str, "When it starts."),
        param("accuracysec", Str, "How late it may start."),
        param("randomizeddelaysec", Str, "How much chance is added."),
        param("persistent", Bool, "Catches up on a start that was missed."),
        param("wakesystem", Bool, "Wakes the machine."),
        param("remainafterelapse", Bool, "Stays loaded after it ended.").default("true"),
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
        param("zone", Str, "The zone; the default one, if not set."),
        param("state", Str, "`exists` or `absent`."),
        param("services", FieldType::STRS, "Services by name."),
        param("ports", FieldType::STRS, "Ports such as `80/tcp`."),
    ],
);

pub(super) const FWATTR: Schema = Schema::new(
    "fwattr",
    "Keeps a setting of the firmware.",
    &[
        param("driver", Str, "The driver that offers the settings."),
        param("key", Str, "The setting; the name, if not set."),
        param("value", Str, "Its value."),
        param("check", Bool, "Refuses values that the driver does not list.").default("true"),
        param("strict", Bool, "Fails where the setting does not exist."),
        param("skip", Bool, "Leaves a machine without such a driver alone."),
    ],
);

pub(super) const FWUPD_DEVICE: Schema = Schema::new(
    "fwupd:device",
    "Keeps one device at a version of its firmware.",
    &[
        param("device", Str, "The device; the name, if not set."),
        param("version", Str, "The version."),
        param("allow_downgrade", Bool, "Lets an older version in."),
    ],
)
.autoedge();

pub(super) const FWUPD_REMOTE: Schema = Schema::new(
    "fwupd:remote",
    "Keeps a source of firmware on or off, and fresh.",
    &[optional("enabled", Bool, "On or off."), param("refresh_age", Str, "How old its metadata may be.")],
)
.autoedge();

pub(super) const FWUPD_SYSTEM: Schema = Schema::new(
    "fwupd:system",
    "Keeps all firmware newest.",
    &[param("state", Str, "`newest` or empty."), param("exclude", FieldType::STRS, "Devices that are left alone.")],
)
.autoedge();

pub(super) const GROUP: Schema = Schema::new(
    "group",
    "Keeps a group of users.",
    &[
        param("state", Str, "`exists` or `absent`; it must be set."),
        optional("gid", FieldType::U32, "The group's number."),
    ],
)
.autoedge();

pub(super) const GSETTINGS: Schema = Schema::new(
    "gsettings",
    "Keeps a setting of a user's desktop.",
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
    "Keeps the names of the machine. A name that is set but empty is left as it is.",
    &[
        param("hostname", Str, "All three names, where they are not set; the name, if not set."),
        optional("pretty_hostname", Str, "The name for people."),
        optional("static_hostname", Str, "The name that is stored."),
        optional("transient_hostname", Str, "The name that the kernel has now."),
    ],
);

pub(super) const NET: Schema = Schema::new(
    "net",
    "Keeps a network interface up or down, with its addresses and gateway: now through `ip`, for the next start in a file \
     that networkd reads.",
    &[
        param("state", Str, "`up` or `down`."),
        param("addrs", FieldType::STRS, "Addresses with the length of their prefix."),
        param("gateway", Str, "The default gateway."),
        optional("ip_forward", Bool, "Passes packets on."),
    ],
)
.reverse();

pub(super) const PKG: Schema = Schema::new(
    "pkg",
    "Keeps a package of the system installed, at a version, or away, through apt, dnf, pacman or apk. A preview tells what \
     comes along; another manager's lock is waited for. Undone in part: configuration and data stay.",
    &[
        param("state", Str, "`installed` (any version), `uninstalled`, `newest` or a version.").default("\"installed\""),
        param("allowdowngrade", Bool, "Lets an older version take the place of a newer one."),
        param("allowuntrusted", Bool, "Lets an unsigned package in."),
        param("allownonfree", Bool, "Taken, but without effect: which packages there are is up to the manager's sources."),
        param("allowunsupported", Bool, "Taken, but without effect: which packages there are is up to the manager's sources."),
    ],
)
.autoedge()
.autogroup();

pub(super) const SVC: Schema = Schema::new(
    "svc",
    "Keeps a unit of systemd running or stopped, now and when the machine starts. The name is that of a service unless it \
     ends in `.timer`, `.socket` or the like. A refresh reloads it, or restarts one that cannot reload.",
    &[
        param("state", Str, "`running`, `stopped`, or empty for as it is."),
        param("startup", Str, "`enabled`, `disabled`, or empty for as it is."),
        param("session", Bool, "A service of the user's session."),
    ],
)
.autoedge()
.autogroup()
.refresh();

pub(super) const SYSCTL: Schema = Schema::new(
    "sysctl",
    "Keeps a parameter of the kernel, such as `vm.swappiness`, now and for the next start.",
    &[
        param("value", Str, "Its value."),
        param("runtime", Bool, "Sets it now; true unless set.").default("true"),
        param("persist", Bool, "Sets it for the next start; true unless set.").default("true"),
        param("path", Str, "The file that keeps it; `/etc/sysctl.d/99-NAME.conf`, if not set."),
    ],
);

pub(super) const USER: Schema = Schema::new(
    "user",
    "Keeps a user account. Without `uid` it gets the next free number, which a preview tells. Passwords are left alone, and \
     so is the home folder when the account goes.",
    &[
        param("state", Str, "`exists` or `absent`."),
        optional("uid", FieldType::U32, "The user's number."),
        optional("gid", FieldType::U32, "The number of the main group. At most one of gid and group."),
        optional("group", Str, "The name of the main group."),
        param("groups", FieldType::STRS, "All further groups; not set leaves them alone, an empty list takes the user out of all."),
        optional("homedir", Str, "The home folder, with a slash at the end."),
        optional("shell", Str, "The login shell."),
        param("allowduplicateuid", Bool, "Lets two users share a number."),
    ],
)
.autoedge();
