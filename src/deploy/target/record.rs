//! A deploy's record in a mgmt cluster: the frontend and the tree, as base64 of a gob.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::gob::{self, FIRST, GobError, Shape, Type, Value, Writer, basic};

/// The form of a deploy's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frontend {
    /// A tree of mcl, entered through its `/metadata.yaml`.
    Lang,
    /// One graph, `/start.yaml`.
    Yaml,
}

impl Frontend {
    /// Returns the name of the frontend in mgmt.
    pub fn as_str(self) -> &'static str {
        match self {
            Frontend::Lang => "lang",
            Frontend::Yaml => "yaml",
        }
    }

    /// The name of the Go type that runs it.
    fn concrete(self) -> &'static str {
        match self {
            Frontend::Lang => "*gapi.GAPI",
            Frontend::Yaml => "*yamlgraph.GAPI",
        }
    }
}

/// Settings for running a deploy on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Every resource only reports what it would do.
    pub noop: bool,
    /// How many resources may run at once; `None` for no limit.
    pub sema: Option<u32>,
    pub no_auto_edges: bool,
    pub no_auto_group: bool,
}

/// A decoded record. Unknown fields are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// `lang`, `yaml`, `empty` or a name from a later version.
    pub frontend: String,
    pub choices: Choices,
    /// The name of its tree.
    pub uri: Option<String>,
}

/// Why a record is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("not base64")]
    Base64,
    #[error(transparent)]
    Gob(#[from] GobError),
    #[error("not a deploy: {0}")]
    NotADeploy(&'static str),
}

const DEPLOY: i64 = FIRST;
const GAPI: i64 = FIRST + 1;
const DATA: i64 = FIRST + 2;
const STRATEGY: i64 = FIRST + 3;

fn deploy_type() -> Type {
    Type::structure(
        "Deploy",
        &[
            ("ID", basic::UINT),
            ("Name", basic::STRING),
            ("Noop", basic::BOOL),
            ("Sema", basic::INT),
            ("NoAutoEdges", basic::BOOL),
            ("NoAutoGroup", basic::BOOL),
            ("GAPI", basic::INTERFACE),
        ],
    )
}

/// The types of a frontend's interface value. The first one is its own.
fn gapi_types(frontend: Frontend) -> Vec<(i64, Type)> {
    match frontend {
        Frontend::Yaml => vec![(GAPI, Type::structure("GAPI", &[("InputURI", basic::STRING)]))],
        Frontend::Lang => vec![
            (GAPI, Type::structure("GAPI", &[("InputURI", basic::STRING), ("Data", DATA)])),
            (DATA, Type::structure("Data", &[("UnificationStrategy", STRATEGY)])),
            (STRATEGY, Type { name: "map[string]string".into(), shape: Shape::Map(basic::STRING, basic::STRING) }),
        ],
    }
}

/// Encodes a record as gob. The reader sets the id.
pub fn encode_gob(frontend: Frontend, choices: Choices, uri: &str) -> Vec<u8> {
    let (mut stream, mut message) = (Writer::default(), Writer::default());
    message.description(DEPLOY, &deploy_type());
    message.flush(&mut stream);
    message.int(DEPLOY);
    message.begin();
    message.text_field(1, frontend.as_str());
    message.flag_field(2, choices.noop);
    message.int_field(3, choices.sema.map_or(-1, i64::from));
    message.flag_field(4, choices.no_auto_edges);
    message.flag_field(5, choices.no_auto_group);
    message.field(6);
    message.text(frontend.concrete());
    // Each description ends its message.
    for (number, ty) in gapi_types(frontend) {
        message.description(number, &ty);
        message.flush(&mut stream);
    }
    let mut value = Writer::default();
    value.begin();
    value.text_field(0, uri);
    if frontend == Frontend::Lang {
        // Readers require this map even if it is empty.
        value.field(1);
        value.begin();
        value.field(0);
        value.uint(0);
        value.end();
    }
    value.end();
    message.int(GAPI);
    value.flush(&mut message);
    message.end();
    message.flush(&mut stream);
    stream.into_bytes()
}

/// Encodes a record for storage.
pub fn encode(frontend: Frontend, choices: Choices, uri: &str) -> String {
    BASE64.encode(encode_gob(frontend, choices, uri))
}

/// Decodes a stored record.
pub fn decode(stored: &[u8]) -> Result<Record, RecordError> {
    decode_gob(&BASE64.decode(stored).map_err(|_| RecordError::Base64)?)
}

/// Decodes a record without its base64. Any other gob than a deploy record is an error.
pub fn decode_gob(bytes: &[u8]) -> Result<Record, RecordError> {
    let decoded = gob::decode(bytes)?;
    let Value::Struct(_) = &decoded.value else { return Err(RecordError::NotADeploy("not a struct")) };
    let value = &decoded.value;
    let frontend = text(value.field("Name"))?.unwrap_or_default();
    let sema = match value.field("Sema") {
        None => 0,
        Some(Value::Int(number)) => *number,
        Some(_) => return Err(RecordError::NotADeploy("its `Sema` is not a number")),
    };
    let choices = Choices {
        noop: flag(value.field("Noop"))?,
        sema: u32::try_from(sema).ok(),
        no_auto_edges: flag(value.field("NoAutoEdges"))?,
        no_auto_group: flag(value.field("NoAutoGroup"))?,
    };
    let uri = match value.field("GAPI") {
        None | Some(Value::Interface(None)) => None,
        Some(Value::Interface(Some((_, inner)))) => text(inner.field("InputURI"))?,
        Some(_) => return Err(RecordError::NotADeploy("its `GAPI` is not an interface")),
    };
    Ok(Record { frontend, choices, uri })
}

/// Returns the difference that would make another mgmt version misread our records; `None` if there is none.
///
/// The names and types are internal to mgmt, and a version may change them.
pub fn stranger_than(stored: &[u8], ours: Frontend) -> Option<String> {
    let bytes = BASE64.decode(stored).ok()?;
    let decoded = gob::decode(&bytes).ok()?;
    let has = |number: i64, name: &str| match &decoded.types.get(&number)?.shape {
        Shape::Struct(fields) => fields.iter().find(|(have, _)| have == name).map(|(_, ty)| *ty),
        _ => None,
    };
    if let Shape::Struct(fields) = deploy_type().shape
        && let Some((name, _)) = fields.iter().find(|(name, ty)| has(decoded.ty, name) != Some(*ty))
    {
        return Some(format!("its records have no `{name}` as this one would"));
    }
    let Some(Value::Interface(Some((concrete, _)))) = decoded.value.field("GAPI") else { return None };
    let is_same = text(decoded.value.field("Name")).ok()?.as_deref() == Some(ours.as_str());
    (is_same && concrete != ours.concrete())
        .then(|| format!("it runs `{}` by `{concrete}`, not by `{}`", ours.as_str(), ours.concrete()))
}

fn text(value: Option<&Value>) -> Result<Option<String>, RecordError> {
    match value {
        None => Ok(None),
        Some(Value::Bytes(bytes)) => {
            let text = String::from_utf8(bytes.clone());
            text.map(Some).map_err(|_| RecordError::NotADeploy("it contains a string that is not UTF-8"))
        }
        Some(_) => Err(RecordError::NotADeploy("it contains another type instead of a string")),
    }
}

fn flag(value: Option<&Value>) -> Result<bool, RecordError> {
    match value {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(RecordError::NotADeploy("it contains another type instead of a bool")),
    }
}
