//! Modules of our own that a model may import where no folder of its module path has them.

const MODULES: &[(&str, &str)] = &[
    ("apt", include_str!("apt.cf")),
    ("cron", include_str!("cron.cf")),
    ("exec", include_str!("exec.cf")),
    ("files", include_str!("files.cf")),
    ("fs", include_str!("fs.cf")),
    ("ssh", include_str!("ssh.cf")),
    ("std", include_str!("std.cf")),
    ("std::testing", include_str!("std_testing.cf")),
    ("user", include_str!("user.cf")),
];

/// The names of the modules that are built in.
pub fn names() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name).filter(|name| !name.contains("::"))
}

/// The text of such a module, or of a part of one.
pub fn text(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
