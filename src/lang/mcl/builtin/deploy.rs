//! `deploy`: the files of the program.

use std::path::{Component, Path, PathBuf};

use super::Function;
use super::call::{Call, Failure, texts, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{PathKind, Read, Sample};

/// The functions of the module `deploy`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "abspath",
        &["func(path str) str"],
        "A path of this file's module as a path of the whole deploy. Both begin with a slash.",
        &[],
        |call| {
            let path = call.str(0)?;
            if !path.is_empty() && !path.starts_with('/') {
                return Err(Failure::fatal(format!("the path {} must begin with a slash", Quoted(path))));
            }
            let folder = match call.folder.strip_prefix(call.root) {
                Ok(below) => format!("/{}", below.display()),
                Err(_) => call.folder.display().to_string(),
            };
            let below = if path.is_empty() { "/" } else { path };
            Ok(Value::str(format!("{}{below}", folder.trim_end_matches('/'))))
        },
    ),
    Function::new("binary_path", &["func() str"], "The path of this program.", &[], |call| {
        match call.world.read(&Read::Executable)? {
            Sample::Path(path) => Ok(Value::str(path.display().to_string())),
            other => Err(unexpected(&other)),
        }
    }),
    Function::new(
        "bootstrap_packages",
        &["func(distro str) []str"],
        "The packages that this program needs on a distribution: none.",
        &[("deploy.bootstrap_packages(\"debian\")", "[]")],
        |_| Ok(texts::<&str>([])),
    ),
    Function::new(
        "directory",
        &["func(path str) str"],
        "The path on this host of a folder in this file's module. Both paths end in a slash.",
        &[],
        |call| {
            let path = beside(call)?;
            if !call.str(0)?.ends_with('/') {
                return Err(Failure::fatal(format!("the path {} must end in a slash", Quoted(call.str(0)?))));
            }
            match call.world.kind(&path) {
                PathKind::Folder => Ok(Value::str(format!("{}/", absolute(call, path)?.display()))),
                _ => Err(Failure::fatal(format!("{}: no such folder", path.display()))),
            }
        },
    ),
    Function::new(
        "file_exists",
        &["func(path str) bool"],
        "Whether this file's module has a file or a folder. The path begins with a slash.",
        &[],
        |call| Ok(Value::Bool(call.world.kind(&beside(call)?) != PathKind::Missing)),
    ),
    Function::new(
        "readfile",
        &["func(path str) str"],
        "The text of a file of this file's module. The path begins with a slash.",
        &[],
        |call| read_text(call, &beside(call)?),
    ),
    Function::new(
        "readfileabs",
        &["func(path str) str"],
        "The text of a file of the whole deploy. The path begins with a slash.",
        &[],
        |call| read_text(call, &below(call.root, call.str(0)?)?),
    ),
];

/// An absolute path for resources, which have no current folder.
fn absolute(call: &Call, path: PathBuf) -> Result<PathBuf, Failure> {
    match path.is_absolute() {
        true => Ok(path),
        false => match call.world.read(&Read::WorkingFolder)? {
            Sample::Path(here) => Ok(here.join(path)),
            other => Err(unexpected(&other)),
        },
    }
}

/// A path of the first argument below the folder of the file with the call.
fn beside(call: &Call) -> Result<PathBuf, Failure> {
    below(call.folder, call.str(0)?)
}

/// A path within a folder; `..` cannot leave it.
fn below(folder: &Path, path: &str) -> Result<PathBuf, Failure> {
    if !path.starts_with('/') {
        return Err(Failure::fatal(format!("the path {} must begin with a slash", Quoted(path))));
    }
    let mut found = folder.to_path_buf();
    let mut depth = 0;
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => {
                found.push(name);
                depth += 1;
            }
            Component::ParentDir if depth > 0 => {
                found.pop();
                depth -= 1;
            }
            _ => {}
        }
    }
    Ok(found)
}

fn read_text(call: &Call, path: &Path) -> Result<Value, Failure> {
    let bytes = call.world.file(path)?;
    Ok(Value::text(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::below;
    use std::path::Path;

    #[test]
    fn paths_stay_below_their_folder() {
        let folder = Path::new("/deploy");
        assert_eq!(below(folder, "/files/../../../etc/passwd").unwrap(), Path::new("/deploy/etc/passwd"));
        assert_eq!(below(folder, "//a/./b/").unwrap(), Path::new("/deploy/a/b"));
        assert!(below(folder, "a").is_err());
    }
}
