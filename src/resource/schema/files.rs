//! Schemas of the kinds that manage files, their contents and mounts.

use super::FieldType::{Bool, List, Str, Struct};
use super::{FieldType, Schema, more, optional, param};

pub(super) const AUGEAS: Schema = Schema::new(
    "augeas",
    "Edits a configuration file through an augeas lens.",
    &[
        param("file", Str, "The file to edit."),
        param("lens", Str, "The lens that reads it, such as `Sshd.lns`."),
        param("sets", List(&Struct(&[("path", Str), ("value", Str)])), "Paths inside the file and their values."),
    ],
);

pub(super) const DEPLOY_TAR: Schema = Schema::new(
    "deploy:tar",
    "Archives the files of the current deploy.",
    &[
        param("path", Str, "The archive to write (default: the name)."),
        param("format", FieldType::INT, "One of `$const.res.tar.format`."),
    ],
);

pub(super) const FILE: Schema = Schema::new(
    "file",
    "Manages a file, a folder (the path ends with a slash) or a symbolic link.",
    &[
        param("path", Str, "Absolute path (default: the name). A slash at the end makes it a folder."),
        param("dirname", Str, "Replaces the folder part of the path."),
        param("basename", Str, "Replaces the last part of the path."),
        param("state", Str, "`exists` or `absent`. A file is only created with `exists`."),
        optional("content", Str, "The whole content; not together with `source` or `fragments`."),
        param("source", Str, "A file or folder to copy, or the target of a symbolic link."),
        param("fragments", FieldType::STRS, "Files, and folders of files, whose contents are joined."),
        param("owner", Str, "User name or number."),
        param("group", Str, "Group name or number."),
        param("mode", Str, "Octal such as `0644`, or `u=rw,go=r`."),
        param("recurse", Bool, "Creates missing parent folders; copies and removes folders with their contents."),
        param(
            "force",
            Bool,
            "Allows replacing a folder by a file and vice versa, and removing folders that are not empty.",
        ),
        param("purge", Bool, "Removes unmanaged files in the folder."),
        param("symlink", Bool, "Creates a symbolic link to `source`."),
        optional("selinux", Str, "The security label."),
    ],
)
.more(more::FILE)
.autoedge()
.receives()
.reverse();

pub(super) const GZIP: Schema = Schema::new(
    "gzip",
    "Manages a compressed copy of a file or content.",
    &[
        param("path", Str, "The compressed file (default: the name)."),
        optional("input", Str, "The file to compress."),
        param("content", Str, "The content to compress, instead of `input`."),
        param("level", FieldType::INT, "One of `$const.res.gzip.level`.").default("-1"),
    ],
);

pub(super) const JSON_EDIT: Schema = Schema::new(
    "json:edit",
    "Edits a JSON document.",
    &[
        param("store", Str, "A file, or `etcd:///key` in the shared store (default: the name)."),
        param("edits", FieldType::STRS, "The edits, in order: `.a[\"b c\"] = 1` sets, `del(.a.b)` removes."),
    ],
);

pub(super) const LINE: Schema = Schema::new(
    "line",
    "Manages one line in a file. A missing file is created, readable by its owner only.",
    &[
        param("file", Str, "The file; `~/` and `~user/` are home folders."),
        param("state", Str, "`exists` or `absent`."),
        param("content", Str, "The line without newline, or several consecutive lines."),
        param("trim", Bool, "Ignores white space at both ends."),
    ],
)
.more(more::LINE);

pub(super) const MOUNT: Schema = Schema::new(
    "mount",
    "Manages an entry of the mount table and the mount itself. Other lines of the table are not changed.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("device", Str, "The device, label or remote path to mount."),
        param("type", Str, "The type of the file system."),
        param("options", FieldType::STR_MAP, "Mount options; use an empty value for flags.")
            .default("{\"defaults\" => \"\"}"),
        param("freq", FieldType::INT, "The dump field."),
        param("passno", FieldType::INT, "The check order field."),
    ],
)
.more(more::MOUNT);

pub(super) const SSH_AUTHORIZED_KEY: Schema = Schema::new(
    "ssh:authorized_key",
    "Manages an entry of an authorized_keys file.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("file", Str, "The file (default: the file of the user)."),
        param("user", Str, "The owner of the file."),
        param("content", Str, "The whole line, instead of its parts."),
        param("options", FieldType::STRS, "Options before the key."),
        param("type", Str, "The type of the key, such as `ssh-ed25519`."),
        param("key", Str, "The key itself, in base64."),
        param("comment", Str, "The comment after the key."),
        param("mkdir", Bool, "Creates a missing `.ssh` folder (default: true).").default("true"),
    ],
)
.more(more::SSH_AUTHORIZED_KEY)
.autoedge();

pub(super) const TAR: Schema = Schema::new(
    "tar",
    "Manages an archive of files and folders.",
    &[
        param("path", Str, "The archive (default: the name)."),
        param("inputs", FieldType::STRS, "The files and folders to archive."),
        param("format", FieldType::INT, "One of `$const.res.tar.format`."),
    ],
);
