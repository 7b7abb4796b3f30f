//! The signatures of functions, as data.

/// A function's name, and each of its signatures: a callable type, then the names of its parameters and its block.
pub(super) type Row = (&'static str, &'static [(&'static str, &'static str)]);

/// Sorted by name. A function without a row checks its own arguments.
pub(super) const SIGNATURES: &[Row] = &[
    ("abs", &[("Callable[Numeric]", "val"), ("Callable[String]", "val")]),
    ("alert", &[("Callable[[Any, 0], Undef]", "values")]),
    (
        "all",
        &[
            ("Callable[Hash, Callable[2, 2]]", "hash block"),
            ("Callable[Hash, Callable[1, 1]]", "hash block"),
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
        ],
    ),
    (
        "any",
        &[
            ("Callable[Hash, Callable[2, 2]]", "hash block"),
            ("Callable[Hash, Callable[1, 1]]", "hash block"),
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
        ],
    ),
    ("binary_file", &[("Callable[String]", "path")]),
    (
        "camelcase",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    (
        "capitalize",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    ("ceiling", &[("Callable[Numeric]", "val"), ("Callable[String]", "val")]),
    (
        "chomp",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    (
        "chop",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    ("crit", &[("Callable[[Any, 0], Undef]", "values")]),
    ("debug", &[("Callable[[Any, 0], Undef]", "values")]),
    ("defined", &[("Callable[Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]], 1]", "vals")]),
    ("dig", &[("Callable[Optional[Collection], Any, 1]", "data arg")]),
    (
        "downcase",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Array[Variant[String, Numeric, Array, Hash]]]", "arg"),
            ("Callable[Hash[Variant[String, Numeric, Array, Hash], Variant[String, Numeric, Array, Hash]]]", "arg"),
        ],
    ),
    (
        "each",
        &[
            ("Callable[Hash, Callable[2, 2]]", "hash block"),
            ("Callable[Hash, Callable[1, 1]]", "hash block"),
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
        ],
    ),
    ("emerg", &[("Callable[[Any, 0], Undef]", "values")]),
    (
        "empty",
        &[
            ("Callable[Collection]", "coll"),
            ("Callable[Sensitive[String]]", "str"),
            ("Callable[String]", "str"),
            ("Callable[Numeric]", "num"),
            ("Callable[Binary]", "bin"),
            ("Callable[Undef]", "x"),
        ],
    ),
    (
        "epp",
        &[(
            "Callable[[String, Hash[Pattern[/^\\w+$/], Any], 1, 2], Variant[String, Sensitive[String]]]",
            "path parameters",
        )],
    ),
    ("err", &[("Callable[[Any, 0], Undef]", "values")]),
    (
        "filter",
        &[
            ("Callable[Hash, Callable[2, 2]]", "hash block"),
            ("Callable[Hash, Callable[1, 1]]", "hash block"),
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
        ],
    ),
    ("find_file", &[("Callable[String, 0]", "paths"), ("Callable[Array[String], 0]", "paths_array")]),
    ("find_template", &[("Callable[String, 0]", "paths"), ("Callable[Array[String], 0]", "paths_array")]),
    ("flatten", &[("Callable[Any, 0]", "args")]),
    ("floor", &[("Callable[Numeric]", "val"), ("Callable[String]", "val")]),
    (
        "get",
        &[("Callable[Any, String, Any, 2, 3, Optional[Callable[1, 1]]]", "value dotted_string default_value block")],
    ),
    (
        "group_by",
        &[
            ("Callable[[Collection, Callable[1, 1]], Hash]", "collection block"),
            ("Callable[[Array, Callable[2, 2]], Hash]", "array block"),
            ("Callable[[Collection, Callable[2, 2]], Hash]", "collection block"),
        ],
    ),
    ("info", &[("Callable[[Any, 0], Undef]", "values")]),
    (
        "inline_epp",
        &[(
            "Callable[[String, Hash[Pattern[/^\\w+$/], Any], 1, 2], Variant[String, Sensitive[String]]]",
            "template parameters",
        )],
    ),
    ("join", &[("Callable[Array, String, 1, 2]", "arg delimiter")]),
    ("keys", &[("Callable[Hash]", "hsh")]),
    ("length", &[("Callable[Collection]", "arg"), ("Callable[String]", "arg"), ("Callable[Binary]", "arg")]),
    ("lest", &[("Callable[Any, Callable[0, 0]]", "arg block")]),
    (
        "lstrip",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    (
        "map",
        &[
            ("Callable[Hash, Callable[2, 2]]", "hash block"),
            ("Callable[Hash, Callable[1, 1]]", "hash block"),
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
        ],
    ),
    (
        "match",
        &[
            ("Callable[String, Variant[Any, Type]]", "string pattern"),
            ("Callable[Array[String], Variant[Any, Type]]", "string pattern"),
        ],
    ),
    (
        "max",
        &[
            ("Callable[Numeric, 0]", "values"),
            ("Callable[String, 0]", "values"),
            ("Callable[SemVer, 0]", "values"),
            ("Callable[Timespan, 0]", "values"),
            ("Callable[Timestamp, 0]", "values"),
            ("Callable[Array[Numeric], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[String], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[SemVer], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timespan], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timestamp], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Any, 0, Callable[2, 2]]", "values block"),
            ("Callable[Any, 0]", "values"),
        ],
    ),
    (
        "min",
        &[
            ("Callable[Numeric, 0]", "values"),
            ("Callable[String, 0]", "values"),
            ("Callable[SemVer, 0]", "values"),
            ("Callable[Timespan, 0]", "values"),
            ("Callable[Timestamp, 0]", "values"),
            ("Callable[Array[Numeric], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[SemVer], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timespan], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timestamp], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[String], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Any, 0, Callable[2, 2]]", "values block"),
            ("Callable[Any, 0]", "values"),
        ],
    ),
    ("module_directory", &[("Callable[String, 0]", "names"), ("Callable[Array[String], 0]", "names")]),
    ("notice", &[("Callable[[Any, 0], Undef]", "values")]),
    (
        "partition",
        &[
            ("Callable[[Collection, Callable[1, 1]], Tuple[Array, Array]]", "collection block"),
            ("Callable[[Array, Callable[2, 2]], Tuple[Array, Array]]", "array block"),
            ("Callable[[Collection, Callable[2, 2]], Tuple[Array, Array]]", "collection block"),
        ],
    ),
    (
        "reduce",
        &[
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Any, Callable[2, 2]]", "enumerable memo block"),
        ],
    ),
    (
        "regsubst",
        &[
            (
                "Callable[Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], String, Sensitive[String]], String, Variant[String, Hash[String, String]], Optional[Pattern[/^[GEIM]*$/]], Enum['E', 'N', 'S', 'U'], 3, 5]",
                "target pattern replacement flags encoding",
            ),
            (
                "Callable[Variant[Array[Variant[String, Sensitive[String]]], Sensitive[Array[Variant[String, Sensitive[String]]]], String, Sensitive[String]], Variant[Regexp, Type[Regexp]], Variant[String, Hash[String, String]], Pattern[/^G?$/], 3, 4]",
                "target pattern replacement flags",
            ),
        ],
    ),
    ("reverse_each", &[("Callable[Iterable]", "iterable"), ("Callable[Iterable, Callable[1, 1]]", "iterable block")]),
    ("round", &[("Callable[Numeric]", "val")]),
    (
        "rstrip",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    ("scanf", &[("Callable[String, String, Optional[Callable]]", "data format block")]),
    ("size", &[("Callable[Variant[Collection, String, Binary]]", "arg")]),
    (
        "slice",
        &[
            ("Callable[Hash, Integer[1], Optional[Callable]]", "hash slice_size block"),
            ("Callable[Iterable, Integer[1], Optional[Callable]]", "enumerable slice_size block"),
        ],
    ),
    (
        "sort",
        &[
            ("Callable[String, Optional[Callable[2, 2]]]", "string_value block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "array_value block"),
        ],
    ),
    (
        "split",
        &[
            ("Callable[String, String]", "str pattern"),
            ("Callable[String, Regexp]", "str pattern"),
            ("Callable[String, Type[Regexp]]", "str pattern"),
            ("Callable[Sensitive[String], String]", "sensitive pattern"),
            ("Callable[Sensitive[String], Regexp]", "sensitive pattern"),
            ("Callable[Sensitive[String], Type[Regexp]]", "sensitive pattern"),
        ],
    ),
    (
        "step",
        &[
            ("Callable[Iterable, Integer[1]]", "iterable step"),
            ("Callable[Iterable, Integer[1], Callable[1, 1]]", "iterable step block"),
        ],
    ),
    (
        "strftime",
        &[
            ("Callable[Timespan, String]", "time_object format"),
            ("Callable[Timestamp, String, String, 2, 3]", "time_object format timezone"),
            ("Callable[String, String, 1, 2]", "format timezone"),
        ],
    ),
    (
        "strip",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Iterable[Variant[String, Numeric]]]", "arg"),
        ],
    ),
    ("then", &[("Callable[Any, Callable[1, 1]]", "arg block")]),
    (
        "tree_each",
        &[
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2, Callable[2, 2]]",
                "tree options block",
            ),
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2, Callable[1, 1]]",
                "tree options block",
            ),
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2]",
                "tree options",
            ),
        ],
    ),
    ("type", &[("Callable[Any, Enum['detailed', 'reduced', 'generalized'], 1, 2]", "value inference_method")]),
    (
        "unique",
        &[
            ("Callable[String, Optional[Callable[String]]]", "string block"),
            ("Callable[Hash, Optional[Callable[Any]]]", "hash block"),
            ("Callable[Array, Optional[Callable[Any]]]", "array block"),
            ("Callable[Iterable, Optional[Callable[Any]]]", "iterable block"),
        ],
    ),
    (
        "upcase",
        &[
            ("Callable[Numeric]", "arg"),
            ("Callable[String]", "arg"),
            ("Callable[Array[Variant[String, Numeric, Array, Hash]]]", "arg"),
            ("Callable[Hash[Variant[String, Numeric, Array, Hash], Variant[String, Numeric, Array, Hash]]]", "arg"),
        ],
    ),
    ("values", &[("Callable[Hash]", "hsh")]),
    ("versioncmp", &[("Callable[String, String, Boolean, 2, 3]", "a b ignore_trailing_zeroes")]),
    ("warning", &[("Callable[[Any, 0], Undef]", "values")]),
    ("with", &[("Callable[Any, 0, Callable]", "arg block")]),
];
