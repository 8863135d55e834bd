//! `cargo xtask same OLD NEW`: compares the numbers that two builds of the command line give on kept data.
//!
//! Each build runs the commands of `same-numbers.txt` in the same folder, since some files contain paths; it is then
//! kept as `target/same/old` or `target/same/new`. Outputs, exit codes and written files must have the same text and
//! the same numbers, within a relative difference of 1e-9.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use itertools::{EitherOrBoth, Itertools};

/// Largest relative difference of two numbers that count as the same.
const TOLERANCE: f64 = 1e-9;
/// Most printed lines of the differences of one text.
const SHOWN_LINES: usize = 3;

/// Runs both builds and prints their differences; true if there are none.
pub fn run(old: &str, new: &str) -> Result<bool> {
    let (old, new) = (outputs("old", old)?, outputs("new", new)?);
    let names = old.keys().chain(new.keys()).unique().sorted();
    let differing: Vec<&String> = names
        .filter(|name| !is_same_text(name, old.get(*name), new.get(*name)))
        .collect();
    println!("same: {} texts, {} differ", old.len(), differing.len());
    Ok(differing.is_empty())
}

/// The output of each command and the text of each written file, by command or by file name.
fn outputs(side: &str, netsig: &str) -> Result<BTreeMap<String, String>> {
    let root = crate::root();
    let folder = root.join("target/same");
    let (bin, work, kept) = (folder.join("bin"), folder.join("work"), folder.join(side));
    for stale in [&bin, &work, &kept] {
        fs::remove_dir_all(stale).ok();
    }
    fs::create_dir_all(&work)?;
    fs::create_dir_all(&bin)?;
    let program = fs::canonicalize(netsig).with_context(|| format!("{netsig}: no such build"))?;
    fs::copy(&program, bin.join("netsig"))?;
    std::os::unix::fs::symlink(&root, work.join("kept"))?;
    let commands = fs::read_to_string(root.join("xtask/same-numbers.txt"))?;
    let mut texts = BTreeMap::new();
    for command in commands.lines().filter(|line| !line.starts_with('#')) {
        texts.insert(command.to_owned(), run_command(command, &work, &bin)?);
    }
    for listed in fs::read_dir(&work)? {
        let entry = listed?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    fs::rename(&work, &kept)?;
    Ok(texts)
}

/// Exit code, standard output and standard error of a command that takes `netsig` from `bin`.
fn run_command(command: &str, work: &Path, bin: &Path) -> Result<String> {
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

/// True if two texts are the same; prints the first lines that differ.
fn is_same_text(name: &str, old: Option<&String>, new: Option<&String>) -> bool {
    let (Some(old), Some(new)) = (old, new) else {
        println!("{name}: only one build writes it");
        return false;
    };
    let differing: Vec<_> = old
        .lines()
        .zip_longest(new.lines())
        .enumerate()
        .filter(|(_, pair)| !matches!(pair, EitherOrBoth::Both(old, new) if is_same_line(old, new)))
        .collect();
    if !differing.is_empty() {
        println!("{name}: {} lines differ", differing.len());
    }
    for (at, pair) in differing.iter().take(SHOWN_LINES) {
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

/// True if two lines hold the same words and, within the tolerance, the same numbers.
fn is_same_line(old: &str, new: &str) -> bool {
    old == new
        || split_at_numbers(old)
            .into_iter()
            .zip_longest(split_at_numbers(new))
            .all(|pair| matches!(pair, EitherOrBoth::Both(old, new) if is_same_word(old, new)))
}

/// A line cut where numbers begin and end: signs count as parts of numbers.
fn split_at_numbers(line: &str) -> Vec<&str> {
    let is_number_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let mut cuts: Vec<usize> = line
        .char_indices()
        .tuple_windows()
        .filter(|((_, left), (_, right))| is_number_part(*left) != is_number_part(*right))
        .map(|(_, (at, _))| at)
        .collect();
    cuts.insert(0, 0);
    cuts.push(line.len());
    cuts.into_iter()
        .tuple_windows()
        .map(|(from, to)| &line[from..to])
        .collect()
}

fn is_same_word(old: &str, new: &str) -> bool {
    let is_close = |old: f64, new: f64| (old - new).abs() <= TOLERANCE * old.abs().max(new.abs());
    old == new || matches!((old.parse(), new.parse()), (Ok(old), Ok(new)) if is_close(old, new))
}
