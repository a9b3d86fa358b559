//! CSV: the canonical table and the presets for particular readers.
//!
//! RFC 4180 with `\n` as line end and `.` as decimal point. Text that spreadsheets would take for a
//! formula begins with `'`; what is not seen in it is escaped.

mod canoe;
mod canonical;
mod fmi;
mod simulink;
mod veristand;

pub(super) use canoe::canoe;
pub(super) use canonical::canonical;
pub(super) use fmi::fmi;
pub(super) use simulink::simulink;
pub(super) use veristand::veristand;

use super::{ExportError, writer_error};
use crate::output::visible::cell;

/// The text of a table.
fn table<R: AsRef<[String]>>(rows: impl IntoIterator<Item = R>) -> Result<String, ExportError> {
    let failed = writer_error("CSV");
    let terminator = csv::Terminator::Any(b'\n');
    let mut writer = csv::WriterBuilder::new().terminator(terminator).flexible(true).from_writer(Vec::new());
    for row in rows {
        writer.write_record(row.as_ref().iter().map(|text| cell(text))).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error.error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
