//! What looking at code costs: opening a file, drawing a screen of it, typing into it.

mod inputs;

use std::fmt::Write;

use divan::{Bencher, black_box};
use inputs::{SHAPES, Shape, program};
use workbench::highlight::{Document, Grammar, Theme, folds, lines, outline};

/// Files as large as are highlighted at all: 10,000 resources of this shape are 1.2 MB.
const COUNTS: [usize; 3] = [100, 1_000, 10_000];

fn main() {
    divan::main();
}

/// A manifest of 10,000 lines: classes with their parameters, resources, strings with code, conditions and heredocs.
fn manifest() -> String {
    let mut text = String::new();
    for i in 0..500 {
        write!(
            text,
            "class site::part{i:03} (\n  String $owner = 'root',\n  Optional[Integer] $port = {i},\n) {{\n  \
             $path = \"/tmp/bench/${{owner}}/{i:03}\"\n  if $port {{\n    notice(\"${{path}} on ${{port}}\")\n  }}\n\n  \
             file {{ $path:\n    ensure  => file,\n    mode    => '0644',\n    content => @(\"END\"),\n      line of \
             ${{owner}}\n      | END\n    require => Package['httpd'],\n  }}\n}}\n\ninclude site::part{i:03}\n"
        )
        .expect("a string takes everything");
    }
    text
}

fn document_of_ten_thousand_lines() -> Document {
    let document = Document::new(manifest(), Some(Grammar::Puppet));
    assert!(document.plain().is_none() && !document.has_error() && document.line_count() == 10_001);
    document
}

/// From a text to the first screen of it, as the Code screen does: colours, outline and folds.
#[divan::bench]
fn open_ten_thousand_lines_of_puppet(bencher: Bencher) {
    let text = manifest();
    let theme = Theme::built_in("night").expect("it is built in");
    bencher.bench(|| {
        let document = Document::new(black_box(text.as_str()), Some(Grammar::Puppet));
        (outline(&document), folds(&document), lines(&document, 0..60, &theme, 4))
    });
}

#[divan::bench]
fn type_a_character_of_puppet(bencher: Bencher) {
    let document = document_of_ten_thousand_lines();
    let at = document.text().len() / 2;
    bencher.with_inputs(|| document.clone()).bench_local_values(|mut document| {
        document.edit(at..at, "x");
        document
    });
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
