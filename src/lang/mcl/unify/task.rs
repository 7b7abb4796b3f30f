//! Tasks that wait for a type: fields, indexes, operators, forms of functions.

use super::Solver;
use super::builtin::full_name;
use super::explain::Reason;
use super::term::{Term, Ty};
use crate::diag::{Code, Diagnostic, nearest};
use crate::lang::mcl::ast::{BinaryOp, ExprId, ExprKind};
use crate::lang::mcl::builtin::Function;
use crate::source::Span;

/// How many fields of a struct are listed.
const LISTED: usize = 12;

/// How many field names are searched for a suggestion.
const SUGGESTED: usize = 1_000;

/// A check that depends on a type.
#[derive(Clone, Debug)]
pub enum Task {
    /// `value->field`
    Field { expr: ExprId, value: Ty, result: Ty },
    /// `value->field <|> default`; the result is the default's type.
    FieldOr { expr: ExprId, value: Ty, result: Ty },
    /// `value[index]`
    Index { expr: ExprId, value: Ty, index: Ty, result: Ty },
    /// An operator that takes only some kinds.
    Operand { expr: ExprId, op: BinaryOp, ty: Ty },
    /// Keys of a map must be hashable.
    MapKey { expr: ExprId, key: Ty },
    /// `panic(x)`
    Panic { expr: ExprId, ty: Ty },
    /// The name of a `collect`: `[]str` or `[]struct{name str; host str}`.
    CollectName { expr: ExprId, ty: Ty },
    /// A built-in function that takes only some kinds.
    Kinds { expr: ExprId, function: &'static Function, ty: Ty },
}

impl Solver<'_> {
    /// Solves a task now, or lets it wait for its types.
    pub(super) fn attempt(&mut self, task: Task) {
        let missing = self.solve_task(&task);
        if !missing.is_empty() {
            self.terms.wait(&missing, self.tasks.len() as u32);
            self.tasks.push(Some(task));
        }
    }

    /// Solves the woken tasks.
    pub(super) fn solve_woken(&mut self) {
        if self.terms.woken.is_empty() {
            return;
        }
        // Woken tasks belong to no current instance.
        let instance = std::mem::take(&mut self.instance);
        while let Some(id) = self.terms.woken.pop() {
            self.terms.budget.note_steps(1);
            // Woken twice, by two of its variables.
            let Some(task) = self.tasks[id as usize].take() else { continue };
            let missing = self.solve_task(&task);
            if !missing.is_empty() {
                self.terms.wait(&missing, id);
                self.tasks[id as usize] = Some(task);
            }
        }
        self.instance = instance;
    }

    /// Solves a task; returns the variables that it waits for if it cannot yet.
    fn solve_task(&mut self, task: &Task) -> Vec<Ty> {
        match task {
            Task::Field { expr, value, result } => self.solve_field(*expr, *value, *result),
            Task::FieldOr { expr, value, result } => self.solve_field_or(*expr, *value, *result),
            Task::Index { expr, value, index, result } => self.solve_index(*expr, *value, *index, *result),
            Task::Operand { expr, op, ty } => self.solve_operand(*expr, *op, *ty),
            Task::MapKey { expr, key } => self.solve_key(*expr, *key),
            Task::Panic { expr, ty } => self.solve_panic(*expr, *ty),
            Task::CollectName { expr, ty } => self.solve_collect(*expr, *ty),
            Task::Kinds { expr, function, ty } => self.solve_kinds(*expr, function, *ty),
        }
    }

    fn solve_field(&mut self, expr: ExprId, value: Ty, result: Ty) -> Vec<Ty> {
        let ast = self.ast;
        let ExprKind::Field { field, value: inner } = &ast.exprs[expr].kind else { return vec![] };
        let span = ast.exprs[expr].span;
        match self.terms.term(value) {
            Term::Var => return vec![value],
            Term::Refused => self.give_up(result),
            Term::Struct { shape, at } => match self.terms.field(shape, at, &field.text) {
                Some(found) => {
                    self.demand(found, result, span, Reason::Found(&format!("`{}`", field.text)));
                }
                None => {
                    let names = self.terms.names(shape);
                    let mut diagnostic = Diagnostic::error(Code::UnknownField, span)
                        .label(format!("the struct has no field `{}`", field.text));
                    if let Some((place, text)) = self.whence(value) {
                        diagnostic = diagnostic.related(place, text);
                    }
                    diagnostic.help =
                        Some(match nearest(&field.text, names.iter().take(SUGGESTED).map(|n| n.as_str())) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => {
                                let listed: Vec<_> =
                                    names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
                                let more = if names.len() > LISTED { ", ..." } else { "" };
                                let how = format!("`->{} <|> default` sets a default for a missing field", field.text);
                                format!("its fields are {}{more}; {how}", listed.join(", "))
                            }
                        });
                    self.report(diagnostic);
                    self.give_up(result);
                }
            },
            _ => {
                let text = self.sources.text(ast.exprs[*inner].span).to_string();
                let help = match self.terms.term(value) {
                    Term::Map(..) => format!("for a map value use `{text}[\"{}\"]`", field.text),
                    Term::List(_) => format!("for one element of a list use `{text}[0]`, for all `iter.map`"),
                    _ => "it has no fields".to_string(),
                };
                self.not_a(value, "`->` needs a struct", (ast.exprs[*inner].span, span), help);
                self.give_up(result);
            }
        }
        vec![]
    }

    fn solve_field_or(&mut self, expr: ExprId, value: Ty, result: Ty) -> Vec<Ty> {
        let ast = self.ast;
        let ExprKind::FieldOr { field, value: inner, .. } = &ast.exprs[expr].kind else { return vec![] };
        let span = ast.exprs[expr].span;
        match self.terms.term(value) {
            Term::Var => return vec![value],
            Term::Refused => {}
            Term::Struct { shape, at } => {
                if let Some(found) = self.terms.field(shape, at, &field.text) {
                    self.demand(result, found, span, Reason::Default);
                }
            }
            _ => {
                let help = "for a map value use `$map[\"key\"]`, for a list element `$list[0]`";
                self.not_a(value, "`->` needs a struct", (ast.exprs[*inner].span, span), help);
            }
        }
        vec![]
    }

    fn solve_index(&mut self, expr: ExprId, value: Ty, index: Ty, result: Ty) -> Vec<Ty> {
        let ast = self.ast;
        let ExprKind::Index { value: inner, index: at } = &ast.exprs[expr].kind else { return vec![] };
        let span = ast.exprs[expr].span;
        match self.terms.term(value) {
            Term::Var => return vec![value],
            Term::Refused => self.give_up(result),
            Term::List(item) => {
                self.demand_plain(index, Term::Int, ast.exprs[*at].span, Reason::ListIndex);
                self.demand(item, result, span, Reason::Found("the element"));
            }
            Term::Map(key, item) => {
                self.demand(index, key, ast.exprs[*at].span, Reason::MapKey);
                self.demand(item, result, span, Reason::Found("the value"));
            }
            _ => {
                let text = self.sources.text(ast.exprs[*inner].span).to_string();
                let help = match (self.terms.term(value), &ast.exprs[ast.inner(*at)].kind) {
                    (Term::Struct { .. }, ExprKind::Str(field)) => {
                        format!("for a struct field use `{text}->{field}`")
                    }
                    (Term::Struct { .. }, _) => "for a struct field use its name: `$s->field`".to_string(),
                    (Term::Str, _) => "for part of a string use `strings.substr(text, from, to)`".to_string(),
                    _ => "it is a single value: remove the brackets".to_string(),
                };
                self.not_a(value, "`[...]` needs a list or a map", (ast.exprs[*inner].span, span), help);
                self.give_up(result);
            }
        }
        vec![]
    }

    fn solve_operand(&mut self, expr: ExprId, op: BinaryOp, ty: Ty) -> Vec<Ty> {
        let term = self.terms.term(ty);
        let (fits, takes) = match op {
            BinaryOp::Add => (matches!(term, Term::Str | Term::Int | Term::Float), "str, int and float"),
            BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Le
            | BinaryOp::Ge => (matches!(term, Term::Int | Term::Float), "int and float"),
            _ => (!matches!(term, Term::Func { .. }), "values, not functions"),
        };
        match term {
            Term::Var => return vec![ty],
            Term::Refused => {}
            _ if fits => {}
            _ => {
                let shown = self.a(ty);
                let span = self.ast.exprs[expr].span;
                let mut diagnostic = Diagnostic::error(Code::TypeMismatch, span)
                    .label(format!("`{}` works on {takes}, but gets {shown}", op.as_str()))
                    .help(operator_help(op, term.kind()));
                if let Some((place, text)) = self.whence(ty) {
                    diagnostic = diagnostic.related(place, text);
                }
                self.report(diagnostic);
            }
        }
        vec![]
    }

    fn solve_key(&mut self, expr: ExprId, key: Ty) -> Vec<Ty> {
        if let Some(variable) = self.terms.variable(key) {
            return vec![variable];
        }
        if !self.terms.is_hashable(key) {
            let shown = self.a(key);
            let mut diagnostic = Diagnostic::error(Code::InvalidMapKey, self.ast.exprs[expr].span)
                .label(format!("the keys of this map are each {shown}"))
                .help("a key must be bool, str, int, float, or a struct of these");
            if let Some((place, text)) = self.whence(key) {
                diagnostic = diagnostic.related(place, text);
            }
            self.report(diagnostic);
        }
        vec![]
    }

    fn solve_kinds(&mut self, expr: ExprId, function: &Function, ty: Ty) -> Vec<Ty> {
        let term = self.terms.term(ty);
        match term {
            Term::Var => return vec![ty],
            Term::Refused => {}
            _ if function.kinds.contains(&term.kind()) => {}
            _ => {
                let (name, kinds) = (full_name(function), function.kinds.join(" or "));
                let span = self.ast.exprs[expr].span;
                self.not_a(ty, &format!("`{name}` takes {kinds}"), (span, span), format!("see `workbench doc {name}`"));
            }
        }
        vec![]
    }

    fn solve_panic(&mut self, expr: ExprId, ty: Ty) -> Vec<Ty> {
        match self.terms.term(ty) {
            Term::Var => return vec![ty],
            Term::Bool | Term::Str | Term::Refused => {}
            _ => {
                let span = self.ast.exprs[expr].span;
                let help = "the program stops if the condition is true, or the string is not empty";
                self.not_a(ty, "`panic` takes a `bool` or a `str`", (span, span), help);
            }
        }
        vec![]
    }

    /// Gives up on a type, so that its uses are not refused as well.
    fn give_up(&mut self, result: Ty) {
        if self.terms.is_unknown(result) {
            let origin = self.terms.origin(result);
            let refused = self.terms.plain(Term::Refused, origin);
            // A variable takes anything.
            let _ = self.terms.unify(result, refused);
        }
    }

    fn not_a(&mut self, found: Ty, wanted: &str, (place, blame): (Span, Span), help: impl Into<String>) {
        let shown = self.a(found);
        let mut diagnostic =
            Diagnostic::error(Code::TypeMismatch, blame).label(format!("{wanted}, this is {shown}")).help(help);
        if let Some((from, text)) = self.whence(found)
            && from != blame
        {
            diagnostic = diagnostic.related(if from == place { place } else { from }, text);
        }
        self.report(diagnostic);
    }
}

/// The alternative to an operator that does not work on values of a kind.
fn operator_help(op: BinaryOp, found: &str) -> &'static str {
    match (op, found) {
        (_, "func") => "call the function",
        (BinaryOp::Add, "list") => "join lists with `list.concat` and `import \"list\"`",
        (BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge, "str") => {
            "strings can only be compared with `==` and `!=`"
        }
        (_, "list" | "map") => "use `len(...)` for its length",
        (_, "str") => "numbers have no quotes; convert a string with `convert.str_to_int(...)`",
        (_, "struct") => "use one of its fields: `$s->field`",
        _ => "compare it instead: `==`, `!=`",
    }
}
