//! The actions, and the directions of moves.

use crate::tui::{screen::pane::ScreenId, widget::list::Move};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Quit,
    Palette,
    Jobs,
    Range,
    CopyPlace,
    Screen(ScreenId),
    NextPane,
    PreviousPane,
    Zoom,
    Suspend,
    Repaint,
    NextTask,
    Back,
    JumpBack,
    JumpForward,
    LookUp(Asked),
    Pick(What),
    Go(GoWhere),
    Open,
    Close,
    Right,
    Along(Along),
    Filter,
    NextMatch,
    PreviousMatch,
    Fold(Folding),
    Edit,
    Copy,
    Plan,
    Stop,
    NextProblem,
    PreviousProblem,
    Breakpoint,
    ToSource,
    ToGraph,
    ToStep,
    FirstNeed,
    FirstDependent,
    Step,
    Continue,
    ToCursor,
    Skip,
    Retry,
    Observe,
    MakeNext,
    Summary,
    WholeDiff,
    NextChange,
    PreviousChange,
    Save,
    StepBack,
    Arm,
    RollBack,
    Resume,
    Inspect,
    Watch,
    Attach,
    EndDetached,
    OnlyThis,
    OnlyChanges,
    CommandLine,
    Fetch,
    Update,
    Bump,
    /// Fetches again what failed.
    RetryFetch,
    /// Goes to its lines in the log.
    FetchLog,
    Approve,
    Look,
    AddImport,
    PruneModules,
    AllowOnce,
    Compare,
    UndoDeploy,
    Over,
    Breakpoints,
    LeaveOut,
    Mend,
    /// Only as an answer: the lock was held, and A asks again.
    ArmAgain,
    /// Only as an answer: an interrupted command may run again.
    RunAgain,
    SideBySide,
    /// Switches the view of the graph.
    View,
}

/// [`Move`] with a name for the table of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoWhere {
    Up,
    Down,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
}

impl From<GoWhere> for Move {
    fn from(way: GoWhere) -> Self {
        match way {
            GoWhere::Up => Move::Up,
            GoWhere::Down => Move::Down,
            GoWhere::HalfUp => Move::HalfUp,
            GoWhere::HalfDown => Move::HalfDown,
            GoWhere::Top => Move::Top,
            GoWhere::Bottom => Move::Bottom,
        }
    }
}

/// What a picker searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    Files,
    Resources,
    Symbols,
    /// Lines of the files that contain the words.
    Lines,
    /// Known places, such as the uses of a name.
    Places,
}

/// A move along a line; moves by words continue in the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    Left,
    Right,
    Word,
    WordBack,
}

/// The purpose of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    Hover,
    Definition,
    Uses,
}

/// What a key does to folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Folding {
    Toggle,
    OpenAll,
    CloseAll,
}
