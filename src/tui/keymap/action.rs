//! What a key can do, and where a move goes.

use crate::tui::layer::picker::What;
use crate::tui::screen::ScreenId;
use crate::tui::screen::code::{Along, Asked, Folding};
use crate::tui::widget::list::Move;

/// What a key can do.
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
    EndParked,
    OnlyThis,
    CommandLine,
    Fetch,
    Update,
    Bump,
    /// Once more what failed to be fetched.
    RetryFetch,
    /// To its lines in the log.
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
    /// Only as an answer: the lock was held, and A asks once more.
    ArmAgain,
    /// Only as an answer: an interrupted command may run again.
    RunAgain,
    SideBySide,
    /// The other way to look at the graph.
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
