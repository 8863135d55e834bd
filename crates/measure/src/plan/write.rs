//! A plan as the text of a plan file: what the rank program is given where a budget or a
//! probe changed what the user wrote.

use std::fmt::Write;

use super::{Cell, Flood, Operation, PLogPSettings, Plan, Synchronisation};

impl Plan {
    /// The text that [`Plan::parse`] reads back to this plan. Cells of the same collective,
    /// algorithm and process count that follow each other share an entry.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        self.write(&mut text)
            .expect("text is written without errors");
        text
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "seed = {}\nlaunches = {}", self.seed, self.launches)?;
        if let Some(precision) = self.precision {
            writeln!(out, "precision = {precision:?}")?;
        }
        if self.synchronisation == Synchronisation::Window {
            writeln!(out, "synchronisation = \"window\"")?;
        }
        for cells in self.cells.chunk_by(shares_an_entry) {
            match cells[0].operation {
                Operation::Collective(..) => write_collective(cells, out)?,
                Operation::Flows => write_flows(cells, out)?,
                Operation::PLogP => {
                    let settings = self.plogp.as_ref();
                    write_plogp(settings.expect("a plan with pLogP has its settings"), out)?;
                }
                _ => write_ping_pong(cells, out)?,
            }
        }
        Ok(())
    }
}

fn shares_an_entry(one: &Cell, other: &Cell) -> bool {
    let is_flow = one.operation == Operation::Flows;
    let counts = |cell: &Cell| (cell.warmup, cell.repetitions);
    one.operation == other.operation
        && (is_flow || one.procs == other.procs)
        && counts(one) == counts(other)
}

/// `[1, 2, 4]`.
fn list(cells: &[Cell], number: impl Fn(&Cell) -> u64) -> String {
    let numbers: Vec<String> = cells.iter().map(|cell| number(cell).to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn write_ping_pong(cells: &[Cell], out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[pingpong]")?;
    write_sizes(cells, out)
}

fn write_sizes(cells: &[Cell], out: &mut String) -> std::fmt::Result {
    writeln!(out, "sizes = {}", list(cells, |cell| cell.size.0))?;
    writeln!(out, "repetitions = {}", cells[0].repetitions)?;
    writeln!(out, "warmup = {}", cells[0].warmup)
}

fn write_plogp(settings: &PLogPSettings, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[plogp]")?;
    let (smallest, largest) = (settings.sizes.smallest.0, settings.sizes.largest.0);
    writeln!(out, "sizes = [{smallest}, {largest}]")?;
    writeln!(out, "round = {}\nmost = {}", settings.round, settings.most)?;
    writeln!(out, "confidence = {:?}", settings.confidence)?;
    writeln!(out, "epsilon = {:?}", settings.epsilon)?;
    writeln!(out, "difference = {:?}", settings.difference)?;
    let flood = match settings.flood {
        Flood::Empty => "empty",
        Flood::Every => "every",
    };
    writeln!(out, "flood = \"{flood}\"")
}

fn write_flows(cells: &[Cell], out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[flows]")?;
    let pairs = list(cells, |cell| u64::from(cell.procs.get() / 2));
    writeln!(out, "pairs = {pairs}\nsize = \"{}\"", cells[0].size.0)?;
    writeln!(out, "repetitions = {}", cells[0].repetitions)
}

fn write_collective(cells: &[Cell], out: &mut String) -> std::fmt::Result {
    let Operation::Collective(collective, method) = cells[0].operation else {
        return Ok(());
    };
    writeln!(out, "\n[[collective]]\nname = \"{collective}\"")?;
    writeln!(out, "algorithms = [\"{method}\"]")?;
    writeln!(out, "procs = {}", cells[0].procs)?;
    write_sizes(cells, out)
}
