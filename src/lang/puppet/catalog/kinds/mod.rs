//! Which of our kinds a Puppet resource is. The function of its type puts it into our words.
//!
//! A function reads the parameters through [`Mapper`], which remembers what was read: the rest has no effect here, and that
//! is reported once for each type and parameter.

mod declared;
mod doc;

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::secret::{self, Blind};
use super::{Finished, OTHERS, Parameter, Resource, ral, resource_type};
use crate::graph::{Declaration, Mapping, Meta, Params, Period, Schedule, Value as Ours};
use crate::lang::puppet::arm::Carried;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::unknown::{SHOWN, is_in, without_deferred};
use crate::lang::puppet::value::{self, Value};

pub use doc::doc;

/// In our words, or why no kind of ours fits.
pub type MapResult = Result<Declaration, String>;

/// A resource in our words.
pub struct Mapped {
    pub mapping: Mapping,
    pub meta: Meta,
    /// Parameters that are set and do nothing here.
    pub without_effect: Vec<Text>,
    /// Why no kind of ours fits, where the type has one.
    pub why: Option<String>,
}

/// Puts a resource into our words.
pub fn map(e: &Finished<'_>, id: ResourceId) -> Mapped {
    let mut resource = Cow::Borrowed(e.catalog.get(id));
    for (at, parameter) in e.catalog.get(id).parameters.values().enumerate() {
        if let Some(value) = without_deferred(&parameter.value) {
            resource.to_mut().parameters[at].value = value;
        }
    }
    let carried = e.program.arm.carried.get(&id);
    let mapped = map_open(e, &resource, carried);
    match secret::blind(e.hiera, &resource) {
        None => mapped,
        Some(blind) => guarded(mapped, map_open(e, &blind.resource, carried), &blind),
    }
}

/// Marks as secret what depends on a secret: what is different with a fixed text in its place.
fn guarded(mut first: Mapped, second: Mapped, blind: &Blind) -> Mapped {
    // Numbers of attempts and seconds come from parameters too.
    first.meta = marked(&first.meta, |name, value| second.meta.get(name) == Some(value)).into();
    let refused =
        |why: String, meta: Meta| Mapped { mapping: Mapping::None, meta, without_effect: Vec::new(), why: Some(why) };
    let one = match (first.mapping, first.why) {
        (Mapping::To(one), _) => one,
        (mapping, why) => {
            let why = why.map(|why| blind.redact(why, second.why));
            return Mapped { mapping, why, ..first };
        }
    };
    let two = match second.mapping {
        Mapping::To(two) if two.kind == one.kind => Some(two),
        _ => None,
    };
    if two.as_ref().map_or_else(|| blind.secrets.are_in(&one.name), |two| two.name != one.name) {
        let why = "its name depends on a sensitive value, and names are shown and recorded";
        return refused(why.into(), first.meta);
    }
    let is_plain = |name: &str, value: &Ours| two.as_ref().is_some_and(|two| two.params.get(name) == Some(value));
    let params = marked(&one.params, is_plain);
    Mapped { mapping: Mapping::To(Declaration { params, ..one }), why: None, ..first }
}

/// Marks as secret each value that is not plain.
fn marked(params: &Params, is_plain: impl Fn(&str, &Ours) -> bool) -> Params {
    let all = params.iter().map(|(name, value)| {
        let is_marked = matches!(value, Ours::Sensitive(_) | Ours::Unknown) || is_plain(name, value);
        (Arc::clone(name), if is_marked { value.clone() } else { Ours::Sensitive(Box::new(value.clone())) })
    });
    all.collect()
}

/// Puts a resource into our words, of which some parameters may be unknown.
fn map_open(e: &Finished<'_>, resource: &Resource, carried: Option<&Carried>) -> Mapped {
    if resource.parameter(OTHERS).is_some() {
        let why = Some("the names of its attributes are not known while compiling".into());
        let meta = Meta::default().as_declared();
        return Mapped { mapping: Mapping::None, meta, without_effect: Vec::new(), why };
    }
    let Some(open) = standing_in(resource, "1").filter(|_| carried.is_none()) else {
        return map_known(e, resource, carried);
    };
    // Some parameters are unknown. What another text in their place would change is unknown too.
    let first = map_known(e, &open, None);
    let Some(second) = standing_in(resource, "2").map(|other| map_known(e, &other, None)) else { return first };
    match (first.mapping, second.mapping) {
        (Mapping::To(one), Mapping::To(two)) if one.kind == two.kind && one.name == two.name => {
            // A flag or a word may change more than any other text.
            let words = words(resource).into_iter().filter_map(|word| standing_in(resource, word));
            let others = words.filter_map(|other| match map_known(e, &other, None).mapping {
                Mapping::To(other) if other.kind == one.kind && other.name == one.name => Some(other.params),
                // Such as a folder in the place of a file.
                Mapping::To(_) => Some(Params::default()),
                Mapping::Same | Mapping::None => None,
            });
            let others: Vec<Params> = std::iter::once(two.params).chain(others).collect();
            let same = |value: &Ours, name: &str| {
                others.iter().fold(value.clone(), |value, other| known(&value, other.get(name)))
            };
            let params = one.params.iter().map(|(name, value)| (Arc::clone(name), same(value, name)));
            let mut params: Params = params.collect();
            // A parameter that only a word brings; one in the place of another is unknown by that.
            let has_all = |other: &&Params| one.params.iter().all(|(name, _)| other.get(name).is_some());
            for (name, _) in others.iter().filter(has_all).flat_map(Params::iter) {
                if one.params.get(name).is_none() {
                    params.set(Arc::clone(name), Ours::Unknown);
                }
            }
            // A variable whose name is unknown may be any.
            let is_whole = |value: &Value| matches!(value, Value::Unknown(None));
            let variables = resource.parameter("environment").filter(|_| &*one.kind == "exec");
            if variables.is_some_and(|v| is_whole(v) || matches!(v, Value::Array(all) if all.iter().any(is_whole))) {
                params.set("env", Ours::Unknown);
            }
            // How the engine runs it is unknown then, and so is all of it.
            let is_open = |name: &&str| resource.parameter(name).is_some_and(is_in);
            // The same for a file with an unknown source, which may be a folder, and for when a command runs and succeeds.
            let decides = match &*one.kind {
                "file" => &["noop", "audit", "schedule"][..],
                _ => &["noop", "audit", "schedule", "returns", "refreshonly"],
            };
            if &*one.kind == "file" && is_open(&"source") {
                // Only one that is no folder is the same but for its content.
                if resource.parameter("ensure").is_some_and(|ensure| ensure.as_str() == Some("file")) {
                    params.remove("source");
                    params.set("content", Ours::Unknown);
                } else {
                    let names: Vec<_> = params.iter().map(|(name, _)| Arc::clone(name)).collect();
                    names.into_iter().for_each(|name| params.set(name, Ours::Unknown));
                }
            }
            if *first.meta != *second.meta || decides.iter().any(is_open) {
                let names: Vec<_> = params.iter().map(|(name, _)| Arc::clone(name)).collect();
                names.into_iter().for_each(|name| params.set(name, Ours::Unknown));
            }
            let same = first.meta.iter().filter(|(name, value)| second.meta.get(name) == Some(value));
            let meta = same.map(|(name, value)| (Arc::clone(name), value.clone())).collect::<Params>().into();
            // What has no effect depends on these.
            let is_open_state = ["ensure", "target", "source"].iter().any(is_open);
            let without_effect = if is_open_state { Vec::new() } else { first.without_effect };
            Mapped { mapping: Mapping::To(Declaration { params, ..one }), meta, without_effect, why: first.why }
        }
        (Mapping::None, Mapping::None) if first.why == second.why => Mapped { mapping: Mapping::None, ..first },
        _ => {
            let why = Some("it depends on a value that is not known while compiling".into());
            Mapped { mapping: Mapping::None, meta: first.meta, without_effect: Vec::new(), why }
        }
    }
}

/// Puts a resource whose parameters are known into our words.
fn map_known(e: &Finished<'_>, resource: &Resource, carried: Option<&Carried>) -> Mapped {
    // The language computes its own order.
    let mut meta = Meta::default().as_declared();
    let given = Mapper { e, resource, used: Mapper::unused(resource) };
    given.read_meta(&mut meta);
    let row = resource_type::find(&resource.ty).and_then(|ty| ty.map);
    let made = match (row, carried) {
        (_, Some(carried)) => declared::declared(&given, carried),
        (Some(make), None) => make(&given, &mut meta),
        (None, None) => return Mapped { mapping: Mapping::None, meta, without_effect: Vec::new(), why: None },
    };
    match made {
        Ok(made) => Mapped { mapping: Mapping::To(made), meta, without_effect: given.without_effect(), why: None },
        Err(why) => Mapped { mapping: Mapping::None, meta, without_effect: Vec::new(), why: Some(why) },
    }
}

/// The words that may change more than any other text in the place of an unknown value.
fn words(resource: &Resource) -> Vec<&'static str> {
    let is_open = |name: &str| resource.parameter(name).is_some_and(is_in);
    let mut words = vec!["true", "false"];
    let values = resource_type::find(&resource.ty).map(|ty| ty.values).unwrap_or_default();
    words.extend(values.iter().filter(|(name, _)| is_open(name)).flat_map(|(_, words)| *words));
    if is_open("ensure") {
        words.extend(match &*resource.ty {
            "service" => ["running", "stopped"],
            "file" => ["absent", "directory"],
            _ => ["absent", "present"],
        });
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// The resource with a text in the place of each unknown value; nothing where all are known.
fn standing_in(resource: &Resource, text: &str) -> Option<Resource> {
    fn replaced(value: &Value, text: &Text) -> Value {
        match value {
            Value::Unknown(None) => Value::Str(text.clone()),
            // What is known of a text stays, as in `NAME=(unknown)`.
            Value::Unknown(Some(shown)) if shown.contains(SHOWN) => Value::str(shown.replace(SHOWN, text)),
            Value::Unknown(Some(shown)) => Value::str(format!("{shown}{text}")),
            Value::Array(list) => Value::array(list.iter().map(|item| replaced(item, text)).collect()),
            Value::Hash(map) => Value::hash(map.iter().map(|(k, v)| (replaced(k, text), replaced(v, text))).collect()),
            Value::Sensitive(inner) => Value::Sensitive(Arc::new(replaced(inner, text))),
            other => other.clone(),
        }
    }
    if !resource.parameters.values().any(|parameter| is_in(&parameter.value)) {
        return None;
    }
    let mut resource = resource.clone();
    let text = text.into();
    let path: Text = format!("/{text}").into();
    for (name, parameter) in &mut resource.parameters {
        // It is a file of this machine.
        let is_path = &*resource.ty == "file" && &**name == "source";
        parameter.value = replaced(&parameter.value, if is_path { &path } else { &text });
    }
    Some(resource)
}

/// A value, where it is the same whatever the unknown ones are.
fn known(one: &Ours, two: Option<&Ours>) -> Ours {
    match (one, two) {
        (one, Some(two)) if one == two => one.clone(),
        (Ours::Sensitive(one), Some(Ours::Sensitive(two))) => match known(one, Some(two)) {
            Ours::Unknown => Ours::Unknown,
            inner => Ours::Sensitive(Box::new(inner)),
        },
        (Ours::List(one), Some(Ours::List(two))) if one.len() == two.len() => {
            Ours::List(one.iter().zip(two).map(|(one, two)| known(one, Some(two))).collect())
        }
        (Ours::Map(one), Some(Ours::Map(two))) if one.len() == two.len() => {
            let pair = |((key, one), (other, two)): (&(Ours, Ours), &(Ours, Ours))| {
                (known(key, Some(other)), known(one, Some(two)))
            };
            Ours::Map(one.iter().zip(two).map(pair).collect())
        }
        _ => Ours::Unknown,
    }
}

/// What only orders and selects.
const ORDERING: [&str; 8] = ["alias", "before", "notify", "require", "subscribe", "tag", "consume", "export"];

/// The parameters of one resource.
pub struct Mapper<'a> {
    pub e: &'a Finished<'a>,
    pub resource: &'a Resource,
    /// Whether each parameter was read.
    used: RefCell<Vec<bool>>,
}

impl Mapper<'_> {
    fn unused(resource: &Resource) -> RefCell<Vec<bool>> {
        RefCell::new(vec![false; resource.parameters.len()])
    }

    fn without_effect(&self) -> Vec<Text> {
        let used = self.used.borrow();
        let unused = self.resource.parameters.iter().zip(&*used).filter(|(_, is_used)| !**is_used);
        let has_effect = |(name, parameter): &(&Text, &Parameter)| {
            !ORDERING.contains(&&***name) && !matches!(parameter.value, Value::Undef)
        };
        unused.map(|(parameter, _)| parameter).filter(has_effect).map(|(name, _)| name.clone()).collect()
    }

    /// Meta parameters that the engine knows.
    fn read_meta(&self, meta: &mut Meta) {
        if self.flag("noop") == Some(true) {
            meta.set_noop();
        }
        if !self.list("audit").is_empty() {
            meta.set_audit();
        }
        if let Some(schedule) = self.text("schedule").and_then(|name| self.schedule(&name)) {
            meta.set_schedule(&schedule);
        }
    }

    fn schedule(&self, name: &str) -> Option<Schedule> {
        if name == "never" {
            return Some(Schedule { name: name.into(), is_never: true, ..Schedule::default() });
        }
        let Some(declared) = self.e.catalog.lookup("schedule", name) else {
            // Schedules that every catalog has.
            let (period, repeat) = if name == "puppet" { (Period::Hourly, 2) } else { (Period::named(name)?, 1) };
            return Some(Schedule { name: name.into(), period: Some(period), repeat, ..Schedule::default() });
        };
        let resource = self.e.catalog.get(declared);
        let of = Mapper { e: self.e, resource, used: Mapper::unused(resource) };
        Some(Schedule {
            name: name.into(),
            ranges: of.list("range").iter().filter_map(|range| minutes(range)).collect(),
            weekdays: of.list("weekday").iter().filter_map(|day| weekday(day)).collect(),
            is_never: of.text("period").as_deref() == Some("never"),
            period: of.text("period").and_then(|period| Period::named(&period)),
            repeat: of.text("repeat").and_then(|repeat| repeat.parse().ok()).unwrap_or(1),
            by_calendar: of.text("periodmatch").as_deref() == Some("number"),
        })
    }

    /// Returns the value of the resource's naming parameter.
    pub fn name(&self) -> String {
        match ral::namevar(&self.resource.ty) {
            Some(name) => self.ignore(&[name]),
            // The types of modules that act here have one of these.
            None => self.ignore(&["name", "path"]),
        }
        self.e.name_of(self.resource)
    }

    /// Returns a parameter that is set and not undef, and marks it as read.
    pub fn value(&self, name: &'static str) -> Option<&Value> {
        let (at, _, parameter) = self.resource.parameters.get_full(name)?;
        self.used.borrow_mut()[at] = true;
        Some(&parameter.value).filter(|value| !matches!(value, Value::Undef))
    }

    /// What is the same on every machine of ours, so that setting it needs no report.
    pub fn ignore(&self, names: &[&'static str]) {
        for at in names.iter().filter_map(|name| self.resource.parameters.get_index_of(*name)) {
            self.used.borrow_mut()[at] = true;
        }
    }

    /// Every parameter was read.
    fn ignore_all(&self) {
        self.used.borrow_mut().fill(true);
    }

    /// Returns a parameter as text.
    pub fn text(&self, name: &'static str) -> Option<String> {
        self.value(name).map(convert::string)
    }

    /// Returns a parameter as a flag: `true` and `yes` are true, any other value is false.
    pub fn flag(&self, name: &'static str) -> Option<bool> {
        match &*self.text(name)? {
            "true" | "yes" => Some(true),
            _ => Some(false),
        }
    }

    /// Returns a parameter as an integer; `None` if its text is not one.
    pub fn int(&self, name: &'static str) -> Option<i64> {
        match self.value(name)? {
            Value::Int(number) => Some(*number),
            other => convert::string(other).trim().parse().ok(),
        }
    }

    /// One value is a list of one; lists in lists are flat.
    pub fn list(&self, name: &'static str) -> Vec<String> {
        let mut flat = Vec::new();
        if let Some(value) = self.value(name) {
            value::flatten(value, &mut flat);
        }
        flat.iter().map(convert::string).collect()
    }

    /// A value of ours that is as secret as the parameter it comes from.
    pub fn guarded(&self, from: &str, value: Ours) -> Ours {
        if self.is_secret(from) { Ours::Sensitive(Box::new(value)) } else { value }
    }

    /// Whether a parameter is sensitive, or contains a secret of the data.
    pub fn is_secret(&self, name: &str) -> bool {
        self.resource.sensitive.iter().any(|secret| &**secret == name)
            || self
                .resource
                .parameter(name)
                .is_some_and(|value| matches!(value, Value::Sensitive(_)) || self.e.hiera.holds_secret(value))
    }

    /// Hands a text over under another name.
    pub fn pass(&self, params: &mut Params, from: &'static str, to: &'static str) {
        if let Some(value) = self.value(from) {
            params.set(to, self.guarded(from, Ours::Str(convert::text(value))));
        }
    }

    /// Copies an integer parameter under another name.
    pub fn pass_int(&self, params: &mut Params, from: &'static str, to: &'static str) {
        match self.int(from) {
            Some(number) => params.set(to, Ours::Int(number)),
            // No number: the kind refuses it at its place.
            None => {
                if let Some(Value::Str(text)) = self.value(from)
                    && !matches!(&**text, "" | "absent")
                {
                    params.set(to, self.guarded(from, Ours::Str(text.clone())));
                }
            }
        }
    }

    /// Copies a flag under another name, if it is true.
    pub fn pass_flag(&self, params: &mut Params, from: &'static str, to: &'static str) {
        if self.flag(from) == Some(true) {
            params.set(to, Ours::Bool(true));
        }
    }

    /// Whether something is wanted; without `ensure` it is.
    pub fn is_present(&self) -> bool {
        self.text("ensure").as_deref() != Some("absent")
    }

    /// Returns the state of a resource with `ensure`: `exists` or `absent`.
    pub fn state(&self) -> Ours {
        Ours::from(if self.is_present() { "exists" } else { "absent" })
    }

    /// The file that a source names. `Err` where it is not on this machine.
    pub fn source(&self, source: &str) -> Result<PathBuf, String> {
        if source.starts_with('/') {
            return Ok(source.into());
        }
        if let Some(path) = source.strip_prefix("file://") {
            let local = path.strip_prefix("localhost").unwrap_or(path);
            if !local.starts_with('/') {
                return Err(format!("`source => {source}` is on another machine: write `file:///PATH`"));
            }
            return Ok(Path::new("/").join(local.trim_start_matches('/')));
        }
        let no_server = || format!("`source => {source}` needs a server");
        let path = source.strip_prefix("puppet:///").ok_or_else(no_server)?;
        let (module, rest) = path.strip_prefix("modules/").and_then(|p| p.split_once('/')).ok_or_else(no_server)?;
        if rest.split('/').any(|part| part == "..") {
            return Err(format!("`source => {source}` leaves its module"));
        }
        match self.e.inputs.module_dir(module) {
            Some(folder) => Ok(self.e.inputs.settings.working_folder.join(folder).join("files").join(rest)),
            None => Err(format!("`source => {source}`: there is no module `{module}`")),
        }
    }
}

/// Makes a declaration of a resource.
pub fn declaration(kind: &str, name: impl Into<Arc<str>>, params: Params) -> Declaration {
    Declaration { kind: kind.into(), name: name.into(), params }
}

/// Makes a list of texts.
pub fn texts(list: impl IntoIterator<Item = String>) -> Ours {
    Ours::List(list.into_iter().map(|text| Ours::Str(text.into())).collect())
}

/// `2 - 4` or `22:30-4`, in minutes of the day.
fn minutes(range: &str) -> Option<(u16, u16)> {
    let time = |text: &str| {
        let mut parts = text.trim().split(':').map(|part| part.parse::<u16>().ok());
        let (hour, minute) = (parts.next()??, parts.next().unwrap_or(Some(0))?);
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    };
    let (from, to) = range.split_once('-')?;
    Some((time(from)?, time(to)?))
}

/// Monday is 1 and Sunday 7; Puppet counts from Sunday, which is 0.
fn weekday(day: &str) -> Option<u8> {
    const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let day = day.to_lowercase();
    let number = match day.parse::<u8>() {
        Ok(number) => Some(number % 7),
        Err(_) => DAYS.iter().position(|name| day.starts_with(name)).map(|at| at as u8),
    };
    number.map(|number| if number == 0 { 7 } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_days_are_read_as_written() {
        assert_eq!((minutes("2 - 4"), minutes("22:30-04:00")), (Some((120, 240)), Some((1350, 240))));
        assert_eq!((minutes("25 - 4"), minutes("x")), (None, None));
        assert_eq!((weekday("0"), weekday("Sunday"), weekday("fri"), weekday("x")), (Some(7), Some(7), Some(5), None));
    }

    /// Every parameter that the types have here, with a value that it takes.
    const ALL: &str = "
        exec { '/bin/x': cwd => '/', user => 'a', group => 'b', environment => ['A=b'], umask => '022', creates => ['/a', '/b'],
            onlyif => 'a', unless => ['b', 'c'], refresh => '/bin/y', returns => 3, tries => 2, try_sleep => 1, timeout => 5 }
        exec { '/bin/z': refreshonly => true }
        file { '/a': ensure => directory, recurse => true, purge => true, force => true, mode => '0755', owner => 'a', group => 'b',
            source => '/x', noop => true }
        file { '/b': content => 'x', mode => 'u+x', replace => false }
        file { '/c': ensure => link, target => 'x' }
        file { '/d': }
        group { 'a': gid => 1 }
        user { 'a': uid => 1, gid => 'b', groups => 'c', home => '/a', shell => '/b', comment => 'c', allowdupe => true,
            managehome => true, system => true }
        user { 'b': gid => 5, membership => inclusive }
        cron { 'a': command => 'x', user => 'b', target => '/c', environment => 'A=b', special => 'daily' }
        host { 'a': ip => '1.2.3.4', host_aliases => 'b', comment => 'c', target => '/d' }
        mount { '/m': ensure => mounted, device => 'x', fstype => 'y', options => 'a,b', dump => 1, pass => 2 }
        notify { 'a': message => 'b' }
        package { 'a': ensure => '1.0' }
        service { 'a': ensure => running, enable => true, hasstatus => true, hasrestart => true }
        service { 'b': ensure => running, provider => base, start => '/bin/a', stop => '/bin/b', status => '/bin/c' }
        service { 'c': ensure => running, hasstatus => false, pattern => 'x', restart => '/bin/a' }
        package { 'b': ensure => purged }
        package { 'c': ensure => held }
        package { 'd': mark => 'none' }
        ssh_authorized_key { 'a': user => 'b', target => '/c', type => 'rsa', key => 'AAAA', options => ['x'] }
        schedule { 'a': range => '2 - 4' }
    ";

    #[test]
    fn mapped_parameters_are_in_our_schemas() {
        let (e, _) = crate::lang::puppet::testing::compile(ALL);
        for id in e.catalog.ids().filter(|id| e.catalog.get(*id).sort == super::super::Sort::Builtin) {
            let reference = e.catalog.get(id).reference();
            let mapped = map(&e.finished(), id);
            let Mapping::To(wanted) = &mapped.mapping else { panic!("{reference}: {:?}", mapped.why) };
            let schema = crate::resource::kind(&wanted.kind).map(|kind| kind.schema());
            let schema = schema.unwrap_or_else(|| panic!("{reference}: no kind {}", wanted.kind));
            for (name, value) in wanted.params.iter() {
                let param = schema.any_param(name).unwrap_or_else(|| panic!("{reference}: no parameter {name}"));
                assert!(param.ty.takes(value), "{reference}: {name} cannot be {value:?}");
            }
            assert!(mapped.without_effect.is_empty(), "{reference}: {:?}", mapped.without_effect);
        }
    }
}
