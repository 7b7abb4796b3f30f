//! The facet of users and groups: the whole database as plain data, and its changes.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::HostError;

/// The user that this process runs as. New files belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    pub uid: u32,
    pub gid: u32,
    pub umask: u32,
}

/// Names and numbers of accounts.
pub trait LookAccounts {
    fn identity(&self) -> Identity;

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError>;

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError>;

    /// For showing: `None` where the number has no name.
    fn user_name(&self, uid: u32) -> Option<String>;

    /// For showing: `None` where the number has no name.
    fn group_name(&self, gid: u32) -> Option<String>;

    /// The machine's own accounts. Accounts of a directory service are found by name only.
    fn accounts(&self) -> Result<Accounts, HostError>;
}

/// A user of the machine, without the password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    pub comment: String,
    pub home: String,
    pub shell: String,
}

/// A group of the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    pub gid: u32,
    pub members: Vec<String>,
}

/// The defaults for a new account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAccounts {
    pub uids: RangeInclusive<u32>,
    pub gids: RangeInclusive<u32>,
    /// The parent of home folders.
    pub homes: String,
    pub shell: String,
    /// A new user gets its own group of the same name.
    pub own_group: bool,
    pub makes_home: bool,
}

impl Default for NewAccounts {
    fn default() -> Self {
        Self {
            uids: 1000..=60000,
            gids: 1000..=60000,
            homes: "/home".into(),
            shell: "/bin/sh".into(),
            own_group: true,
            makes_home: false,
        }
    }
}

/// All users and groups of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accounts {
    pub users: Vec<User>,
    pub groups: Vec<Group>,
    pub new: NewAccounts,
}

/// A change of users and groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum AccountChange {
    AddGroup {
        name: String,
        gid: Option<u32>,
    },
    SetGroup {
        name: String,
        gid: u32,
    },
    RemoveGroup {
        name: String,
    },
    AddUser(NewUser),
    SetUser {
        name: String,
        uid: Option<u32>,
        gid: Option<u32>,
        /// Replaces the list of supplementary groups.
        groups: Option<Vec<String>>,
        home: Option<String>,
        shell: Option<String>,
        #[serde(default)]
        comment: Option<String>,
        shares_uid: bool,
    },
    /// The home folder stays.
    RemoveUser {
        name: String,
    },
}

/// A user to add. Unset fields get the machine's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewUser {
    pub name: String,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub groups: Vec<String>,
    pub comment: Option<String>,
    pub home: Option<String>,
    pub shell: Option<String>,
    pub shares_uid: bool,
    #[serde(default)]
    pub makes_home: bool,
    /// The user gets a number from the range for system users.
    #[serde(default)]
    pub is_system: bool,
}

impl Accounts {
    /// Returns the user with this name.
    pub fn user(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// Returns the group with this name.
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// Returns the user with this numeric id.
    pub fn user_by_id(&self, uid: u32) -> Option<&User> {
        self.users.iter().find(|user| user.uid == uid)
    }

    /// Returns the group with this numeric id.
    pub fn group_by_id(&self, gid: u32) -> Option<&Group> {
        self.groups.iter().find(|group| group.gid == gid)
    }

    /// Returns the groups that list a user, sorted, without the main group.
    pub fn groups_of(&self, user: &str) -> Vec<String> {
        let listed = self.groups.iter().filter(|group| group.members.iter().any(|member| member == user));
        let mut names: Vec<String> = listed.map(|group| group.name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the number for a new user: one above the highest in use, or the lowest free one.
    pub fn next_uid(&self) -> Option<u32> {
        next(&self.new.uids, &self.users.iter().map(|user| user.uid).collect::<Vec<_>>())
    }

    /// Returns the number for a new group.
    pub fn next_gid(&self) -> Option<u32> {
        next(&self.new.gids, &self.groups.iter().map(|group| group.gid).collect::<Vec<_>>())
    }

    /// Predicts a change, with the errors of the tools that make it.
    pub fn change(&mut self, change: &AccountChange) -> Result<(), HostError> {
        match change {
            AccountChange::AddGroup { name, gid } => self.add_group(name, *gid),
            AccountChange::SetGroup { name, gid } => {
                let old = self.group(name).ok_or_else(|| no_group(name))?.gid;
                for user in self.users.iter_mut().filter(|user| user.gid == old) {
                    user.gid = *gid;
                }
                let group = self.groups.iter_mut().find(|group| group.name == *name);
                group.ok_or_else(|| no_group(name))?.gid = *gid;
                Ok(())
            }
            AccountChange::RemoveGroup { name } => {
                let gid = self.group(name).ok_or_else(|| no_group(name))?.gid;
                if let Some(user) = self.users.iter().find(|user| user.gid == gid) {
                    return Err(HostError::Refused(format!("it is the main group of the user `{}`", user.name)));
                }
                self.groups.retain(|group| group.name != *name);
                Ok(())
            }
            AccountChange::AddUser(user) => self.add_user(user),
            AccountChange::SetUser { name, uid, gid, groups, home, shell, comment, .. } => {
                if let Some(groups) = groups {
                    self.join(name, groups)?;
                }
                let user = self.users.iter_mut().find(|user| user.name == *name).ok_or_else(|| no_user(name))?;
                user.uid = uid.unwrap_or(user.uid);
                user.gid = gid.unwrap_or(user.gid);
                user.home = home.clone().unwrap_or_else(|| std::mem::take(&mut user.home));
                user.comment = comment.clone().unwrap_or_else(|| std::mem::take(&mut user.comment));
                user.shell = shell.clone().unwrap_or_else(|| std::mem::take(&mut user.shell));
                Ok(())
            }
            AccountChange::RemoveUser { name } => self.remove_user(name),
        }
    }

    fn add_group(&mut self, name: &str, gid: Option<u32>) -> Result<(), HostError> {
        let gid = gid.or_else(|| self.next_gid()).ok_or_else(|| HostError::Refused("no free number".into()))?;
        self.groups.push(Group { name: name.to_owned(), gid, members: Vec::new() });
        Ok(())
    }

    fn add_user(&mut self, user: &NewUser) -> Result<(), HostError> {
        let uid = user.uid.or_else(|| self.next_uid()).ok_or_else(|| HostError::Refused("no free number".into()))?;
        let gid = match (user.gid, self.group(&user.name)) {
            (Some(gid), _) => gid,
            (None, Some(group)) => group.gid,
            (None, None) => {
                // The user's own group gets the user's number, if that is free.
                let same = self.group_by_id(uid).is_none() && self.new.gids.contains(&uid);
                self.add_group(&user.name, same.then_some(uid))?;
                self.group(&user.name).map_or(uid, |group| group.gid)
            }
        };
        self.join(&user.name, &user.groups)?;
        self.users.push(User {
            name: user.name.clone(),
            uid,
            gid,
            comment: user.comment.clone().unwrap_or_default(),
            home: user.home.clone().unwrap_or_else(|| format!("{}/{}", self.new.homes, user.name)),
            shell: user.shell.clone().unwrap_or_else(|| self.new.shell.clone()),
        });
        Ok(())
    }

    /// Lists a user in exactly these groups.
    fn join(&mut self, user: &str, groups: &[String]) -> Result<(), HostError> {
        if let Some(missing) = groups.iter().find(|name| self.group(name).is_none()) {
            return Err(no_group(missing));
        }
        for group in &mut self.groups {
            group.members.retain(|member| member != user);
            if groups.contains(&group.name) {
                group.members.push(user.to_owned());
            }
        }
        Ok(())
    }

    fn remove_user(&mut self, name: &str) -> Result<(), HostError> {
        let gid = self.user(name).ok_or_else(|| no_user(name))?.gid;
        self.users.retain(|user| user.name != name);
        for group in &mut self.groups {
            group.members.retain(|member| member != name);
        }
        // The user's own group is removed too, unless it has other members.
        let is_main = self.users.iter().any(|user| user.gid == gid);
        self.groups.retain(|group| group.name != name || group.gid != gid || is_main || !group.members.is_empty());
        Ok(())
    }
}

fn no_group(name: &str) -> HostError {
    HostError::NoAccount { what: "group", name: name.to_owned() }
}

fn no_user(name: &str) -> HostError {
    HostError::NoAccount { what: "user", name: name.to_owned() }
}

fn next(range: &RangeInclusive<u32>, used: &[u32]) -> Option<u32> {
    match used.iter().filter(|number| range.contains(number)).max() {
        None => Some(*range.start()),
        Some(highest) if highest < range.end() => Some(highest + 1),
        Some(_) => range.clone().find(|number| !used.contains(number)),
    }
}
