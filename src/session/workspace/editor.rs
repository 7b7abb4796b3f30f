//! The user's editor: its command, and how to open it at a line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::session::workspace::lending::lend;
use crate::world::{Live, Read, Sample, World};

/// Returns the editor's command line from the settings or the environment.
pub fn editor(set: Option<&str>) -> Option<String> {
    let is_set = |words: &&str| !words.trim().is_empty();
    let by_custom = || {
        let Ok(Sample::Pairs(variables)) = Live::new().read(&Read::Environment) else { return None };
        let variable = |name: &str| variables.get(name).map(|words| &**words).filter(is_set).map(Into::into);
        variable("VISUAL").or_else(|| variable("EDITOR"))
    };
    set.filter(is_set).map(Into::into).or_else(by_custom)
}

/// Runs an editor in the terminal and waits for it while `is_wanted` holds. The caller has restored the terminal.
pub fn edit(words: &str, path: &Path, line: u32, is_wanted: impl Fn() -> bool) -> Result<(), String> {
    match lend(&mut command(words, path, line), is_wanted) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) if status.code() == Some(127) => Err(format!("editor `{words}` not found: set EDITOR")),
        Ok(Some(status)) => Err(format!("the editor `{words}` failed: {status}")),
        Ok(None) => Err(format!("stopped waiting for the editor `{words}`")),
        Err(error) => Err(format!("cannot start the editor `{words}`: {error}; set EDITOR")),
    }
}

#[expect(clippy::disallowed_methods, reason = "it is the user's own program, on their terminal")]
fn command(words: &str, path: &Path, line: u32) -> Command {
    let program = words.split_whitespace().next().unwrap_or("vi");
    // Like git, let a shell split the words, so that quotes work. `exec` replaces the shell by the editor, which then
    // receives Ctrl-C and stop signals. For a list of commands the shell stays, and ignores Ctrl-C.
    let is_program = !program.contains('=') && !["exec", "command"].contains(&program);
    let is_one = is_program && !words.contains([';', '&', '|', '<', '>', '(', ')', '`', '$', '\n']);
    let line_of_shell = if is_one { format!("exec {words} \"$@\"") } else { format!("trap : INT; {words} \"$@\"") };
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(line_of_shell).arg(program).args(at_line(program, path, line));
    command
}

/// Returns an editor's arguments for a line.
fn at_line(program: &str, path: &Path, line: u32) -> Vec<OsString> {
    let name = PathBuf::from(program);
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let with_line = || {
        let mut words = path.as_os_str().to_os_string();
        words.push(format!(":{line}"));
        words
    };
    match name.as_str() {
        "hx" | "helix" | "subl" | "zed" => vec![with_line()],
        "code" | "codium" => vec!["--wait".into(), "--goto".into(), with_line()],
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "view" => {
            vec![format!("+{line}").into(), path.into()]
        }
        // The syntax of an unknown editor is unknown.
        _ => vec![path.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_get_the_line_in_their_own_form() {
        let path = Path::new("a.mcl");
        assert_eq!(at_line("/usr/bin/vim", path, 7), ["+7", "a.mcl"]);
        assert_eq!(at_line("hx", path, 7), ["a.mcl:7"]);
        assert_eq!(at_line("code", path, 7), ["--wait", "--goto", "a.mcl:7"]);
        assert_eq!(at_line("mine", path, 7), ["a.mcl"]);
    }
}
