//! The page of a campaign: one table, which loads itself again while jobs run.

use crate::key::relative;
use crate::record::Outcome;
use crate::table::{Row, Table};
use chaincover::diagnostics::visible;
use chaincover::markup::escaped;
use std::fmt::Write as _;
use std::path::Path;

const STYLE: &str = "body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}th,td{padding:.3em .8em;\
text-align:left;border-bottom:1px solid #ccc;vertical-align:top}td.n{text-align:right}.covered{color:#060}\
.violated,.failed,.crashed{color:#a00;font-weight:bold}.undecided,.unreachable{color:#850}.waiting{color:#777}\
td.remark{white-space:pre-wrap;max-width:50em}";

/// Seconds between two loads of a page while jobs run.
const REFRESH: u32 = 5;

/// The page, to be written into a folder.
pub(crate) fn page(table: &Table, folder: &Path) -> String {
    let name = escaped(&visible(&table.name));
    let is_running = table.count(Outcome::Waiting) > 0;
    let refresh = if is_running {
        format!("<meta http-equiv=\"refresh\" content=\"{REFRESH}\">")
    } else {
        String::new()
    };
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{refresh}<title>{name}</title>\
         <style>{STYLE}</style></head>\n<body><h1>{name}</h1>\n<p>{} jobs: {}</p>\n<table><thead><tr>",
        table.rows.len(),
        escaped(&table.summary())
    );
    for title in ["job", "outcome", "goals", "chains", "steps", "time", "memory", "variant", "remarks"] {
        let _ = write!(text, "<th>{title}</th>");
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    table.rows.iter().for_each(|row| text.push_str(&line(row, folder)));
    text.push_str("</tbody></table></body></html>\n");
    text
}

fn line(row: &Row, folder: &Path) -> String {
    let job = escaped(&visible(&row.job.name));
    let job = match &row.folder {
        Some(result) => {
            // Jobs may ask for other formats than the report.
            let report = Some(result.join("report.html")).filter(|path| path.is_file());
            let target = link(report.as_deref().unwrap_or(result), folder);
            format!("<a href=\"{}\">{job}</a>", escaped(&target))
        }
        None => job,
    };
    let found = row.chains();
    let goals = found.map(|found| format!("{} of {}", found.covered, found.goals));
    let chains = found.map(|found| found.chains.to_string());
    let steps = found.map(|found| match found.is_minimal {
        true => format!("{}, minimal", found.steps),
        false => format!("{}, at least {} needed", found.steps, found.lower_bound),
    });
    let seconds = row.record.as_ref().map(|record| format!("{:.1} s", record.seconds));
    let memory = found.and_then(|found| found.peak_kib).map(|kib| format!("{} MiB", kib.div_ceil(1024)));
    let (outcome, known) = (row.outcome.name(), if row.is_known { ", known" } else { "" });
    let mut text = format!("<tr><td>{job}</td><td class=\"{outcome}\">{outcome}{known}</td>");
    for cell in [goals, chains, steps, seconds, memory] {
        let _ = write!(text, "<td class=\"n\">{}</td>", cell.unwrap_or_default());
    }
    let (variant, remark) = (escaped(&visible(&row.variant())), escaped(&row.remark()));
    let _ = writeln!(text, "<td>{variant}</td><td class=\"remark\">{remark}</td></tr>");
    text
}

/// A path as a page in a folder names it: as seen from there.
pub(crate) fn link(path: &Path, folder: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    relative(&absolute(path), &absolute(folder)).to_string_lossy().into_owned()
}
