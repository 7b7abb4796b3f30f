//! Layers around a node: boxes from top to bottom as they are applied, with lines between, for a neighbourhood only.
//!
//! After Sugiyama, in the small: a box stands one layer below the lowest that it needs; a line over several layers runs
//! through places kept free for it; each layer is put in the order of the middles of its neighbours, a few times up and
//! down; then boxes move toward those middles as far as there is room. Between two layers each source has a track of its
//! own for the level parts of its lines, where such parts would meet.

use std::collections::VecDeque;

use super::wiring::Wiring;

/// More boxes are not looked through.
pub const MOST: usize = 20;
/// Columns between boxes.
const GAP: i32 = 2;
const SWEEPS: usize = 8;

/// What is to be drawn: all that is so many steps from a node, nearest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    pub middle: u32,
    pub radius: usize,
}

/// A node's place on the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxed {
    pub node: u32,
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
    /// Its layer.
    pub layer: u16,
    /// A line leaves from the middle of its lower side.
    pub leads_on: bool,
}

/// How large boxes are, in columns and rows.
pub struct Sizes<'a> {
    /// As wide as a node's box would like to be.
    pub width_of: &'a dyn Fn(u32) -> u16,
    /// Boxes that would have to be narrower than this are not made narrower at all, but for what is wider than half the room.
    pub least: u16,
    pub height: u16,
    /// The columns that all should do with. The widest boxes of a layer that has more are made narrower.
    pub room: u16,
}

/// A drawn neighbourhood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The lines between the boxes, row by row, as wide as the canvas.
    pub canvas: Vec<Vec<char>>,
    /// In apply order.
    pub boxes: Vec<Boxed>,
    /// How many within the radius were too many.
    pub left_out: usize,
}

/// Draws a neighbourhood.
pub fn layers(
    wiring: &Wiring,
    shown: Option<&[bool]>,
    around: &Neighbourhood,
    sizes: &Sizes,
    is_ascii: bool,
) -> Layers {
    let (nodes, left_out) = near(wiring, shown, around);
    let mut plan = Plan::new(wiring, &nodes, sizes);
    plan.narrow(sizes);
    plan.sort();
    plan.place(i32::from(sizes.room));
    Layers { left_out, ..plan.draw(&nodes, sizes.height, is_ascii) }
}

/// The nodes within the radius in apply order, and how many were too many.
fn near(wiring: &Wiring, shown: Option<&[bool]>, around: &Neighbourhood) -> (Vec<u32>, usize) {
    let is_shown = |node: u32| node == around.middle || shown.is_none_or(|shown| shown[node as usize]);
    let mut seen = rustc_hash::FxHashSet::from_iter([around.middle]);
    let (mut found, mut left_out) = (vec![around.middle], 0);
    let mut todo = VecDeque::from([(around.middle, 0)]);
    while let Some((node, steps)) = todo.pop_front() {
        if steps == around.radius {
            continue;
        }
        // In turn from both sides, so that neither crowds out the other.
        let (mut before, mut after) = (wiring.needs(node).iter().rev(), wiring.followers(node).iter());
        loop {
            let pair = [before.next(), after.next()];
            if pair == [None, None] {
                break;
            }
            for next in pair.into_iter().flatten().copied().filter(|next| is_shown(*next)) {
                if !seen.insert(next) {
                    continue;
                }
                if found.len() == MOST {
                    left_out += 1;
                } else {
                    found.push(next);
                    todo.push_back((next, steps + 1));
                }
            }
        }
    }
    found.sort_unstable_by_key(|node| wiring.rank[*node as usize]);
    (found, left_out)
}

/// A box, or a place where a line passes a layer.
struct Spot {
    width: i32,
    x: i32,
    /// Spots in the layer above and the layer below.
    up: Vec<usize>,
    down: Vec<usize>,
}

impl Spot {
    fn middle(&self) -> i32 {
        self.x + self.width / 2
    }
}

/// Spots in layers.
struct Plan {
    spots: Vec<Spot>,
    layers: Vec<Vec<usize>>,
    /// How many of the spots are boxes; they come first.
    boxes: usize,
}

impl Plan {
    fn new(wiring: &Wiring, nodes: &[u32], sizes: &Sizes) -> Self {
        let place = |node: &u32| nodes.iter().position(|there| there == node);
        let mut needs: Vec<Vec<usize>> =
            nodes.iter().map(|node| wiring.needs(*node).iter().filter_map(place).collect()).collect();
        reduce(&mut needs);
        let mut layer = vec![0usize; nodes.len()];
        for at in 0..nodes.len() {
            layer[at] = needs[at].iter().map(|need| layer[*need] + 1).max().unwrap_or(0);
        }
        // What needs nothing here stands right above what it is needed by.
        for at in 0..nodes.len() {
            if needs[at].is_empty() {
                let above =
                    (0..nodes.len()).filter(|other| needs[*other].contains(&at)).map(|other| layer[other]).min();
                layer[at] = above.map_or(0, |above| above.saturating_sub(1));
            }
        }
        let spot = |width| Spot { width, x: 0, up: Vec::new(), down: Vec::new() };
        let mut plan = Plan {
            spots: nodes.iter().map(|node| spot(i32::from((sizes.width_of)(*node)))).collect(),
            layers: vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)],
            boxes: nodes.len(),
        };
        for (at, layer) in layer.iter().enumerate() {
            plan.layers[*layer].push(at);
        }
        for (to, all) in needs.iter().enumerate() {
            for from in all {
                let mut above = *from;
                for between in layer[*from] + 1..layer[to] {
                    let passing = plan.spots.len();
                    plan.spots.push(spot(1));
                    plan.layers[between].push(passing);
                    plan.join(above, passing);
                    above = passing;
                }
                plan.join(above, to);
            }
        }
        plan
    }

    fn join(&mut self, above: usize, below: usize) {
        self.spots[above].down.push(below);
        self.spots[below].up.push(above);
    }

    /// The columns of a layer when its spots stand as near to each other as they may.
    fn width_of(&self, layer: &[usize]) -> i32 {
        layer.iter().map(|spot| self.spots[*spot].width + GAP).sum::<i32>() - GAP
    }

    /// Takes from the widest boxes of each layer what is too much for the room.
    ///
    /// Where that would leave them too narrow the picture is wider than the room anyway, and is moved about in: then each
    /// box has half of the room.
    fn narrow(&mut self, sizes: &Sizes) {
        let (least, room) = (i32::from(sizes.least), i32::from(sizes.room));
        for layer in 0..self.layers.len() {
            let layer = self.layers[layer].clone();
            let mut over = self.width_of(&layer) - room;
            let narrowest: i32 = layer.iter().map(|spot| self.spots[*spot].width.min(least) + GAP).sum();
            if narrowest - GAP > room {
                for spot in &layer {
                    let width = self.spots[*spot].width;
                    self.spots[*spot].width = width.min((room / 2).max(least));
                }
                continue;
            }
            while over > 0 {
                let widest = layer.iter().copied().max_by_key(|spot| self.spots[*spot].width);
                let widest = widest.filter(|spot| self.spots[*spot].width > least);
                let Some(widest) = widest else { break };
                self.spots[widest].width -= 1;
                over -= 1;
            }
        }
    }

    /// Puts each layer in an order in which few lines cross.
    fn sort(&mut self) {
        for sweep in 0..SWEEPS {
            let is_down = sweep % 2 == 0;
            let mut place = vec![0usize; self.spots.len()];
            let count = self.layers.len();
            for step in 0..count {
                let at = if is_down { step } else { count - 1 - step };
                let mut layer = std::mem::take(&mut self.layers[at]);
                let weight = |spot: usize, stands: usize| {
                    let near = if is_down { &self.spots[spot].up } else { &self.spots[spot].down };
                    let sum: usize = near.iter().map(|other| place[*other] * 100).sum();
                    near.len().checked_sub(1).map_or(stands * 100, |_| sum / near.len())
                };
                let weights: Vec<usize> = layer.iter().enumerate().map(|(at, spot)| weight(*spot, at)).collect();
                let mut order: Vec<usize> = (0..layer.len()).collect();
                order.sort_by_key(|at| weights[*at]);
                layer = order.into_iter().map(|at| layer[at]).collect();
                layer.iter().enumerate().for_each(|(at, spot)| place[*spot] = at);
                self.layers[at] = layer;
            }
        }
    }

    /// Gives each spot its column, within the room where it is wide enough.
    fn place(&mut self, room: i32) {
        let room = self.layers.iter().map(|layer| self.width_of(layer)).max().unwrap_or(0).max(room);
        for layer in &self.layers {
            let mut x = (room - self.width_of(layer)) / 2;
            for spot in layer {
                self.spots[*spot].x = x;
                x += self.spots[*spot].width + GAP;
            }
        }
        for sweep in 0..SWEEPS {
            let count = self.layers.len();
            for step in 0..count {
                let is_down = sweep % 2 == 0;
                self.align(if is_down { step } else { count - 1 - step }, is_down, room);
            }
        }
        let least = self.spots.iter().map(|spot| spot.x).min().unwrap_or(0);
        self.spots.iter_mut().for_each(|spot| spot.x -= least);
    }

    /// Moves the spots of a layer toward their neighbours on one side.
    fn align(&mut self, layer: usize, is_down: bool, room: i32) {
        let layer = &self.layers[layer];
        let wish = |spot: &usize| {
            let spot = &self.spots[*spot];
            let near = if is_down { &spot.up } else { &spot.down };
            let sum: i32 = near.iter().map(|other| self.spots[*other].middle()).sum();
            if near.is_empty() { spot.x } else { sum / near.len() as i32 - spot.width / 2 }
        };
        let wishes: Vec<i32> = layer.iter().map(wish).collect();
        // As far right as those before push, and as far left as those behind do; the middle of both.
        let mut right = wishes.clone();
        for at in 1..layer.len() {
            right[at] = right[at].max(right[at - 1] + self.spots[layer[at - 1]].width + GAP);
        }
        let mut left = wishes;
        for at in (1..layer.len()).rev() {
            left[at - 1] = left[at - 1].min(left[at] - self.spots[layer[at - 1]].width - GAP);
        }
        // Those behind need their room too.
        let (mut least, mut most) = (0, room - self.width_of(layer));
        for (at, spot) in layer.iter().enumerate() {
            let x = ((right[at] + left[at]) / 2).min(most).max(least);
            let width = self.spots[*spot].width + GAP;
            self.spots[*spot].x = x;
            (least, most) = (x + width, most + width);
        }
    }

    fn draw(&self, nodes: &[u32], height: u16, is_ascii: bool) -> Layers {
        let width = self.spots.iter().map(|spot| spot.x + spot.width).max().unwrap_or(0).max(0) as usize;
        let mut pen = Pen { cells: Vec::new(), width };
        let mut boxes = Vec::new();
        for (number, layer) in self.layers.iter().enumerate() {
            let y = pen.cells.len();
            pen.grow(usize::from(height));
            for spot in layer {
                let there = &self.spots[*spot];
                if let Some(node) = nodes.get(*spot).filter(|_| *spot < self.boxes) {
                    let (x, width, leads_on) = (there.x as u16, there.width as u16, !there.down.is_empty());
                    boxes.push(Boxed { node: *node, x, y: y as u16, width, height, layer: number as u16, leads_on });
                } else {
                    (y..y + usize::from(height)).for_each(|y| pen.add(there.middle(), y, UP | DOWN));
                }
            }
            if number + 1 < self.layers.len() {
                self.draw_ways(layer, y + usize::from(height), &mut pen);
            }
        }
        Layers { canvas: pen.drawn(is_ascii), boxes, left_out: 0 }
    }

    /// Draws the lines from a layer to the next; `y` is the row below the layer.
    fn draw_ways(&self, layer: &[usize], y: usize, pen: &mut Pen) {
        let mut tracks: Vec<Vec<Level>> = Vec::new();
        let mut ways = Vec::new();
        for spot in layer.iter().map(|spot| &self.spots[*spot]).filter(|spot| !spot.down.is_empty()) {
            let from = spot.middle();
            let ends: Vec<i32> = spot.down.iter().map(|below| self.spots[*below].middle()).collect();
            let first = ends.iter().copied().chain([from]).min().unwrap_or(from);
            let last = ends.iter().copied().chain([from]).max().unwrap_or(from);
            let level = Level { first, last, only: if let [only] = spot.down[..] { Some(only) } else { None } };
            let track = (first != last).then(|| {
                let at = tracks.iter().position(|track| track.iter().all(|other| other.leaves_room_for(level)));
                let at = at.unwrap_or(tracks.len());
                if at == tracks.len() {
                    tracks.push(Vec::new());
                }
                tracks[at].push(level);
                at
            });
            ways.push((from, spot, track));
        }
        let rows = tracks.len() + 1;
        pen.grow(rows);
        for (from, spot, track) in ways {
            for below in &spot.down {
                let rows = (y, y + track.unwrap_or(0), y + rows - 1);
                pen.way(from, self.spots[*below].middle(), rows, *below < self.boxes);
            }
        }
    }
}

/// The level part of a spot's lines.
#[derive(Clone, Copy)]
struct Level {
    first: i32,
    last: i32,
    /// Where all of them lead, if that is one spot.
    only: Option<usize>,
}

impl Level {
    /// Two that lead to the same may meet on the way.
    fn leaves_room_for(self, other: Level) -> bool {
        self.last < other.first || other.last < self.first || self.only.is_some() && self.only == other.only
    }
}

/// Leaves out what a longer way says as well.
fn reduce(needs: &mut [Vec<usize>]) {
    let mut reach: Vec<u64> = Vec::with_capacity(needs.len());
    for all in needs {
        let behind = all.iter().fold(0u64, |sum, need| sum | reach[*need]);
        reach.push(all.iter().fold(behind, |sum, need| sum | 1 << need));
        all.retain(|need| behind & (1 << need) == 0);
    }
}

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;
/// An arrow's tip.
const TIP: u8 = 16;

/// Draws lines on cells that know in which directions they lead.
struct Pen {
    cells: Vec<Vec<u8>>,
    width: usize,
}

impl Pen {
    fn grow(&mut self, rows: usize) {
        self.cells.extend(std::iter::repeat_n(vec![0; self.width], rows));
    }

    fn add(&mut self, x: i32, y: usize, what: u8) {
        if let Some(cell) = self.cells.get_mut(y).and_then(|row| row.get_mut(usize::try_from(x).ok()?)) {
            *cell |= what;
        }
    }

    /// A line down from one column, level to another, and down again; the rows are those of its begin, its level part and
    /// its end.
    fn way(&mut self, from: i32, to: i32, (top, level, bottom): (usize, usize, usize), has_tip: bool) {
        (top..level).for_each(|y| self.add(from, y, UP | DOWN));
        self.add(from, level, UP);
        let (first, last) = (from.min(to), from.max(to));
        for x in first..=last {
            let what = if x > first { LEFT } else { 0 } | if x < last { RIGHT } else { 0 };
            self.add(x, level, what);
        }
        self.add(to, level, DOWN);
        (level + 1..=bottom).for_each(|y| self.add(to, y, UP | DOWN));
        if has_tip {
            self.add(to, bottom, TIP);
        }
    }

    fn drawn(&self, is_ascii: bool) -> Vec<Vec<char>> {
        let draw = |cell: &u8| if is_ascii { ascii(*cell) } else { unicode(*cell) };
        self.cells.iter().map(|row| row.iter().map(draw).collect()).collect()
    }
}

fn unicode(cell: u8) -> char {
    const LINES: [char; 16] = [' ', '│', '│', '│', '─', '╯', '╮', '┤', '─', '╰', '╭', '├', '─', '┴', '┬', '┼'];
    if cell & TIP != 0 { '▼' } else { LINES[usize::from(cell & 15)] }
}

fn ascii(cell: u8) -> char {
    match cell {
        0 => ' ',
        cell if cell & TIP != 0 => 'v',
        cell if cell & (LEFT | RIGHT) == 0 => '|',
        cell if cell & (UP | DOWN) == 0 => '-',
        _ => '+',
    }
}

#[cfg(test)]
mod tests {
    use super::super::wiring::tests::wiring;
    use super::*;

    fn draw(len: u32, edges: &[(u32, u32)], around: &Neighbourhood, (wide, height, room): (u16, u16, u16)) -> Layers {
        let sizes = Sizes { width_of: &|_| wide, least: 5, height, room };
        layers(&wiring(len, edges), None, around, &sizes, false)
    }

    fn show(len: u32, edges: &[(u32, u32)], around: &Neighbourhood) -> Vec<String> {
        let layers = draw(len, edges, around, (5, 1, 80));
        let mut rows = layers.canvas;
        for boxed in &layers.boxes {
            for (at, c) in format!("[n{:02}]", boxed.node).chars().enumerate() {
                rows[usize::from(boxed.y)][usize::from(boxed.x) + at] = c;
            }
        }
        rows.into_iter().map(|row| row.into_iter().collect::<String>().trim_end().to_string()).collect()
    }

    #[test]
    fn a_diamond() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)];
        let around = Neighbourhood { middle: 0, radius: 2 };
        let drawn = ["   [n00]", "  ╭──┴───╮", "  ▼      ▼", "[n01]  [n02]", "  ╰───┬──╯", "      ▼", "    [n03]"];
        assert_eq!(show(4, &edges, &around), drawn);
    }

    #[test]
    fn a_neighbourhood_has_bounds() {
        let edges: Vec<(u32, u32)> = (1..100).map(|at| (0, at)).collect();
        let around = Neighbourhood { middle: 0, radius: 1 };
        let layers = draw(100, &edges, &around, (5, 1, 80));
        assert_eq!((layers.boxes.len(), layers.left_out), (MOST, 80));
        assert_eq!(show(3, &[(0, 1), (1, 2)], &Neighbourhood { middle: 0, radius: 1 }).len(), 3);
    }

    /// Boxes are as wide as they like where there is room, and no narrower than they must be where there is not.
    #[test]
    fn the_room_is_used_and_kept_to() {
        let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6)];
        let around = Neighbourhood { middle: 0, radius: 2 };
        for (room, height) in [(200, 1), (200, 3), (64, 3), (40, 1), (20, 3), (5, 1)] {
            let layers = draw(7, &edges, &around, (30, height, room));
            let all = layers.canvas[0].len();
            assert!(all <= usize::from(room) || room < 3 * 5 + 2 * GAP as u16, "{all} columns in a room of {room}");
            for boxed in &layers.boxes {
                let is_alone = layers.boxes.iter().filter(|other| other.layer == boxed.layer).count() == 1;
                assert!(boxed.width == 30 || !is_alone && room < 94 || room < 30, "{room}: {boxed:?}");
                assert!(boxed.leads_on == (boxed.node < 4));
                for other in layers.boxes.iter().filter(|other| other.layer == boxed.layer && other.x > boxed.x) {
                    assert!(boxed.x + boxed.width + GAP as u16 <= other.x, "{room}: {boxed:?} {other:?}");
                }
            }
        }
    }
}
