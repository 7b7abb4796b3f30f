//! `workbench man`: one manual page for each command.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::cli::args::Cli;
use crate::cli::exit::Exit;
use crate::cli::face::Face;

/// Write manual pages to a folder
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench man ~/.local/share/man/man1\n  workbench man - | man -l -")]
pub struct Man {
    /// Output folder (created if missing); `-` prints the main page
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

impl Man {
    /// Writes the manual pages to a folder, or the first page to stdout for `-`.
    #[expect(clippy::disallowed_methods, reason = "the pages are what this command is asked to write")]
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        if self.folder.as_os_str() == "-" {
            clap_mangen::Man::new(Cli::command()).render(&mut face.out)?;
            return Ok(Exit::Done);
        }
        let written = std::fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), &self.folder));
        match written {
            Ok(()) => {
                face.out.flush()?;
                face.note(format!("manual pages written to {}", self.folder.display()));
                Ok(Exit::Done)
            }
            Err(error) => Ok(face
                .refuse(&format!("`{}` cannot be written: {error}", self.folder.display()), "name a writable folder")),
        }
    }
}
