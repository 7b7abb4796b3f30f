/**
 * Puppet's language, for the eye: highlighting, folding, outlines.
 *
 * Nothing separates statements: what can continue an expression does. Blanks decide at three places, which the scanner in
 * `src/scanner.c` or `token.immediate` looks after: `[` right after an operand reads from it, `(` first on its line never
 * calls, and a heredoc's text follows the line that announces it.
 *
 * A template is read as the code between its tags, which whoever reads it takes out.
 */

// From loosest to tightest. Comparison is looser than equality, and `?` looser than both.
const PREC = {
  or: 1,
  and: 2,
  select: 3,
  compare: 4,
  equal: 5,
  shift: 6,
  add: 7,
  multiply: 8,
  match: 9,
  in: 10,
  unary: 11,
  postfix: 12,
};

// Words that are names where they stand before `=>`, and in `${if}`.
const KEYWORDS = [
  'case', 'class', 'define', 'if', 'elsif', 'else', 'inherits', 'node', 'and', 'or', 'in', 'unless', 'function', 'type',
  'attr', 'private',
];
const VALUES = ['default', 'undef', 'true', 'false'];

// What is called without parentheses.
const STATEMENT_FUNCTIONS = [
  'require', 'realize', 'include', 'contain', 'tag', 'debug', 'info', 'notice', 'warning', 'err', 'fail', 'import', 'break',
  'next', 'return',
];

function list(rule) {
  return seq(rule, repeat(seq(',', rule)));
}

/** Elements with a comma after the last one as the author likes; perhaps none. */
function elements(rule) {
  return optional(seq(list(rule), optional(',')));
}

/** What reads from a value: only a bracket right after it does. */
function access($, value) {
  return prec(PREC.postfix, seq(
    field('value', value), alias($._index_open, '['), list(choice($._element, $.pair)), optional(','), ']',
  ));
}

function member($, value) {
  return prec.right(PREC.postfix, seq(
    field('value', value), '.', choice(
      seq(
        field('function', choice($._name, alias(choice('type', 'function', 'new'), $.name))),
        optional(field('arguments', $.arguments)),
      ),
      seq(field('function', alias('new', $.name)), field('arguments', $.hash)),
    ),
    optional(field('lambda', $.lambda)),
  ));
}

module.exports = grammar({
  name: 'puppet',

  extras: $ => [
    /[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/, $.comment, $.heredoc_body,
  ],

  word: $ => $.name,

  externals: $ => [
    $.heredoc,
    $._heredoc_body_start,
    $._heredoc_text,
    $.heredoc_end,
    // `(` that is not first on its line.
    $._call_open,
    // `/` after an operand, where a regular expression could begin a statement too.
    $._divide,
    // Never found: the scanner learns from it that it is inside of quotes.
    $._in_quotes,
  ],

  reserved: {
    global: _ => [...KEYWORDS, ...VALUES],
  },

  supertypes: $ => [$._statement, $._expression, $._operand],

  rules: {
    source_file: $ => seq(
      optional(field('parameters', alias($._lambda_parameters, $.parameters))), optional($._statements),
    ),

    comment: _ => token(choice(/#[^\n]*/, /\/\*([^*]|\*+[^*\/])*\*+\//)),

    _statements: $ => seq($._statement, repeat(choice($._statement, ';'))),

    block: $ => prec(1, seq('{', optional($._statements), '}')),

    // Statements, from the loosest.

    _statement: $ => choice($.statement_call, $._assigned),

    statement_call: $ => prec.right(1, seq(
      field('function', alias($._statement_function, $.name)), list($._assigned),
    )),

    _statement_function: _ => choice(...STATEMENT_FUNCTIONS),

    _assigned: $ => choice($.assignment, $._related),

    assignment: $ => prec.right(seq(
      field('left', $._related), field('operator', choice('=', '+=', '-=')), field('right', $._assigned),
    )),

    _related: $ => choice($.relationship, $._declared),

    relationship: $ => prec.left(seq(
      field('left', $._related), field('operator', choice('->', '~>', '<-', '<~')), field('right', $._declared),
    )),

    _declared: $ => choice($.resource, $._expression),

    resource: $ => prec(1, seq(
      optional(choice('@', '@@')),
      choice(
        seq(field('type', $._expression), field('body', choice($.resource_bodies, $.attributes))),
        seq(field('type', alias('class', $.name)), field('body', $.resource_bodies)),
      ),
    )),

    resource_bodies: $ => seq('{', $.resource_body, repeat(seq(';', $.resource_body)), optional(';'), '}'),

    resource_body: $ => seq(
      field('title', $._expression), ':', optional(','), optional($._attributes),
    ),

    attributes: $ => seq('{', optional($._attributes), '}'),

    _attributes: $ => seq(list($.attribute), optional(',')),

    attribute: $ => seq(
      field('name', choice($._name, alias(choice(...KEYWORDS, 'default', 'undef'), $.name), $.splat)),
      field('operator', choice('=>', '+>')),
      field('value', $._expression),
    ),

    splat: _ => '*',

    // Definitions, which the language allows wherever a value stands; what is allowed where says the compiler.

    class_definition: $ => seq(
      'class', field('name', $._definition_name), optional(field('parameters', $.parameters)),
      optional(seq('inherits', field('parent', choice($._definition_name, $.default)))),
      field('body', $.block),
    ),

    define_definition: $ => seq(
      'define', field('name', $._definition_name), optional(field('parameters', $.parameters)), field('body', $.block),
    ),

    function_definition: $ => seq(
      'function', field('name', $._definition_name), optional(field('parameters', $.parameters)),
      optional($._returns), field('body', $.block),
    ),

    _returns: $ => seq('>>', field('returns', $._type)),

    _definition_name: $ => choice($._name, $.word, $.type),

    node_definition: $ => seq(
      'node', list(field('name', $._host)), optional(','),
      optional(seq('inherits', field('parent', $._host))), field('body', $.block),
    ),

    _host: $ => choice($.default, $.regexp, $.string, $.single_quoted, $.heredoc, $.host),

    host: $ => seq($._host_part, repeat(seq('.', $._host_part))),

    _host_part: $ => choice($._name, $.word, $.number),

    type_definition: $ => prec.right(1, choice(
      seq(
        'type', field('name', $._type), '=', field('type', $._expression),
        // The attributes of an object type with a parent.
        optional(field('attributes', $.hash)),
      ),
      seq(
        'type', field('name', choice($.type, $._name)),
        optional(seq('inherits', field('parent', choice($.type, $._name)))),
        field('body', choice($.block, $.type_body)),
      ),
    )),

    // The body of a type that the language itself describes. Its words are keywords only here.

    type_body: $ => seq('{', $._type_statement, repeat(choice($._type_statement, $._misplaced)), '}'),

    // Read by the compiler too, and refused afterwards. So is another type, for which the grammar would grow by a fifth.
    _misplaced: $ => choice($.class_definition, $.define_definition, $.node_definition, $.function_definition),

    _type_statement: $ => choice($.abstract, $.feature, $.invariant, $.implementation),

    abstract: _ => 'abstract',

    feature: $ => prec.right(1, choice(
      seq(
        'attr', field('name', $._any_word), optional(seq(',', field('type', choice($.type, $._name, $.enum)))),
        optional($.settings),
      ),
      seq('has', field('name', $._any_word), ',', field('type', choice($.type, $._name)), optional($.settings)),
    )),

    enum: $ => seq('enum', choice('[', alias($._index_open, '[')), list($._any_word), optional(','), ']'),

    settings: $ => seq('{', list($.setting), optional(','), '}'),

    setting: $ => seq(
      field('name', $._any_word), '=>',
      field('value', choice($.block, $.lambda, $._expression, alias($._keyword_name, $.name))),
    ),

    invariant: $ => seq(
      'invariant', optional(field('title', choice($.string, $.single_quoted))),
      field('check', choice($.block, $.lambda)),
    ),

    implementation: $ => seq(
      'implemented_by', field('kind', $._any_word),
      '{', elements(seq(field('feature', $._any_word), '=>', field('parameter', $._any_word))), '}',
    ),

    _any_word: $ => choice($._name, $.word, $.type, alias(choice(...KEYWORDS, ...VALUES), $.name)),

    parameters: $ => seq('(', elements($.parameter), ')'),

    _lambda_parameters: $ => seq('|', elements($.parameter), '|'),

    parameter: $ => seq(
      optional(field('type', $._type)), optional('*'), field('name', $.variable),
      optional(seq('=', field('default', $._expression))),
    ),

    _type: $ => choice($.type, alias($._type_access, $.access)),

    _type_access: $ => access($, $._type),

    // Expressions.

    _expression: $ => choice($.binary, $.unary, $.selector, alias($._single_selector, $.selector), $._operand),

    binary: $ => choice(
      ...[
        [PREC.or, 'or'],
        [PREC.and, 'and'],
        [PREC.compare, choice('<', '<=', '>', '>=')],
        [PREC.equal, choice('==', '!=')],
        [PREC.shift, choice('<<', '>>')],
        [PREC.add, choice('+', '-')],
        [PREC.multiply, choice('*', '%', alias($._divide, '/'))],
        [PREC.match, choice('=~', '!~')],
        [PREC.in, 'in'],
      ].map(([level, operator]) => prec.left(level, seq(
        field('left', $._expression), field('operator', operator), field('right', $._expression),
      ))),
    ),

    unary: $ => prec(PREC.unary, seq(field('operator', choice('-', '*', '!')), $._expression)),

    // An index or a call may follow the brace.
    selector: $ => prec.left(PREC.select, seq(
      field('value', $._expression), '?', '{', list(alias($._braced_choice, $.pair)), optional(','), '}',
    )),

    _single_selector: $ => prec.left(PREC.select, seq(
      field('value', $._expression), '?', alias($._choice, $.pair),
    )),

    // Whatever follows the value of the only choice of a selector belongs to it.
    _choice: $ => prec.right(-1, seq(field('key', $._expression), '=>', field('value', $._expression))),

    // A brace after `?` opens choices, never a hash that is the key of one.
    _braced_choice: $ => prec(1, seq(field('key', $._expression), '=>', field('value', $._expression))),

    _operand: $ => choice(
      $._name,
      $.word,
      $.type,
      $.variable,
      $.number,
      $.regexp,
      $.boolean,
      $.undef,
      $.default,
      $.reserved,
      $.string,
      $.single_quoted,
      $.heredoc,
      $.array,
      $.hash,
      $.parenthesized,
      $.access,
      $.call,
      $.method_call,
      $.collector,
      $.if_expression,
      $.unless_expression,
      $.case_expression,
      $.class_definition,
      $.define_definition,
      $.function_definition,
      $.node_definition,
      $.type_definition,
      $.mistake,
    ),

    parenthesized: $ => seq('(', $._assigned, ')'),

    access: $ => access($, choice($._operand, $.selector)),

    _index_open: _ => token.immediate(prec(1, '[')),

    call: $ => prec.right(PREC.postfix, seq(
      field('function', choice($._operand, alias('type', $.name))), field('arguments', $.arguments),
      optional(field('lambda', $.lambda)),
    )),

    arguments: $ => seq(alias($._call_open, '('), elements(choice($._element, $.pair)), ')'),

    method_call: $ => member($, choice($._operand, $.selector)),

    lambda: $ => seq(
      field('parameters', alias($._lambda_parameters, $.parameters)), optional($._returns), field('body', $.block),
    ),

    collector: $ => prec.right(PREC.postfix, seq(
      field('type', $._operand),
      choice(seq('<|', optional(field('query', $._expression)), '|>'), seq('<<|', optional(field('query', $._expression)), '|>>')),
      optional(field('body', $.attributes)),
    )),

    array: $ => seq('[', elements(choice($._element, $.pair)), ']'),

    hash: $ => seq('{', elements($.pair), '}'),

    pair: $ => seq(field('key', $._element), '=>', field('value', $._element)),

    /** A value, or a keyword that is a name here. */
    _element: $ => choice($._assigned, alias($._keyword_name, $.name)),

    _keyword_name: _ => choice(...KEYWORDS.filter(word => word !== 'attr' && word !== 'private')),

    if_expression: $ => seq(
      'if', field('condition', $._expression), field('consequence', $.block),
      repeat(seq('elsif', field('condition', $._expression), field('consequence', $.block))),
      optional(seq('else', field('alternative', $.block))),
    ),

    unless_expression: $ => seq(
      'unless', field('condition', $._expression), field('consequence', $.block),
      optional(seq('else', field('alternative', $.block))),
    ),

    case_expression: $ => seq('case', field('value', $._expression), '{', repeat1($.case_option), '}'),

    case_option: $ => seq(list(field('value', $._expression)), optional(','), ':', field('body', $.block)),

    // Strings.

    single_quoted: $ => seq(
      '\'',
      repeat(choice(
        token.immediate(prec(1, /[^'\\]+/)),
        alias($._single_escape, $.escape),
        token.immediate('\\'),
        $._in_quotes,
      )),
      token.immediate('\''),
    ),

    _single_escape: _ => token.immediate(/\\[\\']/),

    string: $ => seq(
      '"',
      repeat(choice($._text, $._escaped, $._interpolated, $._in_quotes)),
      token.immediate('"'),
    ),

    _text: _ => token.immediate(prec(1, /[^"\\$]+/)),

    _escaped: $ => choice($.escape, $.unknown_escape),

    escape: _ => token.immediate(/\\([\\"'$nrts\n]|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\})/),

    unknown_escape: _ => token.immediate(/\\[^\\"'$nrts\n]/),

    _interpolated: $ => choice(
      alias($._short_interpolation, $.interpolation), $.interpolation, token.immediate('$'),
    ),

    _short_interpolation: $ => alias($._immediate_variable, $.variable),

    _immediate_variable: _ => token.immediate(/\$(::)?([A-Za-z0-9_]+::)*[A-Za-z0-9_]+/),

    interpolation: $ => seq(
      alias(token.immediate('${'), '${'), optional(choice($._assigned, $._keyword_variable)), '}',
    ),

    _keyword_variable: $ => choice(
      alias($._word_variable, $.variable),
      alias($._variable_access, $.access),
      alias($._variable_call, $.method_call),
    ),

    _word_variable: _ => choice(...KEYWORDS.filter(word => word !== 'attr' && word !== 'private')),

    _variable_access: $ => access($, $._keyword_variable),

    _variable_call: $ => member($, $._keyword_variable),

    heredoc_body: $ => seq(
      $._heredoc_body_start,
      repeat(choice($._heredoc_text, $._escaped, $._interpolated)),
      $.heredoc_end,
    ),

    // Words.

    boolean: _ => choice('true', 'false'),

    undef: _ => 'undef',

    default: _ => 'default',

    reserved: _ => choice('attr', 'private'),

    _name: $ => choice($.name, prec(-1, alias($._statement_function, $.name))),

    name: _ => /(::)?[a-z][A-Za-z0-9_]*(::[a-z][A-Za-z0-9_]*)*/,

    /** A bare word that is no name is a string. */
    word: _ => /((::)?[a-z_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)+/,

    type: _ => /(::)?[A-Z][A-Za-z0-9_]*(::[A-Z][A-Za-z0-9_]*)*/,

    variable: _ => /\$(::)?([A-Za-z0-9_]+::)*[A-Za-z0-9_]+/,

    number: _ => token(choice(
      /0[xX][0-9a-fA-F]+/, /0[0-7]*/, /[1-9][0-9]*/, /[0-9]+\.[0-9]+([eE]-?[0-9]+)?/, /[0-9]+[eE]-?[0-9]+/,
    )),

    /** A number that runs into letters, a type that runs into a name: seen as one word, else it would be two statements. */
    mistake: $ => seq(
      token(choice(
        /[0-9][A-Za-z0-9_]*(\.[0-9][A-Za-z0-9_]*)?/, /(::)?[A-Z][A-Za-z0-9_]*(::[A-Z][A-Za-z0-9_]*)*::/,
      )),
      $._never,
    ),

    _never: _ => /\u{10FFFF}/,

    regexp: _ => token(seq('/', optional(seq(
      choice(/[^*\/\\]/, /\\[\s\S]/), repeat(choice(/[^\/\\]/, /\\[\s\S]/)),
    )), '/')),
  },
});
