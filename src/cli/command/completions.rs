//! `workbench completions`: the completion script of a shell.

use std::io::{self, Write};

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};
use clap_complete_nushell::Nushell;

use crate::cli::args::Cli;
use crate::cli::complete::VARIABLE;
use crate::cli::exit::Exit;
use crate::cli::face::Face;

/// Asks through [`VARIABLE`], as the scripts of other shells do.
const BASH: &str = include_str!("completions.bash");

/// Print a shell completion script
///
/// The shell also completes deploy numbers, themes, settings, kinds and functions (nushell: commands and flags only).
/// Print the script again after an upgrade.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench completions bash > ~/.local/share/bash-completion/completions/workbench\n  \
                        workbench completions fish > ~/.config/fish/completions/workbench.fish\n  \
                        echo 'source <(workbench completions zsh)' >> ~/.zshrc"
)]
pub struct Completions {
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells with a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    #[value(name = "nu", alias = "nushell")]
    Nu,
    #[value(alias = "pwsh")]
    Powershell,
    Zsh,
}

impl Completions {
    /// Prints the script of the shell.
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let asks: &dyn EnvCompleter = match self.shell {
            Shell::Bash => {
                write!(face.out, "{BASH}")?;
                return Ok(Exit::Done);
            }
            Shell::Elvish => &Elvish,
            Shell::Fish => &Fish,
            Shell::Powershell => &Powershell,
            Shell::Zsh => &Zsh,
            Shell::Nu => {
                clap_complete::generate(Nushell, &mut Cli::command(), "workbench", &mut face.out);
                return Ok(Exit::Done);
            }
        };
        asks.write_registration(VARIABLE, "workbench", "workbench", "workbench", &mut face.out)?;
        Ok(Exit::Done)
    }
}
