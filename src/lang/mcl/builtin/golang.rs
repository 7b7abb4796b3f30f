//! `golang`: Go templates, and functions of Go's standard library.

mod format;
pub mod html;
pub mod math;
pub mod os;
pub mod path;
pub mod rand;
pub mod strconv;
pub mod strings;
mod template;

use super::{Function, Typing};

/// The functions of the module `golang`.
pub static FUNCTIONS: &[Function] = &[Function::new(
    "template",
    &["func(template str) str", "func(template str, vars ?1) str"],
    "Renders a Go text/template. In the template, struct fields start with a capital letter (`.Name`), map keys are \
    unchanged, and a missing key is an error. Functions on scalars or lists of strings can be called with underscores \
    instead of dots: `{{ golang_strings_join .Names \",\" }}`.",
    &[
        ("golang.template(\"Hello {{ .Name }}!\", struct{name => \"you\"})", "\"Hello you!\""),
        ("golang.template(\"{{ range . }}<{{ . }}>{{ end }}\", [1, 2])", "\"<1><2>\""),
    ],
    template::template,
)
.typed(Typing::Template)];
