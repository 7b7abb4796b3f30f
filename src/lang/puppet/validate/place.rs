//! Which names a file of a module may define, by its path.

/// The namespace of a file in a module: `a/manifests/b/c.pp` defines `a::b::c` and what is below.
pub fn expected_namespace(file: &str) -> Option<String> {
    let parts: Vec<&str> = file.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    let at = parts.iter().rposition(|p| matches!(*p, "manifests" | "functions" | "types"))?;
    let module = at.checked_sub(1).and_then(|i| parts.get(i))?;
    let is_module = at.checked_sub(2).and_then(|i| parts.get(i)).is_some_and(|p| *p == "modules");
    let below = &parts[at + 1..];
    let (last, folders) = below.split_last()?;
    if !is_module {
        return None;
    }
    let last = last.strip_suffix(".pp")?;
    let mut names = vec![*module];
    names.extend(folders);
    if !(folders.is_empty() && last == "init" && parts[at] != "functions") {
        names.push(last);
    }
    Some(names.join("::").to_lowercase())
}
