//! Sweeps: the same rows whole, in shards, and interrupted.

use super::support::{Home, said, table};

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

fn home() -> Home {
    let home = super::home();
    home.write("sweep.toml", SWEEP);
    home.does("simulate --sweep sweep.toml -o whole.csv");
    home
}

#[test]
fn rows_come_in_order_at_any_number_of_threads() {
    let home = home();
    let whole = home.read("whole.csv");
    let (_, rows) = table(&whole);
    let key = |index: usize| {
        ["network", "algorithm", "size_bytes", "procs"].map(|key| &*rows[index][key])
    };
    assert_eq!(key(0), ["ethernet-4x50", "pairwise", "1024", "2"]);
    assert_eq!(key(1), ["ethernet-4x50", "pairwise", "1024", "4"]);
    assert_eq!(key(2), ["ethernet-4x50", "pairwise", "2048", "2"]);
    assert_eq!(key(6), ["ethernet-4x50", "throttled:2", "1024", "2"]);
    assert_eq!(key(12)[0], "four");
    assert_eq!(
        (&*rows[12]["model"], &*rows[24]["model"]),
        ("plogpt", "loggp")
    );
    for threads in [1, 3] {
        let mut again = home.netsig(&format!("simulate --sweep sweep.toml --threads {threads}"));
        let output = again.output().unwrap();
        assert!(output.stdout == whole.as_bytes(), "{threads} threads");
        let said = said(&output);
        assert!(said.contains("note: tree-2x6x40"), "{said}");
    }
}

#[test]
fn shards_one_after_the_other_are_the_whole() {
    let home = home();
    let shard = |number| home.does(&format!("simulate --sweep sweep.toml --shard {number}/5"));
    let shards: String = (1..=5).map(shard).collect();
    assert_eq!(shards, home.read("whole.csv"));
}

#[test]
fn a_sweep_goes_on_where_it_was_interrupted() {
    let home = home();
    let whole = home.read("whole.csv");
    let row = whole.find('\n').unwrap() + 1;
    for length in [
        0,
        10,
        row,
        row + 5,
        whole.len() / 2,
        whole.len() - 1,
        whole.len(),
    ] {
        home.write("part.csv", &whole[..length]);
        home.does("simulate --sweep sweep.toml -o part.csv --resume");
        assert!(home.read("part.csv") == whole, "cut at {length}");
    }
    home.does("simulate --sweep sweep.toml -o none.csv --resume");
    assert!(home.read("none.csv") == whole);
}

#[test]
fn a_shard_goes_on_in_its_own_file_alone() {
    let home = home();
    home.does("simulate --sweep sweep.toml --shard 2/3 -o whole_shard.csv");
    let shard = home.read("whole_shard.csv");
    let row = shard.find('\n').unwrap() + 1;
    for length in [0, 10, row + 5, shard.len()] {
        home.write("part.csv", &shard[..length]);
        home.does("simulate --sweep sweep.toml --shard 2/3 -o part.csv --resume");
        assert!(home.read("part.csv") == shard, "cut at {length}");
    }
    let changed = shard[..row].replacen("0.", "1.", 1) + &shard[row..];
    // A row of another plan, one too many, and the second network's first at another rate.
    let whole = home.read("whole.csv");
    let (rows, last) = whole.trim_end().rsplit_once('\n').unwrap();
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[13] = lines[13].replacen("0.", "1.", 1);
    for (text, part) in [
        (&*rows.replace(",1024,", ",1023,"), "1/1"),
        (&format!("{whole}{last}\n"), "1/1"),
        (&(lines.join("\n") + "\n"), "1/1"),
        ("precious", "2/3"),
        ("precious", "2/100"),
        (&format!("{shard}precious"), "2/3"),
        (&format!("{}precious", &shard[..row]), "2/3"),
        (&changed, "2/3"),
        (&format!("{shard}\n"), "2/3"),
    ] {
        home.write("part.csv", text);
        let command = format!("simulate --sweep sweep.toml --shard {part} -o part.csv --resume");
        home.refuses(
            &command,
            2,
            ["part.csv:", "choose another --output or remove it"],
        );
    }
    home.write("part.csv", "");
    home.does("simulate --sweep sweep.toml --shard 2/100 -o part.csv --resume");
    assert_eq!(
        home.read("part.csv"),
        "",
        "there are fewer points than shards"
    );
}

#[test]
fn zero_threads_are_one_on_each_processor() {
    let home = home();
    let mut command = home.netsig("simulate --sweep sweep.toml");
    let output = command.env("RAYON_NUM_THREADS", "0").output().unwrap();
    assert!(output.stdout == home.read("whole.csv").into_bytes());
}
