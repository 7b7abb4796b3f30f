//! The log of operations: plans and fetches stand beside deploys, whoever did them, and nothing of a program's values does.

use std::fs;

use crate::download::{DOWNLOAD, Place, a_and_b};
use crate::terminal::{PROGRAM, Terminal};

const ENTRY: &str = "file \"$ROOT/made\" {\n\tstate => \"exists\",\n\tcontent => \"canary-5c1e\",\n}\n";

fn listed(place: &Place, words: &str) -> serde_json::Value {
    let (code, text) = place.run(&format!("deploy list --format json{words}"));
    assert_eq!(code, 0, "{text}");
    serde_json::from_str(text.lines().next().unwrap_or_default()).expect("it is JSON")
}

#[test]
fn saved_plans_and_fetches_are_listed_beside_deploys() {
    let place = a_and_b();
    place.runs(DOWNLOAD, 0, &["2 modules fetched"]);
    place.runs("download --locked --allow file", 0, &["2 unchanged"]);
    place.commit("b", &[("main.mcl", "func word() {\n\t\"two\"\n}\n"), ("metadata.yaml", "\n")]);
    place.runs("download --update --allow file", 0, &["1 updated, 1 unchanged"]);
    place.runs("preview", 0, &[]);
    place.runs("preview --out a.plan", 0, &["saved plan"]);
    assert_eq!(listed(&place, ""), serde_json::json!([]));
    place.runs("deploy list", 0, &["No deploys yet."]);
    let all = listed(&place, " --all");
    let kinds: Vec<_> = all.as_array().expect("a list").iter().map(|one| one.get("plan").is_some()).collect();
    assert_eq!(kinds, [true, false, false], "newest first, and only what was saved or moved: {all}");
    let file = all[0]["plan"]["file"].as_str().unwrap_or_default();
    assert!(file.ends_with("/work/a.plan"), "{file}");
    // By the name that it was saved under.
    let saved = fs::read_to_string(place.root.join("work/a.plan")).expect("it was saved");
    let named = all[0]["plan"]["plan"].as_str().unwrap_or_default();
    assert!(!named.is_empty() && saved.contains(&format!("\"plan\":\"{named}\"")), "{named}");
    let moved = &all[1]["fetch"]["moved"];
    assert!(moved[0][0].as_str().unwrap_or_default().ends_with("/repos/b/"), "{moved}");
    assert_ne!(moved[0][1], moved[0][2]);
    assert_eq!(all[2]["fetch"]["came"].as_array().map(Vec::len), Some(2));
    place.runs("deploy list --all", 0, &["saved as", "a.plan", "repos/b/", " -> ", "fetched at"]);
    place.runs("download --allow http", 0, &[]);
    fs::remove_dir_all(place.root.join("work/modules")).expect("the modules are there");
    place.runs("download", 1, &["url-refused"]);
    place.runs("deploy list --all", 0, &["refused:"]);
}

/// Two modules that were both applied as `.` are two entries.
#[test]
fn deploys_are_matched_by_their_entry() {
    let place = Place::new(ENTRY);
    let work = place.root.join("work");
    fs::create_dir(work.join("other")).expect("the folder is ours");
    fs::copy(work.join("main.mcl"), work.join("other/main.mcl")).expect("it is there");
    for entry in ["apply --yes .", "apply --yes other/", "apply --yes ./other/../main.mcl"] {
        place.runs(entry, 0, &[]);
    }
    place.runs("preview --out a.plan other", 0, &[]);
    let all = listed(&place, " --all");
    let work = work.canonicalize().expect("it is there").display().to_string();
    let all = all.as_array().expect("a list");
    let plan = all.iter().find(|one| one.get("plan").is_some()).expect("it was saved");
    assert_eq!(plan["entry"], format!("{work}/other"), "{plan}");
    let entries: Vec<_> = all.iter().filter_map(|one| one["begin"]["entry"].as_str()).collect();
    assert_eq!(entries, [format!("{work}/main.mcl"), format!("{work}/other"), work.clone()]);
    place.runs("deploy list", 0, &[&format!("apply {work}/other  ")]);
    place.runs("deploy show 1", 0, &[&format!("apply {work}\n")]);
    // The last deploy of an entry is found whatever is typed for it now.
    place.runs(&format!("preview --against-last {work}/./other/../"), 0, &["Since deploy 1"]);
    place.runs(&format!("preview --against-last {work}/other"), 0, &["no earlier deploy of this entry"]);
    place.runs("deploy undo --yes 1", 0, &[]);
    place.runs("deploy list", 0, &["undo of deploy 1  "]);
}

#[test]
fn a_damaged_record_is_reported_and_hides_no_other() {
    let place = Place::new(ENTRY);
    place.runs("preview --out a.plan", 0, &["saved plan"]);
    let path = place.root.join(".local/state/workbench/operations");
    let whole = fs::read_to_string(&path).expect("it was written");
    assert!(!whole.contains("canary"), "{whole}");
    for damage in ["\u{1b}[31m\n{\"time\":", "\n\0\0\0", "{}\n[[[[", &"[".repeat(100_000)] {
        fs::write(&path, format!("{whole}{damage}")).expect("it is ours");
        place.runs("deploy list --all", 0, &["cannot be read", "a.plan"]);
        place.runs("preview --out b.plan", 0, &["saved plan"]);
        let (_, text) = place.run("deploy list --all");
        assert!(text.contains("a.plan") && text.contains("b.plan") && !text.contains('\u{1b}'), "{text}");
    }
}

/// What the screens plan is noted too; a plan that was saved comes back on Plan, with what moved since.
#[test]
fn the_screens_list_plans_and_hold_a_saved_one_against_today() {
    let place = Place::new(ENTRY);
    place.runs("preview --out a.plan main.mcl", 0, &["saved plan"]);
    let root = place.root.display();
    let command = format!("cd {root}/work && HOME={root} WORKBENCH_STATE= exec {PROGRAM} --config /dev/null main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.press("5");
    terminal.until_shows("1 other record (plan or fetch) hidden");
    terminal.press("\r");
    terminal.until_shows("+1  saved");
    terminal.until_shows("Enter opens it on Plan and checks that it is still valid");
    terminal.press("\r");
    terminal.until_shows("a.plan is still valid");
    place.write("made", "another");
    terminal.press("5");
    terminal.until_shows("2 of 2");
    terminal.press("gg");
    // The plan of the screens came to stand above.
    terminal.until_shows("This plan was not saved");
    terminal.press("j\r");
    terminal.until_shows("a.plan is stale");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(fs::read_to_string(place.root.join("made")).expect("it is there"), "another");
}

#[test]
fn a_deploy_is_saved_as_json_and_over_nothing() {
    let place = Place::new(ENTRY);
    place.runs("apply --yes main.mcl", 0, &["1 changed"]);
    let root = place.root.display();
    let command = format!("cd {root}/work && HOME={root} WORKBENCH_STATE= exec {PROGRAM} --config /dev/null main.mcl");
    let mut terminal = Terminal::start(&["sh", "-c", &command], 120, 30);
    terminal.press("5");
    terminal.until_shows("#1");
    place.write("work/deploy-1.json", "mine");
    terminal.press("S");
    terminal.until_shows("Save the deploy as JSON");
    terminal.press("\r");
    terminal.until_shows("the file already exists");
    for _ in 0..".json".len() {
        terminal.press("\u{7f}");
    }
    terminal.press("-a.json\r");
    terminal.until_shows("wrote deploy-1-a.json");
    terminal.press("6");
    terminal.until_shows("workbench deploy show 1 --format json > deploy-1-a.json");
    terminal.press("q");
    assert_eq!(terminal.ended(), 0);
    assert_eq!(place.read("work/deploy-1.json"), "mine");
    let (_, shown) = place.run("deploy show 1 --format json");
    assert_eq!(place.read("work/deploy-1-a.json"), shown);
}
