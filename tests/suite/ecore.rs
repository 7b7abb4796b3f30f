//! The types of a program as an Ecore document: a tool of another language loads it, and reading it back gives the same types.

use std::path::Path;
use std::process::{Command, Output};

use crate::skip::skip;
use crate::terminal::PROGRAM;

/// What pyecore finds, one line for each class and feature.
const SCRIPT: &str = r#"
import sys
from pyecore.resources import ResourceSet, URI
root = ResourceSet().get_resource(URI(sys.argv[1])).contents[0]
def walk(package, prefix=""):
    for item in package.eClassifiers:
        if item.eClass.name == "EClass":
            parents = ",".join(x.name for x in item.eSuperTypes)
            print(f"{prefix}{item.name}({parents})", "abstract" if item.abstract else "")
            for x in item.eStructuralFeatures:
                print(f"  {x.name}: {x.eType.name} {x.lowerBound}..{x.upperBound} {x.derived} {x.changeable}")
        else:
            print(f"{prefix}{item.name}:", ",".join(x.name for x in item.eLiterals))
    for below in package.eSubpackages:
        walk(below, f"{prefix}{below.name}::")
walk(root)
"#;

const TYPES: &str = r#"
type Base { abstract attr id, String { min => 1, check => { if $it == '' { "empty: '${it}'" } } } }
type Db::Host inherits Base {
  attr kind, enum[real, fake] { default => real }
  attr load, Float { transient => true, default => 1.5 }
  attr ips, String { min => 2 }
  attr any { default => 5 }
  attr size, Integer { derived => || { $n = size($ips) case $n { 0, 1: { 0 } default: { $n * 2 } } } }
  attr note, String { set => |$v| { if $v == '' { undef } else { $ips += $v strip($v) } }, get => |$v| { "<${v}>" } }
  has peers, Db::Host { containment => false, max => unbound }
  has inner, Base { max => 3, setable => false }
  invariant "real hosts, ${id}" { $kind == fake or $ips.map |$ip| { "${ip[0]}" } != [] }
}
type Entry inherits Resource {
  attr name, String
  attr text, String { default => "it's <here> & \"there\"" }
  implemented_by file { name => name, content => text }
}
"#;

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(args).current_dir(folder).env_clear().env("HOME", folder).env("PATH", "/usr/bin:/bin");
    command.output().expect("the binary runs")
}

/// Standard output of a command that has to succeed.
fn text(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

#[test]
fn the_document_is_read_back_as_the_same_types() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("types.pp"), TYPES).expect("a file can be written");
    let document = text(folder, &["graph", "--format", "ecore", "types.pp"]);
    std::fs::write(folder.join("a.ecore"), &document).expect("a file can be written");
    let source = text(folder, &["parse", "a.ecore"]);
    std::fs::write(folder.join("b.pp"), &source).expect("a file can be written");
    assert_eq!(text(folder, &["graph", "--format", "ecore", "b.pp"]), document, "{source}");
    assert_eq!(text(folder, &["graph", "--format", "ecore", "a.ecore"]), document);
    assert!(source.contains("implemented_by file { name => name, content => text }"), "{source}");
    assert!(source.contains("type Entry inherits Resource {"), "{source}");
}

#[test]
fn another_tool_loads_the_document() {
    let has_tool = |python: &str| {
        let found = Command::new(python).args(["-c", "import pyecore"]).output();
        found.is_ok_and(|output| output.status.success())
    };
    let python = std::env::var("WORKBENCH_PYTHON").unwrap_or_else(|_| "python3".into());
    if !has_tool(&python) {
        skip("pyecore", format_args!("{python} has no pyecore"));
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = folder.path();
    std::fs::write(folder.join("types.pp"), TYPES).expect("a file can be written");
    let document = text(folder, &["graph", "--format", "ecore", "types.pp"]);
    std::fs::write(folder.join("types.ecore"), document).expect("a file can be written");
    let output = Command::new(python).args(["-c", SCRIPT, "types.ecore"]).current_dir(folder).output();
    let output = output.expect("Python runs");
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let wanted = "Base() abstract\n  id: EString 1..1 False True\nEntry() \n  name: EString 0..1 False True\n  \
                  text: EString 0..1 False True\nDb::Host(Base) \n  kind: HostKind 0..1 False True\n  \
                  load: EDouble 0..1 False True\n  ips: EString 2..-1 False True\n  any: EJavaObject 0..1 False True\n  \
                  size: ELong 0..1 True False\n  note: EString 0..1 False True\n  peers: Host 0..-1 False True\n  \
                  inner: Base 0..3 False False\nDb::HostKind: real,fake\n";
    assert_eq!(found, wanted);
}
