//! Methods of lists.

use super::call::MethodResult;
use super::expr::Block;
use super::value::{DEPTH, Id, Ruby};
use super::{Halt, Machine, Ran};

/// Methods that also change the list in place, with `!` behind their name.
const IN_PLACE: [&str; 10] =
    ["flatten", "compact", "uniq", "reverse", "sort", "sort_by", "map", "collect", "select", "reject"];

impl Machine<'_> {
    /// Calls a method of a list; `None` if it has no such method of its own.
    pub fn array_method(
        &mut self,
        line: u32,
        id: Id,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        if let Some(value) = self.array_value(line, id, name, args, block)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.array_change(line, id, name, args, block)? {
            return Ok(Some(value));
        }
        let list = self.heap.list(id).to_vec();
        let made = match (name, args) {
            ("flatten", _) => {
                let depth = match args.first() {
                    Some(Ruby::Int(depth @ 0..=63)) => Some(*depth as usize),
                    _ => None,
                };
                let mut flat = Vec::new();
                self.flatten(&list, depth, 0, &mut flat)?;
                flat
            }
            ("compact", []) => list.into_iter().filter(|item| !matches!(item, Ruby::Nil)).collect(),
            ("uniq", []) if block.is_none() => {
                let mut seen = std::collections::HashSet::new();
                list.into_iter().filter(|item| seen.insert(self.heap.key(item))).collect()
            }
            ("reverse", []) => list.into_iter().rev().collect(),
            ("rotate", _) => {
                let by = args.first().map_or(Ok(1), |by| self.int(line, by))?;
                let mut list = list;
                if !list.is_empty() {
                    let by = by.rem_euclid(list.len() as i64) as usize;
                    list.rotate_left(by);
                }
                list
            }
            ("+", [other]) => {
                let Ruby::Array(other) = other else {
                    return self.fail(line, format!("no implicit conversion of {} into Array", other.class()));
                };
                list.into_iter().chain(self.heap.list(*other).iter().cloned()).collect()
            }
            ("-" | "difference", [Ruby::Array(other)]) => {
                let keys: std::collections::HashSet<_> =
                    self.heap.list(*other).iter().map(|item| self.heap.key(item)).collect();
                list.into_iter().filter(|item| !keys.contains(&self.heap.key(item))).collect()
            }
            ("&" | "|" | "union" | "intersection", [Ruby::Array(other)]) => {
                let other = self.heap.list(*other).to_vec();
                let mut seen = std::collections::HashSet::new();
                if matches!(name, "|" | "union") {
                    list.into_iter().chain(other).filter(|item| seen.insert(self.heap.key(item))).collect()
                } else {
                    let keys: std::collections::HashSet<_> = other.iter().map(|item| self.heap.key(item)).collect();
                    let mut both =
                        |item: &Ruby| keys.contains(&self.heap.key(item)) && seen.insert(self.heap.key(item));
                    list.into_iter().filter(|item| both(item)).collect()
                }
            }
            ("*", [Ruby::Int(times)]) => {
                let Ok(times) = usize::try_from(*times) else {
                    return self.fail(line, "argument must be non-negative");
                };
                let size = list.len().saturating_mul(std::mem::size_of::<Ruby>());
                self.heap.has_room(size.saturating_mul(times))?;
                list.iter().cycle().take(list.len() * times).cloned().collect()
            }
            ("product", [Ruby::Array(other)]) => {
                let other = self.heap.list(*other).to_vec();
                let mut rows = Vec::new();
                for a in &list {
                    for b in &other {
                        rows.push(self.heap.array(vec![a.clone(), b.clone()])?);
                    }
                }
                rows
            }
            ("transpose", []) => {
                let rows = list.iter().map(|row| self.items(line, row)).collect::<Ran<Vec<_>>>()?;
                let width = rows.first().map_or(0, Vec::len);
                if rows.iter().any(|row| row.len() != width) {
                    return self.fail(line, "element size differs");
                }
                let columns =
                    (0..width).map(|at| rows.iter().filter_map(|row| row.get(at).cloned()).collect::<Vec<_>>());
                columns.map(|column| self.heap.array(column)).collect::<Ran<Vec<_>>>()?
            }
            ("values_at", _) => {
                let at = args.iter().map(|at| self.int(line, at)).collect::<Ran<Vec<_>>>()?;
                at.into_iter()
                    .map(|at| place(&list, at).and_then(|at| list.get(at)).cloned().unwrap_or(Ruby::Nil))
                    .collect()
            }
            ("last", [count]) => {
                let count = self.count(line, count)?.min(list.len());
                list[list.len() - count..].to_vec()
            }
            _ => return Ok(None),
        };
        self.heap.array(made).map(Some)
    }

    /// What gives a single value.
    fn array_value(&mut self, line: u32, id: Id, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let list = self.heap.list(id);
        let value = match (name, args) {
            ("length" | "size", []) => Ruby::Int(list.len() as i64),
            ("empty?", []) => Ruby::Bool(list.is_empty()),
            ("first", []) => list.first().cloned().unwrap_or(Ruby::Nil),
            ("last", []) => list.last().cloned().unwrap_or(Ruby::Nil),
            ("to_a" | "to_ary" | "entries", []) => Ruby::Array(id),
            ("join", _) => {
                let joint = match args.first() {
                    None | Some(Ruby::Nil) => String::new(),
                    Some(joint) => self.text(line, joint)?,
                };
                let mut flat = Vec::new();
                self.flatten(self.heap.list(id), None, 0, &mut flat)?;
                let mut text = String::new();
                for (at, item) in flat.iter().enumerate() {
                    text.push_str(if at > 0 { &joint } else { "" });
                    text.push_str(&self.heap.shown(item));
                    self.heap.has_room(text.len())?;
                }
                self.string(text)?
            }
            ("*", [joint @ Ruby::Str(_)]) => {
                return self.array_value(line, id, "join", std::slice::from_ref(joint), block);
            }
            ("[]" | "slice" | "at", [at]) => match at {
                Ruby::Range(from, to) => {
                    let (from, last) = (from_end(list, *from), from_end(list, *to));
                    return self.elements_between(id, from, last.saturating_add(1));
                }
                at => {
                    let at = self.int(line, at)?;
                    let list = self.heap.list(id);
                    place(list, at).and_then(|at| list.get(at)).cloned().unwrap_or(Ruby::Nil)
                }
            },
            ("[]" | "slice", [from, length]) => {
                let (from, length) = (self.int(line, from)?, self.int(line, length)?);
                if length < 0 {
                    return Ok(Some(Ruby::Nil));
                }
                let from = from_end(self.heap.list(id), from);
                return self.elements_between(id, from, from.saturating_add(length));
            }
            ("dig", [first, rest @ ..]) => {
                let found = self.array_value(line, id, "[]", std::slice::from_ref(first), None)?.unwrap_or(Ruby::Nil);
                match (&found, rest) {
                    (Ruby::Nil, _) | (_, []) => found,
                    (found, rest) => return self.deeper(|m| m.method(line, found, "dig", rest, None)).map(Some),
                }
            }
            ("fetch", [at, rest @ ..]) => {
                let number = self.int(line, at)?;
                let list = self.heap.list(id);
                match (place(list, number).and_then(|at| list.get(at)), rest, block) {
                    (Some(found), _, _) => found.clone(),
                    (None, [default], _) => default.clone(),
                    (None, _, Some(block)) => return self.yields(line, block, std::slice::from_ref(at)).map(Some),
                    (None, _, None) => return self.fail(line, format!("index {number} outside of array bounds")),
                }
            }
            ("index" | "find_index", [value]) => {
                let at = list.iter().position(|item| self.heap.is_equal(item, value));
                at.map_or(Ruby::Nil, |at| Ruby::Int(at as i64))
            }
            ("rindex", [value]) => {
                let at = list.iter().rposition(|item| self.heap.is_equal(item, value));
                at.map_or(Ruby::Nil, |at| Ruby::Int(at as i64))
            }
            ("assoc", [key]) => {
                let is_row = |item: &&Ruby| match item {
                    Ruby::Array(row) => {
                        self.heap.list(*row).first().is_some_and(|first| self.heap.is_equal(first, key))
                    }
                    _ => false,
                };
                list.iter().find(is_row).cloned().unwrap_or(Ruby::Nil)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// The elements from a place up to another one; nil where the first is outside of the list.
    fn elements_between(&mut self, id: Id, from: i64, end: i64) -> MethodResult {
        let list = self.heap.list(id);
        let len = list.len() as i64;
        if from < 0 || from > len {
            return Ok(Some(Ruby::Nil));
        }
        let part = list.get(from as usize..end.clamp(from, len) as usize).unwrap_or_default().to_vec();
        self.heap.array(part).map(Some)
    }

    /// The elements, also those of lists inside, as many levels as there are or `most`.
    pub fn flatten(&self, list: &[Ruby], most: Option<usize>, depth: usize, out: &mut Vec<Ruby>) -> Ran<()> {
        if depth > DEPTH {
            return Err(Halt::Limit("a list that is nested too deep"));
        }
        for item in list {
            if !self.heap.visit() {
                return Err(Halt::Limit("a list that is too long"));
            }
            match item {
                Ruby::Array(id) if most.is_none_or(|most| depth < most) => {
                    self.flatten(self.heap.list(*id), most, depth + 1, out)?;
                }
                other => {
                    out.push(other.clone());
                    self.heap.has_room(out.len() * std::mem::size_of::<Ruby>())?;
                }
            }
        }
        Ok(())
    }

    /// What changes the list.
    fn array_change(&mut self, line: u32, id: Id, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let whole = Ruby::Array(id);
        // `sort!` is what `sort` gives, in place.
        if let Some(plain) = name.strip_suffix('!')
            && IN_PLACE.contains(&plain)
        {
            let Ruby::Array(made) = self.method(line, &whole, plain, args, block)? else { return Ok(None) };
            let made = self.heap.list(made).to_vec();
            self.heap.change_list(id, |list| *list = made)?;
            return Ok(Some(whole));
        }
        let args = args.to_vec();
        let value = match (name, &args[..]) {
            ("<<" | "push" | "append", _) => self.heap.change_list(id, |list| list.extend(args)).map(|_| whole)?,
            ("unshift" | "prepend", _) => {
                self.heap.change_list(id, |list| drop(list.splice(0..0, args))).map(|_| whole)?
            }
            ("concat", _) => {
                for other in &args {
                    let more = self.items(line, other)?;
                    self.heap.change_list(id, |list| list.extend(more))?;
                }
                whole
            }
            ("pop", []) => self.heap.change_list(id, Vec::pop)?.flatten().unwrap_or(Ruby::Nil),
            ("shift", []) => {
                let first = |list: &mut Vec<Ruby>| if list.is_empty() { None } else { Some(list.remove(0)) };
                self.heap.change_list(id, first)?.flatten().unwrap_or(Ruby::Nil)
            }
            ("clear", []) => self.heap.change_list(id, Vec::clear).map(|_| whole)?,
            ("delete", [value]) => {
                let is_there = self.heap.list(id).iter().any(|item| self.heap.is_equal(item, value));
                let rest = self.heap.list(id).iter().filter(|item| !self.heap.is_equal(item, value)).cloned().collect();
                self.heap.change_list(id, |list| *list = rest)?;
                if is_there { value.clone() } else { Ruby::Nil }
            }
            ("delete_at", [at]) => {
                let at = self.int(line, at)?;
                let Some(at) = place(self.heap.list(id), at).filter(|at| *at < self.heap.list(id).len()) else {
                    return Ok(Some(Ruby::Nil));
                };
                self.heap.change_list(id, |list| list.remove(at))?.unwrap_or(Ruby::Nil)
            }
            ("delete_if", []) => return self.array_change(line, id, "reject!", &[], block),
            ("insert", [at, rest @ ..]) => {
                let at = self.int(line, at)?;
                let length = self.heap.list(id).len();
                // A negative place is behind the element that it names.
                let place = if at < 0 { at.saturating_add(1).saturating_add(length as i64) } else { at };
                let Some(at) = usize::try_from(place).ok().filter(|at| *at < 1_000_000) else {
                    return self.fail(line, format!("index {at} out of range"));
                };
                let rest = rest.to_vec();
                let insert = |list: &mut Vec<Ruby>| {
                    list.resize(at.max(list.len()), Ruby::Nil);
                    drop(list.splice(at..at, rest));
                };
                self.heap.change_list(id, insert).map(|_| whole)?
            }
            ("[]=", [at, value]) => {
                let at = self.int(line, at)?;
                let Some(at) = place(self.heap.list(id), at).filter(|at| *at < 1_000_000) else {
                    return self.fail(line, format!("index {at} out of range"));
                };
                let value = value.clone();
                self.heap.change_list(id, |list| {
                    if at >= list.len() {
                        list.resize(at + 1, Ruby::Nil);
                    }
                    list[at] = value.clone();
                })?;
                value
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }
}

/// A place counted from the end where it is negative.
fn from_end(list: &[Ruby], at: i64) -> i64 {
    if at < 0 { at + list.len() as i64 } else { at }
}

fn place(list: &[Ruby], at: i64) -> Option<usize> {
    usize::try_from(from_end(list, at)).ok()
}
