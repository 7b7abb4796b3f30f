//! The resource types in a catalog: what every type takes, and what the types refuse and order by themselves.

use super::{Catalog, Finished, Resource, Sort, secret};
use crate::diag::nearest;
use crate::graph::HIDDEN;
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::resource_type::{Groups, Managed, ResourceType, TYPES, find, refused};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;
use crate::source::Span;

const META: [&str; 11] =
    ["alias", "audit", "before", "loglevel", "noop", "notify", "require", "schedule", "stage", "subscribe", "tag"];

/// A type of Puppet itself.
fn known(ty: &str) -> Option<&'static ResourceType> {
    find(ty).filter(|known| !known.is_of_module)
}

/// Whether the type is described here, also where a module has it.
pub fn is_known(ty: &str) -> bool {
    find(ty).is_some()
}

/// Whether Puppet itself has the resource type, in lower case.
pub fn is_builtin(ty: &str) -> bool {
    known(ty).is_some()
}

/// The names of the types.
pub fn names() -> impl Iterator<Item = &'static str> {
    TYPES.iter().filter(|known| !known.is_of_module).map(|known| known.name)
}

/// Returns the names of the metaparameters.
pub fn metaparameters() -> impl Iterator<Item = &'static str> {
    META.into_iter()
}

/// Whether every resource type takes a parameter of this name.
pub fn is_metaparameter(name: &str) -> bool {
    META.contains(&name)
}

/// Whether a built-in type has a parameter; true for any other type.
pub fn has_parameter(ty: &str, name: &str) -> bool {
    known(ty).is_none_or(|known| known.parameters().any(|parameter| parameter == name))
}

/// The parameters of a type.
pub fn parameters(ty: &str) -> Vec<&'static str> {
    known(ty).map(|known| known.parameters().collect()).unwrap_or_default()
}

/// What to do about a parameter that a type does not have.
pub fn unknown_parameter(ty: &str, name: &str) -> String {
    let own = parameters(ty);
    let has = |name: &str| own.contains(&name) || is_metaparameter(name);
    // What Ansible, Chef, Salt, Terraform and the shell call it.
    let other = OF_OTHERS.iter().find(|(other, ours)| *other == name && ours.split(' ').any(has));
    if let Some(ours) = other.and_then(|(_, ours)| ours.split(' ').find(|ours| has(ours))) {
        return format!("did you mean `{ours}`?");
    }
    if let Some((_, help)) = WORDS_OF_OTHERS.iter().find(|(others, _)| others.split(' ').any(|other| other == name)) {
        return (*help).into();
    }
    match nearest(name, own.iter().copied().chain(metaparameters())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let documented = known(ty).map(|known| known.params).unwrap_or_default();
            let names = super::super::suggestion::listed(documented.iter().map(|(name, _)| *name), 14);
            if names.is_empty() {
                return format!("`workbench doc --lang puppet {ty}` lists its parameters");
            }
            format!("its parameters are {names}; `workbench doc --lang puppet {ty}` explains them")
        }
    }
}

/// Names of parameters elsewhere, and ours: the first one that the type has.
const OF_OTHERS: [(&str, &str); 48] = [
    ("action", "ensure command"),
    ("address", "ip"),
    ("aliases", "host_aliases alias"),
    ("ansible_user", "user"),
    ("args", "command"),
    ("become_user", "user"),
    ("body", "content message"),
    ("cmd", "command"),
    ("comment", "comment"),
    ("create_home", "managehome"),
    ("createhome", "managehome"),
    ("data", "content"),
    ("day", "monthday"),
    ("depend_on", "require"),
    ("depends", "require"),
    ("depends_on", "require"),
    ("dest", "path target"),
    ("destination", "path target"),
    ("dir", "cwd"),
    ("directory", "cwd path"),
    ("enabled", "enable"),
    ("environ", "environment"),
    ("env", "environment"),
    ("file", "path target"),
    ("fs", "fstype"),
    ("home_dir", "home"),
    ("job", "command"),
    ("login_shell", "shell"),
    ("msg", "message"),
    ("not_if", "unless"),
    ("only_if", "onlyif"),
    ("opts", "options"),
    ("perm", "mode"),
    ("permissions", "mode"),
    ("primary_group", "gid"),
    ("requires", "require"),
    ("script", "command"),
    ("src", "source device"),
    ("started", "ensure"),
    ("state", "ensure"),
    ("status", "ensure"),
    ("template", "content"),
    ("text", "content message"),
    ("user", "owner"),
    ("usergroup", "gid group"),
    ("username", "name user"),
    ("version", "ensure"),
    ("workdir", "cwd"),
];

/// Words of other tools that are no parameters, and what to do here.
const WORDS_OF_OTHERS: [(&str, &str); 9] = [
    ("when", "write `if CONDITION { … }` around the resource"),
    ("count", "write a list of titles, or `Integer[1, N].each |$i| { … }` around the resource"),
    (
        "loop with_items with_dict for_each items",
        "write a list of titles, or `$list.each |$item| { … }` around the resource",
    ),
    ("become sudo privileged become_method", "remove it: resources are applied with the rights of the whole run"),
    ("register", "remove it: a resource has no result; use `notify` or `subscribe` to react to a change"),
    ("handlers listen triggers", "write `notify => TYPE['TITLE']`, or `~>` between the two"),
    ("tags", "write `tag => 'NAME'`"),
    ("append", "write `membership => minimum`, the default, to keep other groups, or `inclusive`"),
    ("lifecycle ignore_errors ignore_failure failed_when changed_when", "remove it: Puppet has no such option"),
];

/// Whether the parameters of a type are not listed completely.
pub fn accepts_any(ty: &str) -> bool {
    find(ty).is_some_and(|known| known.is_open)
}

/// Returns the parameter that names the resources of a built-in type.
pub fn namevar(ty: &str) -> Option<&'static str> {
    known(ty).map(|known| known.namevar)
}

/// Whether two resources with one name are the same thing: not of commands and messages.
pub fn is_isomorphic(ty: &str) -> bool {
    find(ty).is_none_or(|known| known.is_isomorphic)
}

/// The name of a resource: its name parameter or its title.
pub fn name_of(resource: &Resource) -> String {
    let name = namevar(&resource.ty).and_then(|n| resource.parameter(n));
    name.map_or_else(|| resource.title.to_string(), convert::string)
}

/// Why a type refuses a value, if one does, where that is written, and what to do.
pub fn refusal(e: &Finished<'_>) -> Option<(String, Span, String)> {
    if let Some((why, span)) = missing_dependency(e.catalog) {
        return Some((why, span, "collect it with `realize` or `TYPE <| … |>`, or declare it without `@`".into()));
    }
    let mut resources = e.catalog.resources.iter().filter(|r| r.sort == Sort::Builtin && r.form == Form::Regular);
    let found = resources.find_map(|r| {
        let why = secret::redact(e.hiera, r, |r| {
            refused(r)
                .or_else(|| missing_bucket(e.catalog, r))
                .or_else(|| missing_type(e, r))
                .or_else(|| missing_provider(e, r))
        })?;
        let help = advice(&why, r);
        Some((why.clone(), place_of(&why, r), help))
    });
    let late = || {
        let (why, span) = e.catalog.refused.clone()?;
        Some((why, span, "change the parameter, or remove it".to_string()))
    };
    found.or_else(late)
}

/// The parameter that a refusal is about.
fn refused_parameter<'r>(why: &str, resource: &'r Resource) -> Option<&'r str> {
    if let Some(name) = why.strip_prefix("Parameter ").and_then(|rest| rest.split(' ').next()) {
        return resource.parameters.get_key_value(name).map(|(name, _)| &**name);
    }
    // A value of one of the parameters, or the last of several that exclude one another.
    let named = |name: &&str| why.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *name);
    let quoted = resource.parameters.iter().find(|(_, parameter)| {
        matches!(&parameter.value, Value::Str(text) if !text.is_empty() && why.contains(&format!("'{text}'")))
    });
    match quoted {
        Some((name, _)) => Some(name),
        None => resource.parameters.keys().map(|name| &**name).rfind(named),
    }
}

fn place_of(why: &str, resource: &Resource) -> Span {
    let parameter = refused_parameter(why, resource).and_then(|name| resource.parameters.get(name));
    parameter.map_or(resource.span, |parameter| parameter.span)
}

/// The octal digits of a mode as `ls` shows it: `rw-r-----` is `0640`.
fn octal_of_letters(mode: &str) -> Option<String> {
    const LETTERS: &str = "rwxrwxrwx";
    let mode = if mode.len() > LETTERS.len() { mode.get(1..)? } else { mode };
    let fits = |(letter, wanted): (char, char)| letter == wanted || letter == '-';
    if mode.len() != LETTERS.len() || !mode.chars().zip(LETTERS.chars()).all(fits) {
        return None;
    }
    let bits = mode.chars().fold(0_u32, |bits, letter| bits * 2 + u32::from(letter != '-'));
    Some(format!("{bits:04o}"))
}

/// What to do about a refused value.
fn advice(why: &str, resource: &Resource) -> String {
    let name = refused_parameter(why, resource);
    let general = || format!("`workbench doc --lang puppet {}` describes the values of its parameters", resource.ty);
    if why.contains(HIDDEN) || name.is_some_and(|name| resource.sensitive.iter().any(|secret| &**secret == name)) {
        return general();
    }
    let value = name.and_then(|name| resource.parameter(name)).map(convert::string);
    let shown = value.clone().unwrap_or_else(|| resource.title.to_string());
    if let Some((_, values)) = why.split_once("Valid values are ") {
        let values = values.split('.').next().unwrap_or_default();
        let near = nearest(&shown, values.split(", "));
        return match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write one of: {values}"),
        };
    }
    if name == Some("provider")
        && let Some(known) = providers(&resource.ty)
    {
        return match nearest(&shown, known.split_whitespace()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove it: the provider of the system is the default".into(),
        };
    }
    const RANGES: [(&str, &str); 5] = [
        ("is not a valid minute", "write a minute from 0 to 59"),
        ("is not a valid hour", "write an hour from 0 to 23"),
        ("is not a valid monthday", "write a day from 1 to 31"),
        ("is not a valid month", "write a month from 1 to 12, or its English name"),
        ("is not a valid weekday", "write a day from 0 (Sunday) to 7, or its English name"),
    ];
    if let Some((_, help)) = RANGES.iter().find(|(words, _)| why.contains(words)) {
        return (*help).into();
    }
    const ADVICE: [(&str, &str); 8] = [
        ("expected a boolean value", "write `true` or `false`"),
        ("is mandatory", "set one of the parameters that the message names"),
        ("mode specification", "write the mode as text of octal digits: `'0644'`"),
        ("not qualified and no path", "write the full path of the command, or set `path => ['/usr/bin', '/bin']`"),
        ("more than one of", "remove one of them"),
        ("filebucket", "declare the `filebucket`, or set `backup => false`"),
        ("Could not find group", "declare the group, or correct its name"),
        ("Could not find user", "declare the user, or correct its name"),
    ];
    if why.contains("mode specification")
        && let Some(Value::Int(mode)) = name.and_then(|name| resource.parameter(name))
    {
        // `0644` is octal, and `644` is not: the number that makes a usual mode was meant.
        let (octal, decimal) = (format!("{mode:04o}"), format!("{mode:04}"));
        let is_usual = |digits: &str| {
            digits.len() == 4
                && digits.starts_with('0')
                && matches!(digits.as_bytes()[1], b'4'..=b'7')
                && digits.bytes().skip(2).all(|digit| matches!(digit, b'0' | b'4'..=b'7'))
        };
        let is_written = !is_usual(&octal) && decimal.bytes().all(|digit| digit < b'8');
        let mode = if is_written { decimal } else { octal };
        return format!("write the mode as text of octal digits: `'{mode}'`");
    }
    if why.contains("mode specification")
        && let Some(octal) = octal_of_letters(&shown)
    {
        return format!("write the mode as text of octal digits: `'{octal}'`");
    }
    const WANTED: [(&str, &str, &str); 17] = [
        ("host", "ip", "write an address: `192.0.2.10` or `2001:db8::10`"),
        ("user", "groups", "write a list of names: `['wheel', 'adm']`"),
        ("cron", "special", "write one of: reboot, hourly, daily, weekly, monthly, annually, yearly, midnight"),
        ("file tidy", "recurse", "write one of: true, false, remote, or for `tidy` also a number"),
        ("file tidy", "recurselimit", "write a whole number"),
        ("group", "gid", "write a number"),
        ("user", "uid", "write a number"),
        ("user", "gid", "write a number, or the name of a group"),
        ("exec", "tries", "write a whole number from 1"),
        ("exec", "try_sleep", "write a number of seconds"),
        ("exec", "timeout", "write a number of seconds; 0 is no limit"),
        ("exec", "returns", "write a number, or a list of numbers"),
        ("exec", "environment", "write a text `NAME=VALUE`, or a list of such texts"),
        ("tidy", "age", "write a number with a unit: `30m`, `12h`, `7d` or `4w`"),
        ("tidy", "size", "write a number with a unit: `10k`, `5m` or `1g`"),
        ("mount", "pass", "write a number"),
        ("schedule", "range", "write a range of hours: `'2 - 4'`"),
    ];
    if let Some((_, _, help)) = WANTED
        .iter()
        .find(|(types, parameter, _)| name == Some(*parameter) && types.split(' ').any(|ty| ty == &*resource.ty))
    {
        return (*help).into();
    }
    if &*resource.ty == "resources"
        && let Some(near) = nearest(&shown, names())
    {
        return format!("did you mean `{near}`?");
    }
    if why.contains("Cannot use relative URLs") {
        let path = shown.trim_start_matches("modules/").trim_start_matches("puppet:");
        let path = path.trim_start_matches('/');
        // The folder `files` of a module is not written.
        let (module, path) = path.strip_prefix("files/").map_or(("", path), |path| ("MODULE/", path));
        return format!("write `puppet:///modules/{module}{path}`, or an absolute path");
    }
    // A command's variables are those of its shell.
    if &*resource.ty != "exec"
        && let Some(quoted) = crate::lang::puppet::suggestion::unread_variable(&shown)
    {
        return quoted;
    }
    if why.contains("fully qualified") && !shown.starts_with('/') {
        return format!("write an absolute path: `'/{shown}'`");
    }
    match ADVICE.iter().find(|(words, _)| why.contains(words)) {
        Some((_, help)) => (*help).into(),
        None => general(),
    }
}

/// A file whose old content goes into a bucket that is not there.
fn missing_bucket(catalog: &Catalog, resource: &Resource) -> Option<String> {
    let Some(Value::Str(bucket)) = resource.parameter("backup").filter(|_| &*resource.ty == "file") else {
        return None;
    };
    let is_known = bucket.starts_with('.')
        || ["puppet", "true", "false"].contains(&&**bucket)
        || catalog.lookup("filebucket", bucket).is_some();
    (!is_known).then(|| format!("Could not find filebucket {bucket} specified in backup"))
}

/// A type whose resources are to be removed, and that there is not.
fn missing_type(e: &Finished<'_>, resource: &Resource) -> Option<String> {
    if &*resource.ty != "resources" {
        return None;
    }
    let name = name_of(resource);
    let file = format!("lib/puppet/type/{name}.rb");
    let is_known = is_builtin(&name)
        || e.program.arm.models().any(|model| model.name.eq_ignore_ascii_case(&name))
        || !name.contains(['/', '.']) && e.inputs.module_of_file(&file).is_some();
    let reference = resource.reference();
    (!is_known).then(|| format!("Parameter name failed on {reference}: Could not find resource type '{name}'"))
}

/// The providers that Puppet has for types with more than one.
const PROVIDERS: [(&str, &str); 6] = [
    (
        "package",
        "aix appdmg apple apt aptitude aptrpm blastwave dnf dnfmodule dpkg fink freebsd gem hpux macports nim openbsd \
         opkg pacman pip pip2 pip3 pkg pkgdmg pkgin pkgng pkgutil portage ports portupgrade puppet_gem \
         puppetserver_gem rpm rug sun sunfreeware tdnf up2date urpmi windows yum zypper",
    ),
    (
        "service",
        "base bsd daemontools debian freebsd gentoo init launchd openbsd openrc openwrt rcng redhat runit service smf \
         src systemd upstart windows",
    ),
    ("user", "aix directoryservice hpux ldap openbsd pw user_role_add useradd windows_adsi"),
    ("group", "aix directoryservice groupadd ldap pw windows_adsi"),
    ("exec", "posix shell windows"),
    ("file", "posix windows"),
];

/// A provider that neither Puppet nor a module has.
fn missing_provider(e: &Finished<'_>, resource: &Resource) -> Option<String> {
    let Some(Value::Str(provider)) = resource.parameter("provider") else { return None };
    let known = providers(&resource.ty)?;
    let file = format!("lib/puppet/provider/{}/{provider}.rb", resource.ty);
    let is_known = known.split_whitespace().any(|name| name == &**provider)
        || provider.contains(['/', '.'])
        || e.inputs.module_of_file(&file).is_some();
    let (ty, reference) = (&resource.ty, resource.reference());
    (!is_known).then(|| format!("Parameter provider failed on {reference}: Invalid {ty} provider '{provider}'"))
}

fn providers(ty: &str) -> Option<&'static str> {
    PROVIDERS.iter().find(|(name, _)| *name == ty).map(|(_, known)| *known)
}

/// A relationship with a resource that stays virtual.
fn missing_dependency(catalog: &Catalog) -> Option<(String, Span)> {
    let mut arrows = catalog.arrows.iter();
    let missing = arrows.find(|arrow| catalog.get(arrow.target).form != Form::Regular)?;
    let (target, owner) = (catalog.get(missing.target), catalog.get(missing.owner));
    Some((format!("Could not find dependency {} for {}", target.reference(), owner.reference()), missing.span))
}

/// The nearest folder above a path that is in the catalog.
pub fn folder_of(catalog: &Catalog, path: &str, own: ResourceId) -> Option<ResourceId> {
    let mut at = path.trim_end_matches('/');
    while let Some(slash) = at.rfind('/') {
        at = if slash == 0 { "/" } else { &at[..slash] };
        let found = catalog.lookup("file", at).filter(|id| *id != own && catalog.get(*id).form == Form::Regular);
        if found.is_some() || at == "/" {
            return found;
        }
    }
    None
}

/// Edges that a type adds by itself, source first.
pub fn automatic(e: &Finished<'_>, id: ResourceId, groups: &Groups) -> Vec<(ResourceId, ResourceId)> {
    let Some(ty) = find(&e.catalog.get(id).ty) else { return Vec::new() };
    (ty.order)(&Managed::new(e, id, groups)).into_iter().flatten().map(|source| (source, id)).collect()
}
