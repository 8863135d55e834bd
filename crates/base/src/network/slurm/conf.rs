//! `topology.conf`, and the output of `scontrol show topology`: a line for each switch or block.

use super::lines::{TopologyFault, TopologyLine, TopologyPair, lines};
use super::records::{RECORDS, TopologyRecord, TopologyRecordForm};
use super::{DescribedSwitch, TopologyField, TopologyTotals, joined_blocks};

/// The value of an absent list in the output of `scontrol`.
const NULL: &str = "(null)";

/// The switches of a file, or its blocks and a switch that joins them.
pub(super) fn described_switches(text: &str) -> Result<Vec<DescribedSwitch>, TopologyFault> {
    let (mut switches, mut blocks) = (Vec::new(), Vec::new());
    let mut total = TopologyTotals::default();
    for line in lines(text) {
        let mut values = TopologyValues::of(&line)?;
        let described_switch = match values.record {
            TopologyRecord::Planning => continue,
            TopologyRecord::Switch => switch(line, &mut values)?,
            TopologyRecord::Block => block(line, &mut values)?,
        };
        total.add(&described_switch)?;
        match values.record {
            TopologyRecord::Block => blocks.push(described_switch),
            _ => switches.push(described_switch),
        }
    }
    match blocks.first() {
        None => Ok(switches),
        Some(_) if switches.is_empty() => Ok(joined_blocks(blocks)),
        Some(block) => {
            let problem = "the file describes switches and blocks; remove the lines of one kind";
            block.fault(&block.name, problem.to_owned())
        }
    }
}

/// The values of a line by key.
struct TopologyValues {
    record: TopologyRecord,
    found: Vec<(&'static str, TopologyField)>,
}

impl TopologyValues {
    fn of(line: &TopologyLine) -> Result<Self, TopologyFault> {
        let pairs = line.pairs()?;
        let begins = |form: &&TopologyRecordForm| pairs.iter().any(|pair| pair.has_key(form.keys[0]));
        let form = RECORDS.iter().find(begins).unwrap_or(&RECORDS[0]);
        let mut found: Vec<(&'static str, TopologyField)> = Vec::new();
        for pair in &pairs {
            let wrong = |problem| Err(line.fault(pair.key_offset, problem));
            let Some(key) = form.keys.iter().find(|key| pair.has_key(key)) else {
                let (key, known) = (pair.key, form.keys);
                let problem = format!(
                    "unknown key {key:?}; the keys of a line with {} are {}",
                    known[0],
                    known.join(", ")
                );
                return wrong(problem);
            };
            if found.iter().any(|(earlier, _)| earlier == key) {
                return wrong(format!("{key} is given twice; remove one"));
            }
            found.push((key, TopologyField::new(pair.value_offset, pair.value)));
        }
        Ok(Self {
            record: form.record,
            found,
        })
    }

    fn has(&self, key: &str) -> bool {
        self.found.iter().any(|(known, _)| *known == key)
    }

    /// The value of a key, unless it is that of an absent list.
    fn take(&mut self, key: &str) -> Option<TopologyField> {
        let at = self.found.iter().position(|(known, _)| *known == key)?;
        let (_, field) = self.found.swap_remove(at);
        (field.text != NULL).then_some(field)
    }

    fn take_name(&mut self, line: &TopologyLine, key: &str) -> Result<TopologyField, TopologyFault> {
        self.take(key).ok_or_else(|| {
            let problem = "no SwitchName; begin the line with SwitchName=NAME or BlockName=NAME";
            line.fault(0, problem.to_owned())
        })
    }
}

/// A switch. Where `scontrol` prints its level, it prints the nodes of all switches below, too, and a switch
/// may be empty.
fn switch(line: TopologyLine, values: &mut TopologyValues) -> Result<DescribedSwitch, TopologyFault> {
    let name = values.take_name(&line, "SwitchName")?;
    if let Some(speed) = values.take("LinkSpeed") {
        check_link_speed(&line, &speed)?;
    }
    let is_printed = values.has("Level");
    let below = [values.take("Nodes"), values.take("Switches")];
    match below {
        [Some(sum), Some(switches)] if is_printed => {
            let switch = DescribedSwitch::new(line, &name, [None, Some(switches)])?;
            Ok(DescribedSwitch {
                nodes_below: Some(sum),
                ..switch
            })
        }
        [None, None] if is_printed => DescribedSwitch::empty(line, &name),
        below => DescribedSwitch::new(line, &name, below),
    }
}

fn block(line: TopologyLine, values: &mut TopologyValues) -> Result<DescribedSwitch, TopologyFault> {
    let name = values.take_name(&line, "BlockName")?;
    match values.take("Nodes") {
        None if values.has("BlockIndex") => DescribedSwitch::empty(line, &name),
        nodes => DescribedSwitch::new(line, &name, [nodes, None]),
    }
}

fn check_link_speed(line: &TopologyLine, field: &TopologyField) -> Result<(), TopologyFault> {
    let value = &field.text;
    if value.parse::<u32>().is_ok_and(|speed| speed > 0) {
        return Ok(());
    }
    let problem = format!("LinkSpeed {value:?} is not a whole number from 1; change or omit it");
    Err(line.fault(field.offset, problem))
}

impl TopologyPair<'_> {
    fn has_key(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key)
    }
}
