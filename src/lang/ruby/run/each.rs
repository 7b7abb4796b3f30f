//! The methods that lists, hashes and ranges share: those that visit every element.

use std::cmp::Ordering;

use super::call::MethodResult;
use super::expr::Block;
use super::value::{Ruby, Table};
use super::{Machine, Ran};
use crate::lang::ruby::sort;

/// Methods that ask a block about every element. The block of an unknown method must not run.
const BY_ANSWERS: [&str; 16] = [
    "map",
    "collect",
    "select",
    "filter",
    "find_all",
    "reject",
    "filter_map",
    "sort_by",
    "flat_map",
    "collect_concat",
    "uniq",
    "partition",
    "min_by",
    "max_by",
    "group_by",
    "to_h",
];

impl Machine<'_> {
    /// The elements of a value that has some: of a hash its pairs.
    pub fn items(&mut self, line: u32, on: &Ruby) -> Ran<Vec<Ruby>> {
        match on {
            Ruby::Array(id) => Ok(self.heap.list(*id).to_vec()),
            Ruby::Hash(id) => {
                let pairs: Vec<(Ruby, Ruby)> =
                    self.heap.table(*id).into_iter().flat_map(Table::values).cloned().collect();
                pairs.into_iter().map(|(key, value)| self.heap.array(vec![key, value])).collect()
            }
            Ruby::Range(from, to) => {
                if to.saturating_sub(*from) > 1_000_000 {
                    return self.outside(line, "a range of more than a million numbers");
                }
                self.heap.use_up(usize::try_from(to.saturating_sub(*from)).unwrap_or(0) * 16)?;
                Ok((*from..=*to).map(Ruby::Int).collect())
            }
            Ruby::Nil => Ok(Vec::new()),
            other => Ok(vec![other.clone()]),
        }
    }

    /// The answers of a block to every element.
    fn answers(&mut self, line: u32, block: &Block, items: &[Ruby]) -> Ran<Vec<Ruby>> {
        items.iter().map(|item| self.yields(line, block, std::slice::from_ref(item))).collect()
    }

    /// A test of an element: by a block, by a pattern, or by itself.
    fn test(&mut self, line: u32, item: &Ruby, args: &[Ruby], block: Option<&Block>) -> Ran<bool> {
        match (args, block) {
            ([pattern, ..], _) => self.fits(line, pattern, item),
            ([], Some(block)) => Ok(self.yields(line, block, std::slice::from_ref(item))?.is_true()),
            ([], None) => Ok(item.is_true()),
        }
    }

    /// Counts the elements whose test gives `sought`, up to `most`; the elements after those are not tested.
    fn tested(
        &mut self,
        line: u32,
        items: &[Ruby],
        (args, block): (&[Ruby], Option<&Block>),
        sought: bool,
        most: usize,
    ) -> Ran<usize> {
        let mut count = 0;
        for item in items {
            if self.test(line, item, args, block)? == sought {
                count += 1;
                if count == most {
                    break;
                }
            }
        }
        Ok(count)
    }

    /// The order of two values; those that cannot be compared are refused as Ruby does.
    fn order(&self, line: u32, a: &Ruby, b: &Ruby) -> Ran<Ordering> {
        match self.heap.compare(a, b) {
            Some(order) => Ok(order),
            None => self.fail(line, format!("comparison of {} with {} failed", a.class(), self.heap.inspect(b))),
        }
    }

    /// Sorts values. Fails if two of them cannot be compared.
    pub fn sorted(&mut self, line: u32, items: Vec<Ruby>) -> Ran<Vec<Ruby>> {
        sort::sorted(items, |a, b| self.order(line, a, b))
    }

    /// Sorts values by their keys, which are in the same order. Fails if two keys cannot be compared.
    pub fn sorted_by(&mut self, line: u32, items: Vec<Ruby>, keys: Vec<Ruby>) -> Ran<Vec<Ruby>> {
        let keyed: Vec<(Ruby, Ruby)> = keys.into_iter().zip(items).collect();
        let sorted = sort::sorted(keyed, |(a, _), (b, _)| self.order(line, a, b))?;
        Ok(sorted.into_iter().map(|(_, item)| item).collect())
    }

    /// Sorts by a block that compares two elements.
    fn sorted_with(&mut self, line: u32, items: Vec<Ruby>, block: &Block) -> Ran<Vec<Ruby>> {
        sort::sorted(items, |a, b| {
            let answer = self.yields(line, block, &[a.clone(), b.clone()])?;
            Ok(self.int(line, &answer)?.cmp(&0))
        })
    }

    /// Calls a method that visits the elements of `on`, which are `items`; `None` if there is no such method.
    pub fn each_method(
        &mut self,
        line: u32,
        on: &Ruby,
        items: Vec<Ruby>,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        let list = match name {
            "to_a" | "entries" => items,
            "each" | "each_pair" | "each_entry" if block.is_none() => items,
            "sort" if block.is_none() => self.sorted(line, items)?,
            "first" => match args {
                [] => return Ok(Some(items.first().cloned().unwrap_or(Ruby::Nil))),
                [count, ..] => items.into_iter().take(self.count(line, count)?).collect(),
            },
            "take" | "drop" => {
                let count = args.first().map_or(Ok(0), |count| self.count(line, count))?;
                let (taken, left) = items.split_at(count.min(items.len()));
                if name == "take" { taken.to_vec() } else { left.to_vec() }
            }
            "grep" | "grep_v" if args.len() == 1 => {
                let mut found = Vec::new();
                for item in items {
                    if self.test(line, &item, args, None)? == (name == "grep") {
                        // The block may read what the pattern found in this element.
                        found.push(match block {
                            Some(block) => self.yields(line, block, &[item])?,
                            None => item,
                        });
                    }
                }
                found
            }
            "zip" => {
                let others = args.iter().map(|other| self.items(line, other)).collect::<Ran<Vec<_>>>()?;
                let mut rows = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let rest = others.iter().map(|other| other.get(at).cloned().unwrap_or(Ruby::Nil));
                    let row = std::iter::once(item.clone()).chain(rest).collect();
                    rows.push(self.heap.array(row)?);
                }
                rows
            }
            "each_slice" | "each_cons" => {
                let size = match args.first() {
                    Some(size) => self.int(line, size)?,
                    None => return self.fail(line, "wrong number of arguments (given 0, expected 1)"),
                };
                let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
                    let what = if name == "each_slice" { "invalid slice size" } else { "invalid size" };
                    return self.fail(line, what);
                };
                let parts: Vec<Vec<Ruby>> = if name == "each_slice" {
                    items.chunks(size).map(<[Ruby]>::to_vec).collect()
                } else {
                    items.windows(size).map(<[Ruby]>::to_vec).collect()
                };
                let parts = parts.into_iter().map(|part| self.heap.array(part)).collect::<Ran<Vec<_>>>()?;
                if let Some(block) = block {
                    self.answers(line, block, &parts)?;
                    return Ok(Some(on.clone()));
                }
                parts
            }
            "each_with_index" if block.is_none() => {
                let pairs = items.into_iter().enumerate();
                pairs.map(|(at, item)| self.heap.array(vec![item, Ruby::Int(at as i64)])).collect::<Ran<Vec<_>>>()?
            }
            _ => {
                return match self.each_value(line, &items, name, args, block)? {
                    Some(value) => Ok(Some(value)),
                    None => match block {
                        Some(block) => self.each_with_block(line, on, items, name, args, block),
                        None => Ok(None),
                    },
                };
            }
        };
        self.heap.array(list).map(Some)
    }

    /// A number of elements.
    pub fn count(&self, line: u32, value: &Ruby) -> Ran<usize> {
        match usize::try_from(self.int(line, value)?) {
            Ok(count) => Ok(count),
            Err(_) => self.fail(line, "attempt to take negative size"),
        }
    }

    /// What gives one value, with or without a block.
    fn each_value(
        &mut self,
        line: u32,
        items: &[Ruby],
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        let value = match name {
            "any?" => Ruby::Bool(self.tested(line, items, (args, block), true, 1)? == 1),
            "all?" => Ruby::Bool(self.tested(line, items, (args, block), false, 1)? == 0),
            "none?" => Ruby::Bool(self.tested(line, items, (args, block), true, 1)? == 0),
            "one?" => Ruby::Bool(self.tested(line, items, (args, block), true, 2)? == 1),
            "include?" | "member?" => {
                let [value] = args else { return Ok(None) };
                Ruby::Bool(items.iter().any(|item| self.heap.is_equal(item, value)))
            }
            "count" => Ruby::Int(match (args, block) {
                ([], None) => items.len() as i64,
                ([value, ..], _) => items.iter().filter(|item| self.heap.is_equal(item, value)).count() as i64,
                ([], Some(_)) => self.tested(line, items, (&[], block), true, usize::MAX)? as i64,
            }),
            "min" | "max" if block.is_none() && args.is_empty() => {
                let sorted = self.sorted(line, items.to_vec())?;
                let found = if name == "min" { sorted.first() } else { sorted.last() };
                found.cloned().unwrap_or(Ruby::Nil)
            }
            "sum" => {
                let values = match block {
                    Some(block) => self.answers(line, block, items)?,
                    None => items.to_vec(),
                };
                let start = args.first().cloned().unwrap_or(Ruby::Int(0));
                self.folded(line, start, values, "+")?
            }
            "inject" | "reduce" => return self.inject(line, items, args, block),
            "tally" => {
                let mut table = Table::default();
                for item in items {
                    let entry = table.entry(self.heap.key(item)).or_insert((item.clone(), Ruby::Int(0)));
                    if let Ruby::Int(count) = &mut entry.1 {
                        *count += 1;
                    }
                }
                self.heap.hash(table)?
            }
            "to_h" if block.is_none() => {
                let mut table = Table::default();
                for item in items {
                    let Ruby::Array(id) = item else { return self.fail(line, "wrong element type (expected array)") };
                    let [key, value] = self.heap.list(*id) else { return self.fail(line, "wrong array length") };
                    table.insert(self.heap.key(key), (key.clone(), value.clone()));
                }
                self.heap.hash(table)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn folded(&mut self, line: u32, start: Ruby, items: Vec<Ruby>, name: &str) -> Ran {
        items.into_iter().try_fold(start, |sum, item| self.method(line, &sum, name, &[item], None))
    }

    fn inject(&mut self, line: u32, items: &[Ruby], args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let (start, name) = match (args, block) {
            ([], Some(_)) => (None, None),
            ([start], Some(_)) => (Some(start.clone()), None),
            ([Ruby::Symbol(name)], None) => (None, Some(name.clone())),
            ([start, Ruby::Symbol(name)], None) => (Some(start.clone()), Some(name.clone())),
            _ => return Ok(None),
        };
        let mut rest = items.iter().cloned();
        let Some(start) = start.or_else(|| rest.next()) else { return Ok(Some(Ruby::Nil)) };
        if let Some(name) = name {
            return self.folded(line, start, rest.collect(), &name).map(Some);
        }
        let Some(block) = block else { return Ok(None) };
        let mut sum = start;
        for item in rest {
            sum = self.yields(line, block, &[sum, item])?;
        }
        Ok(Some(sum))
    }

    /// What a block decides.
    fn each_with_block(
        &mut self,
        line: u32,
        on: &Ruby,
        items: Vec<Ruby>,
        name: &str,
        args: &[Ruby],
        block: &Block,
    ) -> MethodResult {
        let list = match name {
            "each" | "each_pair" | "each_entry" => {
                self.visit_each(line, &items, block)?;
                return Ok(Some(on.clone()));
            }
            "reverse_each" => {
                let reversed: Vec<Ruby> = items.into_iter().rev().collect();
                self.visit_each(line, &reversed, block)?;
                return Ok(Some(on.clone()));
            }
            "each_with_index" => {
                for (at, item) in items.into_iter().enumerate() {
                    self.yields(line, block, &[item, Ruby::Int(at as i64)])?;
                }
                return Ok(Some(on.clone()));
            }
            "each_with_object" => {
                let [object] = args else { return Ok(None) };
                for item in items {
                    self.yields(line, block, &[item, object.clone()])?;
                }
                return Ok(Some(object.clone()));
            }
            "find" | "detect" => {
                for item in items {
                    if self.yields(line, block, std::slice::from_ref(&item))?.is_true() {
                        return Ok(Some(item));
                    }
                }
                return Ok(Some(Ruby::Nil));
            }
            "find_index" | "index" => {
                for (at, item) in items.iter().enumerate() {
                    if self.yields(line, block, std::slice::from_ref(item))?.is_true() {
                        return Ok(Some(Ruby::Int(at as i64)));
                    }
                }
                return Ok(Some(Ruby::Nil));
            }
            "take_while" | "drop_while" => {
                let mut end = items.len();
                for (at, item) in items.iter().enumerate() {
                    if !self.yields(line, block, std::slice::from_ref(item))?.is_true() {
                        end = at;
                        break;
                    }
                }
                let (taken, left) = items.split_at(end);
                if name == "take_while" { taken.to_vec() } else { left.to_vec() }
            }
            "sort" => self.sorted_with(line, items, block)?,
            _ if !BY_ANSWERS.contains(&name) => return Ok(None),
            _ => {
                let answers = self.answers(line, block, &items)?;
                return self.by_answers(line, items, answers, name);
            }
        };
        self.heap.array(list).map(Some)
    }

    fn visit_each(&mut self, line: u32, items: &[Ruby], block: &Block) -> Ran<()> {
        items.iter().try_for_each(|item| self.yields(line, block, std::slice::from_ref(item)).map(|_| ()))
    }

    /// Makes a value of the elements and the answers of a block to each; `None` for a method that is not known.
    pub fn by_answers(&mut self, line: u32, items: Vec<Ruby>, answers: Vec<Ruby>, name: &str) -> MethodResult {
        let pairs = || items.iter().cloned().zip(answers.iter());
        let list = match name {
            "map" | "collect" => answers,
            "select" | "filter" | "find_all" => pairs().filter(|(_, a)| a.is_true()).map(|(item, _)| item).collect(),
            "reject" => pairs().filter(|(_, a)| !a.is_true()).map(|(item, _)| item).collect(),
            "filter_map" => answers.into_iter().filter(Ruby::is_true).collect(),
            "sort_by" => self.sorted_by(line, items, answers)?,
            "flat_map" | "collect_concat" => {
                answers.iter().flat_map(|answer| self.heap.elements(answer).iter().cloned()).collect()
            }
            "uniq" => {
                let mut seen = std::collections::HashSet::new();
                pairs().filter(|(_, a)| seen.insert(self.heap.key(a))).map(|(item, _)| item).collect()
            }
            "partition" => {
                let part =
                    |is: bool| pairs().filter(|(_, a)| a.is_true() == is).map(|(item, _)| item).collect::<Vec<_>>();
                let (yes, no) = (part(true), part(false));
                vec![self.heap.array(yes)?, self.heap.array(no)?]
            }
            "min_by" | "max_by" => {
                let sorted = self.sorted_by(line, items, answers)?;
                let found = if name == "min_by" { sorted.first() } else { sorted.last() };
                return Ok(Some(found.cloned().unwrap_or(Ruby::Nil)));
            }
            "group_by" => {
                let mut groups: indexmap::IndexMap<super::value::Key, (Ruby, Vec<Ruby>)> = indexmap::IndexMap::new();
                for (item, answer) in pairs() {
                    groups.entry(self.heap.key(answer)).or_insert((answer.clone(), Vec::new())).1.push(item);
                }
                let mut table = Table::default();
                for (key, (shown, group)) in groups {
                    let group = self.heap.array(group)?;
                    table.insert(key, (shown, group));
                }
                return self.heap.hash(table).map(Some);
            }
            "to_h" => {
                let list = self.heap.array(answers)?;
                return self.method(line, &list, "to_h", &[], None).map(Some);
            }
            _ => return Ok(None),
        };
        self.heap.array(list).map(Some)
    }

    /// Calls a method of a range; `None` if it has no such method of its own.
    pub fn range_method(&mut self, line: u32, (from, to): (i64, i64), name: &str, args: &[Ruby]) -> MethodResult {
        Ok(Some(match (name, args) {
            ("begin" | "first" | "min", []) => Ruby::Int(from),
            ("end" | "last" | "max", []) => Ruby::Int(to),
            ("size" | "count" | "length", []) if to < from => Ruby::Int(0),
            ("size" | "count" | "length", []) => {
                self.int_or_outside(line, to.checked_sub(from).and_then(|count| count.checked_add(1)))?
            }
            ("include?" | "cover?" | "member?" | "===", [value]) => match value {
                Ruby::Int(number) => Ruby::Bool(from <= *number && *number <= to),
                Ruby::Float(number) => Ruby::Bool(from as f64 <= *number && *number <= to as f64),
                _ => Ruby::Bool(false),
            },
            _ => return Ok(None),
        }))
    }
}
