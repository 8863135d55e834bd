//! Sweeps: the same rows whole, in shards, and interrupted.

use crate::support::{TestHome, parse_csv, stderr_text};

const SWEEP: &str = r#"[[sweep]]
networks = ["ethernet-4x50", "four.toml"]
collective = "alltoall"
algorithms = ["pairwise", "throttled:2"]
procs = "2..4"
sizes = "1KiB..4KiB"
[[sweep]]
networks = ["tree-2x6x40"]
models = ["loggp", "fluid"]
collective = "bcast"
procs = 12
sizes = [1000]
set = { L = "50us" }
placement = "cyclic"
"#;

fn home() -> TestHome {
    let home = super::home();
    home.write("sweep.toml", SWEEP);
    home.run("simulate --sweep sweep.toml -o whole.csv");
    home
}

#[test]
fn rows_come_in_order_at_any_number_of_threads_and_in_shards() {
    let home = home();
    let whole = home.read("whole.csv");
    let (_, rows) = parse_csv(&whole);
    let keys = ["network", "model", "algorithm", "size_bytes", "procs"];
    for (index, expected) in [
        (0, "ethernet-4x50 fluid pairwise 1024 2"),
        (1, "ethernet-4x50 fluid pairwise 1024 4"),
        (2, "ethernet-4x50 fluid pairwise 2048 2"),
        (6, "ethernet-4x50 fluid throttled:2 1024 2"),
        (12, "four plogpt pairwise 1024 2"),
        (24, "tree-2x6x40 loggp flat 1000 12"),
    ] {
        assert_eq!(keys.map(|key| &*rows[index][key]).join(" "), expected);
    }
    // 0 is one on each processor.
    for threads in ["1", "3", "0"] {
        let mut again = home.netsig("simulate --sweep sweep.toml");
        let output = again.env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.stdout == whole.as_bytes(), "{threads} threads");
        let said = stderr_text(&output);
        assert!(said.contains("note: tree-2x6x40"), "{said}");
    }
    assert!(home.run("simulate --sweep sweep.toml --threads 3") == whole);
    let shard = |number| home.run(&format!("simulate --sweep sweep.toml --shard {number}/5"));
    assert_eq!((1..=5).map(shard).collect::<String>(), whole);
}

/// In a sweep whose blocks differ in rates and a seed, each row states these.
#[test]
fn rows_carry_all_that_varied() {
    let home = super::home();
    home.write(
        "racks.conf",
        "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=t Switches=s[0-1]\n",
    );
    let block = |uplinks: &str, more: &str| {
        format!(
            "[[sweep]]\nnetworks = ['racks.conf']\ncollective = 'alltoall'\nalgorithms = ['direct']\n\
             procs = 4\nsizes = 1000\nset = {{ L = '50us' }}\nrate = '1Gbit/s'\n\
             uplink_rate = '{uplinks}'\nmodels = ['tcp']\n{more}"
        )
    };
    let plan = block("1Gbit/s", "") + &block("100Mbit/s", "seed = 3\nport_buffer = '64KiB'\n");
    home.write("rates.toml", &plan);
    let whole = home.run("simulate --sweep rates.toml");
    let (head, rows) = parse_csv(&whole);
    let further = ["uplink_rate_bit_per_s", "port_buffer_bytes", "seed"];
    assert!(head.join(",").ends_with(&format!(",network,{}", further.join(","))));
    let values = |row: usize| further.map(|key| &*rows[row][key]).join(" ");
    assert_eq!((&*values(0), &*values(1)), ("1000000000  ", "100000000 65536 3"));
    home.write("part.csv", &whole[..whole.len() - 3]);
    home.run("simulate --sweep rates.toml -o part.csv --resume");
    assert_eq!(home.read("part.csv"), whole);
    home.write("rates.toml", &plan.replace("100Mbit", "200Mbit"));
    home.assert_refused(
        "simulate --sweep rates.toml -o part.csv --resume",
        2,
        [
            "part.csv:3: is not of this plan",
            "choose another --output or remove it",
        ],
    );
}

/// A sweep or a shard continues wherever its file was cut, and only in its own file.
#[test]
fn a_sweep_goes_on_where_it_was_interrupted() {
    let home = home();
    let resume = |shard: &str| format!("simulate --sweep sweep.toml --shard {shard} -o part.csv --resume");
    home.run("simulate --sweep sweep.toml --shard 2/3 -o shard.csv");
    let [whole, shard] = ["whole.csv", "shard.csv"].map(|name| home.read(name));
    let row = shard.find('\n').unwrap() + 1;
    for (file, part) in [(&whole, "1/1"), (&shard, "2/3")] {
        let length = file.len();
        for cut in [0, 10, row, row + 5, length / 2, length - 1, length] {
            home.write("part.csv", &file[..cut]);
            home.run(&resume(part));
            assert!(home.read("part.csv") == *file, "{part} cut at {cut}");
        }
    }
    home.run("simulate --sweep sweep.toml -o none.csv --resume");
    assert!(home.read("none.csv") == whole);
    home.write("part.csv", "");
    home.run(&resume("2/100"));
    let part = home.read("part.csv");
    assert_eq!(part, "", "there are fewer points than shards");

    let changed = shard[..row].replacen("0.", "1.", 1) + &shard[row..];
    let (rows, last) = whole.trim_end().rsplit_once('\n').unwrap();
    let mut lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let other_rate = lines[13].replacen("0.", "1.", 1);
    lines[13] = &other_rate;
    for (text, part) in [
        (&*rows.replace(",1024,", ",1023,"), "1/1"),
        (&format!("{whole}{last}\n"), "1/1"),
        (&lines.concat(), "1/1"),
        ("precious", "2/3"),
        ("precious", "2/100"),
        (&format!("{shard}precious"), "2/3"),
        (&format!("{}precious", &shard[..row]), "2/3"),
        (&changed, "2/3"),
        (&format!("{shard}\n"), "2/3"),
    ] {
        home.write("part.csv", text);
        let remedy = "choose another --output or remove it";
        home.assert_refused(&resume(part), 2, ["part.csv:", remedy]);
    }
}
