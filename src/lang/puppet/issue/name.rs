//! The table of issues: the reference's name, our code, and what to do about it.

use crate::diag::Code;
use crate::lang::puppet::stop::help;
use crate::lang::puppet::value::Value;

const NAME: &str = "a name has lower-case letters, digits and `_`, and begins with a letter";
const OPERAND: &str = "convert the operand to a type that the operator takes";
const REFERENCE: &str = "write a reference: `Package['x']`";
const TYPE: &str = "write a type with the parameters that it takes; the manual lists them";
const VALUE: &str = "change the value, or the expression that makes it";

/// Defines the issues, one row each.
macro_rules! issues {
    ($($issue:ident $name:literal $code:ident $help:expr;)*) => {
        /// What is wrong, by the names of the reference. Those of types with features begin with `Arm`.
        ///
        /// Several may share a name of the reference, which has one name for most errors of an evaluation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum IssueName {
            $($issue),*
        }

        impl IssueName {
            /// Returns the issue of an argument with a type that the callee does not take.
            pub fn of_argument(value: &Value) -> Self {
                if *value == Value::Undef { Self::UndefArgument } else { Self::WrongType }
            }

            /// Returns the reference's name; empty where it has none.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$issue => $name),*
                }
            }

            /// Returns our code. Several issues share one.
            pub fn code(self) -> Code {
                match self {
                    $(Self::$issue => Code::$code),*
                }
            }

            /// Returns what to do about it, where the raiser has no better advice.
            pub fn help(self) -> &'static str {
                match self {
                    $(Self::$issue => $help),*
                }
            }
        }
    };
}

issues! {
    AppendsDeletesNoLongerSupported "APPENDS_DELETES_NO_LONGER_SUPPORTED" InvalidAssignment
        "give the result a new name: `$new = $old + …`";
    ArmAbstract "ARM_ABSTRACT" InvalidParameter "use a type that inherits from this one";
    ArmAlreadyContained "ARM_ALREADY_CONTAINED" InvalidParameter
        "construct another object, or set `containment => false`";
    ArmCheckFailed "ARM_CHECK_FAILED" InvalidParameter "change the value, or the check of the type";
    ArmConflictingSettings "ARM_CONFLICTING_SETTINGS" InvalidParameter "remove one of the two settings";
    ArmDuplicateEnumValue "ARM_DUPLICATE_ENUM_VALUE" DuplicateName "remove one of the two values";
    ArmDuplicateFeature "ARM_DUPLICATE_FEATURE" DuplicateName "rename one of the two features";
    ArmDuplicateResource "ARM_DUPLICATE_RESOURCE" DuplicateResource
        "remove one of the two resources, or give it another identity";
    ArmDuplicateSetting "ARM_DUPLICATE_SETTING" DuplicateKey "remove one of the two settings";
    ArmDuplicateType "ARM_DUPLICATE_TYPE" DuplicateName "rename one of the two types";
    ArmIllegalAssignment "ARM_ILLEGAL_ASSIGNMENT" UnexpectedToken
        "only the code of `set` assigns features; use another name";
    ArmIllegalBounds "ARM_ILLEGAL_BOUNDS" InvalidParameter "set `max` to at least 1 and at least `min`";
    ArmIllegalCheckResult "ARM_ILLEGAL_CHECK_RESULT" TypeMismatch "answer with true, false, undef or a message";
    ArmIllegalConstruction "ARM_ILLEGAL_CONSTRUCTION" InvalidParameter "write one hash: `T.new({ feature => value })`";
    ArmIllegalDefault "ARM_ILLEGAL_DEFAULT" InvalidParameter "write a value of the attribute's type";
    ArmIllegalExpression "ARM_ILLEGAL_EXPRESSION" UnexpectedToken
        "move it out of the type: code of types computes values only";
    ArmIllegalFunction "ARM_ILLEGAL_FUNCTION" UnknownFunction
        "use one of the functions of `arm-functions/1`, which the manual lists";
    ArmIllegalImplementation "ARM_ILLEGAL_IMPLEMENTATION" InvalidType
        "name a kind and its parameters; `workbench doc` lists them";
    ArmIllegalParent "ARM_ILLEGAL_PARENT" InvalidType "name a type with features, or `Resource`";
    ArmIllegalSettingValue "ARM_ILLEGAL_SETTING_VALUE" InvalidParameter "the manual lists what each setting takes";
    ArmInheritanceCycle "ARM_INHERITANCE_CYCLE" RecursiveReference "remove one of the parents";
    ArmInvariantFailed "ARM_INVARIANT_FAILED" InvalidParameter "change the values, or the invariant of the type";
    ArmManagedResource "ARM_MANAGED_RESOURCE" InvalidParameter "declare a resource of the type";
    ArmMissingValue "ARM_MISSING_VALUE" InvalidParameter "set the feature";
    ArmNoIdentity "ARM_NO_IDENTITY" InvalidType "add an attribute `name`, or give one `min => 1`, and set it";
    ArmReadOnly "ARM_READ_ONLY" InvalidParameter "remove the value";
    ArmReservedFeatureName "ARM_RESERVED_FEATURE_NAME" InvalidName
        "choose another name: code of types reads `$it` and `$meta`";
    ArmTooManyValues "ARM_TOO_MANY_VALUES" TypeMismatch "remove values, or raise `max`";
    ArmTypeMismatch "ARM_TYPE_MISMATCH" TypeMismatch "write a value of the feature's type";
    ArmUnknownFeature "ARM_UNKNOWN_FEATURE" UnknownField "correct the name, or declare the feature";
    ArmUnknownParent "ARM_UNKNOWN_PARENT" InvalidType "define the type, or correct the name";
    ArmUnknownSetting "ARM_UNKNOWN_SETTING" UnknownParameter "the manual lists the settings of `attr` and `has`";
    ArmUnknownType "ARM_UNKNOWN_TYPE" InvalidType
        "`attr` takes Integer, Float, String, Boolean or an enum; `has` takes a type with features";
    BadArraySliceArity "BAD_ARRAY_SLICE_ARITY" InvalidType TYPE;
    BadCollectionSliceType "BAD_COLLECTION_SLICE_TYPE" InvalidType TYPE;
    BadExport "BAD_EXPORT" BadExport
        "check that file, and delete it if it is not needed; nothing is collected before that";
    BadIntegerSliceArity "BAD_INTEGER_SLICE_ARITY" InvalidType TYPE;
    BadIntegerSliceType "BAD_INTEGER_SLICE_TYPE" InvalidType TYPE;
    BadNotUndefSliceType "BAD_NOT_UNDEF_SLICE_TYPE" InvalidType TYPE;
    BadSliceKeyType "BAD_SLICE_KEY_TYPE" InvalidType TYPE;
    BadStringSliceArity "BAD_STRING_SLICE_ARITY" InvalidType TYPE;
    BadStringSliceKeyType "BAD_STRING_SLICE_KEY_TYPE" InvalidType TYPE;
    BadTypeSliceArity "BAD_TYPE_SLICE_ARITY" InvalidType TYPE;
    BadTypeSliceType "BAD_TYPE_SLICE_TYPE" InvalidType TYPE;
    BadTypeSpecialization "BAD_TYPE_SPECIALIZATION" InvalidType TYPE;
    CapturesRestNotLast "CAPTURES_REST_NOT_LAST" InvalidName "move this parameter to the end";
    CapturesRestNotSupported "CAPTURES_REST_NOT_SUPPORTED" InvalidName "use an Array as the type of the parameter";
    ClassNotVirtualizable "CLASS_NOT_VIRTUALIZABLE" Misplaced "remove the `@`; use `include` where the class is needed";
    ComparisonNotPossible "COMPARISON_NOT_POSSIBLE" InvalidOperand
        "convert both sides to one type, for example with `Integer(…)` or `String(…)`";
    CrossScopeAssignment "CROSS_SCOPE_ASSIGNMENT" InvalidAssignment
        "set the variable in its own class, or use a name without `::`";
    DiscontinuedImport "DISCONTINUED_IMPORT" Misplaced "remove it: classes are found by their name; use `include`";
    DivByZero "DIV_BY_ZERO" DivisionByZero "check the divisor before the division";
    DuplicateAttribute "DUPLICATE_ATTRIBUE" DuplicateKey "remove one of the two values";
    DuplicateDefault "DUPLICATE_DEFAULT" DuplicateKey "remove one of the two `default` entries";
    DuplicateKey "DUPLICATE_KEY" DuplicateKey "remove one of the two entries";
    DuplicateParameter "DUPLICATE_PARAMETER" DuplicateName "rename one of the two parameters";
    DuplicateTitle "DUPLICATE_TITLE" DuplicateName "give each resource a title of its own";
    EmptyStringTitleAt "EMPTY_STRING_TITLE_AT" InvalidTitle "give the resource a title that is not empty";
    EppUnbalancedComment "EPP_UNBALANCED_COMMENT" InvalidTemplate "close the comment with `%>`";
    EppUnbalancedTag "EPP_UNBALANCED_TAG" InvalidTemplate "close the tag with `%>`";
    ExportedSecret "EXPORTED_SECRET" MissingSecret
        "remove it here, and set it where the resource is collected: `TYPE <<| QUERY |>> { NAME => VALUE }`";
    FormatTooWide "FORMAT_TOO_WIDE" InvalidValue VALUE;
    HeredocEmptyEndtag "HEREDOC_EMPTY_ENDTAG" UnterminatedString "write a tag in the parentheses, for example `@(END)`";
    HeredocInvalidEscape "HEREDOC_INVALID_ESCAPE" UnknownEscape
        "write some of `t`, `s`, `r`, `n`, `u`, `L` and `$` after the `/`";
    HeredocMultipleAtEscapes "HEREDOC_MULTIPLE_AT_ESCAPES" UnknownEscape "write each letter once";
    HeredocUnclosedParenthesis "HEREDOC_UNCLOSED_PARENTHESIS" UnterminatedString
        "close the tag with `)` on the same line";
    HeredocWithoutEndTaggedLine "HEREDOC_WITHOUT_END_TAGGED_LINE" UnterminatedString
        "end the text with a line that holds only the tag";
    HeredocWithoutText "HEREDOC_WITHOUT_TEXT" UnterminatedString
        "write the text on the next lines, and the tag on a line of its own after it";
    HieraDataProviderFunctionNotFound "HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND" InvalidHierarchy
        "check the name, or add the folder of its module with `--module-path`";
    HieraDefaultHierarchyNotInModule "HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE" InvalidHierarchy
        "move its levels to the end of `hierarchy`";
    HieraDefaultOptionReservedByPuppet "HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET" InvalidHierarchy
        "rename the option: Puppet itself sets `path` and `uri`";
    HieraHierarchyNameMultiplyDefined "HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED" InvalidHierarchy
        "give one of the two levels another name";
    HieraInterpolationAliasNotEntireString "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING" InvalidHierarchy
        "remove the text around it, or use `%{lookup('KEY')}`";
    HieraInterpolationMethodSyntaxNotAllowed "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED" InvalidHierarchy
        "use a variable: `lookup` and `alias` work in data files only";
    HieraInterpolationUnknownInterpolationMethod "HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD" InvalidHierarchy
        "use `lookup`, `hiera`, `alias`, `literal` or `scope`";
    HieraMissingDataProviderFunction "HIERA_MISSING_DATA_PROVIDER_FUNCTION" InvalidHierarchy
        "add a function to the level, for example `data_hash: yaml_data`";
    HieraMultipleDataProviderFunctions "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS" InvalidHierarchy
        "remove all but one of the functions";
    HieraMultipleDataProviderFunctionsInDefault "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT" InvalidHierarchy
        "remove all but one of the functions";
    HieraMultipleLocationSpecs "HIERA_MULTIPLE_LOCATION_SPECS" InvalidHierarchy
        "remove all but one of them; `paths` and `globs` take several values";
    HieraNoProviderForBackend "HIERA_NO_PROVIDER_FOR_BACKEND" InvalidHierarchy
        "use `yaml`, `json` or `hocon`, or convert the file to `version: 5`";
    HieraOptionReservedByPuppet "HIERA_OPTION_RESERVED_BY_PUPPET" InvalidHierarchy
        "rename the option: Puppet itself sets `path` and `uri`";
    HieraUnsupportedVersion "HIERA_UNSUPPORTED_VERSION" InvalidHierarchy "convert the file to `version: 5`";
    HieraUnsupportedVersionInGlobal "HIERA_UNSUPPORTED_VERSION_IN_GLOBAL" InvalidHierarchy
        "convert the file to `version: 5`";
    HieraV3BackendNotGlobal "HIERA_V3_BACKEND_NOT_GLOBAL" InvalidHierarchy
        "use `data_hash`, `lookup_key` or `data_dig` with a function of a module";
    HieraV3BackendReplacedByDataHash "HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH" InvalidHierarchy
        "replace the line as the message shows";
    HieraVersion3NotGlobal "HIERA_VERSION_3_NOT_GLOBAL" InvalidHierarchy "convert the file to `version: 5`";
    IdemExpressionNotLast "IDEM_EXPRESSION_NOT_LAST" NoEffect "remove the expression, or use its value";
    IdemNotAllowedLast "IDEM_NOT_ALLOWED_LAST" NoEffect "remove the expression, or use its value";
    IllegalAssignment "ILLEGAL_ASSIGNMENT" InvalidAssignment "assign to a variable, for example `$x = …`";
    IllegalAssignmentContext "ILLEGAL_ASSIGNMENT_CONTEXT" InvalidAssignment
        "assign before this place, and use the variable here";
    IllegalAttributeAppend "ILLEGAL_ATTRIBUTE_APPEND" WrongSign "use `=>` here; `+>` is for overrides and defaults";
    IllegalBom "ILLEGAL_BOM" UnknownCharacter "save the file as UTF-8 without a byte order mark";
    IllegalClassReference "ILLEGAL_CLASS_REFERENCE" InvalidReference
        "write all parts of a name with a capital letter, or none: `a::b` is a function or class, `A::B` a type";
    IllegalDefinitionLocation "ILLEGAL_DEFINITION_LOCATION" InvalidName
        "move it to the file that belongs to its name, or rename it";
    IllegalDefinitionName "ILLEGAL_DEFINITION_NAME" InvalidName NAME;
    IllegalExpression "ILLEGAL_EXPRESSION" Misplaced "write the expression on its own, and use its value here";
    IllegalFullyQualifiedName "ILLEGAL_FULLY_QUALIFIED_NAME" InvalidName "remove the `::`";
    IllegalHostclassName "ILLEGAL_HOSTCLASS_NAME" InvalidName NAME;
    IllegalHostnameChars "ILLEGAL_HOSTNAME_CHARS" InvalidName
        "use letters, digits, `-`, `_` and `.`, or a regular expression";
    IllegalHostnameInterpolation "ILLEGAL_HOSTNAME_INTERPOLATION" InvalidName "write the name in single quotes";
    IllegalIndexedAssignment "ILLEGAL_INDEXED_ASSIGNMENT" InvalidAssignment
        "make a new value: `$new = $old + { key => value }`";
    IllegalMultiAssignmentSize "ILLEGAL_MULTI_ASSIGNMENT_SIZE" InvalidValue
        "write as many variables as there are values";
    IllegalName "ILLEGAL_NAME" InvalidName NAME;
    IllegalNodeInheritance "ILLEGAL_NODE_INHERITANCE" Misplaced "use classes for what several nodes have in common";
    IllegalNumber "ILLEGAL_NUMBER" InvalidValue "write digits only, or put the text into quotes";
    IllegalNumericAssignment "ILLEGAL_NUMERIC_ASSIGNMENT" InvalidAssignment
        "use a name: numbers hold what a regular expression matched";
    IllegalNumericParameter "ILLEGAL_NUMERIC_PARAMETER" InvalidName NAME;
    IllegalNumericVarName "ILLEGAL_NUMERIC_VAR_NAME" InvalidName NAME;
    IllegalOverriddenType "ILLEGAL_OVERRIDDEN_TYPE" InvalidReference REFERENCE;
    IllegalParamName "ILLEGAL_PARAM_NAME" InvalidName NAME;
    IllegalQueryExpression "ILLEGAL_QUERY_EXPRESSION" InvalidReference
        "a query compares parameters: `title == 'x' and ensure == present`";
    IllegalReassignment "ILLEGAL_REASSIGNMENT" AssignedTwice "use another name: a variable gets its value once";
    IllegalRelationshipOperandType "ILLEGAL_RELATIONSHIP_OPERAND_TYPE" InvalidReference
        "write references, such as `Package['x'] -> Service['y']`";
    IllegalReservedAssignment "ILLEGAL_RESERVED_ASSIGNMENT" InvalidAssignment "use another name";
    IllegalResourceSpecialization "ILLEGAL_RESOURCE_SPECIALIZATION" InvalidReference
        "write a type and a title: `File['/etc/x']`";
    IllegalResourceType "ILLEGAL_RESOURCE_TYPE" InvalidReference "write the name of a type before the `{`";
    IllegalTitleTypeAt "ILLEGAL_TITLE_TYPE_AT" InvalidTitle "write a text, or a list of texts, as the title";
    IllegalTopConstructLocation "ILLEGAL_TOP_CONSTRUCT_LOCATION" Misplaced
        "a module's file holds definitions only: move the statement into a class";
    IllegalTypeMapping "ILLEGAL_TYPE_MAPPING" InvalidType "map a runtime type to a type of Puppet";
    IllegalVarName "ILLEGAL_VAR_NAME" InvalidName "a name starts with a lower-case letter or `_`";
    InvalidOctalNumber "INVALID_OCTAL_NUMBER" InvalidValue "remove the 0 at the start, or use the digits 0 to 7";
    InvalidSyntax "INVALID_SYNTAX" InvalidValue "correct the text, or remove its syntax from the tag";
    MatchNotRegexp "MATCH_NOT_REGEXP" InvalidOperand
        "write a regular expression such as `/x/`, a type, or a string with an expression";
    MatchNotString "MATCH_NOT_STRING" InvalidOperand "convert the left side with `String(…)`";
    MissingMultiAssignmentKey "MISSING_MULTI_ASSIGNMENT_KEY" UnknownKey
        "use keys of the hash as names of the variables";
    MissingMultiAssignmentVariable "MISSING_MULTI_ASSIGNMENT_VARIABLE" UnknownVariable
        "use variables of the class as names";
    MissingRequiredParameter "MISSING_REQUIRED_PARAMETER" MissingParameter "give the parameter a value, or a default";
    MissingTitle "MISSING_TITLE" MissingTitle "give the resource a title";
    MissingTitleAt "MISSING_TITLE_AT" MissingTitle "give the resource a title";
    MultipleAttributesUnfold "MULTIPLE_ATTRIBUTES_UNFOLD" Misplaced "merge the hashes first: `* => $a + $b`";
    NotAbsoluteTopLevel "NOT_ABSOLUTE_TOP_LEVEL" Misplaced "move the definition to the top of the file";
    NotNumeric "NOT_NUMERIC" InvalidOperand "convert it with `Numeric(…)`, or check the value";
    NotRvalue "NOT_RVALUE" Misplaced "write it as a statement of its own";
    NotTopLevel "NOT_TOP_LEVEL" Misplaced "move the definition to the top of the file, or into a class";
    NotVirtualizable "NOT_VIRTUALIZEABLE" Misplaced "remove the `@`";
    NumericCoercion "NUMERIC_COERCION" InvalidOperand "convert the text with `Integer(…)` or `Float(…)`";
    NumericOverflow "NUMERIC_OVERFLOW" NumberOverflow "integers have 64 bits; use a smaller number, or a Float";
    OperatorNotApplicable "OPERATOR_NOT_APPLICABLE" InvalidOperand
        "convert the operand to a type that the operator takes";
    OperatorNotApplicableWhen "OPERATOR_NOT_APPLICABLE_WHEN" InvalidOperand OPERAND;
    RequiredParameterAfterOptional "REQUIRED_PARAMETER_AFTER_OPTIONAL" InvalidName
        "give the parameter a default, or move it to the front";
    ReservedParameter "RESERVED_PARAMETER" InvalidName "rename the parameter";
    ReservedTypeName "RESERVED_TYPE_NAME" InvalidName "rename it: the name belongs to a type";
    ReservedWord "RESERVED_WORD" InvalidName "write it in quotes";
    ResourceWithoutTitle "RESOURCE_WITHOUT_TITLE" MissingTitle
        "write a title before the attributes: `TYPE { 'TITLE': … }`";
    ResultIsInfinity "RESULT_IS_INFINITY" NumberOverflow "use smaller numbers";
    RuntimeError "RUNTIME_ERROR" InvalidValue VALUE;
    MissingArgument "RUNTIME_ERROR" MissingParameter help::VALUE;
    UndefArgument "RUNTIME_ERROR" TypeMismatch help::EXPECTED;
    UnknownArgument "RUNTIME_ERROR" UnknownParameter VALUE;
    WrongCount "RUNTIME_ERROR" ArgumentCount help::COUNT;
    WrongType "RUNTIME_ERROR" TypeMismatch help::EXPECTED;
    SyntaxError "SYNTAX_ERROR" UnexpectedToken "check for a missing comma, brace or quote before this place";
    TypeMismatch "TYPE_MISMATCH" TypeMismatch help::EXPECTED;
    UnclosedMlcomment "UNCLOSED_MLCOMMENT" UnterminatedString "close the comment with `*/`";
    UnclosedQuote "UNCLOSED_QUOTE" UnterminatedString
        "close the string with the same quote; a quote inside it needs a `\\` before it";
    UnknownFunction "UNKNOWN_FUNCTION" UnknownFunction VALUE;
    UnknownResource "UNKNOWN_RESOURCE" UnknownResource "declare the resource first, or correct its title";
    UnknownResourceParameter "UNKNOWN_RESOURCE_PARAMETER" UnknownParameter "correct the name of the parameter";
    UnknownResourceType "UNKNOWN_RESOURCE_TYPE" UnknownKind VALUE;
    UnknownVariable "UNKNOWN_VARIABLE" UnknownVariable "correct the name";
    UnmatchedSelector "UNMATCHED_SELECTOR" NoMatch "add an entry `default => VALUE`";
    UnsupportedExpression "UNSUPPORTED_EXPRESSION" Misplaced "remove it: Puppet has no such statement yet";
    Unnamed "" UnexpectedToken "complete the statement before this place";
}
