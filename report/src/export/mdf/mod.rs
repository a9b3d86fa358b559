//! ASAM MDF 4.1 (`.mf4`) for INCA, MDA, CANape, CANoe, ecu.test, TPT, dSPACE.
//!
//! Two channel groups: `inputs`, with one more sample that ends the hold of the last step, and
//! `expected`. Each has a master channel `t` in seconds (float64) and one channel for each signal
//! in its own type, with unit and, for enumerations, a value-to-text conversion. The first
//! occurrence of each goal is a marker event. There is no start time: the same chain gives the same
//! bytes.

mod block;

use super::recording::{Chain, Datum, Kind, Recording, Signal, Storage};
use super::{ExportError, ExportFile, chain_file_name};
use crate::output::markup::escaped;
use block::{Link, Writer};

/// One file for each chain.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        let content = file(recording, chain, number)?;
        files.push(ExportFile { name: chain_file_name(recording, number, ".mf4"), content });
    }
    Ok(files)
}

fn file(recording: &Recording, chain: &Chain, number: usize) -> Result<Vec<u8>, ExportError> {
    let mut writer = Writer::new();
    let header = writer.block(b"HD", &[0; 6], &[0; 32]);
    let history = history(&mut writer, recording);
    let rows = recording.rows(chain, true);
    let held: Vec<(usize, &[Datum])> = rows.iter().map(|row| (row.number, row.inputs)).collect();
    let answered: Vec<(usize, &[Datum])> =
        rows.iter().filter_map(|row| Some((row.number, row.outputs?))).collect();
    let expected = group(&mut writer, recording, "expected", &recording.outputs, &answered, 0)?;
    let inputs = group(&mut writer, recording, "inputs", &recording.inputs, &held, expected)?;
    let events = events(&mut writer, recording, number);
    let comment = format!("test case chain {} of {}", number + 1, recording.model);
    let comment = writer.metadata(&format!("<HDcomment><TX>{}</TX></HDcomment>", escaped(&comment)));
    for (index, link) in [(0, inputs), (1, history), (4, events), (5, comment)] {
        writer.set_link(header, index, link);
    }
    Ok(writer.finish())
}

fn history(writer: &mut Writer, recording: &Recording) -> Link {
    let (name, version) = recording.tool.split_once(' ').unwrap_or((&recording.tool, ""));
    let comment = writer.metadata(&format!(
        "<FHcomment><TX>created</TX><tool_id>{0}</tool_id><tool_vendor>{0}</tool_vendor>\
         <tool_version>{1}</tool_version></FHcomment>",
        escaped(name),
        escaped(version)
    ));
    writer.block(b"FH", &[0, comment], &[0; 16])
}

/// A data group with one channel group; returns its link.
fn group(
    writer: &mut Writer,
    recording: &Recording,
    name: &str,
    signals: &[Signal],
    rows: &[(usize, &[Datum])],
    next: Link,
) -> Result<Link, ExportError> {
    let mut layout = Vec::new();
    let mut offset = 8u32;
    for signal in signals {
        let refused = || ExportError::Width { format: "mf4", signal: signal.name.clone(), bits: signal.bits };
        let storage = signal.storage().ok_or_else(refused)?;
        layout.push((signal, storage, offset));
        offset += storage.bytes() as u32;
    }
    let mut channel = 0;
    for &(signal, storage, offset) in layout.iter().rev() {
        channel = signal_channel(writer, signal, storage, offset, channel);
    }
    let (time, unit) = (writer.text("t"), writer.text("s"));
    let data = channel_data(2, 1, 4, 0, 64);
    let master = writer.block(b"CN", &[channel, 0, time, 0, 0, 0, unit, 0], &data);
    let mut records = Vec::new();
    for (number, values) in rows {
        records.extend(recording.seconds(*number).to_le_bytes());
        for (value, (_, storage, _)) in values.iter().zip(&layout) {
            records.extend(value.bytes(*storage));
        }
    }
    let name = writer.text(name);
    let mut data = Vec::new();
    data.extend(0u64.to_le_bytes());
    data.extend((rows.len() as u64).to_le_bytes());
    data.extend([0; 8]);
    data.extend(offset.to_le_bytes());
    data.extend(0u32.to_le_bytes());
    let channels = writer.block(b"CG", &[0, master, name, 0, 0, 0], &data);
    let records = writer.block(b"DT", &[], &records);
    Ok(writer.block(b"DG", &[next, channels, records, 0], &[0; 8]))
}

fn signal_channel(writer: &mut Writer, signal: &Signal, storage: Storage, offset: u32, next: Link) -> Link {
    let name = writer.text(&signal.name);
    let unit = writer.text(signal.unit.as_deref().unwrap_or_default());
    let conversion = conversion(writer, signal);
    let place = format!("{} ({})", signal.lvalue, signal.type_name);
    let comment = signal.text.as_ref().map_or_else(|| place.clone(), |text| format!("{text}; {place}"));
    let comment = writer.metadata(&format!("<CNcomment><TX>{}</TX></CNcomment>", escaped(&comment)));
    let kind = match signal.kind {
        Kind::Bool | Kind::Unsigned => 0,
        Kind::Signed => 2,
        Kind::Single | Kind::Double => 4,
    };
    let data = channel_data(0, 0, kind, offset, 8 * storage.bytes() as u32);
    writer.block(b"CN", &[next, 0, name, 0, conversion, 0, unit, comment], &data)
}

/// The data of a channel block: channel type, synchronisation, data type (little-endian), place in
/// the record.
fn channel_data(channel: u8, synchronisation: u8, kind: u8, offset: u32, bits: u32) -> Vec<u8> {
    let mut data = vec![channel, synchronisation, kind, 0];
    data.extend(offset.to_le_bytes());
    data.extend(bits.to_le_bytes());
    data.resize(72, 0);
    data
}

/// Value to text (conversion type 7) for enumerations; other values stay numbers.
fn conversion(writer: &mut Writer, signal: &Signal) -> Link {
    if signal.enumerators.is_empty() {
        return 0;
    }
    let mut links = vec![0; 4];
    links.extend(signal.enumerators.iter().map(|(name, _)| writer.text(name)));
    links.push(0);
    let count = signal.enumerators.len() as u16;
    let mut data = vec![7, 0, 0, 0];
    data.extend((count + 1).to_le_bytes());
    data.extend(count.to_le_bytes());
    data.extend([0; 16]);
    signal.enumerators.iter().for_each(|(_, value)| data.extend((*value as f64).to_le_bytes()));
    writer.block(b"CC", &links, &data)
}

/// A chain of marker events, one for each goal that this chain covers; returns the first.
fn events(writer: &mut Writer, recording: &Recording, number: usize) -> Link {
    let covered = recording.goals.iter().filter_map(|goal| Some((goal, goal.at?)));
    let here: Vec<_> = covered.filter(|(_, (chain, _))| *chain == number).collect();
    let mut next = 0;
    for (goal, (_, step)) in here.into_iter().rev() {
        let name = writer.text(&goal.name);
        let words = [goal.requirement.as_deref(), goal.text.as_deref(), Some(goal.expectation.name())];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let comment =
            writer.metadata(&format!("<EVcomment><TX>{}</TX></EVcomment>", escaped(&words.join(": "))));
        // Marker, synchronised by time, a point, caused by the tool.
        let mut data = vec![6, 1, 0, 2, 0, 0, 0, 0];
        data.extend([0; 8]);
        data.extend((step as i64).to_le_bytes());
        data.extend(recording.seconds(1).to_le_bytes());
        next = writer.block(b"EV", &[next, 0, 0, name, comment], &data);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    /// Follows a link of a block; returns its id.
    fn id(file: &[u8], at: u64) -> &[u8] {
        &file[at as usize + 2..at as usize + 4]
    }

    fn link(file: &[u8], block: u64, index: usize) -> u64 {
        let at = block as usize + 24 + 8 * index;
        u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn links_lead_to_blocks_of_their_kind() {
        let file = files(&recording()).unwrap().remove(0).content;
        assert_eq!(id(&file, 64), b"HD");
        let group = link(&file, 64, 0);
        assert_eq!(id(&file, group), b"DG");
        assert_eq!(id(&file, link(&file, 64, 1)), b"FH");
        assert_eq!(id(&file, link(&file, 64, 4)), b"EV");
        let channels = link(&file, group, 1);
        assert_eq!(id(&file, channels), b"CG");
        assert_eq!(id(&file, link(&file, group, 2)), b"DT");
        assert_eq!(id(&file, link(&file, channels, 1)), b"CN");
        let second = link(&file, group, 0);
        assert_eq!(id(&file, second), b"DG");
        assert_eq!(link(&file, second, 0), 0);
    }
}
