//! Every diagnostic code with its summary: the one place for the texts of errors.
//!
//! A summary is the same words every time, without names, in lower case, without a full stop. Codes are never reused.

/// Declares the codes once: variant, stable name, summary.
macro_rules! codes {
    ($($variant:ident $name:literal $summary:literal)*) => {
        /// The stable name of a kind of problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum Code { $($variant),* }

        impl Code {
            /// All codes.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The stable name, as in tests and JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            /// The general problem.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$variant => $summary),* }
            }
        }
    };
}

codes! {
    // Entries, metadata and modules.
    NoSuchPath "no-such-path" "no such path"
    NoEntryPoint "no-entry-point" "no entry point"
    UnreadableFile "unreadable-file" "cannot read a file"
    FileTooLarge "file-too-large" "file too large"
    InvalidUtf8 "invalid-utf8" "not valid UTF-8"
    InvalidMetadata "invalid-metadata" "invalid module metadata"
    UnknownLanguage "unknown-language" "cannot determine the language"
    UnsupportedLanguage "unsupported-language" "language not supported yet"
    NotInLanguage "not-in-language" "not available for this language"
    NoMclForm "no-mcl-form" "cannot be written in mcl"
    ForeignOption "foreign-option" "option of another language"
    UrlRefused "url-refused" "URL refused"
    ModuleNotFetched "module-not-fetched" "module not fetched"
    ModuleEdited "module-edited" "module edited since it was fetched"
    ImportNotAdded "import-not-added" "import not added"
    RefsDisagree "refs-disagree" "two versions of one module"
    UnfitVersion "unfit-version" "a module has another version"
    LockDrift "lock-drift" "differs from the lock file"
    InvalidLock "invalid-lock" "invalid lock file"
    BundleRefused "bundle-refused" "bundle refused"
    NotBundled "not-bundled" "bundle not created"
    InvalidTarget "invalid-target" "invalid target"
    TargetUnreachable "target-unreachable" "target unreachable"
    TargetRefused "target-refused" "target refused the request"
    NotPublished "not-published" "nothing published"
    InvalidTheme "invalid-theme" "invalid theme"
    UnknownTheme "unknown-theme" "no such theme"

    // Settings.
    InvalidSetting "invalid-setting" "invalid setting"
    UnknownSetting "unknown-setting" "unknown setting"
    IgnoredSetting "ignored-setting" "setting without effect"
    NotForProjects "not-for-projects" "setting not allowed in a project"
    InvalidKey "invalid-key" "invalid key"
    KeyClash "key-clash" "two actions on one key"
    UnknownAction "unknown-action" "unknown action"
    RemovedAction "removed-action" "this action was removed"
    UnknownScreen "unknown-screen" "unknown screen"

    // Lexing and parsing.
    UnexpectedToken "unexpected-token" "syntax error"
    UnclosedBracket "unclosed-bracket" "bracket not closed"
    UnmatchedBracket "unmatched-bracket" "closing bracket without an opening one"
    CommaNeeded "comma-needed" "missing comma"
    MissingSign "missing-sign" "missing punctuation"
    WrongSign "wrong-sign" "wrong punctuation"
    ForeignWord "foreign-word" "word of another language"
    MergeConflict "merge-conflict" "unresolved merge conflict"
    UnknownCharacter "unknown-character" "unknown character"
    CarriageReturn "carriage-return" "carriage return in source"
    UnterminatedString "unterminated-string" "unterminated string"
    NumberOverflow "number-overflow" "number out of range"
    MissingComma "missing-comma" "missing trailing comma"
    ExtraComma "extra-comma" "comma not allowed here"
    OlderSyntax "older-syntax" "syntax from an older version"
    NestedTooDeep "nested-too-deep" "nested too deep"
    InvalidType "invalid-type" "invalid type"
    UnknownEscape "unknown-escape" "unknown escape sequence"
    InvalidInterpolation "invalid-interpolation" "invalid interpolation"
    DuplicateField "duplicate-field" "duplicate field"
    DuplicateKey "duplicate-key" "duplicate key"
    InvalidMapKey "invalid-map-key" "invalid map key"
    UnknownMeta "unknown-meta" "unknown meta parameter"
    MisplacedImport "misplaced-import" "import not allowed here"
    DuplicateClass "duplicate-class" "duplicate class name"
    InvalidName "invalid-name" "invalid name"

    // Names and imports.
    UnknownVariable "unknown-variable" "unknown variable"
    UnknownFunction "unknown-function" "unknown function"
    UnknownClass "unknown-class" "unknown class"
    DuplicateName "duplicate-name" "name defined twice"
    RecursiveReference "recursive-reference" "recursive reference"
    InvalidImport "invalid-import" "invalid import"
    UnknownImport "unknown-import" "import not found"
    MissingModule "missing-module" "module not downloaded"
    UnheardParameter "unheard-parameter" "unused part of a URL"
    ImportCycle "import-cycle" "import cycle"
    ModuleSideEffect "module-side-effect" "imported file has side effects"
    ArgumentCount "argument-count" "wrong number of arguments"
    PlainDollar "plain-dollar" "dollar without braces"

    // Types.
    TypeMismatch "type-mismatch" "types differ"
    InfiniteType "infinite-type" "type would contain itself"
    AmbiguousType "ambiguous-type" "ambiguous type"
    UnknownField "unknown-field" "unknown field"
    UnknownParameter "unknown-parameter" "unknown parameter"
    InvalidFormat "invalid-format" "invalid format string"
    HalfEdge "half-edge" "edge without a second end"
    CannotSend "cannot-send" "cannot send this value"
    CannotReceive "cannot-receive" "cannot receive this value"
    TooComplex "too-complex" "program too complex"

    // Evaluation and the graph.
    DuplicateMeta "duplicate-meta" "meta parameter set twice"
    AssignedTwice "assigned-twice" "value set twice"
    MissingParameter "missing-parameter" "missing parameter"
    MissingTitle "missing-title" "resource without a title"
    InvalidTitle "invalid-title" "invalid resource title"
    InvalidReference "invalid-reference" "invalid reference"
    InvalidAssignment "invalid-assignment" "cannot assign here"
    InvalidOperand "invalid-operand" "operator does not fit the value"
    InvalidValue "invalid-value" "value not accepted"
    InvalidRegexp "invalid-regexp" "invalid regular expression"
    InvalidData "invalid-data" "invalid data file"
    InvalidHierarchy "invalid-hierarchy" "invalid Hiera configuration"
    InvalidTemplate "invalid-template" "invalid template"
    InvalidPlugin "invalid-plugin" "plugin cannot be loaded"
    MissingPackage "missing-package" "Python package not installed"
    UndefinedValue "undefined-value" "undefined value"
    UnknownKey "unknown-key" "unknown key"
    UnknownFile "unknown-file" "file not found"
    UnknownTemplate "unknown-template" "template not found"
    UnknownNode "unknown-node" "no definition for the node"
    UnknownType "unknown-type" "unknown type"
    UnknownValue "unknown-value" "value not known while compiling"
    DivisionByZero "division-by-zero" "division by zero"
    NoImplementation "no-implementation" "no implementation"
    NoMatch "no-match" "no entry matches"
    NoEffect "no-effect" "value without use"
    Misplaced "misplaced" "not allowed here"
    ProgramFailed "program-failed" "the program reports an error"
    PluginFailed "plugin-failed" "plugin failed"
    TemplateFailed "template-failed" "template failed"
    FunctionFailed "function-failed" "function call failed"
    LateValue "late-value" "value added too late"
    InheritanceCycle "inheritance-cycle" "inheritance cycle"
    EvaluationFailed "evaluation-failed" "evaluation failed"
    EvaluationLimit "evaluation-limit" "evaluation limit reached"
    Panicked "panicked" "the program panicked"
    UnknownKind "unknown-kind" "unknown resource kind"
    InvalidParameter "invalid-parameter" "invalid parameter value"
    DuplicateResource "duplicate-resource" "resource declared twice"
    UnknownResource "unknown-resource" "resource not in the graph"
    DuplicateReceive "duplicate-receive" "parameter receives twice"
    NothingCollected "nothing-collected" "nothing to collect"
    CollectedHidden "collected-hidden" "collected resource stays hidden"
    BadExport "bad-export" "cannot read an exported resource"
    MissingSecret "missing-secret" "secret not exported"
    DependencyCycle "dependency-cycle" "dependency cycle"
    Cancelled "cancelled" "cancelled"
    OutOfTime "out-of-time" "time limit exceeded"
    InternalError "internal-error" "internal error"
    ReadRefused "read-refused" "an unapproved module may not read this"
    WorkerEnded "worker-ended" "the process that compiles ended"
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn names_are_unique_and_summaries_plain() {
        let mut names: Vec<_> = Code::ALL.iter().map(|c| c.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(
                code.as_str().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{code:?}"
            );
            assert!(!code.summary().ends_with('.') && !code.summary().is_empty(), "{code:?}");
        }
    }
}
