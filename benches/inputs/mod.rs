//! mcl programs of any size, each growing one cost.

use std::fmt::Write;

/// What a program has much of.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Files, each ordered after the one before by an edge statement.
    Chain,
    /// Files with three parameters each, and no edges.
    Flat,
    /// Includes of one class, each a file and a command: twice as many resources.
    Class,
    /// One loop over a list.
    Loop,
    /// Names bound through polymorphic functions and lambdas: work for unification.
    Unify,
    /// A tenth as many nested structs and conditions, read by all resources.
    Deep,
}

pub const SHAPES: [Shape; 6] = [Shape::Chain, Shape::Flat, Shape::Class, Shape::Loop, Shape::Unify, Shape::Deep];

/// A program of about `count` resources (for `Unify`: of names).
pub fn program(shape: Shape, count: usize) -> String {
    let mut out = String::with_capacity(count * 160);
    match shape {
        Shape::Chain => files(&mut out, count, true),
        Shape::Flat => files(&mut out, count, false),
        Shape::Class => class(&mut out, count),
        Shape::Loop => repeat(&mut out, count),
        Shape::Unify => unify(&mut out, count),
        Shape::Deep => deep(&mut out, count),
    }
    out
}

/// Appends a formatted line; writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => { writeln!($out, $($arg)*).expect("a string takes everything") };
}

fn files(out: &mut String, count: usize, chained: bool) {
    for i in 0..count {
        line!(out, "file \"/tmp/bench/f{i:06}\" {{");
        line!(out, "\tstate => $const.res.file.state.exists,");
        line!(out, "\tcontent => \"line {i}\\n\",");
        line!(out, "\tmode => \"0644\",\n}}");
        if chained && i > 0 {
            line!(out, "File[\"/tmp/bench/f{:06}\"] -> File[\"/tmp/bench/f{i:06}\"]", i - 1);
        }
    }
}

fn class(out: &mut String, count: usize) {
    out.push_str(
        "import \"fmt\"\n\
         class site($name, $port) {\n\
         \t$path = \"/tmp/bench/${name}\"\n\
         \tfile \"${path}\" {\n\
         \t\tstate => $const.res.file.state.exists,\n\
         \t\tcontent => fmt.printf(\"server %s listens on %d\\n\", $name, $port),\n\
         \t\tNotify => Exec[\"reload ${name}\"],\n\
         \t}\n\
         \texec \"reload ${name}\" {\n\
         \t\tcmd => \"/bin/true\",\n\
         \t}\n\
         }\n",
    );
    for i in 0..count {
        line!(out, "include site(\"site{i:06}\", {})", 8000 + i % 1000);
    }
}

fn repeat(out: &mut String, count: usize) {
    out.push_str("import \"fmt\"\n$names = [\n");
    for i in 0..count {
        line!(out, "\t\"n{i:06}\",");
    }
    out.push_str(
        "]\n\
         for $i, $name in $names {\n\
         \tfile \"/tmp/bench/${name}\" {\n\
         \t\tstate => $const.res.file.state.exists,\n\
         \t\tcontent => fmt.printf(\"%d %s\\n\", $i, $name),\n\
         \t}\n\
         }\n",
    );
}

fn unify(out: &mut String, count: usize) {
    out.push_str("func id($x) {\n\t$x\n}\nfunc pair($a, $b) {\n\tstruct{l => $a, r => $b}\n}\n$v0 = id(\"start\")\n");
    for i in 1..count {
        line!(out, "$p{i} = pair(id($v{}), {i})", i - 1);
        line!(out, "$g{i} = func($k) {{\n\tif $k > {i} {{\n\t\t$p{i}->l\n\t}} else {{\n\t\tid($p{i}->l)\n\t}}\n}}");
        line!(out, "$v{i} = $g{i}($p{i}->r)");
    }
    let last = count - 1;
    line!(out, "print \"${{v{last}}}\" {{\n\tmsg => $v{last},\n}}");
}

fn deep(out: &mut String, count: usize) {
    let depth = (count / 10).max(1);
    line!(out, "$s0 = struct{{a => \"x\", n => 0}}");
    for i in 1..depth {
        let before = i - 1;
        line!(out, "$s{i} = if $s{before}->n < {i} {{");
        line!(out, "\tstruct{{a => $s{before}->a + \"y\", n => {i}}}\n}} else {{\n\t$s{before}\n}}");
    }
    for i in 0..count {
        line!(out, "print \"p{i}\" {{\n\tmsg => $s{}->a,\n}}", i % depth);
    }
}
