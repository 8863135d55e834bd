//! Commands as the user sees them. `refusals/*.trycmd` hold those that are refused, with exit code
//! and message, `worked/*.trycmd` answers that can be checked by hand; `refusals/home` is the directory
//! that all of them run in. For a new one write its `$` line;
//! `TRYCMD=overwrite cargo test -p netsig-cli --test commands` fills in the rest.

mod support;

use std::fs;

use support::{Home, said};

#[test]
fn commands_print_what_stands_in_the_files() {
    trycmd::TestCases::new()
        .register_bin("netsig", assert_cmd::cargo::cargo_bin!("netsig"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .case("tests/refusals/*.trycmd")
        .case("tests/worked/*.trycmd");
}

#[test]
fn a_refusal_prints_no_result_and_changes_no_file() {
    let home = Home::new();
    for entry in fs::read_dir("tests/refusals/home").unwrap() {
        let path = entry.unwrap().path();
        fs::copy(
            &path,
            home.path(path.file_name().unwrap().to_str().unwrap()),
        )
        .unwrap();
    }
    let before = home.files();
    let mut count = 0;
    for entry in fs::read_dir("tests/refusals").unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "trycmd")
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let commands = text
            .lines()
            .filter_map(|line| line.strip_prefix("$ netsig "));
        for command in commands {
            let output = home.netsig(command).output().unwrap();
            let message = said(&output);
            assert!(
                matches!(output.status.code(), Some(2 | 3)),
                "{command}: {message}"
            );
            let is_plain = message.lines().all(|line| line.starts_with("netsig: "));
            assert!(is_plain && !message.is_empty(), "{command}: {message}");
            assert!(output.stdout.is_empty(), "{command} prints a result");
            assert!(before == home.files(), "{command} changed a file");
            count += 1;
        }
    }
    assert!(count >= 200, "{count} commands");
}
