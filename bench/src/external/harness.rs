//! Main programs around a [`program`](super::program): what each tool needs to search with.

use super::program::{TooWide, program, type_name};
use super::speed::HELD;
use model::id::Id;
use model::system::Input;
use model::validate::Validated;
use std::fmt::Write;

/// Name of the file into which a fuzzing harness writes the inputs of a chain: a line of
/// hexadecimal numbers for the initial inputs, then one for each step.
pub(super) const CHAIN_FILE: &str = "chain.txt";
/// The same for the best run that ends in Final and does not cover all goals.
pub(super) const PART_FILE: &str = "part.txt";

fn names(system: &Validated) -> Vec<(String, &Input)> {
    let initial = system.initial_inputs.iter().map(|(id, input)| (format!("n{}", id.index()), input));
    initial.chain(inputs(system)).collect()
}

fn inputs(system: &Validated) -> impl Iterator<Item = (String, &Input)> {
    system.inputs.iter().map(|(id, input)| (format!("i{}", id.index()), input))
}

/// One query for the whole chain: the assertion fails where all goals are latched and the chain may
/// end.
pub(super) fn latched(system: &Validated) -> Result<String, TooWide> {
    bounded(system, "        __CPROVER_assert(!(all_seen() && may_end()), \"chain\");\n")
}

/// One cover for each goal that is latched where a test case may end.
pub(super) fn covers(system: &Validated) -> Result<String, TooWide> {
    let mut covers = String::new();
    for goal in system.goals.ids() {
        let _ = writeln!(covers, "        __CPROVER_cover(seen[{}] && may_end());", goal.index());
    }
    bounded(system, &covers)
}

/// A loop over steps with free inputs, for CBMC.
fn bounded(system: &Validated, check: &str) -> Result<String, TooWide> {
    let mut text = program(system)?;
    for (name, input) in names(system) {
        let ty = type_name(system.terms.symbol(input.symbol).sort);
        let _ = writeln!(text, "{ty} nondet_{name}(void);");
    }
    let choose = |text: &mut String, name: &str, input: &Input| {
        let width = system.terms.symbol(input.symbol).sort.width();
        let _ = writeln!(text, "        {name} = nondet_{name}();");
        if !matches!(width, 8 | 16 | 32 | 64) {
            let _ = writeln!(text, "        __CPROVER_assume({name} <= {}ull);", u64::MAX >> (64 - width));
        }
        let _ = writeln!(text, "        __CPROVER_input(\"{name}\", {name});");
    };
    text.push_str("int main(void)\n{\n");
    for (name, input) in names(system).iter().filter(|(name, _)| name.starts_with('n')) {
        choose(&mut text, name, input);
    }
    text.push_str("    __CPROVER_assume(initially_admitted());\n    initialise();\n    while (1) {\n");
    for (name, input) in inputs(system) {
        choose(&mut text, &name, input);
    }
    let _ = write!(text, "        __CPROVER_assume(admitted());\n        advance();\n{check}    }}\n}}\n");
    Ok(text)
}

/// A function that takes bytes as inputs, step by step, and aborts where a chain is complete. Each
/// number of goals seen is a branch of its own, so that fuzzers guided by coverage keep what covers
/// more.
pub(super) fn fuzzed(system: &Validated) -> Result<String, TooWide> {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n");
    text.push_str(&program(system)?);
    let count = system.inputs.len() + system.initial_inputs.len();
    let _ = writeln!(
        text,
        "enum {{ MOST_STEPS = 20000, VALUES = {} }};\nstatic uint64_t record[MOST_STEPS + 1][VALUES];\nstatic int best;\nstatic volatile int progress;",
        count.max(1)
    );
    let mut take = String::new();
    let mut keep = String::new();
    for (position, (name, input)) in names(system).iter().enumerate() {
        let sort = system.terms.symbol(input.symbol).sort;
        let bytes = sort.width().div_ceil(8);
        let mask = u64::MAX >> (64 - sort.width());
        let row = if name.starts_with('n') { "0" } else { "steps + 1" };
        let target = if name.starts_with('n') { &mut keep } else { &mut take };
        let _ = writeln!(
            target,
            "        {{ uint64_t bits = 0; memcpy(&bits, data + at, {bytes}); bits &= {mask}ull; at += {bytes}; record[{row}][{position}] = bits; memcpy(&{name}, &bits, sizeof {name}); }}"
        );
    }
    let width = |prefix: char| -> u32 {
        let own = names(system).into_iter().filter(|(name, _)| name.starts_with(prefix));
        own.map(|(_, input)| system.terms.symbol(input.symbol).sort.width().div_ceil(8)).sum()
    };
    text.push_str(DUMP);
    text.push_str("static void guide(int count)\n{\n    switch (count) {\n");
    for count in 0..=system.goals.len() {
        let _ = writeln!(text, "    case {count}: progress = {count}; break;");
    }
    text.push_str("    }\n}\n");
    let _ = write!(
        text,
        "static int run(const uint8_t *data, size_t size)\n{{\n    size_t at = 0;\n    if (size < {initial}) return 0;\n{keep}    if (!initially_admitted()) return 0;\n    initialise();\n    while (at + {step} <= size && steps < MOST_STEPS) {{\n{take}        if (!admitted()) continue;\n        advance();\n        int count = 0;\n        for (int goal = 0; goal < {goals}; goal++) count += seen[goal];\n        guide(count);\n#ifndef READS_STANDARD_INPUT\n        if (may_end() && count > best) {{ best = count; dump(\"{PART_FILE}\"); }}\n#endif\n        if (may_end() && count == {goals}) {{ dump(\"{CHAIN_FILE}\"); abort(); }}\n    }}\n    return 0;\n}}\n",
        initial = width('n'),
        step = width('i').max(1),
        goals = system.goals.len(),
    );
    text.push_str(ENTRIES);
    Ok(text)
}

/// A loop of so many steps under the rows of a table, each held for a while, which prints the
/// seconds it took and the state words as they are after `looked_at` steps.
pub(super) fn looped(
    system: &Validated,
    table: &[Vec<u64>],
    steps: u64,
    looked_at: u64,
) -> Result<String, TooWide> {
    let mut text = String::from("#include <stdio.h>\n#include <time.h>\n");
    text.push_str(&program(system)?);
    let columns = system.inputs.len().max(1);
    let _ = writeln!(text, "static const uint64_t table[{}][{columns}] = {{", table.len());
    for row in table {
        let row: Vec<String> = row.iter().map(|value| format!("{value}ull")).collect();
        let _ = writeln!(text, "    {{ {} }},", if row.is_empty() { "0".to_owned() } else { row.join(", ") });
    }
    text.push_str("};\n");
    let (mut feed, mut keep, mut print) = (String::new(), String::new(), String::new());
    for (position, (name, _)) in inputs(system).enumerate() {
        let _ = writeln!(feed, "            memcpy(&{name}, &row[{position}], sizeof {name});");
    }
    for id in system.states.ids() {
        let number = id.index();
        let _ = writeln!(keep, "            memcpy(&kept[{number}], &s{number}, sizeof s{number});");
        let _ = writeln!(print, "    printf(\" %llu\", (unsigned long long)kept[{number}]);");
    }
    let _ = write!(
        text,
        "static uint64_t kept[{words}];\nint main(void)\n{{\n    struct timespec begin, end;\n    initialise();\n    \
         clock_gettime(CLOCK_MONOTONIC, &begin);\n    for (uint64_t n = 0; n < {steps}ull; n++) {{\n        if (n % {HELD} == 0) {{\n            \
         const uint64_t *row = table[n / {HELD} % {rows}];\n            (void)row;\n{feed}        }}\n        if (admitted()) advance();\n        \
         if (n + 1 == {looked_at}ull) {{\n{keep}        }}\n    }}\n    clock_gettime(CLOCK_MONOTONIC, &end);\n    \
         printf(\"%.6f\", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));\n{print}    \
         printf(\" %d\\n\", all_seen());\n    return 0;\n}}\n",
        words = system.states.len().max(1),
        rows = table.len(),
    );
    Ok(text)
}

const DUMP: &str = r#"static void dump(const char *name)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, "%s.%d", name, (int)getpid());
    FILE *file = fopen(temporary, "w");
    if (file == NULL) return;
    for (uint32_t row = 0; row <= steps; row++) {
        for (int value = 0; value < VALUES; value++) fprintf(file, "%llx ", (unsigned long long)record[row][value]);
        fputc('\n', file);
    }
    fclose(file);
    rename(temporary, name);
}
"#;

const ENTRIES: &str = r"#ifdef READS_STANDARD_INPUT
int main(void)
{
    static uint8_t data[1 << 18];
#ifdef __AFL_LOOP
    while (__AFL_LOOP(100000))
#endif
    {
        size_t size = 0;
        ssize_t got;
        while ((got = read(0, data + size, sizeof data - size)) > 0) size += (size_t)got;
        run(data, size);
    }
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run(data, size);
}
#endif
";
