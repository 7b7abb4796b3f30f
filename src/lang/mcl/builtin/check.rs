//! Tests of the tables: sorted, documented, and with correct examples.

use super::super::compile;
use super::{Function, MODULES, VARIABLES, function, functions, variable};
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::lang::{Choices, CompileOptions, RunLimits};
use crate::module::{EntryPoint, LanguageName};
use crate::resource::schema::example::EXAMPLES;
use crate::world::{Memory, Read, Sample};

#[test]
fn lists_are_sorted_and_found() {
    let names: Vec<_> = functions().iter().map(|f| (f.module, f.name)).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{:?}", names.windows(2).find(|pair| pair[0] >= pair[1]));
    assert!(MODULES.iter().all(|(_, list)| !list.is_empty()));
    for (module, name) in names {
        assert!(function(module, name).is_some_and(|f| f.module == module && f.name == name));
    }
    assert!(VARIABLES.is_sorted_by(|a, b| a.name < b.name));
    assert!(VARIABLES.iter().all(|v| variable(v.name).is_some()));
}

#[test]
fn every_function_is_documented() {
    for f in functions().iter() {
        assert!(f.doc.ends_with('.') && !f.signatures.is_empty(), "{}.{}", f.module, f.name);
        for signature in f.signatures {
            assert!(signature.starts_with("func(") && signature.contains(") "), "{}.{}", f.module, f.name);
        }
    }
}

/// Functions whose value depends on the host, on chance, or on their use.
const WITHOUT_EXAMPLE: &[&str] = &[
    "panic",
    "panic_debug",
    "random1",
    "abspath",
    "binary_path",
    "directory",
    "file_exists",
    "readfile",
    "readfileabs",
    "now",
    "str_now",
    "weekday_fast",
    "flipflop",
    "vardir",
    "response",
    "interface_cidr",
    "macs",
    "wired_interface",
    "eval_symlinks",
    "look_path",
    "args",
    "family",
    "home",
    "is_family_archlinux",
    "is_family_debian",
    "is_family_redhat",
    "is_virtual",
    "modinfo_loaded",
    "release",
    "system",
    "uid",
    "user_exists",
    "cpu_count",
    "env",
    "hostname",
    "load",
    "uptime",
    "reboot_needed",
    "fastcount",
    "forkvloop",
    "forloop",
    "hostname_mapper",
];

#[test]
fn every_pure_function_has_an_example() {
    let hosts =
        ["embedded/provisioner", "golang/os", "golang/runtime", "golang/math/rand", "value", "world", "world/collect"];
    for f in functions().iter() {
        let excused = hosts.contains(&f.module) || WITHOUT_EXAMPLE.contains(&f.name) || f.name.starts_with("one_");
        assert!(excused || !f.examples.is_empty(), "{}.{}", f.module, f.name);
    }
}

/// Evaluates an expression with the whole language; its value must equal another expression's.
fn differs(f: &Function, example: &str, want: &str) -> Option<String> {
    // Several modules have the same last name, so an example imports only its own.
    let import = match f.module {
        "" => String::new(),
        module => format!("import \"{module}\"\n"),
    };
    let print = "print \"x\" {\n\tmsg => if $got == $want { \"same\" } else { \"other\" },\n}\n";
    let compiled = compiled(format!("{import}$got = {example}\n$want = {want}\n{print}"));
    let problems: Vec<_> = compiled.diagnostics.iter().map(|d| format!("{} {}", d.code.as_str(), d.label)).collect();
    let printed = compiled.graph.resources().find_map(|(_, resource)| resource.meant().params.get("msg").cloned());
    let same = printed.as_ref().and_then(|value| value.as_str()) == Some("same");
    (!same).then(|| format!("{}: {example} is not {want}: {}", f.module, problems.join("; ")))
}

fn compiled(code: String) -> Compiled {
    let entry = EntryPoint {
        language: LanguageName::Mcl,
        file: None,
        code: Some(("<argument>".into(), code.into())),
        base: "/".into(),
        shown: "example".into(),
        ..EntryPoint::default()
    };
    let world = Memory::default().with(Read::Environment, Sample::Pairs(Default::default()));
    let run = RunLimits { is_last: true, ..RunLimits::until(Stage::Eval) };
    let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
    compile(&world, &entry, &options)
}

#[test]
fn examples_of_kinds_compile() {
    for (kind, program) in EXAMPLES {
        let compiled = compiled((*program).to_owned());
        let problems: Vec<_> = compiled.diagnostics.iter().map(|d| format!("{:?} {}", d.span, d.label)).collect();
        assert!(problems.is_empty(), "{kind}: {}", problems.join("; "));
        assert!(compiled.graph.resources().any(|(_, resource)| &*resource.meant().kind == *kind), "{kind}");
    }
}

#[test]
fn examples_give_the_documented_results() {
    let wrong: Vec<_> = functions()
        .iter()
        .flat_map(|f| f.examples.iter().filter_map(|(example, want)| differs(f, example, want)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
