//! The kind `ssh:authorized_key`: manages one entry of an authorized_keys file.

use std::path::Path;

use super::edit::{Edited, expand};
use super::exec::account;
use super::reader::{Param, Reader, Typed, account_name};
use super::validate::key::kind_of;
use super::{Checked, Kind, Schema, Turn, line, schema};
use crate::host::{HostError, Look, Operation, Owner};
use crate::plan::Action;

use super::kind::change;

/// The kind `ssh:authorized_key`, which manages one entry of an `authorized_keys` file.
pub struct SshAuthorizedKey;

struct KeyParams {
    exists: Param<bool>,
    /// The line of the file; unset if an entry is removed by its comment.
    entry: Param<String>,
    /// The comment names the entry.
    by_comment: Param<bool>,
    comment: Param<String>,
    user: Param<String>,
    file: Param<String>,
    /// Whether a missing `.ssh` folder is made; unset means that it is.
    mkdir: Param<bool>,
}

impl Kind for SshAuthorizedKey {
    fn schema(&self) -> &'static Schema {
        schema("ssh:authorized_key").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        given.must_be("state", &["exists", "absent"])?;
        if let Some(user) = given.filled("user") {
            account_name("`user`", user)?;
        }
        let parts = ["options", "type", "key", "comment"];
        if let Some(part) = parts.into_iter().find(|part| given.is_filled("content") && given.is_filled(part)) {
            return Err(format!("`{part}` cannot be set with `content`"));
        }
        if given.is_filled("type") != given.is_filled("key") {
            return Err("set both `type` and `key`, or neither".into());
        }
        let removes_by_comment = given.is_true("by_comment") && given.text("state") == Some("absent");
        let entry = if removes_by_comment { Param::Unset } else { entry(given)? };
        Ok(Typed::new(KeyParams {
            exists: given.filled_word("state").parse("state", |state| Ok(state == "exists"))?,
            entry,
            by_comment: given.flag_param("by_comment"),
            comment: given.filled_param("comment"),
            user: given.filled_param("user"),
            file: given.filled_param("file"),
            mkdir: given.flag_param("mkdir"),
        }))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let params: &KeyParams = turn.typed.get()?;
        let exists = params.exists.flag()?;
        let by_comment = params.by_comment.flag()?;
        let entry = params.entry.get()?.cloned().unwrap_or_default();
        let user = params.user.get()?.map(String::as_str);
        let place = match (params.file.get()?, user) {
            (Some(file), _) => file.clone(),
            (None, Some(user)) => format!("~{user}/.ssh/authorized_keys"),
            (None, None) => "~/.ssh/authorized_keys".to_owned(),
        };
        let path = expand(&place, look)?;
        let owner = owner(user, look)?;
        // Its content is public, whatever the mode.
        let file = Edited { is_private: false, ..Edited::look(turn, path.clone(), look)? };
        let mut seen = match (params.comment.get()?, &file.content) {
            (Some(comment), Some(have)) if by_comment => {
                let have = String::from_utf8_lossy(have);
                match with(&have, comment, Some(&entry).filter(|_| exists)) {
                    Some(wanted) => file.turn_into(Some(wanted.into_bytes()), MODE_OF_NEW, owner),
                    None => Checked::right(),
                }
            }
            _ => line::keep(&file, &entry, exists, owner),
        };
        if exists && let Some(folder) = missing_folder(params, &path, look)? {
            seen.changes.insert(0, change("folder", None, Some(folder.display().to_string())));
            seen.operations.insert(0, Operation::MakeDir { path: folder.into(), mode: 0o700, owner });
            seen.action = Action::Create;
        }
        Ok(seen)
    }
}

const MODE_OF_NEW: u32 = 0o600;

/// Returns the file with an entry replacing all that have its comment, or without them; `None` if nothing changes.
fn with(file: &str, comment: &str, entry: Option<&String>) -> Option<String> {
    let comment_of = |line: &str| {
        let words = words(line);
        // Also an entry with a damaged key.
        let is_kind = |word: &&str| ["ssh-", "ecdsa-", "sk-"].iter().any(|begin| word.starts_with(begin));
        let kind = words.iter().position(is_kind).filter(|_| !line.trim_start().starts_with('#'))?;
        Some(words.get(kind + 2..)?.join(" "))
    };
    let mut lines: Vec<&str> = file.lines().collect();
    let place = lines.iter().position(|line| comment_of(line).as_deref() == Some(comment));
    let mut at = 0..;
    lines.retain(|line| at.next() == place || comment_of(line).as_deref() != Some(comment));
    match (place, entry) {
        (Some(place), Some(entry)) => lines[place] = entry,
        (Some(place), None) => {
            lines.remove(place);
        }
        (None, entry) => lines.extend(entry.map(String::as_str)),
    }
    let wanted = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    (wanted.trim_end_matches('\n') != file.trim_end_matches('\n')).then_some(wanted)
}

/// New files belong to the user of the keys.
fn owner(user: Option<&str>, look: &dyn Look) -> Result<Owner, HostError> {
    let Some(name) = user else { return Ok(Owner::default()) };
    let uid = account(Some(name), "user", |name| look.uid(name))?;
    Ok(Owner { uid: uid.filter(|uid| *uid != look.identity().uid), gid: None })
}

/// Returns the `.ssh` folder, if it must be made. `mkdir` is true by default.
fn missing_folder<'p>(params: &KeyParams, path: &'p Path, look: &dyn Look) -> Result<Option<&'p Path>, HostError> {
    let makes = params.mkdir.get()? != Some(&false);
    let Some(folder) = path.parent().filter(|folder| makes && folder.ends_with(".ssh")) else { return Ok(None) };
    Ok(if look.stat_target(folder)?.is_none() { Some(folder) } else { None })
}

/// Returns the line of the file: from `content`, from its parts, or from the name.
fn entry(given: &Reader) -> Result<Param<String>, String> {
    let content = given.filled_param("content");
    let parts = ["type", "key", "comment"].map(|part| given.filled_param(part));
    let options = given.texts_param("options");
    let unknown = std::iter::once(&content).chain(&parts).find_map(Param::unknown).or(options.unknown());
    if let Param::Known(content) = &content {
        return parse_entry(content).map(Param::Known);
    }
    if given.is_filled("key") {
        whole_key(given)?;
    }
    if let Some(param) = unknown {
        return Ok(Param::Unknown(param));
    }
    let Param::Known(key) = &parts[1] else { return parse_entry(given.name).map(Param::Known) };
    let options = if let Param::Known(options) = options { options.join(",") } else { String::new() };
    let text = |part: &Param<String>| if let Param::Known(text) = part { text.clone() } else { String::new() };
    let words = [options, text(&parts[0]), key.clone(), text(&parts[2])];
    let whole = words.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    // The key was validated before; its type may be one that is not known here.
    one_line(&whole).map(|line| Param::Known(line.to_owned()))
}

fn one_line(text: &str) -> Result<&str, String> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') || text.contains(['\n', '\r', '\0']) {
        return Err("an entry of authorized_keys is one line with a key".into());
    }
    Ok(text)
}

/// Parses an entry without surrounding white space. Its key must be valid and of the type that is written before it.
pub(super) fn parse_entry(text: &str) -> Result<String, String> {
    let text = one_line(text)?;
    let words = words(text);
    let has_key = words.windows(2).any(|pair| kind_of(pair[1]) == Some(pair[0]));
    if has_key { Ok(text.to_owned()) } else { Err("the entry contains no key such as `ssh-ed25519 AAAA…`".into()) }
}

/// Returns the words of an entry. Quotes in options keep blanks together.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => quoted = !quoted,
            ' ' | '\t' if !quoted => {
                words.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Certificates are keys of more types than are known here.
fn whole_key(given: &Reader) -> Result<(), String> {
    let (Some(kind), Some(key)) = (given.text("type"), given.text("key")) else { return Ok(()) };
    match kind_of(key) {
        _ if kind.contains("-cert-") => Ok(()),
        // Puppet writes any text, and `sshd` ignores such a line.
        None if given.is_true("by_comment") => Ok(()),
        None => Err("`key` is not a public key; it is the second word of the line in a `.pub` file".into()),
        Some(found) if found != kind => Err(format!("`type` is `{kind}`, but `key` is of type `{found}`")),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE";

    #[test]
    fn a_comment_names_an_entry() {
        let line = |options: &str, comment: &str| format!("{options}ssh-ed25519 {KEY} {comment}");
        let file = format!("# x\n{}\n{}\n", line("", "a b"), line("", "c"));
        let entry = line("no-pty ", "a b");
        assert_eq!(with(&file, "a b", Some(&entry)), Some(file.replacen("ssh", "no-pty ssh", 1)));
        assert_eq!(with(&file, "c", Some(&line("", "c"))), None);
        assert_eq!(with(&file, "c", None), Some(format!("# x\n{}\n", line("", "a b"))));
        assert_eq!(with(&file, "d", None), None);
    }

    #[test]
    fn an_entry_is_one_line_with_a_key_of_its_type() {
        assert_eq!(parse_entry(&format!(" ssh-ed25519 {KEY} me@here\n")), Ok(format!("ssh-ed25519 {KEY} me@here")));
        assert!(parse_entry(&format!("command=\"a b\",no-pty ssh-ed25519 {KEY}")).is_ok());
        for bad in [format!("ssh-rsa {KEY}"), "ssh-ed25519 AAAA".into(), "# ssh-ed25519".into(), String::new()] {
            assert!(parse_entry(&bad).is_err(), "{bad}");
        }
    }
}
