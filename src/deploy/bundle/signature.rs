//! Who signed a bundle: minisign's signature beside it, held against the keys that the user trusts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use minisign_verify::{Error, PublicKey, Signature};

use super::BundleError;
use crate::source::printable;

/// Who stands behind a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    Nobody,
    /// Signed, by none of the keys that are trusted; so who signed it cannot be told.
    Stranger,
    /// One of the trusted keys.
    Trusted(String),
}

/// Where `minisign -Sm BUNDLE` puts the signature.
pub fn signature_path(bundle: &Path) -> PathBuf {
    let mut name = OsString::from(bundle);
    name.push(".minisig");
    name.into()
}

/// Holds a signature against every trusted key. A signature of a trusted key that does not fit refuses the bundle.
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
