//! File modes as users write them: octal, or `u=rwx,go=rx`.

/// The requested bits, and the mask of bits that the request sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    bits: u32,
    mask: u32,
}

impl Mode {
    /// Applies it to an existing mode.
    pub fn over(self, have: u32) -> u32 {
        (have & !self.mask & 0o7777) | self.bits
    }

    /// The same for a folder: whoever may read it may enter it.
    pub fn of_folder(self) -> Self {
        let entered = (self.bits & 0o444) >> 2;
        Mode { bits: self.bits | entered, mask: self.mask | entered }
    }
}

/// Parses a mode. `+` and `-` are refused, because they are changes and not states. A repeated subject is refused too.
pub fn parse_mode(text: &str) -> Result<Mode, String> {
    if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
        return match u32::from_str_radix(text, 8) {
            Ok(bits) if bits <= 0o7777 => Ok(Mode { bits, mask: 0o7777 }),
            _ => Err(format!("`{text}` is not an octal number up to 7777")),
        };
    }
    let mut mode = Mode { bits: 0, mask: 0 };
    for clause in text.split(',') {
        let clause =
            parse_clause(clause).ok_or_else(|| format!("`{text}` is not octal and not of the form `u=rwx,go=rx`"))?;
        if mode.mask & clause.mask & 0o777 != 0 {
            return Err(format!("`{text}` names one of `u`, `g` and `o` twice"));
        }
        mode.bits |= clause.bits;
        mode.mask |= clause.mask;
    }
    Ok(mode)
}

/// Parses a change of a mode such as `u+x,go-w`. `X` and copies of another subject's bits are refused.
pub fn parse_mode_change(text: &str) -> Result<Mode, String> {
    let bad = || format!("`{text}` is not of the form `u+x,go=r`");
    let mut mode = Mode { bits: 0, mask: 0 };
    for clause in text.split(',') {
        let at = clause.find(['+', '-', '=']).ok_or_else(bad)?;
        let (who, rest) = clause.split_at(at);
        let asked = parse_clause(&format!("{who}={}", &rest[1..])).ok_or_else(bad)?;
        let part = match &rest[..1] {
            "=" => asked,
            "+" => Mode { bits: asked.bits, mask: asked.bits },
            _ => Mode { bits: 0, mask: asked.bits },
        };
        mode = Mode { bits: part.over(mode.bits), mask: mode.mask | part.mask };
    }
    Ok(mode)
}

/// Parses one `who=what`. Without `who` it applies to all.
fn parse_clause(clause: &str) -> Option<Mode> {
    let (who, what) = clause.split_once('=')?;
    let is_all = who.is_empty() || who.contains('a');
    let mut mode = Mode { bits: 0, mask: 0 };
    for (letter, shift, special) in [('u', 6, 0o4000), ('g', 3, 0o2000), ('o', 0, 0o1000)] {
        if is_all || who.contains(letter) {
            mode.mask |= (0o7 << shift) | special;
        }
    }
    let is_named_once = |letter: char| who.matches(letter).count() <= 1;
    if !who.chars().all(|letter| matches!(letter, 'u' | 'g' | 'o' | 'a')) || !(is_all || who.chars().all(is_named_once))
    {
        return None;
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
        assert_eq!(parse_mode("=r").map(|m| m.over(0o777)), Ok(0o444));
    }

    #[test]
    fn changes_preserve_unnamed_parts() {
        let over = |text: &str, have| parse_mode_change(text).map(|mode| mode.over(have));
        assert_eq!(over("u+x", 0o644), Ok(0o744));
        assert_eq!(over("go-w,a+x", 0o666), Ok(0o755));
        assert_eq!(over("u=rw,o=", 0o777), Ok(0o670));
        assert_eq!(parse_mode("0644").map(|mode| mode.of_folder().over(0)), Ok(0o755));
        assert!(over("u+X", 0).is_err() && over("0644", 0).is_err() && over("", 0).is_err());
    }

    #[test]
    fn other_spellings_are_refused() {
        for bad in [
            "",
            "0888",
            "77777",
            "u+x",
            "u=rw,u=r",
            "ug=r,a=x",
            "=r,u=w",
            "uu=r",
            "u=q",
            "u=rwx,",
            "rwxr-xr-x",
            "99999999999999999999",
        ] {
            assert!(parse_mode(bad).is_err(), "{bad}");
        }
    }
}
