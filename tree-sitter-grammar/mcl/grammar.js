/**
 * mcl, the language of mgmt, for the eye: highlighting, folding, outlines.
 *
 * As exact as the compiler's own parser where a context-free grammar can be: statements end with a line break, a list
 * is on one line or has one element a line, comparisons do not associate, `?:` stands only in resource bodies.
 */

// From loosest to tightest. Comparisons stand between `and` and `+`; they do not associate, so they are no level of
// this ladder but a step between `_expression` and `_operand`.
const PREC = {
  fallback: 1,
  or: 2,
  and: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  not: 7,
  field: 8,
  index: 9,
};

/** Elements on one line, without a trailing comma; perhaps none. */
function inline(rule) {
  return optional(seq(rule, repeat(seq(',', rule))));
}

/** A line break after the opening bracket, then one element a line, each followed by a comma. */
function stacked($, rule) {
  return seq($._newline, repeat(choice($._newline, seq(rule, ',', $._newline))));
}

function bracketed($, open, rule, close) {
  return seq(open, choice(inline(rule), stacked($, rule)), close);
}

/** One expression between braces, with line breaks around it as the author likes. */
function body($) {
  return seq('{', repeat($._newline), field('body', $._expression), repeat($._newline), '}');
}

module.exports = grammar({
  name: 'mcl',

  // Line breaks are tokens; only blanks and comments are free.
  extras: $ => [/[ \t]/, $.comment],

  word: $ => $.identifier,

  // Reserved everywhere; `map` and `collect` are names where `_name` says so.
  reserved: {
    global: $ => [
      'if', 'else', 'and', 'or', 'not', 'in', 'for', 'forkv', 'bool', 'str', 'int', 'float', 'map', 'struct', 'func',
      'class', 'include', 'import', 'as', 'variant', 'true', 'false', 'panic', 'collect',
    ],
  },

  supertypes: $ => [$._statement, $._expression, $._operand, $._type],

  rules: {
    // The compiler adds the last line break where it is missing.
    source_file: $ => seq(
      repeat(choice($._newline, seq($._statement, $._newline))),
      optional($._statement),
    ),

    _newline: _ => /\n/,

    comment: _ => /#[^\n]*/,

    block: $ => seq('{', repeat(choice($._newline, seq($._statement, $._newline))), '}'),

    // Statements.

    _statement: $ => choice(
      $.bind,
      $.if_statement,
      $.for_statement,
      $.forkv_statement,
      $.function_definition,
      $.class_definition,
      $.include_statement,
      $.import_statement,
      $.panic_statement,
      $.resource,
      $.collect_statement,
      $.edge_statement,
    ),

    bind: $ => seq(field('name', $.binding), optional(field('type', $._type)), '=', field('value', $._expression)),

    if_statement: $ => seq(
      'if', field('condition', $._expression), field('consequence', $.block),
      optional(seq('else', field('alternative', $.block))),
    ),

    for_statement: $ => seq(
      'for', field('index', $.binding), ',', field('value', $.binding), 'in', field('list', $._expression),
      field('body', $.block),
    ),

    forkv_statement: $ => seq(
      'forkv', field('key', $.binding), ',', field('value', $.binding), 'in', field('map', $._expression),
      field('body', $.block),
    ),

    function_definition: $ => seq(
      'func', field('name', $._name), field('parameters', $.parameters), optional(field('returns', $._type)), body($),
    ),

    class_definition: $ => seq(
      'class', field('name', $.class_name), optional(field('parameters', $.parameters)), field('body', $.block),
    ),

    class_name: $ => colon_path($.identifier),

    include_statement: $ => seq(
      'include', field('class', $.dotted_name), optional(field('arguments', $.arguments)),
      optional(seq('as', field('alias', $.identifier))),
    ),

    import_statement: $ => seq(
      'import', field('name', $.string), optional(seq('as', field('alias', choice($.identifier, $.star)))),
    ),

    star: _ => '*',

    panic_statement: $ => seq('panic', field('arguments', $.arguments)),

    collect_statement: $ => seq('collect', $.resource),

    resource: $ => seq(field('kind', $.kind), field('name', $._expression), field('body', $.resource_body)),

    kind: $ => colon_path($.identifier),

    resource_body: $ => seq('{', repeat(choice($._newline, seq($._item, ','))), '}'),

    _item: $ => choice($.attribute, $.edge_attribute, $.meta_attribute),

    attribute: $ => seq(field('name', $.identifier), '=>', elvis($), field('value', $._expression)),

    edge_attribute: $ => seq(
      field('relation', $.relation), '=>', elvis($), field('target', $.edge_half),
    ),

    relation: _ => choice('Before', 'Depend', 'Notify', 'Listen'),

    meta_attribute: $ => seq(
      'Meta', optional(seq(':', field('name', $.identifier))), '=>', elvis($), field('value', $._expression),
    ),

    edge_statement: $ => choice(
      seq($.edge_half, repeat(seq('->', $.edge_half))),
      seq(alias($._sending_half, $.edge_half), '->', alias($._sending_half, $.edge_half)),
    ),

    edge_half: $ => seq(field('kind', $.edge_kind), '[', field('name', $._expression), ']'),

    _sending_half: $ => seq(
      field('kind', $.edge_kind), '[', field('name', $._expression), ']', '.', field('field', $.identifier),
    ),

    edge_kind: $ => colon_path($._capitalized),

    _capitalized: _ => /[A-Z]([a-z0-9_]*[a-z0-9])?/,

    parameters: $ => bracketed($, '(', $.parameter, ')'),

    parameter: $ => seq(field('name', $.binding), optional(field('type', $._type))),

    arguments: $ => bracketed($, '(', $._expression, ')'),

    // Expressions.

    _expression: $ => choice($.fallback, $.or, $.and, $.comparison, $._operand),

    fallback: $ => prec.left(PREC.fallback, seq(
      field('value', $._expression), '<|>', field('default', $._expression),
    )),

    or: $ => prec.left(PREC.or, seq($._expression, 'or', $._expression)),

    and: $ => prec.left(PREC.and, seq($._expression, 'and', $._expression)),

    comparison: $ => prec(PREC.compare, seq(
      $._operand, field('operator', choice('<', '>', '<=', '>=', '==', '!=', 'in')), $._operand,
    )),

    _operand: $ => choice(
      $.arithmetic,
      $.not,
      $.field_or,
      $.field_access,
      $.index,
      $.call,
      $.variable_call,
      $.lambda_call,
      $.lambda,
      $.if_expression,
      $.parenthesized,
      $.variable,
      $.list,
      $.map,
      $.struct,
      $.string,
      $.integer,
      $.float,
      $.boolean,
    ),

    arithmetic: $ => choice(
      prec.left(PREC.add, seq($._operand, field('operator', choice('+', '-')), $._operand)),
      prec.left(PREC.multiply, seq($._operand, field('operator', choice('*', '/')), $._operand)),
      // `1-1` is two numbers, not a difference: a number takes its sign along wherever it stands. Letting one follow an
      // operand here makes the lexer see it; what would have to come next cannot be written.
      prec(PREC.index, seq($._operand, choice($.integer, $.float), $._never)),
    ),

    _never: _ => /\u{10FFFF}/,

    not: $ => prec.right(PREC.not, seq('not', $._operand)),

    // `->` binds tighter than any operator, and a `<|>` after it always belongs to it; its default then takes in every
    // operator that is tighter than `<|>`.
    field_access: $ => prec.left(-1, seq(
      prec(PREC.field, seq(field('value', $._operand), '->')), field('field', $._name),
    )),

    field_or: $ => prec.left(PREC.fallback, seq(
      prec(PREC.field, seq(field('value', $._operand), '->')), field('field', $._name),
      '<|>', field('default', $._expression),
    )),

    index: $ => prec.left(PREC.index, seq(
      field('value', $._operand), '[', field('index', $._expression), ']',
    )),

    call: $ => seq(field('function', $.dotted_name), field('arguments', $.arguments)),

    variable_call: $ => seq(field('function', $.variable), field('arguments', $.arguments)),

    lambda_call: $ => seq(field('function', $.lambda), field('arguments', $.arguments)),

    lambda: $ => seq('func', field('parameters', $.parameters), optional(field('returns', $._type)), body($)),

    if_expression: $ => seq(
      'if', field('condition', $._expression),
      '{', repeat($._newline), field('consequence', $._expression), repeat($._newline), '}',
      'else', '{', repeat($._newline), field('alternative', $._expression), repeat($._newline), '}',
    ),

    parenthesized: $ => seq('(', $._expression, ')'),

    variable: $ => seq('$', $._dotted),

    list: $ => bracketed($, '[', $._expression, ']'),

    map: $ => bracketed($, '{', $.pair, '}'),

    pair: $ => seq(field('key', $._expression), '=>', field('value', $._expression)),

    struct: $ => seq('struct', bracketed($, '{', $.struct_field, '}')),

    struct_field: $ => seq(field('name', $.identifier), '=>', field('value', $._expression)),

    integer: _ => /-?[0-9]+/,

    float: _ => /-?[0-9]+\.[0-9]+/,

    boolean: _ => choice('true', 'false'),

    // Known to differ: the reference takes the longest match, so a string that ends in a backslash goes on to the next quote
    // in the file if there is one. That needs to look ahead without end, and nobody means it; here it ends.
    //
    // Escapes and `${name}` are read in a later stage of the compiler; here a wrong one is shown, not refused.
    string: $ => seq(
      '"',
      repeat(choice(
        $._text,
        $.escape,
        $.invalid_escape,
        $.interpolation,
        $.invalid_interpolation,
        $._dollar,
      )),
      token.immediate('"'),
    ),

    _text: _ => token.immediate(prec(1, /[^"\\$]+/)),

    _dollar: _ => token.immediate('$'),

    escape: _ => token.immediate(/\\[abfnrtv\\"$]/),

    invalid_escape: _ => token.immediate(/\\[^abfnrtv\\"$]/),

    interpolation: _ => token.immediate(/\$\{[a-z]([a-z0-9_]|[._][a-z0-9_])*\}/),

    invalid_interpolation: _ => token.immediate('${'),

    // Names.

    identifier: _ => /[a-z]([a-z0-9_]*[a-z0-9])?/,

    _name: $ => choice($.identifier, alias('map', $.identifier), alias('collect', $.identifier)),

    _dotted: $ => seq($._name, repeat(seq('.', $._name))),

    dotted_name: $ => $._dotted,

    /** `$name` where it is defined. */
    binding: $ => seq('$', $._name),

    // Types.

    _type: $ => choice($.primitive_type, $.list_type, $.map_type, $.struct_type, $.func_type),

    primitive_type: _ => choice('bool', 'str', 'int', 'float', 'variant'),

    list_type: $ => seq('[', ']', $._type),

    map_type: $ => seq('map', '{', field('key', $._type), ':', field('value', $._type), '}'),

    struct_type: $ => seq(
      'struct', '{', optional(seq($.struct_type_field, repeat(seq(';', $.struct_type_field)))), '}',
    ),

    struct_type_field: $ => seq(field('name', $.identifier), field('type', $._type)),

    func_type: $ => seq('func', bracketed($, '(', $.func_type_parameter, ')'), field('returns', $._type)),

    func_type_parameter: $ => seq(optional(field('name', $.binding)), field('type', $._type)),
  },
});

function colon_path(rule) {
  return seq(rule, repeat(seq(':', rule)));
}

/** `condition ?:`, which stands only in resource bodies. */
function elvis($) {
  return optional(seq(field('condition', $._expression), '?:'));
}
