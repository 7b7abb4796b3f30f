//! The command that is equivalent to an action, or why there is none.

use super::keymap::{Action, Asked, TABLE, What};
use super::{cx::Cx, front::Front, screen::ScreenId};
use crate::session::Session;

/// The command for an action. A word in capitals is replaced by the selection ([`filled`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// The dispatcher logs it.
    Command(&'static str),
    /// Logged where it happens, because only that code knows the number, name or target.
    Logged(&'static str),
    /// It only moves or inspects; why there is no command.
    None(&'static str),
}

/// For actions that only exist on the screens.
const NOTHING: Same = Same::None("no command-line equivalent");

/// An exhaustive match, so that a new action cannot be forgotten.
pub fn same(action: Action) -> Same {
    match action {
        Action::Plan | Action::Screen(ScreenId::Step) => Same::Logged("workbench preview ENTRY"),
        Action::Observe => Same::Logged("workbench preview ENTRY --only 'RESOURCE'"),
        Action::Step => Same::Logged("workbench step ENTRY --script 's'"),
        Action::Continue => Same::Logged("workbench step ENTRY --script 'c'"),
        Action::ToCursor => Same::Logged("workbench step ENTRY --script 't RESOURCE'"),
        Action::Breakpoint => Same::Logged("workbench step ENTRY --script 'b RESOURCE'"),
        Action::Over => Same::Logged("workbench step ENTRY --script 'o'"),
        Action::Breakpoints => Same::None("use `workbench step --script 'b if destroys'`"),
        // Two are answers to questions, and no rows of the table.
        Action::Arm | Action::Mend | Action::ArmAgain => Same::Logged("workbench apply --step ENTRY"),
        Action::RunAgain => Same::Logged("workbench deploy resume DEPLOY --again"),
        Action::LeaveOut => Same::Logged("workbench step ENTRY --script 'x RESOURCE'"),
        Action::WholeDiff => Same::Command("workbench preview ENTRY"),
        Action::MakeNext => Same::None("use `workbench step --script 't RESOURCE'`"),
        Action::Save => Same::None("use `--format` of each command"),
        Action::Skip => Same::Logged("workbench step ENTRY --script 'x'"),
        Action::Retry => Same::Logged("workbench step ENTRY --script 'r'"),
        Action::StepBack => Same::Logged("workbench step ENTRY --script 'Z'"),
        Action::RollBack | Action::UndoDeploy => Same::Logged("workbench deploy undo DEPLOY"),
        Action::Resume => Same::Logged("workbench deploy resume DEPLOY"),
        Action::Inspect => Same::Logged("workbench deploy show DEPLOY"),
        Action::Compare => Same::Logged("workbench deploy diff OTHER DEPLOY"),
        Action::Attach => Same::Logged("workbench attach"),
        Action::EndDetached => Same::Logged("workbench attach --stop"),
        Action::Watch => Same::Logged("workbench run --noop ENTRY"),
        Action::Fetch | Action::RetryFetch => Same::Logged("workbench download ENTRY"),
        Action::FetchLog => Same::None("see the output of the command"),
        Action::Update => Same::Logged("workbench download --update ENTRY"),
        Action::Bump => Same::Logged("workbench download --update=MODULE ENTRY"),
        Action::Look => Same::Logged("workbench modules --remote ENTRY"),
        Action::AddImport => Same::Logged("workbench modules add IMPORT ENTRY"),
        Action::PruneModules => Same::Logged("workbench modules prune ENTRY"),
        Action::AllowOnce => Same::Logged("workbench download --allow http ENTRY"),
        Action::Approve => Same::Logged("workbench modules ENTRY --approve=MODULE"),
        Action::Screen(ScreenId::Modules) => Same::Command("workbench modules ENTRY"),
        Action::Screen(ScreenId::Code) => Same::Command("workbench highlight FILE"),
        Action::Screen(ScreenId::Graph) | Action::Pick(What::Resources) => Same::Command("workbench graph ENTRY"),
        Action::Screen(ScreenId::Deploys) => Same::Command("workbench deploy list"),
        Action::Palette => Same::Command("workbench keys"),
        Action::LookUp(Asked::Hover) => Same::None("`workbench doc` only lists built-in names"),
        Action::Pick(_) => Same::None("use find and grep"),
        Action::Filter => Same::None("use `workbench preview --only` with the same words"),
        Action::NextProblem | Action::PreviousProblem => Same::None("`workbench graph` lists the problems"),
        Action::Edit => Same::None("start the editor from the shell"),
        Action::View | Action::SideBySide | Action::Summary | Action::OnlyThis | Action::OnlyChanges => NOTHING,
        Action::Screen(ScreenId::Log) | Action::LookUp(_) | Action::Jobs | Action::Copy | Action::CopyPlace => NOTHING,
        Action::Range | Action::NextChange | Action::PreviousChange | Action::Fold(_) | Action::NextMatch => NOTHING,
        Action::PreviousMatch | Action::CommandLine | Action::NextTask | Action::Quit | Action::Suspend => NOTHING,
        Action::Repaint | Action::Stop | Action::NextPane | Action::PreviousPane | Action::Zoom => NOTHING,
        Action::Back | Action::JumpBack | Action::JumpForward | Action::Go(_) | Action::Open | Action::Close => NOTHING,
        Action::Right | Action::Along(_) | Action::ToSource | Action::ToGraph | Action::ToStep => NOTHING,
        Action::FirstNeed | Action::FirstDependent => NOTHING,
    }
}

/// The equivalent command here and now, or why there is none. A word in capitals stays if the cursor is on nothing of
/// that kind.
pub fn here(action: Action, front: Front<'_>) -> Result<String, &'static str> {
    match (action, same(action)) {
        (Action::Screen(ScreenId::Code), _) if front.cx.project.entry_file.is_none() => Err("no file is open"),
        (Action::Compare, _) if front.cx.screen == ScreenId::Step => {
            Ok(filled("workbench preview --against-last ENTRY", front))
        }
        // In LIVE each is an answer to a question, except an automatic retry.
        (Action::Step | Action::Continue | Action::Skip, _) if front.step.phase.is_live() => {
            Ok(filled("workbench apply --step ENTRY", front))
        }
        (Action::Retry, _) if front.step.phase.is_live() => {
            Ok(filled("workbench apply --step ENTRY --only 'RESOURCE'", front))
        }
        (_, Same::Command(command) | Same::Logged(command)) => Ok(filled(command, front)),
        (_, Same::None(why)) => Err(why),
    }
}

/// A command of the table with its words in capitals replaced.
fn filled(command: &str, front: Front<'_>) -> String {
    let [deploy, other] = front.screen.deploys().unwrap_or([front.step.phase.deploy(), None]);
    let number = |deploy: u64| deploy.to_string();
    let things = [
        ("ENTRY", Some(entry_words(front.cx))),
        ("FILE", front.cx.project.entry_file.as_ref().map(|file| shell_word(&file.display().to_string()))),
        ("RESOURCE", front.resource_id().map(|id| id.0.replace('\'', "'\\''"))),
        ("DEPLOY", deploy.map(number)),
        ("OTHER", other.map(number)),
        ("MODULE", front.modules.module().map(|module| shell_word(&module.name))),
    ];
    let put = |word: &str| {
        let thing =
            things.iter().find_map(|(name, thing)| word.contains(name).then(|| Some((name, thing.as_ref()?)))?);
        thing.map_or_else(|| word.to_string(), |(name, thing)| word.replace(name, thing))
    };
    command.split(' ').map(put).collect::<Vec<_>>().join(" ")
}

/// The id of every action with its equivalent in a shell.
pub fn rows() -> impl Iterator<Item = (&'static str, Same)> {
    TABLE.iter().map(|entry| (entry.id, same(entry.action)))
}

/// The entry with the options that it is compiled with, as a shell reads them.
pub fn entry_words(cx: &Cx) -> String {
    let mut words = shell_word(&cx.project.entry);
    for (flag, value) in &cx.project.entry_flags {
        words = words + " " + flag;
        if let Some(value) = value {
            words = words + " " + &shell_word(&crate::source::printable(value).to_string());
        }
    }
    words
}

/// The flags that compile the same program on a command line, without secret values.
pub fn entry_flags(session: &Session) -> Vec<(&'static str, Option<String>)> {
    let flags = session.options().as_typed().flags().into_iter();
    let pairs = flags.flat_map(|(flag, values)| match values.is_empty() {
        true => vec![(flag, None)],
        false => values.into_iter().map(|value| (flag, Some(value))).collect(),
    });
    pairs.collect()
}

/// Quotes a name for a shell.
pub fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    if name.chars().all(is_plain) { name.into() } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
