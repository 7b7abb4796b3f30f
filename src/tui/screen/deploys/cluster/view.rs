//! How a cluster is drawn: who answers, its deploys, and what one has or a push would change.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::detail::field;
use super::super::short_time;
use super::{About, Cluster, HERE, Pane, Previewed, Reach};
use crate::session::in_bytes;
use crate::session::target::{Choices, Comparison, Origin, Published, Tree, choice_words, is_nothing_new};
use crate::tui::filter;
use crate::tui::look::{Look, Role};
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

/// More files of one deploy are for `workbench deploy show`.
const FILES: usize = 5_000;
/// So many paths a question names.
const NAMED: usize = 6;

/// What the list is of: this machine and the clusters, the one on show in brackets.
pub fn title(tui: &Tui) -> String {
    let clusters = &tui.deploys.clusters;
    let mut title = "Deploys".to_string();
    if clusters.all.is_empty() {
        title += &format!(" on {}", text::safe(&tui.host));
    } else {
        let names = clusters.all.iter().enumerate().map(|(at, cluster)| (Some(at), cluster.name.as_str()));
        for (at, name) in std::iter::once((None, HERE)).chain(names) {
            title += &if at == clusters.at { format!(" [{name}]") } else { format!("  {name} ") };
        }
    }
    let words = &tui.deploys.words;
    if words.is_empty() { title.trim_end().into() } else { format!("{}  /{}", title.trim_end(), text::safe(words)) }
}

pub fn view(tui: &Tui, buf: &mut Buffer, pane: Pane, area: Rect) {
    let (look, focused) = (&tui.look, tui.focus() == pane);
    let Some(cluster) = tui.deploys.clusters.shown() else { return };
    let height = usize::from(area.height.saturating_sub(2));
    if pane == Pane::Deploy {
        let title = match cluster.about {
            About::Nothing => cluster.name.clone(),
            About::Deploy(deploy) => format!("{} #{deploy}", cluster.name),
            About::Push => format!("push to {}", cluster.name),
        };
        let scroll = cluster.detail.extent(cluster.lines.len(), height);
        let inner = frame::draw(buf, area, look, &Frame { title: &title, focused, scroll, ..Frame::default() });
        return list::draw_cut(buf, inner, &tui.look, cluster.detail.offset, &cluster.lines);
    }
    let head = head(tui);
    let foot = cluster.list.foot(cluster.rows.len());
    let scroll = cluster.list.extent(cluster.rows.len(), height.saturating_sub(head.len()));
    let title = title(tui);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    list::draw_cut(buf, inner, &tui.look, 0, &head);
    let above = (head.len() as u16).min(inner.height);
    let below = Rect { y: inner.y + above, height: inner.height - above, ..inner };
    if cluster.rows.is_empty() {
        return list::draw_words(buf, below, &empty(tui, cluster));
    }
    list::draw(buf, below, look, &cluster.list, cluster.rows.len(), focused, |at| {
        row_line(&cluster.deploys[cluster.rows[at]], cluster.rows[at] == 0, look, usize::from(below.width))
    });
}

/// The lines above the list: who answers, or why nobody does, and what is to be known of the way there.
pub fn head(tui: &Tui) -> Vec<Line<'static>> {
    let Some(cluster) = tui.deploys.clusters.shown() else { return vec![] };
    let (look, glyphs) = (&tui.look, tui.look.glyphs);
    let (width, height) = tui.room(Pane::Deploys);
    let address = text::safe(&cluster.place.address);
    let mut lines = Vec::new();
    let mut wrapped = |mark: &str, words: &str, role: Role| {
        let style = look.style(role);
        for (at, line) in text::wrap(&text::safe(words), width.saturating_sub(4)).into_iter().enumerate() {
            let mark = if at == 0 { mark } else { " " };
            lines.push(Line::styled(format!(" {mark} {line}"), style));
        }
    };
    match &cluster.reach {
        Reach::Unasked => wrapped(glyphs.waiting, &format!("{address} was not asked; f asks it"), Role::Dim),
        Reach::Asking => wrapped(glyphs.running, &format!("asking {address}; x stops"), Role::Note),
        Reach::There(facts) => {
            let words = format!("etcd {} at {}", facts.version, facts.endpoint);
            let words = text::fit(&text::safe(&words), width.saturating_sub(4), glyphs.cut).into_owned();
            wrapped(glyphs.known, &words, Role::Good);
        }
        Reach::Away(why) => {
            let (first, rest) = why.split_first().map_or(("", &why[..]), |(first, rest)| (first.as_str(), rest));
            wrapped(glyphs.failed, first, Role::Error);
            for line in rest.iter().filter(|line| !line.is_empty()) {
                wrapped(" ", line, Role::Note);
            }
            wrapped(" ", "f asks it again", Role::Dim);
        }
    }
    if let Some(open) = &cluster.open {
        wrapped("!", &warning(open), Role::Warning);
    }
    // Where there are deploys, most of the room is theirs.
    let most = if cluster.rows.is_empty() { height } else { (height / 2).max(1) };
    lines.truncate(most);
    lines
}

fn warning(open: &str) -> String {
    format!("{open} has no TLS: others on the way can read and write; use etcds://, or a tunnel by ssh -L")
}

fn empty(tui: &Tui, cluster: &Cluster) -> Vec<Line<'static>> {
    let dim = tui.look.style(Role::Dim);
    match (&cluster.reach, cluster.deploys.len()) {
        (Reach::There(_), 0) => vec![
            Line::raw(" Nothing was ever deployed there."),
            Line::styled(" P publishes the open program, after a look.", dim),
        ],
        (_, 0) => vec![],
        (_, hidden) => filter::hides_all(tui, &tui.deploys.words, (hidden, "deploy", "deploys")),
    }
}

/// A deploy in one line, as the filter and the log have it.
pub fn told(deploy: &Published) -> String {
    let mut words = vec![format!("#{}", deploy.id)];
    match &deploy.writer {
        Some(writer) => words.extend([short_time(&writer.time), writer.to_string(), writer.entry.clone()]),
        None => words.push("by mgmt, which does not say who".into()),
    }
    words.extend(deploy.writer.as_ref().and_then(|writer| writer.back_to).map(|to| format!("back to #{to}")));
    words.extend(deploy.record.as_ref().err().map(|why| format!("cannot be read: {why}")));
    words.join("  ")
}

fn row_line(deploy: &Published, is_newest: bool, look: &Look, width: usize) -> list::Row<'static> {
    let glyphs = look.glyphs;
    let (glyph, role) = match (&deploy.record, is_newest) {
        (Err(_), _) => (glyphs.failed, Role::Error),
        (Ok(_), true) => (glyphs.known, Role::Good),
        (Ok(_), false) => (glyphs.done, Role::Dim),
    };
    let number = format!("#{}", deploy.id);
    let ending = match (&deploy.record, deploy.writer.as_ref().and_then(|writer| writer.back_to), is_newest) {
        (Err(_), ..) => "cannot be read".to_string(),
        (_, Some(to), true) => format!("as #{to}, runs"),
        (_, Some(to), false) => format!("as #{to}"),
        (_, None, true) => "runs".into(),
        (_, None, false) => String::new(),
    };
    let (head, what) = match &deploy.writer {
        Some(writer) => (format!("{}  ", short_time(&writer.time)), format!("{writer}  {}", writer.entry)),
        None => (String::new(), "by mgmt, which does not say who".into()),
    };
    let room = width.saturating_sub(9 + text::width(&head) + 2);
    let ending = text::fit(&ending, room, glyphs.cut).into_owned();
    let room = room.saturating_sub(text::width(&ending));
    let what = text::safe(&what);
    let named = 3..9 + text::width(head.trim_end());
    let line = Line::from(vec![
        Span::styled(format!(" {glyph} "), look.style(role)),
        Span::styled(format!("{number:<5} "), look.style(Role::Strong)),
        Span::styled(head, look.style(Role::Dim)),
        Span::raw(text::pad(&text::fit(&what, room, glyphs.cut), room)),
        Span::styled(format!("  {ending}"), look.style(role)),
    ]);
    list::Row::marked(line, named)
}

/// All that is told of a deploy; without its files while they are on their way.
pub fn lines_of(deploy: &Published, tree: Option<&Tree>, look: &Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match &deploy.writer {
        Some(writer) => {
            lines.push(field(look, "what", text::safe(&writer.entry)));
            lines.push(field(look, "when", text::safe(&writer.time)));
            lines.push(field(look, "who", text::safe(&format!("{writer}, {}", writer.program))));
            lines.extend(writer.back_to.map(|to| field(look, "back to", format!("#{to}"))));
        }
        None => lines.push(field(look, "who", "mgmt, which does not say who".into())),
    }
    lines.extend(deploy.commit.as_ref().map(|commit| field(look, "commit", text::safe(commit))));
    match &deploy.record {
        Ok(record) => {
            lines.push(field(look, "runs", text::safe(&record.frontend)));
            lines.extend(choices(record.choices, look));
            lines.push(field(look, "tree", text::safe(record.uri.as_deref().unwrap_or("none"))));
        }
        Err(why) => lines.push(Line::styled(text::safe(&format!("cannot be read: {why}")), look.style(Role::Error))),
    }
    lines.push(Line::raw(""));
    let Some(tree) = tree else {
        if deploy.record.is_ok() {
            lines.push(Line::styled("its files are on their way…", look.style(Role::Dim)));
        }
        return lines;
    };
    for (path, leaf) in tree.0.iter().take(FILES) {
        let mark = if leaf.executable { "x" } else { "-" };
        let hash = text::safe(leaf.hash.get(..12).unwrap_or_default());
        lines.push(Line::from(vec![
            Span::styled(format!("{mark} {hash}  "), look.style(Role::Dim)),
            Span::raw(text::safe(path)),
        ]));
    }
    let count = tree.0.len();
    let words = match count.saturating_sub(FILES) {
        0 => format!("{count} file{}", if count == 1 { "" } else { "s" }),
        more => format!("{more} more of {count} files: workbench deploy show {}", deploy.id),
    };
    lines.push(Line::styled(words, look.style(Role::Dim)));
    lines
}

fn choices(choices: Choices, look: &Look) -> Vec<Line<'static>> {
    let warn = |words: String| Line::styled(format!("{:<9}{words}", ""), look.style(Role::Warning));
    choice_words(choices).into_iter().map(warn).collect()
}

/// Why something could not be read.
pub fn lines_of_trouble(why: &[String], look: &Look) -> Vec<Line<'static>> {
    let role = |at| if at == 0 { Role::Error } else { Role::Note };
    why.iter().enumerate().map(|(at, line)| Line::styled(text::safe(line), look.style(role(at)))).collect()
}

/// What a push would change.
pub fn lines_of_push(name: &str, previewed: &Previewed, look: &Look) -> Vec<Line<'static>> {
    let Previewed { offered, comparison, .. } = previewed;
    let offer = &offered.offer;
    let Comparison { live, next, added, changed, removed, same, bytes, unread } = comparison;
    let files = offer.files.len();
    let mut lines = vec![
        field(look, "what", text::safe(&offer.writer.entry)),
        field(look, "would be", format!("deploy {next} on {name}, {files} files, {}", in_bytes(*bytes))),
    ];
    lines.extend(match &offer.origin {
        Origin::Commit { id, .. } => Some(field(look, "commit", text::safe(id))),
        Origin::Untracked | Origin::Unasked => None,
    });
    lines.push(field(look, "runs now", live.as_ref().map_or("nothing".into(), |live| text::safe(&told(live)))));
    lines.push(Line::raw(""));
    if let Some(why) = unread {
        let words = format!("cannot be compared with: {why}");
        lines.push(Line::styled(text::safe(&words), look.style(Role::Warning)));
    }
    for (sign, role, paths) in [("+", Role::Create, added), ("~", Role::Change, changed), ("-", Role::Remove, removed)]
    {
        for path in paths.iter().take(FILES) {
            lines.push(Line::styled(format!("{sign} {}", text::safe(path)), look.style(role)));
        }
    }
    let words = format!("{same} as they are");
    lines.push(Line::styled(words, look.style(Role::Dim)));
    let on_each = offered.reads.iter().cloned().chain(choice_words(offer.choices));
    lines.extend(
        on_each.map(|words| Line::styled(text::safe(&format!("on each machine: {words}")), look.style(Role::Warning))),
    );
    lines.push(Line::raw(""));
    let last = if is_nothing_new(comparison, offer) { "nothing differs" } else { "P publishes it, after a question" };
    lines.push(Line::styled(last, look.style(Role::Dim)));
    lines
}

/// The question before a push.
pub fn question(name: &str, open: Option<&str>, previewed: &Previewed) -> Vec<String> {
    let Previewed { offered, comparison, .. } = previewed;
    let Comparison { live, next, added, changed, removed, same, .. } = comparison;
    let mut lines = vec![
        format!("Publish {} as deploy {next} of {name}?", offered.offer.writer.entry),
        match live {
            Some(live) => format!("  runs now  {}", told(live)),
            None => "  Nothing was ever deployed there.".into(),
        },
        format!(
            "  {} to add, {} to change, {} to remove, {same} as they are",
            added.len(),
            changed.len(),
            removed.len()
        ),
    ];
    let all = [("+", added), ("~", changed), ("-", removed)];
    let paths: Vec<String> =
        all.into_iter().flat_map(|(sign, paths)| paths.iter().map(move |path| format!("    {sign} {path}"))).collect();
    lines.extend(paths.iter().take(NAMED).cloned());
    lines.extend((paths.len() > NAMED).then(|| format!("    and {} more", paths.len() - NAMED)));
    lines.extend(open.map(|open| format!("  ! {}", warning(open))));
    lines.push("Every machine of the cluster runs it then. To publish it, type the cluster's name and Enter.".into());
    lines
}
