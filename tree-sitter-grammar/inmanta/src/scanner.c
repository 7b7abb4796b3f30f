// The signs that only their neighbours tell apart: a minus from a negative number or an arrow, `<` from `<-`.

#include "tree_sitter/parser.h"

enum Token { MINUS, LESS };

void *tree_sitter_inmanta_external_scanner_create(void) { return NULL; }

void tree_sitter_inmanta_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_inmanta_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_inmanta_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

// A point starts a number only before a digit, so this looks one character further.
static bool starts_number(TSLexer *lexer) {
  if (lexer->lookahead == '.') {
    lexer->advance(lexer, false);
  }
  return is_digit(lexer->lookahead);
}

bool tree_sitter_inmanta_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  (void)payload;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r' || lexer->lookahead == '\n') {
    lexer->advance(lexer, true);
  }
  if (valid[MINUS] && lexer->lookahead == '-') {
    lexer->advance(lexer, false);
    lexer->mark_end(lexer);
    lexer->result_symbol = MINUS;
    return lexer->lookahead != '-' && lexer->lookahead != '>' && !starts_number(lexer);
  }
  if (valid[LESS] && lexer->lookahead == '<') {
    lexer->advance(lexer, false);
    lexer->result_symbol = LESS;
    return lexer->lookahead != '-' && lexer->lookahead != '=';
  }
  return false;
}
