//! Questions on the terminal, and their answers.

use std::io::{self, BufRead, Write};

use super::face::Face;
use super::paint::Role;

/// Whether the answer is yes; none is no.
pub fn agreed(face: &mut Face, question: &str) -> io::Result<bool> {
    Ok(matches!(answer(face, question)?.as_str(), "y" | "yes"))
}

/// The answer in small letters; empty where there is none.
pub fn answer(face: &mut Face, question: &str) -> io::Result<String> {
    write!(face.out, "{}", face.paint.role(Role::Title, question))?;
    face.out.flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        // No answer has no line break either.
        writeln!(face.out)?;
        face.out.flush()?;
    }
    Ok(line.trim().to_lowercase())
}
