

def _single(value):
    """The nearest number of 32 bits."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(inf, value)


def _nearest_single(exact):
    """The number of 32 bits that is nearest to a fraction; of two the one with an even significand."""
    try:
        near = _single(exact.numerator / exact.denominator)
    except OverflowError:
        return inf if exact > 0 else -inf
    if near in (inf, -inf):
        near = math.copysign(struct.unpack("<f", b"\xff\xff\x7f\x7f")[0], near)
        # Half a unit beyond the greatest number is infinite.
        if abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103:
            return math.copysign(inf, near)
        return near
    bits = struct.unpack("<I", struct.pack("<f", abs(near)))[0]
    around = [word for word in (bits - 1, bits, bits + 1) if 0 <= word < 0x7F800000]
    numbers = [(struct.unpack("<f", struct.pack("<I", word))[0], word) for word in around]
    distance = lambda pair: (abs(Fraction(pair[0]) - abs(exact)), pair[1] & 1)
    return math.copysign(min(numbers, key=distance)[0], near)


def _rounded(exact, width):
    """A fraction other than zero as a number of that format."""
    if width == 32:
        return _nearest_single(exact)
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return inf if exact > 0 else -inf


def _divided(a, b):
    if b != 0 or a != a:
        return a / b if b != 0 else a
    return nan if a == 0 else math.copysign(inf, a) * math.copysign(1.0, b)


def _or_nan(function, *arguments):
    """A function of the library, which tells of invalid operations by exceptions."""
    try:
        return function(*arguments)
    except ValueError:
        return nan


def _fma(a, b, c, width):
    if not all(math.isfinite(value) for value in (a, b, c)):
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return _rounded(exact, width) if exact != 0 else a * b + c


def _integral(op, value):
    """A number rounded to an integral one, with the sign of the operand."""
    if not math.isfinite(value):
        return value
    if op == "round-away":
        below = math.floor(abs(value))
        whole = below + (abs(value) - below >= 0.5)
    else:
        rounding = {"round-even": round, "round-zero": math.trunc, "round-up": math.ceil, "round-down": math.floor}
        whole = abs(rounding[op](value))
    return math.copysign(float(whole), value)


def _signed(value, width):
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _bits(value, width):
    return struct.unpack("<I" if width == 32 else "<Q", struct.pack("<f" if width == 32 else "<d", value))[0]


def _from_bits(value, width):
    return struct.unpack("<f" if width == 32 else "<d", struct.pack("<I" if width == 32 else "<Q", value))[0]


def _word(op, width, args, widths, low):
    """The value of an operator whose result is a word: its bits, read as a number from 0."""
    mask = (1 << width) - 1
    a = args[0]
    b = args[1] if len(args) > 1 else 0
    if op in ("not", "neg"):
        return (~a if op == "not" else -a) & mask
    if op in ("and", "or", "xor", "add", "sub", "mul"):
        plain = {"and": a & b, "or": a | b, "xor": a ^ b, "add": a + b, "sub": a - b, "mul": a * b}
        return plain[op] & mask
    if op == "udiv":
        return a // b if b else mask
    if op == "urem":
        return a % b if b else a
    if op in ("sdiv", "srem"):
        left, right = _signed(a, width), _signed(b, width)
        if right == 0:
            return a if op == "srem" else 1 if left < 0 else mask
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return (quotient if op == "sdiv" else left - quotient * right) & mask
    if op in ("shl", "lshr"):
        return 0 if b >= width else a << b & mask if op == "shl" else a >> b
    if op == "ashr":
        return _signed(a, width) >> min(b, width - 1) & mask
    if op == "concat":
        return a << widths[1] | b
    if op == "extract":
        return a >> low & mask
    if op in ("zero-extend", "sign-extend"):
        return (_signed(a, widths[0]) if op == "sign-extend" else a) & mask
    if op in ("eq", "float-eq"):
        return int(a == b)
    if op in ("ult", "float-lt"):
        return int(a < b)
    if op in ("ule", "float-le"):
        return int(a <= b)
    if op in ("slt", "sle"):
        left, right = _signed(a, widths[0]), _signed(b, widths[0])
        return int(left < right if op == "slt" else left <= right)
    if op == "is-nan":
        return int(a != a)
    if op == "is-infinite":
        return int(a in (inf, -inf))
    if op == "float-to-bits":
        return _bits(a, width)
    if op in ("float-to-unsigned", "float-to-signed"):
        return int(a) & mask if math.isfinite(a) else 0
    raise ValueError(f"unknown operator {op}")


def _float(op, width, args, widths):
    """The value of an operator whose result is an IEEE number."""
    a = args[0]
    b = args[1] if len(args) > 1 else 0
    if op == "float-from-bits":
        return _from_bits(a, width)
    if op == "float-neg":
        return -a
    if op == "float-abs":
        return abs(a)
    if op.startswith("round-"):
        return _integral(op, a)
    if op in ("float-from-unsigned", "float-from-signed"):
        number = _signed(a, widths[0]) if op == "float-from-signed" else a
        return _rounded(Fraction(number), width) if number else 0.0
    if op == "fma":
        return _fma(a, b, args[2], width)
    plain = {
        "float-add": lambda: a + b,
        "float-sub": lambda: a - b,
        "float-mul": lambda: a * b,
        "float-div": lambda: _divided(a, b),
        "float-sqrt": lambda: _or_nan(math.sqrt, a),
        "float-fmod": lambda: _or_nan(math.fmod, a, b),
        "float-remainder": lambda: _or_nan(math.remainder, a, b),
        "float-convert": lambda: a,
    }[op]()
    return _single(plain) if width == 32 else plain


def _evaluate(nodes, look):
    """The values of all nodes: bits of words as numbers from 0, IEEE numbers as floats.

    `look(op, name, step)` gives inputs, outputs and state words.
    """
    values = []
    for op, kind, arguments, name, step, constant in nodes:
        is_float, width = kind[0] == "f", int(kind[1:])
        args = [values[argument] for argument in arguments]
        widths = [int(nodes[argument][1][1:]) for argument in arguments]
        if op == "constant":
            value = _from_bits(constant, width) if is_float else constant
        elif op in ("input", "output", "state"):
            value = look(op, name, step)
            value = (_single(value) if width == 32 else float(value)) if is_float else int(value) & (1 << width) - 1
        elif op == "ite":
            value = args[1] if args[0] else args[2]
        elif is_float:
            value = _float(op, width, args, widths)
        else:
            value = _word(op, width, args, widths, constant)
        values.append(value)
    return values
