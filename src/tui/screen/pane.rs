//! Names of the screens and of their panes.

use crate::tui::layout::Class;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScreenId {
    /// Called Plan on the screens.
    Step,
    Code,
    Graph,
    Modules,
    /// Called History on the screens.
    Deploys,
    Log,
}

/// A part of a screen that can have the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    #[default]
    Tree,
    Module,
    Text,
    Outline,
    Problems,
    Rails,
    Node,
    Order,
    What,
    Changes,
    Then,
    /// What, changes and then in one pane, if there is no room for three.
    Stop,
    /// The last lines of run output; only if there is room below the other panes.
    Output,
    /// The list of deploys, or the selected one.
    Deploys,
    Deploy,
    Log,
}

impl Pane {
    pub fn screen(self) -> ScreenId {
        match self {
            Pane::Tree | Pane::Module => ScreenId::Modules,
            Pane::Text | Pane::Outline | Pane::Problems => ScreenId::Code,
            Pane::Rails | Pane::Node => ScreenId::Graph,
            Pane::Order | Pane::What | Pane::Changes | Pane::Then | Pane::Stop | Pane::Output => ScreenId::Step,
            Pane::Deploys | Pane::Deploy => ScreenId::Deploys,
            Pane::Log => ScreenId::Log,
        }
    }
}

impl Pane {
    /// Its name in the footer.
    pub fn word(self) -> &'static str {
        match self {
            Pane::Tree => "modules",
            Pane::Module => "module",
            Pane::Text => "text",
            Pane::Outline => "outline",
            Pane::Problems => "problems",
            Pane::Rails => "graph",
            Pane::Order => "steps",
            Pane::Changes => "changes",
            Pane::Then => "effect",
            Pane::Deploys => "history",
            Pane::Log | Pane::Output => "log",
            Pane::Node | Pane::What | Pane::Stop | Pane::Deploy => "detail",
        }
    }
}

impl ScreenId {
    pub const ALL: [ScreenId; 6] =
        [ScreenId::Step, ScreenId::Code, ScreenId::Graph, ScreenId::Modules, ScreenId::Deploys, ScreenId::Log];

    pub fn title(self) -> &'static str {
        match self {
            ScreenId::Modules => "Modules",
            ScreenId::Code => "Code",
            ScreenId::Graph => "Graph",
            ScreenId::Step => "Plan",
            ScreenId::Deploys => "History",
            ScreenId::Log => "Log",
        }
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            ScreenId::Modules => "modules",
            ScreenId::Code => "code",
            ScreenId::Graph => "graph",
            ScreenId::Step => "plan",
            ScreenId::Deploys => "history",
            ScreenId::Log => "log",
        }
    }

    /// The panes in the order of Tab; the first has the focus at the start. `more`: with the optional pane at the
    /// bottom.
    pub fn panes(self, class: Class, more: bool) -> &'static [Pane] {
        match (self, class) {
            (ScreenId::Modules, _) => &[Pane::Tree, Pane::Module],
            (ScreenId::Code, _) => &[Pane::Text, Pane::Outline, Pane::Problems],
            (ScreenId::Graph, _) => &[Pane::Rails, Pane::Node],
            (ScreenId::Step, Class::Wide) if more => {
                &[Pane::Order, Pane::What, Pane::Changes, Pane::Then, Pane::Output]
            }
            (ScreenId::Step, _) if more => &[Pane::Order, Pane::Stop, Pane::Output],
            (ScreenId::Step, Class::Wide) => &[Pane::Order, Pane::What, Pane::Changes, Pane::Then],
            (ScreenId::Step, _) => &[Pane::Order, Pane::Stop],
            (ScreenId::Deploys, _) => &[Pane::Deploys, Pane::Deploy],
            (ScreenId::Log, _) => &[Pane::Log],
        }
    }
}
