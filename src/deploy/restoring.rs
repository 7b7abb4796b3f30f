//! The changes of a restore where another program changed the target: from the present state to the recorded one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};

use super::{Step, UndoStep, Verdict};
use crate::graph::Value;
use crate::host::journal::{Attributes, Back, Blobs, Content, Depth, Image, Inverse, look};
use crate::host::{HostError, is_private};
use crate::plan::{Change, unshown};

/// Longer texts are not compared by line.
const SHOWN: u64 = 1 << 20;

/// Returns the changes of restoring an undo step that is in conflict.
pub fn restoring(step: &UndoStep, blobs: &Blobs) -> Result<Vec<Change>, HostError> {
    match &step.verdict {
        Verdict::Conflict { back: Some(back), .. } => changes(back, step.is_secret, blobs),
        _ => Ok(Vec::new()),
    }
}

/// The same for an interrupted operation.
pub fn restoring_cut_off(step: &Step, blobs: &Blobs) -> Result<Vec<Change>, HostError> {
    match Inverse::of(&step.intent) {
        Inverse::Reversible(back) | Inverse::Compensable(back, _) => changes(&back, step.is_secret(), blobs),
        Inverse::None(_) => Ok(Vec::new()),
    }
}

fn changes(back: &Back, is_secret: bool, blobs: &Blobs) -> Result<Vec<Change>, HostError> {
    let mut changes = Vec::new();
    let note = |changes: &mut Vec<Change>, property: &str, from: Option<Value>, to: Option<Value>| {
        if from != to {
            changes.push(Change { property: property.into(), from, to, sensitive: is_secret });
        }
    };
    match back {
        Back::PutBack { path, image } => {
            let now = look(path, Depth::Attributes, blobs)?;
            note(&mut changes, "there is", Some(now.words().into()), Some(image.words().into()));
            if matches!((&now, image), (Image::File { .. }, _) | (_, Image::File { .. })) && !is_secret {
                let (there, kept) = (text_there(path, &now), text_kept(image, blobs));
                let is_private = |image: &Image| image.attributes().is_some_and(|there| is_private(there.mode));
                if is_private(&now) || is_private(image) {
                    // The content is private and is recorded by size.
                    if there != kept {
                        let (from, to) = (there.as_ref().map(sized), kept.as_ref().map(sized));
                        changes.push(Change { property: "content".into(), from, to, sensitive: false });
                    }
                } else {
                    note(&mut changes, "content", there, kept);
                }
            }
            note(&mut changes, "target", target(&now), target(image));
            attributes(&now, image.attributes(), &mut |property, from, to| note(&mut changes, property, from, to));
        }
        Back::Attributes { path, attributes: before } => {
            let now = look(path, Depth::Attributes, blobs)?;
            attributes(&now, Some(before), &mut |property, from, to| note(&mut changes, property, from, to));
        }
        Back::System(_) | Back::RemoveFolder { .. } => {}
    }
    Ok(changes)
}

/// Receives a property, its present value and its restored value.
type Note<'a> = dyn FnMut(&str, Option<Value>, Option<Value>) + 'a;

fn attributes(now: &Image, before: Option<&Attributes>, note: &mut Note) {
    let (Some(now), Some(before)) = (now.attributes(), before) else { return };
    let mode = |attributes: &Attributes| Some(Value::from(format!("{:04o}", attributes.mode).as_str()));
    let owner = |attributes: &Attributes| Some(Value::from(format!("{}:{}", attributes.uid, attributes.gid).as_str()));
    note("mode", mode(now), mode(before));
    note("owner", owner(now), owner(before));
}

fn target(image: &Image) -> Option<Value> {
    match image {
        Image::Link { target, .. } => Some(Value::from(target.display().to_string().as_str())),
        _ => None,
    }
}

/// Returns the present content of a file, if it is text.
fn text_there(path: &Path, now: &Image) -> Option<Value> {
    if !matches!(now, Image::File { .. }) {
        return None;
    }
    let mut bytes = Vec::new();
    // Another program may have replaced the file again: do not follow links or wait for a pipe.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty()).map(File::from).ok()?;
    let read = file.take(SHOWN + 1).read_to_end(&mut bytes);
    Some(shown(read.is_ok().then_some(bytes)))
}

/// Returns the recorded content, if it is text.
fn text_kept(image: &Image, blobs: &Blobs) -> Option<Value> {
    match image {
        Image::File { content: Content::Kept(digest), .. } if digest.size <= SHOWN => {
            Some(shown(blobs.read(digest).ok()))
        }
        Image::File { .. } => Some(shown(None)),
        _ => None,
    }
}

fn sized(text: &Value) -> Value {
    text.as_str().map_or(Value::Unknown, |text| unshown::shown(text.as_bytes(), true))
}

fn shown(bytes: Option<Vec<u8>>) -> Value {
    let text = bytes.filter(|bytes| bytes.len() as u64 <= SHOWN).and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or(Value::Unknown, |text| Value::from(text.as_str()))
}
