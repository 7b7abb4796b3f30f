//! Schemas of the kinds for network services: DHCP, HTTP and TFTP.

use super::FieldType::{Bool, Str, Struct};
use super::{FieldType, Schema, optional, param};

pub(super) const DHCP_HOST: Schema = Schema::new(
    "dhcp:host",
    "A fixed address, served by a dhcp:server.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("mac", Str, "The hardware address."),
        param("ip", Str, "The address with the length of its prefix."),
        param("nbp", Str, "Where the boot program is."),
        param("nbp_path", Str, "The path of the boot program, if different."),
    ],
)
.autogroup();

pub(super) const DHCP_RANGE: Schema = Schema::new(
    "dhcp:range",
    "A pool of addresses, served by a dhcp:server.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("network", Str, "The network the addresses are from."),
        param("from", Str, "The first address."),
        param("to", Str, "The last address."),
        param("mask", Str, "The mask, if different."),
        param("skip", FieldType::STRS, "Addresses to skip."),
        param("persist", Bool, "Keeps leases across restarts."),
        param("nbp", Str, "Where the boot program is."),
        param("nbp_path", Str, "The path of the boot program, if different."),
    ],
)
.autogroup();

pub(super) const DHCP_SERVER: Schema = Schema::new(
    "dhcp:server",
    "A DHCP server.",
    &[
        param("address", Str, "Where it listens."),
        param("interface", Str, "The interface it listens on."),
        optional("serverid", Str, "The server identifier."),
        optional("leasetime", Str, "The lease time."),
        param("dns", FieldType::STRS, "Name servers it gives out."),
        param("routers", FieldType::STRS, "Routers it gives out."),
        param("nbp", Str, "Where the boot program is."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_CLIENT: Schema = Schema::new(
    "http:client",
    "Downloads a URL to a file.",
    &[
        param("file", Str, "The file to write (default: the name)."),
        param("method", Str, "The method (default: `GET`)."),
        param("url", Str, "The address."),
        optional("body", Str, "The request body."),
        param("mtime_check", Bool, "Downloads only if the server has a newer version.").default("true"),
        param("sha256", Str, "The required hash of the content."),
        param("longpoll", Bool, "Accepted without effect."),
        param("longpoll_redirect", Bool, "Accepted without effect."),
        param("longpoll_conditional", Bool, "Accepted without effect."),
    ],
)
.autoedge()
.refresh()
.sends(&[("content", Str)]);

pub(super) const HTTP_SERVER: Schema = Schema::new(
    "http:server",
    "An HTTP server. It serves while workbench runs: `workbench run` keeps it open, an apply closes it at the end.",
    &[
        param(
            "address",
            Str,
            "Listen address such as `127.0.0.1:8080`, or `:80` for every interface (default: the name).",
        ),
        optional("timeout", FieldType::U64, "Timeout of a request in seconds (default: no limit)."),
        optional("read_timeout", FieldType::U64, "Seconds for reading."),
        optional("write_timeout", FieldType::U64, "Seconds for writing."),
        optional("shutdown_timeout", FieldType::U64, "Accepted without effect."),
        param("root", Str, "A folder to serve."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_FILE: Schema = Schema::new(
    "http:server:file",
    "A path of an http:server, served from a file or from data.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("filename", Str, "The path in the URL (default: the name)."),
        param("path", Str, "The file or folder to serve."),
        param("data", Str, "The content to serve, instead of `path`."),
        param("longpoll", Bool, "Accepted without effect."),
    ],
)
.autoedge()
.autogroup()
.receives();

pub(super) const HTTP_SERVER_FLAG: Schema = Schema::new(
    "http:server:flag",
    "A path of an http:server that receives a value and sends it.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("path", Str, "The path in the URL (default: the name)."),
        param("key", Str, "The key of the value in the request."),
    ],
)
.autoedge()
.autogroup()
.sends(&[("value", Str)]);

pub(super) const HTTP_SERVER_PROXY: Schema = Schema::new(
    "http:server:proxy",
    "A caching proxy on a path of an http:server.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("path", Str, "The path in the URL (default: the name)."),
        param("sub", Str, "The prefix to remove from the path."),
        param("head", Str, "The URL prefix to add."),
        param("cache", Str, "The cache folder."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_UI: Schema = Schema::new(
    "http:server:ui",
    "A form on an http:server.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("path", Str, "The path in the URL (default: the name)."),
        param("data", Struct(&[("title", Str), ("head", Str)]), "Title and head of the page."),
    ],
)
.autoedge()
.autogroup();

pub(super) const HTTP_SERVER_UI_INPUT: Schema = Schema::new(
    "http:server:ui:input",
    "A form field that sends its value.",
    &[
        param("path", Str, "The form by its path."),
        param("id", Str, "The field (default: the name)."),
        param("value", Str, "The initial value."),
        param("store", Str, "Where the value is stored."),
        param("type", Str, "The type of the field.").default("\"text://\""),
        param("sort", Str, "The position in the form."),
    ],
)
.autoedge()
.autogroup()
.sends(&[("value", Str)]);

pub(super) const TFTP_FILE: Schema = Schema::new(
    "tftp:file",
    "A path that a tftp:server serves.",
    &[
        param("server", Str, "The server by name (default: any)."),
        param("filename", Str, "The requested path (default: the name)."),
        param("path", Str, "The file or folder to serve."),
        param("data", Str, "The content to serve, instead of `path`."),
    ],
)
.autoedge()
.autogroup();

pub(super) const TFTP_SERVER: Schema = Schema::new(
    "tftp:server",
    "A TFTP server.",
    &[
        param("address", Str, "Listen address (default: the name)."),
        param("timeout", FieldType::U64, "Client timeout in seconds.").default("5"),
        param("root", Str, "A folder to serve."),
    ],
)
.autoedge()
.autogroup();
