/**
 * Inmanta's modelling language, for the eye: highlighting, folding, outlines.
 *
 * Nothing separates statements, neither a line break nor a sign: what can continue an expression does.
 */

// From loosest to tightest. `not` binds tighter than every operator but `in`; all but `?:` associate to the left.
const PREC = {
  conditional: 1,
  or: 2,
  and: 3,
  compare: 4,
  add: 5,
  multiply: 6,
  power: 7,
  not: 8,
  in: 9,
  postfix: 10,
};

function list(rule) {
  return seq(rule, repeat(seq(',', rule)));
}

/** Elements with a comma after the last one as the author likes; perhaps none. */
function elements(rule) {
  return optional(seq(list(rule), optional(',')));
}

/** The arguments of a constructor or of a look-up. */
function namedArguments($) {
  return elements(choice($.keyword_argument, $.spread));
}

/** A string on one line between two quotes, with what else may stand in it. */
function quoted($, open, quote, ...parts) {
  const text = quote === '"' ? /[^"\\\n{]+/ : /[^'\\\n{]+/;
  return seq(
    open,
    repeat(choice(token.immediate(prec(1, text)), $.escape, token.immediate('{'), ...parts)),
    token.immediate(quote),
  );
}

/** A format string: braces are doubled, or hold a name and how to write its value. */
function formatted($, open, quote) {
  const text = quote === '"' ? /[^"\\\n{}]+/ : /[^'\\\n{}]+/;
  const own = quote === '"' ? $._field : $._single_field;
  return seq(
    open,
    repeat(choice(token.immediate(prec(1, text)), $.escape, $.doubled_brace, alias(own, $.field))),
    token.immediate(quote),
  );
}

/** `{name!r:format}`, where the format may hold fields again. */
function nested($, own, quote) {
  const name = quote === '"' ? /[^"\\\n{}!:]+/ : /[^'\\\n{}!:]+/;
  const text = quote === '"' ? /[^"\\\n{}]+/ : /[^'\\\n{}]+/;
  return seq(
    token.immediate('{'),
    optional(token.immediate(name)),
    optional(token.immediate(/![^"'\\\n{}:]/)),
    optional(seq(token.immediate(':'), repeat(choice(token.immediate(text), alias(own, $.field))))),
    token.immediate('}'),
  );
}

module.exports = grammar({
  name: 'inmanta',

  extras: $ => [/[ \t\r\n]/, $.comment],

  word: $ => $.identifier,

  externals: $ => [
    // A minus that belongs to a number, or to an arrow, is no operator; and `<-` is an arrow wherever it stands.
    $._minus,
    $._less,
  ],

  reserved: {
    global: $ => [
      'typedef', 'as', 'entity', 'extends', 'end', 'in', 'implementation', 'for', 'matching', 'index', 'implement',
      'using', 'when', 'and', 'or', 'not', 'true', 'false', 'import', 'is', 'defined', 'dict', 'null', 'undef', 'parents',
      'if', 'else', 'elif',
    ],
  },

  supertypes: $ => [$._definition, $._statement, $._expression, $._operand],

  rules: {
    source_file: $ => repeat(choice($._definition, $._statement)),

    comment: _ => /#[^\n]*/,

    // Definitions, which stand at the top only.

    _definition: $ => choice(
      $.import,
      $.entity_definition,
      $.relation,
      $.index,
      $.type_definition,
      $.implementation_definition,
      $.implement,
    ),

    import: $ => seq('import', field('name', $.path), optional(seq('as', field('alias', $.identifier)))),

    entity_definition: $ => seq(
      'entity', field('name', $.class_name),
      optional(seq('extends', list(field('parent', $.class)))),
      ':', field('body', $.entity_body),
    ),

    entity_body: $ => seq(
      optional(field('doc', $.long_string)), repeat(choice($.attribute, alias($._dict_attribute, $.attribute))), 'end',
    ),

    attribute: $ => seq(
      field('type', $.type), field('name', $.identifier),
      optional(seq('=', field('default', choice($._constant, alias($._constants, $.list), $.undef)))),
    ),

    type: $ => seq($.path, optional(seq('[', ']')), optional('?')),

    _dict_attribute: $ => choice(
      seq(
        field('type', alias($._dict_type, $.type)), field('name', $.identifier),
        optional(seq('=', field('default', $.map))),
      ),
      seq(
        field('type', alias($._optional_dict_type, $.type)), field('name', $.identifier),
        optional(seq('=', field('default', choice($.map, $.null)))),
      ),
    ),

    _dict_type: _ => 'dict',

    _optional_dict_type: _ => seq('dict', '?'),

    undef: _ => 'undef',

    _constants: $ => seq('[', elements($._constant), ']'),

    relation: $ => prec.right(seq(
      field('class', $.class), '.', field('attribute', $.identifier), field('bounds', $.bounds),
      choice(field('arrow', $.arrow), list(field('annotation', $._expression))),
      field('other', $.class),
      optional(seq('.', field('inverse', $.identifier), field('inverse_bounds', $.bounds))),
      optional(field('doc', $.long_string)),
    )),

    arrow: _ => choice('--', '->', '<-'),

    bounds: $ => seq(
      '[',
      choice($.integer, seq($.integer, ':'), seq($.integer, ':', $.integer), seq(':', $.integer)),
      ']',
    ),

    index: $ => seq('index', field('class', $.class), '(', list(field('attribute', $.identifier)), ')'),

    type_definition: $ => prec.right(seq(
      'typedef', field('name', $.identifier), 'as', field('base', $.path),
      choice(seq('matching', field('condition', $._expression)), field('condition', $.regex)),
      optional(field('doc', $.long_string)),
    )),

    implementation_definition: $ => seq(
      'implementation', field('name', $.identifier), 'for', field('class', $.class), ':',
      optional(field('body', $.block)), 'end',
    ),

    implement: $ => prec.right(seq(
      'implement', field('class', $.class), 'using', list(field('implementation', choice($.path, $.parents))),
      optional(seq('when', field('condition', $._expression))),
      optional(field('doc', $.long_string)),
    )),

    parents: _ => 'parents',

    // Statements.

    block: $ => prec.right(repeat1($._statement)),

    _statement: $ => choice($.assignment, $.extension, $.for_statement, $.if_statement, $._expression),

    assignment: $ => seq(field('name', choice($.variable, $.attribute_access)), '=', field('value', $._expression)),

    extension: $ => seq(field('name', $.attribute_access), '+=', field('value', $._expression)),

    for_statement: $ => seq(
      'for', field('variable', $.identifier), 'in', field('list', $._expression), ':',
      optional(field('body', $.block)), 'end',
    ),

    if_statement: $ => seq(
      'if', field('condition', $._expression), ':', optional(field('consequence', $.block)),
      repeat(seq('elif', field('condition', $._expression), ':', optional(field('consequence', $.block)))),
      optional(seq('else', ':', optional(field('alternative', $.block)))),
      'end',
    ),

    // Expressions.

    _expression: $ => choice($.conditional, $.binary, $.not, $._operand),

    conditional: $ => prec.right(PREC.conditional, seq(
      field('condition', $._expression), '?', field('yes', $._expression), ':', field('no', $._expression),
    )),

    binary: $ => choice(
      ...[
        [PREC.or, 'or'],
        [PREC.and, 'and'],
        [PREC.compare, choice('==', '!=', '<=', '>=', '>', alias($._less, '<'))],
        [PREC.add, choice('+', alias($._minus, '-'))],
        [PREC.multiply, choice('*', '/', '%')],
        [PREC.power, '**'],
        [PREC.in, choice('in', seq('not', 'in'))],
      ].map(([level, operator]) => prec.left(level, seq(
        field('left', $._expression), field('operator', operator), field('right', $._expression),
      ))),
    ),

    not: $ => prec(PREC.not, seq('not', $._expression)),

    _operand: $ => choice(
      $._constant,
      $.variable,
      $.attribute_access,
      $.map_lookup,
      $.index_lookup,
      $.is_defined,
      $.call,
      $.constructor,
      $.list,
      $.comprehension,
      $.map,
      $.parenthesized,
    ),

    parenthesized: $ => seq('(', $._expression, ')'),

    variable: $ => $._path,

    attribute_access: $ => prec(PREC.postfix, seq(
      field('value', choice($.variable, $.attribute_access)), '.', field('attribute', $.identifier),
    )),

    map_lookup: $ => prec(PREC.postfix, seq(
      field('map', choice($.variable, $.attribute_access, $.map_lookup)), '[', field('key', $._expression), ']',
    )),

    index_lookup: $ => choice(
      prec(PREC.postfix, seq(field('class', $.class), '[', namedArguments($), ']')),
      prec(PREC.postfix, seq(field('relation', $.attribute_access), '[', namedArguments($), ']')),
      // What is called has no dots in its name; so this never ends well.
      prec(PREC.postfix, seq($.attribute_access, '(', $._never)),
    ),

    _never: _ => /\u{10FFFF}/,

    is_defined: $ => prec(PREC.postfix, seq(
      field('value', choice(alias($._single, $.variable), $.attribute_access, $.map_lookup)), 'is', 'defined',
    )),

    _single: $ => prec(PREC.postfix, $.identifier),

    call: $ => prec(PREC.postfix, seq(
      field('function', $.path), '(', elements(choice($._expression, $.keyword_argument, $.spread)), ')',
    )),

    constructor: $ => prec(PREC.postfix, seq(field('class', $.class), '(', namedArguments($), ')')),

    keyword_argument: $ => seq(field('name', $.identifier), '=', field('value', $._expression)),

    spread: $ => seq('**', $._expression),

    list: $ => seq('[', elements($._expression), ']'),

    comprehension: $ => seq(
      '[', field('element', $._expression),
      repeat1(seq('for', field('variable', $.identifier), 'in', field('list', $._expression))),
      repeat(seq('if', field('condition', $._expression))),
      ']',
    ),

    map: $ => seq('{', elements($.pair), '}'),

    pair: $ => seq(
      field('key', choice(alias($._key, $.string), $.raw_string)), ':', field('value', $._expression),
    ),

    // Constants.

    _constant: $ => choice(
      $.integer, $.float, $.boolean, $.null, $.string, $.long_string, $.raw_string, $.format_string, $.regex,
    ),

    integer: _ => /-?[0-9]+/,

    float: _ => /-?[0-9]*\.[0-9]+/,

    boolean: _ => choice('true', 'false'),

    null: _ => 'null',

    regex: $ => seq('matching', $.pattern),

    pattern: _ => /\/([^\/\\\n]|\\[^\n])+\//,

    string: $ => choice(quoted($, '"', '"', $.interpolation), quoted($, '\'', '\'', $.interpolation)),

    /** The key of a map takes no value of a name. */
    _key: $ => choice(
      quoted($, '"', '"', seq($.interpolation, $._never)), quoted($, '\'', '\'', seq($.interpolation, $._never)),
    ),

    interpolation: _ => token.immediate(/\{\{[ \t\r\n]*[.A-Za-z0-9_-]+[ \t\r\n]*\}\}/),

    escape: _ => token.immediate(/\\[^\n]/),

    /** Three to five quotes on each side. Six are the empty one. */
    long_string: $ => choice(
      '""""""',
      seq(
        /"{3,5}/,
        repeat(choice(
          token.immediate(prec(1, /[^"\\{]+/)),
          alias($._long_escape, $.escape),
          $.interpolation,
          token.immediate('{'),
          token.immediate('\\'),
          token.immediate('"'),
          token.immediate('""'),
        )),
        token.immediate(/"{3,5}/),
      ),
    ),

    /** A quote after a backslash still ends the string. */
    _long_escape: _ => token.immediate(/\\[^"]/),

    raw_string: _ => token(choice(/r"([^"\\\n]|\\[^\n])*"/, /r'([^'\\\n]|\\[^\n])*'/)),

    format_string: $ => choice(formatted($, 'f"', '"'), formatted($, 'f\'', '\'')),

    doubled_brace: _ => token.immediate(choice('{{', '}}')),

    _field: $ => nested($, $._field, '"'),

    _single_field: $ => nested($, $._single_field, '\''),

    // Names.

    // A hyphen is a letter of a name.
    identifier: _ => /[a-z_][a-zA-Z_0-9-]*/,

    class_name: _ => /[A-Z][a-zA-Z_0-9-]*/,

    _namespace: $ => repeat1(seq($.identifier, '::')),

    _path: $ => seq(optional($._namespace), $.identifier),

    // A parenthesis after a name calls it, on the next line too.
    path: $ => prec(1, $._path),

    class: $ => seq(optional($._namespace), $.class_name),
  },
});
