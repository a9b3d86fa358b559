//! Chains of timed systems on a time axis: a lane for each who sends, a mark for each event.

use super::text::escaped;
use crate::output::chain_file::{Chain, ChainFile, TimedEvent};
use serde_json::Value as Json;
use std::fmt::Write;

/// Who sends, as `direction` of an event has it, with the name of the lane.
const LANES: [(&str, &str); 3] = [("input", "tester"), ("uncontrollable", "others"), ("output", "system")];
/// Sizes in pixels.
const LEFT: f64 = 70.0;
const WIDTH: f64 = 900.0;
const MARK: f64 = 9.0;
/// Most events that are drawn.
const DRAWN: usize = 300;
/// Marks of the axis.
const MARKS: usize = 10;

/// A picture and a table for each chain; nothing where the model has no time.
pub(super) fn section(file: &ChainFile) -> String {
    let chains = file.chains.iter().enumerate().filter(|(_, chain)| !chain.events.is_empty());
    chains.map(|(number, chain)| picture(number, chain) + &table(number, chain)).collect()
}

/// A time as a number: a decimal or `p/q`.
fn time(text: &str) -> f64 {
    let (upper, lower) = text.split_once('/').unwrap_or((text, "1"));
    let number = |text: &str| text.parse::<f64>().unwrap_or(0.0);
    number(upper) / number(lower)
}

/// The height of each event's mark above the lowest of its lane: marks of one time stand on one
/// another.
fn levels(events: &[TimedEvent], place: &dyn Fn(&TimedEvent) -> f64) -> Vec<usize> {
    let mut last: [(f64, usize); 3] = [(f64::NEG_INFINITY, 0); 3];
    let level = |event: &TimedEvent| {
        let lane = lane(event);
        let x = place(event);
        let (before, height) = last[lane];
        last[lane] = if x - before < 2.0 * MARK { (before, height + 1) } else { (x, 0) };
        last[lane].1
    };
    events.iter().map(level).collect()
}

fn lane(event: &TimedEvent) -> usize {
    LANES.iter().position(|(direction, _)| *direction == event.direction).unwrap_or(2)
}

fn picture(number: usize, chain: &Chain) -> String {
    let events = &chain.events[..chain.events.len().min(DRAWN)];
    let whole = events.last().map_or(0.0, |event| time(&event.at)).max(f64::MIN_POSITIVE);
    let place = |event: &TimedEvent| LEFT + WIDTH * time(&event.at) / whole;
    let levels = levels(events, &place);
    let mut tops = [0.0; 3];
    let mut height = 10.0;
    for (index, top) in tops.iter_mut().enumerate() {
        let most = events.iter().zip(&levels).filter(|(event, _)| lane(event) == index);
        height += 2.0 * MARK * (1.0 + most.map(|(_, &level)| level).max().unwrap_or(0) as f64) + 8.0;
        *top = height - 4.0;
    }
    let mut text = format!(
        "<div class=\"wide\"><svg class=\"times\" viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"Chain {} on a time axis\">",
        LEFT + WIDTH + 40.0,
        height + 30.0,
        number + 1
    );
    for ((_, name), top) in LANES.iter().zip(tops) {
        let _ = write!(
            text,
            "<text class=\"lane\" x=\"4\" y=\"{:.1}\">{name}</text><line x1=\"{LEFT}\" y1=\"{top:.1}\" x2=\"{:.1}\" y2=\"{top:.1}\"/>",
            top - 4.0,
            LEFT + WIDTH
        );
    }
    // Where no time passes there is one time to tell.
    let marks = if whole > f64::MIN_POSITIVE { MARKS } else { 0 };
    for mark in 0..=marks {
        let x = LEFT + WIDTH * mark as f64 / MARKS as f64;
        let _ = write!(
            text,
            "<line class=\"tick\" x1=\"{x:.1}\" y1=\"10\" x2=\"{x:.1}\" y2=\"{height:.1}\"/><text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            height + 16.0,
            rounded(whole * mark as f64 / MARKS as f64)
        );
    }
    for (index, (event, level)) in events.iter().zip(levels).enumerate() {
        let (x, y) = (place(event), tops[lane(event)] - MARK * (1.0 + 2.0 * level as f64));
        let _ = write!(
            text,
            "<g class=\"event {}\"><title>{}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARK}\"/><text x=\"{x:.1}\" y=\"{y:.1}\">{}</text></g>",
            LANES[lane(event)].1,
            escaped(&format!("{} at {}: {}", event.transition, event.at, message(event))),
            index + 1
        );
    }
    text + "</svg></div>\n"
}

/// A number with three places at most.
fn rounded(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn message(event: &TimedEvent) -> String {
    let value = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values: Vec<String> = event.args.iter().map(value).collect();
    let sign = if event.direction == "output" { '!' } else { '?' };
    format!("{}{sign}({})", event.channel, values.join(", "))
}

fn table(number: usize, chain: &Chain) -> String {
    let rows: String = chain
        .events
        .iter()
        .enumerate()
        .map(|(index, event)| {
            format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                index + 1,
                escaped(&event.at),
                escaped(&event.delay),
                escaped(&event.transition),
                escaped(&message(event))
            )
        })
        .collect();
    format!(
        "<details><summary>Chain {}: events with their times</summary>\n<table class=\"numbers\"><thead><tr><th>Event</th><th>At</th><th>After</th>\
         <th>Transition</th><th>Message</th></tr></thead>\n<tbody>{rows}</tbody></table></details>\n",
        number + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at: &str, direction: &str) -> TimedEvent {
        TimedEvent {
            at: at.to_owned(),
            delay: "0".to_owned(),
            transition: "<e>".to_owned(),
            channel: "C".to_owned(),
            direction: direction.to_owned(),
            args: vec![serde_json::json!(1), serde_json::json!("1/3")],
        }
    }

    #[test]
    fn marks_of_one_time_stand_on_one_another() {
        let events = [event("0", "input"), event("0", "input"), event("0", "output"), event("5", "input")];
        let place = |event: &TimedEvent| 100.0 * time(&event.at);
        assert_eq!(levels(&events, &place), [0, 1, 0, 0]);
    }

    #[test]
    fn times_and_messages_are_read_and_written() {
        assert_eq!(
            (time("1.5"), time("7/2"), rounded(2.5000001), rounded(10.0)),
            (1.5, 3.5, "2.5".to_owned(), "10".to_owned())
        );
        assert_eq!(message(&event("0", "output")), "C!(1, 1/3)");
        assert_eq!(message(&event("0", "uncontrollable")), "C?(1, 1/3)");
    }
}
