//! The signer of a bundle: checks the minisign signature next to it against the user's trusted keys.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use minisign_verify::{Error, PublicKey, Signature};

use super::BundleError;
use crate::source::printable;

/// The signer of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    Nobody,
    /// Signed, but not with a trusted key, so the signer is unknown.
    Stranger,
    /// Signed with this trusted key.
    Trusted(String),
}

/// Returns the path where `minisign -Sm BUNDLE` puts the signature.
pub fn signature_path(bundle: &Path) -> PathBuf {
    let mut name = OsString::from(bundle);
    name.push(".minisig");
    name.into()
}

/// Checks a signature against every trusted key. Refuses the bundle if a trusted key's signature is wrong.
pub fn check_signature(packed: &[u8], signature: Option<&str>, trusted: &[String]) -> Result<Signer, BundleError> {
    let keys = trusted
        .iter()
        .map(|key| match PublicKey::from_base64(key) {
            Ok(public) => Ok((key, public)),
            Err(_) => Err(BundleError::BadKey(printable(key).to_string())),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let Some(text) = signature else { return Ok(Signer::Nobody) };
    let unreadable = |error: Error| BundleError::BadSignature(printable(&error.to_string()).to_string());
    let signature = Signature::decode(text).map_err(unreadable)?;
    for (key, public) in keys {
        match public.verify(packed, &signature, true) {
            Ok(()) => return Ok(Signer::Trusted(key.clone())),
            Err(Error::UnexpectedKeyId) => {}
            Err(Error::InvalidSignature) => return Err(BundleError::Forged),
            Err(error) => return Err(unreadable(error)),
        }
    }
    Ok(Signer::Stranger)
}
