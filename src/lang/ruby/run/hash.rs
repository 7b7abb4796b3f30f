//! Methods of hashes.

use super::call::MethodResult;
use super::expr::Block;
use super::value::{Id, Ruby, Table};
use super::{Machine, Ran};

impl Machine<'_> {
    fn pairs(&self, id: Id) -> Vec<(Ruby, Ruby)> {
        self.heap.table(id).into_iter().flat_map(Table::values).cloned().collect()
    }

    fn at(&self, id: Id, key: &Ruby) -> Option<Ruby> {
        self.heap.table(id)?.get(&self.heap.key(key)).map(|(_, value)| value.clone())
    }

    /// Makes a hash of pairs; the last one of a key counts.
    pub fn hash_of(&mut self, pairs: Vec<(Ruby, Ruby)>) -> Ran {
        let mut table = Table::default();
        for (key, value) in pairs {
            table.insert(self.heap.key(&key), (key, value));
        }
        self.heap.hash(table)
    }

    /// Calls a method of a hash; `None` if it has no such method of its own.
    pub fn hash_method(&mut self, line: u32, id: Id, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let whole = Ruby::Hash(id);
        let value = match (name, args) {
            ("[]", [key]) => self.at(id, key).unwrap_or(Ruby::Nil),
            ("[]=" | "store", [key, value]) => {
                let (at, entry) = (self.heap.key(key), (key.clone(), value.clone()));
                self.heap.change_table(id, |table| drop(table.insert(at, entry)))?;
                value.clone()
            }
            ("key?" | "has_key?" | "include?" | "member?", [key]) => Ruby::Bool(self.at(id, key).is_some()),
            ("value?" | "has_value?", [value]) => {
                Ruby::Bool(self.pairs(id).iter().any(|(_, have)| self.heap.is_equal(have, value)))
            }
            ("key", [value]) => {
                let found = self.pairs(id).into_iter().find(|(_, have)| self.heap.is_equal(have, value));
                found.map_or(Ruby::Nil, |(key, _)| key)
            }
            ("keys", []) => self.heap.array(self.pairs(id).into_iter().map(|(key, _)| key).collect())?,
            ("values", []) => self.heap.array(self.pairs(id).into_iter().map(|(_, value)| value).collect())?,
            ("length" | "size", []) => Ruby::Int(self.heap.table(id).map_or(0, Table::len) as i64),
            ("empty?", []) => Ruby::Bool(self.heap.table(id).is_none_or(Table::is_empty)),
            ("to_h", []) if block.is_none() => whole,
            ("fetch", [key, rest @ ..]) => match (self.at(id, key), rest, block) {
                (Some(found), _, _) => found,
                (None, [default], _) => default.clone(),
                (None, _, Some(block)) => self.yields(line, block, std::slice::from_ref(key))?,
                (None, _, None) => return self.fail(line, format!("key not found: {}", self.heap.inspect(key))),
            },
            ("dig", [key, rest @ ..]) => match (self.at(id, key), rest) {
                (None | Some(Ruby::Nil), _) => Ruby::Nil,
                (Some(found), []) => found,
                (Some(found), rest) => self.deeper(|m| m.method(line, &found, "dig", rest, None))?,
            },
            ("values_at", keys) => {
                let values = keys.iter().map(|key| self.at(id, key).unwrap_or(Ruby::Nil)).collect();
                self.heap.array(values)?
            }
            ("delete", [key]) => {
                let key = self.heap.key(key);
                let gone = self.heap.change_table(id, |table| table.shift_remove(&key))?;
                gone.flatten().map_or(Ruby::Nil, |(_, value)| value)
            }
            ("clear", []) => self.heap.change_table(id, Table::clear).map(|_| whole)?,
            ("slice" | "except", keys) => {
                let keys: Vec<_> = keys.iter().map(|key| self.heap.key(key)).collect();
                let kept = self.pairs(id).into_iter();
                let kept = kept.filter(|(key, _)| keys.contains(&self.heap.key(key)) == (name == "slice")).collect();
                self.hash_of(kept)?
            }
            ("compact", []) => {
                self.hash_of(self.pairs(id).into_iter().filter(|(_, value)| !matches!(value, Ruby::Nil)).collect())?
            }
            ("invert", []) => self.hash_of(self.pairs(id).into_iter().map(|(key, value)| (value, key)).collect())?,
            ("merge" | "merge!" | "update", others) => return self.merge(line, id, others, name != "merge", block),
            _ => return self.hash_with_block(line, id, name, block),
        };
        Ok(Some(value))
    }

    fn merge(&mut self, line: u32, id: Id, others: &[Ruby], in_place: bool, block: Option<&Block>) -> MethodResult {
        let mut table = self.heap.table(id).cloned().unwrap_or_default();
        for other in others {
            let Ruby::Hash(other) = other else {
                return self.fail(line, format!("no implicit conversion of {} into Hash", other.class()));
            };
            for (key, value) in self.pairs(*other) {
                let at = self.heap.key(&key);
                let value = match (table.get(&at), block) {
                    (Some((_, have)), Some(block)) => {
                        let have = have.clone();
                        self.yields(line, block, &[key.clone(), have, value])?
                    }
                    _ => value,
                };
                table.insert(at, (key, value));
            }
        }
        if !in_place {
            return self.heap.hash(table).map(Some);
        }
        self.heap.change_table(id, |have| *have = table)?;
        Ok(Some(Ruby::Hash(id)))
    }

    fn hash_with_block(&mut self, line: u32, id: Id, name: &str, block: Option<&Block>) -> MethodResult {
        let Some(block) = block else { return Ok(None) };
        let pairs = self.pairs(id);
        let kept = |is: bool, answers: &[Ruby]| {
            let pairs = pairs.iter().zip(answers).filter(move |(_, answer)| answer.is_true() == is);
            pairs.map(|(pair, _)| pair.clone()).collect::<Vec<_>>()
        };
        let made = match name {
            "each_key" | "each_value" => {
                for (key, value) in pairs {
                    self.yields(line, block, &[if name == "each_key" { key } else { value }])?;
                }
                return Ok(Some(Ruby::Hash(id)));
            }
            "transform_values" | "transform_keys" => {
                let mut made = Vec::new();
                for (key, value) in pairs {
                    made.push(if name == "transform_values" {
                        (key, self.yields(line, block, &[value])?)
                    } else {
                        (self.yields(line, block, &[key])?, value)
                    });
                }
                made
            }
            "select" | "filter" | "reject" | "select!" | "keep_if" | "reject!" | "delete_if" => {
                let mut answers = Vec::new();
                for (key, value) in &pairs {
                    answers.push(self.yields(line, block, &[key.clone(), value.clone()])?);
                }
                kept(!matches!(name, "reject" | "reject!" | "delete_if"), &answers)
            }
            _ => return Ok(None),
        };
        let made = self.hash_of(made)?;
        if !matches!(name, "select!" | "keep_if" | "reject!" | "delete_if") {
            return Ok(Some(made));
        }
        if let Ruby::Hash(made) = made {
            let table = self.heap.table(made).cloned().unwrap_or_default();
            self.heap.change_table(id, |have| *have = table)?;
        }
        Ok(Some(Ruby::Hash(id)))
    }
}
