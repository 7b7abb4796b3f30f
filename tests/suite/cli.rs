//! What cases cannot say about the command line: closed pipes, and help of every command.

use std::path::Path;

use crate::cases::execute;

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(Into::into).collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    let help = execute(&words("--help"), None, &work);
    let text = String::from_utf8(help.stdout).expect("help is UTF-8");
    let commands = text.split("Commands:").nth(1).and_then(|t| t.split("\n\n").next()).expect("help lists commands");
    let names: Vec<_> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.len() > 4, "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let help = execute(&words(&format!("{name} --help")), None, &work);
        assert_eq!(help.status.code(), Some(0), "{name}");
        assert!(String::from_utf8_lossy(&help.stdout).contains("Example"), "{name} has no example");
    }
}

#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("the temporary folder can be written");
    assert_eq!(execute(&words("man pages"), None, &work).status.code(), Some(0));
    assert!(work.join("pages/workbench-check.1").exists());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = execute(&words(&format!("completions {shell}")), None, &work);
        assert!(String::from_utf8_lossy(&printed.stdout).contains("preview"), "{shell}");
    }
    assert!(!Path::new("pages").exists(), "nothing is written elsewhere");
}
