//! A list that grows without moving what is in it: a model has many small parts, and their number is not known before.

use std::ops::{Index, IndexMut};

/// How many parts a chunk holds. A chunk has a fixed size, so that a place in it needs no check.
const CHUNK: usize = 1 << BITS;
const BITS: u32 = 10;

#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Vec<Box<[T; CHUNK]>>,
    len: usize,
}

impl<T: Default> Arena<T> {
    pub(super) fn new() -> Self {
        Arena { chunks: Vec::new(), len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a part and gives its number.
    pub(super) fn push(&mut self, part: T) -> u32 {
        let at = self.len;
        if at >> BITS == self.chunks.len() {
            self.add_chunk();
        }
        self.chunks[at >> BITS][at & (CHUNK - 1)] = part;
        self.len = at + 1;
        at as u32
    }

    #[cold]
    fn add_chunk(&mut self) {
        let parts: Vec<T> = std::iter::repeat_with(T::default).take(CHUNK).collect();
        self.chunks.extend(parts.into_boxed_slice().try_into());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).take(self.len)
    }
}

impl<T> Index<usize> for Arena<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.chunks[at >> BITS][at & (CHUNK - 1)]
    }
}

impl<T> IndexMut<usize> for Arena<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.chunks[at >> BITS][at & (CHUNK - 1)]
    }
}
