//! No output replaces an input, a measurement or a file of another kind.

use super::support::{Home, ON};

/// Spaces within a word are written `_`.
const PLANNED: &str = "plan --budget 10m --for alltoall_up_to_16 -o";
const SIMULATED: &str =
    "simulate --network net.toml --collective alltoall --algorithm direct --procs 4 --size 1KiB";

/// Arguments that end in the file, and the problem.
const REFUSED: &str = "\
fit data.csv -o data.csv: is read
fit data.csv -o ./data.csv: is read
fit data.csv --plogp profile.toml -o profile.toml: is read
fit data.csv -o other.csv: is a data file and not a profile
fit data.csv -o begun.csv: is a data file and not a profile
fit data.csv -o plan.toml: is a measurement plan and not a profile
fit data.csv -o net.toml: is a network and not a profile
fit data.csv -o letter: is no file of netsig and not a profile
PLANNED profile.toml: is a profile and not a measurement plan
SIMULATED --links data.csv: is a data file and not a table
SIMULATED --links net.toml: is read
SIMULATED --losses links.csv: is no file of netsig and not a table of time_s,from,
SIMULATED --timeline data.csv: is a data file and not a timeline
SIMULATED --gantt profile.toml: is a profile and not an SVG picture
SIMULATED --write-goal plan.toml: is a measurement plan and not a program in GOAL
import osu letter -o data.csv: exists already
import osu empty -o empty: is read
measure plan.toml ON -o plan.toml: is read";

fn home() -> Home {
    let home = Home::fitted();
    let network = include_str!("../../../../scenarios/ethernet-4x50.toml");
    home.write("net.toml", network);
    home
}

fn words(arguments: &str) -> impl Iterator<Item = String> {
    arguments.split(' ').map(|word| word.replace('_', " "))
}

#[test]
fn an_output_of_another_kind_or_an_input_is_refused() {
    let home = home();
    home.write("letter", "Dear reader,\n");
    home.write("links.csv", "link,bytes,busy_s,utilisation\n");
    home.write("other.csv", &home.read("data.csv"));
    home.write("begun.csv", "#@netsig=0.1.0\n");
    home.write("empty", "");
    for line in REFUSED.lines() {
        let line = line
            .replace("PLANNED", PLANNED)
            .replace(" ON ", &format!(" {ON} "));
        let line = line.replace("SIMULATED", SIMULATED);
        let (arguments, problem) = line.split_once(": ").unwrap();
        let (_, file) = arguments.rsplit_once(' ').unwrap();
        let remedy = if problem == "is read" {
            ""
        } else {
            "or remove it"
        };
        let mut command = home.netsig("");
        command.args(words(arguments));
        home.command_refuses(&mut command, 2, [&format!("{file}: {problem}"), remedy]);
    }
    let demo = ["./data.csv: is not of an earlier demo", "or remove it"];
    home.refuses("demo --on sim --out .", 2, demo);
}

#[test]
fn an_output_replaces_an_empty_file_and_its_own_kind() {
    let home = home();
    let files = [
        "links.csv",
        "losses.csv",
        "t.json",
        "g.svg",
        "p.goal",
        "p.toml",
        "plan2.toml",
    ];
    for file in files {
        home.write(file, "");
    }
    let commands = [
        format!(
            "{SIMULATED} --links links.csv --losses losses.csv --timeline t.json --gantt g.svg"
        ),
        format!("{SIMULATED} --write-goal p.goal"),
        "fit data.csv -o p.toml".to_owned(),
        format!("{PLANNED} plan2.toml"),
    ];
    let run = |command: &String| {
        let output = home.netsig("").args(words(command)).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    };
    commands.iter().for_each(run);
    let first = home.files();
    assert!(files.iter().all(|file| !home.read(file).is_empty()));
    commands.iter().for_each(run);
    assert!(first == home.files(), "the same input gives the same files");
}
