//! Type errors in words: the found and the wanted type, the reason, and their origins.

use rustc_hash::FxHashMap;

use super::remedy::remedy;
use super::term::{Clash, ClashKind, Origin, Term, Ty};
use super::{Site, Solver};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{BinaryOp, ExprId, ExprKind, StmtKind};
use crate::lang::mcl::builtin::functions;
use crate::lang::mcl::scope::CallTarget;
use crate::source::{Span, printable};

fn parameters(count: u32) -> String {
    match count {
        0 => "no parameters".into(),
        1 => "1 parameter".into(),
        _ => format!("{count} parameters"),
    }
}

/// The origin of a type that is not an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    Annotation,
    /// A parameter of a function, whose type its calls determine.
    Parameter,
    /// The index of a loop.
    Index,
    /// The subject of a loop.
    Loop,
    /// The construct here takes nothing else.
    Needed,
}

/// The origins of types, beside expressions; each is stored once.
#[derive(Default)]
pub struct Spots {
    list: Vec<(Span, Why)>,
    ids: FxHashMap<(Span, Why), u32>,
}

impl Spots {
    /// Returns the origin of a type at a place, for a reason; the same pair always gives the same origin.
    pub fn origin(&mut self, span: Span, why: Why) -> Origin {
        let id = *self.ids.entry((span, why)).or_insert_with(|| {
            self.list.push((span, why));
            self.list.len() as u32 - 1
        });
        Origin::Spot(id)
    }

    fn get(&self, id: u32) -> Option<(Span, Why)> {
        self.list.get(id as usize).copied()
    }
}

/// Why two types must be the same.
#[derive(Clone, Copy, Debug)]
pub enum Reason<'r> {
    Annotation,
    Returns,
    Condition,
    Branches,
    Element,
    Key,
    Value,
    Loop,
    LoopMap,
    ListIndex,
    MapKey,
    Default,
    Interpolated,
    Panic,
    Operands(BinaryOp),
    Logic(&'static str),
    In,
    /// The result of a lookup, in words, that is used as something else.
    Found(&'r str),
    Argument {
        function: &'r str,
        index: usize,
        name: &'r str,
        place: Span,
    },
    /// The value of a format's verb.
    Verb {
        verb: char,
        index: usize,
        place: Span,
    },
    /// A function in a variable, with its other call.
    Called(Span),
    Parameter {
        kind: &'r str,
        name: &'r str,
    },
    Meta(&'r str),
    MetaStruct,
    /// The name of a resource or of an edge's end.
    Name(ExprId),
    /// The same, if it is known to be text.
    NameText,
}

impl Solver<'_> {
    /// Reports a problem, once per place however many instances have it, with the origin of the instance.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        let Some(span) = diagnostic.span else { return self.diags.push(diagnostic) };
        if !self.reported.insert((diagnostic.code, span, diagnostic.label.clone())) {
            return;
        }
        if let Some((_, site)) = self.frames.started_by(self.instance) {
            let (place, text) = match site {
                Site::Call(call) => (self.ast.exprs[call].span, "in the function called here"),
                Site::Include(include) => (self.ast.stmts[include].span, "in the class included here"),
            };
            let near = |(other, _): &(Span, String)| place.contains(*other) || other.contains(place);
            if !place.contains(span) && !diagnostic.related.iter().any(near) {
                diagnostic = diagnostic.related(place, text);
            }
        }
        self.diags.push(diagnostic);
    }

    /// Unifies the found type with the wanted one, or reports the mismatch.
    pub(super) fn demand(&mut self, found: Ty, wanted: Ty, span: Span, reason: Reason) -> bool {
        match self.terms.unify(found, wanted) {
            Ok(()) => true,
            Err(clash) => {
                self.mismatch(found, wanted, clash, span, reason);
                false
            }
        }
    }

    /// [`Solver::demand`] for a type without parts.
    pub(super) fn demand_plain(&mut self, found: Ty, wanted: Term, span: Span, reason: Reason) -> bool {
        let term = self.terms.term(found);
        if matches!(term, Term::Refused) || std::mem::discriminant(&term) == std::mem::discriminant(&wanted) {
            return true;
        }
        let origin = self.spots.origin(span, Why::Needed);
        let wanted = self.terms.plain(wanted, origin);
        self.demand(found, wanted, span, reason)
    }

    pub(super) fn mismatch(&mut self, found: Ty, wanted: Ty, clash: Clash, span: Span, reason: Reason) {
        let (left, right) = (self.a(found), self.a(wanted));
        let code = if clash.why == ClashKind::Infinite { Code::InfiniteType } else { Code::TypeMismatch };
        let mut label = match clash.why {
            ClashKind::Infinite => "its type would contain itself".to_string(),
            _ => label(reason, &left, &right),
        };
        // If the whole types differ their parts are not mentioned, and no label is inside the place.
        let nested = !self.terms.are_same(found, clash.left) && !self.terms.are_same(found, clash.right);
        if nested && clash.why != ClashKind::Infinite {
            let (inner, other) = (self.a(clash.left), self.a(clash.right));
            label.push_str(&match clash.why {
                ClashKind::Params => "; the number of parameters differs".to_string(),
                _ => format!("; within it, {inner} meets {other}"),
            });
        }
        let mut diagnostic = Diagnostic::error(code, span).label(label);
        match reason {
            Reason::Argument { place, .. } | Reason::Verb { place, .. } => {
                let counts = self.params_of(found).zip(self.params_of(wanted)).filter(|(has, takes)| has != takes);
                let text = counts.map(|(has, takes)| format!("this function has {}, not {takes}", parameters(has)));
                diagnostic = diagnostic.related(place, text.unwrap_or_else(|| "this argument".into()));
            }
            Reason::Called(call) => diagnostic = diagnostic.related(call, "called here"),
            _ => {}
        }
        let names = self.variables_at(span, reason);
        for (ty, name) in [clash.left, clash.right].into_iter().zip(names) {
            if let Some((place, text)) = self.whence_of(ty, name.filter(|_| !nested).as_deref())
                && place != span
                && (nested || matches!(reason, Reason::Operands(_)) || !span.contains(place))
                && diagnostic.related.iter().all(|(other, _)| *other != place)
            {
                diagnostic = diagnostic.related(place, text);
            }
        }
        let kinds = (self.terms.term(found).kind(), self.terms.term(wanted).kind());
        diagnostic.help = match clash.why {
            ClashKind::Fields if matches!(reason, Reason::MetaStruct) => Some(
                "this form needs every meta parameter, in their order; one alone is set as in `Meta:noop => true,`"
                    .into(),
            ),
            ClashKind::Fields => Some("structs are equal if names, types and order of their fields are equal".into()),
            ClashKind::Infinite => Some("a function cannot be passed to itself".into()),
            _ => {
                let help = self.name_help(reason, kinds.0).or_else(|| self.function_help(reason, found, wanted, clash));
                Some(help.unwrap_or_else(|| remedy(reason, kinds)))
            }
        };
        let sides = [(clash.left, clash.right), (clash.right, clash.left)];
        if matches!(clash.why, ClashKind::Kind) && !matches!(reason, Reason::Called(_)) {
            for (ty, other) in sides {
                if let Some((argument, what)) = self.passed(ty, span) {
                    diagnostic = self.blame_argument(argument, what, (ty, other), diagnostic);
                    break;
                }
            }
        }
        self.report(diagnostic);
    }

    /// The argument of the `include` or call around a place that a type comes from. Another `include` or call with a value of
    /// the same kind says that the place is wrong, not the argument.
    fn passed(&mut self, ty: Ty, span: Span) -> Option<(ExprId, &'static str)> {
        let Origin::Expr(from) = self.terms.origin(ty) else { return None };
        let place = self.ast.exprs[from].span;
        let mut instance = self.instance;
        while let Some((outer, site)) = self.frames.started_by(instance) {
            let (around, args, what) = match site {
                Site::Include(include) => match &self.ast.stmts[include].kind {
                    StmtKind::Include { args, .. } => (self.ast.stmts[include].span, args, "class"),
                    _ => return None,
                },
                Site::Call(call) => match &self.ast.exprs[call].kind {
                    ExprKind::Call { args, .. } => (self.ast.exprs[call].span, args, "function"),
                    _ => return None,
                },
            };
            let at = args.iter().position(|arg| self.ast.exprs[*arg].span.contains(place));
            if let Some(at) = at.filter(|_| !around.contains(span)) {
                let kind = std::mem::discriminant(&self.ast.exprs[args[at]].kind);
                let is_like = |others: &[ExprId]| {
                    others.get(at).is_some_and(|other| {
                        *other != args[at] && std::mem::discriminant(&self.ast.exprs[*other].kind) == kind
                    })
                };
                let is_usual = match site {
                    Site::Include(include) => self.ast.stmts.iter().any(|(_, stmt)| {
                        let StmtKind::Include { class, args, .. } = &stmt.kind else { return false };
                        let own = &self.ast.stmts[include].kind;
                        matches!(own, StmtKind::Include { class: own, .. } if own.text == class.text) && is_like(args)
                    }),
                    Site::Call(call) => self.ast.exprs.iter().any(|(_, expr)| {
                        let ExprKind::Call { func, args } = &expr.kind else { return false };
                        let own = &self.ast.exprs[call].kind;
                        matches!(own, ExprKind::Call { func: own, .. } if own.text == func.text) && is_like(args)
                    }),
                };
                // A class that names the type of the parameter is wrong itself.
                return (!is_usual && !self.is_typed_parameter(span)).then_some((args[at], what));
            }
            instance = outer;
        }
        None
    }

    /// Whether a place is a parameter with a type, in the body of its class.
    fn is_typed_parameter(&self, span: Span) -> bool {
        let Some(name) = self.sources.text(span).trim().strip_prefix('$') else { return false };
        self.ast.stmts.iter().any(|(_, stmt)| match &stmt.kind {
            StmtKind::Class { params, .. } if stmt.span.contains(span) => {
                params.iter().any(|param| param.name.text == name && param.note.is_some())
            }
            _ => false,
        })
    }

    /// The same problem at the argument, with the place that does not take it beside it.
    fn blame_argument(
        &mut self,
        argument: ExprId,
        what: &str,
        (found, other): (Ty, Ty),
        inner: Diagnostic,
    ) -> Diagnostic {
        let span = self.ast.exprs[argument].span;
        let text = self.sources.text(span);
        let kinds = (self.terms.term(found).kind(), self.terms.term(other).kind());
        let (found, other) = (self.a(found), self.a(other));
        let ast = self.ast;
        let digits = text.trim_matches('"');
        let is_number = digits.parse::<i64>().is_ok_and(|number| number.to_string() == digits);
        let is_short = text.len() <= 40 && !text.contains('\n');
        let help = match (kinds, &ast.exprs[argument].kind) {
            (("str", "int"), ExprKind::Str(_)) if is_number => format!("write it without quotes: `{digits}`"),
            (("int" | "float" | "bool", "str"), ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_)) => {
                format!("write it in quotes: `\"{text}\"`")
            }
            (("int" | "float" | "bool", "str"), ExprKind::Var(var)) => {
                format!("convert it with `fmt.printf(\"%v\", ${})` and `import \"fmt\"`", var.text)
            }
            ((_, "list"), _) if is_short => format!("use brackets for a list of one: `[{text}]`"),
            ((_, "list"), _) => "use brackets for a list of one: `[...]`".into(),
            _ => format!("pass {other}, or change its use in the {what}"),
        };
        let label = format!("this is {found}, but the {what} uses it as {other}");
        let mut diagnostic = Diagnostic::error(inner.code, span).label(label).help(help);
        if let Some(place) = inner.span {
            diagnostic = diagnostic.related(place, inner.label.clone());
        }
        diagnostic
    }

    /// How to write a name that is one text, but not in quotes.
    fn name_help(&self, reason: Reason, found: &str) -> Option<String> {
        let Reason::Name(name) = reason else { return None };
        let text = self.sources.text(self.ast.exprs[name].span);
        match &self.ast.exprs[name].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) => Some(format!("use quotes: `\"{text}\"`")),
            _ if found != "str" => None,
            ExprKind::Var(var) => Some(format!("write `\"${{{}}}\"` or `[${}]`", var.text, var.text)),
            _ if text.len() <= 40 && !text.contains('\n') => Some(format!("write `[{text}]`")),
            _ => Some("use brackets, for a list of one name".into()),
        }
    }

    /// How to write a function that another one calls.
    fn function_help(&mut self, reason: Reason, found: Ty, wanted: Ty, clash: Clash) -> Option<String> {
        let Reason::Argument { function, .. } = reason else { return None };
        let Term::Func { at, params } = self.terms.term(wanted) else { return None };
        let (one, other) = (self.terms.term(clash.left).kind(), self.terms.term(clash.right).kind());
        if self.params_of(found) == Some(params) && one != other {
            let verb = |kind: &str| match kind {
                "int" => "%d",
                "float" => "%f",
                "bool" => "%t",
                _ => "%v",
            };
            let plain = if one == "str" { other } else { one };
            if one == "str" || other == "str" {
                return Some(format!(
                    "inside of the function {} `{plain}` is used as a `str`, or the other way round: convert it with \
                     `fmt.printf(\"{}\", …)` and `import \"fmt\"`",
                    if plain == "int" { "an" } else { "a" },
                    verb(plain)
                ));
            }
        }
        let result = self.terms.part(at, params);
        let gives =
            if self.terms.is_unknown(result) { String::new() } else { format!(" that returns {}", self.a(result)) };
        let names = ["$x", "$y", "$z"].get(..params as usize).map_or("...".into(), |names| names.join(", "));
        let function = printable(function);
        let example = functions().iter().find(|known| known.full_name() == function.to_string());
        let example = example.and_then(|known| known.examples.first());
        let example = example.map_or(String::new(), |(call, _)| format!(", as in `{call}`"));
        Some(format!(
            "`{function}` calls a function of {}{gives}: `func({names}) {{ ... }}`{example}",
            parameters(params)
        ))
    }

    fn params_of(&mut self, ty: Ty) -> Option<u32> {
        match self.terms.term(ty) {
            Term::Func { params, .. } => Some(params),
            _ => None,
        }
    }

    /// The variables whose types meet at a place, if only variables do.
    fn variables_at(&self, span: Span, reason: Reason) -> [Option<String>; 2] {
        let text = self.sources.text(span);
        let variable = |text: &str| {
            let text = text.trim();
            let name = text.strip_prefix('$')?;
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
            (!name.is_empty() && name.chars().all(is_name)).then(|| text.to_string())
        };
        match reason {
            Reason::Operands(op) => match text.split_once(op.as_str()) {
                Some((left, right)) => [variable(left), variable(right)],
                None => [None, None],
            },
            Reason::Argument { place, .. } | Reason::Verb { place, .. } => [variable(self.sources.text(place)), None],
            Reason::Parameter { .. } | Reason::Meta(_) => {
                [text.split_once("=>").and_then(|(_, value)| variable(value)), None]
            }
            _ => [variable(text), None],
        }
    }

    /// [`Solver::whence`] for a variable of the type.
    fn whence_of(&mut self, ty: Ty, variable: Option<&str>) -> Option<(Span, String)> {
        let (place, text) = self.whence(ty)?;
        match (variable, self.terms.origin(ty)) {
            (Some(name), Origin::Expr(expr)) if self.sources.text(self.ast.exprs[expr].span) != name => {
                let shown = self.a(ty);
                Some((place, format!("this makes `{name}` {shown}")))
            }
            _ => Some((place, text)),
        }
    }

    /// The origin of a type, in words; `None` for an unknown one.
    pub(super) fn whence(&mut self, ty: Ty) -> Option<(Span, String)> {
        if matches!(self.terms.term(ty), Term::Var | Term::Refused) {
            return None;
        }
        let shown = self.a(ty);
        match self.terms.origin(ty) {
            Origin::Expr(expr) => Some((self.ast.exprs[expr].span, format!("{shown} comes from here"))),
            Origin::Spot(id) => {
                let (span, why) = self.spots.get(id)?;
                let text = match why {
                    Why::Annotation => format!("this annotation is `{}`", self.terms.show(ty)),
                    Why::Parameter => format!("this parameter is {shown}"),
                    Why::Index => "the index of a loop is an `int`".to_string(),
                    Why::Loop => format!("the loop needs {shown}"),
                    Why::Needed => format!("this must be {shown}"),
                };
                Some((span, text))
            }
        }
    }

    /// A type with its article: "an `int`".
    pub(super) fn a(&mut self, ty: Ty) -> String {
        let shown = self.terms.show(ty);
        let article = if shown == "int" { "an" } else { "a" };
        match shown.as_str() {
            "_" => "an unknown type".to_string(),
            _ => format!("{article} `{shown}`"),
        }
    }

    /// A call or definition with a wrong number of parts; `how` shows a right one.
    pub(super) fn wrong_count(&mut self, span: Span, name: &str, takes: &str, found: usize, how: &str) {
        let label = format!("`{name}` takes {takes}, but gets {found}");
        self.report(Diagnostic::error(Code::ArgumentCount, span).label(label).help(how));
    }

    /// A type with a part that nothing in the program determines.
    pub(super) fn ambiguous(&mut self, expr: ExprId, ty: Ty, variable: Ty) {
        let ast = self.ast;
        // `_` marks the unknown part; an example needs something in its place.
        let example = |shown: &str| format!("add a type, as in `$name {} = ...`", shown.replace('_', "str"));
        let nothing = "its type is ambiguous";
        let (span, label, help) = match self.terms.origin(variable) {
            Origin::Spot(id) => match self.spots.get(id) {
                Some((span, Why::Parameter)) => {
                    let name = self.sources.text(span).trim();
                    let help = format!("add a type, as in `{name} str`, or remove the parameter if it is unused");
                    (span, "the type of this parameter is ambiguous", help)
                }
                Some((span, _)) => (span, nothing, String::new()),
                None => (ast.exprs[expr].span, nothing, String::new()),
            },
            Origin::Expr(from) => match &ast.exprs[from].kind {
                ExprKind::List(_) => {
                    (ast.exprs[from].span, "the element type of this list is ambiguous", example("[]_"))
                }
                ExprKind::Map(_) => {
                    (ast.exprs[from].span, "the value type of this map is ambiguous", example("map{_: _}"))
                }
                _ => {
                    // Some functions only return values of some kinds.
                    let kind = match self.scopes.calls.get(from) {
                        Some(CallTarget::Builtin(function)) => function.kinds.first().copied(),
                        _ => None,
                    };
                    let shown = self.terms.show(ty).replace('_', kind.unwrap_or("str"));
                    (ast.exprs[expr].span, nothing, example(&shown))
                }
            },
        };
        let mut diagnostic = Diagnostic::error(Code::AmbiguousType, span).label(label);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }
}

/// The found and the wanted type.
fn label(reason: Reason, found: &str, wanted: &str) -> String {
    match reason {
        Reason::Annotation => format!("this is {found}, but the annotation says {wanted}"),
        Reason::Returns => format!("this is {found}, but the function returns {wanted}"),
        Reason::Condition => format!("a condition must be a `bool`, this is {found}"),
        Reason::Branches => format!("this is {found}, but the other branch is {wanted}"),
        Reason::Element => format!("this is {found}, but the elements before it are each {wanted}"),
        Reason::Key => format!("this key is {found}, but the keys before it are each {wanted}"),
        Reason::Value => format!("this value is {found}, but the values before it are each {wanted}"),
        Reason::Loop => format!("`for` needs a list, this is {found}"),
        Reason::LoopMap => format!("`forkv` needs a map, this is {found}"),
        Reason::ListIndex => format!("the index of a list is an `int`, this is {found}"),
        Reason::MapKey => format!("this is {found}, but the keys of the map are each {wanted}"),
        Reason::Default => format!("this default is {found}, but the value before it is {wanted}"),
        Reason::Interpolated => format!("only a `str` can be inserted in a string, not {found}"),
        Reason::Panic => format!("`panic` does not take {found} here"),
        Reason::Operands(op) => {
            format!("`{}` needs the same type on both sides: {found} and {wanted} differ", op.as_str())
        }
        Reason::Logic(op) => format!("`{op}` needs a `bool`, this is {found}"),
        Reason::In => format!("`in` needs an element and a list of its type: {wanted} and {found} differ"),
        Reason::Found(what) => format!("{what} is {found}, but it is used as {wanted}"),
        Reason::Argument { function, index, name, .. } => {
            let named = if name.is_empty() { String::new() } else { format!(" (`{name}`)") };
            format!("argument {}{named} of `{function}` must be {wanted}, this is {found}", index + 1)
        }
        Reason::Verb { verb, index, .. } => {
            format!("`%{verb}` shows {wanted}, but argument {index} after it is {found}")
        }
        Reason::Called(_) => format!("this is {found}, but it is called as {wanted}"),
        Reason::Parameter { kind, name } => format!("`{name}` of `{kind}` is {wanted}, this is {found}"),
        Reason::Meta(name) => format!("`Meta:{name}` is {wanted}, this is {found}"),
        Reason::MetaStruct => format!("`Meta` takes a struct of all meta parameters, this is {found}"),
        Reason::Name(_) => format!("a name that is not text in quotes must be {wanted}, this is {found}"),
        Reason::NameText => format!("this name must be one `str`, it is {found}"),
    }
}
