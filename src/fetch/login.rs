//! Logins from git's own credential helpers, through the `git` program where there is one.

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

/// The login that the user's helpers know for a URL. Nobody is asked.
pub fn from_helpers(url: &str) -> Option<Login> {
    let answer = match credential(Verb::Fill, url, None) {
        Some(answer) => answer,
        None => return by_libgit2(url),
    };
    let value = |name: &str| answer.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    // Without an answer of a helper, git asks `GIT_ASKPASS`, which answers nothing.
    let login = Login { user: value("username=")?, password: value("password=")? };
    (!login.user.is_empty() || !login.password.is_empty()).then_some(login)
}

/// Without the `git` program libgit2 asks one helper itself.
fn by_libgit2(url: &str) -> Option<Login> {
    let config = git2::Config::open_default().ok()?;
    let (user, password) = git2::CredentialHelper::new(url).config(&config).execute()?;
    Some(Login { user, password })
}

/// Tells the helpers that a login did.
pub fn approve(url: &str, login: &Login) {
    let _ = credential(Verb::Approve, url, Some(login));
}

/// Tells the helpers that a login did not do.
pub fn reject(url: &str, login: &Login) {
    let _ = credential(Verb::Reject, url, Some(login));
}

/// `None` where there is no `git`, or it has nothing to say.
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
