//! What a Python file says about its plugins, without running it.

/// The names of the functions that `@plugin` marks.
pub fn plugin_names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut marked: Option<Option<String>> = None;
    for line in text.lines() {
        let is_plugin = line.strip_prefix("@plugin").or_else(|| line.strip_prefix("@plugins.plugin"));
        if let Some(rest) = is_plugin
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            let quoted = rest.strip_prefix('(').map(str::trim_start).and_then(|rest| {
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                rest[1..].split(quote).next().map(str::to_string)
            });
            marked = Some(quoted);
        } else if let Some(rest) = line.strip_prefix("def ").or_else(|| line.strip_prefix("async def "))
            && let Some(name) = marked.take()
        {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            names.push(name.unwrap_or_else(|| rest[..end].to_string()));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #[test]
    fn marked_functions_are_found() {
        let text =
            "@plugin\ndef a(x: int) -> int:\n    pass\n\n@plugin(\"b\")\ndef c():\n    pass\n\ndef d():\n    pass\n";
        assert_eq!(super::plugin_names(text), ["a", "b"]);
    }
}
