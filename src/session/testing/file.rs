//! A test file: which program is compiled for which node, and what is expected of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::TestFault;
use crate::diag::nearest;
use crate::graph::Value;
use crate::module::{LanguageName, clean};
use crate::plan::stop::Stop;

/// A test file as written. Paths are joined to the folder of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct TestFile {
    /// A path, or code; `None` for the folder above.
    pub entry: Option<String>,
    /// Of code.
    pub lang: Option<LanguageName>,
    pub node: Option<String>,
    pub facts: Option<PathBuf>,
    pub environment: Option<PathBuf>,
    pub module_path: Vec<PathBuf>,
    pub set: Vec<(String, String)>,
    /// The code of the error that it must have, with the line.
    pub fails: Option<(String, u32)>,
    pub expect: Vec<Expect>,
    pub verdicts: Vec<Verdict>,
    pub snapshot: Option<PathBuf>,
}

/// One expectation, with its line.
#[derive(Clone, Debug)]
pub(super) struct Expect {
    pub line: u32,
    pub what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    /// A resource, with some of its parameters.
    Resource {
        id: String,
        absent: bool,
        params: BTreeMap<String, (Value, u32)>,
        /// Resources that it comes after, and those that refresh it.
        after: Vec<String>,
        refreshed_by: Vec<String>,
    },
    /// Resources that match a condition: at least one, or this many.
    Matching { when: String, stop: Stop, count: Option<usize> },
}

/// A program to compare with, and the expected verdict.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub line: u32,
    pub with: String,
    pub is: String,
}

const VERDICTS: [&str; 4] = ["equal", "equal but for order or refreshes", "different", "undecided"];

/// Reads a test file.
pub(super) fn read(path: &Path, text: &str) -> Result<TestFile, TestFault> {
    let shown = path.display().to_string();
    let reader = Reader { text, file: &shown, folder: path.parent().unwrap_or(Path::new("")) };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.fault_at(at, format!("not TOML: {}", error.message()))
    })?;
    reader.file(table.get_ref())
}

struct Reader<'t> {
    text: &'t str,
    file: &'t str,
    folder: &'t Path,
}

type Item<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    fn file(&self, table: &DeTable<'_>) -> Result<TestFile, TestFault> {
        let mut test = TestFile::default();
        for (key, value) in table.iter() {
            match &**key.get_ref() {
                "entry" => test.entry = Some(self.entry(value)?),
                "lang" => {
                    let name = self.text(value)?;
                    let known = LanguageName::named(&name);
                    test.lang = Some(known.ok_or_else(|| self.fault(value, "the languages are mcl, puppet, inmanta"))?);
                }
                "node" => test.node = Some(self.text(value)?),
                "facts" => test.facts = Some(self.path(value)?),
                "environment" => test.environment = Some(self.path(value)?),
                "module-path" => {
                    test.module_path =
                        self.list(value)?.into_iter().map(|path| self.path(path)).collect::<Result<_, _>>()?;
                }
                "set" => {
                    for (key, value) in self.table(value)?.iter() {
                        test.set.push((key.get_ref().to_string(), self.text(value)?));
                    }
                }
                "fails" => test.fails = Some((self.text(value)?, self.line(value.span().start))),
                "snapshot" => test.snapshot = Some(self.path(value)?),
                "expect" => {
                    test.expect =
                        self.list(value)?.into_iter().map(|value| self.expect(value)).collect::<Result<_, _>>()?;
                }
                "verdict" => {
                    test.verdicts =
                        self.list(value)?.into_iter().map(|value| self.verdict(value)).collect::<Result<_, _>>()?;
                }
                other => {
                    const KEYS: [&str; 11] = [
                        "entry",
                        "lang",
                        "node",
                        "facts",
                        "environment",
                        "module-path",
                        "set",
                        "fails",
                        "snapshot",
                        "expect",
                        "verdict",
                    ];
                    return Err(self.unknown(other, key.span().start, &KEYS));
                }
            }
        }
        let checks = !test.expect.is_empty() || !test.verdicts.is_empty();
        if test.fails.is_some() && (checks || test.snapshot.is_some()) {
            return Err(self.fault_at(0, "`fails` excludes `expect`, `verdict` and `snapshot`".into()));
        }
        if test.fails.is_none() && !checks && test.snapshot.is_none() {
            return Err(self.fault_at(0, "it expects nothing: add `[[expect]]`, `snapshot` or `fails`".into()));
        }
        Ok(test)
    }

    fn expect(&self, value: &Item<'_>) -> Result<Expect, TestFault> {
        const KEYS: [&str; 7] = ["resource", "absent", "params", "after", "refreshed-by", "when", "count"];
        let table = self.table(value)?;
        let line = self.line(value.span().start);
        let (mut id, mut when, mut absent, mut count) = (None, None, false, None);
        let (mut params, mut after, mut refreshed_by) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (key, value) in table.iter() {
            let texts =
                || self.list(value)?.into_iter().map(|item| self.text(item)).collect::<Result<Vec<_>, TestFault>>();
            match (&**key.get_ref(), value.get_ref()) {
                ("resource", _) => id = Some(self.text(value)?),
                ("when", _) => when = Some((self.text(value)?, value.span().start)),
                ("absent", DeValue::Boolean(is_absent)) => absent = *is_absent,
                ("absent", _) => return Err(self.fault(value, "`absent` must be true or false")),
                ("count", DeValue::Integer(number)) => {
                    let number = usize::from_str_radix(number.as_str(), number.radix());
                    count = Some(number.map_err(|_| self.fault(value, "`count` must be a whole number"))?);
                }
                ("count", _) => return Err(self.fault(value, "`count` must be a whole number")),
                ("after", _) => after = texts()?,
                ("refreshed-by", _) => refreshed_by = texts()?,
                ("params", _) => {
                    for (name, value) in self.table(value)?.iter() {
                        let line = self.line(value.span().start);
                        params.insert(name.get_ref().to_string(), (self.value(value)?, line));
                    }
                }
                (other, _) => return Err(self.unknown(other, key.span().start, &KEYS)),
            }
        }
        let has_more = absent || !params.is_empty() || !after.is_empty() || !refreshed_by.is_empty();
        let what = match (id, when) {
            (Some(id), None) if count.is_none() => {
                if absent && (!params.is_empty() || !after.is_empty() || !refreshed_by.is_empty()) {
                    return Err(self.fault(value, "`absent` excludes the others"));
                }
                What::Resource { id, absent, params, after, refreshed_by }
            }
            (None, Some((when, at))) if !has_more => {
                let stop = Stop::parse_conditions(&when).map_err(|why| self.fault_at(at, why))?;
                What::Matching { when, stop, count }
            }
            _ => {
                let why = "an expectation has `resource` (with `params`, `after`, `refreshed-by`, `absent`), or `when` \
                           (with `count`)";
                return Err(self.fault(value, why));
            }
        };
        Ok(Expect { line, what })
    }

    fn verdict(&self, value: &Item<'_>) -> Result<Verdict, TestFault> {
        let (mut with, mut is) = (None, None);
        for (key, value) in self.table(value)?.iter() {
            match &**key.get_ref() {
                "with" => with = Some(self.entry(value)?),
                "is" => {
                    let word = self.text(value)?;
                    if !VERDICTS.contains(&&*word) {
                        return Err(self.fault(value, &format!("the verdicts are: {}", VERDICTS.join("; "))));
                    }
                    is = Some(word);
                }
                other => return Err(self.unknown(other, key.span().start, &["with", "is"])),
            }
        }
        match (with, is) {
            (Some(with), Some(is)) => Ok(Verdict { line: self.line(value.span().start), with, is }),
            _ => Err(self.fault(value, "a verdict needs `with` and `is`")),
        }
    }

    /// A path relative to this file, or code.
    fn entry(&self, value: &Item<'_>) -> Result<String, TestFault> {
        let text = self.text(value)?;
        let is_code = text.contains(char::is_whitespace) || text.contains(['{', '(', '[']);
        let path = clean(&self.folder.join(&text));
        Ok(if is_code && !path.exists_here() { text } else { path.to_string_lossy().into_owned() })
    }

    fn path(&self, value: &Item<'_>) -> Result<PathBuf, TestFault> {
        Ok(clean(&self.folder.join(self.text(value)?)))
    }

    fn text(&self, value: &Item<'_>) -> Result<String, TestFault> {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Ok(text.to_string()),
            _ => Err(self.fault(value, "expected a string")),
        }
    }

    fn list<'v, 't>(&self, value: &'v Item<'t>) -> Result<Vec<&'v Item<'t>>, TestFault> {
        match value.get_ref() {
            DeValue::Array(items) => Ok(items.iter().collect()),
            _ => Err(self.fault(value, "expected a list")),
        }
    }

    fn table<'v, 't>(&self, value: &'v Item<'t>) -> Result<&'v DeTable<'t>, TestFault> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.fault(value, "expected a table")),
        }
    }

    fn value(&self, value: &Item<'_>) -> Result<Value, TestFault> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::from(&**text),
            DeValue::Boolean(on) => Value::Bool(*on),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Value::Int(number),
                Err(_) => return Err(self.fault(value, "this number is too large")),
            },
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => Value::Float(number),
                Err(_) => return Err(self.fault(value, "not a number")),
            },
            DeValue::Array(items) => Value::List(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?),
            DeValue::Table(table) => {
                let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Item<'_>)| {
                    Ok((Value::from(&**key.get_ref()), self.value(value)?))
                };
                Value::Map(table.iter().map(entry).collect::<Result<_, TestFault>>()?)
            }
            DeValue::Datetime(day) => Value::from(&*day.to_string()),
        })
    }

    fn unknown(&self, key: &str, at: usize, keys: &[&str]) -> TestFault {
        let help = match nearest(key, keys.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the fields are {}", keys.join(", ")),
        };
        self.fault_at(at, format!("unknown field `{key}`; {help}"))
    }

    fn fault(&self, value: &Item<'_>, message: &str) -> TestFault {
        self.fault_at(value.span().start, message.into())
    }

    fn fault_at(&self, at: usize, message: String) -> TestFault {
        TestFault { file: self.file.into(), line: self.line(at), message, ..TestFault::default() }
    }

    fn line(&self, at: usize) -> u32 {
        let before = self.text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

/// Whether a path is there on this machine.
trait ExistsHere {
    fn exists_here(&self) -> bool;
}

impl ExistsHere for Path {
    fn exists_here(&self) -> bool {
        let world: &dyn crate::world::World = &crate::world::Live::new();
        world.kind(self) != crate::world::PathKind::Missing
    }
}
