//! What the terminal shows, and the one way to change it: a frame is drawn, and what differs is sent.

use std::io::{self, Write};

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::paint::{Pen, paint};

/// Smaller changes come in one piece anyway; larger ones are told to be shown at once.
const SMALL: usize = 1024;

/// The terminal's screen.
pub struct Surface {
    /// What was sent last.
    shown: Buffer,
    /// What the next frame is drawn into.
    next: Buffer,
    pen: Pen,
    /// Where the text cursor is, where it is shown.
    cursor: Option<Position>,
    /// Somebody else drew: what is shown is not known.
    is_lost: bool,
}

impl Surface {
    /// A screen that is blank, without a text cursor.
    ///
    /// `erases`: what the terminal erases takes the ground that is in force.
    pub fn new(erases: bool) -> Self {
        let pen = Pen::new(erases);
        Self { shown: Buffer::default(), next: Buffer::default(), pen, cursor: None, is_lost: true }
    }

    /// The terminal said that it knows margins on the left and the right.
    pub fn take_margins(&mut self) {
        self.pen.take_margins();
    }

    /// Somebody else drew: the next frame is sent whole.
    pub fn forget(&mut self) {
        self.is_lost = true;
    }

    /// Draws a frame of that size, and sends what differs from the last; nothing where nothing does.
    ///
    /// `draw` is given a blank page, and gives the place of the text cursor.
    pub fn draw(&mut self, size: Size, draw: impl FnOnce(&mut Buffer) -> Option<Position>) -> io::Result<()> {
        self.draw_within(usize::MAX, size, draw, |_, _| false).map(|_| ())
    }

    /// Draws a frame; one that takes more bytes than `most` is held back in part, unless nobody knows what is shown. Gives whether
    /// all of it is shown.
    ///
    /// `hold` puts back what need not be sent yet, as it was in the frame before, and gives whether that made a difference.
    pub fn draw_within(
        &mut self,
        most: usize,
        size: Size,
        draw: impl FnOnce(&mut Buffer) -> Option<Position>,
        hold: impl FnOnce(&mut Buffer, &Buffer) -> bool,
    ) -> io::Result<bool> {
        let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
        if self.next.area == area {
            self.next.reset();
        } else {
            self.next = Buffer::empty(area);
        }
        let cursor = draw(&mut self.next);
        let mut out = String::new();
        let is_new = self.is_lost || self.shown.area != area;
        if is_new {
            out.push_str("\x1b[?25l\x1b[m\x1b[2J");
            (self.shown, self.cursor) = (Buffer::empty(area), None);
            self.pen.reset();
        }
        let before = (self.pen, self.cursor);
        let mut is_whole = true;
        // What may take nothing need not be written down to be too long.
        if most > 0 || is_new {
            self.change_to(cursor, &mut out);
        }
        if !is_new && (most == 0 || out.len() > most) {
            is_whole = !hold(&mut self.next, &self.shown);
            if !is_whole || most == 0 {
                (self.pen, self.cursor) = before;
                out.clear();
                self.change_to(cursor, &mut out);
            }
        }
        std::mem::swap(&mut self.shown, &mut self.next);
        self.is_lost = false;
        if !out.is_empty() {
            send(out)?;
        }
        Ok(is_whole)
    }

    /// Adds what makes of the frame that is shown the next one.
    fn change_to(&mut self, cursor: Option<Position>, out: &mut String) {
        paint(&mut self.pen, &self.shown, &self.next, out);
        self.place_cursor(cursor, out);
    }

    fn place_cursor(&mut self, wanted: Option<Position>, out: &mut String) {
        match (self.cursor, wanted) {
            (Some(_), None) => out.push_str("\x1b[?25l"),
            (before, Some(at)) => {
                // Whatever was sent has moved it.
                if !out.is_empty() || before != wanted {
                    self.pen.go((usize::from(at.x), usize::from(at.y)), out);
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

fn send(mut frame: String) -> io::Result<()> {
    if frame.len() > SMALL {
        frame = format!("\x1b[?2026h{frame}\x1b[?2026l");
    }
    let mut to = io::stdout().lock();
    to.write_all(frame.as_bytes())?;
    to.flush()
}

/// The terminal's size.
pub fn size() -> io::Result<Size> {
    match rustix::termios::tcgetwinsize(rustix::stdio::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Ok(Size { width: size.ws_col, height: size.ws_row }),
        // Those who do not tell it in this way may know it in another.
        _ => crossterm::terminal::size().map(|(width, height)| Size { width, height }),
    }
}
