//! XLSX in Simulink Test's layout: one sheet for each chain, inputs and expected outputs as blocks
//! with a time column each.
//!
//! A spreadsheet holds every number as double: integers beyond 2^53, NaN and infinities are written
//! as text, never rounded.

use super::recording::{Datum, Kind, Recording, Signal};
use super::table::{Block, Reader, blocks};
use super::{ExportError, ExportFile, writer_error};
use frontend::diagnostics::visible;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

/// Integers up to this magnitude are doubles.
const EXACT: i128 = 1 << 53;

/// The file.
pub(super) fn files(recording: &Recording) -> Result<Vec<ExportFile>, ExportError> {
    let content = workbook(recording).map_err(|error| writer_error("XLSX")(&error))?;
    Ok(vec![ExportFile { name: "chain.xlsx".to_owned(), content }])
}

fn workbook(recording: &Recording) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // The same chain gives the same bytes.
    let created = ExcelDateTime::from_ymd(2000, 1, 1)?;
    let title = format!("Test case chains of {}", visible(&recording.model));
    let properties = DocProperties::new().set_title(title).set_author(visible(&recording.tool));
    workbook.set_properties(&properties.set_creation_datetime(&created));
    let bold = Format::new().set_bold();
    for (number, chain) in recording.chains.iter().enumerate() {
        let sheet = workbook.add_worksheet();
        sheet.set_name(format!("chain {}", number + 1))?;
        let blocks = blocks(recording, chain, Reader::SimulinkTest);
        // Values begin in the same row in all blocks.
        let first = blocks.iter().map(|block| block.metadata.len() as u32 + 1).max().unwrap_or(1);
        let mut column = 0;
        for block in &blocks {
            write_block(recording, sheet, block, (first, column), &bold)?;
            column += block.signals.len() as u16 + 1;
        }
        sheet.set_freeze_panes(first, 1)?;
    }
    if recording.chains.is_empty() {
        workbook.add_worksheet().set_name("no chain")?;
    }
    workbook.save_to_buffer()
}

fn write_block(
    recording: &Recording,
    sheet: &mut Worksheet,
    block: &Block<'_>,
    (first, column): (u32, u16),
    bold: &Format,
) -> Result<(), XlsxError> {
    sheet.write_string_with_format(0, column, "time", bold)?;
    for (at, signal) in (column + 1..).zip(block.signals) {
        sheet.write_string_with_format(0, at, visible(&signal.name), bold)?;
    }
    for (row, cells) in (1..).zip(&block.metadata) {
        for (at, cell) in (column + 1..).zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            sheet.write_string(row, at, visible(cell))?;
        }
    }
    for (row, (number, values)) in (first..).zip(&block.rows) {
        sheet.write_number(row, column, recording.seconds(*number))?;
        for ((at, value), signal) in (column + 1..).zip(*values).zip(block.signals) {
            write_value(sheet, row, at, *value, signal)?;
        }
    }
    Ok(())
}

fn write_value(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    value: Datum,
    signal: &Signal,
) -> Result<(), XlsxError> {
    match value {
        Datum::Integer(number) if signal.kind == Kind::Bool => {
            sheet.write_boolean(row, column, number != 0)?
        }
        Datum::Integer(number) if number.abs() > EXACT => {
            sheet.write_string(row, column, number.to_string())?
        }
        float if !float.is_finite() => sheet.write_string(row, column, float.text())?,
        number => sheet.write_number(row, column, number.decimal_double())?,
    };
    Ok(())
}
