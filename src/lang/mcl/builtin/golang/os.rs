//! `golang/os`, `golang/os/exec` and `golang/runtime`: this program and its environment.

use std::path::{Path, PathBuf};

use super::super::call::{Call, Failure, unexpected};
use super::super::os::own_home;
use super::super::sys::{environment, integer};
use super::super::{Function, limits};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{PathKind, ProcessNumber, Read, Sample};

/// The functions of the module `golang/os`.
pub static FUNCTIONS: &[Function] = &[
    plain("executable", &["func() str"], "The path of this program.", |call| place(call, Read::Executable)),
    plain(
        "expand_env",
        &["func(s str) str"],
        "A string with `$name` and `${name}` replaced from the environment.",
        expand_env,
    ),
    plain("getegid", &["func() int"], "The effective group of this program.", |call| {
        integer(call, Read::Process(ProcessNumber::EffectiveGroup))
    }),
    plain("getenv", &["func(key str) str"], "A variable of the environment; empty if it is not set.", |call| {
        let key = call.str(0)?;
        Ok(Value::str(environment(call)?.remove(key).unwrap_or_default()))
    }),
    plain("geteuid", &["func() int"], "The effective user of this program.", |call| {
        integer(call, Read::Process(ProcessNumber::EffectiveUser))
    }),
    plain("getgid", &["func() int"], "The group of this program.", |call| {
        integer(call, Read::Process(ProcessNumber::Group))
    }),
    plain("getpagesize", &["func() int"], "The size of a memory page in bytes.", |call| {
        integer(call, Read::Process(ProcessNumber::PageSize))
    }),
    plain("getpid", &["func() int"], "The number of this process.", |call| {
        integer(call, Read::Process(ProcessNumber::Id))
    }),
    plain("getppid", &["func() int"], "The number of this process's parent.", |call| {
        integer(call, Read::Process(ProcessNumber::Parent))
    }),
    plain("getuid", &["func() int"], "The user of this program.", |call| {
        integer(call, Read::Process(ProcessNumber::User))
    }),
    plain("getwd", &["func() str"], "The current folder.", |call| Ok(Value::str(working_folder(call)?))),
    plain("hostname", &["func() str"], "The name of this host.", |call| Ok(Value::str(call.world.hostname()))),
    plain("mkdir_temp", &["func(dir str, pattern str) str"], "Refused: evaluation does not create folders.", |_| {
        Err(Failure::fatal("evaluation does not create folders; declare a file resource"))
    }),
    plain("read_file", &["func(name str) str"], "The text of a file.", |call| {
        let path = absolute(call, call.str(0)?)?;
        Ok(Value::text(call.world.file(&path)?.to_vec()))
    }),
    plain("readlink", &["func(name str) str"], "The target of a symbolic link.", |call| {
        let path = absolute(call, call.str(0)?)?;
        place(call, Read::Link(path))
    }),
    plain("temp_dir", &["func() str"], "The folder for temporary files.", |call| {
        let set = environment(call)?.remove("TMPDIR").filter(|path| !path.is_empty());
        Ok(Value::str(set.unwrap_or_else(|| "/tmp".into())))
    }),
    plain("user_cache_dir", &["func() str"], "The user's cache folder.", |call| {
        user_folder(call, "XDG_CACHE_HOME", ".cache")
    }),
    plain("user_config_dir", &["func() str"], "The user's config folder.", |call| {
        user_folder(call, "XDG_CONFIG_HOME", ".config")
    }),
    plain("user_home_dir", &["func() str"], "The user's home folder.", |call| {
        Ok(Value::str(own_home(call.world)?.display().to_string()))
    }),
];

/// The functions of the module `golang/os/exec`.
pub static EXEC: &[Function] =
    &[Function::new("look_path", &["func(file str) str"], "The path of a program in the search path.", &[], look_path)];

/// The functions of the module `golang/runtime`.
pub static RUNTIME: &[Function] = &[
    plain("cpu_profile", &["func() str"], "Refused: Go itself has no such profile any more.", |_| {
        Err(Failure::fatal("there is no profile of the processor to read"))
    }),
    plain(
        "gomaxprocs",
        &["func(n int) int"],
        "The number of processors of this host; setting it has no effect.",
        |call| integer(call, Read::CpuCount),
    ),
    plain("goroot", &["func() str"], "GOROOT from the environment; empty if not set.", |call| {
        Ok(Value::str(environment(call)?.remove("GOROOT").unwrap_or_default()))
    }),
    plain("num_cgo_call", &["func() int"], "0: this program has no calls from Go to C.", |_| Ok(Value::Int(0))),
    plain("num_cpu", &["func() int"], "The number of processors of this host.", |call| integer(call, Read::CpuCount)),
    plain("num_goroutine", &["func() int"], "1: evaluation uses one thread.", |_| Ok(Value::Int(1))),
    plain("read_trace", &["func() str"], "Empty: nothing is traced.", |_| Ok(Value::str(""))),
    plain("set_mutex_profile_fraction", &["func(rate int) int"], "0: waiting for locks is not profiled.", |_| {
        Ok(Value::Int(0))
    }),
    plain(
        "stack",
        &["func(buf str, all bool) int"],
        "How many bytes a trace of the stack would fill: as many as the text has.",
        |call| Ok(Value::Int(call.bytes(0)?.len() as i64)),
    ),
    plain("version", &["func() str"], "The name and version of this program, which is not Go.", |_| {
        Ok(Value::str(concat!("workbench ", env!("CARGO_PKG_VERSION"))))
    }),
];

type Body = fn(&mut Call) -> Result<Value, Failure>;

const fn plain(name: &'static str, signatures: &'static [&'static str], doc: &'static str, call: Body) -> Function {
    Function::new(name, signatures, doc, &[], call)
}

fn place(call: &Call, read: Read) -> Result<Value, Failure> {
    match call.world.read(&read)? {
        Sample::Path(path) => Ok(Value::str(path.display().to_string())),
        other => Err(unexpected(&other)),
    }
}

/// The current folder.
pub fn working_folder(call: &Call) -> Result<String, Failure> {
    match call.world.read(&Read::WorkingFolder)? {
        Sample::Path(path) => Ok(path.display().to_string()),
        other => Err(unexpected(&other)),
    }
}

fn absolute(call: &Call, path: &str) -> Result<PathBuf, Failure> {
    match path.starts_with('/') {
        true => Ok(path.into()),
        false => Ok(Path::new(&working_folder(call)?).join(path)),
    }
}

fn user_folder(call: &Call, variable: &str, below_home: &str) -> Result<Value, Failure> {
    match environment(call)?.remove(variable).filter(|path| !path.is_empty()) {
        Some(path) if path.starts_with('/') => Ok(Value::str(path)),
        Some(path) => {
            Err(Failure::fatal(format!("{variable} is {}, which does not begin with a slash", Quoted(&path))))
        }
        None => Ok(Value::str(own_home(call.world)?.join(below_home).display().to_string())),
    }
}

fn look_path(call: &mut Call) -> Result<Value, Failure> {
    let name = call.str(0)?;
    let places = match name.contains('/') {
        true => vec![name.to_owned()],
        false => {
            let path = environment(call)?.remove("PATH").unwrap_or_default();
            path.split(':').filter(|folder| folder.starts_with('/')).map(|folder| format!("{folder}/{name}")).collect()
        }
    };
    let found = places.into_iter().find(|place| call.world.kind(Path::new(place)) == PathKind::File);
    match found.filter(|_| !name.is_empty()) {
        Some(place) => Ok(Value::str(place)),
        None => Err(Failure::fatal(format!("the program {} is not in the search path", Quoted(name)))),
    }
}

fn expand_env(call: &mut Call) -> Result<Value, Failure> {
    let environment = environment(call)?;
    let mut out = String::new();
    let mut rest = call.str(0)?;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (name, taken) = variable_name(rest);
        match name {
            // A dollar sign before anything else stays; an invalid `${` is dropped.
            "" if taken == 0 => out.push('$'),
            name => out.push_str(environment.get(name).map_or("", String::as_str)),
        }
        rest = &rest[taken..];
        limits::text(out.len())?;
    }
    out.push_str(rest);
    limits::text(out.len())?;
    Ok(Value::str(out))
}

/// The name after a dollar sign, and how many bytes it takes with its braces.
fn variable_name(text: &str) -> (&str, usize) {
    const SPECIAL: &str = "*#$@!?-0123456789";
    if let Some(inner) = text.strip_prefix('{') {
        return match inner.find('}') {
            Some(0) => ("", 2),
            Some(end) => (&inner[..end], end + 2),
            None => ("", 1),
        };
    }
    if text.starts_with(|c| SPECIAL.contains(c)) {
        return (&text[..1], 1);
    }
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    (&text[..length], length)
}

#[cfg(test)]
mod tests {
    use super::variable_name;

    #[test]
    fn names_follow_dollar_signs() {
        for (text, want) in [
            ("HOME/x", ("HOME", 4)),
            ("{a}b", ("a", 3)),
            ("{}", ("", 2)),
            ("{a", ("", 1)),
            ("1x", ("1", 1)),
            (" x", ("", 0)),
            ("", ("", 0)),
        ] {
            assert_eq!(variable_name(text), want, "{text}");
        }
    }
}
