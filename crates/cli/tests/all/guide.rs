//! The user guide. Commands with an output must print the text of the page, in a folder with copies of `examples` for
//! each page. Commands for a shell run in the emulated cluster (`../real_lab/documents.rs`). `TRYCMD=overwrite cargo
//! test -p netsig-cli --test all guide` fills in the outputs, with the elisions of the page.

use std::fs;
use std::ops::Range;
use std::os::unix::fs::symlink;

use crate::support::guide::{GuidePage, copy_examples, guide_folder, pages, workspace};
use tempfile::TempDir;

#[test]
fn commands_print_what_stands_on_the_pages() {
    let home = TempDir::new().unwrap();
    let path = |name: String| home.path().join(name);
    symlink(workspace().join("bench"), path("bench".to_owned())).unwrap();
    let pages = pages();
    for page in &pages {
        fs::write(path(format!("{}.md", page.name())), &page.text).unwrap();
        let examples = path(format!("{}.in", page.name()));
        fs::create_dir(&examples).unwrap();
        copy_examples(&examples);
    }
    trycmd::TestCases::new()
        .register_bin("netsig", assert_cmd::cargo::cargo_bin!("netsig"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case(home.path().join("*.md"))
        .run();
    for page in &pages {
        let text = fs::read_to_string(path(format!("{}.md", page.name()))).unwrap();
        if text != page.text {
            fs::write(&page.path, with_old_elisions(&page.text, &text)).unwrap();
        }
    }
}

/// The lines of each output of a page, without the empty one at its end.
fn outputs(lines: &[&str]) -> Vec<Range<usize>> {
    let commands = lines.iter().enumerate().filter(|(_, line)| line.starts_with("$ "));
    let output = |(command, _)| {
        let status = lines[command + 1..].iter().take_while(|line| line.starts_with("? "));
        let begin = command + 1 + status.count();
        let is_end = |line: &&str| line.starts_with("$ ") || line.starts_with("```");
        let end = lines[begin..].iter().position(is_end).unwrap() + begin;
        let is_apart = end > begin && lines[end - 1].is_empty();
        begin..end - usize::from(is_apart)
    };
    commands.map(output).collect()
}

/// The page with new outputs, which leave out the same lines as the old ones.
fn with_old_elisions(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let (old_outputs, new_outputs) = (outputs(&old), outputs(&new));
    assert_eq!(old_outputs.len(), new_outputs.len());
    let mut page = Vec::new();
    let mut at = 0;
    for (old_range, new_range) in old_outputs.into_iter().zip(new_outputs) {
        page.extend(&new[at..new_range.start]);
        page.extend(elided_output(&old[old_range], &new[new_range.clone()]));
        at = new_range.end;
    }
    page.extend(&new[at..]);
    page.join("\n") + "\n"
}

/// After dots the output continues with the line that has the letters of the old line; without such a line all lines
/// are shown.
fn elided_output<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<&'a str> {
    let letters = |line: &str| -> String {
        let is_kept = |c: &char| c.is_alphabetic() || *c == '│';
        line.chars().filter(is_kept).collect()
    };
    if !old.contains(&"...") {
        return new.to_vec();
    }
    let mut shown = Vec::new();
    let mut rest = new.iter().copied();
    let mut is_left_out = false;
    for line in old {
        if *line == "..." {
            shown.push("...");
            is_left_out = true;
        } else {
            let is_next = |next: &&str| !is_left_out || letters(next).starts_with(&letters(line));
            let Some(next) = rest.find(is_next) else {
                return new.to_vec();
            };
            shown.push(next);
            is_left_out = false;
        }
    }
    if !is_left_out {
        shown.extend(rest);
    }
    shown
}

#[test]
fn elisions_outlast_new_outputs() {
    let old = "```console\n$ netsig fit\n...\nalpha = 5 us\n...\n\n$ netsig bounds\nx\n\n```\n";
    let new = "```console\n$ netsig fit\na\nb\nalpha = 17.2 us\nc\n\n$ netsig bounds\n? 3\ny\n\n```\n";
    let expected = "```console\n$ netsig fit\n...\nalpha = 17.2 us\n...\n\n$ netsig bounds\n? 3\ny\n\n```\n";
    assert_eq!(with_old_elisions(old, new), expected);
}

/// The reasons why no test would run a command of the page.
fn faults(page: &GuidePage) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |reason: &str, command: &str| faults.push(format!("{}: {reason}: {command}", page.name()));
    for block in page.blocks() {
        let begins = |line: &str, with: &[&str]| with.iter().any(|word| line.starts_with(word));
        let runs: &[&str] = match block.info {
            "console" => &["netsig "],
            "sh" => &["netsig ", "mpirun ", "sbatch "],
            "python" => &[],
            info => {
                fault("no test runs blocks of the kind", info);
                &[]
            }
        };
        for command in block.commands() {
            if !begins(&command, runs) {
                fault("no test runs the command", &command);
            }
        }
    }
    let mut is_inside = false;
    for line in page.text.lines() {
        is_inside ^= line.starts_with("```");
        if is_inside {
            continue;
        }
        if ["~~~", "    ", "\t"].iter().any(|begin| line.starts_with(begin)) || line.contains(" ```") {
            fault("code outside of a block that tests know", line);
        }
        let targets = line.split("](").skip(1);
        for target in targets.filter_map(|rest| rest.split(')').next()) {
            if target.contains('/') && !target.contains("://") {
                fault("the book does not hold the file of the link", target);
            }
        }
        // A subcommand with at most one further word is a name; a longer command belongs in a block.
        for code in line.split('`').skip(1).step_by(2) {
            if code.starts_with("netsig ") && code.split(' ').count() > 3 {
                fault("no test runs the command", code);
            }
        }
    }
    faults
}

#[test]
fn every_command_is_run_by_a_test() {
    let pages = pages();
    let faults: Vec<String> = pages.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let blocks = pages.iter().flat_map(GuidePage::blocks);
    let commands: usize = blocks.map(|block| block.commands().len()).sum();
    assert!(commands > 40, "{commands}");
}

#[test]
fn the_summary_names_every_page_once() {
    let summary = fs::read_to_string(guide_folder().join("SUMMARY.md")).unwrap();
    let link_ends = summary.split("](").skip(1);
    let targets = link_ends.map(|rest| rest.split(')').next().unwrap());
    // A chapter without a file is to be written.
    let mut named: Vec<&str> = targets.filter(|target| !target.is_empty()).collect();
    named.sort_unstable();
    let pages = pages();
    let file_names = pages.iter().map(|page| page.path.file_name().unwrap());
    let files: Vec<&str> = file_names.map(|name| name.to_str().unwrap()).collect();
    assert_eq!(named, files);
}
