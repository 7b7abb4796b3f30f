//! What the terminal shows, and the one way to change it: a frame is drawn, and what differs is sent.

use std::convert::Infallible;
use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Size};
use ratatui::{Frame, Terminal};

use super::paint::{jump, paint};

/// Smaller changes come in one piece anyway; larger ones are told to be shown at once.
const SMALL: usize = 256;

/// The terminal's screen.
pub struct Surface {
    terminal: Terminal<Deaf>,
    /// What was sent last.
    shown: Buffer,
    /// Where the text cursor is, where it is shown.
    cursor: Option<Position>,
    /// Somebody else drew: what is shown is not known.
    is_lost: bool,
}

impl Surface {
    /// A screen that is blank, without a text cursor.
    pub fn new() -> io::Result<Self> {
        let size = size()?;
        let deaf = Deaf { size, cursor: None };
        let Ok(terminal) = Terminal::new(deaf);
        Ok(Self { terminal, shown: Buffer::default(), cursor: None, is_lost: true })
    }

    /// Somebody else drew: the next frame is sent whole.
    pub fn forget(&mut self) {
        self.is_lost = true;
    }

    /// Draws a frame of the terminal's size, and sends what differs from the last; nothing where nothing does.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.backend_mut().size = size()?;
        let Ok(frame) = self.terminal.draw(draw);
        let mut out = String::new();
        if self.is_lost || frame.area != self.shown.area {
            out.push_str("\x1b[?25l\x1b[m\x1b[2J");
            (self.shown, self.cursor) = (Buffer::empty(frame.area), None);
        }
        paint(&self.shown, frame.buffer, &mut out);
        self.shown.clone_from(frame.buffer);
        self.place_cursor(&mut out);
        self.is_lost = false;
        if out.is_empty() {
            return Ok(());
        }
        let mut to = io::stdout().lock();
        if out.len() > SMALL {
            out = format!("\x1b[?2026h{out}\x1b[?2026l");
        }
        to.write_all(out.as_bytes())?;
        to.flush()
    }

    fn place_cursor(&mut self, out: &mut String) {
        let wanted = self.terminal.backend().cursor;
        match (self.cursor, wanted) {
            (Some(_), None) => out.push_str("\x1b[?25l"),
            (before, Some(at)) => {
                // Whatever was sent has moved it.
                if !out.is_empty() || before != wanted {
                    jump(out, at.x, at.y);
                }
                if before.is_none() {
                    out.push_str("\x1b[?25h");
                }
            }
            (None, None) => {}
        }
        self.cursor = wanted;
    }
}

/// The terminal's size.
pub fn size() -> io::Result<Size> {
    let (width, height) = crossterm::terminal::size()?;
    Ok(Size { width, height })
}

/// Lets frames be drawn and sends nothing of them.
struct Deaf {
    size: Size,
    cursor: Option<Position>,
}

impl Backend for Deaf {
    type Error = Infallible;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, _: I) -> Result<(), Infallible> {
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), Infallible> {
        self.cursor = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, Infallible> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Infallible> {
        self.cursor = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_region(&mut self, _: ClearType) -> Result<(), Infallible> {
        Ok(())
    }

    fn size(&self) -> Result<Size, Infallible> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, Infallible> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::default() })
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
