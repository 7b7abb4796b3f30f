//! File modes as users write them: octal, or `u=rwx,go=rx`.

/// The bits that are asked for, and which bits the request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    bits: u32,
    mask: u32,
}

impl Mode {
    /// What a mode becomes.
    pub fn over(self, have: u32) -> u32 {
        (have & !self.mask & 0o7777) | self.bits
    }
}

/// Reads a mode. `+` and `-` are refused, since they tell a change and not a state.
pub fn parse_mode(text: &str) -> Result<Mode, String> {
    if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
        return match u32::from_str_radix(text, 8) {
            Ok(bits) if bits <= 0o7777 => Ok(Mode { bits, mask: 0o7777 }),
            _ => Err(format!("the mode `{text}` is not an octal number up to 7777")),
        };
    }
    let mut mode = Mode { bits: 0, mask: 0 };
    for clause in text.split(',') {
        let clause = parse_clause(clause)
            .ok_or_else(|| format!("the mode `{text}` is not octal and not of the form `u=rwx,go=rx`"))?;
        mode.bits = (mode.bits & !clause.mask) | clause.bits;
        mode.mask |= clause.mask;
    }
    Ok(mode)
}

/// One `who=what`.
fn parse_clause(clause: &str) -> Option<Mode> {
    let (who, what) = clause.split_once('=')?;
    let (mut user, mut group, mut other) = (false, false, false);
    for letter in who.chars() {
        match letter {
            'u' => user = true,
            'g' => group = true,
            'o' => other = true,
            'a' => (user, group, other) = (true, true, true),
            _ => return None,
        }
    }
    if who.is_empty() {
        return None;
    }
    let mut mode = Mode { bits: 0, mask: 0 };
    for (named, shift, special) in [(user, 6, 0o4000), (group, 3, 0o2000), (other, 0, 0o1000)] {
        if named {
            mode.mask |= (0o7 << shift) | special;
        }
    }
    for letter in what.chars() {
        let bits = match letter {
            'r' => 0o444,
            'w' => 0o222,
            'x' => 0o111,
            's' => 0o6000,
            't' => 0o1000,
            _ => return None,
        };
        mode.bits |= bits & mode.mask;
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octal_sets_all_and_letters_only_whom_they_name() {
        assert_eq!(parse_mode("0644").map(|m| m.over(0o777)), Ok(0o644));
        assert_eq!(parse_mode("u=rwx,go=rx").map(|m| m.over(0)), Ok(0o755));
        assert_eq!(parse_mode("o=").map(|m| m.over(0o4757)), Ok(0o4750));
        assert_eq!(parse_mode("u=rws").map(|m| m.over(0o055)), Ok(0o4655));
    }

    #[test]
    fn other_spellings_are_refused() {
        for bad in ["", "0888", "77777", "u+x", "=rw", "u=q", "u=rwx,", "rwxr-xr-x", "99999999999999999999"] {
            assert!(parse_mode(bad).is_err(), "{bad}");
        }
    }
}
