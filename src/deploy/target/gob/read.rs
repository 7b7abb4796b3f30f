//! Reads gob into values with field names. Safe on any bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::write::{Shape, Type};
use super::{FIRST, basic};

/// A value with its parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    /// Also strings: Go does not guarantee that they are UTF-8.
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Zero fields are omitted.
    Struct(Vec<(Arc<str>, Value)>),
    /// The name of the concrete type and its value; `None` for nil.
    Interface(Option<(String, Box<Value>)>),
}

impl Value {
    /// Returns a field of a struct, unless it is zero.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Struct(fields) => fields.iter().find(|(have, _)| **have == *name).map(|(_, value)| value),
            _ => None,
        }
    }
}

/// The first value of a stream, with the types described before it.
#[derive(Debug)]
pub struct Decoded {
    pub value: Value,
    /// The number of its type.
    pub ty: i64,
    pub types: BTreeMap<i64, Type>,
}

/// Why bytes are not valid gob, or not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GobError {
    #[error("it is truncated")]
    CutOff,
    #[error("nested too deep")]
    TooDeep,
    #[error("it is larger than {} MiB", SIZE_LIMIT >> 20)]
    TooLarge,
    #[error("invalid data: {0}")]
    Malformed(&'static str),
    #[error("type {0} is not described")]
    UnknownType(i64),
}

/// Twice etcd's limit for one key. A value takes at most 48 times the bytes of its encoding.
const SIZE_LIMIT: usize = 3 << 20;
/// A folder in a tree takes two levels.
const DEPTH: usize = 300;
/// Descriptions of types are small and few.
const MOST_TYPES: usize = 1000;
const MOST_FIELDS: usize = 1000;

/// Reads the first value of a stream and ignores the rest, as Go does.
pub fn decode(bytes: &[u8]) -> Result<Decoded, GobError> {
    if bytes.len() > SIZE_LIMIT {
        return Err(GobError::TooLarge);
    }
    let mut reader = Reader { rest: bytes, message: &[], types: BTreeMap::new(), names: BTreeMap::new(), depth: 0 };
    let ty = reader.type_of_next(false)?;
    let value = reader.whole(ty)?;
    Ok(Decoded { value, ty, types: reader.types })
}

struct Reader<'a> {
    /// The messages that follow.
    rest: &'a [u8],
    /// The rest of the current message.
    message: &'a [u8],
    types: BTreeMap<i64, Type>,
    /// The field names of each struct, shared by its values.
    names: BTreeMap<i64, Vec<(Arc<str>, i64)>>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], GobError> {
        let count = usize::try_from(count).map_err(|_| GobError::CutOff)?;
        let (taken, rest) = self.message.split_at_checked(count).ok_or(GobError::CutOff)?;
        self.message = rest;
        Ok(taken)
    }

    fn uint(&mut self) -> Result<u64, GobError> {
        uint(&mut self.message)
    }

    fn int(&mut self) -> Result<i64, GobError> {
        let bits = self.uint()?;
        let half = (bits >> 1).cast_signed();
        Ok(if bits & 1 == 1 { !half } else { half })
    }

    fn bytes(&mut self) -> Result<Vec<u8>, GobError> {
        let count = self.uint()?;
        Ok(self.take(count)?.to_vec())
    }

    fn name(&mut self) -> Result<String, GobError> {
        String::from_utf8(self.bytes()?).map_err(|_| GobError::Malformed("a name is not a string"))
    }

    fn next_message(&mut self) -> Result<(), GobError> {
        let length = uint(&mut self.rest)?;
        let length = usize::try_from(length).map_err(|_| GobError::CutOff)?;
        let (message, rest) = self.rest.split_at_checked(length).ok_or(GobError::CutOff)?;
        (self.message, self.rest) = (message, rest);
        Ok(())
    }

    /// Reads descriptions until the type of a value. In an interface the value may follow in the same message.
    fn type_of_next(&mut self, in_interface: bool) -> Result<i64, GobError> {
        loop {
            if self.message.is_empty() {
                self.next_message()?;
            }
            let number = self.int()?;
            if number >= 0 {
                return Ok(number);
            }
            let number = number.checked_neg().ok_or(GobError::Malformed("a type has no number"))?;
            self.description(number)?;
            if !self.message.is_empty() {
                if !in_interface {
                    return Err(GobError::Malformed("extra data after a type description"));
                }
                self.uint()?;
            }
        }
    }

    fn description(&mut self, number: i64) -> Result<(), GobError> {
        if number < FIRST || self.types.contains_key(&number) {
            return Err(GobError::Malformed("a known type is described again"));
        }
        if self.types.len() == MOST_TYPES {
            return Err(GobError::Malformed("it describes too many types"));
        }
        let mut described = None;
        self.fields(|reader, kind| {
            described = Some(reader.described(kind)?);
            Ok(())
        })?;
        let ty = described.ok_or(GobError::Malformed("an empty type description"))?;
        if let Shape::Struct(fields) = &ty.shape {
            let names = fields.iter().map(|(name, ty)| (Arc::from(name.as_str()), *ty)).collect();
            self.names.insert(number, names);
        }
        self.types.insert(number, ty);
        Ok(())
    }

    fn described(&mut self, kind: i64) -> Result<Type, GobError> {
        let (mut name, mut fields, mut one, mut other) = (String::new(), Vec::new(), 0, 0);
        self.fields(|reader, index| {
            match (kind, index) {
                (_, 0) => reader.fields(|reader, index| {
                    match index {
                        0 => name = reader.name()?,
                        1 => drop(reader.int()?),
                        _ => return Err(GobError::Malformed("a description has too many parts")),
                    }
                    Ok(())
                })?,
                (2, 1) => fields = reader.described_fields()?,
                (0 | 1 | 3, 1) => one = reader.int()?,
                // The length of an array is repeated before each value.
                (0 | 3, 2) => other = reader.int()?,
                _ => return Err(GobError::Malformed("a description has too many parts")),
            }
            Ok(())
        })?;
        let shape = match kind {
            0 | 1 => Shape::List(one),
            2 => Shape::Struct(fields),
            3 => Shape::Map(one, other),
            4..=6 => Shape::Opaque,
            _ => return Err(GobError::Malformed("a type is of an unknown kind")),
        };
        Ok(Type { name, shape })
    }

    fn described_fields(&mut self) -> Result<Vec<(String, i64)>, GobError> {
        let count = self.count()?;
        if count > MOST_FIELDS {
            return Err(GobError::Malformed("a type has too many fields"));
        }
        let mut fields = Vec::new();
        for _ in 0..count {
            let (mut name, mut ty) = (String::new(), 0);
            self.fields(|reader, index| {
                match index {
                    0 => name = reader.name()?,
                    1 => ty = reader.int()?,
                    _ => return Err(GobError::Malformed("a description has too many parts")),
                }
                Ok(())
            })?;
            fields.push((name, ty));
        }
        Ok(fields)
    }

    /// Reads the number of items. Each item takes at least one byte.
    fn count(&mut self) -> Result<usize, GobError> {
        let count = usize::try_from(self.uint()?).map_err(|_| GobError::CutOff)?;
        if count > self.message.len() { Err(GobError::CutOff) } else { Ok(count) }
    }

    /// Reads a struct's fields to the end of the struct.
    fn fields(&mut self, mut each: impl FnMut(&mut Self, i64) -> Result<(), GobError>) -> Result<(), GobError> {
        let mut index = -1_i64;
        loop {
            let step = self.uint()?;
            if step == 0 {
                return Ok(());
            }
            let step = i64::try_from(step).map_err(|_| GobError::Malformed("no such field"))?;
            index = index.checked_add(step).ok_or(GobError::Malformed("no such field"))?;
            each(self, index)?;
        }
    }

    /// Reads a top-level value. One that is not a struct has a zero before it.
    fn whole(&mut self, ty: i64) -> Result<Value, GobError> {
        let is_struct = matches!(self.types.get(&ty).map(|ty| &ty.shape), Some(Shape::Struct(_)));
        if !is_struct && self.uint()? != 0 {
            return Err(GobError::Malformed("a value has fields, and its type has none"));
        }
        self.value(ty)
    }

    fn value(&mut self, ty: i64) -> Result<Value, GobError> {
        if self.depth == DEPTH {
            return Err(GobError::TooDeep);
        }
        self.depth += 1;
        let value = self.value_here(ty);
        self.depth -= 1;
        value
    }

    fn value_here(&mut self, ty: i64) -> Result<Value, GobError> {
        Ok(match ty {
            basic::BOOL => Value::Bool(self.uint()? != 0),
            basic::INT => Value::Int(self.int()?),
            basic::UINT => Value::Uint(self.uint()?),
            4 => Value::Float(f64::from_bits(self.uint()?.swap_bytes())),
            5 | basic::STRING => Value::Bytes(self.bytes()?),
            7 => {
                let parts = [self.uint()?, self.uint()?];
                Value::List(parts.map(|part| Value::Float(f64::from_bits(part.swap_bytes()))).into())
            }
            basic::INTERFACE => self.interface()?,
            ty => match &self.types.get(&ty).ok_or(GobError::UnknownType(ty))?.shape {
                Shape::Opaque => Value::Bytes(self.bytes()?),
                Shape::Struct(_) => self.structure(ty)?,
                Shape::List(of) => {
                    let of = *of;
                    let count = self.count()?;
                    let mut items = Vec::new();
                    for _ in 0..count {
                        items.push(self.value(of)?);
                    }
                    Value::List(items)
                }
                Shape::Map(key, value) => {
                    let (key, value) = (*key, *value);
                    let count = self.count()?;
                    let mut pairs = Vec::new();
                    for _ in 0..count {
                        pairs.push((self.value(key)?, self.value(value)?));
                    }
                    Value::Map(pairs)
                }
            },
        })
    }

    fn structure(&mut self, ty: i64) -> Result<Value, GobError> {
        let mut values = Vec::new();
        self.fields(|reader, index| {
            let names = reader.names.get(&ty).ok_or(GobError::UnknownType(ty))?;
            let field = usize::try_from(index).ok().and_then(|index| names.get(index)).cloned();
            let (name, ty) = field.ok_or(GobError::Malformed("no such field"))?;
            let value = reader.value(ty)?;
            values.push((name, value));
            Ok(())
        })?;
        Ok(Value::Struct(values))
    }

    fn interface(&mut self) -> Result<Value, GobError> {
        let name = self.name()?;
        if name.is_empty() {
            return Ok(Value::Interface(None));
        }
        let ty = self.type_of_next(true)?;
        // The length of the value, which the value itself implies.
        self.uint()?;
        let value = self.whole(ty)?;
        Ok(Value::Interface(Some((name, Box::new(value)))))
    }
}

fn uint(bytes: &mut &[u8]) -> Result<u64, GobError> {
    let (first, rest) = bytes.split_first().ok_or(GobError::CutOff)?;
    *bytes = rest;
    if *first < 0x80 {
        return Ok(u64::from(*first));
    }
    let count = usize::from(first.wrapping_neg());
    if count > 8 {
        return Err(GobError::Malformed("a number is too long"));
    }
    let (digits, rest) = bytes.split_at_checked(count).ok_or(GobError::CutOff)?;
    *bytes = rest;
    Ok(digits.iter().fold(0, |number, digit| number << 8 | u64::from(*digit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn deep_nesting_ends_early() {
        // A list of itself, a thousand deep.
        let mut writer = super::super::Writer::default();
        let mut stream = super::super::Writer::default();
        writer.description(FIRST, &Type { name: "l".into(), shape: Shape::List(FIRST) });
        writer.flush(&mut stream);
        writer.int(FIRST);
        writer.uint(0);
        writer.raw(&[1; 1000]);
        writer.uint(0);
        writer.flush(&mut stream);
        assert_eq!(decode(&stream.into_bytes()).map(|_| ()), Err(GobError::TooDeep));
    }

    #[test]
    fn a_count_without_its_items_takes_no_room() {
        // A list that claims a billion items and holds none.
        let mut writer = super::super::Writer::default();
        let mut stream = super::super::Writer::default();
        writer.description(FIRST, &Type { name: "l".into(), shape: Shape::List(basic::STRING) });
        writer.flush(&mut stream);
        writer.int(FIRST);
        writer.uint(0);
        writer.uint(1 << 30);
        writer.flush(&mut stream);
        assert_eq!(decode(&stream.into_bytes()).map(|_| ()), Err(GobError::CutOff));
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode(&bytes);
        }
    }
}
