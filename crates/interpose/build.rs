//! Asks the MPI compiler for its MPI library, since entry points and Fortran symbols differ. Numbers the sources, so
//! that the ranks of a job can check that all have the same schedules.

use std::hash::{DefaultHasher, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Folders of the sources that must be the same on all ranks.
const SOURCES: [&str; 4] = ["src", "../base/src", "../model/src", "../mpi/src"];

/// Text for the preprocessor of the MPI compiler.
const QUESTION: &str = "#include <mpi.h>\n#ifdef OPEN_MPI\nnetsig_open_mpi\n#endif\n\
     #if MPI_VERSION >= 4 && !defined(OPEN_MPI)\nnetsig_large_counts\n#endif\n";

fn main() {
    println!("cargo::rerun-if-env-changed=MPICC");
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let answer = preprocessed(&compiler);
    for name in ["open_mpi", "large_counts"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if answer.contains(&format!("netsig_{name}")) {
            println!("cargo::rustc-cfg={name}");
        }
    }
    let mut hasher = DefaultHasher::new();
    for folder in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        hash(Path::new(folder), &mut hasher);
    }
    let number = hasher.finish() & 0xfff_ffff;
    println!("cargo::rustc-env=NETSIG_SOURCES={number:07x}");
}

/// Adds a file, or all files of a folder.
fn hash(path: &Path, hasher: &mut DefaultHasher) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("a folder can be read");
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            hash(&path, hasher);
        }
    } else {
        hasher.write(&std::fs::read(path).expect("a source can be read"));
    }
}

fn preprocessed(compiler: &str) -> String {
    let mut process = Command::new(compiler)
        .args(["-E", "-x", "c", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{compiler}: {error}; set MPICC to an MPI's C compiler"));
    let mut input = process.stdin.take().expect("its input is a pipe");
    input
        .write_all(QUESTION.as_bytes())
        .expect("a compiler reads its input");
    drop(input);
    let output = process.wait_with_output().expect("a compiler ends");
    assert!(
        output.status.success(),
        "{compiler} cannot read mpi.h; set MPICC to an MPI's C compiler"
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}
