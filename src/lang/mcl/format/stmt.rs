//! Formats statements and the bodies of resources.

use super::Printer;
use crate::lang::mcl::ast::{BlockId, EdgeHalf, ImportAlias, ItemKind, Relation, Resource, ResourceItem, StmtKind};
use crate::lang::mcl::lexer::TokenKind;
use crate::source::Span;

impl Printer<'_> {
    pub(super) fn stmt(&mut self, kind: &StmtKind, span: Span) {
        match kind {
            StmtKind::Bind { name, note, value } => {
                self.squeezed(name.span);
                self.word(" ");
                if let Some(note) = note {
                    self.note(note);
                    self.word(" ");
                }
                self.word("= ");
                self.expr(*value);
            }
            StmtKind::If { condition, then, else_part } => {
                self.word("if ");
                self.expr(*condition);
                self.word(" ");
                self.block(*then);
                if let Some(else_part) = else_part {
                    self.word(" else ");
                    self.block(*else_part);
                }
            }
            StmtKind::For { index, value, list, body } => {
                self.looped("for ", [index.span, value.span]);
                self.expr(*list);
                self.word(" ");
                self.block(*body);
            }
            StmtKind::ForKv { key, value, map, body } => {
                self.looped("forkv ", [key.span, value.span]);
                self.expr(*map);
                self.word(" ");
                self.block(*body);
            }
            StmtKind::Func { name, params, returns, body } => {
                self.word("func ");
                self.word(&name.text);
                self.function(name.span.end, params, returns.as_ref(), *body);
            }
            StmtKind::Class { path, params, body } => {
                self.word("class ");
                for (i, part) in path.iter().enumerate() {
                    self.word(if i > 0 { ":" } else { "" });
                    self.word(&part.text);
                }
                let behind = path.last().map_or(span.start, |part| part.span.end);
                if self.token_at(behind).kind == TokenKind::OpenParen {
                    self.params(behind, params);
                }
                self.word(" ");
                self.block(*body);
            }
            StmtKind::Include { class, args, alias } => {
                self.word("include ");
                self.squeezed(class.span);
                if self.token_at(class.span.end).kind == TokenKind::OpenParen {
                    let close = self.close_of_args(class.span.end, args.last().map(|last| self.end(*last)));
                    self.args(class.span.end, close + 1, args);
                }
                if let Some(alias) = alias {
                    self.word(" as ");
                    self.word(&alias.text);
                }
            }
            StmtKind::Import { name_span, alias, .. } => {
                self.word("import ");
                self.source(*name_span);
                match alias {
                    ImportAlias::None => {}
                    ImportAlias::As(alias) => {
                        self.word(" as ");
                        self.word(&alias.text);
                    }
                    ImportAlias::Star => self.word(" as *"),
                }
            }
            StmtKind::Panic { args } => {
                self.word("panic");
                self.args(span.start + 1, span.end, args);
            }
            StmtKind::Resource(resource) => self.resource(resource, span),
            StmtKind::Collect(resource) => {
                self.word("collect ");
                self.resource(resource, span);
            }
            StmtKind::Edge { halves } => {
                for (i, half) in halves.iter().enumerate() {
                    self.word(if i > 0 { " -> " } else { "" });
                    self.half(half);
                }
            }
        }
    }

    /// The end of the arguments that start after `from`.
    fn close_of_args(&self, from: u32, last: Option<u32>) -> u32 {
        let next = self.token_at(last.unwrap_or(self.token_at(from).end));
        if next.kind == TokenKind::Comma { self.token_at(next.end).start } else { next.start }
    }

    fn looped(&mut self, word: &str, [first, second]: [Span; 2]) {
        self.word(word);
        self.squeezed(first);
        self.word(", ");
        self.squeezed(second);
        self.word(" in ");
    }

    fn block(&mut self, id: BlockId) {
        let block = &self.ast.blocks[id];
        self.body(block.span, block.stmts.is_empty(), |this| this.stmts(&block.stmts));
    }

    fn resource(&mut self, resource: &Resource, span: Span) {
        self.word(&resource.kind.text);
        self.word(" ");
        self.expr(resource.name);
        self.word(" ");
        let open = self.token_at(self.end(resource.name)).start;
        let body = Span { start: open, ..span };
        self.body(body, resource.items.is_empty(), |this| {
            for item in &resource.items {
                this.line(item.span.start);
                this.item(item);
                this.word(",");
                this.at = item.span.end;
            }
        });
    }

    fn item(&mut self, item: &ResourceItem) {
        match &item.kind {
            ItemKind::Field { name, .. } => self.word(&name.text),
            ItemKind::Edge { relation, .. } => self.word(match relation {
                Relation::Before => "Before",
                Relation::Depend => "Depend",
                Relation::Notify => "Notify",
                Relation::Listen => "Listen",
            }),
            ItemKind::Meta { param, .. } => {
                self.word("Meta:");
                self.word(&param.text);
            }
            ItemKind::MetaStruct { .. } => self.word("Meta"),
        }
        self.word(" => ");
        if let Some(condition) = item.condition {
            self.expr(condition);
            self.word(" ?: ");
        }
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.expr(*value)
            }
            ItemKind::Edge { half, .. } => self.half(half),
        }
    }

    /// `Kind["name"].field`; the tree has the kind in lower case.
    fn half(&mut self, half: &EdgeHalf) {
        self.squeezed(half.kind.span);
        self.word("[");
        self.expr(half.name);
        self.word("]");
        if let Some(field) = &half.field {
            self.word(".");
            self.word(&field.text);
        }
        self.at = half.span.end;
    }
}
