//! Whoever names the best algorithm of a case names the same one. [`CHOOSERS`] has those who do, each with its choices
//! for the process counts and sizes of a profile; `select` is what the others are compared with.

use std::collections::BTreeMap;

use netsig_base::algorithm::{Collective, LIBRARY, MpiFlavour};
use netsig_base::data::Dataset;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::ranking;
use netsig_model::predict::result_rule::ResultRule;
use netsig_model::predict::runtime_choice::RuntimeCall;
use netsig_model::predict::select::RankedCandidate;
use netsig_model::profile::Profile;
use netsig_model::verdict::{SizeGain, VerdictRequest};
use serde_json::Value;

use crate::support::profiles::{ProfileSource, SOURCES};
use crate::support::{TestHome, parse_csv};

/// A process count and size.
type AskedCase = (u32, u64);

/// The choice in each case that a chooser answers; `None` where it names no algorithm.
type Choices = BTreeMap<AskedCase, Option<ChosenAlgorithm>>;

/// The best algorithm of a case.
#[derive(Debug, Clone, PartialEq)]
struct ChosenAlgorithm {
    /// Its name; of an algorithm that was never measured also without its settings, which some choosers leave out.
    names: Vec<String>,
    /// Algorithms whose times are too near to that of the best for the chooser to tell them apart.
    near: Vec<String>,
}

/// A profile with its page.
struct PagedProfile<'a> {
    home: &'a TestHome,
    source: ProfileSource,
    /// The profile as the model crate reads it.
    profile: Profile,
    /// The JSON of the page.
    page: Value,
    /// The sizes of the page's map, and two between each two of them.
    sizes: Vec<u64>,
}

/// Somebody who names best algorithms, and the choices by a profile.
type NamedChooser = (&'static str, fn(&PagedProfile) -> Choices);

/// Everybody who names best algorithms.
const CHOOSERS: [NamedChooser; 6] = [
    ("select --show best", |profile| by_select(profile, "best")),
    ("select", |profile| by_select(profile, "ranking")),
    ("map of the page", by_map),
    ("predictor of the page", by_predictor),
    ("run", by_run),
    ("verdict", by_verdict),
];

/// Largest difference of times of the ranking, in ln T, at which the page's predictor may take another algorithm. It is
/// twice the error of an interpolated time, 2 · 0.2 %, and of its rounding (`predictor.rs` of the report).
const PAGE_TOLERANCE: f64 = 0.0085;

/// Steps of a logarithm in the page's table.
const STEPS: f64 = 2000.0;

/// The choices of everybody by one profile, compared with those of `netsig select`.
#[derive(Default)]
struct Comparison {
    /// Number of compared choices.
    choices: usize,
    /// Choices of another algorithm.
    differences: Vec<String>,
    /// Number of choices of another algorithm that the chooser cannot tell from the best.
    near: usize,
}

/// Greatest share of choices that are another algorithm within the tolerance.
const MOST_NEAR: f64 = 0.02;

/// All profiles, every case of the page's map, and further sizes for the predictor.
#[test]
fn all_choosers_name_the_same_algorithm() {
    let home = &TestHome::new();
    let comparisons: Vec<Comparison> = std::thread::scope(|scope| {
        let threads = SOURCES.map(|source| scope.spawn(move || compare(&PagedProfile::new(home, source))));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let differences: Vec<&str> = comparisons
        .iter()
        .flat_map(|one| one.differences.iter().map(String::as_str))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let total = |count: fn(&Comparison) -> usize| comparisons.iter().map(count).sum::<usize>() as f64;
    let share = total(|one| one.near) / total(|one| one.choices);
    assert!(share <= MOST_NEAR, "{share} of the choices are within the tolerance");
}

/// Compares all choices by a profile with those of `netsig select`.
fn compare(profile: &PagedProfile) -> Comparison {
    let name = profile.source.name;
    let expected = by_select(profile, "best");
    assert!(
        expected.values().any(Option::is_some),
        "select chooses nothing by {name}"
    );
    let mut comparison = Comparison::default();
    for (chooser, choices) in CHOOSERS {
        let found_choices = choices(profile);
        let may_be_silent = matches!(chooser, "run" | "verdict");
        assert!(
            may_be_silent || !found_choices.is_empty(),
            "{chooser} chooses nothing by {name}"
        );
        for (case, found) in found_choices {
            let wanted = &expected[&case];
            comparison.choices += 1;
            match (wanted, &found) {
                (None, None) => {}
                (Some(wanted), Some(found)) if found.is_any_of(&wanted.names) => {}
                (Some(wanted), Some(found)) if found.is_near(&wanted.names) => comparison.near += 1,
                _ => {
                    let difference = format!("{name} {case:?}: select {wanted:?}, {chooser} {found:?}");
                    comparison.differences.push(difference);
                }
            }
        }
    }
    comparison
}

impl ChosenAlgorithm {
    fn of_candidate(one: &RankedCandidate) -> Self {
        Self {
            names: vec![one.algorithm()],
            near: Vec::new(),
        }
    }

    fn is_any_of(&self, names: &[String]) -> bool {
        self.names.iter().any(|name| names.contains(name))
    }

    fn is_near(&self, names: &[String]) -> bool {
        self.near.iter().any(|name| names.contains(name))
    }
}

impl<'a> PagedProfile<'a> {
    fn new(home: &'a TestHome, source: ProfileSource) -> Self {
        source.fit(home);
        let (name, procs) = (source.name, source.procs_list());
        home.run(&format!("report {name}.toml -o {name}.html --procs {procs}"));
        let html = home.read(&format!("{name}.html"));
        let data = html
            .split("id=\"report-data\" type=\"application/json\">")
            .nth(1)
            .unwrap();
        let page: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
        let columns = sizes_of_map(&page["maps"][0]);
        // Vectors consist of doubles.
        let between = columns.iter().flat_map(|size| [size + size / 3, size + size / 2 + 1]);
        let of_doubles = between.map(|size| size.next_multiple_of(8));
        let mut sizes: Vec<u64> = columns.iter().copied().chain(of_doubles).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let file = format!("{name}.toml");
        Self {
            profile: Profile::parse(&file, &home.read(&file)).unwrap(),
            home,
            source,
            page,
            sizes,
        }
    }

    fn cases(&self) -> impl Iterator<Item = AskedCase> + '_ {
        let procs = self.source.procs.iter();
        procs.flat_map(|&procs| self.sizes.iter().map(move |&size| (procs, size)))
    }
}

/// The sizes of a map in bytes.
fn sizes_of_map(map: &Value) -> Vec<u64> {
    let sizes = map["sizes"].as_array().unwrap().iter();
    sizes.map(|size| size.as_u64().unwrap()).collect()
}

/// The first rows of `netsig select`, which leaves out cases that it refuses.
fn by_select(profile: &PagedProfile, shown: &str) -> Choices {
    let PagedProfile { home, source, .. } = profile;
    let (name, collective) = (source.name, source.collective);
    let sizes: Vec<String> = profile.sizes.iter().map(ToString::to_string).collect();
    let command = format!(
        "select {name}.toml --collective {collective} --procs {} --size {} --show {shown} --format csv",
        source.procs_list(),
        sizes.join(",")
    );
    let output = home.netsig(&command).output().unwrap();
    let (_, rows) = parse_csv(&String::from_utf8(output.stdout).unwrap());
    let mut choices: Choices = profile.cases().map(|case| (case, None)).collect();
    for row in rows.iter().filter(|row| row["rank"] == "1") {
        let case = (row["procs"].parse().unwrap(), row["size_bytes"].parse().unwrap());
        let mut names = vec![row["algorithm"].clone()];
        if row["measured"] != "true" {
            names.extend(row["algorithm"].split(':').next().map(str::to_owned));
        }
        let near = Vec::new();
        choices.insert(case, Some(ChosenAlgorithm { names, near }));
    }
    choices
}

/// The tiles of the map, which names the families.
fn by_map(profile: &PagedProfile) -> Choices {
    let map = &profile.page["maps"][0];
    let counts = map["procs"].as_array().unwrap().iter();
    let rows = counts.zip(map["tiles"].as_array().unwrap());
    let tiles = rows.flat_map(|(count, row)| {
        let procs = u32::try_from(count.as_u64().unwrap()).unwrap();
        let tiles = row.as_array().unwrap().iter().zip(sizes_of_map(map));
        tiles.map(move |(tile, size)| {
            let best = tile["best"].as_u64().and_then(|best| usize::try_from(best).ok());
            let family = best.map(|best| map["names"][best].as_str().unwrap());
            let chosen = family.map(|family| ChosenAlgorithm {
                names: vec![family.to_owned()],
                near: Vec::new(),
            });
            ((procs, size), chosen)
        })
    });
    tiles.collect()
}

/// The choices of `netsig run`, of cases whose best algorithm it can run. It makes none where the library's own choice
/// was not measured or is too far from the measurements.
fn by_run(profile: &PagedProfile) -> Choices {
    let collective: Collective = profile.source.collective.parse().unwrap();
    let request = profile.profile.rank(collective);
    let ranker = request.too_far(ExtrapolationRule::Extrapolated).ranker().unwrap();
    let clustered = profile.profile.clustered();
    let choice = |case: AskedCase| {
        let (procs, size) = (Procs::new(case.0).unwrap(), Bytes(case.1));
        let layout = clustered.as_ref().and_then(|clustered| clustered.layout_of(procs));
        let flavour = ranking::flavour(&profile.profile).unwrap_or(MpiFlavour::OpenMpi);
        let call = RuntimeCall {
            collective,
            procs,
            size,
            layout: layout.as_ref(),
            flavour,
            check: Seconds(0.0),
            results: ResultRule::of_profile(&profile.profile, collective, flavour, (procs, size)),
        };
        let chosen = ranker.runtime_choice(&call).ok()?;
        let best = *ranker.rank_all(procs, size).unwrap().first()?;
        let schedule = call.schedule(&best.algorithm());
        let can_run = best.algorithm() == LIBRARY || schedule.is_some_and(|able| call.results.allows(able));
        let one = chosen.schedule.map_or(chosen.library, |schedule| schedule.candidate);
        can_run.then(|| (case, Some(ChosenAlgorithm::of_candidate(&one))))
    };
    profile.cases().filter_map(choice).collect()
}

/// The changes of the verdict by the preloaded library, of cases whose best algorithm it can run.
fn by_verdict(profile: &PagedProfile) -> Choices {
    let collective: Collective = profile.source.collective.parse().unwrap();
    let runnable = by_run(profile);
    let counts = profile.source.procs.iter();
    let choices = counts.flat_map(|&procs| {
        let request = VerdictRequest {
            profile: Some(&profile.profile),
            profile_name: profile.source.name,
            data: &Dataset::default(),
            network: None,
            procs: Some(Procs::new(procs).unwrap()),
        };
        let change = request.verdict(collective).change.preloaded;
        let gains = change
            .into_iter()
            .flat_map(|change| change.gains.into_iter().chain(change.others));
        let choice = |gain: SizeGain| {
            let names = vec![gain.algorithm];
            (
                (procs, gain.size.0),
                Some(ChosenAlgorithm {
                    names,
                    near: Vec::new(),
                }),
            )
        };
        gains.map(choice).collect::<Choices>()
    });
    choices.filter(|(case, _)| runnable.contains_key(case)).collect()
}

/// The setting of a verdict is that of the rules that `netsig tune` writes for Open MPI, at every size.
#[test]
fn the_setting_of_a_verdict_is_that_of_the_tuning_rules() {
    let home = &TestHome::new();
    let mut checked = 0;
    for source in SOURCES.into_iter().filter(ProfileSource::is_of_open_mpi) {
        source.fit(home);
        let name = source.name;
        let file = format!("{name}.toml");
        let profile = Profile::parse(&file, &home.read(&file)).unwrap();
        let has_rules = profile
            .provenance
            .get("data_mpi")
            .is_some_and(|mpi| mpi.contains("Open MPI v4.1"));
        let tuned = has_rules.then(|| {
            home.netsig(&format!("tune {file} --for openmpi-4.1 -o {name}.conf"))
                .output()
        });
        if !tuned.is_some_and(|output| output.unwrap().status.success()) {
            continue;
        }
        let rules = home.read(&format!("{name}.conf"));
        for &procs in source.procs {
            let request = VerdictRequest {
                profile: Some(&profile),
                profile_name: name,
                data: &Dataset::default(),
                network: None,
                procs: Some(Procs::new(procs).unwrap()),
            };
            let setting = request.verdict(source.collective.parse().unwrap()).change.setting;
            let gains = setting
                .into_iter()
                .flat_map(|change| change.gains.into_iter().chain(change.others));
            for gain in gains {
                let rule = rule_of_file(&rules, source.collective, procs, gain.size.0);
                assert_eq!(rule.as_deref(), Some(&*gain.algorithm), "{name} {procs} {}", gain.size);
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "{checked} sizes have a setting");
}

/// The measured algorithm that the rules of a file for Open MPI take, by the comments of the file; `None` for the
/// library's own choice.
fn rule_of_file(rules: &str, collective: &str, procs: u32, size: u64) -> Option<String> {
    let measure = if collective == "bcast" || collective.contains("reduce") {
        size
    } else {
        size * u64::from(procs)
    };
    let (mut is_block, mut is_of_collective, mut comment, mut found) = (false, false, "", None);
    for line in rules.lines() {
        if let Some(head) = line.strip_prefix("# ").filter(|head| head.contains(": predicted for ")) {
            is_of_collective = head.starts_with(collective);
        } else if let Some(counts) = line.strip_prefix(&format!("# {collective} among ")) {
            let (first, last) = counts
                .trim_end_matches(':')
                .split_once(" to ")
                .unwrap_or((counts, counts));
            let number = |text: &str| text.trim_end_matches(':').parse::<u32>().unwrap();
            is_block = is_of_collective && (number(first)..=number(last)).contains(&procs);
        } else if line.starts_with("# from ") {
            // A rest of process counts is left to the library.
            is_block &= !line.contains(" processes on: ");
            comment = line;
        } else if is_block {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            if let [from, number, ..] = numbers[..]
                && numbers.len() == 4
                && from <= measure
            {
                let measured = comment
                    .split("measured as ")
                    .nth(1)
                    .and_then(|rest| rest.split(", predicted").next());
                found = measured.filter(|_| number > 0).map(str::to_owned);
            }
        }
    }
    found
}

/// The answers of the page's predictor, by the rule of its script.
fn by_predictor(profile: &PagedProfile) -> Choices {
    let predictor = &profile.page["predictors"][0];
    let answer = |(procs, size): AskedCase| {
        let mut ranked = ranked_by_page(predictor, procs, size);
        ranked.sort_by(|a, b| a.place().partial_cmp(&b.place()).unwrap());
        let first = ranked.first()?;
        let is_near = |other: &&PageCandidate| other.order - first.order <= PAGE_TOLERANCE && !first.is_tie(other);
        Some(ChosenAlgorithm {
            names: vec![first.name.clone()],
            near: ranked.iter().filter(is_near).map(|one| one.name.clone()).collect(),
        })
    };
    profile.cases().map(|case| (case, answer(case))).collect()
}

/// A candidate of the page's predictor, with logarithms of times.
struct PageCandidate {
    name: String,
    time: f64,
    order: f64,
    is_held: bool,
}

impl PageCandidate {
    fn is_library(&self) -> bool {
        self.name == "library"
    }

    /// The key by which the page sorts.
    fn place(&self) -> (f64, bool, f64) {
        (self.order, !self.is_library(), self.time)
    }

    /// True if the order of both is not one of interpolated times: one is held to the library's time.
    fn is_tie(&self, other: &Self) -> bool {
        self.is_library() && other.is_held
    }
}

/// The candidates of `rank` in `curves.js`, not yet sorted.
fn ranked_by_page(predictor: &Value, procs: u32, size: u64) -> Vec<PageCandidate> {
    let counts = predictor["counts"].as_array().unwrap();
    let Some(count) = counts.iter().find(|count| count["procs"] == procs) else {
        return Vec::new();
    };
    let curves = count["curves"].as_array().unwrap();
    let mut found: Vec<PageCandidate> = curves
        .iter()
        .filter_map(|curve| page_candidate(predictor, curve, size))
        .collect();
    let library = found.iter().find(|one| one.is_library()).map(|one| one.order);
    for one in found.iter_mut().filter(|one| one.is_held) {
        one.order = library.unwrap_or(one.order);
    }
    found
}

/// A curve at a size: at a knot, or between two knots that the curve connects.
fn page_candidate(predictor: &Value, curve: &Value, size: u64) -> Option<PageCandidate> {
    let [sizes, times, orders] = ["size", "time", "order"].map(|key| summed(&curve[key]));
    let size = size as f64;
    let before = sizes.partition_point(|knot| *knot <= size).checked_sub(1)?;
    let is_knot = sizes[before].total_cmp(&size).is_eq();
    let has_break = curve["breaks"].as_array().unwrap().iter().any(|place| *place == before);
    if !is_knot && (has_break || before + 1 == sizes.len()) {
        return None;
    }
    let share = if is_knot {
        0.0
    } else {
        (size / sizes[before]).ln() / (sizes[before + 1] / sizes[before]).ln()
    };
    let value = |column: &dyn Fn(usize) -> f64| {
        let after = if is_knot { before } else { before + 1 };
        (column(before) * (1.0 - share) + column(after) * share) / STEPS
    };
    let name = predictor["names"][run_at(&curve["name"], before)].as_str().unwrap();
    Some(PageCandidate {
        name: name.to_owned(),
        time: value(&|place| times[place]),
        order: value(&|place| times[place] + orders[place]),
        is_held: run_at(&curve["held"], before) == 1,
    })
}

/// The sums of a list of differences.
fn summed(differences: &Value) -> Vec<f64> {
    let steps = differences.as_array().unwrap().iter();
    let sums = steps.scan(0.0, |sum, step| {
        *sum += step.as_f64().unwrap();
        Some(*sum)
    });
    sums.collect()
}

/// The number of a list of runs at a place.
fn run_at(runs: &Value, place: usize) -> usize {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let mut all = runs.as_array().unwrap().iter();
    let last = all.rfind(|run| number(&run[0]) <= place);
    number(&last.unwrap()[1])
}
