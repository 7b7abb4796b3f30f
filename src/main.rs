//! Hands the command line to the face, and its exit code to the system.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Compiling makes and frees millions of small values: with mimalloc in a fifth less time than with the system's allocator.
///
/// Large blocks are the lists and arenas that grow by doubling. The system's allocator moves their pages, where mimalloc
/// would copy them and hold the copies for a while: half the memory at the peak.
///
/// It is built without huge pages (`no_thp`): with them a screen that nobody touches takes 42 MiB instead of 26, most of
/// which nothing was ever written to, and compiling is faster by no more than a twentieth.
struct BySize;

/// Above it the system's allocator takes blocks from the kernel one by one.
const LARGE: usize = 256 << 10;

#[allow(unsafe_code, reason = "a global allocator is unsafe by its trait")]
// SAFETY: which of the two a block belongs to is told by its size alone, and that is the same when it is freed; each
// keeps the trait's promises for its blocks.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { if layout.size() < LARGE { MiMalloc.alloc(layout) } else { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { if layout.size() < LARGE { MiMalloc.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { if layout.size() < LARGE { MiMalloc.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe {
            match (layout.size() < LARGE, size < LARGE) {
                (true, true) => MiMalloc.realloc(block, layout, size),
                (false, false) => System.realloc(block, layout, size),
                _ => self.moved(block, layout, size),
            }
        }
    }
}

#[allow(unsafe_code, reason = "a global allocator is unsafe by its trait")]
impl BySize {
    /// A block that belongs to the other allocator at its new size.
    unsafe fn moved(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe {
            // SAFETY: the caller of `realloc` promises that the new size is a valid one for this alignment.
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

#[global_allocator]
static ALLOCATOR: BySize = BySize;

fn main() -> ExitCode {
    if let Some(minded) = workbench::host::mind() {
        return minded;
    }
    let code = workbench::cli::run(std::env::args_os());
    // Nobody is left to be told that it cannot be written.
    let _ = std::io::stdout().flush();
    // Not by way of `exit`: there mimalloc gives its thread-specific key back while threads are still at work, libgit2 is given
    // the same one as it starts, and a thread that leaves frees what the other has put there. One signal in some hundred that
    // came as work began ended in SIGABRT.
    signal_hook::low_level::exit(code.into())
}
