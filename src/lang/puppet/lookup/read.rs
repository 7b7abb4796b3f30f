//! Reading `hiera.yaml` and files of data.

use std::path::Path;
use std::sync::Arc;

use super::config::{self, CONFIG, Config, LayerName, Level, Reading, Refused};
use super::data::{File, json, with_hash};
use super::hocon;
use super::state::At;
use super::yaml::{self, Document, Wrong};
use crate::diag::{Code, Stage};
use crate::lang::check::{self, Fault};
use crate::lang::puppet::conf::Strict;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{Help, Run, Stop};
use crate::lang::puppet::value::Value;

impl Data<'_, '_> {
    /// Reads the configuration of a layer. `None` where it has none.
    pub(super) fn read_config(&mut self, layer: &LayerName, path: &Path) -> Run<Option<Arc<Config>>> {
        let root = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let Some(bytes) = self.inputs.files.read(path) else { return self.without_config(layer, &root) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let document = match yaml::read(&text) {
            Ok(document) => document,
            Err(wrong) => return self.inputs.unparsable(path, &text, &wrong),
        };
        let Value::Hash(config) = &document.value else {
            let shown = self.inputs.shown(path);
            self.output.log("warning", format!("{shown}: File exists but does not contain a valid YAML hash. Falling back to Hiera version 3 default config"));
            return self.old(layer, path, &text);
        };
        if let LayerName::Module(_) = layer {
            let is_new = config.get(&Value::str("version")) == Some(&Value::Int(5));
            let ignored = " It is ignored since a 'hiera.yaml' with version >= 5 is present";
            self.asks_for_old_data(&root, if is_new { ignored } else { "" });
        }
        let reading = Reading { layer, path, text: &text, root: &root };
        let version = match config.get(&Value::str("version")) {
            None | Some(Value::Undef) => 3,
            Some(Value::Int(version)) => *version,
            Some(other) => convert::string(other).parse().unwrap_or(0),
        };
        let checked = match version {
            5 => reading.version_5(config),
            4 if *layer == LayerName::Global => Err(Refused {
                name: IssueName::HieraUnsupportedVersionInGlobal,
                message: "hiera.yaml version 4 cannot be used in the global layer".into(),
                line: reading.line("version"),
                help: CONFIG,
            }),
            4 => {
                let shown = self.inputs.shown(path);
                if self.output.warned.insert("hiera.yaml of version 4".into()) {
                    self.output.log("warning", format!("{shown}: Use of 'hiera.yaml' version 4 is deprecated. It should be converted to version 5\n   (file: {shown})"));
                }
                reading.version_4(config)
            }
            3 => return self.old(layer, path, &text),
            other => Err(Refused {
                name: IssueName::HieraUnsupportedVersion,
                message: format!("This runtime does not support hiera.yaml version {other}"),
                line: reading.line("version"),
                help: "write `version: 5`",
            }),
        };
        match checked {
            Ok(config) => Ok(Some(Arc::new(config))),
            Err(Refused { name, message, line, help }) => {
                let unknown = message.split_once("unrecognized key '").and_then(|(_, rest)| rest.split('\'').next());
                let help = match unknown.and_then(|key| crate::diag::nearest(key, config::ALL_KEYS.split(' '))) {
                    Some(near) => super::super::suggestion::did_you_mean(near),
                    None => help.to_string(),
                };
                // The version decides which words a file may have.
                let line = line.or_else(|| reading.line("version")).unwrap_or(1);
                self.inputs.wrong_in_file(path, &text, (line, 1), name, message).code(Code::InvalidHierarchy).help(help)
            }
        }
    }

    /// A file of version 3: Puppet takes it in the global layer only, and there it needs Ruby.
    fn old(&mut self, layer: &LayerName, path: &Path, text: &str) -> Run<Option<Arc<Config>>> {
        if *layer == LayerName::Global {
            let shown = self.inputs.shown(path);
            if self.output.warned.insert(shown.clone()) {
                self.output
                    .log("warning", format!("{shown}: a Hiera 3 file, which is not read; convert it to version 5"));
            }
            return Ok(None);
        }
        if *layer == LayerName::Environment && self.inputs.settings.strict != Strict::Error {
            let shown = self.inputs.shown(path);
            self.output
                .warn_once(format!("{shown}: a Hiera 3 file of an environment is ignored; convert it to version 5"));
            return Ok(None);
        }
        let message = format!("hiera.yaml version 3 cannot be used in {}", layer.with_article());
        let line = text.lines().position(|line| line.trim_start_matches(':').starts_with("version")).unwrap_or(0) + 1;
        self.inputs.wrong_in_file(path, text, (line, 1), IssueName::HieraVersion3NotGlobal, message)
    }

    /// A layer without `hiera.yaml`.
    fn without_config(&mut self, layer: &LayerName, root: &Path) -> Run<Option<Arc<Config>>> {
        let is_asked = match layer {
            LayerName::Global => true,
            LayerName::Environment => false,
            LayerName::Module(_) => self.asks_for_old_data(root, " A 'hiera.yaml' file should be used instead"),
        };
        if !is_asked {
            return Ok(None);
        }
        let (layer, root, levels) = (layer.clone(), root.to_path_buf(), vec![Level::common()]);
        let config = Config { layer, version: 5, file: None, root, levels, default_levels: None };
        Ok(Some(Arc::new(config)))
    }

    /// Whether a module's metadata asks for data as version 4 did.
    fn asks_for_old_data(&mut self, root: &Path, instead: &str) -> bool {
        let metadata = root.join("metadata.json");
        let Some(bytes) = self.inputs.files.read(&metadata) else { return false };
        let Ok(json) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return false };
        if json.get("data_provider").and_then(serde_json::Value::as_str) != Some("hiera") {
            return false;
        }
        let shown = self.inputs.shown(&metadata);
        if self.output.warned.insert(shown.clone()) {
            self.output.log(
                "warning",
                format!(
                    "Defining \"data_provider\": \"hiera\" in metadata.json is deprecated.{instead}\n   (file: {shown})"
                ),
            );
        }
        true
    }

    /// The data of a file, as a function of this name reads it.
    pub(super) fn data_file(&mut self, path: &Path, function: &str, at: At) -> Run<Arc<File>> {
        if let Some(file) = self.hiera.data.files.get(path) {
            return Ok(file.clone());
        }
        let bytes = self.inputs.files.read(path).unwrap_or_default();
        // Values take some times the bytes of their text.
        self.output.build(bytes.len().saturating_mul(4), at.span)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = match function {
            "json_data" => json(&text),
            "hocon_data" => hocon::read(&text),
            _ => yaml::read(&text),
        };
        let document = match read {
            Ok(document) => document,
            Err(wrong) => {
                let refused = self.inputs.unparsable(path, &text, &wrong);
                let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
                return match is_yaml && function == "json_data" && !text.trim_start().starts_with('{') {
                    true => refused
                        .label("this file is YAML, and `data_hash: json_data` reads JSON")
                        .help("write `data_hash: yaml_data` in hiera.yaml"),
                    false => refused,
                };
            }
        };
        let document = match &document.value {
            Value::Hash(_) => document,
            Value::Undef if function != "yaml_data" => with_hash(document),
            other => {
                let message = format!("{}: file does not contain a valid yaml hash", self.inputs.shown(path));
                if !matches!(other, Value::Undef | Value::Bool(false)) && self.inputs.settings.strict == Strict::Error {
                    return self
                        .inputs
                        .wrong_in_file(path, &text, (1, 1), IssueName::RuntimeError, message)
                        .code(Code::InvalidData)
                        .help(NO_HASH);
                }
                self.output.log("warning", message);
                with_hash(document)
            }
        };
        let document = Document { value: self.output.weighed(document.value, at.span)?, ..document };
        let file = Arc::new(File { document });
        self.hiera.data.files.insert(path.to_path_buf(), file.clone());
        Ok(file)
    }
}

impl Inputs<'_> {
    /// An error in a file that is no program.
    pub(super) fn wrong_in_file<V>(
        &mut self,
        path: &Path,
        text: &str,
        (line, column): (usize, usize),
        name: IssueName,
        message: String,
    ) -> Run<V> {
        let span = self.span_in_file(path, text, line, column);
        Err(Stop::Fail(Box::new(Issue::new(name, Stage::Eval, Some(span), message))))
    }

    /// An error in a file of data.
    fn unparsable<V>(&mut self, path: &Path, text: &str, wrong: &Wrong) -> Run<V> {
        let message = format!("Unable to parse ({}): {wrong}", self.shown(path));
        let Fault { code, line, column, why, help } = fault(text, wrong);
        self.wrong_in_file(path, text, (line, column), IssueName::RuntimeError, message)
            .code(code)
            .label(why)
            .help(help)
    }
}

/// What to do about a file of data that has no hash.
pub const NO_HASH: &str = "write `KEY: VALUE` lines at the top level of the file";

/// Why a file of data cannot be read, and what to do.
pub fn fault(text: &str, wrong: &Wrong) -> Fault {
    // A comment of YAML is not JSON where a key without quotes follows.
    let begins = |rest: &str| {
        let is_comment = |line: &&str| line.starts_with(['#', '/', '*']);
        rest.lines()
            .map(str::trim_start)
            .find(|line| !is_comment(line))
            .is_some_and(|line| line.starts_with(['"', '\'']))
    };
    let is_json = text.trim_start().strip_prefix('{').is_some_and(|rest| begins(rest.trim_start()));
    if is_json && let Err(fault) = check::json(text) {
        return fault;
    }
    let line = crate::module::yaml_cause_line(text, wrong.line as usize);
    let column = if line == wrong.line as usize { wrong.column as usize } else { 1 };
    let (why, help) = crate::module::yaml_advice(text, line, &wrong.message);
    Fault { code: Code::InvalidData, line, column, why, help: wrong.help.map_or(help, str::to_string) }
}
