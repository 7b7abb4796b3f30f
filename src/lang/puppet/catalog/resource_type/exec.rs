//! `exec`: a command.

use super::refusal::{BOOLEAN, as_float, is_octal, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "exec",
    namevar: "command",
    is_isomorphic: false,
    doc: "Runs a command. It runs if `creates` is missing, all of `onlyif` succeed and all of `unless` fail.",
    requires: "the file of `cwd`, its user",
    params: &[
        ("command", "The command (default: the title). Without `path`, its program is an absolute path."),
        ("path", "The folders in which programs are searched."),
        ("cwd", "The folder in which it runs."),
        ("user", "The user that it runs as."),
        ("group", "The group that it runs as."),
        ("environment", "Variables such as `NAME=VALUE`."),
        ("umask", "The mask of the modes of new files, such as `022`."),
        ("creates", "Files that it makes: it does not run if all of them exist."),
        ("onlyif", "Commands that have to succeed."),
        ("unless", "Commands that have to fail."),
        ("refreshonly", "Runs only when another resource notifies it."),
        ("refresh", "The command that runs when it is notified, instead of `command`."),
        ("returns", "The exit codes that are a success (default: 0)."),
        ("timeout", "Seconds after which it is stopped (default: 300; 0 for no limit)."),
        ("tries", "How often it is tried (default: 1)."),
        ("try_sleep", "Seconds between two tries."),
        ("provider", "`posix` or `shell`; both run in `/bin/sh` here."),
    ],
    idle: "logoutput",
    others: "name",
    values: &[("refreshonly", BOOLEAN), ("logoutput", &["true", "false", "on_failure"])],
    providers: &["posix", "shell"],
    refuse,
    refuse_whole,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    let has_path = resource.parameters.contains_key("path");
    let is_shell = resource.parameter("provider").is_some_and(|p| convert::string(p) == "shell");
    match name {
        "command" if matches!(value, Value::Int(_) | Value::Bool(_)) => {
            let class = if matches!(value, Value::Int(_)) { "Integer" } else { "Boolean" };
            Some(format!("Command must be a String or Array<String>, got value of class {class}"))
        }
        "onlyif" | "unless" | "refresh" if !has_path && !is_shell => {
            unqualified(value).map(|word| not_qualified(&word))
        }
        "cwd" if !text.starts_with('/') => Some("cwd must be a fully qualified path".into()),
        "creates" if items(value).iter().any(|one| !convert::string(one).starts_with('/')) => {
            Some("creates must be a fully qualified path".into())
        }
        "environment" => items(value).into_iter().map(convert::string).find_map(|setting| {
            let front = setting.split('=').next().unwrap_or_default();
            let is_setting = setting.contains('=') && front.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            (!is_setting).then(|| format!("Invalid environment setting '{setting}'"))
        }),
        "umask" if !matches!(value, Value::Str(umask) if is_octal(umask)) => {
            Some(format!("The umask specification is invalid: {}", convert::ruby(value)))
        }
        "timeout" if as_float(value).is_none() => Some(munging(name, value, "The timeout must be a number.")),
        "tries" => match as_float(value) {
            None => Some(munging(name, value, "Tries must be an integer")),
            Some(tries) if tries < 1.0 => Some(munging(name, value, "Tries must be an integer >= 1")),
            Some(_) => None,
        },
        "try_sleep" => match as_float(value) {
            None => Some(munging(name, value, "try_sleep must be a number")),
            Some(pause) if pause < 0.0 => Some(munging(name, value, "try_sleep cannot be a negative number")),
            Some(_) => None,
        },
        _ => None,
    }
}

fn not_qualified(command: &str) -> String {
    format!("'{command}' is not qualified and no path was specified. Please qualify the command or specify a path.")
}

/// A command line as it begins: a text as a whole, the program of a list.
fn beginning(command: &Value) -> String {
    match command {
        Value::Array(words) => words.first().map(convert::string).unwrap_or_default(),
        other => convert::string(other),
    }
}

/// The first command of a guard without an absolute path.
fn unqualified(guard: &Value) -> Option<String> {
    let is_absolute = |command: &String| command.trim_start_matches(['"', '\'']).starts_with('/');
    items(guard).into_iter().map(beginning).find(|command| !is_absolute(command))
}

/// What parameters exclude together.
fn refuse_whole(resource: &Resource) -> Option<String> {
    let has = |name: &str| resource.parameters.contains_key(name);
    let text = |name: &str| resource.parameter(name).map(convert::string);
    let is_shell = text("provider").as_deref() == Some("shell");
    let command = resource.parameter("command").map_or_else(|| resource.title.to_string(), beginning);
    let word = command.trim_start_matches(['"', '\'']);
    (!is_shell && !word.starts_with('/') && !has("path")).then(|| not_qualified(&command))
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    let mut sources =
        vec![m.text("cwd").and_then(|cwd| m.find("file", &cwd)), m.text("user").and_then(|user| m.find("user", &user))];
    // A command that begins with a path needs the file there.
    let command = match m.resource.parameter("command") {
        None => m.resource.title.to_string(),
        Some(_) => m.value("command").map(beginning).unwrap_or_default(),
    };
    let guards = ["onlyif", "unless"].into_iter().filter_map(|name| m.value(name));
    let guards = guards.flat_map(|guard| items(guard).into_iter().map(beginning));
    for line in std::iter::once(command.clone()).chain(guards) {
        for path in line.lines().filter(|line| line.starts_with('/')) {
            sources.push(m.find("file", path.split_whitespace().next().unwrap_or_default()));
        }
    }
    if let Some((path, _)) = command.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        sources.push(m.find("file", path));
    }
    sources
}

const SHELL: &str = "/bin/sh";

/// Where programs are looked for if the resource does not say it.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Seconds that a command may take.
const TIMEOUT: i64 = 300;

fn map(g: &Mapper, meta: &mut Meta) -> MapResult {
    if let Some(provider) = g.text("provider").filter(|name| !["posix", "shell"].contains(&&**name)) {
        return Err(format!("`provider => {provider}`"));
    }
    let mut params = Params::default();
    let umask = g.text("umask").map_or_else(String::new, |mask| format!("umask {}\n", quoted(&mask)));
    let command = g.value("command").map_or_else(|| g.resource.title.to_string(), line);
    let shown = |command: String| Ours::Str(format!("{umask}{command}").into());
    params.set("cmd", g.guarded("command", shown(command)));
    params.set("shell", SHELL.into());
    g.pass(&mut params, "cwd", "cwd");
    let guards = [("onlyif", "ifcmd", "ifshell", "ifcwd", " && "), ("unless", "nifcmd", "nifshell", "nifcwd", " || ")];
    let mut created = g.list("creates").into_iter();
    if let Some(path) = created.next() {
        params.set("creates", Ours::Str(path.into()));
    }
    let others: Vec<String> = created.map(|path| format!("test -e {}", quoted(&path))).collect();
    for (theirs, ours, shell, cwd, joint) in guards {
        let mut commands = g.value(theirs).map(commands).unwrap_or_default();
        if theirs == "unless" {
            commands.extend(others.clone());
        }
        let command = match &commands[..] {
            [] => continue,
            [one] => one.clone(),
            // The arguments of a process are public.
            several if g.is_secret(theirs) => {
                several.iter().map(|one| format!("( {one}\n)")).collect::<Vec<_>>().join(joint)
            }
            // Each has a shell of its own, so that none can change how another is read.
            several => several.iter().map(|one| format!("{SHELL} -c {}", quoted(one))).collect::<Vec<_>>().join(joint),
        };
        params.set(ours, g.guarded(theirs, shown(command)));
        params.set(shell, SHELL.into());
        g.pass(&mut params, "cwd", cwd);
    }
    let has_guard = ["onlyif", "unless"].into_iter().any(|name| g.value(name).is_some());
    if has_guard && g.text("provider").as_deref() != Some("shell") {
        params.set("finds_programs", Ours::Bool(true));
    }
    refresh(g, &mut params, &shown);
    g.pass(&mut params, "user", "user");
    g.pass(&mut params, "group", "group");
    params.set("env", environment(g));
    let returns = g.list("returns").iter().filter_map(|code| code.parse().ok()).map(Ours::Int).collect::<Vec<_>>();
    if !returns.is_empty() {
        params.set("returns", Ours::List(returns));
    }
    bounds(g, meta);
    Ok(declaration("exec", &*g.resource.title, params))
}

fn refresh(g: &Mapper, params: &mut Params, shown: &dyn Fn(String) -> Ours) {
    let name = if g.flag("refreshonly") == Some(true) { "refresh_only" } else { "again" };
    params.set(name, Ours::Bool(true));
    if let Some(command) = g.value("refresh").map(line) {
        params.set("refreshcmd", g.guarded("refresh", shown(command)));
        params.set("refreshshell", SHELL.into());
        g.pass(params, "cwd", "refreshcwd");
    }
}

/// Tries and times, which the engine keeps.
fn bounds(g: &Mapper, meta: &mut Meta) {
    let seconds = |name| g.text(name).and_then(|text| text.parse::<f64>().ok());
    let millis = |seconds: f64| Ours::Int((seconds * 1000.0).clamp(0.0, 1e15) as i64);
    let timeout = seconds("timeout").unwrap_or(TIMEOUT as f64);
    if timeout > 0.0 {
        meta.set("timeout", millis(timeout));
    }
    if let Some(tries) = g.int("tries").filter(|tries| *tries > 1) {
        meta.set("retry", Ours::Int(tries - 1));
        if let Some(sleep) = seconds("try_sleep").filter(|sleep| *sleep > 0.0) {
            meta.set("delay", millis(sleep));
        }
    }
    g.ignore(&["try_sleep"]);
}

fn environment(g: &Mapper) -> Ours {
    let path = g.list("path");
    let path = if path.is_empty() { PATH.to_owned() } else { path.join(":") };
    let mut pairs = vec![("PATH".to_owned(), path), ("LANG".into(), "C".into()), ("LC_ALL".into(), "C".into())];
    for variable in g.list("environment") {
        let Some((name, value)) = variable.split_once('=') else { continue };
        pairs.retain(|(have, _)| have != name);
        pairs.push((name.to_owned(), value.to_owned()));
    }
    let pair = |(name, value): (String, String)| (Ours::Str(name.into()), Ours::Str(value.into()));
    g.guarded("environment", Ours::Map(pairs.into_iter().map(pair).collect()))
}

/// A command line: a text is one already, a list is a program with its arguments.
fn line(value: &Value) -> String {
    match value {
        Value::Array(words) => words.iter().map(|word| quoted(&convert::string(word))).collect::<Vec<_>>().join(" "),
        other => convert::string(other),
    }
}

/// The commands of a guard: one, or a list of them.
fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::Array(commands) => commands.iter().map(line).collect(),
        other => vec![convert::string(other)],
    }
}

/// One word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_words_for_the_shell() {
        let words = Value::array(vec![Value::str("/bin/echo"), Value::str("it's"), Value::str("")]);
        assert_eq!(line(&words), r"/bin/echo 'it'\''s' ''");
        assert_eq!(commands(&Value::array(vec![Value::str("a b"), words])).len(), 2);
    }
}
