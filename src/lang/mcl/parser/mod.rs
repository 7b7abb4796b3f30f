//! stub
use super::ast::*;
use crate::diag::*;
use crate::source::*;
pub fn load(ast: &mut Ast, file: FileId, _text: &str, _diags: &mut Diagnostics) -> File {
    let body = ast.blocks.alloc(Block { stmts: vec![], span: Span::new(file, 0, 0) });
    File { file, body, comments: vec![] }
}
