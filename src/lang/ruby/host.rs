//! What Ruby needs of the language around it: variables, functions, and values that only that language knows.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::run::{Heap, Ran, Ruby, Used};
use crate::lang::Budget;

/// The language whose templates and functions are written in Ruby. It makes values in the heap and reads them there.
pub trait Host {
    /// A variable by its full or simple name; nothing where there is none.
    fn variable(&mut self, heap: &mut Heap, name: &str) -> Ran<Option<Ruby>>;

    /// Sets a variable of the scope; `Err` inside where the host refuses it.
    fn set_variable(&mut self, heap: &mut Heap, line: u32, name: &str, value: &Ruby) -> Ran<()>;

    /// Gives back what Ruby changed in place.
    fn give_back(&mut self, heap: &mut Heap) -> Ran<()>;

    /// The names of the variables that are visible, and whether each has a value.
    fn variables(&self) -> BTreeMap<String, bool>;

    /// Whether a variable has to exist.
    fn is_strict(&self) -> bool;

    /// The names of the classes of the program.
    fn classes(&self) -> Vec<String>;

    /// A template by its name: its name in messages, and its text.
    fn template(&self, name: &str) -> Option<(String, String)>;

    /// Calls a function of the language, `function_NAME` in its older form if there is one. What Ruby takes inside of
    /// that call is added to `used`.
    fn call(&mut self, heap: &mut Heap, line: u32, name: &str, args: &[Ruby], used: &mut Used) -> Ran;

    /// Fills the places of a format, such as `%5.2f`.
    fn format(&self, heap: &Heap, line: u32, format: &str, args: &[Ruby]) -> Ran<String>;

    /// A value as a document of YAML.
    fn yaml(&self, heap: &Heap, line: u32, value: &Ruby) -> Ran<String>;

    /// A value that messages do not show.
    fn sensitive(&self, heap: &Heap, line: u32, value: &Ruby) -> Ran;

    /// The value inside of a sensitive one; nothing where it is another value.
    fn unwrapped(&mut self, heap: &mut Heap, value: &dyn Foreign) -> Ran<Option<Ruby>>;

    /// The arguments of the function that is called.
    fn arguments(&mut self, heap: &mut Heap) -> Ran<Vec<Ruby>>;

    /// An attribute of the resource whose type runs; nil where it has no value.
    fn attribute(&mut self, heap: &mut Heap, line: u32, name: &str) -> Ran;

    /// Why an argument is not of a type, if so; `None` where the type cannot be read.
    fn mismatch(&mut self, at: usize, ty: &str) -> Option<Result<(), String>>;

    /// The function does not see the scope of its caller.
    fn leave_scope(&mut self);

    /// Takes the value of the function that was called.
    fn accept(&mut self, heap: &Heap, value: &Ruby) -> Ran<()>;

    /// Reports what is doubtful.
    fn warn(&mut self, text: String);

    /// Whether the compilation was stopped.
    fn is_stopped(&self) -> bool;

    /// What the Ruby around this call has used.
    fn used(&self) -> Used;

    /// Counts what a template or function has used.
    fn spend(&mut self, used: Used);

    /// What the compilation may still spend.
    fn budget(&self) -> Rc<Budget>;
}

/// A value of the host that Ruby only passes on.
pub trait Foreign: fmt::Debug {
    /// The value as `to_s` gives it.
    fn shown(&self) -> String;

    /// The name of its class in Ruby.
    fn class(&self) -> &'static str;

    fn is_equal(&self, other: &dyn Foreign) -> bool;

    fn as_any(&self) -> &dyn Any;
}
