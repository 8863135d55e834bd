//! The compiler of SMPI.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::bench::text;

/// Compiles a C program of MPI in a folder; its path.
pub fn compile(work: &Path, code: &str, options: &[&str]) -> Result<String> {
    let (source, program) = (work.join("alltoall.c"), text(&work.join("alltoall"))?);
    fs::write(&source, code)?;
    let compiled = Command::new("smpicc")
        .args(["-O2", "-o", &program])
        .args(options)
        .arg(&source)
        .stdout(Stdio::null())
        .status()?;
    ensure!(
        compiled.success(),
        "smpicc cannot compile {}",
        source.display()
    );
    Ok(program)
}
