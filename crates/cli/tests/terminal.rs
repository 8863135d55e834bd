//! netsig at a terminal: help in colours, unless `NO_COLOR` is set or it is read by a program; and nothing of a
//! file that a terminal would obey, or that fills it.

mod support;

use std::process::{Command, Stdio};

use support::{Home, skipped};

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

/// Files of every kind with this text where a name belongs, each with a command that reads it.
fn read_by_commands(home: &Home, text: &str) -> Vec<String> {
    const COLUMNS: &str =
        "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";
    const CELL: &str = "--collective alltoall --procs 4 --size 1KiB";
    let plan = |collective: &str, algorithm: &str| {
        format!(
            "[[collective]]\nname = '{collective}'\nalgorithms = ['{algorithm}']\nprocs = 4\nsizes = 1\nrepetitions = 1\n"
        )
    };
    // TOML has control characters as escapes alone.
    let in_toml = text
        .replace('\u{1b}', "\\u001b")
        .replace('\u{7}', "\\u0007");
    let basic = |toml: &str| toml.replace('\'', "\"");
    let profile = include_str!("refusals/home/profile.toml");
    let switch = |name: &str| format!("[[switch]]\nname = \"{name}{in_toml}\"\nhosts = 1\n");
    let files = [
        (
            "a.csv",
            format!("{COLUMNS}collective,{text},direct,4,1,0,0,0.1\n"),
            "fit a.csv -o o",
        ),
        (
            "b.csv",
            format!("{COLUMNS}collective,alltoall,{text},4,1,0,0,0.1\n"),
            "fit b.csv -o o",
        ),
        (
            "c.csv",
            format!("#@void={text}\n{COLUMNS}pingpong,,,2,1,0,0,0.1\n"),
            "fit c.csv -o o",
        ),
        ("d.csv", format!("{text}\n"), "fit d.csv -o o"),
        (
            "e.toml",
            basic(&plan(&in_toml, "direct")),
            "measure e.toml -o o --on sim:ethernet-4x50",
        ),
        (
            "f.toml",
            basic(&plan("alltoall", &in_toml)),
            "measure f.toml -o o --on sim:ethernet-4x50",
        ),
        (
            "g.toml",
            profile.replace("direct", &in_toml),
            &format!("predict g.toml {CELL}"),
        ),
        (
            "g.toml",
            profile.replace("direct", &in_toml),
            &format!("select g.toml {CELL} --format csv"),
        ),
        (
            "h.toml",
            format!("{text} = 1\n"),
            &format!("predict h.toml {CELL}"),
        ),
        (
            "i.toml",
            format!("[[cluster]]\nname = \"{in_toml}\"\nhosts = \"a,a\"\n"),
            &format!("predict g.toml {CELL} --clusters i.toml"),
        ),
        (
            "j.toml",
            format!(
                "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n{}{}",
                switch("a"),
                switch("b")
            ),
            "discover --network j.toml -o o",
        ),
        (
            "k.conf",
            format!("SwitchName={text} Nodes=a\n"),
            "discover --network k.conf -o o",
        ),
        (
            "l.yaml",
            format!("- topology: \"{in_toml}\"\n  tree: {{}}\n"),
            "discover --network l.yaml -o o",
        ),
        (
            "m.goal",
            format!("num_ranks 2\nrank 0 {{ {text} }}\n"),
            "simulate --goal m.goal --set L=1us --set G=1ns",
        ),
        (
            "n.csv",
            format!("1,2\n{text},2\n"),
            "bounds n.csv --alpha 1us --beta 1ns",
        ),
        (
            "p4.txt",
            format!("# OSU MPI All-to-All Latency Test\n# Size Avg Latency(us)\n4 {text}\n"),
            "import osu p4.txt -o o",
        ),
    ];
    let written = files.into_iter().map(|(name, text, command)| {
        home.write(name, &text);
        command.to_owned()
    });
    written.collect()
}

#[test]
fn nothing_of_a_file_commands_the_terminal() {
    let home = Home::new();
    for command in read_by_commands(&home, "a\u{1b}[31mb\u{7}") {
        let output = home.netsig(&command).output().unwrap();
        for printed in [output.stdout, output.stderr] {
            let printed = String::from_utf8(printed).unwrap();
            let is_command = |c: char| c.is_control() && c != '\n';
            assert!(!printed.contains(is_command), "{command}: {printed:?}");
        }
    }
}

#[test]
fn no_message_quotes_much_of_a_file() {
    let home = Home::new();
    for command in read_by_commands(&home, &"z \u{e9}z".repeat(3000)) {
        let output = home.netsig(&command).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        for line in said.lines() {
            let quoted = line.chars().filter(|&c| c == 'z').count();
            assert!(quoted <= 200, "{command}: {line}");
        }
    }
}
