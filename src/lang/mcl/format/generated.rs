//! Generates programs with every form of the language, in every layout of its grammar, for the tests of layout.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A generator of text.
pub type Source = BoxedStrategy<String>;

/// A program: statements, each with the end of its line.
pub fn program() -> Source {
    vec((stmt(), line_end()), 0..4)
        .prop_map(|stmts| stmts.into_iter().fold(String::new(), |text, (stmt, end)| text + &stmt + &end))
        .boxed()
}

/// Some blanks, perhaps none.
fn blank() -> Source {
    "[ \t]{0,2}".boxed()
}

/// A line end, with blank lines, comments, and any indentation.
fn line_end() -> Source {
    "[ ]?(#[ a-z\"{}]{0,6})?\n([ \t]{0,2}\n){0,2}([\t]{0,2}#é?\n\n?)?[ \t]{0,3}".boxed()
}

/// Parts between brackets, in either of the two forms.
fn list(part: Source) -> Source {
    let line = (blank(), vec((part.clone(), blank()), 0..4)).prop_map(|(first, parts)| {
        let parts: Vec<_> = parts.into_iter().map(|(part, blank)| format!("{part}{blank}")).collect();
        first + &parts.join(",")
    });
    let lines = (line_end(), vec((part, blank(), line_end()), 0..4)).prop_map(|(first, parts)| {
        parts.into_iter().fold(first, |text, (part, blank, end)| format!("{text}{part}{blank},{end}"))
    });
    prop_oneof![line, lines].boxed()
}

/// An optional part.
fn optional(part: Source) -> Source {
    prop_oneof![Just(String::new()), part].boxed()
}

fn braced(body: Source) -> Source {
    let line = (blank(), body.clone()).prop_map(|(blank, body)| format!("{{{blank}{body}{blank}}}"));
    let lines = (line_end(), body, line_end()).prop_map(|(before, body, after)| format!("{{{before}{body}{after}}}"));
    prop_oneof![line, lines].boxed()
}

fn ty() -> Source {
    let leaf = select(vec!["str", "int", "bool", "float", "variant", "struct{}"]).prop_map(String::from);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|ty| format!("[ ]{ty}")),
            (inner.clone(), inner.clone()).prop_map(|(k, v)| format!("map {{{k}:{v} }}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("struct{{a {a};b  {b}}}")),
            (inner.clone(), inner.clone()).prop_map(|(arg, returns)| format!("func( $map  {arg} ){returns}")),
            (list(inner.clone()), inner).prop_map(|(args, returns)| format!("func({args}){returns}")),
        ]
    })
    .boxed()
}

/// `$a`, `$b T`: parameters between their parentheses.
fn params() -> Source {
    let param = prop_oneof![Just("$a".to_string()), ty().prop_map(|ty| format!("$b {ty}"))];
    list(param.boxed()).prop_map(|params| format!("({params})")).boxed()
}

/// ` T` or nothing.
fn returns() -> Source {
    optional(ty().prop_map(|ty| format!(" {ty} ")).boxed())
}

fn expr() -> Source {
    let leaf = select(vec![
        "true",
        "false",
        "-7",
        "007",
        "1.50",
        "-0.0",
        "\"\"",
        "\"a\\n\\\"#\"",
        "\"two\n\tlines\"",
        "\"${x} and ${a.b}\"",
        "\"\\${x} é\"",
        "$x",
        "$ a . b",
        "$map",
        "$collect.x",
        "( -1<$b )",
    ]);
    leaf.prop_map(String::from)
        .prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                3 => collection(inner.clone()),
                3 => called(inner.clone()),
                3 => joined(inner.clone()),
                2 => looked_up(inner.clone()),
                1 => (inner.clone(), braced(inner.clone()), braced(inner.clone()))
                    .prop_map(|(c, a, b)| format!("if  {c}{a}else{b}")),
                1 => inner.prop_map(|a| format!("( {a} )")),
            ]
        })
        .boxed()
}

fn collection(inner: Source) -> Source {
    let entry = (inner.clone(), blank(), inner.clone()).prop_map(|(k, blank, v)| format!("{k}{blank}=>{v}"));
    let field = (select(vec!["name", "b2"]), inner.clone(), blank());
    let field = field.prop_map(|(name, value, blank)| format!("{name}{blank}=>{value}"));
    prop_oneof![
        list(inner).prop_map(|items| format!("[{items}]")),
        list(entry.boxed()).prop_map(|items| format!("{{{items}}}")),
        list(field.boxed()).prop_map(|items| format!("struct {{{items}}}")),
    ]
    .boxed()
}

fn called(inner: Source) -> Source {
    let func = select(vec!["f", "fmt.f ", "map", "collect . map", "$f", "$ a . f "]);
    let lambda = (params(), returns(), braced(inner.clone()))
        .prop_map(|(params, returns, body)| format!("func {params}{returns}{body}"));
    prop_oneof![
        (func, list(inner.clone())).prop_map(|(func, args)| format!("{func}({args})")),
        lambda.clone(),
        (lambda, list(inner)).prop_map(|(lambda, args)| format!("{lambda}({args})")),
    ]
    .boxed()
}

fn joined(inner: Source) -> Source {
    let loose = select(vec!["+", " - ", "*", " / ", " and ", "  or ", "<|>"]);
    // Comparisons do not chain, so each is in its own parentheses.
    let compare = select(vec!["==", "!=", " <", ">", "<=", ">= ", " in "]);
    prop_oneof![
        (inner.clone(), loose, inner.clone()).prop_map(|(a, op, b)| format!("{a}{op}{b}")),
        (inner.clone(), compare, inner.clone()).prop_map(|(a, op, b)| format!("(({a}){op}({b}))")),
        inner.prop_map(|a| format!("not {a}")),
    ]
    .boxed()
}

fn looked_up(inner: Source) -> Source {
    prop_oneof![
        (inner.clone(), inner.clone()).prop_map(|(value, index)| format!("{value} [ {index}]")),
        inner.clone().prop_map(|value| format!("{value} -> f")),
        (inner.clone(), inner).prop_map(|(value, default)| format!("{value}->f <|>{default}")),
    ]
    .boxed()
}

/// `Kind["name"]`
fn half() -> Source {
    let kind = select(vec!["File", "Http : Server", "Exec2"]);
    (kind, expr()).prop_map(|(kind, name)| format!("{kind} [{name}]")).boxed()
}

fn item() -> Source {
    let condition = || optional(expr().prop_map(|c| format!("{c} ?:")).boxed());
    let field = select(vec!["mode", "Meta:noop", "Meta : retry"]);
    let relation = select(vec!["Before", "Depend", "Notify", "Listen"]);
    let meta = prop_oneof![list(expr().prop_map(|value| format!("noop=>{value}")).boxed())];
    prop_oneof![
        (field, condition(), expr()).prop_map(|(field, c, value)| format!("{field}=>{c}{value} ,")),
        (relation, condition(), half()).prop_map(|(relation, c, half)| format!("{relation} => {c}{half},")),
        (condition(), meta).prop_map(|(c, fields)| format!("Meta =>{c} struct{{{fields}}},")),
    ]
    .boxed()
}

/// `kind name { items }`
fn resource() -> Source {
    let end = optional(line_end());
    let items = (end.clone(), vec((item(), end), 0..3))
        .prop_map(|(first, items)| items.into_iter().fold(first, |text, (item, end)| text + &item + &end));
    let kind = select(vec!["file", "http : server", "a:b:c"]);
    (kind, expr(), items).prop_map(|(kind, name, items)| format!("{kind} {name} {{{items}}}")).boxed()
}

/// A statement without statements in it.
fn line() -> Source {
    let noted = select(vec![
        "bool=true",
        "  int = -3",
        "float=1.0",
        "str=\"a\"",
        "[]int=[]",
        "map{str:int}={}",
        "struct{name int}=struct{name=>1}",
    ]);
    let alias = optional(Just("as  c".to_string()).boxed());
    let import = select(vec!["import \"a\"as*", "import  \"a/b\"", "import \"x.mcl\" as  y"]);
    prop_oneof![
        expr().prop_map(|value| format!("$x={value}")),
        noted.prop_map(|noted| format!("$map {noted}")),
        // An annotation that contradicts its literal is a syntax error; a call has any type.
        (ty(), expr()).prop_map(|(ty, value)| format!("$x {ty}=f({value})")),
        resource(),
        resource().prop_map(|resource| format!("collect  {resource}")),
        (optional(list(expr()).prop_map(|args| format!("({args})")).boxed()), alias)
            .prop_map(|(args, alias)| format!("include a . b {args}{alias}")),
        list(expr()).prop_map(|args| format!("panic({args})")),
        (params(), returns(), braced(expr()))
            .prop_map(|(params, returns, body)| format!("func f{params}{returns}{body}")),
        vec(half(), 1..4).prop_map(|halves| halves.join("->")),
        (half(), half()).prop_map(|(from, to)| format!("{from}.a->{to} . b")),
        import.prop_map(String::from),
    ]
    .boxed()
}

fn stmt() -> Source {
    line()
        .prop_recursive(3, 16, 4, |inner| {
            let block = (line_end(), vec((inner, line_end()), 0..4))
                .prop_map(|(first, stmts)| stmts.into_iter().fold(first, |text, (stmt, end)| text + &stmt + &end));
            let block = prop_oneof![1 => blank(), 4 => block].prop_map(|body| format!("{{{body}}}")).boxed();
            let loops = select(vec!["for  $i , $v", "forkv $k,$map"]);
            let class = select(vec!["class  c", "class a : b:c"]);
            prop_oneof![
                (expr(), block.clone()).prop_map(|(c, a)| format!("if {c}{a}")),
                (expr(), block.clone(), block.clone()).prop_map(|(c, a, b)| format!("if({c}) {a}else  {b}")),
                (loops, expr(), block.clone()).prop_map(|(names, all, body)| format!("{names} in {all}{body}")),
                (class, optional(params()), block).prop_map(|(class, params, body)| format!("{class}{params} {body}")),
            ]
        })
        .boxed()
}
