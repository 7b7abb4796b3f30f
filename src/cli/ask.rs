//! Questions on the terminal, and their answers.

use std::io::{self, BufRead, Write};

use super::face::Face;
use super::paint::Role;
use crate::plan::Step;
use crate::session::Agreement;
use crate::source::printable;

/// Whether the answer is yes; no answer is no.
pub fn agreed(face: &mut Face, question: &str) -> io::Result<bool> {
    Ok(is_yes(&answer(face, question)?))
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&&*answer.trim().to_lowercase())
}

/// The confirmation before this machine is changed: `y` if everything can be undone, else a name.
pub struct Confirmation {
    agreement: Agreement,
    /// What cannot be undone.
    lost: Vec<String>,
}

impl Confirmation {
    /// The confirmation for a plan. `other` is the other host that counts as this machine.
    pub fn of<'a>(steps: impl IntoIterator<Item = &'a Step>, machine: &str, other: Option<&str>) -> Self {
        let lost = steps.into_iter().filter(|step| !step.can_be_undone());
        let lost: Vec<_> = lost.map(|step| format!("{} {}", step.action.verb(), step.resource)).collect();
        Self { agreement: Agreement::for_plan(!lost.is_empty(), machine, other), lost }
    }

    /// Every attach and every resume asks for the name.
    pub fn name(machine: &str, other: Option<&str>) -> Self {
        Self { agreement: Agreement::name(machine, other), lost: vec![] }
    }

    /// Asks through `read`; returns whether it was confirmed.
    pub fn is_agreed(
        &self,
        face: &mut Face,
        question: &str,
        read: &mut dyn FnMut(&mut Face, &str) -> io::Result<String>,
    ) -> io::Result<bool> {
        if !self.lost.is_empty() {
            let many = if self.lost.len() == 1 { "1 step".into() } else { format!("{} steps", self.lost.len()) };
            writeln!(face.out, "{many} cannot be undone:")?;
            self.lost.iter().try_for_each(|step| writeln!(face.out, "  {}", printable(step)))?;
        }
        let asked = match &self.agreement {
            Agreement::Yes => format!("{question} [y/N] "),
            Agreement::Word(word) => format!("{question} Type {} to confirm: ", printable(word)),
        };
        let answer = read(face, &asked)?;
        Ok(match &self.agreement {
            Agreement::Yes => is_yes(&answer),
            Agreement::Word(word) => answer.trim() == word,
        })
    }

    /// The answer that would confirm.
    pub fn help(&self) -> String {
        match &self.agreement {
            Agreement::Yes => "answer `y` to continue".into(),
            Agreement::Word(word) => format!("type `{}` to continue, or use `--yes`", printable(word)),
        }
    }
}

/// The answer; empty if there is none.
pub fn answer(face: &mut Face, question: &str) -> io::Result<String> {
    write!(face.out, "{}", face.paint.role(Role::Title, question))?;
    face.out.flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        // Without an answer there is no line break.
        writeln!(face.out)?;
        face.out.flush()?;
    }
    Ok(line.trim().to_owned())
}
