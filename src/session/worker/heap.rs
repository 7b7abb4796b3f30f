//! Large pages for a worker's heap: a compilation touches tens of MiB once, and each small page of them costs a fault.

use std::ops::Range;

/// The memory that the allocator reserved at the start.
#[derive(Debug)]
pub struct Heap(Range<usize>);

impl Heap {
    /// Finds the mapping that holds a new object. Only before this process is confined.
    #[expect(clippy::disallowed_methods, reason = "it is about this process, and no program is read yet")]
    pub fn find() -> Option<Self> {
        let object = Box::new(0_u64);
        let at = std::ptr::from_ref(&*object).addr();
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        maps.lines().find_map(|line| {
            let (range, rights) = line.split_once(' ')?;
            let (start, end) = range.split_once('-')?;
            let range = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
            (rights.starts_with("rw") && range.contains(&at)).then_some(Self(range))
        })
    }

    /// Asks for large pages. A kernel without them ignores it.
    #[allow(unsafe_code, reason = "only the system can change the size of pages")]
    pub fn use_large_pages(&self) {
        let start = std::ptr::with_exposed_provenance_mut(self.0.start);
        // SAFETY: it changes neither content nor rights of the memory.
        unsafe { libc::madvise(start, self.0.len(), libc::MADV_HUGEPAGE) };
    }
}
