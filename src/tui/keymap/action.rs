//! What a key can do, and where a move goes.

use crate::tui::layer::picker::What;
use crate::tui::screen::ScreenId;
use crate::tui::screen::code::{Along, Asked, Folding};
use crate::tui::screen::graph::Verb;
use crate::tui::widget::list::Move;

/// What a key can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Quit,
    Palette,
    Jobs,
    NextSibling,
    PreviousSibling,
    Range,
    CopyValue,
    CopyPlace,
    Screen(ScreenId),
    NextPane,
    PreviousPane,
    Zoom,
    Suspend,
    Repaint,
    Theme,
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
    SearchWord,
    Fold(Folding),
    Edit,
    Copy,
    Compile,
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
    StepBack,
    Arm,
    RollBack,
    Resume,
    Inspect,
    Watch,
    Attach,
    EndParked,
    Follow,
    Level,
    Wrap,
    Times,
    OnlyThis,
    SaveLog,
    CommandLine,
    Fetch,
    Update,
    Bump,
    StopFetch,
    /// Once more what failed to be fetched.
    RetryFetch,
    /// To what the log says of it.
    FetchLog,
    Approve,
    Look,
    AddImport,
    PruneModules,
    AllowOnce,
    Compare,
    UndoDeploy,
    ExportDeploy,
    Over,
    Breakpoints,
    LeaveOut,
    Mend,
    /// Only as an answer: the lock was held, and A asks once more.
    ArmAgain,
    /// Only as an answer: a command that was cut off may run again.
    RunAgain,
    GroupBy,
    SideBySide,
    WholeText,
    Graph(Verb),
}

/// [`Move`] under a name that can stand in a table of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoWhere {
    Up,
    Down,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
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
            GoWhere::PageUp => Move::PageUp,
            GoWhere::PageDown => Move::PageDown,
            GoWhere::Top => Move::Top,
            GoWhere::Bottom => Move::Bottom,
        }
    }
}
