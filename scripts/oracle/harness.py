"""Turns a case of the corpus (`chaincover.toml` and C) into a shared library that the oracle can run.

Only what the corpus uses is understood; anything else is an error. Nothing here is shared with ChainCover itself: C stays C, and
gcc gives it its meaning.
"""

import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
CFLAGS = ["-std=gnu99", "-O1", "-fPIC", "-w", "-finstrument-functions", "-fwrapv", "-ffp-contract=off"]

# The C library has hooks of these names that do nothing; -Bsymbolic makes the model's calls end here.
HOOKS = """void oracle_left(void *);
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *site) { }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *site) { oracle_left(function); }"""


class Unsupported(Exception):
    """The case uses something the oracle does not know."""


@dataclass
class Goal:
    """A goal: the name of a property function in C, or the expressions of a `[[goal]]`."""

    name: str
    steps: list | None = None
    expect: str | None = None


@dataclass
class Case:
    """A case as its folder describes it."""

    folder: Path
    model: dict
    config: dict
    sources: list
    goal_files: list
    step: str
    init: str | None
    inputs: list  # (lvalue, list of C constants, or None for _Bool)
    goals: list = field(default_factory=list)


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def read_case(folder):
    """Reads `chaincover.toml` and looks for property functions in the C files."""
    folder = Path(folder)
    config = tomllib.loads((folder / "chaincover.toml").read_text())
    model = config["model"]
    sources = [(folder / name).resolve() for name in model["sources"]]
    goal_files = [(folder / name).resolve() for name in model.get("goals", [])]
    step = model.get("step")
    if not isinstance(step, str):
        raise Unsupported("the step function must be named, and be one")
    case = Case(folder, model, config, sources, goal_files, step, model.get("init"), read_inputs(config))
    text = "\n".join(preprocess(case, path) for path in sources + goal_files)
    case.goals = [Goal(name) for name in property_functions(text, step)]
    for goal in config.get("goal", []):
        steps = goal.get("step") or [{k: goal[k] for k in ("when", "after") if k in goal}]
        case.goals.append(Goal(goal["name"], steps, goal.get("expect")))
    return case


def read_inputs(config):
    """Leaves of the inputs with their values; an input whose leaves have sections of their own stands for these."""
    options = config.get("input", {})
    leaves = []
    for name in config["model"]["inputs"]:
        parts = [leaf for leaf in options if leaf.startswith((name + ".", name + "->", name + "["))]
        leaves += [(leaf, input_values(options[leaf])) for leaf in parts] or [(name, input_values(options.get(name, {})))]
    return leaves


def input_values(option):
    if "values" in option:
        return [str(value) for value in option["values"]]
    if "range" in option:
        low, high = option["range"]
        return [str(value) for value in range(int(low), int(high) + 1)]
    return None


def defines(case):
    return [f"-D{name}" for name in case.model.get("define", [])]


def includes(case):
    return [f"-I{(case.folder / name).resolve()}" for name in case.model.get("include", [])] + [f"-I{HERE / 'include'}"]


def preprocess(case, path):
    command = ["gcc", "-E", "-P", *defines(case), *includes(case), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def functions(text):
    """(name, parameters, body) of each function definition."""
    for match in re.finditer(r"\b(\w+)\s*\(([^(){};]*)\)\s*\{", text):
        if match[1] in ("if", "while", "for", "switch", "return", "do"):
            continue
        depth, end = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match[1], match[2], text[match.end():end - 1]


def property_functions(text, step):
    """Functions that call the step function under assumptions (the driver `main` excepted)."""
    return [name for name, _, body in functions(text)
            if name != "main" and re.search(rf"\b{step}\s*\(", body) and "assume" in body]


def parameters(case, text, function):
    """(declaration text, base type, name, is pointer) of each parameter of a function."""
    for name, params, _ in functions(text):
        if name == function:
            break
    else:
        raise Unsupported(f"no definition of {function}")
    result = []
    for param in params.split(","):
        param = param.strip()
        if param in ("", "void", "Void"):
            continue
        match = re.fullmatch(r"(.*?)\s*(\*?)\s*(?:const\s+)?(\w+)", param, flags=re.S)
        base = re.sub(r"\bconst\b", "", match[1]).strip()
        result.append((base, match[3], match[2] == "*"))
    return result


class Harness:
    """Writes the C text of the harness: the file with the step function, followed by what drives it."""

    def __init__(self, case, statics):
        self.case = case
        self.statics = statics
        self.text = {path: preprocess(case, path) for path in case.sources + case.goal_files}
        everything = "\n".join(self.text.values())
        self.everything = everything
        self.main_source = next(path for path in case.sources
                                if any(name == case.step for name, _, _ in functions(self.text[path])))
        self.step_parameters = parameters(case, everything, case.step)
        self.defined = {name for name, _, _ in functions(everything)}
        self.old = []

    def argument(self, name):
        return f"oracle_arg_{name}"

    def expression(self, text):
        """C of a TOML expression: parameters of the step function and static locals get their harness names."""
        for _, name, _ in self.step_parameters:
            text = re.sub(rf"\b{self.case.step}\.{name}\b", self.argument(name), text)
        text = re.sub(r"\b(\w+)::(\w+)\b", lambda m: self.static_local(m[1], m[2]), text)
        return text

    def static_local(self, function, name):
        body = next(body for f, _, body in functions(self.everything) if f == function)
        match = re.search(rf"\bstatic\s+([\w ]+?)\s*\b{name}\b", body)
        symbol = self.statics.get(name)
        if symbol is None:
            return f"(*({match[1]} *)0)"
        return f"(*({match[1]} *)&oracle_static_{name})"

    def call(self, function, params):
        return f"{function}({', '.join(self.argument(name) for _, name, _ in params)});"

    def objects(self):
        for base, name, pointer in self.step_parameters:
            if pointer:
                yield f"static {base} oracle_obj_{name}; static {base} *{self.argument(name)} = &oracle_obj_{name};"
            else:
                yield f"static {base} {self.argument(name)};"

    def init_call(self):
        if not self.case.init:
            return ""
        args = []
        for base, name, pointer in parameters(self.case, self.everything, self.case.init):
            same = [p for p in self.step_parameters if p[0] == base and p[2] == pointer]
            named = [p for p in same if p[1] == name] or same
            if len(named) != 1:
                raise Unsupported(f"argument {name} of {self.case.init}")
            args.append(self.argument(named[0][1]))
        return f"{self.case.init}({', '.join(args)});"

    def bindings(self):
        for number, (path, target) in enumerate(self.case.config.get("bind", {}).items()):
            lvalue = self.expression(path)
            if target == "new":
                yield f"static __typeof__(*({lvalue})) oracle_bound_{number};", f"{lvalue} = &oracle_bound_{number};"
            else:
                yield "", f"{lvalue} = {target};"

    def constants(self):
        for lvalue, value in self.case.config.get("const", {}).items():
            yield f"{self.expression(lvalue)} = {value};"

    def conditions(self, function, texts):
        """A condition function: the C function of that name, if there is one, and the given expressions."""
        lines = [f"__CPROVER_assume({self.expression(text)});" for text in texts]
        if function in self.defined:
            lines.append(self.call(function, self.condition_parameters(function)))
        return lines

    def condition_parameters(self, function):
        params = parameters(self.case, self.everything, function)
        known = {name for _, name, _ in self.step_parameters}
        if any(name not in known for _, name, _ in params):
            raise Unsupported(f"parameters of {function}")
        return params

    def with_old(self, text, before):
        """Replaces `old(x)` by a local that `before` (a list of lines) initialises."""
        def replace(match):
            name = f"oracle_old_{len(self.old)}"
            self.old.append(name)
            value = self.expression(match[1])
            before.append(f"__typeof__(+({value})) {name} = {value};")
            return name
        return self.expression(re.sub(r"\b(?:old|prev)\(([^()]*)\)", replace, text))

    def goal(self, number, goal):
        if goal.steps is None:
            body = [self.call(goal.name, self.condition_parameters(goal.name))]
            return self.function(f"static void oracle_goal_{number}(void)", body)
        body = []
        for index, step in enumerate(goal.steps):
            before, after = [], []
            if "when" in step:
                before.append(f"__CPROVER_assume({self.expression(step['when'])});")
            if "after" in step:
                after.append(f"__CPROVER_assume({self.with_old(step['after'], before)});")
            if goal.expect and index == len(goal.steps) - 1:
                after.append(f"oracle_assert(({self.with_old(goal.expect, before)}) ? 1 : 0);")
            body += before + [self.call(self.case.step, self.step_parameters)] + after
        return self.function(f"static void oracle_goal_{number}(void)", body)

    def function(self, head, lines):
        return head + "\n{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"

    def input_functions(self):
        cases, counts = [], []
        for lvalue, values in self.case.inputs:
            target = self.expression(lvalue)
            table = ", ".join(values or ["0", "1"])
            counts.append(len(values) if values else 2)
            check = "" if values else f'_Static_assert(_Generic(({target}), _Bool: 1, default: 0), "{lvalue} needs values or a range");'
            cases.append(f"{{ {check} static const __typeof__({target}) v[] = {{ {table} }}; "
                         f"{target} = v[vector % {counts[-1]}u]; vector /= {counts[-1]}u; }}")
        clear = [f"{self.expression(lvalue)} = 0;" for lvalue, _ in self.case.inputs]
        vectors = 1
        for count in counts:
            vectors *= count
        return vectors, self.function("static void oracle_set_inputs(unsigned vector)", cases) \
            + self.function("static void oracle_clear_inputs(void)", clear)

    def prototypes(self):
        """Declarations of property functions that stand in files of their own."""
        main = {name for name, _, _ in functions(self.text[self.main_source])}
        own = [g.name for g in self.case.goals if g.steps is None] + ["chaincover_assume", "chaincover_final"]
        for name in own:
            if name in self.defined and name not in main:
                params = parameters(self.case, self.everything, name)
                yield f"void {name}({', '.join(b + (' *' if p else ' ') + n for b, n, p in params) or 'void'});"

    def c_text(self):
        vectors, inputs = self.input_functions()
        goals = self.case.goals
        bindings = list(self.bindings())
        assume = [entry["expr"] for entry in self.case.config.get("assume", [])]
        final = [self.case.config["final"]["when"]] if "final" in self.case.config else []
        step = self.call(self.case.step, self.step_parameters)
        parts = [
            f'#include "{self.main_source}"', f'#include "{HERE / "runtime.h"}"',
            "void __CPROVER_assume(_Bool); void oracle_assert(int);", HOOKS,
            *[f'extern char oracle_static_{n} __asm__("{s}");' for n, s in self.statics.items()],
            *self.prototypes(), *self.objects(), *[declaration for declaration, _ in bindings], inputs,
            self.function("static void oracle_reset(void)", [line for _, line in bindings] + list(self.constants()) + [self.init_call()]),
            self.function("static void oracle_step(void)", [step]),
            self.function("static void oracle_assume(void)", self.conditions("chaincover_assume", assume)),
            self.function("static void oracle_final(void)", self.conditions("chaincover_final", final)),
            *[self.goal(number, goal) for number, goal in enumerate(goals)],
            "static void oracle_goal(unsigned goal)\n{\n    switch (goal) {\n"
            + "".join(f"    case {n}: oracle_goal_{n}(); break;\n" for n in range(len(goals))) + "    }\n}\n",
            "const struct oracle_model oracle_model = { oracle_reset, oracle_set_inputs, oracle_clear_inputs, oracle_step, "
            f"oracle_assume, oracle_final, oracle_goal, (void *){self.case.step}, {vectors}, {len(goals)} }};",
        ]
        return "\n".join(parts) + "\n"


def static_symbols(case, object_file):
    """Assembler names of those static locals that `function::name` in the configuration asks for."""
    wanted = set(re.findall(r"\b\w+::(\w+)\b", (case.folder / "chaincover.toml").read_text()))
    if not wanted:
        return {}
    listing = subprocess.run(["nm", str(object_file)], capture_output=True, text=True, check=True).stdout
    found = {}
    for symbol in re.findall(r"\s[bBdD]\s(\S+)$", listing, flags=re.M):
        name = symbol.split(".")[0]
        if name in wanted and "." in symbol:
            found[name] = symbol
    return found


def build(case, folder, sanitize=False):
    """Compiles the model library into `folder` and returns its path."""
    flags = CFLAGS + defines(case) + includes(case) + (["-fsanitize=undefined"] if sanitize else [])
    harness = folder / "harness.c"
    statics = {}
    for _ in range(2):  # the second time with the names of static locals known
        writer = Harness(case, statics)
        harness.write_text(writer.c_text())
        subprocess.run(["gcc", *flags, "-c", "-o", str(folder / "harness.o"), str(harness)], check=True)
        found = static_symbols(case, folder / "harness.o")
        if found == statics:
            break
        statics = found
    others = [path for path in case.sources + case.goal_files if path != writer.main_source]
    library = folder / "model.so"
    subprocess.run(["gcc", *flags, "-shared", "-Wl,-Bsymbolic", "-o", str(library), str(folder / "harness.o"), *map(str, others), "-lm"], check=True)
    return library


def build_support(folder):
    """Compiles runtime and search; returns their paths."""
    result = []
    for name in ("runtime", "search"):
        library = folder / f"{name}.so"
        subprocess.run(["gcc", "-std=gnu99", "-O2", "-fPIC", "-shared", "-o", str(library), str(HERE / f"{name}.c")], check=True)
        result.append(library)
    return result


def segments(library):
    """(offset, size) of the writable sections .data and .bss."""
    listing = subprocess.run(["readelf", "-S", "-W", str(library)], capture_output=True, text=True, check=True).stdout
    found = []
    for match in re.finditer(r"\]\s+(\.data|\.bss)\s+\w+\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", listing):
        if int(match[3], 16):
            found.append((int(match[2], 16), int(match[3], 16)))
    return found


def symbol_offset(library, name):
    listing = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True).stdout
    return int(re.search(rf"^([0-9a-f]+) \w {name}$", listing, flags=re.M)[1], 16)


def vector_text(case, vector):
    """The input vector as text: true _Bool inputs by name, others with their value."""
    words = []
    for lvalue, values in case.inputs:
        count = len(values) if values else 2
        value, vector = vector % count, vector // count
        short = re.split(r"->|\.", lvalue)[-1]
        if values:
            words.append(f"{short}={values[value]}")
        elif value:
            words.append(short)
    return ",".join(words) or "-"
