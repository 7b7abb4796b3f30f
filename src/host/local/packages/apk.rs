//! Alpine's packages, through `apk`.

use super::{named, run};
use crate::host::local::tool;
use crate::host::{HostError, Installed, PackageChange, Within};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    let (installed, _) = policy(&ask(name)?);
    Ok(installed.map(|version| Installed { version, held: false }))
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    let (_, offered) = policy(&ask(name)?);
    Ok(offered)
}

fn ask(name: &str) -> Result<Vec<String>, HostError> {
    Ok(tool::lines(&tool::ask("apk", &["--no-network", "policy", name], &[])?))
}

/// Parses `apk policy`: versions are indented by two, each followed by its sources, the oldest first.
fn policy(lines: &[String]) -> (Option<String>, Vec<String>) {
    let mut installed = None;
    let mut offered: Vec<String> = Vec::new();
    let mut at = None;
    for line in lines {
        match line.strip_prefix("    ") {
            Some("lib/apk/db/installed" | "usr/lib/apk/db/installed") => installed.clone_from(&at),
            Some(_) => {
                if let Some(version) = at.clone().filter(|version| !offered.contains(version)) {
                    offered.insert(0, version);
                }
            }
            None => at = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':')).map(str::to_owned),
        }
    }
    (installed, offered)
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let mut args = vec!["--no-interactive"];
    match change {
        PackageChange::Remove { purge, .. } => {
            args.push("del");
            args.extend(purge.then_some("--purge"));
        }
        PackageChange::Install { allow_untrusted, .. } => {
            args.extend(allow_untrusted.then_some("--allow-untrusted"));
            args.extend(["add", "--upgrade"]);
        }
    }
    run("apk", &args, &named(change, "="), &[], within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apk_output_is_parsed() {
        let text = "hello policy:\n  2.9-r0:\n    lib/apk/db/installed\n  2.12-r0:\n    https://x/main\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(policy(&lines), (Some("2.9-r0".into()), vec!["2.12-r0".into()]));
        assert_eq!(policy(&[]), (None, Vec::new()));
    }
}
