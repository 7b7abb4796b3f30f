//! `[targets.NAME]`: the clusters, and how to reach each.
//!
//! The file never contains a password: a program prints it, another file contains it, or the environment does.

use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeValue;

use super::value::Written;

/// One target, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSetting {
    pub name: Written,
    /// `etcd://HOST[:PORT][,HOST[:PORT]]`, with TLS `etcds://`.
    pub address: String,
    /// PEM files: the CA certificate of the cluster, our own certificate, and its key.
    pub ca: Option<PathBuf>,
    pub cert: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub user: Option<String>,
    /// Its first line is the password.
    pub password_file: Option<PathBuf>,
    /// The first line of its output is the password.
    pub password_command: Option<String>,
}

impl TargetSetting {
    /// The files that it names.
    pub(super) fn files(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        [&mut self.ca, &mut self.cert, &mut self.key, &mut self.password_file].into_iter().flatten()
    }
}

/// An error of a target: its place, if that may be shown, the problem, and the help.
pub(super) type Fault = (Option<std::ops::Range<usize>>, String, String);

/// Reads one target's table.
pub(super) fn read(name: Written, value: &Spanned<DeValue<'_>>) -> Result<TargetSetting, Fault> {
    const EXAMPLE: &str = "for example `targets.lab = { address = \"etcd://localhost:2379\" }`";
    let DeValue::Table(table) = value.get_ref() else {
        return Err((Some(value.span()), "expected a table".into(), EXAMPLE.into()));
    };
    let span = Some(name.span.map_or(value.span(), |span| span.start as usize..span.end as usize));
    if !is_name(&name.text) {
        let help = "use letters, digits, `-` and `_`".into();
        return Err((span, "not a valid target name".into(), help));
    }
    let mut target = TargetSetting {
        name,
        address: String::new(),
        ca: None,
        cert: None,
        key: None,
        user: None,
        password_file: None,
        password_command: None,
    };
    for (key, value) in table.iter() {
        let text = || match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text.to_string()),
            _ => Err((Some(value.span()), format!("`{}` must be a string", key.get_ref()), EXAMPLE.to_owned())),
        };
        match key.get_ref().as_ref() {
            "address" => target.address = text()?,
            "ca" => target.ca = Some(text()?.into()),
            "cert" => target.cert = Some(text()?.into()),
            "key" => target.key = Some(text()?.into()),
            "user" => target.user = Some(text()?),
            "password-file" => target.password_file = Some(text()?.into()),
            "password-command" => target.password_command = Some(text()?),
            "password" => {
                let help = "use `password-command`, `password-file` or WORKBENCH_ETCD_PASSWORD";
                // Its line is not shown, because it contains the password.
                let label = format!("`targets.{}`: passwords are not allowed in this file", target.name.text);
                return Err((None, label, help.into()));
            }
            other => {
                let known = ["address", "ca", "cert", "key", "user", "password-file", "password-command"];
                let near = crate::diag::nearest(other, known);
                let help = near
                    .map_or(format!("the fields are {}", known.join(", ")), |near| format!("did you mean `{near}`?"));
                return Err((Some(key.span()), format!("unknown field `{other}`"), help));
            }
        }
    }
    let lone = target.cert.is_some() != target.key.is_some();
    match target.address.is_empty() {
        true => Err((span, "`address` is missing".into(), EXAMPLE.into())),
        false if lone => Err((span, "a certificate needs its key".into(), "set both `cert` and `key`".into())),
        false => Ok(target),
    }
}

/// Whether a text can be a target's name; an address cannot.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
