//! The profile as it stands in its file.

mod model;
mod network;
mod regimes;
mod signature;

use std::collections::BTreeMap;
use std::fmt::Debug;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use self::model::WireModel;
use self::network::{WireFlows, WireHockney, WirePLogP, WireProtocol};
use self::regimes::{WireChoice, WireRegimes};
use self::signature::WireSignature;
use super::{Choice, Domain, Profile, RegimesEntry, VERSION};
use crate::data::Provenance;
use crate::stats::interval::Estimate;
use crate::text::file_error::{FileError, parse_toml};
use crate::units::{Bytes, Procs};

#[derive(Deserialize)]
struct Versioned {
    netsig_profile: toml::Spanned<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireProfile {
    netsig_profile: u32,
    #[serde(default)]
    provenance: BTreeMap<String, String>,
    hockney: WireHockney,
    plogp: Option<WirePLogP>,
    protocol: Option<WireProtocol>,
    flows: Option<WireFlows>,
    #[serde(default, rename = "signature")]
    signatures: Vec<WireSignature>,
    #[serde(default, rename = "model")]
    models: Vec<WireModel>,
    #[serde(default)]
    regimes: Vec<WireRegimes>,
    #[serde(default, rename = "choice")]
    choices: Vec<WireChoice>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDomain {
    procs: Vec<Procs>,
    smallest_bytes: Bytes,
    largest_bytes: Bytes,
}

const HINT: &str = "a profile is what `netsig fit` writes";

/// What to do about a value that cannot be.
const REMEDY: &str = "correct it or fit again";

pub(super) fn parse(name: &str, text: &str) -> Result<Profile, FileError> {
    let version = parse_toml::<Versioned>(name, text, HINT)?.netsig_profile;
    if version.get_ref() > &VERSION {
        let problem = format!(
            "profile version {} is newer than {VERSION}, the newest this netsig reads; update netsig or fit again",
            version.get_ref()
        );
        return Err(FileError::at_offset(
            name,
            text,
            version.span().start,
            problem,
        ));
    }
    let wire: WireProfile = parse_toml(name, text, HINT)?;
    wire.into_domain()
        .map_err(|problem| FileError::at_line(name, 1, problem))
}

pub(super) fn to_toml(profile: &Profile) -> String {
    toml::to_string(&WireProfile::from(profile)).expect("a profile has a TOML form")
}

impl WireProfile {
    fn into_domain(self) -> Result<Profile, String> {
        let mut provenance = Provenance::default();
        for (key, value) in &self.provenance {
            provenance.push(key, value);
        }
        let hockney = self.hockney.into_domain()?;
        let signatures = self
            .signatures
            .into_iter()
            .map(|s| s.into_domain(hockney.model));
        let plogp = self.plogp.map(WirePLogP::into_domain).transpose()?;
        let models = self.models.into_iter();
        let models = models.map(|m| m.into_domain(plogp.as_ref()));
        let regimes = self.regimes.into_iter().map(WireRegimes::into_domain);
        let regimes = regimes.collect::<Result<Vec<_>, _>>()?;
        let of = |entry: &RegimesEntry| (entry.collective, entry.algorithm.clone(), entry.class);
        refuse_twice("[[regimes]]", regimes.iter().map(of))?;
        let choices = self.choices.into_iter().map(WireChoice::into_domain);
        let choices = choices.collect::<Result<Vec<_>, _>>()?;
        let of = |choice: &Choice| (choice.collective, choice.algorithm.clone());
        refuse_twice("[[choice]]", choices.iter().map(of))?;
        Ok(Profile {
            provenance,
            hockney,
            signatures: signatures.collect::<Result<_, _>>()?,
            models: models.collect::<Result<_, _>>()?,
            regimes,
            choices,
            protocol: self.protocol.map(WireProtocol::into_domain).transpose()?,
            flows: self.flows.map(WireFlows::into_domain).transpose()?,
            plogp,
        })
    }
}

impl WireDomain {
    fn into_domain(self) -> Result<Domain, String> {
        if self.procs.is_empty() {
            return Err("domain.procs = [] names no process count".to_owned());
        }
        if let Some(pair) = self.procs.windows(2).find(|pair| pair[1] <= pair[0]) {
            let [before, after] = [pair[0], pair[1]].map(Procs::get);
            return Err(format!(
                "domain.procs = [… {before}, {after} …] does not ascend"
            ));
        }
        let (Bytes(smallest), Bytes(largest)) = (self.smallest_bytes, self.largest_bytes);
        if smallest > largest {
            return Err(format!(
                "domain.smallest_bytes = {smallest} is greater than largest_bytes = {largest}"
            ));
        }
        Ok(Domain {
            procs: self.procs,
            smallest: self.smallest_bytes,
            largest: self.largest_bytes,
        })
    }
}

impl From<&Domain> for WireDomain {
    fn from(domain: &Domain) -> Self {
        Self {
            procs: domain.procs.clone(),
            smallest_bytes: domain.smallest,
            largest_bytes: domain.largest,
        }
    }
}

/// The levels of intervals that can be told from none and from all.
const CONFIDENCES: std::ops::RangeInclusive<f64> = 1e-6..=0.999_999;

/// What rounding may add to a number.
const ROUNDED: f64 = 1.000_001;

/// What no formula of a prediction can work with.
fn refuse_impossible(confidence: f64, dof: usize, covariance: &[Vec<f64>]) -> Result<(), String> {
    if !CONFIDENCES.contains(&confidence) {
        return Err(format!("confidence = {confidence} is not between 0 and 1"));
    }
    if dof == 0 {
        return Err("dof = 0 leaves no interval".to_owned());
    }
    if !covariance.iter().flatten().all(|value| value.is_finite()) {
        return Err("the covariance is not finite".to_owned());
    }
    let places = covariance.iter().enumerate();
    for (i, j) in places.flat_map(|(i, row)| (0..row.len()).map(move |j| (i, j))) {
        let at = |i: usize, j: usize| covariance.get(i).and_then(|row| row.get(j)).copied();
        let (Some(own), Some(mirrored), Some(first), Some(second)) =
            (at(i, j), at(j, i), at(i, i), at(j, j))
        else {
            continue;
        };
        let most = (first.max(0.0) * second.max(0.0)).sqrt();
        if own.abs() > most * ROUNDED || (own - mirrored).abs() > most * (ROUNDED - 1.0) {
            return Err(format!(
                "covariance[{i}][{j}] = {own} is none of these variances"
            ));
        }
    }
    Ok(())
}

/// An interval that does not hold its value, or has no end.
fn refuse_impossible_interval(key: &str, estimate: Estimate) -> Result<(), String> {
    let Estimate {
        value,
        lower,
        upper,
    } = estimate;
    if lower.is_finite() && upper.is_finite() && lower <= value && value <= upper {
        return Ok(());
    }
    Err(no_interval(key, [value, lower, upper]))
}

fn no_interval<T: Debug>(key: &str, [value, lower, upper]: [T; 3]) -> String {
    format!(
        "{key} = {{ value = {value:?}, lower = {lower:?}, upper = {upper:?} }} is not finite with lower <= value <= upper"
    )
}

/// A value below the least that is possible, or no number.
fn refuse_below(key: &str, value: f64, least: f64) -> Result<(), String> {
    if value >= least {
        return Ok(());
    }
    Err(format!("{key} = {value} is not at least {least}"))
}

/// A root mean square that is none.
fn refuse_impossible_residual(key: &str, residual: f64) -> Result<(), String> {
    if residual.is_finite() && residual >= 0.0 {
        return Ok(());
    }
    Err(format!("{key} = {residual} is not finite and at least 0"))
}

/// Two sections of the same.
fn refuse_twice<T: PartialEq + Debug>(
    section: &str,
    names: impl Iterator<Item = T>,
) -> Result<(), String> {
    let names: Vec<T> = names.collect();
    let mut places = names.iter().enumerate();
    match places.find(|(place, name)| names[..*place].contains(name)) {
        Some((_, name)) => Err(format!("{section} {name:?} stands twice; {REMEDY}")),
        None => Ok(()),
    }
}

/// Two rows of the covariance for one parameter.
fn refuse_repeated<T: PartialEq + Debug>(names: &[T]) -> Result<(), String> {
    let mut places = names.iter().enumerate();
    match places.find(|(place, name)| names[..*place].contains(name)) {
        Some((_, name)) => Err(format!("covariance_of names {name:?} twice")),
        None => Ok(()),
    }
}

/// The square matrix of so many rows.
fn matrix(size: usize, rows: &[Vec<f64>]) -> Result<DMatrix<f64>, String> {
    if rows.len() != size || rows.iter().any(|row| row.len() != size) {
        return Err(format!("the covariance is not {size} by {size}"));
    }
    Ok(DMatrix::from_fn(size, size, |i, j| rows[i][j]))
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let row = |row: nalgebra::RowDVector<f64>| row.iter().copied().collect();
    (0..matrix.nrows())
        .map(|i| row(matrix.row(i).into_owned()))
        .collect()
}

impl From<&Profile> for WireProfile {
    fn from(profile: &Profile) -> Self {
        let facts = profile
            .provenance
            .iter()
            .map(|(k, v)| (k.to_owned(), v.to_owned()));
        Self {
            netsig_profile: VERSION,
            provenance: facts.collect(),
            hockney: WireHockney::from(&profile.hockney),
            plogp: profile.plogp.as_ref().map(WirePLogP::from),
            protocol: profile.protocol.as_ref().map(WireProtocol::from),
            flows: profile.flows.as_ref().map(WireFlows::from),
            signatures: profile.signatures.iter().map(WireSignature::from).collect(),
            models: profile.models.iter().map(WireModel::from).collect(),
            regimes: profile.regimes.iter().map(WireRegimes::from).collect(),
            choices: profile.choices.iter().map(WireChoice::from).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Covariance, Point, hockney};
    use crate::profile::{Base, HockneyEntry};
    use crate::units::Seconds;

    const TEXT: &str = r#"
netsig_profile = 1
[provenance]
data = "a.csv"
[hockney]
alpha_s = { value = 1e-4, lower = 0.9e-4, upper = 1.1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }
residual = 0.02
[[signature]]
collective = "alltoall"
algorithm = "direct"
form = "full"
confidence = 0.95
errors = "means"
dof = 20
threshold_bytes = { value = 65536, lower = 32768, upper = 65536 }
gamma = { value = 1.8, lower = 1.7, upper = 1.9 }
delta_s = { value = 2e-3, lower = 1e-3, upper = 3e-3 }
covariance_of = ["gamma", "delta"]
covariance = [[0.01, 0.0], [0.0, 1e-7]]
relative_residual = { below = 0.1, above = 0.05 }
domain = { procs = [4, 8], smallest_bytes = 256, largest_bytes = 262144 }
[plogp]
latency_s = 5e-5
gap_s = [[0, 1e-5], [1024, 2e-5]]
send_overhead_s = [[0, 1e-6]]
receive_overhead_s = [[0, 0]]
[protocol]
eager_above_bytes = 64512
eager_up_to_bytes = 65536
[flows]
beta_f_s_per_byte = 2e-7
beta_c_s_per_byte = 8e-7
rho = 0.25
saturated_pairs = 4
[[model]]
collective = "alltoall"
algorithm = "direct"
name = "factor_001"
confidence = 0.95
errors = "proportional"
dof = 20
relative_residual = 0.1
covariance_of = ["gamma"]
covariance = [[0.25]]
parameters = { gamma = { value = 0.5, lower = 0.4, upper = 0.6 }, threshold_bytes = inf }
domain = { procs = [4, 8], smallest_bytes = 256, largest_bytes = 262144 }
"#;

    /// What is wrong with [`TEXT`] once `wrong` stands in it for `right`.
    fn problem_of(right: &str, wrong: &str) -> String {
        assert!(TEXT.contains(right), "{right}");
        problem(&TEXT.replace(right, wrong))
    }

    fn problem(text: &str) -> String {
        parse("p.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back() {
        let profile = parse("p.toml", TEXT).unwrap();
        assert_eq!(profile.models[0].values.numbers, [0.5, 0.0, f64::INFINITY]);
        assert_eq!(parse("p.toml", &to_toml(&profile)).unwrap(), profile);
        let endless = TEXT.replace("saturated_pairs = 4", "");
        let flows = parse("p.toml", &endless).unwrap().flows.unwrap();
        assert_eq!(flows.saturated_pairs, None);
    }

    #[test]
    fn a_newer_version_is_refused_before_anything_else_is_read() {
        let newer = TEXT.replace("netsig_profile = 1", "netsig_profile = 2\nfuture = 1");
        assert!(problem(&newer).starts_with("p.toml:2: profile version 2 is newer than 1"));
    }

    #[test]
    fn what_is_no_profile_is_one_line() {
        for bad in [
            "x = 1",
            "netsig_profile = [",
            &TEXT.replace("1.8", "nan"),
            &TEXT.replace("[0.01, 0.0], ", ""),
            &TEXT.replace("value = 1e-4", "value = -1.0"),
            &TEXT.replace("alltoall", "reduce"),
            &TEXT.replace("factor_001", "factor_002"),
            &TEXT.replace("[1024, 2e-5]", "[0, 2e-5]"),
            &TEXT.replace("[1024, 2e-5]", "[1024, 2e-5, 9]"),
            &TEXT.replace("latency_s = 5e-5", "latency_s = nan"),
            &TEXT.replace("gamma = { value = 0.5", "gemma = { value = 0.5"),
            &TEXT.replace("[4, 8]", "[]"),
            &TEXT.replace("form = \"full\"", "form = \"fool\""),
            &TEXT.replace("confidence", "confidenze"),
            &TEXT.replace("confidence = 0.95", "confidence = 1.5"),
            &TEXT.replace("dof = 20", "dof = 0"),
            &TEXT.replace("below = 0.1", "below = nan"),
            &TEXT.replace("[[0.01,", "[[inf,"),
            &TEXT
                .replace("[\"gamma\", \"delta\"]", "[\"delta\"]")
                .replace("[[0.01, 0.0], [0.0, 1e-7]]", "[[1e-7]]"),
        ] {
            let problem = problem(bad);
            assert!(
                problem.starts_with("p.toml:") && problem.lines().count() == 1,
                "{problem}"
            );
        }
    }

    #[test]
    fn a_value_that_is_no_size_is_named_with_its_section_and_key() {
        let value = "threshold_bytes = { value = ";
        let problem = problem_of(&format!("{value}65536"), &format!("{value}-5"));
        assert!(problem.starts_with("p.toml:"), "{problem}");
        let said = "integer `-5`, expected u64, in [[signature]] threshold_bytes.value; ";
        assert!(problem.contains(said), "{problem}");
    }

    #[test]
    fn what_would_predict_nonsense_is_named_with_its_section_key_and_value() {
        for (right, wrong, said) in [
            ("upper = 1.1e-4", "upper = inf", "[hockney] alpha_s = "),
            (
                "lower = 1.9e-7",
                "lower = 3e-7",
                "[hockney] beta_s_per_byte = ",
            ),
            (
                "residual = 0.02",
                "residual = -1",
                "[hockney] residual = -1 ",
            ),
            (
                "lower = 1.7",
                "lower = -inf",
                r#"[[signature]] of "direct": gamma = "#,
            ),
            (
                "upper = 3e-3",
                "upper = 0",
                r#"[[signature]] of "direct": delta_s = "#,
            ),
            (
                "gamma = { value = 1.8, lower = 1.7",
                "gamma = { value = -1.8, lower = -2",
                r#"[[signature]] of "direct": gamma = -1.8 is not at least 0; "#,
            ),
            (
                "value = 2e-3, lower = 1e-3",
                "value = -2e-3, lower = -1",
                r#"[[signature]] of "direct": delta_s = -0.002 is not at least 0; "#,
            ),
            (
                "threshold_bytes = inf",
                "threshold_bytes = -5",
                r#"of "direct": parameters.threshold_bytes = -5 is not at least 0; "#,
            ),
            (
                "lower = 32768",
                "lower = 65537",
                "threshold_bytes = { value = 65536, lower = 65537, ",
            ),
            (
                "above = 0.05",
                "above = inf",
                "relative_residual.above = inf ",
            ),
            (
                "lower = 0.4",
                "lower = 0.55",
                r#"[[model]] "factor_001" of "direct": parameters.gamma = "#,
            ),
            (
                "relative_residual = 0.1",
                "relative_residual = nan",
                "relative_residual = NaN ",
            ),
            (
                "threshold_bytes = inf",
                "treshold_bytes = 4096",
                "parameters.treshold_bytes is none of gamma, ",
            ),
            (
                "eager_above_bytes = 64512",
                "eager_above_bytes = 65536",
                "[protocol] eager_above_bytes = 65536 ",
            ),
            ("rho = 0.25", "rho = 1.5", "[flows] rho = 1.5 "),
            (
                "beta_f_s_per_byte = 2e-7",
                "beta_f_s_per_byte = -1",
                "[flows] beta_f_s_per_byte = -1 ",
            ),
            (
                "saturated_pairs = 4",
                "saturated_pairs = 0",
                "[flows] saturated_pairs = 0 ",
            ),
            ("[4, 8]", "[8, 4]", "domain.procs = [… 8, 4 …] "),
            ("[4, 8]", "[4, 4]", "domain.procs = [… 4, 4 …] "),
            (
                "smallest_bytes = 256",
                "smallest_bytes = 262145",
                "domain.smallest_bytes = 262145 ",
            ),
        ] {
            let problem = problem_of(right, wrong);
            assert!(problem.contains(said), "{problem}");
            assert!(problem.ends_with("; correct it or fit again"), "{problem}");
        }
    }

    /// A line through noise has no α; an empty message then takes infinitely longer than that.
    #[test]
    fn a_fit_without_a_latency_reads_back() {
        let point = |(size, time)| Point {
            procs: Procs::new(2).unwrap(),
            size: Bytes(size),
            time: Seconds(time),
            deviation: Seconds(time / 100.0),
            repetitions: 10,
        };
        let times = [(0, 1e-6), (1000, 2e-6), (2000, 9e-6), (4000, 3e-5)];
        let fitted = hockney::fit(&times.map(point), &Covariance::Ols, 0.95).unwrap();
        let profile = Profile {
            hockney: HockneyEntry::from(&fitted),
            ..parse("p.toml", TEXT).unwrap()
        };
        let again = parse("p.toml", &to_toml(&profile)).unwrap().hockney;
        assert_eq!((again.alpha.value, again.residual), (0.0, f64::INFINITY));
    }

    /// The time must be linear in what has a covariance, and each has one row.
    #[test]
    fn a_covariance_is_of_linear_parameters_each_once() {
        let of_gamma = "covariance_of = [\"gamma\"]\ncovariance = [[0.25]]";
        let with = |names: &str, covariance: &str| {
            let of = format!("covariance_of = {names}\ncovariance = {covariance}");
            TEXT.replace(of_gamma, &of)
        };
        let square = "[[0.25, 0.0], [0.0, 0.25]]";
        let twice = problem(&with(r#"["gamma", "gamma"]"#, square));
        assert!(
            twice.contains(r#"covariance_of names "gamma" twice"#),
            "{twice}"
        );
        let lost = problem(&with("[]", "[]"));
        assert!(
            lost.contains(r#"covariance_of does not name "gamma""#),
            "{lost}"
        );
        let estimate = "threshold_bytes = { value = 9, lower = 8, upper = 10 }";
        let threshold = with(r#"["gamma", "threshold_bytes"]"#, square);
        let threshold = problem(&threshold.replace("threshold_bytes = inf", estimate));
        assert!(
            threshold.contains("not linear in threshold_bytes"),
            "{threshold}"
        );
        let twice = problem_of(r#"["gamma", "delta"]"#, r#"["gamma", "delta", "gamma"]"#);
        assert!(twice.contains("covariance_of names Gamma twice"), "{twice}");
    }

    #[test]
    fn what_was_fitted_on_tables_has_them() {
        let base = |text: &str| parse("p.toml", text).unwrap().models[0].base;
        assert_eq!(base(TEXT), Base::Hockney);
        let on = |base: &str| {
            let key = format!("fitted_on = {base:?}\nparameters = {{ gamma");
            TEXT.replace("parameters = { gamma", &key)
        };
        assert_eq!(base(&on("plogp")), Base::Tables);
        let rows = |line: &str| {
            ["latency_s", "gap_s", "send_", "receive_", "[plogp]"]
                .iter()
                .any(|key| line.starts_with(key))
        };
        let text = on("plogp");
        let bare: Vec<&str> = text.lines().filter(|line| !rows(line)).collect();
        let missing = problem(&bare.join("\n"));
        assert!(missing.contains("the profile has no [plogp]"), "{missing}");
        assert!(problem(&on("loggp")).contains("unknown variant `loggp`"));
    }

    #[test]
    fn a_table_of_latencies_is_there_for_the_model_that_takes_one() {
        let table = "latency_s = [[0, 1e-3]]\nparameters = { gamma";
        let unused = problem_of("parameters = { gamma", table);
        assert!(
            unused.contains("factor_001 takes no table latency_s"),
            "{unused}"
        );
        let tam = |latency: &str| {
            let head = TEXT.split("covariance_of = [\"gamma\"]").next().unwrap();
            let head = head.replace("factor_001", "tam");
            let tail = "domain = { procs = [4], smallest_bytes = 0, largest_bytes = 9 }";
            format!("{head}covariance_of = []\ncovariance = []\nparameters = {{}}\n{latency}{tail}")
        };
        assert!(parse("p.toml", &tam("latency_s = [[0, 1e-3]]\n")).is_ok());
        let missing = problem(&tam(""));
        assert!(
            missing.contains("tam lacks its table latency_s"),
            "{missing}"
        );
    }
}
