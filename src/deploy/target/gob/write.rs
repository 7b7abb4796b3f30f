//! Writes gob: numbers, texts, fields, descriptions of types, messages.

/// A described type: its name in Go and its structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub name: String,
    pub shape: Shape,
}

/// The structure of a type. The numbers refer to other types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Struct(Vec<(String, i64)>),
    /// Also arrays, which have the same encoding.
    List(i64),
    Map(i64, i64),
    /// Written by the type's own encoder.
    Opaque,
}

impl Type {
    /// Makes a struct type from the names and type numbers of its fields.
    pub fn structure(name: &str, fields: &[(&str, i64)]) -> Self {
        let fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect();
        Self { name: name.into(), shape: Shape::Struct(fields) }
    }
}

/// A growing buffer.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// The last written field of each open struct.
    open: Vec<i64>,
}

impl Writer {
    /// Writes an unsigned integer: one byte below 128, else the negated count of bytes and the bytes, highest first.
    pub fn uint(&mut self, number: u64) {
        if number < 0x80 {
            return self.bytes.push(number as u8);
        }
        let all = number.to_be_bytes();
        let used = &all[number.leading_zeros() as usize / 8..];
        self.bytes.push((used.len() as u8).wrapping_neg());
        self.bytes.extend_from_slice(used);
    }

    /// Writes a signed integer. The lowest bit contains the sign.
    pub fn int(&mut self, number: i64) {
        let sign = number >> 63;
        self.uint(((number ^ sign) as u64) << 1 | (sign & 1) as u64);
    }

    /// Writes a string: its length in bytes, then its bytes.
    pub fn text(&mut self, text: &str) {
        self.uint(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes bytes without a length.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Opens a struct, whose fields follow.
    pub fn begin(&mut self) {
        self.open.push(-1);
    }

    /// Starts a field of the open struct. Its value follows.
    pub fn field(&mut self, index: i64) {
        let last = self.open.last_mut().expect("a field belongs to an open struct");
        let step = index - *last;
        *last = index;
        self.uint(step.unsigned_abs());
    }

    /// Closes the open struct.
    pub fn end(&mut self) {
        self.open.pop();
        self.bytes.push(0);
    }

    /// Writes a string as a field, unless it is empty.
    pub fn text_field(&mut self, index: i64, text: &str) {
        if !text.is_empty() {
            self.field(index);
            self.text(text);
        }
    }

    /// Writes a boolean as a field, unless it is `false`.
    pub fn flag_field(&mut self, index: i64, flag: bool) {
        if flag {
            self.field(index);
            self.uint(1);
        }
    }

    /// Writes a signed integer as a field, unless it is 0.
    pub fn int_field(&mut self, index: i64, number: i64) {
        if number != 0 {
            self.field(index);
            self.int(number);
        }
    }

    /// Writes an unsigned integer as a field, unless it is 0.
    pub fn uint_field(&mut self, index: i64, number: u64) {
        if number != 0 {
            self.field(index);
            self.uint(number);
        }
    }

    /// Writes the description of a type, without a message around it.
    pub fn description(&mut self, number: i64, ty: &Type) {
        self.int(-number);
        // A struct with one field per kind of type.
        self.begin();
        self.field(match ty.shape {
            Shape::List(_) => 1,
            Shape::Struct(_) => 2,
            Shape::Map(..) => 3,
            Shape::Opaque => 4,
        });
        self.begin();
        self.field(0);
        self.begin();
        self.text_field(0, &ty.name);
        self.int_field(1, number);
        self.end();
        match &ty.shape {
            Shape::Struct(fields) if !fields.is_empty() => {
                self.field(1);
                self.uint(fields.len() as u64);
                for (name, ty) in fields {
                    self.begin();
                    self.text_field(0, name);
                    self.int_field(1, *ty);
                    self.end();
                }
            }
            Shape::Struct(_) | Shape::Opaque => {}
            Shape::List(of) => self.int_field(1, *of),
            Shape::Map(key, value) => {
                self.int_field(1, *key);
                self.int_field(2, *value);
            }
        }
        self.end();
        self.end();
    }

    /// Moves the content to the end of another stream as one message.
    pub fn flush(&mut self, stream: &mut Writer) {
        stream.uint(self.bytes.len() as u64);
        stream.bytes.append(&mut self.bytes);
    }

    /// Returns the written bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Writer;

    fn bytes(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::default();
        write(&mut writer);
        writer.into_bytes()
    }

    #[test]
    fn numbers_are_short_where_they_are_small() {
        assert_eq!(bytes(|w| w.uint(0)), [0]);
        assert_eq!(bytes(|w| w.uint(127)), [0x7f]);
        assert_eq!(bytes(|w| w.uint(128)), [0xff, 0x80]);
        assert_eq!(bytes(|w| w.uint(256)), [0xfe, 1, 0]);
        assert_eq!(bytes(|w| w.uint(u64::MAX)), [0xf8, 255, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(bytes(|w| w.int(-1)), [1]);
        assert_eq!(bytes(|w| w.int(-65)), [0xff, 0x81]);
        assert_eq!(bytes(|w| w.int(65)), [0xff, 0x82]);
        assert_eq!(bytes(|w| w.int(i64::MIN)), [0xf8, 255, 255, 255, 255, 255, 255, 255, 255]);
    }
}
