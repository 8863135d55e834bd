//! What `netsig simulate` refuses: a line with the place and what to do, and no file changes.

use super::{LOGGP, home};

/// One cell.
const CELL: &str = "--collective alltoall --procs 4 --size 1KiB";
const ON: &str = "--network ethernet-4x50";

fn refuses(cases: &[(String, i32, [&str; 2])]) {
    let home = home();
    home.write(
        "alone.goal",
        "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n",
    );
    home.write("graph.toml", "topology = 'graph'\n");
    let ring = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n[[switch]]\nname = 'a'\n\
                hosts = 2\n[[switch]]\nname = 'b'\nhosts = 2\n[[switch]]\nname = 'c'\n";
    let link = |ends: &str| {
        format!("[[link]]\nbetween = [{ends}]\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n")
    };
    let links = ["'a', 'b'", "'b', 'c'", "'c', 'a'"].map(link).concat();
    home.write("ring.toml", &format!("latency = '1us'\n{ring}{links}"));
    for (arguments, code, complaint) in cases {
        home.refuses(&format!("simulate {arguments}"), *code, *complaint);
    }
}

#[test]
fn networks_and_parameters() {
    let known = "set one of: L, S";
    let to_model = "leave it out or give --model plogpt";
    refuses(&[
        (CELL.into(), 2, ["L is not known", "or a --network"]),
        (
            format!("{CELL} --model fluid {LOGGP}"),
            2,
            ["fluid has no parameter \"o\"", known],
        ),
        (
            format!("{CELL} --model fluid --set L=1us"),
            2,
            ["fluid is a model", "for hosts on one switch"],
        ),
        (
            format!("{CELL} {ON} --set L=-1"),
            2,
            ["L = -1", "such as L=50us"],
        ),
        (
            format!("{CELL} {ON} --set L=1 --set L=1"),
            2,
            ["L is set twice", "set it once"],
        ),
        (
            format!("{CELL} {ON} --set RTO=1"),
            2,
            ["fluid has no parameter \"RTO\"", known],
        ),
        (
            format!("{CELL} {ON} --rto-mode two-pass"),
            2,
            ["--rto-mode is a choice of plogpt", to_model],
        ),
        (
            format!("{CELL} {ON} --rate 1Gbit/s"),
            2,
            ["--rate is for a topology.conf", "leave out --rate"],
        ),
        (
            format!("{CELL} --network ethernet"),
            2,
            ["no scenario is called", "ends in .toml"],
        ),
        (
            format!("{CELL} --network no.toml"),
            2,
            ["no.toml: cannot be read", "or a shipped name"],
        ),
        (
            format!("{CELL} --network graph.toml"),
            2,
            ["graph.toml:1: a graph needs rate", "the keys of a network"],
        ),
        (
            format!("{CELL} --network ring.toml --model plogpt"),
            2,
            [
                "ring: its switches are joined in a circle",
                "use another --model",
            ],
        ),
        (
            format!("{CELL} --network topology.conf"),
            2,
            ["topology.conf: ", "give --rate 1Gbit/s"],
        ),
        (
            format!("{CELL} --network topology.conf --rate 1Gbit/s"),
            2,
            ["topology: does not state L", "give it with --set"],
        ),
        (
            format!("{CELL} {ON} --nodes host[0-9]"),
            2,
            ["--nodes host[0-9]: there is no host", "to host3"],
        ),
        (
            format!("{CELL} {ON} --placement none"),
            2,
            ["none: cannot be read", "check the path"],
        ),
        (
            format!("{CELL} {ON} --placement four.toml"),
            2,
            ["four.toml:1:1: there is no host", "to host3"],
        ),
        (
            format!("--collective bcast --procs 8 --size 1 {ON}"),
            2,
            ["ethernet-4x50: 8 ranks need 8 hosts", "place 2 on each"],
        ),
    ]);
}

#[test]
fn cells_and_files() {
    let required = ["the following required", "--collective <COLLECTIVE>"];
    let many = "--collective allgather --algorithm ring --procs 1048576 --size 1 --method event";
    let long = "--collective alltoall --algorithm direct --procs 1048576 --size 1";
    let ages = "--collective bcast --algorithm flat --procs 2 --size 1 --method event";
    let wide = "--collective bcast --algorithm flat --procs 65 --size 1 --gantt g.svg";
    refuses(&[
        ("--procs 4 --size 1".into(), 2, required),
        (
            format!("{CELL} --goal g.goal"),
            2,
            ["the argument '--collective", "--size <LIST>"],
        ),
        (
            format!("--goal g.goal {LOGGP}"),
            2,
            ["g.goal: cannot be read", "check the path"],
        ),
        (
            format!("{CELL} {ON} --method closed-form"),
            3,
            ["alltoall direct among 4", "use --method event"],
        ),
        (
            format!("{CELL} {ON} --method closed-form --links l.csv"),
            2,
            ["a closed form", "use --method event"],
        ),
        (
            format!("{CELL} {ON} --links l.csv"),
            2,
            ["--links tells of one", "count and size"],
        ),
        (
            format!("{CELL} {ON} --write-goal p.goal"),
            2,
            ["--write-goal tells of one", "count and size"],
        ),
        (
            format!("{CELL} {ON} --algorithm direct --links no/l.csv"),
            2,
            ["no/l.csv: cannot be written", "path"],
        ),
        (
            format!("{many} {LOGGP}"),
            2,
            ["allgather ring among 1048576", "longer segments"],
        ),
        (
            format!("{long} {LOGGP} --write-goal p.goal"),
            2,
            ["alltoall direct among 1048576", "longer segments"],
        ),
        (
            format!("{ages} {ON} --model fluid --set L=1e9 --write-goal p.goal"),
            2,
            [
                "bcast flat, 2 ranks, 1 B, fluid on ethernet-4x50: the simulated time passes",
                "network",
            ],
        ),
        (
            format!("{CELL} {ON} --algorithm direct --links a --losses ./a"),
            2,
            ["./a: is named by --links and --losses", "its own file"],
        ),
        (
            format!("--goal binomial.goal {LOGGP} --write-goal ./binomial.goal"),
            2,
            [
                "./binomial.goal: is read by the same command",
                "choose another --write-goal",
            ],
        ),
        (
            format!("--goal alone.goal {LOGGP} --write-goal p.goal"),
            2,
            ["alone.goal: ", "receive it or remove the send"],
        ),
        (format!("{wide} {LOGGP}"), 2, ["", "use --timeline"]),
        (
            format!("{CELL} {ON} --algorithm direct,direct"),
            2,
            ["direct is named twice", "name it once"],
        ),
        (
            format!("{CELL} {ON} --algorithm bruck"),
            2,
            ["algorithm \"bruck\"", "write bruck:RADIX, RADIX at least 2"],
        ),
    ]);
}

#[test]
fn what_serves_sweeps_alone_is_refused_elsewhere() {
    let cell =
        "--network ethernet-4x50 --collective alltoall --algorithm direct --procs 4 --size 1";
    let [output, shard] = ["-o rows.csv", "--shard 1/2"].map(|option| format!("{cell} {option}"));
    let remedy = "give a plan, or leave it out";
    refuses(&[
        (output, 2, ["--output is for --sweep", remedy]),
        (shard, 2, ["--shard is for --sweep", remedy]),
    ]);
}
