//! The command line as clap reads it: global options, the list of commands, and what commands share.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum, ValueHint};

use super::{command, complete};
use crate::config::{Config, Value};
use crate::module::LanguageName;
use crate::plan::{CompiledFor, Hidden};
use crate::session::choices::{InmantaChoices, PuppetChoices, Strict};
use crate::session::{Choices, Form, Limits, Options, Workplace};

/// A terminal workbench for configuration modules and deploys.
///
/// Without a command, opens the TUI on ENTRY: a module folder, a metadata file, a source file, or code in quotes.
#[derive(Debug, Parser)]
#[command(
    name = "workbench",
    version,
    max_term_width = 110,
    override_usage = "workbench [OPTIONS] [ENTRY]\n       workbench [OPTIONS] <COMMAND>",
    disable_help_subcommand = true,
    after_help = "Examples:\n  workbench modules/mcl/demo            open a module in the TUI\n  \
                  workbench check modules/mcl/demo      report errors in it\n  \
                  workbench preview modules/mcl/demo    show what apply would change\n  \
                  workbench --plain modules/mcl/demo    dry run in plain text, step by step\n\n\
                  Exit codes: 0 success; 1 error or refused, nothing changed; 4 a resource failed; 64 wrong usage;\n\
                  74 the output cannot be written; 75 another apply holds the lock; 130 stopped.\n\
                  With --detailed-exitcode: 2 changes, or `deploy undo` left something that cannot be undone;\n\
                  6 changes and failures. With `fmt --check`: 1 a file is not formatted."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Folder, file, code in quotes, or `-` for stdin [default: the current folder]
    #[arg(value_name = "ENTRY", value_hint = ValueHint::AnyPath)]
    pub entry: Vec<String>,
    #[command(flatten)]
    pub work: Work,
    /// Theme of the TUI: a name from `workbench themes`, or `auto`
    #[arg(long, value_name = "NAME", add = complete::themes())]
    pub theme: Option<String>,
    /// Allow the TUI to apply a program that was compiled for another host
    #[arg(long)]
    pub as_this_host: bool,
    /// Do not restore the last session, and do not save this one
    #[arg(long)]
    pub no_restore: bool,
    #[command(flatten)]
    pub picture: Picture,
}

/// A screenshot, for documentation and reports.
#[derive(Args, Clone, Debug)]
pub struct Picture {
    /// Save a screenshot to FILE (.svg or .txt, or `-` for text on stdout) and exit
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// With --screenshot: keys to press before it is taken, separated by spaces, such as `4 s s`
    #[arg(long, value_name = "KEYS", requires = "screenshot", default_value = "", hide_default_value = true)]
    pub keys: String,
    /// Size of the screenshot in columns and rows
    #[arg(long, value_name = "WxH", requires = "screenshot", default_value = "120x40", value_parser = size)]
    pub size: (u16, u16),
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parts = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    parts
        .filter(|(w, h)| (1..=1000).contains(w) && (1..=500).contains(h))
        .ok_or("expected a size such as 120x40, at most 1000x500".into())
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Parse(command::parse::Parse),
    Check(command::check::Check),
    Graph(command::graph::Graph),
    Model(command::model::Model),
    Lookup(command::lookup::Lookup),
    Eval(command::eval::Eval),
    Preview(command::preview::Preview),
    Diff(Box<command::diff::Diff>),
    Test(Box<command::test::Test>),
    Apply(command::apply::Apply),
    Attach(command::attach::Attach),
    Deploy(command::deploy::DeployCommand),
    Log(command::log::Log),
    Run(command::run::RunCommand),
    Step(command::step::StepCommand),
    Modules(Box<command::modules::Modules>),
    Download(command::download::Download),
    Fmt(command::fmt::Fmt),
    Highlight(command::highlight::Highlight),
    Doc(command::doc::DocCommand),
    Tutor(command::tutor::TutorCommand),
    Keys(command::keys::Keys),
    Themes(command::themes::Themes),
    Config(command::config::ConfigCommand),
    Completions(command::completions::Completions),
    Man(command::man::Man),
    #[command(name = crate::session::FETCH_COMMAND, hide = true)]
    FetchModule,
    #[command(name = crate::session::APPLIER_COMMAND, hide = true)]
    Applier {
        /// Socket on which a face waits for an applier that runs as root
        #[arg(long)]
        from: Option<std::path::PathBuf>,
        #[arg(long)]
        as_root: bool,
    },
}

/// Options that are accepted before or after a command.
#[derive(Args, Clone, Debug)]
pub struct Global {
    /// Language of ENTRY [default: detected]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = languages(), help_heading = "Global options")]
    pub lang: Option<LanguageName>,
    /// Format of diagnostics on stderr
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Global options")]
    pub error_format: ErrorFormat,
    /// When to use colours; NO_COLOR also turns them off
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Global options")]
    pub color: Color,
    /// Settings file [env: WORKBENCH_CONFIG] [default: config.toml in the platform's config folder]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// Folder for history, saved contents and the lock [env: WORKBENCH_STATE] [default: the platform's state folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub state_dir: Option<PathBuf>,
    /// Plain ASCII output without colours; without a command, numbered choices instead of the TUI
    #[arg(long, global = true, help_heading = "Global options")]
    pub plain: bool,
    /// Print only results and errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub quiet: bool,
    /// Print more detail
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
}

/// How modules are found, for every command that has an entry.
#[derive(Args, Clone, Debug, Default)]
pub struct Work {
    /// Folder with imported modules; repeat for several
    #[arg(long, value_name = "DIR")]
    pub module_path: Vec<PathBuf>,
    /// Run guards (onlyif, ifcmd, ...) and the program's own commands while planning; an apply always runs guards
    #[arg(long)]
    pub run_guards: bool,
    /// Limit compilation, such as `steps=1000000` or `time=5`; repeat for several
    ///
    /// NAME is steps, depth, memory (MiB), resources, or time (seconds; 0 for no limit). WORKBENCH_LIMITS takes the
    /// same, separated by commas.
    #[arg(long, value_name = "NAME=NUMBER", value_parser = limit)]
    pub limit: Vec<String>,
    /// `--as-this-host` of commands that have it.
    #[arg(skip)]
    pub as_this_host: bool,
    #[command(flatten)]
    pub language: LanguageFlags,
}

/// Options that only some languages have; refused for an entry of any other.
#[derive(Args, Clone, Debug, Default)]
pub struct LanguageFlags {
    /// Puppet: node to compile for [default: this machine]
    #[arg(long, value_name = "NAME", help_heading = "Language options")]
    pub node: Option<String>,
    /// Puppet: facts file, JSON or YAML [default: this machine's facts]
    #[arg(long, value_name = "FILE", help_heading = "Language options")]
    pub facts: Option<PathBuf>,
    /// Puppet: environment folder, with `modules/`, `hiera.yaml` and `environment.conf`
    #[arg(long, value_name = "DIR", help_heading = "Language options")]
    pub environment: Option<PathBuf>,
    /// Puppet: how to report questionable code [default: error]
    #[arg(long, value_name = "LEVEL", value_parser = strict(), help_heading = "Language options")]
    pub strict: Option<Strict>,
    /// Puppet: Hiera value above all layers, in Puppet syntax; repeat for several
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair, help_heading = "Language options")]
    pub set: Vec<(String, String)>,
    /// Puppet: values that need Ruby are unknown instead of an error
    #[arg(long, help_heading = "Language options")]
    pub allow_unknown: bool,
    /// The command allows it without the flag.
    #[arg(skip)]
    pub allows_unknown: bool,
    /// Inmanta: do not load `std`
    #[arg(long, help_heading = "Language options")]
    pub no_std: bool,
    /// Inmanta: use an older syntax, such as 4.0.0
    #[arg(long, value_name = "VERSION", help_heading = "Language options")]
    pub edition: Option<String>,
    /// Puppet, Inmanta: run the Ruby or Python code of approved modules in a separate process
    #[arg(long, help_heading = "Language options")]
    pub run_plugins: bool,
}

/// What text can be formatted with; refused for a language that does not have it.
#[derive(Args, Clone, Debug)]
pub struct FormatFlags {
    /// Inmanta: use an older syntax, such as 4.0.0
    #[arg(long, value_name = "VERSION", help_heading = "Language options")]
    pub edition: Option<String>,
}

impl FormatFlags {
    /// Returns the options for formatting, without a configuration.
    pub fn options(&self, global: &Global) -> Options {
        let flags = LanguageFlags { edition: self.edition.clone(), ..LanguageFlags::default() };
        Options { language: global.lang, choices: flags.choices(), flags: flags.given(), ..Options::default() }
    }
}

impl LanguageFlags {
    fn choices(&self) -> Choices {
        Choices {
            allow_unknown: self.allow_unknown || self.allows_unknown,
            run_plugins: self.run_plugins,
            plugins_held: false,
            puppet: PuppetChoices {
                node: self.node.clone(),
                facts: self.facts.clone(),
                environment: self.environment.clone(),
                strict: self.strict,
                set: self.set.clone(),
                exported: false,
            },
            inmanta: InmantaChoices { no_std: self.no_std, edition: self.edition.clone() },
        }
    }

    /// The given options, by the names that languages list.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--node", self.node.is_some()),
            ("--facts", self.facts.is_some()),
            ("--environment", self.environment.is_some()),
            ("--strict", self.strict.is_some()),
            ("--set", !self.set.is_empty()),
            ("--allow-unknown", self.allow_unknown),
            ("--no-std", self.no_std),
            ("--edition", self.edition.is_some()),
            ("--run-plugins", self.run_plugins),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag).collect()
    }
}

fn strict() -> impl TypedValueParser<Value = Strict> {
    PossibleValuesParser::new(["error", "warning", "off"]).map(|level| match level.as_str() {
        "warning" => Strict::Warning,
        "off" => Strict::Off,
        _ => Strict::Error,
    })
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("expected KEY=VALUE")?;
    if value == Hidden::WORDS {
        return Err(format!("replace {value} by the value, which is never shown"));
    }
    Ok((key.into(), value.into()))
}

fn languages() -> impl TypedValueParser<Value = LanguageName> {
    let ids = LanguageName::all().map(LanguageName::as_str);
    PossibleValuesParser::new(ids.collect::<Vec<_>>()).map(|id| LanguageName::named(&id).unwrap_or_default())
}

fn limit(written: &str) -> Result<String, String> {
    Limits::default().set(written).map(|()| written.to_owned())
}

/// ENTRY, and how its modules are found.
#[derive(Args, Clone, Debug, Default)]
pub struct Entry {
    /// Folder, metadata or source file, bundle, code in quotes, or `-` for stdin [default: the current folder]
    #[arg(value_name = "ENTRY", value_hint = ValueHint::AnyPath)]
    pub entry: Option<String>,
    #[command(flatten)]
    pub work: Work,
    /// What this command continues, such as `the plan`, and what that was compiled for.
    #[arg(skip)]
    pub continues: Option<(String, CompiledFor)>,
}

impl Entry {
    /// The same, but an unknown value is no error: for inspecting, not for applying.
    pub fn allowing_unknown(&self) -> Self {
        let mut entry = self.clone();
        entry.work.language.allows_unknown = true;
        entry
    }

    /// The same; `--as-this-host` accepts a program for another host.
    pub fn as_this_host(&self, is_accepted: bool) -> Self {
        let mut entry = self.clone();
        entry.work.as_this_host |= is_accepted;
        entry
    }
}

/// How both sides of a comparison are compiled.
#[derive(Args, Clone, Debug, Default)]
pub struct DiffWork {
    /// Folder with imported modules; repeat for several
    #[arg(long, value_name = "DIR")]
    pub module_path: Vec<PathBuf>,
    /// Limit compilation of each node, such as `steps=1000000` or `time=5`; repeat for several
    #[arg(long, value_name = "NAME=NUMBER", value_parser = limit)]
    pub limit: Vec<String>,
    /// Puppet: facts file for nodes without their own, JSON or YAML [default: this machine's facts]
    #[arg(long, value_name = "FILE", help_heading = "Language options")]
    pub facts: Option<PathBuf>,
    /// Puppet: how to report questionable code [default: error]
    #[arg(long, value_name = "LEVEL", value_parser = strict(), help_heading = "Language options")]
    pub strict: Option<Strict>,
    /// Puppet: Hiera value above all layers, in Puppet syntax; repeat for several
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair, help_heading = "Language options")]
    pub set: Vec<(String, String)>,
    /// Inmanta: do not load `std`
    #[arg(long, help_heading = "Language options")]
    pub no_std: bool,
    /// Inmanta: use an older syntax, such as 4.0.0
    #[arg(long, value_name = "VERSION", help_heading = "Language options")]
    pub edition: Option<String>,
    /// Puppet: environment folder, with `modules/`, `hiera.yaml` and `environment.conf`
    #[arg(long, value_name = "DIR", help_heading = "Language options")]
    pub environment: Option<PathBuf>,
    /// Puppet, Inmanta: run the Ruby or Python code of approved modules of the sides that are no revision
    #[arg(long, help_heading = "Language options")]
    pub run_plugins: bool,
}

impl DiffWork {
    /// Returns the options for a comparison. Unknown values are allowed.
    pub fn options(&self, global: &Global, config: &Config) -> Options {
        let language = LanguageFlags {
            facts: self.facts.clone(),
            strict: self.strict,
            set: self.set.clone(),
            no_std: self.no_std,
            edition: self.edition.clone(),
            environment: self.environment.clone(),
            run_plugins: self.run_plugins,
            allows_unknown: true,
            ..LanguageFlags::default()
        };
        let work =
            Work { module_path: self.module_path.clone(), limit: self.limit.clone(), language, ..Work::default() };
        work.options(global, config)
    }
}

impl Work {
    /// Returns the options of a session, with the configuration below the command line.
    pub fn options(&self, global: &Global, config: &Config) -> Options {
        Options {
            language: global.lang,
            module_path: self.module_path.clone(),
            run_guards: self.run_guards,
            as_this_host: self.as_this_host,
            choices: self.language.choices(),
            flags: self.language.given(),
            config: self.on_top_of(config),
            state: global.state_dir.clone(),
            workplace: Workplace::workers(),
            ..Options::default()
        }
    }

    /// The settings, overridden by these flags.
    pub fn on_top_of(&self, config: &Config) -> Config {
        let mut config = config.clone();
        for written in &self.limit {
            config.set_limit_flag(written).expect("clap validated each of them");
        }
        if !self.module_path.is_empty() {
            config.set_flag("module-path", "--module-path", Value::Folders(self.module_path.clone()));
        }
        config
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    /// Messages with source excerpts
    #[default]
    Text,
    /// One JSON object per line
    Json,
    /// One SARIF 2.1.0 document, for code review tools
    Sarif,
    /// Annotations of GitHub workflows
    Github,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Only on a terminal
    #[default]
    Auto,
    Always,
    Never,
}

/// In which process an apply runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Apart {
    /// In a background process if started on a terminal, in this process if not
    #[default]
    Auto,
    /// Always in a background process; `workbench attach` attaches to it
    Always,
    /// In this process
    Never,
}

impl Apart {
    /// Whether a run gets a background process. `auto` wants one if there is a terminal.
    pub fn is_wanted(self) -> bool {
        let has_terminal =
            || std::io::stdin().is_terminal() || std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
        match self {
            Apart::Auto => has_terminal(),
            Apart::Always => true,
            Apart::Never => false,
        }
    }
}

/// `--format` of commands that print text or JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Human-readable text
    #[default]
    Text,
    /// JSON
    Json,
}

/// `--format` of commands that also print reports to review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Human-readable text
    #[default]
    Text,
    /// JSON
    Json,
    /// One page, which needs no network and no scripts
    Html,
    /// A comment of at most 60,000 characters for a merge request
    Markdown,
}

impl ReportFormat {
    /// Whether the output is data, and progress may be shown.
    pub fn plain(self) -> Format {
        if self == ReportFormat::Text { Format::Text } else { Format::Json }
    }
}

impl Format {
    /// Returns the form of an artifact.
    pub fn form(self) -> Form {
        match self {
            Format::Text => Form::Text,
            Format::Json => Form::Json,
        }
    }
}

/// Reads `90`, `90s`, `5m`, `1h`, `200ms`; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let millis = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("expected a duration such as 30s, 5m, 1h".into()),
    };
    let number: u64 = number.parse().map_err(|_| String::from("expected a duration such as 30s, 5m, 1h"))?;
    Ok(Duration::from_millis(number.saturating_mul(millis)))
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use super::Cli;
    use crate::tui::{Same, parity};

    /// The help of every command shows its usage.
    #[test]
    fn each_help_has_an_example() {
        fn look(command: &Command, path: &str) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  workbench "), "{path}: {help}");
            let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
            shown.for_each(|inner| look(inner, &format!("{path} {}", inner.get_name())));
        }
        look(&Cli::command(), "workbench");
    }

    /// The commands that the screens log and show for their actions exist.
    #[test]
    fn what_actions_name_as_their_command_is_one() {
        for (action, same) in parity() {
            let (Same::Command(command) | Same::Logged(command)) = same else { continue };
            let mut words = Vec::new();
            let command = command.replace("DEPLOY", "7").replace("OTHER", "6");
            for (at, part) in command.split('\'').enumerate() {
                // Quoted text is one word.
                if at % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
            }
            let parsed = Cli::try_parse_from(words);
            assert!(parsed.is_ok_and(|cli| cli.command.is_some()), "{action}: {command}");
        }
    }
}
