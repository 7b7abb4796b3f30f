//! Two deploys held against each other: how they left the machine, and not what each of them had to do for it.

use crate::download::Place;

fn file(name: &str, content: &str) -> String {
    format!("file \"$ROOT/{name}\" {{\n\tstate => \"exists\",\n\tcontent => \"{content}\",\n}}\n")
}

fn page(port: u32) -> String {
    let lines: String = (1..60).map(|line| format!("line {line}\\n")).collect();
    file("page", &format!("{lines}port {port}\\n{lines}"))
}

#[test]
fn differences_are_listed_and_the_rest_is_counted() {
    let place = Place::new(&(file("same", "canary") + &page(8080) + &file("first", "1")));
    place.runs("deploy diff", 1, &["no deploy"]);
    place.runs("apply --yes", 0, &[]);
    place.runs("deploy diff", 1, &["no earlier deploy of this entry", "name two"]);
    // One of another entry is not what the newest is held against.
    place.write("other/main.mcl", &file("else", "x"));
    place.runs(&format!("apply --yes {}/other/main.mcl", place.root.display()), 0, &[]);
    place.write("work/main.mcl", &(file("same", "canary") + &page(8081) + &file("second", "2")));
    place.runs("apply --yes", 0, &[]);
    let page = place.root.join("page");
    for words in ["deploy diff", "deploy diff 3", "deploy diff 1 3"] {
        let (code, text) = place.run(words);
        assert_eq!(code, 0, "{text}");
        for told in [
            "--- deploy 1",
            "+++ deploy 3",
            "-port 8080\n",
            "+port 8081\n",
            "/first]  only in 1",
            "/second]  only in 3",
        ] {
            assert!(text.contains(told), "{words} does not say {told}: {text}");
        }
        assert!(text.contains(&format!("~ file[{}]\n", page.display())), "{text}");
        assert!(text.ends_with("Differs: 1 changed, 1 only in 1, 1 only in 3; 1 resource unchanged.\n"), "{text}");
        assert!(!text.contains("canary") && !text.contains("none"), "what is the same is not told: {text}");
    }
    place.runs("deploy diff 3 1", 0, &["-port 8081\n", "+port 8080\n", "--- deploy 3"]);
    place.runs("deploy diff 1 1", 0, &["No differences: 3 resources unchanged."]);
    place.runs("deploy diff 1 7", 1, &["no deploy 7"]);
    let (_, json) = place.run("deploy diff --format json");
    let json: serde_json::Value = serde_json::from_str(json.lines().next().unwrap_or_default()).expect("it is JSON");
    assert_eq!((&json["one"], &json["other"], &json["same"]), (&1.into(), &3.into(), &1.into()), "{json}");
    let only: Vec<_> = json["ends"].as_array().expect("a list").iter().map(|row| &row["only"]).collect();
    assert_eq!(only, [&serde_json::json!(1), &serde_json::Value::Null, &serde_json::json!(3)], "{json}");
}

/// What came and went between the two is not between their ends; what an undo took back is.
#[test]
fn what_came_and_went_again_is_no_difference() {
    let place = Place::new(&page(1));
    for port in [1, 2, 1] {
        place.write("work/main.mcl", &page(port));
        place.runs("apply --yes", 0, &[]);
    }
    place.runs("deploy diff 1 3", 0, &["No differences: 1 resource unchanged."]);
    place.runs("deploy diff", 0, &["--- deploy 2", "-port 2\n", "+port 1\n"]);
    place.runs("deploy undo 3 --yes", 0, &[]);
    place.runs("deploy diff", 0, &["--- deploy 3", "+++ deploy 4", "-port 1\n", "+port 2\n"]);
    place.runs("deploy diff 2 4", 0, &["No differences"]);
}
