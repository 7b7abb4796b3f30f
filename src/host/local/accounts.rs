//! Users and groups of this machine: read from their files, changed by the tools that lock them correctly.

use std::path::Path;

use super::{LocalLook, tool};
use crate::host::{AccountChange, Accounts, Group, HostError, LookFiles, NewAccounts, NewUser, User, Within};

/// Reads all accounts of this machine.
pub(super) fn read(look: &LocalLook) -> Result<Accounts, HostError> {
    let text = |path: &str| match look.read(Path::new(path)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()),
        Err(HostError::Missing { .. }) => Ok(String::new()),
        Err(error) => Err(error),
    };
    Ok(Accounts {
        users: text("/etc/passwd")?.lines().filter_map(user).collect(),
        groups: text("/etc/group")?.lines().filter_map(group).collect(),
        new: new_accounts(&text("/etc/login.defs")?, &text("/etc/default/useradd").unwrap_or_default()),
    })
}

/// Invalid lines are skipped, as the system's own functions do.
fn user(line: &str) -> Option<User> {
    let fields: Vec<&str> = line.split(':').collect();
    let [name, _, uid, gid, comment, home, shell] = fields[..] else { return None };
    Some(User {
        name: name.to_owned(),
        uid: uid.parse().ok()?,
        gid: gid.parse().ok()?,
        comment: comment.to_owned(),
        home: home.to_owned(),
        shell: shell.to_owned(),
    })
}

fn group(line: &str) -> Option<Group> {
    let fields: Vec<&str> = line.split(':').collect();
    let [name, _, gid, members] = fields[..] else { return None };
    let members = members.split(',').filter(|member| !member.is_empty()).map(str::to_owned).collect();
    Some(Group { name: name.to_owned(), gid: gid.parse().ok()?, members })
}

/// Returns the defaults of the tools.
fn new_accounts(login: &str, useradd: &str) -> NewAccounts {
    let value = |key: &str| {
        let of = |line: &str| line.trim().strip_prefix(key)?.strip_prefix([' ', '\t']).map(|v| v.trim().to_owned());
        login.lines().find_map(of)
    };
    let number = |key: &str, usual: u32| value(key).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let set = |key: &str| useradd.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix('='));
    let usual = NewAccounts::default();
    NewAccounts {
        uids: number("UID_MIN", *usual.uids.start())..=number("UID_MAX", *usual.uids.end()),
        gids: number("GID_MIN", *usual.gids.start())..=number("GID_MAX", *usual.gids.end()),
        homes: set("HOME").map_or(usual.homes, str::to_owned),
        shell: set("SHELL").map_or(usual.shell, str::to_owned),
        own_group: value("USERGROUPS_ENAB").is_some_and(|word| word.eq_ignore_ascii_case("yes")),
        makes_home: value("CREATE_HOME").is_some_and(|word| word.eq_ignore_ascii_case("yes")),
    }
}

/// Performs one change. No command line contains a password, because none is set.
pub(super) fn change(look: &LocalLook, change: &AccountChange, within: &Within) -> Result<(), HostError> {
    let (program, args) = match change {
        AccountChange::AddGroup { name, gid } => ("groupadd", with("-g", gid, name)),
        AccountChange::SetGroup { name, gid } => ("groupmod", with("-g", &Some(*gid), name)),
        AccountChange::RemoveGroup { name } => ("groupdel", vec![name.clone()]),
        AccountChange::AddUser(user) => ("useradd", add_user(user, &read(look)?)),
        AccountChange::SetUser { name, uid, gid, groups, home, shell, comment, shares_uid } => {
            let mut args = Vec::new();
            push(&mut args, "-u", uid);
            push(&mut args, "-g", gid);
            push(&mut args, "-G", &groups.as_ref().map(|groups| groups.join(",")));
            push(&mut args, "-d", home);
            push(&mut args, "-s", shell);
            push(&mut args, "-c", comment);
            if *shares_uid && uid.is_some() {
                args.push("-o".into());
            }
            args.push(name.clone());
            ("usermod", args)
        }
        AccountChange::RemoveUser { name } => ("userdel", vec![name.clone()]),
    };
    if !tool::has(program) {
        return Err(HostError::NoManager { what: "tool to change accounts", why: format!("`{program}` is missing") });
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    tool::change(program, &args, &[], within).map(drop)
}

fn with(flag: &str, value: &Option<u32>, name: &str) -> Vec<String> {
    let mut args = Vec::new();
    push(&mut args, flag, value);
    args.push(name.to_owned());
    args
}

fn push(args: &mut Vec<String>, flag: &str, value: &Option<impl ToString>) {
    if let Some(value) = value {
        args.extend([flag.to_owned(), value.to_string()]);
    }
}

fn add_user(user: &NewUser, accounts: &Accounts) -> Vec<String> {
    let mut args = Vec::new();
    push(&mut args, "-u", &user.uid);
    match (user.gid, accounts.group(&user.name)) {
        (Some(gid), _) => push(&mut args, "-g", &Some(gid)),
        // An existing group of that name would prevent the user's own group.
        (None, Some(group)) => push(&mut args, "-g", &Some(group.gid)),
        (None, None) if accounts.new.own_group => args.push("-U".into()),
        (None, None) => {}
    }
    if !user.groups.is_empty() {
        push(&mut args, "-G", &Some(user.groups.join(",")));
    }
    push(&mut args, "-c", &user.comment);
    push(&mut args, "-d", &user.home);
    push(&mut args, "-s", &user.shell);
    if user.shares_uid && user.uid.is_some() {
        args.push("-o".into());
    }
    if user.is_system {
        args.push("-r".into());
    }
    if user.makes_home {
        args.push("-m".into());
    }
    args.push(user.name.clone());
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_no_accounts() {
        assert_eq!(user("www:x:33:33:web:/var/www:/bin/false").map(|user| user.uid), Some(33));
        assert!(user("+::::::").is_none() && user("www:x:33").is_none() && user("").is_none());
        assert_eq!(group("adm:x:4:a,b").map(|group| group.members), Some(vec!["a".into(), "b".into()]));
        assert!(group("adm:x:no:").is_none());
    }

    #[test]
    fn what_new_accounts_get_is_read() {
        let new =
            new_accounts("#UID_MIN 1\nUID_MIN\t 2000\nUSERGROUPS_ENAB yes\nCREATE_HOME no", "# x\nSHELL=/bin/bash");
        assert_eq!((*new.uids.start(), new.own_group, new.makes_home), (2000, true, false));
        assert_eq!((new.shell.as_str(), new.homes.as_str()), ("/bin/bash", "/home"));
    }
}
