//! Profiles of every kind of data that netsig takes, for tests of what several commands make of the same profile.

use std::fs;
use std::path::Path;

use super::TestHome;

/// Data of a kind, and the cases for which a test asks.
#[derive(Debug, Clone, Copy)]
pub struct ProfileSource {
    /// Name of the profile, and of its files without the endings.
    pub name: &'static str,
    /// A data file in the repository, several outputs of OSU, or a plan to simulate.
    files: &'static [&'static str],
    /// The collective.
    pub collective: &'static str,
    /// Process counts: of the measured ones, and beyond.
    pub procs: &'static [u32],
}

/// Most processes of the measured ones that are fitted: more would take long, and tell no more.
const MOST_PROCS: u32 = 64;

/// Lab and real machines, imported outputs, clusters of hosts, several ranks on a host, and simulated reductions.
pub const SOURCES: [ProfileSource; 11] = [
    ProfileSource {
        name: "lab-alltoall",
        files: &["examples/alltoall.csv"],
        collective: "alltoall",
        procs: &[3, 8, 12, 24],
    },
    ProfileSource {
        name: "lab-bcast",
        files: &["examples/bcast.csv"],
        collective: "bcast",
        procs: &[3, 8, 12],
    },
    ProfileSource {
        name: "drawn-alltoall",
        files: &["bench/data/accuracy/seed-1-0/half.csv"],
        collective: "alltoall",
        procs: &[3, 4, 8],
    },
    ProfileSource {
        name: "drawn-bcast",
        files: &["bench/data/accuracy/seed-5144-0/bcast.csv"],
        collective: "bcast",
        procs: &[4, 6, 12],
    },
    ProfileSource {
        name: "lumi",
        files: &["bench/data/real/lumi-quiet-a2a.csv"],
        collective: "alltoall",
        procs: &[8, 64],
    },
    ProfileSource {
        name: "fugaku",
        files: &["bench/data/real/fugaku-allgather.csv"],
        collective: "allgather",
        procs: &[32, 64],
    },
    ProfileSource {
        name: "drawn-scatter",
        files: &["bench/data/accuracy/seed-1-0/scatter.csv"],
        collective: "scatter",
        procs: &[3, 4, 8],
    },
    ProfileSource {
        name: "imported",
        files: &[
            "bench/data/osu/osu_latency-p2.txt",
            "bench/data/osu/osu_alltoall-direct-p4.txt",
            "bench/data/osu/osu_alltoall-direct-p6.txt",
            "bench/data/osu/osu_alltoall-direct-p8.txt",
        ],
        collective: "alltoall",
        procs: &[6, 8, 12],
    },
    ProfileSource {
        name: "clusters",
        files: &["bench/data/grid/sites-32239-0/alltoall.csv"],
        collective: "alltoall",
        procs: &[8, 12],
    },
    ProfileSource {
        name: "sixteen-a-host",
        files: &["bench/data/real/peak-alltoall.csv"],
        collective: "alltoall",
        procs: &[16, 64],
    },
    ProfileSource {
        name: "reductions",
        files: &["crates/cli/tests/support/reductions.toml"],
        collective: "allreduce",
        procs: &[6, 8, 12],
    },
];

impl ProfileSource {
    /// Fits the data; `NAME.csv` and `NAME.toml` are then in `home`.
    pub fn fit(&self, home: &TestHome) {
        let name = self.name;
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let file_name = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
        if let [plan] = self.files
            && Path::new(plan).extension().is_some_and(|end| end == "toml")
        {
            let path = repository.join(plan);
            home.run(&format!(
                "measure {} -o {name}.csv --on sim:ethernet-12x20",
                path.display()
            ));
        } else if let [data] = self.files {
            let text = fs::read_to_string(repository.join(data)).unwrap();
            home.write(&format!("{name}.csv"), &without_large_counts(&text));
        } else {
            for file in self.files {
                fs::copy(repository.join(file), home.path(&file_name(file))).unwrap();
            }
            let outputs: Vec<String> = self.files.iter().map(|file| file_name(file)).collect();
            let list = outputs.join(" ");
            home.run(&format!("import osu {list} --algorithm direct -o {name}.csv"));
        }
        home.run(&format!("fit {name}.csv -o {name}.toml"));
    }

    /// True if the data were measured with Open MPI 4.1.
    pub fn is_of_open_mpi(&self) -> bool {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(self.files[0]);
        fs::read_to_string(path).unwrap().contains("#@mpi=Open MPI v4.1")
    }

    /// The process counts as an argument.
    pub fn procs_list(&self) -> String {
        let counts: Vec<String> = self.procs.iter().map(ToString::to_string).collect();
        counts.join(",")
    }
}

/// Data without the rows of more than [`MOST_PROCS`] processes.
fn without_large_counts(data: &str) -> String {
    let (facts, rows): (Vec<&str>, Vec<&str>) = data.lines().partition(|line| line.starts_with('#'));
    let table = rows.join("\n");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let place = reader
        .headers()
        .unwrap()
        .iter()
        .position(|title| title == "procs")
        .unwrap();
    let mut kept = csv::Writer::from_writer(Vec::new());
    kept.write_record(reader.headers().unwrap()).unwrap();
    for record in reader.records().map(Result::unwrap) {
        if record[place].parse::<u32>().is_ok_and(|procs| procs <= MOST_PROCS) {
            kept.write_record(&record).unwrap();
        }
    }
    let kept_rows = String::from_utf8(kept.into_inner().unwrap()).unwrap();
    format!("{}\n{kept_rows}", facts.join("\n"))
}
