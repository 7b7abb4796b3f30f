//! Logins from git's credential helpers, through the `git` program. Without it there are no helpers either.

use std::io::Write;
use std::process::{Command, Stdio};

use super::transport::Login;

/// The message for the helpers.
#[derive(Clone, Copy)]
enum Verb {
    Fill,
    Approve,
    Reject,
}

impl Verb {
    fn as_str(self) -> &'static str {
        match self {
            Verb::Fill => "fill",
            Verb::Approve => "approve",
            Verb::Reject => "reject",
        }
    }
}

/// The login that the user's helpers know for a URL. Asks no user.
pub fn from_helpers(url: &str) -> Option<Login> {
    let answer = credential(Verb::Fill, url, None)?;
    let value = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    // Without an answer of a helper, git asks `GIT_ASKPASS`, which answers nothing.
    let login = Login { user: value("username=")?, password: value("password=")? };
    (!login.user.is_empty() || !login.password.is_empty()).then_some(login)
}

/// Reports to the helpers that the server accepted a login.
pub fn approve(url: &str, login: &Login) {
    let _ = credential(Verb::Approve, url, Some(login));
}

/// Reports to the helpers that the server refused a login.
pub fn reject(url: &str, login: &Login) {
    let _ = credential(Verb::Reject, url, Some(login));
}

/// `None` where there is no `git`, or it has no answer.
fn credential(verb: Verb, url: &str, login: Option<&Login>) -> Option<String> {
    let mut child = Command::new("git")
        .args(["credential", verb.as_str()])
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "true")
        .env("SSH_ASKPASS", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // The URL was judged: it holds no line break that could add a line of its own.
    let mut question = format!("url={url}\n");
    if let Some(login) = login.filter(|login| !login.user.contains('\n') && !login.password.contains('\n')) {
        question.push_str(&format!("username={}\npassword={}\n", login.user, login.password));
    }
    question.push('\n');
    child.stdin.take()?.write_all(question.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}
