//! A problem of reading, validating or evaluating, named as Puppet names it.

use std::borrow::Cow;

use crate::diag::{Code, Diagnostic, Severity, Stage};
use crate::source::Span;

/// What to do about a problem.
pub type Text = Cow<'static, str>;

/// A problem in a program, with the reference's code and message.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// Puppet's issue code; empty where Puppet has none.
    pub name: &'static str,
    pub stage: Stage,
    pub severity: Severity,
    /// `None`: the end of the file.
    pub span: Option<Span>,
    pub message: String,
    /// Our code, where neither the name nor the stage decides it.
    pub code: Option<Code>,
    /// What to do about it, where the name does not decide it.
    pub help: Option<Text>,
    /// A better explanation than the reference's message, for our own diagnostics.
    pub advice: Option<Box<Advice>>,
    /// The place to edit, where it is not that of the reference.
    pub edit: Option<Span>,
    /// Our words, where those of the reference explain less.
    pub label: Option<String>,
    pub related: Vec<(Span, String)>,
}

/// An explanation of an issue with the place to edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub code: Code,
    /// `None`: the place of the issue.
    pub place: Option<Span>,
    pub label: String,
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
}

impl Issue {
    /// Makes an error without help.
    pub fn new(name: &'static str, stage: Stage, span: Option<Span>, message: impl Into<String>) -> Self {
        Self {
            name,
            stage,
            severity: Severity::Error,
            span,
            message: message.into(),
            code: None,
            help: None,
            advice: None,
            edit: None,
            label: None,
            related: Vec::new(),
        }
    }

    /// Makes an error of the parser.
    pub fn parse(span: Span, name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Stage::Parse, Some(span), message)
    }

    /// Makes an error of the validation.
    pub fn validate(span: Span, name: &'static str, message: impl Into<String>) -> Self {
        Self::new(name, Stage::Validate, Some(span), message)
    }

    /// Sets the help text.
    pub fn help(self, help: impl Into<Text>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// As our own diagnostics show it.
    pub fn diagnostic(&self) -> Diagnostic {
        let known = NAMES.binary_search_by_key(&self.name, |row| row.0).ok().and_then(|at| NAMES.get(at));
        let code =
            self.code.or(known.and_then(|row| row.1)).unwrap_or_else(|| code(self.name, self.stage, &self.message));
        let mut diagnostic = match self.edit.or(self.span) {
            Some(span) => Diagnostic::error(code, span),
            None => Diagnostic::placeless(code),
        };
        diagnostic.severity = self.severity;
        diagnostic.stage = Some(self.stage);
        diagnostic.label = self.label.clone().unwrap_or_else(|| self.message.clone());
        diagnostic.related.clone_from(&self.related);
        diagnostic.error = (!self.name.is_empty()).then(|| self.name.to_string());
        if let Some(advice) = &self.advice {
            let Advice { code, place, label, related, help } = &**advice;
            diagnostic.code = *code;
            diagnostic.span = place.or(diagnostic.span);
            diagnostic.label.clone_from(label);
            diagnostic.related.clone_from(related);
            diagnostic.help.clone_from(help);
            return diagnostic;
        }
        let general = known.map(|row| row.2).filter(|help| !help.is_empty());
        let help = self.help.clone().or(general.map(Text::from));
        diagnostic.help(help.unwrap_or_else(|| of_code(code).into()))
    }
}

/// Our code for an issue that is not among [`NAMES`] with one.
fn code(name: &str, stage: Stage, message: &str) -> Code {
    match name {
        _ if name.starts_with("ILLEGAL_") && name.ends_with("_NAME") => Code::InvalidName,
        _ if name.starts_with("RESERVED_") => Code::InvalidName,
        _ if name.starts_with("HIERA_") => Code::InvalidHierarchy,
        _ if name.starts_with("HEREDOC_") => Code::UnterminatedString,
        _ if name.starts_with("BAD_") && name.contains("_SLICE_") || name.starts_with("BAD_TYPE_") => Code::InvalidType,
        _ if name.starts_with("OPERATOR_NOT_APPLICABLE") => Code::InvalidOperand,
        _ if name.ends_with("_ASSIGNMENT") => Code::InvalidAssignment,
        _ if name.contains("RESOURCE_TYPE") || name.contains("REFERENCE") || name.contains("OVERRIDDEN") => {
            Code::InvalidReference
        }
        "SYNTAX_ERROR" => Code::UnexpectedToken,
        _ if stage == Stage::Eval => by_message(message),
        _ => Code::UnexpectedToken,
    }
}

/// What to do about a problem whose raiser has no better advice.
fn of_code(code: Code) -> &'static str {
    match code {
        Code::TypeMismatch => super::stop::help::EXPECTED,
        Code::ArgumentCount => super::stop::help::COUNT,
        Code::MissingParameter => super::stop::help::VALUE,
        Code::InvalidName => "a name has lower-case letters, digits and `_`, and begins with a letter",
        Code::InvalidType => "write a type with the parameters that it takes; the manual lists them",
        Code::InvalidReference => "write a reference: `Package['x']`",
        Code::InvalidHierarchy => "compare the level with the format of version 5: `name`, one function, one location",
        Code::InvalidOperand => "convert the operand to a type that the operator takes",
        Code::Misplaced => "move it to where it is allowed",
        Code::UnexpectedToken => "complete the statement before this place",
        _ => "change the value, or the expression that makes it",
    }
}

/// The cause of an error that Puppet gives no name, in the phrases that its checks of types share.
fn by_message(message: &str) -> Code {
    let has = |text: &str| message.contains(text);
    if has("expects a value for parameter") {
        Code::MissingParameter
    } else if has("has no parameter named") {
        Code::UnknownParameter
    } else if (has(" arguments, got ") || has(" argument, got ")) && has("expects") {
        Code::ArgumentCount
    } else if has(" expects a") || has("wrong type") || has(" expects size ") {
        Code::TypeMismatch
    } else {
        Code::InvalidValue
    }
}

/// Puppet's issues, sorted by name: our code for each, if its stage does not decide it, and what to do about it. Several of
/// theirs share one code of ours. Names that begin with `ARM_` are those of types with features.
const NAMES: &[(&str, Option<Code>, &str)] = &[
    (
        "APPENDS_DELETES_NO_LONGER_SUPPORTED",
        Some(Code::InvalidAssignment),
        "give the result a new name: `$new = $old + …`",
    ),
    ("ARM_ABSTRACT", Some(Code::InvalidParameter), "use a type that inherits from this one"),
    ("ARM_ALREADY_CONTAINED", Some(Code::InvalidParameter), "construct another object, or set `containment => false`"),
    ("ARM_CHECK_FAILED", Some(Code::InvalidParameter), "change the value, or the check of the type"),
    ("ARM_CONFLICTING_SETTINGS", Some(Code::InvalidParameter), "remove one of the two settings"),
    ("ARM_DUPLICATE_ENUM_VALUE", Some(Code::DuplicateName), "remove one of the two values"),
    ("ARM_DUPLICATE_FEATURE", Some(Code::DuplicateName), "rename one of the two features"),
    (
        "ARM_DUPLICATE_RESOURCE",
        Some(Code::DuplicateResource),
        "remove one of the two resources, or give it another identity",
    ),
    ("ARM_DUPLICATE_SETTING", Some(Code::DuplicateKey), "remove one of the two settings"),
    ("ARM_DUPLICATE_TYPE", Some(Code::DuplicateName), "rename one of the two types"),
    (
        "ARM_ILLEGAL_ASSIGNMENT",
        Some(Code::UnexpectedToken),
        "only the code of `set` assigns features; use another name",
    ),
    ("ARM_ILLEGAL_BOUNDS", Some(Code::InvalidParameter), "set `max` to at least 1 and at least `min`"),
    ("ARM_ILLEGAL_CHECK_RESULT", Some(Code::TypeMismatch), "answer with true, false, undef or a message"),
    ("ARM_ILLEGAL_CONSTRUCTION", Some(Code::InvalidParameter), "write one hash: `T.new({ feature => value })`"),
    ("ARM_ILLEGAL_DEFAULT", Some(Code::InvalidParameter), "write a value of the attribute's type"),
    (
        "ARM_ILLEGAL_EXPRESSION",
        Some(Code::UnexpectedToken),
        "move it out of the type: code of types computes values only",
    ),
    (
        "ARM_ILLEGAL_FUNCTION",
        Some(Code::UnknownFunction),
        "use one of the functions of `arm-functions/1`, which the manual lists",
    ),
    (
        "ARM_ILLEGAL_IMPLEMENTATION",
        Some(Code::InvalidType),
        "name a kind and its parameters; `workbench doc` lists them",
    ),
    ("ARM_ILLEGAL_PARENT", Some(Code::InvalidType), "name a type with features, or `Resource`"),
    ("ARM_ILLEGAL_SETTING_VALUE", Some(Code::InvalidParameter), "the manual lists what each setting takes"),
    ("ARM_INHERITANCE_CYCLE", Some(Code::RecursiveReference), "remove one of the parents"),
    ("ARM_INVARIANT_FAILED", Some(Code::InvalidParameter), "change the values, or the invariant of the type"),
    ("ARM_MANAGED_RESOURCE", Some(Code::InvalidParameter), "declare a resource of the type"),
    ("ARM_MISSING_VALUE", Some(Code::InvalidParameter), "set the feature"),
    ("ARM_NO_IDENTITY", Some(Code::InvalidType), "add an attribute `name`, or give one `min => 1`, and set it"),
    ("ARM_READ_ONLY", Some(Code::InvalidParameter), "remove the value"),
    (
        "ARM_RESERVED_FEATURE_NAME",
        Some(Code::InvalidName),
        "choose another name: code of types reads `$it` and `$meta`",
    ),
    ("ARM_TOO_MANY_VALUES", Some(Code::TypeMismatch), "remove values, or raise `max`"),
    ("ARM_TYPE_MISMATCH", Some(Code::TypeMismatch), "write a value of the feature's type"),
    ("ARM_UNKNOWN_FEATURE", Some(Code::UnknownField), "correct the name, or declare the feature"),
    ("ARM_UNKNOWN_PARENT", Some(Code::InvalidType), "define the type, or correct the name"),
    ("ARM_UNKNOWN_SETTING", Some(Code::UnknownParameter), "the manual lists the settings of `attr` and `has`"),
    (
        "ARM_UNKNOWN_TYPE",
        Some(Code::InvalidType),
        "`attr` takes Integer, Float, String, Boolean or an enum; `has` takes a type with features",
    ),
    (
        "BAD_EXPORT",
        Some(Code::BadExport),
        "check that file, and delete it if it is not needed; nothing is collected before that",
    ),
    ("CAPTURES_REST_NOT_LAST", Some(Code::InvalidName), "move this parameter to the end"),
    ("CAPTURES_REST_NOT_SUPPORTED", Some(Code::InvalidName), "use an Array as the type of the parameter"),
    ("CLASS_NOT_VIRTUALIZABLE", Some(Code::Misplaced), "remove the `@`; use `include` where the class is needed"),
    (
        "COMPARISON_NOT_POSSIBLE",
        Some(Code::InvalidOperand),
        "convert both sides to one type, for example with `Integer(…)` or `String(…)`",
    ),
    (
        "CROSS_SCOPE_ASSIGNMENT",
        Some(Code::InvalidAssignment),
        "set the variable in its own class, or use a name without `::`",
    ),
    ("DISCONTINUED_IMPORT", Some(Code::Misplaced), "remove it: classes are found by their name; use `include`"),
    ("DIV_BY_ZERO", Some(Code::DivisionByZero), "check the divisor before the division"),
    ("DUPLICATE_ATTRIBUE", Some(Code::DuplicateKey), "remove one of the two values"),
    ("DUPLICATE_DEFAULT", Some(Code::DuplicateKey), "remove one of the two `default` entries"),
    ("DUPLICATE_KEY", Some(Code::DuplicateKey), "remove one of the two entries"),
    ("DUPLICATE_PARAMETER", Some(Code::DuplicateName), "rename one of the two parameters"),
    ("DUPLICATE_TITLE", Some(Code::DuplicateName), "give each resource a title of its own"),
    ("EMPTY_STRING_TITLE_AT", Some(Code::InvalidTitle), "give the resource a title that is not empty"),
    ("EPP_UNBALANCED_COMMENT", Some(Code::InvalidTemplate), "close the comment with `%>`"),
    ("EPP_UNBALANCED_EXPRESSION", Some(Code::InvalidTemplate), "close the tag with `%>`"),
    ("EPP_UNBALANCED_TAG", Some(Code::InvalidTemplate), "close the tag with `%>`"),
    (
        "EXPORTED_SECRET",
        Some(Code::MissingSecret),
        "remove it here, and set it where the resource is collected: `TYPE <<| QUERY |>> { NAME => VALUE }`",
    ),
    ("HEREDOC_EMPTY_ENDTAG", None, "write a tag in the parentheses, for example `@(END)`"),
    ("HEREDOC_UNCLOSED_PARENTHESIS", None, "close the tag with `)` on the same line"),
    ("HEREDOC_WITHOUT_END_TAGGED_LINE", None, "end the text with a line that holds only the tag"),
    ("HEREDOC_WITHOUT_TEXT", None, "write the text on the next lines, and the tag on a line of its own after it"),
    (
        "HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND",
        None,
        "check the name, or add the folder of its module with `--module-path`",
    ),
    ("HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE", None, "move its levels to the end of `hierarchy`"),
    ("HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET", None, "rename the option: Puppet itself sets `path` and `uri`"),
    ("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED", None, "give one of the two levels another name"),
    ("HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING", None, "remove the text around it, or use `%{lookup('KEY')}`"),
    (
        "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
        None,
        "use a variable: `lookup` and `alias` work in data files only",
    ),
    ("HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD", None, "use `lookup`, `hiera`, `alias`, `literal` or `scope`"),
    ("HIERA_MISSING_DATA_PROVIDER_FUNCTION", None, "add a function to the level, for example `data_hash: yaml_data`"),
    ("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS", None, "remove all but one of the functions"),
    ("HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT", None, "remove all but one of the functions"),
    ("HIERA_MULTIPLE_LOCATION_SPECS", None, "remove all but one of them; `paths` and `globs` take several values"),
    ("HIERA_NO_PROVIDER_FOR_BACKEND", None, "use `yaml`, `json` or `hocon`, or convert the file to `version: 5`"),
    ("HIERA_OPTION_RESERVED_BY_PUPPET", None, "rename the option: Puppet itself sets `path` and `uri`"),
    ("HIERA_UNSUPPORTED_VERSION", None, "convert the file to `version: 5`"),
    ("HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", None, "convert the file to `version: 5`"),
    ("HIERA_V3_BACKEND_NOT_GLOBAL", None, "use `data_hash`, `lookup_key` or `data_dig` with a function of a module"),
    ("HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH", None, "replace the line as the message shows"),
    ("HIERA_VERSION_3_NOT_GLOBAL", None, "convert the file to `version: 5`"),
    ("IDEM_EXPRESSION_NOT_LAST", Some(Code::NoEffect), "remove the expression, or use its value"),
    ("IDEM_NOT_ALLOWED_LAST", Some(Code::NoEffect), "remove the expression, or use its value"),
    ("ILLEGAL_ASSIGNMENT", None, "assign to a variable, for example `$x = …`"),
    ("ILLEGAL_ATTRIBUTE_APPEND", Some(Code::WrongSign), "use `=>` here; `+>` is for overrides and defaults"),
    ("ILLEGAL_BOM", Some(Code::UnknownCharacter), "save the file as UTF-8 without a byte order mark"),
    ("ILLEGAL_CLASS_REFERENCE", Some(Code::InvalidReference), "write the name of the class as text: `Class['name']`"),
    (
        "ILLEGAL_DEFINITION_LOCATION",
        Some(Code::InvalidName),
        "move it to the file that belongs to its name, or rename it",
    ),
    ("ILLEGAL_EXPRESSION", Some(Code::Misplaced), "write the expression on its own, and use its value here"),
    ("ILLEGAL_FULLY_QUALIFIED_NAME", Some(Code::InvalidName), "remove the `::`"),
    (
        "ILLEGAL_HOSTNAME_CHARS",
        Some(Code::InvalidName),
        "use letters, digits, `-`, `_` and `.`, or a regular expression",
    ),
    ("ILLEGAL_HOSTNAME_INTERPOLATION", Some(Code::InvalidName), "write the name in single quotes"),
    ("ILLEGAL_INDEXED_ASSIGNMENT", None, "make a new value: `$new = $old + { key => value }`"),
    ("ILLEGAL_MULTI_ASSIGNMENT_SIZE", None, "write as many variables as there are values"),
    ("ILLEGAL_NODE_INHERITANCE", Some(Code::Misplaced), "use classes for what several nodes have in common"),
    ("ILLEGAL_NUMBER", Some(Code::InvalidValue), "write digits only, or put the text into quotes"),
    (
        "ILLEGAL_QUERY_EXPRESSION",
        Some(Code::InvalidReference),
        "a query compares parameters: `title == 'x' and ensure == present`",
    ),
    ("ILLEGAL_REASSIGNMENT", Some(Code::AssignedTwice), "use another name: a variable gets its value once"),
    (
        "ILLEGAL_RELATIONSHIP_OPERAND_TYPE",
        Some(Code::InvalidReference),
        "write references, such as `Package['x'] -> Service['y']`",
    ),
    ("ILLEGAL_RESERVED_ASSIGNMENT", None, "use another name"),
    ("ILLEGAL_RESOURCE_SPECIALIZATION", Some(Code::InvalidReference), "write a type and a title: `File['/etc/x']`"),
    ("ILLEGAL_RESOURCE_TYPE", Some(Code::InvalidReference), "write the name of a type before the `{`"),
    ("ILLEGAL_TITLE_TYPE_AT", Some(Code::InvalidTitle), "write a text, or a list of texts, as the title"),
    (
        "ILLEGAL_TOP_CONSTRUCT_LOCATION",
        Some(Code::Misplaced),
        "a module's file holds definitions only: move the statement into a class",
    ),
    ("ILLEGAL_TYPE_MAPPING", Some(Code::InvalidType), "map a runtime type to a type of Puppet"),
    ("ILLEGAL_VAR_NAME", Some(Code::InvalidName), "a name starts with a lower-case letter or `_`"),
    ("INVALID_OCTAL_NUMBER", Some(Code::InvalidValue), "remove the 0 at the start, or use the digits 0 to 7"),
    (
        "MATCH_NOT_REGEXP",
        Some(Code::InvalidOperand),
        "write a regular expression such as `/x/`, a type, or a string with an expression",
    ),
    ("MATCH_NOT_STRING", Some(Code::InvalidOperand), "convert the left side with `String(…)`"),
    ("MISSING_MULTI_ASSIGNMENT_KEY", Some(Code::UnknownKey), "use keys of the hash as names of the variables"),
    ("MISSING_MULTI_ASSIGNMENT_VARIABLE", Some(Code::UnknownVariable), "use variables of the class as names"),
    ("MISSING_REQUIRED_PARAMETER", Some(Code::MissingParameter), "give the parameter a value, or a default"),
    ("MISSING_TITLE", Some(Code::MissingTitle), "give the resource a title"),
    ("MISSING_TITLE_AT", Some(Code::MissingTitle), "give the resource a title"),
    ("MULTIPLE_ATTRIBUTES_UNFOLD", Some(Code::Misplaced), "merge the hashes first: `* => $a + $b`"),
    ("NOT_ABSOLUTE_TOP_LEVEL", Some(Code::Misplaced), "move the definition to the top of the file"),
    ("NOT_NUMERIC", Some(Code::InvalidOperand), "convert it with `Numeric(…)`, or check the value"),
    ("NOT_RVALUE", Some(Code::Misplaced), "write it as a statement of its own"),
    ("NOT_TOP_LEVEL", Some(Code::Misplaced), "move the definition to the top of the file, or into a class"),
    ("NOT_VIRTUALIZEABLE", Some(Code::Misplaced), "remove the `@`"),
    ("NUMERIC_COERCION", Some(Code::InvalidOperand), "convert the text with `Integer(…)` or `Float(…)`"),
    ("NUMERIC_OVERFLOW", Some(Code::NumberOverflow), "integers have 64 bits; use a smaller number, or a Float"),
    ("OPERATOR_NOT_APPLICABLE", Some(Code::InvalidOperand), "convert the operand to a type that the operator takes"),
    (
        "REQUIRED_PARAMETER_AFTER_OPTIONAL",
        Some(Code::InvalidName),
        "give the parameter a default, or move it to the front",
    ),
    ("RESERVED_PARAMETER", Some(Code::InvalidName), "rename the parameter"),
    ("RESERVED_TYPE_NAME", Some(Code::InvalidName), "rename it: the name belongs to a type"),
    ("RESERVED_WORD", Some(Code::InvalidName), "write it in quotes"),
    ("RESOURCE_WITHOUT_TITLE", Some(Code::MissingTitle), "write a title before the attributes: `TYPE { 'TITLE': … }`"),
    ("RESULT_IS_INFINITY", Some(Code::NumberOverflow), "use smaller numbers"),
    ("SYNTAX_ERROR", None, "check for a missing comma, brace or quote before this place"),
    ("TYPE_MISMATCH", Some(Code::TypeMismatch), ""),
    ("UNCLOSED_MLCOMMENT", Some(Code::UnterminatedString), "close the comment with `*/`"),
    (
        "UNCLOSED_QUOTE",
        Some(Code::UnterminatedString),
        "close the string with the same quote; a quote inside it needs a `\\` before it",
    ),
    ("UNKNOWN_FUNCTION", Some(Code::UnknownFunction), ""),
    ("UNKNOWN_RESOURCE", Some(Code::UnknownResource), "declare the resource first, or correct its title"),
    ("UNKNOWN_RESOURCE_PARAMETER", Some(Code::UnknownParameter), "correct the name of the parameter"),
    ("UNKNOWN_RESOURCE_TYPE", Some(Code::UnknownKind), ""),
    ("UNKNOWN_VARIABLE", Some(Code::UnknownVariable), "correct the name"),
    ("UNMATCHED_SELECTOR", Some(Code::NoMatch), "add an entry `default => VALUE`"),
    ("UNSUPPORTED_EXPRESSION", Some(Code::Misplaced), "remove it: Puppet has no such statement yet"),
];

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
