//! Reductions and barriers: what their schedules send, combine and take, in which order they combine, and the closed
//! forms on pLogP.

mod expression;
mod library_root;
mod steps;

use anyhow::{Context, Result, ensure};
use netsig_base::algorithm::{Algorithm, ClosedForm, Collective, CollectiveCall, ReducedVector, Schedule};
use netsig_base::schedule::{PieceDivision, PortRun, RunCosts};
use netsig_base::units::{Bytes, Procs, Rank, SecondsPerByte};
use netsig_model::model::reduction::plogp_time;
use serde_json::{Value, json};

use self::expression::{CombinedBlocks, OperandTree};
use super::inputs::{VectorInputs, plogp};

/// Names in MPI libraries, with those of the table.
const LIBRARY_NAMES: [(&str, &str); 7] = [
    ("linear", "flat"),
    ("bruck", "dissemination"),
    ("in-order_binary", "in-order-binary"),
    ("segmented_ring", "ring-segmented"),
    ("nonoverlapping", "reduce-bcast"),
    ("non-overlapping", "reduce-then-scatter"),
    ("rabenseifner-halves", "rabenseifner"),
];

/// Length of an element in schedules of which only the order matters.
const ELEMENT: Bytes = Bytes(8);

fn collective(name: &str) -> Result<Collective> {
    Ok(name.replace('_', "-").parse()?)
}

/// The algorithm of a collective, by the inputs `flavour` and `segment_bytes`.
fn algorithm(inputs: &VectorInputs, collective: Collective, name: &str) -> Result<Algorithm> {
    let renamed = LIBRARY_NAMES.iter().find(|(library, _)| *library == name);
    let table_name = renamed.map_or_else(|| name.replace('_', "-"), |(_, known)| (*known).to_owned());
    let flavour: Option<String> = inputs.find("flavour")?;
    let suffix = if flavour.as_deref() == Some("mpich") && table_name == "rabenseifner" {
        "-blocks"
    } else {
        ""
    };
    let segment: Option<u64> = inputs.find("segment_bytes")?;
    let setting = segment.map_or_else(String::new, |bytes| format!(":{bytes}"));
    Ok(Algorithm::parse(collective, &format!("{table_name}{suffix}{setting}"))?)
}

/// The algorithm that the inputs `collective` and `algorithm` name.
fn named_algorithm(inputs: &VectorInputs) -> Result<Algorithm> {
    let collective = collective(&inputs.get::<String>("collective")?)?;
    algorithm(inputs, collective, &inputs.get::<String>("algorithm")?)
}

/// The schedule of an algorithm for `count` elements.
fn schedule(inputs: &VectorInputs, algorithm: Algorithm, count: u64, element: Bytes) -> Result<Schedule> {
    let call = CollectiveCall {
        root: Rank(inputs.find("root")?.unwrap_or(0)),
        element,
        ..CollectiveCall::new(inputs.get("n")?, Bytes(count * element.0))
    };
    Ok(algorithm.serve(&call)?)
}

/// `reduction.hockney`.
pub fn hockney(inputs: &VectorInputs) -> Result<Value> {
    let algorithm = named_algorithm(inputs)?;
    let element: Bytes = inputs.get("type_bytes")?;
    let costs = RunCosts {
        startup: inputs.get("alpha")?,
        per_byte: inputs.get("beta")?,
        operation: inputs.get("omega")?,
    };
    let schedule = schedule(inputs, algorithm, inputs.get("count")?, element)?;
    if let Some(library) = library_root::LibraryGather::of(inputs, algorithm, &schedule)? {
        let round = |rank, index| library.round(rank, index);
        let run = PortRun::of(library.extent(), round, costs)?;
        return Ok(work(&run, steps::steps(library.extent(), &round)));
    }
    let round = |rank, index| schedule.round(rank, index);
    let single = steps::SingleReceives::of(schedule.extent(), &round);
    let run = PortRun::of(single.extent(), |rank, index| single.round(rank, index), costs)?;
    Ok(work(&run, steps::steps(schedule.extent(), &round)))
}

/// What the ranks do in a run, and its number of steps.
fn work(run: &PortRun, steps: usize) -> Value {
    json!({
        "rounds": steps,
        "T": run.time,
        "most_bytes_sent": run.most_sent(),
        "bytes_sent_in_all": run.sent.iter().sum::<u64>(),
        "most_bytes_combined": run.most_combined(),
    })
}

/// `reduction.plogp`.
pub fn plogp_form(inputs: &VectorInputs) -> Result<Value> {
    let algorithm = named_algorithm(inputs)?;
    let Some(ClosedForm::Reduction(form)) = algorithm.closed_form() else {
        anyhow::bail!("{algorithm} has no closed form of a reduction");
    };
    let vector = ReducedVector {
        procs: inputs.get("n")?,
        size: inputs.get("m")?,
        element: inputs.find("type_bytes")?.unwrap_or(ELEMENT),
    };
    let path = form.path(vector, algorithm.segment());
    let operation = SecondsPerByte(inputs.get("omega")?);
    Ok(json!(plogp_time(&path, &plogp(inputs)?, operation)))
}

/// `reduction.blocks`.
pub fn blocks(inputs: &VectorInputs) -> Result<Value> {
    let (count, blocks): (u64, u32) = (inputs.get("count")?, inputs.get("blocks")?);
    let division = PieceDivision::elements(Bytes(count), Bytes(1), blocks, 1);
    let [counts, offsets]: [Vec<u64>; 2] = [
        (0..blocks).map(|block| division.bytes(block)).collect(),
        (0..blocks).map(|block| division.offset(block)).collect(),
    ];
    Ok(json!({"counts": counts, "offsets": offsets}))
}

/// `reduction.owner`: the parts that each rank has combined of all ranks. After the last combination, or of a
/// reduce-scatter among n ranks at the end.
pub fn owner(inputs: &VectorInputs) -> Result<Value> {
    let given: Option<String> = inputs.find("collective")?;
    let collective = collective(given.as_deref().unwrap_or("allreduce"))?;
    let algorithm = algorithm(inputs, collective, &inputs.get::<String>("algorithm")?)?;
    let new_ranks: Option<Procs> = inputs.find("new_ranks")?;
    let procs: Procs = new_ranks.map_or_else(|| inputs.get("n"), Ok)?;
    let count: u64 = inputs.find("count")?.unwrap_or(u64::from(procs.get()));
    let call = CollectiveCall {
        element: ELEMENT,
        ..CollectiveCall::new(procs, Bytes(count * ELEMENT.0))
    };
    let schedule = algorithm.serve(&call)?;
    let extent = schedule.extent();
    let combines = |index: &usize| {
        procs
            .ranks()
            .any(|rank| !schedule.round(rank, *index).combinations.is_empty())
    };
    let last = (0..extent.rounds).rev().find(combines).map_or(0, |index| index + 1);
    let ends_with_result = new_ranks.is_none() && collective != Collective::Allreduce;
    let rounds = if ends_with_result { extent.rounds } else { last };
    let blocks = CombinedBlocks::after(&schedule, rounds);
    let parts_of_ranks = procs.ranks().map(|rank| {
        if ends_with_result {
            vec![rank.0]
        } else {
            blocks.complete_parts(rank)
        }
    });
    let owned: Vec<Vec<u32>> = parts_of_ranks.collect();
    if new_ranks.is_none() {
        let first: Vec<Option<&u32>> = owned.iter().map(|parts| parts.first()).collect();
        return Ok(json!({"block_of_rank": first}));
    }
    let window = |parts: &Vec<u32>| {
        let (first, last) = (parts.first().context("a rank has no part")?, parts[parts.len() - 1]);
        let from = extent.division.offset(*first) / ELEMENT.0;
        let to = (extent.division.offset(last) + extent.division.bytes(last)) / ELEMENT.0;
        anyhow::Ok([from, to])
    };
    let windows: Vec<[u64; 2]> = owned.iter().map(window).collect::<Result<_>>()?;
    Ok(json!({"windows": windows}))
}

/// The expression of part `part` of the result. Libraries keep the numbers of the ranks in Rabenseifner's algorithm, so
/// that the root does not matter there.
fn result(inputs: &VectorInputs, algorithm: Algorithm, part: u32) -> Result<OperandTree> {
    let procs: Procs = inputs.get("n")?;
    let given_root = Rank(inputs.find("root")?.unwrap_or(0));
    let root = match algorithm.collective() {
        Collective::Reduce if !is_rabenseifner(algorithm) => given_root,
        _ => Rank(0),
    };
    let call = CollectiveCall {
        root,
        ..CollectiveCall::new(procs, Bytes(u64::from(procs.get()) * ELEMENT.0))
    };
    let schedule = algorithm.serve(&call)?;
    let blocks = CombinedBlocks::after(&schedule, schedule.extent().rounds);
    let holder = match algorithm.collective() {
        Collective::ReduceScatter | Collective::ReduceScatterBlock => Rank(part),
        _ => root,
    };
    blocks
        .output(holder, part)
        .context("no rank has this part of the result")
}

fn is_rabenseifner(algorithm: Algorithm) -> bool {
    algorithm.to_string().starts_with("rabenseifner")
}

/// Number of parts of the vector in a schedule for one element a rank.
fn parts(inputs: &VectorInputs, algorithm: Algorithm) -> Result<u32> {
    let procs: Procs = inputs.get("n")?;
    let size = Bytes(u64::from(procs.get()) * ELEMENT.0);
    Ok(algorithm.schedule(procs, size).extent().division.parts())
}

/// Algorithms over trees in which the child's operand is written left.
const TREES: [&str; 6] = [
    "binomial",
    "binary",
    "chain",
    "pipeline",
    "reduce-bcast",
    "reduce-then-scatter",
];

/// `reduction.order`. Trees are written with the child left, as MPICH combines them; Rabenseifner's algorithm with the
/// lower rank left; all others as the schedule combines them.
pub fn order(inputs: &VectorInputs) -> Result<Value> {
    let algorithm = named_algorithm(inputs)?;
    let given: Option<u32> = inputs
        .find("block")?
        .map_or_else(|| inputs.find("element"), |block| Ok(Some(block)))?;
    let part = given.unwrap_or(0).min(parts(inputs, algorithm)? - 1);
    let tree = result(inputs, algorithm, part)?;
    let (procs, root): (Procs, u32) = (inputs.get("n")?, inputs.find("root")?.unwrap_or(0));
    let written = if TREES.iter().any(|tree| algorithm.to_string().starts_with(tree)) {
        tree.ordered(&|rank| procs.get() - rank.predecessor(root, procs).0)
    } else if is_rabenseifner(algorithm) {
        tree.ordered(&|rank| rank.0)
    } else {
        tree
    };
    Ok(json!(written.to_string()))
}

/// Schedules whose pairs are compared with those of recursive doubling.
const COMPARED: [(&str, Collective, &str); 11] = [
    ("rabenseifner-mpich", Collective::Allreduce, "rabenseifner-blocks"),
    ("rabenseifner-ompi", Collective::Allreduce, "rabenseifner"),
    ("binomial+bcast", Collective::Reduce, "binomial"),
    ("reduce-binomial", Collective::Reduce, "binomial"),
    ("reduce-rabenseifner", Collective::Reduce, "rabenseifner"),
    ("chain", Collective::Reduce, "chain"),
    ("ring", Collective::Allreduce, "ring"),
    ("reduce-scatter-halving", Collective::ReduceScatter, "recursive-halving"),
    ("reduce-scatter-butterfly", Collective::ReduceScatter, "butterfly"),
    ("reduce-scatter-ring", Collective::ReduceScatter, "ring"),
    ("reduce-scatter-pairwise", Collective::ReduceScatter, "pairwise"),
];

/// `reduction.same_pairs`: true if every part of the result has the pairs of the reference.
pub fn same_pairs(inputs: &VectorInputs) -> Result<Value> {
    let reference: String = inputs.get("reference")?;
    let pairs = |algorithm: Algorithm| {
        let trees = (0..parts(inputs, algorithm)?).map(|part| result(inputs, algorithm, part));
        let ordered = trees.map(|tree| anyhow::Ok(tree?.ordered(&|rank| rank.0).to_string()));
        ordered.collect::<Result<Vec<String>>>()
    };
    let expected = pairs(of_words(inputs, &reference)?)?;
    let [expected] = &expected[..] else {
        anyhow::bail!("{reference} combines parts in different orders");
    };
    let mut same = serde_json::Map::new();
    for (name, collective, table_name) in COMPARED {
        let found = pairs(Algorithm::parse(collective, table_name)?)?;
        same.insert(name.to_owned(), json!(found.iter().all(|pairs| pairs == expected)));
    }
    Ok(Value::Object(same))
}

/// The algorithm that is written with its collective: `allreduce ring`.
fn of_words(inputs: &VectorInputs, text: &str) -> Result<Algorithm> {
    let (given, name) = text.split_once(' ').context("write a collective and an algorithm")?;
    algorithm(inputs, collective(given)?, name)
}

/// `reduction.cut`.
pub fn cut(inputs: &VectorInputs) -> Result<Value> {
    let algorithm = of_words(inputs, &inputs.get::<String>("algorithm")?)?;
    let element: Bytes = inputs.find("type_bytes")?.unwrap_or(ELEMENT);
    let size: u64 = inputs.get("vector_bytes")?;
    ensure!(
        size.is_multiple_of(element.0),
        "vector_bytes is no multiple of {element}"
    );
    let schedule = schedule(inputs, algorithm, size / element.0, element)?;
    let inside: Vec<Rank> = inputs
        .get::<Vec<u32>>("ranks_below_the_link")?
        .into_iter()
        .map(Rank)
        .collect();
    let (mut bytes_out, mut flows_at_once) = (0, 0);
    for index in 0..schedule.extent().rounds {
        let mut flows = 0;
        for &rank in &inside {
            let round = schedule.round(rank, index);
            for send in round.sends.iter().filter(|send| !inside.contains(&send.partner)) {
                flows += 1;
                bytes_out += schedule.message_bytes((rank, send.partner), &send.slots);
            }
        }
        flows_at_once = flows_at_once.max(flows);
    }
    Ok(json!({"bytes_out": bytes_out, "flows_at_once": flows_at_once}))
}
