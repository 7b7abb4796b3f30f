//! Schemas of the kinds that speak over the network: DHCP, HTTP and TFTP.

use super::FieldType::{Bool, Str, Struct};
use super::{FieldType, Schema, optional, param};

pub(super) const DHCP_HOST: Schema = Schema::new(
    "dhcp:host",
    "A fixed address, served by a dhcp:server.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("mac", Str, "The hardware address."),
        param("ip", Str, "The address with the length of its prefix."),
        param("nbp", Str, "Where the boot program is."),
        param("nbp_path", Str, "The path of the boot program, where it differs."),
    ],
)
.autogroup();

pub(super) const DHCP_RANGE: Schema = Schema::new(
    "dhcp:range",
    "A pool of addresses, served by a dhcp:server.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("network", Str, "The network the addresses are from."),
        param("from", Str, "The first address."),
        param("to", Str, "The last address."),
        param("mask", Str, "The mask, where it differs."),
        param("skip", FieldType::STRS, "Addresses that are left out."),
        param("persist", Bool, "Remembers leases over a restart."),
        param("nbp", Str, "Where the boot program is."),
        param("nbp_path", Str, "The path of the boot program, where it differs."),
    ],
)
.autogroup();

pub(super) const DHCP_SERVER: Schema = Schema::new(
    "dhcp:server",
    "A DHCP server.",
    &[
        param("address", Str, "Where it listens."),
        param("interface", Str, "The interface it listens on."),
        optional("serverid", Str, "The address it gives as its own."),
        optional("leasetime", Str, "How long a lease holds."),
        param("dns", FieldType::STRS, "Name servers it gives out."),
        param("routers", FieldType::STRS, "Routers it gives out."),
        param("nbp", Str, "Where the boot program is."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_CLIENT: Schema = Schema::new(
    "http:client",
    "Downloads an address to a file.",
    &[
        param("file", Str, "The file to write; the name, if not set."),
        param("method", Str, "The method; `GET`, if not set."),
        param("url", Str, "The address."),
        optional("body", Str, "What is sent along."),
        param("mtime_check", Bool, "Asks only for what is newer than the file.").default("true"),
        param("sha256", Str, "The hash that the content must have."),
        param("longpoll", Bool, "Taken, but without effect: each turn asks once."),
        param("longpoll_redirect", Bool, "Taken, but without effect, like `longpoll`."),
        param("longpoll_conditional", Bool, "Taken, but without effect, like `longpoll`."),
    ],
)
.autoedge()
.refresh()
.sends(&[("content", Str)]);

pub(super) const HTTP_SERVER: Schema = Schema::new(
    "http:server",
    "An HTTP server. It serves as long as the run lives: `workbench run` keeps it, an apply closes it at its end.",
    &[
        param(
            "address",
            Str,
            "Where it listens, such as `127.0.0.1:8080`, or `:80` for every interface; the name, if not set.",
        ),
        optional("timeout", FieldType::U64, "Seconds that a request and its answer may take; no limit, if not set."),
        optional("read_timeout", FieldType::U64, "Seconds for reading."),
        optional("write_timeout", FieldType::U64, "Seconds for writing."),
        optional("shutdown_timeout", FieldType::U64, "Taken, but without effect: open requests get a moment."),
        param("root", Str, "A folder that is served whole."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_FILE: Schema = Schema::new(
    "http:server:file",
    "A path that an http:server serves from disk or from data.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("filename", Str, "The path in the address; the name, if not set."),
        param("path", Str, "The file or folder that is served."),
        param("data", Str, "What is served, where there is no path."),
        param("longpoll", Bool, "Taken, but without effect: a client is answered at once."),
    ],
)
.autoedge()
.autogroup()
.receives();

pub(super) const HTTP_SERVER_FLAG: Schema = Schema::new(
    "http:server:flag",
    "A path of an http:server that takes a value, and sends it.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("path", Str, "The path in the address; the name, if not set."),
        param("key", Str, "The key in the request whose value is taken."),
    ],
)
.autoedge()
.autogroup()
.sends(&[("value", Str)]);

pub(super) const HTTP_SERVER_PROXY: Schema = Schema::new(
    "http:server:proxy",
    "A path of an http:server that fetches from elsewhere, and keeps what it got.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("path", Str, "The path in the address; the name, if not set."),
        param("sub", Str, "What is taken off the path."),
        param("head", Str, "What is put before it."),
        param("cache", Str, "The folder that keeps what was fetched."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_UI: Schema = Schema::new(
    "http:server:ui",
    "A form that an http:server shows.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("path", Str, "The path in the address; the name, if not set."),
        param("data", Struct(&[("title", Str), ("head", Str)]), "Title and head of the page."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_UI_INPUT: Schema = Schema::new(
    "http:server:ui:input",
    "A field of a form, whose value is sent.",
    &[
        param("path", Str, "The form by its path."),
        param("id", Str, "The field; the name, if not set."),
        param("value", Str, "The value to start with."),
        param("store", Str, "Where the value is kept."),
        param("type", Str, "The type of the field.").default("\"text://\""),
        param("sort", Str, "Where it stands among the others."),
    ],
)
.autoedge()
.autogroup()
.sends(&[("value", Str)]);

pub(super) const TFTP_FILE: Schema = Schema::new(
    "tftp:file",
    "A path that a tftp:server serves.",
    &[
        param("server", Str, "The server by name; any, if not set."),
        param("filename", Str, "The path that is asked for; the name, if not set."),
        param("path", Str, "The file or folder that is served."),
        param("data", Str, "What is served, where there is no path."),
    ],
)
.autoedge()
.autogroup();

pub(super) const TFTP_SERVER: Schema = Schema::new(
    "tftp:server",
    "A TFTP server.",
    &[
        param("address", Str, "Where it listens; the name, if not set."),
        param("timeout", FieldType::U64, "Seconds that a client gets.").default("5"),
        param("root", Str, "A folder that is served whole."),
    ],
)
.autoedge()
.autogroup();
