//! The output of a command: results to stdout, everything else to stderr, in the requested format.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use super::args::{Color, ErrorFormat, Global};
use super::exit::Exit;
use super::guard::{self, Guarded};
use super::lines::Lines;
use super::paint::{Paint, Role};
use super::progress::CLEAR;
use crate::config::{Config, Value};
use crate::diag::{self, Code, Diagnostics, Level, LogEntry, Severity};
use crate::highlight::Depth;
use crate::lang::Compiled;
use crate::session::follow::ProgramUpdate;
use crate::session::moment::Moment;
use crate::session::{Output, Report};
use crate::source::{Sources, printable};

/// How many problems are shown without `-v`; later ones often follow from the first.
const SHOWN: usize = 20;

/// The two streams and their formats.
pub struct Face {
    pub out: BufWriter<Guarded<Stdout>>,
    /// The JSON lines on stdout.
    pub lines: Lines,
    /// For stdout.
    pub paint: Paint,
    /// For stderr.
    pub paint_err: Paint,
    pub error_format: ErrorFormat,
    /// ASCII only.
    pub plain: bool,
    pub quiet: bool,
    pub verbose: bool,
    /// The settings, without those of a project.
    pub config: Config,
}

/// The problems of a source, with the program's output in between.
struct Findings<'a> {
    diagnostics: &'a Diagnostics,
    sources: &'a Sources,
    log: &'a [LogEntry],
}

impl Face {
    /// Makes the output of a command. `--plain` overrides the setting `ascii`.
    pub fn new(global: &Global, mut config: Config) -> Self {
        if global.plain {
            config.set_flag("ascii", "--plain", Value::Flag(true));
        }
        let paint = |is_terminal: bool| Paint {
            on: match global.color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => is_terminal && !global.plain && colors_wanted(),
            },
        };
        let on_stdout = paint(io::stdout().is_terminal());
        Self {
            out: BufWriter::new(guard::out(on_stdout.on)),
            lines: Lines::of_events(),
            paint: on_stdout,
            paint_err: paint(io::stderr().is_terminal()),
            error_format: global.error_format,
            plain: config.ascii().unwrap_or_else(shows_ascii_only),
            quiet: global.quiet,
            verbose: global.verbose > 0,
            config,
        }
    }

    /// Declares the output to be data for programs: a pipe or a file gets it as it is.
    pub fn data(&mut self) {
        self.out.get_mut().mark_data();
    }

    /// Writes an event as a JSON line to stdout.
    pub fn line(&mut self, object: serde_json::Value) -> io::Result<()> {
        self.lines.write(&mut self.out, object)
    }

    /// Writes diagnostics and their counts to stderr. `Refused` if one is an error.
    pub fn diagnostics(&self, diagnostics: &Diagnostics, sources: &Sources) -> Exit {
        self.with_log(diagnostics, sources, &[])
    }

    /// The same for a compilation, with the program's output in between.
    pub fn compiled(&self, compiled: &Compiled) -> Exit {
        self.with_log(&compiled.diagnostics, &compiled.sources, &compiled.log)
    }

    /// The same for an artifact of a language; its text goes to stdout, as it is if it is data for programs.
    pub fn made(&mut self, made: &Output, is_data: bool) -> io::Result<Exit> {
        let exit = self.with_log(&made.diagnostics, &made.sources, &made.log);
        let text = made.text.as_deref().unwrap_or_default();
        if is_data {
            self.data();
        }
        self.out.write_all(text.as_bytes())?;
        Ok(exit)
    }

    /// The same for a watched program.
    pub fn watched(&self, update: &ProgramUpdate) -> Exit {
        self.with_log(&update.report.diagnostics, &update.report.sources, &update.log)
    }

    /// The same for a program after an event.
    pub fn moment(&self, moment: &Moment) -> Exit {
        self.with_log(&moment.diagnostics, &moment.sources, &moment.log)
    }

    fn with_log(&self, diagnostics: &Diagnostics, sources: &Sources, log: &[LogEntry]) -> Exit {
        let mut err = BufWriter::new(guard::err(self.paint_err.on));
        let findings = Findings { diagnostics, sources, log };
        // A reader that closed stderr does not need the rest; the exit code still reports it.
        let _ = match self.error_format {
            ErrorFormat::Json => self.json_lines(&mut err, &findings),
            ErrorFormat::Github => {
                diagnostics.iter().try_for_each(|one| writeln!(err, "{}", diag::github(one, sources)))
            }
            // A document for each source: without problems only the program's own one is written.
            ErrorFormat::Sarif if diagnostics.iter().next().is_none() && sources.iter().next().is_none() => Ok(()),
            ErrorFormat::Sarif => writeln!(err, "{}", diag::sarif(diagnostics, sources)),
            ErrorFormat::Text => self.frames(&mut err, &findings),
        };
        let _ = err.flush();
        match diagnostics.iter().find(|one| one.severity == Severity::Error) {
            Some(error) if error.code == Code::ForeignOption => Exit::Usage,
            _ if diagnostics.has_errors() => Exit::Refused,
            _ => Exit::Done,
        }
    }

    /// Prints the diagnostics of a report, and returns the exit code that they give.
    pub fn report(&self, report: &Report) -> Exit {
        self.diagnostics(&report.diagnostics, &report.sources)
    }

    fn frames(&self, err: &mut impl Write, findings: &Findings) -> io::Result<()> {
        let Findings { diagnostics, sources, log } = *findings;
        let shown = |severity: Severity| !self.quiet || severity == Severity::Error;
        let all: Vec<_> = diagnostics.iter().enumerate().filter(|(_, d)| shown(d.severity)).collect();
        let limit = if self.verbose { all.len() } else { SHOWN.min(all.len()) };
        let mut log = log.iter().peekable();
        for (at, diagnostic) in all.iter().take(limit) {
            while let Some(entry) = log.next_if(|entry| entry.after <= *at) {
                self.entry(err, entry)?;
            }
            writeln!(err, "{}\n", diag::text(diagnostic, sources, self.paint_err.on))?;
        }
        log.try_for_each(|entry| self.entry(err, entry))?;
        let more = all.len() - limit + diagnostics.dropped();
        if more > 0 {
            let dots = if self.plain { "..." } else { "…" };
            writeln!(err, "{dots}and {more} more\n")?;
        }
        let warnings = diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
        let errors = diagnostics.distinct_errors();
        let mut counts = Vec::new();
        if errors > 0 {
            counts.push(self.paint_err.role(Role::Error, count(errors, "error")).to_string());
        }
        if warnings > 0 && !self.quiet {
            counts.push(self.paint_err.role(Role::Warning, count(warnings, "warning")).to_string());
        }
        if !counts.is_empty() {
            writeln!(err, "{}", counts.join(", "))?;
        }
        Ok(())
    }

    fn json_lines(&self, err: &mut impl Write, findings: &Findings) -> io::Result<()> {
        let Findings { diagnostics, sources, log } = *findings;
        let mut log = log.iter().peekable();
        for (at, diagnostic) in diagnostics.iter().enumerate() {
            while let Some(entry) = log.next_if(|entry| entry.after <= at) {
                self.entry(err, entry)?;
            }
            writeln!(err, "{}", diag::json(diagnostic, sources))?;
        }
        log.try_for_each(|entry| self.entry(err, entry))
    }

    /// One message of a program; debug messages only with `-v`, with `-q` only errors.
    fn entry(&self, err: &mut impl Write, entry: &LogEntry) -> io::Result<()> {
        let least = match (self.verbose, self.quiet) {
            (true, _) => Level::Debug,
            (_, true) => Level::Err,
            _ => Level::Notice,
        };
        match self.error_format {
            _ if entry.level < least => Ok(()),
            ErrorFormat::Json => writeln!(err, "{}", entry.to_json()),
            ErrorFormat::Sarif | ErrorFormat::Github => Ok(()),
            ErrorFormat::Text => {
                let role = match entry.level {
                    Level::Debug | Level::Info => Role::Quiet,
                    Level::Notice => Role::Title,
                    Level::Warning => Role::Warning,
                    Level::Err | Level::Alert | Level::Crit | Level::Emerg => Role::Error,
                };
                for (at, line) in entry.message.lines().enumerate() {
                    let head = if at == 0 { entry.level.as_str() } else { "" };
                    let mark = if at == 0 { ": " } else { "  " };
                    writeln!(err, "{}{mark}{}", self.paint_err.role(role, head), printable(line))?;
                }
                Ok(())
            }
        }
    }

    /// Writes a remark to stderr that is neither a result nor about the user's source.
    pub fn note(&self, text: impl std::fmt::Display) {
        self.aside().note(text);
    }

    /// For remarks while the face is borrowed; JSON output has no remarks.
    pub fn aside(&self) -> Aside {
        Aside {
            is_on: !self.quiet && self.error_format == ErrorFormat::Text,
            clears: !self.plain && io::stderr().is_terminal(),
        }
    }

    /// Refuses before anything was done, for a reason without a place in a file.
    pub fn refuse(&self, message: &str, help: &str) -> Exit {
        self.refuse_in_lines(message, &[], help)
    }

    /// The same, with a list of details.
    pub fn refuse_in_lines(&self, message: &str, lines: &[String], help: &str) -> Exit {
        let mut err = guard::err(self.paint_err.on);
        let _ = match self.error_format {
            ErrorFormat::Json => {
                let rest = lines.join("; ");
                let message =
                    [message, &rest].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
                let object = serde_json::json!({
                    "code": "refused", "stage": null, "severity": "error", "message": message, "label": "",
                    "file": null, "line": null, "column": null, "end_line": null, "end_column": null,
                    "help": help, "related": [], "error": null,
                });
                writeln!(err, "{object}")
            }
            ErrorFormat::Sarif => writeln!(err, "{}", diag::sarif_refusal(message, help)),
            ErrorFormat::Github => writeln!(err, "{}", diag::github_refusal(message, help)),
            ErrorFormat::Text => {
                let error = self.paint_err.role(Role::Error, "error");
                // Both may contain names from modules or files.
                let (message, help) = (printable(message), printable(help));
                let lines: String = lines.iter().map(|line| format!("  {}\n", printable(line))).collect();
                writeln!(err, "{error}: {message}\n{lines}  {}: {help}", self.paint_err.role(Role::Title, "help"))
            }
        };
        Exit::Refused
    }
}

/// Remarks on stderr.
#[derive(Clone, Copy, Debug)]
pub struct Aside {
    is_on: bool,
    /// A progress line may be on the line.
    clears: bool,
}

impl Aside {
    /// Prints a line to stderr, unless the output is quiet.
    pub fn note(self, text: impl std::fmt::Display) {
        if self.is_on {
            let clear = if self.clears { CLEAR } else { "" };
            let _ = writeln!(io::stderr(), "{clear}{}", printable(&text.to_string()));
        }
    }
}

/// The colour settings in the environment; an empty NO_COLOR counts as unset.
#[expect(clippy::disallowed_methods, reason = "these two describe the terminal, not the machine that programs see")]
fn colors_wanted() -> bool {
    let text = |name| std::env::var_os(name).unwrap_or_default();
    text("NO_COLOR").is_empty() && text("TERM") != "dumb"
}

/// Whether the locale allows only ASCII. Without any locale, most terminals still show everything.
#[expect(clippy::disallowed_methods, reason = "these describe the terminal, not the machine that programs see")]
fn shows_ascii_only() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_else(|| "UTF-8".into());
    let locale = locale.to_lowercase();
    !locale.contains("utf-8") && !locale.contains("utf8")
}

/// Whether the terminal can position text and overwrite it.
#[expect(clippy::disallowed_methods, reason = "it describes the terminal, not the machine that programs see")]
pub fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|term| matches!(term.as_str(), "dumb" | ""))
}

/// How many colours the terminal shows, if colours are enabled.
#[expect(clippy::disallowed_methods, reason = "it describes the terminal, not the machine that programs see")]
pub fn depth() -> Depth {
    let text = |name| std::env::var(name).ok();
    Depth::of_environment(None, text("COLORTERM").as_deref(), text("TERM").as_deref())
}

/// `1 error`, `2 errors`.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
