//! The machine under hands that play tricks: swapped folders, commands that do not end, pipes in the place of files.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use workbench::host::{Command, FileImage, Host, HostError, Local, LocalLook, LookFiles, Operation, Output, Owner};

use crate::skip::skip;

fn image(content: &str) -> FileImage {
    FileImage { content: Some(content.as_bytes().into()), mode: 0o640, owner: Owner::default() }
}

fn write(path: &Path, content: &str) -> Operation {
    Operation::WriteFile { path: path.into(), image: image(content) }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

fn shell(line: &str) -> Command {
    Command { program: "/bin/sh".into(), args: vec!["-c".into(), line.into()], ..Command::default() }
}

fn with_path(line: &str) -> Command {
    Command { env: vec![("PATH".into(), "/usr/bin:/bin".into())], ..shell(line) }
}

/// Runs a command with a minder, as every run of the program does.
fn run(command: &Command) -> Result<Output, HostError> {
    let host = Local::minded_by(env!("CARGO_BIN_EXE_workbench"));
    host.turn().run(command).map(|output| output.expect("this machine runs commands"))
}

/// Runs a command without one, as a program that only has the library does.
fn run_unminded(command: &Command) -> Result<Output, HostError> {
    Local::default().turn().run(command).map(|output| output.expect("this machine runs commands"))
}

#[test]
fn a_folder_swapped_for_a_link_does_not_move_the_write() {
    let root = folder();
    for name in ["mine", "victim"] {
        std::fs::create_dir(root.path().join(name)).expect("can be made");
    }
    let host = Local::default();
    let turn = host.turn();
    let target = root.path().join("mine/file");
    assert_eq!(turn.stat(&target), Ok(None));
    std::fs::rename(root.path().join("mine"), root.path().join("moved")).expect("can be moved");
    symlink("victim", root.path().join("mine")).expect("can be made");
    turn.perform(&write(&target, "x")).expect("the held folder is still there");
    assert!(root.path().join("moved/file").exists());
    assert!(!root.path().join("victim/file").exists());
}

#[test]
fn a_link_in_the_place_of_the_file_is_replaced_and_not_followed() {
    let root = folder();
    let (victim, link) = (root.path().join("victim"), root.path().join("link"));
    std::fs::write(&victim, "untouched").expect("can be written");
    symlink(&victim, &link).expect("can be made");
    let host = Local::default();
    let turn = host.turn();
    assert!(turn.perform(&Operation::SetMode { path: link.clone(), mode: 0o777 }).is_err());
    turn.perform(&write(&link, "new")).expect("can be written");
    assert_eq!(std::fs::read_to_string(&victim).expect("is there"), "untouched");
    assert!(std::fs::symlink_metadata(&link).expect("is there").is_file());
}

#[test]
fn a_tree_is_removed_through_no_link() {
    let root = folder();
    std::fs::create_dir_all(root.path().join("tree/a/b")).expect("can be made");
    std::fs::create_dir(root.path().join("kept")).expect("can be made");
    std::fs::write(root.path().join("kept/file"), "").expect("can be written");
    symlink("../../kept", root.path().join("tree/a/out")).expect("can be made");
    Local::default().turn().perform(&Operation::RemoveTree { path: root.path().join("tree") }).expect("can be removed");
    assert!(!root.path().join("tree").exists());
    assert!(root.path().join("kept/file").exists());
}

#[test]
fn a_failed_write_preserves_the_old_file() {
    let root = folder();
    let target = root.path().join("file");
    std::fs::create_dir(&target).expect("can be made");
    let error = Local::default().turn().perform(&write(&target, "x")).expect_err("a folder is there");
    assert!(matches!(error, HostError::Io { action: "replace", .. }), "{error}");
    let names: Vec<_> = std::fs::read_dir(root.path()).expect("is a folder").map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["file"]);
}

#[test]
fn mode_and_content_appear_together() {
    let root = folder();
    let target = root.path().join("file");
    Local::default().turn().perform(&write(&target, "x")).expect("can be written");
    assert_eq!(std::fs::metadata(&target).expect("is there").permissions().mode() & 0o7777, 0o640);
}

#[test]
fn a_pipe_is_not_waited_for() {
    let root = folder();
    let pipe = root.path().join("pipe");
    run(&shell(&format!("PATH=/usr/bin:/bin mkfifo {}", pipe.display()))).expect("runs");
    let read = LocalLook::new(false).read(&pipe);
    assert!(matches!(read, Err(HostError::WrongKind { .. })), "{read:?}");
}

#[test]
fn a_command_has_no_environment_no_input_and_a_group_of_its_own() {
    for run in [run, run_unminded] {
        let output = run(&shell("env; cat; echo err >&2; exit 3")).expect("runs");
        assert_eq!((output.code, output.stderr.ends_with(b"err\n")), (Some(3), true));
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!stdout.contains("HOME="), "{stdout}");
    }
}

#[test]
fn failed_starts_and_kills_are_distinguished() {
    for run in [run, run_unminded] {
        let nothing = Command { program: "/no/such/program".into(), ..Command::default() };
        assert!(matches!(run(&nothing), Err(HostError::Spawn { .. })), "{:?}", run(&nothing));
        let no_folder = Command { cwd: Some("/no/such/folder".into()), ..shell("true") };
        assert!(matches!(run(&no_folder), Err(HostError::Spawn { .. })), "{:?}", run(&no_folder));
        let output = run(&shell("kill -SEGV $$")).expect("runs");
        assert_eq!((output.code, output.signal), (None, Some(11)));
    }
}

#[test]
fn a_command_past_its_deadline_is_ended_with_its_children() {
    for run in [run, run_unminded] {
        let root = folder();
        let mark = root.path().join("mark");
        let line = format!("trap '' TERM; (sleep 1; echo late > {}) & sleep 60", mark.display());
        let command = Command { timeout: Some(Duration::from_millis(200)), ..with_path(&line) };
        let error = run(&command).expect_err("it does not end by itself");
        assert!(matches!(error, HostError::Deadline { .. }), "{error}");
        // Long enough for the child to have written, were it still there.
        std::thread::sleep(Duration::from_secs(2));
        assert!(!mark.exists());
    }
}

#[test]
fn open_pipes_of_a_daemon_are_not_awaited() {
    for run in [run, run_unminded] {
        let root = folder();
        let mark = root.path().join("mark");
        let line = format!("echo up; (sleep 1; echo still there > {}) &", mark.display());
        let output = run(&with_path(&line)).expect("the command itself ends");
        assert_eq!(output.stdout, b"up\n");
        std::thread::sleep(Duration::from_secs(2));
        assert!(mark.exists(), "a daemon outlives the command that started it");
    }
}

#[test]
fn endless_output_is_kept_within_bounds() {
    for run in [run, run_unminded] {
        let output = run(&with_path("head -c 9000000 /dev/zero; echo end")).expect("runs");
        assert!(output.truncated && output.stdout.len() == 1 << 20 && output.stdout.ends_with(b"end\n"));
        let all = run(&with_path("head -c 1000000 /dev/zero")).expect("runs");
        assert_eq!((all.truncated, all.stdout.len()), (false, 1_000_000));
    }
}

#[test]
fn paths_that_cannot_be_are_errors_with_a_name() {
    let host = Local::default();
    let turn = host.turn();
    for path in ["relative", "/tmp/..", "/", "/tmp/a\0b"] {
        let error = turn.perform(&write(Path::new(path), "x")).expect_err(path);
        assert!(matches!(error, HostError::BadPath { .. }), "{path}: {error}");
    }
    let missing = turn.perform(&write(Path::new("/no/such/folder/file"), "x"));
    assert!(matches!(missing, Err(HostError::Missing { .. })), "{missing:?}");
    let unknown = FileImage { content: None::<Arc<[u8]>>, ..image("") };
    assert!(
        turn.perform(&Operation::WriteFile { path: "/tmp/never".into(), image: unknown })
            .is_err_and(|error| error.is_unknown())
    );
}

#[test]
fn a_replaced_file_keeps_its_attributes() {
    let root = folder();
    let (path, source) = (root.path().join("file"), root.path().join("source"));
    std::fs::write(&path, "old").expect("can be written");
    std::fs::write(&source, "copied").expect("can be written");
    let host = Local::default();
    let turn = host.turn();
    if turn.perform(&Operation::SetXattr { path: path.clone(), name: "user.note", value: b"mine".to_vec() }).is_err() {
        return skip("user attributes", "this file system stores no attributes of users");
    }
    turn.perform(&write(&path, "new")).expect("can be written");
    assert_eq!(turn.xattr(&path, "user.note"), Ok(Some(b"mine".to_vec())));
    let (from, to) = (source.clone(), path.clone());
    let copy = Operation::CopyFile { from, path: to, mode: 0o600, owner: Owner::default() };
    turn.perform(&copy).expect("can be copied");
    assert_eq!(turn.xattr(&path, "user.note"), Ok(Some(b"mine".to_vec())));
    assert_eq!(turn.same(&source, &path), Ok(Some(true)));
    assert_eq!(turn.xattr(&source, "user.note"), Ok(None));
}
