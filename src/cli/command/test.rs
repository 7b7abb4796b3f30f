//! `workbench test`: runs the tests of a module.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use serde_json::json;

use crate::cli::args::{Format, Global, LanguageFlags, Work};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::session::testing::{TestFault, TestResult, find_tests, run_tests};
use crate::source::printable;

/// Run the tests of a module: the files tests/*.toml
///
/// A test compiles a program for a node and compares resources, edges and the whole plan with what the file expects. The
/// plan is that of an empty machine in memory: tests need no root, no Ruby and no network, and change nothing.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench test                       tests/*.toml of the module in this folder\n  \
                        workbench test modules/web/tests/debian.toml\n\n\
A test file:\n  node = \"web1\"\n  facts = \"facts/debian.yaml\"\n  snapshot = \"debian.plan\"        written if it is missing\n  \
                        [[expect]]\n  resource = \"File[/etc/motd]\"\n  params = { mode = \"0644\" }\n  \
                        [[expect]]\n  when = \"creates kind:file\"\n  count = 3\n\n\
Exit code: 0 if all expectations hold, 1 if not."
)]
pub struct Test {
    /// Folder of a module, or one test file [default: the current folder]
    #[arg(value_name = "ENTRY", value_hint = ValueHint::AnyPath)]
    entry: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder with imported modules; repeat for several
    #[arg(long, value_name = "DIR")]
    module_path: Vec<PathBuf>,
}

impl Test {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let module = self.entry.clone().unwrap_or_else(|| ".".into());
        let files = match find_tests(&module) {
            Ok(files) => files,
            Err(error) => {
                return Ok(face.refuse(&error.to_string(), "`workbench test --help` shows an example of a test file"));
            }
        };
        let language = LanguageFlags { allows_unknown: true, ..LanguageFlags::default() };
        let work = Work { module_path: self.module_path.clone(), language, ..Work::default() };
        let results = run_tests(&files, &work.options(global, &face.config));
        match self.format {
            Format::Json => {
                let results: Vec<_> = results.iter().map(to_json).collect();
                writeln!(face.out, "{}", json!({ "version": 1, "tests": results }))?;
            }
            Format::Text => write_results(face, &results)?,
        }
        let holds = results.iter().all(|result| result.faults.is_empty());
        Ok(if holds { Exit::Done } else { Exit::Refused })
    }
}

fn write_results(face: &mut Face, results: &[TestResult]) -> io::Result<()> {
    let paint = face.paint;
    for result in results {
        let (word, role) = if result.faults.is_empty() { ("ok", Role::Good) } else { ("FAILED", Role::Error) };
        let checks = paint.role(Role::Quiet, format!("({})", count(result.checks, "expectation"))).to_string();
        if !face.quiet || !result.faults.is_empty() {
            writeln!(face.out, "{} {} {checks}", paint.role(role, word), printable(&result.file))?;
        }
        if let Some(file) = &result.written {
            writeln!(face.out, "    wrote the snapshot {}", printable(file))?;
        }
        result.faults.iter().try_for_each(|fault| write_fault(face, fault))?;
    }
    let failed = results.iter().filter(|result| !result.faults.is_empty()).count();
    let sums = match failed {
        0 => paint.role(Role::Good, "all hold".to_owned()).to_string(),
        failed => paint.role(Role::Error, format!("{failed} failed")).to_string(),
    };
    writeln!(face.out, "{}: {sums}.", paint.role(Role::Title, count(results.len(), "test")))
}

fn write_fault(face: &mut Face, fault: &TestFault) -> io::Result<()> {
    let at = if fault.line > 0 { format!("{}:{}", fault.file, fault.line) } else { fault.file.clone() };
    let place = fault.place.as_ref().map_or(String::new(), |place| format!("  ({place})"));
    let at = face.paint.role(Role::Quiet, printable(&at)).to_string();
    writeln!(face.out, "    {at}: {}{}", printable(&fault.message), face.paint.role(Role::Quiet, place))?;
    for line in &fault.lines {
        let role = match line.as_bytes().first() {
            Some(b'+') => Role::Create,
            Some(b'-') => Role::Remove,
            _ => Role::Quiet,
        };
        writeln!(face.out, "      {}", face.paint.role(role, printable(line)))?;
    }
    Ok(())
}

fn to_json(result: &TestResult) -> serde_json::Value {
    let fault = |fault: &TestFault| {
        let source = fault.place.as_ref();
        let source = source.map(|place| json!({ "file": &*place.file, "line": place.line, "column": place.column }));
        json!({
            "file": fault.file, "line": (fault.line > 0).then_some(fault.line), "message": fault.message,
            "source": source, "lines": fault.lines,
        })
    };
    json!({
        "file": result.file, "ok": result.faults.is_empty(), "expectations": result.checks, "written": result.written,
        "faults": result.faults.iter().map(fault).collect::<Vec<_>>(),
    })
}
