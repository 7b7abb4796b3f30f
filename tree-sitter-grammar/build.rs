//! Compiles the C of every tree-sitter grammar below this folder.

#![allow(clippy::disallowed_methods, reason = "a build script has only the file system to ask")]

use std::path::Path;

const GRAMMARS: &[&str] = &["mcl", "puppet", "inmanta"];

fn main() {
    for grammar in GRAMMARS {
        let source = Path::new("tree-sitter-grammar").join(grammar).join("src");
        let mut compiler = cc::Build::new();
        // Fast also in development builds: highlighting runs while somebody types.
        compiler.std("c11").include(&source).warnings(false).opt_level(2);
        for file in ["parser.c", "scanner.c"] {
            let path = source.join(file);
            if path.exists() {
                println!("cargo:rerun-if-changed={}", path.display());
                compiler.file(path);
            }
        }
        compiler.compile(&format!("tree-sitter-{grammar}"));
    }
    println!("cargo:rerun-if-changed=tree-sitter-grammar/build.rs");
}
