//! Schemas of the kinds that keep files, their contents and mounts.

use super::FieldType::{Bool, List, Str, Struct};
use super::{FieldType, Schema, optional, param};

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
        param("path", Str, "The archive to write; the name, if not set."),
        param("format", FieldType::INT, "One of `$const.res.tar.format`."),
    ],
);

pub(super) const FILE: Schema = Schema::new(
    "file",
    "Keeps a file, a folder (its path ends in a slash) or a symbolic link.",
    &[
        param("path", Str, "Absolute; the name, if not set. A slash at the end makes it a folder."),
        param("dirname", Str, "Replaces the folder part of the path."),
        param("basename", Str, "Replaces the last part of the path."),
        param("state", Str, "`exists` or `absent`. A file is made only when `exists` is asked for."),
        optional("content", Str, "The whole content. At most one of content, source and fragments."),
        param("source", Str, "A file or folder to copy, or the target of a symbolic link."),
        param("fragments", FieldType::STRS, "Files, and folders of files, whose contents are put together."),
        param("owner", Str, "User name or number."),
        param("group", Str, "Group name or number."),
        param("mode", Str, "Octal such as `0644`, or `u=rw,go=r`."),
        param("recurse", Bool, "Makes missing parents of a folder, copies and removes folders with what is in them."),
        param("force", Bool, "Lets a file replace a folder and the other way round, and removes full folders."),
        param("purge", Bool, "Removes what is in the folder and not managed."),
        param("symlink", Bool, "Makes a symbolic link to `source`."),
        optional("selinux", Str, "The security label."),
    ],
)
.autoedge()
.receives()
.reverse();

pub(super) const GZIP: Schema = Schema::new(
    "gzip",
    "Keeps a compressed copy of a file or of a content.",
    &[
        param("path", Str, "The compressed file; the name, if not set."),
        optional("input", Str, "The file to compress."),
        param("content", Str, "The content to compress, where there is no input."),
        param("level", FieldType::INT, "One of `$const.res.gzip.level`.").default("-1"),
    ],
);

pub(super) const JSON_EDIT: Schema = Schema::new(
    "json:edit",
    "Edits a JSON document by declared steps.",
    &[
        param("store", Str, "A file, or `etcd:///key` in the shared store; the name, if not set."),
        param("edits", FieldType::STRS, "The edits, in order: `.a[\"b c\"] = 1` sets, `del(.a.b)` removes."),
    ],
);

pub(super) const LINE: Schema = Schema::new(
    "line",
    "Keeps one line in a file, or out of it. A missing file is made, for its owner alone.",
    &[
        param("file", Str, "The file that holds the line; `~/` and `~user/` stand for home folders."),
        param("state", Str, "`exists` or `absent`."),
        param("content", Str, "The line, without its end; or several that stand together."),
        param("trim", Bool, "Compares without white space at both ends."),
    ],
);

pub(super) const MOUNT: Schema = Schema::new(
    "mount",
    "Keeps an entry of the mount table, and the file system mounted, or neither. Other lines of the table stay as they are.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("device", Str, "What is mounted: a device, a label, a remote path."),
        param("type", Str, "The type of the file system."),
        param("options", FieldType::STR_MAP, "Mount options; an empty value for those that have none.")
            .default("{\"defaults\" => \"\"}"),
        param("freq", FieldType::INT, "The dump field."),
        param("passno", FieldType::INT, "The check order field."),
    ],
);

pub(super) const SSH_AUTHORIZED_KEY: Schema = Schema::new(
    "ssh:authorized_key",
    "Keeps one entry of an authorized_keys file.",
    &[
        param("state", Str, "`exists` or `absent`."),
        param("file", Str, "The file; that of the user, if not set."),
        param("user", Str, "Whose file it is."),
        param("content", Str, "The whole line, instead of its parts."),
        param("options", FieldType::STRS, "Options that stand before the key."),
        param("type", Str, "The type of the key, such as `ssh-ed25519`."),
        param("key", Str, "The key itself, in base64."),
        param("comment", Str, "What stands after the key."),
        param("mkdir", Bool, "Makes the missing `.ssh` folder; on, if not set.").default("true"),
    ],
)
.autoedge();

pub(super) const TAR: Schema = Schema::new(
    "tar",
    "Keeps an archive of files and folders.",
    &[
        param("path", Str, "The archive; the name, if not set."),
        param("inputs", FieldType::STRS, "What goes in: files, and folders with what is in them."),
        param("format", FieldType::INT, "One of `$const.res.tar.format`."),
    ],
);
