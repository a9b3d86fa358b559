//! Recordings with values at the edges of their types.

use serde_json::{Value as Json, json};

/// `chain.json` files by name: finite values, infinite ones, two chains without period, no outputs.
pub(crate) fn files() -> Vec<(&'static str, Json)> {
    let finite = file(&[false_row(), low_row(), high_row(), odd_row()], Some("5ms"), 1);
    let infinite =
        file(&[false_row(), infinite_row(1), infinite_row(-1), nan_row(), high_row()], Some("5ms"), 1);
    let several = file(&[high_row(), low_row(), low_row()], None, 2);
    let mut silent = file(&[low_row(), high_row()], Some("2.5us"), 1);
    silent["outputs"] = json!([]);
    for step in silent["chains"][0]["steps"].as_array_mut().into_iter().flatten() {
        step["outputs"] = json!({});
    }
    vec![("finite", finite), ("infinite", infinite), ("several", several), ("silent", silent)]
}

fn single(value: f32) -> Json {
    let number: f64 = value.to_string().parse().unwrap_or(f64::NAN);
    let shown = if value.is_finite() { json!(number) } else { json!(value.to_string()) };
    json!({ "value": shown, "bits": format!("0x{:08x}", value.to_bits()) })
}

fn double(value: f64) -> Json {
    let shown = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
    json!({ "value": shown, "bits": format!("0x{:016x}", value.to_bits()) })
}

/// Values of one step: truth, signed and unsigned 64 bits, 16 bits, a bit-field, an enumeration, float, double.
fn row(
    truth: u8,
    signed: i64,
    unsigned: u64,
    short: i16,
    field: u8,
    mode: i32,
    (small, large): (f32, f64),
) -> Json {
    let exact = |text: String, number: Option<i64>| match number {
        Some(number) if number.unsigned_abs() <= 1 << 53 => json!(number),
        _ => json!(text),
    };
    json!({
        "on": truth, "wide[0]": exact(signed.to_string(), Some(signed)),
        "wide[1]": exact(unsigned.to_string(), i64::try_from(unsigned).ok()), "short": short, "field": field,
        "mode": mode, "small": single(small), "large": double(large),
    })
}

fn false_row() -> Json {
    row(0, 0, 0, 0, 0, 0, (0.0, 0.0))
}

fn low_row() -> Json {
    row(1, i64::MIN, 1, i16::MIN, 1, -5, (f32::MIN_POSITIVE, f64::MIN))
}

fn high_row() -> Json {
    row(1, i64::MAX, u64::MAX, i16::MAX, 7, 2_000_000_000, (f32::MAX, f64::MAX))
}

/// Negative zero, the least subnormal numbers, values of no enumerator, integers around 2^53.
fn odd_row() -> Json {
    row(0, -(1 << 53) - 1, (1 << 53) + 1, -1, 5, 3, (f32::from_bits(1), -0.0))
}

fn infinite_row(sign: i8) -> Json {
    row(0, 1, 1, 1, 1, 0, (f32::INFINITY * f32::from(sign), f64::INFINITY * f64::from(sign)))
}

fn nan_row() -> Json {
    row(1, 2, 2, 2, 2, 7, (f32::NAN, f64::NAN))
}

fn signals(prefix: &str) -> Json {
    let signal = |name: &str, ty: &str, bits: u32, kind: &str, unit: Option<&str>| {
        let mut signal = json!({ "name": format!("{prefix}{name}"), "lvalue": format!("rt.{prefix}{name}"), "type": ty, "bits": bits, "kind": kind });
        if let Some(unit) = unit {
            signal["unit"] = json!(unit);
        }
        signal
    };
    let mut mode = signal("mode", "enum mode", 32, "signed", None);
    mode["enumerators"] = json!({ "OFF": 0, "ON": 7, "LOW <&>": -5, "HIGH \u{b0}": 2_000_000_000 });
    json!([
        signal("on", "_Bool", 1, "bool", None),
        signal("wide[0]", "long long", 64, "signed", Some("count")),
        signal("wide[1]", "unsigned long long", 64, "unsigned", None),
        signal("short", "short", 16, "signed", None),
        signal("field", "unsigned : 3", 3, "unsigned", None),
        mode,
        signal("small", "float", 32, "float", Some("\u{b0}C")),
        signal("large", "double", 64, "float", Some("m/s")),
    ])
}

fn prefixed(row: &Json, prefix: &str) -> Json {
    let fields = row.as_object().into_iter().flatten();
    fields
        .map(|(name, value)| (format!("{prefix}{name}"), value.clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn file(rows: &[Json], period: Option<&str>, chains: usize) -> Json {
    let goal = |name: &str, status: &str, chain: Option<usize>, at: Option<usize>, expectation: &str| {
        json!({ "name": name, "requirement": "REQ, \"1\"", "text": "a < b && \u{fc}", "origin": { "file": "m.c", "line": 3 }, "steps": 1,
                "status": status, "chain": chain, "at": at, "expectation": expectation,
                "reason": chain.is_none().then_some("proven, by <induction>") })
    };
    let steps: Vec<Json> = rows
        .iter()
        .enumerate()
        .map(|(number, row)| {
            let covers = if number + 1 == rows.len() { json!(["g[0]"]) } else { json!([]) };
            json!({ "inputs": prefixed(row, "u_"), "outputs": prefixed(row, "y_"), "state": {}, "covers": covers })
        })
        .collect();
    let chain =
        json!({ "length": rows.len(), "order": ["g[0]"], "steps": steps, "end_state": {}, "replayed": true });
    let last = rows.len() - 1;
    json!({
        "schema": "chaincover/chain/1",
        "tool": { "name": "chaincover", "version": "1", "solver": "none" },
        "model": { "name": "edge \"values\"", "sources": [{ "path": "m.c", "sha256": "" }], "target": "lp64", "init": "", "step": "step",
                   "period": period, "configuration": { "model": { "sources": ["m.c"] } } },
        "inputs": signals("u_"), "outputs": signals("y_"), "state": [],
        "goals": [goal("g[0]", "covered", Some(0), Some(last), "violated"), goal("g[1]", "unreachable", None, None, "none"),
                  goal("g 2", "undecided", None, None, "none")],
        "chains": vec![chain; chains],
        "summary": { "goals": 3, "covered": 1, "chains": chains, "length": chains * rows.len(), "lower_bound": 1, "minimal": "gap", "k": 1, "seconds": 0.0 },
        "stages": [],
    })
}
