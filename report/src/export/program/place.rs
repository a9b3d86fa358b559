//! Where a signal is: an lvalue, or bits of an object that have no name of their own.
//!
//! Bits without a name (of an unnamed bit-field, or where members of a union overlap) are written
//! `object{first..last}` or `object{bit}` in `chain.json`, which is no C. The program reaches them
//! through the bytes of the object, in the order of little-endian targets, which the model has.

use super::own::Taken;

/// See the module text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// An lvalue.
    object: String,
    /// First bit and number of bits, where it is not all of the object.
    bits: Option<(u32, u32)>,
}

impl Place {
    /// Reads an lvalue as `chain.json` has it.
    pub(super) fn parse(lvalue: &str) -> Self {
        let split = lvalue.strip_suffix('}').and_then(|text| {
            let (object, range) = text.rsplit_once('{')?;
            let (first, last) = range.split_once("..").unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            Some((object, (first, last.checked_sub(first)? + 1)))
        });
        match split {
            Some((object, bits)) => Self { object: object.to_owned(), bits: Some(bits) },
            None => Self { object: lvalue.to_owned(), bits: None },
        }
    }

    /// Whether it is bits without a name.
    pub(super) const fn is_bits(&self) -> bool {
        self.bits.is_some()
    }

    /// The statement that gives it a value.
    pub(super) fn assignment(&self, value: &str, taken: &Taken) -> String {
        let object = &self.object;
        match self.bits {
            None => format!("{object} = {value};"),
            Some((first, count)) => {
                let function = taken.own("set_bits");
                format!("{function}(&({object}), {first}, {count}, (unsigned long long){value});")
            }
        }
    }

    /// The expression for its value.
    pub(super) fn value(&self, is_signed: bool, taken: &Taken) -> String {
        let object = &self.object;
        let Some((first, count)) = self.bits else { return object.clone() };
        let bits = format!("{}(&({object}), {first}, {count})", taken.own("get_bits"));
        if is_signed {
            let sign = format!("(1ULL << {})", count - 1);
            format!("(long long)(({bits} ^ {sign}) - {sign})")
        } else {
            bits
        }
    }
}

/// The functions that the program needs for bits without a name: to set them, to read them.
pub(super) fn functions(sets: bool, reads: bool, taken: &Taken) -> String {
    let parts = [
        (
            sets || reads,
            "\n/* Bits that no member is, by the bytes of the object: the first byte holds the lowest bits. */",
        ),
        (reads, GET),
        (sets, SET),
    ];
    let text: String = parts.into_iter().filter(|(needed, _)| *needed).map(|(_, text)| text).collect();
    text.replace("get_bits", &taken.own("get_bits")).replace("set_bits", &taken.own("set_bits"))
}

const GET: &str = r#"
static unsigned long long get_bits(const void *object, unsigned first, unsigned count)
{
    const unsigned char *bytes = object;
    unsigned long long value = 0;
    unsigned bit;
    for (bit = 0; bit < count; bit++)
        value |= (unsigned long long)(bytes[(first + bit) / 8] >> (first + bit) % 8 & 1) << bit;
    return value;
}
"#;
const SET: &str = r#"
static void set_bits(void *object, unsigned first, unsigned count, unsigned long long value)
{
    unsigned char *bytes = object;
    unsigned bit;
    for (bit = 0; bit < count; bit++) {
        const unsigned char mask = (unsigned char)(1u << (first + bit) % 8);
        unsigned char *byte = &bytes[(first + bit) / 8];
        *byte = (unsigned char)(value >> bit & 1 ? *byte | mask : *byte & ~mask);
    }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_without_a_name_are_told_from_lvalues() {
        let table = [
            ("st.run", Place { object: "st.run".to_owned(), bits: None }),
            ("st.all{5..7}", Place { object: "st.all".to_owned(), bits: Some((5, 3)) }),
            ("(*p)[2].x{4}", Place { object: "(*p)[2].x".to_owned(), bits: Some((4, 1)) }),
            ("st.odd{7..5}", Place { object: "st.odd{7..5}".to_owned(), bits: None }),
        ];
        for (lvalue, expected) in table {
            assert_eq!(Place::parse(lvalue), expected, "{lvalue}");
        }
    }
}
