//! Public keys of ssh: validity and type.

/// The type of a public key, and the number of its own fields.
const TYPES: &[(&str, usize)] = &[
    ("ssh-ed25519", 1),
    ("ssh-rsa", 2),
    ("ssh-dss", 4),
    ("ecdsa-sha2-nistp256", 2),
    ("ecdsa-sha2-nistp384", 2),
    ("ecdsa-sha2-nistp521", 2),
    ("sk-ssh-ed25519@openssh.com", 2),
    ("sk-ecdsa-sha2-nistp256@openssh.com", 3),
];

/// Returns the type of the public key in a base64 text; `None` if it is invalid.
pub fn kind_of(text: &str) -> Option<&'static str> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
    let (name, mut rest) = field(&bytes)?;
    let (kind, count) = TYPES.iter().find(|(kind, _)| kind.as_bytes() == name)?;
    for at in 0..*count {
        let (value, after) = field(rest)?;
        let is_right = match (*kind, at) {
            ("ssh-ed25519" | "sk-ssh-ed25519@openssh.com", 0) => value.len() == 32,
            _ => !value.is_empty(),
        };
        if !is_right {
            return None;
        }
        rest = after;
    }
    rest.is_empty().then_some(*kind)
}

/// Returns the first length-prefixed field, and the rest.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::kind_of;

    #[test]
    fn keys_are_whole() {
        let whole = "AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE";
        assert_eq!(kind_of(whole), Some("ssh-ed25519"));
        for wrong in ["", "x", "AAAAC3NzaC1lZDI1NTE5AAAAIEV5", &format!("{whole}AAAA"), "AAAAB3NzaC1yc2EAAAADAQAB"] {
            assert_eq!(kind_of(wrong), None, "{wrong}");
        }
    }
}
