//! XML as a tree of elements: names, attributes and lines, which is all that descriptions need.

use frontend::source::decode;
use quick_xml::events::{BytesStart, Event};

/// Elements within elements at most.
const DEEPEST: usize = 64;

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// The line on which its start tag ends, from 1.
    pub(crate) line: u32,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Self>,
}

/// What is wrong with a text, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn at(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
    /// The first child of that name.
    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }
    /// The children of that name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }
    /// The value of an attribute that must be there.
    ///
    /// # Errors
    /// It is not.
    pub(crate) fn need(&self, name: &str) -> Result<&str, Wrong> {
        self.get(name).ok_or_else(|| Wrong::at(self.line, format!("<{}> has no {name}", self.name)))
    }
    /// An attribute that is a number of some kind, where it is there.
    ///
    /// # Errors
    /// It is no such number.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Wrong> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let wrong = || Wrong::at(self.line, format!("{name}=\"{text}\" is not a number as it should be"));
        text.trim().parse().map(Some).map_err(|_| wrong())
    }
}

/// The root element of a document.
///
/// # Errors
/// It is no well-formed XML, or lies deeper than descriptions do.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element, Wrong> {
    let text = decode(bytes);
    let mut reader = quick_xml::Reader::from_str(&text);
    let line_of = |at: u64| {
        let end = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
        let ends = text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count();
        u32::try_from(ends + 1).unwrap_or(u32::MAX)
    };
    let mut open: Vec<Element> = Vec::new();
    loop {
        let event = reader.read_event();
        let event = event.map_err(|error| Wrong::at(line_of(reader.error_position()), error.to_string()))?;
        let line = line_of(reader.buffer_position());
        let closed = match event {
            Event::Start(tag) => {
                if open.len() >= DEEPEST {
                    return Err(Wrong::at(line, "elements lie too deep within each other"));
                }
                open.push(element(&tag, line)?);
                None
            }
            Event::Empty(tag) => Some(element(&tag, line)?),
            Event::End(_) => open.pop(),
            Event::Eof => return Err(Wrong::at(line, "the document ends before its root element does")),
            _ => None,
        };
        if let Some(closed) = closed {
            match open.last_mut() {
                Some(parent) => parent.children.push(closed),
                None => return Ok(closed),
            }
        }
    }
}

fn element(tag: &BytesStart<'_>, line: u32) -> Result<Element, Wrong> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| Wrong::at(line, error.to_string()))?;
        let raw = String::from_utf8_lossy(&attribute.value);
        let value = quick_xml::escape::unescape(&raw).map_err(|error| Wrong::at(line, error.to_string()))?;
        attributes.push((String::from_utf8_lossy(attribute.key.as_ref()).into_owned(), value.into_owned()));
    }
    let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
    Ok(Element { name, line, attributes, children: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_read() {
        let text = "<?xml version=\"1.0\"?>\n<!-- a -->\n<a x='1 &lt; 2'>\n <b/>\n <c y=\"&#228;\">text<d/></c>\n</a>";
        let root = parse(text.as_bytes()).expect("a tree");
        assert_eq!((root.name.as_str(), root.line, root.get("x")), ("a", 3, Some("1 < 2")));
        let names: Vec<&str> = root.children.iter().map(|child| child.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        let inner = root.child("c").expect("a child");
        assert_eq!((inner.get("y"), inner.line, inner.children.len()), (Some("ä"), 5, 1));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let deep = "<a>".repeat(100);
        let table = [
            ("", 1, "the document ends before its root element does"),
            ("<a>\n<b>\n", 3, "the document ends before its root element does"),
            ("<a>\n</b>\n", 2, "expected `</a>`, but `</b>` was found"),
            ("<a x=1/>", 1, "attribute value must be enclosed in `\"` or `'`"),
            ("<a x='&evil;'/>", 1, "unrecognized entity `evil`"),
            (&deep, 1, "elements lie too deep within each other"),
        ];
        for (text, line, message) in table {
            let wrong = parse(text.as_bytes()).expect_err(text);
            assert!(wrong.line == line && wrong.message.contains(message), "{text}: {wrong:?}");
        }
    }
}
