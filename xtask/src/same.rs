//! `cargo xtask same OLD NEW`: do two builds of the command line give the same numbers on kept data?
//!
//! Each build runs the commands of `same-numbers.txt` in a folder (paths stand in some files), which is
//! kept as `target/same/old` or `target/same/new`. What they print, their exit codes and the files that they write must be the same
//! text with the same numbers, within a relative difference of 1e-9.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use itertools::{EitherOrBoth, Itertools};

/// Largest relative difference of two numbers that count as the same.
const TOLERANCE: f64 = 1e-9;
/// Most differing lines that are printed of one text.
const SHOWN: usize = 3;

/// Runs both builds and prints where they differ; whether they are the same.
pub fn run(old: &str, new: &str) -> Result<bool> {
    let (old, new) = (outputs("old", old)?, outputs("new", new)?);
    let names = old.keys().chain(new.keys()).unique().sorted();
    let differing: Vec<&String> = names
        .filter(|name| !same_text(name, old.get(*name), new.get(*name)))
        .collect();
    println!("same: {} texts, {} differ", old.len(), differing.len());
    Ok(differing.is_empty())
}

/// What each command printed and each file that was written, by command or by file name.
fn outputs(side: &str, netsig: &str) -> Result<BTreeMap<String, String>> {
    let root = crate::root();
    let folder = root.join("target/same");
    let (bin, work, kept) = (folder.join("bin"), folder.join("work"), folder.join(side));
    for stale in [&bin, &work, &kept] {
        fs::remove_dir_all(stale).ok();
    }
    fs::create_dir_all(&work)?;
    fs::create_dir_all(&bin)?;
    let netsig = fs::canonicalize(netsig).with_context(|| format!("{netsig}: no such build"))?;
    fs::copy(&netsig, bin.join("netsig"))?;
    std::os::unix::fs::symlink(&root, work.join("kept"))?;
    let commands = fs::read_to_string(root.join("xtask/same-numbers.txt"))?;
    let mut texts = BTreeMap::new();
    for command in commands.lines().filter(|line| !line.starts_with('#')) {
        texts.insert(command.to_owned(), printed(command, &work, &bin)?);
    }
    for entry in fs::read_dir(&work)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    fs::rename(&work, &kept)?;
    Ok(texts)
}

/// Exit code, standard output and standard error of a command that takes `netsig` from `bin`.
fn printed(command: &str, work: &Path, bin: &Path) -> Result<String> {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH")?);
    let done = Command::new("bash")
        .args(["-c", command])
        .current_dir(work)
        .env("PATH", path)
        .output()?;
    let mut text = format!("exit code {:?}\n", done.status.code());
    for stream in [&done.stdout, &done.stderr] {
        writeln!(text, "{}", String::from_utf8_lossy(stream))?;
    }
    Ok(text)
}

/// Whether two texts are the same; prints the first lines that differ.
fn same_text(name: &str, old: Option<&String>, new: Option<&String>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        println!("{name}: only one build writes it");
        return false;
    };
    let differing: Vec<_> = old
        .lines()
        .zip_longest(new.lines())
        .enumerate()
        .filter(|(_, pair)| !matches!(pair, EitherOrBoth::Both(old, new) if same_line(old, new)))
        .collect();
    if !differing.is_empty() {
        println!("{name}: {} lines differ", differing.len());
    }
    for (at, pair) in differing.iter().take(SHOWN) {
        println!("  line {}", at + 1);
        println!("  old {}", pair.as_ref().left().map_or("", |line| excerpt(line)));
        println!("  new {}", pair.as_ref().right().map_or("", |line| excerpt(line)));
    }
    differing.is_empty()
}

/// The first characters of a line.
fn excerpt(line: &str) -> &str {
    line.char_indices().nth(200).map_or(line, |(end, _)| &line[..end])
}

/// Whether two lines hold the same words and, within the tolerance, the same numbers.
fn same_line(old: &str, new: &str) -> bool {
    old == new
        || words(old)
            .into_iter()
            .zip_longest(words(new))
            .all(|pair| matches!(pair, EitherOrBoth::Both(old, new) if same_word(old, new)))
}

/// A line cut where numbers begin and end: signs count as parts of numbers.
fn words(line: &str) -> Vec<&str> {
    let part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let mut cuts: Vec<usize> = line
        .char_indices()
        .tuple_windows()
        .filter(|((_, left), (_, right))| part(*left) != part(*right))
        .map(|(_, (at, _))| at)
        .collect();
    cuts.insert(0, 0);
    cuts.push(line.len());
    cuts.into_iter()
        .tuple_windows()
        .map(|(from, to)| &line[from..to])
        .collect()
}

fn same_word(old: &str, new: &str) -> bool {
    let close = |old: f64, new: f64| (old - new).abs() <= TOLERANCE * old.abs().max(new.abs());
    old == new || matches!((old.parse(), new.parse()), (Ok(old), Ok(new)) if close(old, new))
}
