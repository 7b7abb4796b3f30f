//! Diagnostics for review tools: SARIF 2.1.0, and the annotations of GitHub's workflows.

use serde_json::{Value, json};

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{Place, Sources};

/// Writes diagnostics as one SARIF document.
pub fn sarif(diagnostics: &Diagnostics, sources: &Sources) -> Value {
    let mut rules: Vec<&str> = diagnostics.iter().map(|one| one.code.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let about = |code: &&str| {
        let summary = diagnostics.iter().find(|one| one.code.as_str() == *code).map_or("", |one| one.code.summary());
        json!({ "id": code, "shortDescription": { "text": summary } })
    };
    let results: Vec<Value> = diagnostics.iter().map(|one| result(one, sources)).collect();
    document(rules.iter().map(about).collect(), results)
}

/// A refusal without a place in a file as a SARIF document.
pub fn sarif_refusal(message: &str, help: &str) -> Value {
    let result = json!({ "ruleId": "refused", "level": "error", "message": { "text": format!("{message}; {help}") } });
    document(vec![json!({ "id": "refused", "shortDescription": { "text": "refused" } })], vec![result])
}

fn document(rules: Vec<Value>, results: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "workbench", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            } },
            "columnKind": "unicodeCodePoints", "results": results,
        }],
    })
}

fn result(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let place = diagnostic.span.map(|span| sources.place(span));
    let mut result = json!({
        "ruleId": diagnostic.code.as_str(), "level": level, "message": { "text": text(diagnostic) },
    });
    let Some(object) = result.as_object_mut() else { return result };
    if let Some(location) = place.as_ref().and_then(location) {
        object.insert("locations".into(), json!([location]));
    }
    let related: Vec<Value> = diagnostic
        .related
        .iter()
        .filter_map(|(span, message)| {
            let mut found = location(&sources.place(*span))?;
            found.as_object_mut()?.insert("message".into(), json!({ "text": message }));
            Some(found)
        })
        .collect();
    if !related.is_empty() {
        object.insert("relatedLocations".into(), json!(related));
    }
    result
}

/// The summary, the problem at the place, and the help, as one text.
fn text(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.code.summary().to_owned();
    if !diagnostic.label.is_empty() {
        text += &format!(": {}", diagnostic.label);
    }
    if let Some(help) = &diagnostic.help {
        text += &format!(" (help: {help})");
    }
    text
}

/// Text of an argument or of standard input has no file.
fn location(place: &Place) -> Option<Value> {
    if place.file.starts_with('<') {
        return None;
    }
    Some(json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file) },
        "region": {
            "startLine": place.line.max(1), "startColumn": place.column.max(1),
            "endLine": place.end_line.max(place.line).max(1), "endColumn": place.end_column.max(1),
        },
    } }))
}

/// A path as a relative reference, or as a `file:` URI if it is absolute.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    let escaped: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    if escaped.starts_with('/') { format!("file://{escaped}") } else { escaped }
}

/// Writes a diagnostic as an annotation of a workflow.
pub fn github(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let title = format!("title={}", property(diagnostic.code.as_str()));
    let place = diagnostic.span.map(|span| sources.place(span)).filter(|place| !place.file.starts_with('<'));
    let place = place.map_or(String::new(), |place| {
        let Place { file, line, column, end_line, end_column } = place;
        format!("file={},line={line},endLine={end_line},col={column},endColumn={end_column},", property(&file))
    });
    format!("::{level} {place}{title}::{}", data(&text(diagnostic)))
}

/// A refusal without a place in a file as an annotation.
pub fn github_refusal(message: &str, help: &str) -> String {
    format!("::error title=refused::{}", data(&format!("{message} (help: {help})")))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_is_one_line_whatever_it_holds() {
        assert_eq!(github_refusal("a\n::error::b", "50%"), "::error title=refused::a%0A::error::b (help: 50%25)");
        assert_eq!(property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(uri("my site/ä.pp"), "my%20site/%C3%A4.pp");
        assert_eq!(uri("/srv/a"), "file:///srv/a");
    }
}
