//! `golang.template`: Go's text/template over values of the language.
//!
//! A text becomes tokens (`lexer`), a tree (`parser`) and, with its values (`data`), text again (`run`). Every step and
//! every text counts against the budget of the evaluation, and nesting is limited, so that no template can hang or
//! overflow the stack. Missing keys are errors, as in the reference. There are no methods: no value has any.

mod data;
mod functions;
mod lexer;
mod parser;
mod run;

use super::super::call::{Call, Failure};
use crate::lang::Budget;
use crate::lang::mcl::value::Value;

pub use data::{Data, Width};

/// The evaluation steps that one step in a template costs.
const STEP: u64 = 8;

/// Renders the template in the first argument with the value in the second.
pub fn template(call: &mut Call) -> Result<Value, Failure> {
    let source = call.str(0)?;
    let failed = |problem: lexer::Problem| Failure::fatal(located(source, &problem));
    let tree = parser::parse(source).map_err(failed)?;
    let data = match call.args.get(1) {
        Some(value) => Data::of(value, &mut |parts| pay(call.budget, parts))?,
        None => Data::Nil,
    };
    run::run(&tree, data, call).map(Value::str).map_err(failed)
}

fn pay(budget: &Budget, count: u64) -> Result<(), Failure> {
    let too_many = |_| Failure { spent: true, ..Failure::fatal("the template takes too many steps") };
    budget.spend(count.saturating_mul(STEP)).map_err(too_many)
}

/// A problem with its line and column.
fn located(source: &str, problem: &lexer::Problem) -> String {
    let before = source.get(..problem.at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("the template, at {line}:{column}: {}", problem.message)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::super::call::{Call, Cells, Failure, fields};
    use super::template;
    use crate::lang::Budget;
    use crate::lang::mcl::eval::Spot;
    use crate::lang::mcl::value::Value;
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
            budget: &Budget::new(1_000_000, 1 << 24),
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
        assert!(render(&growing, None).unwrap_err().contains("too many steps"));
        let nested = "{{ range . }}{{ range $ }}{{ range $ }}{{ range $ }}{{ end }}{{ end }}{{ end }}{{ end }}";
        assert!(render(nested, Some(Value::list(vec![Value::Int(1); 1000]))).is_err());
        assert!(render(&format!("{}{}", "{{ if 1 }}".repeat(90), "{{ end }}".repeat(90)), None).is_ok());
        assert!(render(&format!("{}{}", "{{ if 1 }}".repeat(110), "{{ end }}".repeat(110)), None).is_err());
        assert!(render(&format!("{{{{ {}1{} }}}}", "(".repeat(90), ")".repeat(90)), None).is_ok());
        assert!(render("{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}", None).is_err());
    }
}
