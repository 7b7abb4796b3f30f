//! `os`: the operating system of this host.

use std::path::{Path, PathBuf};

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use super::golang::path::clean;
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Account, PathKind, Read, ReadError, Sample, World};

/// The functions of the module `os`.
pub static FUNCTIONS: &[Function] = &[
    Function::new("args", &["func() []str"], "The command line arguments of this program.", &[], |call| {
        match call.world.read(&Read::Arguments)? {
            Sample::Names(words) => Ok(texts(words)),
            other => Err(unexpected(&other)),
        }
    }),
    Function::new(
        "expand_home",
        &["func(path str) str"],
        "A path with `~/` or `~user/` at its start replaced by that home folder.",
        &[("os.expand_home(\"/srv\")", "\"/srv\""), ("os.expand_home(\"~\")", "\"~\"")],
        expand_home,
    ),
    Function::new(
        "family",
        &["func() str"],
        "`redhat`, `debian` or `archlinux`, by the distribution of this host; empty for another.",
        &[],
        |call| Ok(Value::str(family(call.world).map_or("", Family::name))),
    ),
    Function::new("file_exists", &["func(path str) bool"], "Whether a path exists.", &[], |call| {
        Ok(Value::Bool(call.world.kind(Path::new(call.str(0)?)) != PathKind::Missing))
    }),
    Function::new(
        "home",
        &["func(user str) str"],
        "The home folder of a user, with a slash at its end.",
        &[],
        |call| {
            let home = account(call.world, call.str(0)?)?.home.display().to_string();
            Ok(Value::str(if home.ends_with('/') { home } else { home + "/" }))
        },
    ),
    Function::new(
        "is_family_archlinux",
        &["func() bool"],
        "Whether this host runs Arch Linux or a derivative.",
        &[],
        |call| Ok(Value::Bool(family(call.world) == Some(Family::Archlinux))),
    ),
    Function::new(
        "is_family_debian",
        &["func() bool"],
        "Whether this host runs Debian or a derivative.",
        &[],
        |call| Ok(Value::Bool(family(call.world) == Some(Family::Debian))),
    ),
    Function::new(
        "is_family_redhat",
        &["func() bool"],
        "Whether this host runs Fedora, Red Hat or a derivative.",
        &[],
        |call| Ok(Value::Bool(family(call.world) == Some(Family::Redhat))),
    ),
    Function::new("is_virtual", &["func() bool"], "Whether this host is a virtual machine.", &[], |call| {
        match call.world.read(&Read::Virtual)? {
            Sample::Flag(value) => Ok(Value::Bool(value)),
            other => Err(unexpected(&other)),
        }
    }),
    Function::new(
        "modinfo_loaded",
        &["func(module str) bool"],
        "Whether a module of the kernel is loaded.",
        &[],
        |call| match call.world.read(&Read::KernelModules) {
            // The kernel writes dashes as underscores.
            Ok(Sample::Names(names)) => Ok(Value::Bool(names.contains(&call.str(0)?.replace('-', "_")))),
            Ok(other) => Err(unexpected(&other)),
            Err(ReadError::NotFound(_)) => Ok(Value::Bool(false)),
            Err(error) => Err(error.into()),
        },
    ),
    Function::new(
        "parse_distro_uid",
        &["func(uid str) struct{distro str; version str; arch str}"],
        "The parts of a name such as `fedora41-x86_64`; empty if it has another form.",
        &[
            (
                "os.parse_distro_uid(\"debian12-amd64\")",
                "struct{distro => \"debian\", version => \"12\", arch => \"amd64\"}",
            ),
            ("os.parse_distro_uid(\"debian\")->distro", "\"\""),
        ],
        parse_distro_uid,
    ),
    Function::new("readfile", &["func(path str) str"], "The text of a file of this host.", &[], read_file),
    Function::new(
        "release",
        &["func() struct{id str; variant_id str; version_id str}"],
        "Fields of /etc/os-release; empty if missing.",
        &[],
        release,
    ),
    Function::new(
        "system",
        &["func(command str) str"],
        "The first line of output of a shell command. Runs only with `--run-guards`.",
        &[],
        |call| match call.world.read(&Read::Command(call.str(0)?.into()))? {
            Sample::Text(line) => Ok(Value::str(line)),
            other => Err(unexpected(&other)),
        },
    ),
    Function::new("uid", &["func(user str) str"], "The number of a user, as a string.", &[], |call| {
        Ok(Value::str(account(call.world, call.str(0)?)?.uid.to_string()))
    }),
    Function::new("user_exists", &["func(user str) bool"], "Whether there is a user of that name.", &[], |call| {
        Ok(Value::Bool(account(call.world, call.str(0)?).is_ok()))
    }),
];

/// A family of distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Redhat,
    Debian,
    Archlinux,
}

impl Family {
    fn name(self) -> &'static str {
        match self {
            Family::Redhat => "redhat",
            Family::Debian => "debian",
            Family::Archlinux => "archlinux",
        }
    }
}

/// Detected by the file that each family has.
pub fn family(world: &dyn World) -> Option<Family> {
    let marks = [
        ("/etc/redhat-release", Family::Redhat),
        ("/etc/debian_version", Family::Debian),
        ("/etc/arch-release", Family::Archlinux),
    ];
    marks.into_iter().find(|(path, _)| world.kind(Path::new(path)) != PathKind::Missing).map(|(_, family)| family)
}

fn account(world: &dyn World, name: &str) -> Result<Account, Failure> {
    match world.read(&Read::Account(name.into())) {
        Ok(Sample::Account(account)) => Ok(account),
        Ok(other) => Err(unexpected(&other)),
        Err(ReadError::Unknown(_)) => Err(Failure::fatal(format!("no user {}", Quoted(name)))),
        Err(error) => Err(error.into()),
    }
}

fn expand_home(call: &mut Call) -> Result<Value, Failure> {
    let path = call.str(0)?;
    let (home, below) = if let Some(below) = path.strip_prefix("~/") {
        (own_home(call.world)?, below.as_bytes())
    } else if let Some(user) = tilde_user(path) {
        // Drops as many bytes at the start as the user takes, even if the user is further on in the path.
        (account(call.world, user)?.home, &path.as_bytes()[user.len() + 2..])
    } else {
        return Ok(Value::str(path));
    };
    let mut joined = home.join("").into_os_string().into_encoded_bytes();
    joined.extend_from_slice(below);
    let mut expanded = clean(&String::from_utf8_lossy(&joined));
    if path.ends_with('/') {
        expanded.push('/');
    }
    Ok(Value::str(expanded))
}

/// The user in the first `~user/` of a path.
fn tilde_user(path: &str) -> Option<&str> {
    path.match_indices('~')
        .find_map(|(at, _)| path[at + 1..].split_once('/').map(|(user, _)| user).filter(|u| !u.is_empty()))
}

/// The home folder of the user who runs this program.
pub fn own_home(world: &dyn World) -> Result<PathBuf, Failure> {
    match world.read(&Read::Environment)? {
        Sample::Pairs(environment) => match environment.get("HOME").filter(|home| !home.is_empty()) {
            Some(home) => Ok(home.into()),
            None => Err(Failure::fatal("the environment has no HOME")),
        },
        other => Err(unexpected(&other)),
    }
}

fn parse_distro_uid(call: &mut Call) -> Result<Value, Failure> {
    let parts = call.str(0)?.split_once('-').and_then(|(name, arch)| {
        let distro = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let version = &name[distro.len()..];
        (!distro.is_empty() && !version.is_empty() && !arch.is_empty()).then_some((distro, version, arch))
    });
    let (distro, version, arch) = parts.unwrap_or_default();
    Ok(fields([("distro", Value::str(distro)), ("version", Value::str(version)), ("arch", Value::str(arch))]))
}

fn read_file(call: &mut Call) -> Result<Value, Failure> {
    let path = Path::new(call.str(0)?);
    if !path.is_absolute() {
        return Err(Failure::fatal(format!("the path {} must begin with a slash", Quoted(call.str(0)?))));
    }
    let bytes = call.world.file(path).map_err(|error| match error {
        ReadError::NotFound(_) => Failure::catchable(error.to_string()),
        other => other.into(),
    })?;
    Ok(Value::text(bytes.to_vec()))
}

fn release(call: &mut Call) -> Result<Value, Failure> {
    let paths = ["/etc/os-release", "/usr/lib/os-release"];
    let bytes = paths.iter().find_map(|path| call.world.file(Path::new(path)).ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let get = |name: &str| {
        let value = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        Value::str(value.unwrap_or_default().trim_matches(['"', '\'']))
    };
    Ok(fields([("id", get("ID")), ("variant_id", get("VARIANT_ID")), ("version_id", get("VERSION_ID"))]))
}
