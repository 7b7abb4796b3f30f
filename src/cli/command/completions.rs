//! `workbench completions`: what a shell needs to complete our command line.

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::exit::Exit;
use crate::cli::face::Face;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench completions bash > ~/.local/share/bash-completion/completions/workbench\n  \
                        workbench completions fish > ~/.config/fish/completions/workbench.fish"
)]
pub struct Completions {
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

impl Completions {
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut command = Cli::command();
        clap_complete::generate(self.shell, &mut command, "workbench", &mut face.out);
        Ok(Exit::Done)
    }
}
