// What blanks and lines decide: heredocs, a parenthesis that calls, a slash that divides.

#include <string.h>

#include "tree_sitter/alloc.h"
#include "tree_sitter/parser.h"

enum Token { HEREDOC, BODY_START, BODY_TEXT, BODY_END, CALL_OPEN, DIVIDE, IN_QUOTES };

// More heredocs on one line, and longer tags, are shown as an error.
#define MAX_HEREDOCS 6
#define MAX_TAG 40

typedef struct {
  int32_t tag[MAX_TAG];
  uint8_t length;
  bool interpolates;
  bool escapes;
  bool escapes_dollar;
} Heredoc;

// The heredocs of the line, in order. The text of the first may be under way.
typedef struct {
  Heredoc heredocs[MAX_HEREDOCS];
  uint8_t count;
  bool in_body;
} Scanner;

_Static_assert(2 + MAX_HEREDOCS * (4 + 4 * MAX_TAG) <= TREE_SITTER_SERIALIZATION_BUFFER_SIZE, "the state fits");

void *tree_sitter_puppet_external_scanner_create(void) { return ts_calloc(1, sizeof(Scanner)); }

void tree_sitter_puppet_external_scanner_destroy(void *payload) { ts_free(payload); }

unsigned tree_sitter_puppet_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  if (scanner->count == 0) {
    return 0;
  }
  unsigned size = 0;
  buffer[size++] = (char)scanner->count;
  buffer[size++] = (char)scanner->in_body;
  for (uint8_t i = 0; i < scanner->count; i++) {
    const Heredoc *heredoc = &scanner->heredocs[i];
    buffer[size++] = (char)heredoc->length;
    buffer[size++] = (char)heredoc->interpolates;
    buffer[size++] = (char)heredoc->escapes;
    buffer[size++] = (char)heredoc->escapes_dollar;
    memcpy(buffer + size, heredoc->tag, heredoc->length * sizeof(int32_t));
    size += heredoc->length * (unsigned)sizeof(int32_t);
  }
  return size;
}

void tree_sitter_puppet_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  scanner->count = 0;
  scanner->in_body = false;
  if (length < 2) {
    return;
  }
  unsigned at = 0;
  uint8_t count = (uint8_t)buffer[at++];
  scanner->in_body = buffer[at++];
  while (scanner->count < count && scanner->count < MAX_HEREDOCS && at + 4 <= length) {
    Heredoc *heredoc = &scanner->heredocs[scanner->count++];
    heredoc->length = (uint8_t)buffer[at++];
    heredoc->interpolates = buffer[at++];
    heredoc->escapes = buffer[at++];
    heredoc->escapes_dollar = buffer[at++];
    memcpy(heredoc->tag, buffer + at, heredoc->length * sizeof(int32_t));
    at += heredoc->length * (unsigned)sizeof(int32_t);
  }
}

static bool is_blank(int32_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static bool is_word(int32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(TSLexer *lexer) {
  while (is_blank(lexer->lookahead)) {
    lexer->advance(lexer, false);
  }
}

// The letters after `/`, each at most once; none are all of them.
static bool scan_escapes(TSLexer *lexer, Heredoc *heredoc) {
  static const char letters[] = "tsrnuL$";
  bool seen[sizeof letters] = {false};
  bool any = false;
  skip_blanks(lexer);
  while (lexer->lookahead != ')' && !is_blank(lexer->lookahead)) {
    const char *found = lexer->lookahead > 0 && lexer->lookahead < 128 ? strchr(letters, (char)lexer->lookahead) : NULL;
    if (found == NULL || seen[found - letters]) {
      return false;
    }
    seen[found - letters] = true;
    any = true;
    lexer->advance(lexer, false);
  }
  skip_blanks(lexer);
  heredoc->escapes = true;
  heredoc->escapes_dollar = !any || seen[6];
  return true;
}

// `@("TAG":syntax/escapes)`.
static bool scan_heredoc(Scanner *scanner, TSLexer *lexer) {
  if (lexer->lookahead != '@' || scanner->in_body || scanner->count == MAX_HEREDOCS) {
    return false;
  }
  lexer->advance(lexer, false);
  if (lexer->lookahead != '(') {
    return false;
  }
  lexer->advance(lexer, false);
  Heredoc heredoc = {.length = 0};
  skip_blanks(lexer);
  bool quoted = lexer->lookahead == '"';
  if (quoted) {
    lexer->advance(lexer, false);
    skip_blanks(lexer);
  }
  uint8_t trimmed = 0;
  while (lexer->lookahead != ')' && lexer->lookahead != ':' && lexer->lookahead != '/' && lexer->lookahead != '\n') {
    if (lexer->eof(lexer) || heredoc.length == MAX_TAG) {
      return false;
    }
    if (quoted && lexer->lookahead == '"') {
      lexer->advance(lexer, false);
      skip_blanks(lexer);
      heredoc.interpolates = true;
      break;
    }
    heredoc.tag[heredoc.length++] = lexer->lookahead;
    if (!is_blank(lexer->lookahead)) {
      trimmed = heredoc.length;
    }
    lexer->advance(lexer, false);
  }
  heredoc.length = trimmed;
  if (trimmed == 0 || quoted != heredoc.interpolates) {
    return false;
  }
  if (lexer->lookahead == ':') {
    while (lexer->lookahead != ')' && lexer->lookahead != '/' && lexer->lookahead != '\n' && !lexer->eof(lexer)) {
      lexer->advance(lexer, false);
    }
  }
  if (lexer->lookahead == '/') {
    lexer->advance(lexer, false);
    if (!scan_escapes(lexer, &heredoc)) {
      return false;
    }
  }
  if (lexer->lookahead != ')') {
    return false;
  }
  lexer->advance(lexer, false);
  scanner->heredocs[scanner->count++] = heredoc;
  lexer->result_symbol = HEREDOC;
  return true;
}

// Whether a line read so far ends in the tag. It keeps as many of the last characters as a tag has.
typedef struct {
  int32_t last[MAX_TAG];
  uint8_t count;
  // The blanks after them: those at the end of a line do not count.
  int32_t blanks[MAX_TAG];
  uint8_t blank_count;
} Tail;

static void push(Tail *tail, const Heredoc *heredoc, int32_t c) {
  if (tail->count == heredoc->length) {
    memmove(tail->last, tail->last + 1, (tail->count - 1u) * sizeof(int32_t));
    tail->count--;
  }
  tail->last[tail->count++] = c;
}

static void read_into(Tail *tail, const Heredoc *heredoc, int32_t c) {
  if (is_blank(c)) {
    if (tail->blank_count < MAX_TAG) {
      tail->blanks[tail->blank_count++] = c;
    }
    return;
  }
  for (uint8_t i = 0; i < tail->blank_count; i++) {
    push(tail, heredoc, tail->blanks[i]);
  }
  tail->blank_count = 0;
  push(tail, heredoc, c);
}

static bool ends_in_tag(const Tail *tail, const Heredoc *heredoc) {
  return tail->count == heredoc->length &&
         memcmp(tail->last, heredoc->tag, heredoc->length * sizeof(int32_t)) == 0;
}

// Text up to what is no text, or the line that ends it all. A line is read whole before anything in it is: its end decides.
static bool scan_body(Scanner *scanner, TSLexer *lexer) {
  const Heredoc *heredoc = &scanner->heredocs[0];
  bool has_text = false;
  for (;;) {
    Tail tail = {.count = 0};
    bool is_marked = false, text_before_mark = has_text, starts = true;
    while (lexer->lookahead != '\n' && !lexer->eof(lexer)) {
      int32_t c = lexer->lookahead;
      bool may_be_code = !is_marked && ((c == '$' && heredoc->interpolates) || (c == '\\' && heredoc->escapes));
      if (may_be_code) {
        lexer->mark_end(lexer);
        text_before_mark = has_text || !starts;
      }
      starts = false;
      read_into(&tail, heredoc, c);
      lexer->advance(lexer, false);
      if (!may_be_code) {
        continue;
      }
      int32_t next = lexer->lookahead;
      if (c == '$') {
        is_marked = next == '{' || is_word(next) || next == ':';
      } else {
        is_marked = next != '\n' && !lexer->eof(lexer) && (next != '$' || heredoc->escapes_dollar);
      }
    }
    if (is_marked) {
      lexer->result_symbol = BODY_TEXT;
      return text_before_mark;
    }
    bool ends = ends_in_tag(&tail, heredoc);
    if (ends && !has_text) {
      lexer->mark_end(lexer);
      scanner->count--;
      memmove(scanner->heredocs, scanner->heredocs + 1, scanner->count * sizeof(Heredoc));
      scanner->in_body = false;
      lexer->result_symbol = BODY_END;
      return true;
    }
    if (ends || lexer->eof(lexer)) {
      lexer->result_symbol = BODY_TEXT;
      return has_text;
    }
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    has_text = true;
  }
}

bool tree_sitter_puppet_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
  if (valid[BODY_TEXT] && scanner->in_body) {
    return scan_body(scanner, lexer);
  }
  // After an error everything is valid.
  if (valid[IN_QUOTES] && !valid[CALL_OPEN]) {
    return false;
  }
  bool is_first_on_line = false;
  while (is_blank(lexer->lookahead) || lexer->lookahead == '\n') {
    if (lexer->lookahead == '\n') {
      is_first_on_line = true;
      if (scanner->count > 0 && !scanner->in_body && valid[BODY_START]) {
        lexer->advance(lexer, false);
        lexer->mark_end(lexer);
        scanner->in_body = true;
        lexer->result_symbol = BODY_START;
        return true;
      }
    }
    lexer->advance(lexer, true);
  }
  if (lexer->eof(lexer) && scanner->count > 0 && !scanner->in_body && valid[BODY_START]) {
    // No text follows: the body begins here, and lacks its end.
    scanner->in_body = true;
    lexer->result_symbol = BODY_START;
    return true;
  }
  switch (lexer->lookahead) {
    case '@':
      return valid[HEREDOC] && scan_heredoc(scanner, lexer);
    case '(':
      if (!valid[CALL_OPEN] || is_first_on_line) {
        return false;
      }
      lexer->advance(lexer, false);
      lexer->result_symbol = CALL_OPEN;
      return true;
    case '/':
      if (!valid[DIVIDE]) {
        return false;
      }
      lexer->advance(lexer, false);
      lexer->result_symbol = DIVIDE;
      return lexer->lookahead != '*';
    default:
      return false;
  }
}
