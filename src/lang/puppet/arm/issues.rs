//! The issues of these types: which code of ours each has, and the way out of it.

use crate::diag::Code;

const ISSUES: &[(&str, Code, &str)] = &[
    ("ARM_ABSTRACT", Code::InvalidParameter, "use a type that inherits from this one"),
    ("ARM_ALREADY_CONTAINED", Code::InvalidParameter, "construct another object, or set `containment => false`"),
    ("ARM_CHECK_FAILED", Code::InvalidParameter, "change the value, or the check of the type"),
    ("ARM_CONFLICTING_SETTINGS", Code::InvalidParameter, "remove one of the two settings"),
    ("ARM_DUPLICATE_ENUM_VALUE", Code::DuplicateName, "remove one of the two values"),
    ("ARM_DUPLICATE_FEATURE", Code::DuplicateName, "rename one of the two features"),
    ("ARM_DUPLICATE_RESOURCE", Code::DuplicateResource, "remove one of the two resources, or give it another identity"),
    ("ARM_DUPLICATE_SETTING", Code::DuplicateKey, "remove one of the two settings"),
    ("ARM_DUPLICATE_TYPE", Code::DuplicateName, "rename one of the two types"),
    ("ARM_ILLEGAL_ASSIGNMENT", Code::UnexpectedToken, "only the code of `set` assigns features; use another name"),
    ("ARM_ILLEGAL_BOUNDS", Code::InvalidParameter, "set `max` to at least 1 and at least `min`"),
    ("ARM_ILLEGAL_CHECK_RESULT", Code::TypeMismatch, "answer with true, false, undef or a message"),
    ("ARM_ILLEGAL_CONSTRUCTION", Code::InvalidParameter, "write one hash: `T.new({ feature => value })`"),
    ("ARM_ILLEGAL_DEFAULT", Code::InvalidParameter, "write a value of the attribute's type"),
    ("ARM_ILLEGAL_EXPRESSION", Code::UnexpectedToken, "move it out of the type: code of types computes values only"),
    (
        "ARM_ILLEGAL_FUNCTION",
        Code::UnknownFunction,
        "use one of the functions of `arm-functions/1`, which the manual lists",
    ),
    ("ARM_ILLEGAL_IMPLEMENTATION", Code::InvalidType, "name a kind and its parameters; `workbench doc` lists them"),
    ("ARM_ILLEGAL_PARENT", Code::InvalidType, "name a type with features, or `Resource`"),
    ("ARM_ILLEGAL_SETTING_VALUE", Code::InvalidParameter, "the manual lists what each setting takes"),
    ("ARM_INHERITANCE_CYCLE", Code::RecursiveReference, "remove one of the parents"),
    ("ARM_INVARIANT_FAILED", Code::InvalidParameter, "change the values, or the invariant of the type"),
    ("ARM_MANAGED_RESOURCE", Code::InvalidParameter, "declare a resource of the type"),
    ("ARM_MISSING_VALUE", Code::InvalidParameter, "set the feature"),
    ("ARM_NO_IDENTITY", Code::InvalidType, "add an attribute `name`, or give one `min => 1`, and set it"),
    ("ARM_READ_ONLY", Code::InvalidParameter, "remove the value"),
    ("ARM_RESERVED_FEATURE_NAME", Code::InvalidName, "choose another name: code of types reads `$it` and `$meta`"),
    ("ARM_TOO_MANY_VALUES", Code::TypeMismatch, "remove values, or raise `max`"),
    ("ARM_TYPE_MISMATCH", Code::TypeMismatch, "write a value of the feature's type"),
    ("ARM_UNKNOWN_FEATURE", Code::UnknownField, "correct the name, or declare the feature"),
    ("ARM_UNKNOWN_PARENT", Code::InvalidType, "define the type, or correct the name"),
    ("ARM_UNKNOWN_SETTING", Code::UnknownParameter, "the manual lists the settings of `attr` and `has`"),
    (
        "ARM_UNKNOWN_TYPE",
        Code::InvalidType,
        "`attr` takes Integer, Float, String, Boolean or an enum; `has` takes a type with features",
    ),
];

/// The code and the way out of an issue of these types.
pub fn known(name: &str) -> Option<(Code, &'static str)> {
    ISSUES.iter().find(|(known, ..)| *known == name).map(|(_, code, help)| (*code, *help))
}
