//! From the library's tree to [`Entry`] values.

use super::text::{self, Text, check_limit};
use super::{Conversion, Description, Entry, Form, Storage};
use crate::ConfigError;
use a2lfile::{
    A2lError, A2lFile, A2lObject, A2lObjectName, AddrType, AddressType, BitMask, Characteristic,
    CharacteristicType, CompuMethod, ConversionType, DataType, Instance, MatrixDim, Measurement, Module,
    ParserError, PhysUnit, SymbolLink, TokenizerError, TypedefCharacteristic, TypedefMeasurement,
};
use frontend::Location;
use frontend::diagnostics::visible;
use frontend::limit::Limit;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Departures from the standard that are told one by one.
const SHOWN_WARNINGS: usize = 5;

/// Entries that instances of structures stand for: arrays of structures may have many elements.
const MOST_ENTRIES: usize = 1_000_000;

/// Structures in structures; a chain of definitions that leads back to itself has no end.
const DEEPEST: usize = 16;

/// How often the limit is looked at while the library reads.
const LOOK: Duration = Duration::from_millis(20);

/// Stack of the thread in which the library reads.
const STACK: usize = 8 << 20;

/// The value of a conversion that says that there is none.
const NO_CONVERSION: &str = "NO_COMPU_METHOD";

/// Reads a file.
///
/// # Errors
/// As for [`super::read`].
pub(super) fn read(path: &Path, limit: &Limit) -> Result<Description, ConfigError> {
    let text = Arc::new(text::read(path, limit)?);
    let (file, departures) = parsed(&text, path, limit)?.map_err(|error| refused(&text, path, &error))?;
    // The library passes over these, but what stands behind them may be read as something else.
    let is_broken = |error: &&A2lError| {
        matches!(
            error,
            A2lError::ParserError {
                parser_error: ParserError::IncorrectEndTag { .. } | ParserError::AdditionalTokensError { .. }
            }
        )
    };
    if let Some(error) = departures.iter().find(is_broken) {
        return Err(refused(&text, path, error));
    }
    let mut entries = Vec::new();
    for module in file.project.module.iter() {
        let mut reader = Reader { module, text: &text, entries: &mut entries };
        module.measurement.iter().for_each(|entry| reader.measurement(entry));
        module.characteristic.iter().for_each(|entry| reader.characteristic(entry));
        for instance in module.instance.iter() {
            check_limit(limit, path)?;
            reader.instance(instance)?;
        }
    }
    let warnings = warnings(&text, path, &departures);
    Ok(Description { files: text.files.clone(), entries, warnings })
}

/// What the library makes of a text: a file, and where it departs from the standard.
type Parsed = Result<(A2lFile, Vec<A2lError>), A2lError>;

/// What the library makes of a text. Nothing interrupts it, so it reads in a thread, which is left
/// to itself where the limit is reached first.
fn parsed(text: &Arc<Text>, path: &Path, limit: &Limit) -> Result<Parsed, ConfigError> {
    let (sender, receiver) = mpsc::channel();
    let own = Arc::clone(text);
    let read = move || drop(sender.send(a2lfile::load_from_string(&own.text, None, false)));
    let thread = thread::Builder::new().stack_size(STACK).spawn(read);
    let thread = thread.map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    loop {
        check_limit(limit, path)?;
        match receiver.recv_timeout(LOOK) {
            Ok(parsed) => return Ok(parsed),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => panic!("a thread that reads a file should send what it has read"),
            },
        }
    }
}

/// Why the library does not read a text, with the place.
fn refused(text: &Text, path: &Path, error: &A2lError) -> ConfigError {
    let (line, message) = told(text, error);
    let place = line.map_or_else(|| Location { file: path.to_owned(), line: 1 }, |line| text.locate(line));
    ConfigError::Description { place, message }
}

/// Where and how a file departs from the standard, but for what later versions of it changed.
fn warnings(text: &Text, path: &Path, departures: &[A2lError]) -> Vec<String> {
    let matters = |error: &&A2lError| {
        !matches!(
            error,
            A2lError::ParserError {
                parser_error: ParserError::BlockRefDeprecated { .. }
                    | ParserError::BlockRefTooNew { .. }
                    | ParserError::EnumRefDeprecated { .. }
                    | ParserError::EnumRefTooNew { .. }
                    | ParserError::StringTooLong { .. }
                    | ParserError::MissingVersionInfo
            }
        )
    };
    let all: Vec<&A2lError> = departures.iter().filter(matters).collect();
    let mut shown: Vec<String> =
        all.iter().take(SHOWN_WARNINGS).map(|error| refused(text, path, error).to_string()).collect();
    if all.len() > SHOWN_WARNINGS {
        let more = all.len() - SHOWN_WARNINGS;
        shown.push(format!("{}: {more} more departures from the standard", path.display()));
    }
    shown
}

/// The line of the text that an error is about, and what is wrong there.
fn told(text: &Text, error: &A2lError) -> (Option<u32>, String) {
    let (line, block, message) = match error {
        A2lError::ParserError { parser_error } => {
            let (line, block) = parser_lines(parser_error);
            (line, block, parser_error.to_string())
        }
        A2lError::TokenizerError { tokenizer_error } => {
            (tokenizer_line(tokenizer_error), None, tokenizer_error.to_string())
        }
        A2lError::EmptyFileError { .. } => (None, None, "the file holds nothing".to_owned()),
        other => (None, None, other.to_string()),
    };
    // The library counts lines of the whole text, in front of the message and within it.
    let bare = line.and_then(|line| message.strip_prefix(&format!(":{line}: ")).map(str::to_owned));
    let bare = bare.unwrap_or(message);
    let bare = match block {
        Some(block) => {
            let place = text.locate(block);
            bare.replace(
                &format!("starting on line {block}"),
                &format!("starting in line {} of {}", place.line, place.file.display()),
            )
        }
        None => bare,
    };
    (line, visible(&bare))
}

fn tokenizer_line(error: &TokenizerError) -> Option<u32> {
    match error {
        TokenizerError::IncludeFileError { line, .. }
        | TokenizerError::IncompleteIncludeError { line, .. }
        | TokenizerError::IncludeRecursionError { line, .. }
        | TokenizerError::InvalidA2lToken { line, .. }
        | TokenizerError::InvalidNumericalConstant { line, .. }
        | TokenizerError::UnclosedComment { line, .. }
        | TokenizerError::UnclosedString { line, .. }
        | TokenizerError::MissingWhitespace { line, .. } => Some(*line),
        _ => None,
    }
}

/// The line of an error, and that of the block in which it lies, where it is told.
fn parser_lines(error: &ParserError) -> (Option<u32>, Option<u32>) {
    match error {
        ParserError::UnexpectedTokenType { error_line, block_line, .. }
        | ParserError::InvalidEnumValue { error_line, block_line, .. }
        | ParserError::InvalidMultiplicityTooMany { error_line, block_line, .. }
        | ParserError::InvalidMultiplicityNotPresent { error_line, block_line, .. }
        | ParserError::IncorrectBlockError { error_line, block_line, .. }
        | ParserError::IncorrectKeywordError { error_line, block_line, .. }
        | ParserError::IncorrectEndTag { error_line, block_line, .. }
        | ParserError::UnknownSubBlock { error_line, block_line, .. }
        | ParserError::UnexpectedEOF { error_line, block_line, .. } => (Some(*error_line), Some(*block_line)),
        ParserError::MalformedNumber { error_line, .. }
        | ParserError::StringTooLong { error_line, .. }
        | ParserError::InvalidBegin { error_line, .. }
        | ParserError::InvalidIdentifier { error_line, .. }
        | ParserError::A2mlError { error_line, .. }
        | ParserError::AdditionalTokensError { error_line, .. } => (Some(*error_line), None),
        _ => (None, None),
    }
}

/// What measurements, characteristics and their types share.
struct Parts<'a> {
    storage: Option<Storage>,
    text: &'a str,
    conversion: &'a str,
    limits: [f64; 2],
    unit: Option<&'a PhysUnit>,
    mask: Option<&'a BitMask>,
    is_array: bool,
    unfit: Option<&'static str>,
}

struct Reader<'a> {
    module: &'a Module,
    text: &'a Text,
    entries: &'a mut Vec<Entry>,
}

impl Reader<'_> {
    fn measurement(&mut self, found: &Measurement) {
        let count = found.array_size.as_ref().map_or(1, |size| usize::from(size.number));
        let unfit = if found.var_virtual.is_some() {
            Some("it is computed by the tool (VIRTUAL)")
        } else if found.bit_operation.is_some() {
            Some("its bits are moved (BIT_OPERATION)")
        } else {
            pointer(found.address_type.as_ref())
        };
        let parts = Parts {
            storage: Some(storage(found.datatype)),
            text: &found.long_identifier,
            conversion: &found.conversion,
            limits: [found.lower_limit, found.upper_limit],
            unit: found.phys_unit.as_ref(),
            mask: found.bit_mask.as_ref(),
            is_array: count.max(size(found.matrix_dim.as_ref())) > 1,
            unfit,
        };
        let place = self.text.locate(found.get_line());
        self.push(found.get_name(), variables(found.get_name(), found.symbol_link.as_ref()), place, parts);
    }

    fn characteristic(&mut self, found: &Characteristic) {
        let Characteristic { characteristic_type, virtual_characteristic, dependent_characteristic, .. } =
            found;
        let unfit = if virtual_characteristic.is_some() || dependent_characteristic.is_some() {
            Some("it is computed by the tool from other characteristics")
        } else {
            not_numbers(*characteristic_type)
        };
        let count = found.number.as_ref().map_or(1, |number| usize::from(number.number));
        let parts = Parts {
            storage: self.deposit(&found.deposit),
            text: &found.long_identifier,
            conversion: &found.conversion,
            limits: [found.lower_limit, found.upper_limit],
            unit: found.phys_unit.as_ref(),
            mask: found.bit_mask.as_ref(),
            is_array: count.max(size(found.matrix_dim.as_ref())) > 1,
            unfit,
        };
        let place = self.text.locate(found.get_line());
        self.push(found.get_name(), variables(found.get_name(), found.symbol_link.as_ref()), place, parts);
    }

    /// An instance of a type: one entry for each number in it.
    fn instance(&mut self, found: &Instance) -> Result<(), ConfigError> {
        if pointer(found.address_type.as_ref()).is_some() {
            return Ok(());
        }
        let place = self.text.locate(found.get_line());
        let changed: Vec<&str> = found.overwrite.iter().map(A2lObjectName::get_name).collect();
        let part = Part {
            name: found.get_name().to_owned(),
            variables: variables(found.get_name(), found.symbol_link.as_ref()),
            text: &found.long_identifier,
            dimensions: found.matrix_dim.as_ref(),
            depth: 0,
        };
        self.part(part, &found.type_ref, &place, &changed)
    }

    fn part(
        &mut self,
        part: Part<'_>,
        type_name: &str,
        place: &Location,
        changed: &[&str],
    ) -> Result<(), ConfigError> {
        let refused = |message: String| ConfigError::Description { place: place.clone(), message };
        if part.depth > DEEPEST {
            let message = format!("the instance {} holds structures more than {DEEPEST} deep", part.name);
            return Err(refused(message));
        }
        if self.entries.len() >= MOST_ENTRIES {
            return Err(refused(format!("instances stand for more than {MOST_ENTRIES} numbers")));
        }
        let module = self.module;
        // What an instance changes of its type is not looked at, so nothing is taken of the rest.
        let overwritten = changed
            .iter()
            .any(|name| part.name == **name || part.name.ends_with(&format!(".{name}")) || part.depth == 0);
        let overwritten = overwritten.then_some("the instance changes its type (OVERWRITE)");
        if let Some(found) = module.typedef_measurement.get(type_name) {
            let parts = self.typed_measurement(found, &part, overwritten);
            self.push(&part.name, part.variables.clone(), place.clone(), parts);
        } else if let Some(found) = module.typedef_characteristic.get(type_name) {
            let parts = self.typed_characteristic(found, &part, overwritten);
            self.push(&part.name, part.variables.clone(), place.clone(), parts);
        } else if let Some(found) = module.typedef_structure.get(type_name) {
            for index in indices(part.dimensions) {
                let element = |name: &str| format!("{name}{index}");
                for component in found.structure_component.iter() {
                    if pointer(component.address_type.as_ref()).is_some() {
                        continue;
                    }
                    let name = component.get_name();
                    let member = |holder: &String| normal(&format!("{}.{name}", element(holder)));
                    let inner = Part {
                        name: format!("{}.{name}", element(&part.name)),
                        variables: part.variables.iter().map(member).collect(),
                        text: "",
                        dimensions: component.matrix_dim.as_ref(),
                        depth: part.depth + 1,
                    };
                    self.part(inner, &component.component_type, place, changed)?;
                }
            }
        }
        Ok(())
    }

    fn typed_measurement<'t>(
        &self,
        found: &'t TypedefMeasurement,
        part: &Part<'t>,
        overwritten: Option<&'static str>,
    ) -> Parts<'t> {
        let moved = found.bit_operation.as_ref().map(|_| "its bits are moved (BIT_OPERATION)");
        Parts {
            storage: Some(storage(found.datatype)),
            text: if part.text.trim().is_empty() { &found.long_identifier } else { part.text },
            conversion: &found.conversion,
            limits: [found.lower_limit, found.upper_limit],
            unit: found.phys_unit.as_ref(),
            mask: found.bit_mask.as_ref(),
            is_array: size(found.matrix_dim.as_ref()).max(size(part.dimensions)) > 1,
            unfit: overwritten.or(moved).or(pointer(found.address_type.as_ref())),
        }
    }

    fn typed_characteristic<'t>(
        &self,
        found: &'t TypedefCharacteristic,
        part: &Part<'t>,
        overwritten: Option<&'static str>,
    ) -> Parts<'t> {
        let count = found.number.as_ref().map_or(1, |number| usize::from(number.number));
        let own = size(found.matrix_dim.as_ref()).max(count);
        Parts {
            storage: self.deposit(&found.record_layout),
            text: if part.text.trim().is_empty() { &found.long_identifier } else { part.text },
            conversion: &found.conversion,
            limits: [found.lower_limit, found.upper_limit],
            unit: found.phys_unit.as_ref(),
            mask: found.bit_mask.as_ref(),
            is_array: own.max(size(part.dimensions)) > 1,
            unfit: overwritten.or(not_numbers(found.characteristic_type)),
        }
    }

    /// How a record layout stores numbers.
    fn deposit(&self, name: &str) -> Option<Storage> {
        let layout = self.module.record_layout.get(name)?;
        layout.fnc_values.as_ref().map(|values| storage(values.datatype))
    }

    fn push(&mut self, name: &str, variables: Vec<String>, place: Location, parts: Parts<'_>) {
        let method = self.module.compu_method.get(parts.conversion);
        let conversion = match method {
            Some(method) => conversion(method),
            None if parts.conversion == NO_CONVERSION => Conversion::Identical,
            None => Conversion::Other("its conversion is not defined in the file"),
        };
        let unit = parts.unit.map_or_else(|| method.map_or("", |method| &method.unit), |unit| &unit.unit);
        let (labels, unlabelled) = method.map(|method| self.labels(method)).unwrap_or_default();
        self.entries.push(Entry {
            name: visible(name),
            variables,
            place,
            storage: parts.storage,
            is_array: parts.is_array,
            mask: parts.mask.map(|mask| mask.mask),
            unfit: parts.unfit,
            text: plain(parts.text),
            // `-` is how tools write that there is none.
            unit: Some(plain(unit)).filter(|unit| unit != "-").unwrap_or_default(),
            conversion,
            limits: parts.limits,
            labels,
            unlabelled,
        });
    }

    /// The names that a method has for values, and what it has beyond names of single integers.
    fn labels(&self, method: &CompuMethod) -> (Vec<(i64, String)>, Vec<&'static str>) {
        let (mut found, mut left) = (BTreeMap::new(), Vec::new());
        if let (ConversionType::TabVerb, Some(reference)) = (method.conversion_type, &method.compu_tab_ref) {
            let name = reference.conversion_table.as_str();
            let single = self.module.compu_vtab.get(name);
            let ranges = self.module.compu_vtab_range.get(name);
            for pair in single.iter().flat_map(|table| &table.value_pairs) {
                add(&mut found, &mut left, [pair.in_val; 2], &pair.out_val);
            }
            for triple in ranges.iter().flat_map(|table| &table.value_triples) {
                add(&mut found, &mut left, [triple.in_val_min, triple.in_val_max], &triple.out_val);
            }
            let default = single.and_then(|table| table.default_value.as_ref());
            if default.or(ranges.and_then(|table| table.default_value.as_ref())).is_some() {
                left.push("the name of all other values (DEFAULT_VALUE)");
            }
            if single.is_none() && ranges.is_none() {
                left.push("names of values, since their table is not defined in the file");
            }
        }
        if method.status_string_ref.is_some() {
            left.push("names of values that stand for a status (STATUS_STRING_REF)");
        }
        left.sort_unstable();
        left.dedup();
        (unique(found), left)
    }
}

/// A part of an instance.
struct Part<'a> {
    name: String,
    variables: Vec<String>,
    text: &'a str,
    dimensions: Option<&'a MatrixDim>,
    depth: usize,
}

/// Adds a name of the values of a range, if that is one integer.
fn add(found: &mut BTreeMap<i64, String>, left: &mut Vec<&'static str>, [low, high]: [f64; 2], name: &str) {
    // Beyond these numbers doubles have gaps.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let name = plain(name);
    if low != high {
        left.push("names of several values together");
    } else if low.fract() != 0.0 || low.abs() > EXACT {
        left.push("names of values that are no integers");
    } else if name.is_empty() {
        left.push("empty names of values");
    } else if *found.entry(low as i64).or_insert_with(|| name.clone()) != name {
        left.push("further names of a value");
    }
}

/// Where several values have one name, each gets its number behind it.
fn unique(labels: BTreeMap<i64, String>) -> Vec<(i64, String)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    labels.values().for_each(|name| *counts.entry(name).or_default() += 1);
    let named = |(value, name): (&i64, &String)| match counts[name.as_str()] {
        1 => (*value, name.clone()),
        _ => (*value, format!("{name} ({value})")),
    };
    labels.iter().map(named).collect()
}

/// One line without hidden characters.
fn plain(text: &str) -> String {
    visible(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The variables that an entry may be about. The symbol of the linker is authoritative: a name
/// whose object is another one is the name of something else.
fn variables(name: &str, link: Option<&SymbolLink>) -> Vec<String> {
    let name = normal(name);
    let Some(link) = link else { return vec![name] };
    let symbol = normal(&link.symbol_name);
    let object = |path: &str| path.split(['.', '[']).next().unwrap_or_default().to_owned();
    let mut all = Vec::new();
    // The offset of a member is no name of it.
    if link.offset == 0 {
        all.push(symbol.clone());
    }
    if object(&name) == object(&symbol) && !all.contains(&name) {
        all.push(name);
    }
    all
}

/// Names write elements of arrays as `a._3_`, C as `a[3]`.
fn normal(name: &str) -> String {
    let mut found = String::new();
    for (position, part) in name.split('.').enumerate() {
        let index = part.strip_prefix('_').and_then(|part| part.strip_suffix('_'));
        match index.filter(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
        {
            Some(index) if position > 0 => found += &format!("[{index}]"),
            _ if position > 0 => found += &format!(".{part}"),
            _ => found += part,
        }
    }
    found
}

/// Number of elements.
fn size(dimensions: Option<&MatrixDim>) -> usize {
    let all = dimensions.map_or(&[][..], |dimensions| &dimensions.dim_list);
    all.iter().map(|&count| usize::from(count).max(1)).fold(1, usize::saturating_mul)
}

/// The indices of all elements, as C writes them; one empty text where there are no dimensions.
fn indices(dimensions: Option<&MatrixDim>) -> Vec<String> {
    let mut all = vec![String::new()];
    if size(dimensions) == 1 {
        return all;
    }
    let counts = dimensions.map_or(&[][..], |dimensions| &dimensions.dim_list);
    for &count in counts.iter().filter(|&&count| count > 1) {
        let longer = |start: &String| (0..count).map(|index| format!("{start}[{index}]")).collect::<Vec<_>>();
        all = all.iter().take(MOST_ENTRIES).flat_map(longer).collect();
    }
    all
}

fn pointer(address: Option<&AddressType>) -> Option<&'static str> {
    let is_direct = address.is_none_or(|address| address.address_type == AddrType::Direct);
    (!is_direct).then_some("it is reached through a pointer (ADDRESS_TYPE)")
}

fn not_numbers(kind: CharacteristicType) -> Option<&'static str> {
    match kind {
        CharacteristicType::Value | CharacteristicType::ValBlk => None,
        CharacteristicType::Ascii => Some("it is a text"),
        _ => Some("it is a curve or map"),
    }
}

const fn storage(kind: DataType) -> Storage {
    let (bits, form) = match kind {
        DataType::Ubyte => (8, Form::Unsigned),
        DataType::Sbyte => (8, Form::Signed),
        DataType::Uword => (16, Form::Unsigned),
        DataType::Sword => (16, Form::Signed),
        DataType::Ulong => (32, Form::Unsigned),
        DataType::Slong => (32, Form::Signed),
        DataType::AUint64 => (64, Form::Unsigned),
        DataType::AInt64 => (64, Form::Signed),
        DataType::Float16Ieee => (16, Form::Float),
        DataType::Float32Ieee => (32, Form::Float),
        DataType::Float64Ieee => (64, Form::Float),
    };
    Storage { bits, form }
}

/// How a method makes physical values. `RAT_FUNC` is written the other way round: the number is
/// `(a x x + b x + c) / (d x x + e x + f)` of the physical value `x`.
fn conversion(method: &CompuMethod) -> Conversion {
    let linear = |factor: f64, offset: f64| match (factor, offset) {
        _ if factor == 0.0 || !factor.is_finite() || !offset.is_finite() => {
            Conversion::Other("its conversion has coefficients without sense")
        }
        (1.0, 0.0) => Conversion::Identical,
        _ => Conversion::Linear { factor, offset },
    };
    match method.conversion_type {
        // Limits of values with names are numbers as they are stored.
        ConversionType::Identical | ConversionType::TabVerb => Conversion::Identical,
        ConversionType::Linear => match &method.coeffs_linear {
            Some(found) => linear(found.a, found.b),
            None => Conversion::Other("its conversion has no coefficients"),
        },
        ConversionType::RatFunc => match &method.coeffs {
            Some(found) if found.a == 0.0 && found.d == 0.0 && found.e == 0.0 && found.b != 0.0 => {
                linear(found.f / found.b, -found.c / found.b)
            }
            Some(_) => Conversion::Other("its conversion is not linear (RAT_FUNC)"),
            None => Conversion::Other("its conversion has no coefficients"),
        },
        ConversionType::Form => Conversion::Other("its conversion is a formula"),
        ConversionType::TabIntp | ConversionType::TabNointp => Conversion::Other("its conversion is a table"),
    }
}
