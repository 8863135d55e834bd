//! Prints the agreement of pLogP and the ping-pong: the number of sizes that agree, the
//! differences, α and β of both, and the shape of the difference if it has one.

use netsig_base::stats::interval::Estimate;
use netsig_base::stats::sample::Sorted;
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};
use netsig_model::fit::agreement::{Agreement, Difference, Twice, Verdict};

use super::signed;

/// The largest small size: for small sizes most of the time is start-up.
const SMALL: Bytes = Bytes(1024);

/// Prints the agreement of small and large sizes, α and β.
pub fn tell_details(found: &Agreement) {
    let (small, large) = found
        .sizes
        .split_at(found.sizes.partition_point(|one| one.size <= SMALL));
    for (name, sizes) in [("up to", small), ("above", large)] {
        if !sizes.is_empty() {
            eprintln!("{}", group(name, sizes));
        }
    }
    eprintln!(
        "{}",
        twice("alpha", &found.alpha, |s| Seconds(s).to_string())
    );
    eprintln!(
        "{}",
        twice("beta", &found.beta, |s| SecondsPerByte(s).to_string())
    );
}

/// A sentence on the agreement.
pub fn verdict(found: &Agreement) -> String {
    let (agreeing, all) = (found.agreeing(), found.sizes.len());
    let sizes = format!("{agreeing} of {all} sizes within their intervals");
    if found.is_complete() {
        return format!("pLogP and the ping-pong agree in alpha, beta and g: {sizes}");
    }
    let shape = match found.verdict {
        Verdict::Agree => "; the lines through them differ".to_owned(),
        Verdict::Offset(offset) => format!("; L + g(m) is {} at every size", apart(offset)),
        Verdict::Slope(slope) => format!("; L + g(m) differs by {slope} of m"),
        Verdict::OffsetFrom(from, offset) => format!(
            "; L + g(m) agrees below {from}, and is {} from there on",
            apart(offset)
        ),
        Verdict::Line(offset, slope) => format!(
            "; L + g(m) is {} and differs by {slope} of m besides",
            apart(offset)
        ),
        Verdict::Scattered => String::new(),
    };
    format!("pLogP and the ping-pong differ: {sizes}{shape}")
}

/// The number of sizes that agree, and the ranges of L + g(m) − t(m).
fn group(name: &str, sizes: &[Difference]) -> String {
    let agreeing = sizes.iter().filter(|one| one.agrees()).count();
    let sorted = |of: fn(&Difference) -> f64| Sorted::new(sizes.iter().map(of).collect());
    let times = sorted(|one| one.difference.0);
    let shares = sorted(|one| 100.0 * one.relative());
    let error = Seconds(sorted(|one| one.error.0).median());
    let [least, most] = [0.0, 1.0].map(|level| signed(Seconds(times.quantile(level))));
    let [below, above] = [0.0, 1.0].map(|level| shares.quantile(level));
    format!(
        "  {name} {SMALL}: {agreeing} of {} sizes agree, L + g(m) - t(m) = {least} .. {most} ({below:+.1} % .. {above:+.1} %), allowed +-{error} at the median size",
        sizes.len(),
    )
}

fn twice(name: &str, found: &Twice, show: fn(f64) -> String) -> String {
    let judged = if found.differs() { "differ" } else { "agree" };
    let interval = |of: Estimate| format!("{} .. {}", show(of.lower), show(of.upper));
    let with_interval = |of: Estimate| format!("{} ({})", show(of.value), interval(of));
    format!(
        "  {name}: {} from pLogP, {} from the ping-pong: {judged} (difference {})",
        with_interval(found.plogp),
        with_interval(found.ping_pong),
        interval(found.difference)
    )
}

/// `12 us less` or `12 us more`.
fn apart(offset: Seconds) -> String {
    let word = if offset.0 < 0.0 { "less" } else { "more" };
    format!("{} {word}", Seconds(offset.0.abs()))
}
