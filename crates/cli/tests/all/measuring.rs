//! Campaigns with shell scripts as launchers and ranks: the start of jobs, jobs that fail, hang or die, and the
//! continuation of an interrupted campaign.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{ON_SIMULATOR, TestHome, skipped, stderr_text, write_script};
use netsig_base::data::{DataRecord, Dataset};

/// The hosts of the ranks are their clusters, as `measure --ppn` has it.
const PLAN: &str = "seed = 3\nlaunches = 3\ncluster = \"host\"\n\n[pingpong]\nsizes = \"1..4\"\n\
    repetitions = 4\n";

/// The data of a launcher's probe of the network.
const PROBE: &str = "[pingpong]\nsizes = \"1, 64KiB\"\nrepetitions = 2\n\
    [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\n\
    procs = 4\nsizes = \"1KiB, 64KiB\"\nrepetitions = 2\n";

/// An mpirun of Open MPI whose ranks copy prepared data. The commands in `fault-N` replace launch N once. `started`
/// counts the jobs without the probes.
const MPIRUN: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo 'mpirun (Open MPI) 4.1.4'
    echo 'Report bugs to http://www.open-mpi.org/community/help/'
    exit
fi
until [ "$1" = --output ]; do shift; done
data=$2
until [ "$1" = --launch ]; do shift; done
launch=$2
case $data in
    */netsig-*) cat probe.csv >"$data"; exit ;;
esac
echo "$@" >>started
[ -s "$data" ] || cat head.csv >"$data"
if [ -e "fault-$launch" ]; then
    mv "fault-$launch" fault
    . ./fault
fi
cat "part-$launch.csv" >>"$data"
"#;

/// netsig that measures with the script.
const MEASURE: &str = "measure plan.toml -o data.csv --mpirun mpirun --rank-program mpirun --ppn 4";

/// A directory with everything that the script needs, and the complete data.
fn home() -> (TestHome, Dataset) {
    let home = TestHome::new();
    home.write("probe.toml", PROBE);
    home.run(&format!("measure probe.toml -o probe.csv {ON_SIMULATOR}"));
    home.write("plan.toml", PLAN);
    home.run(&format!("measure plan.toml -o whole.csv {ON_SIMULATOR}"));
    let data = read(&home, "whole.csv");
    for launch in 0..3 {
        let mut row_bytes = Vec::new();
        let samples = data.samples.iter();
        for sample in samples.filter(|sample| sample.cell.launch == launch) {
            DataRecord::Sample(sample.clone()).write(&mut row_bytes).unwrap();
        }
        let completed = data.completed.iter().filter(|cell| cell.launch == launch);
        for cell in completed {
            DataRecord::Done(cell.clone()).write(&mut row_bytes).unwrap();
        }
        let text = String::from_utf8(row_bytes).unwrap();
        let part = format!("{text}#@launch_{launch}_s=wall 1\n");
        home.write(&format!("part-{launch}.csv"), &part);
    }
    let whole = home.read("whole.csv");
    let (head, _) = whole.split_once("\npingpong").unwrap();
    home.write("head.csv", &format!("#@hosts=h0,h1,h2,h3\n{head}\n"));
    fs::remove_file(home.path("whole.csv")).unwrap();
    write_script(&home, "mpirun", MPIRUN);
    (home, data)
}

fn read(home: &TestHome, name: &str) -> Dataset {
    Dataset::read(name, home.read(name).as_bytes()).unwrap()
}

/// Places of the samples, each once.
fn sample_keys(data: &Dataset) -> BTreeSet<String> {
    let name = |sample| format!("{sample:?}");
    let names: BTreeSet<String> = data.samples.iter().map(name).collect();
    assert_eq!(names.len(), data.samples.len(), "each of them once");
    names
}

/// Standard error of a measurement that ends with the exit code.
fn measure(home: &TestHome, options: &str, code: i32) -> String {
    let output = home.netsig(&format!("{MEASURE} {options}")).output().unwrap();
    let message = stderr_text(&output);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(output.stdout.is_empty(), "standard output is for results");
    message
}

/// The launches that were started, in order.
fn started(home: &TestHome) -> Vec<u32> {
    let log = fs::read_to_string(home.path("started")).unwrap_or_default();
    let number = |line: &str| line.split(' ').nth(1).unwrap().parse().unwrap();
    log.lines().map(number).collect()
}

#[test]
fn a_campaign_tells_how_long_it_takes_and_leaves_nothing_but_data() {
    let (home, whole) = home();
    let before = home.files().len();
    let message = measure(&home, "--budget 10m --timeout 2m", 0);
    let estimate = message.lines().next().unwrap();
    assert!(estimate.starts_with("about "), "{message}");
    assert!(estimate.ends_with(": 3 cells, 3 launches, at most 36 repetitions"));
    assert!(message.ends_with("36 samples in data.csv\n"), "{message}");
    assert_eq!(sample_keys(&read(&home, "data.csv")), sample_keys(&whole));
    assert_eq!(home.files().len(), before + 2, "the data and the script's log");
    let started_log = home.read("started");
    let first = started_log.lines().next().unwrap();
    // A third of the time that the probe has left.
    let budgets = ["199", "200"].map(|budget| format!("--launch 0 --timeout 120 --budget {budget}"));
    assert!(budgets.iter().any(|budget| first == budget), "{first}");
    home.assert_refused(MEASURE, 2, ["data.csv: exists already", "or remove it"]);
}

#[test]
fn a_launch_that_fails_does_not_end_the_others_and_is_resumed() {
    let (home, whole) = home();
    home.write("fault-1", "head -c 150 part-1.csv >>\"$data\"\nexit 3\n");
    let message = measure(&home, "", 1);
    assert!(
        message.contains("netsig: launch 1: the MPI job ended with code 3"),
        "{message}"
    );
    assert!(message.contains("data.csv: the last line was cut short and is dropped"));
    let last = message.lines().last().unwrap();
    assert!(last.starts_with("netsig: 1 of 3 jobs failed"), "{message}");
    assert!(last.ends_with("samples are kept in data.csv; --resume measures the rest"));
    assert_eq!(started(&home), [0, 1, 2]);

    // The script measures a launch from its beginning.
    let kept = home.read("data.csv");
    let is_of_launch_1 = |line: &&str| line.starts_with("pingpong") && line.split(',').nth(6) == Some("1");
    let others = kept.split_inclusive('\n').filter(|line| !is_of_launch_1(line));
    home.write("data.csv", &(others.collect::<String>() + "pingpong,,,2,"));
    let message = measure(&home, "--resume", 0);
    assert!(message.contains("data.csv: the last line was cut short and is dropped"));
    assert_eq!(started(&home), [0, 1, 2, 1]);
    assert_eq!(sample_keys(&read(&home, "data.csv")), sample_keys(&whole));

    let before = home.read("data.csv");
    measure(&home, "--resume", 0);
    assert_eq!(started(&home), [0, 1, 2, 1], "nothing was left");
    assert_eq!(home.read("data.csv"), before);
}

#[test]
fn cells_are_printed_as_launches_complete_them() {
    let (home, _) = home();
    home.write("fault-1", "head -c 150 part-1.csv >>\"$data\"\nexit 3\n");
    let printed = |options, code| {
        let message = measure(&home, options, code);
        let cells = message.lines().filter(|line| line.ends_with("    4 repetitions"));
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    // Neither the cells of the probe nor the cell that was cut short.
    assert_eq!(printed("-v", 1).len(), 6);
    let cells = printed("-v --resume", 0);
    assert_eq!(cells.len(), 3, "those of the launch that failed: {cells:?}");
    for (cell, size) in cells.iter().zip([1, 2, 4]) {
        let begin = format!("pingpong                        2 processes      {size} B");
        assert!(cell.starts_with(&begin), "{cell}");
    }
}

/// A job killed before it named the columns has measured nothing.
#[test]
fn no_more_than_provenance_is_begun_anew() {
    let (home, whole) = home();
    for left in ["", "#@hosts=h0\n", "#@hosts=h0\nexperiment,col"] {
        home.write("data.csv", left);
        measure(&home, "--resume", 0);
        assert_eq!(sample_keys(&read(&home, "data.csv")), sample_keys(&whole));
    }
}

#[test]
fn only_data_of_the_same_plan_are_resumed() {
    let (home, _) = home();
    measure(&home, "", 0);
    let resume = format!("{MEASURE} --resume");
    home.write("plan.toml", &PLAN.replace("= 4\n", "= 5\n"));
    let differs = "plan.toml: is not the plan that data.csv was begun with: `repetitions = 5` was `repetitions = 4`";
    home.assert_refused(&resume, 2, [differs, "restore it or choose another --output"]);
    home.write("plan.toml", &format!("# the same\n{PLAN}"));
    measure(&home, "--resume", 0);

    let data = home.read("data.csv");
    let lines = data.split_inclusive('\n');
    let without: String = lines.filter(|line| !line.starts_with("#@plan")).collect();
    home.write("data.csv", &without);
    let unknown = "data.csv: does not name the plan";
    home.assert_refused(&resume, 2, [unknown, "choose another --output"]);
    home.write("data.csv", &format!("{data}#@void=busy\n"));
    home.assert_refused(&resume, 3, ["data.csv: the data are void: busy", "measure again"]);
    home.write("data.csv", "a letter");
    let letter = ["data.csv: is no data file", "choose another --output"];
    home.assert_refused(&resume, 2, letter);
}

#[test]
fn data_that_a_job_still_writes_are_left_to_it() {
    let (home, _) = home();
    measure(&home, "", 0);
    let mut job = std::process::Command::new("sh")
        .args(["-c", "while sleep 0.1; do echo '#' >>data.csv; done"])
        .current_dir(home.0.path())
        .spawn()
        .unwrap();
    let resumed = home.netsig(&format!("{MEASURE} --resume")).output();
    job.kill().unwrap();
    job.wait().unwrap();
    let output = resumed.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_text(&output).starts_with("netsig: data.csv: a job still writes to it"));
}

/// The second netsig is started while the first has a job.
#[test]
fn a_data_file_has_one_writer() {
    let (home, whole) = home();
    let second = env!("CARGO_BIN_EXE_netsig");
    let others = ["--resume", ""].map(|option| format!("{second} {MEASURE} {option} 2>>second; echo $? >>codes\n"));
    let import = format!("{second} fit probe.csv -o data.csv 2>>second; echo $? >>codes\n");
    let measure_on = "cat part-0.csv >>\"$data\"; exit\n";
    home.write("fault-0", &(others.concat() + &import + measure_on));
    measure(&home, "", 0);
    assert_eq!(home.read("codes"), "2\n2\n2\n");
    let told = home.read("second");
    for line in told.lines() {
        assert!(
            line.starts_with("netsig: data.csv: another netsig writes to it; wait"),
            "{told}"
        );
    }
    assert_eq!(told.lines().count(), 3, "{told}");
    assert_eq!(started(&home), [0, 1, 2]);
    assert_eq!(sample_keys(&read(&home, "data.csv")), sample_keys(&whole));
}

/// The signal comes after netsig has seen the end of the last job, whose output is still open.
#[test]
fn an_interrupt_after_the_last_job_is_one() {
    let (home, whole) = home();
    let late = "cat part-2.csv >>\"$data\"\njob=$$\nnetsig=$PPID\n\
        (while kill -0 $job 2>/dev/null; do sleep 0.01; done; kill -INT $netsig) &\nexit 0\n";
    home.write("fault-2", late);
    let message = measure(&home, "", 130);
    let last = message.lines().last().unwrap();
    assert!(
        last.starts_with("netsig: interrupted; 36 samples are kept in data.csv"),
        "{message}"
    );
    measure(&home, "--resume", 0);
    assert_eq!(sample_keys(&read(&home, "data.csv")), sample_keys(&whole));
}

#[test]
fn a_simulated_measurement_that_was_cut_is_completed() {
    let home = TestHome::measured();
    let whole = home.read("data.csv");
    let resume = format!("measure plan.toml -o data.csv {ON_SIMULATOR} --resume");
    for kept in [whole.len() / 2, whole.len() / 3, whole.len()] {
        home.write("data.csv", &whole[..kept]);
        home.run(&resume);
        assert_eq!(home.read("data.csv"), whole);
    }
    home.write("data.csv", &whole.replace("alltoall,library,4", "alltoall,library,6"));
    let other = [
        "data.csv: is not what ethernet-12x40 gives now",
        "choose another --output",
    ];
    home.assert_refused(&resume, 2, other);
}

const STALLED: &str = "for rank in 0 1 3; do
    echo \"@netsig-stall rank=$rank host=h$rank steps=7 among=0,1,2,3 in=alltoall direct among 4 with 4 KiB, repetition 5\" >&2
done
echo $$ >job
exec sleep 1000
";

#[test]
fn ranks_that_share_a_host_are_named_once() {
    let (home, _) = home();
    let head = home.read("head.csv").replace("h0,h1,h2,h3", "h0,h1,h0,h3");
    home.write("head.csv", &head);
    let message = measure(&home, "", 0);
    let notes = message.matches("netsig: note: ranks 0, 2 share host h0: times hold for as many");
    assert_eq!(notes.count(), 1, "{message}");
}

#[test]
fn a_rank_that_hangs_is_named_and_its_job_ended() {
    let (home, _) = home();
    home.write("fault-1", STALLED);
    let message = measure(&home, "--timeout 60", 1);
    let expected = "netsig: launch 1: rank 2 on host h2 did not answer for 60 s in \"alltoall direct among 4 with 4 KiB, repetition 5\"; 12 samples are kept in data.csv; --resume measures the rest\n";
    assert!(message.contains(expected), "{message}");
    assert!(!message.contains("@netsig-stall"), "{message}");
    assert_eq!(started(&home), [0, 1, 2]);
    let job = home.read("job");
    assert!(
        !fs::exists(format!("/proc/{}", job.trim())).unwrap(),
        "the job has ended"
    );
}

/// Also named: a rank that gives its own reason, and the signal that ends a launcher.
#[test]
fn a_rank_that_dies_is_named() {
    let (home, _) = home();
    home.write("fault-0", "grep ping part-0.csv >>\"$data\"\nkill -KILL $$\n");
    home.write(
        "fault-1",
        "grep ping part-1.csv >>\"$data\"\necho 'netsig-rank: rank 0: no space' >&2\nexit 1\n",
    );
    home.write(
        "fault-2",
        "echo 'mpirun noticed that process rank 1 with PID 0 on node h1 exited on signal 9 (Killed).'\nexit 137\n",
    );
    let message = measure(&home, "", 1);
    for expected in [
        "launch 0: the MPI job was killed by signal 9; 12 samples are kept",
        "launch 1: rank 0: no space; 24 samples are kept",
        "launch 2: rank 1 on host h1 was killed by signal 9; 24 samples are kept",
    ] {
        assert!(message.contains(expected), "{message}");
    }
    assert!(!message.contains("netsig-rank"), "{message}");
}

#[test]
fn wrong_data_are_told_and_fail() {
    let (home, _) = home();
    let part = home.read("part-2.csv");
    let row = part.lines().next().unwrap();
    let mut fields: Vec<&str> = row.split(',').collect();
    (fields[7], fields[14]) = ("", "wrong-data");
    home.write("part-2.csv", &part.replace(row, &fields.join(",")));
    let message = measure(&home, "", 1);
    assert!(message.contains("35 samples in data.csv; rejected: 1 with wrong data\n"));
    assert!(
        message.contains("wrong data arrived in 1 of 36 repetitions"),
        "{message}"
    );
}

#[test]
fn what_cannot_begin_is_not_tried_again() {
    let (home, _) = home();
    write_script(&home, "mpirun", &MPIRUN.replace("until", "echo >>tries; exit 5; until"));
    let message = measure(&home, "", 1);
    assert!(message.ends_with("ended with code 5, for the reason above; nothing was measured; see netsig doctor\n"));
    assert_eq!(home.read("tries"), "\n");
}

#[test]
fn too_much_for_disk_or_budget_is_refused_before_measuring() {
    let (home, _) = home();
    let huge = PLAN
        .replace("launches = 3", "launches = 1000000")
        .replace("= 4\n", "= 1000000\n");
    home.write("plan.toml", &huge);
    home.assert_refused(
        MEASURE,
        2,
        ["data.csv: the data may take 251000 GiB", "choose another --output"],
    );
    let long = huge.replace("= 1000000\n", "= 100\n").replace("1..4", "1GiB");
    home.write("plan.toml", &long);
    home.assert_refused(
        &format!("{MEASURE} --budget 1s"),
        2,
        ["plan.toml: takes ", "give a longer --budget or plan less"],
    );
}

/// There is room for the plan until something else fills the disk, here the data themselves.
#[test]
fn a_full_disk_ends_the_campaign_with_what_is_kept() {
    let (home, _) = home();
    let fault = "while grep ping part-1.csv >>\"$data\"; do :; done 2>&-\nexit 1\n";
    home.write("fault-1", fault);
    fs::create_dir(home.path("disk")).unwrap();
    let within = |script: &str| {
        // A little more than netsig requires before it begins.
        let mount = "mount -t tmpfs -o size=1200k none disk";
        let mut unshare = std::process::Command::new("unshare");
        unshare.current_dir(home.0.path()).args(["-Urm", "sh", "-c"]);
        unshare.arg(format!("{mount} && {script}")).output()
    };
    if !within("true").is_ok_and(|output| output.status.success()) {
        return skipped("nothing can be mounted here");
    }
    let measure = MEASURE.replace("data.csv", "disk/data.csv");
    let netsig = env!("CARGO_BIN_EXE_netsig");
    let script = format!("{netsig} {measure}; code=$?; cp disk/data.csv .; exit $code");
    let output = within(&script).unwrap();
    let message = stderr_text(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let end = "samples are kept in disk/data.csv; --resume measures the rest\n";
    assert!(message.ends_with(end), "{message}");
    let first = home.read("part-0.csv");
    assert!(home.read("data.csv").contains(&first));
}
