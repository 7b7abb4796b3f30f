//! Evaluates code that ends in an expression.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Diagnostics, Stage};
use crate::lang::{Artifact, Form, Output};
use crate::module::{EntryPoint, LanguageName, add_text, load_text};
use crate::session::{Options, Report, Session};
use crate::source::Sources;
use crate::world::{Cancel, Live};

/// The source of code.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    Argument(&'a str),
    Stdin(&'a [u8]),
    File(&'a Path),
}

/// Evaluates the final expression of code. The text is its value, as the face prints it.
pub fn evaluate_code(code: Code<'_>, form: Form, options: &Options) -> Result<Output, Box<Report>> {
    let quiet = Options { run_guards: false, ..options.clone() };
    let live = quiet.live();
    let entry = entry(&live, code, options)?;
    let mut session = Session::of(entry, Arc::new(live), quiet);
    if options.run_guards {
        session.let_run(true, false);
    }
    Ok(session.artifact(&Artifact::Value(form), &Cancel::default()))
}

fn entry(live: &Live, code: Code<'_>, options: &Options) -> Result<EntryPoint, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    let language = match code {
        Code::File(path) => LanguageName::of_file(path).unwrap_or_default(),
        Code::Argument(_) | Code::Stdin(_) => LanguageName::default(),
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
        ..EntryPoint::default()
    };
    options.check_flags(entry.language, "this entry")?;
    Ok(entry)
}
