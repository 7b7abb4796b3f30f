//! What to do about a name that there is not: the name that was probably meant, or the place where it would be.

use std::path::{Path, PathBuf};

use super::ast::Text;
use super::builtin;
use super::catalog::ral;
use super::ids::{ResourceId, ScopeId, TOP};
use super::issue;
use super::legacy_facts;
use super::names::capitalised;
use super::types;
use crate::diag::nearest;
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::lookup::{Data, Hiera};
use crate::lang::puppet::scope::Scopes;
use crate::source::Span;

use super::suggestion::{closest, did_you_mean, listed, unread_variable};

/// Variables that every class has.
const IMPLIED: [&str; 4] = ["title", "name", "module_name", "caller_module_name"];

/// Files that are searched for names.
const MOST_FILES: usize = 5_000;

/// The present folder has no name of its own.
fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

impl Data<'_, '_> {
    /// A key of the data that is nearly this one, with its file and line.
    pub fn nearly_key(&self, key: &str) -> Option<(String, String, u32)> {
        let (name, path, line) = self.hiera.nearly_key(key, &|_| false)?;
        Some((name, self.inputs.shown(&path), line))
    }

    /// A key in `%{lookup('…')}` of a line that the data does not have: what is wrong, and what to do.
    pub fn missing_in_line(&self, line: &str) -> Option<(String, String)> {
        let behind = ["lookup(", "hiera(", "alias("].iter().find_map(|method| Some(line.split_once(method)?.1))?;
        let key = behind.split(')').next()?.trim().trim_matches(['\'', '"']);
        if key.is_empty() || self.hiera.has_key(key) {
            return None;
        }
        let help = match self.hiera.nearly_key(key, &|_| false) {
            Some((near, ..)) => did_you_mean(&near),
            None => format!("add `{key}: …` to the data, or correct the name"),
        };
        Some((format!("the data has no key `{key}`, so this is empty"), help))
    }
}

impl Inputs<'_> {
    /// The names that files of modules define: `web/manifests/a/b.pp` is `web::a::b`, `init.pp` the module itself.
    fn module_names(&self, folder: &str, ending: &str) -> Vec<String> {
        let mut names = Vec::new();
        self.each_module_file(folder, ending, |module, _, name| {
            names.push(match name {
                "init" => module.to_string(),
                name => format!("{module}::{}", name.replace('/', "::")),
            });
        });
        names
    }

    /// The files of modules below a folder.
    pub(super) fn module_files(&self, folder: &str, ending: &str) -> Vec<PathBuf> {
        let mut files = Vec::new();
        self.each_module_file(folder, ending, |_, top, name| files.push(top.join(format!("{name}{ending}"))));
        files
    }

    /// Calls with each file of modules below a folder: the module, the folder, and the name without its ending.
    fn each_module_file(&self, folder: &str, ending: &str, mut call: impl FnMut(&str, &Path, &str)) {
        let mut count = 0;
        for path in &self.settings.module_path {
            for module in self.files.list(path) {
                let top = path.join(&module).join(folder);
                for file in self.files_below(&top, MOST_FILES.saturating_sub(count)) {
                    let Some(name) = file.strip_suffix(ending) else { continue };
                    count += 1;
                    call(&module, &top, name);
                }
            }
        }
    }

    /// A level of the data whose file does not exist, while the folder has one with nearly its name: its place in
    /// `hiera.yaml`, what is wrong, and what to do.
    pub fn level_without_file(&mut self, hiera: &Hiera) -> Option<(Span, String, String)> {
        let missing = hiera.missing_files();
        let found = missing.iter().find_map(|(config, written, path)| {
            let files = self.files.list(path.parent()?);
            let near = nearest(path.file_name()?.to_str()?, files.iter().map(String::as_str))?;
            Some((config, written, near.to_string()))
        });
        let Some((config, written, near)) = found else { return self.datadir_without_folder(&missing) };
        let text = String::from_utf8_lossy(&self.files.read(config)?).into_owned();
        let line = text.lines().position(|line| !line.trim_start().starts_with('#') && line.contains(&**written))? + 1;
        let place = self.span_in_file(config, &text, line, 1);
        let label = format!("the file `{written}` of this level does not exist, so its data is missing");
        Some((place, label, did_you_mean(&near)))
    }

    /// A `datadir` that does not exist, while another folder beside it has data.
    fn datadir_without_folder(&mut self, missing: &[(PathBuf, String, PathBuf)]) -> Option<(Span, String, String)> {
        let (config, folder) = missing.iter().find_map(|(config, written, path)| {
            let folder = path.to_str()?.strip_suffix(written.as_str())?.trim_end_matches('/');
            (!self.files.is_dir(Path::new(folder))).then(|| (config, PathBuf::from(folder)))
        })?;
        let top = config.parent()?;
        let name = folder.strip_prefix(top).ok()?.to_str()?.to_string();
        let top = here(top);
        let has_data = |name: &String| {
            let files = self.files.list(&top.join(name));
            files.iter().any(|file| [".yaml", ".yml", ".json"].iter().any(|ending| file.ends_with(ending)))
        };
        let folders: Vec<String> = self.files.list(top).into_iter().filter(has_data).collect();
        let near =
            closest(&name, folders.iter().map(String::as_str)).or_else(|| folders.first().map(String::as_str))?;
        let text = String::from_utf8_lossy(&self.files.read(config)?).into_owned();
        let line = text.lines().position(|line| line.trim_start().trim_start_matches("- ").starts_with("datadir:"));
        let near = near.to_string();
        let place = self.span_in_file(config, &text, line.unwrap_or_default() + 1, 1);
        Some((place, format!("the folder `{name}` of the data does not exist"), did_you_mean(&near)))
    }

    /// The files below a folder, with their paths from it.
    pub fn files_below(&self, top: &Path, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for name in self.files.list(&top.join(&folder)) {
                let path = folder.join(&name);
                if found.len() + open.len() >= most {
                    return found;
                }
                match self.files.is_dir(&top.join(&path)) {
                    true => open.push(path),
                    false => found.push(path.to_string_lossy().into_owned()),
                }
            }
        }
        found
    }

    /// A module in a folder of the environment that is not on the module path.
    fn module_outside(&self, module: &str) -> Option<String> {
        let top = here(&self.settings.environment);
        let folders = self.files.list(top);
        let folder = folders
            .iter()
            .map(|name| top.join(name))
            .find(|folder| self.files.is_dir(&folder.join(module).join("manifests")))?;
        let (shown, name) = (self.shown(&folder.join(module)), folder.file_name()?.to_string_lossy().into_owned());
        // A setting of another name does nothing.
        let conf = top.join("environment.conf");
        let text = self.files.read(&conf).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        const SETTINGS: [&str; 5] =
            ["modulepath", "manifest", "config_version", "environment_timeout", "static_catalogs"];
        let names = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim());
        let slip = names.into_iter().find_map(|name| {
            let near = nearest(name, SETTINGS)?;
            (!SETTINGS.contains(&name)).then(|| format!(": its `{name}` is no setting, did you mean `{near}`?"))
        });
        let conf = self.shown(&conf);
        Some(match slip {
            Some(slip) => format!("the module is in {shown}, which {conf} does not put on the module path{slip}"),
            None => format!("the module is in {shown}: add `{name}` to `modulepath` in {conf}, or use `--module-path`"),
        })
    }

    /// Where a file of a module would be, or what to do about a module that there is not.
    fn file_of_module(&self, name: &str, folder: &str) -> issue::Text {
        let name = name.trim_start_matches("::");
        let (module, rest) = name.split_once("::").unwrap_or((name, "init"));
        if let Some(found) = self.module_dir(module) {
            let file = found.join(folder).join(rest.replace("::", "/")).with_extension("pp");
            return format!("define it in {}, or correct the name", self.shown(&file)).into();
        }
        // A folder of the module path that there is not, with the name of one that there is.
        for path in self.settings.module_path.iter().filter(|path| !self.files.is_dir(path)) {
            let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else { continue };
            let (parent, top) = (here(parent), here(&self.settings.environment));
            // Folders outside of the environment are not read to find a name.
            let is_near = top == Path::new(".") && parent.is_relative() && !parent.starts_with("..");
            if !is_near && !parent.starts_with(top) {
                continue;
            }
            let last = last.to_string_lossy();
            if let Some(near) = nearest(&last, self.files.list(parent).iter().map(String::as_str)) {
                let near = self.shown(&parent.join(near));
                return format!(
                    "the folder {} of the module path does not exist: did you mean `{near}`?",
                    self.shown(path)
                )
                .into();
            }
        }
        if let Some(help) = self.module_outside(module) {
            return help.into();
        }
        let shown = self.settings.module_path.iter().map(|path| self.shown(path).trim_end_matches('/').to_string());
        let mut path: Vec<String> = shown.collect();
        path.dedup();
        let path = if path.is_empty() { "empty".to_string() } else { path.join(", ") };
        format!(
            "there is no module `{module}` on the module path ({path}): add it to the Puppetfile, or its folder with \
             `--module-path`"
        )
        .into()
    }

    /// A file of a module, such as a template, by `MODULE/PATH`.
    pub fn unknown_file(&self, name: &str, folder: &str) -> issue::Text {
        if name.starts_with('/') {
            return "create the file on this machine, or correct the path".into();
        }
        let Some((module, rest)) = name.split_once('/') else {
            return format!("write `MODULE/FILE`: it is the file `MODULE/{folder}/FILE` on the module path").into();
        };
        let Some(found) = self.module_dir(module) else {
            let modules: Vec<String> =
                self.settings.module_path.iter().flat_map(|path| self.files.list(path)).collect();
            return match nearest(module, modules.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}/{rest}`?").into(),
                None => self.file_of_module(module, folder),
            };
        };
        let inside = rest.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let folder = found.join(folder);
        if let Some(inside) = inside.filter(|inside| self.files.exists(&folder.join(inside))) {
            return format!("did you mean `{module}/{inside}`? The folder of these files is not written").into();
        }
        let files = self.files_below(&folder, MOST_FILES);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_string();
        let near = nearest(rest, files.iter().map(String::as_str));
        let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_string();
        let same = |fits: &dyn Fn(&str) -> bool| files.iter().map(String::as_str).find(|name| fits(name));
        let near = near.or_else(|| same(&|name| base(name) == base(rest)));
        let near = near.or_else(|| same(&|name| stem(&base(name)) == stem(&base(rest))));
        match near.or_else(|| same(&|name| stem(name) == stem(rest))) {
            Some(near) => format!("did you mean `{module}/{near}`?").into(),
            None => format!("write {}, or correct the name", self.shown(&folder.join(rest))).into(),
        }
    }
}

impl Loader<'_, '_> {
    /// Returns the help for a class that does not exist.
    pub fn unknown_class(&self, name: &str) -> issue::Text {
        let mut names: Vec<String> = self.program.classes.keys().map(ToString::to_string).collect();
        names.extend(self.inputs.module_names("manifests", ".pp"));
        let is_define = |name: &str| self.program.defines.contains_key(name);
        if is_define(name) {
            return format!("`{name}` is a define: declare it with a title, `{name} {{ 'TITLE': }}`").into();
        }
        match closest(name, names.iter().map(String::as_str).filter(|name| !is_define(name))) {
            Some(near) => did_you_mean(near).into(),
            None => {
                let file = self.inputs.file_of_module(name, "manifests");
                let Some((module, _)) = name.split_once("::") else { return file };
                let begin = format!("{module}::");
                let own = names.iter().map(String::as_str);
                let own: Vec<&str> =
                    own.filter(|name| (name.starts_with(&begin) || *name == module) && !is_define(name)).collect();
                match own.is_empty() {
                    true => file,
                    false => format!("the module `{module}` has {}; {file}", listed(own, 6)).into(),
                }
            }
        }
    }

    /// A type of resources: built in, a define, or of a module.
    pub fn unknown_resource_type(&self, name: &str) -> issue::Text {
        // Written with a capital letter it may be a data type.
        if name.starts_with(|c: char| c.is_uppercase()) {
            let data = self.unknown_data_type(name);
            if data.starts_with("did you mean") || data.contains("move the file") {
                return data;
            }
        }
        let is_reference = name.starts_with(|c: char| c.is_uppercase());
        let name = name.to_lowercase();
        if self.program.classes.contains_key(&*name) {
            return format!(
                "`{name}` is a class: write `include {name}` or `class {{ '{name}': … }}`, or begin it with `define` where it \
                 is defined"
            )
            .into();
        }
        let mut names: Vec<String> = ral::names().map(str::to_string).collect();
        names.extend(self.program.defines.keys().map(ToString::to_string));
        names.extend(self.inputs.module_names("manifests", ".pp"));
        match closest(&name, names.iter().map(String::as_str).filter(|name| !self.program.classes.contains_key(*name)))
        {
            Some(near) if is_reference => did_you_mean(&capitalised(near)).into(),
            Some(near) => did_you_mean(near).into(),
            None => {
                let file = self.inputs.file_of_module(&name, "manifests");
                let Some((module, _)) = name.split_once("::") else {
                    return match is_reference {
                        true => format!("a title or another text has quotes: `'{name}'`; as a type, {file}").into(),
                        false => file,
                    };
                };
                let begin = format!("{module}::");
                let is_define =
                    |name: &&String| name.starts_with(&begin) && self.program.defines.contains_key(&***name);
                let mut defines: Vec<String> = names.iter().filter(is_define).map(|name| format!("`{name}`")).collect();
                defines.sort_unstable();
                defines.dedup();
                defines.truncate(6);
                match defines.is_empty() {
                    true => file,
                    false => format!("the module `{module}` defines {}; {file}", defines.join(", ")).into(),
                }
            }
        }
    }

    /// Returns the help for a function that does not exist.
    pub fn unknown_function(&self, name: &str) -> issue::Text {
        let mut names: Vec<String> = self.program.functions.keys().map(ToString::to_string).collect();
        names.extend(self.inputs.module_names("functions", ".pp"));
        names.extend(self.inputs.module_names("lib/puppet/functions", ".rb").iter().map(|name| {
            // `MODULE/lib/puppet/functions/MODULE/name.rb` has its module twice.
            let (module, rest) = name.split_once("::").unwrap_or(("", name));
            if rest.starts_with(&format!("{module}::")) { rest.to_string() } else { rest.replace("::", "/") }
        }));
        names.extend(builtin::all().map(|function| function.name.to_string()));
        const OTHERS: [(&str, &str); 26] = [
            ("not", "write `!` before the value"),
            ("isset", "write `$x =~ NotUndef`, or give the variable a value in any case"),
            ("defined?", "write `defined('NAME')`"),
            ("append", "a value does not change: write `$new = $old + [$item]`"),
            ("push", "a value does not change: write `$new = $old + [$item]`"),
            ("add", "a value does not change: write `$new = $old + [$item]`"),
            ("extend", "a value does not change: write `$new = $old + $others`"),
            ("update", "a value does not change: write `$new = $old + { KEY => VALUE }`"),
            ("str", "write `String($x)`, or a text with `${NAME}` in double quotes"),
            ("int", "write `Integer($x)`"),
            ("float", "write `Float($x)`"),
            ("bool", "write `Boolean($x)`"),
            ("list", "write `Array($x)`"),
            ("dict", "write `Hash($x)`"),
            ("range", "write `Integer[FROM, TO].each |$i| { … }`"),
            ("raise", "write `fail('MESSAGE')`"),
            ("throw", "write `fail('MESSAGE')`"),
            ("error", "write `fail('MESSAGE')` to stop, or `err('MESSAGE')` to report"),
            ("exit", "write `fail('MESSAGE')`"),
            ("env", "an environment variable of the server is `generate('/usr/bin/printenv', 'NAME')`"),
            ("foreach", "write `$list.each |$item| { … }`"),
            ("print", "use `notice(…)`, or `notify { 'TEXT': }` for a message of the agent"),
            ("echo", "use `notice(…)`, or `notify { 'TEXT': }` for a message of the agent"),
            ("puts", "use `notice(…)`, or `notify { 'TEXT': }` for a message of the agent"),
            ("len", "did you mean `length`?"),
            ("format", "did you mean `sprintf`?"),
        ];
        if let Some((_, help)) = OTHERS.iter().find(|(other, _)| *other == name) {
            return (*help).into();
        }
        if ral::is_builtin(name) || self.program.defines.contains_key(name) {
            return format!("`{name}` is a type of resources: declare `{name} {{ 'TITLE': … }}`").into();
        }
        match closest(name, names.iter().map(String::as_str)) {
            Some(near) => did_you_mean(near).into(),
            None if name.contains("::") => self.inputs.file_of_module(name, "functions"),
            None => "correct the name; many functions come from the module `stdlib`: add it to the Puppetfile, or its \
                     folder with `--module-path`"
                .into(),
        }
    }

    /// The name of a data type that is no type.
    pub fn unknown_data_type(&self, name: &str) -> issue::Text {
        let mut names: Vec<String> =
            self.program.aliases.values().map(|alias| alias.definition.name.to_string()).collect();
        names.extend(self.inputs.module_names("types", ".pp").iter().map(|name| capitalised(name)));
        names.extend(types::names().map(str::to_string));
        const OTHERS: [(&str, &str); 6] = [
            ("Bool", "Boolean"),
            ("Int", "Integer"),
            ("Str", "String"),
            ("List", "Array"),
            ("Map", "Hash"),
            ("Dict", "Hash"),
        ];
        if let Some((_, ours)) = OTHERS.iter().find(|(other, _)| *other == name) {
            return did_you_mean(ours).into();
        }
        // Its file may be in a folder that holds no types.
        let lower = name.to_lowercase();
        if let Some((module, rest)) = lower.split_once("::")
            && let Some(folder) = self.inputs.module_dir(module)
        {
            let file = Path::new(&rest.replace("::", "/")).with_extension("pp");
            let wrong = ["manifests", "functions", "lib/types", "type"].map(|other| folder.join(other).join(&file));
            let found = wrong.into_iter().find(|path| {
                let text = self.inputs.files.read(path).unwrap_or_default();
                String::from_utf8_lossy(&text)
                    .lines()
                    .any(|line| line.trim_start().starts_with(&format!("type {name}")))
            });
            if let Some(found) = found {
                let right = self.inputs.shown(&folder.join("types").join(&file));
                return format!("{} defines it: move the file to {right}", self.inputs.shown(&found)).into();
            }
        }
        match closest(name, names.iter().map(String::as_str)) {
            Some(near) => did_you_mean(near).into(),
            None => match name.split_once("::") {
                Some(_) => self.inputs.file_of_module(&lower, "types"),
                None => "write a type such as `String` or `Integer`, or define it: `type MODULE::NAME = …`".into(),
            },
        }
    }
}

impl Scopes {
    /// A variable, `a::b` for the one of a class.
    pub fn unknown_variable(&self, scope: ScopeId, name: &str) -> issue::Text {
        if let Some((class, variable)) = name.trim_start_matches("::").rsplit_once("::") {
            let found = self.classes.get(class);
            let Some(class_scope) = found else {
                return match nearest(class, self.classes.keys().map(|name| &**name)) {
                    Some(near) => format!("did you mean `${near}::{variable}`?").into(),
                    None => format!("`include {class}` before this: no class `{class}` is evaluated yet").into(),
                };
            };
            let variables: Vec<&str> = self.get(*class_scope).variables.keys().map(|name| &**name).collect();
            return match closest(variable, variables.iter().copied()) {
                Some(near) => format!("did you mean `${class}::{near}`?").into(),
                None => {
                    let own = variables.into_iter().filter(|name| !IMPLIED.contains(name));
                    match listed(own, 8) {
                        none if none.is_empty() => format!("class `{class}` sets no variables").into(),
                        names => format!("class `{class}` sets {names}, and no `{variable}`").into(),
                    }
                }
            };
        }
        let visible = self.variables_in_sight(scope);
        let near = nearest(name, visible.iter().map(|name| &**name));
        if let Some(near) = near {
            return format!("did you mean `${near}`?").into();
        }
        // A class has it.
        let mut classes: Vec<&Text> = self
            .classes
            .iter()
            .filter(|(_, id)| self.get(**id).variables.contains_key(name))
            .map(|(name, _)| name)
            .collect();
        classes.sort();
        if let Some(class) = classes.first() {
            return format!("class `{class}` has it: write `${class}::{name}`").into();
        }
        if let Some((old, place)) = legacy_facts::near(name) {
            return format!("did you mean the fact `{old}`? Write `$facts{place}`").into();
        }
        if let Some(near) = closest(name, visible.iter().map(|name| &**name)) {
            return format!("did you mean `${near}`?").into();
        }
        // At the top there are also all facts.
        let own = self.get(scope).variables.keys().filter(|name| scope != TOP && !IMPLIED.contains(&&***name));
        let own: Vec<String> = own.map(|name| format!("${name}")).collect();
        let own = listed(own.iter().map(String::as_str), 8);
        match own.is_empty() {
            true => "set it before this; `$CLASS::NAME` reads a variable of a class, `$facts['NAME']` a fact".into(),
            false => {
                format!("set it before this; here are {own}, `$CLASS::NAME` of a class, and `$facts['NAME']`").into()
            }
        }
    }

    /// The variables that a scope sees.
    pub fn variables_in_sight(&self, scope: ScopeId) -> Vec<Text> {
        let scopes = std::iter::successors(Some(scope), |id| self.get(*id).parent);
        let mut names: Vec<Text> = scopes.flat_map(|id| self.get(id).variables.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Whether the word is the name of a variable that is visible here.
    pub fn is_variable(&self, scope: ScopeId, word: &str) -> bool {
        self.lookup(scope, word).is_some() || self.lookup(TOP, word).is_some()
    }
}

impl Catalog {
    /// A reference to a resource that is not in the catalog, and the place of the one that was probably meant.
    /// It is not `owner`, which has the reference.
    pub fn unknown_reference(
        &self,
        ty: &str,
        title: &str,
        owner: Option<ResourceId>,
    ) -> (issue::Text, Option<(Span, String)>) {
        if let Some(help) = unread_variable(title) {
            let help = match title.strip_prefix('$') {
                Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                    format!("a text in single quotes reads no variables: write `{}[{title}]`", capitalised(ty))
                }
                _ => help,
            };
            return (help.into(), None);
        }
        let others = || self.ids().filter(|id| Some(*id) != owner);
        let same: Vec<ResourceId> = others().filter(|id| &*self.get(*id).ty == ty).collect();
        let titles = || same.iter().map(|id| &*self.get(*id).title);
        let found = |id: ResourceId| {
            let resource = self.get(id);
            let reference = format!("{}['{}']", capitalised(&resource.ty), resource.title);
            (did_you_mean(&reference).into(), Some((resource.span, format!("{reference} is declared here"))))
        };
        let base = |title: &str| title.rsplit('/').next().unwrap_or_default().to_string();
        let near = closest(title, titles())
            .or_else(|| titles().find(|other| title.contains('/') && base(other) == base(title)));
        if let Some(id) = near.and_then(|near| same.iter().find(|id| &*self.get(**id).title == near)) {
            return found(*id);
        }
        let is_other = |id: &ResourceId| {
            let resource = self.get(*id);
            &*resource.title == title && &*resource.ty != ty
        };
        let declare = match ty {
            "class" => format!("`include {title}`, or correct the reference"),
            _ => format!("declare `{ty} {{ '{title}': … }}`, or correct the reference"),
        };
        match (others().find(is_other), &same[..]) {
            (Some(id), _) => found(id),
            // The only ones of its type.
            (None, [_, ..]) if same.len() <= 3 && ty != "class" => {
                let titles = listed(titles(), 3);
                let place = self.get(same[0]).span;
                let help = format!("{declare}; the catalog has the {ty} {titles}");
                (help.into(), Some((place, format!("the {ty} `{}` is declared here", self.get(same[0]).title))))
            }
            _ => (declare.into(), None),
        }
    }
}
