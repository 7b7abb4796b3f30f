//! What looking at code costs: opening a file, drawing a screen of it, typing into it.

mod inputs;

use divan::{Bencher, black_box};
use inputs::{SHAPES, Shape, program};
use workbench::highlight::{Document, Grammar, Theme, folds, lines, outline};

/// Files as large as are highlighted at all: 10,000 resources of this shape are 1.2 MB.
const COUNTS: [usize; 3] = [100, 1_000, 10_000];

fn main() {
    divan::main();
}

fn document(count: usize) -> Document {
    let document = Document::new(program(Shape::Flat, count), Some(Grammar::Mcl));
    assert!(document.plain().is_none() && !document.has_error());
    document
}

#[divan::bench(args = COUNTS)]
fn open(bencher: Bencher, count: usize) {
    let text = program(Shape::Flat, count);
    bencher.bench(|| Document::new(black_box(text.as_str()), Some(Grammar::Mcl)));
}

#[divan::bench(args = SHAPES)]
fn open_a_thousand(bencher: Bencher, shape: Shape) {
    let text = program(shape, 1_000);
    bencher.bench(|| Document::new(black_box(text.as_str()), Some(Grammar::Mcl)));
}

#[divan::bench(args = COUNTS)]
fn draw_sixty_lines(bencher: Bencher, count: usize) {
    let document = document(count);
    let theme = Theme::built_in("night").expect("it is built in");
    let middle = document.line_count() / 2;
    bencher.bench(|| lines(&document, middle..middle + 60, &theme, 4));
}

#[divan::bench(args = COUNTS)]
fn type_a_character(bencher: Bencher, count: usize) {
    let document = document(count);
    let at = document.text().find("line 50").expect("it is in every input");
    bencher.with_inputs(|| document.clone()).bench_local_values(|mut document| {
        document.edit(at..at, "x");
        document
    });
}

#[divan::bench(args = COUNTS)]
fn outline_and_folds(bencher: Bencher, count: usize) {
    let document = document(count);
    bencher.bench(|| (outline(&document), folds(&document)));
}
