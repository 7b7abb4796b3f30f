//! The input of a built-in function, and its failures.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::limits;
use super::local::PoolNumbers;
use super::past::Past;
use crate::lang::mcl::eval::Spot;
use crate::lang::mcl::types::Type;
use crate::lang::mcl::value::Value;
use crate::lang::{Budget, Spent};
use crate::world::{Read, ReadError, Sample, World};

/// The input of a function.
pub struct Call<'a> {
    pub args: &'a [Value],
    /// The type that the call must have; only with [`super::Typing::ByResult`].
    pub result: Option<&'a Type>,
    pub world: &'a dyn World,
    /// The place in the program, in one iteration of its loops and calls: the same in every evaluation.
    pub spot: Spot,
    /// The folder of the file with the call.
    pub folder: &'a Path,
    /// The folder of the entry point.
    pub root: &'a Path,
    /// Calls a function value; errors pass through.
    pub apply: &'a mut Apply<'a>,
    /// The state of functions.
    pub cells: &'a mut Cells,
    /// What the compilation may still spend.
    pub budget: &'a Budget,
}

/// How a function calls a function value argument.
pub type Apply<'a> = dyn FnMut(&Value, &[Value]) -> Result<Value, Failure> + 'a;

/// The state of functions: their spots, earlier values, and costly results.
#[derive(Debug, Default)]
pub struct Cells {
    spots: FxHashMap<&'static str, Spot>,
    /// The state of `history`; empty if evaluation has no time.
    pub past: Past,
    /// The numbers that `local.pool` assigned.
    pub numbers: PoolNumbers,
    /// The last compiled pattern, with its text: loops use the same one again and again.
    pub(super) pattern: Option<(Box<str>, regex::bytes::Regex)>,
}

impl Cells {
    /// Whether a function is called at one spot only.
    pub fn is_only_spot(&mut self, function: &'static str, spot: Spot) -> bool {
        *self.spots.entry(function).or_insert(spot) == spot
    }
}

/// Why a function has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// Whether `<|>` catches it; anything else ends the evaluation.
    pub catchable: bool,
    /// Whether a limit of the compilation is reached.
    pub spent: bool,
    /// Specific help, if there is any.
    pub help: Option<&'static str>,
}

const ALLOW: &str = "use `--run-guards` to run it, if you trust this program";

impl Failure {
    /// Makes a failure that `<|>` replaces by its default.
    pub fn catchable(message: impl Into<String>) -> Self {
        Self { message: message.into(), catchable: true, spent: false, help: None }
    }

    /// Makes a failure that ends the evaluation.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), catchable: false, spent: false, help: None }
    }
}

impl From<Spent> for Failure {
    fn from(spent: Spent) -> Self {
        Self { spent: true, ..Self::fatal(spent.message()) }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotAllowed(_) => Self { help: Some(ALLOW), ..Self::fatal(error.to_string()) },
            ReadError::Failed { .. } | ReadError::TooLarge { .. } => {
                Self { help: Some("check that path"), ..Self::fatal(error.to_string()) }
            }
            other => Self::fatal(other.to_string()),
        }
    }
}

/// Arguments by position. A wrong kind is a failure and not a panic: if a format is known only at run time the types
/// are checked here.
impl<'a> Call<'a> {
    /// Returns the argument at an index from 0. Fails if it is missing.
    pub fn arg(&self, at: usize) -> Result<&'a Value, Failure> {
        self.args.get(at).ok_or_else(|| Failure::fatal(format!("argument {} is missing", at + 1)))
    }

    /// Returns the argument at an index as a `bool`. Fails if it is missing or has another type.
    pub fn bool(&self, at: usize) -> Result<bool, Failure> {
        match self.arg(at)? {
            Value::Bool(value) => Ok(*value),
            other => Err(wrong_kind(at, "bool", other)),
        }
    }

    /// Returns the argument at an index as an `int`. Fails if it is missing or has another type.
    pub fn int(&self, at: usize) -> Result<i64, Failure> {
        match self.arg(at)? {
            Value::Int(value) => Ok(*value),
            other => Err(wrong_kind(at, "int", other)),
        }
    }

    /// Returns the argument at an index as a `float`. Fails if it is missing or has another type.
    pub fn float(&self, at: usize) -> Result<f64, Failure> {
        match self.arg(at)? {
            Value::Float(value) => Ok(*value),
            other => Err(wrong_kind(at, "float", other)),
        }
    }

    /// Returns the argument at an index as a `str`. Fails if it is missing, has another type or is not UTF-8.
    pub fn str(&self, at: usize) -> Result<&'a str, Failure> {
        match self.arg(at)? {
            Value::Str(text) => Ok(text),
            other => Err(wrong_kind(at, "str", other)),
        }
    }

    /// A text that need not be UTF-8.
    pub fn bytes(&self, at: usize) -> Result<&'a [u8], Failure> {
        let value = self.arg(at)?;
        value.as_bytes().ok_or_else(|| wrong_kind(at, "str", value))
    }

    /// Returns the items of the list argument at an index. Fails if it is missing or has another type.
    pub fn list(&self, at: usize) -> Result<&'a [Value], Failure> {
        match self.arg(at)? {
            Value::List(items) => Ok(items),
            other => Err(wrong_kind(at, "list", other)),
        }
    }

    /// Returns the texts of the list argument at an index. Fails if an item is not a UTF-8 `str`.
    pub fn strs(&self, at: usize) -> Result<Vec<&'a str>, Failure> {
        let text = |item: &'a Value| match item {
            Value::Str(text) => Ok(&**text),
            other => Err(wrong_kind(at, "list of str", other)),
        };
        self.list(at)?.iter().map(text).collect()
    }

    /// A list of texts that need not be UTF-8.
    pub fn byte_texts(&self, at: usize) -> Result<Vec<&'a [u8]>, Failure> {
        let text = |item: &'a Value| item.as_bytes().ok_or_else(|| wrong_kind(at, "list of str", item));
        self.list(at)?.iter().map(text).collect()
    }

    /// Returns the pairs of the map argument at an index. Fails if it is missing or has another type.
    pub fn map(&self, at: usize) -> Result<&'a BTreeMap<Value, Value>, Failure> {
        match self.arg(at)? {
            Value::Map(pairs) => Ok(pairs),
            other => Err(wrong_kind(at, "map", other)),
        }
    }

    /// Refuses a text that would be too long, or longer than the compilation may build; before it is made.
    pub fn text_fits(&self, bytes: usize) -> Result<(), Failure> {
        limits::text(bytes)?;
        self.budget.text(bytes)?;
        Ok(self.budget.has_room(bytes)?)
    }

    /// The same for a list.
    pub fn items_fit(&self, count: usize) -> Result<(), Failure> {
        limits::items(count)?;
        self.budget.items(count)?;
        Ok(self.budget.has_room(count.saturating_mul(size_of::<Value>()))?)
    }

    /// Random bytes that a frozen world repeats at the same spot; `draw` distinguishes those of one call.
    pub fn random(&self, function: &str, draw: u32, len: u32) -> Result<std::sync::Arc<[u8]>, Failure> {
        let id = format!("{function}#{:016x}.{draw}", self.spot.0);
        match self.world.read(&Read::Random { id, len })? {
            Sample::Bytes(bytes) => Ok(bytes),
            other => Err(unexpected(&other)),
        }
    }
}

/// For a sample of another kind than that of the read.
pub fn unexpected(sample: &Sample) -> Failure {
    Failure::fatal(format!("the world answered with something else: {sample:?}"))
}

fn wrong_kind(at: usize, wanted: &str, have: &Value) -> Failure {
    if let Value::Bytes(_) = have {
        return Failure::fatal(format!("argument {} is {have}, and this function takes UTF-8 only", at + 1));
    }
    Failure::fatal(format!("argument {} must be {wanted}, not {}", at + 1, have.kind()))
}

/// A struct from its fields in the order of its type.
pub fn fields<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Struct(Rc::new(fields.into_iter().map(|(name, value)| (SmolStr::new(name), value)).collect()))
}

/// A list of texts.
pub fn texts<T: AsRef<str>>(items: impl IntoIterator<Item = T>) -> Value {
    Value::list(items.into_iter().map(|item| Value::str(item.as_ref())).collect())
}
