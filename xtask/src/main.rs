//! Maintenance tasks of this repository: `cargo xtask tidy`, `cargo xtask same`, `cargo xtask vectors`. Exit code 1: a
//! check failed; 2: a task could not run.

mod same;
mod tidy;
mod vectors;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["tidy"] => tidy::run(),
        ["tidy", "--write"] => tidy::write(),
        ["same", old, new] => same::run(old, new),
        ["vectors", files @ ..] if !files.is_empty() => vectors::run(files),
        _ => {
            eprintln!("usage: cargo xtask tidy [--write] | same OLD NEW | vectors FILE...");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
        .to_owned()
}
