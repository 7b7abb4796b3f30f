//! Lists of an archive's contents in the format `mtree`. Source: `mtree(5)`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::host::{FileKind, Packed};

/// Parses a list of absolute names, each on a line with its attributes. `None` if the list is incomplete.
pub(super) fn entries(list: &str) -> Option<Vec<Packed>> {
    list.lines().filter(|line| line.starts_with('.')).map(entry).collect()
}

/// Parses a line such as `./etc/web mode=755 type=dir uname=root gname=root`.
fn entry(line: &str) -> Option<Packed> {
    let mut words = line.split(' ');
    let path = plain(words.next()?.strip_prefix('.')?)?;
    let (mut kind, mut mode, mut size, mut target) = (FileKind::Other, None, 0, None);
    let (mut user, mut group) = (String::new(), String::new());
    for word in words {
        let Some((key, value)) = word.split_once('=') else { continue };
        match key {
            "type" => {
                kind = match value {
                    "dir" => FileKind::Dir,
                    "link" => FileKind::Link,
                    "file" => FileKind::File,
                    _ => FileKind::Other,
                }
            }
            "mode" => mode = u32::from_str_radix(value, 8).ok(),
            "size" => size = value.parse().ok()?,
            "link" => target = Some(plain(value)?),
            "uname" => user = value.to_owned(),
            "gname" => group = value.to_owned(),
            _ => {}
        }
    }
    Some(Packed { path, kind, mode: mode?, user, group, size, target, text: None })
}

/// Decodes a name in which special bytes are a backslash and three octal digits.
fn plain(written: &str) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    let mut rest = written.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        if *first == b'\\' {
            let digits = std::str::from_utf8(others.get(..3)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 8).ok()?);
            rest = &others[3..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    Some(OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let list = "#mtree\n./etc/a\\040b gname=http uname=root mode=640 type=file size=3\n./etc/l mode=777 type=link link=../x\n";
        let read = entries(list).expect("is whole");
        assert_eq!((read[0].path.to_str(), read[0].mode, read[0].size), (Some("/etc/a b"), 0o640, 3));
        assert_eq!((read[0].group.as_str(), read[0].kind), ("http", FileKind::File));
        assert_eq!((read[1].kind, read[1].target.clone()), (FileKind::Link, Some("../x".into())));
        for broken in ["./a type=file", "./a\\04 mode=644", "./a\\999 mode=644", "./a mode=644 size=x"] {
            assert_eq!(entries(broken), None, "{broken}");
        }
    }
}
