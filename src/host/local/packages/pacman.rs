//! Arch's packages, through `pacman`. It offers one version of each package only.

use super::run;
use crate::host::local::tool;
use crate::host::{HostError, Installed, PackageChange, Within};

pub(super) fn installed(name: &str) -> Result<Option<Installed>, HostError> {
    let output = tool::ask("pacman", &["-Q", "--", name], &[])?;
    let version = tool::lines(&output).iter().find_map(|line| Some(line.split_once(' ')?.1.trim().to_owned()));
    Ok(version.filter(|_| output.succeeded()).map(|version| Installed { version, held: false }))
}

pub(super) fn offered(name: &str) -> Result<Vec<String>, HostError> {
    let output = tool::ask("pacman", &["-S", "--info", "--", name], &[])?;
    Ok(version(&tool::lines(&output)).into_iter().collect())
}

/// Reads `pacman -Si`: fields with a colon.
fn version(lines: &[String]) -> Option<String> {
    let field = |line: &String| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "Version").then(|| value.trim().to_owned())
    };
    lines.iter().find_map(field)
}

pub(super) fn change(change: &PackageChange, within: &Within) -> Result<(), HostError> {
    let args: &[&str] = match change {
        PackageChange::Remove { .. } => &["-R", "--noconfirm", "--"],
        PackageChange::Install { .. } => &["-S", "--noconfirm", "--needed", "--"],
    };
    // A version cannot be asked for; the kind has refused any but the one that is offered.
    let names: Vec<String> = change.names().into_iter().map(str::to_owned).collect();
    run("pacman", args, &names, &[], within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pacman_tells_is_read() {
        let lines: Vec<String> = "Repository : extra\nVersion         : 2:1.2-1\n".lines().map(str::to_owned).collect();
        assert_eq!(version(&lines), Some("2:1.2-1".into()));
        assert_eq!(version(&[]), None);
    }
}
