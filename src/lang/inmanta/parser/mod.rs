//! From words to the program: recursive descent with the reference's precedences, and its errors at the same word.

mod define;
mod explain;
mod expression;
mod foreign;
mod form;
mod sign;
mod text;

use super::Edition;
use super::ast::{Ast, BlockId, Kind, NodeId, NsId, Top, Word};
use super::error::{Class, Raise, Result};
use super::lexer::lex;
use super::names::{Names, Sym};
use super::token::{Keyword, Tok, Token};
use crate::diag::Code;
use crate::source::{FileId, Span};

/// How deep expressions and blocks may nest. The reference ends at Python's recursion limit, about here.
const DEPTH: u16 = 400;

/// Reads one file. The text ends with a line break that the caller added.
pub fn parse(
    text: &str,
    file: FileId,
    ns: NsId,
    edition: Edition,
    names: &mut Names,
    ast: &mut Ast,
) -> Result<Vec<Top>> {
    Parser::new(text, file, ns, edition, names, ast).file()
}

/// A word that begins a line in the usual layout, and how many blocks are around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub token: usize,
    pub level: usize,
}

/// The words of a file, and those of them that begin a line.
pub fn layout(text: &str, file: FileId, edition: Edition) -> Result<(Vec<Token>, Vec<Line>)> {
    let (mut names, mut ast) = (Names::default(), Ast::default());
    let mut parser = Parser::new(text, file, NsId(0), edition, &mut names, &mut ast);
    parser.lines = Some(Vec::new());
    parser.file()?;
    Ok((parser.tokens, parser.lines.unwrap_or_default()))
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    ns: NsId,
    edition: Edition,
    names: &'a mut Names,
    ast: &'a mut Ast,
    /// How deep each node of this file is.
    depths: Vec<u16>,
    /// How deep the parser is.
    depth: u16,
    /// The number of the first node of this file.
    first: usize,
    /// The words that begin a line, where they are wanted.
    lines: Option<Vec<Line>>,
    /// How many blocks are around the word at hand.
    level: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file: FileId, ns: NsId, edition: Edition, names: &'a mut Names, ast: &'a mut Ast) -> Self {
        let (tokens, first) = (lex(text, file, edition, names), ast.node_count());
        Parser {
            text,
            tokens,
            at: 0,
            ns,
            edition,
            names,
            ast,
            depths: Vec::new(),
            depth: 0,
            first,
            lines: None,
            level: 0,
        }
    }
}

impl Parser<'_> {
    // Lines

    /// The word at hand begins a line.
    fn begin_line(&mut self) {
        let line = Line { token: self.at, level: self.level };
        self.lines.iter_mut().for_each(|lines| lines.push(line));
    }

    /// Runs a part of the parser inside a block.
    fn inside<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        self.level += 1;
        let made = part(self);
        self.level -= 1;
        made
    }

    // Words

    fn tok(&self) -> &Tok {
        &self.tokens[self.at.min(self.tokens.len() - 1)].tok
    }

    fn next_tok(&self) -> &Tok {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].tok
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    fn is_char(&self, wanted: u8) -> bool {
        matches!(self.tok(), Tok::Char(byte) if *byte == wanted)
    }

    fn is_keyword(&self, wanted: Keyword) -> bool {
        matches!(self.tok(), Tok::Keyword(keyword) if *keyword == wanted)
    }

    fn take(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    fn take_char(&mut self, wanted: u8) -> Option<Span> {
        self.is_char(wanted).then(|| self.take())
    }

    fn expect_char(&mut self, wanted: u8) -> Result<Span> {
        self.take_char(wanted).ok_or_else(|| self.unexpected())
    }

    fn take_keyword(&mut self, wanted: Keyword) -> Option<Span> {
        self.is_keyword(wanted).then(|| self.take())
    }

    fn expect_keyword(&mut self, wanted: Keyword) -> Result<Span> {
        self.take_keyword(wanted).ok_or_else(|| self.unexpected())
    }

    fn expect_id(&mut self) -> Result<Word> {
        match *self.tok() {
            Tok::Id(sym) => Ok(Word { sym, span: self.take() }),
            _ => Err(self.unexpected()),
        }
    }

    fn take_doc(&mut self) -> Option<std::sync::Arc<str>> {
        let Tok::LongStr(text) = self.tok() else { return None };
        let text = text.clone();
        self.begin_line();
        self.take();
        Some(text)
    }

    /// The error for the word at hand, with its explanation.
    fn unexpected(&self) -> Box<Raise> {
        self.explain(self.refuse())
    }

    /// The reference's error for the word at hand.
    fn refuse(&self) -> Box<Raise> {
        let place = self.span();
        let keyword = |keyword: Keyword, place: Span| {
            let message = format!("Syntax error: invalid identifier, {} is a reserved keyword", keyword.name());
            Raise::placed(Class::Parser, place, message)
        };
        match self.tok() {
            Tok::Bad(raise) => return raise.clone(),
            Tok::End => return Raise::placed(Class::Parser, place, "Syntax error: Unexpected end of file"),
            Tok::Keyword(found) => return keyword(*found, place),
            _ => {}
        }
        if let Some(Token { tok: Tok::Keyword(before), span }) = self.at.checked_sub(1).map(|at| &self.tokens[at])
            && !self.may_follow(*before)
        {
            return keyword(*before, *span);
        }
        let text = self.text.get(place.range()).unwrap_or_default();
        // The line of an error is that on which the word ends.
        let place =
            if text.contains('\n') { Span::new(place.file, place.range().end, place.range().end) } else { place };
        Raise::placed(Class::Parser, place, format!("Syntax error at token {text}"))
    }

    /// Whether the word at hand may follow a keyword that ends a rule; an error after another keyword is about the keyword.
    fn may_follow(&self, keyword: Keyword) -> bool {
        match keyword {
            Keyword::End => self.starts_expression(),
            Keyword::True | Keyword::False | Keyword::Defined | Keyword::Null => self.may_follow_expression(),
            Keyword::Undef => matches!(self.tok(), Tok::Id(_)),
            Keyword::Parents => self.starts_expression() || self.is_char(b','),
            _ => false,
        }
    }

    /// Whether the word at hand may follow some expression. Where it may not, an error at it comes before one that the whole
    /// expression has.
    fn may_follow_expression(&self) -> bool {
        !matches!(self.tok(), Tok::Char(b'=' | b'.') | Tok::Extend | Tok::Separator | Tok::Relation | Tok::Bad(_))
    }

    /// Whether the word at hand may follow a definition.
    fn ends_definition(&self) -> bool {
        match self.tok() {
            Tok::End => true,
            Tok::Keyword(keyword) => keyword.begins() || self.starts_statement(),
            _ => self.starts_expression(),
        }
    }

    fn syntax_error(&self, place: Span, message: impl std::fmt::Display) -> Box<Raise> {
        Raise::placed(Class::Parser, place, format!("Syntax error: {message}"))
    }

    /// From the start of one span to the end of another on the same line; else the second alone, because the line of
    /// an error is that of the second.
    fn joined(&self, from: Span, to: Span) -> Span {
        let between = self.text.get(from.start as usize..to.start as usize);
        if between.is_some_and(|text| !text.contains('\n')) { from.to(to) } else { to }
    }

    fn has_hyphen(&self, sym: Sym) -> bool {
        self.edition != Edition::V4 && self.names.text(sym).contains('-')
    }

    fn refuse_hyphen(&self, word: Word) -> Result<()> {
        if self.has_hyphen(word.sym) {
            let message =
                format!("The use of '-' in identifiers is not allowed. please rename {}.", self.names.text(word.sym));
            return Err(Raise::at(Class::Hyphen, word.span, message));
        }
        Ok(())
    }

    // Nodes

    fn depth_of(&self, node: NodeId) -> u16 {
        self.depths.get((node.0 as usize).wrapping_sub(self.first)).copied().unwrap_or(0)
    }

    /// Adds a node above its children.
    fn add(&mut self, kind: Kind, span: Span, children: &[NodeId]) -> Result<NodeId> {
        let depth = 1 + children.iter().map(|child| self.depth_of(*child)).max().unwrap_or(0);
        if depth > DEPTH {
            return Err(self.too_deep(span));
        }
        self.depths.push(depth);
        Ok(self.ast.add(kind, span, self.ns))
    }

    fn too_deep(&self, place: Span) -> Box<Raise> {
        Raise::placed(Class::Parser, place, format!("Syntax error: nested more than {DEPTH} deep"))
            .with_code(Code::NestedTooDeep)
            .with_help("give a part of it a name of its own")
    }

    /// Runs a part of the parser one level deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let made = part(self);
        self.depth -= 1;
        made
    }

    // Files, blocks and statements

    fn file(&mut self) -> Result<Vec<Top>> {
        let mut tops = Vec::new();
        if let Some(doc) = self.take_doc() {
            tops.push(Top::Doc(doc));
        }
        loop {
            self.begin_line();
            match self.tok() {
                Tok::End => return Ok(tops),
                Tok::Keyword(keyword) if keyword.begins() => tops.push(self.definition()?),
                _ => match self.relation_or_statement()? {
                    Some(top) => tops.push(top),
                    None => return Err(self.unexpected()),
                },
            }
        }
    }

    /// Statements up to a word that starts none, last statement first.
    fn statements(&mut self) -> Result<Vec<NodeId>> {
        let mut statements = Vec::new();
        self.level += 1;
        while self.starts_statement() {
            self.begin_line();
            statements.extend(self.statement()?);
        }
        self.level -= 1;
        statements.reverse();
        Ok(statements)
    }

    fn starts_statement(&self) -> bool {
        self.is_keyword(Keyword::For) || self.is_keyword(Keyword::If) || self.starts_expression()
    }

    fn block(&mut self) -> Result<BlockId> {
        let statements = self.statements()?;
        self.begin_line();
        self.expect_keyword(Keyword::End)?;
        Ok(self.ast.add_block(self.ns, statements))
    }

    fn block_depth(&self, block: BlockId) -> u16 {
        self.ast.block(block).statements.iter().map(|node| self.depth_of(*node)).max().unwrap_or(0)
    }

    /// One statement, or nothing where none starts.
    fn statement(&mut self) -> Result<Option<NodeId>> {
        match self.tok() {
            Tok::Keyword(Keyword::For) => self.deeper(Self::for_statement).map(Some),
            Tok::Keyword(Keyword::If) => {
                let start = self.take();
                let node = self.deeper(|parser| parser.if_body(start))?;
                self.begin_line();
                self.expect_keyword(Keyword::End)?;
                Ok(Some(node))
            }
            _ if self.starts_expression() => {
                let (left, is_variable) = self.primary()?;
                self.assignment_or_expression(left, is_variable).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn assignment_or_expression(&mut self, left: NodeId, is_variable: bool) -> Result<NodeId> {
        let extends = match self.tok() {
            Tok::Char(b'=') if is_variable => false,
            Tok::Extend if is_variable => true,
            _ => return self.infix(left, 0),
        };
        let mark = self.take();
        let value = self.expression(0)?;
        let start = self.ast.span(left);
        match *self.ast.kind(left) {
            Kind::Name(sym) => {
                if extends {
                    let message = format!("Can not perform += on variable {}", self.names.text(sym));
                    let name = self.names.text(sym);
                    let help = format!(
                        "a variable has one value: give the next one another name, as in `next = {name} + VALUE`; `+=` adds to a \
                         relation of an instance"
                    );
                    return Err(self.syntax_error(start, message).with_help(help));
                }
                let name = Word { sym, span: start };
                self.refuse_hyphen(name)?;
                let span = self.joined(start, mark);
                self.add(Kind::Assign { name, value }, span, &[value])
            }
            Kind::Attribute { of, name } => {
                let root = self.start_of(of);
                let span = self.joined(root, mark);
                let kind = Kind::SetAttribute { of, name: name.sym, value, extends };
                self.add(kind, span, &[of, value])
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Where a chain of attributes starts.
    fn start_of(&self, mut node: NodeId) -> Span {
        while let Kind::Attribute { of, .. } = self.ast.kind(node) {
            node = *of;
        }
        self.ast.span(node)
    }

    fn for_statement(&mut self) -> Result<NodeId> {
        let start = self.take();
        let variable = self.expect_id()?;
        self.expect_keyword(Keyword::In)?;
        let list = self.expression(0)?;
        self.expect_char(b':')?;
        let body = self.block()?;
        let node = self.add(Kind::For { variable, list, body }, start, &[list])?;
        self.raise_depth(node, self.block_depth(body))?;
        Ok(node)
    }

    fn if_body(&mut self, start: Span) -> Result<NodeId> {
        let condition = self.expression(0)?;
        self.expect_char(b':')?;
        let statements = self.statements()?;
        let yes = self.ast.add_block(self.ns, statements);
        if self.is_keyword(Keyword::Elif) || self.is_keyword(Keyword::Else) {
            self.begin_line();
        }
        let no = if let Some(elif) = self.take_keyword(Keyword::Elif) {
            let inner = self.deeper(|parser| parser.if_body(elif))?;
            self.ast.add_block(self.ns, vec![inner])
        } else if self.take_keyword(Keyword::Else).is_some() {
            self.expect_char(b':')?;
            let statements = self.statements()?;
            self.ast.add_block(self.ns, statements)
        } else {
            self.ast.add_block(self.ns, Vec::new())
        };
        let node = self.add(Kind::If { condition, yes, no }, start, &[condition])?;
        self.raise_depth(node, self.block_depth(yes).max(self.block_depth(no)))?;
        Ok(node)
    }

    /// A node is also deeper than the statements of its blocks.
    fn raise_depth(&mut self, node: NodeId, below: u16) -> Result<()> {
        if below >= DEPTH {
            return Err(self.too_deep(self.ast.span(node)));
        }
        if let Some(depth) = self.depths.get_mut((node.0 as usize).wrapping_sub(self.first)) {
            *depth = (*depth).max(below + 1);
        }
        Ok(())
    }
}
