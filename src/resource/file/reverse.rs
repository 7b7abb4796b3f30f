//! The reversal of a file: the file that existed before its first turn, or its removal.

use super::{State, Target};
use crate::graph::{Params, Value};
use crate::host::{FileKind, HostError, Look};
use crate::resource::Turn;

/// The size limit of a saved content.
const KEPT: u64 = 1 << 20;

/// Returns the parameters of the present file. `None` if there is nothing to reverse.
pub(super) fn reversed(turn: &Turn, look: &dyn Look) -> Result<Option<Params>, HostError> {
    let target = Target::read(turn)?;
    let cannot = |what: &str| Err(HostError::Refused(format!("`reverse` is set, but {what} cannot be undone")));
    if target.is_dir {
        return cannot("a folder");
    }
    if turn.text("source")?.is_some() {
        return cannot("content from `source`");
    }
    let texts = ["path", "dirname", "basename"].into_iter();
    let mut params: Params = texts.filter_map(|param| Some((param.into(), turn.params.get(param)?.clone()))).collect();
    let mut set = |param: &str, text: &str| params.set(param, Value::from(text));
    let Some(there) = look.stat(&target.path)? else {
        set("state", "absent");
        return Ok((target.state == State::Exists).then_some(params));
    };
    set("state", "exists");
    match there.kind {
        FileKind::File if there.size > KEPT => return cannot("a file of more than 1 MiB"),
        FileKind::File => {
            let bytes = look.read(&target.path)?.unwrap_or_default();
            let Ok(text) = std::str::from_utf8(&bytes) else { return cannot("a binary file") };
            set("content", text);
            set("mode", &format!("{:04o}", there.mode));
            set("owner", &there.uid.to_string());
            set("group", &there.gid.to_string());
        }
        FileKind::Link => {
            set("source", &look.read_link(&target.path)?.to_string_lossy());
            params.set("symlink", Value::Bool(true));
        }
        FileKind::Dir | FileKind::Other => return cannot(there.kind.words()),
    }
    Ok(Some(params))
}
