//! The kind `password`: generates a random password once, and sends it.
//!
//! The sent value is marked sensitive, so it is never shown. Without `saved` it is sent only in the run that generates
//! it, and later runs send nothing: the receiver keeps its value.

use serde::{Deserialize, Serialize};

use super::{Checked, Kind, Schema, Sent, Turn, kept, schema};
use crate::graph::{Params, Value};
use crate::host::{Act, HostError, Look};
use crate::plan::{Action, Change, Reversible};

const DEFAULT_LENGTH: i64 = 64;

/// Easy to read out and to type, without special characters of shells and configuration files.
const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

/// The kind `password`, which generates a random password once and sends it.
pub struct Password;

/// That a password was generated, and its value if it is saved.
#[derive(Serialize, Deserialize)]
struct Generated {
    password: Option<String>,
}

impl Kind for Password {
    fn schema(&self) -> &'static Schema {
        schema("password").expect("the schemas name every built-in kind")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let length = length(turn)?;
        let saved = turn.flag("saved")?;
        let kept: Option<Generated> = kept::read(turn, "password", look)?;
        kept::folder(turn)?;
        let why = match &kept {
            _ if turn.refresh => "notified",
            None => "no password yet",
            Some(Generated { password: None }) if saved => "the existing password was not saved",
            Some(Generated { password: Some(password) }) if saved && password.len() != length => {
                if !turn.flag("check_recovery")? {
                    let why = format!(
                        "the saved password does not have {length} characters; `check_recovery` creates a new one"
                    );
                    return Err(HostError::Refused(why));
                }
                "the saved password has a different length"
            }
            Some(kept) => {
                let saved = kept.password.as_deref().filter(|_| saved);
                return Ok(Checked { sends: saved.map(sends).unwrap_or_default(), ..Checked::right() });
            }
        };
        let value = Some(Value::Sensitive(Box::new(Value::Null)));
        let from = value.clone().filter(|_| kept.is_some());
        let made = Change { property: "password".into(), from, to: value, sensitive: true };
        let action = if kept.is_some() { Action::Change } else { Action::Create };
        // No journal contains the old one.
        Ok(Checked { action, changes: vec![made], reversible: Reversible::No, ..Checked::right().with_note(why) })
    }

    fn apply(&self, turn: &Turn, _seen: &Checked, act: &dyn Act) -> Result<Sent, HostError> {
        if act.predicts() {
            let values = Params::from_iter([("password".into(), Value::Unknown)]);
            return Ok(Sent { values, lines: Vec::new() });
        }
        let password = generate(length(turn)?)?;
        let kept = Generated { password: turn.flag("saved")?.then(|| password.clone()) };
        kept::write(turn, "password", &kept, act)?;
        Ok(Sent { values: sends(&password), lines: Vec::new() })
    }

    /// After an apply the refresh is still pending, and would request a new password each time.
    fn converges(&self) -> bool {
        false
    }

    fn is_secret(&self) -> bool {
        true
    }
}

fn sends(password: &str) -> Params {
    Params::from_iter([("password".into(), Value::Sensitive(Box::new(password.into())))])
}

fn length(turn: &Turn) -> Result<usize, HostError> {
    match usize::try_from(turn.int("length")?.unwrap_or(DEFAULT_LENGTH)) {
        Ok(length @ 1..) => Ok(length),
        _ => Err(HostError::Refused("`length` must not be 0".into())),
    }
}

fn generate(length: usize) -> Result<String, HostError> {
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        let count = rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty());
        filled += count.map_err(|_| HostError::Refused("the system has no random bytes".into()))?;
    }
    // 64 characters: every character has the same probability.
    Ok(bytes.into_iter().map(|byte| char::from(ALPHABET[usize::from(byte % 64)])).collect())
}
