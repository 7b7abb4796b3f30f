//! What to do about a problem: the help line below it.

use super::builtin;
use super::catalog::ral;
use super::unknown::{OUTSIDE, RUBY};
use crate::diag::nearest;

/// Help by Puppet's issue code.
const BY_ISSUE: &[(&str, &str)] = &[
    ("APPENDS_DELETES_NO_LONGER_SUPPORTED", "give the result a new name: `$new = $old + …`"),
    ("BAD_EXPORT", "check that file, and delete it if it is not needed; nothing is collected before that"),
    ("CAPTURES_REST_NOT_LAST", "move this parameter to the end"),
    ("CAPTURES_REST_NOT_SUPPORTED", "use an Array as the type of the parameter"),
    ("CLASS_NOT_VIRTUALIZABLE", "remove the `@`; use `include` where the class is needed"),
    ("COMPARISON_NOT_POSSIBLE", "convert both sides to one type, for example with `Integer(…)` or `String(…)`"),
    ("CROSS_SCOPE_ASSIGNMENT", "set the variable in its own class, or use a name without `::`"),
    ("DIV_BY_ZERO", "check the divisor before the division"),
    ("DUPLICATE_ATTRIBUE", "remove one of the two values"),
    ("DUPLICATE_DEFAULT", "remove one of the two `default` entries"),
    ("DUPLICATE_KEY", "remove one of the two entries"),
    ("DUPLICATE_PARAMETER", "rename one of the two parameters"),
    ("DUPLICATE_TITLE", "give each resource a title of its own"),
    ("EMPTY_STRING_TITLE_AT", "give the resource a title that is not empty"),
    (
        "EXPORTED_SECRET",
        "remove it here, and set it where the resource is collected: `TYPE <<| QUERY |>> { NAME => VALUE }`",
    ),
    ("HEREDOC_EMPTY_ENDTAG", "write a tag in the parentheses, for example `@(END)`"),
    ("HEREDOC_UNCLOSED_PARENTHESIS", "close the tag with `)` on the same line"),
    ("HEREDOC_WITHOUT_END_TAGGED_LINE", "end the text with a line that holds only the tag"),
    ("HEREDOC_WITHOUT_TEXT", "write the text on the next lines, and the tag on a line of its own after it"),
    ("IDEM_EXPRESSION_NOT_LAST", "remove the expression, or use its value"),
    ("IDEM_NOT_ALLOWED_LAST", "remove the expression, or use its value"),
    ("HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND", "check the name, or add the folder of its module with `--module-path`"),
    ("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", "move its levels to the end of `hierarchy`"),
    ("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", "rename the option: Puppet itself sets `path` and `uri`"),
    ("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED", "give one of the two levels another name"),
    ("HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING", "remove the text around it, or use `%{lookup('KEY')}`"),
    ("HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED", "use a variable: `lookup` and `alias` work in data files only"),
    ("HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD", "use `lookup`, `hiera`, `alias`, `literal` or `scope`"),
    ("HIERA_MISSING_DATA_PROVIDER_FUNCTION", "add a function to the level, for example `data_hash: yaml_data`"),
    ("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", "remove all but one of the functions"),
    ("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", "remove all but one of the functions"),
    ("HIERA_MULTIPLE_LOCATION_SPECS", "remove all but one of them; `paths` and `globs` take several values"),
    ("HIERA_NO_PROVIDER_FOR_BACKEND", "use `yaml`, `json` or `hocon`, or convert the file to `version: 5`"),
    ("HIERA_OPTION_RESERVED_BY_PUPPET", "rename the option: Puppet itself sets `path` and `uri`"),
    ("HIERA_UNSUPPORTED_VERSION", "convert the file to `version: 5`"),
    ("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", "convert the file to `version: 5`"),
    ("HIERA_V3_BACKEND_NOT_GLOBAL", "use `data_hash`, `lookup_key` or `data_dig` with a function of a module"),
    ("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", "replace the line as the message shows"),
    ("HIERA_VERSION_3_NOT_GLOBAL", "convert the file to `version: 5`"),
    ("ILLEGAL_ASSIGNMENT", "assign to a variable, for example `$x = …`"),
    ("ILLEGAL_INDEXED_ASSIGNMENT", "make a new value: `$new = $old + { key => value }`"),
    ("ILLEGAL_ATTRIBUTE_APPEND", "use `=>` here; `+>` is for overrides and defaults"),
    ("ILLEGAL_BOM", "save the file as UTF-8 without a byte order mark"),
    ("ILLEGAL_DEFINITION_LOCATION", "move it to the file that belongs to its name, or rename it"),
    ("ILLEGAL_FULLY_QUALIFIED_NAME", "remove the `::`"),
    ("ILLEGAL_MULTI_ASSIGNMENT_SIZE", "write as many variables as there are values"),
    ("ILLEGAL_NODE_INHERITANCE", "use classes for what several nodes have in common"),
    ("ILLEGAL_REASSIGNMENT", "use another name: a variable gets its value once"),
    ("ILLEGAL_RESERVED_ASSIGNMENT", "use another name"),
    ("ILLEGAL_TOP_CONSTRUCT_LOCATION", "a module's file holds definitions only: move the statement into a class"),
    ("ILLEGAL_VAR_NAME", "a name starts with a lower-case letter or `_`"),
    ("INVALID_OCTAL_NUMBER", "remove the 0 at the start, or use the digits 0 to 7"),
    ("MATCH_NOT_REGEXP", "write a regular expression such as `/x/`, a type, or a string with an expression"),
    ("MATCH_NOT_STRING", "convert the left side with `String(…)`"),
    ("MISSING_TITLE", "give the resource a title"),
    ("MISSING_TITLE_AT", "give the resource a title"),
    ("NOT_ABSOLUTE_TOP_LEVEL", "move the definition to the top of the file"),
    ("NOT_NUMERIC", "convert it with `Numeric(…)`, or check the value"),
    ("NOT_TOP_LEVEL", "move the definition to the top of the file, or into a class"),
    ("NOT_RVALUE", "write it as a statement of its own"),
    ("NUMERIC_COERCION", "convert the text with `Integer(…)` or `Float(…)`"),
    ("NUMERIC_OVERFLOW", "integers have 64 bits; use a smaller number, or a Float"),
    ("OPERATOR_NOT_APPLICABLE", "convert the operand to a type that the operator takes"),
    ("REQUIRED_PARAMETER_AFTER_OPTIONAL", "give the parameter a default, or move it to the front"),
    ("RESERVED_PARAMETER", "rename the parameter"),
    ("RESERVED_TYPE_NAME", "rename it: the name belongs to a type"),
    ("RESERVED_WORD", "write it in quotes"),
    ("RESOURCE_WITHOUT_TITLE", "write a title before the attributes: `TYPE { 'TITLE': … }`"),
    ("UNCLOSED_MLCOMMENT", "close the comment with `*/`"),
    ("UNCLOSED_QUOTE", "close the string with the same quote; a quote inside it needs a `\\` before it"),
    ("UNKNOWN_RESOURCE", "declare the resource first, or correct its title"),
    ("UNKNOWN_RESOURCE_PARAMETER", "correct the name of the parameter"),
    ("UNKNOWN_VARIABLE", "correct the name; `$CLASS::NAME` reads a variable of a class, `$facts['NAME']` a fact"),
    ("UNMATCHED_SELECTOR", "add an entry `default => VALUE`"),
    ("UNSUPPORTED_EXPRESSION", "remove it: Puppet has no such statement yet"),
];

/// Help by a part of the message, for problems without an issue code of their own.
const BY_TEXT: &[(&str, &str)] = &[
    ("Failed to realize virtual resources", "declare the resource with `@`, or correct the title"),
    ("Could not find class", "check the name, or add the folder of its module with `--module-path`"),
    ("Could not find parent resource type", "check the name, or add the folder of its module with `--module-path`"),
    ("inherits itself", "remove one `inherits`, or move what both need into a third class"),
    ("Could not find template", "`MODULE/FILE` is the file `MODULE/templates/FILE` on the module path"),
    ("Could not find node statement", "add `node default { … }`, or choose a node with `--node`"),
    ("Could not find resource(s)", "declare the resource, or remove the override"),
    ("Could not find resource", "declare the resource, or correct the reference"),
    ("Could not find stage", "declare it: `stage { 'NAME': }`"),
    ("Could not find dependency", "realize the virtual resource, or remove the relationship"),
    (" is exported by ", "narrow the query of the collector, or let only one of the two declare it"),
    ("Duplicate declaration", "give one of the two another title, or remove it"),
    ("Cannot alias", "give one of the two another name"),
    ("is already set on", "only a class that inherits the declaring class can change it"),
    ("Only subclasses can override parameters", "set the parameter at the declaration, or inherit its class"),
    ("Default already defined", "remove one of the two defaults"),
    ("Attempt to override an already evaluated resource", "move the override before the end of the main manifest"),
    ("calls are nested more than", "end the recursion with a condition, or use `each`, `map` or `reduce`"),
    ("Somehow looped more than 1000 times", "a define declares itself without end: add a condition that ends it"),
    ("the limit of evaluation steps", "use fewer iterations, or raise it with `--limit steps=NUMBER`"),
    ("of values are built", "build smaller values, or raise it with `--limit memory=NUMBER`"),
    ("resources are declared", "declare fewer, or raise it with `--limit resources=NUMBER`"),
    ("a range of more than", "iterate over a smaller range"),
    ("Error compiling regex", "use a smaller expression: repetitions inside repetitions multiply"),
    ("statements in a type", "move features into a type that this one inherits from"),
    ("the types have more than", "use fewer types, or fewer features"),
    ("a value of more than", "build smaller values; each use of a value inside another counts"),
    ("a value nested more than", "use a flat list or hash"),
    ("a type of more than", "give the inner types names with `type NAME = …`"),
    ("cannot be resolved to a real type", "let one of the aliases name a real type"),
    ("nested more than", "give inner parts names with variables or functions"),
    ("nested too deep", "give inner parts names with variables"),
    ("operators in one chain", "split the expression with variables"),
    ("Recursive lookup detected", "remove one of the interpolations"),
    ("generate() runs a command", "put the value into data or a fact, or use an `exec` resource"),
    ("Error executing regex", "avoid repetitions inside repetitions, such as `(a*)*`"),
    ("not valid UTF-8", "save it as UTF-8"),
    ("from context where this is illegal", "use it only inside a function, a class, a define or a lambda"),
    (" argument, got", "give as many arguments as it takes"),
    (" arguments, got", "give as many arguments as it takes"),
    (" expects ", "change the value, or the type that is expected"),
    ("is not a valid type specification", "write a type or a reference, such as `Integer` or `File['/x']`"),
    ("(exported by ", "correct it where it is exported, and apply that program again"),
];

/// Help for Hiera's files, by a part of the message.
const BY_DATA: &[(&str, &str)] = &[
    ("aliases expand to more than", "use fewer aliases, or write the values where they are used"),
    ("an alias inside its own value", "remove the alias: a value cannot contain itself"),
    ("collections are nested more than", "use fewer levels of lists and hashes"),
    ("data is nested more than", "use fewer levels of lists and hashes"),
    ("Tried to load unspecified class", "remove the Ruby tag: data holds strings, numbers, lists and hashes"),
    ("Runtime[ruby, 'Symbol']", "remove the `:` before the word, or put the word in quotes"),
    ("Unable to parse (", "correct the syntax of the file at this place"),
    ("does not contain a valid yaml hash", "write `KEY: VALUE` lines at the top level of the file"),
    (
        "entry 'mapped_paths'",
        "write three texts: a variable, the name of each of its values, and a path with that name",
    ),
    ("hierarchy' index", "a level has a `name`, one function, one kind of location, `datadir` and `options`"),
    ("entry 'defaults' unrecognized key", "`defaults` has one function, `datadir` and `options`"),
    (
        "The Lookup Configuration at",
        "a file has `version`, `defaults`, `hierarchy` and, in a module, `default_hierarchy`",
    ),
    ("must be declared in hiera.yaml", "add a location to the level, for example `path: common.yaml`"),
    ("Value returned from data_hash function", "let the function return a Hash"),
    (
        "did not find a value for the name",
        "add the key to a data file, or set `default_value` in the options of the call",
    ),
    ("LookupContext has no function named", "correct the name, for example `not_found`, `cache` or `interpolate`"),
    (
        "the private key does not fit",
        "set `pkcs7_private_key` to the key that belongs to the certificate of `eyaml encrypt`",
    ),
    ("cannot read the private key", "put the key there, or correct `pkcs7_private_key` in `hiera.yaml`"),
    ("names no `pkcs7_private_key`", "add it, for example `options: {pkcs7_private_key: keys/private_key.pkcs7.pem}`"),
    ("is not an RSA private key in PEM form", "convert it with `openssl pkey -in KEY -out KEY.pem`"),
    ("cannot decrypt '", "encrypt the value again with `eyaml encrypt --encrypt-method=pkcs7`"),
    ("merge strategy", "use `first`, `unique`, `hash` or `deep`"),
    ("must contain the name of a strategy", "add the strategy, for example `strategy: deep`"),
    ("knockout_prefix cannot be an empty string", "write a prefix such as `--`, or remove the option"),
    ("The merge options has wrong type", "use `knockout_prefix`, `sort_merged_arrays` and `merge_hash_arrays`"),
    ("element of the merge has wrong type", "give the key values of one type in all levels, or use another strategy"),
    ("value of lookup_options must be a hash", "write a hash from keys or patterns to their options"),
    ("all lookup_options", "write keys as `MODULE::KEY`: a module sets options only for its own keys"),
    ("Invalid data type in lookup_options", "write a type in `convert_to`, such as `Sensitive` or `[Integer, 16]`"),
    ("The convert_to lookup_option", "change the value, or `convert_to` in the `lookup_options` of the key"),
    ("Syntax error in key", "put a part with a dot in quotes: `'a.b'.c`"),
    ("Syntax error in string", "put a part with a dot in quotes: `%{facts.'a.b'}`"),
];

/// Syntax errors without a better answer.
const SYNTAX: &str = "check for a missing comma, brace or quote before this place";

/// A way out of a problem, if there is one to name.
pub fn help(name: &str, message: &str) -> Option<String> {
    if message.ends_with(RUBY) || message.ends_with(OUTSIDE) {
        return Some("use `--allow-unknown` to go on without its result".into());
    }
    special(name, message)
        .or_else(|| fixed(BY_ISSUE, |key| key == name))
        .or_else(|| fixed(BY_DATA, |part| message.contains(part)))
        .or_else(|| fixed(BY_TEXT, |part| message.contains(part)))
        .or_else(|| (name == "SYNTAX_ERROR").then(|| SYNTAX.into()))
}

fn fixed(table: &[(&str, &str)], is_it: impl Fn(&str) -> bool) -> Option<String> {
    table.iter().find(|(key, _)| is_it(key)).map(|(_, help)| (*help).into())
}

/// Help that depends on names in the message.
fn special(name: &str, message: &str) -> Option<String> {
    let quoted = || message.split('\'').nth(1);
    match name {
        "UNKNOWN_FUNCTION" => {
            let name = quoted()?;
            Some(match nearest(name, builtin::all().map(|function| function.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "check the name, or add the folder of its module with `--module-path`".into(),
            })
        }
        "UNKNOWN_RESOURCE_TYPE" => {
            let name = quoted().or_else(|| message.rsplit(": ").next())?.to_lowercase();
            Some(match nearest(&name, ral::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "check the name, or add the folder of its module with `--module-path`".into(),
            })
        }
        _ if message.contains("no parameter named") => parameter(message),
        _ => missing_parameters(message),
    }
}

/// A parameter that a type does not have: `no parameter named 'x' on File[/a]`.
fn parameter(message: &str) -> Option<String> {
    let wrong = message.split('\'').nth(1)?;
    let (_, reference) = message.split_once("' on ")?;
    let ty = reference.split('[').next()?.to_lowercase();
    Some(match nearest(wrong, ral::parameters(&ty)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`workbench doc --lang puppet {ty}` lists its parameters"),
    })
}

/// Names the flag for parameters that a class misses.
fn missing_parameters(message: &str) -> Option<String> {
    let missing = message.split("expects a value for parameter '").skip(1);
    let names: Vec<&str> = missing.filter_map(|rest| rest.split('\'').next()).collect();
    if names.is_empty() {
        return None;
    }
    let class = message.split_once("Class[").and_then(|(_, rest)| rest.split(']').next());
    Some(match class.map(str::to_lowercase) {
        Some(class) => {
            let flags: Vec<String> = names.iter().map(|name| format!("`--set {class}::{name}=VALUE`")).collect();
            format!("set it, for example with {}", flags.join(" "))
        }
        None => "give the parameter a value, or a default".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_are_sorted_or_unique() {
        let mut names: Vec<&str> = BY_ISSUE.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BY_ISSUE.len());
    }

    #[test]
    fn names_in_a_message_are_used() {
        let near = help("UNKNOWN_FUNCTION", "Unknown function: 'flaten'.");
        assert_eq!(near.as_deref(), Some("did you mean `flatten`?"));
        let near = help("RUNTIME_ERROR", "no parameter named 'enshure' on File[/a]");
        assert_eq!(near.as_deref(), Some("did you mean `ensure`?"));
        let set = help("RUNTIME_ERROR", "Class[A::B]: expects a value for parameter 'c'");
        assert_eq!(set.as_deref(), Some("set it, for example with `--set a::b::c=VALUE`"));
    }
}
