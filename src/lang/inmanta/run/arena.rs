//! A list that grows without moving what is in it: a model has many small parts, and their number is not known before.

use std::ops::{Index, IndexMut};

/// How many parts a chunk holds.
const CHUNK: usize = 1 << BITS;
const BITS: u32 = 12;

#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Vec<Vec<T>>,
}

impl<T> Arena<T> {
    pub(super) fn new() -> Self {
        Arena { chunks: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// Adds a part and gives its number.
    pub(super) fn push(&mut self, part: T) -> u32 {
        let at = self.len();
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(part),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(part);
                self.chunks.push(chunk);
            }
        }
        at as u32
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
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
