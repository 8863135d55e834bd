//! Checks the rules of this repository that no compiler checks. Each fault is printed as one line.

mod layers;
mod modules;
mod names;
mod sentences;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use netsig_base::data::COLUMNS;

use modules::SourceTexts;
use names::NameCensus;

/// The most lines of a source file without its tests.
const MOST_LINES: usize = 400;

/// Checks all rules; false if any is violated.
pub fn run() -> Result<bool> {
    let root = crate::root();
    let mut faults = Vec::new();
    let mut sources = SourceTexts::new();
    for path in existing_files(&root)? {
        let ending = path.extension().and_then(|end| end.to_str());
        if let Some(ending @ ("rs" | "md")) = ending {
            check_sentences(&root, &path, ending, &mut faults)?;
        }
        match ending {
            Some("rs") => {
                let text = read(&root, &path)?;
                check_source(&text, &path, &mut faults);
                sources.insert(path.display().to_string(), text);
            }
            Some("md") => check_links(&root, &path, &mut faults)?,
            _ => {}
        }
    }
    let is_root = |path: &&String| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    for crate_root in sources.keys().filter(is_root) {
        faults.extend(layers::faults(&sources, crate_root)?);
    }
    let census = NameCensus::read(&sources)?;
    println!("{census}");
    faults.extend(census.faults());
    check_tables(&root, &mut faults)?;
    check_mentions(&root, "FORMATS.md", COLUMNS.into_iter(), &mut faults)?;
    for fault in &faults {
        eprintln!("{fault}");
    }
    Ok(faults.is_empty())
}

/// Writes the generated documents.
pub fn write() -> Result<bool> {
    fs::write(crate::root().join(tables::FILE), tables::text())?;
    Ok(true)
}

/// Checks that the generated documents match the present entries.
fn check_tables(root: &Path, faults: &mut Vec<String>) -> Result<()> {
    if read(root, Path::new(tables::FILE))? != tables::text() {
        let file = tables::FILE;
        faults.push(format!(
            "{file}: does not agree with the entries; run cargo xtask tidy --write"
        ));
    }
    Ok(())
}

/// The existing files of the repository, tracked or not ignored.
fn existing_files(root: &Path) -> Result<Vec<PathBuf>> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .output()
        .context("git cannot be started")?;
    let list = String::from_utf8(output.stdout).context("git names files in UTF-8")?;
    Ok(list
        .lines()
        .map(PathBuf::from)
        .filter(|path| root.join(path).is_file())
        .collect())
}

fn check_source(text: &str, path: &Path, faults: &mut Vec<String>) {
    let shown = path.display();
    if !text.starts_with("//! ") {
        faults.push(format!(
            "{shown}:1: does not begin with the purpose of the file; start with //!"
        ));
    }
    let lines = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .count();
    let is_test = path.with_extension("").iter().any(|part| part == "tests");
    if lines > MOST_LINES && !is_test {
        faults.push(format!(
            "{shown}: has {lines} lines before its tests, more than {MOST_LINES}; split it"
        ));
    }
}

/// Checks that no sentence of a file is too long.
fn check_sentences(root: &Path, path: &Path, ending: &str, faults: &mut Vec<String>) -> Result<()> {
    let text = read(root, path)?;
    let long = sentences::long_sentences(&text, ending).into_iter();
    let shown = path.display();
    faults.extend(long.map(|line| format!("{shown}:{line}: has a sentence of more than 30 words; split it")));
    Ok(())
}

/// Checks that relative links of documents lead to existing files.
fn check_links(root: &Path, path: &Path, faults: &mut Vec<String>) -> Result<()> {
    let text = read(root, path)?;
    for (number, line) in (1..).zip(text.lines()) {
        for target in line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next())
        {
            let is_local = !target.is_empty() && !target.contains("://");
            let directory = path.parent().unwrap_or(Path::new(""));
            if is_local && !root.join(directory).join(target).exists() {
                faults.push(format!(
                    "{}:{number}: links to {target}, which does not exist",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

/// Checks that a document names all `names` as code: the name alone, or with a setting after a
/// colon.
fn check_mentions<'a>(
    root: &Path,
    document: &str,
    names: impl Iterator<Item = &'a str>,
    faults: &mut Vec<String>,
) -> Result<()> {
    let text = read(root, Path::new(document))?;
    let is_named = |name: &str| ['`', ':'].iter().any(|end| text.contains(&format!("`{name}{end}")));
    let missing = names.filter(|name| !is_named(name));
    faults.extend(missing.map(|name| format!("{document}: does not explain `{name}`")));
    Ok(())
}

fn read(root: &Path, path: &Path) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("{}: cannot be read", path.display()))
}
