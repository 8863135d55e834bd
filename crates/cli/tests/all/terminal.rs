//! netsig at a terminal: help is in colours, unless `NO_COLOR` is set or a program reads it. Texts of files cannot
//! control or fill the terminal.

use std::process::{Command, Stdio};

use crate::support::{TestHome, skipped, stderr_text};

const ESCAPE: char = '\u{1b}';

/// The output of `netsig` at a terminal of its own; `None` if this machine has no `script`.
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
    for arguments in ["--help", "predict --help", "predict --procs", "models", "lab check"] {
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

/// The label of a message is styled, and the message says the same with and without styles.
#[test]
fn a_terminal_shows_the_label_of_an_error_in_colour() {
    let arguments = "models nothing";
    let Some(coloured) = at_terminal(arguments, None) else {
        return skipped("there is no program script, which has a terminal");
    };
    let plain = at_terminal(arguments, Some("1")).unwrap();
    assert!(plain.starts_with("netsig: ") && !plain.contains(ESCAPE), "{plain}");
    let (label, message) = coloured.split_once("netsig:").unwrap();
    assert!(label.starts_with(ESCAPE), "{coloured}");
    assert!(message.starts_with("\u{1b}[0m "), "{coloured}");
    assert!(plain.ends_with(message.trim_start_matches("\u{1b}[0m")), "{coloured}");
}

/// A file's name and text, and a command that reads it.
type ReadFile = (&'static str, String, String);

const CELL: &str = "--collective alltoall --procs 4 --size 1KiB";

/// Tables with this text in place of a name or a number.
fn tables(text: &str) -> Vec<ReadFile> {
    const COLUMNS: &str = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";
    let fitted = |name, text| (name, text, format!("fit {name} -o o"));
    let cell =
        |collective: &str, algorithm: &str| format!("{COLUMNS}collective,{collective},{algorithm},4,1,0,0,0.1\n");
    let osu = format!("# OSU MPI All-to-All Latency Test\n# Size Avg Latency(us)\n4 {text}\n");
    vec![
        fitted("a.csv", cell(text, "direct")),
        fitted("b.csv", cell("alltoall", text)),
        fitted("c.csv", format!("#@void={text}\n{COLUMNS}pingpong,,,2,1,0,0,0.1\n")),
        fitted("d.csv", format!("{text}\n")),
        (
            "n.csv",
            format!("1,2\n{text},2\n"),
            "bounds n.csv --alpha 1us --beta 1ns".into(),
        ),
        ("p4.txt", osu, "import osu p4.txt -o o".into()),
    ]
}

/// Files in TOML and YAML with this text in place of a name; its control characters are escaped.
fn documents(text: &str) -> Vec<ReadFile> {
    let text = text.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    let planned = |name, collective: &str, algorithm: &str| {
        let plan = format!(
            "[[collective]]\nname = \"{collective}\"\nalgorithms = [\"{algorithm}\"]\nprocs = 4\n\
             sizes = 1\nrepetitions = 1\n"
        );
        (name, plan, format!("measure {name} -o o --on sim:ethernet-4x50"))
    };
    let profile = include_str!("../refusals/home/profile.toml").replace("direct", &text);
    let clusters = format!("[[cluster]]\nname = \"{text}\"\nhosts = \"a,a\"\n");
    let switch = |name: &str| format!("[[switch]]\nname = \"{name}{text}\"\nhosts = 1\n");
    let head = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n";
    let network = [head, &switch("a"), &switch("b")].concat();
    let yaml = format!("- topology: \"{text}\"\n  tree: {{}}\n");
    vec![
        planned("e.toml", &text, "direct"),
        planned("f.toml", "alltoall", &text),
        ("g.toml", profile.clone(), format!("predict g.toml {CELL}")),
        ("h.toml", format!("{text} = 1\n"), format!("predict h.toml {CELL}")),
        ("i.toml", clusters, format!("predict g.toml {CELL} --clusters i.toml")),
        ("j.toml", network, "discover --network j.toml -o o".into()),
        ("l.yaml", yaml, "discover --network l.yaml -o o".into()),
    ]
}

/// Writes files of every kind with this text; returns the commands that read them.
fn read_by_commands(home: &TestHome, text: &str) -> Vec<String> {
    let goal_text = format!("num_ranks 2\nrank 0 {{ {text} }}\n");
    let goal = (
        "m.goal",
        goal_text,
        "simulate --goal m.goal --set L=1us --set G=1ns".into(),
    );
    let slurm_text = format!("SwitchName={text} Nodes=a\n");
    let slurm = ("k.conf", slurm_text, "discover --network k.conf -o o".into());
    let files = [tables(text), documents(text), vec![goal, slurm]].concat();
    let written = files.into_iter().map(|(name, text, command)| {
        home.write(name, &text);
        command
    });
    written.collect()
}

#[test]
fn nothing_of_a_file_commands_the_terminal() {
    let home = TestHome::new();
    for command in read_by_commands(&home, "a\u{1b}[31mb\u{7}") {
        let output = home.netsig(&command).output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 2 | 3)), "{command}: {code:?}");
        let said = stderr_text(&output);
        assert!(!said.contains("cannot be read"), "{command}: {said}");
        for printed in [output.stdout, output.stderr] {
            let printed = String::from_utf8(printed).unwrap();
            let is_command = |c: char| c.is_control() && c != '\n';
            assert!(!printed.contains(is_command), "{command}: {printed:?}");
        }
    }
}

#[test]
fn no_message_quotes_much_of_a_file() {
    let home = TestHome::new();
    for command in read_by_commands(&home, &"z \u{e9}z".repeat(3000)) {
        let output = home.netsig(&command).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        for line in said.lines() {
            let quoted = line.chars().filter(|&c| c == 'z').count();
            assert!(quoted <= 200, "{command}: {line}");
        }
    }
}

/// Data for programs keep every character, in files and in pipes; a terminal gets escapes.
#[test]
fn data_keep_characters_that_terminals_obey() {
    let home = TestHome::new();
    let name = "e\u{200f}\u{7f}.toml";
    let star = "topology = 'star'\nhosts = 4\nrate = '50Mbit/s'\nport_buffer = '64KiB'\nlatency = '10us'\n";
    home.write(name, star);
    let simulated = format!("simulate --network ./{name} {CELL} --algorithm direct --format");
    let json = home.run(&format!("{simulated} json"));
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(rows[0]["network"], "e\u{200f}\u{7f}");
    assert!(json.is_ascii(), "{json}");
    let block = "collective = 'alltoall'\nalgorithms = ['direct']\nprocs = 4\nsizes = [1, 2]\n";
    home.write(
        "sweep.toml",
        &format!("[[sweep]]\nnetworks = ['./{}']\n{block}", "f\u{200f}.toml"),
    );
    home.write("f\u{200f}.toml", star);
    let printed = home.run("simulate --sweep sweep.toml");
    home.run("simulate --sweep sweep.toml -o rows.csv");
    assert_eq!(printed, home.read("rows.csv"));
}
