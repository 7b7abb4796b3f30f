//! File modes as users write them: octal, or `u=rwx,go=rx`.

/// What a request sets, and what it takes from the mode that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    bits: u32,
    mask: u32,
    /// Steps that depend on the mode that is there, after `bits` are set.
    steps: Vec<Step>,
    is_folder: bool,
}

/// One operation of a change, such as `g=u` or `a+X`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    who: u32,
    operator: u8,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Bits, also of others than `who`.
    Bits(u32),
    /// `X`: the right to run for a folder, or where someone has it already.
    Entry,
    /// The bits of a subject, by its shift.
    Of(u32),
}

impl Mode {
    fn plain(bits: u32, mask: u32) -> Self {
        Mode { bits, mask, steps: Vec::new(), is_folder: false }
    }

    /// Applies it to an existing mode.
    pub fn over(&self, have: u32) -> u32 {
        let mut mode = (have & !self.mask & 0o7777) | self.bits;
        for step in &self.steps {
            let bits = match step.what {
                What::Bits(bits) => bits,
                What::Entry if self.is_folder || have & 0o111 != 0 => 0o111,
                What::Entry => 0,
                What::Of(shift) => ((mode >> shift) & 0o7) * 0o111,
            };
            let bits = bits & step.who;
            mode = match step.operator {
                b'=' => (mode & !step.who) | bits,
                b'+' => mode | bits,
                _ => mode & !bits,
            };
        }
        mode
    }

    /// The same for a folder: whoever may read it may enter it.
    pub fn of_folder(&self) -> Self {
        let entered = (self.bits & 0o444) >> 2;
        Mode { bits: self.bits | entered, mask: self.mask | entered, is_folder: true, ..self.clone() }
    }

    /// A change for a folder.
    pub fn change_of_folder(&self) -> Self {
        Mode { is_folder: true, ..self.clone() }
    }
}

/// Parses a mode. `+` and `-` are refused, because they are changes and not states. A repeated subject is refused too.
pub fn parse_mode(text: &str) -> Result<Mode, String> {
    if text.bytes().all(|b| b.is_ascii_digit()) && !text.is_empty() {
        return match u32::from_str_radix(text, 8) {
            Ok(bits) if bits <= 0o7777 => Ok(Mode::plain(bits, 0o7777)),
            _ => Err(format!("`{text}` is not an octal number up to 7777")),
        };
    }
    let mut mode = Mode::plain(0, 0);
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

/// Parses a change of a mode such as `u+x,go-w`, `a+rX` or `g=u`; a clause may have several operators.
pub fn parse_mode_change(text: &str) -> Result<Mode, String> {
    let bad = || format!("`{text}` is not of the form `u+x,go=r`");
    let mut mode = Mode::plain(0, 0);
    for clause in text.split(',') {
        let at = clause.find(['+', '-', '=']).ok_or_else(bad)?;
        let (names, rest) = clause.split_at(at);
        let mut who = 0;
        for name in names.chars() {
            who |= subject(name).ok_or_else(bad)?;
        }
        if names.is_empty() {
            who = 0o7777;
        }
        let mut operator = b'=';
        for letter in rest.chars() {
            let what = match letter {
                '+' | '-' | '=' => {
                    operator = letter as u8;
                    // `=` alone removes everything.
                    if letter != '=' {
                        continue;
                    }
                    What::Bits(0)
                }
                'X' => What::Entry,
                'u' => What::Of(6),
                'g' => What::Of(3),
                'o' => What::Of(0),
                other => What::Bits(right(other).ok_or_else(bad)?),
            };
            mode.add(Step { who, operator, what });
            // What follows an `=` is added to it.
            if operator == b'=' {
                operator = b'+';
            }
        }
    }
    Ok(mode)
}

impl Mode {
    /// A step that depends on nothing becomes part of the bits, as long as no earlier one depends on the mode.
    fn add(&mut self, step: Step) {
        let What::Bits(bits) = step.what else { return self.steps.push(step) };
        if !self.steps.is_empty() {
            return self.steps.push(step);
        }
        let bits = bits & step.who;
        match step.operator {
            b'=' => {
                self.bits = (self.bits & !step.who) | bits;
                self.mask |= step.who;
            }
            b'+' => {
                self.bits |= bits;
                self.mask |= bits;
            }
            _ => {
                self.bits &= !bits;
                self.mask |= bits;
            }
        }
    }
}

/// The bits of a subject.
fn subject(letter: char) -> Option<u32> {
    Some(match letter {
        'u' => 0o4700,
        'g' => 0o2070,
        'o' => 0o1007,
        'a' => 0o7777,
        _ => return None,
    })
}

/// The bits of a right for all subjects.
fn right(letter: char) -> Option<u32> {
    Some(match letter {
        'r' => 0o444,
        'w' => 0o222,
        'x' => 0o111,
        's' => 0o6000,
        't' => 0o1000,
        _ => return None,
    })
}

/// Parses one `who=what`. Without `who` it applies to all.
fn parse_clause(clause: &str) -> Option<Mode> {
    let (who, what) = clause.split_once('=')?;
    let is_all = who.is_empty() || who.contains('a');
    let is_named_once = |letter: char| who.matches(letter).count() <= 1;
    if !is_all && !who.chars().all(is_named_once) {
        return None;
    }
    let named = who.chars().try_fold(0, |mask, letter| Some(mask | subject(letter)?))?;
    let mut mode = Mode::plain(0, if is_all { 0o7777 } else { named });
    for letter in what.chars() {
        mode.bits |= right(letter)? & mode.mask;
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
        assert!(over("u+Q", 0).is_err() && over("0644", 0).is_err() && over("", 0).is_err());
    }

    #[test]
    fn changes_may_depend_on_the_mode_that_is_there() {
        let over = |text: &str, have| parse_mode_change(text).map(|mode| mode.over(have));
        assert_eq!((over("u=rwX", 0o600), over("u=rwX", 0o610)), (Ok(0o600), Ok(0o710)));
        assert_eq!(over("g=u,o=", 0o750), Ok(0o770));
        assert_eq!(over("a=rw,+X", 0o711), Ok(0o777));
        assert_eq!(over("ug+rw-x", 0o711), Ok(0o661));
        assert_eq!(over("go=u-w", 0o700), Ok(0o755));
        assert_eq!(parse_mode_change("go+rX").map(|mode| mode.change_of_folder().over(0o600)), Ok(0o655));
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
