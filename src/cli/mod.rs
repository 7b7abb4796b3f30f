//! The command-line face: arguments in, text or JSON and an exit code out. All of its work is done by `session`.

mod args;
mod ask;
mod ask_login;
mod assertion;
mod choices;
mod cluster_progress;
mod command;
mod compare_text;
mod complete;
mod drive;
mod events;
mod exit;
mod face;
mod fetching;
mod guard;
mod lines;
mod source_edit;
mod only;
mod open;
mod next_step;
mod paint;
mod plan_text;
mod previewed;
mod progress;
mod report;
mod saved_plan;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{CommandFactory, Parser};

use crate::config::Value;
use crate::diag::nearest;
use args::{Cli, Command, Entry};
use exit::Exit;
use face::Face;

/// Runs a command line, and returns the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(exit) = complete::answer(&args) {
        return exit.code();
    }
    // A worker gets all of its input from the face that starts it, at once.
    if args.get(1).is_some_and(|word| word == crate::session::WORKER_COMMAND) {
        return if crate::session::serve_worker() { 0 } else { 1 };
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return report_clap(&error).code(),
    };
    // A process that only fetches gets all of its input from its parent.
    if matches!(cli.command, Some(Command::FetchModule)) {
        return crate::session::serve_fetch().map_or_else(|error| stream_failed(&error).code(), |()| Exit::Done.code());
    }
    // The applier gets all of its input from the face that starts it.
    match &cli.command {
        Some(Command::Applier { from: Some(socket), .. }) => {
            return crate::session::take_over(socket)
                .map_or_else(|error| stream_failed(&error).code(), |()| Exit::Done.code());
        }
        Some(Command::Applier { as_root, .. }) => {
            return crate::session::serve_applier(*as_root).map_or(Exit::Failed.code(), |()| Exit::Done.code());
        }
        _ => {}
    }
    let mut face = Face::new(&cli.global, crate::session::configure(cli.global.config.as_deref()));
    if !bears_faults(cli.command.as_ref())
        && face.diagnostics(face.config.diagnostics(), face.config.sources()) != Exit::Done
    {
        return Exit::Refused.code();
    }
    let ended = dispatch(&cli, &mut face).and_then(|exit| face.out.flush().map(|()| exit));
    match ended {
        Ok(exit) => exit.code(),
        Err(error) => stream_failed(&error).code(),
    }
}

/// Whether a command works with faulty settings: the screens show them, and some commands need none.
fn bears_faults(command: Option<&Command>) -> bool {
    matches!(command, None | Some(Command::Config(_) | Command::Completions(_) | Command::Man(_)))
}

fn dispatch(cli: &Cli, face: &mut Face) -> io::Result<Exit> {
    let global = &cli.global;
    let Some(command) = &cli.command else { return open_screens(cli, face) };
    if let Some(stray) = cli.entry.first() {
        return Ok(usage(&format!("`{stray}` must come after the command")));
    }
    match command {
        Command::Parse(parse) => parse.run(face, global),
        Command::Check(check) => check.run(face, global),
        Command::Preview(preview) => preview.run(face, global),
        Command::Diff(diff) => diff.run(face, global),
        Command::Test(test) => test.run(face, global),
        Command::Graph(graph) => graph.run(face, global),
        Command::Lookup(lookup) => lookup.run(face, global),
        Command::Model(model) => model.run(face, global),
        Command::Eval(eval) => eval.run(face, global),
        Command::Apply(apply) => apply.run(face, global),
        Command::Attach(attach) => attach.run(face, global),
        Command::Deploy(deploy) => deploy.run(face, global),
        Command::Log(log) => log.run(face, global),
        Command::Run(run) => run.run(face, global),
        Command::Step(step) => step.run(face, global),
        Command::Modules(modules) => modules.run(face, global),
        Command::Download(download) => download.run(face, global),
        Command::Fmt(fmt) => fmt.run(face, global),
        Command::Highlight(highlight) => highlight.run(face, global),
        Command::Doc(doc) => doc.run(face, global),
        Command::Tutor(tutor) => tutor.run(face, global),
        Command::Keys(keys) => keys.run(face),
        Command::Themes(themes) => themes.run(face),
        Command::Completions(completions) => completions.run(face),
        Command::Man(man) => man.run(face),
        Command::Config(config) => config.run(face),
        Command::FetchModule | Command::Applier { .. } => Ok(Exit::Done),
    }
}

fn open_screens(cli: &Cli, face: &mut Face) -> io::Result<Exit> {
    let first = cli.entry.first().map(String::as_str);
    if let Some(name) = first
        && crate::session::is_missing(name)
    {
        let cli = Cli::command();
        let names = cli.get_subcommands().map(clap::Command::get_name);
        if let Some(near) = nearest(name, names) {
            return Ok(usage(&format!("`{name}` is neither a command nor a path; did you mean `workbench {near}`?")));
        }
    }
    if let Some(second) = cli.entry.get(1) {
        return Ok(usage(&format!("expected one ENTRY; `{second}` is a second one")));
    }
    let entry = Entry { entry: first.map(Into::into), work: cli.work.clone(), ..Entry::default() };
    let entry = entry.allowing_unknown().as_this_host(cli.as_this_host);
    if let Some(name) = &cli.theme {
        face.config.set_theme_flag(name);
    }
    if cli.no_restore {
        face.config.set_flag("restore", "--no-restore", Value::Flag(false));
    }
    if cli.theme.is_some() && cli.picture.screenshot.is_some() {
        // The screens report it themselves; a screenshot reports it beforehand.
        let mut config = face.config.clone();
        crate::session::theme(&mut config, false);
        if face.diagnostics(config.diagnostics(), config.sources()) != Exit::Done {
            return Ok(Exit::Refused);
        }
    }
    if cli.picture.screenshot.is_none() {
        hold_settings(face, cli.global.state_dir.as_ref());
    }
    command::workbench::run(face, &cli.global, &entry, &cli.picture)
}

/// If the user's settings file has an error, uses its last valid version; else saves this version.
fn hold_settings(face: &mut Face, state: Option<&PathBuf>) {
    let mut config = face.config.clone();
    crate::session::theme(&mut config, false);
    if config.theme_is_the_terminals() {
        crate::session::theme(&mut config, true);
    }
    crate::tui::check_keys(&mut config);
    if !config.is_file_faulty() {
        crate::session::keep_settings(state, &face.config);
    } else if let Some(held) = crate::session::held_settings(state, &config) {
        face.config = held;
    }
}

fn usage(message: &str) -> Exit {
    let error = Cli::command().error(clap::error::ErrorKind::InvalidValue, crate::source::printable(message));
    report_clap(&error)
}

/// `--help` and `--version` go to stdout and are not errors.
fn report_clap(error: &clap::Error) -> Exit {
    let render = |is_terminal: bool| match error.render() {
        text if is_terminal => text.ansi().to_string(),
        text => text.to_string(),
    };
    if error.use_stderr() {
        let _ = guard::err(true).write_all(render(io::stderr().is_terminal()).as_bytes());
        return Exit::Usage;
    }
    let mut out = guard::out(true);
    let written = out.write_all(render(io::stdout().is_terminal()).as_bytes()).and_then(|()| out.flush());
    written.map_or_else(|error| stream_failed(&error), |()| Exit::Done)
}

/// A reader that closed the pipe is not a failure: ends silently, as every filter does.
fn stream_failed(error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Exit::Done;
    }
    let _ = writeln!(io::stderr(), "error: cannot write the output: {error}");
    Exit::Unwritten
}
