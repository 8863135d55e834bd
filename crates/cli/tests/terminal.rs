//! netsig at a terminal: help in colours, unless `NO_COLOR` is set or it is read by a program.

mod support;

use std::process::{Command, Stdio};

use support::skipped;

const ESCAPE: char = '\u{1b}';

/// What `netsig` prints at a terminal of its own; `None` if this machine has no `script`.
fn at_terminal(arguments: &str, no_color: Option<&str>) -> Option<String> {
    let netsig = env!("CARGO_BIN_EXE_netsig");
    let mut script = Command::new("script");
    script
        .args(["-qc", &format!("'{netsig}' {arguments}"), "/dev/null"])
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .stdin(Stdio::null());
    if let Some(value) = no_color {
        script.env("NO_COLOR", value);
    }
    let output = script.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn only_a_terminal_without_no_color_gets_colours() {
    let Some(coloured) = at_terminal("--help", None) else {
        return skipped("there is no program script, which has a terminal");
    };
    assert!(coloured.contains(ESCAPE), "{coloured}");
    for arguments in [
        "--help",
        "predict --help",
        "predict --procs",
        "models",
        "lab check",
    ] {
        let plain = at_terminal(arguments, Some("1")).unwrap();
        assert!(!plain.is_empty() && !plain.contains(ESCAPE), "{plain}");
    }
    let piped = Command::new(env!("CARGO_BIN_EXE_netsig"))
        .arg("--help")
        .env_remove("NO_COLOR")
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&piped.stdout).contains(ESCAPE));
}
