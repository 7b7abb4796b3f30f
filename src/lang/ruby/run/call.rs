//! Which method a call is: those that every value has, then those of its class.

use super::expr::Block;
use super::value::{Ruby, Table};
use super::{Halt, Machine, Ran};
use crate::diag::nearest;
use crate::lang::ruby::ast::Call;
use crate::lang::ruby::shell;

/// The result of a method: `None` where the class does not have it.
pub type MethodResult = Ran<Option<Ruby>>;

/// Methods of lists and hashes that take as long whatever these hold.
const CONSTANT: [&str; 19] = [
    "[]", "[]=", "<<", "push", "append", "pop", "first", "last", "length", "size", "empty?", "dig", "fetch", "key?",
    "has_key?", "include?", "store", "class", "is_a?",
];

/// Methods of lists that move what is behind a place.
const MOVES: [&str; 5] = ["shift", "unshift", "prepend", "insert", "delete_at"];

/// The method that was probably meant by a name that no class of Ruby has.
fn misspelled(class: &str, name: &str) -> Option<&'static str> {
    if super::methods::METHODS.split(' ').any(|method| method == name) {
        return None;
    }
    let of_class = KNOWN.iter().filter(|(known, _)| *known == class || *known == "Object");
    nearest(name, of_class.flat_map(|(_, names)| names.split_whitespace()))
}

impl Machine<'_> {
    /// Calls a method of a value. Fails if the value has no such method.
    pub fn method(&mut self, line: u32, on: &Ruby, name: &str, args: &[Ruby], block: Option<&Block>) -> Ran {
        self.heap.visit_many(self.size_read(on, name));
        self.step()?;
        let done = match on {
            Ruby::Str(id) => self.string_method(line, *id, name, args, block)?,
            Ruby::Symbol(symbol) => self.symbol_method(line, symbol, name, args)?,
            Ruby::Array(id) => self.array_method(line, *id, name, args, block)?,
            Ruby::Hash(id) => self.hash_method(line, *id, name, args, block)?,
            Ruby::Int(_) | Ruby::Float(_) => self.number_method(line, on, name, args, block)?,
            Ruby::Range(from, to) => self.range_method(line, (*from, *to), name, args)?,
            Ruby::Regexp(regexp) => self.regexp_method(line, &regexp.clone(), name, args)?,
            Ruby::Match(id) => self.match_method(line, *id, name, args)?,
            Ruby::Proc(lambda, frame) if matches!(name, "call" | "()" | "[]" | "yield") => {
                let block = Block::Code(lambda.clone(), *frame);
                match self.yields(line, &block, args) {
                    Ok(value) | Err(Halt::Return(value)) => Some(value),
                    Err(halt) => return Err(halt),
                }
            }
            Ruby::Ip(ip) => self.ip_method(line, ip, name, args)?,
            Ruby::Scope if block.is_some() => return self.outside(line, "a block for a function"),
            Ruby::Scope => self.scope_method(line, name, args)?,
            Ruby::Const(class) => self.class_method(line, &class.clone(), name, args)?,
            Ruby::Myself => return self.own(line, name, args, block),
            Ruby::Nil => self.nil_method(name, args)?,
            Ruby::Other(value) if name == "unwrap" => self.host.unwrapped(&mut self.heap, &**value)?,
            Ruby::Other(_) => self.openssl_method(line, on, name, args)?,
            Ruby::Bool(_) | Ruby::Proc(..) => None,
        };
        if let Some(value) = done {
            return Ok(value);
        }
        if matches!(on, Ruby::Array(_) | Ruby::Hash(_) | Ruby::Range(..)) {
            let items = self.items(line, on)?;
            if let Some(value) = self.each_method(line, on, items, name, args, block)? {
                return Ok(value);
            }
        }
        match self.object_method(line, on, name, args, block)? {
            Some(value) => Ok(value),
            None => self.no_method(line, on, name),
        }
    }

    /// As many values a method visits, apart from those that it makes.
    fn size_read(&self, on: &Ruby, name: &str) -> usize {
        let is_constant = CONSTANT.contains(&name);
        match on {
            Ruby::Str(id) => self.heap.text(*id).len() / 16,
            Ruby::Array(id) if MOVES.contains(&name) => self.heap.list(*id).len() / 16,
            Ruby::Array(id) if !is_constant => self.heap.list(*id).len(),
            Ruby::Hash(id) if !is_constant => self.heap.table(*id).map_or(0, Table::len),
            _ => 0,
        }
    }

    /// Ruby itself has no such method of a simple value; of other values it may have one that is not known here.
    fn no_method<V>(&self, line: u32, on: &Ruby, name: &str) -> Ran<V> {
        let has = |(_, names): &(&str, &str)| names.split(' ').any(|known| known == name);
        let is_known = KNOWN.iter().any(has);
        let is_own = KNOWN.iter().any(|row| (row.0 == on.class() || row.0 == "Object") && has(row));
        let is_simple = matches!(on, Ruby::Nil | Ruby::Bool(_) | Ruby::Str(_) | Ruby::Int(_));
        if is_simple && (is_known && !is_own || name == "unwrap") {
            return self.fail(line, format!("undefined method `{name}' for {}:{}", self.heap.inspect(on), on.class()));
        }
        if !is_known && let Some(near) = misspelled(on.class(), name) {
            let what = format!("undefined method `{name}' for {}:{}", self.heap.inspect(on), on.class());
            return self.fail(line, format!("{what}; did you mean `{near}`?"));
        }
        self.outside(line, format!("the method `{name}` of {}", on.class()))
    }

    fn object_method(
        &mut self,
        line: u32,
        on: &Ruby,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        let value = match (name, args) {
            ("nil?", []) => Ruby::Bool(matches!(on, Ruby::Nil)),
            ("eql?", [other])
                if matches!((on, other), (Ruby::Int(_), Ruby::Float(_)) | (Ruby::Float(_), Ruby::Int(_))) =>
            {
                Ruby::Bool(false)
            }
            ("==" | "eql?" | "equal?", [other]) => Ruby::Bool(self.heap.is_equal(on, other)),
            ("!", []) => Ruby::Bool(!on.is_true()),
            ("===", [other]) => Ruby::Bool(self.fits(line, on, other)?),
            ("=~", [_]) => Ruby::Nil,
            ("<=>", [other]) => match self.heap.compare(on, other) {
                Some(order) => Ruby::Int(order as i64),
                None => Ruby::Nil,
            },
            ("between?", [low, high]) => {
                let (low, high) = (self.heap.compare(on, low), self.heap.compare(on, high));
                Ruby::Bool(low.is_some_and(std::cmp::Ordering::is_ge) && high.is_some_and(std::cmp::Ordering::is_le))
            }
            ("to_s", _) => self.string(self.heap.shown(on))?,
            ("inspect", []) => self.string(self.heap.inspect(on))?,
            ("is_a?" | "kind_of?" | "instance_of?", [Ruby::Const(class)]) => match on.is_a(class) {
                Some(is) => Ruby::Bool(is),
                None => return self.outside(line, format!("the class `{class}`")),
            },
            ("class", []) => Ruby::Const(on.class().into()),
            ("respond_to?", [method, ..]) => return self.responds(line, on, method).map(Some),
            ("dup" | "clone", _) => self.copied(on)?,
            ("freeze" | "itself", []) => on.clone(),
            ("frozen?", []) => Ruby::Bool(false),
            ("send" | "public_send" | "__send__", [method, rest @ ..]) => {
                let method = self.text(line, method)?;
                return self.deeper(|m| m.method(line, on, &method, rest, block)).map(Some);
            }
            ("tap", []) => {
                if let Some(block) = block {
                    self.yields(line, block, std::slice::from_ref(on))?;
                }
                on.clone()
            }
            ("then" | "yield_self", []) => match block {
                Some(block) => self.yields(line, block, std::slice::from_ref(on))?,
                None => return Ok(None),
            },
            ("to_json", []) => {
                let json = self.json(line, on, 0)?;
                self.string(json.to_string())?
            }
            ("to_yaml", []) => self.yaml(line, on)?,
            ("shellescape", []) if matches!(on, Ruby::Str(_)) => self.string(shell::escape(&self.heap.shown(on)))?,
            ("&" | "|" | "^", [other]) if matches!(on, Ruby::Nil | Ruby::Bool(_)) => Ruby::Bool(match name {
                "&" => on.is_true() && other.is_true(),
                "|" => on.is_true() || other.is_true(),
                _ => on.is_true() != other.is_true(),
            }),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn yaml(&mut self, line: u32, value: &Ruby) -> Ran {
        let text = self.host.yaml(&self.heap, line, value)?;
        self.string(text)
    }

    fn responds(&self, line: u32, on: &Ruby, method: &Ruby) -> Ran {
        let method = self.text(line, method)?;
        if method == "unwrap" {
            return Ok(Ruby::Bool(on.class().ends_with("Sensitive")));
        }
        if matches!(on, Ruby::Const(class) if &**class == "Puppet::Util") && method == "absolute_path?" {
            return Ok(Ruby::Bool(true));
        }
        let has = |(class, names): &(&str, &str)| {
            (*class == "Object"
                || *class == on.class()
                || *class == "Enumerable" && on.is_a("Enumerable") == Some(true))
                && names.split(' ').any(|name| name == method)
        };
        if KNOWN.iter().any(has) {
            return Ok(Ruby::Bool(true));
        }
        if KNOWN.iter().any(|(_, names)| names.split(' ').any(|name| name == method)) {
            return Ok(Ruby::Bool(false));
        }
        self.outside(line, format!("`respond_to?` with `{method}`"))
    }

    /// A text, list or hash of its own with the same parts.
    fn copied(&mut self, on: &Ruby) -> Ran {
        match on {
            Ruby::Str(id) => self.string(self.heap.text(*id).to_owned()),
            Ruby::Array(id) => self.heap.array(self.heap.list(*id).to_vec()),
            Ruby::Hash(id) => self.heap.hash(self.heap.table(*id).cloned().unwrap_or_default()),
            other => Ok(other.clone()),
        }
    }

    fn nil_method(&mut self, name: &str, args: &[Ruby]) -> MethodResult {
        Ok(Some(match (name, args) {
            ("to_a", []) => self.heap.array(Vec::new())?,
            ("to_h", []) => self.heap.hash(Default::default())?,
            ("to_i", []) => Ruby::Int(0),
            ("to_f", []) => Ruby::Float(0.0),
            _ => return Ok(None),
        }))
    }

    /// Methods of classes and modules that only compute.
    fn class_method(&mut self, line: u32, class: &str, name: &str, args: &[Ruby]) -> MethodResult {
        let made = match (class, name, args) {
            ("Array", "new", []) => self.heap.array(Vec::new())?,
            ("Array", "new", [count] | [count, _]) => {
                let count = self.count(line, count)?;
                self.heap.has_room(count.saturating_mul(std::mem::size_of::<Ruby>()))?;
                self.heap.array(vec![args.get(1).cloned().unwrap_or(Ruby::Nil); count])?
            }
            ("Hash", "[]", [value]) => {
                let value = self.method(line, value, "to_h", &[], None)?;
                let pairs = self.items(line, &value)?;
                let list = self.heap.array(pairs)?;
                self.method(line, &list, "to_h", &[], None)?
            }
            ("Hash", "[]", pairs) if pairs.len() > 1 && pairs.len() % 2 == 0 => {
                self.hash_of(pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())?
            }
            ("Hash", "new", []) => self.heap.hash(Default::default())?,
            ("String", "new", []) => self.string("")?,
            ("Regexp", "new" | "compile", [regexp @ Ruby::Regexp(_)]) => regexp.clone(),
            ("Regexp", "new" | "compile", [source]) => {
                let source = self.text(line, source)?;
                Ruby::Regexp(std::sync::Arc::new(crate::lang::ruby::regexp::Regexp::new(source)))
            }
            ("Regexp", "escape" | "quote", [text]) => self.string(super::pattern::escaped(&self.text(line, text)?))?,
            ("File", "join", parts) => {
                let parts = parts.iter().map(|part| self.text(line, part)).collect::<Ran<Vec<_>>>()?;
                let path = parts.iter().enumerate().fold(String::new(), |path, (at, part)| {
                    if at == 0 {
                        part.clone()
                    } else {
                        format!("{}/{}", path.trim_end_matches('/'), part.trim_start_matches('/'))
                    }
                });
                self.string(path)?
            }
            ("File", "basename" | "dirname" | "extname", [path, rest @ ..]) => {
                let path = self.text(line, path)?;
                let text = file_part(name, &path);
                let suffix = rest.first().map(|suffix| self.text(line, suffix)).transpose()?.unwrap_or_default();
                let text = match &*suffix {
                    ".*" => text.rsplit_once('.').map_or(text.clone(), |(stem, _)| stem.to_owned()),
                    suffix => text.strip_suffix(suffix).unwrap_or(&text).to_owned(),
                };
                self.string(text)?
            }
            ("IPAddr", "new", [text]) => Ruby::Ip(self.ip(line, text)?),
            ("Digest::MD5" | "Digest::SHA1" | "Digest::SHA256", "hexdigest", [text]) => {
                let function = class.trim_start_matches("Digest::").to_lowercase();
                let text = self.text(line, text)?;
                let text = self.string(text)?;
                self.function(line, &function, &[text])?
            }
            ("ERB::Util", "url_encode" | "u", [text]) => {
                self.string(super::function::form_escaped(&self.text(line, text)?).replace('+', "%20"))?
            }
            ("CGI", "escape", [text]) => self.string(super::function::form_escaped(&self.text(line, text)?))?,
            ("Puppet::Util::Package", "versioncmp", [_, _]) => self.function(line, "versioncmp", args)?,
            ("Puppet::Util", "absolute_path?", [path, rest @ ..]) => {
                let platform = rest.first().map(|word| self.text(line, word)).transpose()?;
                if platform.as_deref().is_some_and(|platform| !matches!(platform, "posix" | "windows")) {
                    return Ok(None);
                }
                let Ruby::Str(_) = path else { return Ok(Some(Ruby::Bool(false))) };
                let path = self.text(line, path)?;
                Ruby::Bool(path.lines().any(|line| match platform.as_deref() {
                    Some("windows") => is_windows_path(line),
                    _ => line.starts_with('/'),
                }))
            }
            ("Puppet", "debug" | "info" | "notice" | "warning", _) => Ruby::Nil,
            ("Puppet::Pops::Types::PSensitiveType::Sensitive", "new", [value]) => {
                self.host.sensitive(&self.heap, line, value)?
            }
            (class, "name" | "to_s", []) => self.string(class)?,
            _ => return self.text_form(line, class, name, args),
        };
        Ok(Some(made))
    }

    /// A method of a class that writes or reads a text form: JSON, YAML, words of the shell.
    fn text_form(&mut self, line: u32, class: &str, name: &str, args: &[Ruby]) -> MethodResult {
        let made = match (class, name, args) {
            ("JSON", "generate" | "dump", [value]) => {
                let json = self.json(line, value, 0)?;
                self.string(json.to_string())?
            }
            ("JSON", "pretty_generate", [value]) => {
                let json = self.json(line, value, 0)?;
                let Ok(text) = serde_json::to_string_pretty(&json) else { return Ok(None) };
                self.string(text)?
            }
            ("JSON", "parse", [text]) => {
                let text = self.text(line, text)?;
                match serde_json::from_str(&text) {
                    Ok(json) => self.of_json(line, &json, 0)?,
                    Err(_) => return self.outside(line, "a text that is no JSON"),
                }
            }
            ("YAML" | "Psych", "dump", [value]) => self.yaml(line, value)?,
            ("Shellwords", "split" | "shellsplit" | "shellwords", [text]) => {
                let text = self.text(line, text)?;
                match shell::split(&text) {
                    Some(words) => self.strings(words)?,
                    None => return self.fail(line, format!("Unmatched quote: {text}")),
                }
            }
            ("Shellwords", "escape" | "shellescape", [text]) => self.string(shell::escape(&self.heap.shown(text)))?,
            ("Shellwords", "join" | "shelljoin", [list]) => {
                let words = self.items(line, list)?;
                let words: Vec<String> = words.iter().map(|word| shell::escape(&self.heap.shown(word))).collect();
                self.string(words.join(" "))?
            }
            _ => return self.openssl(line, class, name, args),
        };
        Ok(Some(made))
    }

    /// `map.with_index(1) { … }` and its like.
    pub fn with_index(&mut self, line: u32, call: &Call) -> MethodResult {
        if !matches!(&*call.name, "with_index" | "each_with_index" | "with_object") {
            return Ok(None);
        }
        let Some(inner) = call.receiver.as_ref().and_then(|receiver| receiver.as_call()) else { return Ok(None) };
        let is_blockless = inner.block.is_none() && inner.args.is_empty() && inner.receiver.is_some();
        const SORTS: [&str; 9] =
            ["map", "collect", "each", "select", "filter", "reject", "flat_map", "each_char", "sort_by"];
        let (Some(written), true) = (&call.block, is_blockless && SORTS.contains(&&*inner.name)) else {
            return Ok(None);
        };
        if &*call.name == "with_object" {
            return self.outside(line, "the method `with_object`");
        }
        let Some(receiver) = &inner.receiver else { return Ok(None) };
        let on = self.eval(receiver)?;
        let on = if &*inner.name == "each_char" { self.method(line, &on, "chars", &[], None)? } else { on };
        let args = self.args(&call.args)?;
        let first = args.first().map(|first| self.int(line, first)).transpose()?.unwrap_or(0);
        let Some(block) = self.block(line, written)? else { return Ok(None) };
        let items = self.items(line, &on)?;
        let mut answers = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            let number = Ruby::Int(first.saturating_add(at as i64));
            match self.yields(line, &block, &[item.clone(), number]) {
                Err(Halt::Break(value)) => return Ok(Some(value)),
                answer => answers.push(answer?),
            }
        }
        match &*inner.name {
            "each" | "each_char" => Ok(Some(on)),
            name => self.by_answers(line, items, answers, name),
        }
    }
}

fn file_part(name: &str, path: &str) -> String {
    let trimmed = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    let (folder, file) = match trimmed.rsplit_once('/') {
        Some(("", file)) => ("/", file),
        Some((folder, file)) => (folder, file),
        None => (".", trimmed),
    };
    match name {
        "dirname" => folder.to_owned(),
        "extname" => match file.rfind('.') {
            Some(at) if !file[..at].trim_start_matches('.').is_empty() => file[at..].to_owned(),
            _ => String::new(),
        },
        _ if file.is_empty() && !path.is_empty() => "/".into(),
        _ => file.to_owned(),
    }
}

/// Whether a path begins with a drive, or with two slashes and a host and a folder.
fn is_windows_path(path: &str) -> bool {
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let mut letters = path.chars();
    let has_drive = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters.next().is_some_and(is_slash);
    let mut parts = path.split(is_slash);
    has_drive
        || parts.next() == Some("")
            && parts.next() == Some("")
            && parts.next().is_some_and(|host| !host.is_empty())
            && parts.next().is_some_and(|folder| !folder.is_empty())
}

/// Methods that are known here, by class; they also answer `respond_to?`.
pub const KNOWN: &[(&str, &str)] = &[
    (
        "Object",
        "nil? == != === =~ <=> inspect to_s is_a? kind_of? class respond_to? dup clone freeze send tap then to_json to_yaml",
    ),
    (
        "String",
        "to_sym to_str to_i to_f length size upcase downcase capitalize swapcase strip lstrip rstrip chomp chop chars lines \
         bytes empty? include? start_with? end_with? index rindex split sub gsub sub! gsub! tr delete squeeze match match? scan \
         reverse center ljust rjust each_line each_char concat << + * % [] slice []= prepend insert replace succ next hex oct ord \
         unpack unpack1 encode force_encoding casecmp casecmp? count partition rpartition intern between? upcase! downcase! \
         capitalize! strip! lstrip! rstrip! chomp! chop! squeeze! reverse! sum crypt clamp to_r chr clear \
         upto < > <= >= -@",
    ),
    ("Symbol", "to_sym to_proc length size upcase downcase capitalize empty? [] start_with? end_with? succ"),
    (
        "Array",
        "to_a to_ary push append pop shift unshift prepend insert << + - * & | [] []= slice at dig fetch first last length size \
         empty? join flatten flatten! compact compact! uniq uniq! reverse reverse! sort! sort_by! map! collect! select! reject! \
         delete delete_at delete_if concat clear index find_index rindex product transpose rotate sample shuffle assoc values_at \
         combination permutation each_index fill keep_if pack",
    ),
    (
        "Hash",
        "to_h keys values key? has_key? include? member? value? has_value? key fetch dig [] []= store delete delete_if length size \
         empty? each_pair each_key each_value merge merge! update invert transform_values transform_keys select! reject! \
         keep_if clear default= compact any? values_at slice except filter_map sort_by",
    ),
    (
        "Enumerable",
        "each map collect select filter reject find detect find_all each_with_index each_with_object inject reduce sort sort_by \
         min max min_by max_by sum count any? all? none? one? include? member? group_by partition zip flat_map take drop \
         take_while drop_while each_slice each_cons to_set tally filter_map entries first reverse_each cycle chunk_while \
         collect_concat to_a grep grep_v",
    ),
    (
        "Integer",
        "to_i to_int to_f times upto downto step + - * / % ** < > <= >= <=> abs round floor ceil even? odd? zero? positive? \
         negative? divmod div modulo chr ord succ next pred gcd lcm between? clamp digits fdiv to_r & | ^ << >> ~ -@ [] \
         size truncate infinite?",
    ),
    (
        "Float",
        "to_i to_int to_f + - * / % ** < > <= >= <=> abs round floor ceil nan? infinite? zero? between? clamp truncate -@",
    ),
    ("Range", "begin end first last min max size step cover? include? === to_a"),
    ("MatchData", "[] captures named_captures pre_match post_match begin end to_a names"),
    ("Regexp", "match match? source =~ === to_s"),
    ("IPAddr", "to_i to_s ipv4? ipv6? include? === prefix"),
    ("NilClass", "to_a to_h to_i to_f to_s to_r & | ^"),
    ("TrueClass", "& | ^"),
    ("FalseClass", "& | ^"),
];
