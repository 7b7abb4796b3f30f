//! Suggestions for an unknown name, and how to get it.

use smol_str::SmolStr;

use super::{Here, Resolver};
use crate::diag::{Code, Diagnostic, nearest};
use crate::lang::mcl::ast::{BlockId, Dotted, ExprId, ExprKind, StmtKind};
use crate::lang::mcl::builtin;
use crate::lang::mcl::scope::ScopeId;
use crate::lang::mcl::scope::names::{Alias, Namespace};
use crate::resource::schema;
use crate::source::Span;

/// For how many unknown names of a file suggestions are searched.
const SUGGESTIONS: usize = 100;

/// A suggestion, with a place that shows it.
struct Suggestion {
    help: String,
    place: Option<(Span, String)>,
}

impl From<String> for Suggestion {
    fn from(help: String) -> Self {
        Self { help, place: None }
    }
}

impl Resolver<'_> {
    /// Reports an unknown name, with a suggestion.
    pub(super) fn unknown(&mut self, here: Here, mut diagnostic: Diagnostic, name: &Dotted, space: Namespace) {
        // Limited, because each search compares all names.
        let is_looked_for = self.units[here.unit].late.len() < SUGGESTIONS;
        let meant = is_looked_for.then(|| self.suggest(here, &name.text, space)).flatten();
        let meant = meant.unwrap_or_else(|| {
            let help = how_to_have(&name.text, space);
            let near = if is_looked_for { self.nearby(here.scope, space) } else { Vec::new() };
            let near: Vec<String> = near.iter().map(|name| format!("`${name}`")).collect();
            match near.is_empty() || name.text.contains('.') {
                true => help.into(),
                false => format!("{help}; this block has {}", near.join(", ")).into(),
            }
        });
        diagnostic = diagnostic.help(meant.help);
        diagnostic.related.extend(meant.place);
        self.units[here.unit].late.push(diagnostic);
    }

    fn suggest(&mut self, here: Here, name: &str, space: Namespace) -> Option<Suggestion> {
        if let Some((head, rest)) = name.split_once('.') {
            return self.suggest_below(here, head, rest, space);
        }
        self.in_other_namespace(here, name, space)
            .or_else(|| self.in_other_place(here, name, space))
            .or_else(|| self.near_in_scope(here.scope, name, space).map(Suggestion::from))
            .or_else(|| self.in_module(here.scope, name, space).map(Suggestion::from))
    }

    /// The name exists, but as something else.
    fn in_other_namespace(&mut self, here: Here, name: &str, space: Namespace) -> Option<Suggestion> {
        let mut is = |space| self.find(here.scope, name, space).is_some();
        let help = match space {
            Namespace::Variable if is(Namespace::Function) => {
                format!("`{name}` is a function: call it without the dollar sign, `{name}(...)`")
            }
            Namespace::Function if is(Namespace::Variable) => {
                format!("`${name}` is a variable: call it with the dollar sign, `${name}(...)`")
            }
            Namespace::Function if is(Namespace::Class) => {
                format!("`{name}` is a class, not a value: use `include {name}(...)`")
            }
            Namespace::Function if schema(name).is_some() => {
                format!("`{name}` is a resource kind, not a value: `{name} \"...\" {{ ... }}`")
            }
            Namespace::Class if is(Namespace::Function) => {
                format!("`{name}` is a function: call it, `$value = {name}(...)`")
            }
            Namespace::Class if schema(name).is_some() => {
                format!("`{name}` is a resource kind: declare `{name} \"...\" {{ ... }}`")
            }
            _ => return None,
        };
        Some(help.into())
    }

    /// The name exists, but in a block, class or file that is not visible from here.
    fn in_other_place(&self, here: Here, name: &str, space: Namespace) -> Option<Suggestion> {
        let defines = |stmt: &StmtKind| match (space, stmt) {
            (Namespace::Variable, StmtKind::Bind { name: there, .. })
            | (Namespace::Function, StmtKind::Func { name: there, .. }) => (there.text == name).then_some(there.span),
            (Namespace::Class, StmtKind::Class { path, .. }) => {
                path.first().filter(|there| there.text == name).map(|there| there.span)
            }
            _ => None,
        };
        let ast = &self.files.ast;
        let (stmt, place) = ast.stmts.iter().find_map(|(id, stmt)| Some((id, defines(&stmt.kind)?)))?;
        let block = ast.blocks.iter().find_map(|(id, block)| block.stmts.contains(&stmt).then_some(id))?;
        let sigil = sigil(space);
        let help = match self.block_of(block) {
            Around::File(file) => {
                let alias = self.alias_of_file(here.scope, file)?;
                match alias {
                    Some(alias) => under_its_name(&alias, "it is in an imported file", name, space),
                    None => "it is in a file that this one does not import".to_string(),
                }
            }
            Around::Class(class) => {
                let how = match space {
                    Namespace::Class => format!("then `include x.{name}`"),
                    _ => format!("then use `{sigil}x.{name}`"),
                };
                match self.included_as(&class).filter(|_| space == Namespace::Variable) {
                    Some(alias) => {
                        format!("it is inside class `{class}`, which is included as `{alias}`: `${alias}.{name}`")
                    }
                    None => format!("it is inside class `{class}`: `include {class} as x`, {how}"),
                }
            }
            Around::Branch if space == Namespace::Variable => {
                format!("definitions are local to their block; use `${name} = if ... {{ ... }} else {{ ... }}`")
            }
            Around::Branch => "definitions are local to their block: define it outside".to_string(),
        };
        Some(Suggestion { help, place: Some((place, "it is defined here".to_string())) })
    }

    /// The first alias under which a class of this name is included.
    fn included_as(&self, class: &str) -> Option<&str> {
        let includes = self.files.ast.stmts.iter().filter_map(|(_, stmt)| match &stmt.kind {
            StmtKind::Include { class: name, alias: Some(alias), .. } => Some((name, alias)),
            _ => None,
        });
        let mut named = includes.filter(|(name, _)| name.text.rsplit('.').next() == Some(class));
        named.next().map(|(_, alias)| alias.text.as_str())
    }

    /// The owner of a block.
    fn block_of(&self, block: BlockId) -> Around {
        if let Some(file) = self.files.loaded.iter().position(|file| file.tree.body == block) {
            return Around::File(file);
        }
        let class = self.files.ast.stmts.iter().find_map(|(_, stmt)| match &stmt.kind {
            StmtKind::Class { body, path, .. } if *body == block => path.last().map(|name| name.text.clone()),
            _ => None,
        });
        class.map_or(Around::Branch, Around::Class)
    }

    /// The name by which a scope reaches a file; `None` inside if there is none, `None` for the file itself.
    fn alias_of_file(&self, scope: ScopeId, file: usize) -> Option<Option<SmolStr>> {
        let body = self.files.loaded[file].tree.body;
        let wanted = *self.scopes.of_block.get(body)?;
        if self.chain(scope).any(|scope| scope == wanted) {
            return None;
        }
        let aliases = self.chain(scope).filter_map(|scope| self.names.get(scope)).flat_map(|names| names.aliases());
        let mut found: Vec<_> = aliases
            .filter(|(_, alias)| matches!(alias, Alias::File { scope, .. } if *scope == wanted))
            .map(|(name, _)| name.clone())
            .collect();
        found.sort_unstable();
        Some(found.into_iter().next())
    }

    /// A scope and those around it.
    fn chain(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |scope| self.scopes.scopes[*scope].parent)
    }

    /// The few variables of the innermost block that has any, below that of the file.
    fn nearby(&self, scope: ScopeId, space: Namespace) -> Vec<&SmolStr> {
        const MOST: usize = 6;
        if space != Namespace::Variable {
            return Vec::new();
        }
        let inner = self.chain(scope).take_while(|scope| self.scopes.scopes[*scope].parent.is_some());
        let mut names: Vec<&SmolStr> = inner
            .filter_map(|scope| self.names.get(scope))
            .map(|names| names.names(space).collect::<Vec<_>>())
            .find(|names| !names.is_empty())
            .unwrap_or_default();
        names.sort_unstable();
        names.truncate(MOST);
        names
    }

    fn near_in_scope(&self, scope: ScopeId, name: &str, space: Namespace) -> Option<String> {
        let names = self.chain(scope).filter_map(|scope| self.names.get(scope));
        let mut candidates: Vec<&str> = names.flat_map(move |names| names.names(space)).map(SmolStr::as_str).collect();
        candidates.sort_unstable();
        match space {
            Namespace::Function => builtin::names_in("").for_each(|name| candidates.push(name)),
            Namespace::Variable => builtin::VARIABLES.iter().for_each(|variable| candidates.push(variable.name)),
            Namespace::Class => {}
        }
        nearest(name, candidates).map(|near| format!("did you mean `{}{near}`?", sigil(space)))
    }

    /// A function of a module, called without the module's name.
    fn in_module(&self, scope: ScopeId, name: &str, space: Namespace) -> Option<String> {
        if space != Namespace::Function {
            return None;
        }
        let mut modules: Vec<_> =
            builtin::modules().filter(|module| builtin::function(module, name).is_some()).collect();
        // The language's own come before those of Go.
        modules.sort_by_key(|module| (module.starts_with("golang/"), *module));
        let imported = modules.iter().find_map(|module| Some((module, self.alias_of_module(scope, module)?)));
        if let Some((_, alias)) = imported {
            return Some(format!("did you mean `{alias}.{name}`?"));
        }
        let module = modules.first().filter(|module| !module.is_empty())?;
        Some(format!("it is in module `{module}`: `import \"{module}\"`, then call `{}.{name}`", last_part(module)))
    }

    /// The name by which a scope reaches a module of built-in functions.
    fn alias_of_module(&self, scope: ScopeId, module: &str) -> Option<SmolStr> {
        let aliases = self.chain(scope).filter_map(|scope| self.names.get(scope)).flat_map(|names| names.aliases());
        let mut found: Vec<_> = aliases
            .filter(|(_, alias)| matches!(alias, Alias::System { module: there, .. } if there == module))
            .map(|(name, _)| name.clone())
            .collect();
        found.sort_unstable();
        found.into_iter().next()
    }

    /// `head.rest` is unknown here.
    fn suggest_below(&mut self, here: Here, head: &str, rest: &str, space: Namespace) -> Option<Suggestion> {
        let sigil = sigil(space);
        let scope = here.scope;
        let alias = self.chain(scope).filter_map(|scope| self.names.get(scope)).find_map(|names| names.alias(head));
        if let Some(alias) = alias.cloned() {
            return self.suggest_in(here, &alias, head, rest, space);
        }
        if space == Namespace::Variable && self.find(scope, head, Namespace::Variable).is_some() {
            if let Some(call) = method(head, rest) {
                return Some(Suggestion::from(format!("a value has no methods: write {call}")));
            }
            return Some(Suggestion::from(format!(
                "`${head}` is one value: for a struct field use `${head}->{rest}`, for a map value `${head}[\"{rest}\"]`; \
                there are no methods, pass it to a function"
            )));
        }
        if space == Namespace::Variable && self.find(scope, head, Namespace::Class).is_some() {
            let help = match self.included_as(head) {
                Some(alias) => {
                    format!("`{head}` is a class: its variables have the alias of its include, `${alias}.{rest}`")
                }
                None => format!("`{head}` is a class: write `include {head} as x`, then use `$x.{rest}`"),
            };
            return Some(help.into());
        }
        if let Some(help) = among_constants(&format!("{head}.{rest}")).filter(|_| space == Namespace::Variable) {
            return Some(help.into());
        }
        let mut modules: Vec<_> = builtin::modules()
            .filter(|module| *module == head || last_part(module) == head)
            .filter(|module| space != Namespace::Function || builtin::function(module, rest).is_some())
            .collect();
        modules.sort_by_key(|module| (module.starts_with("golang/"), *module));
        // A module's name has slashes, but a call has only the last part.
        let path = format!("{head}.{rest}");
        let spelled = builtin::modules().find_map(|module| {
            let name = path.strip_prefix(&*module.replace('/', "."))?.strip_prefix('.')?;
            (module.contains('/') && builtin::function(module, name).is_some()).then_some((module, name))
        });
        if let Some((module, name)) = spelled.filter(|_| space == Namespace::Function) {
            let how = format!("`import \"{module}\"`, then call `{}.{name}`", last_part(module));
            return Some(format!("it is in module `{module}`: {how}").into());
        }
        if let Some(module) = modules.first() {
            let help = match self.alias_of_module(scope, module) {
                Some(alias) => format!("module `{module}` is imported as `{alias}` here: `{sigil}{alias}.{rest}`"),
                None => format!("`{head}` is not imported in this file: add `import \"{module}\"`"),
            };
            return Some(help.into());
        }
        let aliases = self.chain(scope).filter_map(|scope| self.names.get(scope)).flat_map(|names| names.aliases());
        let mut near: Vec<&str> = aliases.map(|(name, _)| name.as_str()).collect();
        near.sort_unstable();
        if let Some(name) = self.import_that_has(scope, rest, space) {
            return Some(Suggestion::from(under_its_name(&name, "it is imported under another name", rest, space)));
        }
        if let Some(near) = nearest(head, near) {
            return Some(Suggestion::from(format!("did you mean `{sigil}{near}.{rest}`?")));
        }
        if space == Namespace::Class {
            return Some(Suggestion::from(format!(
                "nothing is imported as `{head}`: add the line `import \"{head}/\"` for a folder beside this file"
            )));
        }
        if space != Namespace::Function {
            return None;
        }
        // No import has that name: searches modules with a similar name and such a function.
        let named: Vec<&str> = builtin::modules().filter(|module| last_part(module) == head).collect();
        let has = |module: &&str| builtin::function(module, rest).is_some();
        let others: Vec<&str> = builtin::modules().filter(|module| !module.is_empty()).filter(has).collect();
        let (module, name) = match named
            .iter()
            .find_map(|module| Some((*module, nearest(rest, builtin::names_in(module))?)))
        {
            Some(found) => found,
            None => {
                let near = nearest(head, others.iter().map(|module| last_part(module)));
                let other = others.into_iter().find(|module| Some(last_part(module)) == near);
                let Some(module) = other else {
                    return Some(Suggestion::from(format!(
                        "nothing is imported as `{head}`: add the line `import \"{head}/\"` for a folder beside this \
                             file, or `import \"{head}\"` for a built-in module"
                    )));
                };
                (module, rest)
            }
        };
        Some(Suggestion::from(format!(
            "did you mean `{}.{name}`? It needs the line `import \"{module}\"`",
            last_part(module)
        )))
    }

    /// The name of the only visible import that has the function.
    fn import_that_has(&self, scope: ScopeId, rest: &str, space: Namespace) -> Option<SmolStr> {
        let first = rest.split('.').next().unwrap_or(rest);
        let has = |alias: &Alias| match alias {
            Alias::File { scope, .. } => self.names.get(*scope).is_some_and(|names| names.slot(space, first).is_some()),
            _ => false,
        };
        let aliases = self.chain(scope).filter_map(|scope| self.names.get(scope)).flat_map(|names| names.aliases());
        let mut found = aliases.filter(|(_, alias)| has(alias)).map(|(name, _)| name.clone());
        found.next().filter(|_| found.next().is_none())
    }

    /// The name before the dot exists, but not the one after it.
    fn suggest_in(
        &mut self,
        here: Here,
        alias: &Alias,
        head: &str,
        rest: &str,
        space: Namespace,
    ) -> Option<Suggestion> {
        let sigil = sigil(space);
        let near = match alias {
            Alias::Broken => return None,
            Alias::System { module, native } => {
                let near = native.and_then(|(_, scope)| self.near_in(scope, rest, space));
                let part = |name: &&str| rest.len() >= 3 && (name.contains(rest) || rest.contains(name));
                let other = OTHER_NAMES.iter().find(|(other, _)| *other == rest).map(|(_, ours)| *ours);
                let other = other.filter(|ours| builtin::function(module, ours).is_some()).map(SmolStr::new);
                near.or(other)
                    .or_else(|| nearest(rest, builtin::names_in(module)).map(SmolStr::new))
                    .or_else(|| builtin::names_in(module).find(part).map(SmolStr::new))
            }
            Alias::File { scope, .. } => self.near_in(*scope, rest, space),
            Alias::Include { stmt, .. } => {
                let class = self.include_target(*stmt)?.class;
                let scope = self.class_scope(class)?;
                self.near_in(scope, rest, space)
            }
        };
        match (near, alias) {
            (Some(near), _) => Some(Suggestion::from(format!("did you mean `{sigil}{head}.{near}`?"))),
            (None, Alias::System { module, .. }) => {
                let elsewhere = self.in_module(here.scope, rest, space);
                let list = format!("`workbench doc {module}` lists its contents");
                Some(Suggestion::from(elsewhere.unwrap_or(list)))
            }
            (None, Alias::File { scope, .. }) => {
                let other = [Namespace::Variable, Namespace::Function, Namespace::Class].into_iter().find(|other| {
                    *other != space && self.names.get(*scope).is_some_and(|names| names.slot(*other, rest).is_some())
                })?;
                let how = match other {
                    Namespace::Variable => format!("a variable: `${head}.{rest}`"),
                    Namespace::Function => format!("a function: `{head}.{rest}(...)`"),
                    Namespace::Class => format!("a class: `include {head}.{rest}`"),
                };
                Some(Suggestion::from(format!("there is {how}")))
            }
            (None, _) => None,
        }
    }

    fn near_in(&self, scope: ScopeId, name: &str, space: Namespace) -> Option<SmolStr> {
        let mut names: Vec<_> = self.names.get(scope)?.names(space).map(SmolStr::as_str).collect();
        names.sort_unstable();
        nearest(name, names).map(SmolStr::new)
    }

    /// The name of a resource: one that begins with a dollar is an error of its own, later.
    pub(super) fn resource_name(&mut self, name: ExprId, here: Here) {
        match &self.files.ast.exprs[name].kind {
            ExprKind::Str(text) if text.starts_with('$') => {}
            _ => self.expr(name, here),
        }
    }

    /// Warns of `"$name"`, a literal dollar, if a variable of that name is in scope.
    pub(super) fn find_plain_dollar(&mut self, text: &str, span: Span, here: Here) {
        if !text.contains('$') {
            return;
        }
        if self.files.is_fetched(span.file) {
            return;
        }
        let raw = self.files.sources.text(span).to_string();
        for (at, _) in raw.match_indices('$') {
            // The variables of a template are its own.
            if raw[..at].rfind("{{").is_some_and(|open| !raw[open..at].contains("}}")) {
                continue;
            }
            let name: String = raw[at + 1..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let name = name.trim_end_matches('_');
            if raw[..at].ends_with(['\\', '$']) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
                continue;
            }
            if self.find(here.scope, name, Namespace::Variable).is_none() {
                continue;
            }
            let place = Span::new(span.file, span.start as usize + at, span.start as usize + at + 1 + name.len());
            self.units[here.unit].late.push(
                Diagnostic::warning(Code::PlainDollar, place)
                    .label(format!("this is the string `${name}`, not the variable"))
                    .help(format!("use `${{{name}}}` for the variable, `\\${name}` for the string")),
            );
        }
    }
}

/// The owner of a block.
enum Around {
    File(usize),
    Class(SmolStr),
    /// An `if` or a loop.
    Branch,
}

/// The similar built-in variables of an unknown one.
fn among_constants(name: &str) -> Option<String> {
    let (group, _) = name.rsplit_once('.')?;
    let of_group = |name: &&'static str| name.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'));
    let names: Vec<&str> = builtin::VARIABLES.iter().map(|variable| variable.name).filter(of_group).collect();
    if let Some(near) = nearest(name, names.iter().copied()) {
        return Some(format!("did you mean `${near}`?"));
    }
    let listed: Vec<_> = names.iter().take(8).map(|name| format!("`${name}`")).collect();
    (!listed.is_empty()).then(|| format!("there are {}", listed.join(", ")))
}

/// How to define a name that resembles no other.
fn how_to_have(name: &str, space: Namespace) -> String {
    // A longer name is no help, and a dotted one cannot be defined.
    let name = if name.len() <= 40 && !name.contains('.') { name } else { "name" };
    match space {
        Namespace::Variable => {
            format!(
                "define it in this block or an enclosing one, `${name} = ...`; other blocks and files are not visible"
            )
        }
        Namespace::Function if name == "enumerate" => {
            "a loop has the index already: `for $index, $value in $list { ... }`".into()
        }
        Namespace::Function if matches!(name, "length" | "size" | "count") => "did you mean `len`?".into(),
        Namespace::Function => {
            format!("define it with `func {name}(...) {{ ... }}`; `workbench doc` lists the functions of all modules")
        }
        Namespace::Class => {
            format!("define it with `class {name} {{ ... }}`, or import its file and use `include file.{name}`")
        }
    }
}

/// How to call a function of an import; a name with a dot cannot be written.
fn under_its_name(import: &str, what: &str, name: &str, space: Namespace) -> String {
    let sigil = sigil(space);
    if import.contains('.') {
        return format!(
            "its import has an unusable name, `{import}`: add `as x` to that import, then use `{sigil}x.{name}`"
        );
    }
    format!("{what}: `{sigil}{import}.{name}`")
}

fn sigil(space: Namespace) -> &'static str {
    if space == Namespace::Variable { "$" } else { "" }
}

/// The default name of a module.
fn last_part(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

/// Names that functions have in other languages.
const OTHER_NAMES: [(&str, &str); 16] = [
    ("strip", "trim_space"),
    ("trim", "trim_space"),
    ("upper", "to_upper"),
    ("uppercase", "to_upper"),
    ("toupper", "to_upper"),
    ("upcase", "to_upper"),
    ("lower", "to_lower"),
    ("lowercase", "to_lower"),
    ("tolower", "to_lower"),
    ("downcase", "to_lower"),
    ("join", "join_nonempty"),
    ("itoa", "int_to_str"),
    ("atoi", "str_to_int"),
    ("sprintf", "printf"),
    ("format", "printf"),
    ("get", "lookup"),
];

/// The call of a built-in function in place of a method.
fn method(value: &str, name: &str) -> Option<String> {
    if builtin::function("", name).is_some() {
        return Some(format!("`{name}(${value})`"));
    }
    const OTHERS: [(&str, &str); 10] = [
        ("length", "len"),
        ("size", "len"),
        ("count", "len"),
        ("upper", "strings.to_upper"),
        ("lower", "strings.to_lower"),
        ("strip", "strings.trim_space"),
        ("trim", "strings.trim_space"),
        ("map", "iter.map"),
        ("filter", "iter.filter"),
        ("join", "strings.join_nonempty"),
    ];
    let other = OTHERS.iter().find(|(other, _)| *other == name).map(|(_, ours)| (*ours).to_string());
    let call = other.or_else(|| {
        let modules = ["strings", "list", "map", "iter", "golang/strings"];
        let module = modules.into_iter().find(|module| builtin::function(module, name).is_some())?;
        Some(format!("{}.{name}", last_part(module)))
    })?;
    match call.split_once('.') {
        Some((module, _)) => Some(format!("`{call}(${value})`, with `import \"{module}\"`")),
        None => Some(format!("`{call}(${value})`")),
    }
}
