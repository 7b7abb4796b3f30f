//! The mcl parts of built-in modules: their source, beside the built-in functions of the same module.

/// The part of a module that is written in mcl.
#[derive(Debug)]
pub struct Native {
    pub module: &'static str,
    pub text: &'static str,
    /// Classes that can be named and checked but do nothing here, with the reason.
    absent: &'static [(&'static str, &'static str)],
}

/// Sorted by module.
pub static NATIVE: &[Native] = &[
    Native {
        module: "embedded/provisioner",
        text: include_str!("native/provisioner.mcl"),
        absent: &[("base", PROVISIONER), ("repo", PROVISIONER), ("host", PROVISIONER)],
    },
    Native { module: "example", text: include_str!("native/example.mcl"), absent: &[] },
];

const PROVISIONER: &str = "the host provisioner is not built in";

/// The mcl part of a module, if it has one.
pub fn native(module: &str) -> Option<&'static Native> {
    NATIVE.iter().find(|native| native.module == module)
}

/// Why a class does nothing here; `file` is the name of its file.
pub fn absent(file: &str, class: &str) -> Option<&'static str> {
    let native = NATIVE.iter().find(|native| native.file_name() == file)?;
    native.absent.iter().find(|(name, _)| *name == class).map(|(_, why)| *why)
}

impl Native {
    /// The name of its source in diagnostics.
    pub fn file_name(&self) -> String {
        format!("<{}>", self.module)
    }
}
