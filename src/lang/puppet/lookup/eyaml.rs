//! `eyaml_lookup_key`: YAML with texts that are encrypted for a key of the site.
//!
//! A text is PKCS7 `EnvelopedData`: AES in CBC mode, its key wrapped by RSA. What is decrypted stays a string, because
//! programs expect one; the compilation remembers it and hides it wherever it turns up.

use std::path::Path;

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockModeDecrypt, KeyIvInit};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;
use rsa::{Pkcs1v15Encrypt, PrivateKey};

use super::key::Key;
use super::state::{Location, Resolved};
use super::{At, Search};
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::lookup::Data;
use crate::lang::puppet::stop::{Help, Run, runtime};
use crate::lang::puppet::value::{Map, Value};

/// Values inside of one another.
const MAX_DEPTH: usize = 250;

/// The names of AES-128, AES-192 and AES-256 in CBC mode.
const AES: [(&[u8], usize); 3] = [
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02], 16),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x16], 24),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2a], 32),
];

/// Why a text cannot be decrypted, and what to do about it.
type Refused = (String, &'static str);

fn again(why: impl Into<String>) -> Refused {
    (why.into(), "encrypt the value again with `eyaml encrypt --encrypt-method=pkcs7`")
}

impl dyn Search<'_> + '_ {
    /// What an encrypted file has for a key.
    pub(super) fn in_eyaml(&mut self, level: &Resolved, location: &Location, key: &Key, at: At) -> Run<Option<Value>> {
        let data = self.data().data_file(&location.path, "yaml_data", at)?;
        let Some(found) = data.get(&key.root) else { return Ok(None) };
        let line = data.line(&key.root);
        let value = self.decrypted(&found, level, location, key, at, 0);
        let value = self.data().inputs.at_line(value, &location.path, line, at)?;
        self.data().note_origin(level, &location.path, line, &value);
        Ok(Some(value))
    }

    fn decrypted(
        &mut self,
        value: &Value,
        level: &Resolved,
        location: &Location,
        key: &Key,
        at: At,
        depth: usize,
    ) -> Run {
        if depth > MAX_DEPTH {
            return runtime(at.span, format!("data is nested more than {MAX_DEPTH} deep"))
                .help("use fewer levels of lists and hashes");
        }
        match value {
            Value::Str(text) => {
                if !text.contains("ENC[") {
                    return self.interpolated(value, true, at);
                }
                match self.data().plain(text, level) {
                    Ok(plain) => {
                        let plain = Value::str(plain);
                        self.interpolated(&plain, true, at)
                    }
                    Err((why, help)) => {
                        let path = self.data().inputs.shown(&location.path);
                        let message = format!("cannot decrypt '{}' in {path}: {why}", key.root);
                        runtime(at.span, message).help(help)
                    }
                }
            }
            Value::Array(list) => {
                let items = list.iter().map(|item| self.decrypted(item, level, location, key, at, depth + 1));
                Ok(Value::array(items.collect::<Run<Vec<Value>>>()?))
            }
            Value::Hash(map) => {
                let mut out = Map::default();
                for (name, item) in map.iter() {
                    let name = self.interpolated(name, true, at)?;
                    out.insert(name, self.decrypted(item, level, location, key, at, depth + 1)?);
                }
                Ok(Value::hash(out))
            }
            other => Ok(other.clone()),
        }
    }
}

impl Data<'_, '_> {
    /// A text with every `ENC[…]` in it decrypted.
    fn plain(&mut self, text: &str, level: &Resolved) -> Result<String, Refused> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("ENC[") {
            let (inner, after) = after.split_once(']').ok_or_else(|| again("`ENC[` has no `]`"))?;
            out.push_str(before);
            let (scheme, data) = inner.split_once(',').unwrap_or(("PKCS7", inner));
            if !scheme.trim().eq_ignore_ascii_case("pkcs7") {
                return Err(again(format!("the encryption {} is not supported, only PKCS7 is", scheme.trim())));
            }
            let compact: String = data.split_whitespace().collect();
            let der = STANDARD.decode(compact).map_err(|_| again("the encrypted text is not base64"))?;
            let plain = decrypt(&der, &self.inputs.private_key(level)?)?;
            let plain = String::from_utf8(plain).map_err(|_| again("the decrypted text is not UTF-8"))?;
            let secret = plain.trim();
            if !secret.is_empty() && !self.hiera.secrets.iter().any(|known| **known == *secret) {
                self.hiera.secrets.push(secret.into());
            }
            out.push_str(&plain);
            rest = after;
        }
        out.push_str(rest);
        Ok(out.strip_suffix('\n').map(str::to_string).unwrap_or(out))
    }
}

impl Inputs<'_> {
    fn private_key(&self, level: &Resolved) -> Result<PrivateKey, Refused> {
        let Some(path) = super::level::option(level, "pkcs7_private_key") else {
            let why = "hiera.yaml names no `pkcs7_private_key` in the options of this level";
            return Err((why.into(), "add it, for example `options: {pkcs7_private_key: keys/private_key.pkcs7.pem}`"));
        };
        let path = Path::new(&path);
        let path = if path.is_absolute() { path.to_path_buf() } else { self.settings.working_folder.join(path) };
        let shown = self.shown(&path);
        let bytes = self.files.read(&path).ok_or_else(|| {
            let help = "put the key there, or correct `pkcs7_private_key` in `hiera.yaml`";
            (format!("cannot read the private key {shown}"), help)
        })?;
        let text = String::from_utf8_lossy(&bytes);
        PrivateKey::from_pkcs1_pem(&text)
            .or_else(|_| PrivateKey::from_pkcs8_pem(&text).map_err(|error| error.to_string()))
            .map_err(|_| {
                let help = "convert it with `openssl pkey -in KEY -out KEY.pem`";
                (format!("{shown} is not an RSA private key in PEM form"), help)
            })
    }
}

/// One element of DER: its tag, its content, and what is behind it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let (digits, rest) = rest.split_at_checked(count)?;
        (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content of an element that has to have this tag, and what is behind it.
fn expect(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    element(bytes).filter(|(tag, ..)| *tag == wanted).map(|(_, content, rest)| (content, rest))
}

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const INTEGER: u8 = 0x02;
const NAME: u8 = 0x06;
const OCTETS: u8 = 0x04;

/// What is needed of an envelope: the wrapped keys, the cipher, its start, and the encrypted text.
struct Envelope<'d> {
    keys: Vec<&'d [u8]>,
    cipher: &'d [u8],
    start: &'d [u8],
    content: Vec<u8>,
}

fn envelope(der: &[u8]) -> Option<Envelope<'_>> {
    let (info, _) = expect(der, SEQUENCE)?;
    let (_, rest) = expect(info, NAME)?;
    let (explicit, _) = expect(rest, 0xa0)?;
    let (data, _) = expect(explicit, SEQUENCE)?;
    let (_, rest) = expect(data, INTEGER)?;
    let (mut recipients, rest) = expect(rest, SET)?;
    let mut keys = Vec::new();
    while !recipients.is_empty() {
        let (recipient, more) = expect(recipients, SEQUENCE)?;
        let (_, inner) = expect(recipient, INTEGER)?;
        let (_, _, inner) = element(inner)?;
        let (_, inner) = expect(inner, SEQUENCE)?;
        keys.push(expect(inner, OCTETS)?.0);
        recipients = more;
    }
    let (encrypted, _) = expect(rest, SEQUENCE)?;
    let (_, rest) = expect(encrypted, NAME)?;
    let (algorithm, rest) = expect(rest, SEQUENCE)?;
    let (cipher, parameters) = expect(algorithm, NAME)?;
    let (start, _) = expect(parameters, OCTETS)?;
    let content = match element(rest)? {
        (0x80, content, _) => content.to_vec(),
        (0xa0, mut parts, _) => {
            let mut content = Vec::new();
            while !parts.is_empty() {
                let (part, more) = expect(parts, OCTETS)?;
                content.extend_from_slice(part);
                parts = more;
            }
            content
        }
        _ => return None,
    };
    Some(Envelope { keys, cipher, start, content })
}

/// Decrypts an envelope with the user's own key.
///
/// RUSTSEC-2023-0071 (Marvin: many timed decryptions reveal the key) names no fixed version, although `rsa` 0.10 is hardened
/// against it. The attack needs somebody who sends texts and measures the time over the network. Here the user decrypts local
/// files, once each, and no answer goes out.
fn decrypt(der: &[u8], key: &PrivateKey) -> Result<Vec<u8>, Refused> {
    let envelope = envelope(der).ok_or_else(|| again("the encrypted text is not PKCS7 enveloped data"))?;
    let known = AES.iter().find(|(name, _)| *name == envelope.cipher);
    let (_, size) = known.ok_or_else(|| again("the cipher is not AES in CBC mode"))?;
    for wrapped in &envelope.keys {
        // A key that does not fit gives random bytes instead of an error.
        let session = key.decrypt(Pkcs1v15Encrypt, wrapped).unwrap_or_default();
        if let Some(plain) = (session.len() == *size).then(|| unwrapped(&session, &envelope)).flatten() {
            return Ok(plain);
        }
    }
    let help = "set `pkcs7_private_key` to the key that belongs to the certificate of `eyaml encrypt`";
    Err(("the private key does not fit the encrypted text".into(), help))
}

fn unwrapped(key: &[u8], envelope: &Envelope<'_>) -> Option<Vec<u8>> {
    let (start, content) = (envelope.start, &envelope.content);
    match key.len() {
        16 => {
            cbc::Decryptor::<aes::Aes128>::new_from_slices(key, start).ok()?.decrypt_padded_vec::<Pkcs7>(content).ok()
        }
        24 => {
            cbc::Decryptor::<aes::Aes192>::new_from_slices(key, start).ok()?.decrypt_padded_vec::<Pkcs7>(content).ok()
        }
        _ => cbc::Decryptor::<aes::Aes256>::new_from_slices(key, start).ok()?.decrypt_padded_vec::<Pkcs7>(content).ok(),
    }
}
