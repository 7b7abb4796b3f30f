//! One value: code that ends in an expression.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Options, Report, Session, job, not_yet, panicked};
use crate::diag::{Diagnostics, Stage};
use crate::graph::Value;
use crate::lang::mcl;
use crate::lang::mcl::evaluate::evaluate;
use crate::module::{EntryPoint, LanguageName, add_text, load_text};
use crate::source::Sources;
use crate::world::{Cancel, Frozen, Live};

/// Where code comes from.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    Argument(&'a str),
    Stdin(&'a [u8]),
    File(&'a Path),
}

/// A value as both faces show it.
#[derive(Clone, Debug)]
pub struct Shown {
    pub ty: String,
    pub value: Value,
    /// In the words of the language.
    pub text: String,
}

/// Evaluates the expression that code ends in.
pub fn evaluate_code(code: Code<'_>, options: &Options) -> Result<Shown, Box<Report>> {
    let quiet = Options { run_guards: false, ..options.clone() };
    let live = quiet.live();
    let entry = entry(&live, code, options)?;
    let mut session = Session::of(entry, Arc::new(live), quiet);
    if options.run_guards {
        session.let_guards_run();
    }
    let Session { entry, options, world, .. } = session;
    let work = || {
        let world = Frozen::new(world);
        let options = options.prepare(&world, &entry, Stage::Eval, &Cancel::default()).map_err(Box::new)?;
        let done = evaluate(&world, &entry, &options);
        match done.value {
            Some((ty, value)) => {
                // A function, say, has no text of its own: its type tells most.
                let text = mcl::emit::expression(&value).unwrap_or_else(|| ty.to_string());
                Ok(Shown { ty: ty.to_string(), value, text })
            }
            None => Err(Box::new(Report { sources: done.sources, diagnostics: done.diagnostics })),
        }
    };
    job::run(work).unwrap_or_else(|bug| {
        Err(Box::new(Report { sources: Sources::default(), diagnostics: panicked(&bug, Stage::Eval) }))
    })
}

fn entry(live: &Live, code: Code<'_>, options: &Options) -> Result<EntryPoint, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    let language = match code {
        Code::File(path) => match path.extension().and_then(|extension| extension.to_str()) {
            Some("pp") => LanguageName::Puppet,
            Some("cf") => LanguageName::Inmanta,
            _ => LanguageName::Mcl,
        },
        Code::Argument(_) | Code::Stdin(_) => LanguageName::Mcl,
    };
    let (name, text, file) = match code {
        Code::Argument(text) => ("<argument>".to_string(), Arc::from(text), None),
        Code::Stdin(bytes) => {
            let Some(file) = add_text(bytes, "<stdin>", None, &mut sources, &mut diagnostics) else {
                return Err(Box::new(Report { sources, diagnostics }));
            };
            let file = sources.file(file);
            (file.name.to_string(), Arc::clone(&file.text), None)
        }
        Code::File(path) => {
            let Some(file) = load_text(live, path, None, &mut sources, &mut diagnostics) else {
                return Err(Box::new(Report { sources, diagnostics }));
            };
            let file = sources.file(file);
            (file.name.to_string(), Arc::clone(&file.text), Some(path.to_path_buf()))
        }
    };
    let base = file.as_deref().and_then(Path::parent).map_or_else(PathBuf::new, Path::to_path_buf);
    let entry = EntryPoint {
        language: options.language.unwrap_or(language),
        shown: name.clone(),
        code: Some((name, text)),
        base,
        file,
        metadata: None,
    };
    if entry.language != LanguageName::Mcl {
        diagnostics.push(not_yet(&entry));
        return Err(Box::new(Report { sources, diagnostics }));
    }
    Ok(entry)
}
