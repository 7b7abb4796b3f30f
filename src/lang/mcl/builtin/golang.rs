//! `golang`: templates of Go's kind; below it, functions of Go's standard library.

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

pub static FUNCTIONS: &[Function] = &[Function::new(
    "golang",
    "template",
    &["func(template str) str", "func(template str, vars ?1) str"],
    "Text from a template of Go's text/template. Fields of a struct begin with a capital letter in it (`.Name`), keys of \
     a map are as they are, and a missing one is an error. Functions that take and give scalars or lists of text can be \
     called with underscores for dots: `{{ golang_strings_join .Names \",\" }}`.",
    &[
        ("golang.template(\"Hello {{ .Name }}!\", struct{name => \"you\"})", "\"Hello you!\""),
        ("golang.template(\"{{ range . }}<{{ . }}>{{ end }}\", [1, 2])", "\"<1><2>\""),
    ],
    template::template,
)
.typed(Typing::Template)];
