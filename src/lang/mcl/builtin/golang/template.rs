//! Templates: values of the language go in, functions of the language can be called inside.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gotmpl::{MissingKey, Template, TemplateError, Value as Data};

use super::super::call::{Call, Cells, Failure};
use super::super::{FUNCTIONS, Function, Typing, limits};
use super::guard::{STEP, guarded};
use crate::lang::mcl::eval::Spot;
use crate::lang::mcl::value::Value;
use crate::world::{Read, ReadError, Sample, World};

/// How often a template may be started again because a function in it reads something new.
const READS: usize = 200;

/// How much one template may do: bytes of templates and data walked over.
const WORK: u64 = 1 << 28;

/// How many bytes functions in one template may take in.
const TEXT: u64 = 1 << 28;

/// Renders the template in the first argument with the value in the second.
pub fn template(call: &mut Call) -> Result<Value, Failure> {
    let source = call.str(0)?;
    let source = guarded(source).ok_or_else(|| Failure::fatal("the template is nested too deep"))?;
    let data = call.args.get(1).map_or(Ok(Data::Nil), to_data)?;
    // A turn of a loop or a call of a named template may walk over the whole template, so large ones get fewer.
    let steps = (WORK / (source.len() as u64 + 1)).clamp(1000, 1_000_000);
    let scene = Arc::new(Scene {
        steps: AtomicU64::new(steps),
        text: AtomicU64::new(TEXT),
        known: Mutex::default(),
        wanted: Mutex::default(),
        folder: call.folder.into(),
        root: call.root.into(),
    });
    let template = prepare(&source, steps, &scene).map_err(|error| failed(&error))?;
    for _ in 0..READS {
        let mut out = limits::Capped(String::new());
        let done = template.execute_fmt(&mut out, &data);
        let Some(wanted) = lock(&scene.wanted).take() else {
            return done.map(|()| Value::str(out.0)).map_err(|error| failed(&error));
        };
        // A function asked for what only this thread's world can tell: look, and render again.
        let sample = call.world.read(&wanted);
        if let Err(error @ ReadError::NotAllowed(_)) = sample {
            return Err(error.into());
        }
        lock(&scene.known).insert(wanted, sample);
    }
    Err(Failure::fatal("the template reads too many things"))
}

fn failed(error: &TemplateError) -> Failure {
    let text = error.to_string();
    let told = text.strip_prefix("template: ").unwrap_or(&text);
    match (told.strip_prefix("template:"), told.strip_prefix("execution error: ")) {
        (Some(placed), _) => Failure::fatal(format!("the template, at {placed}")),
        (None, plain) => Failure::fatal(format!("the template: {}", plain.unwrap_or(told))),
    }
}

fn prepare(source: &str, steps: u64, scene: &Arc<Scene>) -> Result<Template, TemplateError> {
    let mut template = Template::new("template").missing_key(MissingKey::Error).max_range_iters(steps);
    template = template.func("index", index);
    let counting = scene.clone();
    template = template.func(STEP, move |_| counting.step());
    for (name, function) in bounded() {
        let scene = scene.clone();
        template = template.func(name, move |args| scene.take_in(args).and_then(|()| function(args)));
    }
    for name in words(source) {
        if let Some(function) = callable(name) {
            let scene = scene.clone();
            template = template.func(name, move |args| call_inside(function, args, &scene));
        }
    }
    template.parse(source)
}

/// The names of functions that may stand in a template.
fn words(source: &str) -> impl Iterator<Item = &str> {
    source
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.contains('_') || *word == "concat")
}

/// The function that a name with underscores stands for, if its types are simple and it remembers nothing.
fn callable(name: &str) -> Option<&'static Function> {
    let spelled = |f: &Function| match f.module {
        "" => name == "concat" && f.name == "concat",
        "test" | "golang/math/rand" => false,
        module => name.strip_suffix(f.name).and_then(|rest| rest.strip_suffix('_')).is_some_and(|have| {
            have.len() == module.len()
                && have.bytes().zip(module.bytes()).all(|(a, b)| a == b || (a == b'_' && b == b'/'))
        }),
    };
    let simple = |f: &Function| {
        f.typing == Typing::Signature && f.signatures.len() == 1 && !f.signatures[0].contains(['?', '{'])
    };
    FUNCTIONS.iter().flat_map(|list| list.iter()).find(|f| spelled(f) && simple(f))
}

fn call_inside(function: &Function, args: &[Data], scene: &Scene) -> gotmpl::Result<Data> {
    let wrong = |failure: Failure| TemplateError::Exec(format!("{}: {}", function.name, failure.message));
    scene.take_in(args)?;
    let types = parameter_types(function.signatures[0]);
    if args.len() != types.len() {
        let name = function.name.to_owned();
        return Err(TemplateError::ArgCount { name, expected: types.len(), got: args.len() });
    }
    let args: Result<Vec<_>, _> = args.iter().zip(types).map(|(data, ty)| from_data(data, ty)).collect();
    let mut call = Call {
        args: &args.map_err(wrong)?,
        result: None,
        world: scene,
        spot: Spot::default(),
        folder: &scene.folder,
        root: &scene.root,
        apply: &mut |_, _| Err(Failure::fatal("a template cannot call function values")),
        cells: &mut Cells::default(),
        steps: &mut 100_000,
    };
    let value = (function.call)(&mut call).map_err(wrong)?;
    to_data(&value).map_err(wrong)
}

/// The types in `func(name type, name type) type`, which are simple ones.
fn parameter_types(signature: &str) -> Vec<&str> {
    let inner = signature.strip_prefix("func(").and_then(|rest| rest.split(')').next()).unwrap_or_default();
    inner.split(", ").filter_map(|parameter| parameter.split_once(' ')).map(|(_, ty)| ty).collect()
}

/// What functions inside of a template see: the world as far as it was asked already.
struct Scene {
    known: Mutex<BTreeMap<Read, Result<Sample, ReadError>>>,
    wanted: Mutex<Option<Read>>,
    folder: PathBuf,
    root: PathBuf,
    /// How many named templates may still be called.
    steps: AtomicU64,
    /// How many bytes functions may still take in.
    text: AtomicU64,
}

impl Scene {
    /// Counts a call of a named template; prints nothing.
    fn step(&self) -> gotmpl::Result<Data> {
        spend(&self.steps, 1)?;
        Ok(Data::String("".into()))
    }

    /// Counts what a function is given.
    fn take_in(&self, args: &[Data]) -> gotmpl::Result<()> {
        args.iter().try_for_each(|arg| spend(&self.text, size(arg)))
    }
}

fn spend(budget: &AtomicU64, cost: u64) -> gotmpl::Result<()> {
    let paid = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(cost));
    paid.map(drop).map_err(|_| TemplateError::Exec("the template does too much".into()))
}

/// About how many bytes a value has.
fn size(data: &Data) -> u64 {
    match data {
        Data::String(text) => text.len() as u64 + 1,
        Data::List(items) => items.iter().map(size).sum::<u64>() + 1,
        Data::Map(pairs) => pairs.iter().map(|(key, value)| key.len() as u64 + size(value)).sum::<u64>() + 1,
        _ => 8,
    }
}

impl World for Scene {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        if let Some(sample) = lock(&self.known).get(what) {
            return sample.clone();
        }
        lock(&self.wanted).get_or_insert_with(|| what.clone());
        Err(ReadError::Unknown("asked for the first time".into()))
    }
}

/// A panic elsewhere leaves these tables whole: they change by single steps.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function as templates call it.
type Inside = fn(&[Data]) -> gotmpl::Result<Data>;

/// Go's own functions that can make much from little.
fn bounded() -> [(&'static str, Inside); 6] {
    [
        ("html", |args| escaped(args, gotmpl::html_escape)),
        ("js", |args| escaped(args, gotmpl::js_escape)),
        ("print", |args| printed(args, "print")),
        ("printf", |args| printed(args, "printf")),
        ("println", |args| printed(args, "println")),
        ("urlquery", |args| escaped(args, gotmpl::url_encode)),
    ]
}

fn escaped(args: &[Data], escape: impl Fn(&str) -> String) -> gotmpl::Result<Data> {
    fit(args)?;
    let texts: Vec<_> = args.iter().map(ToString::to_string).collect();
    Ok(Data::String(escape(&texts.concat()).into()))
}

/// Leaves the printing to a template of its own, which has the plain functions.
fn printed(args: &[Data], function: &str) -> gotmpl::Result<Data> {
    fit(args)?;
    let mut source = format!("{{{{ {function}");
    for at in 0..args.len() {
        source.push_str(&format!(" (index . {at})"));
    }
    source.push_str(" }}");
    let mut out = limits::Capped(String::new());
    Template::new("print").parse(&source)?.execute_fmt(&mut out, &Data::List(args.into()))?;
    Ok(Data::String(out.0.into()))
}

/// Refuses arguments that are too long to be printed.
fn fit(args: &[Data]) -> gotmpl::Result<()> {
    let mut length = limits::Capped(String::new());
    let fits = args.iter().all(|arg| write!(length, "{arg}").is_ok()) && length.0.len() <= limits::TEXT / 8;
    fits.then_some(()).ok_or_else(|| TemplateError::Exec("the text is too long".into()))
}

/// As Go's, and so also by keys that are no text.
fn index(args: &[Data]) -> gotmpl::Result<Data> {
    let (first, keys) = args.split_first().ok_or_else(|| TemplateError::Exec("index needs a value".into()))?;
    keys.iter().try_fold(first.clone(), |value, key| match (&value, key) {
        (Data::Map(_), Data::Int(_) | Data::Float(_) | Data::Bool(_)) => {
            value.index(&Data::String(key.to_string().into()))
        }
        _ => value.index(key),
    })
}

/// A value as templates see it.
fn to_data(value: &Value) -> Result<Data, Failure> {
    Ok(match value {
        Value::Bool(value) => Data::Bool(*value),
        Value::Int(value) => Data::Int(*value),
        Value::Float(value) => Data::Float(*value),
        Value::Str(text) => Data::String((&**text).into()),
        Value::List(items) => Data::List(items.iter().map(to_data).collect::<Result<_, _>>()?),
        Value::Map(pairs) => {
            let pairs: Result<_, Failure> =
                pairs.iter().map(|(key, value)| Ok((key_text(key), to_data(value)?))).collect();
            Data::Map(Arc::new(pairs?))
        }
        Value::Struct(fields) => {
            let fields: Result<_, Failure> =
                fields.iter().map(|(name, value)| Ok((super::strings::title(name).into(), to_data(value)?))).collect();
            Data::Map(Arc::new(fields?))
        }
        Value::Func(_) => return Err(Failure::fatal("a function cannot be given to a template")),
    })
}

fn key_text(key: &Value) -> Arc<str> {
    match key {
        Value::Str(text) => (&**text).into(),
        other => other.to_string().into(),
    }
}

/// What a template gives to a function, as a value of a simple type.
fn from_data(data: &Data, ty: &str) -> Result<Value, Failure> {
    match (ty, data) {
        ("bool", Data::Bool(value)) => Ok(Value::Bool(*value)),
        ("int", Data::Int(value)) => Ok(Value::Int(*value)),
        ("float", Data::Float(value)) => Ok(Value::Float(*value)),
        // A number written in a template fits either.
        ("float", Data::Int(value)) => Ok(Value::Float(*value as f64)),
        ("str", Data::String(text)) => Ok(Value::str(&**text)),
        (list, Data::List(items)) if list.starts_with("[]") => {
            let items: Result<_, _> = items.iter().map(|item| from_data(item, &list[2..])).collect();
            Ok(Value::list(items?))
        }
        (ty, data) => Err(Failure::fatal(format!("wants {ty}, not {}", data.type_name()))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::call::{Call, Cells, Failure, fields};
    use super::{Spot, Value, template};
    use crate::world::{Memory, Read, Sample};

    fn render(source: &str, data: Option<Value>) -> Result<String, String> {
        let world = Memory::default().with(Read::Environment, Sample::Pairs([("A".into(), "1".into())].into()));
        let args: Vec<_> = std::iter::once(Value::str(source)).chain(data).collect();
        let mut call = Call {
            args: &args,
            result: None,
            world: &world,
            spot: Spot::default(),
            folder: Path::new("/"),
            root: Path::new("/"),
            apply: &mut |_, _| Err(Failure::fatal("")),
            cells: &mut Cells::default(),
            steps: &mut 100_000,
        };
        match template(&mut call) {
            Ok(Value::Str(text)) => Ok(text.to_string()),
            other => Err(other.map_err(|failure| failure.message).map(|value| value.to_string()).unwrap_or_else(|e| e)),
        }
    }

    #[test]
    fn values_go_in_and_functions_are_called() {
        let data = fields([
            ("name", Value::str("web")),
            ("list", Value::list(vec![Value::str("a"), Value::str("b")])),
            ("by_port", Value::Map(std::rc::Rc::new([(Value::Int(80), Value::Float(0.5))].into()))),
        ]);
        let source =
            "{{ .Name }} {{ golang_strings_join .List \",\" }} {{ index .By_port 80 }} {{ printf \"%03d\" 7 }}";
        assert_eq!(render(source, Some(data.clone())).as_deref(), Ok("web a,b 0.5 007"));
        assert_eq!(render("{{ sys_getenv \"A\" }}{{ sys_hasenv \"B\" }}", None).as_deref(), Ok("1false"));
        assert!(render("{{ .Missing }}", Some(data)).unwrap_err().contains("Missing"));
        assert!(render("{{ sys_getenv \"B\" }}", None).is_err());
        assert!(render("{{ golang_strings_join 1 2 }}", None).is_err());
        assert!(render("{{ iter_map 1 2 }}", None).is_err());
    }

    #[test]
    fn hostile_templates_end() {
        let doubling = format!("{{{{ $x := \"ab\" }}}}{}", "{{ $x = print $x $x }}".repeat(80));
        assert!(render(&doubling, None).is_err());
        let define = |n: usize| {
            format!("{{{{ define \"t{n}\" }}}}{}{{{{ end }}}}", format!("{{{{ template \"t{}\" }}}}", n + 1).repeat(2))
        };
        let growing: String = (0..60).map(define).collect();
        let growing = growing + "{{ define \"t60\" }}{{ end }}{{ template \"t0\" }}";
        assert!(render(&growing, None).unwrap_err().contains("too much"));
        let nested = "{{ range . }}{{ range $ }}{{ range $ }}{{ range $ }}{{ end }}{{ end }}{{ end }}{{ end }}";
        assert!(render(nested, Some(Value::list(vec![Value::Int(1); 1000]))).is_err());
        assert!(render(&format!("{}{}", "{{ if 1 }}".repeat(90), "{{ end }}".repeat(90)), None).is_ok());
        assert!(render(&format!("{{{{ {}1{} }}}}", "(".repeat(90), ")".repeat(90)), None).is_ok());
        assert!(render("{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}", None).is_err());
    }
}
