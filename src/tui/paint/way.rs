//! The shortest way of the cursor from one cell to another.

use super::ink::number;

/// A column and a row, both from 0.
pub type Cell = (usize, usize);

/// Adds what brings the cursor to a cell; from anywhere where it is not known to be.
///
/// The way is told from where the cursor is where that is shorter: a column that changes in each row of a list is written
/// down that column.
pub fn way(from: Option<Cell>, to: Cell, out: &mut String) {
    match from {
        Some(from) => shorter(
            out,
            |out| jump(to, out),
            |out| {
                down(from.1, to.1, out);
                across(from.0, to.0, out);
            },
        ),
        None => jump(to, out),
    }
}

/// Adds the shorter of two texts; the first where they are as long.
pub fn shorter(out: &mut String, one: impl FnOnce(&mut String), other: impl FnOnce(&mut String)) {
    let begin = out.len();
    one(out);
    let middle = out.len();
    other(out);
    if out.len() - middle < middle - begin {
        out.replace_range(begin..middle, "");
    } else {
        out.truncate(middle);
    }
}

fn jump((x, y): Cell, out: &mut String) {
    out.push_str("\x1b[");
    number(y + 1, out);
    if x > 0 {
        out.push(';');
        number(x + 1, out);
    }
    out.push('H');
}

fn down(from: usize, to: usize, out: &mut String) {
    match (to.saturating_sub(from), from.saturating_sub(to)) {
        (0, 0) => {}
        // In the last row of all a line feed would scroll; there is one below this one.
        (rows @ 1..=3, _) => out.extend(std::iter::repeat_n('\n', rows)),
        (rows @ 1.., _) => told(rows, 'B', out),
        (_, rows) => told(rows, 'A', out),
    }
}

fn across(from: usize, to: usize, out: &mut String) {
    let right = |columns: usize, out: &mut String| {
        if columns > 0 {
            told(columns, 'C', out);
        }
    };
    let Some(left) = from.checked_sub(to) else { return right(to - from, out) };
    let back = |out: &mut String| match left {
        0..=3 => out.extend(std::iter::repeat_n('\x08', left)),
        _ => told(left, 'D', out),
    };
    // By way of the first column, which is one byte away.
    shorter(out, back, |out| {
        out.push('\r');
        right(to, out);
    });
}

fn told(count: usize, letter: char, out: &mut String) {
    out.push_str("\x1b[");
    if count > 1 {
        number(count, out);
    }
    out.push(letter);
}
