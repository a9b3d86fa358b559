//! Values of many signals, as a step of a chain has them.
//!
//! A chain has thousands of steps, each with hundreds of values: maps of JSON values would take
//! gigabytes. Steps share the names here, and a number takes 16 bytes. In files they are JSON
//! objects.

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Names of signals, each once, in order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    list: Vec<String>,
    positions: HashMap<String, usize>,
}

impl Names {
    /// These names; of equal ones the first counts.
    pub fn new(list: impl IntoIterator<Item = String>) -> Self {
        let mut names = Self::default();
        for name in list {
            names.add(name);
        }
        names
    }
    /// The position of a name, which is added where it is new.
    fn add(&mut self, name: String) -> usize {
        let next = self.list.len();
        let position = *self.positions.entry(name.clone()).or_insert(next);
        if position == next {
            self.list.push(name);
        }
        position
    }
}

/// A value of each of some signals.
#[derive(Clone, Debug, Default)]
pub struct Values {
    names: Arc<Names>,
    cells: Vec<Cell>,
}

/// A value.
#[derive(Clone, Debug)]
enum Cell {
    Integer(i64),
    /// A finite number of single precision: the shortest decimal that reads back as it, and its
    /// bits.
    Single(f64, u32),
    /// A finite number of double precision.
    Double(f64),
    Other(Box<Json>),
}

impl Values {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }
    /// A value for each of these names, in order.
    ///
    /// # Panics
    /// If there are more or fewer values than names.
    pub fn of(names: &Arc<Names>, values: impl IntoIterator<Item = Json>) -> Self {
        let cells: Vec<Cell> = values.into_iter().map(Cell::from).collect();
        assert_eq!(cells.len(), names.list.len(), "each name should have a value");
        Self { names: Arc::clone(names), cells }
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
    /// Number of values.
    pub fn len(&self) -> usize {
        self.cells.len()
    }
    /// The value of a signal, as in files.
    pub fn get(&self, name: &str) -> Option<Json> {
        self.cell(name).map(Cell::json)
    }
    /// Whether the signal has a value.
    pub fn contains_key(&self, name: &str) -> bool {
        self.names.positions.contains_key(name)
    }
    /// The names in order.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.names.list.iter()
    }
    /// The values in order, as in files.
    pub fn values(&self) -> impl Iterator<Item = Json> {
        self.cells.iter().map(Cell::json)
    }
    /// The names with their values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, Json)> {
        self.keys().zip(self.values())
    }
    /// Whether a signal has the same value, or none, in others.
    pub fn agrees_on(&self, name: &str, other: &Self) -> bool {
        self.cell(name) == other.cell(name)
    }
    /// Sets the value of a signal, which is the last one where it is new.
    pub fn insert(&mut self, name: String, value: Json) {
        match self.names.positions.get(&name) {
            Some(&position) => self.cells[position] = Cell::from(value),
            None => {
                Arc::make_mut(&mut self.names).add(name);
                self.cells.push(Cell::from(value));
            }
        }
    }
    /// Gives a value another name, if that is none of another value; it keeps its place.
    pub fn rename(&mut self, old: &str, new: &str) {
        if self.contains_key(old) && !self.contains_key(new) {
            let name = |name: &String| if name == old { new.to_owned() } else { name.clone() };
            self.names = Arc::new(Names::new(self.names.list.iter().map(name)));
        }
    }
    fn cell(&self, name: &str) -> Option<&Cell> {
        self.names.positions.get(name).map(|&position| &self.cells[position])
    }
}

impl FromIterator<(String, Json)> for Values {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(pairs: I) -> Self {
        let mut values = Self::new();
        pairs.into_iter().for_each(|(name, value)| values.insert(name, value));
        values
    }
}

/// Equal where the same names have the same values, in any order.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.names, &other.names) || self.names.list == other.names.list {
            return self.cells == other.cells;
        }
        self.len() == other.len() && self.keys().all(|name| self.agrees_on(name, other))
    }
}

impl Cell {
    fn json(&self) -> Json {
        match self {
            Self::Integer(number) => json!(number),
            Self::Single(number, bits) => json!({ "value": number, "bits": single_bits(*bits) }),
            Self::Double(number) => json!({ "value": number, "bits": double_bits(*number) }),
            Self::Other(json) => Json::clone(json),
        }
    }
    /// A float as files have it, if it is finite.
    fn float(json: &Json) -> Option<Self> {
        let fields = json.as_object().filter(|fields| fields.len() == 2)?;
        let Json::Number(number) = fields.get("value")? else { return None };
        let number = number.as_f64().filter(|_| number.is_f64())?;
        let text = fields.get("bits")?.as_str()?;
        let bits = u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
        let single = u32::try_from(bits).ok().filter(|&bits| text == single_bits(bits));
        let double =
            (number.to_bits() == bits && text == double_bits(number)).then_some(Self::Double(number));
        single.map(|bits| Self::Single(number, bits)).or(double)
    }
}

impl From<Json> for Cell {
    fn from(json: Json) -> Self {
        match json.as_i64() {
            Some(number) => Self::Integer(number),
            None => Self::float(&json).unwrap_or_else(|| Self::Other(Box::new(json))),
        }
    }
}

/// The two zeros are different values.
impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Single(number, bits), Self::Single(other, other_bits)) => {
                bits == other_bits && number.to_bits() == other.to_bits()
            }
            (Self::Double(one), Self::Double(other)) => one.to_bits() == other.to_bits(),
            (Self::Other(one), Self::Other(other)) => one == other,
            _ => false,
        }
    }
}

fn single_bits(bits: u32) -> String {
    format!("0x{bits:08x}")
}

fn double_bits(number: f64) -> String {
    format!("0x{:016x}", number.to_bits())
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, cell) in self.names.list.iter().zip(&self.cells) {
            map.serialize_entry(name, cell)?;
        }
        map.end()
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let float = |serializer: S, number: f64, bits: String| {
            let mut map = serializer.serialize_map(Some(2))?;
            map.serialize_entry("value", &number)?;
            map.serialize_entry("bits", &bits)?;
            map.end()
        };
        match self {
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Single(number, bits) => float(serializer, *number, single_bits(*bits)),
            Self::Double(number) => float(serializer, *number, double_bits(*number)),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Values;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Values, A::Error> {
        let mut values = Values::new();
        while let Some((name, value)) = map.next_entry::<String, Json>()? {
            if values.contains_key(&name) {
                return Err(A::Error::custom(format_args!("`{name}` has two values")));
            }
            values.insert(name, value);
        }
        values.names = shared(values.names);
        Ok(values)
    }
}

/// Inputs, outputs, states and choices of a step, each with names of their own.
const KINDS: usize = 4;

thread_local! {
    /// The names that were read last.
    static READ: RefCell<Vec<Arc<Names>>> = const { RefCell::new(Vec::new()) };
}

/// The same names, shared with values that were read before.
fn shared(names: Arc<Names>) -> Arc<Names> {
    READ.with_borrow_mut(|read| {
        if let Some(known) = read.iter().find(|known| known.list == names.list) {
            return Arc::clone(known);
        }
        read.insert(0, Arc::clone(&names));
        read.truncate(KINDS);
        names
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"n":-3,"go":true,"x":{"value":0.1,"bits":"0x3dcccccd"},"y":{"value":-0.0,"bits":"0x8000000000000000"},"wide":"18446744073709551615","none":{"value":"NaN","bits":"0x7fc00000"},"odd":{"value":1.5,"bits":"0x3fc0"},"list":[1],"half":0.5}"#;

    #[test]
    fn files_read_back_as_they_are() {
        let values: Values = serde_json::from_str(TEXT).expect("values");
        assert_eq!(serde_json::to_string(&values).expect("a text"), TEXT);
        let json: Json = serde_json::from_str(TEXT).expect("JSON");
        let object = json.as_object().expect("an object");
        assert_eq!(values.len(), object.len());
        for (name, value) in object {
            assert_eq!(values.get(name).as_ref(), Some(value), "{name}");
        }
        let again: Values = serde_json::from_str(TEXT).expect("values");
        assert!(Arc::ptr_eq(&values.names, &again.names), "names are kept once");
        assert_eq!(values, again);
        assert_eq!(values.keys().collect::<Vec<_>>(), object.keys().collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_names_does_not_count_but_the_sign_of_zero_does() {
        let values = |text: &str| serde_json::from_str::<Values>(text).expect("values");
        assert_eq!(values(r#"{"a":1,"b":2}"#), values(r#"{"b":2,"a":1}"#));
        assert_ne!(values(r#"{"a":1,"b":2}"#), values(r#"{"a":1}"#));
        assert_ne!(values(r#"{"a":1}"#), values(r#"{"b":1}"#));
        let zero = |bits: &str| values(&format!(r#"{{"a":{{"value":{bits}}}}}"#));
        assert_ne!(zero(r#"0.0,"bits":"0x00000000""#), zero(r#"-0.0,"bits":"0x80000000""#));
    }

    #[test]
    fn a_change_leaves_others_as_they_are() {
        let names = Arc::new(Names::new(["a".to_owned(), "b".to_owned()]));
        let first = Values::of(&names, [json!(1), json!(2)]);
        let mut second = first.clone();
        second.insert("b".to_owned(), json!(3));
        second.insert("c".to_owned(), json!(4));
        second.rename("a", "z");
        assert_eq!(serde_json::to_string(&first).expect("a text"), r#"{"a":1,"b":2}"#);
        assert_eq!(serde_json::to_string(&second).expect("a text"), r#"{"z":1,"b":3,"c":4}"#);
        assert!(first.agrees_on("x", &second) && !first.agrees_on("b", &second));
    }
}
