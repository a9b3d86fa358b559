//! JSON in which no object has two members of one name. `serde_json` takes the last of them, which
//! may be another value than the one that was meant: a verdict on it would be one on something
//! else.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};
use std::fmt;

/// Reads a text of JSON.
///
/// # Errors
/// It is no JSON, or an object in it has two members of one name.
///
/// ```
/// assert!(harness::strict_json(r#"{"out":{"n":1}}"#).is_ok());
/// assert!(harness::strict_json(r#"{"out":{"n":1,"n":2}}"#).is_err());
/// ```
pub fn strict_json(text: &str) -> Result<Json, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|Strict(json)| json)
}

/// A value whose objects have been looked at.
struct Strict(Json);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading).map(Self)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut found = Vec::new();
        while let Some(Strict(entry)) = entries.next_element()? {
            found.push(entry);
        }
        Ok(found.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut found = Map::new();
        while let Some((name, Strict(value))) = entries.next_entry::<String, Strict>()? {
            if found.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` twice in one object")));
            }
            found.insert(name, value);
        }
        Ok(found.into())
    }
}
