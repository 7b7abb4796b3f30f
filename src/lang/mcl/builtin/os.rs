//! `os`: the operating system of this host.

use std::path::{Path, PathBuf};

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Account, PathKind, Read, ReadError, Sample, World};

pub static FUNCTIONS: &[Function] =
    &[
        Function::new("os", "args", &["func() []str"], "The command line arguments of this program.", &[], |call| {
            match call.world.read(&Read::Arguments)? {
                Sample::Names(words) => Ok(texts(words)),
                other => Err(unexpected(&other)),
            }
        }),
        Function::new(
            "os",
            "expand_home",
            &["func(path str) str"],
            "A path with `~` or `~user` at its start replaced by that home folder.",
            &[("os.expand_home(\"/srv\")", "\"/srv\"")],
            expand_home,
        ),
        Function::new(
            "os",
            "family",
            &["func() str"],
            "`redhat`, `debian` or `archlinux`, by the distribution of this host; empty for another.",
            &[],
            |call| Ok(Value::str(family(call.world).map_or("", Family::name))),
        ),
        Function::new("os", "file_exists", &["func(path str) bool"], "Whether a path exists.", &[], |call| {
            Ok(Value::Bool(call.world.kind(Path::new(call.str(0)?)) != PathKind::Missing))
        }),
        Function::new(
            "os",
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
            "os",
            "is_family_archlinux",
            &["func() bool"],
            "Whether this host runs Arch Linux or a derivative.",
            &[],
            |call| Ok(Value::Bool(family(call.world) == Some(Family::Archlinux))),
        ),
        Function::new(
            "os",
            "is_family_debian",
            &["func() bool"],
            "Whether this host runs Debian or a derivative.",
            &[],
            |call| Ok(Value::Bool(family(call.world) == Some(Family::Debian))),
        ),
        Function::new(
            "os",
            "is_family_redhat",
            &["func() bool"],
            "Whether this host runs Fedora, Red Hat or a derivative.",
            &[],
            |call| Ok(Value::Bool(family(call.world) == Some(Family::Redhat))),
        ),
        Function::new("os", "is_virtual", &["func() bool"], "Whether this host is a virtual machine.", &[], |call| {
            match call.world.read(&Read::Virtual)? {
                Sample::Flag(value) => Ok(Value::Bool(value)),
                other => Err(unexpected(&other)),
            }
        }),
        Function::new(
            "os",
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
            "os",
            "parse_distro_uid",
            &["func(uid str) struct{distro str; version str; arch str}"],
            "The parts of a name such as `fedora41-x86_64`.",
            &[(
                "os.parse_distro_uid(\"debian12-amd64\")",
                "struct{distro => \"debian\", version => \"12\", arch => \"amd64\"}",
            )],
            parse_distro_uid,
        ),
        Function::new("os", "readfile", &["func(path str) str"], "The text of a file of this host.", &[], read_file),
        Function::new(
            "os",
            "release",
            &["func() struct{id str; variant_id str; version_id str}"],
            "Fields of /etc/os-release; empty if missing.",
            &[],
            release,
        ),
        Function::new(
            "os",
            "system",
            &["func(command str) str"],
            "The first line of output of a shell command. Runs only with `--run-guards`.",
            &[],
            |call| match call.world.read(&Read::Command(call.str(0)?.into()))? {
                Sample::Text(line) => Ok(Value::str(line)),
                other => Err(unexpected(&other)),
            },
        ),
        Function::new("os", "uid", &["func(user str) str"], "The number of a user, as a string.", &[], |call| {
            Ok(Value::str(account(call.world, call.str(0)?)?.uid.to_string()))
        }),
        Function::new(
            "os",
            "user_exists",
            &["func(user str) bool"],
            "Whether there is a user of that name.",
            &[],
            |call| Ok(Value::Bool(account(call.world, call.str(0)?).is_ok())),
        ),
    ];

/// Distributions that are managed alike.
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

/// By the file that each family has.
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
    let Some(rest) = path.strip_prefix('~') else { return Ok(Value::str(path)) };
    let (user, below) = rest.split_once('/').map_or((rest, None), |(user, below)| (user, Some(below)));
    let home = match user {
        "" => own_home(call.world)?,
        user => account(call.world, user)?.home,
    };
    let expanded = below.map_or(home.clone(), |below| home.join(below.trim_start_matches('/')));
    Ok(Value::str(expanded.display().to_string()))
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
    let uid = call.str(0)?;
    let parts = uid.rsplit_once('-').and_then(|(name, arch)| {
        let digit = name.find(|c: char| c.is_ascii_digit())?;
        let (distro, version) = name.split_at(digit);
        (!distro.is_empty() && !arch.is_empty()).then_some((distro, version, arch))
    });
    let Some((distro, version, arch)) = parts else {
        return Err(Failure::fatal(format!("{} is not of the form fedora41-x86_64", Quoted(uid))));
    };
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
    let text = std::str::from_utf8(&bytes).map_err(|_| Failure::fatal(format!("{}: not UTF-8", path.display())))?;
    Ok(Value::str(text))
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
