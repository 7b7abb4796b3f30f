//! `exec` and `notify`: commands and messages.

use super::{Given, Made, declaration};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

const SHELL: &str = "/bin/sh";

/// Where programs are looked for if the resource does not say it.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Seconds that a command may take.
const TIMEOUT: i64 = 300;

pub fn exec(g: &Given, meta: &mut Meta) -> Made {
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

fn refresh(g: &Given, params: &mut Params, shown: &dyn Fn(String) -> Ours) {
    let name = if g.flag("refreshonly") == Some(true) { "refresh_only" } else { "again" };
    params.set(name, Ours::Bool(true));
    if let Some(command) = g.value("refresh").map(line) {
        params.set("refreshcmd", g.guarded("refresh", shown(command)));
        params.set("refreshshell", SHELL.into());
        g.pass(params, "cwd", "refreshcwd");
    }
}

/// Tries and times, which the engine keeps.
fn bounds(g: &Given, meta: &mut Meta) {
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

fn environment(g: &Given) -> Ours {
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

pub fn notify(g: &Given, _meta: &mut Meta) -> Made {
    let mut params = Params::default();
    let body = g.text("message").unwrap_or_else(|| g.name());
    params.set("body", g.guarded("message", Ours::Str(body.into())));
    params.set("priority", "Notice".into());
    params.set("always", Ours::Bool(true));
    g.ignore(&["name"]);
    Ok(declaration("msg", &*g.resource.title, params))
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
