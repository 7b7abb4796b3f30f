//! Digests of Ruby's OpenSSL that modules derive passwords with: SHA-256, its HMAC and PBKDF2. Bytes that are no text can
//! only be passed on.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::call::MethodResult;
use super::value::{Key, Ruby};
use super::{Machine, Ran};
use crate::lang::ruby::host::Foreign;

/// More rounds or bytes are left to Ruby.
const MOST_ROUNDS: u32 = 100_000;
const MOST_BYTES: usize = 1024;

/// A value of OpenSSL.
#[derive(Debug)]
enum Secret {
    /// A text that holds any bytes. The flag is set where Ruby shows them.
    Bytes(Vec<u8>, Arc<AtomicBool>),
    Sha256,
    /// The key, and the text so far.
    Hmac(Vec<u8>, Mutex<Vec<u8>>),
}

impl Foreign for Secret {
    fn shown(&self) -> String {
        if let Self::Bytes(_, is_shown) = self {
            is_shown.store(true, Ordering::Relaxed);
        }
        String::new()
    }

    fn class(&self) -> &'static str {
        match self {
            Self::Bytes(..) => "String",
            Self::Sha256 => "OpenSSL::Digest",
            Self::Hmac(..) => "OpenSSL::HMAC",
        }
    }

    fn is_equal(&self, other: &dyn Foreign) -> bool {
        match (self, other.as_any().downcast_ref::<Self>()) {
            (Self::Bytes(left, _), Some(Self::Bytes(right, _))) => left == right,
            _ => false,
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(text));
    mac.map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

fn made(secret: Secret) -> MethodResult {
    Ok(Some(Ruby::Other(Arc::new(secret))))
}

fn secret(value: &Ruby) -> Option<&Secret> {
    match value {
        Ruby::Other(foreign) => foreign.as_any().downcast_ref(),
        _ => None,
    }
}

impl Machine<'_> {
    fn made_bytes(&self, bytes: Vec<u8>) -> MethodResult {
        made(Secret::Bytes(bytes, Arc::clone(&self.shows_bytes)))
    }

    /// The bytes of a text, or those that OpenSSL made.
    fn bytes(&self, line: u32, value: &Ruby) -> Ran<Vec<u8>> {
        match secret(value) {
            Some(Secret::Bytes(bytes, _)) => Ok(bytes.clone()),
            _ => self.text(line, value).map(String::into_bytes),
        }
    }

    /// What a class of OpenSSL, or `Base64`, makes.
    pub fn openssl(&mut self, line: u32, class: &str, name: &str, args: &[Ruby]) -> MethodResult {
        match (class, name, args) {
            ("OpenSSL::Digest", "new", [word]) if matches!(&*self.text(line, word)?, "SHA256" | "sha256") => {
                made(Secret::Sha256)
            }
            ("OpenSSL::Digest::SHA256", "new", []) => made(Secret::Sha256),
            ("OpenSSL::HMAC", "new", [key, hash]) if matches!(secret(hash), Some(Secret::Sha256)) => {
                made(Secret::Hmac(self.bytes(line, key)?, Mutex::default()))
            }
            ("OpenSSL::HMAC", "digest", [hash, key, text]) if matches!(secret(hash), Some(Secret::Sha256)) => {
                let (key, text) = (self.bytes(line, key)?, self.bytes(line, text)?);
                self.made_bytes(hmac(&key, &text))
            }
            ("OpenSSL::KDF", "pbkdf2_hmac", [password, Ruby::Hash(options)]) => {
                let password = self.bytes(line, password)?;
                let option = |name: &str| {
                    let found = self.heap.table(*options).and_then(|table| table.get(&Key::Symbol(name.into())));
                    found.map(|(_, value)| value.clone())
                };
                let all = (option("salt"), option("iterations"), option("length"), option("hash"));
                let (Some(salt), Some(Ruby::Int(rounds)), Some(Ruby::Int(length)), Some(hash)) = all else {
                    return Ok(None);
                };
                let (rounds, length) =
                    (u32::try_from(rounds).unwrap_or(0), usize::try_from(length).unwrap_or(usize::MAX));
                if !(1..=MOST_ROUNDS).contains(&rounds)
                    || length > MOST_BYTES
                    || !matches!(secret(&hash), Some(Secret::Sha256))
                {
                    return Ok(None);
                }
                let salt = self.bytes(line, &salt)?;
                self.heap.visit_many(rounds as usize * (1 + length / 32));
                self.step()?;
                let mut key = vec![0; length];
                pbkdf2::pbkdf2_hmac::<Sha256>(&password, &salt, rounds, &mut key);
                self.made_bytes(key)
            }
            ("Base64", "strict_encode64", [value]) => {
                let text = STANDARD.encode(self.bytes(line, value)?);
                self.string(text).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A method of a value of OpenSSL.
    pub fn openssl_method(&mut self, line: u32, on: &Ruby, name: &str, args: &[Ruby]) -> MethodResult {
        let Some(secret) = secret(on) else { return Ok(None) };
        match (secret, name, args) {
            (Secret::Hmac(_, text), "<<" | "update", [more]) => {
                let more = self.bytes(line, more)?;
                let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
                self.heap.has_room(text.len().saturating_add(more.len()))?;
                text.extend(more);
                Ok(Some(on.clone()))
            }
            (Secret::Hmac(key, text), "digest", []) => {
                let text = text.lock().unwrap_or_else(PoisonError::into_inner);
                self.heap.visit_many(text.len() / 64);
                self.step()?;
                self.made_bytes(hmac(key, &text))
            }
            (Secret::Sha256, "digest", [text]) => self.made_bytes(Sha256::digest(self.bytes(line, text)?).to_vec()),
            _ => self.outside(line, format!("the method `{name}` of {}", secret.class())),
        }
    }
}
