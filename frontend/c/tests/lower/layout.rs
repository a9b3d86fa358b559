//! Sizes, alignments and offsets are those of gcc for each data model.

use crate::lower::support::{check_program, read_valid};
use frontend_c::ir::target::DataModel;
use frontend_c::ir::types::Record;
use std::fmt::Write;
use std::process::Command;

/// Records of scalars, arrays, nested records and bit-fields, by a small generator.
fn records(count: usize) -> String {
    let mut state = 88172645463325252u64;
    let mut below = |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let scalars =
        ["char", "short", "int", "long", "long long", "float", "double", "void *", "_Bool", "unsigned char"];
    let integers =
        [("char", 8), ("short", 16), ("int", 32), ("unsigned", 32), ("long long", 64), ("_Bool", 1)];
    let mut text = String::new();
    for number in 0..count {
        let pack =
            ["", "", "", "", "#pragma pack(push, 1)\n", "#pragma pack(push, 2)\n", "#pragma pack(push, 4)\n"]
                [below(7) as usize];
        let packed = if pack.is_empty() && below(6) == 0 { "__attribute__((packed)) " } else { "" };
        let keyword = if below(8) == 0 { "union" } else { "struct" };
        let _ = writeln!(text, "{pack}{keyword} {packed}r{number} {{");
        for field in 0..1 + below(6) {
            let _ = match below(10) {
                0..4 => writeln!(text, "    {} f{field};", scalars[below(10) as usize]),
                4 => writeln!(text, "    {} f{field}[{}];", scalars[below(10) as usize], 1 + below(3)),
                // Nested records with bit-fields could hide where those are; these have none.
                5 => writeln!(
                    text,
                    "    struct {{ {} a; {} b; }} f{field};",
                    scalars[below(10) as usize],
                    scalars[below(10) as usize]
                ),
                6 => writeln!(text, "    int : {};", below(9)),
                _ => {
                    let (ty, bits) = integers[below(6) as usize];
                    // A packed field may be such that no unit of its type holds it: that is refused. Small ones always fit.
                    let is_packed = !packed.is_empty() || !pack.is_empty();
                    let most = if is_packed && bits > 8 {
                        bits - 7
                    } else if is_packed {
                        1
                    } else {
                        bits
                    };
                    writeln!(text, "    {ty} f{field} : {};", 1 + below(most))
                }
            };
        }
        let _ = writeln!(text, "}};{}", if pack.is_empty() { "" } else { "\n#pragma pack(pop)" });
        let _ = writeln!(text, "{keyword} r{number} v{number};");
    }
    text
}

/// Claims about a record, for the compiler to check. Places of bit-fields are collected.
fn claims(name: &str, record: &Record, asserts: &mut String, objects: &mut Vec<Claim>) {
    let keyword = if record.is_union { "union" } else { "struct" };
    let _ =
        writeln!(asserts, "_Static_assert(sizeof({keyword} {name}) == {}, \"size of {name}\");", record.size);
    let _ = writeln!(
        asserts,
        "_Static_assert(_Alignof({keyword} {name}) == {}, \"alignment of {name}\");",
        record.alignment
    );
    for field in record.fields.as_deref().unwrap_or_default() {
        match field.bits {
            None => {
                let _ = writeln!(
                    asserts,
                    "_Static_assert(__builtin_offsetof({keyword} {name}, {0}) == {1}, \"{name}.{0}\");",
                    field.name, field.offset
                );
            }
            Some(bits) => {
                let first = 8 * field.offset + u64::from(bits.low);
                objects.push((
                    format!("{keyword} {name}"),
                    field.name.clone(),
                    first..first + u64::from(bits.width),
                ));
            }
        }
    }
}

/// A bit-field: its record, its name, and the bits that it should take.
type Claim = (String, String, std::ops::Range<u64>);

/// Bytes for each object in which one bit-field is set.
const SLOT: u64 = 128;

/// One object with a slot for each bit-field, in which this field alone is set.
fn slots(claims: &[Claim]) -> String {
    let mut text = "struct slots {\n".to_owned();
    for (index, (record, ..)) in claims.iter().enumerate() {
        let _ = writeln!(text, "    union {{ {record} record; unsigned char bytes[{SLOT}]; }} slot{index};");
    }
    text += "} slots = {\n";
    for (index, (_, field, _)) in claims.iter().enumerate() {
        let _ = writeln!(text, "    .slot{index}.record.{field} = -1,");
    }
    text + "};\n"
}

#[test]
fn layouts_are_those_of_the_compiler() {
    let text = records(300);
    for (model, mode) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let loader = read_valid(&text, model);
        let mut check = text.clone();
        let mut objects = Vec::new();
        for record in loader.program().types.records.values().filter(|record| record.name.starts_with('r')) {
            claims(&record.name, record, &mut check, &mut objects);
        }
        assert!(objects.len() > 100, "there should be bit-fields");
        check += &slots(&objects);
        let bytes = compile(&check, mode);
        for (index, claim) in objects.iter().enumerate() {
            let start = index * SLOT as usize;
            check_bits(&bytes[start..start + SLOT as usize], claim);
        }
    }
}

/// Compiles a file; returns the bytes of its object `slots`.
fn compile(text: &str, mode: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("layout.c"), text).expect("a temporary file should be possible");
    let mut compiler = Command::new("cc");
    compiler.args([mode, "-std=gnu11", "-w", "-c", "-fdata-sections"]);
    let output = compiler.arg(path("layout.c")).arg("-o").arg(path("layout.o")).output();
    let output = output.expect("a C compiler should be installed");
    assert!(output.status.success(), "{mode}:\n{}", String::from_utf8_lossy(&output.stderr));
    let mut copy = Command::new("objcopy");
    copy.args(["-O", "binary", "--only-section", ".data.slots"]);
    let status = copy.arg(path("layout.o")).arg(path("layout.bin")).status();
    assert!(status.expect("objcopy should be installed with the compiler").success());
    std::fs::read(path("layout.bin")).expect("the section should be written")
}

/// A slot holds ones exactly in the bits of its field.
fn check_bits(bytes: &[u8], (record, field, expected): &Claim) {
    for bit in 0..8 * bytes.len() as u64 {
        let is_set = bytes[(bit / 8) as usize] >> (bit % 8) & 1 == 1;
        assert_eq!(
            is_set,
            expected.contains(&bit),
            "{record}.{field}: bit {bit}, expected {expected:?} in {bytes:02x?}"
        );
    }
}

#[test]
fn sixteen_bit_targets_align_to_two_bytes() {
    check_program(
        "struct s { char c; long l; long long w; double d; char *p; int i : 9; unsigned j : 9; char t; } s;
         enum e { A, B = 40000 } e; struct t { char c[3]; } t;",
        DataModel::Ip16,
        "struct s { // size 30, alignment 2
    char c; // at 0
    long l; // at 2
    long long w; // at 6
    double d; // at 14
    char *p; // at 22
    int i : 9; // at 24, bit 0
    unsigned int j : 9; // at 26, bit 0
    char t; // at 28
}
struct t { // size 3, alignment 1
    char c[3]; // at 0
}
struct s s;
enum e e;
struct t t;
",
    );
}

/// Sizes and alignments of expressions and types, each with what gcc has for 64 and for 32 bits.
const NUMBERS: &[(&str, u64, u64)] = &[
    ("sizeof(f.a += 1)", 1, 1),
    ("sizeof(f.a = 7)", 1, 1),
    ("sizeof f.a++", 1, 1),
    ("sizeof(--f.s)", 2, 2),
    ("sizeof(n, f.s)", 2, 2),
    ("sizeof(n, n, p->a <<= 1)", 1, 1),
    ("sizeof(f.d |= 1)", 1, 1),
    ("sizeof(f.c = 1)", 1, 1),
    ("sizeof(f.w -= 1)", 8, 8),
    ("sizeof(f.i = 1)", 4, 4),
    ("sizeof(n ? f.a : f.a)", 4, 4),
    ("sizeof(+f.a)", 4, 4),
    ("sizeof(n = f.a)", 4, 4),
    ("sizeof(plain.c += 1)", 1, 1),
    ("sizeof(plain.l++)", 8, 8),
    ("_Alignof(double)", 8, 4),
    ("__alignof__(double)", 8, 8),
    ("__alignof(long long)", 8, 8),
    ("__alignof__(unsigned long long[3])", 8, 8),
    ("_Alignof(long long[3])", 8, 4),
    ("__alignof__(struct plain)", 8, 4),
    ("__alignof__(double *)", 8, 4),
    ("__alignof__(char)", 1, 1),
    ("_Alignof n", 4, 4),
    ("_Alignof(wide)", 8, 8),
    ("__alignof__ wide", 8, 8),
    ("_Alignof(plain.l)", 8, 4),
    ("__alignof__(plain.l)", 8, 4),
    ("_Alignof(at->l)", 8, 4),
    ("_Alignof plain", 8, 4),
    ("_Alignof *at", 8, 4),
    ("_Alignof(wides)", 8, 8),
    ("_Alignof(wides[1])", 8, 8),
    ("_Alignof(tight.i)", 1, 1),
    ("_Alignof(tight.s[1])", 2, 2),
    ("_Alignof tight", 1, 1),
    ("_Alignof(tight.in)", 4, 4),
    ("_Alignof(plain.l + 1)", 8, 8),
    ("_Alignof(\"text\")", 1, 1),
    ("sizeof(_Alignof n++)", 8, 4),
    ("_Alignof f_", 1, 1),
];

#[test]
fn numbers_that_types_give_are_those_of_the_compiler() {
    let text = |asserts: &str| {
        format!(
            "struct {{ unsigned a : 3; int b : 4; unsigned long long w : 40; _Bool d : 1; unsigned char c : 5; unsigned short s : 9; int i : 32; }} f, *p = &f;
             struct plain {{ char c; long long l; }} plain, *at; int n; long long wide, wides[2];
             struct __attribute__((packed)) {{ char c; int i; short s[2]; struct {{ int in; }}; }} tight; void f_(void) {{ {asserts} }}\n"
        )
    };
    for (model, mode) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let number = |&(_, wide, narrow): &(&str, u64, u64)| if mode == "-m64" { wide } else { narrow };
        let asserts =
            NUMBERS.iter().map(|row| format!("_Static_assert({} == {}, {:?});\n", row.0, number(row), row.0));
        let text = text(&asserts.collect::<String>());
        read_valid(&text, model);
        compile(&format!("{text}\nint slots = 1;"), mode);
    }
}
